//! Columns in memory: those that were read last, within a number of bytes.
//!
//! Invariants
//! 1. What is kept never changes in the store (`segment`), so nothing has to be made invalid; what
//!    belongs to a table that is gone leaves in its turn.
//! 2. The store beneath gives up as much of its own memory as columns take (`Store::lend`).
//!
//! Not here: reading them (`reader`).

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use foldhash::fast::RandomState;
use parking_lot::RwLock;

use crate::column::Column;
use crate::keys::{Home, SegmentId};
use crate::segment::Segment;

/// Names a column of a segment; or, without a slot, the segment itself.
pub(crate) type Name = (Home, SegmentId, Option<u16>);

/// Memory is lent in steps of so many bytes, and of this part of the most.
const STEP_BYTES_MAX: usize = 8 << 20;
const STEP_PART: usize = 8;
/// Bytes that an entry takes besides its column.
const ENTRY_BYTES: usize = 96;

#[derive(Clone)]
pub(crate) enum Item {
    Segment(Arc<Segment>),
    Column(Arc<Column>),
}

impl Item {
    fn bytes(&self) -> usize {
        ENTRY_BYTES
            + match self {
                Item::Segment(segment) => segment.columns.len() * 32,
                Item::Column(column) => column.bytes(),
            }
    }
}

struct CacheEntry {
    item: Item,
    used: AtomicBool,
}

/// Columns and segments by name.
pub(crate) struct Cache {
    bytes_max: usize,
    kept: RwLock<CacheState>,
    hits: AtomicU64,
    misses: AtomicU64,
    /// Told how much memory of the store's is in use here, when it changes.
    lend: Box<dyn Fn(usize) + Send + Sync>,
}

#[derive(Default)]
struct CacheState {
    entries: HashMap<Name, CacheEntry, RandomState>,
    /// All names, in a ring on which a hand goes round: who was not used since it passed leaves.
    ring: Vec<Name>,
    hand: usize,
    bytes: usize,
    lent: usize,
}

impl Cache {
    pub fn new(bytes_max: usize, lend: Box<dyn Fn(usize) + Send + Sync>) -> Cache {
        let (hits, misses) = (AtomicU64::new(0), AtomicU64::new(0));
        Cache { bytes_max, kept: RwLock::default(), hits, misses, lend }
    }

    pub fn get(&self, name: Name) -> Option<Item> {
        let kept = self.kept.read();
        let Some(entry) = kept.entries.get(&name) else {
            self.misses.fetch_add(1, Ordering::Relaxed);
            return None;
        };
        if !entry.used.load(Ordering::Relaxed) {
            entry.used.store(true, Ordering::Relaxed);
        }
        self.hits.fetch_add(1, Ordering::Relaxed);
        Some(entry.item.clone())
    }

    /// Keeps something.
    pub fn keep(&self, name: Name, item: Item) {
        let bytes = item.bytes();
        if bytes > self.bytes_max / 4 {
            return;
        }
        let mut kept = self.kept.write();
        while kept.bytes + bytes > self.bytes_max && kept.evict() {}
        let entry = CacheEntry { item, used: AtomicBool::new(false) };
        match kept.entries.insert(name, entry) {
            Some(before) => kept.bytes -= before.item.bytes(),
            None => kept.ring.push(name),
        }
        kept.bytes += bytes;
        let step = (self.bytes_max / STEP_PART).clamp(1, STEP_BYTES_MAX);
        let lent = kept.bytes.next_multiple_of(step);
        if lent != kept.lent {
            kept.lent = lent;
            (self.lend)(lent);
        }
    }

    /// Bytes in use, hits and misses.
    pub fn status(&self) -> (usize, u64, u64) {
        let (hits, misses) = (&self.hits, &self.misses);
        let bytes = self.kept.read().bytes;
        (bytes, hits.load(Ordering::Relaxed), misses.load(Ordering::Relaxed))
    }
}

impl CacheState {
    /// Lets one entry go; `false` when there is none.
    fn evict(&mut self) -> bool {
        while !self.ring.is_empty() {
            self.hand %= self.ring.len();
            let name = self.ring[self.hand];
            let was_used =
                self.entries.get(&name).is_some_and(|e| e.used.swap(false, Ordering::Relaxed));
            if was_used {
                self.hand += 1;
                continue;
            }
            self.ring.swap_remove(self.hand);
            if let Some(entry) = self.entries.remove(&name) {
                self.bytes -= entry.item.bytes();
                return true;
            }
        }
        false
    }
}
