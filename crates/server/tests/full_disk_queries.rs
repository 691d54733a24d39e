//! Queries whose temporary files fill the disk: recursions, sets of keys, sorts and groups end with
//! error 1021, leave no file, and the server serves on.

use std::path::Path;

use crate::loads::{files_in, login, one};
use crate::mysql::{Failure, Mysql};
use crate::support::{Running, wait_until};
use faults::on_small_disk;

const DISK: &str = "ROWHOUSE_TEST_FULL_DISK_QUERIES";
const DISK_MEGABYTES: usize = 192;

/// Each needs several times the disk.
const QUERIES: [&str; 5] = [
    // Rows of a recursion, for a query in this executor and for one around it.
    "WITH RECURSIVE r (i, s) AS (SELECT 1, CAST(REPEAT('x', 1000) AS CHAR(1000)) UNION ALL \
     SELECT i + 1, s FROM r WHERE i < 2000000) SELECT COUNT(*) FROM r a WHERE s > ''",
    // The set of those that were met.
    "WITH RECURSIVE r (i, s) AS (SELECT 1, CAST(REPEAT('x', 100) AS CHAR(100)) UNION \
     SELECT i + 1, s FROM r WHERE i < 5000000) SELECT COUNT(*) FROM r",
    // The set of an IN.
    "SELECT SUM(s IN (SELECT CONCAT(a.id, '-', b.id, '-', c.id, REPEAT('k', 100)) FROM d.t a, d.t b, d.t c WHERE c.id < 5)) FROM d.t",
    "SELECT a.s, b.s FROM d.t a, d.t b ORDER BY b.s, a.s",
    "SELECT COUNT(DISTINCT a.s, b.s) FROM d.t a, d.t b",
];

/// The child's part of the test below; without the environment, nothing.
#[test]
fn a_child_asks_for_more_than_its_small_disk_holds() {
    let Ok(disk) = std::env::var(DISK) else { return };
    let data = Path::new(&disk).join("data");
    let server = Running::start(&data, &["--durability=os", "--memory=64MiB"]);
    let mut sql = login(&server);
    for statement in [
        "CREATE DATABASE d",
        "CREATE TABLE d.t (id INT PRIMARY KEY AUTO_INCREMENT, s VARCHAR(400))",
        "INSERT INTO d.t (s) SELECT CONCAT(value, REPEAT('t', 300)) FROM (WITH RECURSIVE r AS \
         (SELECT 1 value UNION ALL SELECT value + 1 FROM r WHERE value < 1000) SELECT * FROM r) x",
        "SET cte_max_recursion_depth = 4294967295",
    ] {
        sql.query(statement).unwrap();
    }
    for query in QUERIES {
        match sql.query(query) {
            Err(Failure::Error { number: 1021, .. }) => {}
            Err(other) => panic!("{query}: {other}\n{}", server.log()),
            Ok(rows) => panic!("{query}: the disk must run full: {rows:?}"),
        }
        wait_until("temporary files to go", || files_in(&data.join("tmp")) == 0);
        assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.t"), "1000");
        serves_on(&mut sql);
    }
    assert_eq!(server.stop().code(), Some(0));
}

/// A write, and a query that needs few files.
fn serves_on(sql: &mut Mysql) {
    assert_eq!(sql.execute("INSERT INTO d.t VALUES (5000, 'one more')").unwrap(), 1);
    assert_eq!(sql.execute("DELETE FROM d.t WHERE id = 5000").unwrap(), 1);
    let steps = "WITH RECURSIVE r AS (SELECT 1 i UNION SELECT i + 1 FROM r WHERE i < 50000)";
    assert_eq!(one(sql, &format!("{steps} SELECT COUNT(*) FROM r")), "50000");
}

#[test]
fn a_query_that_fills_the_disk_ends_with_1021_and_leaves_nothing() {
    on_small_disk(
        &format!("size={DISK_MEGABYTES}m"),
        DISK,
        "a_child_asks_for_more_than_its_small_disk_holds",
    );
}
