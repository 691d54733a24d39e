//! Making, changing and dropping databases.
//!
//! Invariants
//! 1. A database goes with all its tables, events and views, in one batch.
//!
//! Not here: single tables (`tables`).

use values::types::TextDefaults;

use super::rules::check_name;
use crate::catalog::no_database;
use crate::engine::Engine;
use crate::error::{Error, Result, Thing};
use crate::foreign_key::ForeignKeyChecks;
use crate::table::Patience;

impl Engine {
    /// Makes a database whose tables take the server's character set and collation.
    ///
    /// # Errors
    /// `Exists`, `Definition` for a bad name.
    pub fn create_database(&self, name: &str) -> Result<()> {
        self.create_database_of(name, TextDefaults::default())
    }

    /// Makes a database whose tables take these.
    ///
    /// # Errors
    /// `Exists`, `Definition` for a bad name.
    pub fn create_database_of(&self, name: &str, text: TextDefaults) -> Result<()> {
        check_name(Thing::Database, name)?;
        let mut change = self.catalog().change();
        if self.catalog().has_database(name) {
            return Err(Error::Exists { what: Thing::Database, name: name.to_string() });
        }
        change.put_database(name, text);
        change.finish(&**self.store(), self.durability(), |databases| {
            databases.entry(name.to_string()).or_default();
        })
    }

    /// Has tables that are made from now on take these; those that are there stay as they are.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn alter_database(&self, name: &str, text: TextDefaults) -> Result<()> {
        let mut change = self.catalog().change();
        if !self.catalog().has_database(name) {
            return Err(no_database(name));
        }
        change.put_database(name, text);
        change.finish(&**self.store(), self.durability(), |_| ())
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use values::types::Collation;

    use super::*;
    use crate::engine::EngineOptions;
    use crate::memory::MemoryStore;

    #[test]
    fn what_tables_of_a_database_take_is_there_after_a_restart_until_it_is_dropped() {
        let store = Arc::new(MemoryStore::new());
        let open = || Engine::open(store.clone(), EngineOptions::default()).unwrap();
        let told = |engine: &Engine, name: &str| engine.catalog().text_defaults(name);
        let of = |collation| TextDefaults { collation: Some(collation), char_bytes: Some(1) };
        let engine = open();
        engine.create_database_of("d", of(Collation::Utf8Mb4Bin)).unwrap();
        engine.create_database("e").unwrap();
        engine.alter_database("e", of(Collation::Binary)).unwrap();
        let missing = engine.alter_database("nowhere", TextDefaults::default());
        assert!(matches!(missing, Err(Error::NotFound { .. })));
        drop(engine);
        let engine = open();
        assert_eq!(told(&engine, "d"), of(Collation::Utf8Mb4Bin));
        assert_eq!(told(&engine, "e"), of(Collation::Binary));
        engine.drop_database("d", ForeignKeyChecks::On, &engine.patience()).unwrap();
        engine.create_database("d").unwrap();
        assert_eq!(told(&engine, "d"), TextDefaults::default());
        drop(engine);
        assert_eq!(told(&open(), "d"), TextDefaults::default());
    }
}
