//! The data directory: whose it is, who uses it, and what lies in it next to the rows.
//!
//! ```text
//! DIR/rowhouse.lock   locked while a process uses the directory; holds its number
//! DIR/status.sock     where `rowhouse status` asks a running server
//! DIR/admin.sock      where a running server speaks SQL to who looks after it
//! DIR/tls-certificate.pem, tls-key.pem
//!                     the certificate that the server makes itself, where none is set
//! DIR/rows/           the store
//! DIR/backup/         while a backup is taken, what it copies (`frozen`), with backup.lock
//! DIR/tmp/            what did not fit into memory, unless that goes elsewhere; emptied at a start
//! DIR/restoring/      while a backup is restored; holds the store that will be `rows`
//! ```
//!
//! Invariants
//! 1. One process at a time uses a directory. The kernel drops the lock with the process, however
//!    it ends.
//! 2. A directory that holds something else is not touched.
//! 3. As long as `restoring` is there, the directory is no data directory, and all of it belongs to
//!    the restore that is to be repeated.
//! 4. Only its owner reads what is in it: what is made is made so (`private`), and what an earlier
//!    version made readable is closed when the directory is taken.
//!
//! Not here: the store's own files and format (crate `rows-rocks`).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

use resources::disk_room::is_disk_full;
use rows_rocks::make_directory;

use crate::private;

const LOCK_FILE: &str = "rowhouse.lock";
const STATUS_SOCKET: &str = "status.sock";
const ADMIN_SOCKET: &str = "admin.sock";
const CERTIFICATE: &str = "tls-certificate.pem";
const CERTIFICATE_KEY: &str = "tls-key.pem";
const ROWS: &str = "rows";
const RESTORING: &str = "restoring";
const TEMPORARY: &str = "tmp";

/// Why a data directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// Another process has it.
    #[error(
        "the data directory {path} is in use by {holder}; stop that one first, or name another directory (data-dir)"
    )]
    InUse {
        /// The directory.
        path: String,
        /// The process that uses it.
        holder: String,
    },
    /// It holds other files.
    #[error("{path} is not empty and no data directory of rowhouse; choose another")]
    Foreign {
        /// The directory.
        path: String,
    },
    /// It is one already, where a new one is to be made.
    #[error("there is a data directory of rowhouse at {path} already; choose another place")]
    Occupied {
        /// The directory.
        path: String,
    },
    /// There is none.
    #[error(
        "there is no data directory of rowhouse at {path}: --data-dir names it, `rowhouse serve` makes one"
    )]
    Missing {
        /// The directory.
        path: String,
    },
    /// A restore was cut off in it.
    #[error(
        "a restore was not finished in {path}: repeat `rowhouse restore`, or remove the directory"
    )]
    Unfinished {
        /// The directory.
        path: String,
    },
    /// The system says no.
    #[error(
        "cannot use the data directory {path}: {source}; name a directory that this user may write"
    )]
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
    /// The last process, if it has not ended in good order.
    crashed: Option<u32>,
}

impl DataDir {
    /// Takes a directory for this process; makes it if it is not there.
    ///
    /// # Errors
    /// `InUse` while another process has it, `Foreign` when it holds other files, `Unfinished`
    /// after an interrupted restore, and `Io`.
    pub fn take_or_make(path: &Path) -> Result<DataDir, DataDirError> {
        let io = |source| DataDirError::Io { path: path.display().to_string(), source };
        make_directory(path).map_err(io)?;
        is_finished(path)?;
        // In this order: another process may make the mark meanwhile.
        let is_empty = fs::read_dir(path).map_err(io)?.next().is_none();
        if !is_empty && !exists(path, LOCK_FILE)? {
            return Err(DataDirError::Foreign { path: path.display().to_string() });
        }
        let taken = Self::lock(path)?;
        // Without its mark the directory would be a stranger's after a power cut. Also at a later
        // start: the first one may have been killed before this line.
        File::open(path).and_then(|directory| directory.sync_all()).map_err(io)?;
        Ok(taken)
    }

