//! Single-row operations are linearizable across doors: clients of all doors do whatever each
//! door offers to the same few rows, and the histories of what they saw are checked by `history`.
//!
//! Rows of `kv.cache`, and rows of a table that is a container at the memcached door, under every
//! durability; then with so much else read that rows leave the row cache and come back (a reader
//! that fills the cache must not put back what a writer has replaced).
//!
//! `ROWHOUSE_LINEARIZABLE_SECONDS` sets how long each of the four runs takes.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::clients::{Client, Dice, HandlerSocket, Memcached, PLACES, Row, Sql, Tyrant, number};
use crate::history::{Event, check};
use crate::mysql::Mysql;
use crate::support::{Running, run};

/// Operations of one client on one row, so that histories stay short enough to check.
const OPERATIONS_PER_ROW: u64 = 120;
/// Rows of each table that are used at the same time.
const ROWS_AT_ONCE: u64 = 2;
/// Rows that are read besides, and how large they are: more than the row cache holds.
const OTHER_ROWS: usize = 2500;
const OTHER_ROW_BYTES: usize = 12_000;

fn seconds(default: f64) -> Duration {
    let given = std::env::var("ROWHOUSE_LINEARIZABLE_SECONDS").ok();
    Duration::from_secs_f64(given.map_or(default, |text| text.parse().expect("a number")))
}

fn start(durability: &str, directory: &std::path::Path) -> Running {
    let flag = format!("--durability={durability}");
    // With the memory of 64 MiB that all tests give it, the row cache has 16.
    let server = Running::start(directory, &[&flag, "--tyrant-database=kv.cache(k, v)"]);
    let mut client = Mysql::login(server.connect("mysql")).unwrap();
    client.query("CREATE DATABASE lin").unwrap();
    client
        .query("CREATE TABLE lin.counter (id BIGINT PRIMARY KEY, n BIGINT UNSIGNED NOT NULL)")
        .unwrap();
    let container = "INSERT INTO rowhouse.containers (name, db, tbl, key_columns, value_columns) \
                     VALUES ('c', 'lin', 'counter', 'id', 'n')";
    assert_eq!(client.execute(container).unwrap(), 1);
    server
}

fn memcached(server: &Running) -> Memcached {
    Memcached::new(server.connect("memcached"))
}

/// Lets all clients at the same rows for a while; the history of each row.
fn record(server: &Running, duration: Duration) -> HashMap<Row, Vec<Event>> {
    let mut clients: Vec<Box<dyn Client>> = Vec::new();
    for _ in 0..3 {
        clients.push(Box::new(memcached(server)));
    }
    for _ in 0..2 {
        clients.push(Box::new(HandlerSocket::open(server.connect("handlersocket-write"))));
        let connection = Mysql::login(server.connect("mysql")).unwrap();
        clients.push(Box::new(Sql::new(connection)));
    }
    for _ in 0..2 {
        clients.push(Box::new(Tyrant::new(server.connect("tyrant"))));
    }
    let begin = Instant::now();
    // The client that has done enough to a row moves all on to the next.
    let round = Arc::new(AtomicU64::new(0));
    let threads: Vec<_> = (1u64..)
        .zip(clients)
        .map(|(identity, mut client)| {
            let round = round.clone();
            std::thread::spawn(move || {
                let mut events: Vec<(Row, Event)> = Vec::new();
                let mut dice = Dice(identity);
                let (mut fresh, mut of_round, mut in_round) = (identity * 1_000_000_000_000, 0, 0);
                let now = || begin.elapsed().as_nanos() as u64;
                while begin.elapsed() < duration {
                    let current = round.load(Ordering::Relaxed);
                    in_round = if current == of_round { in_round + 1 } else { 1 };
                    of_round = current;
                    if in_round > OPERATIONS_PER_ROW * ROWS_AT_ONCE * PLACES.len() as u64 {
                        round.fetch_max(current + 1, Ordering::Relaxed);
                        continue;
                    }
                    let place = PLACES[dice.below(PLACES.len() as u64) as usize];
                    let place = if client.knows(place) { place } else { PLACES[0] };
                    let row = (place, current * ROWS_AT_ONCE + dice.below(ROWS_AT_ONCE));
                    // Far enough from the next that additions never meet it.
                    fresh += 10_000;
                    let called = now();
                    let operation = client.operate(row, &mut dice, fresh);
                    let event = Event { called, returned: now(), client: client.name(), operation };
                    events.push((row, event));
                }
                events
            })
        })
        .collect();
    let mut histories: HashMap<Row, Vec<Event>> = HashMap::new();
    for thread in threads {
        for (row, event) in thread.join().expect("the client had no error") {
            histories.entry(row).or_default().push(event);
        }
    }
    histories
}

