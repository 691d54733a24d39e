"""The tables that generated statements read, and which columns are of which kind.

`v` has every column type with NULLs and the ends of each type's range. The others are small and
meet each other: with and without indexes, with and without NULLs, with equal rows, empty.

Not here: the statements over them (`expressions`, `queries`).
"""

import random

# Kind of expression -> columns of `v` with their types.
COLUMNS = {
    "int": {
        "ti": "TINYINT", "si": "SMALLINT", "mi": "MEDIUMINT", "i": "INT", "b": "BIGINT",
        "bo": "BOOL",
    },
    "uint": {
        "tu": "TINYINT UNSIGNED", "su": "SMALLINT UNSIGNED", "mu": "MEDIUMINT UNSIGNED",
        "iu": "INT UNSIGNED", "bu": "BIGINT UNSIGNED",
    },
    "decimal": {"n": "DECIMAL(10,2)", "n0": "DECIMAL(20,0)", "n9": "DECIMAL(30,9)"},
    "double": {"f": "FLOAT", "d": "DOUBLE"},
    "text": {
        "c": "CHAR(5)", "s": "VARCHAR(20)", "sb": "VARCHAR(20) COLLATE utf8mb4_bin",
        "tx": "TEXT", "e": "ENUM('small','Big','x')",
    },
    "binary": {"bi": "BINARY(3)", "vb": "VARBINARY(10)", "bl": "BLOB"},
    "date": {"da": "DATE"},
    "time": {"t": "TIME", "tm": "TIME(3)"},
    "datetime": {"dt": "DATETIME", "dm": "DATETIME(6)", "ts": "TIMESTAMP NULL"},
    "year": {"y": "YEAR"},
}

# The values of each kind of column, put in their rows by a fixed seed.
VALUES = {
    "ti": ["0", "1", "-1", "127", "-128", "5"],
    "si": ["0", "1", "-1", "32767", "-32768", "77"],
    "mi": ["0", "1", "-1", "8388607", "-8388608", "12"],
    "i": ["0", "1", "-1", "2147483647", "-2147483648", "3", "7", "100"],
    "b": ["0", "1", "-1", "9223372036854775807", "-9223372036854775808", "20", "-13"],
    "bo": ["0", "1"],
    "tu": ["0", "1", "255", "7"],
    "su": ["0", "1", "65535", "300"],
    "mu": ["0", "1", "16777215", "8"],
    "iu": ["0", "1", "4294967295", "9"],
    "bu": ["0", "1", "18446744073709551615", "9223372036854775808", "42"],
    "n": ["0", "1.50", "-1.50", "99999999.99", "-99999999.99", "0.01", "12.34"],
    "n0": ["0", "1", "-1", "99999999999999999999", "18446744073709551615", "17"],
    "n9": ["0", "0.000000001", "-2.5", "123456789012345678901.123456789", "3.14"],
    "f": ["0", "1.5", "-2.25", "1e10", "0.1", "-0.125"],
    "d": ["0", "1.5", "-2.25", "1e15", "0.1", "123456.789", "-0.5"],
    "c": ["''", "'a'", "'A'", "'ab'", "'é'", "'12'", "'x y'"],
    "s": ["''", "'a'", "'A'", "'abc'", "'ABC'", "'12abc'", "'1.5'", "'Ärger'", "' x '", "'a%b_c'",
          "'2024-02-29'", "'10:11:12'"],
    "sb": ["''", "'a'", "'A'", "'abc'", "'-3'", "'ß'", "'a '"],
    "tx": ["''", "'text'", "'Long text with words'", "'7'", "'1e2'", "'日本語'"],
    "e": ["'small'", "'Big'", "'x'"],
    "bi": ["x'000000'", "x'616263'", "x'ff00ff'", "'a'"],
    "vb": ["''", "x'61'", "x'00'", "x'ff'", "'abc'", "'12'"],
    "bl": ["''", "'abc'", "'ABC'", "x'8000'"],
    "da": ["'2024-02-29'", "'1970-01-01'", "'9999-12-31'", "'1000-01-01'", "'2023-12-31'"],
    "t": ["'00:00:00'", "'12:34:56'", "'-01:02:03'", "'838:59:59'", "'-838:59:59'", "'100:00:00'"],
    "tm": ["'00:00:00'", "'12:34:56.789'", "'-00:00:00.500'", "'23:59:59.999'"],
    "dt": ["'2024-02-29 12:34:56'", "'1970-01-01 00:00:01'", "'9999-12-31 23:59:59'",
           "'2000-01-01 00:00:00'", "'2023-12-31 23:59:59'"],
    "dm": ["'2024-02-29 12:34:56.789012'", "'2000-01-01 00:00:00'", "'2010-10-10 10:10:10.5'"],
    "ts": ["'2024-02-29 12:34:56'", "'1970-01-01 00:00:01'", "'2038-01-19 03:14:07'"],
    "y": ["2024", "1901", "2155", "2000"],
}

