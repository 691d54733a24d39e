//! Making and dropping databases.
//!
//! Invariants
//! 1. A database goes with all its tables, events and views, in one batch.
//!
//! Not here: single tables (`tables`).

use super::rules::check_name;
use crate::engine::Engine;
use crate::error::{Error, Result, Thing};
use crate::foreign_key::ForeignKeyChecks;
use crate::table::Patience;

impl Engine {
    /// Makes a database.
    ///
    /// # Errors
    /// `Exists`, `Definition` for a bad name.
    pub fn create_database(&self, name: &str) -> Result<()> {
        check_name(Thing::Database, name)?;
        let mut change = self.catalog().change();
        if self.catalog().has_database(name) {
            return Err(Error::Exists { what: Thing::Database, name: name.to_string() });
        }
        change.put_database(name);
        change.finish(&**self.store(), self.durability(), |databases| {
            databases.entry(name.to_string()).or_default();
        })
    }

    /// Drops a database with its tables; says how many.
    ///
    /// # Errors
    /// `NotFound`, `LockTimeout` when writers do not leave a table; `Definition` where a table of
    /// another database refers to one, unless that is not minded.
    pub fn drop_database(
        &self,
        name: &str,
        checks: ForeignKeyChecks,
        patience: &Patience,
    ) -> Result<usize> {
        let (mut change, tables, gates) =
            self.begin_dropping(|| self.catalog().tables(name), patience)?;
        for table in tables.iter().filter(|_| checks == ForeignKeyChecks::On) {
            self.check_unreferenced(table, &|reference| reference.database == name)?;
        }
        for event in self.catalog().events().iter().filter(|event| event.database == name) {
            change.delete_event(event.id);
        }
        self.catalog().views(name).into_iter().for_each(|view| change.delete_view(view));
        change.delete_database(name);
        change.finish(&**self.store(), self.durability(), |databases| {
            databases.remove(name);
            tables.iter().for_each(|table| table.state.drop_all());
        })?;
        drop(gates);
        self.reclaim_all(tables.iter().map(|table| table.id).collect())?;
        Ok(tables.len())
    }
}
