//! What an expression or an analytic query may ask of its session, frozen for one statement.
//!
//! Invariants
//! 1. `now` is the same for the whole statement, as in MySQL.
//! 2. Nothing here changes while the statement runs, except the kill mark and what
//!    `LAST_INSERT_ID(expr)` and `@x := 1` leave in `Aftermath`, which the session takes over.
//!
//! Not here: the session itself (`session`), names and defaults of variables (`variables`).

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use parking_lot::Mutex;
use rows::datum::Value;
use rows::store::Read;
use rows::temporal::Zone;

use crate::Sql;
use crate::error::{Result, SqlError};
use crate::mode::SqlMode;
use crate::variables::SessionVariables;

/// What has been asked of a running session by KILL.
#[derive(Debug, Default)]
pub struct KillMark(AtomicU8);

impl KillMark {
    /// KILL QUERY: the statement that runs ends with error 1317.
    pub fn kill_query(&self) {
        self.0.fetch_max(1, Ordering::Relaxed);
    }

    /// KILL CONNECTION: as `kill_query`, and the connection closes.
    pub fn kill_connection(&self) {
        self.0.store(2, Ordering::Relaxed);
    }

    /// Whether the connection is to close.
    pub fn is_connection_killed(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 2
    }

    /// Error 1317 when the statement is to end. Long loops ask every few hundred rows.
    pub fn check(&self) -> Result<()> {
        match self.0.load(Ordering::Relaxed) {
            0 => Ok(()),
            _ => Err(SqlError::new(1317, "Query execution was interrupted")),
        }
    }

    /// A new statement begins: a KILL QUERY that came too late is forgotten.
    pub(crate) fn forget_query(&self) {
        let _ = self.0.compare_exchange(1, 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// What expressions leave behind for the session.
#[derive(Debug, Default)]
pub struct Aftermath {
    /// Set by `LAST_INSERT_ID(expr)`.
    pub last_insert_id: Option<u64>,
    /// Set by `@name := value`.
    pub user_variables: Vec<(String, Value)>,
}

/// One statement's surroundings.
pub struct Facts {
    /// The connection's number, `CONNECTION_ID()`.
    pub connection_id: u32,
    /// `USER()`, as `name@host`.
    pub user: String,
    /// The current database.
    pub database: Option<String>,
    /// The session's time zone.
    pub zone: Zone,
    /// The statement's start, microseconds since the epoch (or what SET TIMESTAMP said).
    pub now: i64,
    /// `LAST_INSERT_ID()`.
    pub last_insert_id: u64,
    /// `ROW_COUNT()`.
    pub row_count: i64,
    /// `FOUND_ROWS()`.
    pub found_rows: u64,
    /// `@@warning_count`: of the statement before.
    pub warning_count: u64,
    /// `@@error_count`: of the statement before.
    pub error_count: u64,
    /// sql_mode.
    pub mode: SqlMode,
    /// System variables, `@@name`.
    pub variables: Arc<SessionVariables>,
    /// User variables by lower-case name, `@name`.
    pub user_variables: Arc<HashMap<String, Value>>,
    /// Asked by long loops.
    pub kill: Arc<KillMark>,
    /// What expressions leave behind.
    pub aftermath: Arc<Mutex<Aftermath>>,
    /// Global variables, process list, catalog.
    pub sql: Arc<Sql>,
}

/// A SELECT for the analytic way: `analytic::select` and its kin take this.
pub struct QueryContext {
    /// What to read: a snapshot, overlaid with the transaction's own writes when it has some.
    pub view: Arc<dyn Read>,
    /// The statement's surroundings.
    pub facts: Arc<Facts>,
}
