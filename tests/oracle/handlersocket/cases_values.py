"""Cases about values: what each column type makes of each text, on every way in and out.

Each value goes in by insert, is read back, updates another row, is looked up as a key where the
type can be one, and is used as a filter value. Not here: what operations do with rows.
UNSIGNED of FLOAT, DOUBLE and DECIMAL is not compared: Rowhouse reads the word and drops it.
"""

from script import Case

INTEGERS = [
    "5", "-5", "0", "127", "128", "-128", "-129", "255", "256", "32767", "32768", "-32769", "65535",
    "65536", "8388607", "8388608", "-8388609", "16777215", "16777216", "2147483647", "2147483648",
    "-2147483649", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
    "1e2", "1E+3", "1.5e3", "15e-1", "25e-1", "1e400", "1e-400", "1.5", "2.5", "-0.5",
    "0.49", "-1.5",
    "0.5", ".5", "5.", "5.9x", "  7", "7x", "7 ", "abc", "", " ", "+9", "+", "-", "--5", "+-5",
    "0x10",
    "007", "\t3", "\n3", "1e", "1e+", "1e5x", "1 2", "1,5", "1_0", "e5", "99999999999",
    "-99999999999", "\x003",
    "ж", b"\xff5", b"5\xff",
]
FLOATS = [
    "0", "1", "1.5", "-1.5", "0.1", "123456", "1234567", "12345678", "16777217", "1e10", "1e14",
    "1e15",
    "1e16", "1e17", "1e20", "1e38", "3.5e38", "-1e39", "1e-5", "0.0001", "0.00001", "1e-14",
    "1e-15", "1e-16",
    "1.17549e-38", "1e-46", "1e-320", "1e-400", "1e300", "1e309", "-1e400", "abc", "", "1e", "1e+",
    ".5", "5.",
    "-0", "-0.0", "3.14159265358979", "999999", "999999.5", "9999999", "0.333333333",
    "0.30000000000000004",
    "123456.5", "1234565", "1234567890123456.7", "123456789012345.6", "9007199254740993",
    "12345678901234567890",
    "1.2345678901234567e-5", "0.000012345", "1.7976931348623157e308", "5e-324",
    "2.2250738585072014e-308",
    "1e21", "1e22", "1e23", "0x1p3", "nan", "inf", "infinity", " 5", "5 ", "- 5", "1,5", "8388608",
    "33554432",
    "100000.5", "0.1234565", "1.4e-45", "3.4028234e38",
]
DECIMALS = [
    "0", "1", "1.5", "-1.5", "1.2345", "1.2355", "1.2345000001", "-1.2345", "9999999.999",
    "10000000",
    "9999999.9995", "-10000000", "1e3", "1e-2", "1e-9", "1e100", "-1e100", "abc", "", "12abc", ".5",
    "5.", "-", "+7",
    "-0", "-0.0001", " 7", "7 ", "0001.5", "1e", "1.5.5", "999.99", "999.994", "999.995", "0.005",
    "0.004",
    "-0.001", "99999999999999999999", "100000000000000000000", "0.5", "1e19", "1e20", "1,5",
    "123456789012345678901234567890.123456789012345678901234567890", "0.49999999999999999999",
]
TEXTS = [
    "a", "A", "abcde", "abcdef", "a  ", "  a", "", " ", "жжжжж", "жжжжжж", "Ж", "é", "e", "É", "ß",
    "ss", "s",
    b"\xff\xfe", b"a\xffb", b"ab\xf0\x9f", b"\xc0\x80", b"\xf5\x80\x80\x80", b"\xf0\x9f\x98\x80",
    b"\xf0\x9f\x98\x81",
    b"\xe2\x82", b"\xe2\x28\xa1", b"\x80", b"\xc3", b"\xc3\x28", b"\xf0\x80\x80\x80",
    b"\xe0\x80\x80", b"\xf4\x90\x80\x80",
    "a\x00", "a\x00b", "\x00\x00", "a\tb", "a\nb", "a\t", "\x0f", "\x1f", "abcde  ", "abcdef  ",
    "a" * 70, "\\", "'", '"', "%", "_",
    "5", "05", "5.0",
]
DATES = [
    "2020-01-02", "20200102", "200102", "2020-1-2", "2020-02-30", "2020-13-01", "0000-00-00",
    "2020-00-00",
    "2020-01-00", "2020-01-32", "2020-04-31", "1900-02-29", "2000-02-29", "2019-02-29", "abc", "",
    "2020-01-02 12:34:56", "2020-01-02 25:00:00", "2020-01-02 10:60:00", "2020/01/02", "2020.01.02",
    "2020:01:02",
    "1-1-1", "70-1-1", "69-1-1", "99-12-31", "100-1-1", "2020-01-02x", "99999999", "10000101",
    "9999-12-31", "10000-01-01",
    "20", "101", "1231", "0001-01-01", "2020-01-02 23:59:59.9999999", "2020-01", "20200230",
    " 2020-01-02",
    "2020-01-02 ", "2020-01-02T01:02:03", "2020-01-02 01", "0", "1", "2020-01-02 01:02:03.4",
    "20200102030405",
    "200102030405", "2020-01-02 03:04:05.126", "2020-01-02 03:04:05.999999",
    "2020-01-02 03:04:05.9999995",
    "2020-01-02T03:04:05Z", "2020-01-02 03:04:05+01:00",
    "2020-01-02 24:00:00",
    "2020-01-02 03:60:00", "2020-01-02 03:04:60", "0000-00-00 00:00:00", "0000-00-00 01:00:00",
    "2020-00-00 01:02:03",
    "2020-01-02 3:4:5", "2020-01-02 03:04", "2020-1-2 3", "2020-01-02  03:04:05",
    "2020-01-02 03:04:05 x",
    "1580000000", "12:34:56", "2020-01-02 03:04:05.", "20200102030405.5", "2020-01-02 03.04.05",
    "1970-01-01 00:00:00", "1970-01-01 00:00:01", "2038-01-19 03:14:07", "2038-01-19 03:14:07.999",
    "2038-01-19 03:14:08", "1969-12-31 23:59:59", "2106-02-07 06:28:15", "-2020-01-02",
    "2020-01-02-03-04-05",
]
# TIMESTAMP(n) makes something else of it: `quirks`.
LAST_MOMENT = ["9999-12-31 23:59:59.9999999"]
# Of TIME with a fraction: `quirks`.
LONG_TIMES = [
    "839:00:00", "-839:00:00", "838:59:59.5", "838:59:59.9999999", "34 23:00:00", "35 00:00:00",
    "1000000000", "8390000", ".5",
]
TIMES = [
    "12:34:56", "1:2:3", "123456", "3456", "56", "0", "-1:00:00", "-123456", "838:59:59", "12:34",
    "12", "12:60:00", "12:00:60", "1 2:3:4", "1 12", "1 1:2", "34 22:59:59", "abc", "", "12:34:56.789", "12:34:56.7891",
    "12:34:56.9999999", "10:11:12x",
    "2020-01-02 12:34:56", "2020-01-02 12:34:56.5", "20200102123456", "12:34:56.", "-0:00:00",
    "8385959", "8385960", "-8385959", "12:34:56 pm", "::", "1:2", "00:00:00.5",
    "-00:00:00.5", "-00:00:00.0001", " 1:2:3",
    "1:2:3 ", "+1:2:3", "- 1:2:3", "1.5", "100:00:00", "100.25", "59", "60", "99", "100",
]
YEARS = [
    "2020", "0", "00", "0000", "000", "1", "69", "70", "99", "100", "1900", "1901", "2155", "2156",
    "abc", "",
    "-1", "20x", "2020.5", "2e3", " 20", "020", "2020-01-01", "1.5", "69.5", "0.4", "99.5", "1e9",
    "2155.4",
]
ENUMS = [
    "a", "A", "b", "B", "c d", "C D", "1", "2", "3", "4", "5", "0", "", "x", "a ", "  a", "c", "01",
    "2x", "1.0",
    "99999999999", "-1", "ж", b"\xff", "a\x00", "é", "É",
]
SETS = [
    "a", "B", "b,a", "a,b", "c d,a", "1", "3", "16", "31", "32", "", ",", "a,", "a,x", "x", "a ", " a",
    "A,C D", "é", "É,a", "a,a", "01", "2x", "1.0", b"\xff", "a\x00",
]
BITS = [
    "", "0", "1", "9", "A", "AB", "ABC", "\x01", b"\x00\x01", b"\x0f\xff", b"\x10\x00", b"\x00\x00\x00\x0f", b"\xff",
    b"\x01\x0a", " ", "é",
]
# As MySQL prints them.
JSONS = [
    '{"a": 1}', "[1, 2]", '"x"', "null", "true", "1.5", '{"a": 3, "b": 2}', '{"a": "ж"}', "[]",
]

