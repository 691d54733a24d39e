//! `session`, a line for each connection, and `host_summary`, a line for each host.

use std::collections::{BTreeMap, BTreeSet};

use plan::listing::AskedTables;
use plan::process_line::ProcessLine;
use values::datum::Value;

use super::amounts::{bytes, time};
use super::statements::shortened;
use crate::show::{Listing, maybe, number, text};
use crate::system_schema::ListingContext;

/// Microseconds that a connection has been at what it does.
fn so_far(facts: &ListingContext<'_>, line: &ProcessLine) -> u64 {
    facts.sql.engine().clock().unix_micros().saturating_sub(line.since)
}

/// `session`.
pub(super) fn sessions(facts: &ListingContext<'_>, asked: &AskedTables<'_>) -> Listing {
    let names = [
        "thd_id#",
        "conn_id#",
        "user",
        "db",
        "command",
        "state",
        "time#",
        "current_statement",
        "execution_engine",
        "statement_latency",
        "progress",
        "lock_latency",
        "cpu_latency",
        "rows_examined#",
        "rows_sent#",
        "rows_affected#",
        "tmp_tables#",
        "tmp_disk_tables#",
        "full_scan",
        "last_statement",
        "last_statement_latency",
        "current_memory",
        "last_wait",
        "last_wait_latency",
        "source",
        "trx_latency",
        "trx_state",
        "trx_autocommit",
        "pid",
        "program_name",
    ];
    let mut listing = Listing::new(&names).long_text(7).long_text(19);
    if asked.are_none() {
        return listing;
    }
    for line in facts.sql.processes().lines() {
        let micros = so_far(facts, &line);
        let cell = |name: &str| match name {
            "thd_id#" | "conn_id#" => number(u64::from(line.id)),
            "user" => text(format!("{}@{}", line.user, line.host)),
            "db" => maybe(line.database.as_ref()),
            "command" => text(line.command),
            "state" => text(&line.state),
            "time#" => number(micros / 1_000_000),
            "current_statement" => maybe(line.info.as_deref().map(shortened)),
            "execution_engine" => text("PRIMARY"),
            "statement_latency" if line.info.is_some() => time(micros),
            "current_memory" => bytes(line.memory_bytes as u64),
            _ => Value::Null,
        };
        listing.push(names.iter().map(|name| cell(name)).collect());
    }
    listing
}

/// What is known of a host.
#[derive(Default)]
struct HostSum {
    connections: u64,
    users: BTreeSet<String>,
    memory_bytes: usize,
}

/// `host_summary`: of the hosts that are connected. What hosts had before is not counted.
pub(super) fn hosts(facts: &ListingContext<'_>, asked: &AskedTables<'_>) -> Listing {
    let names = [
        "host",
        "statements#",
        "statement_latency",
        "statement_avg_latency",
        "table_scans#",
        "file_ios#",
        "file_io_latency",
        "current_connections#",
        "total_connections#",
        "unique_users#",
        "current_memory",
        "total_memory_allocated",
    ];
    let mut listing = Listing::new(&names);
    if asked.are_none() {
        return listing;
    }
    let mut hosts: BTreeMap<String, HostSum> = BTreeMap::new();
    for line in facts.sql.processes().lines() {
        let host = hosts.entry(line.host).or_default();
        host.connections += 1;
        host.users.insert(line.user);
        host.memory_bytes += line.memory_bytes;
    }
    for (name, host) in hosts {
        let cell = |column: &str| match column {
            "host" => text(&name),
            "current_connections#" => number(host.connections),
            "unique_users#" => number(host.users.len() as u64),
            "current_memory" => bytes(host.memory_bytes as u64),
            _ => Value::Null,
        };
        listing.push(names.iter().map(|name| cell(name)).collect());
    }
    listing
}
