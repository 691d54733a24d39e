//! The entries of new indexes for all rows of one state of a table, read and written on all cores;
//! and a new columnar index of the same rows, which the store makes of them.
//!
//! Invariants
//! 1. Rows are numbered in the order of their keys, whoever reads them: of rows that share a unique
//!    key the same one is told.
//!
//! Not here: rows that change meanwhile (`follow`).

use std::sync::Arc;

use crate::bulk::{Build, OnDuplicate, Progress, RowSorter, go_on, threads};
use crate::engine::Engine;
use crate::error::Result;
use crate::find::row_at;
use crate::parallel::share_out;
use crate::split::split;
use crate::store::{Cursor, Direction, KeyRange, Reach, Read};
use crate::table::Table;

/// Ranges for each thread that reads, so that none is alone with a large one at the end.
const RANGES_PER_THREAD: usize = 8;
/// Bits of a row's number within its range.
const NUMBER_BITS: u32 = 40;
/// Rows between two moves of the progress.
const SHOW_EVERY: u64 = 1024;

/// New indexes of a table, and the rows of which they are made.
#[derive(Clone, Copy)]
pub(super) struct Fill<'a> {
    pub engine: &'a Engine,
    /// The table with the new indexes; its layout reads the rows.
    pub next: &'a Arc<Table>,
    /// Which indexes are new.
    pub indexes: &'a [usize],
    /// Whether the columnar index is.
    pub columns: bool,
    pub progress: &'a Progress,
}

impl Fill<'_> {
    /// Writes the entries of all rows that a state shows: all of them are there on return.
    ///
    /// # Errors
    /// `Duplicate`, `TooLarge`, `NoMemory`, `DiskFull`, `Store`, `Corrupt`; `LockTimeout` when it
    /// was interrupted.
    pub fn run(self, view: &dyn Read) -> Result<()> {
        let Fill { engine, next, indexes, columns, progress } = self;
        let all = next.index_range(0);
        let ranges = split(&**engine.store(), view, &all, threads() * RANGES_PER_THREAD)?;
        let workers = threads().min(ranges.len());
        if columns {
            let ingestion = engine.store().column_ingestion(next)?;
            let read = |(): &mut (), part: usize| {
                let rows = view.scan(&ranges[part], Direction::Forward, Reach::Disk)?;
                ingestion.add(&mut Shown { rows, count: 0, progress }).map(drop)
            };
            share_out(vec![(); workers], ranges.len(), read, Ok)?;
            ingestion.finish()?;
        }
        if indexes.is_empty() {
            return Ok(());
        }
        let (on_duplicate, existing, rows_in) = (OnDuplicate::Error, None, Some(view));
        let build = Build { engine, table: next, on_duplicate, progress, existing, rows_in };
        let sorters = build.sorters(workers, 1)?;
        let read = |sorter: &mut RowSorter, part: usize| {
            self.read(view, &ranges[part], (part as u64) << NUMBER_BITS, sorter)
        };
        let sorted = share_out(sorters, ranges.len(), read, RowSorter::finish)?;
        build.run_alone(sorted, (ranges.len() as u64) << NUMBER_BITS).map(drop)
    }

    /// Sorts the entries of the rows of a range, which are numbered from `before`.
    fn read(
        self,
        view: &dyn Read,
        range: &KeyRange,
        before: u64,
        sorter: &mut RowSorter,
    ) -> Result<()> {
        let Fill { next, indexes, progress, .. } = self;
        let mut cursor = view.scan(range, Direction::Forward, Reach::Disk)?;
        let mut rows = 0;
        while cursor.advance()? {
            rows += 1;
            go_on(rows)?;
            if rows % SHOW_EVERY == 0 {
                progress.add(SHOW_EVERY);
            }
            let (key, bytes) = cursor.entry();
            let row = row_at(next, key, bytes)?.values()?;
            sorter.add_entries(before + rows, &row, key, indexes)?;
        }
        progress.add(rows % SHOW_EVERY);
        Ok(())
    }
}

/// Rows that are counted as they go by, and can be interrupted.
struct Shown<'a> {
    rows: Box<dyn Cursor + 'a>,
    count: u64,
    progress: &'a Progress,
}

impl Cursor for Shown<'_> {
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
