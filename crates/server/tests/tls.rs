//! TLS at the running server: every door inside it, who is refused, what is no TLS, certificates
//! that are read again.
//!
//! Not here: what the wrapper does with turns and commits (`doors/tests/encrypted`), clients of
//! others (`tests/clients`).

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use rustix::process::Signal;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use tls::{TlsFiles, make_own_certificate};

use crate::mysql::{Failure, Mysql};
use crate::support::{Running, ask_line, figure, read_all, read_line, wait_until};

/// CLIENT_SSL, which a greeting offers and a request for TLS sets.
const SSL: u32 = 1 << 11;
/// PROTOCOL_41, SECURE_CONNECTION, PLUGIN_AUTH.
const CAPABILITIES: u32 = 0x200 | 0x8000 | 0x8_0000;
/// All ports of TLS.
const PORTS: [&str; 6] = [
    "--handlersocket-tls-port=auto",
    "--handlersocket-write-tls-port=auto",
    "--memcached-tls-port=auto",
    "--tyrant-tls-port=auto",
    "--metrics-tls-port=auto",
    "--admin-tls-port=auto",
];

type Encrypted = StreamOwned<ClientConnection, TcpStream>;

/// A client that trusts a certificate alone.
fn trusting(certificate: &Path) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(certificate).unwrap()).unwrap();
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap();
    Arc::new(builder.with_root_certificates(roots).with_no_client_auth())
}

/// TLS from here on.
fn encrypt(config: &Arc<ClientConfig>, stream: TcpStream) -> Encrypted {
    let name = "localhost".try_into().unwrap();
    StreamOwned::new(ClientConnection::new(config.clone(), name).unwrap(), stream)
}

/// A packet's payload.
fn receive(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut header = [0; 4];
    stream.read_exact(&mut header)?;
    let length = u32::from_le_bytes([header[0], header[1], header[2], 0]);
    let mut payload = vec![0; length as usize];
    stream.read_exact(&mut payload)?;
    Ok(payload)
}

fn send(stream: &mut impl Write, sequence: u8, payload: &[u8]) {
    let mut packet = (payload.len() as u32).to_le_bytes();
    packet[3] = sequence;
    stream.write_all(&[&packet[..], payload].concat()).unwrap();
    stream.flush().unwrap();
}

/// The front of a response to the greeting, which is all of a request for TLS.
fn front(capabilities: u32) -> Vec<u8> {
    let mut front = capabilities.to_le_bytes().to_vec();
    front.extend((1u32 << 24).to_le_bytes());
    front.push(45);
    front.extend([0; 23]);
    front
}

/// Asks for TLS at the MySQL door, as clients do.
fn ask_for_tls(mut stream: TcpStream) -> TcpStream {
    let greeting = receive(&mut stream).unwrap();
    let version = greeting.iter().position(|byte| *byte == 0).unwrap();
    // Number, scramble and a zero, then the low half of the capabilities.
    let at = version + 1 + 4 + 8 + 1;
    let low = u16::from_le_bytes([greeting[at], greeting[at + 1]]);
    assert!(u32::from(low) & SSL != 0, "it is offered");
    send(&mut stream, 1, &front(CAPABILITIES | SSL));
    stream
}

/// Logs in as root inside TLS.
fn log_in(mut stream: Encrypted) -> Encrypted {
    let login = [&front(CAPABILITIES | SSL)[..], b"root\0\0mysql_native_password\0"].concat();
    send(&mut stream, 2, &login);
    let reply = receive(&mut stream).unwrap();
    if reply[0] == 0xfe {
        send(&mut stream, 4, b"");
        assert_eq!(receive(&mut stream).unwrap()[0], 0, "OK");
    } else {
        assert_eq!(reply[0], 0, "OK");
    }
    stream
}

