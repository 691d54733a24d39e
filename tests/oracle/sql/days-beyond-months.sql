# judges: mysql
# ALLOW_INVALID_DATES: days that their months have not
set sql_mode='ALLOW_INVALID_DATES'
select @@sql_mode
create table d (id int primary key auto_increment, a date, b datetime, c timestamp null, t time, key(a))
select id,a,b from d
select id,c,t from d where id>4
select id from d where a='2004-02-31'
select id from d where a>'2004-02-29' order by id
select date('2004-02-31'), cast('2004-04-31' as date), cast('2004-04-31 10:00:00' as datetime), date'2004-02-31', day('2004-02-31'), month('2004-02-31')
select min(a), max(a) from d where id<3
update d set a='2005-02-30' where id=1
set sql_mode=default
select id,a,b from d where id<3
select a + interval 1 day from d where id=1
select a,b from d where id=101
select json_object('a', date'2004-02-31'), concat(date'2004-02-31','x'), date'2004-02-31'+0, cast(date'2004-02-31' as unsigned)
set sql_mode=default
