-- The tables of the database `mysql` as MySQL 9.7 has them: names, types, defaults, keys.
-- Texts are utf8mb4 here, and sets are texts.

CREATE TABLE columns_priv (
  Host char(255) COLLATE utf8mb4_general_ci NOT NULL DEFAULT '',
  Db char(64) NOT NULL DEFAULT '',
  User char(32) NOT NULL DEFAULT '',
  Table_name char(64) NOT NULL DEFAULT '',
  Column_name char(64) NOT NULL DEFAULT '',
  Timestamp timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  Column_priv varchar(31) COLLATE utf8mb4_general_ci NOT NULL DEFAULT '',
  PRIMARY KEY (Host,User,Db,Table_name,Column_name)
) ENGINE=InnoDB COLLATE=utf8mb4_bin COMMENT='Column privileges';

CREATE TABLE component (
  component_id int unsigned NOT NULL AUTO_INCREMENT,
  component_group_id int unsigned NOT NULL,
  component_urn text NOT NULL,
  PRIMARY KEY (component_id)
) ENGINE=InnoDB COMMENT='Components';

CREATE TABLE db (
  Host char(255) COLLATE utf8mb4_general_ci NOT NULL DEFAULT '',
  Db char(64) NOT NULL DEFAULT '',
  User char(32) NOT NULL DEFAULT '',
  Select_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Insert_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Update_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Delete_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Create_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Drop_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Grant_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  References_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Index_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Alter_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Create_tmp_table_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Lock_tables_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Create_view_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Show_view_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Create_routine_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Alter_routine_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Execute_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Event_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Trigger_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  PRIMARY KEY (Host,User,Db),
  KEY User (User)
) ENGINE=InnoDB COLLATE=utf8mb4_bin COMMENT='Database privileges';

CREATE TABLE default_roles (
  HOST char(255) COLLATE utf8mb4_general_ci NOT NULL DEFAULT '',
  USER char(32) NOT NULL DEFAULT '',
  DEFAULT_ROLE_HOST char(255) COLLATE utf8mb4_general_ci NOT NULL DEFAULT '%',
  DEFAULT_ROLE_USER char(32) NOT NULL DEFAULT '',
  PRIMARY KEY (HOST,USER,DEFAULT_ROLE_HOST,DEFAULT_ROLE_USER)
) ENGINE=InnoDB COLLATE=utf8mb4_bin COMMENT='Default roles';

CREATE TABLE engine_cost (
  engine_name varchar(64) NOT NULL,
  device_type int NOT NULL,
  cost_name varchar(64) NOT NULL,
  cost_value float DEFAULT NULL,
  last_update timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  comment varchar(1024) DEFAULT NULL,
  default_value float GENERATED ALWAYS AS (case cost_name
    when 'io_block_read_cost' then 1.0
    when 'memory_block_read_cost' then 0.25
    else NULL end) VIRTUAL,
  PRIMARY KEY (cost_name,engine_name,device_type)
) ENGINE=InnoDB;

CREATE TABLE func (
  name char(64) NOT NULL DEFAULT '',
  ret tinyint NOT NULL DEFAULT '0',
  dl char(128) NOT NULL DEFAULT '',
  type enum('function','aggregate') COLLATE utf8mb4_general_ci NOT NULL,
  PRIMARY KEY (name)
) ENGINE=InnoDB COLLATE=utf8mb4_bin COMMENT='User defined functions';

CREATE TABLE general_log (
  event_time timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  user_host mediumtext NOT NULL,
  thread_id bigint unsigned NOT NULL,
  server_id int unsigned NOT NULL,
  command_type varchar(64) NOT NULL,
  argument mediumblob NOT NULL
) ENGINE=CSV COMMENT='General log';

CREATE TABLE global_grants (
  USER char(32) NOT NULL DEFAULT '',
  HOST char(255) COLLATE utf8mb4_general_ci NOT NULL DEFAULT '',
  PRIV char(32) COLLATE utf8mb4_general_ci NOT NULL DEFAULT '',
  WITH_GRANT_OPTION enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  PRIMARY KEY (USER,HOST,PRIV)
) ENGINE=InnoDB COLLATE=utf8mb4_bin COMMENT='Extended global grants';

