//! ALTER TABLE that copies all rows, while writers of all doors are at work: the copy has what they
//! write, or the table stays as it is.

use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use crate::mysql::{Failure, Mysql};
use crate::support::{Running, wait_until};
use crate::writers::{
    Lines, ROWS, Writers, assert_sound, fresh_rows, login, one, start, wait_for_stage,
};
use faults::on_small_disk;

const DISK: &str = "ROWHOUSE_TEST_ONLINE_COPIES_DISK";
const DISK_MEGABYTES: usize = 192;

/// The type of a column of `d.t`.
fn type_of(sql: &mut Mysql, column: &str) -> String {
    let rows = sql.query(&format!("SHOW COLUMNS FROM d.t LIKE '{column}'")).unwrap();
    rows[0][1].clone().unwrap_or_default().to_ascii_uppercase()
}

/// Whether a line of the process list is that of an ALTER.
fn is_alter(line: &[Option<String>]) -> bool {
    line[7].as_deref().is_some_and(|text| text.starts_with("ALTER"))
}

/// How much of the rows is left to be seen by `a`, whatever its type.
fn sum(sql: &mut Mysql) -> u64 {
    one(sql, "SELECT CAST(SUM(a) AS UNSIGNED) FROM d.t").parse().unwrap()
}

#[test]
fn writers_of_all_doors_go_on_and_the_copy_has_what_they_write() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = start(directory.path(), &["--durability=os"], ROWS);
    sql.execute("PREPARE known FROM 'INSERT INTO d.t VALUES (?, ?, ?, ?)'").unwrap();
    let writers = Writers::start(&server);
    for alter in [
        "ALTER TABLE d.t MODIFY a BIGINT",
        "ALTER TABLE d.t MODIFY s VARCHAR(59), ADD INDEX by_s (s), ADD UNIQUE by_b (b)",
        "ALTER TABLE d.t ENGINE=COLUMNAR",
        "ALTER TABLE d.t ENGINE=InnoDB, ALGORITHM=COPY, LOCK=SHARED",
    ] {
        let before = writers.counts();
        sql.execute(alter).unwrap_or_else(|error| panic!("{alter}: {error}"));
        let moved: Vec<_> =
            writers.counts().iter().zip(before).map(|(now, old)| now - old).collect();
        eprintln!("{alter}: {moved:?} writes meanwhile");
        // No door stands still: a row's write takes a fraction of what the copy takes.
        assert!(moved.iter().all(|moved| *moved >= 5), "{alter}: {moved:?}");
    }
    sql.execute("SET @id = -1, @a = 3, @s = 'prepared before'").unwrap();
    sql.execute("EXECUTE known USING @id, @a, @id, @s").unwrap();
    let done = writers.end();
    assert_eq!(type_of(&mut sql, "a"), "BIGINT");
    let wheres = ["id + 0 > -10", "s >= ''", "b > -10"];
    let count = |by| one(&mut sql, &format!("SELECT COUNT(*) FROM d.t WHERE {by}"));
    let counts = wheres.map(count);
    // Every row that was acknowledged to be new is there: of SQL, HandlerSocket and memcached.
    let fresh = [0, 2, 3].map(|writer| {
        let fresh = format!("SELECT COUNT(*) FROM d.t WHERE id >= {ROWS} AND id % 4 = {writer}");
        (writer, one(&mut sql, &fresh), fresh_rows(writer, done[writer]).to_string())
    });
    drop(sql);
    server.stop();
    // First, since it tells which entry or row it is.
    assert_sound(directory.path());
    assert!(counts.iter().all(|count| *count == counts[0]), "{wheres:?}: {counts:?}");
    assert!(fresh.iter().all(|(_, there, expected)| there == expected), "{fresh:?}");
}

