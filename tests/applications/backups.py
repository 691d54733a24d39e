"""Programs around a database: mydumper and myloader, and of percona-toolkit pt-table-checksum, pt-show-grants and others.

What one of them says of the tables must be so; what is copied must be the same row for row.
"""

import re

from application import ROOT, Application
from web import Failure

ROWS = 3_000
SCHEMA = """
CREATE TABLE users (id INT UNSIGNED AUTO_INCREMENT PRIMARY KEY, name VARCHAR(60) NOT NULL, born DATE, score DECIMAL(10,3),
  kind ENUM('a','b','c') DEFAULT 'b', marks SET('x','y','z'), data JSON, picture BLOB, flags BIT(5), seen TIMESTAMP NULL,
  twice DECIMAL(12,3) GENERATED ALWAYS AS (score * 2) VIRTUAL, UNIQUE KEY by_name (name), KEY by_score (score, born)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='It''s "us"';
CREATE TABLE orders (id BIGINT AUTO_INCREMENT PRIMARY KEY, user INT UNSIGNED NOT NULL, amount DOUBLE, note TEXT,
  CONSTRAINT of_user FOREIGN KEY (user) REFERENCES users (id) ON DELETE CASCADE) ENGINE=InnoDB;
CREATE TABLE pairs (a VARCHAR(20) NOT NULL, b INT NOT NULL, c DATETIME(3), PRIMARY KEY (a, b)) ENGINE=InnoDB;
CREATE TABLE `empty table` (id INT PRIMARY KEY) ENGINE=InnoDB;
CREATE VIEW scores AS SELECT name, score FROM users WHERE score > 100;
"""
TABLES = ("users", "orders", "pairs", "empty table")


