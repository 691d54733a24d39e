"""What a value is where a number, a whole number or another type is wanted: every kind of value in every place.

Each comparison of a column of each type with each constant; each function with each kind of value (a literal of
digits, a text with a fraction, a number) in each place that wants a number; constants as literals, as user variables
and as parameters. By each executor, beside MySQL 9.7 and MariaDB. Where the two differ MySQL's answer counts; without a
MySQL (`scripts/newest`) nothing is compared.

Nothing is drawn by chance. Values are compared, not types. A difference is known when one of `REASONS` has a pattern
that is found in the statement; a reason that explains nothing fails the run, as those of `reasons` do.

Not here: how answers are compared (`ways`), random statements (`generated`).
"""

import re

from ways import NOT_HERE, SETTINGS, Ways, answer, connect, difference

DATABASE = "oracle_wanted"

TABLE = (
    "CREATE TABLE w (id INT PRIMARY KEY, i INT, b BIGINT, u BIGINT UNSIGNED, d DECIMAL(20,0), e DECIMAL(30,4), "
    "f DOUBLE, v VARCHAR(40), x VARBINARY(40), y YEAR, KEY (b), KEY (u), KEY (e), KEY (v))",
    "INSERT INTO w VALUES "
    "(1, 1, 1234567890123456789, 1234567890123456789, 1234567890123456789, 1234567890123456789.1234, 1.5, "
    "'1234567890123456789', '12', 2001), "
    "(2, 2, 1234567890123456790, 18446744073709551615, 1234567890123456790, 1234567890123456789.1235, 2, '12x', '1.5', "
    "2012), "
    "(3, 12, 1234567890123456791, 18446744073709551614, 12, 12.5, 12, ' 12', '1e3', 1970), "
    "(4, 1000, 12, 0, 1000, 0.0001, 1000, '1e3', 'A', 2155), "
    "(5, -5, -5, 65, -5, -5.5, -5, '-5', 'a', 1901), "
    "(6, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), "
    "(7, 65, 65, 1, 65, 65, 65, 'A', '65', 2000)",
)

COLUMNS = ("i", "b", "u", "d", "e", "f", "v", "x", "y")

CONSTANTS = (
    "'1234567890123456789'", "'1234567890123456789.1234'", "'18446744073709551615'", "'12'", "'12x'", "'1.5'", "'1e3'",
    "' 12'", "'-5'", "'x'", "'9223372036854775808'", "'-99999999999999999999'", "12", "1.5", "12e0", "-5",
    "1234567890123456789", "18446744073709551615", "0x41", "b'1100'", "2012",
)

CONDITIONS = (
    "{c} = {k}", "{c} <=> {k}", "{c} < {k}", "{c} >= {k}", "{c} BETWEEN {k} AND {k}", "{c} IN ({k})", "{c} IN ({k}, 7)",
    "NOT {c} = {k}", "({c}, 1) = ({k}, 1)", "CASE {c} WHEN {k} THEN 1 END", "NULLIF({c}, {k}) IS NULL",
)

# Kinds of values where a number is wanted.
VALUES = (
    "'2.7'", "'1e1'", "'-1.5'", "'2x'", "'0.5'", "' 2'", "''", "'18446744073709551615'", "'99999999999999999999'", "0x2",
    "b'10'", "2.5", "3.5", "2.5e0", "-2.5", "2", "NULL",
)

# `{}` is the place. What has no place of its own is in `PLACES` once for each.
PLACES = (
    "LEFT('abcdefghij', {})", "RIGHT('abcdefghij', {})", "REPEAT('ab', {})", "LPAD('ab', {}, 'x')",
    "RPAD('ab', {}, 'x')", "SUBSTR('abcdefghij', {})", "SUBSTR('abcdefghij', 2, {})", "SUBSTRING_INDEX('a.b.c', '.', {})",
    "INSERT('abcdef', {}, 1, 'X')", "INSERT('abcdef', 2, {}, 'X')", "SPACE({})", "LOCATE('b', 'abcabc', {})",
    "ELT({}, 'a', 'b', 'c')", "HEX(CHAR({}))", "ROUND(1234.56789, {})", "TRUNCATE(1234.56789, {})",
    "ROUND(1234.5e0, {})", "ROUND({})", "ROUND({}, 1)", "FORMAT(1234.56789, {})", "FROM_DAYS({} + 738000)",
    "MAKEDATE(2024, {})", "MAKEDATE({}, 5)", "MAKETIME({}, 1, 1)", "MAKETIME(1, {}, 1)", "WEEK('2024-06-15', {})",
    "YEARWEEK('2024-06-15', {})", "1 << {}", "{} << 1", "{} >> 1", "{} & 7", "{} | 1", "{} ^ 1", "~{}", "{} DIV 1",
    "{} % 7", "{} + 0", "{} * 1", "-{}", "BIT_COUNT({})", "BIN({})", "OCT({})", "CONV({}, 10, 16)", "CONV('11', {}, 10)",
    "EXPORT_SET({}, '1', '0', ',', 4)", "EXPORT_SET(5, '1', '0', ',', {})", "MAKE_SET({}, 'a', 'b', 'c')",
    "INET_NTOA({})", "INTERVAL({}, 1, 2, 3)", "INTERVAL(2, 1, {}, 3)", "FIELD({}, 1, 2, 3)", "FIELD(2, {}, 3)",
    "ABS({})", "CEILING({})", "FLOOR({})", "SIGN({})", "SQRT({})", "POWER(2, {})", "EXP({})", "LOG(2, {})", "MOD({}, 3)",
    "MOD(100, {})", "CAST({} AS SIGNED)", "CAST({} AS DECIMAL(20,2))", "CONCAT({}, '')", "COALESCE({}, 1)",
    "IFNULL({}, 1)", "NULLIF({}, 2)", "IF({}, 1, 2)", "{} AND 1", "NOT {}", "CASE {} WHEN 2 THEN 'a' ELSE 'b' END",
    "{} = 2", "{} BETWEEN 1 AND 3", "{} IN (1, 2)", "LENGTH({})", "SEC_TO_TIME({})", "RADIANS({})", "RAND({})",
    "SUM({})", "AVG({})", "BIT_AND({})", "BIT_OR({})", "BIT_XOR({})", "VARIANCE({})", "SLEEP({} * 0)",
    "ADDDATE('2024-01-01', {})", "SUBDATE('2024-01-01', {})", "TIMESTAMPADD(DAY, {}, '2024-01-01')",
    "'2024-01-01' - INTERVAL {} DAY",
    *(f"DATE_ADD('2024-01-01', INTERVAL {{}} {unit})" for unit in (
        "MICROSECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR", "DAY_HOUR",
        "YEAR_MONTH", "MINUTE_SECOND")),
)


