//! Rows of the slow log and the general log, the oldest first.
//!
//! Not here: what is logged (`server::slow_log`, `server::general_log`).

use std::sync::Arc;

use rows::table::Table;
use values::datum::Value;
use values::temporal::{Time, Timestamp};

use super::row_of;
use crate::server::{GeneralEntry, SlowEntry, Sql};
use crate::show::{number, text};

/// Whether a table is a log, and may be emptied.
pub fn is_log(name: &str) -> bool {
    matches!(name, "slow_log" | "general_log")
}

/// The rows of a log; `None` for another table.
pub(super) fn rows(sql: &Sql, table: &Table) -> Option<Vec<Vec<Value>>> {
    match table.name.as_str() {
        "slow_log" => Some(slow_log(sql, table)),
        "general_log" => Some(general_log(sql, table)),
        _ => None,
    }
}

/// TRUNCATE of a log; whether it is one.
pub fn truncate(sql: &Sql, name: &str) -> bool {
    match name {
        "slow_log" => sql.history().logs().slow().clear(),
        "general_log" => sql.history().logs().general().clear(),
        _ => return false,
    }
    true
}

fn slow_log(sql: &Sql, table: &Table) -> Vec<Vec<Value>> {
    let entries = sql.history().logs().slow().entries();
    let row = |entry: &Arc<SlowEntry>| {
        // No column of the table is wider.
        let count = |rows: u64| Value::Int(rows.min(i32::MAX as u64) as i64);
        let time = |micros: u64| {
            let time = Time::from_micros(i64::try_from(micros).unwrap_or(i64::MAX));
            Value::Time(time.unwrap_or(Time::MAX))
        };
        row_of(table, |column| {
            Some(match column {
                "start_time" => Value::Timestamp(Timestamp::from_micros(entry.moment)),
                "user_host" => text(&entry.user_host),
                "query_time" => time(entry.micros),
                "lock_time" => time(entry.lock_micros),
                "rows_sent" => count(entry.sent),
                "rows_examined" => count(entry.examined),
                "db" => text(entry.database.as_deref().unwrap_or("")),
                "server_id" => number(1),
                "sql_text" => Value::Bytes(entry.statement.clone()),
                "thread_id" => number(u64::from(entry.connection)),
                _ => return None,
            })
        })
    };
    entries.iter().map(row).collect()
}

fn general_log(sql: &Sql, table: &Table) -> Vec<Vec<Value>> {
    let entries = sql.history().logs().general().entries();
    let row = |entry: &Arc<GeneralEntry>| {
        row_of(table, |column| {
            Some(match column {
                "event_time" => Value::Timestamp(Timestamp::from_micros(entry.moment)),
                "user_host" => text(&entry.user_host),
                "thread_id" => number(u64::from(entry.connection)),
                "server_id" => number(1),
                "command_type" => text(entry.command),
                "argument" => Value::Bytes(entry.argument.clone()),
                _ => return None,
            })
        })
    };
    entries.iter().map(row).collect()
}
