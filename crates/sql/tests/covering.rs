//! Queries that entries of an index answer without their rows: the same answers as from the rows,
//! and the plan says that no row is read.

use crate::harness::{run, server, session};
use sql::{Session, Sql};

const TABLE: &str = "CREATE TABLE t (id INT PRIMARY KEY, a INT, b DECIMAL(9,2), d DATETIME, \
    s VARCHAR(20), e ENUM('x', 'y'), u INT UNIQUE, n VARCHAR(20) COLLATE utf8mb4_bin, \
    KEY abd (a, b, d), KEY sa (s, a), KEY e (e), KEY n (n), KEY part (s(3)))";

fn filled(session: &mut Session) {
    run(session, TABLE);
    let words = ["Draft", "draft ", "DRAFT", "publish", "Publish", "SPAT", "spat"];
    for first in (0..2_000).step_by(500) {
        let row = |id: usize| {
            let null = |value: String| if id.is_multiple_of(11) { "NULL".into() } else { value };
            let word = words[id % 7 / (1 + id % 2)];
            format!(
                "({id}, {}, {}, {}, {}, {}, {}, {})",
                null((id % 13).to_string()),
                null(format!("{}.{:02}", id % 3, id % 50)),
                null(format!("'2024-{:02}-03 04:05:06'", 1 + id % 12)),
                null(format!("'{word}'")),
                null(format!("'{}'", ["x", "y"][id % 2])),
                null((id * 3).to_string()),
                null(format!("'{word}'")),
            )
        };
        let rows: Vec<String> = (first..first + 500).map(row).collect();
        run(session, &format!("INSERT INTO t VALUES {}", rows.join(",")));
    }
}

/// Asks with the index and without, where every column is read from rows.
#[track_caller]
fn same(session: &mut Session, query: &str) {
    let plan = run(session, &format!("EXPLAIN FORMAT=TREE {query}"));
    let only = plan.contains("index only");
    assert!(only, "{query}\n{plan}");
    run(session, "CREATE TABLE plain AS SELECT * FROM t");
    let answer = run(session, query);
    let expected = run(session, &query.replace(" t", " plain"));
    // Of texts that are equal, either way may show another.
    let folded = |answer: &str| answer.to_lowercase().replace("draft ", "draft");
    assert_eq!(folded(&answer), folded(&expected), "{query}");
    run(session, "DROP TABLE plain");
}

const QUERIES: &[&str] = &[
    "SELECT COUNT(*) FROM t",
    "SELECT COUNT(*), SUM(id), MAX(id) FROM t WHERE id BETWEEN 100 AND 300 AND id <> 200",
    "SELECT COUNT(*), SUM(b), MIN(d), MAX(d) FROM t WHERE a = 5",
    "SELECT a, COUNT(*), SUM(b) FROM t WHERE a IN (1, 3, 5) GROUP BY a ORDER BY a",
    "SELECT COUNT(*), COUNT(b), COUNT(DISTINCT b) FROM t WHERE a > 7",
    "SELECT YEAR(d) y, MONTH(d) m, COUNT(id) FROM t WHERE a = 3 GROUP BY y, m ORDER BY y, m",
    "SELECT COUNT(*) FROM t WHERE a IS NULL",
    "SELECT COUNT(*) FROM t WHERE s = 'draft'",
    "SELECT s, COUNT(*), SUM(id) FROM t GROUP BY s ORDER BY s",
    "SELECT s, COUNT(*) FROM t GROUP BY s ORDER BY s",
    "SELECT DISTINCT s FROM t ORDER BY s",
    "SELECT s, COUNT(*) FROM t GROUP BY s WITH ROLLUP",
    "SELECT COUNT(*) FROM t WHERE s <> 'draft' AND s NOT IN ('publish', 'x')",
    "SELECT COUNT(s), SUM(a) FROM t WHERE s IS NOT NULL AND s >= 'p'",
    "SELECT e, COUNT(*) FROM t GROUP BY e ORDER BY e",
    "SELECT SUM(u), SUM(id), COUNT(u) FROM t WHERE u BETWEEN 300 AND 900",
    "SELECT n, COUNT(*) FROM t GROUP BY n ORDER BY n",
    "SELECT x.a, COUNT(*) FROM t x JOIN t y ON y.a = x.id WHERE x.id < 13 GROUP BY x.a ORDER BY 1",
    "SELECT x.id, COUNT(y.id) FROM t x LEFT JOIN t y ON y.u = x.id + 300 AND y.u > 310 \
     WHERE x.id < 60 GROUP BY x.id ORDER BY x.id",
    "SELECT MAX(d) FROM t WHERE a = 5 AND b = 1.05",
];

