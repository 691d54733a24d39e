//! Conditions joined by OR, looked up in one index or in several, and rows of a sort that are read
//! only when they are given: the same rows, in the same order, as from a table without an index.

use std::cell::{Cell, RefCell};

use crate::harness::{run, server, session};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sql::Session;

const COLUMNS: &str = "id INT PRIMARY KEY, a INT, b INT, s VARCHAR(9), d DATETIME, c INT NOT NULL";

/// `t` with indexes, and `plain` with the same rows and none.
fn fill(session: &mut Session) {
    let keys =
        "KEY ab (a, b), KEY b (b), KEY sd (s, d), KEY d (d), UNIQUE KEY c (c), KEY s2 (s(2))";
    run(session, &format!("CREATE TABLE t ({COLUMNS}, {keys})"));
    run(session, &format!("CREATE TABLE plain ({COLUMNS})"));
    let words = ["ash", "Ash", "birch", "bIRCH ", "cedar", "cédar", "", "elm"];
    let row = |n: usize| {
        let null = |every: usize, value: String| match n.is_multiple_of(every) {
            true => "NULL".to_string(),
            false => value,
        };
        format!(
            "({n}, {}, {}, {}, {}, {})",
            null(7, (n % 13).to_string()),
            null(11, (n * 7 % 23).to_string()),
            null(17, format!("'{}'", words[n % words.len()])),
            null(19, format!("'2024-01-{:02} 00:00:{:02}'", 1 + n % 28, n % 60)),
            2000 - n,
        )
    };
    let rows = (0..700).map(row).collect::<Vec<_>>().join(",");
    for table in ["t", "plain"] {
        run(session, &format!("INSERT INTO {table} VALUES {rows}"));
    }
}

fn plan(session: &mut Session, query: &str) -> String {
    run(session, &format!("EXPLAIN FORMAT=TREE {query}"))
}

#[test]
fn alternatives_of_one_index_are_its_ranges() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    for (condition, by) in [
        ("c BETWEEN 1400 AND 1410 OR c BETWEEN 1900 AND 1905 OR c = 1999", "Range of t by c "),
        ("b < 1 OR b > 21", "Range of t by b,"),
        ("b IS NULL OR b > 21", "Range of t by b,"),
        ("a = 3 AND (b = 2 OR b > 20)", "Range of t by ab,"),
        ("a < 1 OR a = 1 AND b < 3", "Range of t by ab,"),
        ("s = 'elm' AND (d < '2024-01-02' OR d IS NULL)", "Range of t by sd,"),
        ("id IN (1, 2) OR id BETWEEN 4 AND 6 OR id > 695", "Range of t by PRIMARY"),
    ] {
        let query = format!("SELECT id FROM t WHERE {condition} ORDER BY id");
        let shown = plan(session, &query);
        assert!(shown.contains(by), "{query}\n{shown}");
        let expected = run(session, &query.replace(" t ", " plain "));
        assert!(!expected.is_empty(), "{query}");
        assert_eq!(run(session, &query), expected, "{query}");
    }
    // What the ranges say is not asked of each row again.
    let shown =
        plan(session, "SELECT COUNT(*) FROM t WHERE c BETWEEN 2 AND 9 OR c BETWEEN 20 AND 29");
    assert!(shown.contains("index only") && !shown.contains("filtered"), "{shown}");
}

#[test]
fn keys_that_are_read_on_come_in_order() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    let page = "SELECT a, b, id FROM t WHERE (a < 9 OR a = 9 AND b < 5) \
                ORDER BY a DESC, b DESC LIMIT 7";
    let shown = plan(session, page);
    assert!(shown.contains("Range of t by ab") && !shown.contains("Sort"), "{shown}");
    let columns = |rows: String| -> Vec<String> {
        rows.lines().map(|row| row.rsplit_once('\t').unwrap().0.to_string()).collect()
    };
    let expected = run(session, &page.replace(" t ", " plain "));
    assert_eq!(columns(run(session, page)), columns(expected));
}

