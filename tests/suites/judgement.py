"""What became of a suite's tests at each server, and what of it is a failure of ours.

Outcomes map a test's name to `passed`, `failed` or `skipped`; a test that is missing at Rowhouse has
failed there, for what it needs did not come about. MySQL judges; MariaDB where there is no MySQL. A
failure that the judge has too is not ours. A test that Rowhouse skips and the judge passes has failed.

An exceptions file lists the tests that fail here and not there, under their reason in square brackets;
`*` stands for any characters. Under the heading `[MySQL fails too]` stand those that the short
selection, which asks no judge, lets fail. Lines that begin with `#` are comments.
"""

import dataclasses
import fnmatch
import re

BY_BOTH = "MySQL fails too"


class Exceptions:
    """The tests that may fail, each by the pattern that names it."""

    def __init__(self, path):
        self.reason_of = {}
        reason = None
        for line in path.read_text("utf-8").splitlines() if path.exists() else []:
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            if heading := re.fullmatch(r"\[([^\[\]]+)\]", line):
                reason = heading.group(1)
            elif reason is None:
                raise ValueError(f"{path}: {line}: no reason stands above it")
            else:
                self.reason_of[line] = reason

    def matching(self, test):
        """The patterns that a test matches."""
        return [pattern for pattern in self.reason_of if matches(pattern, test)]


def matches(pattern, test):
    """Whether a test is meant; only `*` is special in a pattern."""
    if "*" not in pattern:
        return pattern == test
    return fnmatch.fnmatchcase(test, re.sub(r"[?\[]", lambda found: f"[{found.group()}]", pattern))


@dataclasses.dataclass
class Verdict:
    """How a suite went: names of tests by what became of them."""

    passed: list = dataclasses.field(default_factory=list)
    skipped: list = dataclasses.field(default_factory=list)
    failed_by_both: list = dataclasses.field(default_factory=list)
    excepted: dict = dataclasses.field(default_factory=dict)
    new: list = dataclasses.field(default_factory=list)
    stale: list = dataclasses.field(default_factory=list)

    def failures(self):
        """How many tests fail the run."""
        return len(self.new) + len(self.stale)


def judge(ours, theirs, exceptions):
    """Judges the outcomes at Rowhouse by the judge's, or by the exceptions alone where `theirs` is None."""
    verdict = Verdict()
    still_fail = set()
    for test in sorted(ours.keys() | (theirs or {}).keys()):
        here = ours.get(test, "missing")
        there = None if theirs is None else theirs.get(test, "missing")
        failed_here = here in ("failed", "missing") and there not in ("skipped", "missing")
        failed_here |= here == "failed" or here == "skipped" and there == "passed"
        patterns = exceptions.matching(test)
        if not failed_here:
            (verdict.passed if here == "passed" else verdict.skipped).append(test)
            continue
        still_fail.update(patterns)
        reasons = {exceptions.reason_of[pattern] for pattern in patterns}
        if there == "failed" or there is None and BY_BOTH in reasons:
            verdict.failed_by_both.append(test)
        elif reasons - {BY_BOTH}:
            verdict.excepted.setdefault(min(reasons - {BY_BOTH}), []).append(test)
        else:
            verdict.new.append(test)
    for pattern, reason in exceptions.reason_of.items():
        named = [test for test in ours if matches(pattern, test)]
        # The short selection has not run what it does not name.
        if pattern not in still_fail and (theirs is not None or named):
            verdict.stale.append(f"{pattern} (listed as: {reason})")
    return verdict
