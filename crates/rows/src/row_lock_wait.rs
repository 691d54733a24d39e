//! A wait for a row lock, as it is told to those who look at it from outside.
//!
//! Not here: locks (`locks`), the row that one is of (`locked_row`).

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
