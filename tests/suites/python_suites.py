"""The suites of SQLAlchemy and Django, from their source packages, run with their own runners."""

import pathlib
import re
import tempfile
import xml.etree.ElementTree as ElementTree

from suite import CACHE, HERE, Suite

PYTHON = str(CACHE / "venv" / "bin" / "python")


class SqlAlchemy(Suite):
    """The compliance suite of dialects over PyMySQL, and the tests of the dialect `mysql`."""

    name = "sqlalchemy"
    version = "SQLAlchemy 2.0.58"
    FOLDER = CACHE / "sqlalchemy"
    # Each in databases of its own: what a test leaves behind would be in the way of the others.
    PARTS = ["test/dialect/test_suite.py", "test/dialect/mysql"]
    # Of the short selection, in which nobody says what MySQL does: how defaults are shown.
    LEFT_OUT = ["-k", "not test_server_defaults"]
    MAKE_DATABASES = (
        "import os, pymysql; c = pymysql.connect(host='127.0.0.1', port=int(os.environ['PORT']), user='root').cursor();"
        "[(c.execute(f'DROP DATABASE IF EXISTS {d}'), c.execute(f'CREATE DATABASE {d} CHARACTER SET utf8mb4'))"
        " for d in ('test', 'test_schema', 'test_schema_2')]"
    )

    def run(self, port, whole):
        """The outcomes at the server of a port."""
        outcomes = {}
        uri = f"mysql+pymysql://root@127.0.0.1:{port}/test?charset=utf8mb4"
        for part in self.PARTS if whole else self.PARTS[:1]:
            with tempfile.TemporaryDirectory(prefix="rowhouse-suites-") as folder:
                results = pathlib.Path(folder) / "results.xml"
                self.start([PYTHON, "-c", self.MAKE_DATABASES], folder, port)
                self.start(
                    [PYTHON, "-m", "pytest", "-p", "no:cacheprovider", "--dburi", uri, "--backend-only",
                     "--maxfail=100000", "-q", f"--junitxml={results}", *([] if whole else self.LEFT_OUT), part],
                    self.FOLDER, port,
                )
                outcomes.update(junit_outcomes(results) if results.exists() else {part: "failed"})
        return outcomes


def junit_outcomes(path):
    """Outcomes of a JUnit report, with names that do not tell the server's version."""
    outcomes = {}
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        of_class = re.sub(r"_(mysql|mariadb)\+\w+$", "", case.get("classname", ""))
        failed = case.find("failure") is not None or case.find("error") is not None
        skipped = case.find("skipped") is not None
        outcome = "failed" if failed else "skipped" if skipped else "passed"
        test = f"{of_class}::{case.get('name')}"
        # A test whose fixtures fail as it ends is there twice.
        if outcomes.get(test) != "failed":
            outcomes[test] = outcome
    return outcomes


class Django(Suite):
    """Django's tests of everything that asks a database, over mysqlclient."""

    name = "django"
    version = "Django 5.2.19"
    FOLDER = CACHE / "django" / "tests"
    SHORT = ["transactions", "lookup", "bulk_create", "update"]
    APPS = """
        aggregation aggregation_regress annotations backends basic bulk_create cache composite_pk constraints
        contenttypes_tests custom_columns custom_lookups custom_managers custom_pk datatypes dates datetimes db_functions
        db_typecasts db_utils defer delete delete_regress empty expressions expressions_case expressions_window extra_regress
        field_defaults fixtures fixtures_regress force_insert_update foreign_object from_db_value generic_relations
        get_or_create indexes lookup m2m_regress m2m_through many_to_many many_to_one migrations migrations2
        model_inheritance model_regress null_fk null_queries one_to_one or_lookups order_with_respect_to ordering
        prefetch_related queries raw_query reserved_names schema select_for_update select_related sessions_tests
        string_lookup test_utils timezones transaction_hooks transactions unmanaged_models update xor_lookups
    """.split()
    # Each in a run of its own: a table of theirs that is refused would keep all others from starting.
    APART = ["inspectdb", "introspection", "model_fields", "validation"]

    def run(self, port, whole):
        """The outcomes at the server of a port."""
        outcomes = {}
        for apps in [self.APPS, *([app] for app in self.APART)] if whole else [self.SHORT]:
            with tempfile.TemporaryDirectory(prefix="rowhouse-suites-") as folder:
                results = pathlib.Path(folder) / "results"
                results.touch()
                self.start(
                    [PYTHON, "runtests.py", "--settings=django_settings", "--parallel=1", "--noinput", *apps],
                    self.FOLDER, port, RESULTS=str(results), PYTHONPATH=str(HERE),
                )
                lines = results.read_text("utf-8").splitlines()
            if not lines:
                outcomes[f"{apps[0]}: its database"] = "failed"
            outcomes.update((test, outcome) for outcome, test in (line.split(" ", 1) for line in lines))
        return outcomes
