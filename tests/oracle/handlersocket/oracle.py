#!/usr/bin/env python3
"""Compares two HandlerSocket servers, byte by byte, over one generated script.

    oracle.py --rowhouse target/release/rowhouse      MariaDB (the oracle) against Rowhouse
    oracle.py --self                                  MariaDB against MariaDB: is it deterministic?
    oracle.py --left H:PORT:WRITEPORT:MYSQLPORT[:SECRET] --right ...    servers that run already

Tables are made over the MySQL port of both servers; each request then goes to both, and the
replies must be equal. An intended difference is named by the request itself and listed in
`differences.py`. Prints `N passed, N failed`; exits 1 if anything failed.

Needs Python 3.10, PyMySQL, and mariadbd with its handlersocket plugin.
"""

import argparse
import collections
import sys
import time

import cases_change
import cases_door
import cases_find
import cases_random
import cases_values
import pymysql
import script
import servers
import wire
from differences import DIFFERENCES


class Side:
    """One of the two servers during a run: its SQL connection and its open connections."""

    def __init__(self, endpoint):
        self.endpoint = endpoint
        self.sql = pymysql.connect(
            host=endpoint.host,
            port=endpoint.mysql_port,
            user="root",
            charset="utf8mb4",
            autocommit=True,
        )
        self.connections = {}
        version = self.query("SELECT VERSION()")[0][0]
        self.kind = "mariadb" if "mariadb" in str(version).lower() else "rowhouse"
        if not endpoint.secret and self.kind == "mariadb":
            # MariaDB makes up a secret when it was given none.
            row = self.query("SHOW VARIABLES LIKE 'handlersocket_plain_secret_wr'")
            endpoint.secret = row[0][1] if row else ""

    def query(self, statement):
        with self.sql.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall()

    def connect(self, step):
        endpoint = self.endpoint
        port = endpoint.write_port if step.write else endpoint.port
        connection = wire.Connection(endpoint.host, port)
        self.connections[step.connection] = connection
        if step.authorise and endpoint.secret:
            reply = connection.ask(wire.line("A", "1", endpoint.secret))
            if reply != [b"0\t1\n"]:
                raise wire.Closed(f"authorisation refused: {reply}")

    def send(self, step):
        raw = step.raw
        if getattr(step, "secret", False):
            raw = raw.replace(b"SECRET", wire.escape(self.endpoint.secret))
        self.connections[step.connection].send(raw)

    def receive(self, step):
        """The reply lines; a lost connection is a last line that says so."""
        lines = []
        try:
            for _ in range(step.replies):
                lines.append(self.connections[step.connection].read_line())
        except wire.Closed as error:
            lines.append(f"<{error}>".encode())
        return lines

    def was_closed(self, step):
        """True if the connection ends without a reply."""
        connection = self.connections[step.connection]
        try:
            connection.pending += connection.read_line()
            return False
        except wire.Closed as error:
            return "closed by server" in str(error) or "reset" in str(error)

    def close_all(self):
        for connection in self.connections.values():
            connection.close()
        self.connections.clear()


class Lost(Exception):
    """A connection is gone, so the rest of this case cannot be compared."""


class Report:
    """Counts and prints. Failures are printed as they come, up to `shown_max`."""

    def __init__(self, left, right, shown_max, verbose):
        self.left, self.right = left, right
        self.shown_max = shown_max
        self.verbose = verbose
        self.passed = 0
        self.failed = 0
        self.by_case = collections.Counter()
        self.differences = collections.Counter()

    def ok(self, case, step, replies):
        self.passed += 1
        if self.verbose:
            print(
                f"{case.name}: {wire.show(step.raw)[:300]} -> {wire.show(b''.join(replies))[:300]}",
            )

    def fail(self, case, step, left, right, opened=b"", why=""):
        self.failed += 1
        self.by_case[case.name] += 1
        if self.failed > self.shown_max:
            return
        print(f"FAIL {case.name} {why}")
        if opened:
            print(f"  opened    {wire.show(opened)}")
        print(f"  request   {step.connection}: {wire.show(step.raw)[:2000]}")
        for one, other, side in ((left, right, self.left), (right, left, self.right)):
            print(f"  {side.kind:9} {mark(one, other)}")

    def note(self, case, what, error):
        self.failed += 1
        self.by_case[case.name] += 1
        if self.failed <= self.shown_max:
            print(f"FAIL {case.name}: {what}\n  {error}")

    def finish(self, seconds):
        for name, count in sorted(self.by_case.items()):
            print(f"failed in {name}: {count}")
        for name, count in sorted(self.differences.items()):
            print(f"intended difference {name}: {count} ({DIFFERENCES[name].why})")
        print(f"{self.passed} passed, {self.failed} failed ({seconds:.1f} s)")


