//! What is said of accounts beside their names: rules for their passwords, locks, attributes, how
//! they must be encrypted. Numbers and words are those that mysqld 9.7 answered to the same
//! statements.

use std::sync::Arc;

use access::{AccountName, LockTime};
use resources::clock::SetClock;
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions};
use sql::{Session, Sql, SqlOptions};

use crate::harness::{error, run, server, session};

const DAY: u64 = 24 * 60 * 60 * 1_000_000;
/// The start of 2026.
const BEGIN: u64 = 1_767_225_600_000_000;

/// A server whose clock the test sets.
fn server_by_clock() -> (Arc<Sql>, Arc<SetClock>) {
    let clock = Arc::new(SetClock::at(BEGIN));
    let options = EngineOptions {
        make_rules: sql::make_rules,
        clock: clock.clone(),
        ..EngineOptions::default()
    };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).expect("opens");
    let options = SqlOptions { memory_bytes: 256 << 20, threads: 2, ..SqlOptions::default() };
    (Sql::new(engine, &options, analytic::start).expect("starts"), clock)
}

fn acting(sql: &Arc<Sql>, user: &str) -> Session {
    let account = AccountName::new(user, "%");
    Session::of_account(sql, 2, (user, "localhost"), &account, None).expect("a session")
}

/// What SHOW CREATE USER says behind REQUIRE.
fn shown(root: &mut Session, user: &str) -> String {
    let text = run(root, &format!("SHOW CREATE USER {user}"));
    text[text.find(" REQUIRE ").expect("it says so") + 1..].to_owned()
}

#[test]
fn options_are_shown_as_they_were_said_and_stay_until_they_are_changed() {
    let sql = server();
    let mut root = session(&sql);
    run(&mut root, "CREATE USER a FAILED_LOGIN_ATTEMPTS 3 PASSWORD_LOCK_TIME 2");
    let plain = "REQUIRE NONE PASSWORD EXPIRE DEFAULT ACCOUNT UNLOCK PASSWORD HISTORY DEFAULT \
                 PASSWORD REUSE INTERVAL DEFAULT PASSWORD REQUIRE CURRENT DEFAULT";
    assert_eq!(
        shown(&mut root, "a"),
        format!("{plain} FAILED_LOGIN_ATTEMPTS 3 PASSWORD_LOCK_TIME 2")
    );
    run(&mut root, "ALTER USER a FAILED_LOGIN_ATTEMPTS 0");
    assert_eq!(shown(&mut root, "a"), format!("{plain} PASSWORD_LOCK_TIME 2"));
    run(&mut root, "ALTER USER a PASSWORD_LOCK_TIME 0");
    assert_eq!(shown(&mut root, "a"), plain);
    run(
        &mut root,
        "CREATE USER b REQUIRE SUBJECT '/CN=a' AND ISSUER '/CN=ca' CIPHER 'AES' PASSWORD EXPIRE \
         INTERVAL 3 DAY FAILED_LOGIN_ATTEMPTS 3 PASSWORD_LOCK_TIME UNBOUNDED PASSWORD HISTORY 5 \
         PASSWORD REUSE INTERVAL 7 DAY PASSWORD REQUIRE CURRENT ACCOUNT LOCK COMMENT 'a note'",
    );
    assert_eq!(
        shown(&mut root, "b"),
        "REQUIRE SUBJECT '/CN=a' ISSUER '/CN=ca' CIPHER 'AES' PASSWORD EXPIRE INTERVAL 3 DAY \
         ACCOUNT LOCK PASSWORD HISTORY 5 PASSWORD REUSE INTERVAL 7 DAY PASSWORD REQUIRE CURRENT \
         FAILED_LOGIN_ATTEMPTS 3 PASSWORD_LOCK_TIME UNBOUNDED ATTRIBUTE '{\"comment\": \"a note\"}'"
    );
    let columns = "SELECT ssl_type, ssl_cipher, x509_issuer, x509_subject, password_lifetime, \
                   Password_reuse_history, Password_reuse_time, Password_require_current, \
                   User_attributes FROM mysql.user WHERE user = ";
    assert_eq!(
        run(&mut root, &format!("{columns}'b'")),
        "SPECIFIED\tAES\t/CN=ca\t/CN=a\t3\t5\t7\tY\t{\"metadata\": {\"comment\": \"a note\"}, \
         \"Password_locking\": {\"failed_login_attempts\": 3, \"password_lock_time_days\": -1}}"
    );
    assert_eq!(run(&mut root, &format!("{columns}'a'")), "\t\t\t\tNULL\tNULL\tNULL\tNULL\tNULL");
    // The statement that is shown makes the same account.
    let text = run(&mut root, "SHOW CREATE USER b");
    run(&mut root, "DROP USER b");
    run(&mut root, &text[text.find("CREATE USER").unwrap()..]);
    assert_eq!(run(&mut root, "SHOW CREATE USER b"), text);
    run(
        &mut root,
        "ALTER USER b REQUIRE ISSUER 'z' PASSWORD EXPIRE NEVER PASSWORD REQUIRE CURRENT \
                    OPTIONAL",
    );
    let now = shown(&mut root, "b");
    assert!(now.starts_with("REQUIRE ISSUER 'z' PASSWORD EXPIRE NEVER "), "{now}");
    assert!(now.contains(" PASSWORD REQUIRE CURRENT OPTIONAL "), "{now}");
    // Only another password ends that one is expired.
    run(&mut root, "ALTER USER b PASSWORD EXPIRE");
    run(&mut root, "ALTER USER b PASSWORD EXPIRE DEFAULT");
    assert!(shown(&mut root, "b").contains(" PASSWORD EXPIRE ACCOUNT LOCK "));
    run(&mut root, "ALTER USER b IDENTIFIED BY 'x'");
    assert!(shown(&mut root, "b").contains(" PASSWORD EXPIRE DEFAULT "));
    let rule = sql.access().grants().account(&AccountName::new("b", "%")).unwrap().lock_rule;
    assert_eq!((rule.attempts, rule.time), (3, LockTime::Unbounded));
}

