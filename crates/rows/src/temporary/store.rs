//! A store with temporary tables beside it: keys of these go there, all others to the store.
//!
//! Invariants
//! 1. Writes of temporary tables show only after the store has taken the rest of their transaction.
//! 2. A transaction that has written nothing else leaves the store alone: no log, no sync.
//!
//! Not here: transactions (`transaction`).

use std::any::Any;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::Arc;

use resources::spill::SpillDirectory;

use super::tables::TemporaryTables;
use super::transaction::TransactionWithTemporary;
use crate::begun_reads::BegunReads;
use crate::error::Result;
use crate::ingestion::{Ingestion, TableStore};
use crate::row_lock_wait::{HeldRowLock, RowLockWait};
use crate::store::{
    Batch, Change, Cursor, Direction, Durability, KeyRange, LockWaker, LockedRange, LoopStore,
    RangeSizes, Reach, Read, Store, StoreStatus, StoreTransaction, StoreUpkeep,
};
use crate::table::Table;
use crate::temporary_ids::is_temporary_key;

/// A reader with what is committed of temporary tables beside it: the store, or a snapshot of it.
pub(crate) struct WithTemporary<R: ?Sized> {
    inner: Arc<R>,
    tables: Arc<TemporaryTables>,
    spill: Option<Arc<SpillDirectory>>,
}

/// The store with temporary tables.
pub(crate) type StoreWithTemporary = WithTemporary<dyn TableStore>;

impl StoreWithTemporary {
    pub fn new(
        inner: Arc<dyn TableStore>,
        tables: Arc<TemporaryTables>,
        spill: Option<Arc<SpillDirectory>>,
    ) -> StoreWithTemporary {
        StoreWithTemporary { inner, tables, spill }
    }

    /// Writes batches with writes of temporary tables among them.
    fn write_both(
        &self,
        batches: &[&Batch],
        write: impl FnOnce(&[&Batch]) -> Result<bool>,
    ) -> Result<bool> {
        let is_temporary = |change: &Change| match change {
            Change::Put(key, _) | Change::Delete(key) => is_temporary_key(key),
            Change::DeleteRange(range) => is_temporary_key(&range.start),
        };
        let rest = |batch: &&Batch| {
            let changes = batch.changes.iter().filter(|change| !is_temporary(change));
            Batch { changes: changes.cloned().collect() }
        };
        let rests: Vec<Batch> = batches.iter().map(rest).collect();
        let rests: Vec<&Batch> = rests.iter().filter(|batch| !batch.changes.is_empty()).collect();
        if !rests.is_empty() && !write(&rests)? {
            return Ok(false);
        }
        for batch in batches {
            for temporary in batch.changes.chunk_by(|a, b| is_temporary(a) == is_temporary(b)) {
                if is_temporary(&temporary[0]) {
                    self.tables.apply(temporary);
                }
            }
        }
        Ok(true)
    }
}

/// Whether there are writes of temporary tables: a transaction's are in the order of keys, and only
/// a few keys of the store lie behind theirs.
fn has_temporary(batches: &[&Batch]) -> bool {
    batches.iter().any(|batch| match batch.changes.last() {
        Some(Change::Put(key, _) | Change::Delete(key)) => is_temporary_key(key),
        Some(Change::DeleteRange(range)) => is_temporary_key(&range.start),
        None => false,
    })
}

impl<R: Read + ?Sized + 'static> Read for WithTemporary<R> {
    fn beneath(&self, range: &KeyRange) -> Option<&dyn Any> {
        if is_temporary_key(&range.start) { None } else { self.inner.beneath(range) }
    }

    fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        match is_temporary_key(key) {
            true => self.tables.get(key, reach, value),
            false => self.inner.get(key, reach, value),
        }
    }

    fn contains(&self, key: &[u8], reach: Reach) -> Result<bool> {
        match is_temporary_key(key) {
            true => self.tables.contains(key, reach),
            false => self.inner.contains(key, reach),
        }
    }

    fn sequence(&self) -> Option<u64> {
        self.inner.sequence()
    }

    fn own_write(&self, key: &[u8], value: &mut Vec<u8>) -> Result<Option<bool>> {
        self.inner.own_write(key, value)
    }

    fn get_many(
        &self,
        keys: &[Vec<u8>],
        reach: Reach,
        each: &mut dyn FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        match keys.first().is_some_and(|key| is_temporary_key(key)) {
            true => self.tables.get_many(keys, reach, each),
            false => self.inner.get_many(keys, reach, each),
        }
    }

    fn scan<'a>(
        &'a self,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'a>> {
        match is_temporary_key(&range.start) {
            true => self.tables.scan(range, direction, reach),
            false => self.inner.scan(range, direction, reach),
        }
    }

    fn scan_once<'a>(&'a self, range: &KeyRange) -> Result<Box<dyn Cursor + 'a>> {
        match is_temporary_key(&range.start) {
            true => self.tables.scan_once(range),
            false => self.inner.scan_once(range),
        }
    }
}

