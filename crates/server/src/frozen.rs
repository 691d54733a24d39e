//! The state that a backup copies: a checkpoint within the data directory, where linking files
//! always works, made by the process that has the store open.
//!
//! ```text
//! DIR/backup.lock    locked by the command as long as it needs the checkpoint
//! DIR/backup/rows/   the checkpoint
//! ```
//! The server does what only it can do, the checkpoint; the command copies. So a backup takes no
//! memory or thread of the server, its end is its exit code, and it goes on when the server ends.
//!
//! Invariants
//! 1. One command at a time.
//! 2. The process that has the store makes and removes one checkpoint at a time, also when the
//!    command that asked is dead and the next one asks already.
//! 3. A checkpoint goes with its command, however that ends: the kernel frees the lock, and the
//!    server, which waits for it, removes what is left. So does the next server, or command.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rows::Result;
use rows::error::Error;
use rows::store::StoreUpkeep;
use rustix::fs::FlockOperation;

use crate::data_dir::DataDirError;

const LOCK_FILE: &str = "backup.lock";
const FROZEN: &str = "backup";
const ROWS: &str = "rows";
/// How long a command waits for the removal of what an earlier one left.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(10);

/// Held while a checkpoint is made or removed.
static MAKING: Mutex<()> = Mutex::new(());

/// The right of a command to a checkpoint.
#[derive(Debug)]
pub struct CheckpointClaim {
    data_dir: PathBuf,
    /// Holds the lock while it is open.
    _lock: File,
}

impl CheckpointClaim {
    /// Takes the right.
    ///
    /// # Errors
    /// `InUse` while another command has it, and those of files.
    pub fn claim(data_dir: &Path) -> std::result::Result<CheckpointClaim, DataDirError> {
        let path = || data_dir.display().to_string();
        let io = |source| DataDirError::Io { path: path(), source };
        let lock = open_lock(data_dir).map_err(io)?;
        let deadline = Instant::now() + PATIENCE;
        while rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            if Instant::now() > deadline {
                let holder = "another backup".to_owned();
                return Err(DataDirError::InUse { path: path(), holder });
            }
            std::thread::sleep(PAUSE);
        }
        Ok(CheckpointClaim { data_dir: data_dir.to_path_buf(), _lock: lock })
    }

    /// Where the checkpoint is, once it is made.
    pub fn rows(&self) -> PathBuf {
        self.data_dir.join(FROZEN).join(ROWS)
    }
}

impl Drop for CheckpointClaim {
    fn drop(&mut self) {
        // What stays is removed by the server, or by the next command.
        let _ = remove(&self.data_dir);
    }
}

/// Makes the checkpoint for the command that holds the lock; it is removed when the lock is free.
///
/// # Errors
/// Of the store and of files.
pub fn make(store: &dyn StoreUpkeep, data_dir: &Path) -> Result<()> {
    let failed = |source: io::Error| Error::Store {
        doing: "making room for a checkpoint",
        applied: Some(false),
        source: Box::new(source),
    };
    let frozen = data_dir.join(FROZEN);
    let made = {
        let _making = MAKING.lock();
        remove(data_dir).and_then(|()| fs::create_dir_all(&frozen)).map_err(failed)?;
        store.checkpoint(&frozen.join(ROWS))
    };
    remove_when_released(data_dir);
    made
}

/// Removes a checkpoint, if there is one, when no command holds the lock any more.
pub fn remove_when_released(data_dir: &Path) {
    if !data_dir.join(FROZEN).exists() {
        return;
    }
    let data_dir = data_dir.to_path_buf();
    let work = move || {
        let wait_and_remove = || {
            let lock = open_lock(&data_dir)?;
            rustix::fs::flock(&lock, FlockOperation::LockExclusive)?;
            let _making = MAKING.lock();
            remove(&data_dir)
        };
        if let Err(error) = wait_and_remove() {
            tracing::warn!(%error, "what a backup left was not removed");
        }
    };
    if let Err(error) = std::thread::Builder::new().name("frozen".into()).spawn(work) {
        tracing::warn!(%error, "what a backup leaves will not be removed");
    }
}

fn open_lock(data_dir: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).open(data_dir.join(LOCK_FILE))
}

fn remove(data_dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(data_dir.join(FROZEN)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