# column type: texts; None where MySQL allows no index without a length.
TYPES = [
    ("tinyint", "TINYINT", INTEGERS),
    ("tinyintu", "TINYINT UNSIGNED", INTEGERS),
    ("smallint", "SMALLINT", INTEGERS),
    ("smallintu", "SMALLINT UNSIGNED", INTEGERS),
    ("mediumint", "MEDIUMINT", INTEGERS),
    ("mediumintu", "MEDIUMINT UNSIGNED", INTEGERS),
    ("int", "INT", INTEGERS),
    ("intu", "INT UNSIGNED", INTEGERS),
    ("bigint", "BIGINT", INTEGERS),
    ("bigintu", "BIGINT UNSIGNED", INTEGERS),
    ("bool", "BOOL", INTEGERS),
    ("float", "FLOAT", FLOATS),
    ("double", "DOUBLE", FLOATS),
    ("decimal", "DECIMAL(10,3)", DECIMALS),
    ("decimal0", "DECIMAL(20,0)", DECIMALS),
    ("decimal65", "DECIMAL(65,30)", DECIMALS),
    ("decimal2", "DECIMAL(2,2)", DECIMALS),
    ("char", "CHAR(5)", TEXTS),
    ("charbin", "CHAR(5) COLLATE utf8mb4_bin", TEXTS),
    ("varchar", "VARCHAR(5)", TEXTS),
    ("varcharbin", "VARCHAR(5) COLLATE utf8mb4_bin", TEXTS),
    ("binary", "BINARY(5)", TEXTS),
    ("varbinary", "VARBINARY(5)", TEXTS),
    ("date", "DATE", DATES + LAST_MOMENT),
    ("time0", "TIME", TIMES + LONG_TIMES),
    ("time1", "TIME(1)", TIMES),
    ("time3", "TIME(3)", TIMES),
    ("time6", "TIME(6)", TIMES),
    ("datetime0", "DATETIME", DATES + LAST_MOMENT),
    ("datetime2", "DATETIME(2)", DATES + LAST_MOMENT),
    ("datetime3", "DATETIME(3)", DATES + LAST_MOMENT),
    ("datetime6", "DATETIME(6)", DATES + LAST_MOMENT),
    ("timestamp0", "TIMESTAMP", DATES + LAST_MOMENT),
    ("timestamp2", "TIMESTAMP(2)", DATES),
    ("timestamp6", "TIMESTAMP(6)", DATES),
    ("year", "YEAR", YEARS),
    ("enum", "ENUM('a','B','c d','1','é')", ENUMS),
    ("set", "SET('a','B','c d','1','é')", SETS),
    ("bit1", "BIT", BITS),
    ("bit12", "BIT(12)", BITS),
]
BLOBS = [
    ("tinytext", "TINYTEXT", TEXTS + ["x" * 255, "x" * 256, "ж" * 127, "ж" * 128]),
    ("text", "TEXT", TEXTS),
    ("mediumtext", "MEDIUMTEXT COLLATE utf8mb4_bin", TEXTS),
    ("longtext", "LONGTEXT", TEXTS),
    ("tinyblob", "TINYBLOB", TEXTS + [b"\xff" * 255, b"\xff" * 256]),
    ("blob", "BLOB", TEXTS),
    ("mediumblob", "MEDIUMBLOB", TEXTS),
    ("longblob", "LONGBLOB", TEXTS),
    ("json", "JSON", JSONS),
]


