# judges: mysql
# JSON_TABLE
# 1. Columns, numbers of rows, whether a path leads somewhere
SELECT * FROM JSON_TABLE('[{"a":1,"b":"x"},{"a":2},{"b":null}]', '$[*]' COLUMNS (n FOR ORDINALITY, a INT PATH '$.a', b VARCHAR(10) PATH '$.b')) t
SELECT * FROM JSON_TABLE('[1,2,"3"]', '$[*]' COLUMNS (v INT PATH '$')) t
SELECT * FROM JSON_TABLE('[{"a":1},{"b":2}]', '$[*]' COLUMNS (e INT EXISTS PATH '$.a', f VARCHAR(5) EXISTS PATH '$.b')) t
SELECT * FROM JSON_TABLE('{"a":1}', '$' COLUMNS (i INT PATH '$.a')) t
SELECT * FROM JSON_TABLE('{}', '$[*]' COLUMNS (i INT PATH '$')) t
SELECT * FROM JSON_TABLE(NULL, '$[*]' COLUMNS (i INT PATH '$')) t
SELECT * FROM JSON_TABLE('[3,1,2]', '$[last]' COLUMNS (v INT PATH '$')) t
SELECT * FROM JSON_TABLE(CONCAT('[1', ',2]'), '$[*]' COLUMNS (v INT PATH '$')) t
# 2. Nested paths
SELECT * FROM JSON_TABLE('[{"a":1,"k":[10,20]},{"a":2,"k":[]},{"a":3}]', '$[*]' COLUMNS (a INT PATH '$.a', NESTED PATH '$.k[*]' COLUMNS (o FOR ORDINALITY, k INT PATH '$'))) t
SELECT * FROM JSON_TABLE('[{"a":1,"k":[10,20],"l":["x"]},{"a":2,"l":["y","z"]}]', '$[*]' COLUMNS (a INT PATH '$.a', NESTED PATH '$.k[*]' COLUMNS (k INT PATH '$'), NESTED PATH '$.l[*]' COLUMNS (l CHAR(3) PATH '$'))) t
SELECT * FROM JSON_TABLE('[{"a":[{"b":[1,2]},{"b":[3]},{}]}]', '$[*]' COLUMNS (NESTED PATH '$.a[*]' COLUMNS (x FOR ORDINALITY, NESTED PATH '$.b[*]' COLUMNS (y FOR ORDINALITY, b INT PATH '$')))) t
# 3. ON EMPTY, ON ERROR
SELECT * FROM JSON_TABLE('[{"a":1},{}]', '$[*]' COLUMNS (a INT PATH '$.a' DEFAULT '7' ON EMPTY)) t
SELECT * FROM JSON_TABLE('[{"a":1},{}]', '$[*]' COLUMNS (a INT PATH '$.a' ERROR ON EMPTY)) t
SELECT * FROM JSON_TABLE('[{"a":"x"},{}]', '$[*]' COLUMNS (a INT PATH '$.a' DEFAULT '7' ON ERROR)) t
SELECT * FROM JSON_TABLE('[{"a":"x"},{}]', '$[*]' COLUMNS (a INT PATH '$.a' ERROR ON ERROR)) t
SELECT * FROM JSON_TABLE('[{"a":"x"},{}]', '$[*]' COLUMNS (a INT PATH '$.a' NULL ON EMPTY ERROR ON ERROR)) t
SELECT * FROM JSON_TABLE('["x"]', '$[*]' COLUMNS (v INT PATH '$' DEFAULT '5' ON EMPTY DEFAULT '6' ON ERROR)) t
SELECT * FROM JSON_TABLE('{"a":1}', '$' COLUMNS (i INT PATH '$.b' DEFAULT 'x' ON EMPTY)) t
SELECT * FROM JSON_TABLE('{"a":1}', '$' COLUMNS (i INT PATH '$.b' DEFAULT '"x"' ON EMPTY)) t
SELECT * FROM JSON_TABLE('{"a":1}', '$' COLUMNS (i INT PATH '$.b' DEFAULT 5 ON EMPTY)) t
# 4. Values of types
SELECT * FROM JSON_TABLE('[{"a":[1,2]},{"a":{"b":1}}]', '$[*]' COLUMNS (a INT PATH '$.a', j JSON PATH '$.a', s VARCHAR(20) PATH '$.a')) t
SELECT * FROM JSON_TABLE('[{"a":[1,2]}]', '$[*]' COLUMNS (s VARCHAR(20) PATH '$.a' ERROR ON ERROR)) t
SELECT * FROM JSON_TABLE('[{"a":[1,2]}]', '$[*]' COLUMNS (s INT PATH '$.a[*]' ERROR ON ERROR)) t
SELECT * FROM JSON_TABLE('[{"a":[1,2]}]', '$[*]' COLUMNS (s INT PATH '$.a[*]', j JSON PATH '$.a[*]')) t
SELECT * FROM JSON_TABLE('[{"a":"abcdef"}]', '$[*]' COLUMNS (s VARCHAR(3) PATH '$.a')) t
SELECT * FROM JSON_TABLE('[{"a":"abcdef"}]', '$[*]' COLUMNS (s VARCHAR(3) PATH '$.a' ERROR ON ERROR)) t
SELECT * FROM JSON_TABLE('[1.567, 3000000000, "2020-01-02", true, null, "1.5"]', '$[*]' COLUMNS (i INT PATH '$', d DECIMAL(5,2) PATH '$', dt DATE PATH '$', s VARCHAR(12) PATH '$', f DOUBLE PATH '$', b TINYINT UNSIGNED PATH '$')) t
SELECT * FROM JSON_TABLE('[{"x":1.0},{"x":1e2},{"x":-1}]', '$[*]' COLUMNS (v INT UNSIGNED PATH '$.x', f FLOAT PATH '$.x')) t
SELECT * FROM JSON_TABLE('[{"a":"2020-01-01 10:11:12.5"}]', '$[*]' COLUMNS (d DATETIME PATH '$.a', e DATETIME(3) PATH '$.a', da DATE PATH '$.a')) t
SELECT * FROM JSON_TABLE('["a","B"]', '$[*]' COLUMNS (v VARCHAR(5) PATH '$')) t WHERE v = 'b'
SELECT * FROM JSON_TABLE('[1,2]', '$[*]' COLUMNS (v BLOB PATH '$', t TEXT PATH '$', e ENUM('1','2') PATH '$', s SET('1') PATH '$')) t
# 5. Beside tables
CREATE TABLE jt (id INT PRIMARY KEY, j JSON)
INSERT INTO jt VALUES (1,'[1,2]'),(2,'[]'),(3,'[{"a":5}]'),(4,NULL)
SELECT id, v FROM jt, JSON_TABLE(j, '$[*]' COLUMNS (v JSON PATH '$')) t
SELECT id, v FROM jt LEFT JOIN JSON_TABLE(j, '$[*]' COLUMNS (v JSON PATH '$')) t ON TRUE
SELECT id, v FROM jt JOIN JSON_TABLE(jt.j, '$[*]' COLUMNS (v INT PATH '$')) t ON v = id
SELECT * FROM JSON_TABLE(j, '$[*]' COLUMNS (v INT PATH '$')) t, jt
SELECT id, (SELECT COUNT(*) FROM JSON_TABLE(jt.j, '$[*]' COLUMNS (v JSON PATH '$')) t) c FROM jt
SELECT id FROM jt WHERE EXISTS (SELECT 1 FROM JSON_TABLE(jt.j, '$[*]' COLUMNS (v INT PATH '$')) t WHERE v = 2)
SELECT id FROM jt WHERE id IN (SELECT v FROM JSON_TABLE('[1,4]', '$[*]' COLUMNS (v INT PATH '$')) t)
SELECT t.* FROM jt x, LATERAL (SELECT * FROM JSON_TABLE(x.j, '$[*]' COLUMNS (v JSON PATH '$')) q) t
SELECT SUM(v) FROM JSON_TABLE('[1,2,3]', '$[*]' COLUMNS (v INT PATH '$')) t GROUP BY v % 2 ORDER BY 1
SELECT a.v, b.v FROM JSON_TABLE('[1,2]', '$[*]' COLUMNS (v INT PATH '$')) a, JSON_TABLE('[2,3]', '$[*]' COLUMNS (v INT PATH '$')) b WHERE a.v = b.v
SELECT v FROM JSON_TABLE('[3,1,2]', '$[*]' COLUMNS (v INT PATH '$')) t ORDER BY v DESC LIMIT 2
CREATE VIEW jv AS SELECT * FROM JSON_TABLE('[1,2]', '$[*]' COLUMNS (v INT PATH '$')) t
SELECT * FROM jv
CREATE VIEW jw AS SELECT id, v FROM jt, JSON_TABLE(j, '$[*]' COLUMNS (v JSON PATH '$', NESTED PATH '$.a' COLUMNS (n FOR ORDINALITY, a INT PATH '$' DEFAULT '4' ON EMPTY))) t
SELECT * FROM jw
PREPARE s FROM 'SELECT * FROM JSON_TABLE(?, ''$[*]'' COLUMNS (v INT PATH ''$'')) t WHERE v > ?'
SET @j = '[1,5,9]', @n = 3
EXECUTE s USING @j, @n
UPDATE jt, JSON_TABLE(jt.j, '$[*]' COLUMNS (v INT PATH '$')) t SET jt.id = jt.id + 100 WHERE t.v = 2
SELECT id FROM jt ORDER BY id
DELETE jt FROM jt, JSON_TABLE(jt.j, '$[*]' COLUMNS (v INT PATH '$')) t WHERE t.v = 1
SELECT id FROM jt ORDER BY id
INSERT INTO jt SELECT v + 50, NULL FROM JSON_TABLE('[1,2]', '$[*]' COLUMNS (v INT PATH '$')) t
SELECT id FROM jt ORDER BY id
# 6. What is wrong
SELECT * FROM JSON_TABLE('x', '$[*]' COLUMNS (i INT PATH '$')) t
SELECT * FROM JSON_TABLE(5, '$' COLUMNS (i INT PATH '$')) t
SELECT * FROM JSON_TABLE('{"a":1}', 'bad' COLUMNS (i INT PATH '$.a')) t
SELECT * FROM JSON_TABLE('{"a":1}', '$' COLUMNS (i INT PATH 'bad')) t
SELECT * FROM JSON_TABLE('{"a":1}', '$' COLUMNS (i INT PATH '$.a'))
SELECT * FROM JSON_TABLE('{"a":1}', '$' COLUMNS (i INT PATH '$.a', i INT PATH '$.b')) t
SELECT * FROM JSON_TABLE('[{"a":1,"b":[1]}]', '$[*]' COLUMNS (a INT PATH '$.a', NESTED PATH '$.b[*]' COLUMNS (a INT PATH '$'))) t
SELECT * FROM JSON_TABLE('[1]', '$[*]' COLUMNS (v INT PATH '$')) AS t(w)
