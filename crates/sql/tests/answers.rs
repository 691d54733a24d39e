//! Answers that were wrong once, each named by what was wrong. What MariaDB can be asked for stands
//! in `tests/oracle/sql/right-answers.sql` as well.

mod json;
mod numbers;
mod queries;
mod times;

use crate::harness::{error, lines, run, server, session};
use results::ExecutionMode;
use sql::{Reply, Session};

#[test]
fn operators_bound_more_loosely_or_more_tightly_than_in_mysql() {
    let sql = server();
    let s = &mut session(&sql);
    for (expression, value) in [
        ("1 IS NULL XOR NULL IS NULL", "1"),
        ("NOT (NULL IS NULL XOR NULL IS NOT NULL)", "0"),
        ("1 = 0 || 1", "1"),
        ("1 = 2 || 3 = 3", "1"),
        ("1 = 1 && 2 = 2", "1"),
        ("1 << 2 = 4", "1"),
        ("2 + 3 << 1", "10"),
        ("6 & 3 << 1", "6"),
        ("2 * 3 ^ 1", "4"),
        ("-2 ^ 1", "18446744073709551615"),
        ("'ab' LIKE 'a%' = 1", "1"),
        ("1 = 'ab' LIKE 'a%'", "1"),
        ("1 = 2 IN (2, 3)", "1"),
        ("'{\"a\":1}'->'$.a' = 1", "1"),
        ("@a := 1 = 1", "1"),
    ] {
        assert_eq!(run(s, &format!("SELECT {expression}")), value, "{expression}");
    }
    run(s, "SET sql_mode = 'PIPES_AS_CONCAT'");
    assert_eq!(run(s, "SELECT 'a' || 'b' = 'ab'"), "1");
}

#[test]
fn select_into_variables_returned_rows_and_left_the_variables_alone() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9), d DATETIME, n DECIMAL(5,2))");
    run(s, "INSERT INTO t VALUES (1, 'a', '2024-01-02 03:04:05', 1.50), (2, 'b', NULL, 2)");
    assert_eq!(run(s, "SELECT v, d INTO @v, @d FROM t WHERE id = 1"), "ok 1");
    assert_eq!(run(s, "SELECT @v, @d"), "a\t2024-01-02 03:04:05");
    assert_eq!(run(s, "SELECT sum(n) FROM t INTO @sum"), "ok 1");
    assert_eq!(run(s, "SELECT @sum"), "3.50");
    assert_eq!(run(s, "SELECT v INTO @v FROM t WHERE id = 9"), "ok 0 warnings 1");
    assert_eq!(run(s, "SELECT @v"), "a");
    assert_eq!(error(s, "SELECT v INTO @v FROM t"), 1172);
    assert_eq!(error(s, "SELECT v, d INTO @v FROM t WHERE id = 1"), 1222);
    assert_eq!(error(s, "SELECT v INTO OUTFILE '/tmp/x' FROM t"), 1290);
    let prepared = s.prepare(b"SELECT v INTO @w FROM t WHERE id = ?").expect("prepares");
    assert!(prepared.columns.is_empty());
    s.execute(prepared.id, &[values::Datum::Int(2)], ExecutionMode::POOL).expect("runs");
    assert_eq!(run(s, "SELECT @w"), "b");
}

#[test]
fn set_of_a_variable_refused_sub_queries() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, d DATE)");
    run(s, "INSERT INTO t VALUES (1, '2024-01-02'), (2, NULL)");
    run(s, "SET @a = (SELECT max(id) FROM t), @b = 1 + (SELECT count(*) FROM t WHERE id < 2)");
    assert_eq!(run(s, "SELECT @a, @b"), "2\t2");
    run(s, "SET @d = (SELECT d FROM t WHERE id = 1), @none = (SELECT d FROM t WHERE id = 9)");
    assert_eq!(run(s, "SELECT @d, @none"), "2024-01-02\tNULL");
    assert_eq!(error(s, "SET @a = (SELECT id FROM t)"), 1242);
}

#[test]
fn rand_with_a_seed_began_anew_for_each_row() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY)");
    run(s, "INSERT INTO t VALUES (1), (2), (3)");
    // As MariaDB 10.11 and MySQL 8 answer.
    assert_eq!(
        run(s, "SELECT id, round(rand(3), 6) FROM t WHERE id > 0"),
        "1\t0.90577\n2\t0.373079\n3\t0.148086"
    );
}

