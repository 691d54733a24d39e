//! FOREIGN KEY: what may be defined, how it is shown, and that no child is without its parent,
//! whatever is written and by however many at once. Words and numbers are MySQL 9.7's.

use std::sync::Arc;
use std::thread;
use std::time::Instant;

use crate::harness::{PATIENCE, answer, error, run, server, session};
use sql::{Session, Sql};

/// Tables `p` and `c`, whose `pid` refers to `p` with these actions.
fn related(sql: &Arc<Sql>, actions: &str) -> Session {
    let mut own = session(sql);
    run(&mut own, "CREATE TABLE p (id INT PRIMARY KEY, n INT)");
    let child = "CREATE TABLE c (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES p (id)";
    run(&mut own, &format!("{child} {actions})"));
    own
}

#[track_caller]
fn refused(session: &mut Session, text: &str, message: &str) {
    match answer(session, text) {
        Ok(answer) => panic!("{text}\nanswered {answer}"),
        Err(error) => assert_eq!(error.into_message(), message, "{text}"),
    }
}

#[test]
fn a_row_needs_its_parent_and_a_parent_stays_while_a_row_needs_it() {
    let mut own = related(&server(), "");
    let none = "Cannot add or update a child row: a foreign key constraint fails (`test`.`c`, \
                CONSTRAINT `c_ibfk_1` FOREIGN KEY (`pid`) REFERENCES `p` (`id`))";
    let kept = "Cannot delete or update a parent row: a foreign key constraint fails (`test`.`c`, \
                CONSTRAINT `c_ibfk_1` FOREIGN KEY (`pid`) REFERENCES `p` (`id`))";
    refused(&mut own, "INSERT INTO c VALUES (1, 1)", none);
    run(&mut own, "INSERT INTO p VALUES (1, 1), (2, 2)");
    run(&mut own, "INSERT INTO c VALUES (1, 1), (2, NULL)");
    refused(&mut own, "UPDATE c SET pid = 3 WHERE id = 1", none);
    refused(&mut own, "DELETE FROM p WHERE id = 1", kept);
    refused(&mut own, "UPDATE p SET id = 5 WHERE id = 1", kept);
    refused(&mut own, "INSERT INTO p VALUES (1, 1) ON DUPLICATE KEY UPDATE id = 5", kept);
    refused(&mut own, "INSERT INTO c VALUES (1, 1) ON DUPLICATE KEY UPDATE pid = 5", none);
    assert_eq!(error(&mut own, "INSERT INTO c VALUES (3, 2), (4, 9)"), 1452);
    assert_eq!(run(&mut own, "SELECT * FROM c"), "1\t1\n2\tNULL", "of a statement all or nothing");
    run(&mut own, "UPDATE p SET n = 7 WHERE id = 1");
    // A row that comes in the place of another with the same key is a parent as that was.
    assert_eq!(run(&mut own, "REPLACE INTO p VALUES (1, 8)"), "ok 2");
    assert_eq!(error(&mut own, "REPLACE INTO c VALUES (1, 9)"), 1452);
    assert_eq!(
        run(&mut own, "INSERT IGNORE INTO c VALUES (3, 7), (4, 1)"),
        "ok 1 warnings 1 [Records: 2  Duplicates: 1  Warnings: 1]"
    );
    assert_eq!(run(&mut own, "DELETE IGNORE FROM p"), "ok 1 warnings 1");
    assert_eq!(
        run(&mut own, "UPDATE IGNORE p SET id = 9"),
        "ok 0 warnings 1 [Rows matched: 1  Changed: 0  Warnings: 1]"
    );
    assert_eq!(run(&mut own, "SELECT id FROM p"), "1");
    run(&mut own, "DELETE FROM c WHERE id = 4");
    run(&mut own, "DELETE c, p FROM c JOIN p ON c.pid = p.id");
    assert_eq!(run(&mut own, "SELECT COUNT(*) FROM p"), "0");
}

