//! Recency: how many bytes the rows of a table in cache mode have, and how long ago each row was
//! used. What `evict` goes by.
//!
//! Uses are kept in buckets by the hash of the row's key. A new epoch begins each time a part of
//! the limit has been written, and once a second. So ages are fine where rows turn over quickly
//! and reach far back where they do not.
//! ```text
//! bucket   4 uses
//! use      u32: 16 bits of the hash, 16 bits of the epoch in which it was last used; 0: none
//! ```
//!
//! Invariants
//! 1. Memory is bounded: 4 bytes for each 64 of the limit, at most 64 MiB.
//! 2. A row without a use in its bucket is older than the rows that have one there.
//! 3. `bytes` counts committed writes only, keys included and index entries not. What was there
//!    before (a start, an ALTER) is added when it has been counted.
//! 4. Noting a use costs a hash and mostly no store; nobody waits.
//!
//! Not here: choosing and deleting rows (`evict`), who waits for room (`transaction`).

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU16, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use foldhash::fast::FixedState;
use parking_lot::{Condvar, Mutex};

use crate::schema::TableId;

/// Bytes of the limit for each use: about the smallest rows there are.
const BYTES_PER_USE: u64 = 64;
/// Uses in a bucket.
const WAYS: usize = 4;
/// Tries of one use to get into its bucket, where others get in at the same moment.
const TOUCHES: usize = 4;
const BUCKETS_MIN: u64 = 1 << 10;
const BUCKETS_MAX: u64 = 1 << 22;
/// Epochs are 1 to this.
const EPOCHS: u16 = u16::MAX;
/// Uses longer ago than this are forgotten, before their epoch's number comes again.
const AGE_MAX: u16 = 48 * 1024;
/// Every so many epochs old uses are forgotten.
const FORGET_EPOCHS: u16 = 4 * 1024;
/// Buckets that are looked at to know how old the oldest are.
const SAMPLE_MAX: usize = 1 << 18;
/// Part of the limit that is written in one epoch.
const EPOCH_PART: u64 = 64;
/// Part of the limit by which writers may exceed it before they wait.
const OVER_PART: u64 = 16;
/// How long a writer waits for room. Then it goes on: the limit is not worth an error.
const ROOM_WAIT_MAX: Duration = Duration::from_millis(250);

/// Bytes and uses of one table's rows.
#[derive(Debug)]
pub struct Recency {
    id: TableId,
    bytes_max: u64,
    bytes: AtomicI64,
    rows: AtomicI64,
    /// Whether the rows that were there before are in `bytes` and `rows`.
    counted: AtomicBool,
    /// Bytes written since the epoch was moved.
    written: AtomicU64,
    epoch: AtomicU16,
    /// The epoch in which old uses were forgotten last.
    forgot: AtomicU16,
    buckets: Box<[[AtomicU32; WAYS]]>,
    evictions: AtomicU64,
    room: Mutex<()>,
    room_made: Condvar,
}

impl Recency {
    /// Of a table with this key range and at most so many bytes, of whose rows nothing is known.
    pub(crate) fn new(id: TableId, bytes_max: u64) -> Recency {
        let wanted = bytes_max / BYTES_PER_USE / WAYS as u64;
        let buckets = wanted.clamp(BUCKETS_MIN, BUCKETS_MAX).next_power_of_two();
        Recency {
            id,
            bytes_max,
            bytes: AtomicI64::new(0),
            rows: AtomicI64::new(0),
            counted: AtomicBool::new(false),
            written: AtomicU64::new(0),
            epoch: AtomicU16::new(1),
            forgot: AtomicU16::new(1),
            buckets: (0..buckets).map(|_| Default::default()).collect(),
            evictions: AtomicU64::new(0),
            room: Mutex::new(()),
            room_made: Condvar::new(),
        }
    }

    pub(crate) fn is_of(&self, id: TableId, bytes_max: u64) -> bool {
        (self.id, self.bytes_max) == (id, bytes_max)
    }

    /// Most bytes that the rows should have.
    pub fn bytes_max(&self) -> u64 {
        self.bytes_max
    }

