//! `performance_schema`: what the server does and did, as tables under MySQL's names and columns,
//! which tools read.
//!
//! A column of which nothing is known here is 0 or NULL, never a guess. Times are in picoseconds,
//! as in MySQL.
//!
//! Not here: what they are made of (`server`, `variables`), what it has in common with other
//! schemas of the server's own (`system_schema`).

mod digests;
mod empty;
mod index_usage;
mod locks;
mod sessions;

use crate::server::Sql;
use crate::show::{self, Listing};
use crate::system_schema::information_schema::renamed;
use crate::system_schema::{ListingContext, SystemSchema};
use access::Privilege;
use empty::empty;
use plan::listing::AskedTables;
use results::{Result, SqlError};

/// The tables there are.
pub const TABLES: [&str; 25] = [
    "data_lock_waits",
    "data_locks",
    "events_statements_current",
    "events_statements_summary_by_digest",
    "events_waits_summary_global_by_event_name",
    "file_summary_by_event_name",
    "file_summary_by_instance",
    "global_status",
    "global_variables",
    "memory_summary_global_by_event_name",
    "metadata_locks",
    "processlist",
    "replication_applier_status",
    "replication_applier_status_by_worker",
    "replication_connection_configuration",
    "replication_connection_status",
    "replication_group_member_stats",
    "replication_group_members",
    "session_account_connect_attrs",
    "session_connect_attrs",
    "session_status",
    "session_variables",
    "table_io_waits_summary_by_index_usage",
    "table_io_waits_summary_by_table",
    "threads",
];

/// A table by its name, without regard to case; `None` when there is none. Without its rows where
/// nothing is asked of them.
///
/// # Errors
/// None; tables of other schemas have some.
pub fn made(
    facts: &ListingContext<'_>,
    table: &str,
    asked: &AskedTables<'_>,
) -> Result<Option<Listing>> {
    let names = &["VARIABLE_NAME", "VARIABLE_VALUE"];
    let lower = table.to_ascii_lowercase();
    let mut made = match lower.as_str() {
        "global_variables" => renamed(show::variables(facts.sql, None), names),
        "session_variables" => renamed(show::variables(facts.sql, Some(&facts.variables)), names),
        "global_status" | "session_status" => renamed(show::status(facts.sql, facts.tls), names),
        "events_statements_summary_by_digest" => digests::summary(facts, asked),
        "processlist" => sessions::processlist(facts),
        "threads" => sessions::threads(facts, asked),
        "data_lock_waits" => locks::waits(facts, asked),
        "data_locks" => locks::locks(facts, asked),
        "events_statements_current" => sessions::statements(facts, asked),
        "table_io_waits_summary_by_index_usage" => index_usage::usage(facts, asked),
        _ => match empty(&lower) {
            Some(names) => Listing::new(&names),
            None => return Ok(None),
        },
    };
    if asked.are_none() {
        made.rows.clear();
    }
    Ok(Some(made))
}

/// Refuses a table to those who may not read it: variables, status and one's own connections are
/// everybody's, all else needs SELECT (MySQL 8.0 manual, 29.1).
///
/// # Errors
/// 1142.
pub fn check_readable(facts: &ListingContext<'_>, table: &str) -> Result<()> {
    let table = table.to_ascii_lowercase();
    let is_everybodys = table.ends_with("_variables")
        || table.ends_with("_status") && !table.starts_with("replication")
        || table == "processlist"
        || table.ends_with("_connect_attrs");
    let name = SystemSchema::Performance.name();
    match is_everybodys || facts.rights.on_table(name, &table).has(Privilege::Select) {
        true => Ok(()),
        false => Err(SqlError::table_denied("SELECT", &facts.user, &table)),
    }
}

/// Sets a table that counts back to nothing; whether it is one.
pub fn truncate(sql: &Sql, table: &str) -> bool {
    let is_summary = table.eq_ignore_ascii_case("events_statements_summary_by_digest");
    if is_summary {
        sql.history().digests().forget();
    }
    is_summary
}