    /// Takes a directory that must be there.
    ///
    /// # Errors
    /// `Missing` when there is none, and as `take_or_make`.
    pub fn take(path: &Path) -> Result<DataDir, DataDirError> {
        is_finished(path)?;
        if !exists(path, LOCK_FILE)? {
            return Err(DataDirError::Missing { path: path.display().to_string() });
        }
        Self::lock(path)
    }

    /// Makes a data directory whose store `fill` writes into the directory it is given, which is
    /// not there yet. The place must be empty, but for what an interrupted call left.
    ///
    /// What `fill` writes becomes `rows` by renaming, the mark of a data directory comes after it,
    /// and `restoring` goes last, each durable before the next: wherever a crash or a power cut
    /// ends this, the directory is refused as `Unfinished`, or whole, or empty.
    ///
    /// # Errors
    /// `InUse` while another restore is at work, `Occupied` or `Foreign` when the place is not
    /// empty, `Io`, and those of `fill`.
    pub fn make_of<E: From<DataDirError>>(
        path: &Path,
        fill: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<(), E> {
        let io = |source| DataDirError::Io { path: path.display().to_string(), source };
        make_directory(path).map_err(io)?;
        // Before anything of an interrupted call is removed: it may go on.
        let alone = File::open(path).map_err(io)?;
        if rustix::fs::flock(&alone, FlockOperation::NonBlockingLockExclusive).is_err() {
            let holder = "another restore".to_owned();
            return Err(DataDirError::InUse { path: path.display().to_string(), holder }.into());
        }
        let restoring = path.join(RESTORING);
        let repeated = exists(path, RESTORING)?;
        if !repeated && exists(path, LOCK_FILE)? {
            return Err(DataDirError::Occupied { path: path.display().to_string() }.into());
        }
        for entry in fs::read_dir(path).map_err(io)? {
            let name = entry.map_err(io)?.file_name();
            let ours = name == RESTORING || repeated && (name == ROWS || name == LOCK_FILE);
            if !ours {
                return Err(DataDirError::Foreign { path: path.display().to_string() }.into());
            }
        }
        let begin = || {
            remove_restored(path)?;
            fs::create_dir(&restoring)?;
            File::open(path)?.sync_all()
        };
        begin().map_err(io)?;
        let filled = fill(&restoring.join(ROWS));
        if filled.is_err() {
            // What stays is removed by the next call.
            let _ = remove_restored(path);
        }
        filled?;
        // Copies have the modes of what was copied.
        private::close_to_others(path);
        let finish = || {
            fs::rename(restoring.join(ROWS), path.join(ROWS))?;
            File::create_new(path.join(LOCK_FILE))?.sync_all()?;
            File::open(path)?.sync_all()?;
            fs::remove_dir(&restoring)?;
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
        // It names nobody when the last process has ended in good order.
        let mut last = String::new();
        lock.read_to_string(&mut last).map_err(io)?;
        let crashed = last.trim().parse().ok();
        match name_holder(&mut lock) {
            // The holder is named only for the benefit of others; a full disk keeps nobody from
            // reading.
            Err(error) if is_disk_full(&error) => {}
            named => named.map_err(io)?,
        }
        private::close_to_others(path);
        Ok(DataDir { path: path.to_owned(), lock, crashed })
    }

    /// The last process that used it, if that has not ended in good order: killed, or with the
    /// power.
    pub fn crashed(&self) -> Option<u32> {
        self.crashed
    }

    /// Directory of the store.
    pub fn rows(&self) -> PathBuf {
        self.path.join(ROWS)
    }

    /// Directory of temporary files, within the place that was chosen for them.
    pub fn temporary(&self, place: Option<&Path>) -> PathBuf {
        // Others may use that place too, also another server: its part is named by this directory.
        let Some(place) = place else { return self.path.join(TEMPORARY) };
        let path = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        place.join(format!("rowhouse-tmp-{:016x}", fingerprint(&path)))
    }

    /// The certificate that the server makes itself, and its key.
    pub fn own_certificate(&self) -> (PathBuf, PathBuf) {
        (self.path.join(CERTIFICATE), self.path.join(CERTIFICATE_KEY))
    }

    /// Where a running server is asked for its status.
    pub fn status_socket(&self) -> PathBuf {
        status_socket(&self.path)
    }

    /// Where a running server speaks SQL to who looks after it.
    pub fn admin_socket(&self) -> PathBuf {
        admin_socket(&self.path)
    }
}

impl Drop for DataDir {
    fn drop(&mut self) {
        // The file stays, as the mark of a data directory; it names nobody any more.
        let _ = self.lock.set_len(0);
    }
}

/// Whether a directory has something of this name. One that may not be looked into is an error.
fn exists(path: &Path, name: &str) -> Result<bool, DataDirError> {
    match path.join(name).try_exists() {
        // A file in the place of the directory, which the next step names.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(false),
        exists => {
            exists.map_err(|source| DataDirError::Io { path: path.display().to_string(), source })
        }
    }
}

/// Writes this process's number into its lock.
fn name_holder(lock: &mut File) -> io::Result<()> {
    lock.set_len(0)?;
    lock.seek(SeekFrom::Start(0))?;
    writeln!(lock, "{}", std::process::id())
}

fn is_finished(path: &Path) -> Result<(), DataDirError> {
    match exists(path, RESTORING)? {
        true => Err(DataDirError::Unfinished { path: path.display().to_string() }),
        false => Ok(()),
    }
}

/// Removes what a restore has made so far; `restoring` last, since it says that the rest is ours.
fn remove_restored(path: &Path) -> io::Result<()> {
    let gone = |removed: io::Result<()>| match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    };
    gone(fs::remove_file(path.join(LOCK_FILE)))?;
    gone(fs::remove_dir_all(path.join(ROWS)))?;
    gone(fs::remove_dir_all(path.join(RESTORING)))
}

/// A number for a path, the same at each start (FNV-1a).
fn fingerprint(path: &Path) -> u64 {
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Where the server of a data directory is asked for its status.
pub fn status_socket(data_dir: &Path) -> PathBuf {
    data_dir.join(STATUS_SOCKET)
}

/// Where the server of a data directory speaks SQL to who looks after it.
pub fn admin_socket(data_dir: &Path) -> PathBuf {
    data_dir.join(ADMIN_SOCKET)
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
        assert_eq!(DataDir::take(&path).unwrap().crashed(), None);
        // As a killed process leaves it.
        fs::write(path.join(LOCK_FILE), "4711\n").unwrap();
        assert_eq!(DataDir::take(&path).unwrap().crashed(), Some(4711));
        assert_eq!(DataDir::take(&path).unwrap().crashed(), None);
    }

    #[test]
    fn what_a_cut_off_restore_leaves_is_refused_and_made_anew() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data");
        let fill = |rows: &Path| {
            fs::create_dir(rows).and_then(|()| fs::write(rows.join("new"), "")).unwrap();
            Ok::<(), DataDirError>(())
        };
        for left in ["restoring/rows", "restoring", "rows", "rowhouse.lock"] {
            // Each with those that come before it on the way to the end.
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(path.join("restoring")).unwrap();
            match left {
                "rowhouse.lock" => {
                    fs::create_dir(path.join("rows")).unwrap();
                    fs::write(path.join(left), "").unwrap();
                }
                left => fs::create_dir_all(path.join(left)).unwrap(),
            }
            for taken in [DataDir::take(&path), DataDir::take_or_make(&path)] {
                assert!(matches!(taken, Err(DataDirError::Unfinished { .. })), "{left}");
            }
            DataDir::make_of(&path, fill).unwrap();
            assert!(path.join("rows/new").exists() && !path.join("restoring").exists());
            DataDir::take(&path).unwrap();
            let again = DataDir::make_of(&path, fill).unwrap_err();
            assert!(matches!(again, DataDirError::Occupied { .. }), "{left}");
        }
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
