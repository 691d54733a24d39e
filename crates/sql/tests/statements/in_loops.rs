//! Statements in event loops: what may not wait there, what joins a group, what is repeated
//! elsewhere.

use crate::harness::{run, server, session};
use resources::turn_limits::TurnLimits;
use results::{ExecutionMode, SqlError};
use rows::Group;
use sql::Session;

use super::done;

#[test]
fn a_write_may_not_wait_in_a_loop_without_a_group() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY)");
    let refused = s.query(b"INSERT INTO t VALUES (1)", ExecutionMode::LOOP).err().expect("waits");
    assert!(matches!(refused, SqlError::WouldWait));
    assert_eq!(run(s, "SELECT id FROM t WHERE id=1"), "");
}

#[test]
fn short_writes_of_two_sessions_share_a_group_and_a_failed_one_leaves_nothing_in_it() {
    let sql = server();
    let (s, other) = (&mut session(&sql), &mut session(&sql));
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, n INT, w VARCHAR(9), UNIQUE (w))");
    run(s, "INSERT INTO t VALUES (1, 10, 'a'), (2, 20, 'b')");
    let group = &mut Group::new();
    let mut join = |s: &mut Session, text: &str| {
        let result = s.query_in_loop(text.as_bytes(), group);
        (result.map(|(reply, _)| done(reply).affected), group.take_dependence())
    };
    assert_eq!(join(s, "UPDATE t SET n = n + 1 WHERE id = 1"), (Ok(1), true));
    assert_eq!(join(other, "INSERT INTO t VALUES (3, 30, 'c')"), (Ok(1), true));
    let (refused, depends) = join(s, "INSERT INTO t VALUES (4, 40, 'd'), (5, 50, 'c')");
    assert_eq!(refused.unwrap_err().code().number(), 1062);
    assert!(depends, "the refusal tells of a row that is not committed yet");
    assert_eq!(join(other, "DELETE FROM t WHERE id = 2; "), (Ok(1), true));
    assert_eq!(run(s, "SELECT id, n FROM t"), "1\t10\n2\t20", "not before the commit");
    let (transaction, durability) = group.take().unwrap();
    transaction.commit(durability).unwrap();
    assert_eq!(run(s, "SELECT id, n FROM t"), "1\t11\n3\t30");
}

#[test]
fn what_is_not_a_short_write_of_its_own_does_not_join_a_group() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, n INT)");
    let rows: Vec<String> = (0..200).map(|n| format!("(NULL, {n})")).collect();
    run(s, &format!("INSERT INTO t VALUES {}", rows.join(",")));
    let many =
        format!("INSERT INTO t VALUES {}", rows[..TurnLimits::LOOP.rows_changed + 1].join(","));
    let group = &mut Group::new();
    let mut waits = |s: &mut Session, text: &str| match s.query_in_loop(text.as_bytes(), group) {
        Err(error) => matches!(error, SqlError::WouldWait) && group.is_empty(),
        Ok(_) => false,
    };
    assert!(waits(s, "UPDATE t SET n = 1"), "too many rows to change");
    assert!(waits(s, "DELETE FROM t WHERE n = 199"), "too many rows to look at");
    assert!(waits(s, "UPDATE t SET n = 2 WHERE id < 100 ORDER BY n LIMIT 3"));
    assert!(waits(s, "UPDATE t SET n = SLEEP(0.01) WHERE id = 1"));
    assert!(waits(s, &many));
    assert!(waits(s, "INSERT INTO t SELECT NULL, n FROM t"));
    s.set_multi_statements(true);
    assert!(waits(s, "UPDATE t SET n = 1 WHERE id = 1; SELECT 1"));
    run(s, "SET autocommit = 0");
    assert!(waits(s, "UPDATE t SET n = 1 WHERE id = 1"));
    run(s, "ROLLBACK");
    run(s, "SET autocommit = 1");
    let other = &mut session(&sql);
    run(other, "BEGIN");
    run(other, "UPDATE t SET n = 5 WHERE id = 7");
    assert!(waits(s, "UPDATE t SET n = 6 WHERE id = 7"), "another holds the lock");
    let statements = "SHOW STATUS LIKE 'Com_update'";
    let counted = run(s, statements);
    assert!(waits(s, "UPDATE t SET n = 1"));
    assert_eq!(run(s, statements), counted, "counted where it is carried out");
    assert!(!waits(s, "UPDATE t SET n = 6 WHERE id = 8"), "a short write joins");
}

