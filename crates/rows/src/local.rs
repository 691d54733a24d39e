//! A transaction of a store within this process: row locks, and writes buffered in memory, or in
//! temporary files when they are many.
//!
//! Invariants
//! 1. Until `commit`, or the `write_all` of what `take_batch` gave, no other reader sees a write.
//! 2. Reads merge the buffered writes over the base: the store's latest state, or a snapshot.
//! 3. Locks are freed when the transaction is dropped, so after its writes are visible.
//! 4. A transaction that writes nothing and locks no range allocates nothing but itself.
//!
//! Where to look: `overlay` holds the writes, `chunks` their bytes, `crate::run` is a file of them,
//! `own` all of them in order, `merged` what a scan sees, `undo` how they are taken back, `shared`
//! lets other transactions look at them, `held` keeps the locks; `key_set` keys alone, kept in the
//! same way for who wants to know whether it has seen one.
//!
//! Not here: who locks what, and when writes are spilled (`transaction`), how locks work (`locks`).

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use resources::spill::SpillDirectory;

use crate::error::{Error, Result, Wait};
use crate::locks::{HeldRanges, LockTable, PendingKeys};
use crate::row_lock_wait::{LockMode, WaitKind};
use crate::store::{
    Batch, Cursor, Direction, Durability, KeyRange, LockWait, Reach, Read, Savepoint,
    StoreTransaction,
};
use crate::temporary_ids::is_temporary_key;

mod chunks;
mod held;
mod key_set;
mod merged;
mod overlay;
mod own;
mod shared;
mod undo;

pub use crate::store::{SortedWrite, SortedWrites};
use held::{HeldLocks, table_of};
pub use key_set::KeySet;
use merged::scan;
use overlay::Overlay;
pub(crate) use overlay::{WRITE_OVERHEAD, merge as merge_runs, spilled as spilled_write};
pub(crate) use own::OwnCursor;
use shared::OwnWrites;

/// Gives the same writes from the first on, as often as it is asked.
pub type Passes<'a> = dyn Fn() -> Box<SortedWrites<'a>> + 'a;

/// What a local transaction needs of its store; clones are handles of the same one.
pub trait LocalStore: Read + Clone + 'static {
    /// The locks of all transactions on this store.
    fn locks(&self) -> &LockTable;
    /// Applies a batch as `Store::write` does.
    fn apply(&self, batch: &Batch, durability: Durability) -> Result<()>;
    /// Applies writes that are too many for a batch, as one: visible together, durable on return,
    /// wholly or not at all.
    fn apply_sorted(&self, passes: &Passes<'_>) -> Result<()>;
}

/// A pessimistic transaction on a store in this process.
pub struct LocalTransaction<S: LocalStore> {
    store: S,
    owner: u64,
    held: HeldLocks,
    ranges: HeldRanges,
    writes: OwnWrites,
    serves_many: bool,
}

/// How long a commit of another one is waited for by who waits for no lock.
const COMMIT_WAIT: Duration = Duration::from_secs(10);

/// A base with a transaction's writes over it.
struct LocalView<'a> {
    overlay: &'a Overlay,
    base: &'a dyn Read,
}

impl<S: LocalStore> LocalTransaction<S> {
    /// A transaction that holds no locks yet.
    pub fn new(store: S) -> LocalTransaction<S> {
        let owner = store.locks().owner();
        let (held, ranges, writes) = Default::default();
        LocalTransaction { store, owner, held, ranges, writes, serves_many: false }
    }

