//! Rows of a query, of which there are many: answers, rows and warnings are the same whichever
//! way they take into the table.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use resources::spill::SpillDirectory;

use crate::harness::{PATIENCE, answer, await_memory, run, session};
use results::ExecutionMode;
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions};
use sql::{Reply, Session, Sql, SqlOptions};

const ROWS: u64 = 40_000;
const TABLE: &str = "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, k VARCHAR(12) NOT NULL,
     d DATE, n INT NOT NULL DEFAULT 7, s VARCHAR(60), UNIQUE (k), KEY (d, n), KEY (s))";
const COLUMNS: &str = "(id, k, d, n, s) SELECT id, k, d, n, s FROM src ORDER BY pos";

/// With a directory for sorting, many rows go in together; without, one by one.
fn server(directory: Option<&tempfile::TempDir>) -> Arc<Sql> {
    let spill = directory.map(|path| SpillDirectory::open(path.path()).expect("opens"));
    let options = EngineOptions { spill, client_bytes: 256 << 20, ..EngineOptions::default() };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).expect("opens");
    let options = SqlOptions { memory_bytes: 256 << 20, threads: 2, ..SqlOptions::default() };
    Sql::new(engine, &options, analytic::start).expect("starts")
}

/// Rows to be read: `line` gives id, k, d and n of each.
fn fill_source(s: &mut Session, line: &dyn Fn(u64) -> [String; 4]) {
    run(
        s,
        "CREATE TABLE src (pos INT PRIMARY KEY, id VARCHAR(12), k VARCHAR(30), d VARCHAR(12),
            n VARCHAR(12), s VARCHAR(60))",
    );
    let text = b"LOAD DATA LOCAL INFILE 'f' INTO TABLE src";
    let (reply, _) = s.query(text, ExecutionMode::POOL).expect("starts");
    let Reply::LoadLocal(mut load) = reply else { panic!("no file was asked for") };
    for pos in 0..ROWS {
        let [id, k, d, n] = line(pos);
        let line = format!("{pos}\t{id}\t{k}\t{d}\t{n}\tsome text of a row that is not short\n");
        load.feed(s, line.as_bytes()).expect("feeds");
    }
    load.finish(s).expect("loads");
}

fn sound(pos: u64) -> [String; 4] {
    let mixed = pos * 7919 % ROWS;
    // The highest id comes first, so that those that are made up lie behind all others.
    let id = match pos {
        0 => "100000".to_owned(),
        _ if pos.is_multiple_of(50) => "\\N".to_owned(),
        _ => (mixed + 1).to_string(),
    };
    [id, format!("K{mixed}"), "2024-05-06".to_owned(), pos.to_string()]
}

/// Some rows share ids and keys, and some values do not fit.
fn mixed(pos: u64) -> [String; 4] {
    let [mut id, mut k, mut d, n] = sound(pos);
    match pos % 700 {
        2 => id = (pos / 2 + 1).to_string(),
        3 | 43 => k = format!("k{}", pos / 3),
        4 => d = "2024-02-31".to_owned(),
        7 => k = format!("a key that is too long {pos}"),
        8 => id = "0".to_owned(),
        _ => {}
    }
    [id, k, d, n]
}

/// Answers a statement, and tells how many stages of a load the process list has been told of.
fn watched(sql: &Arc<Sql>, s: &mut Session, statement: &str) -> (Result<String, u16>, u64) {
    let answered = answer(s, statement).map_err(|error| error.code().number());
    (answered, sql.processes().find(1).expect("it is there").stages_begun())
}

/// Runs a statement in both ways and compares what a client can see of it.
fn compare(
    before: &[&str],
    statement: &str,
    line: &dyn Fn(u64) -> [String; 4],
) -> Result<String, u16> {
    let directory = tempfile::tempdir().expect("a directory");
    let (by_rows, in_bulk) = (server(None), server(Some(&directory)));
    let mut seen = Vec::new();
    for sql in [&by_rows, &in_bulk] {
        let s = &mut session(sql);
        fill_source(s, line);
        before.iter().for_each(|statement| drop(run(s, statement)));
        let (answered, stages) = watched(sql, s, statement);
        assert_eq!(stages > 0, Arc::ptr_eq(sql, &in_bulk), "{statement}");
        // Rows came in, and were then merged.
        assert!(answered.is_err() || stages != 1, "{statement}");
        let warnings = run(s, "SHOW WARNINGS");
        let rows = answer(s, "SELECT * FROM t ORDER BY 1").map_err(|error| error.code().number());
        let id = run(s, "SELECT LAST_INSERT_ID(), ROW_COUNT()");
        // Row by row a statement that fails has drawn AUTO_INCREMENT values.
        let next = match answered {
            Ok(_) => answer(s, "INSERT INTO t (k) VALUES ('next one')").unwrap_or_default(),
            Err(_) => String::new(),
        };
        let report = sql.engine().check(&mut |_| {}).expect("reads");
        assert_eq!(report.damages, Vec::<String>::new());
        await_memory(sql);
        seen.push((answered, warnings, rows, id, next));
    }
    assert_eq!(std::fs::read_dir(directory.path()).expect("is there").count(), 0);
    let in_bulk = seen.pop().expect("two");
    let by_rows = seen.pop().expect("two");
    assert!(in_bulk == by_rows, "{statement}: {:?}, {:?}", in_bulk.0, by_rows.0);
    in_bulk.0
}

