//! Shapes of statements over a million rows, beside 256 MiB of memory, which hold a part of them:
//! each ends with its answer, none for want of memory; the server stays within a tenth above its
//! setting, and of each nothing is left soon afterwards.
//!
//! Those that have failed before, and one of each other kind, are run always, the others where
//! `ROWHOUSE_SHAPES` is `all` (`make shapes`): some ten minutes.
//!
//! Not here: the same with fewer rows and of further shapes (`shapes_in_memory`), many clients at
//! once (`memory`), statements that are ended (`processes::endings`).

use std::path::Path;

use crate::aftermath::{await_end, figures};
use crate::memory::server_with_database;
use crate::mysql::Mysql;
use crate::support::{Running, peak_mib};

const ROWS: u64 = 1_000_000;
const HALF: u64 = ROWS / 2;
const MEMORY_MIB: u64 = 256;
/// What connections hold among the memory for clients, beyond what they held at first.
const CLIENT_BYTES_BESIDE: u64 = 1 << 20;
/// What a temporary table has in memory of its rows until it is dropped.
const TEMPORARY_BYTES: u64 = 8 << 20;
/// Rows whose texts are those of others in another order.
const PRIME: u64 = 1_000_003;

/// When a shape is run.
#[derive(Clone, Copy, PartialEq)]
enum Runs {
    Always,
    ByHand,
}
use Runs::{Always, ByHand};

/// A statement, and what it answers: the first value, or how many rows it changes.
struct Shape {
    runs: Runs,
    statement: String,
    answer: String,
}

fn shape(runs: Runs, statement: &str, answer: u64) -> Shape {
    Shape { runs, statement: statement.to_owned(), answer: answer.to_string() }
}

/// The number in the text of a row.
fn number_of(id: u64) -> u64 {
    id * 7919 % PRIME
}

fn sets() -> Vec<Shape> {
    let highest = (1..=HALF).map(|half| number_of(2 * half)).max().unwrap_or(0);
    let above = (1..=ROWS).filter(|id| number_of(*id) > highest).count() as u64;
    let count = |runs, condition: &str, answer| {
        shape(runs, &format!("SELECT COUNT(*) FROM t WHERE {condition}"), answer)
    };
    vec![
        count(Always, "s NOT IN (SELECT s FROM u)", HALF),
        count(Always, "g = 4 OR s NOT IN (SELECT s FROM u)", HALF + ROWS / 10),
        count(Always, "s NOT IN (SELECT s FROM u GROUP BY s HAVING COUNT(*) > 0)", HALF),
        count(ByHand, "s NOT IN (SELECT s FROM u UNION SELECT s FROM u)", HALF),
        count(ByHand, "CONCAT(s, '') NOT IN (SELECT CONCAT(s, '') FROM u)", HALF),
        count(ByHand, "(s, id) NOT IN (SELECT s, id FROM u)", HALF),
        // What is NULL is in no set, nor out of one.
        count(Always, "k NOT IN (SELECT k FROM u)", HALF - 1),
        count(ByHand, "s NOT IN (SELECT IF(id = 2, NULL, s) FROM u)", 0),
        count(ByHand, "s NOT IN (SELECT s FROM u WHERE id < 0) AND k IS NULL", 1),
        count(ByHand, "s IN (SELECT s FROM u)", HALF),
        count(ByHand, "s <> ALL (SELECT s FROM u)", HALF),
        count(Always, "s > ALL (SELECT s FROM u)", above),
        count(ByHand, "s <= ANY (SELECT s FROM u)", ROWS - above),
        count(ByHand, "NOT EXISTS (SELECT 1 FROM u WHERE u.s = t.s AND u.g = t.g)", HALF),
        shape(Always, "SELECT SUM(s NOT IN (SELECT s FROM u)) FROM t", HALF),
        shape(ByHand, "SELECT COUNT(*) FROM (SELECT s FROM t UNION SELECT s FROM u) q", ROWS),
        shape(Always, "SELECT COUNT(*) FROM (SELECT s FROM t INTERSECT SELECT s FROM u) q", HALF),
        shape(ByHand, "SELECT COUNT(*) FROM (SELECT s FROM t EXCEPT SELECT s FROM u) q", HALF),
        shape(
            ByHand,
            "SELECT COUNT(*) FROM (SELECT s, g FROM t EXCEPT ALL SELECT s, g FROM u) q",
            HALF,
        ),
        shape(ByHand, "SELECT COUNT(*) FROM (SELECT DISTINCT w, s FROM t) q", ROWS),
        shape(ByHand, "SELECT COUNT(*) FROM by_column WHERE s NOT IN (SELECT s FROM u)", HALF),
        shape(ByHand, "SELECT COUNT(*) FROM seen WHERE x NOT IN (SELECT s FROM u)", HALF),
    ]
}

