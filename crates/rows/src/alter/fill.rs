//! The entries of new indexes for all rows of one state of a table, read and written on all cores;
//! and a new columnar index of the same rows, which the store makes of them.
//!
//! Invariants
//! 1. Rows are numbered in the order of their keys, whoever reads them: of rows that share a unique
//!    key the same one is told.
//!
//! Not here: rows that change meanwhile (`follow`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;

use crate::background::give_way;
use crate::bulk::{Build, OnDuplicate, Progress, RowSorter, SortedRows, go_on, threads};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::find::row_at;
use crate::interrupt;
use crate::split::split;
use crate::store::{Cursor, Direction, Ingestion, KeyRange, Reach, Read};
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
        let reading = Reading {
            of: self,
            view,
            ranges: &ranges,
            next: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            error: Mutex::new(None),
            sorted: Mutex::default(),
        };
        if columns {
            let ingestion = engine.store().column_ingestion(next)?;
            let takers = (0..threads().min(ranges.len())).map(|_| Taker::Columns(&*ingestion));
            reading.run(takers.collect())?;
            ingestion.finish()?;
        }
        if indexes.is_empty() {
            return Ok(());
        }
        reading.next.store(0, Ordering::Relaxed);
        let (on_duplicate, existing, rows_in) = (OnDuplicate::Error, None, Some(view));
        let build = Build { engine, table: next, on_duplicate, progress, existing, rows_in };
        let sorters = build.sorters(threads().min(ranges.len()), 1)?;
        reading.run(sorters.into_iter().map(Taker::Sorter).collect())?;
        let numbers = (ranges.len() as u64) << NUMBER_BITS;
        build.run_alone(reading.sorted.into_inner(), numbers).map(drop)
    }
}

/// What takes the rows of ranges that a thread reads.
enum Taker<'t> {
    /// Entries of indexes, to be sorted.
    Sorter(RowSorter),
    /// The columnar index takes them as they come.
    Columns(&'t dyn Ingestion),
}

/// Ranges that are read by several threads.
struct Reading<'a> {
    of: Fill<'a>,
    view: &'a dyn Read,
    ranges: &'a [KeyRange],
    next: AtomicUsize,
    stopped: AtomicBool,
    error: Mutex<Option<Error>>,
    sorted: Mutex<Vec<SortedRows>>,
}

impl Reading<'_> {
    /// Reads all ranges, with a thread for each taker.
    fn run(&self, mut takers: Vec<Taker<'_>>) -> Result<()> {
        let own = takers.pop();
        let work = interrupt::current();
        thread::scope(|scope| {
            for taker in takers {
                let work = work.clone();
                scope.spawn(move || {
                    let _working = work.map(interrupt::working);
                    give_way(0);
                    self.work(taker);
                });
            }
            own.into_iter().for_each(|own| self.work(own));
        });
        self.error.lock().take().map_or(Ok(()), Err)
    }

    /// Takes one range after another.
    fn work(&self, taker: Taker<'_>) {
        let read = match taker {
            Taker::Sorter(sorter) => {
                self.read_ranges(sorter).map(|sorted| self.sorted.lock().push(sorted))
            }
            Taker::Columns(ingestion) => self.read_columns(ingestion),
        };
        match read {
            Ok(()) => {}
            Err(error) => {
                self.stopped.store(true, Ordering::Relaxed);
                self.error.lock().get_or_insert(error);
            }
        }
    }

    fn read_columns(&self, ingestion: &dyn Ingestion) -> Result<()> {
        while !self.stopped.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(range) = self.ranges.get(number) else { break };
            let rows = self.view.scan(range, Direction::Forward, Reach::Disk)?;
            let progress = self.of.progress;
            ingestion.add(&mut Shown { rows, count: 0, progress })?;
        }
        Ok(())
    }

    fn read_ranges(&self, mut sorter: RowSorter) -> Result<SortedRows> {
        while !self.stopped.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(range) = self.ranges.get(number) else { break };
            self.read(range, (number as u64) << NUMBER_BITS, &mut sorter)?;
        }
        sorter.finish()
    }

    fn read(&self, range: &KeyRange, before: u64, sorter: &mut RowSorter) -> Result<()> {
        let Fill { next, indexes, progress, .. } = self.of;
        let mut cursor = self.view.scan(range, Direction::Forward, Reach::Disk)?;
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
