//! A store in memory, with versions: for tests, and as the plainest reading of `trait Store`.
//!
//! Each key has a chain of versions, oldest first. A write adds to the chains under one number; a
//! reader at number `n` sees, of every chain, the last version not above `n`. Versions that no
//! reader can see any more are dropped by the writes that follow.
//!
//! Invariants
//! 1. Chains ascend strictly and are never empty.
//! 2. A number becomes readable (`MemoryState::last`) only with all writes of its batch in place.
//! 3. A cold store answers every read that may not wait with `WouldWait(Disk)`: as a store on disk
//!    whose caches have just lost what is asked for, which any of them may at any moment.
//!
//! Not here: a disk, but for one that tests pretend (`disk`). `Durability` is accepted and without
//! effect, `checkpoint` is refused.

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

use crate::begun_reads::BegunReads;
use crate::error::{Error, Result, Wait};
use crate::ingestion::{Ingestion, TableStore};
use crate::local::{LocalStore, LocalTransaction, Passes};
use crate::locks::LockTable;
use crate::row_lock_wait::{HeldRowLock, RowLockWait};
use crate::store::{
    Batch, Change, Cursor, Direction, Durability, EntryLayer, KeyRange, LockWaker, LockedRange,
    LoopStore, RangeSizes, Reach, Read, Store, StoreStatus, StoreTransaction, StoreUpkeep,
};

pub use disk::MemoryDisk;

mod disk;

/// Entries that a cursor copies at a time.
const CHUNK: usize = 64;

thread_local! {
    /// Reads of this thread for which a cold store would have had to wait.
    static READ_COLD: Cell<u64> = const { Cell::new(0) };
}

/// Ordered bytes in memory. Clones are handles of the same store.
#[derive(Clone, Default)]
pub struct MemoryStore {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    cold: bool,
    disk: Option<Arc<MemoryDisk>>,
    state: RwLock<MemoryState>,
    locks: LockTable,
}

#[derive(Default)]
struct MemoryState {
    chains: BTreeMap<Vec<u8>, Vec<Version>>,
    /// Number of the last write.
    last: u64,
    /// How many readers hold each number.
    readers: BTreeMap<u64, usize>,
    /// Keys with a version that is of no use once every reader is at this number or above.
    garbage: VecDeque<(u64, Vec<u8>)>,
    /// Bytes of keys and values, all versions counted.
    bytes: u64,
}

struct Version {
    number: u64,
    value: Option<Vec<u8>>,
}

/// The state as of a number. While it lives, its versions stay.
struct PinnedState {
    inner: Arc<Inner>,
    number: u64,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }

    /// An empty store that finds nothing without waiting: for tests of those who may not wait.
    pub fn cold() -> MemoryStore {
        MemoryStore { inner: Arc::new(Inner { cold: true, ..Inner::default() }) }
    }

    /// A cold store, of which what was refused can be read beside.
    pub fn on_disk(disk: &Arc<MemoryDisk>) -> MemoryStore {
        let disk = Some(Arc::clone(disk));
        MemoryStore { inner: Arc::new(Inner { cold: true, disk, ..Inner::default() }) }
    }
}

impl MemoryState {
    /// The entry's value at a number.
    fn visible(chain: &[Version], number: u64) -> Option<&[u8]> {
        let version = chain.iter().rev().find(|version| version.number <= number)?;
        version.value.as_deref()
    }

    fn apply(&mut self, changes: &[Change]) {
        let number = self.last + 1;
        for change in changes {
            match change {
                Change::Put(key, value) => self.set(number, key.to_vec(), Some(value.to_vec())),
                Change::Delete(key) => self.set(number, key.to_vec(), None),
                Change::DeleteRange(range) => {
                    for key in self.keys(range) {
                        self.set(number, key, None);
                    }
                }
            }
        }
        self.last = number;
        self.collect();
    }

    fn keys(&self, range: &KeyRange) -> Vec<Vec<u8>> {
        let Some(bounds) = bounds(range) else {
            return Vec::new();
        };
        self.chains.range::<[u8], _>(bounds).map(|(key, _)| key.clone()).collect()
    }

