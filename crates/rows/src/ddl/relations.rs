//! Foreign keys in definitions: what one must fulfil, what a change of a table does to those that
//! refer to it and to those that it refers to, and whether the rows that are there obey a new one.
//!
//! Invariants
//! 1. What refers to a table changes only with the table's gate closed, so that whoever writes in
//!    it knows all of them.
//! 2. A definition that names a table or a column follows when that gets another name, in the same
//!    batch.
//!
//! Not here: adding one to a definition (`definition`), what they do to rows (`transaction`).

use std::sync::Arc;

use values::datum::Datum;

use super::rules::widens;
use crate::broken_rule::BrokenRule;
use crate::bulk::go_on;
use crate::catalog::CatalogChange;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::find::row_at;
use crate::foreign_key::{ForeignKey, ForeignKeyChecks, Reference};
use crate::partition::PartitionFault;
use crate::schema::{CheckDefinition, TableDefinition};
use crate::store::{Direction, Reach, Read};
use crate::table::{ClosedGate, Patience, Table, are_comparable, key_among};

/// Column names, as they were and as they are to be.
pub(crate) type Renames = [(String, String)];

/// What a changed table's relations need, until its definition is published.
#[derive(Default)]
pub(crate) struct Relations {
    _gates: Vec<ClosedGate>,
    /// Children whose definitions follow.
    pub children: Vec<(Arc<Table>, TableDefinition)>,
}

impl Engine {
    /// Refuses a condition that is called as one of another table of the database. `known`: the
    /// table as it was, whose names stay its own.
    pub(super) fn check_names_of_checks(
        &self,
        definition: &TableDefinition,
        known: &TableDefinition,
    ) -> Result<()> {
        let moves = definition.database != known.database;
        let is_new = |check: &&CheckDefinition| moves || known.check(&check.name).is_none();
        let mut new = definition.checks.iter().filter(is_new).peekable();
        if new.peek().is_none() {
            return Ok(());
        }
        let others = self.catalog().tables(&definition.database).unwrap_or_default();
        let is_taken = |check: &&CheckDefinition| {
            let mut others = others.iter().filter(|other| moves || other.name != known.name);
            others.any(|other| other.check(&check.name).is_some())
        };
        match new.find(is_taken) {
            Some(check) => Err(BrokenRule::DuplicateCheck(check.name.clone()).into()),
            None => Ok(()),
        }
    }

    /// Looks whether a table's foreign keys are right, and gives those without columns of the
    /// parent its primary key's. `known`: names of those that were looked at before.
    pub(super) fn check_foreign_keys(
        &self,
        definition: &mut TableDefinition,
        known: &TableDefinition,
        checks: ForeignKeyChecks,
    ) -> Result<()> {
        if definition.foreign_keys.is_empty() {
            return Ok(());
        }
        let of_others = self.catalog().foreign_keys(&definition.database);
        for at in 0..definition.foreign_keys.len() {
            let mut key = definition.foreign_keys[at].clone();
            let is_new = !known.foreign_keys.iter().any(|old| old.name == key.name);
            let is_taken = |(table, other): &(String, ForeignKey)| {
                other.name.eq_ignore_ascii_case(&key.name) && *table != known.name
            };
            if is_new && of_others.iter().any(is_taken) {
                return Err(BrokenRule::DuplicateForeignKey(key.name).into());
            }
            let is_own = key.refers_to(&definition.database, &definition.name)
                || key.refers_to(&known.database, &known.name);
            let parent = match is_own {
                true => Some(definition.clone()),
                false => self
                    .find_table(&key.parent_database, &key.parent_table)?
                    .map(|table| table.definition.clone()),
            };
            let Some(parent) = parent else {
                if is_new && checks == ForeignKeyChecks::On {
                    return Err(BrokenRule::NoParentTable(key.parent_table).into());
                }
                if key.parent_columns.is_empty() {
                    return Err(BrokenRule::ForeignKeyColumns(key.name).into());
                }
                continue;
            };
            if key.parent_columns.is_empty() {
                let parts = parent.indexes[0].parts.iter();
                key.parent_columns =
                    parts.map(|part| parent.columns[part.column].name.clone()).collect();
                if key.parent_columns.len() != key.columns.len() {
                    return Err(BrokenRule::ForeignKeyColumns(key.name).into());
                }
            }
            check_pair(definition, &key, &parent)?;
            self.check_stays(&key, &parent)?;
            definition.foreign_keys[at] = key;
        }
        Ok(())
    }

