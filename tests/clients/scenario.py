"""What every Python client is put through; `with_pymysql.py` and
`with_connector.py` give the connections."""

import datetime
import decimal
import os
import sys
import threading
import traceback

PORT = int(os.environ["PORT"])
WORK = os.environ["WORK"]
ROOT_PASSWORD = os.environ["ROOT_PASSWORD"]

KINDS = [
    ("tiny", "TINYINT", -5),
    ("tiny_u", "TINYINT UNSIGNED", 250),
    ("small", "SMALLINT", -300),
    ("medium", "MEDIUMINT", -70000),
    ("int_u", "INT UNSIGNED", 4000000000),
    ("big", "BIGINT", -(2**63)),
    ("flag", "BOOL", 1),
    ("flt", "FLOAT", 1.5),
    ("dbl", "DOUBLE", -2.5e9),
    ("deci", "DECIMAL(12,3)", decimal.Decimal("-123.450")),
    ("chr", "CHAR(5)", "gr\u00fcn"),
    ("vchr", "VARCHAR(50)", "\U0001F600 x"),
    ("txt", "TEXT", "text 'quoted' \\ back"),
    ("bin", "BINARY(4)", b"\x00\xff\x01\x02"),
    ("vbin", "VARBINARY(5)", b"\x00\xff\x01"),
    ("tblb", "TINYBLOB", b""),
    ("blb", "BLOB", b"\x00\xfe'"),
    ("mtxt", "MEDIUMTEXT", "\u4e2d\u6587 \U0001F468\u200D\U0001F469\u200D\U0001F467"),
    ("dat", "DATE", datetime.date(2024, 2, 29)),
    # Negative times, times above a day and doubles beyond a FLOAT's digits are written wrongly by
    # one or the other Python client, whatever the server.
    ("tim", "TIME(3)", datetime.timedelta(hours=20, minutes=1, seconds=2, microseconds=500000)),
    ("dt", "DATETIME(6)", datetime.datetime(2024, 2, 29, 12, 34, 56, 789)),
    ("yr", "YEAR", 2024),
    ("ts", "TIMESTAMP", datetime.datetime(2023, 11, 14, 22, 13, 20)),
    ("enm", "ENUM('red','green')", "green"),
    ("st", "SET('a','b','c')", "a,c"),
    ("bt", "BIT(12)", b"\x0a\x01"),
    ("js", "JSON", '{"a": 1}'),
    ("nul", "DOUBLE", None),
]


class Suite:
    """Runs checks by name and prints how each ended."""

    def __init__(self, client):
        self.client = client
        self.failed = 0

    def check(self, name, body):
        try:
            body()
            print(f"ok {self.client}: {name}")
        except Exception as error:  # every way to fail is a result
            self.failed += 1
            print(f"not ok {self.client}: {name}: {error!r}")
            traceback.print_exc(limit=-3)

    def end(self):
        sys.exit(1 if self.failed else 0)


def plain(value):
    if isinstance(value, set):  # Connector/Python's SET
        return ",".join(sorted(value))
    return bytes(value) if isinstance(value, bytearray) else value


def same(got, expected):
    assert got == expected, f"got {got!r}, expected {expected!r}"


def database(connection, name):
    cursor = connection.cursor()
    cursor.execute(f"DROP DATABASE IF EXISTS {name}")
    cursor.execute(f"CREATE DATABASE {name}")
    cursor.execute(f"USE {name}")
    return cursor


def kinds(cursor, binary=None, as_text=(), unread=()):
    """Every type goes in as a parameter and comes back as the same value; `binary` is a cursor
    that uses prepared statements, to which the columns `as_text` are given as text and which does
    not read the columns `unread`, because the client itself writes or reads them wrongly."""
    columns = ", ".join(f"{name} {ty}" for name, ty, _ in KINDS)
    cursor.execute(f"CREATE TABLE kind (id INT AUTO_INCREMENT PRIMARY KEY, {columns})")
    names = ", ".join(name for name, _, _ in KINDS)
    marks = ", ".join(["%s"] * len(KINDS))
    insert = f"INSERT INTO kind ({names}) VALUES ({marks})"
    cursor.execute(insert, [value for _, _, value in KINDS])
    cursor.execute(insert, [None] * len(KINDS))
    same(cursor.rowcount, 1)
    rows = 2
    if binary is not None:
        binary.execute(insert, [str(v) if name in as_text else v for name, _, v in KINDS])
        binary.execute(insert, [None] * len(KINDS))
        rows = 4
    for reader in [cursor] if binary is None else [cursor, binary]:
        for row in range(1, rows + 1):
            read = [kind for kind in KINDS if reader is cursor or kind[0] not in unread]
            names = ", ".join(name for name, _, _ in read)
            reader.execute(f"SELECT {names} FROM kind WHERE id = %s", (row,))
            (got_row,) = reader.fetchall()
            for (name, _, value), got in zip(read, got_row):
                got = plain(got)
                # The C extension gives JSON of a prepared statement as bytes, also from MySQL.
                got = got.decode() if name == "js" and isinstance(got, bytes) else got
                # Connector/Python makes a number of a BIT.
                got = got.to_bytes(len(value)) if name == "bt" and isinstance(got, int) else got
                expected = value if row % 2 == 1 else None
                assert got == expected, f"row {row}, {name}: got {got!r}, expected {expected!r}"


