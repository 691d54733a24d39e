//! What a transaction does to the numbers of rows and bytes of tables, until it is committed: those
//! of all tables (`count`), and those of tables in cache mode (`recency`); and which counters it
//! has written down (`kept_numbers`).
//!
//! Invariants
//! 1. Nothing of it counts before the writes are visible, and nothing that was rolled back ever.
//!
//! Not here: when writes are visible (`commit`).

use std::sync::Arc;

use super::count::RowDelta;
use super::numbers_moved::NumbersMoved;
use super::state::TableState;
use super::version::Table;
use crate::recency::Recency;
use crate::store::StoreTransaction;

/// Steps of a transaction that are kept apart, so that each can be rolled back exactly, where their
/// distances differ.
const STEPS_MAX: usize = 64;

/// What a transaction does to the bytes of tables in cache mode, and to the numbers of rows of all,
/// until it is committed.
#[derive(Debug, Default)]
pub(crate) struct SizesMoved {
    bytes: Vec<Size>,
    rows: RowsMoved,
    numbers: NumbersMoved,
}

#[derive(Debug)]
struct Size {
    /// The store's savepoint before the write.
    mark: usize,
    recency: Arc<Recency>,
    bytes: i64,
    rows: i64,
}

impl SizesMoved {
    fn note(&mut self, mark: usize, recency: &Arc<Recency>, bytes: i64, rows: i64) {
        self.bytes.push(Size { mark, recency: Arc::clone(recency), bytes, rows });
    }

    /// Rows come into a table, leave it or become longer or shorter.
    pub(crate) fn note_rows(&mut self, mark: usize, table: &Table, mut moved: RowDelta) {
        if let Some(recency) = table.recency() {
            self.note(mark, recency, moved.bytes, moved.rows);
        }
        // Nobody asks for bytes of rows that are stored in another form.
        if table.columnar {
            moved.bytes = 0;
        }
        // Most rows that change are as long as they were.
        if moved != RowDelta::default() {
            self.rows.note(mark, &table.state, moved);
        }
    }

    /// A row with this AUTO_INCREMENT value leaves its table, whose counter has been read.
    pub(crate) fn note_leaving(&mut self, table: &Table, number: u64) {
        self.numbers.leave(table, number);
    }

    /// Adds to a transaction's writes, which are complete, what they make it write of counters.
    pub(crate) fn write_numbers(&mut self, store: &mut dyn StoreTransaction) {
        self.numbers.write(store);
    }

    /// Bytes of memory for what is noted.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.capacity() * size_of::<Size>()
    }

    /// Forgets what was noted since a savepoint.
    pub(crate) fn rollback_to(&mut self, mark: usize) {
        let kept = self.bytes.iter().rposition(|size| size.mark < mark).map_or(0, |last| last + 1);
        self.bytes.truncate(kept);
        self.rows.rollback_to(mark);
    }

    /// The writes are visible. Says whether a table has too many bytes now.
    pub(crate) fn committed(self) -> bool {
        let mut over = false;
        self.rows.committed();
        self.numbers.committed();
        for size in self.bytes {
            over |= size.recency.add(size.bytes, size.rows);
        }
        over
    }
}

/// Rows that a transaction adds to tables, or takes from them, until it is committed.
#[derive(Debug, Default)]
struct RowsMoved(Vec<Step>);

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
    fn note(&mut self, mark: usize, state: &Arc<TableState>, moved: RowDelta) {
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
    fn rollback_to(&mut self, mark: usize) {
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
    fn committed(self) {
        for step in self.0 {
            step.state.rows.add(step.moved);
        }
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

    #[test]
    fn bytes_that_are_rolled_back_are_not_counted() {
        let recency = Arc::new(Recency::new(1, 100));
        let mut sizes = SizesMoved::default();
        sizes.note(0, &recency, 80, 1);
        sizes.note(2, &recency, 50, 1);
        sizes.rollback_to(1);
        sizes.note(1, &recency, -10, 0);
        assert!(!sizes.committed());
        assert_eq!(recency.bytes(), 70);
    }
}
