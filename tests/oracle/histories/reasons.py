"""Differences from MySQL that are known, and why there are.

Not here: comparing (`compare`).
"""

import re

# Warnings of what MySQL is going to take away, which is not for us to say.
DEPRECATIONS = {"1287", "1681", "3135", "3719", "3778"}

# What a statement has to match, the respect in which the two may differ then, what MySQL says, and why.
REASONS = (
    (r"\bw\d\b.*\bw\d\b", "error", "error 1137", "a temporary table may be used twice in a statement"),
    (r"^ALTER TABLE", "rows changed", "", "how many rows ALTER TABLE has copied is told, not how many MySQL would copy"),
    (r"ADD (UNIQUE )?KEY", "definition of .*", "", "a foreign key's own key stays where another one could serve it"),
    (r"^ALTER TABLE", "error", "error 1292", "no row is refused for a day that it had before, where its column stays"),
    (r"SET DEFAULT|MODIFY|ADD COLUMN", "error", "error 1101", "a TEXT may have a literal default, as in dumps of MariaDB"),
    (r"SET DEFAULT", "definition of .*", "", "a column that numbers itself shows the default that it was given"),
    (r"RENAME COLUMN", "error", "error (3108|3959)", "expressions follow their columns' names"),
    (r"IN \(SELECT", "error", "error 1267", "a list that a query gives has the collation of what is looked for"),
    (r"CHECK", "error", "error 3823", "a CHECK may name a column that a foreign key's action changes, and is asked then"),
    (r"^UPDATE IGNORE", "rows of .*", "", "a parent's key that collides leaves its children as they were, which InnoDB has set to NULL by then"),
    (r"CHECK|^ALTER", "error", "error 3754", "an expression over a number that a table makes itself is refused by another number"),
    (r"ON DUPLICATE KEY UPDATE", "rows changed", "", "a row that is set to what it has counts as changed in MySQL where the engine was not asked for all of it"),
    (r"^ALTER TABLE", "definition of .*", r".*CHECK .*TIME'", "a CHECK is shown as it was written, also when a row was asked"),
    (r"MODIFY", "error", "error 1833", "a column that begins or ceases to number itself stays what its children refer to"),
    (r"MODIFY c\d YEAR", "error", "error 1264", "a day becomes its year, which MySQL loses"),
    (r"AS JSON\)", "error", "error 1292", "a JSON value beside numbers is looked at when a row is met"),
    (r"^INSERT IGNORE .*\bf\d\b", "rows changed", "", "InnoDB asks for no parent by a longer key of which another part is NULL"),
    (r"SET c\d = 'null'", "rows changed", "", "a JSON that was given nothing is the JSON null, which MySQL tells apart"),
    (r"ALTER id DROP DEFAULT|^INSERT INTO t\d \(c0", "error", "error 1364", "a column that numbers itself does so without a default"),
    (r"BETWEEN", "error", "error (1292|1525)", "what says no day at an end of BETWEEN is told when a row is met"),
    (r"IN \(.*'", "error", "error 1292", "texts among several are told when a row is met"),
    (r"TINYTEXT|ADD UNIQUE KEY|ADD KEY", "error", "", "an expression of a TINYTEXT is a TEXT, which no key can have"),
)

# A foreign key that only a key with more columns serves (ALTER TABLE .. ADD KEY (f3, g1) takes the place of the key of f3).
PARENT_UNSEEN = re.compile(r"error 1452 .*child row")


def reason_of(statement, respect, theirs, ours):
    """Why a difference may be there; `None` for one that may not."""
    if respect == "error" and PARENT_UNSEEN.match(str(ours)) and str(theirs).startswith("affected"):
        return "InnoDB asks for no parent by a longer key of which another part is NULL"
    for words, of, said, why in REASONS:
        if re.search(words, statement) and re.fullmatch(of, respect) and re.match(said, str(theirs)):
            return why
    return None


def shown(definition):
    """A definition as SHOW CREATE TABLE has it, line by line, without what the two never have in common: collations that are
    the table's or the server's, and in which character set a literal was written."""
    lines = re.sub(r" (CHARACTER SET|COLLATE) \w+", "", definition.split("\n) ENGINE")[0]).replace("-(3)", "-3")
    return sorted(line.rstrip(",") for line in re.sub(r"_\w+'", "_utf8mb4'", lines).split("\n"))
