# judges: mysql
# WITH before UPDATE and DELETE
create table c1 (a int primary key, b int)
create table c2 (a int, b int)
insert into c1 values (1,1),(2,2),(3,3),(4,4),(5,5)
insert into c2 values (1,10),(2,20),(3,30)
with q as (select 1 as a) delete from c1 where a in (select a from q)
select * from c1
with q as (select 2 as a) delete c1 from c1 join q on c1.a=q.a
select * from c1
with q as (select 3 as a) update c1, q set c1.b=9 where c1.a=q.a
with q as (select 4 as a) update c1 join q on c1.a=q.a set c1.b=10+q.a
select * from c1
with q as (select 7 as a) update ignore c1 set b=(select a from q) where a=5
select * from c1
with q as (select a, b from c2), r (x, y) as (select a, sum(b) from q group by a) update c1 join r on c1.a = r.x set c1.b = r.y
select * from c1
with recursive n (i) as (select 1 union all select i+1 from n where i < 4) delete from c2 where a in (select i from n where i > 2)
select * from c2
with q as (select max(a) m from c1) delete from c1 where a = (select m from q) order by a limit 1
select * from c1
with q as (select 1 as a) update c1 set b = b + 1 order by a desc limit 1
select * from c1
with q as (select 'update' as `delete`) select * from q
with q as (select 1) values row(1)
with update_q as (select 5 a) select a from update_q
with q as (select 1 a) delete q from c1 join q on c1.a=q.a
with q as (select 1 a) delete from q
with q as (select 1 a) update q set a = 1
prepare p from 'with q as (select ? as a) update c1 set b = ? where a in (select a from q)'
set @x=3,@y=77
execute p using @x,@y
execute p using @y,@x
select * from c1
insert into c1 with q as (select 20 as a) select a, a from q
select * from c1
