//! One snapshot of tables of both kinds: who reads a columnar table and a table of rows together,
//! beside writers that change both in one transaction and a mover that makes segments meanwhile,
//! sees each transaction wholly or not at all, by column and row by row.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use crate::by_column::{MEMORY, Random, cell, insert, stop_and_check};
use crate::mysql::Mysql;
use crate::support::{PATIENCE, Running, wait_until};

/// So that the mover tells of its rounds.
const LOG: &str = "--log-level=debug";

/// Rows that are in both tables, each with a sum of `BOTH`.
const ROWS: u64 = 20_000;
const BOTH: u64 = 2_000;
/// The first row that is in one of the tables only, and how many there are.
const LONE: u64 = 100_000;
const LONE_ROWS: u64 = 2_000;

const WRITERS: u64 = 4;
/// Rows that one transaction changes: so many that segments are soon worn.
const AT_ONCE: u64 = 120;

fn session(server: &Running) -> Mysql {
    Mysql::login(server.connect("mysql")).expect("a session")
}

fn furnished(server: &Running) -> Mysql {
    let mut client = session(server);
    client.query("CREATE DATABASE d").unwrap();
    for (table, engine) in [("t", "COLUMNAR"), ("r", "InnoDB")] {
        let columns = "id INT PRIMARY KEY, n INT, word VARCHAR(40), KEY (n)";
        client.query(&format!("CREATE TABLE d.{table} ({columns}) ENGINE={engine}")).unwrap();
    }
    insert(&mut client, 0..ROWS as i64, "");
    insert(&mut client, LONE as i64..(LONE + LONE_ROWS) as i64, "");
    client.query("UPDATE d.t SET n = 1000").unwrap();
    client.query(&format!("INSERT INTO d.r SELECT * FROM d.t WHERE id < {ROWS}")).unwrap();
    let status = "SHOW TABLE STATUS FROM d LIKE 't'";
    wait_until("the rows to be sealed", || {
        client.query(status).unwrap()[0][5].as_deref().is_some_and(|bytes| bytes != "0")
    });
    client
}

/// Rounds in which the mover has made segments.
fn moves(server: &Running) -> usize {
    server.log().matches("rows moved into segments").count()
}

/// Moves ones between rows, and rows between tables, until it is over; each writer has rows of its
/// own.
fn write(server: &Running, writer: u64, ended: &AtomicBool, commits: &AtomicU64) {
    let mut client = session(server);
    let mut random = Random(writer + 1);
    let since = Instant::now();
    let part = |count: u64| (count / WRITERS * writer, count / WRITERS);
    while !ended.load(Ordering::Relaxed) && since.elapsed() < PATIENCE {
        let (first, count) = part(ROWS);
        let first = first + random.below(count - AT_ONCE);
        let among = format!("id BETWEEN {first} AND {}", first + AT_ONCE - 1);
        let ones = random.below(100) as i64 - 50;
        let (from, to) = if random.below(2) == 0 { ("t", "r") } else { ("r", "t") };
        client.query("BEGIN").unwrap();
        client.query(&format!("UPDATE d.{from} SET n = n - {ones} WHERE {among}")).unwrap();
        // Own writes are seen, of whichever kind the table is.
        let own = format!("SELECT MIN(t.n + r.n) FROM d.t JOIN d.r USING (id) WHERE t.{among}");
        assert_eq!(cell(&mut client, &own), (BOTH as i64 - ones).to_string());
        client.query(&format!("UPDATE d.{to} SET n = n + {ones} WHERE {among}")).unwrap();
        assert_eq!(cell(&mut client, &own), BOTH.to_string());
        let (first, count) = part(LONE_ROWS);
        let id = LONE + first + random.below(count);
        let there = client.execute(&format!("INSERT INTO d.r SELECT * FROM d.t WHERE id = {id}"));
        match there {
            Ok(1) => client.query(&format!("DELETE FROM d.t WHERE id = {id}")).unwrap(),
            other => {
                assert_eq!(other.unwrap(), 0);
                client
                    .query(&format!("REPLACE INTO d.t SELECT * FROM d.r WHERE id = {id}"))
                    .unwrap();
                client.query(&format!("DELETE FROM d.r WHERE id = {id}")).unwrap()
            }
        };
        let end = if random.below(5) == 0 { "ROLLBACK" } else { "COMMIT" };
        client.query(end).unwrap();
        commits.fetch_add(1, Ordering::Relaxed);
    }
}

