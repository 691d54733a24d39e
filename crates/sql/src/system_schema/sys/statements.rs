//! Statements by digest, those first that took most: `statement_analysis`, and those of them that
//! read whole tables, failed or warned, or took longest.

use expression::shortened_statement;
use values::datum::Value;
use values::temporal::Timestamp;

use super::amounts::Amounts;
use crate::server::DigestLine;
use crate::show::{number, text};
use crate::system_schema::ListingContext;
use crate::system_schema::listed_columns::TableFiller;

/// The part of the statements' times that the longest are beyond.
const LONGEST: f64 = 0.95;

/// Which statements a view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShownDigests {
    /// All.
    All,
    /// Those that read all rows of a table.
    TableScans,
    /// Those that failed, or warned.
    Faults,
    /// Those whose times are among the longest twentieth.
    Longest,
}

/// Adds the statements of a view.
pub(super) fn statements(
    facts: &ListingContext<'_>,
    shown: ShownDigests,
    amounts: Amounts,
    table: &mut TableFiller<'_>,
) {
    let mut lines = facts.sql.history().digests().lines();
    let average = |line: &DigestLine| {
        let sum = &line.sum.statements;
        sum.micros / sum.count.max(1)
    };
    let mut averages: Vec<u64> = lines.iter().map(average).collect();
    averages.sort_unstable();
    let place = (averages.len() as f64 * LONGEST) as usize;
    let long = averages.get(place).copied().unwrap_or(0);
    lines.retain(|line| {
        let sum = &line.sum.statements;
        match shown {
            ShownDigests::All => true,
            ShownDigests::TableScans => sum.table_scans > 0,
            ShownDigests::Faults => sum.errors > 0 || sum.warnings > 0,
            ShownDigests::Longest => average(line) >= long,
        }
    });
    lines.sort_by_key(|line| std::cmp::Reverse(line.sum.statements.micros));
    for line in lines {
        table.push(|column| value(&line, amounts, column));
    }
}

fn value(line: &DigestLine, amounts: Amounts, column: &str) -> Option<Value> {
    let sum = &line.sum.statements;
    let each = |all: u64| number((all as f64 / sum.count.max(1) as f64).round() as u64);
    let percent =
        |part: u64| number((part as f64 * 100.0 / sum.count.max(1) as f64).round() as u64);
    let moment = |micros| Value::Timestamp(Timestamp::from_micros(micros));
    Some(match column {
        "query" => match amounts {
            Amounts::Words => text(shortened_statement(&line.text)),
            Amounts::Numbers => text(&line.text),
        },
        "db" => text(line.schema.as_ref()?),
        "full_scan" => text(if sum.table_scans > 0 { "*" } else { "" }),
        "exec_count" => number(sum.count),
        "err_count" | "errors" => number(sum.errors),
        "error_pct" => percent(sum.errors),
        "warn_count" | "warnings" => number(sum.warnings),
        "warning_pct" => percent(sum.warnings),
        "total_latency" => amounts.time(sum.micros),
        "max_latency" => amounts.time(sum.micros_max),
        "avg_latency" => amounts.time(sum.micros / sum.count.max(1)),
        "lock_latency" => amounts.time(sum.lock_micros),
        "cpu_latency" => amounts.time(0),
        "no_index_used_count" => number(sum.table_scans),
        "no_index_used_pct" => percent(sum.table_scans),
        "rows_sent" => number(sum.sent),
        "rows_sent_avg" => each(sum.sent),
        "rows_examined" => number(sum.examined),
        "rows_examined_avg" => each(sum.examined),
        "rows_affected" => number(sum.affected),
        "rows_affected_avg" => each(sum.affected),
        "max_controlled_memory" | "max_total_memory" => amounts.bytes(sum.memory_max),
        "digest" => text(&line.digest),
        "first_seen" => moment(line.sum.first_seen),
        "last_seen" => moment(line.sum.last_seen),
        _ => return None,
    })
}
