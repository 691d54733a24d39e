# judges: mysql
# What an ENUM has that has no default and is not given
create table e (id int primary key, a enum('x','y') default 'y', b enum('x','y'), c enum('x','y') not null)
alter table e alter a drop default, alter b drop default
insert into e (id) values (1)
insert into e (id, a, b, c) values (2, default, default, default)
insert ignore into e (id) values (3)
set sql_mode = ''
insert into e (id) values (4)
select * from e
