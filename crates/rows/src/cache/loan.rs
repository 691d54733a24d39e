//! Memory of the row cache that somebody has for a while.
//!
//! Not here: how much may be away (`RowCache::borrow`, and for images of indexes `table::Images`).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that the row cache does without until this is dropped.
#[derive(Debug, Default)]
pub struct Loan {
    bytes: usize,
    /// Of all loans that are counted together.
    all: Arc<AtomicUsize>,
}

impl Loan {
    /// So many bytes, counted in `all`.
    pub(crate) fn of(all: &Arc<AtomicUsize>, bytes: usize) -> Loan {
        all.fetch_add(bytes, Ordering::Relaxed);
        Loan { bytes, all: Arc::clone(all) }
    }

    /// The same, if all together then have at most `bytes_max`.
    pub(super) fn within(all: &Arc<AtomicUsize>, bytes: usize, bytes_max: usize) -> Option<Loan> {
        let more = |lent: usize| Some(lent + bytes).filter(|lent| *lent <= bytes_max);
        all.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Loan { bytes, all: Arc::clone(all) })
    }

    /// Has what another has as well; both are of one cache.
    pub fn join(&mut self, mut other: Loan) {
        debug_assert!(self.bytes == 0 || Arc::ptr_eq(&self.all, &other.all), "of one cache");
        self.all = Arc::clone(&other.all);
        self.bytes += std::mem::take(&mut other.bytes);
    }

    /// Gives back what is beyond so many bytes.
    pub fn shrink_to(&mut self, bytes: usize) {
        let beyond = self.bytes.saturating_sub(bytes);
        self.all.fetch_sub(beyond, Ordering::Relaxed);
        self.bytes -= beyond;
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
        let mut first = Loan::within(&all, 60, 100).unwrap();
        assert!(Loan::within(&all, 41, 100).is_none());
        let second = Loan::within(&all, 40, 100).unwrap();
        first.shrink_to(70);
        first.shrink_to(50);
        assert_eq!(all.load(Ordering::Relaxed), 90);
        first.join(Loan::within(&all, 10, 100).unwrap());
        assert_eq!((first.bytes(), all.load(Ordering::Relaxed)), (60, 100));
        let mut third = Loan::default();
        drop(first);
        third.join(Loan::within(&all, 60, 100).unwrap());
        drop((second, third));
        assert_eq!(all.load(Ordering::Relaxed), 0);
    }
}
