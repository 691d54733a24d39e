//! A house in memory with one session, for tests of the analytic way.
//!
//! Not here: the statements and what they should answer.

use std::sync::Arc;

use results::{ExecutionMode, Pace, SqlError};
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions};
use sql::{Reply, Session, Sql, SqlOptions};

/// An engine without a disk, and a session in database `d`.
pub struct House {
    session: Session,
}

impl House {
    /// An empty house.
    pub fn new() -> House {
        House::with_memory(64 << 20)
    }

    /// An empty house whose queries may use so much memory.
    pub fn with_memory(memory_bytes: usize) -> House {
        let store = Arc::new(MemoryStore::new());
        let engine = Engine::open(store, EngineOptions::default()).unwrap();
        engine.create_database("d").unwrap();
        let options = SqlOptions { memory_bytes, threads: 2, ..SqlOptions::default() };
        let sql = Sql::new(engine, &options, analytic::start).unwrap();
        let mut session = Session::new(&sql, 1, "root", "localhost", Some("d")).unwrap();
        session.query(b"SET sql_mode = ''", ExecutionMode::POOL).unwrap();
        session.query(b"SET time_zone = '+00:00'", ExecutionMode::POOL).unwrap();
        House { session }
    }

    /// The session.
    pub fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Runs statements that end with `;` at the end of a line.
    pub fn run(&mut self, script: &str) {
        for statement in script.split(";\n").filter(|text| !text.trim().is_empty()) {
            if let Err(error) = self.session.query(statement.as_bytes(), ExecutionMode::POOL) {
                panic!("{statement}: {error}");
            }
        }
    }

    /// The rows of a query: values as MySQL prints them, joined by tabs.
    pub fn rows(&mut self, query: &str) -> Result<Vec<String>, SqlError> {
        let (reply, _) = self.session.query(query.as_bytes(), ExecutionMode::POOL)?;
        let Reply::Rows(mut stream) = reply else { panic!("{query} gives no rows") };
        let (columns, zone) = (Arc::clone(stream.columns()), stream.zone());
        let mut lines = Vec::new();
        let mut sink = |row: &[values::Datum<'_>]| {
            let mut line = Vec::new();
            for (at, (datum, column)) in row.iter().zip(columns.iter()).enumerate() {
                if at > 0 {
                    line.push(b'\t');
                }
                match datum.is_null() {
                    true => line.extend_from_slice(b"NULL"),
                    false => values::text::write_text(&column.ty, *datum, zone, &mut line),
                }
            }
            lines.push(String::from_utf8_lossy(&line).into_owned());
            Ok(Pace::More)
        };
        while stream.next(ExecutionMode::POOL, &mut sink)? {}
        Ok(lines)
    }

    /// The rows of a query that must succeed.
    pub fn answer(&mut self, query: &str) -> Vec<String> {
        self.rows(query).unwrap_or_else(|error| panic!("{query}: {error}"))
    }

    /// What EXPLAIN says of a query, all in one text.
    pub fn plan(&mut self, query: &str) -> String {
        self.answer(&format!("EXPLAIN {query}")).join("\n")
    }

    /// The error of a query that must fail.
    pub fn refusal(&mut self, query: &str) -> SqlError {
        match self.rows(query) {
            Ok(rows) => panic!("{query} answered {rows:?}"),
            Err(error) => error,
        }
    }
}