#[test]
fn alternatives_of_several_indexes_are_looked_up_in_each() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    for condition in [
        "c = 1500 OR id = 500",
        "c = 1500 OR id = 3 OR b = 2",
        "(c < 1304 OR id < 5 OR s = 'none') AND c <> 1302",
        "c IN (1500, 1501) OR d = '2024-01-05 00:00:04' OR b IS NULL AND a = 4",
    ] {
        let query = format!("SELECT id FROM t WHERE {condition}");
        let shown = plan(session, &query);
        assert!(shown.contains("Rows of t by ") && shown.contains(" or "), "{query}\n{shown}");
        let sorted = format!("{query} ORDER BY id");
        let expected = run(session, &sorted.replace(" t ", " plain "));
        assert!(!expected.is_empty(), "{query}");
        assert_eq!(run(session, &sorted), expected, "{query}");
        let line = run(session, &format!("EXPLAIN UPDATE t SET a = 1 WHERE {condition}"));
        assert!(line.contains("index_merge") && line.contains("Using union("), "{line}");
    }
    // One that no index answers leaves all rows.
    let shown = plan(session, "SELECT id FROM t WHERE c = 1500 OR a + b = 3");
    assert!(shown.contains("All of t"), "{shown}");
    // A joined row's values are looked up in both.
    let join = "SELECT p.id, t.id FROM plain p JOIN t ON t.c = p.c OR t.id = p.id WHERE p.id < 20 \
                ORDER BY p.id, t.id";
    let shown = plan(session, join);
    assert!(shown.contains("Rows of t by c or PRIMARY"), "{shown}");
    assert_eq!(run(session, join), run(session, &join.replace(" t ", " plain t ")));
}

#[test]
fn rows_of_a_table_without_a_key_are_sorted() {
    let sql = server();
    let session = &mut session(&sql);
    run(session, "CREATE TABLE u (a INT, b INT, KEY b (b))");
    run(session, "INSERT INTO u VALUES (3, 1), (1, 3), (2, 2), (NULL, 4), (5, 0)");
    assert_eq!(run(session, "SELECT a FROM u ORDER BY a LIMIT 2"), "NULL\n1");
    assert_eq!(run(session, "SELECT a FROM u ORDER BY b LIMIT 2"), "5\n3");
    assert_eq!(run(session, "SELECT MAX(a), MIN(a) FROM u"), "5\t1");
    assert_eq!(run(session, "SELECT MAX(a) FROM u WHERE b = 2 OR b > 3"), "2");
    assert_eq!(run(session, "SELECT b FROM u ORDER BY a DESC"), "0\n1\n2\n3\n4");
}

#[test]
fn a_row_that_several_indexes_find_is_changed_once() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    let condition = "b BETWEEN 2 AND 4 OR c > 1990 OR id IN (5, 6, 7)";
    for (change, place) in [
        ("UPDATE t SET a = a + 1", ""),
        ("UPDATE t SET b = b + 1", ""),
        ("UPDATE t SET id = id + 1000, b = b + 1", ""),
        ("UPDATE t SET a = 0", " ORDER BY c DESC LIMIT 20"),
        ("DELETE FROM t", ""),
        ("DELETE FROM t", " ORDER BY id LIMIT 11"),
    ] {
        let statement = format!("{change} WHERE {condition}{place}");
        let mut outcome = |table: &str| {
            run(session, "BEGIN");
            let done = run(session, &statement.replacen(" t", &format!(" {table}"), 1));
            let rows = run(session, &format!("SELECT * FROM {table} ORDER BY id"));
            run(session, "ROLLBACK");
            (done, rows)
        };
        assert_eq!(outcome("t"), outcome("plain"), "{statement}");
    }
    let locked = format!("SELECT id FROM t WHERE {condition} ORDER BY id FOR UPDATE");
    let expected = run(session, &locked.replace(" t ", " plain "));
    assert_eq!(run(session, &locked), expected);
    run(session, "BEGIN");
    assert_eq!(run(session, &locked), expected, "with its ranges");
    run(session, "COMMIT");
}

