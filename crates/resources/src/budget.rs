//! The memory that clients can make a server use: one sum for connections' buffers, open
//! transactions, prepared statements and statements under way.
//!
//! Caches and queries have fixed shares of their own beside it. What asks first (`Share::grow_to`)
//! is refused when little is left; what is there already (`Share::set`) is only counted, and the
//! server's loops stop reading and close the largest connections until the sum is small again.
//!
//! A share belongs to the connection that its thread works for (`interrupt::owner`), so that
//! connections which hold much are refused before those which hold little, whoever asks next:
//!
//! ```text
//! in use     7/8                  any connection may have more
//!            3/4                  one that holds a sixteenth or more
//! kept       1/2, of each 1/4     what stays when its statement is over (`Share::kept`)
//!            5/8                  of one that keeps a sixty-fourth or less
//! ```
//!
//! Some connections may have less together (`owner::MemoryCeiling`).
//!
//! Invariants
//! 1. What a share holds is given back when it is dropped.
//! 2. Those who ask leave an eighth to those who are only counted.
//!
//! Not here: who is closed (`server::net::memory`), how large the budget is (settings).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::interrupt;
use crate::owner::Owner;

/// Bytes below which nobody is asked to account for them one by one.
pub const SMALL_BYTES: usize = 64 * 1024;
/// The least that one reply may have, whatever the budget.
const REPLY_BYTES_MIN: usize = 2 << 20;

/// What clients together may use is in use. Nothing was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("out of memory: clients use all that the server may give them")]
pub struct NoMemory;

/// A connection that holds this part of a budget holds much.
const LARGE_PART: usize = 16;
/// One that keeps no more than this part keeps little.
const LITTLE_PART: usize = 64;

/// A sum of bytes with a limit.
#[derive(Debug)]
pub struct Budget {
    bytes_max: usize,
    used: AtomicUsize,
    /// What stays when statements are over.
    kept: AtomicUsize,
    /// Whether it is shared by connections.
    has_owners: bool,
}

impl Budget {
    /// A budget of so many bytes.
    pub fn new(bytes_max: usize) -> Arc<Budget> {
        Arc::new(Budget {
            bytes_max,
            used: AtomicUsize::new(0),
            kept: AtomicUsize::new(0),
            has_owners: false,
        })
    }

    /// The same for connections to share.
    pub fn of_connections(bytes_max: usize) -> Arc<Budget> {
        let (used, kept) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Budget { bytes_max, used, kept, has_owners: true })
    }

    /// Bytes in use.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Bytes that stay in use when statements are over.
    pub fn kept(&self) -> usize {
        self.kept.load(Ordering::Relaxed)
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

    /// A share of nothing, of the connection that this thread works for.
    pub fn share(self: &Arc<Budget>) -> Share {
        let owner = if self.has_owners { interrupt::owner() } else { None };
        Share { budget: Arc::clone(self), owner, bytes: 0, is_kept: false }
    }

    /// The same for what stays when its statement is over.
    pub fn kept_share(self: &Arc<Budget>) -> Share {
        let mut share = self.share();
        share.is_kept = true;
        share
    }
}

/// Somebody's part of a budget.
#[derive(Debug)]
pub struct Share {
    budget: Arc<Budget>,
    owner: Option<Arc<Owner>>,
    bytes: usize,
    is_kept: bool,
}

