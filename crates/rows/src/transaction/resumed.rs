//! Writes of a transaction that was prepared before the server started: buffered as they are, with
//! the locks that they had.
//!
//! Locked are the rows that were written, their unique entries, the keys that other tables may
//! refer to, and the parents that rows refer to. Rows and ranges that were only read are not locked
//! any more, as in InnoDB.
//!
//! Invariants
//! 1. Numbers that its rows have are not handed out again.
//! 2. Notes for a change of a table that the end of the server has cut short are left out.
//!
//! Not here: the records of such transactions (`prepared`).

use std::sync::Arc;

use values::datum::Datum;

use super::life::Transaction;
use crate::error::Result;
use crate::find::row_at;
use crate::row_lock_wait::KeyPlace;
use crate::store::Reach;
use crate::table::{PRIMARY, RowDelta, Table};

impl Transaction {
    /// Takes over a write.
    ///
    /// # Errors
    /// Those of locks, which nobody should have; `Corrupt`, `Store`, `TransactionTooLarge`.
    pub(crate) fn resume(
        &mut self,
        table: &Arc<Table>,
        key: Vec<u8>,
        value: Option<Vec<u8>>,
    ) -> Result<()> {
        self.enter(table)?;
        let index = KeyPlace::of(&key).index;
        match index {
            Some(PRIMARY) => self.resume_row(table, &key, value.as_deref())?,
            Some(index) if table.indexes_with_parts().any(|of| of.id == index && of.unique) => {
                self.store.lock(&key, self.wait)?;
            }
            Some(index) if table.stored_indexes().any(|stored| stored == index) => {}
            _ => return Ok(()),
        }
        self.make_room(key.len() + value.as_ref().map_or(0, Vec::len))?;
        match value {
            Some(value) => self.store.put(key, value),
            None => self.store.delete(key),
        }
        Ok(())
    }

    fn resume_row(&mut self, table: &Table, key: &[u8], now: Option<&[u8]>) -> Result<()> {
        self.store.lock(key, self.wait)?;
        let mut before = Vec::new();
        let was_there = self.engine.latest().get(key, Reach::Disk, &mut before)?;
        let before = was_there.then_some(&before[..]);
        let bytes = |row: Option<&[u8]>| row.map_or(0, |row| (key.len() + row.len()) as i64);
        let rows = i64::from(now.is_some()) - i64::from(was_there);
        let moved = RowDelta { rows, bytes: bytes(now) - bytes(before) };
        let mark = self.store.savepoint().0;
        self.sizes.note_rows(mark, table, moved);
        if let Some(recency) = table.recency() {
            recency.touch(key);
        }
        let old = before.map(|row| values_of(table, key, row)).transpose()?;
        let new = now.map(|row| values_of(table, key, row)).transpose()?;
        if let Some(new) = &new {
            self.note_given(table, new, None)?;
            self.engine.note_row_id(table, key)?;
        }
        if let Some(old) = &old {
            self.note_leaving(table, old)?;
        }
        self.resume_relations(table, old.as_deref(), new.as_deref())
    }

    /// Locks what foreign keys lock of a row that comes, goes or changes.
    fn resume_relations(
        &mut self,
        table: &Table,
        old: Option<&[Datum<'_>]>,
        new: Option<&[Datum<'_>]>,
    ) -> Result<()> {
        if !table.is_related() {
            return Ok(());
        }
        let changed = old.zip(new).map(|(old, new)| {
            (0..new.len()).filter(|at| old[*at] != new[*at]).collect::<Vec<usize>>()
        });
        for row in [old, new].into_iter().flatten() {
            self.lock_keys(table, row, changed.as_deref())?;
        }
        match new {
            Some(new) => self.keep_parents(table, new, changed.as_deref()),
            None => Ok(()),
        }
    }
}

fn values_of<'r>(table: &'r Table, key: &[u8], row: &'r [u8]) -> Result<Vec<Datum<'r>>> {
    Ok(row_at(table, key, row)?.values()?)
}
