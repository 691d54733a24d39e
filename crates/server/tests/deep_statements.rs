//! Statements that are long chains: each is answered or refused, and the server lives on. A chain
//! of UNION within an INSERT, and `s REGEXP s REGEXP ..`, once ended it by a stack that overflowed.
//!
//! Not here: how deep a statement may nest (`syntax::depth`).

use crate::memory::server_with_database;
use crate::mysql::{Failure, Mysql};

/// Links of a chain: that are taken, about as many as may be, and far too many.
const LENGTHS: [usize; 5] = [200, 390, 990, 4_900, 30_000];

/// An expression, by how often its link is repeated.
fn expressions(n: usize) -> Vec<String> {
    let behind = |first: &str, link: &str| format!("{first}{}", link.repeat(n));
    let around = |open: &str, close: &str| format!("{}1{}", open.repeat(n), close.repeat(n));
    vec![
        behind("1", " IS NULL"),
        behind("1", " IS TRUE"),
        behind("1", " IN (1)"),
        behind("1", " NOT IN (1)"),
        behind("'a'", " LIKE 'a'"),
        behind("'a'", " REGEXP 'a'"),
        behind("'a'", " SOUNDS LIKE 'a'"),
        behind("'a'", " COLLATE utf8mb4_bin"),
        behind("1", " BETWEEN 0 AND 1"),
        behind("1", " MEMBER OF ('[1]')"),
        behind("1", " + 1"),
        behind("1", " XOR 1"),
        behind("1", " = 1"),
        behind("1", " OR v = 1"),
        behind("1", " AND v = 1"),
        behind("(v = 1)", " OR (v = 1 AND id = 2)"),
        behind("NOW()", " + INTERVAL 1 DAY"),
        around("NOT ", ""),
        around("- ", ""),
        around("BINARY ", ""),
        around("COALESCE(", ")"),
        around("(", ")"),
        around("CASE ", " WHEN 1 THEN 1 END"),
        around("(SELECT ", ")"),
    ]
}

fn statements(n: usize) -> Vec<String> {
    let mut statements = Vec::new();
    for expression in expressions(n) {
        statements.push(format!("SELECT {expression} FROM t"));
        statements.push(format!("UPDATE t SET v = v WHERE {expression}"));
        statements.push(format!("DELETE FROM t WHERE v = 7 AND ({expression})"));
        statements.push(format!("CREATE TABLE made (v INT, id INT, CHECK ({expression}))"));
    }
    for operator in ["UNION ALL", "UNION", "EXCEPT", "INTERSECT"] {
        let chain = format!("SELECT 1, 2{}", format!(" {operator} SELECT 3, 4").repeat(n));
        statements.push(format!("INSERT IGNORE INTO t {chain}"));
        statements.push(format!("REPLACE INTO t {chain}"));
        statements.push(format!("CREATE OR REPLACE VIEW seen (a, b) AS {chain}"));
        statements.push(format!("WITH q (a, b) AS ({chain}) SELECT COUNT(*) FROM q"));
        statements.push(format!("PREPARE p FROM '{chain}'"));
        statements.push(format!("EXPLAIN {chain}"));
        statements.push(chain);
    }
    statements.push(format!("{}SELECT 1", "EXPLAIN ".repeat(n)));
    statements.push(format!("{}SELECT 1", "SET STATEMENT max_statement_time = 9 FOR ".repeat(n)));
    statements.push(format!("SELECT 1 FROM t{}", " NATURAL JOIN t".repeat(n)));
    statements
}

#[test]
fn long_chains_ended_the_server_and_are_answered_or_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let (server, mut sql) = server_with_database(directory.path(), "--memory=256MiB");
    sql.query("USE d").expect("used");
    sql.query("CREATE TABLE t (id INT PRIMARY KEY, v INT)").expect("made");
    let mut taken = 0;
    for n in LENGTHS {
        for statement in statements(n) {
            let shown = &statement[..statement.len().min(60)];
            match sql.query(&statement) {
                Ok(_) => taken += 1,
                Err(Failure::Error { .. }) => {}
                Err(gone) => panic!("{n}: {shown}: {gone}"),
            }
        }
        sql.query("DROP TABLE IF EXISTS made").expect("dropped");
    }
    let mut other = Mysql::login(server.connect("mysql")).expect("the server is there");
    assert_eq!(other.query("SELECT 1").expect("answered"), [[Some("1".to_owned())]]);
    // Most of the short ones.
    assert!(taken > statements(1).len() / 2, "{taken}");
    let union = format!("SELECT 1{}", " UNION ALL SELECT 2".repeat(900));
    let rows = format!("SELECT COUNT(*) FROM ({union}) q");
    assert_eq!(other.query(&rows).expect("answered"), [[Some("901".to_owned())]]);
    let long =
        format!("SELECT COUNT(*) FROM d.t WHERE {}", vec!["(id = 1 AND v = 9)"; 3000].join(" OR "));
    assert_eq!(other.query(&long).expect("answered"), [[Some("0".to_owned())]]);
}
