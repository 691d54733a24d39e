# judges: mysql
# Collations of Unicode's weights: what is equal, what orders, what a key finds
# 1. Equality, order and LIKE by each
SELECT 'a' COLLATE utf8mb4_0900_ai_ci = 'Ä', 'a' COLLATE utf8mb4_0900_as_ci = 'A', 'a' COLLATE utf8mb4_0900_as_ci = 'ä', 'a' COLLATE utf8mb4_0900_as_cs = 'A'
SELECT 'a' COLLATE utf8mb4_0900_ai_ci = 'a ', 'a' COLLATE utf8mb4_unicode_ci = 'a ', 'a' COLLATE utf8mb4_unicode_520_ci = 'a ', 'a' COLLATE utf8mb4_0900_bin = 'a '
SELECT '😀' COLLATE utf8mb4_0900_ai_ci = '🎂' AS a, '😀' COLLATE utf8mb4_unicode_ci = '🎂' AS b, '😀' COLLATE utf8mb4_unicode_520_ci = '🎂' AS c
SELECT '😀' COLLATE utf8mb4_0900_ai_ci LIKE '🎂' AS a, '😀' COLLATE utf8mb4_unicode_ci LIKE '🎂' AS b, 'straße' COLLATE utf8mb4_0900_ai_ci LIKE 'strasse' AS c, 'straße' COLLATE utf8mb4_0900_ai_ci = 'STRASSE' AS d
SELECT 'Ärger' COLLATE utf8mb4_0900_ai_ci LIKE 'a%R', 'Ärger' COLLATE utf8mb4_0900_as_cs LIKE 'Ä%r', 'Ärger' COLLATE utf8mb4_0900_as_ci LIKE 'ä_GER', 'a ' COLLATE utf8mb4_unicode_ci LIKE 'a'
SELECT STRCMP('a' COLLATE utf8mb4_0900_as_cs, 'A'), STRCMP('ä' COLLATE utf8mb4_0900_as_cs, 'b'), STRCMP('z' COLLATE utf8mb4_0900_ai_ci, 'ß'), STRCMP('a\t' COLLATE utf8mb4_unicode_ci, 'a')
SELECT FIND_IN_SET('B' COLLATE utf8mb4_0900_ai_ci, 'a,b,c'), INSTR('äbc' COLLATE utf8mb4_0900_ai_ci, 'Ä'), 'x' COLLATE utf8mb4_0900_ai_ci IN ('X', 'y')
# MySQL passes over a collation that stands with what is looked for
~ SELECT LOCATE('B' COLLATE utf8mb4_0900_as_cs, 'abAB')
SELECT 'ABC' COLLATE utf8mb4_0900_ai_ci REGEXP 'b', 'ABC' COLLATE utf8mb4_0900_as_cs REGEXP 'b', 'ABC' COLLATE utf8mb4_0900_bin REGEXP 'b'
SELECT HEX(WEIGHT_STRING('aÄ' COLLATE utf8mb4_0900_ai_ci)), HEX(WEIGHT_STRING('aÄ' COLLATE utf8mb4_0900_as_cs)), HEX(WEIGHT_STRING('日ß한😀' COLLATE utf8mb4_unicode_520_ci)) AS c, HEX(WEIGHT_STRING('ﷺ' COLLATE utf8mb4_0900_as_cs))
# 2. Keys
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, b VARCHAR(20) COLLATE utf8mb4_0900_as_cs, c VARCHAR(20) COLLATE utf8mb4_unicode_ci, d VARCHAR(20) COLLATE utf8mb4_0900_bin, e VARCHAR(20) COLLATE utf8mb4_unicode_520_ci, KEY (a), KEY (b), KEY (c), KEY (d), KEY (e))
INSERT INTO t VALUES (1,'a','a','a','a','a'), (2,'A','A','A','A','A'), (3,'ä','ä','ä','ä','ä'), (4,'a ','a ','a ','a ','a '), (5,'a b','a b','a b','a b','a b'), (6,'ab','ab','ab','ab','ab'), (7,'😀','😀','😀','😀','😀'), (8,'🎂','🎂','🎂','🎂','🎂'), (9,'','','','',''), (10,NULL,NULL,NULL,NULL,NULL), (11,'ss','ss','ss','ss','ss'), (12,'ß','ß','ß','ß','ß'), (13,'и','и','и','и','и'), (14,'й','й','й','й','й'), (15,'日本','日本','日本','日本','日本'), (16,'한','한','한','한','한')
SELECT id FROM t WHERE a = 'Ä' ORDER BY id
SELECT id FROM t WHERE b = 'A' ORDER BY id
SELECT id FROM t WHERE c = 'a' ORDER BY id
SELECT id FROM t WHERE d = 'a' ORDER BY id
SELECT id FROM t WHERE e = 'SS' ORDER BY id
SELECT id FROM t WHERE a LIKE 'a%' ORDER BY id
SELECT id FROM t WHERE b LIKE 'a%' ORDER BY id
SELECT id FROM t WHERE c LIKE 'a %' ORDER BY id
SELECT id FROM t WHERE a BETWEEN 'a' AND 'ab' ORDER BY id
SELECT id FROM t WHERE c > 'a' ORDER BY id
SELECT id FROM t WHERE d < 'b' ORDER BY id
SELECT id FROM t ORDER BY a, id
SELECT id FROM t ORDER BY b, id
SELECT id FROM t ORDER BY c DESC, id
SELECT id FROM t ORDER BY d, id
SELECT id FROM t ORDER BY e, id
SELECT COUNT(*), MIN(id) FROM t GROUP BY a ORDER BY 2
SELECT COUNT(*), MIN(id) FROM t GROUP BY b ORDER BY 2
SELECT COUNT(*), MIN(id) FROM t GROUP BY c ORDER BY 2
SELECT COUNT(DISTINCT a), COUNT(DISTINCT b), COUNT(DISTINCT c), COUNT(DISTINCT d), COUNT(DISTINCT e) FROM t
SELECT x.id, y.id FROM t x JOIN t y ON x.a = y.a AND x.id < y.id ORDER BY 1, 2
SELECT x.id, y.id FROM t x JOIN t y ON x.e = y.e AND x.id < y.id ORDER BY 1, 2
SELECT MAX(a) = 'zz', MIN(b), MAX(d) FROM t
SELECT id FROM t WHERE a IN ('AB', '😀', 'x') ORDER BY id
# 3. Unique keys
CREATE TABLE u (a VARCHAR(9) COLLATE utf8mb4_0900_ai_ci UNIQUE, b VARCHAR(9) COLLATE utf8mb4_unicode_ci UNIQUE)
INSERT INTO u VALUES ('😀', 'x')
INSERT INTO u VALUES ('🎂', 'y')
INSERT INTO u VALUES ('a', 'a'), ('a ', 'b')
INSERT INTO u VALUES ('Á', 'c')
INSERT INTO u VALUES ('c', 'A ')
SELECT COUNT(*) FROM u
# 4. Definitions
SHOW COLLATION WHERE Collation IN ('utf8mb4_0900_as_ci', 'utf8mb4_0900_as_cs', 'utf8mb4_0900_bin', 'utf8mb4_unicode_ci', 'utf8mb4_unicode_520_ci', 'utf8mb4_bin')
CREATE TABLE k (a VARCHAR(9), b VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci
SELECT COLUMN_NAME, COLLATION_NAME FROM information_schema.columns WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'k' ORDER BY 1
ALTER TABLE k MODIFY a VARCHAR(9) COLLATE utf8mb4_0900_as_cs, ADD c CHAR(3)
SELECT COLUMN_NAME, COLLATION_NAME FROM information_schema.columns WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'k' ORDER BY 1
CREATE TABLE n (a VARCHAR(9) COLLATE utf8mb4_nothing_ci)
# 5. Languages
CREATE TABLE languages (id INT PRIMARY KEY, a VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_as_cs)
INSERT INTO languages VALUES (1,'chata'),(2,'cukr'),(3,'had'),(4,'igla'),(5,'llama'),(6,'lz'),(7,'ljub'),(8,'dzs'),(9,'dz'),(10,'aa'),(11,'åse'),(12,'A'),(13,'a'),(14,'ä'),(15,'z'),(16,'ž'),(17,'ж'),(18,'阿'),(19,'一'),(20,'カー'),(21,'カア'),(22,'ñ'),(23,'nz'),(24,'džep'),(25,'y'),(26,'ü'),(27,'CHléb'),(28,'ø'),(29,'ß'),(30,'İ'),(31,'ı'),(32,'I')
SELECT GROUP_CONCAT(id ORDER BY a COLLATE utf8mb4_czech_ci, id), GROUP_CONCAT(id ORDER BY a COLLATE utf8mb4_croatian_ci, id), GROUP_CONCAT(id ORDER BY a COLLATE utf8mb4_danish_ci, id) FROM languages
SELECT GROUP_CONCAT(id ORDER BY a COLLATE utf8mb4_lithuanian_ci, id), GROUP_CONCAT(id ORDER BY a COLLATE utf8mb4_slovak_ci, id), GROUP_CONCAT(id ORDER BY a COLLATE utf8mb4_spanish2_ci, id) FROM languages
SELECT GROUP_CONCAT(id ORDER BY a COLLATE utf8mb4_cs_0900_as_cs, id), GROUP_CONCAT(id ORDER BY a COLLATE utf8mb4_hr_0900_ai_ci, id), GROUP_CONCAT(id ORDER BY a COLLATE utf8mb4_da_0900_as_cs, id) FROM languages
SELECT GROUP_CONCAT(id ORDER BY a COLLATE utf8mb4_hu_0900_as_cs, id), GROUP_CONCAT(id ORDER BY a COLLATE utf8mb4_de_pb_0900_as_cs, id), GROUP_CONCAT(id ORDER BY a COLLATE utf8mb4_es_trad_0900_ai_ci, id) FROM languages
SELECT GROUP_CONCAT(id ORDER BY a COLLATE utf8mb4_ja_0900_as_cs, id), GROUP_CONCAT(id ORDER BY a COLLATE utf8mb4_zh_0900_as_cs, id), GROUP_CONCAT(id ORDER BY a COLLATE utf8mb4_ru_0900_ai_ci, id) FROM languages
SELECT GROUP_CONCAT(id ORDER BY a COLLATE utf8mb4_tr_0900_as_cs, id), GROUP_CONCAT(id ORDER BY a COLLATE utf8mb4_sv_0900_ai_ci, id), GROUP_CONCAT(id ORDER BY a COLLATE utf8mb4_nb_0900_ai_ci, id) FROM languages
SELECT id FROM languages WHERE a COLLATE utf8mb4_cs_0900_ai_ci LIKE 'c%' ORDER BY id
SELECT id FROM languages WHERE a COLLATE utf8mb4_spanish2_ci = 'LLAMA' OR a COLLATE utf8mb4_danish_ci = 'Å' ORDER BY id
CREATE TABLE czech (a VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_czech_ci PRIMARY KEY)
INSERT INTO czech SELECT a FROM languages WHERE id < 8
INSERT INTO czech VALUES ('CHATA')
SELECT a FROM czech WHERE a >= 'h' ORDER BY a
SELECT COUNT(*) FROM czech WHERE a LIKE 'ch%'
DROP TABLE languages, czech
# Two that compare bytes do not mix
CREATE TABLE bytes (a VARCHAR(5) COLLATE utf8mb4_bin, b VARCHAR(5) COLLATE utf8mb4_0900_bin, c VARCHAR(5) COLLATE utf8mb4_0900_ai_ci)
INSERT INTO bytes VALUES ('a','a ','A')
SELECT * FROM bytes WHERE a = b
SELECT * FROM bytes WHERE a = c
SELECT * FROM bytes WHERE b = c
SELECT * FROM bytes WHERE b = 'a'
SELECT * FROM bytes WHERE a = b COLLATE utf8mb4_bin
DROP TABLE bytes
# U+FFFD is a character
SELECT HEX(CONVERT(_ucs2 X'FFFD' USING utf32)), HEX(CONVERT(_ucs2 X'FFFD' USING utf16)), HEX(CONVERT(_ucs2 X'FFFD' USING latin1))
# Text may be made of columns of different collations, which do not compare
CREATE TABLE mixed (a VARCHAR(5) COLLATE utf8mb4_0900_ai_ci, b VARCHAR(5) COLLATE utf8mb4_unicode_ci, c VARCHAR(5) COLLATE utf8mb4_bin, d VARCHAR(5) CHARACTER SET latin1, e VARCHAR(5) CHARACTER SET latin2)
INSERT INTO mixed VALUES ('a','A','a','d','e'), ('A','a','A','d','e')
SELECT concat(a,b) q FROM mixed
SELECT concat_ws(',',a,b) q FROM mixed
SELECT concat_ws(a,b,'x') q FROM mixed
SELECT coalesce(a,b) q FROM mixed
SELECT ifnull(a,b) q FROM mixed
SELECT if(1,a,b) q FROM mixed
SELECT case when 1 then a else b end q FROM mixed
SELECT greatest(a,b) q FROM mixed
SELECT least(a,b) q FROM mixed
SELECT replace(a,b,'x') q FROM mixed
SELECT replace(a,'x',b) q FROM mixed
SELECT elt(1,a,b) q FROM mixed
SELECT insert(a,1,1,b) q FROM mixed
SELECT lpad(a,5,b) q FROM mixed
SELECT make_set(3,a,b) q FROM mixed
SELECT field(a,b,'x') q FROM mixed
SELECT instr(a,b) q FROM mixed
SELECT concat(a,b)='aa' q FROM mixed
SELECT concat(a,b)=concat(b,a) q FROM mixed
SELECT concat(a,b) like 'a%' q FROM mixed
SELECT upper(concat(a,b)) q FROM mixed
SELECT concat(concat(a,b),c) q FROM mixed
SELECT concat(a,b) collate utf8mb4_bin q FROM mixed
SELECT nullif(concat(a,b),'x') q FROM mixed
SELECT concat(a, b, 'x') q FROM mixed
SELECT a in (concat(a,b)) q FROM mixed
SELECT length(concat(a,b)) q FROM mixed
SELECT concat(a collate utf8mb4_bin,b collate utf8mb4_0900_ai_ci) q FROM mixed
SELECT collation(concat(a,b)) q FROM mixed
SELECT coercibility(concat(a,b)) q FROM mixed
SELECT concat(d,a) q FROM mixed
SELECT concat(d,e) q FROM mixed
SELECT coalesce(a,b,c collate utf8mb4_bin) q FROM mixed
SELECT coalesce(d,e) q FROM mixed
SELECT a=b q FROM mixed
SELECT a in (b) q FROM mixed
SELECT a in (b,'a') q FROM mixed
SELECT a in ('a',b) q FROM mixed
SELECT a between b and 'a' q FROM mixed
SELECT a between b and c collate utf8mb4_bin q FROM mixed
SELECT 'a' in (a,b,c collate utf8mb4_bin) q FROM mixed
SELECT strcmp(a,b) q FROM mixed
SELECT nullif(a,b) q FROM mixed
SELECT GROUP_CONCAT(a, b ORDER BY c) FROM mixed
SELECT a, b FROM mixed ORDER BY CONCAT(a, b)
SELECT CONCAT(a, b) k, COUNT(*) FROM mixed GROUP BY CONCAT(a, b) ORDER BY k
SELECT COUNT(DISTINCT CONCAT(a, b)) FROM mixed
SELECT COUNT(*) FROM mixed x JOIN mixed y ON CONCAT(x.a, x.b) = y.a
CREATE TABLE made_of_mixed COLLATE utf8mb4_0900_ai_ci AS SELECT CONCAT(a, b) k, COALESCE(a, b) z FROM mixed
SELECT * FROM made_of_mixed ORDER BY k
INSERT INTO mixed (a) SELECT CONCAT(a, b) FROM mixed
DROP TABLE mixed, made_of_mixed
