# judges: mysql
# modes that name others, flags of the optimizer, names that the server gives, what definitions note, frames that end first
set sql_mode = 'ansi'
select @@sql_mode
set sql_mode = 'traditional'
select @@sql_mode
set sql_mode = 'time_truncate_fractional,no_dir_in_create,high_not_precedence,no_backslash_escapes'
select @@sql_mode
set sql_mode = 'MYSQL40'
set sql_mode = 'NO_KEY_OPTIONS'
set sql_mode = default
select @@optimizer_switch
set optimizer_switch = 'index_merge=off,mrr=off'
select @@optimizer_switch
set optimizer_switch = 'mrr=on,no_such_flag=on,index_merge=on'
set optimizer_switch = 'mrr=perhaps'
select @@optimizer_switch
set optimizer_switch = 'mrr=default'
select @@optimizer_switch
set optimizer_switch = 'default'
select @@optimizer_switch
select charset(user()), charset(current_user()), charset(version()), charset(database()), charset(current_role()), charset(uuid()), charset(charset('a')), collation(collation('a'))
select coercibility(user()), coercibility(version()), coercibility(charset('a')), concat(user(), 'é') like '%é'
create table names as select user() u, version() v, database() d, charset('a') c, collation('a') o
select column_name, character_set_name, collation_name from information_schema.columns where table_name = 'names' order by ordinal_position
select 'a' = 'A' collate 'utf8mb4_bin', 'a' = 'A' collate "utf8mb4_general_ci", 'a' collate 'utf8mb4_nothing'
create view quoted as select 'a' = 'A' collate 'utf8mb4_bin' as s
select view_definition like '%collate utf8mb4_bin%' from information_schema.views where table_name = 'quoted'
select N'abc', N' b', length(N'abc')
select {date '1997-10-20'}, {whatever 1+1}, {fn length('abc')}
create table doubled (a enum('x','x'))
create table doubled (a set('x','X'))
set sql_mode = ''
create table doubled (a enum('x','x'), b set('y','Y'))
show warnings
alter table doubled modify a enum('z','q','z')
show warnings
set sql_mode = default
create table keyless (a int not null, key aa(a), b char(10) not null, unique key bb(b(1)), c char(4) not null, unique key cc(c))
desc keyless
alter table keyless disable keys
show warnings
alter table keyless enable keys
show warnings
create table typed (a int) type = innodb
alter table no_such_table check partition p1
alter table no_such_table analyze partition all
create table parted (a int) partition by hash (a) partitions 2
alter table parted check partition all for upgrade
create table tiny (a tinyint auto_increment primary key)
set auto_increment_increment = 1000, auto_increment_offset = 700
insert into tiny values (null)
select * from tiny
set auto_increment_increment = default, auto_increment_offset = default
select sec_to_time(3020399.99999), sec_to_time(-3020399.999999), sec_to_time(3020399.9999999), sec_to_time(3020400)
show warnings
create table w (a int, b int)
insert into w values (1,1),(2,2),(3,3)
select sum(b) over (order by a rows between 0 following and 0 preceding) from w
select sum(b) over (order by a rows between 1 following and current row) from w
select sum(b) over (order by a rows between current row and 1 preceding) from w
select sum(b) over (order by a rows between 2 preceding and 3 preceding) s from w order by a
select sum(b) over (order by a rows between 3 following and 2 following) s from w order by a
show variables like 'histogram%'
