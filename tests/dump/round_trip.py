"""Rows through dumps, there and back.

    values -> MariaDB `direct`                                      what MariaDB makes of them
    values -> rowhouse load -> dump A -> MariaDB `through`          must be the same, byte for byte
    MariaDB `through` -> mariadb-dump, every flavour -> rowhouse load -> dump B     rows as in A

The last line is `N passed, M failed`.
"""

import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import values

ROWS = 25
FLAVOURS = [
    [],
    ["--hex-blob"],
    ["--skip-extended-insert"],
    ["--skip-opt", "--complete-insert"],
    ["--no-autocommit", "--single-transaction"],
    ["--replace", "--add-drop-database"],
    ["--insert-ignore", "--skip-comments", "--skip-quote-names", "--quote-names"],
    ["--routines", "--events", "--triggers"],
]
EXTRAS = """CREATE VIEW v AS SELECT id FROM `every type`;
CREATE TRIGGER tr BEFORE INSERT ON `every type` FOR EACH ROW SET NEW.id = NEW.id;
CREATE EVENT ev ON SCHEDULE EVERY 1 YEAR DO SELECT 1;
DELIMITER //
CREATE PROCEDURE pr() BEGIN SELECT 1; SELECT ';'; END//
CREATE FUNCTION fu() RETURNS INT DETERMINISTIC RETURN 1//
DELIMITER ;
"""


