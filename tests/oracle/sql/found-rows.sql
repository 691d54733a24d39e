# FOUND_ROWS(): the rows up to the end of LIMIT, those that OFFSET passes over too; with SQL_CALC_FOUND_ROWS all
# judges: mysql
create table t(a int primary key, b int)
insert into t values (1,1),(2,1),(3,2),(4,2),(5,3),(6,3)
select a from t limit 2
select found_rows()
select a from t limit 2,2
select found_rows()
select a from t limit 2 offset 4
select found_rows()
select a from t limit 10,2
select found_rows()
select b from t order by b limit 1,2
select found_rows()
select a from t order by b desc limit 10,2
select found_rows()
select a from t where a>2 limit 1,2
select found_rows()
select a from t where a>2 limit 0
select found_rows()
select sql_calc_found_rows a from t limit 2
select found_rows()
select sql_calc_found_rows a from t limit 2,2
select found_rows()
select sql_calc_found_rows a from t limit 10,2
select found_rows()
select sql_calc_found_rows a from t limit 0
select found_rows()
select sql_calc_found_rows a from t order by b limit 1,1
select found_rows()
select sql_calc_found_rows b, count(*) from t group by b limit 1
select found_rows()
select sql_calc_found_rows b, count(*) from t group by b limit 5,1
select found_rows()
select sql_calc_found_rows b, count(*) from t group by b having b>1 limit 1
select found_rows()
select b, count(*) from t group by b limit 1,1
select found_rows()
select sql_calc_found_rows distinct b from t limit 1
select found_rows()
select sql_calc_found_rows distinct b from t order by b limit 1,1
select found_rows()
select distinct b from t limit 1,1
select found_rows()
select count(*) from t
select found_rows()
select sql_calc_found_rows count(*) from t limit 1
select found_rows()
select sql_calc_found_rows count(*) from t limit 1,1
select found_rows()
select count(*) from t limit 0
select found_rows()
select a from t union select b from t
select found_rows()
select a from t union select b from t limit 2
select found_rows()
select a from t union select b from t limit 2,2
select found_rows()
select a from t union select b from t limit 20,2
select found_rows()
select sql_calc_found_rows a from t union select b from t limit 2
select found_rows()
select sql_calc_found_rows a from t union all select b from t limit 2
select found_rows()
select sql_calc_found_rows a from t union all select b from t limit 2,3
select found_rows()
select sql_calc_found_rows a from t union all select b from t order by 1 limit 20,3
select found_rows()
(select a from t limit 2) union (select b from t limit 1)
select found_rows()
(select a from t limit 2) limit 1
select found_rows()
select sql_calc_found_rows a from t where a=3 limit 1
select found_rows()
select sql_calc_found_rows a from t where a=3 limit 1,1
select found_rows()
select sql_calc_found_rows a from t where a=99 limit 1
select found_rows()
select a from t where a=3 limit 1,1
select found_rows()
select sql_calc_found_rows t.a from t join t u on u.b=t.b order by t.a limit 3
select found_rows()
select sql_calc_found_rows t.a from t left join t u on u.b=t.b order by 1 limit 3,1
select found_rows()
select sql_calc_found_rows b, count(*) from t group by b with rollup limit 1
select found_rows()
select sql_calc_found_rows b, row_number() over () from t limit 2
select found_rows()
select 1
select found_rows()
select 1 limit 0
select found_rows()
select sql_calc_found_rows 1 limit 0
select found_rows()
select 1 limit 1,1
select found_rows()
select sql_calc_found_rows 1 limit 1,1
select found_rows()
select 1 from dual where 0
select found_rows()
insert into t values (7,7)
select sql_calc_found_rows * from (select a from t limit 3) x limit 1
select found_rows()
select sql_calc_found_rows * from t where a in (select b from t) limit 1
select found_rows()
values row(1),row(2),row(3)
select found_rows()
values row(1),row(2),row(3) limit 1
select found_rows()
table t
select found_rows()
table t limit 2,2
select found_rows()
select sql_calc_found_rows a from t intersect select b from t limit 1
select found_rows()
select a from t except select b from t limit 1
select found_rows()
select a from t intersect select b from t limit 1,1
select found_rows()
select a from t where a > 100
select found_rows()
select sql_calc_found_rows max(a) from t where a > 100 limit 1
select found_rows()
select sql_calc_found_rows max(a) from t limit 1,3
select found_rows()
select max(a) from t limit 1,3
select found_rows()
select sql_calc_found_rows a from t order by a desc limit 1,2
select found_rows()
select a from t order by a desc limit 1,2
select found_rows()
select a from t order by b desc, a limit 3,2
select found_rows()
select a+1 x from t order by x limit 1,2
select found_rows()
select a from t where b=1 limit 1,1
select found_rows()
create index ib on t(b)
select a from t where b=1 limit 1,1
select found_rows()
select b from t order by b limit 2,2
select found_rows()
select distinct b from t order by b limit 1,2
select found_rows()
select t.b from t join t u on u.b=t.b order by t.b limit 3,2
select found_rows()
select t.a from t join t u on u.b=t.b order by 1 limit 3,2
select found_rows()
select x.a from (select a from t limit 1,3) x limit 1,1
select found_rows()
select a, row_number() over (order by a) from t limit 2,2
select found_rows()
select b, count(*) c from t group by b order by c, b limit 1,1
select found_rows()
select b, count(*) c from t group by b limit 2,5
select found_rows()
# SHOW, as far as it is a query to MySQL
select a from t
~show tables
select found_rows()
select a from t
~show databases like 'oracle'
select found_rows()
select a from t
~show columns from t
select found_rows()
select a from t
~describe t
select found_rows()
select a from t
~show index from t
select found_rows()
select a from t
~show variables like 'sql_mode'
select found_rows()
select a from t
~show variables where variable_name = 'sql_mode'
select found_rows()
select a from t
~show table status like 'x'
select found_rows()
select a from t
~show collation like 'latin1%'
select found_rows()
select a from t
~show character set like 'latin%'
select found_rows()
select a from t
~show events
select found_rows()
select a from t
~show open tables like 'x'
select found_rows()
select a from t
~show create table t
select found_rows()
select a from t
~show grants
select found_rows()
select a from t
~show privileges
select found_rows()
select a from t
~show warnings
select found_rows()
select a from t
~show count(*) warnings
select found_rows()
