//! Statements that are started again: their table changed while they ran (ALTER TABLE, CREATE and
//! DROP INDEX, TRUNCATE), or other statements had the memory that they need (`memory_shortage`).
//!
//! In MariaDB such a change of a table waits for the statements that read it. Here it does not, and
//! a statement may find that the table it was planned for is gone: it is planned again, and takes a
//! new snapshot. Its client sees nothing of that, as nothing was sent yet.
//!
//! Invariants
//! 1. What an attempt wrote is undone, and its warnings and found rows are forgotten, when the next
//!    one begins.
//! 2. A transaction that has read goes on reading one snapshot: what that does not show is an error
//!    (1412), as with InnoDB.
//!
//! Not here: statements of which rows were sent already; the client is told the error
//! (`reply::RowStream`).

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::Session;
use super::memory_shortage::Shortage;
use results::{ExecutionMode, Result, SqlError};

/// How long a statement is begun while tables change, from when it first met that.
const PATIENCE: Duration = Duration::from_secs(10);
/// So many beginnings follow each other at once. Each further one waits, twice as long as the one
/// before: where changes follow each other and cores are few, a statement may meet one every time.
const BEGINNINGS_AT_ONCE: u32 = 4;
/// How long the first of those waits,
const FIRST_PAUSE: Duration = Duration::from_millis(2);
/// and how long the later ones.
const LONGEST_PAUSE: Duration = Duration::from_millis(64);
/// How often it is begun where it would read the same state again: only its plan may have been one
/// of before.
const BEGINNINGS_OF_STATE_MAX: u32 = 2;

impl Session {
    /// Runs a statement, or the part of one before anything is sent, again while it meets tables
    /// that became others, or finds no memory beside others.
    ///
    /// # Errors
    /// Those of `run`; `would_wait` in an event loop for a beginning that has to wait; 1317 when
    /// killed.
    pub(super) fn begun_anew<T>(
        &mut self,
        how: ExecutionMode,
        run: impl FnMut(&mut Session) -> Result<T>,
    ) -> Result<T> {
        // Set still where a panic was caught further out.
        self.comes_first = None;
        let result = self.begun_until_done(how, run);
        self.comes_first = None;
        result
    }

    fn begun_until_done<T>(
        &mut self,
        how: ExecutionMode,
        mut run: impl FnMut(&mut Session) -> Result<T>,
    ) -> Result<T> {
        let (mut beginnings, mut first) = (1, None);
        let (mut shortage, found_before) = (None, self.found_rows.get());
        loop {
            // A query within a write has found rows of its own.
            self.found_rows.set(found_before);
            let before = how.may_wait.then(|| self.sql.long_queries().load());
            match run(self) {
                Err(error @ SqlError::ShortOfMemory(refusal)) => {
                    let Some(before) = before.filter(|_| self.inserts.is_none()) else {
                        return Err(error);
                    };
                    let shortage = shortage.get_or_insert_with(Shortage::new);
                    if !shortage.passes(&self.sql, before, refusal, &self.process.kill)? {
                        return Err(error);
                    }
                    self.comes_first = shortage.hold();
                    self.forget_warnings();
                }
                Err(error @ SqlError::TableChanged) => {
                    let first: &Instant = first.get_or_insert_with(Instant::now);
                    if !self.may_begin_anew(beginnings, first.elapsed()) {
                        return Err(error);
                    }
                    if let Some(pauses) = beginnings.checked_sub(BEGINNINGS_AT_ONCE) {
                        if !how.may_wait {
                            return Err(SqlError::WouldWait);
                        }
                        sleep((FIRST_PAUSE * (1 << pauses.min(8))).min(LONGEST_PAUSE));
                        self.process.kill.check()?;
                    }
                    beginnings += 1;
                    self.forget_warnings();
                }
                other => return other,
            }
        }
    }

    fn forget_warnings(&mut self) {
        drop(self.warnings.take());
        drop(self.limits.take_warnings());
    }

    fn may_begin_anew(&self, beginnings: u32, elapsed: Duration) -> bool {
        match &self.open {
            // What comes meanwhile goes on where it was.
            _ if self.inserts.is_some() => false,
            Some(open) if open.has_snapshot() => beginnings < BEGINNINGS_OF_STATE_MAX,
            _ => elapsed < PATIENCE,
        }
    }
}
