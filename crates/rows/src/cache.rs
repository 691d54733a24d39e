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
//! Invariants
//! 1. A row is seen in the cache only while no write of it is announced, and is then what the
//!    store has. So a reader never puts an old row back after a writer replaced it.
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
/// What a row costs besides its bytes: entry, with the table's empty ones, and queue slot.
const OVERHEAD_BYTES: usize = 96;
/// Rows larger than this part of a shard are not kept.
const LARGEST_PART: usize = 8;
/// Part of a shard's bytes for rows that were asked for once.
const SMALL_PART: usize = 10;
/// Places of removed rows that a shard keeps at least before it looks through its queues.
const PLACES_MIN: usize = 64;
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

/// A row. 32 bytes, two to a cache line: a look-up touches the table's tags, the entry, and the
/// row's bytes, which follow its key.
struct Entry {
    bytes: Box<[u8]>,
    hash: u64,
    /// Tells this entry from earlier ones of the same key.
    id: u32,
    key_length: u16,
    uses: u8,
    in_main: bool,
    /// Being written: not to be seen.
    hidden: bool,
}

/// An entry's place in a queue. It outlives the entry until it reaches the end.
#[derive(Clone, Copy)]
struct Place {
    hash: u64,
    id: u32,
}

struct Shard {
    index: HashTable<Entry>,
    next_id: u32,
    small: VecDeque<Place>,
    main: VecDeque<Place>,
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

impl Entry {
    fn key(&self) -> &[u8] {
        &self.bytes[..usize::from(self.key_length)]
    }

    fn row(&self) -> &[u8] {
        &self.bytes[usize::from(self.key_length)..]
    }

    fn cost(&self) -> usize {
        self.bytes.len() + OVERHEAD_BYTES
    }

