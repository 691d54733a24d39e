//! Making, dropping, emptying and renaming tables.
//!
//! Invariants
//! 1. Several gates are closed in the order of the tables' ids.
//! 2. What was looked up before a gate was closed is looked up again behind it.
//!
//! Not here: what a new table's definition is (`definition`).

use std::sync::Arc;

use super::definition::{NewTable, define};
use super::functional::type_key_parts;
use super::rules::check_name;
use crate::broken_rule::BrokenRule;
use crate::catalog::{CatalogChange, current, no_database, no_table, put_table};
use crate::engine::Engine;
use crate::error::{Error, Result, Thing};
use crate::foreign_key::{ForeignKey, ForeignKeyChecks, Reference};
use crate::rules::Rules;
use crate::schema::TableDefinition;
use crate::table::{ClosedGate, Patience, Table};
use crate::table_locks::NO_TABLE;
use crate::view::{View, ViewDefinition};

impl Engine {
    /// Makes a table.
    ///
    /// # Errors
    /// `Exists`, `NotFound` of the database, `Definition`, `Expression`.
    pub fn create_table(&self, new: NewTable) -> Result<Arc<Table>> {
        let checks = new.foreign_key_checks;
        let mut definition = self.define(new)?;
        let patience = Patience::at_most(self.lock_wait_max());
        let _inside = self.new_tables().enter(NO_TABLE, Some(&patience))?;
        // Whoever writes in a table learns of it before another refers to it.
        let _parents = self.close_parents(&definition, &patience)?;
        let mut change = self.catalog().change();
        self.check_free(&definition.database, &definition.name)?;
        let nothing =
            TableDefinition { foreign_keys: Vec::new(), checks: Vec::new(), ..definition.clone() };
        self.check_names_of_checks(&definition, &nothing)?;
        self.check_foreign_keys(&mut definition, &nothing, checks)?;
        self.check_adopted(&definition, checks)?;
        definition.id = change.new_table_id();
        change.put_table(&definition);
        change.finish(&**self.store(), self.durability(), |databases| {
            let table =
                current(&**self.store(), self.catalog().make_rules(), definition, Arc::default());
            table.state.rows.set_none();
            put_table(databases, Arc::clone(&table));
            table
        })
    }

    /// The version of a table that takes the place of another one, with its rows and its counters.
    pub(crate) fn renewed(&self, definition: TableDefinition, old: &Table) -> Arc<Table> {
        let make_rules = self.catalog().make_rules();
        let table = current(&**self.store(), make_rules, definition, Arc::clone(&old.state));
        table.inherit(old);
        table
    }

    /// Refuses a definition that `create_table` would refuse, whether or not there is such a table.
    ///
    /// # Errors
    /// `Definition`.
    pub fn check_definition(&self, new: &NewTable) -> Result<()> {
        self.define(new.clone()).map(drop)
    }

    /// A new table's definition, without id.
    pub(super) fn define(&self, new: NewTable) -> Result<TableDefinition> {
        let mut definition = define(new, self.clock().unix_micros() / 1_000_000)?;
        type_key_parts(&mut definition, self.catalog().make_rules())?;
        self.rules_of(&definition)?;
        Ok(definition)
    }

    /// The rules of a definition that is to be; an error where its expressions are none.
    pub(crate) fn rules_of(&self, definition: &TableDefinition) -> Result<Rules> {
        match definition.has_rules() {
            true => Ok(self.catalog().make_rules()(definition)?),
            false => Ok(Rules::default()),
        }
    }

    /// Drops a table; its space comes back in the background.
    ///
    /// # Errors
    /// `NotFound`, `LockTimeout` when writers do not leave it.
    pub fn drop_table(&self, database: &str, name: &str, patience: &Patience) -> Result<()> {
        self.drop_tables(&[(database, name)], ForeignKeyChecks::On, patience)
    }

    /// Drops tables, `(database, name)`, all or none, in one commit; their space comes back in the
    /// background.
    ///
    /// # Errors
    /// `NotFound`, `LockTimeout` when writers do not leave one; `Definition` where another table
    /// refers to one, unless that is not minded.
    pub fn drop_tables(
        &self,
        names: &[(&str, &str)],
        checks: ForeignKeyChecks,
        patience: &Patience,
    ) -> Result<()> {
        let find = || names.iter().map(|(of, name)| self.catalog().table(of, name)).collect();
        let (change, tables, gates) = self.begin_dropping(find, patience)?;
        let goes =
            |reference: &Reference| names.contains(&(&*reference.database, &*reference.table));
        for table in tables.iter().filter(|_| checks == ForeignKeyChecks::On) {
            self.check_unreferenced(table, &goes)?;
        }
        change.finish(&**self.store(), self.durability(), |databases| {
            for table in &tables {
                databases.get_mut(&table.database).and_then(|all| all.remove(&table.name));
                table.state.drop_all();
            }
        })?;
        drop(gates);
        self.reclaim_all(tables.iter().map(|table| table.id).collect())
    }

