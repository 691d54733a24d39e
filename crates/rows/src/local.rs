//! A transaction of a store within this process: row locks, and writes buffered in memory.
//!
//! Invariants
//! 1. Until `commit`, or the `write_all` of what `take_batch` gave, no other reader sees a write.
//! 2. Reads merge the buffered writes over the base: the store's latest state, or a snapshot.
//! 3. Locks are freed when the transaction is dropped, so after its writes are visible.
//! 4. A transaction that writes nothing allocates nothing but itself.
//!
//! Not here: who locks what (`transaction`), how locks work (`locks`).

use std::collections::BTreeMap;
use std::collections::btree_map::{Entry, Range};
use std::ops::Bound;
use std::sync::Arc;

use crate::error::{Error, Result, Wait};
use crate::locks::LockTable;
use crate::store::{
    Batch, Change, Cursor, Direction, Durability, KeyRange, LockWait, LockWaker, Reach, Read,
    Savepoint, StoreTransaction,
};

mod merged;

use merged::scan;

/// Memory that one buffered write takes besides its bytes, for `StoreTransaction::bytes`.
const WRITE_OVERHEAD: usize = 96;

/// What a local transaction needs of its store; clones are handles of the same one.
pub trait LocalStore: Read + Clone + 'static {
    /// The locks of all transactions on this store.
    fn locks(&self) -> &LockTable;
    /// Applies a batch as `Store::write` does.
    fn apply(&self, batch: &Batch, durability: Durability) -> Result<()>;
}

/// A pessimistic transaction on a store in this process.
pub struct LocalTransaction<S: LocalStore> {
    store: S,
    owner: u64,
    held: Vec<u64>,
    refused: Option<u64>,
    overlay: Overlay,
}

/// Own writes, and how to undo them.
#[derive(Default)]
struct Overlay {
    /// The value to be, or `None` for a removal.
    writes: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    undo: Vec<Undo>,
    bytes: usize,
}

/// What was buffered under `key` before a write.
struct Undo {
    key: Vec<u8>,
    before: Option<Option<Vec<u8>>>,
    /// What the write added to `Overlay::bytes`.
    bytes: usize,
}

/// A base with a transaction's writes over it.
struct View<'a> {
    overlay: &'a Overlay,
    base: &'a dyn Read,
}

impl<S: LocalStore> LocalTransaction<S> {
    /// A transaction that holds no locks yet.
    pub fn new(store: S) -> LocalTransaction<S> {
        let owner = store.locks().owner();
        LocalTransaction {
            store,
            owner,
            held: Vec::new(),
            refused: None,
            overlay: Overlay::default(),
        }
    }

    fn view(&self) -> View<'_> {
        View { overlay: &self.overlay, base: &self.store }
    }
}

impl<S: LocalStore> Drop for LocalTransaction<S> {
    fn drop(&mut self) {
        self.store.locks().release(self.owner, &self.held);
    }
}

impl<S: LocalStore> Read for LocalTransaction<S> {
    fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        self.view().get(key, reach, value)
    }

    fn get_many(
        &self,
        keys: &[Vec<u8>],
        reach: Reach,
        each: &mut dyn FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        self.view().get_many(keys, reach, each)
    }

    fn scan<'a>(
        &'a self,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'a>> {
        scan(&self.overlay, &self.store, range, direction, reach)
    }
}

impl<S: LocalStore> StoreTransaction for LocalTransaction<S> {
    fn lock(&mut self, key: &[u8], wait: LockWait) -> Result<()> {
        let lock = LockTable::hash(key);
        match self.store.locks().acquire(self.owner, lock, wait) {
            Ok(newly) => {
                if newly {
                    self.held.push(lock);
                }
                Ok(())
            }
            Err(error) => {
                if matches!(error, Error::WouldWait(Wait::Lock)) {
                    self.refused = Some(lock);
                }
                Err(error)
            }
        }
    }

    fn watch_refused(&self, waker: LockWaker) -> bool {
        self.refused.is_some_and(|lock| self.store.locks().watch(lock, waker))
    }

    fn buffered(&self, key: &[u8]) -> Option<Option<&[u8]>> {
        self.overlay.get(key)
    }

    fn put(&mut self, key: Vec<u8>, value: Vec<u8>) {
        self.overlay.write(key, Some(value));
    }

    fn delete(&mut self, key: Vec<u8>) {
        self.overlay.write(key, None);
    }

    fn savepoint(&self) -> Savepoint {
        Savepoint(self.overlay.undo.len())
    }

    fn rollback_to(&mut self, savepoint: Savepoint) {
        self.overlay.undo_to(savepoint.0);
    }

    fn is_empty(&self) -> bool {
        self.overlay.writes.is_empty()
    }

    fn bytes(&self) -> usize {
        self.overlay.bytes
    }

    fn take_batch(&mut self) -> Option<Batch> {
        Some(self.overlay.take())
    }