#[test]
fn a_session_set_to_read_only_transactions_wrote() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY)");
    run(s, "SET SESSION TRANSACTION READ ONLY");
    assert_eq!(error(s, "INSERT INTO t VALUES (1)"), 1792);
    run(s, "BEGIN");
    assert_eq!(error(s, "INSERT INTO t VALUES (1)"), 1792);
    run(s, "ROLLBACK");
    run(s, "START TRANSACTION READ WRITE");
    assert_eq!(run(s, "INSERT INTO t VALUES (1)"), "ok 1");
    run(s, "COMMIT");
    run(s, "SET SESSION TRANSACTION READ WRITE");
    run(s, "SET TRANSACTION READ ONLY");
    assert_eq!(error(s, "INSERT INTO t VALUES (2)"), 1792);
    assert_eq!(run(s, "INSERT INTO t VALUES (2)"), "ok 1");
}

#[test]
fn clients_were_not_told_that_backslashes_do_not_escape() {
    const NO_BACKSLASH_ESCAPES: u16 = 0x200;
    let sql = server();
    let s = &mut session(&sql);
    assert_eq!(s.status_flags() & NO_BACKSLASH_ESCAPES, 0);
    run(s, "SET sql_mode = 'NO_BACKSLASH_ESCAPES'");
    assert_eq!(s.status_flags() & NO_BACKSLASH_ESCAPES, NO_BACKSLASH_ESCAPES);
    run(s, "SET sql_mode = ''");
    assert_eq!(s.status_flags() & NO_BACKSLASH_ESCAPES, 0);
}

#[test]
fn alter_table_kept_positions_of_an_enum_in_the_place_of_its_words() {
    let sql = server();
    let s = &mut session(&sql);
    let targets = [
        ("ENUM('new','open','paid','sent')", "new\npaid\nsent"),
        ("VARCHAR(10)", "new\npaid\nsent"),
        ("CHAR(10)", "new\npaid\nsent"),
        ("TEXT", "new\npaid\nsent"),
        ("BLOB", "new\npaid\nsent"),
        ("INT", "1\n2\n3"),
        ("DECIMAL(5,1)", "1.0\n2.0\n3.0"),
        ("FLOAT", "1\n2\n3"),
        ("YEAR", "2001\n2002\n2003"),
    ];
    for (target, expected) in targets {
        for (engine, key) in [("InnoDB", ""), ("InnoDB", ", KEY (f)"), ("COLUMNAR", "")] {
            if !key.is_empty() && matches!(target, "TEXT" | "BLOB") {
                continue;
            }
            run(s, "DROP TABLE IF EXISTS t, u");
            run(
                s,
                &format!(
                    "CREATE TABLE t (id INT PRIMARY KEY, f ENUM('new','paid','sent'){key}) \
                     ENGINE={engine}"
                ),
            );
            run(s, "INSERT INTO t VALUES (1, 'new'), (2, 'paid'), (3, 'sent')");
            run(s, &format!("CREATE TABLE u (id INT PRIMARY KEY, f {target})"));
            run(s, "INSERT INTO u SELECT id, f FROM t");
            run(s, &format!("ALTER TABLE t MODIFY f {target}"));
            for table in ["t", "u"] {
                let found = run(s, &format!("SELECT f FROM {table} ORDER BY id"));
                assert_eq!(found, expected, "{table} {target} {engine}{key}");
            }
        }
    }
}

#[test]
fn an_enum_with_no_word_was_no_value_of_another_enum() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, f ENUM('a','b'))");
    run(s, "INSERT IGNORE INTO t VALUES (1, 'no word'), (2, 'b')");
    run(s, "ALTER TABLE t MODIFY f ENUM('b','c','a')");
    assert_eq!(run(s, "SELECT f, f + 0 FROM t ORDER BY id"), "\t0\nb\t1");
    run(s, "UPDATE t SET f = 'a' WHERE id = 2");
    assert_eq!(error(s, "ALTER TABLE t MODIFY f ENUM('b','c')"), 1265);
}

