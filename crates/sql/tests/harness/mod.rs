//! A session over the real engine on an in-memory store, with results as text.

#![allow(dead_code, reason = "each test binary uses its own part")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use results::{ExecutionMode, Pace, RowStream, SqlError};
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions};
use sql::{Reply, Session, Sql, SqlOptions};
use values::datum::Datum;

/// How long anything a test waits for may take, also where the machine is slow, or stands still for
/// some seconds: what it is about would go on for far longer.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A server's SQL layer.
pub fn server() -> Arc<Sql> {
    let store = Arc::new(MemoryStore::new());
    let options = EngineOptions { make_rules: sql::make_rules, ..EngineOptions::default() };
    let engine = Engine::open(store, options).expect("opens");
    let options = SqlOptions { memory_bytes: 256 << 20, threads: 2, ..SqlOptions::default() };
    Sql::new(engine, &options, analytic::start).expect("starts")
}

/// A session in the database `test`, made if it is not there.
pub fn session(sql: &Arc<Sql>) -> Session {
    let mut session = Session::new(sql, 1, "root", "localhost", None).expect("a session");
    run(&mut session, "CREATE DATABASE IF NOT EXISTS test");
    run(&mut session, "USE test");
    session
}

/// Rows as lines of tab-separated text; other statements as `affected/last id/warnings/info`.
pub fn answer(session: &mut Session, text: &str) -> Result<String, SqlError> {
    let (reply, _) = session.query(text.as_bytes(), ExecutionMode::POOL)?;
    shown(session, reply)
}

/// A reply as text.
pub fn shown(session: &mut Session, reply: Reply) -> Result<String, SqlError> {
    match reply {
        Reply::Done(done) => {
            let mut out = format!("ok {}", done.affected);
            if done.last_insert_id > 0 {
                out.push_str(&format!(" id {}", done.last_insert_id));
            }
            if done.warnings > 0 {
                out.push_str(&format!(" warnings {}", done.warnings));
            }
            if !done.info.is_empty() {
                out.push_str(&format!(" [{}]", done.info));
            }
            Ok(out)
        }
        Reply::Rows(stream) => lines(stream),
        Reply::LoadLocal(load) => {
            load.abandon(session);
            Ok("load".to_string())
        }
    }
}

/// Rows as lines.
pub fn lines(mut stream: RowStream) -> Result<String, SqlError> {
    let columns = Arc::clone(stream.columns());
    let zone = stream.zone();
    let mut out = Vec::new();
    let mut first = true;
    while stream.next(ExecutionMode::POOL, &mut |row: &[Datum<'_>]| {
        if !std::mem::take(&mut first) {
            out.push(b'\n');
        }
        for (n, (datum, column)) in row.iter().zip(columns.iter()).enumerate() {
            if n > 0 {
                out.push(b'\t');
            }
            match datum {
                Datum::Null => out.extend_from_slice(b"NULL"),
                datum => values::text::write_text(&column.ty, *datum, zone, &mut out),
            }
        }
        Ok(Pace::More)
    })? {}
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// The answer, which must not be an error.
#[track_caller]
pub fn run(session: &mut Session, text: &str) -> String {
    match answer(session, text) {
        Ok(answer) => answer,
        Err(error) => panic!("{text}\n{error}"),
    }
}

/// All memory comes back: of a statement that was ended early its own threads give it, later.
#[track_caller]
pub fn await_memory(sql: &Sql) {
    let since = Instant::now();
    while sql.engine().budget().used() > 0 {
        let used = sql.engine().budget().used();
        assert!(since.elapsed() < PATIENCE, "{used} bytes did not come back");
        std::thread::yield_now();
    }
}

/// The number of the error, which there must be.
#[track_caller]
pub fn error(session: &mut Session, text: &str) -> u16 {
    match answer(session, text) {
        Ok(answer) => panic!("{text}\nanswered {answer}"),
        Err(error) => error.code().number(),
    }
}
