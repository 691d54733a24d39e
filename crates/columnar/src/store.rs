//! A store that keeps the rows of some tables by column, on top of one that keeps bytes.
//!
//! A reader through `rows::store` sees no difference: where the store beneath has a place instead
//! of a row, the row is made of its columns. Rows are written as rows, with a note that they are
//! recent; a writer that replaces or removes a row of a segment also notes that its place is dead.
//! All of it is in the batch that changes the row, so that a commit, a snapshot and a copy have
//! both. Later the `mover` makes segments of recent rows; loads make them at once (`ingest`).
//!
//! Invariants
//! 1. A writer of a row holds its lock, so what the store has in its place does not change
//!    meanwhile.
//! 2. For a table that is not columnar no call does more than a look at a number.
//!
//! Not here: how a place becomes a row (`reader`), states of before (`snapshot`), what a scan by
//! column sees (`scan`), what is noted of a write (`notes`), transactions that are larger than
//! memory (`sorted`).

use std::cell::Cell;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::Arc;

use rows::begun_reads::BegunReads;
use rows::error::{Error, Result, Wait};
use rows::ingestion::{Ingestion, TableStore};
use rows::local::{LocalStore, LocalTransaction, Passes};
use rows::locks::LockTable;
use rows::row_lock_wait::{HeldRowLock, RowLockWait};
use rows::store::{
    Batch, Change, Cursor, Direction, Durability, KeyRange, LockWaker, LockedRange, LoopStore,
    RangeSizes, Reach, Read, Store, StoreStatus, StoreTransaction, StoreUpkeep,
};
use rows::table::Table;

use crate::cache::Cache;
use crate::ingest::{IndexFill, Sealing};
use crate::keys;
use crate::notes::{Note, NoteCounts};
use crate::reader::{Columns, Reader, RowCursor, View};
use crate::snapshot::ColumnSnapshot;
use crate::sorted::NotedWrites;

/// Bytes of rows that make a segment full: a part of the memory, within limits.
const SEGMENT_PART: usize = 64;
const SEGMENT_BYTES_MIN: usize = 1 << 20;
const SEGMENT_BYTES_MAX: usize = 32 << 20;

/// A store with columnar tables; clones are handles of the same one.
pub struct ColumnStore<S> {
    pub(crate) inner: S,
    pub(crate) columns: Arc<Columns>,
}

impl<S: Clone> Clone for ColumnStore<S> {
    fn clone(&self) -> ColumnStore<S> {
        ColumnStore { inner: self.inner.clone(), columns: Arc::clone(&self.columns) }
    }
}

impl<S: TableStore + LocalStore> ColumnStore<S> {
    /// On top of a store, with so many bytes of memory, which it lends, for columns.
    pub fn new(inner: S, memory_bytes: usize) -> ColumnStore<S> {
        let lender = inner.clone();
        let cache = Cache::new(memory_bytes, Box::new(move |bytes| lender.lend(bytes)));
        let segment_bytes =
            (memory_bytes / SEGMENT_PART).clamp(SEGMENT_BYTES_MIN, SEGMENT_BYTES_MAX);
        ColumnStore { inner, columns: Arc::new(Columns::new(cache, segment_bytes)) }
    }

    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader { columns: &self.columns, inner: &self.inner }
    }

    /// Batches as one, with their notes; `None` when there are none.
    fn noted(&self, batches: &[&Batch], reach: Reach) -> Result<Option<(Batch, NoteCounts)>> {
        if self.columns.tables.is_empty() {
            return Ok(None);
        }
        let mut counted = NoteCounts::default();
        let mut notes = Vec::new();
        for change in batches.iter().flat_map(|batch| &batch.changes) {
            let (key, put) = match change {
                Change::Put(key, _) => (key, true),
                Change::Delete(key) => (key, false),
                Change::DeleteRange(_) => continue,
            };
            let Some(known) = self.columns.tables.of_row(key) else { continue };
            let note = Note::of(&self.inner, &known, key, put, reach)?;
            counted.add(&known, put, &note, &self.columns.tables);
            if let Some(place) = note.dead {
                notes.push(Change::put(keys::dead(known.id, place), Vec::new()));
            }
            if note.recent {
                let recent = keys::recent(known.id, key);
                notes.push(match put {
                    true => Change::put(recent, Vec::new()),
                    false => Change::delete(recent),
                });
            }
        }
        if notes.is_empty() {
            return Ok(None);
        }
        // As one: batches that are handed over together may be made one atomic whole.
        let changes = batches.iter().flat_map(|batch| batch.changes.iter().cloned());
        Ok(Some((Batch { changes: changes.chain(notes).collect() }, counted)))
    }

    /// Forgets tables whose whole range was removed.
    fn forget(&self, batches: &[&Batch]) {
        if self.columns.tables.is_empty() && !self.columns.tables.has_indexes() {
            return;
        }
        for change in batches.iter().flat_map(|batch| &batch.changes) {
            if let Change::DeleteRange(range) = change
                && let Some(tables) = keys::whole_tables(range)
            {
                self.columns.tables.forget(&tables);
            }
        }
    }
}

