//! Statements that MariaDB has and MySQL has not. What can be compared with one stands in
//! `tests/oracle/sql/statements.sql`.

use crate::harness::{error, lines, run, server, session};
use results::{ExecutionMode, SqlError};
use sql::Reply;
use values::datum::Datum;

#[test]
fn an_apostrophe_in_a_comment_hid_what_dumps_have_executed() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "-- it's a dump\n# it's\n/*!40101 SET @a='b' */");
    assert_eq!(run(s, "SELECT @a"), "b");
    run(s, "/*M!100616 SET @old=@@note_verbosity, note_verbosity='' */");
    assert_eq!(run(s, "SELECT @old, @@note_verbosity"), "basic,explain\t");
    run(s, "SET sql_mode = 'NO_BACKSLASH_ESCAPES'");
    assert_eq!(run(s, r"SELECT 'a\' /*! , 'b' */"), "a\\\tb");
}

#[test]
fn texts_of_other_character_sets_were_read_as_utf8() {
    let sql = server();
    let s = &mut session(&sql);
    for (expression, value) in [
        ("_latin1 X'E4'", "ä"),
        ("HEX(_latin1 X'E4')", "E4"),
        ("CHAR_LENGTH(_latin1 X'E4')", "1"),
        ("LENGTH(_latin1 X'E4')", "1"),
        ("CHARSET(_latin1 X'E4')", "latin1"),
        ("_latin1'ä'", "Ã¤"),
        ("_cp1251 X'E6'", "ж"),
        ("CHAR(228 USING latin1)", "ä"),
        ("HEX(CONVERT('ä' USING latin1))", "E4"),
        ("CONVERT('ж' USING latin1)", "?"),
        ("CONVERT(X'E4' USING latin1)", "ä"),
        ("HEX(CONVERT('aä' USING utf16))", "006100E4"),
        ("LENGTH(CONVERT('aä' USING utf16))", "4"),
        ("CONVERT('aä' USING utf16)", "aä"),
        ("HEX(CONVERT(12 USING utf16))", "00310032"),
        ("CONVERT(NULL USING latin1)", "NULL"),
        ("CHAR_LENGTH(_utf8mb4 0xD0B1)", "1"),
        ("_utf8mb4 X'D0B1' = 'б'", "1"),
        ("HEX(_utf16 X'E4')", "00E4"),
        ("_utf32 X'41'", "A"),
        ("_utf16le X'E400'", "ä"),
        ("HEX(CAST('ä' AS CHAR(1) CHARACTER SET latin1))", "E4"),
        ("HEX(UPPER(CONVERT('ä' USING latin1)))", "C4"),
        ("MD5(CONVERT('ä' USING latin1))", "c15bcc5577f9fade4b4a3256190a59b0"),
        ("HEX(CONCAT(_latin1 X'E4', _latin1 X'E4'))", "E4E4"),
        ("HEX(CONCAT(_latin1 X'E4', 'ä'))", "C3A4C3A4"),
        ("CAST(_latin1 X'E4' AS BINARY) = X'E4'", "1"),
        ("_latin1 X'C4' = _latin1 X'E4'", "1"),
        ("ORD(CONVERT('ä' USING latin1))", "228"),
    ] {
        assert_eq!(run(s, &format!("SELECT {expression}")), value, "{expression}");
    }
    assert_eq!(error(s, "SELECT _utf8mb4 X'E4'"), 1300);
    run(s, "CREATE TABLE t (a VARCHAR(10), b VARBINARY(10))");
    run(s, "INSERT INTO t VALUES (_latin1 X'E4', _binary'ab'), (_latin1 X'F6', X'00')");
    assert_eq!(run(s, "SELECT a FROM t WHERE a = _latin1 X'E4'"), "ä");
    assert_eq!(run(s, "SELECT HEX(b) FROM t WHERE a <> _latin1 X'E4'"), "00");
    run(s, "DELETE FROM t");
    run(s, "INSERT INTO t VALUES (_latin1 X'E4', _latin1 X'E4')");
    run(s, "INSERT INTO t SELECT 'x', CONVERT('ä' USING latin1)");
    run(s, "INSERT INTO t VALUES ('y', 'ä')");
    assert_eq!(run(s, "SELECT HEX(b) FROM t ORDER BY a"), "E4\nE4\nC3A4");
    assert_eq!(error(s, "SET NAMES utf16"), 1231);
    assert_eq!(error(s, "SET NAMES nonsense"), 1115);
    run(s, "SET NAMES latin1");
    assert_eq!(run(s, "SELECT @@character_set_client, @@character_set_results"), "latin1\tlatin1");
    // Binary columns have the bytes of the connection's character set.
    run(s, "INSERT INTO t VALUES ('z', 'ä')");
    run(s, "UPDATE t SET b = 'öä' WHERE a = 'z'");
    assert_eq!(run(s, "SELECT a, HEX(b) FROM t WHERE a = 'z'"), "z\tF6E4");
}

