//! Window functions, recursion, regular expressions and JSON aggregates over rows: what the row
//! executor answers by itself, where it gives way, and where it ends.

use std::sync::Arc;
use std::time::Instant;

use crate::harness::{PATIENCE, error, run, server, session};
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions};
use sql::{Session, Sql, SqlOptions};

/// A row for every number from 1 on, `g` in turn from 0 to 6, some of `v` NULL.
fn numbered(s: &mut Session, rows: usize) {
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, g INT, v INT, at DATETIME, KEY (g))");
    for first in (1..=rows).step_by(1000) {
        let last = (first + 999).min(rows);
        let row = |id: usize| {
            let v = if id.is_multiple_of(10) { "NULL".into() } else { (id * 7 % 101).to_string() };
            format!("({id}, {}, {v}, '2024-01-01' + INTERVAL {id} HOUR)", id % 7)
        };
        let values: Vec<String> = (first..=last).map(row).collect();
        run(s, &format!("INSERT INTO t VALUES {}", values.join(",")));
    }
}

#[test]
fn the_row_executor_alone_answers_them() {
    let sql = server();
    let s = &mut session(&sql);
    numbered(s, 70);
    run(s, "SET SESSION rowhouse_executor = 'rows'");
    for (query, answer) in [
        (
            "SELECT SUM(r) FROM (SELECT ROW_NUMBER() OVER (PARTITION BY g ORDER BY id) r FROM t) x",
            "385",
        ),
        (
            "SELECT id, LAG(id, 2) OVER (ORDER BY id) FROM t WHERE id < 4 ORDER BY id",
            "1\tNULL\n2\tNULL\n3\t1",
        ),
        (
            "SELECT COUNT(*) FROM (SELECT COUNT(*) OVER (ORDER BY at RANGE INTERVAL 2 HOUR PRECEDING) c FROM t) x WHERE c = 3",
            "68",
        ),
        (
            "WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c WHERE n < 10) SELECT SUM(n) FROM c",
            "55",
        ),
        ("SELECT COUNT(*) FROM t WHERE id REGEXP '^1'", "11"),
        ("SELECT REGEXP_REPLACE('a1b22', '[0-9]+', '<$0>')", "a<1>b<22>"),
        (
            "SELECT JSON_ARRAYAGG(id), JSON_OBJECTAGG(g, v) FROM t WHERE id < 3",
            "[1, 2]\t{\"1\": 7, \"2\": 14}",
        ),
    ] {
        assert_eq!(run(s, query), answer, "{query}");
    }
}

/// Five million letters took 20 seconds and 1.9 GB, and neither KILL nor a time limit was heard.
#[test]
fn a_pattern_of_megabytes_was_compiled_however_long_it_took() {
    let options = EngineOptions { client_bytes: 64 << 20, ..EngineOptions::default() };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).expect("opens");
    let sql = Sql::new(engine, &SqlOptions::default(), analytic::start).expect("starts");
    let s = &mut session(&sql);
    numbered(s, 70);
    for executor in ["rows", "columns"] {
        run(s, &format!("SET SESSION rowhouse_executor = '{executor}'"));
        for (pattern, number) in [
            ("REPEAT('a', 5000000)", 3700),
            ("REPEAT('(a|b)', 100000)", 3700),
            (r"REPEAT('\\w', 5000)", 3700),
            (r"REPEAT('[^a-z]', 9000)", 3700),
            ("'((a{1,99}){1,99}){1,99}'", 3700),
            ("'('", 3691),
            ("''", 3685),
        ] {
            for query in [
                format!("SELECT 'x' REGEXP {pattern}"),
                format!("SELECT COUNT(*) FROM t WHERE id REGEXP {pattern}"),
                format!("SELECT REGEXP_REPLACE(v, {pattern}, 'x') FROM t ORDER BY 1"),
                format!(
                    "SELECT REGEXP_INSTR(id, CONCAT({pattern}, '')), COUNT(*) FROM t GROUP BY 1"
                ),
            ] {
                assert_eq!(error(s, &query), number, "{query}");
            }
        }
        // The long but harmless ones stay.
        for (query, answer) in [
            ("SELECT COUNT(*) FROM t WHERE id REGEXP CONCAT('^(', REPEAT('x|', 2000), '1)')", "11"),
            ("SELECT 'aaa' REGEXP '^a{3}$', REGEXP_REPLACE('abc', '(.)(.)', '$2$1')", "1\tbac"),
        ] {
            assert_eq!(run(s, query), answer, "{query}");
        }
    }
}

