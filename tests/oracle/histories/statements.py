"""Random statements over a schema: changes of rows, of definitions, of transactions and settings, and questions.

Which rows a statement changes, and in which order, is said by the statement alone: what a server would be free to choose is
no difference.

Not here: schemas (`schema`), running and comparing (`compare`).
"""

import columns

MODES = (
    "STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,ONLY_FULL_GROUP_BY,NO_ENGINE_SUBSTITUTION",
    "", "NO_ZERO_DATE", "TRADITIONAL", "STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO",
)


def draw(random, schema):
    """A statement."""
    makers = (
        (insert, 34), (update, 16), (delete, 8), (joined_change, 4), (through_view, 5), (alter, 9), (transaction, 7),
        (setting, 3), (question, 22), (whole_table, 2), (insert_of_query, 4),
    )
    maker = random.choices([maker for maker, _ in makers], [weight for _, weight in makers])[0]
    return maker(random, schema)


def row_of(random, chosen):
    return "(" + ", ".join(column.value(random) for column in chosen) + ")"


def numbered(random, column):
    """A value of a row that says its own number."""
    return str(random.randrange(1, 14)) if column.name == "id" else column.value(random)


def insert(random, schema):
    table = random.choice(schema.tables)
    chosen = table.writable()
    if random.random() < 0.4:
        chosen = [column for column in chosen if column.name in table.primary or random.random() < 0.6]
    # Which numbers a statement of several rows takes that fails is a matter of taste.
    if table.numbers_itself and not table.lines and random.random() < 0.3:
        chosen = [column for column in table.writable() if column.name != "id"]
        names, values = (", ".join(words) for words in zip(*((column.name, column.good_value(random)) for column in chosen)))
        return f"INSERT INTO {table.name} ({names}) VALUES ({values})"
    names = ", ".join(column.name for column in chosen)
    if table.numbers_itself and "id" not in names.split(", "):
        chosen = [table.columns[0]] + chosen
        names = ", ".join(column.name for column in chosen)
    rows = ", ".join(row_of(random, chosen) for _ in range(random.choice((1, 1, 1, 2, 3, 6))))
    if table.numbers_itself:
        rows = ", ".join("(" + ", ".join(numbered(random, column) for column in chosen) + ")" for _ in range(random.choice((1, 1, 2, 4))))
    pick = random.random()
    verb = "INSERT IGNORE" if pick < 0.2 else "REPLACE" if pick < 0.35 else "INSERT"
    text = f"{verb} INTO {table.name} ({names}) VALUES {rows}"
    # Whether a row that is there is found before a parent that is not, is a matter of the order of keys.
    has_parents = any("FOREIGN" in line for line in table.lines)
    if verb != "REPLACE" and not has_parents and random.random() < 0.25:
        changed = random.choice(table.writable())
        value = random.choice((f"VALUES({changed.name})", changed.value(random), changed.name))
        text += f" ON DUPLICATE KEY UPDATE {changed.name} = {value}"
    return text


def insert_of_query(random, schema):
    to, source = random.choice(schema.tables), random.choice(schema.tables)
    chosen = to.writable()
    given = []
    for column in chosen:
        fitting = [other for other in source.columns if other.kind == column.kind]
        given.append(random.choice(fitting).name if fitting and random.random() < 0.7 else column.good_value(random))
    if "id" in [column.name for column in chosen]:
        given[[column.name for column in chosen].index("id")] = f"id + {random.choice((0, 1, 5))}"
    verb = random.choice(("INSERT INTO", "INSERT IGNORE INTO", "REPLACE INTO"))
    return (f"{verb} {to.name} ({', '.join(column.name for column in chosen)}) SELECT {', '.join(given)} FROM {source.name} "
            f"WHERE {source.where(random)} ORDER BY {', '.join(source.primary)}")


