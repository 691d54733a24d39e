//! Accounts at the HandlerSocket doors: logging in, and what each request needs.
//!
//! Tokens are written with `·` for TAB, as in the documents.
//!
//! Not here: privileges themselves (crate `access`), the MySQL door's grants (`sql/tests`).

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use crate::account_place::AccountPlace;
use crate::mysql::{Failure, Mysql};
use crate::support::{Running, ask_line, figure, read_all};

const DENIED: &str = "1·1·1142";
const UNAUTHORISED: &str = "3·1·unauth";

/// Privileges on `d.t`, and a request that needs just these. Index 1 is the primary key with column
/// `a` and filter column `b`, index 2 is that on `a` with `id` and `a`.
const REQUESTS: &[(&str, &[&str], &str)] = &[
    ("1·=·1·1", &["SELECT(id)", "SELECT(a)"], "0·1·10"),
    ("1·>=·1·2·9·0", &["SELECT(id)", "SELECT(a)"], "0·1·20·30"),
    ("1·=·1·0·2·0·@·0·2·1·3", &["SELECT(id)", "SELECT(a)"], "0·1·10·30"),
    ("1·=·1·1·1·0·F·=·0·5", &["SELECT(id)", "SELECT(a)", "SELECT(b)"], "0·1·10"),
    ("2·=·1·20", &["SELECT(a)", "SELECT(id)"], "0·2·2·20"),
    ("1·=·1·1·1·0·U·10", &["SELECT(id)", "UPDATE(a)"], "0·1·1"),
    ("1·=·1·1·1·0·U?·10", &["SELECT(id)", "UPDATE(a)", "SELECT(a)"], "0·1·10"),
    ("1·=·1·1·1·0·+·0", &["SELECT(id)", "UPDATE(a)", "SELECT(a)"], "0·1·1"),
    ("1·=·1·1·1·0·-·0", &["SELECT(id)", "UPDATE(a)", "SELECT(a)"], "0·1·1"),
    ("1·=·1·1·1·0·F·=·0·5·U·10", &["SELECT(id)", "UPDATE(a)", "SELECT(b)"], "0·1·1"),
    ("1·=·1·77·1·0·D", &["SELECT(id)", "DELETE"], "0·1·0"),
    ("1·=·1·3·1·0·D?", &["SELECT(id)", "DELETE", "SELECT(a)"], "0·1·30"),
    ("2·+·2·8·80", &["INSERT(id)", "INSERT(a)"], "0·1"),
];

/// A server with `d.t` of three rows, and the account `app` with a password.
fn open(flags: &[&str]) -> AccountPlace {
    AccountPlace::open(
        flags,
        &[
            "CREATE DATABASE d",
            "CREATE TABLE d.t (id INT PRIMARY KEY, a INT, b INT, KEY ka (a))",
            "INSERT INTO d.t VALUES (1,10,5),(2,20,5),(3,30,5)",
            "CREATE USER app IDENTIFIED BY 'pass:word'",
        ],
    )
}

fn connect(place: &AccountPlace) -> TcpStream {
    place.server.connect("handlersocket-write")
}

/// A client that has logged in.
fn app(place: &AccountPlace) -> TcpStream {
    let mut client = connect(place);
    assert_eq!(say(&mut client, "A·1·app:pass:word"), "0·1");
    client
}

fn say(client: &mut TcpStream, line: &str) -> String {
    ask_line(client, &format!("{}\n", line.replace('·', "\t"))).replace('\t', "·")
}

