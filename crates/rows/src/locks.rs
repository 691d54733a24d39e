//! Row locks of one process: by key, exclusive or shared, with waiting, time limits and deadlock
//! detection.
//!
//! A lock is the 64-bit hash of its key. Two keys that share a hash share a lock, which costs a
//! needless wait once in a very long time and never a wrong answer.
//!
//! Invariants
//! 1. A lock has one owner, or several that share it; an owner waits for at most one lock at a
//!    time.
//! 2. A released lock goes to the longest waiting thread, if any, and to those behind it that can
//!    share it; nobody can overtake them, but a sharer that wants the lock for itself: all who wait
//!    wait for it.
//! 3. A wait starts only while `waiting` is locked, and never when it would close a circle; that of
//!    a watcher, too. So circles cannot form: of all waits of a circle, the one that started last
//!    saw the others.
//! 4. Order of the mutexes: `waiting`, then one shard, then one waiter. Wakers run under none.
//!
//! Not here: which keys a request locks (`transaction`), ranges of keys (`ranges`), the wait for a
//! transaction's end (`presence`), nor locks across a network (a store's).

mod presence;
mod ranges;
mod waits;

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use foldhash::quality::FixedState;
use parking_lot::{Condvar, Mutex};
use resources::interrupt;
use resources::waiting::{Waiting, during};

use crate::error::{Error, Result, Wait};
use crate::row_lock_wait::{KeyPlace, LockMode, WaitKind};
use crate::store::{LockWait, LockWaker};
use presence::PresentTable;
pub(crate) use presence::{PendingKeys, Present};
pub(crate) use ranges::HeldRanges;
use ranges::RangeTable;

/// Places that a shard keeps, however few of them are in use.
const PLACES_MIN: usize = 64;
/// Shards of the table; a power of two. Enough that threads rarely meet at one mutex.
const SHARDS: usize = 256;

/// Watchers that a lock has at most: all are woken when it is free, and one of them gets it. More
/// wait in turn.
const WATCHERS_MAX: usize = 2;

/// An owner that has no locks: others are counted from 1.
const NOBODY: u64 = 0;

thread_local! {
    /// What this thread was refused last.
    static REFUSED: Cell<Option<RefusedLock>> = const { Cell::new(None) };
}

/// Every lock held in this process.
pub struct LockTable {
    shards: Box<[LockShard]>,
    /// Which lock each waiting owner waits for.
    waiting: Mutex<HashMap<u64, u64>>,
    next_owner: AtomicU64,
    ranges: RangeTable,
    present: PresentTable,
}

/// The locks of a part of all hashes. On cache lines of its own, so that neighbours do not
/// slow each other down.
#[repr(align(128))]
struct LockShard {
    locks: Mutex<HashMap<u64, HeldLock, BuildHasherDefault<AsItIs>>>,
}

struct HeldLock {
    owners: Owners,
    /// What its key is of, for those who ask who has locked what.
    place: KeyPlace,
    /// Absent while nobody else wants the lock, which is nearly always.
    wanted: Option<Box<LockQueue>>,
}

/// Whose a lock is.
enum Owners {
    /// Of one, for itself.
    One(u64),
    /// Of those who share it, one at least; in a box, so that a lock of one takes less.
    #[expect(clippy::box_collection, reason = "three words more for each of millions of locks")]
    Sharers(Box<Vec<u64>>),
}

impl Owners {
    fn new(owner: u64, mode: LockMode) -> Owners {
        match mode {
            LockMode::Exclusive => Owners::One(owner),
            LockMode::Shared => Owners::Sharers(Box::new(vec![owner])),
        }
    }

    fn all(&self) -> &[u64] {
        match self {
            Owners::One(owner) => std::slice::from_ref(owner),
            Owners::Sharers(owners) => owners.as_slice(),
        }
    }

    /// Whether an owner has all that it wants.
    fn suits(&self, owner: u64, mode: LockMode) -> bool {
        match self {
            Owners::One(one) => *one == owner,
            Owners::Sharers(owners) => mode == LockMode::Shared && owners.contains(&owner),
        }
    }

    /// Whether somebody other than `owner` has it in a way that this mode does not go with.
    fn are_against(&self, owner: u64, mode: LockMode) -> bool {
        let is_shared = matches!(self, Owners::Sharers(_)) && mode == LockMode::Shared;
        !is_shared && self.all().iter().any(|other| *other != owner)
    }

