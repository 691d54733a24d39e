//! Accounts at the Tyrant door: whom clients act as without a login, HTTP's logins, and what each
//! command needs.
//!
//! Not here: privileges themselves (crate `access`).

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use tls::{TlsFiles, make_own_certificate};

use crate::mysql::Mysql;
use crate::support::{Running, figure, read_all};
use crate::{ext, get, record, with_script};

const READ: &[&str] = &["SELECT(k)", "SELECT(v)"];
const PUT: &[&str] = &["INSERT(k)", "INSERT(v)", "UPDATE(v)"];
const ADD: &[&str] = &["SELECT(k)", "SELECT(v)", "INSERT(k)", "INSERT(v)", "UPDATE(v)"];
const KEEP: &[&str] = &["INSERT(k)", "INSERT(v)"];
const OUT: &[&str] = &["DELETE", "SELECT(k)"];

/// A command that succeeds, and the privileges that it needs: on the database's table, where they
/// do not say.
type NeedingCommand = (&'static str, Vec<u8>, &'static [&'static str]);

fn of_key(command: u8, key: &str) -> Vec<u8> {
    [&[0xc8, command][..], &(key.len() as u32).to_be_bytes(), key.as_bytes()].concat()
}

/// Commands on a plain database, `tyrant.records`, in an order in which they succeed.
fn commands() -> Vec<NeedingCommand> {
    let shifted = || {
        let (head, texts) = ([0xc8, 0x13, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9], b"a1");
        [&head[..], texts].concat()
    };
    let half = || [&[0xc8, 0x61, 0, 0, 0, 1][..], &[0; 16], b"d"].concat();
    vec![
        ("put", record(0x10, "a", "1"), PUT),
        ("putkeep", record(0x11, "b", "1"), KEEP),
        ("putcat", record(0x12, "a", "1"), ADD),
        ("putshl", shifted(), ADD),
        ("get", get("a"), READ),
        ("vsiz", of_key(0x38, "a"), READ),
        ("mget", [&[0xc8, 0x31, 0, 0, 0, 1, 0, 0, 0, 1][..], b"a"].concat(), READ),
        ("out", of_key(0x20, "b"), OUT),
        ("iternext", vec![0xc8, 0x51], READ),
        ("fwmkeys", [&[0xc8, 0x58, 0, 0, 0, 1, 0, 0, 0, 9][..], b"a"].concat(), READ),
        ("addint", [&[0xc8, 0x60, 0, 0, 0, 1, 0, 0, 0, 1][..], b"n"].concat(), ADD),
        ("adddouble", half(), ADD),
        ("ext", ext("nothing", "a", ""), &["EXECUTE ON tyrant.*"]),
        (
            "ext that reads",
            ext("read", "a", ""),
            &["EXECUTE ON tyrant.*", "SELECT(k)", "SELECT(v)"],
        ),
        ("copy", of_key(0x73, "daily"), &["BACKUP_ADMIN ON *.*"]),
        ("rnum", vec![0xc8, 0x80], &["SELECT(k)"]),
        ("size", vec![0xc8, 0x81], &["SELECT(k)"]),
        ("stat", vec![0xc8, 0x88], &["SELECT(k)"]),
        ("misc put", misc("put", &["c", "1"]), PUT),
        ("misc putkeep", misc("putkeep", &["e", "1"]), KEEP),
        ("misc putcat", misc("putcat", &["c", "1"]), ADD),
        ("misc get", misc("get", &["c"]), READ),
        ("misc getpart", misc("getpart", &["c", "0", "1"]), READ),
        ("misc out", misc("out", &["e"]), OUT),
        ("misc putlist", misc("putlist", &["a", "2"]), PUT),
        ("misc getlist", misc("getlist", &["a"]), READ),
        ("misc outlist", misc("outlist", &["n"]), OUT),
        ("misc iternext", misc("iternext", &[]), READ),
        ("misc range", misc("range", &["a"]), READ),
        ("misc regex", misc("regex", &["a"]), READ),
        ("misc vanish", misc("vanish", &[]), &["DROP"]),
        ("vanish", vec![0xc8, 0x72], &["DROP"]),
    ]
}

/// Commands on a table database, `tyrant.documents`.
fn table_commands() -> Vec<NeedingCommand> {
    const READ: &[&str] = &["SELECT(pk)", "SELECT(columns)"];
    const PUT: &[&str] = &["INSERT(pk)", "INSERT(columns)", "UPDATE(columns)"];
    const ADD: &[&str] =
        &["SELECT(pk)", "SELECT(columns)", "INSERT(pk)", "INSERT(columns)", "UPDATE(columns)"];
    let named = "addcond\0name\x000\0Ann";
    vec![
        ("put", record(0x10, "a", "name\0Ann"), PUT),
        ("misc put", misc("put", &["b", "name", "Bob"]), PUT),
        (
            "misc putkeep",
            misc("putkeep", &["c", "name", "Ann"]),
            &["INSERT(pk)", "INSERT(columns)"],
        ),
        ("misc putcat", misc("putcat", &["c", "age", "7"]), ADD),
        ("get", get("a"), READ),
        ("misc get", misc("get", &["a"]), READ),
        ("addint", [&[0xc8, 0x60, 0, 0, 0, 1, 0, 0, 0, 1][..], b"a"].concat(), ADD),
        ("setindex", misc("setindex", &["name", "0"]), &["INDEX"]),
        ("search", misc("search", &[named]), READ),
        ("search get", misc("search", &[named, "get"]), READ),
        ("search count", misc("search", &[named, "count"]), READ),
        ("metasearch", misc("metasearch", &[named, "next", named]), READ),
        (
            "search out",
            misc("search", &[named, "out"]),
            &["DELETE", "SELECT(pk)", "SELECT(columns)"],
        ),
        ("out", of_key(0x20, "b"), &["DELETE", "SELECT(pk)"]),
        ("misc vanish", misc("vanish", &[]), &["DROP"]),
    ]
}

fn misc(name: &str, arguments: &[&str]) -> Vec<u8> {
    let lengths = [name.len(), 0, arguments.len()].map(|length| (length as u32).to_be_bytes());
    let mut bytes = [&[0xc8, 0x90][..], lengths.as_flattened(), name.as_bytes()].concat();
    for argument in arguments {
        bytes.extend((argument.len() as u32).to_be_bytes());
        bytes.extend(argument.as_bytes());
    }
    bytes
}

struct Place {
    server: Running,
    sql: Mysql,
}

impl Place {
    fn open(directory: &std::path::Path, flags: &[&str]) -> Place {
        let server = Running::start(directory, flags);
        let sql = Mysql::login(server.connect("mysql")).unwrap();
        let mut place = Place { server, sql };
        place.run("CREATE USER app IDENTIFIED BY 'pass:word'");
        place
    }

    fn run(&mut self, text: &str) {
        self.sql.run(text);
    }

    /// Whether a command succeeds, on a connection of its own that iterates.
    fn succeeds(&self, command: &[u8]) -> bool {
        let mut client = self.server.connect("tyrant");
        client.write_all(&[&[0xc8, 0x50], command].concat()).unwrap();
        let mut codes = [0; 2];
        client.read_exact(&mut codes).unwrap();
        assert_eq!(codes[0], 0, "iterinit");
        codes[1] == 0
    }
}

/// Sends an HTTP request and gives the status and the body of the answer.
fn http(client: &mut TcpStream, line: &str, authorization: &str, body: &str) -> (u16, String) {
    let length = body.len();
    let request = format!(
        "{line} HTTP/1.1\r\nHost: localhost\r\n{authorization}Content-Length: {length}\r\n\r\n{body}"
    );
    client.write_all(request.as_bytes()).unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        client.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let said = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap();
    let mut body = vec![0; said.parse().unwrap()];
    client.read_exact(&mut body).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    assert_eq!(status == 401, head.contains("WWW-Authenticate: Basic"), "{head}");
    (status, String::from_utf8(body).unwrap())
}

/// `app:pass:word`, and with another password.
const APP: &str = "Authorization: Basic YXBwOnBhc3M6d29yZA==\r\n";
const WRONG: &str = "Authorization: Basic YXBwOndyb25n\r\n";

/// What succeeds with exactly these privileges, which are on this table where they do not say, and
/// without any of them does not.
fn assert_needs(
    place: &mut Place,
    table: &str,
    (name, needed): (&str, &[&str]),
    succeeds: impl Fn(&Place) -> bool,
) {
    let alter = |place: &mut Place, verb: &str, privilege: &str| {
        let on = if privilege.contains(" ON ") { String::new() } else { format!(" ON {table}") };
        let side = if verb == "GRANT" { "TO" } else { "FROM" };
        place.run(&format!("{verb} {privilege}{on} {side} app"));
    };
    assert!(!succeeds(place), "{name} with nothing");
    needed.iter().for_each(|privilege| alter(place, "GRANT", privilege));
    for privilege in needed {
        alter(place, "REVOKE", privilege);
        assert!(!succeeds(place), "{name} without {privilege}");
        alter(place, "GRANT", privilege);
    }
    assert!(succeeds(place), "{name}");
    needed.iter().for_each(|privilege| alter(place, "REVOKE", privilege));
}

/// Each command without one of its privileges, and with exactly these.
fn assert_needed(place: &mut Place, table: &str, commands: Vec<NeedingCommand>) {
    for (name, command, needed) in commands {
        assert_needs(place, table, (name, needed), |place| place.succeeds(&command));
    }
    let count = place.sql.query(&format!("SELECT COUNT(*) FROM {table}")).ok().unwrap();
    assert_eq!(count, [[Some("0".to_owned())]]);
}

#[test]
fn each_command_needs_its_privileges() {
    let script = "function nothing(key, value) return 'x' end\n\
                  function read(key, value) return _get(key) end";
    let (directory, data, script) = with_script(script);
    let copies = format!("--tyrant-copies={}", directory.path().join("copies").display());
    let flags = ["--tyrant-user=app", "--tyrant-vanish=allow", &script, &copies];
    let mut place = Place::open(&data, &flags);
    assert_needed(&mut place, "tyrant.records", commands());
    // What is unanswered is not done.
    let mut client = place.server.connect("tyrant");
    client.write_all(&[record(0x18, "a", "1"), get("a")].concat()).unwrap();
    let mut code = [0];
    client.read_exact(&mut code).unwrap();
    assert_eq!(code, [1]);
    let count = place.sql.query("SELECT COUNT(*) FROM tyrant.records").ok().unwrap();
    assert_eq!(count, [[Some("0".to_owned())]], "putnr");
}

#[test]
fn each_command_of_a_table_database_needs_its_privileges() {
    let directory = tempfile::tempdir().unwrap();
    let flags = ["--tyrant-user=app", "--tyrant-database=tyrant.documents"];
    let mut place = Place::open(directory.path(), &flags);
    assert_needed(&mut place, "tyrant.documents", table_commands());
}

#[test]
fn what_touches_no_record_needs_nothing_and_what_is_never_done_no_privilege_allows() {
    let directory = tempfile::tempdir().unwrap();
    let flags = ["--tyrant-user=app", "--tyrant-database=tyrant.documents"];
    let mut place = Place::open(directory.path(), &flags);
    let free = [
        ("sync", vec![0xc8, 0x70]),
        ("optimize", of_key(0x71, "")),
        // It tells nothing of whether there is such a key.
        ("misc iterinit", misc("iterinit", &["a"])),
        ("misc sync", misc("sync", &[])),
        ("misc optimize", misc("optimize", &[])),
        ("misc cacheclear", misc("cacheclear", &[])),
        ("misc defrag", misc("defrag", &[])),
        ("misc error", misc("error", &[])),
        ("misc genuid", misc("genuid", &[])),
    ];
    for (name, command) in free {
        assert!(place.succeeds(&command), "{name}");
    }
    place.run("GRANT ALL ON *.* TO app");
    let never = [
        ("restore", [&[0xc8, 0x74, 0, 0, 0, 1][..], &[0; 12], b"x"].concat()),
        ("setmst", [&[0xc8, 0x78, 0, 0, 0, 1][..], &[0; 16], b"x"].concat()),
        ("vanish without its setting", vec![0xc8, 0x72]),
        ("copy by a program", of_key(0x73, "@true")),
        ("ext without a script", ext("nothing", "a", "")),
        ("misc putdup", misc("putdup", &["a", "1"])),
    ];
    for (name, command) in never {
        assert!(!place.succeeds(&command), "{name}");
    }
}

/// Requests in text with what they are answered, and over HTTP with the status of success.
#[test]
fn requests_in_text_and_over_http_need_the_same() {
    let replace: &[&str] = &["SELECT(k)", "UPDATE(v)"];
    let change: &[&str] = &["SELECT(k)", "SELECT(v)", "UPDATE(v)"];
    let texts: [(&str, &str, &[&str]); 9] = [
        ("set a 0 0 1\r\n1\r\n", "STORED", PUT),
        ("add b 0 0 1\r\n1\r\n", "STORED", KEEP),
        ("replace b 0 0 1\r\n2\r\n", "STORED", replace),
        ("get a\r\n", "VALUE a 0 1", READ),
        ("incr b 1\r\n", "3", change),
        ("decr b 1\r\n", "2", change),
        ("delete b\r\n", "DELETED", OUT),
        ("stats\r\n", "STAT ", &["SELECT(k)"]),
        ("flush_all\r\n", "OK", &["DROP"]),
    ];
    let https: [(&str, &str, u16, &[&str]); 7] = [
        ("PUT /a", "1", 201, PUT),
        ("PUT /b", "1", 201, PUT),
        ("GET /a", "", 200, READ),
        ("DELETE /b", "", 200, OUT),
        ("OPTIONS /", "", 200, &["SELECT(k)"]),
        ("POST / HTTP/1.1\r\nX-TT-MNAME: getlist\r\nX: ", "k=a", 200, READ),
        ("POST / HTTP/1.1\r\nX-TT-MNAME: vanish\r\nX: ", "", 200, &["DROP"]),
    ];
    let directory = tempfile::tempdir().unwrap();
    let mut place = Place::open(directory.path(), &["--tyrant-user=app"]);
    let table = "tyrant.records";
    for (request, answer, needed) in texts {
        assert_needs(&mut place, table, (request, needed), |place| {
            let mut client = place.server.connect("tyrant");
            client.write_all(request.as_bytes()).unwrap();
            client.write_all(b"quit\r\n").unwrap();
            String::from_utf8(read_all(&mut client)).unwrap().starts_with(answer)
        });
    }
    for (line, body, status, needed) in https {
        assert_needs(&mut place, table, (line, needed), |place| {
            http(&mut place.server.connect("tyrant"), line, APP, body).0 == status
        });
    }
}

#[test]
fn a_revoke_holds_for_the_next_command_of_an_open_connection() {
    let directory = tempfile::tempdir().unwrap();
    let mut place = Place::open(directory.path(), &["--tyrant-user=app"]);
    place.run("INSERT INTO tyrant.records VALUES ('a', '1')");
    let mut client = place.server.connect("tyrant");
    let is_told = |client: &mut TcpStream, is_there: bool| {
        client.write_all(&get("a")).unwrap();
        let mut answer = vec![0; if is_there { 6 } else { 1 }];
        client.read_exact(&mut answer).unwrap();
        assert_eq!(answer[0] == 0, is_there, "{answer:?}");
    };
    is_told(&mut client, false);
    place.run("GRANT SELECT ON tyrant.* TO app");
    is_told(&mut client, true);
    place.run("ALTER TABLE tyrant.records ADD COLUMN c INT");
    is_told(&mut client, true);
    place.run("REVOKE SELECT ON tyrant.* FROM app");
    is_told(&mut client, false);
}

#[test]
fn a_script_may_do_what_its_client_may() {
    let script = "function read(key, value) return _get(key) end\n\
                  function write(key, value) if _put(key, value) then return 'ok' end end";
    let (directory, _, flag) = with_script(script);
    let mut place = Place::open(&directory.path().join("data"), &["--tyrant-user=app", &flag]);
    place.run("INSERT INTO tyrant.records VALUES ('a', '1')");
    place.run("GRANT SELECT ON tyrant.records TO app");
    assert!(!place.succeeds(&ext("read", "a", "")), "no EXECUTE");
    place.run("GRANT EXECUTE ON tyrant.* TO app");
    assert!(place.succeeds(&ext("read", "a", "")));
    assert!(!place.succeeds(&ext("write", "a", "2")), "no INSERT, no UPDATE");
    place.run("GRANT INSERT, UPDATE ON tyrant.* TO app");
    assert!(place.succeeds(&ext("write", "a", "2")));
}

#[test]
fn each_http_request_logs_in_by_itself() {
    let directory = tempfile::tempdir().unwrap();
    let mut place = Place::open(directory.path(), &["--tyrant-user=none"]);
    place.run("INSERT INTO tyrant.records VALUES ('a', '1')");
    let mut client = place.server.connect("tyrant");
    assert_eq!(http(&mut client, "GET /a", "", "").0, 401);
    assert_eq!(http(&mut client, "GET /a", APP, "").0, 403);
    place.run("GRANT SELECT ON tyrant.records TO app");
    assert_eq!(http(&mut client, "GET /a", APP, ""), (200, "1".to_owned()));
    assert_eq!(http(&mut client, "GET /a", APP, ""), (200, "1".to_owned()), "as remembered");
    assert_eq!(http(&mut client, "PUT /a", APP, "2").0, 403);
    assert_eq!(http(&mut client, "GET /a", "", "").0, 401, "a proxy may send it for another one");
    place.run("DROP USER app");
    assert_eq!(http(&mut client, "GET /a", APP, "").0, 403);
    place.run("CREATE USER app IDENTIFIED BY 'pass:word'");
    place.run("GRANT ALL ON tyrant.* TO app");
    assert_eq!(http(&mut client, "PUT /a", APP, "2").0, 201);
    for authorization in [WRONG, "Authorization: Bearer x\r\n", WRONG] {
        assert_eq!(http(&mut client, "GET /a", authorization, "").0, 401);
    }
    assert_eq!(read_all(&mut client), b"", "closed after three");
    assert_eq!(figure(directory.path(), "tyrant_failed_logins"), 3);

    // The protocols that have no login.
    let mut client = place.server.connect("tyrant");
    client.write_all(&get("a")).unwrap();
    let mut code = [0];
    client.read_exact(&mut code).unwrap();
    assert_eq!(code, [1]);
    client.write_all(b"get a\r\nquit\r\n").unwrap();
    let text = read_all(&mut client);
    assert!(text.starts_with(b"SERVER_ERROR access denied\r\n"), "{}", text.escape_ascii());
}

#[test]
fn a_certificate_with_the_name_of_an_account_is_a_login() {
    let base = tempfile::tempdir().unwrap();
    let file = |name: &str| base.path().join(name);
    let own = TlsFiles { certificate: file("own.pem"), key: file("own-key.pem"), client_ca: None };
    make_own_certificate(&own, "client").unwrap();
    let ca = format!("--tls-ca={}", own.certificate.display());
    let flags = [&*ca, "--tyrant-tls-port=auto", "--tyrant-user=none"];
    let mut place = Place::open(&file("data"), &flags);
    place.run("INSERT INTO tyrant.records VALUES ('a', '1')");
    let mut roots = RootCertStore::empty();
    let server_certificate = file("data").join("tls-certificate.pem");
    roots.add(CertificateDer::from_pem_file(server_certificate).unwrap()).unwrap();
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap();
    let certificate = CertificateDer::from_pem_file(&own.certificate).unwrap();
    let key = PrivateKeyDer::from_pem_file(&own.key).unwrap();
    let config = builder.with_root_certificates(roots);
    let config = Arc::new(config.with_client_auth_cert(vec![certificate], key).unwrap());
    let code = |place: &Place| {
        let name = "localhost".try_into().unwrap();
        let connection = ClientConnection::new(config.clone(), name).unwrap();
        let mut client = StreamOwned::new(connection, place.server.connect("tyrant-tls"));
        client.write_all(&get("a")).unwrap();
        let mut code = [0];
        client.read_exact(&mut code).unwrap();
        code[0]
    };
    assert_eq!(code(&place), 1, "nobody has that name");
    // The name in the certificates that servers make for themselves.
    place.run("CREATE USER 'Rowhouse server' IDENTIFIED BY 'secret'");
    assert_eq!(code(&place), 1, "it may do nothing");
    place.run("GRANT SELECT ON tyrant.* TO 'Rowhouse server'");
    assert_eq!(code(&place), 0);
    // What is said of the certificate: of all of it.
    for (details, answer) in [
        ("SUBJECT '/CN=Rowhouse'", 1),
        ("SUBJECT '/CN=Rowhouse server' AND ISSUER '/CN=another'", 1),
        ("SUBJECT '/CN=Rowhouse server' AND ISSUER '/CN=Rowhouse server'", 0),
        ("CIPHER 'DES'", 1),
        ("CIPHER 'TLS_AES_256_GCM_SHA384'", 0),
    ] {
        place.run(&format!("ALTER USER 'Rowhouse server' REQUIRE {details}"));
        assert_eq!(code(&place), answer, "{details}");
    }
    place.run("ALTER USER 'Rowhouse server' ACCOUNT LOCK");
    assert_eq!(code(&place), 1);
}