/// A query of a window function's values, of which `what` is asked.
fn over(runs: Runs, what: &str, function: &str, answer: u64) -> Shape {
    let query = format!("SELECT {what} FROM (SELECT id, g, {function} x FROM t) q");
    shape(runs, &query, answer)
}

fn windows() -> Vec<Shape> {
    let far = "ROWS BETWEEN 400000 PRECEDING AND 400000 FOLLOWING";
    let to_end = "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING";
    let sum = |width: u64| ROWS * (2 * width + 1) - width * (width + 1);
    let hour = "RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND INTERVAL 1 HOUR FOLLOWING";
    vec![
        over(
            Always,
            "SUM(x)",
            "COUNT(*) OVER (ORDER BY id RANGE BETWEEN 100000 PRECEDING AND 100000 FOLLOWING)",
            sum(100_000),
        ),
        over(
            ByHand,
            "SUM(x)",
            "COUNT(*) OVER (ORDER BY d DESC RANGE BETWEEN 25 PRECEDING AND 25 FOLLOWING)",
            sum(100),
        ),
        over(Always, "SUM(x)", &format!("COUNT(*) OVER (ORDER BY moment {hour})"), sum(3600)),
        over(
            Always,
            "SUM(x = LEAST(id + 400000, 1000000))",
            &format!("MAX(id) OVER (ORDER BY id {far})"),
            ROWS,
        ),
        over(Always, "COUNT(DISTINCT x)", &format!("MIN(s) OVER (ORDER BY s {far})"), 600_000),
        over(
            ByHand,
            "COUNT(DISTINCT x)",
            &format!("LAST_VALUE(s) OVER (ORDER BY s {far})"),
            600_000,
        ),
        over(
            ByHand,
            "COUNT(x)",
            &format!("NTH_VALUE(s, 400001) OVER (ORDER BY s DESC {far})"),
            ROWS,
        ),
        over(Always, "COUNT(x)", &format!("AVG(n) OVER (ORDER BY id {far})"), ROWS),
        over(
            ByHand,
            "COUNT(x)",
            "STDDEV(n) OVER (ORDER BY id ROWS BETWEEN 9999 PRECEDING AND CURRENT ROW)",
            ROWS,
        ),
        over(
            ByHand,
            "SUM(x = 1023)",
            "BIT_OR(n) OVER (ORDER BY id ROWS 999 PRECEDING)",
            ROWS - 511,
        ),
        over(
            ByHand,
            "SUM(x = 1000001 - id)",
            &format!("COUNT(*) OVER (ORDER BY id {to_end})"),
            ROWS,
        ),
        over(ByHand, "SUM(x = id)", &format!("FIRST_VALUE(id) OVER (ORDER BY id {to_end})"), ROWS),
        over(
            ByHand,
            "SUM(x = 100000 * (10 - g))",
            "COUNT(*) OVER (ORDER BY g RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)",
            ROWS,
        ),
        over(ByHand, "COUNT(x)", "LAG(s, 500000) OVER (ORDER BY s)", HALF),
        over(ByHand, "COUNT(DISTINCT x)", "NTILE(1000) OVER (ORDER BY s)", 1000),
        over(ByHand, "SUM(x = 0)", "PERCENT_RANK() OVER (ORDER BY s)", 1),
        over(ByHand, "MAX(x)", "SUM(id) OVER (ORDER BY s)", ROWS * (ROWS + 1) / 2),
        over(ByHand, "COUNT(x)", "MAX(s) OVER (ORDER BY g)", ROWS),
        // Functions of the rows so far beside one of all rows.
        shape(
            Always,
            "SELECT MAX(x) FROM (SELECT ROW_NUMBER() OVER w x, SUM(id) OVER w y, LAST_VALUE(s) OVER \
             (w ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) z FROM t \
             WINDOW w AS (ORDER BY s)) q",
            ROWS,
        ),
        shape(
            ByHand,
            "SELECT COUNT(DISTINCT x) FROM (SELECT MIN(s) OVER (ORDER BY s ROWS BETWEEN 400000 \
             PRECEDING AND 400000 FOLLOWING) x FROM by_column) q",
            600_000,
        ),
    ]
}

