//! A large file: lines become rows on all cores, and appear all at once.
//!
//! The thread that has the file cuts it into blocks of whole lines and knows the number of each
//! block's first row, so blocks can be read in any order:
//! ```text
//! file ──> blocks ──> queue ─┬─> thread: lines, rows, AUTO_INCREMENT in turn ──> sorter
//!                            └─> thread: ..                                 ──> sorter
//! ```
//!
//! Invariants
//! 1. A load that has failed, or is given up, leaves nothing; of several errors that of the first
//!    row is told.
//! 2. Blocks are taken in order, so of all blocks under way the first one waits for no other.
//! 3. What is told of the rows is told in their order.
//!
//! Not here: sorting, and the moment in which the rows appear (`rows::bulk`).

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread::JoinHandle;

use expression::KillMark;
use parking_lot::{Condvar, Mutex, MutexGuard};
use resources::background::give_way;
use resources::budget::Share;
use resources::interrupt;
use rows::bulk::{
    AutoIncrements, BulkLoad, BulkOutcome, OnDuplicate, Progress, RowTaker, SortedRows,
};
use rows::rules::Lenience;
use syntax::load::Format;
use values::datum::{Datum, Value};

use super::lines::Splitter;
use super::noted::RowWarnings;
use super::rows::{LoadOutcome, LoadPlan, RowMaker};
use crate::write::warnings_of_computed;
use results::{Result, SqlError};

/// Text of a block, at most, unless a line is longer.
const BLOCK_BYTES_MAX: usize = 128 << 10;
const BLOCK_BYTES_MIN: usize = 8 << 10;
/// A block's part of the memory for clients.
const BLOCK_PART: usize = 512;
/// Memory that a block takes for its text and the values that are made of it, in sizes of the text.
const BLOCK_COPIES: usize = 4;
/// Blocks that wait, for each thread.
const BLOCKS_WAITING: usize = 2;

/// Whole lines of a file.
struct Block {
    number: u64,
    /// The number of its first row, from 1 on.
    first_row: u64,
    text: Vec<u8>,
    /// Memory for it.
    _share: Share,
}

/// A load under way.
pub(crate) struct ParallelLoad {
    shared: Arc<LoadShared>,
    threads: Vec<JoinHandle<Option<SortedRows>>>,
    /// Until it is finished.
    bulk: Option<BulkLoad>,
    blocks: u64,
    rows: u64,
}

/// What the threads of a load share.
struct LoadShared {
    plan: Arc<LoadPlan>,
    format: Format,
    progress: Arc<Progress>,
    queue: Mutex<BlockQueue>,
    changed: Condvar,
    turn: Mutex<Turn>,
    turned: Condvar,
    noted: Mutex<RowWarnings>,
    /// Memory of blocks that were read, for further ones.
    free: Mutex<Vec<Vec<u8>>>,
}

#[derive(Default)]
struct BlockQueue {
    blocks: VecDeque<Block>,
    /// No more come.
    complete: bool,
    stopped: bool,
    /// Of the block of the smallest number.
    error: Option<(u64, SqlError)>,
}

/// Whose turn it is to get AUTO_INCREMENT values.
struct Turn {
    /// The number of the block.
    next: u64,
    /// None if there is no such column.
    numbers: Option<AutoIncrements>,
    stopped: bool,
}

/// Stops the other threads when this one panics.
struct StopAtPanic<'a>(&'a LoadShared);

impl Drop for StopAtPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

impl LoadShared {
    fn stop(&self) {
        self.queue.lock().stopped = true;
        self.changed.notify_all();
        self.turn.lock().stopped = true;
        self.turned.notify_all();
    }

    fn fail(&self, block: u64, error: SqlError) {
        // A wait that was interrupted ends as if its time were over.
        let error = self.plan.facts.kill.check().err().map_or(error, SqlError::from);
        let mut queue = self.queue.lock();
        if queue.error.as_ref().is_none_or(|(known, _)| block < *known) {
            queue.error = Some((block, error));
        }
        drop(queue);
        self.stop();
    }

    /// Hands a block to the threads; `false` when they have stopped.
    fn give(&self, block: Block, waiting_max: usize) -> Result<bool> {
        let mut queue = self.queue.lock();
        while queue.blocks.len() >= waiting_max && !queue.stopped {
            self.changed.wait_for(&mut queue, interrupt::LOOK);
            MutexGuard::unlocked(&mut queue, || self.plan.facts.kill.check())?;
        }
        if queue.stopped {
            return Ok(false);
        }
        queue.blocks.push_back(block);
        drop(queue);
        self.changed.notify_all();
        Ok(true)
    }

    /// The next block; `None` when there are no more.
    fn take(&self) -> Option<Block> {
        let mut queue = self.queue.lock();
        loop {
            if queue.stopped {
                return None;
            }
            if let Some(block) = queue.blocks.pop_front() {
                drop(queue);
                self.changed.notify_all();
                return Some(block);
            }
            if queue.complete {
                return None;
            }
            self.changed.wait(&mut queue);
        }
    }