#[test]
fn a_moving_frame_that_is_added_up_too_often_goes_elsewhere() {
    let sql = server();
    let s = &mut session(&sql);
    numbered(s, 4_000);
    let query = "SELECT SUM(m) FROM (SELECT SUM(v) OVER \
                 (ORDER BY id ROWS BETWEEN 500 PRECEDING AND CURRENT ROW) AS m FROM t) x";
    let chosen = run(s, query);
    run(s, "SET SESSION rowhouse_executor = 'columns'");
    assert_eq!(chosen, run(s, query));
    run(s, "SET SESSION rowhouse_executor = 'rows'");
    assert_eq!(chosen, run(s, query));
}

#[test]
fn a_recursion_ends_by_its_depth_its_limit_its_time_and_the_memory() {
    let options = EngineOptions { client_bytes: 128 << 20, ..EngineOptions::default() };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).expect("opens");
    let sql = Sql::new(engine, &SqlOptions::default(), analytic::start).expect("starts");
    let s = &mut session(&sql);
    let endless = "WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c)";
    assert_eq!(error(s, &format!("{endless} SELECT COUNT(*) FROM c")), 3636);
    run(s, "SET SESSION cte_max_recursion_depth = 4294967295");
    let growing = "WITH RECURSIVE c AS (SELECT 1 AS n, REPEAT('a', 100000) AS t UNION ALL \
                   SELECT n + 1, t FROM c) SELECT COUNT(*) FROM c";
    assert_eq!(error(s, growing), 1041);
    // Equal rows are not added: this one leads nowhere, and the next for ever through few rows.
    let circling =
        "WITH RECURSIVE c AS (SELECT 1 AS n UNION SELECT n % 7 + 1 FROM c) SELECT COUNT(*) FROM c";
    assert_eq!(run(s, circling), "7");
    // Its rows fill the memory in some 0.6 s: the time has to end first, on the fastest machine
    // too.
    run(s, "SET SESSION max_statement_time = 0.03");
    let begun = Instant::now();
    assert_eq!(error(s, &format!("{endless} SELECT COUNT(*) FROM c")), 1969);
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    run(s, "SET SESSION max_statement_time = 0");
    let limited =
        "WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c LIMIT 3) SELECT n FROM c";
    assert_eq!(run(s, limited), "1\n2\n3");
}

#[test]
fn a_recursive_table_in_two_sub_queries_of_one_statement_is_computed_for_each_use() {
    let sql = server();
    let s = &mut session(&sql);
    numbered(s, 20);
    let query = "SELECT id, (WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c WHERE n < 3) \
                 SELECT COUNT(*) FROM c JOIN c d ON d.n <= c.n WHERE c.n <= t.id) AS pairs \
                 FROM t WHERE id < 5 ORDER BY id";
    assert_eq!(run(s, query), "1\t1\n2\t3\n3\t6\n4\t6");
}

#[test]
fn rows_are_grouped_alike_whether_they_come_in_runs_or_not() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE w (id INT PRIMARY KEY, s VARCHAR(9), n DOUBLE, KEY (s))");
    let words = ["a", "A", "b", "B ", "c"];
    let rows: Vec<String> = (0..400)
        .map(|id| format!("({id}, '{}', {})", words[id / 80], ["0", "-0e0", "1.5"][id % 3]))
        .collect();
    run(s, &format!("INSERT INTO w VALUES {}", rows.join(",")));
    for (by, expected) in [("s", "160\n160\n80"), ("n", "267\n133")] {
        for order in ["id", "s", "RAND(1)"] {
            let query = format!(
                "SELECT COUNT(*) FROM (SELECT * FROM w ORDER BY {order} LIMIT 400) x GROUP BY {by} \
                 ORDER BY MIN(x.{by})"
            );
            assert_eq!(run(s, &query), expected, "{query}");
        }
    }
}

