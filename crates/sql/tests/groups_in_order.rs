//! Groups by the columns of an index: each is given when the next one begins, so that a LIMIT ends
//! the reading, and there is no table of groups.

use crate::harness::{run, server, session};
use sql::Session;

const ROWS: u32 = 3_000;
/// So many that a long query divides them among threads.
const LONG_ROWS: u32 = 100_000;

/// Numbers and texts, of which some are NULL and some equal without being the same.
fn fill(s: &mut Session) {
    run(
        s,
        "CREATE TABLE t (id INT PRIMARY KEY, k INT, g INT, w VARCHAR(20) COLLATE utf8mb4_general_ci, \
         v INT NOT NULL, KEY kg (k, g), KEY by_w (w), KEY (g))",
    );
    run(s, "CREATE TABLE u (id INT PRIMARY KEY, k INT, KEY (k))");
    let row = |id: u32| {
        let k = id * 7919 % 500;
        let word = ["Ab", "aB", "AB", "ab"][id as usize % 4];
        let k_or_null = if k % 50 == 3 { "NULL".to_owned() } else { k.to_string() };
        format!("({id}, {k_or_null}, {}, '{word}{}', {})", id % 3, k % 40, id % 11)
    };
    let rows: Vec<String> = (0..ROWS).map(row).collect();
    run(s, &format!("INSERT INTO t VALUES {}", rows.join(",")));
    run(s, "INSERT INTO u SELECT id, k FROM t WHERE id % 2 = 0");
}

#[test]
fn groups_in_an_order_are_those_of_a_table_of_groups() {
    let sql = server();
    let s = &mut session(&sql);
    fill(s);
    run(s, "SET sql_mode = ''");
    for query in [
        "SELECT k, COUNT(*) FROM t GROUP BY k ORDER BY k",
        "SELECT k, COUNT(*) FROM t GROUP BY k ORDER BY k LIMIT 7",
        "SELECT k, COUNT(*), SUM(v) FROM t GROUP BY k ORDER BY k DESC LIMIT 3, 9",
        "SELECT k, g, COUNT(*), MAX(id) FROM t GROUP BY k, g ORDER BY k, g LIMIT 20",
        "SELECT g, k, COUNT(*), MIN(v) FROM t GROUP BY g, k ORDER BY k DESC, g DESC LIMIT 20",
        "SELECT k, COUNT(*) c FROM t WHERE k BETWEEN 10 AND 90 GROUP BY k HAVING c > 5 ORDER BY k LIMIT 5",
        "SELECT k, COUNT(*) c FROM t WHERE k > 17 GROUP BY k ORDER BY c DESC, k LIMIT 5",
        "SELECT g, COUNT(*) FROM t WHERE k = 20 GROUP BY g ORDER BY g LIMIT 2",
        "SELECT k, COUNT(*) FROM t WHERE k IN (90, 7, 12, 9) GROUP BY k ORDER BY k DESC",
        // Each key's entries are in the order of g, and are read together.
        "SELECT g, COUNT(*) FROM t FORCE INDEX (kg) WHERE k IN (20, 60, 7) GROUP BY g ORDER BY g",
        "SELECT g, COUNT(*) FROM t FORCE INDEX (kg) WHERE k IN (20, 60, 7) GROUP BY g ORDER BY g DESC",
        "SELECT g, COUNT(*) c FROM t FORCE INDEX (kg) WHERE k IN (20, 60) GROUP BY g HAVING c > 1 ORDER BY g LIMIT 2",
        "SELECT DISTINCT g FROM t FORCE INDEX (kg) WHERE k IN (20, 60, 7) ORDER BY g",
        "SELECT g, MIN(id) FROM t FORCE INDEX (kg) WHERE k IN (20, 60, 7) GROUP BY g ORDER BY g",
        "SELECT LOWER(w), COUNT(*), COUNT(DISTINCT v), GROUP_CONCAT(id ORDER BY id) FROM t GROUP BY w ORDER BY w LIMIT 6",
        "SELECT w = 'ab5', COUNT(*) FROM t WHERE w > 'ab3' GROUP BY w ORDER BY w LIMIT 30",
        "SELECT id, COUNT(*), MAX(v) FROM t GROUP BY id ORDER BY id DESC LIMIT 4",
        "SELECT t.k, COUNT(*), MIN(u.id) FROM t JOIN u ON u.k = t.k GROUP BY t.k ORDER BY t.k LIMIT 5",
        "SELECT t.k, COUNT(u.id) FROM t LEFT JOIN u ON u.id = t.id GROUP BY t.k ORDER BY t.k LIMIT 8",
        "SELECT SUM(c), COUNT(*) FROM (SELECT k, COUNT(*) c FROM t GROUP BY k) x",
        "SELECT k, (SELECT COUNT(*) FROM u WHERE u.k = t.k) FROM t GROUP BY k ORDER BY k LIMIT 9",
        "SELECT DISTINCT k FROM t ORDER BY k LIMIT 12",
        "SELECT DISTINCT k, g FROM t ORDER BY k DESC, g DESC LIMIT 12",
        "SELECT DISTINCT LOWER(w) FROM t ORDER BY LOWER(w) LIMIT 12",
        "SELECT k, g, COUNT(*) FROM t GROUP BY k, g WITH ROLLUP LIMIT 12",
    ] {
        run(s, "SET SESSION rowhouse_executor = 'rows'");
        let by_rows = run(s, query);
        run(s, "SET SESSION rowhouse_executor = 'columns'");
        assert_eq!(by_rows, run(s, query), "{query}");
    }
    run(s, "SET SESSION rowhouse_executor = 'rows'");
    for (query, groups) in [
        ("SELECT SQL_CALC_FOUND_ROWS k FROM t GROUP BY k ORDER BY k LIMIT 2", "491"),
        ("SELECT SQL_CALC_FOUND_ROWS DISTINCT k FROM t ORDER BY k LIMIT 2", "491"),
    ] {
        run(s, query);
        assert_eq!(run(s, "SELECT FOUND_ROWS()"), groups, "{query}");
    }
}

