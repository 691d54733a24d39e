//! Sub-queries in values that are written over a row: ON DUPLICATE KEY UPDATE and LOAD DATA's SET.
//! MySQL 9.7 answers as these tests say.

use crate::harness::{answer, error, run, server, session};
use results::ExecutionMode;
use sql::{Reply, Session};

/// `t` is written to; `u` and `s` are read.
fn tables(s: &mut Session) {
    run(s, "DROP TABLE IF EXISTS t, u, s");
    run(s, "CREATE TABLE t (id INT PRIMARY KEY, v INT, w VARCHAR(20))");
    run(s, "CREATE TABLE u (k INT PRIMARY KEY, x INT, n VARCHAR(20))");
    run(s, "CREATE TABLE s (a INT, b INT)");
    run(s, "INSERT INTO t VALUES (1, 10, 'a'), (2, 20, 'b')");
    run(s, "INSERT INTO u VALUES (1, 100, 'one'), (2, 200, 'two'), (3, 300, 'three')");
    run(s, "INSERT INTO s VALUES (1, 5), (2, 6), (9, 7)");
}

fn t_of(s: &mut Session) -> String {
    run(s, "SELECT GROUP_CONCAT(CONCAT_WS(':', id, v, w) ORDER BY id) FROM t")
}

/// The rows of `t` after a statement, which is given to each executor, alone and in a transaction.
fn after(statement: &str) -> String {
    let sql = server();
    let s = &mut session(&sql);
    let mut all = Vec::new();
    for executor in ["auto", "rows", "columns"] {
        for in_transaction in [false, true] {
            run(s, &format!("SET rowhouse_executor = '{executor}'"));
            tables(s);
            if in_transaction {
                run(s, "BEGIN");
                run(s, "UPDATE u SET x = x + 0");
            }
            run(s, statement);
            run(s, "COMMIT");
            all.push(t_of(s));
        }
    }
    all.dedup();
    assert_eq!(all.len(), 1, "{statement}: {all:?}");
    all.swap_remove(0)
}

#[test]
fn a_subquery_sees_the_row_at_hand_and_the_one_to_be_added() {
    for (statement, wanted) in [
        ("VALUES (1, 1) ON DUPLICATE KEY UPDATE v = (SELECT MAX(x) FROM u)", "1:300:a,2:20:b"),
        (
            "VALUES (1, 3), (2, 2) ON DUPLICATE KEY UPDATE
             v = (SELECT x FROM u WHERE k = VALUES(v)), w = (SELECT n FROM u WHERE k = t.id)",
            "1:300:one,2:200:two",
        ),
        (
            "VALUES (1, 3), (2, 2) AS new ON DUPLICATE KEY UPDATE
             v = (SELECT x + new.v FROM u WHERE k = new.id),
             w = (SELECT CONCAT(n, t.v) FROM u WHERE k = new.v)",
            "1:103:three103,2:202:two202",
        ),
        (
            "VALUES (1, 3) AS new (i, j) ON DUPLICATE KEY UPDATE v = (SELECT x + j FROM u WHERE k = i)",
            "1:103:a,2:20:b",
        ),
        (
            "VALUES (2, 3) ON DUPLICATE KEY UPDATE v = EXISTS (SELECT 1 FROM u WHERE x = v * 10),
             w = id NOT IN (SELECT k + 1 FROM u), v = v + (SELECT COUNT(*) FROM u WHERE x > ALL (SELECT 150))",
            "1:10:a,2:3:0",
        ),
        // Each has members of its own.
        (
            "VALUES (2, 3) ON DUPLICATE KEY UPDATE v = id IN (SELECT k FROM u), w = id IN (SELECT x FROM u)",
            "1:10:a,2:1:0",
        ),
        ("VALUES (1, 3) ON DUPLICATE KEY UPDATE v = (SELECT 0x41)", "1:65:a,2:20:b"),
        ("VALUES (7, 3) ON DUPLICATE KEY UPDATE v = (SELECT x FROM u)", "1:10:a,2:20:b,7:3"),
        (
            "VALUES ((SELECT MIN(k) FROM u), 3) ON DUPLICATE KEY UPDATE
             v = (SELECT MIN(x) FROM u WHERE k > t.id) + VALUES(v)",
            "1:203:a,2:20:b",
        ),
        (
            "SELECT a, b FROM s ON DUPLICATE KEY UPDATE v = (SELECT x + s.b FROM u WHERE k = s.a)",
            "1:105:a,2:206:b,9:7",
        ),
        (
            "SELECT a, b FROM s ON DUPLICATE KEY UPDATE v = b + (SELECT x + b FROM u WHERE k = a)",
            "1:110:a,2:212:b,9:7",
        ),
        (
            "SELECT a, b FROM s UNION SELECT 2, 2 ON DUPLICATE KEY UPDATE
             v = (SELECT COUNT(*) FROM u WHERE k <= VALUES(id))",
            "1:1:a,2:2:b,9:7",
        ),
    ] {
        assert_eq!(after(&format!("INSERT INTO t (id, v) {statement}")), wanted, "{statement}");
    }
}

