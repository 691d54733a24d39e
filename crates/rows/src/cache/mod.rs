//! The row cache: rows by key, in memory, always what the store has.
//!
//! Look-ups by key are answered here without the store. Each shard keeps its rows in two queues
//! (the S3-FIFO of Yang et al., SOSP 2023): a row enters the small one, and moves to the main one
//! only if it is asked for again before it reaches the end; the keys of rows that did not are
//! remembered for a while as ghosts, and enter the main queue at once if they come back. So one
//! pass over a large table passes through the small queue and leaves the main one alone.
//!
//! Coherence: a writer announces its keys before it gives them to the store (`begin_write`) and
//! takes the announcement back when that is done (`end_write`). Each key belongs to a stripe that
//! counts announcements:
//! ```text
//! reader                          writer
//! miss: notes the stripe's count  begin_write: hides the row, count + 1, writing + 1
//! reads the store                 the store applies the write
//! fill: only if count unchanged   end_write: count + 1, writing - 1, and the new row
//!       and nobody is writing
//! ```
//!
//! Snapshots: the store numbers its states (`Read::sequence`), and each row bears a number `since`
//! from which on it is what the store has. A snapshot of that number or a later one has the same
//! row; an earlier one reads for itself. A writer gives the number that the store had after the
//! write (`end_write`), and its stripe remembers it: whatever is filled in later, while nobody is
//! writing, has been so since the stripe's last write at the latest. So may fill who read a state
//! that was not before that:
//! ```text
//!               write of k, 17        write of m, same stripe, 19
//! k  old ───────┼ new ────────────────┼──────────────────────────> now
//!               k: since 17           k leaves; filled again: since 19
//! ```
//!
//! Invariants
//! 1. A row is seen in the cache only while no write of it is announced, and is then what the store
//!    has now and had at every number from `since` on. So a reader never puts an old row back after
//!    a writer replaced it, and a snapshot shows nothing written after it was taken.
//! 2. The bytes held, with bookkeeping, never exceed the limit by more than one row a shard, but
//!    for a moment when much of it is lent (`shrink`).
//!
//! Beside this file: one shard (`shard`), its table (`table`), what is lent of its memory (`loan`).
//!
//! Not here: which state a reader sees (`Read::sequence`), its own writes over it (`find`), who
//! announces writes (`commit`).

mod batch;
mod loan;
mod shard;
mod table;

use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use foldhash::fast::FixedState;
use parking_lot::Mutex;

pub use batch::KeyBatch;
pub use loan::Loan;
use shard::CacheShard;
use table::HIDDEN;

use crate::schema::TableId;

/// Shards; a power of two. More than threads that look up at once.
const SHARDS: usize = 64;
/// Rows fetched ahead in one go: about what the first-level cache and the processor's queue hold.
pub const PREFETCH_MAX: usize = 32;
/// Rows that leave a shard while it is locked, when there are too many.
const SHRUNK_AT_ONCE: usize = 8;
/// The part of its bytes that all loans together may have.
const LOANS_PART: usize = 2;
/// How often a row may be counted as asked for.
const USES_MAX: u8 = 3;

/// The number of the latest state, for readers of that: above every sequence of a store.
pub const LATEST: u64 = HIDDEN - 1;

/// Rows by key.
pub struct RowCache {
    shards: Vec<Mutex<CacheShard>>,
    hasher: FixedState,
    /// 0: the cache is off.
    bytes_max: usize,
    /// Bytes of these that images of indexes have.
    images: Arc<AtomicUsize>,
    /// Bytes of these that are lent (`borrow`).
    loans: Arc<AtomicUsize>,
}

/// What a reader that missed must show to fill the cache.
#[derive(Clone, Copy, Debug)]
pub struct Miss {
    hash: u64,
    at: u64,
    announcements: u32,
}

