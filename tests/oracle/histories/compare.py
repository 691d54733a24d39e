"""Histories: random schemas, rows, changes and questions, one statement after the other here and at the newest MySQL.

After each statement are compared: whether it failed and with which number, how many rows it changed, how many warnings of which
numbers it left; the rows that a question has, from each executor; after a change all rows of all tables; after a definition what
SHOW CREATE TABLE says. A history ends with the first difference, and is made as short as it still shows it.

Not here: schemas (`schema`), statements (`statements`), known differences (`reasons`), servers (`../handlersocket/servers.py`).
"""

import argparse
import pathlib
import random
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "sql"), str(HERE.parent / "handlersocket")]

import pymysql  # noqa: E402

import reasons  # noqa: E402
import servers  # noqa: E402
import statements  # noqa: E402
from schema import Schema  # noqa: E402
from ways import answer, connect  # noqa: E402

DATABASE = "history"
STATEMENTS = 60
SETTINGS = (
    f"DROP DATABASE IF EXISTS {DATABASE}",
    f"CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci",
    f"USE {DATABASE}",
    "SET time_zone = '+00:00', timestamp = 1700000000",
)
# Making a history shorter runs it anew each time.
RUNS_MAX = 160
COMPARE_WARNINGS = False
DEFINITIONS = ("CREATE", "ALTER", "DROP", "RENAME", "TRUNCATE")


class Side:
    """A connection to one server, in a database of its own."""

    def __init__(self, port, executors=(None,)):
        self.connection, self.executors = connect(port), executors
        for statement in SETTINGS:
            given = answer(self.connection, statement)
            if given.error is not None:
                raise RuntimeError(f"{statement}: {given}")

    def ask(self, statement):
        return answer(self.connection, statement)

    def told(self, statement):
        """What is compared of an answer, by name."""
        given = self.ask(statement)
        told = {"error": given.error}
        if given.error is None and given.counts is not None:
            told["rows changed"] = given.counts[0]
        if given.error is None and given.counts is None:
            ordered = "ORDER BY" in statement and "OVER" not in statement
            told["rows"] = given.rows if ordered else sorted(given.rows, key=repr)
        if not COMPARE_WARNINGS:
            return told, given
        warned = [] if given.error is not None else [row[1] for row in self.ask("SHOW WARNINGS").rows]
        told["warnings"] = sorted(set(warned) - reasons.DEPRECATIONS)
        return told, given

    def rows_of(self, table):
        given = self.ask(f"SELECT * FROM {table}")
        return given.error or sorted(given.rows, key=repr)

    def close(self):
        self.connection.close()


def base_tables(side):
    return [row[0] for row in side.ask("SHOW FULL TABLES").rows if row[1] == "BASE TABLE"]


def difference(theirs, ours, statement):
    """What both servers tell of a statement, where that differs: in which respect, theirs, ours."""
    told_theirs, given_theirs = theirs.told(statement)
    for executor in ours.executors:
        if executor is not None:
            ours.ask(f"SET rowhouse_executor = '{executor}'")
        told_ours, given_ours = ours.told(statement)
        for respect in sorted(told_theirs.keys() | told_ours.keys()):
            if told_theirs.get(respect) != told_ours.get(respect):
                # Of several things that are wrong with a statement either may name another one.
                if respect == "error" and None not in (told_theirs["error"], told_ours["error"]) and not COMPARE_WARNINGS:
                    continue
                return respect, str(given_theirs) + str(told_theirs), str(given_ours) + str(told_ours)
        if not statement.startswith("SELECT"):
            break
    word = statement.split(None, 1)[0]
    if word in ("SELECT", "SET", "START", "SAVEPOINT", "RELEASE", "CHECK"):
        return None
    for table in base_tables(theirs):
        left, right = theirs.rows_of(table), ours.rows_of(table)
        if left != right:
            return f"rows of {table}", left, right
        if word in DEFINITIONS:
            left, right = (side.ask(f"SHOW CREATE TABLE {table}").rows for side in (theirs, ours))
            left, right = ([reasons.shown(row[1]) for row in rows] for rows in (left, right))
            if left != right:
                return f"definition of {table}", left, right
    return None


class Runner:
    """Runs histories on two servers."""

    def __init__(self, their_port, our_port):
        self.ports = (their_port, our_port)
        self.compared = 0

    def first_difference(self, history):
        """The number of the first statement on which the two differ, and how; nothing else is run of the history."""
        theirs, ours = Side(self.ports[0]), Side(self.ports[1], ("rows", "columns"))
        try:
            for number, statement in enumerate(history):
                found = difference(theirs, ours, statement)
                self.compared += 1
                if found is not None and reasons.reason_of(statement, *found) is None:
                    return number, found
                if found is not None:
                    # The two go different ways from here.
                    return None
        finally:
            theirs.close()
            ours.close()
        return None

    def shortened(self, history, respect):
        """The history without what its last statement does not need to show the difference."""
        runs, at = 0, len(history) - 2
        size = max(1, len(history) // 4)
        while size >= 1 and runs < RUNS_MAX:
            at = len(history) - 1 - size
            while at >= 0 and runs < RUNS_MAX:
                shorter = history[:at] + history[at + size:]
                found = self.first_difference(shorter)
                runs += 1
                if found is not None and found[0] == len(shorter) - 1 and found[1][0] == respect:
                    history = shorter
                at -= size
            size //= 2
        return history


def history_of(seed, number):
    """The statements of a history."""
    drawn = random.Random(f"{seed}/{number}")
    schema = Schema(drawn)
    history = list(schema.statements(drawn))
    history += [statements.insert(drawn, schema) for _ in range(6)]
    history += [statements.draw(drawn, schema) for _ in range(STATEMENTS)]
    return history + ["COMMIT"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rowhouse", help="the program to test")
    parser.add_argument("--ports", help="servers that run already: MySQL and Rowhouse")
    parser.add_argument("--histories", type=int, default=60)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="this history alone, printed")
    parser.add_argument("--seconds", type=float, help="after that the rest is left")
    arguments = parser.parse_args()
    if not arguments.ports and servers.newest_program("mysqld") is None:
        print("no MySQL to judge: scripts/newest has not been run")
        return 0
    started = []
    try:
        if arguments.ports:
            ports = [int(port) for port in arguments.ports.split(",")]
        else:
            for start in (servers.MySql, lambda: servers.Rowhouse(arguments.rowhouse)):
                started.append(start())
            ports = [server.endpoint.mysql_port for server in started]
        return run(arguments, Runner(*ports))
    finally:
        for server in started:
            server.stop()


def run(arguments, runner):
    numbers = range(arguments.first, arguments.first + arguments.histories)
    failed, begun = 0, time.monotonic()
    for number in [arguments.only] if arguments.only is not None else numbers:
        if arguments.seconds is not None and time.monotonic() - begun > arguments.seconds:
            break
        history = history_of(arguments.seed, number)
        found = runner.first_difference(history)
        if found is None:
            continue
        failed += 1
        at, (respect, *_) = found
        shortest = runner.shortened(history[:at + 1], respect)
        again = runner.first_difference(shortest)
        _, (respect, theirs, ours) = again or found
        print(f"history {number} ({respect}):")
        for statement in shortest:
            print(f"  {statement};")
        print(f"  theirs   {theirs}\n  Rowhouse {ours}", flush=True)
    print(f"{runner.compared - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except pymysql.MySQLError as error:
        sys.exit(f"a server left: {error}")