impl<S: TableStore + LocalStore> Read for ColumnStore<S> {
    fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        self.reader().get(key, reach, value)
    }

    fn contains(&self, key: &[u8], reach: Reach) -> Result<bool> {
        self.inner.contains(key, reach)
    }

    fn sequence(&self) -> Option<u64> {
        self.inner.sequence()
    }

    fn get_many(
        &self,
        keys: &[Vec<u8>],
        reach: Reach,
        each: &mut dyn FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        self.reader().get_many(keys, reach, each)
    }

    fn scan<'a>(
        &'a self,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'a>> {
        let Some(known) = self.columns.tables.of_row(&range.start) else {
            return self.inner.scan(range, direction, reach);
        };
        let _unmoved = match reach {
            Reach::Memory => known.moving.try_read().ok_or(Error::WouldWait(Wait::Disk))?,
            Reach::Disk => known.moving.read(),
        };
        // Columns are read from a state that is no older than the rows: meanwhile loads may add
        // segments, and nobody removes any.
        let cursor = self.inner.scan(range, direction, reach)?;
        let view = View::Own(self.inner.snapshot()?);
        Ok(Box::new(RowCursor::new(cursor, &self.columns, view, reach)))
    }
}

impl<S: TableStore + LocalStore> LocalStore for ColumnStore<S> {
    fn locks(&self) -> &LockTable {
        self.inner.locks()
    }

    fn apply(&self, batch: &Batch, durability: Durability) -> Result<()> {
        self.write(batch, durability)
    }

    fn apply_sorted(&self, passes: &Passes<'_>) -> Result<()> {
        if self.columns.tables.is_empty() {
            return self.inner.apply_sorted(passes);
        }
        let (inner, tables) = (&self.inner, &self.columns.tables);
        let mut noted = NotedWrites::new(inner, tables, passes);
        let once = Cell::new(Some(&mut noted));
        self.inner.apply_sorted(&|| match once.take() {
            Some(noted) => Box::new(noted),
            None => Box::new(NotedWrites::new(inner, tables, passes)),
        })?;
        noted.into_counted().settle();
        Ok(())
    }
}

impl<S: TableStore + LocalStore> Store for ColumnStore<S> {
    fn snapshot(&self) -> Result<Arc<dyn Read>> {
        let (inner, moment) = self.columns.tables.at_moment(|| self.inner.snapshot())?;
        Ok(Arc::new(ColumnSnapshot { inner, columns: Arc::clone(&self.columns), moment }))
    }

    fn write_all(&self, batches: &[&Batch], durability: Durability) -> Result<()> {
        match self.noted(batches, Reach::Disk)? {
            None => self.inner.write_all(batches, durability)?,
            Some((noted, counted)) => {
                self.inner.write(&noted, durability)?;
                counted.settle();
            }
        }
        self.forget(batches);
        Ok(())
    }

    fn try_write_all(&self, batches: &[&Batch], durability: Durability) -> Result<bool> {
        let noted = match self.noted(batches, Reach::Memory) {
            Err(Error::WouldWait(Wait::Disk)) => return Ok(false),
            noted => noted?,
        };
        let written = match noted {
            None => self.inner.try_write_all(batches, durability)?,
            Some((noted, counted)) => {
                let written = self.inner.try_write_all(&[&noted], durability)?;
                if written {
                    counted.settle();
                }
                written
            }
        };
        if written {
            self.forget(batches);
        }
        Ok(written)
    }

    fn sync(&self) -> Result<()> {
        self.inner.sync()
    }

    fn begin(&self) -> Result<Box<dyn StoreTransaction>> {
        Ok(Box::new(LocalTransaction::new(self.clone())))
    }
}

impl<S: TableStore + LocalStore> LoopStore for ColumnStore<S> {
    fn disk_waits(&self) -> u64 {
        self.inner.disk_waits()
    }

