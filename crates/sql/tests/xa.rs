//! Global transactions between sessions: who holds what, and what ends one.
//!
//! Not here: states and errors of one session, which MySQL judges (`tests/oracle/sql/xa.sql`).

use std::sync::Arc;

use sql::{Session, Sql};

use crate::accounts::{acting, furnished, number};
use crate::harness::{PATIENCE, await_memory, error, run, server, session};

fn place() -> (Arc<Sql>, Session, Session) {
    let sql = server();
    let (mut s, mut other) = (session(&sql), session(&sql));
    run(&mut s, "CREATE TABLE t (id INT PRIMARY KEY, v INT, UNIQUE (v))");
    run(&mut s, "INSERT INTO t VALUES (1, 1), (2, 2)");
    run(&mut other, "SET innodb_lock_wait_timeout = 1, lock_wait_timeout = 1");
    (sql, s, other)
}

fn prepare(s: &mut Session, name: &str, statement: &str) {
    run(s, &format!("XA START '{name}'"));
    run(s, statement);
    run(s, &format!("XA END '{name}'"));
    run(s, &format!("XA PREPARE '{name}'"));
}

#[test]
fn a_prepared_transaction_outlives_its_session_and_keeps_what_it_has_locked() {
    let (sql, mut s, mut other) = place();
    prepare(&mut s, "a", "UPDATE t SET v = 10 WHERE id = 1");
    assert!(!s.in_transaction(), "it is the session's no more");
    assert_eq!(run(&mut s, "SELECT v FROM t WHERE id = 1"), "1");
    drop(s);
    assert_eq!(run(&mut other, "XA RECOVER"), "1\t1\t0\ta");
    let shown = "SELECT trx_mysql_thread_id, trx_tables_locked FROM information_schema.innodb_trx";
    assert_eq!(run(&mut other, shown), "0\t1");
    assert_eq!(error(&mut other, "UPDATE t SET v = 3 WHERE id = 1"), 1205);
    assert_eq!(error(&mut other, "INSERT INTO t VALUES (3, 10)"), 1205);
    assert_eq!(error(&mut other, "SELECT * FROM t WHERE id = 1 FOR UPDATE NOWAIT"), 3572);
    assert_eq!(error(&mut other, "ALTER TABLE t ADD w INT"), 1205);
    assert_eq!(error(&mut other, "DROP TABLE t"), 1205);
    assert_eq!(
        run(&mut other, "UPDATE t SET v = 3 WHERE id = 2"),
        "ok 1 [Rows matched: 1  Changed: 1  Warnings: 0]"
    );
    run(&mut other, "XA COMMIT 'a'");
    assert_eq!(run(&mut other, "SELECT * FROM t ORDER BY id"), "1\t10\n2\t3");
    assert_eq!(run(&mut other, "SELECT id FROM t WHERE v = 10"), "1");
    assert_eq!(
        run(&mut other, "UPDATE t SET v = 4 WHERE id = 1"),
        "ok 1 [Rows matched: 1  Changed: 1  Warnings: 0]"
    );
    assert_eq!(run(&mut other, "XA RECOVER"), "");
    drop(other);
    await_memory(&sql);
}

#[test]
fn one_that_is_not_prepared_goes_with_its_session_and_its_name_is_free() {
    let (_sql, mut s, mut other) = place();
    for is_ended in [false, true] {
        run(&mut s, "XA START 'a'");
        run(&mut s, "INSERT INTO t VALUES (3, 3)");
        if is_ended {
            run(&mut s, "XA END 'a'");
        }
        assert_eq!(error(&mut other, "XA START 'a'"), 1440);
        assert_eq!(error(&mut other, "XA COMMIT 'a'"), 1397, "it is another session's");
        s = session(s.sql());
        run(&mut other, "XA START 'a'");
        run(&mut other, "INSERT INTO t VALUES (3, 3)");
        run(&mut other, "XA END 'a'");
        run(&mut other, "XA ROLLBACK 'a'");
    }
    assert_eq!(run(&mut s, "SELECT COUNT(*) FROM t"), "2");
}