    /// Looks whether the rows of a parent stay while a key needs them: a row that needs an expired
    /// one would keep what is gone. A container lets rows expire by no definition.
    fn check_stays(&self, key: &ForeignKey, parent: &TableDefinition) -> Result<()> {
        let expires = |table: Arc<Table>| table.expiry_column().is_some();
        if key.on_delete.refuses()
            && self.catalog().table(&parent.database, &parent.name).is_ok_and(expires)
        {
            return Err(BrokenRule::ForeignKeyOfExpiring(key.name.clone()).into());
        }
        Ok(())
    }

    /// Looks whether a table fits the foreign keys of others that refer to it by name, which were
    /// there before it.
    pub(super) fn check_adopted(
        &self,
        definition: &TableDefinition,
        checks: ForeignKeyChecks,
    ) -> Result<()> {
        for reference in self.catalog().references_to(&definition.database, &definition.name) {
            let Some(child) = self.find_table(&reference.database, &reference.table)? else {
                continue;
            };
            match check_pair(&child, &reference.key, definition) {
                Err(_) if checks == ForeignKeyChecks::On => {
                    return Err(BrokenRule::ForeignKeyRefused.into());
                }
                checked => checked?,
            }
        }
        Ok(())
    }

    /// Refuses to drop a table that others refer to which stay; `goes` says which do not.
    pub(super) fn check_unreferenced(
        &self,
        table: &Table,
        goes: &dyn Fn(&Reference) -> bool,
    ) -> Result<()> {
        let references = table.references();
        match references.iter().find(|reference| !goes(reference)) {
            None => Ok(()),
            Some(reference) => Err(BrokenRule::DropOfParent {
                table: table.name.clone(),
                key: reference.key.name.clone(),
                child: reference.table.clone(),
            }
            .into()),
        }
    }

    /// Refuses what a change of a table would break: indexes and columns that foreign keys need.
    pub(crate) fn check_relations(
        &self,
        old: &Table,
        new: &mut TableDefinition,
        renames: &Renames,
        (rebuild, checks): (bool, ForeignKeyChecks),
    ) -> Result<()> {
        self.check_names_of_checks(new, old)?;
        self.check_foreign_keys(new, old, checks)?;
        for key in &old.foreign_keys {
            let stays = new.foreign_key(&key.name).is_some();
            if stays && rebuild && checks == ForeignKeyChecks::On {
                let now: Vec<String> =
                    key.columns.iter().map(|name| renamed(name, renames)).collect();
                if let Some(column) = changed_column(old, &key.columns, new, &now) {
                    let key = key.name.clone();
                    return Err(BrokenRule::ForeignKeyColumnChanged { column, key }.into());
                }
            }
        }
        for reference in old.references().iter() {
            let is_own = reference.database == old.database && reference.table == old.name;
            if is_own {
                // It is among its own foreign keys, if it is there still.
                continue;
            }
            let mut key = reference.key.clone();
            renames.iter().for_each(|(from, to)| key.rename_parent_column(from, to));
            let key_name = key.name.clone();
            let gone = key.parent_columns.iter().position(|name| new.column(name).is_none());
            if let Some(at) = gone {
                let column = reference.key.parent_columns[at].clone();
                let child = reference.table.clone();
                return Err(
                    BrokenRule::ReferencedColumnDropped { column, key: key_name, child }.into()
                );
            }
            if new.unique_index_of(&key.parent_columns).is_none() {
                let index = old.unique_index_of(&reference.key.parent_columns);
                let index = index.map_or_else(String::new, |at| old.indexes[at].name.clone());
                return Err(BrokenRule::NeededIndex(index).into());
            }
            let child = self.find_table(&reference.database, &reference.table)?;
            let Some(child) = child else { continue };
            check_pair(&child, &key, new)?;
            let changed =
                changed_column(old, &reference.key.parent_columns, new, &key.parent_columns);
            if rebuild
                && checks == ForeignKeyChecks::On
                && let Some(column) = changed
            {
                let child = reference.table.clone();
                return Err(
                    BrokenRule::ReferencedColumnChanged { column, key: key_name, child }.into()
                );
            }
        }
        if old.database != new.database || old.name != new.name {
            self.check_adopted(new, checks)?;
        }
        Ok(())
    }

