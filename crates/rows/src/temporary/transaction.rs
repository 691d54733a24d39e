//! A transaction of a store with temporary tables beside it.
//!
//! The store's transaction buffers all writes, those of temporary tables too. Beneath the latter
//! lies what is committed of these tables, and not the store.
//!
//! Invariants
//! 1. Nothing of a temporary table is locked: nobody else has it.
//!
//! Not here: commits of batches (`store`).

use std::any::Any;
use std::sync::Arc;

use resources::spill::SpillDirectory;

use super::all_keys;
use super::tables::TemporaryTables;
use crate::error::Result;
use crate::local::SortedWrites;
use crate::row_lock_wait::LockMode;
use crate::store::{
    Batch, Cursor, Direction, Durability, KeyRange, LockWait, Reach, Read, Savepoint,
    StoreTransaction,
};
use crate::temporary_ids::is_temporary_key;

/// The transaction.
pub(super) struct TransactionWithTemporary {
    pub inner: Box<dyn StoreTransaction>,
    pub tables: Arc<TemporaryTables>,
    pub spill: Option<Arc<SpillDirectory>>,
}

impl Read for TransactionWithTemporary {
    fn beneath(&self, range: &KeyRange) -> Option<&dyn Any> {
        if is_temporary_key(&range.start) { None } else { self.inner.beneath(range) }
    }

    fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        if !is_temporary_key(key) {
            return self.inner.get(key, reach, value);
        }
        match self.inner.own_write(key, value)? {
            Some(found) => Ok(found),
            None => self.tables.get(key, reach, value),
        }
    }

    fn contains(&self, key: &[u8], reach: Reach) -> Result<bool> {
        match is_temporary_key(key) {
            true => self.get(key, reach, &mut Vec::new()),
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
            true => self.inner.view_at(&*self.tables).get_many(keys, reach, each),
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
            true => self.inner.scan_over(&*self.tables, range, direction, reach),
            false => self.inner.scan(range, direction, reach),
        }
    }

    fn scan_once<'a>(&'a self, range: &KeyRange) -> Result<Box<dyn Cursor + 'a>> {
        match is_temporary_key(&range.start) {
            true => self.scan(range, Direction::Forward, Reach::Disk),
            false => self.inner.scan_once(range),
        }
    }
}

impl StoreTransaction for TransactionWithTemporary {
    fn lock(&mut self, key: &[u8], wait: LockWait) -> Result<bool> {
        if is_temporary_key(key) { Ok(false) } else { self.inner.lock(key, wait) }
    }

    fn lock_shared(&mut self, key: &[u8], wait: LockWait) -> Result<bool> {
        if is_temporary_key(key) { Ok(false) } else { self.inner.lock_shared(key, wait) }
    }

    fn serve_many(&mut self) {
        self.inner.serve_many();
    }

    fn is_locked_by_others(&self, key: &[u8], mode: LockMode) -> bool {
        !is_temporary_key(key) && self.inner.is_locked_by_others(key, mode)
    }

    fn unlock(&mut self, key: &[u8]) {
        self.inner.unlock(key);
    }

    fn lock_range(&mut self, range: &KeyRange, mode: LockMode) {
        if !is_temporary_key(&range.start) {
            self.inner.lock_range(range, mode);
        }
    }

    fn await_inserts(&mut self, ranges: &[KeyRange], wait: LockWait) -> Result<()> {
        match ranges.first().is_some_and(|range| is_temporary_key(&range.start)) {
            true => Ok(()),
            false => self.inner.await_inserts(ranges, wait),
        }
    }

    fn keep_ranges(&mut self) {
        self.inner.keep_ranges();
    }

    fn withdraw_ranges(&mut self) {
        self.inner.withdraw_ranges();
    }

    fn cut_ranges(&mut self, key: &[u8], direction: Direction) {
        self.inner.cut_ranges(key, direction);
    }

    fn are_ranges_locked(&self) -> bool {
        self.inner.are_ranges_locked()
    }

    fn await_ranges(&mut self, key: &[u8], wait: LockWait) -> Result<()> {
        self.inner.await_ranges(key, wait)
    }

    fn insert(&mut self, key: Vec<u8>, value: Vec<u8>, wait: LockWait) -> Result<()> {
        self.inner.insert(key, value, wait)
    }

    fn lock_table(&mut self, table: [u8; 4], claim: &mut dyn FnMut() -> bool) -> bool {
        self.inner.lock_table(table, claim)
    }

    fn await_table(&mut self, table: [u8; 4], wait: LockWait) -> Result<()> {
        self.inner.await_table(table, wait)
    }

    fn lock_owner(&self) -> Option<u64> {
        self.inner.lock_owner()
    }

    fn locks_of(&self, table: [u8; 4]) -> usize {
        self.inner.locks_of(table)
    }

    fn locks(&self) -> usize {
        self.inner.locks()
    }

    fn lock_bytes(&self) -> usize {
        self.inner.lock_bytes()
    }

    fn put(&mut self, key: Vec<u8>, value: Vec<u8>) {
        self.inner.put(key, value);
    }

    fn delete(&mut self, key: Vec<u8>) {
        self.inner.delete(key);
    }

    fn savepoint(&self) -> Savepoint {
        self.inner.savepoint()
    }

    fn rollback_to(&mut self, savepoint: Savepoint) {
        self.inner.rollback_to(savepoint);
    }

    fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
    }

    fn spill(&mut self, directory: &Arc<SpillDirectory>) -> Result<()> {
        self.inner.spill(directory)
    }

    fn spillable_bytes(&self) -> usize {
        self.inner.spillable_bytes()
    }

    fn is_spilled(&self) -> bool {
        self.inner.is_spilled()
    }

    fn take_batch(&mut self) -> Option<Batch> {
        self.inner.take_batch()
    }

    fn writes_in<'a>(&'a self, range: &KeyRange) -> Box<SortedWrites<'a>> {
        self.inner.writes_in(range)
    }

    fn apply(&mut self, durability: Durability) -> Result<()> {
        let Some(spill) = &self.spill else { return self.inner.apply(durability) };
        let temporary = || self.inner.writes_in(&all_keys());
        let files = self.tables.write_files(&temporary, spill)?;
        self.inner.apply(durability)?;
        self.tables.publish(files, spill)
    }

    fn view_at<'a>(&'a self, snapshot: &'a dyn Read) -> Box<dyn Read + 'a> {
        self.inner.view_at(snapshot)
    }

    fn scan_over<'a>(
        &'a self,
        base: &'a dyn Read,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'a>> {
        self.inner.scan_over(base, range, direction, reach)
    }

    fn frozen_at(&self, snapshot: Arc<dyn Read>) -> Arc<dyn Read> {
        self.inner.frozen_at(snapshot)
    }
}
