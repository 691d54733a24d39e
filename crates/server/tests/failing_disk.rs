//! The disk runs full, or fails: every door says so in its own words, reads go on, nothing that was
//! acknowledged is lost. Space that is freed means writes without a restart; a failed sync or
//! write means none until a restart, since nobody knows what is on the disk.
//!
//! The faults come from the file layer (crate `faults`); a disk that really is full is a small
//! file system in memory, where users may mount one in a namespace of their own.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use crate::mysql::{Failure, Mysql};
use crate::support::{PATIENCE, Running, ask_line, read_line, rest, run, wait_until};
use faults::{Fault, Layer, on_small_disk};

const DOORS: [&str; 4] = ["mysql", "handlersocket-write", "memcached", "tyrant"];
const DISK: &str = "ROWHOUSE_TEST_SMALL_DISK";
const DISK_MEGABYTES: usize = 96;
const BALLAST_MEGABYTES: usize = 40;
const VALUE_BYTES: u64 = 4000;
/// Bytes of it that writes of one door may take before the disk must be full.
const WRITES_MAX: u64 = (DISK_MEGABYTES as u64) << 20;

/// A client that writes rows of numbers no other has, at one door, and looks them up.
struct Client {
    door: &'static str,
    connection: Connection,
}

enum Connection {
    Sql(Mysql),
    Lines(std::net::TcpStream),
}

impl Client {
    fn new(server: &Running, door: &'static str) -> Client {
        let stream = server.connect(door);
        let connection = match door {
            "mysql" => Connection::Sql(Mysql::login(stream).unwrap()),
            // The Tyrant door is spoken to in memcached's words.
            "memcached" | "tyrant" => Connection::Lines(stream),
            _ => {
                let mut stream = stream;
                let open = "P\t1\tdisk\tledger\tPRIMARY\tid,words\n";
                assert_eq!(ask_line(&mut stream, open), "0\t1");
                Connection::Lines(stream)
            }
        };
        Client { door, connection }
    }

    /// Writes a row; the error in the door's words.
    fn write(&mut self, number: u64) -> Result<(), String> {
        let words = words(number);
        match (&mut self.connection, self.door) {
            (Connection::Sql(client), _) => {
                let insert = format!("INSERT INTO disk.ledger VALUES ({number}, '{words}')");
                match client.execute(&insert) {
                    Ok(_) => Ok(()),
                    Err(Failure::Error { number, message }) => Err(format!("{number} {message}")),
                    Err(Failure::Gone(why)) => panic!("the connection is gone: {why}"),
                }
            }
            (Connection::Lines(stream), "memcached" | "tyrant") => {
                let set = format!("set n{number} 0 0 {}\r\n{words}\r\n", words.len());
                match ask_line(stream, &set).trim_end() {
                    "STORED" => Ok(()),
                    other => Err(other.to_owned()),
                }
            }
            (Connection::Lines(stream), _) => {
                match &*ask_line(stream, &format!("1\t+\t2\t{number}\t{words}\n")) {
                    "0\t1" => Ok(()),
                    other => Err(other.to_owned()),
                }
            }
        }
    }

    /// Whether a row is there, as it was written.
    fn has(&mut self, number: u64) -> bool {
        let expected = words(number);
        match (&mut self.connection, self.door) {
            (Connection::Sql(client), _) => {
                let select = format!("SELECT words FROM disk.ledger WHERE id = {number}");
                let rows = client.query(&select).expect("reads go on");
                rows.first().is_some_and(|row| row[0].as_deref() == Some(&expected))
            }
            (Connection::Lines(stream), "memcached" | "tyrant") => {
                let head = ask_line(stream, &format!("get n{number}\r\n"));
                if head.trim_end() == "END" {
                    return false;
                }
                let value = read_line(stream);
                assert_eq!(read_line(stream).trim_end(), "END");
                value.trim_end() == expected
            }
            (Connection::Lines(stream), _) => {
                let reply = ask_line(stream, &format!("1\t=\t1\t{number}\n"));
                assert!(reply.starts_with("0\t2"), "{reply}");
                reply == format!("0\t2\t{number}\t{expected}")
            }
        }
    }
}

/// Doors share a table, and no numbers in it.
fn first_of(place: usize) -> u64 {
    place as u64 * 1_000_000
}

