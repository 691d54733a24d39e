"""Cases about the door itself: lines, tokens, auth, `P`, the order of checks, pipelining.

Not here: what values become (`cases_values`), what operations do (`cases_find`,
`cases_change`).
"""

from script import DATABASE, Case
from wire import line


def cases():
    yield auth()
    yield open_index()
    yield index_numbers()
    yield lines_and_numbers()
    yield order_of_checks()
    yield read_port()
    yield escapes()
    yield column_lists()
    yield pipelining()
    yield large_values()
    yield better_than_the_original()


def small_table(case, name="t"):
    table = case.table(name, "id INT PRIMARY KEY, a INT, b VARCHAR(20), KEY ia (a)")
    case.sql(f"INSERT INTO {table} VALUES (1,10,'x'),(2,20,'y'),(3,30,NULL)")
    return table


def auth():
    case = Case("auth")
    table = small_table(case)
    case.connect("u", write=False, authorise=False)
    opening = line("P", 1, DATABASE, table, "", "id")
    for raw in (b"\n", b"X\n", opening, b"1\t=\t1\t1\n", b"A\n", b"A\t1\n", b"A\t2\tx\n"):
        case.raw(raw, on="u", secret=True)
    for raw in (b"A\t1\twrong\n", b"A\t\t\n", b"A\t11\tx\n", b"A\t1\tSECRET\n", opening):
        case.raw(raw, on="u", secret=True)
    case.raw(b"A\t1\tSECRETx\n", on="u", secret=True)
    for raw in (b"1\t=\t1\t1\n", opening, b"A\t2\tSECRET\n", b"A\t1\tSECRET\textra\n"):
        case.raw(raw, on="u", secret=True)
    for raw in (b"1\t=\t1\t1\n", b"A\t2\tSECRET\n", b"1\t=\t1\t1\n", b"A\t1\tSECRET\r\n"):
        case.raw(raw, on="u", secret=True)
    case.connect("w2", write=True, authorise=False)
    case.raw(opening, on="w2", secret=True)
    case.raw(b"A\t1\tSECRET\n" + opening + b"1\t=\t1\t1\n", on="w2", secret=True)
    return case


