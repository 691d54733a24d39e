"""Stock monitors against the running server: Prometheus' exporter for MySQL with its default
scrapes, the plugins of Nagios, mysqltuner, and what exporters for memcached read.

The panels of docs/operations.md (Stock monitors) are compared with what the exporter gives: each
metric that the table says is there is there, and none that it says is not.

Not here: our own metrics (`crates/server/tests/metrics.rs`).
"""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import time
import urllib.request

from scenario import same

HERE = pathlib.Path(__file__).resolve().parent
PORT = os.environ["PORT"]
PASSWORD = os.environ["ROOT_PASSWORD"]
IS_ORIGINAL = bool(os.environ["STAND_IN"])
PLUGINS = "/usr/lib/nagios/plugins"
WAIT_S_MAX = 30
# Figures that exporters for memcached read (prometheus/memcached_exporter, its documented list).
MEMCACHED = {
    "stats": """pid uptime time version curr_connections total_connections rejected_connections
        max_connections curr_items total_items bytes limit_maxbytes threads
        cmd_get cmd_set cmd_flush cmd_touch get_hits get_misses get_expired get_flushed
        delete_hits delete_misses incr_hits incr_misses decr_hits decr_misses cas_hits cas_misses
        cas_badval touch_hits touch_misses evictions reclaimed bytes_read bytes_written
        rusage_user rusage_system listen_disabled_num""".split(),
    "stats settings": "maxconns tcpport item_size_max num_threads evictions".split(),
}


def free_port():
    """A port that nobody listens at."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def scraped():
    """What the exporter gives with its default scrapes: lines by the metric's name."""
    port = free_port()
    environment = dict(os.environ, DATA_SOURCE_NAME=f"root:{PASSWORD}@(127.0.0.1:{PORT})/")
    exporter = subprocess.Popen(
        ["prometheus-mysqld-exporter", f"--web.listen-address=127.0.0.1:{port}"],
        env=environment,
        stderr=subprocess.DEVNULL,
    )
    try:
        since = time.monotonic()
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as said:
                    text = said.read().decode()
                break
            except OSError:
                assert time.monotonic() - since < WAIT_S_MAX, "the exporter does not answer"
                time.sleep(0.05)
    finally:
        exporter.kill()
        exporter.wait()
    lines = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            lines.setdefault(re.split(r"[{ ]", line)[0], []).append(line)
    return lines


def exporter():
    """The default scrape is green, and the panels are filled as the docs say."""
    lines = scraped()
    same(lines["mysql_up"], ["mysql_up 1"])
    same(lines["mysql_exporter_last_scrape_error"], ["mysql_exporter_last_scrape_error 0"])
    failed = [line for line in lines.get("mysql_exporter_scrape_errors_total", []) if not line.endswith(" 0")]
    same(failed, [])
    docs = (HERE.parents[1] / "docs" / "operations.md").read_text()
    panels = docs.split("| panel | metrics | MariaDB | Rowhouse |")[1].split("\n\n")[0]
    rows = [row.strip("| ").split(" | ") for row in panels.splitlines()[2:]]
    assert len(rows) > 20, rows
    for panel, metrics, mariadb, rowhouse in rows:
        said = mariadb if IS_ORIGINAL else rowhouse
        for metric in re.findall(r"mysql_[a-z_]+", metrics):
            same((panel, metric, metric in lines), (panel, metric, metric not in said))


def run(*command):
    """The exit code and the output of a command."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


def nagios():
    """The plugins log in, read the status and compare a query's value."""
    place = ["-H", "127.0.0.1", "-P", PORT, "-u", "root", "-p", PASSWORD]
    code, said = run(f"{PLUGINS}/check_mysql", *place)
    assert code == 0 and said.startswith("Uptime: ") and "Threads_connected=" in said, said
    for limit, expected in [("5", 0), ("0", 2)]:
        query = ["-q", "SELECT 3", "-c", limit]
        code, said = run(f"{PLUGINS}/check_mysql_query", *place, *query)
        assert code == expected and "3.0" in said, (code, said)
    wrong = [*place[:-1], "wrong"]
    code, said = run(f"{PLUGINS}/check_mysql", *wrong)
    assert code == 2 and "Access denied" in said, (code, said)


def tuner():
    """mysqltuner goes through to its recommendations."""
    place = ["--host", "127.0.0.1", "--port", PORT, "--user", "root", "--pass", PASSWORD]
    machine = ["--forcemem", "1024", "--forceswap", "1024", "--nocolor", "--skipsize"]
    code, said = run("mysqltuner", *place, *machine)
    assert code == 0, said
    for words in ["Logged in using credentials", "Performance Metrics", "Recommendations"]:
        assert words in said, (words, said)
    wrong = [line for line in said.splitlines() if re.search(r"ERROR \d|FAIL Execute", line)]
    same(wrong, [])
    if not IS_ORIGINAL:
        assert "Performance_schema is activated" in said, said


def memcached():
    """Every figure that exporters read is there, and is a number where they parse one."""
    with socket.create_connection(("127.0.0.1", int(os.environ["MEMCACHED_PORT"]))) as client:
        replies = client.makefile("rwb")

        def ask(command):
            replies.write(f"{command}\r\n".encode())
            replies.flush()
            said = {}
            while (line := replies.readline().decode().strip()) != "END":
                _, name, value = line.split(" ", 2)
                said[name] = value
            return said

        replies.write(b"set one 0 0 3\r\nabc\r\nget one\r\n")
        replies.flush()
        for _ in range(4):
            replies.readline()
        for command, names in MEMCACHED.items():
            said = ask(command)
            same([name for name in names if name not in said], [])
            for name in names:
                if name not in ("version", "evictions"):
                    float(said[name])
        rusage = ask("stats")["rusage_user"]
        assert re.fullmatch(r"\d+\.\d{6}", rusage), rusage
        for command in ("stats items", "stats slabs"):
            for name, value in ask(command).items():
                assert re.fullmatch(r"((items:)?\d+:)?[a-z_]+", name), name
                float(value)


TESTS = [exporter, nagios, tuner] + ([] if IS_ORIGINAL else [memcached])
if __name__ == "__main__":
    for tool in ["prometheus-mysqld-exporter", "mysqltuner", f"{PLUGINS}/check_mysql"]:
        assert shutil.which(tool), f"{tool}: scripts/install-peers installs it"
    for test in TESTS:
        try:
            test()
            print(f"ok {test.__name__}", flush=True)
        except Exception as error:  # noqa: BLE001 (whatever it is, it is told)
            print(f"not ok {test.__name__}: {error!r}", flush=True)