    fn set(&mut self, number: u64, key: Vec<u8>, value: Option<Vec<u8>>) {
        let useless = value.is_none();
        self.bytes += version_bytes(&key, &value);
        let chain = self.chains.entry(key.clone()).or_default();
        if chain.last().is_some_and(|version| version.number == number)
            && let Some(same_batch) = chain.pop()
        {
            self.bytes -= version_bytes(&key, &same_batch.value);
        }
        chain.push(Version { number, value });
        if chain.len() > 1 || useless {
            self.garbage.push_back((number, key));
        }
    }

    /// Drops what nobody can see any more.
    fn collect(&mut self) {
        let oldest = self.readers.keys().next().copied().unwrap_or(self.last);
        while self.garbage.front().is_some_and(|&(number, _)| number <= oldest) {
            let Some((_, key)) = self.garbage.pop_front() else {
                return;
            };
            let Some(chain) = self.chains.get_mut(&key) else {
                continue;
            };
            let seen = chain.iter().rposition(|version| version.number <= oldest).unwrap_or(0);
            for version in chain.drain(..seen) {
                self.bytes -= version_bytes(&key, &version.value);
            }
            if let [Version { value: None, number }] = &chain[..]
                && *number <= oldest
            {
                self.bytes -= version_bytes(&key, &None);
                self.chains.remove(&key);
            }
        }
    }
}

fn version_bytes(key: &[u8], value: &Option<Vec<u8>>) -> u64 {
    (key.len() + value.as_ref().map_or(0, Vec::len)) as u64
}

/// `None` for an empty range, at which `BTreeMap::range` would panic.
fn bounds(range: &KeyRange) -> Option<(Bound<&[u8]>, Bound<&[u8]>)> {
    let start = Bound::Included(&range.start[..]);
    match &range.end[..] {
        [] => Some((start, Bound::Unbounded)),
        end if &range.start[..] < end => Some((start, Bound::Excluded(end))),
        _ => None,
    }
}

impl PinnedState {
    fn new(inner: &Arc<Inner>) -> PinnedState {
        let mut state = inner.state.write();
        let number = state.last;
        *state.readers.entry(number).or_default() += 1;
        PinnedState { inner: inner.clone(), number }
    }
}

impl Drop for PinnedState {
    fn drop(&mut self) {
        let mut state = self.inner.state.write();
        if let Some(count) = state.readers.get_mut(&self.number) {
            *count -= 1;
            if *count == 0 {
                state.readers.remove(&self.number);
            }
        }
    }
}

impl Read for PinnedState {
    fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        self.inner.admit(reach)?;
        Ok(self.inner.get(key, self.number, value))
    }

    fn sequence(&self) -> Option<u64> {
        Some(self.number)
    }

    fn scan<'a>(
        &'a self,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'a>> {
        self.inner.admit(reach)?;
        Ok(Box::new(MemoryCursor::new(PinnedState::at(self), range, direction)))
    }
}

impl PinnedState {
    /// A further pin of the same state.
    fn at(other: &PinnedState) -> PinnedState {
        *other.inner.state.write().readers.entry(other.number).or_default() += 1;
        PinnedState { inner: other.inner.clone(), number: other.number }
    }
}

impl Inner {
    /// Lets a read pass that may go so far.
    fn admit(&self, reach: Reach) -> Result<()> {
        match reach {
            Reach::Memory if self.disk.is_some() && MemoryDisk::admits() => {}
            Reach::Memory if self.cold => return Err(Error::WouldWait(Wait::Disk)),
            Reach::Disk if self.cold => READ_COLD.set(READ_COLD.get() + 1),
            Reach::Memory | Reach::Disk => {}
        }
        Ok(())
    }

    fn get(&self, key: &[u8], number: u64, value: &mut Vec<u8>) -> bool {
        value.clear();
        let state = self.state.read();
        let chain = state.chains.get(key);
        let Some(found) = chain.and_then(|chain| MemoryState::visible(chain, number)) else {
            return false;
        };
        value.extend_from_slice(found);
        true
    }
}

/// Copies a chunk of entries at a time, so that writers wait for no slow reader.
struct MemoryCursor {
    state: PinnedState,
    direction: Direction,
    /// What remains to be read.
    rest: KeyRange,
    entries: VecDeque<(Vec<u8>, Vec<u8>)>,
    current: (Vec<u8>, Vec<u8>),
}

impl MemoryCursor {
    fn new(state: PinnedState, range: &KeyRange, direction: Direction) -> MemoryCursor {
        MemoryCursor {
            state,
            direction,
            rest: range.clone(),
            entries: VecDeque::new(),
            current: Default::default(),
        }
    }