    /// Begins a change that drops the tables that `find` gives, with their gates closed.
    pub(super) fn begin_dropping(
        &self,
        find: impl Fn() -> Result<Vec<Arc<Table>>>,
        patience: &Patience,
    ) -> Result<(CatalogChange<'_>, Vec<Arc<Table>>, Vec<ClosedGate>)> {
        loop {
            let tables = find()?;
            let gates = self.close_all(&tables, patience)?;
            let mut change = self.catalog().change();
            let now = find()?;
            // A table that came or changed meanwhile has no closed gate: begin again.
            if now.iter().map(|table| table.id).eq(tables.iter().map(|table| table.id)) {
                for table in &now {
                    change.delete_table(table.id);
                    change.note_dropped(table.id);
                }
                return Ok((change, now, gates));
            }
        }
    }

    /// Removes all rows of a table by giving it a new key range; AUTO_INCREMENT starts again.
    ///
    /// # Errors
    /// As `drop_tables`.
    pub fn truncate_table(
        &self,
        database: &str,
        name: &str,
        checks: ForeignKeyChecks,
        patience: &Patience,
    ) -> Result<()> {
        let table = self.catalog().table(database, name)?;
        let gate = table.state.close_to_alter(patience)?;
        let mut change = self.catalog().change();
        let table = self.catalog().table(database, name)?;
        let references = table.references();
        let is_other =
            |reference: &&Reference| (&*reference.database, &*reference.table) != (database, name);
        if checks == ForeignKeyChecks::On
            && let Some(reference) = references.iter().find(is_other)
        {
            let (database, child) = (reference.database.clone(), reference.table.clone());
            let key = reference.key.name.clone();
            return Err(BrokenRule::TruncateOfParent { database, child, key }.into());
        }
        let mut definition = table.definition.clone();
        definition.id = change.new_table_id();
        definition.version += 1;
        definition.auto_increment_base = 1;
        change.delete_table(table.id);
        change.note_dropped(table.id);
        change.put_table(&definition);
        change.finish(&**self.store(), self.durability(), |databases| {
            table.state.reset_counters();
            table.state.rows.set_none();
            // Snapshots of before would show a table without rows.
            table.state.set_readable_since(self.store().sequence().unwrap_or(0));
            put_table(databases, self.renewed(definition, &table));
        })?;
        drop(gate);
        self.reclaim(table.id)
    }

    /// Renames tables and views, one after another, all or none: `((database, name), (database,
    /// name))`.
    ///
    /// # Errors
    /// `NotFound`, `Exists`, `LockTimeout`; `Definition` for a view that would leave its database.
    pub fn rename_tables(
        &self,
        renames: &[((&str, &str), (&str, &str))],
        patience: &Patience,
    ) -> Result<()> {
        let mut sources: Vec<Arc<Table>> = Vec::new();
        for ((database, name), _) in renames {
            // A name that only an earlier rename of this list makes has no table yet.
            if let Some(table) = self.find_table(database, name)?
                && !sources.iter().any(|known| known.id == table.id)
            {
                sources.push(table);
            }
        }
        let related = self.related_to(&sources)?;
        let gates = self.close_all(&related, patience)?;
        let mut change = self.catalog().change();
        let mut moved: Vec<(TableDefinition, Arc<Table>)> = Vec::new();
        let mut views: Vec<(ViewDefinition, Arc<View>)> = Vec::new();
        for ((from_database, from), (to_database, to)) in renames {
            check_name(Thing::Table, to)?;
            if !self.catalog().has_database(to_database) {
                return Err(no_database(to_database));
            }
            let position = moved.iter().position(|(definition, _)| {
                definition.database == *from_database && definition.name == *from
            });
            let taken_by_move = moved.iter().any(|(definition, _)| {
                definition.database == *to_database && definition.name == *to
            });
            let taken_by_view =
                views.iter().any(|(new, _)| new.database == *to_database && new.name == *to);
            let freed =
                moved.iter().any(|(_, table)| table.database == *to_database && table.name == *to)
                    || views.iter().any(|(_, old)| old.database == *to_database && old.name == *to);
            if taken_by_move || taken_by_view {
                let name = format!("{to_database}.{to}");
                return Err(Error::Exists { what: Thing::Table, name });
            }
            if !freed {
                self.check_free(to_database, to)?;
            }
            let again = views
                .iter()
                .position(|(new, _)| new.database == *from_database && new.name == *from);
            let is_moved = |view: &Arc<View>| views.iter().any(|(_, old)| old.id == view.id);
            let stored = self.catalog().view(from_database, from).filter(|view| !is_moved(view));
            if position.is_none() && (again.is_some() || stored.is_some()) {
                if from_database != to_database {
                    let (from, to) = (from_database.to_string(), to_database.to_string());
                    return Err(Error::Definition(BrokenRule::ViewLeavesDatabase { from, to }));
                }
                match again {
                    Some(at) => views[at].0.name = (*to).to_string(),
                    None => views.extend(stored.map(|view| {
                        (ViewDefinition { name: (*to).to_string(), ..(**view).clone() }, view)
                    })),
                }
                continue;
            }
            let at = match position {
                Some(at) => at,
                None => {
                    let table = self.catalog().table(from_database, from)?;
                    if moved.iter().any(|(_, old)| old.id == table.id) {
                        return Err(no_table(from_database, from));
                    }
                    if !sources.iter().any(|source| Arc::ptr_eq(&source.state, &table.state)) {
                        return Err(Error::SchemaChanged);
                    }
                    moved.push((table.definition.clone(), table));
                    moved.len() - 1
                }
            };
            let definition = &mut moved[at].0;
            definition.database = to_database.to_string();
            definition.name = to.to_string();
        }
        self.follow_names(&mut moved, &related)?;
        for (definition, table) in &mut moved {
            definition.version = table.version + 1;
            change.put_table(definition);
        }
        for (definition, _) in &moved {
            self.check_adopted(definition, ForeignKeyChecks::On)?;
        }
        for (renamed, old) in views {
            change.put_view(renamed, Some(old));
        }
        let sequence = self.store().sequence();
        change.finish(&**self.store(), self.durability(), |databases| {
            for (_, old) in &moved {
                old.state.end_version(old.version, sequence);
                databases.get_mut(&old.database).and_then(|tables| tables.remove(&old.name));
            }
            for (definition, old) in moved {
                put_table(databases, self.renewed(definition, &old));
            }
        })?;
        drop(gates);
        Ok(())
    }