#[test]
fn entries_alone_answer_as_their_rows_do() {
    let sql = server();
    let s = &mut session(&sql);
    filled(s);
    for query in QUERIES {
        same(s, query);
    }
}

#[test]
fn what_entries_do_not_hold_is_read_from_rows() {
    let sql = server();
    let s = &mut session(&sql);
    filled(s);
    for query in [
        // Which of the texts that are equal, only rows know.
        "SELECT MIN(s), COUNT(*) FROM t WHERE s = 'draft'",
        "SELECT COUNT(*) FROM t WHERE s LIKE 'd%'",
        "SELECT COUNT(DISTINCT HEX(s)) FROM t WHERE s > 'a'",
        "SELECT SUM(LENGTH(n)) FROM t WHERE n = 'Draft'",
        "SELECT COUNT(*) FROM t WHERE a = 5 AND e = 'x'",
    ] {
        let plan = run(s, &format!("EXPLAIN FORMAT=TREE {query}"));
        assert!(!plan.contains("index only"), "{query}\n{plan}");
    }
    assert_eq!(run(s, "SELECT COUNT(DISTINCT HEX(s)) FROM t WHERE s = 'draft'"), "3");
}

#[test]
fn entries_of_a_transaction_are_those_of_its_own_state() {
    let sql = server();
    let (s, other) = (&mut session(&sql), &mut session(&sql));
    filled(s);
    let count = "SELECT COUNT(*), SUM(b) FROM t WHERE a = 5";
    let group = "SELECT s, COUNT(*) FROM t WHERE s > 'x' GROUP BY s";
    let before = run(s, count);
    run(s, "BEGIN");
    assert_eq!(run(s, count), before);
    run(other, "UPDATE t SET a = 5, s = 'zzz' WHERE id < 20");
    assert_eq!(run(s, count), before);
    assert_eq!(run(s, group), "");
    run(s, "INSERT INTO t (id, a, b, s) VALUES (9001, 5, 1.00, 'Zebra'), (9002, 5, 2.00, 'zebra')");
    assert_eq!(run(s, group), "Zebra\t2");
    run(s, "DELETE FROM t WHERE id = 9002");
    assert_eq!(run(s, group), "Zebra\t1");
    run(s, "ROLLBACK");
    assert_eq!(run(s, group), "zzz\t20");
    assert_ne!(run(s, count), before);
}

#[test]
fn a_group_shows_a_text_of_its_own_rows() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, a INT, s VARCHAR(9), KEY sa (s, a))");
    run(s, "INSERT INTO t VALUES (1, 1, 'Ann'), (2, 2, 'ann'), (3, 3, 'ANN'), (4, 1, 'bob')");
    assert_eq!(
        run(s, "SELECT id, s, COUNT(*) FROM t GROUP BY id, s ORDER BY id LIMIT 2"),
        "1\tAnn\t1\n2\tann\t1"
    );
    let group = "SELECT s, COUNT(*) FROM t WHERE a > 1 GROUP BY s";
    assert!(run(s, &format!("EXPLAIN FORMAT=TREE {group}")).contains("index only"));
    assert_eq!(run(s, group), "ann\t2");
}

/// Row look-ups so far: those of scans by key, which pass the row cache, are none.
fn looked_up(sql: &Sql) -> u64 {
    let status = sql.engine().cache().status();
    status.hits + status.misses
}

/// What a query answers by an executor, and how many rows were looked up for it.
fn counted(sql: &Sql, session: &mut Session, executor: &str, query: &str) -> (String, u64) {
    run(session, &format!("SET SESSION rowhouse_executor = '{executor}'"));
    let before = looked_up(sql);
    let answer = run(session, query);
    (answer, looked_up(sql) - before)
}

