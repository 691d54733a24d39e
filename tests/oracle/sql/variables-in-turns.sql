# What the condition and the list make of a variable, row by row
# judges: mysql
CREATE TABLE v (id INT PRIMARY KEY, n INT)
INSERT INTO v VALUES (1, 10), (2, 20), (3, 30), (4, 40), (5, 50)
SET @t = 0
SELECT @t := @t + 1 r, id FROM v WHERE @t < 3
SELECT @t := @t + 1 r, id FROM v, (SELECT @t := 0) x WHERE @t < 3
SET @t = 0
SELECT @t, id FROM v WHERE (@t := @t + 1) <= 3
SELECT @t
SET @t = 0
SELECT @t a, id FROM v WHERE (@t := @t + n) <= 60
SET @t = 0
SELECT @t := @t + n s FROM v WHERE id > 1 AND @t < 60
