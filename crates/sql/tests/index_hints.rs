//! USE, FORCE and IGNORE INDEX, and STRAIGHT_JOIN: they say how rows are found, never which. Which
//! key MariaDB chooses with them: `tests/oracle/sql/hinted.py`.

use crate::harness::{answer, error, run, server, session};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sql::Session;

const TABLES: [&str; 3] = [
    "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, u INT NOT NULL, \
     KEY a (a), KEY b (b), KEY ab (a, b), UNIQUE KEY u (u))",
    "CREATE TABLE s (id INT PRIMARY KEY, t INT, k INT, KEY t (t), KEY k (k))",
    "CREATE TABLE nothing (x INT, y INT, KEY x (x))",
];

fn fill(session: &mut Session) {
    TABLES.iter().for_each(|table| drop(run(session, table)));
    let row = |n: i32| format!("({n}, {}, {}, {}, {})", n % 17, n % 9, n % 4, 1000 - n);
    let rows: Vec<String> = (0..300).map(row).collect();
    run(session, &format!("INSERT INTO t VALUES {}", rows.join(",")));
    let row = |n: i32| format!("({n}, {}, {})", n * 2, n % 10);
    let rows: Vec<String> = (0..60).map(row).collect();
    run(session, &format!("INSERT INTO s VALUES {}", rows.join(",")));
    run(session, "INSERT INTO t VALUES (900, NULL, NULL, NULL, 2000)");
    run(session, "INSERT INTO nothing VALUES (1, 2), (3, 4), (NULL, 5)");
}

/// The column `key` of EXPLAIN's only line, and what it could have been.
fn keys(session: &mut Session, query: &str) -> (String, String) {
    let line = run(session, &format!("EXPLAIN {query}"));
    let columns: Vec<&str> = line.split('\t').collect();
    assert_eq!(columns.len(), 12, "{query}: {line}");
    (columns[6].to_string(), columns[5].to_string())
}

fn key(session: &mut Session, query: &str) -> String {
    keys(session, query).0
}

#[test]
fn the_key_is_one_that_the_hints_leave() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    let both = "WHERE a = 3 AND b = 3";
    for (table, expected, possible) in [
        ("t", "ab", "a,b,ab"),
        ("t USE INDEX (b)", "b", "b"),
        ("t USE KEY (a)", "a", "a"),
        ("t FORCE INDEX (a)", "a", "a"),
        ("t IGNORE INDEX (ab, a)", "b", "b"),
        ("t IGNORE INDEX (a, b, ab)", "NULL", "NULL"),
        ("t USE INDEX ()", "NULL", "NULL"),
        ("t USE INDEX (PRIMARY)", "NULL", "NULL"),
        ("t USE INDEX (a) USE INDEX (b) IGNORE INDEX (a)", "b", "b"),
        ("t USE INDEX FOR JOIN (b)", "b", "b"),
        ("t IGNORE INDEX FOR JOIN (b) IGNORE INDEX FOR JOIN (ab)", "a", "a"),
        ("t USE INDEX FOR ORDER BY (b)", "ab", "a,b,ab"),
        ("t USE INDEX FOR GROUP BY (b)", "ab", "a,b,ab"),
        ("t AS x USE INDEX (`b`)", "b", "b"),
        ("test.t USE INDEX (B)", "b", "b"),
    ] {
        let found = keys(session, &format!("SELECT * FROM {table} {both}"));
        assert_eq!(found, (expected.to_string(), possible.to_string()), "{table}");
    }
    for (rest, expected) in [
        ("t IGNORE INDEX (PRIMARY) WHERE id = 3", "NULL"),
        ("t FORCE INDEX (a) WHERE id = 3", "NULL"),
        ("t FORCE INDEX (a) WHERE id = 3 AND a > 7", "a"),
        ("t FORCE INDEX (a) WHERE a > 2", "a"),
        ("t IGNORE INDEX (u) WHERE u = 3", "NULL"),
        ("t USE INDEX (PRIM) WHERE id = 3", "PRIMARY"),
        ("t FORCE INDEX (a) ORDER BY a", "a"),
        ("t FORCE INDEX (a)", "NULL"),
        ("nothing FORCE INDEX (x) WHERE x > 0", "x"),
    ] {
        assert_eq!(key(session, &format!("SELECT * FROM {rest}")), expected, "{rest}");
    }
    for (statement, expected) in [
        ("UPDATE t IGNORE INDEX (ab, b) SET c = 1", "a"),
        ("UPDATE t USE INDEX (b) SET c = 1", "b"),
        ("UPDATE t SET c = 1", "ab"),
        ("DELETE FROM t USE INDEX (b)", "b"),
    ] {
        assert_eq!(key(session, &format!("{statement} {both}")), expected, "{statement}");
    }
}

