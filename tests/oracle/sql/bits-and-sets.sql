# BIT and SET: what is stored, what they are among numbers and texts, how they are found, ordered and grouped.
# judges: mariadb mysql
CREATE TABLE t (id INT PRIMARY KEY, b BIT(9), w BIT(64), f BIT, s SET('x','y','z') DEFAULT 'z,x', KEY (b), KEY (s)) CHARSET utf8mb4 COLLATE utf8mb4_general_ci
INSERT INTO t VALUES (1, 65, 1, 1, 'x'), (2, 300, 0xFFFFFFFFFFFFFFFF, b'0', 'z,x'), (3, NULL, NULL, NULL, NULL), (4, 0, 0, FALSE, ''), (5, b'1', 'ABCDEFGH', TRUE, 2), (6, 'A', 18446744073709551615, b'1', 7), (7, 511, 42, 0, 'x,x')
INSERT INTO t (id) VALUES (8)
SELECT id, HEX(b), HEX(w), HEX(f), s FROM t
# Members in any order, twice, by number; not by what is none.
UPDATE t SET s = 'y,X' WHERE id = 8
UPDATE t SET s = 'no' WHERE id = 8
UPDATE t SET s = 'x,no' WHERE id = 8
UPDATE t SET s = ' x' WHERE id = 8
UPDATE t SET s = 'x,,y' WHERE id = 8
UPDATE t SET s = '8' WHERE id = 8
UPDATE t SET s = 8 WHERE id = 8
UPDATE t SET s = -1 WHERE id = 8
UPDATE t SET s = '1.7' WHERE id = 8
UPDATE t SET s = 0x01 WHERE id = 8
SELECT s, s + 0 FROM t WHERE id = 8
UPDATE t SET s = 1.7 WHERE id = 8
SELECT s FROM t WHERE id = 8
UPDATE t SET s = '6' WHERE id = 8
SELECT s FROM t WHERE id = 8
# What has too many bits is refused.
UPDATE t SET b = 512 WHERE id = 8
UPDATE t SET b = -1 WHERE id = 8
UPDATE t SET b = 'ABC' WHERE id = 8
UPDATE t SET f = '1' WHERE id = 8
UPDATE t SET f = 2 WHERE id = 8
UPDATE t SET b = CURRENT_DATE WHERE id = 8
UPDATE t SET w = -1, b = 2.5 WHERE id = 8
SELECT HEX(w), HEX(b) FROM t WHERE id = 8
UPDATE t SET b = 2.5e0 WHERE id = 8
SELECT HEX(b) FROM t WHERE id = 8
UPDATE t SET b = '' WHERE id = 8
SELECT HEX(b) FROM t WHERE id = 8
DELETE FROM t WHERE id = 8
# Without strict mode the nearest value is taken.
SET sql_mode = ''
INSERT INTO t VALUES (8, 512, -1, 2, 'no,y'), (9, 'ABC', 1, 1, 13)
SELECT HEX(b), HEX(w), HEX(f), s FROM t WHERE id > 7
DELETE FROM t WHERE id > 7
SET sql_mode = DEFAULT
# Conditions.
SELECT id FROM t WHERE b = 65
# By an index MySQL and MariaDB find the bytes '65', which no condition without one does.
~ SELECT id FROM t WHERE b = '65'
SELECT id FROM t IGNORE INDEX (b) WHERE b = '65'
SELECT id FROM t WHERE b = 0x41
SELECT id FROM t WHERE b = b'1000001'
SELECT id FROM t WHERE b > 65
SELECT id FROM t WHERE b >= 300 AND b < 511
SELECT id FROM t WHERE b < 1.5
SELECT id FROM t WHERE b > 511
SELECT id FROM t WHERE b BETWEEN 1 AND 65
SELECT id FROM t WHERE b IN (1, 65, 1000)
SELECT id FROM t WHERE b
SELECT id FROM t WHERE NOT b
SELECT id FROM t WHERE f = TRUE
SELECT id FROM t WHERE f IS FALSE
SELECT id FROM t WHERE b & 1
SELECT id FROM t WHERE b <=> NULL
SELECT id FROM t WHERE s = 'x,z'
# By an index MySQL finds what would be stored, which is another text.
~ SELECT id FROM t WHERE s = 'z,x'
SELECT id FROM t IGNORE INDEX (s) WHERE s = 'z,x'
SELECT id FROM t WHERE s = 'X'
SELECT id FROM t WHERE s = 5
~ SELECT id FROM t WHERE s = '5'
SELECT id FROM t IGNORE INDEX (s) WHERE s = '5'
SELECT id FROM t WHERE s = ''
SELECT id FROM t WHERE s = 0
SELECT id FROM t WHERE s IN ('x', 'x,y,z', 'no')
SELECT id FROM t WHERE s IN (1, 2)
SELECT id FROM t WHERE s > 'x'
SELECT id FROM t WHERE s > 4
SELECT id FROM t WHERE s BETWEEN 1 AND 2
SELECT id FROM t WHERE s LIKE '%y%'
SELECT id FROM t WHERE FIND_IN_SET('z', s)
SELECT id FROM t WHERE FIND_IN_SET('y', s) > 0 AND s <> 'y'
SELECT id FROM t WHERE s & 4
SELECT id FROM t WHERE s
SELECT id FROM t WHERE s <> ''
SELECT id FROM t WHERE s REGEXP '^x'
SELECT id FROM t WHERE (b, s) IN ((65, 'x'), (300, 'x,z'))
SELECT id FROM t WHERE s = (SELECT u.s FROM t u WHERE u.id = 7)
SELECT id FROM t WHERE b IN (SELECT u.b FROM t u WHERE u.id > 5)
# Values.
SELECT id, s, s + 1, HEX(s), LENGTH(s), CONCAT(s, '!'), UPPER(s), CAST(s AS UNSIGNED), CAST(s AS CHAR) FROM t
SELECT id, b + 0, b * 1.5, -b, ~b & 255, HEX(b), BIN(b), OCT(b), CONV(b, 10, 16), BIT_COUNT(b), LENGTH(b), b DIV 7, b % 7, b << 1 FROM t
SELECT id, HEX(CONCAT(b)), HEX(CAST(b AS BINARY)), CAST(b AS SIGNED), CAST(b AS DECIMAL(10,2)), TO_BASE64(b), HEX(LPAD(b, 4, 'x')), ASCII(b), HEX(CONCAT_WS('-', b, s)) FROM t
SELECT id, COALESCE(b, 1), COALESCE(s, 1), HEX(COALESCE(b, 'x')), IF(1, s, b), IFNULL(s, ''), NULLIF(s, 'x'), HEX(NULLIF(b, 65)), GREATEST(b, 1), CASE f WHEN 1 THEN 'yes' WHEN 0 THEN 'no' END, IF(f, 't', 'f') FROM t
SELECT id, MAKE_SET(s, 'a', 'b', 'c'), EXPORT_SET(b, '1', '0', '', 9), FIELD(s, 'x', 'y'), ELT(f, 'one'), CASE s WHEN 'x,z' THEN 'words' WHEN 1 THEN 'x' END FROM t
SELECT CHARSET(b), COLLATION(b), CHARSET(s) FROM t WHERE id = 1
SELECT b COLLATE utf8mb4_bin FROM t
=> error 1253
SELECT JSON_ARRAY(s), JSON_ARRAY(s, 1) FROM t
SELECT id FROM t ORDER BY s, id
SELECT id FROM t ORDER BY b DESC, id
SELECT s, COUNT(*) FROM t GROUP BY s ORDER BY s
SELECT HEX(b), COUNT(*) FROM t GROUP BY b ORDER BY b
SELECT DISTINCT s FROM t ORDER BY s DESC
SELECT MIN(s), SUM(b), AVG(b), MIN(b) + 0, MAX(b) + 0, MAX(w) + 0, COUNT(DISTINCT s), COUNT(DISTINCT b), GROUP_CONCAT(s ORDER BY id SEPARATOR ';') FROM t
SELECT BIT_AND(b), BIT_OR(b), BIT_XOR(b), BIT_OR(s), BIT_AND(s) FROM t
SELECT HEX(MAX(b)), HEX(MIN(f)), HEX(GROUP_CONCAT(b ORDER BY id)) FROM t
=> 1FF | 0 | 00412C012C2C00002C00012C00412C01FF
SELECT a.id, z.id FROM t a JOIN t z ON a.s = z.s AND a.id < z.id
SELECT a.id, z.id FROM t a JOIN t z ON a.b = z.b AND a.id < z.id
SELECT a.id, z.id FROM t a JOIN t z ON a.s + 0 = z.b ORDER BY 1, 2
SELECT id, ROW_NUMBER() OVER (ORDER BY b, id), SUM(b) OVER (ORDER BY s), HEX(LAG(b) OVER (ORDER BY id)) FROM t ORDER BY id
SELECT s FROM t WHERE id < 3 UNION SELECT 'new' ORDER BY 1
SELECT HEX(b) FROM t WHERE id < 3 UNION SELECT HEX(f) FROM t ORDER BY 1
SELECT HEX(b) FROM (SELECT b FROM t UNION SELECT f FROM t) u ORDER BY 1
WITH RECURSIVE r AS (SELECT s, 1 n FROM t WHERE id = 2 UNION ALL SELECT s, n + 1 FROM r WHERE n < 3) SELECT * FROM r
# Definitions.
CREATE TABLE u (s SET('a,b'))
CREATE TABLE u (s SET('a','A')) COLLATE utf8mb4_general_ci
CREATE TABLE u (e ENUM('a','A')) COLLATE utf8mb4_general_ci
CREATE TABLE u (b BIT(65))
CREATE TABLE u (b BIT(8) AUTO_INCREMENT PRIMARY KEY)
CREATE TABLE u (s SET('a') AUTO_INCREMENT PRIMARY KEY)
CREATE TABLE u (b BIT(3) DEFAULT 9)
CREATE TABLE u (b BIT(3) DEFAULT '1')
CREATE TABLE u (s SET('a','b') DEFAULT 'c')
CREATE TABLE u (s SET('a','b') DEFAULT 1)
CREATE TABLE u (s SET('a','b'), KEY (s(1)))
CREATE TABLE u (b BIT(9), KEY (b(1)))
CREATE TABLE u (b BIT UNSIGNED)
CREATE TABLE u (a BIT, b BIT(12) NOT NULL DEFAULT 0x101, c BIT DEFAULT TRUE, s SET('it''s ','b') DEFAULT 'b,it''s', e SET('') NOT NULL)
SHOW COLUMNS FROM u
SELECT column_name a, data_type b, character_maximum_length + 0 c, numeric_precision + 0 d, numeric_scale + 0 e, column_type f FROM information_schema.columns WHERE table_name = 'u' AND table_schema = 'oracle' ORDER BY ordinal_position
INSERT INTO u (e) VALUES (''), (1)
SELECT HEX(a), HEX(b), HEX(c), s, e, e + 0 FROM u ORDER BY e
# Rules, computed columns, keys of other tables.
CREATE TABLE p (s SET('a','b') NOT NULL, b BIT(9) NOT NULL, c INT AS (s + 0), d VARCHAR(9) AS (CONCAT(s, '!')) STORED, PRIMARY KEY (s, b), UNIQUE (b))
INSERT INTO p (s, b) VALUES ('b', 5), ('b,a', 511)
SELECT s, HEX(b), c, d FROM p ORDER BY s
INSERT INTO p (s, b) VALUES ('a,b', 511)
SELECT d FROM p WHERE s = 'a,b' AND b = 511
CREATE TABLE q (id INT PRIMARY KEY, b BIT(9), FOREIGN KEY (b) REFERENCES p (b) ON UPDATE CASCADE)
INSERT INTO q VALUES (1, 5), (2, NULL)
INSERT INTO q VALUES (3, 6)
UPDATE p SET b = 7 WHERE b = 5
SELECT id, HEX(b) FROM q ORDER BY id
# Members are added at the end, in the middle, and keep their words.
ALTER TABLE t MODIFY s SET('x','y','z','v')
SELECT id, s, s + 0 FROM t ORDER BY id
ALTER TABLE t MODIFY s SET('x','new','y','z')
SELECT id, s, s + 0 FROM t ORDER BY id
ALTER TABLE t MODIFY s SET('x','y')
ALTER TABLE t MODIFY s VARCHAR(20), MODIFY b INT
SELECT id, s, b FROM t ORDER BY id
ALTER TABLE t MODIFY s SET('y','x','z'), MODIFY b BIT(10)
SELECT id, s, HEX(b) FROM t ORDER BY id
ALTER TABLE t MODIFY b BIT(3)
