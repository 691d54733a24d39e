//! EXISTS, IN and their opposites: asked row by row, looked up among the sub-query's members, or
//! joined, whichever is cheapest, and always with the same answer.

use std::sync::Arc;

use crate::harness::{run, server, session};
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions};
use sql::{Session, Sql, SqlOptions};

/// 700 rows each: `o` is asked about, `i` is looked into; `k` of both is indexed, `n` is not.
fn fill(session: &mut Session) {
    let columns = "id INT PRIMARY KEY, k INT, n INT, s VARCHAR(9), d DECIMAL(9, 2), \
                   u BIGINT UNSIGNED NOT NULL, KEY k (k)";
    let words = ["ash", "Ash", "birch", "bIRCH ", "cedar", "cédar", "", "elm"];
    for (table, step) in [("o", 3), ("i", 5)] {
        run(session, &format!("CREATE TABLE {table} ({columns})"));
        let row = |at: usize| {
            let null = |every: usize, value: String| match at.is_multiple_of(every) {
                true => "NULL".to_string(),
                false => value,
            };
            let (k, n) = (null(7, (at * step % 61).to_string()), null(9, (at % 97).to_string()));
            let s = null(11, format!("'{}'", words[at * step % words.len()]));
            let d = null(13, format!("{}.{}0", at % 50, at % 7));
            format!("({}, {k}, {n}, {s}, {d}, {})", at * step, at % 40)
        };
        let rows = (0..700).map(row).collect::<Vec<_>>().join(",");
        run(session, &format!("INSERT INTO {table} VALUES {rows}"));
    }
}

fn plan(session: &mut Session, query: &str) -> String {
    run(session, &format!("EXPLAIN FORMAT=TREE {query}"))
}

/// Queries that give the same rows, the second one in a form that has no members.
fn assert_alike(session: &mut Session, query: &str, counted: &str) {
    let expected = run(session, counted);
    assert!(!expected.is_empty(), "{counted}");
    assert_eq!(run(session, query), expected, "{query}\n{}", plan(session, query));
}

const CORRELATIONS: [&str; 9] = [
    "i.k = o.k",
    "i.n = o.n",
    "i.s = o.s",
    "i.d = o.d",
    "i.u = o.n",
    "i.n = o.n AND o.k = i.k AND i.u < 30",
    "i.n + 1 = o.k - 1 AND i.s LIKE 'c%'",
    "i.id = o.n",
    "i.id = o.id AND i.k < 40",
];

#[test]
fn a_row_exists_if_one_is_counted() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    for same in CORRELATIONS {
        let (exists, count) = (
            format!("EXISTS (SELECT * FROM i WHERE {same})"),
            format!("(SELECT COUNT(*) FROM i WHERE {same}) > 0"),
        );
        for around in [
            "SELECT id FROM o WHERE ? ORDER BY id",
            "SELECT id FROM o WHERE NOT ? ORDER BY id",
            "SELECT id, ? FROM o WHERE id < 300 ORDER BY id",
            "SELECT id FROM o WHERE id % 10 = 0 OR ? AND u > 3 ORDER BY id",
            "SELECT id FROM o WHERE u < 20 AND ? ORDER BY id LIMIT 4",
            "SELECT id, CASE WHEN ? THEN 'y' ELSE 'n' END x FROM o ORDER BY x, id",
            "SELECT o.id, x.id FROM o LEFT JOIN i x ON x.id = o.id AND ? ORDER BY o.id",
            "SELECT ? x, COUNT(*) FROM o GROUP BY x ORDER BY x",
            "SELECT o.u, SUM(?) FROM o GROUP BY u ORDER BY u",
        ] {
            let (query, counted) = (around.replace('?', &exists), around.replace('?', &count));
            assert_alike(session, &query, &counted);
        }
    }
}