    /// Gives the lock to one more in a mode, if that can be just now; `None` if it cannot, else
    /// whether it is one that had no part of it.
    fn admit(&mut self, owner: u64, mode: LockMode) -> Option<bool> {
        match (self, mode) {
            (Owners::Sharers(owners), LockMode::Shared) => {
                owners.push(owner);
                Some(true)
            }
            (owners, LockMode::Exclusive) if owners.all() == [owner] => {
                *owners = Owners::One(owner);
                Some(false)
            }
            _ => None,
        }
    }
}

#[derive(Default)]
struct LockQueue {
    queue: VecDeque<Arc<Waiter>>,
    watchers: Vec<Watcher>,
}

/// A lock that an owner was refused with `LockWait::Never`.
#[derive(Clone, Copy)]
struct RefusedLock {
    /// The address of the table that it is in.
    table: usize,
    owner: u64,
    lock: u64,
}

/// An owner that waits without a thread, and asks for the lock again when it is woken; as long as
/// somebody keeps the waker.
struct Watcher {
    owner: u64,
    wake: Weak<dyn Fn() + Send + Sync>,
}

impl Watcher {
    fn is_waiting(&self) -> bool {
        self.wake.strong_count() > 0
    }
}

struct Waiter {
    owner: u64,
    mode: LockMode,
    kind: WaitKind,
    /// For those who ask who waits for what.
    key: Box<[u8]>,
    granted: Mutex<bool>,
    wake: Condvar,
}

/// The keys are hashes already.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only u64 keys are hashed here")
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

impl Default for LockTable {
    fn default() -> Self {
        LockTable::new()
    }
}

impl LockTable {
    /// An empty table.
    pub fn new() -> LockTable {
        let shards = (0..SHARDS).map(|_| LockShard { locks: Mutex::default() });
        LockTable {
            shards: shards.collect(),
            waiting: Mutex::default(),
            next_owner: AtomicU64::new(1),
            ranges: RangeTable::default(),
            present: PresentTable::default(),
        }
    }

    /// The name of the lock of `key`.
    pub fn hash(key: &[u8]) -> u64 {
        FixedState::with_seed(0x726f_7773_6c6f_636b).hash_one(key)
    }

    /// A number for an owner of locks that no other owner has.
    pub fn owner(&self) -> u64 {
        self.next_owner.fetch_add(1, Ordering::Relaxed)
    }

    /// Locks for `owner` the hash of a key. `true`: newly, to be released by `release`; `false`: it
    /// had it already, or shared it and has it for itself now.
    ///
    /// # Errors
    /// `WouldWait(Lock)` with `LockWait::Never`, `LockTimeout` when the time is over, `Conflict`
    /// when the wait would close a circle of waiters.
    pub fn acquire(
        &self,
        owner: u64,
        (lock, key): (u64, &[u8]),
        mode: LockMode,
        wait: LockWait,
    ) -> Result<bool> {
        self.acquire_as(owner, (lock, key), (mode, WaitKind::Key), wait)
    }

    /// As `acquire`; a wait is shown as one of this kind.
    fn acquire_as(
        &self,
        owner: u64,
        (lock, key): (u64, &[u8]),
        (mode, kind): (LockMode, WaitKind),
        wait: LockWait,
    ) -> Result<bool> {
        if let Some(newly) = self.try_acquire(owner, (lock, key), mode) {
            return Ok(newly);
        }
        match wait {
            LockWait::Never => {
                REFUSED.set(Some(RefusedLock { table: self.address(), owner, lock }));
                Err(Error::WouldWait(Wait::Lock))
            }
            // It waits for nobody, so that it closes no circle of those who do.
            LockWait::AtMost(Duration::ZERO) => Err(Error::LockTimeout),
            LockWait::AtMost(time) => {
                let deadline = Instant::now().checked_add(time);
                self.acquire_waiting(owner, (lock, key), (mode, kind), deadline)
            }
        }
    }

    fn try_acquire(&self, owner: u64, (lock, key): (u64, &[u8]), mode: LockMode) -> Option<bool> {
        let mut locks = self.shard(lock).locks.lock();
        let Some(held) = locks.get_mut(&lock) else {
            locks.insert(lock, HeldLock::new(Owners::new(owner, mode), key));
            return Some(true);
        };
        held.admit(owner, mode)
    }