class Backups(Application):
    name = "backups"
    package = "mydumper"

    def install(self):
        self.sql(SCHEMA)
        numbers = range(1, ROWS + 1)
        users = ",".join(
            f"('Name {number} Ü\U0001f3e0','{1950 + number % 60}-01-{number % 28 + 1:02}',{number}.125,'{'abc'[number % 3]}','x,z',"
            f"'{{\"n\": {number}}}',x'00ff{number:06x}27',b'{number % 32:05b}','2026-01-02 03:04:05')"
            for number in numbers
        )
        self.sql(f"INSERT INTO users (name, born, score, kind, marks, data, picture, flags, seen) VALUES {users}")
        self.sql("INSERT INTO users (name) VALUES ('It\\'s \\\\ \"null\"')")
        self.sql(
            "INSERT INTO orders (user, amount, note) SELECT id, id / 3, CONCAT('line\\n', name, '\\t;') FROM users"
        )
        self.sql(
            "INSERT INTO pairs SELECT name, id, '2026-01-01 00:00:00.123' FROM users WHERE id < 500 AND CHAR_LENGTH(name) < 20"
        )

    def sums(self, database):
        """Each table's rows as the client prints them."""
        return {
            table: self.sql(
                f"SELECT * FROM `{table}` ORDER BY 1, 2" if table != "empty table" else f"SELECT * FROM `{table}`",
                database,
            )
            for table in TABLES
        }

    def expect_same(self, database):
        there = self.sums(database)
        for table, rows in self.sums(self.database).items():
            if rows != there[table]:
                raise Failure(f"{table} differs: {len(rows)} and {len(there[table])} rows")
        if self.sql("SELECT COUNT(*) FROM scores", database) != self.sql("SELECT COUNT(*) FROM scores"):
            raise Failure("the view differs")

    def tool(self, name, *words, codes=(0,)):
        """One of percona-toolkit's programs, at this server as root."""
        return self.run(
            ["perl", ROOT / "usr/bin" / name, *words], codes=codes, PERL5LIB=str(ROOT / "usr/share/perl5")
        )

    def options(self):
        return ("--host=127.0.0.1", f"--port={self.port}", "--user=root")

    def address(self, **more):
        return ",".join(
            f"{key}={value}" for key, value in {"h": "127.0.0.1", "P": self.port, "u": "root", **more}.items()
        )

    def dump(self, folder, *words):
        return self.run(
            [
                ROOT / "usr/bin/mydumper",
                *self.options(),
                f"--database={self.database}",
                f"--outputdir={self.folder / folder}",
                "--verbose=3",
                *words,
            ]
        )

    def restore(self, folder, database, *words):
        self.sql(f"CREATE DATABASE {database} CHARACTER SET utf8mb4", "")
        return self.run(
            [
                ROOT / "usr/bin/myloader",
                *self.options(),
                f"--database={database}",
                f"--directory={self.folder / folder}",
                "--verbose=3",
                *words,
            ]
        )

    def action_mydumper(self):
        self.no_critical(self.dump("dump", "--threads=4"))

    def no_critical(self, written):
        if "CRITICAL" in written or "** ERROR" in written:
            raise Failure(written[-1500:])

    def action_myloader(self):
        self.no_critical(self.restore("dump", "copied", "--threads=4"))
        self.expect_same("copied")

    def action_mydumper_in_pieces(self):
        self.no_critical(
            self.dump("pieces", "--rows=500", "--compress", "--trx-consistency-only", "--complete-insert")
        )
        self.no_critical(self.restore("pieces", "pieces", "--overwrite-tables", "--queries-per-transaction=100"))
        self.expect_same("pieces")

    def action_mydumper_less_locking(self):
        self.no_critical(self.dump("less", "--less-locking", "--build-empty-files"))
        self.no_critical(self.dump("locked", "--lock-all-tables"))
        self.no_critical(self.dump("savepoints", "--use-savepoints"))

    def action_mariadb_dump(self):
        written = self.run(self.client("mariadb-dump", "--single-transaction", "--hex-blob", self.database))
        self.sql("CREATE DATABASE dumped CHARACTER SET utf8mb4", "")
        self.load(self.folder / "dump.sql", "dumped", written)
        self.expect_same("dumped")

    def action_pt_show_grants(self):
        self.sql(
            "CREATE ROLE reader; GRANT SELECT ON backups.* TO reader; CREATE USER 'brien'@'10.%' IDENTIFIED BY 'x'; GRANT reader TO 'brien'@'10.%';"
            "GRANT SELECT (name), UPDATE (score) ON backups.users TO 'brien'@'10.%' WITH GRANT OPTION"
        )
        everything = self.tool("pt-show-grants", self.address())
        if "`backups`" not in everything or "root" not in everything:
            raise Failure(everything[:1500])
        # What it writes makes the account again.
        before = self.sql("SHOW GRANTS FOR 'brien'@'10.%'")
        written = self.tool("pt-show-grants", "--only=brien@10.%", self.address())
        self.sql("DROP USER 'brien'@'10.%'")
        self.load(self.folder / "grants.sql", text=written)
        after = self.sql("SHOW GRANTS FOR 'brien'@'10.%'")
        if sorted(after) != sorted(before):
            raise Failure(f"{after}, not {before}, by {written}")

    def action_pt_table_checksum(self):
        self.sql("CREATE DATABASE percona", "")
        written = self.tool(
            "pt-table-checksum",
            self.address(),
            f"--databases={self.database}",
            "--no-check-binlog-format",
            "--no-check-replication-filters",
            "--chunk-size=500",
            "--no-check-slave-tables",
            "--recursion-method=none",
        )
        for table in ("users", "orders", "pairs"):
            line = re.search(rf"^\S+\s+(\d+)\s+(\d+)\s+(\d+)\s+\d+\s+(\d+).*{self.database}\.{table}$", written, re.M)
            if line is None or line.group(1) != "0" or line.group(2) != "0":
                raise Failure(f"{table}: {written[-1500:]}")
        self.expect_value(
            "SELECT COUNT(*) FROM percona.checksums WHERE this_crc <> master_crc OR this_cnt <> master_cnt", 0
        )
        self.expect_value("SELECT SUM(this_cnt) FROM percona.checksums WHERE tbl = 'users'", ROWS + 1)

    def action_pt_table_sync(self):
        self.sql("UPDATE copied.users SET score = 7 WHERE id IN (5, 2500); DELETE FROM copied.orders WHERE id = 9")
        # It sets generated columns, too, which a server warns of, and takes the warning for an error.
        self.sql("ALTER TABLE users DROP COLUMN twice; ALTER TABLE copied.users DROP COLUMN twice")
        for table in ("users", "orders"):
            there, here = (self.address(D=database, t=table) for database in (self.database, "copied"))
            # 2: it found differences and mended them.
            self.tool(
                "pt-table-sync", "--execute", "--no-check-slave", "--no-check-triggers", there, here, codes=(2,)
            )
        self.expect_same("copied")

    def action_pt_archiver(self):
        self.sql("CREATE TABLE old_orders LIKE orders")
        self.tool(
            "pt-archiver",
            f"--source={self.address(D=self.database, t='orders')}",
            f"--dest={self.address(D=self.database, t='old_orders')}",
            "--where=id <= 1000",
            "--limit=200",
            "--commit-each",
            "--no-check-charset",
        )
        self.expect_value("SELECT COUNT(*) FROM old_orders", 1000)
        self.expect_value("SELECT COUNT(*) FROM orders", ROWS + 1 - 1000)

    def action_pt_duplicate_key_checker(self):
        self.sql("ALTER TABLE users ADD KEY double_name (name)")
        written = self.tool("pt-duplicate-key-checker", self.address(), f"--databases={self.database}")
        if "double_name" not in written:
            raise Failure(written[-1500:])

    def action_pt_find_and_summaries(self):
        found = self.tool("pt-find", *self.options(), "--tablesize", "+0", self.database)
        if "users" not in found:
            raise Failure(found)
        self.tool("pt-variable-advisor", self.address())
        self.tool("pt-kill", *self.options(), "--print", "--busy-time=9999", "--interval=1", "--run-time=1")

    def action_pt_query_digest(self):
        log = self.folder / "slow.log"
        self.write(
            log,
            f"# Time: 2026-01-01T00:00:00.000000Z\n# User@Host: root[root] @ localhost []\n# Query_time: 1.0  Lock_time: 0.0  Rows_sent: 1  Rows_examined: 1\nuse {self.database};\nSET timestamp=1767225600;\nSELECT * FROM users WHERE name = 'x';\n",
        )
        written = self.tool("pt-query-digest", log, "--explain", self.address(D=self.database))
        if "SELECT users" not in written:
            raise Failure(written[-1500:])

    def action_pt_heartbeat(self):
        self.tool(
            "pt-heartbeat",
            "--update",
            "--create-table",
            f"--database={self.database}",
            "--run-time=1",
            self.address(),
        )
        self.expect_value("SELECT COUNT(*) FROM heartbeat", 1)
        self.sql("DROP TABLE heartbeat")
