# judges: mysql
# Texts that are no moments, beside moments in strict writes: refused, not taken for a zero day
CREATE TABLE days (id INT PRIMARY KEY, d DATE, m DATETIME, t TIME, n INT)
INSERT INTO days VALUES (1, '2001-02-03', '2001-02-03 04:05:06', '10:11:12', 1), (2, '2024-02-29', '2024-02-29 00:00:00', '00:00:00', 2)
DELETE FROM days WHERE d <> 'abc'
DELETE FROM days WHERE 'abc' < d
DELETE FROM days WHERE m <> ''
DELETE FROM days WHERE m > '2023-02-29'
DELETE FROM days WHERE t <> 'abc'
DELETE FROM days WHERE d NOT IN ('abc', '2001-02-03')
DELETE FROM days WHERE NOT d BETWEEN 'abc' AND '1999-01-01'
UPDATE days SET n = 5 WHERE m >= 'now'
UPDATE days SET n = d > 'abc'
UPDATE days SET n = 6 WHERE d > '0000-00-00'
INSERT INTO days (id, n) SELECT id + 10, n FROM days WHERE d <> 'abc'
INSERT INTO days (id, n) VALUES (9, DATE'2001-01-01' = 'abc')
DELETE FROM days WHERE d = '2001-02-03' AND n = 7
SELECT id, n FROM days ORDER BY id
DROP TABLE days
# Texts and numbers on their way into columns
CREATE TABLE taken (id INT AUTO_INCREMENT PRIMARY KEY, d DECIMAL(6,2), f FLOAT, b DOUBLE, i INT, t TIME(2), a DATE, m DATETIME(1), s TIMESTAMP(2) NULL, e ENUM('a','b') NOT NULL DEFAULT 'a', j JSON)
INSERT INTO taken (d) VALUES ('3x')
INSERT INTO taken (f) VALUES ('3x')
INSERT INTO taken (b) VALUES ('x')
INSERT INTO taken (d, f, b, i) VALUES (' 12 ', ' 12 ', ' 12 ', ' 12 ')
INSERT INTO taken (t) VALUES ('838:59:59.9')
INSERT INTO taken (t) VALUES (8385960)
INSERT INTO taken (t) VALUES ('')
INSERT INTO taken (a) VALUES (20240229.5)
INSERT INTO taken (j) VALUES (1)
INSERT INTO taken (j) VALUES (1.5)
INSERT INTO taken (j) VALUES (TRUE)
INSERT INTO taken (j) VALUES (NOW())
INSERT INTO taken (j) VALUES (X'31')
INSERT IGNORE INTO taken (j) VALUES ('{bad')
UPDATE taken SET j = i
UPDATE IGNORE taken SET j = '{'
INSERT INTO taken (j) VALUES (CAST(1 AS JSON)), (JSON_EXTRACT('[2]', '$[0]')), (JSON_ARRAY(3)), ('4')
SET sql_mode = ''
INSERT INTO taken (d, f, b, i, t, a, m, s) VALUES ('3x', '3x', '3x', '3x', '10:70:00', '2023-02-29', '2024-13-10', '2024-00-10')
SHOW WARNINGS
INSERT INTO taken (t) VALUES ('900:00:00'), (-8385960), ('2024-02-30 10:11:12'), ('abc'), (107000), ('.5'), (':10:11')
SHOW WARNINGS
INSERT INTO taken (a, m) VALUES (1000000, 1010101), ('abc', 'abc'), (0.5, 0.4), (-1, 99)
SHOW WARNINGS
INSERT IGNORE INTO taken (a, m) VALUES ('2024-01-02', '20240102.5'), ('1-1-1', '1-1-1')
INSERT IGNORE INTO taken (e) VALUES (NULL)
UPDATE taken SET e = NULL WHERE id < 3
INSERT INTO taken (e) VALUES ('0'), (0)
SELECT d, f, b, i, t, a, m, s, e + 0, j FROM taken ORDER BY id
ALTER TABLE taken MODIFY i INT NOT NULL, MODIFY t TIME(1)
SELECT i, t FROM taken ORDER BY id
SET sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO'
ALTER TABLE taken MODIFY f FLOAT NOT NULL
ALTER TABLE taken MODIFY f DOUBLE NOT NULL
DROP TABLE taken
# A word between a number and a word is its position
CREATE TABLE words (e ENUM('a','b','c') NOT NULL, s SET('x','y') NOT NULL)
INSERT INTO words VALUES ('a', 'x'), ('b', 'x,y'), ('c', '')
SELECT e, e BETWEEN 'b' AND 1, e BETWEEN 1 AND 'a', e BETWEEN 1 AND 2, e BETWEEN 'a' AND 'b', s BETWEEN 1 AND 'x', s BETWEEN 'x' AND 1 FROM words ORDER BY e
DROP TABLE words
# Rows without a partition are forgiven where others would be updated, too
CREATE TABLE parts (id INT PRIMARY KEY, c INT) PARTITION BY LIST (id) (PARTITION p0 VALUES IN (0, 1, 2), PARTITION p1 VALUES IN (4, 5, 6))
INSERT IGNORE INTO parts (id) VALUES (6), (4), (8), (255), (1), (6) ON DUPLICATE KEY UPDATE c = 3
INSERT INTO parts (id) VALUES (77) ON DUPLICATE KEY UPDATE c = 3
SELECT * FROM parts ORDER BY id
DROP TABLE parts
# Numbers below zero and bytes in definitions
CREATE TABLE shown (a INT, b VARBINARY(9), c DOUBLE, CONSTRAINT c1 CHECK (a > -3), CONSTRAINT c2 CHECK (b <> X'FF'), CONSTRAINT c3 CHECK (a - -1 > 0), CONSTRAINT c4 CHECK (c > -1.5), CONSTRAINT c5 CHECK (a IN (-1, - 2)), CONSTRAINT c6 CHECK (b <> 0x1f AND b <> b'101'), d INT DEFAULT (-1), e INT AS (-a), f INT AS (a * -5), KEY ((a + -1)))
SHOW CREATE TABLE shown
DROP TABLE shown
# Key parts of beginnings, of columns that change their type; rows that may not come in update no other
CREATE TABLE beginnings (id INT PRIMARY KEY, a TEXT, b VARCHAR(100), c BLOB, d VARCHAR(20), KEY ka (a(5)), KEY kb (b(10)), KEY kc (c(3)), UNIQUE KEY kd (d(10), b(4)))
INSERT INTO beginnings VALUES (1, '5', 'abcdef', '10:11:12', 'de'), (2, '7', 'abc', '00:00:01', 'd')
ALTER TABLE beginnings MODIFY a INT
ALTER TABLE beginnings MODIFY b VARCHAR(8)
ALTER TABLE beginnings MODIFY c TIME(2)
ALTER TABLE beginnings MODIFY d CHAR(12)
SELECT index_name, column_name, sub_part FROM information_schema.statistics WHERE TABLE_NAME = 'beginnings' ORDER BY 1, seq_in_index
SELECT id, a FROM beginnings FORCE INDEX (ka) WHERE a > 5
SELECT id, c FROM beginnings FORCE INDEX (kc) WHERE c < '01:00:00'
DROP TABLE beginnings
CREATE TABLE guarded (id INT PRIMARY KEY, n INT NOT NULL, CONSTRAINT no_seven CHECK (n <> 7))
INSERT INTO guarded VALUES (1, 1)
INSERT INTO guarded VALUES (1, 7) ON DUPLICATE KEY UPDATE n = 2
INSERT IGNORE INTO guarded VALUES (1, 7) ON DUPLICATE KEY UPDATE n = 3
SELECT * FROM guarded
DROP TABLE guarded
# DEFAULT of a column that numbers itself is 0 in an UPDATE
CREATE TABLE numbered (id INT AUTO_INCREMENT PRIMARY KEY, n INT)
INSERT INTO numbered VALUES (3, 1)
UPDATE numbered SET id = DEFAULT
UPDATE numbered a JOIN numbered b ON a.id = b.id SET a.id = DEFAULT, a.n = 2
SELECT * FROM numbered
DROP TABLE numbered
# Nothing, and spaces, are the number 0, and no error
CREATE TABLE blank (id INT PRIMARY KEY, n INT, y YEAR, f DOUBLE, t TIME)
INSERT INTO blank VALUES (1, 0, 0, 0, '10:11:12'), (2, 5, 2005, 0.5, '10:11:13')
UPDATE blank SET n = n + 1 WHERE n = ''
UPDATE blank SET n = n + 1 WHERE n > ' '
UPDATE blank SET n = n + 1 WHERE n IN ('', 6)
UPDATE blank SET n = n + 1 WHERE y = '' OR f < ''
UPDATE blank SET n = n + 1 WHERE f BETWEEN '' AND 1
UPDATE blank SET n = n + 1 WHERE t >= ''
UPDATE blank SET n = n + 1 WHERE t > ' ' AND NOT ''
UPDATE blank SET n = '' + id WHERE id + 0 <> ''
UPDATE blank SET n = n + 1 WHERE CASE n WHEN '' THEN 0 ELSE 1 END
UPDATE blank SET n = n + 1 WHERE n <> 'x'
SELECT * FROM blank
DELETE FROM blank WHERE n <> ''
SELECT COUNT(*) FROM blank
DROP TABLE blank
# NULL, 0 and DEFAULT for a column that numbers itself, by ON DUPLICATE KEY UPDATE and UPDATE
CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY, u INT UNIQUE, n INT)
INSERT INTO a VALUES (5,1,1),(6,2,2)
INSERT INTO a (u,n) VALUES (1,9) ON DUPLICATE KEY UPDATE id = NULL
SELECT * FROM a
INSERT INTO a (u,n) VALUES (1,9) ON DUPLICATE KEY UPDATE id = 0
SELECT * FROM a
INSERT INTO a (u,n) VALUES (2,9) ON DUPLICATE KEY UPDATE id = NULL
INSERT INTO a (u,n) VALUES (2,9) ON DUPLICATE KEY UPDATE id = DEFAULT
SELECT * FROM a
UPDATE a SET id = NULL WHERE u = 2
UPDATE a SET id = DEFAULT WHERE u = 2
UPDATE a SET id = 0 WHERE u = 2
SELECT * FROM a
INSERT INTO a (u,n) VALUES (7,9)
SELECT * FROM a
SELECT LAST_INSERT_ID()
INSERT INTO a (u,n) VALUES (7,9) ON DUPLICATE KEY UPDATE id = NULLIF(1,1)
INSERT INTO a (u,n) VALUES (7,9) ON DUPLICATE KEY UPDATE id = n - n
INSERT INTO a (u,n) VALUES (7,9) ON DUPLICATE KEY UPDATE n = NULL, id = n
INSERT INTO a (u,n) VALUES (8,9),(7,5) ON DUPLICATE KEY UPDATE id = NULL
SELECT * FROM a
INSERT INTO a (u,n) SELECT 7,4 ON DUPLICATE KEY UPDATE id = NULL
SELECT * FROM a
INSERT IGNORE INTO a (u,n) VALUES (7,9) ON DUPLICATE KEY UPDATE id = NULL
SELECT * FROM a
UPDATE IGNORE a SET id = NULL WHERE u = 8
SELECT * FROM a
SET sql_mode = CONCAT(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO')
DELETE FROM a
INSERT INTO a VALUES (NULL,1,1),(NULL,2,2)
INSERT INTO a (u,n) VALUES (1,9) ON DUPLICATE KEY UPDATE id = NULL
SELECT * FROM a
INSERT INTO a (u,n) VALUES (2,9) ON DUPLICATE KEY UPDATE id = 0
SELECT * FROM a
UPDATE a SET id = NULL WHERE u = 2
UPDATE a SET id = 0 WHERE u = 2
SELECT * FROM a
SET sql_mode = ''
DELETE FROM a
INSERT INTO a VALUES (NULL,1,1),(NULL,2,2),(NULL,3,3)
INSERT INTO a (u,n) VALUES (1,9) ON DUPLICATE KEY UPDATE id = NULL
SELECT * FROM a
UPDATE a SET id = NULL WHERE u = 2
SELECT * FROM a
UPDATE a SET id = 77 WHERE u = 1
INSERT INTO a (u,n) VALUES (1,9) ON DUPLICATE KEY UPDATE id = NULL
INSERT INTO a (u) VALUES (23)
SELECT * FROM a
CREATE TABLE b (id INT AUTO_INCREMENT, u INT PRIMARY KEY, n INT, KEY(id))
INSERT INTO b VALUES (5,1,1),(6,2,2)
INSERT INTO b (u,n) VALUES (1,9) ON DUPLICATE KEY UPDATE id = NULL
INSERT INTO b (u,n) VALUES (2,9) ON DUPLICATE KEY UPDATE id = NULL
SELECT * FROM b
INSERT INTO b (u,n) VALUES (3,9)
SELECT * FROM b
SET sql_mode = DEFAULT
CREATE TABLE c (n INT NOT NULL, u INT PRIMARY KEY)
INSERT INTO c VALUES (1,1)
INSERT INTO c VALUES (1,1) ON DUPLICATE KEY UPDATE n = NULL
INSERT INTO c VALUES (1,1),(2,2) ON DUPLICATE KEY UPDATE n = NULL
UPDATE a, b SET a.id = NULL
UPDATE a SET id = DEFAULT
INSERT INTO a (u,n) VALUES (2,9) ON DUPLICATE KEY UPDATE id = DEFAULT(id)
DROP TABLE a
DROP TABLE b
DROP TABLE c
# Columns without a default beneath views, and views whose tables or columns are gone
CREATE TABLE beneath (id INT PRIMARY KEY, n INT NOT NULL, s VARCHAR(20) NOT NULL, d INT DEFAULT 4)
CREATE VIEW some AS SELECT id, n FROM beneath
CREATE VIEW most AS SELECT id, n, s FROM beneath
INSERT INTO some VALUES (1, 2)
INSERT INTO some (id) VALUES (1)
REPLACE INTO some VALUES (3, 2)
INSERT INTO some SELECT 4, 5
INSERT INTO most (id) VALUES (5)
INSERT INTO most VALUES (5, 6, 'a')
INSERT IGNORE INTO some VALUES (1, 2)
SELECT * FROM beneath ORDER BY id
CREATE TABLE gone (a INT, b INT)
CREATE VIEW bad AS SELECT a, b FROM gone
ALTER TABLE gone DROP b
INSERT INTO bad VALUES (1, 2)
INSERT INTO bad (a) VALUES (1)
UPDATE bad SET a = 1
DELETE FROM bad
REPLACE INTO bad (a) VALUES (1)
DROP TABLE gone
INSERT INTO bad VALUES (1, 2)
UPDATE bad SET a = 1
DELETE FROM bad
DROP VIEW some, most, bad
# Numbers that are no DOUBLE
SELECT 1e400
SELECT -1e400
SELECT 1.5e309 + 1
SELECT * FROM beneath WHERE id = 1e400
INSERT INTO beneath VALUES (1e400, 1, '', 1)
INSERT INTO beneath VALUES (9, 1, '', 1), (1e400, 1, '', 1)
SELECT 1e308, 1e-400, '1e400' + 0
DROP TABLE beneath
# Days and times beyond their kinds
CREATE TABLE ends (d DATE, m DATETIME, s VARCHAR(30))
INSERT INTO ends VALUES ('9999-12-31', '9999-12-31 23:59:59', '9999-12-31')
UPDATE ends SET d = d + INTERVAL 1 DAY
UPDATE ends SET d = ADDDATE(d, 1)
UPDATE ends SET d = TIMESTAMPADD(DAY, 1, d)
UPDATE ends SET m = DATE'9999-12-31' + INTERVAL 1 DAY
UPDATE ends SET m = m + INTERVAL 1 SECOND
UPDATE ends SET m = s + INTERVAL 1 DAY
UPDATE ends SET m = ADDTIME(m, '1:0:0')
UPDATE ends SET m = ADDTIME('9999-12-31 23:59:59', '1:0:0')
UPDATE ends SET s = TIME'838:00:00' + INTERVAL 100 HOUR
DELETE FROM ends WHERE d + INTERVAL 1 DAY > '2001-01-01'
INSERT INTO ends SELECT d + INTERVAL 1 DAY, NULL, NULL FROM ends
SELECT d + INTERVAL 1 DAY, m + INTERVAL 1 SECOND, ADDTIME(m, '1:0:0') FROM ends
SELECT * FROM ends
DROP TABLE ends
# N'..' is a text of utf8mb3, which MySQL warns of
SELECT CHARSET(N'a'), COLLATION(N'a'), LENGTH(N'ä'), N'a' = 'A'
~CREATE TABLE national AS SELECT N'abc' a
SELECT CHARACTER_SET_NAME FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'national'
~INSERT INTO national VALUES (N'x'), (n'y')
SELECT a FROM national WHERE a IN (N'x', N'abc') ORDER BY a
DROP TABLE national
# Outside of strict mode NULL is let pass by several rows of VALUES, not by ON DUPLICATE KEY UPDATE of one
SET sql_mode = ''
CREATE TABLE nulls (id INT PRIMARY KEY, c INT NOT NULL)
INSERT INTO nulls VALUES (1, 10), (2, 20)
INSERT INTO nulls VALUES (1, 1) ON DUPLICATE KEY UPDATE c = NULL
INSERT INTO nulls SELECT 1, 1 ON DUPLICATE KEY UPDATE c = NULL
INSERT INTO nulls SELECT * FROM (SELECT 1, 5 UNION SELECT 2, 6) n ON DUPLICATE KEY UPDATE c = NULL
SELECT * FROM nulls
INSERT INTO nulls VALUES (9, 1), (2, 2) ON DUPLICATE KEY UPDATE c = NULL
SELECT * FROM nulls
INSERT IGNORE INTO nulls VALUES (3, 1) ON DUPLICATE KEY UPDATE c = 7
INSERT IGNORE INTO nulls VALUES (3, 1) ON DUPLICATE KEY UPDATE c = NULL
SELECT * FROM nulls
# What does not fit is cut, and said to be
CREATE TABLE cut (a VARCHAR(3), b CHAR(2), c VARBINARY(2), d TINYTEXT)
INSERT INTO cut VALUES ('abcd', 'xyz', 'pqr', REPEAT('t', 300))
SHOW WARNINGS
SET sql_mode = DEFAULT
INSERT IGNORE INTO cut (a) VALUES ('abcd')
SHOW WARNINGS
INSERT INTO cut (a) VALUES ('abcd')
DROP TABLE nulls, cut