    /// Gives a free lock to an owner that has not asked for it; whether it has it now.
    fn give(&self, owner: u64, lock: u64) -> bool {
        let mut locks = self.shard(lock).locks.lock();
        let given = HeldLock::new(Owners::One(owner), &[]);
        let held = locks.entry(lock).or_insert(given);
        matches!(held.owners, Owners::One(one) if one == owner)
    }

    /// Whether another than `owner` has a lock just now, against this mode.
    pub fn is_others(&self, owner: u64, lock: u64, mode: LockMode) -> bool {
        let locks = self.shard(lock).locks.lock();
        locks.get(&lock).is_some_and(|held| held.owners.are_against(owner, mode))
    }

    /// Frees locks that `acquire` gave newly to `owner`.
    pub fn release(&self, owner: u64, locks: &[u64]) {
        let mut woken = Vec::new();
        for &lock in locks {
            self.release_one(owner, lock, &mut woken);
        }
        self.wake(woken);
    }

    /// Forgets what the calling thread was refused.
    pub fn begin_turn(&self) {
        REFUSED.set(None);
    }

    /// Has what the calling thread was refused last wanted by nobody who has locks: its statement
    /// is over, and will be done in another transaction.
    pub fn disown_refused(&self) {
        REFUSED.set(REFUSED.take().map(|refused| RefusedLock { owner: NOBODY, ..refused }));
    }

    /// Has `waker` called once, as soon as the lock is free that the calling thread was refused
    /// last with `LockWait::Never` since its turn began, and no thread waits for it; at once if it
    /// is free by now. `false`: nothing was refused, or others wait for it, who come first, or the
    /// wait would close a circle. A watch ends when nobody keeps its waker any more.
    ///
    /// A waker must not block, nor call back into this table.
    pub fn watch_refused(&self, waker: &LockWaker) -> bool {
        let Some(RefusedLock { table, owner, lock }) = REFUSED.take() else {
            return false;
        };
        if table != self.address() {
            return false;
        }
        let mut waiting = self.waiting.lock();
        let mut locks = self.shard(lock).locks.lock();
        let Some(held) = locks.get_mut(&lock) else {
            drop((locks, waiting));
            waker();
            return true;
        };
        let wanted = held.wanted.get_or_insert_default();
        wanted.watchers.retain(Watcher::is_waiting);
        if !wanted.queue.is_empty() || wanted.watchers.len() == WATCHERS_MAX {
            return false;
        }
        wanted.watchers.push(Watcher { owner, wake: Arc::downgrade(waker) });
        drop(locks);
        if owner == NOBODY {
            return true;
        }
        if self.closes_circle(owner, lock, &waiting) && self.stop_watching(owner, lock) {
            return false;
        }
        waiting.insert(owner, lock);
        true
    }

    /// How many locks are held, for status pages.
    pub fn held(&self) -> usize {
        self.shards.iter().map(|shard| shard.locks.lock().len()).sum()
    }

    /// Tells this table from others.
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn shard(&self, lock: u64) -> &LockShard {
        // Bits that the hash map inside uses neither for its buckets nor for its tags.
        &self.shards[(lock >> 40) as usize % SHARDS]
    }

    fn acquire_waiting(
        &self,
        owner: u64,
        (lock, key): (u64, &[u8]),
        (mode, kind): (LockMode, WaitKind),
        deadline: Option<Instant>,
    ) -> Result<bool> {
        let (waiter, shares) = {
            let mut waiting = self.waiting.lock();
            let (waiter, shares) = match self.enqueue(owner, (lock, key), (mode, kind)) {
                Ok(newly) => return Ok(newly),
                Err(waiting) => waiting,
            };
            if self.closes_circle(owner, lock, &waiting) && self.leave_queue(&waiter, lock) {
                return Err(Error::Conflict);
            }
            waiting.insert(owner, lock);
            (waiter, shares)
        };
        let granted = during(Waiting::RowLock, || waiter.wait_until(deadline));
        self.waiting.lock().remove(&owner);
        // Between the end of the time and now the lock may have been handed over after all.
        match granted || !self.leave_queue(&waiter, lock) {
            true => Ok(!shares),
            false => Err(Error::LockTimeout),
        }
    }

