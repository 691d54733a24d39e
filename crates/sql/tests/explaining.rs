//! EXPLAIN of queries over several tables: MySQL's columns, a line for each table in the order of
//! joining, then derived tables and sub-queries.

use crate::harness::{run, server, session};
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