    fn fill(&mut self) {
        let state = self.state.inner.state.read();
        let Some(bounds) = bounds(&self.rest) else {
            return;
        };
        let visible = |(key, chain): (&Vec<u8>, &Vec<Version>)| {
            let value = MemoryState::visible(chain, self.state.number)?;
            Some((key.clone(), value.to_vec()))
        };
        let chains = state.chains.range::<[u8], _>(bounds);
        self.entries = match self.direction {
            Direction::Forward => chains.filter_map(visible).take(CHUNK).collect(),
            Direction::Backward => chains.rev().filter_map(visible).take(CHUNK).collect(),
        };
        match (self.direction, self.entries.back()) {
            (_, None) => {}
            (Direction::Forward, Some((last, _))) => {
                self.rest.start.clone_from(last);
                self.rest.start.push(0);
            }
            (Direction::Backward, Some((last, _))) => {
                self.rest.end.clone_from(last);
                // An empty end would mean no end; nothing lies below the empty key.
                if last.is_empty() {
                    self.rest = KeyRange { start: vec![0], end: vec![0] };
                }
            }
        }
    }
}

impl Cursor for MemoryCursor {
    fn advance(&mut self) -> Result<bool> {
        if self.entries.is_empty() {
            self.fill();
        }
        match self.entries.pop_front() {
            None => Ok(false),
            Some(entry) => {
                self.current = entry;
                Ok(true)
            }
        }
    }

    fn key(&self) -> &[u8] {
        &self.current.0
    }

    fn value(&self) -> &[u8] {
        &self.current.1
    }
}

impl Read for MemoryStore {
    fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        self.inner.admit(reach)?;
        Ok(self.inner.get(key, u64::MAX, value))
    }

    fn sequence(&self) -> Option<u64> {
        Some(self.inner.state.read().last)
    }

    fn scan<'a>(
        &'a self,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'a>> {
        self.inner.admit(reach)?;
        Ok(Box::new(MemoryCursor::new(PinnedState::new(&self.inner), range, direction)))
    }
}

impl LocalStore for MemoryStore {
    fn locks(&self) -> &LockTable {
        &self.inner.locks
    }

    fn apply(&self, batch: &Batch, durability: Durability) -> Result<()> {
        self.write(batch, durability)
    }

    fn apply_sorted(&self, passes: &Passes<'_>) -> Result<()> {
        let change = |write: Result<(Vec<u8>, Option<Vec<u8>>)>| {
            write.map(|(key, value)| match value {
                Some(value) => Change::put(key, value),
                None => Change::delete(key),
            })
        };
        let changes: Vec<Change> = passes().map(change).collect::<Result<_>>()?;
        self.write(&Batch { changes }, Durability::Os)
    }
}

/// Entries that are gathered until all are there.
struct MemoryIngestion {
    inner: Arc<Inner>,
    changes: Mutex<Vec<Change>>,
}

impl Ingestion for MemoryIngestion {
    fn add(&self, entries: &mut dyn Cursor) -> Result<u64> {
        let mut changes: Vec<Change> = Vec::new();
        while entries.advance()? {
            let (key, value) = entries.entry();
            if let Some(Change::Put(last, _)) = changes.last()
                && last[..] >= *key
            {
                return Err(falling());
            }
            changes.push(Change::put(key.to_vec(), value.to_vec()));
        }
        let count = changes.len() as u64;
        self.changes.lock().append(&mut changes);
        Ok(count)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.inner.state.write().apply(&self.changes.into_inner());
        Ok(())
    }
}

fn falling() -> Error {
    let source = "keys of an ingestion do not ascend".into();
    Error::Store { doing: "ingesting", applied: Some(false), source }
}

impl Store for MemoryStore {
    fn snapshot(&self) -> Result<Arc<dyn Read>> {
        Ok(Arc::new(PinnedState::new(&self.inner)))
    }

    fn write_all(&self, batches: &[&Batch], _: Durability) -> Result<()> {
        let mut state = self.inner.state.write();
        for batch in batches {
            state.apply(&batch.changes);
        }
        Ok(())
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn begin(&self) -> Result<Box<dyn StoreTransaction>> {
        Ok(Box::new(LocalTransaction::new(self.clone())))
    }
}

impl LoopStore for MemoryStore {
    /// Of a cold store: the reads that could not have been had from memory.
    fn disk_waits(&self) -> u64 {
        READ_COLD.get()
    }

