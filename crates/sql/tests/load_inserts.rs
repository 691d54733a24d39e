//! LOAD INSERTS: INSERTs that are one load say what they say otherwise, and are all there or none.

use std::sync::Arc;

use resources::spill::SpillDirectory;

use crate::harness::{answer, run, session};
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions};
use sql::{Session, Sql, SqlOptions};

fn server(directory: &tempfile::TempDir) -> Arc<Sql> {
    let spill = Some(SpillDirectory::open(directory.path()).expect("opens"));
    let options = EngineOptions { spill, client_bytes: 64 << 20, ..EngineOptions::default() };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).expect("opens");
    let options = SqlOptions { memory_bytes: 256 << 20, threads: 2, ..SqlOptions::default() };
    Sql::new(engine, &options, analytic::start).expect("starts")
}

fn error(s: &mut Session, text: &str) -> u16 {
    answer(s, text).expect_err(text).code().number()
}

const TABLE: &str = "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, k VARCHAR(12),
     d DATE DEFAULT '2024-01-02', n INT NOT NULL, UNIQUE (k), KEY (n))";

const INSERTS: [&str; 6] = [
    "INSERT INTO t VALUES (5, 'five', '2024-02-29', 1), (NULL, 'next', NULL, 2 + 3)",
    "INSERT INTO t (n, k) VALUES (7, 'seven'), (8, NULL), (9, NULL)",
    "INSERT INTO t SET k = 'set', n = 4",
    "INSERT INTO t (n, k) VALUES (7, _binary 'bin'), (1, CONCAT('a', 'b'))",
    "INSERT INTO t (id, n) VALUES (-3, 0), (100, 0), (0, '12')",
    "INSERT INTO t (n) VALUES (1)",
];

#[test]
fn rows_answers_and_numbers_are_those_of_inserts_by_themselves() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut told = Vec::new();
    for loads in [false, true] {
        let sql = server(&directory);
        let s = &mut session(&sql);
        run(s, TABLE);
        run(s, "INSERT INTO t VALUES (2, 'there', NULL, 0)");
        run(s, if loads { "LOAD INSERTS INTO TABLE t" } else { "BEGIN" });
        let mut answers: Vec<String> = INSERTS.iter().map(|insert| run(s, insert)).collect();
        assert_eq!(run(&mut session(&sql), "SELECT COUNT(*) FROM t"), "1");
        run(s, "COMMIT");
        answers.push(run(s, "SELECT * FROM t ORDER BY id"));
        answers.push(run(s, "SELECT id FROM t FORCE INDEX (n) WHERE n > 0 ORDER BY n, id"));
        answers.push(run(s, "INSERT INTO t (n) VALUES (3)"));
        answers.push(run(s, "SELECT MAX(id), COUNT(*) FROM t"));
        let report = sql.engine().check(&mut |_| {}).expect("reads");
        assert_eq!(report.damages, Vec::<String>::new());
        told.push(answers);
    }
    assert_eq!(told[0], told[1]);
}

#[test]
fn a_key_that_is_taken_is_told_at_the_commit_and_nothing_is_there() {
    let directory = tempfile::tempdir().expect("a directory");
    let sql = server(&directory);
    let s = &mut session(&sql);
    run(s, TABLE);
    run(s, "INSERT INTO t VALUES (2, 'there', NULL, 0)");
    for taken in ["(2, 'x', NULL, 1)", "(9, 'THERE', NULL, 1)", "(7, 'y', NULL, 1)"] {
        run(s, "LOAD INSERTS INTO TABLE t");
        run(s, "INSERT INTO t VALUES (7, 'seven', NULL, 1)");
        run(s, &format!("INSERT INTO t VALUES {taken}"));
        assert_eq!(error(s, "COMMIT"), 1062, "{taken}");
        assert_eq!(run(s, "SELECT id FROM t"), "2");
        // It is over, and the table is everybody's again.
        run(&mut session(&sql), "UPDATE t SET n = n + 1");
    }
}

