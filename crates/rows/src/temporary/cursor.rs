//! A scan of one state of a temporary table.
//!
//! Invariants
//! 1. It holds the state that it began with, and at most `CHUNK_BYTES` and one entry of copies.

use std::collections::VecDeque;
use std::sync::Arc;

use super::rows_of_table::RowsOfTable;
use crate::error::{Error, Result, Wait};
use crate::store::{Cursor, Direction, KeyRange, Reach};

/// Entries of the first chunk; each is twice as large as the one before.
const CHUNK_MIN: usize = 8;
const CHUNK_MAX: usize = 1024;
/// Bytes after which a chunk is full.
const CHUNK_BYTES: usize = 256 << 10;

/// The cursor.
pub(super) struct TemporaryCursor {
    state: Arc<RowsOfTable>,
    direction: Direction,
    reach: Reach,
    /// What is not read yet; `None`: nothing.
    rest: Option<KeyRange>,
    chunk: VecDeque<(Vec<u8>, Vec<u8>)>,
    chunk_size: usize,
    current: (Vec<u8>, Vec<u8>),
}

impl TemporaryCursor {
    pub fn new(
        state: Arc<RowsOfTable>,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> TemporaryCursor {
        let rest = (!range.is_empty()).then(|| range.clone());
        let (chunk, current) = Default::default();
        TemporaryCursor { state, direction, reach, rest, chunk, chunk_size: CHUNK_MIN, current }
    }

    fn fill(&mut self) -> Result<()> {
        let Some(rest) = self.rest.take() else { return Ok(()) };
        if self.reach == Reach::Memory && self.state.has_files() {
            return Err(Error::WouldWait(Wait::Disk));
        }
        let (mut writes, mut bytes) = (self.state.writes(&rest, self.direction), 0);
        let mut last = Vec::new();
        let mut is_full = false;
        while !is_full && writes.advance()? {
            last.clear();
            last.extend_from_slice(writes.key());
            if let Some(value) = writes.write().value() {
                bytes += last.len() + value.len();
                self.chunk.push_back((last.clone(), value.to_vec()));
                is_full = self.chunk.len() >= self.chunk_size || bytes >= CHUNK_BYTES;
            }
        }
        if is_full {
            self.chunk_size = (2 * self.chunk_size).min(CHUNK_MAX);
            self.rest = match self.direction {
                Direction::Forward => {
                    last.push(0);
                    Some(KeyRange { start: last, end: rest.end })
                }
                Direction::Backward => Some(KeyRange { start: rest.start, end: last }),
            };
            self.rest = self.rest.take().filter(|rest| !rest.is_empty());
        }
        Ok(())
    }
}

impl Cursor for TemporaryCursor {
    fn advance(&mut self) -> Result<bool> {
        if self.chunk.is_empty() {
            self.fill()?;
        }
        match self.chunk.pop_front() {
            None => Ok(false),
            Some(entry) => {
                self.current = entry;
                Ok(true)
            }
        }
    }

    fn key(&self) -> &[u8] {
        &self.current.0
    }

    fn value(&self) -> &[u8] {
        &self.current.1
    }
}