#[test]
fn rows_follow_their_parent() {
    let sql = server();
    let mut own = related(&sql, "ON DELETE CASCADE ON UPDATE CASCADE");
    run(
        &mut own,
        "CREATE TABLE g (id INT PRIMARY KEY, cid INT, CONSTRAINT g FOREIGN KEY (cid) \
                   REFERENCES c (id) ON DELETE SET NULL)",
    );
    run(&mut own, "INSERT INTO p VALUES (1, 1), (2, 2)");
    run(&mut own, "INSERT INTO c VALUES (1, 1), (2, 2), (3, 1)");
    run(&mut own, "INSERT INTO g VALUES (1, 1), (2, 2), (3, 3)");
    run(&mut own, "UPDATE p SET id = id + 10");
    assert_eq!(run(&mut own, "SELECT * FROM c ORDER BY id"), "1\t11\n2\t12\n3\t11");
    // Rows that follow are not counted.
    assert_eq!(run(&mut own, "DELETE FROM p WHERE id = 11"), "ok 1");
    assert_eq!(run(&mut own, "SELECT * FROM c"), "2\t12");
    assert_eq!(run(&mut own, "SELECT pid FROM c FORCE INDEX (pid) WHERE pid = 11"), "");
    assert_eq!(run(&mut own, "SELECT * FROM g"), "1\tNULL\n2\t2\n3\tNULL");
    run(&mut own, "BEGIN");
    run(&mut own, "DELETE p, c FROM p JOIN c ON c.pid = p.id");
    assert_eq!(run(&mut own, "SELECT COUNT(*) FROM c"), "0");
    run(&mut own, "ROLLBACK");
    assert_eq!(run(&mut own, "SELECT * FROM c"), "2\t12");
    run(&mut own, "ALTER TABLE g DROP FOREIGN KEY g, ADD FOREIGN KEY (cid) REFERENCES c (id)");
    assert_eq!(error(&mut own, "DELETE FROM p"), 1451, "what follows is kept by another");
    assert_eq!(run(&mut own, "SELECT * FROM c"), "2\t12");
    run(&mut own, "UPDATE p SET id = 5, n = 6");
    assert_eq!(run(&mut own, "SELECT * FROM c"), "2\t5");
}

#[test]
fn a_key_that_rows_would_follow_to_is_not_had_twice() {
    let mut own = session(&server());
    run(&mut own, "CREATE TABLE p (id INT PRIMARY KEY)");
    run(&mut own, "CREATE TABLE c (pid INT UNIQUE REFERENCES p (id) ON UPDATE CASCADE)");
    run(&mut own, "INSERT INTO p VALUES (1)");
    run(&mut own, "INSERT INTO c VALUES (1)");
    run(&mut own, "SET foreign_key_checks = 0");
    run(&mut own, "INSERT INTO c VALUES (2)");
    run(&mut own, "SET foreign_key_checks = 1");
    let twice = "Foreign key constraint for table 'p', record '2' would lead to a duplicate entry \
                 in table 'c', key 'pid'";
    refused(&mut own, "UPDATE p SET id = 2", twice);
}

#[test]
fn a_table_may_refer_to_itself() {
    let mut own = session(&server());
    run(
        &mut own,
        "CREATE TABLE s (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES s (id))",
    );
    run(&mut own, "INSERT INTO s VALUES (1, 1), (2, 1), (3, 2)");
    assert_eq!(error(&mut own, "INSERT INTO s VALUES (4, 5), (5, 4)"), 1452);
    assert_eq!(error(&mut own, "DELETE FROM s WHERE id = 1"), 1451);
    assert_eq!(error(&mut own, "DELETE FROM s"), 1451);
    run(&mut own, "UPDATE s SET up = NULL WHERE id = 1");
    run(&mut own, "DELETE FROM s ORDER BY id DESC");
    run(&mut own, "INSERT INTO s VALUES (7, 7)");
    assert_eq!(error(&mut own, "DELETE FROM s"), 1451, "it keeps itself");
    run(&mut own, "DROP TABLE s");
    run(
        &mut own,
        "CREATE TABLE s (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES s (id) \
                   ON DELETE CASCADE ON UPDATE CASCADE)",
    );
    let chain = |own: &mut Session, rows: u64| {
        run(own, "INSERT INTO s VALUES (1, NULL)");
        for id in 2..=rows {
            run(own, &format!("INSERT INTO s VALUES ({id}, {})", id - 1));
        }
    };
    chain(&mut own, 15);
    assert_eq!(error(&mut own, "UPDATE s SET id = 99 WHERE id = 1"), 1451);
    assert_eq!(run(&mut own, "DELETE FROM s WHERE id = 1"), "ok 1");
    chain(&mut own, 16);
    assert_eq!(error(&mut own, "DELETE FROM s WHERE id = 1"), 3008);
    assert_eq!(run(&mut own, "SELECT COUNT(*) FROM s"), "16");
    run(&mut own, "UPDATE s SET up = NULL WHERE id = 9");
    run(&mut own, "DELETE FROM s");
    run(&mut own, "INSERT INTO s VALUES (1, NULL), (2, 1)");
    run(&mut own, "UPDATE s SET up = 2 WHERE id = 1");
    run(&mut own, "DELETE FROM s WHERE id = 2");
    assert_eq!(run(&mut own, "SELECT COUNT(*) FROM s"), "0", "a circle goes as a whole");
}

