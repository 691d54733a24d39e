# judges: mysql
# FLOAT and DOUBLE with a number of digits behind the point: columns, and what is computed of them
~CREATE TABLE t (id INT PRIMARY KEY, f FLOAT(7,2), d DOUBLE(8,3), g FLOAT, h DOUBLE, i INT, n DECIMAL(5,1))
# 1. Stored: rounded behind the point, 1264 out of range
INSERT INTO t VALUES (1, 1.555, 2.3455, 1.5, 2.5, 3, 4.5), (2, 99999.994, 12345.6789, 1.25, 2.75, 7, 4.5)
INSERT INTO t (id, f) VALUES (3, 99999.999)
INSERT INTO t (id, d) VALUES (3, 100000)
INSERT INTO t (id, d) VALUES (3, -99999.9996)
INSERT INTO t (id, f, d) VALUES (4, '1.005', '2.0005'), (5, 0, -0.0004)
INSERT IGNORE INTO t (id, f, d) VALUES (6, 1e10, -1e10), (7, '1.239x', 'x')
SELECT * FROM t ORDER BY id
~CREATE TABLE wide (a FLOAT(255,30), b DOUBLE(255,30), c DOUBLE(3,0), d REAL(5,2), e DOUBLE PRECISION(6,3), u FLOAT(6,2) UNSIGNED)
INSERT INTO wide VALUES (1.123456789, 1e200, 12.5, 1.5, 2, 3)
INSERT INTO wide (c) VALUES (999.6)
INSERT INTO wide (u) VALUES (-1)
SELECT * FROM wide
# 2. Computed
SELECT f + 1, d + 1, d * 2, d / 3, d + n, d + i, -d, ABS(d), d + h, f + d, d * d, d * n, d % 2, d DIV 1 FROM t ORDER BY id
SELECT SUM(f), SUM(d), AVG(f), AVG(d), MIN(f), MAX(d), STD(d), SUM(g), SUM(h) FROM t
SELECT IF(1, d, f), IF(1, d, 1), IF(1, d, h), IFNULL(d, n), COALESCE(d, i), CASE WHEN 1 THEN d ELSE f END, NULLIF(d, 1), GREATEST(d, f), LEAST(d, n), GREATEST(d, h) FROM t ORDER BY id
SELECT ROUND(d, 2), ROUND(h, 2), ROUND(d), TRUNCATE(d, 1), FLOOR(d), CEILING(d) FROM t ORDER BY id
SELECT d FROM t UNION SELECT f FROM t
SELECT d FROM t UNION SELECT 1.5e0
SELECT x, x + 1 FROM (SELECT d x FROM t UNION ALL SELECT 7) y
SELECT (SELECT f FROM t LIMIT 1), (SELECT d FROM t ORDER BY id LIMIT 1) + 1, (SELECT MAX(d) FROM t)
SELECT LAG(f) OVER (ORDER BY id), SUM(f) OVER (ORDER BY id), AVG(d) OVER (ORDER BY id), FIRST_VALUE(d) OVER (ORDER BY id) FROM t
SELECT CONCAT(d, ''), CONCAT(f, ''), CAST(d AS CHAR), LENGTH(d), CONCAT(IF(1, d, f)), GROUP_CONCAT(d), d LIKE '2.345%' FROM t GROUP BY id, d, f ORDER BY id
SELECT CAST(f AS DECIMAL(10,4)), CAST(d AS DECIMAL(10,5)), CAST(f AS SIGNED), CAST(f AS DOUBLE), FORMAT(d, 2), JSON_ARRAY(d) FROM t ORDER BY id
SELECT d, COUNT(*) FROM t GROUP BY d ORDER BY d
SELECT id FROM t WHERE d > 2 ORDER BY id
SELECT id FROM t WHERE d = 12345.679
SELECT id FROM t WHERE f = 1.55
SELECT id FROM t WHERE f = '1.55'
SELECT id FROM t WHERE f BETWEEN 1.55 AND 1.55
SELECT id FROM t WHERE f >= 1.55 ORDER BY id
SELECT id FROM t WHERE f > 1.55 ORDER BY id
SELECT id FROM t WHERE f = 1.552
SELECT f FROM t GROUP BY f HAVING f = 1.55
# 3. PI
SELECT PI(), PI() + 0, PI() * 2, PI() + 0.0000000001, PI() * 1e0, -PI(), ABS(PI()), ROUND(PI(), 2), DEGREES(PI()), PI() / 2
SELECT CONCAT(PI()), IF(1, PI(), 1), GREATEST(PI(), 3), CAST(PI() AS CHAR), CAST(PI() AS DECIMAL(20,15)), PI() LIKE '3.141593', SUM(PI()), AVG(PI()), LEAST(PI(), 4e0), PI() = 3.141592653589793
# 4. Definitions
CREATE TABLE e (d DOUBLE(5,6))
CREATE TABLE e (d DOUBLE(256,3))
CREATE TABLE e (d FLOAT(256,3))
CREATE TABLE e (d DOUBLE(10,31))
CREATE TABLE e (d FLOAT(54))
CREATE TABLE e (d DOUBLE(5))
~CREATE TABLE e (a FLOAT(53), b FLOAT(24), c FLOAT(25), d FLOAT(0), e FLOAT(7,2), f REAL(5,2))
SELECT column_name AS c, column_type AS t, numeric_precision AS p, numeric_scale AS s FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'e' ORDER BY ordinal_position
# MySQL warns that digits are deprecated (1681); this server says nothing of the kind
~CREATE TABLE made AS SELECT f, d, d + 1 a, PI() p, SUM(d) s, AVG(d) v, d / 3 q, ROUND(h, 2) r, MAX(f) m FROM t GROUP BY id
SELECT column_name AS c, column_type AS t FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'made' ORDER BY ordinal_position
# 5. ALTER changes how many digits are shown, and no number
~ALTER TABLE t MODIFY d DOUBLE(8,1)
SELECT d FROM t ORDER BY id
ALTER TABLE t MODIFY d DOUBLE
SELECT d FROM t ORDER BY id
~ALTER TABLE t MODIFY f FLOAT(4,2)
~ALTER TABLE t MODIFY h DOUBLE(5,1)
SELECT f, h FROM t ORDER BY id
UPDATE t SET h = h * 1.26, f = f / 3
SELECT f, h FROM t ORDER BY id
UPDATE t SET h = 10000
# 6. What is below 0, in a condition
~CREATE TABLE below (a FLOAT(5,2), b FLOAT(5,2) UNSIGNED, KEY (a))
~INSERT INTO below VALUES (999.99,1),(-999.99,1.55),(-99.99,1.1),(-1.55,0),(1.55,2)
SELECT a FROM below WHERE a = -99.99
SELECT a FROM below WHERE a = -1.55
SELECT a FROM below WHERE a > -1.55 ORDER BY a
SELECT a FROM below WHERE a <= -999.99
SELECT a FROM below WHERE a = -99.99e0
SELECT a FROM below WHERE -1.55 = a
SELECT a FROM below WHERE a = -(1.55)
SELECT a FROM below WHERE a = 1.5 + 0.05
SELECT a FROM below WHERE a <> -1.55 ORDER BY a