#[test]
fn each_request_needs_its_privileges_and_a_revoke_holds_for_the_next_one() {
    let mut place = open(&[]);
    place.sql.run("GRANT SELECT ON d.t TO app");
    let mut client = app(&place);
    assert_eq!(say(&mut client, "P·1·d·t··a·b"), "0·1");
    assert_eq!(say(&mut client, "P·2·d·t·ka·id,a"), "0·1");
    place.sql.run("REVOKE SELECT ON d.t FROM app");
    for (request, needed, reply) in REQUESTS {
        assert_eq!(say(&mut client, request), DENIED, "{request} with nothing");
        for privilege in *needed {
            place.sql.run(&format!("GRANT {privilege} ON d.t TO app"));
        }
        for privilege in *needed {
            place.sql.run(&format!("REVOKE {privilege} ON d.t FROM app"));
            assert_eq!(say(&mut client, request), DENIED, "{request} without {privilege}");
            place.sql.run(&format!("GRANT {privilege} ON d.t TO app"));
        }
        assert_eq!(say(&mut client, request), *reply, "{request}");
        for privilege in *needed {
            place.sql.run(&format!("REVOKE {privilege} ON d.t FROM app"));
        }
    }
    let rows = place.sql.query("SELECT id, a FROM d.t ORDER BY id");
    let rows = rows.unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(rows.len(), 3, "one row went, one came: {rows:?}");
}

#[test]
fn what_may_not_be_seen_is_opened_no_more_than_what_is_not_there() {
    let mut place = open(&[]);
    let mut client = app(&place);
    for table in ["t", "missing"] {
        assert_eq!(say(&mut client, &format!("P·1·d·{table}··a")), "1·1·open_table");
    }
    place.sql.run("GRANT SELECT(id, a) ON d.t TO app");
    for column in ["b", "missing"] {
        assert_eq!(say(&mut client, &format!("P·1·d·t··{column}")), "2·1·fld");
        assert_eq!(say(&mut client, &format!("P·1·d·t··a·{column}")), "2·1·fld");
    }
    assert_eq!(say(&mut client, "P·1·d·t··id,a"), "0·1");
    assert_eq!(say(&mut client, "1·=·1·2"), "0·2·2·20");
    // The table is another one behind the same names, and so is what was granted on it.
    place.sql.run("ALTER TABLE d.t ADD COLUMN c INT FIRST");
    assert_eq!(say(&mut client, "1·=·1·2"), "0·2·2·20");
    place.sql.run("DROP USER app");
    assert_eq!(say(&mut client, "1·=·1·2"), DENIED);
    assert_eq!(say(&mut client, "P·1·d·t··id,a"), "1·1·open_table");
}

#[test]
fn roles_and_expired_passwords_hold_for_open_connections() {
    let mut place = open(&[]);
    place.sql.run("CREATE ROLE reader");
    place.sql.run("GRANT SELECT ON d.* TO reader");
    place.sql.run("GRANT reader TO app");
    place.sql.run("ALTER USER app DEFAULT ROLE reader");
    let mut client = app(&place);
    assert_eq!(say(&mut client, "P·1·d·t··a"), "0·1");
    assert_eq!(say(&mut client, "1·=·1·2"), "0·1·20");
    assert_eq!(say(&mut client, "1·=·1·2·1·0·D"), DENIED);
    place.sql.run("ALTER USER app PASSWORD EXPIRE");
    assert_eq!(say(&mut client, "1·=·1·2"), DENIED);
    place.sql.run("ALTER USER app IDENTIFIED BY 'other'");
    assert_eq!(say(&mut client, "1·=·1·2"), "0·1·20");
    place.sql.run("REVOKE reader FROM app");
    assert_eq!(say(&mut client, "1·=·1·2"), DENIED);
}

