"""MariaDB's C API test, from Debian's package mariadb-test.

Not here: the files of the package's main suite (`mariadb_main`).
"""

import re
import shutil
import subprocess
import tempfile

from suite import Suite

TEST_WAIT_S_MAX = 60


def client(port):
    """The beginning of a command that runs statements."""
    return [shutil.which("mariadb") or "mysql", "--no-defaults", "-h127.0.0.1", f"-P{port}", "-uroot", "-N"]


class MariaDbClientTest(Suite):
    """The C API test: each of its tests in a database of its own."""

    name = "mariadb-client-test"
    version = "mariadb-client-test of mariadb-test 10.11"
    tool = "mariadb-client-test"

    def run(self, port, whole):
        """The outcomes at the server of a port."""
        listed = subprocess.run(
            [self.tool, "--show-tests"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
        ).stdout
        outcomes = {}
        self.start([*client(port), "-e", "CREATE DATABASE IF NOT EXISTS test"], "/", port)
        with tempfile.TemporaryDirectory(prefix="suites-client-test-") as folder:
            for test in re.findall(r"^test_\w+", listed, re.MULTILINE):
                command = [
                    self.tool, "--no-defaults", "--host=127.0.0.1", f"--port={port}", "--user=root",
                    "--silent", f"--vardir={folder}", test,
                ]
                # What a test leaves that failed would be in the way of the next.
                subprocess.run([*client(port), "-e", "DROP DATABASE IF EXISTS client_test_db"], check=False)
                try:
                    ended = subprocess.run(
                        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT, text=True, errors="replace", timeout=TEST_WAIT_S_MAX, check=False,
                    )
                    written, passed = ended.stdout, ended.returncode == 0
                except subprocess.TimeoutExpired:
                    written, passed = f"no end within {TEST_WAIT_S_MAX} s", False
                self.output += f"== {test}: {'passed' if passed else 'failed'}\n{written}\n"
                outcomes[test] = "passed" if passed else "failed"
        return outcomes