#[test]
fn a_definition_is_shown_as_it_is_and_follows_names() {
    let mut own = session(&server());
    run(&mut own, "CREATE TABLE p (id INT PRIMARY KEY, u INT, n INT, UNIQUE KEY (u, n))");
    run(
        &mut own,
        "CREATE TABLE c (id INT PRIMARY KEY, a INT, b INT, x INT REFERENCES p, \
                   CONSTRAINT two FOREIGN KEY (a, b) REFERENCES p (u, n) ON DELETE SET NULL ON \
                   UPDATE CASCADE)",
    );
    let shown = |own: &mut Session, table: &str| {
        let text = run(own, &format!("SHOW CREATE TABLE {table}"));
        let keys = text.lines().filter(|line| line.contains("KEY") && !line.contains("PRIMARY"));
        keys.map(str::trim).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        shown(&mut own, "c"),
        "KEY `x` (`x`),\nKEY `two` (`a`,`b`),\nCONSTRAINT `c_ibfk_1` FOREIGN KEY (`x`) REFERENCES \
         `p` (`id`),\nCONSTRAINT `two` FOREIGN KEY (`a`, `b`) REFERENCES `p` (`u`, `n`) ON DELETE \
         SET NULL ON UPDATE CASCADE"
    );
    run(&mut own, "RENAME TABLE p TO q, c TO d");
    run(&mut own, "ALTER TABLE q RENAME COLUMN id TO key_of_q");
    run(&mut own, "ALTER TABLE d CHANGE x y INT");
    assert!(
        shown(&mut own, "d")
            .contains("CONSTRAINT `d_ibfk_1` FOREIGN KEY (`y`) REFERENCES `q` (`key_of_q`)")
    );
    assert_eq!(error(&mut own, "INSERT INTO d VALUES (1, NULL, NULL, 1)"), 1452);
    run(&mut own, "INSERT INTO q VALUES (1, 1, 1)");
    run(&mut own, "INSERT INTO d VALUES (1, 1, 1, NULL)");
    let usage = "SELECT constraint_name, column_name, referenced_table_name, \
                 referenced_column_name FROM information_schema.key_column_usage WHERE table_name \
                 = 'd' AND referenced_table_name IS NOT NULL ORDER BY 1, 2";
    assert_eq!(run(&mut own, usage), "d_ibfk_1\ty\tq\tkey_of_q\ntwo\ta\tq\tu\ntwo\tb\tq\tn");
    let constraints = "SELECT constraint_name, unique_constraint_name, update_rule, delete_rule \
                       FROM information_schema.referential_constraints ORDER BY 1";
    assert_eq!(
        run(&mut own, constraints),
        "d_ibfk_1\tPRIMARY\tNO ACTION\tNO ACTION\ntwo\tu\tCASCADE\tSET NULL"
    );
    run(&mut own, "CREATE TABLE like_d LIKE d");
    assert_eq!(shown(&mut own, "like_d"), "KEY `x` (`y`),\nKEY `two` (`a`,`b`)");
    run(&mut own, "ALTER TABLE d DROP CONSTRAINT two, DROP FOREIGN KEY d_ibfk_1");
    run(&mut own, "DROP TABLE q");
}

