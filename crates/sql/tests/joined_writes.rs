//! UPDATE and DELETE of rows that a query finds, by several sessions at once: no change is lost,
//! and nothing is counted twice.

use std::sync::Arc;
use std::thread;
use std::time::Instant;

use crate::harness::{PATIENCE, answer, run, server, session};
use sql::{Session, Sql};

const WRITERS: u64 = 4;
const EACH: u64 = 100;

/// `stock` with so many rows, and `sold`, which has one row for each and how many of it go.
fn prepared(sql: &Arc<Sql>, rows: u64) -> Session {
    let mut own = session(sql);
    run(&mut own, "CREATE TABLE stock (id INT PRIMARY KEY, n INT, kind INT, KEY (kind))");
    run(&mut own, "CREATE TABLE sold (id INT PRIMARY KEY, n INT)");
    for id in 0..rows {
        run(&mut own, &format!("INSERT INTO stock VALUES ({id}, 0, {})", id % 2));
        run(&mut own, &format!("INSERT INTO sold VALUES ({id}, 1)"));
    }
    own
}

/// Each of the writers runs the statements in turn on an executor, as many times as is said; one
/// that finds a circle of locks is run again.
fn at_once(sql: &Arc<Sql>, executor: &str, statements: &[&str]) {
    thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| {
                let mut own = session(sql);
                run(&mut own, &format!("SET rowhouse_executor = '{executor}'"));
                for number in 0..EACH {
                    let statement = statements[number as usize % statements.len()];
                    while let Err(error) = answer(&mut own, statement) {
                        assert_eq!(error.code().number(), 1213, "{statement}: {error:?}");
                    }
                }
            });
        }
    });
}

#[test]
fn counters_that_a_join_finds_lose_nothing() {
    let updates = [
        "UPDATE stock a JOIN sold b ON a.id = b.id SET a.n = a.n + b.n WHERE a.kind = 1",
        "UPDATE stock SET n = n + (SELECT MAX(n) FROM sold) WHERE kind = 1",
        "UPDATE stock a, sold b SET a.n = a.n + 1, b.n = 1 WHERE a.id = b.id AND a.kind = 1",
    ];
    for executor in ["auto", "rows", "columns"] {
        let sql = server();
        let mut own = prepared(&sql, 6);
        for update in updates {
            run(&mut own, "UPDATE stock SET n = 0");
            at_once(&sql, executor, &[update]);
            let sums = run(&mut own, "SELECT MIN(n), MAX(n) FROM stock WHERE kind = 1");
            let all = WRITERS * EACH;
            assert_eq!(sums, format!("{all}\t{all}"), "{executor}: {update}");
        }
    }
}

#[test]
fn a_row_is_deleted_by_one_of_those_that_find_it_and_not_once_it_is_another() {
    let sql = server();
    let mut own = prepared(&sql, 50);
    // A client that finds one still of the kind deletes it; others make it of another kind.
    at_once(
        &sql,
        "auto",
        &[
            "DELETE a FROM stock a JOIN sold b ON a.id = b.id WHERE a.kind = 1 AND a.n = 1",
            "UPDATE stock a JOIN sold b ON a.id = b.id SET a.n = 1, a.kind = 0 WHERE a.n = 0",
            "UPDATE stock a JOIN sold b ON a.id = b.id SET a.n = a.n + 1 WHERE a.n > 0",
        ],
    );
    // None was of the kind and had a 1, at any moment.
    assert_eq!(run(&mut own, "SELECT COUNT(*) FROM stock"), "50");
}

#[test]
fn one_row_under_two_names_is_changed_under_each() {
    let sql = server();
    let mut own = prepared(&sql, 4);
    run(
        &mut own,
        "UPDATE stock a JOIN stock b ON a.id = b.id SET a.n = 5, b.kind = 9 WHERE a.id < 2",
    );
    assert_eq!(run(&mut own, "SELECT SUM(n = 5), SUM(kind = 9) FROM stock"), "2\t2");
    // In a transaction that has written to them before.
    for statement in [
        "BEGIN",
        "UPDATE stock SET n = 7",
        "UPDATE stock a JOIN sold b ON a.id = b.id SET a.n = a.n + b.n",
        "DELETE a FROM stock a JOIN sold b ON a.id = b.id WHERE a.id = 3",
        "COMMIT",
    ] {
        run(&mut own, statement);
    }
    assert_eq!(run(&mut own, "SELECT MIN(n), MAX(n), COUNT(*) FROM stock"), "8\t8\t3");
}

/// Runs `first` in a transaction, then `second` in another session, which has to wait until that is
/// committed; gives what `second` answers.
fn behind(sql: &Arc<Sql>, first: &[&str], second: &str) -> String {
    let mut own = session(sql);
    run(&mut own, "BEGIN");
    for statement in first {
        run(&mut own, statement);
    }
    thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let mut other = session(sql);
            run(&mut other, second)
        });
        let begun = Instant::now();
        let waits = "SELECT COUNT(*) FROM information_schema.processlist WHERE state LIKE '%lock%'";
        while run(&mut own, waits) == "0" {
            assert!(begun.elapsed() < PATIENCE, "nobody waits");
            thread::yield_now();
        }
        run(&mut own, "COMMIT");
        waiting.join().expect("runs")
    })
}

