# Literals of hexadecimal digits and bits: numbers to whoever wants a number, bytes to others
CREATE TABLE hx (id INT PRIMARY KEY, n INT, u BIGINT UNSIGNED, d DECIMAL(10,2), f DOUBLE, s VARCHAR(10), b VARBINARY(10), y YEAR, dt DATE)
# 1. A row of VALUES: error 1366 in strict mode
INSERT INTO hx (id, n) VALUES (1, 0x41)
INSERT INTO hx (id, n) VALUES (3, b'1')
INSERT INTO hx (id, n) VALUES (4, 0b101)
INSERT INTO hx (id, u) VALUES (5, 0xFFFFFFFFFFFFFFFF)
INSERT INTO hx (id, d) VALUES (6, 0x41), (7, 0x4142), (8, 7)
INSERT INTO hx (id, f) VALUES (9, 0x41)
INSERT INTO hx (id, s, b) VALUES (10, 0x41, 0x4142), (11, b'1000001', b'100000101000010'), (12, 'x', NULL)
INSERT INTO hx (id, y) VALUES (13, 0x41)
INSERT INTO hx (id, dt) VALUES (14, 0x41)
INSERT INTO hx (id, n) VALUES (0x0e, 0x41), (0x0f, 7)
INSERT INTO hx SET id = 16, n = 0x41, s = 0x41
INSERT INTO hx (id, n) VALUES (17, 0x41 + 1), (18, -0x41), (19, (0x41)), (20, IF(0x0, 1, 2))
INSERT INTO hx (id, n) VALUES (1, 1) ON DUPLICATE KEY UPDATE n = 0x50, s = 0x50
INSERT INTO hx (id, n) VALUES (1, 0x51) ON DUPLICATE KEY UPDATE n = VALUES(n) + 0x1
REPLACE INTO hx (id, n, s) VALUES (21, 0x51, 0x51)
INSERT IGNORE INTO hx (id, n) VALUES (22, 0x4142434445464748)
INSERT INTO hx (id, u) VALUES (23, 0x0042434445464748)
INSERT INTO hx (id, n) SELECT 24, b'1111'
UPDATE hx SET n = 0x42 WHERE id = 0x1
UPDATE hx SET n = b'11' WHERE id = b'11'
UPDATE hx SET s = b'1000010', b = 0x43 WHERE id = 10
SELECT * FROM hx ORDER BY id
# MariaDB takes x'41' for bytes alone, MySQL 8 as 0x41
INSERT INTO hx (id, n) VALUES (30, x'41')
=> ok
UPDATE hx SET n = n + x'01' WHERE id = 30
=> ok
SELECT n FROM hx WHERE id = 30 AND n = x'42'
=> 66
DELETE FROM hx WHERE id = 30
=> ok
CREATE TABLE hz (id INT PRIMARY KEY, t TEXT, c CHAR(3), bn BINARY(4), bl BLOB)
INSERT INTO hz (id, t) VALUES (22, IF(1, 0x41, 0x42)), (23, HEX(0x41)), (24, 0x41 = 'A'), (25, 0x41 = 65), (26, 0x41 IN (65, 66)), (27, 0x41 LIKE 'A'), (28, 0x41 BETWEEN 60 AND 70), (29, CONCAT(0x41, b'1000010'))
INSERT INTO hz (id, c, bn, bl) VALUES (9, 0x414243, 0x01, 0x00FF), (10, 0x4142, 0x0102, ''), (11, 'a', NULL, X'')
INSERT INTO hz (id, t) VALUES (13, 0xFF)
SELECT id, t, c, HEX(bn), HEX(bl) FROM hz ORDER BY id
# 2. Prepared
PREPARE a FROM 'INSERT INTO hx (id, n, s) VALUES (?, 0x41, ?), (?, b\'11\', 0x42)'
SET @a = 40, @b = 'text', @c = 41
EXECUTE a USING @a, @b, @c
PREPARE a FROM 'UPDATE hx SET n = 0x43, s = 0x43 WHERE id = ?'
EXECUTE a USING @a
SELECT id, n, s FROM hx WHERE id >= 40 ORDER BY id
# 3. b'1' was a number wherever it stood
SELECT b'1000001', b'1000001' + 0, 0x41, 0x41 + 0, HEX(b'1000001'), b'', HEX(b'101000001')
SELECT CONCAT(b'1000001', 0x42), LENGTH(b'1'), IF(b'0', 1, 2), MAX(0x41), -b'11', b'1' | 2, 0b11 + 1 AS c
SELECT CAST(b'1' AS UNSIGNED), CAST(0x41 AS SIGNED), CAST(0x41 AS CHAR), b'1' = 1, b'1000001' = 'A', b'101' IN (5), b'101' BETWEEN 1 AND 6
SELECT id FROM hx WHERE n = 0x41 ORDER BY id
SELECT id FROM hx WHERE s = 0x42 ORDER BY id
SELECT id FROM hx WHERE s = b'1000011' ORDER BY id
SELECT id FROM hx WHERE n IN (0x42, b'11') ORDER BY id
SELECT COUNT(*) FROM hx WHERE n & b'10'
# 4. Defaults: error 1067
CREATE TABLE hb (f TINYINT DEFAULT 0x5, g INT DEFAULT b'101', h TINYINT(1) NOT NULL DEFAULT b'0', c CHAR(2) DEFAULT 0x41)
INSERT INTO hb VALUES ()
ALTER TABLE hb ADD COLUMN k INT DEFAULT 0x41
INSERT INTO hb (f) VALUES (b'11')
SELECT * FROM hb ORDER BY f
# Bits of doubles: halves are rounded to the even number, of at most a BIGINT. In MariaDB operators round them away
# from 0; the answers are those of MySQL 9.7
CREATE TABLE bd (id INT PRIMARY KEY, x DOUBLE, f FLOAT, n DECIMAL(30,2))
INSERT INTO bd VALUES (1, 1.5, 1.5, 1.5), (2, 2.5, 2.5, 2.5), (3, -1.5, -1.5, -1.5), (4, 1e19, 1e19, 1e19), (5, -1e30, -1e30, -5), (6, NULL, NULL, NULL), (7, 1e30, 3e10, 0.5)
SELECT id, BIT_OR(x), BIT_AND(x), BIT_XOR(x), BIT_OR(f), BIT_OR(n) FROM bd GROUP BY id ORDER BY id
SELECT BIT_OR(x), BIT_AND(x), BIT_XOR(x) FROM bd
SELECT BIT_OR(x), BIT_AND(x), BIT_XOR(x), BIT_OR(f), BIT_OR(n) FROM bd WHERE id < 3
SELECT id, x | 0, x & 7, x ^ 1, ~x, BIT_COUNT(x), n | 0 FROM bd ORDER BY id
=> 1 | 2 | 2 | 3 | 18446744073709551613 | 1 | 2
=> 2 | 2 | 2 | 3 | 18446744073709551613 | 1 | 3
=> 3 | 18446744073709551614 | 6 | 18446744073709551615 | 1 | 63 | 18446744073709551614
=> 4 | 9223372036854775807 | 7 | 9223372036854775806 | 9223372036854775808 | 63 | 9223372036854775807
=> 5 | 9223372036854775808 | 0 | 9223372036854775809 | 9223372036854775807 | 1 | 18446744073709551611
=> 6 | NULL | NULL | NULL | NULL | NULL | NULL
=> 7 | 9223372036854775807 | 7 | 9223372036854775806 | 9223372036854775808 | 63 | 1
SELECT 2.5e0 | 0, 0.5e0 | 0, -2.5e0 | 0, 2.5e0 << 1, BIT_COUNT(2.5e0), ~2.5e0, 2.5 | 0
=> 2 | 0 | 18446744073709551614 | 4 | 1 | 18446744073709551613 | 3
# A number with a point is no position, one in brackets or with a plus is
SELECT id FROM bd ORDER BY 1.5, id DESC
SELECT id FROM bd ORDER BY 1e0, id DESC
SELECT id, x FROM bd ORDER BY 2.0, id
SELECT id FROM bd ORDER BY (1) DESC
SELECT id, x FROM bd ORDER BY +2 DESC, id DESC
SELECT id FROM bd ORDER BY 2
SELECT id FROM bd UNION SELECT 9 ORDER BY (1) DESC
SELECT id > 3, COUNT(*) FROM bd GROUP BY (1) ORDER BY 1
SELECT COUNT(*) FROM bd GROUP BY 1.5