def open_index():
    """Failing tables are opened on the read port only: on the write port a failed open makes
    MariaDB refuse every later explicit AUTO_INCREMENT value with error 167."""
    case = Case("open")
    table = case.table(
        "t",
        "a INT, b VARCHAR(10), c INT, v VARCHAR(20), PRIMARY KEY (a, b, c),"
        " KEY ib (b), KEY ic (c, v), UNIQUE KEY uv (v)",
    )
    case.sql(f"INSERT INTO {table} VALUES (1,'a',1,'v1'),(1,'b',2,NULL),(2,'a',1,'v3')")
    without = case.table("nokey", "a INT, b INT, KEY ib (b)")
    bare = case.table("bare", "a INT")
    case.connect("r")
    case.open(1, table, "PRIMARY", "a,b,c,v", "a,c,v", on="r")
    for index in ("0", "1", "2", "3", "4", "00", "1x", "01abc", "9", "99999999999"):
        case.open(2, table, index, "a,b,c,v", on="r")
        case.find(2, ">=", [""], 10, 0, on="r")
    for index in ("primary", "Primary", "ib", "IB", "uv", "nope", "", " ", "-1", "PRIMARY "):
        case.open(3, table, index, "a", on="r")
    for columns in ("a", "A", "a,", ",a", ",", "a, b", "", "a,a,a", "v,a", "a;b", "nope", "a,nope"):
        case.open(4, table, "", columns, on="r")
        case.find(4, "=", [1], 9, 0, on="r")
    for filters in ("", "nope", "a,a", "v", "v,", "V"):
        case.open(5, table, "", "a", filters, on="r")
    for database, name in ((DATABASE, "nope"), ("nope", table), ("", ""), (DATABASE, "")):
        case.ask("P", 6, database, name, "", "a", on="r")
        case.find(6, "=", [1], on="r")
    case.ask("P", 6, DATABASE.upper(), table, "", "a", on="r")
    case.ask("P", 6, DATABASE, table.upper(), "", "a", on="r")
    case.ask("P", 6, "information_schema", "tables", "", "table_name", on="r")
    case.open(7, without, "", "a", on="r")
    case.open(7, without, "PRIMARY", "a", on="r")
    case.open(7, without, "ib", "a,b", on="r")
    case.open(8, bare, "", "a", on="r")
    case.open(8, bare, "0", "a", on="r")
    for tail in (b"P\n", b"P\t9\n", b"P\t9\thsx\n", b"P\t1\r\n", b"P\t\t\t\t\t\t\t\n"):
        case.raw(tail, on="r")
    name = f"{DATABASE}\t{table}".encode()
    for tail in (b"", b"\t", b"\t\t", b"\tPRIMARY\ta\t\textra\tmore", b"\t\ta\r"):
        case.raw(b"P\t10\t" + name + tail + b"\n", on="r")
        case.find(10, "=", [1], 9, 0, on="r")
    # A failed opening keeps the earlier one of that id; ids in a gap were never opened.
    case.open(20, table, "", "a,b", on="r")
    case.open(20, table, "", "zz", on="r")
    case.find(20, "=", [1], on="r")
    case.open(20, table, "nope", "a", on="r")
    case.find(20, "=", [1], on="r")
    case.open(20, "nope", "", "a", on="r")
    case.find(20, "=", [1], on="r")
    case.open(21, table, "", "zz", on="r")
    case.find(21, "=", [1], on="r")
    case.open(30, table, "", "v", on="r")
    case.find(29, "=", [1], on="r")
    case.find(30, "=", [1], on="r")
    case.find(31, "=", [1], on="r")
    for number in ("030", "3x0", "4294967326", "3000"):
        case.ask(number, "=", 1, 1, on="r")
    case.open(3000, table, "ib", "b", on="r")
    case.find(3000, "=", ["a"], 9, 0, on="r")
    return case


def index_numbers():
    """Unique indexes come before others, those without nullable columns first."""
    case = Case("index-numbers")
    table = case.table(
        "t",
        "a INT NOT NULL, b INT, c INT NOT NULL, d INT, KEY k1 (a), UNIQUE u1 (b), KEY k2 (d, a),"
        " UNIQUE u2 (c), PRIMARY KEY (d, c), UNIQUE u3 (a, b), UNIQUE u4 (a, c), KEY k3 (b)",
    )
    case.sql(f"INSERT INTO {table} VALUES (1,2,3,4),(5,1,2,3),(3,4,1,2),(2,3,4,1)")
    unkeyed = case.table(
        "nokey", "a INT NOT NULL, b INT, KEY k1 (b), UNIQUE u1 (b, a), UNIQUE u2 (a)",
    )
    case.sql(f"INSERT INTO {unkeyed} VALUES (1,3),(2,2),(3,1)")
    case.connect("w")
    for number in range(9):
        case.open(number, table, str(number), "a,b,c,d")
        case.find(number, ">=", [0], 10, 0)
    for number in range(4):
        case.open(10 + number, unkeyed, str(number), "a,b")
        case.find(10 + number, ">=", [0], 10, 0)
    return case


