//! Fuzz targets, one per decoder: each file is named after what it checks.
//!
//! A target takes any bytes and panics when a property of its decoder does not hold. libFuzzer
//! looks for such bytes (`scripts/fuzz`); the seeds in `corpus/`, and everything that was ever
//! found, are checked by `tests/corpus.rs` in every test run, without libFuzzer.
//!
//! Adding one: a file here, a row in `TARGETS`, seeds in `corpus/NAME/`.

pub mod account_statement;
pub mod catalog_definition;
pub mod certificate;
pub mod column;
pub mod encrypted_login;
pub mod file_csv;
pub mod file_parquet;
pub mod handlersocket_conversation;
pub mod handlersocket_line;
pub mod host_pattern;
pub mod key;
pub mod load_client;
pub mod load_lines;
pub mod load_split;
pub mod login_words;
pub mod memcached_binary;
pub mod memcached_login;
pub mod memcached_meta;
pub mod memcached_text;
pub mod memory;
pub mod mysql_command;
pub mod mysql_frame;
pub mod mysql_login;
pub mod mysql_parameters;
pub mod number_text;
pub mod panics;
pub mod row;
pub mod settings_file;
pub mod shapes;
pub mod sql_parse;
pub mod sql_scan;
pub mod temporal_text;
pub mod twins;
pub mod tyrant_binary;
pub mod tyrant_search;
pub mod tyrant_text;

/// Every target: its name, which is its file's and its corpus' as well, and its check.
pub const TARGETS: &[(&str, fn(&[u8]))] = &[
    ("account_statement", account_statement::check),
    ("catalog_definition", catalog_definition::check),
    ("certificate", certificate::check),
    ("column", column::check),
    ("encrypted_login", encrypted_login::check),
    ("file_csv", file_csv::check),
    ("file_parquet", file_parquet::check),
    ("handlersocket_conversation", handlersocket_conversation::check),
    ("handlersocket_line", handlersocket_line::check),
    ("host_pattern", host_pattern::check),
    ("key", key::check),
    ("load_client", load_client::check),
    ("load_lines", load_lines::check),
    ("load_split", load_split::check),
    ("memcached_binary", memcached_binary::check),
    ("memcached_login", memcached_login::check),
    ("memcached_meta", memcached_meta::check),
    ("memcached_text", memcached_text::check),
    ("mysql_command", mysql_command::check),
    ("mysql_frame", mysql_frame::check),
    ("mysql_login", mysql_login::check),
    ("mysql_parameters", mysql_parameters::check),
    ("number_text", number_text::check),
    ("row", row::check),
    ("settings_file", settings_file::check),
    ("sql_parse", sql_parse::check),
    ("sql_scan", sql_scan::check),
    ("temporal_text", temporal_text::check),
    ("tyrant_binary", tyrant_binary::check),
    ("tyrant_search", tyrant_search::check),
    ("tyrant_text", tyrant_text::check),
];
