"""Calls of functions of times and of JSON, beside the newest MySQL: each template with each of its values.

Every call is a SELECT of its own, so that one value which both servers refuse hides no other. The same call is
then made over a table that holds the values, on each executor of Rowhouse: these may not differ at all. At last
it is made over columns of each type, on MySQL and on each executor.

What differs from MySQL is listed in `calls_reasons`, by reason; what is not is a failure.

Not here: other statements (`generated`, `scripted`).
"""

import itertools

from calls_reasons import REASONS, reason_of
from ways import Ways, answer, difference

DATABASE = "oracle_calls"

MOMENTS = [
    "'2024-01-31'", "'2024-02-29 23:59:59.5'", "'0000-00-00'", "'2024-00-10'", "'2024-01-00'", "'1999-12-31 12:00:00'",
    "'24-1-5'", "'x'", "''", "NULL", "20240131", "20240131101112", "'9999-12-31 23:59:59'", "'0001-01-01'",
    "'2024-02-30'", "DATE'2024-02-29'", "TIMESTAMP'2024-01-31 01:02:03.25'", "TIME'10:11:12'",
]
TIMES = [
    "'10:11:12'", "'-10:11:12.5'", "'100:00:00'", "'2024-01-31 10:11:12'", "'1 10:11:12'", "'x'", "NULL", "101112",
    "'10:61:00'", "TIME'-25:01:02.25'", "'00:00:00.000001'", "DATE'2024-01-31'", "'10:11'",
    "TIMESTAMP'2024-01-31 10:11:12.5'",
]
NUMBERS = ["0", "1", "-1", "1.5", "'3'", "NULL", "'x'", "100", "2147483648"]
CODES = "abcDdefHhIijklMmprSsTUuVvWwXxYy%"
UNITS = ["MICROSECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR"]
COMPOUND = [
    "SECOND_MICROSECOND", "MINUTE_MICROSECOND", "MINUTE_SECOND", "HOUR_MICROSECOND", "HOUR_SECOND", "HOUR_MINUTE",
    "DAY_MICROSECOND", "DAY_SECOND", "DAY_MINUTE", "DAY_HOUR", "YEAR_MONTH",
]
AMOUNTS = ["'1:2'", "'-1 2:3:4.5'", "'1.5'", "''", "'x'", "3", "'1-2'", "'1:2:3:4:5:6'", "'+1:30'", "NULL", "1.25"]
READ = [
    ("'2024-01-31'", "'%Y-%m-%d'"), ("'31.1.24'", "'%d.%c.%y'"), ("'200442 Monday'", "'%X%V %W'"),
    ("'2024-10 Mon'", "'%x-%v %a'"), ("'2024 10 0'", "'%X %V %w'"), ("'2024 10 Fri'", "'%Y %U %a'"),
    ("'2024 10 Fri'", "'%Y %u %a'"), ("'2024 10'", "'%Y %U'"), ("'2024 10 Fri'", "'%X %v %a'"), ("'1st May 2024'", "'%D %M %Y'"),
    ("'22nd 2 2024'", "'%D %m %Y'"), ("'03:04:05 PM'", "'%r'"), ("'12:00:00 AM'", "'%r'"), ("'13:00:00 AM'", "'%r'"),
    ("'10:11'", "'%T'"), ("'abc2024-1-1'", "'%@%Y-%m-%d'"), ("'..2024-1-1'", "'%.%Y-%m-%d'"), ("'12a2024-1-1'", "'%#a%Y-%m-%d'"),
    ("'2024-1-1 x'", "'%Y-%m-%d'"), ("'2024-1'", "'%Y-%m-%d'"), ("'10 PM'", "'%h %p'"), ("'10 PM'", "'%H %p'"),
    ("'2024 60'", "'%Y %j'"), ("'5 10:11:12'", "'%d %T'"), ("'10:11:12.5'", "'%H:%i:%s.%f'"), ("''", "'%Y'"),
    ("'2024'", "''"), ("NULL", "'%Y'"), ("'2024-1-1'", "NULL"), ("'2024-02-30'", "'%Y-%m-%d'"), ("'Ma 1 2024'", "'%M %d %Y'"),
    ("'Mar 1 2024'", "'%M %d %Y'"), ("'March 1 2024'", "'%b %d %Y'"), ("20240131", "'%Y%m%d'"), ("'2024%1'", "'%Y%%%m'"),
]
DOCUMENTS = [
    "'{\"a\": 1, \"b\": [1, 2, {\"a\": \"x\"}], \"cc\": {\"d\": null}}'", "'[1, [2, 3], \"x\", null, true, 1.5]'", "'[]'", "'{}'",
    "'1'", "'\"x\"'", "'null'", "'true'", "NULL", "'[[1], {\"a\": [2]}]'", "'{\"a b\": 1, \"\": 2, \"ä\": 3}'",
    "'{\"b\": 1, \"a\": 2, \"b\": 3}'", "'x'", "''", "1", "'-0.0'", "'1e20'", "'18446744073709551615'",
]
PATHS = [
    "'$'", "'$.a'", "'$.b'", "'$[0]'", "'$[1]'", "'$[last]'", "'$[last-1]'", "'$[0 to 1]'", "'$[*]'", "'$.*'", "'$**.a'",
    "'$**[0]'", "'$.b[1]'", "'$.b[last].a'", "'$.\"a b\"'", "'$.\"\"'", "'$.\"\\\\u00e4\"'", "'$.a[0]'", "'$[9]'", "'$[last-9]'",
    "'$.x.y'", "NULL", "'$.'", "'a'", "'$**'", "'$[1 to 0]'", "' $ . a '", "'$.cc.d'",
]
VALUES = ["1", "'x'", "NULL", "1.50", "TRUE", "JSON_ARRAY(1, 'y')", "DATE'2024-01-31'", "TIME'10:11:12.5'", "x'4142'", "1e3"]

