"""Random columns: their types, and values for them, among which some are too long, too large or none of the type.

Not here: the tables that have them (`schema`).
"""

COLLATIONS = (
    "utf8mb4_0900_ai_ci", "utf8mb4_0900_as_cs", "utf8mb4_general_ci", "utf8mb4_bin", "utf8mb4_unicode_ci",
    "utf8mb4_sv_0900_ai_ci", "latin1_swedish_ci", "latin1_bin",
)
WORDS = (
    "", "a", "A", "b", "ab", "Ab", "abc", "ä", "Ä", "ß", "ss", "a ", " a", "zz", "12", "7", "-3", "1.5", "x_y", "%", "Ångström",
    "2001-02-03", "10:11:12", "long text that is cut", "y,x", "x,y",
)
NUMBERS = ("0", "1", "2", "3", "5", "7", "10", "-1", "-4", "100", "127", "128", "255", "1000", "70000", "1.5", "2.49", "-0.5", "'8'")
MOMENTS = (
    "'2001-02-03'", "'2024-02-29'", "'1999-12-31 23:59:59'", "'2001-02-03 04:05:06.789'", "'2023-02-29'", "'0000-00-00'",
    "20010203", "'10:11:12'", "'70-01-01'", "'2038-01-20 03:14:07'",
)
# What is a value of each kind, whichever of its types a column has: conditions name no others. What becomes of a statement
# whose constants are none, MySQL settles before it looks at rows.
PLAIN = {
    "number": [str(number) for number in range(12)], "text": ["'" + word + "'" for word in WORDS],
    "bytes": ["''", "'a'", "x'00'", "'abc'"], "moment": ["'2001-02-03'", "'2024-02-29'", "'1999-12-31'", "'2038-01-01'"],
    "time": ["'10:11:12'", "'-01:00:00'", "'00:00:00'"], "year": ["2001", "1999", "2155"], "enum": ["'a'", "'b'", "'c d'"],
    "set": ["'x'", "'x,y'", "''"], "bit": ["0", "1", "5"], "json": ["CAST('3' AS JSON)", "CAST('[1]' AS JSON)"],
}


class Column:
    """A column: its name, type as it is written, and of which kind its values are."""

    def __init__(self, name, type_text, kind, collation=None, nullable=True, default=None, generated=None):
        self.name, self.type_text, self.kind = name, type_text, kind
        self.collation, self.nullable, self.default, self.generated = collation, nullable, default, generated

    def text(self):
        words = [self.name, self.type_text]
        if self.collation:
            words.append(f"CHARACTER SET {self.collation.split('_')[0]} COLLATE {self.collation}")
        if self.generated:
            expression, stored = self.generated
            words.append(f"GENERATED ALWAYS AS ({expression}) {'STORED' if stored else 'VIRTUAL'}")
        if not self.nullable:
            words.append("NOT NULL")
        if self.default is not None:
            words.append(f"DEFAULT {self.default}")
        return " ".join(words)

    def value(self, random):
        """A literal for it, mostly one that it can have."""
        pick = random.random()
        if pick < 0.08:
            return "NULL"
        if pick < 0.1 and not self.generated:
            return "DEFAULT"
        if pick < 0.13:
            return random.choice(("'a'", "'3x'", "-1", "3.7", "'2001-02-03'", "99999999999", "x'41'"))
        return self.good_value(random)

    def plain_value(self, random):
        return random.choice(PLAIN[self.kind])

    def good_value(self, random):
        if self.kind == "number":
            return random.choice(NUMBERS) if random.random() < 0.3 else str(random.randrange(12))
        if self.kind == "text":
            return "'" + random.choice(WORDS) + "'"
        if self.kind == "bytes":
            return random.choice(("''", "'a'", "x'00'", "x'ff00'", "'abc'", "'A'"))
        if self.kind == "moment":
            return random.choice(MOMENTS)
        if self.kind == "time":
            return random.choice(("'10:11:12'", "'-01:00:00.5'", "'838:59:59'", "101112", "'11:12'", "'900:00:00'"))
        if self.kind == "year":
            return random.choice(("2001", "'99'", "1970", "0", "2155", "2200"))
        if self.kind == "enum":
            return random.choice(("'a'", "'b'", "'c d'", "1", "3", "'z'", "'A'"))
        if self.kind == "set":
            return random.choice(("'x'", "'y,x'", "''", "3", "'x,x'", "'q'", "9"))
        if self.kind == "bit":
            return random.choice(("b'1'", "b'101'", "5", "0", "'a'", "300"))
        if self.kind == "json":
            return random.choice(("'{\"a\": 1}'", "'[1, 2, \"x\"]'", "'3'", "'\"s\"'", "'null'", "'{bad'"))
        raise ValueError(self.kind)


def draw(random, name):
    """A random column that holds values."""
    kind = random.choices(
        ("number", "text", "moment", "bytes", "enum", "set", "time", "year", "bit", "json"),
        (10, 9, 4, 2, 2, 1, 1, 1, 1, 1),
    )[0]
    collation = None
    if kind == "number":
        type_text = random.choice((
            "INT", "INT", "INT UNSIGNED", "BIGINT", "BIGINT UNSIGNED", "SMALLINT", "TINYINT", "TINYINT UNSIGNED", "MEDIUMINT",
            "DECIMAL(6,2)", "DECIMAL(20,0)", "TINYINT(1)",
        ))
    elif kind == "text":
        type_text = random.choice(("VARCHAR(5)", "VARCHAR(20)", "VARCHAR(300)", "CHAR(4)", "TEXT", "TINYTEXT"))
        collation = random.choice(COLLATIONS) if random.random() < 0.5 else None
    elif kind == "bytes":
        type_text = random.choice(("VARBINARY(4)", "BINARY(3)", "BLOB", "VARBINARY(30)"))
    elif kind == "moment":
        type_text = random.choice(("DATE", "DATETIME", "DATETIME(3)", "TIMESTAMP", "TIMESTAMP(2)"))
    else:
        type_text = {
            "enum": "ENUM('a','b','c d')", "set": "SET('x','y','z')", "time": random.choice(("TIME", "TIME(2)")), "year": "YEAR",
            "bit": "BIT(7)", "json": "JSON",
        }[kind]
    column = Column(name, type_text, kind, collation, nullable=random.random() < 0.7)
    if kind in ("number", "text", "enum") and "TEXT" not in type_text and random.random() < 0.35:
        column.default = {"number": "3", "text": "'d'", "enum": "'b'"}[kind]
    elif kind == "moment" and "DATE" != type_text and random.random() < 0.2:
        digits = type_text[type_text.index("("):] if "(" in type_text else ""
        column.default = f"CURRENT_TIMESTAMP{digits}"
    elif kind == "moment" and type_text.startswith("TIMESTAMP"):
        column.nullable = True
        column.type_text += " NULL"
    return column


def has_prefix_keys(column):
    """Whether a key of it needs a length."""
    return "TEXT" in column.type_text or "BLOB" in column.type_text


def can_be_key(column):
    return column.kind != "json"