fn words(number: u64) -> String {
    let word = format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let more = (1..VALUE_BYTES / 16)
        .map(|part| format!("{:016x}", (number << 12 | part).wrapping_mul(0xbf58_476d_1ce4_e5b9)));
    word + &more.collect::<String>()
}

fn prepare(server: &Running) {
    let mut client = Mysql::login(server.connect("mysql")).unwrap();
    client.query("CREATE DATABASE disk").unwrap();
    let create = "CREATE TABLE disk.ledger (id BIGINT PRIMARY KEY, words VARCHAR(5000), \
                  KEY by_words (words(20)))";
    client.query(create).unwrap();
}

/// Waits until a write succeeds without a restart; gives its number.
fn writes_go_on(server: &Running, client: &mut Client, first: u64) -> u64 {
    let since = Instant::now();
    for number in first.. {
        let Err(error) = client.write(number) else { return number };
        if since.elapsed() < PATIENCE {
            rest();
            continue;
        }
        let log = server.log();
        let lines: Vec<&str> = log.lines().filter(|line| !line.contains("commit failed")).collect();
        panic!("{}: still {error}; log:\n{}", client.door, lines.join("\n"));
    }
    unreachable!("numbers do not end")
}

/// What each door says to a write on a full disk.
fn is_full(door: &str, error: &str) -> bool {
    match door {
        "mysql" => error.starts_with("1021 ") && error.contains("Disk full"),
        "memcached" | "tyrant" => error == "SERVER_ERROR disk full",
        _ => error == "1\t1\t135",
    }
}

/// What each door says to a write after one that failed in a way nobody understands.
fn is_refused(door: &str, error: &str) -> bool {
    match door {
        "mysql" => error.starts_with("1290 ") && error.contains("restart the server"),
        "memcached" | "tyrant" => {
            error.starts_with("SERVER_ERROR not accepting writes")
                && error.contains("restart the server")
        }
        _ => error == "1\t1\t165",
    }
}

fn has_failed(door: &str, error: &str) -> bool {
    match door {
        "mysql" => error.starts_with("1030 ") && error.contains("error"),
        "memcached" | "tyrant" => error == "SERVER_ERROR store failed",
        _ => error == "1\t1\t168",
    }
}

/// After a restart on a sound disk every row is there, and the check finds nothing.
fn all_are_there(data_dir: &Path, acknowledged: &[BTreeSet<u64>]) {
    let server = Running::start(data_dir, &[]);
    for (door, numbers) in DOORS.into_iter().zip(acknowledged) {
        let mut client = Client::new(&server, door);
        for number in numbers {
            assert!(client.has(*number), "{door}: {number} was acknowledged");
        }
    }
    assert_eq!(server.stop().code(), Some(0));
    let checked = run(&["check", &format!("--data-dir={}", data_dir.display())]);
    let said = String::from_utf8_lossy(&checked.stdout);
    assert!(checked.status.success() && said.ends_with("no damage found\n"), "{said}");
}

#[test]
fn a_full_disk_is_told_at_every_door_and_writes_go_on_when_there_is_space() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = directory.path().join("data");
    let layer = Layer::new(&data_dir, &directory.path().join("layer")).unwrap();
    let server = Running::start_beneath(&layer, &data_dir, &["--durability=every-commit"]);
    prepare(&server);
    let mut acknowledged = vec![BTreeSet::new(); DOORS.len()];
    let mut clients = DOORS.map(|door| Client::new(&server, door));
    for (place, client) in clients.iter_mut().enumerate() {
        for number in first_of(place)..first_of(place) + 20 {
            client.write(number).unwrap();
            acknowledged[place].insert(number);
        }
    }
    layer.fail(Fault::NoSpace).unwrap();
    for (place, client) in clients.iter_mut().enumerate() {
        for number in [first_of(place) + 500, first_of(place) + 501] {
            let error = client.write(number).unwrap_err();
            assert!(is_full(client.door, &error), "{}: {error}", client.door);
        }
        assert!(acknowledged[place].iter().all(|number| client.has(*number)), "reads go on");
    }
    assert!(layer.faults().unwrap() > 0);
    layer.fail(Fault::None).unwrap();
    for (place, client) in clients.iter_mut().enumerate() {
        let number = writes_go_on(&server, client, first_of(place) + 600);
        acknowledged[place].insert(number);
    }
    server.kill();
    all_are_there(&data_dir, &acknowledged);
}

