//! ADD INDEX beside writers of all doors: it has every row's entry, or is not there at all.

#[path = "support/mysql.rs"]
mod mysql;
mod support;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use faults::on_small_disk;
use mysql::{Failure, Mysql};
use support::{Running, run, wait_until};

const ROWS: u64 = 150_000;
const DISK: &str = "ROWHOUSE_TEST_ONLINE_DISK";
const DISK_MEGABYTES: usize = 160;

fn login(server: &Running) -> Mysql {
    let stream = server.connect("mysql");
    stream.set_read_timeout(Some(Duration::from_secs(300))).expect("settable");
    Mysql::login(stream).expect("nobody needs a password")
}

fn text(n: u64) -> String {
    let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{mixed:x}{:x}", mixed.wrapping_mul(mixed | 1))
}

/// `d.t` with so many rows; numbers in `a` are shared, those in `b` are not.
fn start(directory: &Path, flags: &[&str], rows: u64) -> (Running, Mysql) {
    let server = Running::start(directory, flags);
    let mut sql = login(&server);
    sql.execute("CREATE DATABASE d").unwrap();
    sql.execute("CREATE TABLE d.t (id BIGINT PRIMARY KEY, a INT, b BIGINT, s VARCHAR(60))")
        .unwrap();
    sql.execute(
        "INSERT INTO rowhouse.containers (name, db, tbl, key_columns, value_columns)
         VALUES ('t', 'd', 't', 'id', 'a,b,s')",
    )
    .unwrap();
    sql.begin_load("LOAD DATA LOCAL INFILE 'f' INTO TABLE d.t").unwrap();
    for first in (0..rows).step_by(50_000) {
        let line = |n| format!("{n}\t{}\t{n}\t{}\n", n % 1000, text(n));
        let piece: String = (first..rows.min(first + 50_000)).map(line).collect();
        sql.send_piece(piece.as_bytes()).unwrap();
    }
    sql.send_piece(b"").unwrap();
    sql.result().unwrap();
    (server, sql)
}