#[test]
fn all_groups_were_made_where_the_first_ones_were_wanted() {
    let sql = server();
    let s = &mut session(&sql);
    fill(s);
    for (query, rows_max) in [
        ("SELECT k, g, COUNT(*) FROM t GROUP BY k, g ORDER BY k, g LIMIT 2", 80),
        ("SELECT k, MAX(g) FROM t WHERE k >= 7 GROUP BY k ORDER BY k LIMIT 2", 30),
        ("SELECT id, SUM(g) FROM t GROUP BY id ORDER BY id DESC LIMIT 5", 6),
        ("SELECT k, COUNT(*) FROM t GROUP BY k LIMIT 2", 80),
        ("SELECT DISTINCT k FROM t ORDER BY k DESC LIMIT 3", 30),
        ("SELECT w, SUM(v) FROM t GROUP BY w ORDER BY w LIMIT 1", 80),
    ] {
        let plan = run(s, &format!("EXPLAIN ANALYZE {query}"));
        let read = plan.lines().last().expect("a scan");
        let actual = read.rsplit_once("(actual ").and_then(|(_, told)| told.split_once("rows="));
        let digits: String =
            actual.expect(read).1.chars().take_while(char::is_ascii_digit).collect();
        let rows: u64 = digits.parse().expect(read);
        assert!(rows <= rows_max, "{query}: {plan}");
        let shown = run(s, &format!("EXPLAIN {query}"));
        assert!(!shown.contains("filesort"), "{query}: {shown}");
        if query.contains("GROUP BY") {
            assert!(!shown.contains("temporary"), "{query}: {shown}");
        }
    }
}

