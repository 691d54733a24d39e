//! Progress of a load, as it is seen from outside.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

/// What a load is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Stage {
    /// Rows come in and are sorted.
    Reading,
    /// Sorted rows and entries are merged into files.
    Merging,
    /// What others have changed meanwhile is changed in new indexes, too.
    CatchingUp,
}

/// How far a load is.
#[derive(Debug, Default)]
pub struct Progress {
    stage: AtomicU8,
    /// Rows that came in; entries that were merged; changes that were followed.
    done: AtomicU64,
    /// How much there is to do, if that is known, else 0.
    all: AtomicU64,
    /// Whether there is to be a `CatchingUp`.
    catches_up: AtomicBool,
    /// Whether there is nothing but `Reading`.
    only_reads: AtomicBool,
    /// How often a further stage began: what is merged in passes begins again with each.
    begun: AtomicU64,
}

impl Progress {
    /// Counts what was done.
    pub fn add(&self, done: u64) {
        self.done.fetch_add(done, Ordering::Relaxed);
    }

    /// About so many rows are to come in.
    pub(crate) fn expect(&self, rows: u64) {
        self.all.store(rows, Ordering::Relaxed);
    }

    /// Others go on writing, and are caught up with at the end.
    pub(crate) fn will_catch_up(&self) {
        self.catches_up.store(true, Ordering::Relaxed);
    }

    /// Rows are only read.
    pub(crate) fn will_only_read(&self) {
        self.only_reads.store(true, Ordering::Relaxed);
    }

    /// All rows are in; so many entries are to be merged.
    pub(super) fn begin_merging(&self, all: u64) {
        self.begin(Stage::Merging, all.max(1));
    }

    /// All entries are there, and others have changed some rows.
    pub(crate) fn begin_catching_up(&self) {
        self.begin(Stage::CatchingUp, 0);
    }

    fn begin(&self, stage: Stage, all: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.all.store(all, Ordering::Relaxed);
        self.stage.store(stage as u8, Ordering::Relaxed);
        self.begun.fetch_add(1, Ordering::Relaxed);
    }

    /// How many stages have begun so far; who reads rows is at the first.
    pub fn stages_begun(&self) -> u64 {
        1 + self.begun.load(Ordering::Relaxed)
    }

    /// How many stages there are.
    pub fn stages(&self) -> u8 {
        let (reads, catches_up) = (&self.only_reads, &self.catches_up);
        match (reads.load(Ordering::Relaxed), catches_up.load(Ordering::Relaxed)) {
            (true, _) => 1,
            (false, false) => 2,
            (false, true) => 3,
        }
    }

    /// What it is at, how much of that is done, and how much there is to do, where that is known.
    pub fn now(&self) -> (Stage, u64, Option<u64>) {
        let stage = match self.stage.load(Ordering::Relaxed) {
            0 => Stage::Reading,
            1 => Stage::Merging,
            _ => Stage::CatchingUp,
        };
        let done = self.done.load(Ordering::Relaxed);
        match self.all.load(Ordering::Relaxed) {
            0 => (stage, done, None),
            all => (stage, done.min(all), Some(all)),
        }
    }
}
