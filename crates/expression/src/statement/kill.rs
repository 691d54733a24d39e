//! Whether a running statement is to end, which every long loop asks.
//!
//! Not here: who ends it (crate `sql`: KILL, clients that leave, times of statements).

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use resources::interrupt::{self, Interrupt, Working};
use resources::owner::{MemoryCeiling, Owner};
use values::ErrorCode;

use crate::statement::error::{Error, Result};

/// Whether a running statement is to end: asked by KILL, by a client that has left, or because
/// its time is over.
#[derive(Debug, Default)]
pub struct KillMark {
    asked: AtomicU8,
    /// When its time is over, in nanoseconds since `EPOCH`; 0: never.
    deadline: AtomicU64,
    /// Whether that is `TimeLimit::Statement`.
    is_statement_time: AtomicBool,
    /// Memory of its connection.
    owner: Arc<Owner>,
}

/// Whose limit of time ends a statement: each has an error of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLimit {
    /// MySQL's max_execution_time, of a query.
    Execution,
    /// MariaDB's max_statement_time, of any statement.
    Statement,
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

    fn owner(&self) -> Option<&Arc<Owner>> {
        Some(&self.owner)
    }
}

fn nanos(at: Instant) -> u64 {
    u64::try_from(at.saturating_duration_since(*EPOCH).as_nanos()).unwrap_or(u64::MAX)
}

impl KillMark {
    /// Of a connection whose memory has a ceiling that it shares with others.
    pub fn beneath(ceiling: Option<MemoryCeiling>) -> KillMark {
        KillMark { owner: Arc::new(Owner::beneath(ceiling)), ..KillMark::default() }
    }

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
    /// it ends with the error of that limit.
    pub fn end_after(&self, time: Duration, limit: TimeLimit) {
        let deadline = nanos(Instant::now())
            .saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        let known = self.deadline.load(Ordering::Relaxed);
        if known == 0 || deadline < known {
            self.is_statement_time.store(limit == TimeLimit::Statement, Ordering::Relaxed);
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
            return Err(Error::new(ErrorCode::QueryInterrupted, "Query execution was interrupted"));
        }
        match self.deadline.load(Ordering::Relaxed) {
            0 => Ok(()),
            deadline if nanos(Instant::now()) < deadline => Ok(()),
            _ => Err(self.out_of_time()),
        }
    }

    #[cold]
    fn out_of_time(&self) -> Error {
        match self.is_statement_time.load(Ordering::Relaxed) {
            true => Error::new(
                ErrorCode::StatementTimeout,
                "Query execution was interrupted (max_statement_time exceeded)",
            ),
            false => Error::new(
                ErrorCode::QueryTimeout,
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

    /// Bytes that its connection has of the memory for clients.
    pub fn memory_bytes(&self) -> usize {
        self.owner.bytes()
    }

    /// What its connection's memory and rows are counted by.
    pub fn owner_of_work(&self) -> &Arc<Owner> {
        &self.owner
    }

    /// A new statement begins: a KILL QUERY that came too late is forgotten, and the time that
    /// the one before had.
    pub fn forget_query(&self) {
        self.deadline.store(0, Ordering::Relaxed);
        self.owner.take_examined();
        self.owner.take_table_scan();
        self.owner.take_disk_micros();
        self.owner.take_peak();
        let _ = self.asked.compare_exchange(1, 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}
