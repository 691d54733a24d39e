//! What statements took, by account, user, host, connection and over all: the tables
//! `events_statements_summary_by_*_by_event_name`, and who was connected: `accounts`, `users`,
//! `hosts`.
//!
//! Names that no statement had are not listed.
//!
//! Not here: how they are counted (`server::statement_sums`), digests (`digests`).

use std::collections::BTreeMap;

use values::datum::Value;

use crate::server::{AccountSum, NamedSums, StatementSum};
use crate::show::{number, text};
use crate::system_schema::ListingContext;
use crate::system_schema::listed_columns::TableFiller;

/// Microseconds as MySQL's performance schema has times.
pub fn picoseconds(micros: u64) -> Value {
    number(micros.saturating_mul(1_000_000))
}

/// What is said of a sum in a column of this name.
pub(super) fn sum_value(sum: &StatementSum, column: &str) -> Option<Value> {
    Some(match column {
        "COUNT_STAR" => number(sum.count),
        "SUM_TIMER_WAIT" => picoseconds(sum.micros),
        "MIN_TIMER_WAIT" if sum.count == 0 => number(0),
        "MIN_TIMER_WAIT" => picoseconds(sum.micros_min),
        "AVG_TIMER_WAIT" => picoseconds(sum.micros / sum.count.max(1)),
        "MAX_TIMER_WAIT" => picoseconds(sum.micros_max),
        "SUM_LOCK_TIME" => picoseconds(sum.lock_micros),
        "SUM_ERRORS" => number(sum.errors),
        "SUM_WARNINGS" => number(sum.warnings),
        "SUM_ROWS_AFFECTED" => number(sum.affected),
        "SUM_ROWS_SENT" => number(sum.sent),
        "SUM_ROWS_EXAMINED" => number(sum.examined),
        "MAX_CONTROLLED_MEMORY" | "MAX_TOTAL_MEMORY" => number(sum.memory_max),
        "SUM_SELECT_SCAN" | "SUM_NO_INDEX_USED" => number(sum.table_scans),
        _ => return None,
    })
}

/// By what accounts are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupedBy {
    /// User and host.
    Account,
    /// User alone.
    User,
    /// Host alone.
    Host,
}

/// The sums of accounts that are alike, by what stands in the columns USER and HOST.
pub fn grouped(
    facts: &ListingContext<'_>,
    by: GroupedBy,
) -> BTreeMap<(Option<String>, Option<String>), AccountSum> {
    let mut groups: BTreeMap<_, AccountSum> = BTreeMap::new();
    for ((user, host), sum) in facts.sql.processes().accounts() {
        // One of no name stands for those there was no room for.
        let name = |name: String| (!name.is_empty()).then_some(name);
        let key = match by {
            GroupedBy::Account => (name(user), name(host)),
            GroupedBy::User => (name(user), None),
            GroupedBy::Host => (None, name(host)),
        };
        groups.entry(key).or_default().add(&sum);
    }
    groups
}

/// The value of USER or HOST.
fn name_value((user, host): &(Option<String>, Option<String>), column: &str) -> Option<Value> {
    match column {
        "USER" => user.as_ref().map(text),
        "HOST" => host.as_ref().map(text),
        _ => None,
    }
}

/// `accounts`, `users` and `hosts`.
pub(super) fn connections(facts: &ListingContext<'_>, by: GroupedBy, table: &mut TableFiller<'_>) {
    for (key, sum) in grouped(facts, by) {
        table.push(|column| match column {
            "CURRENT_CONNECTIONS" => Some(number(sum.connections)),
            "TOTAL_CONNECTIONS" => Some(number(sum.connections_total)),
            _ => name_value(&key, column),
        });
    }
}

/// `events_statements_summary_by_account_by_event_name`, and by user and host.
pub(super) fn by_account(facts: &ListingContext<'_>, by: GroupedBy, table: &mut TableFiller<'_>) {
    for (key, sum) in grouped(facts, by) {
        named(&sum.statements, table, |column| name_value(&key, column));
    }
}

/// `events_statements_summary_by_thread_by_event_name`.
pub(super) fn by_thread(facts: &ListingContext<'_>, table: &mut TableFiller<'_>) {
    for (id, sums) in facts.sql.processes().sums() {
        let thread = |column: &str| (column == "THREAD_ID").then(|| number(u64::from(id)));
        named(&sums, table, thread);
    }
}

/// `events_statements_summary_global_by_event_name`.
pub(super) fn global(facts: &ListingContext<'_>, table: &mut TableFiller<'_>) {
    named(&facts.sql.processes().statement_sums(), table, |_| None);
}

/// A line for each name.
fn named(sums: &NamedSums, table: &mut TableFiller<'_>, of: impl Fn(&str) -> Option<Value>) {
    for (name, sum) in sums.iter() {
        table.push(|column| match column {
            "EVENT_NAME" => Some(text(name.event())),
            _ => sum_value(sum, column).or_else(|| of(column)),
        });
    }
}