#[test]
fn what_changes_from_row_to_row_is_asked_for_each() {
    let sql = server();
    let s = &mut session(&sql);
    tables(s);
    run(s, "SET @f = 7");
    run(
        s,
        "INSERT INTO t (id, v) VALUES (1, 0), (2, 0)
         ON DUPLICATE KEY UPDATE v = (SELECT @f := @f + 1 FROM u WHERE k = 1)",
    );
    assert_eq!(t_of(s), "1:8:a,2:9:b");
    run(s, "SET @z = 0");
    for executor in ["auto", "rows"] {
        run(s, &format!("SET rowhouse_executor = '{executor}', @z = 0"));
        assert_eq!(run(s, "SELECT k, (SELECT @z := @z + 1) FROM u ORDER BY k"), "1\t1\n2\t2\n3\t3");
        let several =
            "SELECT COUNT(DISTINCT r) FROM (SELECT (SELECT RAND() FROM s LIMIT 1) r FROM u) q";
        assert_eq!(run(s, several), "3");
        assert_eq!(run(s, "SELECT @z := k, (SELECT @z * 2) FROM u ORDER BY k"), "1\t2\n2\t4\n3\t6");
    }
}

#[test]
fn what_is_wrong_with_a_subquery_is_said_and_nothing_is_written() {
    let sql = server();
    let s = &mut session(&sql);
    tables(s);
    for (value, code) in [
        ("(SELECT MAX(v) FROM t)", 1093),
        ("(SELECT MAX(v) FROM (SELECT * FROM t) q)", 1093),
        ("(SELECT x FROM u)", 1242),
        ("(SELECT x, k FROM u)", 1241),
        ("(SELECT x FROM nosuch)", 1146),
        ("(SELECT nosuch FROM u)", 1054),
        ("(SELECT VALUES(nosuch) FROM u)", 1054),
        ("(SELECT n FROM u WHERE k = 1)", 1366),
        ("SUM(v)", 1111),
    ] {
        let statement = format!(
            "INSERT INTO t (id, v) VALUES (5, 5), (1, 3) ON DUPLICATE KEY UPDATE v = {value}"
        );
        assert_eq!(error(s, &statement), code, "{value}");
        assert_eq!(t_of(s), "1:10:a,2:20:b", "{value}");
    }
}

#[test]
fn a_prepared_statement_asks_with_its_parameters_each_time() {
    let sql = server();
    let s = &mut session(&sql);
    tables(s);
    run(
        s,
        "PREPARE p FROM 'INSERT INTO t (id, v) VALUES (?, 0)
         ON DUPLICATE KEY UPDATE v = (SELECT x + ? FROM u WHERE k = VALUES(id))'",
    );
    run(s, "SET @one = 1, @two = 2, @three = 3");
    run(s, "EXECUTE p USING @one, @three");
    run(s, "UPDATE u SET x = x + 1000");
    run(s, "EXECUTE p USING @two, @one");
    assert_eq!(t_of(s), "1:103:a,2:1201:b");
    run(s, "ALTER TABLE u DROP COLUMN x");
    assert_eq!(error(s, "EXECUTE p USING @two, @one"), 1054);
}

