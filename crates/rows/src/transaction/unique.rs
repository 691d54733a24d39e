//! Unique entries: locked before they are made or removed, and looked for under that lock.
//!
//! A writer that wants a value whose row another transaction has removed, and has not committed,
//! waits for that transaction, and so do two that bring the same value. That a value is taken is
//! decided by the look alone: the entry is free again at once, so that neither a refused row keeps
//! others from removing the one that is there, nor anybody waits for a row with its entry locked.
//!
//! Invariants
//! 1. A unique entry is made, removed and found free only while it is locked.
//! 2. A row is waited for before its entries, never with one of them locked for the sake of a look.
//!    So a delete of a row by its key and a REPLACE of it by a unique value cannot deadlock.
//!
//! Not here: entries of indexes that are not unique, which are not locked.

use super::life::Transaction;
use crate::error::Result;
use crate::table::Table;

impl Transaction {
    /// Locks a unique entry that is to be removed.
    pub(super) fn lock_entry(&mut self, key: &[u8]) -> Result<()> {
        self.store.lock(key, self.wait).map(drop)
    }

    /// Locks a unique entry for a row that is to have it. `Some`: what is stored there, because a
    /// row has it; then this call leaves it unlocked.
    fn take_entry(&mut self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let newly = self.store.lock(key, self.wait)?;
        let mut value = Vec::new();
        if !self.store.get(key, self.reach(), &mut value)? {
            return Ok(None);
        }
        if newly {
            self.store.unlock(key);
        }
        Ok(Some(value))
    }

    /// Locks a unique entry for a row that is to have it; `false` when another row has it. An
    /// expired row is removed.
    pub(super) fn claim_entry(&mut self, table: &Table, index: usize, key: &[u8]) -> Result<bool> {
        match self.engine.expiry(table) {
            None => Ok(self.take_entry(key)?.is_none()),
            Some(_) => Ok(self.claim_entry_or_row(table, index, key)?.is_none()),
        }
    }

    /// As `claim_entry`; the row that has the entry is locked, and its key given.
    pub(super) fn claim_entry_or_row(
        &mut self,
        table: &Table,
        index: usize,
        key: &[u8],
    ) -> Result<Option<Vec<u8>>> {
        let expiry = self.engine.expiry(table);
        // Each further round is one in which another transaction has removed or moved the row.
        while let Some(mut value) = self.take_entry(key)? {
            let mut row_key = Vec::new();
            table.entry_target(index, key, &value, &mut row_key)?;
            self.store.lock(&row_key, self.wait)?;
            // The row may have gone or moved while its lock was waited for.
            if self.store.get(key, self.reach(), &mut value)?
                && value == row_key[table.head_of_keys()..]
            {
                let cleared = self.clear_stored(table, expiry, &row_key)?;
                return Ok((!cleared).then_some(row_key));
            }
        }
        Ok(None)
    }
}