    /// Gives the rows of a block their AUTO_INCREMENT values, in its turn. `false` when the load
    /// has stopped.
    fn number(&self, block: u64, rows: &mut [Value]) -> Result<bool> {
        let mut turn = self.turn.lock();
        while turn.next != block && !turn.stopped {
            self.turned.wait(&mut turn);
        }
        if turn.stopped {
            return Ok(false);
        }
        let width = self.plan.table.columns.len();
        if let Some(numbers) = &mut turn.numbers {
            rows.chunks_exact_mut(width).try_for_each(|row| numbers.number(row))?;
        }
        turn.next += 1;
        drop(turn);
        self.turned.notify_all();
        Ok(true)
    }

    /// A thread's work.
    fn work(self: &Arc<LoadShared>, mut taker: RowTaker) -> Option<SortedRows> {
        give_way(0);
        let _working = KillMark::of_this_thread(&self.plan.facts.kill);
        let _stop = StopAtPanic(self);
        taker.begin();
        let mut reader = match BlockReader::new(self) {
            Ok(reader) => reader,
            Err(error) => {
                self.fail(0, error);
                return None;
            }
        };
        while let Some(block) = self.take() {
            let number = block.number;
            match reader.read(block, &mut taker) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    self.fail(number, error);
                    return None;
                }
            }
        }
        match taker.finish() {
            Ok(sorted) => sorted,
            Err(error) => {
                self.fail(u64::MAX, error.into());
                None
            }
        }
    }
}

/// Makes rows of blocks, in one thread.
struct BlockReader {
    shared: Arc<LoadShared>,
    splitter: Splitter,
    maker: RowMaker,
    /// Whether rows wait for AUTO_INCREMENT values, and those of the block at hand.
    are_numbered: bool,
    values: Vec<Value>,
}

impl BlockReader {
    fn new(shared: &Arc<LoadShared>) -> Result<BlockReader> {
        let plan = &shared.plan;
        Ok(BlockReader {
            splitter: Splitter::new(shared.format.clone(), 0, plan.engine.budget().share())?
                .with_fields_max(plan.goals.len()),
            maker: RowMaker::new(plan),
            are_numbered: shared.turn.lock().numbers.is_some(),
            shared: Arc::clone(shared),
            values: Vec::new(),
        })
    }

    /// `false` when the load has stopped.
    fn read(&mut self, mut block: Block, taker: &mut RowTaker) -> Result<bool> {
        let shared = Arc::clone(&self.shared);
        shared.plan.facts.kill.check()?;
        let before = self.splitter.read_block(std::mem::take(&mut block.text));
        if before.capacity() <= 2 * BLOCK_BYTES_MAX {
            shared.free.lock().push(before);
        }
        self.values.clear();
        let LoadPlan { facts, strict, .. } = &*shared.plan;
        taker.compute_with(Lenience::unless(*strict, facts.mode));
        let mut row = block.first_row;
        // The row of each warning that is kept.
        let mut warned = Vec::new();
        while let Some(line) = self.splitter.next_line(true)? {
            let made = self.maker.make(&line, row, None)?;
            warned.resize(self.maker.warnings_kept(), row);
            if self.are_numbered {
                self.values.extend(made.into_values());
            } else {
                made.with(|values| taker.add(row, values))?;
            }
            row += 1;
        }
        shared.progress.add(row - block.first_row);
        self.note(&warned);
        if self.are_numbered && !self.number(&block, taker)? {
            return Ok(false);
        }
        if let Some(lenience) = taker.compute_with(None) {
            let (warnings, rows) = warnings_of_computed(lenience, block.first_row, facts.zone);
            shared.noted.lock().add(&warnings, &rows);
        }
        Ok(taker.end_block(block.number)?)
    }

    /// Lets the rows at hand have their AUTO_INCREMENT values, and gives them to the load. `false`
    /// when it has stopped.
    fn number(&mut self, block: &Block, taker: &mut RowTaker) -> Result<bool> {
        if !self.shared.number(block.number, &mut self.values)? {
            return Ok(false);
        }
        let width = self.shared.plan.table.columns.len();
        let mut datums: Vec<Datum<'_>> = Vec::with_capacity(width);
        for (number, row) in (block.first_row..).zip(self.values.chunks_exact(width)) {
            datums.clear();
            datums.extend(row.iter().map(Value::as_datum));
            taker.add(number, &datums)?;
        }
        Ok(true)
    }

    fn note(&mut self, warned: &[u64]) {
        let warnings = self.maker.take_warnings();
        if warnings.count() == 0 {
            return;
        }
        self.shared.noted.lock().add(&warnings, warned);
    }
}

