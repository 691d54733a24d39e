"""Conversations with a real server, over all its doors: what is said, and what is answered.

    ROWHOUSE=target/release/rowhouse tests/conversations/run [FILE...]     default: all *.txt
    tests/conversations/run --mariadb       the same with MariaDB: is that how the original speaks?
    tests/conversations/run --update        writes today's answers into the files; read the diff

A file is a list of lines, said one after the other in a database `house` that is new:

    mysql>         INSERT INTO t VALUES (1, 41)     => OK 1
    handlersocket> 1 = 1 1 1 0 + 1                  => 0 1 1
    mysql>         SELECT * FROM t                  => 1 42

A long request stands alone, with `=> answer` indented on the next line. `DOOR NAME>` is a further
connection of that door. `handlersocket>` is the writing port, `handlersocket-read>` the other.
* mysql: `OK` and the rows changed; `ERROR` with its number; or the rows: values between
  blanks, rows between ` | `; `(no rows)`.
* handlersocket: tokens between blanks, as they are on the wire; `""` is the empty token, NULL the
  byte 0x00.
* In both, `\\s \\t \\n \\\\ \\xNN` are bytes not seen otherwise; `(closed)` is a lost connection.
A line `# not for mariadb: WHY` excludes a file from `--mariadb`.
"""

import argparse
import os
import pathlib
import re
import sys

import pymysql

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "oracle" / "handlersocket"))

import servers  # noqa: E402 (found by the line above)
import wire  # noqa: E402

SAID = re.compile(r"^([a-z-]+)((?: \w+)?)>\s+(.*)$")
DATABASE = "house"
SECRET = "key of the house"
REQUEST_COLUMN = 24
ANSWER_COLUMN = 76


def show(raw):
    """Bytes for people and for files; blanks too, because they stand between values."""
    out = []
    for char in raw.decode("utf-8", "surrogateescape"):
        code = ord(char)
        if char in "\\ \t\n":
            out.append({"\\": "\\\\", " ": "\\s", "\t": "\\t", "\n": "\\n"}[char])
        elif 0xDC80 <= code <= 0xDCFF:
            out.append(f"\\x{code - 0xDC00:02x}")
        elif code < 0x20 or code == 0x7F:
            out.append(f"\\x{code:02x}")
        else:
            out.append(char)
    return "".join(out) or '""'


def unshow(text):
    """The bytes that `show` wrote as this token."""
    if text == '""':
        return b""
    names = {"s": b" ", "t": b"\t", "n": b"\n", "\\": b"\\"}
    byte = lambda found: names.get(found[1].decode()) or bytes([int(found[1][1:], 16)])
    return re.sub(rb"\\(x[0-9a-f]{2}|.)", byte, text.encode())


class MySql:
    """One connection of the MySQL door."""

    def __init__(self, endpoint):
        # No conversion of values: they are shown as the server wrote them.
        self.connection = pymysql.connect(
            host=endpoint.host,
            port=endpoint.mysql_port,
            user="root",
            database=DATABASE,
            conv={},
            charset="utf8mb4",
            use_unicode=False,
            autocommit=True,
            read_timeout=20,
        )

    def say(self, request):
        cursor = self.connection.cursor()
        try:
            cursor.execute(request)
        except pymysql.MySQLError as error:
            if error.args[0] in (2006, 2013):
                return "(closed)"
            return f"ERROR {error.args[0]}"
        if cursor.description is None:
            return f"OK {cursor.rowcount}"
        rows = cursor.fetchall()
        value = lambda one: "NULL" if one is None else show(one)
        return " | ".join(" ".join(map(value, row)) for row in rows) or "(no rows)"

    def close(self):
        self.connection.close()


