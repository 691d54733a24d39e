//! Sorted rows and entries on their way into files of the store, on all cores.
//!
//! Invariants
//! 1. Every range of every index is written once in a pass, and equal keys lie in one range.
//! 2. Nothing of it is there before the files are taken over; a crash before leaves nothing.
//!
//! Not here: which rows are kept (`duplicates`), when they appear (`load`, `alter::online`).

use std::sync::Arc;

use parking_lot::Mutex;
use resources::background::{begin_busy_thread, cores};
use resources::interrupt;
use resources::parallel::share_out;
use values::row::RowRef;

use super::duplicates::{
    Duplicates, EntryPass, KeptEntries, OnDuplicate, Pruning, duplicate_of, is_unique,
};
use super::existing::Existing;
use super::memory::SortMemory;
use super::merge::Merge;
use super::progress::Progress;
use super::rows::{RowSorter, SortedRows};
use super::sorter::Sorter;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::find::row_at;
use crate::ingestion::Ingestion;
use crate::store::{Batch, Change, Cursor, Durability, KeyRange, Reach, Read, Store};
use crate::table::Table;
use crate::transaction::{ChangeOutcome, NumberRules, RowChange, Transaction};

/// Threads, at most.
const THREADS_MAX: usize = 8;
/// A range that a thread merges at a time: entries of so many bytes, and so many ranges for each
/// thread, if that leaves enough to each.
const RANGE_BYTES_MIN: u64 = 8 << 20;
const RANGE_BYTES_MAX: u64 = 128 << 20;
const RANGES_PER_THREAD: u64 = 8;
/// Entries of fewer bytes are not worth files of their own: they go through the log.
const FILES_BYTES_MIN: u64 = 1 << 20;

/// Ends a long pass when the statement that it belongs to is to end.
pub(crate) fn go_on(count: u64) -> Result<()> {
    const UNASKED: u64 = 1024;
    if count.is_multiple_of(UNASKED) && interrupt::is_wanted() {
        return Err(Error::LockTimeout);
    }
    Ok(())
}

/// What was done with rows that were sorted.
#[derive(Debug, Default)]
pub struct BulkOutcome {
    /// Rows that are there now.
    pub rows: u64,
    /// Rows that were left out, or replaced by later ones.
    pub lost: u64,
    /// Why rows were left out, by their numbers: of the first ones.
    pub told: Vec<(u64, Error)>,
}

/// For whom, and how, rows are sorted and written.
#[derive(Clone, Copy)]
pub(crate) struct Build<'a> {
    pub engine: &'a Engine,
    pub table: &'a Arc<Table>,
    pub on_duplicate: OnDuplicate,
    pub progress: &'a Progress,
    /// The table's rows, if it has any.
    pub existing: Option<&'a dyn Read>,
    /// The state in which the rows stand of which only entries are made.
    pub rows_in: Option<&'a dyn Read>,
}

/// What became of sorted rows.
pub(crate) enum BuildOutcome<'a> {
    /// Files that only have to be taken over.
    Files { files: Box<dyn Ingestion + 'a>, outcome: BulkOutcome },
    /// Rows that were there before are to be replaced, which no file can do.
    Replacing(Box<Replacing>),
}

/// Sorted rows of which some take the place of rows that are there.
pub(crate) struct Replacing {
    sorted: LoadSorters,
    duplicates: Duplicates,
}

/// How many threads sort and write.
pub(crate) fn threads() -> usize {
    cores().min(THREADS_MAX)
}

impl<'a> Build<'a> {
    /// Sorters for so many threads. `first_row_id`: of row 1, in a table without a primary key.
    ///
    /// # Errors
    /// `NoMemory`.
    pub fn sorters(self, threads: usize, first_row_id: u64) -> Result<Vec<RowSorter>> {
        let memory = SortMemory::draw(self.engine, threads)?;
        let sorter = |memory| RowSorter::new(self.engine, self.table, first_row_id, memory);
        Ok(memory.into_iter().map(sorter).collect())
    }