class MariaDb:
    """A server of its own in a temporary directory, on a socket."""

    def __init__(self, directory):
        self.socket = str(directory / "maria.sock")
        data = directory / "maria"
        user = ["--user=root"] if os.getuid() == 0 else []
        subprocess.run(
            ["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--skip-test-db",
             "--auth-root-authentication-method=normal", *user],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        self.process = subprocess.Popen(
            [shutil.which("mariadbd") or "/usr/sbin/mariadbd", "--no-defaults", f"--datadir={data}",
             f"--socket={self.socket}", "--skip-networking", "--max-allowed-packet=64M",
             "--innodb-buffer-pool-size=64M", *user],
            stdout=subprocess.DEVNULL, stderr=open(directory / "maria.log", "w"),
        )
        end = time.monotonic() + 60
        while self.run(["mariadb-admin", "ping"], check=False).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > end:
                sys.exit("MariaDB does not start:\n" + (directory / "maria.log").read_text())
            time.sleep(0.05)

    def run(self, command, check=True, **more):
        login = ["--no-defaults", "--default-character-set=utf8mb4", "-uroot", "-S", self.socket]
        command = [command[0], *login, *command[1:]]
        done = subprocess.run(command, capture_output=True, **more)
        if check and done.returncode != 0:
            sys.exit(f"{command[0]} fails: {done.stderr.decode()[-2000:]}")
        return done

    def sql(self, text, database=None):
        return self.run(["mariadb", *([database] if database else [])], input=text.encode()).stdout

    def dump(self, flags):
        return self.run(["mariadb-dump", *flags, "--databases", "through"]).stdout

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


def as_bytes(columns):
    """A select list whose texts show every byte."""
    shown = ["id"]
    for column, ty, text in columns:
        quoted = values.name(column)
        if text and not re.search("BINARY|BLOB", ty):
            # Rowhouse keeps every text in UTF-8.
            quoted = f"CONVERT({quoted} USING utf8mb4)"
        shown.append(f"HEX({quoted})" if text else f"{quoted}+0e0" if ty == "FLOAT" else quoted)
    return ", ".join(shown)


def rows_of(dump):
    """The rows of a dump, by table, without regard to the way they are cut into statements."""
    found, table = {}, None
    for line in dump.decode().split("\n"):
        begin = re.match(r"(?:INSERT|REPLACE) INTO (`(?:[^`]|``)*`) VALUES$", line)
        if begin:
            table = begin.group(1)
        elif table and line.startswith("("):
            found.setdefault(table, []).append(line[:-1])
            table = None if line.endswith(";") else table
    return found


class Test:
    def __init__(self, rowhouse, directory):
        self.rowhouse, self.directory = rowhouse, directory
        self.passed = self.failed = self.made = 0
        self.maria = MariaDb(directory)

    def check(self, what, holds, told=""):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {what}\n{told}", flush=True)

    def fresh(self):
        self.made += 1
        return str(self.directory / f"data{self.made}")

    def load(self, data, sql, *flags):
        command = [self.rowhouse, "load", f"--data-dir={data}", *flags, "-"]
        loaded = subprocess.run(command, input=sql, capture_output=True)
        return loaded.returncode, loaded.stderr.decode()

    def dump(self, data, *flags):
        command = [self.rowhouse, "dump", f"--data-dir={data}", *flags]
        return subprocess.run(command, capture_output=True, check=True).stdout

    def seed(self, seed):
        sql = values.sql(seed, ROWS)
        for database in ["direct", "through"]:
            self.maria.sql(f"DROP DATABASE IF EXISTS {database}")
        self.maria.sql("CREATE DATABASE direct CHARACTER SET utf8mb4")
        self.maria.sql(sql, "direct")
        one = self.fresh()
        self.load(one, b"CREATE DATABASE through;")
        code, said = self.load(one, sql.encode(), "--database=through")
        self.check(f"seed {seed}: values are loaded", code == 0, said)
        first = self.dump(one)
        self.maria.sql(first.decode())
        for table, columns, _ in values.tables(seed, ROWS):
            select = f"SET time_zone='+00:00'; SELECT {as_bytes(columns)} FROM {values.name(table)} ORDER BY id"
            direct, through = (self.maria.sql(select, name) for name in ["direct", "through"])
            same = direct == through and direct.count(b"\n") == ROWS + 1
            self.check(f"seed {seed}: {table} in MariaDB", same, difference(direct, through))
        self.maria.sql(EXTRAS, "through")
        for flavour in FLAVOURS:
            self.flavour(seed, first, flavour)

    def flavour(self, seed, first, flavour):
        what = f"seed {seed}: mariadb-dump {' '.join(flavour)}"
        data = self.fresh()
        # Without --opt there is nothing that names the characters' set but the dump's head.
        code, said = self.load(data, self.maria.dump(flavour))
        self.check(f"{what}: is loaded", code == 0, said)
        told = True
        if "--routines" in flavour:
            things = ["procedure pr", "function fu", "trigger tr"]
            told = all(f"skipped {thing}" in said for thing in things)
        self.check(f"{what}: what is skipped is told", told, said)
        if code == 0:
            dumped = self.dump(data)
            self.check(f"{what}: the view is there", b"`v` AS select `" in dumped)
            if "--events" in flavour:
                self.check(f"{what}: the event is there", b"EVENT `ev` ON SCHEDULE EVERY 1 YEAR" in dumped)
            before, after = rows_of(first), rows_of(dumped)
            told = "\n".join(difference_of_lists(before.get(t, []), after.get(t, [])) for t in before)
            self.check(f"{what}: rows are the same", before == after, told)


def difference(left, right):
    return difference_of_lists(left.decode().split("\n"), right.decode().split("\n"))


def difference_of_lists(left, right):
    for one, other in zip(left, right):
        if one != other:
            return f"  {one[:600]}\n  {other[:600]}"
    return "" if len(left) == len(right) else f"  {len(left)} rows and {len(right)}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rowhouse", required=True)
    parser.add_argument("seeds", nargs="*", type=int, default=[1, 2, 3])
    arguments = parser.parse_args()
    rowhouse = os.path.abspath(arguments.rowhouse)
    with tempfile.TemporaryDirectory() as directory:
        test = Test(rowhouse, pathlib.Path(directory))
        try:
            for seed in arguments.seeds or [1, 2, 3]:
                test.seed(seed)
        finally:
            test.maria.stop()
    print(f"{test.passed} passed, {test.failed} failed")
    return test.failed > 0


if __name__ == "__main__":
    sys.exit(main())
