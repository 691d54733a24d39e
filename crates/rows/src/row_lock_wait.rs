//! Row locks and waits for them, as they are told to those who look at them from outside.
//!
//! Not here: locks (`locks`), the row that one is of (`locked_row`).

use crate::schema::TableId;

/// How a lock is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockMode {
    /// By its owner alone.
    Exclusive,
    /// Beside others who want it so.
    Shared,
}

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitKind {
    /// A key that others have locked.
    Key,
    /// A key that another one has put in and not committed.
    Inserted,
    /// Leave to put a key into a range that others have locked.
    Insert,
}

/// A transaction that waits for a row lock, and those that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowLockWait {
    /// The lock: the hash of its key.
    pub lock: u64,
    /// The key that is wanted.
    pub key: Box<[u8]>,
    /// How it is wanted.
    pub mode: LockMode,
    /// What is waited for.
    pub kind: WaitKind,
    /// The owner that waits.
    pub waiting: u64,
    /// The owners that have the lock, and how.
    pub holders: Vec<u64>,
    /// How they have it.
    pub held: LockMode,
}

/// What a locked key is of, as far as its first bytes tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyPlace {
    /// The number of its table; 0 where that is not known.
    pub table: TableId,
    /// The number of the index that it is of; `None`: the whole table is locked.
    pub index: Option<u16>,
}

impl KeyPlace {
    /// Of a key.
    pub fn of(key: &[u8]) -> KeyPlace {
        let index = key.get(4..6).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]));
        let table = key.first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes));
        KeyPlace { table, index }
    }
}

/// A row lock that transactions have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldRowLock {
    /// The lock: the hash of its key.
    pub lock: u64,
    /// What its key is of.
    pub place: KeyPlace,
    /// How they have it.
    pub mode: LockMode,
    /// Its owners.
    pub holders: Vec<u64>,
}
