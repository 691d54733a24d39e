"""The tables of `information_schema`, `performance_schema` and `sys`, by name and column, beside
those of the newest MySQL (`scripts/newest`): each of MySQL's can be read here, and has MySQL's columns.
Figures of SHOW GLOBAL STATUS that exporters' dashboards read are there by name.

With --write the lists of columns that the program is made of are written anew, from that MySQL.

Prints `ok NAME` or `not ok NAME: why` for each database; the last line is `N passed, N failed`.
"""

import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent / "handlersocket"))

import pymysql  # noqa: E402 (found by the line above)
import servers  # noqa: E402

DATABASES = ("information_schema", "performance_schema", "sys")
LISTS = ROOT / "crates/sql/src/system_schema"
LINE_MAX = 100
SIGNS = {
    **dict.fromkeys(("bigint", "int", "smallint", "tinyint", "mediumint", "decimal"), "#"),
    **dict.fromkeys(("double", "float"), "%"),
    **dict.fromkeys(("timestamp", "datetime"), "@"),
    **dict.fromkeys(("longtext", "mediumtext", "json", "longblob", "mediumblob"), "~"),
}
LEGEND = "-- `#` a whole number, `%` a fraction, `@` a moment, `~` a long text, else a text; `?` may be NULL."
# Columns of what is of MySQL alone, where a table of ours has another make: NDB's and GIPK's.
NOT_HERE = {
    ("information_schema", "PARTITIONS"): {"NODEGROUP", "TABLESPACE_NAME"},
}
# Beginnings of the figures that the usual dashboards read.
FIGURES = (
    "Aborted_", "Com_select", "Connection_errors_", "Created_", "Handler_", "Innodb_buffer_pool_pages",
    "Innodb_buffer_pool_read", "Innodb_data_", "Innodb_row", "Innodb_log_w", "Innodb_os_log", "Key_", "Open",
    "Select_", "Sort_", "Table_", "Threads_", "Max_used_connections", "Queries", "Questions", "Slow_",
    "Bytes_", "Uptime",
)
# mysqltuner divides by the number of writes of InnoDB's log where waits for it are told.
ABSENT_FIGURES = {"Max_used_connections_time", "Innodb_log_waits"}


def connect(server):
    return pymysql.connect(host="127.0.0.1", port=server.endpoint.mysql_port, user="root").cursor()


def columns_of(mysql):
    """MySQL's tables: for each database its tables, for each of these its columns with their types."""
    tables = {database: {} for database in DATABASES}
    mysql.execute(
        "SELECT table_schema, table_name, column_name, data_type, is_nullable FROM information_schema.columns"
        " WHERE table_schema IN ('information_schema', 'performance_schema', 'sys')"
        " ORDER BY table_schema, table_name, ordinal_position"
    )
    for database, table, column, kind, nullable in mysql.fetchall():
        tables[database].setdefault(table, []).append((column, kind, nullable == "YES"))
    return tables


def lacking(ours, database, tables):
    """What is not here of MySQL's tables of a database."""
    found = []
    for table, columns in tables.items():
        try:
            ours.execute(f"SELECT * FROM {database}.`{table}` LIMIT 0")
        except pymysql.err.MySQLError as error:
            found.append(f"{table}: {error.args[1]}")
            continue
        here = {about[0].upper() for about in ours.description}
        absent = {column.upper() for column, _, _ in columns} - here - NOT_HERE.get((database, table), set())
        if absent:
            found.append(f"{table}: {', '.join(sorted(absent))}")
    return found


def written(tables, head):
    """The list of a database as the program reads it."""
    lines = [head, "-- " + LEGEND[3:]]
    for table, columns in tables.items():
        line = f"{table}:"
        for column, kind, nullable in columns:
            word = column + SIGNS.get(kind, "") + ("?" if nullable else "")
            if len(line) + 1 + len(word) > LINE_MAX:
                lines.append(line)
                line = "   "
            line += f" {word}"
        lines.append(line)
    return "\n".join(lines) + "\n"


def write(tables):
    """Writes the lists, of `information_schema` only the tables that are in its list already."""
    for database in DATABASES:
        path = LISTS / database / "tables.txt"
        text = path.read_text("utf-8")
        head = text.split("\n-- `#`", maxsplit=1)[0]
        kept = {line.split(":")[0] for line in text.splitlines() if ":" in line and not line.startswith("--")}
        listed = {name: columns for name, columns in tables[database].items()
                  if database != "information_schema" or name in kept}
        if database == "performance_schema":
            listed["processlist"].append(("MEMORY_USED", "bigint", False))
        path.write_text(written(listed, head), "utf-8")


def figures(cursor):
    cursor.execute("SHOW GLOBAL STATUS")
    return {name for name, _ in cursor.fetchall()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rowhouse", required=True)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if servers.newest_program("mysqld") is None:
        print("no MySQL to compare with: scripts/newest has not been run\n0 passed, 0 failed")
        return 0
    passed = failed = 0
    theirs = ours = None
    try:
        theirs = servers.MySql()
        mysql = connect(theirs)
        tables = columns_of(mysql)
        if arguments.write:
            write(tables)
        ours = servers.Rowhouse(arguments.rowhouse)
        here = connect(ours)
        checks = [(database, lacking(here, database, tables[database])) for database in DATABASES]
        wanted = {name for name in figures(mysql) if name.startswith(FIGURES)} - ABSENT_FIGURES
        checks.append(("SHOW GLOBAL STATUS", sorted(wanted - figures(here))))
        for name, absent in checks:
            if absent:
                failed += 1
                print(f"not ok {name}: " + "\n    ".join(absent))
            else:
                passed += 1
                print(f"ok {name}")
    finally:
        for server in (theirs, ours):
            if server is not None:
                server.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
