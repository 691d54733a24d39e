//! Shapes of statements over more rows than fit into the memory: each ends with its answer, none
//! for want of memory.
//!
//! Not here: many clients at once (`memory`).

use std::path::Path;

use crate::memory::server_with_database;
use crate::mysql::Mysql;
use crate::support::Running;

/// Rows of the table that shapes of statements are over, and the memory beside which they are many.
const SHAPE_ROWS: u64 = 250_000;
const SHAPE_MEMORY: &str = "--memory=256MiB";
/// The same with fewer.
const LITTLE_ROWS: u64 = 100_000;
const LITTLE_MEMORY: &str = "--memory=64MiB";

/// A statement over all rows, and what it answers: the first column of the first row, or how many
/// rows it changes.
type Shape = (&'static str, String);

/// Queries of every shape.
fn shapes_of_queries() -> Vec<Shape> {
    let (all, half) = (SHAPE_ROWS, SHAPE_ROWS / 2);
    let shape = |query: &'static str, answer: u64| (query, answer.to_string());
    vec![
        // Sorts.
        shape("SELECT id FROM t ORDER BY s DESC, id LIMIT 1", all - 1),
        shape("SELECT id FROM t ORDER BY s LIMIT 100000, 1", 100_000),
        shape("SELECT COUNT(*) FROM (SELECT s, id FROM t ORDER BY s, id LIMIT 1000000) q", all),
        // Sets.
        shape("SELECT COUNT(*) FROM (SELECT DISTINCT s FROM t) q", all),
        shape("SELECT COUNT(DISTINCT s) FROM t", all),
        shape("SELECT COUNT(DISTINCT s), COUNT(DISTINCT n) FROM t", all),
        shape("SELECT COUNT(*) FROM (SELECT s FROM t UNION SELECT s FROM u) q", all),
        shape("SELECT COUNT(*) FROM (SELECT s FROM t INTERSECT SELECT s FROM u) q", half),
        shape("SELECT COUNT(*) FROM (SELECT s FROM t EXCEPT SELECT s FROM u) q", half),
        shape("SELECT COUNT(*) FROM (SELECT s FROM t INTERSECT ALL SELECT s FROM u) q", half),
        shape("SELECT COUNT(*) FROM (SELECT s FROM t EXCEPT ALL SELECT s FROM u) q", half),
        shape("SELECT COUNT(*) FROM t WHERE k NOT IN (SELECT id FROM u)", half - 1),
        shape("SELECT COUNT(*) FROM t WHERE id < 5 AND k NOT IN (SELECT id FROM u)", 1),
        shape("SELECT COUNT(*) FROM t WHERE s NOT IN (SELECT s FROM u)", half),
        shape("SELECT COUNT(*) FROM t WHERE s IN (SELECT s FROM u)", half),
        shape("SELECT COUNT(*) FROM t WHERE NOT EXISTS (SELECT * FROM u WHERE u.s = t.s)", half),
        shape("SELECT SUM(k IN (SELECT id FROM u)) FROM t WHERE id < 1000", 500),
        // Groups and rollups.
        shape("SELECT COUNT(*) FROM (SELECT s, COUNT(*), MAX(n) FROM t GROUP BY s) q", all),
        shape(
            "SELECT COUNT(*) FROM (SELECT s, k, COUNT(*) FROM t GROUP BY s, k WITH ROLLUP) q",
            2 * all + 1,
        ),
        shape(
            "SELECT COUNT(*) FROM (SELECT g, COUNT(DISTINCT n) c FROM t GROUP BY g WITH ROLLUP) q",
            11,
        ),
        shape(
            "SELECT MAX(c) FROM (SELECT g, COUNT(DISTINCT s) c FROM t GROUP BY g WITH ROLLUP) q",
            all,
        ),
        shape("SELECT LENGTH(GROUP_CONCAT(n)) > 0 FROM t GROUP BY g ORDER BY g LIMIT 1", 1),
        // Windows.
        shape("SELECT MAX(r) FROM (SELECT ROW_NUMBER() OVER (ORDER BY s) r FROM t) q", all),
        shape(
            "SELECT MAX(r) FROM (SELECT RANK() OVER (PARTITION BY g ORDER BY s) r FROM t) q",
            all / 10,
        ),
        shape(
            "SELECT COUNT(*) FROM (SELECT SUM(n) OVER (PARTITION BY s) x FROM t) q WHERE x >= 0",
            all,
        ),
        shape("SELECT COUNT(l) FROM (SELECT LAG(s) OVER (ORDER BY id) l FROM t) q", all - 1),
        shape(
            "SELECT MAX(m) = 'Text 00249999 of some length' FROM (SELECT MAX(s) OVER (ORDER BY id) m \
             FROM t) q",
            1,
        ),
        shape("SELECT COUNT(l) FROM (SELECT LEAD(s, 125000) OVER (ORDER BY id) l FROM t) q", half),
        shape("SELECT COUNT(l) FROM (SELECT LAG(s, 125000) OVER (ORDER BY s) l FROM t) q", half),
        shape(
            "SELECT SUM(m = 'Text 00249999 of some length') FROM (SELECT MAX(s) OVER () m FROM t) q",
            all,
        ),
        shape(
            "SELECT SUM(x = id DIV 2500 + 1) FROM (SELECT id, NTILE(100) OVER (ORDER BY s) x \
             FROM t) q",
            all,
        ),
        shape(
            "SELECT SUM(ABS(x - id / 249999) < 0.001) FROM (SELECT id, PERCENT_RANK() OVER (ORDER BY s) x \
             FROM t) q",
            all,
        ),
        shape(
            "SELECT SUM(x = (n + 1) / 1000) FROM (SELECT n, CUME_DIST() OVER (ORDER BY n) x \
             FROM t) q",
            all,
        ),
        // Frames that end with the partition.
        shape(
            "SELECT SUM(x = 250000 - id) FROM (SELECT id, COUNT(*) OVER (ORDER BY s ROWS BETWEEN \
             CURRENT ROW AND UNBOUNDED FOLLOWING) x FROM t) q",
            all,
        ),
        shape(
            "SELECT SUM(m = s) FROM (SELECT s, MIN(s) OVER (ORDER BY s ROWS BETWEEN \
             CURRENT ROW AND UNBOUNDED FOLLOWING) m FROM t) q",
            all,
        ),
        shape(
            "SELECT SUM(x = 250 * (1000 - n)) FROM (SELECT n, COUNT(*) OVER (ORDER BY n RANGE \
             BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) x FROM t) q",
            all,
        ),
        shape(
            "SELECT SUM(x = IF(id < 249995, 249995 - id, 0) AND \
             y = IF(id < 7, 250000, 250007 - id)) FROM (SELECT id, \
             COUNT(*) OVER (ORDER BY s ROWS BETWEEN 5 FOLLOWING AND UNBOUNDED FOLLOWING) x, \
             COUNT(*) OVER (ORDER BY s ROWS BETWEEN 7 PRECEDING AND UNBOUNDED FOLLOWING) y \
             FROM t) q",
            all,
        ),
        shape(
            "SELECT SUM(l = 'Text 00249999 of some length' AND f = 'Text 00000000 of some length' \
             AND h = 'Text 00000012 of some length') FROM (SELECT \
             LAST_VALUE(s) OVER w l, FIRST_VALUE(s) OVER w f, NTH_VALUE(s, 13) OVER w h FROM t \
             WINDOW w AS (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)) q",
            all,
        ),
        // The same sort for both, one of them turned round.
        shape(
            "SELECT SUM(h = 'Text 00249987 of some length' AND x >= 0) FROM (SELECT \
             NTH_VALUE(s, 13) OVER (ORDER BY s DESC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED \
             FOLLOWING) h, CUME_DIST() OVER (ORDER BY s) x FROM t) q",
            all,
        ),
        // Joins.
        shape("SELECT COUNT(*) FROM t JOIN u USING (s)", half),
        shape("SELECT COUNT(*) FROM t a JOIN t b USING (s) JOIN t c USING (s)", all),
        shape(
            "SELECT a.id FROM t a JOIN u b USING (s) JOIN t c USING (s) \
             ORDER BY a.s DESC, c.s LIMIT 1",
            all - 2,
        ),
        shape("SELECT COUNT(*) FROM t LEFT JOIN u ON u.s = t.s WHERE u.id IS NULL", half),
        // Recursive ones.
        shape(
            "WITH RECURSIVE r AS (SELECT 1 x UNION ALL SELECT x + 1 FROM r WHERE x < 20000) \
             SELECT COUNT(*) FROM r",
            20_000,
        ),
        shape(
            "WITH RECURSIVE r AS (SELECT id, k FROM t WHERE id < 20000 UNION SELECT t.id, t.k \
             FROM t JOIN r ON t.id = r.k) SELECT COUNT(*) FROM r",
            20_000,
        ),
        shape(
            "WITH RECURSIVE r AS (SELECT 1 x UNION ALL SELECT x + 1 FROM r WHERE x < 1000000) \
             SELECT SUM(x) FROM r",
            500_000_500_000,
        ),
        shape(
            "WITH RECURSIVE r AS (SELECT id, s FROM t UNION SELECT id + 500000, s FROM r \
             WHERE id < 500000) SELECT COUNT(DISTINCT s, id) FROM r",
            2 * all,
        ),
        shape(
            "WITH RECURSIVE r AS (SELECT 1 x UNION ALL SELECT x + 1 FROM r WHERE x < 1000000) \
             SELECT x FROM r ORDER BY x DESC LIMIT 1",
            1_000_000,
        ),
        // Sets with NULL among them, whose answers are asked for where rows are not joined.
        shape("SELECT SUM(s IN (SELECT s FROM u)) FROM t", half),
        shape("SELECT COUNT((s, id) IN (SELECT s, id FROM t WHERE id > 9)) FROM t", all),
    ]
}

/// Changes of all rows, each of which leaves `t` with as many.
fn shapes_of_changes() -> Vec<Shape> {
    let (all, half) = (SHAPE_ROWS, SHAPE_ROWS / 2);
    let shape = |statement: &'static str, changed: u64| (statement, changed.to_string());
    vec![
        shape("UPDATE t SET n = n + 1", all),
        shape("UPDATE t SET n = n - 1 ORDER BY s", all),
        shape("UPDATE t JOIN u USING (s) SET t.n = u.n + 1", half),
        shape(
            "INSERT INTO pairs WITH RECURSIVE r AS (SELECT 1 x UNION ALL SELECT x + 1 FROM r \
             WHERE x < 1000) SELECT a.x, b.x FROM r a, r b",
            1_000_000,
        ),
        shape("INSERT INTO t SELECT id + 1000000, k, g, CONCAT('new ', s), n FROM t", all),
        shape("DELETE FROM t WHERE id >= 1000000 AND s NOT IN (SELECT s FROM u)", all),
        shape("DELETE FROM u WHERE k NOT IN (SELECT id FROM t)", 0),
        shape("REPLACE INTO u SELECT * FROM t WHERE id % 2 = 0 AND id > 0", all - 2),
        shape("CREATE TABLE copied AS SELECT s, COUNT(*) c FROM t GROUP BY s", all),
        shape("ALTER TABLE t ADD INDEX by_s (s)", 0),
        shape("ALTER TABLE t MODIFY n BIGINT, DROP PRIMARY KEY, ADD PRIMARY KEY (s, id)", all),
    ]
}

/// Queries and changes of all rows where there are fewer of them, and less memory.
fn shapes_in_little_memory() -> (Vec<Shape>, Vec<Shape>) {
    let (all, half) = (LITTLE_ROWS, LITTLE_ROWS / 2);
    let shape = |statement: &'static str, answer: u64| (statement, answer.to_string());
    let queries = vec![
        shape("SELECT LENGTH(GROUP_CONCAT(s ORDER BY s DESC)) FROM t", 1024),
        shape("SELECT LENGTH(GROUP_CONCAT(DISTINCT s ORDER BY id)) FROM t", 1024),
        shape("SELECT MAX(x) FROM (SELECT NTILE(100) OVER (ORDER BY s) x FROM t) q", 100),
        shape("SELECT COUNT(l) FROM (SELECT LEAD(s, 50000) OVER (ORDER BY s) l FROM t) q", half),
        shape("SELECT SUM(m > s) FROM (SELECT s, MAX(s) OVER () m FROM t) q", all - 1),
        shape("SELECT COUNT(*) FROM t a JOIN t b USING (s) JOIN t c USING (s)", all),
        shape(
            "WITH RECURSIVE r AS (SELECT id, s, 0 d FROM t WHERE id < 1000 UNION ALL \
             SELECT t.id, t.s, d + 1 FROM t JOIN r ON t.s = r.s WHERE d < 2) \
             SELECT COUNT(*) FROM r",
            3000,
        ),
        shape(
            "WITH RECURSIVE r AS (SELECT id, s FROM t UNION SELECT r.id + 100000, u.s FROM r \
             JOIN u USING (s) WHERE r.id < 100000) SELECT COUNT(*) FROM r",
            all + half,
        ),
    ];
    let changes = vec![
        shape("UPDATE t a JOIN t b USING (s) SET a.n = b.n + 1", all),
        shape("DELETE a FROM t a JOIN u b USING (s)", half),
    ];
    (queries, changes)
}

/// A server with many rows, and a client of it. Of each second row in `t` the text is in `u`, too;
/// of one the key is unknown.
fn server_of_shapes(directory: &Path, memory: &str, all: u64) -> (Running, Mysql) {
    let (server, mut sql) = server_with_database(directory, memory);
    sql.query("USE d").expect("used");
    for table in ["t", "u"] {
        let columns = "id INT PRIMARY KEY, k INT, g INT, s VARCHAR(60), n INT";
        sql.query(&format!("CREATE TABLE {table} ({columns})")).expect("made");
    }
    sql.begin_load("LOAD DATA LOCAL INFILE 'f' INTO TABLE t").expect("begun");
    for first in (0..all).step_by(10_000) {
        let line = |id: u64| {
            let key = if id == 1 { "\\N".to_string() } else { id.to_string() };
            format!("{id}\t{key}\t{}\tText {id:08} of some length\t{}\n", id % 10, id % 1000)
        };
        let piece: String = (first..first + 10_000).map(line).collect();
        sql.send_piece(piece.as_bytes()).expect("sent");
    }
    sql.send_piece(b"").expect("sent");
    sql.result().expect("loaded");
    sql.query("INSERT INTO u SELECT * FROM t WHERE id % 2 = 0").expect("filled");
    sql.query("SET SESSION cte_max_recursion_depth = 10000000").expect("set");
    (server, sql)
}

/// What did not answer as it should.
fn failures(sql: &mut Mysql, queries: Vec<Shape>, changes: Vec<Shape>) -> String {
    let mut failed = Vec::new();
    for (query, answer) in queries {
        match sql.query(query) {
            Ok(rows) if rows[0][0].as_deref() == Some(&answer) => {}
            Ok(rows) => failed.push(format!("{query}: {:?}, not {answer}", rows[0][0])),
            Err(error) => failed.push(format!("{query}: {error}")),
        }
    }
    for (statement, changed) in changes {
        match sql.execute(statement) {
            Ok(rows) if rows.to_string() == changed => {}
            Ok(rows) => failed.push(format!("{statement}: {rows}, not {changed}")),
            Err(error) => failed.push(format!("{statement}: {error}")),
        }
    }
    failed.join("\n")
}

#[test]
fn statements_of_some_shapes_ended_for_want_of_memory_over_many_rows() {
    let directory = tempfile::tempdir().expect("a directory");
    let (_server, mut sql) = server_of_shapes(directory.path(), SHAPE_MEMORY, SHAPE_ROWS);
    sql.query("CREATE TABLE pairs (a INT, b INT)").expect("made");
    assert_eq!(failures(&mut sql, shapes_of_queries(), shapes_of_changes()), "");
}

#[test]
fn statements_of_some_shapes_ended_for_want_of_memory_in_little_of_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let (_server, mut sql) = server_of_shapes(directory.path(), LITTLE_MEMORY, LITTLE_ROWS);
    sql.query("SET SESSION group_concat_max_len = 1024").expect("set");
    let (queries, changes) = shapes_in_little_memory();
    assert_eq!(failures(&mut sql, queries, changes), "");
}
