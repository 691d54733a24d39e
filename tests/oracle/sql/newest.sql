# judges: mysql
# What MySQL 9.7 answers otherwise than MariaDB, or alone
CREATE TABLE t (id INT PRIMARY KEY, a INT, s VARCHAR(20))
INSERT INTO t VALUES (65,1,'A'),(1,2,'b'),(3,NULL,'c')
# 1. A rollup over no rows has the sum over all
SELECT a, COUNT(*) FROM t WHERE id > 1000 GROUP BY a WITH ROLLUP
SELECT a, s, SUM(id) FROM t WHERE FALSE GROUP BY a, s WITH ROLLUP
SELECT a, s, SUM(DISTINCT id), COUNT(DISTINCT s) FROM t WHERE id > 1000 GROUP BY a, s WITH ROLLUP
SELECT a, GROUP_CONCAT(id) FROM t WHERE id > 1000 GROUP BY a WITH ROLLUP HAVING COUNT(*) = 0
SELECT 7, a + 1, COUNT(*) FROM t WHERE id > 1000 GROUP BY a WITH ROLLUP
SELECT COUNT(*) FROM (SELECT a, COUNT(*) FROM t WHERE FALSE GROUP BY a WITH ROLLUP) q
# 2. A sub-query of a literal of digits is that literal
SELECT * FROM t WHERE id = (SELECT 0x41)
SELECT id FROM t WHERE id IN (SELECT 0x41)
SELECT id FROM t WHERE id > ALL (SELECT 0x40)
SELECT id FROM t WHERE s = (SELECT 0x41)
SELECT (SELECT 0x41) + 0, (SELECT 0x41) = 65, (SELECT b'1000001') + 0, 0x2 MOD 7, 7 MOD 0x2
# 3. TABLE
TABLE t ORDER BY id LIMIT 2
TABLE t ORDER BY id DESC LIMIT 1, 1
# 4. The time as a default of any type, in brackets
SET timestamp = 1700000000
CREATE TABLE v (b INT, a VARCHAR(30) DEFAULT (NOW()), c CHAR(40) DEFAULT (CURRENT_TIMESTAMP(3)), d BIGINT DEFAULT (NOW()))
INSERT INTO v (b) VALUES (1)
SELECT * FROM v
CREATE TABLE w (a VARCHAR(30) DEFAULT NOW())
# 5. A number that a statement assigns to a text has as many digits as there is room for, a YEAR no zeros
CREATE TABLE f (id INT PRIMARY KEY, a FLOAT, d DOUBLE, y YEAR)
INSERT INTO f VALUES (1, 0.1, 0.1, 0), (2, 3.14159, 123456.789, 2024), (3, 1e10, 2e7, 1999), (4, -2.25, -2.25, 2000)
CREATE TABLE g (id INT PRIMARY KEY, b VARCHAR(30), c VARCHAR(12), e CHAR(4), t TEXT)
INSERT INTO g SELECT id, a, a, a, a FROM f
SELECT * FROM g
UPDATE g, f SET b = d, c = d, e = d, t = d WHERE g.id = f.id
SELECT * FROM g
UPDATE g, f SET b = y, c = y, e = y, t = y WHERE g.id = f.id
SELECT * FROM g
INSERT INTO g VALUES (9, 1.23456789e0, 123456.789123456e0, 2.25e0, 1e20), (10, 1e-10, 1e-10, 1e-5, 1e-10)
INSERT INTO g VALUES (11, 123456789e0, 123456789e0, 9999e0, 1e15), (12, 0, 0, 99999e0, 0)
SELECT * FROM g WHERE id > 8
# 6. A time of day that ALTER makes a day is today's
CREATE TABLE m (id INT PRIMARY KEY, a TIME, b TIME(3), c TIME)
INSERT INTO m VALUES (1, '10:11:12', '-00:00:00.5', '10:11:12')
ALTER TABLE m MODIFY a DATETIME, MODIFY b TIMESTAMP(3), MODIFY c DATE
SELECT * FROM m
# 7. VARCHAR is as long as its character set allows
CREATE TABLE l1 (a VARCHAR(64000)) CHARSET latin1
CREATE TABLE l2 (a VARCHAR(64000) CHARACTER SET ascii)
CREATE TABLE l3 (a VARCHAR(64000) COLLATE latin1_bin)
CREATE TABLE l5 (a VARCHAR(21846)) CHARSET utf8mb3
CREATE TABLE l6 (a VARCHAR(16384)) CHARSET utf8mb4
CREATE TABLE l7 (a VARCHAR(16384))
INSERT INTO l1 VALUES (REPEAT('a', 64000))
INSERT INTO l1 VALUES (REPEAT('a', 64001))
SELECT LENGTH(a) FROM l1
# 6. What is below 0 of a literal of digits is a DOUBLE
SELECT -0x2, -b'11', -x'02', -0xffffffffffffffff, -0x8000000000000000, -(0x2), -0x2 + 0, -(-0x2), 0x2 + 0
# 7. Of a text in a column bits are those of a BIGINT, of one that is computed all 64
CREATE TABLE bt (id INT PRIMARY KEY, v VARCHAR(40))
INSERT INTO bt VALUES (1, '12345678901234567890'), (2, '1e2'), (3, '-3x'), (4, '99999999999999999999999'), (5, '-99999999999999999999')
SELECT v << 2, v >> 1, v | 0, v & 255, v ^ 1, ~v, BIT_COUNT(v), CONCAT(v) | 0, BIT_COUNT(CONCAT(v)) FROM bt ORDER BY id
SELECT BIT_OR(v), BIT_XOR(v), BIT_OR(CONCAT(v)) FROM bt WHERE id = 1
SELECT '12345678901234567890' | 0, '12345678901234567890' << 2, BIT_COUNT('12345678901234567890')
# 8. Bytes that insist on nothing are text beside a column of text
SELECT IF(1, UNHEX('41'), v) = 'a', COALESCE(UNHEX('41'), v), IF(1, x'41', v), IF(1, CAST(v AS BINARY), v), IF(1, x'41', 'b'), GREATEST(UNHEX('41'), v) FROM bt WHERE id = 1
SELECT v FROM bt WHERE id = 2 UNION SELECT UNHEX('41')
# 9. BETWEEN with a number that is NULL compares numbers
CREATE TABLE bw (s VARCHAR(5), b INT)
INSERT INTO bw VALUES ('A', NULL), ('A', 1), ('2', NULL), ('2', 1), (NULL, 1)
SELECT s BETWEEN b AND '12', 1 XOR (s BETWEEN b AND '12'), s BETWEEN '1' AND b, s NOT BETWEEN b AND '1', 'A' BETWEEN NULL AND '12' FROM bw
