"""Random statements: expressions over `v`, and joins, groupings and sub-queries over small tables.

Every statement is drawn from its own seed, so that one of them can be had again alone. What a
statement promises about its rows is told with it (`Drawn`): whether their order is total, whether
equal texts may stand for each other.

Not here: operators and functions (`expressions`), the tables (`tables`).
"""

import random

from expressions import Expressions
from tables import COLUMNS, KIND_OF_SMALL, SMALL
from tree import Aggregate, Clause, Either, Expression, Leaf, Listed, Part, Query


FRAMES_OF_ROWS = [
    "ROWS UNBOUNDED PRECEDING", "ROWS 2 PRECEDING", "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", "ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING",
    "ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
]
FRAMES_OF_KEYS = [
    "RANGE UNBOUNDED PRECEDING", "RANGE 2 PRECEDING", "RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING",
    "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN 3 PRECEDING AND 2 PRECEDING", "RANGE BETWEEN 1 FOLLOWING AND 3 FOLLOWING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
]


class Drawn:
    """A statement, and how its rows may be compared."""

    def __init__(self, tree, ordered=False, folded=False):
        # `ordered`: ORDER BY leaves no choice. `folded`: which of several texts that are equal
        # under their collation is shown, `a` or `A`, is the server's choice.
        self.tree, self.ordered, self.folded = tree, ordered, folded


def draw(seed, number):
    """The statement of that number."""
    chance = random.Random(f"{seed}:{number}")
    if number % 10 == 9:
        return Queries(chance).windowed()
    if chance.random() < 0.55:
        return over_types(chance)
    return Queries(chance).statement()


def over_types(chance):
    """Expressions over the table with a column of every type, or over no table."""
    columns = {kind: list(group) for kind, group in COLUMNS.items()}
    bare = chance.random() < 0.2
    drawer = Expressions(chance, {} if bare else columns)
    kinds = ["int", "uint", "decimal", "double", "text", "text", "truth", "truth", "date", "time",
             "datetime", "binary"]
    items = [
        Part("{} AS c%d" % position, drawer.draw(chance.choice(kinds), chance.choice([1, 1, 2, 3])))
        for position in range(chance.choice([1, 1, 2, 3]))
    ]
    if bare:
        return Drawn(Query("SELECT {}", Listed(", ", items)))
    where = Leaf("")
    if chance.random() < 0.4:
        where = Clause(" WHERE {}", drawer.draw("truth", chance.choice([1, 2])))
    form = chance.random()
    listed = Listed(", ", items)
    if form < 0.15:
        function = chance.choice(["MIN", "MAX", "COUNT", "SUM", "AVG"])
        kind = chance.choice(["int", "decimal", "double", "uint"])
        if function in ("MIN", "MAX"):
            kind = chance.choice(kinds[:8] + ["date", "time", "datetime"])
        inner = drawer.draw(kind, chance.choice([0, 0, 1]))
        items = [Part("%s({}) AS c0" % function, inner)]
        if chance.random() < 0.3:
            items.append(Part("COUNT(DISTINCT {}) AS c1", drawer.draw(chance.choice(kinds), 0)))
        return Drawn(Query("SELECT {} FROM v{}", Listed(", ", items), where), folded=True)
    if form < 0.25:
        key = drawer.draw(chance.choice(kinds), chance.choice([0, 0, 1, 2]))
        text = "SELECT {} AS k, COUNT(*) AS c0 FROM v{} GROUP BY k"
        return Drawn(Query(text, key, where), folded=True)
    return Drawn(Query("SELECT id, {} FROM v{}", listed, where))