    /// Writes what is kept of rows of the numbers 1 to `rows`.
    ///
    /// # Errors
    /// `Duplicate` if that is an error; `NoMemory`, `DiskFull`, `Store`, `Corrupt`; `LockTimeout`
    /// when it was interrupted.
    pub fn run(self, parts: Vec<SortedRows>, rows: u64) -> Result<BuildOutcome<'a>> {
        let sorted = LoadSorters::new(parts, threads() as u64);
        self.progress.begin_merging(sorted.entries());
        // A row has several keys of a multi-valued index.
        let keys = |index: &usize| 1 + usize::from(self.table.multi_valued_at(*index).is_some());
        let unique = (0..self.table.entry_indexes()).filter(|index| is_unique(self.table, *index));
        let several = unique.map(|index| keys(&index)).sum::<usize>() > 1;
        let share = self.engine.budget().share();
        let duplicates = Duplicates::new(self.on_duplicate, several, rows, share);
        let (mut files, mut kept) = self.write(&sorted, &duplicates, EntryPass::First)?;
        if duplicates.found() {
            if let Some((number, index)) = duplicates.first()
                && self.on_duplicate == OnDuplicate::Error
            {
                return Err(self.duplicate(&sorted, number, index)?);
            }
            drop(files);
            if duplicates.replaces() {
                return Ok(BuildOutcome::Replacing(Box::new(Replacing { sorted, duplicates })));
            }
            duplicates.settle()?;
            self.progress.begin_merging(sorted.entries());
            (files, kept) = self.write(&sorted, &duplicates, EntryPass::Second)?;
        }
        let lost = duplicates.lost_count();
        let outcome = BulkOutcome { rows: kept, lost, told: duplicates.into_told() };
        Ok(BuildOutcome::Files { files, outcome })
    }

    /// As `run`, where there is nothing else under these keys: and all of it is there on return.
    ///
    /// # Errors
    /// As `run`, and those of the store.
    pub fn run_alone(self, parts: Vec<SortedRows>, rows: u64) -> Result<BulkOutcome> {
        debug_assert!(self.existing.is_none(), "nothing is to be looked for");
        match self.run(parts, rows)? {
            BuildOutcome::Files { files, outcome } => files.finish().map(|()| outcome),
            BuildOutcome::Replacing(_) => unreachable!("nothing is there to be replaced"),
        }
    }

    /// Puts the rows that are kept into a transaction, by which all those go that share a unique
    /// key with any row of the load: one that is lost has replaced rows, too, before it was.
    ///
    /// # Errors
    /// As `Transaction::insert`; `LockTimeout` when it was interrupted.
    pub fn replace(
        self,
        rows: Box<Replacing>,
        transaction: &mut Transaction,
    ) -> Result<BulkOutcome> {
        let Replacing { sorted, duplicates } = *rows;
        self.progress.begin_merging(sorted.entries());
        let mut outcome = BulkOutcome { lost: duplicates.lost_count(), ..BulkOutcome::default() };
        for index in (0..sorted.indexes.len()).filter(|index| is_unique(self.table, *index)) {
            outcome.lost += self.clear_index(&sorted.indexes[index], index, transaction)?;
        }
        let all = KeyRange::default();
        let merge = Merge::of_sorters(&sorted.indexes[0], &all)?;
        let mut kept =
            KeptEntries::new(self.pruning(&duplicates, EntryPass::Second), 0, &all, merge)?;
        transaction.number_by(NumberRules::AS_GIVEN);
        while kept.advance()? {
            let (key, value) = kept.entry();
            transaction.insert(self.table, &row_at(self.table, key, value)?.values()?)?;
            outcome.rows += 1;
        }
        Ok(outcome)
    }

    /// Removes the rows that have a key in an index which rows of the load have; how many.
    fn clear_index(
        self,
        sorters: &[Sorter],
        index: usize,
        transaction: &mut Transaction,
    ) -> Result<u64> {
        let all = KeyRange::default();
        let existing = match self.existing {
            Some(view) => Existing::of(view, self.table, index, &all)?,
            None => None,
        };
        let Some(mut existing) = existing else { return Ok(0) };
        let mut merge = Merge::of_sorters(sorters, &all)?;
        let (mut row_key, mut count, mut removed) = (Vec::new(), 0, 0);
        while merge.advance()? {
            count += 1;
            go_on(count)?;
            if existing.find(merge.numbered().0, &mut row_key)? {
                let delete = &mut |_: RowRef<'_>| Ok(RowChange::Delete);
                // Another of its keys, or an equal one, may have been met before.
                let gone = transaction.change_row::<Error>(self.table, &row_key, delete)?;
                removed += u64::from(gone == ChangeOutcome::Deleted);
            }
        }
        Ok(removed)
    }

    fn pruning<'b>(&self, duplicates: &'b Duplicates, pass: EntryPass) -> Pruning<'b>
    where
        'a: 'b,
    {
        let Build { engine, table, progress, existing, .. } = *self;
        Pruning { table, duplicates, directory: engine.spill(), progress, pass, existing }
    }

    /// Merges all ranges into files; how many rows there are in them.
    fn write(
        self,
        sorted: &LoadSorters,
        duplicates: &Duplicates,
        pass: EntryPass,
    ) -> Result<(Box<dyn Ingestion + 'a>, u64)> {
        let store = self.engine.store();
        // Only files have segments of a columnar index made of them.
        let is_few = sorted.bytes() < FILES_BYTES_MIN && self.table.columnar_index.is_none();
        let files: Box<dyn Ingestion + 'a> = match is_few {
            true => Box::new(FewEntries { store: &**store, batch: Mutex::default() }),
            false => store.ingestion()?,
        };
        let of = self.pruning(duplicates, pass);
        let merge_range = |rows: &mut u64, part: usize| {
            begin_busy_thread(self.engine.budget().bytes_max());
            let (index, range) = &sorted.ranges[part];
            let merge = Merge::of_sorters(&sorted.indexes[*index], range)?;
            let added = files.add(&mut KeptEntries::new(of, *index, range, merge)?)?;
            if *index == 0 {
                *rows += added;
            }
            Ok(())
        };
        let workers = vec![0; threads().min(sorted.ranges.len())];
        let rows = share_out(workers, sorted.ranges.len(), merge_range, Ok::<_, Error>)?;
        Ok((files, rows.iter().sum()))
    }

    /// The error of a row whose key in an index is taken.
    fn duplicate(self, sorted: &LoadSorters, number: u64, index: usize) -> Result<Error> {
        let missing = || Error::Corrupt { key: Vec::new(), why: "a row of a load is missing" };
        // With the rows, or only with the entries of new indexes.
        let rows = sorted.indexes[0].iter().map(Sorter::entries).sum::<u64>() > 0;
        let stream = if rows { 0 } else { index };
        let mut merge = Merge::of_sorters(&sorted.indexes[stream], &KeyRange::default())?;
        let mut count = 0;
        loop {
            if !merge.advance()? {
                return Err(missing());
            }
            count += 1;
            go_on(count)?;
            if merge.numbered().1 == number {
                break;
            }
        }
        let (key, _) = merge.numbered();
        if rows {
            return duplicate_of(self.table, index, key, merge.value());
        }
        let (mut row_key, mut row) = (Vec::new(), Vec::new());
        self.table.entry_target(index, key, merge.value(), &mut row_key)?;
        let rows_in = self.rows_in.unwrap_or_else(|| self.engine.latest());
        match rows_in.get(&row_key, Reach::Disk, &mut row)? {
            true => duplicate_of(self.table, index, &row_key, &row),
            false => Err(missing()),
        }
    }
}

