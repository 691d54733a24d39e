"""Cases about changing rows: insert, auto-increment, defaults, U D + -, and changes of keys.

Not here: what single values become (`cases_values`), finding (`cases_find`), random mixtures
(`cases_random`).
"""

from script import Case


def cases():
    yield duplicates()
    yield defaults()
    yield real_defaults()
    yield auto_increment()
    yield auto_increment_elsewhere()
    yield auto_increment_limits()
    yield update()
    yield missing_values()
    yield delete()
    yield many_rows_changed()
    yield arithmetic()
    yield arithmetic_of_types()
    yield changes_of_keys()
    yield better_changes()


def duplicates():
    case = Case("duplicates")
    table = case.table(
        "t",
        "id INT PRIMARY KEY, v VARCHAR(10), b VARBINARY(10), x INT, y INT, UNIQUE KEY uv (v),"
        " UNIQUE KEY ub (b),"
        " UNIQUE KEY uxy (x, y), KEY kx (x)",
    )
    case.connect("w")
    case.open(1, table, "", "id,v,b,x,y")
    values = [
        ("a", "a", 1, 1), ("A", "b", 1, 2), ("a ", "c", 1, 3), ("a\t", "d", 1, 4), ("á", "e", 1, 5),
        ("ж", "f", 1, 6),
        ("Ж", "g", 1, 7), ("ß", "h", 1, 8), ("s", "i", 1, 9), ("ss", "j", 1, 10),
        (None, None, 1, None),
        (None, None, 1, None), ("x", "a", 2, 1), ("y", "A", 2, 2), ("z", "a ", 2, 3),
        ("q", "q", 1, 1),
        ("r", "r", None, 1), ("t", "t", None, 1), (None, "u", None, None), ("", "", 0, 0),
        (" ", "w", 0, 1),
    ]
    for i, row in enumerate(values):
        case.insert(1, i, *row)
    case.insert(1, 0, "new", "new", 9, 9)
    case.scan(1)
    for i, row in enumerate(values):
        case.find(1, "=", [i], 1, 0, "U", i, *row)
    case.find(1, "=", [0], 1, 0, "U", 5, "n", "n", 9, 9)
    case.find(1, "=", [0], 1, 0, "U?", 100, "ж", "n", 9, 9)
    case.find(1, "=", [0], 1, 0, "U?", 100, "n", "f", 9, 9)
    case.find(1, "=", [0], 1, 0, "U?", 100, "n", "n", 1, 8)
    case.find(1, "=", [0], 1, 0, "U?", 100, "n", "n", 9, 9)
    case.find(1, "=", [100], 1, 0, "U?", 100, "N ", "n", 9, 9)
    case.insert(1, 0, "a", "a", 1, 1)
    case.scan(1)
    for index in ("uv", "ub", "uxy", "kx"):
        case.open(2, table, index, "id,v,b,x,y")
        case.scan(2)
    return case


def defaults():
    """Columns not given take their default, also those that are NOT NULL and have none."""
    case = Case("defaults")
    table = case.table(
        "t",
        "id INT PRIMARY KEY, a INT DEFAULT 7, b INT NOT NULL DEFAULT 8,"
        " c VARCHAR(10) DEFAULT 'cc', d VARCHAR(10) NOT NULL"
        " DEFAULT 'dd', e ENUM('x','y') NOT NULL, f ENUM('x','y') DEFAULT 'y',"
        " g DECIMAL(5,2) NOT NULL DEFAULT 1.5,"
        " h DATE NOT NULL DEFAULT '2020-02-02',"
        " i DATETIME(2) NOT NULL DEFAULT '2020-02-02 01:02:03.5', j INT NOT NULL,"
        " k VARCHAR(3) NOT NULL, l BINARY(3) NOT NULL, m YEAR NOT NULL, n DOUBLE NOT NULL,"
        " o TIME NOT NULL,"
        " p VARBINARY(4) NOT NULL DEFAULT X'00FF', q CHAR(3) DEFAULT ' q'",
    )
    columns = "id,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q"
    case.connect("w")
    case.open(1, table, "", columns)
    for count, index in enumerate(columns.split(",")):
        values = [
            count, 1, 2, "c", "d", "y", "x", 3, "2001-01-01", "2001-01-01", 4, "k", "l", 2001, 5, 6,
            "p", "q",
        ]
        case.insert(1, *values[: count + 1])
        case.open(2, table, "", f"id,{index}" if index != "id" else "id")
        case.insert(2, 100 + count, None)
        case.insert(2, 200 + count, "")
        case.insert(2, 300 + count)
    case.open(3, table, "", "b,id")
    case.insert(3, 5)
    case.insert(3, 5, 400, "ignored", "ignored")
    case.insert(3, 5, 401, *range(30))
    case.find(1, ">=", [0], 999, 0)
    return case


