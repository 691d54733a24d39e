# What random schemas and statements met that nobody had written, made small; each was wrong once
# 1. Rows looked up late: without a primary key the first row was shown for each
CREATE TABLE keyless (id INT NOT NULL, c VARCHAR(10), d DATE, e BIGINT, KEY by_id (id, d))
INSERT INTO keyless VALUES (1,'a','2000-01-01',1),(2,'b','2000-01-02',2),(3,'c','2000-01-03',3),(4,'d','2000-01-04',4),(5,'e','2000-01-05',5),(6,'f','2000-01-06',6),(7,'g','2000-01-07',7),(8,'h','2000-01-08',8),(9,'i','2000-01-09',9),(10,'j','2000-01-10',10),(11,'k','2000-01-11',11),(12,'l','2000-01-12',12)
INSERT INTO keyless SELECT id + 12, c, d, e FROM keyless
INSERT INTO keyless SELECT id + 24, c, d, e FROM keyless
SELECT c, e, id FROM keyless ORDER BY d DESC, id LIMIT 3 OFFSET 1
SELECT SQL_CALC_FOUND_ROWS c FROM keyless ORDER BY id LIMIT 4
# 2. A fraction of a second that the column's digits do not tell
CREATE TABLE seconds (id INT PRIMARY KEY, d DATETIME, m DATETIME(3), t TIMESTAMP NULL, e DATE, s TIME, KEY (d), KEY (t), KEY (e), KEY (s))
INSERT INTO seconds VALUES (1,'2000-01-01','2000-01-01 00:00:00.001','2000-01-01','2000-01-01','10:00:00'),(2,'2000-01-01 00:00:01','2000-01-01 00:00:00','2000-01-01 00:00:01','2000-01-02','10:00:01'),(3,NULL,NULL,NULL,NULL,NULL)
SELECT a.id, b.id FROM seconds a JOIN seconds b ON b.d = a.m ORDER BY 1, 2
SELECT a.id, b.id FROM seconds a LEFT JOIN seconds b ON b.t = a.m ORDER BY 1, 2
SELECT a.id, (SELECT COUNT(*) FROM seconds b WHERE b.d >= a.m), (SELECT COUNT(*) FROM seconds b WHERE b.e < a.m) FROM seconds a ORDER BY 1
# MariaDB cuts the constant off
SELECT id FROM seconds WHERE d = '2000-01-01 00:00:00.001'
=> none
SELECT id FROM seconds WHERE d > '2000-01-01 00:00:00.001'
SELECT id FROM seconds WHERE d >= '2000-01-01 00:00:00.6'
SELECT id FROM seconds WHERE d < '2000-01-01 00:00:00.6'
SELECT id FROM seconds WHERE d <= '2000-01-01 00:00:00.4'
SELECT id FROM seconds WHERE t BETWEEN '2000-01-01 00:00:00.6' AND '2000-01-01 00:00:01.4'
SELECT id FROM seconds WHERE e > '2000-01-01 10:00:00' AND e <= '2000-01-02 10:00:00'
SELECT id FROM seconds WHERE e = '2000-01-01 10:00:00'
SELECT id FROM seconds WHERE s > '10:00:00.5'
=> none
# 3. A time of day beside a moment is one of today
SET timestamp=1700000000
SELECT id, s < d, s < t, s < e, d > s, s BETWEEN d AND t, (s, 1) < (d, 1), s IN (d, t), d IN (s, '2000-01-01') FROM seconds ORDER BY id
SELECT a.id, b.id FROM seconds a JOIN seconds b ON a.s > b.d ORDER BY 1, 2
SELECT a.id FROM seconds a JOIN seconds b ON a.s = b.d ORDER BY 1
SET timestamp=DEFAULT
# 4. ENUM: text that is a number is a word all the same; order is that of the words, but for ORDER BY
CREATE TABLE words (id INT PRIMARY KEY, e ENUM('small','Big','2','x'), f ENUM('Big','small'), s VARCHAR(5), KEY (e))
INSERT INTO words VALUES (1,'small','small','1'),(2,'Big','small','Big'),(3,'2','Big','2'),(4,NULL,NULL,'')
SELECT id FROM words WHERE e = '1'
SELECT id FROM words WHERE e = '2'
SELECT id FROM words WHERE e = 2
SELECT id FROM words WHERE e IN ('1', 'SMALL')
SELECT a.id, b.id FROM words a JOIN words b ON a.e = b.f ORDER BY 1, 2
SELECT a.id, b.id FROM words a STRAIGHT_JOIN words b ON b.e = a.e ORDER BY 1, 2
SELECT a.id, b.id FROM words a JOIN words b ON a.e = b.s ORDER BY 1, 2
SELECT a.id, b.id FROM words a JOIN words b ON a.e < b.e ORDER BY 1, 2
SELECT id, (SELECT COUNT(*) FROM words b WHERE b.e < a.e) FROM words a ORDER BY id
SELECT e COLLATE utf8mb4_bin AS w FROM words ORDER BY w DESC
SELECT id FROM words ORDER BY e, id
# MariaDB goes by numbers here
SELECT MIN(e), MAX(e) FROM words
=> 2 | small
# 5. An assignment sees those before it, whatever finds the rows
CREATE TABLE steps (id INT PRIMARY KEY, a INT, b INT)
INSERT INTO steps VALUES (1,1,1),(2,2,2),(3,3,3)
UPDATE steps SET a = a + 10, b = a WHERE (id, id) IN ((1, 1), (2, 2))
UPDATE steps SET a = a + 10, b = a WHERE id IN (SELECT x.n FROM (SELECT 3 AS n) x)
SELECT * FROM steps
UPDATE steps SET a = 5 WHERE id IN (SELECT x.id FROM (SELECT id FROM steps) x) AND b > 11 ORDER BY id DESC LIMIT 1
SELECT * FROM steps
UPDATE steps SET b = 5 WHERE id IN (SELECT x.n FROM (SELECT 3 AS n) x)
UPDATE steps SET id = id + 1 WHERE id > (SELECT x.n FROM (SELECT 0 AS n) x) ORDER BY id DESC
SELECT * FROM steps
# 6. IS NULL of a key that cannot be NULL, before a range: a defect of the server
CREATE TABLE filled (k INT NOT NULL, c VARCHAR(5), KEY (k, c))
INSERT INTO filled VALUES (1,'a'),(2,'b')
SELECT k FROM filled WHERE c >= 'a' AND k IS NULL
SELECT k FROM filled WHERE k IS NULL AND c = 'a'
# 7. What is one value on the optional side of an outer join is NULL as well behind it
CREATE TABLE pairs (id INT PRIMARY KEY, kind INT)
INSERT INTO pairs VALUES (1,7),(2,7),(3,8),(4,NULL),(5,9)
SELECT a.id, b.kind FROM pairs a LEFT JOIN pairs b ON b.id = a.id AND b.kind = 7 ORDER BY b.kind, a.id DESC
SELECT a.id, b.kind FROM pairs b RIGHT JOIN pairs a ON b.kind = a.kind AND a.kind = 7 ORDER BY b.kind DESC, a.id, b.id LIMIT 3
SELECT x.one, a.id FROM pairs a LEFT JOIN (SELECT 1 AS one, id FROM pairs WHERE id < 3) x ON x.id = a.id ORDER BY x.one, a.id DESC
SELECT a.id, RANK() OVER (ORDER BY b.kind) FROM pairs a LEFT JOIN pairs b ON b.id = a.id AND b.kind = 7 ORDER BY a.id
SELECT b.kind, COUNT(*) FROM pairs a LEFT JOIN pairs b ON b.id = a.id AND b.kind = 7 GROUP BY b.kind
SELECT c.id, b.kind FROM pairs a LEFT JOIN pairs b ON b.id = a.id AND b.kind = 7 RIGHT JOIN pairs c ON c.id = a.id + 1 ORDER BY b.kind DESC, c.id
# 8. A bound that is beyond all values of an indexed column leaves NULL out all the same
CREATE TABLE small (id INT PRIMARY KEY, k INT NOT NULL, c SMALLINT, KEY (c), KEY (k, c))
INSERT INTO small VALUES (1,1,NULL),(2,1,5),(3,2,NULL),(4,2,-5)
SELECT id FROM small WHERE c <= 100000
SELECT id FROM small FORCE INDEX (c) WHERE c > -100000
SELECT COUNT(*) FROM small WHERE c BETWEEN -100000 AND 100000
SELECT id FROM small FORCE INDEX (k) WHERE k = 2 AND c < 40000
SELECT a.id, b.id FROM small a LEFT JOIN small b ON b.k = a.k AND b.c < a.id + 100000 ORDER BY 1, 2
UPDATE small SET k = 3 WHERE c < 100000
DELETE FROM small WHERE c < 100000
SELECT id FROM small
# 9. ON DUPLICATE KEY UPDATE names columns of the query's tables
CREATE TABLE totals (id INT PRIMARY KEY, n INT, note VARCHAR(10))
CREATE TABLE sales (id INT, m INT, word VARCHAR(10))
INSERT INTO totals VALUES (1,10,'a'),(2,20,'b')
INSERT INTO sales VALUES (1,1,'x'),(3,3,'z'),(1,5,'y')
INSERT INTO totals (id, n) SELECT s.id, s.m FROM sales s ORDER BY s.m ON DUPLICATE KEY UPDATE n = totals.n + s.m, note = CONCAT(s.word, word, VALUES(n))
SELECT * FROM totals
INSERT INTO totals (id, n) SELECT id, m FROM sales WHERE m > 4 ON DUPLICATE KEY UPDATE n = m * 100
SELECT * FROM totals
INSERT INTO totals (id, n) SELECT s.id, s.m FROM sales s ON DUPLICATE KEY UPDATE n = s.nope
INSERT INTO totals (id, n) SELECT s.id, s.m FROM sales s ON DUPLICATE KEY UPDATE n = q.m
INSERT INTO totals (id) SELECT s.id, s.m FROM sales s ON DUPLICATE KEY UPDATE n = s.m
SELECT * FROM totals
# 10. DELETE by a query: what can be is checked under the row's lock
DELETE FROM totals WHERE n > 2 AND id IN (SELECT s.id FROM sales s WHERE s.word = 'z') ORDER BY id LIMIT 1
DELETE FROM totals WHERE (id, n) IN ((2, 20), (1, 1))
SELECT id, n FROM totals
DELETE FROM totals WHERE id IN (SELECT x.id FROM (SELECT id FROM totals) x) AND nope = 1
# 11. A UNION of different constants that is sorted by them, and leaves few rows
CREATE TABLE halves (id INT PRIMARY KEY, a INT, s VARCHAR(9))
INSERT INTO halves VALUES (1,6,'a'),(2,2,'A'),(3,-1,'b'),(4,2,NULL)
SELECT '%' c0, -1 c1, a c2 FROM halves UNION ALL SELECT NULL, NULL, id*9 FROM halves ORDER BY 2 DESC, 3 DESC LIMIT 2 OFFSET 1
SELECT 1 c1, a c2 FROM halves UNION ALL SELECT NULL, id*9 FROM halves ORDER BY 1, 2 DESC LIMIT 3
# Two rows are the same by what the whole chain of UNION has in common
SELECT s, 1 FROM halves UNION SELECT s, 1 FROM halves UNION ALL SELECT 'c' COLLATE utf8mb4_bin, 2 FROM halves ORDER BY 2, 1
SELECT 1 a UNION SELECT 1.0 UNION ALL SELECT 'x' ORDER BY 1
# 12. Numbers of times
SELECT FLOOR(DATE'1999-12-31'), CEILING(TIMESTAMP'2000-01-01 10:00:00.5') + 0, FLOOR(TIME'12:34:56.7') + 0
SELECT n, TIME'00:00:00' = n, TIME'10:00:00' < n, TIME'10:00:00' = n, TIME'838:59:59' < n FROM (SELECT 61 n UNION SELECT 100000 UNION SELECT 8386000 UNION SELECT 2147483647) x ORDER BY n
SELECT TIME(2147483647), TIME(20240229101112), TIME(61.5), TIME(61e0), HOUR(2147483647)
# 13. What is no text is one with a collation; a text beyond DOUBLE is the largest one
SELECT 12 COLLATE utf8mb4_bin, LENGTH(1.50 COLLATE utf8mb4_bin), TIMESTAMP(TIME'12:34:56' COLLATE utf8mb4_bin)
SELECT '1e400' + 0, -'8e367ad8', '-1e400' + 0
# 14. NULLIF: of an ENUM it is its word, of NULL it is NULL and of no type
CREATE TABLE words (id INT PRIMARY KEY, e ENUM('a','2bb','-3x'), n SMALLINT, d DATE)
INSERT INTO words VALUES (1,'a',1,'2024-01-02'), (2,'2bb',-5,NULL), (3,'-3x',7,'1999-12-31'), (4,NULL,0,'2000-01-01')
SELECT id, NULLIF(e, '-3x') + n, NULLIF(e, 'a') + 0, NULLIF(e, 2), CONCAT(NULLIF(e, 'a'), 'x'), e + n FROM words
SELECT NULLIF(e, '-3x') x, COUNT(*), MAX(NULLIF(e, 'a')) FROM words GROUP BY x ORDER BY x
SELECT id, IF(NULL, NULLIF(NULL, d), d), COALESCE(NULLIF(NULL, d), d), NULLIF(d, NULL), IF(id = 2, NULLIF(NULL, n), n) FROM words
SELECT MAX(IF(NULL, NULLIF(NULL, d), d)), MIN(COALESCE(NULLIF(NULL, 1), n)) FROM words
