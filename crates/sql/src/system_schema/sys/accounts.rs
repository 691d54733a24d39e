//! What hosts and users had: `host_summary`, `user_summary`, those by kinds of statements, and
//! memory.

use std::collections::{BTreeMap, BTreeSet};

use values::datum::Value;

use super::amounts::Amounts;
use crate::server::StatementSum;
use crate::show::{number, text};
use crate::system_schema::ListingContext;
use crate::system_schema::listed_columns::TableFiller;
use crate::system_schema::performance_schema::{GroupedBy, grouped};

/// What is known of the connections there are.
#[derive(Default)]
struct PresentConnections {
    /// Users of a host, or hosts of a user.
    others: BTreeSet<String>,
    memory_bytes: usize,
    memory_bytes_max: usize,
}

fn present(facts: &ListingContext<'_>, by: GroupedBy) -> BTreeMap<String, PresentConnections> {
    let mut present: BTreeMap<String, PresentConnections> = BTreeMap::new();
    for line in facts.sql.processes().lines() {
        let (name, other) = match by {
            GroupedBy::Host => (line.host, line.user),
            GroupedBy::User | GroupedBy::Account => (line.user, line.host),
        };
        let of = present.entry(name).or_default();
        of.others.insert(other);
        of.memory_bytes += line.memory_bytes;
        of.memory_bytes_max = of.memory_bytes_max.max(line.memory_bytes);
    }
    present
}

/// The name of the group where `column` is what the view is grouped by.
fn name_value(by: GroupedBy, name: Option<&String>, column: &str) -> Option<Value> {
    let own = if by == GroupedBy::Host { "host" } else { "user" };
    (column == own).then(|| name.map_or_else(|| text("background"), text))
}

/// `host_summary`, `user_summary`.
pub(super) fn summary(
    facts: &ListingContext<'_>,
    by: GroupedBy,
    amounts: Amounts,
    table: &mut TableFiller<'_>,
) {
    let present = present(facts, by);
    let nothing = PresentConnections::default();
    for ((user, host), sum) in grouped(facts, by) {
        let name = user.or(host);
        let now = name.as_ref().and_then(|name| present.get(name)).unwrap_or(&nothing);
        let total = sum.statements.total();
        table.push(|column| {
            Some(match column {
                "statements" => number(total.count),
                "statement_latency" => amounts.time(total.micros),
                "statement_avg_latency" => amounts.time(total.micros / total.count.max(1)),
                "table_scans" => number(total.table_scans),
                "current_connections" => number(sum.connections),
                "total_connections" => number(sum.connections_total),
                "unique_users" | "unique_hosts" => number(now.others.len() as u64),
                "current_memory" => amounts.bytes(now.memory_bytes as u64),
                _ => return name_value(by, name.as_ref(), column),
            })
        });
    }
}

/// `host_summary_by_statement_latency`, and of users.
pub(super) fn by_latency(
    facts: &ListingContext<'_>,
    by: GroupedBy,
    amounts: Amounts,
    table: &mut TableFiller<'_>,
) {
    let mut groups: Vec<_> = grouped(facts, by).into_iter().collect();
    groups.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.statements.total().micros));
    for ((user, host), sum) in groups {
        let (name, total) = (user.or(host), sum.statements.total());
        table.push(|column| {
            sum_value(&total, amounts, column).or_else(|| name_value(by, name.as_ref(), column))
        });
    }
}

/// `host_summary_by_statement_type`, and of users.
pub(super) fn by_type(
    facts: &ListingContext<'_>,
    by: GroupedBy,
    amounts: Amounts,
    table: &mut TableFiller<'_>,
) {
    for ((user, host), sum) in grouped(facts, by) {
        let name = user.or(host);
        for (kind, sum) in sum.statements.iter() {
            table.push(|column| match column {
                "statement" => kind.event().rsplit('/').next().map(text),
                _ => sum_value(sum, amounts, column)
                    .or_else(|| name_value(by, name.as_ref(), column)),
            });
        }
    }
}

fn sum_value(sum: &StatementSum, amounts: Amounts, column: &str) -> Option<Value> {
    Some(match column {
        "total" => number(sum.count),
        "total_latency" => amounts.time(sum.micros),
        "max_latency" => amounts.time(sum.micros_max),
        "lock_latency" => amounts.time(sum.lock_micros),
        "cpu_latency" => amounts.time(0),
        "rows_sent" => number(sum.sent),
        "rows_examined" => number(sum.examined),
        "rows_affected" => number(sum.affected),
        "full_scans" => number(sum.table_scans),
        _ => return None,
    })
}

/// `memory_by_host_by_current_bytes`, and of users.
pub(super) fn memory(
    facts: &ListingContext<'_>,
    by: GroupedBy,
    amounts: Amounts,
    table: &mut TableFiller<'_>,
) {
    for (name, of) in present(facts, by) {
        table.push(|column| match column {
            "current_allocated" => Some(amounts.bytes(of.memory_bytes as u64)),
            "current_max_alloc" => Some(amounts.bytes(of.memory_bytes_max as u64)),
            _ => name_value(by, Some(&name), column),
        });
    }
}

/// `memory_by_thread_by_current_bytes`.
pub(super) fn memory_by_thread(
    facts: &ListingContext<'_>,
    amounts: Amounts,
    table: &mut TableFiller<'_>,
) {
    for line in facts.sql.processes().lines() {
        table.push(|column| match column {
            "thread_id" => Some(number(u64::from(line.id))),
            "user" => Some(text(format!("{}@{}", line.user, line.host))),
            "current_allocated" => Some(amounts.bytes(line.memory_bytes as u64)),
            _ => None,
        });
    }
}
