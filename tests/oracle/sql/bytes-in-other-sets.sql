# judges: mysql
# Literals of bytes on connections of other character sets; units of time in definitions
create table u (k int, v varbinary(100), w varchar(100), b blob, key(v), key(w))
set names latin1
insert into u values (1,0xe1e2e3e4e5e6e7e8e9,x'c3a9c3a9c3a9c3a9c3a9',0xe1e2e3e4e5e6e7e8e9), (2, x'e1', x'e9', b'11100001')
select k,hex(v),hex(w),hex(b) from u
select k from u where v=0xe1e2e3e4e5e6e7e8e9
select k from u where v in (0xe1e2e3e4e5e6e7e8e9, 0xe1)
select k from u where w=x'c3a9c3a9c3a9c3a9c3a9'
select hex(concat(0xe1e2e3e4e5e6e7e8e9,'a')), hex(cast(0xe1e2e3e4e5e6e7e8e9 as binary)), hex(_binary 0xe1e2e3e4e5e6e7e8e9), length(0xe1e2e3e4e5e6e7e8e9), hex(_latin1 0xe1e2e3e4e5e6e7e8e9), collation(0xe1e2e3e4e5e6e7e8e9), charset(_latin1 0xe1e2e3e4e5e6e7e8e9)
select 0xe1e2e3e4e5e6e7e8e9
update u set v=0xe1e2e3e4e5e6e7e8e9e0 where k=2
select hex(v) from u
insert into u select 3, 0xe1e2e3e4e5e6e7e8e9, x'c3a9c3a9c3a9c3a9c3a9', 0xe1e2e3e4e5e6e7e8e9
select k,hex(v),hex(w),hex(b) from u where k=3
delete from u where v=0xe1e2e3e4e5e6e7e8e9
select k from u
set names utf8mb4
insert into u values (1,0xe1e2e3e4e5e6e7e8e9,x'c3a9c3a9c3a9c3a9c3a9',0xe1e2e3e4e5e6e7e8e9)
insert into u values (4,0xe1e2e3e4e5e6e7e8e9,x'e1e2e3e4e5e6e7e8e9',1)
select k,hex(v),hex(w),hex(b) from u
select if(1,0x313233343536373839,1), coalesce(null,0x313233343536373839), case 1 when 1 then 0x313233343536373839 end
create table hx select 0x313233343536373839 a, concat(0x313233343536373839,'b') b
select * from hx
select 0x313233343536373839 union select 0x31
select v from u where k=1 union all select 0xe1e2e3e4e5e6e7e8e9e1e2e3e4e5e6e7e8e9
select json_object('a', 0x313233343536373839)
set @a=0xe1e2e3e4e5e6e7e8e9
select hex(@a), collation(@a)
select k from u where v=@a
create table ts2 (b date default (timestampadd(day,5,'2003-01-02')), c varchar(30) default (get_format(date,'usa')), d int as (timestampdiff(sql_tsi_day,b,'2020-01-01')))
insert into ts2 (b) values (default)
select * from ts2
create table ts3 (b date, check (timestampadd(day,1,b)>'2020-01-01'), check (timestampdiff(month,b,'2030-01-01') > 3))
insert into ts3 values ('2019-01-01')
insert into ts3 values ('2022-01-01')
create view vv1 as select timestampdiff(day,'2020-01-01','2020-01-05') b, timestampadd(hour,2,'2020-01-01') c, get_format(datetime,'iso') d, timestampdiff(microsecond,b,now()) > 5 e from ts3
select * from vv1
select timestampdiff (day,'2020-01-01','2020-01-05')