#[test]
fn wrong_passwords_are_counted_told_and_answered_late_and_end_the_connection() {
    let mut place = open(&["--handlersocket-write-secret=word"]);
    place.sql.run("CREATE USER quick IDENTIFIED WITH mysql_native_password BY 'x'");
    place.sql.run("GRANT SELECT ON d.* TO app");
    let mut client = connect(&place);
    assert_eq!(say(&mut client, "P·1·d·t··a"), UNAUTHORISED);
    for login in ["quick:x", "app:pass:word"] {
        assert_eq!(say(&mut client, &format!("A·1·{login}")), "0·1", "{login}");
        assert_eq!(say(&mut client, &format!("A·1·{login}")), "0·1", "{login} as remembered");
    }
    assert_eq!(say(&mut client, "P·1·d·t··a"), "0·1");
    assert_eq!(say(&mut client, "1·=·1·2·1·0·U·1"), DENIED);
    // The secret's own clients may do everything.
    assert_eq!(say(&mut client, "A·1·word"), "0·1");
    assert_eq!(say(&mut client, "1·=·1·2·1·0·U·1"), "0·1·1");
    for login in ["app:pass", "nobody:pass:word", "root:"] {
        assert_eq!(say(&mut client, &format!("A·1·{login}")), UNAUTHORISED, "{login}");
    }
    assert_eq!(read_all(&mut client), b"", "closed after three");
    assert_eq!(figure(place.directory.path(), "handlersocket_write_failed_logins"), 3);
    let log = place.server.log();
    assert!(log.contains("a login has failed") && log.contains("user=\"app\""), "{log}");

    for (statement, is_in) in [
        ("ALTER USER app ACCOUNT LOCK", false),
        ("ALTER USER app ACCOUNT UNLOCK", true),
        ("ALTER USER app REQUIRE SSL", false),
        ("ALTER USER app REQUIRE NONE", true),
        ("DROP USER app", false),
    ] {
        place.sql.run(statement);
        let mut client = connect(&place);
        let reply = if is_in { "0·1" } else { UNAUTHORISED };
        assert_eq!(say(&mut client, "A·1·app:pass:word"), reply, "after {statement}");
        // What failed takes the right away that a client had.
        let opened = say(&mut client, "P·1·d·t··a");
        assert_eq!(opened == "0·1", is_in, "after {statement}: {opened}");
    }
}

#[test]
fn clients_without_a_login_act_as_the_account_of_a_setting() {
    let mut place = open(&["--handlersocket-user=guest"]);
    let mut client = connect(&place);
    assert_eq!(say(&mut client, "P·1·d·t··a"), "1·1·open_table", "nobody has that account");
    place.sql.run("CREATE USER guest");
    place.sql.run("GRANT SELECT ON d.t TO guest");
    assert_eq!(say(&mut client, "P·1·d·t··a"), "0·1");
    assert_eq!(say(&mut client, "1·=·1·2"), "0·1·20");
    assert_eq!(say(&mut client, "1·=·1·2·1·0·U·1"), DENIED);
    place.sql.run("GRANT ALL ON d.* TO app");
    assert_eq!(say(&mut client, "A·1·app:pass:word"), "0·1");
    assert_eq!(say(&mut client, "1·=·1·2·1·0·U·1"), "0·1·1");
    assert_eq!(say(&mut client, "A·1·no secret is needed"), "0·1");
    assert_eq!(say(&mut client, "1·=·1·2·1·0·U·1"), DENIED);
}

#[test]
fn without_accounts_any_key_opens_a_door_without_a_secret() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &[]);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    for text in ["CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, a INT)"] {
        assert!(sql.execute(text).is_ok(), "{text}");
    }
    let mut client = server.connect("handlersocket-write");
    assert_eq!(say(&mut client, "A·1·any:key"), "0·1");
    assert_eq!(say(&mut client, "P·1·d·t··id,a"), "0·1");
    assert_eq!(say(&mut client, "1·+·2·1·2"), "0·1");
    let denied = Mysql::login_as(server.connect("mysql"), "any").err();
    assert!(matches!(denied, Some(Failure::Error { number: 1045, .. })), "it is no account");
}

#[test]
fn replies_around_a_login_keep_their_order() {
    let mut place = open(&[]);
    place.sql.run("GRANT SELECT, INSERT ON d.t TO app");
    let mut client = connect(&place);
    let lines = [
        "P·1·d·t··id,a",
        "1·+·2·4·40",
        "A·1·app:pass:word",
        "1·=·1·4",
        "1·+·2·5·50",
        "1·=·1·4·1·0·D",
        "A·1·app:wrong",
        "1·=·1·4",
    ];
    let sent = lines.map(|line| format!("{}\n", line.replace('·', "\t"))).concat();
    client.write_all(sent.as_bytes()).unwrap();
    let replies = "0·1¶0·1¶0·1¶0·2·4·40¶0·1¶1·1·1142¶3·1·unauth¶3·1·unauth¶";
    let mut read = vec![0; replies.replace('·', "\t").replace('¶', "\n").len()];
    client.read_exact(&mut read).unwrap();
    let read = String::from_utf8(read).unwrap().replace('\t', "·").replace('\n', "¶");
    assert_eq!(read, replies);
}
