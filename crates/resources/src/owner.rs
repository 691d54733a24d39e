//! A connection as its memory is counted, and what its statement looks at.
//!
//! Not here: the sum that it is drawn from (`budget`), whose work a thread does (`interrupt`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// What one connection has of a budget, or several together.
#[derive(Debug, Default)]
pub struct Owner {
    pub(crate) used: AtomicUsize,
    pub(crate) kept: AtomicUsize,
    examined: AtomicU64,
    /// Whether the present statement reads all rows of a table.
    scans: AtomicBool,
    /// What holds for several connections together.
    ceiling: Option<MemoryCeiling>,
}

/// How much some connections may have together.
#[derive(Clone, Debug)]
pub struct MemoryCeiling {
    /// What they have.
    pub sum: Arc<Owner>,
    /// The most that they may ask for.
    pub bytes_max: usize,
}

impl Owner {
    /// A connection that has nothing yet, and shares a ceiling with others.
    pub fn beneath(ceiling: Option<MemoryCeiling>) -> Owner {
        Owner { ceiling, ..Owner::default() }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Changes what is in use, its own and what it shares.
    pub(crate) fn count(&self, change: &impl Fn(&AtomicUsize) -> usize) {
        change(&self.used);
        if let Some(ceiling) = &self.ceiling {
            change(&ceiling.sum.used);
        }
    }

    /// Whether it may have so much more.
    pub(crate) fn may_have(&self, more: usize) -> bool {
        self.ceiling
            .as_ref()
            .is_none_or(|ceiling| ceiling.sum.bytes().saturating_add(more) <= ceiling.bytes_max)
    }

    /// The present statement has looked at so many rows more.
    pub fn note_examined(&self, rows: u64) {
        self.examined.fetch_add(rows, Ordering::Relaxed);
    }

    /// The present statement reads all rows of a table, since no index answers what it asks.
    pub fn note_table_scan(&self) {
        self.scans.store(true, Ordering::Relaxed);
    }

    /// Whether a table was read as a whole since this was asked last.
    pub fn take_table_scan(&self) -> bool {
        self.scans.swap(false, Ordering::Relaxed)
    }

    /// Rows that were looked at since this was asked last.
    pub fn take_examined(&self) -> u64 {
        self.examined.swap(0, Ordering::Relaxed)
    }
}