#[test]
fn attributes_are_merged_and_seen_by_their_account_or_by_who_may_read_mysql() {
    let sql = server();
    let mut root = session(&sql);
    run(&mut root, "CREATE USER a COMMENT 'it''s \"x\"'");
    run(&mut root, "CREATE USER b");
    run(&mut root, "ALTER USER a ATTRIBUTE '{\"k\": [1, 2], \"n\": {\"b\": 1}}'");
    run(&mut root, "ALTER USER a ATTRIBUTE '{\"n\": {\"c\": 2}, \"k\": null}'");
    let listed = "SELECT ATTRIBUTE FROM information_schema.USER_ATTRIBUTES WHERE USER = 'a'";
    let merged = r#"{"n": {"b": 1, "c": 2}, "comment": "it's \"x\""}"#;
    assert_eq!(run(&mut root, listed), merged);
    let text = run(&mut root, "SHOW CREATE USER a");
    assert!(
        text.contains("ATTRIBUTE '{\"n\": {\"b\": 1, \"c\": 2}, \"comment\": \"it''s "),
        "{text}"
    );
    for wrong in ["oops", "[1]", ""] {
        assert_eq!(error(&mut root, &format!("ALTER USER a ATTRIBUTE '{wrong}'")), 3982, "{wrong}");
    }
    assert_eq!(run(&mut acting(&sql, "a"), listed), merged);
    assert_eq!(run(&mut acting(&sql, "b"), listed), "");
}