#[test]
fn wrong_definitions_are_refused() {
    let mut own = related(&server(), "");
    run(&mut own, "ALTER TABLE p ADD u VARCHAR(10), ADD UNIQUE (u), ADD KEY (n)");
    for (definition, number) in [
        ("a INT, FOREIGN KEY (b) REFERENCES p (id)", 1072),
        ("a INT, FOREIGN KEY (a) REFERENCES p (n)", 6125),
        ("a INT, FOREIGN KEY (a) REFERENCES p (nope)", 3734),
        ("a INT, FOREIGN KEY (a) REFERENCES nope (x)", 1824),
        ("a INT, FOREIGN KEY (a) REFERENCES p (id, n)", 1239),
        ("a BIGINT, FOREIGN KEY (a) REFERENCES p (id)", 3780),
        ("a INT UNSIGNED, FOREIGN KEY (a) REFERENCES p (id)", 3780),
        ("a VARCHAR(9) COLLATE utf8mb4_bin, FOREIGN KEY (a) REFERENCES p (u)", 3780),
        ("a INT NOT NULL, FOREIGN KEY (a) REFERENCES p (id) ON DELETE SET NULL", 1830),
        ("a INT, CONSTRAINT c_ibfk_1 FOREIGN KEY (a) REFERENCES p (id)", 1826),
        ("a INT, b INT, FOREIGN KEY (a, a) REFERENCES p (id, n)", 1060),
        ("a INT, b INT AS (a) VIRTUAL, FOREIGN KEY (b) REFERENCES p (id)", 3733),
        ("a INT, b INT AS (a) STORED, FOREIGN KEY (b) REFERENCES p (id) ON UPDATE CASCADE", 3104),
    ] {
        assert_eq!(error(&mut own, &format!("CREATE TABLE d ({definition})")), number);
    }
    let columnar = "CREATE TABLE d (a INT, FOREIGN KEY (a) REFERENCES p (id)) ENGINE=COLUMNAR";
    assert_eq!(error(&mut own, columnar), 1235);
    for (change, number) in [
        ("ALTER TABLE c DROP INDEX pid", 1553),
        ("ALTER TABLE c DROP COLUMN pid", 1828),
        ("ALTER TABLE c MODIFY pid BIGINT", 3780),
        ("ALTER TABLE p MODIFY id BIGINT", 3780),
        ("ALTER TABLE p DROP COLUMN id", 1829),
        ("ALTER TABLE p DROP PRIMARY KEY", 1553),
        ("ALTER TABLE c DROP FOREIGN KEY nope", 1091),
        ("ALTER TABLE c DROP CONSTRAINT nope", 3940),
        ("DROP TABLE p", 3730),
        ("TRUNCATE TABLE p", 1701),
        ("ALTER TABLE p ADD e BIGINT, EXPIRES_BY = e", 1235),
    ] {
        assert_eq!(error(&mut own, change), number, "{change}");
    }
    run(&mut own, "CREATE DATABASE other");
    run(&mut own, "CREATE TABLE other.d (a INT, FOREIGN KEY (a) REFERENCES test.p (id))");
    assert_eq!(error(&mut own, "DROP DATABASE test"), 3730);
    run(&mut own, "DROP DATABASE other");
    run(&mut own, "DROP TABLE p, c");
}

#[test]
fn a_new_foreign_key_is_looked_at_in_rows_that_are_there() {
    let mut own = session(&server());
    run(&mut own, "CREATE TABLE p (id INT PRIMARY KEY)");
    run(&mut own, "CREATE TABLE c (id INT PRIMARY KEY, pid INT)");
    run(&mut own, "INSERT INTO p VALUES (1)");
    run(&mut own, "INSERT INTO c VALUES (1, 1), (2, 2), (3, NULL)");
    let add = "ALTER TABLE c ADD d INT, ADD CONSTRAINT k FOREIGN KEY (pid) REFERENCES p (id)";
    assert_eq!(error(&mut own, add), 1452);
    assert_eq!(error(&mut own, "SELECT d FROM c"), 1054, "nothing of it is there");
    run(&mut own, "INSERT INTO c VALUES (4, 9)");
    run(&mut own, "DELETE FROM c WHERE id IN (2, 4)");
    run(&mut own, add);
    assert_eq!(error(&mut own, "INSERT INTO c VALUES (4, 9, 9)"), 1452);
}

