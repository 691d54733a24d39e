"""Random cases: tables of random columns and indexes, and random requests against them.

Everything comes from the seed. What the original does wrong on purpose stays out of these cases
(it is tested by `cases_door` and `cases_change`), because one difference would spoil the rest:
rows shorter than the table with nullable columns left out, changes of several rows through the
index that is scanned or through unique columns, 64-bit overflow, IN together with a change.

Not here: anything that is checked against an expected reply; the other server is the judge.
"""

import random

from cases_values import DATES, DECIMALS, ENUMS, FLOATS, INTEGERS, JSONS, TEXTS, TIMES, YEARS
from script import DATABASE, Case
from wire import line

REQUESTS_PER_TABLE = 300
SCAN_EVERY = 50

# declared type, texts, may be an index part, sums stay within 64 bits
COLUMN_TYPES = [
    ("TINYINT", INTEGERS, True, True),
    ("TINYINT UNSIGNED", INTEGERS, True, True),
    ("SMALLINT", INTEGERS, True, True),
    ("SMALLINT UNSIGNED", INTEGERS, True, True),
    ("MEDIUMINT", INTEGERS, True, True),
    ("MEDIUMINT UNSIGNED", INTEGERS, True, True),
    ("INT", INTEGERS, True, True),
    ("INT", INTEGERS, True, True),
    ("INT UNSIGNED", INTEGERS, True, True),
    ("BIGINT", INTEGERS, True, False),
    ("BIGINT UNSIGNED", INTEGERS, True, False),
    ("BOOL", INTEGERS, True, True),
    ("FLOAT", FLOATS, True, False),
    ("DOUBLE", FLOATS, True, False),
    ("DECIMAL(10,3)", DECIMALS, True, True),
    ("DECIMAL(5,2)", DECIMALS, True, True),
    ("DECIMAL(20,0)", DECIMALS, True, False),
    ("CHAR(4)", TEXTS, True, True),
    ("CHAR(8) COLLATE utf8mb4_bin", TEXTS, True, True),
    ("VARCHAR(4)", TEXTS, True, True),
    ("VARCHAR(20)", TEXTS, True, True),
    ("VARCHAR(9) COLLATE utf8mb4_bin", TEXTS, True, True),
    ("BINARY(4)", TEXTS, True, True),
    ("VARBINARY(6)", TEXTS, True, True),
    ("TEXT", TEXTS, False, True),
    ("BLOB", TEXTS, False, True),
    ("JSON", JSONS, False, False),
    ("DATE", DATES, True, False),
    ("TIME", TIMES, True, False),
    ("TIME(2)", TIMES, True, False),
    ("DATETIME", DATES, True, False),
    ("DATETIME(6)", DATES, True, False),
    ("TIMESTAMP NULL", DATES, True, False),
    ("TIMESTAMP(3) NULL", DATES, True, False),
    ("YEAR", YEARS, True, False),
    ("ENUM('a','B','c d','1','é')", ENUMS, True, False),
]

JUNK = [
    b"\n", b"\r\n", b"X\n", b"1\n", b"0\t\n", b"0\t=\n", b"0\t=\t0\n", b"0\t~\t1\t1\n",
    b"99\t=\t1\t1\n", b"0\t=\t33\n",
    b"0\t=\t1\t1\t1\t0\t!\n", b"0\t=\t1\t1\t1\t0\tFx\n", b"0\t=\t1\t1\t1\t0\tF\t=\t99\t1\n",
    b"0\t=\t1\t1\t1\t0\t@\t0\t0\n",
    b"0\tS\t1\tx\n", b"0\t+\t0\n", b"A\t2\tx\n", b"0\t=\t17\t1\n",
]


def cases(seed, rounds):
    for number in range(rounds):
        yield RandomCase(random.Random(f"{seed}/{number}"), f"random-{seed}-{number}").build()


class Column:
    def __init__(self, rng, name, nullable_wanted):
        self.name = name
        self.declared, texts, self.indexable, self.summable = rng.choice(COLUMN_TYPES)
        # NULL in the type's own text keeps TIMESTAMP from getting an implicit default.
        self.nullable = nullable_wanted or "NULL" in self.declared
        self.pool = rng.sample(texts, min(len(texts), rng.choice((4, 8, 16))))

    def definition(self):
        if "NULL" in self.declared:
            return f"{self.name} {self.declared}"
        return f"{self.name} {self.declared} {'NULL' if self.nullable else 'NOT NULL'}"

    def value(self, rng):
        """A text of this column's pool; sometimes NULL, also where the column forbids it."""
        if self.declared == "JSON" and not self.nullable:
            # Its zero value differs (`json-zero`).
            return rng.choice(self.pool)
        if rng.random() < (0.15 if self.nullable else 0.02):
            return None
        return rng.choice(self.pool)