CREATE TABLE gtid_executed (
  source_uuid char(36) NOT NULL COMMENT 'uuid of the source where the transaction was originally executed.',
  interval_start bigint NOT NULL COMMENT 'First number of interval.',
  interval_end bigint NOT NULL COMMENT 'Last number of interval.',
  gtid_tag char(32) NOT NULL COMMENT 'GTID Tag.',
  PRIMARY KEY (source_uuid,gtid_tag,interval_start)
) ENGINE=InnoDB;

CREATE TABLE help_category (
  help_category_id smallint unsigned NOT NULL,
  name char(64) NOT NULL,
  parent_category_id smallint unsigned DEFAULT NULL,
  url text NOT NULL,
  PRIMARY KEY (help_category_id),
  UNIQUE KEY name (name)
) ENGINE=InnoDB COMMENT='help categories';

CREATE TABLE help_keyword (
  help_keyword_id int unsigned NOT NULL,
  name char(64) NOT NULL,
  PRIMARY KEY (help_keyword_id),
  UNIQUE KEY name (name)
) ENGINE=InnoDB COMMENT='help keywords';

CREATE TABLE help_relation (
  help_topic_id int unsigned NOT NULL,
  help_keyword_id int unsigned NOT NULL,
  PRIMARY KEY (help_keyword_id,help_topic_id)
) ENGINE=InnoDB COMMENT='keyword-topic relation';

CREATE TABLE help_topic (
  help_topic_id int unsigned NOT NULL,
  name char(64) NOT NULL,
  help_category_id smallint unsigned NOT NULL,
  description text NOT NULL,
  example text NOT NULL,
  url text NOT NULL,
  PRIMARY KEY (help_topic_id),
  UNIQUE KEY name (name)
) ENGINE=InnoDB COMMENT='help topics';

CREATE TABLE innodb_index_stats (
  database_name varchar(64) NOT NULL,
  table_name varchar(199) NOT NULL,
  index_name varchar(64) NOT NULL,
  last_update timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  stat_name varchar(64) NOT NULL,
  stat_value bigint unsigned NOT NULL,
  sample_size bigint unsigned DEFAULT NULL,
  stat_description varchar(1024) NOT NULL,
  PRIMARY KEY (database_name,table_name,index_name,stat_name)
) ENGINE=InnoDB COLLATE=utf8mb4_bin;

CREATE TABLE innodb_table_stats (
  database_name varchar(64) NOT NULL,
  table_name varchar(199) NOT NULL,
  last_update timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  n_rows bigint unsigned NOT NULL,
  clustered_index_size bigint unsigned NOT NULL,
  sum_of_other_index_sizes bigint unsigned NOT NULL,
  PRIMARY KEY (database_name,table_name)
) ENGINE=InnoDB COLLATE=utf8mb4_bin;

CREATE TABLE password_history (
  Host char(255) COLLATE utf8mb4_general_ci NOT NULL DEFAULT '',
  User char(32) NOT NULL DEFAULT '',
  Password_timestamp timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  Password text,
  PRIMARY KEY (Host,User,Password_timestamp)
) ENGINE=InnoDB COLLATE=utf8mb4_bin COMMENT='Password history for user accounts';

CREATE TABLE plugin (
  name varchar(64) NOT NULL DEFAULT '',
  dl varchar(128) NOT NULL DEFAULT '',
  PRIMARY KEY (name)
) ENGINE=InnoDB COMMENT='MySQL plugins';

