//! ORDER BY with LIMIT over a join: rows are sorted before they are joined, and no other rows come
//! of it than if they were joined first.

use crate::harness::{run, server, session};
use sql::Session;

const ROWS: usize = 4_000;
/// More than a kilobyte a row: they are not all kept at once.
const TEXT: usize = 1_000;

/// `o` with rows of which many sort alike; `u` has every third of those that `o` names, `p` some.
fn fill(session: &mut Session) {
    run(
        session,
        "CREATE TABLE o (id INT PRIMARY KEY, k INT, u INT NOT NULL, s TEXT, KEY k (k), KEY u (u))",
    );
    run(session, "CREATE TABLE u (id INT PRIMARY KEY, name VARCHAR(20))");
    run(session, "CREATE TABLE p (id INT PRIMARY KEY, u INT, n INT, KEY u (u))");
    for first in (0..ROWS).step_by(500) {
        let row = |id: usize| {
            let k = match id % 37 {
                0 => "NULL".to_owned(),
                _ => (id * 7919 % 211).to_string(),
            };
            format!("({id}, {k}, {}, '{}')", id * 31 % 500, "x".repeat(TEXT))
        };
        let rows = (first..first + 500).map(row).collect::<Vec<_>>().join(",");
        run(session, &format!("INSERT INTO o VALUES {rows}"));
    }
    let rows = (0..500).step_by(3).map(|id| format!("({id}, 'u{id}')")).collect::<Vec<_>>();
    run(session, &format!("INSERT INTO u VALUES {}", rows.join(",")));
    let rows = (0..300).map(|id| format!("({id}, {}, {})", id * 17 % 200, id % 9));
    run(session, &format!("INSERT INTO p VALUES {}", rows.collect::<Vec<_>>().join(",")));
}

/// The lines of an answer, each in two parts: so many columns that it is sorted by, and the others.
fn sorted(session: &mut Session, query: &str, keys: usize) -> Vec<(String, String)> {
    let answer = run(session, query);
    let parts = answer.lines().map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        (cells[..keys].join(" "), cells[keys..].join(" "))
    });
    parts.collect()
}

#[test]
fn a_limit_cuts_what_would_come_without_it() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    for (columns, from) in [
        ("o.id, u.name", "o JOIN u ON u.id = o.u WHERE o.id > 5"),
        ("o.id, u.name", "o LEFT JOIN u ON u.id = o.u WHERE o.k <> 7"),
        (
            "o.id, p.id",
            "o JOIN u ON u.id = o.u LEFT JOIN p ON p.u = u.id AND p.n < 4 WHERE o.id % 5 <> 0",
        ),
        (
            "o.id, u.name, p.n",
            "o LEFT JOIN (u JOIN p ON p.u = u.id) ON u.id = o.u WHERE p.n IS NULL OR p.n > 6",
        ),
        (
            "o.id, p.id",
            "o LEFT JOIN p ON p.u = o.u \
             WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.id = o.u AND p.n > 1)",
        ),
        ("o.id", "o STRAIGHT_JOIN u ON u.id = o.u AND u.name LIKE '%7%' WHERE o.s LIKE 'x%'"),
        (
            "o.id, u.name",
            "(SELECT DISTINCT k, u, k + u AS id FROM o WHERE k < 40) o JOIN u ON u.id = o.u \
             WHERE o.k > 3",
        ),
    ] {
        for (keys, order) in [
            ("o.k", "1"),
            ("o.k", "1 DESC"),
            ("o.k % 10, o.k", "1, 2 DESC"),
            ("o.u - o.k", "1"),
            ("o.k IS NULL, o.u", "1 DESC, 2"),
        ] {
            let count = keys.split(',').count();
            let query = format!("SELECT {keys}, {columns} FROM {from} ORDER BY {order}");
            let all = sorted(session, &query, count);
            assert!(all.len() > 100, "{query}");
            for (limit, offset) in [(1, 0), (7, 0), (50, 3), (300, 250), (100_000, 2)] {
                let query = format!("{query} LIMIT {limit} OFFSET {offset}");
                let cut = sorted(session, &query, count);
                let keys = |rows: &[(String, String)]| -> Vec<String> {
                    rows.iter().map(|(key, _)| key.clone()).collect()
                };
                let expected = &all[offset.min(all.len())..all.len().min(offset + limit)];
                assert_eq!(keys(&cut), keys(expected), "{query}");
                // Of rows that sort alike any may come, but each once.
                let mut left = all.clone();
                left.sort_unstable();
                for row in cut {
                    let at = left.binary_search(&row);
                    left.remove(at.unwrap_or_else(|_| panic!("{row:?} of {query}")));
                }
            }
        }
    }
}

#[test]
fn no_more_is_joined_than_is_given() {
    let sql = server();
    let session = &mut session(&sql);
    fill(session);
    run(session, "DELETE FROM u");
    run(session, "INSERT INTO u SELECT DISTINCT u, u FROM o");
    let loops = |session: &mut Session, query: &str| -> usize {
        let shown = run(session, &format!("EXPLAIN ANALYZE {query}"));
        let joined = shown.lines().find(|line| line.contains("Join Row of u")).unwrap();
        joined.split("loops=").nth(1).unwrap().trim_end_matches(')').parse().unwrap()
    };
    let from = "FROM o JOIN u ON u.id = o.u WHERE";
    // All of them are kept; then more than are kept at once.
    for (condition, most) in [("o.id < 1000", 5), ("o.id < 4000", 40)] {
        let query =
            format!("SELECT o.id, o.s, u.name {from} {condition} ORDER BY o.u DESC LIMIT 5");
        let loops = loops(session, &query);
        assert!((5..=most).contains(&loops), "{loops}: {query}");
    }
    // What nobody is joined to is passed over.
    run(session, "DELETE FROM u WHERE id >= 490");
    let query = format!("SELECT o.id {from} o.id < 1000 ORDER BY o.u DESC LIMIT 5");
    let passed: usize =
        run(session, "SELECT COUNT(*) FROM o WHERE id < 1000 AND u >= 490").parse().unwrap();
    assert_eq!(loops(session, &query), passed + 5);
}
