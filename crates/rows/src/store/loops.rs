//! What event loops ask of a store: their threads never wait, and hear when they may go on.
//!
//! Not here: the loops (crate `server`), reads under way (`begun_reads`).

use std::os::fd::BorrowedFd;
use std::sync::Arc;

use super::Read;
use crate::begun_reads::BegunReads;

/// Called when a lock may be had again; must return at once.
pub type LockWaker = Arc<dyn Fn() + Send + Sync>;

/// A store as threads know it that may not wait.
pub trait LoopStore: Read {
    /// How often the calling thread has waited for a disk so far: a read that reaches into memory
    /// only would have been refused each time. A store without files says 0 for ever.
    fn disk_waits(&self) -> u64 {
        0
    }

    /// The calling thread, which never waits, begins another turn: reads that reach into memory
    /// only find what the operating system keeps of files, too, until they have taken so much in
    /// the turn that others would notice. `can_begin_reads`: it has `begun_reads`, and begins to
    /// read what it is refused.
    fn begin_turn(&self, can_begin_reads: bool) {
        let _ = can_begin_reads;
    }

    /// For those who may not wait: has `waker` called, once, when the row lock is free that the
    /// calling thread was refused last with `WouldWait(Lock)` since its turn began; at once if it
    /// is free by now. A watch ends when nobody keeps its waker any more, which whoever goes on
    /// before must see to. `false`: nothing was refused, others wait for it already, the wait would
    /// close a circle, or the store cannot tell. Then wait where that is allowed.
    fn watch_refused(&self, waker: &LockWaker) -> bool {
        let _ = waker;
        false
    }

    /// Reads that the calling thread begins and does not wait for, and that write eight bytes to
    /// `wake`, an eventfd, when they have come. `None`: who is refused something has to read where
    /// it may wait.
    fn begun_reads(&self, wake: BorrowedFd<'_>) -> Option<Box<dyn BegunReads>> {
        let _ = wake;
        None
    }
}
