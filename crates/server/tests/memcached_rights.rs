//! Accounts at the memcached door: logging in by SASL, by a first `set` and by a certificate, and
//! what each request needs.
//!
//! Not here: privileges themselves (crate `access`), packets of SASL that make no sense (`doors`).

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use crate::account_place::AccountPlace;
use crate::support::{figure, read_all};

const DENIED: &str = "CLIENT_ERROR access denied\r\n";
const UNAUTHENTICATED: &str = "CLIENT_ERROR unauthenticated\r\n";

/// Privileges on `d.t`, and a request on its container `c` that needs just these. Its key is `id`,
/// its value `a`, flags and expiry time are `f` and `e`.
const REQUESTS: &[(&str, &[&str], &str)] = &[
    ("get c:1", &READ, "VALUE c:1 0 2\r\n10\r\nEND\r\n"),
    ("gets c:9", &READ, "END\r\n"),
    ("mg c:1 v", &READ, "VA 2\r\n10\r\n"),
    ("me c:9", &READ, "EN\r\n"),
    (
        "mg c:8 N0",
        &[READ[0], READ[1], READ[2], READ[3], INSERT[0], INSERT[1], INSERT[2], INSERT[3]],
        "HD W\r\n",
    ),
    (
        "gat 0 c:1",
        &[READ[0], READ[1], READ[2], READ[3], "UPDATE(e)"],
        "VALUE c:1 0 2\r\n10\r\nEND\r\n",
    ),
    ("touch c:1 0", &["SELECT(id)", "UPDATE(e)"], "TOUCHED\r\n"),
    (
        "set c:1 0 0 2\r\n10",
        &[INSERT[0], INSERT[1], INSERT[2], INSERT[3], UPDATE[0], UPDATE[1], UPDATE[2]],
        "STORED\r\n",
    ),
    ("add c:1 0 0 2\r\n10", &INSERT, "NOT_STORED\r\n"),
    ("replace c:1 0 0 2\r\n10", &["SELECT(id)", UPDATE[0], UPDATE[1], UPDATE[2]], "STORED\r\n"),
    ("cas c:9 0 0 2 7\r\n10", &["SELECT(id)", UPDATE[0], UPDATE[1], UPDATE[2]], "NOT_FOUND\r\n"),
    ("append c:1 0 0 0\r\n", &CHANGE, "STORED\r\n"),
    ("prepend c:1 0 0 0\r\n", &CHANGE, "STORED\r\n"),
    ("incr c:1 0", &CHANGE, "10\r\n"),
    ("decr c:1 0", &CHANGE, "10\r\n"),
    ("delete c:9", &["SELECT(id)", "DELETE"], "NOT_FOUND\r\n"),
    ("md c:9 I", &["SELECT(id)", "DELETE"], "NF\r\n"),
    ("md c:9 x", &["SELECT(id)", UPDATE[0], UPDATE[1], UPDATE[2]], "NF\r\n"),
    (
        "ms c:1 2\r\n10",
        &[INSERT[0], INSERT[1], INSERT[2], INSERT[3], UPDATE[0], UPDATE[1], UPDATE[2]],
        "HD\r\n",
    ),
    ("ma c:1 D0", &CHANGE, "HD\r\n"),
];
const READ: [&str; 4] = ["SELECT(id)", "SELECT(a)", "SELECT(f)", "SELECT(e)"];
const INSERT: [&str; 4] = ["INSERT(id)", "INSERT(a)", "INSERT(f)", "INSERT(e)"];
const UPDATE: [&str; 3] = ["UPDATE(a)", "UPDATE(f)", "UPDATE(e)"];
const CHANGE: [&str; 7] =
    [READ[0], READ[1], READ[2], READ[3], "UPDATE(a)", "UPDATE(f)", "UPDATE(e)"];

/// What concerns the whole door, the privilege that it needs and where that is granted.
const WHOLE: &[(&str, &str, &str)] = &[
    ("flush_all", "DROP ON kv.cache", "OK\r\n"),
    ("flush_all 100", "DROP ON kv.cache", "OK\r\n"),
    ("stats reset", "RELOAD ON *.*", "RESET\r\n"),
    ("stats detail off", "RELOAD ON *.*", "OK\r\n"),
    ("stats detail dump", "SELECT ON kv.cache", "END\r\n"),
    ("stats cachedump 1 0", "SELECT ON kv.cache", "END\r\n"),
    ("lru_crawler metadump all", "SELECT ON kv.cache", "END\r\n"),
];

/// A server with `d.t` of one row behind the container `c`, and the account `app`.
fn open(flags: &[&str]) -> AccountPlace {
    AccountPlace::open(
        flags,
        &[
            "CREATE DATABASE d",
            "CREATE TABLE d.t (id INT PRIMARY KEY, a INT, f INT, e BIGINT)",
            "INSERT INTO d.t VALUES (1, 10, 0, 0)",
            "INSERT INTO rowhouse.containers VALUES ('c', 'd', 't', 'id', 'a', '|', 'f', 'e')",
            "CREATE USER app IDENTIFIED BY 'pass word'",
        ],
    )
}