#[test]
fn an_insert_that_fails_ends_the_load_and_rollback_takes_it_back() {
    let directory = tempfile::tempdir().expect("a directory");
    let sql = server(&directory);
    let s = &mut session(&sql);
    run(s, TABLE);
    run(s, "LOAD INSERTS INTO TABLE t");
    run(s, "INSERT INTO t VALUES (1, 'a', NULL, 1)");
    assert!(s.in_transaction());
    assert_eq!(error(s, "INSERT INTO t VALUES (2, 'b', NULL, 1), (3, 'c', NULL, NULL)"), 1048);
    assert!(!s.in_transaction());
    run(s, "COMMIT");
    run(s, "LOAD INSERTS INTO TABLE t");
    run(s, "INSERT INTO t VALUES (1, 'a', NULL, 1)");
    run(s, "ROLLBACK");
    assert_eq!(run(s, "SELECT COUNT(*) FROM t"), "0");
    // One whose client leaves.
    let mut other = session(&sql);
    run(&mut other, "LOAD INSERTS INTO TABLE t");
    run(&mut other, "INSERT INTO t VALUES (1, 'a', NULL, 1)");
    drop(other);
    run(s, "INSERT INTO t VALUES (1, 'a', NULL, 1)");
}

#[test]
fn nothing_but_inserts_into_the_table_is_carried_out_and_the_load_goes_on() {
    let directory = tempfile::tempdir().expect("a directory");
    let sql = server(&directory);
    let s = &mut session(&sql);
    run(s, TABLE);
    run(s, "CREATE TABLE other (a INT)");
    run(s, "LOAD INSERTS INTO TABLE t");
    run(s, "INSERT INTO t VALUES (1, 'a', NULL, 1)");
    for refused in [
        "INSERT INTO other VALUES (1)",
        "INSERT IGNORE INTO t VALUES (2, 'b', NULL, 1)",
        "REPLACE INTO t VALUES (2, 'b', NULL, 1)",
        "INSERT INTO t VALUES (2, 'b', NULL, 1) ON DUPLICATE KEY UPDATE n = 2",
        "INSERT INTO t (n) SELECT 1",
        "INSERT INTO t (n) VALUES ((SELECT 1))",
        "UPDATE t SET n = 2",
        "DELETE FROM t",
        "SELECT 1",
        "BEGIN",
        "SET @a = 1",
        "TRUNCATE t",
        "LOAD INSERTS INTO TABLE other",
    ] {
        assert_eq!(error(s, refused), 1192, "{refused}");
    }
    run(s, "SHOW WARNINGS");
    run(s, "INSERT INTO t VALUES (2, 'b', NULL, 1)");
    run(s, "COMMIT");
    assert_eq!(run(s, "SELECT COUNT(*) FROM t"), "2");
}

#[test]
fn a_table_that_others_write_to_or_whose_rows_leave_takes_none() {
    let directory = tempfile::tempdir().expect("a directory");
    let sql = server(&directory);
    let s = &mut session(&sql);
    run(s, TABLE);
    let mut writer = session(&sql);
    run(&mut writer, "BEGIN");
    run(&mut writer, "INSERT INTO t VALUES (1, 'a', NULL, 1)");
    assert_eq!(error(s, "LOAD INSERTS INTO TABLE t"), 1105);
    run(&mut writer, "COMMIT");
    run(s, "CREATE TABLE expiring (a INT PRIMARY KEY, ends BIGINT) EXPIRES_BY=ends");
    assert_eq!(error(s, "LOAD INSERTS INTO TABLE expiring"), 1105);
    assert_eq!(error(s, "LOAD INSERTS INTO TABLE missing"), 1146);
    run(s, "SET TRANSACTION READ ONLY");
    assert_eq!(error(s, "LOAD INSERTS INTO TABLE t"), 1792);
    run(s, "LOAD INSERTS INTO TABLE t");
    // Others wait for the table, and read it as it was.
    run(&mut writer, "SET innodb_lock_wait_timeout = 1");
    assert_eq!(run(&mut writer, "SELECT COUNT(*) FROM t"), "1");
    assert_eq!(error(&mut writer, "INSERT INTO t VALUES (2, 'b', NULL, 1)"), 1205);
}
