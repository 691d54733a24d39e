# Writing statements with queries in them, each with several literals or parameters: they are kept by
# their shape, and what a literal is worth must not depend on the one before it.
CREATE TABLE t (id INT PRIMARY KEY, p DECIMAL(10,4), s VARCHAR(40), d DATETIME, tm TIME)
INSERT INTO t VALUES (1, 1.2345, 'a', '2024-01-01 10:00:00', '10:00:00'), (2, 2.5, 'b', NULL, '00:00:01')
CREATE TABLE u (id INT PRIMARY KEY, s VARCHAR(60), n INT)
# Literals that decide about the type of what is stored.
INSERT INTO u SELECT id, ROUND(p, 2), 1 FROM t
SELECT * FROM u ORDER BY id
REPLACE INTO u SELECT id, CONCAT(p * 1.10, '|', p / 3, '|', ROUND(p, 1), '|', TRUNCATE(p, 1)), 1.5 FROM t
SELECT * FROM u ORDER BY id
UPDATE u JOIN t ON t.id = u.id SET u.s = ROUND(t.p, 2)
SELECT * FROM u ORDER BY id
UPDATE u SET s = (SELECT ROUND(p, 3) FROM t WHERE t.id = u.id)
SELECT * FROM u ORDER BY id
UPDATE u SET s = (SELECT ROUND(p, 1) FROM t WHERE t.id = u.id)
SELECT * FROM u ORDER BY id
SELECT * FROM (SELECT ROUND(p, 2) r, CONCAT(ROUND(p, 1), 'x') w FROM t) q ORDER BY r
SELECT * FROM (SELECT ROUND(p, 3) r, CONCAT(ROUND(p, 0), 'x') w FROM t) q ORDER BY r
UPDATE u SET s = (SELECT ADDTIME(tm, '1:00:00') FROM t WHERE id = 1)
SELECT s FROM u WHERE id = 1
UPDATE u SET s = (SELECT ADDTIME(tm, '1:00:00.5') FROM t WHERE id = 1)
SELECT s FROM u WHERE id = 1
UPDATE u SET s = (SELECT TIMEDIFF('10:00:00', '1:00:00') FROM t WHERE id = 1)
SELECT s FROM u WHERE id = 1
UPDATE u SET s = (SELECT TIMESTAMP('2024-01-01', '1:00:00') FROM t WHERE id = 1)
SELECT s FROM u WHERE id = 1
UPDATE u SET s = (SELECT STR_TO_DATE('2024-01-01', '%Y-%m-%d') FROM t WHERE id = 1)
SELECT s FROM u WHERE id = 1
UPDATE u SET s = (SELECT STR_TO_DATE('10:30', '%H:%i') FROM t WHERE id = 1)
SELECT s FROM u WHERE id = 1
UPDATE u SET s = (SELECT CONVERT_TZ('2024-01-01 10:00:00', '+00:00', '+01:00') FROM t WHERE id = 1)
SELECT s FROM u WHERE id = 1
UPDATE u SET s = (SELECT UNIX_TIMESTAMP('2024-01-01 10:00:00') FROM t WHERE id = 1)
SELECT s FROM u WHERE id = 1
UPDATE u JOIN t ON t.id = u.id SET u.s = DATE_ADD(t.d, INTERVAL 1 DAY)
SELECT s FROM u ORDER BY id
UPDATE u JOIN t ON t.id = u.id SET u.s = DATE_ADD('2024-01-31', INTERVAL 1 MONTH)
SELECT s FROM u ORDER BY id
# Literals of one shape, of other kinds each time.
UPDATE u JOIN t ON t.id = u.id SET u.s = 1.50
SELECT s FROM u ORDER BY id
UPDATE u JOIN t ON t.id = u.id SET u.s = 1e3
SELECT s FROM u ORDER BY id
UPDATE u JOIN t ON t.id = u.id SET u.s = 'text'
SELECT s FROM u ORDER BY id
UPDATE u JOIN t ON t.id = u.id SET u.s = 7
SELECT s FROM u ORDER BY id
UPDATE u JOIN t ON t.id = u.id SET u.s = 1.50 + t.id
SELECT s FROM u ORDER BY id
UPDATE u JOIN t ON t.id = u.id SET u.s = 2 + t.id
SELECT s FROM u ORDER BY id
UPDATE u JOIN t ON t.id = u.id SET u.n = '17'
UPDATE u JOIN t ON t.id = u.id SET u.n = 17.5
SELECT n FROM u ORDER BY id
UPDATE u JOIN t ON t.id = u.id SET u.n = '1x'
UPDATE u JOIN t ON t.id = u.id SET u.n = 99999999999
UPDATE u JOIN t ON t.id = u.id SET u.n = TRUE
SELECT n FROM u ORDER BY id
UPDATE u JOIN t ON t.id = u.id SET u.s = DATE '2024-05-06'
UPDATE u JOIN t ON t.id = u.id SET u.s = TIMESTAMP '2024-05-06 01:02:03'
SELECT s FROM u ORDER BY id
INSERT INTO u (id, s) SELECT 20, ROUND(p, 2) FROM t WHERE id = 1 UNION SELECT 21, 'x'
INSERT INTO u (id, s) SELECT 22, ROUND(p, 3) FROM t WHERE id = 1 UNION SELECT 23, 5
SELECT * FROM u WHERE id >= 20 ORDER BY id
INSERT INTO u SELECT YEAR(d) + 1, COUNT(*), 4 FROM t WHERE d IS NOT NULL GROUP BY YEAR(d) + 1
INSERT INTO u SELECT YEAR(d) + 2, COUNT(*), 5 FROM t WHERE d IS NOT NULL GROUP BY YEAR(d) + 2
SELECT * FROM u WHERE id > 100 ORDER BY id
INSERT INTO u (id, n) SELECT q.id, 3 FROM t q WHERE id = 1 ON DUPLICATE KEY UPDATE u.n = u.n + 2 + VALUES(n)
INSERT INTO u (id, n) SELECT q.id, 4 FROM t q WHERE id = 1 ON DUPLICATE KEY UPDATE u.n = u.n + 3 + VALUES(n)
SELECT n FROM u WHERE id = 1
# VALUES with sub-queries, of one row and of several.
INSERT INTO u VALUES ((SELECT MAX(id) + 30 FROM t), 'k', 5), ((SELECT MAX(id) + 31 FROM t), 'l', 6)
INSERT INTO u VALUES ((SELECT MAX(id) + 32 FROM t), 'm', 7)
INSERT INTO u VALUES ((SELECT id + 33 FROM t ORDER BY 1 DESC LIMIT 1), 'n', 8), (36, 'o', 9)
SELECT * FROM u WHERE id BETWEEN 30 AND 40 ORDER BY id
INSERT INTO u VALUES ((SELECT MAX(id) + 40 FROM t), 'k'), ((SELECT MAX(id) + 41 FROM t), 'l')
INSERT INTO u (id, s) SELECT 1 FROM t
# Prepared, with parameters of other types each time.
PREPARE j FROM 'UPDATE u JOIN t ON t.id = u.id SET u.s = ?, u.n = ? WHERE t.id = ?'
SET @a = 5, @b = '6', @c = 1
EXECUTE j USING @a, @b, @c
SELECT s, n FROM u WHERE id = 1
SET @a = 'text', @b = 2.5, @c = '1'
EXECUTE j USING @a, @b, @c
SELECT s, n FROM u WHERE id = 1
SET @a = 1.50, @b = NULL, @c = 1.0
EXECUTE j USING @a, @b, @c
SELECT s, n FROM u WHERE id = 1
SET @a = NULL, @b = 3e0
EXECUTE j USING @a, @b, @c
SELECT s, n FROM u WHERE id = 1
SET @c = NULL
EXECUTE j USING @a, @b, @c
PREPARE i FROM 'INSERT INTO u (id, s, n) SELECT id + ?, ?, ? FROM t ORDER BY id LIMIT ?'
SET @a = 50, @b = 'first', @c = 7, @d = 1
EXECUTE i USING @a, @b, @c, @d
SET @a = 60, @b = 2.50, @c = '8', @d = 2
EXECUTE i USING @a, @b, @c, @d
SELECT * FROM u WHERE id > 50 AND id < 70 ORDER BY id
PREPARE d FROM 'DELETE u FROM u JOIN t ON t.id + ? = u.id WHERE u.s = ?'
SET @a = 50, @b = 'first'
EXECUTE d USING @a, @b
SET @a = 60, @b = 2.5
EXECUTE d USING @a, @b
SELECT id FROM u WHERE id > 50 AND id < 70 ORDER BY id
PREPARE w FROM 'DELETE FROM u WHERE id IN (SELECT id + ? FROM t) AND n > ? ORDER BY id LIMIT ?'
SET @a = 60, @b = 1, @c = 1
EXECUTE w USING @a, @b, @c
EXECUTE w USING @a, @b, @c
EXECUTE w USING @a, @b, @c
# Tables that have changed in between.
ALTER TABLE u ADD COLUMN z INT DEFAULT 3 FIRST
EXECUTE j USING @a, @b, @c
ALTER TABLE u DROP COLUMN n
EXECUTE j USING @a, @b, @c
ALTER TABLE u ADD COLUMN n BIGINT
EXECUTE j USING @a, @b, @c
SELECT s, n FROM u WHERE id = 1
DROP TABLE t
EXECUTE j USING @a, @b, @c
CREATE TABLE t (x INT, id INT)
INSERT INTO t VALUES (1, 2)
SET @c = 2
EXECUTE j USING @a, @b, @c
SELECT s, n FROM u WHERE id = 2
# A quotient is stored as it shows; in MariaDB with the digits that it was computed with.
CREATE TABLE quotients (id INT PRIMARY KEY, s VARCHAR(60), d DECIMAL(20,10), f DOUBLE)
INSERT INTO quotients VALUES (1, 7/3, 7/3, 7/3)
INSERT INTO quotients VALUES (2, (SELECT 7/3), (SELECT p/7 FROM t WHERE id = 1), 7/3 + 1)
INSERT INTO quotients SELECT id + 2, p/7, p/7, p/7 FROM t
INSERT INTO quotients SELECT 5, CONCAT(7/2, '|', 1/3), ROUND(7/3, 2), 7/3 FROM t WHERE id = 1
SELECT * FROM quotients ORDER BY id
=> 1 | 2.3333 | 2.3333000000 | 2.3333
INSERT INTO quotients SELECT DISTINCT id + 20, p/7, p/7, p/7 FROM t
INSERT INTO quotients SELECT id + 6, p/7, p/7, p/7 FROM t GROUP BY p
INSERT INTO quotients SELECT 9, 7/3, 7/3, 7/3 UNION ALL SELECT 10, 1, 1, 1
UPDATE quotients q JOIN t ON t.id = q.id SET q.s = 7/2, q.d = t.p/3, q.f = t.p/3
UPDATE quotients SET s = (SELECT 22/7), d = (SELECT 22/7 FROM t WHERE t.id = 1) WHERE id = 3
SELECT * FROM quotients ORDER BY id
=> 1 | 2.3333 | 2.3333000000 | 2.3333
=> 9 | 2.3333 | 2.3333000000 | 2.3333
=> 10 | 1.0000 | 1.0000000000 | 1
# Literals of hexadecimal digits are numbers to a column of numbers, and bytes to others.
INSERT INTO u VALUES (20, 0x41, 0x41), (21, x'42', 0x0102)
INSERT INTO u SELECT 22, 0x43, 0x43 FROM t WHERE id = 1
UPDATE u SET n = 0x44, s = 0x44 WHERE id = 20
UPDATE u JOIN t ON t.id = u.id SET u.n = 0x45, u.s = 0x45
UPDATE u SET n = 0x41424344454647 WHERE id = 20
INSERT INTO u VALUES (20, 'x', 1) ON DUPLICATE KEY UPDATE n = 0x46
SELECT id, s, n FROM u WHERE id < 3 OR id >= 20 ORDER BY id
# A default over other columns, of a row that a query finds or gives.
CREATE TABLE late (id INT PRIMARY KEY, n INT DEFAULT 3, k INT DEFAULT (n + 5), m INT NOT NULL)
INSERT INTO late VALUES (1, 1, 1, 1), (2, 2, 2, 2)
UPDATE late JOIN t ON t.id = late.id SET late.k = DEFAULT
SELECT * FROM late ORDER BY id
UPDATE late JOIN t ON t.id = late.id SET late.n = 100, late.k = DEFAULT
SELECT * FROM late ORDER BY id
UPDATE late SET n = (SELECT COUNT(*) FROM t), k = DEFAULT, m = 9 WHERE id = 1
SELECT * FROM late ORDER BY id
UPDATE late SET k = DEFAULT, n = (SELECT 50 + COUNT(*) FROM t) WHERE id = 2
SELECT * FROM late ORDER BY id
INSERT INTO late VALUES (3, DEFAULT, DEFAULT, (SELECT COUNT(*) FROM t)), (4, (SELECT 7), DEFAULT, 4), (5, DEFAULT, (SELECT 8), 5)
INSERT INTO late (m, id, k) VALUES ((SELECT 6), 6, DEFAULT)
INSERT INTO late VALUES (7, 1, (SELECT 5), DEFAULT)
INSERT INTO late VALUES (DEFAULT, (SELECT 5), 1, 1)
REPLACE INTO late VALUES (3, DEFAULT, DEFAULT, (SELECT 33))
INSERT INTO late VALUES (3, DEFAULT, 0, (SELECT 1)) ON DUPLICATE KEY UPDATE k = DEFAULT, n = 1
SELECT * FROM late ORDER BY id
