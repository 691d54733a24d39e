//! `rows::store::Store` on RocksDB, embedded: the default store, for one machine.
//!
//! RocksDB's plain database with one column family; row locks are `rows::locks`. Where to look:
//! - `options`: every setting of RocksDB that we change, and why; `layout`: where indexes of files
//!   are divided
//! - `open_database`: what all parts share; `store`: opening, closing, and the traits themselves
//! - `page_cache`, `begun_reads`: files by way of the kernel's memory; reads that nobody waits for
//! - `reading`, `cursors`, `snapshot`: look-ups and scans; `spare`: iterators that are used again;
//!   `tombstones`: what scans pass over, and when that costs more than a new file; `writing`,
//!   `syncing`, `health`: batches, durability, failures
//! - `directory`, `holes`, `manifest`: making directories that last; what a power cut left of
//!   unsynced logs and of RocksDB's list of files
//! - `lost_files`: what can be read where files of rows are missing
//! - `log`: whether a damaged log is a crash's trace or lost writes
//! - `fragments`, `records`: reading the form that logs and MANIFEST have
//! - `log_files`, `laid_out`, `space`: syncing the log; zeros ahead of its records; room on the
//!   disk for it
//! - `ingest`, `reclaim`, `reclaim_queue`, `status`: files added at once, space given back, figures
//! - `prefix_sizes`, `file_sizes`, `sizes`: whose bytes are in each file, in all; what ranges take
//! - `backup`: numbered copies that share what has not changed
//! - `format`: the file that says whose data directory this is
//!
//! Not here: what keys and values mean (`rows`).

mod backup;
mod begun_reads;
mod busy_threads;
mod cursors;
mod directory;
mod failure;
mod file_sizes;
mod format;
mod fragments;
mod health;
mod holes;
mod ingest;
mod laid_out;
mod layout;
mod log;
mod log_files;
mod lost_files;
mod manifest;
mod open_database;
mod options;
mod pace;
mod page_cache;
mod prefix_sizes;
mod reading;
mod reclaim;
mod reclaim_queue;
mod records;
mod sizes;
mod snapshot;
mod space;
mod spare;
mod status;
mod store;
mod syncing;
mod tombstones;
mod writing;

pub use backup::{Backup, BackupDamage, BackupError, Backups, Progress, Sharing};
pub use directory::make_directory;
pub use format::FORMAT_FILE;
pub use log::DamagedLog;
pub use lost_files::{LostFile, look_without, lost_files};
pub use manifest::DamagedManifest;
pub use options::RocksOptions;
pub use store::RocksStore;
