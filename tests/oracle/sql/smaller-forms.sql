# judges: mysql
# INTERVAL as a function beside operators, literals of bits in definitions, columns of partitions named twice,
# groups by aggregates of sub-queries, LOCK TABLES whose last table is dropped
create table lc (a int, b int) partition by list columns(a,a) (partition p values in ((1,1)))
create table lc (a int, b int) partition by key(a,b,a)
create table t (a int)
insert into t values (1),(2),(2)
select a, (select sum(a)) s from t group by a, s
select (select sum(t.a)) s from t group by s
select (select max(a) from t) s, count(*) from t group by s
select a, (select count(*) from t x where x.a = t.a) s from t group by a, s
select interval(a,1) <= 5 from t
select a from t where interval(a,1) = 1 order by a
select count(*) from t group by interval(a,2) having count(*) <= 5
select interval(a,1,2), interval(2,1,2,3) + 1, interval(1,null), date'2020-01-01' + interval (1) day, date'2020-01-01' + interval (1+1) day, date'2020-01-01' + interval (1) + 1 day, interval 1 day + date'2020-01-01', '2020-01-01' + interval 2 * 3 day from t
create view bv as select 0b101 as a, 0b11 + 1 as b
select * from bv
create table bt2 (a int default 0b11, c bit(3) default 0b101)
insert into bt2 values ()
select a, c+0 from bt2
select 0b101 + 0, hex(0b1111), 0b2, 0b from t
select 0b101 + 0 a, hex(0b1111) b
select a 0b from t limit 1
create table self (pk int primary key)
lock tables self write
drop table self
create table self (pk int primary key)
insert into self values (1)
create table self2 (pk int primary key)
lock tables self write, self2 read
drop table self
create table self (pk int primary key)
select * from self2
unlock tables
