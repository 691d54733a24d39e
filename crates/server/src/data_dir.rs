//! The data directory: whose it is, who uses it, and what lies in it beside the rows.
//!
//! ```text
//! DIR/rowhouse.lock   locked while a process uses the directory; holds its number
//! DIR/status.sock     where `rowhouse status` asks a running server
//! DIR/rows/           the store
//! DIR/backup/         while a backup is taken, what it copies (`frozen`), with backup.lock
//! DIR/restoring/      while a backup is restored, the store that will be `rows`
//! ```
//!
//! Invariants
//! 1. One process at a time uses a directory. The kernel drops the lock with the process, however
//!    it ends.
//! 2. A directory that holds something else is not touched.
//!
//! Not here: the store's own files and format (crate `rows-rocks`).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

use rows_rocks::make_directory;

const LOCK_FILE: &str = "rowhouse.lock";
const STATUS_SOCKET: &str = "status.sock";
const ROWS: &str = "rows";
const RESTORING: &str = "restoring";

/// Why a data directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// Another process has it.
    #[error("the data directory {path} is in use by {holder}; one server at a time may use it")]
    InUse {
        /// The directory.
        path: String,
        /// Who uses it.
        holder: String,
    },
    /// It holds other files.
    #[error("{path} is not empty and no data directory of rowhouse; choose another")]
    Foreign {
        /// The directory.
        path: String,
    },
    /// There is none.
    #[error("there is no data directory of rowhouse at {path}")]
    Missing {
        /// The directory.
        path: String,
    },
    /// The system says no.
    #[error("cannot use the data directory {path}: {source}")]
    Io {
        /// The directory.
        path: String,
        /// Why.
        source: io::Error,
    },
}

/// A data directory that this process may use.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    /// Holds the lock while it is open.
    lock: File,
}

impl DataDir {
    /// Takes a directory for this process; makes it if it is not there.
    pub fn take_or_make(path: &Path) -> Result<DataDir, DataDirError> {
        let io = |source| DataDirError::Io { path: path.display().to_string(), source };
        make_directory(path).map_err(io)?;
        let ours = path.join(LOCK_FILE).exists();
        if !ours && fs::read_dir(path).map_err(io)?.next().is_some() {
            return Err(DataDirError::Foreign { path: path.display().to_string() });
        }
        let taken = Self::lock(path)?;
        // Without its mark the directory would be a stranger's after a power cut. Also at a later
        // start: the first one may have been killed before this line.
        File::open(path).and_then(|directory| directory.sync_all()).map_err(io)?;
        Ok(taken)
    }

    /// Takes a directory that must be there.
    pub fn take(path: &Path) -> Result<DataDir, DataDirError> {
        if !path.join(LOCK_FILE).exists() {
            return Err(DataDirError::Missing { path: path.display().to_string() });
        }
        Self::lock(path)
    }

    /// Makes a data directory whose store `fill` writes into the directory it is given, which is
    /// not there yet. The place must be empty, but for what an interrupted call left.
    ///
    /// What `fill` writes becomes `rows` by renaming, and the mark of a data directory comes last:
    /// a half-filled one is `Foreign` to every command.
    pub fn make_of<E: From<DataDirError>>(
        path: &Path,
        fill: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<(), E> {
        let io = |source| DataDirError::Io { path: path.display().to_string(), source };
        fs::create_dir_all(path).map_err(io)?;
        for entry in fs::read_dir(path).map_err(io)? {
            if entry.map_err(io)?.file_name() != RESTORING {
                return Err(DataDirError::Foreign { path: path.display().to_string() }.into());
            }
        }
        let restoring = path.join(RESTORING);
        if restoring.exists() {
            fs::remove_dir_all(&restoring).map_err(io)?;
        }
        let filled = fill(&restoring);
        if filled.is_err() {
            // What stays is removed by the next call.
            let _ = fs::remove_dir_all(&restoring);
        }
        filled?;
        let finish = || {
            fs::rename(&restoring, path.join(ROWS))?;
            File::open(path)?.sync_all()?;
            File::create_new(path.join(LOCK_FILE))?.sync_all()?;
            File::open(path)?.sync_all()
        };
        finish().map_err(io)?;
        Ok(())
    }

    fn lock(path: &Path) -> Result<DataDir, DataDirError> {
        let io = |source| DataDirError::Io { path: path.display().to_string(), source };
        let file = path.join(LOCK_FILE);
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut lock = options.open(&file).map_err(io)?;
        if rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            let mut number = String::new();
            // What cannot be read is not known; the refusal stands without it.
            let _ = lock.read_to_string(&mut number);
            let holder = match number.trim() {
                "" => "another process".to_owned(),
                number => format!("process {number}"),
            };
            return Err(DataDirError::InUse { path: path.display().to_string(), holder });
        }
        lock.set_len(0).map_err(io)?;
        lock.seek(SeekFrom::Start(0)).map_err(io)?;
        writeln!(lock, "{}", std::process::id()).map_err(io)?;
        Ok(DataDir { path: path.to_owned(), lock })
    }

    /// Directory of the store.
    pub fn rows(&self) -> PathBuf {
        self.path.join(ROWS)
    }

    /// Where a running server is asked for its status.
    pub fn status_socket(&self) -> PathBuf {
        status_socket(&self.path)
    }
}

impl Drop for DataDir {
    fn drop(&mut self) {
        // The file stays, as the mark of a data directory; it names nobody any more.
        let _ = self.lock.set_len(0);
    }
}

/// Where the server of a data directory is asked for its status.
pub fn status_socket(data_dir: &Path) -> PathBuf {
    data_dir.join(STATUS_SOCKET)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_has_one_user_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data");
        let first = DataDir::take_or_make(&path).unwrap();
        let refused = DataDir::take_or_make(&path).unwrap_err().to_string();
        let holder = format!("in use by process {}", std::process::id());
        assert!(refused.contains(&holder), "{refused}");
        drop(first);
        DataDir::take(&path).unwrap();
    }

    #[test]
    fn a_directory_of_somebody_else_is_not_touched() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("letter.txt"), "dear").unwrap();
        let refused = DataDir::take_or_make(directory.path()).unwrap_err();
        assert!(matches!(refused, DataDirError::Foreign { .. }));
        let missing = DataDir::take(directory.path()).unwrap_err();
        assert!(matches!(missing, DataDirError::Missing { .. }));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
