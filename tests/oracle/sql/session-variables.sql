# Session variables that change what expressions give: names of months and days, digits of quotients,
# weeks, and IS NULL of numbers that the server made up
# judges: mysql
CREATE TABLE n (id INT AUTO_INCREMENT PRIMARY KEY, a INT, d DECIMAL(6,2), f DOUBLE)
INSERT INTO n (a, d, f) VALUES (1, 1.25, 0.5), (2, 2.50, 1.5), (7, 3.75, 2.5)
SET lc_time_names = 'de_DE'
SELECT @@lc_time_names, MONTHNAME('2024-03-05'), DAYNAME('2024-03-05'), DATE_FORMAT('2024-03-05', '%W %a %M %b %D')
SELECT STR_TO_DATE('5 March 2024', '%d %M %Y'), STR_TO_DATE('5 März 2024', '%d %M %Y')
SELECT MONTHNAME(NULL), DAYNAME('2024-00-00'), MONTHNAME('2024-00-01')
SET lc_time_names = 8
SELECT @@lc_time_names, MONTHNAME('2024-03-05'), DATE_FORMAT('2024-12-31', '%a %b')
SET lc_time_names = 'JA_jp'
SELECT @@lc_time_names, DATE_FORMAT('2024-12-31', '%W %a %M %b')
SET lc_time_names = 'xx'
SET lc_time_names = 999
SELECT @@lc_time_names
SET lc_time_names = DEFAULT
SELECT MONTHNAME('2024-03-05'), FROM_UNIXTIME(0, '%W')
SET div_precision_increment = 8
SELECT 1 / 3, 10 / 3.00, 1e0 / 3
SELECT a / 3, d / 7, f / 3 FROM n ORDER BY id
SELECT AVG(a), AVG(d), SUM(d) / 7 FROM n
SELECT a, AVG(d) FROM n GROUP BY a ORDER BY a
SELECT a, AVG(d) OVER (ORDER BY id) FROM n
CREATE TABLE q AS SELECT a / 3 AS x, d / 3 AS y FROM n
SHOW CREATE TABLE q
SET div_precision_increment = 14
SELECT 1 / 3, 22 / 7.0
SELECT AVG(d) FROM n
SET sql_mode = 'ANSI_QUOTES'
SELECT 1 / 3
SET sql_mode = DEFAULT
SELECT 1 / 3
SET div_precision_increment = 31
SHOW WARNINGS
SELECT @@div_precision_increment
SET div_precision_increment = 0
SELECT 1 / 3, 10.5 / 3
SELECT AVG(a) FROM n
SET div_precision_increment = 'x'
SET div_precision_increment = DEFAULT
SELECT @@div_precision_increment, 1 / 3
SET default_week_format = 3
SELECT WEEK('2024-12-31'), WEEK('2024-12-31', 0), YEARWEEK('2024-12-31'), WEEKOFYEAR('2024-12-31')
SET default_week_format = 9
SHOW WARNINGS
SELECT @@default_week_format
SET default_week_format = DEFAULT
SELECT WEEK('2024-12-31')
SET sql_auto_is_null = 1
INSERT INTO n (a) VALUES (9)
SELECT id, a FROM n WHERE id IS NULL
SELECT id, a FROM n WHERE id IS NULL AND a = 9
SELECT id, a FROM n WHERE a IS NULL
SELECT id, a FROM n WHERE id IS NOT NULL ORDER BY id
SET sql_auto_is_null = 0
SELECT id, a FROM n WHERE id IS NULL
SET max_sort_length = 64
SELECT @@max_sort_length, a FROM n ORDER BY a
SET max_sort_length = 1
SHOW WARNINGS
SET max_sort_length = DEFAULT
# The scope that was said last is that of the assignments behind it, but of those with @@
SET GLOBAL div_precision_increment = 5, default_week_format = 1
SELECT @@GLOBAL.div_precision_increment, @@SESSION.div_precision_increment, @@GLOBAL.default_week_format, @@SESSION.default_week_format
SET GLOBAL div_precision_increment = 6, SESSION default_week_format = 2, div_precision_increment = 7
SELECT @@GLOBAL.div_precision_increment, @@SESSION.div_precision_increment, @@GLOBAL.default_week_format, @@SESSION.default_week_format
SET @y = 1, GLOBAL div_precision_increment = 8, @z = 2, default_week_format = 3, @@default_week_format = 4
SELECT @@GLOBAL.div_precision_increment, @@SESSION.div_precision_increment, @@GLOBAL.default_week_format, @@SESSION.default_week_format, @y, @z
SET @@GLOBAL.div_precision_increment = 9, default_week_format = 5
SELECT @@GLOBAL.div_precision_increment, @@SESSION.div_precision_increment, @@GLOBAL.default_week_format, @@SESSION.default_week_format
SET GLOBAL div_precision_increment = 4, default_week_format = 0
# sql_safe_updates
create table safe (id int primary key, a int, b int, key(a))
insert into safe values (1,1,1),(2,2,2),(3,3,3)
set sql_safe_updates = 1
update safe set b=1
update safe set b=1 where b=2
update safe set b=1 where id=1
update safe set b=1 where a=1
update safe set b=1 where a>0
update safe set b=1 where a=1 or b=1
update safe set b=1 where b=1 limit 1
update safe set b=1 limit 1
update safe set b=1 where id+0=1
update safe set b=1 where 1
update safe set b=1 where id=1 and b=1
update safe set b=1 order by id
delete from safe
delete from safe where b=7
delete from safe where id=7
delete from safe where b=7 limit 1
update safe set b=1 where id in (1,2)
update safe set b=1 where id between 1 and 2
update safe set b=1 where a is null
prepare s from 'delete from safe where b = ?'
set @x = 1
execute s using @x
set sql_safe_updates = 0
execute s using @x
select * from safe
# Values of a wrong type, numbers in the place of words, scopes
SET max_execution_time = 1.5
SET max_execution_time = '1'
SET max_execution_time = NULL
SET max_execution_time = 18446744073709551616
SET sql_safe_updates = '1'
SET sql_safe_updates = 1.0
SET sql_safe_updates = 2
SET sql_safe_updates = 'on'
SELECT @@sql_safe_updates
SET sql_safe_updates = DEFAULT
SET long_query_time = '1'
SET long_query_time = 1
SET last_insert_id = 'abc'
SET last_insert_id = 1.5
SET last_insert_id = -1
SELECT @@last_insert_id
SET sql_mode = 0
SELECT @@sql_mode
SET sql_mode = 34
SELECT @@sql_mode
SET sql_mode = 1.5
SET sql_mode = DEFAULT
SET transaction_isolation = 1
SELECT @@transaction_isolation
SET transaction_isolation = '1'
SET transaction_isolation = 4
SET transaction_isolation = 'serializable'
SELECT @@transaction_isolation
SET transaction_isolation = DEFAULT
SET character_set_results = 8
SELECT @@character_set_results
SET character_set_results = NULL
SET character_set_client = NULL
SET character_set_client = 1.5
SET collation_connection = 255
SELECT @@collation_connection, @@character_set_connection
SET collation_connection = 1000
SET time_zone = 1
SET NAMES utf8mb4
SELECT @@global.timestamp
SELECT @@session.version_comment
SELECT @@global.warning_count
SELECT @@session.max_connections
SELECT @@global.insert_id
SET GLOBAL timestamp = 1
SET GLOBAL last_insert_id = 1
SET SESSION max_connections = 1
SELECT @@local.sql_safe_updates, @@global.sql_safe_updates
