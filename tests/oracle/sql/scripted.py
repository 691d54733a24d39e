"""Compares the statements of a file, in order, in a database of its own.

A file holds one statement per line; `#` begins a comment. Before the statement may stand
- `~`: the answer is known to differ (a comment says why): run, not compared;
- `!`: the answer is wrong today: run and compared, and the run fails once it has become right,
  so that the mark goes; `!columns`: it is wrong by that executor alone; `?columns`: it is wrong by
  that executor now and then (which rows a LIMIT without an order keeps, say);
- `@2`: sent by a second connection.
Lines that begin with `=>` say the answer themselves where MySQL and MariaDB differ: a row each,
values separated by ` | `, NULL and texts as they are; `=> error N`; `=> none` for no row; `=> ok`.
MariaDB's answer is not compared then; MySQL's has to be that, where it judges.

A file is judged by MariaDB; by the newest MySQL too if a comment says `# judges: mariadb mysql`, and
by that alone if it says `# judges: mysql`.

A SELECT is answered by each executor in turn, at last by the one that the server chooses.
"""

import re

from ways import NOT_HERE, Ways, answer, difference

READS = re.compile(r"\s*(\(\s*)*(select|values|with\b(?!.*\)\s*(update|delete)\b))\b", re.I | re.S)
# What such a statement answers depends on what ran before it, so it is run once.
ONCE = re.compile(r":=|found_rows\(|row_count\(|last_insert_id\(\w", re.I)
ORDERED = re.compile(r"\border\s+by\b", re.I)


class Line:
    """A statement and how its answer is judged."""

    def __init__(self, number, text):
        self.number, self.expected = number, None
        self.compared, self.wrong, self.by_chance = True, (), False
        self.connection = 0
        while True:
            if text.startswith("~"):
                self.compared, text = False, text[1:].lstrip()
            elif text.startswith("!columns "):
                self.wrong, text = ("columns",), text[9:].lstrip()
            elif text.startswith("?columns "):
                self.wrong, self.by_chance, text = ("columns",), True, text[9:].lstrip()
            elif text.startswith("!"):
                self.wrong, text = ("rows", "columns", None), text[1:].lstrip()
            elif text.startswith("@2 "):
                self.connection, text = 1, text[3:].lstrip()
            else:
                break
        self.statement = text.rstrip(";")


def lines_of(path):
    lines = []
    for number, text in enumerate(path.read_text("utf-8").splitlines(), 1):
        text = text.strip()
        if text.startswith("=>"):
            lines[-1].expected = (lines[-1].expected or []) + [text[2:].strip()]
        elif text and not text.startswith("#"):
            lines.append(Line(number, text))
    return lines


def judges_of(path):
    """The servers whose answers a file is compared with."""
    for text in path.read_text("utf-8").splitlines():
        if text.startswith("# judges:"):
            return text.removeprefix("# judges:").split()
    return ["mariadb"]


def agrees(line, theirs, ours, judge):
    if line.expected is not None:
        return line.expected == shown(ours) and (judge != "mysql" or line.expected == shown(theirs))
    ordered = ORDERED.search(line.statement) is not None
    respect = difference(theirs, ours, ordered)
    # MariaDB's functions answer INT where MySQL's answer BIGINT, and more of that kind: types of
    # written statements are those of MySQL, which only the generated ones compare.
    return respect is None or respect == "types"


def shown(given):
    """An answer in the words of a file."""
    if given.error is not None:
        return [f"error {given.error}"]
    if given.counts is not None:
        return ["ok"]
    rows = [" | ".join("NULL" if value is None else value for value in row) for row in given.rows]
    return rows or ["none"]


def compare_file(path, ports, count, judge):
    """Adds to `count` what was met, beside a judge."""
    database = "oracle"
    for port_ways in [Ways(*ports, None)]:
        for side in (port_ways.theirs, port_ways.ours):
            answer(side, f"DROP DATABASE IF EXISTS {database}")
            answer(side, f"CREATE DATABASE {database}")
        port_ways.close()
    connections = [Ways(*ports, database), Ways(*ports, database)]
    for ways in connections:
        for side in (ways.theirs, ways.ours):
            answer(side, "SET timestamp=DEFAULT")
            answer(side, "SET innodb_lock_wait_timeout=1")
    for line in lines_of(path):
        compare_line(path, line, connections[line.connection], count, judge)
    for ways in connections:
        ways.close()


def compare_line(path, line, ways, count, judge):
    theirs = ways.ask_them(line.statement)
    executors = [None]
    repeats = READS.match(line.statement) and not ONCE.search(line.statement)
    if repeats and len(ways.executors) > 1:
        executors = [*ways.executors, None]
    wrong = []
    for executor in executors:
        ours = ways.ask_us(line.statement, executor)
        if executor is not None and ours.error == NOT_HERE:
            count.by[f"not on this executor ({executor})"] += 1
            continue
        count.by[f"answers ({executor or 'the choice of the server'})"] += line.compared
        if line.compared and not agrees(line, theirs, ours, judge):
            wrong.append((executor, ours))
    if not line.compared:
        return
    count.by["statements"] += 1
    expected = " / ".join(line.expected) if line.expected is not None else str(theirs)
    if judge == "mysql" and line.expected not in (None, shown(theirs)):
        expected += f", MySQL {theirs}"
    place = f"{path.name}:{line.number} {judge}"
    known = [executor for executor, _ in wrong if executor in line.wrong]
    count.by["known to be wrong today"] += bool(known)
    for executor, ours in wrong:
        if executor not in line.wrong:
            count.failures.append((place, executor, "answer", line.statement, expected, str(ours)))
    if line.wrong and not line.by_chance and not known and asked(executors, line.wrong):
        failure = (place, None, "mark", line.statement, "`!` says that it is wrong", "is right now")
        count.failures.append(failure)


def asked(executors, wrong):
    """Whether an executor was asked that is marked."""
    return any(executor in wrong for executor in executors)
