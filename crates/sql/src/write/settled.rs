//! Scans that had to wait for a lock: its holder may have changed rows that the scan had passed
//! already, so that they meet the condition only now, or rows that a sub-query or a join had read.
//! The scan is run again, over the newest rows and with all locks that it has, until nobody is
//! waited for. What it gives is then that of a statement which began when the last lock was had
//! (InnoDB waits at the first locked row instead, whether or not that meets the condition, and goes
//! on from there).
//!
//! Not here: which rows are locked (`change`, `joined`, `session::locking`).

use resources::waiting::row_lock_waits;
use rows::transaction::Transaction;

use results::{Result, SqlError};

/// How often a scan is run again at most: others may come between each time.
const RUNS_MAX: usize = 16;

/// How far the rows that a run has found are those of the moment at which it had its locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Currency {
    /// They are, whether or not it has waited: all was read under the locks.
    Current,
    /// They are if it has waited for nobody.
    UnlessWaited,
    /// They are not: a row is another than the one that was found. What the run did must not stay.
    Outdated,
}

/// Runs a scan until what it found is current; `undo` takes back what a run leaves besides its
/// writes.
///
/// # Errors
/// 1213 where others change the rows each time again.
pub fn until_settled<T>(
    transaction: &mut Transaction,
    mut undo: impl FnMut(),
    mut run: impl FnMut(&mut Transaction) -> Result<(T, Currency)>,
) -> Result<T> {
    for runs in 1..=RUNS_MAX {
        let (mark, before) = (transaction.savepoint(), row_lock_waits());
        let result = run(transaction);
        let is_last = runs == RUNS_MAX;
        match result {
            Ok((done, Currency::Current)) => return Ok(kept(transaction, done)),
            Ok((done, Currency::UnlessWaited)) if is_last || row_lock_waits() == before => {
                return Ok(kept(transaction, done));
            }
            Ok((_, Currency::UnlessWaited | Currency::Outdated)) => {}
            Err(error) => {
                transaction.withdraw_ranges();
                return Err(error);
            }
        }
        transaction.withdraw_ranges();
        transaction.rollback_to(mark);
        undo();
    }
    Err(SqlError::Deadlock)
}

/// What a run has looked at stays as it is.
fn kept<T>(transaction: &mut Transaction, done: T) -> T {
    transaction.keep_ranges();
    done
}