class Known:
    """Why an answer is another than those of the judges, and in which statements."""

    def __init__(self, why, pattern):
        self.why, self.pattern, self.times = why, re.compile(pattern, re.S), 0


def reasons():
    return [Known(why, pattern) for why, pattern in (
        ("a YEAR is its four digits here, also beside a number or a text of two, and 0000 beside none",
         r"(WHERE (NOT )?\(?|CASE |NULLIF\()y\b"),
        ("whole numbers and DECIMALs beside a text are compared exactly, also where MySQL makes DOUBLE of them: with a "
         "fraction, in lists, in CASE, and beside variables",
         r"\b[iubde] .*\d{19}|@k = .*\d{19}.*WHERE [iubde] |NULLIF\([iubde], .*\d{19}|\([iubde], 1\) = .*\d{19}"),
        ("a text of the connection's collation beside a column of another one: 1267 in MySQL",
         r"@k = .*WHERE [vx] "),
        ("a DECIMAL in a user variable has its own digits behind the point, in MySQL 30",
         r"@k = -?\d+\.\d+;"),
        ("a parameter has the type that it was sent with, in MySQL that which its place wants: texts are rounded there",
         r"EXECUTE s"),
        ("a mode of WEEK below 0 counts by its bits, in MySQL as 0",
         r"WEEK\("),
        ("FROM_DAYS of a number that is no day is 0000-00-00, as in MariaDB",
         r"FROM_DAYS\("),
    )]


def scripts():
    """Lists of statements of which the last one's answer is compared."""
    for column in COLUMNS:
        for constant in CONSTANTS:
            for condition in CONDITIONS:
                text = "SELECT id FROM w WHERE " + condition.format(c=column, k="{}")
                yield [text.replace("{}", constant)]
                if condition in ("{c} = {k}", "{c} < {k}"):
                    yield from indirect(text, constant)
                    yield [text.replace("{}", f"(SELECT {constant})")]
    for place in PLACES:
        for value in VALUES:
            text = f"SELECT {place} AS c"
            yield [text.format(value)]
            # Of which kind a NULL is, nobody knows; bytes that were given to a variable are bytes.
            if value not in ("NULL", "0x2", "b'10'"):
                yield from indirect(text, value)


def indirect(text, value):
    """A value given to a variable, and as a parameter."""
    given = f"SET @k = {value}"
    yield [given, text.replace("{}", "@k")]
    quoted = text.replace("{}", "?").replace("'", "''")
    uses = ", ".join(["@k"] * text.count("{}"))
    yield [given, f"PREPARE s FROM '{quoted}'", f"EXECUTE s USING {uses}"]


def told(ask, script):
    """The answer to the last statement."""
    given = None
    for statement in script:
        given = ask(statement)
        if given.error is not None:
            break
    return given


def compare(ports, mysql_port, count):
    """Adds to `count` what was met."""
    ways, judge = Ways(*ports, None), connect(mysql_port)
    for setting in SETTINGS:
        answer(judge, setting)
    sides = (ways.theirs, ways.ours, judge)
    for side in sides:
        for statement in (f"DROP DATABASE IF EXISTS {DATABASE}", f"CREATE DATABASE {DATABASE}", f"USE {DATABASE}", *TABLE):
            given = answer(side, statement)
            if given.error is not None:
                raise RuntimeError(f"{statement}: {given}")
    known = reasons()
    for script in scripts():
        compare_script(ways, judge, script, known, count)
    for reason in known:
        if reason.times:
            count.reasons[reason.why] += reason.times
        else:
            count.failures.append(("wanted", None, "stale", reason.why, "explains nothing", ""))
    for side in sides:
        side.close()


def compare_script(ways, judge, script, known, count):
    shown = "; ".join(script)
    answers = [told(lambda statement: answer(judge, statement), script), told(ways.ask_them, script)]
    count.by["statements"] += 1
    before = None
    for executor in ways.executors:
        ours = told(lambda statement: ways.ask_us(statement, executor), script)
        if executor is not None and ours.error == NOT_HERE:
            count.by[f"not on this executor ({executor})"] += 1
            continue
        count.by[f"answers ({executor or 'one way'})"] += 1
        if before is not None and difference(before, ours, ordered=False) not in (None, "types"):
            count.failures.append(("wanted", executor, "executors", shown, str(before), str(ours)))
        before = ours
        respect = difference(answers[0], ours, ordered=False)
        if respect in (None, "types"):
            continue
        reason = next((reason for reason in known if reason.pattern.search(shown)), None)
        if reason is not None:
            reason.times += 1
        else:
            judged = " / ".join(str(given) for given in answers)
            count.failures.append(("wanted", executor, respect, shown, judged, str(ours)))
