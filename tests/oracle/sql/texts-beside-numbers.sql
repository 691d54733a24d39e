# judges: mysql
# texts that are compared with numbers and are none: a warning for each row, one for a text that is the same for all
create table t (a varchar(10), b int)
insert into t values ('A',1),('B',2),('3c',3),('4',4),('',5),(null,6)
select a from t where a = 0 order by a
show warnings
select a = 0, a = b from t order by b
show warnings
select a from t where a < 1 and b > 0 order by b
show warnings
select b from t where b = 'x'
show warnings
select b from t where '2y' = b
show warnings
select a from t where a in (1,3) order by a
show warnings
select nullif(1, 'test'), nullif('test', 1.5)
show warnings
select case 'X' when 1/1 then 1 when 'X' then 2 else 3 end
show warnings
select case a when 1 then 1 when 3 then 2 else 3 end from t order by b
show warnings
select 1 = 'x', 'y' = 2.5, 'z' <=> 1e0, '5' = 5, '' = 0
show warnings
select if(a = 3, 'three', 'no') from t where b < 4 order by b
show warnings
select b from t where '10' between 9 and a order by b
select b from t where a between 2 and '30' order by b
select b from t where a between '1' and 5 order by b
select b from t where a not between '1' and 5e0 order by b
select 'a' between 0 and '1', '10' between '9' and 11, '10' between '9' and '11', 'b' between 'a' and 0
select b from t where b between '1' and 3 order by b
