//! Progress reports of a real server: when its loops send them, and to whom.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::mysql::Mysql;
use crate::support::{Running, wait_until};

const ALTER: &str = "ALTER TABLE d.t MODIFY v BIGINT";

/// A client that asks for reports, and sees every packet.
struct Asking {
    stream: TcpStream,
    id: u32,
}

impl Asking {
    fn login(server: &Running) -> Asking {
        let mut asking = Asking { stream: server.connect("mysql"), id: 0 };
        let (_, greeting) = asking.packet();
        let version_end = greeting.iter().position(|byte| *byte == 0).unwrap();
        let id = greeting[version_end + 1..][..4].try_into().unwrap();
        asking.id = u32::from_le_bytes(id);
        // PROTOCOL_41, TRANSACTIONS, SECURE_CONNECTION, PLUGIN_AUTH, and MariaDB's PROGRESS.
        let capabilities = 0x200u32 | 0x2000 | 0x8000 | 0x8_0000 | 1 << 29;
        let mut login = capabilities.to_le_bytes().to_vec();
        login.extend(b"\0\0\0\x01\x2d");
        login.extend([0; 23]);
        login.extend(b"root\0\0caching_sha2_password\0");
        asking.send(1, &login);
        assert_eq!(asking.packet().1[0], 0, "logged in");
        asking
    }

    fn send(&mut self, number: u8, payload: &[u8]) {
        let mut packet = (payload.len() as u32).to_le_bytes();
        packet[3] = number;
        self.stream.write_all(&[&packet, payload].concat()).unwrap();
    }

    fn query(&mut self, text: &str) {
        self.send(0, &[&[3], text.as_bytes()].concat());
    }

    /// A packet's number and payload.
    fn packet(&mut self) -> (u8, Vec<u8>) {
        let mut head = [0; 4];
        self.stream.read_exact(&mut head).expect("a packet");
        let length = u32::from_le_bytes([head[0], head[1], head[2], 0]);
        let mut payload = vec![0; length as usize];
        self.stream.read_exact(&mut payload).expect("all of it");
        (head[3], payload)
    }

    /// The reports up to the reply, and the reply.
    fn reply(&mut self) -> (Vec<Vec<u8>>, Vec<u8>) {
        let mut reports = Vec::new();
        loop {
            let (number, payload) = self.packet();
            assert_eq!(usize::from(number), reports.len() + 1, "in order");
            if !payload.starts_with(b"\xFF\xFF\xFF") {
                return (reports, payload);
            }
            reports.push(payload);
        }
    }
}

fn session(server: &Running) -> Mysql {
    Mysql::login(server.connect("mysql")).expect("a session")
}

/// A server with a table, and a session that keeps others from altering it.
fn held(directory: &tempfile::TempDir) -> (Running, Mysql) {
    let server = Running::start(directory.path(), &[]);
    let mut holder = session(&server);
    holder.query("CREATE DATABASE d").unwrap();
    holder.query("CREATE TABLE d.t (id INT PRIMARY KEY, v INT)").unwrap();
    holder.query("INSERT INTO d.t VALUES (1, 1)").unwrap();
    holder.query("SET GLOBAL progress_report_time = 1").unwrap();
    holder.query("BEGIN").unwrap();
    holder.query("UPDATE d.t SET v = 2").unwrap();
    (server, holder)
}

#[test]
fn who_asked_is_told_again_and_again_until_the_statement_ends_or_is_killed() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut holder) = held(&directory);
    let mut asking = Asking::login(&server);
    asking.query(ALTER);
    let words = b"Waiting for table metadata lock";
    for number in 1..=2 {
        let (found, report) = asking.packet();
        assert_eq!((found, &report[..6]), (number, &b"\xFF\xFF\xFF\x01\x01\x02"[..]));
        assert!(report.ends_with(words), "{:?}", String::from_utf8_lossy(&report));
    }
    holder.query(&format!("KILL QUERY {}", asking.id)).unwrap();
    let mut last = asking.packet();
    let mut number = 3;
    while last.1.starts_with(b"\xFF\xFF\xFF") {
        assert_eq!(last.0, number);
        number += 1;
        last = asking.packet();
    }
    assert_eq!((last.0, &last.1[..3]), (number, &[0xFF, 0x25, 0x05][..]), "error 1317");
    // The connection goes on, and the next statement to its end.
    asking.query(ALTER);
    assert_eq!(asking.packet().0, 1);
    holder.query("COMMIT").unwrap();
    loop {
        let (_, payload) = asking.packet();
        if payload[0] == 0 {
            break;
        }
        assert!(payload.starts_with(b"\xFF\xFF\xFF"));
    }
    asking.query("SELECT v FROM d.t");
    assert_eq!(asking.packet(), (1, vec![1]));
}

#[test]
fn who_asked_and_does_not_read_holds_nobody_up_and_finds_all_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut holder) = held(&directory);
    let (mut asking, mut watcher) = (Asking::login(&server), session(&server));
    asking.query(ALTER);
    let mut left = None;
    // Others are served meanwhile, and some reports must have been made.
    let waits = "SELECT time FROM information_schema.processlist WHERE info LIKE 'ALTER%'";
    wait_until("some seconds of it have passed", || {
        let lines = watcher.query(waits).expect("a list");
        left = lines.first().and_then(|line| line[0].clone());
        left.as_deref().is_some_and(|seconds| seconds.parse::<u32>().unwrap() >= 3)
    });
    holder.query("COMMIT").unwrap();
    wait_until("the statement ends", || watcher.query(waits).expect("a list").is_empty());
    let (reports, reply) = asking.reply();
    assert!(reports.len() >= 2, "{} reports", reports.len());
    assert_eq!(reply[0], 0);
}

#[test]
fn a_client_that_leaves_while_it_is_told_ends_its_statement() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut holder) = held(&directory);
    let mut asking = Asking::login(&server);
    asking.query(ALTER);
    asking.packet();
    drop(asking);
    let alters = "SELECT id FROM information_schema.processlist WHERE info LIKE 'ALTER%'";
    wait_until("it has ended", || holder.query(alters).expect("a list").is_empty());
    holder.query("COMMIT").unwrap();
    let created = holder.query("SHOW CREATE TABLE d.t").unwrap()[0][1].clone().unwrap();
    assert!(created.contains("`v` int"), "{created}");
}
