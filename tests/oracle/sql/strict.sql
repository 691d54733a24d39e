# What a strict write makes of values that make no sense: an error; NULL or 0 was stored in silence
CREATE TABLE sw (id INT PRIMARY KEY, d DATE, dt DATETIME, n INT, s VARCHAR(30), tm TIME)
INSERT INTO sw VALUES (1,'2024-01-01','2024-01-01',1,'abc','10:00:00'),(2,'2024-01-02','2024-01-01',2,'5','10:00:00'),(3,NULL,NULL,NULL,NULL,NULL),(4,'2024-01-02','2024-01-01',2,'','10:00:00')
INSERT INTO sw (id, d) VALUES (12, STR_TO_DATE('abc', '%Y-%m-%d'))
# MariaDB has the number of the column's error here
INSERT INTO sw (id, d) VALUES (10, STR_TO_DATE('31/02/2024', '%d/%m/%Y'))
=> error 1411
INSERT INTO sw (id, d) VALUES (13, CAST('abc' AS DATE))
INSERT INTO sw (id, d) VALUES (14, CAST('2024-02-30' AS DATE))
INSERT INTO sw (id, d) VALUES (15, LAST_DAY('2024-02-30'))
INSERT INTO sw (id, d) VALUES (16, DATE_ADD('2024-02-30', INTERVAL 1 DAY))
INSERT INTO sw (id, d) VALUES (17, DATE_ADD('9999-12-31', INTERVAL 1 DAY))
INSERT INTO sw (id, n) VALUES (18, 'abc' + 1)
INSERT INTO sw (id, n) VALUES (19, '5x' + 1)
INSERT INTO sw (id, n) VALUES (20, CAST('5x' AS SIGNED))
INSERT INTO sw (id, n) VALUES (21, CAST('abc' AS DECIMAL(5,2)))
INSERT INTO sw (id, n) VALUES (22, YEAR('abc'))
INSERT INTO sw (id, n) VALUES (23, DATEDIFF('abc', NOW()))
INSERT INTO sw (id, n) VALUES (24, TIMESTAMPDIFF(DAY, 'abc', NOW()))
INSERT INTO sw (id, n) VALUES (25, UNIX_TIMESTAMP('abc'))
INSERT INTO sw (id, tm) VALUES (26, TIME('abc'))
INSERT INTO sw (id, tm) VALUES (27, CAST('abc' AS TIME))
INSERT INTO sw (id, n) VALUES (28, HOUR('abc'))
INSERT INTO sw (id, n) VALUES (29, EXTRACT(DAY FROM 'abc'))
INSERT INTO sw (id, s) VALUES (30, DATE_FORMAT('abc', '%Y'))
INSERT INTO sw (id, d) VALUES (31, DATE(''))
INSERT INTO sw (id, dt) VALUES (32, TIMESTAMP('abc'))
INSERT INTO sw (id, n) VALUES (33, ABS('abc'))
INSERT INTO sw (id, n) VALUES (34, IF('abc', 1, 2))
INSERT INTO sw (id, n) VALUES (36, -'abc')
INSERT INTO sw (id, n) VALUES (37, SQRT('4x'))
INSERT INTO sw (id, n) VALUES (39, 'abc' | 1)
INSERT INTO sw (id, n) VALUES (42, ' 5' + 1)
INSERT INTO sw (id, n) VALUES (43, TO_DAYS('abc'))
INSERT INTO sw (id, n) VALUES (44, TIME_TO_SEC('abc'))
INSERT INTO sw (id, tm) VALUES (45, ADDTIME('abc','1:0:0'))
INSERT INTO sw (id, tm) VALUES (46, TIMEDIFF('abc','1:0:0'))
INSERT INTO sw (id, n) VALUES (48, DAYOFWEEK('2024-02-30'))
INSERT INTO sw (id, s) VALUES (50, REPEAT('a', 'x'))
INSERT INTO sw (id, n) VALUES (51, CASE WHEN 'abc' THEN 1 ELSE 2 END)
INSERT INTO sw (id, n) VALUES (52, 'abc' AND 1)
INSERT INTO sw (id, n) VALUES (53, NOT 'abc')
INSERT INTO sw (id, n) VALUES (54, '1e3' + 0), (55, DATEDIFF(NULL, NOW()))
UPDATE sw SET n = s + 1 WHERE id = 1
UPDATE sw SET n = s + 1 WHERE id = 2
UPDATE sw SET n = 9 WHERE s + 0 = 5
UPDATE sw SET n = n + IF(s, 1, 0) WHERE id = 1
UPDATE sw a JOIN sw b ON a.id = b.id SET a.n = b.s + 1 WHERE a.id = 1
UPDATE sw SET n = (SELECT SUM(s) FROM (SELECT 'x' AS s) t) WHERE id = 1
INSERT INTO sw (id, n) SELECT id + 60, s + 1 FROM sw WHERE n < 5
INSERT INTO sw (id, d) SELECT id + 70, STR_TO_DATE(s, '%Y-%m-%d') FROM sw WHERE id = 1
INSERT INTO sw (id, n) SELECT 68, SUM(s) FROM sw
INSERT INTO sw (id, n) SELECT id + 80, 5 FROM sw WHERE s + 0 = 1
REPLACE INTO sw (id, n) VALUES (1, 'abc' + 1)
INSERT INTO sw (id, n) VALUES (1, 5) ON DUPLICATE KEY UPDATE n = 'abc' + 1
CREATE TABLE sw2 AS SELECT 'abc' + 1 AS x
CREATE TABLE sw3 AS SELECT STR_TO_DATE('x','%Y-%m-%d') AS x
SELECT id, d, dt, n, s, tm FROM sw ORDER BY id
# A text beside a number has to be one: `s = 0` was true of every word.
CREATE TABLE sc (id INT PRIMARY KEY, s VARCHAR(20), n INT, k VARCHAR(20), j JSON, e ENUM('a','b'), KEY (k))
INSERT INTO sc VALUES (1,'abc',5,'abc','5','a'),(2,'5',5,'5','"x"','b'),(3,NULL,NULL,NULL,NULL,NULL)
UPDATE sc SET n = 1 WHERE s = 0
UPDATE sc SET n = 1 WHERE s = 5
UPDATE sc SET n = 1 WHERE k = 5
UPDATE sc SET n = 1 WHERE k > 1.5
UPDATE sc SET n = 2 WHERE s IN (5, 6)
UPDATE sc SET n = 2 WHERE s BETWEEN 1 AND 6
UPDATE sc SET n = 2 WHERE NOT s <> 5
UPDATE sc SET n = IF(s = 5, 1, 2) WHERE id = 1
UPDATE sc SET n = IF(s = 5, 1, 2) WHERE id = 2
UPDATE sc SET n = 2 WHERE CASE s WHEN 5 THEN 1 ELSE 0 END
UPDATE sc a JOIN sc b ON a.s = b.n SET a.n = 4
UPDATE sc SET n = 3 WHERE s = (SELECT 5)
UPDATE sc SET n = 3 WHERE id = 2 AND s = 5
UPDATE sc SET n = 3 WHERE s = '5'
UPDATE sc SET n = 3 WHERE e = 1
INSERT INTO sc (id, n) SELECT id + 10, 1 FROM sc WHERE s = 5
INSERT INTO sc (id, n) VALUES (20, 'abc' = 5)
REPLACE INTO sc (id, n) SELECT 30, COUNT(*) FROM sc WHERE s = 5
~UPDATE IGNORE sc SET n = 7 WHERE s = 5
DELETE FROM sc WHERE s = 99
=> error 1292
SELECT id FROM sc WHERE s = 0
SELECT * FROM sc ORDER BY id
# IGNORE, a query and other modes go on.
INSERT IGNORE INTO sw (id, n) VALUES (90, 'abc' + 1)
INSERT IGNORE INTO sw (id, d) VALUES (91, STR_TO_DATE('x','%Y'))
SELECT 'abc' + 1, STR_TO_DATE('x','%Y'), DATE('abc'), HOUR('abc')
SELECT id, s + 0 FROM sw WHERE s + 0 = 0 ORDER BY id
# DELETE does not in MySQL 9.7; MariaDB deletes and warns
DELETE FROM sw WHERE s + 0 = 77
=> error 1292
DELETE FROM sw WHERE DATE(s) = '2020-01-01'
=> error 1292
DELETE FROM sw WHERE n / 0 = 1
=> error 1365
DELETE a FROM sw a JOIN sw b ON a.id = b.id WHERE b.s + 0 = 77
=> error 1292
SELECT COUNT(*) FROM sw
SET sql_mode = ''
INSERT INTO sw (id, n) VALUES (118, 'abc' + 1)
INSERT INTO sw (id, d) VALUES (110, STR_TO_DATE('x', '%d/%m/%Y'))
UPDATE sw SET n = s + 1 WHERE id = 1
SELECT id, d, n FROM sw WHERE id > 89 OR id = 1 ORDER BY id