#[test]
fn rows_behind_a_limit_are_counted_whether_or_not_they_are_looked_at() {
    let sql = server();
    let s = &mut session(&sql);
    numbered(s, 300);
    run(s, "SET SESSION rowhouse_executor = 'rows'");
    run(s, "BEGIN");
    // Some that nobody else sees, and some that nobody sees any more.
    run(s, "INSERT INTO t (id, g) VALUES (1001, 3), (1002, 3), (1003, 9)");
    run(s, "DELETE FROM t WHERE id IN (10, 17, 24)");
    for (condition, ordered) in [
        ("g = 3", "id DESC"),
        ("g >= 3", "g, id"),
        ("g IN (1, 3, 9)", "g DESC, id DESC"),
        ("id > 100", "id"),
        ("id BETWEEN 5 AND 30", "id DESC"),
        // These are looked at, each of them.
        ("g = 3 AND v > 50", "id"),
        ("g = 3", "v, id"),
        ("g + 0 = 3", "id"),
        ("g = 77", "id"),
        ("id > 100 AND g IS NULL", "id"),
    ] {
        let all = run(s, &format!("SELECT COUNT(*) FROM t WHERE {condition}"));
        for limit in ["0", "1", "5", "2, 3", "40, 10", "1000", "1000, 10"] {
            for columns in ["id", "id, g", "*", "id + g"] {
                let wanted = format!("{columns} FROM t WHERE {condition} ORDER BY {ordered}");
                let plain = run(s, &format!("SELECT {wanted} LIMIT {limit}"));
                let query = format!("SELECT SQL_CALC_FOUND_ROWS {wanted} LIMIT {limit}");
                assert_eq!(run(s, &query), plain, "{query}");
                assert_eq!(run(s, "SELECT FOUND_ROWS()"), all, "{query}");
            }
        }
    }
}

#[test]
fn columns_of_rows_that_an_offset_passes_over_are_not_evaluated() {
    let sql = server();
    let s = &mut session(&sql);
    numbered(s, 70);
    for executor in ["rows", "auto"] {
        run(s, &format!("SET SESSION rowhouse_executor = '{executor}'"));
        for by in ["id", "g, id"] {
            let query = format!("SELECT id, CAST('1x' AS SIGNED) + id FROM t ORDER BY {by}");
            let all = run(s, &query);
            let expected: Vec<&str> = all.lines().skip(30).take(2).collect();
            assert_eq!(run(s, &format!("{query} LIMIT 30, 2")), expected.join("\n"));
        }
        // A warning for each row that is given.
        run(s, "SELECT g DIV (id - id) FROM t WHERE g >= 0 AND id > 0 ORDER BY g LIMIT 30, 2");
        assert_eq!(run(s, "SHOW COUNT(*) WARNINGS"), "2", "{executor}");
    }
}

#[test]
fn ranges_that_are_read_together_come_in_the_order_of_what_is_behind() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE m (id INT PRIMARY KEY, kind VARCHAR(9), state INT, made DATETIME, title TEXT, \
         KEY k (kind, state, made), KEY s (state), UNIQUE KEY u (kind, id, made))",
    );
    let rows: Vec<String> = (0..800)
        .map(|id| {
            let kind = ["'post'", "'POST'", "'page'", "NULL"][id * 7 % 11 % 4];
            let state = ["0", "1", "2", "NULL"][id * 5 % 13 % 4];
            let day = id * 31 % 97;
            format!("({id}, {kind}, {state}, '2024-01-01' + INTERVAL {day} DAY, 'title {id}')")
        })
        .collect();
    run(s, &format!("INSERT INTO m VALUES {}", rows.join(",")));
    run(s, "SET SESSION rowhouse_executor = 'rows'");
    let mut in_order = 0;
    for (condition, order) in [
        ("kind = 'post' AND state IN (0, 2)", "made, id"),
        ("kind = 'post' AND state IN (0, 2)", "made DESC, id DESC"),
        ("kind = 'post' AND (state = 1 OR state IS NULL) AND made > '2024-02-01'", "made, id"),
        ("kind IN ('post', 'page', 'none') AND state IN (2, 1)", "made DESC, id DESC"),
        ("kind IN ('post', 'POST') AND state = 1", "made, id"),
        ("state IN (1, 2)", "id"),
        ("state IN (1, 2, 1)", "id DESC"),
        ("(state = 1 OR state = 0) AND title LIKE '%7%'", "id DESC"),
        ("(kind = 'post' AND state = 1) OR (kind = 'page' AND state = 2)", "made, id"),
        // What is asked for is not the order behind the parts in which the ranges differ.
        ("kind = 'post' AND state IN (0, 2)", "state, made, id"),
        ("kind = 'post' AND state IN (0, 2)", "id"),
        ("kind IN ('post', 'page')", "made, id"),
        ("kind IN ('post', 'page') AND state > 0", "made, id"),
        ("kind IN ('post', 'page')", "id, made"),
    ] {
        for columns in ["id, made", "*", "state, id"] {
            for limit in ["", "LIMIT 1", "LIMIT 7", "LIMIT 5, 20", "LIMIT 10000"] {
                let query = |hint: &str| {
                    format!(
                        "SELECT {columns} FROM m {hint} WHERE {condition} ORDER BY {order} {limit}"
                    )
                };
                let plain = run(s, &query("IGNORE INDEX (k, s, u)"));
                for hint in ["", "FORCE INDEX (k)", "FORCE INDEX (s)", "FORCE INDEX (u)"] {
                    assert_eq!(run(s, &query(hint)), plain, "{}", query(hint));
                }
                let shown = run(s, &format!("EXPLAIN {}", query("")));
                in_order += usize::from(shown.contains("range") && !shown.contains("filesort"));
            }
        }
    }
    assert!(in_order >= 40, "only {in_order} queries came in their order");
    let last = "SELECT MAX(made) FROM m WHERE kind = 'post' AND state IN (0, 2)";
    assert_eq!(run(s, last), run(s, &last.replace("FROM m", "FROM m IGNORE INDEX (k, s, u)")));
}

