# Tables
CREATE TABLE n (id INT PRIMARY KEY AUTO_INCREMENT, t TINYINT, u BIGINT UNSIGNED, d DECIMAL(8,3), f FLOAT, g DOUBLE)
INSERT INTO n VALUES (1,127,18446744073709551615,1.2345,1.1,1e100),(NULL,-128,0,-0.0005,-2.5,0.1)
INSERT INTO n (t) VALUES (128)
INSERT INTO n (u) VALUES (-1)
INSERT INTO n (d) VALUES (100000)
INSERT INTO n (t) VALUES ('')
INSERT INTO n (id,t) VALUES (3,'12'),(4,13),(5,'14.6')
SELECT * FROM n
SELECT id, t+u, d*2, f, g/3 FROM n WHERE id<=2
SELECT id, -t, u div 7, d mod 1, round(d,1), abs(t) FROM n WHERE id<=2
UPDATE n SET t=t+1 WHERE id=1
UPDATE n SET t=t-1 WHERE id=1
UPDATE n SET t=5 WHERE id=1
UPDATE n SET t=5 WHERE id=1
UPDATE n SET t=1/0 WHERE id=1
UPDATE n SET id=2 WHERE id=1
UPDATE n SET zz=1
DELETE FROM n WHERE id=99
DELETE FROM n WHERE zz=1
INSERT INTO n (id) VALUES (1)
INSERT IGNORE INTO n (id) VALUES (1),(20)
INSERT IGNORE INTO n (id,t) VALUES (21,1000)
SHOW WARNINGS
SELECT t FROM n WHERE id=21
INSERT INTO n (id,t) VALUES (1,7) ON DUPLICATE KEY UPDATE t=t+VALUES(t)
INSERT INTO n (id,t) VALUES (1,7) ON DUPLICATE KEY UPDATE t=t
SELECT t FROM n WHERE id=1
REPLACE INTO n (id,t) VALUES (1,1),(50,2)
SELECT id,t FROM n WHERE id IN (1,50,3) ORDER BY id DESC
SELECT id FROM n WHERE id BETWEEN 2 AND 20 ORDER BY id LIMIT 1,2
SELECT count(*), sum(t), min(id), max(id) FROM n
# Text
CREATE TABLE s (k VARCHAR(10) PRIMARY KEY, b VARCHAR(10) COLLATE utf8mb4_bin, c CHAR(4), x VARBINARY(4), e ENUM('small','Big'), j TEXT, KEY (b), KEY (c,e))
INSERT INTO s VALUES ('a','a','a ','ab','big','{}'),('B','B','b',x'00ff','SMALL',NULL),('ä','ä','é',NULL,2,'x')
INSERT INTO s (k) VALUES ('A')
INSERT INTO s (k) VALUES ('b ')
INSERT INTO s (k) VALUES ('toolongvalue')
INSERT INTO s (k,e) VALUES ('z','none')
INSERT INTO s (k,c) VALUES ('y','abcde')
SELECT k,b,c,hex(x),e,j FROM s ORDER BY k
SELECT k FROM s WHERE k='A'
SELECT k FROM s WHERE k='a  '
SELECT k FROM s WHERE b='A'
SELECT k FROM s WHERE b='a'
SELECT k FROM s WHERE e='BIG' ORDER BY k
SELECT k FROM s WHERE e=1
SELECT k FROM s WHERE e>1 ORDER BY k
SELECT k FROM s WHERE c LIKE 'A%'
SELECT k FROM s WHERE k LIKE '%a%' ORDER BY k
SELECT k FROM s WHERE x=x'00FF'
SELECT k, e+0, concat(e,'!'), upper(k), length(k), char_length(k) FROM s ORDER BY k
SELECT concat(k,b), concat_ws('-',k,j,c), left(k,1), substring(j,2), replace(b,'a','x') FROM s ORDER BY k
UPDATE s SET c=NULL WHERE k='a'
SELECT k FROM s WHERE c IS NULL
SELECT k FROM s WHERE c IS NOT NULL ORDER BY c
SELECT k FROM s WHERE c<=>NULL
UPDATE s SET k='b' WHERE k='a'
UPDATE s SET j=concat(ifnull(j,''),'+'), b=upper(b) ORDER BY k LIMIT 2
SELECT k,b,j FROM s ORDER BY k
DELETE FROM s ORDER BY k DESC LIMIT 1
SELECT k FROM s ORDER BY k
# Times
CREATE TABLE d (id INT PRIMARY KEY, a DATE, b DATETIME, c TIMESTAMP NULL, t TIME, y YEAR, m DATETIME(3), KEY (a), KEY (b))
INSERT INTO d VALUES (1,'2024-02-29','2024-02-29 12:34:56','2024-02-29 12:34:56','12:34:56',2024,'2024-02-29 12:34:56.789')
INSERT INTO d VALUES (2,20240301,20240301101112,'24-3-1 1:2:3','-100:00:00',24,'2024-03-01')
INSERT INTO d (id,a) VALUES (3,'2023-02-29')
INSERT INTO d (id,a) VALUES (3,'0000-00-00')
INSERT INTO d (id,b) VALUES (3,'nonsense')
INSERT INTO d (id,t) VALUES (3,'900:00:00')
INSERT INTO d (id,y) VALUES (3,3000)
SELECT * FROM d
SELECT id FROM d WHERE a='2024-2-29'
SELECT id FROM d WHERE a>='2024-03-01'
SELECT id FROM d WHERE b='2024-02-29'
SELECT id FROM d WHERE b BETWEEN '2024-02-29' AND '2024-03-01'
SELECT id, year(a), month(b), day(c), hour(t), minute(b), second(m), microsecond(m) FROM d
SELECT id, a + INTERVAL 1 DAY, b - INTERVAL 1 MONTH, date_add(c, INTERVAL 90 MINUTE) FROM d
SELECT id, datediff(a,'2024-01-01'), date_format(b,'%d.%m.%Y %H:%i'), unix_timestamp(c), date(b), time(b) FROM d
SELECT id, a+0, b+0, t+0, y+0 FROM d
UPDATE d SET a=a + INTERVAL 1 YEAR WHERE id=1
SELECT a FROM d WHERE id=1
UPDATE d SET b='2024-01-01 25:00:00'
# Errors and definitions
SELECT 1 FROM nope
SELECT nope FROM n
# MariaDB says 1146, MySQL 8 and we 1049
~SELECT * FROM nope.n
SELEC 1
INSERT INTO n VALUES (1,2)
INSERT INTO n (id,id) VALUES (1,2)
CREATE TABLE n (a INT)
CREATE TABLE IF NOT EXISTS n (a INT)
CREATE DATABASE oracle
DROP DATABASE nope
DROP TABLE nope
DROP TABLE IF EXISTS nope
CREATE TABLE x (a INT, a INT)
CREATE TABLE x (a INT, PRIMARY KEY (b))
CREATE TABLE x (a INT AUTO_INCREMENT)
CREATE TABLE x (a INT PRIMARY KEY, PRIMARY KEY (a))
# MariaDB shortens the key, MySQL and we refuse it
~CREATE TABLE xt (a TEXT, KEY (a))
CREATE TABLE x (a INT DEFAULT 'x')
CREATE TABLE x ()
CREATE TABLE x (a INT NOT NULL DEFAULT NULL)
CREATE TABLE x (a VARCHAR(20), b INT DEFAULT 3, c INT NOT NULL)
INSERT INTO x (a) VALUES ('q')
INSERT INTO x (c) VALUES (NULL)
INSERT INTO x (c) VALUES (1),(NULL)
INSERT INTO x (c) VALUES (1)
SELECT * FROM x
ALTER TABLE x ADD COLUMN d INT NOT NULL DEFAULT 4 AFTER a, ADD KEY (d)
SELECT * FROM x
ALTER TABLE x DROP COLUMN nope
ALTER TABLE x MODIFY b BIGINT FIRST
SELECT * FROM x
ALTER TABLE x DROP KEY nope
CREATE UNIQUE INDEX u ON x (c)
INSERT INTO x (c) VALUES (1)
# MariaDB counts the rows it copies
~DROP INDEX u ON x
ALTER TABLE x RENAME TO w
RENAME TABLE w TO x, n TO n2, n2 TO n
TRUNCATE TABLE x
SELECT * FROM x
# Transactions
BEGIN
INSERT INTO x (c) VALUES (10),(11)
SAVEPOINT a
UPDATE x SET c=c+1 ORDER BY c DESC
SELECT c FROM x ORDER BY c
ROLLBACK TO a
SELECT c FROM x ORDER BY c
RELEASE SAVEPOINT nope
ROLLBACK
SELECT c FROM x
SET autocommit=0
INSERT INTO x (c) VALUES (1)
SELECT c FROM x FOR UPDATE
COMMIT
SET autocommit=1
START TRANSACTION READ ONLY
INSERT INTO x (c) VALUES (1)
COMMIT
# Expressions
SELECT 1+1, 7/2, 7 DIV 2, 7%3, -7%3, 1/3, 2*1.50, 1e3, 0x41, x'4142'
SELECT 1=1.0, 'a'='A', 'a'<'b', NULL=NULL, 1 IN (2,NULL), NOT NULL, 1 XOR 1, 3 BETWEEN 1 AND 2
SELECT 'abc' LIKE 'A_C', 'a%c' LIKE 'a\%c', 'x' LIKE NULL, 'ab' NOT LIKE 'a'
SELECT if(1,'x','y'), ifnull(NULL,2), nullif(2,2), coalesce(NULL,'z'), case when 1>2 then 1 end
SELECT concat('a',1,2.50), upper('é'), lpad('7',3,'0'), rpad('ab',5,'xy'), trim('  x '), ltrim(' y'), repeat('ab',3)
SELECT substring('hello',2,3), substring('hello',-3), mid('hello',2,1), locate('l','hello'), locate('l','hello',4), instr('hello','LO')
SELECT hex('abc'), hex(255), unhex('41'), md5('x'), sha1('x'), sha2('x',256), crc32('x'), ascii('A'), char(65,66)
SELECT floor(-1.5), ceil(1.2), round(2.5), round(-2.5), round(1.005,2), truncate(1.999,2), sign(-3), pow(2,10), sqrt(16), mod(10,3)
SELECT greatest(1,2.5,0), least('b','a'), field('c','a','b','c'), find_in_set('b','a,b'), elt(2,'x','y'), strcmp('a','b')
SELECT cast('12' as signed), cast('1.55' as decimal(4,1)), cast(3.7 as signed), cast(-1 as unsigned), cast('2024-01-02' as date), cast(123 as char)
SELECT date_add('2024-01-31', interval 1 month), date_sub('2024-03-31', interval 1 month), datediff('2024-12-31','2024-01-01'), last_day('2024-02-01')
SELECT date_format('2024-07-04 15:06:07','%W %M %e %Y %r %j %U'), dayofweek('2024-07-04'), weekday('2024-07-04'), dayofyear('2024-07-04'), week('2024-07-04'), quarter('2024-07-04')
SELECT timestampdiff(day,'2024-01-01','2024-03-01'), timestampdiff(month,'2024-01-31','2024-02-29'), to_days('2024-01-01'), from_days(739251), makedate(2024,60)
SELECT str_to_date('01,5,2013','%d,%m,%Y'), extract(year from '2024-05-06'), sec_to_time(3661), time_to_sec('01:01:01')
SELECT 9223372036854775807+1
SELECT 18446744073709551615+1
SELECT -9223372036854775808
SELECT 1/0, 5 DIV 0, 5%0
SELECT conv('ff',16,10), bin(10), oct(8), format(1234567.891,2), inet_aton('10.0.0.1'), inet_ntoa(167772161)
SELECT json_extract('{"a": [1, {"b": 2}]}', '$.a[1].b'), json_valid('[1'), json_length('[1,2,3]'), json_unquote('"x"')
SELECT 'it''s', "dq", 'a\nb', 'tab\t', '\\', 'a' 'b' AS ab
SELECT NULL, TRUE, FALSE, 'x' AS `quoted name`, 1 one
SELECT @a := 5
SET @v = 3, @w = 'text'
SELECT @v, @w, @v+1, @nothing
SELECT database(), @@autocommit
SELECT last_insert_id(77), last_insert_id()
SELECT 1 WHERE 1=2
SELECT 1 LIMIT 0
SELECT 3 FROM dual
~VALUES (1,2),(3,4)
# Look-ups on composite keys
CREATE TABLE k (a INT, b VARCHAR(5), c INT, d INT, PRIMARY KEY (a,b,c), KEY dc (d,c), UNIQUE KEY ud (d,a,c))
INSERT INTO k VALUES (1,'x',1,10),(1,'x',2,20),(1,'y',1,NULL),(2,'x',1,10),(2,'z',5,NULL),(3,'x',1,30)
SELECT * FROM k WHERE a=1 ORDER BY b,c
SELECT * FROM k WHERE a=1 AND b='X' ORDER BY c DESC
SELECT * FROM k WHERE a=1 AND b='x' AND c>1
SELECT * FROM k WHERE a=1 AND c=1 ORDER BY b
SELECT * FROM k WHERE a IN (1,3) AND b='x' ORDER BY a,c
SELECT * FROM k WHERE a>1 ORDER BY a DESC, b DESC, c DESC
SELECT * FROM k WHERE d=10 ORDER BY c, a
SELECT a,b,c FROM k WHERE d IS NULL ORDER BY a
SELECT a,b,c FROM k WHERE d<=>NULL AND a=1
SELECT a,b FROM k WHERE d>=20 ORDER BY d DESC
SELECT a,b FROM k WHERE d BETWEEN 10 AND 20 ORDER BY a,b,c LIMIT 2 OFFSET 1
SELECT a,b FROM k WHERE d>'10' ORDER BY a
SELECT a,b FROM k WHERE d>10.5 ORDER BY a
SELECT a,b FROM k WHERE a=1.0 AND b=0 ORDER BY b,c
SELECT a FROM k WHERE b LIKE 'x%' ORDER BY a,c
SELECT a FROM k WHERE NOT a=1 AND NOT b='x'
SELECT DISTINCT b FROM k ORDER BY b
SELECT a, count(*) AS n, max(c) FROM k GROUP BY a ORDER BY a
SELECT k.a, n.t FROM k JOIN n ON n.id=k.a WHERE k.c=1 ORDER BY k.a, n.t
SELECT a FROM k WHERE a=1 UNION SELECT 9 ORDER BY 1
UPDATE k SET c=c+1 WHERE a=1 AND b='x' ORDER BY c DESC
UPDATE k SET d=10 WHERE a=1 AND b='y'
UPDATE k SET d=10, c=1 WHERE a=2 AND b='z'
SELECT * FROM k ORDER BY a,b,c
DELETE FROM k WHERE a=1 AND b='x' AND c BETWEEN 2 AND 3
SELECT * FROM k ORDER BY a,b,c
SELECT a,b,c FROM k WHERE d BETWEEN 5 AND 10 OR d BETWEEN 20 AND 30 OR d IS NULL ORDER BY a,b,c
SELECT a,b,c FROM k WHERE a<2 OR a=2 AND b<'z' OR (a,b)=(3,'x') ORDER BY a,b,c LIMIT 5
SELECT a,b,c FROM k WHERE (a,b)>(1,'x') ORDER BY a DESC, b DESC, c DESC LIMIT 3
SELECT a,b,c FROM k WHERE d=10 OR a=3 AND b='x' ORDER BY a,b,c
SELECT COUNT(*), MIN(c), MAX(d) FROM k WHERE d=10 OR a IN (1,3) OR d IS NULL AND a=2
SELECT x.a, y.a, y.d FROM k x JOIN k y ON y.d=x.d OR y.a=x.a AND y.b=x.b ORDER BY x.a, x.b, x.c, y.a, y.b, y.c
SELECT a,b,c FROM k WHERE d>5 OR d IS NULL ORDER BY c,a,b FOR UPDATE
UPDATE k SET c=c+100 WHERE d=10 OR a=2 AND b='z' OR d IS NULL AND a=1
SELECT a,b,c FROM k ORDER BY a,b,c
UPDATE k SET c=c-100 WHERE c>100 AND (d=10 OR d IS NULL OR d>10)
INSERT INTO k SELECT a+10, b, c, d+100 FROM k WHERE d IS NOT NULL
SELECT * FROM k WHERE a>=10 ORDER BY a
UPDATE k JOIN n ON n.id=k.a SET k.d=n.t+1000 WHERE k.a=3
SELECT * FROM k WHERE a=3
DELETE k FROM k JOIN n ON n.id=k.a
SELECT a FROM k ORDER BY a
# Statements that are prepared for once, and expressions for their parameters
CREATE TABLE im (a INT PRIMARY KEY, b VARCHAR(10))
INSERT INTO im VALUES (1,'x'),(2,'y'),(3,'z')
EXECUTE IMMEDIATE 'SELECT 1+?' USING 5
EXECUTE IMMEDIATE 'SELECT ?, ?' USING 5*2, concat('a','b')
SET @s='SELECT a FROM im ORDER BY a'
EXECUTE IMMEDIATE @s
EXECUTE IMMEDIATE concat('SELECT ', 1)
EXECUTE IMMEDIATE NULL
EXECUTE IMMEDIATE (SELECT 'SELECT 7')
EXECUTE IMMEDIATE 'SELECT ?'
EXECUTE IMMEDIATE 'SELECT ?' USING 1,2
EXECUTE IMMEDIATE 'EXECUTE IMMEDIATE "SELECT 1"'
EXECUTE IMMEDIATE 'PREPARE s FROM "SELECT 1"'
EXECUTE IMMEDIATE 'SELECT 1; SELECT 2'
EXECUTE IMMEDIATE 'INSERT INTO im VALUES (?,?)' USING 4+5, 'nine'
PREPARE s FROM 'SELECT ? + ?'
EXECUTE s USING 1, 2*3
EXECUTE s USING @nope, NULL
EXECUTE s USING (SELECT 1), 2
EXECUTE s USING 1
DEALLOCATE PREPARE s
# Tables in the place of others
CREATE OR REPLACE TABLE re (a INT)
INSERT INTO re VALUES (1)
CREATE OR REPLACE TABLE re (b INT, c INT DEFAULT 3)
INSERT INTO re (b) VALUES (2)
SELECT * FROM re
CREATE OR REPLACE TABLE re AS SELECT a, b FROM im
SELECT * FROM re ORDER BY a
CREATE OR REPLACE TABLE re AS SELECT * FROM re
CREATE OR REPLACE TABLE re LIKE re
CREATE OR REPLACE TABLE IF NOT EXISTS re (a INT)
CREATE OR REPLACE TABLE re LIKE im
SELECT count(*) FROM re
# The first rows, in the words of the standard
SELECT a FROM im ORDER BY a FETCH FIRST 2 ROWS ONLY
SELECT a FROM im ORDER BY a FETCH FIRST ROW ONLY
SELECT a FROM im ORDER BY a OFFSET 1 ROW FETCH NEXT 1 ROWS ONLY
SELECT a FROM im ORDER BY a OFFSET 1 ROWS
SELECT a FROM im ORDER BY a OFFSET 1 FETCH FIRST 1 ROW ONLY
SELECT a FROM im FETCH FIRST 1 ROWS WITH TIES
SELECT a FROM im ORDER BY a LIMIT 1 FETCH FIRST 1 ROW ONLY
(SELECT a FROM im) UNION (SELECT 5) ORDER BY 1 FETCH FIRST 2 ROWS ONLY
SELECT * FROM (SELECT a FROM im ORDER BY a FETCH FIRST 1 ROWS ONLY) d
SELECT a FROM im ORDER BY a FETCH FIRST 0 ROWS ONLY
SELECT count(*) AS n FROM im GROUP BY b ORDER BY 1 OFFSET 1 ROW FETCH FIRST 2 ROWS ONLY
# Variables for one statement
SET STATEMENT group_concat_max_len=4, time_zone='+05:00' FOR SELECT group_concat(b ORDER BY a), @@time_zone FROM im
SELECT @@time_zone
SET STATEMENT sql_mode='' FOR INSERT INTO im VALUES (20,'much too long a text')
SELECT b FROM im WHERE a=20
INSERT INTO im VALUES (21,'much too long a text')
# MariaDB has read the statement before the mode is another one, here it is read under it
~SET STATEMENT sql_mode='ANSI_QUOTES' FOR SELECT "a" FROM im ORDER BY a LIMIT 1
SET STATEMENT max_statement_time=1 FOR SET STATEMENT max_statement_time=2 FOR SELECT @@max_statement_time
SET STATEMENT max_statement_time=1 FOR SET @x=5
SELECT @x, @@max_statement_time
SET STATEMENT max_statement_time=1 FOR SELECT * FROM nope
SET STATEMENT sql_select_limit=1 FOR SELECT a FROM im ORDER BY a
SELECT count(*)>1 FROM im
SET STATEMENT max_statement_time=DEFAULT FOR SELECT 1
SET STATEMENT max_statement_time=1+1 FOR EXECUTE IMMEDIATE 'SELECT @@max_statement_time'
SET STATEMENT nope=1 FOR SELECT 1
SET STATEMENT autocommit=0 FOR SELECT 1
SET STATEMENT character_set_client=latin1 FOR SELECT 1
SET STATEMENT @a=1 FOR SELECT 1
SET STATEMENT global max_statement_time=1 FOR SELECT 1
SET STATEMENT FOR SELECT 1
SET STATEMENT max_statement_time=1 FOR
EXECUTE IMMEDIATE 'SET STATEMENT max_statement_time=1 FOR SELECT ?, @@max_statement_time' USING 3
# Rows that are given back
CREATE TABLE rt (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(10), n INT DEFAULT 7)
INSERT INTO rt (v) VALUES ('a'),('b') RETURNING id, v, n
INSERT INTO rt (v) VALUES ('c') RETURNING *
INSERT INTO rt (v) VALUES ('d') RETURNING id+1 AS x, concat(v,'!'), n*2+1
SELECT row_count()
INSERT INTO rt (id,v) VALUES (1,'q') ON DUPLICATE KEY UPDATE v='up' RETURNING id, v
INSERT INTO rt (id,v) VALUES (1,'q') ON DUPLICATE KEY UPDATE v='up' RETURNING id, v
INSERT IGNORE INTO rt (id,v) VALUES (1,'q'),(20,'t') RETURNING id, v
INSERT IGNORE INTO rt (id,v) VALUES (1,'q') RETURNING id, v
INSERT INTO rt (id,v) VALUES (30,'x'),(1,'q') RETURNING id
INSERT INTO rt (v) SELECT b FROM im WHERE a<3 ORDER BY a RETURNING v
INSERT INTO rt SET v='s' RETURNING v, n
REPLACE INTO rt (id,v) VALUES (1,'new'),(60,'q') RETURNING id, v, n
REPLACE INTO rt SET id=1, v='z' RETURNING *
REPLACE INTO rt SELECT 2,'b2',3 RETURNING *
INSERT INTO rt (id,v) VALUES (100,'a'),(100,'b') ON DUPLICATE KEY UPDATE v=concat(v,'+') RETURNING id, v
INSERT INTO rt (v) VALUES ('e') RETURNING nope
INSERT INTO rt (v) VALUES ('e') RETURNING sum(id)
INSERT INTO rt (v) VALUES ('e') RETURNING rt.v, 1
INSERT INTO rt (v) VALUES ('e') RETURNING rt.*, *
INSERT INTO rt (v) VALUES ('e') RETURNING id INTO @x
INSERT INTO rt (v) VALUES ('e') RETURNING DISTINCT id
INSERT INTO rt (v) VALUES ('e') RETURNING id ORDER BY id
INSERT INTO rt (v) VALUES ('toolongtoolongtoolong') RETURNING v
UPDATE rt SET v='u' RETURNING id
DELETE FROM rt WHERE id<3 RETURNING id, v
DELETE FROM rt WHERE id<3 RETURNING id, v
DELETE FROM rt WHERE id IN (SELECT a FROM im) ORDER BY id LIMIT 1 RETURNING *
DELETE rt FROM rt JOIN im ON rt.id=im.a RETURNING rt.id
DELETE FROM rt RETURNING count(*)
DELETE FROM rt RETURNING nope
DELETE FROM rt WHERE v='s' RETURNING v AS gone, n
EXECUTE IMMEDIATE 'INSERT INTO rt (id,v) VALUES (?,?) RETURNING id, v' USING 200, 'pp'
EXECUTE IMMEDIATE 'DELETE FROM rt WHERE v=? RETURNING id, v' USING 'pp'
BEGIN
DELETE FROM rt WHERE id>50 RETURNING id, v
ROLLBACK
SELECT id, v FROM rt WHERE id>50 ORDER BY id
# sql_select_limit: what a query gives that does not say how many rows it gives
CREATE TABLE sl (a INT PRIMARY KEY, b INT, KEY (b))
INSERT INTO sl VALUES (1,10),(2,20),(3,30),(4,40)
PREPARE sl FROM 'SELECT a FROM sl WHERE a>? ORDER BY a'
SET @zero=0
SET sql_select_limit=2
SELECT a FROM sl ORDER BY a
SELECT found_rows()
SELECT a FROM sl WHERE b>10 ORDER BY b DESC
SELECT a FROM sl ORDER BY a LIMIT 3
SELECT a FROM sl ORDER BY a LIMIT 1,3
SELECT a FROM sl ORDER BY a OFFSET 1 ROW
SELECT a FROM sl ORDER BY a FETCH FIRST 3 ROWS ONLY
(SELECT a FROM sl ORDER BY a)
(SELECT a FROM sl ORDER BY a LIMIT 3)
(SELECT a FROM sl ORDER BY a LIMIT 3) ORDER BY a DESC
(SELECT a FROM sl ORDER BY a) ORDER BY a DESC
SELECT a FROM sl UNION ALL SELECT b FROM sl ORDER BY 1
SELECT a FROM sl UNION SELECT b FROM sl ORDER BY 1 LIMIT 5
(SELECT a FROM sl ORDER BY a LIMIT 3) UNION ALL (SELECT 9 FROM sl LIMIT 3) ORDER BY 1 DESC
VALUES (1),(2),(3)
=> 1
=> 2
SELECT b, count(*) FROM sl GROUP BY b ORDER BY b
SELECT b, sum(a) FROM sl GROUP BY b WITH ROLLUP
SELECT DISTINCT b FROM sl ORDER BY b
SELECT a, row_number() OVER (ORDER BY a DESC) FROM sl ORDER BY a
SELECT x.a, y.a FROM sl x JOIN sl y ON y.a>=x.a ORDER BY 1, 2
WITH c AS (SELECT a FROM sl) SELECT a FROM c ORDER BY a
WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n+1 FROM r WHERE n<5) SELECT n FROM r
SELECT a FROM sl ORDER BY a FOR UPDATE
EXECUTE sl USING @zero
EXECUTE IMMEDIATE 'SELECT a FROM sl ORDER BY a'
SET STATEMENT sql_select_limit=3 FOR SELECT a FROM sl ORDER BY a
SELECT SQL_CALC_FOUND_ROWS a FROM sl ORDER BY a
SELECT found_rows()
# Not what stands within a query, nor what a statement writes
SELECT count(*) FROM (SELECT a FROM sl) x
SELECT count(*) FROM sl WHERE a IN (SELECT a FROM sl)
SELECT (SELECT max(a) FROM sl), group_concat(a ORDER BY a) FROM sl
WITH c AS (SELECT a FROM sl) SELECT count(*) FROM c
SELECT (SELECT a FROM sl)
CREATE TABLE sl_of SELECT a FROM sl
SELECT count(*) FROM sl_of
INSERT INTO sl_of SELECT a FROM sl
SELECT count(*) FROM sl_of
SET @counted=(SELECT count(*) FROM (SELECT a FROM sl) x)
SELECT @counted
UPDATE sl SET b=b+1
DELETE FROM sl_of
SET sql_select_limit=1
SELECT a INTO @one FROM sl ORDER BY a DESC
SELECT @one
EXECUTE sl USING @zero
SET sql_select_limit=0
SELECT a FROM sl
SELECT 1
EXECUTE sl USING @zero
SET sql_select_limit=DEFAULT
EXECUTE sl USING @zero
SELECT a FROM sl ORDER BY a