#[test]
fn earlier_passwords_may_not_come_again_by_their_number_or_their_age() {
    let (sql, clock) = server_by_clock();
    let mut root = session(&sql);
    run(&mut root, "CREATE USER c");
    run(&mut root, "ALTER USER c IDENTIFIED BY 'p1' PASSWORD HISTORY 2");
    let set = |password: &str| format!("ALTER USER c IDENTIFIED BY '{password}'");
    assert_eq!(error(&mut root, &set("p1")), 3638);
    run(&mut root, &set("p2"));
    assert_eq!(error(&mut root, "SET PASSWORD FOR c = 'p1'"), 3638);
    run(&mut root, &set("p3"));
    run(&mut root, &set("p1"));
    run(&mut root, &set(""));
    run(&mut root, &set(""));
    assert_eq!(error(&mut root, &set("p1")), 3638, "the empty one is none");
    assert_eq!(run(&mut root, "SELECT COUNT(*) FROM mysql.password_history"), "2");
    run(&mut root, "CREATE USER d IDENTIFIED BY 'q1' PASSWORD REUSE INTERVAL 7 DAY");
    run(&mut root, "ALTER USER d IDENTIFIED BY 'q2'");
    clock.set(BEGIN + 7 * DAY - 1_000_000);
    assert_eq!(error(&mut root, "ALTER USER d IDENTIFIED BY 'q1'"), 3638);
    clock.set(BEGIN + 7 * DAY);
    run(&mut root, "ALTER USER d IDENTIFIED BY 'q1'");
    // What the server says holds for accounts that say DEFAULT.
    run(&mut root, "CREATE USER e IDENTIFIED BY 'r1'");
    run(&mut root, "SET GLOBAL password_history = 1");
    run(&mut root, "ALTER USER e IDENTIFIED BY 'r1'");
    assert_eq!(error(&mut root, "ALTER USER e IDENTIFIED BY 'r1'"), 3638);
    run(&mut root, "ALTER USER e PASSWORD HISTORY 0");
    run(&mut root, "ALTER USER e IDENTIFIED BY 'r1'");
    // A refused one among several changes none.
    assert_eq!(error(&mut root, "ALTER USER e IDENTIFIED BY 'r2', c IDENTIFIED BY 'p1'"), 3638);
    run(&mut root, "ALTER USER e IDENTIFIED BY 'r1' PASSWORD HISTORY DEFAULT");
}

#[test]
fn the_present_password_is_asked_of_those_who_may_change_no_others() {
    let sql = server();
    let mut root = session(&sql);
    run(&mut root, "CREATE USER i IDENTIFIED BY 'p' PASSWORD REQUIRE CURRENT");
    run(&mut root, "CREATE USER j IDENTIFIED BY 'p'");
    let own = &mut acting(&sql, "i");
    assert_eq!(error(own, "ALTER USER USER() IDENTIFIED BY 'q'"), 3892);
    assert_eq!(error(own, "ALTER USER USER() IDENTIFIED BY 'q' REPLACE 'x'"), 3891);
    run(own, "ALTER USER USER() IDENTIFIED BY 'q' REPLACE 'p'");
    assert_eq!(error(own, "SET PASSWORD = 'r'"), 3892);
    run(own, "SET PASSWORD = 'r' REPLACE 'q'");
    assert_eq!(error(own, "ALTER USER USER() IDENTIFIED BY 't' RETAIN CURRENT PASSWORD"), 1227);
    assert_eq!(error(own, "ALTER USER USER() DISCARD OLD PASSWORD"), 1227);
    assert_eq!(error(own, "ALTER USER USER() COMMENT 'a'"), 1064);
    run(&mut root, "ALTER USER i IDENTIFIED BY 's'");
    assert_eq!(error(&mut root, "ALTER USER i IDENTIFIED BY 'q' REPLACE 's'"), 3893);
    let other = &mut acting(&sql, "j");
    run(other, "SET PASSWORD = 'q'");
    run(&mut root, "SET GLOBAL password_require_current = ON");
    assert_eq!(error(other, "SET PASSWORD = 'r'"), 3892);
    run(&mut root, "ALTER USER j PASSWORD REQUIRE CURRENT OPTIONAL");
    run(other, "SET PASSWORD = 'r'");
    assert_eq!(error(&mut root, "CREATE USER k IDENTIFIED BY 'p' REPLACE 'x'"), 1064);
}