#[test]
fn in_is_unknown_where_null_makes_it_so() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    // IS TRUE is asked about unknown too, so that nothing is looked up for it.
    for (membership, of_one) in [
        ("k IN (SELECT k FROM i WHERE u = 3)", true),
        ("k IN (SELECT n FROM i WHERE i.u = o.u)", true),
        ("(k, s) IN (SELECT k, s FROM i)", false),
        ("s IN (SELECT s FROM i WHERE n < 5)", true),
        ("u IN (SELECT n FROM i WHERE n IS NOT NULL AND k < 20)", true),
        ("u IN (SELECT u FROM i WHERE k < 20)", true),
        ("u IN (SELECT u FROM i WHERE i.s = o.s AND i.k < 9)", true),
        ("o.id IN (SELECT id FROM i)", true),
    ] {
        let query = format!("SELECT id FROM o WHERE {membership} ORDER BY id");
        assert_alike(
            session,
            &query,
            &format!("SELECT id FROM o WHERE ({membership}) IS TRUE ORDER BY id"),
        );
        let negated = membership.replacen(" IN ", " NOT IN ", 1);
        let query = format!("SELECT id FROM o WHERE {negated} ORDER BY id");
        let false_ones = format!("SELECT id FROM o WHERE ({membership}) IS FALSE ORDER BY id");
        assert_eq!(run(session, &query), run(session, &false_ones), "{query}");
        let shown = plan(session, &query);
        assert_eq!(shown.contains("Not exists"), of_one, "{query}\n{shown}");
    }
    for (answer, question) in [
        ("NULL", "SELECT NULL IN (SELECT k FROM i)"),
        ("0", "SELECT NULL IN (SELECT k FROM i WHERE id < 0)"),
        ("NULL", "SELECT 1000 IN (SELECT k FROM i)"),
        ("NULL", "SELECT 1000 NOT IN (SELECT k FROM i)"),
        ("0", "SELECT 1000 IN (SELECT id + 10000 FROM i)"),
        ("1", "SELECT 35 IN (SELECT id FROM i)"),
    ] {
        assert_eq!(run(session, question).trim_end(), answer, "{question}");
    }
}

/// How often a step of a plan ran, by EXPLAIN ANALYZE.
fn loops(shown: &str, step: &str) -> u64 {
    let line = shown.lines().find(|line| line.contains(step)).unwrap_or_else(|| {
        panic!("no {step} in\n{shown}");
    });
    let (_, loops) = line.split_once("loops=").unwrap_or_else(|| panic!("{line}"));
    loops.trim_end_matches(')').parse().unwrap()
}

#[test]
fn many_that_ask_have_the_members_found_once() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    let many = "SELECT COUNT(*) FROM o WHERE NOT EXISTS (SELECT 1 FROM i WHERE i.n = o.n)";
    let shown = run(session, &format!("EXPLAIN ANALYZE {many}"));
    let (asked, found) = shown.split_once("Looked up among").unwrap();
    let asked = asked.split_once("Not exists").unwrap().1;
    assert!(asked.contains("never executed"), "{shown}");
    assert_eq!(loops(found, "All of i"), 1, "{shown}");
    // Where few were expected, rows ask by themselves until they have looked at as many as all
    // members take.
    let more = many.replacen("WHERE", "WHERE u + 0 = u AND id + 0 = id AND", 1);
    let shown = run(session, &format!("EXPLAIN ANALYZE {more}"));
    let (asked, found) = shown.split_once("Looked up among").unwrap();
    let asked = asked.split_once("Not exists").unwrap().1;
    assert!((1..=12).contains(&loops(asked, "All of i")), "{shown}");
    assert_eq!(loops(found, "All of i"), 1, "{shown}");
    assert_eq!(run(session, &more), run(session, many));
    // Few that have an index for it never need them.
    let few = "SELECT COUNT(*) FROM o WHERE id < 30 AND NOT EXISTS \
               (SELECT 1 FROM i WHERE i.k = o.k)";
    let shown = run(session, &format!("EXPLAIN ANALYZE {few}"));
    let (asked, found) = shown.split_once("Looked up among").unwrap();
    assert_eq!(loops(asked, "Rows of i by k"), 10, "{shown}");
    assert!(found.contains("never executed"), "{shown}");
}