#[test]
fn long_queries_sorted_and_grouped_what_an_index_has_in_order() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE t (id INT PRIMARY KEY, a INT, d DECIMAL(40,2), x TIME NOT NULL, \
         m DATETIME, w VARCHAR(20) COLLATE utf8mb4_general_ci, f DOUBLE, \
         KEY ad (a DESC, d), KEY xm (x, m DESC), UNIQUE KEY u (d, m), KEY (w), KEY (f))",
    );
    for first in (0..LONG_ROWS).step_by(10_000) {
        let row = |id: u32| {
            let or_null =
                |is_null: bool, value: String| if is_null { "NULL".into() } else { value };
            let a = or_null(id.is_multiple_of(97), (id as i64 * 7_919 % 300 - 150).to_string());
            let d = or_null(
                id.is_multiple_of(89),
                format!("{}.{:02}", id as i64 * 31 % 50_000 - 25_000, id % 100),
            );
            let (hour, minute) = (id as i64 * 13 % 1_600 - 800, id % 60);
            let m =
                or_null(id.is_multiple_of(83), format!("'20{:02}-01-01 00:00:{minute}'", id % 100));
            let (word, f) = (["x", "X", "y"][id as usize % 3], [-0.0, 0.0, 1.5][id as usize % 3]);
            format!("({id}, {a}, {d}, '{hour}:{minute:02}:00', {m}, '{word}{}', {f})", id % 7)
        };
        let rows: Vec<String> = (first..first + 10_000).map(row).collect();
        run(s, &format!("INSERT INTO t VALUES {}", rows.join(",")));
    }
    for (query, is_in_order) in [
        ("SELECT a, COUNT(*), MIN(d) FROM t FORCE INDEX (ad) GROUP BY a ORDER BY a DESC", true),
        ("SELECT a, d FROM t FORCE INDEX (ad) ORDER BY a DESC, d, id LIMIT 70000, 30", true),
        (
            "SELECT d, COUNT(*) FROM t FORCE INDEX (ad) WHERE a = 7 GROUP BY d ORDER BY d LIMIT 9",
            true,
        ),
        (
            "SELECT x, MAX(m), COUNT(*) FROM t FORCE INDEX (xm) GROUP BY x ORDER BY x LIMIT 1500, 9",
            true,
        ),
        ("SELECT x, m FROM t FORCE INDEX (xm) ORDER BY x, m DESC LIMIT 80000, 9", true),
        ("SELECT d, m FROM t FORCE INDEX (u) ORDER BY d, m, id LIMIT 60000, 9", true),
        (
            "SELECT COUNT(*), SUM(c) FROM (SELECT d, m, COUNT(*) c FROM t FORCE INDEX (u) GROUP BY d, m) y",
            true,
        ),
        ("SELECT DISTINCT d FROM t FORCE INDEX (u) WHERE d > -17 ORDER BY d LIMIT 1000, 5", true),
        ("SELECT id, COUNT(*) FROM t GROUP BY id ORDER BY id LIMIT 70000, 3", true),
        ("SELECT id, SUM(id) OVER (ORDER BY id) FROM t ORDER BY id LIMIT 70000, 3", true),
        (
            "SELECT a, COUNT(*) FROM t FORCE INDEX (ad) WHERE a IN (3, 90, -7) GROUP BY a ORDER BY a DESC",
            true,
        ),
        // Texts that are equal and not the same, and zeroes of both signs.
        ("SELECT LOWER(MIN(w)), COUNT(*) FROM t FORCE INDEX (w) GROUP BY w ORDER BY w", false),
        ("SELECT f = 0, COUNT(*) FROM t FORCE INDEX (f) GROUP BY f ORDER BY f", false),
    ] {
        run(s, "SET SESSION rowhouse_executor = 'rows'");
        let by_rows = run(s, query);
        run(s, "SET SESSION rowhouse_executor = 'columns'");
        assert_eq!(by_rows, run(s, query), "{query}");
        let plan = run(s, &format!("EXPLAIN {query}"));
        let is_told = !plan.contains("SortExec");
        let groups_told = !plan.contains("gby=[#") || plan.contains("ordering_mode=Sorted");
        if is_in_order {
            assert!(is_told && groups_told, "{query}: {plan}");
        } else {
            assert!(!plan.contains("ordering_mode=Sorted"), "{query}: {plan}");
        }
    }
}
