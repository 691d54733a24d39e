# judges: mysql
# Key parts that are expressions, and parts that descend: what is found by them, how they are shown, what may be one.
CREATE TABLE p (id INT PRIMARY KEY, a VARCHAR(20), b INT, j JSON, d DATETIME, KEY low ((LOWER(a))), UNIQUE KEY u ((b * 10 + 1), a DESC), KEY ((ABS(b))), KEY z ((CAST(j->>'$.zip' AS UNSIGNED))), KEY n ((CAST(j->>'$.n' AS CHAR(10)))), KEY y ((YEAR(d) + 1) DESC, b), KEY k ((CASE WHEN b > 1 THEN 'a' ELSE NULL END)), KEY t ((b BETWEEN 1 AND 3)), KEY nn ((b IS NULL)), KEY dd ((d + INTERVAL 1 DAY)))
INSERT INTO p VALUES (1, 'Anna', 1, '{"n": "x", "zip": 11}', '2020-01-01 10:00:00'), (2, 'BERT', 2, '{"n": "Y", "zip": 12}', '2021-05-05'), (3, 'carl', NULL, NULL, NULL), (4, NULL, -4, '{"zip": "13"}', '2020-12-31 23:59:59')
SHOW COLUMNS FROM p
SELECT * FROM p ORDER BY id
SELECT id FROM p WHERE LOWER(a) = 'bert'
SELECT id FROM p WHERE LOWER(a) IN ('anna', 'carl') ORDER BY id
SELECT id FROM p WHERE b * 10 + 1 = 11
SELECT id FROM p WHERE ABS(b) > 1 ORDER BY ABS(b)
SELECT id FROM p WHERE CAST(j->>'$.zip' AS UNSIGNED) BETWEEN 12 AND 13 ORDER BY id
SELECT id FROM p WHERE CAST(j->>'$.n' AS CHAR(10)) = 'y'
SELECT YEAR(d) + 1, COUNT(*) FROM p GROUP BY YEAR(d) + 1 ORDER BY 1
SELECT id FROM p ORDER BY YEAR(d) + 1 DESC, b
SELECT id FROM p WHERE (b IS NULL) = 1
SELECT id FROM p WHERE d + INTERVAL 1 DAY = '2021-05-06'
INSERT INTO p (id, a, b) VALUES (5, 'Anna', 1)
INSERT INTO p (id, a, b) VALUES (5, 'Anna', 1) ON DUPLICATE KEY UPDATE b = 8
SELECT id, b FROM p WHERE b * 10 + 1 = 81
REPLACE INTO p (id, a, b) VALUES (6, 'ANNA', 8)
SELECT id, a, b FROM p ORDER BY id
UPDATE p SET a = 'Zoe' WHERE LOWER(a) = 'anna'
DELETE FROM p WHERE LOWER(a) = 'zoe'
SELECT id FROM p ORDER BY LOWER(a), id
SELECT index_name AS i, seq_in_index AS n, column_name AS c, collation AS o, expression AS e, is_visible AS v FROM information_schema.statistics WHERE table_name = 'p' ORDER BY 1, 2
SELECT column_name AS c FROM information_schema.columns WHERE table_name = 'p' ORDER BY ordinal_position
SELECT constraint_name AS k, column_name AS c, ordinal_position AS n FROM information_schema.key_column_usage WHERE table_name = 'p' ORDER BY 1, 3
CREATE TABLE q LIKE p
SELECT index_name AS i, column_name AS c, expression AS e FROM information_schema.statistics WHERE table_name = 'q' ORDER BY 1, seq_in_index
CREATE TABLE r AS SELECT * FROM p
ALTER TABLE p DROP COLUMN b
ALTER TABLE p RENAME COLUMN a TO c
ALTER TABLE p CHANGE a c VARCHAR(30)
ALTER TABLE p ADD UNIQUE KEY w ((id % 2))
CREATE INDEX x ON p ((id % 2), b DESC)
SELECT `!hidden!x!0!0` FROM p
CREATE TABLE e (a INT, KEY ((a)))
CREATE TABLE e (a INT, PRIMARY KEY ((a + 1)))
CREATE TABLE e (a TEXT, KEY ((CONCAT(a, 'x'))))
CREATE TABLE e (j JSON, KEY ((j->'$.a')))
CREATE TABLE e (j JSON, KEY ((j->>'$.a')))
CREATE TABLE e (a INT, KEY ((RAND())))
CREATE TABLE e (a INT, KEY i ((NOW())))
CREATE TABLE e (a INT, KEY ((a + b)))
CREATE TABLE e (a INT AUTO_INCREMENT PRIMARY KEY, KEY ((a + 1)))
CREATE TABLE e (a INT, KEY ((a + 1)(3)))
CREATE TABLE m (id INT PRIMARY KEY, a INT, b VARCHAR(9), KEY ab (a DESC, b), KEY (b DESC))
INSERT INTO m VALUES (1, 1, 'x'), (2, NULL, 'y'), (3, 2, NULL), (4, 1, 'a'), (5, -7, 'b')
SELECT id FROM m ORDER BY a DESC, b
SELECT id FROM m ORDER BY a, b DESC
SELECT id FROM m FORCE INDEX (ab) WHERE a > 0 ORDER BY id
SELECT id FROM m FORCE INDEX (ab) WHERE a <= 1 ORDER BY id
SELECT id FROM m FORCE INDEX (b) WHERE b LIKE 'x%'
SELECT MIN(a), MAX(a), MIN(b), MAX(b) FROM m
# Invisible ones
CREATE TABLE v (id INT PRIMARY KEY, a INT, b INT, KEY ka (a) INVISIBLE, UNIQUE KEY kb (b) INVISIBLE)
INSERT INTO v VALUES (1, 1, 1), (2, 2, 2)
INSERT INTO v VALUES (3, 3, 2)
SELECT * FROM v FORCE INDEX (ka) WHERE a = 1
SELECT index_name AS i, is_visible AS v FROM information_schema.statistics WHERE table_name = 'v' ORDER BY 1
ALTER TABLE v ALTER INDEX ka VISIBLE, ALTER INDEX kb VISIBLE
SELECT * FROM v FORCE INDEX (ka) WHERE a = 1
ALTER TABLE v ALTER INDEX none INVISIBLE
ALTER TABLE v ALTER INDEX `PRIMARY` INVISIBLE
CREATE TABLE w (a INT NOT NULL, UNIQUE KEY (a) INVISIBLE)
# Defaults as they are written, names of conditions
CREATE TABLE d (id INT PRIMARY KEY, a INT DEFAULT (3 + 5), b VARCHAR(9) DEFAULT (CONCAT('x', 'y')), c DECIMAL(8,2) DEFAULT 1.5, t DATETIME DEFAULT (NOW()), g INT AS (a * 2 + 1), n INT DEFAULT 7, CHECK (a > 0), CONSTRAINT aa CHECK (a < 99), CHECK (b <> 'q'))
SELECT column_name AS c, column_default AS d, extra AS e, generation_expression AS g FROM information_schema.columns WHERE table_name = 'd' ORDER BY ordinal_position
INSERT INTO d (id) VALUES (1)
SELECT id, a, b, c, g, n FROM d
ALTER TABLE d ADD CHECK (n < 50)
RENAME TABLE d TO e
SELECT constraint_name AS n, check_clause AS c FROM information_schema.check_constraints WHERE constraint_schema = DATABASE() ORDER BY 1