INTEGERS = [("TINYINT", 8), ("SMALLINT", 16), ("MEDIUMINT", 24), ("INT", 32), ("BIGINT", 64)]


def limits(cursor, error_type, binary=None, signed=False):
    """The ends of every integer type's range come back; one step further is error 1264. `signed`:
    the binary cursor takes every 64-bit integer for a signed one."""
    writers = [cursor] if binary is None else [cursor, binary]
    for ty, bits in INTEGERS:
        low, high, high_u = -(1 << bits - 1), (1 << bits - 1) - 1, (1 << bits) - 1
        cursor.execute("DROP TABLE IF EXISTS edge")
        cursor.execute(f"CREATE TABLE edge (id INT PRIMARY KEY, v {ty}, u {ty} UNSIGNED)")
        for i, writer in enumerate(writers):
            insert = "INSERT INTO edge VALUES (%s, %s, %s)"
            writer.execute(insert, (10 * i, low, 0))
            # As text, because the C extension's parameters end at 2^63.
            writer.execute(insert, (10 * i + 1, high, str(high_u)))
            too_far = [(low - 1, 0), (high + 1, 0), (0, -1), (0, high_u + 1)]
            # Beyond 64 bits a binary parameter cannot go.
            for v, u in too_far[:3] if bits < 64 else too_far[2:3]:
                refused(writer, error_type, 1264, insert, (99, v, u))
            writer.execute("SELECT v, u FROM edge WHERE id >= %s ORDER BY id", (10 * i,))
            top = -1 if signed and writer is binary and bits == 64 else high_u
            same([tuple(row) for row in writer.fetchall()], [(low, 0), (high, top)])


def refused(cursor, error_type, number, text, arguments=None):
    try:
        cursor.execute(text, arguments)
        raise AssertionError(f"no error: {text} {arguments}")
    except error_type as error:
        got = error.args[0] if isinstance(error.args[0], int) else error.errno
        assert got == number, f"got {error!r}, expected error {number}: {text} {arguments}"


def changes(cursor, error_type):
    """Counts, generated values, errors by number."""
    cursor.execute("CREATE TABLE n (id INT AUTO_INCREMENT PRIMARY KEY, v INT UNIQUE, t VARCHAR(9))")
    cursor.executemany("INSERT INTO n (v, t) VALUES (%s, %s)", [(i, f"t{i}") for i in range(100)])
    same(cursor.rowcount, 100)
    cursor.execute("INSERT INTO n (v) VALUES (1000)")
    same(cursor.lastrowid, 101)
    cursor.execute("UPDATE n SET t = 'x' WHERE id <= 10")
    same(cursor.rowcount, 10)
    cursor.execute("DELETE FROM n WHERE id > %s", (99,))
    same(cursor.rowcount, 2)
    cursor.execute("SELECT COUNT(*), MAX(v) FROM n WHERE t LIKE %s", ("t%",))
    same(tuple(cursor.fetchone()), (89, 98))
    cursor.execute("SELECT LAST_INSERT_ID()")
    same(cursor.fetchone()[0], 101)
    cursor.execute("INSERT INTO n (v) VALUES (2001), (2002), (2003)")
    cursor.execute("SELECT LAST_INSERT_ID(), @@last_insert_id")
    same(tuple(cursor.fetchone()), (102, 102))
    for text, number in [
        ("SELECT nothing FROM n", 1054),
        ("SELECT * FROM nothing", 1146),
        ("INSERT INTO n (v) VALUES (1)", 1062),
        ("nonsense", 1064),
        ("INSERT INTO n (id, v) VALUES (500, 99999999999)", 1264),
        ("INSERT INTO n (t) VALUES ('ten letters')", 1406),
        ("INSERT INTO n (id, v) VALUES (501, 'x')", 1366),
        ("INSERT INTO n VALUES (1, 2)", 1136),
        ("CREATE TABLE n (id INT)", 1050),
        ("DROP TABLE nothing", 1051),
        ("USE nothing", 1049),
    ]:
        refused(cursor, error_type, number, text)
    cursor.execute("CREATE TABLE strict (a INT NOT NULL, b DATE)")
    refused(cursor, error_type, 1048, "INSERT INTO strict VALUES (NULL, NULL)")
    refused(cursor, error_type, 1364, "INSERT INTO strict (b) VALUES (NULL)")
    refused(cursor, error_type, 1292, "INSERT INTO strict VALUES (1, '2023-02-30')")
    # A statement of several rows that fails at its last leaves none.
    refused(cursor, error_type, 1048, "INSERT INTO strict VALUES (1, NULL), (NULL, NULL)")
    cursor.execute("SELECT COUNT(*) FROM strict")
    same(cursor.fetchone()[0], 0)


