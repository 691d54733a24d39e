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
//! Not here: when it is written (`numbers_moved`), the counter and when it is read
//! (`transaction::counters`).

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::error::{Error, Result};
use crate::schema::TableId;
use crate::store::KeyRange;

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

    /// The key that says it.
    pub(super) fn key(id: TableId, next: u64) -> Vec<u8> {
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

    /// It is in the store.
    pub(super) fn add(&self, next: u64) {
        self.stored.lock().push(next);
        self.highest.fetch_max(next, Ordering::SeqCst);
    }

    /// The keys that another one makes needless, for the caller to remove.
    pub(super) fn take_below(&self, id: TableId, next: u64) -> Vec<Vec<u8>> {
        let mut stored = self.stored.lock();
        let needless = stored.extract_if(.., |stored| *stored < next);
        needless.map(|stored| KeptNumbers::key(id, stored)).collect()
    }
}