#[test]
fn a_hint_that_cannot_be_meant_is_refused() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    for (number, statement) in [
        (1176, "SELECT * FROM t USE INDEX (zz)"),
        (1176, "SELECT * FROM t IGNORE INDEX FOR GROUP BY (zz) WHERE id = 1"),
        (1176, "SELECT COUNT(*) FROM t FORCE INDEX (zz)"),
        (1176, "SELECT * FROM s JOIN t USE INDEX (k) ON t.a = s.t"),
        (1176, "SELECT * FROM s WHERE id IN (SELECT id FROM t IGNORE INDEX (k))"),
        (1176, "SELECT * FROM nothing USE INDEX (PRIMARY)"),
        (1176, "SELECT * FROM information_schema.tables USE INDEX (b)"),
        (1176, "WITH w AS (SELECT * FROM t) SELECT * FROM w USE INDEX (a)"),
        (1176, "UPDATE t FORCE INDEX (zz) SET c = 1 WHERE id = 1"),
        (1176, "UPDATE s, t FORCE INDEX (zz) SET t.c = 1 WHERE t.a = s.t"),
        (1176, "DELETE t FROM s JOIN t FORCE INDEX (zz) ON t.a = s.t"),
        (1176, "INSERT INTO nothing SELECT a, b FROM t USE INDEX (zz)"),
        (1221, "SELECT * FROM t USE INDEX (a) FORCE INDEX (b)"),
        (1221, "SELECT COUNT(*) FROM t FORCE INDEX (a) USE INDEX ()"),
        (1221, "UPDATE t USE INDEX FOR JOIN (a) FORCE INDEX FOR ORDER BY (b) SET c = 1"),
        (1064, "SELECT * FROM t FORCE INDEX ()"),
        (1064, "SELECT * FROM t IGNORE INDEX ()"),
        (1064, "SELECT * FROM t USE INDEX (a) x WHERE a = 3"),
    ] {
        assert_eq!(error(session, statement), number, "{statement}");
    }
    let shown = answer(session, "SELECT * FROM t AS x USE INDEX (zz)").unwrap_err();
    assert_eq!(shown.message(), "Key 'zz' doesn't exist in table 'x'");
    assert_eq!(shown.code().sqlstate(), b"42000");
    // A name that begins several is none.
    run(session, "ALTER TABLE s ADD KEY many1 (t, k), ADD KEY many2 (k, t)");
    assert_eq!(error(session, "SELECT * FROM s USE INDEX (many)"), 1176);
    run(session, "SELECT * FROM s USE INDEX (many1)");
    // None of them changed anything.
    assert_eq!(run(session, "SELECT COUNT(*), SUM(c) FROM t"), "301\t450");
}

#[test]
fn a_plan_that_is_kept_is_of_its_own_hints_and_ends_with_an_index_that_it_names() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    let lookups = "SELECT id FROM t USE INDEX (b) WHERE a = 3 AND b = 3 AND c >= ";
    for literal in ["0", "1", "2", "3"] {
        run(session, &format!("{lookups}{literal}"));
    }
    let other = lookups.replace("(b)", "(a)");
    for literal in ["0", "1", "2", "3"] {
        run(session, &format!("{other}{literal}"));
        assert_eq!(key(session, &format!("{other}{literal}")), "a");
        assert_eq!(key(session, &format!("{lookups}{literal}")), "b");
    }
    run(session, "ALTER TABLE t DROP INDEX b");
    assert_eq!(error(session, &format!("{lookups}0")), 1176);
    run(session, &format!("{other}0"));
    run(session, "ALTER TABLE t ADD INDEX b (b)");
    run(session, &format!("{lookups}0"));
}