#[test]
fn alter_table_refused_values_that_do_not_fit_outside_of_strict_mode_as_well() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20))");
    run(s, "INSERT INTO t VALUES (1, '12'), (2, 'abc'), (3, NULL), (4, '300')");
    assert_eq!(error(s, "ALTER TABLE t MODIFY v TINYINT"), 1366);
    run(s, "SET sql_mode = ''");
    let altered = run(s, "ALTER TABLE t MODIFY v TINYINT NOT NULL");
    assert_eq!(altered, "ok 4 warnings 3 [Records: 4  Duplicates: 0  Warnings: 3]");
    assert_eq!(
        run(s, "SHOW WARNINGS"),
        "Warning\t1366\tIncorrect integer value: 'abc' for column 'v' at row 2\n\
         Warning\t1265\tData truncated for column 'v' at row 3\n\
         Warning\t1264\tOut of range value for column 'v' at row 4"
    );
    assert_eq!(run(s, "SELECT v FROM t ORDER BY id"), "12\n0\n0\n127");
    run(s, "CREATE TABLE z (d DATE)");
    run(s, "INSERT INTO z VALUES ('0000-00-00')");
    run(s, "SET sql_mode = DEFAULT");
    assert_eq!(error(s, "ALTER TABLE z MODIFY d DATETIME"), 1292);
    run(s, "ALTER TABLE z MODIFY d VARCHAR(20)");
    assert_eq!(run(s, "SELECT d FROM z"), "0000-00-00");
}

#[test]
fn the_empty_value_of_an_enum_was_found_by_no_index() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE t (id INT PRIMARY KEY, v ENUM('a','b'), w ENUM('','b'), KEY (v), KEY (w))",
    );
    run(
        s,
        "INSERT IGNORE INTO t VALUES (1, 'zz', 'zz'), (2, 'b', 'b'), (3, 'a', ''), (4, NULL, NULL)",
    );
    for executor in ["rows", "columns", "auto"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        for (condition, ids) in [
            ("v = ''", "1"),
            ("v = 0", "1"),
            ("v = '  '", "1"),
            ("v = 0.0", "1"),
            ("v IN ('', 'a')", "1,3"),
            ("v <=> ''", "1"),
            ("v <> ''", "2,3"),
            ("v = '0'", "NULL"),
            ("v = 2", "2"),
            ("v > 0", "2,3"),
            ("w = 0", "1"),
            ("w = 1", "3"),
        ] {
            let query = format!("SELECT GROUP_CONCAT(id ORDER BY id) FROM t WHERE {condition}");
            assert_eq!(run(s, &query), ids, "{condition} by {executor}");
        }
    }
    run(s, "DELETE FROM t WHERE v = ''");
    assert_eq!(run(s, "SELECT COUNT(*) FROM t"), "3");
}

#[test]
fn a_tables_own_collation_was_taken_from_its_columns() {
    let sql = server();
    let s = &mut session(&sql);
    run(
        s,
        "CREATE TABLE t (a VARCHAR(10) COLLATE utf8mb4_bin, b VARCHAR(10) COLLATE utf8mb4_bin) \
         DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci",
    );
    let collation_of = |s: &mut Session, column: &str| {
        let query = "SELECT collation_name FROM information_schema.columns WHERE table_name";
        run(s, &format!("{query} = 't' AND column_name = '{column}'"))
    };
    run(s, "ALTER TABLE t ADD c VARCHAR(10)");
    assert_eq!(collation_of(s, "c"), "utf8mb4_general_ci");
    run(s, "ALTER TABLE t COLLATE utf8mb4_bin");
    run(s, "ALTER TABLE t ADD d VARCHAR(10)");
    assert_eq!(collation_of(s, "c"), "utf8mb4_general_ci");
    assert_eq!(collation_of(s, "d"), "utf8mb4_bin");
    run(s, "ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci");
    assert_eq!(collation_of(s, "d"), "utf8mb4_general_ci");
    run(s, "ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, ADD n INT");
    run(s, "ALTER TABLE t COLLATE utf8mb4_general_ci");
    run(s, "CREATE TABLE u LIKE t");
    for table in ["t", "u"] {
        let shown = run(s, &format!("SHOW CREATE TABLE {table}"));
        assert!(shown.ends_with("COLLATE=utf8mb4_general_ci"), "{shown}");
        assert!(shown.contains("`a` varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"));
    }
}

