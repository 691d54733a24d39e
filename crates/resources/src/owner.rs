//! A connection as its memory is counted, and the rows that its statement looks at.
//!
//! Not here: the sum that it is drawn from (`budget`), whose work a thread does (`interrupt`).

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// What one connection has of a budget.
#[derive(Debug, Default)]
pub struct Owner {
    pub(crate) used: AtomicUsize,
    pub(crate) kept: AtomicUsize,
    examined: AtomicU64,
}

impl Owner {
    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// The present statement has looked at so many rows more.
    pub fn note_examined(&self, rows: u64) {
        self.examined.fetch_add(rows, Ordering::Relaxed);
    }

    /// Rows that were looked at since this was asked last.
    pub fn take_examined(&self) -> u64 {
        self.examined.swap(0, Ordering::Relaxed)
    }
}
