//! A connection as its memory is counted, and what its statement looks at.
//!
//! Not here: the sum that it is drawn from (`budget`), whose work a thread does (`interrupt`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// What one connection has of a budget, or several together.
#[derive(Debug, Default)]
pub struct Owner {
    pub(crate) used: AtomicUsize,
    pub(crate) kept: AtomicUsize,
    /// The most that was in use since `take_peak` was asked last.
    peak: AtomicUsize,
    examined: AtomicU64,
    /// Whether the present statement reads all rows of a table.
    scans: AtomicBool,
    /// Nanoseconds that the present statement's threads waited for disks.
    disk_nanos: AtomicU64,
    /// What holds for several connections together.
    ceiling: Option<MemoryCeiling>,
}

/// Bytes that are counted in an owner's sums alone: who holds them draws them from a budget.
#[derive(Debug)]
pub struct CountedBytes {
    owner: Arc<Owner>,
    bytes: usize,
}

impl CountedBytes {
    /// None yet.
    pub fn of(owner: Arc<Owner>) -> CountedBytes {
        CountedBytes { owner, bytes: 0 }
    }

    /// Whose they are.
    pub fn owner(&self) -> &Arc<Owner> {
        &self.owner
    }

    /// So many from now on.
    pub fn set(&mut self, bytes: usize) {
        let before = std::mem::replace(&mut self.bytes, bytes);
        if bytes == before {
            return;
        }
        self.owner.count(&|sum| match bytes.checked_sub(before) {
            Some(more) => sum.fetch_add(more, Ordering::Relaxed),
            None => sum.fetch_sub(before - bytes, Ordering::Relaxed),
        });
    }
}

impl Drop for CountedBytes {
    fn drop(&mut self) {
        self.set(0);
    }
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
        let now = self.bytes();
        if now > self.peak.load(Ordering::Relaxed) {
            self.peak.fetch_max(now, Ordering::Relaxed);
        }
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

    /// The ceiling, if those beneath it have more than they may.
    pub fn exceeded(&self) -> Option<usize> {
        let ceiling = self.ceiling.as_ref()?;
        (ceiling.sum.bytes() > ceiling.bytes_max).then_some(ceiling.bytes_max)
    }

    /// The most bytes that were in use since this was asked last.
    pub fn take_peak(&self) -> usize {
        let now = self.bytes();
        self.peak.swap(now, Ordering::Relaxed).max(now)
    }

    /// The present statement has looked at so many rows more.
    pub fn note_examined(&self, rows: u64) {
        self.examined.fetch_add(rows, Ordering::Relaxed);
    }

    /// The present statement reads all rows of a table, since no index answers what it asks.
    pub fn note_table_scan(&self) {
        self.scans.store(true, Ordering::Relaxed);
    }

    /// A thread of the present statement has waited so long for a disk.
    pub fn note_disk_wait(&self, waited: Duration) {
        self.disk_nanos.fetch_add(waited.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Microseconds that were waited for disks since this was asked last, by all threads together.
    pub fn take_disk_micros(&self) -> u64 {
        match self.disk_nanos.load(Ordering::Relaxed) {
            0 => 0,
            _ => self.disk_nanos.swap(0, Ordering::Relaxed) / 1000,
        }
    }

    /// Whether the present statement has read all rows of a table so far.
    pub fn has_scanned(&self) -> bool {
        self.scans.load(Ordering::Relaxed)
    }

    /// Whether a table was read as a whole since this was asked last.
    pub fn take_table_scan(&self) -> bool {
        self.has_scanned() && self.scans.swap(false, Ordering::Relaxed)
    }

    /// Rows that were looked at since this was asked last.
    pub fn take_examined(&self) -> u64 {
        self.examined.swap(0, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_is_of_the_time_since_it_was_asked_last() {
        let mut share = CountedBytes::of(Arc::default());
        share.set(70);
        share.set(20);
        assert_eq!(share.owner().take_peak(), 70);
        assert_eq!(share.owner().take_peak(), 20);
        share.set(30);
        share.set(0);
        assert_eq!((share.owner().take_peak(), share.owner().take_peak()), (30, 0));
    }

    #[test]
    fn connections_beneath_one_ceiling_are_beyond_it_together() {
        let ceiling = MemoryCeiling { sum: Arc::default(), bytes_max: 100 };
        let connection = || CountedBytes::of(Arc::new(Owner::beneath(Some(ceiling.clone()))));
        let (mut some, mut other) = (connection(), connection());
        some.set(60);
        other.set(40);
        assert_eq!(some.owner().exceeded(), None);
        other.set(41);
        assert_eq!((some.owner().exceeded(), other.owner().exceeded()), (Some(100), Some(100)));
        assert!(!some.owner().may_have(1));
        some.set(10);
        assert_eq!((other.owner().exceeded(), ceiling.sum.bytes()), (None, 51));
        drop((some, other));
        assert_eq!(ceiling.sum.bytes(), 0);
    }
}