def real_defaults():
    """Where the original makes the zero value of NULL and of CURRENT_TIMESTAMP."""
    case = Case("real-defaults")
    nullable = case.table(
        "n",
        "id INT PRIMARY KEY, a INT, b VARCHAR(5), c DATETIME, d TIMESTAMP NULL, u INT,"
        " UNIQUE KEY uu (u)",
    )
    case.connect("w")
    case.open(4, nullable, "", "id,a")
    case.open(5, nullable, "", "id,a,b,c,d,u")
    case.insert(4, 1)
    case.find(5, "=", [1], differs="real-default", ours="0·6·1" + r"·\\x00" * 5)
    case.insert(4, 2, 5, differs="real-default", ours="0·1")
    case.find(5, "=", [2], differs="real-default", ours=r"0·6·2·5" + r"·\\x00" * 4)
    stamped = case.table(
        "s", "id INT PRIMARY KEY, a INT, c DATETIME DEFAULT CURRENT_TIMESTAMP,"
        " d TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP"
    )
    case.open(6, stamped, "", "id,a")
    case.open(7, stamped, "", "id,c,d")
    case.insert(6, 1, 1)
    now = r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d"
    case.find(7, "=", [1], differs="real-default", ours=f"0·3·1·{now}·{now}")
    case.find(6, "=", [1], 1, 0, "U", 1, 2)
    case.find(7, "=", [1], differs="real-default", ours=f"0·3·1·{now}·{now}")
    return case


def auto_increment():
    """One by one, never pipelined: the original reserves values by the rows of a round."""
    case = Case("auto-increment")
    table = case.table(
        "t", "id INT AUTO_INCREMENT PRIMARY KEY, a INT NOT NULL DEFAULT 0, UNIQUE KEY ua (a)",
    )
    case.connect("w")
    case.open(1, table, "", "id,a", "a")
    case.open(2, table, "", "a")
    case.open(3, table, "ua", "a,id")
    given = [
        None, None, 0, "", "abc", 100, 50, None, 99, None, -5, None, "7x", None, "0.4", "0.5", 100,
        None, "-0", None,
    ]
    for i, value in enumerate(given):
        case.insert(1, value, 1000 + i)
    case.find(1, ">=", [-99], 99, 0)
    for value in (1000, 2000, 2000, 2001):
        case.insert(2, value)
    for value in (2000, 3000):
        case.insert(1, None, value)
    case.insert(1, 5000, 2000)
    case.insert(1, None, 3001)
    case.find(1, "=", [100], 1, 0, "U", 6000, 100)
    case.insert(1, None, 3002)
    case.find(1, "=", [6000], 1, 0, "D")
    case.insert(1, None, 3003)
    case.find(3, "=", [3003], 1, 0, "+", 0, 500)
    case.insert(1, None, 3004)
    case.insert(3, 3005)
    case.insert(3, 3006, None)
    case.insert(3, 3007, 9000)
    case.insert(3, 3008, 0)
    case.find(1, ">=", [-99], 99, 0)
    return case


def auto_increment_elsewhere():
    """The counting column outside the primary key, or second in it; counters that SQL moved."""
    case = Case("auto-increment-elsewhere")
    second = case.table("s", "a INT PRIMARY KEY, id BIGINT NOT NULL AUTO_INCREMENT, KEY ki (id)")
    case.connect("w")
    case.open(4, second, "", "a,id")
    case.open(5, second, "ki", "a,id")
    for row in ((5,), (5,), (6, None), (7, 20), (8, 0), (9, 15), (10,), (11, -3), (12,)):
        case.insert(4, *row)
    case.find(5, ">=", [-9], 99, 0)
    case.find(5, "<=", [999], 99, 0)
    third = case.table(
        "n",
        "g INT, id INT NOT NULL AUTO_INCREMENT, x INT NOT NULL DEFAULT 0, PRIMARY KEY (g, id),"
        " KEY ki (id)",
    )
    case.open(6, third, "", "g,id")
    for row in ((1,), (1,), (2, None), (2, 20), (2, 0), (1, 20), (1, 3), (1,)):
        case.insert(6, *row)
    case.find(6, ">=", [0], 99, 0)
    from_sql = case.table("q", "id INT UNSIGNED AUTO_INCREMENT PRIMARY KEY, a INT")
    case.sql(f"INSERT INTO {from_sql} (a) VALUES (1),(2),(3)")
    case.open(7, from_sql, "", "id,a")
    case.insert(7, None, 4)
    case.find(7, ">=", [0], 9, 0)
    start = case.table("st", "id INT AUTO_INCREMENT PRIMARY KEY, a INT")
    case.sql(f"ALTER TABLE {start} AUTO_INCREMENT = 500")
    case.open(8, start, "", "id,a")
    case.insert(8, None, 1)
    case.insert(8, None, 1)
    return case


