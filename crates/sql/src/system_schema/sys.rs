//! `sys`: views of what the server does that operators and tools ask for, under MySQL's names and
//! columns. All views of MySQL 9.7 are here; those of what this server counts nothing of have no
//! rows.
//!
//! A column of which nothing is known here is 0 or NULL, never a guess. Reading a view needs
//! SELECT.
//!
//! Not here: what they are made of (`performance_schema`, `server`, `rows::asked_keys`).

mod accounts;
mod amounts;
mod indexes;
mod sessions;
mod statements;
mod waits;

use std::sync::LazyLock;

use access::Privilege;
use amounts::Amounts;
use plan::listing::{AskedTables, SystemSchema};
use results::{Result, SqlError};
use statements::ShownDigests;
use values::datum::Value;

use super::listed_columns::{ListedTables, TableFiller};
use super::performance_schema::GroupedBy;
use crate::show::{self, Listing, text};
use crate::system_schema::ListingContext;

/// What the views are like.
static LISTED: LazyLock<ListedTables> =
    LazyLock::new(|| ListedTables::parse(include_str!("sys/tables.txt")));

/// The views there are.
pub static TABLES: LazyLock<Vec<&'static str>> = LazyLock::new(|| LISTED.names().collect());

/// The version of MySQL's own `sys` whose columns these are.
const SYS_VERSION: &str = "2.1.3";

/// A view by its name; `None` when there is none. Without its rows where nothing is asked of them.
pub fn made(facts: &ListingContext<'_>, table: &str, asked: &AskedTables<'_>) -> Option<Listing> {
    let name = table.to_ascii_lowercase();
    let mut view = LISTED.table(&name)?;
    if !asked.are_none() {
        match name.strip_prefix("x$") {
            Some(name) => fill(facts, name, Amounts::Numbers, &mut view),
            None => fill(facts, &name, Amounts::Words, &mut view),
        }
    }
    Some(view.listing())
}

/// Adds the rows of a view.
fn fill(facts: &ListingContext<'_>, name: &str, amounts: Amounts, view: &mut TableFiller<'_>) {
    let (hosts, users) = (GroupedBy::Host, GroupedBy::User);
    let mut digests = |shown| statements::statements(facts, shown, amounts, view);
    match name {
        "statement_analysis" => digests(ShownDigests::All),
        "statements_with_errors_or_warnings" => digests(ShownDigests::Faults),
        "statements_with_full_table_scans" => digests(ShownDigests::TableScans),
        "statements_with_runtimes_in_95th_percentile" => digests(ShownDigests::Longest),
        "host_summary" => accounts::summary(facts, hosts, amounts, view),
        "host_summary_by_statement_latency" => accounts::by_latency(facts, hosts, amounts, view),
        "host_summary_by_statement_type" => accounts::by_type(facts, hosts, amounts, view),
        "innodb_lock_waits" => waits::lock_waits(facts, view),
        "memory_by_host_by_current_bytes" => accounts::memory(facts, hosts, amounts, view),
        "memory_by_thread_by_current_bytes" => accounts::memory_by_thread(facts, amounts, view),
        "memory_by_user_by_current_bytes" => accounts::memory(facts, users, amounts, view),
        "metrics" => metrics(facts, view),
        "processlist" | "session" => sessions::sessions(facts, amounts, view),
        "schema_index_statistics" => indexes::statistics(facts, true, view),
        "schema_redundant_indexes" => indexes::redundant(facts, view),
        "schema_table_lock_waits" => waits::table_lock_waits(facts, view),
        "schema_table_statistics" | "schema_table_statistics_with_buffer" => {
            indexes::statistics(facts, false, view);
        }
        "schema_unused_indexes" => indexes::unused(facts, view),
        "user_summary" => accounts::summary(facts, users, amounts, view),
        "user_summary_by_statement_latency" => accounts::by_latency(facts, users, amounts, view),
        "user_summary_by_statement_type" => accounts::by_type(facts, users, amounts, view),
        "sys_config" => settings(view),
        "version" => view.push(|column| match column {
            "sys_version" => Some(text(SYS_VERSION)),
            _ => Some(text(crate::server::SERVER_VERSION)),
        }),
        _ => {}
    }
}

/// `sys_config`: what nobody has set, but NULL where it is nothing.
fn settings(view: &mut TableFiller<'_>) {
    for (name, value) in expression::SYS_SETTINGS {
        view.push(|column| match column {
            "variable" => Some(text(name)),
            "value" => Some(text(value)).filter(|_| !value.is_empty()),
            _ => None,
        });
    }
}

/// `metrics`: the figures of SHOW GLOBAL STATUS.
fn metrics(facts: &ListingContext<'_>, view: &mut TableFiller<'_>) {
    for row in show::status(facts.sql, facts.tls).rows {
        let [Value::Bytes(name), value] = &row[..] else { continue };
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        view.push(|column| {
            Some(match column {
                "Variable_name" => text(&name),
                "Variable_value" => value.clone(),
                "Type" => text("Global Status"),
                "Enabled" => text("YES"),
                _ => return None,
            })
        });
    }
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
