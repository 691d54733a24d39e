//! `sys`: views of what the server does that operators and tools ask for, under MySQL's names and
//! columns (MySQL 9.7, `sys`).
//!
//! A column of which nothing is known here is 0 or NULL, never a guess. Reading a view needs
//! SELECT.
//!
//! Not here: what they are made of (`performance_schema`, `server`, `rows::asked_keys`).

mod amounts;
mod indexes;
mod sessions;
mod statements;
mod waits;

use access::Privilege;
use plan::listing::{AskedTables, SystemSchema};
use results::{Result, SqlError};

use crate::show::Listing;
use crate::system_schema::ListingContext;

/// The views there are.
pub const TABLES: [&str; 6] = [
    "host_summary",
    "innodb_lock_waits",
    "schema_redundant_indexes",
    "schema_unused_indexes",
    "session",
    "statement_analysis",
];

/// A view by its name; `None` when there is none. Without its rows where nothing is asked of them.
pub fn made(facts: &ListingContext<'_>, table: &str, asked: &AskedTables<'_>) -> Option<Listing> {
    Some(match table.to_ascii_lowercase().as_str() {
        "host_summary" => sessions::hosts(facts, asked),
        "innodb_lock_waits" => waits::lock_waits(facts, asked),
        "schema_redundant_indexes" => indexes::redundant(facts, asked),
        "schema_unused_indexes" => indexes::unused(facts, asked),
        "session" => sessions::sessions(facts, asked),
        "statement_analysis" => statements::analysis(facts, asked),
        _ => return None,
    })
}

/// Refuses a view to those who may not read it.
///
/// # Errors
/// 1142.
pub fn check_readable(facts: &ListingContext<'_>, table: &str) -> Result<()> {
    match facts.rights.on_table(SystemSchema::Sys.name(), table).has(Privilege::Select) {
        true => Ok(()),
        false => Err(SqlError::table_denied("SELECT", &facts.user, table)),
    }
}