fn connect(place: &AccountPlace) -> TcpStream {
    place.server.connect("memcached")
}

/// A client that has logged in.
fn app(place: &AccountPlace) -> TcpStream {
    let mut client = connect(place);
    assert_eq!(say(&mut client, "set any 0 0 13\r\napp pass word", 1), "STORED\r\n");
    client
}

/// Sends a request and reads so many lines.
fn say(client: &mut TcpStream, request: &str, lines: usize) -> String {
    client.write_all(format!("{request}\r\n").as_bytes()).unwrap();
    let mut answer = Vec::new();
    while answer.iter().filter(|byte| **byte == b'\n').count() < lines {
        let mut byte = [0];
        client.read_exact(&mut byte).unwrap();
        answer.push(byte[0]);
        // A refusal is one line.
        if answer.ends_with(b"\r\n") && answer.starts_with(b"CLIENT_ERROR") {
            break;
        }
    }
    String::from_utf8(answer).unwrap()
}

/// Sends a binary packet and reads the status and value of the answer.
fn packet(client: &mut TcpStream, opcode: u8, key: &[u8], value: &[u8]) -> (u16, Vec<u8>) {
    let mut bytes = vec![0x80, opcode];
    bytes.extend((key.len() as u16).to_be_bytes());
    bytes.extend([0; 4]);
    bytes.extend(((key.len() + value.len()) as u32).to_be_bytes());
    bytes.extend([0; 12]);
    bytes.extend([key, value].concat());
    client.write_all(&bytes).unwrap();
    let mut head = [0; 24];
    client.read_exact(&mut head).unwrap();
    let mut body = vec![0; u32::from_be_bytes([head[8], head[9], head[10], head[11]]) as usize];
    client.read_exact(&mut body).unwrap();
    (u16::from_be_bytes([head[6], head[7]]), body.split_off(usize::from(head[4])))
}

#[test]
fn each_request_needs_its_privileges_and_a_revoke_holds_for_the_next_one() {
    let mut place = open(&["--memcached-user=none"]);
    let mut client = app(&place);
    for (request, needed, reply) in REQUESTS {
        let lines = reply.matches('\n').count();
        assert_eq!(say(&mut client, request, 1), DENIED, "{request} with nothing");
        for privilege in *needed {
            place.sql.run(&format!("GRANT {privilege} ON d.t TO app"));
        }
        for privilege in *needed {
            place.sql.run(&format!("REVOKE {privilege} ON d.t FROM app"));
            assert_eq!(say(&mut client, request, 1), DENIED, "{request} without {privilege}");
            place.sql.run(&format!("GRANT {privilege} ON d.t TO app"));
        }
        assert_eq!(say(&mut client, request, lines), *reply, "{request}");
        for privilege in *needed {
            place.sql.run(&format!("REVOKE {privilege} ON d.t FROM app"));
        }
    }
    let rows = place.sql.query("SELECT id, a FROM d.t").unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(rows.len(), 2, "one was made: {rows:?}");
}

#[test]
fn what_concerns_all_keys_needs_its_privilege() {
    let mut place = open(&["--memcached-user=none"]);
    let mut client = app(&place);
    client.write_all(b"stats\r\n").unwrap();
    let mut stats = String::new();
    while !stats.ends_with("END\r\n") {
        let mut byte = [0];
        client.read_exact(&mut byte).unwrap();
        stats.push(char::from(byte[0]));
    }
    assert!(stats.contains("STAT auth_cmds 1\r\n"), "{stats}");
    for (request, granted, reply) in WHOLE {
        assert_eq!(say(&mut client, request, 1), DENIED, "{request}");
        place.sql.run(&format!("GRANT {granted} TO app"));
        assert_eq!(say(&mut client, request, 1), *reply, "{request}");
        place.sql.run(&format!("REVOKE {granted} FROM app"));
    }
}

