//! Waits, each with who is waited for: `innodb_lock_waits` (for a row) and
//! `schema_table_lock_waits` (for a table's definition), and how to end that.

use std::sync::Arc;

use rows::row_lock_wait::LockMode;
use values::datum::Value;
use values::temporal::Timestamp;

use crate::server::Process;
use crate::show::{number, text};
use crate::system_schema::ListingContext;
use crate::system_schema::listed_columns::TableFiller;
use crate::system_schema::performance_schema::{MetadataLock, all_metadata_locks};

/// What a view says of one who waits, or of one who is waited for, by the rest of a column's name.
fn transaction_value(process: Option<&Process>, now: u64, column: &str) -> Option<Value> {
    let process = process?;
    let open = || process.transaction();
    let moment = |micros| Value::Timestamp(Timestamp::from_micros(micros));
    Some(match column {
        "pid" => number(u64::from(process.id)),
        // As in MySQL an idle one has none; what it did last is in `session`.
        "query" => text(process.line().info?),
        "trx_started" => moment(open()?.since),
        "trx_age" => text(clock(now.saturating_sub(open()?.since) / 1_000_000)),
        "trx_rows_modified" => number(open()?.affected),
        _ => return None,
    })
}

/// `innodb_lock_waits`: a line for each transaction that waits and each that it waits for.
pub(super) fn lock_waits(facts: &ListingContext<'_>, table: &mut TableFiller<'_>) {
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
        let waiting = connections.get(&wait.waiting).map(Arc::as_ref);
        // A statement that waits does so from its beginning on, but for some milliseconds.
        let began = waiting.map(|process| process.line().since);
        for holder in &wait.holders {
            let blocking = connections.get(holder).map(Arc::as_ref);
            table.push(|column| {
                Some(match column {
                    "wait_started" => Value::Timestamp(Timestamp::from_micros(began?)),
                    "wait_age" => text(clock(now.saturating_sub(began?) / 1_000_000)),
                    "wait_age_secs" => number(now.saturating_sub(began?) / 1_000_000),
                    "locked_table" => {
                        text(format!("`{}`.`{}`", row.table.database, row.table.name))
                    }
                    "locked_table_schema" => text(&row.table.database),
                    "locked_table_name" => text(&row.table.name),
                    "locked_index" => text(&row.table.index_at(row.index?).name),
                    "locked_type" => text(if row.index.is_some() { "RECORD" } else { "TABLE" }),
                    "waiting_trx_id" => number(wait.waiting),
                    "waiting_lock_id" => lock_id(wait.waiting),
                    "waiting_lock_mode" => mode(wait.mode),
                    "blocking_trx_id" => number(*holder),
                    "blocking_lock_id" => lock_id(*holder),
                    "blocking_lock_mode" => mode(wait.held),
                    "sql_kill_blocking_query" => text(format!("KILL QUERY {}", blocking?.id)),
                    "sql_kill_blocking_connection" => text(format!("KILL {}", blocking?.id)),
                    _ => {
                        let (of, rest) = column.split_once('_')?;
                        let process = if of == "waiting" { waiting } else { blocking };
                        return transaction_value(process, now, rest);
                    }
                })
            });
        }
    }
}

/// `schema_table_lock_waits`: a line for each connection that waits for a table's definition and
/// each whose open transaction keeps it as it is.
pub(super) fn table_lock_waits(facts: &ListingContext<'_>, table: &mut TableFiller<'_>) {
    let locks = all_metadata_locks(facts.sql);
    let now = facts.sql.engine().clock().unix_micros();
    let account = |lock: &MetadataLock| {
        let line = lock.process.line();
        text(format!("{}@{}", line.user, line.host))
    };
    for waiting in locks.iter().filter(|lock| lock.waits) {
        let holds = |lock: &&MetadataLock| !lock.waits && lock.table.id == waiting.table.id;
        for blocking in locks.iter().filter(holds) {
            table.push(|column| {
                Some(match column {
                    "object_schema" => text(&waiting.table.database),
                    "object_name" => text(&waiting.table.name),
                    "waiting_thread_id" | "waiting_pid" => number(u64::from(waiting.process.id)),
                    "waiting_account" => account(waiting),
                    "waiting_lock_type" => text("EXCLUSIVE"),
                    "waiting_lock_duration" | "blocking_lock_duration" => text("TRANSACTION"),
                    "waiting_query" => text(waiting.process.line().info?),
                    "waiting_query_secs" => {
                        number(now.saturating_sub(waiting.process.line().since) / 1_000_000)
                    }
                    "blocking_thread_id" | "blocking_pid" => number(u64::from(blocking.process.id)),
                    "blocking_account" => account(blocking),
                    "blocking_lock_type" => text("SHARED_WRITE"),
                    "sql_kill_blocking_query" => {
                        text(format!("KILL QUERY {}", blocking.process.id))
                    }
                    "sql_kill_blocking_connection" => text(format!("KILL {}", blocking.process.id)),
                    _ => return None,
                })
            });
        }
    }
}

/// Seconds as `hh:mm:ss`.
fn clock(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}
