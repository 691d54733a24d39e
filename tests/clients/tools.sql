# What tools ask a server when they connect, list what there is, or dump it, and that is to be answered in whatever
# words. What is compared with MariaDB's answers: tests/oracle/sql/clients.sql.
# wordpress
SHOW VARIABLES LIKE 'version'
CHECK TABLE wp_options
ANALYZE TABLE wp_options
REPAIR TABLE wp_options
OPTIMIZE TABLE wp_options
# django
SELECT VERSION(), @@sql_mode, @@default_storage_engine, @@sql_auto_is_null, @@lower_case_table_names, CONVERT_TZ('2001-01-01 01:00:00', 'UTC', 'UTC') IS NOT NULL
CREATE TABLE `auth_permission` (`id` integer AUTO_INCREMENT NOT NULL PRIMARY KEY, `name` varchar(50) NOT NULL, `content_type_id` integer NOT NULL, `codename` varchar(100) NOT NULL)
ALTER TABLE `auth_permission` ADD CONSTRAINT `auth_permission_uniq` UNIQUE (`content_type_id`, `codename`)
# dbeaver / connector-j
SELECT @@version_comment, @@version
SHOW CHARSET
SHOW COLLATION
SHOW PLUGINS
SHOW VARIABLES
SHOW GLOBAL VARIABLES LIKE 'lower_case%'
SHOW STATUS
SHOW GLOBAL STATUS
SELECT * FROM information_schema.TABLES t WHERE t.TABLE_SCHEMA = 'information_schema' AND t.TABLE_NAME = 'CHECK_CONSTRAINTS'
SELECT * FROM information_schema.COLUMNS WHERE TABLE_SCHEMA=DATABASE() AND TABLE_NAME='child' ORDER BY ORDINAL_POSITION
SELECT * FROM information_schema.STATISTICS WHERE TABLE_SCHEMA=DATABASE() AND TABLE_NAME='child' ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX
SELECT kc.CONSTRAINT_NAME,kc.TABLE_NAME,kc.COLUMN_NAME,kc.ORDINAL_POSITION FROM INFORMATION_SCHEMA.KEY_COLUMN_USAGE kc WHERE kc.TABLE_SCHEMA=DATABASE() AND kc.REFERENCED_TABLE_NAME IS NULL AND kc.TABLE_NAME='child' ORDER BY kc.CONSTRAINT_NAME,kc.ORDINAL_POSITION
SELECT * FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA=DATABASE()
SELECT * FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA=DATABASE()
SELECT * FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA=DATABASE()
SELECT * FROM information_schema.VIEWS WHERE TABLE_SCHEMA=DATABASE()
SELECT * FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA=DATABASE() AND TABLE_NAME='child' AND PARTITION_NAME IS NOT NULL
SELECT * FROM information_schema.EVENTS WHERE EVENT_SCHEMA=DATABASE()
SELECT * FROM information_schema.PARAMETERS WHERE SPECIFIC_SCHEMA=DATABASE()
SHOW PROCESSLIST
SHOW FULL PROCESSLIST
SHOW TRIGGERS
SHOW PROCEDURE STATUS WHERE Db=DATABASE()
SHOW FUNCTION STATUS WHERE Db=DATABASE()
SHOW EVENTS
SHOW SESSION STATUS LIKE 'Ssl_cipher'
SHOW SESSION VARIABLES LIKE 'lower_case_table_names'
# heidisql
SELECT CONNECTION_ID()
SHOW /*!50002 GLOBAL */ STATUS
SELECT NOW()
SHOW VARIABLES LIKE 'skip_name_resolve'
SHOW DATABASES
SELECT * FROM `information_schema`.`COLUMNS` WHERE TABLE_SCHEMA=DATABASE() AND TABLE_NAME='child' ORDER BY ORDINAL_POSITION
SELECT * FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA=DATABASE() AND TABLE_NAME='child' AND REFERENCED_TABLE_NAME IS NOT NULL
SELECT * FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA=DATABASE() AND TABLE_NAME='child' AND REFERENCED_TABLE_NAME IS NOT NULL
SHOW GLOBAL VARIABLES LIKE 'max_allowed_packet'
SELECT `TABLE_NAME`, `TABLE_ROWS`, `DATA_LENGTH` FROM information_schema.TABLES WHERE TABLE_SCHEMA=DATABASE()
# phpmyadmin
SELECT @@version, @@version_comment
SELECT CURRENT_USER()
SELECT USER(), CURRENT_USER(), SESSION_USER(), SYSTEM_USER()
SHOW SESSION VARIABLES LIKE 'FOREIGN_KEY_CHECKS'
SELECT *, `TABLE_SCHEMA` AS `Db`, `TABLE_NAME` AS `Name`, `TABLE_TYPE` AS `TABLE_TYPE`, `ENGINE` AS `Engine`, `ENGINE` AS `Type`, `VERSION` AS `Version`, `ROW_FORMAT` AS `Row_format`, `TABLE_ROWS` AS `Rows`, `AVG_ROW_LENGTH` AS `Avg_row_length`, `DATA_LENGTH` AS `Data_length`, `MAX_DATA_LENGTH` AS `Max_data_length`, `INDEX_LENGTH` AS `Index_length`, `DATA_FREE` AS `Data_free`, `AUTO_INCREMENT` AS `Auto_increment`, `CREATE_TIME` AS `Create_time`, `UPDATE_TIME` AS `Update_time`, `CHECK_TIME` AS `Check_time`, `TABLE_COLLATION` AS `Collation`, `CHECKSUM` AS `Checksum`, `CREATE_OPTIONS` AS `Create_options`, `TABLE_COMMENT` AS `Comment` FROM `information_schema`.`TABLES` t WHERE `TABLE_SCHEMA` IN (DATABASE()) AND t.`TABLE_NAME` IN ('child') ORDER BY Name ASC
SELECT `CHARACTER_SET_NAME` AS `Charset`, `COLLATION_NAME` AS `Collation`, `ID` AS `Id`, `IS_DEFAULT` AS `Default`, `IS_COMPILED` AS `Compiled`, `SORTLEN` AS `Sortlen` FROM `information_schema`.`COLLATIONS`
SELECT COUNT(*) FROM `child`
SELECT `PRIVILEGE_TYPE` FROM `INFORMATION_SCHEMA`.`USER_PRIVILEGES` WHERE GRANTEE='''root''@''localhost''' AND PRIVILEGE_TYPE='CREATE'
SELECT `PRIVILEGE_TYPE` FROM INFORMATION_SCHEMA.SCHEMA_PRIVILEGES WHERE DATABASE() LIKE `TABLE_SCHEMA`
SHOW GLOBAL STATUS WHERE Variable_name IN ('Uptime','Threads_connected','Questions')
SELECT TABLE_NAME FROM information_schema.VIEWS WHERE TABLE_SCHEMA=DATABASE() AND TABLE_NAME='child' AND IS_UPDATABLE='YES'
SELECT UNIX_TIMESTAMP() - 5
SHOW OPEN TABLES WHERE In_use > 0
# datagrip
select table_name, table_type, table_comment, engine, table_collation, create_options from information_schema.tables where table_schema = DATABASE()
select ordinal_position, column_name, column_type, column_default, generation_expression, table_name, column_comment, is_nullable, extra, collation_name from information_schema.columns where table_schema = DATABASE() order by table_name, ordinal_position
select table_name, index_name, index_comment, index_type, non_unique, column_name, sub_part, collation, null expression from information_schema.statistics where table_schema = DATABASE() and index_schema = DATABASE() order by index_schema, table_name, index_name, index_type, seq_in_index
select c.constraint_name, c.constraint_schema, c.table_name, c.constraint_type, false enforced from information_schema.table_constraints c where c.table_schema = DATABASE()
select constraint_name, table_name, column_name, referenced_table_schema, referenced_table_name, referenced_column_name from information_schema.key_column_usage where table_schema = DATABASE() and referenced_column_name is not null order by table_name, constraint_name, ordinal_position
select trigger_name, event_object_table, event_manipulation, action_timing, definer from information_schema.triggers where trigger_schema = DATABASE()
select routine_name, routine_type, routine_definition, routine_comment, dtd_identifier, definer, is_deterministic = 'YES' is_det, cast(sql_data_access as char(1)) sql_data, cast(security_type as char(1)) security_type from information_schema.routines where routine_schema = DATABASE()
select event_name, event_comment, definer, event_type = 'RECURRING' recurring, interval_value, interval_field, cast(coalesce(starts, execute_at) as char) starts, cast(ends as char) ends, status, on_completion = 'PRESERVE' preserve, last_executed from information_schema.events where event_schema = DATABASE()
select grantee, table_name, column_name, privilege_type, is_grantable from information_schema.column_privileges where table_schema = DATABASE() union all select grantee, table_name, '' column_name, privilege_type, is_grantable from information_schema.table_privileges where table_schema = DATABASE()
select schema_name, default_collation_name from information_schema.schemata
select @@event_scheduler
select version(), @@version_comment, database()
show session variables like 'sql_mode'
select table_name, partition_name, subpartition_name, partition_ordinal_position from information_schema.partitions where partition_name is not null and table_schema = DATABASE()
select view_definition, definer from information_schema.views where table_schema=DATABASE()
# mysqldump
SHOW VARIABLES LIKE 'gtid\_mode'
SELECT LOGFILE_GROUP_NAME, FILE_NAME, TOTAL_EXTENTS, INITIAL_SIZE, ENGINE, EXTRA FROM INFORMATION_SCHEMA.FILES WHERE FILE_TYPE = 'UNDO LOG' AND FILE_NAME IS NOT NULL
SELECT DISTINCT TABLESPACE_NAME, FILE_NAME, LOGFILE_GROUP_NAME, EXTENT_SIZE, INITIAL_SIZE, ENGINE FROM INFORMATION_SCHEMA.FILES WHERE FILE_TYPE = 'DATAFILE'
SHOW VARIABLES LIKE 'ndbinfo\_version'
show events
# mydumper
SET SESSION wait_timeout = 2147483
SELECT table_schema, table_name, engine, table_rows FROM information_schema.tables WHERE table_schema=DATABASE()
SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA=DATABASE() AND TABLE_NAME='child' AND extra LIKE '%GENERATED%' AND extra NOT LIKE '%DEFAULT_GENERATED%'
SELECT /*!40001 SQL_NO_CACHE */ MIN(`id`),MAX(`id`),LEFT(MIN(`id`),1) FROM `child`
SELECT /*!40001 SQL_NO_CACHE */ `id`,`post` FROM `child` WHERE `id` IS NULL OR (1 <= `id` AND `id` <= 5)
# misc orm
SELECT 1 FROM DUAL WHERE EXISTS (SELECT 1)
SELECT CAST('test plain returns' AS CHAR(60)) AS anon_1
SHOW VARIABLES WHERE Variable_name IN ('version','sql_mode')
SELECT SUM(DATA_LENGTH), SUM(INDEX_LENGTH) FROM information_schema.TABLES
# connector-j
SELECT word FROM information_schema.KEYWORDS WHERE RESERVED=1 ORDER BY WORD
SELECT PLUGIN_NAME, PLUGIN_DESCRIPTION, PLUGIN_TYPE_VERSION FROM information_schema.PLUGINS
SELECT COLUMN_NAME, JSON_EXTRACT(HISTOGRAM, '$."number-of-buckets-specified"') FROM information_schema.COLUMN_STATISTICS WHERE SCHEMA_NAME = DATABASE() AND TABLE_NAME = 'child'