#[test]
fn without_checks_tables_and_rows_come_in_any_order() {
    let mut own = session(&server());
    run(&mut own, "SET foreign_key_checks = 0");
    run(
        &mut own,
        "CREATE TABLE c (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES p (id))",
    );
    run(&mut own, "INSERT INTO c VALUES (1, 1), (2, 2)");
    assert_eq!(error(&mut own, "CREATE TABLE p (id BIGINT PRIMARY KEY)"), 3780);
    run(&mut own, "SET foreign_key_checks = 1");
    assert_eq!(error(&mut own, "CREATE TABLE p (id BIGINT PRIMARY KEY)"), 1215);
    assert_eq!(error(&mut own, "INSERT INTO c VALUES (3, 3)"), 1452);
    run(&mut own, "CREATE TABLE p (id INT PRIMARY KEY)");
    run(&mut own, "INSERT INTO p VALUES (1)");
    assert_eq!(error(&mut own, "DELETE FROM p"), 1451, "the parent is adopted");
    run(&mut own, "INSERT INTO c VALUES (3, 1)");
    run(&mut own, "SET foreign_key_checks = 0");
    run(&mut own, "DROP TABLE p");
    run(&mut own, "SET foreign_key_checks = 1");
    assert_eq!(error(&mut own, "INSERT INTO c VALUES (4, 1)"), 1452);
}

/// Runs `statement` in another thread, gives it until it waits for a row lock, and then ends the
/// first one's transaction by `end`; gives what the statement came to.
fn beside(sql: &Arc<Sql>, own: &mut Session, statement: &str, end: &str) -> Result<String, u16> {
    thread::scope(|scope| {
        let other = scope.spawn(|| {
            let mut other = session(sql);
            answer(&mut other, statement).map_err(|error| error.code().number())
        });
        let since = Instant::now();
        let waiting = "SELECT COUNT(*) FROM information_schema.processlist WHERE state = \
                       'Waiting for row lock'";
        while run(own, waiting) == "0" {
            assert!(!other.is_finished(), "{statement} does not wait");
            assert!(since.elapsed() < PATIENCE, "{statement} does not come to its wait");
        }
        run(own, end);
        other.join().expect("no panic")
    })
}

#[test]
fn a_parent_cannot_vanish_under_a_row_that_is_not_committed_yet() {
    let sql = server();
    let mut own = related(&sql, "");
    run(&mut own, "INSERT INTO p VALUES (1, 1)");
    let (insert, delete) = ("INSERT INTO c VALUES (1, 1)", "DELETE FROM p WHERE id = 1");
    run(&mut own, "BEGIN");
    run(&mut own, insert);
    assert_eq!(beside(&sql, &mut own, delete, "COMMIT"), Err(1451));
    run(&mut own, "DELETE FROM c");
    run(&mut own, "BEGIN");
    run(&mut own, insert);
    assert_eq!(beside(&sql, &mut own, delete, "ROLLBACK"), Ok("ok 1".to_string()));
    run(&mut own, "INSERT INTO p VALUES (1, 1)");
    run(&mut own, "BEGIN");
    run(&mut own, delete);
    assert_eq!(beside(&sql, &mut own, insert, "COMMIT"), Err(1452));
    // A parent that is not committed yet is waited for.
    run(&mut own, "BEGIN");
    run(&mut own, "INSERT INTO p VALUES (1, 1)");
    assert_eq!(beside(&sql, &mut own, insert, "COMMIT"), Ok("ok 1".to_string()));
    run(&mut own, "BEGIN");
    run(&mut own, "DELETE FROM c");
    assert_eq!(beside(&sql, &mut own, delete, "COMMIT"), Ok("ok 1".to_string()));
}

#[test]
fn children_of_one_parent_do_not_wait_for_each_other() {
    let sql = server();
    let mut own = related(&sql, "");
    let mut other = session(&sql);
    run(&mut own, "INSERT INTO p VALUES (1, 1)");
    run(&mut other, "SET innodb_lock_wait_timeout = 1");
    run(&mut own, "BEGIN");
    run(&mut own, "INSERT INTO c VALUES (1, 1)");
    run(&mut other, "INSERT INTO c VALUES (2, 1)");
    run(&mut other, "UPDATE p SET n = 5");
    assert_eq!(error(&mut other, "UPDATE p SET id = 5"), 1205);
    run(&mut own, "COMMIT");
    assert_eq!(run(&mut own, "SELECT COUNT(*) FROM c"), "2");
}