    /// Puts a waiter at the end of the lock's queue, or before all if it shares the lock, which is
    /// given too; what `acquire` gives when the lock can be had.
    fn enqueue(
        &self,
        owner: u64,
        (lock, key): (u64, &[u8]),
        (mode, kind): (LockMode, WaitKind),
    ) -> Result<bool, (Arc<Waiter>, bool)> {
        let mut locks = self.shard(lock).locks.lock();
        let Some(held) = locks.get_mut(&lock) else {
            locks.insert(lock, HeldLock::new(Owners::new(owner, mode), key));
            return Ok(true);
        };
        if let Some(newly) = held.admit(owner, mode) {
            return Ok(newly);
        }
        let waiter = Arc::new(Waiter {
            owner,
            mode,
            kind,
            key: key.into(),
            granted: Mutex::new(false),
            wake: Condvar::new(),
        });
        let shares = held.owners.all().contains(&owner);
        let queue = &mut held.wanted.get_or_insert_default().queue;
        match shares {
            true => queue.push_front(waiter.clone()),
            false => queue.push_back(waiter.clone()),
        }
        Err((waiter, shares))
    }

    /// Whether somebody who holds `lock` waits, directly or through others, for `owner`.
    ///
    /// Steps are read one after the other while locks change hands, yet a circle that is found
    /// is real: no wait starts meanwhile (`waiting` is locked), and a waiting owner releases
    /// nothing, so every step of the circle still holds when the last one is read. Whoever is
    /// before another in a queue waits for the same owners, so these alone are looked at.
    fn closes_circle(&self, owner: u64, lock: u64, waiting: &HashMap<u64, u64>) -> bool {
        let mut seen = Vec::new();
        let mut next = self.waited_for(owner, lock);
        while let Some(holder) = next.pop() {
            if holder == owner {
                return true;
            }
            if seen.contains(&holder) {
                continue;
            }
            seen.push(holder);
            if let Some(&wanted) = waiting.get(&holder) {
                next.extend(self.waited_for(holder, wanted));
            }
        }
        false
    }

    /// For whom an owner waits in the queue of a lock, or watches it; nobody if it was woken, and
    /// is only not yet gone from `waiting`.
    fn waited_for(&self, owner: u64, lock: u64) -> Vec<u64> {
        let locks = self.shard(lock).locks.lock();
        let Some(held) = locks.get(&lock) else { return Vec::new() };
        let is_there = held.wanted.as_ref().is_some_and(|wanted| {
            let is_its = |watcher: &Watcher| watcher.owner == owner && watcher.is_waiting();
            wanted.watchers.iter().any(is_its) || wanted.has_in_queue(owner)
        });
        match is_there {
            true => held.owners.all().iter().copied().filter(|other| *other != owner).collect(),
            false => Vec::new(),
        }
    }

    /// Whether an owner stands in the queue of a lock.
    fn is_waiting(&self, owner: u64, lock: u64) -> bool {
        let locks = self.shard(lock).locks.lock();
        let wanted = locks.get(&lock).and_then(|held| held.wanted.as_ref());
        wanted.is_some_and(|wanted| wanted.has_in_queue(owner))
    }

    /// Takes an owner's watcher away; `false` when it has been woken meanwhile.
    fn stop_watching(&self, owner: u64, lock: u64) -> bool {
        let mut locks = self.shard(lock).locks.lock();
        let wanted = locks.get_mut(&lock).and_then(|held| held.wanted.as_mut());
        wanted.is_some_and(|wanted| {
            let before = wanted.watchers.len();
            wanted.watchers.retain(|watcher| watcher.owner != owner);
            wanted.watchers.len() < before
        })
    }

    /// Takes a waiter out of the queue; `false` when the lock was handed to it meanwhile.
    fn leave_queue(&self, waiter: &Arc<Waiter>, lock: u64) -> bool {
        let mut locks = self.shard(lock).locks.lock();
        if *waiter.granted.lock() {
            return false;
        }
        if let Some(held) = locks.get_mut(&lock) {
            if let Some(wanted) = &mut held.wanted {
                wanted.queue.retain(|other| !Arc::ptr_eq(other, waiter));
            }
            // Those behind it may be able to share the lock.
            held.hand_on();
        }
        true
    }