#[test]
fn what_an_index_has_once_is_joined() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    for query in [
        "SELECT COUNT(*) FROM o WHERE n IN (SELECT id FROM i WHERE s = 'elm')",
        "SELECT COUNT(*) FROM o WHERE EXISTS (SELECT 1 FROM i WHERE i.id = o.n AND i.s = 'elm')",
    ] {
        let shown = plan(session, query);
        assert!(shown.contains(" i by PRIMARY") && !shown.contains("Exists"), "{shown}");
        let joined = "SELECT COUNT(*) FROM o JOIN i ON i.id = o.n AND i.s = 'elm'";
        assert_eq!(run(session, query), run(session, joined));
    }
}

#[test]
fn few_members_are_what_the_joining_begins_with() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    let query = "SELECT id FROM o WHERE EXISTS (SELECT 1 FROM i WHERE i.n = o.k AND i.id = 40) \
                 ORDER BY id";
    let shown = plan(session, query);
    assert!(shown.contains("Derived table") && shown.contains("Rows of o by k"), "{shown}");
    assert_alike(session, query, "SELECT id FROM o WHERE k = 8 ORDER BY id");
}

#[test]
fn a_limit_of_nothing_leaves_no_row_to_exist() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    for (limit, rows) in [("1", "700"), ("0", "0"), ("5", "700")] {
        let query = format!(
            "SELECT COUNT(*) FROM o WHERE EXISTS (SELECT 1 FROM i WHERE i.u = o.u LIMIT {limit})"
        );
        assert_eq!(run(session, &query).trim_end(), rows, "{query}");
        let query = query.replace("EXISTS", "NOT EXISTS");
        let others = if rows == "0" { "700" } else { "0" };
        assert_eq!(run(session, &query).trim_end(), others, "{query}");
    }
}

#[test]
fn members_that_are_too_many_to_be_kept_are_given_up() {
    let sql = server();
    let session = &mut session(&sql);
    run(session, "CREATE TABLE long_ones (id INT PRIMARY KEY, s MEDIUMTEXT)");
    run(session, "CREATE TABLE numbers (id INT PRIMARY KEY)");
    let rows = (0..60).map(|n| format!("({n})")).collect::<Vec<_>>().join(",");
    run(session, &format!("INSERT INTO numbers VALUES {rows}"));
    run(session, "INSERT INTO long_ones SELECT id, CONCAT(REPEAT('x', 400000), id) FROM numbers");
    let query = "SELECT COUNT(*), SUM(NOT EXISTS (SELECT 1 FROM long_ones l \
                 WHERE l.s = CONCAT(REPEAT('x', 400000), n.id) AND l.id > 7)) FROM numbers n";
    assert_eq!(run(session, query).trim_end(), "60\t8");
}

#[test]
fn changes_ask_for_rows_as_queries_do() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    let exists = "EXISTS (SELECT 1 FROM i WHERE i.n = o.n AND i.u = 5)";
    let expected = run(session, &format!("SELECT COUNT(*) FROM o WHERE {exists}"));
    let changed = run(session, &format!("UPDATE o SET u = u + 1000 WHERE {exists}"));
    assert!(changed.contains(&format!("ok {}", expected.trim_end())), "{changed} {expected}");
    assert_eq!(run(session, "SELECT COUNT(*) FROM o WHERE u >= 1000"), expected);
    run(session, "DELETE FROM o WHERE id IN (SELECT id FROM i WHERE k < 30)");
    let left = "SELECT COUNT(*) FROM o JOIN i USING (id) WHERE i.k < 30";
    assert_eq!(run(session, left).trim_end(), "0");
}