#[test]
fn writers_that_are_quicker_than_the_copy_no_longer_keep_it_from_its_end() {
    const AT_ONCE: u64 = 100;
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = start(directory.path(), &["--durability=os"], ROWS);
    sql.execute("ALTER TABLE d.t ADD INDEX by_s (s), ADD UNIQUE by_b (b)").unwrap();
    let mut writers = Writers::default();
    for writer in 0..3 {
        let mut lines = Lines(BufReader::new(server.connect("handlersocket-write")));
        assert_eq!(lines.ask("P\t1\td\tt\tPRIMARY\tid,a,b,s\n"), "0\t1");
        writers.go(move |n, _| {
            let of = |at: u64| {
                (AT_ONCE * n + at).wrapping_mul(0x9e37_79b9_7f4a_7c15 + 2 * writer) % ROWS
            };
            let update = |id| format!("1\t=\t1\t{id}\t1\t0\tU\t{id}\t{n}\t{id}\t{n}\n");
            let request: String = (0..AT_ONCE).map(of).map(update).collect();
            let first = lines.ask(&request);
            for reply in (1..AT_ONCE).map(|_| lines.ask("")).chain([first]) {
                assert!(reply.starts_with("0\t1"), "{reply}");
            }
        });
    }
    let before: u64 = writers.counts().iter().sum();
    sql.execute("ALTER TABLE d.t MODIFY a BIGINT").unwrap();
    let written = (writers.counts().iter().sum::<u64>() - before) * AT_ONCE;
    // Of rounds that leave more and more it was eight millions.
    assert!(written < 20 * ROWS, "{written} writes");
    writers.end();
    assert_eq!(
        one(&mut sql, "SELECT COUNT(*) FROM d.t WHERE s >= '' AND b = id"),
        ROWS.to_string()
    );
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}

#[test]
fn a_server_that_is_killed_at_any_moment_has_the_whole_copy_or_the_table_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let (mut server, mut sql) = start(directory.path(), &["--durability=every-second"], ROWS);
    let mut expected = sum(&mut sql);
    drop(sql);
    let mut complete = 0;
    // After so many writes beside it, and as soon as writers are followed.
    let moments = [0, 5, 20, 50, 100, 200, 500, 1000, 3000].map(Some);
    let moments = [&moments[..], &[None; 5]].concat();
    for (round, moment) in moments.iter().enumerate() {
        let mut sql = login(&server);
        let known = type_of(&mut sql, "a");
        let other = if known.starts_with("BIGINT") { "INT" } else { "BIGINT" };
        let mut altering = login(&server);
        let mut writer = login(&server);
        let more = match round % 4 {
            0 => ", DROP PRIMARY KEY, ADD PRIMARY KEY (id, s)",
            2 => ", DROP PRIMARY KEY, ADD PRIMARY KEY (id)",
            _ => "",
        };
        altering.send_query(&format!("ALTER TABLE d.t MODIFY a {other}{more}")).unwrap();
        let count = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&count);
        let written = thread::spawn(move || {
            let mut n = 0;
            while writer.execute(&format!("UPDATE d.t SET a = a + 1 WHERE id = {n}")).is_ok() {
                n = (counted.fetch_add(1, Ordering::Relaxed) + 1) % ROWS;
            }
        });
        match moment {
            Some(writes) => {
                wait_until("writes beside it", || count.load(Ordering::Relaxed) >= *writes);
            }
            None => wait_until("the copy to follow writers", || {
                let list = sql.query("SHOW PROCESSLIST").unwrap();
                let state = list.iter().find(|line| is_alter(line)).map(|line| line[6].clone());
                // Or it is over.
                state.is_none_or(|state| state.is_some_and(|state| state.contains("following")))
            }),
        }
        server.kill();
        written.join().unwrap();
        let acknowledged = count.load(Ordering::Relaxed);
        assert_sound(directory.path());
        server = Running::start(directory.path(), &["--durability=every-second"]);
        let mut sql = login(&server);
        let now = type_of(&mut sql, "a");
        assert!(now == known || now.starts_with(other), "{now}");
        complete += usize::from(now != known);
        assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.t WHERE s >= ''"), ROWS.to_string());
        // The last one may be there without an answer.
        let found = sum(&mut sql);
        let written = expected + acknowledged;
        assert!(found == written || found == written + 1, "{found} for {written}");
        expected = found;
    }
    eprintln!("{complete} of {} were complete", moments.len());
    let mut sql = login(&server);
    sql.execute("ALTER TABLE d.t MODIFY a DOUBLE").unwrap();
    assert_eq!(sum(&mut sql), expected);
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}