impl ParallelLoad {
    /// Begins one.
    ///
    /// # Errors
    /// 1105 when there is no thread for it, 1041 when there is no memory; those of reading the
    /// table's AUTO_INCREMENT value.
    pub fn begin(
        mut bulk: BulkLoad,
        plan: &Arc<LoadPlan>,
        format: &Format,
    ) -> Result<ParallelLoad> {
        let numbers = bulk.numbers(plan.facts.number_rules())?;
        let shared = Arc::new(LoadShared {
            plan: Arc::clone(plan),
            format: format.clone(),
            progress: Arc::clone(bulk.progress()),
            queue: Mutex::default(),
            changed: Condvar::new(),
            turn: Mutex::new(Turn { next: 0, numbers, stopped: false }),
            turned: Condvar::new(),
            noted: Mutex::default(),
            free: Mutex::default(),
        });
        let count = if plan.is_orderless() { bulk.threads() } else { 1 };
        let takers = bulk.takers(count)?;
        let bulk = Some(bulk);
        let mut load = ParallelLoad { shared, threads: Vec::new(), bulk, blocks: 0, rows: 0 };
        for taker in takers {
            let shared = Arc::clone(&load.shared);
            let builder = std::thread::Builder::new().name("load".into());
            match builder.spawn(move || shared.work(taker)) {
                Ok(thread) => load.threads.push(thread),
                Err(_) if !load.threads.is_empty() => break,
                Err(error) => {
                    return Err(SqlError::other(format!("No thread for LOAD DATA: {error}")));
                }
            }
        }
        Ok(load)
    }

    /// Takes the whole lines that are there; with `last` there are no more.
    ///
    /// # Errors
    /// The statement's error; what was loaded is given up.
    pub fn feed(&mut self, splitter: &mut Splitter, last: bool) -> Result<()> {
        self.shared.plan.facts.kill.check()?;
        let budget = Arc::clone(self.shared.plan.engine.budget());
        let bytes = (budget.bytes_max() / BLOCK_PART).clamp(BLOCK_BYTES_MIN, BLOCK_BYTES_MAX);
        loop {
            let mut text = self.shared.free.lock().pop().unwrap_or_default();
            let Some(rows) = splitter.next_block(last, bytes, &mut text)? else {
                self.shared.free.lock().push(text);
                return Ok(());
            };
            let mut share = budget.share();
            // Counted, not asked for: they are few, and a load is not to end for one.
            share.set(BLOCK_COPIES * text.len());
            let (number, first_row) = (self.blocks, self.rows + 1);
            self.blocks += 1;
            self.rows += rows;
            let block = Block { number, first_row, text, _share: share };
            if !self.shared.give(block, BLOCKS_WAITING * self.threads.len())? {
                self.join()?;
                return Err(SqlError::other("the threads of a LOAD DATA have stopped"));
            }
        }
    }

    /// Waits for the threads' ends.
    fn join(&mut self) -> Result<Vec<SortedRows>> {
        let mut parts = Vec::with_capacity(self.threads.len());
        for thread in self.threads.drain(..) {
            match thread.join() {
                Ok(part) => parts.extend(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        match self.shared.queue.lock().error.take() {
            Some((_, error)) => Err(error),
            None => Ok(parts),
        }
    }

    /// Gives the load up; nothing of it is left on return.
    pub fn give_up(&mut self) {
        self.shared.stop();
        for thread in self.threads.drain(..) {
            // A panic was printed already.
            let _ = thread.join();
        }
    }

    /// The file is complete and fed: lets the rows appear.
    ///
    /// # Errors
    /// The statement's error; nothing of the load is there then.
    pub fn finish(mut self) -> Result<LoadOutcome> {
        self.shared.queue.lock().complete = true;
        self.shared.changed.notify_all();
        let parts = self.join()?;
        let numbers = self.shared.turn.lock().numbers.take();
        let bulk = self.bulk.take().expect("it is finished once");
        let (plan, records) = (&self.shared.plan, self.rows);
        let outcome = bulk.finish(parts, records, numbers.as_ref());
        // A wait that was interrupted ends as if its time were over.
        let outcome = outcome.map_err(|error| match plan.facts.kill.check() {
            Err(killed) => SqlError::from(killed),
            Ok(()) => error.into(),
        })?;
        let replaces = plan.on_duplicate == OnDuplicate::Replace;
        let BulkOutcome { lost, told, .. } = outcome;
        let mut noted = std::mem::take(&mut *self.shared.noted.lock());
        if !replaces {
            noted.add_left_out(lost, told);
        }
        Ok(LoadOutcome {
            records,
            deleted: if replaces { lost } else { 0 },
            skipped: if replaces { 0 } else { lost },
            generated: numbers.and_then(|numbers| numbers.first()),
            warnings: noted.into_warnings(),
        })
    }
}

impl Drop for ParallelLoad {
    /// Its threads end by themselves, and what they have goes with them: who drops it may be an
    /// event loop whose client has left.
    fn drop(&mut self) {
        self.shared.stop();
    }
}