    fn view(&self) -> LocalView<'_> {
        LocalView { overlay: self.writes.overlay(), base: &self.store }
    }

    fn lock_as(&mut self, key: &[u8], mode: LockMode, wait: LockWait) -> Result<bool> {
        if self.held.is_whole(key) {
            return Ok(false);
        }
        let lock = LockTable::hash(key);
        let acquire =
            |locks: &LockTable, owner, wait| locks.acquire(owner, (lock, key), mode, wait);
        let newly = self.ask(wait, acquire)?;
        if newly {
            self.held.push(key, lock);
        }
        Ok(newly)
    }

    /// Asks for what others may have; before that is waited for, the ranges of the statement at
    /// hand are given up, which looks again afterwards.
    fn ask<T>(
        &mut self,
        wait: LockWait,
        ask: impl Fn(&LockTable, u64, LockWait) -> Result<T>,
    ) -> Result<T> {
        let waits = !matches!(wait, LockWait::Never | LockWait::AtMost(Duration::ZERO));
        if self.ranges.are_fresh() && waits {
            match ask(self.store.locks(), self.owner, LockWait::Never) {
                Err(Error::WouldWait(Wait::Lock)) => self.withdraw_ranges(),
                done => return done,
            }
        }
        let asked = ask(self.store.locks(), self.owner, wait);
        if self.serves_many && matches!(asked, Err(Error::WouldWait(Wait::Lock))) {
            self.store.locks().disown_refused();
        }
        asked
    }

    /// Somebody else who has put a key into ranges and not committed it, and that key; `true` if it
    /// is about to be committed.
    fn inserter_in(
        &self,
        ranges: &[KeyRange],
        reach: Reach,
    ) -> Result<Option<(u64, Vec<u8>, bool)>> {
        for (owner, other) in self.store.locks().others(self.owner) {
            for range in ranges {
                let mut rest = range.clone();
                loop {
                    let pending = other.pending_in(&rest, reach)?;
                    let is_more = matches!(pending, PendingKeys::FirstKeys(_));
                    let keys = match pending {
                        PendingKeys::Nothing => break,
                        PendingKeys::Committing => {
                            return Ok(Some((owner, range.start.clone(), true)));
                        }
                        PendingKeys::Keys(keys) | PendingKeys::FirstKeys(keys) => keys,
                    };
                    for key in &keys {
                        // A row that is there already is met by itself.
                        if !self.store.contains(key, reach)? {
                            return Ok(Some((owner, key.clone(), false)));
                        }
                    }
                    match keys.last().filter(|_| is_more) {
                        Some(last) => rest.start = [last, &[0][..]].concat(),
                        None => break,
                    }
                }
            }
        }
        Ok(None)
    }
}

impl<S: LocalStore> Drop for LocalTransaction<S> {
    fn drop(&mut self) {
        let locks = self.store.locks();
        self.held.release(locks, self.owner);
        if self.writes.are_shared() {
            self.ranges.release(locks, self.owner);
            locks.leave(self.owner);
        }
    }
}

impl<S: LocalStore> Read for LocalTransaction<S> {
    fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        self.view().get(key, reach, value)
    }

    fn sequence(&self) -> Option<u64> {
        self.view().sequence()
    }

    fn own_write(&self, key: &[u8], value: &mut Vec<u8>) -> Result<Option<bool>> {
        self.view().own_write(key, value)
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
        scan(self.writes.overlay(), &self.store, range, direction, reach)
    }
}

impl<S: LocalStore> StoreTransaction for LocalTransaction<S> {
    fn lock(&mut self, key: &[u8], wait: LockWait) -> Result<bool> {
        self.lock_as(key, LockMode::Exclusive, wait)
    }

    fn lock_shared(&mut self, key: &[u8], wait: LockWait) -> Result<bool> {
        self.lock_as(key, LockMode::Shared, wait)
    }

    fn is_locked_by_others(&self, key: &[u8], mode: LockMode) -> bool {
        let locks = self.store.locks();
        let is_others = |key: &[u8]| locks.is_others(self.owner, LockTable::hash(key), mode);
        is_others(&table_of(key)) || is_others(key)
    }

    fn serve_many(&mut self) {
        self.serves_many = true;
    }

    fn unlock(&mut self, key: &[u8]) {
        let lock = LockTable::hash(key);
        if self.held.remove(key, lock) {
            self.store.locks().release(self.owner, &[lock]);
        }
    }

    fn lock_range(&mut self, range: &KeyRange, mode: LockMode) {
        if !self.held.is_whole(&range.start) {
            let locks = self.store.locks();
            self.writes.share(locks, self.owner);
            self.ranges.lock(locks, self.owner, range, mode);
        }
    }

    fn await_inserts(&mut self, ranges: &[KeyRange], wait: LockWait) -> Result<()> {
        if ranges.first().is_none_or(|range| self.held.is_whole(&range.start)) {
            return Ok(());
        }
        let reach = match wait {
            LockWait::Never => Reach::Memory,
            LockWait::AtMost(_) => Reach::Disk,
        };
        while let Some((other, key, is_committing)) = self.inserter_in(ranges, reach)? {
            let wait = match wait {
                LockWait::AtMost(Duration::ZERO) if is_committing => LockWait::AtMost(COMMIT_WAIT),
                wait => wait,
            };
            self.ask(wait, |locks, owner, wait| {
                locks.await_end(owner, other, (&key, WaitKind::Inserted), wait, || true)
            })?;
        }
        Ok(())
    }