    fn commit(mut self: Box<Self>, durability: Durability) -> Result<()> {
        if self.overlay.writes.is_empty() {
            return Ok(());
        }
        let batch = self.overlay.take();
        self.store.apply(&batch, durability)
    }

    fn view_at<'a>(&'a self, snapshot: &'a dyn Read) -> Box<dyn Read + 'a> {
        Box::new(View { overlay: &self.overlay, base: snapshot })
    }

    fn frozen_at(&self, snapshot: Arc<dyn Read>) -> Arc<dyn Read> {
        let overlay = Overlay { writes: self.overlay.writes.clone(), ..Overlay::default() };
        Arc::new(Frozen { overlay, base: snapshot })
    }
}

/// A snapshot with a copy of a transaction's writes over it.
struct Frozen {
    overlay: Overlay,
    base: Arc<dyn Read>,
}

impl Frozen {
    fn view(&self) -> View<'_> {
        View { overlay: &self.overlay, base: &*self.base }
    }
}

impl Read for Frozen {
    fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        self.view().get(key, reach, value)
    }

    fn get_many(
        &self,
        keys: &[Vec<u8>],
        reach: Reach,
        each: &mut dyn FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        self.view().get_many(keys, reach, each)
    }

    fn scan<'a>(
        &'a self,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'a>> {
        scan(&self.overlay, &*self.base, range, direction, reach)
    }
}

impl Overlay {
    /// What was written under a key: nothing, a removal, or a value.
    fn get(&self, key: &[u8]) -> Option<Option<&[u8]>> {
        // A length check first: most transactions read before they write.
        if self.writes.is_empty() {
            return None;
        }
        self.writes.get(key).map(Option::as_deref)
    }

    fn write(&mut self, key: Vec<u8>, value: Option<Vec<u8>>) {
        let bytes = WRITE_OVERHEAD + 2 * key.len() + value.as_ref().map_or(0, Vec::len);
        self.bytes += bytes;
        let undo = match self.writes.entry(key) {
            Entry::Vacant(vacant) => {
                let key = vacant.key().clone();
                vacant.insert(value);
                Undo { key, before: None, bytes }
            }
            Entry::Occupied(mut occupied) => {
                let before = occupied.insert(value);
                Undo { key: occupied.key().clone(), before: Some(before), bytes }
            }
        };
        self.undo.push(undo);
    }

    fn undo_to(&mut self, length: usize) {
        while self.undo.len() > length {
            let Some(Undo { key, before, bytes }) = self.undo.pop() else {
                return;
            };
            self.bytes -= bytes;
            match before {
                None => self.writes.remove(&key),
                Some(before) => self.writes.insert(key, before),
            };
        }
    }

    /// All writes in key order, which is the order a store takes fastest.
    fn take(&mut self) -> Batch {
        self.undo = Vec::new();
        self.bytes = 0;
        let writes = std::mem::take(&mut self.writes).into_iter();
        let changes = writes.map(|(key, value)| match value {
            Some(value) => Change::Put(key, value),
            None => Change::Delete(key),
        });
        Batch { changes: changes.collect() }
    }

    fn range(&self, range: &KeyRange) -> Range<'_, Vec<u8>, Option<Vec<u8>>> {
        if !range.end.is_empty() && range.start >= range.end {
            return Range::default();
        }
        let end = match &range.end[..] {
            [] => Bound::Unbounded,
            end => Bound::Excluded(end),
        };
        self.writes.range::<[u8], _>((Bound::Included(&range.start[..]), end))
    }
}

impl Read for View<'_> {
    fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        match self.overlay.get(key) {
            None => self.base.get(key, reach, value),
            Some(own) => {
                value.clear();
                value.extend_from_slice(own.unwrap_or_default());
                Ok(own.is_some())
            }
        }
    }

    fn get_many(
        &self,
        keys: &[Vec<u8>],
        reach: Reach,
        each: &mut dyn FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        let own = |position: usize| self.overlay.get(&keys[position]);
        let others: Vec<usize> = match self.overlay.writes.is_empty() {
            true => return self.base.get_many(keys, reach, each),
            false => (0..keys.len()).filter(|&position| own(position).is_none()).collect(),
        };
        if others.len() == keys.len() {
            return self.base.get_many(keys, reach, each);
        }
        // Those not written here are asked of the base, all at once; before each of its answers
        // go the own values that precede it.
        let mut next = 0;
        let asked: Vec<Vec<u8>> = others.iter().map(|&position| keys[position].clone()).collect();
        self.base.get_many(&asked, reach, &mut |answer, value| {
            while next < others[answer] {
                each(next, own(next).flatten())?;
                next += 1;
            }
            next += 1;
            each(others[answer], value)
        })?;
        for position in next..keys.len() {
            each(position, own(position).flatten())?;
        }
        Ok(())
    }

    fn scan<'a>(
        &'a self,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'a>> {
        scan(self.overlay, self.base, range, direction, reach)
    }
}