def cases():
    for name, declared, texts in TYPES:
        yield type_case(name, declared, texts)
    for name, declared, texts in BLOBS:
        yield blob_case(name, declared, texts)
    yield not_null()
    yield stored_by_sql()
    yield refused_by_rowhouse()
    yield quirks()


def type_case(name, declared, texts):
    """In by insert and update, out by find; then as key of an index and as filter value."""
    case = Case(f"type-{name}")
    table = case.table(
        "t", f"id INT PRIMARY KEY, v {declared} NULL, w {declared} NULL, KEY kv (v, id)",
    )
    own = case.table("own", f"v {declared} NOT NULL, n INT, PRIMARY KEY (v)")
    case.connect("w")
    case.connect("r")
    case.open(1, table, "", "id,v,w")
    case.open(2, table, "kv", "v,id", "v,w")
    case.open(3, table, "", "v")
    case.open(4, own, "", "v,n", "v")
    case.open(2, table, "kv", "v,id", "v,w", on="r")
    for number, text in enumerate(texts + [None]):
        case.insert(1, number, text, None)
        case.find(1, "=", [number])
        case.insert(4, text, number)
    case.find(1, ">=", [0], 1000, 0)
    case.find(4, ">=", [""], 1000, 0)
    case.find(4, "<", [""], 1000, 0)
    case.find(2, ">=", [None], 1000, 0, on="r")
    for number, text in enumerate(texts + [None]):
        case.find(1, "=", [number], 1, 0, "U?", number, None, text)
        case.find(2, "=", [text], 1000, 0, on="r")
        case.find(4, "=", [text])
        for operator in (">", ">=", "<", "<="):
            case.find(2, operator, [text], 5, 0)
        for operator in ("=", "!=", ">", ">=", "<", "<="):
            case.find(2, ">=", [None], 1000, 0, "F", operator, 1, text, on="r")
    case.find(1, ">=", [0], 1000, 0)
    case.find(2, "=", [""], 1000, 0, "@", 0, len(texts), *texts, on="r")
    return case