/// Writers at all doors, through the moment at which calls begin to fail: what is sent after that
/// is not acknowledged, at no door, not even when the disk works again.
fn acknowledging_stops_at_once(fault: Fault) {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = directory.path().join("data");
    let layer = Layer::new(&data_dir, &directory.path().join("layer")).unwrap();
    let server = Running::start_beneath(&layer, &data_dir, &["--durability=every-commit"]);
    prepare(&server);
    let fails = AtomicBool::new(false);
    let count = AtomicU64::new(0);
    let acknowledged: Vec<Mutex<BTreeSet<u64>>> = DOORS.map(|_| Mutex::default()).into();
    std::thread::scope(|scope| {
        for (place, door) in DOORS.into_iter().enumerate() {
            for writer in 0..3 {
                let (mut client, fails, count) = (Client::new(&server, door), &fails, &count);
                let acknowledged = &acknowledged[place];
                scope.spawn(move || {
                    for number in (place as u64 * 10 + writer) * 1_000_000.. {
                        let failed_before = fails.load(Ordering::SeqCst);
                        let Err(error) = client.write(number) else {
                            assert!(!failed_before, "{door}: acknowledged on a failed disk");
                            acknowledged.lock().unwrap().insert(number);
                            count.fetch_add(1, Ordering::SeqCst);
                            continue;
                        };
                        let clear = has_failed(door, &error) || is_refused(door, &error);
                        assert!(clear, "{door}: {error}");
                        return;
                    }
                });
            }
        }
        wait_until("rows are written", || count.load(Ordering::SeqCst) > 200);
        layer.fail(fault).unwrap();
        fails.store(true, Ordering::SeqCst);
    });
    assert!(layer.faults().unwrap() > 0);
    layer.fail(Fault::None).unwrap();
    let acknowledged: Vec<BTreeSet<u64>> =
        acknowledged.into_iter().map(|numbers| numbers.into_inner().unwrap()).collect();
    for (door, numbers) in DOORS.into_iter().zip(&acknowledged) {
        let mut client = Client::new(&server, door);
        let error = client.write(99_000_000).unwrap_err();
        assert!(is_refused(door, &error), "{door}: {error}");
        assert!(numbers.iter().all(|number| client.has(*number)), "reads go on");
    }
    server.kill();
    all_are_there(&data_dir, &acknowledged);
}

#[test]
fn a_failed_sync_ends_acknowledging_at_every_door_and_loses_nothing() {
    acknowledging_stops_at_once(Fault::Sync);
}

#[test]
fn a_failed_write_ends_acknowledging_at_every_door_and_loses_nothing() {
    acknowledging_stops_at_once(Fault::Write);
}

#[test]
fn a_failed_sync_under_every_second_ends_acknowledging_with_the_next_sync() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = directory.path().join("data");
    let layer = Layer::new(&data_dir, &directory.path().join("layer")).unwrap();
    let server = Running::start_beneath(&layer, &data_dir, &["--durability=every-second"]);
    prepare(&server);
    layer.fail(Fault::Sync).unwrap();
    for door in DOORS {
        let mut client = Client::new(&server, door);
        let mut number = 0;
        wait_until("writes are refused", || {
            number += 1;
            client.write(number).is_err_and(|error| is_refused(door, &error))
        });
        client.has(0);
    }
}

/// Rows that do not fit into the memory of a small server, when they are sorted.
const SORTED_ROWS: u64 = 200_000;

