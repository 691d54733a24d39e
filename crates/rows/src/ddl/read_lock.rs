//! Keeping everybody from writing for a while: FLUSH TABLES WITH READ LOCK.
//!
//! Invariants
//! 1. While a lock is held no row of its tables changes and no such table is changed or dropped;
//!    with a lock of all tables, none is made either. A change waits for the gates, as long as
//!    it would for a schema change.
//! 2. Gates are closed in the order of the tables' ids, behind the one for new tables.
//!
//! Not here: who holds the lock, and until when (crate `sql`).

use std::sync::Arc;

use crate::engine::Engine;
use crate::error::Result;
use crate::schema::TableId;
use crate::table::{ClosedGate, Patience, Table};

/// The number of no table: of the gate for those that are being made.
pub(crate) const NO_TABLE: TableId = 0;

/// Tables that nobody writes to; dropping it lets writers in again.
#[derive(Debug)]
pub struct ReadLock {
    _gates: Vec<ClosedGate>,
}

impl Engine {
    /// Waits until nobody writes to these tables, and keeps it so.
    ///
    /// # Errors
    /// `LockTimeout` when writers do not leave in time.
    pub fn lock_for_reading(&self, tables: &[Arc<Table>], patience: &Patience) -> Result<ReadLock> {
        let mut ordered: Vec<&Arc<Table>> = tables.iter().collect();
        ordered.sort_by_key(|table| table.id);
        ordered.dedup_by_key(|table| table.id);
        let gates = ordered.iter().map(|table| table.state.close(patience));
        Ok(ReadLock { _gates: gates.collect::<Result<_>>()? })
    }

    /// The same with all tables there are, and without new ones.
    ///
    /// # Errors
    /// As `lock_for_reading`.
    pub fn lock_all_for_reading(&self, patience: &Patience) -> Result<ReadLock> {
        let new_tables = self.new_tables().close(patience)?;
        loop {
            let tables = self.catalog().all_tables();
            let mut lock = self.lock_for_reading(&tables, patience)?;
            // A table that was being renamed or emptied has another number now.
            let now = self.catalog().all_tables();
            if now.iter().map(|table| table.id).eq(tables.iter().map(|table| table.id)) {
                lock._gates.push(new_tables);
                return Ok(lock);
            }
        }
    }
}
