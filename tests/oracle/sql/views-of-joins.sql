# Rows are written through views beside tables, through views whose conditions ask queries, and through views of several tables
# judges: mysql
~CREATE TABLE a (id INT PRIMARY KEY, n INT, s VARCHAR(20))
CREATE TABLE b (id INT PRIMARY KEY, a_id INT, m INT)
INSERT INTO a VALUES (1,10,'x'),(2,20,'y'),(3,30,'z'),(4,40,'w')
INSERT INTO b VALUES (1,1,100),(2,2,200),(3,3,300)
CREATE VIEW va AS SELECT id, n, s FROM a WHERE n < 25
CREATE VIEW vv AS SELECT id AS i, n AS nn FROM va WHERE id < 10 WITH CHECK OPTION
CREATE VIEW vs AS SELECT id, n FROM a WHERE id IN (SELECT a_id FROM b WHERE m > 150)
CREATE VIEW vj AS SELECT a.id, a.n, b.m, b.m+1 AS mp FROM a JOIN b ON b.a_id=a.id
CREATE VIEW vl AS SELECT a.id, a.n, b.m FROM a LEFT JOIN b ON b.a_id=a.id
CREATE VIEW vvs AS SELECT va.id, va.n, vs.n AS vsn FROM va JOIN vs ON vs.id=va.id
CREATE VIEW pairs AS SELECT x.id xi, x.n xn, y.id yi, y.n yn FROM a x JOIN a y ON y.id=x.id+1
# 1. Views of one table beside tables
UPDATE va JOIN b ON b.a_id=va.id SET va.n=va.n+1
SELECT * FROM a ORDER BY id
UPDATE b JOIN va ON b.a_id=va.id SET b.m=b.m+1, s='q'
SELECT * FROM a ORDER BY id
SELECT * FROM b ORDER BY id
UPDATE vv x, b y SET x.nn=x.nn+1, y.m=0 WHERE x.i=y.a_id AND y.id=1
UPDATE vv x, b y SET x.nn=500 WHERE x.i=y.a_id
UPDATE vv LEFT JOIN b ON b.a_id=vv.i SET nn=1 WHERE b.id IS NULL
UPDATE va, b SET va.q=1
SELECT * FROM a ORDER BY id
DELETE x FROM vv x JOIN b ON b.a_id=x.i WHERE b.m > 1000
DELETE vv, b FROM vv JOIN b ON b.a_id=vv.i WHERE vv.i=1
SELECT * FROM a ORDER BY id
SELECT * FROM b ORDER BY id
# 2. Conditions that ask queries
UPDATE vs SET n=n+1
UPDATE vs x SET x.n=x.n+1 ORDER BY id DESC LIMIT 1
SELECT * FROM a ORDER BY id
DELETE FROM vs WHERE id=3
DELETE FROM vs WHERE id=4
SELECT * FROM a ORDER BY id
INSERT INTO vs VALUES (3,31)
SELECT * FROM a ORDER BY id
# 3. Several tables, one of them written
UPDATE vj SET n=n+m WHERE m > 150
SELECT * FROM a ORDER BY id
UPDATE vj SET m=m+1 WHERE n > 230
SELECT * FROM b ORDER BY id
UPDATE vj SET n=n+1, m=m+1
UPDATE vj SET n=1 ORDER BY id
UPDATE vj SET n=1 LIMIT 1
UPDATE vj JOIN b ON b.id=vj.id SET vj.n=b.m
SELECT * FROM a ORDER BY id
DELETE FROM vj
DELETE vj FROM vj, a
UPDATE vl SET n=1
UPDATE vvs SET n=17
UPDATE vvs SET vsn=18
UPDATE pairs SET yn=xn*2
SELECT * FROM a ORDER BY id
UPDATE pairs SET xn=1, yn=2
SELECT table_name, is_updatable FROM information_schema.views WHERE table_schema=DATABASE() ORDER BY 1
