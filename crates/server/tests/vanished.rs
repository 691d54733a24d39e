//! Clients that vanish without a word, as after a power cut or behind a broken network: the server
//! gives them up, rolls back what they had begun, and has their connections back.
//!
//! A client vanishes by a filter on its socket that drops every packet from the server: no
//! acknowledgement, no answer to a probe, no end of the stream comes back.

use std::io::Write;
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use crate::mysql::Mysql;
use crate::support::{PATIENCE, Running, ask_line, wait_until};

const FLAGS: [&str; 3] = ["--vanished-timeout=4s", "--send-timeout=4s", "--lock-wait-timeout=50s"];
/// Well below the time in which the system itself would give a client up.
const SOON: Duration = Duration::from_secs(30);

#[expect(unsafe_code, reason = "there is no safe call for a filter on a socket")]
fn vanish(client: &TcpStream) {
    // "Return 0": of every packet nothing is taken.
    let mut code = [libc::sock_filter { code: 0x06, jt: 0, jf: 0, k: 0 }];
    let program = libc::sock_fprog { len: 1, filter: code.as_mut_ptr() };
    // SAFETY: the program and its code live until the call returns; the kernel copies both.
    let set = unsafe {
        libc::setsockopt(
            client.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_ATTACH_FILTER,
            (&raw const program).cast(),
            size_of_val(&program) as libc::socklen_t,
        )
    };
    assert_eq!(set, 0, "{}", std::io::Error::last_os_error());
}

fn server_with_row(directory: &std::path::Path) -> (Running, Mysql) {
    let server = Running::start(directory, &FLAGS);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    sql.query("CREATE DATABASE d").unwrap();
    sql.query("CREATE TABLE d.t (id INT PRIMARY KEY, a INT)").unwrap();
    sql.query("INSERT INTO d.t VALUES (1, 10)").unwrap();
    (server, sql)
}

#[test]
fn the_transaction_of_a_silent_client_that_vanished_is_rolled_back_and_its_locks_are_free() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = server_with_row(directory.path());
    let before = server.open_files();
    let socket = server.connect("mysql");
    let mut lost = Mysql::login(socket.try_clone().unwrap()).unwrap();
    lost.query("BEGIN").unwrap();
    lost.execute("UPDATE d.t SET a = 99 WHERE id = 1").unwrap();
    vanish(&socket);
    let since = Instant::now();
    // Waits for the lock, and sees nothing of what the other had written.
    assert_eq!(sql.execute("UPDATE d.t SET a = a + 1 WHERE id = 1").unwrap(), 1);
    assert!(since.elapsed() < SOON, "{:?}", since.elapsed());
    assert_eq!(sql.query("SELECT a FROM d.t").unwrap(), [[Some("11".into())]]);
    wait_until("its connection is closed", || server.open_files() <= before);
}

#[test]
fn a_client_that_vanished_while_it_was_answered_leaves_neither_its_write_nor_its_lock() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = server_with_row(directory.path());
    let before = server.open_files();
    let socket = server.connect("mysql");
    let mut lost = Mysql::login(socket.try_clone().unwrap()).unwrap();
    lost.query("BEGIN").unwrap();
    vanish(&socket);
    // What the client sends still arrives, what it is sent does not.
    lost.send_query("UPDATE d.t SET a = 20 WHERE id = 1").unwrap();
    let since = Instant::now();
    wait_until("its connection is closed", || server.open_files() <= before);
    assert!(since.elapsed() < SOON, "{:?}", since.elapsed());
    assert_eq!(sql.execute("UPDATE d.t SET a = a + 1 WHERE id = 1").unwrap(), 1);
    assert_eq!(sql.query("SELECT a FROM d.t").unwrap(), [[Some("11".into())]]);
}

#[test]
fn every_door_gives_up_clients_that_vanished_silent_or_with_a_reply_on_its_way() {
    let directory = tempfile::tempdir().unwrap();
    let (server, _sql) = server_with_row(directory.path());
    let before = server.open_files();
    let open = b"P\t1\td\tt\tPRIMARY\tid,a\n";
    let requests: [(&str, &[u8]); 4] = [
        ("mysql", b"\x01\0\0\0\x0e"),
        ("handlersocket", open),
        ("handlersocket-write", open),
        ("memcached", b"get a\r\n"),
    ];
    let mut lost = Vec::new();
    for (door, request) in requests {
        for silent in [true, false] {
            let mut client = server.connect(door);
            if door == "mysql" {
                Mysql::login(client.try_clone().unwrap()).unwrap();
            }
            vanish(&client);
            if !silent {
                client.write_all(request).unwrap();
            }
            lost.push(client);
        }
    }
    wait_until("all are accepted", || server.open_files() >= before + lost.len());
    let since = Instant::now();
    wait_until("their connections are closed", || server.open_files() <= before);
    assert!(since.elapsed() < SOON, "{:?}", since.elapsed());
    // A client that is there and silent for longer than that stays.
    let mut silent = server.connect("memcached");
    let since = Instant::now();
    wait_until("longer than for one that vanished", || since.elapsed() > 3 * SOON / 10);
    assert_eq!(ask_line(&mut silent, "get a\r\n"), "END\r");
}

#[test]
fn a_client_that_leaves_while_its_statement_runs_ends_it_and_nothing_of_it_stays() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut sql) = server_with_row(directory.path());
    sql.query("SELECT GET_LOCK('taken', 0)").unwrap();
    let before = server.open_files();
    for text in ["SELECT SLEEP(1000)", "SELECT GET_LOCK('taken', 1000)"] {
        let mut leaving = Mysql::login(server.connect("mysql")).unwrap();
        leaving.send_query(text).unwrap();
        let mut is_shown = || {
            let processes = sql.query("SHOW PROCESSLIST").unwrap();
            processes.iter().any(|line| line.iter().any(|field| field.as_deref() == Some(text)))
        };
        wait_until("it runs", &mut is_shown);
        drop(leaving);
        let since = Instant::now();
        wait_until("it has ended", || !is_shown());
        wait_until("its connection is closed", || server.open_files() <= before);
        assert!(since.elapsed() < PATIENCE, "{text}: {:?}", since.elapsed());
    }
}