/// So few entries that one batch takes them.
struct FewEntries<'s> {
    store: &'s dyn Store,
    batch: Mutex<Batch>,
}

impl Ingestion for FewEntries<'_> {
    fn add(&self, entries: &mut dyn Cursor) -> Result<u64> {
        let mut batch = self.batch.lock();
        let before = batch.changes.len();
        while entries.advance()? {
            let (key, value) = entries.entry();
            batch.changes.push(Change::put(key.to_vec(), value.to_vec()));
        }
        Ok((batch.changes.len() - before) as u64)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.store.write(&self.batch.into_inner(), Durability::EveryCommit)
    }
}

/// All sorters of a load, by index, and the ranges in which they are merged.
struct LoadSorters {
    indexes: Vec<Vec<Sorter>>,
    ranges: Vec<(usize, KeyRange)>,
    /// Of the sorters, and for merging them.
    _memory: Vec<SortMemory>,
}

impl LoadSorters {
    /// To be merged by so many threads.
    fn new(parts: Vec<SortedRows>, threads: u64) -> LoadSorters {
        let mut indexes: Vec<Vec<Sorter>> = Vec::new();
        let mut memory = Vec::with_capacity(parts.len());
        for SortedRows { sorters, memory: of_sorters } in parts {
            memory.push(of_sorters);
            indexes.resize_with(sorters.len().max(indexes.len()), Vec::new);
            for (index, sorter) in sorters.into_iter().enumerate() {
                indexes[index].push(sorter);
            }
        }
        let bytes: u64 = indexes.iter().flatten().map(Sorter::total_bytes).sum();
        let range_bytes =
            (bytes / (threads * RANGES_PER_THREAD)).clamp(RANGE_BYTES_MIN, RANGE_BYTES_MAX);
        let ranges = indexes.iter().enumerate().flat_map(|(index, sorters)| {
            cut(sorters, range_bytes).into_iter().map(move |range| (index, range))
        });
        let ranges = ranges.collect();
        LoadSorters { indexes, ranges, _memory: memory }
    }

    fn entries(&self) -> u64 {
        self.indexes.iter().flatten().map(Sorter::entries).sum()
    }

    fn bytes(&self) -> u64 {
        self.indexes.iter().flatten().map(Sorter::total_bytes).sum()
    }
}

/// Cuts the entries of an index into ranges of about so many bytes.
fn cut(sorters: &[Sorter], range_bytes: u64) -> Vec<KeyRange> {
    let bytes: u64 = sorters.iter().map(Sorter::total_bytes).sum();
    let count = (bytes / range_bytes).max(1) as usize;
    let mut samples: Vec<&[u8]> = sorters.iter().flat_map(Sorter::samples).collect();
    samples.sort_unstable();
    samples.dedup();
    let mut ranges = Vec::with_capacity(count);
    let mut start = Vec::new();
    for part in 1..count {
        let Some(end) = samples.get(samples.len() * part / count) else { break };
        if *end > &start[..] {
            let range =
                KeyRange { start: std::mem::replace(&mut start, end.to_vec()), end: end.to_vec() };
            ranges.push(range);
        }
    }
    ranges.push(KeyRange { start, end: Vec::new() });
    ranges
}