    /// Wakes watchers that are on no lock's list any more.
    fn wake(&self, woken: Vec<(u64, Watcher)>) {
        if woken.is_empty() {
            return;
        }
        let mut waiting = self.waiting.lock();
        for (lock, watcher) in &woken {
            let is_watched = waiting.get(&watcher.owner) == Some(lock);
            if is_watched && !self.is_waiting(watcher.owner, *lock) {
                waiting.remove(&watcher.owner);
            }
        }
        drop(waiting);
        for wake in woken.iter().filter_map(|(_, watcher)| watcher.wake.upgrade()) {
            wake();
        }
    }

    fn release_one(&self, owner: u64, lock: u64, woken: &mut Vec<(u64, Watcher)>) {
        let mut locks = self.shard(lock).locks.lock();
        let Some(held) = locks.get_mut(&lock) else {
            debug_assert!(false, "a lock is released that nobody holds");
            return;
        };
        debug_assert!(held.owners.all().contains(&owner), "a lock is released by its owner only");
        let is_free = match &mut held.owners {
            Owners::One(_) => true,
            Owners::Sharers(owners) => {
                owners.retain(|other| *other != owner);
                owners.is_empty()
            }
        };
        if !is_free {
            // One that is left may have been refused the lock for itself.
            if let Some(wanted) = &mut held.wanted {
                woken.extend(wanted.watchers.drain(..).map(|watcher| (lock, watcher)));
            }
            held.hand_on();
            return;
        }
        let next = held.wanted.as_mut().and_then(|wanted| wanted.queue.pop_front());
        match next {
            Some(waiter) => {
                held.owners = Owners::new(waiter.owner, waiter.mode);
                waiter.grant();
                held.hand_on();
            }
            None => {
                let freed = locks.remove(&lock);
                // What one large transaction needed is not kept for ever.
                if locks.capacity() > PLACES_MIN.max(8 * locks.len()) {
                    let places = PLACES_MIN.max(2 * locks.len());
                    locks.shrink_to(places);
                }
                if let Some(wanted) = freed.and_then(|held| held.wanted) {
                    woken.extend(wanted.watchers.into_iter().map(|watcher| (lock, watcher)));
                }
            }
        }
    }
}

impl LockQueue {
    fn has_in_queue(&self, owner: u64) -> bool {
        self.queue.iter().any(|waiter| waiter.owner == owner)
    }
}

impl HeldLock {
    fn new(owners: Owners, key: &[u8]) -> HeldLock {
        HeldLock { owners, place: KeyPlace::of(key), wanted: None }
    }

    fn mode(&self) -> LockMode {
        match self.owners {
            Owners::One(_) => LockMode::Exclusive,
            Owners::Sharers(_) => LockMode::Shared,
        }
    }

    /// As `Owners::admit`, for one who asks now: nobody who waits is overtaken.
    fn admit(&mut self, owner: u64, mode: LockMode) -> Option<bool> {
        if self.owners.suits(owner, mode) {
            return Some(false);
        }
        let is_wanted = self.wanted.as_ref().is_some_and(|wanted| !wanted.queue.is_empty());
        if is_wanted && !self.owners.all().contains(&owner) {
            return None;
        }
        self.owners.admit(owner, mode)
    }

    /// Gives the lock to those who wait first, as long as they can have it beside its owners.
    fn hand_on(&mut self) {
        let Some(wanted) = &mut self.wanted else { return };
        while let Some(waiter) = wanted.queue.front()
            && self.owners.admit(waiter.owner, waiter.mode).is_some()
        {
            waiter.grant();
            wanted.queue.pop_front();
        }
    }
}

impl Waiter {
    fn grant(&self) {
        *self.granted.lock() = true;
        self.wake.notify_one();
    }

    /// `true` when granted; without a deadline it waits until it is, or interrupted.
    fn wait_until(&self, deadline: Option<Instant>) -> bool {
        let mut granted = self.granted.lock();
        while !*granted {
            let look = Instant::now() + interrupt::LOOK;
            let until = deadline.map_or(look, |deadline| deadline.min(look));
            let timed_out = self.wake.wait_until(&mut granted, until).timed_out();
            if timed_out && (deadline == Some(until) || interrupt::is_wanted()) {
                break;
            }
        }
        *granted
    }
}

#[cfg(test)]
mod tests;
