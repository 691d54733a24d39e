# judges: mysql
# ONLY_FULL_GROUP_BY: what a group may give, what may sort what is distinct, and what follows from keys
SET sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c VARCHAR(10), u1 INT NOT NULL UNIQUE, u2 INT UNIQUE, gc INT GENERATED ALWAYS AS (a+1) VIRTUAL)
CREATE TABLE u (id INT PRIMARY KEY, tid INT, x INT, y INT)
CREATE TABLE n (p INT, q INT, r INT, UNIQUE (p,q))
CREATE VIEW v AS SELECT id AS vid, a*2 AS va, b AS vb FROM t
INSERT INTO t (id,a,b,c,u1,u2) VALUES (1,1,1,'x',1,1),(2,1,2,'y',2,2),(3,2,2,'z',3,NULL)
INSERT INTO u VALUES (1,1,1,1),(2,1,2,2)
SELECT a, b FROM t GROUP BY a
SELECT a, count(*) FROM t
SELECT id, a, b FROM t GROUP BY id
SELECT u1, a FROM t GROUP BY u1
SELECT u2, a FROM t GROUP BY u2
SELECT u2, a FROM t WHERE u2 IS NOT NULL GROUP BY u2
SELECT u2, a FROM t WHERE u2 > 3 GROUP BY u2
SELECT a, count(*) FROM t WHERE a = 1
SELECT a, count(*) FROM t WHERE a = 1 AND b = 2
SELECT a, b FROM t WHERE a = b GROUP BY a
SELECT a+1, count(*) FROM t GROUP BY a+1
SELECT a+1+2, count(*) FROM t GROUP BY a+1
SELECT a, gc FROM t GROUP BY a
SELECT gc, a FROM t GROUP BY gc
SELECT a, any_value(b) FROM t GROUP BY a
SELECT any_value(a) FROM t
SELECT any_value(a), b FROM t
SELECT any_value(a)+b, count(*) FROM t
SELECT x.a, count(*) FROM t x
SELECT x.a, y.y FROM t x JOIN u y ON y.tid=x.id GROUP BY x.id
SELECT x.a, y.y FROM t x JOIN u y ON y.tid=x.id GROUP BY y.id
SELECT x.a, y.y FROM t x LEFT JOIN u y ON y.tid=x.id GROUP BY x.id
SELECT x.a, y.y FROM t x LEFT JOIN u y ON y.tid=x.id GROUP BY y.id
SELECT x.a, y.y FROM t x LEFT JOIN u y ON y.id=x.id GROUP BY x.id
SELECT x.a, y.y FROM u x2 LEFT JOIN t x ON x.id=x2.tid LEFT JOIN u y ON y.id=x.a GROUP BY x2.id
SELECT x.a, y.y FROM t x LEFT JOIN u y ON y.id=x.id AND y.x=3 GROUP BY x.id
SELECT x.a, y.y FROM t x LEFT JOIN u y ON y.id=x.id WHERE y.x>3 GROUP BY y.id
SELECT a FROM t GROUP BY a ORDER BY b
SELECT a FROM t GROUP BY a ORDER BY count(*)
SELECT a FROM t ORDER BY count(*)
SELECT a, b FROM t ORDER BY count(*)
SELECT count(*) FROM t ORDER BY b
SELECT a FROM t GROUP BY a HAVING b > 1
SELECT a FROM t HAVING count(*) > 1
SELECT a FROM t GROUP BY a HAVING a > 1 AND max(b) > 1
SELECT DISTINCT a FROM t ORDER BY b
SELECT DISTINCT a FROM t ORDER BY a+b
SELECT DISTINCT a FROM t ORDER BY a+1
SELECT DISTINCT a FROM t ORDER BY count(*)
SELECT DISTINCT a, b+1 FROM t ORDER BY b+1
SELECT DISTINCT a FROM t GROUP BY a,b ORDER BY b
SELECT DISTINCT a FROM t GROUP BY a ORDER BY max(b)
SELECT DISTINCT max(b) FROM t GROUP BY a ORDER BY a
SELECT a, (SELECT t.b) FROM t GROUP BY a
SELECT a, (SELECT max(u.x) FROM u WHERE u.tid=t.b) FROM t GROUP BY a
SELECT a, (SELECT max(u.x) FROM u WHERE u.tid=t.a) FROM t GROUP BY a
SELECT d.s FROM (SELECT a, sum(b) s FROM t GROUP BY a) d GROUP BY d.a
SELECT d.s FROM (SELECT a, sum(b) s FROM t GROUP BY a) d GROUP BY d.s
SELECT d.a FROM (SELECT a, sum(b) s FROM t GROUP BY a) d GROUP BY d.s
SELECT d.z FROM (SELECT a, a*2 z FROM t) d GROUP BY d.a
SELECT d.z FROM (SELECT a, a*2 z FROM t LIMIT 5) d GROUP BY d.a
SELECT d.z FROM (SELECT id, a z FROM t LIMIT 5) d GROUP BY d.id
SELECT va, vb FROM v GROUP BY vid
SELECT vb FROM v GROUP BY va
SELECT va FROM v GROUP BY vb
SELECT va+1 FROM v GROUP BY va
SELECT vid FROM v x GROUP BY vb
SELECT a, b, count(*) FROM t GROUP BY a, b WITH ROLLUP
SELECT id, b, count(*) FROM t GROUP BY id WITH ROLLUP
SELECT a, b, sum(b) OVER (PARTITION BY a) FROM t GROUP BY a, b
SELECT a, sum(b) OVER (PARTITION BY a) FROM t GROUP BY a
SELECT a, sum(count(*)) OVER (ORDER BY b) FROM t GROUP BY a
SELECT a, sum(count(*)) OVER w FROM t GROUP BY a WINDOW w AS (ORDER BY b)
SELECT a, rank() OVER (ORDER BY max(b)) FROM t GROUP BY a
SELECT * FROM t GROUP BY id
SELECT * FROM t GROUP BY a
SELECT c, count(*) FROM t WHERE c = 5
SELECT c, count(*) FROM t WHERE c = 'a'
SELECT c, count(*) FROM t WHERE c LIKE 'a'
SELECT c, count(*) FROM t WHERE c IN ('a')
SELECT c, count(*) FROM t WHERE c <=> 'a'
SELECT c, count(*) FROM t WHERE c IS NULL
SELECT c, count(*) FROM t WHERE (a,c) = (1,'a')
SELECT c, count(*) FROM t WHERE c = 'a' OR c = 'b'
SELECT c, count(*) FROM t WHERE c = 'a' HAVING c > 'a'
SELECT c, count(*) FROM t WHERE a = 1 HAVING c > 'a'
SELECT x FROM u WHERE x > (SELECT avg(x) FROM u) GROUP BY x
SELECT t.a FROM t, u WHERE t.id = u.tid GROUP BY u.tid
SELECT t.a, u.y FROM t, u WHERE t.id = u.tid GROUP BY u.id
SELECT t.a FROM t, u WHERE t.a = u.x AND u.x = 3 GROUP BY u.y
SELECT t.a FROM t, u WHERE t.a = u.x + 1 GROUP BY u.x
SELECT a FROM t WHERE a = id + 1 GROUP BY id
SELECT b FROM t WHERE b = a + 1 GROUP BY a
SELECT b FROM t WHERE b = abs(a) GROUP BY a
SELECT max(a), b FROM t UNION SELECT 1,2
SELECT a FROM (SELECT a, b FROM t GROUP BY a) d
SELECT EXISTS(SELECT a FROM t GROUP BY b)
SELECT 1 FROM t WHERE a IN (SELECT a FROM u GROUP BY x)
SELECT if(grouping(a), 'x', a) FROM t GROUP BY a WITH ROLLUP
SELECT t.id, count(u.id) FROM t LEFT JOIN u ON u.tid=t.id GROUP BY t.id ORDER BY t.c
SELECT date(c), count(*) FROM t GROUP BY c
SELECT concat(a,'-',b) FROM t GROUP BY a
SELECT concat(a,'-',b) ab FROM t GROUP BY ab
SELECT concat(a,'-',b) ab, a FROM t GROUP BY ab
SELECT CASE WHEN a=1 THEN b ELSE 0 END FROM t GROUP BY a
SELECT CASE WHEN a=1 THEN 5 ELSE 0 END FROM t GROUP BY CASE WHEN a=1 THEN 5 ELSE 0 END
SELECT a AS b FROM t GROUP BY b
SELECT b AS a FROM t GROUP BY a
SELECT -a AS a, b FROM t GROUP BY a
SELECT p,q,r FROM n GROUP BY p,q
SELECT p,q,r FROM n WHERE p=1 AND q=2 GROUP BY p
SELECT p,q,r FROM n WHERE p IS NOT NULL AND q > 3 GROUP BY p,q
SELECT count(*), b FROM t WHERE id = 1
SELECT count(*), t.b, u.y FROM t, u WHERE t.id=1 AND u.id=t.id
SELECT a, group_concat(b ORDER BY c) FROM t GROUP BY a
SELECT json_arrayagg(a), b FROM t
SELECT now(), a FROM t GROUP BY 2
SELECT a, b FROM t GROUP BY 1
SELECT 1 FROM t GROUP BY a HAVING b
SELECT *, count(*) FROM t
SELECT t.*, count(*) FROM t JOIN u ON u.tid=t.id GROUP BY t.id
SELECT t.*, u.* FROM t JOIN u ON u.tid=t.id GROUP BY t.id
SELECT tt.a, b2 FROM (SELECT a, b AS b2 FROM t) tt GROUP BY tt.a
WITH w AS (SELECT a, b FROM t) SELECT a, b FROM w GROUP BY a
WITH w AS (SELECT id, b FROM t) SELECT id, b FROM w GROUP BY id
SELECT a FROM t GROUP BY a ORDER BY (SELECT b)
SELECT a FROM t GROUP BY a ORDER BY a, b desc
SELECT DISTINCT t.a FROM t JOIN u ON u.tid=t.id ORDER BY u.x
SELECT DISTINCT a AS z FROM t ORDER BY z, a
SELECT DISTINCT a FROM t ORDER BY (SELECT t.b)
(SELECT a FROM t) UNION (SELECT b FROM t) ORDER BY count(*)
SELECT a FROM t UNION SELECT b FROM t ORDER BY a+1
SELECT a, count(*) FROM t HAVING b > 1
SELECT DISTINCT a, max(b) m FROM t GROUP BY a ORDER BY max(b)
SELECT DISTINCT a FROM t ORDER BY sum(b) OVER ()
SELECT DISTINCT a FROM t ORDER BY rank() OVER (ORDER BY b)
SELECT a, any_value(max(b)) FROM t GROUP BY a
SELECT a FROM t WHERE any_value(a) = 1
SELECT (SELECT any_value(b)) FROM t GROUP BY a
SELECT a, EXISTS(SELECT 1 FROM u WHERE u.x = t.b) FROM t GROUP BY a
SELECT a FROM t WHERE EXISTS (SELECT x, y FROM u GROUP BY x HAVING x > 1)
SELECT a FROM t WHERE EXISTS (SELECT x, count(*) FROM u)
SELECT a FROM t WHERE a IN (SELECT DISTINCT x FROM u ORDER BY y)
SELECT a FROM t WHERE a = (SELECT x FROM u GROUP BY y LIMIT 1)
SELECT a FROM t WHERE a = ANY (SELECT x FROM u GROUP BY y)
SELECT a FROM t WHERE a IN (SELECT x FROM u GROUP BY y UNION SELECT 1)
SELECT a FROM t WHERE a IN (SELECT x FROM (SELECT x, y, id FROM u GROUP BY y) q GROUP BY y)
SELECT t.a, count(*) FROM t WHERE t.a = (SELECT max(x) FROM u)
SELECT t.a, count(*) FROM t WHERE t.a = rand()
SELECT t.a, count(*) FROM t WHERE t.a = 1+1
SELECT (SELECT count(*) FROM u WHERE u.x = t.a AND u.y = u.x) FROM t
SELECT (SELECT u.y FROM u WHERE u.x = t.a AND u.y = u.x GROUP BY u.id) FROM t
SELECT (SELECT u.x FROM u WHERE u.x = t.a HAVING count(*) > 0) FROM t
SELECT (SELECT concat(u.x, count(*)) FROM u WHERE u.x = t.a) FROM t
SELECT (SELECT t.a FROM u GROUP BY u.x LIMIT 1) FROM t
SELECT count(*), (SELECT t.a FROM u LIMIT 1) FROM t
SELECT sum(a) OVER (), b FROM t
SELECT a, row_number() OVER (PARTITION BY b ORDER BY count(*)) FROM t GROUP BY a
SELECT d.b FROM (SELECT DISTINCT a, b FROM t) d GROUP BY d.a
SELECT d.c FROM t x LEFT JOIN (SELECT a, count(*) c FROM t GROUP BY a) d ON d.a = x.a GROUP BY x.id
SELECT d.c FROM t x JOIN (SELECT a, count(*) c FROM t GROUP BY a) d ON d.a = x.a GROUP BY x.id
SELECT d.c FROM t x LEFT JOIN (SELECT a, count(*) c FROM t GROUP BY a) d ON d.a = x.a GROUP BY d.a
SELECT t1.a, t2.b FROM t t1 NATURAL JOIN t t2 GROUP BY t1.id
SELECT id, t2.b FROM t t1 JOIN t t2 USING (id) GROUP BY id
SELECT id, t2.b FROM t t1 LEFT JOIN t t2 USING (id) GROUP BY id
SELECT a, b FROM t GROUP BY a, b+0
SELECT a FROM t GROUP BY a+0
SELECT a FROM t GROUP BY (a)
SELECT a FROM t GROUP BY binary a
SELECT a FROM t GROUP BY a collate utf8mb4_bin
SELECT c FROM t GROUP BY c collate utf8mb4_bin
SELECT t.a A, b FROM t GROUP BY A
SELECT year(now()), a FROM t GROUP BY a
SELECT count(DISTINCT a) c, a FROM t GROUP BY a ORDER BY c desc
SELECT a k, count(*) FROM t GROUP BY k ORDER BY b
SELECT 5 AS a, b FROM t GROUP BY a
SELECT c x FROM t GROUP BY upper(c)
SELECT upper(c) x FROM t GROUP BY c ORDER BY upper(c)
SELECT j.v, count(*) FROM json_table('[1,2]', '$[*]' COLUMNS (v int PATH '$', o FOR ORDINALITY)) j GROUP BY j.v
SELECT j.v, j.o, count(*) FROM json_table('[1,2]', '$[*]' COLUMNS (v int PATH '$', o FOR ORDINALITY)) j GROUP BY j.v
WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n+1 FROM r WHERE n<3) SELECT n, count(*) FROM r GROUP BY n
WITH RECURSIVE r(n,m) AS (SELECT 1, 2 UNION ALL SELECT n+1, m FROM r WHERE n<3) SELECT n, m FROM r GROUP BY n
SELECT t.*, l.m FROM t, LATERAL (SELECT max(x) m FROM u WHERE u.tid = t.id) l GROUP BY t.id
SELECT t.*, l.m FROM t LEFT JOIN LATERAL (SELECT max(x) m FROM u WHERE u.tid = t.id) l ON TRUE GROUP BY t.id
SELECT DISTINCT a FROM t GROUP BY a,b ORDER BY max(c)
SELECT DISTINCT a, count(*) FROM t GROUP BY a,b ORDER BY max(c)
# MySQL takes the name that the list gives it and not what the name stands for; here both are taken
~SELECT DISTINCT a, count(*) FROM t GROUP BY a,b ORDER BY count(*) + 1
SELECT DISTINCT a, b FROM t GROUP BY b, a ORDER BY max(c)
SELECT DISTINCT a, b FROM t GROUP BY a ORDER BY a
SELECT DISTINCT a FROM t GROUP BY a ORDER BY id
SELECT DISTINCT id, a FROM t GROUP BY id ORDER BY b
SELECT DISTINCT a, sum(b) OVER () s FROM t ORDER BY s
SELECT DISTINCT a FROM t ORDER BY any_value(b)
SELECT DISTINCT a, b FROM t GROUP BY a, b WITH ROLLUP ORDER BY max(id)
SELECT a FROM t GROUP BY a ORDER BY any_value(b)
SELECT a, any_value(id) x FROM t GROUP BY a ORDER BY x
SELECT max(a), b FROM t WHERE 1=0 GROUP BY b
SELECT b, max(a) OVER (PARTITION BY b) FROM t GROUP BY b
SELECT DISTINCT a+1 FROM t ORDER BY a+1
SELECT a FROM t WHERE a IN (SELECT x FROM u GROUP BY y ORDER BY tid)
SELECT * FROM (SELECT DISTINCT a FROM t ORDER BY b) q
SELECT DISTINCT a FROM t UNION SELECT DISTINCT b FROM t ORDER BY 1
(SELECT DISTINCT a FROM t ORDER BY b LIMIT 1) UNION SELECT 2
# Equal literals make equal expressions, however a statement is kept
SELECT x FROM (SELECT a+1 AS x, COUNT(*) FROM t GROUP BY a+1 WITH ROLLUP) d
SELECT x FROM (SELECT a+1 AS x, COUNT(*) FROM t GROUP BY a+2) d
SELECT x FROM (SELECT a+1 AS x, COUNT(*) FROM t GROUP BY a+1) d
SELECT x FROM (SELECT a+2 AS x, COUNT(*) FROM t GROUP BY a+2) d
SELECT x FROM (SELECT a+2 AS x, COUNT(*) FROM t GROUP BY a+1) d
SELECT x FROM (SELECT DISTINCT a+1 AS x FROM t ORDER BY a+1) d
SELECT x FROM (SELECT DISTINCT a+1 AS x FROM t ORDER BY a+2) d
# Statements that are no SELECT
INSERT INTO u SELECT id+10, a, b, COUNT(*) FROM t GROUP BY a
INSERT INTO u (id) SELECT DISTINCT a+100 FROM t ORDER BY b
CREATE TABLE z AS SELECT a, b FROM t GROUP BY a
UPDATE t SET b = (SELECT x FROM u GROUP BY y LIMIT 1)
DELETE FROM t WHERE a IN (SELECT x FROM u WHERE x > 5 GROUP BY y)
# A view is read before it is judged
CREATE VIEW w AS SELECT a, b FROM t GROUP BY a
SELECT * FROM w
SET sql_mode = ''
SELECT * FROM w ORDER BY a
# A prepared statement is judged by the mode in which it runs first; two parameters are two things
PREPARE s FROM 'SELECT a, b FROM t GROUP BY a ORDER BY a'
EXECUTE s
SET sql_mode = 'ONLY_FULL_GROUP_BY'
PREPARE s FROM 'SELECT a, b FROM t GROUP BY a'
# In every mode an aggregate that only ORDER BY has is refused, and ANY_VALUE is of each row
SET sql_mode = ''
SELECT a FROM t ORDER BY COUNT(*)
SELECT ANY_VALUE(a) FROM t
SELECT ANY_VALUE(a), b FROM t WHERE ANY_VALUE(b) = 2
SELECT a, b FROM t GROUP BY a ORDER BY a
SELECT DISTINCT a FROM t ORDER BY b
# A name of the list within an expression of ORDER BY or HAVING
CREATE TABLE named (i INT, j INT, d DATETIME)
INSERT INTO named VALUES (-1,1,'2020-01-01'),(2,2,'2021-01-01'),(1,3,'2020-02-02')
select abs(i) as a from named group by abs(i) order by a + 1
~select abs(i) as a from named group by abs(i) order by abs(i) + 1
select abs(i)+1 from named group by abs(i)
select abs(i) as a from named group by a order by a + 1
select abs(i) as a from named group by a with rollup order by a + 1
select abs(i) as a from named group by abs(i) having a+1 > 2
~select abs(i) as a from named group by abs(i) having abs(i)+1 > 2
select abs(i) as a, count(*) from named group by a order by -a, a is null
select year(d) y, month(d) m, count(*) from named group by y, m order by y*100+m desc
select concat(year(d),'x') y, count(*) c from named group by y order by field(y,'2021x','2020x'), c+1
select abs(i) as a, i+j as s from named group by abs(i), s order by s+a
select abs(i) as a, a+1 from named group by a
select if(abs(i)>1,'x','y') k, sum(j) from named group by k order by k='x' desc
select abs(i) as a, row_number() over (order by abs(i)) from named group by abs(i)
select abs(i) as a, row_number() over (order by abs(i)+1) from named group by abs(i)
select distinct abs(i) as a from named order by a+1
~select distinct abs(i) as a from named order by abs(i)+1
select distinct i from named order by abs(i)
# Conditions that leave no NULL
create table nulls(a int null, b int not null, c int, unique(a,b))
select a,b,c from nulls where not (a is null) group by a,b
select a,b,c from nulls where a in (select b from nulls) group by a,b
select a,b,c from nulls where a not in (select b from nulls) group by a,b
select a,b,c from nulls where a is true group by a,b
select a,b,c from nulls where a is not false group by a,b
select a,b,c from nulls where a is not true group by a,b
select a,b,c from nulls where a is not unknown group by a,b
select a,b,c from nulls where (a<>3) is true group by a,b
select a,b,c from nulls where (a<>3) is false group by a,b
select a,b,c from nulls where not(a in (3,4)) group by a,b
select a,b,c from nulls where a not in (3,4) group by a,b
select a,b,c from nulls where not(a between 3 and 4) group by a,b
select a,b,c from nulls where a not like 'x' group by a,b
select a,b,c from nulls where not not a group by a,b
select a,b,c from nulls where a xor 1 group by a,b
select a,b,c from nulls where a+1 > 3 group by a,b
select a,b,c from nulls where a+1 is not null group by a,b
select a,b,c from nulls where a > any (select 1) group by a,b
select a,b,c from nulls where a > all (select 1) group by a,b
select a,b,c from nulls where a is not null or a > 3 group by a,b
select a,b,c from nulls where a regexp 'x' group by a,b
select a,b,c from nulls where abs(a) > 3 group by a,b
select a,b,c from nulls where coalesce(a,0) > 3 group by a,b
select 1 from nulls n1 left join nulls n2 on n1.a=n2.a where n2.a is true group by n1.a
# A bound that is NULL leaves rows of an outer join
insert into nulls values (1,1,1),(2,2,2)
select l.a, r.a from nulls l left join nulls r on r.a = l.a + 1 where (5 between r.a and 3) = 0 order by 1
select l.a, r.a from nulls l left join nulls r on r.a = l.a + 1 where not (5 between r.a and 3) order by 1
select l.a, r.a from nulls l left join nulls r on r.a = l.a + 1 where r.a not between 0 and 1 order by 1
select l.a, r.a from nulls l left join nulls r on r.a = l.a + 1 where r.a not in (7) order by 1
select l.a, r.a from nulls l left join nulls r on r.a = l.a + 1 where (r.a in (select 9 from nulls where 0)) = 0 order by 1
select l.a, r.a from nulls l left join nulls r on r.a = l.a + 1 where r.a > all (select 9 from nulls where 0) order by 1
select l.a, r.a from nulls l left join nulls r on r.a = l.a + 1 where r.a > any (select 0 from nulls) order by 1
select l.a, r.a from nulls l left join nulls r on r.a = l.a + 1 where r.a is true order by 1
select l.a, r.a from nulls l left join nulls r on r.a = l.a + 1 where r.a is not true order by 1
select l.a, r.a from nulls l left join nulls r on r.a = l.a + 1 where r.a is not false order by 1
select l.a, r.a from nulls l left join nulls r on r.a = l.a + 1 where not (r.a is null) order by 1
