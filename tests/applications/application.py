"""An application at one server: its own copy of the files, its database, its web server, its actions.

A subclass sets it up by its own installer (`install`) and does what a person does: each method whose
name begins with `action_` is one action, run in the order of the file; it raises `Failure` (of `web`) where
the page or the database does not say what it should. Actions stand on those before them.

Not here: which servers there are, and what becomes of a failure (`run`).
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "oracle" / "handlersocket"))

import servers  # noqa: E402 (found by the line above)
from web import Browser, Failure  # noqa: E402

CACHE = pathlib.Path.home() / ".cache" / "rowhouse" / "applications"
ROOT = CACHE / "root"
PASSWORD = "correct-horse-9"
COMMAND_WAIT_S_MAX = 180
READY_WAIT_S_MAX = 60
EVENTUALLY_WAIT_S_MAX = 30
OUTPUT_SHOWN_MAX = 1_500

# What PHP says of its own accord when something goes wrong.
PHP_MARKS = ("<b>Fatal error</b>", "<b>Warning</b>", "PHP Fatal error", "mysqli_sql_exception")


class Application:
    """One application at one server."""

    name = ""
    # The package whose version is printed.
    package = ""
    # Names of tables, with `%`, whose rows depend on the clock or on chance.
    unsteady_tables = ()
    # Pages that are loaded again and again, by what they show: {label: path}.
    pages = {}

    def __init__(self, endpoint, folder):
        self.endpoint = endpoint
        self.port = endpoint.mysql_port
        self.folder = pathlib.Path(folder)
        self.database = self.name
        self.user = self.name
        self.processes = []
        self.log_read = 0
        self.browser = None

    # What subclasses give.

    def prepare(self):
        """Makes the files and an empty database with a user of its own."""
        self.make_database()

    def install(self):
        """Sets the application up by its own installer."""
        raise NotImplementedError

    @classmethod
    def actions(cls):
        """The names of the actions, in the order in which they stand, those of the base class first."""
        return [name for kind in reversed(cls.__mro__) for name in vars(kind) if name.startswith("action_")]

    # The database.

    def make_database(self, character_set="utf8mb4"):
        """An empty database and a user who may do all in it."""
        self.sql(
            f"CREATE DATABASE `{self.database}` CHARACTER SET {character_set};"
            f"CREATE USER '{self.user}'@'%' IDENTIFIED BY '{PASSWORD}';"
            f"GRANT ALL PRIVILEGES ON `{self.database}`.* TO '{self.user}'@'%'",
            database="",
        )

    def client(self, program, *arguments):
        """The command of MariaDB's client or another program of its options, at this server as root."""
        return [program, "--no-defaults", "--host=127.0.0.1", f"--port={self.port}", "--user=root", *arguments]

    def sql(self, statements, database=None):
        """Runs statements as root; their rows, each a tuple of texts."""
        database = self.database if database is None else database
        command = self.client(
            "mariadb",
            "--default-character-set=utf8mb4",
            "--batch",
            "--skip-column-names",
            "--raw",
            *([database] if database else []),
        )
        done = subprocess.run(
            command,
            input=statements,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=COMMAND_WAIT_S_MAX,
            check=False,
        )
        if done.returncode != 0:
            raise Failure(f"{statements[:300]}: {done.stderr.strip()}")
        return [tuple(line.split("\t")) for line in done.stdout.splitlines()]

    def value(self, statement):
        """The first column of a statement's first row, as text, or None."""
        rows = self.sql(statement)
        return rows[0][0] if rows else None

    def expect_value(self, statement, expected):
        """Fails unless a statement's only value is this."""
        found = self.value(statement)
        if found != str(expected):
            raise Failure(f"{statement}: {found!r}, not {expected!r}")

    def eventually(self, find):
        """Asks again until it is so: what an action brings in its train comes after it."""
        deadline = time.monotonic() + EVENTUALLY_WAIT_S_MAX
        while True:
            try:
                return find()
            except (Failure, OSError, ValueError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def load(self, path, database=None, text=None):
        """Runs a file of statements as the client does, as root."""
        command = self.client("mariadb", "--default-character-set=utf8mb4", database or self.database)
        sent = path.read_bytes() if text is None else text.encode()
        done = subprocess.run(command, input=sent, capture_output=True, timeout=COMMAND_WAIT_S_MAX, check=False)
        if done.returncode != 0:
            raise Failure(f"{path.name}: {done.stderr.decode('utf-8', 'replace').strip()[:OUTPUT_SHOWN_MAX]}")

    def rows_by_table(self):
        """How many rows each table has, but for the unsteady ones."""
        unsteady = "".join(f" AND table_name NOT LIKE '{name}'" for name in self.unsteady_tables)
        tables = self.sql(
            "SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE'"
            f" AND table_schema = '{self.database}'{unsteady} ORDER BY table_name"
        )
        if not tables:
            return {}
        counts = self.sql(";".join(f"SELECT '{table}', COUNT(*) FROM `{table}`" for (table,) in tables))
        return dict(counts)

    # Files and processes.

    def copy(self, *parts):
        """A copy of a folder of the packages, of links to the same files: replaced, never written in."""
        target = self.folder.joinpath(*parts[-1:])
        done = subprocess.run(
            ["cp", "-al", str(ROOT.joinpath(*parts)), str(target)], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise Failure(f"cp: {done.stderr[:OUTPUT_SHOWN_MAX]}")
        return target

    def write(self, path, text):
        """Writes a file in place of a link to a package's."""
        path.unlink(missing_ok=True)
        path.write_text(text, "utf-8")

    def environment(self, variables):
        """What a program of the application finds in its environment, with these variables."""
        return dict(os.environ, TZ="UTC", LC_ALL="C.UTF-8", HOME=str(self.folder), **variables)

    def run(self, command, folder=None, given=None, codes=(0,), **variables):
        """Runs a command to its end, with one of these exit codes; what it wrote."""
        environment = self.environment(variables)
        try:
            done = subprocess.run(
                [str(word) for word in command],
                cwd=folder or self.folder,
                env=environment,
                input=given or "",
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=COMMAND_WAIT_S_MAX,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            raise Failure(f"{command[0]}: no end within {COMMAND_WAIT_S_MAX} s") from late
        if done.returncode not in codes:
            raise Failure(
                f"{' '.join(map(str, command))}: exit code {done.returncode}: {done.stdout[-OUTPUT_SHOWN_MAX:]}"
            )
        return done.stdout

    def spawn(self, command, folder=None, **variables):
        """Starts a program that serves, in a session of its own."""
        environment = self.environment(variables)
        with open(self.folder / "log", "ab") as log:
            process = subprocess.Popen(
                [str(word) for word in command],
                cwd=folder or self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def php_options(self):
        """PHP's settings: errors are seen, compiled pages are kept, libraries are Debian's."""
        return [
            "-d",
            "display_errors=1",
            "-d",
            "error_reporting=E_ALL&~E_DEPRECATED&~E_STRICT&~E_NOTICE",
            "-d",
            "opcache.enable_cli=1",
            "-d",
            "memory_limit=512M",
            "-d",
            "max_execution_time=300",
            "-d",
            "max_input_time=300",
            "-d",
            f"session.save_path={self.folder}",
            "-d",
            "date.timezone=UTC",
            "-d",
            "upload_max_filesize=16M",
            "-d",
            "post_max_size=20M",
            "-d",
            f"sys_temp_dir={self.folder}",
        ]

    def serve_php(self, folder, router=None, **variables):
        """PHP's own web server over a folder; a browser at it."""
        (port,) = servers.free_ports(1)
        command = ["php", *self.php_options(), "-S", f"127.0.0.1:{port}", "-t", str(folder)]
        self.spawn(command + ([str(router)] if router else []), folder, PHP_CLI_SERVER_WORKERS="2", **variables)
        return self.open_browser(port)

    def open_browser(self, port):
        """A browser at a server of ours, when it answers."""
        site = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + READY_WAIT_S_MAX
        while not servers.accepts(port):
            if time.monotonic() > deadline:
                raise Failure(f"nothing answers at {site}: {self.log_tail()}")
            time.sleep(0.05)
        self.site = site
        self.browser = Browser(site, self.error_marks())
        return self.browser

    def other_browser(self):
        """Another person, at the same site."""
        return Browser(self.site, self.error_marks())

    def error_marks(self):
        """Texts that no page may have."""
        return PHP_MARKS

    def log_errors(self):
        """Lines with an error mark that the application's processes wrote since the last call."""
        log = self.folder / "log"
        if not log.exists():
            return []
        with open(log, "rb") as written:
            written.seek(self.log_read)
            lines = written.read()
        self.log_read += len(lines)
        texts = lines.decode("utf-8", "replace").splitlines()
        return [line for line in texts if any(mark in line for mark in self.error_marks())]

    def log_tail(self):
        """The last of what the application's processes wrote."""
        log = self.folder / "log"
        return log.read_text("utf-8", "replace")[-OUTPUT_SHOWN_MAX:] if log.exists() else ""

    def stop(self):
        """Ends what was started, with all that it started."""
        for process in self.processes:
            if process.poll() is None:
                try:
                    os.killpg(process.pid, signal.SIGTERM)
                except ProcessLookupError:
                    pass
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def version_of(kind):
    """The version of an application's package, as scripts/install-applications wrote it down."""
    versions = CACHE / "versions"
    for line in versions.read_text("utf-8").splitlines() if versions.exists() else []:
        package, _, version = line.partition(" ")
        if package == kind.package:
            return f"{package} {version}"
    raise RuntimeError(f"{kind.package} is not there: scripts/install-applications fetches it")