#[test]
fn a_password_that_is_a_further_way_had_no_history_and_was_not_asked_for() {
    let (sql, _) = server_by_clock();
    let mut root = session(&sql);
    let stored = |place: usize| {
        let grants = sql.access().grants();
        let account = grants.account(&AccountName::new("i", "%")).unwrap();
        let (plugin, stored) = account.ways().nth(place).unwrap();
        (plugin.name(), stored.to_owned())
    };
    let holds = |place: usize, password| access::secret::is_stored_of(&stored(place).1, password);
    run(
        &mut root,
        "CREATE USER i IDENTIFIED VIA unix_socket OR mysql_native_password USING PASSWORD('p') OR \
         ed25519 USING PASSWORD('e') PASSWORD REQUIRE CURRENT PASSWORD HISTORY 2",
    );
    let own = &mut acting(&sql, "i");
    assert_eq!(error(own, "SET PASSWORD = 'q'"), 3892);
    assert_eq!(error(own, "SET PASSWORD = 'q' REPLACE 'x'"), 3891);
    assert_eq!(error(own, "SET PASSWORD = 'p' REPLACE 'p'"), 3638);
    assert_eq!(error(own, "SET PASSWORD = 'e' REPLACE 'p'"), 3638, "it was set with the other");
    run(own, "SET PASSWORD = 'q' REPLACE 'p'");
    assert_eq!(
        [stored(0).0, stored(1).0, stored(2).0],
        ["auth_socket", "mysql_native_password", "ed25519"]
    );
    assert!(stored(0).1.is_empty() && holds(1, "q") && holds(2, "e"));
    assert_eq!(error(own, "ALTER USER USER() IDENTIFIED BY 'p' REPLACE 'q'"), 3638);
    run(own, "ALTER USER USER() IDENTIFIED BY 'r' REPLACE 'q'");
    assert!(stored(0).1.is_empty() && holds(1, "r"));
    run(own, "SET PASSWORD = 'p' REPLACE 'r'");
    let told = run(&mut root, "SET PASSWORD FOR i TO RANDOM");
    assert!(holds(1, told.split('\t').nth(2).unwrap()));
    // None of several that are said at once may be one of them.
    let both = "ALTER USER i IDENTIFIED VIA ed25519 USING PASSWORD('new') OR mysql_native_password \
                USING PASSWORD('p')";
    assert_eq!(error(&mut root, both), 3638);
    assert_eq!(stored(0).0, "auth_socket", "nothing of it was done");
}

#[test]
fn a_password_is_retained_by_the_way_that_has_one_and_by_no_other() {
    let sql = server();
    let mut root = session(&sql);
    let retained = |user: &str| {
        let grants = sql.access().grants();
        grants.account(&AccountName::new(user, "%")).unwrap().retained.clone()
    };
    let is_retained =
        |password: &str| access::secret::is_stored_of(&retained("a").unwrap(), password);
    run(
        &mut root,
        "CREATE USER a IDENTIFIED VIA unix_socket OR mysql_native_password USING PASSWORD('p')",
    );
    run(&mut root, "SET PASSWORD FOR a = 'q' RETAIN CURRENT PASSWORD");
    assert!(is_retained("p"));
    run(&mut root, "ALTER USER a IDENTIFIED BY 'r' RETAIN CURRENT PASSWORD");
    assert!(is_retained("q"));
    run(&mut root, "SET PASSWORD FOR a = 's'");
    assert!(is_retained("q"), "until it is discarded");
    let ways = "IDENTIFIED VIA mysql_native_password USING PASSWORD('t') OR unix_socket";
    run(&mut root, &format!("ALTER USER a {ways} RETAIN CURRENT PASSWORD"));
    assert!(is_retained("s"));
    run(&mut root, "ALTER USER a IDENTIFIED BY ''");
    assert_eq!(retained("a"), None, "as mysqld 9.7 does");
    for (statement, number) in [
        ("ALTER USER a IDENTIFIED BY 'u' RETAIN CURRENT PASSWORD", 3878),
        ("ALTER USER a IDENTIFIED WITH ed25519 BY 'u' RETAIN CURRENT PASSWORD", 3894),
    ] {
        assert_eq!(error(&mut root, statement), number, "{statement}");
    }
    run(&mut root, "ALTER USER a IDENTIFIED BY 'u'");
    assert_eq!(error(&mut root, "ALTER USER a IDENTIFIED BY '' RETAIN CURRENT PASSWORD"), 3895);
    run(&mut root, "CREATE USER b IDENTIFIED WITH auth_socket");
    let socket = "ALTER USER b IDENTIFIED WITH auth_socket AS 'daemon' RETAIN CURRENT PASSWORD";
    assert_eq!(error(&mut root, socket), 3894);
    assert_eq!(error(&mut root, "SET PASSWORD FOR b = 'x'"), 4102);
    assert_eq!(retained("b"), None);
}

