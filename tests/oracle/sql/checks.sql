# CHECK: their order is that of their names, NOT ENFORCED, names within a database, DROP CONSTRAINT
# judges: mysql
create table t(a int, b int, constraint z check (a > 0), constraint b check (b > 0), constraint m check (a < b))
insert into t values (-1,-2)
insert into t values (-1,1)
insert into t values (5,1)
insert into t values (0,-1),(1,1)
insert ignore into t values (-1,-2),(5,1),(1,2)
select * from t
select constraint_name, constraint_type, enforced from information_schema.table_constraints where constraint_schema = database() and table_name = 't' order by 1, 2
create table t2(a int check (a>0), b int, check (b>0), check (a>b), constraint t2_chk_9 check (a<9))
insert into t2 values (-1,-1)
insert into t2 values (10,-1)
insert into t2 values (-1,1)
select constraint_name, constraint_type, enforced from information_schema.table_constraints where constraint_schema = database() and table_name = 't2' order by 1, 2
alter table t2 add check (b<100), add constraint aa check (b<50)
select constraint_name, constraint_type, enforced from information_schema.table_constraints where constraint_schema = database() and table_name = 't2' order by 1, 2
insert into t2 values (-1,200)
insert into t2 values (1,200)
create table n(a int, constraint c1 check (a>0) not enforced, constraint c2 check (a<10), check (a<>5) not enforced, b int check (b>0) not enforced, d int constraint dd check (d>1) enforced)
select constraint_name, constraint_type, enforced from information_schema.table_constraints where constraint_schema = database() and table_name = 'n' order by 1, 2
insert into n values (-1,1,2)
insert into n values (5,-1,2)
insert into n values (11,1,2)
insert into n values (1,1,1)
select constraint_name, table_name, constraint_type, enforced from information_schema.table_constraints where constraint_schema=database() order by 2,1
alter table n alter check c2 not enforced
select constraint_name, constraint_type, enforced from information_schema.table_constraints where constraint_schema = database() and table_name = 'n' order by 1, 2
insert into n values (11,1,2)
alter table n alter check c2 enforced
alter table n alter check c1 enforced
delete from n where a=11
alter table n alter check c2 enforced
alter table n alter constraint c2 not enforced, alter constraint dd not enforced
select constraint_name, constraint_type, enforced from information_schema.table_constraints where constraint_schema = database() and table_name = 'n' order by 1, 2
alter table n alter check nope enforced
alter table n alter constraint nope enforced
alter table n drop check nope
alter table n drop constraint nope
alter table n drop constraint c1
alter table n drop check c2
select constraint_name, constraint_type, enforced from information_schema.table_constraints where constraint_schema = database() and table_name = 'n' order by 1, 2
create table u(a int, constraint z check (a>1))
create table u(a int, constraint c1 check (a>1), constraint c1 check (a>2))
create table u(a int, constraint uu check (a>1))
alter table u add constraint uu check (a<5)
alter table u add constraint UU check (a<5)
alter table u add constraint z check (a<5)
alter table u add constraint Z check (a<5)
alter table u drop check uu, add constraint uu check (a<5)
select constraint_name, constraint_type, enforced from information_schema.table_constraints where constraint_schema = database() and table_name = 'u' order by 1, 2
alter table u add constraint x1 unique (a)
alter table u drop constraint x1
select constraint_name, constraint_type, enforced from information_schema.table_constraints where constraint_schema = database() and table_name = 'u' order by 1, 2
alter table u add constraint primary key (a)
alter table u drop constraint `primary`
select constraint_name, constraint_type, enforced from information_schema.table_constraints where constraint_schema = database() and table_name = 'u' order by 1, 2
create table p(id int primary key)
create table f(a int, constraint fk foreign key (a) references p(id), constraint fkc check (a>0), constraint au unique (a))
alter table f drop constraint fk
alter table f drop constraint fkc
alter table f drop constraint au
select constraint_name, constraint_type, enforced from information_schema.table_constraints where constraint_schema = database() and table_name = 'f' order by 1, 2
create table g(a int, constraint s check (a>0), constraint s unique (a))
select constraint_name, constraint_type, enforced from information_schema.table_constraints where constraint_schema = database() and table_name = 'g' order by 1, 2
alter table g drop constraint s
alter table g drop check s
alter table g drop constraint s
select constraint_name, constraint_type, enforced from information_schema.table_constraints where constraint_schema = database() and table_name = 'g' order by 1, 2
create table like_t like t
select constraint_name, constraint_type, enforced from information_schema.table_constraints where constraint_schema = database() and table_name = 'like_t' order by 1, 2
rename table u to u2
select constraint_name, constraint_type, enforced from information_schema.table_constraints where constraint_schema = database() and table_name = 'u2' order by 1, 2
create table u3(a int check (a>1))
rename table u3 to u4
select constraint_name, constraint_type, enforced from information_schema.table_constraints where constraint_schema = database() and table_name = 'u4' order by 1, 2
create table u3(a int check (a>1))
select constraint_name, constraint_type, enforced from information_schema.table_constraints where constraint_schema = database() and table_name = 'u3' order by 1, 2
alter table u4 rename to u5, add check (a<7)
create table e(a int check (a>0) enforced, b int, check (b>0) enforced)
select constraint_name, constraint_type, enforced from information_schema.table_constraints where constraint_schema = database() and table_name = 'e' order by 1, 2
create table e2(a int not enforced)
create table e3(a int, check (a>0) not enforced not enforced)
drop table t
create table h(a int, constraint z check (a>2))
alter table h modify a int check (a>3), add b int check (b>1) not enforced
alter table h add constraint nn check (a>0) not enforced
insert into h values (0,1)
alter table h drop column b
alter table h drop check nn
update h set b=1
set sql_mode=''
insert into h values (1,-1)
replace into h values (1,-1)
insert into h select 1,-1