/// What the cache says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStatus {
    /// Rows held.
    pub rows: u64,
    /// Bytes held, with bookkeeping.
    pub bytes: u64,
    /// Most bytes it may hold at the moment.
    pub bytes_max: u64,
    /// Bytes that images of indexes have of the cache's memory.
    pub image_bytes: u64,
    /// Bytes that sorts have of it.
    pub lent_bytes: u64,
    /// Look-ups answered.
    pub hits: u64,
    /// Look-ups not answered.
    pub misses: u64,
}

impl RowCache {
    /// A cache of at most so many bytes; 0 turns it off.
    pub fn new(bytes_max: usize) -> RowCache {
        RowCache::beside(bytes_max, Arc::default())
    }

    /// As `new`, less what images have at the time.
    pub fn beside(bytes_max: usize, images: Arc<AtomicUsize>) -> RowCache {
        let shards = (0..SHARDS).map(|_| Mutex::new(CacheShard::new())).collect();
        // A fixed seed: keys are not the client's to choose freely enough to aim at one shard
        // beyond what the store would suffer from as well.
        let hasher = FixedState::with_seed(0x526f_7768_6f75_7365);
        RowCache { shards, hasher, bytes_max, images, loans: Arc::default() }
    }

    /// Bytes that all loans together may have.
    pub fn lendable_bytes(&self) -> usize {
        self.bytes_max / LOANS_PART
    }

    /// Lends so many bytes of its memory, unless others have borrowed too much of it before.
    pub fn borrow(&self, bytes: usize) -> Option<Loan> {
        let loan = Loan::within(&self.loans, bytes, self.lendable_bytes())?;
        self.shrink();
        Some(loan)
    }

    /// Puts the row of `key` that the state of number `at` has into `row` (cleared first). A miss
    /// comes with what a fill needs.
    ///
    /// # Errors
    /// `Miss` when the row is not here as of that state.
    #[inline]
    pub fn get(&self, key: &[u8], at: u64, row: &mut Vec<u8>) -> Result<(), Miss> {
        let hash = self.hasher.hash_one(key);
        let mut shard = self.shard(hash).lock();
        if let Some(entry) = shard.find(hash, key)
            && entry.since <= at
        {
            // Written only when it changes: the entry's line stays clean.
            if entry.uses < USES_MAX {
                entry.uses += 1;
            }
            row.clear();
            row.extend_from_slice(entry.row());
            shard.hits += 1;
            return Ok(());
        }
        shard.misses += 1;
        Err(Miss { hash, at, announcements: shard.stripe(hash).announcements })
    }

    /// Keeps a row that was read from the same state after the miss, unless the store may have
    /// another one by now.
    pub fn fill(&self, miss: Miss, key: &[u8], row: &[u8]) {
        let mut shard = self.shard(miss.hash).lock();
        let stripe = *shard.stripe(miss.hash);
        let quiet = stripe.writing == 0 && stripe.announcements == miss.announcements;
        if quiet && stripe.written <= miss.at {
            shard.put(miss.hash, key, row, stripe.written, self.shard_bytes_max());
        }
    }

    /// Announces a write of `key`: its row is not seen here until `end_write`.
    pub fn begin_write(&self, key: &[u8]) {
        let hash = self.hasher.hash_one(key);
        let mut shard = self.shard(hash).lock();
        let stripe = shard.stripe(hash);
        stripe.announcements = stripe.announcements.wrapping_add(1);
        stripe.writing += 1;
        if let Some(entry) = shard.find(hash, key) {
            entry.since = HIDDEN;
        }
    }

    /// Takes an announcement back, once the store has the write or has refused it. `sequence` is
    /// the store's, read after that.
    pub fn end_write(&self, key: &[u8], written: WriteEffect<'_>, sequence: u64) {
        let hash = self.hasher.hash_one(key);
        let mut shard = self.shard(hash).lock();
        let stripe = shard.stripe(hash);
        // A reader that missed while the write was under way may have read the store on either side
        // of it.
        stripe.announcements = stripe.announcements.wrapping_add(1);
        stripe.writing -= 1;
        stripe.written = stripe.written.max(sequence);
        let alone = stripe.writing == 0;
        match written {
            WriteEffect::Row(row) if alone => {
                shard.put(hash, key, row, sequence, self.shard_bytes_max());
            }
            WriteEffect::RowOfMany(row) if alone && shard.find(hash, key).is_some() => {
                shard.put(hash, key, row, sequence, self.shard_bytes_max());
            }
            // Another write of the stripe may be of this key: its end brings the row.
            WriteEffect::Row(_) | WriteEffect::RowOfMany(_) => {}
            WriteEffect::Nothing => shard.remove(hash, key),
        }
    }

