# judges: mysql
# collation_connection: literals, variables, and what is made of them or of no text at all
CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(20) COLLATE utf8mb4_general_ci, b VARBINARY(20), d DATETIME, j JSON, e ENUM('a','b') COLLATE utf8mb4_general_ci)
INSERT INTO t VALUES (1, 'abc', 'abc', '2020-01-02 03:04:05', '{"a":"X"}', 'a'), (2, 'ABC', 'ABC', '2021-12-24 00:00:00', '{"a":"abc"}', 'b')
SET NAMES utf8mb4 COLLATE utf8mb4_bin
SELECT @@character_set_client, @@character_set_connection, @@collation_connection
SELECT 'a' = 'A', 'a' LIKE 'A', UPPER('a') = LOWER('A'), CONCAT('a', 1) = 'A1', 'a' IN ('A', 'B'), 'a' BETWEEN 'A' AND 'Z', STRCMP('a', 'A'), INSTR('abc', 'B'), LOCATE('B', 'abc'), REPLACE('aBc', 'b', 'x')
SELECT FIELD('a', 'A', 'B'), FIND_IN_SET('a', 'A,B'), IF(1, 'a', 'b') = 'A', NULLIF('a', 'A'), CASE 'a' WHEN 'A' THEN 1 ELSE 0 END, 'a' REGEXP 'A', GREATEST('a', 'B'), LEAST('a', 'B'), TRIM(LEADING 'A' FROM 'aAb')
SELECT COLLATION('a'), COERCIBILITY('a'), COLLATION(CONCAT(1, 2)), COERCIBILITY(CONCAT(1, 2)), COLLATION(CONCAT('a', id)), COLLATION(CAST('a' AS CHAR)), COERCIBILITY(CAST(s AS CHAR)), COLLATION(CAST(s AS CHAR)), COLLATION(IFNULL(s, 1)), COLLATION(IF(id, 1, 'a')) FROM t
SELECT COLLATION(HEX(s)), COERCIBILITY(HEX(s)), COERCIBILITY(HEX(id)), COERCIBILITY(SHA2(s, 256)), COERCIBILITY(TO_BASE64(s)), COERCIBILITY(FORMAT(id, 2)), COERCIBILITY(BIN(id)), COERCIBILITY(CONV(s, 10, 2)), COERCIBILITY(INET_NTOA(id)), COERCIBILITY(UUID()) FROM t
SELECT COLLATION(DAYNAME(d)), COERCIBILITY(DAYNAME(d)), COERCIBILITY(MONTHNAME(d)), COERCIBILITY(DATE_FORMAT(d, '%Y')), COLLATION(DATE_FORMAT(d, '%Y')), COLLATION(SPACE(3)), COERCIBILITY(SPACE(3)), COLLATION(DATE_ADD('2020-01-01', INTERVAL 1 DAY)), COLLATION(ADDTIME('10:00', '01:00')) FROM t
SELECT COLLATION(JSON_UNQUOTE(j)), COERCIBILITY(JSON_UNQUOTE(j)), COLLATION(JSON_UNQUOTE('"a"')), COLLATION(JSON_QUOTE('a')), COERCIBILITY(JSON_QUOTE('a')), COLLATION(JSON_PRETTY(j)), COLLATION(JSON_TYPE(j)), COLLATION(j->>'$.a'), COERCIBILITY(j->>'$.a') FROM t
SELECT id, j->>'$.a' = 'ABC', j->>'$.a' = s, JSON_UNQUOTE('"a"') = 'A', HEX(b) = '616263', LOWER(HEX(b)) = HEX(b), DAYNAME(d) = 'thursday' FROM t
# A column is stronger, and COLLATE stronger still
SELECT id, s = 'ABC', s = 'ABC' COLLATE utf8mb4_bin, CONCAT(s, 'x') = 'ABCX', UPPER(s) = 'abc', 'ABC' = s, s LIKE 'AB%', s IN ('ABC', 'x'), e = 'A' FROM t
SELECT id FROM t WHERE s = 'aBC' ORDER BY id
SELECT id, 'a' = 'A' FROM t WHERE id = 1
SELECT COUNT(*) FROM (SELECT 'a' x UNION SELECT 'A') q
SELECT COLLATION(x) FROM (SELECT 'a' x UNION SELECT s FROM t) q LIMIT 1
SELECT COLLATION(x) FROM (SELECT 'a' x) q
SELECT DISTINCT x FROM (SELECT 'a' x UNION ALL SELECT 'A') q ORDER BY x
SELECT x, COUNT(*) FROM (SELECT 'a' x UNION ALL SELECT 'A') q GROUP BY x ORDER BY x
SELECT IF(id = 1, 'a', 'A') x, COUNT(*) FROM t GROUP BY x ORDER BY x
SELECT MAX(x), MIN(x) FROM (SELECT 'a' x UNION ALL SELECT 'B') q
# Variables and parameters
SET @a = 'x'
SELECT 'X' = @a, @a = 'X', @a IN ('X', 'y'), CONCAT(@a, '1') = 'X1', COLLATION(@a), COERCIBILITY(@a)
PREPARE p FROM 'SELECT ? = ?, COLLATION(?), COERCIBILITY(?), ? LIKE ?'
SET @x = 'a', @y = 'A'
EXECUTE p USING @x, @y, @x, @x, @x, @y
PREPARE p FROM 'SELECT id, ? = ? FROM t WHERE id = ? AND s = ?'
SET @i = 1, @s = 'Abc'
EXECUTE p USING @x, @y, @i, @s
# What is made of literals has their collation
CREATE TABLE c AS SELECT 'a' x, CONCAT(1, 2) y, HEX(5) z, CAST(1 AS CHAR) w, @a v
SELECT COLLATION(x), COLLATION(y), COLLATION(z), COLLATION(w), COLLATION(v) FROM c
DROP TABLE c
CREATE VIEW v AS SELECT 'a' = 'A' x, 'a' c
SET NAMES utf8mb4 COLLATE utf8mb4_0900_ai_ci
SELECT x, COLLATION(c), 'a' = 'A' FROM v
DROP VIEW v
SELECT 'a' = 'a ', 'ß' = 'ss' a, 'ä' = 'a' b, '🍣' = '🍺' c, 'a' = 'B', 'ss' LIKE 'ß' d
SET collation_connection = utf8mb4_0900_as_cs
SELECT 'a' = 'A', 'a' = 'a ', @@character_set_connection, @@collation_connection
SET sql_mode = 'ANSI_QUOTES'
SELECT 'a' = 'A', @@collation_connection
SET sql_mode = DEFAULT
SET div_precision_increment = 6
SELECT 'a' = 'A', 1/3
SET div_precision_increment = DEFAULT
# The character set and the collation of the connection go together
SET character_set_connection = latin1
SELECT @@character_set_connection, @@collation_connection
SET collation_connection = latin1_german1_ci
SELECT @@character_set_connection, @@collation_connection, @@character_set_client
SET NAMES latin1
SELECT @@character_set_connection, @@collation_connection, 'a' = 'A'
SET NAMES cp1257 COLLATE cp1257_bin
SELECT @@character_set_connection, @@collation_connection, 'a' = 'A'
SET NAMES utf8mb4 COLLATE latin1_bin
SET NAMES utf8mb4 COLLATE klingon_ci
SET collation_connection = klingon_ci
SET CHARACTER SET utf8mb4
SELECT @@collation_connection, @@character_set_connection
# The sides of a UNION
SET NAMES utf8mb4 COLLATE utf8mb4_0900_ai_ci
CREATE TABLE uu (a VARCHAR(10) COLLATE utf8mb4_general_ci, b VARCHAR(10) COLLATE utf8mb4_bin)
INSERT INTO uu VALUES ('a', 'b'), ('z', 'Z')
SELECT COLLATION(x) FROM (SELECT a x FROM uu UNION SELECT 'Z') q LIMIT 1
SELECT COLLATION(x) FROM (SELECT 'Z' x UNION SELECT b FROM uu) q LIMIT 1
SELECT COLLATION(x) FROM (SELECT 5 x UNION SELECT 'Z') q LIMIT 1
SELECT COLLATION(x) FROM (SELECT a x FROM uu UNION SELECT 5) q LIMIT 1
SELECT COLLATION(x) FROM (SELECT a x FROM uu UNION SELECT b FROM uu) q LIMIT 1
SELECT COLLATION(x) FROM (SELECT a x FROM uu UNION SELECT 'x' COLLATE utf8mb4_bin) q LIMIT 1
SELECT COUNT(*) FROM (SELECT a FROM uu UNION SELECT 'Z' UNION SELECT 'A') q
SELECT 'Z' UNION SELECT b FROM uu UNION SELECT 'z' ORDER BY 1
SELECT * FROM uu WHERE a = 'Z' OR b = 'z' ORDER BY a
DROP TABLE uu
