"""pyrant 0.6.5, a client of PyPI that knows table databases: its protocol module, on documents.

It is written for Python 2, where texts are bytes. Here that module runs unchanged on a socket and a
`struct` that take and give texts of which each character is a byte.
"""

import builtins
import importlib.machinery
import importlib.util
import os
import pathlib
import socket
import struct
import sys
import types

from scenario import Suite, same

PORT = int(os.environ["TYRANT_PORT"])


class Socket:
    """A socket of Python 2."""

    def __init__(self):
        self.socket = None

    def connect(self, address):
        self.socket = socket.create_connection(address, timeout=30)

    def setsockopt(self, *options):
        self.socket.setsockopt(*options)

    def sendall(self, text):
        self.socket.sendall(text.encode("latin-1"))

    def recv(self, count):
        return self.socket.recv(count).decode("latin-1")

    def close(self):
        self.socket.close()


def load():
    """The client's protocol, without the rest of its package."""
    nothing = type("OfPython2", (), {})
    builtins.xrange, builtins.unicode, builtins.long = range, nothing, nothing
    package = importlib.machinery.PathFinder.find_spec("pyrant")
    folder = pathlib.Path(package.submodule_search_locations[0])
    modules = []
    for name in ("exceptions", "protocol"):
        spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        modules.append(module)
    errors, protocol = modules
    protocol.socket = types.SimpleNamespace(
        socket=Socket, error=OSError, SOL_TCP=socket.SOL_TCP, TCP_NODELAY=socket.TCP_NODELAY
    )
    protocol.struct = types.SimpleNamespace(
        pack=lambda *values: struct.pack(*values).decode("latin-1"),
        unpack=lambda form, text: struct.unpack(form, text.encode("latin-1")),
    )
    # The one place where it makes a text of bytes.
    protocol._TyrantSocket.get_unicode = protocol._TyrantSocket.get_str
    return protocol.TyrantProtocol, errors


def fails(error, call, *arguments):
    try:
        call(*arguments)
    except error:
        return
    raise AssertionError(f"{call.__name__}{arguments} succeeds")


def people(tyrant):
    for key, columns in [
        ("ann", {"name": "Ann Lee", "age": "31", "tags": "cook,swim"}),
        ("bob", {"name": "Bob", "age": "9", "tags": "swim"}),
        ("cleo", {"name": "Cleo Annis", "age": "100"}),
        ("dan", {"name": "Dan", "tags": "cook read"}),
    ]:
        parts = [part for column in columns.items() for part in column]
        same(tyrant.misc("put", [key, *parts]), [])


def columns(tyrant, errors):
    people(tyrant)
    same(tyrant.get("bob"), "age\x009\x00name\x00Bob\x00tags\x00swim")
    same(tyrant.misc("get", ["dan"]), ["name", "Dan", "tags", "cook read"])
    tyrant.put("eve", "name\x00Eve\x00age\x0022")
    fails(errors.TyrantError, tyrant.putkeep, "eve", "name\x00Other")
    tyrant.putcat("eve", "age\x0099\x00tags\x00read")
    same(tyrant.misc("get", ["eve"]), ["age", "22", "name", "Eve", "tags", "read"])
    same(tyrant.rnum(), 5)
    tyrant.out("eve")
    fails(errors.TyrantError, tyrant.get, "eve")
    first, second = int(tyrant.genuid()), int(tyrant.genuid())
    assert first < second


def searches(tyrant, _errors):
    people(tyrant)
    is_equal, begins, tokens = tyrant.RDBQCSTREQ, tyrant.RDBQCSTRBW, tyrant.RDBQCSTRAND
    above, phrase, negated = tyrant.RDBQCNUMGT, tyrant.RDBQCFTSPH, tyrant.RDBQCNEGATE
    questions = [
        ([("name", is_equal, "Bob")], ["bob"]),
        ([("name", begins, "Cle")], ["cleo"]),
        ([("age", above, "30")], ["ann", "cleo"]),
        ([("tags", tokens, "cook")], ["ann", "dan"]),
        ([("name", phrase, "ANN")], ["ann", "cleo"]),
        ([("age", above, "30"), ("name", begins, "Ann")], ["ann"]),
        ([("age", above | negated, "30")], ["bob", "dan"]),
    ]
    number_down = tyrant.RDBQONUMDESC
    for indexed in (False, True):
        if indexed:
            for column, kind in [("name", "q-gram"), ("age", "decimal"), ("tags", "token")]:
                same(tyrant.add_index(column, kind), True)
            same(tyrant.add_index("age", "lexical", keep=True), False)
        for conditions, keys in questions:
            same(sorted(tyrant.search(conditions)), keys)
            same(tyrant.search(conditions, count=True), [str(len(keys))])
        by_age = tyrant.search([], order_column="age", order_type=number_down, limit=2)
        same(by_age, ["cleo", "ann"])
        same(tyrant.search([("name", is_equal, "Bob")], columns=["age"]), ["\x00bob\x00age\x009"])
        cooks_or_old = [[("age", above, "30")]]
        union = tyrant.search(
            [("tags", tokens, "cook")], ms_type=tyrant.TDBMSUNION, ms_conditions=cooks_or_old
        )
        same(sorted(union), ["ann", "cleo", "dan"])
    same(tyrant.optimize_index("age"), True)
    same(tyrant.drop_index("tags"), True)
    same(tyrant.drop_index("tags"), False)
    same(tyrant.search([("tags", tokens, "swim")], out=True), [])
    same(sorted(tyrant.search([])), ["cleo", "dan"])


def main():
    protocol, errors = load()
    suite = Suite("pyrant")
    for name, check in [("columns", columns), ("searches", searches)]:
        tyrant = protocol("127.0.0.1", PORT)
        suite.check(name, lambda check=check, tyrant=tyrant: check(tyrant, errors))
    sys.exit(suite.failed > 0)


if __name__ == "__main__":
    main()
