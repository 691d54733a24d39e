# judges: mysql
# What a sub-query gives beside values of other types
SET time_zone = '+00:00', timestamp = UNIX_TIMESTAMP('2015-04-13 05:00:00')
CREATE TABLE t (id INT PRIMARY KEY, c TIME, n TIME NOT NULL)
INSERT INTO t VALUES (1, '10:22:33', '10:22:33'), (2, '33:22:33', '33:22:33'), (3, '00:00:00', '00:00:00')
CREATE TABLE m (id INT PRIMARY KEY, c DATETIME, n DATETIME(3) NOT NULL, d DATE, s TIMESTAMP NULL)
INSERT INTO m VALUES (1, '2015-04-13 10:22:33', '2015-04-13 10:22:33.000', '2015-04-13', '2015-04-13 10:22:33'), (2, '2015-04-14 09:22:33', '2015-04-14 09:22:33.5', '2020-01-01', NULL)
# A time of day beside days and moments is one of today, on either side of IN, ANY and ALL
SELECT id FROM t WHERE c IN (SELECT c FROM m) ORDER BY id
SELECT id FROM t WHERE n IN (SELECT n FROM m) ORDER BY id
SELECT id FROM t WHERE n NOT IN (SELECT n FROM m) ORDER BY id
SELECT id FROM t WHERE c IN (SELECT d FROM m) ORDER BY id
SELECT id FROM t WHERE c IN (SELECT s FROM m) ORDER BY id
SELECT id FROM m WHERE c IN (SELECT c FROM t) ORDER BY id
SELECT id FROM m WHERE n NOT IN (SELECT n FROM t) ORDER BY id
SELECT id FROM m WHERE d IN (SELECT c FROM t) ORDER BY id
SELECT id FROM m WHERE (c, 1) IN (SELECT c, 1 FROM t) ORDER BY id
SELECT id FROM m WHERE c = ANY (SELECT c FROM t UNION SELECT n FROM t) ORDER BY id
SELECT id FROM m WHERE c IN (SELECT MAX(c) FROM t GROUP BY id) ORDER BY id
SELECT id, c IN (SELECT c FROM t) FROM m ORDER BY id
SELECT id FROM t GROUP BY id, c HAVING c IN (SELECT c FROM m) ORDER BY id
DELETE FROM m WHERE c IN (SELECT c FROM t WHERE id = 2)
SELECT id FROM m
# A sub-query of an ENUM or SET is a text, of which a number is made as of one
CREATE TABLE e (i INT PRIMARY KEY, e ENUM('a', '1', '2015'), s SET('a', '1'))
INSERT INTO e VALUES (1, 'a', 'a'), (2, '1', '1'), (3, '2015', 'a,1')
SELECT (SELECT e FROM e WHERE i = 3) + 0, (SELECT s FROM e WHERE i = 2) + 0, ABS((SELECT e FROM e WHERE i = 3))
SELECT i, i = (SELECT e FROM e x WHERE x.i = e.i) FROM e ORDER BY i
SELECT (SELECT e FROM e WHERE i = 3) = 2015, (SELECT e FROM e WHERE i = 3) = 3, (SELECT e FROM e WHERE i = 3) = '2015'
SELECT (SELECT e FROM e WHERE i = 3) IN (2015), (SELECT e FROM e WHERE i = 3) BETWEEN 2000 AND 2020
SELECT i FROM e ORDER BY (SELECT e FROM e x WHERE x.i = e.i)
CREATE TABLE made AS SELECT (SELECT e FROM e LIMIT 1) AS q, (SELECT s FROM e LIMIT 1) AS r
SELECT column_name, column_type FROM information_schema.columns WHERE table_name = 'made' ORDER BY column_name
# Brackets that say nothing are not there
(SELECT i, e AS c FROM e) ORDER BY s, i
(SELECT i FROM e) ORDER BY s DESC LIMIT 1
((SELECT i FROM e)) ORDER BY e, i
(SELECT i FROM e LIMIT 2) ORDER BY e
SELECT * FROM ((SELECT i FROM e) ORDER BY s DESC LIMIT 2) q ORDER BY i
(SELECT i FROM e) ORDER BY MAX(i)
# A number that is no constant is compared with days, moments and times of day as with the numbers of their digits
CREATE TABLE n (i INT, bi BIGINT, d DATETIME, de DECIMAL(20, 2), db DOUBLE, y YEAR, dt DATE, t TIME, f DATETIME(2))
INSERT INTO n VALUES (20150413, 20150413102233, '2015-04-13', 102233, 102233, 2015, '2015-01-01', '10:22:33', '2015-04-13 10:22:33'), (20150413, 20150413000000, '2015-04-13 10:22:33', 20150413, 20150413, 2015, '2015-04-13', '20:15:00', '2015-04-13 10:22:33.5')
SELECT i = d, d = i, i < d, bi = d, db = d, i + 0 = d, d = i + 0, i <=> d, bi = f, f > bi FROM n
SELECT d = 20150413, d = 20150413.0, d = 2.0150413e7, d IN (20150413, 1), d BETWEEN 20150413 AND 20150414 FROM n
SELECT de = t, db = t, t = de, bi = t, i = t, de IN (t), t IN (de), t = 102233 FROM n
SELECT i IN (d), d IN (i), i IN (d, 1), d IN (i, 1), d BETWEEN i AND i, i BETWEEN d AND d, i BETWEEN dt AND dt, dt BETWEEN i AND i, t BETWEEN de AND de FROM n
SELECT y = dt, dt = y, y = t, t = y, dt = i, i = dt FROM n
SELECT IF(d = i, 1, 0), COALESCE(d) = i, DATE(d) = i, i = DATE_ADD(d, INTERVAL 0 DAY) FROM n
SELECT COUNT(*) FROM n a JOIN n b ON a.i = b.d
SELECT COUNT(*) FROM n a JOIN n b ON a.i = b.dt
SELECT d = (SELECT MAX(i) FROM n), dt = (SELECT MAX(i) FROM n), d = (SELECT 20150413) FROM n
SELECT i FROM n WHERE d IN (SELECT i FROM n)
SELECT dt FROM n WHERE dt IN (SELECT i FROM n)
SELECT COUNT(*) FROM n WHERE i IN (SELECT d FROM n)
SELECT COUNT(*) FROM n WHERE i IN (SELECT dt FROM n)
SELECT COUNT(*) FROM n WHERE EXISTS (SELECT 1 FROM n x WHERE x.i = n.d)
SELECT 20150413 IN (SELECT d FROM n), 20150413 = ANY (SELECT d FROM n), 20150413 NOT IN (SELECT d FROM n)
SET @n = 20150413
SELECT d = @n, dt = @n FROM n
# A time of day that a sub-query gives is a text beside texts that differ from row to row
CREATE TABLE v (id INT PRIMARY KEY, v VARCHAR(30))
INSERT INTO v VALUES (1, '10:22:33'), (2, '2015-04-13 10:22:33'), (3, '102233')
SELECT id FROM v WHERE v IN (SELECT c FROM t) ORDER BY id
SELECT id FROM v WHERE v = ANY (SELECT c FROM t UNION SELECT c FROM t) ORDER BY id
SELECT '10:22:33' IN (SELECT c FROM t), '102233' IN (SELECT c FROM t)
# A day that is the same for all rows is its year beside a YEAR
SELECT y = DATE'2015-01-01', y < DATE'2016-05-05' FROM n
# VALUES as a sub-query, and rows of it that are none
SELECT 1 = ANY (VALUES ROW(1), ROW(2)), 3 > ALL (VALUES ROW(1), ROW(2)), 1 <> SOME ( VALUES ROW(1)), 5 IN (VALUES ROW(5))
SELECT id FROM v WHERE id >= ALL (VALUES ROW((1 + 1)), ROW(3)) UNION ALL (VALUES ROW(7))
VALUES ROW()
SELECT * FROM (VALUES ROW()) q
VALUES ROW(1, 10), ROW(2)
