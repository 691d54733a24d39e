//! How many rows a table has, and how many bytes: counted as they come and go, and written down now
//! and then.
//!
//! ```text
//! table id u32 | FF FF     the number of rows when it was last written down, i64 little-endian
//! table id u32 | FF FE     bytes of their keys and values, likewise; none: not known
//! FF FF FF FF | FF FF      all of them were written down at a clean end, and nothing was written since
//! ```
//! The keys lie within the table's own range, so that they go with the table.
//!
//! A planner and SHOW TABLE STATUS want these numbers at once, whatever the size of the table: they
//! are written down when they have moved a little, so after a crash they may be behind by that and
//! by a second's writes. Then the tables that were written to of late are counted again (`doubt`).
//!
//! Bytes are not known of rows that came past transactions, unless nothing else is in the table's
//! files; not of columnar tables, whose rows have another form.
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
use crate::schema::TableId;
use crate::store::{Batch, Change, Direction, Durability, Reach};

/// What takes the place of an index's number in the keys; no index ever has it.
const ROWS: [u8; 2] = [0xff, 0xff];
const BYTES: [u8; 2] = [0xff, 0xfe];
/// A change by one row in so many is written down, and one of bytes likewise.
const CHANGE_PART: i64 = 400;
/// Rows counted between two looks whether to go on.
const STOP_LOOK_ROWS: u64 = 10_000;
/// Steps of a transaction that are kept apart, so that each can be rolled back exactly, where their
/// distances differ.
const STEPS_MAX: usize = 64;

/// Rows and their bytes, keys included, that come or go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RowDelta {
    pub rows: i64,
    pub bytes: i64,
}