/// Loads a file, in pieces of a few bytes, and gives the error's number if there is one.
fn load(s: &mut Session, statement: &str, file: &[u8]) -> Result<(), u16> {
    let (reply, _) = s
        .query(statement.as_bytes(), ExecutionMode::POOL)
        .map_err(|error| error.code().number())?;
    let Reply::LoadLocal(mut load) = reply else { panic!("no file was asked for") };
    for piece in file.chunks(5) {
        if let Err(error) = load.feed(s, piece) {
            load.abandon(s);
            return Err(error.code().number());
        }
    }
    load.finish(s).map(drop).map_err(|error| error.code().number())
}

#[test]
fn load_data_asks_for_each_line() {
    let sql = server();
    let s = &mut session(&sql);
    let statement = "LOAD DATA LOCAL INFILE 'f' INTO TABLE t (id, @k) SET
         v = (SELECT x + id FROM u WHERE k = @k), w = (SELECT CONCAT(MAX(n), v) FROM u)";
    for in_transaction in [false, true] {
        tables(s);
        if in_transaction {
            run(s, "BEGIN");
            run(s, "UPDATE u SET x = x + 1000 WHERE k = 2");
        }
        assert_eq!(load(s, statement, b"3\t1\n4\t2\n5\t3\n6\tx\n"), Ok(()));
        run(s, "COMMIT");
        let second = if in_transaction { "4:1204:two1204" } else { "4:204:two204" };
        assert_eq!(t_of(s), format!("1:10:a,2:20:b,3:103:two103,{second},5:305:two305,6"));
    }
    for (value, code) in [
        ("(SELECT MAX(v) FROM t)", 1093),
        ("(SELECT x FROM u)", 1242),
        ("(SELECT nosuch FROM u)", 1054),
    ] {
        tables(s);
        let statement = format!("LOAD DATA LOCAL INFILE 'f' INTO TABLE t (id) SET v = {value}");
        assert_eq!(load(s, &statement, b"3\n"), Err(code), "{value}");
        assert_eq!(t_of(s), "1:10:a,2:20:b", "{value}");
    }
}

#[test]
fn a_large_file_asks_as_a_small_one_does() {
    let sql = server();
    let s = &mut session(&sql);
    tables(s);
    let line =
        |id: u32| format!("{id}\t{}\t{}\n", id % 4, "text that makes the line long".repeat(4));
    let file: String = (10..20_010).map(line).collect();
    let statement = "LOAD DATA LOCAL INFILE 'f' INTO TABLE t (id, @k, @rest)
         SET v = (SELECT x FROM u WHERE k = @k), w = (SELECT COUNT(*) FROM s)";
    assert_eq!(load(s, statement, file.as_bytes()), Ok(()));
    let counts = "SELECT v, w, COUNT(*) FROM t WHERE id >= 10 GROUP BY v, w ORDER BY v";
    assert_eq!(
        answer(s, counts).expect("counts"),
        "NULL\t3\t5000\n100\t3\t5000\n200\t3\t5000\n300\t3\t5000"
    );
}

#[test]
fn two_writers_of_one_row_each_ask_for_their_own() {
    let sql = server();
    let s = &mut session(&sql);
    tables(s);
    std::thread::scope(|scope| {
        for writer in [1, 2] {
            let sql = &sql;
            scope.spawn(move || {
                let s = &mut session(sql);
                for _ in 0..50 {
                    run(
                        s,
                        &format!(
                            "INSERT INTO t (id, v) VALUES (1, 0) ON DUPLICATE KEY UPDATE
                             v = v + (SELECT x FROM u WHERE k = {writer})"
                        ),
                    );
                }
            });
        }
    });
    assert_eq!(run(s, "SELECT v FROM t WHERE id = 1"), (10 + 50 * 300).to_string());
}
