"""The differences to MariaDB that are meant, each by its reason.

A reason has a statement that shows it: it is run first, and a reason whose statement answers the
same on both servers is stale and fails the run. A difference of a generated statement is taken
for known when a reason's pattern is found in the statement, after that was made as small as it can
be, and the answers differ in the respect that the reason names (rows, types, error).

Not here: how answers are compared (`ways`).
"""

import re


class Reason:
    """Why answers differ, and in which statements."""

    def __init__(self, why, statement, pattern, respects=("rows", "types"), when=None):
        self.why, self.statement = why, statement
        self.pattern = re.compile(pattern, re.I | re.S)
        self.respects, self.when = respects, when

    def explains(self, statement, respect, theirs, ours):
        return (
            respect in self.respects
            and self.pattern.search(statement) is not None
            and (self.when is None or self.when(theirs, ours))
        )


def kinds_are(theirs_kind, ours_kind):
    """Whether some column differs in its type just so."""

    def differ(theirs, ours):
        pairs = [(a, b) for a, b in zip(theirs.kinds, ours.kinds) if a != b]
        return bool(pairs) and all(
            re.fullmatch(theirs_kind, a) and re.fullmatch(ours_kind, b) for a, b in pairs
        )

    return differ


def fails_with(number):
    """Whether ours is that error."""
    return lambda theirs, ours: ours.error == number


def nulls_are_zero(theirs, ours):
    """Whether ours has NULL where theirs has 0."""
    return any(row for row in theirs.rows if "0" in row) and any(
        None in row for row in ours.rows
    )