def lines_and_numbers():
    case = Case("lines")
    table = small_table(case)
    case.connect("w")
    case.open(1, table, "", "id,a,b", "a")
    for raw in (
        b"\n", b"\r\n", b"\t\n", b"X\n", b"PP\t1\n", b"AA\t1\n", b"p\t1\n", b"\t1\t=\t1\t1\n",
    ):
        case.raw(raw)
    for raw in (
        b"-1\t=\t1\t1\n", b"\x001\t=\t1\t1\n", b"\x01A\n", b"P \t1\n", b"\xff\n", b" 1\t=\t1\t1\n",
    ):
        case.raw(raw)
    for first in (b"1", b"01", b"1x", b"1 ", b"1-", b"4294967297", b"001", b"2", b"1\x00"):
        case.raw(first + b"\t=\t1\t1\n")
    for count in ("1", "01", "1x", " 1", "-1", "4294967297", "-2", "", "0", "x", "+1", "1.0"):
        case.raw(b"1\t=\t" + count.encode() + b"\t1\t1\t0\n")
    for limit in ("", "0", "2", "-2", "x", "2x", "4294967298", "4294967296", "007"):
        for offset in ("", "0", "1", "-1", "x", "9"):
            case.ask(1, ">=", 1, 0, limit, offset)
    for raw in (
        b"1\n", b"1\t\n", b"1\t=\n", b"1\t=\t\n", b"1\t=\t1\n", b"1\t=\t1\t\n", b"1\t=\t1\t2\n",
    ):
        case.raw(raw)
    for tail in (
        b"\t1", b"\t1\t", b"\t1\t0", b"\t1\t0\t", b"\t1\t0\t\t", b"\t1\t0\t\t\t\t", b"\t9\t0\r",
    ):
        case.raw(b"1\t>=\t1\t2" + tail + b"\n")
    for extra in (b"\textra", b"\tU\t9", b"\t\x00"):
        case.raw(b"1\t=\t1\t2\t1\t0\t\t" + extra + b"\n")
    case.raw(b"1\t+\t3\t7\t1\tab\r\n")
    case.raw(b"1\t+\t3\t8\t1\tab\r\r\n")
    case.raw(b"1\t+\t3\t9\t1\ta\rb\n")
    case.raw(b"1\t+\t2\t10\t5\r\n")
    # The column not given differs (`real-default`), so that row goes before the table is read.
    case.find(1, "=", [10], 1, 0, "D")
    case.raw(b"1\t>=\t1\t0\t20\t0\r\n")
    return case


def order_of_checks():
    case = Case("checks")
    table = small_table(case)
    case.connect("w")
    case.connect("r")
    case.open(1, table, "", "id,a,b", "a,b")
    case.open(1, table, "", "id,a,b", "a,b", on="r")
    for request in (
        b"7\t=\t33", b"1\t=\t33\t1", b"1\t?\t33\t1", b"1\tS\t33", b"1\t=\t1\t1\t1\t0\t@\t0\t0",
        b"1\t?\t1\t1\t1\t0\t@\t0\t0", b"1\t?\t1\t1\t1\t0\tFF", b"1\t=\t2\t1\t2\t1\t0\t@\t0\t0",
        b"1\t=\t1\t1\t1\t0\tF\t=\t2\t1", b"1\t?\t1\t1\t1\t0\tF\t=\t2\t1", b"1\t?\t0", b"1\t=\t0",
        b"1\t+\t0", b"1\tS\t0", b"1\tS\t1\tx", b"1\tU\t1\tx", b"1\t=\t2\t1\t2",
        b"1\t=\t2\t1\t2\t1\t0\tX",
        b"1\t=\t1\t1\t1\t0\tX", b"1\t=\t1\t1\t1\t0\tu\t1", b"1\t=\t1\t1\t1\t0\t \t1",
        b"1\t=\t0\t1\t0\tX",
        b"1\t=\t1\t1\t1\t0\tF\t=\t9\tx\tZ", b"1\t=\t1\t1\t1\t0\tF\t=\t0\t10\tZ",
        b"1\t=\t1\t1\t1\t0\t?U",
        b"1\t=\t1\t1\t1\t0\tF\t=\t0\t10\tFF\t=\t0\t10", b"1\t=\t2\t1\t1\t1\t0\tF\t=\t9\t1",
        b"1\t==\t1\t1", b"1\t!=\t1\t1", b"1\t=>\t1\t1", b"1\t<>\t1\t1", b"1\t>==\t1\t1",
        b"1\t\x00\t1\t1",
        b"1\t=\t1\t1\t1\t0\tF", b"1\t=\t1\t1\t1\t0\tF\t=", b"1\t=\t1\t1\t1\t0\tF\t=\t0",
        b"1\t=\t1\t1\t1\t0\tF\t=\t0\t10\tF\t=\t1", b"1\t=\t1\t1\t1\t0\tW",
        b"1\t=\t1\t1\t1\t0\tWF\t=\t0\t1",
        b"1\t=\t1\t1\t5\t0\t@x\t0\t1\t2", b"1\t=\t1\t1\t5\t0\t@", b"1\t=\t1\t1\t5\t0\t@\t0\t\t1",
        b"1\t=\t1\t2\t9\t0\t@\t0\t1\t1\t2\t3", b"1\t=\t1\t2\t9\t0\t@\t0\t1\t1\t@\t0\t1\t2",
        b"1\t>=\t1\t0\t9\t0\tF\t=\t0\t10\t@\t0\t1\t1", b"1\t=\t1\t2\t9\t0\t@\t5\t1\t3",
    ):
        differs = "filter-operator" if request.endswith((b"\tF", b"\tW")) else ""
        case.raw(request + b"\n", differs=differs)
        case.raw(request + b"\n", on="r", differs=differs)
    case.find(1, ">=", [""], 100, 0)
    # The modop token counts by its first byte; `?` only directly after it.
    for modop in ("Up", "U??", "U ?", "Delete", "D!", "++", "+1", "-x"):
        case.find(1, "=", [3], 1, 0, modop, 3, 5, "m" + modop)
        case.find(1, "=", [3], 1, 0)
    return case


