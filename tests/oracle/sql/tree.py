"""A statement as a tree of text, so that one that fails can be made smaller.

A `Part` is text with other parts in it. What may be left out or replaced is said by its kind:
an expression by one of its own operands or by a constant, an item of a list, a clause.

Not here: which statements there are (`expressions`, `queries`), running them (`ways`).
"""


class Part:
    """Text with holes, `{}` for each part within; braces of its own are doubled."""

    kind = "part"

    def __init__(self, text, *within):
        self.text = text
        self.within = list(within)

    def sql(self):
        return self.text.format(*(part.sql() for part in self.within))

    def copy_with(self, position, part):
        copy = self.__class__.__new__(self.__class__)
        copy.__dict__.update(self.__dict__)
        copy.within = list(self.within)
        copy.within[position] = part
        return copy

    def smaller(self):
        """What could stand here instead, the smallest first."""
        return []


class Leaf(Part):
    """Text without holes: a column, a constant."""

    kind = "expression"

    def sql(self):
        return self.text


class Expression(Part):
    """An operator or a function over expressions."""

    kind = "expression"

    def smaller(self):
        operands, level = [], self.within
        for _ in range(2):
            operands += [part for part in level if part.kind == "expression"]
            level = [part for above in level for part in above.within]
        return operands + [Leaf("NULL"), Leaf("1"), Leaf("'a'")]


class Aggregate(Part):
    """An aggregate function. Its operand in its place would be any of a group's values."""

    kind = "expression"


class Listed(Part):
    """Parts with a separator between them, at least `least` of them."""

    kind = "list"

    def __init__(self, separator, parts, least=1):
        super().__init__("", *parts)
        self.separator, self.least = separator, least

    def sql(self):
        return self.separator.join(part.sql() for part in self.within)

    def smaller(self):
        if len(self.within) <= self.least:
            return []
        shorter = []
        for position in range(len(self.within)):
            copy = self.__class__(self.separator, self.within, self.least)
            del copy.within[position]
            shorter.append(copy)
        return shorter


class Clause(Part):
    """What may be left out: WHERE, ORDER BY, a join."""

    kind = "clause"

    def smaller(self):
        return [Leaf("")]


class Either(Part):
    """Parts of which any one can stand for all: the two sides of a UNION."""

    kind = "either"

    def smaller(self):
        return [part for part in self.within if part.kind in ("either", "query")]


class Query(Part):
    """A SELECT."""

    kind = "query"


def variants(part):
    """All trees that have one thing less."""
    yield from part.smaller()
    for position, inner in enumerate(part.within):
        for smaller in variants(inner):
            yield part.copy_with(position, smaller)


def shrink(part, fails, tries_max=400):
    """The smallest tree found for which `fails(sql)` holds still."""
    tries = 0
    seen = {part.sql()}
    again = True
    while again and tries < tries_max:
        again = False
        for smaller in variants(part):
            text = smaller.sql()
            if text in seen:
                continue
            seen.add(text)
            tries += 1
            if len(text) <= len(part.sql()) and fails(text):
                part, again = smaller, True
                break
            if tries >= tries_max:
                break
    return part