def transactions(connection, other):
    cursor = connection.cursor()
    cursor.execute("CREATE TABLE tx (id INT PRIMARY KEY)")
    connection.begin() if hasattr(connection, "begin") else connection.start_transaction()
    cursor.execute("INSERT INTO tx VALUES (1)")
    watcher = other.cursor()
    watcher.execute("SELECT COUNT(*) FROM tx")
    same(watcher.fetchone()[0], 0)
    other.rollback()
    connection.rollback()
    cursor.execute("INSERT INTO tx VALUES (2)")
    connection.commit()
    watcher.execute("SELECT id FROM tx")
    same([tuple(row) for row in watcher.fetchall()], [(2,)])


def load(cursor):
    path = os.path.join(WORK, "load.tsv")
    with open(path, "w", encoding="utf-8") as file:
        for i in range(20000):
            file.write(f"{i}\tname {i}\n")
    cursor.execute("CREATE TABLE loaded (id INT PRIMARY KEY, name VARCHAR(30))")
    cursor.execute(f"LOAD DATA LOCAL INFILE '{path}' INTO TABLE loaded")
    same(cursor.rowcount, 20000)
    cursor.execute("SELECT name FROM loaded WHERE id = 12345")
    same(plain(cursor.fetchone()[0]), "name 12345")


def large(cursor):
    cursor.execute("CREATE TABLE large (id INT PRIMARY KEY, data LONGBLOB)")
    data = os.urandom(1 << 20) * 20
    cursor.execute("INSERT INTO large VALUES (1, %s)", (data,))
    cursor.execute("SELECT data FROM large WHERE id = 1")
    assert plain(cursor.fetchone()[0]) == data, "20 MiB did not come back"


def long_result(cursor):
    """10,000 rows, wide enough for many packets, in the order of the key."""
    cursor.execute("CREATE TABLE many (id INT PRIMARY KEY, name VARCHAR(200))")
    for start in range(0, 10000, 1000):
        values = [(i, f"row {i} " + "\u00fc" * (i % 90)) for i in range(start, start + 1000)]
        cursor.executemany("INSERT INTO many VALUES (%s, %s)", values)
    cursor.execute("SELECT id, name FROM many ORDER BY id")
    rows = cursor.fetchall()
    same(len(rows), 10000)
    for i, row in enumerate(rows):
        same(tuple(row), (i, f"row {i} " + "\u00fc" * (i % 90)))


def together(connect):
    """Sixteen connections insert and count up at once; no row and no step is lost."""
    first = connect()
    cursor = first.cursor()
    cursor.execute("CREATE TABLE shared (id INT AUTO_INCREMENT PRIMARY KEY, who INT, n INT)")
    cursor.execute("CREATE TABLE counter (id INT PRIMARY KEY, n INT)")
    cursor.execute("INSERT INTO counter VALUES (1, 0)")
    errors = []

    def work(who):
        try:
            connection = connect()
            mine = connection.cursor()
            for n in range(50):
                mine.execute("INSERT INTO shared (who, n) VALUES (%s, %s)", (who, n))
                mine.execute("UPDATE counter SET n = n + 1 WHERE id = 1")
            connection.close()
        except Exception as error:  # reported by the thread that waits
            errors.append(error)

    threads = [threading.Thread(target=work, args=(who,)) for who in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    same(errors, [])
    cursor.execute("SELECT COUNT(*), COUNT(DISTINCT who), SUM(n) FROM shared")
    same(tuple(int(value) for value in cursor.fetchone()), (800, 16, 16 * 49 * 25))
    cursor.execute("SELECT n FROM counter WHERE id = 1")
    same(cursor.fetchone()[0], 800)
    first.close()