class Queries:
    """Draws SELECTs over the small tables."""

    def __init__(self, chance):
        self.chance = chance
        self.aliases = 0

    def statement(self):
        chance = self.chance
        form = chance.random()
        if form < 0.12:
            return self.union()
        if form < 0.17:
            return self.natural()
        if form < 0.4:
            return self.grouped()
        return self.plain()

    # What stands in FROM: the tree and the columns by kind that it offers.

    def source(self, joins, outer=None):
        chance = self.chance
        tree, columns = self.relation()
        for _ in range(joins):
            right, more = self.relation()
            both = merged(columns, more)
            form = chance.random()
            if form < 0.12:
                tree = Part("{}{}", tree, Clause(", {}", right)) if "," not in tree.sql() else tree
                if right.sql() not in tree.sql():
                    continue
            elif form < 0.2:
                tree = Part("{}{}", tree, Clause(" CROSS JOIN {}", right))
            else:
                word = chance.choice(["JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN"])
                tree = Part(
                    "{} %s {} ON {}" % word, tree, right, self.join_condition(columns, more, both)
                )
                tree = tree if "," not in tree.within[0].sql() else Part("{}", tree)
            columns = both
        return tree, columns

    def relation(self):
        """A table or a derived one, with an alias of its own."""
        chance = self.chance
        alias = f"x{self.aliases}"
        self.aliases += 1
        name = chance.choice(["p", "p", "q", "q", "r", "w", "z"] if chance.random() < 0.5 else "pqw")
        if chance.random() < 0.15:
            return self.derived(name, alias)
        columns = {}
        for column in SMALL[name][0]:
            columns.setdefault(KIND_OF_SMALL[column], []).append(f"{alias}.{column}")
        return Leaf(f"{name} {alias}"), columns

    def derived(self, name, alias):
        chance = self.chance
        own = {}
        for column in SMALL[name][0]:
            own.setdefault(KIND_OF_SMALL[column], []).append(column)
        items, columns = [], {}
        for kind in list(own):
            item = Expressions(chance, own).draw(kind, chance.choice([0, 0, 1]))
            items.append(Part("{} AS k%d" % len(items), item))
            columns.setdefault(kind, []).append(f"{alias}.k{len(items) - 1}")
        where = Clause(" WHERE {}", Expressions(chance, own).draw("truth", 1))
        if chance.random() < 0.25:
            key = chance.choice(own["int"])
            text = f"(SELECT {key} AS k0, COUNT(*) AS k1 FROM {name}{{}} GROUP BY {key}) {alias}"
            return Part(text, where), {"int": [f"{alias}.k0", f"{alias}.k1"]}
        return Part(f"(SELECT {{}} FROM {name}{{}}) {alias}", Listed(", ", items), where), columns

    def join_condition(self, left, right, both):
        chance = self.chance
        kinds = [kind for kind in left if kind in right]
        kind = "int" if "int" in kinds and chance.random() < 0.7 else chance.choice(kinds or [""])
        if not kind:
            return self.condition(both, 1)
        equal = Expression(
            "{} = {}", Leaf(chance.choice(left[kind])), Leaf(chance.choice(right[kind]))
        )
        if chance.random() < 0.3:
            return Expression("{} AND {}", equal, self.condition(both, 1))
        return equal

    # Conditions, with sub-queries among them.

    def condition(self, columns, depth, subqueries=True):
        chance = self.chance
        if depth > 0 and chance.random() < 0.35:
            word = chance.choice(["({} AND {})", "({} OR {})", "({} AND {})", "({} XOR {})"])
            sides = [self.condition(columns, depth - 1, subqueries) for _ in range(2)]
            return Expression(word, *sides)
        if depth > 0 and chance.random() < 0.1:
            return Expression("(NOT {})", self.condition(columns, depth - 1, subqueries))
        if subqueries and chance.random() < 0.3:
            return self.subquery_condition(columns)
        return Expressions(chance, columns, stray=60, own=True).draw("truth", 1)

    def inner(self, columns, item, limited=False):
        """A sub-query of one column of that kind, correlated half of the time."""
        chance = self.chance
        tree, own = self.source(chance.choice([0, 0, 0, 1]))
        if item not in own:
            item = next(iter(own))
        conditions = []
        if chance.random() < 0.6:
            kinds = [kind for kind in own if kind in columns]
            if kinds:
                kind = chance.choice(kinds)
                word = chance.choice(["{} = {}", "{} = {}", "{} < {}", "{} <> {}"])
                sides = Leaf(chance.choice(own[kind])), Leaf(chance.choice(columns[kind]))
                conditions.append(Expression(word, *sides))
        if chance.random() < 0.4:
            conditions.append(self.condition(own, 0, subqueries=False))
        where = Clause(" WHERE {}", Listed(" AND ", conditions)) if conditions else Leaf("")
        value = Leaf(chance.choice(own[item]))
        return value, tree, where

    def subquery_condition(self, columns):
        chance = self.chance
        kind = chance.choice([kind for kind in columns if kind in ("int", "text")] or list(columns))
        value, tree, where = self.inner(columns, kind)
        form = chance.random()
        if form < 0.3:
            word = chance.choice(["EXISTS", "NOT EXISTS"])
            return Expression("%s (SELECT 1 FROM {}{})" % word, tree, where)
        left = Leaf(chance.choice(columns[kind]))
        if form < 0.65:
            word = chance.choice(["IN", "IN", "NOT IN"])
            return Expression("({} %s (SELECT {} FROM {}{}))" % word, left, value, tree, where)
        word = chance.choice(["=", "<", ">=", "<>"])
        if form < 0.8:
            word += chance.choice([" ANY", " ALL"])
            return Expression("({} %s (SELECT {} FROM {}{}))" % word, left, value, tree, where)
        return Expression("({} %s {})" % word, left, self.scalar(columns, kind))

    def scalar(self, columns, kind):
        """A sub-query of one value."""
        value, tree, where = self.inner(columns, kind)
        function = self.chance.choice(["MIN", "MAX", "COUNT"])
        return Expression("(SELECT %s({}) FROM {}{})" % function, value, tree, where)

    # Whole statements.

    def items(self, columns, count, scalars=True):
        chance = self.chance
        drawer = Expressions(chance, columns, stray=60, own=True)
        items = []
        for position in range(count):
            kind = chance.choice(list(columns))
            if scalars and chance.random() < 0.12:
                item = self.scalar(columns, kind)
            else:
                item = drawer.draw(kind, chance.choice([0, 0, 0, 1, 1, 2]))
            items.append(Part("{} AS c%d" % position, item))
        return items

    def order(self, count, always=False):
        """ORDER BY every column, so that the order is total; with a LIMIT now and then."""
        chance = self.chance
        if not always and chance.random() < 0.5:
            return Leaf(""), False
        positions = list(range(1, count + 1))
        chance.shuffle(positions)
        keys = ", ".join(f"{key}{chance.choice(['', ' DESC'])}" for key in positions)
        limit = ""
        if chance.random() < 0.5:
            limit = f" LIMIT {chance.choice([0, 1, 2, 5, 100])}"
            limit += chance.choice(["", "", " OFFSET 1"])
        return Clause(f" ORDER BY {keys}{limit}"), True

    def plain(self):
        chance = self.chance
        tree, columns = self.source(chance.choice([0, 0, 1, 1, 1, 2, 2, 3]))
        count = chance.randint(1, 4)
        items = self.items(columns, count)
        distinct = chance.choice(["", "", "", "DISTINCT "])
        where = Leaf("")
        if chance.random() < 0.7:
            where = Clause(" WHERE {}", self.condition(columns, chance.choice([0, 1, 2])))
        order, ordered = self.order(count)
        text = f"SELECT {distinct}{{}} FROM {{}}{{}}{{}}"
        tree = Query(text, Listed(", ", items, least=count if ordered else 1), tree, where, order)
        # A sub-query's MIN of texts may be any of those that are equal.
        extreme = "MIN(" in tree.sql() or "MAX(" in tree.sql()
        return Drawn(tree, ordered, folded=bool(distinct) or ordered or extreme)

    def grouped(self):
        chance = self.chance
        tree, columns = self.source(chance.choice([0, 0, 1, 1, 2]))
        keys = [
            Part("{} AS c%d" % position, Expressions(chance, columns, stray=60, own=True).draw(
                chance.choice(list(columns)), chance.choice([0, 0, 0, 1])))
            for position in range(chance.choice([0, 1, 1, 1, 2]))
        ]
        items = list(keys)
        aggregates = []
        for _ in range(chance.randint(1, 3)):
            aggregates.append(self.aggregate(columns))
            items.append(Part("{} AS c%d" % len(items), aggregates[-1]))
        where = Leaf("")
        if chance.random() < 0.5:
            where = Clause(" WHERE {}", self.condition(columns, 1))
        group = having = Leaf("")
        if keys:
            named = ", ".join(f"c{position}" for position in range(len(keys)))
            group = Clause(f" GROUP BY {named}")
        if chance.random() < 0.3:
            word = chance.choice(["{} > 1", "{} IS NOT NULL", "{} <= 3", "{} <> 2"])
            having = Clause(" HAVING {}", Expression(word, chance.choice(aggregates)))
        order, ordered = self.order(len(items))
        text = "SELECT {} FROM {}{}{}{}{}"
        least = len(items) if ordered or keys else 1
        listed = Listed(", ", items, least=least)
        return Drawn(Query(text, listed, tree, where, group, having, order), ordered, folded=True)

    def aggregate(self, columns):
        chance = self.chance
        function = chance.choice(["COUNT(*)", "COUNT", "SUM", "AVG", "MIN", "MAX", "COUNT(DISTINCT"])
        if function == "COUNT(*)":
            return Leaf("COUNT(*)")
        numeric = [kind for kind in columns if kind in ("int", "decimal")]
        kind = chance.choice(list(columns))
        if function in ("SUM", "AVG"):
            kind = chance.choice(numeric or list(columns))
        drawn = Expressions(chance, columns, stray=60, own=True).draw(kind, chance.choice([0, 0, 1]))
        text = f"{function} {{}})" if function.endswith("DISTINCT") else f"{function}({{}})"
        return Aggregate(text, drawn)

    def windowed(self):
        """Window functions over one table, whose `id` makes an order total where that matters."""
        chance = self.chance
        name = chance.choice("pqr")
        columns = {}
        for column in SMALL[name][0]:
            columns.setdefault(KIND_OF_SMALL[column], []).append(f"x.{column}")
        items = [Leaf("x.id AS c0")]
        for position in range(1, chance.randint(2, 4)):
            items.append(Part("{} AS c%d" % position, self.window_function(columns)))
        where = Leaf("")
        if chance.random() < 0.4:
            where = Clause(" WHERE {}", self.condition(columns, 1, subqueries=False))
        order, ordered = self.order(len(items))
        listed = Listed(", ", items, least=len(items) if ordered else 1)
        tree = Query(f"SELECT {{}} FROM {name} x{{}}{{}}", listed, where, order)
        return Drawn(tree, ordered, folded=True)

    def window_function(self, columns):
        chance = self.chance
        drawer = Expressions(chance, columns, stray=200, own=True)
        numeric = [kind for kind in columns if kind in ("int", "decimal")]
        kind = chance.choice(list(columns))
        of_rows = chance.random() < 0.5
        if of_rows:
            call = chance.choice(["ROW_NUMBER()", f"NTILE({chance.randint(1, 5)})", "LAG({})",
                                  "LEAD({}, 2)", "LAG({}, 0)", "FIRST_VALUE({})", "LAST_VALUE({})",
                                  f"NTH_VALUE({{}}, {chance.randint(1, 3)})"])
        else:
            call = chance.choice(["RANK()", "DENSE_RANK()", "PERCENT_RANK()", "CUME_DIST()"])
        if chance.random() < 0.5:
            function = chance.choice(["COUNT(*)", "COUNT", "SUM", "AVG", "MIN", "MAX", "BIT_OR"])
            if function in ("SUM", "AVG", "BIT_OR"):
                kind = chance.choice(numeric)
            call = function if function == "COUNT(*)" else f"{function}({{}})"
        # MariaDB's BIT_OR keeps bits of rows that have left a moving frame.
        framed = call.split("(")[0] not in (
            "BIT_OR", "ROW_NUMBER", "NTILE", "LAG", "LEAD", "RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST")
        partition = Leaf("")
        if chance.random() < 0.6:
            by = chance.choice(list(columns))
            key = drawer.draw(by, chance.choice([0, 0, 1]))
            if key.sql().isdigit():
                # MySQL refuses what could be a position (3592).
                key = Leaf(f"{key.sql()} + 0")
            partition = Clause("PARTITION BY {} ", key)
        direction = chance.choice(["", " DESC"])
        if of_rows:
            key = Leaf(chance.choice(columns[chance.choice(list(columns))]))
            # Without it the rows of a frame would be any.
            order = Part(f"ORDER BY {{}}{direction}, x.id", key)
        else:
            order = Clause(f"ORDER BY {{}}{direction}", Leaf(chance.choice(columns["int"])))
        frame = ""
        if framed and chance.random() < 0.7:
            frame = " " + chance.choice(FRAMES_OF_ROWS if of_rows else FRAMES_OF_KEYS)
        over = Part("{}{}%s" % frame, partition, order)
        if call in ("PERCENT_RANK()", "CUME_DIST()"):
            # MariaDB rounds them to ten digits.
            return Part(f"ROUND({call} OVER ({{}}), 6)", over)
        if "{}" not in call:
            return Part(f"{call} OVER ({{}})", over)
        return Part(f"{call} OVER ({{}})", drawer.draw(kind, chance.choice([0, 0, 1])), over)

    def natural(self):
        """NATURAL JOIN and USING: columns in common are there once, first."""
        chance = self.chance
        names = chance.sample(["p", "q", "w", "r"], chance.choice([2, 2, 3]))
        tree = Leaf(names[0])
        for name in names[1:]:
            word = chance.choice(["NATURAL JOIN", "NATURAL LEFT JOIN", "NATURAL RIGHT JOIN", "USING"])
            if word == "USING":
                column = chance.choice(["a", "s", "b"])
                word = chance.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN"])
                tree = Part("{}{}", tree, Clause(f" {word} {name} USING ({column})"))
            else:
                tree = Part("{}{}", tree, Clause(f" {word} {name}"))
        where = Leaf("")
        if chance.random() < 0.4:
            columns = {"int": ["a", "b"], "text": ["s"]}
            where = Clause(" WHERE {}", self.condition(columns, 1, subqueries=False))
        return Drawn(Query("SELECT * FROM {}{}", tree, where))

    def union(self):
        chance = self.chance
        count = chance.randint(1, 3)
        kinds = [chance.choice(["int", "text"]) for _ in range(count)]
        sides = []
        for _ in range(chance.choice([2, 2, 3])):
            tree, columns = self.source(chance.choice([0, 0, 1]))
            drawer = Expressions(chance, columns, stray=200, own=True)
            items = [Part("{} AS c%d" % at, drawer.draw(kind, chance.choice([0, 0, 1])))
                     for at, kind in enumerate(kinds)]
            where = Clause(" WHERE {}", self.condition(columns, 1, subqueries=False))
            sides.append(Query("SELECT {} FROM {}{}", Listed(", ", items, count), tree, where))
        tree = sides[0]
        for side in sides[1:]:
            word = chance.choice(["UNION", "UNION ALL"])
            tree = Either("{} %s {}" % word, tree, side)
        order, ordered = self.order(count)
        return Drawn(Query("{}{}", tree, order), ordered, folded=True)


def merged(left, right):
    both = {kind: list(names) for kind, names in left.items()}
    for kind, names in right.items():
        both.setdefault(kind, []).extend(names)
    return both
