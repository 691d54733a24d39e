//! COUNT(*) of a whole table, which is remembered: right after whatever happens to the table.

use std::sync::Arc;

use crate::harness::{run, session};
use columnar::ColumnStore;
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions};
use sql::{Session, Sql, SqlOptions};

fn server() -> Arc<Sql> {
    let store = ColumnStore::new(MemoryStore::new(), 8 << 20);
    let engine = Engine::open(Arc::new(store), EngineOptions::default()).unwrap();
    Sql::new(engine, &SqlOptions { threads: 2, ..SqlOptions::default() }, analytic::start).unwrap()
}

/// Asked thrice, so that at least once it was known already.
fn assert_counted(session: &mut Session, after: &str) {
    let expected = run(session, "SELECT CAST(SUM(1) AS SIGNED) FROM t WHERE id + 0 IS NOT NULL");
    for _ in 0..3 {
        let counted = run(session, "SELECT COUNT(*) FROM t");
        assert_eq!(counted, if expected == "NULL" { "0" } else { &expected }, "{after}");
    }
}

#[test]
fn the_number_follows_the_table() {
    let sql = server();
    let session = &mut session(&sql);
    run(session, "CREATE TABLE t (id BIGINT AUTO_INCREMENT PRIMARY KEY, a INT, KEY a (a))");
    assert_counted(session, "nothing");
    run(session, "INSERT INTO t (a) VALUES (1), (2), (3), (4), (5)");
    for statement in [
        "INSERT INTO t (a) VALUES (6), (7)",
        "INSERT INTO t (a) SELECT a + 10 FROM t",
        "DELETE FROM t WHERE a = 13",
        "DELETE FROM t WHERE a > 15 ORDER BY a LIMIT 1",
        "UPDATE t SET a = 1 WHERE a = 2",
        "REPLACE INTO t VALUES (1, 77), (99, 78)",
        "INSERT IGNORE INTO t VALUES (1, 77), (100, 78)",
        "ALTER TABLE t ADD COLUMN s CHAR(3) NOT NULL",
        "ALTER TABLE t MODIFY a BIGINT",
        "ALTER TABLE t ENGINE=COLUMNAR",
        "ALTER TABLE t ENGINE=InnoDB",
        "ALTER TABLE t ADD COLUMNAR INDEX c (a)",
        "ALTER TABLE t DROP INDEX c",
        "INSERT INTO t (a, s) SELECT x.a, 'x' FROM t x, t y, t z, t w LIMIT 60000",
        "ALTER TABLE t DROP INDEX a",
        "DELETE FROM t WHERE id % 100 > 0",
        "INSERT INTO t (a, s) SELECT x.a, 'x' FROM t x, t y LIMIT 60000",
        "RENAME TABLE t TO other, other TO t",
        "TRUNCATE TABLE t",
        "INSERT INTO t (a, s) VALUES (1, 'x')",
    ] {
        run(session, statement);
        assert_counted(session, statement);
    }
    run(session, "DROP TABLE t");
    run(session, "CREATE TABLE t (id INT)");
    assert_counted(session, "a new table of the same name");
}

#[test]
fn a_transaction_counts_what_it_sees() {
    let sql = server();
    let (one, other) = (&mut session(&sql), &mut session(&sql));
    run(one, "CREATE TABLE t (id INT PRIMARY KEY)");
    run(one, "INSERT INTO t VALUES (1), (2), (3)");
    assert_counted(one, "before");
    run(one, "BEGIN");
    assert_counted(one, "within");
    run(other, "INSERT INTO t VALUES (4)");
    assert_eq!(run(other, "SELECT COUNT(*) FROM t"), "4");
    assert_eq!(run(other, "SELECT COUNT(*) FROM t"), "4");
    assert_eq!(run(one, "SELECT COUNT(*) FROM t"), "3");
    run(one, "INSERT INTO t VALUES (5), (6)");
    assert_eq!(run(one, "SELECT COUNT(*) FROM t"), "5");
    assert_eq!(run(other, "SELECT COUNT(*) FROM t"), "4");
    run(one, "SAVEPOINT s");
    run(one, "DELETE FROM t");
    run(one, "ROLLBACK TO s");
    assert_eq!(run(one, "SELECT COUNT(*), COUNT(*) + 1 FROM t HAVING COUNT(*) > 1"), "5\t6");
    run(one, "ROLLBACK");
    assert_eq!(run(one, "SELECT COUNT(*) FROM t"), "4");
    assert_counted(one, "after");
}
