//! HandlerSocket conversations: one reply line for each line, however the bytes arrive.

use std::cell::RefCell;
use std::sync::Arc;

use doors::handlersocket::{HandlerSocket, PortAccess};
use doors::mysql::Users;
use doors::{DoorAccounts, DoorLogins, WithoutLogin};
use results::ExecutionMode;
use rows::Engine;
use sql::{Session, Sql, SqlOptions};

use crate::shapes::byte;
use crate::twins::{Converse, Twins};

const TABLE: &str = "CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(20), c DATETIME(3), \
    d DECIMAL(10,2), e ENUM('x','y'), f TEXT, UNIQUE KEY ua (a), KEY kb (b, a))";

/// Tells the input to a conversation that has opened two indexes.
pub fn check(mut input: &[u8]) {
    thread_local! {
        static TWINS: RefCell<Twins> = RefCell::new(Twins::new(make));
    }
    let seed = byte(&mut input);
    let opened = b"P\t1\td\tt\tPRIMARY\tid,a,b,c,d,e,f\ta,b,f\nP\t2\td\tt\tkb\tid,a,b\n";
    let lines = [opened, input].concat();
    let (answer, closed) = TWINS.with_borrow_mut(|twins| twins.tell(&lines, seed));
    let asked = lines.iter().filter(|byte| **byte == b'\n').count();
    let answered = answer.iter().filter(|byte| **byte == b'\n').count();
    assert!(closed || asked == answered, "{asked} lines, {answered} answers");
    for line in answer.split_inclusive(|byte| *byte == b'\n') {
        let is_reply = line[0].is_ascii_digit() && line.get(1) == Some(&b'\t');
        assert!(is_reply && line.ends_with(b"\n"), "{}", line.escape_ascii());
    }
}

fn make(engine: &Arc<Engine>) -> Converse {
    let sql =
        Sql::new(Arc::clone(engine), &SqlOptions::default(), analytic::start).expect("SQL starts");
    let mut session = Session::new(&sql, 1, "root", "localhost", None).expect("a session");
    for text in ["CREATE DATABASE d", "USE d", TABLE, "INSERT INTO t (id, a) VALUES (1, 2)"] {
        if let Err(error) = session.query(text.as_bytes(), ExecutionMode::POOL) {
            panic!("{text}: {error:?}");
        }
    }
    let accounts = Arc::new(DoorAccounts::new(Users::unconfigured(), sql.access()));
    let logins = DoorLogins::new("handlersocket", accounts, WithoutLogin::ThisMachine);
    let access = PortAccess { writable: true, secret: None, logins: Arc::new(logins) };
    let access = Arc::new(access);
    Box::new(move || Box::new(HandlerSocket::new(access.clone(), None)))
}
