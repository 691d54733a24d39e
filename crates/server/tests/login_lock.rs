//! Accounts that are locked after failed logins: the count is one for all doors, and so is the
//! lock.
//!
//! Not here: the rule itself (`access::login_lock`).

use std::io::{Read as _, Write as _};

use crate::account_place::AccountPlace;
use crate::mysql::{Mysql, error_number};
use crate::support::{ask_line, run};

/// A server with the account `app`, which two failed logins lock.
fn open() -> AccountPlace {
    AccountPlace::open(
        &["--memcached-user=none", "--tyrant-user=none"],
        &["CREATE USER app IDENTIFIED BY 'word' FAILED_LOGIN_ATTEMPTS 2 PASSWORD_LOCK_TIME 3"],
    )
}

/// What is said to a login at the MySQL door: nothing where it is let in.
pub fn mysql(place: &AccountPlace, password: &str) -> String {
    let (host, port) = place.server.address("mysql").rsplit_once(':').unwrap();
    let (host, port) = (format!("--host={host}"), format!("--port={port}"));
    let password = format!("--password={password}");
    let output = run(&["dump", &host, &port, "--user=app", &password]);
    String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_owned()
}

/// Whether a login at the HandlerSocket door is let in.
pub fn handlersocket(place: &AccountPlace, password: &str) -> bool {
    let answer =
        ask_line(&mut place.server.connect("handlersocket"), &format!("A\t1\tapp:{password}\n"));
    answer == "0\t1"
}

/// The same at the memcached door, by a first `set`.
pub fn memcached(place: &AccountPlace, password: &str) -> bool {
    let mut client = place.server.connect("memcached");
    let login = format!("app {password}");
    write!(client, "set any 0 0 {}\r\n{login}\r\n", login.len()).unwrap();
    let mut first = [0];
    client.read_exact(&mut first).unwrap();
    first == *b"S"
}

/// The same at the Tyrant door, by what HTTP's Basic says.
pub fn tyrant(place: &AccountPlace, basic: &str) -> bool {
    let mut client = place.server.connect("tyrant");
    write!(client, "GET /none HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic {basic}\r\n\r\n")
        .unwrap();
    let mut head = [0; 12];
    client.read_exact(&mut head).unwrap();
    !head.ends_with(b"401")
}

const BLOCKED: &str = "Account is blocked for 3 day(s) (3 day(s) remaining) due to 2 consecutive \
                       failed logins.";

#[test]
fn failures_at_any_door_lock_an_account_at_all_of_them_until_it_is_unlocked() {
    let mut place = open();
    assert!(handlersocket(&place, "word") && memcached(&place, "word"));
    // One failure alone is forgotten by a login.
    assert!(!memcached(&place, "wrong"));
    assert!(handlersocket(&place, "word"));
    assert!(!handlersocket(&place, "wrong"));
    let said = mysql(&place, "wrong");
    assert!(said.contains("ERROR 3955 (HY000): Access denied for user 'app'@'"), "{said}");
    assert!(said.ends_with(BLOCKED), "{said}");
    assert!(mysql(&place, "word").ends_with(BLOCKED), "whatever is proved");
    assert!(!handlersocket(&place, "word") && !memcached(&place, "word"));
    // `app:word`.
    assert!(!tyrant(&place, "YXBwOndvcmQ="));
    for unlocking in ["ALTER USER app ACCOUNT UNLOCK", "FLUSH PRIVILEGES"] {
        place.sql.run(unlocking);
        assert!(tyrant(&place, "YXBwOndvcmQ="), "{unlocking}");
        assert!(memcached(&place, "word") && !mysql(&place, "word").contains("3955"));
        assert!(!tyrant(&place, "YXBwOndyb25n") && !memcached(&place, "wrong"));
        assert!(!handlersocket(&place, "word"), "locked again");
    }
}

#[test]
fn a_client_that_cannot_set_an_expired_password_is_told_so_and_not_let_in() {
    let mut place = open();
    place.sql.run("CREATE USER old PASSWORD EXPIRE");
    let refused = Mysql::login_as(place.server.connect("mysql"), "old");
    assert_eq!(error_number(refused.map(|_| ())), 1862);
}
