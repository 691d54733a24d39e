"""What a script is made of: cases, each with its own tables and a list of steps.

A case is built before anything is sent and does not look at replies, so the same seed gives the
same bytes for both servers, and a case can be run alone.

Not here: the cases themselves (`cases_*`), running and comparing (`oracle`).
"""

import dataclasses

import wire

DATABASE = "hs_oracle"


@dataclasses.dataclass
class Connect:
    """Open the named connection to the read or the write port, and authorise it."""

    connection: str
    write: bool
    authorise: bool


@dataclasses.dataclass
class Ask:
    """Send `raw` and read `replies` lines.

    `differs` names the entry of `differences.DIFFERENCES` that allows the replies to differ, and
    `ours` is the pattern that Rowhouse's reply must then match, if the entry itself has none.
    `only` restricts the request to servers of that kind, whose reply is then judged alone; it
    is for requests that stop or crash the other server.
    `secret` makes the text `SECRET` in `raw` stand for the server's own secret.
    """

    connection: str
    raw: bytes
    replies: int = 1
    differs: str = ""
    ours: str = ""
    only: str = ""
    secret: bool = False


@dataclasses.dataclass
class AskClosed:
    """Send `raw`; the server must close the connection without a reply."""

    connection: str
    raw: bytes
    differs: str = ""


class Case:
    """One named conversation. `w` is its usual writing connection, `r` its reading one."""

    def __init__(self, name):
        self.name = name
        self.ddl = []
        self.steps = []

    def sql(self, statement):
        """A statement for both servers over the MySQL port, before the first connection."""
        self.ddl.append(statement)

    def table(self, name, body):
        """Create a table of this case; answers its name, unique within the script."""
        full = f"{self.name.replace('-', '_')}_{name}"
        self.sql(f"CREATE TABLE {full} ({body}) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci")
        return full

    def connect(self, connection="w", write=None, authorise=True):
        write = connection.startswith("w") if write is None else write
        self.steps.append(Connect(connection, write, authorise))

    def ask(self, *tokens, on="w", **options):
        """One request of tokens that are escaped here; `None` is NULL."""
        self.steps.append(Ask(on, wire.line(*tokens), **options))

    def raw(self, raw, on="w", **options):
        """Bytes as they are; one reply is expected per LF unless `replies` says otherwise."""
        options.setdefault("replies", raw.count(b"\n"))
        self.steps.append(Ask(on, raw, **options))

    def closes(self, raw, on="w", differs=""):
        self.steps.append(AskClosed(on, raw, differs))

    def open(self, number, table, index="", columns="", filters=None, on="w", **options):
        tokens = ["P", number, DATABASE, table, index, columns]
        if filters is not None:
            tokens.append(filters)
        self.ask(*tokens, on=on, **options)

    def insert(self, number, *values, **options):
        self.ask(number, "+", len(values), *values, **options)

    def find(self, number, operator, key, *rest, **options):
        """`key` is the list of key values; `rest` are limit, offset and whatever follows."""
        self.ask(number, operator, len(key), *key, *rest, **options)

    def scan(self, number, **options):
        """Every row of an index, whatever its first column: below, at and above the empty value."""
        self.find(number, "<=", [""], 100000, 0, **options)
        self.find(number, ">", [""], 100000, 0, **options)
