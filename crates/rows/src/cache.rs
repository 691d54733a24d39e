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
//! miss: notes the stripe's count  begin_write: removes the row, count + 1, writing + 1
//! reads the store                 the store applies the write
//! fill: only if count unchanged   end_write: count + 1, writing - 1, and the new row if the
//!       and nobody is writing     old one was here
//! ```
//!
//! Invariants
//! 1. A row is in the cache only while no write of it is announced, and is then what the store
//!    has. So a reader never puts an old row back after a writer replaced it.
//! 2. The bytes held, with bookkeeping, never exceed the limit by more than one row a shard.
//!
//! Not here: which reads may use it (`find`: only those of the latest state), who announces
//! writes (`commit`).

use std::collections::VecDeque;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use parking_lot::Mutex;

/// Shards; a power of two. More than threads that look up at once.
const SHARDS: usize = 64;
/// Stripes of one shard.
const STRIPES: usize = 64;
/// What a row costs besides its bytes: table slot, queue slot, entry.
const OVERHEAD_BYTES: usize = 96;
/// Rows larger than this part of a shard are not kept.
const LARGEST_PART: usize = 8;
/// Part of a shard's bytes for rows that were asked for once.
const SMALL_PART: usize = 10;
/// How often a row may be counted as asked for.
const USES_MAX: u8 = 3;

/// Rows by key.
pub struct RowCache {
    shards: Vec<Mutex<Shard>>,
    hasher: FixedState,
    /// 0: the cache is off.
    shard_bytes_max: usize,
}

/// What a reader that missed must show to fill the cache.
#[derive(Clone, Copy, Debug)]
pub struct Miss {
    hash: u64,
    announcements: u32,
}

/// What the cache says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStatus {
    /// Rows held.
    pub rows: u64,
    /// Bytes held, with bookkeeping.
    pub bytes: u64,
    /// Most bytes it may hold.
    pub bytes_max: u64,
    /// Look-ups answered.
    pub hits: u64,
    /// Look-ups not answered.
    pub misses: u64,
}

struct Shard {
    index: HashTable<u32>,
    entries: Vec<Entry>,
    free: Vec<u32>,
    small: VecDeque<u32>,
    main: VecDeque<u32>,
    ghosts: VecDeque<u64>,
    ghost_index: HashTable<u64>,
    small_bytes: usize,
    main_bytes: usize,
    stripes: [Stripe; STRIPES],
    hits: u64,
    misses: u64,
}

#[derive(Clone, Copy, Default)]
struct Stripe {
    announcements: u32,
    writing: u32,
}

/// A row. Removed ones stay in their queue, without bytes, until they reach its end.
struct Entry {
    hash: u64,
    bytes: Box<[u8]>,
    key_length: u32,
    uses: u8,
    in_main: bool,
    live: bool,
}

impl Entry {
    fn key(&self) -> &[u8] {
        &self.bytes[..self.key_length as usize]
    }

    fn row(&self) -> &[u8] {
        &self.bytes[self.key_length as usize..]
    }

    fn cost(&self) -> usize {
        self.bytes.len() + OVERHEAD_BYTES
    }
}

impl RowCache {
    /// A cache of at most so many bytes; 0 turns it off.
    pub fn new(bytes_max: usize) -> RowCache {
        let shards = (0..SHARDS).map(|_| Mutex::new(Shard::new())).collect();
        // A fixed seed: keys are not the client's to choose freely enough to aim at one shard
        // beyond what the store would suffer from as well.
        let hasher = FixedState::with_seed(0x526f_7768_6f75_7365);
        RowCache { shards, hasher, shard_bytes_max: bytes_max / SHARDS }
    }

    /// Puts the row of `key` into `row` (cleared first). A miss comes with what a fill needs.
    #[inline]
    pub fn get(&self, key: &[u8], row: &mut Vec<u8>) -> Result<(), Miss> {
        let hash = self.hasher.hash_one(key);
        let mut shard = self.shard(hash).lock();
        if let Some(slot) = shard.find(hash, key) {
            let entry = &mut shard.entries[slot as usize];
            entry.uses = (entry.uses + 1).min(USES_MAX);
            row.clear();
            row.extend_from_slice(entry.row());
            shard.hits += 1;
            return Ok(());
        }
        shard.misses += 1;
        Err(Miss { hash, announcements: shard.stripe(hash).announcements })
    }

