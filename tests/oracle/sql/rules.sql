# CHECK, GENERATED ALWAYS AS and DEFAULT (expression): what rows are refused, computed and filled in.
# Conditions have MySQL's errors and names, as `rules-of-names.sql` shows.
CREATE TABLE t (a INT PRIMARY KEY, b INT CHECK (b > 0), c INT DEFAULT (1+2), d INT AS (b*2) STORED, e INT AS (b+1) VIRTUAL, CONSTRAINT k CHECK (a <> b))
INSERT INTO t (a,b) VALUES (1,-5)
=> error 3819
INSERT INTO t (a,b) VALUES (1,1)
=> error 3819
INSERT INTO t (a,b) VALUES (1,5),(2,7)
# Unknown is not false.
INSERT INTO t (a,b) VALUES (3,NULL)
SELECT * FROM t
UPDATE t SET b=3 WHERE a=1
UPDATE t SET b=2 WHERE a=2
=> error 3819
UPDATE t SET b=-2 WHERE a=2
=> error 3819
SELECT * FROM t
# A computed column is given nothing but DEFAULT (MySQL; in MariaDB NULL, too)
UPDATE t SET d=3 WHERE a=1
=> error 3105
UPDATE t SET d=DEFAULT WHERE a=1
UPDATE t SET d=NULL WHERE a=1
=> error 3105
INSERT INTO t (a,b,d) VALUES (4,4,8)
=> error 3105
INSERT INTO t (a,b,d) VALUES (4,5,8)
=> error 3105
INSERT INTO t (a,b,d) VALUES (4,5,DEFAULT)
INSERT INTO t (a,b,d) VALUES (5,6,DEFAULT)
INSERT INTO t VALUES (6,7,1,DEFAULT,DEFAULT)
INSERT INTO t (a,b,d) SELECT 20, 21, 22
=> error 3105
INSERT INTO t (a,b) SELECT a+20, b FROM t WHERE a < 3
SELECT * FROM t
INSERT IGNORE INTO t (a,b) VALUES (7,-1),(8,3),(9,9)
INSERT IGNORE INTO t (a,b) SELECT a+40, a-22 FROM t WHERE a > 20
UPDATE IGNORE t SET b=a WHERE a < 9
SELECT a, b, d, e FROM t
REPLACE INTO t (a,b) VALUES (1,9)
REPLACE INTO t (a,b) VALUES (1,1)
=> error 3819
INSERT INTO t (a,b) VALUES (1,2) ON DUPLICATE KEY UPDATE b=VALUES(d)
SELECT * FROM t WHERE a=1
INSERT INTO t (a,b) VALUES (1,2) ON DUPLICATE KEY UPDATE b=-1
=> error 3819
INSERT INTO t (a,b) VALUES (60,2) RETURNING a, d, e
UPDATE t JOIN (SELECT 8 AS x) s ON t.a=s.x SET t.b=30
UPDATE t JOIN (SELECT 8 AS x) s ON t.a=s.x SET t.b=-30
=> error 3819
# MariaDB passes over it here, and only here.
~UPDATE t JOIN (SELECT 8 AS x) s ON t.a=s.x SET t.d=30
SELECT d, COUNT(*) FROM t GROUP BY d
SELECT a FROM t WHERE e=31
# What is there already must hold, too.
ALTER TABLE t ADD CONSTRAINT big CHECK (a < 60)
=> error 3819
ALTER TABLE t ADD CONSTRAINT big CHECK (a < 70)
ALTER TABLE t ADD CONSTRAINT big CHECK (a < 80)
=> error 3822
INSERT INTO t (a,b) VALUES (71,1)
=> error 3819
ALTER TABLE t DROP CONSTRAINT big
INSERT INTO t (a,b) VALUES (71,1)
ALTER TABLE t ADD CHECK (b < 100)
INSERT INTO t (a,b) VALUES (72,100)
=> error 3819
~ALTER TABLE t DROP CONSTRAINT nothing
~ALTER TABLE t DROP CONSTRAINT IF EXISTS nothing
ALTER TABLE t DROP COLUMN b
=> error 3959
ALTER TABLE t ADD f VARCHAR(20) AS (CONCAT('x',b)) STORED, ADD INDEX (f)
SELECT a, f FROM t WHERE f >= 'x5' ORDER BY f, a
UPDATE t SET b=50 WHERE a=8
SELECT a, f FROM t WHERE f='x50'
# MySQL lets no column that they name be called otherwise: definitions-read-again.sql
SELECT a, b, d, e, f FROM t WHERE a IN (1,8)
UPDATE t SET b=8 WHERE a=8
=> error 3819
UPDATE t SET b=9 WHERE a=8
SELECT a, b, d, e, f FROM t WHERE a=8
ALTER TABLE t MODIFY b BIGINT
SELECT COUNT(*), SUM(d), SUM(e) FROM t
# Defaults
CREATE TABLE u (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20), u CHAR(36) DEFAULT (UUID()), at DATETIME DEFAULT (NOW() + INTERVAL 1 DAY), m INT DEFAULT 4, n INT DEFAULT (m*2), h CHAR(32) DEFAULT (MD5(name)), UNIQUE (u))
INSERT INTO u (name) VALUES ('ann'),('bob'),(NULL)
INSERT INTO u (name, m) VALUES ('cid', 10)
INSERT INTO u (name, n) SELECT name, m FROM u WHERE id=4
SELECT id, name, LENGTH(u), at > NOW(), m, n, h FROM u
INSERT INTO u VALUES (DEFAULT, 'eve', DEFAULT, DEFAULT, 5, DEFAULT, DEFAULT)
UPDATE u SET m=50, n=DEFAULT WHERE id=1
SELECT id, m, n, h FROM u WHERE id IN (1,6)
ALTER TABLE u ADD z INT DEFAULT (m+n)
SELECT id, z FROM u
ALTER TABLE u ADD y DATE DEFAULT (CURRENT_DATE)
SELECT COUNT(*) FROM u WHERE y = CURRENT_DATE
# JSON, and what Django, Laravel and WooCommerce make of these.
CREATE TABLE j (id INT PRIMARY KEY, doc LONGTEXT CHECK (JSON_VALID(doc)), name VARCHAR(20) AS (JSON_UNQUOTE(JSON_EXTRACT(doc,'$.name'))) STORED, UNIQUE KEY (name))
INSERT INTO j (id, doc) VALUES (1,'{"name":"ann"}'),(2,'{"name":"bob"}'),(3,'{}'),(4,'{}')
# The computed column comes first, under MySQL's number.
INSERT INTO j (id, doc) VALUES (5,'{"name":')
=> error 3141
INSERT INTO j (id, doc) VALUES (6,'{"name":"ann"}')
SELECT id FROM j WHERE name='bob'
UPDATE j SET doc='{"name":"cid"}' WHERE id=2
SELECT id, name FROM j
CREATE TABLE p (id INT PRIMARY KEY, stock INT UNSIGNED NOT NULL CHECK (`stock` >= 0), price DECIMAL(10,2), total DECIMAL(12,2) GENERATED ALWAYS AS (price * stock) STORED, kind ENUM('a','b') CHECK (kind <> 'b'), day DATE CHECK (day BETWEEN '2020-01-01' AND '2029-12-31'), CONSTRAINT c1 CHECK (price > 0 OR kind IS NULL))
INSERT INTO p (id,stock,price,kind,day) VALUES (1,3,2.50,'a','2024-02-29')
INSERT INTO p (id,stock,price,kind,day) VALUES (2,3,2.50,'b','2024-02-29')
=> error 3819
INSERT INTO p (id,stock,price,kind,day) VALUES (2,3,2.50,'a','2019-12-31')
=> error 3819
INSERT INTO p (id,stock,price,kind,day) VALUES (2,3,-1,'a',NULL)
=> error 3819
INSERT INTO p (id,stock,price,kind,day) VALUES (2,3,-1,NULL,NULL)
UPDATE p SET stock = stock + 1
SELECT * FROM p
# What may not stand there
CREATE TABLE w (a INT, b INT AS (a+RAND()) STORED)
=> error 3763
CREATE TABLE w (a INT, b DATETIME AS (NOW()) STORED)
=> error 3763
CREATE TABLE w (a INT, b INT AS (a+c) STORED)
CREATE TABLE w (a INT, b INT AS (@x) STORED)
CREATE TABLE w (a INT, b INT AS (a) STORED DEFAULT 3)
=> error 1221
CREATE TABLE w (a INT AUTO_INCREMENT PRIMARY KEY, b INT AS (a) STORED)
=> error 3109
CREATE TABLE w (a INT CHECK (c > 1))
=> error 3813
CREATE TABLE w (a INT, CONSTRAINT x CHECK (a > 1), CONSTRAINT x CHECK (a > 2))
=> error 3822
CREATE TABLE w (a INT, b INT AS (a+1), c INT AS (b+1), d INT AS (c*a) STORED)
INSERT INTO w (a) VALUES (1),(2),(NULL),(2147483646)
SELECT * FROM w
INSERT INTO w (a) VALUES (1),(2)
SELECT * FROM w
CREATE TABLE x LIKE w
INSERT INTO x (a) SELECT a FROM w
SELECT * FROM x
CREATE TABLE y AS SELECT * FROM w
INSERT INTO y VALUES (1,1,1,1)
SELECT * FROM y
SELECT table_name, constraint_name FROM information_schema.check_constraints WHERE constraint_schema=DATABASE() AND table_name = 'p' ORDER BY constraint_name
=> p | c1
=> p | p_chk_1
=> p | p_chk_2
=> p | p_chk_3
SELECT TABLE_NAME, COLUMN_NAME, EXTRA FROM information_schema.columns WHERE table_schema=DATABASE() AND table_name IN ('w','y')
# The modes of whoever makes the table
SET sql_mode='ANSI_QUOTES,PIPES_AS_CONCAT,STRICT_TRANS_TABLES'
CREATE TABLE q ("a" VARCHAR(10), "b" VARCHAR(30) AS ("a" || '-' || 'it''s\\') STORED, CHECK ("a" <> 'x'))
SET sql_mode=DEFAULT
INSERT INTO q (a) VALUES ('1'),('2')
INSERT INTO q (a) VALUES ('x')
=> error 3819
SELECT * FROM q
SET sql_mode=''
INSERT INTO q (a,b) VALUES ('3',DEFAULT)
INSERT INTO q (a) VALUES ('x')
=> error 3819
SELECT * FROM q
SET sql_mode=DEFAULT
