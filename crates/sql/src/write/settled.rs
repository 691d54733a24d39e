//! Scans that had to wait for a lock: its holder may have changed rows that the scan had passed
//! already, so that they meet the condition only now, or rows that a sub-query or a join had read.
//! The scan is run again, over the newest rows and with all locks that it has, until nobody is
//! waited for. What it gives is then that of a statement which began when the last lock was had
//! (InnoDB waits at the first locked row instead, whether or not that meets the condition, and goes
//! on from there).
//!
//! Not here: which rows are locked (`change`, `joined`, `session::locking`).

use std::time::{Duration, Instant};

use resources::waiting::row_lock_waits;
use rows::store::LockWait;
use rows::transaction::Transaction;

use results::{Result, SqlError};

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

/// For how long a statement is run again because others were before it: as long as it would wait
/// for one of them. Whoever may not wait is run twice.
pub struct Patience {
    wait: LockWait,
    until: Option<Instant>,
    is_over: bool,
}

impl Patience {
    /// That of a transaction's statement.
    pub fn of(transaction: &Transaction) -> Patience {
        Patience { wait: transaction.lock_wait(), until: None, is_over: false }
    }

    /// Whether the run at hand is the last.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Allows another run.
    ///
    /// # Errors
    /// 1205, or `WouldWait`: there was a last one.
    pub fn go_on(&mut self) -> Result<()> {
        let time = match self.wait {
            LockWait::Never if self.is_over => return Err(SqlError::WouldWait),
            LockWait::AtMost(_) if self.is_over => return Err(SqlError::LockTimeout),
            LockWait::Never => Duration::ZERO,
            LockWait::AtMost(time) => time,
        };
        let now = Instant::now();
        let until = *self.until.get_or_insert_with(|| now.checked_add(time).unwrap_or(now));
        self.is_over = now >= until;
        Ok(())
    }
}

/// Runs a scan until what it found is current; `undo` takes back what a run leaves besides its
/// writes.
///
/// # Errors
/// 1205 where others change the rows each time again.
pub fn until_settled<T>(
    transaction: &mut Transaction,
    mut undo: impl FnMut(),
    mut run: impl FnMut(&mut Transaction) -> Result<(T, Currency)>,
) -> Result<T> {
    let mut patience = Patience::of(transaction);
    loop {
        let (mark, before) = (transaction.savepoint(), row_lock_waits());
        match run(transaction) {
            Ok((done, Currency::Current)) => return Ok(kept(transaction, done)),
            Ok((done, Currency::UnlessWaited))
                if patience.is_over() || row_lock_waits() == before =>
            {
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
        patience.go_on()?;
    }
}

/// What a run has looked at stays as it is.
fn kept<T>(transaction: &mut Transaction, done: T) -> T {
    transaction.keep_ranges();
    done
}
