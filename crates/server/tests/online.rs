//! ADD INDEX while writers of all doors are at work: it has every row's entry, or is not there at
//! all.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::mysql::{Failure, Mysql};
use crate::support::{Running, wait_until};
use crate::writers::{ROWS, Writers, assert_sound, login, one, start, wait_for_stage};
use faults::on_small_disk;

const DISK: &str = "ROWHOUSE_TEST_ONLINE_DISK";
const DISK_MEGABYTES: usize = 160;

fn indexes(sql: &mut Mysql) -> usize {
    sql.query("SHOW INDEX FROM d.t WHERE Seq_in_index = 1").unwrap().len()
}

#[test]
fn writers_of_all_doors_go_on_and_the_index_has_what_they_write() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = start(directory.path(), &["--durability=os"], ROWS);
    sql.execute("PREPARE known FROM 'INSERT INTO d.t VALUES (?, ?, ?, ?)'").unwrap();
    let writers = Writers::start(&server);
    for (number, add) in [
        "ALTER TABLE d.t ADD INDEX by_a (a, s), LOCK=NONE",
        "CREATE INDEX by_s ON d.t (s) ALGORITHM=INPLACE",
        "ALTER TABLE d.t ADD UNIQUE by_b (b)",
    ]
    .into_iter()
    .enumerate()
    {
        let before = writers.counts();
        sql.execute(add).unwrap_or_else(|error| panic!("{add}: {error}"));
        let moved: Vec<_> =
            writers.counts().iter().zip(before).map(|(now, old)| now - old).collect();
        eprintln!("{add}: {moved:?} writes meanwhile");
        // No door stands still: a row's write takes a fraction of what the index takes.
        assert!(moved.iter().all(|moved| *moved >= 5), "{add}: {moved:?}");
        assert_eq!(indexes(&mut sql), 2 + number);
    }
    sql.execute("SET @id = -1, @a = 3, @s = 'prepared before'").unwrap();
    sql.execute("EXECUTE known USING @id, @a, @id, @s").unwrap();
    sql.execute("ALTER TABLE d.t DROP INDEX by_s").unwrap();
    writers.end();
    let wheres = ["id + 0 > -10", "a >= 0", "b > -10"];
    let count = |by| one(&mut sql, &format!("SELECT COUNT(*) FROM d.t WHERE {by}"));
    let counts = wheres.map(count);
    drop(sql);
    server.stop();
    // First, since it tells which entry it is.
    assert_sound(directory.path());
    assert!(counts.iter().all(|count| *count == counts[0]), "{wheres:?}: {counts:?}");
}

#[test]
fn a_server_that_is_killed_at_any_moment_has_the_whole_index_or_nothing_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let (mut server, sql) = start(directory.path(), &["--durability=every-second"], ROWS);
    drop(sql);
    let mut complete = 0;
    // Killed after so many writes beside it, if it takes as long.
    for (round, writes) in [0, 5, 20, 50, 100, 200, 500, 1000, 3000].into_iter().enumerate() {
        let mut sql = login(&server);
        let known = indexes(&mut sql);
        let mut altering = login(&server);
        let mut writer = login(&server);
        altering.send_query(&format!("ALTER TABLE d.t ADD INDEX i{round} (s, a)")).unwrap();
        let count = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&count);
        let written = thread::spawn(move || {
            let mut n = 0;
            while writer.execute(&format!("UPDATE d.t SET a = a + 1 WHERE id = {n}")).is_ok() {
                n = counted.fetch_add(1, Ordering::Relaxed) + 1;
            }
        });
        wait_until("writes beside it", || count.load(Ordering::Relaxed) >= writes);
        server.kill();
        written.join().unwrap();
        assert_sound(directory.path());
        server = Running::start(directory.path(), &["--durability=every-second"]);
        let mut sql = login(&server);
        let now = indexes(&mut sql);
        assert!(now == known || now == known + 1);
        complete += now - known;
        assert_eq!(one(&mut sql, "SELECT COUNT(*) FROM d.t WHERE s >= ''"), ROWS.to_string());
    }
    eprintln!("{complete} of 9 were complete");
    let mut sql = login(&server);
    sql.execute("ALTER TABLE d.t ADD INDEX at_last (s)").unwrap();
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
    altering.send_query("ALTER TABLE d.t ADD INDEX gone (s, b)").unwrap();
    wait_for_stage(&mut sql);
    sql.execute("UPDATE d.t SET a = 1 WHERE id = 5").unwrap();
    sql.execute(&format!("KILL QUERY {number}")).unwrap();
    let ended = altering.result();
    assert!(matches!(ended, Err(Failure::Error { number: 1317, .. })), "{ended:?}");
    assert_eq!(indexes(&mut sql), 1);
    altering.send_query("ALTER TABLE d.t ADD INDEX left_alone (s, b)").unwrap();
    wait_for_stage(&mut sql);
    drop(altering);
    wait_until("nobody to alter any more", || {
        let list = sql.query("SHOW PROCESSLIST").unwrap();
        !list.iter().any(|line| line[7].as_deref().is_some_and(|text| text.contains("left_alone")))
    });
    assert_eq!(indexes(&mut sql), 1);
    let (mut first, mut second) = (login(&server), login(&server));
    first.send_query("ALTER TABLE d.t ADD INDEX one (s, b)").unwrap();
    wait_for_stage(&mut sql);
    second.send_query("ALTER TABLE d.t ADD INDEX two (b)").unwrap();
    first.result().unwrap();
    second.result().unwrap();
    assert_eq!(indexes(&mut sql), 3);
    // A key that two rows share when the index is ready: told to who adds it.
    let mut altering = login(&server);
    altering.send_query("ALTER TABLE d.t ADD UNIQUE shared (b, s)").unwrap();
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
    // The writer, if the index was there before it.
    let (writer, adder) = (refused(written.err()), refused(altering.result().err()));
    assert!(writer != adder, "one of them");
    assert_eq!(indexes(&mut sql), if adder { 3 } else { 4 });
    drop((sql, first, second, altering));
    server.stop();
    assert_sound(directory.path());
}

/// The child's part; without the environment, nothing.
#[test]
fn a_child_adds_more_indexes_than_its_small_disk_holds() {
    let Ok(disk) = std::env::var(DISK) else { return };
    let data = Path::new(&disk).join("data");
    let (server, mut sql) = start(&data, &["--durability=os"], 400_000);
    let mut added = 0;
    let refused = loop {
        match sql.execute(&format!("ALTER TABLE d.t ADD INDEX i{added} (s, b, a)")) {
            Ok(_) => added += 1,
            Err(error) => break error,
        }
        assert!(added < 60, "the disk is never full");
    };
    assert!(matches!(refused, Failure::Error { number: 1021 | 1114, .. }), "{refused:?}");
    assert_eq!(indexes(&mut sql), 1 + added);
    // Writers are let in again when it has been seen that there is room.
    let update = "UPDATE d.t SET a = 5 WHERE id < 10";
    wait_until("writers go on", || match sql.execute(update) {
        Ok(_) => true,
        Err(Failure::Error { number: 1021, .. }) => false,
        Err(other) => panic!("{other:?}"),
    });
    sql.execute("ALTER TABLE d.t DROP INDEX i0").unwrap();
    drop(sql);
    server.stop();
    assert_sound(&data);
}

#[test]
fn an_index_for_which_there_is_no_room_ends_with_an_error_and_writers_go_on() {
    let name = "a_child_adds_more_indexes_than_its_small_disk_holds";
    on_small_disk(&format!("size={DISK_MEGABYTES}m"), DISK, name);
}
