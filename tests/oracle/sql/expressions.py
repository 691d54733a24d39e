"""Random typed expressions.

Each kind (int, decimal, double, text, binary, date, time, datetime, truth) has constants, columns
and operators whose operands have kinds in turn. Now and then an operand is of another kind than
the operator asks for, so that conversions are met too.

Not here: which columns there are (the caller gives them by kind), statements (`queries`).
"""

import sys

from tree import Expression, Leaf, Listed

CONSTANTS = {
    "int": ["0", "1", "-1", "2", "3", "7", "10", "100", "127", "-128", "255", "65535",
            "2147483647", "-2147483648", "4294967296", "9223372036854775807", "TRUE", "FALSE"],
    "uint": ["0", "1", "5", "18446744073709551615", "9223372036854775808"],
    "decimal": ["0.0", "1.5", "-1.5", "0.005", "2.50", "-0.1", "123456789.123", "9.99", "0.05"],
    "double": ["0e0", "1e0", "1.5e0", "-2.25e0", "1e10", "2.5e-3", "1e20"],
    "text": ["''", "'a'", "'A'", "'abc'", "'ab'", "'é'", "'12'", "'1.5'", "'-3x'", "' x '", "'%b%'",
             "'2024-02-29'", "'10:11:12'", "'a_c'", "'2024-02-29 12:34:56'"],
    # Not x'61', which is text to MariaDB where a number is wanted, and a number to MySQL.
    "binary": ["0x61", "0x00ff", "0x616263"],
    "date": ["DATE'2024-02-29'", "DATE'1999-12-31'", "DATE'2000-01-01'"],
    "time": ["TIME'12:34:56'", "TIME'-01:02:03'", "TIME'100:00:00'", "TIME'10:11:12.5'"],
    "datetime": ["TIMESTAMP'2024-02-29 12:34:56'", "TIMESTAMP'1999-12-31 23:59:59'",
                 "TIMESTAMP'2020-01-01 10:10:10.5'", "TIMESTAMP'2000-01-01 00:00:00'"],
    "year": ["2024", "1999"],
}
CONSTANTS["truth"] = ["TRUE", "FALSE", "1", "0"]
CONSTANTS["small"] = ["0", "1", "2", "3", "-1", "5"]