#[test]
fn a_few_rows_not_among_many_read_all_of_these() {
    // Too little for as many members.
    let options = EngineOptions { client_bytes: 1 << 20, ..EngineOptions::default() };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).expect("opens");
    let options = SqlOptions { memory_bytes: 64 << 20, threads: 2, ..SqlOptions::default() };
    let sql = Sql::new(engine, &options, analytic::start).expect("starts");
    let session = &mut session(&sql);
    run(session, "CREATE TABLE t (id INT PRIMARY KEY, k INT, s VARCHAR(20))");
    run(session, "CREATE TABLE u (id INT PRIMARY KEY, k INT, s VARCHAR(20), KEY k (k))");
    run(session, "INSERT INTO t VALUES (1, 5, 'a'), (2, NULL, 'b'), (3, 70000, 'c'), (4, 9, NULL)");
    for first in (0..40_000).step_by(500) {
        let rows: Vec<String> =
            (first..first + 500).map(|id| format!("({id}, {id}, 'x{id}')")).collect();
        run(session, &format!("INSERT INTO u VALUES {}", rows.join(",")));
    }
    for (query, answer) in [
        ("SELECT COUNT(*) FROM t WHERE id < 5 AND k NOT IN (SELECT id FROM u)", "1"),
        ("SELECT COUNT(*) FROM t WHERE id < 5 AND NOT k IN (SELECT id FROM u)", "1"),
        ("SELECT COUNT(*) FROM t WHERE id < 5 AND k <> ALL (SELECT id FROM u)", "1"),
        ("SELECT COUNT(*) FROM t WHERE id < 5 AND k NOT IN (SELECT id FROM u WHERE id < 0)", "4"),
        ("SELECT COUNT(*) FROM t WHERE id < 5 AND k NOT IN (SELECT DISTINCT k FROM u)", "1"),
        (
            "SELECT id FROM t WHERE id < 5 AND k NOT IN (SELECT id FROM u WHERE id > 6) ORDER BY id",
            "1\n3",
        ),
        ("DELETE FROM t WHERE id < 5 AND k NOT IN (SELECT id FROM u)", "ok 1"),
    ] {
        assert_eq!(run(session, query), answer, "{query}");
    }
    run(session, "INSERT INTO u VALUES (100000, NULL, NULL)");
    for query in [
        "SELECT COUNT(*) FROM t WHERE k NOT IN (SELECT k FROM u)",
        "SELECT COUNT(*) FROM t WHERE s NOT IN (SELECT s FROM u)",
    ] {
        for executor in ["rows", "columns"] {
            run(session, &format!("SET SESSION rowhouse_executor = '{executor}'"));
            assert_eq!(run(session, query), "0", "{executor}: {query}");
        }
    }
    run(session, "DELETE FROM u WHERE id = 100000");
    for executor in ["rows", "columns"] {
        run(session, &format!("SET SESSION rowhouse_executor = '{executor}'"));
        let query = "SELECT COUNT(*) FROM t WHERE s NOT IN (SELECT s FROM u)";
        assert_eq!(run(session, query), "2", "{executor}");
        let query = "SELECT COUNT(*) FROM u WHERE k NOT IN (SELECT k FROM t WHERE k > 0)";
        assert_eq!(run(session, query), "39998", "{executor}");
    }
}

/// What else a sub-query says of both rows, beside an equation.
const COMPARISONS: [&str; 12] = [
    "i.n > o.n",
    "o.n >= i.n",
    "i.d < o.d",
    "i.u <= o.u",
    "i.id <> o.id",
    "i.s <> o.s",
    "i.s > o.s",
    "i.n + 1 > o.n * 2",
    "i.id <> o.id AND i.u < o.u",
    "(i.n > o.n OR i.u = o.u)",
    "i.u > o.n",
    "i.s LIKE CONCAT(LEFT(o.s, 1), '%')",
];

