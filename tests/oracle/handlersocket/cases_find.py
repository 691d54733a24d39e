"""Cases about finding: ranges over composite keys, collations, IN lists, filters.

Not here: what single values become (`cases_values`), changes (`cases_change`), random mixtures
(`cases_random`).
"""

from script import Case

OPERATORS = ("=", ">", ">=", "<", "<=")
FILTER_OPERATORS = ("=", "!=", ">", ">=", "<", "<=")


def cases():
    yield ranges()
    yield no_primary_key()
    yield collations()
    yield column_prefixes()
    yield in_lists()
    yield filters()


def ranges():
    """Every operator with every prefix length, at values in, between and outside those stored."""
    case = Case("ranges")
    table = case.table(
        "t",
        "a INT, b VARCHAR(10), c INT, v VARCHAR(20), n INT, PRIMARY KEY (a, b, c),"
        " KEY kb (b), KEY kcv (c, v), UNIQUE KEY uv (v), UNIQUE KEY unv (n, v), KEY kvnb (v, n, b)",
    )
    rows = [
        (1, "a", 1, "v1", 1), (1, "a", 2, "v2", None), (1, "B", 1, "v3", 1), (1, "b", 2, None, 2),
        (2, "a", 1, None, None), (2, "A", 5, "v6", 3), (3, "c", 1, "v7", 1), (3, "", -1, "", 0),
        (-2, "zz", 3, "w", -5), (-2, "z", 3, "W2", None), (5, "b ", 2, None, 2),
        (5, "ж", 2, "ж", None),
    ]
    case.connect("w")
    case.connect("r")
    case.open(0, table, "", "a,b,c,v,n")
    for row in rows:
        case.insert(0, *row)
    keys = {
        "PRIMARY": [[1], [2], [0], [9], [-9], [None], [1, "a"], [1, "b"], [1, "zz"], [1, ""],
        [1, None],
                    [1, "a", 1], [1, "a", 7], [1, "a", 0], [2, "A", 5], [5, "B", 2], [-2, "z", 3]],
        "kb": [["A"], ["b"], ["bb"], [""], ["zzz"], [None], ["b  "], ["ж"]],
        "kcv": [[1], [2], [None], [99], [1, None], [1, "v3"], [1, "V3"], [1, "v4"], [2, None],
        [2, ""], [3, "w"]],
        "uv": [[None], ["v3"], ["v4"], [""], ["zzz"], ["W"]],
        "unv": [[1], [None], [1, "v1"], [None, None], [None, "v2"], [2, None], [0, ""], [1, ""]],
        "kvnb": [[None], [None, 2], [None, 2, "b"], [None, None], [None, None, "a"], ["v1", 1],
        ["v1", 1, "A"]],
    }
    for number, (index, values) in enumerate(keys.items(), 1):
        for on in ("w", "r"):
            case.open(number, table, index, "a,b,c,v,n", "n", on=on)
        for key in values:
            for operator in OPERATORS:
                case.find(number, operator, key, 100, 0)
                case.find(number, operator, key, on="r")
                case.find(number, operator, key, 2, 1, on="r")
                case.find(number, operator, key, 3, 0, "F", ">=", 0, 1, on="r")
    return case


def no_primary_key():
    """Rows that are equal in the index come in the order they were inserted."""
    case = Case("no-primary-key")
    table = case.table("t", "a INT, b VARCHAR(5), KEY ka (a), KEY kba (b, a)")
    case.connect("w")
    case.open(1, table, "ka", "a,b", "b")
    case.open(2, table, "kba", "a,b")
    for a, b in (
        (1, "x"), (2, "y"), (1, "x"), (1, "a"), (None, "n"), (2, "x"), (None, None), (1, None),
    ):
        case.insert(1, a, b)
    for operator in OPERATORS:
        for key in (1, 2, None, 0, 9):
            case.find(1, operator, [key], 99, 0)
        for key in (["x"], ["x", 1], [None], [None, None], ["b"]):
            case.find(2, operator, key, 99, 0)
    case.find(1, "=", [1], 2, 1, "U", 1, "new")
    case.find(1, "=", [1], 99, 0)
    case.find(1, "=", [1], 1, 0, "D")
    case.find(1, "=", [1], 99, 0)
    case.find(2, "=", ["new"], 9, 0, "D?")
    case.scan(1)
    unique = case.table("u", "a INT, b INT NOT NULL, UNIQUE KEY ua (a), UNIQUE KEY ub (b)")
    case.open(3, unique, "ua", "a,b")
    for a, b in ((3, 1), (1, 3), (None, 2), (3, 9), (7, 1), (None, 4)):
        case.insert(3, a, b)
    case.scan(3)
    case.find(3, "=", [None], 9, 0)
    ordered = case.table("o", "a INT, b INT NOT NULL, KEY ka (a), UNIQUE KEY ub (b)")
    case.open(4, ordered, "ka", "a,b")
    for b in (3, 1, 2):
        case.insert(4, 1, b)
    case.find(4, "=", [1], 9, 0, differs="unique-order", ours="0·2·1·3·1·1·1·2")
    return case


