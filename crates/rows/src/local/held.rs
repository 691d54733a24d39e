//! The locks that a transaction holds, by the table whose keys they are of.
//!
//! Invariants
//! 1. Under a table that is held whole there are no single locks.
//!
//! Not here: how locks work (`locks`), when a table is locked whole (`transaction`).

use crate::locks::LockTable;

/// Memory of one lock: its place in the lock table, which is filled by two thirds, and here.
const LOCK_BYTES: usize = 56;

/// The bytes that keys of one table begin with.
pub(super) type TablePrefix = [u8; 4];

/// Every lock of a transaction.
#[derive(Default)]
pub(super) struct HeldLocks {
    tables: Vec<OfTable>,
    count: usize,
}

struct OfTable {
    table: TablePrefix,
    /// Nobody else can lock keys of this table.
    whole: bool,
    /// The names of the locks; of a table held whole, its own alone.
    locks: Vec<u64>,
}

impl HeldLocks {
    /// Whether the table of `key` is held whole.
    pub fn is_whole(&self, key: &[u8]) -> bool {
        // Most transactions hold no table, and a length check tells it.
        let table = table_of(key);
        self.tables.iter().any(|held| held.whole && held.table == table)
    }

    /// Keeps a lock of a key.
    pub fn push(&mut self, key: &[u8], lock: u64) {
        let table = table_of(key);
        self.count += 1;
        match self.tables.iter_mut().find(|held| held.table == table) {
            Some(held) => held.locks.push(lock),
            None => self.tables.push(OfTable { table, whole: false, locks: vec![lock] }),
        }
    }

    /// Takes the lock of a key out again; `false` if it is not kept by itself.
    pub fn remove(&mut self, key: &[u8], lock: u64) -> bool {
        let table = table_of(key);
        let held = self.tables.iter_mut().find(|held| held.table == table && !held.whole);
        let Some(held) = held else { return false };
        // Nearly always the one that came last.
        let Some(at) = held.locks.iter().rposition(|&other| other == lock) else { return false };
        held.locks.swap_remove(at);
        self.count -= 1;
        true
    }

    /// Takes the locks of a table out, and keeps its own in their place.
    pub fn widen(&mut self, table: TablePrefix, own: u64) -> Vec<u64> {
        let at = self.tables.iter().position(|held| held.table == table);
        let single = at.map_or_else(Vec::new, |at| self.tables.swap_remove(at).locks);
        self.count = self.count - single.len() + 1;
        self.tables.push(OfTable { table, whole: true, locks: vec![own] });
        single
    }

    /// Locks of a table.
    pub fn count_of(&self, table: TablePrefix) -> usize {
        let held = self.tables.iter().find(|held| held.table == table);
        held.map_or(0, |held| held.locks.len())
    }

    /// Locks.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Bytes of memory for them.
    pub fn bytes(&self) -> usize {
        self.count * LOCK_BYTES
    }

    /// Frees all.
    pub fn release(&mut self, locks: &LockTable, owner: u64) {
        for held in self.tables.drain(..) {
            locks.release(owner, &held.locks);
        }
        self.count = 0;
    }
}

/// Keys shorter than a table's number are of no table; they are kept as if they were.
pub fn table_of(key: &[u8]) -> TablePrefix {
    let mut table = [0; 4];
    let length = key.len().min(4);
    table[..length].copy_from_slice(&key[..length]);
    table
}
