# judges: mysql
# What SHOW CREATE TABLE repeats: character sets and collations, USING BTREE, options of storage
create table a (a varchar(10), b varchar(10) character set latin1, c varchar(10) collate utf8mb4_bin, e varchar(10) collate utf8mb4_0900_ai_ci, f varchar(10) character set utf8mb4 collate utf8mb4_0900_ai_ci, g char(3) character set latin1 collate latin1_bin, h enum('a') collate utf8mb4_general_ci, i text, j text default null, k varchar(5) collate utf8mb4_bin, l set('x') character set koi8r, m json, n blob default null) collate utf8mb4_0900_ai_ci
show create table a
create table b (a varchar(10), b varchar(10) collate utf8mb4_unicode_ci, d varchar(10) collate utf8mb4_0900_ai_ci, e varchar(3) character set latin1) collate utf8mb4_unicode_ci
show create table b
create table c (a varchar(10), b varchar(10) character set latin1, c varchar(10) collate latin1_swedish_ci, d varchar(10) collate utf8mb4_0900_ai_ci, e varchar(10) collate latin1_bin, f varchar(10) character set utf8mb4 collate utf8mb4_bin) charset latin1
show create table c
alter table c collate utf8mb4_unicode_ci
show create table c
alter table c add x varchar(3), modify b varchar(11)
show create table c
alter table c convert to charset utf8mb4 collate utf8mb4_bin
show create table c
create table bin (a varchar(3), b char(2), c text) collate latin1_bin
show create table bin
~create table d (a int, b int, c varchar(10), key using btree (a), key (b) using hash, unique u using btree (c), fulltext(c)) collate utf8mb4_0900_ai_ci row_format=compact key_block_size=0 stats_persistent=1 stats_auto_recalc=0 stats_sample_pages=3 max_rows=5 min_rows=2 avg_row_length=10 checksum=1 delay_key_write=1 pack_keys=1 comment='x'
show create table d
select create_options, row_format from information_schema.tables where table_schema=database() and table_name='d'
alter table d row_format=dynamic stats_persistent=default max_rows=0
show create table d
alter table d row_format=default, stats_persistent=default,pack_keys=default, stats_auto_recalc=default, stats_sample_pages=default
show create table d
create table f like d
show create table f
alter table f drop index a, add index a (a), drop index u
show create table f
create table h (a int) collate utf8mb4_0900_ai_ci row_format=compressed key_block_size=8
show create table h
select create_options, row_format from information_schema.tables where table_schema=database() and table_name='h'
create table x (a int) row_format=nix
# An index that is there for a foreign key alone goes when another serves it
create table p (id int primary key) collate utf8mb4_0900_ai_ci
create table c1 (a int, b int, foreign key (a) references p(id)) collate utf8mb4_0900_ai_ci
show create table c1
alter table c1 add index k2 (b,a)
show create table c1
alter table c1 add index k3 (a,b)
show create table c1
create index k4 on c1 (a)
drop index k4 on c1
drop index k3 on c1
create table c2 (a int, b int, foreign key (a) references p(id)) collate utf8mb4_0900_ai_ci
alter table c2 rename index a to aa
alter table c2 add index k2 (a,b)
show create table c2
create table c3 (a int, b int, constraint fk foreign key (a) references p(id)) collate utf8mb4_0900_ai_ci
alter table c3 add unique (a)
show create table c3
create table c4 (a int, key mine (a), foreign key (a) references p(id)) collate utf8mb4_0900_ai_ci
~alter table c4 add index other (a), add index third (a desc)
show create table c4
insert into p values (1)
insert into c3 values (1,1)
insert into c3 values (2,1)
delete from p
# NULL before AUTO_INCREMENT
create table n1 (c1 int null auto_increment, b int, key (c1)) collate utf8mb4_0900_ai_ci
show create table n1
create table n3 (c1 int auto_increment null unique) collate utf8mb4_0900_ai_ci
show create table n3
create table n4 (c1 int auto_increment null primary key)
# An index without a name has its column's, in the column's case
create table o1 (a int, b int, C int, unique (A), key (B), unique (c)) collate utf8mb4_0900_ai_ci
alter table o1 add index (A, c)
show create table o1
# A prefix of nothing, and names that are not there
create table o2 (c char(10), index (c(0)))
create table o2 (c int, index (c(1)))
alter table o1 rename index nope to x
alter table o1 add index z (b), rename index z to y
alter table o1 alter index nope invisible
alter table o1 drop index nope