def value_for(random, table, column):
    pick = random.random()
    if column.kind == "number" and pick < 0.4:
        return f"{column.name} {random.choice(('+ 1', '- 1', '* 2', '+ 100', '/ 2'))}"
    if column.kind == "text" and pick < 0.25:
        return f"CONCAT({column.name}, 'x')"
    if pick < 0.35:
        fitting = [other for other in table.columns if other.kind == column.kind]
        return random.choice(fitting).name
    return column.value(random)


def assignments(random, table):
    chosen = random.sample(table.writable(), random.choice((1, 1, 2)))
    return ", ".join(f"{column.name} = {value_for(random, table, column)}" for column in chosen)


def order_of(random, table):
    direction = random.choice(("", " DESC"))
    order = " ORDER BY " + ", ".join(name + direction for name in table.primary)
    return order + (f" LIMIT {random.randrange(1, 5)}" if random.random() < 0.3 else "")


def update(random, schema):
    table = random.choice(schema.tables)
    ignore = " IGNORE" if random.random() < 0.15 else ""
    where = f" WHERE {table.where(random)}" if random.random() < 0.85 else ""
    return f"UPDATE{ignore} {table.name} SET {assignments(random, table)}{where}{order_of(random, table)}"


def delete(random, schema):
    table = random.choice(schema.tables)
    ignore = " IGNORE" if random.random() < 0.1 else ""
    return f"DELETE{ignore} FROM {table.name} WHERE {table.where(random)}{order_of(random, table)}"


def joined_change(random, schema):
    a, b = random.choice(schema.tables), random.choice(schema.tables)
    if a is b or a.name.startswith("w") and b.name.startswith("w"):
        return delete(random, schema)
    on = f"a.id = b.{b.column(random, ('number',)).name}"
    if random.random() < 0.5:
        return f"DELETE a FROM {a.name} a JOIN {b.name} b ON {on} WHERE b.{b.condition(random)}"
    changed = [column for column in a.writable() if column.name not in a.primary]
    changed = random.choice(changed or a.writable())
    return f"UPDATE {a.name} a JOIN {b.name} b ON {on} SET a.{changed.name} = {changed.good_value(random)} WHERE b.{b.condition(random)}"


def through_view(random, schema):
    if not schema.views:
        return insert(random, schema)
    name, table = random.choice(schema.views)
    chosen = random.sample(table.writable(), min(len(table.writable()), 3))
    pick = random.random()
    if pick < 0.4:
        return f"INSERT INTO {name} ({', '.join(column.name for column in chosen)}) VALUES {row_of(random, chosen)}"
    if pick < 0.7:
        return f"UPDATE {name} SET {chosen[0].name} = {chosen[0].good_value(random)} WHERE {table.condition(random)}"
    if pick < 0.8:
        return f"DELETE FROM {name} WHERE {table.condition(random)}"
    return f"SELECT * FROM {name}"


def alter(random, schema):
    table = random.choice(schema.tables)
    pick = random.random()
    head = f"ALTER TABLE {table.name} "
    if pick < 0.2:
        column = columns.draw(random, table.new_name("n"))
        after = random.choice(("", " FIRST", f" AFTER {random.choice(table.columns).name}"))
        table.columns.append(column)
        return f"{head}ADD COLUMN {column.text()}{after}"
    if pick < 0.3:
        gone = random.choice(table.columns[1:])
        if len(table.columns) > 3:
            table.columns.remove(gone)
        return f"{head}DROP COLUMN {gone.name}"
    if pick < 0.5:
        return f"{head}ADD {table.key(random)}"
    if pick < 0.6:
        return f"{head}DROP KEY k{random.randrange(1, 5)}"
    if pick < 0.75:
        old = random.choice(table.writable())
        new = columns.draw(random, old.name)
        if old.name != "id":
            table.columns[table.columns.index(old)] = new
            return f"{head}MODIFY {new.text()}"
        return f"{head}MODIFY id {random.choice(('INT', 'BIGINT', 'BIGINT UNSIGNED'))} NOT NULL"
    if pick < 0.8:
        old = random.choice(table.columns)
        new = table.new_name("r")
        if old.name != "id":
            before, old.name = old.name, new
            table.primary = [new if name == before else name for name in table.primary]
            return f"{head}RENAME COLUMN {before} TO {new}"
        return f"{head}COMMENT 'c{new}'"
    if pick < 0.85:
        return f"{head}CONVERT TO CHARACTER SET utf8mb4 COLLATE {random.choice(columns.COLLATIONS[:5])}"
    if pick < 0.9:
        column = random.choice(table.writable())
        return f"{head}ALTER {column.name} {random.choice(('DROP DEFAULT', f'SET DEFAULT {column.good_value(random)}'))}"
    if pick < 0.95:
        return f"{head}{random.choice(('DROP PARTITION p1', 'COALESCE PARTITION 1', 'REMOVE PARTITIONING'))}"
    return f"{head}ADD CONSTRAINT {table.new_name('h')} CHECK ({table.condition(random)})"


