//! Removing rows that nobody asked to be removed: they have expired, or their table is full.
//!
//! Invariants
//! 1. A row is removed only if it may go when its lock is held.
//!
//! Not here: which rows (`sweep`, `evict`).

use std::sync::Arc;
use std::time::Duration;

use values::row::RowRef;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::store::{Durability, LockWait};
use crate::table::Table;
use crate::transaction::{ChangeOutcome, RowChange};

/// Rows removed by one commit.
const COMMIT_ROWS: usize = 512;

/// Rows that left a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemovedRows {
    /// Because they had expired.
    pub expired: usize,
    /// Because the table was full.
    pub evicted: usize,
}

impl RemovedRows {
    pub(crate) fn add(&mut self, more: RemovedRows) {
        self.expired += more.expired;
        self.evicted += more.evicted;
    }
}

/// Removes those rows that may still go when their lock is held; gives how many went. A crash may
/// bring them back, for the next sweep.
pub(crate) fn remove(
    engine: &Arc<Engine>,
    table: &Arc<Table>,
    row_keys: &[Vec<u8>],
    may_go: &mut dyn FnMut(&[u8], &RowRef<'_>) -> Result<bool>,
) -> Result<usize> {
    let mut removed = 0;
    for keys in row_keys.chunks(COMMIT_ROWS) {
        let mut transaction = engine.begin(LockWait::AtMost(Duration::ZERO))?;
        let mut gone = 0;
        for key in keys {
            let changed = transaction.change_stored_row(table, key, &mut |row| {
                Ok(if may_go(key, &row)? { RowChange::Delete } else { RowChange::Keep })
            });
            match changed {
                Ok(ChangeOutcome::Deleted) => gone += 1,
                // Someone else is at it.
                Ok(_) | Err(Error::LockTimeout | Error::Conflict | Error::WouldWait(_)) => {}
                // Other rows keep it.
                Err(Error::HasChildren { .. } | Error::CascadeTooDeep { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        transaction.commit(Durability::Os)?;
        removed += gone;
    }
    Ok(removed)
}