#[test]
fn ends_of_an_index_are_what_all_of_its_entries_would_give() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE l (id INT PRIMARY KEY, a INT, b VARCHAR(9), c INT NOT NULL, d DATETIME, \
         e ENUM('z', 'm', 'a') NOT NULL, KEY ac (a, c), KEY bd (b, d), KEY abc (a, b, c), KEY ae (a, e))",
    );
    let rows: Vec<String> = (0..4_000)
        .map(|id| {
            let a = if id % 9 == 0 { "NULL".into() } else { (id * id % 7).to_string() };
            let b = ["'x'", "'X'", "'y'", "NULL", "'yy'"][id * 13 % 31 % 5];
            let d = if id % 3 == 0 || b == "'yy'" {
                "NULL".into()
            } else {
                format!("'2024-01-{:02}'", 1 + id % 28)
            };
            format!("({id}, {a}, {b}, {}, {d}, {})", id * 7919 % 1013, 1 + id % 3)
        })
        .collect();
    run(s, &format!("INSERT INTO l VALUES {}", rows.join(",")));
    run(s, "INSERT INTO l VALUES (9001, 1000, 'rare', 5, NULL, 1)");
    run(s, "BEGIN");
    // Neither is what others see the same as what this transaction does.
    run(s, "DELETE FROM l WHERE a = 3 OR c > 1000");
    run(
        s,
        "INSERT INTO l VALUES (9002, -5, 'new', 2000, NULL, 2), (9003, 2, 'X', 3000, '2030-01-01', 3)",
    );
    run(s, "SET SESSION rowhouse_executor = 'rows'");
    let mut leapt = 0;
    for query in [
        "SELECT DISTINCT a FROM l ORDER BY a",
        "SELECT DISTINCT a FROM l WHERE a > 1 ORDER BY a DESC",
        "SELECT DISTINCT a FROM l WHERE a IN (1, 3, 5, 77) ORDER BY a",
        "SELECT DISTINCT a + 1 FROM l ORDER BY 1",
        "SELECT DISTINCT LOWER(b) FROM l ORDER BY 1",
        "SELECT DISTINCT LOWER(b) FROM l WHERE a = 2 ORDER BY LOWER(b)",
        "SELECT COUNT(*) FROM (SELECT DISTINCT a, c FROM l WHERE a = 5) x",
        "SELECT a FROM l GROUP BY a ORDER BY a",
        "SELECT a, MAX(c) FROM l GROUP BY a ORDER BY a",
        "SELECT a, MIN(c) FROM l GROUP BY a ORDER BY a",
        "SELECT a, MAX(c) - MIN(c), MAX(c) FROM l GROUP BY a HAVING MAX(c) > 10 ORDER BY a",
        "SELECT LOWER(b), MAX(d) FROM l GROUP BY b ORDER BY 1",
        "SELECT LOWER(b), MIN(d) FROM l GROUP BY b ORDER BY 1",
        "SELECT a % 2, MAX(c) FROM l GROUP BY a % 2 ORDER BY 1",
        "SELECT a, MAX(c) FROM l WHERE a BETWEEN 1 AND 4 GROUP BY a ORDER BY a DESC LIMIT 2",
        "SELECT a, MAX(c) FROM l WHERE a = 4 GROUP BY a",
        "SELECT a, MAX(c) FROM l WHERE c < 500 GROUP BY a ORDER BY a",
        "SELECT a, MAX(e), MIN(e) FROM l GROUP BY a ORDER BY a",
        "SELECT a, MAX(c), COUNT(*) FROM l GROUP BY a ORDER BY a",
        "SELECT a, MAX(c) FROM l GROUP BY a WITH ROLLUP",
        "SELECT MIN(c), MAX(c) FROM l WHERE a = 2",
        "SELECT MIN(c), MAX(c), MAX(c) FROM l WHERE a IN (0, 2)",
        "SELECT MIN(c), MAX(c) FROM l WHERE a = 3",
        "SELECT MIN(a), MAX(a) FROM l",
        "SELECT SQL_CALC_FOUND_ROWS DISTINCT a FROM l ORDER BY a LIMIT 2",
    ] {
        for hint in ["", "FORCE INDEX (ac)", "FORCE INDEX (abc)", "FORCE INDEX (bd)"] {
            let hinted = query.replace("FROM l", &format!("FROM l {hint}"));
            let plain = query.replace("FROM l", "FROM l IGNORE INDEX (ac, bd, abc, ae)");
            let expected = run(s, &plain);
            let found = run(s, "SELECT FOUND_ROWS()");
            assert_eq!(run(s, &hinted), expected, "{hinted}");
            assert_eq!(run(s, "SELECT FOUND_ROWS()"), found, "{hinted}");
            let shown = run(s, &format!("EXPLAIN {hinted}"));
            leapt += usize::from(shown.contains("for group-by"));
        }
    }
    assert!(leapt >= 20, "only {leapt} queries leapt");
}

