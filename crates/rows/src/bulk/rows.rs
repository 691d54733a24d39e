//! A load's rows on their way into the sorters of their table's indexes, in one of several threads.
//!
//! Invariants
//! 1. What is in memory was drawn before. When that is full, more is borrowed; when there is no
//!    more, the largest sorter goes to the disk.
//!
//! Not here: the order of rows, and their numbers (who calls), the merge (`load`).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use resources::spill::SpillDirectory;
use values::datum::Datum;
use values::row::RowRef;

use super::build::threads;
use super::memory::SortMemory;
use super::sorter::{FreeChunks, MERGE_BLOCKS, RunForm, Sorter};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::rules::{Computing, Lenience, with_computed};
use crate::store::StoreUpkeep;
use crate::table::{PREFIX_BYTES, Table};
use crate::transaction::ROW_BYTES_MAX;

/// Blocks of runs, for a part of the memory: small where the memory is.
const BLOCK_PART: usize = 128;
const BLOCK_BYTES_MIN: usize = 4 << 10;
const BLOCK_BYTES_MAX: usize = 64 << 10;
/// Runs that a sorter has before some are merged, at least and at most; files that those of one
/// thread have, about: each is an open one.
const RUNS_MIN: usize = 32;
const RUNS_MAX: usize = 64;
const FILES_MAX: usize = 256;
/// Chunks of entries: for each index some that are not full take no more than this part together.
const CHUNK_PART: usize = 4;
const CHUNK_BYTES_MIN: usize = 4 << 10;
const CHUNK_BYTES_MAX: usize = 64 << 10;
/// The part of the memory that entries take; the rest is for what is allocated ahead.
const ENTRIES_PART: (usize, usize) = (4, 5);
/// The part of that which is left to entries however many runs there are.
const ENTRIES_PART_MIN: usize = 4;

/// Sorts rows of a load.
pub struct RowSorter {
    store: Arc<dyn StoreUpkeep>,
    versions: Arc<AtomicU64>,
    table: Arc<Table>,
    /// None: everything has to fit.
    directory: Option<Arc<SpillDirectory>>,
    /// The row id of row 1, in a table without a primary key.
    first_row_id: u64,
    sorters: Vec<Sorter>,
    free: FreeChunks,
    memory: SortMemory,
    /// What of the memory is for entries now.
    entries_max: usize,
    /// What is told of columns that are computed leniently, if they are.
    pub(super) lenience: Option<Lenience>,
    row_key: Vec<u8>,
    key: Vec<u8>,
    value: Vec<u8>,
}

