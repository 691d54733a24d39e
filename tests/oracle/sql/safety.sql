# judges: mysql
# What keeps a statement from writing: sql_safe_updates, LOCK TABLES, sql_require_primary_key; forms of DELETE
create table s1 (a int, b int)
create table s2 (a int primary key, b int)
insert into s1 values (1,1),(2,2)
insert into s2 values (1,1),(2,2)
set sql_safe_updates=1
delete s1 from s1 join s2 on s1.a=s2.a
delete s2 from s1 join s2 on s1.a=s2.a
delete s1,s2 from s1 join s2 on s1.a=s2.a
update s1 join s2 on s1.a=s2.a set s1.b=1
update s2 set b=5 where a in (select a from s1)
delete from s2 where exists (select 1 from s1 where s1.a=s2.a)
delete from s2 where a in (select b from s1 where a=77)
set sql_safe_updates=0
create table p1 (a int primary key)
create table ch(a int, foreign key(a) references p1(a))
insert into p1 values(1),(2)
insert into ch values(1)
delete ignore p1 from p1
select * from p1
insert into p1 values (2)
select * from p1
select * from p1
create table t1 (a int)
insert into t1 values(1),(2),(3)
delete from (select * from t1) as t1, t1 as t2
delete from t1 join s1
delete from t1 as x where x.a=3
delete from t1 join s1 on t1.a=s1.a where s1.a=1
select * from t1
select * from t1 group by 1
select t1.*, 1 from t1 group by 1
select 5, t1.* from t1 group by 2
select * from s2 group by 2,1 order by 1
select * from t1 group by 3
select count(*), s2.* from s2 group by 2, 3
lock tables s1 read
drop table s1
create table l2 (j int)
create table l3 like s1
create table l5 select * from s1
truncate s2
alter table p1 add z int
rename table p1 to p9
create index i on s2(b)
drop table if exists zzz
drop view if exists vx
create view vx as select 1
create temporary table ltmp (a int)
alter table s1 add y int
unlock tables
lock tables s1 write
drop table s2
alter table s1 add y int
truncate s1
drop table s1
unlock tables
set sql_require_primary_key=1
create table tq (a int)
create table tq2 (a int primary key)
create table tq3 like t1
create table tq4 as select 1 a
create temporary table tq5 (a int)
set sql_require_primary_key=0
