//! Statements that run long: they end when their client has left, when they are killed, and when
//! their time is over, whatever they are doing; and beside the heaviest ones the server lives.

use std::time::Instant;

use crate::mysql::{Failure, Mysql};
use crate::support::{PATIENCE, Running, wait_until};

/// Each waits or works somewhere else, for ever as far as a test is concerned.
const ENDLESS: [&str; 7] = [
    "SELECT SLEEP(100000)",
    "SELECT BENCHMARK(1000000000000, MD5('a'))",
    "SELECT GET_LOCK('taken', 100000)",
    "UPDATE d.held SET n = 2",
    "SELECT COUNT(*) FROM d.n a, d.n b, d.n c, d.n e WHERE a.i + b.i + c.i < e.i",
    "SELECT LOCATE(CONCAT(REPEAT('a', 500000), 'b'), REPEAT('a', 9000000))",
    "SELECT a.i, b.i, c.i FROM d.n a, d.n b, d.n c",
];

fn furnished(server: &Running) -> Mysql {
    let mut client = Mysql::login(server.connect("mysql")).unwrap();
    client.query("CREATE DATABASE d").unwrap();
    client.query("CREATE TABLE d.n (i INT PRIMARY KEY)").unwrap();
    let rows: Vec<String> = (0..1000).map(|i| format!("({i})")).collect();
    client.query(&format!("INSERT INTO d.n VALUES {}", rows.join(","))).unwrap();
    client.query("CREATE TABLE d.held (id INT PRIMARY KEY, n INT)").unwrap();
    client.query("INSERT INTO d.held VALUES (1, 0)").unwrap();
    client.query("BEGIN").unwrap();
    client.query("UPDATE d.held SET n = 1").unwrap();
    client.query("SELECT GET_LOCK('taken', 1)").unwrap();
    client
}

#[test]
fn a_statement_ran_on_when_its_client_had_left() {
    let directory = tempfile::tempdir().unwrap();
    let flags = ["--durability=os", "--lock-wait-timeout=1h", "--memory=512MiB"];
    let server = Running::start(directory.path(), &flags);
    let _holder = furnished(&server);
    let before = server.open_files();
    for statement in ENDLESS {
        let mut client = Mysql::login(server.connect("mysql")).unwrap();
        client.send_query(statement).unwrap();
        drop(client);
        let left = Instant::now();
        wait_until(statement, || server.open_files() <= before);
        assert!(left.elapsed() < PATIENCE, "{statement}: {:?}", left.elapsed());
    }
}

#[test]
fn kill_did_not_end_every_statement() {
    let directory = tempfile::tempdir().unwrap();
    let flags = ["--durability=os", "--lock-wait-timeout=1h", "--memory=512MiB"];
    let server = Running::start(directory.path(), &flags);
    let mut holder = furnished(&server);
    // What is only sent is not worked on for ever: its client takes nothing.
    for statement in &ENDLESS[..6] {
        let mut client = Mysql::login(server.connect("mysql")).unwrap();
        let rows = client.query("SELECT CONNECTION_ID()").unwrap();
        let id = rows[0][0].clone().unwrap();
        client.send_query(statement).unwrap();
        let answer = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| client.result());
            let began = Instant::now();
            while !waiting.is_finished() && began.elapsed() < PATIENCE {
                holder.query(&format!("KILL QUERY {id}")).unwrap();
                std::thread::yield_now();
            }
            waiting.join().unwrap()
        });
        match answer {
            Err(Failure::Error { number: 1317, .. }) => {}
            // SLEEP says so by its value.
            Ok(rows) if rows == [[Some("1".to_owned())]] => {}
            other => panic!("{statement}: {other:?}"),
        }
    }
}

#[test]
fn a_killed_connection_that_was_idle_stayed() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--durability=os"]);
    let mut other = Mysql::login(server.connect("mysql")).unwrap();
    let before = server.open_files();
    let mut client = Mysql::login(server.connect("mysql")).unwrap();
    let rows = client.query("SELECT CONNECTION_ID()").unwrap();
    other.query(&format!("KILL {}", rows[0][0].clone().unwrap())).unwrap();
    wait_until("the connection is closed", || server.open_files() <= before);
    assert!(matches!(client.query("SELECT 1"), Err(Failure::Gone(_))));
}

#[test]
fn one_select_ended_the_server() {
    let directory = tempfile::tempdir().unwrap();
    let flags = ["--durability=os", "--memory=512MiB", "--statement-timeout=20s"];
    let server = Running::start(directory.path(), &flags);
    let mut client = Mysql::login(server.connect("mysql")).unwrap();
    client.query("CREATE DATABASE d").unwrap();
    client.query("CREATE TABLE d.n (i INT PRIMARY KEY)").unwrap();
    let rows: Vec<String> = (0..1000).map(|i| format!("({i})")).collect();
    client.query(&format!("INSERT INTO d.n VALUES {}", rows.join(","))).unwrap();
    let hex = format!("SELECT LENGTH({}'a'{})", "HEX(".repeat(45), ")".repeat(45));
    let nested = "SELECT i FROM d.n WHERE i IN (".repeat(29);
    let nested = format!("{nested}SELECT i FROM d.n{}", ")".repeat(29));
    for statement in [
        "SELECT LENGTH(REPLACE(REPEAT('a',60000000),'a',REPEAT('b',1000)))",
        hex.as_str(),
        nested.as_str(),
        "SELECT REPEAT('a', 60000000) FROM d.n",
        "SELECT REPEAT(i, 1000000) FROM d.n ORDER BY 1",
        "SELECT GROUP_CONCAT(REPEAT(a.i, 10000)) FROM d.n a, d.n b",
        "SELECT JSON_ARRAYAGG(REPEAT(a.i, 10000)) FROM d.n a, d.n b",
        "SELECT COUNT(DISTINCT REPEAT(a.i, 10000), b.i) FROM d.n a, d.n b",
    ] {
        let began = Instant::now();
        match client.query(statement) {
            Ok(_) | Err(Failure::Error { .. }) => {}
            Err(Failure::Gone(error)) => panic!("{statement}: {error}"),
        }
        assert!(began.elapsed() < 2 * PATIENCE, "{statement}: {:?}", began.elapsed());
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    let kib: u64 = peak.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(kib < 512 * 1024 * 11 / 10, "{peak}");
}