TEMPLATES = {
    "times": [
        *[(f"{name}({{}})", MOMENTS) for name in (
            "YEAR", "MONTH", "DAYOFMONTH", "QUARTER", "WEEK", "WEEKOFYEAR", "YEARWEEK", "DAYOFWEEK", "WEEKDAY", "DAYOFYEAR",
            "DAYNAME", "MONTHNAME", "LAST_DAY", "TO_DAYS", "TO_SECONDS", "DATE", "TIMESTAMP", "UNIX_TIMESTAMP")],
        *[(f"{name}({{}})", TIMES) for name in ("TIME", "HOUR", "MINUTE", "SECOND", "MICROSECOND", "TIME_TO_SEC")],
        *[(f"{name}({{}}, {{}})", MOMENTS, [str(mode) for mode in range(8)]) for name in ("WEEK", "YEARWEEK")],
        *[(f"{name}({{}}, {{}})", TIMES, TIMES) for name in ("TIMEDIFF", "ADDTIME", "SUBTIME")],
        ("ADDTIME({}, {})", MOMENTS, TIMES),
        ("TIMESTAMP({}, {})", MOMENTS, TIMES),
        ("DATEDIFF({}, {})", MOMENTS, MOMENTS),
        ("DATE_FORMAT({}, {})", MOMENTS, [f"'%{code}'" for code in CODES] + ["''", "'%'", "NULL", "'%q x'"]),
        ("TIME_FORMAT({}, {})", TIMES, [f"'%{code}'" for code in CODES] + ["''", "'%'", "NULL", "'%q x'"]),
        *[(f"EXTRACT({unit} FROM {{}})", MOMENTS + TIMES) for unit in UNITS + COMPOUND],
        *[(f"TIMESTAMPDIFF({unit}, {{}}, {{}})", MOMENTS, MOMENTS) for unit in UNITS],
        *[(f"TIMESTAMPADD({unit}, {{}}, {{}})", NUMBERS, MOMENTS) for unit in UNITS],
        *[(f"DATE_ADD({{}}, INTERVAL {{}} {unit})", MOMENTS, NUMBERS) for unit in UNITS],
        *[(f"DATE_SUB({{}}, INTERVAL {{}} {unit})", MOMENTS, AMOUNTS) for unit in COMPOUND],
        ("MAKETIME({}, {}, {})", ["10", "-10", "839", "'5'", "NULL"], ["0", "59", "60", "1.5"], ["0", "59.5", "60", "'7.25'", "59.9999999"]),
        ("MAKEDATE({}, {})", ["2024", "24", "0", "9999", "NULL", "-1"], ["1", "366", "0", "1.5", "NULL"]),
        ("SEC_TO_TIME({})", ["3661", "-3661.5", "'3661.25'", "1e20", "NULL", "'x'", "0.0000005"]),
        ("FROM_UNIXTIME({})", ["0", "-1", "1.5", "'1.5'", "2147483648", "32536771199", "32536771200", "NULL", "'x'", "1e9"]),
        ("FROM_UNIXTIME({}, {})", ["0", "-1", "1700000000.5", "NULL"], ["'%Y-%f'", "''", "NULL"]),
        ("FROM_DAYS({})", ["366", "730000", "3652424", "3652425", "NULL", "730000.6"]),
        ("PERIOD_ADD({}, {})", ["202401", "2401", "7001", "0", "202413", "NULL", "'202401'"], ["1", "-13", "1.5", "NULL"]),
        ("PERIOD_DIFF({}, {})", ["202401", "2401", "0", "202400", "NULL"], ["202301", "9901", "0", "NULL"]),
        ("CONVERT_TZ({}, {}, {})", MOMENTS, ["'+00:00'", "'-03:30'", "NULL", "'+15:00'"], ["'+14:00'", "'+00:00'", "'x'"]),
        *[("GREATEST({}, {})", MOMENTS[-3:], MOMENTS[-3:]), ("LEAST({}, {})", MOMENTS[-3:], MOMENTS[-3:])],
        *[("COALESCE({}, {})", MOMENTS[-3:], MOMENTS[-3:]), ("IF(0, {}, {})", MOMENTS[-3:], MOMENTS[-3:])],
    ],
    "json": [
        *[(f"{name}({{}})", DOCUMENTS) for name in (
            "JSON_VALID", "JSON_TYPE", "JSON_DEPTH", "JSON_LENGTH", "JSON_KEYS", "JSON_PRETTY", "JSON_STORAGE_SIZE", "JSON_QUOTE",
            "JSON_UNQUOTE")],
        *[(f"{name}({{}}, {{}})", DOCUMENTS, PATHS) for name in (
            "JSON_EXTRACT", "JSON_LENGTH", "JSON_KEYS", "JSON_REMOVE")],
        ("JSON_VALUE({}, {})", DOCUMENTS, [path for path in PATHS if path != "NULL"]),
        *[(f"{name}({{}}, {{}}, {{}})", DOCUMENTS, PATHS, VALUES[:3]) for name in (
            "JSON_SET", "JSON_INSERT", "JSON_REPLACE", "JSON_ARRAY_APPEND", "JSON_ARRAY_INSERT")],
        ("JSON_SET('{{\"a\": 1}}', '$.b', {})", VALUES),
        ("JSON_ARRAY({})", VALUES), ("JSON_OBJECT('k', {})", VALUES), ("CAST({} AS JSON)", VALUES + DOCUMENTS),
        *[(f"{name}({{}}, {{}})", DOCUMENTS, DOCUMENTS) for name in (
            "JSON_CONTAINS", "JSON_OVERLAPS", "JSON_MERGE_PATCH", "JSON_MERGE_PRESERVE")],
        ("JSON_CONTAINS({}, '1', {})", DOCUMENTS, PATHS),
        ("JSON_CONTAINS_PATH({}, {}, {}, {})", DOCUMENTS[:4] + ["NULL"], ["'one'", "'ALL'", "NULL", "'two'"], PATHS[:6] + ["NULL", "'a'"],
         ["'$.x'", "NULL"]),
        ("JSON_SEARCH({}, {}, {})", DOCUMENTS, ["'one'", "'all'", "NULL", "'two'"], ["'x'", "'%'", "'_'", "NULL", "1"]),
        ("JSON_SEARCH({}, 'all', '%', {}, {})", DOCUMENTS[:4], ["NULL", "''", "'|'", "'ab'"], PATHS),
        ("{} MEMBER OF ({})", VALUES + ["CAST('[2, 3]' AS JSON)"], DOCUMENTS),
        *[(f"CAST({{}} AS JSON) {op} CAST({{}} AS JSON)", DOCUMENTS, DOCUMENTS) for op in ("=", "<", "<=>")],
        *[(f"CAST({{}} AS JSON) {op} {{}}", DOCUMENTS, VALUES) for op in ("=", ">")],
        ("CASE CAST({} AS JSON) WHEN {} THEN 1 ELSE 0 END", DOCUMENTS, ["'null'", "'1'", "1", "'x'", "'\"x\"'", "1.5", "'true'"]),
        ("CAST({} AS JSON) + 1", DOCUMENTS), ("CAST(CAST({} AS JSON) AS SIGNED)", DOCUMENTS),
        ("CAST(CAST({} AS JSON) AS CHAR)", DOCUMENTS),
    ],
}
# Templates whose calls would be read as another statement.
TEMPLATES["times"].append(("STR_TO_DATE({})", [", ".join(pair) for pair in READ]))


