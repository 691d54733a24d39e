//! Space that tables take, and that comes back when they are dropped or their making is given up.
//!
//! Invariants
//! 1. Rows and entries are removed when their table or index can no longer be found: whoever found it
//!    before sees all of them, or that it is gone.
//! 2. The note about a dropped range goes only after the store has taken it over.
//!
//! Not here: when files are made smaller, which is the store's.

use crate::catalog::Catalog;
use crate::engine::Engine;
use crate::error::Result;
use crate::schema::{IndexId, TableDefinition};
use crate::store::{Batch, Change, Durability};
use crate::table::{Table, index_range, table_range};

impl Engine {
    /// About how many bytes a table takes.
    pub fn approximate_bytes(&self, table: &Table) -> Result<u64> {
        self.store().approximate_bytes(&table.full_range())
    }

    /// Removes what there is of a dropped table id, gives its space back and forgets the note about it.
    pub(crate) fn reclaim(&self, id: u32) -> Result<()> {
        let changes = vec![Change::DeleteRange(table_range(id))];
        self.store().write(&Batch { changes }, Durability::Os)?;
        self.store().reclaim(&table_range(id))?;
        // Losing this note's removal only makes the next start reclaim once more.
        self.store().write(&Catalog::reclaimed(id), Durability::Os)
    }

    /// Repeats the reclaims that a crash may have interrupted.
    pub(crate) fn resume_reclaims(&self) -> Result<()> {
        for id in Catalog::reclaims(&**self.store())? {
            self.reclaim(id)?;
        }
        for (definition, building) in self.catalog().take_unfinished() {
            self.remove_unfinished(&definition, &building)?;
        }
        Ok(())
    }

    /// Removes what there is under numbers of indexes that are no more, or never came to be, where
    /// nobody writes under them any more, and forgets the marks of it.
    pub(crate) fn remove_unfinished(
        &self,
        definition: &TableDefinition,
        building: &[IndexId],
    ) -> Result<()> {
        let mut change = self.catalog().change();
        let ranges = || building.iter().map(|id| index_range(definition.id, *id));
        ranges().for_each(|range| change.delete_range(range));
        change.put_table(definition);
        change.finish(&**self.store(), Durability::Os, |_| ())?;
        ranges().try_for_each(|range| self.store().reclaim(&range))
    }
}
