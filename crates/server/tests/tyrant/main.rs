//! The Tyrant door of a server: its records are rows of every other door at once, and outlive a
//! crash.

mod by_column;
mod documents;
#[path = "../support/mysql.rs"]
mod mysql;
mod rights;
#[path = "../support/mod.rs"]
mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Instant;

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

fn ext(name: &str, key: &str, value: &str) -> Vec<u8> {
    let lengths =
        [name.len(), 0, key.len(), value.len()].map(|length| (length as u32).to_be_bytes());
    let texts = [name, key, value].concat();
    [&[0xc8, 0x68][..], lengths.as_flattened(), texts.as_bytes()].concat()
}

/// A directory with data and a script, and the flag that names the script.
fn with_script(script: &str) -> (tempfile::TempDir, PathBuf, String) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("script.lua");
    std::fs::write(&path, script).unwrap();
    let data = directory.path().join("data");
    (directory, data, format!("--tyrant-lua={}", path.display()))
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
fn refused_commands_are_counted_and_told_once_a_second() {
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
    // A second may end among them.
    let told = server.log().matches("refused at the Tyrant door").count();
    assert!((1..3).contains(&told), "{}", server.log());
    assert_eq!(support::figure(directory.path(), "tyrant_refused"), 3);
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn what_a_script_prints_could_be_lines_of_the_log_of_any_number_and_length() {
    const CALLS: usize = 2000;
    let script = "function say(key, value) print(value, value) return 'said' end";
    let (_directory, data, flag) = with_script(script);
    let server = Running::start(&data, &[&flag]);
    let mut client = server.connect("tyrant");
    let since = Instant::now();
    let forged = ext("say", "k", "one\n2026-01-01T00:00:00Z ERROR forged\r\x1b[2J");
    assert_eq!(ask(&mut client, &forged, 9), value("said"));
    assert_eq!(ask(&mut client, &ext("say", "k", &"x".repeat(100_000)), 9), value("said"));
    let many = ext("say", "k", "again").repeat(CALLS);
    assert_eq!(ask(&mut client, &many, 9 * CALLS), value("said").repeat(CALLS));
    let says = |log: &str| log.matches("a Lua script says").count();
    wait_until("it is in the log", || says(&server.log()) > 2);
    let log = server.log();
    assert!(log.contains(r"one\n2026-01-01T00:00:00Z ERROR forged\r\u{1b}[2J"), "{log}");
    assert!(!log.lines().any(|line| line.starts_with("2026-01-01")), "{log}");
    assert!(log.lines().all(|line| line.len() < 5000), "a long one is cut");
    let most = 100 * (since.elapsed().as_secs() as usize + 2);
    assert!(says(&log) <= most, "a client that calls fills the log");
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn what_a_client_is_told_by_a_code_alone_was_not_explained_in_the_log() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--tyrant-database=tyrant.documents"]);
    let mut records = server.connect("tyrant");
    // No columns: a name without a value.
    assert_eq!(ask(&mut records, &record(0x10, "a", "forged\n2026 ERROR"), 1), [1]);
    assert_eq!(ask(&mut records, &get("missing"), 1), [1]);
    wait_until("the log says why", || server.log().contains("a request has failed"));
    let log = server.log();
    let line = log.lines().find(|line| line.contains("a request has failed")).expect("told");
    assert!(line.contains("request=put") && line.contains("why="), "{line}");
    assert!(!log.lines().any(|line| line.starts_with("2026 ERROR")), "{log}");
    assert_eq!(support::figure(directory.path(), "tyrant_failed"), 1, "what is missing is not");
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

#[test]
fn functions_of_a_script_are_called_by_clients_and_by_the_clock() {
    let (_directory, data, script) = with_script(
        "function _begin() _log('begun') end
        function _end() _put('ended', 'yes') end
        function append(key, value) _putcat(key, value) return _get(key) end
        function tick() _addint('ticks', 1) end
        function wrong() _put('wrong', 'x') error('this is wrong') end",
    );
    let server = Running::start(&data, &[&script, "--tyrant-periodic=tick:0.02; wrong:0.02"]);
    let mut records = server.connect("tyrant");
    let requests = [record(0x10, "a", "1"), ext("append", "a", "2"), get("a")].concat();
    assert_eq!(ask(&mut records, &requests, 15), [vec![0], value("12"), value("12")].concat());
    assert_eq!(ask(&mut records, &ext("wrong", "", ""), 1), [1]);
    wait_until("it ticks", || {
        ask(&mut records, &get("ticks"), 1) == [0] && { ask(&mut records, b"", 8)[4] > 2 }
    });
    wait_until("the log says why", || server.log().contains("script.lua:5: this is wrong"));
    assert!(server.log().contains("begun"), "{}", server.log());
    assert_eq!(ask(&mut records, &get("wrong"), 1), [1]);
    assert_eq!(server.stop().code(), Some(0));
    let server = Running::start(&data, &[]);
    assert_eq!(ask(&mut server.connect("tyrant"), &get("ended"), 8), value("yes"));
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn a_script_that_does_not_run_keeps_the_server_from_starting() {
    let (_directory, data, script) = with_script("x = 1\nfunction a(\n");
    let mut arguments = support::flags(&data);
    arguments.push(script);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = run(&arguments);
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("tyrant-lua = ") && said.contains("script.lua:3"), "{said}");
}

/// A function that writes a record and then never ends.
const ENDLESS: &str = "function endless(key) _put(key, 'x') _log('it runs') while true do end end";

#[test]
fn a_script_whose_client_leaves_is_rolled_back_and_frees_its_locks() {
    let (_directory, data, script) = with_script(ENDLESS);
    let server =
        Running::start(&data, &[&script, "--tyrant-lua-timeout=0", "--lock-wait-timeout=1h"]);
    let mut client = server.connect("tyrant");
    client.write_all(&ext("endless", "a", "")).unwrap();
    wait_until("it runs", || server.log().contains("it runs"));
    drop(client);
    // Waits for the record's lock.
    assert_eq!(ask(&mut server.connect("tyrant"), &record(0x11, "a", "y"), 1), [0]);
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn a_stop_ends_a_script_that_runs_for_ever() {
    let (_directory, data, script) = with_script(ENDLESS);
    let flags = [&script, "--tyrant-lua-timeout=0", "--shutdown-timeout=200ms"];
    let server = Running::start(&data, &flags);
    let mut client = server.connect("tyrant");
    client.write_all(&ext("endless", "a", "")).unwrap();
    wait_until("it runs", || server.log().contains("it runs"));
    assert_eq!(server.stop().code(), Some(0));
    let server = Running::start(&data, &[]);
    assert_eq!(ask(&mut server.connect("tyrant"), &get("a"), 1), [1], "nothing was committed");
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn further_databases_have_ports_of_their_own() {
    let directory = tempfile::tempdir().unwrap();
    let databases = "--tyrant-databases=auto = tyrant.documents; auto = kv.cache(k, v)";
    let server = Running::start(directory.path(), &[databases]);
    let mut items = server.connect("tyrant-3");
    assert_eq!(ask(&mut items, &record(0x10, "a", "item"), 1), [0]);
    let mut documents = server.connect("tyrant-2");
    assert_eq!(ask(&mut documents, &record(0x10, "a", "name\0Ann"), 1), [0]);
    assert_eq!(ask(&mut server.connect("tyrant"), &get("a"), 1), [1], "another table");
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    let rows =
        sql.query("SELECT columns->>'$.name', v FROM tyrant.documents JOIN kv.cache ON k = pk");
    assert_eq!(rows.unwrap(), [[Some("Ann".to_owned()), Some("item".to_owned())]]);
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn http_is_for_those_who_call_the_server_by_its_own_name() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--tyrant-hosts=proxy.example"]);
    for (host, status) in [
        ("localhost:1978", "201 Created"),
        ("127.0.0.1", "201 Created"),
        ("proxy.example", "201 Created"),
        ("evil.example:1978", "403 Forbidden"),
    ] {
        let mut client = server.connect("tyrant");
        let put = format!("PUT /a HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1\r\n\r\nx");
        let line = ask_line(&mut client, &put);
        assert_eq!(line.trim_end(), format!("HTTP/1.1 {status}"), "{host}");
    }
    assert_eq!(server.stop().code(), Some(0));
}
