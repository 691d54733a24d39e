//! `trait Store`: ordered bytes with snapshots, atomic durable batches and pessimistic
//! transactions. All that `rows` knows of what lies beneath.
//!
//! The trait is cut so that a store across a network fits: a read says how far it may reach, a
//! transaction locks keys explicitly and may be told to retry, a commit takes long, and several
//! commits may be handed over together.
//!
//! Invariants
//! 1. Keys order as bytes. A batch is applied wholly or not at all, also across a crash.
//! 2. Nothing written under `Durability::EveryCommit` is visible to a reader before it is
//!    durable.
//! 3. A read with `Reach::Memory` never waits for a disk or a network.
//! 4. Sequences grow with the states of a store (`Read::sequence`).
//!
//! Not here: what keys and values mean (`key`, `row`), who may write (`locks`).

use std::any::Any;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use resources::budget::Share;
use resources::spill::SpillDirectory;

use crate::begun_reads::BegunReads;
use crate::bulk::{BlockCursor, RowBlock};
use crate::error::{Error, Result};
use crate::row_lock_wait::{LockMode, RowLockWait};
use crate::sizes::RangeSizes;
use crate::table::Table;

/// How long a write is waited for before it is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Durability {
    /// Handed to the operating system; survives the death of the process.
    Os = 0,
    /// As `Os`, and synced to the disk at least once a second.
    EverySecond = 1,
    /// Synced to the disk before the acknowledgement.
    EveryCommit = 2,
}

/// How far a read may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Only what is in memory; otherwise `Error::WouldWait(Wait::Disk)`.
    Memory,
    /// Wherever the bytes are.
    Disk,
}

/// Direction of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Ascending keys.
    Forward,
    /// Descending keys.
    Backward,
}

/// A half-open range of keys: `start <= key < end`. An empty `end` means no upper bound.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct KeyRange {
    /// First key that belongs.
    pub start: Vec<u8>,
    /// First key that no longer belongs; empty: none.
    pub end: Vec<u8>,
}

impl KeyRange {
    /// Whether no key can be in it.
    pub fn is_empty(&self) -> bool {
        self.start >= self.end && !self.end.is_empty()
    }

    /// Whether a key is in it.
    pub fn contains(&self, key: &[u8]) -> bool {
        *self.start <= *key && (self.end.is_empty() || *key < *self.end)
    }

    /// Whether no key but its first can be in it.
    pub fn is_point(&self) -> bool {
        self.end.len() == self.start.len() + 1
            && self.end.last() == Some(&0)
            && self.end.starts_with(&self.start)
    }
}

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

/// One change of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Stores a value under a key, replacing any.
    Put(Bytes, Bytes),
    /// Removes a key, if there.
    Delete(Bytes),
    /// Removes all keys of a range; quick whatever its size.
    DeleteRange(KeyRange),
}

impl Change {
    /// A `Put`.
    pub fn put(key: impl Into<Bytes>, value: impl Into<Bytes>) -> Change {
        Change::Put(key.into(), value.into())
    }

    /// A `Delete`.
    pub fn delete(key: impl Into<Bytes>) -> Change {
        Change::Delete(key.into())
    }
}

/// Changes that are applied together, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The changes.
    pub changes: Vec<Change>,
}

/// Reading: of the store as it is now, of a snapshot, or of a transaction with its own writes.
pub trait Read: Send + Sync {
    /// This reader as its store made it, for those who know more of that store than this trait
    /// says; `None` when writes that nobody else can see lie over it in `range`.
    fn beneath(&self, range: &KeyRange) -> Option<&dyn Any> {
        let _ = range;
        None
    }

    /// Puts the value of `key` into `value` (cleared first); `false` when there is none.
    fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool>;

    /// Whether there is a value under `key`, which a store may know without reading it.
    fn contains(&self, key: &[u8], reach: Reach) -> Result<bool> {
        self.get(key, reach, &mut Vec::new())
    }

    /// A number for the state that is shown, own writes apart; of the store itself for that of now.
    /// It never falls, and a write that a snapshot does not show has raised the store's above the
    /// snapshot's when it returns. `None`: states are not numbered, and the row cache serves only
    /// readers of the latest.
    fn sequence(&self) -> Option<u64> {
        None
    }