#[test]
fn by_more_than_equations_both_executors_answer_alike() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    for equation in ["i.k = o.k", "i.s = o.s", "i.d = o.d AND i.n = o.n", "i.u < 30"] {
        for comparison in COMPARISONS {
            let rows = format!("FROM i WHERE {equation} AND {comparison}");
            for (asked, counted) in [
                (format!("EXISTS (SELECT * {rows})"), format!("(SELECT COUNT(*) {rows}) > 0")),
                (format!("NOT EXISTS (SELECT 1 {rows})"), format!("(SELECT COUNT(*) {rows}) = 0")),
                (
                    format!("o.n > ANY (SELECT i.u {rows})"),
                    format!("(SELECT COUNT(*) {rows} AND o.n > i.u) > 0"),
                ),
                (
                    format!("o.n <= ALL (SELECT i.n {rows})"),
                    format!("(SELECT COUNT(*) {rows} AND (o.n <= i.n) IS NOT TRUE) = 0"),
                ),
                (
                    format!("o.n IN (SELECT i.n {rows})"),
                    format!("(SELECT COUNT(*) {rows} AND o.n = i.n) > 0"),
                ),
                (
                    format!("o.n NOT IN (SELECT i.n {rows})"),
                    format!("(SELECT COUNT(*) {rows} AND (o.n <> i.n) IS NOT TRUE) = 0"),
                ),
            ] {
                run(session, "SET rowhouse_executor = 'rows'");
                let some = "SELECT id FROM o WHERE id % 7 = 0 AND";
                let expected = run(session, &format!("{some} {counted} ORDER BY id"));
                for executor in ["rows", "columns"] {
                    run(session, &format!("SET rowhouse_executor = '{executor}'"));
                    let query = format!("{some} {asked} ORDER BY id");
                    assert_eq!(run(session, &query), expected, "{executor}: {query}");
                }
            }
        }
    }
}

#[test]
fn a_comparison_beside_an_equation_does_not_look_at_all_pairs() {
    const ROWS: u64 = 6_000;
    let sql = server();
    let session = &mut session(&sql);
    for table in ["t", "u"] {
        run(session, &format!("CREATE TABLE {table} (id INT PRIMARY KEY, v INT, s VARCHAR(20))"));
        let row = |id: u64| format!("({id}, {}, 'text {}')", id * 7919 % 100, id % 1000);
        let rows: Vec<String> = (0..ROWS).map(row).collect();
        run(session, &format!("INSERT INTO {table} VALUES {}", rows.join(",")));
    }
    let mut before = 0;
    for (condition, answer) in [
        ("EXISTS (SELECT 1 FROM u WHERE u.s = t.s AND u.id <> t.id)", "6000"),
        ("NOT EXISTS (SELECT 1 FROM u WHERE u.s = t.s AND u.id > t.id)", "1000"),
        ("EXISTS (SELECT 1 FROM u WHERE u.s = t.s AND u.id < t.id AND u.id <> t.v)", "4998"),
        ("EXISTS (SELECT 1 FROM u WHERE u.s = t.s AND u.id > t.id AND t.v > 49)", "2500"),
        ("EXISTS (SELECT 1 FROM u WHERE u.v > t.v)", "5940"),
        ("NOT EXISTS (SELECT 1 FROM u WHERE u.v <> t.v AND u.v < 0)", "6000"),
        ("t.id <= ALL (SELECT u.id FROM u WHERE u.s = t.s)", "1000"),
        ("t.id > ANY (SELECT u.id FROM u WHERE u.s = t.s AND u.id >= 0 - t.id)", "5000"),
        ("t.id NOT IN (SELECT u.id FROM u WHERE u.s = t.s AND u.id < t.id)", "6000"),
    ] {
        let query = format!("SELECT COUNT(*) FROM t WHERE {condition}");
        assert_eq!(run(session, &query).trim_end(), answer, "{query}");
        let sum = run(
            session,
            "SELECT SUM(sum_rows_examined) FROM \
             performance_schema.events_statements_summary_by_digest WHERE digest_text LIKE \
             'SELECT COUNT%FROM `t` WHERE%'",
        );
        let sum: u64 = sum.trim_end().parse().expect("a number");
        let examined = sum - std::mem::replace(&mut before, sum);
        // Of each row of `t` all rows of `u` were looked at.
        assert!(examined <= 40 * ROWS, "{query}: {examined} rows");
    }
}