    /// Announces writes of any rows of these tables: none of theirs is seen here any more, and
    /// until `end_tables` no row at all comes in.
    pub fn begin_tables(&self, tables: &[TableId]) {
        for shard in &self.shards {
            shard.lock().begin_tables(tables);
        }
    }

    /// Takes the announcement of `begin_tables` back. `sequence` is the store's, read after that.
    pub fn end_tables(&self, sequence: u64) {
        for shard in &self.shards {
            shard.lock().end_tables(sequence);
        }
    }

    /// Bytes that a shard may have by now.
    fn shard_bytes_max(&self) -> usize {
        let others = self.images.load(Ordering::Relaxed) + self.loans.load(Ordering::Relaxed);
        self.bytes_max.saturating_sub(others) / SHARDS
    }

    /// Lets rows go that have no room since memory was lent, a few at a time: readers wait for none
    /// of it.
    pub fn shrink(&self) {
        let bytes_max = self.shard_bytes_max();
        for shard in &self.shards {
            while shard.lock().shrink(bytes_max, SHRUNK_AT_ONCE) {
                // Those who wait for the lock come first.
                std::thread::yield_now();
            }
        }
    }

    /// Whether the cache keeps anything at all.
    pub fn is_on(&self) -> bool {
        self.bytes_max > 0
    }

    /// What it holds and how it did.
    pub fn status(&self) -> CacheStatus {
        let mut status = CacheStatus {
            bytes_max: (self.shard_bytes_max() * SHARDS) as u64,
            image_bytes: self.images.load(Ordering::Relaxed) as u64,
            lent_bytes: self.loans.load(Ordering::Relaxed) as u64,
            ..CacheStatus::default()
        };
        for shard in &self.shards {
            let shard = shard.lock();
            status.rows += shard.index.len() as u64;
            status.bytes += (shard.small_bytes + shard.main_bytes) as u64;
            status.hits += shard.hits;
            status.misses += shard.misses;
        }
        status
    }

    /// By bits that the shard's table needs neither for places (the lowest) nor tags (the highest).
    fn shard(&self, hash: u64) -> &Mutex<CacheShard> {
        &self.shards[(hash >> 46) as usize % SHARDS]
    }

    /// Has the processor fetch rows that are about to be looked up, so that a batch waits for
    /// memory once and not once a row.
    pub fn prefetch<'k>(&self, keys: impl Iterator<Item = &'k [u8]>) {
        if !self.is_on() {
            return;
        }
        let mut hashes = [0; PREFETCH_MAX];
        let mut count = 0;
        for (hash, key) in hashes.iter_mut().zip(keys) {
            *hash = self.hasher.hash_one(key);
            self.shard(*hash).lock().index.prefetch_place(*hash);
            count += 1;
        }
        for hash in &hashes[..count] {
            self.shard(*hash).lock().index.prefetch_row(*hash);
        }
    }
}

