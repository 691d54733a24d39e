# judges: mysql
# A stored generated column as the primary key, as MySQL Shell's collections have it
create table docs (doc json, _id varchar(32) as (json_unquote(json_extract(doc, '$._id'))) stored not null, primary key (_id))
insert into docs (doc) values ('{"_id": "a", "n": 1}'), ('{"_id": "b", "n": 2}'), ('{"_id": "c", "n": 3}')
insert into docs (doc) values ('{"_id": "a", "n": 9}')
insert into docs (doc) values ('{"n": 9}')
insert ignore into docs (doc) values ('{"_id": "b", "n": 9}'), ('{"_id": "d", "n": 4}')
insert into docs (doc) values ('{"_id": "c", "n": 7}') on duplicate key update doc = json_set(doc, '$.n', 33)
replace into docs (doc) values ('{"_id": "d", "n": 44}')
select _id, doc->'$.n' from docs order by _id
select doc->'$.n' from docs where _id = 'b'
update docs set doc = json_set(doc, '$._id', 'z') where _id = 'b'
update docs set doc = json_set(doc, '$._id', 'a') where _id = 'c'
update docs set doc = json_set(doc, '$.n', 5) where _id in ('a', 'z')
select _id, doc->'$.n' from docs order by _id
delete from docs where _id = 'z'
select _id from docs order by _id desc
create table k (a int, b int, c int as (a + b) stored, d int, primary key (c), key (d))
insert into k (a, b, d) values (1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, 4)
update k set a = a + 10 order by c desc
update k set a = 1, b = 27 where c = 16
select * from k order by c
select c from k where d > 1 order by d
update k set b = b + 1 where d between 2 and 3
update k set a = null where d = 1
select * from k order by c
create table child (id int primary key, r int, foreign key (r) references k (c) on delete cascade)
insert into child values (1, 29), (2, 29), (3, 1000)
insert into child values (1, 29), (2, 18)
update k set a = a + 1 where c = 29
delete from k where c = 29
select * from child
alter table k add e int as (d * 2) stored, drop primary key, add primary key (c, e)
select * from k order by c
create table v (a int, b int as (a) virtual, primary key (b))
create table w (a int, b int as (a) virtual)
alter table w add primary key (b)
create table x (a int, b int as (a + 1) stored primary key)
insert into x (a) select seq from (select 1 seq union select 2 union select 3) s
select * from x where b in (2, 4)
begin
update x set a = a * 100
select * from x
rollback
select * from x
truncate x
select count(*) from x
