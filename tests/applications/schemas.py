"""Schemas of applications whose programs are not run here: Roundcube, FreeRADIUS, Bacula, Icinga 2 and Icinga DB.

Each is loaded as its package does, and some of what its application asks is asked. In the end each database has as
many tables, columns, parts of keys and foreign keys at both servers.

Not here: stored functions and procedures, which Rowhouse does not have.
"""

import re

from application import ROOT, Application
from web import Failure

DATABASES = {
    "roundcube": "usr/share/dbconfig-common/data/roundcube/install/mysql",
    "radius": "etc/freeradius/3.0/mods-config/sql/main/mysql/schema.sql",
    "bacula": "usr/share/dbconfig-common/data/bacula-director-mysql/install/mysql",
    "icinga2": "usr/share/icinga2-ido-mysql/schema/mysql.sql",
    "icingadb": "usr/share/icingadb/schema/mysql/schema.sql",
}
SHAPES = {
    "tables": "information_schema.tables",
    "columns": "information_schema.columns",
    "parts of keys": "information_schema.statistics",
    "foreign keys": "information_schema.referential_constraints",
}


class Schemas(Application):
    name = "schemas"
    package = "icingadb"

    def install(self):
        self.sql("".join(f"CREATE DATABASE {name} CHARACTER SET utf8mb4;" for name in DATABASES))

    def load_schema(self, name):
        text = (ROOT / DATABASES[name]).read_text("utf-8")
        text = re.sub(r"DELIMITER //.*?DELIMITER ;", "", text, flags=re.S)
        self.load(self.folder / f"{name}.sql", name, text)

    def rows_by_table(self):
        """The shape of each database in the place of rows."""
        found = {}
        for shape, table in SHAPES.items():
            schema = "constraint_schema" if shape == "foreign keys" else "table_schema"
            names = ", ".join(f"'{name}'" for name in DATABASES)
            counted = self.sql(f"SELECT {schema}, COUNT(*) FROM {table} WHERE {schema} IN ({names}) GROUP BY {schema}")
            found |= {f"{name} ({shape})": count for name, count in counted}
        return found

    def expect_rows(self, database, statement, *expected):
        found = self.sql(statement, database)
        if found != [tuple(row) for row in expected]:
            raise Failure(f"{statement}: {found}, not {expected}")

    def action_roundcube(self):
        self.load_schema("roundcube")

    def action_roundcube_keeps_contacts(self):
        self.sql(
            "INSERT INTO users (username, mail_host, created, preferences) VALUES ('ann', 'localhost', now(), 'a:0:{}');"
            "INSERT INTO identities (user_id, changed, name, email) VALUES (1, now(), 'Ann', 'ann@example.org');"
            "INSERT INTO contacts (user_id, changed, del, name, email, words) VALUES (1, now(), 0, 'Bob', 'bob@example.org', ' bob example org ');"
            "INSERT INTO contactgroups (user_id, changed, name) VALUES (1, now(), 'Friends');"
            "INSERT INTO contactgroupmembers (contactgroup_id, contact_id, created) VALUES (1, 1, now());"
            "INSERT INTO cache (user_id, cache_key, expires, data) VALUES (1, 'k', now(), 'v') ON DUPLICATE KEY UPDATE data = 'v'",
            "roundcube",
        )
        self.expect_rows(
            "roundcube",
            "SELECT c.name FROM contacts c JOIN contactgroupmembers m ON m.contact_id = c.contact_id WHERE c.words LIKE '% bob%' AND c.del <> 1 ORDER BY c.name",
            ("Bob",),
        )
        self.sql("DELETE FROM users WHERE user_id = 1", "roundcube")
        self.expect_rows("roundcube", "SELECT (SELECT COUNT(*) FROM contacts), (SELECT COUNT(*) FROM contactgroupmembers), (SELECT COUNT(*) FROM cache)", ("0", "0", "0"))

    def action_freeradius(self):
        self.load_schema("radius")
        for part in ("ippool", "dhcp", "ippool-dhcp", "moonshot-targeted-ids"):
            self.load_radius(part)

    def load_radius(self, part):
        self.load(ROOT / f"etc/freeradius/3.0/mods-config/sql/{part}/mysql/schema.sql", "radius")

    def action_freeradius_with_a_date_of_zero(self):
        self.load_radius("cui")

    def action_freeradius_lets_in_and_counts(self):
        self.sql(
            "INSERT INTO radcheck (username, attribute, op, value) VALUES ('ann', 'Cleartext-Password', ':=', 'x');"
            "INSERT INTO radusergroup (username, groupname, priority) VALUES ('ann', 'home', 1), ('ann', 'work', 0);"
            "INSERT INTO radacct (acctsessionid, acctuniqueid, username, nasipaddress, acctstarttime, acctupdatetime, acctsessiontime, acctinputoctets)"
            " VALUES ('s1', 'u1', 'ann', '192.0.2.1', FROM_UNIXTIME(1767225600), FROM_UNIXTIME(1767225600), 0, '0' << 32 | '0');"
            "UPDATE radacct SET acctupdatetime = (@acctupdatetime_old:=acctupdatetime), acctupdatetime = FROM_UNIXTIME(1767229200),"
            " acctinterval = 1767229200 - UNIX_TIMESTAMP(@acctupdatetime_old), acctinputoctets = '1' << 32 | '5' WHERE AcctUniqueId = 'u1'",
            "radius",
        )
        self.expect_rows("radius", "SELECT groupname FROM radusergroup WHERE username = 'ann' ORDER BY priority", ("work",), ("home",))
        self.expect_rows("radius", "SELECT acctinterval, acctinputoctets FROM radacct", ("3600", "4294967301"))

    def action_freeradius_gives_addresses(self):
        self.sql("INSERT INTO radippool (pool_name, framedipaddress, nasipaddress, pool_key, expiry_time) VALUES ('p', '192.0.2.10', '', '', NOW()), ('p', '192.0.2.11', '', '', NOW())", "radius")
        self.expect_rows(
            "radius",
            "START TRANSACTION; SELECT framedipaddress FROM radippool WHERE pool_name = 'p' AND expiry_time < NOW() + INTERVAL 1 DAY"
            " ORDER BY framedipaddress LIMIT 1 FOR UPDATE SKIP LOCKED; UPDATE radippool SET username = 'ann' WHERE framedipaddress = '192.0.2.10'; COMMIT",
            ("192.0.2.10",),
        )

    def action_bacula(self):
        self.load_schema("bacula")

    def action_bacula_stores_a_job(self):
        files = ",".join(f"({number}, 1, '/home/ann/{number % 10}/', 'file {number}', 'P0A B', 'digest', 0)" for number in range(1, 2001))
        self.sql(
            "CREATE TEMPORARY TABLE batch (FileIndex integer, JobId integer, Path blob, Name blob, LStat tinyblob, MD5 tinyblob, DeltaSeq integer);"
            f"INSERT INTO batch VALUES {files};"
            "LOCK TABLES Path write, batch write, Path as p write;"
            "INSERT INTO Path (Path) SELECT a.Path FROM (SELECT DISTINCT Path FROM batch) AS a WHERE NOT EXISTS (SELECT Path FROM Path AS p WHERE p.Path = a.Path);"
            "UNLOCK TABLES;"
            "LOCK TABLES Filename write, batch write, Filename as f write;"
            "INSERT INTO Filename (Name) SELECT a.Name FROM (SELECT DISTINCT Name FROM batch) AS a WHERE NOT EXISTS (SELECT Name FROM Filename AS f WHERE f.Name = a.Name);"
            "UNLOCK TABLES;"
            "INSERT INTO File (FileIndex, JobId, PathId, FilenameId, LStat, MD5, DeltaSeq) SELECT batch.FileIndex, batch.JobId, Path.PathId, Filename.FilenameId, batch.LStat, batch.MD5, batch.DeltaSeq"
            " FROM batch JOIN Path ON (batch.Path = Path.Path) JOIN Filename ON (batch.Name = Filename.Name);"
            "DROP TABLE batch",
            "bacula",
        )
        self.expect_rows("bacula", "SELECT (SELECT COUNT(*) FROM Path), (SELECT COUNT(*) FROM Filename), (SELECT COUNT(*) FROM File)", ("10", "2000", "2000"))
        self.expect_rows(
            "bacula",
            "SELECT CONVERT(CONCAT(Path.Path, Filename.Name) USING utf8mb4) FROM File JOIN Path USING (PathId) JOIN Filename USING (FilenameId) WHERE JobId = 1 AND Path.Path = '/home/ann/7/' ORDER BY FileIndex LIMIT 2",
            ("/home/ann/7/file 7",),
            ("/home/ann/7/file 17",),
        )

    def action_icinga2(self):
        self.load_schema("icinga2")

    def action_icinga2_writes_states(self):
        self.sql(
            "INSERT INTO icinga_instances (instance_name) VALUES ('default');"
            "INSERT INTO icinga_objects (instance_id, objecttype_id, name1, name2, is_active) VALUES (1, 1, 'door', NULL, 1), (1, 2, 'door', 'lock', 1);"
            "INSERT INTO icinga_hosts (instance_id, host_object_id, config_type, display_name) VALUES (1, 1, 1, 'Door');"
            "INSERT INTO icinga_hoststatus (instance_id, host_object_id, current_state, status_update_time) VALUES (1, 1, 0, FROM_UNIXTIME(1767225600))"
            " ON DUPLICATE KEY UPDATE current_state = 1;"
            "INSERT INTO icinga_hoststatus (instance_id, host_object_id, current_state) VALUES (1, 1, 0) ON DUPLICATE KEY UPDATE current_state = 1",
            "icinga2",
        )
        self.expect_rows("icinga2", "SELECT name1, current_state FROM icinga_objects o JOIN icinga_hoststatus s ON s.host_object_id = o.object_id WHERE BINARY o.name1 = 'door'", ("door", "1"))

    def action_icingadb(self):
        self.load_schema("icingadb")

    def action_icingadb_writes_states(self):
        self.sql(
            "INSERT INTO environment (id, name) VALUES (UNHEX(SHA1('env')), 'env');"
            "INSERT INTO host_state (id, host_id, environment_id, properties_checksum, last_comment_id, state_type, soft_state, hard_state, previous_soft_state, previous_hard_state, check_attempt,"
            " severity, output, is_problem, is_handled, is_reachable, is_flapping, is_overdue, is_acknowledged, in_downtime, last_update, last_state_change, next_check, next_update, check_timeout, execution_time, latency)"
            " VALUES (UNHEX(SHA1('a')), UNHEX(SHA1('a')), UNHEX(SHA1('env')), UNHEX(SHA1('p')), NULL, 'hard', 0, 0, 99, 99, 1, 0, 'OK \U0001f3e0', 'n', 'n', 'y', 'n', 'n', 'n', 'n', 1, 1, 2, 3, 60, 5, 1)"
            " ON DUPLICATE KEY UPDATE output = VALUES(output)",
            "icingadb",
        )
        self.expect_rows("icingadb", "SELECT LOWER(HEX(id)), state_type, output FROM host_state WHERE is_problem = 'n'", ("86f7e437faa5a7fce15d1ddcb9eaeaea377667b8", "hard", "OK \U0001f3e0"))
