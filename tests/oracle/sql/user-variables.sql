# Names of user variables: in quotes, with points, of digits, and directly behind an operator
# judges: mariadb mysql
SET @u = 6, @`a b` = 7, @'c' = 8, @"d" = 9, @e.f = 10, @e = 1, @5 = 11
SELECT @u, @`u`, @'u', @"u", @U, @`U`
SELECT @`a b`, @'a b', @c, @'C', @`d`, @e.f, @`e.f`, @e, @5, @'5'
SELECT @`u` + 1, @'u' * 2, -@`u`, @`nothing`
CREATE TABLE t (id INT PRIMARY KEY, a INT)
INSERT INTO t VALUES (1, 5), (2, 6), (3, 7)
SELECT id FROM t WHERE a = @`u`
SELECT id FROM t WHERE a IN (@'u', @"a b") ORDER BY id
SELECT id FROM t WHERE a<@u
SELECT id FROM t WHERE a<@`u`
SELECT id FROM t WHERE a<=@'u' ORDER BY id
SELECT id FROM t WHERE a<@@div_precision_increment+2
SELECT id FROM t WHERE 5<@u ORDER BY id
SELECT id, a^@u, a|@u, a&@u, a<<@e FROM t ORDER BY id
SELECT 7<@u, 5<@u, '5'<@u, (5)<@u, NULL<@u
UPDATE t SET a = @`a b` WHERE a<@u
SELECT * FROM t ORDER BY id
INSERT INTO t VALUES (4, @'c'), (@5, @e.f)
SELECT * FROM t ORDER BY id
SELECT MAX(a), MIN(a) INTO @`most of all`, @'least' FROM t
SELECT @`most of all`, @least
PREPARE s FROM 'SELECT ? + @`u`'
EXECUTE s USING @`a b`
SELECT @`w` := 5, @w
SELECT COUNT(*) FROM t WHERE a>@u
SELECT@u+1 a,@e.f b
SELECT@@div_precision_increment c
SELECT COUNT(*) c FROM t WHERE@u AND@e
