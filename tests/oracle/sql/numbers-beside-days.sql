# judges: mysql
# Numbers that say no day or time beside columns of these: a strict write is refused, whether or not it
# meets a row
create table n6 (id int primary key, t timestamp null, d date, e datetime(3), m time, y year, key(d))
update n6 set id=1 where d > 0
update n6 set id=1 where d = 0
update n6 set id=1 where e > 0
update n6 set id=1 where t <> 0
update n6 set id=1 where d > 20240101
update n6 set id=1 where d > 20240101000000
update n6 set id=1 where d > 20241301
update n6 set id=1 where e > 20240101
update n6 set id=1 where e > 20240101.5
update n6 set id=1 where e > 20240101e0
update n6 set id=1 where e > 240101
update n6 set id=1 where e > 101
update n6 set id=1 where e > 100
update n6 set id=1 where e > 99
update n6 set id=1 where e > -1
update n6 set id=1 where e > 1.5
update n6 set id=1 where e > 1e0
update n6 set id=1 where e > 20240000
update n6 set id=1 where e > 20240230
update n6 set id=1 where e > true
update n6 set id=1 where e > false
update n6 set id=1 where m > 1
update n6 set id=1 where m > 99
update n6 set id=1 where m > 8400000
update n6 set id=1 where m > -5
update n6 set id=1 where m = 1.5
update n6 set id=1 where e in (1)
update n6 set id=1 where e in (1,2)
update n6 set id=1 where e not in (1,20240101)
update n6 set id=1 where nullif(e,1)
update n6 set id=1 where e <=> 1
update n6 set id=1 where coalesce(e,1) = 1
update n6 set id=1 where e + 0 = 1
update n6 set id=1 where e = 1 or id = 3
update n6 set id=1 where case e when 1 then 2 end
update n6 set id=e > 1
update n6 set id=if(e = 1, 2, 3)
update n6 set id=1 where e > @a
set @a = 1
update n6 set id=1 where e > @a
update n6 set id=1 where e > 1 + 0
update n6 set id=1 where y > 1
update n6 set id=1 where d > cast(1 as decimal)
update n6 set id=1 where exists (select 1 from n6 x where x.e = 1)
delete from n6 where e > 1 order by e limit 1
insert into n6 (id) select id from n6 where e < 1
insert into n6 (id) select id from n6 where e < 1 group by id
insert into n6 (id) select id from n6 group by id,e having e < 1
insert into n6 (id) select a.id from n6 a join n6 b on a.e = 1
update n6 a join n6 b on a.e = 1 set a.id = 2
insert into n6 (id,e) values (1,'2020-01-01')
select id from n6 where d = 3
select id from n6 where d > 3
select id from n6 where e = 99
select id from n6 where m > 99 order by id limit 3
