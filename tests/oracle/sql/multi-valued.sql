# judges: mysql
# Multi-valued indexes: what is found by elements of arrays, which values are elements, how they are shown, what may be one.
CREATE TABLE p (id INT PRIMARY KEY, a INT, j JSON, KEY x ((CAST(j->'$.x' AS UNSIGNED ARRAY))), KEY y (a, (CAST(j->'$.y' AS CHAR(5) ARRAY)), id), UNIQUE KEY z ((CAST(j->'$.z' AS DECIMAL(10,2) ARRAY))))
INSERT INTO p VALUES (1, 1, '{"x": [1, 2, 2, 3], "y": ["a", "b"], "z": [1.5, 2]}')
INSERT INTO p VALUES (2, 1, '{"x": [1.5], "y": "a"}'), (3, 2, '{"x": ["1"]}'), (4, 2, '{"x": []}'), (5, NULL, NULL)
INSERT INTO p VALUES (6, 2, '{"x": [-1]}')
INSERT INTO p VALUES (6, 2, '{"x": [null]}')
INSERT INTO p VALUES (6, 2, '{"x": null}')
INSERT INTO p VALUES (6, 2, '{"x": {"a": 1}}')
INSERT INTO p VALUES (6, 2, '{"x": [[1]]}')
INSERT INTO p VALUES (6, 2, '{"x": [{"a": 1}]}')
INSERT INTO p VALUES (6, 2, '{"x": ["abc"]}')
INSERT INTO p VALUES (6, 2, '{"x": ["1.5"]}')
INSERT INTO p VALUES (6, 2, '{"x": [1e30]}')
INSERT INTO p VALUES (6, 2, '{"y": ["abcdef"]}')
INSERT INTO p VALUES (6, 2, '{"z": [2, 3]}')
INSERT INTO p VALUES (6, 2, '{"z": [123456789.5]}')
INSERT INTO p VALUES (6, 2, '{"z": ["abc"]}')
INSERT INTO p VALUES (7, 2, '{"y": [1, true, 1.5]}'), (8, 2, '{"z": ["3.5", true]}'), (9, 3, '{"x": [1e2, 18446744073709551615]}'), (10, 3, '{"x": "12"}'), (11, 3, '{"x": 7}'), (12, 3, '{"x": [true, false]}')
SELECT id FROM p WHERE 1 MEMBER OF (j->'$.x') ORDER BY id
SELECT id FROM p WHERE 2 MEMBER OF (j->'$.x') ORDER BY id
SELECT id FROM p WHERE '1' MEMBER OF (j->'$.x') ORDER BY id
SELECT id FROM p WHERE 1.5 MEMBER OF (j->'$.x') ORDER BY id
SELECT id FROM p WHERE TRUE MEMBER OF (j->'$.x') ORDER BY id
SELECT id FROM p WHERE -1 MEMBER OF (j->'$.x') ORDER BY id
SELECT id FROM p WHERE 7 MEMBER OF (j->'$.x')
SELECT id FROM p WHERE NULL MEMBER OF (j->'$.x')
SELECT id FROM p WHERE a = 1 AND 'a' MEMBER OF (j->'$.y') ORDER BY id
SELECT id FROM p WHERE 'a' MEMBER OF (j->'$.y') ORDER BY id
SELECT id FROM p WHERE 'A' MEMBER OF (j->'$.y') ORDER BY id
SELECT id FROM p WHERE a = 2 AND '1' MEMBER OF (j->'$.y') ORDER BY id
SELECT id FROM p WHERE a = 2 AND 'true' MEMBER OF (j->'$.y') ORDER BY id
SELECT id FROM p WHERE 3.5 MEMBER OF (j->'$.z')
SELECT id FROM p WHERE 1.0 MEMBER OF (j->'$.z')
SELECT id FROM p WHERE JSON_CONTAINS(j->'$.x', '[1, 2]') ORDER BY id
SELECT id FROM p WHERE JSON_CONTAINS(j->'$.x', '1') ORDER BY id
SELECT id FROM p WHERE JSON_CONTAINS(j->'$.x', '"1"') ORDER BY id
SELECT id FROM p WHERE JSON_CONTAINS(j->'$.x', '[1, "a"]') ORDER BY id
SELECT id FROM p WHERE JSON_CONTAINS(j->'$.x', CAST('[3, 2]' AS JSON)) ORDER BY id
SELECT id FROM p WHERE JSON_CONTAINS(j->'$.x', '[]') ORDER BY id
SELECT id FROM p WHERE JSON_CONTAINS(j->'$.x', '[7]') ORDER BY id
SELECT id FROM p WHERE JSON_CONTAINS(j->'$.x', 'x')
SELECT id FROM p WHERE JSON_CONTAINS(j->'$.x', NULL)
SELECT id FROM p WHERE JSON_OVERLAPS(j->'$.x', '[1, 7, 100]') ORDER BY id
SELECT id FROM p WHERE JSON_OVERLAPS('[2, 12]', j->'$.x') ORDER BY id
SELECT id FROM p WHERE JSON_OVERLAPS(j->'$.x', '7') ORDER BY id
SELECT id FROM p WHERE JSON_OVERLAPS(j->'$.x', '{"a": 7}') ORDER BY id
SELECT id FROM p WHERE JSON_OVERLAPS(j->'$.x', '[]') ORDER BY id
SELECT id FROM p WHERE a = 1 AND JSON_OVERLAPS(j->'$.y', '["b", "zzzzzz", 1]') ORDER BY id
SELECT id FROM p WHERE NOT (1 MEMBER OF (j->'$.x')) ORDER BY id
SELECT id FROM p WHERE 1 MEMBER OF (j->'$.x') OR 7 MEMBER OF (j->'$.x') ORDER BY id
SELECT id FROM p WHERE 1 MEMBER OF (j->'$.x') AND id > 1 ORDER BY id DESC LIMIT 1
SELECT COUNT(*), MAX(id) FROM p WHERE JSON_OVERLAPS(j->'$.x', '[1, 2, 3, 7]')
SELECT q.id, p.id FROM p JOIN p q ON q.id = p.id + 1 WHERE 1 MEMBER OF (p.j->'$.x') ORDER BY 1
INSERT INTO p VALUES (20, 1, '{"z": [9, 2]}') ON DUPLICATE KEY UPDATE a = 77
SELECT id, a FROM p WHERE a = 77
INSERT IGNORE INTO p VALUES (20, 1, '{"z": [9, 2]}')
INSERT INTO p VALUES (20, 1, '{"z": [9, 10]}'), (21, 1, '{"z": [11, 12]}')
UPDATE p SET j = '{"z": [9, 13]}' WHERE id = 20
UPDATE p SET j = '{"z": [9, 11]}' WHERE id = 20
SELECT id FROM p WHERE 13.0 MEMBER OF (j->'$.z')
SELECT id FROM p WHERE 10.0 MEMBER OF (j->'$.z')
UPDATE p SET id = 30 WHERE JSON_OVERLAPS(j->'$.z', '[9, 13, 14]')
SELECT id, j FROM p WHERE id = 30
DELETE FROM p WHERE JSON_CONTAINS(j->'$.z', '[9, 13]')
SELECT id FROM p ORDER BY id
SELECT index_name AS i, seq_in_index AS n, non_unique AS u, column_name AS c, collation AS o, nullable AS l, index_type AS t, expression AS e FROM information_schema.statistics WHERE table_name = 'p' ORDER BY 1, 2
SELECT column_name AS c, column_key AS k FROM information_schema.columns WHERE table_name = 'p' ORDER BY ordinal_position
SELECT constraint_name AS k, constraint_type AS t FROM information_schema.table_constraints WHERE table_name = 'p' ORDER BY 1
SELECT constraint_name AS k, column_name AS c FROM information_schema.key_column_usage WHERE table_name = 'p' ORDER BY 1
ALTER TABLE p DROP COLUMN j
ALTER TABLE p RENAME COLUMN j TO k
ALTER TABLE p ADD UNIQUE KEY w ((CAST(j->'$.x' AS UNSIGNED ARRAY)))
ALTER TABLE p ADD KEY w ((CAST(j->'$.x' AS SIGNED ARRAY)))
ALTER TABLE p RENAME INDEX x TO xx
ALTER TABLE p DROP INDEX xx
SELECT id FROM p WHERE 1 MEMBER OF (j->'$.x') ORDER BY id
CREATE TABLE q LIKE p
SELECT index_name AS i, expression AS e FROM information_schema.statistics WHERE table_name = 'q' ORDER BY 1, seq_in_index
CREATE INDEX v ON q ((CAST(j AS BINARY(3) ARRAY)), a)
DROP INDEX v ON q
CREATE TABLE d (id INT PRIMARY KEY, d JSON, KEY d ((CAST(d->'$.d' AS DATE ARRAY))), KEY t ((CAST(d->'$.t' AS TIME ARRAY))), KEY m ((CAST(d->'$.m' AS DATETIME(3) ARRAY))))
INSERT INTO d VALUES (1, '{"d": ["2020-01-02", 20210102, "2022-1-2"], "t": ["03:04:05", 10], "m": ["2020-01-02 03:04:05.6789", "2020-01-03"]}'), (2, '{"d": "2020-01-02"}')
INSERT INTO d VALUES (3, '{"d": ["2020-13-02"]}')
INSERT INTO d VALUES (3, '{"d": ["0000-00-00"]}')
INSERT INTO d VALUES (3, '{"d": [true]}')
INSERT INTO d VALUES (3, '{"t": ["900:00:00"]}')
INSERT INTO d VALUES (3, '{"m": ["x"]}')
SELECT id FROM d WHERE DATE'2020-01-02' MEMBER OF (d->'$.d') ORDER BY id
SELECT id FROM d WHERE '2021-01-02' MEMBER OF (d->'$.d') ORDER BY id
SELECT id FROM d WHERE '2022-01-02' MEMBER OF (d->'$.d') ORDER BY id
SELECT id FROM d WHERE 20210102 MEMBER OF (d->'$.d') ORDER BY id
SELECT id FROM d WHERE TIME'03:04:05' MEMBER OF (d->'$.t') ORDER BY id
SELECT id FROM d WHERE '00:00:10' MEMBER OF (d->'$.t') ORDER BY id
SELECT id FROM d WHERE TIMESTAMP'2020-01-02 03:04:05.679' MEMBER OF (d->'$.m') ORDER BY id
SELECT id FROM d WHERE DATE'2020-01-03' MEMBER OF (d->'$.m') ORDER BY id
SELECT id FROM d WHERE JSON_OVERLAPS(d->'$.d', '["2020-01-02", "x"]') ORDER BY id
SELECT id FROM d WHERE JSON_CONTAINS(d->'$.d', '["2020-01-02", "2021-01-02"]') ORDER BY id
CREATE TABLE c (id INT PRIMARY KEY, a INT, j JSON, UNIQUE KEY u (a, (CAST(j AS CHAR(5) ARRAY))))
INSERT INTO c VALUES (1, 1, '["a"]'), (2, 1, '["A"]'), (3, 1, '["ä"]'), (4, 1, '["a "]'), (5, NULL, '["a"]'), (6, NULL, '["a"]'), (7, 1, '[]'), (8, 1, NULL)
INSERT INTO c VALUES (9, 1, '["b", "a"]')
INSERT INTO c VALUES (9, 2, '["b", "b"]')
SELECT id FROM c WHERE a = 1 AND 'A' MEMBER OF (j)
SELECT id FROM c WHERE a IS NULL AND 'a' MEMBER OF (j) ORDER BY id
CREATE TABLE e (j JSON, KEY ((CAST(j AS UNSIGNED ARRAY)), (CAST(j->'$.y' AS UNSIGNED ARRAY))))
CREATE TABLE e (j JSON, KEY ((CAST(j AS CHAR ARRAY))))
CREATE TABLE e (j JSON, KEY ((CAST(j AS CHAR(513) ARRAY))))
CREATE TABLE e (j JSON, KEY ((CAST(j AS BINARY(513) ARRAY))))
CREATE TABLE e (j JSON, KEY ((CAST(j AS FLOAT ARRAY))))
CREATE TABLE e (j JSON, KEY ((CAST(j AS DOUBLE ARRAY))))
CREATE TABLE e (j JSON, KEY ((CAST(j AS JSON ARRAY))))
CREATE TABLE e (j JSON, KEY ((1 + CAST(j AS UNSIGNED ARRAY))))
CREATE TABLE e (j JSON, PRIMARY KEY ((CAST(j AS UNSIGNED ARRAY))))
CREATE TABLE e (j JSON, KEY ((CAST(j AS UNSIGNED ARRAY)) DESC))
CREATE TABLE e (j JSON, FULLTEXT KEY ((CAST(j AS UNSIGNED ARRAY))))
CREATE TABLE e (j JSON, x INT AS (CAST(j AS UNSIGNED ARRAY)))
CREATE TABLE e (j JSON, CHECK (CAST(j AS UNSIGNED ARRAY) = 1))
SELECT CAST('[1]' AS UNSIGNED ARRAY)
CREATE TABLE h (id INT PRIMARY KEY, j JSON, UNIQUE KEY ((CAST(j AS SIGNED ARRAY)))) PARTITION BY HASH (id) PARTITIONS 2
CREATE TABLE h (id INT PRIMARY KEY, j JSON, KEY k ((CAST(j AS SIGNED ARRAY)))) PARTITION BY HASH (id) PARTITIONS 2
INSERT INTO h VALUES (1, '[1, 2]'), (2, '[2, 3]'), (3, '[3, 4]')
SELECT id FROM h WHERE 2 MEMBER OF (j) ORDER BY id
SELECT id FROM h WHERE JSON_OVERLAPS(j, '[2, 3]') ORDER BY id
SELECT id FROM h WHERE 3 MEMBER OF (j) AND id = 3
