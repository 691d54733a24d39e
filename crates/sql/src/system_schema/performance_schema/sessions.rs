//! Connections and what they run, or ran last, under MySQL's columns.

use access::Privilege;

use super::sums::picoseconds;
use crate::server::{ShownStatement, StatementName};
use crate::show::{number, text};
use crate::system_schema::ListingContext;
use crate::system_schema::information_schema::seen_lines;
use crate::system_schema::listed_columns::TableFiller;
use plan::process_line::ProcessLine;
use values::datum::Value;

/// How long a connection has been at what it does, in microseconds.
fn so_far(facts: &ListingContext<'_>, line: &ProcessLine) -> u64 {
    facts.sql.engine().clock().unix_micros().saturating_sub(line.since)
}

/// What of a connection has the same name in `processlist` and, behind a prefix, in `threads`.
fn line_value(facts: &ListingContext<'_>, line: &ProcessLine, column: &str) -> Option<Value> {
    Some(match column {
        "ID" => number(u64::from(line.id)),
        "USER" => text(&line.user),
        "HOST" => text(&line.host),
        "DB" => return line.database.as_ref().map(text),
        "COMMAND" => text(line.command),
        "TIME" => number(so_far(facts, line) / 1_000_000),
        "STATE" => text(&line.state),
        "INFO" => return line.info.as_ref().map(text),
        _ => return None,
    })
}

/// `processlist`: as SHOW FULL PROCESSLIST.
pub(super) fn processlist(facts: &ListingContext<'_>, table: &mut TableFiller<'_>) {
    for line in seen_lines(facts) {
        table.push(|column| match column {
            "EXECUTION_ENGINE" => Some(text("PRIMARY")),
            "MEMORY_USED" => Some(number(line.memory_bytes as u64)),
            _ => line_value(facts, &line, column),
        });
    }
}

/// `threads`: a line for each connection, by whose number they are known.
pub(super) fn threads(facts: &ListingContext<'_>, table: &mut TableFiller<'_>) {
    let sessions = facts.sql.processes().lines().into_iter().map(|line| ("sql", line));
    let doors = facts.sql.door_clients().lines().into_iter().map(|line| (line.command, line));
    for (speaks, line) in sessions.chain(doors) {
        table.push(|column| {
            Some(match column {
                "THREAD_ID" => number(u64::from(line.id)),
                "NAME" => text(format!("thread/{speaks}/one_connection")),
                "TYPE" => text("FOREGROUND"),
                "INSTRUMENTED" | "HISTORY" => text("YES"),
                "EXECUTION_ENGINE" => text("PRIMARY"),
                "TELEMETRY_ACTIVE" => text("NO"),
                "CONTROLLED_MEMORY"
                | "MAX_CONTROLLED_MEMORY"
                | "TOTAL_MEMORY"
                | "MAX_TOTAL_MEMORY" => number(line.memory_bytes as u64),
                _ => return line_value(facts, &line, column.strip_prefix("PROCESSLIST_")?),
            })
        });
    }
}

/// `events_statements_current` (what each connection runs, or ran last) and `_history` (what ran
/// last, of those that are over).
pub(super) fn statements(facts: &ListingContext<'_>, is_over: bool, table: &mut TableFiller<'_>) {
    for process in facts.sql.processes().all() {
        let Some(statement) = process.statement() else { continue };
        if !is_over || statement.ended.is_some() {
            table.push(|column| statement_value(facts, process.id, &statement, column));
        }
    }
}

fn statement_value(
    facts: &ListingContext<'_>,
    thread: u32,
    statement: &ShownStatement,
    column: &str,
) -> Option<Value> {
    let micros = statement.took.as_micros() as u64;
    let begun = statement.since.saturating_sub(facts.sql.started_at());
    let outcome = statement.ended.map(|(_, outcome)| outcome);
    let digest = || facts.sql.history().digests().name_of(statement.ended?.0);
    Some(match column {
        "THREAD_ID" => number(u64::from(thread)),
        "EVENT_ID" | "STATEMENT_ID" => number(statement.number),
        "END_EVENT_ID" => {
            outcome?;
            number(statement.number)
        }
        "EVENT_NAME" => text(StatementName::of(statement.text.as_bytes()).event()),
        "TIMER_START" => picoseconds(begun),
        "TIMER_END" => picoseconds(begun + micros),
        "TIMER_WAIT" => picoseconds(micros),
        "LOCK_TIME" => picoseconds(outcome?.lock_micros),
        "SQL_TEXT" => text(&statement.text),
        "DIGEST" => text(digest()?.0),
        "DIGEST_TEXT" => text(digest()?.1),
        "CURRENT_SCHEMA" => text(statement.database.as_ref()?),
        "MYSQL_ERRNO" => number(u64::from(outcome.map_or(0, |outcome| outcome.status))),
        "ERRORS" => number(u64::from(outcome?.status != 0)),
        "WARNINGS" => number(outcome?.warnings),
        "ROWS_AFFECTED" => number(outcome?.affected),
        "ROWS_SENT" => number(outcome?.sent),
        "ROWS_EXAMINED" => number(outcome?.examined),
        "MAX_CONTROLLED_MEMORY" | "MAX_TOTAL_MEMORY" => number(outcome?.memory_bytes),
        "SELECT_SCAN" | "NO_INDEX_USED" => number(u64::from(outcome?.is_table_scan)),
        "EXECUTION_ENGINE" => text("PRIMARY"),
        _ => return None,
    })
}

/// `events_transactions_current`: the transactions that are open from statement to statement.
pub(super) fn transactions(facts: &ListingContext<'_>, table: &mut TableFiller<'_>) {
    let now = facts.sql.engine().clock().unix_micros();
    for process in facts.sql.processes().all() {
        let Some(open) = process.transaction() else { continue };
        table.push(|column| {
            Some(match column {
                "THREAD_ID" => number(u64::from(process.id)),
                "EVENT_ID" => number(process.statement_number()),
                "EVENT_NAME" => text("transaction"),
                "STATE" => text("ACTIVE"),
                "TRX_ID" => number(process.lock_owner()),
                "TIMER_START" => picoseconds(open.since.saturating_sub(facts.sql.started_at())),
                "TIMER_WAIT" => picoseconds(now.saturating_sub(open.since)),
                "AUTOCOMMIT" => text("NO"),
                _ => return None,
            })
        });
    }
}

/// `session_connect_attrs`, and `session_account_connect_attrs` of one's own account: what clients
/// say of themselves when they log in.
pub(super) fn attributes(facts: &ListingContext<'_>, own: bool, table: &mut TableFiller<'_>) {
    let sees_all = !own || facts.rights.has_global(Privilege::Process);
    let user = facts.user.rsplit_once('@').map_or(&*facts.user, |(name, _)| name);
    for process in facts.sql.processes().all() {
        if !sees_all && process.user() != user {
            continue;
        }
        for (at, (name, value)) in process.attributes().iter().enumerate() {
            table.push(|column| {
                Some(match column {
                    "PROCESSLIST_ID" => number(u64::from(process.id)),
                    "ATTR_NAME" => text(name),
                    "ATTR_VALUE" => text(value),
                    "ORDINAL_POSITION" => number(at as u64),
                    _ => return None,
                })
            });
        }
    }
}
