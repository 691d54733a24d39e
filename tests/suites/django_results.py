"""Django's runner of tests, which also writes what became of each test to the file $RESULTS names:
lines of `passed`, `failed` or `skipped`, a space, and the test's dotted name.

A fixture of a class or a module that fails is a line of its own, named as unittest names it.
"""

import os
import unittest

from django.test.runner import DiscoverRunner


class RecordingResult(unittest.TextTestResult):
    def startTest(self, test):
        super().startTest(test)
        self.outcome = "passed"

    def addError(self, test, err):
        super().addError(test, err)
        self.outcome = "failed"
        if isinstance(test, unittest.suite._ErrorHolder):
            record("failed", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.outcome = "failed"

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.outcome = "failed"

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        if self.outcome == "passed":
            self.outcome = "skipped"

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.outcome = "failed"

    def stopTest(self, test):
        super().stopTest(test)
        record(self.outcome, test)


class RecordingRunner(DiscoverRunner):
    def get_resultclass(self):
        return RecordingResult


def record(outcome, test):
    with open(os.environ["RESULTS"], "a", encoding="utf-8") as results:
        results.write(f"{outcome} {test.id()}\n")