def collations():
    """Order and equality of text: case-insensitive, binary of characters, bytes; PAD SPACE."""
    case = Case("collations")
    words = [
        "", " ", "a", "A", "a ", "a\t", "a!", "ab", "aB", "AB ", "abc", "b", "B", "z", "Z", "_",
        "[", "`", "{", "0", "9", "10",
        "é", "É", "e", "f", "ß", "s", "ss", "ж", "Ж", "я", "Я", "ё", "е", "Е", "Ё", "й", "и", "ø",
        "o", "ı", "i", "I", "İ", "ǆ", "中", "文", "\u00a0", "\ufffd",
        "\U0001f600", "\U0001f601", "\U00010400", "\uffff", "a\U0001f600", "\x01", "\x1f", "a\x00",
        "\u0301", "e\u0301", "ｚ", "Ω", "ω", "ς", "σ",
    ]
    kinds = {
        "ci": "VARCHAR(10)", "cic": "CHAR(10)", "bin": "VARCHAR(10) COLLATE utf8mb4_bin",
        "binc": "CHAR(10) COLLATE utf8mb4_bin", "vb": "VARBINARY(20)", "b": "BINARY(20)",
    }
    case.connect("w")
    case.connect("r")
    for number, (kind, declared) in enumerate(kinds.items()):
        table = case.table(kind, f"v {declared}, id INT, PRIMARY KEY (v, id), UNIQUE KEY kv (v)")
        many = case.table(kind + "2", f"id INT PRIMARY KEY, v {declared}, KEY kv (v)")
        case.open(2 * number, table, "", "v,id", "v")
        case.open(2 * number + 1, many, "kv", "id,v", "v")
        case.open(2 * number + 1, many, "kv", "id,v", "v", on="r")
        for i, word in enumerate(words):
            case.insert(2 * number, word, i)
            case.insert(2 * number + 1, i, word)
        for word in words + ["nope", "aa", "a   "]:
            case.find(2 * number, "=", [word], 9, 0)
            case.find(2 * number + 1, "=", [word], 99, 0, on="r")
            case.find(2 * number + 1, "<", [word], 1, 0, on="r")
            case.find(2 * number + 1, ">", [word], 1, 0, on="r")
            case.find(2 * number + 1, "<", ["\uffff"], 99, 0, "F", "<", 0, word, on="r")
        case.find(2 * number, ">=", [""], 999, 0)
        case.scan(2 * number + 1, on="r")
    return case


def column_prefixes():
    """Indexes on the first characters of a column."""
    case = Case("column-prefixes")
    table = case.table(
        "t",
        "id INT PRIMARY KEY, tx TEXT, vc VARCHAR(20), bl BLOB, KEY kt (tx(3)), KEY kv (vc(2),"
        " id), KEY kb (bl(2))"
    )
    case.connect("w")
    for number, index in enumerate(("kt", "kv", "kb")):
        case.open(number, table, index, "id,tx,vc,bl")
    for i, word in enumerate(
        ("abc", "ABCD", "abd", "", "ж", "жжжж", "жжжя", "ab", "a", None, "abc ", "b"),
    ):
        case.insert(0, i, word, word, word)
    for number in range(3):
        for key in ("abc", "abcd", "abcx", "ab", "a", "", "жжж", "жжжжж", "ж", None, "zz", "aBc"):
            for operator in OPERATORS:
                case.find(number, operator, [key], 99, 0)
    for operator in OPERATORS:
        case.find(1, operator, ["abx", 1], 99, 0)
    return case


