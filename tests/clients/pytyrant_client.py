"""pytyrant 1.1.17, the client of PyPI: the binary protocol, with the command numbers of 2009.

It is written for Python 2, where texts are bytes. Here it runs unchanged on a socket and a `struct`
that take and give texts of which each character is a byte.
"""

import builtins
import os
import socket
import struct
import sys
import types

from scenario import Suite, same

PORT = int(os.environ["TYRANT_PORT"])


class Socket:
    """A socket of Python 2; one that was closed says so instead of giving nothing for ever."""

    def __init__(self):
        self.socket = socket.create_connection(("127.0.0.1", PORT), timeout=30)

    def connect(self, _address):
        """Done already."""

    def setsockopt(self, *options):
        self.socket.setsockopt(*options)

    def sendall(self, text):
        self.socket.sendall(text.encode("latin-1"))

    def recv(self, count):
        received = self.socket.recv(count)
        if not received:
            raise ConnectionResetError("closed by the server")
        return received.decode("latin-1")

    def close(self):
        self.socket.close()


class NoBase:
    """Stands for a class of Python 2 that has no place beside `object` in Python 3."""

    def __mro_entries__(self, _bases):
        return ()


def load():
    """The client's module."""
    builtins.xrange = range
    sys.modules["UserDict"] = types.SimpleNamespace(DictMixin=NoBase())
    import pytyrant  # pylint: disable=import-outside-toplevel

    pytyrant.socket = types.SimpleNamespace(
        socket=Socket, SOL_TCP=socket.SOL_TCP, TCP_NODELAY=socket.TCP_NODELAY
    )
    pytyrant.struct = types.SimpleNamespace(
        pack=lambda *values: struct.pack(*values).decode("latin-1"),
        unpack=lambda form, text: struct.unpack(form, text.encode("latin-1")),
    )
    return pytyrant


def fails(error, call, *arguments):
    try:
        call(*arguments)
    except error:
        return
    raise AssertionError(f"{call.__name__}{arguments} succeeds")


def records(pytyrant):
    tyrant = pytyrant.Tyrant.open()
    every_byte = "".join(map(chr, range(256)))
    tyrant.put("a", every_byte)
    same(tyrant.get("a"), every_byte)
    same(tyrant.vsiz("a"), 256)
    fails(pytyrant.TyrantError, tyrant.putkeep, "a", "x")
    tyrant.put("a", "1")
    tyrant.putcat("a", "23")
    tyrant.putshl("a", "45", 3)
    same(tyrant.get("a"), "345")
    tyrant.putnr("b", "x" * 1_000_000)
    same(tyrant.mget(["a", "no", "b"]), [("a", "345"), ("b", "x" * 1_000_000)])
    tyrant.out("b")
    fails(pytyrant.TyrantError, tyrant.out, "b")
    fails(pytyrant.TyrantError, tyrant.get, "b")
    tyrant.sync()
    assert tyrant.size() >= 0
    tyrant.close()


def dictionary(pytyrant):
    names = pytyrant.PyTyrant.open()
    for key in names.keys():
        del names[key]
    names.update({"d:1": "one", "d:2": "two", "e": "three"})
    same(sorted(names), ["d:1", "d:2", "e"])
    same(len(names), 3)
    same(names.prefix_keys("d:"), ["d:1", "d:2"])
    same(list(names.multi_get(["d:2", "no", "e"])), ["two", None, "three"])
    same(names.setdefault("e", "four"), "three")
    names.concat("e", "!", 3)
    same(names["e"], "ee!")
    names.multi_del(["d:1", "d:2", "no"])
    same("d:1" in names, False)
    same(names.get_stats()["rnum"], "1")
    names.close()


def functions(pytyrant):
    tyrant = pytyrant.Tyrant.open()
    same(tyrant.ext("echo", 0, "k", "v"), "k\tv")
    # Its numbers for the locks of a record and of all calls.
    for options in (0, pytyrant.RDBXOLCKREC, pytyrant.RDBXOLCKGLB):
        tyrant.ext("incr", options, "counter", "2")
    same(tyrant.get("counter"), "6")
    for value in ("first", "second"):
        same(tyrant.ext("enqueue", pytyrant.RDBXOLCKREC, "queue", value), "ok")
    same(tyrant.ext("dequeue", pytyrant.RDBXOLCKREC, "queue", ""), "first")
    same(tyrant.ext("dequeue", pytyrant.RDBXOLCKREC, "queue", ""), "second")
    fails(pytyrant.TyrantError, tyrant.ext, "dequeue", 0, "queue", "")
    tyrant.close()


def what_is_refused(pytyrant):
    tyrant = pytyrant.Tyrant.open()
    tyrant.put("kept", "1")
    fails(pytyrant.TyrantError, tyrant.ext, "missing", 0, "k", "v")
    # Its `copy` is 72, which has been `vanish` since 2009.
    fails(ConnectionResetError, tyrant.copy, "/tmp/casket.tch")
    tyrant = pytyrant.Tyrant.open()
    fails(ConnectionResetError, tyrant.restore, "/tmp/log", 1)
    tyrant = pytyrant.Tyrant.open()
    same(tyrant.get("kept"), "1")
    tyrant.close()


def main():
    pytyrant = load()
    suite = Suite("pytyrant")
    for name, check in [
        ("records", records),
        ("a dictionary", dictionary),
        ("functions", functions),
        ("what is refused", what_is_refused),
    ]:
        suite.check(name, lambda check=check: check(pytyrant))
    sys.exit(suite.failed > 0)


if __name__ == "__main__":
    main()
