//! `session` and `processlist`: a line for each connection, with what it runs, or ran last.

use expression::shortened_statement;
use plan::process_line::ProcessLine;
use values::datum::Value;

use super::amounts::Amounts;
use crate::server::Process;
use crate::show::{number, text};
use crate::system_schema::ListingContext;
use crate::system_schema::listed_columns::TableFiller;

/// Adds the connections.
pub(super) fn sessions(facts: &ListingContext<'_>, amounts: Amounts, table: &mut TableFiller<'_>) {
    for process in facts.sql.processes().all() {
        let line = process.line();
        table.push(|column| value(facts, &process, &line, amounts, column));
    }
}

fn value(
    facts: &ListingContext<'_>,
    process: &Process,
    line: &ProcessLine,
    amounts: Amounts,
    column: &str,
) -> Option<Value> {
    let now = facts.sql.engine().clock().unix_micros();
    let statement = process.statement();
    let (running, last) = match line.info.is_some() {
        true => (statement, None),
        false => (None, statement),
    };
    let words = |statement: &str| match amounts {
        Amounts::Words => text(shortened_statement(statement)),
        Amounts::Numbers => text(statement),
    };
    let outcome = || last.as_ref()?.ended.map(|(_, outcome)| outcome);
    let attribute = |name: &str| {
        let attributes = process.attributes();
        let found = attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| text(value))
    };
    Some(match column {
        "thd_id" | "conn_id" => number(u64::from(line.id)),
        "user" => text(format!("{}@{}", line.user, line.host)),
        "db" => text(line.database.as_ref()?),
        "command" => text(line.command),
        "state" => text(&line.state),
        "time" => number(now.saturating_sub(line.since) / 1_000_000),
        "current_statement" => words(line.info.as_ref()?),
        "execution_engine" => text("PRIMARY"),
        "statement_latency" => amounts.time(running?.took.as_micros() as u64),
        "lock_latency" => amounts.time(outcome()?.lock_micros),
        "rows_examined" => number(outcome()?.examined),
        "rows_sent" => number(outcome()?.sent),
        "rows_affected" => number(outcome()?.affected),
        "full_scan" => text(match outcome() {
            Some(outcome) if outcome.is_table_scan => "YES",
            _ => "NO",
        }),
        "last_statement" => words(&last?.text),
        "last_statement_latency" => amounts.time(last?.took.as_micros() as u64),
        "current_memory" => amounts.bytes(line.memory_bytes as u64),
        "trx_latency" => amounts.time(now.saturating_sub(process.transaction()?.since)),
        "trx_state" => {
            process.transaction()?;
            text("ACTIVE")
        }
        "trx_autocommit" => {
            process.transaction()?;
            text("NO")
        }
        "pid" => return attribute("_pid"),
        "program_name" => return attribute("program_name"),
        _ => return None,
    })
}
