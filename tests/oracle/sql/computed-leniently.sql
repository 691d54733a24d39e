# judges: mysql
# Computed columns outside of strict mode, and with IGNORE: the nearest value takes the place of what a column cannot hold
SET sql_mode = ''
CREATE TABLE g (id INT PRIMARY KEY AUTO_INCREMENT, a VARCHAR(20), b INT AS (a) STORED, d TINYINT AS (a * 100) STORED, e INT AS (a / 0) STORED, f CHAR(3) AS (a) STORED)
INSERT INTO g (a) VALUES ('5x')
INSERT INTO g (a) VALUES ('2020-01-02'), ('77777')
SELECT * FROM g ORDER BY id
UPDATE g SET a = 'zz' WHERE a = '5x'
REPLACE INTO g (id, a) VALUES (90, '3')
INSERT INTO g (id, a) VALUES (91, '4') ON DUPLICATE KEY UPDATE a = 'other'
INSERT INTO g (a) SELECT 'by query'
SELECT * FROM g ORDER BY id
CREATE TABLE l (a INT)
INSERT INTO l VALUES (1), (2), (3)
INSERT INTO g (a) SELECT CONCAT('many ', a) FROM l
SELECT b, d, f FROM g WHERE a LIKE 'many%' ORDER BY id
SET sql_mode = 'TRADITIONAL'
INSERT INTO g (a) VALUES ('5x')
INSERT INTO g (a) VALUES ('1')
INSERT IGNORE INTO g (id, a) VALUES (95, 'ignored')
UPDATE IGNORE g SET a = 'changed' WHERE a = 'ignored'
SELECT a, b, d, e, f FROM g WHERE a IN ('5x', '1', 'ignored', 'changed') ORDER BY id
CREATE TABLE h (a INT, b INT, c INT AS (a / b) STORED)
INSERT INTO h (a, b) VALUES (1, 0)
INSERT IGNORE INTO h (a, b) VALUES (1, 0)
SET sql_mode = ''
INSERT INTO h (a, b) VALUES (2, 0)
ALTER TABLE h ADD d TINYINT AS (a * 1000) STORED
SELECT * FROM h ORDER BY a
SET sql_mode = DEFAULT
INSERT INTO h (a, b) VALUES (3, 0)
ALTER TABLE h ADD e TINYINT AS (a * 1000) STORED
# What a column has of a document is the text, the number or the truth that the document is
CREATE TABLE j (id INT PRIMARY KEY, j JSON, i INT AS (j->'$.i') STORED, n DECIMAL(6, 2) AS (j->'$.n') STORED, r DOUBLE AS (JSON_EXTRACT(j, '$.r')) STORED, d DATE AS (j->>'$.d') STORED)
INSERT INTO j (id, j) VALUES (1, '{"i":"5","n":"1.25","r":true,"d":"2024-02-29"}'), (2, '{"i":false,"n":7,"r":"2.5"}'), (3, '{"i":1.5,"n":-1}')
SELECT id, i, n, r, d FROM j ORDER BY id
# Where a generated column is given what it may not have
CREATE TABLE w (a INT, b INT AS (a + 1) DEFAULT 0)
CREATE TABLE w (a INT, b INT AS (a + 1) AUTO_INCREMENT, KEY (b))
CREATE TABLE w (a INT, b DATETIME AS (NULL) ON UPDATE CURRENT_TIMESTAMP)
# Outside of strict mode a text that is too long is truncated
SET sql_mode = ''
CREATE TABLE x (c CHAR(3), v VARCHAR(3), b VARBINARY(3), t TINYTEXT)
INSERT INTO x VALUES ('abcdef', 'abcdef', 'abcdef', REPEAT('t', 300))
SHOW WARNINGS
INSERT INTO x SELECT 'abcdef', 'abcdef', 'abcdef', REPEAT('t', 300)
UPDATE x SET c = CONCAT(v, v)
SHOW WARNINGS
ALTER TABLE x MODIFY c CHAR(2)
SHOW WARNINGS
SET sql_mode = DEFAULT
INSERT IGNORE INTO x VALUES ('abcdef', 'abcdef', 'abcdef', REPEAT('t', 300))
SHOW WARNINGS
INSERT INTO x (c) VALUES ('abcdef')
