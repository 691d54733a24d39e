//! The README's drawing: a few ratios that say where we stand, losses among them.

use anyhow::{Context, Result};

use super::stored::StoredResult;
use crate::plot::{Drawing, RatioBar};

/// What is shown: its words, then experiment, mode, ours and the peer of a stored ratio.
const SHOWN: [(&str, &str, &str, &str, &str); 15] = [
    (
        "Look-up by memcached's protocol, memcached",
        "lookup",
        "one in flight",
        "rowhouse memcached",
        "memcached",
    ),
    (
        "The same, 32 in flight, memcached",
        "lookup",
        "pipelined 32",
        "rowhouse memcached",
        "memcached",
    ),
    (
        "Look-up by HandlerSocket, MariaDB's plugin",
        "lookup",
        "one in flight",
        "rowhouse handlersocket",
        "mariadb handlersocket",
    ),
    ("Look-up by SQL, MariaDB", "lookup", "one in flight", "rowhouse sql text", "mariadb sql text"),
    (
        "sysbench point select, 64 threads, MariaDB",
        "sysbench",
        "oltp_point_select, 64 threads",
        "rowhouse",
        "mariadb innodb",
    ),
    (
        "sysbench read-write, 64 threads, MariaDB",
        "sysbench",
        "oltp_read_write, 64 threads",
        "rowhouse",
        "mariadb innodb",
    ),
    (
        "sysbench update, 1 thread, MariaDB",
        "sysbench",
        "oltp_update_non_index, 1 threads",
        "rowhouse",
        "mariadb innodb",
    ),
    ("TPC-C, 32 terminals, MariaDB", "orders", "32 terminals", "rowhouse", "mariadb innodb"),
    (
        "LOAD DATA with an index, MariaDB",
        "load",
        "LOAD DATA, one secondary index",
        "rowhouse",
        "mariadb innodb",
    ),
    (
        "Recovery after 1M rows, MariaDB",
        "recovery",
        "1000000 rows, full speed",
        "rowhouse",
        "mariadb innodb",
    ),
    (
        "Inserts far beyond the memory, MariaDB",
        "iibench",
        "inserts, 3 secondary indexes",
        "rowhouse",
        "mariadb innodb",
    ),
    (
        "Queries beside such inserts, MariaDB",
        "iibench",
        "queries beside inserts",
        "rowhouse",
        "mariadb innodb",
    ),
    (
        "Read and change a row, memcached (keeps nothing)",
        "game",
        "32 connections",
        "rowhouse memcached get+set",
        "memcached get+set",
    ),
    (
        "Updates, synced each second, Redis",
        "durability",
        "update, every-second",
        "rowhouse memcached",
        "redis",
    ),
    (
        "Updates by key, MariaDB's HandlerSocket",
        "durability",
        "update, every-second",
        "rowhouse handlersocket",
        "mariadb handlersocket",
    ),
];

/// The drawing. A ratio that is in none of the results is an error: nothing is made up.
pub fn drawing(results: &[StoredResult]) -> Result<Drawing> {
    let mut bars = Vec::new();
    for (name, experiment, mode, ours, peer) in SHOWN {
        // The newest result of it that has the pair.
        let of_it = results.iter().filter(|result| result.report.experiment == experiment);
        let mut ratios = of_it.rev().flat_map(|result| &result.report.ratios);
        let found = ratios
            .find(|ratio| ratio.mode == mode && ratio.ours == ours && ratio.peer == peer)
            .with_context(|| format!("no result has {experiment}: {mode}: {ours} / {peer}"))?;
        bars.push(RatioBar { name: name.to_owned(), ratio: found.throughput.median });
    }
    let note = "Rate of Rowhouse over that of the peer in the same run, two cores (scale of powers). \
                Blue: Rowhouse is ahead; orange: the peer is.";
    Ok(Drawing::ratios("Rowhouse beside its peers", bars, note))
}
