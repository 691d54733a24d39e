//! The next AUTO_INCREMENT value of a table, written down where no row tells it any more: a number
//! whose row is gone is not given again after the next start, as in MySQL 8.
//!
//! ```text
//! table id u32 | FF FD | next value u64, big-endian     without a value
//! ```
//! The keys lie within the table's own range, so that they go with the table. Of several the
//! highest holds: transactions that commit side by side write one each, and the next one removes
//! them.
//!
//! Invariants
//! 1. It is written in the commit that takes the row away, unless what is written is above the
//!    row's number already: for a queue, once for all the rows that were in it at that time.
//! 2. What failed to be written does not count as written.
//!
//! Not here: the counter and when it is read (`transaction::counters`), numbers that ALTER TABLE
//! takes away, which are in the definition (`alter::carry_out`).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::state::TableState;
use super::version::Table;
use crate::error::{Error, Result};
use crate::schema::TableId;
use crate::store::{Change, KeyRange, StoreTransaction};

/// What takes the place of an index's number in the keys; no index ever has it.
const NEXT: [u8; 2] = [0xff, 0xfd];
const BEHIND: [u8; 2] = [0xff, 0xfe];

/// What is written down of one table.
#[derive(Debug, Default)]
pub(crate) struct KeptNumbers {
    /// The highest; 0: none.
    highest: AtomicU64,
    /// All that are in the store and that nobody removes yet.
    stored: Mutex<Vec<u64>>,
}

impl KeptNumbers {
    /// The keys of a table's.
    pub(crate) fn range(id: TableId) -> KeyRange {
        let prefix = |of: [u8; 2]| [&id.to_be_bytes()[..], &of[..]].concat();
        KeyRange { start: prefix(NEXT), end: prefix(BEHIND) }
    }

    fn key(id: TableId, next: u64) -> Vec<u8> {
        [&id.to_be_bytes()[..], &NEXT[..], &next.to_be_bytes()[..]].concat()
    }

    /// The highest next value that is written down; 0: none.
    pub(crate) fn highest(&self) -> u64 {
        self.highest.load(Ordering::SeqCst)
    }

    /// Nothing is known: they are to be read with the counter.
    pub(super) fn reset(&self) {
        self.stored.lock().clear();
        self.highest.store(0, Ordering::SeqCst);
    }

    /// A key of the table's range is in the store.
    ///
    /// # Errors
    /// `Corrupt`.
    pub(crate) fn note_stored(&self, key: &[u8]) -> Result<()> {
        let next = key.split_at_checked(size_of::<TableId>() + NEXT.len());
        let next = next.and_then(|(_, next)| next.try_into().ok()).map(u64::from_be_bytes);
        let why = "length of a next AUTO_INCREMENT value";
        self.add(next.ok_or_else(|| Error::Corrupt { key: key.to_vec(), why })?);
        Ok(())
    }

    fn add(&self, next: u64) {
        self.stored.lock().push(next);
        self.highest.fetch_max(next, Ordering::SeqCst);
    }

    /// The keys that another one makes needless, for the caller to remove.
    fn take_below(&self, id: TableId, next: u64) -> Vec<Vec<u8>> {
        let mut stored = self.stored.lock();
        let needless = stored.extract_if(.., |stored| *stored < next);
        needless.map(|stored| KeptNumbers::key(id, stored)).collect()
    }
}

/// Counters that a transaction writes down, of tables that it takes rows from.
#[derive(Debug, Default)]
pub(crate) struct NumbersMoved {
    leaving: Vec<(TableId, Arc<TableState>)>,
    /// On their way to the store.
    written: Vec<(Arc<TableState>, u64)>,
}

impl NumbersMoved {
    /// A row with this number goes, or gets another one. The table's counter has been read.
    pub(super) fn leave(&mut self, table: &Table, number: u64) {
        let is_told = number < table.state.kept_numbers.highest();
        if !is_told && !self.leaving.iter().any(|(id, _)| *id == table.id) {
            self.leaving.push((table.id, Arc::clone(&table.state)));
        }
    }

    /// Writes the counters down with the transaction's own writes, which are complete.
    pub(super) fn write(&mut self, store: &mut dyn StoreTransaction) {
        for (id, state) in std::mem::take(&mut self.leaving) {
            let next = state.auto_increment.load(Ordering::SeqCst);
            if next <= state.kept_numbers.highest() {
                continue;
            }
            for needless in state.kept_numbers.take_below(id, next) {
                store.delete(needless);
            }
            store.put(KeptNumbers::key(id, next), Vec::new());
            self.written.push((state, next));
        }
    }

    /// They are in the store.
    pub(super) fn committed(self) {
        self.written.into_iter().for_each(|(state, next)| state.kept_numbers.add(next));
    }
}

impl Table {
    /// Has the counter written down, as the server ends; nobody writes to the table any more.
    /// `write` is not called where it is written, or was not read.
    ///
    /// # Errors
    /// Those of `write`.
    pub(crate) fn keep_next_number(
        &self,
        write: impl FnOnce(Vec<Change>) -> Result<()>,
    ) -> Result<()> {
        let next = self.state.auto_increment.load(Ordering::SeqCst);
        let kept = &self.state.kept_numbers;
        if self.auto_increment().is_none() || self.is_temporary() || next <= kept.highest() {
            return Ok(());
        }
        let needless = kept.take_below(self.id, next).into_iter();
        let mut changes: Vec<Change> = needless.map(Change::delete).collect();
        changes.push(Change::put(KeptNumbers::key(self.id, next), Vec::new()));
        write(changes)?;
        kept.add(next);
        Ok(())
    }
}
