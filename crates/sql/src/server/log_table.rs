//! A log that clients read as a table: `mysql.slow_log`, `mysql.general_log`.
//!
//! Invariants
//! 1. It holds the latest entries, in a bounded part of the memory; the oldest leave for new ones.
//! 2. It is in no file and no dump, and empty after a start: a log that is to last is a file.
//!
//! Not here: its columns (`system_schema::mysql`).

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

/// The part of the clients' memory that a table may take, and its least and most.
const MEMORY_PART: usize = 64;
const BYTES_MIN: usize = 256 << 10;
const BYTES_MAX: usize = 16 << 20;

/// The latest entries of a log.
#[derive(Debug)]
pub(super) struct LogTable<E> {
    bytes_max: usize,
    kept: Mutex<KeptEntries<E>>,
}

#[derive(Debug)]
struct KeptEntries<E> {
    entries: VecDeque<(Arc<E>, usize)>,
    bytes: usize,
}

impl<E> LogTable<E> {
    /// An empty one, of a server with this much memory for clients.
    pub(super) fn within(memory_bytes: usize) -> LogTable<E> {
        LogTable {
            bytes_max: (memory_bytes / MEMORY_PART).clamp(BYTES_MIN, BYTES_MAX),
            kept: Mutex::new(KeptEntries { entries: VecDeque::new(), bytes: 0 }),
        }
    }

    /// Adds an entry whose texts have so many bytes.
    pub(super) fn push(&self, entry: E, text_bytes: usize) {
        let bytes = size_of::<E>() + text_bytes;
        let mut kept = self.kept.lock();
        while kept.bytes + bytes > self.bytes_max {
            let Some((_, gone)) = kept.entries.pop_front() else { break };
            kept.bytes -= gone;
        }
        kept.bytes += bytes;
        kept.entries.push_back((Arc::new(entry), bytes));
    }

    /// All that is kept, the oldest first.
    pub(super) fn entries(&self) -> Vec<Arc<E>> {
        self.kept.lock().entries.iter().map(|(entry, _)| Arc::clone(entry)).collect()
    }

    /// About how much memory it takes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.kept.lock().bytes
    }

    /// TRUNCATE.
    pub(super) fn clear(&self) {
        let mut kept = self.kept.lock();
        kept.entries = VecDeque::new();
        kept.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_leave_when_there_is_no_room() {
        let table = LogTable::within(0);
        for number in 0..1000u32 {
            table.push(number, 1020);
        }
        let kept: Vec<u32> = table.entries().iter().map(|entry| **entry).collect();
        assert_eq!((kept.len(), kept.last()), (256, Some(&999)));
        assert_eq!(table.memory_bytes(), BYTES_MIN);
        table.clear();
        assert!(table.entries().is_empty());
        assert_eq!(table.memory_bytes(), 0);
    }
}
