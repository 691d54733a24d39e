"""Runs each statement of the given files on MariaDB and on Rowhouse, and compares the answers.

A file holds one statement per line; `#` begins a comment. Rows are compared as the client's
texts, other statements by affected rows, generated id and number of warnings, failures by their
error number. A line that begins with `~` is known to differ: it is run and not compared.

Not here: starting the servers (`../handlersocket/servers.py`).
"""

import argparse
import pathlib
import sys

import pymysql

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "handlersocket"))

import servers  # noqa: E402


def connect(port):
    """A connection whose values stay the texts that the server sent."""
    return pymysql.connect(
        host="127.0.0.1", port=port, user="root", autocommit=True, conv={}, charset="utf8mb4"
    )


def answer(connection, statement):
    """What a statement answers, as something to compare and print."""
    try:
        with connection.cursor() as cursor:
            affected = cursor.execute(statement)
            if cursor.description is not None:
                names = [column[0] for column in cursor.description]
                return ("rows", names, [list(row) for row in cursor.fetchall()])
            return ("ok", affected, cursor.lastrowid, cursor._result.warning_count)
    except pymysql.MySQLError as error:
        return ("error", error.args[0])


def statements(path):
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        yield number, not line.startswith("~"), line.lstrip("~ ").rstrip(";")


SETTINGS = (
    "DROP DATABASE IF EXISTS oracle",
    "CREATE DATABASE oracle",
    "USE oracle",
    "SET sql_mode='STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO'",
    "SET time_zone='+00:00'",
)


def compare_file(path, their_port, our_port):
    """How many statements of a file were compared, and how many answers differ."""
    compared = differing = 0
    sides = [connect(port) for port in (their_port, our_port)]
    for side in sides:
        for statement in SETTINGS:
            answer(side, statement)
    for number, compare, statement in statements(path):
        expected, given = (answer(side, statement) for side in sides)
        if not compare:
            continue
        compared += 1
        if expected != given:
            differing += 1
            print(f"{path.name}:{number}: {statement}")
            print(f"  MariaDB  {expected}\n  Rowhouse {given}")
    for side in sides:
        side.close()
    return compared, differing


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rowhouse", required=True)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    files = arguments.files or sorted(HERE.glob("*.sql"))
    compared = differing = 0
    theirs = ours = None
    try:
        theirs, ours = servers.MariaDb(), servers.Rowhouse(arguments.rowhouse)
        for path in files:
            here = compare_file(path, theirs.endpoint.mysql_port, ours.endpoint.mysql_port)
            compared, differing = compared + here[0], differing + here[1]
    finally:
        for server in (theirs, ours):
            if server is not None:
                server.stop()
    print(f"{compared} statements compared, {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
