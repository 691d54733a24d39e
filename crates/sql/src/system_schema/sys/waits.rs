//! `innodb_lock_waits`: who waits for which row, who has it, and how to end that.

use plan::listing::AskedTables;
use rows::row_lock_wait::LockMode;
use values::datum::Value;
use values::temporal::Timestamp;
use values::types::ColumnType;

use crate::show::{Listing, maybe, number, text};
use crate::system_schema::ListingContext;

/// A line for each transaction that waits and each that it waits for.
pub(super) fn lock_waits(facts: &ListingContext<'_>, asked: &AskedTables<'_>) -> Listing {
    let names = [
        "wait_started",
        "wait_age",
        "wait_age_secs#",
        "locked_table",
        "locked_table_schema",
        "locked_table_name",
        "locked_table_partition",
        "locked_table_subpartition",
        "locked_index",
        "locked_type",
        "waiting_trx_id#",
        "waiting_trx_started",
        "waiting_trx_age",
        "waiting_trx_rows_locked#",
        "waiting_trx_rows_modified#",
        "waiting_pid#",
        "waiting_query",
        "waiting_lock_id",
        "waiting_lock_mode",
        "blocking_trx_id#",
        "blocking_pid#",
        "blocking_query",
        "blocking_lock_id",
        "blocking_lock_mode",
        "blocking_trx_started",
        "blocking_trx_age",
        "blocking_trx_rows_locked#",
        "blocking_trx_rows_modified#",
        "sql_kill_blocking_query",
        "sql_kill_blocking_connection",
    ];
    let mut listing = Listing::new(&names).long_text(16).long_text(21);
    listing.columns[0].ty = ColumnType::Timestamp { fsp: 0 };
    if asked.are_none() {
        return listing;
    }
    let engine = facts.sql.engine();
    let now = engine.clock().unix_micros();
    let connections = facts.sql.processes().by_lock_owner();
    for wait in engine.store().row_lock_waits() {
        let Some(row) = engine.locked_row(&wait.key) else { continue };
        let mode = |mode: LockMode| match (row.index, mode) {
            (Some(_), LockMode::Exclusive) => text("X,REC_NOT_GAP"),
            (Some(_), LockMode::Shared) => text("S,REC_NOT_GAP"),
            (None, LockMode::Exclusive) => text("X"),
            (None, LockMode::Shared) => text("S"),
        };
        let lock_id = |owner: u64| text(format!("{owner}:{:016x}", wait.lock));
        let waiting = connections.get(&wait.waiting).map(|process| process.line());
        for holder in &wait.holders {
            let blocking = connections.get(holder).map(|process| process.line());
            // A statement that waits does so from its beginning on, but for some milliseconds.
            let began = waiting.as_ref().map(|line| line.since);
            let seconds = began.map(|began| now.saturating_sub(began) / 1_000_000);
            let kill =
                |what: &str| maybe(blocking.as_ref().map(|line| format!("{what} {}", line.id)));
            let cell = |name: &str| match name {
                "wait_started" => began
                    .map_or(Value::Null, |began| Value::Timestamp(Timestamp::from_micros(began))),
                "wait_age" => maybe(seconds.map(clock)),
                "wait_age_secs#" => seconds.map_or(Value::Null, number),
                "locked_table" => text(format!("`{}`.`{}`", row.table.database, row.table.name)),
                "locked_table_schema" => text(&row.table.database),
                "locked_table_name" => text(&row.table.name),
                "locked_index" => maybe(row.index.map(|index| &row.table.indexes[index].name)),
                "locked_type" => text(if row.index.is_some() { "RECORD" } else { "TABLE" }),
                "waiting_trx_id#" => number(wait.waiting),
                "waiting_pid#" => {
                    waiting.as_ref().map_or(Value::Null, |line| number(u64::from(line.id)))
                }
                "waiting_query" => maybe(waiting.as_ref().and_then(|line| line.info.as_ref())),
                "waiting_lock_id" => lock_id(wait.waiting),
                "waiting_lock_mode" => mode(wait.mode),
                "blocking_trx_id#" => number(*holder),
                "blocking_pid#" => {
                    blocking.as_ref().map_or(Value::Null, |line| number(u64::from(line.id)))
                }
                "blocking_query" => maybe(blocking.as_ref().and_then(|line| line.info.as_ref())),
                "blocking_lock_id" => lock_id(*holder),
                "blocking_lock_mode" => mode(wait.held),
                "sql_kill_blocking_query" => kill("KILL QUERY"),
                "sql_kill_blocking_connection" => kill("KILL"),
                _ => Value::Null,
            };
            listing.push(names.iter().map(|name| cell(name)).collect());
        }
    }
    listing
}

/// Seconds as `hh:mm:ss`.
fn clock(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}
