//! Rows that have foreign keys: each of them refers to a row that is there, or has a NULL in it.
//!
//! A key that is referred to has a lock of its own beside that of its row (`key_lock`). Whoever
//! refers to it shares that lock; whoever brings, takes or changes the key has it alone. So rows
//! that refer to one parent do not wait for each other, nor for changes of its other columns, and a
//! parent cannot go while a row that refers to it is not committed (docs/decisions/0108).
//!
//! Invariants
//! 1. A parent is looked for only while the lock of its key is shared.
//! 2. The parent's table stays inside its gate until the transaction ends.
//!
//! Not here: what becomes of rows when their parent goes (`children`).

use std::sync::Arc;

use values::datum::Datum;

use super::life::Transaction;
use crate::error::{Error, Result};
use crate::find::row_at;
use crate::foreign_key::ForeignKey;
use crate::table::{PREFIX_BYTES, Table, key_among};

/// The number of no index, under which the locks of keys are.
const NO_INDEX: [u8; 2] = [0, 0];
/// Looks for a parent while its definition changes.
const LOOKS_MAX: usize = 16;

impl Transaction {
    /// Lets foreign keys be obeyed, or not (foreign_key_checks), until it is said otherwise. A
    /// transaction may be shared, so whoever says no says yes when its statement is over.
    pub fn obey_foreign_keys(&mut self, obey: bool) {
        self.obeys_foreign_keys = obey;
    }

    /// Whether the foreign keys of a table, and those that refer to it, are to be obeyed.
    #[inline]
    pub(crate) fn is_bound(&self, table: &Table) -> bool {
        table.is_related() && self.obeys_foreign_keys
    }