/// A table's number of rows, and of their bytes, of all its versions.
#[derive(Debug, Default)]
pub struct RowCount {
    /// What came and went since `base`.
    rows_moved: AtomicI64,
    bytes_moved: AtomicI64,
    /// Whether the numbers may differ from what is written down.
    changed: AtomicBool,
    /// Whether they may be behind since a crash (`doubt`).
    pub(super) doubted: AtomicBool,
    base: Mutex<Base>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Base {
    /// Not read from the store yet.
    #[default]
    Unread,
    /// Of a table of an earlier version, which wrote no number down.
    Unknown,
    Known(KnownCount),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct KnownCount {
    rows: i64,
    bytes: Option<i64>,
    /// The numbers as they are written down.
    written: Option<(i64, Option<i64>)>,
}

impl RowCount {
    /// The table is empty now, whatever was written down. That is written down, too: without any
    /// number its rows would not be counted from the next start on.
    pub(crate) fn set_none(&self) {
        self.set(self.moved(), 0, Some(0));
    }

    /// The table had exactly so many rows and bytes, if these are known, when so much had moved.
    fn set(&self, moved: RowDelta, rows: i64, bytes: Option<i64>) {
        let mut base = self.base.lock();
        *base = Base::Known(KnownCount { rows, bytes, written: None });
        self.rows_moved.fetch_sub(moved.rows, Ordering::Relaxed);
        self.bytes_moved.fetch_sub(moved.bytes, Ordering::Relaxed);
        self.changed.store(true, Ordering::Relaxed);
    }

    /// Rows came or went, and that is visible.
    pub(crate) fn add(&self, moved: RowDelta) {
        self.rows_moved.fetch_add(moved.rows, Ordering::Relaxed);
        self.bytes_moved.fetch_add(moved.bytes, Ordering::Relaxed);
        self.changed.store(true, Ordering::Relaxed);
    }

    fn moved(&self) -> RowDelta {
        let of = |number: &AtomicI64| number.load(Ordering::Relaxed);
        RowDelta { rows: of(&self.rows_moved), bytes: of(&self.bytes_moved) }
    }
}

/// Rows that a transaction adds to tables, or takes from them, until it is committed.
#[derive(Debug, Default)]
pub(crate) struct RowsMoved(Vec<Step>);

/// Rows of one table, each written at a savepoint of the store's: these lie at equal distances, as
/// those of new rows with keys of one length do, or else what is rolled back is a guess.
#[derive(Debug)]
struct Step {
    from: usize,
    to: usize,
    count: u64,
    state: Arc<TableState>,
    moved: RowDelta,
    /// Bytes of the last of them, if it is known: who rolls back mostly takes back one.
    last_bytes: Option<i64>,
}

impl Step {
    /// Whether one more at this savepoint keeps their distances and their rows equal.
    fn goes_on(&self, mark: usize, rows: i64) -> bool {
        let steps = self.count as usize - 1;
        let is_far = steps == 0 || (mark - self.to).checked_mul(steps) == Some(self.to - self.from);
        mark > self.to && is_far && self.moved.rows == rows.wrapping_mul(self.count as i64)
    }

    /// Forgets those from a savepoint on, which lies behind the first one.
    fn rollback_to(&mut self, mark: usize) {
        let span = (self.to - self.from) as u128;
        let kept = ((mark - self.from) as u128 * u128::from(self.count - 1)).div_ceil(span) as u64;
        let part = |of: i64| (i128::from(of) * i128::from(kept) / i128::from(self.count)) as i64;
        let last = self.last_bytes.take().filter(|_| kept + 1 == self.count);
        let bytes = last.map_or_else(|| part(self.moved.bytes), |last| self.moved.bytes - last);
        self.moved = RowDelta { rows: part(self.moved.rows), bytes };
        let last = span * u128::from(kept - 1) / u128::from(self.count - 1);
        self.to = self.from + last as usize;
        self.count = kept;
    }
}

impl RowsMoved {
    /// Notes rows before they are written, at the store's present savepoint.
    pub(crate) fn note(&mut self, mark: usize, state: &Arc<TableState>, moved: RowDelta) {
        let many = self.0.len() >= STEPS_MAX;
        match self.0.last_mut() {
            Some(last)
                if Arc::ptr_eq(&last.state, state) && (many || last.goes_on(mark, moved.rows)) =>
            {
                last.to = mark;
                last.count += 1;
                last.moved.rows += moved.rows;
                last.moved.bytes += moved.bytes;
                last.last_bytes = Some(moved.bytes);
            }
            _ => {
                let state = Arc::clone(state);
                let last_bytes = Some(moved.bytes);
                self.0.push(Step { from: mark, to: mark, count: 1, state, moved, last_bytes });
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
            step.state.rows.add(step.moved);
        }
    }
}

/// The key of a number of a table.
fn key(id: TableId, of: [u8; 2]) -> Vec<u8> {
    [&id.to_be_bytes()[..], &of[..]].concat()
}

impl Engine {
    /// About how many rows a table has; `None` when nobody has counted them (`count_rows`).
    ///
    /// # Errors
    /// `Store`, `Corrupt`.
    pub fn row_count(&self, table: &Table) -> Result<Option<u64>> {
        Ok(self.known(table)?.map(|known| known.rows.max(0) as u64))
    }

    /// About how many bytes its rows have, keys included and before compression, if that is known.
    ///
    /// # Errors
    /// `Store`, `Corrupt`.
    pub fn row_bytes(&self, table: &Table) -> Result<Option<u64>> {
        let known = self.known(table)?.filter(|_| !table.columnar);
        Ok(known.and_then(|known| known.bytes).map(|bytes| bytes.max(0) as u64))
    }

    /// The numbers of now, and those that are written down.
    fn known(&self, table: &Table) -> Result<Option<KnownCount>> {
        let count = &table.state.rows;
        let mut base = count.base.lock();
        if *base == Base::Unread {
            *base = match self.written_number(key(table.id, ROWS))? {
                None => Base::Unknown,
                Some(rows) => {
                    let bytes = self.written_number(key(table.id, BYTES))?;
                    Base::Known(KnownCount { rows, bytes, written: Some((rows, bytes)) })
                }
            };
        }
        let Base::Known(mut known) = *base else { return Ok(None) };
        let moved = count.moved();
        known.rows += moved.rows;
        known.bytes = known.bytes.map(|bytes| bytes + moved.bytes);
        Ok(Some(known))
    }

    fn written_number(&self, key: Vec<u8>) -> Result<Option<i64>> {
        let mut value = Vec::new();
        if !self.latest().get(&key, Reach::Disk, &mut value)? {
            return Ok(None);
        }
        let why = "length of the number of rows";
        let number = value[..].try_into().map_err(|_| Error::Corrupt { key, why })?;
        Ok(Some(i64::from_le_bytes(number)))
    }

    /// Rows came past transactions, so many; or all of them are such, where a table was copied.
    /// Their bytes are known if nothing else is in the store under the table's key.
    pub(crate) fn came_at_once(&self, table: &Table, rows: u64, are_all: bool) {
        let count = &table.state.rows;
        let moved = RowDelta { rows: rows as i64, bytes: 0 };
        match are_all {
            true => count.set(count.moved(), moved.rows, None),
            false => count.add(moved),
        }
        let before = count.moved();
        // Whoever writes meanwhile is in these sizes or not.
        let sizes = self.store().sizes(&table.index_range(0));
        let stored = sizes.ok().map(|sizes| sizes.all());
        // What nobody could read is read when it is asked for.
        let Ok(Some(known)) = self.known(table) else { return };
        let bytes = stored.filter(|(entries, _)| i64::try_from(*entries) == Ok(known.rows));
        let mut base = count.base.lock();
        if let Base::Known(known) = &mut *base {
            known.bytes = bytes.map(|(_, bytes)| bytes as i64 - before.bytes);
        }
        drop(base);
        // At once: a crash would leave it behind by all of them. Should it fail, it is tried again
        // within a second.
        let _ = self.write_row_count(table, i64::MAX);
    }

    /// Rows went with their partitions, about so many. Bytes are not known until the table is
    /// counted again.
    pub(crate) fn went_at_once(&self, table: &Table, rows: u64) {
        let count = &table.state.rows;
        // What nobody could read is read when it is asked for.
        let Ok(Some(known)) = self.known(table) else { return };
        let left = known.rows.saturating_sub(i64::try_from(rows).unwrap_or(i64::MAX)).max(0);
        count.set(count.moved(), left, None);
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
        let moved = table.state.rows.moved();
        let snapshot = self.store().snapshot()?;
        let mut cursor = snapshot.scan(&table.index_range(0), Direction::Forward, Reach::Disk)?;
        let (mut rows, mut bytes) = (0, 0);
        while cursor.advance()? {
            rows += 1;
            if !table.columnar {
                let (key, value) = cursor.entry();
                bytes += (key.len() + value.len()) as i64;
            }
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
        table.state.rows.set(moved, rows as i64, (!table.columnar).then_some(bytes));
        Ok(Some(rows))
    }

    /// Writes the numbers of a table down if they have moved, by one part in so many.
    fn write_row_count(&self, table: &Table, part: i64) -> Result<()> {
        // Most tables have not been written to.
        if !table.state.rows.changed.load(Ordering::Relaxed) {
            return Ok(());
        }
        // A change of the schema counts again by itself.
        let Ok(Some(_inside)) = table.state.enter(table.id, None) else { return Ok(()) };
        if !table.is_current() {
            return Ok(());
        }
        let Some(KnownCount { rows, bytes, written }) = self.known(table)? else { return Ok(()) };
        let has_moved = |now: i64, written: i64| {
            let change = (now - written).abs();
            change > 0 && change >= now / part
        };
        let stays = |(written, written_bytes): (i64, Option<i64>)| {
            let bytes_stay = match (bytes, written_bytes) {
                (Some(bytes), Some(written)) => !has_moved(bytes, written),
                (bytes, written) => bytes == written,
            };
            !has_moved(rows, written) && bytes_stay
        };
        if written.is_some_and(stays) {
            return Ok(());
        }
        table.state.rows.changed.store(false, Ordering::Relaxed);
        let of_bytes = key(table.id, BYTES);
        let changes = vec![
            Change::put(key(table.id, ROWS), rows.to_le_bytes().to_vec()),
            match bytes {
                Some(bytes) => Change::put(of_bytes, bytes.to_le_bytes().to_vec()),
                None => Change::delete(of_bytes),
            },
        ];
        // It is not worth a sync: the log has it in the order of the rows' own writes.
        self.store().write(&Batch { changes }, Durability::Os)?;
        if let Base::Known(known) = &mut *table.state.rows.base.lock() {
            known.written = Some((rows, bytes));
        }
        Ok(())
    }

    /// Writes the numbers of rows down that have moved a little. To be called once a second
    /// in a thread that may wait.
    ///
    /// # Errors
    /// `Store`, `Refused`, `DiskFull`.
    pub fn keep_row_counts(&self) -> Result<()> {
        let mut tables = self.catalog().all_tables().into_iter();
        tables.try_for_each(|table| self.write_row_count(&table, CHANGE_PART))
    }

    /// Writes all of them down that have moved, and that they are right.
    pub(crate) fn keep_all_row_counts(&self) -> Result<()> {
        let mut tables = self.catalog().all_tables().into_iter();
        tables.try_for_each(|table| self.write_row_count(&table, i64::MAX))?;
        let changes = vec![Change::put(key(TableId::MAX, ROWS), Vec::new())];
        self.store().write(&Batch { changes }, Durability::Os)
    }

    /// Doubts the numbers unless a clean end has left them. From now on nothing says that they are
    /// right, until the next. To be called before anything else is written.
    ///
    /// # Errors
    /// `Store`, `Refused`, `DiskFull`.
    pub(crate) fn begin_counting(&self) -> Result<()> {
        let key = key(TableId::MAX, ROWS);
        if self.latest().contains(&key, Reach::Disk)? {
            let changes = vec![Change::delete(key)];
            return match self.store().write(&Batch { changes }, Durability::Os) {
                // Nothing is written that could make the numbers wrong, or the next start counts.
                Err(Error::DiskFull { .. } | Error::Refused { .. }) => Ok(()),
                written => written,
            };
        }
        for table in self.catalog().all_tables() {
            table.state.rows.doubted.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many rows of ten bytes.
    fn of(rows: i64) -> RowDelta {
        RowDelta { rows, bytes: 10 * rows }
    }

    #[test]
    fn what_is_rolled_back_is_not_counted() {
        let state = Arc::new(TableState::default());
        let mut moved = RowsMoved::default();
        for mark in [0, 3, 6] {
            moved.note(mark, &state, of(1));
        }
        moved.rollback_to(6);
        moved.note(6, &state, of(-1));
        moved.note(8, &state, of(1));
        moved.rollback_to(8);
        moved.committed();
        assert_eq!(state.rows.moved(), of(1));
    }

    #[test]
    fn a_long_transaction_takes_no_more_room_and_is_rolled_back_about_rightly() {
        let state = Arc::new(TableState::default());
        let mut moved = RowsMoved::default();
        for row in 0..100_000 {
            moved.note(3 * row + row % 7 / 4, &state, of(1));
        }
        assert!(moved.0.len() <= STEPS_MAX);
        moved.rollback_to(150_000);
        moved.committed();
        let rows = state.rows.moved().rows;
        assert!((49_500..50_500).contains(&rows), "{rows}");
    }

    #[test]
    fn rows_at_equal_distances_are_one_step_and_rolled_back_exactly() {
        let state = Arc::new(TableState::default());
        for (mark, left) in
            [(5, 0), (6, 1), (7, 1), (8, 1), (9, 2), (302, 99), (303, 100), (305, 100)]
        {
            let mut moved = RowsMoved::default();
            (0..100).for_each(|row| moved.note(5 + 3 * row, &state, of(1)));
            assert_eq!(moved.0.len(), 1);
            moved.rollback_to(mark);
            // What follows begins where this ended.
            moved.note(mark, &state, of(1));
            moved.rollback_to(mark);
            moved.committed();
            assert_eq!(state.rows.moved(), of(left), "{mark}");
            state.rows.add(of(-left));
        }
    }

    #[test]
    fn the_last_row_is_rolled_back_with_its_own_bytes() {
        let state = Arc::new(TableState::default());
        let mut moved = RowsMoved::default();
        for (mark, bytes) in [(0, 10), (3, 100), (6, 1_000)] {
            moved.note(mark, &state, RowDelta { rows: 1, bytes });
        }
        moved.rollback_to(6);
        moved.committed();
        assert_eq!(state.rows.moved(), RowDelta { rows: 2, bytes: 110 });
    }
}
