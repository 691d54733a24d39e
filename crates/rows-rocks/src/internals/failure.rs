//! RocksDB's errors in the words of `rows::Error`.
//!
//! RocksDB's errors are texts with a kind in front; the text is kept as the source.

use rocksdb::ErrorKind;
use rows::error::{Error, Wait};

use crate::internals::log::DamagedLog;
use crate::internals::manifest::DamagedManifest;

const OPENING: &str = "opening the database";

/// An error of a look-up, a scan, or another operation that changes nothing.
pub(crate) fn of_read(doing: &'static str, error: rocksdb::Error) -> Error {
    of_read_kind(doing, error.kind(), error.into_string())
}

/// As `of_read`, of an error that is taken apart already.
pub(crate) fn of_read_kind(doing: &'static str, kind: ErrorKind, text: String) -> Error {
    match kind {
        // What a read of memory only says when the disk would have to be asked (`page_cache`).
        ErrorKind::TimedOut => Error::WouldWait(Wait::Disk),
        _ => Error::Store { doing, applied: Some(false), source: explained(kind, text) },
    }
}

/// An error of an operation on files.
pub(crate) fn of_file(doing: &'static str, error: std::io::Error) -> Error {
    match resources::disk_room::is_disk_full(&error) {
        true => Error::DiskFull { source: Box::new(error) },
        false => Error::Store { doing, applied: Some(false), source: Box::new(error) },
    }
}

/// An error of opening the database.
pub(crate) fn of_open(error: rocksdb::Error) -> Error {
    let text: &str = error.as_ref();
    if text.contains("/LOCK:") || text.contains("lock hold by current process") {
        return Error::Refused { why: "the data directory is open in another process" };
    }
    let source = explained(error.kind(), error.into_string());
    Error::Store { doing: OPENING, applied: Some(false), source }
}

/// An error of opening a directory whose list of files has lost what was synced.
pub(crate) fn of_damaged_manifest(damaged: DamagedManifest) -> Error {
    Error::Store { doing: OPENING, applied: Some(false), source: Box::new(damaged) }
}

/// An error of opening a directory whose log has lost what was synced.
pub(crate) fn of_damaged_log(damaged: DamagedLog) -> Error {
    Error::Store { doing: OPENING, applied: Some(false), source: Box::new(damaged) }
}

/// Bytes on the disk are not what was written; RocksDB's words name the file.
#[derive(Debug, thiserror::Error)]
#[error(
    "{0}. A file is damaged or missing: `rowhouse check` shows how much can be read; restore a \
     backup with `rowhouse restore`"
)]
struct FileDamage(String);

/// The error as a source, with what to do when bytes are damaged.
fn explained(kind: ErrorKind, text: String) -> Box<dyn std::error::Error + Send + Sync> {
    match kind {
        ErrorKind::Corruption => Box::new(FileDamage(text)),
        _ => text.into(),
    }
}

/// Whether the disk, or the quota, is full: the one failure that passes by itself.
pub(crate) fn is_disk_full(error: &rocksdb::Error) -> bool {
    let text: &str = error.as_ref();
    ["No space left on device", "Disk quota exceeded", "Out of space", "Space limit reached"]
        .iter()
        .any(|words| text.contains(words))
}
