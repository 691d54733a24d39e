# judges: mysql
# Definitions that were let pass: lengths of keys and rows, defaults, names that are needed, names twice
create table big (v varchar(769) primary key)
create table big (v varchar(768) primary key)
create table big4 (v varchar(700), w varchar(700), key (v, w))
create table big5 (v text, key (v(1000)))
create table big6 (v blob, key (v(3072)))
create table big7 (v blob, key (v(3073)))
# MySQL warns of utf8mb3
~ create table big9 (v varchar(1000) charset utf8mb3, key (v))
create table bigA (v varchar(3072) charset latin1, w int, key (v, w))
create table bigB (v varchar(3068) charset latin1, w int, key (v, w))
alter table bigB modify v varchar(3069) charset latin1
create table bigC (v varchar(2000))
alter table bigC add key (v)
create index kk on bigC (v(800))
create index kk on bigC (v(768))
create table v1 (v varchar(65535) character set latin1)
create table v2 (v varchar(65532) character set latin1)
create table v2b (v varchar(65533) character set latin1 not null)
create table v2c (v varchar(65533) character set latin1)
create table v3 (v varchar(16383), w varchar(10))
create table v5 (v varbinary(65520), w text, x int)
create table v5b (v varbinary(65520), w text, x smallint)
alter table v5b add y int
alter table v5b modify x int
create table vd (v varbinary(65503), x datetime(6), y timestamp(3), z date, t time(2), yy year, e enum('a'), s set('a'), b bit(9), c char(1))
create table vc (v varbinary(65501), x datetime(6), y timestamp(3), z date, t time(2), yy year, e enum('a'), s set('a'), b bit(9), c char(1))
# Defaults
create table t4 (a int default (b), b int default (1))
create table t4 (a int default (b), b int as (c), c int)
create table t4 (a int default (a + 1))
create table t4 (a int default (b), b int)
create table t91 (id int primary key auto_increment, f json default (json_object('k', id)))
create table t92 (a int default (last_insert_id()))
create table t92 (a varchar(20) default (version()))
create table t92 (a int default (is_free_lock('a')))
create table t92 (a int default (sleep(1)))
create table t92 (a int default (@x))
create table t92 (a int default (@@max_connections))
create table t92 (a int default ((select 1)))
create table t92 (a varchar(100) default (user()), b double default (rand()))
create table dt1 (d datetime default timestamp'2019-10-01 01:02:03')
create table dt1 (d date default date'2019-10-01')
create table dt1 (d time default (time'01:02:03'))
create table lt (a int default (uuid()) default 4)
create table lt (a int default 4 default (uuid()))
create table lt (a int default 1 default 2, b int default (a) default (a + 1))
alter table lt add e int default (f), add f int default (1)
alter table lt add e int default (f), add f int default (1) first
alter table lt alter a set default (a + 1)
alter table lt modify a int default (b)
insert into lt values ()
select * from lt
create table fa (a float primary key auto_increment)
create table fa (a double primary key auto_increment)
# Columns that something else names, names before the statement
create table tc (f1 int, check (f1 < 10))
alter table tc rename column f1 to f2
alter table tc change f1 f2 int
alter table tc change f1 F1 int
alter table tc drop check tc_chk_1, rename column f1 to f2
create table tg (a int, b int as (a + 1))
alter table tg rename column a to c
alter table tg change a c int
alter table tg drop column a
alter table tg rename column a to c, drop column b
create table td (a int, b int default (a + 1))
alter table td rename column a to c
alter table td drop column a
create table o1 (a int, b int, d int as (b * 2), e int default (b + 1), check (b < a))
alter table o1 drop column b
alter table o1 change b c int
alter table o1 drop column d, drop column b
create table o3 (a int, b int, d int as (b * 2), check (b < 5))
alter table o3 drop column b
alter table o3 drop column d, drop column b
create table ix (a int, b int, c int, key a (a), key b (b))
alter table ix rename index a to x, rename index x to a
alter table ix rename index a to y, alter index y invisible
alter table ix rename column a to x, rename column x to a
alter table ix add column d int, drop column d
alter table ix add column d2 int, modify column d2 bigint
alter table ix rename column a to z, modify z bigint
alter table ix modify nothing int
alter table ix rename column b to zz, add index g (c)
create table gs (a int, b int as (a + 1) stored, c int as (a + 1), d int)
alter table gs modify b int as (a + 1) virtual
alter table gs modify c int as (a + 1) stored
alter table gs modify c int
alter table gs modify d int as (a) virtual
alter table gs modify d int as (a) stored
alter table gs modify b int, modify c int as (a + 2)
alter table gs add x int, algorithm=instant, lock=none
alter table gs add x int, lock=shared, algorithm=instant
alter table gs add x int, algorithm=instant, lock=default
# Names twice
select * from (select 1 as a, 2 as A) foo
with q as (select a, a from t4) select 1 from q
select * from (values row(1, 2)) as d (x, x)
with recursive q (a, a) as (select 1, 2 union all select 1, 1 from q limit 1) select * from q
select (select 1 from (select 1, 1) y)
select * from (select t1.a, t2.a from t4 t1 join t4 t2) x
select * from (select t1.a, t2.b from t4 t1 join t4 t2) x
create table t0 (a int primary key, b int)
insert into t0 values (1, 5), (2, 7) as t0 on duplicate key update b = 1
insert into t0 values (1, 5), (2, 7) as n (a, a) on duplicate key update b = 1
insert into t0 values (1, 5), (2, 7) as n (a) on duplicate key update b = 1
insert into t0 set a = 1, b = 2 as n (x) on duplicate key update b = 1
insert into t0 values (1, 5), (2, 7) as n (x, y) on duplicate key update b = n.x
# Literals of days and times
select date'2001-01-01 00:00:00'
select date'2001-00-00'
select timestamp'2010-01-01'
select timestamp'2001-00-00 00:00:00'
select time'2010-01-01 10:00:00'
select date'20100101', timestamp'20100101101010', timestamp'2010-01-01T10:00:00', timestamp'2010-01-01 10', time'10', time'1 10:10:10'
set sql_mode=''
select date'2001-00-00', timestamp'0000-00-00 00:00:00'
set sql_mode=default
# What divides a table
create table ps (a int) partition by range (a | 20) (partition p values less than (10))
create table ps (a int) partition by hash (a << 20)
create table ps (a int) partition by range (a) (partition `p ` values less than (10))
create table ps (t time) partition by hash (to_days(t))
create table ps (v varchar(20)) partition by range (dayofweek(v)) (partition p values less than (10))
create table ps (d date) partition by hash (hour(d))
create table ps (d int) partition by hash (extract(year from d))
create table ps (d date) partition by hash (datediff(d, '2010-01-01'))
create table ps (d date) partition by hash (year(d)) partitions 2
create table ps2 (d datetime) partition by hash (hour(d) + to_days(d)) partitions 2
create table ps3 (d date) partition by hash (extract(year from d)) partitions 2
# Views
create view vv3 as select distinct a from t0 with check option
create view vv3 as select b, count(*) from t0 group by b with cascaded check option
create view vv3 as select 1 as v with check option
create view vv3 as select a + 1 as w from t0 with check option
create view vv3 as select a, b from t0 where b in (select a from t4) with check option
# Words of lists by their digits, national types
create table e1 (a enum(x'42', 'c'), s set(0x41, 'b'))
insert into e1 values ('B', 'A,b')
select * from e1
~ create table nv (a nchar varchar(10), b nchar varying(10), c national char varying(5))
insert into nv values ('a', 'b', 'c')
select * from nv
create table e2 (a enum(b'1001001', x'42'))
insert into e2 values ('I')
select * from e2
create view vw as select a from t0 where a > 1 with check option
insert into vw values (1)
# What an error shows of an entry
create table dk (v varchar(300) primary key, a varchar(50), b varchar(50), unique (a, b), t text, unique tt (t(2)))
insert into dk values (repeat('a', 200), repeat('b', 50), repeat('c', 50), 'abc')
insert into dk values (repeat('a', 200), 'x', 'y', 'z')
insert into dk values ('1', repeat('b', 50), repeat('c', 50), 'z')
insert into dk values ('1', 'x', 'y', 'abd')
create table dk2 (b bit(8) unique, c bit(10), unique (c), d char(10), unique (d(3)), e binary(5), unique (e(2)))
insert into dk2 values (1, 1, 'abcd', 'abcd')
insert into dk2 (b) values (1)
insert into dk2 (c) values (1)
insert into dk2 (d) values ('abce')
insert into dk2 (e) values ('abxx')
create table dk4 (a varchar(100), unique (a))
insert into dk4 values (repeat('é', 64))
insert into dk4 values (repeat('é', 64))
select 'a' like 'a' escape 1, 'a1%' like 'a1%' escape 1
# Foreign keys between columns that differ in their sign or in words
create table p1 (d double primary key, e enum('a','b') unique, f decimal(6,2) unique)
# MySQL warns of UNSIGNED
~ create table c1 (d double unsigned, e enum('c','d','e'), f decimal(6,2) unsigned, foreign key (d) references p1 (d), foreign key (e) references p1 (e), foreign key (f) references p1 (f))
insert into p1 values (1.5, 'a', 2.25)
insert into c1 values (1.5, 'c', 2.25)
insert into c1 values (2.5, null, null)
insert into c1 values (null, 'd', null)