#[test]
fn a_statement_that_would_execute_itself_is_refused() {
    let sql = server();
    let s = &mut session(&sql);
    for text in ["EXECUTE IMMEDIATE @s", "SET STATEMENT sql_mode='' FOR EXECUTE IMMEDIATE @s"] {
        run(s, &format!("SET @s = '{}'", text.replace('\'', "''")));
        assert_eq!(error(s, "EXECUTE IMMEDIATE @s"), 1295, "{text}");
        assert_eq!(error(s, text), 1295, "{text}");
    }
    assert_eq!(run(s, "EXECUTE IMMEDIATE 'SELECT ?' USING 1 + 1"), "2");
}

#[test]
fn variables_of_set_statement_have_their_values_back_however_it_ends() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY)");
    let before = run(s, "SELECT @@sql_mode, @@time_zone, @@max_statement_time");
    let set = "SET STATEMENT sql_mode='ANSI_QUOTES', time_zone='+01:00', max_statement_time=9 FOR";
    assert_eq!(run(s, &format!("{set} SELECT @@sql_mode, @@time_zone")), "ANSI_QUOTES\t+01:00");
    assert_eq!(error(s, &format!("{set} SELECT nope FROM t")), 1054);
    assert_eq!(error(s, &format!("{set} SELECT FROM")), 1064);
    assert_eq!(error(s, "SET STATEMENT time_zone='+01:00', nope=1 FOR SELECT 1"), 1193);
    assert_eq!(run(s, "SELECT @@sql_mode, @@time_zone, @@max_statement_time"), before);
}

#[test]
fn a_table_stays_when_the_one_in_its_place_has_a_wrong_definition() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY)");
    run(s, "INSERT INTO t VALUES (1)");
    assert_eq!(error(s, "CREATE OR REPLACE TABLE t (a INT, a INT)"), 1060);
    assert_eq!(error(s, "CREATE OR REPLACE TABLE t AS SELECT * FROM (SELECT * FROM t) AS d"), 1093);
    assert_eq!(run(s, "SELECT id FROM t"), "1");
    run(s, "CREATE OR REPLACE TABLE t AS SELECT 2 AS two");
    assert_eq!(run(s, "SELECT two FROM t"), "2");
}

#[test]
fn what_returning_gives_is_known_when_it_is_prepared() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(9))");
    let prepared = s.prepare(b"INSERT INTO t (v) VALUES (?) RETURNING id, concat(v, '!') AS w");
    let prepared = prepared.expect("prepares");
    let names: Vec<&str> = prepared.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["id", "w"]);
    let reply = s.execute(prepared.id, &[Datum::Bytes(b"a")], ExecutionMode::POOL).expect("runs");
    let Reply::Rows(rows) = reply else { panic!("no rows") };
    assert_eq!(lines(rows).expect("gives them"), "1\ta!");
    assert_eq!(run(s, "DELETE FROM t RETURNING *"), "1\ta");
    assert_eq!(error(s, "INSERT INTO t (v) VALUES ('b') RETURNING (SELECT 1)"), 1235);
    assert_eq!(run(s, "SELECT count(*) FROM t"), "0");
}

#[test]
fn sql_select_limit_was_kept_and_obeyed_by_no_query() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9))");
    run(s, "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')");
    let prepared = s.prepare(b"SELECT v FROM t WHERE id >= ?").expect("prepares");
    let execute = |s: &mut sql::Session| {
        let reply = s.execute(prepared.id, &[Datum::Int(1)], ExecutionMode::POOL).expect("runs");
        let Reply::Rows(rows) = reply else { panic!("no rows") };
        lines(rows).expect("gives them")
    };
    assert_eq!(execute(s), "a\nb\nc");
    run(s, "SET sql_select_limit = 2");
    // Also of plans that are known by then, and of those that an event loop would run.
    for _ in 0..3 {
        assert_eq!(execute(s), "a\nb");
        assert_eq!(run(s, "SELECT id FROM t"), "1\n2");
        assert_eq!(run(s, "SELECT id FROM t LIMIT 3"), "1\n2\n3");
    }
    let tried = s
        .query(b"SELECT id FROM t", ExecutionMode::LOOP)
        .map(|_| ())
        .expect_err("is to be repeated");
    assert!(matches!(tried, SqlError::WouldWait), "{tried}");
    run(s, "SET sql_select_limit = DEFAULT");
    assert_eq!(execute(s), "a\nb\nc");
    assert_eq!(run(s, "SELECT id FROM t"), "1\n2\n3");
}
