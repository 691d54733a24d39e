"""Random schemas: tables with keys, CHECKs, generated columns, foreign keys or partitions, and views over them.

A schema knows what its tables had when they were made, and what changes that it drew would make of them; whether a server took
a change it is not told, so a statement may name what is not there: then both servers have to say so.

Not here: columns (`columns`), statements over them (`statements`).
"""

import columns

ACTIONS = ("", "", " ON DELETE CASCADE", " ON DELETE SET NULL", " ON UPDATE CASCADE", " ON DELETE CASCADE ON UPDATE CASCADE",
           " ON DELETE SET NULL ON UPDATE CASCADE", " ON DELETE RESTRICT", " ON UPDATE SET NULL", " ON DELETE NO ACTION")


class Table:
    """A table: columns, which of them are its primary key, and the other lines of its definition."""

    def __init__(self, name):
        self.name, self.columns, self.primary, self.lines = name, [], [], []
        self.partitions = self.options = ""
        self.numbers_itself = False
        self.next_name = 0

    def new_name(self, letter):
        self.next_name += 1
        return f"{letter}{self.next_name}"

    def column(self, random, kinds=None):
        """One of its columns, of these kinds if it has such."""
        fitting = [column for column in self.columns if kinds is None or column.kind in kinds]
        return random.choice(fitting or self.columns)

    def writable(self):
        return [column for column in self.columns if not column.generated]

    def key_part(self, random, column):
        part = column.name
        if columns.has_prefix_keys(column) or column.kind == "text" and random.random() < 0.15 and "300" in column.type_text:
            part += f"({random.choice((2, 3))})"
        return part + (" DESC" if random.random() < 0.15 else "")

    def key(self, random):
        """A line that declares a key."""
        fitting = [column for column in self.columns if columns.can_be_key(column)]
        chosen = random.sample(fitting, min(len(fitting), random.choice((1, 1, 1, 2, 2, 3))))
        parts = [self.key_part(random, column) for column in chosen]
        is_unique = random.random() < 0.35
        if is_unique and self.partitions:
            parts += [name for name in self.primary if name not in [column.name for column in chosen]]
        if random.random() < 0.12 and not self.partitions:
            parts[0] = random.choice((f"(lower({self.column(random, ('text',)).name}))", f"({self.column(random, ('number',)).name} + 1)"))
        return f"{'UNIQUE ' if is_unique else ''}KEY {self.new_name('k')} ({', '.join(parts)})"

    def condition(self, random):
        """A condition on one of its columns."""
        column = self.column(random)
        name, pick = column.name, random.random()
        if pick < 0.1:
            return f"{name} IS {random.choice(('', 'NOT '))}NULL"
        if column.kind == "text" and pick < 0.25:
            return f"{name} LIKE '{random.choice(('a%', '%b', '_', '%', 'ä%'))}'"
        if pick < 0.4:
            return f"{name} IN ({', '.join(column.plain_value(random) for _ in range(3))})"
        if pick < 0.5:
            low, high = column.plain_value(random), column.plain_value(random)
            return f"{name} BETWEEN {low} AND {high}"
        return f"{name} {random.choice(('=', '<>', '<', '<=', '>', '>=', '=', '<=>'))} {column.plain_value(random)}"

    def where(self, random):
        first = self.condition(random)
        pick = random.random()
        if pick < 0.25:
            return f"{first} AND {self.condition(random)}"
        if pick < 0.4:
            return f"{first} OR {self.condition(random)}"
        return f"NOT ({first})" if pick < 0.45 else first

    def statement(self, temporary=False):
        lines = [column.text() + (" AUTO_INCREMENT" if self.numbers_itself and column.name == self.primary[0] else "")
                 for column in self.columns]
        if self.primary:
            lines.append(f"PRIMARY KEY ({', '.join(self.primary)})")
        words = "CREATE TEMPORARY TABLE" if temporary else "CREATE TABLE"
        return f"{words} {self.name} (\n  " + ",\n  ".join(lines + self.lines) + f"\n){self.options}{self.partitions}"


