//! Memory of the row cache that somebody has for a while.
//!
//! Not here: how much may be away (`RowCache::borrow`).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that the row cache does without until this is dropped.
#[derive(Debug, Default)]
pub struct Loan {
    bytes: usize,
    /// Of all loans.
    all: Arc<AtomicUsize>,
}

impl Loan {
    /// Up to so many bytes, of which all loans together have at most `bytes_max`.
    pub(super) fn of(all: &Arc<AtomicUsize>, bytes: usize, bytes_max: usize) -> Loan {
        let more = |lent: usize| Some(lent + bytes.min(bytes_max.saturating_sub(lent)));
        let before = all.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        let before = before.unwrap_or_else(|lent| lent);
        let bytes = bytes.min(bytes_max.saturating_sub(before));
        Loan { bytes, all: Arc::clone(all) }
    }

    /// How many.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loans_have_no_more_together_than_there_is_and_come_back() {
        let all = Arc::default();
        let first = Loan::of(&all, 60, 100);
        let second = Loan::of(&all, 60, 100);
        assert_eq!((first.bytes(), second.bytes()), (60, 40));
        assert_eq!(Loan::of(&all, 1, 100).bytes(), 0);
        drop(first);
        assert_eq!(Loan::of(&all, 100, 100).bytes(), 60);
        drop(second);
        assert_eq!(all.load(Ordering::Relaxed), 0);
    }
}
