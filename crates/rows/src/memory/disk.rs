//! The disk of a cold store that it pretends to have: what was refused can be read in the
//! background, and a test says when that ends and how.
//!
//! What is lent to a turn are all the reads that it made before and the one that was refused: so a
//! turn of N reads is refused N times, as it is by a store that keeps what it has read.
//!
//! Not here: who is refused (`memory`).

use std::cell::Cell;
use std::fs::File;
use std::io::Write;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::begun_reads::{Arrival, BegunReads, ReadPiece};

thread_local! {
    /// Reads that may not wait and were let pass in this turn of the thread.
    static PASSED: Cell<u32> = const { Cell::new(0) };
    /// Reads that are let pass in this turn.
    static LENT: Cell<u32> = const { Cell::new(0) };
    /// A read was refused in this turn.
    static REFUSED: Cell<bool> = const { Cell::new(false) };
}

/// Reads under way at most.
const READS_MAX: usize = 128;

/// A disk that a test can hold up.
#[derive(Default)]
pub struct MemoryDisk {
    state: Mutex<DiskState>,
}

#[derive(Default)]
struct DiskState {
    is_held: bool,
    fails: bool,
    wakes: Vec<File>,
}

impl MemoryDisk {
    /// From now on no read ends, until it is let go.
    pub fn hold(&self) {
        self.state.lock().is_held = true;
    }

    /// Reads end.
    pub fn let_go(&self) {
        let mut state = self.state.lock();
        state.is_held = false;
        for wake in &mut state.wakes {
            // Whoever is gone needs no waking.
            let _ = wake.write_all(&1u64.to_ne_bytes());
        }
    }

    /// From now on reads that were begun fail.
    pub fn fail(&self) {
        self.state.lock().fails = true;
    }

    /// Whether a read that may not wait passes.
    pub(super) fn admits() -> bool {
        let admits = PASSED.get() < LENT.get();
        if admits {
            PASSED.set(PASSED.get() + 1);
        } else {
            REFUSED.set(true);
        }
        admits
    }

    pub(super) fn begin_turn() {
        PASSED.set(0);
        REFUSED.set(false);
    }

    pub(super) fn reads(self: &Arc<MemoryDisk>, wake: BorrowedFd<'_>) -> Option<DiskReads> {
        let wake = wake.try_clone_to_owned().ok()?;
        self.state.lock().wakes.push(wake.into());
        Some(DiskReads { disk: Arc::clone(self), begun: Vec::new() })
    }
}

/// Reads of one thread.
pub(super) struct DiskReads {
    disk: Arc<MemoryDisk>,
    begun: Vec<(u64, LentReads)>,
}

/// How many reads pass.
struct LentReads(u32);

impl ReadPiece for LentReads {
    fn lend_to(&self, turn: &mut dyn FnMut()) {
        LENT.set(self.0);
        turn();
        LENT.set(0);
    }
}

impl BegunReads for DiskReads {
    fn begin(&mut self, name: u64) -> bool {
        if !REFUSED.take() || self.begun.len() == READS_MAX {
            return false;
        }
        self.begun.push((name, LentReads(PASSED.get() + 1)));
        true
    }

    fn proceed(&mut self, arrivals: &mut Vec<Arrival>) {
        let state = self.disk.state.lock();
        if state.is_held {
            return;
        }
        arrivals.extend(self.begun.drain(..).map(|(name, lent)| {
            let piece = (!state.fails).then(|| Box::new(lent) as Box<dyn ReadPiece>);
            Arrival { name, piece }
        }));
    }

    fn under_way(&self) -> usize {
        self.begun.len()
    }

    fn is_behind(&self) -> bool {
        false
    }
}
