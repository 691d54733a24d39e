//! What an expression or an analytic query may ask of its session, frozen for one statement.
//!
//! Invariants
//! 1. `now` is the same for the whole statement, as in MySQL.
//! 2. Nothing here changes while the statement runs, except the kill mark and what
//!    `LAST_INSERT_ID(expr)` and `@x := 1` leave in `Aftermath`, which the session takes over.
//!
//! Not here: the session itself (`session`), names and defaults of variables (`variables`).

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rows::store::Read;
use values::datum::Value;
use values::interrupt::{self, Interrupt, Working};
use values::temporal::Zone;

use crate::Sql;
use crate::error::{Result, SqlError};
use crate::expression::Random;
use crate::limits::Limits;
use crate::mode::SqlMode;
use crate::variables::SessionVariables;

/// Whether a running statement is to end: asked by KILL, by a client that has left, or because
/// its time is over.
#[derive(Debug, Default)]
pub struct KillMark {
    asked: AtomicU8,
    /// When its time is over, in nanoseconds since `EPOCH`; 0: never.
    deadline: AtomicU64,
    /// MySQL's number for that.
    deadline_error: AtomicU16,
}

/// What deadlines count from.
static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);

thread_local! {
    /// Of the statement that the thread works on.
    static CURRENT: RefCell<Option<Arc<KillMark>>> = const { RefCell::new(None) };
}

/// Puts back what was the thread's before.
pub struct ThreadGuard {
    before: Option<Arc<KillMark>>,
    _working: Working,
}

impl Drop for ThreadGuard {
    fn drop(&mut self) {
        CURRENT.set(self.before.take());
    }
}

impl Interrupt for KillMark {
    fn is_wanted(&self) -> bool {
        self.check().is_err()
    }
}

fn nanos(at: Instant) -> u64 {
    u64::try_from(at.saturating_duration_since(*EPOCH).as_nanos()).unwrap_or(u64::MAX)
}

impl KillMark {
    /// KILL QUERY: the statement that runs ends with error 1317.
    pub fn kill_query(&self) {
        self.asked.fetch_max(1, Ordering::Relaxed);
    }

    /// KILL CONNECTION: as `kill_query`, and the connection closes.
    pub fn kill_connection(&self) {
        self.asked.store(2, Ordering::Relaxed);
    }

    /// Whether the connection is to close.
    pub fn is_connection_killed(&self) -> bool {
        self.asked.load(Ordering::Relaxed) == 2
    }

    /// The statement that runs may do so for this long from now, if it had no less already; then
    /// it ends with the error of that number, 3024 (max_execution_time) or 1969
    /// (max_statement_time, MariaDB's).
    pub fn end_after(&self, time: Duration, error: u16) {
        let deadline = nanos(Instant::now())
            .saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        let known = self.deadline.load(Ordering::Relaxed);
        if known == 0 || deadline < known {
            self.deadline_error.store(error, Ordering::Relaxed);
            self.deadline.store(deadline.max(1), Ordering::Relaxed);
        }
    }

    /// The error that ends the statement, if it is to end. Long loops ask every few hundred rows.
    ///
    /// # Errors
    /// 1317 when it was killed, 3024 or 1969 when its time is over.
    #[inline]
    pub fn check(&self) -> Result<()> {
        if self.asked.load(Ordering::Relaxed) != 0 {
            return Err(SqlError::new(1317, "Query execution was interrupted"));
        }
        match self.deadline.load(Ordering::Relaxed) {
            0 => Ok(()),
            deadline if nanos(Instant::now()) < deadline => Ok(()),
            _ => Err(self.out_of_time()),
        }
    }

    #[cold]
    fn out_of_time(&self) -> SqlError {
        match self.deadline_error.load(Ordering::Relaxed) {
            1969 => {
                SqlError::new(1969, "Query execution was interrupted (max_statement_time exceeded)")
            }
            _ => SqlError::new(
                3024,
                "Query execution was interrupted, maximum statement execution time exceeded",
            ),
        }
    }

    /// Makes it the one that `check_this_thread` asks, until the guard is dropped: for libraries
    /// that call back without knowing what for.
    pub fn of_this_thread(this: &Arc<KillMark>) -> ThreadGuard {
        ThreadGuard {
            before: CURRENT.replace(Some(Arc::clone(this))),
            _working: interrupt::working(Arc::clone(this) as Arc<dyn Interrupt>),
        }
    }

    /// As `check`, for the statement that this thread works on.
    ///
    /// # Errors
    /// As `check`.
    pub fn check_this_thread() -> Result<()> {
        CURRENT.with_borrow(|current| current.as_ref().map_or(Ok(()), |kill| kill.check()))
    }

    /// A new statement begins: a KILL QUERY that came too late is forgotten, and the time that
    /// the one before had.
    pub(crate) fn forget_query(&self) {
        self.deadline.store(0, Ordering::Relaxed);
        let _ = self.asked.compare_exchange(1, 0, Ordering::Relaxed, Ordering::Relaxed);
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
    /// What the statement may use.
    pub limits: Arc<Limits>,
    /// The statement's text without literals, where it is kept.
    pub shape: Arc<str>,
    /// The sequences of RAND(seed), by the place of the call.
    pub random: Mutex<HashMap<usize, Random>>,
    /// What expressions leave behind.
    pub aftermath: Arc<Mutex<Aftermath>>,
    /// Global variables, process list, catalog.
    pub sql: Arc<Sql>,
}

/// What an analytic query reads and asks.
pub struct QueryContext {
    /// What to read: a snapshot, overlaid with the transaction's own writes when it has some.
    pub view: Arc<dyn Read>,
    /// The statement's surroundings.
    pub facts: Arc<Facts>,
}