impl Share {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Belongs to no connection from now on: what it holds stays when that has gone.
    pub fn leave_owner(&mut self) {
        let Some(owner) = self.owner.take() else { return };
        let bytes = self.bytes;
        owner.count(&|sum: &AtomicUsize| sum.fetch_sub(bytes, Ordering::Relaxed));
        if self.is_kept {
            owner.kept.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Counts what is held from now on.
    #[inline]
    pub fn set(&mut self, bytes: usize) {
        let before = std::mem::replace(&mut self.bytes, bytes);
        if bytes > before {
            self.budget.used.fetch_add(bytes - before, Ordering::Relaxed);
            self.count(|sum| sum.fetch_add(bytes - before, Ordering::Relaxed));
        } else if bytes < before {
            self.budget.used.fetch_sub(before - bytes, Ordering::Relaxed);
            self.count(|sum| sum.fetch_sub(before - bytes, Ordering::Relaxed));
        }
    }

    /// Changes the sums besides that of what is in use.
    fn count(&self, change: impl Fn(&AtomicUsize) -> usize) {
        if self.is_kept {
            change(&self.budget.kept);
        }
        let Some(owner) = &self.owner else { return };
        owner.count(&change);
        if self.is_kept {
            change(&owner.kept);
        }
    }

    /// Up to what may be in use for this share to have more.
    fn limit(&self, more: usize) -> usize {
        let all = self.budget.bytes_max;
        let holds_much = self.owner.as_ref().is_some_and(|owner| {
            owner.used.load(Ordering::Relaxed).saturating_add(more) > all / LARGE_PART
        });
        if holds_much { all / 4 * 3 } else { all - all / 8 }
    }

    /// Whether so much more may stay when its statement is over.
    fn may_keep(&self, more: usize) -> bool {
        let all = self.budget.bytes_max;
        let own = match &self.owner {
            Some(owner) => owner.kept.load(Ordering::Relaxed),
            None => self.bytes,
        };
        let own = own.saturating_add(more);
        let most = if own <= all / LITTLE_PART { all / 8 * 5 } else { all / 2 };
        own <= all / 4 && self.budget.kept().saturating_add(more) <= most
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
        if self.is_kept && !self.may_keep(more) {
            return Err(NoMemory);
        }
        if self.owner.as_ref().is_some_and(|owner| !owner.may_have(more)) {
            return Err(NoMemory);
        }
        let limit = self.limit(more);
        let before = self.budget.used.fetch_add(more, Ordering::Relaxed);
        if before.saturating_add(more) > limit {
            self.budget.used.fetch_sub(more, Ordering::Relaxed);
            return Err(NoMemory);
        }
        self.count(|sum| sum.fetch_add(more, Ordering::Relaxed));
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

    /// A connection, and its work on this thread until that is dropped.
    #[derive(Default)]
    struct Connection(Arc<Owner>);

    impl interrupt::Interrupt for Connection {
        fn is_wanted(&self) -> bool {
            false
        }

        fn owner(&self) -> Option<&Arc<Owner>> {
            Some(&self.0)
        }
    }

    /// Something of a new connection.
    fn of_connection<T>(make: impl FnOnce() -> T) -> (T, Arc<Owner>) {
        let connection = Arc::new(Connection::default());
        let owner = Arc::clone(&connection.0);
        let _working = interrupt::working(connection);
        (make(), owner)
    }

    #[test]
    fn what_outlives_its_connection_is_counted_and_is_nobodys() {
        let budget = Budget::of_connections(6400);
        let (mut left, owner) = of_connection(|| budget.share());
        left.grow_to(400).unwrap();
        left.leave_owner();
        assert_eq!((owner.bytes(), budget.used()), (0, 400));
        left.set(100);
        assert_eq!((owner.bytes(), budget.used()), (0, 100));
        drop(left);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn who_asked_next_was_refused_and_not_who_holds_most() {
        let budget = Budget::of_connections(6400);
        let ((mut large, mut more), owner) = of_connection(|| (budget.share(), budget.share()));
        large.grow_to(4000).unwrap();
        more.grow_to(800).unwrap();
        assert!(more.grow_to(801).is_err(), "three quarters");
        let (mut small, _) = of_connection(|| budget.share());
        small.grow_to(400).unwrap();
        assert!(small.grow_to(401).is_err(), "it holds much by now");
        assert_eq!((owner.bytes(), budget.used()), (4800, 5200));
        drop((large, more));
        assert_eq!((owner.bytes(), budget.used()), (0, 400));
    }

    #[test]
    fn what_stays_leaves_room_for_statements_and_for_others_that_keep_little() {
        let budget = Budget::of_connections(6400);
        let keeper = || of_connection(|| (budget.kept_share(), budget.kept_share())).0;
        let (mut one, mut same) = keeper();
        one.grow_to(1500).unwrap();
        same.grow_to(100).unwrap();
        assert!(same.grow_to(101).is_err(), "a quarter is all that one keeps");
        let (mut two, _other) = keeper();
        two.grow_to(1600).unwrap();
        let (mut three, _other) = keeper();
        assert!(three.grow_to(101).is_err(), "half of it is kept");
        three.grow_to(100).expect("little of it");
        assert_eq!((budget.kept(), budget.used()), (3300, 3300));
        drop((one, same, two));
        assert_eq!((budget.kept(), budget.used()), (100, 100));
        three.grow_to(1600).unwrap();
    }
}
