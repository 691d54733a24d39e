//! Queries over more and more rows: what they come to grows as the rows do, whoever runs them and
//! whatever the plan of their shape was made for. Rows that are looked up are counted, not time.

use std::sync::Arc;

use crate::harness::{run, server, session};
use sql::{Session, Sql};

const ROWS: u64 = 200_000;
/// How many rows are asked for: what the row executor does, what it would begin and the analytic
/// way ends, and what is long from the start.
const SIZES: [u64; 8] = [1_000, 5_000, 20_000, 30_000, 50_000, 90_000, 140_000, 200_000];
/// Rows of a run that is given up, at most: then it asks whether it is long.
const GIVEN_UP: u64 = 5_000;

/// A table whose `k` are the numbers from 1 on, in no order.
fn fill(s: &mut Session) {
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, k INT NOT NULL, pad CHAR(40) NOT NULL, KEY k (k))");
    for first in (1..=ROWS).step_by(10_000) {
        let row = |id: u64| format!("({id}, {}, 'pad {id}')", 1 + id * 77_773 % ROWS);
        let rows: Vec<String> = (first..first + 10_000).map(row).collect();
        run(s, &format!("INSERT INTO t VALUES {}", rows.join(",")));
    }
}

/// What a query answers, and how many rows were looked up for it.
fn looked_up(sql: &Arc<Sql>, s: &mut Session, query: &str) -> (String, u64) {
    let count = || {
        let status = sql.engine().cache().status();
        status.hits + status.misses
    };
    let before = count();
    let answer = run(s, query);
    (answer, count() - before)
}

#[test]
fn what_entries_tell_is_read_from_entries_however_many_rows_there_are() {
    let sql = server();
    let s = &mut session(&sql);
    fill(s);
    for n in SIZES {
        let (last, sum) = (n.to_string(), (n * (n + 1) / 2).to_string());
        let range = format!("FROM t WHERE k BETWEEN 1 AND {n}");
        for (query, expected) in [
            (format!("SELECT COUNT(*) {range}"), Some(&last)),
            (format!("SELECT SUM(k) {range}"), Some(&sum)),
            (format!("SELECT COUNT(DISTINCT k) {range}"), Some(&last)),
            (format!("SELECT MAX(id) {range}"), None),
            (format!("SELECT k {range} ORDER BY k LIMIT {}, 1", n - 1), Some(&last)),
            (
                format!("SELECT COUNT(*) FROM (SELECT k, COUNT(*) {range} GROUP BY k) x"),
                Some(&last),
            ),
        ] {
            let (answer, rows) = looked_up(&sql, s, &query);
            assert!(expected.is_none_or(|expected| *expected == answer), "{query}: {answer}");
            assert_eq!(rows, 0, "rows were read: {query}");
        }
    }
}

#[test]
fn rows_behind_an_index_are_looked_up_once_each_whoever_begins_with_them() {
    let sql = server();
    let s = &mut session(&sql);
    fill(s);
    let mut seen = Vec::new();
    // The plan of the shape is that for the least, and then for the most.
    let sizes = SIZES.iter().filter(|n| **n < ROWS / 2);
    for n in sizes.clone().chain(sizes.rev()) {
        let query = format!("SELECT COUNT(pad), MAX(pad) FROM t WHERE k BETWEEN 1 AND {n}");
        let (answer, rows) = looked_up(&sql, s, &query);
        assert!(answer.starts_with(&format!("{n}\t")), "{query}: {answer}");
        seen.push((*n, rows));
    }
    // Of all rows of which many are wanted, none is looked up.
    let too_many = seen.iter().find(|(n, rows)| *rows > n + GIVEN_UP);
    assert_eq!(too_many, None, "{seen:?}");
}

#[test]
fn the_row_cache_is_left_to_others_by_long_queries() {
    let sql = server();
    let s = &mut session(&sql);
    fill(s);
    run(s, "SET rowhouse_executor = 'columns'");
    let before = sql.engine().cache().status().rows;
    let query = "SELECT COUNT(pad), MAX(pad) FROM t FORCE INDEX (k) WHERE k BETWEEN 1 AND 20000";
    let (answer, rows) = looked_up(&sql, s, query);
    assert!(answer.starts_with("20000\t"), "{answer}");
    // Besides, some for the plan.
    assert!((20_000..20_100).contains(&rows), "{rows}");
    assert_eq!(sql.engine().cache().status().rows, before);
}

#[test]
fn a_level_of_sub_queries_costs_as_much_as_the_one_before() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (a INT, b INT, KEY (a), KEY (b))");
    run(s, "INSERT INTO t VALUES (1, 2), (2, 1), (2, 3), (3, 4), (5, 4), (5, 5), (6, 7), (7, 4)");
    // Where each level doubled the plan, so many would not end.
    const LEVELS: usize = 24;
    let nested = |open: &str, within: &str, close: &str| {
        format!("{}{within}{}", open.repeat(LEVELS), close.repeat(LEVELS))
    };
    for (query, found) in [
        (nested("SELECT SUM(a) FROM t WHERE a > (", "SELECT 1", ")"), "NULL"),
        (nested("SELECT MAX(a) FROM t WHERE b >= ALL (", "SELECT 1", ")"), "6"),
        (nested("SELECT a FROM t WHERE a IN (", "SELECT 1", ")"), "1"),
        (nested("SELECT MIN(a) FROM t WHERE EXISTS (", "SELECT 1", ")"), "1"),
        (nested("SELECT MIN(a) FROM t WHERE b = 2 OR a NOT IN (", "SELECT 1", ")"), "1"),
        (nested("SELECT COALESCE((", "SELECT 1", "), 2)"), "1"),
    ] {
        assert_eq!(run(s, &query), found, "{query}");
        assert!(!run(s, &format!("EXPLAIN {query}")).is_empty(), "{query}");
    }
}

#[test]
fn a_value_within_comparisons_and_cases_is_found_once_however_deep() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (a INT, b INT)");
    run(s, "INSERT INTO t VALUES (1, 2), (2, 1), (3, 3), (NULL, 1)");
    const LEVELS: usize = 40;
    let around =
        |open: &str, close: &str| format!("{}a{}", open.repeat(LEVELS), close.repeat(LEVELS));
    for expression in [
        around("CASE ", " WHEN 1 THEN 2 WHEN 3 THEN 4 WHEN 5 THEN 6 ELSE 5 END"),
        around("(", " BETWEEN 0 AND 1)"),
        around("(", " NOT BETWEEN 0 AND 1)"),
        around("(", " <=> b)"),
        around("(", " = b)"),
        around("(", " IN (1, b, 3))"),
        around("((a, b) = (", ", 2))"),
    ] {
        let query = format!("SELECT {expression} AS x, COUNT(*) FROM t GROUP BY x ORDER BY x");
        run(s, "SET rowhouse_executor = 'rows'");
        let by_rows = run(s, &query);
        run(s, "SET rowhouse_executor = 'columns'");
        assert_eq!(run(s, &query), by_rows, "{expression}");
        run(s, &format!("SELECT COUNT(*) FROM t WHERE {expression}"));
    }
    // So an assignment in it happens once.
    run(s, "SET @n = 0");
    assert_eq!(run(s, "SELECT CASE @n := @n + 1 WHEN 5 THEN 'a' WHEN 1 THEN 'b' END, @n"), "b\t1");
}
