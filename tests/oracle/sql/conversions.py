"""The matrix of conversions: values of each type in columns of each other type, by each statement
that stores the value of a column in another column, in two zones.

The expected answer is MySQL's. Where a MySQL server runs (`--mysql PORT`) it is asked; elsewhere MariaDB
is asked, and `conversions.tsv` holds MySQL's recorded answers for the cells in which it differs from
MariaDB. `--record` writes that file.

A cell is a source type, one of its values, a target type, a zone, a way (`alter`, `insert`, `update`)
and a mode (`lenient` or `strict`). Its answer is the stored value as a client reads it, or the number
of the error. In strict mode ALTER converts all values of a column by one statement: the value of
such a cell is `all`.

Not here: differences that are known (`conversion_reasons`), warnings, constants and parameters
(`strict.sql`, `lenient.sql`).
"""

import argparse
import collections
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "handlersocket"))

import conversion_reasons  # noqa: E402
import servers  # noqa: E402
from ways import answer, connect  # noqa: E402

RECORD = HERE / "conversions.tsv"
ZONES = ("-04:00", "+05:30")
STRICT = (
    "STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"
)
# MariaDB cuts fractions of a second without this mode, which MySQL does not know.
ROUNDING = ",TIME_ROUND_FRACTIONAL"

TEXTS = (
    "''", "'abc'", "'12'", "'1.5'", "'-7.25xyz'", "'new'", "'sent'", "'2024-02-29'",
    "'2024-02-29 23:59:59.987654'", "'10:11:12.345678'", "'[1, 2]'", "'äöü'",
)
MOMENTS = ("'2024-02-29 23:59:59.987654'", "'2001-01-01 00:00:00'", "'2036-12-31 12:30:00.5'")
# Type and literals for it. What does not fit is what lenient mode stores.
TYPES = (
    ("TINYINT", ("0", "1", "-128", "127", "99")),
    ("INT", ("0", "2", "-1", "2147483647", "20240229", "101112")),
    ("INT UNSIGNED", ("0", "3", "4294967295", "1999")),
    ("BIGINT", ("0", "-9223372036854775808", "1234567890123456789", "20240229101112")),
    ("BIGINT UNSIGNED", ("1", "18446744073709551615")),
    ("FLOAT", ("0", "1.5", "-2.25", "1e10", "1.17549e-30")),
    ("DOUBLE", ("0", "2.5", "-0.75", "1e100", "20240229", "0.1")),
    ("DECIMAL(10,2)", ("0", "1.50", "-2.25", "99999999.99", "101112.35")),
    ("DECIMAL(24,6)", ("2.500000", "20240229101112.345678")),
    ("CHAR(30)", TEXTS),
    ("VARCHAR(30)", TEXTS),
    ("TEXT", TEXTS),
    ("VARCHAR(2)", ("''", "'ab'", "'12'", "'äö'")),
    ("BINARY(4)", ("''", "'abcd'", "'12'", "'2024'")),
    ("VARBINARY(30)", ("''", "'abc'", "'12'", "'new'", "'2024-02-29'")),
    ("BLOB", ("''", "'12.7'", "'sent'", "'10:11:12'")),
    ("DATE", ("'2024-02-29'", "'1000-01-01'", "'9999-12-31'")),
    ("TIME", ("'10:11:12'", "'-01:00:00'", "'838:59:59'", "'00:00:00'")),
    ("TIME(3)", ("'10:11:12.345'", "'-00:00:00.500'")),
    ("DATETIME", MOMENTS),
    ("DATETIME(6)", MOMENTS),
    ("TIMESTAMP", MOMENTS),
    ("TIMESTAMP(3)", MOMENTS),
    ("YEAR", ("2024", "1999", "0")),
    ("ENUM('new','paid','sent')", ("'new'", "'paid'", "'sent'", "'unknown'")),
    ("ENUM('sent','open','new','12')", ("'new'", "'open'", "'12'", "'sent'")),
    ("SET('new','paid','sent')", ("''", "'new'", "'sent,paid'", "7", "'unknown'")),
    ("SET('sent','open','new','12')", ("'new'", "'open,12'", "'sent'", "''")),
    ("BIT(1)", ("0", "1")),
    ("BIT(12)", ("0", "65", "0x0414", "4095")),
    ("BIT(64)", ("0", "20240229", "0x3132", "18446744073709551615")),
    ("JSON", ("'1'", "'1.5'", "'\"abc\"'", "'[1, 2]'", "'{\"a\": 1}'", "'null'")),
)
NAMES = tuple(name for name, _ in TYPES)
Cell = collections.namedtuple("Cell", "source value target zone way mode")