    /// Makes ready for a table to have another definition: closes the gates of the tables that
    /// learn of it, and lets definitions follow that name it. The table's own gate is closed.
    pub(crate) fn settle_relations(
        &self,
        old: &Arc<Table>,
        new: &mut TableDefinition,
        (renames, rebuild, checks): (&Renames, bool, ForeignKeyChecks),
        patience: &Patience,
    ) -> Result<Relations> {
        let moves = old.database != new.database || old.name != new.name;
        let is_alone = old.foreign_keys.is_empty()
            && new.foreign_keys.is_empty()
            && !old.state.is_referenced();
        if is_alone && !moves {
            return Ok(Relations::default());
        }
        let changes_keys = moves || old.foreign_keys != new.foreign_keys;
        let mut parents: Vec<Arc<Table>> = Vec::new();
        for key in old.foreign_keys.iter().chain(&new.foreign_keys).filter(|_| changes_keys) {
            push_other(
                &mut parents,
                old,
                self.find_table(&key.parent_database, &key.parent_table)?,
            );
        }
        let mut relations = Relations::default();
        let mut children: Vec<Arc<Table>> = Vec::new();
        for reference in old.references().iter() {
            let names = |(from, _): &(String, String)| {
                reference.key.parent_columns.iter().any(|name| name.eq_ignore_ascii_case(from))
            };
            if moves || renames.iter().any(names) {
                let child = self.find_table(&reference.database, &reference.table)?;
                push_other(&mut children, old, child);
            }
        }
        parents.retain(|parent| !children.iter().any(|child| child.is_version_of(parent)));
        for child in &children {
            relations._gates.push(child.state.close_to_alter(&patience.anew())?);
        }
        for parent in &parents {
            relations._gates.push(parent.state.close(&patience.anew())?);
        }
        self.check_relations(old, new, renames, (rebuild, checks))?;
        for child in children {
            let child = self.catalog().table(&child.database, &child.name)?;
            let mut definition = child.definition.clone();
            definition.version += 1;
            let own = definition.foreign_keys.iter_mut();
            for key in own.filter(|key| key.refers_to(&old.database, &old.name)) {
                key.parent_database.clone_from(&new.database);
                key.parent_table.clone_from(&new.name);
                renames.iter().for_each(|(from, to)| key.rename_parent_column(from, to));
            }
            relations.children.push((child, definition));
        }
        Ok(relations)
    }

    /// Looks whether all rows of a table, which nobody writes to, obey those of its foreign keys
    /// that its earlier version did not have.
    pub(crate) fn check_rows_of(&self, old: &TableDefinition, next: &Table) -> Result<()> {
        let is_new =
            |key: &ForeignKey| !old.foreign_keys.iter().any(|known| known.name == key.name);
        let keys = next.foreign_keys.iter().zip(&next.foreign);
        let keys: Vec<_> = keys.filter(|(key, _)| is_new(key)).collect();
        if keys.is_empty() {
            return Ok(());
        }
        let view = self.latest();
        let mut cursor = view.scan(&next.index_range(0), Direction::Forward, Reach::Disk)?;
        let expiry = self.expiry(next);
        let mut rows = 0_u64;
        while cursor.advance()? {
            rows += 1;
            go_on(rows)?;
            let row = row_at(next, cursor.key(), cursor.value())?;
            if let Some(expiry) = expiry
                && expiry.is_over(&row)?
            {
                continue;
            }
            for (key, foreign) in &keys {
                let values = foreign.columns.iter().map(|at| Ok(row.column(*at)?));
                let values = values.collect::<Result<Vec<Datum<'_>>>>()?;
                if !values.iter().any(Datum::is_null)
                    && !self.is_parent_there(view, next, key, &values)?
                {
                    return Err(Error::NoParent {
                        table: format!("{}.{}", next.database, next.name),
                        key: Box::new((*key).clone()),
                    });
                }
            }
        }
        Ok(())
    }

