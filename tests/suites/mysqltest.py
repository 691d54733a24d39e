"""MariaDB's client `mysqltest`: a test file run at a server to its end, and what it wrote taken apart.

Whatever a statement comes to, the client goes on. What it writes is the text of each statement as it
stands in the file, and beneath it the answer: a heading and rows, warnings, an error. A transcript is
the list of these pairs. Where a text ends is told by its delimiter; where one begins, by the lines of
the file and of those it includes, and by the words that statements begin with.

Before each file the server is as it was at first: no databases but an empty `test`, no accounts, no
connections but the one that looks, the global variables' values.

Not here: which files, and whether an answer is right (`mariadb_main`).
"""

import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess

BASE = pathlib.Path("/usr/share/mysql/mysql-test")
FILE_WAIT_S_MAX = 60
SKIPPED = 62
KEPT_DATABASES = ("information_schema", "performance_schema", "mysql", "sys", "kv", "tyrant", "rowhouse")
# Variables that no file changes, or that cannot be set back.
KEPT_VARIABLES = re.compile(r"gtid|innodb|performance_|ssl|tls|admin|binlog|server_|slave|replica|wsrep|aria_log|caching|mysqlx")
VERB = re.compile(
    r"(select|insert|update|delete|replace|create|drop|alter|set|show|use|with|values|prepare|execute|deallocate|explain|analyze"
    r"|desc|describe|truncate|rename|load|lock|unlock|begin|commit|rollback|start|savepoint|release|flush|reset|check|checksum"
    r"|optimize|repair|grant|revoke|do|handler|call|signal|resignal|get|kill|xa|install|uninstall|help|purge|change|connect"
    r"|disconnect|connection|execute|\(select|\(\(select|/\*)\b", re.IGNORECASE,
)
STATEMENT_LINES_MAX = 400
# Messages that quote a statement, by their first letters; how they end.
QUOTING = re.compile(r"ERROR 42000: You have an error in your SQL syntax|(mysqltest: )?At line \d+: query '")
QUOTED_BY = dict.fromkeys("mA", re.compile(r"(failed with wrong|succeeded - should have failed|failed: )")) | {"E": re.compile(r"' at line \d+$")}
# Included files that skip a test where the server has not what it needs.
ASKS_SERVER = re.compile(r"(^|/)(have|not|default_optimizer|no_view)_\w+\.inc$")


@dataclasses.dataclass
class Statement:
    """One statement's text, and the lines that answered it."""

    text: str
    answer: list


