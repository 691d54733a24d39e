//! EXPLAIN of queries over several tables: MySQL's columns, a line for each table in the order of
//! joining, then derived tables and sub-queries.

use crate::harness::{error, run, server, session};
use sql::Session;

fn fill(session: &mut Session) {
    run(session, "CREATE TABLE a (id INT PRIMARY KEY, k INT NOT NULL, c CHAR(60), KEY k (k))");
    run(session, "CREATE TABLE b (id INT PRIMARY KEY, a INT NOT NULL, s CHAR(9), KEY a (a))");
    let rows = |width: usize| {
        let row = |n: usize| format!("({n}, {}, 'text')", n % width);
        (0..500).map(row).collect::<Vec<_>>().join(",")
    };
    run(session, &format!("INSERT INTO a VALUES {}", rows(50)));
    run(session, &format!("INSERT INTO b VALUES {}", rows(400)));
    run(session, "CREATE TABLE w (id INT PRIMARY KEY, b INT, flag INT, KEY b (b))");
    let row = |n: usize| format!("({n}, {}, {})", n % 3, n % 5);
    let rows: Vec<String> = (0..5000).map(row).collect();
    run(session, &format!("INSERT INTO w VALUES {}", rows.join(",")));
}

/// The cells of EXPLAIN but for `partitions`, `rows` and `filtered`.
fn lines(session: &mut Session, query: &str) -> Vec<String> {
    let shown = run(session, &format!("EXPLAIN {query}"));
    let line = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!(cells.len(), 12, "{line}");
        assert!(cells[9] == "NULL" || cells[9].parse::<u64>().is_ok_and(|rows| rows > 0), "{line}");
        [&cells[..3], &cells[4..9], &cells[11..]].concat().join(" ")
    };
    shown.lines().map(line).collect()
}

#[test]
fn each_table_of_a_join_has_a_line() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    for (query, expected) in [
        (
            "SELECT b.s, a.c FROM b JOIN a ON a.id = b.a WHERE b.id BETWEEN 7 AND 9",
            &[
                "1 SIMPLE b range PRIMARY,a PRIMARY 4 NULL Using index condition",
                "1 SIMPLE a eq_ref PRIMARY PRIMARY 4 test.b.a NULL",
            ][..],
        ),
        (
            "SELECT a.k, COUNT(b.id) FROM a LEFT JOIN b ON b.a = a.id WHERE a.id < 3 \
             GROUP BY a.k ORDER BY 2",
            &[
                "1 SIMPLE a range PRIMARY PRIMARY 4 NULL \
                 Using index condition; Using temporary; Using filesort",
                "1 SIMPLE b ref a a 4 test.a.id Using index",
            ],
        ),
        (
            "SELECT * FROM (SELECT k, COUNT(*) n FROM a WHERE k < 3 GROUP BY k) d JOIN b ON b.id = d.n",
            &[
                "1 PRIMARY <derived2> ALL NULL NULL NULL NULL NULL",
                "1 PRIMARY b eq_ref PRIMARY PRIMARY 4 func NULL",
                "2 DERIVED a range k k 4 NULL Using index",
            ],
        ),
        (
            "SELECT id FROM a WHERE k = 7 AND NOT EXISTS (SELECT 1 FROM b WHERE b.a = a.id)",
            &[
                "1 PRIMARY a ref k k 4 const Using where; Using index",
                "2 DEPENDENT SUBQUERY b ref a a 4 func Using index",
                "3 MATERIALIZED b index NULL a 4 NULL Using index",
            ],
        ),
        // The rows of `w` are all of three of the 500 rows of `b`: those wanted have likely none.
        (
            "SELECT COUNT(*) FROM w JOIN b ON b.id = w.b WHERE w.flag = 2 AND b.a = 77",
            &[
                "1 SIMPLE b ref PRIMARY,a a 4 const Using index",
                "1 SIMPLE w ref b b 5 test.b.id Using where",
            ],
        ),
        (
            "SELECT c FROM a WHERE id = 1 UNION SELECT s FROM b WHERE id = 2",
            &[
                "1 PRIMARY a const PRIMARY PRIMARY 4 const NULL",
                "2 UNION b const PRIMARY PRIMARY 4 const NULL",
                "NULL UNION RESULT <union1,2> NULL NULL NULL NULL NULL ",
            ],
        ),
        (
            "SELECT MAX(id) FROM a",
            &["1 SIMPLE NULL NULL NULL NULL NULL NULL Select tables optimized away"],
        ),
        // Of a statement that writes what a query gives or finds, the query is shown.
        ("UPDATE a JOIN b ON b.a = a.id SET a.c = 1 WHERE b.id = 2", &["1 SIMPLE b", "1 SIMPLE a"]),
        (
            "DELETE FROM a WHERE id = 3 AND k < (SELECT MAX(s) FROM b WHERE b.a = 2)",
            &["1 PRIMARY a", "2 SUBQUERY b"],
        ),
        ("INSERT INTO a (id, k) SELECT id + 9999, 1 FROM b WHERE id = 2", &["1 SIMPLE b const"]),
        ("SELECT 1 UNION ALL SELECT 2 LIMIT 1", &["1 PRIMARY", "2 UNION", "NULL UNION RESULT"]),
    ] {
        let shown = lines(session, query);
        assert_eq!(shown.len(), expected.len(), "{query}\n{shown:#?}");
        for (line, expected) in shown.iter().zip(expected) {
            assert!(line.starts_with(expected), "{query}\n{shown:#?}\n{expected}");
        }
    }
}

