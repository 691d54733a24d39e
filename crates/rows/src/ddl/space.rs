//! Space that tables take, and that comes back when they are dropped.
//!
//! Invariants
//! 1. The note about a dropped range goes only after the store has taken it over.
//!
//! Not here: when files are made smaller, which is the store's.

use crate::catalog::Catalog;
use crate::engine::Engine;
use crate::error::Result;
use crate::store::{Batch, Change, Durability};
use crate::table::{Table, table_range};

impl Engine {
    /// About how many bytes a table takes.
    pub fn approximate_bytes(&self, table: &Table) -> Result<u64> {
        self.store().approximate_bytes(&table.full_range())
    }

    /// Gives the space of a dropped table id back and forgets the note about it.
    pub(crate) fn reclaim(&self, id: u32) -> Result<()> {
        self.store().reclaim(&table_range(id))?;
        // Losing this note's removal only makes the next start reclaim once more.
        self.store().write(&Catalog::reclaimed(id), Durability::Os)
    }

    /// Repeats the reclaims that a crash may have interrupted.
    pub(crate) fn resume_reclaims(&self) -> Result<()> {
        for id in Catalog::reclaims(&**self.store())? {
            // A copy that a crash cut short has rows in the range still.
            let changes = vec![Change::DeleteRange(table_range(id))];
            self.store().write(&Batch { changes }, Durability::Os)?;
            self.reclaim(id)?;
        }
        Ok(())
    }
}
