//! Making, changing and dropping views.
//!
//! Invariants
//! 1. Nobody waits for readers of a view: its definition is text, a statement that was begun with
//!    one ends with it.
//!
//! Not here: what a view is (`view`), renaming (`tables`, since names are shared with tables).

use std::sync::Arc;

use super::rules::check_name;
use crate::catalog::{no_database, no_table};
use crate::engine::Engine;
use crate::error::{Result, Thing};
use crate::view::{View, ViewDefinition};

impl Engine {
    /// Makes a view, in the place of the one that has its name if `replaces`; gives it its id.
    ///
    /// # Errors
    /// `Exists` for the name of a table, or of a view that is not to be replaced; `NotFound` of the
    /// database; `Definition` for a bad name.
    pub fn create_view(&self, mut view: ViewDefinition, replaces: bool) -> Result<()> {
        check_name(Thing::Table, &view.name)?;
        let mut change = self.catalog().change();
        if !self.catalog().has_database(&view.database) {
            return Err(no_database(&view.database));
        }
        let old = self.catalog().view(&view.database, &view.name).filter(|_| replaces);
        match &old {
            Some(old) => view.id = old.id,
            None => {
                self.check_free(&view.database, &view.name)?;
                view.id = change.new_table_id();
            }
        }
        change.put_view(view, old);
        change.finish(&**self.store(), self.durability(), |_| ())
    }

    /// Drops views, `(database, name)`, all or none.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn drop_views(&self, names: &[(&str, &str)]) -> Result<()> {
        let mut change = self.catalog().change();
        let found: Result<Vec<Arc<View>>> = names
            .iter()
            .map(|(of, name)| self.catalog().view(of, name).ok_or_else(|| no_table(of, name)))
            .collect();
        found?.into_iter().for_each(|view| change.delete_view(view));
        change.finish(&**self.store(), self.durability(), |_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::ddl::NewTable;
    use crate::engine::EngineOptions;
    use crate::foreign_key::ForeignKeyChecks;
    use crate::memory::MemoryStore;
    use crate::view::{ViewAlgorithm, ViewSecurity};

    fn view(name: &str, query: &str) -> ViewDefinition {
        ViewDefinition {
            id: 0,
            database: "d".into(),
            name: name.into(),
            columns: Vec::new(),
            query: query.into(),
            algorithm: ViewAlgorithm::Undefined,
            definer: "root@localhost".into(),
            is_by_account: false,
            security: ViewSecurity::Definer,
            check: None,
            charset_client: "utf8mb4".into(),
            collation_connection: "utf8mb4_general_ci".into(),
        }
    }

    fn table(name: &str) -> NewTable {
        let column = crate::schema::Column::new("id", values::types::ColumnType::Date);
        NewTable::new("d", name, vec![column], Vec::new())
    }

    #[test]
    fn a_view_shares_its_names_with_tables_and_is_there_after_a_restart() {
        let store = Arc::new(MemoryStore::new());
        let open = || Engine::open(store.clone(), EngineOptions::default()).unwrap();
        let engine = open();
        assert!(matches!(engine.create_view(view("v", "q"), false), Err(Error::NotFound { .. })));
        engine.create_database("d").unwrap();
        engine.create_database("e").unwrap();
        engine.create_table(table("t")).unwrap();
        engine.create_view(view("v", "q"), false).unwrap();
        let first = engine.catalog().view("d", "v").unwrap();
        for (name, replaces) in [("v", false), ("t", false), ("t", true)] {
            let made = engine.create_view(view(name, "q"), replaces);
            assert!(matches!(made, Err(Error::Exists { .. })), "{name} {replaces}");
        }
        assert!(matches!(engine.create_table(table("v")), Err(Error::Exists { .. })));
        engine.create_view(view("v", "other"), true).unwrap();
        assert!(!first.is_current());
        let patience = engine.patience();
        let rename = |from, to| engine.rename_tables(&[(("d", from), to)], &patience);
        assert!(matches!(rename("t", ("d", "v")), Err(Error::Exists { .. })));
        assert!(matches!(rename("v", ("d", "t")), Err(Error::Exists { .. })));
        assert!(matches!(rename("v", ("e", "w")), Err(Error::Definition(_))));
        rename("v", ("d", "w")).unwrap();
        drop(engine);
        let engine = open();
        assert!(engine.catalog().view("d", "v").is_none());
        let found = engine.catalog().view("d", "w").unwrap();
        assert_eq!((found.query.as_str(), found.id), ("other", first.id));
        engine.create_view(view("x", "q"), false).unwrap();
        let dropped = engine.drop_views(&[("d", "x"), ("d", "y")]);
        assert!(matches!(dropped, Err(Error::NotFound { .. })));
        assert_eq!(engine.catalog().views("d").len(), 2);
        engine.drop_views(&[("d", "x")]).unwrap();
        assert!(!found.is_current() || engine.catalog().views("d").len() == 1);
        engine.drop_database("d", ForeignKeyChecks::On, &engine.patience()).unwrap();
        assert!(!found.is_current());
        drop(engine);
        let engine = open();
        engine.create_database("d").unwrap();
        assert!(engine.catalog().views("d").is_empty());
    }
}
