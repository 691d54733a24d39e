//! Names that are none: each is refused by the number that MySQL 9.7 has for what bears it.

use crate::harness::{answer, error, run, server, session};

#[test]
fn a_name_that_ends_in_a_space_is_refused_by_the_number_for_what_bears_it() {
    let mut own = session(&server());
    run(&mut own, "CREATE TABLE t (a INT, b INT, KEY (a))");
    for (statement, code) in [
        ("CREATE DATABASE `d `", 1102),
        ("CREATE DATABASE ``", 1102),
        ("CREATE TABLE `u ` (a INT)", 1103),
        ("RENAME TABLE t TO `u `", 1103),
        ("CREATE VIEW `v ` AS SELECT 1", 1103),
        ("CREATE TABLE u (`a ` INT)", 1166),
        ("CREATE TABLE u (`` INT)", 1166),
        ("CREATE TABLE u AS SELECT 1 AS `a `", 1166),
        ("CREATE VIEW v AS SELECT 1 AS `a `", 1166),
        ("CREATE VIEW v (`a `) AS SELECT 1", 1166),
        ("ALTER TABLE t RENAME COLUMN a TO `a `", 1166),
        ("CREATE TABLE u (a INT, KEY `k ` (a))", 1280),
        ("CREATE TABLE u (a INT, UNIQUE KEY `` (a))", 1280),
        ("CREATE INDEX `k ` ON t (b)", 1280),
        ("ALTER TABLE t RENAME INDEX a TO `k `", 1280),
    ] {
        assert_eq!(error(&mut own, statement), code, "{statement}");
    }
    let refused = answer(&mut own, "CREATE TABLE u (`a ` INT)").err();
    let words = refused.map(|error| error.into_message());
    assert_eq!(words.as_deref(), Some("Incorrect column name 'a '"));
}

#[test]
fn a_name_of_65_characters_is_too_long_whatever_bears_it() {
    let mut own = session(&server());
    run(&mut own, "CREATE TABLE p (id INT PRIMARY KEY)");
    let long = "n".repeat(65);
    for statement in [
        format!("CREATE DATABASE {long}"),
        format!("CREATE TABLE {long} (a INT)"),
        format!("CREATE TABLE t ({long} INT)"),
        format!("CREATE TABLE t (a INT, KEY {long} (a))"),
        format!("CREATE TABLE t (a INT, CONSTRAINT {long} CHECK (a > 0))"),
        format!("CREATE TABLE t (a INT, CONSTRAINT {long} FOREIGN KEY (a) REFERENCES p (id))"),
        format!("CREATE VIEW {long} AS SELECT 1"),
    ] {
        assert_eq!(error(&mut own, &statement), 1059, "{statement}");
    }
    let fits = &long[1..];
    run(&mut own, &format!("CREATE TABLE {fits} ({fits} INT, KEY {fits} ({fits}))"));
}

#[test]
fn a_constraint_that_is_no_index_may_have_a_name_that_ends_in_a_space() {
    let mut own = session(&server());
    run(&mut own, "CREATE TABLE p (id INT PRIMARY KEY)");
    run(
        &mut own,
        "CREATE TABLE t (a INT, KEY (a), CONSTRAINT `more than 0 ` CHECK (a > 0), \
         CONSTRAINT `of p ` FOREIGN KEY (a) REFERENCES p (id))",
    );
    let shown = run(&mut own, "SHOW CREATE TABLE t");
    assert!(shown.contains("CONSTRAINT `more than 0 ` CHECK"), "{shown}");
    assert!(shown.contains("CONSTRAINT `of p ` FOREIGN KEY"), "{shown}");
    assert!(answer(&mut own, "INSERT INTO t VALUES (0)").is_err());
    run(&mut own, "ALTER TABLE t DROP CHECK `more than 0 `, ADD CONSTRAINT `` CHECK (a > 1)");
    let shown = run(&mut own, "SHOW CREATE TABLE t");
    assert!(!shown.contains("``"), "{shown}");
    // Its index needs a name, and would have this one.
    let made = "CREATE TABLE u (a INT, CONSTRAINT `of p ` FOREIGN KEY (a) REFERENCES p (id))";
    assert_eq!(error(&mut own, made), 1280);
}

#[test]
fn a_column_of_a_derived_table_could_not_be_named_as_it_was_written() {
    let s = &mut session(&server());
    run(s, "CREATE TABLE t (a INT, b INT)");
    run(s, "INSERT INTO t VALUES (1, 2)");
    for (query, expected) in [
        ("SELECT x.`a+1` FROM (SELECT a+1 FROM t) x", "2"),
        ("SELECT `COUNT(1)` FROM (SELECT COUNT(1) FROM t) x", "1"),
        ("WITH c AS (SELECT a+b FROM t) SELECT c.`a+b` FROM c", "3"),
        ("SELECT `a+1` FROM (SELECT a+1 FROM t UNION SELECT 3) x", "2\n3"),
        ("SELECT x._rowid FROM (SELECT 1 AS _rowid) x", "1"),
    ] {
        assert_eq!(run(s, query), expected, "{query}");
    }
}