/// Appends a row of a load; values are of the columns' domains, and computed ones are.
///
/// # Errors
/// `NullValue`, `Check`, `Expression`, `TooLarge`.
pub(crate) fn push_row(
    table: &Table,
    row: &[Datum<'_>],
    version: u64,
    computing: Computing<'_>,
    out: &mut Vec<u8>,
) -> Result<()> {
    table.check_row(row, computing)?;
    let start = out.len();
    table.layout.encode(row, version, out);
    let bytes = out.len() - start;
    if bytes > ROW_BYTES_MAX {
        return Err(Error::TooLarge { what: "row", bytes, bytes_max: ROW_BYTES_MAX });
    }
    Ok(())
}

/// What a `RowSorter` leaves: for each index its entries, sorted, and the memory for them and for
/// merging them.
pub struct SortedRows {
    pub(super) sorters: Vec<Sorter>,
    pub(super) memory: SortMemory,
}

/// The form of runs of so many indexes for which about so much memory is enough when they are
/// merged: each thread then has a few blocks of all runs of an index.
fn run_form(memory_bytes: usize, indexes: usize) -> RunForm {
    let block_bytes = (memory_bytes / BLOCK_PART).clamp(BLOCK_BYTES_MIN, BLOCK_BYTES_MAX);
    let runs_max = memory_bytes / (MERGE_BLOCKS * block_bytes * threads());
    let files_max = FILES_MAX / indexes;
    RunForm {
        block_bytes,
        runs_max: runs_max.clamp(RUNS_MIN, RUNS_MAX.min(files_max).max(RUNS_MIN)),
    }
}

impl RowSorter {
    /// With memory that was drawn already.
    pub(super) fn new(
        engine: &Engine,
        table: &Arc<Table>,
        first_row_id: u64,
        memory: SortMemory,
    ) -> RowSorter {
        let chunk_bytes = memory.bytes() / CHUNK_PART / table.entry_indexes();
        let chunk_bytes = chunk_bytes.clamp(CHUNK_BYTES_MIN, CHUNK_BYTES_MAX);
        let form = run_form(memory.bytes(), table.entry_indexes());
        let sorter = |_| Sorter::new(PREFIX_BYTES, form);
        let mut rows = RowSorter {
            store: engine.store().clone(),
            versions: Arc::clone(engine.versions()),
            table: Arc::clone(table),
            directory: engine.spill().cloned(),
            first_row_id,
            sorters: (0..table.entry_indexes()).map(sorter).collect(),
            free: FreeChunks::new(chunk_bytes),
            entries_max: 0,
            memory,
            lenience: None,
            row_key: Vec::new(),
            key: Vec::new(),
            value: Vec::new(),
        };
        rows.divide_memory();
        rows
    }

    /// Adds the row of a number, from 1 on; each number once in a load. `row` holds every column
    /// in order, values of the columns' domains; what stands in computed columns does not count.
    ///
    /// # Errors
    /// `NullValue`, `Check`, `Value`, `Expression`, `TooLarge`, `NoMemory`, `DiskFull`, `Store`.
    pub fn add(&mut self, number: u64, row: &[Datum<'_>]) -> Result<()> {
        let table = Arc::clone(&self.table);
        let computing = Computing::of(self.lenience.as_ref());
        let computed = table.computed(row, computing)?;
        let row = &*with_computed(row, &computed);
        self.encode(row, self.versions.fetch_add(1, Ordering::Relaxed))?;
        self.row_key.clear();
        if table.has_hidden_key() {
            let id = self.first_row_id + (number - 1);
            table.push_numbered_row_key(row, id, &mut self.row_key)?;
        } else {
            table.push_row_key_of(row, &mut self.row_key)?;
        }
        self.add_encoded(number, row)
    }

    /// Adds a row that has a key already, and a version.
    ///
    /// # Errors
    /// As `add`.
    pub(crate) fn add_copied(
        &mut self,
        number: u64,
        row_key: &[u8],
        row: &[Datum<'_>],
        version: u64,
    ) -> Result<()> {
        self.encode(row, version)?;
        self.row_key.clear();
        self.row_key.extend_from_slice(row_key);
        self.add_encoded(number, row)
    }

    /// Makes `value` the bytes of a row.
    fn encode(&mut self, row: &[Datum<'_>], version: u64) -> Result<()> {
        self.value.clear();
        let computing = Computing::of(self.lenience.as_ref());
        push_row(&self.table, row, version, computing, &mut self.value)
    }

    /// Adds the row whose key is `row_key`, and whose bytes are `value`.
    fn add_encoded(&mut self, number: u64, row: &[Datum<'_>]) -> Result<()> {
        self.sorters[0].add(&self.row_key, number, &self.value, &mut self.free);
        (1..self.table.codecs.len()).try_for_each(|index| self.add_entry(index, number, row))?;
        self.add_listed_entries(number, row, &|_| true)?;
        self.make_room()
    }

    /// Adds only the entries of some indexes for a row that is there already. Of the row nothing
    /// else is read.
    ///
    /// # Errors
    /// As `add`; `Corrupt`.
    pub(crate) fn add_entries(
        &mut self,
        number: u64,
        row: &RowRef<'_>,
        row_key: &[u8],
        indexes: &[usize],
    ) -> Result<()> {
        let (key, value) = (&mut self.key, &mut self.value);
        let first_member = self.table.codecs.len();
        for index in indexes.iter().copied().filter(|index| *index < first_member) {
            let column = |position| row.column(position).map_err(Error::from);
            self.table.push_entry_by(index, column, row_key, key, value)?;
            self.sorters[index].add(key, number, value, &mut self.free);
        }
        if indexes.iter().any(|index| *index >= first_member) {
            self.row_key.clear();
            self.row_key.extend_from_slice(row_key);
            self.add_listed_entries(number, &row.values()?, &|index| indexes.contains(&index))?;
        }
        self.make_room()
    }

    /// Adds the entries of those indexes with several for a row that are wanted.
    fn add_listed_entries(
        &mut self,
        number: u64,
        row: &[Datum<'_>],
        wanted: &dyn Fn(usize) -> bool,
    ) -> Result<()> {
        if self.table.listed_codecs() == 0 {
            return Ok(());
        }
        for entry in self.table.listed_entries(row, &self.row_key)? {
            let index = self.table.codecs.len() + entry.index;
            if wanted(index) {
                self.sorters[index].add(&entry.key, number, &entry.value, &mut self.free);
            }
        }
        Ok(())
    }

    fn add_entry(&mut self, index: usize, number: u64, row: &[Datum<'_>]) -> Result<()> {
        let (key, value) = (&mut self.key, &mut self.value);
        self.table.push_entry(index, row, &self.row_key, key, value)?;
        self.sorters[index].add(key, number, value, &mut self.free);
        Ok(())
    }

    fn make_room(&mut self) -> Result<()> {
        while self.sorters.iter().map(Sorter::memory_bytes).sum::<usize>() > self.entries_max {
            if self.memory.borrow() {
                let form = run_form(self.memory.bytes(), self.sorters.len());
                self.sorters.iter_mut().for_each(|sorter| sorter.set_form(form));
                self.divide_memory();
                continue;
            }
            let largest = self.sorters.iter_mut().max_by_key(|sorter| sorter.memory_bytes());
            let sorter = largest.expect("a table has a primary index");
            let directory = self.directory.as_ref().ok_or(Error::NoMemory)?;
            self.store.check_room(sorter.memory_bytes() as u64)?;
            sorter.spill(directory, &mut self.free)?;
            self.divide_memory();
        }
        Ok(())
    }

    /// Lets entries have what of the memory is not for runs.
    fn divide_memory(&mut self) {
        let bytes_max = self.memory.bytes() / ENTRIES_PART.1 * ENTRIES_PART.0;
        // What there is to remember of runs is little, but grows.
        let runs = self.sorters.iter().map(Sorter::run_bytes).sum::<usize>();
        self.entries_max = bytes_max.saturating_sub(runs).max(bytes_max / ENTRIES_PART_MIN);
        let beyond = (runs + self.entries_max).saturating_sub(bytes_max);
        self.memory.set_used(self.memory.bytes() + beyond);
    }

    /// There are no more rows for this thread. What is in memory goes to the disk as well where a
    /// merge of the runs needs the room.
    ///
    /// # Errors
    /// `DiskFull`, `Store`.
    pub fn finish(mut self) -> Result<SortedRows> {
        let is_tight = self.merge_bytes() > 0 && self.bytes_at_end() > self.memory.bytes();
        match &self.directory {
            Some(directory) if is_tight => {
                for sorter in &mut self.sorters {
                    self.store.check_room(sorter.memory_bytes() as u64)?;
                    sorter.spill_last(directory, &mut self.free)?;
                }
            }
            _ => self.sorters.iter_mut().for_each(Sorter::sort),
        }
        self.memory.set_used(self.bytes_at_end());
        Ok(SortedRows { sorters: self.sorters, memory: self.memory })
    }

    /// Bytes for its part of a merge: each thread that merges has blocks of these runs.
    fn merge_bytes(&self) -> usize {
        threads() * self.sorters.iter().map(Sorter::merge_bytes).max().unwrap_or(0)
    }

    /// Bytes once there are no more rows, as it is now.
    fn bytes_at_end(&self) -> usize {
        self.sorters.iter().map(Sorter::bytes).sum::<usize>() + self.merge_bytes()
    }
}
