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
//! Not here: what keys and values mean (`table`), very many entries at once (`ingestion`), who may
//! write (`locks`).

use std::any::Any;
use std::sync::Arc;

use bytes::Bytes;
use resources::budget::Share;
use resources::spill::SpillDirectory;
use resources::turn_limits::TurnLimits;

use crate::error::Result;

pub use loops::{LockWaker, LoopStore};
pub use range_sizes::{EntryLayer, RangeSizes};
pub use transaction::{LockWait, Savepoint, SortedWrite, SortedWrites, StoreTransaction};
pub use upkeep::{LockedRange, StoreStatus, StoreUpkeep};

mod loops;
mod range_sizes;
mod transaction;
mod upkeep;

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

impl Reach {
    /// What may be done in a turn of such reads: those of a loop reach into memory only.
    pub fn limits(self) -> &'static TurnLimits {
        match self {
            Reach::Memory => &TurnLimits::LOOP,
            Reach::Disk => &TurnLimits::POOL,
        }
    }
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

/// Ordered, durable bytes.
pub trait Store: Read + 'static {
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
}

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
