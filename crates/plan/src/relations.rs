//! From a name to a table or view: a session's temporary tables first, which hide tables and views
//! of their names, then what the catalog has.
//!
//! Invariants
//! 1. A temporary table is in one session's `TemporaryNames` and nowhere else.
//!
//! Not here: their rows (`rows::temporary`), names within a query (`bind::scope`).

use std::collections::HashMap;
use std::sync::Arc;

use rows::table::Table;
use rows::view::View;
use rows::{Catalog, Engine};

/// The temporary tables of a session by database and name.
#[derive(Clone, Debug, Default)]
pub struct TemporaryNames(HashMap<String, HashMap<String, Arc<Table>>>);

impl TemporaryNames {
    /// A table by name.
    pub fn find(&self, database: &str, name: &str) -> Option<&Arc<Table>> {
        self.0.get(database)?.get(name)
    }

    /// Adds a table, under the name that it has.
    pub fn add(&mut self, table: Arc<Table>) {
        let of_database = self.0.entry(table.database.clone()).or_default();
        of_database.insert(table.name.clone(), table);
    }

    /// Takes a table out.
    pub fn remove(&mut self, database: &str, name: &str) -> Option<Arc<Table>> {
        let of_database = self.0.get_mut(database)?;
        let removed = of_database.remove(name);
        if of_database.is_empty() {
            self.0.remove(database);
        }
        removed
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Drops all tables.
    pub fn drop_all(&self, engine: &Engine) {
        self.0.values().flat_map(HashMap::values).for_each(|table| {
            engine.drop_temporary_table(table);
        });
    }
}

/// What names mean in a statement.
#[derive(Clone, Copy)]
pub struct Relations<'a> {
    /// Tables and views of all sessions.
    pub catalog: &'a Catalog,
    /// The session's own.
    pub temporary: Option<&'a TemporaryNames>,
}

impl Relations<'_> {
    /// A table by name.
    ///
    /// # Errors
    /// `NotFound`, of the database or the table.
    pub fn table(&self, database: &str, name: &str) -> rows::Result<Arc<Table>> {
        match self.temporary.and_then(|own| own.find(database, name)) {
            Some(table) => Ok(Arc::clone(table)),
            None => self.catalog.table(database, name),
        }
    }

    /// A view by name, unless a temporary table hides it.
    pub fn view(&self, database: &str, name: &str) -> Option<Arc<View>> {
        match self.temporary.and_then(|own| own.find(database, name)) {
            Some(_) => None,
            None => self.catalog.view(database, name),
        }
    }
}
