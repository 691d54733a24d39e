# judges: mysql
# Definitions under LOCK TABLES
create table s1 (a int)
lock tables s1 write
create database lkx
drop database lkx
alter database two default charset utf8mb4
create event ev on schedule every 1 day do select 1
create table if not exists s1 (a int)
unlock tables
create database lkx
create temporary table tz (a int)
unlock tables
create temporary table tz2 (a int)
drop temporary table tz2
unlock tables