#[test]
fn a_session_of_read_only_transactions_changed_definitions() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (a INT PRIMARY KEY)");
    run(s, "SET SESSION TRANSACTION READ ONLY");
    for refused in [
        "CREATE TABLE u (a INT)",
        "DROP TABLE t",
        "ALTER TABLE t ADD b INT",
        "TRUNCATE TABLE t",
        "CREATE INDEX k ON t (a)",
        "RENAME TABLE t TO u",
        "CREATE DATABASE d",
        "DROP DATABASE test",
        "DROP VIEW IF EXISTS v",
        "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM t",
    ] {
        assert_eq!(error(s, refused), 1792, "{refused}");
    }
    run(s, "SET SESSION TRANSACTION READ WRITE");
    // A transaction that only reads is committed before a definition is changed.
    run(s, "START TRANSACTION READ ONLY");
    run(s, "CREATE TABLE u (a INT)");
}

#[test]
fn insert_ignore_failed_where_the_change_of_a_row_broke_another_key() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (a INT PRIMARY KEY, b INT UNIQUE, c INT)");
    run(s, "INSERT INTO t VALUES (1, 10, 0), (2, 20, 0)");
    let upsert = "INTO t VALUES (1, 11, 5), (3, 30, 7) ON DUPLICATE KEY UPDATE b = 20, c = 9";
    assert_eq!(error(s, &format!("INSERT {upsert}")), 1062);
    let done = run(s, &format!("INSERT IGNORE {upsert}"));
    assert!(done.starts_with("ok 1 warnings 1"), "{done}");
    let warnings = run(s, "SHOW WARNINGS");
    assert!(warnings.contains("1062\tDuplicate entry '20' for key"), "{warnings}");
    assert_eq!(run(s, "SELECT * FROM t ORDER BY a"), "1\t10\t0\n2\t20\t0\n3\t30\t7");
}

fn ids(s: &mut Session, text: &str) -> Result<String, u16> {
    match s.query(text.as_bytes(), ExecutionMode::POOL) {
        Ok((Reply::Rows(stream), _)) => lines(stream).map_err(|error| error.code().number()),
        Ok(_) => panic!("{text} gave no rows"),
        Err(error) => Err(error.code().number()),
    }
}

#[test]
fn nowait_and_skip_locked_waited_for_rows_that_others_had_locked() {
    let sql = server();
    let (s, other) = (&mut session(&sql), &mut session(&sql));
    run(s, "CREATE TABLE job (id INT PRIMARY KEY, state INT, KEY (state))");
    run(s, "INSERT INTO job VALUES (1, 0), (2, 0), (3, 0), (4, 1)");
    run(s, "SET innodb_lock_wait_timeout = 1");
    for session in [&mut *s, &mut *other] {
        run(session, "BEGIN");
    }
    let next = "SELECT id FROM job WHERE state = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED";
    assert_eq!(ids(other, next).as_deref(), Ok("1"));
    // Two that take jobs never take the same one.
    assert_eq!(ids(s, next).as_deref(), Ok("2"));
    assert_eq!(ids(s, "SELECT id FROM job WHERE id = 1 FOR UPDATE NOWAIT"), Err(3572));
    let rest = "SELECT id FROM job ORDER BY id FOR UPDATE SKIP LOCKED";
    assert_eq!(ids(s, rest).as_deref(), Ok("2\n3\n4"));
    assert_eq!(ids(other, rest).as_deref(), Ok("1"));
    // Afterwards locks are waited for as before.
    assert_eq!(ids(s, "SELECT id FROM job WHERE id = 1 FOR UPDATE"), Err(1205));
    assert_eq!(ids(s, "SELECT id FROM job WHERE id = 4 FOR UPDATE OF job").as_deref(), Ok("4"));
    assert_eq!(ids(s, "SELECT id FROM job WHERE id = 4 FOR UPDATE OF other"), Err(3568));
}

#[test]
fn words_that_nobody_obeys_were_accepted() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, v INT)");
    assert_eq!(error(s, "SELECT count(id LIMIT 1) FROM t"), 1235);
    assert_eq!(error(s, "SELECT count(id LIMIT (1, 2)) FROM t"), 1235);
    assert_eq!(error(s, "SELECT id FROM t PARTITION (p0)"), 1747);
    assert_eq!(error(s, "DELETE FROM t PARTITION (p0)"), 1747);
    assert_eq!(error(s, "ALTER TABLE t RENAME TO ``"), 1103);
    assert_eq!(error(s, "RENAME TABLE t TO ``"), 1103);
    assert_eq!(run(s, "SELECT count(*) FROM t"), "0");
}