    fn is_parent_there(
        &self,
        view: &dyn Read,
        child: &Table,
        key: &ForeignKey,
        values: &[Datum<'_>],
    ) -> Result<bool> {
        let other = match key.refers_to(&child.database, &child.name) {
            true => None,
            false => match self.find_table(&key.parent_database, &key.parent_table)? {
                Some(table) => Some(table),
                None => return Ok(false),
            },
        };
        let parent = other.as_deref().unwrap_or(child);
        let Some(index) = parent.unique_index_of(&key.parent_columns) else { return Ok(false) };
        let among = key_among((child, &key.columns), (parent, &key.parent_columns), values);
        let Some(values) = among.datums(values) else { return Ok(false) };
        let stored = parent.prefix_range(index, &values)?.start;
        let (mut value, mut row_key) = (Vec::new(), Vec::new());
        if !view.get(&stored, Reach::Disk, &mut value)? {
            return Ok(false);
        }
        let Some(expiry) = self.expiry(parent) else { return Ok(true) };
        if index > 0 {
            parent.entry_target(index, &stored, &value, &mut row_key)?;
            if !view.get(&row_key, Reach::Disk, &mut value)? {
                return Ok(false);
            }
        } else {
            row_key = stored;
        }
        Ok(!expiry.is_over(&row_at(parent, &row_key, &value)?)?)
    }

    /// Stores the definitions of children that follow.
    pub(crate) fn put_children(
        &self,
        change: &mut CatalogChange<'_>,
        children: &[(Arc<Table>, TableDefinition)],
    ) {
        children.iter().for_each(|(_, definition)| change.put_table(definition));
    }

    /// Makes versions of tables that differ from the present ones in what they refer to.
    pub(crate) fn following(
        &self,
        children: Vec<(Arc<Table>, TableDefinition)>,
        sequence: Option<u64>,
    ) -> Vec<Arc<Table>> {
        let follow = |(old, definition): (Arc<Table>, TableDefinition)| {
            old.state.end_version(old.version, sequence);
            self.renewed(definition, &old)
        };
        children.into_iter().map(follow).collect()
    }
}

fn push_other(tables: &mut Vec<Arc<Table>>, of: &Table, found: Option<Arc<Table>>) {
    if let Some(found) = found
        && !found.is_version_of(of)
        && !tables.iter().any(|known| known.is_version_of(&found))
    {
        tables.push(found);
    }
}

fn renamed(name: &str, renames: &Renames) -> String {
    let mut name = name.to_owned();
    for (from, to) in renames {
        if name.eq_ignore_ascii_case(from) {
            name.clone_from(to);
        }
    }
    name
}

/// The first of some columns whose values may be others in another definition.
fn changed_column(
    old: &TableDefinition,
    before: &[String],
    new: &TableDefinition,
    now: &[String],
) -> Option<String> {
    let is_changed = |(before, now): &(&String, &String)| {
        let old = old.column(before).map(|at| &old.columns[at].ty);
        let new = new.column(now).map(|at| &new.columns[at].ty);
        match (old, new) {
            (Some(old), Some(new)) => old != new && !widens(old, new),
            _ => false,
        }
    };
    before.iter().zip(now).find(is_changed).map(|(before, _)| before.clone())
}

/// Looks whether a foreign key of a child fits a parent.
fn check_pair(child: &TableDefinition, key: &ForeignKey, parent: &TableDefinition) -> Result<()> {
    if parent.partitioning.is_some() {
        return Err(BrokenRule::Partitioning(PartitionFault::ForeignKey).into());
    }
    if child.columnar || parent.columnar {
        return Err(BrokenRule::ForeignKeyColumnar.into());
    }
    // A row that needs an expired one would keep what is gone.
    if parent.retention.expires_by.is_some() && key.on_delete.refuses() {
        return Err(BrokenRule::ForeignKeyOfExpiring(key.name.clone()).into());
    }
    for (own, column) in key.columns.iter().zip(&key.parent_columns) {
        let Some(at) = parent.column(column) else {
            return Err(BrokenRule::NoParentColumn {
                column: column.clone(),
                key: key.name.clone(),
                table: parent.name.clone(),
            }
            .into());
        };
        let Some(of_child) = child.column(own) else {
            return Err(BrokenRule::KeyColumn(own.clone()).into());
        };
        if !are_comparable(&child.columns[of_child], &parent.columns[at]) {
            return Err(BrokenRule::IncompatibleColumns {
                column: own.clone(),
                parent_column: column.clone(),
                key: key.name.clone(),
            }
            .into());
        }
    }
    if parent.unique_index_of(&key.parent_columns).is_none() {
        return Err(
            BrokenRule::NoParentKey { key: key.name.clone(), table: parent.name.clone() }.into()
        );
    }
    Ok(())
}