fn check_all(what: &str, histories: &HashMap<Row, Vec<Event>>) {
    let mut count: HashMap<&str, usize> = HashMap::new();
    let mut overlapping = 0;
    for ((place, key), history) in histories {
        if let Err(why) = check(history) {
            panic!("{what}: row {key} of {} is not linearizable: {why}", place.table);
        }
        for event in history {
            *count.entry(event.client).or_default() += 1;
        }
        let mut by_time: Vec<(u64, u64)> =
            history.iter().map(|event| (event.called, event.returned)).collect();
        by_time.sort_unstable();
        overlapping += by_time.windows(2).filter(|pair| pair[1].0 < pair[0].1).count();
    }
    eprintln!("{what}: {} rows, operations {count:?}, {overlapping} overlap", histories.len());
    // Else nothing was shown.
    assert!(count.len() == 4 && count.values().all(|count| *count > 50), "{count:?}");
    assert!(overlapping > 100, "{overlapping}");
}

#[test]
fn operations_on_one_row_are_linearizable_across_doors_under_every_durability() {
    for durability in ["every-commit", "every-second", "os"] {
        let directory = tempfile::tempdir().unwrap();
        let server = start(durability, directory.path());
        let histories = record(&server, seconds(1.5));
        check_all(durability, &histories);
        assert_eq!(server.stop().code(), Some(0));
    }
}

#[test]
fn operations_stay_linearizable_while_rows_leave_the_row_cache_and_come_back() {
    let directory = tempfile::tempdir().unwrap();
    let server = start("os", directory.path());
    let mut filler = memcached(&server);
    let value = "x".repeat(OTHER_ROW_BYTES);
    for number in 0..OTHER_ROWS {
        let set = format!("set other{number} 0 0 {OTHER_ROW_BYTES}\r\n{value}\r\n");
        assert_eq!(filler.ask(&set), "STORED");
    }
    let ended = Arc::new(AtomicBool::new(false));
    let of_filler = ended.clone();
    let reader = std::thread::spawn(move || {
        let mut passes = 0;
        while !of_filler.load(Ordering::Relaxed) {
            for first in (0..OTHER_ROWS).step_by(50) {
                // Twice each: who is asked for again may push out what is in use.
                let keys: String = (first..first + 50)
                    .map(|number| format!(" other{number} other{number}"))
                    .collect();
                filler.stream.get_mut().write_all(format!("get{keys}\r\n").as_bytes()).unwrap();
                assert!(filler.line().starts_with("VALUE other"), "they are there");
                while filler.line() != "END" {}
            }
            passes += 1;
        }
        passes
    });
    let misses = |server: &Running| {
        let flag = format!("--data-dir={}", server.data_dir.display());
        let asked = run(&["status", "--all", &flag]);
        let all = String::from_utf8_lossy(&asked.stdout).into_owned();
        let line = all.lines().find_map(|line| line.strip_prefix("row_cache_misses "));
        line.map(number).expect("a figure of this name")
    };
    let before = misses(&server);
    let histories = record(&server, seconds(2.0));
    let missed = misses(&server) - before;
    ended.store(true, Ordering::Relaxed);
    let passes = reader.join().unwrap();
    eprintln!("{missed} misses, {passes} passes over the other rows");
    assert!(missed > OTHER_ROWS as u64 / 2, "rows stayed in the cache: {missed} misses");
    check_all("rows leave the cache", &histories);
    assert_eq!(server.stop().code(), Some(0));
}