def make_table(random, name, others):
    """A random table that may refer to others."""
    table = Table(name)
    number = columns.Column("id", random.choice(("INT", "BIGINT", "INT UNSIGNED", "SMALLINT")), "number", nullable=False)
    table.columns = [number] + [columns.draw(random, f"c{n}") for n in range(random.randrange(2, 7))]
    pick = random.random()
    table.primary = ["id"]
    if pick < 0.35:
        table.numbers_itself = True
    elif pick < 0.5:
        second = table.columns[1]
        if columns.can_be_key(second) and not columns.has_prefix_keys(second):
            second.nullable = False
            table.primary = ["id", second.name] if random.random() < 0.5 else [second.name, "id"]
            if second.default and "CURRENT" in second.default:
                second.default = None
            second.type_text = second.type_text.replace(" NULL", "")
    if random.random() < 0.3:
        table.options = f" DEFAULT CHARSET=utf8mb4 COLLATE={random.choice(columns.COLLATIONS[:5])}"
    if random.random() < 0.35:
        base = table.column(random, ("number", "text"))
        expression = {"number": f"{base.name} * 2", "text": f"concat({base.name},'!')"}.get(base.kind, f"{base.name} IS NULL")
        type_text = "VARCHAR(40)" if base.kind == "text" else "BIGINT"
        kind = "text" if base.kind == "text" else "number"
        table.columns.append(columns.Column("g1", type_text, kind, generated=(expression, random.random() < 0.5)))
    if random.random() < 0.2 and len(table.primary) == 1:
        table.partitions = random.choice((
            "\nPARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (3), PARTITION p1 VALUES LESS THAN (8),"
            " PARTITION p2 VALUES LESS THAN MAXVALUE)",
            "\nPARTITION BY HASH (id) PARTITIONS 3", "\nPARTITION BY KEY (id) PARTITIONS 2",
            "\nPARTITION BY LIST (id) (PARTITION p0 VALUES IN (0,1,2,3), PARTITION p1 VALUES IN (4,5,6,7,8,9,10,11,12))",
        ))
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        table.lines.append(table.key(random))
    if random.random() < 0.3:
        column = table.column(random, ("number",))
        table.lines.append(f"CONSTRAINT {name}_chk CHECK ({column.name} {random.choice(('< 90', '<> 7', '>= -3'))})")
    if others and not table.partitions:
        for _ in range(random.choice((0, 1, 1, 2))):
            add_foreign_key(random, table, random.choice(others + [table]))
    return table


def add_foreign_key(random, table, parent):
    """A column that refers to a parent's, and its foreign key."""
    if parent.partitions or parent.primary[0] != "id":
        return
    name = table.new_name("f")
    column = columns.Column(name, parent.columns[0].type_text, "number", nullable=random.random() < 0.8)
    table.columns.append(column)
    if random.random() < 0.5:
        table.lines.append(f"KEY {name}_key ({name})")
    table.lines.append(
        f"CONSTRAINT {table.name}_{name} FOREIGN KEY ({name}) REFERENCES {parent.name} (id){random.choice(ACTIONS)}")


class Schema:
    """Tables and views of one history."""

    def __init__(self, random):
        self.tables, self.views = [], []
        for number in range(random.choice((1, 2, 3, 3))):
            linked = [table for table in self.tables if not table.partitions]
            self.tables.append(make_table(random, f"t{number}", linked))

    def statements(self, random):
        yield from (table.statement() for table in self.tables)
        for number in range(random.choice((0, 0, 1, 2))):
            yield self.view(random, f"v{number}")
        if random.random() < 0.25:
            shadow = make_table(random, f"w{len(self.tables)}", [])
            shadow.partitions = ""
            self.tables.append(shadow)
            yield shadow.statement(temporary=True)

    def view(self, random, name):
        table = random.choice(self.tables)
        self.views.append((name, table))
        chosen = [column.name for column in table.columns]
        if random.random() < 0.4:
            chosen = random.sample(chosen, random.randrange(1, len(chosen) + 1))
        text = f"CREATE OR REPLACE VIEW {name} AS SELECT {', '.join(chosen)} FROM {table.name}"
        if random.random() < 0.6:
            text += f" WHERE {table.condition(random)}"
            if random.random() < 0.5:
                text += random.choice((" WITH CHECK OPTION", " WITH LOCAL CHECK OPTION"))
        return text