class Side:
    """A server under comparison, in a database of its own."""

    def __init__(self, port, mode_more="", engine=None):
        self.connection = connect(port)
        self.mode_more, self.engine = mode_more, engine
        # Nothing here has to outlive its server.
        answer(self.connection, "SET GLOBAL innodb_flush_log_at_trx_commit=0")
        answer(self.connection, "SET GLOBAL sync_binlog=0")
        for statement in (
            "DROP DATABASE IF EXISTS conversions", "CREATE DATABASE conversions", "USE conversions",
            "SET timestamp=1700000000",
        ):
            self.must(statement)

    def must(self, statement):
        given = answer(self.connection, statement)
        if given.error is not None:
            raise RuntimeError(f"{statement}: {given}")
        return given

    def lenient(self):
        self.must(f"SET sql_mode='{self.mode_more.lstrip(',')}'")

    def strict(self):
        self.must(f"SET sql_mode='{STRICT}{self.mode_more}'")

    def make(self, name, types):
        """A table with a column for each type: t0, t1 and so on."""
        self.must(f"DROP TABLE IF EXISTS {name}")
        columns = ", ".join(f"t{at} {declared} NULL" for at, declared in enumerate(types))
        engine = f" ENGINE={self.engine}" if self.engine else ""
        self.must(f"CREATE TABLE {name} (id INT PRIMARY KEY, {columns}) CHARSET utf8mb4{engine}")

    def fill(self, name, values, columns=len(NAMES)):
        self.lenient()
        for row, value in enumerate(values):
            self.must(f"INSERT INTO {name} VALUES ({row}, {', '.join([value] * columns)})")

    def read(self, name, at):
        given = answer(self.connection, f"SELECT t{at} FROM {name} ORDER BY id")
        if given.error is not None:
            return [f"error {given.error}"]
        return ["NULL" if value is None else value for value, in given.rows]


def alter_cells(side, zone, source, values):
    """All targets of a source by ALTER TABLE."""
    out = {}
    for mode in ("lenient", "strict"):
        side.make("altered", [source] * len(NAMES))
        side.fill("altered", values)
        if mode == "strict":
            side.strict()
        for at, target in enumerate(NAMES):
            given = answer(side.connection, f"ALTER TABLE altered MODIFY t{at} {target} NULL")
            if mode == "strict" or given.error is not None:
                stored = side.read("altered", at) if given.error is None else []
                shown = f"error {given.error}" if given.error else " | ".join(stored)
                out[Cell(source, "all", target, zone, "alter", mode)] = shown
                continue
            for value, stored in zip(values, side.read("altered", at)):
                out[Cell(source, value, target, zone, "alter", mode)] = stored
    return out


def write_cells(side, zone, source, values, way):
    """All targets of a source by INSERT ... SELECT or UPDATE, a value and a column at a time."""
    out = {}
    side.make("given", [source])
    side.fill("given", values, 1)
    if way == "update":
        side.make("written", [*NAMES, source])
        for row in range(len(values)):
            side.must(f"INSERT INTO written (id) VALUES ({row})")
        side.must(f"UPDATE written, given SET written.t{len(NAMES)} = given.t0 WHERE written.id = given.id")
    else:
        side.make("written", NAMES)
    for mode in ("lenient", "strict"):
        side.lenient() if mode == "lenient" else side.strict()
        for at, target in enumerate(NAMES):
            for row, value in enumerate(values):
                if way == "update":
                    side.must(f"UPDATE written SET t{at} = NULL WHERE id = {row}")
                    statement = f"UPDATE written SET t{at} = t{len(NAMES)} WHERE id = {row}"
                else:
                    side.must(f"DELETE FROM written WHERE id = {row}")
                    statement = f"INSERT INTO written (id, t{at}) SELECT id, t0 FROM given WHERE id = {row}"
                given = answer(side.connection, statement)
                out[Cell(source, value, target, zone, way, mode)] = (
                    f"error {given.error}" if given.error is not None
                    else one(side, f"SELECT t{at} FROM written WHERE id = {row}")
                )
    return out


