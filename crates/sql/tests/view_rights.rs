//! Rights and views: whose are asked, and when. Numbers are those that mysqld 9.7 answered to the
//! same statements.

use std::sync::Arc;

use access::AccountName;
use sql::{Session, Sql};

use crate::harness::{answer, error, run, server, session};

fn acting(sql: &Arc<Sql>, user: &str) -> Session {
    let account = AccountName::new(user, "localhost");
    Session::of_account(sql, 2, (user, "localhost"), &account, None).expect("a session")
}

/// A table `d.t`, and a view of ann's on two of its columns, `d.a`.
fn furnished() -> (Arc<Sql>, Session) {
    let sql = server();
    let mut root = session(&sql);
    for statement in [
        "CREATE DATABASE d",
        "CREATE TABLE d.t (id INT PRIMARY KEY, a INT, secret INT)",
        "INSERT INTO d.t VALUES (1, 10, 100), (2, 20, 200)",
        "CREATE USER ann@localhost, bob@localhost",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON d.t TO ann@localhost",
        "CREATE DEFINER = ann@localhost VIEW d.a AS SELECT id, a FROM d.t WHERE a < 1000",
    ] {
        run(&mut root, statement);
    }
    (sql, root)
}

/// The number of an error, or 0 where there is none.
fn number(session: &mut Session, text: &str) -> u16 {
    answer(session, text).map_or_else(|error| error.code().number(), |_| 0)
}

#[test]
fn a_view_is_read_with_its_definers_rights_and_a_change_of_them_holds_for_the_next_statement() {
    let (sql, mut root) = furnished();
    let bob = &mut acting(&sql, "bob");
    let read = "SELECT a FROM d.a WHERE id = 1";
    assert_eq!(error(bob, read), 1142);
    run(&mut root, "GRANT SELECT ON d.a TO bob@localhost");
    // Three times: the plan is kept then.
    for _ in 0..3 {
        assert_eq!(run(bob, read), "10");
    }
    assert_eq!(error(bob, "SELECT a FROM d.t"), 1142);
    assert_eq!(error(bob, "SELECT secret FROM d.a"), 1054);
    run(bob, "PREPARE p FROM 'SELECT COUNT(*), MAX(a) FROM d.a'");
    assert_eq!(run(bob, "EXECUTE p"), "2\t20");
    let binary = bob.prepare(read.as_bytes()).expect("a prepared statement");
    run(&mut root, "REVOKE SELECT ON d.t FROM ann@localhost");
    for session in [&mut *bob, &mut root] {
        assert_eq!(error(session, read), 1356);
    }
    assert_eq!(error(bob, "EXECUTE p"), 1356);
    assert_eq!(error(bob, "SELECT COUNT(*) FROM (SELECT * FROM d.a) x"), 1356);
    assert!(binary.parameters == 0);
    run(&mut root, "GRANT SELECT (id) ON d.t TO ann@localhost");
    assert_eq!(error(bob, "SELECT id FROM d.a"), 1356, "it reads another column, too");
    run(&mut root, "GRANT SELECT (a) ON d.t TO ann@localhost");
    assert_eq!(run(bob, read), "10");
    assert_eq!(run(bob, "EXECUTE p"), "2\t20");
    run(&mut root, "DROP USER ann@localhost");
    assert_eq!(error(bob, read), 1045);
    run(&mut root, "GRANT SUPER ON *.* TO bob@localhost");
    assert_eq!(error(bob, read), 1449);
    assert_eq!(run(&mut root, "SHOW COLUMNS FROM d.a").lines().count(), 2, "they are shown");
}

