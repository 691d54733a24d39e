//! Space that tables take, and that comes back when they are dropped or their making is given up.
//!
//! Invariants
//! 1. Rows and entries are removed when their table or index can no longer be found: whoever found
//!    it before sees all of them, or that it is gone.
//! 2. The note about a dropped range goes only after its space has come back: who drops a table
//!    waits for one sync, that of the note.
//!
//! Not here: when files are made smaller, which is the store's.

use crate::catalog::Catalog;
use crate::engine::Engine;
use crate::error::Result;
use crate::schema::{IndexId, TableDefinition, TableId};
use crate::store::{Batch, Change, Durability};
use crate::table::{Table, index_range, table_ranges};

impl Engine {
    /// About how many bytes a table takes.
    ///
    /// # Errors
    /// Those of the store.
    pub fn approximate_bytes(&self, table: &Table) -> Result<u64> {
        self.store().approximate_bytes(&table.full_range())
    }

    /// Removes what there is of a dropped table id, gives its space back and forgets the note about
    /// it.
    pub(crate) fn reclaim(&self, id: TableId) -> Result<()> {
        self.reclaim_all(vec![id])
    }

    /// The same of several ids, with as many writes as of one.
    pub(crate) fn reclaim_all(&self, ids: Vec<TableId>) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let forgotten = Catalog::reclaimed(&ids);
        let ranges = table_ranges(ids);
        let changes = ranges.iter().cloned().map(Change::DeleteRange).collect();
        self.store().write(&Batch { changes }, Durability::Os)?;
        self.store().reclaim_noted(&ranges, forgotten)
    }

    /// Repeats the reclaims that a crash may have interrupted.
    pub(crate) fn resume_reclaims(&self) -> Result<()> {
        self.reclaim_all(Catalog::reclaims(&**self.store())?)?;
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
        self.store().reclaim(&ranges().collect::<Vec<_>>())
    }
}
