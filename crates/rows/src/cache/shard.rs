//! One shard of the row cache: its rows, their two queues, and the announced writes.
//!
//! Invariants
//! 1. Every entry has exactly one place, in the queue it says. Places of entries that are gone
//!    are passed over, and cleared away when they are many.
//!
//! Not here: when rows may come and be seen (`RowCache`).

use std::collections::VecDeque;

use hashbrown::HashTable;

use super::table::{CacheTable, CachedEntry, HIDDEN, OVERHEAD_BYTES};
use crate::schema::TableId;

/// Stripes of one shard.
const STRIPES: usize = 64;
/// Rows larger than this part of a shard are not kept.
const LARGEST_PART: usize = 8;
/// Part of a shard's bytes for rows that were asked for once.
const SMALL_PART: usize = 10;
/// Rows at the ends of queues that are looked at when one comes in: one leaves after four looks at
/// the latest.
const PASSES_MAX: usize = 256;
/// Places of removed rows that a shard keeps at least before it looks through its queues.
pub(super) const PLACES_MIN: usize = 64;

/// An entry's place in a queue. It outlives the entry until it reaches the end.
#[derive(Clone, Copy)]
pub(super) struct QueuePlace {
    hash: u64,
    id: u32,
}

/// A part of the rows, with its own queues.
pub struct CacheShard {
    pub(super) index: CacheTable,
    next_id: u32,
    pub(super) small: VecDeque<QueuePlace>,
    pub(super) main: VecDeque<QueuePlace>,
    ghosts: VecDeque<u64>,
    ghost_index: HashTable<u64>,
    pub(super) small_bytes: usize,
    pub(super) main_bytes: usize,
    stripes: [Stripe; STRIPES],
    /// Look-ups answered.
    pub hits: u64,
    /// Look-ups not answered.
    pub misses: u64,
}

/// Writes announced for the keys of a stripe.
#[derive(Clone, Copy, Default)]
pub struct Stripe {
    /// Beginnings and ends so far.
    pub announcements: u32,
    /// Writes under way.
    pub writing: u32,
    /// The store's sequence that has all writes which came to their end.
    pub written: u64,
}

impl CacheShard {
    /// No rows.
    pub fn new() -> CacheShard {
        CacheShard {
            index: CacheTable::default(),
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

    /// The stripe of a key.
    pub fn stripe(&mut self, hash: u64) -> &mut Stripe {
        &mut self.stripes[(hash >> 40) as usize % STRIPES]
    }

    /// The entry of a key.
    #[inline]
    pub fn find(&mut self, hash: u64, key: &[u8]) -> Option<&mut CachedEntry> {
        let at = self.index.find(hash, |entry| entry.key() == key)?;
        Some(self.index.at(at))
    }

    /// Hides all rows of these tables, and announces a write for every stripe.
    pub fn begin_tables(&mut self, tables: &[TableId]) {
        self.announce_all();
        self.stripes.iter_mut().for_each(|stripe| stripe.writing += 1);
        for entry in self.index.entries() {
            let table = entry.key().first_chunk().map(|table| TableId::from_be_bytes(*table));
            if table.is_some_and(|table| tables.contains(&table)) {
                entry.since = HIDDEN;
            }
        }
    }

    /// Ends what `begin_tables` announced.
    pub fn end_tables(&mut self, sequence: u64) {
        self.announce_all();
        for stripe in &mut self.stripes {
            stripe.writing -= 1;
            stripe.written = stripe.written.max(sequence);
        }
    }

    fn announce_all(&mut self) {
        for stripe in &mut self.stripes {
            stripe.announcements = stripe.announcements.wrapping_add(1);
        }
    }

    /// Keeps a row, in the place of the one that is there, if any.
    pub fn put(&mut self, hash: u64, key: &[u8], row: &[u8], since: u64, bytes_max: usize) {
        let cost = key.len() + row.len() + OVERHEAD_BYTES;
        let fits = cost <= bytes_max / LARGEST_PART && key.len() <= usize::from(u16::MAX);
        if !fits {
            return self.remove(hash, key);
        }
        match self.find(hash, key) {
            Some(entry) => {
                let before = entry.cost();
                entry.set_row(row, since);
                let bytes =
                    if entry.in_main { &mut self.main_bytes } else { &mut self.small_bytes };
                *bytes = *bytes + cost - before;
            }
            None => self.insert(hash, key, row, since),
        }
        // Where much has been lent just now, others make room for it (`shrink`).
        self.shrink(bytes_max, PASSES_MAX);
    }

    /// Lets rows pass that have no room, so many at most; whether there are more.
    pub fn shrink(&mut self, bytes_max: usize, passes: usize) -> bool {
        (0..passes).all(|_| self.pass(bytes_max))
    }

    /// Lets the row at the end of a queue pass, if there are too many; whether it did.
    fn pass(&mut self, bytes_max: usize) -> bool {
        if self.small_bytes + self.main_bytes <= bytes_max {
            return false;
        }
        let from_small = self.small_bytes > bytes_max / SMALL_PART || self.main.is_empty();
        if from_small { self.pass_small() } else { self.pass_main() }
    }

    fn insert(&mut self, hash: u64, key: &[u8], row: &[u8], since: u64) {
        let in_main = self.take_ghost(hash);
        self.next_id = self.next_id.wrapping_add(1).max(1);
        let entry = CachedEntry::new(hash, self.next_id, key, row, since, in_main);
        let place = QueuePlace { hash, id: entry.id };
        if in_main {
            self.main.push_back(place);
            self.main_bytes += entry.cost();
        } else {
            self.small.push_back(place);
            self.small_bytes += entry.cost();
        }
        self.index.insert(entry);
    }

    /// Takes the row of a key out; its place leaves the queue later.
    pub fn remove(&mut self, hash: u64, key: &[u8]) {
        let Some(at) = self.index.find(hash, |entry| entry.key() == key) else { return };
        let entry = self.index.remove(at);
        match entry.in_main {
            true => self.main_bytes -= entry.cost(),
            false => self.small_bytes -= entry.cost(),
        }
        // Without pressure nothing reaches the end of a queue.
        if self.small.len() + self.main.len() > 2 * self.index.len() + PLACES_MIN {
            let index = &self.index;
            let is_there =
                |place: &QueuePlace| index.find(place.hash, |e| e.id == place.id).is_some();
            self.small.retain(is_there);
            self.main.retain(is_there);
        }
    }

    /// Moves the oldest row of the small queue on: to the main queue if it was used, else out.
    /// `false` when the queue is empty.
    fn pass_small(&mut self) -> bool {
        let Some(place) = self.small.pop_front() else { return false };
        let Some(at) = self.index.find(place.hash, |e| e.id == place.id) else { return true };
        let entry = self.index.at(at);
        let cost = entry.cost();
        self.small_bytes -= cost;
        if entry.uses > 0 {
            entry.uses = 0;
            entry.in_main = true;
            self.main_bytes += cost;
            self.main.push_back(place);
            return true;
        }
        self.index.remove(at);
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
        let Some(at) = self.index.find(place.hash, |e| e.id == place.id) else { return true };
        let entry = self.index.at(at);
        if entry.uses > 0 {
            entry.uses -= 1;
            self.main.push_back(place);
        } else {
            self.main_bytes -= entry.cost();
            self.index.remove(at);
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
