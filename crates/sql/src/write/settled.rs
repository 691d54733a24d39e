//! Scans that had to wait for a lock: whoever held it may have changed rows that the scan had passed already, so
//! that they meet the condition only now. The scan is run again, over the newest rows and with all locks that it
//! has, until nobody is waited for. What it gives is then that of a statement which began when the last lock was
//! had (InnoDB waits at the first locked row instead, whether or not that meets the condition, and goes on from
//! there).
//!
//! Not here: which rows are locked (`change`, `session::locking`).

use rows::transaction::Transaction;
use rows::waiting::row_lock_waits;

use crate::error::Result;

/// How often a scan is run again at most: others may come between each time.
const RUNS_MAX: usize = 16;

/// Runs a scan until it has waited for nobody; `undo` takes back what a run leaves besides its writes. `run` says,
/// too, whether rows that began to match could have been missed.
pub fn until_settled<T>(
    transaction: &mut Transaction,
    mut undo: impl FnMut(),
    mut run: impl FnMut(&mut Transaction) -> Result<(T, bool)>,
) -> Result<T> {
    for _ in 1..RUNS_MAX {
        let (mark, before) = (transaction.savepoint(), row_lock_waits());
        let (done, may_miss) = run(transaction)?;
        if !may_miss || row_lock_waits() == before {
            return Ok(done);
        }
        transaction.rollback_to(mark);
        undo();
    }
    run(transaction).map(|(done, _)| done)
}
