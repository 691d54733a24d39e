//! Rows that a statement is about to insert: what is found out for many of them at once.
//!
//! Most statements of many rows bring keys that follow each other. These are locked ahead, and one
//! scan over all of them tells which are free, in the place of a look-up for each. Numbers above
//! all that anybody else has given a row are free as they are (`counters`). AUTO_INCREMENT values
//! are taken in one piece, so those of a statement follow each other (MySQL 8.0 manual, 17.6.1.6:
//! simple inserts).
//!
//! Invariants
//! 1. A key that is expected is locked, was known to have no row after that, and got none since.
//! 2. Nothing is waited for: at a lock that somebody has the expectation ends.
//!
//! Not here: rows whose keys lie apart; they are looked up one by one (`expired::is_taken`).

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::counters::{auto_increment_max, auto_increment_value};
use super::life::Transaction;
use crate::engine::Engine;
use crate::error::Result;
use crate::schema::TableId;
use crate::store::{Direction, KeyRange, LockWait, Reach};
use crate::table::Table;

/// Most rows that are expected at once.
pub const EXPECTED_MAX: usize = 256;
/// Fewer are not worth a scan.
const EXPECTED_MIN: usize = 8;
/// How far a key may lie from the one before it: the scan passes over what was removed between.
const STEP_MAX: u64 = 16;

/// What is known ahead of a statement's rows.
#[derive(Default)]
pub(super) struct ExpectedRows {
    /// Keys of rows, ascending.
    keys: VecDeque<Vec<u8>>,
    /// A key was taken out whose row is put in next.
    coming: bool,
    /// AUTO_INCREMENT values for rows of a table.
    numbers: Option<(TableId, Range<u64>)>,
}

impl ExpectedRows {
    /// Takes out the key of the row that comes now, if it is free.
    pub fn take(&mut self, key: &[u8]) -> Option<Vec<u8>> {
        if self.keys.front()? != key {
            return None;
        }
        self.coming = true;
        self.keys.pop_front()
    }

    /// A row is put in.
    pub fn note_put(&mut self) {
        if !std::mem::take(&mut self.coming) {
            self.keys.clear();
        }
    }

    /// Whether the row that comes now has a key that was taken out.
    pub fn is_coming(&self) -> bool {
        self.coming
    }

    /// Nothing is known of keys any more.
    pub fn forget_keys(&mut self) {
        self.keys.clear();
        self.coming = false;
    }

    /// The next AUTO_INCREMENT value of a table.
    pub fn number(&mut self, table: TableId) -> Option<u64> {
        self.numbers.as_mut().filter(|(of, _)| *of == table)?.1.next()
    }

    /// Takes the number that was given last back; `false` if it was none of these.
    pub fn put_back(&mut self, table: TableId, number: u64) -> bool {
        match &mut self.numbers {
            Some((of, rest)) if *of == table && rest.start == number + 1 => {
                rest.start = number;
                true
            }
            _ => false,
        }
    }
}

impl Transaction {
    /// Rows with these keys are inserted next, in this order. More than `EXPECTED_MAX` are not
    /// looked at.
    ///
    /// # Errors
    /// Those of entering the table and of reading.
    pub fn expect_keys(
        &mut self,
        table: &Arc<Table>,
        keys: impl IntoIterator<Item = Vec<u8>>,
    ) -> Result<()> {
        self.expect(table, keys, |_| Ok(false))
    }

