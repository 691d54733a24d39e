# Texts of a declared character set as bytes, and bytes as such texts: ALTER, INSERT .. SELECT, UPDATE, literals
# judges: mysql
SET NAMES utf8mb4
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) CHARACTER SET latin1, b CHAR(6) CHARACTER SET cp1251, c TEXT CHARACTER SET utf16, d ENUM('é','a') CHARACTER SET latin1, e SET('é','a') CHARACTER SET latin1, f VARCHAR(9) CHARACTER SET gbk, g VARCHAR(9) CHARACTER SET utf8mb4)
INSERT INTO t VALUES (1,'é','я','é','é','é,a','é','é'), (2,'a','a','a','a','a','a','a'), (3,NULL,NULL,NULL,NULL,NULL,NULL,NULL)
# 1. A text that was declared wrongly gets its right set by way of bytes
CREATE TABLE m (id INT PRIMARY KEY, s VARCHAR(20) CHARACTER SET latin1)
INSERT INTO m VALUES (1, 'Ã©'), (2, 'a'), (3, NULL)
# (MySQL changes no row for it)
~ALTER TABLE m MODIFY s VARBINARY(20)
SELECT id, HEX(s) FROM m ORDER BY id
ALTER TABLE m MODIFY s VARCHAR(20) CHARACTER SET utf8mb4
SELECT id, s, HEX(s) FROM m ORDER BY id
ALTER TABLE m MODIFY s BLOB
ALTER TABLE m MODIFY s TEXT CHARACTER SET latin1
SELECT id, s, HEX(s), CHAR_LENGTH(s) FROM m ORDER BY id
# 2. Each kind of text
CREATE TABLE v (id INT PRIMARY KEY, a VARBINARY(20), b BLOB, c VARBINARY(20), d VARBINARY(9), e BINARY(6), f VARBINARY(9), g VARBINARY(9))
INSERT INTO v SELECT * FROM t
SELECT id, HEX(a), HEX(b), HEX(c), HEX(d), HEX(e), HEX(f), HEX(g) FROM v ORDER BY id
DELETE FROM v
INSERT INTO v (id) VALUES (1), (2)
UPDATE v JOIN t USING (id) SET v.a = t.a, v.b = t.b, v.c = t.c, v.d = t.d, v.f = t.f
SELECT id, HEX(a), HEX(b), HEX(c), HEX(d), HEX(f) FROM v ORDER BY id
CREATE TABLE w AS SELECT * FROM t
ALTER TABLE w MODIFY a VARBINARY(20), MODIFY b VARBINARY(20), MODIFY c BLOB, MODIFY d VARBINARY(9), MODIFY e VARBINARY(9), MODIFY f BLOB, MODIFY g BLOB
SELECT id, HEX(a), HEX(b), HEX(c), HEX(d), HEX(e), HEX(f), HEX(g) FROM w ORDER BY id
# 3. And back
ALTER TABLE w MODIFY a VARCHAR(20) CHARACTER SET latin1, MODIFY b CHAR(6) CHARACTER SET cp1251, MODIFY c TEXT CHARACTER SET utf16, MODIFY d ENUM('é','a') CHARACTER SET latin1, MODIFY e SET('é','a') CHARACTER SET latin1, MODIFY f VARCHAR(9) CHARACTER SET gbk, MODIFY g VARCHAR(9) CHARACTER SET utf8mb4
SELECT * FROM w ORDER BY id
SELECT COUNT(*) FROM w JOIN t USING (id) WHERE w.a = t.a AND w.b = t.b AND w.c = t.c AND w.d = t.d AND w.e = t.e AND w.f = t.f
DELETE FROM t WHERE id = 1
INSERT INTO t (id, a, b, c, f) SELECT id, a, b, c, f FROM v WHERE id = 1
SELECT id, a, b, c, f FROM t ORDER BY id
# 4. Literals of digits are bytes
INSERT INTO t (id, a, b, c, d, f) VALUES (4, X'E9', 0xFF, X'00E9', X'E9', 0xA8A6), (5, X'C3A9', X'61', X'61', 'a', X'61')
SELECT id, a, b, c, d, f FROM t WHERE id > 3 ORDER BY id
UPDATE t SET a = X'E4', b = X'C0' WHERE id = 5
SELECT id, a, b FROM t WHERE id = 5
# 5. What is no text of the set
INSERT INTO t (id, c) VALUES (6, X'D800')
INSERT INTO t (id, f) VALUES (6, X'FF')
SELECT COUNT(*) FROM t
# 6. CAST and CONVERT read bytes as a text of the set that they name; ORD has the bytes of the first character
SELECT CAST(X'E4' AS CHAR CHARACTER SET latin1) a, CAST(X'D0B1' AS CHAR CHARACTER SET latin1) c, CAST(X'E4' AS CHAR CHARACTER SET cp1251) e, HEX(CAST(X'C3A4' AS CHAR(1) CHARACTER SET cp1251)) g, CAST(X'00E4' AS CHAR CHARACTER SET utf16) h
SELECT CAST('ä' AS CHAR CHARACTER SET latin1) a, HEX(CAST('ä' AS CHAR CHARACTER SET latin1)) c, HEX(CAST('äb' AS CHAR(1) CHARACTER SET utf16)) e
SELECT CONVERT(0xE4 USING sjis) a, CONVERT(0xFF USING gbk) c, CHAR(228 USING sjis) e, CHAR(128 USING euckr) g, CONVERT(X'D800' USING utf16) h
SELECT ORD(_latin1 X'C3A4') a, ORD(_gbk X'B0A1') c, ORD('ä') e, ORD(BINARY 'ä') g, ORD(_ucs2 X'0061') h, ORD('') i, ORD('日本') j, ORD(CONVERT('日' USING sjis)) k
SELECT id, ORD(a) x, ASCII(a) y, ORD(f) z FROM t WHERE id > 3 ORDER BY id
SELECT _latin1 b'11101001' a, HEX(_latin1 B'11101001') b, _cp1251 0b11111111 c, _utf8mb4 b'1100001110101001' d
SELECT id FROM t WHERE a = _latin1 b'11100100'
# 7. Ciphers see the bytes of the set; a letter whose capital the set has not stays
CREATE TABLE c (id INT PRIMARY KEY, l VARCHAR(9) CHARACTER SET latin1, g VARCHAR(9) CHARACTER SET gbk)
INSERT INTO c VALUES (1, 'é', 'é')
SELECT HEX(AES_ENCRYPT(l, 'k')) a, HEX(AES_ENCRYPT(g, l)) b, HEX(AES_DECRYPT(AES_ENCRYPT(g, l), X'E9')) d, HEX(UNCOMPRESS(COMPRESS(g))) e FROM c
SELECT UPPER(g) a, HEX(UPPER(g)) b, UPPER(l) d, LOWER(UPPER(l)) e FROM c
