# judges: mysql
# Columns of other character sets than utf8mb4: their own collations, what they take, how they mix
# 1. Which there are
SELECT collation_name, character_set_name, id, is_compiled, sortlen, pad_attribute FROM information_schema.collations WHERE collation_name <> 'utf8mb4_ja_0900_as_cs_ks' ORDER BY id
SELECT character_set_name AS a, description AS b, maxlen AS c FROM information_schema.character_sets ORDER BY 1
SELECT character_set_name AS a, default_collate_name AS b FROM information_schema.character_sets WHERE character_set_name <> 'utf8mb4' ORDER BY 1
SELECT collation_name FROM information_schema.collations WHERE is_default = 'Yes' AND character_set_name <> 'utf8mb4' ORDER BY 1
SELECT _latin1 X'FC' = _latin1 'y' AS a, _latin1 X'FC' = _latin1 'u' AS b, _latin1 X'DF' COLLATE latin1_german2_ci = _latin1 'SS' AS c, _latin1 X'E4' COLLATE latin1_german1_ci = _latin1 'A' AS d
SELECT _latin2 'chata' COLLATE latin2_czech_cs > _latin2 'had' AS a, _cp1250 'chata' COLLATE cp1250_czech_cs > _cp1250 'had' AS b, _koi8u '`' = _koi8u '' AS c, _cp1250 X'61A0' = _cp1250 'a' AS d
SELECT HEX(WEIGHT_STRING(_latin1 X'61E4' COLLATE latin1_german2_ci)) AS a, HEX(WEIGHT_STRING(_gbk X'B0A1')) AS b, HEX(WEIGHT_STRING(_sjis X'88C1B161')) AS c, HEX(WEIGHT_STRING(_latin2 'ach b' COLLATE latin2_czech_cs)) AS d
SELECT HEX(CONVERT(_utf8mb4'řŽ' USING cp852)) AS a, HEX(CONVERT(_utf8mb4'åäö' USING swe7)) AS b, HEX(CONVERT(_utf8mb4'亜😀' USING ujis)) AS c, CONVERT(_keybcs2 X'87A9' USING utf8mb4) AS d, CONVERT(_macce X'93EB' USING utf8mb4) AS e
# 2. Keys
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9) CHARACTER SET latin1, b VARCHAR(9) COLLATE latin1_general_cs, c VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_bin, d VARCHAR(9) COLLATE latin1_german2_ci, e VARCHAR(9) CHARACTER SET utf16, KEY (a), KEY (b), KEY (c), KEY (d), KEY (e)) CHARSET=latin1
INSERT INTO t VALUES (1,'u','u','u','u','u'), (2,'U','U','U','U','U'), (3,'ü','ü','ü','ü','ü'), (4,'y','y','y','y','y'), (5,'ue','ue','ue','ue','ue'), (6,'€','€','€','€','€'), (7,'a ','a ','a ','a ','a '), (8,'','','','',''), (9,NULL,NULL,NULL,NULL,NULL), (10,'ss','ss','ss','ss','ss'), (11,'ß','ß','ß','ß','ß'), (12,'z','z','z','z','z'), (13,'ä','ä','ä','ä','ä'), (14,'Ö','Ö','Ö','Ö','Ö')
SELECT id FROM t WHERE a = 'Y' ORDER BY id
SELECT id FROM t WHERE b = 'U' ORDER BY id
SELECT id FROM t WHERE c = 'ü' ORDER BY id
SELECT id FROM t WHERE d = 'UE' ORDER BY id
SELECT id FROM t WHERE e = 'Ü' ORDER BY id
SELECT id FROM t WHERE a LIKE 'y%' ORDER BY id
SELECT id FROM t WHERE d LIKE 'u%' ORDER BY id
SELECT id FROM t WHERE a > 'z' ORDER BY id
SELECT id FROM t WHERE c > 'z' ORDER BY id
SELECT id FROM t ORDER BY a, id
SELECT id FROM t ORDER BY b, id
SELECT id FROM t ORDER BY c, id
SELECT id FROM t ORDER BY d, id
SELECT id FROM t ORDER BY e, id
SELECT COUNT(DISTINCT a), COUNT(DISTINCT b), COUNT(DISTINCT c), COUNT(DISTINCT d), COUNT(DISTINCT e) FROM t
SELECT MIN(a), MAX(a), MIN(c), MAX(c), MIN(d), MAX(d) FROM t
SELECT GROUP_CONCAT(id ORDER BY id) FROM t GROUP BY a ORDER BY MIN(id)
SELECT x.id, y.id FROM t x JOIN t y ON x.a = y.a AND x.id < y.id ORDER BY 1, 2
SELECT x.id, y.id FROM t x JOIN t y ON x.a = y.e AND x.id <> y.id ORDER BY 1, 2
SELECT id, HEX(a), LENGTH(a), LENGTH(e), CHARSET(a), COLLATION(b) FROM t WHERE id IN (3, 6)
# 3. What a set has not
INSERT INTO t (id, a) VALUES (20, 'ж')
INSERT INTO t (id, e) VALUES (20, '😀')
INSERT IGNORE INTO t (id, a, e) VALUES (21, 'aжb', 'x😀')
SELECT a, e FROM t WHERE id = 21
UPDATE t SET a = 'ж' WHERE id = 21
# 4. Mixes
CREATE TABLE m (a VARCHAR(5) CHARACTER SET latin1, b VARCHAR(5) CHARACTER SET ascii, c VARCHAR(5) CHARACTER SET cp1251, d VARCHAR(5) COLLATE utf8mb4_0900_ai_ci, e VARCHAR(5) COLLATE utf8mb4_bin, f VARCHAR(5) COLLATE utf8mb4_unicode_ci, g VARCHAR(5) CHARACTER SET utf16, h VARBINARY(5), i VARCHAR(5) COLLATE latin1_german1_ci)
INSERT INTO m VALUES ('ä', 'a', 'ж', 'ä', 'ä', 'ä', 'ä', 'a', 'ü')
SELECT a = b, b = c, a = d, d = e, a = g, c = g, c = 'ж', i = 'Y', a = h FROM m
SELECT a = c FROM m
SELECT a = i FROM m
SELECT d = f FROM m
SELECT a = 'ж' FROM m
SELECT b = 'ä' FROM m
SELECT a IN ('ж') FROM m
SELECT a LIKE 'ж' FROM m
SELECT CONCAT(a, c) FROM m
SELECT CONCAT(a, 'ж') FROM m
SELECT IFNULL(a, c) FROM m
SELECT COALESCE(a, b, c) FROM m
SELECT CASE a WHEN 'ж' THEN 1 END FROM m
SELECT a COLLATE utf8mb4_bin FROM m
SELECT 'a' COLLATE latin1_bin
SELECT CHARSET(CONCAT(a, 'x')), COLLATION(CONCAT(a, d)), COLLATION(CONCAT(a, g)), COLLATION(IFNULL(a, 'x')), COLLATION(CONVERT(d USING koi8u)), COERCIBILITY(_latin1'x') FROM m
SELECT HEX(a), HEX(c), HEX(g), HEX(UPPER(c)), LENGTH(CONCAT(a, d)), HEX(CAST(a AS BINARY)) FROM m
# 5. Definitions
CREATE TABLE n (a INT) CHARSET=latin1 COLLATE utf8mb4_bin
CREATE TABLE n (a CHAR(1) CHARACTER SET latin1 COLLATE utf8mb4_bin)
CREATE TABLE n (a VARCHAR(65536)) CHARSET=latin1
CREATE TABLE n (a CHAR(1) COLLATE utf8mb3_sv_0900_ai_ci)
SELECT column_name AS a, CAST(character_maximum_length AS CHAR) AS b, CAST(character_octet_length AS CHAR) AS c, character_set_name AS d, collation_name AS e FROM information_schema.columns WHERE table_name = 'm' AND table_schema = DATABASE() ORDER BY ordinal_position
CREATE TABLE k (a VARCHAR(9) UNIQUE) CHARSET=latin1
INSERT INTO k VALUES ('ü'), ('u')
INSERT INTO k VALUES ('Y')
ALTER TABLE k CONVERT TO CHARACTER SET latin1 COLLATE latin1_german1_ci
ALTER TABLE k CONVERT TO CHARACTER SET latin1 COLLATE latin1_general_cs
SELECT a FROM k ORDER BY a
ALTER TABLE k CONVERT TO CHARACTER SET koi8r
ALTER TABLE k CONVERT TO CHARACTER SET utf16
DROP TABLE t, m, k
# Bytes are a text of their column's character set
CREATE TABLE by_bytes (id INT PRIMARY KEY, l VARCHAR(10) CHARACTER SET latin1, g VARCHAR(10) CHARACTER SET gbk, u VARCHAR(10) CHARACTER SET utf16, m VARCHAR(10), b VARBINARY(20), t TEXT CHARACTER SET latin1, e ENUM('ä','b') CHARACTER SET latin1, KEY (l))
INSERT INTO by_bytes (id, l) VALUES (1, 0xE4), (2, X'E4F6'), (3, UNHEX('FC'))
INSERT INTO by_bytes (id, g) VALUES (4, 0xC4E3)
INSERT INTO by_bytes (id, g) VALUES (5, 0xFF)
INSERT INTO by_bytes (id, u) VALUES (6, 0x00E4), (7, 0x41), (8, 0x201f)
INSERT INTO by_bytes (id, m) VALUES (9, 0xC3A4)
INSERT INTO by_bytes (id, m) VALUES (10, 0xE4)
INSERT INTO by_bytes (id, b) VALUES (11, 0xE4), (12, 'ä')
INSERT INTO by_bytes (id, t) VALUES (13, 0xE4)
INSERT INTO by_bytes (id, l) SELECT 20, b FROM by_bytes WHERE id = 11
INSERT INTO by_bytes (id, l) VALUES (21, CAST('ä' AS BINARY))
INSERT INTO by_bytes (id, e) VALUES (22, 0xE4)
UPDATE by_bytes SET l = b WHERE id = 12
INSERT INTO by_bytes (id, l) VALUES (33, 'Ü'), (34, 'ü')
SELECT id, l, HEX(l), g, HEX(g), u, HEX(u), m, HEX(m), HEX(b), t, HEX(t), e FROM by_bytes ORDER BY id
SELECT id FROM by_bytes WHERE l = 0xE4 ORDER BY id
SELECT id FROM by_bytes WHERE l = 0xDC ORDER BY id
SELECT id FROM by_bytes WHERE l = b ORDER BY id
SELECT id FROM by_bytes WHERE g = 0xC4E3
SELECT id FROM by_bytes WHERE l IN (0xE4, 0xFC) ORDER BY id
SELECT id FROM by_bytes WHERE l BETWEEN 0xE4 AND 0xE4 ORDER BY id
SELECT id FROM by_bytes WHERE l LIKE 0xE425 ORDER BY id
SELECT x.id, y.id FROM by_bytes x JOIN by_bytes y ON x.l = y.b ORDER BY x.id, y.id
ALTER TABLE by_bytes MODIFY l VARBINARY(10)
SELECT id, HEX(l) FROM by_bytes WHERE l IS NOT NULL ORDER BY id
ALTER TABLE by_bytes MODIFY l TEXT CHARACTER SET cp1251, DROP KEY l
SELECT id, l, HEX(l) FROM by_bytes WHERE l IS NOT NULL ORDER BY id
CREATE TABLE by_default (l VARCHAR(5) CHARACTER SET latin1 DEFAULT 0xE4, v VARCHAR(5) CHARACTER SET latin1 DEFAULT X'F6')
INSERT INTO by_default VALUES ()
SELECT l, HEX(l), v FROM by_default
# The same within functions: a literal of bytes is a text of the others' set, beside other bytes a text is its bytes
CREATE TABLE mixed_bytes (id INT PRIMARY KEY, l VARCHAR(10) CHARACTER SET latin1, u VARCHAR(10) CHARACTER SET utf16, b VARBINARY(20))
INSERT INTO mixed_bytes VALUES (1, 'ä', 'ö', 0xE4), (2, 'x', 'y', 0x78)
SELECT id, CONCAT(l, 0xE4), HEX(CONCAT(l, 0xE4)), HEX(CONCAT(l, b)), HEX(CONCAT_WS(0xE4, l, l)) FROM mixed_bytes ORDER BY id
SELECT id, HEX(IFNULL(l, 0xE4)), HEX(COALESCE(NULL, l, 0xFF)), HEX(IF(id = 1, 0xE4, l)), HEX(IF(id = 1, b, l)) FROM mixed_bytes ORDER BY id
SELECT id, LOCATE(0xE4, l), INSTR(l, 0xE4), LOCATE(b, l), HEX(REPLACE(l, 0xE4, 0xF6)), FIELD(l, 0xE4, 0x78), FIELD(l, b, l) FROM mixed_bytes ORDER BY id
SELECT id, HEX(GREATEST(l, 0xE5)), HEX(LEAST(l, b)), STRCMP(l, 0xE4), NULLIF(l, 0xE4) FROM mixed_bytes ORDER BY id
SELECT id, HEX(CASE id WHEN 1 THEN l ELSE 0xE4 END), HEX(CASE WHEN id = 1 THEN l ELSE b END), CASE l WHEN 0xE4 THEN 'yes' ELSE 'no' END FROM mixed_bytes ORDER BY id
SELECT id, HEX(CONCAT(u, 0x00E4)), LOCATE(0x00F6, u), HEX(CONCAT(u, b)) FROM mixed_bytes WHERE id = 1
CREATE TABLE unicodes (a VARCHAR(10) CHARACTER SET utf8mb4, l VARCHAR(10) CHARACTER SET latin1, u VARCHAR(10) CHARACTER SET utf16, e VARCHAR(10) CHARACTER SET utf16le, w VARCHAR(10) CHARACTER SET utf32)
INSERT INTO unicodes VALUES ('J', 'J', 'J', 'J', 'J')
SELECT COUNT(*) FROM unicodes WHERE a = CHAR(74 USING utf16) AND l = CHAR(74 USING utf16) AND a = u AND u = w AND w = a
SELECT CHARSET(CONCAT(a, u)), CHARSET(CONCAT(u, a)), CHARSET(CONCAT(a, w)), CHARSET(CONCAT(w, a)), CHARSET(CONCAT(u, w)), CHARSET(CONCAT(l, u)) FROM unicodes
SELECT CONCAT(e, u) FROM unicodes
SELECT COERCIBILITY(CHAR(74 USING utf16)), COERCIBILITY(CHAR(74)), COERCIBILITY(CONVERT(a USING utf16)) FROM unicodes
DROP TABLE unicodes
# Characters that Japanese and other sets have where most software reads others
SELECT HEX(CONVERT(_sjis X'8160' USING utf8mb4)), HEX(CONVERT(_sjis X'8161' USING utf8mb4)), HEX(CONVERT(_sjis X'817C' USING utf8mb4)), HEX(CONVERT(_sjis X'8191' USING utf8mb4)), HEX(CONVERT(_sjis X'815F' USING utf8mb4)), HEX(CONVERT(_ujis X'A1C1' USING utf8mb4)), HEX(CONVERT(_cp932 X'8160' USING utf8mb4)), HEX(CONVERT(_eucjpms X'A1C1' USING utf8mb4)), HEX(CONVERT(_big5 X'A145' USING utf8mb4)), HEX(CONVERT(_gb2312 X'A1AA' USING utf8mb4)), HEX(CONVERT(_gbk X'A1AA' USING utf8mb4)), HEX(CONVERT(_gbk X'A1A4' USING utf8mb4)), HEX(CONVERT(_euckr X'A1AD' USING utf8mb4))
CREATE TABLE waves (a VARCHAR(9) CHARACTER SET sjis, b VARCHAR(9) CHARACTER SET ujis)
INSERT INTO waves VALUES (X'8160', X'A1C1'), (_sjis X'8160', _ujis X'A1C1'), ('〜', '〜')
SELECT HEX(a), HEX(b), a = '〜', b = '〜', HEX(CONVERT(a USING utf8mb4)) FROM waves
DROP TABLE waves
