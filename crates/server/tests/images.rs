//! Indexes in memory, of a server with several clients: scans tell one state, and the latest, while
//! rows change.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::mysql::Mysql;
use crate::support::{Running, figure};

const ACCOUNTS: i64 = 300;
const BALANCE: i64 = 1_000;
/// After how many queries of readers a writer goes on that rests for images to be made: these alone
/// ask for some.
const QUERIES_OF_REST: u32 = 40;
/// How often an index has to be seen in memory while writers come and go.
const SEEN: u32 = 100;

fn rows(client: &mut Mysql, text: &str) -> Vec<Vec<i64>> {
    let number = |value: Option<String>| value.expect("a value").parse().expect("a number");
    let rows = client.query(text).unwrap_or_else(|failure| panic!("{text}: {failure:?}"));
    rows.into_iter().map(|row| row.into_iter().map(number).collect()).collect()
}

/// Ends the clients also where something is not as it should be.
struct Ending<'s>(&'s AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn money_that_moves_is_all_there_in_every_scan_and_seen_by_who_has_moved_it() {
    let place = tempfile::tempdir().expect("a directory");
    let server = Running::start(place.path(), &["--durability=os"]);
    let client = || {
        let mut client = Mysql::login(server.connect("mysql")).expect("let in");
        client.query("CREATE DATABASE IF NOT EXISTS d").expect("made");
        client.query("USE d").expect("there");
        client
    };
    let mut first = client();
    let table =
        "CREATE TABLE a (id INT PRIMARY KEY, branch INT, balance INT, KEY (branch, balance))";
    first.query(table).expect("made");
    let values: Vec<_> = (0..ACCOUNTS).map(|id| format!("({id}, {}, {BALANCE})", id % 7)).collect();
    first.query(&format!("INSERT INTO a VALUES {}", values.join(","))).expect("filled");

    let (stop, queries) = (AtomicBool::new(false), AtomicU32::new(0));
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut held = 0;
    thread::scope(|scope| {
        let (stop, queries) = (&stop, &queries);
        let _ends = Ending(stop);
        for seed in 1..=2 {
            let mut writer = client();
            scope.spawn(move || {
                for n in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    // Different accounts of each writer, always the lower one first.
                    let one = (n * 7 + seed * 31) % (ACCOUNTS / 2) * 2 + seed - 1;
                    let other = (one + 2) % ACCOUNTS;
                    let (low, high) = (one.min(other), one.max(other));
                    for text in [
                        "BEGIN".to_owned(),
                        format!("UPDATE a SET balance = balance - 5 WHERE id = {low}"),
                        format!("UPDATE a SET balance = balance + 5 WHERE id = {high}"),
                        if n % 5 == 0 { "ROLLBACK" } else { "COMMIT" }.to_owned(),
                    ] {
                        writer.query(&text).unwrap_or_else(|failure| panic!("{text}: {failure:?}"));
                    }
                    let by_key = format!("SELECT balance FROM a WHERE id = {low}");
                    let scanned = format!("SELECT balance FROM a WHERE id + 0 = {low}");
                    let ranged =
                        format!("SELECT balance FROM a WHERE branch = {} AND id = {low}", low % 7);
                    let known = rows(&mut writer, &by_key);
                    assert_eq!(rows(&mut writer, &scanned), known);
                    assert_eq!(rows(&mut writer, &ranged), known);
                    // Images are made only while nobody writes.
                    let seen = queries.load(Ordering::Relaxed);
                    let rests = || {
                        let has_time = queries.load(Ordering::Relaxed) - seen < QUERIES_OF_REST;
                        n % 20 == 0 && has_time && !stop.load(Ordering::Relaxed)
                    };
                    while rests() {
                        thread::yield_now();
                    }
                }
            });
        }
        for level in ["READ COMMITTED", "REPEATABLE READ"] {
            let mut reader = client();
            let isolation = format!("SET SESSION TRANSACTION ISOLATION LEVEL {level}");
            reader.query(&isolation).expect("set");
            scope.spawn(move || {
                let all = ACCOUNTS * BALANCE;
                while !stop.load(Ordering::Relaxed) {
                    let is_one_state = level == "REPEATABLE READ";
                    if is_one_state {
                        reader.query("START TRANSACTION WITH CONSISTENT SNAPSHOT").expect("begun");
                    }
                    for _ in 0..5 {
                        let sum = rows(&mut reader, "SELECT SUM(balance), COUNT(*) FROM a");
                        assert_eq!(sum, [[all, ACCOUNTS]]);
                        let by_branch =
                            rows(&mut reader, "SELECT branch, SUM(balance) FROM a GROUP BY branch");
                        assert_eq!(by_branch.iter().map(|row| row[1]).sum::<i64>(), all);
                        let backwards = rows(
                            &mut reader,
                            "SELECT balance FROM a ORDER BY branch DESC, balance DESC",
                        );
                        assert_eq!(backwards.iter().map(|row| row[0]).sum::<i64>(), all);
                        queries.fetch_add(3, Ordering::Relaxed);
                    }
                    if is_one_state {
                        reader.query("COMMIT").expect("ended");
                    }
                }
            });
        }
        while held < SEEN && Instant::now() < deadline {
            held += u32::from(figure(place.path(), "index_image_bytes") > 0);
        }
    });
    assert!(held > 0, "no index was in memory");
}
