# JSON: documents beside values, in order, in groups, and what functions say of them
# judges: mariadb mysql
CREATE TABLE j (id INT PRIMARY KEY, d JSON, v VARCHAR(30))
INSERT INTO j VALUES (1,'"b"','b'),(2,'10',NULL),(3,'9','x'),(4,'[1, 2]','y'),(5,'[3]',''),(6,'{"a": 1}',''),(7,'null','null'),(8,NULL,'n'),(9,'true',''),(10,'false',''),(11,'"a"',''),(12,'1.5',''),(13,'-3',''),(14,'10.0',''),(15,'{"a": 1, "b": 0}',''),(16,'[]',''),(17,'{}',''),(18,'"B"',''),(19,'"10"',''),(20,'-0.0',''),(21,'0',''),(22,'""',''),(23,'[10, 1, 2]',''),(24,'18446744073709551615','')
SELECT id, d FROM j ORDER BY d, id
=> 8 | NULL
=> 7 | null
=> 13 | -3
=> 20 | -0.0
=> 21 | 0
=> 12 | 1.5
=> 3 | 9
=> 2 | 10
=> 14 | 10.0
=> 24 | 18446744073709551615
=> 22 | ""
=> 19 | "10"
=> 18 | "B"
=> 11 | "a"
=> 1 | "b"
=> 17 | {}
=> 6 | {"a": 1}
=> 15 | {"a": 1, "b": 0}
=> 16 | []
=> 5 | [3]
=> 4 | [1, 2]
=> 23 | [10, 1, 2]
=> 10 | false
=> 9 | true
SELECT id, d FROM j ORDER BY d DESC, id
=> 9 | true
=> 10 | false
=> 23 | [10, 1, 2]
=> 4 | [1, 2]
=> 5 | [3]
=> 16 | []
=> 15 | {"a": 1, "b": 0}
=> 6 | {"a": 1}
=> 17 | {}
=> 1 | "b"
=> 11 | "a"
=> 18 | "B"
=> 19 | "10"
=> 22 | ""
=> 24 | 18446744073709551615
=> 2 | 10
=> 14 | 10.0
=> 3 | 9
=> 12 | 1.5
=> 20 | -0.0
=> 21 | 0
=> 13 | -3
=> 7 | null
=> 8 | NULL
SELECT id, d FROM j ORDER BY d, id LIMIT 5
=> 8 | NULL
=> 7 | null
=> 13 | -3
=> 20 | -0.0
=> 21 | 0
SELECT MIN(d), MAX(d) FROM j
=> null | true
SELECT MIN(d), MAX(d) FROM j WHERE id IN (4,5)
SELECT MIN(d), MAX(d) FROM j WHERE id IN (2,3)
=> 9 | 10
SELECT MIN(d), MAX(d) FROM j WHERE id IN (6,15)
=> {"a": 1} | {"a": 1, "b": 0}
SELECT MIN(d->'$.a'), MAX(d->'$[0]') FROM j
=> 1 | true
SELECT COUNT(*), MIN(id) FROM j GROUP BY d ORDER BY 2
=> 1 | 1
=> 2 | 2
=> 1 | 3
=> 1 | 4
=> 1 | 5
=> 1 | 6
=> 1 | 7
=> 1 | 8
=> 1 | 9
=> 1 | 10
=> 1 | 11
=> 1 | 12
=> 1 | 13
=> 1 | 15
=> 1 | 16
=> 1 | 17
=> 1 | 18
=> 1 | 19
=> 2 | 20
=> 1 | 22
=> 1 | 23
=> 1 | 24
SELECT COUNT(DISTINCT d) FROM j
=> 21
SELECT COUNT(*) FROM (SELECT DISTINCT d FROM j) x
=> 22
SELECT a.id, b.id FROM j a JOIN j b ON a.d=b.d AND a.id<b.id ORDER BY 1,2
=> 2 | 14
=> 20 | 21
SELECT a.id, b.id FROM j a JOIN j b ON a.d<b.d WHERE a.id IN (4,5) AND b.id IN (4,5)
SELECT id FROM j WHERE d='b' OR d=10 OR d='10' ORDER BY id
=> 1
=> 2
=> 14
=> 19
SELECT id FROM j WHERE d IN (SELECT d FROM j WHERE id IN (2,15)) ORDER BY id
=> 2
=> 14
=> 15
SELECT id FROM j WHERE 'b' IN (SELECT d FROM j) AND id < 3 ORDER BY id
=> 1
=> 2
SELECT COUNT(*) FROM (SELECT d FROM j UNION SELECT d FROM j) u
=> 22
SELECT id, RANK() OVER (ORDER BY d) r FROM j ORDER BY r, id
=> 8 | 1
=> 7 | 2
=> 13 | 3
=> 20 | 4
=> 21 | 4
=> 12 | 6
=> 3 | 7
=> 2 | 8
=> 14 | 8
=> 24 | 10
=> 22 | 11
=> 19 | 12
=> 18 | 13
=> 11 | 14
=> 1 | 15
=> 17 | 16
=> 6 | 17
=> 15 | 18
=> 16 | 19
=> 5 | 20
=> 4 | 21
=> 23 | 22
=> 10 | 23
=> 9 | 24
SELECT j1.id, (SELECT MAX(d) FROM j j2 WHERE j2.id<=j1.id) FROM j j1 WHERE id<5 ORDER BY id
=> 1 | "b"
=> 2 | "b"
=> 3 | "b"
=> 4 | [1, 2]
SELECT id FROM j WHERE (d,id)=(10,2)
SELECT id, d IN (10,'b') FROM j WHERE id<4 ORDER BY id
=> 1 | 1
=> 2 | 1
=> 3 | 0
SELECT id FROM j WHERE d<>10 ORDER BY id
SELECT id FROM j WHERE d>5 ORDER BY id
=> 1
=> 2
=> 3
=> 4
=> 5
=> 6
=> 9
=> 10
=> 11
=> 14
=> 15
=> 16
=> 17
=> 18
=> 19
=> 22
=> 23
=> 24
SELECT id FROM j WHERE d>'5' ORDER BY id
=> 1
=> 4
=> 5
=> 6
=> 9
=> 10
=> 11
=> 15
=> 16
=> 17
=> 18
=> 23
SELECT id FROM j WHERE d BETWEEN 5 AND 12 ORDER BY id
=> 2
=> 3
=> 14
=> 19
SELECT id FROM j WHERE d LIKE '1%' ORDER BY id
SELECT SUM(d), AVG(d) FROM j WHERE id IN (2,3,9,12,19)
=> 31.5 | 6.3
SELECT d+1 FROM j WHERE id IN (2,9,19) ORDER BY id
=> 11
=> 2
=> 11
SELECT id, CASE d WHEN 'null' THEN 1 WHEN '10' THEN 2 WHEN 'b' THEN 3 WHEN '"a"' THEN 4 WHEN 9 THEN 5 END c FROM j ORDER BY id
SELECT id FROM j WHERE d='null'
=> none
SELECT id FROM j WHERE d=CAST('null' AS JSON)
=> 7
SELECT id FROM j WHERE d IS NULL
SELECT id FROM j WHERE JSON_CONTAINS(d,'1','$.a') ORDER BY id
SELECT id FROM j WHERE JSON_CONTAINS('{"a":1,"b":0}',d) ORDER BY id
SELECT id FROM j WHERE JSON_CONTAINS('[10,9,"b",null]',d) ORDER BY id
SELECT id FROM j WHERE 10 MEMBER OF (d) ORDER BY id
=> 2
=> 14
=> 23
SELECT id, d->'$.a', d->>'$.a', d->'$[0]' FROM j WHERE id IN (4,6,8) ORDER BY id
=> 4 | NULL | NULL | 1
=> 6 | 1 | 1 | {"a": 1}
=> 8 | NULL | NULL | NULL
SELECT GREATEST(d,5), LEAST(d,'z') FROM j WHERE id IN (2,3) ORDER BY id
=> 5 | 10
=> 9 | 9
UPDATE j SET v='low' ORDER BY d LIMIT 3
=> ok
SELECT id FROM j WHERE v='low' ORDER BY id
=> 7
=> 8
=> 13
SELECT CASE JSON_EXTRACT('{"a":null}','$.a') WHEN 'null' THEN 1 ELSE 0 END, CASE JSON_EXTRACT('{"a":"x"}','$.a') WHEN 'x' THEN 1 ELSE 0 END, CASE JSON_EXTRACT('{"a":true}','$.a') WHEN 1 THEN 1 ELSE 0 END, NULLIF(JSON_EXTRACT('{"a":"x"}','$.a'),'x')
# Documents as conditions
SELECT id FROM j WHERE d ORDER BY id
=> 1
=> 2
=> 3
=> 4
=> 5
=> 6
=> 7
=> 9
=> 10
=> 11
=> 12
=> 13
=> 14
=> 15
=> 16
=> 17
=> 18
=> 19
=> 22
=> 23
=> 24
SELECT id FROM j WHERE NOT d ORDER BY id
=> 20
=> 21
SELECT id FROM j WHERE d AND id > 20 ORDER BY id
=> 22
=> 23
=> 24
SELECT id, IF(d,1,0), CASE WHEN d THEN 1 ELSE 0 END, d IS TRUE, d OR 0 FROM j ORDER BY id
=> 1 | 0 | 0 | 1 | 1
=> 2 | 1 | 1 | 1 | 1
=> 3 | 1 | 1 | 1 | 1
=> 4 | 0 | 0 | 1 | 1
=> 5 | 0 | 0 | 1 | 1
=> 6 | 0 | 0 | 1 | 1
=> 7 | 0 | 0 | 1 | 1
=> 8 | 0 | 0 | 0 | NULL
=> 9 | 1 | 1 | 1 | 1
=> 10 | 0 | 0 | 1 | 1
=> 11 | 0 | 0 | 1 | 1
=> 12 | 1 | 1 | 1 | 1
=> 13 | 1 | 1 | 1 | 1
=> 14 | 1 | 1 | 1 | 1
=> 15 | 0 | 0 | 1 | 1
=> 16 | 0 | 0 | 1 | 1
=> 17 | 0 | 0 | 1 | 1
=> 18 | 0 | 0 | 1 | 1
=> 19 | 1 | 1 | 1 | 1
=> 20 | 0 | 0 | 0 | 0
=> 21 | 0 | 0 | 0 | 0
=> 22 | 0 | 0 | 1 | 1
=> 23 | 0 | 0 | 1 | 1
=> 24 | 1 | 1 | 1 | 1
# Paths
SELECT JSON_EXTRACT('{"b\\\\s":1}','$."b\\\\s"'), JSON_EXTRACT('{"d\\"q":1}','$."d\\"q"')
SELECT JSON_EXTRACT('{"ä":1}','$."\\u00e4"')
=> 1
SELECT JSON_EXTRACT('{"a":{"a":1,"b":{"a":2}}}','$**.a'), JSON_EXTRACT('[[1],[2,[3]]]','$**[0]')
SELECT JSON_EXTRACT('[1,2,3,4]','$[last-1]'), JSON_EXTRACT('[1,2,3,4]','$[last]'), JSON_EXTRACT('[1,2,3,4]','$[0 to 1]'), JSON_EXTRACT('[1,2,3,4]','$[1 to last-1]'), JSON_EXTRACT('1','$[0 to 1]')
SELECT JSON_EXTRACT('1','$[last]')
=> 1
SELECT JSON_EXTRACT('[1,2]','$[3 to 2]')
=> error 3143
SELECT JSON_SET('{"a":1}','$.*',1)
=> error 3149
SELECT JSON_REMOVE('{"a":1}','$')
=> error 3153
SELECT JSON_CONTAINS_PATH('{"a":1}',NULL,'$.a'), JSON_CONTAINS_PATH('{"a":1}','one',NULL), JSON_CONTAINS_PATH('{"a":1}','ONE','$.b','$.a')
SELECT JSON_CONTAINS_PATH('{"a":1}','two','$.a')
=> error 3154
SELECT JSON_SET('[1,2]','$[last-5]',3), JSON_SET('1','$[last-1]',2), JSON_ARRAY_INSERT('[1,2]','$[last]',0)
=> [3, 1, 2] | [2, 1] | [1, 0, 2]
SELECT JSON_OBJECT('k',1.50,'t',TIME'10:11:12','m',TIMESTAMP'2024-01-01 10:11:12','b',x'4142')
=> {"b": "base64:type15:QUI=", "k": 1.50, "m": "2024-01-01 10:11:12.000000", "t": "10:11:12.000000"}
SELECT JSON_PRETTY('{"a":1}') = CONCAT('{',CHAR(10 USING utf8mb4),'  "a": 1',CHAR(10 USING utf8mb4),'}'), JSON_STORAGE_SIZE('{"a":1}'), JSON_STORAGE_FREE('[]')
=> 1 | 13 | 0
SELECT JSON_ARRAYAGG(v), JSON_OBJECTAGG(id,d) FROM j WHERE id IN (1,3)
=> ["b", "x"] | {"1": "b", "3": 9}
SELECT JSON_OBJECTAGG(v,id) FROM j WHERE id IN (1,2)
=> error 3158
SELECT JSON_ARRAYAGG(v), JSON_OBJECTAGG(v,id) FROM j WHERE 1=0
SELECT JSON_QUOTE('a"b\\\\c\n'), JSON_UNQUOTE('"a\\\\nb"'), JSON_UNQUOTE('"a'), JSON_UNQUOTE('')
# FIELD takes JSON as its text among texts
SELECT FIELD(JSON_EXTRACT('{"a": 1}', '$.a'), 'null', 'x', '1') a, FIELD(JSON_EXTRACT('{"a": "x"}', '$.a'), 'x', '"x"') b, FIELD(JSON_EXTRACT('{"a": null}', '$.a'), 'null') c, FIELD('x', JSON_EXTRACT('["x"]', '$[0]')) d
