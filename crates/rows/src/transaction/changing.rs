//! A locked row, shown to the caller and changed as that says.
//!
//! Invariants
//! 1. Only entries whose bytes change are written; a row that stays as it was is not, unless it
//!    is set again. Nothing is read again for that: the row was read under its lock.
//! 2. A row whose key changes moves: its new place is locked, and free.
//! 3. The entry of an index that a row gives up and the one that it gets are locked in the order of
//!    their keys, so that two rows that want each other's value do not wait for each other.
//!
//! Not here: locking it (`operations`).

use values::datum::{Datum, Value};

use values::row::RowRef;

use super::children::{Cascade, ParentChange};
use super::counters::as_counter;
use super::life::Transaction;
use super::outcome::{ChangeOutcome, RowChange};
use super::placing::duplicate;
use crate::error::{Error, Result};
use crate::expiry::Expiry;
use crate::find::row_at;
use crate::table::{ChangedTo, Table};

impl Transaction {
    pub(super) fn change_locked<E: From<Error>>(
        &mut self,
        table: &Table,
        row_key: &[u8],
        expiry: Option<Expiry>,
        decide: &mut dyn FnMut(RowRef<'_>) -> Result<RowChange, E>,
    ) -> Result<ChangeOutcome, E> {
        let mut old_bytes = Vec::new();
        if !self.read_locked(row_key, &mut old_bytes)? {
            self.absent = Some(row_key.to_vec());
            return Ok(ChangeOutcome::Missing);
        }
        let old = row_at(table, row_key, &old_bytes)?;
        self.change_read(table, row_key, old, expiry, decide)
    }

    /// The same of a locked row that is read already.
    pub(super) fn change_read<E: From<Error>>(
        &mut self,
        table: &Table,
        row_key: &[u8],
        old: RowRef<'_>,
        expiry: Option<Expiry>,
        decide: &mut dyn FnMut(RowRef<'_>) -> Result<RowChange, E>,
    ) -> Result<ChangeOutcome, E> {
        if let Some(expiry) = expiry
            && expiry.is_over(&old)?
        {
            return Ok(ChangeOutcome::Missing);
        }
        let cascade = Cascade::default();
        match decide(old)? {
            RowChange::Keep => Ok(ChangeOutcome::Unchanged),
            RowChange::Delete => {
                self.delete_row(table, row_key, &old, None, &cascade)?;
                Ok(ChangeOutcome::Deleted)
            }
            RowChange::Set(sets) => {
                Ok(self.set_columns(table, row_key, &old, &sets, false, &cascade)?)
            }
            RowChange::SetAnew(sets) => {
                Ok(self.set_columns(table, row_key, &old, &sets, true, &cascade)?)
            }
        }
    }

    /// Removes the row under a locked key for one that comes in its place; `false` if it is gone,
    /// or nobody would see that it was removed: as in MySQL, where it is the same row, no other
    /// key could stand in its way, and no row refers to it.
    pub(super) fn give_way(
        &mut self,
        table: &Table,
        row_key: &[u8],
        next: &[Datum<'_>],
    ) -> Result<bool> {
        let mut old_bytes = Vec::new();
        if !self.read_locked(row_key, &mut old_bytes)? {
            return Ok(false);
        }
        let old = row_at(table, row_key, &old_bytes)?;
        let is_seen = table.state.is_referenced() || table.unique_keys() > 1 || {
            let old = old.values()?;
            old.iter().zip(next).any(|(old, new)| !same(*old, *new))
        };
        self.delete_row(table, row_key, &old, Some(next), &Cascade::default())?;
        Ok(is_seen)
    }

    /// Whether the row under a locked key has the number that was made up for another one.
    pub(super) fn has_number(
        &mut self,
        table: &Table,
        row_key: &[u8],
        generated: Option<u64>,
    ) -> Result<bool> {
        let Some((number, position)) = generated.zip(table.auto_increment()) else {
            return Ok(false);
        };
        let mut bytes = Vec::new();
        if !self.read_locked(row_key, &mut bytes)? {
            return Ok(false);
        }
        let row = row_at(table, row_key, &bytes)?;
        Ok(as_counter(row.column(position)?) == Some(number))
    }

    pub(super) fn set_columns(
        &mut self,
        table: &Table,
        row_key: &[u8],
        old: &RowRef<'_>,
        sets: &[(usize, Value)],
        anew: bool,
        cascade: &Cascade,
    ) -> Result<ChangeOutcome> {
        let (old_values, computed);
        old_values = old.values()?;
        let mut new_values = old_values.clone();
        for (position, value) in sets {
            new_values[*position] = value.as_datum();
        }
        computed = table.computed(&new_values, self.computing())?;
        for (position, value) in &computed {
            new_values[*position] = value.as_datum();
        }
        let changed: Vec<usize> =
            (0..new_values.len()).filter(|&i| !same(new_values[i], old_values[i])).collect();
        if changed.is_empty() && !anew {
            return Ok(ChangeOutcome::Unchanged);
        }
        table.check_row(&new_values, self.computing())?;
        if table.auto_increment().is_some_and(|position| changed.contains(&position)) {
            self.note_leaving(table, &old_values)?;
        }
        let in_key = |column: &usize| table.codecs[0].parts.iter().any(|p| p.column == *column);
        let new_key = match changed.iter().any(in_key) {
            true => table.moved_row_key(&new_values, row_key)?,
            false => row_key.to_vec(),
        };
        let moves = new_key != row_key;
        if moves {
            self.store.await_ranges(&new_key, self.wait)?;
            self.store.lock(&new_key, self.wait)?;
            if self.is_taken(table, &new_key)? {
                return Err(duplicate(table, 0, &new_values, self.zone));
            }
            self.note_change(table, row_key, Some(&old_values), ChangedTo::Nothing);
            self.note_columns(table, row_key, ChangedTo::Nothing);
            self.store.delete(row_key.to_vec());
        }
        let now = ChangedTo::Row(&new_values, (!moves).then_some(&changed));
        self.note_columns(table, &new_key, now);
        let before = (!moves).then_some(&old_values[..]);
        self.note_change(table, &new_key, before, now);
        for index in 1..table.codecs.len() {
            let parts = &table.codecs[index].parts;
            if !moves && !parts.iter().any(|part| changed.contains(&part.column)) {
                continue;
            }
            let before = table.entry(index, &old_values, row_key)?;
            let after = table.entry(index, &new_values, &new_key)?;
            if before == after {
                continue;
            }
            if before.key == after.key {
                self.store.put(after.key, after.value);
                continue;
            }
            // In the order of their keys, whoever of two rows gives up what the other wants.
            let given_up_first = before.key < after.key;
            if before.unique && given_up_first {
                self.lock_entry(&before.key)?;
            }
            self.put_entry(table, index, &new_values, &new_key)?;
            if before.unique && !given_up_first {
                self.lock_entry(&before.key)?;
            }
            self.store.delete(before.key);
        }
        if moves || table.has_listed_of(&changed) {
            let before = table.listed_entries(&old_values, row_key)?;
            let after = table.listed_entries(&new_values, &new_key)?;
            self.change_listed_entries(table, &new_values, before, after)?;
        }
        let replaced = row_key.len() + old.bytes().len();
        self.put_row(table, &new_values, new_key, (replaced, moves))?;
        self.note_given(table, &new_values, None)?;
        if self.is_bound(table) {
            self.lock_keys(table, &new_values, Some(&changed))?;
            // Whoever takes a parent away meets this row by its old key: it has to wait.
            let referring = (!moves).then_some(&changed[..]);
            self.look_for_parents(table, &new_values, referring)?;
            self.relate_old(table, &old_values, ParentChange::Has(&new_values), cascade)?;
        }
        Ok(ChangeOutcome::Updated)
    }
}

/// Equality of stored bytes: unlike `==`, NaN equals itself.
fn same(left: Datum<'_>, right: Datum<'_>) -> bool {
    match (left, right) {
        (Datum::Double(l), Datum::Double(r)) => l.to_bits() == r.to_bits(),
        (Datum::Float(l), Datum::Float(r)) => l.to_bits() == r.to_bits(),
        _ => left == right,
    }
}
