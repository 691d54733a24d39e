# judges: mysql
# What was stored wrongly: texts that are none, long literals, days that are zero, numbers of rows that changed others
set sql_mode=''
create table u8 (k int auto_increment primary key, v varchar(10) character set utf8mb4, c char(5), t text, l varchar(10) charset latin1)
insert into u8 (v, c, t) values (0x41FF42, 0x41FF42, 0x41FF42)
insert into u8 (v) values (unhex('41FF42')), (concat(0x41, 0xff)), (0xff), (0x41C3), (0xF09F9880), (0xEDA080)
insert into u8 (l) values (0x41FF42)
insert ignore into u8 (v) values (0x43FF44)
update u8 set c = 0x42FF43 where k = 1
select k, hex(v), hex(c), hex(t), hex(l) from u8 order by k
set sql_mode=default
insert into u8 (v) values (0x41FF42)
insert ignore into u8 (v) values (0x4142FF4344454647)
select hex(v) from u8 order by k desc limit 1
# More digits than a number has
create table h (a bigint unsigned, b bigint, c int, d double, e decimal(30,2), j tinyint unsigned)
insert into h (a) values (0xfffffffffffffffff)
insert into h (c) values (x'41424344454647484950')
insert into h (d) values (0x0000000000000000000005)
insert ignore into h values (0xfffffffffffffffff, 0xfffffffffffffffff, 0xfffffffffffffffff, 0xfffffffffffffffff, 0xfffffffffffffffff, 0xfffffffffffffffff)
select * from h
select 0xfffffffffffffffff + 0, 0x0000000000000000000005 + 0, 0xfffffffffffffffff * 2, 0xfffffffffffffffff & 15, cast(0xfffffffffffffffff as unsigned), 0xffffffffffffffff + 0
# Days that the mode refuses, as defaults
set sql_mode=''
create table dd (a date not null default '0000-00-00', b datetime default '0000-00-00 00:00:00', c timestamp default '0000-00-00 00:00:00', d date default '2012-00-01', x int)
set sql_mode=default
insert into dd values ()
insert into dd (a, b, c, d) values ('2001-01-01', default, '2001-01-01', '2001-01-01')
insert into dd (a, b, c) values ('2001-01-01', '2001-01-01', '2001-01-01')
insert into dd (a, b, c, d) values ('2001-01-01', '2001-01-01', '2001-01-01', '2001-01-01')
update dd set a = default
replace into dd values ()
insert ignore into dd values ()
select * from dd order by a
alter table dd add y int
alter table dd add index (x)
create table dd3 like dd
alter table dd rename to dd2
alter table dd2 modify a date, modify b datetime, modify c timestamp, modify d date
alter table dd2 add y int
create table dz (c1 datetime default '2012-02-00 12:12:12')
create table dz (c1 date default 0)
# MySQL warns of the mode and of the defaults
~ set sql_mode='NO_ZERO_DATE'
~ create table t9b (c1 datetime default 0, c2 date default '0000-00-00')
insert into t9b values ()
select * from t9b
set sql_mode=default
# The number of a row that becomes the change of another, or is passed over, is the next row's
create table ai (id int auto_increment primary key, c1 char(1) unique, cnt int default 1)
insert into ai (c1) values ('A'), ('B'), ('C')
insert into ai (c1) values ('A'), ('X'), ('Y'), ('Z') on duplicate key update cnt = cnt + 1
select * from ai order by id
select last_insert_id()
insert ignore into ai (c1) values ('A'), ('R'), ('B'), ('S')
select * from ai order by id
select last_insert_id()
insert into ai (c1) values ('T')
insert into ai (c1) values ('A'), ('B') on duplicate key update cnt = cnt + 1
insert into ai (c1) values ('U'), ('A'), ('V') on duplicate key update id = last_insert_id(id)
insert into ai (id, c1) values (null, 'A'), (0, 'W'), (null, '1') on duplicate key update cnt = cnt + 1
insert into ai (c1) values ('A') on duplicate key update cnt = cnt + 1
insert into ai (c1) values ('9')
select * from ai order by id
delete from (select * from ai) as t1, ai as t2
# A view that does not show the number
create table va1 (id int auto_increment primary key, v int)
insert into va1 (v) values (5)
create view vv1 as select v from va1
create view vv2 as select id, v from va1
select last_insert_id()
insert into vv1 values (7)
insert into vv1 select 9
select last_insert_id()
insert into vv2 (v) values (8)
select last_insert_id()
select * from va1 order by id