#[test]
fn an_invokers_view_asks_the_reader_and_within_a_definers_view_that_definer() {
    let (sql, mut root) = furnished();
    let bob = &mut acting(&sql, "bob");
    for statement in [
        "CREATE SQL SECURITY INVOKER VIEW d.i AS SELECT id, a FROM d.t",
        "GRANT SELECT, UPDATE ON d.i TO bob@localhost",
        "CREATE DEFINER = ann@localhost VIEW d.o AS SELECT id FROM d.i",
        "GRANT SELECT ON d.o TO bob@localhost",
    ] {
        run(&mut root, statement);
    }
    assert_eq!(error(bob, "SELECT id FROM d.i"), 1356);
    assert_eq!(error(bob, "SELECT id FROM d.o"), 1356, "ann may not read d.i");
    run(&mut root, "GRANT SELECT ON d.i TO ann@localhost");
    assert_eq!(run(bob, "SELECT id FROM d.o ORDER BY id"), "1\n2");
    run(&mut root, "GRANT SELECT ON d.t TO bob@localhost");
    assert_eq!(run(bob, "SELECT id FROM d.i ORDER BY id"), "1\n2");
    assert_eq!(error(bob, "UPDATE d.i SET a = 1 WHERE id = 1"), 1356);
}

/// Writes through a view: the statement, and what its definer needs on the table.
const WRITES: &[(&str, &str)] = &[
    ("INSERT INTO d.a (id, a) VALUES (3, 30)", "INSERT"),
    ("INSERT INTO d.a VALUES (3, 30)", "INSERT"),
    ("INSERT INTO d.a SELECT 3, 30", "INSERT"),
    ("REPLACE INTO d.a (id, a) VALUES (1, 30)", "INSERT, DELETE"),
    ("INSERT INTO d.a VALUES (1, 3) ON DUPLICATE KEY UPDATE a = 4", "INSERT, UPDATE"),
    ("UPDATE d.a SET a = a + 1 WHERE id = 1", "UPDATE"),
    ("UPDATE d.a SET a = (SELECT 5) WHERE id = 1", "UPDATE"),
    ("DELETE FROM d.a WHERE id = 1", "DELETE"),
];

#[test]
fn a_write_through_a_view_asks_the_writer_on_the_view_and_the_definer_on_the_table() {
    let (sql, mut root) = furnished();
    for (statement, needed) in WRITES {
        let bob = &mut acting(&sql, "bob");
        assert_eq!(error(bob, statement), 1142, "{statement}");
        run(&mut root, &format!("GRANT SELECT, {needed} ON d.a TO bob@localhost"));
        run(bob, "BEGIN");
        assert_eq!(number(bob, statement), 0, "{statement}");
        run(bob, "ROLLBACK");
        for privilege in needed.split(", ") {
            run(&mut root, &format!("REVOKE {privilege} ON d.t FROM ann@localhost"));
            assert_eq!(error(bob, statement), 1356, "{statement} without {privilege}");
            assert_eq!(error(&mut root, statement), 1356, "{statement} without {privilege}");
            run(&mut root, &format!("GRANT {privilege} ON d.t TO ann@localhost"));
        }
        run(&mut root, &format!("REVOKE SELECT, {needed} ON d.a FROM bob@localhost"));
    }
}

#[test]
fn each_view_on_the_way_to_a_table_is_asked_for() {
    let (sql, mut root) = furnished();
    for statement in [
        "CREATE VIEW d.v AS SELECT id, a FROM d.t",
        "CREATE DEFINER = ann@localhost VIEW d.m AS SELECT id, a FROM d.v",
        "GRANT SELECT, UPDATE ON d.m TO bob@localhost",
        "GRANT SELECT ON d.v TO ann@localhost",
        "REVOKE UPDATE ON d.t FROM ann@localhost",
    ] {
        run(&mut root, statement);
    }
    let bob = &mut acting(&sql, "bob");
    let write = "UPDATE d.m SET a = 5 WHERE id = 1";
    assert_eq!(error(bob, write), 1356);
    run(&mut root, "GRANT UPDATE (a) ON d.v TO ann@localhost");
    assert_eq!(number(bob, write), 0);
}

