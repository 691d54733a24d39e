"""pylibmc, that is libmemcached: the same in the text and in the binary protocol."""

import pylibmc

import items
from scenario import Suite, same


class Calls:
    """The calls of items.py, and pylibmc's own client."""

    def __init__(self, binary):
        behaviors = {"cas": True, "tcp_nodelay": True, "receive_timeout": 30_000_000}
        address = f"127.0.0.1:{items.PORT}"
        self.client = pylibmc.Client([address], binary=binary, behaviors=behaviors)
        # pylibmc has no argument for flags: items that want some are set by its serializer.
        self.flagged = _Flagged([address], binary=binary, behaviors=behaviors)

    def get(self, key):
        value = self.flagged.get(key, self)
        # A serializer is given no empty value; without a default the client says None then.
        return None if value is self else value or b""

    def gets(self, key):
        return self.flagged.gets(key)

    def set(self, key, value, expire, flags):
        self.flagged.flags = flags
        same(self.flagged.set(key, value, expire), True)

    def cas(self, key, value, token):
        try:
            return "stored" if self.client.cas(key, value, token) else "exists"
        except pylibmc.NotFound:
            return "missing"

    def incr(self, key, by):
        try:
            return self.client.incr(key, by)
        except pylibmc.NotFound:
            return None

    def delete(self, key):
        return self.client.delete(key)


class _Flagged(pylibmc.Client):
    """Stores bytes with any flags, and gives the bytes whatever the flags."""

    flags = 0

    def serialize(self, value):
        return value, self.flags

    def deserialize(self, value, _flags):
        return value


def refused(call, *arguments):
    """Whether a store was refused: by False in the text protocol, by an error in the binary."""
    try:
        return call(*arguments) is False
    except pylibmc.NotFound:
        return True


def stores(client):
    same(client.get("s"), None)
    assert refused(client.replace, "s", b"x")
    same(client.append("s", b"x"), False)
    same(client.prepend("s", b"x"), False)
    same(client.add("s", b"middle"), True)
    same(client.add("s", b"x"), False)
    same(client.append("s", b" end"), True)
    same(client.prepend("s", b"start "), True)
    same(client.get("s"), b"start middle end")
    same(client.replace("s", b"new"), True)
    same(client.get("s"), b"new")
    same(client.delete("s"), True)
    same(client.delete("s"), False)
    same(client.get("s"), None)


def several(client):
    wanted = {f"m{number}": b"%d" % number for number in range(500)}
    same(client.set_multi(wanted), [])
    same(client.get_multi([*wanted, "missing"]), wanted)
    same(client.get_multi([str(number) for number in range(3)], key_prefix="m"),
         {"0": b"0", "1": b"1", "2": b"2"})
    same(client.add_multi({"m1": b"x", "other": b"y"}), ["m1"])
    client.incr_multi(["m1", "m2"], delta=10)
    same(client.get_multi(["m1", "m2", "other"]), {"m1": b"11", "m2": b"12", "other": b"y"})
    same(client.delete_multi(list(wanted)), True)
    same(client.get_multi([*wanted, "other"]), {"other": b"y"})


def cas(client):
    same(client.gets("c"), (None, None))
    client.set("c", b"1")
    value, token = client.gets("c")
    same(value, b"1")
    same(client.cas("c", b"2", token), True)
    same(client.cas("c", b"3", token), False)
    same(client.get("c"), b"2")
    client.delete("c")
    try:
        client.cas("c", b"4", token)
        raise AssertionError("cas made an item")
    except pylibmc.NotFound:
        pass


def numbers(client):
    for call in (client.incr, client.decr):
        try:
            call("none", 1)
            raise AssertionError("counted nothing")
        except pylibmc.NotFound:
            pass
    client.set("n", 10)
    same(client.incr("n", 5), 15)
    same(client.decr("n", 6), 9)
    same(client.decr("n", 100), 0)
    client.set("n", 2**64 - 2)
    same(client.incr("n", 3), 1)


def no_number(calls):
    calls.client.set("n", b"no number")
    # libmemcached loses step on this error, so it gets a connection of its own.
    other = calls.client.clone()
    try:
        other.incr("n", 1)
        raise AssertionError("a text was counted")
    except pylibmc.Error:
        pass
    same(calls.client.get("n"), b"no number")


def touch(client):
    same(client.touch("t", 100), False)
    client.set("t", b"v", 1)
    same(client.touch("t", 0), True)
    same(client.get("t"), b"v")
    same(client.touch("t", 1), True)
    items.gone(client.get, "t")


def kinds(client):
    for value in ["text", 5, -3, True, b"\0bytes", [1, {"a": None}], 1.5, "\u00fc" * 3]:
        client.set("k", value)
        same(client.get("k"), value)
    long = list(range(50_000))
    client.set("k", long, min_compress_len=100)
    same(client.get("k"), long)


def large(client):
    value = b"\0\r\n" * 300_000
    client.set("l", value)
    same(client.get("l"), value)
    try:
        client.set("l", b"x" * (1 << 20))
        raise AssertionError("too large a value was taken")
    except pylibmc.Error:
        pass
    # What cannot be stored must not leave what was there before.
    same(client.get("l"), None)


def about(client):
    ((address, stats),) = client.get_stats()
    assert str(items.PORT).encode() in address, address
    assert int(stats["cmd_get"]) > 0 and int(stats["curr_connections"]) > 0, stats


def pools(client):
    pool = pylibmc.ThreadMappedPool(client)
    with pool.reserve() as taken:
        taken.set("pool", b"v")
        same(taken.get("pool"), b"v")
    pool.relinquish()


def flush(client):
    client.set_multi({"x": b"1", "y": b"2"})
    same(client.flush_all(), True)
    same(client.get_multi(["x", "y"]), {})
    same(client.set("x", b"4"), True)
    same(client.get("x"), b"4")


def main():
    suite = Suite("pylibmc")
    for binary in (False, True):
        name = "pylibmc_binary" if binary else "pylibmc_text"
        calls = Calls(binary)
        client = calls.client
        client.flush_all()
        for what, body in [
            ("stores and their conditions", stores),
            ("several keys at once", several),
            ("cas", cas),
            ("incr and decr", numbers),
            ("touch", touch),
            ("typed values", kinds),
            ("large values", large),
            ("stats", about),
            ("a pool", pools),
        ]:
            suite.check(f"{name}: {what}", lambda body=body: body(client))
        suite.check(f"{name}: incr of a text", lambda calls=calls: no_number(calls))
        items.suite_of(suite, calls, name)
        suite.check(f"{name}: flush_all", lambda: flush(client))
    suite.end()


main()
