//! The memory that clients can make a server use: one sum for connections' buffers, open
//! transactions, prepared statements and statements under way.
//!
//! Queries and the store have fixed shares of their own beside it. What clients do not use is lent to the
//! row cache, and taken back from it before they need it. What asks first (`Share::grow_to`)
//! is refused when little is left; what is there already (`Share::set`) is only counted, and the
//! server's loops stop reading and close the largest connections until the sum is small again.
//!
//! Invariants
//! 1. What a share holds is given back when it is dropped.
//! 2. Those who ask leave an eighth to those who are only counted.
//! 3. What is used and what is lent are together no more than there is, but for one step of one share.
//!
//! Not here: what is done with what is lent (`rows::cache`), who is closed
//! (`server::net::memory`), how large the budget is (settings).

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Bytes below which nobody is asked to account for them one by one.
pub const SMALL_BYTES: usize = 64 * 1024;
/// The least that one reply may have, whatever the budget.
const REPLY_BYTES_MIN: usize = 2 << 20;

/// The part of a budget by which its use may grow before something lent is taken back, so that this
/// happens for many small steps together.
const SPARE_PART: usize = 32;
/// The part of a budget that is lent at a time.
const LENT_PART: usize = 64;

/// What clients together may use is in use. Nothing was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("out of memory: clients use all that the server may give them")]
pub struct NoMemory;

/// A sum of bytes with a limit.
pub struct Budget {
    bytes_max: usize,
    used: AtomicUsize,
    lent: AtomicUsize,
    borrower: OnceLock<Borrower>,
}

/// Gives up what it holds beyond what is lent.
type Borrower = Box<dyn Fn() + Send + Sync>;

impl Budget {
    /// A budget of so many bytes.
    pub fn new(bytes_max: usize) -> Arc<Budget> {
        let (used, lent) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Budget { bytes_max, used, lent, borrower: OnceLock::new() })
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

    /// Who is told, by the thread that needs memory, when less is lent than before. There is one.
    pub fn lend_to(&self, gives_up: impl Fn() + Send + Sync + 'static) {
        let _ = self.borrower.set(Box::new(gives_up));
    }

    /// Bytes lent.
    #[inline]
    pub fn lent(&self) -> usize {
        self.lent.load(Ordering::Relaxed)
    }

    /// Lends a step more, up to so many bytes, if that much is not in use. `false`: it does not.
    pub fn lend_more(&self, most: usize) -> bool {
        let lent = self.lent();
        let more = lent.saturating_add((self.bytes_max / LENT_PART).max(1));
        let can = more <= most.min(self.lendable());
        can && self.lent.compare_exchange(lent, more, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    fn lendable(&self) -> usize {
        (self.bytes_max - self.bytes_max / SPARE_PART).saturating_sub(self.used())
    }

    /// Counts more. Gives the sum.
    #[inline]
    fn add(&self, bytes: usize) -> usize {
        let used = self.used.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        let lent = self.lent();
        if lent > 0 && used.saturating_add(lent) > self.bytes_max {
            self.take_back();
        }
        used
    }

    #[cold]
    fn take_back(&self) {
        self.lent.fetch_min(self.lendable(), Ordering::Relaxed);
        if let Some(give_up) = self.borrower.get() {
            give_up();
        }
    }

    /// A share of nothing.
    pub fn share(self: &Arc<Budget>) -> Share {
        Share { budget: Arc::clone(self), bytes: 0 }
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bytes, {} lent", self.used(), self.bytes_max, self.lent())
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
            self.budget.add(bytes - self.bytes);
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
        // Looked at before it is counted: nothing lent is taken back for what is refused.
        if budget.used().saturating_add(more) > limit {
            return Err(NoMemory);
        }
        if budget.add(more) > limit {
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
    fn what_is_not_used_is_lent_and_taken_back_before_it_is_needed() {
        let budget = Budget::new(6400);
        let told = Arc::new(AtomicUsize::new(0));
        let of_borrower = Arc::clone(&told);
        budget.lend_to(move || {
            of_borrower.fetch_add(1, Ordering::Relaxed);
        });
        let mut share = budget.share();
        share.set(1000);
        while budget.lend_more(usize::MAX) {}
        assert_eq!(budget.lent(), 5200, "all but a spare part, in steps of 100");
        assert!(!budget.lend_more(5200));
        share.set(1200);
        assert_eq!(told.load(Ordering::Relaxed), 0);
        for bytes in 1201..5000 {
            share.set(bytes);
            assert!(budget.used() + budget.lent() <= 6400);
        }
        let times = told.load(Ordering::Relaxed);
        assert!((10..30).contains(&times), "{times} times for 3,800 steps");
        share.grow_to(5500).unwrap();
        assert_eq!(budget.lent(), 700);
        assert!(matches!(share.grow_to(6000), Err(NoMemory)));
        assert_eq!(budget.lent(), 700, "nothing is taken back for what is refused");
        drop(share);
        assert!(budget.lend_more(800) && !budget.lend_more(800));
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