#[test]
fn one_that_is_killed_or_whose_client_leaves_is_undone_and_a_second_waits_for_the_first() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = start(directory.path(), &["--durability=os"], ROWS);
    let mut altering = login(&server);
    let number = one(&mut altering, "SELECT CONNECTION_ID()");
    altering.send_query("ALTER TABLE d.t MODIFY a BIGINT").unwrap();
    wait_for_stage(&mut sql);
    sql.execute("UPDATE d.t SET a = 1 WHERE id = 5").unwrap();
    sql.execute(&format!("KILL QUERY {number}")).unwrap();
    let ended = altering.result();
    assert!(matches!(ended, Err(Failure::Error { number: 1317, .. })), "{ended:?}");
    assert!(type_of(&mut sql, "a").starts_with("INT"));
    altering.send_query("ALTER TABLE d.t MODIFY a /* left_alone */ BIGINT").unwrap();
    wait_for_stage(&mut sql);
    drop(altering);
    wait_until("nobody to alter any more", || {
        let list = sql.query("SHOW PROCESSLIST").unwrap();
        !list.iter().any(|line| line[7].as_deref().is_some_and(|text| text.contains("left_alone")))
    });
    assert!(type_of(&mut sql, "a").starts_with("INT"));
    let (mut first, mut second) = (login(&server), login(&server));
    first.send_query("ALTER TABLE d.t MODIFY a BIGINT").unwrap();
    wait_for_stage(&mut sql);
    second.send_query("ALTER TABLE d.t MODIFY b DOUBLE, ADD INDEX by_a (a)").unwrap();
    first.result().unwrap();
    second.result().unwrap();
    assert!(type_of(&mut sql, "a").starts_with("BIGINT"));
    assert_eq!(type_of(&mut sql, "b"), "DOUBLE");
    // A transaction that holds rows of it when the copy is ready, and one that holds them before.
    let (mut holding, mut altering) = (login(&server), login(&server));
    altering.send_query("ALTER TABLE d.t MODIFY b BIGINT").unwrap();
    wait_for_stage(&mut sql);
    holding.execute("BEGIN").unwrap();
    holding.execute("UPDATE d.t SET a = -7 WHERE id = 7").unwrap();
    wait_until("the ALTER to wait for the transaction", || {
        let list = sql.query("SHOW PROCESSLIST").unwrap();
        let is_waiting = |state: &str| state.contains("metadata lock");
        list.iter().any(|line| line[6].as_deref().is_some_and(is_waiting))
    });
    holding.execute("UPDATE d.t SET a = -8 WHERE id = 8").unwrap();
    holding.execute("COMMIT").unwrap();
    altering.result().unwrap();
    assert_eq!(type_of(&mut sql, "b"), "BIGINT");
    assert_eq!(one(&mut sql, "SELECT SUM(a) FROM d.t WHERE id IN (7, 8)"), "-15");
    holding.execute("BEGIN").unwrap();
    holding.query("SELECT * FROM d.t WHERE id = 7 FOR UPDATE").unwrap();
    altering.execute("SET lock_wait_timeout = 1").unwrap();
    let ended = altering.execute("ALTER TABLE d.t MODIFY b DOUBLE");
    assert!(matches!(ended, Err(Failure::Error { number: 1205, .. })), "{ended:?}");
    holding.execute("COMMIT").unwrap();
    // A key that two rows share when the copy is ready: told to who makes it.
    let alter = "ALTER TABLE d.t MODIFY b DOUBLE, ADD UNIQUE shared (b, s)";
    altering.send_query(alter).unwrap();
    wait_for_stage(&mut sql);
    let written = sql.execute("INSERT INTO d.t SELECT -1, a, b, s FROM d.t WHERE id = 77");
    let refused = |outcome: Option<Failure>| match outcome {
        None => false,
        Some(Failure::Error { number: 1062, message }) => {
            assert!(message.contains("for key 't.shared'"), "{message}");
            true
        }
        Some(other) => panic!("{other}"),
    };
    // The writer, if the copy took the table's place before it.
    let (writer, adder) = (refused(written.err()), refused(altering.result().err()));
    assert!(writer != adder, "one of them");
    assert_eq!(type_of(&mut sql, "b") == "DOUBLE", writer);
    drop((sql, first, second, altering, holding));
    server.stop();
    assert_sound(directory.path());
}

