"""Tables of every type, and rows of nasty values, from a seed.

A value is an SQL literal that MariaDB and Rowhouse read alike. FLOATs have at most six digits:
mariadb-dump writes no more.
"""

import random

STRINGS = [
    "", " ", "'", "''", "\\", "\\'", "\\\\", '"', "`", ";", "--", "-- x\n", "/* x */", "/*!1 x */", "#",
    "\0", "\n", "\r\n", "\x1a", "\t", "\b", "%", "_", "\\%", "NULL", "0x41", "a;b", "');",
    "ü", "ñandú", "日本語", "😀", "e\u0301", "\u200d", "\ufeff", "\u2028", "ß", "İ",
]


def quoted(text):
    """A string as a hexadecimal literal in UTF-8: nothing in it needs an escape."""
    return f"_utf8mb4 x'{text.encode().hex()}'"


def string(rng, chars, latin=False):
    parts = [rng.choice(STRINGS) for _ in range(rng.randrange(6))]
    text = "".join(parts)
    if latin:
        text = "".join(c for c in text if ord(c) < 256 and not 0x80 <= ord(c) < 0xA0)
    return quoted(text[:chars].rstrip(" "))


def plain(rng, chars):
    return quoted("".join(rng.choice("abcÄß'\\ x") for _ in range(rng.randrange(chars))).strip())


def binary(rng, most, exact=False):
    length = most if exact else rng.choice([0, 1, rng.randrange(most + 1)])
    return f"x'{bytes(rng.randrange(256) for _ in range(length)).hex()}'"


def integer(bits, unsigned):
    low, high = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return lambda rng: str(rng.choice([low, high, 0, 1, rng.randint(low, high)]))


def decimal(precision, scale):
    def value(rng):
        digits = "".join(rng.choice("0123456789") for _ in range(rng.randint(1, precision)))
        digits = digits.rjust(scale + 1, "0")
        whole, part = digits[: len(digits) - scale], digits[len(digits) - scale :]
        return rng.choice(["", "-"]) + whole + ("." + part if scale else "")

    return value


def double(rng):
    special = ["1.7976931348623157e308", "2.2250738585072014e-308", "0e0", "-1e0", "1e22", "1e-7"]
    if rng.random() < 0.4:
        return rng.choice(special)
    text = repr(rng.uniform(-1, 1) * 10 ** rng.randint(-30, 30))
    # Without an exponent it would be a DECIMAL.
    return text if "e" in text else text + "e0"


def moment(rng, digits):
    if rng.random() < 0.1:
        return "'0000-00-00 00:00:00'"
    text = "%04d-%02d-%02d %02d:%02d:%02d" % (
        rng.randint(1000, 9999), rng.randint(1, 12), rng.randint(1, 28),
        rng.randrange(24), rng.randrange(60), rng.randrange(60),
    )
    return f"'{text}{fraction(rng, digits)}'"


def fraction(rng, digits):
    return "." + "".join(rng.choice("0123456789") for _ in range(digits)) if digits else ""


def timestamp(rng, digits):
    text = "%04d-%02d-%02d %02d:%02d:%02d" % (
        rng.randint(1971, 2037), rng.randint(1, 12), rng.randint(1, 28),
        rng.randrange(24), rng.randrange(60), rng.randrange(60),
    )
    return f"'{text}{fraction(rng, digits)}'"


def duration(rng, digits):
    sign = rng.choice(["", "-"])
    text = f"{rng.randrange(838)}:{rng.randrange(60):02}:{rng.randrange(60):02}"
    return f"'{sign}{text}{fraction(rng, digits)}'"


def date(rng):
    year, month, day = rng.randint(1000, 9999), rng.randint(1, 12), rng.randint(1, 28)
    return rng.choice(["'0000-00-00'", "'9999-12-31'", f"'{year}-{month:02}-{day:02}'"])


UTF8 = "CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"
BIN = "CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"

