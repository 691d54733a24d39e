//! The memory that clients can make a server use: one sum for connections' buffers, open
//! transactions, prepared statements and statements under way.
//!
//! Caches and queries have fixed shares of their own beside it. What asks first (`Share::grow_to`)
//! is refused when little is left; what is there already (`Share::set`) is only counted, and the
//! server's loops stop reading and close the largest connections until the sum is small again.
//!
//! Invariants
//! 1. What a share holds is given back when it is dropped.
//! 2. Those who ask leave an eighth to those who are only counted.
//!
//! Not here: who is closed (`server::net::memory`), how large the budget is (settings).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes below which nobody is asked to account for them one by one.
pub const SMALL_BYTES: usize = 64 * 1024;
/// The least that one reply may have, whatever the budget.
const REPLY_BYTES_MIN: usize = 2 << 20;

/// What clients together may use is in use. Nothing was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("out of memory: clients use all that the server may give them")]
pub struct NoMemory;

/// A sum of bytes with a limit.
#[derive(Debug)]
pub struct Budget {
    bytes_max: usize,
    used: AtomicUsize,
}

impl Budget {
    /// A budget of so many bytes.
    pub fn new(bytes_max: usize) -> Arc<Budget> {
        Arc::new(Budget { bytes_max, used: AtomicUsize::new(0) })
    }

    /// Bytes in use.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Bytes that may be in use.
    pub fn bytes_max(&self) -> usize {
        self.bytes_max
    }

    /// Whether more is in use than should be.
    pub fn is_over(&self) -> bool {
        self.used() > self.bytes_max
    }

    /// Most bytes that a reply may have which cannot be sent in pieces.
    pub fn reply_bytes_max(&self) -> usize {
        (self.bytes_max / 8).max(REPLY_BYTES_MIN)
    }

    /// A share of nothing.
    pub fn share(self: &Arc<Budget>) -> Share {
        Share { budget: Arc::clone(self), bytes: 0 }
    }
}

/// Somebody's part of a budget.
#[derive(Debug)]
pub struct Share {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Share {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Counts what is held from now on.
    #[inline]
    pub fn set(&mut self, bytes: usize) {
        if bytes > self.bytes {
            self.budget.used.fetch_add(bytes - self.bytes, Ordering::Relaxed);
        } else if bytes < self.bytes {
            self.budget.used.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
    }

    /// Takes more if it is there; nothing when so much is held already.
    ///
    /// # Errors
    /// `NoMemory`; the share is then as it was.
    pub fn grow_to(&mut self, bytes: usize) -> Result<(), NoMemory> {
        if bytes <= self.bytes {
            return Ok(());
        }
        let more = bytes - self.bytes;
        let budget = &self.budget;
        let limit = budget.bytes_max - budget.bytes_max / 8;
        let before = budget.used.fetch_add(more, Ordering::Relaxed);
        if before.saturating_add(more) > limit {
            budget.used.fetch_sub(more, Ordering::Relaxed);
            return Err(NoMemory);
        }
        self.bytes = bytes;
        Ok(())
    }

    /// As `grow_to`, for what grows little by little: asks again only for every `SMALL_BYTES`.
    ///
    /// # Errors
    /// `NoMemory`; the share is then as it was.
    #[inline]
    pub fn keep_up_with(&mut self, bytes: usize) -> Result<(), NoMemory> {
        if bytes <= self.bytes + SMALL_BYTES {
            return Ok(());
        }
        self.grow_to(bytes)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_is_refused_before_all_is_used_and_what_is_dropped_comes_back() {
        let budget = Budget::new(800);
        let (mut first, mut second) = (budget.share(), budget.share());
        first.grow_to(700).unwrap();
        assert!(matches!(second.grow_to(1), Err(NoMemory)));
        second.grow_to(0).expect("nothing is always there");
        assert_eq!((second.bytes(), budget.used()), (0, 700));
        second.set(150);
        assert!(budget.is_over());
        drop(first);
        assert_eq!(budget.used(), 150);
        second.grow_to(700).unwrap();
        second.set(10);
        assert_eq!(budget.used(), 10);
    }

    #[test]
    fn what_grows_little_by_little_is_refused_when_it_has_grown_too_much() {
        let budget = Budget::new(8 * SMALL_BYTES);
        let mut share = budget.share();
        share.keep_up_with(SMALL_BYTES).unwrap();
        assert_eq!(budget.used(), 0);
        for bytes in SMALL_BYTES..7 * SMALL_BYTES {
            share.keep_up_with(bytes).unwrap();
            assert!(budget.used() + SMALL_BYTES >= bytes);
        }
        assert!(matches!(share.keep_up_with(8 * SMALL_BYTES), Err(NoMemory)));
    }
}
