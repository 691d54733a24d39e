//! LOCK TABLES, FLUSH TABLES WITH READ LOCK and LOCK INSTANCE FOR BACKUP between sessions.

use sql::Session;

use crate::harness::{error, run, server, session};

/// A table of counters, and two sessions that wait for a second at most.
fn two_sessions() -> (Session, Session) {
    let sql = server();
    let (mut one, mut other) = (session(&sql), session(&sql));
    run(&mut one, "CREATE TABLE t (id INT PRIMARY KEY, n INT)");
    run(&mut one, "CREATE TABLE u (id INT PRIMARY KEY)");
    run(&mut one, "INSERT INTO t VALUES (1, 10), (2, 20)");
    for s in [&mut one, &mut other] {
        run(s, "SET lock_wait_timeout = 1, innodb_lock_wait_timeout = 1");
    }
    (one, other)
}

#[test]
fn a_table_that_is_locked_for_writing_is_its_holders_alone() {
    let (one, other) = &mut two_sessions();
    run(one, "LOCK TABLES t WRITE");
    for waits in [
        "UPDATE t SET n = 0",
        "INSERT INTO t VALUES (3, 30)",
        "SELECT n FROM t WHERE id = 1",
        "SELECT COUNT(*) FROM t a JOIN t b ON a.n < b.n",
        "LOCK TABLES t READ",
        "LOCK TABLES t WRITE",
        "ALTER TABLE t ADD x INT",
    ] {
        assert_eq!(error(other, waits), 1205, "{waits}");
    }
    assert_eq!(run(other, "SELECT COUNT(*) FROM u"), "0", "others go on");
    run(one, "UPDATE t SET n = n + 1 WHERE id = 1");
    assert_eq!(run(one, "SELECT n FROM t WHERE id = 1"), "11");
    // What was not locked is not used, in no way.
    for unlocked in ["SELECT * FROM u", "INSERT INTO u VALUES (1)", "SELECT * FROM t JOIN u ON 1"] {
        assert_eq!(error(one, unlocked), 1100, "{unlocked}");
    }
    run(one, "UNLOCK TABLES");
    assert_eq!(run(other, "SELECT n FROM t WHERE id = 1"), "11");
    run(other, "INSERT INTO t VALUES (3, 30)");
}

#[test]
fn several_lock_a_table_for_reading_and_none_of_them_writes() {
    let (one, other) = &mut two_sessions();
    run(one, "LOCK TABLES t READ, u WRITE");
    run(other, "LOCK TABLES t READ LOCAL");
    for s in [&mut *one, &mut *other] {
        assert_eq!(run(s, "SELECT SUM(n) FROM t"), "30");
        assert_eq!(error(s, "UPDATE t SET n = 0 WHERE id = 1"), 1099);
        assert_eq!(error(s, "REPLACE INTO t VALUES (1, 1)"), 1099);
    }
    run(one, "INSERT INTO u SELECT id FROM t");
    // A transaction that begins gives the locks up, a commit does not.
    run(one, "COMMIT");
    assert_eq!(error(other, "SELECT * FROM u"), 1100);
    run(one, "START TRANSACTION");
    run(one, "ROLLBACK");
    run(other, "UNLOCK TABLES");
    run(other, "UPDATE t SET n = 0");
    assert_eq!(run(other, "SELECT COUNT(*) FROM u"), "2");
}

#[test]
fn a_dump_loads_under_its_locks() {
    let (one, other) = &mut two_sessions();
    run(one, "CREATE VIEW v AS SELECT n FROM t");
    run(one, "LOCK TABLES t WRITE, v READ");
    run(one, "ALTER TABLE t DISABLE KEYS");
    run(one, "INSERT INTO t VALUES (4, 40)");
    run(one, "ALTER TABLE t ADD KEY (n)");
    assert_eq!(run(one, "SELECT COUNT(*) FROM v"), "3");
    assert_eq!(error(other, "INSERT INTO t VALUES (5, 50)"), 1205, "the lock is there again");
    run(one, "TRUNCATE TABLE t");
    run(one, "DROP TABLE t");
    run(one, "UNLOCK TABLES");
}

#[test]
fn locks_end_with_their_session_and_flushes_share_them() {
    let sql = server();
    let (mut one, other) = (session(&sql), &mut session(&sql));
    run(&mut one, "CREATE TABLE t (id INT PRIMARY KEY)");
    run(&mut one, "FLUSH TABLES WITH READ LOCK");
    run(other, "FLUSH TABLES WITH READ LOCK");
    assert_eq!(error(other, "INSERT INTO t VALUES (1)"), 1223);
    run(other, "UNLOCK TABLES");
    run(other, "SET lock_wait_timeout = 1, innodb_lock_wait_timeout = 1");
    assert_eq!(error(other, "INSERT INTO t VALUES (1)"), 1205);
    drop(one);
    run(other, "INSERT INTO t VALUES (1)");
    let mut one = session(&sql);
    run(&mut one, "LOCK TABLES t WRITE");
    drop(one);
    assert_eq!(run(other, "SELECT id FROM t"), "1");
}

#[test]
fn while_a_backup_is_made_rows_change_and_definitions_and_accounts_do_not() {
    let (one, other) = &mut two_sessions();
    run(one, "BEGIN");
    run(one, "INSERT INTO t VALUES (3, 30)");
    run(one, "LOCK INSTANCE FOR BACKUP");
    run(one, "LOCK INSTANCE FOR BACKUP");
    run(one, "ROLLBACK");
    assert_eq!(run(one, "SELECT COUNT(*) FROM t"), "2", "nothing was committed");
    for waits in [
        "CREATE TABLE v (id INT)",
        "ALTER TABLE t ADD x INT",
        "DROP TABLE u",
        "TRUNCATE TABLE t",
        "CREATE VIEW v AS SELECT 1",
        "CREATE USER somebody",
        "DROP DATABASE d",
    ] {
        assert_eq!(error(other, waits), 1205, "{waits}");
    }
    run(other, "UPDATE t SET n = n + 1 WHERE id = 1");
    for own in ["CREATE TEMPORARY TABLE w (id INT)", "ALTER TABLE w ADD n INT", "DROP TABLE w"] {
        run(other, own);
    }
    run(one, "ALTER TABLE t ADD x INT");
    // Two backups at once: neither changes what the other saves.
    run(other, "LOCK INSTANCE FOR BACKUP");
    assert_eq!(error(one, "ALTER TABLE t DROP x"), 1205);
    run(one, "UNLOCK INSTANCE");
    assert_eq!(error(one, "ALTER TABLE t DROP x"), 1205);
    run(other, "ALTER TABLE t DROP x");
    run(other, "UNLOCK TABLES");
    assert_eq!(error(one, "DROP TABLE u"), 1205, "it is no lock of tables");
    run(other, "UNLOCK INSTANCE");
    run(other, "UNLOCK INSTANCE");
    run(one, "DROP TABLE u");
}

#[test]
fn a_backup_ends_with_its_session() {
    let (mut one, mut other) = two_sessions();
    run(&mut other, "LOCK INSTANCE FOR BACKUP");
    drop(other);
    run(&mut one, "ALTER TABLE t ADD x INT");
    assert_eq!(error(&mut one, "LOCK INSTANCE"), 1064);
    assert_eq!(error(&mut one, "LOCK INSTANCE FOR BACKUP NOW"), 1064);
}