fn others() -> Vec<Shape> {
    // Of the numbers up to a million, with two bytes between two of them and brackets.
    let digits: u64 = (1..=ROWS).map(|id| id.to_string().len() as u64).sum();
    vec![
        shape(ByHand, "SELECT LENGTH(JSON_ARRAYAGG(id)) FROM t", digits + 2 * ROWS),
        shape(
            Always,
            "SELECT MAX(LENGTH(x)) FROM (SELECT JSON_ARRAYAGG(s) x FROM t GROUP BY id DIV 5) q",
            5 * 32,
        ),
        shape(
            ByHand,
            "SELECT MAX(LENGTH(x)) FROM (SELECT JSON_OBJECTAGG(n, s) x FROM t GROUP BY s) q",
            39,
        ),
        shape(
            ByHand,
            "SELECT MAX(LENGTH(x)) FROM (SELECT GROUP_CONCAT(s ORDER BY id DESC) x FROM t \
             GROUP BY id DIV 5) q",
            5 * 29 - 1,
        ),
        shape(
            Always,
            "SELECT COUNT(*) FROM (SELECT s, COUNT(DISTINCT n) FROM t GROUP BY s WITH ROLLUP) q",
            ROWS + 1,
        ),
        shape(
            ByHand,
            "SELECT MAX(c) FROM (SELECT g, COUNT(DISTINCT s) c FROM t GROUP BY g WITH ROLLUP) q",
            ROWS,
        ),
        shape(
            Always,
            "WITH RECURSIVE r AS (SELECT 1 x UNION ALL SELECT x + 1 FROM r WHERE x < 1000000) \
             SELECT SUM(x) FROM r",
            ROWS * (ROWS + 1) / 2,
        ),
        shape(
            ByHand,
            "WITH RECURSIVE r AS (SELECT 1 x, CAST('a' AS CHAR(100)) s UNION SELECT x + 1, \
             CONCAT('text ', x) FROM r WHERE x < 1000000) SELECT COUNT(DISTINCT s) FROM r",
            ROWS,
        ),
        shape(ByHand, "SELECT COUNT(*) FROM t a JOIN t b ON a.s = b.s", ROWS),
        shape(
            ByHand,
            "SELECT COUNT(*) FROM t a JOIN t b ON CONCAT(a.s, 'x') = CONCAT(b.s, 'x')",
            ROWS,
        ),
        shape(ByHand, "SELECT COUNT(*) FROM t LEFT JOIN u ON t.s = u.s WHERE u.id IS NULL", HALF),
        shape(
            Always,
            "SELECT COUNT(*) FROM (SELECT w, s FROM t ORDER BY w, s LIMIT 499999, 500000) q",
            HALF,
        ),
        shape(ByHand, "SELECT COUNT(*) FROM t WHERE s IN (SELECT MAX(s) FROM t GROUP BY g)", 10),
    ]
}

/// Each leaves the tables that others are over as they were.
fn changes() -> Vec<Shape> {
    vec![
        shape(Always, "CREATE TABLE copy AS SELECT * FROM t", ROWS),
        shape(Always, "DELETE FROM copy WHERE s NOT IN (SELECT s FROM u)", HALF),
        shape(ByHand, "INSERT INTO copy SELECT * FROM t WHERE id % 2", HALF),
        shape(ByHand, "UPDATE copy SET n = n + 1, s = CONCAT(s, 'x')", ROWS),
        shape(ByHand, "UPDATE copy SET n = n - 1 ORDER BY w, s DESC", ROWS),
        shape(
            ByHand,
            "UPDATE copy SET n = 2000 WHERE s NOT IN (SELECT CONCAT(s, 'x') FROM u)",
            HALF,
        ),
        shape(ByHand, "UPDATE copy JOIN u ON copy.id = u.id SET copy.n = u.n + 2000", HALF),
        shape(ByHand, "UPDATE copy SET g = (SELECT MAX(g) + 20 FROM u WHERE u.id = copy.id)", ROWS),
        shape(ByHand, "ALTER TABLE copy ADD PRIMARY KEY (id)", 0),
        shape(ByHand, "ALTER TABLE copy ADD COLUMN extra VARCHAR(50) DEFAULT 'abc'", 0),
        shape(ByHand, "ALTER TABLE copy MODIFY n BIGINT, MODIFY g VARCHAR(20)", ROWS),
        shape(ByHand, "ALTER TABLE copy ADD INDEX by_w (w(100), s), ADD UNIQUE by_s (s)", 0),
        shape(
            ByHand,
            "ALTER TABLE copy CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            ROWS,
        ),
        shape(ByHand, "ALTER TABLE copy DROP COLUMN extra", 0),
        shape(ByHand, "REPLACE INTO copy SELECT * FROM t", 2 * ROWS),
        shape(
            ByHand,
            "INSERT INTO copy SELECT * FROM t ON DUPLICATE KEY UPDATE n = copy.n + 1",
            2 * ROWS,
        ),
        shape(ByHand, "DELETE copy FROM copy JOIN u USING (s)", HALF),
        shape(ByHand, "DELETE FROM copy", HALF),
        shape(ByHand, "CREATE TEMPORARY TABLE mine AS SELECT * FROM t", ROWS),
        shape(ByHand, "UPDATE mine SET n = n + 1", ROWS),
        shape(ByHand, "DELETE FROM mine WHERE s NOT IN (SELECT s FROM u)", HALF),
        shape(ByHand, "DROP TEMPORARY TABLE mine", 0),
        shape(ByHand, "UPDATE by_column SET n = n + 1", ROWS),
        shape(ByHand, "DELETE FROM by_column WHERE s NOT IN (SELECT s FROM u)", HALF),
        shape(ByHand, "ALTER TABLE by_column ENGINE = InnoDB", HALF),
    ]
}