# Kind -> text and the kinds of its operands. `any` is every kind, `same` one kind for all.
FORMS = {
    "int": [
        ("({} + {})", "int int"), ("({} - {})", "int int"), ("({} * {})", "int small"),
        ("({} DIV {})", "number number"), ("({} % {})", "int int"), ("MOD({}, {})", "int int"),
        ("(- {})", "int"), ("ABS({})", "int"), ("SIGN({})", "number"), ("FLOOR({})", "number"),
        ("CEILING({})", "number"), ("ROUND({})", "int"), ("ROUND({}, {})", "int small"),
        ("TRUNCATE({}, {})", "int small"),
        ("CAST({} AS SIGNED)", "any"), ("IF({}, {}, {})", "truth int int"),
        ("IFNULL({}, {})", "int int"), ("COALESCE({}, {}, {})", "int int int"),
        ("NULLIF({}, {})", "int int"), ("GREATEST({}, {})", "int int"),
        ("LEAST({}, {}, {})", "int int int"), ("CASE WHEN {} THEN {} ELSE {} END", "truth int int"),
        ("CASE {} WHEN {} THEN {} END", "int int int"),
        ("LENGTH({})", "text"), ("CHAR_LENGTH({})", "text"), ("BIT_LENGTH({})", "text"),
        ("LOCATE({}, {})", "text text"), ("LOCATE({}, {}, {})", "text text small"),
        ("INSTR({}, {})", "text text"), ("ASCII({})", "text"), ("ORD({})", "text"),
        ("STRCMP({}, {})", "text text"), ("FIELD({}, {}, {})", "text text text"),
        ("FIELD({}, {}, {})", "int int int"), ("FIND_IN_SET({}, {})", "text text"),
        ("YEAR({})", "moment"), ("MONTH({})", "moment"), ("DAY({})", "moment"),
        ("DAYOFWEEK({})", "moment"), ("WEEKDAY({})", "moment"), ("DAYOFYEAR({})", "moment"),
        ("QUARTER({})", "moment"), ("WEEK({}, {})", "moment small"), ("YEARWEEK({})", "moment"),
        ("TO_DAYS({})", "moment"), ("HOUR({})", "clock"), ("MINUTE({})", "clock"),
        ("SECOND({})", "clock"), ("MICROSECOND({})", "clock"), ("TIME_TO_SEC({})", "clock"),
        ("DATEDIFF({}, {})", "moment moment"), ("BIT_COUNT({})", "int"),
        ("TIMESTAMPDIFF(DAY, {}, {})", "moment moment"),
        ("TIMESTAMPDIFF(MONTH, {}, {})", "moment moment"),
        ("TIMESTAMPDIFF(SECOND, {}, {})", "moment moment"),
        ("EXTRACT(YEAR_MONTH FROM {})", "moment"), ("EXTRACT(HOUR_MINUTE FROM {})", "clock"),
        ("EXTRACT(DAY FROM {})", "moment"), ("EXTRACT(MICROSECOND FROM {})", "clock"),
        ("INET_ATON({})", "text"), ("CRC32({})", "text"), ("ISNULL({})", "any"),
    ],
    "uint": [
        ("({} & {})", "int int"), ("({} | {})", "int int"), ("({} ^ {})", "int int"),
        ("({} << {})", "int small"), ("({} >> {})", "int small"), ("(~ {})", "int"),
        ("CAST({} AS UNSIGNED)", "number"), ("({} + {})", "uint uint"), ("({} - {})", "uint small"),
        ("({} DIV {})", "uint uint"), ("({} % {})", "uint int"),
        ("COALESCE({}, {})", "uint uint"), ("IF({}, {}, {})", "truth uint int"),
        ("GREATEST({}, {})", "uint int"), ("ABS({})", "uint"), ("IFNULL({}, {})", "uint int"),
    ],
    "decimal": [
        ("({} + {})", "exact exact"), ("({} - {})", "exact exact"), ("({} * {})", "exact exact"),
        ("({} / {})", "exact exact"), ("({} % {})", "exact exact"), ("(- {})", "decimal"),
        ("ABS({})", "decimal"), ("ROUND({}, {})", "decimal small"), ("ROUND({})", "decimal"),
        ("TRUNCATE({}, {})", "decimal small"), ("CAST({} AS DECIMAL(20,4))", "number"),
        ("CAST({} AS DECIMAL(6,2))", "text"), ("IF({}, {}, {})", "truth decimal exact"),
        ("COALESCE({}, {})", "exact decimal"), ("IFNULL({}, {})", "decimal exact"),
        ("NULLIF({}, {})", "decimal exact"), ("GREATEST({}, {})", "decimal exact"),
        ("LEAST({}, {})", "exact decimal"), ("CASE WHEN {} THEN {} ELSE {} END", "truth decimal int"),
        ("FLOOR({})", "decimal"), ("CEILING({})", "decimal"), ("SIGN({})", "decimal"),
    ],
    "double": [
        ("({} + {})", "double number"), ("({} - {})", "number double"),
        ("({} * {})", "double number"), ("({} / {})", "double number"),
        ("({} % {})", "double number"), ("(- {})", "double"), ("ABS({})", "double"),
        ("ROUND({}, {})", "double small"), ("ROUND({})", "double"), ("FLOOR({})", "double"),
        ("CEILING({})", "double"), ("TRUNCATE({}, {})", "double small"), ("SQRT({})", "number"),
        ("POW({}, 2)", "number"), ("IF({}, {}, {})", "truth double number"),
        ("COALESCE({}, {})", "double number"), ("GREATEST({}, {})", "double number"),
        ("({} + {})", "text number"), ("({} * {})", "text text"), ("({} + 0)", "text"),
        ("CASE WHEN {} THEN {} ELSE {} END", "truth double number"), ("LN({})", "number"),
        ("DEGREES({})", "number"), ("(- {})", "text"),
    ],
    "text": [
        ("CONCAT({}, {})", "text text"), ("CONCAT({}, {})", "text any"),
        ("CONCAT_WS({}, {}, {})", "text text text"), ("LOWER({})", "text"), ("UPPER({})", "text"),
        ("LEFT({}, {})", "text small"), ("RIGHT({}, {})", "text small"),
        ("SUBSTRING({}, {})", "text small"), ("SUBSTRING({}, {}, {})", "text small small"),
        ("TRIM({})", "text"), ("LTRIM({})", "text"), ("RTRIM({})", "text"),
        ("TRIM(LEADING {} FROM {})", "text text"), ("TRIM({} FROM {})", "text text"),
        ("REPLACE({}, {}, {})", "text text text"), ("REVERSE({})", "text"),
        ("REPEAT({}, {})", "text small"), ("LPAD({}, {}, {})", "text small text"),
        ("RPAD({}, {}, {})", "text small text"), ("HEX({})", "text"), ("HEX({})", "int"),
        ("IF({}, {}, {})", "truth text text"), ("IF({}, {}, {})", "truth text number"),
        ("COALESCE({}, {})", "text text"), ("IFNULL({}, {})", "text text"),
        ("NULLIF({}, {})", "text text"), ("CASE WHEN {} THEN {} ELSE {} END", "truth text text"),
        ("CASE {} WHEN {} THEN {} ELSE {} END", "text text text text"),
        ("CAST({} AS CHAR)", "any"), ("CAST({} AS CHAR(3))", "any"),
        ("ELT({}, {}, {})", "small text text"), ("SUBSTRING_INDEX({}, {}, {})", "text text small"),
        ("INSERT({}, {}, {}, {})", "text small small text"), ("QUOTE({})", "text"),
        ("GREATEST({}, {})", "text text"), ("LEAST({}, {})", "text text"),
        ("DATE_FORMAT({}, '%Y-%m-%d %H:%i:%s %W %j')", "moment"),
        ("DATE_FORMAT({}, '%d.%c.%y %l %p %f %U %v')", "moment"),
        ("TIME_FORMAT({}, '%H:%i:%s.%f %k %h')", "clock"), ("DAYNAME({})", "moment"),
        ("MONTHNAME({})", "moment"), ("BIN({})", "int"), ("OCT({})", "int"),
        ("CONV({}, 10, 16)", "int"), ("MD5({})", "text"), ("SHA1({})", "text"),
        ("FORMAT({}, 2)", "number"), ("INET_NTOA({})", "int"), ("TO_BASE64({})", "text"),
        ("CONVERT({} USING utf8mb4)", "text"), ("({} COLLATE utf8mb4_bin)", "text"),
        ("({} COLLATE utf8mb4_general_ci)", "text"), ("CHAR({} USING utf8mb4)", "small"),
        ("SPACE({})", "small"),
    ],
    "binary": [
        ("CAST({} AS BINARY)", "text"), ("UNHEX({})", "text"), ("CONCAT({}, {})", "binary text"),
        ("COALESCE({}, {})", "binary binary"), ("LEFT({}, {})", "binary small"),
        ("SUBSTRING({}, {})", "binary small"),
        ("FROM_BASE64({})", "text"), ("IF({}, {}, {})", "truth binary binary"),
        ("UPPER({})", "binary"),
    ],
    "date": [
        ("DATE({})", "moment"), ("LAST_DAY({})", "moment"), ("({} + INTERVAL {} DAY)", "date small"),
        ("({} - INTERVAL {} MONTH)", "date small"), ("DATE_ADD({}, INTERVAL {} YEAR)", "date small"),
        ("CAST({} AS DATE)", "moment"), ("MAKEDATE({}, {})", "year small"),
        ("COALESCE({}, {})", "date date"), ("IF({}, {}, {})", "truth date date"),
        ("GREATEST({}, {})", "date date"), ("FROM_DAYS({} + 739000)", "small"),
        ("STR_TO_DATE({}, '%Y-%m-%d')", "text"), ("NULLIF({}, {})", "date date"),
    ],
    "time": [
        ("TIME({})", "datetime"), ("CAST({} AS TIME)", "clock"), ("CAST({} AS TIME(3))", "clock"),
        ("TIMEDIFF({}, {})", "time time"), ("TIMEDIFF({}, {})", "datetime datetime"),
        ("SEC_TO_TIME({})", "number"), ("MAKETIME({}, {}, {})", "small small small"),
        ("COALESCE({}, {})", "time time"), ("IFNULL({}, {})", "time time"),
        ("({} + INTERVAL {} SECOND)", "time small"),
    ],
    "datetime": [
        ("CAST({} AS DATETIME)", "moment"), ("CAST({} AS DATETIME(3))", "moment"),
        ("TIMESTAMP({})", "moment"), ("TIMESTAMP({}, {})", "date time"),
        ("({} + INTERVAL {} DAY)", "datetime small"), ("({} - INTERVAL {} HOUR)", "datetime small"),
        ("({} + INTERVAL {} MONTH)", "datetime small"),
        ("DATE_SUB({}, INTERVAL {} MINUTE)", "moment small"),
        ("({} + INTERVAL {} MICROSECOND)", "datetime small"),
        ("({} + INTERVAL '1 2:3' DAY_MINUTE)", "datetime"),
        ("COALESCE({}, {})", "datetime datetime"), ("COALESCE({}, {})", "date datetime"),
        ("IF({}, {}, {})", "truth datetime datetime"), ("FROM_UNIXTIME({})", "small"),
        ("GREATEST({}, {})", "datetime datetime"), ("LEAST({}, {})", "date datetime"),
    ],
    "year": [("YEAR({})", "moment")],
    "truth": [
        ("({} = {})", "same same"), ("({} <> {})", "same same"), ("({} < {})", "same same"),
        ("({} <= {})", "same same"), ("({} > {})", "same same"), ("({} >= {})", "same same"),
        ("({} <=> {})", "same same"), ("({} = {})", "any any"), ("({} < {})", "number number"),
        ("({} AND {})", "truth truth"), ("({} OR {})", "truth truth"),
        ("({} XOR {})", "truth truth"), ("(NOT {})", "truth"), ("({} IS NULL)", "any"),
        ("({} IS NOT NULL)", "any"), ("({} IS TRUE)", "truth"), ("({} IS NOT TRUE)", "truth"),
        ("({} IS FALSE)", "number"), ("({} IS UNKNOWN)", "truth"),
        ("({} BETWEEN {} AND {})", "same same same"), ("({} NOT BETWEEN {} AND {})", "same same same"),
        ("({} LIKE {})", "text text"), ("({} NOT LIKE {})", "text text"),
        ("({} LIKE {} ESCAPE '|')", "text text"), ("({} LIKE {})", "number text"),
        ("(CASE WHEN {} THEN {} END)", "truth truth"), ("({} = {})", "datetime text"),
        ("({} > {})", "date text"), ("({} < {})", "time text"), ("({} = {})", "date datetime"),
    ],
}
MIXED = {
    "number": ["int", "int", "decimal", "double", "uint"],
    "exact": ["int", "decimal", "decimal", "uint"],
    "moment": ["date", "datetime", "datetime", "date", "text"],
    "clock": ["time", "time", "datetime", "text"],
    "any": ["int", "decimal", "double", "text", "date", "datetime", "time", "binary", "uint"],
    "same": ["int", "decimal", "double", "text", "text", "date", "datetime", "time", "binary",
             "uint", "year"],
    "small": ["small"],
}
KINDS = ["int", "uint", "decimal", "double", "text", "binary", "date", "time", "datetime", "truth"]