    /// As `expect_keys`; where `are_free` says, once they are locked, that none of them can be
    /// taken, they are not looked for.
    fn expect(
        &mut self,
        table: &Arc<Table>,
        keys: impl IntoIterator<Item = Vec<u8>>,
        are_free: impl FnOnce(&Engine) -> Result<bool>,
    ) -> Result<()> {
        self.expected.forget_keys();
        if self.reach() == Reach::Memory {
            return Ok(());
        }
        let mut near: Vec<Vec<u8>> = Vec::new();
        for key in keys.into_iter().take(EXPECTED_MAX) {
            if near.last().is_some_and(|before| !follows(before, &key)) {
                break;
            }
            near.push(key);
        }
        if near.len() < EXPECTED_MIN {
            return Ok(());
        }
        self.enter_to_add(table)?;
        let locked = near.iter().take_while(|key| self.store.lock(key, LockWait::Never).is_ok());
        let locked = locked.count();
        near.truncate(locked);
        let (Some(first), Some(last)) = (near.first(), near.last()) else { return Ok(()) };
        if !are_free(&self.engine)? {
            let mut range = KeyRange { start: first.clone(), end: last.clone() };
            range.end.push(0);
            let mut cursor = self.store.scan(&range, Direction::Forward, Reach::Disk)?;
            if cursor.advance()? {
                let free = near.partition_point(|key| key[..] < *cursor.key());
                near.truncate(free);
            }
        }
        self.expected.keys = near.into();
        Ok(())
    }

    /// So many rows are inserted next whose AUTO_INCREMENT values are made up: they get values
    /// that follow each other, whatever `number_by` says, and `expect_numbered` their keys.
    ///
    /// # Errors
    /// Those of entering the table and of reading its last value.
    pub fn expect_numbers(&mut self, table: &Arc<Table>, rows: u64) -> Result<()> {
        let Some(position) = table.auto_increment().filter(|_| self.next_number.is_none()) else {
            return Ok(());
        };
        self.enter_to_add(table)?;
        let value_max = auto_increment_max(&table.columns[position].ty);
        // Where there are too few left, the row that gets none is to fail, not the first one.
        let numbers = self.engine.take_auto_increments(table, rows, value_max)?;
        self.expected.numbers = numbers.map(|numbers| (table.id, numbers));
        Ok(())
    }

    /// As `expect_keys`, for the rows that get the next values of `expect_numbers`.
    ///
    /// # Errors
    /// As `expect_keys`.
    pub fn expect_numbered(&mut self, table: &Arc<Table>) -> Result<()> {
        let Some((id, numbers)) = &self.expected.numbers else { return Ok(()) };
        let Some(position) = table.auto_increment().filter(|_| *id == table.id) else {
            return Ok(());
        };
        if table.codecs[0].parts.iter().map(|part| part.column).ne([position]) {
            return Ok(());
        }
        let ty = &table.columns[position].ty;
        let first = numbers.start;
        let numbers = numbers.clone().take(EXPECTED_MAX);
        let key = |number| table.row_key(&[auto_increment_value(ty, number)]);
        let keys = numbers.map(key).collect::<Result<Vec<_>>>()?;
        self.expect(table, keys, |engine| engine.is_above_rows(table, first))
    }

    /// The statement is over: no row is expected any more.
    pub fn expect_nothing(&mut self, table: &Table) {
        self.expected.forget_keys();
        if let Some((_, rest)) = self.expected.numbers.take()
            && rest.start < rest.end
        {
            // If another number was handed out since, these are a gap.
            let next = &table.state.auto_increment;
            let _ = next.compare_exchange(rest.end, rest.start, Ordering::SeqCst, Ordering::SeqCst);
        }
    }
}

/// Whether a key comes soon behind another one.
fn follows(before: &[u8], key: &[u8]) -> bool {
    let number = |key: &[u8]| key.last_chunk::<8>().map(|bytes| u64::from_be_bytes(*bytes));
    let (Some(low), Some(high)) = (number(before), number(key)) else { return false };
    let head = key.len() - 8;
    before.len() == key.len()
        && before[..head] == key[..head]
        && high.checked_sub(low).is_some_and(|step| (1..=STEP_MAX).contains(&step))
}

impl Engine {
    /// Hands out so many AUTO_INCREMENT values that follow each other; `None` if there are fewer.
    fn take_auto_increments(
        &self,
        table: &Table,
        count: u64,
        value_max: u64,
    ) -> Result<Option<Range<u64>>> {
        self.auto_increment_next(table)?;
        let end = |next: u64| next.checked_add(count).filter(|end| *end - 1 <= value_max);
        let next = &table.state.auto_increment;
        let taken = next.fetch_update(Ordering::SeqCst, Ordering::SeqCst, end);
        Ok(taken.ok().map(|start| start..start + count))
    }
}