#[test]
fn rows_of_a_query_in_bulk_are_those_of_one_by_one() {
    let answered = compare(&[TABLE], &format!("INSERT INTO t {COLUMNS}"), &sound);
    let answered = answered.expect("inserts");
    assert!(answered.contains("Records: 40000  Duplicates: 0  Warnings: 0"), "{answered}");
    let answered = compare(&[TABLE], &format!("INSERT IGNORE INTO t {COLUMNS}"), &mixed);
    let answered = answered.expect("inserts");
    assert!(!answered.contains("Duplicates: 0") && answered.contains("warnings"), "{answered}");
    let lax = "SET sql_mode = ''";
    let answered = compare(&[TABLE, lax], &format!("REPLACE INTO t {COLUMNS}"), &mixed);
    let answered = answered.expect("replaces");
    assert!(!answered.contains("Duplicates: 0"), "{answered}");
}

#[test]
fn rows_that_are_there_before_are_met_as_one_by_one() {
    let there =
        "INSERT INTO t (id, k, n) VALUES (77, 'old', 1), (200000, 'K500', 2), (80, 'K9', 3)";
    let before = [TABLE, there, "SET sql_mode = ''"];
    for verb in ["INSERT IGNORE", "REPLACE"] {
        let answered = compare(&before, &format!("{verb} INTO t {COLUMNS}"), &mixed);
        assert!(answered.expect("goes on").contains("Records: 40000"));
    }
    let answered = compare(&before, &format!("INSERT INTO t {COLUMNS}"), &sound);
    assert_eq!(answered, Err(1062));
}

#[test]
fn the_first_wrong_row_is_told_whatever_is_wrong_with_it() {
    let insert = format!("INSERT INTO t {COLUMNS}");
    let wrong = |shared: u64, unfit: u64| {
        move |pos: u64| {
            let [id, k, d, n] = sound(pos);
            match pos {
                _ if pos == shared => [id, "K7919".to_owned(), d, n],
                _ if pos == unfit => [id, k, d, "many".to_owned()],
                _ => [id, k, d, n],
            }
        }
    };
    assert_eq!(compare(&[TABLE], &insert, &wrong(30_000, 35_000)), Err(1062));
    let unfit = compare(&[TABLE], &insert, &wrong(35_000, 30_000));
    assert!(matches!(unfit, Err(number) if number != 1062), "{unfit:?}");
}

#[test]
fn a_table_made_of_a_query_has_its_rows_or_is_not_there() {
    let create = "CREATE TABLE t (k VARCHAR(30) NOT NULL, UNIQUE (k))
                  SELECT k, pos, s FROM src ORDER BY pos";
    let answered = compare(&[], create, &sound).expect("creates");
    assert!(answered.contains("Records: 40000"), "{answered}");
    let shared = |pos| {
        let [id, k, d, n] = sound(pos);
        [id, if pos == 39_000 { "K7919".to_owned() } else { k }, d, n]
    };
    assert_eq!(compare(&[], create, &shared), Err(1062));
}

#[test]
fn rows_in_an_open_transaction_go_with_its_rollback() {
    let directory = tempfile::tempdir().expect("a directory");
    let sql = server(Some(&directory));
    let s = &mut session(&sql);
    fill_source(s, &sound);
    run(s, TABLE);
    run(s, "BEGIN");
    let (answered, stages) = watched(&sql, s, &format!("INSERT INTO t {COLUMNS}"));
    assert!(answered.expect("inserts").starts_with("ok 40000"));
    assert_eq!(stages, 0);
    run(s, "ROLLBACK");
    assert_eq!(run(s, "SELECT COUNT(*) FROM t"), "0");
}

#[test]
fn a_kill_ends_an_insert_in_bulk_and_leaves_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let sql = server(Some(&directory));
    let s = &mut session(&sql);
    fill_source(s, &sound);
    run(s, TABLE);
    let since = Instant::now();
    // The thread that kills may be held up until it is too late: then once more.
    let ended = loop {
        let over = AtomicBool::new(false);
        let ended = std::thread::scope(|scope| {
            scope.spawn(|| {
                let process = sql.processes().find(1).expect("it is there");
                while process.stages_begun() == 0 && !over.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
                process.kill.kill_query();
            });
            let ended = answer(s, &format!("INSERT INTO t {COLUMNS}"));
            over.store(true, Ordering::Relaxed);
            ended
        });
        if ended.is_err() || since.elapsed() > PATIENCE {
            break ended;
        }
        run(s, "TRUNCATE TABLE t");
    };
    assert_eq!(ended.expect_err("it was killed").code().number(), 1317);
    assert_eq!(run(s, "SELECT COUNT(*) FROM t"), "0");
    await_memory(&sql);
    assert_eq!(std::fs::read_dir(directory.path()).expect("is there").count(), 0);
}
