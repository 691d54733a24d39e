//! The list of system variables, sorted by name.
//!
//! Not here: their values (`variables`).

use values::ErrorCode;

use results::{Result, SqlError};

/// What a variable's values look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// ON or OFF; 1 or 0 in SELECT.
    Switch,
    /// A whole number.
    Number,
    /// A number with a fraction.
    Fraction,
    /// Text.
    Text,
}

/// Where a variable can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// By a session for itself, and globally.
    Both,
    /// Only globally.
    Global,
    /// Only by a session for itself.
    Session,
    /// Nowhere.
    ReadOnly,
}

/// A variable.
#[derive(Debug)]
pub struct Definition {
    /// Its name, lower case.
    pub name: &'static str,
    /// What its values look like.
    pub kind: Kind,
    /// Its value if nobody says otherwise.
    pub default: &'static str,
    /// Where it can be set.
    pub reach: Reach,
}

impl Definition {
    /// Whether it can be set there.
    ///
    /// # Errors
    /// 1238 when nobody can set it, 1229 when it is global and a session's was meant.
    pub fn check_settable(&self, global: bool) -> Result<()> {
        match self.reach {
            Reach::ReadOnly => Err(SqlError::new(
                ErrorCode::IncorrectGlobalLocalVar,
                format!("Variable '{}' is a read only variable", self.name),
            )),
            Reach::Global if !global => Err(SqlError::new(
                ErrorCode::GlobalVariable,
                format!(
                    "Variable '{}' is a GLOBAL variable and should be set with SET GLOBAL",
                    self.name
                ),
            )),
            Reach::Session if global => Err(SqlError::new(
                ErrorCode::LocalVariable,
                format!(
                    "Variable '{}' is a SESSION variable and can't be used with SET GLOBAL",
                    self.name
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Whether it has a value of a session's own, and one for all of them.
    fn has_scopes(&self) -> (bool, bool) {
        const OF_BOTH: [&str; 5] = [
            "default_table_encryption",
            "gtid_owned",
            "innodb_ft_user_stopword_table",
            "restrict_fk_on_non_standard_key",
            "xa_detach_on_prepare",
        ];
        const OF_SESSION: [&str; 4] =
            ["error_count", "external_user", "proxy_user", "warning_count"];
        match self.reach {
            Reach::Both => (true, true),
            Reach::Session => (true, false),
            Reach::ReadOnly if OF_BOTH.contains(&self.name) => (true, true),
            Reach::ReadOnly if OF_SESSION.contains(&self.name) => (true, false),
            Reach::Global | Reach::ReadOnly => (false, true),
        }
    }

    /// Whether its value is there in the scope that a name says: `@@session.`, `@@global.`.
    ///
    /// # Errors
    /// 1238 where it is not.
    pub fn check_scope(&self, global: bool) -> Result<()> {
        let scope = match self.has_scopes() {
            (_, false) if global => "SESSION",
            (false, _) if !global => "GLOBAL",
            _ => return Ok(()),
        };
        let message = format!("Variable '{}' is a {scope} variable", self.name);
        Err(SqlError::new(ErrorCode::IncorrectGlobalLocalVar, message))
    }
}

const fn variable(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    reach: Reach,
) -> Definition {
    Definition { name, kind, default, reach }
}

/// All variables, sorted by name.
pub static VARIABLES: [Definition; 288] = [
    variable("activate_all_roles_on_login", Kind::Switch, "OFF", Reach::Global),
    variable("authentication_policy", Kind::Text, "*,,", Reach::ReadOnly),
    variable("auto_increment_increment", Kind::Number, "1", Reach::Both),
    variable("auto_increment_offset", Kind::Number, "1", Reach::Both),
    variable("autocommit", Kind::Switch, "ON", Reach::Both),
    variable("back_log", Kind::Number, "151", Reach::ReadOnly),
    variable("basedir", Kind::Text, "/", Reach::ReadOnly),
    variable("big_tables", Kind::Switch, "OFF", Reach::Both),
    variable("bind_address", Kind::Text, "127.0.0.1", Reach::ReadOnly),
    variable("binlog_format", Kind::Text, "ROW", Reach::Both),
    variable("block_encryption_mode", Kind::Text, "aes-128-ecb", Reach::Both),
    variable("bulk_insert_buffer_size", Kind::Number, "8388608", Reach::Both),
    variable("character_set_client", Kind::Text, "utf8mb4", Reach::Both),
    variable("character_set_connection", Kind::Text, "utf8mb4", Reach::Both),
    variable("character_set_database", Kind::Text, "utf8mb4", Reach::Both),
    variable("character_set_filesystem", Kind::Text, "binary", Reach::Both),
    variable("character_set_results", Kind::Text, "utf8mb4", Reach::Both),
    variable("character_set_server", Kind::Text, "utf8mb4", Reach::Both),
    variable("character_set_system", Kind::Text, "utf8mb3", Reach::ReadOnly),
    variable("character_sets_dir", Kind::Text, "", Reach::ReadOnly),
    variable("check_proxy_users", Kind::Switch, "OFF", Reach::ReadOnly),
    variable("collation_connection", Kind::Text, "utf8mb4_general_ci", Reach::Both),
    variable("collation_database", Kind::Text, "utf8mb4_general_ci", Reach::Both),
    variable("collation_server", Kind::Text, "utf8mb4_general_ci", Reach::Both),
    variable("completion_type", Kind::Text, "NO_CHAIN", Reach::Both),
    variable("concurrent_insert", Kind::Text, "AUTO", Reach::Global),
    variable("connect_timeout", Kind::Number, "10", Reach::Global),
    variable("cte_max_recursion_depth", Kind::Number, "1000", Reach::Both),
    variable("datadir", Kind::Text, "./", Reach::ReadOnly),
    variable("date_format", Kind::Text, "%Y-%m-%d", Reach::ReadOnly),
    variable("datetime_format", Kind::Text, "%Y-%m-%d %H:%i:%s", Reach::ReadOnly),
    variable("default_authentication_plugin", Kind::Text, "mysql_native_password", Reach::ReadOnly),
    variable("default_collation_for_utf8mb4", Kind::Text, "utf8mb4_general_ci", Reach::Both),
    variable("default_password_lifetime", Kind::Number, "0", Reach::Global),
    variable("default_storage_engine", Kind::Text, "InnoDB", Reach::Both),
    variable("default_table_encryption", Kind::Switch, "OFF", Reach::ReadOnly),
    variable("default_tmp_storage_engine", Kind::Text, "InnoDB", Reach::Both),
    variable("default_week_format", Kind::Number, "0", Reach::Both),
    variable("delay_key_write", Kind::Text, "ON", Reach::Global),
    variable("disabled_storage_engines", Kind::Text, "", Reach::ReadOnly),
    variable("disconnect_on_expired_password", Kind::Switch, "ON", Reach::ReadOnly),
    variable("div_precision_increment", Kind::Number, "4", Reach::Both),
    variable("eq_range_index_dive_limit", Kind::Number, "200", Reach::Both),
    variable("error_count", Kind::Number, "0", Reach::ReadOnly),
    variable("event_scheduler", Kind::Text, "ON", Reach::Global),
    variable("explain_format", Kind::Text, "TRADITIONAL", Reach::Both),
    variable("explain_json_format_version", Kind::Number, "1", Reach::Both),
    variable("explicit_defaults_for_timestamp", Kind::Switch, "ON", Reach::Both),
    variable("external_user", Kind::Text, "", Reach::ReadOnly),
    variable("flush", Kind::Switch, "OFF", Reach::Global),
    variable("flush_time", Kind::Number, "0", Reach::ReadOnly),
    variable("foreign_key_checks", Kind::Switch, "ON", Reach::Both),
    variable("ft_boolean_syntax", Kind::Text, "+ -><()~*:\"\"&|", Reach::ReadOnly),
    variable("ft_max_word_len", Kind::Number, "84", Reach::ReadOnly),
    variable("ft_min_word_len", Kind::Number, "4", Reach::ReadOnly),
    variable("ft_query_expansion_limit", Kind::Number, "20", Reach::ReadOnly),
    variable("ft_stopword_file", Kind::Text, "(built-in)", Reach::ReadOnly),
    variable("general_log", Kind::Switch, "OFF", Reach::Global),
    variable("general_log_file", Kind::Text, "", Reach::ReadOnly),
    variable("generated_random_password_length", Kind::Number, "20", Reach::Both),
    variable("group_concat_max_len", Kind::Number, "1048576", Reach::Both),
    variable("gtid_executed", Kind::Text, "", Reach::ReadOnly),
    variable("gtid_mode", Kind::Text, "OFF", Reach::Global),
    variable("gtid_next", Kind::Text, "AUTOMATIC", Reach::Session),
    variable("gtid_owned", Kind::Text, "", Reach::ReadOnly),
    variable("gtid_purged", Kind::Text, "", Reach::Global),
    variable("have_dynamic_loading", Kind::Text, "NO", Reach::ReadOnly),
    variable("have_geometry", Kind::Text, "NO", Reach::ReadOnly),
    variable("have_openssl", Kind::Text, "DISABLED", Reach::ReadOnly),
    variable("have_profiling", Kind::Text, "NO", Reach::ReadOnly),
    variable("have_query_cache", Kind::Text, "NO", Reach::ReadOnly),
    variable("have_rtree_keys", Kind::Text, "NO", Reach::ReadOnly),
    variable("have_ssl", Kind::Text, "DISABLED", Reach::ReadOnly),
    variable("have_statement_timeout", Kind::Text, "YES", Reach::ReadOnly),
    variable("have_symlink", Kind::Text, "DISABLED", Reach::ReadOnly),
    variable("histogram_generation_max_mem_size", Kind::Number, "20000000", Reach::Both),
    variable("host_cache_size", Kind::Number, "0", Reach::ReadOnly),
    variable("hostname", Kind::Text, "localhost", Reach::ReadOnly),
    variable("identity", Kind::Number, "0", Reach::Session),
    variable("information_schema_stats_expiry", Kind::Number, "86400", Reach::Both),
    variable("init_connect", Kind::Text, "", Reach::Global),
    variable("init_file", Kind::Text, "", Reach::ReadOnly),
    variable("innodb_autoinc_lock_mode", Kind::Number, "2", Reach::ReadOnly),
    variable("innodb_buffer_pool_size", Kind::Number, "134217728", Reach::Global),
    variable("innodb_deadlock_detect", Kind::Switch, "ON", Reach::ReadOnly),
    variable("innodb_default_row_format", Kind::Text, "dynamic", Reach::Global),
    variable("innodb_file_per_table", Kind::Switch, "ON", Reach::Global),
    variable("innodb_flush_log_at_trx_commit", Kind::Number, "1", Reach::Global),
    variable("innodb_ft_enable_stopword", Kind::Switch, "ON", Reach::Both),
    variable("innodb_ft_max_token_size", Kind::Number, "84", Reach::ReadOnly),
    variable("innodb_ft_min_token_size", Kind::Number, "3", Reach::ReadOnly),
    variable("innodb_ft_server_stopword_table", Kind::Text, "", Reach::ReadOnly),
    variable("innodb_ft_user_stopword_table", Kind::Text, "", Reach::ReadOnly),
    variable("innodb_lock_wait_timeout", Kind::Number, "50", Reach::Both),
    variable("innodb_log_file_size", Kind::Number, "50331648", Reach::ReadOnly),
    variable("innodb_log_files_in_group", Kind::Number, "1", Reach::ReadOnly),
    variable("innodb_lru_scan_depth", Kind::Number, "1024", Reach::Global),
    variable("innodb_page_size", Kind::Number, "16384", Reach::ReadOnly),
    variable("innodb_read_only", Kind::Switch, "OFF", Reach::ReadOnly),
    variable("innodb_rollback_on_timeout", Kind::Switch, "OFF", Reach::ReadOnly),
    variable("innodb_stats_auto_recalc", Kind::Switch, "ON", Reach::Global),
    variable("innodb_stats_include_delete_marked", Kind::Switch, "OFF", Reach::Global),
    variable("innodb_stats_method", Kind::Text, "nulls_equal", Reach::Global),
    variable("innodb_stats_on_metadata", Kind::Switch, "OFF", Reach::Global),
    variable("innodb_stats_persistent", Kind::Switch, "ON", Reach::Global),
    variable("innodb_stats_persistent_sample_pages", Kind::Number, "20", Reach::Global),
    variable("innodb_stats_transient_sample_pages", Kind::Number, "8", Reach::Global),
    variable("innodb_strict_mode", Kind::Switch, "ON", Reach::Both),
    variable("innodb_thread_concurrency", Kind::Number, "0", Reach::ReadOnly),
    variable("innodb_version", Kind::Text, "8.0.36", Reach::ReadOnly),
    variable("insert_id", Kind::Number, "0", Reach::Session),
    variable("interactive_timeout", Kind::Number, "28800", Reach::Both),
    variable("internal_tmp_mem_storage_engine", Kind::Text, "TempTable", Reach::Both),
    variable("join_buffer_size", Kind::Number, "262144", Reach::Both),
    variable("keep_files_on_create", Kind::Switch, "OFF", Reach::Both),
    variable("key_buffer_size", Kind::Number, "8388608", Reach::Global),
    variable("key_cache_block_size", Kind::Number, "1024", Reach::Global),
    variable("large_files_support", Kind::Switch, "ON", Reach::ReadOnly),
    variable("large_pages", Kind::Switch, "OFF", Reach::ReadOnly),
    variable("last_insert_id", Kind::Number, "0", Reach::Session),
    variable("lc_messages", Kind::Text, "en_US", Reach::Both),
    variable("lc_time_names", Kind::Text, "en_US", Reach::Both),
    variable("license", Kind::Text, "Apache-2.0", Reach::ReadOnly),
    variable("local_infile", Kind::Switch, "ON", Reach::Global),
    variable("lock_wait_timeout", Kind::Number, "50", Reach::Both),
    variable("locked_in_memory", Kind::Switch, "OFF", Reach::ReadOnly),
    variable("log_bin", Kind::Switch, "OFF", Reach::ReadOnly),
    variable("log_bin_basename", Kind::Text, "", Reach::ReadOnly),
    variable("log_bin_index", Kind::Text, "", Reach::ReadOnly),
    variable("log_bin_trust_function_creators", Kind::Switch, "OFF", Reach::Global),
    variable("log_error", Kind::Text, "stderr", Reach::ReadOnly),
    variable("log_output", Kind::Text, "FILE", Reach::Global),
    variable("log_queries_not_using_indexes", Kind::Switch, "OFF", Reach::Global),
    variable("log_raw", Kind::Switch, "OFF", Reach::ReadOnly),
    variable("log_replica_updates", Kind::Switch, "OFF", Reach::ReadOnly),
    variable("log_slave_updates", Kind::Switch, "OFF", Reach::ReadOnly),
    variable("log_slow_admin_statements", Kind::Switch, "OFF", Reach::Global),
    variable("log_slow_extra", Kind::Switch, "OFF", Reach::Global),
    variable("log_throttle_queries_not_using_indexes", Kind::Number, "0", Reach::Global),
    variable("log_timestamps", Kind::Text, "UTC", Reach::ReadOnly),
    variable("long_query_time", Kind::Fraction, "10.000000", Reach::Both),
    variable("low_priority_updates", Kind::Switch, "OFF", Reach::Both),
    variable("lower_case_file_system", Kind::Switch, "OFF", Reach::ReadOnly),
    variable("lower_case_table_names", Kind::Number, "0", Reach::ReadOnly),
    variable("mandatory_roles", Kind::Text, "", Reach::Global),
    variable("max_allowed_packet", Kind::Number, "67108864", Reach::Both),
    variable("max_connect_errors", Kind::Number, "100", Reach::Global),
    variable("max_connections", Kind::Number, "10000", Reach::Global),
    variable("max_digest_length", Kind::Number, "1024", Reach::ReadOnly),
    variable("max_error_count", Kind::Number, "1024", Reach::Both),
    variable("max_execution_time", Kind::Number, "0", Reach::Both),
    variable("max_heap_table_size", Kind::Number, "16777216", Reach::Both),
    variable("max_join_size", Kind::Number, "18446744073709551615", Reach::Both),
    variable("max_length_for_sort_data", Kind::Number, "4096", Reach::Both),
    variable("max_prepared_stmt_count", Kind::Number, "16382", Reach::Global),
    variable("max_sort_length", Kind::Number, "1024", Reach::Both),
    variable("max_statement_time", Kind::Fraction, "0", Reach::Both),
    variable("max_user_connections", Kind::Number, "0", Reach::Both),
    variable("min_examined_row_limit", Kind::Number, "0", Reach::Both),
    variable("myisam_sort_buffer_size", Kind::Number, "8388608", Reach::Both),
    variable("net_buffer_length", Kind::Number, "16384", Reach::Both),
    variable("net_read_timeout", Kind::Number, "30", Reach::Both),
    variable("net_retry_count", Kind::Number, "10", Reach::Both),
    variable("net_write_timeout", Kind::Number, "60", Reach::Both),
    variable("new", Kind::Switch, "OFF", Reach::Both),
    variable("ngram_token_size", Kind::Number, "2", Reach::ReadOnly),
    variable("note_verbosity", Kind::Text, "basic,explain", Reach::Both),
    variable("offline_mode", Kind::Switch, "OFF", Reach::ReadOnly),
    variable("old_alter_table", Kind::Switch, "OFF", Reach::Both),
    variable("old_passwords", Kind::Number, "0", Reach::Both),
    variable("open_files_limit", Kind::Number, "1048576", Reach::ReadOnly),
    variable("optimizer_prune_level", Kind::Number, "1", Reach::Both),
    variable("optimizer_search_depth", Kind::Number, "62", Reach::Both),
    variable(
        "optimizer_switch",
        Kind::Text,
        "index_merge=on,index_merge_union=on,index_merge_sort_union=on,index_merge_intersection=on,\
         engine_condition_pushdown=on,index_condition_pushdown=on,mrr=on,mrr_cost_based=on,\
         block_nested_loop=on,batched_key_access=off,materialization=on,semijoin=on,loosescan=on,\
         firstmatch=on,duplicateweedout=on,subquery_materialization_cost_based=on,\
         use_index_extensions=on,condition_fanout_filter=on,derived_merge=on,\
         use_invisible_indexes=off,skip_scan=on,hash_join=on,subquery_to_derived=off,\
         prefer_ordering_index=on,hypergraph_optimizer=off,derived_condition_pushdown=on,\
         hash_set_operations=on",
        Reach::Both,
    ),
    variable("optimizer_trace", Kind::Text, "enabled=off,one_line=off", Reach::Both),
    variable(
        "optimizer_trace_features",
        Kind::Text,
        "greedy_search=on,range_optimizer=on,dynamic_range=on,repeated_subselect=on",
        Reach::Both,
    ),
    variable("optimizer_trace_limit", Kind::Number, "1", Reach::Both),
    variable("optimizer_trace_max_mem_size", Kind::Number, "1048576", Reach::Both),
    variable("partial_revokes", Kind::Switch, "OFF", Reach::ReadOnly),
    variable("password_history", Kind::Number, "0", Reach::Global),
    variable("password_require_current", Kind::Switch, "OFF", Reach::Global),
    variable("password_reuse_interval", Kind::Number, "0", Reach::Global),
    variable("performance_schema", Kind::Switch, "ON", Reach::ReadOnly),
    variable("performance_schema_max_digest_length", Kind::Number, "1024", Reach::ReadOnly),
    variable("performance_schema_max_sql_text_length", Kind::Number, "1024", Reach::ReadOnly),
    variable("pid_file", Kind::Text, "", Reach::ReadOnly),
    variable("plugin_dir", Kind::Text, "", Reach::ReadOnly),
    variable("port", Kind::Number, "3306", Reach::ReadOnly),
    variable("preload_buffer_size", Kind::Number, "32768", Reach::Both),
    variable("print_identified_with_as_hex", Kind::Switch, "OFF", Reach::Both),
    variable("profiling", Kind::Switch, "OFF", Reach::Both),
    variable("profiling_history_size", Kind::Number, "15", Reach::Both),
    variable("progress_report_time", Kind::Number, "5", Reach::Both),
    variable("protocol_version", Kind::Number, "10", Reach::ReadOnly),
    variable("proxy_user", Kind::Text, "", Reach::ReadOnly),
    variable("pseudo_replica_mode", Kind::Switch, "OFF", Reach::Session),
    variable("pseudo_slave_mode", Kind::Switch, "OFF", Reach::Session),
    variable("pseudo_thread_id", Kind::Number, "0", Reach::Session),
    variable("query_alloc_block_size", Kind::Number, "8192", Reach::Both),
    variable("query_cache_limit", Kind::Number, "1048576", Reach::Global),
    variable("query_cache_size", Kind::Number, "0", Reach::Global),
    variable("query_cache_type", Kind::Text, "OFF", Reach::Both),
    variable("query_prealloc_size", Kind::Number, "8192", Reach::Both),
    variable("rand_seed1", Kind::Number, "0", Reach::Session),
    variable("rand_seed2", Kind::Number, "0", Reach::Session),
    variable("range_alloc_block_size", Kind::Number, "4096", Reach::Both),
    variable("range_optimizer_max_mem_size", Kind::Number, "8388608", Reach::Both),
    variable("read_buffer_size", Kind::Number, "131072", Reach::Both),
    variable("read_only", Kind::Switch, "OFF", Reach::Global),
    variable("read_rnd_buffer_size", Kind::Number, "262144", Reach::Both),
    variable("require_secure_transport", Kind::Switch, "OFF", Reach::Global),
    variable("restrict_fk_on_non_standard_key", Kind::Switch, "ON", Reach::ReadOnly),
    variable("rowhouse_durability", Kind::Text, "every-commit", Reach::Both),
    variable("rowhouse_executor", Kind::Text, "auto", Reach::Both),
    variable("secure_file_priv", Kind::Text, "NULL", Reach::ReadOnly),
    variable("server_id", Kind::Number, "1", Reach::Global),
    variable("server_uuid", Kind::Text, "00000000-0000-0000-0000-000000000000", Reach::ReadOnly),
    variable("session_track_gtids", Kind::Text, "OFF", Reach::Both),
    variable("session_track_schema", Kind::Switch, "ON", Reach::Both),
    variable("session_track_state_change", Kind::Switch, "OFF", Reach::Both),
    variable("session_track_system_variables", Kind::Text, "time_zone,autocommit", Reach::Both),
    variable("session_track_transaction_info", Kind::Text, "OFF", Reach::Both),
    variable("show_create_table_verbosity", Kind::Switch, "OFF", Reach::Both),
    variable("show_old_temporals", Kind::Switch, "OFF", Reach::Both),
    variable("skip_external_locking", Kind::Switch, "ON", Reach::ReadOnly),
    variable("skip_name_resolve", Kind::Switch, "ON", Reach::ReadOnly),
    variable("skip_networking", Kind::Switch, "OFF", Reach::ReadOnly),
    variable("skip_show_database", Kind::Switch, "OFF", Reach::ReadOnly),
    variable("slow_query_log", Kind::Switch, "OFF", Reach::Global),
    variable("slow_query_log_file", Kind::Text, "", Reach::ReadOnly),
    variable("socket", Kind::Text, "", Reach::ReadOnly),
    variable("sort_buffer_size", Kind::Number, "262144", Reach::Both),
    variable("sql_auto_is_null", Kind::Switch, "OFF", Reach::Both),
    variable("sql_big_selects", Kind::Switch, "ON", Reach::Both),
    variable("sql_buffer_result", Kind::Switch, "OFF", Reach::Both),
    variable("sql_generate_invisible_primary_key", Kind::Switch, "OFF", Reach::Both),
    variable("sql_log_bin", Kind::Switch, "ON", Reach::Session),
    variable("sql_log_off", Kind::Switch, "OFF", Reach::Both),
    variable(
        "sql_mode",
        Kind::Text,
        "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION",
        Reach::Both,
    ),
    variable("sql_notes", Kind::Switch, "ON", Reach::Both),
    variable("sql_quote_show_create", Kind::Switch, "ON", Reach::Both),
    variable("sql_replica_skip_counter", Kind::Number, "0", Reach::Global),
    variable("sql_require_primary_key", Kind::Switch, "OFF", Reach::Both),
    variable("sql_safe_updates", Kind::Switch, "OFF", Reach::Both),
    variable("sql_select_limit", Kind::Number, "18446744073709551615", Reach::Both),
    variable("sql_slave_skip_counter", Kind::Number, "0", Reach::Global),
    variable("sql_warnings", Kind::Switch, "OFF", Reach::Both),
    variable("ssl_ca", Kind::Text, "", Reach::ReadOnly),
    variable("ssl_capath", Kind::Text, "", Reach::ReadOnly),
    variable("ssl_cert", Kind::Text, "", Reach::ReadOnly),
    variable("ssl_cipher", Kind::Text, "", Reach::ReadOnly),
    variable("ssl_crl", Kind::Text, "", Reach::ReadOnly),
    variable("ssl_crlpath", Kind::Text, "", Reach::ReadOnly),
    variable("ssl_fips_mode", Kind::Text, "OFF", Reach::ReadOnly),
    variable("ssl_key", Kind::Text, "", Reach::ReadOnly),
    variable("storage_engine", Kind::Text, "InnoDB", Reach::Both),
    variable("super_read_only", Kind::Switch, "OFF", Reach::Global),
    variable("system_time_zone", Kind::Text, "UTC", Reach::ReadOnly),
    variable("table_definition_cache", Kind::Number, "400000", Reach::Global),
    variable("table_open_cache", Kind::Number, "400000", Reach::Global),
    variable("thread_cache_size", Kind::Number, "9", Reach::Global),
    variable("thread_handling", Kind::Text, "one-thread-per-connection", Reach::ReadOnly),
    variable("thread_stack", Kind::Number, "1048576", Reach::ReadOnly),
    variable("time_format", Kind::Text, "%H:%i:%s", Reach::ReadOnly),
    variable("time_zone", Kind::Text, "SYSTEM", Reach::Both),
    variable("timestamp", Kind::Fraction, "0", Reach::Session),
    variable("tls_ciphersuites", Kind::Text, "", Reach::ReadOnly),
    variable("tls_version", Kind::Text, "", Reach::ReadOnly),
    variable("tmp_table_size", Kind::Number, "16777216", Reach::Both),
    variable("tmpdir", Kind::Text, "/tmp", Reach::ReadOnly),
    variable("transaction_alloc_block_size", Kind::Number, "8192", Reach::Both),
    variable("transaction_isolation", Kind::Text, "REPEATABLE-READ", Reach::Both),
    variable("transaction_prealloc_size", Kind::Number, "4096", Reach::Both),
    variable("transaction_read_only", Kind::Switch, "OFF", Reach::Both),
    variable("tx_isolation", Kind::Text, "REPEATABLE-READ", Reach::Both),
    variable("tx_read_only", Kind::Switch, "OFF", Reach::Both),
    variable("unique_checks", Kind::Switch, "ON", Reach::Both),
    variable("updatable_views_with_limit", Kind::Text, "YES", Reach::Both),
    variable("use_secondary_engine", Kind::Text, "ON", Reach::Session),
    variable("version", Kind::Text, "", Reach::ReadOnly),
    variable("version_comment", Kind::Text, "Rowhouse", Reach::ReadOnly),
    variable("version_compile_machine", Kind::Text, "x86_64", Reach::ReadOnly),
    variable("version_compile_os", Kind::Text, "Linux", Reach::ReadOnly),
    variable("version_compile_zlib", Kind::Text, "1.2.13", Reach::ReadOnly),
    variable("wait_timeout", Kind::Number, "28800", Reach::Both),
    variable("warning_count", Kind::Number, "0", Reach::ReadOnly),
    variable("windowing_use_high_precision", Kind::Switch, "ON", Reach::Both),
    variable("xa_detach_on_prepare", Kind::Switch, "ON", Reach::ReadOnly),
];