def one(side, statement):
    given = answer(side.connection, statement)
    if given.error is not None:
        return f"error {given.error}"
    value = given.rows[0][0]
    return "NULL" if value is None else value


def cells(side, ways=("alter", "insert", "update"), sources=None):
    """The answers of a server to all cells."""
    out = {}
    for zone in ZONES:
        side.must(f"SET time_zone='{zone}'")
        for source, values in TYPES:
            if sources and source not in sources or zone != ZONES[0] and not is_zoned(source):
                continue
            for way in ways:
                made = alter_cells(side, zone, source, values) if way == "alter" else (
                    write_cells(side, zone, source, values, way)
                )
                out.update(made)
    return out


def is_zoned(source):
    """Whether a type's values may depend on the zone: of the others one zone is enough."""
    return source.startswith(("DATE", "TIME")) or source == "VARCHAR(30)"


def escaped(text):
    return text.encode("unicode_escape").decode("ascii")


def recorded():
    """MySQL's answers where MariaDB's differ."""
    out = {}
    for line in RECORD.read_text("ascii").splitlines():
        *parts, given = line.split("\t")
        out[Cell(*(part.encode("ascii").decode("unicode_escape") for part in parts))] = (
            given.encode("ascii").decode("unicode_escape")
        )
    return out


def record(theirs, mysql):
    lines = [
        "\t".join(escaped(part) for part in (*cell, given))
        for cell, given in mysql.items() if theirs.get(cell) != given
    ]
    RECORD.write_text("\n".join(lines) + "\n", "ascii")
    print(f"{len(lines)} of {len(mysql)} cells recorded")


def compare(expected, ours, what, show):
    """Counts the cells in which we differ, by reason; those without a reason are failures."""
    reasons, failed = collections.Counter(), 0
    for cell, right in expected.items():
        given = ours.get(cell)
        if given == right or given is None:
            continue
        reason = conversion_reasons.reason_for(cell, right, given)
        if reason is not None:
            reasons[reason] += 1
            continue
        failed += 1
        if failed <= show:
            print(f"{what} {' '.join(cell[:1])} {cell.value} -> {cell.target}, {cell.way}, {cell.mode}, at "
                  f"{cell.zone}: {given!r}, expected {right!r}")
    for reason, times in reasons.most_common():
        print(f"{times:7} differ ({what}): {reason}")
    print(f"{what}: {len(ours) - failed} passed, {failed} failed")
    return failed


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rowhouse", help="the program to test")
    parser.add_argument("--mariadb-port", type=int, help="a MariaDB that runs already")
    parser.add_argument("--mysql-port", type=int, help="a MySQL 9.7 that runs already")
    parser.add_argument("--rowhouse-port", type=int, help="a Rowhouse that runs already")
    parser.add_argument("--record", action="store_true", help="write conversions.tsv")
    parser.add_argument("--source", action="append", help="this type alone")
    parser.add_argument("--show", type=int, default=100, help="failures that are printed")
    return parser.parse_args()


def main():
    arguments = options()
    started = []
    try:
        if not arguments.mariadb_port:
            started.append(servers.MariaDb())
            arguments.mariadb_port = started[-1].endpoint.mysql_port
        if not arguments.rowhouse_port and not arguments.record:
            started.append(servers.Rowhouse(arguments.rowhouse))
            arguments.rowhouse_port = started[-1].endpoint.mysql_port
        return run(arguments)
    finally:
        for server in started:
            server.stop()


def run(arguments):
    sources = arguments.source
    if arguments.mysql_port:
        expected = cells(Side(arguments.mysql_port), sources=sources)
    if arguments.record or not arguments.mysql_port:
        theirs = cells(Side(arguments.mariadb_port, ROUNDING), sources=sources)
    if arguments.record:
        record(theirs, expected)
        return 0
    if not arguments.mysql_port:
        expected = theirs | {cell: given for cell, given in recorded().items() if cell in theirs}
    ours = Side(arguments.rowhouse_port)
    failed = compare(expected, cells(ours, sources=sources), "rows", arguments.show)
    ours.must("SET rowhouse_executor='columns'")
    inserted = cells(ours, ("insert",), sources)
    failed += compare(expected, inserted, "columnar executor", arguments.show)
    ours.must("SET rowhouse_executor='auto'")
    ours.engine = "COLUMNAR"
    failed += compare(expected, cells(ours, ("alter",), sources), "columnar tables", arguments.show)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
