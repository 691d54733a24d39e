//! How many rows a table has: counted as they come and go, and written down now and then.
//!
//! ```text
//! table id u32 | FF FF     the number of rows when it was last written down, i64 little-endian
//! ```
//! The key lies within the table's own range, so that it goes with the table.
//!
//! A planner and SHOW TABLE STATUS want this number at once, whatever the size of the table, and
//! need it only about right: it is written down when it has moved by a hundredth, so after a crash
//! it may be behind by that much and a second's writes.
//!
//! Invariants
//! 1. Between a clean end and the next, the number is that of the rows, expired ones included that
//!    nobody has removed yet.
//! 2. It is written down inside the table's gate: never into the range of a table that is gone.
//!
//! Not here: COUNT(*), which is exact (`counted`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use parking_lot::Mutex;

use super::state::TableState;
use super::version::Table;
use crate::bulk::Progress;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::store::{Batch, Change, Direction, Durability, Reach};

/// What takes the place of an index's number in the key; no index ever has it.
const NO_INDEX: [u8; 2] = [0xff, 0xff];
/// A change of so many rows is written down, however large the table.
const CHANGE_MIN: i64 = 100;
/// A change of one row in so many is.
const CHANGE_PART: i64 = 100;
/// Rows counted between two looks whether to go on.
const STOP_LOOK_ROWS: u64 = 10_000;
/// Steps of a transaction that are kept apart, so that each can be rolled back exactly, where their
/// distances differ.
const STEPS_MAX: usize = 64;

/// A table's number of rows, of all its versions.
#[derive(Debug, Default)]
pub struct RowCount {
    /// What came and went since `base`.
    moved: AtomicI64,
    /// Whether the number may differ from what is written down.
    changed: AtomicBool,
    base: Mutex<Base>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Base {
    /// Not read from the store yet.
    #[default]
    Unread,
    /// Of a table of an earlier version, which wrote no number down.
    Unknown,
    /// The number, and the one that is written down.
    Known { rows: i64, written: Option<i64> },
}

impl RowCount {
    /// The table has exactly so many rows now, whatever was written down.
    pub(crate) fn set(&self, rows: u64) {
        let mut base = self.base.lock();
        *base = Base::Known { rows: rows as i64, written: None };
        self.moved.store(0, Ordering::Relaxed);
        self.changed.store(rows > 0, Ordering::Relaxed);
    }

    /// Rows came or went, and that is visible.
    pub(crate) fn add(&self, rows: i64) {
        self.moved.fetch_add(rows, Ordering::Relaxed);
        self.changed.store(true, Ordering::Relaxed);
    }
}

/// Rows that a transaction adds to tables, or takes from them, until it is committed.
#[derive(Debug, Default)]
pub(crate) struct RowsMoved(Vec<Step>);

/// Rows of one table, each written at a savepoint of the store's: these lie at equal distances, as those
/// of new rows with keys of one length do, or else what is rolled back is a guess.
#[derive(Debug)]
struct Step {
    from: usize,
    to: usize,
    count: u64,
    state: Arc<TableState>,
    rows: i64,
}

impl Step {
    /// Whether one more at this savepoint keeps their distances and their rows equal.
    fn goes_on(&self, mark: usize, rows: i64) -> bool {
        let steps = self.count as usize - 1;
        let is_far = steps == 0 || (mark - self.to).checked_mul(steps) == Some(self.to - self.from);
        mark > self.to && is_far && self.rows == rows.wrapping_mul(self.count as i64)
    }

    /// Forgets those from a savepoint on, which lies behind the first one.
    fn rollback_to(&mut self, mark: usize) {
        let span = (self.to - self.from) as u128;
        let kept = ((mark - self.from) as u128 * u128::from(self.count - 1)).div_ceil(span) as u64;
        self.rows = (i128::from(self.rows) * i128::from(kept) / i128::from(self.count)) as i64;
        let last = span * u128::from(kept - 1) / u128::from(self.count - 1);
        self.to = self.from + last as usize;
        self.count = kept;
    }
}

impl RowsMoved {
    /// Notes rows before they are written, at the store's present savepoint.
    pub(crate) fn note(&mut self, mark: usize, state: &Arc<TableState>, rows: i64) {
        let many = self.0.len() >= STEPS_MAX;
        match self.0.last_mut() {
            Some(last) if Arc::ptr_eq(&last.state, state) && (many || last.goes_on(mark, rows)) => {
                last.to = mark;
                last.count += 1;
                last.rows += rows;
            }
            _ => {
                let state = Arc::clone(state);
                self.0.push(Step { from: mark, to: mark, count: 1, state, rows });
            }
        }
    }

    /// Forgets what was noted since a savepoint.
    pub(crate) fn rollback_to(&mut self, mark: usize) {
        while self.0.last().is_some_and(|last| last.from >= mark) {
            self.0.pop();
        }
        if let Some(last) = self.0.last_mut()
            && last.to >= mark
        {
            last.rollback_to(mark);
        }
    }

    /// The writes are visible.
    pub(crate) fn committed(self) {
        for step in self.0 {
            step.state.rows.add(step.rows);
        }
    }
}

impl Table {
    fn count_key(&self) -> Vec<u8> {
        [&self.id.to_be_bytes()[..], &NO_INDEX[..]].concat()
    }
}

impl Engine {
    /// About how many rows a table has; `None` when nobody has counted them (`count_rows`).
    ///
    /// # Errors
    /// `Store`, `Corrupt`.
    pub fn row_count(&self, table: &Table) -> Result<Option<u64>> {
        Ok(self.rows_known(table)?.map(|(rows, _)| rows.max(0) as u64))
    }