# Type, values, and whether its text is compared as bytes.
TYPES = [
    ("TINYINT", integer(8, False), False),
    ("TINYINT UNSIGNED", integer(8, True), False),
    ("TINYINT(1)", integer(8, False), False),
    ("SMALLINT", integer(16, False), False),
    ("MEDIUMINT UNSIGNED", integer(24, True), False),
    ("INT", integer(32, False), False),
    ("BIGINT", integer(64, False), False),
    ("BIGINT UNSIGNED", integer(64, True), False),
    ("FLOAT", lambda rng: f"{rng.randint(-99999, 99999)}e{rng.randint(-20, 20)}", False),
    ("DOUBLE", double, False),
    ("DECIMAL(9,0)", decimal(9, 0), False),
    ("DECIMAL(20,6)", decimal(20, 6), False),
    ("DECIMAL(65,30)", decimal(65, 30), False),
    (f"CHAR(20) {UTF8}", lambda rng: string(rng, 20), True),
    (f"VARCHAR(100) {UTF8}", lambda rng: string(rng, 100), True),
    (f"VARCHAR(100) {BIN}", lambda rng: string(rng, 100), True),
    ("VARCHAR(50) CHARACTER SET latin1", lambda rng: string(rng, 50, latin=True), True),
    (f"TINYTEXT {UTF8}", lambda rng: plain(rng, 100), True),
    (f"TEXT {UTF8}", lambda rng: string(rng, 1000), True),
    (f"MEDIUMTEXT {BIN}", lambda rng: string(rng, 1000), True),
    (f"LONGTEXT {UTF8}", lambda rng: plain(rng, 3000), True),
    ("BINARY(7)", lambda rng: binary(rng, 7, exact=True), True),
    ("VARBINARY(60)", lambda rng: binary(rng, 60), True),
    ("TINYBLOB", lambda rng: binary(rng, 255), True),
    ("BLOB", lambda rng: binary(rng, 300), True),
    ("LONGBLOB", lambda rng: binary(rng, 3000), True),
    ("DATE", date, False),
    ("TIME", lambda rng: duration(rng, 0), False),
    ("TIME(6)", lambda rng: duration(rng, 6), False),
    ("DATETIME", lambda rng: moment(rng, 0), False),
    ("DATETIME(3)", lambda rng: moment(rng, 3), False),
    ("DATETIME(6)", lambda rng: moment(rng, 6), False),
    ("TIMESTAMP NULL", lambda rng: timestamp(rng, 0), False),
    ("TIMESTAMP(6) NULL", lambda rng: timestamp(rng, 6), False),
    ("YEAR", lambda rng: str(rng.choice([0, 1901, 2155, rng.randint(1901, 2155)])), False),
    (f"ENUM('a','it''s','c,d','ü','') {UTF8}", lambda rng: str(rng.randint(1, 5)), True),
    (f"SET('a','it''s','ü','') {UTF8}", lambda rng: str(rng.randint(0, 15)), True),
    ("BIT(1)", integer(1, True), True),
    ("BIT(12)", integer(12, True), True),
    ("BIT(64)", integer(64, True), True),
    ("JSON", lambda rng: rng.choice(["'{}'", "'[]'", "'{\"a\": [1, null, \"x\"]}'", "'\"😀\"'"]), True),
]


def tables(seed, rows):
    """Tables as (name, columns, rows): columns are (name, type, bytes?), rows lists of literals."""
    rng = random.Random(seed)
    one_of_each = [(f"c{n}", *TYPES[n]) for n in range(len(TYPES))]
    made = [("every type", one_of_each)]
    for n in range(4):
        name = f"t{n}" + rng.choice(["", "`", " x", "'", '"', ";", "ü", "--", "\\"])
        chosen = [rng.choice(TYPES) for _ in range(rng.randint(1, 12))]
        made.append((name, [(f"c`{at}" if at == 3 else f"c{at}", *c) for at, c in enumerate(chosen)]))
    for name, columns in made:
        lines = []
        for _ in range(rows):
            lines.append([value(rng) if rng.random() > 0.15 else "NULL" for _, _, value, _ in columns])
        yield name, [(column, ty, as_bytes) for column, ty, _, as_bytes in columns], lines


def name(text):
    return "`" + text.replace("`", "``") + "`"


def sql(seed, rows):
    """All tables of a seed as a file, one row to a statement; every other table has a key."""
    out = ["SET NAMES utf8mb4;", "SET time_zone='+00:00';", "SET sql_mode='';"]
    for n, (table, columns, lines) in enumerate(tables(seed, rows)):
        defined = ["id INT NOT NULL"] + [f"{name(column)} {ty}" for column, ty, _ in columns]
        if n % 2 == 0:
            defined[0] += " AUTO_INCREMENT PRIMARY KEY"
        ends = "DEFAULT CHARSET=utf8mb4 COMMENT='it''s'"
        out.append(f"CREATE TABLE {name(table)} ({', '.join(defined)}) {ends};")
        for at, line in enumerate(lines):
            out.append(f"INSERT INTO {name(table)} VALUES ({', '.join([str(at + 1)] + line)});")
    return "\n".join(out) + "\n"