    fn keep_ranges(&mut self) {
        self.ranges.keep(self.store.locks(), self.owner);
    }

    fn withdraw_ranges(&mut self) {
        if self.ranges.withdraw(self.store.locks(), self.owner) {
            self.store.locks().wake_waiters(self.owner);
        }
    }

    fn cut_ranges(&mut self, key: &[u8], direction: Direction) {
        if self.ranges.are_fresh() {
            self.ranges.cut(self.store.locks(), self.owner, key, direction);
            self.store.locks().wake_waiters(self.owner);
        }
    }

    fn are_ranges_locked(&self) -> bool {
        self.store.locks().are_ranges_locked()
    }

    fn await_ranges(&mut self, key: &[u8], wait: LockWait) -> Result<()> {
        self.ask(wait, |locks, owner, wait| locks.await_ranges(owner, key, wait))
    }

    fn insert(&mut self, key: Vec<u8>, value: Vec<u8>, wait: LockWait) -> Result<()> {
        let mut write = (key, value);
        loop {
            let (locks, owner) = (self.store.locks(), self.owner);
            let is_free = |key: &[u8]| !locks.is_in_others_range(owner, key);
            match self.writes.share(locks, owner).put_if(write, is_free) {
                None => return Ok(()),
                Some(refused) => write = refused,
            }
            self.await_ranges(&write.0, wait)?;
        }
    }

    fn lock_table(&mut self, table: [u8; 4], claim: &mut dyn FnMut() -> bool) -> bool {
        let own = LockTable::hash(&table);
        let locks = self.store.locks();
        if !matches!(
            locks.acquire(self.owner, (own, &table), LockMode::Exclusive, LockWait::Never),
            Ok(true)
        ) {
            return false;
        }
        if !claim() {
            locks.release(self.owner, &[own]);
            return false;
        }
        let single = self.held.widen(table, own);
        locks.release(self.owner, &single);
        self.ranges.forget(locks, self.owner, table);
        locks.wake_waiters(self.owner);
        true
    }

    fn await_table(&mut self, table: [u8; 4], wait: LockWait) -> Result<()> {
        let lock = LockTable::hash(&table);
        let locks = self.store.locks();
        if locks.acquire(self.owner, (lock, &table), LockMode::Exclusive, wait)? {
            locks.release(self.owner, &[lock]);
        }
        Ok(())
    }

    fn lock_owner(&self) -> Option<u64> {
        Some(self.owner)
    }

    fn locks_of(&self, table: [u8; 4]) -> usize {
        self.held.count_of(table)
    }

    fn locks(&self) -> usize {
        self.held.count()
    }

    fn lock_bytes(&self) -> usize {
        self.held.bytes() + self.ranges.bytes()
    }

    fn put(&mut self, key: Vec<u8>, value: Vec<u8>) {
        self.writes.share(self.store.locks(), self.owner).change(|own| own.write(key, Some(value)));
    }

    fn delete(&mut self, key: Vec<u8>) {
        self.writes.share(self.store.locks(), self.owner).change(|own| own.write(key, None));
    }

    fn savepoint(&self) -> Savepoint {
        Savepoint(self.writes.overlay().position())
    }

    fn rollback_to(&mut self, savepoint: Savepoint) {
        self.writes.change(|own| own.undo_to(savepoint.0));
    }

    fn is_empty(&self) -> bool {
        self.writes.overlay().is_empty()
    }

    fn bytes(&self) -> usize {
        self.writes.overlay().bytes() + self.lock_bytes()
    }

    fn spill(&mut self, directory: &Arc<SpillDirectory>) -> Result<()> {
        self.writes.change(|own| own.spill(directory)).unwrap_or(Ok(()))
    }

    fn spillable_bytes(&self) -> usize {
        self.writes.overlay().spillable_bytes()
    }

    fn is_spilled(&self) -> bool {
        self.writes.overlay().is_spilled()
    }

    fn take_batch(&mut self) -> Option<Batch> {
        (!self.writes.overlay().is_spilled()).then(|| self.writes.take())
    }