#[test]
fn a_cascade_of_many_rows_is_one_statement() {
    let sql = server();
    let mut own = related(&sql, "ON DELETE CASCADE ON UPDATE CASCADE");
    run(&mut own, "INSERT INTO p VALUES (1, 1)");
    let many = "INSERT INTO c WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n \
                WHERE i < 5000) SELECT i, 1 FROM n";
    run(&mut own, "SET cte_max_recursion_depth = 10000");
    run(&mut own, many);
    run(&mut own, "UPDATE p SET id = 2");
    assert_eq!(run(&mut own, "SELECT COUNT(*), MIN(pid), MAX(pid) FROM c"), "5000\t2\t2");
    run(&mut own, "DELETE FROM p");
    assert_eq!(run(&mut own, "SELECT COUNT(*) FROM c"), "0");
}

/// Whoever took the parent away found the child by its old key, under which it was gone by then,
/// and did not look for the new one.
#[test]
fn a_child_that_got_another_key_did_not_hold_its_parent() {
    let sql = server();
    let mut own = session(&sql);
    run(&mut own, "CREATE TABLE p (id INT PRIMARY KEY)");
    run(
        &mut own,
        "CREATE TABLE c (id INT PRIMARY KEY, pid INT, \
         FOREIGN KEY (pid) REFERENCES p (id) ON DELETE SET NULL)",
    );
    run(&mut own, "INSERT INTO p VALUES (10)");
    run(&mut own, "INSERT INTO c VALUES (1, 10)");
    let mut child = session(&sql);
    run(&mut child, "BEGIN");
    run(&mut child, "UPDATE c SET id = 2");
    thread::scope(|scope| {
        let taker = scope.spawn(|| run(&mut session(&sql), "DELETE FROM p"));
        let waited_for = "SELECT OBJECT_NAME FROM performance_schema.data_locks WHERE \
                          LOCK_STATUS = 'WAITING'";
        let until = Instant::now() + PATIENCE;
        let table = loop {
            let table = run(&mut own, waited_for);
            if !table.is_empty() {
                break table;
            }
            assert!(Instant::now() < until, "the parent went beside its child");
            thread::yield_now();
        };
        run(&mut child, "COMMIT");
        taker.join().unwrap();
        assert_eq!(table, "p", "the key of the parent is held");
    });
    assert_eq!(run(&mut own, "SELECT * FROM c"), "2\tNULL");
    assert_eq!(run(&mut own, "SELECT COUNT(*) FROM p"), "0");
}

/// A small generator: the next of a row of numbers below `below`.
fn next(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % below
}