#[test]
fn sasl_logs_in_and_nothing_else_is_served_before() {
    let mut place = open(&["--memcached-user=none"]);
    place.sql.run("GRANT ALL ON kv.* TO app");
    let mut client = connect(&place);
    assert_eq!(packet(&mut client, 0x20, b"", b""), (0, b"PLAIN".to_vec()));
    assert_eq!(packet(&mut client, 0x0a, b"", b"").0, 0, "noop");
    assert_eq!(packet(&mut client, 0x0b, b"", b"").0, 0, "version");
    let login = b"\0app\0pass word";
    assert_eq!(packet(&mut client, 0x21, b"PLAIN", login), (0, b"Authenticated".to_vec()));
    assert_eq!(packet(&mut client, 0x00, b"k", b"").0, 1, "not found");
    assert_eq!(packet(&mut client, 0x00, b"c:1", b"").0, 0x20, "not allowed");
    place.sql.run("REVOKE ALL ON kv.* FROM app");
    assert_eq!(packet(&mut client, 0x00, b"k", b"").0, 0x20);
    place.sql.run("GRANT SELECT ON kv.cache TO app");
    assert_eq!(packet(&mut client, 0x21, b"PLAIN", b"").0, 0x21, "go on");
    assert_eq!(packet(&mut client, 0x22, b"PLAIN", login).0, 0);
    assert_eq!(packet(&mut client, 0x00, b"k", b"").0, 1);
    place.sql.run("DROP USER app");
    assert_eq!(packet(&mut client, 0x00, b"k", b"").0, 0x20);
    for value in [&b"\0app\0pass word"[..], b"\0nobody\0", b"root\0app\0x"] {
        let (status, words) = packet(&mut client, 0x21, b"PLAIN", value);
        assert_eq!((status, &words[..]), (0x20, &b"Auth failure."[..]));
    }
    assert_eq!(read_all(&mut client), b"", "closed after three");
    assert_eq!(figure(place.directory.path(), "memcached_failed_logins"), 3);
    let log = place.server.log();
    assert!(log.contains("a login has failed") && log.contains("door=\"memcached\""), "{log}");

    let mut client = connect(&place);
    assert_eq!(packet(&mut client, 0x00, b"k", b"").0, 0x20);
    assert_eq!(read_all(&mut client), b"", "closed, as the original does it");
}

#[test]
fn a_first_set_logs_in_and_blocks_of_data_are_no_requests() {
    let place = open(&["--memcached-user=none"]);
    let mut client = connect(&place);
    for request in ["get a", "mg a v", "version", "mn", "stats", "flush_all"] {
        assert_eq!(say(&mut client, request, 1), UNAUTHENTICATED, "{request}");
    }
    // The value of this is a login by its looks.
    let block = "set x 0 0 13\r\napp pass word\r\n";
    let request = format!("add x 0 0 {}\r\n{block}", block.len());
    assert_eq!(say(&mut client, &request, 1), UNAUTHENTICATED);
    assert_eq!(say(&mut client, "get a", 1), UNAUTHENTICATED);
    let wrong = "CLIENT_ERROR authentication failure\r\n";
    assert_eq!(say(&mut client, "set x 0 0 8\r\napp pass", 1), wrong);
    let no_space = "CLIENT_ERROR bad authentication token format\r\n";
    assert_eq!(say(&mut client, "set x 0 0 3\r\napp", 1), no_space);
    assert_eq!(say(&mut client, "set x 0 0 13\r\napp pass word", 1), "STORED\r\n");
    assert_eq!(say(&mut client, "set x 0 0 13\r\napp pass word", 1), DENIED, "now it is a value");
    let mut client = connect(&place);
    client.write_all(b"quit\r\n").unwrap();
    assert_eq!(read_all(&mut client), b"");
}

#[test]
fn clients_without_a_login_act_as_the_account_of_a_setting() {
    let mut place = open(&["--memcached-user=guest"]);
    let mut client = connect(&place);
    assert_eq!(say(&mut client, "get c:1", 1), DENIED, "nobody has that account");
    place.sql.run("CREATE USER guest");
    place.sql.run("GRANT SELECT ON d.t TO guest");
    assert_eq!(say(&mut client, "get c:1", 3), "VALUE c:1 0 2\r\n10\r\nEND\r\n");
    assert_eq!(say(&mut client, "set c:1 0 0 13\r\napp pass word", 1), DENIED, "no login");
    place.sql.run("ALTER USER guest PASSWORD EXPIRE");
    assert_eq!(say(&mut client, "get c:1", 1), DENIED);
    let log = place.server.log();
    assert!(log.contains("setting=\"memcached-user\" account=guest@%"), "{log}");
}

#[test]
fn replies_around_a_login_keep_their_order() {
    let mut place = open(&["--memcached-user=none"]);
    place.sql.run("GRANT ALL ON kv.* TO app");
    let mut client = connect(&place);
    let sent = "get a\r\nset l 0 0 13\r\napp pass word\r\nset a 0 0 1\r\n1\r\nget a\r\nget c:1\r\n";
    client.write_all(sent.as_bytes()).unwrap();
    let replies = [UNAUTHENTICATED, "STORED\r\nSTORED\r\nVALUE a 0 1\r\n1\r\nEND\r\n", DENIED];
    let mut read = vec![0; replies.concat().len()];
    client.read_exact(&mut read).unwrap();
    assert_eq!(String::from_utf8(read).unwrap(), replies.concat());
}
