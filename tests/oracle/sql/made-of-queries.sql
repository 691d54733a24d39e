# judges: mysql
# Whole numbers of expressions in tables that are made of queries: INT where MySQL makes one
CREATE TABLE src (i INT, b BIGINT, ti TINYINT, si SMALLINT, iu INT UNSIGNED, n DECIMAL(10,2), d DOUBLE, s VARCHAR(20), da DATE, dt DATETIME, y YEAR, j JSON)
INSERT INTO src VALUES (2147483647, 9223372036854775807, 127, -32768, 4294967295, 1.5, 2.5, 'abc', '9999-12-31', '9999-12-31 23:59:59', 2155, '[1]')
CREATE TABLE made AS SELECT 1 a1, -1 a2, 100 a3, 99999999 a4, 999999999 a5, 12345678901 a6, TRUE a7 FROM src
SELECT column_name AS c, column_type AS t FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'made' ORDER BY ordinal_position
SELECT * FROM made
DROP TABLE made
CREATE TABLE made AS SELECT i DIV i a1, i DIV b a2, ti DIV iu a3, i % ti a4, i % b a5, iu % i a6, i + 1 a7, ti + ti a8, ti + 1 a9, si * ti a10, si * 1 a11, -ti a12, -i a13, b DIV 1 a14, i % da a16, y % 3 a17 FROM src
SELECT column_name AS c, column_type AS t FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'made' ORDER BY ordinal_position
SELECT * FROM made
DROP TABLE made
CREATE TABLE made AS SELECT LENGTH(s) a1, CHAR_LENGTH(s) a2, ASCII(s) a3, INSTR(s, 'b') a4, LOCATE('b', s) a5, FIELD(s, 'x', 'abc') a6, STRCMP(s, 'b') a7, FIND_IN_SET('a', s) a8, INTERVAL(i, 1) a9, ISNULL(i) a10, CRC32(s) a11, COERCIBILITY(s) a12 FROM src
SELECT column_name AS c, column_type AS t FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'made' ORDER BY ordinal_position
SELECT * FROM made
DROP TABLE made
CREATE TABLE made AS SELECT MONTH(da) a1, DAY(da) a2, HOUR(dt) a3, MINUTE(dt) a4, SECOND(dt) a5, QUARTER(da) a6, DAYOFWEEK(da) a7, WEEKDAY(da) a8, DAYOFYEAR(da) a9, WEEK(da) a10, WEEKOFYEAR(da) a11, YEARWEEK(da) a12, DATEDIFF(da, '0001-01-01') a13, TO_DAYS(da) a14, TIME_TO_SEC(dt) a15, TO_SECONDS(da) a16, MICROSECOND(dt) a17 FROM src
SELECT column_name AS c, column_type AS t FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'made' ORDER BY ordinal_position
SELECT * FROM made
DROP TABLE made
CREATE TABLE made AS SELECT i = 1 a1, i > 1 AND b a2, NOT i a3, i IS NULL a4, i IN (1, 2) a5, i BETWEEN 1 AND 2 a6, s LIKE 'a' a7, i <=> 1 a8, i XOR 1 a9, i IS TRUE a10 FROM src
SELECT column_name AS c, column_type AS t FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'made' ORDER BY ordinal_position
SELECT * FROM made
DROP TABLE made
CREATE TABLE made AS SELECT IF(1, i, 1) a1, IF(1, b, 1) a2, COALESCE(ti, 1) a3, COALESCE(NULL, i) a4, IFNULL(i, 1) a5, NULLIF(i, 2) a6, NULLIF(1, 2) a7, GREATEST(i, 1) a8, LEAST(ti, 5) a9, CASE WHEN 1 THEN i ELSE 2 END a10, CASE WHEN 1 THEN b END a11, ABS(-1) a12, ABS(si) a13 FROM src
SELECT column_name AS c, column_type AS t FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'made' ORDER BY ordinal_position
SELECT * FROM made
DROP TABLE made
# Texts of numbers, days and times are as long as those are, DECIMALs have their digits
CREATE TABLE made AS SELECT CONCAT(i) a1, CONCAT(ti, 'x') a2, CONCAT(si) a3, UPPER(iu) a4, TRIM(b) a5, REPEAT(i, 3) a6, IF(1, i, 'x') a7, IF(1, ti, 'x') a8, COALESCE(da, 'x') a9, COALESCE(dt, 'x') a10, ELT(1, i, 'xx') a12, LEAST(si, 'x') a13, REVERSE(iu) a14 FROM src
SELECT column_name AS c, column_type AS t FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'made' ORDER BY ordinal_position
SELECT * FROM made
DROP TABLE made
CREATE TABLE made AS SELECT COALESCE(i, 1.5) a1, COALESCE(ti, 1.5) a2, COALESCE(si, 1.5) a3, COALESCE(b, 1.5) a4, IF(1, iu, 1.5) a5 FROM src
SELECT column_name AS c, column_type AS t FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'made' ORDER BY ordinal_position
SELECT * FROM made
DROP TABLE made
CREATE TABLE made AS SELECT i x FROM src UNION ALL SELECT 1.5
SELECT column_name AS c, column_type AS t FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'made' ORDER BY ordinal_position
SELECT * FROM made
DROP TABLE made
CREATE TABLE made AS SELECT ti x, da y FROM src UNION ALL SELECT 'abc', 'x'
SELECT column_name AS c, column_type AS t FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'made' ORDER BY ordinal_position
DROP TABLE made
DROP TABLE src
~CREATE TABLE src (z INT(15) ZEROFILL, y TINYINT(6) ZEROFILL)
INSERT INTO src VALUES (12, 3)
CREATE TABLE made AS SELECT CONCAT(z, y) a1, IF(1, z, 'x') a2, UPPER(y) a3 FROM src
SELECT * FROM made
DROP TABLE made
DROP TABLE src