    fn begin_turn(&self, _can_begin_reads: bool) {
        MemoryDisk::begin_turn();
        self.locks().begin_turn();
    }

    fn watch_refused(&self, waker: &LockWaker) -> bool {
        self.locks().watch_refused(waker)
    }

    fn begun_reads(&self, wake: BorrowedFd<'_>) -> Option<Box<dyn BegunReads>> {
        let reads = self.inner.disk.as_ref()?.reads(wake)?;
        Some(Box::new(reads))
    }
}

impl StoreUpkeep for MemoryStore {
    fn held_row_locks(&self, most: usize) -> Vec<HeldRowLock> {
        self.locks().held_locks(most)
    }

    fn row_lock_waits(&self) -> Vec<RowLockWait> {
        self.locks().waits()
    }

    fn locked_ranges(&self, most: usize) -> Vec<LockedRange> {
        self.locks().locked_ranges(most)
    }

    fn checkpoint(&self, _: &Path) -> Result<()> {
        Err(Error::Refused { why: "a store in memory has no copy on disk" })
    }

    fn reclaim_noted(&self, _: &[KeyRange], forgotten: Batch) -> Result<()> {
        self.write(&forgotten, Durability::Os)
    }

    fn reclaim(&self, _: &[KeyRange]) -> Result<()> {
        Ok(())
    }

    fn approximate_bytes(&self, range: &KeyRange) -> Result<u64> {
        let state = self.inner.state.read();
        let Some(bounds) = bounds(range) else {
            return Ok(0);
        };
        let chains = state.chains.range::<[u8], _>(bounds);
        let bytes = |(key, chain): (&Vec<u8>, &Vec<Version>)| -> u64 {
            chain.iter().map(|version| version_bytes(key, &version.value)).sum()
        };
        Ok(chains.map(bytes).sum())
    }

    /// As if all of it were in files.
    fn file_bytes(&self, range: &KeyRange) -> Result<u64> {
        self.approximate_bytes(range)
    }

    fn sizes(&self, range: &KeyRange) -> Result<RangeSizes> {
        let state = self.inner.state.read();
        let Some(bounds) = bounds(range) else {
            return Ok(RangeSizes::default());
        };
        let mut layer = EntryLayer::default();
        for (key, chain) in state.chains.range::<[u8], _>(bounds) {
            if let Some(value) = chain.last().and_then(|version| version.value.as_ref()) {
                layer.entries += 1;
                layer.bytes += (key.len() + value.len()) as u64;
            }
        }
        let EntryLayer { entries, bytes, .. } = layer;
        Ok(RangeSizes { disk_bytes: bytes, layers: vec![layer], new_entries: entries })
    }

    fn verify(&self) -> Result<()> {
        let state = self.inner.state.read();
        for (key, chain) in &state.chains {
            let ascends = chain.is_sorted_by(|one, next| one.number < next.number);
            if chain.is_empty() || !ascends {
                return Err(Error::Corrupt { key: key.clone(), why: "versions do not ascend" });
            }
        }
        Ok(())
    }

    fn status(&self) -> StoreStatus {
        let state = self.inner.state.read();
        StoreStatus {
            name: "memory".to_string(),
            disk_bytes: 0,
            memory_bytes: state.bytes,
            figures: vec![
                ("keys".to_string(), state.chains.len() as u64),
                ("snapshots".to_string(), state.readers.values().sum::<usize>() as u64),
                ("locks".to_string(), self.inner.locks.held() as u64),
            ],
        }
    }
}

impl TableStore for MemoryStore {
    fn ingest(&self, entries: &mut dyn Iterator<Item = Result<(Vec<u8>, Vec<u8>)>>) -> Result<u64> {
        let mut changes: Vec<Change> = Vec::new();
        for entry in entries {
            let (key, value) = entry?;
            if let Some(Change::Put(last, _)) = changes.last()
                && *last >= key
            {
                return Err(falling());
            }
            changes.push(Change::put(key, value));
        }
        let count = changes.len() as u64;
        self.inner.state.write().apply(&changes);
        Ok(count)
    }

    fn ingestion(&self) -> Result<Box<dyn Ingestion>> {
        Ok(Box::new(MemoryIngestion { inner: Arc::clone(&self.inner), changes: Mutex::default() }))
    }
}

#[cfg(test)]
mod tests;