class RandomCase:
    def __init__(self, rng, name):
        self.rng = rng
        self.case = Case(name)
        self.columns = []
        self.indexes = []  # (name, columns, unique)
        self.counter = None  # the AUTO_INCREMENT column
        self.openings = []  # (id, index columns, opened columns, filter columns)

    def build(self):
        self.make_table()
        self.case.connect("w")
        self.case.connect("r")
        self.make_openings()
        for _ in range(25):
            self.insert()
        for number in range(REQUESTS_PER_TABLE):
            if number % SCAN_EVERY == 0:
                self.scan_all()
            self.request()
        self.scan_all()
        return self.case

    def make_table(self):
        rng = self.rng
        self.columns = [Column(rng, f"c{i}", rng.random() < 0.5) for i in range(rng.randint(3, 8))]
        if rng.random() < 0.2:
            self.counter = Column(rng, "auto", False)
            self.counter.declared, self.counter.indexable = "INT", True
            self.counter.nullable, self.counter.summable = False, True
            self.counter.pool = [None, None, None, "0", "", "5", "30", "70", "-4", "100", "101"]
            self.columns.insert(rng.randrange(len(self.columns)), self.counter)
        indexable = [column for column in self.columns if column.indexable] or self.add_int()
        if self.counter:
            self.indexes.append(("PRIMARY", [self.counter], True))
        elif rng.random() < 0.85:
            keys = [c for c in rng.sample(indexable, min(len(indexable), rng.randint(1, 3)))]
            for column in keys:
                column.declared = column.declared.replace(" NULL", "")
                column.nullable = False
            self.indexes.append(("PRIMARY", keys, True))
        for number in range(rng.randint(0 if self.indexes else 1, 4)):
            keys = rng.sample(indexable, min(len(indexable), rng.choice((1, 1, 2, 2, 3))))
            unique = rng.random() < 0.25
            if any(name == "PRIMARY" for name, _, _ in self.indexes):
                self.indexes.append((f"k{number}", keys, unique))
            else:
                # Without a primary key such an index orders the rows (`unique-order`).
                orders = not any(column.nullable for column in keys)
                self.indexes.append((f"k{number}", keys, unique and not orders))
        self.table = self.case.table("t", ", ".join(self.definitions()))

    def add_int(self):
        column = Column(self.rng, "added", True)
        column.declared, column.pool = "INT", INTEGERS[:9]
        column.indexable, column.summable = True, True
        self.columns.append(column)
        return [column]

    def definitions(self):
        for column in self.columns:
            auto = " AUTO_INCREMENT" if column is self.counter else ""
            if "TIMESTAMP" in column.declared and not column.nullable:
                # Without a default it would get CURRENT_TIMESTAMP from some servers.
                auto = " DEFAULT '2001-01-01 00:00:00'"
            yield column.definition() + auto
        for name, keys, unique in self.indexes:
            names = ", ".join(column.name for column in keys)
            if name == "PRIMARY":
                yield f"PRIMARY KEY ({names})"
            else:
                yield f"{'UNIQUE ' if unique else ''}KEY {name} ({names})"

    def make_openings(self):
        """Id 0: the first index, all columns. Then each index twice, and one for free changes."""
        rng = self.rng
        self.add_opening(self.indexes[0], list(self.columns))
        for index in self.indexes:
            self.add_opening(index, list(self.columns))
            self.add_opening(index, [rng.choice(self.columns) for _ in range(rng.randint(1, 4))])
            free = self.free_columns(index)
            if free:
                self.add_opening(index, rng.sample(free, rng.randint(1, min(3, len(free)))))

    def free_columns(self, index):
        """Columns whose change can neither move a row in this index nor break a unique one."""
        held = {
            c for name, keys, unique in self.indexes if unique or name == index[0] for c in keys
        }
        return [column for column in self.columns if column not in held]

    def add_opening(self, index, opened):
        number = len(self.openings)
        filters = self.rng.sample(self.columns, self.rng.randint(0, len(self.columns)))
        self.openings.append((number, index, opened, filters))
        for on in ("w", "r"):
            self.case.open(
                number, self.table,
                index[0] if self.rng.random() < 0.9 or index[0] != "PRIMARY" else "",
                ",".join(c.name for c in opened), ",".join(c.name for c in filters), on=on,
            )

    def scan_all(self):
        for number, index, opened, _ in self.openings:
            if len(opened) == len(self.columns):
                self.case.scan(number, on=self.rng.choice("rw"))

    def request(self):
        kinds = [
            (35, self.find), (20, self.insert), (14, self.update_one), (8, self.update_many),
            (10, self.add),
            (6, self.delete), (3, self.junk), (4, self.batch),
        ]
        weights = [weight for weight, _ in kinds]
        self.rng.choices([kind for _, kind in kinds], weights)[0]()

    def key(self, index):
        keys = index[1]
        return [c.value(self.rng) for c in keys[: self.rng.randint(1, len(keys))]]

    def filter_tokens(self, filters, count_max=3):
        tokens = []
        if filters:
            for _ in range(self.rng.randint(0, count_max)):
                column = self.rng.randrange(len(filters))
                operator = self.rng.choice(("=", "!=", ">", ">=", "<", "<="))
                kind = "W" if self.rng.random() < 0.25 else "F"
                tokens += [kind, operator, column, filters[column].value(self.rng)]
        return tokens

    def find_tokens(self):
        rng = self.rng
        number, index, _, filters = rng.choice(self.openings)
        key = self.key(index)
        tokens = [number, rng.choice(("=", "=", "=", ">", ">=", "<", "<=")), len(key), *key]
        if rng.random() < 0.1:
            return tokens
        tokens += [rng.choice(("", 0, 1, 2, 3, 10, 100)), rng.choice((0, 0, 0, "", 1, 2, 5))]
        if rng.random() < 0.25:
            part = rng.randrange(len(key) + (rng.random() < 0.1))
            column = index[1][min(part, len(index[1]) - 1)]
            values = [rng.choice(column.pool) for _ in range(rng.randint(1, 6))]
            values = ["" if value is None else value for value in values]
            tokens += ["@", part, len(values), *values]
        return tokens + self.filter_tokens(filters)

    def find(self):
        self.case.ask(*self.find_tokens(), on=self.rng.choice("rw"))

    def row(self, columns):
        return [column.value(self.rng) for column in columns]

    def insert(self):
        columns = self.openings[0][2]
        values = self.row(columns)
        if self.rng.random() < 0.1:
            count = self.rng.randint(1, len(columns))
            left_out = columns[count:]
            if not any(column.nullable or column.declared == "JSON" for column in left_out):
                values = values[:count]
        if self.rng.random() < 0.05:
            values += ["more"] * 2
        self.case.insert(0, *values)

    def one_row(self, opening):
        """The tokens of a find that ends after its first row."""
        number, index, _, filters = opening
        key = self.key(index)
        operator = self.rng.choice(("=", "=", "=", ">", ">=", "<", "<="))
        offset = self.rng.choice((0, 0, 0, 1))
        return [
            number, operator, len(key), *key, self.rng.choice((1, 0)), offset,
            *self.filter_tokens(filters, 1),
        ]

    def update_one(self):
        opening = self.rng.choice(self.openings)
        self.case.ask(*self.one_row(opening), self.rng.choice(("U", "U?")), *self.row(opening[2]))

    def free_openings(self, usable):
        return [
            opening for opening in self.openings
            if all(c in self.free_columns(opening[1]) and usable(c) for c in opening[2])
        ]

    def many_rows(self, opening):
        number, index, _, filters = opening
        key = self.key(index)
        operator = self.rng.choice(("=", "=", ">", ">=", "<", "<="))
        return [
            number, operator, len(key), *key, self.rng.choice((2, 3, 5, 100)), self.rng.choice(
                (0, 0, 1),
            ),
            *self.filter_tokens(filters, 2),
        ]

    def update_many(self):
        openings = self.free_openings(lambda column: True)
        if openings:
            opening = self.rng.choice(openings)
            self.case.ask(
                *self.many_rows(opening), self.rng.choice(("U", "U?")), *self.row(opening[2]),
            )

    def add(self):
        summable = [o for o in self.openings if all(column.summable for column in o[2])]
        free = self.free_openings(lambda column: column.summable)
        if summable and (not free or self.rng.random() < 0.5):
            opening = self.rng.choice(summable)
            tokens = self.one_row(opening)
        elif free:
            opening = self.rng.choice(free)
            tokens = self.many_rows(opening)
        else:
            return
        operands = [
            self.rng.choice((1, 1, 2, 10, -1, 0, "abc", "5x", "1.9", None,
            1000)) for _ in opening[2]
        ]
        self.case.ask(*tokens, self.rng.choice(("+", "-", "+?", "-?")), *operands)

    def delete(self):
        opening = self.rng.choice(self.openings)
        tokens = self.one_row(opening) if self.rng.random() < 0.7 else self.many_rows(opening)
        self.case.ask(*tokens, self.rng.choice(("D", "D?")))

    def junk(self):
        self.case.raw(self.rng.choice(JUNK), on=self.rng.choice("rw"))

    def batch(self):
        """Some requests in one packet; no inserts if the table counts by itself."""
        lines = []
        for _ in range(self.rng.randint(2, 12)):
            if self.counter is None and self.rng.random() < 0.4:
                values = self.row(self.openings[0][2])
                lines.append(line(0, "+", len(values), *values))
            else:
                lines.append(line(*self.find_tokens()))
        index = self.openings[0][1][0]
        if self.rng.random() < 0.2:
            names = ",".join(column.name for column in self.columns)
            lines.insert(0, line("P", 500, DATABASE, self.table, index, names))
            lines.append(line(500, ">=", 1, "", 3, 0))
        self.case.raw(b"".join(lines))
