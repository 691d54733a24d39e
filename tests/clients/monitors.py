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

import pymysql

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


# What further tools ask for when they connect and while they watch, as they send it. MARIADB: what
# MariaDB does not know.
MARIADB = "not MariaDB: "
ASKED = {
    "netdata": [
        "SELECT VERSION(), @@version_comment",
        "SHOW GLOBAL STATUS",
        "SHOW GLOBAL VARIABLES WHERE Variable_name LIKE 'max_connections' OR Variable_name LIKE 'table_open_cache'"
        " OR Variable_name LIKE 'disabled_storage_engines' OR Variable_name LIKE 'log_bin'"
        " OR Variable_name LIKE 'performance_schema'",
        MARIADB + "SHOW REPLICA STATUS",
        "SELECT time, user FROM information_schema.processlist WHERE info IS NOT NULL AND info NOT LIKE"
        " '%PROCESSLIST%' ORDER BY time",
    ],
    "collectd": [
        "SHOW STATUS",
        "SELECT name, count, type FROM information_schema.innodb_metrics WHERE status = 'enabled'",
        "SHOW ENGINE INNODB STATUS",
    ],
    "datadog and PMM": [
        MARIADB + "SELECT schema_name, digest, digest_text, count_star, sum_timer_wait, sum_lock_time, sum_errors,"
        " sum_rows_affected, sum_rows_sent, sum_rows_examined, sum_select_scan, sum_select_full_join,"
        " sum_no_index_used, sum_no_good_index_used FROM performance_schema.events_statements_summary_by_digest"
        " WHERE digest_text NOT LIKE 'EXPLAIN %' ORDER BY count_star DESC LIMIT 10000",
        MARIADB + "SELECT * FROM performance_schema.events_statements_histogram_by_digest LIMIT 10",
        MARIADB + "SELECT t.thread_id, t.processlist_id, t.processlist_user, t.processlist_host, t.processlist_db,"
        " s.timer_start, s.timer_end, s.lock_time, s.current_schema, s.sql_text, s.digest_text, s.rows_sent,"
        " s.no_index_used FROM performance_schema.threads t"
        " LEFT JOIN performance_schema.events_statements_current s ON s.thread_id = t.thread_id"
        " WHERE t.processlist_id IS NOT NULL",
        "SELECT object_schema, object_name, count_read, count_write, sum_timer_wait FROM"
        " performance_schema.table_io_waits_summary_by_table",
        "SELECT object_schema, object_name, index_name, count_star, count_fetch FROM"
        " performance_schema.table_io_waits_summary_by_index_usage WHERE index_name IS NOT NULL",
        "SELECT trx_id, trx_state, trx_started, trx_mysql_thread_id, trx_query, trx_rows_modified,"
        " trx_isolation_level FROM information_schema.innodb_trx",
        "SELECT object_schema, object_name, lock_type, lock_status, owner_thread_id FROM"
        " performance_schema.metadata_locks",
        "SELECT user, current_connections, total_connections FROM performance_schema.users",
        "SELECT * FROM performance_schema.events_statements_summary_global_by_event_name",
    ],
    "innotop": [
        "SHOW /*!50002 GLOBAL */ STATUS",
        "SHOW /*!40003 GLOBAL*/ VARIABLES",
        "SHOW /*!40100 ENGINE*/ INNODB STATUS",
        "SHOW FULL PROCESSLIST",
        "SHOW OPEN TABLES",
        MARIADB + "SELECT r.trx_mysql_thread_id AS waiting, b.trx_mysql_thread_id AS blocking, r.trx_query,"
        " b.trx_query FROM performance_schema.data_lock_waits w"
        " JOIN information_schema.innodb_trx b ON b.trx_id = w.blocking_engine_transaction_id"
        " JOIN information_schema.innodb_trx r ON r.trx_id = w.requesting_engine_transaction_id",
    ],
    "MySQL Workbench": [
        "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "SET CHARACTER SET utf8",
        "SET NAMES utf8",
        "SET SQL_SAFE_UPDATES=1",
        "SELECT CONNECTION_ID()",
        "SHOW SESSION STATUS LIKE 'Ssl_cipher'",
        "SELECT current_user()",
        "SHOW SESSION VARIABLES LIKE 'lower_case_table_names'",
        "SHOW SESSION VARIABLES LIKE 'sql_mode'",
        "SHOW DATABASES",
        "SHOW GLOBAL VARIABLES LIKE 'general_log%'",
        MARIADB + "SELECT st.* FROM performance_schema.events_statements_current st"
        " JOIN performance_schema.threads thr ON thr.thread_id = st.thread_id"
        " WHERE thr.processlist_id = CONNECTION_ID()",
        MARIADB + "SELECT * FROM sys.version",
        MARIADB + "SELECT * FROM sys.memory_by_host_by_current_bytes",
        MARIADB + "SELECT * FROM sys.user_summary",
        MARIADB + "SELECT * FROM sys.`x$statements_with_full_table_scans`",
        MARIADB + "SELECT * FROM sys.schema_index_statistics LIMIT 10",
        MARIADB + "SELECT sys.format_bytes(SUM(current_alloc)) FROM sys.`x$memory_global_by_current_bytes`",
        MARIADB + "SELECT digest_text, sys.format_time(avg_timer_wait), sys.format_statement(query_sample_text)"
        " FROM performance_schema.events_statements_summary_by_digest ORDER BY sum_timer_wait DESC LIMIT 5",
        MARIADB + "SELECT t.processlist_id, t.processlist_info, a.attr_value FROM performance_schema.threads t"
        " LEFT JOIN performance_schema.session_connect_attrs a ON t.processlist_id = a.processlist_id"
        " AND (a.attr_name IS NULL OR a.attr_name = 'program_name')"
        " WHERE t.thread_id = PS_CURRENT_THREAD_ID()",
        "SELECT * FROM mysql.slow_log LIMIT 10",
        "SELECT * FROM mysql.general_log LIMIT 10",
    ],
    "DBeaver": [
        "/* mysql-connector-j */SELECT @@session.auto_increment_increment AS auto_increment_increment,"
        " @@character_set_client AS character_set_client, @@net_write_timeout AS net_write_timeout,"
        " @@performance_schema AS performance_schema, @@sql_mode AS sql_mode, @@system_time_zone AS"
        " system_time_zone, @@time_zone AS time_zone, @@wait_timeout AS wait_timeout",
        "SELECT DATABASE()",
        "SHOW ENGINES",
        "SHOW CHARSET",
        "SHOW COLLATION",
        "SELECT @@GLOBAL.character_set_server, @@GLOBAL.collation_server",
        "SHOW PLUGINS",
        "SHOW VARIABLES LIKE 'lower_case_table_names'",
        "show databases",
        "SELECT * FROM information_schema.TABLES t WHERE t.TABLE_SCHEMA = 'information_schema'"
        " AND t.TABLE_NAME = 'CHECK_CONSTRAINTS'",
        "SHOW FULL PROCESSLIST",
    ],
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
    machine = ["--forcemem", "1024", "--forceswap", "1024", "--nocolor"]
    code, said = run("mysqltuner", *place, *machine)
    assert code == 0, said
    for words in ["Logged in using credentials", "Performance Metrics", "Recommendations"]:
        assert words in said, (words, said)
    wrong = [line for line in said.splitlines() if re.search(r"ERROR \d|FAIL Execute", line)]
    same(wrong, [])
    if not IS_ORIGINAL:
        assert "Performance_schema is activated" in said, said


def slow_log(address):
    """Writes the slow log with all that it can tell; the commands that read it, and what they say."""
    with pymysql.connect(**address) as connection, connection.cursor() as cursor:
        cursor.execute("SET GLOBAL slow_query_log = 1, GLOBAL log_slow_extra = 1, GLOBAL long_query_time = 0")
    with pymysql.connect(**address) as connection, connection.cursor() as cursor:
        for number in range(3):
            cursor.execute("SELECT d FROM toolkit.t WHERE c = %s AND SLEEP(0.01) = 0", (number,))
        cursor.execute("SELECT @@datadir, @@slow_query_log_file")
        log = os.path.join(*cursor.fetchone())
        # What is logged is written behind the statements.
        end = time.monotonic() + WAIT_S_MAX
        while pathlib.Path(log).read_text("utf-8").count("FROM toolkit.t WHERE c = ") < 3:
            assert time.monotonic() < end, "the slow log was not written"
        cursor.execute("SET GLOBAL slow_query_log = 0, GLOBAL log_slow_extra = 0, GLOBAL long_query_time = 10")
    return [
        (["pt-query-digest", "--limit=20", log], "SELECT toolkit.t"),
        (["mysqldumpslow", log], "SELECT d FROM toolkit.t WHERE c = N AND SLEEP(N.N) = N"),
    ]


def toolkit():
    """Percona's toolkit and mytop, where they are installed: each says what it found, and complains of nothing."""
    place = ["--host=127.0.0.1", f"--port={PORT}", "--user=root", f"--password={PASSWORD}"]
    address = {"host": "127.0.0.1", "port": int(PORT), "user": "root", "password": PASSWORD}
    with pymysql.connect(**address) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE toolkit")
        cursor.execute("CREATE TABLE toolkit.t (id INT PRIMARY KEY, c INT, d INT, KEY few (c), KEY more (c, d))")
    of_slow_log = [] if IS_ORIGINAL else slow_log(address)
    for command, words in of_slow_log + [
        (["pt-mysql-summary", "--sleep", "1", "--", *place], f"Report On Port {PORT}"),
        (["pt-duplicate-key-checker", "--databases=toolkit", *place], "DROP INDEX `few`"),
        (["pt-show-grants", *place], "GRANT"),
        (["pt-find", *place, "toolkit", "--engine=InnoDB"], "`toolkit`.`t`"),
        (["mytop", "-h", "127.0.0.1", "-P", PORT, "-u", "root", "-p", PASSWORD, "-d", "toolkit", "-b"], "Queries: "),
    ]:
        if not shutil.which(command[0]):
            continue
        code, said = run(*command)
        assert code == 0 and words in said, (command[0], code, said)
        assert not re.search(r"DBD::mysql|ERROR \d|syntax error", said), (command[0], said)
    with pymysql.connect(**address) as connection, connection.cursor() as cursor:
        cursor.execute("DROP DATABASE toolkit")


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


def asked():
    """What further tools ask for is answered."""
    address = {"host": "127.0.0.1", "port": int(PORT), "user": "root", "password": PASSWORD}
    refused = []
    for tool, statements in ASKED.items():
        with pymysql.connect(**address) as connection, connection.cursor() as cursor:
            for statement in statements:
                if IS_ORIGINAL and statement.startswith(MARIADB):
                    continue
                try:
                    cursor.execute(statement.removeprefix(MARIADB))
                    cursor.fetchall()
                except pymysql.err.MySQLError as error:
                    refused.append((tool, statement, error.args))
    same(refused, [])


TESTS = [exporter, nagios, tuner, toolkit, asked] + ([] if IS_ORIGINAL else [memcached])
if __name__ == "__main__":
    for tool in ["prometheus-mysqld-exporter", "mysqltuner", f"{PLUGINS}/check_mysql"]:
        assert shutil.which(tool), f"{tool}: scripts/install-peers installs it"
    for test in TESTS:
        try:
            test()
            print(f"ok {test.__name__}", flush=True)
        except Exception as error:  # noqa: BLE001 (whatever it is, it is told)
            print(f"not ok {test.__name__}: {error!r}", flush=True)
