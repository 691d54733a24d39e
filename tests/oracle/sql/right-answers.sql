# Answers that were silently wrong once, each with what it stands for (issue "One tree")
CREATE TABLE t1 (id INT PRIMARY KEY, a INT, b INT, s VARCHAR(5))
INSERT INTO t1 VALUES (1,1,2,'x'),(2,2,3,NULL),(3,3,NULL,'y')
CREATE TABLE t2 (id INT PRIMARY KEY, a INT, b INT, s VARCHAR(5))
INSERT INTO t2 VALUES (1,1,2,'a'),(2,2,3,'c')
CREATE TABLE e0 (a INT, b INT)
CREATE TABLE n2 (c INT, d INT)
INSERT INTO n2 VALUES (1,2),(NULL,3),(4,NULL)
# 1. A RIGHT JOIN to a derived table read another column in WHERE
SELECT x1.b,x1.s FROM t2 x0 RIGHT JOIN (SELECT * FROM t1 WHERE a>0) x1 ON x0.b=x1.b WHERE x0.s='a'
SELECT x1.b,x1.s,x0.s FROM t2 x0 RIGHT JOIN (SELECT * FROM t1 WHERE a>0) x1 ON x0.b=x1.b ORDER BY x1.id
SELECT x1.b FROM (SELECT * FROM t1 WHERE a>0) x1 LEFT JOIN t2 x0 ON x0.b=x1.b WHERE x0.s='a'
SELECT x1.b FROM t2 x0 RIGHT JOIN (SELECT b, s FROM t1) x1 ON x0.b=x1.b WHERE x0.s IS NULL AND x1.s='y'
# 2. EXISTS over outer joins, correlated by OR, lost rows (Django's permission check)
CREATE TABLE perm (id INT PRIMARY KEY, name VARCHAR(10))
CREATE TABLE gp (pid INT, gid INT, uid INT)
CREATE TABLE up (pid INT, uid INT)
CREATE TABLE users (id INT PRIMARY KEY)
INSERT INTO perm VALUES (1,'add'),(2,'del')
INSERT INTO gp VALUES (1,1,10),(2,1,11)
INSERT INTO up VALUES (2,12)
INSERT INTO users VALUES (10),(11),(12),(13)
SELECT u.id FROM users u WHERE EXISTS (SELECT 1 FROM perm p LEFT JOIN gp ON p.id=gp.pid LEFT JOIN up ON p.id=up.pid WHERE gp.uid=u.id OR up.uid=u.id) ORDER BY u.id
SELECT u.id FROM users u WHERE NOT EXISTS (SELECT 1 FROM perm p LEFT JOIN gp ON p.id=gp.pid LEFT JOIN up ON p.id=up.pid WHERE gp.uid=u.id OR up.uid=u.id) ORDER BY u.id
SELECT u.id, (SELECT count(*) FROM perm p LEFT JOIN up ON p.id=up.pid WHERE up.uid=u.id OR p.id=u.id-9) AS n FROM users u ORDER BY u.id
# 3. NULL in NOT IN, ALL, row subqueries and XOR
SELECT id FROM t1 WHERE b NOT IN (SELECT c FROM n2)
SELECT id FROM t1 WHERE b NOT IN (SELECT c FROM n2) OR id=3 ORDER BY id
SELECT id FROM t1 WHERE (a,b) NOT IN (SELECT c,d FROM n2) ORDER BY id
SELECT id FROM t1 WHERE (a,b) IN (SELECT c,d FROM n2) ORDER BY id
SELECT id, b IN (SELECT c FROM n2) IS NULL FROM t1 ORDER BY id
SELECT id, b NOT IN (SELECT c FROM n2) IS NULL FROM t1 ORDER BY id
SELECT 10 > ALL (SELECT c FROM n2), NOT (10 > ALL (SELECT c FROM n2)), 0 > ALL (SELECT c FROM n2)
SELECT id FROM t1 WHERE NOT (10 > ALL (SELECT c FROM n2)) ORDER BY id
SELECT id FROM t1 WHERE 10 > ANY (SELECT c FROM n2) ORDER BY id
SELECT NULL IN (SELECT a FROM e0), NULL NOT IN (SELECT a FROM e0), 1 = ALL (SELECT a FROM e0), NULL > ALL (SELECT a FROM e0)
SELECT id FROM t1 WHERE b IN (SELECT a FROM e0) IS NOT NULL ORDER BY id
SELECT id, a IS NULL XOR b IS NULL FROM t1 ORDER BY id
SELECT id FROM t1 WHERE a IS NULL XOR b IS NULL ORDER BY id
SELECT id FROM t1 WHERE NOT (a IS NULL XOR a IS NOT NULL) ORDER BY id
SELECT t1.id FROM t1 JOIN t2 ON t1.id=t2.id WHERE t1.a=1 XOR t2.b=3 ORDER BY 1
SELECT count(*) FROM t1 JOIN t2 WHERE NOT (t1.a IS NULL XOR t1.a IS NOT NULL)
SELECT 1 XOR NULL, NULL XOR NULL, 2 XOR 3, 0 XOR 0.5, 'a' XOR 1
# 4. Session state
SELECT a, b INTO @x, @y FROM t1 WHERE id=1
SELECT @x, @y
SELECT count(*) INTO @n FROM t1 JOIN t2 ON t1.b=t2.b
SELECT @n
SELECT a INTO @x FROM t1 WHERE id=99
SELECT @x
SELECT a INTO @x FROM t1
SELECT a, b INTO @x FROM t1 WHERE id=1
# MariaDB warns of the place of this INTO
SELECT id FROM t1 WHERE id=2 INTO @z
=> ok
SELECT @z
SELECT SQL_CALC_FOUND_ROWS id FROM t1 ORDER BY id LIMIT 1
SELECT FOUND_ROWS()
SELECT SQL_CALC_FOUND_ROWS id FROM t1 WHERE id>1 ORDER BY id LIMIT 1
SELECT FOUND_ROWS()
SELECT SQL_CALC_FOUND_ROWS DISTINCT t1.id FROM t1 JOIN t2 ORDER BY t1.id LIMIT 1
SELECT FOUND_ROWS()
SELECT SQL_CALC_FOUND_ROWS a FROM t1 GROUP BY a ORDER BY a LIMIT 1,1
SELECT FOUND_ROWS()
SELECT id FROM t1 ORDER BY id LIMIT 2
SELECT FOUND_ROWS()
SELECT t1.id FROM t1 JOIN t2 ON t1.id=t2.id ORDER BY 1
SELECT FOUND_ROWS()
SET @r = 0
SELECT @r := @r + 1 AS r, id FROM t1 ORDER BY id
SELECT @r
SELECT @q := 7, @q
SELECT @q
SET @a = (SELECT max(id) FROM t1)
SELECT @a
SET @a = (SELECT b FROM t1 WHERE id=1), @b = @a + 1
SELECT @a, @b
SET @b := 5, @c := 'x'
SELECT @b, @c
SELECT rand(3), rand(3)
SELECT id, rand(3) FROM t1 ORDER BY id
SELECT t1.id, rand(7) FROM t1 JOIN t2 ON t1.id=t2.id ORDER BY t1.id
SELECT last_insert_id(42)
SELECT last_insert_id()
CREATE TABLE seq (id INT)
INSERT INTO seq VALUES (5)
UPDATE seq SET id=last_insert_id(id+1)
SELECT last_insert_id()
SELECT last_insert_id(id+10) FROM seq
SELECT last_insert_id()
# 5. Times
SELECT timestamp'2020-01-01 10:10:10.5', time'10:10:10.25', timestamp'2020-01-01 10:10:10'
SELECT time('2020-01-01 10:10:10.5'), time('10:10:10.123456'), time('10:10:10')
SELECT timestamp('2020-01-01','10:10:10.5'), timestamp('2020-01-01 10:10:10.5'), timestamp('2020-01-01')
SELECT timediff('10:10:10.5','09:00:00'), timediff('2020-01-01 10:10:10.5','2020-01-01 09:00:00'), timediff('10:00:00','09:00:00')
SELECT sec_to_time(1.5), sec_to_time(3661), sec_to_time('1.25'), sec_to_time(-0.5)
CREATE TABLE tm (id INT PRIMARY KEY, dt DATETIME, d DATE, t TIME, ts TIMESTAMP NULL, d6 DATETIME(6))
INSERT INTO tm VALUES (1,'2002-10-20 00:00:00','2002-10-20','10:11:12','2002-10-20 00:00:00','2002-10-20 01:02:03.5'),(2,'2002-10-21 00:00:00','2002-10-21','100:00:00','2002-10-21 00:00:00','2002-10-20')
SELECT id FROM tm WHERE dt > 20021020
SELECT id FROM tm WHERE d = 20021020
SELECT id FROM tm WHERE dt >= 20021021000000
SELECT id FROM tm WHERE 20021020 < dt
SELECT id FROM tm WHERE t > 101112
SELECT id FROM tm WHERE t = 101112
SELECT id FROM tm WHERE dt IN (20021020, 20021022)
SELECT id FROM tm WHERE d BETWEEN 20021019 AND 20021020
SELECT id FROM tm WHERE ts > 20021020
SELECT id FROM tm WHERE d6 = 20021020010203.5
SELECT extract(minute FROM '10:11:12'), extract(hour FROM '10:11:12'), extract(second FROM '10:11:12'), extract(hour_minute FROM '10:11:12')
SELECT extract(day_hour FROM '2020-01-02 03:04:05'), extract(minute_second FROM t) FROM tm WHERE id=1
# MariaDB takes days out of the hours of a TIME
SELECT extract(hour FROM time'100:11:12'), extract(hour_minute FROM time'-100:11:12')
=> 100 | -10011
SELECT time_format('100:00:00','%H'), time_format('100:00:00','%k %h %l %i:%s'), time_format('-01:02:03','%H:%i:%s')
# MariaDB prints the current date's year for a time without a day here, MySQL 0000 for it
SELECT date_format(time'09:00:00','%H:%i')
=> 09:00
SELECT hour(time'100:00:00'), minute('10:11:12'), second('10:11:12.5'), microsecond('10:11:12.5'), microsecond(time'10:11:12.000012')
# MariaDB prints .5
SELECT date_add('2020-01-01 10:00:00', INTERVAL 1.5 SECOND)
=> 2020-01-01 10:00:01.500000
SELECT date_add('2020-01-01', INTERVAL '1:30' HOUR_MINUTE), '2020-01-31' + INTERVAL 1 MONTH
SELECT max(dt), min(t), max(d6) FROM tm
# 6. JSON: MariaDB has no `->`, and keeps the text of a document
CREATE TABLE js (id INT PRIMARY KEY, j JSON)
INSERT INTO js VALUES (1,'{"a":1,"s":"x","b":true,"n":null,"d":1.50}'),(2,'{"a":2,"s":"y","b":false}')
SELECT id FROM js WHERE j->'$.a'=1
=> 1
SELECT id FROM js WHERE j->>'$.s'='x'
=> 1
SELECT id, j->>'$.s' FROM js ORDER BY id
=> 1 | x
=> 2 | y
SELECT js.id FROM js JOIN t1 ON js.id=t1.id WHERE j->>'$.s'='y'
=> 2
SELECT id FROM js WHERE json_extract(j,'$.s')='x'
=> 1
SELECT id FROM js WHERE json_extract(j,'$.b')=true
=> 1
SELECT id FROM js WHERE json_extract(j,'$.a')>1
=> 2
SELECT id FROM js WHERE json_extract(j,'$.a') IN (1,5)
=> 1
SELECT id FROM js WHERE json_unquote(json_extract(j,'$.s'))='x'
=> 1
SELECT json_object('b',true), json_array(true,false,1=1,null)
=> {"b": true} | [true, false, true, null]
SELECT json_array(1.50, 1.5e0, 10), json_object('d', 1.50)
=> [1.50, 1.5, 10] | {"d": 1.50}
SELECT json_extract('{"a": {"b": [1, 2]}}', '$.a.b[1]'), json_extract('{"a": 1}', '$.b') IS NULL
=> 2 | 1
SELECT cast('true' AS JSON) = true, cast('1' AS JSON) = 1, cast('"a"' AS JSON) = 'a', cast('[1]' AS JSON) = '[1]'
=> 1 | 1 | 1 | 0
# 7. Numbers
SELECT 0x41+0, 0x41, 0xff & 0x0f, -0x10, 0x41 = 65, 0x41 = 'A', concat(0x41)
# MariaDB takes x'41' for text, MySQL for what 0x41 is
SELECT x'41'+0, -x'10', x'41' = 65, x'41' = 'A'
=> 65 | -16 | 1 | 1
SELECT id FROM t1 WHERE id IN (0x01)
SELECT id FROM t1 WHERE id = 0x02
SELECT id FROM t1 WHERE id BETWEEN 0x01 AND 0x02 ORDER BY id
SELECT t1.id FROM t1 JOIN t2 ON t1.id=t2.id WHERE t1.id = 0x01
SELECT floor(18446744073709551615), ceil(18446744073709551615), floor(cast('12345678901234567890123456789012345678' AS DECIMAL(38))), ceil(12345678901234567890.5), round(18446744073709551615)
SELECT cast(1e20 AS UNSIGNED)
=> 9223372036854775807
SELECT cast(1e20 AS SIGNED), cast(-1e20 AS SIGNED), cast('1e3' AS SIGNED), cast(1.5 AS SIGNED), cast(-1.5 AS SIGNED), cast(2.5e0 AS SIGNED)
SELECT cast('99999999999999999999' AS SIGNED), cast('99999999999999999999' AS UNSIGNED), cast(99999999999999999999 AS SIGNED), cast(-5 AS UNSIGNED)
SELECT bit_and(x), bit_or(x), bit_xor(x) FROM (SELECT -1 AS x UNION ALL SELECT -2) v
SELECT bit_and(b), bit_or(a), bit_xor(a) FROM t1
SELECT bit_and(a), bit_or(a), bit_xor(a) FROM e0
SELECT 2/3*3, 1/3*3, 10/3, 1/7*7, (1/3)+(1/3)+(1/3), 2/3
=> 2.0001 | 0.9999 | 3.3333 | 1.0003 | 0.9999 | 0.6667
SELECT t1.a/3*3 FROM t1 JOIN t2 ON t1.id=t2.id ORDER BY t1.id
=> 0.9999
=> 2.0001
SELECT 5 % -3, -5 % 3, -5.5 % 2, 18446744073709551615 % -5, -5 % cast(3 AS UNSIGNED), mod(-7, 2)
SELECT coalesce(cast(1 AS UNSIGNED), -1), if(1, -1, cast(1 AS UNSIGNED)), ifnull(18446744073709551615, -1)
SELECT round(2.25e0,1), round(2.35e0,1), round(-2.25e0,1), round(2.5e0), round(1.15e0,1), round(2.25,1), round(25e-1), truncate(2.29e0,1)
SELECT count(DISTINCT x) FROM (SELECT 0e0 AS x UNION ALL SELECT -0e0) v
SELECT count(DISTINCT x), count(*) FROM (SELECT 0.0e0*-1 AS x UNION ALL SELECT 0e0 UNION ALL SELECT 1e0) v
SELECT cast(1 AS UNSIGNED) - 2
SET sql_mode='NO_UNSIGNED_SUBTRACTION'
SELECT cast(1 AS UNSIGNED) - 2, 1 - cast(2 AS UNSIGNED)
SET sql_mode='STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO'
# UNSIGNED of these types is read and not enforced
CREATE TABLE un (id INT PRIMARY KEY AUTO_INCREMENT, n DECIMAL(5,2) UNSIGNED, d DOUBLE UNSIGNED, f FLOAT UNSIGNED)
INSERT INTO un (n) VALUES (-1)
INSERT INTO un (d) VALUES (-1)
INSERT INTO un (f) VALUES (-0.5)
INSERT INTO un (n,d,f) VALUES (1,1,1)
UPDATE un SET n=-1
INSERT IGNORE INTO un (n,d,f) VALUES (-1,-1,-1)
SELECT n,d,f FROM un ORDER BY id
# 8. ROLLUP, NATURAL JOIN, UNION, and words that were accepted and ignored
CREATE TABLE sales (y INT, c VARCHAR(5), n INT)
INSERT INTO sales VALUES (2000,'a',1),(2000,'b',2),(2001,'a',4),(2001,NULL,8)
SELECT y, sum(n) FROM sales GROUP BY y WITH ROLLUP
SELECT y, c, sum(n) FROM sales GROUP BY y, c WITH ROLLUP
SELECT 1 AS k, y, sum(n) FROM sales GROUP BY k, y WITH ROLLUP
SELECT 'x', count(*) FROM sales GROUP BY 'x' WITH ROLLUP
SELECT * FROM t1 NATURAL JOIN t2
SELECT * FROM t1 JOIN t2 USING (b)
SELECT * FROM t1 NATURAL LEFT JOIN n2 ORDER BY id, c
SELECT * FROM t2 RIGHT JOIN t1 USING (b, a) ORDER BY t1.id
SELECT a FROM t1 UNION SELECT b FROM t1 ORDER BY 1
?columns (SELECT 1 AS k UNION SELECT 2 LIMIT 1)
?columns (SELECT 3 AS k) UNION (SELECT 1) LIMIT 1
SELECT id FROM t1 UNION ALL SELECT id FROM t2 ORDER BY id DESC LIMIT 2
SELECT id FROM t1 PARTITION (p0)
INSERT INTO t1 PARTITION (p0) VALUES (9,9,9,'z')
ALTER TABLE t1 RENAME TO
ALTER TABLE t1 RENAME
ALTER TABLE t1 RENAME TO ``
RENAME TABLE t1 TO ``
CREATE TABLE `` (a INT)
SELECT count(*) FROM t1
# 9. Locks: a second connection sees them
SET innodb_lock_wait_timeout=1
BEGIN
SELECT id FROM t1 WHERE id=1 FOR UPDATE
@2 BEGIN
@2 SELECT id FROM t1 WHERE id=1 FOR UPDATE NOWAIT
=> error 3572
@2 SELECT id FROM t1 WHERE id=2 FOR UPDATE NOWAIT
@2 SELECT id FROM t1 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
@2 SELECT id FROM t1 WHERE id<=3 ORDER BY id FOR UPDATE SKIP LOCKED
@2 SELECT id FROM t1 WHERE id=1 FOR UPDATE
@2 ROLLBACK
ROLLBACK
BEGIN
SELECT t1.id FROM t1 JOIN t2 ON t1.id=t2.id WHERE t2.id=2 FOR UPDATE
@2 BEGIN
@2 SELECT id FROM t1 WHERE id=2 FOR UPDATE NOWAIT
=> error 3572
@2 SELECT id FROM t2 WHERE id=2 FOR UPDATE NOWAIT
=> error 3572
@2 ROLLBACK
ROLLBACK
BEGIN
SELECT count(*) FROM t1 WHERE id<=2 FOR UPDATE
@2 BEGIN
@2 SELECT id FROM t1 WHERE id=2 FOR UPDATE NOWAIT
=> error 3572
@2 ROLLBACK
ROLLBACK
BEGIN
SELECT t1.id FROM t1 JOIN t2 ON t1.id=t2.id WHERE t2.id=2 FOR UPDATE OF t1
=> 2
@2 BEGIN
@2 SELECT id FROM t1 WHERE id=2 FOR UPDATE NOWAIT
=> error 3572
@2 SELECT id FROM t2 WHERE id=2 FOR UPDATE NOWAIT
@2 ROLLBACK
ROLLBACK
SET SESSION TRANSACTION READ ONLY
INSERT INTO t2 VALUES (7,7,7,'q')
SELECT count(*) FROM t2
BEGIN
DELETE FROM t2
ROLLBACK
START TRANSACTION READ WRITE
DELETE FROM t2 WHERE id=77
COMMIT
SET SESSION TRANSACTION READ WRITE
INSERT INTO t2 VALUES (8,8,8,'q')
SET TRANSACTION READ ONLY
BEGIN
DELETE FROM t2 WHERE id=8
COMMIT
DELETE FROM t2 WHERE id=8
# 10. NO_BACKSLASH_ESCAPES (its status flag: crates/sql/tests)
SET sql_mode='NO_BACKSLASH_ESCAPES'
SELECT 'a\', 'b'
SELECT 'a''b\n'
SET sql_mode=DEFAULT
SET sql_mode='STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO'
# 11. Time zones by name
SELECT convert_tz('2004-01-01 12:00:00','+00:00','+10:00'), convert_tz('2004-01-01 12:00:00','SYSTEM','SYSTEM'), convert_tz('2004-01-01 12:00:00',NULL,'+10:00'), convert_tz('2004-01-01 12:00:00','+00:00','nonsense')
SELECT convert_tz('2004-01-01 12:00:00','GMT','MET'), convert_tz('2024-07-01 12:00:00','UTC','Europe/Berlin'), convert_tz('2024-01-01 12:00:00.25','UTC','America/New_York')
=> 2004-01-01 13:00:00 | 2024-07-01 14:00:00 | 2024-01-01 07:00:00.25
SET time_zone='Europe/Berlin'
=> ok
SELECT @@time_zone
=> Europe/Berlin
CREATE TABLE zones (id INT PRIMARY KEY, ts TIMESTAMP NULL, KEY (ts))
INSERT INTO zones VALUES (1,'2024-07-01 12:00:00'),(2,'2024-01-01 12:00:00')
SELECT id, ts FROM zones ORDER BY id
=> 1 | 2024-07-01 12:00:00
=> 2 | 2024-01-01 12:00:00
SELECT unix_timestamp(ts), from_unixtime(unix_timestamp(ts)) FROM zones ORDER BY id
=> 1719828000 | 2024-07-01 12:00:00
=> 1704106800 | 2024-01-01 12:00:00
SELECT z.id, date_format(z.ts,'%H') FROM zones z JOIN t1 ON t1.id=z.id ORDER BY z.id
=> 1 | 12
=> 2 | 12
SELECT id FROM zones WHERE ts='2024-07-01 12:00:00'
=> 1
SELECT id FROM zones WHERE ts BETWEEN '2024-07-01 00:00:00' AND '2024-07-02 00:00:00'
=> 1
# A clock's hour that is left out becomes the moment at which it is left out
SELECT unix_timestamp('2024-03-31 02:30:00'), unix_timestamp('2024-10-27 01:59:59'), unix_timestamp('2024-10-27 03:00:00')
=> 1711846800 | 1729987199 | 1729994400
SET timestamp=1719828000
SELECT now(), curdate(), utc_timestamp()
=> 2024-07-01 12:00:00 | 2024-07-01 | 2024-07-01 10:00:00
SET timestamp=DEFAULT
SET time_zone='+00:00'
SELECT id, ts FROM zones ORDER BY id
=> 1 | 2024-07-01 10:00:00
=> 2 | 2024-01-01 11:00:00
SET time_zone='Nowhere/Land'
=> error 1298

# What long queries had by rules of their own: they are lowered from the same tree now
SELECT COUNT(MINUTE('a_c')), COUNT(DATE('x')), COUNT(LENGTH('x')) FROM t1
SELECT a FROM t1 UNION SELECT a FROM t2 ORDER BY a*-1, a
SELECT a FROM t1 UNION ALL SELECT c FROM n2 ORDER BY IFNULL(a, 2) + 1, a
SELECT c FROM n2 INTERSECT ALL SELECT b FROM t1
SELECT c FROM n2 EXCEPT ALL SELECT b FROM t1
SELECT SUM(a/3), AVG(a/7), SUM(b/3*3) FROM t1
=> 2.0000 | 0.28573333 | 5.0001
SELECT id FROM t1 WHERE s BETWEEN 'X' AND 'Z' ORDER BY id
SELECT x.id, (SELECT MAX(y.a) FROM t2 y WHERE y.b=x.b) FROM t1 x ORDER BY x.id
SELECT x.id FROM t1 x LEFT JOIN t2 y ON x.id IN (SELECT c FROM n2 WHERE 0) ORDER BY x.id
SELECT 'a' AS c, id FROM t1 UNION ALL SELECT s, 7 FROM t2 ORDER BY 2 DESC, 1
