//! The open database and all that its users share: readers, writers, snapshots and the background.
//!
//! What is done with it is told where it is done: `writing`, `cursors`, `ingest`, `reclaim`,
//! `sizes`, `status`.
//!
//! Not here: opening and closing (`store`).

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use rocksdb::{Cache, DB, Options};
use rows::locks::LockTable;

use crate::file_sizes::KnownSizes;
use crate::health::Health;
use crate::internals::laid_out::LaidOut;
use crate::internals::log;
use crate::internals::spare::Spares;
use crate::layout::Layout;
use crate::pace::Pace;
use crate::reading::Lookup;
use crate::reclaim_queue::Reclaiming;
use crate::space::Space;
use crate::syncing::{Syncing, WriteModes};
use crate::tombstones::Tombstones;

/// What of the log was read when the database was opened.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReplayedLog {
    pub bytes: u64,
    pub batches: u64,
    /// How long the database took to open.
    pub time: Duration,
}

/// The open database and all that its users share.
pub(crate) struct OpenDatabase {
    pub lookup: Lookup,
    pub modes: WriteModes,
    pub pace: Pace,
    pub health: Health,
    pub replayed: ReplayedLog,
    pub marks: log::Marks,
    pub syncing: Syncing,
    pub laid_out: LaidOut,
    pub tombstones: Tombstones,
    pub sizes: KnownSizes,
    pub reclaiming: Reclaiming,
    pub locks: LockTable,
    /// Numbers of files to be ingested.
    pub ingested: AtomicU64,
    pub directory: PathBuf,
    pub memory_bytes: usize,
    pub options: Options,
    pub layout: Layout,
    pub space: Space,
    pub cache: Cache,
    /// What the cache may hold when nothing of it is lent.
    pub cache_bytes: usize,
    pub lendable_bytes: usize,
    /// Before the database, whose iterators they are.
    pub spares: Spares,
    pub database: DB,
    /// Behind the database: one that was opened for reading does not keep by itself what its
    /// options refer to, as the logger.
    pub _outlives: Options,
}

impl OpenDatabase {
    /// A number that RocksDB tells of itself.
    pub(crate) fn property(&self, name: &str) -> Option<u64> {
        self.database.property_int_value(name).ok().flatten()
    }

    /// Options for a file that is written beside the database, where so many bytes are already.
    pub(crate) fn options_of_file(&self, beside: u64) -> &Options {
        self.layout.options_of_file(self.data_bytes() + beside).unwrap_or(&self.options)
    }

    /// Sees to it that files are written as befits the bytes of data there are.
    pub(crate) fn choose_layout(&self) {
        // Less than at first, where others have borrowed of it.
        let cache = self.property("rocksdb.block-cache-capacity").unwrap_or(0);
        self.layout.choose(&self.database, || self.data_bytes(), cache);
    }

    fn data_bytes(&self) -> u64 {
        self.property("rocksdb.live-sst-files-size").unwrap_or(0)
    }
}
