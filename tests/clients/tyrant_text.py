"""pymemcache on the Tyrant port: memcached's text without flags, expiry times and cas values."""

import os
import sys

from pymemcache.client.base import Client

from scenario import Suite, same

ADDRESS = ("127.0.0.1", int(os.environ["TYRANT_PORT"]))


def items(client):
    every_byte = bytes(range(256)) * 4
    same(client.set("a", every_byte, expire=1, flags=5), True)
    same(client.get("a"), every_byte)
    same(client.add("a", b"x"), False)
    same(client.replace("none", b"x"), False)
    same(client.append("none", b"x"), False)
    same(client.set("b", b"m"), True)
    same(client.append("b", b"r"), True)
    same(client.prepend("b", b"l"), True)
    same(client.get_many(["a", "none", "b"]), {"a": every_byte, "b": b"lmr"})
    same(client.delete("b"), True)
    same(client.delete("b"), False)
    same(client.set("large", b"x" * 3_000_000), True)
    same(len(client.get("large")), 3_000_000)


def counting(client):
    same(client.incr("n", 1), None)
    same(client.set("n", b"10"), True)
    same(client.incr("n", 5), 15)
    same(client.decr("n", 100), 0)


def the_whole(client):
    same(client.stats()[b"curr_items"] > 0, True)
    same(client.version().startswith(b"1.1.41"), True)
    same(client.flush_all(), True)
    same(client.stats()[b"curr_items"], 0)


def main():
    client = Client(ADDRESS, connect_timeout=10, timeout=30, default_noreply=False)
    suite = Suite("tyrant_text")
    for name, check in [("items", items), ("counting", counting), ("the whole", the_whole)]:
        suite.check(name, lambda check=check: check(client))
    sys.exit(suite.failed > 0)


if __name__ == "__main__":
    main()
