//! Marks in the log: up to which write the log was on the disk when this record was written.
//!
//! A mark is log data of a batch, the first thing in it, and has no effect on rows:
//! ```text
//! 03           RocksDB's tag of log data
//! 09           its length
//! 53           'S'
//! 8 bytes      sequence number, little endian: every write up to it is durable
//! ```
//!
//! Invariants
//! 1. A mark never says more than a sync that has succeeded has made durable.
//! 2. Within half a second after the last write of a busy or idle store, and at closing, a mark
//!    says that it was synced, if it was.
//!
//! Not here: who writes the marks (`writing`), what is made of them (`verdict`).

use std::sync::atomic::{AtomicU64, Ordering};

/// RocksDB's tag of log data in a batch.
const LOG_DATA: u8 = 3;
const KIND: u8 = b'S';
const BYTES: usize = 9;
/// Where a batch's first entry begins: behind its sequence number and count.
const ENTRIES_START: usize = 12;
/// As many bytes of a batch say all that is asked here.
pub(super) const HEAD_BYTES: usize = ENTRIES_START + 2 + BYTES;

/// A mark's bytes.
pub(crate) struct Mark([u8; BYTES]);

impl Mark {
    fn new(sequence: u64) -> Mark {
        let mut bytes = [KIND; BYTES];
        bytes[1..].copy_from_slice(&sequence.to_le_bytes());
        Mark(bytes)
    }
}

impl AsRef<[u8]> for Mark {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// What is synced, and what of it the log says already.
#[derive(Default)]
pub(crate) struct Marks {
    synced: AtomicU64,
    marked: AtomicU64,
}

impl Marks {
    /// A sync has succeeded that began when every write up to `sequence` was in the log.
    pub fn synced(&self, sequence: u64) {
        self.synced.fetch_max(sequence, Ordering::AcqRel);
    }

    /// The mark for the next write; `None` when the log has it already.
    pub fn next(&self) -> Option<Mark> {
        let synced = self.synced.load(Ordering::Acquire);
        (self.marked.fetch_max(synced, Ordering::AcqRel) < synced).then(|| Mark::new(synced))
    }
}

/// What the beginning of a batch says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// Sequence number of its first change.
    pub sequence: u64,
    /// How many changes it has.
    pub count: u64,
    /// Up to which sequence number the log was synced, if it says so.
    pub synced: Option<u64>,
}

impl Head {
    /// Reads the first `HEAD_BYTES` of a batch, or all of a shorter one; `None` when that is no
    /// batch.
    pub fn read(bytes: &[u8]) -> Option<Head> {
        let sequence = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?);
        let count = u32::from_le_bytes(bytes.get(8..ENTRIES_START)?.try_into().ok()?);
        let mark = bytes[ENTRIES_START..].strip_prefix(&[LOG_DATA, BYTES as u8, KIND]);
        let synced = mark.and_then(|mark| mark.get(..8)?.try_into().ok()).map(u64::from_le_bytes);
        Some(Head { sequence, count: u64::from(count), synced })
    }
}

#[cfg(test)]
mod tests {
    use rocksdb::WriteBatch;

    use super::*;

    #[test]
    fn a_mark_is_read_back_from_a_real_batch_and_given_once() {
        let marks = Marks::default();
        assert!(marks.next().is_none());
        marks.synced(0x0102_0304_0506);
        marks.synced(7);
        let mut batch = WriteBatch::default();
        batch.put_log_data(marks.next().expect("something was synced"));
        assert!(marks.next().is_none(), "the log has it");
        batch.put(b"key", b"value");
        let head = Head::read(batch.data()).expect("a batch");
        assert_eq!(head, Head { sequence: 0, count: 1, synced: Some(0x0102_0304_0506) });
        assert!(batch.data().len() >= HEAD_BYTES);
    }

    #[test]
    fn a_batch_without_a_mark_says_nothing_of_syncs() {
        let mut batch = WriteBatch::default();
        batch.put(b"key", b"value");
        assert_eq!(Head::read(batch.data()), Some(Head { sequence: 0, count: 1, synced: None }));
        assert_eq!(Head::read(&batch.data()[..11]), None);
    }
}
