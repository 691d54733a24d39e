//! New indexes, or a copy, of all rows of one state of a table, read and written on all cores; and
//! a new columnar index of the same rows, which the store makes of them.
//!
//! Invariants
//! 1. Rows are numbered in the order of their keys, whoever reads them: of rows that share a unique
//!    key the same one is told.
//!
//! Not here: what is made of a row (`making`), rows that change meanwhile (`follow`).

use std::sync::Arc;

use resources::parallel::share_out;

use super::making::Making;
use crate::bulk::{Build, OnDuplicate, Progress, RowSorter, go_on, threads};
use crate::engine::Engine;
use crate::error::Result;
use crate::split::split;
use crate::store::{Cursor, KeyRange, Read};
use crate::table::Table;

/// Ranges for each thread that reads, so that none is alone with a large one at the end.
const RANGES_PER_THREAD: usize = 8;
/// Bits of a row's number within its range.
const NUMBER_BITS: u32 = 40;
/// Rows between two moves of the progress.
const SHOW_EVERY: u64 = 1024;

/// What is made, and who wants to know how far it is.
#[derive(Clone, Copy)]
pub(super) struct Fill<'a> {
    pub engine: &'a Engine,
    pub making: &'a dyn Making,
    pub progress: &'a Progress,
}

impl Fill<'_> {
    /// Writes what is made of all rows that a state shows: all of it is there on return. Gives how
    /// many rows were copied.
    ///
    /// # Errors
    /// `Duplicate`, `Value`, `NullValue`, `TooLarge`, `NoMemory`, `DiskFull`, `Store`, `Corrupt`;
    /// `LockTimeout` when it was interrupted.
    pub fn run(self, view: &dyn Read) -> Result<u64> {
        let Fill { engine, making, progress } = self;
        let ranges = match making.is_in_order() {
            true => vec![making.table().index_range(0)],
            false => ranges_of(engine, making.table(), view)?,
        };
        let (on_duplicate, existing, rows_in) = (OnDuplicate::Error, None, Some(view));
        let table = making.next();
        let build = Build { engine, table, on_duplicate, progress, existing, rows_in };
        let sorters = build.sorters(threads().min(ranges.len()), 1)?;
        let read = |sorter: &mut RowSorter, part: usize| {
            self.read(view, &ranges[part], (part as u64) << NUMBER_BITS, sorter)
        };
        let sorted = share_out(sorters, ranges.len(), read, RowSorter::finish)?;
        making.end_sorting()?;
        let numbers = (ranges.len() as u64) << NUMBER_BITS;
        build.run_alone(sorted, numbers).map(|outcome| outcome.rows)
    }

    /// Sorts what is made of the rows of a range, which are numbered from `before`.
    fn read(
        self,
        view: &dyn Read,
        range: &KeyRange,
        before: u64,
        sorter: &mut RowSorter,
    ) -> Result<()> {
        let mut cursor = view.scan_once(range)?;
        let mut rows = 0;
        while cursor.advance()? {
            rows += 1;
            go_on(rows)?;
            if rows % SHOW_EVERY == 0 {
                self.progress.add(SHOW_EVERY);
            }
            let (key, bytes) = cursor.entry();
            self.making.sort(before + rows, key, bytes, sorter)?;
        }
        self.progress.add(rows % SHOW_EVERY);
        self.making.end_range(before, rows);
        Ok(())
    }
}

/// Makes the columnar index of a table of all rows that a state shows; `next` is the table with it.
///
/// # Errors
/// As `Fill::run`.
pub(super) fn fill_columns(
    engine: &Engine,
    next: &Arc<Table>,
    view: &dyn Read,
    progress: &Progress,
) -> Result<()> {
    let ranges = ranges_of(engine, next, view)?;
    let ingestion = engine.store().column_ingestion(next)?;
    let read = |(): &mut (), part: usize| {
        let rows = view.scan_once(&ranges[part])?;
        ingestion.add(&mut CountedCursor { rows, count: 0, progress }).map(drop)
    };
    share_out(vec![(); threads().min(ranges.len())], ranges.len(), read, Ok)?;
    ingestion.finish()
}

/// The ranges in which threads read a table's rows.
fn ranges_of(engine: &Engine, table: &Table, view: &dyn Read) -> Result<Vec<KeyRange>> {
    split(&**engine.store(), view, &table.index_range(0), threads() * RANGES_PER_THREAD)
}

/// Rows that are counted as they go by, and can be interrupted.
struct CountedCursor<'a> {
    rows: Box<dyn Cursor + 'a>,
    count: u64,
    progress: &'a Progress,
}

impl Cursor for CountedCursor<'_> {
    fn advance(&mut self) -> Result<bool> {
        go_on(self.count)?;
        let more = self.rows.advance()?;
        self.count += u64::from(more);
        if more && self.count.is_multiple_of(SHOW_EVERY) {
            self.progress.add(SHOW_EVERY);
        }
        Ok(more)
    }

    fn key(&self) -> &[u8] {
        self.rows.key()
    }

    fn value(&self) -> &[u8] {
        self.rows.value()
    }

    fn entry(&self) -> (&[u8], &[u8]) {
        self.rows.entry()
    }
}
