"""One statement on MariaDB and on each executor of Rowhouse, and what makes answers equal.

Rowhouse is asked with `rowhouse_executor` set to each executor in turn. A server that does not
know the variable (error 1193) is asked once. An executor that refuses a statement with 1235 when
it is forced does not have it: that is counted, not compared.

Rows are compared as the client's texts, doubles to 14 digits, without their order unless ORDER BY
leaves no choice; columns by name and, where they hold a value, by kind of type, decimals with
their scale; failures by their error number.

Not here: which differences are known (`reasons`), statements, servers.
"""

import unicodedata

import pymysql
from pymysql.constants import FIELD_TYPE, FLAG

NOT_HERE = 1235
BINARY_CHARSET = 63

MODE = "STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO"
SETTINGS = (
    f"SET sql_mode='{MODE}'",
    "SET time_zone='+00:00'",
    "SET timestamp=1700000000",
)

INTEGERS = (
    FIELD_TYPE.TINY, FIELD_TYPE.SHORT, FIELD_TYPE.LONG, FIELD_TYPE.LONGLONG, FIELD_TYPE.INT24,
)
NAMES = {
    FIELD_TYPE.DOUBLE: "double", FIELD_TYPE.FLOAT: "float", FIELD_TYPE.DATE: "date",
    FIELD_TYPE.NEWDATE: "date", FIELD_TYPE.TIME: "time", FIELD_TYPE.DATETIME: "datetime",
    FIELD_TYPE.TIMESTAMP: "timestamp", FIELD_TYPE.YEAR: "year", FIELD_TYPE.NULL: "null",
    FIELD_TYPE.JSON: "text",
}


def connect(port, **options):
    """A connection whose values stay the texts that the server sent."""
    return pymysql.connect(
        host="127.0.0.1", port=port, user="root", autocommit=True, conv={}, charset="utf8mb4",
        use_unicode=False, read_timeout=60, **options
    )


def text_of(value):
    """A value as text, also where its bytes are none."""
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value


def kind_of(field):
    """A result column's type, without what a client cannot tell apart by its value."""
    code = field.type_code
    if code in INTEGERS:
        return "uint" if field.flags & FLAG.UNSIGNED else "int"
    if code in (FIELD_TYPE.DECIMAL, FIELD_TYPE.NEWDECIMAL):
        return f"decimal.{field.scale}"
    if code in NAMES:
        return NAMES[code]
    return "binary" if field.charsetnr == BINARY_CHARSET else "text"


class Answer:
    """What a statement answered."""

    def __init__(self, error=None, message="", counts=None, names=(), kinds=(), rows=()):
        self.error, self.message, self.counts = error, message, counts
        self.names, self.kinds, self.rows = list(names), list(kinds), list(rows)

    def __str__(self):
        if self.error is not None:
            return f"error {self.error} {self.message}"
        if self.counts is not None:
            return "affected %d, id %d, warnings %d" % self.counts
        shown = ", ".join(str(list(row)) for row in self.rows[:6])
        more = "" if len(self.rows) <= 6 else f" and {len(self.rows) - 6} more"
        return f"{dict(zip(self.names, self.kinds))} {shown}{more}"


def answer(connection, statement):
    """Runs a statement. A connection that ends because of it is an answer, too."""
    try:
        with connection.cursor() as cursor:
            affected = cursor.execute(statement)
            if cursor.description is None:
                counts = (affected, cursor.lastrowid, cursor._result.warning_count)
                return Answer(counts=counts)
            fields = cursor._result.fields
            return Answer(
                names=[text_of(field.name) for field in fields],
                kinds=[kind_of(field) for field in fields],
                rows=[[text_of(value) for value in row] for row in cursor.fetchall()],
            )
    except pymysql.MySQLError as error:
        number = error.args[0] if error.args else -1
        return Answer(error=number, message=str(error.args[1:]))


def difference(theirs, ours, ordered=True, folded=False):
    """In which respect two answers differ: a word, or `None`."""
    if theirs.error is not None or ours.error is not None:
        return None if theirs.error == ours.error else "error"
    if theirs.counts != ours.counts:
        return "counts"
    if theirs.names != ours.names:
        return "names"
    left, right = ([comparable(row, theirs.kinds, folded) for row in side.rows]
                   for side in (theirs, ours))
    if not ordered:
        left, right = sorted(left, key=sort_key), sorted(right, key=sort_key)
    if len(left) != len(right):
        return "rows"
    if not all(same_row(a, b) for a, b in zip(left, right)):
        return "rows"
    for position, (a, b) in enumerate(zip(theirs.kinds, ours.kinds)):
        # Of which type a NULL is, the two disagree in many ways, and nobody can tell.
        known = any(row[position] is not None for row in theirs.rows)
        if a != b and known and "null" not in (a, b):
            return "types"
    return None


def comparable(row, kinds, folded):
    return [value_of(value, kind, folded) for value, kind in zip(row, kinds)]


def value_of(value, kind, folded):
    if value is None:
        return None
    if kind in ("double", "float"):
        try:
            return float(value)
        except ValueError:
            return value
    if kind.startswith("decimal") and not value.strip("-0."):
        # MariaDB prints -0.00 where it comes out.
        return value.lstrip("-")
    if folded and isinstance(value, str):
        return fold(value)
    return value


def fold(text):
    """A text that equals all that its default collation takes for equal, about."""
    plain = unicodedata.normalize("NFD", text.rstrip(" "))
    return "".join(c for c in plain if not unicodedata.combining(c)).upper().replace("SS", "S")


def sort_key(row):
    # Doubles that differ in their last digit must not come to stand at different places.
    return [
        (value is not None, "%.10e" % value if isinstance(value, float) else str(value))
        for value in row
    ]


def same_row(a, b):
    return len(a) == len(b) and all(same_value(x, y) for x, y in zip(a, b))


def same_value(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return a == b or abs(a - b) <= 1e-14 * max(abs(a), abs(b))
    return a == b


class Ways:
    """Connections to both servers, in a database each."""

    EXECUTORS = ("rows", "columns")

    def __init__(self, their_port, our_port, database):
        self.ports, self.database = (their_port, our_port), database
        self.reconnect()
        chosen = answer(self.ours, "SET rowhouse_executor = 'auto'")
        self.executors = self.EXECUTORS if chosen.error is None else (None,)

    def reconnect(self):
        options = {"database": self.database} if self.database else {}
        self.theirs, self.ours = (connect(port, **options) for port in self.ports)
        self.executor = None
        for side in (self.theirs, self.ours):
            for statement in SETTINGS:
                answer(side, statement)
        if self.database:
            # MySQL always rounds the fractions of seconds that MariaDB cuts off without this.
            answer(self.theirs, f"SET sql_mode='{MODE},TIME_ROUND_FRACTIONAL'")

    def ask_us(self, statement, executor):
        """Our answer; by the executor that is named, else by the server's choice."""
        if executor != self.executor and len(self.executors) > 1:
            answer(self.ours, f"SET rowhouse_executor = '{executor or 'auto'}'")
            self.executor = executor
        given = answer(self.ours, statement)
        if given.error in (0, 2006, 2013, -1):
            self.ours.close()
            self.reconnect()
        return given

    def ask_them(self, statement):
        given = answer(self.theirs, statement)
        if given.error in (0, 2006, 2013, -1):
            self.theirs.close()
            self.reconnect()
        return given

    def close(self):
        for side in (self.theirs, self.ours):
            side.close()