CREATE TABLE procs_priv (
  Host char(255) COLLATE utf8mb4_general_ci NOT NULL DEFAULT '',
  Db char(64) NOT NULL DEFAULT '',
  User char(32) NOT NULL DEFAULT '',
  Routine_name char(64) COLLATE utf8mb4_general_ci NOT NULL DEFAULT '',
  Routine_type enum('FUNCTION','PROCEDURE','LIBRARY') NOT NULL,
  Grantor varchar(288) NOT NULL DEFAULT '',
  Proc_priv varchar(27) COLLATE utf8mb4_general_ci NOT NULL DEFAULT '',
  Timestamp timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (Host,User,Db,Routine_name,Routine_type),
  KEY Grantor (Grantor)
) ENGINE=InnoDB COLLATE=utf8mb4_bin COMMENT='Procedure privileges';

CREATE TABLE proxies_priv (
  Host char(255) COLLATE utf8mb4_general_ci NOT NULL DEFAULT '',
  User char(32) NOT NULL DEFAULT '',
  Proxied_host char(255) COLLATE utf8mb4_general_ci NOT NULL DEFAULT '',
  Proxied_user char(32) NOT NULL DEFAULT '',
  With_grant tinyint(1) NOT NULL DEFAULT '0',
  Grantor varchar(288) NOT NULL DEFAULT '',
  Timestamp timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (Host,User,Proxied_host,Proxied_user),
  KEY Grantor (Grantor)
) ENGINE=InnoDB COLLATE=utf8mb4_bin COMMENT='User proxy privileges';

CREATE TABLE role_edges (
  FROM_HOST char(255) COLLATE utf8mb4_general_ci NOT NULL DEFAULT '',
  FROM_USER char(32) NOT NULL DEFAULT '',
  TO_HOST char(255) COLLATE utf8mb4_general_ci NOT NULL DEFAULT '',
  TO_USER char(32) NOT NULL DEFAULT '',
  WITH_ADMIN_OPTION enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  PRIMARY KEY (FROM_HOST,FROM_USER,TO_HOST,TO_USER)
) ENGINE=InnoDB COLLATE=utf8mb4_bin COMMENT='Role hierarchy and role grants';

CREATE TABLE server_cost (
  cost_name varchar(64) NOT NULL,
  cost_value float DEFAULT NULL,
  last_update timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  comment varchar(1024) DEFAULT NULL,
  default_value float GENERATED ALWAYS AS (case cost_name
    when 'disk_temptable_create_cost' then 20.0
    when 'disk_temptable_row_cost' then 0.5
    when 'key_compare_cost' then 0.05
    when 'memory_temptable_create_cost' then 1.0
    when 'memory_temptable_row_cost' then 0.1
    when 'row_evaluate_cost' then 0.1
    else NULL end) VIRTUAL,
  PRIMARY KEY (cost_name)
) ENGINE=InnoDB;

CREATE TABLE servers (
  Server_name char(64) NOT NULL DEFAULT '',
  Host char(255) NOT NULL DEFAULT '',
  Db char(64) NOT NULL DEFAULT '',
  Username char(64) NOT NULL DEFAULT '',
  Password char(64) NOT NULL DEFAULT '',
  Port int NOT NULL DEFAULT '0',
  Socket char(64) NOT NULL DEFAULT '',
  Wrapper char(64) NOT NULL DEFAULT '',
  Owner char(64) NOT NULL DEFAULT '',
  PRIMARY KEY (Server_name)
) ENGINE=InnoDB COMMENT='MySQL Foreign Servers table';

CREATE TABLE slow_log (
  start_time timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  user_host mediumtext NOT NULL,
  query_time time(6) NOT NULL,
  lock_time time(6) NOT NULL,
  rows_sent int NOT NULL,
  rows_examined int NOT NULL,
  db varchar(512) NOT NULL,
  last_insert_id int NOT NULL,
  insert_id int NOT NULL,
  server_id int unsigned NOT NULL,
  sql_text mediumblob NOT NULL,
  thread_id bigint unsigned NOT NULL
) ENGINE=CSV COMMENT='Slow log';