    fn begin_turn(&self, can_begin_reads: bool) {
        self.inner.begin_turn(can_begin_reads);
    }

    fn watch_refused(&self, waker: &LockWaker) -> bool {
        self.inner.watch_refused(waker)
    }

    fn begun_reads(&self, wake: BorrowedFd<'_>) -> Option<Box<dyn BegunReads>> {
        self.inner.begun_reads(wake)
    }
}

impl<S: TableStore + LocalStore> StoreUpkeep for ColumnStore<S> {
    fn lend(&self, bytes: usize) {
        self.inner.lend(bytes);
    }

    fn held_row_locks(&self, most: usize) -> Vec<HeldRowLock> {
        self.inner.held_row_locks(most)
    }

    fn row_lock_waits(&self) -> Vec<RowLockWait> {
        self.inner.row_lock_waits()
    }

    fn locked_ranges(&self, most: usize) -> Vec<LockedRange> {
        self.inner.locked_ranges(most)
    }

    fn check_room(&self, bytes: u64) -> Result<()> {
        self.inner.check_room(bytes)
    }

    fn checkpoint(&self, directory: &Path) -> Result<()> {
        self.inner.checkpoint(directory)
    }

    fn is_disk_full(&self) -> bool {
        self.inner.is_disk_full()
    }

    fn reclaim(&self, ranges: &[KeyRange]) -> Result<()> {
        self.inner.reclaim(ranges)
    }

    fn reclaim_noted(&self, ranges: &[KeyRange], forgotten: Batch) -> Result<()> {
        self.inner.reclaim_noted(ranges, forgotten)
    }

    fn approximate_bytes(&self, range: &KeyRange) -> Result<u64> {
        self.inner.approximate_bytes(range)
    }

    fn file_bytes(&self, range: &KeyRange) -> Result<u64> {
        self.inner.file_bytes(range)
    }

    fn sizes(&self, range: &KeyRange) -> Result<RangeSizes> {
        self.inner.sizes(range)
    }

    fn verify(&self) -> Result<()> {
        self.inner.verify()
    }

    fn status(&self) -> StoreStatus {
        let mut status = self.inner.status();
        let (bytes, hits, misses) = self.columns.cache.status();
        status.memory_bytes += bytes as u64;
        for (name, figure) in [
            ("column-cache-bytes", bytes as u64),
            ("column-cache-hits", hits),
            ("column-cache-misses", misses),
        ] {
            status.figures.push((name.to_string(), figure));
        }
        status
    }
}

impl<S: TableStore + LocalStore> TableStore for ColumnStore<S> {
    fn know(&self, table: &Arc<Table>) {
        if table.columnar {
            self.columns.tables.know(table);
        } else {
            self.columns.tables.know_index(table);
        }
        self.inner.know(table);
    }

    fn ingest(&self, entries: &mut dyn Iterator<Item = Result<(Vec<u8>, Vec<u8>)>>) -> Result<u64> {
        if self.columns.tables.is_empty() && !self.columns.tables.has_indexes() {
            return self.inner.ingest(entries);
        }
        let ingestion = self.ingestion()?;
        let count = ingestion.add(&mut ListCursor { entries, current: Default::default() })?;
        ingestion.finish()?;
        Ok(count)
    }

    fn ingestion(&self) -> Result<Box<dyn Ingestion>> {
        let inner = self.inner.ingestion()?;
        Ok(match self.columns.tables.is_empty() && !self.columns.tables.has_indexes() {
            true => inner,
            false => Box::new(Sealing::new(inner, &self.columns, Box::new(self.inner.clone()))),
        })
    }

    fn column_ingestion(&self, table: &Arc<Table>) -> Result<Box<dyn Ingestion>> {
        Ok(Box::new(IndexFill::new(self.inner.ingestion()?, &self.columns, table)?))
    }
}

/// Entries of an iterator as a cursor.
struct ListCursor<'a> {
    entries: &'a mut dyn Iterator<Item = Result<(Vec<u8>, Vec<u8>)>>,
    current: (Vec<u8>, Vec<u8>),
}

impl Cursor for ListCursor<'_> {
    fn advance(&mut self) -> Result<bool> {
        let Some(next) = self.entries.next() else { return Ok(false) };
        self.current = next?;
        Ok(true)
    }

    fn key(&self) -> &[u8] {
        &self.current.0
    }

    fn value(&self) -> &[u8] {
        &self.current.1
    }
}
