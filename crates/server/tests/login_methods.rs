//! How `rowhouse dump` logs in: by each method that a server may ask for, with a listener between.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Output;
use std::thread::JoinHandle;

use crate::support::{Running, run};

/// Accounts whose password is `secret`. Of `both` the server knows all digests, of `native` and
/// `slow` only the stored form of one method, as MySQL has it.
const USERS: &str = r#"
[[users]]
name = "both"
password = "secret"
[[users]]
name = "native"
password-hash = "*14E65567ABDB5135D0CFD9A70B3032C179A49EE7"
[[users]]
name = "slow"
password-hash = "$A$005$saltsaltsaltsaltsaltVfuCrt74BT5cmWuUzyrKv5/ilfRWJ4UtpS/Dq2WJLG2"
"#;
const KEY: &[u8] = b"-----BEGIN PUBLIC KEY-----";
const NATIVE: &[u8] = b"mysql_native_password";
/// Of an RSA message with a key of 2048 bits, with the head of its packet, the fifth.
const SEALED_HEAD: &[u8] = &[0, 1, 0, 5];

struct Place {
    server: Running,
    socket: String,
    directory: tempfile::TempDir,
}

fn place() -> Place {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("users.toml");
    fs::write(&config, USERS).unwrap();
    let socket = directory.path().join("mysql.sock").display().to_string();
    let flags = ["--config", config.to_str().unwrap(), "--mysql-socket", &socket];
    let server = Running::start(&directory.path().join("data"), &flags);
    Place { server, socket, directory }
}

/// What went over a connection, to the server and back.
struct Heard {
    sent: Vec<u8>,
    received: Vec<u8>,
}

impl Heard {
    fn has(bytes: &[u8], part: &[u8]) -> bool {
        bytes.windows(part.len()).any(|window| window == part)
    }
}

/// Passes one connection on to an address, and listens.
fn listener(to: String) -> (u16, JoinHandle<Heard>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let thread = std::thread::spawn(move || {
        let (client, _) = listener.accept().unwrap();
        let server = TcpStream::connect(to).unwrap();
        let (from, onto) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        let sent = std::thread::spawn(move || pass(from, onto));
        let received = pass(server, client);
        Heard { sent: sent.join().unwrap(), received }
    });
    (port, thread)
}

fn pass(mut from: TcpStream, mut to: TcpStream) -> Vec<u8> {
    let (mut heard, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        heard.extend_from_slice(&buffer[..count]);
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
    heard
}

/// Dumps over TCP as a user, with a listener between.
fn dump(place: &Place, user: &str, password: &str) -> (Output, Heard) {
    let (port, heard) = listener(place.server.address("mysql").to_owned());
    let (user, password) = (format!("--user={user}"), format!("--password={password}"));
    let port = port.to_string();
    let output = run(&["dump", "--host=127.0.0.1", "--port", &port, &user, &password]);
    (output, heard.join().unwrap())
}

/// Of the accounts that MariaDB's methods prove, `several` by the second of two that are named
/// alike.
const SIGNED: [(&str, &str); 4] = [
    ("ed", "ed25519 USING PASSWORD('secret')"),
    ("par", "parsec USING PASSWORD('secret')"),
    ("several", "parsec USING PASSWORD('other') OR parsec USING PASSWORD('secret')"),
    ("last", "unix_socket AS 'nobody-is-called-so' OR ed25519 USING PASSWORD('secret')"),
];

#[test]
fn a_login_by_a_socket_or_a_signature_inside_tls_was_a_fault_where_it_waited() {
    let place = place();
    let statements = |(user, ways): &(&str, &str)| {
        format!("CREATE USER {user} IDENTIFIED VIA {ways};\nGRANT ALL ON *.* TO {user};\n")
    };
    let file = place.directory.path().join("accounts.sql");
    fs::write(&file, SIGNED.iter().map(statements).collect::<String>()).unwrap();
    let as_both = ["--user=both", "--password=secret", "--socket", &place.socket];
    let load = ["load", "--accounts", file.to_str().unwrap()];
    let loaded = run(&[&load[..], &as_both].concat());
    assert!(loaded.status.success(), "{}", String::from_utf8_lossy(&loaded.stderr));
    let port = place.server.address("mysql").rsplit_once(':').unwrap().1.to_owned();
    for (user, _) in SIGNED {
        let (output, heard) = dump(&place, user, "secret");
        let name = format!("--user={user}");
        let right = [&*name, "--password=secret"];
        let at_socket = run(&[&["dump", "--socket", &place.socket], &right[..]].concat());
        let within = ["dump", "--host=127.0.0.1", "--port", &port, "--tls"];
        let within = run(&[&within[..], &right[..]].concat());
        for output in [output, at_socket, within] {
            is_done(&output);
        }
        assert!(!Heard::has(&heard.sent, b"secret"));
    }
    // Answers to wrong ones come later and later.
    for (user, password) in [("ed", "Secret"), ("several", "")] {
        is_refused(&dump(&place, user, password).0);
    }
}

fn is_done(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("-- Dump completed"));
}

fn is_refused(output: &Output) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("ERROR 1045 (28000): Access denied for user"), "{said}");
}

#[test]
fn a_known_digest_is_proved_at_once_and_a_native_hash_after_a_switch() {
    let place = place();
    for (user, switched) in [("both", false), ("native", true)] {
        let (output, heard) = dump(&place, user, "secret");
        is_done(&output);
        assert_eq!(Heard::has(&heard.received, NATIVE), switched, "{user}");
        assert!(!Heard::has(&heard.sent, b"secret"));
        let (output, _) = dump(&place, user, "Secret");
        is_refused(&output);
        let (output, _) = dump(&place, user, "");
        is_refused(&output);
    }
}

#[test]
fn a_slow_hash_is_proved_by_the_sealed_password_once_and_then_by_its_digest() {
    let place = place();
    let (output, heard) = dump(&place, "slow", "wrong");
    is_refused(&output);
    assert!(Heard::has(&heard.received, KEY) && !Heard::has(&heard.sent, b"wrong"));
    for asked in [true, false] {
        let (output, heard) = dump(&place, "slow", "secret");
        is_done(&output);
        assert_eq!(Heard::has(&heard.received, KEY), asked);
        assert_eq!(Heard::has(&heard.sent, SEALED_HEAD), asked);
        assert!(!Heard::has(&heard.sent, b"secret"));
    }
    let (output, _) = dump(&place, "slow", &"long ".repeat(60));
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("too short for the password"), "{said}");
}

#[test]
fn on_a_socket_of_the_machine_the_password_is_sent_as_it_is() {
    let place = place();
    let socket = format!("--socket={}", place.socket);
    is_refused(&run(&["dump", &socket, "--user=slow", "--password=wrong"]));
    is_done(&run(&["dump", &socket, "--user=slow", "--password=secret"]));
    is_done(&run(&["dump", &socket, "--user=native", "--password=secret"]));
}
