//! Ranges of keys that a statement's scans look at: locked against new rows of others, and looked
//! at only when nobody has put something into them that is not committed.
//!
//! A new key is one that comes into an index: of a new row all of them, of a changed one those that
//! have changed. Rows that are there already are locked by themselves.
//!
//! Invariants
//! 1. Ranges are claimed before they are scanned, and what is locked of them is kept only if
//!    nothing was waited for since (`locks::ranges`).
//! 2. A new row waits for ranges before it locks anything, if it can: so that their owner can do
//!    what the row's transaction waits with.
//!
//! Not here: which statements lock ranges (SQL).

use std::sync::Arc;

use values::datum::Datum;

use super::life::Transaction;
use crate::error::Result;
use crate::row_lock_wait::LockMode;
use crate::store::{Direction, KeyRange, LockWait};
use crate::table::{PREFIX_BYTES, Table};

impl Transaction {
    /// Has scans lock the ranges that they look at, or not, until it is said otherwise.
    pub fn lock_ranges(&mut self, lock_them: bool) {
        self.locks_ranges = lock_them;
    }

    /// Whether scans lock the ranges that they look at, and all rows in them.
    pub fn locks_ranges(&self) -> bool {
        self.locks_ranges
    }

    /// Claims ranges of a table's indexes that are scanned next: waits for rows that others have
    /// put into them, as `wait` says, if it says something.
    ///
    /// # Errors
    /// Those of `enter` and of locks; `TransactionTooLarge` where there is no memory for so many
    /// ranges.
    pub fn claim_ranges(
        &mut self,
        table: &Arc<Table>,
        ranges: &[KeyRange],
        mode: LockMode,
        wait: Option<LockWait>,
    ) -> Result<()> {
        self.enter(table)?;
        if self.locks_ranges {
            ranges.iter().for_each(|range| self.store.lock_range(range, mode));
            self.make_room(0)?;
        }
        match wait {
            Some(wait) => self.store.await_inserts(ranges, wait),
            None => Ok(()),
        }
    }

    /// Waits for rows that others have put into ranges.
    ///
    /// # Errors
    /// Those of locks.
    pub fn await_inserts(&mut self, ranges: &[KeyRange], wait: LockWait) -> Result<()> {
        self.store.await_inserts(ranges, wait)
    }

    /// How locks are waited for.
    pub fn lock_wait(&self) -> LockWait {
        self.wait
    }

    /// Keeps the ranges that a statement has locked: it is over.
    pub fn keep_ranges(&mut self) {
        self.store.keep_ranges();
    }

    /// Gives up the ranges that a statement has locked: it has failed, or begins again.
    pub fn withdraw_ranges(&mut self) {
        self.store.withdraw_ranges();
    }

    /// Gives up what a statement has locked of an index behind the entry of a row: it was the last
    /// one that it has looked at.
    ///
    /// # Errors
    /// Of encoding the entry.
    pub fn cut_ranges(
        &mut self,
        table: &Table,
        index: usize,
        (row_key, row): (&[u8], &[Datum<'_>]),
        direction: Direction,
    ) -> Result<()> {
        match index {
            0 => self.store.cut_ranges(row_key, direction),
            _ => self.store.cut_ranges(&table.entry(index, row, row_key)?.key, direction),
        }
        Ok(())
    }

    /// Waits until a new row may come in, as far as ranges of others go.
    #[inline]
    pub(super) fn await_ranges_of(&mut self, table: &Table, row: &[Datum<'_>]) -> Result<()> {
        if self.store.are_ranges_locked() { self.await_ranges_around(table, row) } else { Ok(()) }
    }

    #[cold]
    fn await_ranges_around(&mut self, table: &Table, row: &[Datum<'_>]) -> Result<()> {
        let mut row_key = Vec::new();
        match table.has_hidden_key() {
            // Behind all that are there, as the one that it gets.
            true => table.push_numbered_row_key(row, u64::MAX, &mut row_key)?,
            false => row_key = table.row_key_of(row)?,
        }
        self.store.await_ranges(&row_key, self.wait)?;
        for index in 1..table.codecs.len() {
            let entry = table.entry(index, row, &row_key)?;
            self.store.await_ranges(&entry.key, self.wait)?;
        }
        for entry in table.listed_entries(row, &row_key)? {
            self.store.await_ranges(&entry.key, self.wait)?;
        }
        Ok(())
    }
}

const _: () = assert!(PREFIX_BYTES == 6, "ranges are kept by the prefix of an index");