#[test]
fn records_of_tokyo_tyrant_are_written_while_their_table_changes_its_form() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--durability=os"]);
    let mut sql = login(&server);
    let mut lines = Lines(BufReader::new(server.connect("tyrant")));
    let mut set = move |key: u64, value: &str| {
        let request = format!("set k{key} 0 0 {}\r\n{value}\r\n", value.len());
        assert_eq!(lines.ask(&request), "STORED");
    };
    (0..5_000).for_each(|key| set(key, "before"));
    let (stop, mut written) = (Arc::new(AtomicBool::new(false)), 0);
    let of_writer = Arc::clone(&stop);
    let writer = thread::spawn(move || {
        while !of_writer.load(Ordering::Relaxed) {
            set(written * 3, &format!("beside {written}"));
            written += 1;
        }
        written
    });
    for engine in ["COLUMNAR", "InnoDB", "COLUMNAR"] {
        sql.execute(&format!("ALTER TABLE tyrant.records ENGINE={engine}")).unwrap();
    }
    stop.store(true, Ordering::Relaxed);
    let written = writer.join().unwrap();
    assert!(written > 5, "{written} writes beside it");
    let mut lines = Lines(BufReader::new(server.connect("tyrant")));
    for number in 0..written {
        let value = format!("beside {number}");
        let head = format!("VALUE k{} 0 {}", number * 3, value.len());
        assert_eq!(lines.ask(&format!("get k{}\r\n", number * 3)), head);
        assert_eq!((lines.ask(""), lines.ask("")), (value, "END".to_owned()));
    }
    let count = one(&mut sql, "SELECT COUNT(*) FROM tyrant.records");
    let expected = (0..5_000).chain((0..written).map(|number| number * 3));
    let expected: std::collections::BTreeSet<u64> = expected.collect();
    assert_eq!(count, expected.len().to_string());
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}

/// The child's part; without the environment, nothing.
#[test]
fn a_child_copies_tables_until_its_small_disk_is_full() {
    let Ok(disk) = std::env::var(DISK) else { return };
    let data = Path::new(&disk).join("data");
    let (server, mut sql) = start(&data, &["--durability=os"], 400_000);
    // Each further table is as large as a copy of `d.t`, so that there is no room for one at last.
    let mut turns = 0;
    let refused = loop {
        let types = if turns % 2 == 0 { "BIGINT" } else { "INT" };
        if let Err(error) = sql.execute(&format!("ALTER TABLE d.t MODIFY a {types}")) {
            break error;
        }
        match sql.execute(&format!("CREATE TABLE d.t{turns} AS SELECT * FROM d.t")) {
            Ok(_) | Err(Failure::Error { number: 1021 | 1114, .. }) => {}
            Err(other) => panic!("{other}"),
        }
        turns += 1;
        assert!(turns < 60, "the disk is never full");
    };
    assert!(matches!(refused, Failure::Error { number: 1021 | 1114, .. }), "{refused:?}");
    assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.t"), "400000");
    // Writers are let in again when it has been seen that there is room.
    let update = "UPDATE d.t SET a = 5 WHERE id < 10";
    wait_until("writers go on", || match sql.execute(update) {
        Ok(_) => true,
        Err(Failure::Error { number: 1021, .. }) => false,
        Err(other) => panic!("{other:?}"),
    });
    drop(sql);
    server.stop();
    assert_sound(&data);
}

#[test]
fn a_copy_for_which_there_is_no_room_ends_with_an_error_and_writers_go_on() {
    let name = "a_child_copies_tables_until_its_small_disk_is_full";
    on_small_disk(&format!("size={DISK_MEGABYTES}m"), DISK, name);
}
