"""Starts and stops the servers that are compared: MariaDB with its plugin, MySQL, memcached, Rowhouse.

Everything listens on loopback, on ports that were just found free, in a directory that is
removed afterwards. They run with TZ=UTC, so that TIMESTAMP columns print alike.

Not here: what is sent to them.
"""

import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

READY_WAIT_S_MAX = 60.0
STOP_WAIT_S_MAX = 30.0
PORT_MIN = 10_240
PORT_BELOW = 32_768
PORTS_TRIED_MAX = 1_000

# Names of ports that are ours, held by sockets without a file.
CLAIMS = []


class Endpoint:
    """Where one server answers: its ports, and the secret of HandlerSocket's two."""

    def __init__(self, name, host, port, write_port, mysql_port, secret="", memcached_port=0, tyrant_port=0):
        self.name = name
        self.host = host
        self.port = port
        self.write_port = write_port
        self.mysql_port = mysql_port
        self.secret = secret
        self.memcached_port = memcached_port
        self.tyrant_port = tyrant_port

    def __repr__(self):
        return (
            f"{self.name} (handlersocket {self.host}:{self.port}, "
            f"write {self.write_port}, mysql {self.mysql_port})"
        )


def free_ports(count):
    """Ports free on loopback, below those that the kernel gives to clients: of these a connection
    could take one before the server does. Whoever else looks for ports so is told by a claim."""
    ports = []
    for _ in range(PORTS_TRIED_MAX):
        port = random.randrange(PORT_MIN, PORT_BELOW)
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
            if claim(port):
                ports.append(port)
        if len(ports) == count:
            return ports
    raise RuntimeError("no free port")


def claim(port):
    """Claims a port until this process ends, by the name that the lab claims it by too."""
    claimed = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        claimed.bind(f"\0rowhouse-lab-port-{port}")
    except OSError:
        claimed.close()
        return False
    CLAIMS.append(claimed)
    return True


class Server:
    """A started child process with its own directory."""

    def __init__(self, prefix):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix=prefix))
        self.process = None
        self.log = self.directory / "log"

    def environment(self):
        # Servers that start at the same moment must not meet in one directory for temporary files.
        return dict(os.environ, TZ="UTC", LC_ALL="C.UTF-8", TMPDIR=str(self.directory))

    def spawn(self, command):
        environment = self.environment()
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
            )

    def wait_ready(self, is_ready):
        deadline = time.monotonic() + READY_WAIT_S_MAX
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"server ended early:\n{self.log_tail()}")
            if is_ready():
                return
            time.sleep(0.05)
        raise RuntimeError(f"server not ready in {READY_WAIT_S_MAX} s:\n{self.log_tail()}")

    def log_tail(self, lines=30):
        try:
            return "\n".join(self.log.read_text("utf-8", "replace").splitlines()[-lines:])
        except OSError as error:
            return str(error)

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOP_WAIT_S_MAX)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


