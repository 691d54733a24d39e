//! Statements that are begun anew when a table becomes another one beside them: by ALTER TABLE, CREATE and
//! DROP INDEX, TRUNCATE.
//!
//! In MariaDB such a change waits for the statements that read the table. Here it does not, and what was
//! planned for the table as it was may find it gone: the statement is planned anew, and reads a state of
//! its own again. A client sees nothing of that, as nothing was sent to it.
//!
//! Invariants
//! 1. What a beginning has written is undone, and its warnings are forgotten, when the next one begins.
//! 2. A transaction that has read goes on reading one state: what that does not show is an error (1412)
//!    as with InnoDB.
//!
//! Not here: rows that were sent already; then the error is told (`reply::RowStream`).

use super::Session;
use crate::error::Result;

/// How often a statement is begun while tables change.
const BEGINNINGS_MAX: usize = 10;
/// The same where it would read the same state again: only its plan may have been one of before.
const BEGINNINGS_OF_STATE_MAX: usize = 2;

impl Session {
    /// Runs a statement, or the part of one before anything is sent, again while it meets tables that
    /// became others.
    pub(super) fn begun_anew<T>(
        &mut self,
        mut run: impl FnMut(&mut Session) -> Result<T>,
    ) -> Result<T> {
        let mut beginnings = 1;
        loop {
            match run(self) {
                Err(error) if error.is_table_changed() && beginnings < self.beginnings_max() => {
                    beginnings += 1;
                    drop(self.warnings.take());
                    drop(self.limits.take_warnings());
                }
                other => return other,
            }
        }
    }

    fn beginnings_max(&self) -> usize {
        match &self.open {
            // What comes meanwhile goes on where it was.
            _ if self.inserts.is_some() => 1,
            Some(open) if open.has_snapshot() => BEGINNINGS_OF_STATE_MAX,
            _ => BEGINNINGS_MAX,
        }
    }
}