def read_port():
    case = Case("readonly")
    table = small_table(case)
    case.connect("w")
    case.connect("r")
    for on in ("r", "w"):
        case.open(1, table, "", "id,a,b", "a", on=on)
    for request in (
        ["+", 3, 9, 9, 9], ["=", 1, 1, 1, 0, "U", 1, 1, 1], ["=", 1, 1, 1, 0, "U?", 1, 1, 1],
        ["=", 1, 1, 1, 0, "D"], ["=", 1, 99, 1, 0, "D"], ["=", 1, 1, 1, 0, "+", 0, 1],
        ["=", 1, 1, 1, 0, "-?", 0, 1], ["=", 1, 1, 1, 0, "F", "=", 0, 10, "D"],
        ["=", 1, 1, 1, 0, "@", 0, 1, 1, "D"],
    ):
        case.ask(1, *request, on="r")
    case.find(1, ">=", [0], 10, 0, on="r")
    # What the write port acknowledged is what the read port finds.
    case.insert(1, 4, 40, "new")
    case.find(1, "=", [4], on="r")
    case.find(1, "=", [4], 1, 0, "U", 5, 50, "moved")
    case.find(1, ">=", [4], 9, 0, on="r")
    case.find(1, "=", [5], 1, 0, "D")
    case.find(1, ">=", [4], 9, 0, on="r")
    return case