    fn apply(&mut self, durability: Durability) -> Result<()> {
        if self.writes.overlay().is_empty() {
            return Ok(());
        }
        if self.writes.overlay().is_spilled() {
            self.writes.change(Overlay::check).unwrap_or(Ok(()))?;
            // Those of temporary tables are not the store's (`temporary::transaction`).
            let overlay = self.writes.overlay();
            let lasting = || overlay.writes().filter(|write| !is_temporary(write));
            if lasting().next().is_none() {
                return Ok(());
            }
            return self.store.apply_sorted(&|| Box::new(lasting()));
        }
        let batch = self.writes.take();
        self.store.apply(&batch, durability)
    }

    fn writes_in<'a>(&'a self, range: &KeyRange) -> Box<SortedWrites<'a>> {
        Box::new(self.writes.overlay().writes_in(range))
    }

    fn view_at<'a>(&'a self, snapshot: &'a dyn Read) -> Box<dyn Read + 'a> {
        Box::new(LocalView { overlay: self.writes.overlay(), base: snapshot })
    }

    fn scan_over<'a>(
        &'a self,
        base: &'a dyn Read,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'a>> {
        scan(self.writes.overlay(), base, range, direction, reach)
    }

    fn frozen_at(&self, snapshot: Arc<dyn Read>) -> Arc<dyn Read> {
        Arc::new(FrozenView { overlay: self.writes.overlay().frozen(), base: snapshot })
    }
}

fn is_temporary(write: &Result<SortedWrite>) -> bool {
    write.as_ref().is_ok_and(|(key, _)| is_temporary_key(key))
}

/// A snapshot with a transaction's writes of one moment over it.
struct FrozenView {
    overlay: Overlay,
    base: Arc<dyn Read>,
}

impl FrozenView {
    fn view(&self) -> LocalView<'_> {
        LocalView { overlay: &self.overlay, base: &*self.base }
    }
}

impl Read for FrozenView {
    fn beneath(&self, range: &KeyRange) -> Option<&dyn Any> {
        self.overlay.is_empty_in(range).then(|| self.base.beneath(range)).flatten()
    }

    fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        self.view().get(key, reach, value)
    }

    fn sequence(&self) -> Option<u64> {
        self.view().sequence()
    }

    fn own_write(&self, key: &[u8], value: &mut Vec<u8>) -> Result<Option<bool>> {
        self.view().own_write(key, value)
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

impl Read for LocalView<'_> {
    fn beneath(&self, range: &KeyRange) -> Option<&dyn Any> {
        self.overlay.is_empty_in(range).then(|| self.base.beneath(range)).flatten()
    }

    fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        match self.overlay.get(key, value)? {
            None => self.base.get(key, reach, value),
            Some(found) => Ok(found),
        }
    }

    fn sequence(&self) -> Option<u64> {
        self.base.sequence()
    }

    fn own_write(&self, key: &[u8], value: &mut Vec<u8>) -> Result<Option<bool>> {
        match self.overlay.get(key, value)? {
            None => self.base.own_write(key, value),
            own => Ok(own),
        }
    }

    fn get_many(
        &self,
        keys: &[Vec<u8>],
        reach: Reach,
        each: &mut dyn FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        if self.overlay.is_empty() {
            return self.base.get_many(keys, reach, each);
        }
        let mut own: Vec<Option<Option<Vec<u8>>>> = Vec::with_capacity(keys.len());
        let mut value = Vec::new();
        for key in keys {
            let found = self.overlay.get(key, &mut value)?;
            own.push(found.map(|found| found.then(|| value.clone())));
        }
        let others: Vec<usize> = (0..keys.len()).filter(|&at| own[at].is_none()).collect();
        if others.len() == keys.len() {
            return self.base.get_many(keys, reach, each);
        }
        let own = |position: usize| own[position].as_ref().and_then(|own| own.as_deref());
        // Those not written here are asked of the base, all at once; before each of its answers
        // go the own values that precede it.
        let mut next = 0;
        let asked: Vec<Vec<u8>> = others.iter().map(|&position| keys[position].clone()).collect();
        self.base.get_many(&asked, reach, &mut |answer, value| {
            while next < others[answer] {
                each(next, own(next))?;
                next += 1;
            }
            next += 1;
            each(others[answer], value)
        })?;
        for position in next..keys.len() {
            each(position, own(position))?;
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