class HandlerSocket:
    """One connection of a HandlerSocket port."""

    def __init__(self, endpoint, port):
        self.connection = wire.Connection(endpoint.host, port)
        self.connection.ask(wire.line("A", "1", endpoint.secret))

    def say(self, request):
        tokens = [wire.NULL if token == "NULL" else unshow(token) for token in request.split()]
        try:
            (reply,) = self.connection.ask(b"\t".join(tokens) + b"\n")
        except wire.Closed:
            return "(closed)"
        tokens = reply.removesuffix(b"\n").split(b"\t")
        return " ".join("NULL" if token == wire.NULL else show(token) for token in tokens)

    def close(self):
        self.connection.close()


DOORS = {
    "mysql": MySql,
    "handlersocket": lambda endpoint: HandlerSocket(endpoint, endpoint.write_port),
    "handlersocket-read": lambda endpoint: HandlerSocket(endpoint, endpoint.port),
}


def parse(lines):
    """Pairs of a line as it stands, and what it says: (speaker, request, expected) or None."""
    parsed = []
    for number, line in enumerate(lines, 1):
        said = SAID.match(line)
        if said and said[1] in DOORS:
            request, arrow, expected = said[3].partition(" => ")
            speaker = said[1] + said[2]
            parsed.append([number, (speaker, request.strip(), expected.strip() if arrow else "")])
        elif line.lstrip().startswith("=> ") and parsed and parsed[-1][1]:
            speaker, request, _ = parsed[-1][1]
            parsed[-1][1] = (speaker, request, line.strip()[3:].strip())
        elif not line.strip() or line.startswith("#"):
            parsed.append([number, None])
        else:
            raise ValueError(f"line {number} is neither said nor a comment: {line}")
    return parsed


def written(speaker, request, answer):
    """The line or two of a file for one exchange."""
    start = f"{speaker}>".ljust(REQUEST_COLUMN) + request
    if len(start) + len(answer) + 4 <= 100:
        return [f"{start.ljust(min(ANSWER_COLUMN, 96 - len(answer)))} => {answer}"]
    return [start, " " * REQUEST_COLUMN + f"=> {answer}"]


def converse(path, endpoint, update):
    """Says all lines of a file. The first answer that was not expected ends it, with a message."""
    lines = path.read_text("utf-8").splitlines()
    root = pymysql.connect(host=endpoint.host, port=endpoint.mysql_port, user="root")
    for statement in (f"DROP DATABASE IF EXISTS {DATABASE}", f"CREATE DATABASE {DATABASE}"):
        root.cursor().execute(statement)
    root.close()
    speakers, output = {}, []
    try:
        for number, said in parse(lines):
            if said is None:
                output.append(lines[number - 1])
                continue
            speaker, request, expected = said
            if speaker not in speakers:
                speakers[speaker] = DOORS[speaker.split()[0]](endpoint)
            answer = speakers[speaker].say(request)
            output += written(speaker, request, answer)
            if answer != expected and not update:
                return f"line {number}: {request}\n  expected {expected}\n  got      {answer}"
    finally:
        for one in speakers.values():
            one.close()
    if update:
        path.write_text("\n".join(output) + "\n", "utf-8")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--mariadb", action="store_true", help="with MariaDB")
    parser.add_argument("--update", action="store_true", help="write the answers into the files")
    parser.add_argument("file", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    if not arguments.mariadb and "ROWHOUSE" not in os.environ:
        parser.error("ROWHOUSE must name the program to test")
    if arguments.mariadb:
        start = lambda: servers.MariaDb(SECRET)
    else:
        start = lambda: servers.Rowhouse(os.environ["ROWHOUSE"], SECRET)
    passed = failed = 0
    server = start()
    try:
        for path in arguments.file or sorted(HERE.glob("**/*.txt")):
            name = path.resolve().relative_to(HERE)
            if arguments.mariadb and "# not for mariadb:" in path.read_text("utf-8"):
                continue
            why = converse(path, server.endpoint, arguments.update)
            print(f"not ok {name}: {why}" if why else f"ok {name}")
            failed += bool(why)
            passed += not why
        if failed:
            print(server.log_tail())
    finally:
        server.stop()
    print(f"{passed} passed, {failed} failed")
    return failed == 0


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