#[test]
fn joins_look_up_by_what_is_left_and_straight_ones_begin_where_they_are_told_to() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    let tree =
        |session: &mut Session, query: &str| run(session, &format!("EXPLAIN FORMAT=TREE {query}"));
    let on = "ON t.a = s.t WHERE s.k = 3";
    for (table, by) in [
        ("t FORCE INDEX (ab)", "Rows of t by ab"),
        ("t USE INDEX (a)", "Rows of t by a "),
        ("t IGNORE INDEX (a)", "Rows of t by ab"),
    ] {
        let plan = tree(session, &format!("SELECT * FROM s JOIN {table} {on}"));
        assert!(plan.contains(by), "{table}: {plan}");
    }
    let plan = tree(session, &format!("SELECT * FROM s JOIN t USE INDEX () {on}"));
    assert!(plan.contains("All of t by a hash table"), "{plan}");
    // One row of s by its key is where everybody would begin.
    let free = "FROM t JOIN s ON t.a = s.t WHERE s.id = 3";
    let first = |plan: &str, name: &str| {
        let line = plan.lines().find(|line| line.contains(" of ")).unwrap_or(plan);
        line.contains(&format!(" of {name} "))
    };
    assert!(first(&tree(session, &format!("SELECT * {free}")), "s"));
    for query in [
        format!("SELECT STRAIGHT_JOIN * {free}"),
        format!("SELECT * {}", free.replace("JOIN", "STRAIGHT_JOIN")),
        "SELECT STRAIGHT_JOIN * FROM t LEFT JOIN s ON t.a = s.t WHERE s.id = 3".to_string(),
        "SELECT STRAIGHT_JOIN * FROM t, s WHERE t.a = s.t AND s.id = 3".to_string(),
    ] {
        let plan = tree(session, &query);
        assert!(first(&plan, "t"), "{query}: {plan}");
    }
    // Only s is bound to come behind t.
    let three = "SELECT * FROM nothing n JOIN t STRAIGHT_JOIN s ON t.a = s.t AND s.id = 3 \
                 WHERE n.x = t.b";
    let plan = tree(session, three);
    let place = |name: &str| plan.find(&format!(" of {name} ")).unwrap_or_else(|| panic!("{plan}"));
    assert!(place("t") < place("s") && place("n") < place("s"), "{plan}");
}

#[test]
fn scans_of_long_queries_go_by_what_is_left() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    run(session, "SET rowhouse_executor = 'columns'");
    for (rest, way) in [
        ("t WHERE id < 3 AND a > 0", "index PRIMARY"),
        ("t FORCE INDEX (a) WHERE id < 3 AND a > 0", "index a "),
        ("t IGNORE INDEX (PRIMARY, a, ab) WHERE id < 3 AND a > 0", "all rows"),
        ("t USE INDEX () WHERE id < 3", "all rows"),
        ("t FORCE INDEX (u) WHERE id < 3", "all rows"),
    ] {
        let plan = run(session, &format!("EXPLAIN SELECT SUM(c) FROM {rest}"));
        assert!(plan.contains(&format!("TableScan: test.t, {way}")), "{rest}: {plan}");
    }
}

#[test]
fn hints_in_comments_are_read_over() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    for query in [
        "SELECT /*+ NO_INDEX_MERGE(t) BKA(s) SET_VAR(sort_buffer_size = 16M) */ id FROM t WHERE id = 5",
        "SELECT /*+ MAX_EXECUTION_TIME(60000) */ id FROM t WHERE id = 5",
        "SELECT /*+ no such hint ( */ id FROM t WHERE id = 5",
        "SELECT id FROM (SELECT /*+ QB_NAME(q) */ id FROM t WHERE id = 5) x",
        "(SELECT /*+ JOIN_ORDER(t) */ id FROM t WHERE id = 5)",
        "WITH w AS (SELECT /*+ MERGE(w) */ id FROM t) SELECT /*+ X() */ id FROM w WHERE id = 5",
    ] {
        assert_eq!(run(session, query), "5", "{query}");
    }
    run(session, "INSERT /*+ SET_VAR(foreign_key_checks = OFF) */ INTO nothing VALUES (7, 7)");
    run(session, "REPLACE /*+ X */ INTO nothing VALUES (8, 8)");
    run(session, "UPDATE /*+ NO_MERGE(nothing) */ nothing SET y = 9 WHERE x = 7");
    run(session, "DELETE /*+ QB_NAME(q) */ FROM nothing WHERE x = 8");
    assert_eq!(run(session, "SELECT y FROM nothing WHERE x > 6"), "9");
}

/// Hints of a table with these indexes.
fn hints(names: &'static [&'static str]) -> impl Strategy<Value = String> {
    let list = prop::collection::vec(prop::sample::select(names), 1..3);
    let purpose = prop::sample::select(&["", "", "FOR JOIN ", "FOR ORDER BY ", "FOR GROUP BY "]);
    let hint = (prop::bool::ANY, purpose, list);
    let all = prop::collection::vec(hint, 0..3);
    (prop::sample::select(&["USE", "FORCE"]), all).prop_map(|(kind, all)| {
        let said = |(ignores, purpose, list): &(bool, &str, Vec<&str>)| {
            let kind = if *ignores { "IGNORE" } else { kind };
            format!("{kind} INDEX {purpose}({})", list.join(", "))
        };
        all.iter().map(said).collect::<Vec<_>>().join(" ")
    })
}

