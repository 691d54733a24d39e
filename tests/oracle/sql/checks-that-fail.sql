# judges: mysql
# A condition of a CHECK that cannot be asked of a row does not hold; outside of strict mode it is asked
# leniently, with warnings
create table c1 (id int primary key, a int, check (1/a > 0))
insert into c1 values (1,0)
insert ignore into c1 values (1,0)
create table c2 (id int primary key, a bigint, check (a + 1 > 0))
insert into c2 values (1,9223372036854775807)
insert ignore into c2 values (1,9223372036854775807)
create table c3 (id int primary key, a varchar(20), check (json_extract(a,'$.x') > 0))
insert into c3 values (1,'{')
insert ignore into c3 values (1,'{')
create table c4 (id int primary key, a varchar(20), check (a > date'2020-01-01'))
insert into c4 values (1,'x')
create table c5 (id int primary key, a varchar(20), check (cast(a as signed) > 3))
insert into c5 values (1,'x')
insert into c5 values (2,'5x')
insert ignore into c5 values (3,'5x')
create table c6 (id int primary key, a varchar(20), check (a + 0 > 3))
insert into c6 values (1,'x')
insert into c6 values (2,'5x')
insert ignore into c6 values (3,'5x')
set sql_mode=''
insert into c6 values (4,'5x')
insert into c6 values (5,'x')
update c6 set a='7y' where id=4
set sql_mode=default
update c6 set a='7z' where id=4
create table c7 (id int primary key, a varchar(20), check (a <> 7))
insert into c7 values (1,'9x')
insert into c7 values (2,'7x')
insert into c7 values (3,'9') on duplicate key update a='x'
insert into c7 values (3,'9') on duplicate key update a='x'
replace into c7 values (3,'x')
select * from c1
select * from c2
select * from c4
select * from c5
select * from c6
select * from c7
alter table c7 add check (a > 100)
create table c8 (id int primary key, a varchar(20))
insert into c8 values (1,'x')
alter table c8 add check (a <> 7)
create table c9 as select * from c8
