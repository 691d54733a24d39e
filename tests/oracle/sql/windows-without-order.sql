# judges: mysql
# Windows that say nothing of an order see the rows as ORDER BY gives them; INSERT () with values
create table w (i int, j int, s varchar(5))
insert into w values(1,4,'d'),(1,2,'b'),(1,1,'a'),(1,3,'c')
select j, row_number() over () from w order by j
select j, row_number() over () n from w order by j desc limit 2
select j, sum(j) over (rows unbounded preceding) from w order by j
select j, sum(j) over (rows between 1 preceding and current row) from w order by j desc
select j, lag(j) over (), lead(j) over (), first_value(j) over (), last_value(j) over (), ntile(2) over () from w order by j
select j, rank() over (), dense_rank() over (), cume_dist() over (), count(*) over (), sum(j) over () from w order by j
select j, max(j) over (rows between current row and unbounded following) from w order by s desc
select i, sum(j), row_number() over () from w group by i order by sum(j) desc
select distinct i, row_number() over () from w order by i
select j, row_number() over w1 from w window w1 as () order by j
select * from (select j, row_number() over () n from w order by j desc limit 3) d order by n
select j, row_number() over () n from w order by n desc, j
insert into w () values (5,5,'e'),(6,6,'f')
replace into w () values (7,7,'g')
insert into w () values ()
select * from w order by j