    /// The number of rows, and the one that is written down.
    fn rows_known(&self, table: &Table) -> Result<Option<(i64, Option<i64>)>> {
        let count = &table.state.rows;
        let mut base = count.base.lock();
        if *base == Base::Unread {
            let (key, mut value) = (table.count_key(), Vec::new());
            *base = match self.latest().get(&key, Reach::Disk, &mut value)? {
                false => Base::Unknown,
                true => {
                    let why = "length of the number of rows";
                    let number = value[..].try_into().map_err(|_| Error::Corrupt { key, why })?;
                    let rows = i64::from_le_bytes(number);
                    Base::Known { rows, written: Some(rows) }
                }
            };
        }
        Ok(match *base {
            Base::Known { rows, written } => {
                Some((rows + count.moved.load(Ordering::Relaxed), written))
            }
            Base::Unread | Base::Unknown => None,
        })
    }

    /// Counts a table's rows by reading them all, for `row_count` from now on. `None` when `stop`,
    /// which is asked now and then, said so.
    ///
    /// # Errors
    /// `Store`; `SchemaChanged` when the table is no longer this one.
    pub fn count_rows(&self, table: &Table, stop: &dyn Fn() -> bool) -> Result<Option<u64>> {
        self.count_rows_showing(table, stop, &Progress::default())
    }

    /// The same for those who want to see how far it is.
    ///
    /// # Errors
    /// As `count_rows`.
    pub fn count_rows_showing(
        &self,
        table: &Table,
        stop: &dyn Fn() -> bool,
        progress: &Progress,
    ) -> Result<Option<u64>> {
        progress.will_only_read();
        progress.expect(self.row_count(table)?.unwrap_or(0));
        // What moves meanwhile is in the snapshot or not: the number is about right.
        let snapshot = self.store().snapshot()?;
        let mut cursor = snapshot.scan(&table.index_range(0), Direction::Forward, Reach::Disk)?;
        let mut rows = 0;
        while cursor.advance()? {
            rows += 1;
            if rows % STOP_LOOK_ROWS == 0 {
                progress.add(STOP_LOOK_ROWS);
                if stop() {
                    return Ok(None);
                }
            }
        }
        if !table.is_current() {
            return Err(Error::SchemaChanged);
        }
        table.state.rows.set(rows);
        Ok(Some(rows))
    }

    /// Writes the numbers of rows down that have moved by `least` at least, and by a hundredth.
    fn write_row_counts(&self, least: i64, part: i64) -> Result<()> {
        for table in self.catalog().all_tables() {
            // Most tables have not been written to.
            if !table.state.rows.changed.load(Ordering::Relaxed) {
                continue;
            }
            // Who changes the schema counts anew.
            let Ok(Some(_inside)) = table.state.enter(table.id, None) else { continue };
            if !table.is_current() {
                continue;
            }
            let Some((rows, written)) = self.rows_known(&table)? else { continue };
            let change = (rows - written.unwrap_or(0)).abs();
            if change < least.max(rows / part) {
                continue;
            }
            table.state.rows.changed.store(false, Ordering::Relaxed);
            let put = Change::put(table.count_key(), rows.to_le_bytes().to_vec());
            // It is not worth a sync: the log has it in the order of the rows' own writes.
            self.store().write(&Batch { changes: vec![put] }, Durability::Os)?;
            if let Base::Known { written, .. } = &mut *table.state.rows.base.lock() {
                *written = Some(rows);
            }
        }
        Ok(())
    }

    /// Writes the numbers of rows down that have moved by a hundredth. To be called once a second
    /// in a thread that may wait.
    ///
    /// # Errors
    /// `Store`, `Refused`, `DiskFull`.
    pub fn keep_row_counts(&self) -> Result<()> {
        self.write_row_counts(CHANGE_MIN, CHANGE_PART)
    }

    /// Writes all of them down that have moved.
    pub(crate) fn keep_all_row_counts(&self) -> Result<()> {
        self.write_row_counts(1, i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rolled_back_is_not_counted() {
        let state = Arc::new(TableState::default());
        let mut moved = RowsMoved::default();
        for mark in [0, 3, 6] {
            moved.note(mark, &state, 1);
        }
        moved.rollback_to(6);
        moved.note(6, &state, -1);
        moved.note(8, &state, 1);
        moved.rollback_to(8);
        moved.committed();
        assert_eq!(state.rows.moved.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_long_transaction_takes_no_more_room_and_is_rolled_back_about_rightly() {
        let state = Arc::new(TableState::default());
        let mut moved = RowsMoved::default();
        for row in 0..100_000 {
            moved.note(3 * row + row % 7 / 4, &state, 1);
        }
        assert!(moved.0.len() <= STEPS_MAX);
        moved.rollback_to(150_000);
        moved.committed();
        let rows = state.rows.moved.load(Ordering::Relaxed);
        assert!((49_500..50_500).contains(&rows), "{rows}");
    }

    #[test]
    fn rows_at_equal_distances_are_one_step_and_rolled_back_exactly() {
        let state = Arc::new(TableState::default());
        for (mark, left) in
            [(5, 0), (6, 1), (7, 1), (8, 1), (9, 2), (302, 99), (303, 100), (305, 100)]
        {
            let mut moved = RowsMoved::default();
            (0..100).for_each(|row| moved.note(5 + 3 * row, &state, 1));
            assert_eq!(moved.0.len(), 1);
            moved.rollback_to(mark);
            // What follows begins where this ended.
            moved.note(mark, &state, 1);
            moved.rollback_to(mark);
            moved.committed();
            assert_eq!(state.rows.moved.swap(0, Ordering::Relaxed), left, "{mark}");
        }
    }
}