def escapes():
    case = Case("escapes")
    table = case.table("t", "id INT PRIMARY KEY, a VARBINARY(300), b INT, KEY ia (a)")
    case.connect("w")
    case.open(1, table, "", "id,a,b", "a")
    case.open(2, table, "ia", "id,a", "a")
    good = [
        b"\x01\x40", b"\x01\x4f", b"\x01\x50", b"\x01c", b"\x01\xff", b"\x02\x03", b"a\x00b",
        b"\x00\x00", b"\x0b\x0c\x0e\x0f", b"a\rb", b"\x10\x1f\x7f\x80\xff", b"\x01\x41\x01\x49",
        b"\x01\x40\x00", b"", b"\x00", bytes(range(0x0E, 0x100)),
    ]
    for i, value in enumerate(good):
        case.raw(b"1\t+\t3\t%d\t%s\t5\n" % (i, value))
        case.find(1, "=", [i])
        case.raw(b"2\t=\t1\t%s\t9\t0\n" % value)
        if value != b"\x00":
            case.raw(b"2\t=\t1\tx\t9\t0\t@\t0\t1\t%s\n" % value)
        case.raw(b"1\t>=\t1\t0\t99\t0\tF\t=\t0\t%s\n" % value)
        case.raw(b"1\t=\t1\t%d\t1\t0\tU\t%d\t%s\t6\n" % (i, i, value))
        case.find(1, "=", [i])
    for i, value in enumerate(
        (b"ab\x01", b"\x01\x39x", b"\x01\x3fx", b"\x01\x01x", b"\x01", b"a\x01\x00"),
    ):
        case.raw(b"1\t=\t1\t%s\t1\t0\n" % value, differs="bad-escape")
        case.raw(b"1\t+\t3\t%d\t%s\t5\n" % (100 + i, value), differs="bad-escape")
        case.raw(b"1\t>=\t1\t0\t1\t0\tF\t=\t0\t%s\n" % value, differs="bad-escape")
        case.raw(b"1\t=\t1\t1\t1\t0\t@\t0\t1\t%s\n" % value, differs="bad-escape")
        case.raw(
            b"1\t=\t1\t%d\t1\t0\tU\t%d\t%s\t6\n" % (100 + i, 100 + i, value), differs="bad-escape",
        )
    # Names are not unescaped, so a broken escape is only an unknown name.
    case.connect("r")
    case.raw(b"P\t3\t" + DATABASE.encode() + b"\tno\x01pe\t\tid\n", on="r")
    return case


def column_lists():
    """The same column twice, columns in another order, an index that covers the columns or not."""
    case = Case("columns")
    table = case.table(
        "t", "a INT, b INT, c INT, d INT, PRIMARY KEY (a), KEY kb (b), KEY kcb (c, b)",
    )
    case.sql(f"INSERT INTO {table} VALUES (1,2,3,4),(2,2,3,5),(3,1,NULL,6)")
    case.connect("w")
    for index in ("", "kb", "kcb"):
        for columns in ("a", "d,c,b,a", "b", "c,b", "b,b,a", "d", "a,d,a"):
            case.open(1, table, index, columns, columns)
            case.find(1, ">=", [""], 9, 0)
            case.find(1, "<=", [9], 9, 0)
            case.find(1, ">=", [""], 9, 0, "F", ">", 0, 2)
    case.open(2, table, "", "b,b,d")
    case.find(2, "=", [1], 1, 0, "U", 7, 8, 9)
    case.find(2, "=", [1])
    case.find(2, "=", [1], 1, 0, "+", 1, 1, 1)
    case.find(2, "=", [1])
    return case


def pipelining():
    case = Case("pipeline")
    table = small_table(case)
    case.connect("w")
    case.connect("r")
    opening = line("P", 1, DATABASE, table, "", "id,a,b", "a")
    case.raw(opening + b"1\t=\t1\t1\n\n1\t=\t1\t9\nX\n1\t=\t1\t3\n", on="r")
    case.raw(opening + b"1\t=\t1\t1\r\n1\t=\t1\t2\r\n", on="w")
    case.raw(b"".join(line(1, "=", 1, i % 5) for i in range(3000)), on="r")
    case.raw(b"".join(line(1, "+", 3, 100 + i, i, f"row {i}") for i in range(500)))
    case.raw(b"".join(line(1, "+", 3, 100 + 2 * i, i, "again") for i in range(300)))
    case.find(1, ">=", [0], 1000, 0, on="r")
    mixed = [
        line(1, "+", 3, 2000, 1, "new"), line(1, "=", 1, 2000), line(
            1, "=", 1, 2000, 1, 0, "+", 0, 5, None,
        ),
        line(1, "=", 1, 2000), line(1, "=", 1, 2000, 1, 0, "U?", 2001, 9, "n2"), line(
            1, "=", 1, 2000,
        ),
        line(1, "=", 1, 2001), line(1, "=", 1, 2001, 1, 0, "D"), line(1, "=", 1, 2001, 1, 0, "D"),
        line(1, "+", 3, 1, 1, "dup"), line(1, "=", 1, 1), line(1, "+", 3, 2002, None, None),
    ]
    for _ in range(3):
        case.raw(b"".join(mixed))
    # A request in two pieces: nothing is answered before its LF.
    case.raw(b"1\t=\t1", replies=0)
    case.raw(b"\t2\t1", replies=0)
    case.raw(b"\t0\n1\t=\t1\t1\n1\t=", replies=2)
    case.raw(b"\t1\t3\n")
    # Only at the start of what was received does a slash mean something to the original.
    case.raw(b"1\t=\t1\t1\n/x\n1\t=\t1\t2\n")
    case.closes(b"/\n", differs="slash")
    return case


