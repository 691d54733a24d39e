//! Backups of a store: a directory of numbered, complete, restorable points that share the files
//! that have not changed between them.
//!
//! ```text
//! DIR/rowhouse-backups   says whose directory this is; locked while a command works in it
//! DIR/7/BACKUP           the list of the files of backup 7, with their checksums (`list`)
//! DIR/7/rows/            its files
//! DIR/unfinished/        a backup that is being written; also removing-N
//! ```
//! RocksDB's data files (`.sst`) never change. A later backup has hard links to those that an
//! earlier one has, so removing a backup takes no file from another.
//!
//! Not here: the state that is backed up (`Store::checkpoint`), the commands (crate `server`).

mod backups;
mod error;
mod files;
mod list;

pub use backups::{BackupDamage, Backups, Sharing};
pub use error::BackupError;
pub use list::Backup;

/// Told how many bytes are done, and of how many.
pub type Progress<'a> = dyn FnMut(u64, u64) + 'a;
