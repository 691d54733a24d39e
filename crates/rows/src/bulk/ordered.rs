//! Loads into tables that have no index but the order of their rows: row `n` of the load has a
//! number as its key that is larger than all before, so nothing is sorted and nothing is looked
//! for. Rows go from the threads that make them into files of the store, a *stretch* of neighbours
//! at a time.
//!
//! ```text
//! thread: block 7 ─┐
//! thread: block 6 ─┴─> in order: .. 4, 5, 6, 7 ──> a stretch is full: written by who filled it
//! ```
//!
//! Invariants
//! 1. Blocks join stretches in the order of their numbers, and each stretch is written by one call,
//!    so the keys of no two calls overlap.
//! 2. The thread that has made the first block that is missing never waits for others here: those
//!    that are ahead of it wait when they have made much.
//! 3. No more is in memory than one stretch for each thread, one that grows, and what is ahead.
//!
//! Not here: tables with other indexes (`rows`), when the rows appear (`load`).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use parking_lot::{Condvar, Mutex};
use resources::background::give_way;
use resources::budget::Share;
use resources::interrupt;
use values::datum::Datum;

use super::rows::push_row;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::ingestion::{Ingestion, RowBlock};
use crate::rules::{Computing, Lenience, with_computed};
use crate::table::Table;

/// Stretches that the memory is for besides one for each thread: one that grows, what is ahead of
/// it, and the columns that a store makes of some.
const STRETCHES_MORE: usize = 3;
/// More in one call would only take memory.
const STRETCH_BYTES_MAX: usize = 64 << 20;
/// The part of a stretch that may be ahead of a block that is missing.
const AHEAD_PART: usize = 2;

/// Rows on their way into files, from several threads.
pub(super) struct OrderedRows {
    table: Arc<Table>,
    versions: Arc<AtomicU64>,
    first_row_id: u64,
    files: Box<dyn Ingestion>,
    stretch_bytes: usize,
    line: Mutex<Line>,
    /// Told when blocks have joined the line, and when it has stopped.
    moved: Condvar,
    rows: AtomicU64,
}

/// Blocks until they are written.
struct Line {
    /// The number of the block that joins the stretch next.
    next: u64,
    ahead: BTreeMap<u64, RowBlock>,
    ahead_bytes: usize,
    stretch: Vec<RowBlock>,
    stretch_bytes: usize,
    stopped: bool,
    /// Memory of blocks that were written.
    free: Vec<(Vec<u8>, Vec<usize>)>,
    free_bytes: usize,
    /// Bytes of all blocks that are not written yet, those of `share` at the beginning, and these.
    held: usize,
    drawn: usize,
    share: Share,
}

impl OrderedRows {
    /// For so many threads, with memory that was drawn already. `first_row_id`: of row 1.
    ///
    /// # Errors
    /// Those of beginning files.
    pub fn new(
        engine: &Engine,
        table: &Arc<Table>,
        first_row_id: u64,
        threads: usize,
        share: Share,
    ) -> Result<OrderedRows> {
        let stretch_bytes = (share.bytes() / (threads + STRETCHES_MORE)).min(STRETCH_BYTES_MAX);
        let line = Line {
            next: 0,
            ahead: BTreeMap::new(),
            ahead_bytes: 0,
            stretch: Vec::new(),
            stretch_bytes: 0,
            stopped: false,
            free: Vec::new(),
            free_bytes: 0,
            held: 0,
            drawn: share.bytes(),
            share,
        };
        Ok(OrderedRows {
            table: Arc::clone(table),
            versions: Arc::clone(engine.versions()),
            first_row_id,
            files: engine.store().ingestion()?,
            stretch_bytes,
            line: Mutex::new(line),
            moved: Condvar::new(),
            rows: AtomicU64::new(0),
        })
    }

    fn stop(&self) {
        self.line.lock().stopped = true;
        self.moved.notify_all();
    }

    /// Lets a block join those before it, and writes what has become a stretch; `false` when the
    /// load has stopped.
    fn hand_over(&self, number: u64, block: RowBlock) -> Result<bool> {
        let mut line = self.line.lock();
        let ahead_max = self.stretch_bytes / AHEAD_PART;
        while number != line.next && line.ahead_bytes >= ahead_max && !line.stopped {
            if interrupt::is_wanted() {
                return Err(Error::LockTimeout);
            }
            self.moved.wait_for(&mut line, interrupt::LOOK);
        }
        if line.stopped {
            return Ok(false);
        }
        let full = line.take(number, block, self.stretch_bytes);
        drop(line);
        self.moved.notify_all();
        full.into_iter().try_for_each(|stretch| self.write(stretch))?;
        Ok(true)
    }

    fn write(&self, stretch: Vec<RowBlock>) -> Result<()> {
        let rows = self.files.add_rows(&stretch)?;
        self.rows.fetch_add(rows, Ordering::Relaxed);
        self.line.lock().give_back(stretch);
        Ok(())
    }