    /// A row comes in: it refers to rows that are there, and others may refer to it.
    #[cold]
    pub(super) fn relate_new(&mut self, table: &Table, row: &[Datum<'_>]) -> Result<()> {
        self.lock_keys(table, row, None)?;
        self.look_for_parents(table, row, None)
    }

    /// Locks the keys of a row that others may refer to; of a changed one those that have changed.
    pub(super) fn lock_keys(
        &mut self,
        table: &Table,
        row: &[Datum<'_>],
        changed: Option<&[usize]>,
    ) -> Result<()> {
        if !table.state.is_referenced() {
            return Ok(());
        }
        for reference in table.references().iter() {
            let Some(columns) = table.positions(&reference.key.parent_columns) else { continue };
            if changed.is_some_and(|changed| !columns.iter().any(|at| changed.contains(at))) {
                continue;
            }
            let Some(index) = table.unique_index_of(&reference.key.parent_columns) else {
                continue;
            };
            let values: Vec<Datum<'_>> = columns.iter().map(|at| row[*at]).collect();
            if !values.iter().any(Datum::is_null) {
                self.store.lock(&key_lock(table, index, &values)?, self.wait)?;
            }
        }
        Ok(())
    }

    /// Looks for the rows that a row refers to; for those of a changed one that have changed.
    pub(super) fn look_for_parents(
        &mut self,
        table: &Table,
        row: &[Datum<'_>],
        changed: Option<&[usize]>,
    ) -> Result<()> {
        for (key, values) in parents_of(table, row, changed) {
            if !self.has_parent(table, key, &values)? {
                return Err(Error::NoParent {
                    table: format!("{}.{}", table.database, table.name),
                    key: Box::new(key.clone()),
                });
            }
        }
        Ok(())
    }

    /// Keeps the rows that a row refers to, as far as they are there; of a changed one, those that
    /// have changed.
    pub(super) fn keep_parents(
        &mut self,
        table: &Table,
        row: &[Datum<'_>],
        changed: Option<&[usize]>,
    ) -> Result<()> {
        for (key, values) in parents_of(table, row, changed) {
            // Without checks there may be none.
            let _is_there = self.has_parent(table, key, &values)?;
        }
        Ok(())
    }

    /// Whether there is a row with the key that a foreign key's values are; then it stays there.
    fn has_parent(
        &mut self,
        child: &Table,
        key: &ForeignKey,
        values: &[Datum<'_>],
    ) -> Result<bool> {
        let Some(parent) = self.enter_related(&key.parent_database, &key.parent_table)? else {
            return Ok(false);
        };
        let Some(index) = parent.unique_index_of(&key.parent_columns) else { return Ok(false) };
        let among = key_among((child, &key.columns), (&parent, &key.parent_columns), values);
        let Some(values) = among.datums(values) else { return Ok(false) };
        let lock = key_lock(&parent, index, &values)?;
        let newly = self.store.lock_shared(&lock, self.wait)?;
        let found = self.is_key_there(&parent, index, &values)?;
        if !found && newly {
            // Nothing rests on it, and whoever brings the key needs not wait.
            self.store.unlock(&lock);
        }
        Ok(found)
    }

    /// Whether a row has a key, and has not expired.
    fn is_key_there(&self, table: &Table, index: usize, values: &[Datum<'_>]) -> Result<bool> {
        let key = table.prefix_range(index, values)?.start;
        let mut value = Vec::new();
        let expiry = self.engine.expiry(table);
        let mut row_key = key;
        if index > 0 {
            if !self.store.get(&row_key, self.reach(), &mut value)? {
                return Ok(false);
            }
            if expiry.is_none() {
                return Ok(true);
            }
            let entry = std::mem::take(&mut row_key);
            table.entry_target(index, &entry, &value, &mut row_key)?;
        }
        if !self.read_locked(&row_key, &mut value)? {
            return Ok(false);
        }
        match expiry {
            None => Ok(true),
            Some(expiry) => Ok(!expiry.is_over(&row_at(table, &row_key, &value)?)?),
        }
    }

    /// Enters a table that a foreign key names; `None` if there is none.
    pub(super) fn enter_related(
        &mut self,
        database: &str,
        name: &str,
    ) -> Result<Option<Arc<Table>>> {
        let engine = Arc::clone(&self.engine);
        for _ in 0..LOOKS_MAX {
            let table = match engine.catalog().table(database, name) {
                Ok(table) => table,
                Err(Error::NotFound { .. }) => return Ok(None),
                Err(error) => return Err(error),
            };
            match self.enter(&table) {
                Ok(()) => return Ok(Some(table)),
                // It was changed between the look and the gate.
                Err(Error::SchemaChanged) => {}
                Err(error) => return Err(error),
            }
        }
        Err(Error::SchemaChanged)
    }
}

/// The foreign keys of a row with its values of them, but for those with a NULL in it, which refer
/// to nothing (MATCH SIMPLE); of a changed row, those that have changed.
fn parents_of<'t, 'd>(
    table: &'t Table,
    row: &'t [Datum<'d>],
    changed: Option<&'t [usize]>,
) -> impl Iterator<Item = (&'t ForeignKey, Vec<Datum<'d>>)> {
    table.foreign_keys.iter().zip(&table.foreign).filter_map(move |(key, foreign)| {
        let columns = &foreign.columns;
        if changed.is_some_and(|changed| !columns.iter().any(|at| changed.contains(at))) {
            return None;
        }
        let values: Vec<Datum<'d>> = columns.iter().map(|at| row[*at]).collect();
        (!values.iter().any(Datum::is_null)).then_some((key, values))
    })
}

/// The lock of a key that is referred to: that of no row and no entry.
pub(super) fn key_lock(table: &Table, index: usize, values: &[Datum<'_>]) -> Result<Vec<u8>> {
    let key = table.prefix_range(index, values)?.start;
    let id = PREFIX_BYTES - NO_INDEX.len();
    let mut lock = Vec::with_capacity(key.len() + NO_INDEX.len());
    lock.extend_from_slice(&key[..id]);
    lock.extend_from_slice(&NO_INDEX);
    lock.extend_from_slice(&key[id..]);
    Ok(lock)
}