REASONS = [
    Reason(
        "padding with an empty text gives an empty text in MySQL, NULL in MariaDB",
        "SELECT RPAD('a', 5, '') AS c0",
        r"[LR]PAD\(",
        ("rows",),
    ),
    Reason(
        "LOCATE finds an empty text at the place where it begins to look, MariaDB at the first",
        "SELECT LOCATE('', 'a', 2) AS c0",
        r"LOCATE\(",
        ("rows",),
    ),
    Reason(
        "REPLACE with NULL is NULL, in MariaDB not where nothing is sought",
        "SELECT REPLACE('a', '', NULL) AS c0",
        r"REPLACE\(",
        ("rows",),
    ),
    Reason(
        "TIME_TO_SEC is a whole number in MySQL, in MariaDB it has the fraction of its argument",
        "SELECT TIME_TO_SEC(TIME'10:11:12.5') AS c0",
        r"TIME_TO_SEC\(",
    ),
    Reason(
        "a text plus an interval shows a fraction of six digits or none, in MariaDB as many as "
        "its operands",
        "SELECT '2024-01-01 00:00:00.5' + INTERVAL 3 MINUTE AS c0",
        r"INTERVAL",
        ("rows",),
        lambda theirs, ours: "text" in theirs.kinds,
    ),
    Reason(
        "a signed and an unsigned number narrower than BIGINT have an integer in common, in "
        "MariaDB a DECIMAL",
        "SELECT IF(1, iu, ti) AS c0 FROM v",
        r".",
        ("types",),
        kinds_are(r"decimal\.0", r"u?int"),
    ),
    Reason(
        "what a bad text is as a time is NULL; where it is compared it is 0 in MariaDB",
        "SELECT DATE('ab') = DATE'2024-02-29' AS c0",
        r"(DATE|TIME|TIMESTAMP)\(",
        ("rows",),
        nulls_are_zero,
    ),
    Reason(
        "what CAST makes of a bad text as a time is NULL; where it is compared it is 0 in MariaDB",
        "SELECT id FROM v WHERE CAST(s AS DATETIME(3)) = 'ab'",
        r"CAST\(.* AS (DATE|TIME)",
        ("rows",),
    ),
    Reason(
        "a constant of an outer join's derived table without a row is NULL, in MariaDB itself",
        "SELECT DISTINCT x2.k0 AS c0 FROM p x0 JOIN q x1 ON x0.a RIGHT JOIN (SELECT "
        "TO_DAYS('2024-02-29') AS k0 FROM r WHERE FALSE) x2 ON x1.c RIGHT JOIN (SELECT -1 AS k0 "
        "FROM p) x3 ON x0.a",
        r"(LEFT|RIGHT) JOIN.*\(SELECT (-?[\d.]+|'[^']*'|[A-Z_]+\([^a-z]*\)) AS k",
        ("rows",),
    ),
    Reason(
        "OFFSET counts rows behind DISTINCT, also of constants",
        "SELECT DISTINCT 7 AS c0 FROM p ORDER BY 1 LIMIT 2 OFFSET 1",
        r"DISTINCT.*OFFSET",
        ("rows",),
    ),
    Reason(
        "INSERT keeps the characters of a text that it puts into a number",
        "SELECT INSERT(n9, 1, 0, '日') AS c0 FROM v",
        r"INSERT\(",
        ("rows",),
    ),
    Reason(
        "a DECIMAL has no -0",
        "SELECT n0 NOT BETWEEN mi AND (1 / b) AS c0 FROM v WHERE n0 = 0 AND mi IS NULL",
        r"BETWEEN.*/",
        ("rows",),
    ),
    Reason(
        "QUOTE of NULL is a text",
        "SELECT QUOTE(NULL) AS c0",
        r"QUOTE\(NULL",
        ("types",),
    ),
    Reason(
        "a column of USING that the left side has twice is not ambiguous",
        "SELECT * FROM p LEFT JOIN w USING (a) RIGHT JOIN q USING (s)",
        r"USING|NATURAL",
        ("error",),
        lambda theirs, ours: theirs.error == 1052,
    ),
    Reason(
        "a whole number of a time is signed, in MariaDB as its column",
        "SELECT id, ts % ti AS c0 FROM v",
        r".",
        ("types",),
        kinds_are(r"u?int", r"u?int"),
    ),
    Reason(
        "the least of small decimals is a DECIMAL after FLOOR, where MariaDB knows that it is small",
        "SELECT FLOOR(LEAST(0.005, SIGN(n9))) AS c0 FROM v",
        r"(FLOOR|CEILING)\(",
        ("types",),
        kinds_are("int", r"decimal\.0"),
    ),
    Reason(
        "bytes that are no text are NULL as CHAR, in MariaDB question marks",
        "SELECT CAST(bi AS CHAR) AS c0 FROM v",
        r"(CAST|CONVERT)\(",
        ("rows",),
        lambda theirs, ours: any("?" in str(row) for row in theirs.rows),
    ),
    Reason(
        "an ENUM that ELT chooses is its word, in MariaDB its number where one is wanted",
        "SELECT ELT(1, e, 'a') + 0 AS c0 FROM v",
        r"ELT\(",
        ("rows",),
    ),
    Reason(
        "an ENUM is a DOUBLE where its sign is changed",
        "SELECT (- e) AS c0 FROM v",
        r"\(- e\)",
        ("types",),
    ),
    Reason(
        "FIELD of texts and numbers compares each pair by its own kinds",
        "SELECT FIELD('a', 127, c) AS c0 FROM v",
        r"FIELD\(",
        ("rows",),
    ),
    Reason(
        "of a literal in a look-up nothing is known where IF and its kin choose a type",
        "SELECT id FROM v WHERE (c >= IF(FALSE, c, 9223372036854775808))",
        r"WHERE.*\b(IF|IFNULL|COALESCE|CASE|NULLIF)\b",
        ("rows",),
    ),
    Reason(
        "a literal of digits within an expression is bytes; in MariaDB text or a number",
        "SELECT id, GREATEST(0x61, i) AS c0 FROM v",
        r"0x",
        ("rows", "types", "error"),
    ),
    Reason(
        "GREATEST and LEAST of something and NULL are NULL, in MariaDB not always of times",
        "SELECT GREATEST(dt, TIMESTAMP(s)) AS c0 FROM v",
        r"(GREATEST|LEAST)\(",
        ("rows",),
    ),
    Reason(
        "a sum that is too large for BIGINT UNSIGNED is refused, in MariaDB not where an operand "
        "is a DECIMAL by the reason above",
        "SELECT 18446744073709551615 + IFNULL(iu, ti) AS c0 FROM v",
        r"\b(IF|IFNULL|COALESCE|CASE|GREATEST|LEAST|NULLIF|ROUND|BETWEEN)\b",
        ("error",),
        fails_with(1690),
    ),
    Reason(
        "ROUND and TRUNCATE of a DOUBLE print as many digits as were asked for in MariaDB",
        "SELECT CONCAT(ROUND(1.5e0, 3)) AS c0",
        r"(ROUND|TRUNCATE)\(",
        ("rows",),
    ),
    Reason(
        "TIMESTAMP takes a text with a month or a day of zero, which NO_ZERO_IN_DATE forbids",
        "SELECT TIMESTAMP('2020-00-12') AS c0",
        r"TIMESTAMP\(",
        ("rows",),
        lambda theirs, ours: any(re.search(r"-00[- ']", str(row)) for row in ours.rows),
    ),
    Reason(
        "a whole number of seconds that is a DOUBLE has a fraction as a time",
        "SELECT SEC_TO_TIME(CEILING(d)) AS c0 FROM v",
        r"SEC_TO_TIME\(",
        ("rows",),
    ),
    Reason(
        "a number that is no DATETIME either is NULL as a time, in MariaDB the longest time",
        "SELECT TIME(18446744073709551615) AS c0",
        r"TIME\(",
        ("rows",),
        lambda theirs, ours: any("838:59:59" in str(row) for row in theirs.rows),
    ),
    Reason(
        "a DOUBLE as a text has an exponent, in MariaDB not after CEILING and FLOOR",
        "SELECT CAST(CEILING(POW(10, 40)) AS CHAR) AS c0",
        r"(CEILING|FLOOR|CEIL|ROUND|TRUNCATE)\(",
        ("rows",),
        lambda theirs, ours: re.search(r"\de\d", str(ours.rows)) is not None,
    ),
    Reason(
        "the sign of a quotient has room in UNION, in MariaDB its last digit is cut off",
        "SELECT 'ab' AS c0 UNION SELECT 9223372036854775807 DIV -1",
        r"UNION.*DIV|DIV.*UNION",
        ("rows",),
    ),
    Reason(
        "a time and a bad text with a DATETIME are compared by other kinds",
        "SELECT id FROM v WHERE (tm BETWEEN ' x ' AND dt)",
        r"(tm|TIME'[^']*') BETWEEN",
        ("rows",),
    ),
    Reason(
        "COLLATE leaves a DATE as it is, in MariaDB it makes a text of it",
        "SELECT (da COLLATE utf8mb4_bin) AS c0 FROM v",
        r"COLLATE",
        ("types",),
        kinds_are("text", "date|datetime|time"),
    ),
    Reason(
        "bytes that are no text stay in CONCAT, in MariaDB they are question marks",
        "SELECT CONCAT(bl, (tx COLLATE utf8mb4_bin)) AS c0 FROM v",
        r"COLLATE",
        ("rows",),
        lambda theirs, ours: "?" in str(theirs.rows) and "\\x" in str(ours.rows),
    ),
    Reason(
        "TIMEDIFF takes a DATE for a DATETIME at midnight, MariaDB for no time",
        "SELECT TIMEDIFF(TIMESTAMP'1999-12-31 23:59:59', da) AS c0 FROM v",
        r"TIMEDIFF\(",
        ("rows",),
    ),
    Reason(
        "a TIME, a DATETIME and a text have another kind in common for BETWEEN",
        "SELECT id FROM v WHERE (sb NOT BETWEEN dm AND t)",
        r"NOT BETWEEN \w+ AND (t|tm)\b",
        ("rows",),
    ),
]


def reason_of(statement, respect, theirs, ours):
    for reason in REASONS:
        if reason.explains(statement, respect, theirs, ours):
            return reason
    return None
