//! Making, dropping and emptying temporary tables.
//!
//! Invariants
//! 1. The catalog hears nothing of them: whoever makes one has the only handle to it.
//! 2. Nothing is written to the store, and nothing waits.
//!
//! Not here: changing them (`alter::temporary`), their names (a session's).

use std::sync::Arc;

use super::definition::NewTable;
use crate::broken_rule::BrokenRule;
use crate::catalog::{current, no_database};
use crate::engine::Engine;
use crate::error::Result;
use crate::partition::PartitionFault;
use crate::schema::TableDefinition;
use crate::table::{Table, TableState};

impl Engine {
    /// Makes a temporary table, whose memory is that of the connection which this thread works
    /// for.
    ///
    /// # Errors
    /// `NotFound` of the database, `Definition`, `Expression`, `Exhausted`.
    pub fn create_temporary_table(&self, new: NewTable) -> Result<Arc<Table>> {
        if !self.catalog().has_database(&new.database) {
            return Err(no_database(&new.database));
        }
        let definition = self.define(new)?;
        self.begin_temporary(definition, Arc::default())
    }

    /// Begins a temporary table without rows under a new id, for what is known of the table.
    pub(crate) fn begin_temporary(
        &self,
        mut definition: TableDefinition,
        state: Arc<TableState>,
    ) -> Result<Arc<Table>> {
        check_temporary(&definition)?;
        self.rules_of(&definition)?;
        definition.id = self.temporary().begin(self.budget().kept_share())?;
        state.rows.set_none();
        Ok(current(&**self.store(), self.catalog().make_rules(), definition, state))
    }

    /// Drops a temporary table.
    pub fn drop_temporary_table(&self, table: &Table) {
        table.state.drop_all();
        self.temporary().end(table.id);
    }

    /// Removes all rows of a temporary table; AUTO_INCREMENT starts again. Gives the table as it is
    /// from now on.
    ///
    /// # Errors
    /// `Exhausted`.
    pub fn truncate_temporary_table(&self, table: &Table) -> Result<Arc<Table>> {
        let mut definition = table.definition.clone();
        definition.auto_increment_base = 1;
        let emptied = self.begin_temporary(definition, Arc::default())?;
        emptied.inherit(table);
        self.drop_temporary_table(table);
        Ok(emptied)
    }
}

/// Refuses what temporary tables do not have.
pub(crate) fn check_temporary(definition: &TableDefinition) -> Result<()> {
    if !definition.full_texts.is_empty() {
        return Err(BrokenRule::FullTextTemporary.into());
    }
    if definition.partitioning.is_some() {
        return Err(BrokenRule::Partitioning(PartitionFault::Temporary).into());
    }
    let what = match definition {
        definition if definition.columnar => "stored by column",
        definition if definition.columnar_index.is_some() => "with a columnar index",
        definition if definition.retention.bytes_max > 0 => "with MAX_BYTES",
        definition if !definition.foreign_keys.is_empty() => "with foreign keys",
        _ => return Ok(()),
    };
    Err(BrokenRule::Temporary(what).into())
}