def auto_increment_limits():
    case = Case("auto-increment-limits")
    case.connect("w")
    kinds = (("TINYINT", 127), ("TINYINT UNSIGNED", 255), ("SMALLINT", 32767), ("INT", 2147483647))
    for number, (kind, top) in enumerate(kinds):
        table = case.table(f"t{number}", f"id {kind} AUTO_INCREMENT PRIMARY KEY, a INT")
        case.open(number, table, "", "id,a")
        case.insert(number, top - 2, 1)
        for _ in range(4):
            case.insert(number, None, 1)
        case.insert(number, top, 1)
        case.insert(number, top + 5, 1)
        case.insert(number, 5, 1)
        case.insert(number, None, 1)
        case.find(number, ">=", [-200], 99, 0)
    return case


def update():
    case = Case("update")
    table = case.table(
        "t",
        "id INT PRIMARY KEY, a INT, b VARCHAR(5), c DECIMAL(6,2), d TINYINT UNSIGNED, tx TEXT,"
        " UNIQUE KEY ua (a), KEY kd (d)"
    )
    case.connect("w")
    case.open(1, table, "", "id,a,b,c,d,tx", "d")
    case.open(2, table, "kd", "b,c")
    case.open(3, table, "ua", "tx,b,a", "id")
    for i in range(8):
        case.insert(1, i, i * 10, f"b{i}", i + 0.5, i % 3, f"tx{i}")
    case.find(1, "=", [1], 1, 0, "U", 1, 11, "x", 2, 3, "t")
    case.find(1, "=", [1], 1, 0, "U", 1, 11, "x", 2, 3, "t")
    case.find(1, "=", [1], 1, 0, "U?", 1, 12, "toolong", 99999.999, 300, "t2")
    case.find(1, "=", [1], 1, 0, "U?", 1, None, None, None, None, None)
    case.find(1, "=", [1], 1, 0, "U?", 1, "", "", "", "", "")
    case.find(1, "=", [99], 1, 0, "U", 99, 1, 1, 1, 1, 1)
    case.find(1, "=", [99], 1, 0, "U?", 99, 1, 1, 1, 1, 1)
    case.find(1, "=", [2], 1, 0, "U", 20, 21, "key", 1, 1, "t")
    case.find(1, "=", [20], 1, 0, "U", 20, 30, "dup", 1, 1, "t")
    case.find(1, "=", [20], 1, 0, "U", 3, 31, "dup", 1, 1, "t")
    case.find(2, "=", [1], 9, 0, "U", "same", 7)
    case.find(2, ">=", [1], 2, 1, "U?", "some", 8)
    case.find(2, ">=", [0], 9, 0, "U", "all", None, "extra", "tokens")
    case.find(3, "=", [50], 1, 0, "F", "=", 0, 5, "U", "by ua", "u", 51)
    case.find(3, "=", [60], 1, 0, "F", "=", 0, 5, "U", "not", "u", 51)
    case.find(3, "<=", [70], 2, 0, "U?", "tx", "bb", None)
    case.find(1, "=", [""], 9, 0, "@", 0, 3, 98, 4, 99, "U?", 4, 4, 4, 4, 4, 4)
    case.find(1, "<", [99], 99, 0)
    case.find(3, ">=", [None], 99, 0)
    case.find(2, ">=", [None], 99, 0)
    return case