def blob_case(name, declared, texts):
    case = Case(f"type-{name}")
    table = case.table("t", f"id INT PRIMARY KEY, v {declared}, w {declared}")
    case.connect("w")
    case.open(1, table, "", "id,v,w", "v,id")
    for number, text in enumerate(texts + [None]):
        case.insert(1, number, text, None)
        case.find(1, "=", [number])
        case.find(1, "=", [number], 1, 0, "U?", number, None, text)
        case.find(1, "=", [number])
        case.find(1, "=", [number], 1, 0, "F", "=", 0, text)
        case.find(1, "=", [number], 1, 0, "F", "=", 0, None)
        case.find(1, "=", [number], 1, 0, "F", "=", 1, number)
    case.find(1, ">=", [0], 1000, 0)
    return case


def not_null():
    """NULL and the empty value into NOT NULL columns, with and without a default."""
    case = Case("not-null")
    table = case.table(
        "t",
        "id INT PRIMARY KEY, a INT NOT NULL DEFAULT 5, b VARCHAR(5) NOT NULL DEFAULT 'q',"
        " c ENUM('x','y') NOT NULL DEFAULT 'y', d DATETIME NOT NULL DEFAULT '2020-01-01',"
        " e DECIMAL(5,2) NOT NULL, f CHAR(3) NOT NULL, g BINARY(2) NOT NULL, h TEXT NOT NULL,"
        " i ENUM('x','y') NOT NULL, j YEAR NOT NULL, k TIME(2) NOT NULL,"
        " l DOUBLE NOT NULL DEFAULT 1.5,"
        " KEY ka (a), KEY kb (b), KEY kd (d)",
    )
    columns = "id,a,b,c,d,e,f,g,h,i,j,k,l"
    full = [7, "b", "x", "2000-01-01", 1, "f", "gg", "h", "y", 2001, "1:2:3", 2.5]
    case.connect("w")
    case.open(1, table, "", columns, columns.replace(",h", ""))
    case.insert(1, 1, *full)
    case.insert(1, 2, *([None] * 12))
    case.insert(1, 3, *([""] * 12))
    case.insert(1, 4)
    case.insert(1, 5, 6)
    case.insert(1, None, 6)
    case.insert(1, None, 7)
    case.find(1, ">=", [-1], 99, 0)
    case.find(1, "=", [1], 1, 0, "U", 1, *([None] * 12))
    case.find(1, "=", [1], 1, 0, "U?", None, *([None] * 12))
    case.find(1, "=", [1])
    case.find(1, "=", [1], 1, 0, "U", 1, *([""] * 12))
    case.find(1, "=", [1])
    for index in ("ka", "kb", "kd"):
        case.open(2, table, index, columns)
        for operator in ("=", ">", ">=", "<", "<="):
            case.find(2, operator, [None], 99, 0)
    for filter_column in range(12):
        for operator in ("=", "!=", ">", ">=", "<", "<="):
            case.find(1, ">=", [-1], 99, 0, "F", operator, filter_column, None)
    return case


