"""Which key EXPLAIN names with index hints, on both servers.

The hints leave no choice but one, or MariaDB's choice is the plain one; what two optimizers may
rightly see differently (index_merge, when a range is worse than all rows) is not here. Rowhouse shows
joins as a tree, of which the index of each table is read.

Not here: rows and errors of statements with hints (`index-hints.sql`).
"""

import re

from ways import Ways, answer

TABLES = """
CREATE TABLE n (i INT PRIMARY KEY)
INSERT INTO n VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, u INT NOT NULL, pad VARCHAR(100), \
KEY a (a), KEY b (b), KEY ab (a,b), UNIQUE KEY u (u))
INSERT INTO t SELECT v, v % 50, v % 20, v % 10, 1000 - v, REPEAT('x', 90) \
FROM (SELECT x.i + 10 * y.i + 100 * z.i AS v FROM n x, n y, n z) numbers
CREATE TABLE s (id INT PRIMARY KEY, t INT, k INT, KEY t (t), KEY k (k))
INSERT INTO s SELECT v, v * 3, v % 10 FROM (SELECT x.i + 10 * y.i AS v FROM n x, n y) numbers
ANALYZE TABLE t, s
"""

QUERIES = """
SELECT * FROM t USE INDEX(b) WHERE a=3 AND b=3
SELECT * FROM t USE INDEX(a) WHERE a=3 AND b=3
SELECT * FROM t FORCE INDEX(ab) WHERE a=3 AND b=3
SELECT * FROM t IGNORE INDEX(ab,a) WHERE a=3 AND b=3
SELECT * FROM t IGNORE INDEX(a,b,ab) WHERE a=3 AND b=3
SELECT * FROM t USE INDEX() WHERE a=3 AND b=3
SELECT * FROM t USE INDEX(PRIMARY) WHERE a=3 AND b=3
SELECT * FROM t IGNORE INDEX(PRIMARY) WHERE id=3
SELECT * FROM t FORCE INDEX(a) WHERE id=3
SELECT * FROM t FORCE INDEX(a) WHERE id=3 AND a > 7
SELECT * FROM t FORCE INDEX(a) WHERE a > 2
SELECT * FROM t FORCE KEY(b) WHERE b BETWEEN 2 AND 19
SELECT * FROM t FORCE KEY(a)
SELECT * FROM t FORCE KEY(a) ORDER BY a
SELECT * FROM t FORCE INDEX(b) WHERE a=3 ORDER BY b
SELECT * FROM t FORCE INDEX(b) WHERE a=3
SELECT * FROM t IGNORE INDEX FOR ORDER BY(a,ab) ORDER BY a LIMIT 900
SELECT * FROM t FORCE INDEX FOR ORDER BY(b) ORDER BY b LIMIT 3
SELECT * FROM t USE INDEX FOR ORDER BY(b) ORDER BY a LIMIT 900
SELECT * FROM t USE INDEX FOR JOIN(b) WHERE a=3 AND b=3 ORDER BY a LIMIT 3
SELECT * FROM t IGNORE INDEX FOR JOIN(b) IGNORE INDEX FOR JOIN(ab) WHERE a=3 AND b=3
SELECT * FROM t USE INDEX(a) USE INDEX FOR ORDER BY(b) WHERE a=3 ORDER BY b
SELECT COUNT(a) FROM t USE INDEX(a)
SELECT COUNT(a) FROM t IGNORE INDEX(a)
SELECT a FROM t USE INDEX(b)
SELECT COUNT(*) FROM t USE INDEX(b)
SELECT COUNT(*) FROM t USE INDEX()
SELECT * FROM t IGNORE INDEX(u) WHERE u=3
SELECT * FROM t WHERE u=3 AND id=997
SELECT * FROM t USE INDEX(PRIM) WHERE id=3
SELECT * FROM t USE INDEX(a) USE INDEX(b) IGNORE INDEX(a) WHERE a=3 AND b=3
SELECT * FROM t AS x USE INDEX(a) WHERE a=3 AND b=3
SELECT * FROM s JOIN t ON t.a=s.t WHERE s.k=3
SELECT * FROM s JOIN t FORCE INDEX(ab) ON t.a=s.t WHERE s.k=3
SELECT * FROM s IGNORE INDEX(k) JOIN t USE INDEX(a) ON t.a=s.t WHERE s.k=3
SELECT STRAIGHT_JOIN * FROM t JOIN s ON s.id=t.c WHERE s.k=3
SELECT * FROM t STRAIGHT_JOIN s IGNORE INDEX(k) ON s.id=t.c WHERE s.k=3
SELECT STRAIGHT_JOIN * FROM t USE INDEX() JOIN s FORCE INDEX(k) ON s.k=t.c WHERE t.id=3
UPDATE t IGNORE INDEX(ab,b) SET c=1 WHERE a=3 AND b=3
UPDATE t USE INDEX(b) SET c=1 WHERE a=3 AND b=3
"""

# `Rows of t by a`, `All of t in the order of a`; a hash table is no index.
STEP = re.compile(r"(?:Row|Rows|Range|All) of (\w+)(?: (?:by|in the order of) (\w+))?")


def keys_of(given):
    """The key of each table, in the order of joining; and what keys it could have been."""
    if given.names[:1] == ["id"]:
        table, possible, key = (given.names.index(name) for name in ("table", "possible_keys", "key"))
        return [(row[table], row[key]) for row in given.rows], [row[possible] for row in given.rows]
    steps = STEP.findall("\n".join(row[0] for row in given.rows).replace(" by a hash table", ""))
    return [(table, key or None) for table, key in steps], None


def compare(ports, count):
    """Adds to `count` what was met."""
    database = "hinted"
    ways = Ways(*ports, None)
    for side in (ways.theirs, ways.ours):
        for statement in [f"DROP DATABASE IF EXISTS {database}", f"CREATE DATABASE {database}",
                          f"USE {database}", *TABLES.strip().splitlines()]:
            made = answer(side, statement)
            if made.error is not None:
                count.failures.append(("hinted", None, "tables", statement, "", str(made)))
    for query in QUERIES.strip().splitlines():
        theirs, ours = (answer(side, f"EXPLAIN {query}") for side in (ways.theirs, ways.ours))
        count.by["statements"] += 1
        (their_keys, their_possible), (our_keys, our_possible) = keys_of(theirs), keys_of(ours)
        same = our_keys == their_keys and our_possible in (None, their_possible)
        if not same or not our_keys:
            count.failures.append(("hinted", None, "keys", query, str(theirs), str(ours)))
    ways.close()
