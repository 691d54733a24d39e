//! Temporary tables: of one session, hiding tables and views of their names, and gone with it.

use access::AccountName;
use sql::Session;

use crate::harness::{error, run, server, session};

#[test]
fn a_temporary_table_hides_a_table_from_its_session_alone() {
    let sql = server();
    let (s, other) = (&mut session(&sql), &mut session(&sql));
    run(s, "CREATE TABLE t (a INT PRIMARY KEY)");
    run(s, "INSERT INTO t VALUES (1), (2)");
    let count = "SELECT COUNT(*) FROM t";
    // Often enough for plans to be kept by their shapes.
    for _ in 0..3 {
        assert_eq!(run(s, count), "2");
        run(s, "INSERT INTO t VALUES (3)");
        run(s, "DELETE FROM t WHERE a = 3");
    }
    run(s, "CREATE TEMPORARY TABLE t (a INT PRIMARY KEY, b INT)");
    for _ in 0..3 {
        assert_eq!(run(s, count), "0");
        assert_eq!(run(other, count), "2");
        run(s, "INSERT INTO t (a) VALUES (3)");
        run(s, "DELETE FROM t WHERE a = 3");
        run(other, "INSERT INTO t VALUES (3)");
        run(other, "DELETE FROM t WHERE a = 3");
    }
    assert_eq!(run(s, "SHOW TABLES"), "t");
    assert!(run(s, "SHOW CREATE TABLE t").contains("CREATE TEMPORARY TABLE `t`"));
    assert_eq!(error(s, "CREATE TEMPORARY TABLE t (a INT)"), 1050);
    run(s, "DROP TABLE t");
    assert_eq!(run(s, count), "2");
    assert_eq!(error(s, "DROP TEMPORARY TABLE t"), 1051);
    assert_eq!(run(other, count), "2");
}

#[test]
fn prepared_statements_notice_a_table_that_comes_and_goes() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (a INT PRIMARY KEY)");
    run(s, "CREATE TABLE u (a INT PRIMARY KEY)");
    run(s, "INSERT INTO t VALUES (1), (2)");
    run(s, "CREATE VIEW v AS SELECT a FROM t");
    run(s, "PREPARE c FROM 'SELECT COUNT(*) FROM t'");
    run(s, "PREPARE i FROM 'INSERT INTO t VALUES (?)'");
    run(s, "PREPARE v FROM 'SELECT COUNT(*) FROM v'");
    assert_eq!(run(s, "EXECUTE c"), "2");
    assert_eq!(run(s, "EXECUTE v"), "2");
    run(s, "CREATE TEMPORARY TABLE t (a INT PRIMARY KEY)");
    run(s, "SET @n = 7");
    run(s, "EXECUTE i USING @n");
    assert_eq!(run(s, "EXECUTE c"), "1");
    assert_eq!(run(s, "EXECUTE v"), "2", "a view means the same to everybody");
    run(s, "CREATE TEMPORARY TABLE v (a INT)");
    assert_eq!(run(s, "EXECUTE v"), "0");
    run(s, "ALTER TABLE t RENAME TO w");
    assert_eq!(run(s, "EXECUTE c"), "2");
    assert_eq!(run(s, "SELECT * FROM w"), "7");
    run(s, "DROP TEMPORARY TABLE v");
    assert_eq!(run(s, "EXECUTE v"), "2");
    assert_eq!(error(s, "CREATE VIEW x AS SELECT * FROM w"), 1352);
    assert_eq!(error(s, "CREATE VIEW x AS SELECT * FROM t WHERE a IN (SELECT a FROM w)"), 1352);
}

