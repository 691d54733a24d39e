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
        # Of which type a NULL is, nobody can tell (`ways.difference`).
        pairs = [
            (a, b) for a, b in zip(theirs.kinds, ours.kinds) if a != b and "null" not in (a, b)
        ]
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
        "SELECT id FROM v WHERE CAST(s AS DATETIME(3)) < DATE'2000-01-01'",
        r"CAST\(.* AS (DATE|TIME)",
        ("rows",),
    ),
    Reason(
        "a text that says no day is refused beside one, as in MySQL; in MariaDB it is a zero day",
        "SELECT DATE'2024-02-29' = 'ab' AS c0",
        r"[<>=]|NULLIF|IN",
        ("error",),
        fails_with(1525),
    ),
    Reason(
        "a number that is no constant is compared with a day, a moment or a time of day as with the "
        "number of its digits, as in MySQL; in MariaDB as a moment",
        "SELECT id, (i < da) AS c0 FROM v",
        r"\b([tsmi]?[iu]|b|bo|bu|n[09]?|f|d|y)\b.*([<>=]|IN|BETWEEN|WHEN).*\b(da|tm?|d[tm]|ts)\b|"
        r"\b(da|tm?|d[tm]|ts)\b.*([<>=]|IN|BETWEEN|WHEN).*\b([tsmi]?[iu]|b|bo|bu|n[09]?|f|d|y)\b",
        ("rows",),
    ),
    Reason(
        "a time beside a text that says none, or is another in each row, or that is no column, is "
        "compared as a text, as in MySQL; in MariaDB as a time",
        "SELECT TIME'100:00:00' < 'ab' AS c0",
        r"\b(tm?|TIME'[^']*'|\w*TIME\w*\(.*\))\)* (NOT )?([<>=!]+|IN|BETWEEN) |"
        r"([<>=!]+|BETWEEN) \(*(tm?\b|TIME'|\w*TIME\w*\()",
        ("rows",),
    ),
    Reason(
        "a constant of an outer join's derived table without a row is NULL, in MariaDB itself",
        "SELECT DISTINCT x2.k0 AS c0 FROM p x0 JOIN q x1 ON x0.a RIGHT JOIN (SELECT "
        "TO_DAYS('2024-02-29') AS k0 FROM r WHERE FALSE) x2 ON x1.c RIGHT JOIN (SELECT -1 AS k0 "
        "FROM p) x3 ON x0.a",
        r"(LEFT|RIGHT) JOIN.*\(SELECT (\w+ AS k0, )?(-?[\d.]+|'[^']*'|[A-Z_]+\([^a-z]*\)) AS k",
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
        "an ENUM is a DOUBLE in arithmetic, in MariaDB a whole number",
        "SELECT (e + 0) AS c0 FROM v",
        r"\(- e\)|\(e [-+*/%]|[-+*/%] e\)|\b(AVG|SUM)\(e\)",
    ),
    Reason(
        "FLOOR of a TIME or DATETIME is a number, in MariaDB a time",
        "SELECT FLOOR(TIME'12:34:56') AS c0",
        r"(FLOOR|CEILING)\(",
        ("rows", "types"),
        kinds_are("time.*|datetime.*", "double"),
    ),
    Reason(
        "ROUND, TRUNCATE, FLOOR, CEILING and ABS of a day or a time are a DOUBLE, as in MySQL 9.7; in MariaDB an exact number",
        "SELECT ROUND(DATE'2000-01-01', -1) AS c0",
        r"(FLOOR|CEILING|ROUND|TRUNCATE|ABS)\(",
        ("rows", "types"),
        kinds_are("u?int|decimal.*", "double"),
    ),
    Reason(
        "what is below 0 keeps its bits as UNSIGNED, also of a DECIMAL or DOUBLE, as in MySQL 9.7; in MariaDB it is 0",
        "SELECT CAST(-1.5 AS UNSIGNED) AS c0",
        r"AS UNSIGNED\)",
        ("rows",),
    ),
    Reason(
        "a length of time has more than 24 hours in EXTRACT, as in MySQL; MariaDB takes days off it, and "
        "from a text its date",
        "SELECT EXTRACT(HOUR_MINUTE FROM TIME'100:00:00') AS c0",
        r"EXTRACT\((HOUR_MINUTE|DAY) FROM",
        ("rows",),
    ),
    Reason(
        "DATE_FORMAT of a TIME is of that time today, in MariaDB of no day at all",
        "SELECT DATE_FORMAT(TIME'12:00:00', '%U') AS c0",
        r"DATE_FORMAT\((t|tm|TIME)",
        ("rows",),
    ),
    Reason(
        "the number at the front of DATE_FORMAT's text has a fraction, in MariaDB not",
        "SELECT - DATE_FORMAT(DATE'2000-01-01', '%d.%c') AS c0",
        r"DATE_FORMAT\(",
        ("rows",),
    ),
    Reason(
        "the least of NULL and numbers has their kind, in MariaDB it is a DOUBLE",
        "SELECT IF(FALSE, LEAST(NULL, -1.5), 2) AS c0",
        r"(LEAST|GREATEST)\(",
        ("types",),
        kinds_are("double", r"u?int|decimal.*"),
    ),
    Reason(
        "what is no number of a day is 0 beside a day, in MariaDB NULL",
        "SELECT DATE('ab') <=> 3 AS c0",
        r"DATE\(.*<=>",
        ("rows",),
    ),
    Reason(
        "an average of small numbers in a frame that moves is at most 99.9999 in MariaDB",
        "SELECT x.id, AVG(ASCII(x.s)) OVER (ORDER BY x.a DESC RANGE 2 PRECEDING) AS c1 FROM p x",
        r"AVG\(.*OVER \(.*(ROWS|RANGE)",
        ("rows",),
        lambda theirs, ours: "99.9999" in str(theirs.rows),
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
        "TIMESTAMP, ADDTIME and SUBTIME take the time of day of a moment that is added, in MariaDB it is no length",
        "SELECT TIMESTAMP(DATE'2024-01-31', TIMESTAMP'2000-01-01 10:00:00') AS c0",
        r"(TIMESTAMP|ADDTIME|SUBTIME)\(",
        ("rows",),
        lambda theirs, ours: any(None in row for row in theirs.rows),
    ),
    Reason(
        "a text that says '0000-00-00' is no day under NO_ZERO_DATE; MariaDB takes zeros of it",
        "SELECT YEAR('0000-00-00') AS c0",
        r"(YEAR|MONTH|DAY\w*|QUARTER|HOUR|MINUTE|SECOND)\(|EXTRACT\(|_FORMAT\(",
        ("rows",),
        nulls_are_zero,
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
        "bytes that are no text are NULL as CHAR also where they are compared",
        "SELECT SUM(n) AS c0 FROM v WHERE (da > CAST(bl AS CHAR))",
        r"WHERE.*CAST\(b[li] AS CHAR",
        ("rows",),
    ),
    Reason(
        "bytes or else a date are bytes, in MariaDB a text of latin1",
        "SELECT id, COALESCE(FROM_BASE64(SHA1(c)), da) AS c0 FROM v",
        r"FROM_BASE64\(",
        ("rows",),
    ),
    Reason(
        "both sides of a comparison are computed, in MariaDB not the second where the first is NULL",
        "SELECT id, (NULL = (tu - ti)) AS c0 FROM v",
        r"[=<>].* - ",
        ("error",),
        fails_with(1690),
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
    Reason(
        "as bits a DECIMAL that no BIGINT holds is the largest one, as in MySQL 9.7; in MariaDB the largest BIGINT UNSIGNED",
        "SELECT id, (n9 | 1) AS c0 FROM v",
        r"\bn[09]\b.*([|&^]|<<|>>)|([|&^]|<<|>>).*\bn[09]\b|BIT_\w+\(.*\bn[09]\b",
        ("rows",),
    ),
    Reason(
        "a TIME and an interval of days or months are a moment of today, as in MySQL 9.7; in MariaDB a TIME, or NULL",
        "SELECT id, (t + INTERVAL 5 MONTH) AS c0 FROM v",
        r"[+-] INTERVAL .* (DAY|WEEK|MONTH|QUARTER|YEAR|YEAR_MONTH|DAY_\w+)\b",
    ),
    Reason(
        "a quotient is the number that it shows, as in MySQL 9.7; in MariaDB it has more digits within an expression",
        "SELECT 2 / 3 * 3 AS c0",
        r"/",
    ),
    Reason(
        "a literal is a BIGINT, and a FLOAT in front of one stays a FLOAT, as in MySQL 9.7; in MariaDB small ones are INT, "
        "which makes a DOUBLE",
        "SELECT id, IF(TRUE, f, 65535) AS c0 FROM v",
        r"\b(IF|IFNULL|COALESCE|CASE|GREATEST|LEAST|UNION)\b.*\bf\b|\bf\b.*\bUNION\b",
    ),
    Reason(
        "a day beside a number that is none is a number, too, as in MySQL 9.7; in MariaDB the number is the zero day",
        "SELECT id, (DATE'2024-02-29' NOT BETWEEN FALSE AND n0) AS c0 FROM v",
        r"^(?=.*(DATE'|TIMESTAMP'|\b(da|dt|dm|ts)\b))(?=.*(BETWEEN|\bIN\b|[<>=])).*\b(bu?|n[09]?|[df])\b",
        ("rows",),
    ),
    Reason(
        "a time has the bits of the nearest second as a clock shows it, in MariaDB of its number",
        "SELECT ~TIME'23:59:59.5' AS c0",
        r"~|\||&|\^|<<|>>|BIT_",
        ("rows",),
    ),
    Reason(
        "a zero below zero shows its sign in a text, as in MySQL",
        "SELECT CONCAT(CEILING(-0.5e0)) AS c0",
        r".",
        ("rows",),
        lambda theirs, ours: any("-0" in row for row in ours.rows),
    ),
    Reason(
        "a DOUBLE that is longer than 22 characters has an exponent in a text, as in MySQL",
        "SELECT CONCAT(SQRT(6.56e-12)) AS c0",
        r".",
        ("rows",),
        lambda theirs, ours: any("e-" in str(value) for row in ours.rows for value in row),
    ),
    Reason(
        "a number below 101 is a day of the year 2000 for YEAR, MONTH, DAY and QUARTER, as in MySQL; none in MariaDB",
        "SELECT id, YEAR(1) AS c0 FROM v",
        r"\b(YEAR|MONTH|DAY|DAYOFMONTH|QUARTER|MONTHNAME|LAST_DAY|DATE)\(",
        ("rows",),
    ),
]


def reason_of(statement, respect, theirs, ours):
    for reason in REASONS:
        if reason.explains(statement, respect, theirs, ours):
            return reason
    return None