def accepts(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


class MariaDb(Server):
    """`mariadbd` with the handlersocket plugin, a fresh data directory, root without password.

    The plugin is loaded at the start and not by INSTALL SONAME; the data directory must have
    been made without it, because `mariadb-install-db` refuses the plugin's options.
    """

    def __init__(self, secret=""):
        super().__init__("hs-oracle-mariadb-")
        data = self.directory / "data"
        made = subprocess.run(
            [
                find_program("mariadb-install-db"),
                "--no-defaults",
                f"--datadir={data}",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
            ]
            + user_option(),
            env=self.environment(),
            capture_output=True,
            check=False,
        )
        if made.returncode != 0:
            self.stop()
            raise RuntimeError(f"mariadb-install-db: {made.stdout}{made.stderr}")
        mysql_port, port, write_port = free_ports(3)
        command = [
            find_program("mariadbd"),
            "--no-defaults",
            f"--datadir={data}",
            f"--socket={self.directory}/sock",
            f"--pid-file={self.directory}/pid",
            "--bind-address=127.0.0.1",
            f"--port={mysql_port}",
            "--plugin-maturity=unknown",
            "--plugin-load-add=handlersocket",
            "--loose-handlersocket_address=127.0.0.1",
            f"--loose-handlersocket_port={port}",
            f"--loose-handlersocket_port_wr={write_port}",
            "--loose-handlersocket_threads=2",
            "--character-set-server=utf8mb4",
            "--collation-server=utf8mb4_general_ci",
            "--innodb-buffer-pool-size=64M",
            # As Rowhouse's default.
            "--max-allowed-packet=64M",
            # Durability is not under test here, and fsync would be most of the run's time.
            "--innodb-flush-log-at-trx-commit=0",
        ] + user_option()
        if secret:
            command += [
                f"--loose-handlersocket_plain_secret={secret}",
                f"--loose-handlersocket_plain_secret_wr={secret}",
            ]
        self.spawn(command)
        self.endpoint = Endpoint("mariadb", "127.0.0.1", port, write_port, mysql_port, secret)
        try:
            self.wait_ready(lambda: all(accepts(p) for p in (mysql_port, port, write_port)))
        except RuntimeError:
            self.stop()
            raise


def newest_program(name):
    """A program of the newest servers (`scripts/newest`), if they are there."""
    program = pathlib.Path.home() / ".cache/rowhouse/newest/bin" / name
    return program if os.access(program, os.X_OK) else None


class MySql(Server):
    """The newest `mysqld`, a fresh data directory, root without password."""

    def __init__(self):
        super().__init__("hs-oracle-mysql-")
        program = newest_program("mysqld")
        if program is None:
            self.stop()
            raise RuntimeError("no mysqld: scripts/newest unpacks it")
        usr = program.parent.parent / "root/usr"
        command = [
            str(program),
            "--no-defaults",
            f"--basedir={usr}",
            f"--datadir={self.directory}/data",
            f"--lc-messages-dir={usr}/share/mysql",
            f"--plugin-dir={usr}/lib/mysql/plugin",
            f"--log-error={self.log}",
            "--secure-file-priv=",
        ] + user_option()
        made = subprocess.run(
            command + ["--initialize-insecure"], env=self.environment(), capture_output=True, check=False
        )
        if made.returncode != 0:
            tail = self.log_tail()
            self.stop()
            raise RuntimeError(f"mysqld --initialize-insecure: {made.stderr}{tail}")
        (mysql_port,) = free_ports(1)
        self.spawn(command + [
            f"--socket={self.directory}/sock",
            f"--pid-file={self.directory}/pid",
            "--bind-address=127.0.0.1",
            f"--port={mysql_port}",
            "--mysqlx=OFF",
            "--skip-log-bin",
            "--character-set-server=utf8mb4",
            "--collation-server=utf8mb4_general_ci",
            "--innodb-buffer-pool-size=64M",
            "--innodb-flush-log-at-trx-commit=0",
            "--max-allowed-packet=64M",
        ])
        self.endpoint = Endpoint("mysql", "127.0.0.1", 0, 0, mysql_port)
        try:
            self.wait_ready(lambda: accepts(mysql_port))
        except RuntimeError:
            self.stop()
            raise


class Memcached(Server):
    """The original, with its defaults but for the address."""

    def __init__(self):
        super().__init__("hs-oracle-memcached-")
        (port,) = free_ports(1)
        command = [find_program("memcached"), "-l", "127.0.0.1", "-p", str(port), "-U", "0"]
        if os.geteuid() == 0:
            command += ["-u", "nobody"]
        self.spawn(command)
        self.endpoint = Endpoint(
            "memcached", "127.0.0.1", 0, 0, 0, memcached_port=port
        )
        try:
            self.wait_ready(lambda: accepts(port))
        except RuntimeError:
            self.stop()
            raise


class Rowhouse(Server):
    """The `rowhouse` program under test; ready when its ready line has named its doors."""

    def __init__(self, program, secret="", users=None, flags=()):
        """`users` maps names to passwords; without, root comes in without a password."""
        super().__init__("hs-oracle-rowhouse-")
        settings = "".join(
            f'[[users]]\nname = "{name}"\npassword = "{password}"\n'
            for name, password in (users or {}).items()
        )
        config = self.directory / "rowhouse.toml"
        config.write_text(settings, "utf-8")
        doors = ("mysql", "handlersocket", "handlersocket-write", "memcached", "tyrant")
        command = [str(program), "serve", f"--config={config}"]
        command += [f"--data-dir={self.directory}/data", "--durability=os"]
        command += [f"--{door}-port=auto" for door in doors]
        if secret:
            command += ["--handlersocket-secret", secret, "--handlersocket-write-secret", secret]
        self.spawn(command + list(flags))
        try:
            self.wait_ready(self.ready_line)
        except RuntimeError:
            self.stop()
            raise
        mysql_port, port, write_port, memcached_port, tyrant_port = (
            int(re.search(rf" {door}=127\.0\.0\.1:(\d+)", self.ready_line()).group(1))
            for door in doors
        )
        ports = (port, write_port, mysql_port)
        self.endpoint = Endpoint(
            "rowhouse", "127.0.0.1", *ports, secret, memcached_port, tyrant_port
        )

    def ready_line(self):
        found = re.search(r"^rowhouse ready.*\n", self.log.read_text("utf-8", "replace"), re.M)
        return found.group(0) if found else ""


def find_program(name):
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin:/usr/bin")
    if not found:
        raise RuntimeError(f"{name} is not installed")
    return found


def user_option():
    return ["--user=root"] if os.geteuid() == 0 else []
