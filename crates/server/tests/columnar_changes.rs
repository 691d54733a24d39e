//! UPDATE and DELETE of columnar tables where no index finds the rows: they are found by column,
//! and changed as they would be row by row, beside other writers, within the memory, wholly or not
//! at all.

use std::time::{Duration, Instant};

use crate::by_column::{MEMORY, await_waiter, cell, insert, stop_and_check};
use crate::mysql::{Failure, Mysql};
use crate::support::{Running, peak_mib, rest, wait_until};

/// More than are looked at row by row.
const ROWS: i64 = 60_000;

fn session(server: &Running) -> Mysql {
    Mysql::login(server.connect("mysql")).expect("a session")
}

/// `d.t (id, n, word)`, filled and sealed.
fn furnished(server: &Running, more: &str) -> Mysql {
    let mut client = session(server);
    client.query("CREATE DATABASE d").unwrap();
    let columns = format!("id INT PRIMARY KEY, n INT, word VARCHAR(40){more}");
    client.query(&format!("CREATE TABLE d.t ({columns}) ENGINE=COLUMNAR")).unwrap();
    insert(&mut client, 0..ROWS, "");
    let status = "SHOW TABLE STATUS FROM d LIKE 't'";
    wait_until("the rows to be sealed", || {
        client.query(status).unwrap()[0][5].as_deref().is_some_and(|bytes| bytes != "0")
    });
    client
}

#[test]
fn rows_found_by_column_are_changed_as_those_found_row_by_row() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = furnished(&server, ", UNIQUE KEY (n, id)");
    client.query("CREATE TABLE d.r LIKE d.t").unwrap();
    client.query("ALTER TABLE d.r ENGINE=InnoDB").unwrap();
    client.query("INSERT INTO d.r SELECT * FROM d.t").unwrap();
    client
        .query("SET SESSION sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO'")
        .unwrap();
    let sums = "COUNT(*), SUM(id), SUM(n), SUM(id * n % 1009), SUM(LENGTH(word)), \
                SUM(ORD(word)), MIN(word), MAX(word), COUNT(n), COUNT(word)";
    let changes = [
        "UPDATE # SET n = n + 1 WHERE id % 100 = 7",
        "UPDATE # SET n = n + 1, word = CONCAT(word, '+', n) WHERE n % 10 = 8 AND word LIKE '%1_'",
        "DELETE FROM # WHERE (id * 31 + n) % 100 = 8",
        "UPDATE # SET n = NULL WHERE word IN ('word 17', 'WORD 18') OR id + 5 < 100",
        "UPDATE # AS x SET x.word = 'none' WHERE x.n IS NULL",
        "DELETE FROM # WHERE n IS NULL AND id % 2 = 0",
        // Of the key, in the order that makes room for the next.
        "UPDATE # SET id = id + 1 WHERE n + 0 >= 0 ORDER BY id DESC",
        "UPDATE # SET id = id - 1 WHERE n + 0 >= 0",
        "UPDATE # SET id = id + 1 WHERE n + 0 >= 0",
        "UPDATE IGNORE # SET id = id + 1 WHERE n % 3 = 0",
        "UPDATE # SET n = @at := @at + 1 WHERE id % 5 = 1",
        "DELETE FROM # WHERE n % 7 = 0 ORDER BY word DESC, n LIMIT 1000",
        "DELETE FROM # WHERE n % 7 = 1 LIMIT 500",
        "UPDATE # SET word = n WHERE n % 7 = 2 ORDER BY n DESC LIMIT 700",
        "UPDATE # SET word = id WHERE 1 / (n - 20) > 2",
        "UPDATE # SET word = REPEAT('long', 20) WHERE n % 50 = 3",
        "UPDATE # SET word = 'w' WHERE n > (SELECT AVG(n) FROM d.t) AND id % 11 = 1",
        "REPLACE INTO # SELECT id, -n, word FROM # WHERE n % 13 = 5",
        "INSERT INTO # SELECT id + 1000000, n, word FROM # WHERE n % 13 = 6",
        "UPDATE # SET word = CONCAT(word, '.')",
        "DELETE FROM # WHERE id % 100 < 97",
        "DELETE FROM #",
    ];
    for change in changes {
        let mut outcomes = Vec::new();
        for name in ["d.t", "d.r"] {
            client.query("SET @at = 100").unwrap();
            let outcome = match client.execute(&change.replace('#', name)) {
                Ok(affected) => format!("{affected} rows"),
                Err(Failure::Error { number, .. }) => format!("error {number}"),
                Err(gone) => panic!("{change}: {gone}"),
            };
            let left = client.query(&format!("SELECT {sums} FROM {name}")).unwrap();
            outcomes.push((outcome, left));
        }
        assert_eq!(outcomes[0], outcomes[1], "{change}");
    }
    drop(client);
    stop_and_check(server, directory.path());
}

