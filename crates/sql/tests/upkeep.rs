//! CHECK TABLE reads what it speaks of; numbers and orders that ALTER TABLE leaves; what SHOW
//! leaves behind.

use rows::store::{Batch, Change, Direction, Durability, Reach};

use crate::harness::{answer, error, run, server, session};
use results::ExecutionMode;

#[test]
fn check_table_finds_an_entry_that_is_gone_and_one_too_many() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, k INT, KEY k (k))");
    run(s, "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)");
    assert_eq!(run(s, "CHECK TABLE t"), "test.t\tcheck\tstatus\tOK");
    let engine = sql.engine();
    let table = engine.catalog().table("test", "t").unwrap();
    let range = table.index_range(1);
    let mut cursor = engine.store().scan(&range, Direction::Forward, Reach::Disk).unwrap();
    assert!(cursor.advance().unwrap());
    let (key, value) = (cursor.entry().0.to_vec(), cursor.entry().1.to_vec());
    drop(cursor);
    let write = |change| {
        engine.store().write(&Batch { changes: vec![change] }, Durability::Os).unwrap();
    };
    write(Change::delete(key.clone()));
    let found = run(s, "CHECK TABLE t EXTENDED");
    assert!(found.contains("entry of index k is missing"), "{found}");
    assert!(found.ends_with("test.t\tcheck\terror\tCorrupt"), "{found}");
    write(Change::put(key.clone(), value.clone()));
    assert_eq!(run(s, "CHECK TABLE t QUICK"), "test.t\tcheck\tstatus\tOK");
    let mut of_no_row = key;
    *of_no_row.last_mut().unwrap() = 9;
    write(Change::put(of_no_row, value));
    let found = run(s, "CHECK TABLE t");
    assert!(found.contains("index k has 4 entries for 3 rows"), "{found}");
}

#[test]
fn a_column_that_begins_to_have_numbers_goes_on_behind_those_that_are_there() {
    let sql = server();
    let s = &mut session(&sql);
    for (rows, mode, found) in [
        ("(1, 1), (2, 2), (3, 3), (NULL, 4), (NULL, 5)", "", "1\n2\n3\n4\n5"),
        ("(0, 1), (0, 2), (5, 3), (NULL, 4)", "", "1\n2\n5\n6"),
        ("(7, 1), (NULL, 2), (3, 3), (NULL, 4)", "", "7\n8\n3\n9"),
        ("(0, 1), (NULL, 2)", "NO_AUTO_VALUE_ON_ZERO", "0\n1"),
    ] {
        run(s, "CREATE TABLE t (a INT, b INT)");
        run(s, &format!("INSERT INTO t VALUES {rows}"));
        run(s, &format!("SET sql_mode = '{mode}'"));
        run(s, "ALTER TABLE t MODIFY a INT AUTO_INCREMENT PRIMARY KEY");
        assert_eq!(run(s, "SELECT a FROM t ORDER BY b"), found, "{rows}");
        run(s, "DROP TABLE t");
    }
    run(s, "CREATE TABLE t (a INT, b INT)");
    run(s, "INSERT INTO t VALUES (2, 1), (NULL, 2), (3, 3)");
    assert_eq!(error(s, "ALTER TABLE t MODIFY a INT AUTO_INCREMENT PRIMARY KEY"), 1062);
    assert_eq!(run(s, "SELECT a FROM t ORDER BY b"), "2\nNULL\n3");
}

#[test]
fn an_update_to_null_asks_for_no_number() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (a INT AUTO_INCREMENT PRIMARY KEY, b INT)");
    run(s, "INSERT INTO t VALUES (1, 1), (2, 2)");
    assert_eq!(error(s, "UPDATE t SET a = NULL WHERE b = 2"), 1048);
    run(s, "SET sql_mode = ''");
    run(s, "UPDATE t SET a = NULL WHERE b = 2");
    assert_eq!(run(s, "SHOW WARNINGS"), "Warning\t1048\tColumn 'a' cannot be null");
    run(s, "UPDATE t JOIN (SELECT 1 AS x) u SET t.a = NULL WHERE b = 2");
    assert_eq!(run(s, "SELECT * FROM t"), "0\t2\n1\t1");
    run(s, "INSERT INTO t VALUES (NULL, 3)");
    assert_eq!(run(s, "SELECT a FROM t WHERE b = 3"), "3");
}

