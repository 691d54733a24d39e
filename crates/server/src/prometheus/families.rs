//! The metric families: the one table from which the exposition and the list in
//! `docs/operations.md` are made.
//!
//! Invariants
//! 1. Names follow Prometheus' rules (prometheus.io/docs/practices/naming): `rowhouse_` in front,
//!    base units, `_total` behind counters (the encoder puts it there).
//! 2. Every number that `rowhouse status --all` shows is in one family (a test of the running
//!    server compares them), so neither list lacks what the other has.
//!
//! Not here: how they are written (`collector`), histograms (`net::latency`), the process's own
//! figures (`process`).

use prometheus_client::metrics::MetricType;

/// What a family's numbers do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FamilyKind {
    /// They only rise while the server runs.
    Counter,
    /// They rise and fall.
    Gauge,
}

impl From<FamilyKind> for MetricType {
    fn from(kind: FamilyKind) -> MetricType {
        match kind {
            FamilyKind::Counter => MetricType::Counter,
            FamilyKind::Gauge => MetricType::Gauge,
        }
    }
}

/// Where a family's numbers come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The figure of this name.
    Figure(&'static str),
    /// The figures `DOOR_NAME` of all doors; the label `door` says which.
    EachDoor(&'static str),
    /// The figure of this name, in microseconds; shown in seconds.
    Micros(&'static str),
}

/// One family.
#[derive(Debug)]
pub struct Family {
    /// Its name, without `rowhouse_` and `_total`.
    pub name: &'static str,
    /// What its numbers do.
    pub kind: FamilyKind,
    /// Where they come from.
    pub source: Source,
    /// What they say, without a full stop.
    pub help: &'static str,
}

const fn counter(name: &'static str, source: Source, help: &'static str) -> Family {
    Family { name, kind: FamilyKind::Counter, source, help }
}

const fn gauge(name: &'static str, source: Source, help: &'static str) -> Family {
    Family { name, kind: FamilyKind::Gauge, source, help }
}

use Source::{EachDoor, Figure, Micros};

/// All families whose numbers are figures of `rowhouse status --all`.
pub const FAMILIES: &[Family] = &[
    gauge("uptime_seconds", Figure("uptime_seconds"), "Time since the server started"),
    // Doors.
    gauge("connections", EachDoor("connections"), "Open connections"),
    counter("connections_opened", EachDoor("connections_total"), "Connections accepted"),
    counter("requests", EachDoor("requests"), "Requests answered"),
    counter("received_bytes", EachDoor("received_bytes"), "Bytes received from clients"),
    counter("sent_bytes", EachDoor("sent_bytes"), "Bytes sent to clients"),
    counter(
        "file_reads",
        EachDoor("reads"),
        "Reads of files that event loops made for requests whose rows were not in memory",
    ),
    counter(
        "lock_waits",
        EachDoor("lock_waits"),
        "Short waits of requests for row locks in their event loops",
    ),
    counter(
        "offloaded_requests",
        EachDoor("offloaded"),
        "Requests served by the pool because they may wait",
    ),
    counter("failed_logins", EachDoor("failed_logins"), "Logins that failed"),
    counter(
        "audit_lines_written",
        Figure("audit_lines_written"),
        "Lines in the audit log since the start",
    ),
    counter(
        "audit_lines_left_out",
        Figure("audit_lines_left_out"),
        "Lines that the audit log should have and has not",
    ),
    counter(
        "refused_commands",
        EachDoor("refused"),
        "Commands that a door of Tokyo Tyrant does not obey by its settings",
    ),
    counter(
        "failed_commands",
        EachDoor("failed"),
        "Commands that failed for a reason which the protocol cannot tell",
    ),
    gauge("connections_max", Figure("connections_max"), "Connections that clients may have"),
    counter(
        "connections_refused",
        Figure("connections_refused"),
        "Clients turned away because of a limit of connections",
    ),
    counter(
        "accept_errors",
        Figure("accept_errors"),
        "Failures to accept a client, such as too many open files",
    ),
    // Event loops and commits.
    gauge("loops", Figure("loops"), "Event loops"),
    gauge("loops_pinned", Figure("loops_pinned"), "Event loops pinned to a core"),
    counter(
        "connections_moved",
        Figure("connections_moved"),
        "Connections moved to another event loop",
    ),
    counter("turns", Figure("turns"), "Turns of event loops"),
    counter(
        "polled_seconds",
        Micros("polled_micros"),
        "Time that event loops polled for their clients instead of sleeping",
    ),
    counter("groups", Figure("groups"), "Group commits of event loops"),
    counter(
        "groups_in_loop",
        Figure("groups_in_loop"),
        "Group commits that an event loop made itself, with a sync",
    ),
    counter(
        "group_members",
        Figure("group_members"),
        "Connections whose replies depended on group commits",
    ),
    counter("groups_failed", Figure("groups_failed"), "Group commits that failed"),
    // Memory.
    gauge("row_cache_rows", Figure("row_cache_rows"), "Rows in the row cache"),
    gauge("row_cache_bytes", Figure("row_cache_bytes"), "Memory of the row cache"),
    gauge(
        "row_cache_max_bytes",
        Figure("row_cache_bytes_max"),
        "Memory that the row cache may take",
    ),
    counter("row_cache_hits", Figure("row_cache_hits"), "Look-ups answered by the row cache"),
    counter("row_cache_misses", Figure("row_cache_misses"), "Look-ups that asked the store"),
    gauge("index_image_bytes", Figure("index_image_bytes"), "Memory of images of indexes"),
    gauge(
        "sort_row_cache_bytes",
        Figure("sort_bytes_of_row_cache"),
        "Memory that sorts of loads have borrowed from the row cache",
    ),
    gauge(
        "client_memory_bytes",
        Figure("client_memory_bytes"),
        "Memory of what clients make the server keep",
    ),
    gauge(
        "client_memory_max_bytes",
        Figure("client_memory_bytes_max"),
        "Memory that clients may make the server keep",
    ),
    counter(
        "connections_closed_for_memory",
        Figure("connections_closed_for_memory"),
        "Connections closed because they held much of a memory that was short",
    ),
    // Analytic queries.
    gauge("queries_under_way", Figure("queries_under_way"), "Analytic queries that have not ended"),
    gauge("query_memory_bytes", Figure("query_memory_bytes"), "Memory of analytic queries"),
    gauge(
        "query_memory_max_bytes",
        Figure("query_memory_bytes_max"),
        "Memory that analytic queries may take",
    ),
    gauge(
        "query_temporary_files",
        Figure("query_temporary_files"),
        "Temporary files of analytic queries",
    ),
    gauge(
        "query_temporary_bytes",
        Figure("query_temporary_bytes"),
        "Bytes of these temporary files",
    ),
    gauge("temporary_tables", Figure("store_temporary_tables"), "Temporary tables of all sessions"),
    // The disk.
    gauge("disk_free_bytes", Figure("disk_free_bytes"), "Free bytes where the rows are"),
    gauge("disk_used_percent", Figure("disk_used_percent"), "How full the disk of the rows is"),
    gauge("disk_is_full", Figure("disk_full"), "1 while writes are refused because it is full"),
    // The store.
    gauge("store_disk_bytes", Figure("store_disk_bytes"), "Bytes of the store's files"),
    gauge("store_memory_bytes", Figure("store_memory_bytes"), "Memory of the store"),
    gauge("store_locks", Figure("store_locks"), "Row locks held"),
    gauge("row_lock_waiters", Figure("row_lock_waiters"), "Transactions that wait for a row lock"),
    gauge(
        "hot_key_percent",
        Figure("hot_key_percent"),
        "How many of a hundred look-ups by key are for the hottest key; 0 where none is hot",
    ),
    gauge(
        "store_ranges_to_reclaim",
        Figure("store_ranges_to_reclaim"),
        "Dropped tables and indexes whose space has not come back yet",
    ),
    counter(
        "store_early_flushes",
        Figure("store_early_flushes"),
        "Write buffers written early, so that recovery stays short",
    ),
    counter(
        "store_early_compactions",
        Figure("store_early_compactions"),
        "Compactions begun early, where scans passed over many removed rows",
    ),
    gauge(
        "store_log_replayed_bytes",
        Figure("store_log_bytes_replayed"),
        "Bytes of the log that the last start replayed",
    ),
    gauge(
        "store_log_replayed_batches",
        Figure("store_log_batches_replayed"),
        "Batches of the log that the last start replayed",
    ),
    gauge(
        "store_log_replay_seconds",
        Micros("store_log_replay_micros"),
        "Time that the last start took to replay the log",
    ),
    counter("store_log_syncs", Figure("store_log_syncs"), "Syncs of the store's log"),
    gauge(
        "store_log_laid_out_bytes",
        Figure("store_log_bytes_laid_out"),
        "Bytes laid out ahead for the store's log",
    ),
    counter(
        "store_writes_refused",
        Figure("store_writes_refused"),
        "Writes refused by a store that can no longer write",
    ),
    gauge(
        "store_column_cache_bytes",
        Figure("store_column_cache_bytes"),
        "Memory of decoded columns",
    ),
    counter(
        "store_column_cache_hits",
        Figure("store_column_cache_hits"),
        "Columns found decoded in memory",
    ),
    counter(
        "store_column_cache_misses",
        Figure("store_column_cache_misses"),
        "Columns that had to be read and decoded",
    ),
    gauge(
        "store_rocksdb_estimate_num_keys",
        Figure("store_rocksdb_estimate_num_keys"),
        "RocksDB's estimate of its number of keys",
    ),
    gauge(
        "store_rocksdb_live_sst_files_bytes",
        Figure("store_rocksdb_live_sst_files_size"),
        "Bytes of RocksDB's live files",
    ),
    gauge(
        "store_rocksdb_total_sst_files_bytes",
        Figure("store_rocksdb_total_sst_files_size"),
        "Bytes of all of RocksDB's files",
    ),
    gauge(
        "store_rocksdb_mem_tables_bytes",
        Figure("store_rocksdb_size_all_mem_tables"),
        "Memory of RocksDB's write buffers",
    ),
    gauge(
        "store_rocksdb_immutable_mem_tables",
        Figure("store_rocksdb_num_immutable_mem_table"),
        "Full write buffers that wait to be written",
    ),
    gauge(
        "store_rocksdb_block_cache_max_bytes",
        Figure("store_rocksdb_block_cache_capacity"),
        "Memory that RocksDB's block cache may take",
    ),
    gauge(
        "store_rocksdb_block_cache_bytes",
        Figure("store_rocksdb_block_cache_usage"),
        "Memory of RocksDB's block cache",
    ),
    gauge(
        "store_rocksdb_block_cache_pinned_bytes",
        Figure("store_rocksdb_block_cache_pinned_usage"),
        "Memory of blocks in use",
    ),
    gauge(
        "store_rocksdb_pending_compaction_bytes",
        Figure("store_rocksdb_estimate_pending_compaction_bytes"),
        "RocksDB's estimate of what compactions still have to rewrite",
    ),
    gauge(
        "store_rocksdb_running_compactions",
        Figure("store_rocksdb_num_running_compactions"),
        "Compactions under way",
    ),
    gauge(
        "store_rocksdb_snapshots",
        Figure("store_rocksdb_num_snapshots"),
        "Snapshots that keep older versions of rows",
    ),
    counter(
        "store_rocksdb_background_errors",
        Figure("store_rocksdb_background_errors"),
        "Errors of flushes and compactions",
    ),
    gauge(
        "store_rocksdb_is_write_stopped",
        Figure("store_rocksdb_is_write_stopped"),
        "1 while RocksDB lets no write in",
    ),
    gauge(
        "store_rocksdb_delayed_write_rate_bytes",
        Figure("store_rocksdb_actual_delayed_write_rate"),
        "Bytes a second to which RocksDB slows writes down; 0: it does not",
    ),
];

/// The histogram's name and help; its buckets are in `net::latency`.
pub const DURATION: (&str, &str) = (
    "request_duration_seconds",
    "Time from the moment the server has learned of a request's bytes until its reply was sent",
);

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_follow_the_rules_and_each_stands_once() {
        let mut names = HashSet::new();
        let mut sources = HashSet::new();
        for family in FAMILIES {
            let name = family.name;
            assert!(names.insert(name), "{name} stands twice");
            assert!(sources.insert(format!("{:?}", family.source)), "{name}: its source, too");
            let is_plain =
                |byte: u8| byte.is_ascii_lowercase() || byte == b'_' || byte.is_ascii_digit();
            assert!(name.bytes().all(is_plain), "{name}");
            assert!(!name.ends_with("_total"), "{name}: the encoder says so");
            assert!(!family.help.ends_with('.'), "{name}");
        }
    }

    #[test]
    fn the_page_for_operators_lists_every_family() {
        let page = include_str!("../../../../docs/operations.md");
        let named = FAMILIES.iter().map(|family| {
            let behind = if family.kind == FamilyKind::Counter { "_total" } else { "" };
            format!("`rowhouse_{}{behind}`", family.name)
        });
        let missing: Vec<String> = named.filter(|name| !page.contains(name)).collect();
        assert!(missing.is_empty(), "docs/operations.md lacks {missing:?}");
    }

    #[test]
    fn dashboards_and_alerts_ask_for_what_there_is() {
        let dashboard = include_str!("../../../../packaging/monitoring/grafana.json");
        let alerts = include_str!("../../../../packaging/monitoring/alerts.yaml");
        let known: HashSet<String> = FAMILIES
            .iter()
            .map(|family| match family.kind {
                FamilyKind::Counter => format!("{}_total", family.name),
                FamilyKind::Gauge => family.name.to_owned(),
            })
            .chain([format!("{}_bucket", DURATION.0)])
            .collect();
        let is_of_name = |letter: char| letter.is_ascii_lowercase() || letter == '_';
        for (page, least) in [(dashboard, 30), (alerts, 9)] {
            let mut asked: Vec<&str> = page
                .split("rowhouse_")
                .skip(1)
                .map(|rest| &rest[..rest.find(|l| !is_of_name(l)).unwrap_or(rest.len())])
                .collect();
            asked.sort_unstable();
            asked.dedup();
            assert!(asked.len() >= least, "{asked:?}");
            let unknown: Vec<_> = asked.iter().filter(|name| !known.contains(**name)).collect();
            assert!(unknown.is_empty(), "no such metrics: {unknown:?}");
        }
        let parsed: serde_json::Value = serde_json::from_str(dashboard).unwrap();
        let panels = parsed["panels"].as_array().unwrap();
        let rows = panels.iter().filter(|panel| panel["type"] == "row");
        let titles: Vec<&str> = rows.filter_map(|row| row["title"].as_str()).collect();
        assert_eq!(titles, ["Health", "Doors", "Store", "Queries"]);
    }
}