    /// Keeps a row that was read from the store after the miss, unless it may have changed since.
    pub fn fill(&self, miss: Miss, key: &[u8], row: &[u8]) {
        if key.len() + row.len() + OVERHEAD_BYTES > self.shard_bytes_max / LARGEST_PART {
            return;
        }
        let mut shard = self.shard(miss.hash).lock();
        let stripe = *shard.stripe(miss.hash);
        let unchanged = stripe.writing == 0 && stripe.announcements == miss.announcements;
        if unchanged && shard.find(miss.hash, key).is_none() {
            shard.insert(miss.hash, key, row, self.shard_bytes_max);
        }
    }

    /// Announces a write of `key`. Says whether its row was here, for `end_write`.
    pub fn begin_write(&self, key: &[u8]) -> bool {
        let hash = self.hasher.hash_one(key);
        let mut shard = self.shard(hash).lock();
        let stripe = shard.stripe(hash);
        stripe.announcements = stripe.announcements.wrapping_add(1);
        stripe.writing += 1;
        shard.remove(hash, key)
    }

    /// Takes an announcement back, once the store has the write or has refused it. `row` is the
    /// new row if it shall be kept; only for a write that succeeded.
    pub fn end_write(&self, key: &[u8], row: Option<&[u8]>) {
        let hash = self.hasher.hash_one(key);
        let mut shard = self.shard(hash).lock();
        let stripe = shard.stripe(hash);
        // Who missed while the write was under way may have read the store on either side of it.
        stripe.announcements = stripe.announcements.wrapping_add(1);
        stripe.writing -= 1;
        let alone = stripe.writing == 0;
        let fits = |row: &[u8]| {
            key.len() + row.len() + OVERHEAD_BYTES <= self.shard_bytes_max / LARGEST_PART
        };
        if let Some(row) = row.filter(|row| alone && fits(row)) {
            shard.insert(hash, key, row, self.shard_bytes_max);
        }
    }

    /// Whether the cache keeps anything at all.
    pub fn is_on(&self) -> bool {
        self.shard_bytes_max > 0
    }

