//! The log's files: which there are, and syncing them past RocksDB.
//!
//! RocksDB hands every write to the operating system before it acknowledges it, so syncing the
//! files makes durable what was acknowledged. Its own call for that cannot be used: after a write
//! that found the disk full it fails with an error that RocksDB takes for the end of the log, and
//! would not go on when there is space again.
//!
//! Not here: syncs of single writes, which RocksDB makes (`writing`).

use std::fs::{self, File};
use std::io::{ErrorKind, Result};
use std::path::{Path, PathBuf};

/// The log files of a directory, in the order of their numbers, which is that of their writes.
///
/// # Errors
/// Those of the file system.
pub(crate) fn numbered_logs(directory: &Path) -> Result<Vec<(u64, PathBuf)>> {
    let mut logs = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let number = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
        if let (Some(number), Some("log")) = (number, path.extension().and_then(|e| e.to_str())) {
            logs.push((number, path));
        }
    }
    logs.sort();
    Ok(logs)
}

/// As `numbered_logs`, without the numbers.
pub(crate) fn logs(directory: &Path) -> Result<Vec<PathBuf>> {
    Ok(numbered_logs(directory)?.into_iter().map(|(_, path)| path).collect())
}

/// Bytes of the log files of a directory.
///
/// # Errors
/// Those of the file system.
pub(crate) fn log_bytes(directory: &Path) -> Result<u64> {
    logs(directory)?.iter().map(|log| fs::metadata(log).map(|about| about.len())).sum()
}

/// Syncs the log files of a directory, and their names.
///
/// # Errors
/// Those of the file system.
pub(crate) fn sync_logs(directory: &Path) -> Result<()> {
    for log in logs(directory)? {
        match File::open(&log) {
            // Removed meanwhile: what it held is in synced files.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            opened => opened?.sync_data()?,
        }
    }
    File::open(directory)?.sync_all()
}
