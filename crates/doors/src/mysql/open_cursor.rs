//! Cursors: rows of a prepared statement that its client fetches piece by piece, while it sends
//! other commands in between.
//!
//! A statement with a cursor runs to its end when it is executed, as MySQL's materialized cursors
//! do. So its errors come in time, and neither a commit, nor DROP TABLE, nor a snapshot that grows
//! old can disturb the rows. They are kept as the payloads that the client gets:
//!
//! ```text
//! +----------------+---------+----------------+---------+
//! | length, 4 B LE | payload | length, 4 B LE | payload |   first in memory, then in a file
//! +----------------+---------+----------------+---------+
//! ```
//!
//! Invariants
//! 1. What is in memory is drawn from the budget of clients, and is no more than `MEMORY_BYTES` and
//!    one row. Where there is more, or the budget has no room, all is in a temporary file, which
//!    goes with the cursor.
//! 2. Files are written and read only by threads that may wait.
//!
//! Not here: which commands open, read and close a cursor (`execute`).

use std::sync::Arc;

use resources::budget::Share;
use resources::spill::{SpillDirectory, SpillFile};
use results::{ExecutionMode, SqlError};
use rows::Engine;

/// How many bytes of a cursor's rows are in memory at most, but for one row.
const MEMORY_BYTES: usize = 256 * 1024;
/// How many bytes of a file are read at a time, but for a larger row.
const READ_BYTES: u64 = 64 * 1024;
/// Bytes of a row's length.
const LENGTH_BYTES: usize = 4;

/// A statement's rows that wait to be fetched.
pub struct OpenCursor {
    /// While rows are gathered, those that are not in the file; then all rows, or the part of the
    /// file that is being read.
    bytes: Vec<u8>,
    /// Where in them the next row to fetch begins.
    at: usize,
    share: Share,
    /// Whether the budget has no memory for more of them.
    is_short: bool,
    directory: Option<Arc<SpillDirectory>>,
    /// All rows, unless they are in memory.
    file: Option<SpillFile>,
    file_bytes: u64,
    /// How many of these have been read.
    file_read: u64,
}

impl OpenCursor {
    /// A cursor without rows.
    pub fn new(engine: &Engine) -> OpenCursor {
        OpenCursor {
            bytes: Vec::new(),
            at: 0,
            share: engine.budget().kept_share(),
            is_short: false,
            directory: engine.spill().cloned(),
            file: None,
            file_bytes: 0,
            file_read: 0,
        }
    }

    /// Bytes of all rows that were added.
    pub fn row_bytes(&self) -> u64 {
        self.file_bytes + self.bytes.len() as u64
    }

    /// Adds the row whose payload `write` appends.
    ///
    /// # Errors
    /// Those of `write`; `SqlError::ShortOfMemory` where the budget has no room for the row and
    /// there is no file to put others into.
    pub fn add(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), SqlError>,
    ) -> Result<(), SqlError> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&[0; LENGTH_BYTES]);
        write(&mut self.bytes)?;
        let length = (self.bytes.len() - start - LENGTH_BYTES) as u32;
        self.bytes[start..start + LENGTH_BYTES].copy_from_slice(&length.to_le_bytes());
        if self.bytes.capacity() > self.share.bytes() {
            let wanted = self.bytes.capacity();
            match self.share.grow_to(wanted) {
                Ok(()) => {}
                Err(error) if self.directory.is_none() => return Err(error.into()),
                // It is in the file as soon as this thread may wait.
                Err(_) => {
                    self.share.set(wanted);
                    self.is_short = true;
                }
            }
        }
        Ok(())
    }

    /// Whether what is in memory must go to the file before another row is added.
    pub fn wants_room(&self) -> bool {
        self.directory.is_some() && (self.is_short || self.bytes.len() >= MEMORY_BYTES)
    }

    /// Puts what is in memory into the file, if that is due.
    ///
    /// # Errors
    /// `SqlError::WouldWait` where it may not wait for the file; those of the file system.
    pub fn make_room(&mut self, how: ExecutionMode) -> Result<(), SqlError> {
        if self.wants_room() { self.spill(how) } else { Ok(()) }
    }

    /// All rows are there. If some are in a file, the others go there as well, so that many open
    /// cursors of large results hold no memory.
    ///
    /// # Errors
    /// Those of `make_room`.
    pub fn finish(&mut self, how: ExecutionMode) -> Result<(), SqlError> {
        if self.file.is_some() || self.wants_room() {
            return self.spill(how);
        }
        self.bytes.shrink_to_fit();
        self.share.set(self.bytes.capacity());
        Ok(())
    }

    fn spill(&mut self, how: ExecutionMode) -> Result<(), SqlError> {
        let Some(directory) = self.directory.as_ref().filter(|_| !self.bytes.is_empty()) else {
            return Ok(());
        };
        if !how.may_wait {
            return Err(SqlError::WouldWait);
        }
        let file = match &self.file {
            Some(file) => file,
            None => self.file.insert(directory.file("cursor").map_err(rows::Error::from)?),
        };
        file.write_at(&self.bytes, self.file_bytes).map_err(rows::Error::from)?;
        self.file_bytes += self.bytes.len() as u64;
        self.forget();
        self.is_short = false;
        Ok(())
    }

    fn forget(&mut self) {
        self.bytes = Vec::new();
        self.at = 0;
        self.share.set(0);
    }

    /// The payload of the next row; `None` if there is none.
    ///
    /// # Errors
    /// `SqlError::WouldWait` where it may not wait for the file; those of the file system.
    pub fn next(&mut self, how: ExecutionMode) -> Result<Option<&[u8]>, SqlError> {
        while let Some(missing) = self.missing() {
            if !self.read(missing, how)? {
                return Ok(None);
            }
        }
        let start = self.at + LENGTH_BYTES;
        let end = start + self.length().unwrap_or(0);
        self.at = end;
        Ok(Some(&self.bytes[start..end]))
    }

    /// The client has what it wants for now: what was read ahead of a file is forgotten.
    pub fn rest(&mut self) {
        if self.file.is_some() {
            self.file_read -= (self.bytes.len() - self.at) as u64;
            self.forget();
        }
    }

    /// The length of the next row's payload, if it is in memory.
    fn length(&self) -> Option<usize> {
        let length: &[u8; LENGTH_BYTES] = self.bytes.get(self.at..)?.first_chunk()?;
        Some(u32::from_le_bytes(*length) as usize)
    }

    /// How many bytes of the next row are not in memory; `None` if all are.
    fn missing(&self) -> Option<usize> {
        let there = self.bytes.len() - self.at;
        let wanted = LENGTH_BYTES + self.length().unwrap_or(0);
        (there < wanted).then(|| wanted - there)
    }

    /// Reads as many bytes of the file, or more; `false` if there are none.
    fn read(&mut self, missing: usize, how: ExecutionMode) -> Result<bool, SqlError> {
        let left = self.file_bytes - self.file_read;
        let Some(file) = self.file.as_ref().filter(|_| left > 0) else { return Ok(false) };
        if !how.may_wait {
            return Err(SqlError::WouldWait);
        }
        self.bytes.drain(..self.at);
        self.at = 0;
        let there = self.bytes.len();
        let more = READ_BYTES.max(missing as u64).min(left);
        self.bytes.resize(there + more as usize, 0);
        self.share.set(self.bytes.capacity());
        if let Err(error) = file.read_at(&mut self.bytes[there..], self.file_read) {
            self.bytes.truncate(there);
            return Err(rows::Error::from(error).into());
        }
        self.file_read += more;
        Ok(true)
    }
}
