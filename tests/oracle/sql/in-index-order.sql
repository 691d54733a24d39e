# What is concluded from one index entry to the next: terms that the ranges do not answer, rows that DISTINCT and
# GROUP BY have seen; members of sub-queries that are found before the first row asks; statements that are too long for
# an event loop, again and again.
CREATE TABLE p (id INT PRIMARY KEY, kind VARCHAR(8) NOT NULL, state VARCHAR(8), made DATETIME, day DATE, n INT, sb VARCHAR(8) COLLATE utf8mb4_bin, KEY ksm (kind, state, made), KEY sd (state, day), KEY sn (sb, n))
INSERT INTO p WITH RECURSIVE r AS (SELECT 1 i UNION ALL SELECT i+1 FROM r WHERE i<900) SELECT i, ELT(1 + i%3, 'post', 'Post', 'page'), ELT(1 + i%7, 'draft', 'Draft', 'open', 'OPEN', 'trash', NULL, ''), IF(i%41=0, NULL, '2019-11-05 10:00:00' + INTERVAL i*700 MINUTE), IF(i%29=0, NULL, '2019-11-05' + INTERVAL i DAY), IF(i%13=0, NULL, i%5), ELT(1 + i%6, 'a', 'A', 'b', NULL, '1', '1x') FROM r
INSERT INTO p SELECT id+900, kind, state, made + INTERVAL 90 DAY, day, n, sb FROM p
INSERT INTO p SELECT id+1800, kind, state, made + INTERVAL 180 DAY, day, n, sb FROM p
SELECT COUNT(*) FROM p
SELECT DISTINCT YEAR(made) y, MONTH(made) m FROM p WHERE kind = 'post' AND state != 'draft' AND state != 'trash' ORDER BY y DESC, m DESC
SELECT DISTINCT YEAR(made) y, MONTH(made) m FROM p WHERE kind = 'post' AND state != 'draft' AND state != 'trash' ORDER BY y, m
SELECT DISTINCT YEAR(made) y, MONTH(made) m FROM p WHERE kind = 'post' AND state != 'draft' AND state != 'trash' ORDER BY y DESC, m DESC
SELECT DISTINCT YEAR(made) y, MONTH(made) m, DAY(made) d FROM p WHERE kind = 'page' AND state NOT IN ('draft', 'OPEN') ORDER BY y, m, d
SELECT DISTINCT YEAR(made) y, MONTH(made) m FROM p WHERE kind = 'post' AND state IS NOT NULL ORDER BY y, m
SELECT DISTINCT YEAR(made) y, MONTH(made) m FROM p WHERE kind = 'post' AND (state IS NULL OR state = 'OPEN') ORDER BY y, m
SELECT DISTINCT DAY(day) d FROM p WHERE state <> 'open' ORDER BY d
SELECT DISTINCT n FROM p WHERE sb <> 'a' ORDER BY n
SELECT DISTINCT n FROM p WHERE sb <> 1 ORDER BY n
SELECT DISTINCT n, sb FROM p WHERE LENGTH(sb) > 1 ORDER BY n, sb
SELECT COUNT(*), COUNT(n), MIN(n), MAX(n) FROM p WHERE sb > 'A' AND sb <> 'b'
SELECT COUNT(*) FROM p WHERE kind = 'post' AND state NOT LIKE 'd%'
SELECT COUNT(*) FROM p WHERE kind = 'post' AND BINARY state = 'draft'
SELECT COUNT(*) FROM p WHERE kind = 'post' AND BINARY state <> 'draft' AND made > '2020-02-01'
SELECT COUNT(*) c FROM p WHERE kind = 'post' AND state <> 'draft' GROUP BY state ORDER BY c
SELECT UPPER(state) s, COUNT(*), MIN(made), MAX(made) FROM p WHERE kind = 'post' AND state <> 'trash' GROUP BY UPPER(state)
SELECT YEAR(made) y, MONTH(made) m, COUNT(id) FROM p WHERE kind = 'post' AND state = 'open' GROUP BY YEAR(made), MONTH(made) ORDER BY made DESC
SELECT YEAR(made) y, MONTH(made) m, COUNT(id), COUNT(*) FROM p WHERE kind = 'post' AND state = 'draft' GROUP BY YEAR(made), MONTH(made) ORDER BY 1, 2
SELECT YEAR(day) y, MONTH(day) m, COUNT(*) FROM p WHERE state = 'draft' GROUP BY 1, 2 WITH ROLLUP
SELECT COUNT(*) c FROM p FORCE INDEX (ksm) GROUP BY kind, state ORDER BY c
SELECT MIN(day), MAX(day) FROM p WHERE state <> 'draft'
SELECT made FROM p WHERE kind = 'post' AND state = 'open' AND made <> '2019-11-05 21:40:00' ORDER BY made DESC LIMIT 5
SELECT state, made FROM p WHERE kind = 'page' AND state <> 'open' ORDER BY kind DESC, state DESC, made DESC LIMIT 7
# Own writes, and what others have written meanwhile
SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ
START TRANSACTION
INSERT INTO p VALUES (9001, 'post', 'NEW', '2031-01-02 03:04:05', '2031-01-02', 1, 'new'), (9002, 'post', 'open', NULL, NULL, NULL, NULL)
DELETE FROM p WHERE id BETWEEN 100 AND 200
UPDATE p SET state = 'draft' WHERE id BETWEEN 1500 AND 1600
SELECT DISTINCT YEAR(made) y, MONTH(made) m FROM p WHERE kind = 'post' AND state != 'draft' ORDER BY y DESC, m DESC
SELECT COUNT(*) c FROM p WHERE kind = 'post' AND state <> 'draft' GROUP BY state ORDER BY c
@2 UPDATE p SET state = 'draft' WHERE id = 3001
SELECT COUNT(*) FROM p WHERE kind = 'post' AND state <> 'draft'
ROLLBACK
SELECT COUNT(*) FROM p WHERE kind = 'post' AND state <> 'draft'
SELECT DISTINCT YEAR(made) y, MONTH(made) m FROM p WHERE kind = 'post' AND state != 'draft' ORDER BY y DESC, m DESC
# Members that are found at once, or asked for
CREATE TABLE u (id INT PRIMARY KEY, name VARCHAR(8), boss INT, KEY (boss))
INSERT INTO u WITH RECURSIVE r AS (SELECT 1 i UNION ALL SELECT i+1 FROM r WHERE i<900) SELECT i, CONCAT('n', i % 50), IF(i%17=0, NULL, i % 23) FROM r
CREATE TABLE m (id INT PRIMARY KEY, uid INT, gid INT, at DATETIME, UNIQUE KEY ug (uid, gid), KEY (at))
INSERT INTO m SELECT id, IF(id%19=0, NULL, id * 2 % 701), id % 5, '2020-01-01' + INTERVAL id % 300 DAY FROM u
SELECT COUNT(*) FROM u WHERE NOT (EXISTS (SELECT 1 FROM m WHERE m.uid = u.id LIMIT 1))
SELECT COUNT(*) FROM u WHERE NOT (EXISTS (SELECT 1 FROM m WHERE m.uid = u.id LIMIT 0))
SELECT COUNT(*) FROM u WHERE EXISTS (SELECT 1 FROM m WHERE m.uid = u.id AND m.gid <> 2)
SELECT COUNT(*) FROM u WHERE EXISTS (SELECT 1 FROM m WHERE m.uid = u.boss) OR u.name = 'n7'
SELECT COUNT(*) FROM u WHERE boss IN (SELECT uid FROM m WHERE gid = 3)
SELECT COUNT(*) FROM u WHERE boss NOT IN (SELECT uid FROM m WHERE gid = 3)
SELECT COUNT(*) FROM u WHERE NOT EXISTS (SELECT 1 FROM m WHERE m.uid = u.boss)
SELECT id FROM u WHERE NOT EXISTS (SELECT 1 FROM m WHERE m.uid = u.id) ORDER BY id LIMIT 3
SELECT id, EXISTS (SELECT 1 FROM m WHERE m.uid = u.id) e FROM u WHERE id < 5 ORDER BY id
SELECT id, EXISTS (SELECT 1 FROM m WHERE m.uid = u.id) e FROM u ORDER BY id
SELECT name, SUM(EXISTS (SELECT 1 FROM m WHERE m.uid = u.id)) s FROM u GROUP BY name HAVING s > 0 ORDER BY name
SELECT COUNT(*) FROM u WHERE EXISTS (SELECT 1 FROM m WHERE m.uid = u.id AND EXISTS (SELECT 1 FROM p WHERE p.id = m.id AND p.n = 2))