#[test]
fn temporary_files_that_do_not_fit_were_another_error_than_a_full_disk() {
    let directory = tempfile::tempdir().unwrap();
    let (data_dir, temp_dir) = (directory.path().join("data"), directory.path().join("temp"));
    fs::create_dir(&temp_dir).unwrap();
    let layer = Layer::new(&temp_dir, &directory.path().join("layer")).unwrap();
    let flag = format!("--temp-dir={}", temp_dir.display());
    let flags = ["--memory=128MiB", &*flag];
    let server = Running::start_beneath(&layer, &data_dir, &flags);
    let mut client = Mysql::login(server.connect("mysql")).unwrap();
    client.query("CREATE DATABASE disk").unwrap();
    client.query("CREATE TABLE disk.n (id INT PRIMARY KEY, s VARCHAR(120))").unwrap();
    for first in (0..SORTED_ROWS).step_by(2000) {
        let row = |id: u64| format!("({id}, '{}')", &words(id)[..100]);
        let rows: Vec<String> = (first..first + 2000).map(row).collect();
        client.execute(&format!("INSERT INTO disk.n VALUES {}", rows.join(","))).unwrap();
    }
    let spilling = [
        // A sort, groups and a join of a long query; a load; a large transaction.
        "SELECT COUNT(*), MAX(x) FROM (SELECT s AS x FROM disk.n ORDER BY s LIMIT 150000) AS d",
        "SELECT COUNT(*) FROM (SELECT s, COUNT(*) AS c FROM disk.n GROUP BY s) AS d WHERE c > 1",
        "SELECT COUNT(*) FROM (SELECT DISTINCT s, id FROM disk.n) AS d",
        "CREATE TABLE disk.copy AS SELECT s, id FROM disk.n",
        "UPDATE disk.n SET s = REVERSE(s)",
    ];
    layer.fail(Fault::NoSpace).unwrap();
    let mut full = 0;
    for statement in spilling {
        match client.query(statement) {
            // One that needs no file.
            Ok(_) => {}
            Err(Failure::Error { number: 1021, message }) => {
                assert!(message.contains("Disk full"), "{message}");
                full += 1;
            }
            Err(other) => panic!("{statement}: {other}"),
        }
    }
    assert!(full >= 3, "{full} statements needed a file; log:\n{}", server.log());
    layer.fail(Fault::None).unwrap();
    for statement in spilling {
        let _ = client.query("DROP TABLE IF EXISTS disk.copy");
        client.query(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
}

#[test]
fn a_server_whose_disk_was_full_no_longer_refuses_to_start_and_serves_reads() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = directory.path().join("data");
    let layer = Layer::new(&data_dir, &directory.path().join("layer")).unwrap();
    let server = Running::start(&data_dir, &["--durability=every-commit"]);
    prepare(&server);
    let mut acknowledged = vec![BTreeSet::new(); DOORS.len()];
    for (place, door) in DOORS.into_iter().enumerate() {
        let mut client = Client::new(&server, door);
        for number in first_of(place)..first_of(place) + 200 {
            client.write(number).unwrap();
            acknowledged[place].insert(number);
        }
    }
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    sql.query("CREATE TABLE disk.gone (id INT PRIMARY KEY) AS SELECT id FROM disk.ledger").unwrap();
    sql.query("DROP TABLE disk.gone").unwrap();
    // With the log that a crash leaves, and after a stop.
    server.kill();
    layer.fail(Fault::NoSpace).unwrap();
    for is_killed in [true, false] {
        let server = Running::start_beneath(&layer, &data_dir, &[]);
        assert!(
            server.log().contains("the disk is full: the rows can be read"),
            "{}",
            server.log()
        );
        for (place, door) in DOORS.into_iter().enumerate() {
            let mut client = Client::new(&server, door);
            assert!(acknowledged[place].iter().all(|number| client.has(*number)), "{door}");
            let error = client.write(first_of(place) + 5000).unwrap_err();
            assert!(is_refused(door, &error), "{door}: {error}");
        }
        let mut sql = Mysql::login(server.connect("mysql")).unwrap();
        let counted = sql.query("SELECT COUNT(DISTINCT words) FROM disk.ledger").unwrap();
        assert_eq!(counted, [[Some("400".to_owned())]]);
        let status = run(&["status", &format!("--data-dir={}", data_dir.display())]);
        let status = String::from_utf8_lossy(&status.stdout).into_owned();
        assert!(status.contains("the disk is full: writes are refused"), "{status}");
        match is_killed {
            true => server.kill(),
            false => assert_eq!(server.stop().code(), Some(0)),
        }
    }
    layer.fail(Fault::None).unwrap();
    all_are_there(&data_dir, &acknowledged);
}

#[test]
fn nobody_was_told_of_a_disk_that_fills() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = directory.path().join("data");
    let layer = Layer::new(&data_dir, &directory.path().join("layer")).unwrap();
    layer.show_used(495).unwrap();
    let server = Running::start_beneath(&layer, &data_dir, &[]);
    let tells = |what: &str| wait_until(what, || server.log().contains(what));
    let status = || {
        let asked = run(&["status", &format!("--data-dir={}", data_dir.display())]);
        String::from_utf8_lossy(&asked.stdout).into_owned()
    };
    assert!(status().contains(" free, 50% used"), "{}", status());
    layer.show_used(915).unwrap();
    tells("used_percent=92");
    layer.show_used(955).unwrap();
    tells("used_percent=96");
    assert!(status().contains(" free, 96% used"), "{}", status());
    assert!(!status().contains("full"), "{}", status());
    layer.fail(Fault::NoSpace).unwrap();
    tells("the disk is full: writes are refused until there is space");
    assert!(status().contains("the disk is full: writes are refused"), "{}", status());
    layer.fail(Fault::None).unwrap();
    layer.show_used(495).unwrap();
    tells("the disk has room again");
    let log = server.log();
    assert_eq!(log.matches("the disk is nearly full").count(), 2, "{log}");
    assert_eq!(log.matches("WARN").count(), 3, "{log}");
}

