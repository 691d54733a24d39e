//! Room on the disk for what is written.
//!
//! RocksDB goes on by itself after a disk was full while it wrote a record or a data file. If the
//! disk is full at the moment in which it changes from one log to the next, it takes no writes
//! until it is opened again (11.8: `SwitchMemtable` fails with `kMemTable`, which is fatal
//! whatever the reason). So the last room is kept for it: writes are refused while there is
//! still room for the write buffers that wait to become files, and for the next log.
//!
//! Invariants
//! 1. A write that is refused here has touched nothing.
//! 2. Between two looks at the disk lie at most `LOOK_EVERY`, bytes that surely fit, and a small
//!    part of a log, so that few logs are changed on an old look.
//!
//! Not here: what RocksDB itself says of a full disk (`failure`, `writing`).

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use resources::disk_room::DiskRoom;
use rows::error::{Error, Result};

/// Others fill the disk too, and so do compactions.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// So many looks fall to each log, at least.
const LOOKS_PER_LOG: u64 = 8;
/// For the list of files and what else is small.
const SMALL_FILES_BYTES: u64 = 4 << 20;
/// Files that RocksDB can make while its buffers become files, at least.
const FILES_MIN: u64 = 16;
/// A changed byte is in the log, in a write buffer, and with its neighbours in a data file.
const TIMES_WRITTEN: u64 = 3;

/// How much may be written before the disk is looked at again.
pub(crate) struct Space {
    directory: PathBuf,
    /// Bytes that RocksDB takes for a new log at once: a write buffer.
    log_bytes: u64,
    since: Instant,
    /// Milliseconds after `since`.
    look_at: AtomicU64,
    left: AtomicU64,
}

impl Space {
    /// Of the disk of a directory, in which logs of a write buffer's size are written.
    pub(crate) fn new(directory: &Path, buffer_bytes: u64) -> Space {
        Space {
            directory: directory.to_path_buf(),
            log_bytes: buffer_bytes,
            since: Instant::now(),
            look_at: AtomicU64::new(0),
            left: AtomicU64::new(0),
        }
    }

    /// Takes room for changes of so many bytes; `waiting` says how many bytes are in write
    /// buffers.
    ///
    /// # Errors
    /// `DiskFull`.
    pub(crate) fn take(&self, bytes: u64, waiting: impl FnOnce() -> u64) -> Result<()> {
        let now = self.since.elapsed().as_millis() as u64;
        if now < self.look_at.load(Ordering::Relaxed) {
            let take = |left: u64| left.checked_sub(bytes);
            if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok() {
                return Ok(());
            }
        }
        let left = self.free()?.saturating_sub(waiting()) / TIMES_WRITTEN;
        let Some(left) = left.checked_sub(bytes) else {
            return Err(full("the last room is kept for what was written already"));
        };
        self.left.store(left.min(self.log_bytes / LOOKS_PER_LOG), Ordering::Relaxed);
        self.look_at.store(now + LOOK_EVERY.as_millis() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Asks for room for a further file of so many bytes, beside what becomes files of its own
    /// (`waiting`) and as much again for what is written meanwhile.
    ///
    /// # Errors
    /// `DiskFull`.
    pub(crate) fn check(&self, bytes: u64, waiting: u64) -> Result<()> {
        let kept = TIMES_WRITTEN * waiting.max(self.log_bytes / LOOKS_PER_LOG);
        match self.free()? >= bytes.saturating_add(kept) {
            true => Ok(()),
            false => Err(full("the last room is kept for short writes")),
        }
    }

    /// Whether the next write is refused, beside `waiting` bytes in write buffers.
    pub(crate) fn is_full(&self, waiting: u64) -> bool {
        self.free().map_or(true, |free| free.saturating_sub(waiting) < TIMES_WRITTEN)
    }

    /// Bytes that are free besides those for the next log and for small files.
    ///
    /// # Errors
    /// `DiskFull`: there are none.
    pub(crate) fn free(&self) -> Result<u64> {
        // What cannot be asked is not known to be full.
        let Ok(room) = DiskRoom::of(&self.directory) else { return Ok(u64::MAX) };
        if room.files.is_some_and(|files| files < FILES_MIN) {
            return Err(full("no further files can be made"));
        }
        let free = room.free.checked_sub(self.log_bytes + SMALL_FILES_BYTES);
        free.ok_or_else(|| full("no room for another log"))
    }
}

fn full(why: &'static str) -> Error {
    Error::DiskFull { source: why.into() }
}
