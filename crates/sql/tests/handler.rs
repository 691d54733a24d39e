//! HANDLER and transactions, KILL, rights that are taken away, and tables that change under it.
//! What it answers beside MySQL 9.7 is `tests/oracle/sql/handler.sql`.

use crate::harness::{answer, error, run, server, session};

#[test]
fn a_read_goes_on_from_its_row_whatever_others_write() {
    let sql = server();
    let (mut own, mut other) = (session(&sql), session(&sql));
    run(&mut own, "CREATE TABLE t (id INT PRIMARY KEY, a INT, KEY (a))");
    run(&mut own, "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)");
    run(&mut own, "HANDLER t OPEN");
    assert_eq!(run(&mut own, "HANDLER t READ a = (20)"), "2\t20");
    run(&mut other, "DELETE FROM t WHERE id = 2");
    run(&mut other, "INSERT INTO t VALUES (4, 25), (5, 15)");
    assert_eq!(run(&mut own, "HANDLER t READ a NEXT"), "4\t25");
    assert_eq!(run(&mut own, "HANDLER t READ a PREV LIMIT 9"), "5\t15\n1\t10");
    run(&mut other, "ALTER TABLE t ADD b INT");
    assert_eq!(error(&mut own, "HANDLER t READ a NEXT"), 1109);
}

#[test]
fn a_read_sees_what_its_transaction_sees() {
    let sql = server();
    let (mut own, mut other) = (session(&sql), session(&sql));
    run(&mut own, "CREATE TABLE t (id INT PRIMARY KEY)");
    run(&mut own, "INSERT INTO t VALUES (1)");
    run(&mut own, "HANDLER t OPEN AS h");
    run(&mut own, "BEGIN");
    assert_eq!(run(&mut own, "HANDLER h READ FIRST LIMIT 9"), "1");
    run(&mut other, "INSERT INTO t VALUES (2)");
    run(&mut own, "INSERT INTO t VALUES (3)");
    assert_eq!(run(&mut own, "HANDLER h READ FIRST LIMIT 9"), "1\n3");
    run(&mut own, "COMMIT");
    assert_eq!(run(&mut own, "HANDLER h READ FIRST LIMIT 9"), "1\n2\n3");
    run(&mut own, "SET TRANSACTION READ ONLY");
    run(&mut own, "BEGIN");
    assert_eq!(run(&mut own, "HANDLER h READ `PRIMARY` LAST"), "3");
    run(&mut own, "COMMIT");
}

#[test]
fn what_is_open_is_the_sessions_own_and_bounded() {
    let sql = server();
    let (mut own, mut other) = (session(&sql), session(&sql));
    run(&mut own, "CREATE TABLE t (id INT PRIMARY KEY)");
    for number in 0..1000 {
        run(&mut own, &format!("HANDLER t OPEN AS h{number}"));
    }
    assert_eq!(error(&mut own, "HANDLER t OPEN"), 1235);
    assert_eq!(error(&mut other, "HANDLER h1 READ FIRST"), 1109);
    run(&mut own, "HANDLER h1 CLOSE");
    run(&mut own, "HANDLER t OPEN");
    let refused = answer(&mut own, "HANDLER t READ FIRST WHERE id = (SELECT 1)");
    assert!(refused.is_err());
}
