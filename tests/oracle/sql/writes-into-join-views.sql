# INSERT and REPLACE into views of several tables, and views of such views
# judges: mysql
~CREATE TABLE a (id INT PRIMARY KEY AUTO_INCREMENT, n INT, s VARCHAR(20) DEFAULT 'd')
~CREATE TABLE b (id INT PRIMARY KEY, a_id INT, m INT NOT NULL)
INSERT INTO a VALUES (1,10,'x'),(2,20,'y'),(3,30,'z')
INSERT INTO b VALUES (1,1,100),(2,2,200)
CREATE VIEW vj AS SELECT a.id, a.n, a.s, b.id bid, b.m, b.a_id FROM a JOIN b ON b.a_id=a.id
CREATE VIEW vc AS SELECT a.id, a.n, b.m, b.m+1 AS mp FROM a JOIN b ON b.a_id=a.id
CREATE VIEW vd AS SELECT a.id, a.n, a.n AS n2, b.id bid, b.m FROM a JOIN b ON b.a_id=a.id
CREATE VIEW vone AS SELECT a.id, a.n FROM a JOIN b ON b.a_id=a.id
INSERT INTO vj VALUES (1,2,3,4,5,6)
INSERT INTO vj () VALUES ()
INSERT INTO vj (id, n) VALUES (7, 70)
INSERT INTO vj (n) VALUES (71),(72)
SELECT LAST_INSERT_ID()
INSERT INTO vj (bid, a_id, m) VALUES (7, 7, 700)
INSERT INTO vj (bid, a_id) VALUES (8, 7)
INSERT INTO vj (id, bid) VALUES (9, 9)
INSERT INTO vj (id, nope) VALUES (9, 9)
INSERT INTO vj (nope) VALUES (9)
# MySQL passes over a name that stands there twice.
~INSERT INTO vj (id, n, id) VALUES (9, 9, 9)
INSERT INTO vj SET id=10, n=100
INSERT INTO vj SET id=10, m=100
INSERT INTO vj (id, n) SELECT id+20, n FROM a WHERE id < 3
INSERT INTO vj SELECT 1,2,3,4,5,6
REPLACE INTO vj (id, n) VALUES (7, 77)
REPLACE INTO vj (id, n) SELECT 7, 78
INSERT INTO vj (id, n) VALUES (7, 1) ON DUPLICATE KEY UPDATE n = n + 1
INSERT INTO vj (id, n) VALUES (7, 1) AS new ON DUPLICATE KEY UPDATE n = new.n + 10
INSERT INTO vj (id, n) VALUES (7, 1) ON DUPLICATE KEY UPDATE m = 5
INSERT INTO vj (id, n) VALUES (7, 1) ON DUPLICATE KEY UPDATE n = m
INSERT INTO vj (id, n) VALUES (7, 1) ON DUPLICATE KEY UPDATE n = nope
INSERT INTO vj (id, n) VALUES (11, m)
INSERT INTO vj (id, n) VALUES (12, id+1)
INSERT IGNORE INTO vj (id, n) VALUES (7, 1)
# The warning is 1364 here, 1423 there.
~INSERT IGNORE INTO vj (bid, a_id) VALUES (18, 7)
INSERT INTO vc (id, n) VALUES (30, 1)
INSERT INTO vc (mp) VALUES (30)
INSERT INTO vc (id, mp) VALUES (30,1)
INSERT INTO vd (id, n) VALUES (30, 1)
INSERT INTO vd (bid, m) VALUES (30, 1)
INSERT INTO vone VALUES (31, 1)
INSERT INTO vone (id, n) VALUES (31, 1)
INSERT INTO vone (id) VALUES (32)
SELECT * FROM a ORDER BY id
SELECT * FROM b ORDER BY id
UPDATE vc SET mp=1
UPDATE vc SET mp=1, n=2
UPDATE vc x SET x.mp=1
UPDATE vc, a SET vc.mp=1 WHERE a.id=vc.id
UPDATE vc SET nope=1
INSERT INTO vc (n, m) VALUES (1,2)
CREATE VIEW vl AS SELECT a.id, a.n, b.m FROM a LEFT JOIN b ON b.a_id=a.id
INSERT INTO vl (id,n) VALUES (50,1)
UPDATE vl SET n=3 WHERE id=1
DELETE FROM vj
CREATE VIEW vvj AS SELECT id, n, m FROM vj WHERE n > 0
INSERT INTO vvj (id, n) VALUES (60, 6)
INSERT INTO vvj VALUES (61, 6, 6)
INSERT INTO vvj (id, m) VALUES (61, 6)
UPDATE vvj SET n=n+1 WHERE id=1
UPDATE vvj SET n=n+1, m=1
SELECT table_name, is_updatable FROM information_schema.views WHERE table_schema=DATABASE() ORDER BY 1
DELETE FROM vone
DELETE vone FROM vone JOIN b ON b.id=vone.id
UPDATE vone SET n=n+1 ORDER BY id
SELECT * FROM a ORDER BY id
SELECT * FROM b ORDER BY id