#[test]
fn making_and_dropping_one_commits_nothing_and_its_rows_are_rolled_back() {
    let sql = server();
    let (s, other) = (&mut session(&sql), &mut session(&sql));
    run(s, "CREATE TABLE t (a INT PRIMARY KEY)");
    run(s, "BEGIN");
    run(s, "INSERT INTO t VALUES (1)");
    run(s, "CREATE TEMPORARY TABLE w (a INT PRIMARY KEY AUTO_INCREMENT, b INT, KEY (b))");
    run(s, "INSERT INTO w (b) VALUES (5), (6)");
    run(s, "SAVEPOINT p");
    run(s, "INSERT INTO w (b) SELECT b + 10 FROM w");
    assert_eq!(run(s, "SELECT GROUP_CONCAT(b ORDER BY a) FROM w"), "5,6,15,16");
    run(s, "ROLLBACK TO p");
    assert_eq!(run(s, "SHOW WARNINGS").split('\t').nth(1), Some("1751"));
    assert_eq!(run(s, "SELECT GROUP_CONCAT(b ORDER BY a) FROM w"), "5,6");
    run(s, "CREATE TEMPORARY TABLE x SELECT * FROM w");
    run(s, "DROP TEMPORARY TABLE x");
    assert_eq!(run(other, "SELECT COUNT(*) FROM t"), "0", "nothing is committed");
    run(s, "ROLLBACK");
    assert_eq!(run(s, "SELECT (SELECT COUNT(*) FROM w), (SELECT COUNT(*) FROM t)"), "0\t0");
    run(s, "INSERT INTO w (b) VALUES (1), (2)");
    run(s, "START TRANSACTION READ ONLY");
    run(s, "UPDATE w SET b = b * 2");
    run(s, "CREATE TEMPORARY TABLE x (a INT)");
    run(s, "INSERT INTO x VALUES (1)");
    assert_eq!(error(s, "INSERT INTO t VALUES (1)"), 1792);
    assert_eq!(error(s, "UPDATE t, w SET t.a = 1, w.b = 1"), 1792);
    run(s, "COMMIT");
    assert_eq!(run(s, "SELECT SUM(b), COUNT(x.a) FROM w, x"), "6\t2");
}

#[test]
fn both_executors_join_them_and_read_one_twice() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (a INT PRIMARY KEY, b INT)");
    run(
        s,
        "INSERT INTO t WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n + 1 FROM r WHERE n < \
         900) SELECT n, n % 10 FROM r",
    );
    run(s, "CREATE TEMPORARY TABLE w (PRIMARY KEY (a), KEY (b)) SELECT a, b FROM t WHERE a % 2");
    for executor in ["rows", "columns"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        assert_eq!(run(s, "SELECT COUNT(*) FROM t JOIN w USING (a)"), "450");
        assert_eq!(run(s, "SELECT COUNT(*) FROM w x JOIN w y ON x.a = y.b"), "450");
        assert_eq!(run(s, "SELECT SUM(a) FROM w WHERE b = 3 AND a > 800"), "8480");
        run(s, "BEGIN");
        run(s, "DELETE FROM w WHERE b = 3");
        assert_eq!(run(s, "SELECT COUNT(*), MAX(a) FROM w"), "360\t899");
        run(s, "ROLLBACK");
    }
    run(s, "SET rowhouse_executor = DEFAULT");
    run(s, "DELETE t FROM t JOIN w USING (a)");
    assert_eq!(run(s, "SELECT COUNT(*) FROM t"), "450");
    run(s, "UPDATE w JOIN t ON t.a = w.a + 1 SET w.b = -1");
    assert_eq!(run(s, "SELECT COUNT(*) FROM w WHERE b = -1"), "450");
}

#[test]
fn every_form_of_a_table_can_be_temporary_and_altered() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TEMPORARY TABLE w (id INT AUTO_INCREMENT PRIMARY KEY, s VARCHAR(20), n DECIMAL(6, \
         2) DEFAULT 1.5, g INT AS (n * 2) STORED, CHECK (n > 0), UNIQUE KEY (s), KEY (g))",
    );
    run(s, "INSERT INTO w (s) VALUES ('10'), ('20')");
    assert_eq!(error(s, "INSERT INTO w (s) VALUES ('10')"), 1062);
    assert_eq!(error(s, "INSERT INTO w (s, n) VALUES ('30', -1)"), 3819);
    run(s, "ALTER TABLE w MODIFY s INT, ADD COLUMN later DATE FIRST, DROP KEY g");
    assert_eq!(run(s, "SELECT * FROM w WHERE s > 15"), "NULL\t2\t20\t1.50\t3");
    assert_eq!(error(s, "ALTER TABLE w ADD UNIQUE KEY (n)"), 1062);
    assert_eq!(run(s, "SELECT COUNT(*) FROM w"), "2");
    run(s, "ALTER TABLE w DROP PRIMARY KEY, MODIFY id INT, ADD PRIMARY KEY (s)");
    run(s, "ALTER TABLE w CHANGE id ident BIGINT, DROP COLUMN g, AUTO_INCREMENT = 50");
    assert_eq!(run(s, "SELECT * FROM w ORDER BY s DESC LIMIT 1"), "NULL\t2\t20\t1.50");
    run(s, "TRUNCATE TABLE w");
    run(s, "INSERT INTO w (ident, s) VALUES (1, 1)");
    run(s, "CREATE TEMPORARY TABLE x LIKE w");
    assert_eq!(error(s, "ALTER TABLE w RENAME TO x"), 1050);
    run(s, "INSERT INTO x SELECT * FROM w");
    assert_eq!(
        run(s, "CHECKSUM TABLE w").split('\t').nth(1),
        run(s, "CHECKSUM TABLE x").split('\t').nth(1)
    );
    // Without any key rows stay in the order in which they came.
    run(s, "CREATE TEMPORARY TABLE y (a INT)");
    run(s, "INSERT INTO y VALUES (3), (1), (2), (1)");
    run(s, "ALTER TABLE y ADD COLUMN id INT AUTO_INCREMENT PRIMARY KEY");
    assert_eq!(run(s, "SELECT GROUP_CONCAT(a ORDER BY id) FROM y"), "3,1,2,1");
    assert_eq!(error(s, "CREATE TEMPORARY TABLE z (a INT) ENGINE=Columnar"), 1105);
    assert_eq!(error(s, "CREATE TEMPORARY TABLE z LIKE nothing"), 1146);
}