ROWS_OF_V = 16

# Small tables that joins and groupings read: columns by kind, indexes, number of rows.
SMALL = {
    "p": (
        {"id": "INT PRIMARY KEY", "a": "INT", "b": "INT", "s": "VARCHAR(5)"},
        ["KEY (a)", "KEY (s)"],
        12,
    ),
    "q": ({"id": "INT PRIMARY KEY", "a": "INT", "c": "BIGINT", "s": "VARCHAR(5)"}, [], 9),
    "r": (
        {"id": "INT PRIMARY KEY", "b": "INT NOT NULL", "c": "BIGINT", "n": "DECIMAL(6,2)"},
        ["KEY (b,c)", "UNIQUE KEY (n)"],
        30,
    ),
    "w": ({"a": "INT", "b": "INT", "s": "VARCHAR(5)", "d": "DATE"}, ["KEY (d)"], 14),
    "z": ({"id": "INT PRIMARY KEY", "a": "INT", "s": "VARCHAR(5)"}, ["KEY (a)"], 0),
}

KIND_OF_SMALL = {
    "id": "int", "a": "int", "b": "int", "c": "int", "n": "decimal", "s": "text", "d": "date",
}


def statements():
    """What makes and fills all tables, the same on every server."""
    chance = random.Random("tables")
    columns = {name: kind for group in COLUMNS.values() for name, kind in group.items()}
    listed = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    yield f"CREATE TABLE v (id INT PRIMARY KEY, {listed}, KEY (i), KEY (s), KEY (dt))"
    for row in range(1, ROWS_OF_V + 1):
        values = [str(row)]
        for name in columns:
            # The first rows take each value once, so that none is missing.
            some = VALUES[name]
            value = some[row - 1] if row <= len(some) else chance.choice(some + ["NULL"] * 2)
            values.append("NULL" if row == ROWS_OF_V else value)
        yield f"INSERT INTO v VALUES ({', '.join(values)})"
    for name, (columns, keys, count) in SMALL.items():
        listed = ", ".join([f"{column} {kind}" for column, kind in columns.items()] + keys)
        yield f"CREATE TABLE {name} ({listed})"
        for row in range(1, count + 1):
            values = [small_value(chance, column, kind, row) for column, kind in columns.items()]
            yield f"INSERT INTO {name} VALUES ({', '.join(values)})"


def small_value(chance, column, kind, row):
    if column == "id":
        return str(row)
    if column == "n":
        return "NULL" if row % 7 == 0 else f"{row % 9}.{row:02}"
    if "NOT NULL" not in kind and chance.random() < 0.25:
        return "NULL"
    if column == "s":
        return chance.choice(["'a'", "'A'", "'b'", "'c'", "''", "'é'"])
    if column == "d":
        return chance.choice(["'2024-01-01'", "'2024-02-29'", "'2023-12-31'"])
    return str(chance.randint(-1, 6))