/// What stands at a path of the JSON document that explains a query.
fn of_document(session: &mut Session, query: &str, path: &str) -> String {
    run(session, &format!("EXPLAIN FORMAT=JSON INTO @plan {query}"));
    run(session, &format!("SELECT JSON_EXTRACT(@plan, '$.query_block{path}')"))
}

#[test]
fn the_document_of_one_table_says_the_way_and_what_is_asked_of_its_rows() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    let query = "SELECT id, c FROM a WHERE k = 7 AND c LIKE 'te%' AND id + 1 NOT IN (3, 4)";
    for (path, expected) in [
        (".select_id", "1"),
        (".table.table_name", "\"a\""),
        (".table.access_type", "\"ref\""),
        (".table.possible_keys", "[\"k\"]"),
        (".table.key", "\"k\""),
        (".table.used_key_parts", "[\"k\"]"),
        (".table.key_length", "\"4\""),
        (".table.ref", "[\"const\"]"),
        (".table.used_columns", "[\"id\", \"k\", \"c\"]"),
        (
            ".table.attached_condition",
            "\"((`test`.`a`.`c` like 'te%') and ((`test`.`a`.`id` + 1) not in (3,4)))\"",
        ),
        (".nested_loop", "NULL"),
        (".ordering_operation", "NULL"),
    ] {
        assert_eq!(of_document(session, query, path), expected, "{path}");
    }
    let examined = of_document(session, query, ".table.rows_examined_per_scan");
    assert!(examined.parse::<u64>().is_ok_and(|rows| rows > 0), "{examined}");
    assert_eq!(of_document(session, "SELECT 1", ".message"), "\"No tables used\"");
}

#[test]
fn the_document_of_a_join_has_its_tables_within_what_is_done_to_their_rows() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    let query = "SELECT a.k, COUNT(b.id) FROM a JOIN b ON b.a = a.id WHERE a.id < 3 \
                 GROUP BY a.k ORDER BY 2";
    let tables = ".ordering_operation.grouping_operation.nested_loop";
    for (path, expected) in [
        (".ordering_operation.using_filesort".to_owned(), "true"),
        (format!("{tables}[*].table.table_name"), "[\"a\", \"b\"]"),
        (format!("{tables}[0].table.access_type"), "\"range\""),
        (format!("{tables}[1].table.ref"), "[\"test.a.id\"]"),
        (format!("{tables}[1].table.using_index"), "true"),
    ] {
        assert_eq!(of_document(session, query, &path), expected, "{path}");
    }
    let derived = "SELECT * FROM (SELECT k, COUNT(*) n FROM a GROUP BY k) d WHERE n > 3";
    let block = ".table.materialized_from_subquery.query_block";
    assert_eq!(of_document(session, derived, &format!("{block}.select_id")), "2");
    assert_eq!(of_document(session, derived, ".table.table_name"), "\"d\"");
    let within = "SELECT (SELECT MAX(b.s) FROM b WHERE b.a = a.id) FROM a";
    assert_eq!(of_document(session, within, ".select_list_subqueries[0].dependent"), "true");
    let union = "SELECT id FROM a UNION SELECT id FROM b ORDER BY 1";
    assert_eq!(of_document(session, union, ".union_result.table_name"), "\"<union1,2>\"");
    assert_eq!(
        of_document(session, union, ".union_result.query_specifications[*].query_block.select_id"),
        "[1, 2]"
    );
    let update = "UPDATE a SET c = 'x' WHERE id = 1";
    assert_eq!(of_document(session, update, ".table.\"update\""), "true");
    run(session, "SET rowhouse_executor = 'columns'");
    assert_eq!(
        of_document(session, "SELECT SUM(k) FROM a", ".message"),
        "\"The query is run by column\""
    );
}

#[test]
fn formats_that_are_none_and_words_that_do_not_go_together_are_refused() {
    let sql = server();
    let session = &mut session(&sql);
    for (statement, code) in [
        ("EXPLAIN FORMAT=XX SELECT 1", 1791),
        ("EXPLAIN ANALYZE FORMAT=TRADITIONAL SELECT 1", 1235),
        ("EXPLAIN ANALYZE FORMAT=JSON SELECT 1", 6412),
        ("EXPLAIN INTO @v SELECT 1", 6006),
        ("EXPLAIN FORMAT=TREE INTO @v SELECT 1", 6007),
        ("EXPLAIN FOR CONNECTION 4000000", 1094),
        ("EXPLAIN ANALYZE FOR CONNECTION 1", 1235),
        ("SET explain_format = 'xx'", 1231),
        ("SET explain_json_format_version = 2", 1231),
    ] {
        assert_eq!(error(session, statement), code, "{statement}");
    }
    run(session, "SET explain_format = 'json'");
    assert!(run(session, "EXPLAIN SELECT 1").starts_with("{\n  \"query_block\": {"));
    run(session, "SET explain_format = 'tree'");
    assert_eq!(run(session, "EXPLAIN SELECT 1"), "-> One row");
    run(session, "SET explain_format = DEFAULT");
    assert_eq!(run(session, "SELECT @@explain_format"), "TRADITIONAL");
    let own = run(session, "SELECT CONNECTION_ID()");
    assert_eq!(error(session, &format!("EXPLAIN FOR CONNECTION {own}")), 3012);
}

#[test]
fn explain_refused_a_query_with_into() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    let query = "SELECT k FROM a WHERE id = 7";
    let plain = lines(session, query);
    assert_eq!(lines(session, &format!("{query} INTO @k")), plain);
    assert_eq!(lines(session, "SELECT k INTO @k FROM a WHERE id = 7"), plain);
    assert_eq!(run(session, "SELECT @k"), "NULL");
    assert_eq!(error(session, "EXPLAIN SELECT 1 INTO"), 1064);
}
