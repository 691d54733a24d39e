//! DISTINCT is forgotten where unique keys tell that no two rows are equal, and only there; the
//! answers stand next to MariaDB's in `tests/oracle/sql/distinct.sql`.

use crate::harness::{run, server, session};

#[test]
fn rows_that_are_distinct_by_themselves_are_not_compared() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE u (id INT PRIMARY KEY, name VARCHAR(9) NOT NULL UNIQUE, nick INT UNIQUE)");
    run(
        s,
        "CREATE TABLE m (id INT PRIMARY KEY, u INT NOT NULL, g INT NOT NULL, UNIQUE KEY (u, g))",
    );
    run(s, "INSERT INTO u VALUES (1, 'a', NULL), (2, 'b', NULL), (3, 'c', 3)");
    run(s, "INSERT INTO m VALUES (1, 1, 1), (2, 1, 2), (3, 2, 1), (4, 3, 2)");
    let compares = |s: &mut sql::Session, query: &str| {
        run(s, &format!("EXPLAIN SELECT DISTINCT {query}")).contains("Using temporary")
    };
    for query in [
        "u.id, u.nick FROM u JOIN m ON m.u = u.id WHERE m.g = 1",
        "u.name FROM u JOIN m ON u.id = m.u AND m.g = 1",
        "m.id FROM u JOIN m ON u.id = m.u",
        "u.id FROM u LEFT JOIN m ON m.u = u.id AND m.g = 2",
        "x.id FROM u x LEFT JOIN u y ON y.id = x.nick LEFT JOIN u z ON z.id = y.nick",
    ] {
        assert!(!compares(s, query), "{query}");
    }
    for query in [
        "u.id FROM u JOIN m ON m.u = u.id",
        "u.nick FROM u JOIN m ON m.u = u.id WHERE m.g = 1",
        "u.id FROM u LEFT JOIN m ON m.u = u.id AND m.g > 1",
        "u.id FROM u JOIN m ON m.u = u.name WHERE m.g = 1",
        "y.id FROM u x LEFT JOIN u y ON y.id = x.nick",
        "u.id FROM u JOIN m ON m.u = u.id AND m.g = 1 JOIN (SELECT 1 UNION ALL SELECT 1) d",
    ] {
        assert!(compares(s, query), "{query}");
    }
    assert_eq!(run(s, "SELECT DISTINCT u.nick FROM u ORDER BY 1"), "NULL\n3");
}
