//! Transactions of a store: keys are locked before they are decided upon, writes are buffered.
//!
//! Not here: who locks what (crate root's `transaction`), how locks work (`locks`).

use std::sync::Arc;
use std::time::Duration;

use resources::spill::SpillDirectory;

use super::{Batch, Cursor, Direction, Durability, KeyRange, Reach, Read};
use crate::error::Result;
use crate::row_lock_wait::LockMode;

/// A write by its key; `None` as a value is a removal.
pub type SortedWrite = (Vec<u8>, Option<Vec<u8>>);

/// Writes in ascending key order without duplicates.
pub type SortedWrites<'a> = dyn Iterator<Item = Result<SortedWrite>> + 'a;

/// How long to wait for a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockWait {
    /// Not at all: `Error::WouldWait(Wait::Lock)` when another holds it.
    Never,
    /// At most this long, then `Error::LockTimeout`; `Error::Conflict` on a deadlock.
    AtMost(Duration),
}

/// A mark in a transaction to which it can be rolled back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Savepoint(pub usize);

/// A pessimistic transaction: keys are locked before they are decided upon.
///
/// As `Read` it sees the latest committed state overlaid with its own writes. Dropped without
/// `commit`, it leaves nothing behind; locks go with it either way.
pub trait StoreTransaction: Read {
    /// Locks a key against other transactions; again by the same one is fine. `true`: newly, so
    /// that `unlock` may free it.
    fn lock(&mut self, key: &[u8], wait: LockWait) -> Result<bool>;
    /// Locks a key beside others who do so, against those who `lock` it. Whoever has locked it
    /// alone has done this as well; one of several may `lock` it when the others are gone.
    fn lock_shared(&mut self, key: &[u8], wait: LockWait) -> Result<bool> {
        self.lock(key, wait)
    }
    /// Statements of several clients are done in it, each of which is a transaction for its client:
    /// one that is refused a lock waits without what the others have locked.
    fn serve_many(&mut self) {}
    /// Whether another transaction has locked a key against this mode, by itself or with its table,
    /// as far as that is known without asking for the lock.
    fn is_locked_by_others(&self, key: &[u8], mode: LockMode) -> bool {
        let _ = (key, mode);
        false
    }
    /// Frees a key that `lock` gave newly, before anything was decided on that ground. A store
    /// that cannot keeps it locked until the end.
    fn unlock(&mut self, key: &[u8]) {
        let _ = key;
    }
    /// Locks a range of one index against new keys of others, until the transaction ends; the rest
    /// of its statement may take that back. It is not waited for: ranges go beside each other.
    fn lock_range(&mut self, range: &KeyRange, mode: LockMode) {
        let _ = (range, mode);
    }
    /// Waits until nobody else has put keys into ranges of a table and not committed them.
    fn await_inserts(&mut self, ranges: &[KeyRange], wait: LockWait) -> Result<()> {
        let _ = (ranges, wait);
        Ok(())
    }
    /// Keeps what the statement has locked of ranges: it is over.
    fn keep_ranges(&mut self) {}
    /// Gives up what the statement has locked of ranges: it failed, or begins again.
    fn withdraw_ranges(&mut self) {}
    /// Gives up what the statement has locked of an index behind a key: it has not looked there.
    fn cut_ranges(&mut self, key: &[u8], direction: Direction) {
        let _ = (key, direction);
    }
    /// Whether somebody has locked ranges, perhaps this one itself.
    fn are_ranges_locked(&self) -> bool {
        false
    }
    /// Waits until a key may be put in, as far as ranges of others go.
    fn await_ranges(&mut self, key: &[u8], wait: LockWait) -> Result<()> {
        let _ = (key, wait);
        Ok(())
    }
    /// As `put`, of a key that has no value: waits for those who have locked a range that it lies
    /// in, and has put nothing while it waits.
    fn insert(&mut self, key: Vec<u8>, value: Vec<u8>, wait: LockWait) -> Result<()> {
        let _ = wait;
        self.put(key, value);
        Ok(())
    }
    /// Locks all keys that begin with `table` by one lock, in the place of single ones. For those
    /// whose `claim` keeps others from locking such keys; it is called when nothing else stands in
    /// the way. `false`: it stays at single locks.
    fn lock_table(&mut self, table: [u8; 4], claim: &mut dyn FnMut() -> bool) -> bool {
        let _ = (table, claim);
        false
    }
    /// Waits until nobody has locked the keys that begin with `table` by one lock.
    fn await_table(&mut self, table: [u8; 4], wait: LockWait) -> Result<()> {
        let _ = (table, wait);
        Ok(())
    }
    /// What it is called among those who wait for row locks (`StoreUpkeep::row_lock_waits`); `None`
    /// where that is not known.
    fn lock_owner(&self) -> Option<u64> {
        None
    }
    /// Locks held of keys that begin with `table`.
    fn locks_of(&self, table: [u8; 4]) -> usize {
        let _ = table;
        0
    }
    /// Locks held.
    fn locks(&self) -> usize {
        0
    }
    /// Bytes of memory for locks.
    fn lock_bytes(&self) -> usize {
        0
    }
    /// Buffers a write.
    fn put(&mut self, key: Vec<u8>, value: Vec<u8>);
    /// Buffers a removal.
    fn delete(&mut self, key: Vec<u8>);
    /// Marks this point.
    fn savepoint(&self) -> Savepoint;
    /// Forgets the writes (not the locks) made since the mark.
    fn rollback_to(&mut self, savepoint: Savepoint);
    /// Whether nothing is buffered.
    fn is_empty(&self) -> bool;
    /// Bytes of memory for what is buffered and for locks.
    fn bytes(&self) -> usize;
    /// Moves what is buffered to a file, if the store can; `spillable_bytes` of memory come back.
    fn spill(&mut self, directory: &Arc<SpillDirectory>) -> Result<()> {
        let _ = directory;
        Ok(())
    }
    /// Bytes of memory that `spill` would free.
    fn spillable_bytes(&self) -> usize {
        0
    }
    /// Whether something of what is buffered is in files: its commit writes files too, and is not
    /// to be waited for by others.
    fn is_spilled(&self) -> bool {
        false
    }
    /// The buffered writes, when the store can apply them with `write_all`; the caller then does
    /// that and afterwards drops the transaction, which frees its locks. `None`: use `commit`.
    fn take_batch(&mut self) -> Option<Batch>;
    /// The buffered writes of a range, in ascending order.
    fn writes_in<'a>(&'a self, range: &KeyRange) -> Box<SortedWrites<'a>>;
    /// Applies the buffered writes, but for those of temporary tables; what is locked stays so.
    /// When that fails, writes that lie in files are all still there.
    fn apply(&mut self, durability: Durability) -> Result<()>;
    /// Applies the buffered writes and frees what is locked.
    fn commit(mut self: Box<Self>, durability: Durability) -> Result<()> {
        self.apply(durability)
    }
    /// The state at `snapshot` overlaid with this transaction's writes, for consistent reads.
    fn view_at<'a>(&'a self, snapshot: &'a dyn Read) -> Box<dyn Read + 'a>;
    /// A scan of another reader overlaid with this transaction's writes.
    fn scan_over<'a>(
        &'a self,
        base: &'a dyn Read,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'a>>;
    /// As `view_at`, but with a copy of the writes made so far, so that it outlives the
    /// transaction: for results that are read piece by piece.
    fn frozen_at(&self, snapshot: Arc<dyn Read>) -> Arc<dyn Read>;
}
