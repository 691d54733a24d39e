//! Temporary tables of many sessions, of sessions that are killed, and of a server that is: nothing
//! of them stays, and nothing of them is dumped.

use std::path::Path;

use crate::mysql::{Mysql, error_number};
use crate::support::{Running, figure, run, wait_until};

const SESSIONS: usize = 500;
/// What a small table may cost, with all that a session keeps of it.
const BYTES_EACH: u64 = 16 << 10;

fn client(server: &Running) -> Mysql {
    let mut client = Mysql::login(server.connect("mysql")).unwrap();
    client.query("CREATE DATABASE IF NOT EXISTS d").unwrap();
    client.query("USE d").unwrap();
    client
}

fn dump(data_dir: &Path) -> String {
    let flag = format!("--data-dir={}", data_dir.display());
    let dumped = run(&["dump", &flag]);
    assert!(dumped.status.success(), "{}", String::from_utf8_lossy(&dumped.stderr));
    String::from_utf8_lossy(&dumped.stdout).into_owned()
}

/// Files of rows that found no room in memory.
fn spilled(data_dir: &Path) -> usize {
    std::fs::read_dir(data_dir.join("tmp")).map_or(0, Iterator::count)
}

/// How many temporary tables there are.
fn tables(data_dir: &Path) -> u64 {
    figure(data_dir, "store_temporary_tables")
}

/// Bytes that the server has in memory now.
fn resident(server: &Running) -> u64 {
    let statm = std::fs::read_to_string(format!("/proc/{}/statm", server.pid())).unwrap();
    statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[test]
fn many_sessions_have_one_each_for_little_memory_and_leave_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--memory=128MiB"]);
    let mut clients: Vec<Mysql> = (0..SESSIONS).map(|_| client(&server)).collect();
    // What a session has at hand from its first statements on is not a table's.
    clients.iter_mut().for_each(|client| drop(client.query("SELECT 1").unwrap()));
    let (before, files) = (resident(&server), server.open_files());
    for (n, client) in clients.iter_mut().enumerate() {
        client
            .query("CREATE TEMPORARY TABLE w (a INT PRIMARY KEY, b VARCHAR(20), KEY (b))")
            .unwrap();
        client.execute(&format!("INSERT INTO w VALUES ({n}, 'a row'), (-1, 'one more')")).unwrap();
    }
    let each = resident(&server).saturating_sub(before) / SESSIONS as u64;
    assert!(each <= BYTES_EACH, "{each} bytes for each");
    assert_eq!(server.open_files(), files, "no file for any");
    assert_eq!(tables(directory.path()), SESSIONS as u64);
    for (n, client) in clients.iter_mut().enumerate() {
        let rows = client.query("SELECT a FROM w WHERE b = 'a row'").unwrap();
        assert_eq!(rows, [[Some(n.to_string())]]);
    }
    drop(clients);
    wait_until("the tables are gone", || tables(directory.path()) == 0);
}

#[test]
fn rows_in_files_go_with_a_session_that_is_killed_and_with_a_server_that_is() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut other = client(&server);
    let files_before = spilled(directory.path());
    other.query("CREATE TABLE t (a INT PRIMARY KEY)").unwrap();
    let fill = |client: &mut Mysql| {
        client
            .query("CREATE TEMPORARY TABLE t (a INT AUTO_INCREMENT PRIMARY KEY, b TEXT)")
            .unwrap();
        client.query("INSERT INTO t (b) VALUES (REPEAT('x', 1000))").unwrap();
        for _ in 0..15 {
            client.query("INSERT INTO t (b) SELECT CONCAT(a, b) FROM t").unwrap();
        }
        let rows = client.query("SELECT COUNT(*), COUNT(DISTINCT a) FROM t").unwrap();
        assert_eq!(rows, [[Some("32768".into()), Some("32768".into())]]);
    };
    let mut lost = client(&server);
    fill(&mut lost);
    assert!(spilled(directory.path()) > files_before, "nothing is in files");
    let id = lost.query("SELECT CONNECTION_ID()").unwrap()[0][0].clone().unwrap();
    other.query(&format!("KILL {id}")).unwrap();
    wait_until("the files are gone", || spilled(directory.path()) == files_before);
    assert_eq!(tables(directory.path()), 0);
    let mut left = client(&server);
    fill(&mut left);
    left.query("CREATE TEMPORARY TABLE alone (a INT)").unwrap();
    let dumped = dump(directory.path());
    assert!(dumped.contains("CREATE TABLE `t`"), "{dumped}");
    assert!(!dumped.contains("alone") && !dumped.contains("INSERT"), "{dumped}");
    server.kill();
    let server = Running::start(directory.path(), &[]);
    assert_eq!(spilled(directory.path()), files_before);
    let mut again = client(&server);
    assert_eq!(error_number(again.query("SELECT * FROM alone")), 1146);
    assert_eq!(again.query("SELECT COUNT(*) FROM t").unwrap(), [[Some("0".into())]]);
    assert_eq!(tables(directory.path()), 0);
}