#[test]
fn digits_in_hexadecimal_were_text_where_a_number_was_asked_for() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, v VARBINARY(9))");
    run(s, "INSERT INTO t VALUES (1, 0x41), (65, x'42')");
    assert_eq!(run(s, "SELECT 0x41 + 0, -0x10, 0x41, concat(0x41)"), "65\t-16\tA\tA");
    assert_eq!(run(s, "SELECT id FROM t WHERE id IN (0x01)"), "1");
    assert_eq!(run(s, "SELECT id FROM t WHERE id = 0x41"), "65");
    assert_eq!(run(s, "SELECT id FROM t WHERE v = 0x41"), "1");
    assert_eq!(run(s, "SELECT v FROM t WHERE id = 1"), "A");
}

#[test]
fn quotients_had_more_digits_than_they_show() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE q (id INT PRIMARY KEY, a INT, b DECIMAL(20,10), x DECIMAL(20,10))");
    run(s, "INSERT INTO q VALUES (1, 1, 3, 0), (2, 3, 3.0000000001, 0), (3, 7, 7, 0)");
    run(s, "UPDATE q SET x = 2/3");
    assert_eq!(run(s, "SELECT x FROM q WHERE id = 1"), "0.6667000000");
    for executor in ["rows", "columns"] {
        run(s, &format!("SET rowhouse_executor = '{executor}'"));
        let shown = run(s, "SELECT 2/3*3, 2/3, 1/3+1/3+1/3, 10/4, 1/3*1e0");
        assert_eq!(shown, "2.0001\t0.6667\t0.9999\t2.5000\t0.3333", "{executor}");
        assert_eq!(run(s, "SELECT SUM(a/7)*7, MAX(a/3)*3 FROM q"), "11.0005\t6.9999");
        // Two groups that look the same were two.
        let groups = run(s, "SELECT a/b k, COUNT(*) FROM q WHERE id > 1 GROUP BY k");
        assert_eq!(groups, "1.0000\t2", "{executor}");
        assert_eq!(run(s, "SELECT SUM(a/7) OVER () FROM q LIMIT 1"), "1.5715", "{executor}");
    }
    run(s, "SET rowhouse_executor = 'auto'");
    assert_eq!(run(s, "SELECT round(2.25e0, 1), round(2.5e0)"), "2.2\t2");
    assert_eq!(run(s, "SELECT cast(1e20 AS SIGNED), floor(18446744073709551615)"), {
        "9223372036854775807\t18446744073709551615"
    });
    run(s, "SET sql_mode = 'NO_UNSIGNED_SUBTRACTION'");
    assert_eq!(run(s, "SELECT cast(1 AS UNSIGNED) - 2"), "-1");
}

#[test]
fn a_number_that_a_column_cannot_hold_made_an_index_find_nothing() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE a (id INT PRIMARY KEY, t TINYINT UNSIGNED, KEY (t))");
    run(s, "INSERT INTO a VALUES (1, 1), (2, 200)");
    run(s, "SET rowhouse_executor = 'columns'");
    for condition in ["id < 4294967296", "id > -4294967296", "t < 256", "t > -1", "id <> 1 OR 1"] {
        let counted = run(s, &format!("SELECT count(*) FROM a WHERE {condition}"));
        assert_eq!(counted, "2", "{condition}");
    }
    assert_eq!(run(s, "SELECT count(*) FROM a WHERE id IN (1, 4294967298)"), "1");
}

#[test]
fn mod_between_two_operands_was_no_operator() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, `mod` INT)");
    run(s, "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30), (4, 40)");
    assert_eq!(run(s, "SELECT id FROM t WHERE id MOD 2 = 0"), "2\n4");
    assert_eq!(run(s, "SELECT -5 MOD 3 * 2, 2 * 7 mod 4, 7 MOD 4 ^ 1, MOD(7, 4)"), "-4\t2\t2\t3");
    assert_eq!(run(s, "SELECT `mod` mod `mod` FROM t WHERE id = 1"), "0");
    assert_eq!(run(s, "SELECT SUM(`mod`) FROM t"), "100");
}