/// The value of a query of one row and column.
fn value(stream: &mut Encrypted, query: &str) -> Vec<u8> {
    send(stream, 0, &[b"\x03", query.as_bytes()].concat());
    let count = receive(stream).unwrap();
    assert_eq!(count, [1], "one column");
    receive(stream).unwrap();
    assert_eq!(receive(stream).unwrap()[0], 0xfe);
    let row = receive(stream).unwrap();
    assert_eq!(receive(stream).unwrap()[0], 0xfe);
    // A length of one byte, or a mark and three.
    row[if row[0] < 0xfb { 1 } else { 4 }..].to_vec()
}

/// A figure of SHOW STATUS.
fn status(stream: &mut Encrypted, name: &str) -> String {
    send(stream, 0, format!("\x03SHOW STATUS LIKE '{name}'").as_bytes());
    for _ in 0..4 {
        receive(stream).unwrap();
    }
    let row = receive(stream).unwrap();
    assert_eq!(receive(stream).unwrap()[0], 0xfe);
    // Both columns are short texts behind their lengths.
    String::from_utf8(row[1 + row[0] as usize + 1..].to_vec()).unwrap()
}

#[test]
fn every_door_answers_inside_tls() {
    let base = tempfile::tempdir().unwrap();
    let server = Running::start(base.path(), &PORTS);
    let config = trusting(&base.path().join("tls-certificate.pem"));
    let open = |door: &str| encrypt(&config, server.connect(door));
    let mut memcached = open("memcached-tls");
    memcached.write_all(b"set a 0 0 5\r\nhello\r\nget a\r\n").unwrap();
    for line in ["STORED\r", "VALUE a 0 5\r", "hello\r", "END\r"] {
        assert_eq!(read_line(&mut memcached), line);
    }
    let mut socket = open("handlersocket-tls");
    socket.write_all(b"P\t1\tkv\tcache\tPRIMARY\tv\n1\t=\t1\ta\n").unwrap();
    assert_eq!(read_line(&mut socket), "0\t1");
    assert_eq!(read_line(&mut socket), "0\t1\thello");
    for (door, path) in [("tyrant-tls", "/none"), ("metrics-tls", "/metrics"), ("page-tls", "/")] {
        let mut http = open(door);
        write!(http, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .unwrap();
        assert!(read_line(&mut http).starts_with("HTTP/1.1 "), "{door}");
    }
    let mut mysql = log_in(encrypt(&config, ask_for_tls(server.connect("mysql"))));
    assert_eq!(value(&mut mysql, "SELECT v FROM kv.cache WHERE k = 'a'"), b"hello");
    assert_eq!(value(&mut mysql, "SELECT @@have_ssl"), b"YES");
    assert_eq!(status(&mut mysql, "Ssl_version"), "TLSv1.3");
    assert!(status(&mut mysql, "Ssl_cipher").starts_with("TLS_"));
    // More than sockets and records take at once, both ways.
    let long = format!("SELECT LENGTH('{}')", "x".repeat(300_000));
    assert_eq!(value(&mut mysql, &long), b"300000");
    let replies = value(&mut mysql, "SELECT REPEAT('y', 300000)");
    assert!(replies.len() == 300_000 && replies.iter().all(|byte| *byte == b'y'));
    // No loop has computed a handshake.
    assert!(figure(base.path(), "memcached_tls_offloaded") > 0);
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn where_tls_is_required_nobody_else_logs_in() {
    let base = tempfile::tempdir().unwrap();
    let server = Running::start(base.path(), &["--tls=required"]);
    match Mysql::login(server.connect("mysql")) {
        Err(Failure::Error { number, .. }) => assert_eq!(number, 3159),
        _ => panic!("let in"),
    }
    let config = trusting(&base.path().join("tls-certificate.pem"));
    let mut mysql = log_in(encrypt(&config, ask_for_tls(server.connect("mysql"))));
    assert_eq!(value(&mut mysql, "SELECT 1"), b"1");
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn an_account_that_requires_tls_or_a_certificate_is_let_in_with_it_alone() {
    let base = tempfile::tempdir().unwrap();
    let server = Running::start(base.path(), &["--handlersocket-tls-port=auto"]);
    let config = trusting(&base.path().join("tls-certificate.pem"));
    let mut root = log_in(encrypt(&config, ask_for_tls(server.connect("mysql"))));
    let mut require = |what: &str| {
        send(&mut root, 0, format!("\x03ALTER USER root@localhost REQUIRE {what}").as_bytes());
        assert_eq!(receive(&mut root).unwrap()[0], 0, "OK");
    };
    let is_refused = || match Mysql::login(server.connect("mysql")) {
        Err(Failure::Error { number: 1045, .. }) => true,
        Ok(_) => false,
        _ => panic!("refused otherwise"),
    };
    assert!(!is_refused());
    require("SSL");
    assert!(is_refused());
    let mut mysql = log_in(encrypt(&config, ask_for_tls(server.connect("mysql"))));
    assert_eq!(value(&mut mysql, "SELECT 1"), b"1");
    require("X509");
    let mut stream = encrypt(&config, ask_for_tls(server.connect("mysql")));
    let login = [&front(CAPABILITIES | SSL)[..], b"root\0\0mysql_native_password\0"].concat();
    send(&mut stream, 2, &login);
    let mut reply = receive(&mut stream).unwrap();
    if reply[0] == 0xfe {
        send(&mut stream, 4, b"");
        reply = receive(&mut stream).unwrap();
    }
    assert_eq!(reply[..3], [0xff, 0x15, 0x04], "1045 without a certificate");
    require("NONE");
    assert!(!is_refused());
    send(&mut root, 0, b"\x03CREATE USER app IDENTIFIED BY 'x' REQUIRE SSL");
    assert_eq!(receive(&mut root).unwrap()[0], 0, "OK");
    let mut plain = server.connect("handlersocket");
    assert_eq!(ask_line(&mut plain, "A\t1\tapp:x\n"), "3\t1\tunauth");
    let mut inside = encrypt(&config, server.connect("handlersocket-tls"));
    inside.write_all(b"A\t1\tapp:x\nA\t1\tapp:y\n").unwrap();
    assert_eq!(read_line(&mut inside), "0\t1");
    assert_eq!(read_line(&mut inside), "3\t1\tunauth");
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn what_is_no_tls_is_closed_and_half_a_hello_ends_with_the_time_for_logins() {
    let base = tempfile::tempdir().unwrap();
    let server = Running::start(base.path(), &["--memcached-tls-port=auto", "--login-timeout=1s"]);
    let mut plain = server.connect("memcached-tls");
    plain.write_all(b"get a\r\n").unwrap();
    let reply = read_all(&mut plain);
    assert_eq!(reply.first(), Some(&21), "an alert of TLS, then the end: {reply:?}");
    // The beginning of a record, and a whole one that is nothing's beginning.
    let mut half = server.connect("memcached-tls");
    half.write_all(&[22, 3, 1, 2, 0, 1, 0, 1]).unwrap();
    assert_eq!(read_all(&mut half), b"");
    let mut wrong = server.connect("memcached-tls");
    wrong.write_all(&[22, 3, 1, 0, 4, 99, 0, 0, 0]).unwrap();
    assert_eq!(read_all(&mut wrong).first(), Some(&21));
    // At the MySQL door, too, what follows the request for TLS.
    let mut after = ask_for_tls(server.connect("mysql"));
    after.write_all(b"\x09\0\0\0\x03SELECT 1").unwrap();
    assert_eq!(read_all(&mut after).first(), Some(&21), "it is not carried out");
    // One that asks twice, in plain text behind its request.
    let mut twice = ask_for_tls(server.connect("mysql"));
    send(&mut twice, 2, &front(CAPABILITIES | SSL));
    assert_eq!(read_all(&mut twice).first(), Some(&21));
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn certificates_are_read_again_and_wrong_ones_change_nothing() {
    let base = tempfile::tempdir().unwrap();
    let at = |name: &str| base.path().join(name);
    let files = |name: &str| TlsFiles {
        certificate: at(&format!("{name}.pem")),
        key: at(&format!("{name}-key.pem")),
        client_ca: None,
    };
    let (first, second) = (files("first"), files("second"));
    make_own_certificate(&first, "a").unwrap();
    make_own_certificate(&second, "b").unwrap();
    let (trusts_first, trusts_second) =
        (trusting(&first.certificate), trusting(&second.certificate));
    let flags = [
        format!("--tls-certificate={}", first.certificate.display()),
        format!("--tls-key={}", first.key.display()),
    ];
    let server = Running::start(&at("data"), &[&flags[0], &flags[1]]);
    assert!(!at("data").join("tls-key.pem").exists(), "none is made where one is set");
    let connect = |config| encrypt(config, ask_for_tls(server.connect("mysql")));
    let mut open = log_in(connect(&trusts_first));
    std::fs::write(&first.certificate, "nonsense").unwrap();
    server.signal(Signal::HUP);
    wait_until("the log tells of it", || server.log().contains("the old ones stay"));
    assert!(server.log().contains("first.pem: it holds no certificate"));
    log_in(connect(&trusts_first));
    std::fs::copy(&second.certificate, &first.certificate).unwrap();
    std::fs::copy(&second.key, &first.key).unwrap();
    server.signal(Signal::HUP);
    wait_until("the log tells of it", || server.log().contains("were read again"));
    log_in(connect(&trusts_second));
    // The same by a statement.
    let mut plain = Mysql::login(server.connect("mysql")).expect("plain text is let in");
    std::fs::write(&first.certificate, "nonsense").unwrap();
    match plain.execute("ALTER INSTANCE RELOAD TLS") {
        Err(Failure::Error { number: 1105, message }) => {
            assert!(message.contains("first.pem: it holds no certificate"), "{message}");
        }
        other => panic!("{other:?}"),
    }
    std::fs::copy(&second.certificate, &first.certificate).unwrap();
    plain.execute("ALTER INSTANCE RELOAD TLS").expect("the files are right");
    log_in(connect(&trusts_second));
    let mut refused = connect(&trusts_first);
    assert!(refused.flush().is_err() || receive(&mut refused).is_err(), "another certificate");
    assert_eq!(value(&mut open, "SELECT 1"), b"1", "what was open stays open");
    drop((open, refused));
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn clients_of_the_other_doors_must_show_a_certificate_where_there_are_authorities() {
    let base = tempfile::tempdir().unwrap();
    let authority = TlsFiles {
        certificate: base.path().join("ca.pem"),
        key: base.path().join("ca-key.pem"),
        client_ca: None,
    };
    make_own_certificate(&authority, "ca").unwrap();
    let ca = format!("--tls-ca={}", authority.certificate.display());
    let data = base.path().join("data");
    let server = Running::start(&data, &[&ca, "--memcached-tls-port=auto"]);
    let config = trusting(&data.join("tls-certificate.pem"));
    let mut without = encrypt(&config, server.connect("memcached-tls"));
    let told = without.write_all(b"get a\r\n").and_then(|()| {
        let mut byte = [0];
        without.read_exact(&mut byte)
    });
    assert!(told.unwrap_err().to_string().contains("CertificateRequired"));
    // At the MySQL door it may.
    let mut mysql = log_in(encrypt(&config, ask_for_tls(server.connect("mysql"))));
    assert_eq!(value(&mut mysql, "SELECT 1"), b"1");
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn a_certificate_that_cannot_be_made_kept_the_server_from_starting() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = directory.path().join("data");
    drop(Running::start(&data_dir, &[]));
    let certificate = data_dir.join("tls-certificate.pem");
    std::fs::remove_file(&certificate).unwrap();
    // Nothing can be put in its place.
    std::fs::create_dir(&certificate).unwrap();
    std::fs::remove_file(data_dir.join("tls-key.pem")).unwrap();
    let server = Running::start(&data_dir, &[]);
    let mut client = Mysql::login(server.connect("mysql")).unwrap();
    assert_eq!(client.query("SELECT 1").unwrap().len(), 1);
    assert!(server.log().contains("connections are not encrypted"), "{}", server.log());
}
