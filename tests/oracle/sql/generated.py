"""Compares generated statements, several connections at once.

Not here: what they are (`queries`), what makes answers equal (`ways`).
"""

import collections
import multiprocessing
import time

import queries
import tables
from reasons import REASONS, reason_of
from tree import shrink
from ways import NOT_HERE, Ways, answer, difference

DATABASE = "oracle_generated"

# Making a statement smaller asks for hundreds of answers; the first failures are enough to read.
SHRUNK_MAX = 25


class Count:
    """What a run met."""

    def __init__(self):
        self.by = collections.Counter()
        self.reasons = collections.Counter()
        self.failures = []
        self.reported = set()

    def add(self, other):
        self.by.update(other.by)
        self.reasons.update(other.reasons)
        self.failures += other.failures


def prepare(ways):
    """The database of generated statements on both servers."""
    for side in (ways.theirs, ways.ours):
        for statement in (f"DROP DATABASE IF EXISTS {DATABASE}", f"CREATE DATABASE {DATABASE}",
                          f"USE {DATABASE}", *tables.statements()):
            given = answer(side, statement)
            if given.error is not None:
                raise RuntimeError(f"{statement}: {given}")


def stale_reasons(ways):
    """The reasons whose statement shows no difference."""
    for reason in REASONS:
        theirs = ways.ask_them(reason.statement)
        shown = ours = None
        for executor in ways.executors:
            ours = ways.ask_us(reason.statement, executor)
            respect = difference(theirs, ours, ordered=False)
            shown = shown or reason_of(reason.statement, respect, theirs, ours) is reason
        if not shown:
            yield reason, theirs, ours


def compare_one(ways, statement, ordered, folded):
    """MariaDB's answer, and of each executor: its name, its answer, the respect it differs in."""
    theirs = ways.ask_them(statement)
    found = []
    for executor in ways.executors:
        ours = ways.ask_us(statement, executor)
        if executor is not None and ours.error == NOT_HERE:
            found.append((executor, ours, "not here"))
        else:
            found.append((executor, ours, difference(theirs, ours, ordered, folded)))
    return theirs, found


def work(task):
    ports, seed, numbers, deadline = task
    ways = Ways(*ports, DATABASE)
    count = Count()
    for number in numbers:
        if time.monotonic() > deadline:
            count.by["left out, out of time"] += 1
            continue
        compare_number(ways, seed, number, count, deadline)
    ways.close()
    return count


def compare_number(ways, seed, number, count, deadline):
    drawn = queries.draw(seed, number)
    statement = drawn.tree.sql()
    theirs, found = compare_one(ways, statement, drawn.ordered, drawn.folded)
    count.by["statements"] += 1
    count.by["of them errors"] += theirs.error is not None
    if all(respect == "not here" for *_, respect in found):
        # Refused by every executor: that is a difference, unless MariaDB refuses it, too.
        found = [(executor, ours, difference(theirs, ours)) for executor, ours, _ in found]
    for executor, ours, respect in found:
        count.by[f"answers ({executor or 'one way'})"] += respect != "not here"
        if respect == "not here":
            count.by[f"not on this executor ({executor})"] += 1
        elif respect is not None:
            judge(ways, drawn, executor, (theirs, ours, respect), count, (number, deadline))


def judge(ways, drawn, executor, met, count, place):
    """A difference: made smaller, then either known or a failure."""
    number, deadline = place
    theirs, ours, respect = met
    small = drawn.tree.sql()
    if len(count.failures) < SHRUNK_MAX and time.monotonic() < deadline:
        errors = theirs.error, ours.error

        def fails(text):
            a, b = ways.ask_them(text), ways.ask_us(text, executor)
            same = difference(a, b, drawn.ordered and ordered(text), drawn.folded)
            return same == respect and (a.error, b.error) == errors

        small = shrink(drawn.tree, fails).sql()
        theirs, ours = ways.ask_them(small), ways.ask_us(small, executor)
    reason = reason_of(small, respect, theirs, ours)
    if reason is not None:
        count.reasons[reason.why] += 1
    elif (executor, small) not in count.reported:
        count.reported.add((executor, small))
        count.failures.append((number, executor, respect, small, str(theirs), str(ours)))


def ordered(text):
    """Whether the whole statement still has its ORDER BY."""
    return text.rfind(" ORDER BY ") > text.rfind(")")


def compare(ports, seed, numbers, workers, seconds_max):
    """Compares the statements of these numbers."""
    deadline = time.monotonic() + seconds_max
    tasks = [(ports, seed, numbers[part::workers], deadline) for part in range(workers)]
    total = Count()
    with multiprocessing.Pool(workers) as pool:
        for count in pool.imap_unordered(work, tasks):
            total.add(count)
    return total
