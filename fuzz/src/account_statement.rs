//! Statements about accounts and grants, such as a dump's: whatever they come to, what SHOW GRANTS
//! and SHOW CREATE USER say of it are such statements again.

use std::cell::RefCell;
use std::sync::Arc;

use results::ExecutionMode;
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions};
use sql::{Session, Sql, SqlOptions};
use syntax::Cursor;
use syntax::statement::{Statement, statement};
use values::SqlMode;

/// Inputs after which a server is made again, since accounts of earlier ones stay.
const INPUTS_PER_SERVER: u32 = 200;
/// Most statements of an input.
const STATEMENTS_MAX: usize = 8;

struct Place {
    session: Session,
    inputs: u32,
}

/// Carries the input's statements out, of which each is a line.
pub fn check(input: &[u8]) {
    thread_local! {
        static PLACE: RefCell<Option<Place>> = const { RefCell::new(None) };
    }
    let Ok(text) = std::str::from_utf8(input) else { return };
    let lines: Vec<&str> = text.lines().filter(|line| is_ours(line)).take(STATEMENTS_MAX).collect();
    if lines.is_empty() {
        return;
    }
    PLACE.with_borrow_mut(|place| {
        if place.as_ref().is_none_or(|place| place.inputs >= INPUTS_PER_SERVER) {
            *place = Some(Place { session: session(), inputs: 0 });
        }
        let place = place.as_mut().expect("made above");
        place.inputs += 1;
        carry_out(&mut place.session, &lines);
    });
}

fn carry_out(session: &mut Session, lines: &[&str]) {
    for text in ["DROP USER IF EXISTS app, other", "CREATE USER app, other"] {
        // An input may have taken the session's own rights, or the names for roles.
        if ask(session, text).is_none() {
            return;
        }
    }
    for line in lines {
        let _ = ask(session, line);
    }
    let shown = |session: &mut Session| {
        let grants = ask(session, "SHOW GRANTS FOR app")?;
        Some((grants, ask(session, "SHOW CREATE USER app")?))
    };
    let Some((grants, made)) = shown(session) else { return };
    for text in made.iter().chain(&grants) {
        assert!(is_ours(text), "{lines:?} gave {text}, which nobody understands");
    }
}

/// Whether a text is a statement about accounts or grants.
fn is_ours(line: &str) -> bool {
    let parsed = Cursor::new(line, SqlMode::default()).and_then(|mut cursor| {
        let parsed = statement(&mut cursor)?;
        cursor.expect_end()?;
        Ok(parsed)
    });
    matches!(parsed, Ok(Statement::Account(_) | Statement::Grant(_)))
}

/// The first column of what a statement gives; `None` when it fails.
fn ask(session: &mut Session, text: &str) -> Option<Vec<String>> {
    let (reply, _) = session.query(text.as_bytes(), ExecutionMode::POOL).ok()?;
    let mut found = Vec::new();
    if let sql::Reply::Rows(mut rows) = reply {
        let mut keep = |row: &[values::Datum<'_>]| {
            if let Some(values::Datum::Bytes(text)) = row.first() {
                found.push(String::from_utf8_lossy(text).into_owned());
            }
            Ok(results::Pace::More)
        };
        while rows.next(ExecutionMode::POOL, &mut keep).ok()? {}
    }
    Some(found)
}

fn session() -> Session {
    let options = EngineOptions { make_rules: sql::make_rules, ..EngineOptions::default() };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).expect("opens");
    let sql = Sql::new(engine, &SqlOptions::default(), analytic::start).expect("SQL starts");
    let mut session = Session::new(&sql, 1, "root", "localhost", None).expect("a session");
    for text in ["CREATE DATABASE d", "CREATE TABLE d.t (a INT PRIMARY KEY, b INT)"] {
        if let Err(error) = session.query(text.as_bytes(), ExecutionMode::POOL) {
            panic!("{text}: {error:?}");
        }
    }
    session
}