    /// Closes the gates of the tables that a new one refers to.
    fn close_parents(
        &self,
        definition: &TableDefinition,
        patience: &Patience,
    ) -> Result<Vec<ClosedGate>> {
        let mut parents: Vec<Arc<Table>> = Vec::new();
        for key in &definition.foreign_keys {
            let parent = self.find_table(&key.parent_database, &key.parent_table)?;
            parents.extend(
                parent.filter(|table| !parents.iter().any(|known| known.is_version_of(table))),
            );
        }
        parents.sort_by_key(|table| table.id);
        parents.iter().map(|table| table.state.close(&patience.anew())).collect()
    }

    /// Tables, those that they refer to and those that refer to them.
    fn related_to(&self, sources: &[Arc<Table>]) -> Result<Vec<Arc<Table>>> {
        let mut related = sources.to_vec();
        for table in sources {
            let parents =
                table.foreign_keys.iter().map(|key| (&key.parent_database, &key.parent_table));
            let references = table.references();
            let children =
                references.iter().map(|reference| (&reference.database, &reference.table));
            for (database, name) in parents.chain(children) {
                let other = self.find_table(database, name)?;
                related.extend(
                    other.filter(|other| !related.iter().any(|known| known.is_version_of(other))),
                );
            }
        }
        Ok(related)
    }

    /// Lets foreign keys follow the new names of tables: those of the tables that are moved, and of
    /// `related` ones that refer to them, which are among the moved then.
    fn follow_names(
        &self,
        moved: &mut Vec<(TableDefinition, Arc<Table>)>,
        related: &[Arc<Table>],
    ) -> Result<()> {
        let names: Vec<_> = moved
            .iter()
            .map(|(new, old)| {
                let now = (new.database.clone(), new.name.clone());
                ((old.database.clone(), old.name.clone()), now)
            })
            .collect();
        for (new, old) in moved.iter_mut() {
            let name = new.name.clone();
            new.rename_foreign_keys(&old.name, &name);
            new.rename_checks(&old.name, &name);
        }
        for table in related {
            if moved.iter().any(|(_, old)| old.is_version_of(table)) {
                continue;
            }
            let table = self.catalog().table(&table.database, &table.name)?;
            let refers = |key: &ForeignKey| names.iter().any(|((d, n), _)| key.refers_to(d, n));
            if table.foreign_keys.iter().any(refers) {
                moved.push((table.definition.clone(), table));
            }
        }
        for key in moved.iter_mut().flat_map(|(new, _)| &mut new.foreign_keys) {
            if let Some((_, (database, name))) =
                names.iter().find(|((database, name), _)| key.refers_to(database, name))
            {
                key.parent_database.clone_from(database);
                key.parent_table.clone_from(name);
            }
        }
        Ok(())
    }

    /// Closes the gates of several tables, in the order of their ids so that two such changes
    /// do not wait for each other.
    pub(super) fn close_all(
        &self,
        tables: &[Arc<Table>],
        patience: &Patience,
    ) -> Result<Vec<ClosedGate>> {
        let mut ordered: Vec<&Arc<Table>> = tables.iter().collect();
        ordered.sort_by_key(|table| table.id);
        ordered.iter().map(|table| table.state.close_to_alter(patience)).collect()
    }

    /// Refuses a name that a table or a view has.
    pub(crate) fn check_free(&self, database: &str, name: &str) -> Result<()> {
        let is_view = self.catalog().view(database, name).is_some();
        match is_view || self.find_table(database, name)?.is_some() {
            true => Err(Error::Exists { what: Thing::Table, name: format!("{database}.{name}") }),
            false => Ok(()),
        }
    }

    pub(crate) fn find_table(&self, database: &str, name: &str) -> Result<Option<Arc<Table>>> {
        match self.catalog().table(database, name) {
            Ok(table) => Ok(Some(table)),
            Err(Error::NotFound { what: Thing::Table, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