/// Queries of both tables, and what each gives at every moment.
fn queries() -> Vec<(String, String)> {
    let all = ROWS + LONE_ROWS;
    let lone_ids = LONE_ROWS * (2 * LONE + LONE_ROWS - 1) / 2;
    let sum = ROWS * BOTH + LONE_ROWS * BOTH / 2;
    [
        (
            format!(
                "SELECT CONCAT_WS(' ', COUNT(*), SUM(t.n + r.n), MIN(t.n + r.n), MAX(t.n + r.n)) \
                 FROM d.t JOIN d.r ON r.id = t.id WHERE t.id < {ROWS}"
            ),
            format!("{ROWS} {} {BOTH} {BOTH}", ROWS * BOTH),
        ),
        ("SELECT (SELECT SUM(n) FROM d.t) + (SELECT SUM(n) FROM d.r)".into(), sum.to_string()),
        (
            format!(
                "SELECT CONCAT_WS(' ', COUNT(*), SUM(id)) FROM (SELECT id FROM d.t UNION ALL \
                 SELECT id FROM d.r) AS b WHERE id >= {LONE}"
            ),
            format!("{LONE_ROWS} {lone_ids}"),
        ),
        ("SELECT COUNT(*) FROM (SELECT id FROM d.r UNION SELECT id FROM d.t) AS b".into(), all.to_string()),
        (
            format!("SELECT COUNT(*) FROM d.r LEFT JOIN d.t ON t.id = r.id WHERE (t.id IS NULL) = (r.id < {ROWS})"),
            "0".into(),
        ),
        (
            format!(
                "SELECT COUNT(*) FROM d.r WHERE id < {ROWS} AND NOT EXISTS \
                 (SELECT * FROM d.t WHERE t.id = r.id AND t.n = {BOTH} - r.n)"
            ),
            "0".into(),
        ),
        (
            format!(
                "SELECT COUNT(*) FROM (SELECT t.n + r.n AS both_n, COUNT(*) FROM d.t, d.r \
                 WHERE t.id = r.id AND t.id BETWEEN 1000 AND {ROWS} - 1 GROUP BY both_n) AS b"
            ),
            "1".into(),
        ),
    ]
    .to_vec()
}

#[test]
fn a_query_of_both_kinds_of_tables_sees_each_transaction_wholly_or_not_at_all() {
    const MOVES: usize = 3;
    const COMMITS: u64 = 200;
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY, LOG]);
    let mut client = furnished(&server);
    let moves_before = moves(&server);
    let (ended, commits) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (server, ended, commits) = (&server, &ended, &commits);
            scope.spawn(move || write(server, writer, ended, commits));
        }
        let since = Instant::now();
        let mut ask = |begin: &str| {
            for executor in ["columns", "rows", "auto"] {
                client.query(&format!("SET SESSION rowhouse_executor = '{executor}'")).unwrap();
                if !begin.is_empty() {
                    client.query(begin).unwrap();
                }
                for (query, expected) in queries() {
                    assert_eq!(cell(&mut client, &query), expected, "{executor}: {query}");
                }
                // What was read at the beginning is the same in the end.
                client.query("COMMIT").unwrap();
            }
        };
        while moves(&server) < moves_before + MOVES || commits.load(Ordering::Relaxed) < COMMITS {
            assert!(since.elapsed() < PATIENCE, "{} moves", moves(&server) - moves_before);
            ask("");
            ask("START TRANSACTION WITH CONSISTENT SNAPSHOT");
        }
        ended.store(true, Ordering::Relaxed);
    });
    drop(client);
    stop_and_check(server, directory.path());
}

#[test]
fn a_transaction_sees_both_kinds_of_tables_as_they_were_when_it_began() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY, LOG]);
    let (mut reader, mut writer) = (furnished(&server), session(&server));
    let sums = "SELECT CONCAT_WS(' ', COUNT(*), SUM(t.n), SUM(r.n), MIN(t.n + r.n)) \
                FROM d.t JOIN d.r ON r.id = t.id";
    let before = cell(&mut reader, sums);
    reader.query("START TRANSACTION WITH CONSISTENT SNAPSHOT").unwrap();
    let moves_before = moves(&server);
    writer.query("UPDATE d.t SET n = n + 1 WHERE id % 2 = 0").unwrap();
    writer.query("DELETE FROM d.t WHERE id % 10 = 1").unwrap();
    writer.query("UPDATE d.r SET n = n + 1 WHERE id % 2 = 1").unwrap();
    writer.query("DELETE FROM d.r WHERE id % 10 = 2").unwrap();
    let after = cell(&mut writer, sums);
    wait_until("segments to be renewed", || moves(&server) > moves_before);
    for executor in ["columns", "rows", "auto"] {
        reader.query(&format!("SET SESSION rowhouse_executor = '{executor}'")).unwrap();
        assert_eq!(cell(&mut reader, sums), before, "{executor}");
    }
    reader.query("COMMIT").unwrap();
    for executor in ["columns", "rows", "auto"] {
        reader.query(&format!("SET SESSION rowhouse_executor = '{executor}'")).unwrap();
        assert_eq!(cell(&mut reader, sums), after, "{executor}");
    }
    assert_ne!(before, after);
}