    /// What this reader itself has written under `key` and nobody else can see: `None` nothing,
    /// `false` a removal, `true` a value, which is then in `value`.
    fn own_write(&self, key: &[u8], value: &mut Vec<u8>) -> Result<Option<bool>> {
        let _ = (key, value);
        Ok(None)
    }

    /// Looks up many keys; calls `each` with the position of the key and its value, once per
    /// key, in order.
    fn get_many(
        &self,
        keys: &[Vec<u8>],
        reach: Reach,
        each: &mut dyn FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        let mut value = Vec::new();
        for (position, key) in keys.iter().enumerate() {
            let found = self.get(key, reach, &mut value)?;
            each(position, found.then_some(&value[..]))?;
        }
        Ok(())
    }

    /// A cursor before the first entry of `range` in the given direction. What it shows is one
    /// state, that of this call, whatever is written while it moves.
    fn scan<'a>(
        &'a self,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'a>>;

    /// As `scan`, forwards and wherever the bytes are, for those who go through much of which
    /// nobody will ask soon: in memory it takes the place of nothing.
    ///
    /// # Errors
    /// As `scan`.
    fn scan_once<'a>(&'a self, range: &KeyRange) -> Result<Box<dyn Cursor + 'a>> {
        self.scan(range, Direction::Forward, Reach::Disk)
    }
}

/// A position in an ordered scan. After an error it is of no further use.
pub trait Cursor {
    /// Moves to the next entry; `false` at the end. The first call moves to the first entry.
    fn advance(&mut self) -> Result<bool>;
    /// Key of the current entry. Only after `advance` gave `true`.
    fn key(&self) -> &[u8];
    /// Value of the current entry. Only after `advance` gave `true`.
    fn value(&self) -> &[u8];
    /// Both at once, which a cursor may have cheaper.
    fn entry(&self) -> (&[u8], &[u8]) {
        (self.key(), self.value())
    }
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

/// Entries on their way into a store past its write path: many, and none of them there before all
/// are. Dropped without `finish`, nothing of them ever is.
pub trait Ingestion: Send + Sync {
    /// Adds entries from the next one of a cursor on; gives how many. They ascend, without
    /// duplicates; calls, also several at once, bring ranges of keys that do not overlap, and
    /// keys that are not there yet. An error of the cursor ends it.
    fn add(&self, entries: &mut dyn Cursor) -> Result<u64>;

    /// As `add`, for rows of one table whose numbers follow each other.
    ///
    /// # Errors
    /// Those of `add`.
    fn add_rows(&self, blocks: &[RowBlock]) -> Result<u64> {
        self.add(&mut BlockCursor::new(blocks))
    }

    /// Makes all of them visible and durable, together with everything acknowledged before.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Ordered, durable bytes.
pub trait Store: Read + 'static {
    /// Tells of each version of a table before a row of it is written, for a store that keeps rows
    /// in a form of its own. The only thing that a store hears of tables.
    fn know(&self, table: &Arc<Table>) {
        let _ = table;
    }

    /// Gives up so many bytes of the memory for what it has read, until told another number, for
    /// a store that stands on this one.
    fn lend(&self, bytes: usize) {
        let _ = bytes;
    }

    /// How often the calling thread has waited for a disk so far: a read that reaches into memory
    /// only would have been refused each time. A store without files says 0 for ever.
    fn disk_waits(&self) -> u64 {
        0
    }

    /// The calling thread, which never waits, begins another turn: reads that reach into memory
    /// only find what the operating system keeps of files, too, until they have taken so much in
    /// the turn that others would notice. `can_begin_reads`: it has `begun_reads`, and begins to
    /// read what it is refused.
    fn begin_turn(&self, can_begin_reads: bool) {
        let _ = can_begin_reads;
    }

    /// For those who may not wait: has `waker` called, once, when the row lock is free that the
    /// calling thread was refused last with `WouldWait(Lock)` since its turn began; at once if it
    /// is free by now. `false`: nothing was refused, others wait for it already, or the store
    /// cannot tell. Then wait where that is allowed.
    fn watch_refused(&self, waker: LockWaker) -> bool {
        let _ = waker;
        false
    }

    /// Which transactions wait for row locks of which others; nothing where that is not known.
    fn row_lock_waits(&self) -> Vec<RowLockWait> {
        Vec::new()
    }

