"""pymemcache: text protocol, with its client, its pool and its hashing client."""

import pickle

from pymemcache import serde
from pymemcache.client.base import Client, PooledClient
from pymemcache.client.hash import HashClient
from pymemcache.exceptions import MemcacheClientError, MemcacheServerError

import items
from scenario import Suite, same

ADDRESS = ("127.0.0.1", items.PORT)


def connect(**options):
    return Client(
        ADDRESS, connect_timeout=10, timeout=30, default_noreply=False,
        allow_unicode_keys=True, **options,
    )


class Calls:
    """The calls of items.py."""

    def __init__(self, client):
        self.client = client
        self.get = client.get
        self.gets = client.gets
        self.incr = client.incr
        self.delete = client.delete

    def set(self, key, value, expire, flags):
        same(self.client.set(key, value, expire=expire, flags=flags), True)

    def cas(self, key, value, token):
        stored = self.client.cas(key, value, token)
        return {True: "stored", False: "exists", None: "missing"}[stored]


def stores(client):
    same(client.get("p:s"), None)
    same(client.replace("p:s", b"x"), False)
    same(client.append("p:s", b"x"), False)
    same(client.prepend("p:s", b"x"), False)
    same(client.add("p:s", b"middle"), True)
    same(client.add("p:s", b"x"), False)
    same(client.append("p:s", b" end"), True)
    same(client.prepend("p:s", b"start "), True)
    same(client.get("p:s"), b"start middle end")
    same(client.replace("p:s", b"new"), True)
    same(client.get("p:s"), b"new")
    same(client.delete("p:s"), True)
    same(client.delete("p:s"), False)
    same(client.get("p:s", "default"), "default")


def several(client):
    wanted = {f"p:m{number}": b"%d" % number for number in range(500)}
    same(client.set_many(wanted), [])
    same(client.get_many([*wanted, "p:missing"]), wanted)
    tokens = client.gets_many(list(wanted)[:10])
    same(sorted(tokens), sorted(list(wanted)[:10]))
    same(len({token for _, token in tokens.values()}), 10)
    same(client.delete_many(list(wanted)), True)
    same(client.get_many(list(wanted)), {})


def cas(client):
    same(client.gets("p:c"), (None, None))
    same(client.cas("p:c", b"x", b"1"), None)
    client.set("p:c", b"1")
    value, token = client.gets("p:c")
    same(value, b"1")
    same(client.cas("p:c", b"2", token), True)
    same(client.cas("p:c", b"3", token), False)
    same(client.get("p:c"), b"2")
    # Touching the value with what it was is a change, too.
    _, token = client.gets("p:c")
    client.set("p:c", b"2")
    same(client.cas("p:c", b"3", token), False)


def numbers(client):
    same(client.incr("p:n", 1), None)
    client.set("p:n", b"10")
    same(client.incr("p:n", 5), 15)
    same(client.decr("p:n", 6), 9)
    same(client.get("p:n"), b"9 ")
    same(client.decr("p:n", 100), 0)
    client.set("p:n", b"18446744073709551615")
    same(client.incr("p:n", 2), 1)
    client.set("p:n", b"no number")
    for call in (client.incr, client.decr):
        try:
            call("p:n", 1)
            raise AssertionError("a text was counted")
        except MemcacheClientError as error:
            assert "non-numeric" in str(error), error
    same(client.get("p:n"), b"no number")


def touch(client):
    same(client.touch("p:t", 100), False)
    client.set("p:t", b"v", expire=100)
    same(client.touch("p:t", 0), True)
    same(client.get("p:t"), b"v")
    same(client.touch("p:t", -1), True)
    same(client.get("p:t"), None)


def flags(client):
    typed = connect(serde=serde.pickle_serde)
    for value in ["text", 5, 2**70, b"\0bytes", [1, {"a": None}], 1.5]:
        typed.set("p:f", value)
        same(typed.get("p:f"), value)
    # pickle_serde marks what it pickled with flag 1; without it the bytes come as they are.
    typed.set("p:f", [1, 2])
    same(pickle.loads(client.get("p:f")), [1, 2])
    same(client.raw_command("get p:f", "END\r\n").split(b" ")[2], b"1")
    client.set("p:f", b"v", flags=2**32 - 1)
    same(client.raw_command("get p:f", "END\r\n").split(b"\r\n")[0], b"VALUE p:f 4294967295 1")


def noreply(client):
    for number in range(200):
        client.set(f"p:q{number}", b"1", noreply=True)
        client.incr(f"p:q{number}", number, noreply=True)
    client.delete("p:q7", noreply=True)
    client.add("p:q8", b"x", noreply=True)
    client.touch("p:q9", -1, noreply=True)
    client.append("p:q10", b"x", noreply=True)
    client.incr("p:q10", 1, noreply=True)
    expected = {f"p:q{number}": b"%d" % (number + 1) for number in range(200)}
    del expected["p:q7"], expected["p:q9"]
    expected["p:q10"] = b"11x"
    same(client.get_many([f"p:q{number}" for number in range(200)]), expected)


def limits(client):
    client.set("p:l", b"before")
    try:
        client.set("p:l", b"x" * (1 << 20))
        raise AssertionError("too large a value was taken")
    except MemcacheServerError as error:
        assert "too large" in str(error), error
    # What cannot be stored must not leave what was there before.
    same(client.get("p:l"), None)
    try:
        client.raw_command("set p:l x 0 1\r\ny")
        raise AssertionError("bad flags were taken")
    except MemcacheClientError:
        pass


def about(client):
    assert client.version().startswith(b"1."), client.version()
    stats = client.stats()
    for name in [b"pid", b"uptime", b"cmd_get", b"cmd_set", b"get_hits", b"curr_items", b"threads"]:
        assert name in stats, name
    assert stats[b"cmd_get"] > 0 and stats[b"get_hits"] > 0, stats
    same(client.cache_memlimit(100), True)


def pools():
    with_pool = PooledClient(ADDRESS, max_pool_size=4, default_noreply=False)
    hashing = HashClient([ADDRESS], use_pooling=True, default_noreply=False)
    for client in (with_pool, hashing):
        client.set("p:pool", b"v")
        same(client.get_many(["p:pool", "p:none"]), {"p:pool": b"v"})
        same(client.delete("p:pool"), True)
        client.close()


def flush(client):
    client.set_many({"p:x": b"1", "p:y": b"2"})
    same(client.flush_all(), True)
    same(client.get_many(["p:x", "p:y"]), {})
    client.set("p:x", b"3")
    # A delay of one second is none for the original.
    same(client.flush_all(delay=3), True)
    same(client.get("p:x"), b"3")
    items.gone(client.get, "p:x")
    same(client.set("p:x", b"4"), True)
    # The original forgets what is stored within the second of the flush, too.
    if items.HAS_SQL:
        same(client.get("p:x"), b"4")


def main():
    suite = Suite("pymemcache")
    client = connect()
    suite.check("stores and their conditions", lambda: stores(client))
    suite.check("several keys at once", lambda: several(client))
    suite.check("cas", lambda: cas(client))
    suite.check("incr and decr", lambda: numbers(client))
    suite.check("touch", lambda: touch(client))
    suite.check("flags and serialized values", lambda: flags(client))
    suite.check("noreply", lambda: noreply(client))
    suite.check("what is too large", lambda: limits(client))
    suite.check("version and stats", lambda: about(client))
    suite.check("pool and hashing client", pools)
    items.suite_of(suite, Calls(client), "pymemcache")
    suite.check("flush_all, at once and later", lambda: flush(client))
    suite.end()


main()
