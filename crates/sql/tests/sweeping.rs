//! Ranges of an index with most of a table's rows: these are found by reading all rows, and are the
//! same.

use std::collections::BTreeSet;

use crate::harness::{run, server, session};
use sql::Session;

const ROWS: u64 = 30_000;

/// Adds a row for each number.
fn insert(s: &mut Session, into: &str, row: impl Fn(u64) -> String) {
    const AT_ONCE: u64 = 5000;
    for first in (0..ROWS).step_by(AT_ONCE as usize) {
        let rows: Vec<String> = (first..first + AT_ONCE).map(&row).collect();
        run(s, &format!("INSERT INTO {into} VALUES {}", rows.join(", ")));
    }
}

/// Rows of which `k` is scattered and sometimes NULL, `u` descends, `s` is a text.
fn fill(s: &mut Session) {
    run(
        s,
        "CREATE TABLE t (id INT PRIMARY KEY, k INT, u INT NOT NULL, s VARCHAR(20), n INT DEFAULT 0,
         KEY by_k (k), UNIQUE by_u (u), KEY by_s (s(3), k))",
    );
    insert(s, "t", |id| {
        let k = id * 7919 % 10_000;
        let k = if k < 100 { "NULL".to_owned() } else { k.to_string() };
        format!("({id}, {k}, {}, 'text {}', 0)", 2 * (ROWS - id), id % 50)
    });
}

fn ids(answer: &str) -> Vec<u64> {
    answer.lines().map(|id| id.parse().unwrap()).collect()
}

#[test]
fn rows_that_are_not_looked_up_one_by_one_any_more_are_the_same() {
    let sql = server();
    let s = &mut session(&sql);
    fill(s);
    for (condition, in_order_of) in [
        ("k >= 2000", "k"),
        ("k BETWEEN 500 AND 9000 AND n = 0", "k"),
        ("(k < 1000 OR k > 3000) AND s <> 'text 7'", "k"),
        ("k > 100 AND s = 'no text'", "k"),
        ("u > 5000", "u"),
        ("u BETWEEN 5000 AND 50000 AND k IS NULL", "u"),
        ("s >= 'text 1'", "s"),
        ("s LIKE 'text%' AND k > 5000", "s"),
    ] {
        let all = format!("SELECT id FROM t IGNORE INDEX (by_k, by_u, by_s) WHERE {condition}");
        let all = ids(&run(s, &all));
        for end in ["", " FOR UPDATE"] {
            let found = ids(&run(s, &format!("SELECT id FROM t WHERE {condition}{end}")));
            assert_eq!(found.len(), all.len(), "{condition}{end}");
            let distinct: BTreeSet<u64> = found.iter().copied().collect();
            assert_eq!(distinct, all.iter().copied().collect(), "{condition}{end}");
        }
        for (offset, limit) in [(0, 3000), (0, 9000), (5000, 7000), (29_000, 5000)] {
            let limited = format!("SELECT id FROM t WHERE {condition} LIMIT {offset}, {limit}");
            let found: BTreeSet<u64> = ids(&run(s, &limited)).into_iter().collect();
            let expected = all.len().saturating_sub(offset).min(limit);
            assert_eq!(found.len(), expected, "{limited}");
            assert!(found.iter().all(|id| all.contains(id)), "{limited}");
        }
        let ordered = format!(
            "SELECT id FROM t WHERE {condition} ORDER BY {in_order_of}{}",
            if in_order_of == "s" { ", k, id" } else { ", id" },
        );
        let hinted = ordered.replace(" WHERE", " IGNORE INDEX (by_k, by_u, by_s) WHERE");
        assert_eq!(run(s, &ordered), run(s, &hinted), "{ordered}");
    }
}

#[test]
fn of_most_of_a_table_the_rest_is_no_longer_looked_up() {
    let sql = server();
    let s = &mut session(&sql);
    fill(s);
    let keys_of = |s: &mut Session, condition| {
        let found = run(s, &format!("SELECT u, k, id FROM t {condition}"));
        let number = |line: &str, at| line.split('\t').nth(at).unwrap().parse::<u64>().unwrap_or(0);
        found.lines().map(|line| (number(line, 1), number(line, 2))).collect::<Vec<_>>()
    };
    // In the order of the index at first, in that of the rows then.
    let found = keys_of(s, "WHERE k >= 1000");
    assert!(found[..4096].is_sorted_by_key(|(k, _)| *k));
    assert!(!found.is_sorted_by_key(|(k, _)| *k));
    assert!(found[4096..].is_sorted_by_key(|(_, id)| *id));
    // A tenth of them is looked up as before.
    assert!(keys_of(s, "WHERE k >= 9000").is_sorted_by_key(|(k, _)| *k));
    // So are the rows of one for whom a few are enough.
    assert!(keys_of(s, "WHERE k >= 1000 LIMIT 5000").is_sorted_by_key(|(k, _)| *k));
    assert!(keys_of(s, "FORCE INDEX (by_k) WHERE k >= 1000").is_sorted_by_key(|(k, _)| *k));
}