#[test]
fn keys_are_shown_in_mysqls_order_whenever_they_were_made() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE t (a INT PRIMARY KEY, b INT, c INT NOT NULL, d VARCHAR(20) NOT NULL, KEY k (b))",
    );
    run(s, "ALTER TABLE t ADD UNIQUE KEY nulls (b)");
    run(s, "ALTER TABLE t ADD KEY last (c), ADD UNIQUE KEY front (d(3)), ADD UNIQUE KEY whole (c)");
    let keys = |s: &mut _| {
        let lines = run(s, "SHOW INDEX FROM t");
        let name = |line: &str| line.split('\t').nth(2).unwrap().to_owned();
        lines.lines().map(name).collect::<Vec<_>>()
    };
    let order = ["PRIMARY", "whole", "front", "nulls", "k", "last"];
    assert_eq!(keys(s), order);
    let shown = run(s, "SHOW CREATE TABLE t");
    let places: Vec<_> = order[1..].iter().map(|key| shown.find(&format!("`{key}`"))).collect();
    assert!(places.is_sorted() && places[0].is_some(), "{shown}");
}

#[test]
fn what_shows_warnings_has_none_of_its_own() {
    let sql = server();
    let s = &mut session(&sql);
    assert!(answer(s, "DROP TABLE nothing").is_err());
    assert_eq!(s.warning_count(), 1);
    for statement in ["SHOW WARNINGS", "SHOW ERRORS", "SHOW COUNT(*) WARNINGS", "SHOW WARNINGS"] {
        let (reply, _) = s.query(statement.as_bytes(), ExecutionMode::POOL).unwrap();
        assert_eq!(s.warning_count(), 0, "{statement}");
        let shown = crate::harness::shown(s, reply).unwrap();
        assert!(shown.contains("1"), "{statement}: {shown}");
    }
    run(s, "CREATE TABLE t (a INT)");
    run(s, "INSERT INTO t VALUES (1), (2)");
    assert_eq!(run(s, "SELECT ROW_COUNT()"), "2");
    run(s, "DELETE FROM t");
    run(s, "SHOW TABLES");
    assert_eq!(run(s, "SELECT ROW_COUNT()"), "-1");
}

#[test]
fn hints_may_name_a_full_text_index() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (a INT PRIMARY KEY, b TEXT, FULLTEXT KEY words (b))");
    run(s, "INSERT INTO t VALUES (1, 'hello world'), (2, 'other')");
    for hint in ["USE", "FORCE", "IGNORE"] {
        let query =
            format!("SELECT a FROM t {hint} INDEX (words) WHERE MATCH (b) AGAINST ('hello')");
        assert_eq!(run(s, &query), "1", "{hint}");
    }
    assert_eq!(error(s, "SELECT a FROM t USE INDEX (wards)"), 1176);
}

#[test]
fn numbers_go_by_the_sessions_increment_and_offset() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (a INT AUTO_INCREMENT PRIMARY KEY, b INT)");
    run(s, "SET auto_increment_increment = 10, auto_increment_offset = 5");
    run(s, "INSERT INTO t (b) VALUES (1), (2)");
    assert_eq!(run(s, "SELECT LAST_INSERT_ID()"), "5");
    run(s, "INSERT INTO t SELECT NULL, b + 2 FROM t ORDER BY b");
    run(s, "INSERT INTO t VALUES (41, 5), (NULL, 6)");
    assert_eq!(run(s, "SELECT a FROM t ORDER BY b"), "5\n15\n25\n35\n41\n45");
    run(s, "SET auto_increment_increment = DEFAULT, auto_increment_offset = DEFAULT");
    run(s, "INSERT INTO t (b) VALUES (7)");
    assert_eq!(run(s, "SELECT MAX(a) FROM t"), "46");
    // Another session's numbers are its own matter.
    let other = &mut session(&sql);
    run(s, "SET auto_increment_increment = 100");
    run(other, "INSERT INTO t (b) VALUES (8)");
    run(s, "INSERT INTO t (b) VALUES (9)");
    assert_eq!(run(s, "SELECT a FROM t WHERE b > 7 ORDER BY b"), "47\n101");
    run(s, "SET auto_increment_increment = 0");
    assert_eq!(run(s, "SELECT @@auto_increment_increment"), "1");
    assert_eq!(run(s, "SHOW VARIABLES LIKE 'auto_increment_offset'"), "auto_increment_offset\t1");
}