/// The store has no way on from a log that could not be begun, though the reason is a full disk:
/// that is said, instead of promising that writes go on.
#[test]
fn a_log_that_cannot_be_begun_ends_acknowledging_and_loses_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = directory.path().join("data");
    let layer = Layer::new(&data_dir, &directory.path().join("layer")).unwrap();
    let server = Running::start_beneath(&layer, &data_dir, &["--durability=every-second"]);
    prepare(&server);
    layer.fail(Fault::NewFile).unwrap();
    let mut acknowledged = vec![BTreeSet::new(); DOORS.len()];
    let mut clients = DOORS.map(|door| Client::new(&server, door));
    let error = (0..20_000).find_map(|number| match clients[0].write(number) {
        Err(error) => Some(error),
        Ok(()) => {
            acknowledged[0].insert(number);
            None
        }
    });
    let error = error.expect("the first log is full");
    assert!(has_failed(DOORS[0], &error), "{error}");
    layer.fail(Fault::None).unwrap();
    for (place, client) in clients.iter_mut().enumerate() {
        let error = client.write(first_of(place) + 500_000).unwrap_err();
        assert!(is_refused(client.door, &error), "{}: {error}", client.door);
        assert!(acknowledged[place].iter().all(|number| client.has(*number)), "reads go on");
    }
    server.kill();
    all_are_there(&data_dir, &acknowledged);
}

/// The child's part of the test below; without the environment, nothing.
#[test]
fn a_child_fills_its_small_disk() {
    let Ok(disk) = std::env::var(DISK) else {
        return;
    };
    let (disk, mut acknowledged) = (Path::new(&disk), vec![BTreeSet::new(); DOORS.len()]);
    fs::write(disk.join("ballast"), vec![1; BALLAST_MEGABYTES << 20]).unwrap();
    let data_dir = disk.join("data");
    let server = Running::start(&data_dir, &["--durability=every-second"]);
    prepare(&server);
    let mut clients = DOORS.map(|door| Client::new(&server, door));
    for (place, client) in clients.iter_mut().enumerate() {
        let first = first_of(place);
        let error = (first..).find_map(|number| match client.write(number) {
            Err(error) => Some(error),
            Ok(()) => {
                acknowledged[place].insert(number);
                assert!((number - first) * VALUE_BYTES < WRITES_MAX, "the disk must run full");
                None
            }
        });
        let error = error.unwrap();
        assert!(is_full(client.door, &error), "{}: {error}\n{}", client.door, server.log());
        let mut some = acknowledged[place].iter().step_by(16);
        assert!(some.all(|number| client.has(*number)), "reads go on");
    }
    fs::remove_file(disk.join("ballast")).unwrap();
    for (place, client) in clients.iter_mut().enumerate() {
        let number = writes_go_on(&server, client, first_of(place) + 500_000);
        acknowledged[place].insert(number);
    }
    server.kill();
    all_are_there(&data_dir, &acknowledged);
}

#[test]
fn a_small_disk_that_really_runs_full_loses_nothing_and_serves_on_when_there_is_space() {
    on_small_disk(&format!("size={DISK_MEGABYTES}m"), DISK, "a_child_fills_its_small_disk");
}
