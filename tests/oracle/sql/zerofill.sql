# A number with ZEROFILL is its text with the zeros in front, where a text is wanted of the column
# judges: mysql
# MySQL warns of the words themselves
~create table z(id int primary key, z int(4) zerofill, b bigint(10) unsigned zerofill, d decimal(8,2) zerofill, f float(8,2) zerofill, g double zerofill, y year)
insert into z values (1,12,345,1.5,2.25,7,2001),(2,null,null,null,null,null,null),(3,123456,0,0,0,1e20,1999)
select concat(z),concat(b),concat(d),concat(f),concat(g) from z order by id
select length(z),length(b),length(d),length(f),length(g) from z order by id
select char_length(z), hex(z), hex(concat(z)), upper(z), reverse(z), left(z,2), substr(z,2), lpad(z,6,'x'), ascii(z), to_base64(z), quote(z), crc32(z)=crc32("0012") from z order by id
select z like '0%', z like '1%', z rlike '^0', regexp_replace(z,'0','x') from z order by id
select group_concat(z order by id), group_concat(z,'a'), group_concat(distinct z order by z) from z
select z='12', z='0012', z in ('0012','x'), z between '0' and '0012', z<'2', z=0012, strcmp(z,'0012'), z<=>'0012' from z order by id
select coalesce(z,'x'), ifnull(z,'x'), if(1,z,'x'), case when 1 then z else 'x' end, coalesce(z,1), ifnull(z,1), if(1,z,1), nullif(z,0), nullif(z,'x'), greatest(z,'1'), greatest(z,5), least(z,'1'), elt(1,z,'x'), elt(1,z), concat_ws(',',z,b), field('0012',z), find_in_set('0012',z), make_set(1,z), export_set(5,z,'0'), insert(z,1,1,'x'), replace(z,'0','o'), trim(leading '0' from z), repeat(z,2), format(z,2), char(z), bin(z), oct(z), conv(z,10,16), conv(z,8,10) from z order by id
select z, z+0, -z, sum(z), avg(z), any_value(z), count(z) from z group by z order by z
select max(z), min(z), concat(max(z)), concat(min(z)), any_value(z) from z
select concat(max(z)) from z where id=1
select z from z union select 'x' order by 1
select z from z union select 1 order by 1
select z from z union all select z from z order by 1
select z from (select z from z union select z from z) t order by 1
select concat(z) from (select z from z) t order by 1
select concat(z) from (select z from z limit 5) t order by 1
select concat(z) from (select distinct z from z) t order by 1
select concat(z) from (select max(z) z from z) t order by 1
select concat(z) from (select z from z union select z from z) t order by 1
select concat((select z from z where id=1)), (select z from z where id=1)
select concat(z1.z, z2.z) from z z1 join z z2 using (id) order by id
with c as (select z from z) select concat(z), c.z from c order by 1
select distinct concat(z) from z order by 1
select concat(z) x, count(*) from z group by x order by x
select concat(z), count(*) from z group by z with rollup
select json_array(z,b,d), json_object('a',z), json_arrayagg(z), json_quote(concat(z)) from z group by z,b,d order by z
create table v (id int primary key, a varchar(20))
insert into v select id, z from z
select * from v order by id
update v join z on z.id = v.id set v.a = concat(z.z)
select * from v order by id
alter table z add s varchar(20)
update z set s=z
select s from z order by id
insert into z(id,z,s) values (9,7,z) on duplicate key update s=z
select s from z where id=9
~insert into z(id,z) values (9,8) on duplicate key update s=values(z)
select s from z where id=9
alter table z modify z varchar(10)
select z from z order by id
~create table gz(a int(5) zerofill, g varchar(20) as (concat(a)), h varchar(20) as (concat(a)) stored, c int, check (length(a) = 5))
insert into gz(a) values (3)
select * from gz
select * from gz where concat(a)='00003'
select * from gz where g='00003'
create view vz as select a, concat(a) c from gz
select concat(a), c from vz
select lag(a) over (order by a), concat(lag(a) over (order by a)), concat(first_value(a) over (order by a)), concat(sum(a) over ()) from gz
select a,a+1 from gz group by a having concat(a)='00003'
select * from gz order by concat(a)