#[test]
fn a_value_that_an_index_cannot_look_up_leaves_the_order_right() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    for query in [
        "SELECT id FROM t WHERE s = 0 ORDER BY d, id LIMIT 9",
        "SELECT id FROM t WHERE s = 0 OR id = 3 ORDER BY id LIMIT 9",
        "SELECT id, b FROM t WHERE (c = 'x' OR c = 1500.0) ORDER BY id",
        "SELECT MAX(d), MIN(d) FROM t WHERE s = 0",
        "SELECT MAX(d) FROM t WHERE s = 0",
        "SELECT t.id FROM t JOIN plain p ON p.id = t.id WHERE t.s = 0 ORDER BY t.d, t.id LIMIT 9",
    ] {
        for text in [query.to_string(), query.replace("= 0", "= '0'").replace("'x'", "NULL")] {
            let expected = run(session, &text.replace(" t ", " plain t "));
            assert_eq!(run(session, &text), expected, "{text}");
            assert_eq!(run(session, &text), expected, "{text}, its plan kept");
        }
    }
}

#[test]
fn rows_of_a_sort_are_read_when_they_are_given() {
    let sql = server();
    let session = &mut session(&sql);
    run(
        session,
        "CREATE TABLE posts (id INT PRIMARY KEY, kind VARCHAR(20), state VARCHAR(20), \
         made DATETIME, body TEXT, KEY ksm (kind, state, made))",
    );
    let row = |n: usize| {
        let state = ["publish", "draft", "Private", "trash"][n % 4];
        let made = format!("2024-{:02}-{:02}", 1 + n * 5 % 12, 1 + n * 11 % 28);
        format!("({n}, 'post', '{state}', '{made}', REPEAT('x', 500))")
    };
    let rows = (0..3000).map(row).collect::<Vec<_>>().join(",");
    run(session, &format!("INSERT INTO posts VALUES {rows}"));
    run(session, "CREATE TABLE plain AS SELECT * FROM posts");
    let late = "SELECT SQL_CALC_FOUND_ROWS id, state, made, LENGTH(body) FROM posts x \
        WHERE kind = 'post' AND state IN ('publish', 'draft', 'private') \
        ORDER BY made DESC, id LIMIT 30, 12";
    let shown = plan(session, late);
    assert!(shown.contains("Look up rows of x by PRIMARY"), "{shown}");
    assert!(shown.contains("index only"), "{shown}");
    let both = |session: &mut Session, query: &str| {
        let given = run(session, query);
        let found = run(session, "SELECT FOUND_ROWS()");
        let expected = run(session, &query.replace("FROM posts", "FROM plain"));
        assert_eq!(given, expected, "{query}");
        assert_eq!(found, run(session, "SELECT FOUND_ROWS()"), "{query}");
        (given, found)
    };
    let (given, found) = both(session, late);
    assert_eq!((given.lines().count(), found.as_str()), (12, "2250"));
    both(session, &late.replace("30, 12", "0, 1"));
    both(session, &late.replace("30, 12", "2245, 12"));
    both(session, &late.replace("30, 12", "5000, 12"));
    both(session, &late.replace("30, 12", "0"));
    both(
        session,
        &late.replace("LENGTH(body)", "(SELECT COUNT(*) FROM plain p WHERE p.id < x.id)"),
    );
    // In the order of the index, where nothing is sorted, and rows beyond the limit are only
    // counted.
    let in_order = "SELECT SQL_CALC_FOUND_ROWS * FROM posts x WHERE kind = 'post' \
        AND state = 'publish' ORDER BY made DESC LIMIT 30, 12";
    let shown = plan(session, in_order);
    assert!(shown.contains("Look up rows of x") && !shown.contains("Sort"), "{shown}");
    for limit in ["30, 12", "0", "740, 20", "9999, 1", "1"] {
        let query = in_order.replace("30, 12", limit);
        let made = |rows: String| -> Vec<String> {
            rows.lines().map(|row| row.split('\t').nth(3).unwrap_or("").to_string()).collect()
        };
        let given = made(run(session, &query));
        assert_eq!(run(session, "SELECT FOUND_ROWS()"), "750", "{query}");
        assert_eq!(
            given,
            made(run(session, &query.replace("FROM posts", "FROM plain"))),
            "{query}"
        );
    }
    // A writer's own rows, and those of a transaction's first look.
    run(session, "BEGIN");
    run(session, "UPDATE posts SET made = '2030-01-01', body = 'new' WHERE id = 8");
    run(session, "DELETE FROM posts WHERE id = 1");
    let first = run(session, &late.replace("30, 12", "1"));
    assert_eq!(first, "8\tpublish\t2030-01-01 00:00:00\t3");
    let other = &mut crate::harness::session(&sql);
    let theirs = run(other, &late.replace("30, 12", "1"));
    assert_ne!(theirs, first);
    run(session, "ROLLBACK");
    assert_eq!(run(session, &late.replace("30, 12", "1")), theirs);
}

