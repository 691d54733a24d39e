# Numbers of fixed digits of which one is a FLOAT or DOUBLE are equal beside an operator when they differ by less than half of the last digit
# judges: mysql
~CREATE TABLE ff (a INT PRIMARY KEY, b FLOAT(5,2), c DOUBLE(8,3), d DOUBLE, f FLOAT)
INSERT INTO ff VALUES (1,0.1,0.1,0.1,0.1),(2,0.3,0.3,0.30000000000000004,0.3),(3,1.25,1.25,1.25,1.25)
# 1. Operators
SELECT a, c+0.0004=c, c+0.0006=c, c+c+c=0.3, b+b+b=0.3, b=c, b*3=0.3, b*3>0.3, b*3<=0.3, b=0.1, c=0.1 FROM ff ORDER BY a
SELECT a, c*3>0.3, c*3<0.3, c*3>=0.3, c*3<=>0.3, c*3<>0.3, NULLIF(c*3,0.3) FROM ff ORDER BY a
SELECT a, b<c, b>c, b<=c, b<=>c, c=b, b<>c, -b=-0.1, -b=-c, ABS(b)=0.1, ABS(b)=c, IFNULL(b,1)=c FROM ff ORDER BY a
SELECT a, b*3=0.300, b*3=0.3000001, c*3=0.30000001, c*3=0.3000000000000001, c*3=1/3, c*3=0.1+0.2, c+c=c*2 FROM ff ORDER BY a
SELECT a, c*3=(SELECT 0.3), c*3=(SELECT MAX(0.3)), (c*3,1)=(0.3,1), (c*3,1) IN ((0.3,1)) FROM ff ORDER BY a
SELECT a, c*3=ANY(SELECT 0.3), c*3 IN (SELECT 0.3), 0.3 IN (SELECT c*3 FROM ff), c*3 > ALL (SELECT 0.3) FROM ff ORDER BY a
# 2. What is exact: more than one value of a list, BETWEEN, CASE, texts, numbers without fixed digits
SELECT a, c*3 BETWEEN 0.2 AND 0.3, c*3 NOT BETWEEN 0.2 AND 0.3, c*3 IN (0.3,5), CASE c*3 WHEN 0.3 THEN 1 END FROM ff ORDER BY a
SELECT a, d+d+d=0.3, d=0.3, d<=0.3, d>0.3, f=0.1, f=b, f=c, d=c, b*3=d*3, b*3=f*3, c*3>0.3e0, c*3=0.3e0, c*3='0.3' FROM ff ORDER BY a
SELECT 0.1e0+0.2e0=0.3e0, 0.1e0+0.2e0=0.3, 1e0=1.0000001e0
# 3. Groups
SELECT SUM(c)=1.65, SUM(b)=1.65, AVG(b)=0.55, AVG(c)=0.55, MAX(b)=1.25, SUM(b)-1.65=0, SUM(c)*100=165 FROM ff
SELECT a, MAX(c)*3=0.3, SUM(b)=0.1, SUM(b)>0.1, SUM(b)>=0.1, AVG(b)=0.1, SUM(b)=SUM(c), COUNT(*)=SUM(b)+0.9 FROM ff GROUP BY a ORDER BY a
SELECT a FROM ff GROUP BY a HAVING SUM(b)=0.1
SELECT a FROM ff GROUP BY a HAVING SUM(b)<>0.1 ORDER BY a
SELECT COUNT(*) FROM ff GROUP BY c*3=0.3 ORDER BY 1
SELECT SUM(b) OVER (PARTITION BY a)=0.1 FROM ff ORDER BY a
# 4. Conditions and joins
SELECT a FROM ff WHERE c*3=0.3
SELECT a FROM ff WHERE 0.3=c*3 LIMIT 5
SELECT a FROM ff WHERE c*3=0.3 ORDER BY a+1
SELECT a FROM ff WHERE b*3<=0.3
SELECT a FROM ff WHERE b*3>0.3 ORDER BY a
SELECT a FROM ff WHERE b*3<=0.3 ORDER BY a
SELECT a FROM ff WHERE c*3=0.3 OR a=2 ORDER BY a
SELECT a FROM ff WHERE NOT c*3=0.3 ORDER BY a
SELECT COUNT(*) FROM ff x JOIN ff y ON x.b=y.c
SELECT COUNT(*) FROM ff x JOIN ff y ON x.b*3=y.c*3
SELECT COUNT(*) FROM ff x JOIN ff y ON x.c=y.c
SELECT a FROM ff x WHERE EXISTS (SELECT 1 FROM ff y WHERE y.c=x.b) ORDER BY a
SELECT a FROM ff ORDER BY c*3=0.3 DESC, a
SELECT DISTINCT b*3 FROM ff ORDER BY 1
UPDATE ff SET a=a+10 WHERE c*3=0.3
SELECT a FROM ff ORDER BY a
DELETE FROM ff WHERE b*3<=0.3
SELECT a FROM ff ORDER BY a