def statements(kind):
    """All calls of a kind."""
    for template, *pools in TEMPLATES[kind]:
        for values in itertools.product(*pools):
            yield f"SELECT {template.format(*values)} AS c0"


def over_tables(kind):
    """A template over a table of its first values, with the first few of each other pool."""
    for template, first, *pools in TEMPLATES[kind]:
        table = {id(MOMENTS): "moments", id(TIMES): "times", id(DOCUMENTS): "documents"}.get(id(first))
        if table is None:
            continue
        for values in itertools.product(*(pool[:4] for pool in pools)):
            yield f"SELECT id, {template.format('v', *values)} AS c0 FROM {table} ORDER BY id"


COLUMNS = {
    "times": ("days", ["d", "dt", "ts", "t"]),
    "json": ("papers", ["j", "tx", "n", "b"]),
}


def over_columns(kind):
    """A template over columns of each type, with the first few of each other pool."""
    table, columns = COLUMNS[kind]
    for template, first, *pools in TEMPLATES[kind]:
        if id(first) not in (id(MOMENTS), id(TIMES), id(DOCUMENTS), id(VALUES)):
            continue
        for column in columns:
            for values in itertools.product(*(pool[:3] for pool in pools)):
                yield f"SELECT id, {template.format(column, *values)} AS c0 FROM {table} ORDER BY id"


