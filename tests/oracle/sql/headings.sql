# What a result calls its columns
# judges: mysql
CREATE TABLE t (Aa INT, bB INT)
CREATE VIEW v AS SELECT aa, Aa + 1 AS Bb FROM t
# Brackets and plus signs are not part of the name of a column or literal
SELECT (aa), (t.aa), (1), ((aa)), ('x'), (null), NULL, (aa + 1), +aa, +1, + aa, -(aa), (+1), (-1), - 1 FROM t
SELECT (true), (1.5), (0x41), ((1+1)), (abs(1)), (((aa))+1), (aa)+1, +(aa), + + 1, +1.5, +'a', (- aa) FROM t
# Of literals next to each other the first one names the column, without the spaces in front
SELECT 'a' 'b', "a" "b", 'a' 'b' 'c', 'a'   'b', ('a'), ' x', '  ', 'x ', 'it''s' 'b', 'a''b', "a""b", 'a\'b', 'a\\' 'b'
# What is merged calls its columns by their names
SELECT AA, bb, v.BB, (BB), +bb FROM v
WITH c AS (SELECT aa FROM t) SELECT AA, c.AA FROM c
SELECT AA FROM (SELECT aa FROM t) x
SELECT AA FROM (SELECT aa FROM t UNION SELECT 1) x
SELECT AA FROM (SELECT DISTINCT aa FROM t) x
SELECT AA FROM (SELECT aa FROM t LIMIT 1) x
SELECT AA FROM (SELECT MAX(aa) AS aa FROM t) x
SELECT AA FROM (SELECT 1 AS aa) x
SELECT AA, BB FROM t JOIN (SELECT 1 AS b) q
SELECT table_schema, Table_Name, TABLE_TYPE, t.engine FROM information_schema.tables t WHERE table_schema = 'none'
SELECT schema_name FROM (SELECT schema_name FROM information_schema.schemata) t WHERE schema_name = 'none'
SELECT schema_name AS x, upper(schema_name) FROM information_schema.schemata WHERE schema_name = 'none'
SELECT column_name, ordinal_position FROM information_schema.columns WHERE table_schema = 'none'
SELECT user, id FROM information_schema.processlist WHERE id = 0
SELECT Engine FROM information_schema.engines WHERE engine = 'none'
SELECT variable_name FROM performance_schema.global_variables WHERE variable_name = 'none'
# In brackets, with its literals
(SELECT 1 + 1)
(SELECT aa  + 1 FROM t)
(SELECT 1 + 1) LIMIT 1
# Neither numbers nor times nor NULL have a character set of their own
SELECT CHARSET(NULL), COLLATION(NULL), CHARSET(1), COLLATION(1), CHARSET(NOW()), CHARSET(1.5), COLLATION(NULLIF(1,1)), CHARSET('a'), CHARSET(CONCAT(1)), CHARSET(YEAR(NOW()))
# Columns of derived tables are called as they are written, and named so around them
SELECT * FROM (SELECT aa+1, 1  +  1 FROM t) x
SELECT x.`aa+1` FROM (SELECT aa+1 FROM t) x
SELECT `aa+1` FROM (SELECT aa+1 FROM t UNION SELECT 3) x
SELECT * FROM (SELECT aa+1 AS q, 'lit', 5, 1.5 , ( aa ) FROM t) x
SELECT * FROM (SELECT * FROM (SELECT aa+1 FROM t) y) x
SELECT * FROM t WHERE (aa+1) IN (SELECT * FROM (SELECT aa+1 FROM t) z)
WITH c AS (SELECT COUNT(*) FROM t) SELECT * FROM c
SELECT * FROM (SELECT COUNT(1), MAX( aa ), COUNT(*) FROM t) x
SELECT * FROM (SELECT 1  + 1) x JOIN (SELECT 2 +  3) y
SELECT * FROM (SELECT CASE WHEN 1 THEN 2 END, IF(1, 2, 3), NOT 1, !1, - 1) x
SELECT a.* FROM (SELECT bb+3 FROM t) a, (SELECT 5+6) b
CREATE VIEW v1 AS SELECT * FROM (SELECT 1 +1, aa+ 2 FROM t) q
SELECT * FROM v1
CREATE TABLE c1 AS SELECT * FROM (SELECT 1 +1, aa+ 2 FROM t) q
SELECT * FROM c1
# Literals in the list behind WITH
WITH q AS (SELECT 2 AS x) SELECT 7, 'a', x+1, 1.5 , x  +  2 FROM q
WITH q(x) AS (SELECT 1) SELECT 1 FROM q WHERE x = 1
WITH q AS (SELECT 2 AS x) (SELECT 7, x+1 FROM q)
WITH q AS (SELECT 2 AS x), r AS (SELECT 3 AS y) SELECT CONCAT(x, '-', y), 'it''s' FROM q, r WHERE x < 5 AND y > 0 UNION SELECT 8, 9
WITH RECURSIVE q AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM q WHERE n < 3) SELECT 5, n FROM q
# Literals of a LATERAL table name its columns as those of any other do
CREATE TABLE l (a INT)
INSERT INTO l VALUES (1), (2)
SELECT * FROM l, LATERAL (SELECT l.a+1) d
SELECT * FROM l, LATERAL (SELECT 42) d
SELECT * FROM l LEFT JOIN LATERAL (SELECT 42, l.a*2, 'x') d ON 1
SELECT * FROM l, LATERAL (SELECT * FROM (SELECT 42) t1, (SELECT l.a) t2) d
SELECT d.`l.a+1` FROM l, LATERAL (SELECT l.a+1) d
# Names that begin with digits and an E
SELECT 1 AS 1Eq, 2 AS 2e, 3 3ea
SELECT 1e, 2E FROM (SELECT 1 AS 1e, 2 AS `2E`) x
CREATE TABLE 1e (1e INT, 2eq INT)
SELECT 1e, 2eq, 1e1, 2E-1 FROM 1e
DROP TABLE 1e