#[test]
fn short_statements_of_a_transaction_run_in_a_loop_and_its_commit_joins_the_group() {
    let sql = server();
    let (s, other) = (&mut session(&sql), &mut session(&sql));
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, n INT)");
    run(s, "INSERT INTO t VALUES (1, 10), (2, 20)");
    let group = &mut Group::new();
    let mut in_loop = |s: &mut Session, text: &str| {
        let result = s.query_in_loop(text.as_bytes(), group);
        (result.map(|(reply, _)| done(reply).affected), group.take_dependence())
    };
    for s in [&mut *s, &mut *other] {
        assert_eq!(in_loop(s, "BEGIN"), (Ok(0), false));
    }
    assert_eq!(in_loop(s, "UPDATE t SET n = n + 1 WHERE id = 1"), (Ok(1), false));
    assert_eq!(in_loop(s, "INSERT INTO t VALUES (3, 30)"), (Ok(1), false));
    let (refused, depends) = in_loop(s, "INSERT INTO t VALUES (4, 40), (3, 50)");
    assert_eq!((refused.unwrap_err().code().number(), depends), (1062, false));
    assert_eq!(in_loop(other, "DELETE FROM t WHERE id = 2"), (Ok(1), false));
    assert_eq!(in_loop(other, "COMMIT"), (Ok(0), true));
    assert_eq!(in_loop(s, "COMMIT"), (Ok(0), true));
    assert!(!s.in_transaction() && !other.in_transaction());
    assert_eq!(run(s, "SELECT id, n FROM t"), "1\t10\n2\t20", "not before the group's commit");
    let (transaction, durability) = group.take().unwrap();
    assert!(group.is_empty() && group.take().is_none());
    transaction.commit(durability).unwrap();
    assert_eq!(run(s, "SELECT id, n FROM t"), "1\t11\n3\t30");
}

#[test]
fn a_statement_of_a_transaction_that_would_wait_for_a_lock_in_a_loop_is_repeated_whole() {
    let sql = server();
    let (s, other) = (&mut session(&sql), &mut session(&sql));
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, n INT)");
    run(s, "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)");
    run(other, "BEGIN");
    run(other, "UPDATE t SET n = 0 WHERE id = 2");
    let group = &mut Group::new();
    let in_loop = |s: &mut Session, text: &str, group: &mut Group| {
        s.query_in_loop(text.as_bytes(), group).map(|(reply, _)| done(reply).affected)
    };
    assert_eq!(in_loop(s, "BEGIN", group), Ok(0));
    assert_eq!(in_loop(s, "UPDATE t SET n = n + 1 WHERE id = 3", group), Ok(1));
    let text = "UPDATE t SET n = n + 1 WHERE id <= 3";
    assert!(matches!(in_loop(s, text, group), Err(SqlError::WouldWait)), "another holds the lock");
    assert_eq!(run(s, "SELECT n FROM t WHERE id = 1"), "10", "nothing of it is done");
    run(other, "ROLLBACK");
    // As in the pool: there locks are waited for again.
    assert_eq!(run(s, text), "ok 3 [Rows matched: 3  Changed: 3  Warnings: 0]");
    assert_eq!(in_loop(s, "ROLLBACK", group), Ok(0));
    assert_eq!(run(s, "SELECT n FROM t"), "10\n20\n30");
    // Many bytes are no work for a loop.
    run(s, "CREATE TABLE b (id INT PRIMARY KEY, w LONGTEXT)");
    run(s, "BEGIN");
    run(s, "INSERT INTO b VALUES (1, REPEAT('x', 100000))");
    assert!(matches!(in_loop(s, "COMMIT", group), Err(SqlError::WouldWait)));
    assert!(s.in_transaction() && group.is_empty());
    run(s, "COMMIT");
    run(s, "START TRANSACTION READ ONLY");
    assert!(matches!(
        in_loop(s, "UPDATE t SET n = 1 WHERE id = 1", group),
        Err(SqlError::WouldWait)
    ));
    let refused =
        s.query(b"UPDATE t SET n = 1 WHERE id = 1", ExecutionMode::POOL).err().expect("refused");
    assert_eq!(refused.code().number(), 1792);
}

#[test]
fn a_statement_that_is_repeated_elsewhere_keeps_the_warnings_of_the_one_before() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, n INT)");
    run(s, "INSERT INTO t VALUES (1, 1)");
    run(s, "SELECT 1 / 0");
    let group = &mut Group::new();
    let text = b"UPDATE t SET n = @@warning_count + SLEEP(0) WHERE id = 1";
    assert!(matches!(s.query_in_loop(text, group), Err(SqlError::WouldWait)));
    s.query(text, ExecutionMode::POOL).expect("runs");
    assert_eq!(run(s, "SELECT n FROM t WHERE id = 1"), "1");
}
