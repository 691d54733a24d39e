//! Columns that `*` leaves out, and those that have lost their default; their answers stand next to
//! MySQL's in `tests/oracle/sql/newest.sql`.

use crate::harness::{error, run, server, session};

#[test]
fn an_invisible_column_is_left_out_of_what_names_no_columns() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, hidden INT DEFAULT 7 INVISIBLE, v INT)");
    run(s, "INSERT INTO t VALUES (1, 2)");
    run(s, "INSERT INTO t (id, hidden, v) VALUES (2, 3, 4)");
    assert_eq!(run(s, "SELECT * FROM t ORDER BY id"), "1\t2\n2\t4");
    assert_eq!(run(s, "SELECT * FROM t WHERE id = 2"), "2\t4");
    assert_eq!(run(s, "SELECT hidden FROM t ORDER BY id"), "7\n3");
    assert_eq!(run(s, "SELECT a.*, b.hidden FROM t a JOIN t b USING (id) WHERE id = 2"), "2\t4\t3");
    assert!(run(s, "SHOW CREATE TABLE t").contains("DEFAULT '7' /*!80023 INVISIBLE */"));
    run(s, "ALTER TABLE t ALTER COLUMN hidden SET VISIBLE");
    assert_eq!(run(s, "SELECT * FROM t WHERE id = 2"), "2\t3\t4");
    assert_eq!(error(s, "CREATE TABLE none (a INT INVISIBLE)"), 4028);
}

#[test]
fn zerofill_is_kept_and_shown() {
    let s = &mut session(&server());
    run(
        s,
        "CREATE TABLE t (a INT(5) ZEROFILL DEFAULT 7, b DECIMAL(8,2) ZEROFILL, c TINYINT ZEROFILL)",
    );
    let shown = run(s, "SHOW CREATE TABLE t");
    for line in [
        "`a` int(5) unsigned zerofill DEFAULT '00007'",
        "`b` decimal(8,2) unsigned zerofill DEFAULT NULL",
        "`c` tinyint(3) unsigned zerofill DEFAULT NULL",
    ] {
        assert!(shown.contains(line), "{line} of {shown}");
    }
    assert_eq!(error(s, "INSERT INTO t VALUES (-1, 1, 1)"), 1264);
    run(s, "INSERT INTO t VALUES (42, 1.5, 3)");
    run(s, "CREATE TABLE copy AS SELECT a, b FROM t");
    assert!(run(s, "SHOW CREATE TABLE copy").contains("`b` decimal(8,2) unsigned zerofill"));
    run(s, "CREATE VIEW v AS SELECT * FROM t");
    assert!(run(s, "SHOW COLUMNS FROM v").contains("int(5) unsigned zerofill"));
    run(s, "ALTER TABLE t MODIFY a INT");
    assert!(run(s, "SHOW CREATE TABLE t").contains("`a` int DEFAULT NULL"));
}

#[test]
fn the_text_of_a_number_with_zerofill_has_its_zeros() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, z INT(4) ZEROFILL)");
    run(s, "INSERT INTO t VALUES (1, 12), (2, NULL), (3, 123456)");
    let texts = "SELECT CONCAT(z), LENGTH(z), z LIKE '00%', COALESCE(z, 'x'), z + 0 FROM t";
    let shown = "0012\t4\t1\t0012\t12\nNULL\tNULL\tNULL\tx\tNULL\n123456\t6\t0\t123456\t123456";
    for executor in ["rows", "columns"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        assert_eq!(run(s, &format!("{texts} ORDER BY id")), shown, "{executor}");
        let joined = "SELECT GROUP_CONCAT(z ORDER BY id) FROM t";
        assert_eq!(run(s, joined), "0012,123456", "{executor}");
        let grouped = "SELECT CONCAT(z) FROM t WHERE id = 1 GROUP BY z";
        assert_eq!(run(s, grouped), "0012", "{executor}");
    }
    run(s, "SET rowhouse_executor = 'auto'");
    run(s, "ALTER TABLE t MODIFY z VARCHAR(9)");
    assert_eq!(run(s, "SELECT z FROM t WHERE id = 1"), "0012");
}

#[test]
fn a_column_without_its_default_has_to_be_given_although_it_may_be_null() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, v INT DEFAULT 5)");
    run(s, "ALTER TABLE t ALTER COLUMN v DROP DEFAULT");
    assert_eq!(error(s, "INSERT INTO t (id) VALUES (1)"), 1364);
    run(s, "INSERT IGNORE INTO t (id) VALUES (1)");
    assert_eq!(run(s, "SELECT v IS NULL FROM t"), "1");
    assert!(run(s, "SHOW CREATE TABLE t").contains("`v` int,"));
    run(s, "ALTER TABLE t ALTER COLUMN v SET DEFAULT 6");
    run(s, "INSERT INTO t (id) VALUES (2)");
    assert_eq!(run(s, "SELECT v FROM t WHERE id = 2"), "6");
}