#[test]
fn entries_that_begin_as_the_one_before_give_what_their_rows_hold() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE e (id INT PRIMARY KEY, a INT, b VARBINARY(9), c DATETIME, d VARCHAR(9), \
         KEY k (a, b, c, d), KEY l (d, a, c), UNIQUE KEY u (c, b, a, id))",
    );
    let rows: Vec<String> = (0..600)
        .map(|id| {
            let a = ["NULL", "0", "1", "-1", "2147483647"][id * 7 % 5];
            let b = ["''", "'\\0'", "'\\0\\0'", "'a'", "'ab'", "NULL"][id * 11 % 13 % 6];
            let c = ["'2024-01-01'", "'2024-01-01 00:00:01'", "NULL"][id * 5 % 17 % 3];
            let d = ["''", "'x'", "'X'", "'xy'", "NULL"][id * 3 % 19 % 5];
            format!("({id}, {a}, {b}, {c}, {d})")
        })
        .collect();
    run(s, &format!("INSERT INTO e VALUES {}", rows.join(",")));
    run(s, "SET SESSION rowhouse_executor = 'rows'");
    for columns in ["a", "b", "c", "a, b", "b, c", "a, c", "a, id", "c, id", "b, a, id", "id, c, b"]
    {
        for way in ["", "DISTINCT "] {
            let query = |hint: &str| {
                format!("SELECT {way}{columns} FROM e {hint} WHERE id <> 7 ORDER BY {columns}")
            };
            let by_row = run(s, &query("FORCE INDEX (PRIMARY)"));
            for index in ["k", "l", "u"] {
                let by_entry = query(&format!("FORCE INDEX ({index})"));
                assert_eq!(run(s, &by_entry), by_row, "{by_entry}");
            }
        }
        for more in ["COUNT(*)", "COUNT(*), MIN(d)", "COUNT(*), d"] {
            let query = |hint: &str| {
                format!(
                    "SELECT {columns}, {more} FROM e {hint} WHERE id <> 7 GROUP BY {columns}, d \
                     ORDER BY {columns}, d"
                )
            };
            let by_row = run(s, &query("FORCE INDEX (PRIMARY)"));
            for index in ["k", "l"] {
                let counted = |rows: &str| -> Vec<String> {
                    // Which of 'x' and 'X' stands for both, nothing decides.
                    rows.lines().map(str::to_lowercase).collect()
                };
                let by_entry = query(&format!("FORCE INDEX ({index})"));
                assert_eq!(counted(&run(s, &by_entry)), counted(&by_row), "{by_entry}");
            }
        }
    }
    run(s, "BEGIN");
    run(s, "DELETE FROM e WHERE id % 9 = 4");
    run(s, "INSERT INTO e SELECT id + 1000, a, b, c, d FROM e WHERE id < 50");
    for (index, keys) in [("l", "d"), ("k", "a"), ("l", "d, a"), ("k", "a, b"), ("l", "d, a, c")] {
        for condition in ["1", "d IN ('x', 'xy')", "a IN (0, 1)", "d = 'x' AND a > -5"] {
            let query = |hint: &str| {
                format!(
                    "SELECT COUNT(*), LOWER(d) FROM e {hint} WHERE {condition} GROUP BY {keys} ORDER BY {keys}"
                )
            };
            let query = |hint: &str| {
                if keys.contains('d') {
                    query(hint)
                } else {
                    query(hint).replace(", LOWER(d)", ", a")
                }
            };
            let by_entry = query(&format!("FORCE INDEX ({index})"));
            assert_eq!(run(s, &by_entry), run(s, &query("FORCE INDEX (PRIMARY)")), "{by_entry}");
        }
    }
}

