//! What the syncing thread and the writers tell each other, and the ways in which they write.
//!
//! Not here: the thread's work, and writing (`writing`).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{Condvar, Mutex};
use rocksdb::WriteOptions;

/// Options of writes, made once.
pub(crate) struct WriteModes {
    pub synced: WriteOptions,
    pub unsynced: WriteOptions,
    /// As `unsynced`, but fails where it would be held up.
    pub at_once: WriteOptions,
    /// As `synced`, but fails where it would be held up by more than its sync.
    pub synced_at_once: WriteOptions,
}

impl Default for WriteModes {
    fn default() -> Self {
        let mut synced = WriteOptions::default();
        synced.set_sync(true);
        let mut at_once = WriteOptions::default();
        at_once.set_no_slowdown(true);
        let mut synced_at_once = WriteOptions::default();
        synced_at_once.set_sync(true);
        synced_at_once.set_no_slowdown(true);
        WriteModes { synced, unsynced: WriteOptions::default(), at_once, synced_at_once }
    }
}

/// What the syncing thread and the writers tell each other.
#[derive(Default)]
pub(crate) struct Syncing {
    pub unsynced: AtomicBool,
    /// Something was written since data were last measured.
    pub written: AtomicBool,
    /// Something was synced that the log does not say yet.
    pub unmarked: AtomicBool,
    /// Scans pass over so much that it may be time to tidy up (`tombstones`).
    pub crowded: AtomicBool,
    /// Iterators wait to be used again (`spare`).
    pub spares: AtomicBool,
    /// Syncs of the log that have ended, besides those that RocksDB makes with a write.
    pub syncs: AtomicU64,
    pub stopped: Mutex<bool>,
    pub changed: Condvar,
}

impl Syncing {
    /// After a write that waits for the next sync.
    pub(crate) fn note_unsynced(&self) {
        self.raise(&self.unsynced);
    }

    /// After a write, whether it waits for a sync or not.
    pub(crate) fn note_grown(&self) {
        self.raise(&self.written);
    }

    /// After a write that was synced and may be the last one.
    pub(crate) fn note_unmarked(&self) {
        self.raise(&self.unmarked);
    }

    /// After a scan that passed over many entries.
    pub(crate) fn note_hidden(&self) {
        self.raise(&self.crowded);
    }

    /// After a scan whose iterator waits for the next one.
    pub(crate) fn note_spares(&self) {
        self.raise(&self.spares);
    }

    pub(crate) fn has_work(&self) -> bool {
        let Syncing { unsynced, written, unmarked, crowded, spares, .. } = self;
        let flags = [unsynced, written, unmarked, crowded, spares];
        flags.iter().any(|flag| flag.load(Ordering::Acquire))
    }

    fn raise(&self, flag: &AtomicBool) {
        // Usually set already: then a load is all it costs.
        if !flag.load(Ordering::Acquire) && !flag.swap(true, Ordering::AcqRel) {
            let _stopped = self.stopped.lock();
            self.changed.notify_one();
        }
    }

    pub(crate) fn stop(&self) {
        *self.stopped.lock() = true;
        self.changed.notify_one();
    }
}
