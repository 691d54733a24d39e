# Entries of an index that is not unique are told apart by the primary key, so terms about it narrow what is
# read of the index: equations, ranges, LIKE, with NULLs, prefixes and several columns in either; orders by it.
CREATE TABLE n (id INT PRIMARY KEY, a INT, b VARCHAR(10), c INT NOT NULL, KEY (a), KEY (b, c), KEY (b(2)), UNIQUE KEY (c, a))
INSERT INTO n WITH RECURSIVE r AS (SELECT 1 i UNION ALL SELECT i+1 FROM r WHERE i<600) SELECT i, IF(i%11=0, NULL, i%5), IF(i%7=0, NULL, ELT(1+i%6, 'ab', 'abc', 'B', 'b ', 'aB', '')), i%40 * 100 + i%13 FROM r ON DUPLICATE KEY UPDATE id = n.id
CREATE TABLE s (k VARCHAR(8), m SMALLINT UNSIGNED, d DECIMAL(6,2), a INT, t DATE, PRIMARY KEY (k, m), KEY (a), KEY (t, k), KEY (d, m))
INSERT IGNORE INTO s SELECT CONCAT(IF(id%3=0, 'K', 'k'), id%9, IF(id%4=0, ' ', '')), id%50, IF(id%8=0, NULL, (id%21) / 4), a, IF(id%6=0, NULL, '2024-01-01' + INTERVAL id%12 DAY) FROM n ORDER BY id
CREATE TABLE z (id BIGINT PRIMARY KEY, e ENUM('x', 'y', 'z'), f DOUBLE, KEY (e), KEY (f))
INSERT INTO z SELECT CASE WHEN id%2=0 THEN id ELSE -id END, ELT(1+id%3, 'x', 'y', 'z'), id%6 / 2 FROM n ORDER BY id
# equations and ranges
SELECT * FROM n WHERE a = 3 AND id > 300
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a = 3 AND id > 300
SELECT * FROM n WHERE a = 3 AND id >= 303
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a = 3 AND id >= 303
SELECT * FROM n WHERE a = 3 AND id < 40
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a = 3 AND id < 40
SELECT * FROM n WHERE a = 3 AND id <= 43
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a = 3 AND id <= 43
SELECT * FROM n WHERE a = 3 AND id BETWEEN 100 AND 200
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a = 3 AND id BETWEEN 100 AND 200
SELECT * FROM n WHERE a = 3 AND id = 103
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a = 3 AND id = 103
SELECT * FROM n WHERE a = 3 AND id = 104
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a = 3 AND id = 104
SELECT * FROM n WHERE a IS NULL AND id > 400
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a IS NULL AND id > 400
SELECT * FROM n WHERE a IS NULL AND id = 440
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a IS NULL AND id = 440
SELECT * FROM n WHERE a IN (1, 2) AND id < 60
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a IN (1, 2) AND id < 60
SELECT * FROM n WHERE a IN (1, NULL) AND id < 60
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a IN (1, NULL) AND id < 60
SELECT * FROM n WHERE a = 3 AND id IN (3, 8, 13, 14)
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a = 3 AND id IN (3, 8, 13, 14)
SELECT * FROM n WHERE a = 3 AND (id < 20 OR id > 580)
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a = 3 AND (id < 20 OR id > 580)
SELECT * FROM n WHERE (a = 3 AND id < 20) OR (a = 4 AND id > 580)
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE (a = 3 AND id < 20) OR (a = 4 AND id > 580)
SELECT * FROM n WHERE a = 3 AND id > '300'
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a = 3 AND id > '300'
SELECT * FROM n WHERE a = '3' AND id > 299.5
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a = '3' AND id > 299.5
SELECT * FROM n WHERE a = 3 AND id > -5 AND id < 1e9
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a = 3 AND id > -5 AND id < 1e9
SELECT * FROM n WHERE a = 3 AND id > NULL
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a = 3 AND id > NULL
SELECT * FROM n WHERE a = 3 AND id > 300 AND id < 200
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a = 3 AND id > 300 AND id < 200
SELECT * FROM n WHERE a = 3 AND id <=> 103
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a = 3 AND id <=> 103
SELECT * FROM n WHERE a = 3 AND NOT id < 500
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a = 3 AND NOT id < 500
SELECT * FROM n WHERE a = 3 AND id % 2 = 0 AND id > 400
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a = 3 AND id % 2 = 0 AND id > 400
SELECT * FROM n WHERE a > 3 AND id > 500
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE a > 3 AND id > 500
SELECT * FROM n WHERE b = 'ab' AND c = 1200 AND id > 10
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE b = 'ab' AND c = 1200 AND id > 10
SELECT * FROM n WHERE b = 'ab' AND c > 1000 AND id > 10
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE b = 'ab' AND c > 1000 AND id > 10
SELECT * FROM n WHERE b = 'ab' AND id > 300
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE b = 'ab' AND id > 300
SELECT * FROM n WHERE b = 'b' AND c = 300 AND id BETWEEN 1 AND 400
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE b = 'b' AND c = 300 AND id BETWEEN 1 AND 400
SELECT * FROM n WHERE b IS NULL AND c = 2807 AND id < 500
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE b IS NULL AND c = 2807 AND id < 500
SELECT * FROM n WHERE b LIKE 'a%' AND id < 50
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE b LIKE 'a%' AND id < 50
SELECT * FROM n WHERE b = '' AND c = 511 AND id > 5
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE b = '' AND c = 511 AND id > 5
SELECT * FROM n WHERE c = 101 AND a = 1 AND id < 600
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE c = 101 AND a = 1 AND id < 600
SELECT * FROM n WHERE c = 101 AND a IS NULL AND id > 0
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE c = 101 AND a IS NULL AND id > 0
SELECT * FROM n WHERE b = 'AB' AND c IN (101, 1200, 3807) AND id > 30
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE b = 'AB' AND c IN (101, 1200, 3807) AND id > 30
SELECT * FROM n WHERE c = 0 AND id > 3
SELECT COUNT(*), MIN(id), MAX(id) FROM n WHERE c = 0 AND id > 3
# with the primary key's own texts, decimals and several columns
SELECT * FROM s WHERE a = 2 AND k = 'k3'
SELECT * FROM s WHERE a = 2 AND k = 'K3 ' AND m > 20
SELECT * FROM s WHERE a = 2 AND k = 'k3' AND m = 37
SELECT * FROM s WHERE a = 2 AND k > 'k5'
SELECT * FROM s WHERE a = 2 AND k LIKE 'k3%'
SELECT * FROM s WHERE a = 2 AND k LIKE 'K%' AND m < 9
SELECT * FROM s WHERE a = 2 AND k BETWEEN 'k1' AND 'k4' AND m > 5
SELECT * FROM s WHERE a = 2 AND m > 40
SELECT * FROM s WHERE a IS NULL AND k = 'k2'
SELECT * FROM s WHERE t = '2024-01-05' AND k = 'k4' AND m > 3
SELECT * FROM s WHERE t = '2024-01-05' AND k > 'k2'
SELECT * FROM s WHERE t IS NULL AND k = 'k0' AND m < 30
SELECT * FROM s WHERE t IS NULL AND k LIKE 'k%' AND m = 12
SELECT * FROM s WHERE d = 1.5 AND m = 6
SELECT * FROM s WHERE d = 1.5 AND m = 6 AND k = 'k6'
SELECT * FROM s WHERE d = 1.5 AND m > 10 AND k > 'k1'
SELECT * FROM s WHERE d IS NULL AND m < 20 AND k < 'k5'
SELECT * FROM s WHERE d = '1.50' AND m BETWEEN 5 AND 45
SELECT * FROM s WHERE a = 2 AND k = 'k3' AND m < -1
SELECT * FROM s WHERE a = 2 AND k = 'k3' AND m > 70000
SELECT * FROM s WHERE a = 2 AND k = BINARY 'K3'
SELECT * FROM s WHERE a = 2 AND k = 3
SELECT * FROM z WHERE e = 'x' AND id < 0
SELECT * FROM z WHERE e = 'x' AND id > -100 AND id < 100
SELECT * FROM z WHERE e = 2 AND id > 500
SELECT * FROM z WHERE f = 1.5 AND id BETWEEN -50 AND 50
SELECT * FROM z WHERE f = 0 AND id <= -580
SELECT * FROM z WHERE e = 'z' AND f = 2 AND id > 300
SELECT * FROM z WHERE f > 1 AND id > 590
# orders, and no more than asked for
SELECT id FROM n WHERE a = 3 AND id < 300 ORDER BY id DESC LIMIT 5
SELECT * FROM n WHERE a = 3 AND id < 300 ORDER BY id DESC LIMIT 5
SELECT * FROM n WHERE a = 3 AND id > 300 ORDER BY id LIMIT 3, 4
SELECT * FROM n WHERE a = 3 AND id = 303 ORDER BY id DESC LIMIT 2
SELECT * FROM n WHERE a IN (1, 3) AND id > 100 ORDER BY id LIMIT 7
SELECT * FROM n WHERE a IN (1, 3) AND id < 500 ORDER BY a DESC, id DESC LIMIT 9
SELECT * FROM n WHERE a IS NULL AND id > 200 ORDER BY id LIMIT 4
SELECT id FROM n WHERE b = 'ab' AND c = 1200 AND id > 5 ORDER BY id DESC
SELECT id FROM n WHERE b = 'ab' AND id > 5 ORDER BY c, id LIMIT 6
SELECT k, m FROM s WHERE a = 2 AND k = 'k3' AND m > 10 ORDER BY m DESC LIMIT 3
SELECT k, m FROM s WHERE a = 2 AND k > 'k3' ORDER BY k, m LIMIT 5
SELECT m FROM s WHERE d = 1.5 AND m = 6 ORDER BY k DESC
SELECT id FROM z WHERE e = 'y' AND id < 10 ORDER BY id DESC LIMIT 4
SELECT DISTINCT a FROM n WHERE a = 3 AND id > 590
SELECT a, COUNT(*) FROM n WHERE a IN (1, 2, 3) AND id > 400 GROUP BY a ORDER BY a
SELECT MAX(id) FROM n WHERE a = 3 AND id < 299
SELECT MIN(id) FROM n WHERE a = 3 AND id > 299
SELECT MIN(m), MAX(m) FROM s WHERE a = 2 AND k = 'k3'
# joins and sub-queries
SELECT COUNT(*) FROM n x JOIN n y ON y.a = x.a AND y.id > x.id
SELECT COUNT(*) FROM n x WHERE EXISTS (SELECT 1 FROM n y WHERE y.a = x.a AND y.id > x.id)
SELECT COUNT(*) FROM n x WHERE NOT EXISTS (SELECT 1 FROM n y WHERE y.a = x.a AND y.id BETWEEN x.id + 1 AND x.id + 5)
SELECT x.id, (SELECT MAX(id) FROM n y WHERE y.a = x.a AND y.id < x.id) before_it FROM n x WHERE x.id < 60 ORDER BY 1
SELECT x.id, (SELECT COUNT(*) FROM n y WHERE y.a <=> x.a AND y.id < x.id) before_it FROM n x WHERE x.id > 540 ORDER BY 1
SELECT COUNT(*), SUM(y.id) FROM n x LEFT JOIN n y ON y.a = x.a AND y.id = x.id + 5
SELECT COUNT(*) FROM n x LEFT JOIN s y ON y.a = x.a AND y.k = CONCAT('k', x.id) AND y.m > x.c
SELECT COUNT(*) FROM n WHERE (a, id) > (3, 200)
SELECT COUNT(*) FROM n WHERE (a, id) IN ((3, 103), (3, 104), (4, 104))
SELECT id FROM n WHERE a = 3 AND id > (SELECT MAX(id) - 30 FROM n) ORDER BY id
# writes
UPDATE n SET b = 'new' WHERE a = 3 AND id > 560
UPDATE n SET a = 9 WHERE a = 3 AND id BETWEEN 500 AND 560
UPDATE n SET id = id + 1000 WHERE a = 9 AND id > 520
SELECT * FROM n WHERE a IN (3, 9) AND id > 490 ORDER BY id
DELETE FROM n WHERE a = 4 AND id < 100 ORDER BY id DESC LIMIT 3
DELETE FROM n WHERE a IS NULL AND id = 440
SELECT COUNT(*), SUM(id) FROM n
SELECT id FROM n WHERE a = 2 AND id > 570 ORDER BY id FOR UPDATE
UPDATE s SET d = 9 WHERE a = 2 AND k = 'k3' AND m > 10
SELECT COUNT(*), SUM(d) FROM s
DELETE FROM s WHERE t = '2024-01-05' AND k LIKE 'k4%'
SELECT COUNT(*), SUM(m) FROM s
DROP TABLE n, s, z