def mark(lines, other_lines, around=1500):
    """The reply as text; of long replies only the part around the first differing byte."""
    mine, other = b"".join(lines), b"".join(other_lines)
    if len(mine) <= 2 * around:
        return wire.show(mine)
    at = next(
        (i for i, (a, b) in enumerate(zip(mine, other)) if a != b), min(len(mine), len(other))
    )
    start = max(0, at - around // 2)
    return f"(from byte {start} of {len(mine)}) ...{wire.show(mine[start : at + around // 2])}..."


class Runner:
    def __init__(self, left, right, report):
        self.left, self.right = left, right
        self.sides = (left, right)
        self.report = report
        self.opened = {}

    def run(self, case):
        """All steps of a case; a lost connection ends the case, counted as one failure."""
        self.opened = {}
        try:
            for statement in case.ddl:
                for side in self.sides:
                    try:
                        side.query(statement)
                    except pymysql.MySQLError as error:
                        self.report.note(case, f"{side.kind}: {statement}", error)
                        return
            for step in case.steps:
                self.step(case, step)
        except Lost:
            pass
        except (wire.Closed, OSError) as error:
            self.report.note(case, "connection lost", error)
        finally:
            for side in self.sides:
                side.close_all()

    def step(self, case, step):
        if isinstance(step, script.Connect):
            for side in self.sides:
                side.connect(step)
        elif isinstance(step, script.AskClosed):
            self.step_closed(case, step)
        elif step.only:
            for side in self.sides:
                if side.kind == step.only:
                    self.step_alone(case, step, side)
        elif not (step.secret and not all(side.endpoint.secret for side in self.sides)):
            self.step_both(case, step)

    def step_both(self, case, step):
        for side in self.sides:
            side.send(step)
        left, right = self.left.receive(step), self.right.receive(step)
        opened = self.opening_of(step)
        if left == right:
            self.report.ok(case, step, left)
        elif step.differs and DIFFERENCES[step.differs].allows(right, step.ours):
            self.report.differences[step.differs] += 1
            self.report.passed += 1
        else:
            why = f"(not the intended difference {step.differs})" if step.differs else ""
            self.report.fail(case, step, left, right, opened, why)
        if any(replies[-1].startswith(b"<") for replies in (left, right) if replies):
            raise Lost

    def step_alone(self, case, step, side):
        side.send(step)
        reply = side.receive(step)
        if DIFFERENCES[step.differs].allows(reply, step.ours):
            self.report.passed += 1
            self.report.differences[step.differs] += 1
        else:
            self.report.fail(case, step, reply, reply, why=f"(only asked of {side.kind})")

    def step_closed(self, case, step):
        for side in self.sides:
            side.send(step)
        closed = [side.was_closed(step) for side in self.sides]
        if all(closed) or (step.differs and closed[0]):
            self.report.passed += 1
        else:
            replies = [[b"closed" if one else b"not closed"] for one in closed]
            self.report.fail(case, step, *replies)

    def opening_of(self, step):
        """Remembers the last `P` of each id, to print it with a failure of that id."""
        first_line = step.raw.split(b"\n")[0]
        for one in step.raw.split(b"\n"):
            tokens = one.split(b"\t")
            if tokens[0] == b"P" and len(tokens) > 1:
                self.opened[step.connection, tokens[1]] = one
        return self.opened.get((step.connection, first_line.split(b"\t")[0]), b"")


def cases(seed, rounds):
    """The whole script, always in this order."""
    yield from cases_door.cases()
    yield from cases_values.cases()
    yield from cases_find.cases()
    yield from cases_change.cases()
    yield from cases_random.cases(seed, rounds)


def parse_endpoint(text):
    host, port, write_port, mysql_port, *secret = text.split(":", 4)
    return servers.Endpoint(
        text, host, int(port), int(write_port), int(mysql_port), secret[0] if secret else ""
    )


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rowhouse", help="the rowhouse program; MariaDB is the other side")
    parser.add_argument("--self", action="store_true", help="MariaDB against MariaDB")
    parser.add_argument("--left", type=parse_endpoint, metavar="HOST:PORT:WRPORT:MYPORT[:SECRET]")
    parser.add_argument("--right", type=parse_endpoint, metavar="HOST:PORT:WRPORT:MYPORT[:SECRET]")
    parser.add_argument("--seed", type=int, default=1, help="of the random cases")
    parser.add_argument("--rounds", type=int, default=24, help="how many random tables")
    parser.add_argument("--case", action="append", help="only cases whose name starts so")
    parser.add_argument("--show", type=int, default=25, help="how many failures to print in full")
    parser.add_argument("--verbose", action="store_true", help="print every request and reply")
    arguments = parser.parse_args()
    if bool(arguments.left) != bool(arguments.right):
        parser.error("--left and --right go together")
    if not (arguments.left or arguments.rowhouse or arguments.self):
        parser.error("give --rowhouse PROGRAM, --self, or --left and --right")
    return arguments


def compare(left_endpoint, right_endpoint, arguments):
    left, right = Side(left_endpoint), Side(right_endpoint)
    for side in (left, right):
        side.query(f"DROP DATABASE IF EXISTS {script.DATABASE}")
        side.query(f"CREATE DATABASE {script.DATABASE}")
        side.query(f"USE {script.DATABASE}")
    report = Report(left, right, arguments.show, arguments.verbose)
    runner = Runner(left, right, report)
    started = time.monotonic()
    for case in cases(arguments.seed, arguments.rounds):
        if not arguments.case or any(case.name.startswith(name) for name in arguments.case):
            runner.run(case)
    report.finish(time.monotonic() - started)
    return report.failed == 0


def main():
    arguments = parse_arguments()
    if arguments.left:
        return compare(arguments.left, arguments.right, arguments)
    running = []
    try:
        running.append(servers.MariaDb())
        if arguments.rowhouse:
            running.append(servers.Rowhouse(arguments.rowhouse, secret="the oracle's secret"))
        else:
            running.append(servers.MariaDb())
        return compare(running[0].endpoint, running[1].endpoint, arguments)
    finally:
        for server in running:
            server.stop()


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