    /// All blocks are there: writes what is left, in so many threads; gives the files and how many
    /// rows are in them.
    ///
    /// # Errors
    /// Those of writing; nothing is there then.
    pub fn finish(self, threads: usize) -> Result<(Box<dyn Ingestion>, u64)> {
        let mut rest = std::mem::take(&mut self.line.lock().stretch);
        let each = rest.len().div_ceil(threads).max(1);
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let more = rest.split_off(each.min(rest.len()));
            parts.push(std::mem::replace(&mut rest, more));
        }
        thread::scope(|scope| {
            let write = |part| {
                give_way(0);
                self.write(part)
            };
            let others: Vec<_> =
                parts.into_iter().map(|part| scope.spawn(move || write(part))).collect();
            others.into_iter().try_for_each(|thread| match thread.join() {
                Ok(written) => written,
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })?;
        debug_assert!(self.line.lock().ahead.is_empty(), "no block is missing");
        Ok((self.files, self.rows.into_inner()))
    }
}

impl Line {
    /// Takes a block in; gives the stretches that are full.
    fn take(&mut self, number: u64, block: RowBlock, stretch_bytes: usize) -> Vec<Vec<RowBlock>> {
        self.ahead_bytes += block.memory_bytes();
        self.held += block.memory_bytes();
        self.share.set(self.held.max(self.drawn));
        self.ahead.insert(number, block);
        let mut full = Vec::new();
        while let Some(block) = self.ahead.remove(&self.next) {
            self.next += 1;
            self.ahead_bytes -= block.memory_bytes();
            self.stretch_bytes += block.memory_bytes();
            self.stretch.push(block);
            if self.stretch_bytes >= stretch_bytes {
                self.stretch_bytes = 0;
                full.push(std::mem::take(&mut self.stretch));
            }
        }
        full
    }

    /// A block without rows, the first of which will have a number.
    fn new_block(&mut self, table: &Arc<Table>, first_id: u64) -> RowBlock {
        let block = RowBlock::new(table, first_id, self.free.pop().unwrap_or_default());
        self.free_bytes -= block.memory_bytes();
        block
    }

    /// Keeps the memory of blocks that were written, as far as it was drawn.
    fn give_back(&mut self, written: Vec<RowBlock>) {
        for block in written {
            self.held -= block.memory_bytes();
            if self.held + self.free_bytes + block.memory_bytes() <= self.drawn {
                self.free_bytes += block.memory_bytes();
                self.free.push(block.into_memory());
            }
        }
        self.share.set(self.held.max(self.drawn));
    }
}

/// Makes blocks of rows, in one thread.
pub struct RowAppender {
    ordered: Arc<OrderedRows>,
    /// Of the block at hand, once it has a row.
    block: Option<RowBlock>,
    /// Whether others may wait for its blocks.
    is_awaited: bool,
    /// What is told of columns that are computed leniently, if they are.
    pub(super) lenience: Option<Lenience>,
}

impl RowAppender {
    pub(super) fn new(ordered: &Arc<OrderedRows>) -> RowAppender {
        RowAppender { ordered: Arc::clone(ordered), block: None, is_awaited: false, lenience: None }
    }

    /// Blocks of the load are this thread's to make from now on.
    pub fn begin(&mut self) {
        self.is_awaited = true;
    }

    /// Adds the row of a number, from 1 on: the one behind the last one, unless a block begins.
    ///
    /// # Errors
    /// `NullValue`, `Check`, `Value`, `Expression`, `TooLarge`.
    pub fn add(&mut self, number: u64, row: &[Datum<'_>]) -> Result<()> {
        self.begin();
        let OrderedRows { table, versions, first_row_id, line, .. } = &*self.ordered;
        let computing = Computing::of(self.lenience.as_ref());
        let computed = table.computed(row, computing)?;
        let row = &*with_computed(row, &computed);
        let id = first_row_id + (number - 1);
        let block = self.block.get_or_insert_with(|| line.lock().new_block(table, id));
        debug_assert_eq!(block.row_id(block.len()), id, "rows of a block follow each other");
        let version = versions.fetch_add(1, Ordering::Relaxed);
        push_row(table, row, version, computing, block.buffer())?;
        block.end_row();
        Ok(())
    }

    /// Bytes of the block at hand.
    pub fn block_bytes(&self) -> usize {
        self.block.as_ref().map_or(0, |block| block.row_bytes(0..block.len()))
    }

    /// The rows since the last block were the block of a number, from 0 on; `false` when the load
    /// has stopped.
    ///
    /// # Errors
    /// `DiskFull`, `Store`; `LockTimeout` when it was interrupted.
    pub fn end_block(&mut self, number: u64) -> Result<bool> {
        let block = self.block.take();
        let empty = || RowBlock::new(&self.ordered.table, 0, Default::default());
        self.ordered.hand_over(number, block.unwrap_or_else(empty))
    }

    /// There are no more blocks of this thread.
    pub fn finish(mut self) {
        self.is_awaited = false;
    }
}

impl Drop for RowAppender {
    /// One that is not finished leaves blocks that others would wait for.
    fn drop(&mut self) {
        if self.is_awaited {
            self.ordered.stop();
        }
    }
}