def typed_tables():
    """Statements that make the tables of `COLUMNS`, on both servers."""
    yield "CREATE TABLE days (id INT PRIMARY KEY, d DATE, dt DATETIME(3), ts TIMESTAMP NULL, t TIME(2))"
    yield (
        "INSERT INTO days VALUES (1, '2024-02-29', '2024-02-29 23:59:59.999', '2024-02-29 12:00:00', '-10:11:12.25'), "
        "(2, '1999-12-31', '1970-01-01 00:00:00', '2038-01-19 03:14:07', '100:00:00'), (3, NULL, NULL, NULL, NULL), "
        "(4, '0001-01-01', '9999-12-31 23:59:59', '1970-01-01 00:00:01', '00:00:00')"
    )
    yield "CREATE TABLE papers (id INT PRIMARY KEY, j JSON, tx VARCHAR(60), n DECIMAL(5,2), b VARCHAR(9))"
    # As MySQL would print them, which prints what it has stored.
    yield (
        "INSERT INTO papers VALUES (1, '{\"a\": 1, \"b\": [1, {\"a\": \"x\"}]}', '[1, 2]', NULL, '1'), (2, '[1, [2, 3], null]', "
        "'{\"a\": 1}', NULL, 'null'), (3, NULL, NULL, NULL, NULL), (4, '\"x\"', '\"x\"', NULL, 'true')"
    )


def tables():
    """Statements that make them. Values that are no texts are texts there."""
    for name, values in (("moments", MOMENTS), ("times", TIMES), ("documents", DOCUMENTS)):
        texts = [value for value in values if value.startswith("'") or value == "NULL"]
        # What is no document would end every statement.
        texts = [text for text in texts if name != "documents" or text not in ("'x'", "''")]
        rows = ", ".join(f"({number}, {text})" for number, text in enumerate(texts))
        yield f"CREATE TABLE {name} (id INT PRIMARY KEY, v VARCHAR(200))"
        yield f"INSERT INTO {name} VALUES {rows}"


def compare(ports, count):
    """Adds to `count` what was met. `ports`: MySQL's and ours."""
    ways = Ways(*ports, None)
    for side in (ways.theirs, ways.ours):
        answer(side, f"DROP DATABASE IF EXISTS {DATABASE}")
        answer(side, f"CREATE DATABASE {DATABASE}")
    ways.close()
    ways = Ways(*ports, DATABASE)
    for kind in TEMPLATES:
        for statement in statements(kind):
            compare_call(ways, kind, statement, count)
    for statement in tables():
        given = answer(ways.ours, statement)
        if given.error is not None:
            raise RuntimeError(f"{statement}: {given}")
    for kind in TEMPLATES:
        for statement in over_tables(kind):
            compare_executors(ways, kind, statement, count)
    for statement in typed_tables():
        for side in (ways.theirs, ways.ours):
            given = answer(side, statement)
            if given.error is not None:
                raise RuntimeError(f"{statement}: {given}")
    for reason in REASONS:
        theirs, ours = ways.ask_them(reason.statement), ways.ask_us(reason.statement, None)
        if not reason.explains(reason.statement, difference(theirs, ours), theirs, ours):
            count.failures.append(("reason", None, "stale", reason.statement, str(theirs), str(ours)))
    for kind in TEMPLATES:
        for statement in over_columns(kind):
            for executor in Ways.EXECUTORS:
                compare_call(ways, kind, statement, count, executor)
    ways.close()


def compare_call(ways, kind, statement, count, executor=None):
    theirs, ours = ways.ask_them(statement), ways.ask_us(statement, executor)
    count.by[f"calls of {kind}" + (f" over columns ({executor})" if executor else "")] += 1
    count.by["statements"] += 1
    respect = difference(theirs, ours)
    if respect in (None, "types"):
        return
    reason = reason_of(statement, respect, theirs, ours)
    if reason is not None:
        count.reasons[reason.why] += 1
    else:
        count.failures.append((kind, executor, respect, statement, str(theirs), str(ours)))


def compare_executors(ways, kind, statement, count):
    rows, columns = (ways.ask_us(statement, executor) for executor in Ways.EXECUTORS)
    count.by[f"calls of {kind} on both executors"] += 1
    count.by["statements"] += 1
    respect = difference(rows, columns)
    if respect is not None:
        count.failures.append((kind, "columns", respect, statement, str(rows), str(columns)))
