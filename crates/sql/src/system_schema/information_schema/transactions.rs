//! `INNODB_TRX`: the transactions that are open from statement to statement, those whose statement
//! waits for a row, and those that are prepared, which are no connection's.
//!
//! What an idle one did last is in `performance_schema.events_statements_current`, as in MySQL.

use resources::waiting::Waiting;
use values::datum::Value;
use values::temporal::Timestamp;

use crate::show::{number, text};
use crate::system_schema::ListingContext;
use crate::system_schema::listed_columns::TableFiller;

/// Adds the transactions.
pub(super) fn transactions(facts: &ListingContext<'_>, table: &mut TableFiller<'_>) {
    let moment = |micros| Value::Timestamp(Timestamp::from_micros(micros));
    for prepared in facts.sql.engine().global_transactions().shown() {
        table.push(|column| {
            Some(match column {
                "trx_id" => number(prepared.lock_owner?),
                "trx_state" => text("RUNNING"),
                "trx_started" => moment(prepared.since),
                "trx_mysql_thread_id" => number(0),
                "trx_tables_locked" => number(prepared.tables as u64),
                _ => return None,
            })
        });
    }
    for process in facts.sql.processes().all() {
        let waits = process.waits.current() == Some(Waiting::RowLock);
        let open = process.transaction();
        if open.is_none() && !waits {
            continue;
        }
        let line = process.line();
        table.push(|column| {
            Some(match column {
                "trx_id" => number(process.lock_owner()),
                "trx_state" => text(if waits { "LOCK WAIT" } else { "RUNNING" }),
                "trx_started" => moment(open.as_ref().map_or(line.since, |open| open.since)),
                "trx_wait_started" if waits => moment(line.since),
                "trx_weight" | "trx_rows_modified" => {
                    number(open.as_ref().map_or(0, |open| open.affected))
                }
                "trx_mysql_thread_id" => number(u64::from(line.id)),
                "trx_query" => text(line.info.as_ref()?),
                "trx_tables_locked" => {
                    number(open.as_ref().map_or(0, |open| open.tables.len()) as u64)
                }
                "trx_isolation_level" => text(open.as_ref()?.isolation.name().replace('-', " ")),
                _ => return None,
            })
        });
    }
}
