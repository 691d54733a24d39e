//! A file of a statement: opened once, read at positions, and the same from beginning to end.
//!
//! Invariants
//! 1. Only the descriptor is read from, never the name again.
//! 2. A file that was written to since it was opened gives an error when a piece of it has been
//!    read (`check_unchanged`): its size or the time of its last write differ. One that another was
//!    renamed over is still there, and unchanged.
//! 3. No more memory is taken for a read than the file has bytes.
//!
//! Not here: who may read it (`files`).

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rustix::buffer::spare_capacity;
use rustix::io::Errno;
use values::ErrorCode;

use results::{Result, SqlError};

/// An opened file.
#[derive(Debug)]
pub(super) struct OpenedFile {
    name: String,
    file: File,
    state: OpenedState,
}

/// What differs when a file is written to.
#[derive(Debug, PartialEq, Eq)]
struct OpenedState {
    bytes: u64,
    modified: (i64, i64),
}

impl OpenedState {
    fn of(file: &File) -> io::Result<OpenedState> {
        let metadata = file.metadata()?;
        Ok(OpenedState {
            bytes: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        })
    }
}

impl OpenedFile {
    /// The file as it is now.
    ///
    /// # Errors
    /// 1024 when the system cannot say how it is.
    pub(super) fn new(name: String, file: File) -> Result<OpenedFile> {
        let state = OpenedState::of(&file).map_err(|error| unread(&name, &error))?;
        Ok(OpenedFile { name, file, state })
    }

    /// As the statement names it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Its size.
    pub(super) fn bytes(&self) -> u64 {
        self.state.bytes
    }

    /// So many bytes from a position on, or fewer where the file ends before.
    ///
    /// # Errors
    /// 1024.
    pub(super) fn read(&self, from: u64, bytes_max: usize) -> Result<Vec<u8>> {
        let left = self.bytes().saturating_sub(from);
        let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(bytes_max);
        let mut bytes = Vec::with_capacity(wanted);
        while bytes.len() < wanted {
            let at = from + bytes.len() as u64;
            match rustix::io::pread(&self.file, spare_capacity(&mut bytes), at) {
                // It became shorter.
                Ok(0) => return Err(self.changed()),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(unread(&self.name, &error.into())),
            }
        }
        // There may be room for more than was asked for.
        bytes.truncate(wanted);
        Ok(bytes)
    }

    /// # Errors
    /// 1024 when the file was written to since it was opened.
    pub(super) fn check_unchanged(&self) -> Result<()> {
        match OpenedState::of(&self.file).map_err(|error| unread(&self.name, &error))? == self.state
        {
            true => Ok(()),
            false => Err(self.changed()),
        }
    }

    fn changed(&self) -> SqlError {
        let message =
            format!("Error reading file '{}': it was changed while it was read", self.name);
        SqlError::new(ErrorCode::ErrorOnRead, message)
    }

    /// What to say of bytes that cannot be what the file should hold.
    pub(super) fn damaged(&self, why: impl std::fmt::Display) -> SqlError {
        SqlError::new(ErrorCode::FileCorrupt, format!("File '{}' is corrupted: {why}", self.name))
    }

    /// Runs what decodes bytes of the file. Decoders are written for files that are right: one that
    /// panics over others has said that the file is none.
    pub(super) fn guarded<T>(&self, decode: impl FnOnce() -> Result<T>) -> Result<T> {
        match catch_unwind(AssertUnwindSafe(decode)) {
            Ok(result) => result,
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
                Err(self.damaged(text.unwrap_or("it cannot be decoded")))
            }
        }
    }
}

fn unread(name: &str, error: &io::Error) -> SqlError {
    SqlError::new(ErrorCode::ErrorOnRead, format!("Error reading file '{name}': {error}"))
}
