//! What a store is asked beside its bytes: how it is, what it takes, copies, room, locks.
//!
//! Not here: what is made of the figures (`sizes`, crates `sql` and `server`).

use std::path::Path;

use super::{Batch, KeyRange, RangeSizes, Read};
use crate::error::Result;
use crate::row_lock_wait::{HeldRowLock, LockMode, RowLockWait};

/// A range of an index that a transaction has locked against new keys of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedRange {
    /// The owner.
    pub owner: u64,
    /// The range.
    pub range: KeyRange,
    /// For whom the rows in it are locked.
    pub mode: LockMode,
}

/// What a store reports of itself.
#[derive(Clone, Debug, Default)]
pub struct StoreStatus {
    /// Name and version, for status pages.
    pub name: String,
    /// Bytes on disk, 0 when in memory.
    pub disk_bytes: u64,
    /// Bytes of memory in caches and write buffers.
    pub memory_bytes: u64,
    /// Further figures by name, for status pages.
    pub figures: Vec<(String, u64)>,
}

/// A store as those know it who look after it.
pub trait StoreUpkeep: Read {
    /// Gives up so many bytes of the memory for what it has read, until told another number, for
    /// a store that stands on this one.
    fn lend(&self, bytes: usize) {
        let _ = bytes;
    }

    /// Which transactions wait for row locks of which others; nothing where that is not known.
    fn row_lock_waits(&self) -> Vec<RowLockWait> {
        Vec::new()
    }

    /// Row locks that transactions have, so many at most; nothing where that is not known.
    fn held_row_locks(&self, most: usize) -> Vec<HeldRowLock> {
        let _ = most;
        Vec::new()
    }

    /// Ranges that transactions have locked, so many at most; nothing where that is not known.
    fn locked_ranges(&self, most: usize) -> Vec<LockedRange> {
        let _ = most;
        Vec::new()
    }

    /// Asks whether so many bytes may be written beside the store's own files, so that it has room
    /// for what others write.
    ///
    /// # Errors
    /// `DiskFull`.
    fn check_room(&self, bytes: u64) -> Result<()> {
        let _ = bytes;
        Ok(())
    }

    /// Whether writes are refused for want of room on the disk.
    fn is_disk_full(&self) -> bool {
        false
    }

    /// Writes a consistent copy that opens as a store of its own; `directory` must not exist.
    fn checkpoint(&self, directory: &Path) -> Result<()>;

    /// Gives the space of ranges back after a `DeleteRange` of each, in the background's own time.
    /// Only for ranges that nobody reads or writes any more.
    fn reclaim(&self, ranges: &[KeyRange]) -> Result<()>;

    /// The same where the store holds a note of the ranges, which is found when a reclaiming was
    /// cut short: `forgotten` removes it, and is written when their space has come back. Nothing is
    /// synced before this returns.
    fn reclaim_noted(&self, ranges: &[KeyRange], forgotten: Batch) -> Result<()>;

    /// About how many bytes the range takes on disk and in memory; of ranges that are mostly in
    /// memory at least so many.
    fn approximate_bytes(&self, range: &KeyRange) -> Result<u64>;

    /// About how many bytes the range takes in files, without what is still in write buffers. Asked
    /// of two ranges it says what part of one the other is, where both are large.
    fn file_bytes(&self, range: &KeyRange) -> Result<u64>;

    /// What the range takes, to the byte where files say so: of whole tables and indexes. For
    /// threads that may wait; no block of data is read.
    ///
    /// # Errors
    /// `Store`, `Corrupt`.
    fn sizes(&self, range: &KeyRange) -> Result<RangeSizes>;

    /// Reads everything stored and verifies the store's own checksums.
    fn verify(&self) -> Result<()>;

    /// What to show on status pages.
    fn status(&self) -> StoreStatus;
}