def in_lists():
    case = Case("in")
    table = case.table(
        "t", "a INT, b INT, c VARCHAR(5), PRIMARY KEY (a, b), KEY kc (c), KEY kbc (b, c)",
    )
    case.connect("w")
    case.open(1, table, "", "a,b,c", "b,c")
    case.open(2, table, "kc", "a,b,c", "b,c")
    case.open(3, table, "kbc", "a,b,c", "b,c")
    for a in range(6):
        for b in range(3):
            case.insert(1, a, b, "xyz"[(a + b) % 3] if a != 4 else None)
    lists = (
        [1], [1, 2, 3], [3, 99, 1], [99], [98, 99], [2, 2, 2], [5, "", "x", "1x", -1, 99999999999],
        [99, 1, 98, 2],
    )
    for values in lists:
        for operator in OPERATORS:
            for limit, offset in ((100, 0), (1, 0), (2, 0), (100, 1), (1, 2), (0, 0), ("", "")):
                case.find(1, operator, [""], limit, offset, "@", 0, len(values), *values)
        case.find(1, "=", [1, 0], 100, 0, "@", 1, len(values), *values)
        case.find(1, ">", [1, 0], 100, 0, "@", 1, len(values), *values)
        case.find(1, "=", [7, 1], 100, 0, "@", 0, len(values), *values)
        case.find(1, "=", [1], 100, 0, "@", 1, len(values), *values)
        case.find(1, "=", [1], 100, 0, "@", 9, len(values), *values)
        case.find(3, "=", [1], 100, 0, "@", 0, len(values), *values)
        for kind in "FW":
            for operator in ("=", "!=", ">="):
                case.find(
                    1, "=", [""], 100, 0, "@", 0, len(values), *values, kind, operator, 1, "y",
                )
                case.find(1, ">=", [""], 2, 1, "@", 0, len(values), *values, kind, operator, 0, 1)
    for values in (["x"], ["x", "y", "z"], ["X", "q", "x"], ["", "z "]):
        case.find(2, "=", [""], 100, 0, "@", 0, len(values), *values)
        case.find(2, "<=", [""], 100, 0, "@", 0, len(values), *values)
        case.find(3, "=", [1, ""], 100, 0, "@", 1, len(values), *values)
    case.find(1, "=", ["", 1], 100, 0, "@", 0, 3, 8, 1, 9, "U?", 1, 1, "in")
    case.find(1, "=", ["", 1], 100, 0, "@", 0, 2, 9, 2, "U", 7, 7, "moved")
    case.scan(1)
    case.find(1, "=", ["", 0], 100, 0, "@", 0, 3, 1, 3, 9, "D")
    case.find(1, "=", ["", 0], 1, 0, "@", 0, 3, 0, 2, 5, "D?")
    case.find(1, "=", [""], 9, 1, "@", 0, 3, 0, 2, 5, "F", "=", 0, 1, "D")
    case.scan(1)
    return case


def filters():
    case = Case("filters")
    table = case.table(
        "t", "id INT PRIMARY KEY, a INT, b VARCHAR(5), c INT, tx TEXT, KEY ka (a, b)",
    )
    case.connect("w")
    case.open(1, table, "", "id", "a,b,c,tx")
    case.open(2, table, "ka", "id,a", "c,id")
    case.open(3, table, "", "id,a,b,c,tx")
    for i in range(20):
        a = None if i % 7 == 3 else i % 5
        b = None if i % 6 == 1 else "abcAB"[i % 5]
        case.insert(3, i, a, b, (i * 7) % 11, f"text {i}")
    for kind in "FW":
        for column, value in (
            (0, 2), (0, None), (1, "a"), (1, None), (2, 5), (2, "5x"), (1, "abcdefgh"), (3, None),
        ):
            for operator in FILTER_OPERATORS:
                case.find(1, ">=", [0], 99, 0, kind, operator, column, value)
                case.find(1, "<=", [99], 3, 1, kind, operator, column, value)
                case.find(
                    2, ">=", [None], 99, 0, kind, operator, column % 2, value if column != 1 else 3,
                )
    for first in "FW":
        for second in "FW":
            for one in FILTER_OPERATORS:
                for two in ("=", "!=", ">"):
                    case.find(1, ">=", [0], 99, 0, first, one, 2, 6, second, two, 0, 2)
    case.find(1, ">=", [0], 99, 0, *(["F", ">", 2, 1] * 30))
    case.find(1, ">=", [0], 99, 0, "F", "=", 3, "text 1")
    case.find(1, ">=", [0], 99, 0, "F", "=", 2, 1, "F", "=", 3, "text 1")
    case.find(3, ">=", [0], 99, 0, "F", "=", 0, 1)
    case.find(1, ">=", [0], 2, 2, "F", ">=", 2, 5)
    case.find(1, ">=", [0], 2, 30, "F", ">=", 2, 5)
    case.open(4, table, "", "c", "a,id")
    case.find(4, ">=", [0], 99, 0, "F", "=", 0, 2, "U", 1000)
    case.find(4, ">=", [0], 99, 0, "W", "<", 1, 5, "+", 10)
    case.find(4, ">=", [0], 3, 1, "F", "=", 0, None, "-?", 1)
    case.find(4, ">=", [0], 99, 0, "F", ">", 1, 15, "D")
    case.find(3, ">=", [0], 99, 0)
    return case