#[test]
fn a_password_that_the_server_makes_is_told_once_and_holds() {
    let sql = server();
    let mut root = session(&sql);
    let told = run(
        &mut root,
        "CREATE USER a IDENTIFIED BY RANDOM PASSWORD, b, c@localhost \
                               IDENTIFIED WITH mysql_native_password BY RANDOM PASSWORD",
    );
    let rows: Vec<Vec<&str>> = told.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!([rows[0][0], rows[0][1], rows[0][3]], ["a", "%", "1"]);
    assert_eq!([rows[1][0], rows[1][1], rows[1][3]], ["c", "localhost", "1"]);
    let grants = sql.access().grants();
    for (row, host) in [(&rows[0], "%"), (&rows[1], "localhost")] {
        assert_eq!(row[2].len(), 20);
        let account = grants.account(&AccountName::new(row[0], host)).unwrap();
        assert!(access::secret::is_stored_of(&account.stored, row[2]));
    }
    run(&mut root, "SET SESSION generated_random_password_length = 300");
    let told = run(&mut root, "SET PASSWORD FOR a TO RANDOM");
    assert_eq!(told.split('\t').nth(2).unwrap().len(), 255);
    let told = run(&mut root, "CREATE USER IF NOT EXISTS a IDENTIFIED BY RANDOM PASSWORD");
    assert_eq!(told, "ok 0 warnings 1", "nobody is told a password that is none");
}

#[test]
fn a_password_outlives_its_days_for_the_logins_that_come_after_them() {
    let (sql, clock) = server_by_clock();
    let mut root = session(&sql);
    run(&mut root, "CREATE USER a IDENTIFIED BY 'x' PASSWORD EXPIRE INTERVAL 3 DAY");
    run(&mut root, "CREATE USER b IDENTIFIED BY 'x'");
    run(&mut root, "CREATE USER c IDENTIFIED BY 'x' PASSWORD EXPIRE NEVER");
    let mut early = acting(&sql, "a");
    clock.set(BEGIN + 3 * DAY);
    assert!(!early.is_expired());
    let mut late = acting(&sql, "a");
    assert_eq!(error(&mut late, "SELECT 1"), 1820);
    // Accounts change: each is asked again, as of its own login.
    run(&mut root, "CREATE ROLE r");
    assert_eq!(run(&mut early, "SELECT 1"), "1");
    assert_eq!(error(&mut late, "SELECT 1"), 1820);
    run(&mut late, "SET PASSWORD = 'y'");
    assert_eq!(run(&mut late, "SELECT 1"), "1");
    run(&mut root, "SET GLOBAL default_password_lifetime = 2");
    for (user, is_expired) in [("a", false), ("b", true), ("c", false)] {
        assert_eq!(acting(&sql, user).is_expired(), is_expired, "{user}");
    }
    run(&mut root, "SET GLOBAL default_password_lifetime = 70000");
    assert_eq!(
        run(&mut root, "SHOW WARNINGS"),
        "Warning\t1292\tTruncated incorrect default_password_lifetime value: '70000'"
    );
    assert_eq!(run(&mut root, "SELECT @@default_password_lifetime"), "65535");
    assert!(!acting(&sql, "b").is_expired());
}

#[test]
fn enabled_roles_are_those_that_are_active_with_those_that_they_have() {
    let sql = server();
    let mut root = session(&sql);
    for statement in [
        "CREATE ROLE r, s, t",
        "CREATE USER a",
        "GRANT s TO r",
        "GRANT r, t TO a",
        "ALTER USER a DEFAULT ROLE t",
    ] {
        run(&mut root, statement);
    }
    let enabled = "SELECT * FROM information_schema.ENABLED_ROLES ORDER BY ROLE_NAME";
    let own = &mut acting(&sql, "a");
    assert_eq!(run(own, enabled), "t\t%\tYES\tNO");
    run(own, "SET ROLE r");
    assert_eq!(run(own, enabled), "r\t%\tNO\tNO\ns\t%\tNO\tNO");
    run(own, "SET ROLE NONE");
    assert_eq!(run(own, enabled), "");
}