CREATE TABLE tables_priv (
  Host char(255) COLLATE utf8mb4_general_ci NOT NULL DEFAULT '',
  Db char(64) NOT NULL DEFAULT '',
  User char(32) NOT NULL DEFAULT '',
  Table_name char(64) NOT NULL DEFAULT '',
  Grantor varchar(288) NOT NULL DEFAULT '',
  Timestamp timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  Table_priv varchar(98) COLLATE utf8mb4_general_ci NOT NULL DEFAULT '',
  Column_priv varchar(31) COLLATE utf8mb4_general_ci NOT NULL DEFAULT '',
  PRIMARY KEY (Host,User,Db,Table_name),
  KEY Grantor (Grantor)
) ENGINE=InnoDB COLLATE=utf8mb4_bin COMMENT='Table privileges';

CREATE TABLE time_zone (
  Time_zone_id int unsigned NOT NULL AUTO_INCREMENT,
  Use_leap_seconds enum('Y','N') NOT NULL DEFAULT 'N',
  PRIMARY KEY (Time_zone_id)
) ENGINE=InnoDB COMMENT='Time zones';

CREATE TABLE time_zone_leap_second (
  Transition_time bigint NOT NULL,
  Correction int NOT NULL,
  PRIMARY KEY (Transition_time)
) ENGINE=InnoDB COMMENT='Leap seconds information for time zones';

CREATE TABLE time_zone_name (
  Name char(64) NOT NULL,
  Time_zone_id int unsigned NOT NULL,
  PRIMARY KEY (Name)
) ENGINE=InnoDB COMMENT='Time zone names';

CREATE TABLE time_zone_transition (
  Time_zone_id int unsigned NOT NULL,
  Transition_time bigint NOT NULL,
  Transition_type_id int unsigned NOT NULL,
  PRIMARY KEY (Time_zone_id,Transition_time)
) ENGINE=InnoDB COMMENT='Time zone transitions';

CREATE TABLE time_zone_transition_type (
  Time_zone_id int unsigned NOT NULL,
  Transition_type_id int unsigned NOT NULL,
  Offset int NOT NULL DEFAULT '0',
  Is_DST tinyint unsigned NOT NULL DEFAULT '0',
  Abbreviation char(8) NOT NULL DEFAULT '',
  PRIMARY KEY (Time_zone_id,Transition_type_id)
) ENGINE=InnoDB COMMENT='Time zone transition types';

CREATE TABLE user (
  Host char(255) COLLATE utf8mb4_general_ci NOT NULL DEFAULT '',
  User char(32) NOT NULL DEFAULT '',
  Select_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Insert_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Update_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Delete_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Create_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Drop_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Reload_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Shutdown_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Process_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  File_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Grant_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  References_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Index_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Alter_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Show_db_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Super_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Create_tmp_table_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Lock_tables_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Execute_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Repl_slave_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Repl_client_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Create_view_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Show_view_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Create_routine_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Alter_routine_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Create_user_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Event_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Trigger_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Create_tablespace_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  ssl_type enum('','ANY','X509','SPECIFIED') COLLATE utf8mb4_general_ci NOT NULL DEFAULT '',
  ssl_cipher blob NOT NULL,
  x509_issuer blob NOT NULL,
  x509_subject blob NOT NULL,
  max_questions int unsigned NOT NULL DEFAULT '0',
  max_updates int unsigned NOT NULL DEFAULT '0',
  max_connections int unsigned NOT NULL DEFAULT '0',
  max_user_connections int unsigned NOT NULL DEFAULT '0',
  plugin char(64) NOT NULL DEFAULT 'caching_sha2_password',
  authentication_string text,
  password_expired enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  password_last_changed timestamp NULL DEFAULT NULL,
  password_lifetime smallint unsigned DEFAULT NULL,
  account_locked enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Create_role_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Drop_role_priv enum('N','Y') COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'N',
  Password_reuse_history smallint unsigned DEFAULT NULL,
  Password_reuse_time smallint unsigned DEFAULT NULL,
  Password_require_current enum('N','Y') COLLATE utf8mb4_general_ci DEFAULT NULL,
  User_attributes json DEFAULT NULL,
  PRIMARY KEY (Host,User)
) ENGINE=InnoDB COLLATE=utf8mb4_bin COMMENT='Users and global privileges';