fn one(sql: &mut Mysql, query: &str) -> String {
    let rows = sql.query(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    rows[0][0].clone().unwrap_or_default()
}

fn indexes(sql: &mut Mysql) -> usize {
    sql.query("SHOW INDEX FROM d.t WHERE Seq_in_index = 1").unwrap().len()
}

fn assert_sound(data: &Path) {
    let checked = run(&["check", &format!("--data-dir={}", data.display())]);
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}

/// Waits until the process list shows a stage of a statement.
fn wait_for_stage(watcher: &mut Mysql) {
    wait_until("the statement to be under way", || {
        let list = watcher.query("SHOW PROCESSLIST").unwrap();
        list.iter().any(|line| line[6].as_deref().is_some_and(|state| state.starts_with("Stage:")))
    });
}

/// A client that speaks in lines.
struct Lines(BufReader<TcpStream>);

impl Lines {
    fn ask(&mut self, request: &str) -> String {
        self.0.get_mut().write_all(request.as_bytes()).expect("sent");
        let mut line = String::new();
        self.0.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }
}

/// Writers of the doors, until told to stop, and how much each has done.
struct Writers {
    stop: Arc<AtomicBool>,
    done: Vec<Arc<AtomicU64>>,
    threads: Vec<JoinHandle<()>>,
}

impl Writers {
    fn start(server: &Running) -> Writers {
        let mut writers = Writers { stop: Arc::default(), done: Vec::new(), threads: Vec::new() };
        let mut sql = login(server);
        writers.go(move |n, id| {
            // Behind the rows, since other writers have the rest.
            let fresh = ROWS + 4 * n;
            let statement = match n % 4 {
                0 => format!("INSERT INTO d.t VALUES ({fresh}, {n} % 1000, {fresh}, 'sql')"),
                1 => format!("UPDATE d.t SET a = a + 1, s = 'sql {n}' WHERE id = {id}"),
                2 => format!("DELETE FROM d.t WHERE id = {id}"),
                _ => format!("REPLACE INTO d.t VALUES ({id}, 7, {id}, 'again')"),
            };
            sql.execute(&statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        });
        let mut sql = login(server);
        writers.go(move |n, id| {
            let fresh = ROWS + 4 * n + 1;
            let all = [
                "BEGIN".to_owned(),
                format!("INSERT INTO d.t VALUES ({fresh}, 1, {fresh}, 'in a transaction')"),
                format!("UPDATE d.t SET a = a + 1 WHERE id BETWEEN {id} AND {id} + 5"),
                if n.is_multiple_of(3) { "ROLLBACK" } else { "COMMIT" }.to_owned(),
            ];
            for statement in &all {
                match sql.execute(statement) {
                    Ok(_) => {}
                    // A circle of locks, or the table is another one now.
                    Err(Failure::Error { number: 1213 | 1412, .. }) => {
                        sql.execute("ROLLBACK").unwrap();
                        break;
                    }
                    Err(error) => panic!("{statement}: {error}"),
                }
            }
        });
        let mut lines = Lines(BufReader::new(server.connect("handlersocket-write")));
        assert_eq!(lines.ask("P\t1\td\tt\tPRIMARY\tid,a,b,s\n"), "0\t1");
        writers.go(move |n, id| {
            let fresh = ROWS + 4 * n + 2;
            let reply = match n % 2 {
                0 => lines.ask(&format!("1\t+\t4\t{fresh}\t5\t{fresh}\tby handlersocket\n")),
                _ => lines.ask(&format!("1\t=\t1\t{id}\t1\t0\tU\t{id}\t6\t{id}\thandlersocket\n")),
            };
            assert!(reply.starts_with("0\t1"), "{reply}");
        });
        let mut lines = Lines(BufReader::new(server.connect("memcached")));
        writers.go(move |n, id| {
            let fresh = ROWS + 4 * n + 3;
            let key = if n.is_multiple_of(2) { fresh } else { id };
            let value = format!("8|{key}|memcached");
            let request = format!("set t:{key} 0 0 {}\r\n{value}\r\n", value.len());
            assert_eq!(lines.ask(&request), "STORED");
        });
        writers
    }

    /// A writer: of the how manieth step, and any row's number.
    fn go(&mut self, mut step: impl FnMut(u64, u64) + Send + 'static) {
        let (stop, done) = (Arc::clone(&self.stop), Arc::<AtomicU64>::default());
        self.done.push(Arc::clone(&done));
        self.threads.push(thread::spawn(move || {
            let mut n = 0;
            while !stop.load(Ordering::Relaxed) {
                step(n, n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % ROWS);
                n += 1;
                done.store(n, Ordering::Relaxed);
            }
        }));
    }

    fn counts(&self) -> Vec<u64> {
        self.done.iter().map(|done| done.load(Ordering::Relaxed)).collect()
    }

    fn end(self) {
        self.stop.store(true, Ordering::Relaxed);
        self.threads.into_iter().for_each(|writer| writer.join().expect("a writer"));
    }
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
    let count = one(&mut sql, "SELECT COUNT(*) FROM d.t");
    for by in ["a >= 0", "b > -10"] {
        assert_eq!(one(&mut sql, &format!("SELECT COUNT(*) FROM d.t WHERE {by}")), count, "{by}");
    }
    drop(sql);
    server.stop();
    assert_sound(directory.path());
}

#[test]
fn a_server_that_is_killed_at_any_moment_has_the_whole_index_or_nothing_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let (mut server, sql) = start(directory.path(), &["--durability=every-second"], ROWS);
    drop(sql);
    let mut complete = 0;
    for (round, wait_ms) in [3, 40, 90, 150, 220, 320, 450, 700, 1500].into_iter().enumerate() {
        let mut sql = login(&server);
        let known = indexes(&mut sql);
        let mut altering = login(&server);
        let mut writer = login(&server);
        altering.send_query(&format!("ALTER TABLE d.t ADD INDEX i{round} (s, a)")).unwrap();
        let written = thread::spawn(move || {
            let mut n = 0;
            while writer.execute(&format!("UPDATE d.t SET a = a + 1 WHERE id = {n}")).is_ok() {
                n += 1;
            }
        });
        thread::sleep(Duration::from_millis(wait_ms));
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
            assert!(message.contains("for key 'shared'"), "{message}");
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