/// Queries, and how many rows they have to look up.
const BY_ENTRIES: &[(&str, u64)] = &[
    ("SELECT COUNT(*) FROM t FORCE INDEX (sa) WHERE s > '' AND id < 0", 0),
    (
        "SELECT COUNT(*), SUM(id) FROM t FORCE INDEX (sa) WHERE s > 'draft' AND id BETWEEN 3 AND 900",
        0,
    ),
    ("SELECT SUM(id), MAX(a) FROM t FORCE INDEX (sa) WHERE s IN ('draft', 'spat') AND a <> 5", 0),
    ("SELECT COUNT(*) FROM t FORCE INDEX (part) WHERE id % 7 = 3 AND id > 1000", 0),
    (
        "SELECT a, COUNT(*) FROM t FORCE INDEX (abd) WHERE a > 3 AND id % 3 = 1 GROUP BY a ORDER BY a",
        0,
    ),
    ("SELECT SUM(id) FROM t FORCE INDEX (u) WHERE u > 30 AND id <> 50", 0),
    ("SELECT e, COUNT(*) FROM t FORCE INDEX (e) WHERE e = 'y' AND id NOT IN (1, 3) GROUP BY e", 0),
];

/// Queries of which the rows alone have what is shown, of few entries.
const BY_ROWS: &[(&str, u64)] = &[
    ("SELECT n FROM t FORCE INDEX (sa) WHERE s > '' AND id < 0", 0),
    ("SELECT id, n FROM t FORCE INDEX (abd) WHERE a > 3 AND id IN (7, 8, 9) ORDER BY id", 3),
    ("SELECT n, d FROM t FORCE INDEX (abd) WHERE a > 3 AND b = 1.05 AND id < 50", 0),
    ("SELECT n FROM t FORCE INDEX (u) WHERE u > 30 AND id = 50", 1),
    ("SELECT COUNT(n) FROM t FORCE INDEX (part) WHERE s > 'd' AND id = 1", 1),
    ("SELECT SUM(LENGTH(n)) FROM t FORCE INDEX (e) WHERE e = 'x' AND id < 20 AND n <> 'x'", 9),
];

#[test]
fn rows_were_read_for_what_their_entries_tell() {
    let sql = server();
    let s = &mut session(&sql);
    filled(s);
    run(s, "CREATE TABLE plain AS SELECT * FROM t");
    for (queries, by_entries) in [(BY_ENTRIES, true), (BY_ROWS, false)] {
        for (query, most) in queries {
            let (before, behind) = query.split_once("FORCE INDEX").unwrap();
            let plain = behind.split_once(')').unwrap().1;
            let plain = format!("{}{plain}", before.replace(" t ", " plain "));
            let expected = run(s, &plain);
            for executor in ["rows", "columns"] {
                // Texts that compare as equal may be told by a row of each.
                let most = if by_entries && executor == "rows" { 2_000 } else { *most };
                let (answer, looked_up) = counted(&sql, s, executor, query);
                assert_eq!(answer, expected, "{executor}: {query}");
                assert!(looked_up <= most, "{executor}: {query}: {looked_up} rows");
            }
        }
    }
}

#[test]
fn a_write_looked_up_rows_that_their_entries_rule_out() {
    let sql = server();
    let s = &mut session(&sql);
    filled(s);
    for (statement, rows) in [
        ("UPDATE t FORCE INDEX (abd) SET n = 'seen' WHERE a > 3 AND id < 0", 0),
        ("DELETE FROM t WHERE a = 5 AND b > 100", 0),
        ("SELECT n FROM t FORCE INDEX (u) WHERE u > 30 AND id < 9 FOR UPDATE", 0),
    ] {
        let before = looked_up(&sql);
        run(s, statement);
        assert_eq!(looked_up(&sql) - before, rows, "{statement}");
    }
    let done = run(s, "UPDATE t FORCE INDEX (abd) SET n = 'seen' WHERE a > 3 AND id < 9");
    assert!(done.starts_with("ok 5 "), "{done}");
    assert_eq!(run(s, "SELECT COUNT(*) FROM t WHERE n = 'seen'"), "5");
}