/// A term over the columns of `t`.
fn term() -> impl Strategy<Value = String> {
    let number = -1..24i32;
    let comparison = (
        prop::sample::select(&["a", "b", "id", "c - 1990"]),
        prop::sample::select(&["=", "<", ">=", "<>"]),
        number.clone(),
    );
    prop_oneof![
        4 => comparison.prop_map(|(column, op, value)| format!("{column} {op} {value}")),
        2 => (prop::sample::select(&["a", "b", "id"]), number.clone(), 0..6i32)
            .prop_map(|(column, low, width)| format!("{column} BETWEEN {low} AND {}", low + width)),
        1 => (1980..2001i32, 0..9i32)
            .prop_map(|(low, width)| format!("c BETWEEN {low} AND {}", low + width)),
        1 => (prop::sample::select(&["a", "b"]), number.clone(), number)
            .prop_map(|(column, one, other)| format!("{column} IN ({one}, {other}, 3)")),
        1 => prop::sample::select(&["a IS NULL", "b IS NOT NULL", "s IS NULL", "d IS NULL"])
            .prop_map(str::to_string),
        2 => prop::sample::select(&[
            "s = 'ASH'", "s LIKE 'b%'", "s >= 'cedar'", "s IN ('elm', 'birch')", "s = 5",
            "d < '2024-01-03'", "d = '2024-01-05 00:00:04'", "d BETWEEN '2024-01-20' AND '2024-01-22'",
        ])
        .prop_map(str::to_string),
    ]
}

/// Terms joined by AND and OR.
fn condition() -> impl Strategy<Value = String> {
    term().prop_recursive(3, 12, 4, |inner| {
        (prop::collection::vec(inner, 2..4), prop::bool::weighted(0.6))
            .prop_map(|(terms, or)| format!("({})", terms.join(if or { " OR " } else { " AND " })))
    })
}

#[test]
fn no_condition_finds_other_rows_by_indexes_than_without() {
    let sql = server();
    let owner = &mut session(&sql);
    fill(owner);
    let drawn = (
        condition(),
        prop::sample::select(&[
            "",
            "ORDER BY id",
            "ORDER BY a, b, id LIMIT 5",
            "ORDER BY c DESC LIMIT 3, 9",
            "ORDER BY s, d, id LIMIT 20",
            "ORDER BY a DESC, b DESC, id DESC LIMIT 4",
            "ORDER BY b LIMIT 100000",
        ]),
        prop::sample::select(&["id, a, b", "*", "COUNT(*)", "MAX(b)"]),
        prop::sample::select(&["auto", "rows", "columns"]),
    );
    let cases = Config { cases: 2500, failure_persistence: None, ..Config::default() };
    let owner = RefCell::new(owner);
    let merged = Cell::new(0);
    TestRunner::new(cases)
        .run(&drawn, |(condition, order, items, executor)| {
            let owner = &mut **owner.borrow_mut();
            let order = if items.contains('(') { "" } else { order };
            let query = format!("SELECT {items} FROM t WHERE {condition} {order}");
            run(owner, &format!("SET rowhouse_executor = '{executor}'"));
            let shown = plan(owner, &query);
            merged.set(merged.get() + usize::from(shown.contains(" or ")));
            let sorted = |rows: String| {
                let mut rows: Vec<String> = rows.lines().map(str::to_string).collect();
                // Rows that are equal in what is sorted by come in any order.
                if !order.contains("id") && !order.contains('c') {
                    rows.sort();
                }
                rows
            };
            let expected = sorted(run(owner, &query.replace("FROM t", "FROM plain")));
            prop_assert_eq!(sorted(run(owner, &query)), expected, "{}\n{}", query, shown);
            Ok(())
        })
        .unwrap();
    assert!(merged.get() > 100, "{merged:?}");
}