def transaction(random, schema):
    return random.choice(("START TRANSACTION", "COMMIT", "ROLLBACK", "SAVEPOINT a", "ROLLBACK TO a", "SAVEPOINT b", "RELEASE SAVEPOINT a",
                          "START TRANSACTION"))


def setting(random, schema):
    pick = random.random()
    if pick < 0.6:
        return f"SET sql_mode = '{random.choice(MODES)}'"
    if pick < 0.8:
        return f"SET foreign_key_checks = {random.choice((0, 1, 1))}"
    return f"SET auto_increment_increment = {random.choice((1, 1, 3))}"


def whole_table(random, schema):
    table = random.choice(schema.tables)
    return random.choice((f"TRUNCATE TABLE {table.name}", f"DELETE FROM {table.name}", f"CHECK TABLE {table.name}"))


def question(random, schema):
    table = random.choice(schema.tables)
    name, pick = table.name, random.random()
    if pick < 0.3:
        return f"SELECT * FROM {name} WHERE {table.where(random)}"
    if pick < 0.45:
        key = random.choice(table.columns).name
        number = table.column(random, ("number",)).name
        having = f" HAVING COUNT(*) > {random.randrange(3)}" if random.random() < 0.3 else ""
        return f"SELECT COUNT(*), SUM({number}), MIN({number}), COUNT(DISTINCT {key}) FROM {name} GROUP BY {key}{having}"
    if pick < 0.55:
        chosen = random.choice(table.columns).name
        return f"SELECT DISTINCT {chosen} IS NULL, COUNT(*), MAX({chosen}) = {chosen} FROM {name} GROUP BY {chosen}"
    if pick < 0.75:
        other = random.choice(schema.tables)
        if name.startswith("w") and other is table:
            return f"SELECT COUNT(*) FROM {name}"
        a, b = table.column(random, ("number",)).name, other.column(random, ("number",)).name
        join = random.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN"))
        return f"SELECT a.*, b.* FROM {name} a {join} {other.name} b ON a.{a} = b.{b} AND a.{table.condition(random)}"
    if pick < 0.85:
        other = random.choice(schema.tables)
        a, b = table.column(random, ("number", "text")), other.column(random, ("number", "text"))
        word = random.choice(("IN", "NOT IN"))
        if name.startswith("w") and other is table:
            return f"SELECT COUNT(*) FROM {name}"
        return f"SELECT * FROM {name} WHERE {a.name} {word} (SELECT {b.name} FROM {other.name} WHERE {other.condition(random)})"
    if pick < 0.92:
        order = ", ".join(table.primary)
        return f"SELECT {order} FROM {name} WHERE {table.where(random)} ORDER BY {order} LIMIT {random.randrange(1, 6)}"
    return f"SELECT id, ROW_NUMBER() OVER (ORDER BY {', '.join(table.primary)}) n FROM {name}"
