# Temporary tables: making, hiding, changing, dropping them, and what is refused.
# judges: mysql
# Marked lines differ as they do for other tables: what SHOW says of collations, column names of
# information_schema, insert ids of given values, 1406 for 1265, 1110 for 1060, names of checks. A READ ONLY
# transaction makes temporary tables here and in MariaDB (decision 0111).
create database if not exists oracle_temporary
use oracle_temporary
drop table if exists t, u, v
create table t (a int primary key, b varchar(20))
insert into t values (1, 'base'), (2, 'base')
create temporary table t (a int primary key auto_increment, c varchar(20), key c (c))
insert into t (c) values ('own'), ('other')
select * from t order by a
~show create table t
~show columns from t
show tables
~select table_name from information_schema.tables where table_schema = 'oracle_temporary'
create temporary table t (a int)
create temporary table if not exists t (a int)
show warnings
insert into t (c) values ('more'), ('own')
select c, count(*) from t group by c order by c
update t set c = 'changed' where a = 2
delete from t where c = 'own' and a > 1
replace into t values (1, 'replaced')
select * from t order by a
insert into t values (1, 'again')
insert into t values (1, 'again') on duplicate key update c = concat(c, '+')
select * from t order by a
create temporary table u like t
~show create table u
~insert into u select a + 10, c from t
select t.a, u.a from t join u on u.a = t.a + 10 order by t.a
alter table u add column d int not null default 7, drop key c, add unique key cc (c)
select * from u order by a
~show create table u
alter table u rename to w
select count(*) from w
select count(*) from u
~alter table w modify c varchar(2)
alter table w modify c text, drop column d
select * from w order by a
create index c on w (c(3))
show index from w
truncate table w
select count(*) from w
drop temporary table w
drop temporary table w
drop temporary table if exists w
show warnings
drop table t
select * from t order by a
drop temporary table t
begin
insert into t values (3, 'in')
create temporary table u (a int primary key, b int)
insert into u values (1, 1), (2, 2)
savepoint s
insert into u values (3, 3)
select count(*) from u
rollback to s
select count(*) from u
drop temporary table if exists nothing_there
rollback
select count(*) from t
select count(*) from u
insert into u values (1, 1)
start transaction read only
insert into u values (2, 2)
~create temporary table x (a int)
~insert into x values (1)
update u set b = b + 1
insert into t values (9, 'no')
commit
select * from u order by a
~drop table if exists x
create temporary table x as select a, b from t where a < 3
select * from x order by a
~show create table x
~create temporary table y (id int auto_increment primary key) select b from t
select * from y order by id
create view v as select * from x
create view v as select * from t
create temporary table t (z int)
insert into t values (42)
select * from v order by a
select * from t
drop table t
create temporary table v (z int)
select * from v
drop view v
select * from v
drop temporary table v
select * from v
prepare s from 'select count(*) from t'
execute s
create temporary table t (z int)
execute s
drop temporary table t
execute s
deallocate prepare s
~create temporary table dup as select 1 as a, 2 as a
select * from dup
create temporary table p (a int, b int, primary key (a), check (b > 0))
~insert into p values (1, 0)
insert into p values (1, 1), (1, 2)
select count(*) from p
drop table p, t, y, u, x
show tables
drop database oracle_temporary