#[test]
fn columns_of_a_view_are_granted_as_those_of_a_table() {
    let (sql, mut root) = furnished();
    run(&mut root, "GRANT SELECT (id), UPDATE (a) ON d.a TO bob@localhost");
    let bob = &mut acting(&sql, "bob");
    assert_eq!(error(bob, "SELECT * FROM d.a"), 1142);
    assert_eq!(run(bob, "SELECT id FROM d.a ORDER BY id"), "1\n2");
    assert_eq!(error(bob, "SELECT a FROM d.a"), 1143);
    assert_eq!(error(bob, "SELECT id FROM d.a WHERE a = 10"), 1143);
    assert_eq!(number(bob, "UPDATE d.a SET a = 12 WHERE id = 1"), 0);
    assert_eq!(error(bob, "UPDATE d.a SET a = 12 WHERE a = 12"), 1143);
    assert_eq!(error(bob, "UPDATE d.a SET id = 12 WHERE id = 12"), 1143);
    assert_eq!(error(bob, "UPDATE d.a SET a = a + 1"), 1143);
    let shown =
        run(bob, "SELECT column_name FROM information_schema.columns WHERE table_name = 'a'");
    assert_eq!(shown.lines().count(), 2, "{shown}");
}

#[test]
fn what_a_view_does_not_show_is_not_told_by_a_statement_that_writes_through_it() {
    let (sql, mut root) = furnished();
    run(&mut root, "GRANT SELECT, INSERT, UPDATE, DELETE ON d.a TO bob@localhost");
    let bob = &mut acting(&sql, "bob");
    for (statement, code) in [
        ("UPDATE d.a SET a = 1 WHERE secret = 100", 1054),
        ("UPDATE d.a SET a = secret", 1054),
        ("DELETE FROM d.a WHERE secret = 100", 1054),
        ("DELETE FROM d.a WHERE id = 1 RETURNING secret", 1054),
        ("INSERT INTO d.a VALUES (5, 5) RETURNING secret", 1054),
        (
            "UPDATE d.a SET a = 1 WHERE EXISTS (SELECT 1 FROM (SELECT 1 AS x) q WHERE secret = 1)",
            1054,
        ),
        ("UPDATE d.a SET a = (SELECT secret FROM (SELECT 1 AS x) q)", 1054),
        ("INSERT INTO d.a VALUES (1, 1) ON DUPLICATE KEY UPDATE a = (SELECT secret)", 1235),
        ("INSERT INTO d.a SELECT id + 10, secret FROM d.t", 1142),
        ("UPDATE d.a SET a = (SELECT MAX(secret) FROM d.t)", 1142),
        ("DELETE FROM d.a WHERE id IN (SELECT id FROM d.t)", 1142),
    ] {
        assert_eq!(error(bob, statement), code, "{statement}");
    }
    assert_eq!(run(bob, "DELETE FROM d.a WHERE id = 2 RETURNING *"), "2\t20");
    assert_eq!(run(bob, "INSERT INTO d.a VALUES (5, 50) RETURNING a, id"), "50\t5");
}

