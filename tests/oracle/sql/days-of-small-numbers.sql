# Numbers below 101 as days: of the year 2000, where parts may be missing
# judges: mysql
CREATE TABLE n (id INT PRIMARY KEY, i INT, d DECIMAL(8,2), b DOUBLE)
INSERT INTO n VALUES (1, 0, 0, 0), (2, 1, 1.5, 1.5), (3, 31, 31.99, 31.5), (4, 32, 32, 32), (5, 99, 99.9, 99), (6, 100, 100, 100), (7, 101, 101, 101), (8, -1, -0.5, -1), (9, NULL, NULL, NULL), (10, 20240229, 20240229.5, 20240229)
SELECT id, YEAR(i), MONTH(i), DAY(i), QUARTER(i), YEAR(d), DAY(d), YEAR(b), DAY(b), QUARTER(b) FROM n ORDER BY id
SELECT id, MONTHNAME(i), LAST_DAY(i), DATE(i), DAYOFMONTH(d), WEEKDAY(i), DAYNAME(i), DAYOFYEAR(i) FROM n ORDER BY id
SELECT id FROM n WHERE DAY(i) = 31
SELECT DAY(TRUE), YEAR(FALSE), DAY(15e-1), YEAR(24), MONTH(100), DAY(31), DAY(32), YEAR('1'), DAY('15')
SET sql_mode = ''
SELECT id, DATE(d), YEAR(d), DATE(b), QUARTER(d) FROM n WHERE id < 8 ORDER BY id
