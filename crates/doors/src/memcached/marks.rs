//! What is known of items besides their rows: forced cas values, who won, last accesses.
//!
//! Lost when the server stops, and bounded: a mark that had to go means one more winner, or the
//! row's own version as the cas value again; an access that had to go means an item counts as
//! not read yet.
//!
//! Invariants
//! 1. A mark belongs to one version of a row; any write of the row, through any door, ends it.
//! 2. Noting an access takes no lock and no memory.
//!
//! Not here: the stale mark, which is a column of the row.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use foldhash::fast::FixedState;

/// Most marks kept.
const MARKS_MAX: usize = 65_536;
/// Slots for accesses; a power of two.
const SLOTS: usize = 65_536;

/// What is marked on one version of a row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark {
    version: u64,
    /// The cas value that a client gave it.
    pub forced_cas: Option<u64>,
    /// Whether a reader was told to refresh it.
    pub won: bool,
}

/// Marks and accesses of all items.
pub struct Marks {
    marks: Mutex<HashMap<Vec<u8>, Mark>>,
    count: AtomicUsize,
    /// `| tag 31 bits | read since written 1 bit | Unix second 32 bits |`
    accesses: Box<[AtomicU64]>,
    /// Of one seed everywhere, so that two servers that are told the same forget the same. A
    /// client that makes keys collide makes them count as unread, no more.
    hasher: FixedState,
}

impl Marks {
    /// No marks.
    pub fn new() -> Marks {
        Marks {
            marks: Mutex::default(),
            count: AtomicUsize::new(0),
            accesses: (0..SLOTS).map(|_| AtomicU64::new(0)).collect(),
            hasher: FixedState::default(),
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut HashMap<Vec<u8>, Mark>) -> T) -> T {
        let mut marks = self.marks.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let result = work(&mut marks);
        self.count.store(marks.len(), Ordering::Release);
        result
    }

    /// The mark of a row in this version.
    pub fn of(&self, row_key: &[u8], version: u64) -> Mark {
        if self.count.load(Ordering::Acquire) == 0 {
            return Mark::default();
        }
        self.with(|marks| marks.get(row_key).copied())
            .filter(|mark| mark.version == version)
            .unwrap_or_default()
    }

    /// Changes the mark of a row in this version and gives what `change` gives.
    pub fn change<T>(
        &self,
        row_key: &[u8],
        version: u64,
        change: impl FnOnce(&mut Mark) -> T,
    ) -> T {
        self.with(|marks| {
            if marks.len() >= MARKS_MAX && !marks.contains_key(row_key) {
                marks.clear();
            }
            let mark = marks.entry(row_key.to_vec()).or_default();
            if mark.version != version {
                *mark = Mark { version, ..Mark::default() };
            }
            change(mark)
        })
    }

    fn slot(&self, row_key: &[u8]) -> (&AtomicU64, u64) {
        let hash = self.hasher.hash_one(row_key);
        (&self.accesses[hash as usize & (SLOTS - 1)], hash >> 33 << 33)
    }

    /// Whether the item was read since written, and when it was used last, if that is known.
    pub fn access(&self, row_key: &[u8]) -> (bool, Option<i64>) {
        let (slot, tag) = self.slot(row_key);
        let word = slot.load(Ordering::Relaxed);
        if word >> 33 << 33 != tag || word as u32 == 0 {
            return (false, None);
        }
        (word >> 32 & 1 == 1, Some(i64::from(word as u32)))
    }

    /// Notes a read or a write of the item.
    pub fn note_access(&self, row_key: &[u8], read: bool, now: i64) {
        let (slot, tag) = self.slot(row_key);
        let word = tag | u64::from(read) << 32 | u64::from(now as u32);
        // The slot is written only when it changes: hot keys stay shared between cores.
        if slot.load(Ordering::Relaxed) != word {
            slot.store(word, Ordering::Relaxed);
        }
    }
}