#[test]
fn no_child_is_without_its_parent_whatever_many_write_at_once() {
    const KEYS: u64 = 12;
    for seed in 1..=8 {
        let sql = server();
        let mut own = session(&sql);
        let mut state = seed;
        let tables = 3 + next(&mut state, 3);
        for table in 0..tables {
            run(
                &mut own,
                &format!("CREATE TABLE t{table} (id INT PRIMARY KEY, v INT, f0 INT, f1 INT)"),
            );
        }
        let mut keys = Vec::new();
        for table in 0..tables {
            for column in 0..2 {
                let parent = next(&mut state, tables);
                let action = |state: &mut u64| {
                    ["NO ACTION", "CASCADE", "SET NULL", "RESTRICT"][next(state, 4) as usize]
                };
                let (gone, moved) = (action(&mut state), action(&mut state));
                run(
                    &mut own,
                    &format!(
                        "ALTER TABLE t{table} ADD FOREIGN KEY (f{column}) REFERENCES t{parent} (id) ON \
                     DELETE {gone} ON UPDATE {moved}"
                    ),
                );
                keys.push((table, column, parent));
            }
        }
        thread::scope(|scope| {
            for writer in 0..4 {
                let sql = &sql;
                scope.spawn(move || {
                    let (mut own, mut state) = (session(sql), seed * 100 + writer);
                    for _ in 0..150 {
                        let (table, id) = (next(&mut state, tables), next(&mut state, KEYS));
                        let mut key = || match next(&mut state, KEYS + 2) {
                            key if key < KEYS => key.to_string(),
                            _ => "NULL".to_string(),
                        };
                        let (first, second) = (key(), key());
                        let statement = match next(&mut state, 6) {
                            0 | 1 => {
                                format!("INSERT INTO t{table} VALUES ({id}, 0, {first}, {second})")
                            }
                            2 => format!("DELETE FROM t{table} WHERE id = {id}"),
                            3 => format!(
                                "UPDATE t{table} SET id = {} WHERE id = {id}",
                                next(&mut state, KEYS)
                            ),
                            4 => format!(
                                "UPDATE t{table} SET f0 = {first}, v = v + 1 WHERE id = {id}"
                            ),
                            _ => {
                                format!("REPLACE INTO t{table} VALUES ({id}, 1, {first}, {second})")
                            }
                        };
                        if let Err(error) = answer(&mut own, &statement) {
                            let known = [1062, 1213, 1451, 1452, 1761, 3008];
                            let number = error.code().number();
                            assert!(known.contains(&number), "{statement}: {error:?}");
                        }
                    }
                });
            }
        });
        for (table, column, parent) in keys {
            let orphans = run(
                &mut own,
                &format!(
                    "SELECT COUNT(*) FROM t{table} c LEFT JOIN t{parent} p ON c.f{column} = p.id WHERE \
                 c.f{column} IS NOT NULL AND p.id IS NULL"
                ),
            );
            assert_eq!(orphans, "0", "seed {seed}: t{table}.f{column} of t{parent}");
        }
    }
}

#[test]
fn keys_of_other_lengths_and_digits_were_refused_and_are_compared_by_value() {
    let mut own = session(&server());
    let columns = "d DECIMAL(10,2) UNIQUE, b VARBINARY(16) UNIQUE, t DATETIME(6) UNIQUE";
    run(&mut own, &format!("CREATE TABLE p (id INT PRIMARY KEY, {columns})"));
    let row = "(1, 1.5, 'xx', '2026-01-01'), (2, 12345.25, 'yy', '2026-01-02 00:00:00.5')";
    run(&mut own, &format!("INSERT INTO p VALUES {row}"));
    for (ty, parent, there, absent, new, unfit) in [
        ("DECIMAL(5,3)", "d", "1.500", "1.501", "2.25", "99999.5"),
        ("BINARY(2)", "b", "'xx'", "'x'", "'zz'", "'zzz'"),
        (
            "DATETIME(0)",
            "t",
            "'2026-01-01'",
            "'2026-01-03'",
            "'2026-02-01'",
            "NOW(6) + INTERVAL 1 MICROSECOND",
        ),
    ] {
        let key = format!("FOREIGN KEY (a) REFERENCES p ({parent})");
        run(
            &mut own,
            &format!("CREATE TABLE c (a {ty}, {key} ON UPDATE CASCADE ON DELETE CASCADE)"),
        );
        run(&mut own, &format!("INSERT INTO c VALUES ({there})"));
        assert_eq!(error(&mut own, &format!("INSERT INTO c VALUES ({absent})")), 1452, "{ty}");
        run(&mut own, &format!("UPDATE p SET {parent} = {new} WHERE id = 1"));
        assert_eq!(
            answer(&mut own, &format!("SELECT COUNT(*) FROM c WHERE a = {new}")).unwrap(),
            "1",
            "{ty}"
        );
        if parent != "t" {
            let update = format!("UPDATE p SET {parent} = {unfit} WHERE id = 1");
            assert_eq!(error(&mut own, &update), 1451, "{ty}");
        }
        run(&mut own, &format!("ALTER TABLE c DROP FOREIGN KEY c_ibfk_1, ADD {key}"));
        run(&mut own, "DELETE FROM p WHERE id = 2");
        assert_eq!(error(&mut own, "DELETE FROM p"), 1451, "{ty}");
        run(&mut own, "DROP TABLE c");
        run(&mut own, "DELETE FROM p");
        run(&mut own, &format!("INSERT INTO p VALUES {row}"));
    }
}