def large_values():
    case = Case("large")
    table = case.table("t", "id INT PRIMARY KEY, b LONGBLOB, t LONGTEXT")
    small = small_table(case, "s")
    case.connect("w")
    case.open(1, table, "", "id,b,t")
    blob = bytes(i * 7 % 256 for i in range(1 << 20))
    case.insert(1, 1, blob, "t" * (1 << 20))
    case.insert(1, 2, blob[:70000], "ж" * 70000)
    case.find(1, ">=", [0], 9, 0)
    case.find(1, "=", [1], 1, 0, "U?", 1, blob[:5], "short")
    case.find(1, ">=", [0], 9, 0)
    case.open(2, small, "", "id,a")
    case.find(2, "=", [""], 100000, 0, "@", 0, 20000, *[i % 5 for i in range(20000)])
    case.find(2, "=", [""], 50, 7, "@", 0, 1000, *[i % 5 for i in range(1000)])
    return case


def better_than_the_original():
    """Requests that stop, crash or empty the original are put to Rowhouse alone."""
    case = Case("better")
    table = small_table(case)
    case.connect("w")
    case.open(1, table, "", "id,a,b", "a")
    case.raw(b"Q\n", differs="stop-letter", only="rowhouse")
    case.ask("P", "4294967295", DATABASE, table, "", "id", differs="huge-id", only="rowhouse")
    case.find(1, "=", [1], 9, 0, "@", 0, "4294967295", 1, 2, differs="huge-in", only="rowhouse")
    case.find(1, "=", [1], 9, 0, "@", 0, 3, 1, 2, differs="in-count")
    case.find(1, "=", [1], 9, 0, "@", 0, 2, differs="in-count")
    nulls = case.table("nulls", "id INT PRIMARY KEY, v INT, KEY kv (v)")
    case.sql(f"INSERT INTO {nulls} VALUES (1,NULL),(2,0),(3,5)")
    case.open(3, nulls, "kv", "id")
    case.find(3, "=", [""], 9, 0, "@", 0, 2, None, 5, differs="in-null", ours="0·1·1·3")
    for limit, offset in ((4294967295, 1), (4294967295, 2), (4294967290, 7), (1, 4294967295)):
        rest = {1: "·2·20·y·3·30·\\\\x00", 2: "·3·30·\\\\x00"}.get(offset, "")
        case.find(1, ">=", [0], limit, offset, differs="limit-wrap", ours="0·3" + rest)
    for operator in ("", "<>", "==", "=<", "=>", "!", "~", "!==", ">>", None, "<=>"):
        case.find(1, ">=", [0], 9, 0, "F", operator, 0, 20, differs="filter-operator")
        case.find(1, ">=", [0], 9, 0, "W", operator, 0, 20, differs="filter-operator")
    wide = case.table("wide", ", ".join(f"c{i} INT" for i in range(40)) + ", PRIMARY KEY (c0)")
    case.open(2, wide, "", ",".join(f"c{i}" for i in range(40)))
    case.insert(2, *range(32))
    case.insert(2, *range(40, 80), differs="wide-insert", ours="0·1")
    return case