def missing_values():
    """`U` and `+` with fewer values than opened columns."""
    case = Case("missing-values")
    fresh = case.table("m", "id INT PRIMARY KEY, a INT, b VARCHAR(5)")
    case.sql(f"INSERT INTO {fresh} VALUES (1,10,'x'),(2,20,'y')")
    case.connect("w")
    case.open(4, fresh, "", "id,a,b")
    case.find(4, "=", [1], 1, 0, "U", 1, 11, differs="missing-values")
    case.find(4, "=", [1], differs="missing-values", ours="0·3·1·10·x")
    case.find(4, "=", [2], 1, 0, "U", differs="missing-values")
    case.find(4, "=", [2], differs="missing-values", ours="0·3·2·20·y")
    case.find(4, "=", [99], 1, 0, "U", 1, 2, differs="missing-values")
    case.find(4, "=", [1], 1, 0, "+", 0, differs="missing-operands", ours="0·1·1")
    case.find(4, "=", [1], differs="missing-operands", ours="0·3·1·10·x")
    case.find(4, "=", [2], 1, 0, "-?", differs="missing-operands", ours="0·3·2·20·y")
    return case


def delete():
    case = Case("delete")
    table = case.table(
        "t", "id INT PRIMARY KEY, a INT, b VARCHAR(5), KEY ka (a), UNIQUE KEY ub (b)",
    )
    case.connect("w")
    case.connect("r")
    case.open(1, table, "", "id,a,b", "a")
    case.open(2, table, "ka", "a,id", "b")
    case.open(3, table, "", "")
    case.open(1, table, "", "id,a,b", on="r")
    for i in range(30):
        case.insert(1, i, i % 4, f"b{i}")
    case.find(1, "=", [3], 1, 0, "D")
    case.find(1, "=", [3], 1, 0, "D")
    case.find(1, "=", [3], 1, 0, "D?")
    case.find(1, "=", [4], 1, 0, "D?", "extra")
    case.find(2, "=", [1], 3, 1, "D")
    case.find(2, ">=", [2], 3, 0, "D?")
    case.find(2, "<", [3], 99, 0, "F", "=", 0, "b12", "D?")
    case.find(1, "<=", [29], 2, 2, "W", ">=", 0, 0, "D?")
    case.find(3, "=", [15], 1, 0, "D?")
    case.find(3, "=", [16], 1, 0, "D")
    case.find(1, ">=", [0], 0, 0, "D")
    case.find(1, ">=", [0], "", "", "D")
    case.find(1, ">=", [0], 99, 0, on="r")
    case.insert(1, 3, 5, "again")
    case.insert(1, 99, 5, "b15")
    case.find(1, ">=", [0], 999, 0, "D")
    case.find(1, ">=", [0], 999, 0)
    case.find(2, ">=", [""], 999, 0)
    case.insert(1, 1, 1, "b1")
    case.scan(2)
    return case


def many_rows_changed():
    """Changes of many rows by columns that the scanned index does not hold."""
    case = Case("many-rows")
    table = case.table("t", "id INT PRIMARY KEY, a INT, n INT, s VARCHAR(10), KEY ka (a)")
    case.connect("w")
    case.open(0, table, "", "id,a,n,s")
    case.open(1, table, "", "n,s", "n")
    case.open(2, table, "ka", "n", "id")
    case.open(3, table, "ka", "s,n")
    for i in range(60):
        case.insert(0, i, i % 6, i * 3 - 50, str(i))
    case.find(1, ">=", [0], 999, 0, "U", 5, "five")
    case.find(2, "=", [3], 999, 0, "+", 10)
    case.find(2, ">", [3], 5, 2, "-", 1)
    case.find(2, "<=", [2], 7, 0, "F", ">", 0, 20, "+?", 100)
    case.find(1, "<", [50], 20, 5, "F", "!=", 0, 15, "U?", -3, "m")
    case.find(2, ">=", [0], 999, 0, "-", 7)
    case.find(3, "=", [5], 999, 0, "+", 1, 1)
    case.find(0, ">=", [0], 999, 0)
    return case


