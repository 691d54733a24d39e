# Numbers of two types in one column: what IF and its kin, UNION and arithmetic make of YEAR and FLOAT
# judges: mysql
CREATE TABLE n (id INT PRIMARY KEY, y YEAR, i INT, u INT UNSIGNED, b BIGINT, bu BIGINT UNSIGNED, d DECIMAL(10,2), f FLOAT, g DOUBLE, ti TINYINT, si SMALLINT, mi MEDIUMINT, bt BIT(8))
INSERT INTO n VALUES (1, 2001, 1, 1, 1, 18446744073709551615, 1.50, 0.1, 0.1, 1, 1, 1, b'1'), (2, 1999, -1, 4294967295, -1, 9223372036854775808, -1.25, 1.5, 1.5, -1, -1, -1, b'11111111'), (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
# 1. A YEAR has no sign: with an unsigned number it is one of those
SELECT id, IF(id = 1, y, bu) a, COALESCE(NULL, bu, y) c, CASE id WHEN 1 THEN bu ELSE y END e, IFNULL(y, u) g FROM n ORDER BY id
SELECT y k FROM n UNION SELECT bu FROM n ORDER BY k
SELECT bu k FROM n UNION ALL SELECT y FROM n ORDER BY k
SELECT IF(id = 1, y, bu) k, COUNT(*) c FROM n GROUP BY k ORDER BY k
SELECT DISTINCT IF(id = 1, bu, y) k FROM n ORDER BY k
SELECT id, GREATEST(y, u) a, LEAST(y, bu) c, GREATEST(y, b) e FROM n ORDER BY id
SELECT id, IF(id = 1, y, i) a, IF(id = 1, y, b) c FROM n ORDER BY id
SELECT id, y - 1000 a, y + u c, y * u e, y % 7 g, 5000 - y h, y DIV 3 j FROM n ORDER BY id
SELECT y - 2100 FROM n
SELECT 1 - y FROM n
SELECT y * -1 FROM n
SELECT ABS(y) - 3000 FROM n
SELECT y - CAST(2100 AS DECIMAL(5,1)) a, y - 2100e0 c, -y e FROM n ORDER BY id
SELECT SUM(y), AVG(y), MAX(y) - 2000, MIN(y) FROM n
# 2. A FLOAT with a whole number that is no INT is a FLOAT
SELECT id, IF(id = 1, f, ti) a, IF(id = 1, f, b) c, COALESCE(f, bu) e, CASE id WHEN 1 THEN f ELSE y END g FROM n ORDER BY id
SELECT f k FROM n UNION SELECT 7 ORDER BY k
SELECT f k FROM n UNION SELECT b FROM n ORDER BY k
SELECT f k FROM n UNION SELECT i FROM n ORDER BY k
SELECT f k FROM n UNION SELECT d FROM n ORDER BY k
SELECT id, GREATEST(f, -5) a, LEAST(f, ti) c, GREATEST(f, y) e, LEAST(f, d) g, LEAST(f, i) h FROM n ORDER BY id
SELECT b k FROM n UNION SELECT f FROM n ORDER BY k
SELECT id, IF(id = 2, b, f) a, COALESCE(bu, f) c, GREATEST(-5, f) e, IF(id = 2, 7, f) g FROM n ORDER BY id
SELECT id, IF(id = 1, f, i) a, IF(id = 1, f, d) c, IF(id = 1, f, g) e FROM n ORDER BY id
# 3. A day that is written down stands beside a YEAR for its year
SELECT id FROM n WHERE y = DATE'2001-05-06'
SELECT id FROM n WHERE y < TIMESTAMP'2001-05-06 10:00:00'
SELECT id, y = DATE'1999-12-31' a, y <=> DATE'1999-12-31' c, NULLIF(y, DATE'2001-01-01') e FROM n ORDER BY id
# 4. An ENUM is its word where a time is read
CREATE TABLE e (id INT PRIMARY KEY, e ENUM('2024-02-29','10:11:12','x'), s SET('2024-01-31'), d DATE)
INSERT INTO e VALUES (1, '2024-02-29', '2024-01-31', '2024-03-01'), (2, '10:11:12', '', '2023-03-01'), (3, NULL, NULL, NULL)
SELECT id, YEAR(e) a, MONTH(s) c, DATEDIFF(d, e) g, TIMESTAMPDIFF(DAY, s, d) h, LAST_DAY(e) i, TO_DAYS(s) j, DAYNAME(e) k FROM e WHERE id <> 2 ORDER BY id
SELECT id, HOUR(e) a, TIME(e) c, TIME_TO_SEC(e) g FROM e WHERE id = 2
SELECT id, LEAST(d, e) a, GREATEST(e, d) c, e + INTERVAL 1 DAY g, EXTRACT(YEAR_MONTH FROM s) h, DATE_FORMAT(e, '%Y/%m/%d') i FROM e WHERE id <> 2 ORDER BY id
# 5. DIV of a DOUBLE is exact
SELECT 1234567890123456789 DIV 1e0 a, 18446744073709551615 DIV 1e0 c, (1234567890123456789/1e0) DIV 1 e, 7e0 DIV 2 g, -7.5e0 DIV 2 h, 1e17 DIV 3e0 i
SELECT 1e30 DIV 1
SELECT 5 DIV 1e-10, 5 DIV 0e0
