//! Whether writes are accepted, and what a failed one means for those after it.
//!
//! Invariants
//! 1. After a write or sync that failed in a way nobody understands, no other is accepted until the
//!    database was opened again: only the log on disk knows then what happened.
//! 2. A full disk is understood, and passes, unless RocksDB has ended over it.
//! 3. A database that was opened for reading, because the disk was full, stays so until it is
//!    opened again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rocksdb::ErrorKind;
use rows::error::{Error, Result};

use crate::internals::failure::is_disk_full;

/// Whether writes are accepted.
pub(crate) struct Health {
    failed: AtomicBool,
    /// The database was opened for reading.
    reads_only: bool,
    /// Set by RocksDB's last words, see `options`.
    ended: Arc<AtomicBool>,
}

impl Health {
    pub(crate) fn new(ended: Arc<AtomicBool>) -> Health {
        Health { failed: AtomicBool::new(false), reads_only: false, ended }
    }

    /// Of a database that was opened for reading, since the disk was full.
    pub(crate) fn only_for_reading(ended: Arc<AtomicBool>) -> Health {
        Health { failed: AtomicBool::new(false), reads_only: true, ended }
    }

    pub(crate) fn reads_only(&self) -> bool {
        self.reads_only
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.reads_only {
            let why = "the disk was full at the start; restart the server when there is space";
            return Err(Error::Refused { why });
        }
        match self.failed.load(Ordering::Acquire) {
            false => Ok(()),
            true => Err(Error::Refused { why: "an earlier write failed; restart the server" }),
        }
    }

    pub(crate) fn failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// What a failed write means for this and all later ones.
    pub(crate) fn after(&self, doing: &'static str, error: rocksdb::Error) -> Error {
        if is_disk_full(&error) && !self.ended.load(Ordering::Acquire) {
            return Error::DiskFull { source: Box::new(error) };
        }
        if error.kind() == ErrorKind::InvalidArgument {
            return Error::Store { doing, applied: Some(false), source: Box::new(error) };
        }
        self.fail(doing, Box::new(error))
    }

    /// The same for a sync of the log's files.
    pub(crate) fn after_sync(&self, error: std::io::Error) -> Error {
        match resources::disk_room::is_disk_full(&error) {
            true => Error::DiskFull { source: Box::new(error) },
            false => self.fail("syncing the log", Box::new(error)),
        }
    }

    fn fail(&self, doing: &'static str, source: Box<dyn std::error::Error + Send + Sync>) -> Error {
        if !self.failed.swap(true, Ordering::AcqRel) {
            tracing::error!("{doing} failed, no further writes are accepted: {source}");
        }
        Error::Store { doing, applied: None, source }
    }
}

#[cfg(test)]
mod tests {
    use rocksdb::{DB, Options};

    use super::*;

    /// A real error, and neither a full disk nor a bad argument.
    fn some_error() -> rocksdb::Error {
        let file = tempfile::NamedTempFile::new().unwrap();
        DB::open(&Options::default(), file.path().join("below a file")).unwrap_err()
    }

    #[test]
    fn after_a_failed_write_no_other_is_accepted() {
        let health = Health::new(Arc::default());
        health.check().unwrap();
        let first = health.after("writing", some_error());
        assert!(matches!(first, Error::Store { applied: None, .. }));
        assert!(matches!(health.check(), Err(Error::Refused { .. })));
    }
}
