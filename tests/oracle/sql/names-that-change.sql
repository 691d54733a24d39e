# Views and indexes that change names in one statement, sub-queries in SHOW .. WHERE, FROM FIRST, words as names
# judges: mysql
~CREATE TABLE t5 (a INT PRIMARY KEY, b INT, c VARCHAR(20), KEY kb (b), KEY kc (c))
INSERT INTO t5 VALUES (1,1,'x'),(2,2,'y'),(3,3,NULL)
CREATE VIEW w1 AS SELECT 1 AS one
CREATE VIEW w2 AS SELECT 2 AS two
RENAME TABLE w1 TO tmp, w2 TO w1, tmp TO w2
SELECT * FROM w1
SELECT * FROM w2
RENAME TABLE w1 TO w2
RENAME TABLE w1 TO w3, w1 TO w4
RENAME TABLE w1 TO tmp, t5 TO w1, tmp TO t5
SELECT * FROM t5
RENAME TABLE w1 TO tmp, t5 TO w1, tmp TO t5
SELECT * FROM w1
# MySQL warns of its statistics.
~ALTER TABLE t5 RENAME INDEX kb TO kc, RENAME INDEX kc TO kb
SELECT index_name, column_name FROM information_schema.statistics WHERE table_schema=DATABASE() AND table_name='t5' ORDER BY 1, seq_in_index
ALTER TABLE t5 DROP INDEX kb, ADD INDEX kb (b, c)
SELECT index_name, column_name FROM information_schema.statistics WHERE table_schema=DATABASE() AND table_name='t5' ORDER BY 1, seq_in_index
ALTER TABLE t5 ADD INDEX kb (c), DROP INDEX kb
SELECT index_name, column_name FROM information_schema.statistics WHERE table_schema=DATABASE() AND table_name='t5' ORDER BY 1, seq_in_index
ALTER TABLE t5 DROP INDEX kb, RENAME INDEX kc TO kb
SELECT index_name, column_name FROM information_schema.statistics WHERE table_schema=DATABASE() AND table_name='t5' ORDER BY 1, seq_in_index
ALTER TABLE t5 RENAME INDEX kb TO kx, ADD INDEX kb (a,b)
SELECT index_name, column_name FROM information_schema.statistics WHERE table_schema=DATABASE() AND table_name='t5' ORDER BY 1, seq_in_index
ALTER TABLE t5 RENAME INDEX kx TO kb
SELECT index_name, column_name FROM information_schema.statistics WHERE table_schema=DATABASE() AND table_name='t5' ORDER BY 1, seq_in_index
ALTER TABLE t5 DROP INDEX kx, RENAME INDEX kx TO ky
SELECT index_name, column_name FROM information_schema.statistics WHERE table_schema=DATABASE() AND table_name='t5' ORDER BY 1, seq_in_index
ALTER TABLE t5 RENAME INDEX kx TO ky, RENAME INDEX kx TO kz
SELECT index_name, column_name FROM information_schema.statistics WHERE table_schema=DATABASE() AND table_name='t5' ORDER BY 1, seq_in_index
SHOW COLUMNS FROM t5 WHERE Field = (SELECT 'a')
SHOW VARIABLES WHERE variable_name = (SELECT 'autocommit')
SELECT NTH_VALUE(a, 2) FROM FIRST OVER (ORDER BY a) FROM t5 LIMIT 3
SELECT NTH_VALUE(a, 2) FROM LAST OVER (ORDER BY a) FROM t5 LIMIT 3
SELECT NTH_VALUE(a, 2) FROM FIRST RESPECT NULLS OVER (ORDER BY a) FROM t5 LIMIT 3
SELECT NTH_VALUE(a, 2) RESPECT NULLS OVER (ORDER BY a) FROM t5 LIMIT 3
SELECT NTH_VALUE(a, 2) IGNORE NULLS OVER (ORDER BY a) FROM t5 LIMIT 3
SELECT FIRST_VALUE(a) FROM FIRST OVER (ORDER BY a) FROM t5 LIMIT 3
SELECT LEAD(a) RESPECT NULLS OVER (ORDER BY a) FROM t5 LIMIT 3
CREATE TABLE kw1 (bit INT, enum INT, KEY bit (bit), INDEX enum (enum))
SELECT 1 AS offset, 2 AS full, 3 AS returning, 4 AS `select`
SELECT 1 AS select
SELECT 1 AS rank
SELECT 1 x FROM (SELECT 1) AS system
SELECT 1 first, 2 last, 3 AS key
SELECT * FROM (SELECT 1 a) full
SELECT * FROM (SELECT 1 a) AS `groups`