#[test]
fn a_condition_of_chance_was_decided_twice() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = furnished(&server, "");
    client.query("CREATE TABLE d.r (id INT PRIMARY KEY)").unwrap();
    client.query("INSERT INTO d.r SELECT id FROM d.t WHERE id < 20000").unwrap();
    for (table, rows) in [("t", ROWS as u64), ("r", 20_000)] {
        let deleted =
            client.execute(&format!("DELETE FROM d.{table} WHERE RAND(7) < 0.2")).unwrap();
        assert!((rows / 6..rows / 4).contains(&deleted), "{deleted} of {rows}");
    }
}

#[test]
fn a_division_by_zero_was_no_error_of_strict_writes_whose_rows_a_query_finds() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = furnished(&server, "");
    client.query("CREATE TABLE d.r (id INT PRIMARY KEY, ratio DOUBLE)").unwrap();
    let statements = [
        "INSERT INTO d.r SELECT id, 1 / (n - 7) FROM d.t",
        "UPDATE d.t JOIN d.t AS s ON s.id = t.id SET t.n = 1 / (s.n - 7)",
        "UPDATE d.t SET n = 0 WHERE 1 / (n - 7) > 2",
        "DELETE FROM d.t WHERE 1 / (n - 7) > 2",
    ];
    for (mode, is_strict) in [("STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO", true), ("", false)]
    {
        client.query(&format!("SET SESSION sql_mode = '{mode}'")).unwrap();
        for statement in statements {
            let done = client.execute(statement);
            let refused = matches!(done, Err(Failure::Error { number: 1365, .. }));
            // DELETE, too, as MySQL 9.7 refuses it; MariaDB 10.11 deletes.
            assert_eq!(refused, is_strict, "{statement}: {done:?}");
        }
    }
}

#[test]
fn a_row_that_does_not_match_any_more_when_its_lock_is_had_stays() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let (mut first, mut second) = (furnished(&server, ""), session(&server));
    let mut watcher = session(&server);
    for (word, hit) in [("hit", "UPDATE d.t SET word = 'hit'"), ("gone", "DELETE FROM d.t")] {
        first.query("BEGIN").unwrap();
        first.query("UPDATE d.t SET n = 6 WHERE id IN (205, 1105, 59905)").unwrap();
        first.query("DELETE FROM d.t WHERE id = 305").unwrap();
        first.query("UPDATE d.t SET n = 105 WHERE id = 405").unwrap();
        let matching = cell(&mut second, "SELECT COUNT(*) FROM d.t WHERE n % 100 = 5");
        let answer = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| second.execute(&format!("{hit} WHERE n % 100 = 5")));
            await_waiter(&mut watcher);
            first.query("COMMIT").unwrap();
            waiting.join().unwrap()
        });
        let stayed = matching.parse::<u64>().unwrap() - 4;
        assert_eq!(answer.unwrap(), stayed, "{word}");
        let six = "SELECT COUNT(*) FROM d.t WHERE id IN (205, 1105, 59905) AND word LIKE 'word%'";
        assert_eq!(cell(&mut first, six), "3");
        assert_eq!(cell(&mut first, "SELECT COUNT(*) FROM d.t WHERE id = 305"), "0");
        let newest = format!("SELECT COUNT(*) FROM d.t WHERE id = 405 AND word = '{word}'");
        assert_eq!(cell(&mut first, &newest), if word == "hit" { "1" } else { "0" });
        // As it was, for the second time.
        first.query("UPDATE d.t SET n = id % 100 WHERE id % 100 = 5").unwrap();
        first.query("INSERT INTO d.t VALUES (305, 5, 'word 305')").unwrap();
    }
}

#[test]
fn no_change_of_two_sessions_to_the_same_rows_is_lost() {
    const TIMES: usize = 6;
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let mut client = furnished(&server, "");
    // Both are begun with a snapshot that does not show what the other does.
    let reader_sum = "SELECT SUM(n) FROM d.t WHERE id % 20 = 3";
    let mut reader = session(&server);
    reader.query("START TRANSACTION WITH CONSISTENT SNAPSHOT").unwrap();
    let before: i64 = cell(&mut reader, reader_sum).parse().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let mut client = session(&server);
            scope.spawn(move || {
                for _ in 0..TIMES {
                    let add = "UPDATE d.t SET n = n + 1 WHERE id % 20 = 3";
                    assert_eq!(client.execute(add).unwrap(), ROWS as u64 / 20);
                }
            });
        }
    });
    assert_eq!(cell(&mut reader, reader_sum), before.to_string());
    let after: i64 = cell(&mut client, reader_sum).parse().unwrap();
    assert_eq!(after - before, 2 * TIMES as i64 * ROWS / 20);
}