    /// Bytes of the rows, keys included.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed).max(0) as u64
    }

    /// Rows that had to leave since the limit was set, or the start.
    pub fn evictions(&self) -> u64 {
        self.evictions.load(Ordering::Relaxed)
    }

    /// Notes that a row is used.
    #[inline]
    pub fn touch(&self, row_key: &[u8]) {
        let (bucket, mark) = self.bucket(row_key);
        let epoch = self.epoch();
        let now = mark | u32::from(epoch);
        for _ in 0..TOUCHES {
            let mut oldest = (&bucket[0], 0, 0);
            for one in bucket {
                let known = one.load(Ordering::Relaxed);
                // Most are touched again in the same epoch: then the cache line stays shared.
                if known == now {
                    return;
                }
                if known & MARK == mark && known != 0 {
                    one.store(now, Ordering::Relaxed);
                    return;
                }
                let age = age(epoch, known as u16);
                if age >= oldest.1 {
                    oldest = (one, age, known);
                }
            }
            let (one, _, known) = oldest;
            if one.compare_exchange(known, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                return;
            }
        }
    }

    /// Forgets a row that is gone.
    pub(crate) fn forget(&self, row_key: &[u8]) {
        let (bucket, mark) = self.bucket(row_key);
        for one in bucket {
            if one.load(Ordering::Relaxed) & MARK == mark {
                one.store(0, Ordering::Relaxed);
            }
        }
    }

    /// How many epochs ago a row was used; `UNKNOWN` when that was too long ago to be known.
    pub(crate) fn age(&self, row_key: &[u8]) -> u16 {
        let (bucket, mark) = self.bucket(row_key);
        let epoch = self.epoch();
        let known = bucket.iter().map(|one| one.load(Ordering::Relaxed));
        let ages = known.filter(|known| known & MARK == mark).map(|known| age(epoch, known as u16));
        ages.min().unwrap_or(UNKNOWN)
    }

    /// The age that the oldest `1 / part` of all rows have at least; never 0 while there are
    /// older ones. Rows of which no use is known are the oldest.
    pub(crate) fn age_of_oldest(&self, part: usize) -> u16 {
        let epoch = self.epoch();
        let step = self.buckets.len().div_ceil(SAMPLE_MAX);
        let mut counts = vec![0u32; usize::from(EPOCHS)];
        let mut known = 0usize;
        for one in self.buckets.iter().step_by(step).flatten() {
            let age = age(epoch, one.load(Ordering::Relaxed) as u16);
            if age != UNKNOWN {
                counts[usize::from(age)] += 1;
                known += 1;
            }
        }
        let all = (self.rows.load(Ordering::Relaxed).max(0) as usize / step).max(known);
        let mut older = all - known;
        if older > 0 && older * part >= all {
            return UNKNOWN;
        }
        let mut oldest = 0;
        for (age, count) in counts.into_iter().enumerate().rev().filter(|(_, count)| *count > 0) {
            if age == 0 && older > 0 {
                break;
            }
            older += count as usize;
            oldest = age as u16;
            if older * part >= all {
                break;
            }
        }
        oldest
    }

    /// The present epoch.
    pub(crate) fn epoch(&self) -> u16 {
        self.epoch.load(Ordering::Relaxed)
    }

    /// Begins a new epoch, and forgets old uses if it is time. Once a second, where waiting hurts
    /// nobody.
    pub(crate) fn tick(&self) {
        self.advance();
        let epoch = self.epoch();
        if age(epoch, self.forgot.load(Ordering::Relaxed)) < FORGET_EPOCHS {
            return;
        }
        self.forgot.store(epoch, Ordering::Relaxed);
        for one in self.buckets.iter().flatten() {
            let known = one.load(Ordering::Relaxed);
            if known != 0 && age(epoch, known as u16) > AGE_MAX {
                one.store(0, Ordering::Relaxed);
            }
        }
    }

    fn advance(&self) {
        let next = |epoch| Some(if epoch == EPOCHS { 1 } else { epoch + 1 });
        // Always some: there is a next one.
        let _ = self.epoch.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
    }

    /// Adds a committed change; says whether there are too many bytes now.
    pub(crate) fn add(&self, bytes: i64, rows: i64) -> bool {
        self.rows.fetch_add(rows, Ordering::Relaxed);
        if bytes > 0 {
            let written = self.written.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
            let due = self.bytes_max / EPOCH_PART;
            // Of several that come here together one begins the epoch.
            if written >= due && self.written.swap(0, Ordering::Relaxed) >= due {
                self.advance();
            }
        }
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.bytes() > self.bytes_max
    }

    pub(crate) fn is_counted(&self) -> bool {
        self.counted.load(Ordering::Relaxed)
    }

    /// Bytes and rows before those that were there are counted.
    pub(crate) fn base(&self) -> (i64, i64) {
        (self.bytes.load(Ordering::Relaxed), self.rows.load(Ordering::Relaxed))
    }

    /// Takes in the bytes and rows of a snapshot made when there were `base`.
    pub(crate) fn set_counted(&self, base: (i64, i64), bytes: i64, rows: i64) {
        self.bytes.fetch_add(bytes - base.0, Ordering::Relaxed);
        self.rows.fetch_add(rows - base.1, Ordering::Relaxed);
        self.counted.store(true, Ordering::Relaxed);
    }

    pub(crate) fn add_evictions(&self, rows: u64) {
        self.evictions.fetch_add(rows, Ordering::Relaxed);
    }

    /// Whether those who can wait should let the sweep catch up before they add a row.
    pub(crate) fn is_crowded(&self) -> bool {
        self.bytes() > self.bytes_max + self.bytes_max / OVER_PART
    }

    /// Waits until it is not crowded any more, or for a while.
    pub(crate) fn wait_for_room(&self) {
        let deadline = Instant::now() + ROOM_WAIT_MAX;
        let mut room = self.room.lock();
        while self.is_crowded() && !self.room_made.wait_until(&mut room, deadline).timed_out() {}
    }

    /// Tells those who wait for room that some was made.
    pub(crate) fn tell_room(&self) {
        let _room = self.room.lock();
        self.room_made.notify_all();
    }

    /// The bucket of a row, and its part of the hash in place.
    #[inline]
    fn bucket(&self, row_key: &[u8]) -> (&[AtomicU32; WAYS], u32) {
        const HASHER: FixedState = FixedState::with_seed(0x6361_6368_6521);
        let hash = HASHER.hash_one(row_key);
        let bucket = &self.buckets[hash as usize & (self.buckets.len() - 1)];
        (bucket, (hash >> 32) as u32 & MARK)
    }
}

