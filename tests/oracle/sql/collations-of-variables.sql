# judges: mysql
# The collation of a user variable: that of what it was given, in reading and in writing
SET NAMES utf8mb4 COLLATE utf8mb4_general_ci
SET @a = 'aa', @b = UNHEX('4141'), @c = _latin1'AA', @d = 5, @e = DATE'2020-01-02', @f = 1.5, @g = 'x' COLLATE utf8mb4_bin, @h = 1e0, @i = TIMESTAMP'2020-01-02 03:04:05', @j = b'0101', @k = 0x41, @m = TRUE
SELECT COLLATION(@a), COLLATION(@b), COLLATION(@c), COLLATION(@d), COLLATION(@e), COLLATION(@f), COLLATION(@g), COLLATION(@h), COLLATION(@i), COLLATION(@j), COLLATION(@k), COLLATION(@m)
SELECT CHARSET(@a), CHARSET(@b), CHARSET(@c), CHARSET(@d), CHARSET(@e), COERCIBILITY(@a), COERCIBILITY(@b)
SELECT @b = 'aa', @a = 'AA', @c = 'aa', @g = 'X', @b = @a, @a = @c, @a = @g, @k = 'a', HEX(@j)
SELECT @a COLLATE utf8mb4_bin = 'AA', UPPER(@b) = 'aa', COLLATION(UPPER(@b)), COLLATION(CONCAT(@a, @b)), COLLATION(CONCAT(@a, @g)), COLLATION(CONCAT(@c, 'x'))
SELECT @b COLLATE utf8mb4_bin
SELECT MAX(@a), COLLATION(MAX(@b)), COLLATION(IF(1, @b, 'a')), COLLATION(COALESCE(@b, @a)), COLLATION(IFNULL(NULL, @g))
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(10) COLLATE utf8mb4_general_ci, b VARCHAR(10) COLLATE utf8mb4_bin, c VARCHAR(10) CHARACTER SET latin1, d VARBINARY(10), e ENUM('A', 'b') COLLATE utf8mb4_general_ci, KEY (a), KEY (b), KEY (c), KEY (d))
INSERT INTO t VALUES (1, 'Aa', 'Aa', 'Aa', 'Aa', 'a'), (2, 'AA', 'AA', 'AA', 'AA', 'b'), (3, 'aa', 'aa', 'aa', 'aa', 'b'), (4, 'x', 'x', 'x', 'x', 'b')
SELECT id FROM t WHERE a = @a ORDER BY id
SELECT id FROM t WHERE b = @a ORDER BY id
SELECT id FROM t WHERE c = @a ORDER BY id
SELECT id FROM t WHERE d = @a ORDER BY id
SELECT id FROM t WHERE a = @b ORDER BY id
SELECT id FROM t WHERE b = @b ORDER BY id
SELECT id FROM t WHERE c = @b ORDER BY id
SELECT id FROM t WHERE d = @b ORDER BY id
SELECT id FROM t WHERE a = @c ORDER BY id
SELECT id FROM t WHERE b = @c ORDER BY id
SELECT id FROM t WHERE c = @c ORDER BY id
SELECT id FROM t WHERE d = @c ORDER BY id
SELECT id FROM t WHERE a IN (@b, 'X') ORDER BY id
SELECT id FROM t WHERE a IN (@c, 'X') ORDER BY id
SELECT id FROM t WHERE a BETWEEN @b AND 'AB' ORDER BY id
SELECT id FROM t WHERE a LIKE @b ORDER BY id
SELECT id FROM t WHERE a LIKE @c ORDER BY id
SELECT x.id, y.id FROM t x JOIN t y ON x.a = y.a AND y.a = @b ORDER BY 1, 2
SELECT id FROM t WHERE a >= ALL (SELECT @b) ORDER BY id
SELECT id FROM t WHERE a = (SELECT @b) ORDER BY id
SELECT CASE a WHEN @b THEN 'bytes' WHEN @c THEN 'text' END FROM t ORDER BY id
SELECT NULLIF(a, @b), NULLIF(a, @c) FROM t ORDER BY id
SELECT GROUP_CONCAT(id ORDER BY id) FROM t GROUP BY a = @b ORDER BY 1
# 2. Another value of another kind, and the same statement
SET @v = 'aa'
SELECT id FROM t WHERE a = @v ORDER BY id
SET @v = UNHEX('4141')
SELECT id FROM t WHERE a = @v ORDER BY id
SET @v = 'aa' COLLATE utf8mb4_bin
SELECT id FROM t WHERE a = @v ORDER BY id
SET @v = 'aa'
SELECT id FROM t WHERE a = @v ORDER BY id
SET @v = 'aa'
UPDATE t SET e = 'A' WHERE a = @v
SELECT id, e FROM t ORDER BY id
UPDATE t SET e = 'b'
SET @v = UNHEX('4141')
UPDATE t SET e = 'A' WHERE a = @v
SELECT id, e FROM t ORDER BY id
UPDATE t SET e = IF(a = @v, 'A', 'b')
SELECT id, e FROM t ORDER BY id
SET @v = 'aa'
UPDATE t SET e = IF(a = @v, 'A', 'b')
SELECT id, e FROM t ORDER BY id
CREATE TABLE u (id INT PRIMARY KEY, s VARCHAR(20), KEY (s))
INSERT INTO u VALUES (1, '5'), (2, '05'), (3, '5.0'), (4, '6')
SET @n = '5'
UPDATE u SET id = id + 10 WHERE s = @n
SELECT * FROM u ORDER BY id
SET @n = 5
UPDATE u SET id = id + 100 WHERE s = @n
SELECT * FROM u ORDER BY id
SET @n = 6
DELETE FROM u WHERE s = @n
SELECT * FROM u ORDER BY id
SET @n = '05'
DELETE FROM u WHERE s = @n
SELECT * FROM u ORDER BY id
SET @n = 5
DELETE FROM u WHERE s = @n
SELECT * FROM u ORDER BY id
SET @v = 'aa'
INSERT INTO u VALUES (1, IF(@v = 'AA', 'text', 'bytes'))
SET @v = UNHEX('6161')
INSERT INTO u VALUES (2, IF(@v = 'AA', 'text', 'bytes'))
INSERT INTO u VALUES (2, '') ON DUPLICATE KEY UPDATE s = CONCAT(s, IF(@v = 'AA', 'text', 'bytes'))
SELECT * FROM u ORDER BY id
# 3. What a query gives
SELECT a, b, c, d, e FROM t WHERE id = 1 INTO @ta, @tb, @tc, @td, @te
SELECT COLLATION(@ta), COLLATION(@tb), COLLATION(@tc), COLLATION(@td), COLLATION(@te)
SELECT a = @ta, b = @tb, c = @tc, d = @td, e = @te, @td = 'aa' FROM t ORDER BY id
SET @q = (SELECT d FROM t WHERE id = 2)
SELECT COLLATION(@q), @q = 'aa'
SET @w = CONVERT('é' USING latin1)
SELECT LENGTH(@w), CHAR_LENGTH(@w), HEX(@w), COLLATION(@w)
SET @w = _utf16 x'00e9'
SELECT LENGTH(@w), CHAR_LENGTH(@w), HEX(@w), HEX(CONCAT(@w))
SET @js = JSON_OBJECT('a', 1)
SELECT COLLATION(@js), @js
SET @z = INET6_ATON('::1')
SELECT INET6_NTOA(@z), COLLATION(@z), INET6_NTOA(@b)
SELECT @dt := DATE'2020-01-02', @en := 'x' COLLATE utf8mb4_bin
SELECT @dt + 0, COLLATION(@dt), COLLATION(@en), @dt = '2020-01-02', @dt = DATE'2020-01-02', YEAR(@dt)
SELECT @tm := TIMESTAMP'2020-01-02 03:04:05'
SELECT @tm + 0, COLLATION(@tm), @tm > '2020-01-02'
SELECT id FROM t WHERE a = @ta OR a = @td ORDER BY id