/// A server with `t`, of which every second row is in `u`, a view over it and a copy by column.
fn server_of_rows(directory: &Path) -> (Running, Mysql) {
    let (server, mut sql) = server_with_database(directory, &format!("--memory={MEMORY_MIB}MiB"));
    sql.query("USE d").expect("used");
    for (table, engine) in [("t", "InnoDB"), ("u", "InnoDB"), ("by_column", "COLUMNAR")] {
        let columns = "id INT PRIMARY KEY, k INT, g INT, n INT, d DOUBLE, moment DATETIME, \
                       s VARCHAR(200), w VARCHAR(300)";
        sql.query(&format!("CREATE TABLE {table} ({columns}) ENGINE = {engine}")).expect("made");
    }
    sql.query("CREATE VIEW seen AS SELECT id, CONCAT(s, '') x FROM t").expect("made");
    sql.begin_load("LOAD DATA LOCAL INFILE 'f' INTO TABLE t").expect("begun");
    let wide = "wide ".repeat(20);
    for first in (1..=ROWS).step_by(10_000) {
        let line = |id: u64| {
            let key = if id == 1 { "\\N".to_owned() } else { id.to_string() };
            let (day, hour, minute) = (1 + id / 86_400, id / 3600 % 24, id / 60 % 60);
            let moment = format!("2020-01-{day:02} {hour:02}:{minute:02}:{:02}", id % 60);
            let (g, n, d, number) = (id % 10, id % 1000, id as f64 / 4.0, number_of(id));
            let text = format!("Text {number:08} of some length");
            format!("{id}\t{key}\t{g}\t{n}\t{d}\t{moment}\t{text}\t{wide}{}\n", id % 5000)
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

#[test]
fn statements_over_a_million_rows_ended_for_want_of_memory_or_not_at_all() {
    let directory = tempfile::tempdir().expect("a directory");
    let (server, mut sql) = server_of_rows(directory.path());
    let by_hand = std::env::var("ROWHOUSE_SHAPES").is_ok_and(|which| which == "all");
    if by_hand {
        sql.query("INSERT INTO by_column SELECT * FROM t").expect("filled");
    }
    let mut watcher = Mysql::login(server.connect("mysql")).expect("a session");
    let client_bytes = figures(&server.data_dir)["client_memory_bytes"] + CLIENT_BYTES_BESIDE;
    let queries = [sets(), windows(), others()].into_iter().flatten().map(|shape| (shape, false));
    let all = queries.chain(changes().into_iter().map(|shape| (shape, true)));
    let mut failed = Vec::new();
    for (Shape { statement, answer, .. }, changes) in
        all.filter(|(shape, _)| by_hand || shape.runs == Always)
    {
        let begun = std::time::Instant::now();
        let found = match changes {
            false => sql.query(&statement).map(|rows| rows[0][0].clone().unwrap_or_default()),
            true => sql.execute(&statement).map(|rows| rows.to_string()),
        };
        eprintln!("{:?} {statement}", begun.elapsed());
        match found {
            // Some ways of ALTER count the rows that they copy.
            Ok(found) if found == answer || statement.starts_with("ALTER") => {}
            Ok(found) => failed.push(format!("{statement}: {found}, not {answer}")),
            Err(error) => failed.push(format!("{statement}: {error}")),
        }
        let kept = if statement.contains(" mine") { TEMPORARY_BYTES } else { 0 };
        let kept = if statement.starts_with("DROP") { 0 } else { kept };
        let (_, late) = await_end(&server, &mut watcher, client_bytes + kept);
        failed.extend(late.map(|late| format!("{statement}: {late}")));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    let peak = peak_mib(&server);
    assert!(peak <= MEMORY_MIB * 11 / 10, "{peak} MiB resident, {MEMORY_MIB} allowed");
}
