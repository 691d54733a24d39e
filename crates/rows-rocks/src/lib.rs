//! `rows::store::Store` on RocksDB, embedded: the default store, for one machine.
//!
//! RocksDB's plain database with one column family; row locks are `rows::locks`. Where to look:
//! - `options`: every setting of RocksDB that we change, and why; `layout`: where indexes of files
//!   are divided
//! - `open_database`: what all parts share; `store`: opening, closing, and the traits themselves
//! - `internals`: what relies on more of RocksDB than its interface promises, each part with the
//!   test that notices when that changes
//! - `reading`, `cursors`, `snapshot`: look-ups and scans; `begun_reads`: reads that nobody waits
//!   for; `tombstones`: what scans pass over, and when that costs more than a new file
//! - `writing`, `syncing`, `health`, `space`, `pace`: batches, durability, failures, room on the
//!   disk for the log, how far writers run ahead
//! - `directory`: making directories that last; `lost_files`: what can be read where files of rows
//!   are missing
//! - `ingest`, `reclaim`, `reclaim_queue`, `status`: files added at once, space given back, figures
//! - `file_sizes`, `sizes`: whose bytes are in all files; what ranges take
//! - `backup`: numbered copies that share what has not changed
//! - `format`: the file that says whose data directory this is
//!
//! Not here: what keys and values mean (`rows`).

mod backup;
mod begun_reads;
mod cursors;
mod directory;
mod file_sizes;
mod format;
mod health;
mod ingest;
mod internals;
mod layout;
mod lost_files;
mod open_database;
mod options;
mod pace;
mod reading;
mod reclaim;
mod reclaim_queue;
mod sizes;
mod snapshot;
mod space;
mod status;
mod store;
mod syncing;
mod tombstones;
mod writing;

pub use backup::{Backup, BackupDamage, BackupError, Backups, Progress, Sharing};
pub use directory::make_directory;
pub use format::FORMAT_FILE;
pub use internals::log::DamagedLog;
pub use internals::manifest::DamagedManifest;
pub use lost_files::{LostFile, look_without, lost_files};
pub use options::RocksOptions;
pub use store::RocksStore;