# One operand in so many is of a kind that the operator does not ask for.
STRAY = 25


class Expressions:
    """Draws expressions over given columns; all chance is `chance`'s."""

    def __init__(self, chance, columns, stray=STRAY, own=False):
        """`own`: operands of any kind are of a kind that the columns have."""
        self.chance, self.columns, self.stray = chance, columns, stray
        self.mixed = MIXED
        if own:
            self.mixed = {
                name: [kind for kind in kinds if kind in columns] or kinds
                for name, kinds in MIXED.items()
            }

    def draw(self, kind, depth):
        """An expression of a kind, at most so deep."""
        chance = self.chance
        if kind in self.mixed and kind != "small":
            kind = chance.choice(self.mixed[kind])
        elif kind in FORMS and chance.randrange(self.stray) == 0:
            kind = chance.choice(KINDS)
        if depth <= 0 or kind == "small" or chance.random() < 0.2:
            return self.leaf(kind)
        if kind == "truth" and chance.random() < 0.15:
            return self.membership(depth)
        form, operands = chance.choice(FORMS[kind])
        same = chance.choice(self.mixed["same"])
        stray = self.stray
        if form.startswith(("GREATEST", "LEAST")):
            # Of which kind the largest of a number and a text is, the two disagree.
            self.stray = sys.maxsize
        drawn = [
            self.draw(same if operand == "same" else operand, depth - 1)
            for operand in operands.split()
        ]
        self.stray = stray
        return Expression(form, *drawn)

    def leaf(self, kind):
        chance = self.chance
        columns = self.columns.get(kind) or []
        if kind == "small":
            columns = self.columns.get("int", [])[:1]
        if chance.random() < 0.04:
            return Leaf("NULL")
        if columns and chance.random() < 0.75:
            return Leaf(chance.choice(columns))
        return Leaf(chance.choice(CONSTANTS[kind]))

    def membership(self, depth):
        kind = self.chance.choice(self.mixed["same"])
        items = [self.draw(kind, 0) for _ in range(self.chance.randint(1, 4))]
        words = self.chance.choice(["({} IN ({}))", "({} NOT IN ({}))"])
        return Expression(words, self.draw(kind, depth - 1), Listed(", ", items))
