# judges: mysql
# Tables of WITH in a sub-query, which name columns of the SELECTs around it
create table o (a int, b int)
insert into o values (1, 10), (2, 20), (3, 30)
create table p (a int, c int)
insert into p values (1, 5), (1, 6), (2, 7), (4, 8)
select (with q as (select o.a as x) select x from q) from o
select a, (with q as (select o.a as x), r as (select x + 1 as y from q) select y from r) z from o
select * from o where exists (with q as (select o.a as x) select 1 from q where x = 2)
select a, (with q as (select c from p where p.a = o.a) select sum(c) from q) s from o order by a
select a, (with q as (select c from p where p.a = o.a) select count(*) from q x, q y) s from o order by a
select a, (with q as (select c from p where p.a = o.a) select max(c) from q where c > (select min(c) from q)) s from o order by a
select a, (with q as (select c from p where p.a = o.a) select (select sum(c + o.b) from q)) s from o order by a
select a, (with q as (select o.b as x) select sum(x) from (select x from q union all select x + 1 from q) d) s from o order by a
select a, (with q as (select p.a as pa, p.c from p) select sum(c) from q where pa = o.a) s from o order by a
select a from o where b in (with q as (select o.a * 10 as x) select x from q) order by a
select a, (with q(x) as (select o.a union select o.b) select group_concat(x order by x) from q) s from o order by a
select a, (select (with q as (select o.a + p.c as x) select x from q) from p where p.a = o.a order by c limit 1) s from o order by a
update o set b = (with q as (select c from p where p.a = o.a) select coalesce(sum(c), 0) from q)
select * from o order by a
delete from o where not exists (with q as (select * from p where p.a = o.a) select 1 from q)
select * from o order by a
with t as (select a from o) select a, (with q as (select t.a as x) select x * 2 from q) y from t order by a
select * from o, lateral (with q as (select o.a as x) select x from q) l order by a
select (with q as (select nix) select 1 from q) from o
create view v as select a, (with q as (select c from p where p.a = o.a) select max(c) from q) m from o
select * from v order by a
# Those that name themselves as well
create table n (id int primary key, parent int, name varchar(9))
insert into n values (1, null, 'root'), (2, 1, 'a'), (3, 2, 'b'), (4, 3, 'c'), (5, 1, 'd')
select id, (with recursive up as (select n.id as id, n.parent as parent, cast(n.name as char(99)) as path union all select p.id, p.parent, concat(p.name, '/', up.path) from up join n p on p.id = up.parent) select path from up where parent is null) s from n order by id
select id from n where 1 = any (with recursive up as (select n.parent as p union select x.parent from up join n x on x.id = up.p) select p from up) order by id
select id, (with recursive k as (select 1 as i union all select i + 1 from k where i < n.id) select group_concat(i order by i) from k) s from n order by id
select id, (with recursive k as (select n.id as i union select i + 1 from k where i < 3) select count(*) from k a join k b on a.i = b.i) c from n order by id
update n set name = (with recursive up as (select n.parent as p, 1 as depth union all select x.parent, depth + 1 from up join (select 1 as id, null as parent union all select 2, 1 union all select 3, 2) x on x.id = up.p) select max(depth) from up)
select * from n order by id
create view vn as select id, (with recursive k as (select 1 as i union all select i + 1 from k where i < n.id) select count(*) from k) s from n
select * from vn order by id
