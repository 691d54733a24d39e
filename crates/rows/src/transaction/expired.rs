//! Expired rows in the place of new ones: cleared away with their entries.
//!
//! Invariants
//! 1. Only a row whose lock is held is cleared away, and only if it has expired by then.
//!
//! Not here: when a row expires (`crate::expiry`), rows that are in nobody's way (`sweep`).

use super::children::Cascade;
use super::life::Transaction;
use crate::error::Result;
use crate::expiry::Expiry;
use crate::find::row_at;
use crate::table::Table;

impl Transaction {
    /// Whether there is a row under a locked key; an expired one is removed first.
    pub(super) fn is_taken(&mut self, table: &Table, row_key: &[u8]) -> Result<bool> {
        if self.absent.as_deref() == Some(row_key) {
            return Ok(false);
        }
        let mut existing = Vec::new();
        Ok(self.read_locked(row_key, &mut existing)?
            && !self.clear(table, self.engine.expiry(table), row_key, &existing)?)
    }

    /// Removes a locked row that is in the way, if it has expired; says whether it did.
    fn clear(
        &mut self,
        table: &Table,
        expiry: Option<Expiry>,
        row_key: &[u8],
        bytes: &[u8],
    ) -> Result<bool> {
        let Some(expiry) = expiry else { return Ok(false) };
        let row = row_at(table, row_key, bytes)?;
        let over = expiry.is_over(&row)?;
        if over {
            self.delete_row(table, row_key, &row, None, &Cascade::default())?;
        }
        Ok(over)
    }

    /// As `clear`, for a row that has not been read yet.
    pub(super) fn clear_stored(
        &mut self,
        table: &Table,
        expiry: Option<Expiry>,
        row_key: &[u8],
    ) -> Result<bool> {
        let mut bytes = Vec::new();
        Ok(expiry.is_some()
            && self.store.get(row_key, self.reach(), &mut bytes)?
            && self.clear(table, expiry, row_key, &bytes)?)
    }
}
