# What WordPress, Django, DBeaver and Connector/J, HeidiSQL, phpMyAdmin, DataGrip and mysqldump ask for: the
# answers, but for listings whose columns are MySQL's own (`information_schema.rs` and `show` have those).
CREATE TABLE wp_options (option_id bigint(20) unsigned NOT NULL auto_increment, option_name varchar(191) NOT NULL default '', option_value longtext NOT NULL, autoload varchar(20) NOT NULL default 'yes', PRIMARY KEY (option_id), UNIQUE KEY option_name (option_name), KEY autoload (autoload)) DEFAULT CHARACTER SET utf8mb4
INSERT INTO wp_options (option_name, option_value) VALUES ('siteurl','http://x'),('home','http://x'),('_transient_timeout_a','1'),('_transient_a','b')
CREATE TABLE wp_posts (ID bigint(20) unsigned NOT NULL auto_increment, post_author bigint(20) unsigned NOT NULL default '0', post_date datetime NOT NULL default '2000-01-01 00:00:00', post_content longtext NOT NULL, post_title text NOT NULL, post_status varchar(20) NOT NULL default 'publish', post_name varchar(200) NOT NULL default '', post_parent bigint(20) unsigned NOT NULL default '0', post_type varchar(20) NOT NULL default 'post', PRIMARY KEY (ID), KEY post_name (post_name(191)), KEY type_status_date (post_type,post_status,post_date,ID)) COMMENT='posts'
INSERT INTO wp_posts (post_content,post_title) VALUES ('a','b'),('c','d')
CREATE TABLE child (id INT PRIMARY KEY AUTO_INCREMENT, post BIGINT UNSIGNED, note VARCHAR(20) DEFAULT 'x' COMMENT 'a note', e ENUM('a','b'), d DECIMAL(8,2), KEY (post))
INSERT INTO child (post,e,d) VALUES (1,'a',1.5),(2,'b',2)
# wordpress
SELECT @@SESSION.sql_mode IS NOT NULL
SELECT option_name, option_value FROM wp_options WHERE autoload IN ( 'yes', 'on', 'auto-on', 'auto' )
SELECT option_value FROM wp_options WHERE option_name = 'siteurl' LIMIT 1
INSERT INTO `wp_options` (`option_name`, `option_value`, `autoload`) VALUES ('cron', 'a:1:{}', 'on') ON DUPLICATE KEY UPDATE `option_name` = VALUES(`option_name`), `option_value` = VALUES(`option_value`), `autoload` = VALUES(`autoload`)
SELECT SQL_CALC_FOUND_ROWS wp_posts.ID FROM wp_posts WHERE 1=1 AND ((wp_posts.post_type = 'post' AND (wp_posts.post_status = 'publish'))) ORDER BY wp_posts.post_date DESC, ID LIMIT 0, 10
SELECT FOUND_ROWS()
DELETE a, b FROM wp_options a, wp_options b WHERE a.option_name LIKE '\_transient\_%' AND a.option_name NOT LIKE '\_transient\_timeout\_%' AND b.option_name = CONCAT( '_transient_timeout_', SUBSTRING( a.option_name, 12 ) ) AND b.option_value < 1700000000
SELECT post_status, COUNT( * ) AS num_posts FROM wp_posts WHERE post_type = 'post' GROUP BY post_status
SELECT DISTINCT YEAR( post_date ) AS year, MONTH( post_date ) AS month FROM wp_posts WHERE post_type = 'post' ORDER BY post_date DESC
SHOW TABLES LIKE 'wp\_options'
SHOW TABLES LIKE 'wp_options'
SELECT GET_LOCK('wp_x', 0)
SELECT RELEASE_LOCK('wp_x')
SELECT YEAR(post_date), DATE_FORMAT(post_date,'%M') FROM wp_posts ORDER BY ID
SELECT TABLE_NAME, ENGINE FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 1
SELECT TABLE_NAME AS 'table', TABLE_ROWS IS NOT NULL AS 'rows', SUM(data_length + index_length) > 0 as 'bytes' FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN ('wp_posts') GROUP BY TABLE_NAME
SELECT DEFAULT_CHARACTER_SET_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME=DATABASE()
# django
SET SQL_AUTO_IS_NULL = 0
SHOW FULL TABLES
SELECT TABLE_NAME, TABLE_TYPE, TABLE_COMMENT FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 1
SELECT TABLE_NAME, COLUMN_NAME FROM information_schema.key_column_usage WHERE table_schema = DATABASE() AND table_name = 'child'
SELECT kc.`CONSTRAINT_NAME`, kc.`COLUMN_NAME`, kc.`REFERENCED_TABLE_NAME`, kc.`REFERENCED_COLUMN_NAME`, c.`CONSTRAINT_TYPE` FROM information_schema.key_column_usage AS kc, information_schema.table_constraints AS c WHERE kc.table_schema = DATABASE() AND (c.table_schema = kc.table_schema OR c.table_schema IS NULL) AND c.constraint_name = kc.constraint_name AND kc.table_name = 'child' AND c.table_name = kc.table_name ORDER BY kc.`ordinal_position`
SELECT cc.CONSTRAINT_NAME, cc.CHECK_CLAUSE FROM information_schema.check_constraints AS cc, information_schema.table_constraints AS tc WHERE cc.constraint_schema = DATABASE() AND tc.table_schema = cc.constraint_schema AND cc.constraint_name = tc.constraint_name AND tc.constraint_type = 'CHECK' AND tc.table_name = 'child'
SELECT ENGINE FROM information_schema.tables WHERE table_name = 'child' AND table_schema = DATABASE()
SELECT DEFAULT_CHARACTER_SET_NAME, DEFAULT_COLLATION_NAME FROM information_schema.schemata WHERE schema_name = DATABASE()
SELECT REFERENCED_COLUMN_NAME FROM information_schema.key_column_usage WHERE referenced_table_name IS NOT NULL AND table_schema = DATABASE()
CREATE TABLE `django_migrations` (`id` bigint AUTO_INCREMENT NOT NULL PRIMARY KEY, `app` varchar(255) NOT NULL, `name` varchar(255) NOT NULL, `applied` datetime(6) NOT NULL)
SET foreign_key_checks=0
SELECT 1 AS `a` FROM `django_migrations` LIMIT 1
INSERT INTO `django_migrations` (`app`, `name`, `applied`) VALUES ('contenttypes', '0001_initial', '2026-01-01 00:00:00.000000')
SELECT `django_migrations`.`id`, `django_migrations`.`app`, `django_migrations`.`name`, `django_migrations`.`applied` FROM `django_migrations`
# dbeaver / connector-j
SET SQL_SELECT_LIMIT=DEFAULT
SELECT DATABASE()
SHOW FULL TABLES
SHOW FULL TABLES WHERE Table_type='BASE TABLE'
# heidisql
SELECT `DEFAULT_COLLATION_NAME` FROM `information_schema`.`SCHEMATA` WHERE `SCHEMA_NAME`=DATABASE()
SHOW TABLES
SELECT tc.CONSTRAINT_NAME, cc.CHECK_CLAUSE FROM `information_schema`.`CHECK_CONSTRAINTS` AS cc, `information_schema`.`TABLE_CONSTRAINTS` AS tc WHERE tc.CONSTRAINT_SCHEMA=DATABASE() AND tc.TABLE_NAME='child' AND tc.CONSTRAINT_TYPE='CHECK' AND tc.CONSTRAINT_SCHEMA=cc.CONSTRAINT_SCHEMA AND tc.CONSTRAINT_NAME=cc.CONSTRAINT_NAME
SELECT `id`, `post`, LEFT(`note`, 256), `e` FROM `child` LIMIT 1000
SELECT `COLLATION_NAME` FROM information_schema.COLLATIONS WHERE COLLATION_NAME='utf8mb4_general_ci'
# phpmyadmin
SELECT `SCHEMA_NAME` FROM `INFORMATION_SCHEMA`.`SCHEMATA`, (SELECT DB_first_level FROM ( SELECT DISTINCT SUBSTRING_INDEX(SCHEMA_NAME, '_', 1) DB_first_level FROM INFORMATION_SCHEMA.SCHEMATA WHERE SCHEMA_NAME = DATABASE() ) t ORDER BY DB_first_level ASC LIMIT 0, 100) t2 WHERE TRUE AND 1 = LOCATE(CONCAT(DB_first_level, '_'), CONCAT(SCHEMA_NAME, '_')) ORDER BY SCHEMA_NAME ASC
SELECT `CHARACTER_SET_NAME` AS `Charset`, `DEFAULT_COLLATE_NAME` AS `Default collation` FROM `information_schema`.`CHARACTER_SETS` WHERE CHARACTER_SET_NAME='utf8mb4'
SELECT `COLUMN_NAME`, `REFERENCED_TABLE_NAME` FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA=DATABASE() AND REFERENCED_TABLE_NAME IS NOT NULL
SELECT DELETE_RULE, UPDATE_RULE FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA=DATABASE()
# datagrip
SET net_write_timeout=600000
SET SESSION group_concat_max_len = 100000
SELECT t.* FROM child t LIMIT 501
# mysqldump
show tables
SELECT /*!40001 SQL_NO_CACHE */ * FROM `child` WHERE id < 0
select @@collation_database
SHOW TRIGGERS LIKE 'child'
# phpmyadmin
SELECT *, CAST(BIN_NAME AS CHAR CHARACTER SET utf8) AS SCHEMA_NAME FROM (SELECT BINARY s.SCHEMA_NAME AS BIN_NAME, s.DEFAULT_COLLATION_NAME FROM `information_schema`.SCHEMATA s WHERE s.SCHEMA_NAME = 'information_schema' GROUP BY BINARY s.SCHEMA_NAME) a WHERE 1 = 0
SELECT CAST(65 AS CHAR CHARACTER SET utf8mb4) a, CAST('abc' AS CHAR(2) CHARACTER SET utf8mb4) b, HEX(CAST('ä' AS CHAR CHARACTER SET binary)) c
SELECT CONVERT('x', CHAR CHARACTER SET utf8mb4) a, HEX(CONVERT('ä', CHAR CHARACTER SET binary)) b
SELECT CAST('a' AS CHAR CHARACTER SET nope)
SHOW BINLOG EVENTS LIMIT 0, 25