    /// Ranges that transactions have locked, so many at most; nothing where that is not known.
    fn locked_ranges(&self, most: usize) -> Vec<LockedRange> {
        let _ = most;
        Vec::new()
    }

    /// Reads that the calling thread begins and does not wait for, and that write eight bytes to
    /// `wake`, an eventfd, when they have come. `None`: who is refused something has to read where
    /// it may wait.
    fn begun_reads(&self, wake: BorrowedFd<'_>) -> Option<Box<dyn BegunReads>> {
        let _ = wake;
        None
    }

    /// The state of this moment, unmoved by later writes.
    fn snapshot(&self) -> Result<Arc<dyn Read>>;

    /// Applies a batch atomically and returns when it is as durable as asked.
    fn write(&self, batch: &Batch, durability: Durability) -> Result<()> {
        self.write_all(&[batch], durability)
    }

    /// Applies several batches in one go, in order, each atomically (a store may make them one
    /// atomic whole). With one sync for all.
    fn write_all(&self, batches: &[&Batch], durability: Durability) -> Result<()>;

    /// As `write_all` if that takes no longer than handing bytes to the operating system, for
    /// callers that may not wait. `false`: it would, and nothing was written.
    fn try_write_all(&self, batches: &[&Batch], durability: Durability) -> Result<bool> {
        if durability == Durability::EveryCommit {
            return Ok(false);
        }
        self.write_all(batches, durability).map(|()| true)
    }

    /// Makes everything acknowledged so far durable.
    fn sync(&self) -> Result<()>;

    /// Starts a pessimistic transaction.
    fn begin(&self) -> Result<Box<dyn StoreTransaction>>;

    /// Adds many entries at once, past the write path. `entries` come in ascending key order
    /// without duplicates and must not overlap keys that exist; visible and durable together on
    /// return. Errors of the iterator end the ingestion with nothing added.
    fn ingest(&self, entries: &mut dyn Iterator<Item = Result<(Vec<u8>, Vec<u8>)>>) -> Result<u64>;

    /// Begins to add very many entries, by several threads and in several ranges of keys.
    fn ingestion(&self) -> Result<Box<dyn Ingestion>>;

    /// Begins to make the columnar index of a table whose rows are added: of ranges of keys that do
    /// not overlap, those of each in order. For stores that keep such.
    ///
    /// # Errors
    /// `Refused` by a store that has no columns.
    fn column_ingestion(&self, table: &Arc<Table>) -> Result<Box<dyn Ingestion>> {
        let _ = table;
        Err(Error::Refused { why: "this store keeps no columns" })
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

/// A write by its key; `None` as a value is a removal.
pub type SortedWrite = (Vec<u8>, Option<Vec<u8>>);

/// Writes in ascending key order without duplicates.
pub type SortedWrites<'a> = dyn Iterator<Item = Result<SortedWrite>> + 'a;

/// What is committed of temporary tables, as the engine knows it (`temporary`).
pub(crate) trait TemporaryStore: Send + Sync {
    /// Begins a table without rows, whose memory is counted in `share`; gives its id.
    ///
    /// # Errors
    /// `Exhausted` when all ids are in use.
    fn begin(&self, share: Share) -> Result<u32>;
    /// Forgets a table, with its rows and files.
    fn end(&self, id: u32);
    /// Whether a table has more in memory than it should, of a budget of so many bytes.
    fn is_large(&self, id: u32, bytes_max: usize, is_over: bool) -> bool;
    /// Moves what a table has in memory to a file.
    ///
    /// # Errors
    /// Of the file; everything is still there.
    fn spill(&self, id: u32, directory: &Arc<SpillDirectory>) -> Result<()>;
}

/// How long to wait for a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockWait {
    /// Not at all: `Error::WouldWait(Wait::Lock)` when another holds it.
    Never,
    /// At most this long, then `Error::LockTimeout`; `Error::Conflict` on a deadlock.
    AtMost(Duration),
}

/// Called when a lock may be had again; must return at once.
pub type LockWaker = Arc<dyn Fn() + Send + Sync>;

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
    /// What it is called among those who wait for row locks (`Store::row_lock_waits`); `None` where
    /// that is not known.
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
    /// Applies the buffered writes, but for those of temporary tables.
    fn commit(self: Box<Self>, durability: Durability) -> Result<()>;
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
