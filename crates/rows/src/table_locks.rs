//! Keeping others from tables for a while: LOCK TABLES, FLUSH TABLES WITH READ LOCK; and from all
//! definitions: LOCK INSTANCE FOR BACKUP.
//!
//! ```text
//!               others write   others lock to read   others lock to write   the holder writes
//! for reading   wait           do so                 wait                   is refused
//! for writing   wait           wait                  wait                   writes
//! ```
//!
//! Invariants
//! 1. While a lock is held nobody else changes a row of its tables, and no such table is changed or
//!    dropped; with a lock of all tables, none is made either. A change waits for the gates, as
//!    long as it would for a schema change.
//! 2. Gates are closed in the order of the tables' ids, behind the one for new tables, so that two
//!    who lock several tables do not wait for each other.
//! 3. A definition changes while its statement is inside the gate of definitions, which it enters
//!    before any table's; a lock of definitions closes it, for several holders together.
//!
//! Not here: who holds locks, until when, and whose queries wait for them (crate `sql`).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::engine::Engine;
use crate::error::Result;
use crate::schema::TableId;
use crate::table::{ClosedGate, GateGuard, Patience, SharedGate, Table, TableState};

/// The number of no table: of the gate for those that are being made.
pub(crate) const NO_TABLE: TableId = 0;

/// What a table is locked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TableLockKind {
    /// Nobody writes to it.
    Read,
    /// Nobody but the holder reads or writes it.
    Write,
}

/// Tables that are locked; dropping it lets others in again.
#[derive(Debug)]
pub struct TableLocks {
    shared: Vec<SharedGate>,
    whole: Vec<ClosedGate>,
    /// How many tables of the server are locked for writing.
    write_locks: Arc<AtomicUsize>,
}

impl TableLocks {
    /// Whether a table is among them.
    pub fn has(&self, table: &Table) -> bool {
        self.kind_of(&table.state).is_some()
    }

    /// What a table is locked for.
    pub(crate) fn kind_of(&self, state: &Arc<TableState>) -> Option<TableLockKind> {
        if self.whole.iter().any(|gate| gate.is_of(state)) {
            return Some(TableLockKind::Write);
        }
        self.shared.iter().any(|gate| gate.is_of(state)).then_some(TableLockKind::Read)
    }
}

/// Nobody else changes definitions until it is dropped; rows change as before.
#[derive(Debug)]
pub struct DefinitionsLock {
    _gate: SharedGate,
}

/// A statement that changes definitions is under way until it is dropped.
#[derive(Debug)]
pub struct DefinitionsEntered {
    _gate: Option<GateGuard>,
}

impl Drop for TableLocks {
    fn drop(&mut self) {
        self.write_locks.fetch_sub(self.whole.len(), Ordering::Relaxed);
    }
}

impl Engine {
    /// Waits until nobody writes to these tables, or, of those that are locked for writing, has
    /// them locked, and keeps it so.
    ///
    /// # Errors
    /// `LockTimeout` when writers do not leave in time.
    pub fn lock_tables(
        &self,
        tables: &[(Arc<Table>, TableLockKind)],
        patience: &Patience,
    ) -> Result<TableLocks> {
        let mut ordered: Vec<_> = tables.iter().collect();
        // Of both kinds for one table, the one for writing.
        ordered.sort_by_key(|(table, kind)| (table.id, std::cmp::Reverse(*kind)));
        ordered.dedup_by_key(|(table, _)| table.id);
        let write_locks = Arc::clone(self.write_locks());
        let mut locks = TableLocks { shared: Vec::new(), whole: Vec::new(), write_locks };
        for (table, kind) in ordered {
            match kind {
                TableLockKind::Read => locks.shared.push(table.state.share(patience)?),
                TableLockKind::Write => {
                    locks.whole.push(table.state.close_whole(patience)?);
                    locks.write_locks.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        Ok(locks)
    }

    /// Locks all tables there are for reading, and keeps new ones from being made.
    ///
    /// # Errors
    /// As `lock_tables`.
    pub fn lock_all_for_reading(&self, patience: &Patience) -> Result<TableLocks> {
        let new_tables = self.new_tables().share(patience)?;
        loop {
            let tables = self.catalog().all_tables();
            let wanted: Vec<_> =
                tables.iter().map(|table| (Arc::clone(table), TableLockKind::Read)).collect();
            let mut locks = self.lock_tables(&wanted, patience)?;
            // A table that was being renamed or emptied has another number now.
            let now = self.catalog().all_tables();
            if now.iter().map(|table| table.id).eq(tables.iter().map(|table| table.id)) {
                locks.shared.push(new_tables);
                return Ok(locks);
            }
        }
    }

    /// Waits until nobody changes definitions, and keeps it so.
    ///
    /// # Errors
    /// `LockTimeout` when such a statement does not end in time.
    pub fn lock_definitions(&self, patience: &Patience) -> Result<DefinitionsLock> {
        Ok(DefinitionsLock { _gate: self.definitions().share(patience)? })
    }

    /// Waits until nobody else has the definitions locked, and keeps others from locking them.
    /// `own` is the lock of whoever asks, if it has one.
    ///
    /// # Errors
    /// `LockTimeout` when they are not unlocked in time.
    pub fn enter_definitions(
        &self,
        own: Option<&DefinitionsLock>,
        patience: &Patience,
    ) -> Result<DefinitionsEntered> {
        let gate = match own {
            Some(_) => self.definitions().enter_shared(NO_TABLE, patience),
            None => self.definitions().enter(NO_TABLE, Some(patience)),
        };
        Ok(DefinitionsEntered { _gate: gate? })
    }

    /// Waits until nobody has a table locked for writing; without patience only if that needs no
    /// waiting.
    ///
    /// # Errors
    /// `WouldWait(Schema)`, or `LockTimeout` when it is not unlocked in time.
    pub fn await_readable(&self, table: &Table, patience: Option<&Patience>) -> Result<()> {
        table.state.await_readable(patience)
    }

    /// Whether somebody has a table locked for writing.
    #[inline]
    pub fn has_write_locks(&self) -> bool {
        self.write_locks().load(Ordering::Relaxed) > 0
    }
}