/// What came of a write, for the cache.
#[derive(Clone, Copy, Debug)]
pub enum WriteEffect<'a> {
    /// The row, worth keeping: who writes a row is likely to read it.
    Row(&'a [u8]),
    /// One of very many rows, kept only if it was here before: a load must not empty the cache.
    RowOfMany(&'a [u8]),
    /// The row is gone, or what became of it is not known.
    Nothing,
}

#[cfg(test)]
mod tests {
    use super::shard::PLACES_MIN;
    use super::*;

    fn key(number: u32) -> [u8; 10] {
        let mut key = [0; 10];
        key[6..].copy_from_slice(&number.to_be_bytes());
        key
    }

    fn has(cache: &RowCache, number: u32) -> bool {
        cache.get(&key(number), LATEST, &mut Vec::new()).is_ok()
    }

    fn read_through(cache: &RowCache, number: u32) {
        if let Err(miss) = cache.get(&key(number), LATEST, &mut Vec::new()) {
            cache.fill(miss, &key(number), &[7; 40]);
        }
    }

    #[test]
    fn a_filled_row_is_found_and_a_written_one_is_replaced() {
        let cache = RowCache::new(1 << 20);
        read_through(&cache, 1);
        assert!(has(&cache, 1));
        cache.begin_write(&key(1));
        assert!(!has(&cache, 1), "not while it is written");
        cache.end_write(&key(1), WriteEffect::Row(b"new"), 1);
        let mut row = Vec::new();
        cache.get(&key(1), LATEST, &mut row).unwrap();
        assert_eq!(row, b"new");
    }

    #[test]
    fn a_reader_does_not_put_an_old_row_back_after_a_write() {
        let cache = RowCache::new(1 << 20);
        let before = cache.get(&key(1), LATEST, &mut Vec::new()).unwrap_err();
        cache.begin_write(&key(1));
        let during = cache.get(&key(1), LATEST, &mut Vec::new()).unwrap_err();
        cache.fill(before, &key(1), b"old");
        cache.fill(during, &key(1), b"old");
        cache.end_write(&key(1), WriteEffect::Nothing, 1);
        cache.fill(before, &key(1), b"old");
        cache.fill(during, &key(1), b"old");
        assert!(!has(&cache, 1), "the count moved since both misses");
        read_through(&cache, 1);
        assert!(has(&cache, 1));
    }

    #[test]
    fn a_snapshot_sees_a_row_only_if_it_was_so_when_the_snapshot_was_taken() {
        let cache = RowCache::new(1 << 20);
        let mut row = Vec::new();
        cache.begin_write(&key(1));
        assert!(cache.get(&key(1), 20, &mut row).is_err(), "it may have either row");
        cache.end_write(&key(1), WriteEffect::Row(b"new"), 17);
        assert!(cache.get(&key(1), 16, &mut row).is_err(), "taken before the write");
        assert!(cache.get(&key(1), 17, &mut row).is_ok() && row == b"new");
        assert!(cache.get(&key(1), LATEST, &mut row).is_ok());
    }

    #[test]
    fn a_snapshot_fills_the_cache_only_if_nothing_was_written_after_it() {
        let cache = RowCache::new(1 << 20);
        let mut row = Vec::new();
        cache.begin_write(&key(1));
        cache.end_write(&key(1), WriteEffect::Nothing, 17);
        let before = cache.get(&key(1), 16, &mut row).unwrap_err();
        cache.fill(before, &key(1), b"removed at 17");
        assert!(!has(&cache, 1));
        let after = cache.get(&key(1), 18, &mut row).unwrap_err();
        cache.fill(after, &key(1), b"same since 17");
        assert!(cache.get(&key(1), 16, &mut row).is_err());
        assert!(cache.get(&key(1), 17, &mut row).is_ok() && has(&cache, 1));
        // A write that the store gave no new number, and that ended after the miss.
        let miss = cache.get(&key(2), 18, &mut row).unwrap_err();
        cache.begin_write(&key(2));
        cache.end_write(&key(2), WriteEffect::Nothing, 18);
        cache.fill(miss, &key(2), b"old");
        assert!(!has(&cache, 2));
    }

    #[test]
    fn a_pass_over_a_larger_table_leaves_rows_in_use_alone() {
        let cache = RowCache::new(4 << 20);
        let hot = 0..2_000;
        for _ in 0..4 {
            hot.clone().for_each(|number| read_through(&cache, number));
        }
        // Fill up, so that the hot rows had to leave the small queue by their use.
        (10_000..60_000).for_each(|number| read_through(&cache, number));
        hot.clone().for_each(|number| read_through(&cache, number));
        (100_000..400_000).for_each(|number| read_through(&cache, number));
        let kept = hot.clone().filter(|number| has(&cache, *number)).count();
        assert!(kept > 1_900, "{kept} of 2000 kept");
    }

    #[test]
    fn it_holds_no_more_than_it_may() {
        let cache = RowCache::new(1 << 20);
        for number in 0..100_000 {
            read_through(&cache, number);
            if number % 3 == 0 {
                cache.begin_write(&key(number));
                cache.end_write(&key(number), WriteEffect::Nothing, 1);
            }
        }
        let status = cache.status();
        assert!(status.bytes <= status.bytes_max, "{status:?}");
        assert!(status.rows > 1_000, "{status:?}");
        let places = |shard: &Mutex<CacheShard>| {
            let shard = shard.lock();
            shard.small.len() + shard.main.len()
        };
        let places: usize = cache.shards.iter().map(places).sum();
        assert!(places < 40_000, "removed rows give their places back: {places}");
    }

    #[test]
    fn a_cache_of_no_bytes_keeps_nothing() {
        let cache = RowCache::new(0);
        read_through(&cache, 1);
        assert!(!has(&cache, 1) && !cache.is_on());
    }

    #[test]
    fn rows_that_come_and_go_without_pressure_leave_no_places_behind() {
        let cache = RowCache::new(1 << 20);
        for number in 0..200_000 {
            let number = number % 100;
            cache.begin_write(&key(number));
            let row = [7; 40];
            let gone = number % 2 == 0;
            let written = if gone { WriteEffect::Nothing } else { WriteEffect::Row(&row) };
            cache.end_write(&key(number), written, 1);
            read_through(&cache, number);
        }
        let shards = cache.shards.iter().map(|shard| shard.lock().small.len());
        assert!(shards.sum::<usize>() < SHARDS * (PLACES_MIN + 8));
        assert_eq!(cache.status().rows, 100);
    }

    #[test]
    fn rows_of_a_table_that_is_written_as_a_whole_are_not_seen_and_none_comes_in_meanwhile() {
        let cache = RowCache::new(1 << 20);
        let other = [0, 0, 0, 9, 0, 1, 7];
        read_through(&cache, 1);
        let before = cache.get(&key(2), LATEST, &mut Vec::new()).unwrap_err();
        let miss = cache.get(&other, LATEST, &mut Vec::new()).unwrap_err();
        cache.fill(miss, &other, b"other");
        cache.begin_tables(&[0]);
        assert!(!has(&cache, 1) && cache.get(&other, LATEST, &mut Vec::new()).is_ok());
        read_through(&cache, 1);
        cache.fill(before, &key(2), b"old");
        assert!(!has(&cache, 1) && !has(&cache, 2));
        // A row that somebody else writes meanwhile.
        cache.begin_write(&other);
        cache.end_write(&other, WriteEffect::Row(b"newer"), 2);
        let during = cache.get(&key(3), LATEST, &mut Vec::new()).unwrap_err();
        cache.end_tables(3);
        cache.fill(during, &key(3), b"old");
        assert!(!has(&cache, 1) && !has(&cache, 3));
        assert!(cache.get(&other, LATEST, &mut Vec::new()).is_err(), "not as it was before");
        read_through(&cache, 1);
        assert!(has(&cache, 1));
        assert!(cache.get(&key(1), 2, &mut Vec::new()).is_err(), "a snapshot from before");
    }

    #[test]
    fn a_load_keeps_only_rows_that_were_here() {
        let cache = RowCache::new(1 << 20);
        read_through(&cache, 1);
        for number in 1..3 {
            cache.begin_write(&key(number));
            cache.end_write(&key(number), WriteEffect::RowOfMany(b"loaded"), 1);
        }
        assert!(has(&cache, 1) && !has(&cache, 2));
    }
}