#[test]
fn a_statement_that_is_ended_or_undone_has_changed_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[MEMORY]);
    let (mut client, mut killer) = (furnished(&server, ""), session(&server));
    let sums = "SELECT CONCAT(COUNT(*), ' ', SUM(n), ' ', SUM(LENGTH(word))) FROM d.t";
    let before = cell(&mut client, sums);
    let id = cell(&mut client, "SELECT CONNECTION_ID()");
    let changes = ["UPDATE d.t SET n = n + 1, word = CONCAT(word, '!')", "DELETE FROM d.t"];
    for change in changes {
        client.send_query(change).unwrap();
        let killed = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| client.result());
            while !waiting.is_finished() {
                rest();
                killer.query(&format!("KILL QUERY {id}")).unwrap();
            }
            waiting.join().unwrap()
        });
        assert!(matches!(killed, Err(Failure::Error { number: 1317, .. })), "{killed:?}");
        // A mark that came behind the end belongs to nobody.
        while client.query("SELECT 1").is_err() {}
        assert_eq!(cell(&mut client, sums), before, "{change}");
        client.query("SET SESSION max_statement_time = 0.03").unwrap();
        let late = client.query(change);
        assert!(matches!(late, Err(Failure::Error { number: 1969, .. })), "{late:?}");
        client.query("SET SESSION max_statement_time = 0").unwrap();
        assert_eq!(cell(&mut client, sums), before, "{change}");
        client.query("BEGIN").unwrap();
        client.query("UPDATE d.t SET word = 'own' WHERE n % 100 = 1").unwrap();
        client.query("SAVEPOINT here").unwrap();
        assert_eq!(client.execute(change).unwrap(), ROWS as u64);
        client.query("ROLLBACK TO here").unwrap();
        let own = "UPDATE d.t SET n = 1000 WHERE word = 'own'";
        assert_eq!(client.execute(own).unwrap(), ROWS as u64 / 100);
        client.query("ROLLBACK").unwrap();
        assert_eq!(cell(&mut client, sums), before, "{change}");
    }
}

#[test]
fn a_kill_of_the_server_leaves_a_change_of_many_rows_whole_or_undone() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Running::start(directory.path(), &[MEMORY]);
    drop(furnished(&server, ""));
    let sums = "SELECT CONCAT(COUNT(*), ' ', SUM(n), ' ', SUM(id * n % 1009)) FROM d.t";
    for round in 0..5u32 {
        let mut client = session(&server);
        let before = cell(&mut client, sums);
        client.query("CREATE TABLE d.copy AS SELECT * FROM d.t").unwrap();
        let change = match round % 2 {
            0 => "UPDATE # SET n = n + 1 WHERE (id * 7 + n) % 3 = 1",
            _ => "DELETE FROM # WHERE (id * 7 + n) % 30 = 2",
        };
        client.query(&change.replace('#', "d.copy")).unwrap();
        let after = cell(&mut client, &sums.replace("d.t", "d.copy"));
        client.query("DROP TABLE d.copy").unwrap();
        client.send_query(&change.replace('#', "d.t")).unwrap();
        let until = Instant::now() + Duration::from_millis(u64::from(60 * round * round));
        wait_until("the moment", || Instant::now() >= until);
        server.kill();
        server = Running::start(directory.path(), &[MEMORY]);
        let found = cell(&mut session(&server), sums);
        assert!([&before, &after].contains(&&found), "{round}: {before} or {after}: {found}");
    }
    stop_and_check(server, directory.path());
}

#[test]
fn all_rows_are_changed_within_the_memory() {
    const MEMORY_MIB: u64 = 256;
    let directory = tempfile::tempdir().unwrap();
    let memory = format!("--memory={MEMORY_MIB}MiB");
    let server = Running::start(directory.path(), &[&memory, "--durability=os"]);
    let mut client = furnished(&server, "");
    let mut rows = ROWS as u64;
    while rows < 400_000 {
        let double = format!("INSERT INTO d.t SELECT id + {rows}, n, word FROM d.t");
        assert_eq!(client.execute(&double).unwrap(), rows);
        rows *= 2;
    }
    let updated = "UPDATE d.t SET n = n + 1, word = CONCAT('changed ', word)";
    assert_eq!(client.execute(updated).unwrap(), rows);
    let changed = "SELECT COUNT(*) FROM d.t WHERE n = id % 100 + 1 AND word LIKE 'changed%'";
    assert_eq!(cell(&mut client, changed), rows.to_string());
    assert_eq!(client.execute("UPDATE d.t SET id = -id WHERE n > 0").unwrap(), rows - 1);
    assert_eq!(client.execute("DELETE FROM d.t").unwrap(), rows);
    assert_eq!(cell(&mut client, "SELECT COUNT(*) FROM d.t"), "0");
    let peak = peak_mib(&server);
    assert!(peak <= MEMORY_MIB * 11 / 10, "{peak} MiB resident, {MEMORY_MIB} allowed");
    drop(client);
    stop_and_check(server, directory.path());
}
