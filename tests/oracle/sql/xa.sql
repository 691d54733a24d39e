# judges: mysql
# Global transactions: states, errors and names, as MySQL 9.7 has them
CREATE TABLE p (id INT PRIMARY KEY, v INT)
INSERT INTO p VALUES (1,1),(2,2)
# 1. Without one
XA END 'oracle-a'
XA PREPARE 'oracle-a'
XA COMMIT 'oracle-a'
XA COMMIT 'oracle-a' ONE PHASE
XA ROLLBACK 'oracle-a'
XA START 'oracle-a' JOIN
XA START 'oracle-a' RESUME
# 2. Active
XA START 'oracle-a'
@2 XA START 'oracle-a'
XA START 'oracle-b'
XA START 'oracle-b' RESUME
BEGIN
COMMIT
ROLLBACK
INSERT INTO p VALUES (3,3)
@2 SELECT * FROM p ORDER BY id
XA END 'oracle-b'
XA END 'oracle-a' SUSPEND
XA END 'oracle-a' SUSPEND FOR MIGRATE
XA END 'oracle-a' FOR MIGRATE
XA PREPARE 'oracle-a'
XA COMMIT 'oracle-a' ONE PHASE
XA COMMIT 'oracle-a'
XA ROLLBACK 'oracle-a'
XA COMMIT 'oracle-zz'
XA ROLLBACK 'oracle-zz'
@2 XA COMMIT 'oracle-a'
@2 XA ROLLBACK 'oracle-a'
# What would commit
CREATE TABLE u (id INT)
ALTER TABLE p ADD z INT
RENAME TABLE p TO q
TRUNCATE TABLE p
DROP TABLE p
CREATE INDEX i ON p (v)
CREATE VIEW w AS SELECT 1
DROP VIEW IF EXISTS w
CREATE DATABASE oracle_xa_database
LOCK TABLES p READ
UNLOCK TABLES
FLUSH TABLES
OPTIMIZE TABLE p
ANALYZE TABLE p
CHECK TABLE p
CREATE USER oracle_xa_user
SET PASSWORD = ''
START TRANSACTION
BEGIN WORK
SET autocommit = 1
SET autocommit = 0
SET autocommit = 1
SET autocommit = 0
SET TRANSACTION READ ONLY
# What would not
CREATE TEMPORARY TABLE tt (id INT)
SAVEPOINT s
INSERT INTO p VALUES (4,4)
ROLLBACK TO s
RELEASE SAVEPOINT s
RELEASE SAVEPOINT s
CHECKSUM TABLE none
SELECT * FROM p ORDER BY id
UPDATE p SET v = v + 1 WHERE id = 1
DELETE FROM p WHERE id = 2
PREPARE s FROM 'COMMIT'
EXECUTE s
PREPARE s FROM 'SELECT COUNT(*) FROM p'
EXECUTE s
# 3. Idle
XA END 'oracle-a'
XA END 'oracle-a'
XA START 'oracle-a'
XA START 'oracle-a' JOIN
XA START 'oracle-b' RESUME
SELECT 'nothing'
SELECT * FROM p
TABLE p
INSERT INTO p VALUES (9,9)
UPDATE p SET v = 1
DELETE FROM p
EXECUTE s
SHOW TABLES
SHOW CREATE TABLE p
EXPLAIN SELECT * FROM p
SAVEPOINT s
ROLLBACK TO s
RELEASE SAVEPOINT s
SET @a = 1
DO 1
SET @a = (SELECT COUNT(*) FROM p)
DO (SELECT COUNT(*) FROM p)
VALUES ROW(1)
CREATE TABLE u (id INT)
BEGIN
COMMIT
ROLLBACK
SET TRANSACTION READ ONLY
XA COMMIT 'oracle-a'
XA PREPARE 'oracle-b'
XA COMMIT 'oracle-b' ONE PHASE
XA START 'oracle-a' RESUME
INSERT INTO p VALUES (5,5)
XA END 'oracle-a'
# 4. Prepared: nobody's, and everybody's
XA PREPARE 'oracle-a'
XA PREPARE 'oracle-a'
@2 SELECT * FROM p ORDER BY id
SELECT * FROM p ORDER BY id
COMMIT
XA START 'oracle-a'
@2 XA START 'oracle-a'
@2 BEGIN
@2 XA COMMIT 'oracle-a'
@2 ROLLBACK
@2 XA COMMIT 'oracle-a'
@2 XA COMMIT 'oracle-a'
XA ROLLBACK 'oracle-a'
SELECT * FROM p ORDER BY id
COMMIT
SET autocommit = 1
# 5. One phase, and none
XA START 'oracle-a'
INSERT INTO p VALUES (6,6)
XA END 'oracle-a'
XA COMMIT 'oracle-a' ONE PHASE
XA START 'oracle-a'
INSERT INTO p VALUES (7,7)
XA END 'oracle-a'
XA ROLLBACK 'oracle-a'
SELECT * FROM p ORDER BY id
XA START 'oracle-a'
INSERT INTO p VALUES (8,8)
XA END 'oracle-a'
XA PREPARE 'oracle-a'
@2 XA COMMIT 'oracle-a' ONE PHASE
SELECT * FROM p ORDER BY id
XA START 'oracle-a'
XA END 'oracle-a'
XA PREPARE 'oracle-a'
XA ROLLBACK 'oracle-a'
# 6. Beside other transactions
BEGIN
XA START 'oracle-a'
XA COMMIT 'oracle-a'
ROLLBACK
SET autocommit = 0
XA START 'oracle-a'
XA END 'oracle-a'
XA ROLLBACK 'oracle-a'
SELECT COUNT(*) FROM p
XA START 'oracle-a'
COMMIT
SET autocommit = 1
SET SESSION TRANSACTION READ ONLY
XA START 'oracle-a'
INSERT INTO p VALUES (77,7)
XA END 'oracle-a'
XA COMMIT 'oracle-a' ONE PHASE
SET SESSION TRANSACTION READ WRITE
# 7. Names
XA START 'oracle-j','k',7
XA END 'oracle-j'
XA END 'oracle-j','k'
XA END 'oracle-j','k',7
XA PREPARE 'oracle-j','k',7
XA RECOVER
XA RECOVER CONVERT XID
XA START 'oracle-j','k',8
XA ROLLBACK 'oracle-j','k',8
XA ROLLBACK 'oracle-j','k'
XA ROLLBACK 'oracle-j','k',7
XA START X'0102ff',0xff,0
XA END X'0102FF',0xff,0
XA PREPARE X'0102ff',0xff,0
XA RECOVER CONVERT XID
XA ROLLBACK X'0102ff',X'FF',0
XA START ''
XA END ''
XA PREPARE ''
XA RECOVER
XA ROLLBACK ''
XA START '',''
XA END ''
XA ROLLBACK ''
XA START 'aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff12345'
XA START 'aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff1234','aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff1234',4294967295
XA END 'aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff1234','aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff1234',4294967295
XA PREPARE 'aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff1234','aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff1234',4294967295
XA RECOVER
XA ROLLBACK 'aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff1234','aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff1234',4294967295
XA START 'x','y',-1
XA START 'x','y',18446744073709551615
XA START x
XA END
XA FOO 'a'
XA START 'x','y',0x10
XA END 'x','y',16
XA ROLLBACK 'x','y',16
XA RECOVER
PREPARE s FROM "XA START 'q'"
PREPARE s FROM 'XA RECOVER'
# 8. Temporary tables stay outside
CREATE TEMPORARY TABLE tt (id INT)
INSERT INTO tt VALUES (1)
XA START 'oracle-a'
SELECT * FROM tt
INSERT INTO tt VALUES (2)
INSERT INTO p SELECT 10, id FROM tt
DROP TEMPORARY TABLE tt
CREATE TEMPORARY TABLE uu (id INT)
XA END 'oracle-a'
XA ROLLBACK 'oracle-a'
SELECT * FROM tt
