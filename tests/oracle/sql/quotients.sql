# Quotients are what they show; averages of one group have more digits within an expression
# judges: mysql
CREATE TABLE q (id INT PRIMARY KEY, a INT, b DECIMAL(10,2), f FLOAT, d DOUBLE, u INT UNSIGNED, s VARCHAR(30), g INT)
INSERT INTO q VALUES (1,1,1.10,1.5,2.5,3,'2020-01-02 10:11:12',1),(2,2,2.20,2.25,-3.5,7,'2021-03-04',1),(3,NULL,NULL,NULL,NULL,NULL,NULL,2),(4,7,-3.33,-0.1,1e10,0,'10:11:12.5',2)
# 1. Compared with exact numbers they are what they show
SELECT a FROM q WHERE a/3*3 = a ORDER BY a
SELECT a FROM q WHERE a/3 > 0.3333 ORDER BY a
SELECT a FROM q WHERE a/3 = 0.3333
SELECT a FROM q WHERE 0.3333 = a/3
SELECT a FROM q WHERE a/3 IN (0.3333)
SELECT a FROM q WHERE a/3 IN (0.3333, 5)
SELECT a FROM q WHERE a/3 BETWEEN 0.3333 AND 1 ORDER BY a
SELECT a FROM q WHERE NOT (a/3 <> 0.3333)
SELECT a FROM q HAVING a/3 = 0.3333
SELECT a/3 AS x FROM q HAVING x*3 = 2
SELECT 1/3*3, 2/3*3, 1/3 = 0.3333, 0.3333 = 1/3, 1/3 <=> 0.3333, 1/3 > 0.3333, 1/3 > 0.3333e0, 1/3 IN (0.3333), 1/3 IN (0.3333, 5)
SELECT x.id, y.id FROM q x JOIN q y ON x.a/3*3 = y.a
SELECT x.id, y.id FROM q x JOIN q y ON x.a/3 > 0.3333
SELECT x.id FROM q x JOIN q y ON x.a/3 = y.a/3
SELECT (x.a/3) > 0.33333333, (x.a/3) = 0.3333, x.a/3 <=> y.a/3 FROM q x JOIN q y ON x.id = y.id
SELECT id FROM q WHERE a/3 IN (SELECT a/3 FROM q)
SELECT id FROM q WHERE a/3 NOT IN (SELECT a/3 FROM q WHERE a < 3)
SELECT id FROM q WHERE a/3 = (SELECT a/3 FROM q WHERE id = 1)
SELECT id FROM q WHERE a/3 >= ALL (SELECT a/3 FROM q WHERE a > 0)
SELECT id FROM q WHERE (a/3, g) IN (SELECT a/3, g FROM q)
SELECT g FROM q GROUP BY g HAVING SUM(a)/3 > 1 ORDER BY g
SELECT g FROM q GROUP BY g HAVING AVG(a)*2 >= 3 ORDER BY g
SELECT SUM(a)/3 AS x FROM q HAVING x > 3.3333
PREPARE w FROM 'SELECT a FROM q WHERE a/? = ?'
SET @three = 3, @third = 0.3333
EXECUTE w USING @three, @third
UPDATE q SET u = u + 1 WHERE a/3 = 0.3333
SELECT id, u FROM q ORDER BY id
DELETE FROM q WHERE a/3 > 3.33333
INSERT INTO q (id, a) VALUES (9, 7/3 > 2)
INSERT INTO q (id, a) VALUES (9, 0) ON DUPLICATE KEY UPDATE a = IF(a/3 > 0.33, 5, 6)
DELETE FROM q WHERE id = 9
# 2. Of one group without GROUP BY
SELECT AVG(a)/3 FROM q
SELECT AVG(a)/3*3, SUM(a)/3*3, SUM(a/3), SUM(a/3)*3, AVG(a)*3, AVG(a/7) FROM q
# Digits that a number has not are not shown
SELECT ROUND(AVG(a), 8), ROUND(AVG(a)/3, 8), ROUND(SUM(a)/7, 8), ROUND(a/7, 8) FROM q
=> 3.3333 | 1.11111111 | 1.4286 | 0.1429
SELECT ROUND(AVG(b), 8), CONCAT(AVG(b)), CAST(AVG(a) AS DECIMAL(20,10)), AVG(DISTINCT a)/3 FROM q
=> -0.010000 | -0.010000 | 3.3333333330 | 1.11111111
SELECT MAX(a/3)*3, MIN(a/3)*3, MAX(b)/3*3, IF(1, AVG(a), 0)*3 FROM q
# MySQL has an average that COALESCE gives as it is shown, that of IF with its digits
~SELECT COALESCE(AVG(a), 0)*3 FROM q
SELECT AVG(a), ROUND(AVG(a), 2), AVG(a) + 0, SUM(a)/COUNT(*)*3, AVG(b)/7*7 FROM q
SELECT AVG(x.a)/3*3, MAX(x.a/7)*7 FROM q x JOIN q y ON x.id = y.id
SELECT AVG(a)/3, SUM(a/3)*3 FROM q WHERE id > 100
SELECT AVG(a) FROM q HAVING AVG(a)*3 > 9
# 3. Results of GROUP BY are rounded first
SELECT AVG(a)/3*3 FROM q GROUP BY g
SELECT SUM(a)/3*3, MAX(a/3)*3, MIN(a/3)*3 FROM q GROUP BY g
SELECT SUM(a)/COUNT(*)*3, AVG(b)/7*7 FROM q GROUP BY g
SELECT ROUND(AVG(a), 8) FROM q GROUP BY g ORDER BY g
=> 1.5000
=> 7.0000
SELECT g, AVG(a) FROM q GROUP BY g HAVING AVG(a) > 1.5
SELECT g, COUNT(*)/3, 100*COUNT(*)/3, 100*(COUNT(*)/3), COUNT(a)/COUNT(*)*100 FROM q GROUP BY g
# 4. So are rows of UNION, and of derived tables that are made first
SELECT a/3 FROM q UNION SELECT b FROM q
SELECT a/3*3 FROM q UNION ALL SELECT 1.5
SELECT x*3 FROM (SELECT a/3 AS x FROM q UNION ALL SELECT 1/3) t
SELECT x*3 FROM (SELECT DISTINCT a/3 AS x FROM q) t
SELECT x*3 FROM (SELECT SUM(a)/3 AS x FROM q GROUP BY g) t
# 5. A time as seconds has the digits of its type
SELECT MAX(UNIX_TIMESTAMP(s)), MIN(UNIX_TIMESTAMP('2020-01-01 00:00:00.5')) FROM q
SELECT MIN(DATE(s)), MAX(DATE(s)), MIN(TIME(s)), MAX(TIME(s)) FROM q GROUP BY g
SELECT CONCAT(UNIX_TIMESTAMP(s)), UNIX_TIMESTAMP(s) FROM q ORDER BY id