impl Store for StoreWithTemporary {
    fn snapshot(&self) -> Result<Arc<dyn Read>> {
        let inner = self.inner.snapshot()?;
        let tables = Arc::clone(&self.tables);
        Ok(Arc::new(WithTemporary { inner, tables, spill: None }))
    }

    fn write_all(&self, batches: &[&Batch], durability: Durability) -> Result<()> {
        if !has_temporary(batches) {
            return self.inner.write_all(batches, durability);
        }
        self.write_both(batches, |rest| self.inner.write_all(rest, durability).map(|()| true))
            .map(drop)
    }

    fn try_write_all(&self, batches: &[&Batch], durability: Durability) -> Result<bool> {
        if !has_temporary(batches) {
            return self.inner.try_write_all(batches, durability);
        }
        self.write_both(batches, |rest| self.inner.try_write_all(rest, durability))
    }

    fn sync(&self) -> Result<()> {
        self.inner.sync()
    }

    fn begin(&self) -> Result<Box<dyn StoreTransaction>> {
        let inner = self.inner.begin()?;
        let (tables, spill) = (Arc::clone(&self.tables), self.spill.clone());
        Ok(Box::new(TransactionWithTemporary { inner, tables, spill }))
    }
}

impl LoopStore for StoreWithTemporary {
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

impl StoreUpkeep for StoreWithTemporary {
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

    fn is_disk_full(&self) -> bool {
        self.inner.is_disk_full()
    }

    fn checkpoint(&self, directory: &Path) -> Result<()> {
        self.inner.checkpoint(directory)
    }

    fn reclaim(&self, ranges: &[KeyRange]) -> Result<()> {
        self.inner.reclaim(ranges)
    }

    fn reclaim_noted(&self, ranges: &[KeyRange], forgotten: Batch) -> Result<()> {
        self.inner.reclaim_noted(ranges, forgotten)
    }

    fn approximate_bytes(&self, range: &KeyRange) -> Result<u64> {
        match is_temporary_key(&range.start) {
            true => Ok(self.tables.bytes_in(range)),
            false => self.inner.approximate_bytes(range),
        }
    }

    fn file_bytes(&self, range: &KeyRange) -> Result<u64> {
        match is_temporary_key(&range.start) {
            // No part of it is known by itself.
            true => Ok(0),
            false => self.inner.file_bytes(range),
        }
    }

    fn sizes(&self, range: &KeyRange) -> Result<RangeSizes> {
        match is_temporary_key(&range.start) {
            true => Ok(RangeSizes::default()),
            false => self.inner.sizes(range),
        }
    }

    fn verify(&self) -> Result<()> {
        self.inner.verify()
    }

    fn status(&self) -> StoreStatus {
        let mut status = self.inner.status();
        status.figures.push(("temporary_tables".to_owned(), self.tables.count() as u64));
        status
    }
}

impl TableStore for StoreWithTemporary {
    fn know(&self, table: &Arc<Table>) {
        if !table.is_temporary() {
            self.inner.know(table);
        }
    }

    fn ingest(&self, entries: &mut dyn Iterator<Item = Result<(Vec<u8>, Vec<u8>)>>) -> Result<u64> {
        self.inner.ingest(entries)
    }

    fn ingestion(&self) -> Result<Box<dyn Ingestion>> {
        self.inner.ingestion()
    }

    fn column_ingestion(&self, table: &Arc<Table>) -> Result<Box<dyn Ingestion>> {
        self.inner.column_ingestion(table)
    }
}