    /// What it holds and how it did.
    pub fn status(&self) -> CacheStatus {
        let mut status = CacheStatus {
            bytes_max: (self.shard_bytes_max * SHARDS) as u64,
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

    fn shard(&self, hash: u64) -> &Mutex<Shard> {
        &self.shards[(hash >> 58) as usize % SHARDS]
    }
}

impl Shard {
    fn new() -> Shard {
        Shard {
            index: HashTable::new(),
            entries: Vec::new(),
            free: Vec::new(),
            small: VecDeque::new(),
            main: VecDeque::new(),
            ghosts: VecDeque::new(),
            ghost_index: HashTable::new(),
            small_bytes: 0,
            main_bytes: 0,
            stripes: [Stripe::default(); STRIPES],
            hits: 0,
            misses: 0,
        }
    }

    fn stripe(&mut self, hash: u64) -> &mut Stripe {
        &mut self.stripes[(hash >> 50) as usize % STRIPES]
    }

    #[inline]
    fn find(&self, hash: u64, key: &[u8]) -> Option<u32> {
        let same = |slot: &u32| {
            let entry = &self.entries[*slot as usize];
            entry.hash == hash && entry.key() == key
        };
        self.index.find(hash, same).copied()
    }

    fn insert(&mut self, hash: u64, key: &[u8], row: &[u8], bytes_max: usize) {
        let mut bytes = Vec::with_capacity(key.len() + row.len());
        bytes.extend_from_slice(key);
        bytes.extend_from_slice(row);
        let in_main = self.take_ghost(hash);
        let entry = Entry {
            hash,
            bytes: bytes.into_boxed_slice(),
            key_length: key.len() as u32,
            uses: 0,
            in_main,
            live: true,
        };
        let cost = entry.cost();
        let slot = match self.free.pop() {
            Some(slot) => {
                self.entries[slot as usize] = entry;
                slot
            }
            None => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
        };
        let entries = &self.entries;
        self.index.insert_unique(hash, slot, |slot| entries[*slot as usize].hash);
        if in_main {
            self.main.push_back(slot);
            self.main_bytes += cost;
        } else {
            self.small.push_back(slot);
            self.small_bytes += cost;
        }
        while self.small_bytes + self.main_bytes > bytes_max {
            let from_small = self.small_bytes > bytes_max / SMALL_PART || self.main.is_empty();
            if !(if from_small { self.pass_small() } else { self.pass_main() }) {
                return;
            }
        }
    }

    /// Takes the row of a key out; its slot leaves the queue later.
    fn remove(&mut self, hash: u64, key: &[u8]) -> bool {
        let Some(slot) = self.find(hash, key) else { return false };
        self.unlink(slot);
        let entry = &mut self.entries[slot as usize];
        let cost = entry.cost();
        entry.live = false;
        entry.bytes = Box::default();
        entry.key_length = 0;
        match entry.in_main {
            true => self.main_bytes -= cost,
            false => self.small_bytes -= cost,
        }
        true
    }

    fn unlink(&mut self, slot: u32) {
        let hash = self.entries[slot as usize].hash;
        if let Ok(found) = self.index.find_entry(hash, |other| *other == slot) {
            found.remove();
        }
    }

    /// Moves the oldest row of the small queue on: to the main queue if it was used, else out.
    /// `false` when the queue is empty.
    fn pass_small(&mut self) -> bool {
        let Some(slot) = self.small.pop_front() else { return false };
        let entry = &mut self.entries[slot as usize];
        if !entry.live {
            self.free.push(slot);
            return true;
        }
        let cost = entry.cost();
        self.small_bytes -= cost;
        if entry.uses > 0 {
            entry.uses = 0;
            entry.in_main = true;
            self.main_bytes += cost;
            self.main.push_back(slot);
            return true;
        }
        let hash = entry.hash;
        self.discard(slot);
        self.ghosts.push_back(hash);
        self.ghost_index.insert_unique(hash, hash, |hash| *hash);
        // As many ghosts as there are rows in the main queue.
        while self.ghosts.len() > self.main.len().max(64) {
            if let Some(oldest) = self.ghosts.pop_front() {
                self.take_ghost(oldest);
            }
        }
        true
    }

    /// Lets the oldest row of the main queue go unless it was used, which is then counted down.
    fn pass_main(&mut self) -> bool {
        let Some(slot) = self.main.pop_front() else { return false };
        let entry = &mut self.entries[slot as usize];
        if !entry.live {
            self.free.push(slot);
        } else if entry.uses > 0 {
            entry.uses -= 1;
            self.main.push_back(slot);
        } else {
            self.main_bytes -= entry.cost();
            self.discard(slot);
        }
        true
    }

    fn discard(&mut self, slot: u32) {
        self.unlink(slot);
        self.entries[slot as usize].bytes = Box::default();
        self.free.push(slot);
    }

    /// Forgets a ghost; says whether it was one. Its place in the queue runs out by itself.
    fn take_ghost(&mut self, hash: u64) -> bool {
        match self.ghost_index.find_entry(hash, |other| *other == hash) {
            Ok(found) => {
                found.remove();
                true
            }
            Err(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u32) -> [u8; 10] {
        let mut key = [0; 10];
        key[6..].copy_from_slice(&number.to_be_bytes());
        key
    }

    fn has(cache: &RowCache, number: u32) -> bool {
        cache.get(&key(number), &mut Vec::new()).is_ok()
    }

    fn read_through(cache: &RowCache, number: u32) {
        if let Err(miss) = cache.get(&key(number), &mut Vec::new()) {
            cache.fill(miss, &key(number), &[7; 40]);
        }
    }

    #[test]
    fn a_filled_row_is_found_and_a_written_one_is_replaced() {
        let cache = RowCache::new(1 << 20);
        read_through(&cache, 1);
        assert!(has(&cache, 1));
        assert!(cache.begin_write(&key(1)));
        assert!(!has(&cache, 1), "not while it is written");
        cache.end_write(&key(1), Some(b"new"));
        let mut row = Vec::new();
        cache.get(&key(1), &mut row).unwrap();
        assert_eq!(row, b"new");
    }

    #[test]
    fn a_reader_does_not_put_an_old_row_back_after_a_write() {
        let cache = RowCache::new(1 << 20);
        let before = cache.get(&key(1), &mut Vec::new()).unwrap_err();
        cache.begin_write(&key(1));
        let during = cache.get(&key(1), &mut Vec::new()).unwrap_err();
        cache.fill(before, &key(1), b"old");
        cache.fill(during, &key(1), b"old");
        cache.end_write(&key(1), None);
        cache.fill(before, &key(1), b"old");
        cache.fill(during, &key(1), b"old");
        assert!(!has(&cache, 1), "the count moved since both misses");
        read_through(&cache, 1);
        assert!(has(&cache, 1));
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
                cache.end_write(&key(number), None);
            }
        }
        let status = cache.status();
        assert!(status.bytes <= status.bytes_max, "{status:?}");
        assert!(status.rows > 1_000, "{status:?}");
        let slots: usize = cache.shards.iter().map(|shard| shard.lock().entries.len()).sum();
        assert!(slots < 40_000, "removed rows give their slots back: {slots}");
    }

    #[test]
    fn a_cache_of_no_bytes_keeps_nothing() {
        let cache = RowCache::new(0);
        read_through(&cache, 1);
        assert!(!has(&cache, 1) && !cache.is_on());
    }
}
