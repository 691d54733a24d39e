//! `performance_schema`: what the server does and did, as tables under MySQL's names and columns,
//! which tools read. All tables of MySQL 9.7 are here; those of what this server has none of, or
//! counts nothing of, have no rows.
//!
//! A column of which nothing is known here is 0 or NULL, never a guess. Times are in picoseconds,
//! as in MySQL.
//!
//! Not here: what they are made of (`server`, `variables`), what it has in common with other
//! schemas of the server's own (`system_schema`).

mod digests;
mod index_usage;
mod locks;
mod metadata_locks;
mod sessions;
mod setup;
mod sums;

use std::sync::LazyLock;

use super::listed_columns::{ListedTables, TableFiller};
use crate::server::Sql;
use crate::show::{self, Listing};
use crate::system_schema::information_schema::renamed;
use crate::system_schema::{ListedSchema as _, ListingContext, SystemSchema};
use access::Privilege;
pub(super) use metadata_locks::{MetadataLock, all as all_metadata_locks};
use plan::listing::AskedTables;
use results::{Result, SqlError};
pub(super) use sums::{GroupedBy, grouped};
use values::ErrorCode;

/// What the tables are like.
static LISTED: LazyLock<ListedTables> =
    LazyLock::new(|| ListedTables::parse(include_str!("performance_schema/tables.txt")));

/// The tables there are.
pub static TABLES: LazyLock<Vec<&'static str>> = LazyLock::new(|| LISTED.names().collect());

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
        "data_lock_waits" => locks::waits(facts, asked),
        "data_locks" => locks::locks(facts, asked),
        _ => {
            let Some(mut table) = LISTED.table(&lower) else { return Ok(None) };
            if !asked.are_none() {
                fill(facts, &lower, &mut table);
            }
            table.listing()
        }
    };
    if asked.are_none() {
        made.rows.clear();
    }
    Ok(Some(made))
}

/// Adds the rows of a table.
fn fill(facts: &ListingContext<'_>, name: &str, table: &mut TableFiller<'_>) {
    match name {
        "accounts" => sums::connections(facts, GroupedBy::Account, table),
        "users" => sums::connections(facts, GroupedBy::User, table),
        "hosts" => sums::connections(facts, GroupedBy::Host, table),
        "events_statements_current" => sessions::statements(facts, false, table),
        "events_statements_history" => sessions::statements(facts, true, table),
        "events_statements_histogram_by_digest" => digests::histograms(facts, table),
        "events_statements_histogram_global" => digests::histogram(facts, table),
        "events_statements_summary_by_account_by_event_name" => {
            sums::by_account(facts, GroupedBy::Account, table);
        }
        "events_statements_summary_by_digest" => digests::summary(facts, table),
        "events_statements_summary_by_host_by_event_name" => {
            sums::by_account(facts, GroupedBy::Host, table);
        }
        "events_statements_summary_by_thread_by_event_name" => sums::by_thread(facts, table),
        "events_statements_summary_by_user_by_event_name" => {
            sums::by_account(facts, GroupedBy::User, table);
        }
        "events_statements_summary_global_by_event_name" => sums::global(facts, table),
        "events_transactions_current" => sessions::transactions(facts, table),
        "metadata_locks" => metadata_locks::locks(facts, table),
        "processlist" => sessions::processlist(facts, table),
        "session_account_connect_attrs" => sessions::attributes(facts, true, table),
        "session_connect_attrs" => sessions::attributes(facts, false, table),
        "setup_actors" => setup::actors(table),
        "setup_consumers" => setup::consumers(table),
        "setup_instruments" => setup::instruments(table),
        "table_io_waits_summary_by_index_usage" => index_usage::by_index(facts, table),
        "table_io_waits_summary_by_table" => index_usage::by_table(facts, table),
        "threads" => sessions::threads(facts, table),
        "variables_info" => setup::variables(facts, table),
        _ => {}
    }
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
        || table == "session_account_connect_attrs";
    let name = SystemSchema::Performance.name();
    match is_everybodys || facts.rights.on_table(name, &table).has(Privilege::Select) {
        true => Ok(()),
        false => Err(SqlError::table_denied("SELECT", &facts.user, &table)),
    }
}

/// Tables that say what is counted; in MySQL they may be changed, here they say what is so.
const SETUP: &str = "setup_";

/// How names of tables begin that MySQL empties, and the names of the other ones.
const EMPTIED: [&str; 8] = [
    "events_",
    "file_summary_",
    "memory_",
    "objects_summary_",
    "socket_summary_",
    "status_by_",
    "table_io_waits_",
    "table_lock_waits_",
];
const EMPTIED_NAMES: [&str; 9] = [
    "accounts",
    "binary_log_transaction_compression_stats",
    "global_status",
    "host_cache",
    "hosts",
    "prepared_statements_instances",
    "setup_actors",
    "setup_objects",
    "users",
];

/// Error 1142, or 1146 for a table that is not there.
pub fn denied(verb: &str, user: &str, table: &str) -> SqlError {
    let name = table.to_ascii_lowercase();
    match TABLES.contains(&name.as_str()) {
        true => SqlError::table_denied(verb, user, &name),
        false => SystemSchema::Performance.unknown_table(&name),
    }
}

/// Why a table is not written to: 1683 where MySQL lets it be changed, else as `denied`.
pub fn why_not_written(verb: &str, user: &str, table: &str) -> SqlError {
    let name = table.to_ascii_lowercase();
    let may_be_changed = match verb {
        "UPDATE" => name.starts_with(SETUP) || name == "threads",
        _ => name == "setup_actors" || name == "setup_objects",
    };
    match may_be_changed && TABLES.contains(&name.as_str()) {
        true => SqlError::new(ErrorCode::WrongPerfschemaUsage, "Invalid performance_schema usage."),
        false => denied(verb, user, table),
    }
}

/// TRUNCATE: sets what a table counts back to nothing. A table of what is not counted here is empty
/// before it, and stays so.
///
/// # Errors
/// 1142 for one that says what there is; 1146.
pub fn truncate(sql: &Sql, table: &str, user: &str) -> Result<()> {
    let name = table.to_ascii_lowercase();
    let is_emptied = EMPTIED.iter().any(|prefix| name.starts_with(prefix))
        || EMPTIED_NAMES.contains(&name.as_str());
    if !is_emptied || !TABLES.contains(&name.as_str()) {
        return Err(denied("DROP", user, table));
    }
    match name.as_str() {
        "events_statements_summary_by_digest"
        | "events_statements_histogram_by_digest"
        | "events_statements_histogram_global" => sql.history().digests().forget(),
        // Truncating one of these empties them all: they are sums of the same.
        "accounts"
        | "hosts"
        | "users"
        | "events_statements_summary_by_account_by_event_name"
        | "events_statements_summary_by_host_by_event_name"
        | "events_statements_summary_by_thread_by_event_name"
        | "events_statements_summary_by_user_by_event_name"
        | "events_statements_summary_global_by_event_name" => sql.processes().forget_sums(),
        "table_io_waits_summary_by_table" | "table_io_waits_summary_by_index_usage" => {
            sql.engine().asked_keys().forget_uses();
        }
        _ => {}
    }
    Ok(())
}