#[test]
fn explain_analyze_runs_the_query_and_shows_what_each_step_came_to() {
    let sql = server();
    let s = &mut session(&sql);
    numbered(s, 50);
    let query = "SELECT a.id, b.v FROM t a JOIN t b ON b.id = a.g + 1 WHERE a.id <= 20";
    let lines = run(s, &format!("EXPLAIN ANALYZE {query}"));
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 3, "{lines:#?}");
    assert!(lines[0].contains(" rows=20 loops=1)"), "{}", lines[0]);
    assert!(
        lines[1].contains("(actual time=") && lines[1].contains(" rows=20 loops=1)"),
        "{}",
        lines[1]
    );
    assert!(lines[2].contains(" rows=1 loops=20)"), "{}", lines[2]);
    let never = "SELECT a.id FROM t a JOIN t b ON b.id = a.g WHERE a.id > 1000";
    assert!(run(s, &format!("EXPLAIN ANALYZE {never}")).contains("(never executed)"));
    assert_eq!(error(s, "EXPLAIN ANALYZE DELETE FROM t"), 1235);
    assert_eq!(run(s, "SELECT COUNT(*) FROM t"), "50");
    run(s, "SET SESSION rowhouse_executor = 'columns'");
    assert!(run(s, &format!("EXPLAIN ANALYZE {query}")).contains("output_rows=20"));
}

#[test]
fn a_derived_table_that_only_filters_was_read_as_a_whole() {
    let sql = server();
    let s = &mut session(&sql);
    numbered(s, 500);
    run(s, "SET SESSION rowhouse_executor = 'rows'");
    for (query, answer, by) in [
        (
            "SELECT x.v FROM (SELECT id, v FROM t WHERE g < 6) x WHERE x.id = 3",
            "21",
            "Row of t by PRIMARY",
        ),
        (
            "SELECT x.id FROM (SELECT y.id, y.g FROM (SELECT * FROM t) y WHERE y.v > 60) x WHERE x.g = 2 AND x.id < 60",
            "9",
            "of t by ",
        ),
        (
            "SELECT a.id, x.v FROM t a LEFT JOIN (SELECT b.id, b.v FROM t b WHERE b.g = 1) x ON x.id = a.id + 1 \
             WHERE a.id IN (7, 8) ORDER BY a.id",
            "7\t56\n8\tNULL",
            "Left join Row of b by PRIMARY",
        ),
        (
            "SELECT COUNT(*) FROM (SELECT a.id AS i, b.id AS j FROM t a JOIN t b ON b.id = a.g) x WHERE x.i = 9 \
             AND EXISTS (SELECT 1 FROM t c WHERE c.id = x.j AND c.v = 14)",
            "1",
            "Row of a by PRIMARY",
        ),
        (
            "SELECT x.g, SUM(x.v), (SELECT MAX(d.id) FROM t d WHERE d.g = x.g) FROM (SELECT g, v FROM t WHERE id < 5) x \
             GROUP BY x.g HAVING x.g > 2 ORDER BY x.g",
            "3\t21\t500\n4\t28\t494",
            "Range of t by PRIMARY",
        ),
    ] {
        assert_eq!(run(s, query), answer, "{query}");
        let plan = run(s, &format!("EXPLAIN FORMAT=TREE {query}"));
        assert!(plan.contains(by) && !plan.contains("Derived"), "{query}\n{plan}");
    }
    // What is computed, ordered or cut stays.
    for query in [
        "SELECT x.c FROM t a LEFT JOIN (SELECT id, 1 AS c FROM t) x ON x.id = a.id + 500 WHERE a.id = 1",
        "SELECT * FROM (SELECT id FROM t ORDER BY v DESC LIMIT 1) x WHERE x.id > 0",
    ] {
        assert!(run(s, &format!("EXPLAIN FORMAT=TREE {query}")).contains("Derived"), "{query}");
    }
    assert_eq!(
        run(
            s,
            "SELECT x.c FROM t a LEFT JOIN (SELECT id, 1 AS c FROM t) x ON x.id = a.id + 500 WHERE a.id = 1"
        ),
        "NULL"
    );
}