class Server:
    """A server that test files run at, one after the other."""

    def __init__(self, port, folder):
        self.port, self.folder, self.base = port, pathlib.Path(folder), BASE
        self.defaults = dict(row for row in self.ask("SHOW GLOBAL VARIABLES") if len(row) == 2)
        if not (self.folder / "std_data").exists():
            shutil.copytree(BASE / "std_data", self.folder / "std_data", symlinks=True, ignore_dangling_symlinks=True)
        # Whether the files are for this server, which they may ask what it can do.
        self.original = "MariaDB" in self.defaults["version"]
        if not self.original:
            self.base = self.folder / "base"
            if not self.base.exists():
                self.shadow()

    def shadow(self):
        """The suite's folder, in which no file is skipped for what a server says of itself."""
        include = self.base / "include"
        include.mkdir(parents=True)
        for entry in BASE.iterdir():
            if entry.name != "include":
                (self.base / entry.name).symlink_to(entry)
        for entry in (BASE / "include").iterdir():
            if ASKS_SERVER.search(entry.name):
                (include / entry.name).write_text("", "utf-8")
            else:
                (include / entry.name).symlink_to(entry)

    def client(self):
        """The beginning of a command that runs statements."""
        return [shutil.which("mariadb"), "--no-defaults", "--protocol=tcp", "-h127.0.0.1", f"-P{self.port}", "-uroot", "--force"]

    def ask(self, statements):
        """Rows of statements; those that fail are passed over."""
        written = subprocess.run(
            [*self.client(), "-N", "-B"], input=f"{statements};\n", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, errors="replace", timeout=FILE_WAIT_S_MAX, check=False,
        ).stdout
        return [line.split("\t") for line in written.splitlines()]

    def clean(self):
        """Leaves nothing of the file before."""
        marked = self.ask(
            "SELECT 'id', ID, USER FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND USER <> 'event_scheduler';"
            " SELECT 'db', SCHEMA_NAME FROM information_schema.SCHEMATA; SELECT 'user', user, host FROM mysql.user;"
            " SHOW GLOBAL VARIABLES"
        )
        mend, left = [], ["SET foreign_key_checks = 0", "SET sql_mode = ''"]
        for kind, *rest in marked:
            if kind == "id":
                left.append(f"KILL {rest[0]}")
            elif kind == "db" and rest[0].lower() not in KEPT_DATABASES:
                left.append("DROP DATABASE `{}`".format(rest[0].replace("`", "``")))
            elif kind == "user" and rest[0] != "root" and not rest[0].startswith(("mysql.", "mariadb.", "PUBLIC")):
                left += [f"DROP USER {quoted(rest[0])}@{quoted(rest[1])}", f"DROP ROLE {quoted(rest[0])}"]
            elif rest and self.defaults.get(kind, rest[0]) != rest[0] and not KEPT_VARIABLES.match(kind):
                default = self.defaults[kind]
                mend.append(f"SET GLOBAL {kind} = " + (default if default.isdigit() else quoted(default)))
        self.ask(";\n".join([*mend, *left, "CREATE DATABASE test"]))

    def run(self, name):
        """Runs a file; gives the exit code, None if it did not end, and what was written."""
        self.clean()
        scratch = self.folder / "var"
        shutil.rmtree(scratch, ignore_errors=True)
        for inner in ("tmp", "log"):
            (scratch / inner).mkdir(parents=True)
        scratch.chmod(0o777)
        (scratch / "std_data").symlink_to(self.folder / "std_data")
        prologue = scratch / "prologue"
        prologue.write_text("--disable_abort_on_error\n", "utf-8")
        client = " ".join(self.client()[1:-1])
        environment = dict(
            os.environ, TZ="GMT-3", MYSQL_TEST_DIR=str(self.base), MYSQLTEST_VARDIR=str(scratch), MYSQL_TMP_DIR=f"{scratch}/tmp",
            MASTER_MYPORT=str(self.port), DEFAULT_MASTER_PORT=str(self.port), MASTER_MYSOCK=f"{scratch}/none", MYSQLD_DATADIR=f"{scratch}/none",
            MYSQL=f"mariadb {client}", MYSQL_DUMP=f"mariadb-dump {client}", MYSQL_SHOW=f"mariadb-show {client}", LC_ALL="C.UTF-8",
            MYSQL_CHECK=f"mariadb-check {client}", MYSQLADMIN=f"mariadb-admin {client}", MYSQL_IMPORT=f"mariadb-import {client}",
            MYSQL_TEST=f"mysqltest {client} --tmpdir={scratch}/tmp", EXE_MYSQL="mariadb", MYSQL_MY_PRINT_DEFAULTS="my_print_defaults",
            CHARSETSDIR="/usr/share/mysql/charsets", MYSQL_CHARSETSDIR="/usr/share/mysql/charsets", MY_PERROR="perror",
        )
        command = [
            "mysqltest", *self.client()[1:-1], "--database=test", "--continue-on-error", f"--prologue={prologue}", f"--basedir={self.base}",
            f"--tmpdir={scratch}/tmp", f"--logdir={scratch}/log", f"--test-file={self.base}/main/{name}.test", "--skip-ssl",
        ]
        process = subprocess.Popen(
            command, cwd=self.base, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True,
        )
        try:
            written, code = process.communicate(timeout=FILE_WAIT_S_MAX)[0], process.returncode
        except subprocess.TimeoutExpired:
            # What the client has started holds its output open.
            os.killpg(process.pid, signal.SIGKILL)
            written, code = process.communicate()[0], None
        return code, written.decode("latin-1")


def quoted(text):
    """A literal of a text."""
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def source(name):
    """The text of a test file and of those that it includes."""
    texts, waiting, seen = [], [f"main/{name}.test"], set()
    while waiting:
        path = waiting.pop()
        if path in seen or "$" in path or ASKS_SERVER.search(path):
            continue
        seen.add(path)
        for found in (BASE / path, BASE / "main" / path):
            if found.is_file():
                text = found.read_text("latin-1")
                texts.append(text)
                waiting += re.findall(r"^\s*(?:--\s*)?source\s+([^\s;]+)", text, re.MULTILINE | re.IGNORECASE)
                break
    return texts


def transcript(written, texts):
    """What a file wrote, as statements."""
    known = {line.strip() for text in texts for line in text.split("\n")}
    lines, statements, at = written.split("\n"), [Statement("", [])], 0
    while at < len(lines):
        line, end = lines[at], None
        if quoting := QUOTING.match(line):
            # A message that quotes several lines of its statement.
            below = range(at, min(len(lines), at + STATEMENT_LINES_MAX))
            last = next((n for n in below if QUOTED_BY[quoting.group()[0]].search(lines[n])), at)
            statements[-1].answer.append(line)
            at = last + 1
            continue
        if VERB.match(line) and (line.rstrip().endswith(";") or line.strip() in known):
            below = range(at, min(len(lines), at + STATEMENT_LINES_MAX))
            end = next((n for n in below if lines[n].rstrip().endswith((";", "|"))), None)
        if end is None:
            statements[-1].answer.append(line)
            at += 1
        else:
            statements.append(Statement("\n".join(lines[at:end + 1]), []))
            at = end + 1
    return statements