def arithmetic():
    """`+` and `-` on INT: operand syntax, clamping, crossing zero, NULLs, several columns."""
    case = Case("arithmetic")
    table = case.table("t", "id INT PRIMARY KEY, a INT, b INT, c TINYINT UNSIGNED, d BIGINT")
    case.connect("w")
    case.open(1, table, "", "a")
    case.open(2, table, "", "a,b,c")
    case.open(3, table, "", "id,a,b,c,d", "a")
    operands = [
        "1", "0", "abc", "1.9", "-3", "+5", " 5", "5 ", "5x", "", "2147483647", "-2147483648",
        "9000000000", None, "--1", "-",
        "+", "+-1", "1e3", "\t1", "007", "0x10", "- 1", "5\x00", "1,000",
    ]
    starts = [0, 1, -1, 100, -100, 2147483647, -2147483648, None]
    for start in starts:
        for operand in operands:
            for operator in ("+", "-"):
                case.insert(3, 1, start, 0, 0, 0)
                case.find(1, "=", [1], 1, 0, operator, operand)
                case.find(1, "=", [1], 1, 0, operator + "?", operand)
                case.find(3, "=", [1], 1, 0, "D?")
    case.insert(3, 7, 10, None, 250, 5)
    for operator, values in (
        ("+", (1, 1, 1)), ("+", (1, None, 10)), ("-", (20, 1, 1)), ("-", (1, 1, 255)),
        ("-", (1, 1, 1)), ("-", (None, None, None)),
        ("+?", (5, 5, -300)), ("-?", (1, 1, 1)), ("-", (-5, 0, 0)), ("+", (1, 2, 3, 4, 5)),
    ):
        case.find(2, "=", [7], 1, 0, operator, *values)
        case.find(3, "=", [7])
    # `-` that would cross zero in one column leaves the whole row alone, and does not count.
    for i, start in enumerate((5, 0, -5, 3, None, 1)):
        case.insert(3, 20 + i, start, start, 9, 1)
    case.open(4, table, "", "b")
    case.find(4, ">=", [20], 99, 0, "-", 4)
    case.find(4, ">=", [20], 99, 0, "-?", 1)
    case.find(4, ">=", [20], 99, 0, "-", -2)
    case.find(4, ">=", [20], 99, 0, "+", -9)
    case.find(3, ">=", [20], 99, 0)
    return case


def arithmetic_of_types():
    """`+` and `-` on every type: the value as an integer, the sum stored by the column's rules."""
    case = Case("arithmetic-types")
    values = {
        "TINYINT": ["5", "-128", "127"], "SMALLINT UNSIGNED": ["5", "65535", "0"],
        "MEDIUMINT": ["8388607", "-8388608"],
        "INT UNSIGNED": ["4294967295", "0"], "BIGINT": ["5", "-5", "4611686018427387904"],
        "BIGINT UNSIGNED": ["5", "0", "9007199254740993"],
        "FLOAT": ["1.5", "2.5", "3.5", "-2.5", "1e10"], "DOUBLE": ["2.5", "-0.5", "1e15", "0.4"],
        "DECIMAL(6,2)": ["2.5", "-2.5", "9999.99", "0.49", "-0.5"],
        "DECIMAL(18,0)": ["123456789012345678"],
        "YEAR": ["2000", "2155", "1901", "0000"], "CHAR(5)": ["7", "99999", "abc", " 8"],
        "VARCHAR(5)": ["99999", "+5", "0x1", "9.5", "-7", "1e2", ""], "BINARY(4)": ["7", "1234"],
        "VARBINARY(6)": ["7", "999999"],
        "TEXT": ["12abc", "-5", " 7", "1e3", "1.9", ""], "BLOB": ["12abc"],
        "TIME": ["12:34:56", "-01:00:00", "00:00:59"], "TIME(3)": ["12:34:56.789"],
        "DATE": ["2020-01-31", "2020-01-02"],
        "DATETIME": ["2020-01-02 03:04:05", "2020-12-31 23:59:59"],
        "DATETIME(3)": ["2020-01-02 03:04:05.999"],
        "TIMESTAMP": ["2020-01-02 03:04:05"], "ENUM('a','b','c')": ["a", "c", ""],
    }
    case.connect("w")
    for number, (declared, texts) in enumerate(values.items()):
        table = case.table(f"t{number}", f"id INT PRIMARY KEY, v {declared} NULL")
        case.open(1, table, "", "id,v")
        case.open(2, table, "", "v")
        for text in texts:
            for operator, operand in (
                ("+", 1), ("-", 1), ("+", 0), ("-", 10), ("+", -10), ("+?", 100),
            ):
                case.insert(1, 1, text)
                case.find(2, "=", [1], 1, 0, operator, operand)
                case.find(1, "=", [1], 1, 0, "D?")
    return case