    /// Puts another row in the place of the present one.
    fn set_row(&mut self, row: &[u8]) {
        if self.row().len() == row.len() {
            self.bytes[usize::from(self.key_length)..].copy_from_slice(row);
        } else {
            self.bytes = joined(self.key(), row);
        }
        self.hidden = false;
    }
}

fn joined(key: &[u8], row: &[u8]) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(key.len() + row.len());
    bytes.extend_from_slice(key);
    bytes.extend_from_slice(row);
    bytes.into_boxed_slice()
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
        if let Some(entry) = shard.find(hash, key)
            && !entry.hidden
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
        Err(Miss { hash, announcements: shard.stripe(hash).announcements })
    }

    /// Keeps a row that was read from the store after the miss, unless it may have changed since.
    pub fn fill(&self, miss: Miss, key: &[u8], row: &[u8]) {
        let mut shard = self.shard(miss.hash).lock();
        let stripe = *shard.stripe(miss.hash);
        if stripe.writing == 0 && stripe.announcements == miss.announcements {
            shard.put(miss.hash, key, row, self.shard_bytes_max);
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
            entry.hidden = true;
        }
    }

    /// Takes an announcement back, once the store has the write or has refused it.
    pub fn end_write(&self, key: &[u8], written: Written<'_>) {
        let hash = self.hasher.hash_one(key);
        let mut shard = self.shard(hash).lock();
        let stripe = shard.stripe(hash);
        // Who missed while the write was under way may have read the store on either side of it.
        stripe.announcements = stripe.announcements.wrapping_add(1);
        stripe.writing -= 1;
        let alone = stripe.writing == 0;
        match written {
            Written::Row(row) if alone => shard.put(hash, key, row, self.shard_bytes_max),
            Written::RowOfMany(row) if alone && shard.find(hash, key).is_some() => {
                shard.put(hash, key, row, self.shard_bytes_max);
            }
            // Another write of the stripe may be of this key: its end brings the row.
            Written::Row(_) | Written::RowOfMany(_) => {}
            Written::Nothing => shard.remove(hash, key),
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

    /// By bits that the shard's table needs neither for places (the lowest) nor tags (the highest).
    fn shard(&self, hash: u64) -> &Mutex<Shard> {
        &self.shards[(hash >> 46) as usize % SHARDS]
    }
}

/// What came of a write, for the cache.
#[derive(Clone, Copy, Debug)]
pub enum Written<'a> {
    /// The row, worth keeping: who writes a row is likely to read it.
    Row(&'a [u8]),
    /// One of very many rows, kept only if it was here before: a load must not empty the cache.
    RowOfMany(&'a [u8]),
    /// The row is gone, or what became of it is not known.
    Nothing,
}

impl Shard {
    fn new() -> Shard {
        Shard {
            index: HashTable::new(),
            next_id: 0,
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
        &mut self.stripes[(hash >> 40) as usize % STRIPES]
    }

    #[inline]
    fn find(&mut self, hash: u64, key: &[u8]) -> Option<&mut Entry> {
        self.index.find_mut(hash, |entry| entry.hash == hash && entry.key() == key)
    }

    /// Keeps a row, in the place of the one that is there, if any.
    fn put(&mut self, hash: u64, key: &[u8], row: &[u8], bytes_max: usize) {
        let cost = key.len() + row.len() + OVERHEAD_BYTES;
        let fits = cost <= bytes_max / LARGEST_PART && key.len() <= usize::from(u16::MAX);
        if !fits {
            return self.remove(hash, key);
        }
        match self.find(hash, key) {
            Some(entry) => {
                let before = entry.cost();
                entry.set_row(row);
                let bytes =
                    if entry.in_main { &mut self.main_bytes } else { &mut self.small_bytes };
                *bytes = *bytes + cost - before;
            }
            None => self.insert(hash, key, row),
        }
        while self.small_bytes + self.main_bytes > bytes_max {
            let from_small = self.small_bytes > bytes_max / SMALL_PART || self.main.is_empty();
            if !(if from_small { self.pass_small() } else { self.pass_main() }) {
                return;
            }
        }
    }

    fn insert(&mut self, hash: u64, key: &[u8], row: &[u8]) {
        let in_main = self.take_ghost(hash);
        self.next_id = self.next_id.wrapping_add(1);
        let entry = Entry {
            bytes: joined(key, row),
            hash,
            id: self.next_id,
            key_length: key.len() as u16,
            uses: 0,
            in_main,
            hidden: false,
        };
        let place = Place { hash, id: entry.id };
        if in_main {
            self.main.push_back(place);
            self.main_bytes += entry.cost();
        } else {
            self.small.push_back(place);
            self.small_bytes += entry.cost();
        }
        self.index.insert_unique(hash, entry, |entry| entry.hash);
    }

    /// Takes the row of a key out; its place leaves the queue later.
    fn remove(&mut self, hash: u64, key: &[u8]) {
        let same = |entry: &Entry| entry.hash == hash && entry.key() == key;
        let Ok(found) = self.index.find_entry(hash, same) else { return };
        let (entry, _) = found.remove();
        match entry.in_main {
            true => self.main_bytes -= entry.cost(),
            false => self.small_bytes -= entry.cost(),
        }
        // Without pressure nothing reaches the end of a queue.
        if self.small.len() + self.main.len() > 2 * self.index.len() + PLACES_MIN {
            let index = &self.index;
            let is_there = |place: &Place| index.find(place.hash, |e| e.id == place.id).is_some();
            self.small.retain(is_there);
            self.main.retain(is_there);
        }
    }

    /// Moves the oldest row of the small queue on: to the main queue if it was used, else out.
    /// `false` when the queue is empty.
    fn pass_small(&mut self) -> bool {
        let Some(place) = self.small.pop_front() else { return false };
        let Ok(mut found) = self.index.find_entry(place.hash, |e| e.id == place.id) else {
            return true;
        };
        let entry = found.get_mut();
        let cost = entry.cost();
        self.small_bytes -= cost;
        if entry.uses > 0 {
            entry.uses = 0;
            entry.in_main = true;
            self.main_bytes += cost;
            self.main.push_back(place);
            return true;
        }
        found.remove();
        self.ghosts.push_back(place.hash);
        self.ghost_index.insert_unique(place.hash, place.hash, |hash| *hash);
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
        let Some(place) = self.main.pop_front() else { return false };
        let Ok(mut found) = self.index.find_entry(place.hash, |e| e.id == place.id) else {
            return true;
        };
        let entry = found.get_mut();
        if entry.uses > 0 {
            entry.uses -= 1;
            self.main.push_back(place);
        } else {
            self.main_bytes -= entry.cost();
            found.remove();
        }
        true
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
        cache.begin_write(&key(1));
        assert!(!has(&cache, 1), "not while it is written");
        cache.end_write(&key(1), Written::Row(b"new"));
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
        cache.end_write(&key(1), Written::Nothing);
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
                cache.end_write(&key(number), Written::Nothing);
            }
        }
        let status = cache.status();
        assert!(status.bytes <= status.bytes_max, "{status:?}");
        assert!(status.rows > 1_000, "{status:?}");
        let places = |shard: &Mutex<Shard>| {
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
            let written = if gone { Written::Nothing } else { Written::Row(&row) };
            cache.end_write(&key(number), written);
            read_through(&cache, number);
        }
        let shards = cache.shards.iter().map(|shard| shard.lock().small.len());
        assert!(shards.sum::<usize>() < SHARDS * (PLACES_MIN + 8));
        assert_eq!(cache.status().rows, 100);
    }

    #[test]
    fn a_load_keeps_only_rows_that_were_here() {
        let cache = RowCache::new(1 << 20);
        read_through(&cache, 1);
        for number in 1..3 {
            cache.begin_write(&key(number));
            cache.end_write(&key(number), Written::RowOfMany(b"loaded"));
        }
        assert!(has(&cache, 1) && !has(&cache, 2));
    }
}
