# judges: mysql
# Texts beside a column of YEAR in strict writes: one that begins with a digit is a year, another is refused
# where it stands alone
create table yy (id int primary key, y year, n int)
delete from yy where y = 'x'
delete from yy where y = '2024x'
delete from yy where y <> '1999-12-31'
delete from yy where y = '1999-12-31'
delete from yy where y > '1999-12-31'
delete from yy where y in ('x')
delete from yy where y in ('1999-12-31')
delete from yy where y in ('1999-12-31','2024')
delete from yy where y in ('x','2024')
delete from yy where y between '1999-12-31' and '2038-01-01'
insert into yy (id,y,n) values (1,2000,1)
delete from yy where y = 'x'
delete from yy where y <> 'x' and id = 3
delete from yy where y = '1999-12-31'
delete from yy where y in ('1999-12-31','2024')
delete from yy where y in ('x','2024')
delete from yy where y in ('x')
delete from yy where y between '1999-12-31' and '1999-12-31'
update yy set id = 5 where y <> '1999-12-31'
select * from yy
create table pk (a int, b int, c timestamp(2) not null, primary key (a, c))
# NULL within a primary key
alter table pk modify a int null
alter table pk modify a int
alter table pk modify c timestamp(2) null
alter table pk change a aa int null
alter table pk drop primary key, modify a int null
# A day that is never NULL, and nothing
create table zz (id int primary key, e datetime not null)
set sql_mode = ''
insert into zz values (1,'0000-00-00')
select id from zz where not (e is not null)
select id from zz where e is null
select id from zz where not (e is null)
