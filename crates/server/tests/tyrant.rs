//! The Tyrant door of a server: its records are rows of every other door at once, and outlive a
//! crash.

#[path = "support/mysql.rs"]
mod mysql;
mod support;

use std::io::{Read, Write};
use std::net::TcpStream;

use mysql::Mysql;
use support::{Running, ask_line, run, wait_until};

/// A request of a command that takes key and value.
fn record(command: u8, key: &str, value: &str) -> Vec<u8> {
    let lengths = [key, value].map(|text| (text.len() as u32).to_be_bytes());
    [&[0xc8, command][..], lengths.as_flattened(), key.as_bytes(), value.as_bytes()].concat()
}

fn get(key: &str) -> Vec<u8> {
    [&[0xc8, 0x30][..], &(key.len() as u32).to_be_bytes(), key.as_bytes()].concat()
}

/// Sends requests and reads as many bytes as are expected.
fn ask(client: &mut TcpStream, requests: &[u8], bytes: usize) -> Vec<u8> {
    client.write_all(requests).unwrap();
    let mut answer = vec![0; bytes];
    client.read_exact(&mut answer).unwrap();
    answer
}

fn value(value: &str) -> Vec<u8> {
    [&[0][..], &(value.len() as u32).to_be_bytes(), value.as_bytes()].concat()
}

#[test]
fn records_are_rows_of_every_door_and_outlive_a_crash() {
    let directory = tempfile::tempdir().unwrap();
    let flags = ["--tyrant-database=kv.cache(k, v)"];
    let server = Running::start(directory.path(), &flags);
    let mut records = server.connect("tyrant");
    let mut items = server.connect("memcached");
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    assert_eq!(ask(&mut records, &record(0x10, "a", "hello"), 1), [0]);
    let rows = sql.query("SELECT v FROM kv.cache WHERE k = 'a'").unwrap();
    assert_eq!(rows, [[Some("hello".to_owned())]]);
    assert_eq!(ask_line(&mut items, "get a\r\n").trim_end(), "VALUE a 0 5");
    sql.query("UPDATE kv.cache SET v = 'by sql' WHERE k = 'a'").unwrap();
    assert_eq!(ask(&mut records, &get("a"), 11), value("by sql"));
    // Pipelined: a read behind a write sees it.
    let requests = [record(0x12, "a", "!"), get("a"), record(0x10, "b", "1"), get("b")].concat();
    let answers = [vec![0], value("by sql!"), vec![0], value("1")].concat();
    assert_eq!(ask(&mut records, &requests, answers.len()), answers);
    server.kill();
    let server = Running::start(directory.path(), &flags);
    let mut records = server.connect("tyrant");
    assert_eq!(ask(&mut records, &get("a"), 12), value("by sql!"));
    assert_eq!(ask(&mut records, &get("b"), 6), value("1"));
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn a_copy_is_a_backup_of_what_was_written_before() {
    let directory = tempfile::tempdir().unwrap();
    let (data, copies) = (directory.path().join("data"), directory.path().join("copies"));
    let server = Running::start(&data, &[&format!("--tyrant-copies={}", copies.display())]);
    let mut records = server.connect("tyrant");
    let copy = |path: &str| {
        [&[0xc8, 0x73][..], &(path.len() as u32).to_be_bytes(), path.as_bytes()].concat()
    };
    for (number, path) in [("1", "/daily/casket.tch"), ("2", "daily/casket.tch")] {
        let requests = [record(0x10, "a", number), copy(path)].concat();
        assert_eq!(ask(&mut records, &requests, 2), [0, 0], "{}", server.log());
    }
    assert_eq!(ask(&mut records, &record(0x10, "a", "later"), 1), [0]);
    for elsewhere in ["../casket.tch", "/", "@true"] {
        assert_eq!(ask(&mut records, &copy(elsewhere), 1), [1], "{elsewhere}");
    }
    assert_eq!(server.stop().code(), Some(0));
    let restored = directory.path().join("restored");
    let flag = format!("--data-dir={}", restored.display());
    let done = run(&["restore", copies.join("daily/casket.tch").to_str().unwrap(), &flag]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let server = Running::start(&restored, &[]);
    assert_eq!(ask(&mut server.connect("tyrant"), &get("a"), 6), value("2"), "the latest copy");
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn a_refused_command_is_in_the_log_once() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut records = server.connect("tyrant");
    let vanish = [0xc8, 0x72];
    assert_eq!(
        ask(&mut records, &[record(0x10, "a", "1"), vanish.repeat(3)].concat(), 4),
        [0, 1, 1, 1]
    );
    assert_eq!(ask(&mut records, &get("a"), 6), value("1"));
    wait_until("the log says why", || server.log().contains("tyrant-vanish"));
    assert_eq!(server.log().matches("refused at the Tyrant door").count(), 1);
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn writers_of_one_record_at_once_lose_nothing() {
    const WRITERS: usize = 8;
    const ADDITIONS: usize = 200;
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--durability=os"]);
    let add = [&[0xc8, 0x60, 0, 0, 0, 1, 0, 0, 0, 1][..], b"n"].concat();
    std::thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| {
                let mut client = server.connect("tyrant");
                for _ in 0..ADDITIONS / 10 {
                    let answers = ask(&mut client, &add.repeat(10), 50);
                    assert!(answers.chunks(5).all(|answer| answer[0] == 0), "{answers:?}");
                }
            });
        }
    });
    let sum = ask(&mut server.connect("tyrant"), &get("n"), 9);
    assert_eq!(sum[5..], ((WRITERS * ADDITIONS) as u32).to_le_bytes());
    assert_eq!(server.stop().code(), Some(0));
}