def changes_of_keys():
    """Single rows whose key columns change: every index must follow."""
    case = Case("key-changes")
    table = case.table(
        "t",
        "a INT, b VARCHAR(8), c INT, d VARCHAR(8), PRIMARY KEY (a, b), KEY kc (c), KEY kdc (d,"
        " c), UNIQUE KEY ud (d)"
    )
    case.connect("w")
    case.connect("r")
    case.open(0, table, "", "a,b,c,d")
    case.open(1, table, "kc", "c")
    case.open(2, table, "kdc", "d,c")
    case.open(3, table, "", "a")
    case.open(4, table, "ud", "b,d")
    for number, index in enumerate(("", "kc", "kdc", "ud")):
        case.open(number, table, index, "a,b,c,d", on="r")
    for i in range(6):
        case.insert(0, i, f"b{i}", i % 2, f"d{i}" if i else None)

    def all_indexes():
        for number in range(4):
            case.scan(number, on="r")

    for request in (
        (0, "=", [1], 1, 0, "U", 11, "B11", 5, "D11"), (1, "=", [0], 1, 0, "U", 7),
        (1, "=", [0], 1, 0, "+", 3),
        (2, "=", ["d3"], 1, 0, "U", "D3", None), (2, "=", ["d3"], 1, 0, "U", None, 1),
        (3, "=", [5], 1, 0, "+", 100),
        (3, "=", [4], 1, 0, "-", 4), (4, "=", ["d4"], 1, 0, "U", "b4 ", "D4 "),
        (0, "=", [11, "b11"], 1, 0, "U", 11, "b11", 5, "d11"),
        (4, "=", [None], 1, 0, "U", "zz", "first"), (0, "=", [105], 1, 0, "D"),
        (0, "=", [2], 1, 0, "U", 0, "b4", 1, "x"),
        (0, "=", [2], 1, 0, "U", 2, "b2", 1, "FIRST"),
    ):
        number, operator, key, *rest = request
        case.find(number, operator, key, *rest)
        all_indexes()
    return case


def better_changes():
    """Changes that the original gets wrong; each has its own table, so that nothing follows."""
    case = Case("better-changes")
    case.connect("w")
    wrap = case.table("w", "id INT PRIMARY KEY, a BIGINT, u BIGINT UNSIGNED, d DOUBLE")
    case.open(1, wrap, "", "id,a,u,d")
    for number, column in ((2, "a"), (3, "u"), (4, "d")):
        case.open(number, wrap, "", column)
    top, low, most = 2**63 - 1, -(2**63), 2**64 - 1
    for number, start, operator, operand, ours in (
        (2, top, "+", 1, top), (2, low, "-", 1, low), (2, top, "+", top, top),
        (3, most, "+", 1, most), (3, most, "-", 1, most - 1),
        (3, top, "+", 1, top + 1), (3, most, "+", 0, most), (4, "1e20", "+", 1, r".*"),
    ):
        case.insert(1, 1, *([start] * 3))
        case.find(number, "=", [1], 1, 0, operator, operand, differs="wrap-64", ours="0·1·[01]")
        case.find(number, "=", [1], differs="wrap-64", ours=f"0·1·{ours}")
        case.find(1, "=", [1], 1, 0, "D")
    seeing = case.table("s", "id INT PRIMARY KEY, a INT, KEY ka (a)")
    case.open(5, seeing, "ka", "a")
    case.open(6, seeing, "", "id,a")
    for i in range(4):
        case.insert(6, i, i * 10)
    case.find(5, ">=", [0], 6, 0, "+", 15, differs="self-seeing", ours="0·1·4")
    case.find(6, ">=", [0], 9, 0, differs="self-seeing", ours="0·2·0·15·1·25·2·35·3·45")
    case.find(
        6, "=", [""], 9, 0, "@", 0, 3, 1, 1, 3, "+", 0, 1, differs="self-seeing", ours="0·1·2",
    )
    half = case.table("h", "id INT PRIMARY KEY, a INT, b INT, UNIQUE KEY ua (a)")
    case.open(7, half, "", "a")
    case.open(8, half, "", "id,a,b")
    for i in range(4):
        case.insert(8, i, i * 10, 0)
    case.find(7, ">=", [0], 9, 0, "U", 77)
    case.find(8, ">=", [0], 9, 0, differs="half-done", ours="0·3·0·0·0·1·10·0·2·20·0·3·30·0")
    return case