/// Literals of more digits than a parameter's type has are compared as what they are.
#[test]
fn long_decimals_compare_alike_in_both_executors() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE d (a DECIMAL(38,2), b DECIMAL(65,0), c DECIMAL(65,30))");
    let nines = |digits: usize| "9".repeat(digits);
    let ones = |digits: usize| "1".repeat(digits);
    for digits in [1, 20, 28, 29, 30, 31, 34, 35] {
        let whole = ones(digits);
        run(s, &format!("INSERT INTO d VALUES ({whole}.91, {whole}, {whole}.{})", ones(30)));
    }
    for digits in [1, 27, 28, 30, 31, 32, 36, 37, 65] {
        for literal in [ones(digits), format!("{}.91", ones(digits.min(63))), nines(digits)] {
            for column in ["a", "b", "c"] {
                for op in ["=", "<", "<=", ">", ">=", "<>", "<=>"] {
                    let query = format!("SELECT COUNT(*) FROM d WHERE {column} {op} {literal}");
                    run(s, "SET SESSION rowhouse_executor = 'rows'");
                    let by_row = run(s, &query);
                    run(s, "SET SESSION rowhouse_executor = 'columns'");
                    assert_eq!(run(s, &query), by_row, "{query}");
                    let listed = format!("SELECT COUNT(*) FROM d WHERE {column} IN (5, {literal})");
                    let by_column = run(s, &listed);
                    run(s, "SET SESSION rowhouse_executor = 'rows'");
                    assert_eq!(run(s, &listed), by_column, "{listed}");
                }
            }
        }
    }
}

/// MySQL 9.7 answers so (`tests/oracle/sql/newest.sql`), MariaDB 10.11 gives no row.
#[test]
fn a_rollup_over_no_rows_has_the_sum_over_all() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE e (k INT, v INT)");
    for executor in ["rows", "columns"] {
        run(s, &format!("SET SESSION rowhouse_executor = '{executor}'"));
        let rolled_up = "SELECT k, COUNT(*), SUM(v) FROM e WHERE v > 1 GROUP BY k WITH ROLLUP";
        assert_eq!(run(s, rolled_up), "NULL\t0\tNULL", "{executor}");
    }
    run(s, "INSERT INTO e VALUES (1, 2), (1, 3), (2, NULL), (3, 4)");
    for executor in ["rows", "columns"] {
        run(s, &format!("SET SESSION rowhouse_executor = '{executor}'"));
        let rolled_up = "SELECT k, COUNT(*), SUM(v) FROM e WHERE v > 1 GROUP BY k WITH ROLLUP";
        assert_eq!(run(s, rolled_up), "1\t2\t5\n3\t1\t4\nNULL\t3\t9", "{executor}");
    }
}

/// Aggregates of different values, alone and beside others, over groups and over everything.
#[test]
fn different_values_are_aggregated_alike_in_both_executors() {
    let sql = server();
    let s = &mut session(&sql);
    numbered(s, 3000);
    for query in [
        "SELECT g, COUNT(DISTINCT v), COUNT(*), COUNT(v), SUM(v), MIN(id), MAX(at) FROM t GROUP BY g \
         ORDER BY g",
        "SELECT g, SUM(DISTINCT v), COUNT(DISTINCT v) FROM t GROUP BY g ORDER BY g",
        "SELECT g % 2, COUNT(DISTINCT CONCAT('x', v)), AVG(v) FROM t GROUP BY g % 2 ORDER BY 1",
        "SELECT g, COUNT(DISTINCT v), COUNT(DISTINCT at) FROM t GROUP BY g ORDER BY g",
        "SELECT COUNT(DISTINCT v), COUNT(*) FROM t WHERE id < 0",
        "SELECT g, COUNT(DISTINCT v) FROM t WHERE id < 0 GROUP BY g",
        "SELECT g, COUNT(DISTINCT v) FROM t GROUP BY g HAVING SUM(v) > 100 ORDER BY 2 DESC, 1 LIMIT 3",
        "SELECT g, COUNT(DISTINCT v) FROM t GROUP BY g WITH ROLLUP",
        "SELECT v, COUNT(DISTINCT g), SUM(id / 3) FROM t GROUP BY v ORDER BY v",
        "SELECT g, v % 3 r, COUNT(DISTINCT v), SUM(DISTINCT id), COUNT(*) FROM t GROUP BY g, r \
         WITH ROLLUP",
        "SELECT CONCAT('a', g) x, v % 3 r, COUNT(DISTINCT at), MAX(id) FROM t GROUP BY x, r \
         WITH ROLLUP",
        "SELECT g, COUNT(DISTINCT v) FROM t WHERE id < 0 GROUP BY g WITH ROLLUP",
    ] {
        run(s, "SET SESSION rowhouse_executor = 'rows'");
        let by_row = run(s, query);
        run(s, "SET SESSION rowhouse_executor = 'columns'");
        assert_eq!(run(s, query), by_row, "{query}");
    }
}

