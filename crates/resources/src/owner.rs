//! A connection as the memory that it has is counted.
//!
//! Not here: the sum that it is drawn from (`budget`), whose work a thread does (`interrupt`).

use std::sync::atomic::{AtomicUsize, Ordering};

/// What one connection has of a budget.
#[derive(Debug, Default)]
pub struct Owner {
    pub(crate) used: AtomicUsize,
    pub(crate) kept: AtomicUsize,
}

impl Owner {
    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }
}