def stored_by_sql():
    """The same columns written through SQL and read here: text is what SQL prints."""
    case = Case("sql-values")
    table = case.table(
        "t",
        "id INT PRIMARY KEY, d DOUBLE, f FLOAT, n DECIMAL(12,4), t TIME(3), dt DATETIME(4),"
        " ts TIMESTAMP(1) NULL,"
        " y YEAR, e ENUM('u','v'), c CHAR(6), b BINARY(3), vb VARBINARY(9), tx TEXT, j JSON,"
        " bo BOOL, da DATE",
    )
    case.sql(
        f"INSERT INTO {table} VALUES"
        " (1, 1e100, 1.5, 12.5, '10:11:12.125', '2020-02-29 01:02:03.5',"
        " '2020-01-01 00:00:00.5', 2020, 'u', 'ab',"
        " 'ab', X'0001FF0A09', 'some text', '{\"k\": [1, 2]}', TRUE, '2020-02-29'),"
        " (2, -0.1, -3.4e38, -0.0001, '-838:59:59', '9999-12-31 23:59:59.9999',"
        " '1970-01-01 00:00:01', 1901, 'v', 'ж',"
        " '', '', '', '[]', FALSE, '1000-01-01'),"
        " (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
        " NULL, NULL)"
    )
    case.connect("r")
    columns = "id,d,f,n,t,dt,ts,y,e,c,b,vb,tx,j,bo,da"
    case.open(1, table, "", columns, columns, on="r")
    case.find(1, ">=", [0], 9, 0, on="r")
    for column, value in (
        (1, "1e100"), (3, "12.5"), (4, "101112.125"), (8, "V"), (10, "ab"), (14, "1"),
    ):
        case.find(1, ">=", [0], 9, 0, "F", "=", column, value, on="r")
    return case


def refused_by_rowhouse():
    """Values that the original stores although the type forbids them."""
    case = Case("forbidden-values")
    table = case.table("t", "id INT PRIMARY KEY, j JSON, v VARCHAR(9)")
    case.connect("w")
    case.open(1, table, "", "id,j")
    case.open(2, table, "", "id,v")
    for number, text in enumerate(("bad", "", "{", "{'a':1}", "[1,]", "nan")):
        case.insert(1, number, text, differs="json-checked")
    case.insert(1, 50, "{}")
    case.find(1, "=", [50], 1, 0, "U", 50, "{", differs="json-checked")
    case.find(1, "=", [50], differs="json-checked", ours="0·2·50·{}")
    case.insert(1, 51, ' {"b":2,"a":1.50,"b":[]}')
    case.find(1, "=", [51], differs="json-printed", ours=r'0·2·51·{"a": 1.5, "b": \[\]}')
    needed = case.table("n", "id INT PRIMARY KEY, j JSON NOT NULL")
    case.open(3, needed, "", "id,j")
    case.insert(3, 1)
    case.find(3, "=", [1], differs="json-zero", ours="0·2·1·null")
    case.insert(2, 100, b"\xed\xa0\x80")
    case.find(2, "=", [100], differs="surrogates", ours=r"0·2·100·\?\?\?")
    return case


def quirks():
    """Texts of which the original makes what no rule would; one row each, so nothing follows."""
    case = Case("value-quirks")
    case.connect("w")
    for number, kind in enumerate(("TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT")):
        table = case.table(f"i{number}", f"id INT PRIMARY KEY, s {kind}, u {kind} UNSIGNED")
        case.open(number, table, "", "id,s,u")
        for text in ("-1e400", "-1e19", "-9e99999", "-0.1e400"):
            case.insert(number, 1, text, 0)
            case.find(number, "=", [1])
            case.find(number, "=", [1], 1, 0, "U", 1, 0, text)
            case.find(number, "=", [1], differs="minus-huge", ours="0·3·1·0·0")
            case.find(number, "=", [1], 1, 0, "D")
    stamps = case.table("ts", "id INT PRIMARY KEY, a TIMESTAMP(2) NULL, b TIMESTAMP(6) NULL")
    case.open(9, stamps, "", "id,a,b")
    case.insert(9, 1, LAST_MOMENT[0], LAST_MOMENT[0])
    zero = "0000-00-00 00:00:00."
    case.find(9, "=", [1], differs="last-moment", ours=rf"0·3·1·{zero}00·{zero}000000")
    times = case.table("longest", "id INT PRIMARY KEY, a TIME(1) NULL, b TIME(6) NULL")
    case.open(10, times, "", "id,a,b")
    case.insert(10, 1, LONG_TIMES[0], LONG_TIMES[2])
    longest = "838:59:59."
    case.find(10, "=", [1], differs="longest-time", ours=rf"0·3·1·{longest}0·{longest}000000")
    return case