#[test]
fn literals_unlike_those_that_a_plan_was_made_with_are_answered_alike_however_often_they_change() {
    let sql = server();
    let s = &mut session(&sql);
    numbered(s, 3000);
    let query = |last: u32| {
        format!("SELECT COUNT(*), SUM(b.v) FROM t a JOIN t b ON a.g = b.g WHERE a.id < {last}")
    };
    run(s, "SET SESSION rowhouse_executor = 'columns'");
    let expected = [3, 1000].map(|last| run(s, &query(last)));
    run(s, "SET SESSION rowhouse_executor = 'auto'");
    let made = || sql.counters().plans_made.get();
    // Some 400 rows for each of `a`, so that 1000 of these are given up by a plan for two.
    for (round, last) in [3, 1000, 1000, 1000, 1000, 3, 3, 3, 3, 1000, 3].into_iter().enumerate() {
        let before = made();
        assert_eq!(run(s, &query(last)), expected[usize::from(last == 1000)], "{round}");
        assert!(round == 0 || made() == before, "the shape's plan stays");
    }
}

#[test]
fn texts_that_two_queries_share_are_found_alike_in_both_executors() {
    let sql = server();
    let s = &mut session(&sql);
    numbered(s, 3000);
    let text = |of: &str| format!("SELECT {of} x, CONCAT('Text ', v % 20) y FROM t");
    let sides = [
        (text("g"), text("id % 9")),
        (text("v"), "SELECT v x, UPPER(CONCAT('text ', v % 20)) y FROM t".into()),
        ("SELECT v, v * 0e0 FROM t".into(), "SELECT g, g * -0e0 FROM t WHERE id < 90".into()),
        ("SELECT CONCAT('a', v) FROM t".into(), "SELECT CONCAT('A', g, ' ') FROM t".into()),
        ("SELECT BINARY CONCAT('a', v) FROM t".into(), "SELECT CONCAT('A', g) FROM t".into()),
    ];
    for (left, right) in sides {
        for operator in ["INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"] {
            let asked = format!("{left} {operator} {right}");
            let columns = if left.contains(" y ") { "LOWER(y), x" } else { "*" };
            let query = match columns {
                "*" => format!("{asked} ORDER BY 1"),
                columns => format!("SELECT {columns} FROM ({asked}) q ORDER BY 1, 2"),
            };
            run(s, "SET SESSION rowhouse_executor = 'rows'");
            let by_row = run(s, &query);
            run(s, "SET SESSION rowhouse_executor = 'columns'");
            assert_eq!(run(s, &query), by_row, "{query}");
        }
    }
}

#[test]
fn found_rows_forgot_those_that_offset_passed_over() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE t (a INT PRIMARY KEY, b INT)");
    run(s, "INSERT INTO t VALUES (1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3)");
    for (query, found) in [
        ("SELECT a FROM t LIMIT 2, 2", 4),
        ("SELECT a FROM t LIMIT 10, 2", 6),
        ("SELECT b FROM t ORDER BY b DESC LIMIT 1, 2", 3),
        ("SELECT b, COUNT(*) FROM t GROUP BY b LIMIT 2, 5", 3),
        ("SELECT a FROM t WHERE a = 3 LIMIT 1, 1", 1),
        ("SELECT a FROM t WHERE a > 2 LIMIT 0", 0),
        ("SELECT a FROM t FOR UPDATE", 6),
        ("SELECT a FROM t ORDER BY a LIMIT 1, 2 FOR UPDATE", 3),
        ("SELECT 1 LIMIT 1, 1", 1),
        ("SELECT a FROM t UNION SELECT b FROM t LIMIT 1, 2", 3),
        ("SELECT SQL_CALC_FOUND_ROWS a FROM t UNION ALL SELECT b FROM t LIMIT 2", 12),
        (
            "SELECT SQL_CALC_FOUND_ROWS a FROM t UNION ALL SELECT b FROM t ORDER BY 1 LIMIT 20, 3",
            12,
        ),
    ] {
        run(s, query);
        assert_eq!(run(s, "SELECT FOUND_ROWS()"), found.to_string(), "{query}");
    }
}