#[test]
fn a_statement_that_waited_did_not_see_rows_that_began_to_match() {
    let sql = server();
    let mut own = session(&sql);
    run(&mut own, "CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT, KEY (w))");
    let more = "UPDATE t SET v = v + 10, w = w + 10";
    for (second, answer, left) in [
        ("DELETE FROM t WHERE v = 20", "ok 1", "2:30 3:40"),
        ("DELETE FROM t WHERE w = 20", "ok 1", "2:30 3:40"),
        ("DELETE FROM t WHERE v = 20 OR v = 30 ORDER BY v DESC LIMIT 1", "ok 1", "1:20 3:40"),
        ("DELETE FROM t WHERE v BETWEEN 20 AND 30 RETURNING id", "1\n2", "3:40"),
        (
            "UPDATE t SET v = 0 WHERE v = 20",
            "ok 1 [Rows matched: 1  Changed: 1  Warnings: 0]",
            "1:0 2:30 3:40",
        ),
        (
            "UPDATE t SET v = v + 10 WHERE v IN (20, 30)",
            "ok 2 [Rows matched: 2  Changed: 2  Warnings: 0]",
            "1:30 2:40 3:40",
        ),
        ("DELETE FROM t WHERE v = (SELECT 20)", "ok 1", "2:30 3:40"),
        ("DELETE FROM t WHERE v IN (SELECT 20) ORDER BY id LIMIT 1", "ok 1", "2:30 3:40"),
        ("DELETE FROM t WHERE (v, w) = (20, 20)", "ok 1", "2:30 3:40"),
        ("DELETE a FROM t a JOIN (SELECT 20 v) b ON a.v = b.v", "ok 1", "2:30 3:40"),
        (
            "UPDATE t SET v = 0 WHERE v = (SELECT 20)",
            "ok 1 [Rows matched: 1  Changed: 1  Warnings: 0]",
            "1:0 2:30 3:40",
        ),
        ("SELECT id FROM t WHERE v = 20 FOR UPDATE", "1", "1:20 2:30 3:40"),
        ("SELECT id FROM t WHERE w = 20 FOR UPDATE", "1", "1:20 2:30 3:40"),
        ("SELECT id FROM t WHERE v >= 20 ORDER BY id LIMIT 2 FOR UPDATE", "1\n2", "1:20 2:30 3:40"),
    ] {
        run(&mut own, "DELETE FROM t");
        run(&mut own, "INSERT INTO t VALUES (1, 10, 10), (2, 20, 20), (3, 30, 30)");
        assert_eq!(behind(&sql, &[more], second), answer, "{second}");
        let rows =
            run(&mut own, "SELECT GROUP_CONCAT(id, ':', v ORDER BY id SEPARATOR ' ') FROM t");
        assert_eq!(rows, left, "{second}");
    }
}

#[test]
fn a_statement_that_waited_sees_what_was_written_to_its_other_tables_meanwhile() {
    let sql = server();
    let mut own = session(&sql);
    run(&mut own, "CREATE TABLE orders (id INT PRIMARY KEY, total INT)");
    run(&mut own, "CREATE TABLE items (id INT PRIMARY KEY, part_of INT, n INT)");
    // The order itself stays as it is: its lock alone says that somebody works on it.
    let first =
        ["SELECT * FROM orders WHERE id = 1 FOR UPDATE", "INSERT INTO items VALUES (2, 1, 7)"];
    let sum = "SELECT SUM(n) FROM items WHERE part_of = orders.id";
    let join = "orders JOIN (SELECT part_of, SUM(n) n FROM items GROUP BY part_of) s ON part_of = orders.id";
    for (second, total) in [
        (format!("UPDATE orders SET total = ({sum})"), "12"),
        (format!("UPDATE orders SET total = 1 WHERE 5 = ({sum})"), "0"),
        (format!("UPDATE orders SET total = 1 WHERE 5 = ({sum}) ORDER BY id LIMIT 1"), "0"),
        (format!("UPDATE {join} SET total = s.n"), "12"),
        (format!("DELETE FROM orders WHERE 5 = ({sum})"), "0"),
        (format!("DELETE orders FROM {join} WHERE s.n = 5"), "0"),
    ] {
        for executor in ["auto", "columns"] {
            run(&mut own, "DELETE FROM items");
            run(&mut own, "REPLACE INTO orders VALUES (1, 0)");
            run(&mut own, "INSERT INTO items VALUES (1, 1, 5)");
            run(&mut own, &format!("SET GLOBAL rowhouse_executor = '{executor}'"));
            behind(&sql, &first, &second);
            let left = run(&mut own, "SELECT MAX(total) FROM orders");
            assert_eq!(left, total, "{executor}: {second}");
        }
    }
}

#[test]
fn a_row_that_stopped_to_match_a_sub_query_is_left_alone() {
    let sql = server();
    let mut own = prepared(&sql, 4);
    // Rows that are of the kind have n = 1, at every moment; the condition is said by a query.
    run(&mut own, "UPDATE stock SET n = 1 WHERE kind = 1");
    at_once(
        &sql,
        "auto",
        &[
            "DELETE FROM stock WHERE n = 0 AND kind = (SELECT MAX(n) FROM sold)",
            "UPDATE stock SET kind = 1 - kind, n = 1 - n WHERE id IN (SELECT id FROM sold)",
            "UPDATE stock SET n = 9 WHERE (kind, n) = (1, 0) ORDER BY id",
        ],
    );
    assert_eq!(run(&mut own, "SELECT COUNT(*), SUM(n = kind) FROM stock"), "4\t4");
}
