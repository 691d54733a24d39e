# judges: mysql
# What a TEXT or BLOB column begins with is its number, and a strict write does not mind the rest; of all
# other texts it does
create table b1 (id int primary key, c varchar(10), d char(5), e text, f tinytext, g longtext, h varbinary(5), i blob, j enum('a','b'), k set('a','b'))
insert into b1 values (1,'a','a','a','a','a','a','a','a','a')
create table b2 (x int)
insert into b2 select 1 from b1 where c = 4
insert into b2 select 1 from b1 where d = 4
insert into b2 select 1 from b1 where e = 4
insert into b2 select 1 from b1 where f = 4
insert into b2 select 1 from b1 where g = 4
insert into b2 select 1 from b1 where h = 4
insert into b2 select 1 from b1 where i = 4
insert into b2 select 1 from b1 where j = 4
insert into b2 select 1 from b1 where k = 4
insert into b2 select 1 from b1 where e + 1 = 4
insert into b2 select e + 1 from b1
insert into b2 select i + 1 from b1
insert into b2 select c + 1 from b1
insert into b2 select sum(e) from b1
insert into b2 select sum(c) from b1
insert into b2 select abs(e) from b1
insert into b2 select round(e) from b1
insert into b2 select floor(e) from b1
insert into b2 select e * 2.5 from b1
insert into b2 select e % 2 from b1
insert into b2 select -e from b1
insert into b2 select e | 1 from b1
insert into b2 select 1 from b1 where e
insert into b2 select 1 from b1 where not e
insert into b2 select 1 from b1 where c
insert into b2 select e and 1 from b1
insert into b2 select if(e,1,2) from b1
insert into b2 select if(c,1,2) from b1
insert into b2 select 1 from b1 where e in (1,2)
insert into b2 select 1 from b1 where c in (1,2)
insert into b2 select 1 from b1 where e between 1 and 2
insert into b2 select cast(e as signed) from b1
insert into b2 select cast(e as double) from b1
insert into b2 select cast(c as signed) from b1
insert into b2 select concat(e,'') + 1 from b1
insert into b2 select left(e,1) + 1 from b1
insert into b2 select sleep(e) from b1
insert into b2 select substr('abc',e) from b1
insert into b2 select left('abc',e) from b1
insert into b2 select left('abc',c) from b1
insert into b2 select sqrt(e) from b1
insert into b2 select greatest(e,1) from b1
insert into b2 select least(c,1) from b1
insert into b2 select case e when 1 then 2 else 3 end from b1
insert into b2 select case c when 1 then 2 else 3 end from b1
insert into b2 select coalesce(e,1)+0 from b1
insert into b2 select e from b1
insert into b2 select avg(e) from b1
insert into b2 select std(e) from b1
insert into b2 select bit_or(e) from b1
insert into b2 select 1 from b1 x join b1 y on x.e = y.id
insert into b2 select 1 from b1 order by e+0
update b1 set id=2 where e=7
update b1 set id=2 where id=1 and e=7
delete from b1 where f=7
update b1 set id=id+e
update b1 set c=e+1
select * from b1
select x from b2 order by x