#[test]
fn writes_of_most_of_a_table_change_what_they_are_to_change() {
    let sql = server();
    let s = &mut session(&sql);
    fill(s);
    let count = |s: &mut Session, condition: &str| {
        let by_rows = "IGNORE INDEX (by_k, by_u, by_s)";
        run(s, &format!("SELECT COUNT(*) FROM t {by_rows} WHERE {condition}"))
    };
    let high = count(s, "k >= 3000");
    run(s, "BEGIN");
    run(s, "UPDATE t SET n = n + 1 WHERE k >= 3000");
    assert_eq!(count(s, "n = 1 AND k >= 3000"), high);
    assert_eq!(count(s, "n <> 0"), high);
    // The index that is read, of rows that the transaction has written itself.
    run(s, "UPDATE t SET k = k + 10 WHERE k >= 3000");
    assert_eq!(count(s, "k >= 3010"), high);
    assert_eq!(count(s, "n = 1 AND k >= 3010"), high);
    // Each unique key in the place of the one before it: only right in the order of the index.
    run(s, "UPDATE t SET u = u - 2 WHERE u >= 2");
    assert_eq!(count(s, "u = 2 * (30000 - id) - 2"), ROWS.to_string());
    let gone = run(s, "DELETE FROM t WHERE k >= 3010");
    assert_eq!(gone, format!("ok {high}"));
    assert_eq!(count(s, "k >= 3000"), "0");
    assert_eq!(count(s, "id >= 0"), (ROWS - high.parse::<u64>().unwrap()).to_string());
    run(s, "ROLLBACK");
    assert_eq!(count(s, "k >= 3000 AND n = 0"), high);
    run(s, "DELETE FROM t WHERE k > 100 LIMIT 20000");
    assert_eq!(count(s, "id >= 0"), (ROWS - 20_000).to_string());
}

#[test]
fn a_computed_key_that_is_read_no_longer_has_rows_changed_twice() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE c (id INT PRIMARY KEY, n INT, pad CHAR(200) DEFAULT 'x',
         g INT AS (n + 0) STORED, UNIQUE (g))",
    );
    insert(s, "c (id, n)", |id| format!("({id}, {})", ROWS - id));
    // Each in the place of the one before it.
    run(s, "UPDATE c SET n = n - 1 WHERE g >= 1");
    let state = "SELECT COUNT(*), MIN(g), MAX(g), SUM(n = g) FROM c";
    assert_eq!(run(s, state), "30000\t0\t29999\t30000");
    // More than one piece, behind whose place the rows of the first come to lie.
    run(s, "UPDATE c SET n = n + 1000000 WHERE g >= 0");
    assert_eq!(run(s, state), "30000\t1000000\t1029999\t30000");
}

#[test]
fn rows_that_lie_together_are_read_by_their_index() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE o (id INT PRIMARY KEY, at INT NOT NULL, n INT NOT NULL, v INT DEFAULT 0,
         KEY (at), KEY (n))",
    );
    insert(s, "o (id, at, n)", |id| format!("({id}, {}, {})", ROWS - id, id * 7919 % ROWS));
    // All rows would be read in the order of their keys, which is the opposite one.
    assert!(ids(&run(s, "SELECT at FROM o WHERE at >= 4000 AND v <> 9")).is_sorted());
    assert!(!ids(&run(s, "SELECT n FROM o WHERE n >= 4000 AND v <> 9")).is_sorted());
}

#[test]
fn found_rows_are_all_that_were_given_however_many_pieces_they_came_in() {
    let sql = server();
    let s = &mut session(&sql);
    fill(s);
    for open in [false, true] {
        if open {
            run(s, "BEGIN");
            run(s, "UPDATE t SET n = 1 WHERE id = 3");
        }
        for (query, found) in [
            ("SELECT id FROM t", ROWS),
            ("SELECT id, s FROM t WHERE id >= 5000 LIMIT 20000", 20_000),
            ("SELECT id FROM t WHERE u > 100 ORDER BY u", ROWS - 50),
            ("SELECT id FROM t ORDER BY s, n", ROWS),
            ("SELECT id FROM t UNION ALL SELECT id FROM t", 2 * ROWS),
            ("SELECT s, COUNT(*) FROM t GROUP BY s", 50),
            ("SELECT id FROM t WHERE id = 7", 1),
            ("SELECT id FROM t WHERE id < 0", 0),
        ] {
            run(s, query);
            assert_eq!(run(s, "SELECT FOUND_ROWS()"), found.to_string(), "{query}");
            assert_eq!(run(s, "SELECT FOUND_ROWS()"), "1", "the query before gave one");
        }
    }
}
