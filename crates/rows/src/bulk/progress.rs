//! How far a load is, for those who look at it from outside.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// What a load is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Rows come in and are sorted.
    Reading,
    /// Sorted rows and entries are merged into files.
    Merging,
}

/// How far a load is.
#[derive(Debug, Default)]
pub struct Progress {
    stage: AtomicU8,
    /// Rows that came in; entries that were merged.
    done: AtomicU64,
    /// Entries to be merged.
    all: AtomicU64,
    /// How often merging began: what is merged in passes begins anew with each.
    mergings: AtomicU64,
}

impl Progress {
    /// Counts what was done.
    pub fn add(&self, done: u64) {
        self.done.fetch_add(done, Ordering::Relaxed);
    }

    /// All rows are in; so many entries are to be merged.
    pub(super) fn begin_merging(&self, all: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.all.store(all.max(1), Ordering::Relaxed);
        self.stage.store(1, Ordering::Relaxed);
        self.mergings.fetch_add(1, Ordering::Relaxed);
    }

    /// How many stages have begun so far; who reads rows is at the first.
    pub fn stages_begun(&self) -> u64 {
        1 + self.mergings.load(Ordering::Relaxed)
    }

    /// What it is at, how much of that is done, and how much there is to do, where that is known.
    pub fn now(&self) -> (Stage, u64, Option<u64>) {
        let done = self.done.load(Ordering::Relaxed);
        match self.stage.load(Ordering::Relaxed) {
            0 => (Stage::Reading, done, None),
            _ => {
                let all = self.all.load(Ordering::Relaxed);
                (Stage::Merging, done.min(all), Some(all))
            }
        }
    }
}