/// Queries with a `{t}` and an `{s}` where hints may stand, and `{j}` where `STRAIGHT_` may.
const QUERIES: [&str; 16] = [
    "SELECT * FROM t {t} WHERE id = 7",
    "SELECT * FROM t {t} WHERE a = 3 AND b = 3",
    "SELECT * FROM t {t} WHERE a = 3 OR u = 990",
    "SELECT * FROM t {t} WHERE a IN (1, 2, 5) AND b BETWEEN 2 AND 6",
    "SELECT * FROM t {t} WHERE a IS NULL",
    "SELECT a, b FROM t {t} WHERE a > 4",
    "SELECT * FROM t {t} WHERE u < 800 AND a = 5 ORDER BY b, id",
    "SELECT * FROM t {t} ORDER BY a DESC, id DESC LIMIT 9",
    "SELECT * FROM t {t} WHERE a < 9 ORDER BY a, id LIMIT 9",
    "SELECT MIN(a), MAX(b), COUNT(*) FROM t {t} WHERE b = 3",
    "SELECT MAX(a) FROM t {t}",
    "SELECT a, COUNT(*) FROM t {t} WHERE b < 5 GROUP BY a",
    "SELECT t.id, s.id FROM s {s} {j}JOIN t {t} ON t.a = s.t WHERE s.k < 4",
    "SELECT t.id, s.id FROM t {t} LEFT JOIN s {s} ON t.a = s.t AND s.k = 3 WHERE t.b = 2",
    "SELECT id FROM t {t} WHERE a IN (SELECT t FROM s {s} WHERE k = 3)",
    "SELECT t.id FROM t {t} {j}JOIN s {s} ON s.id = t.c {j}JOIN nothing n ON n.x = s.k",
];

#[test]
fn no_hint_changes_the_rows_in_either_executor() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    let sorted = |rows: String| {
        let mut rows: Vec<String> = rows.lines().map(str::to_string).collect();
        rows.sort();
        rows
    };
    let plain = |query: &str| query.replace("{t}", "").replace("{s}", "").replace("{j}", "");
    let expected: Vec<Vec<String>> =
        QUERIES.iter().map(|query| sorted(run(session, &plain(query)))).collect();
    assert!(expected.iter().all(|rows| !rows.is_empty()));
    let cases = Config { cases: 600, failure_persistence: None, ..Config::default() };
    let drawn = (
        0..QUERIES.len(),
        hints(&["PRIMARY", "a", "b", "ab", "u"]),
        hints(&["PRIMARY", "t", "k"]),
        prop::sample::select(&["", "STRAIGHT_"]),
        prop::sample::select(&["rows", "columns", "auto"]),
    );
    TestRunner::new(cases)
        .run(&drawn, |(number, of_t, of_s, straight, executor)| {
            let query = QUERIES[number].replace("{t}", &of_t).replace("{s}", &of_s);
            let query = query.replace("{j}", straight);
            let session = &mut crate::harness::session(&sql);
            run(session, &format!("SET rowhouse_executor = '{executor}'"));
            match answer(session, &query) {
                Ok(rows) => prop_assert_eq!(sorted(rows), &expected[number][..], "{}", query),
                // What DataFusion cannot say at all.
                Err(error) => prop_assert_eq!((error.code().number(), executor), (1235, "columns")),
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn no_hint_changes_what_is_written() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    let changes = [
        "UPDATE t {t} SET c = c + 1 WHERE a = 3 AND b < 6",
        "UPDATE t {t} SET a = a + 1 WHERE a > 12",
        "UPDATE s {s} JOIN t {t} ON t.a = s.t SET t.c = s.k WHERE s.k < 5",
        "DELETE t FROM s {s} JOIN t {t} ON t.a = s.t WHERE s.k = 3",
        "DELETE FROM t {t} WHERE b = 2 ORDER BY id LIMIT 5",
    ];
    let plain = |change: &str| change.replace("{t}", "").replace("{s}", "");
    let outcome = |session: &mut Session, change: &str| {
        run(session, "BEGIN");
        let answered = run(session, change);
        let rows = run(session, "SELECT * FROM t ORDER BY id");
        run(session, "ROLLBACK");
        (answered, rows)
    };
    let expected: Vec<(String, String)> =
        changes.iter().map(|change| outcome(session, &plain(change))).collect();
    let cases = Config { cases: 150, failure_persistence: None, ..Config::default() };
    let drawn =
        (0..changes.len(), hints(&["PRIMARY", "a", "b", "ab", "u"]), hints(&["PRIMARY", "t", "k"]));
    TestRunner::new(cases)
        .run(&drawn, |(number, of_t, of_s)| {
            let change = changes[number].replace("{t}", &of_t).replace("{s}", &of_s);
            let session = &mut crate::harness::session(&sql);
            prop_assert_eq!(outcome(session, &change), expected[number].clone(), "{}", change);
            Ok(())
        })
        .unwrap();
}