/// The part of a use that comes from the hash.
const MARK: u32 = 0xFFFF_0000;
/// The age of a row of which no use is known.
pub(crate) const UNKNOWN: u16 = u16::MAX;

/// Epochs from a use to now.
#[inline]
fn age(epoch: u16, used: u16) -> u16 {
    match used {
        0 => UNKNOWN,
        _ if used <= epoch => epoch - used,
        _ => EPOCHS - used + epoch,
    }
}

/// The way to wake the thread that sweeps.
#[derive(Debug, Default)]
pub struct Wake {
    /// Whether there is such a thread: otherwise nobody should wait for it.
    attached: AtomicBool,
    wanted: AtomicBool,
    mutex: Mutex<()>,
    woken: Condvar,
}

impl Wake {
    /// Waits until there is something to do, or until then. For the thread that sweeps.
    pub fn wait_until(&self, deadline: Instant) {
        self.attached.store(true, Ordering::Relaxed);
        let mut guard = self.mutex.lock();
        while !self.wanted.load(Ordering::SeqCst) {
            if self.woken.wait_until(&mut guard, deadline).timed_out() {
                break;
            }
        }
        self.wanted.store(false, Ordering::SeqCst);
    }

    pub(crate) fn is_attached(&self) -> bool {
        self.attached.load(Ordering::Relaxed)
    }

    pub(crate) fn wake(&self) {
        if !self.wanted.swap(true, Ordering::SeqCst) {
            let _guard = self.mutex.lock();
            self.woken.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u32) -> [u8; 4] {
        n.to_be_bytes()
    }

    #[test]
    fn ages_go_on_when_the_numbers_of_epochs_begin_again() {
        let recency = Recency::new(1, 1 << 20);
        recency.epoch.store(EPOCHS - 1, Ordering::Relaxed);
        recency.touch(&key(1));
        assert_eq!(recency.age(&key(2)), UNKNOWN);
        for age in 0..5 {
            assert_eq!(recency.age(&key(1)), age);
            recency.tick();
        }
    }

    #[test]
    fn uses_of_long_ago_are_forgotten_before_they_pass_for_new() {
        let recency = Recency::new(1, 1 << 20);
        recency.touch(&key(1));
        for _ in 0..2 * u32::from(EPOCHS) {
            recency.tick();
            assert!(recency.age(&key(1)) > 0);
        }
        assert_eq!(recency.age(&key(1)), UNKNOWN);
    }

    #[test]
    fn the_oldest_part_is_told_by_its_age() {
        let recency = Recency::new(1, 1 << 20);
        assert_eq!(recency.age_of_oldest(4), 0);
        for n in 0..100 {
            recency.touch(&key(n));
        }
        assert_eq!(recency.age_of_oldest(4), 0);
        recency.tick();
        for n in 0..90 {
            recency.touch(&key(n));
        }
        // Rows of the present epoch are not among the oldest while there are others.
        assert_eq!(recency.age_of_oldest(4), 1);
        assert_eq!(recency.age_of_oldest(20), 1);
        // Rows that nothing is known of come before them.
        recency.set_counted((0, 0), 0, 150);
        assert_eq!(recency.age_of_oldest(4), UNKNOWN);
        assert_eq!(recency.age_of_oldest(2), 1);
    }
}