#[test]
fn making_changing_showing_and_explaining_a_view_each_need_their_privilege() {
    let (sql, mut root) = furnished();
    let bob = &mut acting(&sql, "bob");
    let create = "CREATE VIEW d.b AS SELECT id FROM d.t";
    assert_eq!(error(bob, create), 1142);
    run(&mut root, "GRANT CREATE VIEW ON d.* TO bob@localhost");
    assert_eq!(error(bob, create), 1142, "it may not read the table");
    run(&mut root, "GRANT SELECT (id) ON d.t TO bob@localhost");
    assert_eq!(error(bob, "CREATE VIEW d.b AS SELECT id, a FROM d.t"), 1143);
    assert_eq!(error(bob, "CREATE VIEW d.b AS SELECT id FROM d.t WHERE secret = 1"), 1143);
    assert_eq!(error(bob, "CREATE DEFINER = root@localhost VIEW d.b AS SELECT id FROM d.t"), 1227);
    assert_eq!(error(bob, "CREATE DEFINER = x@localhost VIEW d.b AS SELECT id FROM d.t"), 1227);
    run(bob, create);
    assert_eq!(error(bob, "SELECT * FROM d.b"), 1142, "it is not granted to its maker");
    for change in ["CREATE OR REPLACE", "ALTER"] {
        assert_eq!(error(bob, &format!("{change} VIEW d.b AS SELECT id FROM d.t")), 1142);
    }
    assert_eq!(error(bob, "DROP VIEW d.b"), 1142);
    run(&mut root, "GRANT DROP ON d.* TO bob@localhost");
    assert_eq!(error(bob, "ALTER VIEW d.a AS SELECT id FROM d.t"), 1227, "it is ann's");
    run(bob, "ALTER VIEW d.b AS SELECT id FROM d.t");
    for show in ["SHOW CREATE VIEW d.a", "SHOW CREATE TABLE d.a"] {
        run(&mut root, "GRANT SELECT ON d.a TO bob@localhost");
        assert_eq!(error(bob, show), 1142);
        run(&mut root, "GRANT SHOW VIEW ON d.a TO bob@localhost");
        assert_eq!(number(bob, show), 0, "{show}");
        run(&mut root, "REVOKE SHOW VIEW ON d.a FROM bob@localhost");
    }
    let text = "SELECT view_definition FROM information_schema.views WHERE table_name = 'a'";
    assert_eq!(run(bob, text), "");
    run(&mut root, "GRANT SHOW VIEW ON d.a TO bob@localhost");
    assert!(run(bob, text).starts_with("select"));
    run(&mut root, "REVOKE SELECT (id) ON d.t FROM bob@localhost");
    let explains = [
        "EXPLAIN SELECT * FROM d.a",
        "EXPLAIN SELECT a FROM d.a WHERE id = 1",
        "EXPLAIN ANALYZE SELECT * FROM d.a",
    ];
    for explain in explains {
        assert_eq!(error(bob, explain), 1345, "{explain}");
    }
    run(&mut root, "GRANT SELECT ON d.t TO bob@localhost");
    for explain in explains {
        assert_eq!(number(bob, explain), 0, "{explain}");
    }
    run(bob, "DROP VIEW d.b");
    // ALTER VIEW leaves a view to whom it belongs to.
    run(&mut root, "ALTER VIEW d.a AS SELECT id FROM d.t");
    assert!(run(&mut root, "SHOW CREATE VIEW d.a").contains("DEFINER=`ann`@`localhost`"));
    run(&mut root, "CREATE DEFINER = nobody@localhost VIEW d.n AS SELECT 1 AS one");
    assert!(run(&mut root, "SHOW WARNINGS").contains("1449"));
    assert_eq!(error(&mut root, "SELECT * FROM d.n"), 1449);
}

#[test]
fn a_check_option_asks_its_query_with_the_definers_rights() {
    let (sql, mut root) = furnished();
    for statement in [
        "CREATE TABLE d.u (t INT PRIMARY KEY)",
        "INSERT INTO d.u VALUES (1), (3)",
        "GRANT SELECT ON d.u TO ann@localhost",
        "CREATE DEFINER = ann@localhost VIEW d.c AS SELECT id, a FROM d.t \
         WHERE id IN (SELECT t FROM d.u) WITH CHECK OPTION",
        "GRANT SELECT, INSERT, UPDATE ON d.c TO bob@localhost",
    ] {
        run(&mut root, statement);
    }
    let bob = &mut acting(&sql, "bob");
    assert_eq!(error(bob, "SELECT t FROM d.u"), 1142);
    run(bob, "INSERT INTO d.c VALUES (3, 30)");
    assert_eq!(error(bob, "INSERT INTO d.c VALUES (4, 40)"), 1369);
    run(bob, "UPDATE d.c SET a = 31 WHERE id = 3");
    assert_eq!(error(bob, "UPDATE d.c SET id = 5 WHERE id = 3"), 1369);
    run(&mut root, "DELETE FROM d.t WHERE id = 3");
    run(&mut root, "REVOKE SELECT ON d.u FROM ann@localhost");
    assert_eq!(error(bob, "INSERT INTO d.c VALUES (3, 30)"), 1356);
    assert_eq!(error(bob, "UPDATE d.c SET a = 32 WHERE id = 1"), 1356);
}
