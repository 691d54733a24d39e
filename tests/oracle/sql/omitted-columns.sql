# Of a column without a default that a statement does not name it is warned once, whatever rows it adds
# judges: mysql
SET sql_mode = ''
CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, c INT, e ENUM('x','y') NOT NULL)
INSERT INTO t (c) VALUES (1), (2), (3)
SHOW WARNINGS
INSERT INTO t () VALUES (), ()
SHOW WARNINGS
INSERT INTO t (a) VALUES (1), (2)
SHOW WARNINGS
INSERT INTO t (c) SELECT 1 UNION SELECT 2
SHOW WARNINGS
INSERT INTO t (b, c) SELECT c, 1 FROM t WHERE c IS NOT NULL
SHOW WARNINGS
REPLACE INTO t (c) VALUES (1), (2)
SHOW WARNINGS
INSERT INTO t SET c = 1
SHOW WARNINGS
SET sql_mode = DEFAULT
INSERT INTO t (c) VALUES (1), (2)
INSERT IGNORE INTO t (c) VALUES (1), (2)
SHOW WARNINGS
UPDATE IGNORE t SET a = DEFAULT WHERE c = 3
SHOW WARNINGS
SELECT COUNT(*), SUM(a), SUM(b) FROM t
# Of a column that has no value yet VALUES see its default, or an empty value
CREATE TABLE u (a INT, b INT DEFAULT 7, c INT NOT NULL, d VARCHAR(5) NOT NULL, e INT DEFAULT (3+4))
INSERT INTO u (a,b,c,d) VALUES (b+1,5,c+1,CONCAT(d,'x'))
INSERT INTO u (a,b,c,d) VALUES (b+1,b+1,b+1,a)
INSERT INTO u (a,c,d) VALUES (e,a,b)
INSERT INTO u SET a=b+c, c=c+2, d=d
INSERT INTO u (b,a,c,d) VALUES (DEFAULT,b,DEFAULT(b),'')
INSERT INTO u (a,b,c,d) VALUES (1,2,c,d), (2,3,c+1,d), (c,b,4,5)
INSERT IGNORE INTO u (a,b,c,d) VALUES (1,2,c,d)
REPLACE INTO u (a,b,c,d) VALUES (1,2,c,d)
INSERT INTO u (b,a,c,d) VALUES (5,b+1,a,c)
SELECT * FROM u
CREATE TABLE k (id INT AUTO_INCREMENT PRIMARY KEY, x INT NOT NULL DEFAULT 3, s ENUM('q','r') NOT NULL)
INSERT INTO k (id,x,s) VALUES (id+5,x+1,s)
INSERT INTO k VALUES (id,x,s)
INSERT INTO k (x,s) VALUES (id,s)
SELECT * FROM k
