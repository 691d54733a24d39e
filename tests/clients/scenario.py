"""What every Python client is put through; `with_pymysql.py` and
`with_connector.py` give the connections."""

import datetime
import decimal
import os
import sys
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
    ("vbin", "VARBINARY(5)", b"\x00\xff\x01"),
    ("blb", "BLOB", b"\x00\xfe'"),
    ("dat", "DATE", datetime.date(2024, 2, 29)),
    # Negative times, times above a day and doubles beyond a FLOAT's digits are written wrongly by
    # one or the other Python client, whatever the server.
    ("tim", "TIME(3)", datetime.timedelta(hours=20, minutes=1, seconds=2, microseconds=500000)),
    ("dt", "DATETIME(6)", datetime.datetime(2024, 2, 29, 12, 34, 56, 789)),
    ("ts", "TIMESTAMP", datetime.datetime(2023, 11, 14, 22, 13, 20)),
    ("enm", "ENUM('red','green')", "green"),
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
    return bytes(value) if isinstance(value, bytearray) else value


def same(got, expected):
    assert got == expected, f"got {got!r}, expected {expected!r}"


def database(connection, name):
    cursor = connection.cursor()
    cursor.execute(f"DROP DATABASE IF EXISTS {name}")
    cursor.execute(f"CREATE DATABASE {name}")
    cursor.execute(f"USE {name}")
    return cursor


def kinds(cursor, binary=None):
    """Every type goes in as a parameter and comes back as the same value; `binary` is a cursor
    that uses prepared statements."""
    columns = ", ".join(f"{name} {ty}" for name, ty, _ in KINDS)
    cursor.execute(f"CREATE TABLE kind (id INT AUTO_INCREMENT PRIMARY KEY, {columns})")
    names = ", ".join(name for name, _, _ in KINDS)
    marks = ", ".join(["%s"] * len(KINDS))
    values = [value for _, _, value in KINDS]
    writers = [cursor] if binary is None else [cursor, binary]
    for writer in writers:
        writer.execute(f"INSERT INTO kind ({names}) VALUES ({marks})", values)
    cursor.execute(f"SELECT {names} FROM kind")
    rows = cursor.fetchall()
    same(len(rows), len(writers))
    for row in rows:
        for (name, _, value), got in zip(KINDS, row):
            assert plain(got) == value, f"{name}: got {got!r}, expected {value!r}"
    if binary is not None:
        binary.execute(f"SELECT {names} FROM kind WHERE id = %s", (1,))
        for (name, _, value), got in zip(KINDS, binary.fetchone()):
            got = plain(got)
            # The C extension gives JSON of a prepared statement as bytes, also from MySQL.
            got = got.decode() if name == "js" and isinstance(got, bytes) else got
            assert got == value, f"binary {name}: got {got!r}, expected {value!r}"


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
    for text, number in [
        ("SELECT nothing FROM n", 1054),
        ("SELECT * FROM nothing", 1146),
        ("INSERT INTO n (v) VALUES (1)", 1062),
        ("nonsense", 1064),
    ]:
        try:
            cursor.execute(text)
            raise AssertionError(f"no error: {text}")
        except error_type as error:
            same(error.args[0] if isinstance(error.args[0], int) else error.errno, number)


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
