//! Transactions as others meet them: which are at work, what they have put in and not committed,
//! and waiting for the end of one.
//!
//! The end of a transaction is waited for by a lock that it is given when somebody wants it. So
//! time limits, wakers and the look for circles are those of row locks.
//!
//! Invariants
//! 1. A transaction is present from before its first write, and before its first range, until all
//!    that it has written can be read, or is gone.
//! 2. Whoever locks a range looks for others' writes afterwards, and whoever writes a new key looks
//!    for ranges while its writes cannot be looked at: one of them sees the other.
//!
//! Not here: ranges (`ranges`), what a transaction has written (`local`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::LockTable;
use crate::error::Result;
use crate::row_lock_wait::{LockMode, WaitKind};
use crate::store::{KeyRange, LockWait, Reach};

/// Parts of the list of transactions; a power of two.
const PARTS: u64 = 16;

/// What somebody has put into a range and not committed.
pub(crate) enum PendingKeys {
    /// Nothing.
    Nothing,
    /// These keys.
    Keys(Vec<Vec<u8>>),
    /// These, and perhaps further ones behind them.
    FirstKeys(Vec<Vec<u8>>),
    /// It is being committed, and has written near the range or in it.
    Committing,
}

/// A transaction at work.
pub(crate) trait Present: Send + Sync {
    /// Set when somebody waits for its end.
    fn is_waited_for(&self) -> &AtomicBool;

    /// What it has put into a range. It is looked at beside its writes, so a caller that may not
    /// wait is refused while they are changed.
    ///
    /// # Errors
    /// `WouldWait(Disk)`, and those of files.
    fn pending_in(&self, range: &KeyRange, reach: Reach) -> Result<PendingKeys>;
}

/// The transactions at work.
pub(super) struct PresentTable {
    parts: Box<[PresentPart]>,
}

#[derive(Default)]
#[repr(align(128))]
struct PresentPart(Mutex<Vec<(u64, Arc<dyn Present>)>>);

impl Default for PresentTable {
    fn default() -> PresentTable {
        PresentTable { parts: (0..PARTS).map(|_| PresentPart::default()).collect() }
    }
}

impl PresentTable {
    fn part(&self, owner: u64) -> &Mutex<Vec<(u64, Arc<dyn Present>)>> {
        &self.parts[(owner % PARTS) as usize].0
    }
}

impl LockTable {
    /// A transaction begins to write, or to lock ranges.
    pub(crate) fn enroll(&self, owner: u64, transaction: Arc<dyn Present>) {
        self.present.part(owner).lock().push((owner, transaction));
    }

    /// A transaction has ended: wakes whoever waits for that.
    pub(crate) fn leave(&self, owner: u64) {
        let mut part = self.present.part(owner).lock();
        let Some(at) = part.iter().position(|(other, _)| *other == owner) else { return };
        let (_, transaction) = part.swap_remove(at);
        drop(part);
        if transaction.is_waited_for().load(Ordering::Acquire) {
            self.release(owner, &[end_of(owner)]);
        }
    }

    /// Wakes whoever waits for a transaction that has given up something: they look again.
    pub(crate) fn wake_waiters(&self, owner: u64) {
        let mut woken = Vec::new();
        let part = self.present.part(owner).lock();
        let present = part.iter().find(|(other, _)| *other == owner);
        // Whoever comes meanwhile would take the lock for one that is still to be released.
        if present.is_some_and(|(_, it)| it.is_waited_for().swap(false, Ordering::AcqRel)) {
            self.release_one(owner, end_of(owner), &mut woken);
        }
        drop(part);
        self.wake(woken);
    }

    /// The transactions at work but for `owner`, by number: who begins to write later looks for
    /// ranges itself.
    pub(crate) fn others(&self, owner: u64) -> Vec<(u64, Arc<dyn Present>)> {
        let mut others = Vec::new();
        for part in &self.present.parts {
            let part = part.0.lock();
            others.extend(part.iter().filter(|(other, _)| *other != owner).cloned());
        }
        others
    }

    /// Waits until nobody else has locked a range that a key lies in.
    ///
    /// # Errors
    /// As `acquire`.
    pub(crate) fn await_ranges(&self, owner: u64, key: &[u8], wait: LockWait) -> Result<()> {
        while self.ranges.is_any()
            && let Some(other) = self.ranges.against(owner, key)
        {
            let is_so = || self.ranges.against(owner, key) == Some(other);
            self.await_end(owner, other, (key, WaitKind::Insert), wait, is_so)?;
        }
        Ok(())
    }

    /// Waits until a transaction has ended, or given up something, unless `is_so` says no.
    ///
    /// # Errors
    /// As `acquire`.
    pub(crate) fn await_end(
        &self,
        owner: u64,
        of: u64,
        (key, kind): (&[u8], WaitKind),
        wait: LockWait,
        is_so: impl FnOnce() -> bool,
    ) -> Result<()> {
        let lock = end_of(of);
        {
            let part = self.present.part(of).lock();
            let Some((_, it)) = part.iter().find(|(other, _)| *other == of) else { return Ok(()) };
            // What is given up from here on wakes whoever waits: that needs this part.
            if !is_so() {
                return Ok(());
            }
            // Those that were woken last may have it for a moment still.
            if self.give(of, lock) {
                it.is_waited_for().store(true, Ordering::Release);
            }
        }
        if self.acquire_as(owner, (lock, key), (LockMode::Shared, kind), wait)? {
            self.release(owner, &[lock]);
        }
        Ok(())
    }
}

/// The lock that a transaction has until its end, if somebody wants it.
fn end_of(owner: u64) -> u64 {
    let mut name = *b"the end of 01234567";
    name[11..].copy_from_slice(&owner.to_be_bytes());
    LockTable::hash(&name)
}