#[test]
fn they_are_gone_with_their_session_and_their_memory_too() {
    let sql = server();
    let before = sql.engine().budget().used();
    let s = &mut session(&sql);
    run(s, "CREATE TEMPORARY TABLE w (a INT PRIMARY KEY, b TEXT)");
    run(s, "INSERT INTO w VALUES (1, REPEAT('x', 10000))");
    assert!(sql.engine().budget().used() >= before + 10_000);
    run(s, "BEGIN");
    run(s, "INSERT INTO w VALUES (2, 'not committed')");
    *s = session(&sql);
    assert_eq!(error(s, "SELECT * FROM w"), 1146);
    assert_eq!(sql.engine().budget().used(), before);
}

#[test]
fn one_privilege_makes_a_temporary_table_and_its_session_needs_no_other_for_it() {
    let sql = server();
    let root = &mut session(&sql);
    run(root, "CREATE TABLE t (a INT PRIMARY KEY, b INT)");
    run(root, "INSERT INTO t VALUES (1, 1)");
    run(root, "CREATE VIEW v AS SELECT a FROM t");
    let database = run(root, "SELECT DATABASE()");
    run(root, "CREATE USER app@localhost");
    let account = AccountName::new("app", "localhost");
    let begin = |database: Option<&str>| {
        Session::of_account(&sql, 2, ("app", "localhost"), &account, database).unwrap()
    };
    assert_eq!(
        error(&mut begin(None), &format!("CREATE TEMPORARY TABLE {database}.t (a INT)")),
        1044
    );
    run(root, &format!("GRANT CREATE TEMPORARY TABLES ON {database}.* TO app@localhost"));
    let s = &mut begin(Some(&database));
    assert_eq!(error(s, "SELECT * FROM t"), 1142);
    assert_eq!(error(s, "CREATE TEMPORARY TABLE x SELECT * FROM t"), 1142);
    assert_eq!(error(s, "CREATE TEMPORARY TABLE x LIKE t"), 1142);
    for made in
        ["CREATE TEMPORARY TABLE t (a INT PRIMARY KEY, b INT)", "CREATE TEMPORARY TABLE v (a INT)"]
    {
        run(s, made);
    }
    for own in [
        "INSERT INTO t VALUES (5, 5), (6, 6)",
        "REPLACE INTO t SELECT a + 2, b FROM t",
        "UPDATE t SET b = b + 1 WHERE a IN (SELECT a FROM t)",
        "UPDATE t JOIN v USING (a) SET t.b = 0",
        "DELETE t FROM t LEFT JOIN v USING (a) WHERE t.a = 8",
        "ALTER TABLE t ADD COLUMN c INT, RENAME TO w",
        "ALTER TABLE w RENAME TO t",
        "CREATE INDEX b ON t (b)",
        "SHOW CREATE TABLE t",
        "SHOW COLUMNS FROM t",
        "CHECKSUM TABLE t",
        "CREATE TEMPORARY TABLE x LIKE t",
        "TRUNCATE TABLE x",
    ] {
        run(s, own);
    }
    assert_eq!(run(s, "SELECT GROUP_CONCAT(a ORDER BY a) FROM t"), "5,6,7");
    assert_eq!(run(root, "SELECT GROUP_CONCAT(a) FROM t"), "1");
    // What is behind them is as closed as before.
    for behind in [
        "CREATE TABLE t (a INT)",
        "CREATE OR REPLACE TABLE t (a INT)",
        "CREATE OR REPLACE VIEW v AS SELECT 1",
        "RENAME TABLE t TO u",
        "DROP VIEW v",
    ] {
        assert_eq!(error(s, behind), 1142, "{behind}");
    }
    run(s, "DROP TEMPORARY TABLE v");
    run(s, "DROP TABLE t");
    assert_eq!(error(s, "SELECT * FROM t"), 1142);
    assert_eq!(error(s, "SELECT * FROM v"), 1142);
    assert_eq!(error(s, "DROP TABLE t"), 1142);
}
