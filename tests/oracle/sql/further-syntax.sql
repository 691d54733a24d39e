# judges: mysql
# What is written in further ways
SET NAMES utf8mb4 COLLATE utf8mb4_general_ci
CREATE TABLE t (a INT, b INT, KEY (a))
INSERT INTO t VALUES (1, 5), (2, 6), (3, 7)
# 1. Lists of queries, queries in brackets
SELECT a FROM t WHERE a IN ((SELECT 1), (SELECT 2)) ORDER BY a
SELECT a FROM t WHERE a NOT IN ((SELECT MIN(a) FROM t), (SELECT MAX(a) FROM t), 9)
SELECT a IN ((SELECT 1)), a IN ((SELECT 1), 3) FROM t ORDER BY a
CREATE TABLE in_brackets ((SELECT a, b FROM t))
SELECT * FROM in_brackets ORDER BY a
CREATE TABLE with_brackets (WITH w AS (SELECT a FROM t) SELECT * FROM w)
SELECT * FROM with_brackets ORDER BY a
# 2. Names of user variables
SET @max.con = 5, @'quoted' = 2, @`any name` = 'x', @`json` := '[1]'
SELECT @max.con AS a, @`any name` AS b, @`json` AS c, @json AS d, @`max.con` AS e, @quoted AS f
SELECT @old.mode := 3, @old.mode + 1
SELECT a FROM t WHERE a = @old.mode
PREPARE s FROM 'SELECT ? + 1 AS x'
EXECUTE s USING @max.con
# 3. Columns that change names
ALTER TABLE t CHANGE a b INT, CHANGE b a INT
SELECT * FROM t ORDER BY 1
SHOW COLUMNS FROM t
ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a
SELECT * FROM t ORDER BY 1
SHOW COLUMNS FROM t
ALTER TABLE t CHANGE a b BIGINT, RENAME COLUMN b TO c
SELECT * FROM t ORDER BY 1
ALTER TABLE t CHANGE b c INT
ALTER TABLE t CHANGE z y INT, CHANGE y z INT
# 4. Positions in GROUP_CONCAT
SELECT GROUP_CONCAT(c ORDER BY 1 DESC), GROUP_CONCAT(b, c ORDER BY 2 DESC SEPARATOR ' ') FROM t
SELECT GROUP_CONCAT(c ORDER BY 2) FROM t
# 5. Views of partitions, and tables that are no views
CREATE TABLE p (a INT) PARTITION BY LIST (a) (PARTITION p0 VALUES IN (0, 2), PARTITION p1 VALUES IN (1, 3))
INSERT INTO p VALUES (0), (1), (2), (3)
CREATE VIEW v AS SELECT * FROM p PARTITION (p0)
CREATE VIEW w AS SELECT x.a FROM p PARTITION (p1, p0) AS x JOIN p PARTITION (p1) AS y ON x.a = y.a
SELECT * FROM v ORDER BY a
SELECT * FROM w ORDER BY a
SHOW CREATE VIEW v
SHOW CREATE VIEW w
DROP VIEW t
DROP VIEW IF EXISTS t
SHOW WARNINGS