#[test]
fn who_waits_for_a_prepared_transaction_goes_on_when_it_ends() {
    let (sql, mut s, mut other) = place();
    for (end, left) in [("COMMIT", "12"), ("ROLLBACK", "13")] {
        prepare(&mut s, "a", "UPDATE t SET v = v + 10 WHERE id = 1");
        let of_thread = Arc::clone(&sql);
        let waiting = std::thread::spawn(move || {
            let mut waiter = session(&of_thread);
            run(&mut waiter, &format!("SET innodb_lock_wait_timeout = {}", PATIENCE.as_secs()));
            run(&mut waiter, "UPDATE t SET v = v + 1 WHERE id = 1");
        });
        let waits = "SELECT COUNT(*) FROM performance_schema.data_lock_waits";
        while run(&mut other, waits) == "0" {
            std::thread::yield_now();
        }
        run(&mut other, &format!("XA {end} 'a'"));
        waiting.join().unwrap();
        assert_eq!(run(&mut s, "SELECT v FROM t WHERE id = 1"), left, "{end}");
    }
}

#[test]
fn a_deadlock_leaves_a_transaction_that_can_only_be_rolled_back() {
    let (sql, mut s, _other) = place();
    run(&mut s, "XA START 'a'");
    run(&mut s, "UPDATE t SET v = 20 WHERE id = 2");
    let of_thread = Arc::clone(&sql);
    let waiting = std::thread::spawn(move || {
        let mut waiter = session(&of_thread);
        run(&mut waiter, "BEGIN");
        run(&mut waiter, "UPDATE t SET v = 10 WHERE id = 1");
        run(&mut waiter, "UPDATE t SET v = 21 WHERE id = 2");
        run(&mut waiter, "COMMIT");
    });
    let mut watcher = session(&sql);
    while run(&mut watcher, "SELECT COUNT(*) FROM performance_schema.data_lock_waits") == "0" {
        std::thread::yield_now();
    }
    assert_eq!(error(&mut s, "UPDATE t SET v = 11 WHERE id = 1"), 1213);
    waiting.join().unwrap();
    for statement in ["SELECT * FROM t", "INSERT INTO t VALUES (5, 5)", "XA END 'a'", "XA END 'a'"]
    {
        assert_eq!(error(&mut s, statement), 1614, "{statement}");
    }
    assert_eq!(run(&mut s, "SELECT 1"), "1");
    for statement in ["BEGIN", "COMMIT", "XA PREPARE 'a'", "XA START 'b'"] {
        assert_eq!(error(&mut s, statement), 1399, "{statement}");
    }
    assert_eq!(error(&mut s, "XA COMMIT 'a' ONE PHASE"), 1614);
    assert_eq!(error(&mut s, "XA ROLLBACK 'a'"), 1397, "it is over");
    assert_eq!(run(&mut s, "SELECT * FROM t ORDER BY id"), "1\t10\n2\t21");
}

#[test]
fn statements_are_counted_and_names_are_listed_for_who_may() {
    let (sql, mut root) = furnished(&["bob"]);
    let mut bob = acting(&sql, "bob");
    for statement in ["XA START 'a'", "XA END 'a'", "XA PREPARE 'a'"] {
        assert_eq!(number(&mut bob, statement), 0, "{statement}");
    }
    assert_eq!(number(&mut bob, "XA RECOVER"), 1401);
    let warnings = run(&mut bob, "SHOW WARNINGS");
    assert!(warnings.contains("1227\tAccess denied"), "{warnings}");
    run(&mut root, "GRANT XA_RECOVER_ADMIN ON *.* TO bob@localhost");
    assert_eq!(run(&mut bob, "XA RECOVER CONVERT XID"), "1\t1\t0\t0x61");
    assert_eq!(number(&mut bob, "XA COMMIT 'a'"), 0);
    let counted = run(&mut root, "SHOW STATUS LIKE 'Com_xa%'");
    let lines = ["commit\t1", "end\t1", "prepare\t1", "recover\t2", "rollback\t0", "start\t1"];
    assert_eq!(counted, lines.map(|line| format!("Com_xa_{line}")).join("\n"));
    assert_eq!(run(&mut root, "SELECT @@xa_detach_on_prepare"), "1");
    assert_eq!(error(&mut root, "SET xa_detach_on_prepare = OFF"), 1238);
}

#[test]
fn tables_by_column_and_full_texts_follow_a_prepared_transaction() {
    let (_sql, mut s, mut other) = place();
    run(&mut s, "CREATE TABLE f (id INT PRIMARY KEY, b TEXT, FULLTEXT (b))");
    prepare(&mut s, "a", "INSERT INTO f VALUES (1, 'quick fox')");
    let found = "SELECT id FROM f WHERE MATCH (b) AGAINST ('quick')";
    assert_eq!(run(&mut other, found), "");
    run(&mut other, "XA COMMIT 'a'");
    assert_eq!(run(&mut other, found), "1");
}
