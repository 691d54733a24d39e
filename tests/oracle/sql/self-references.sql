# judges: mysql
# Rows that refer to themselves: by themselves they stay, with another row they go
create table s1 (id int primary key, f int, foreign key (f) references s1(id))
insert into s1 values (1,1),(2,1),(3,3),(4,3)
delete from s1 where id = 1
delete from s1 where id = 2
delete from s1 where id = 1
delete from s1 where id = 3
insert into s1 values (5,5)
update s1 set id=6, f=6 where id=5
replace into s1 values (5,5)
replace into s1 values (5,null)
create table s2 (id int primary key)
create table s3 (id int primary key, p int, f int, foreign key (p) references s2(id) on delete cascade on update cascade, foreign key (f) references s3(id))
insert into s2 values (1),(2),(3)
insert into s3 values (1,1,1),(2,2,2),(3,2,2),(4,3,4),(5,null,4)
delete from s2 where id = 1
select * from s3
delete from s2 where id = 2
select * from s3
delete from s2 where id = 3
select * from s3
update s2 set id=7 where id=2
select * from s3
truncate table s3
delete from s3
create table s4 (id int primary key, f int, foreign key (f) references s4(id) on delete cascade)
insert into s4 values (1,1),(2,1),(3,2)
delete from s4 where id=1
select * from s4
create table s5 (id int primary key, f int, foreign key (f) references s5(id) on delete set null)
insert into s5 values (1,1),(2,1),(3,2)
delete from s5 where id=1
select * from s5
