//! Rows that were changed between two states of a table, some at a time: out of sorted notes, and
//! looked up where notes say nothing of them.
//!
//! Invariants
//! 1. Each row comes once, with what it was before its first note and is after its last.
//!
//! Not here: the notes (`table::changes`), what is made of the rows (`follow`).

use std::ops::Range;

use crate::bulk::Merge;
use crate::error::{Error, Result};
use crate::store::{Reach, Read};
use crate::table::rows_of;

/// Rows that are followed at once.
pub(super) const ROWS_MAX: usize = 1024;
/// Bytes of rows that are looked up together, but for those of the last look-up.
const LOOKED_UP_BYTES_MAX: usize = 4 << 20;
/// Rows of the first look-up.
const LOOKED_UP_FIRST: usize = 8;

/// Rows that were changed, in the order of their keys.
#[derive(Default)]
pub(super) struct ChangedRows {
    pub keys: Vec<Vec<u8>>,
    /// What each was before its first note and is after its last, where notes say it.
    pub rows: Vec<NotedRows>,
    /// How many notes are of them.
    pub notes: u64,
    /// The first note of the row after these has been met.
    is_on_next: bool,
}

/// What a row was and is.
pub(super) type NotedRows = (Option<Vec<u8>>, Option<Vec<u8>>);

impl ChangedRows {
    /// The next rows of sorted notes; `false` when there are none.
    ///
    /// # Errors
    /// Those of reading the sorted notes.
    pub fn take(&mut self, merge: &mut Merge<'_>, in_notes: bool) -> Result<bool> {
        self.keys.clear();
        self.rows.clear();
        self.notes = 0;
        while std::mem::take(&mut self.is_on_next) || merge.advance()? {
            let (key, _) = merge.numbered();
            let is_further = self.keys.last().is_some_and(|last| last == key);
            if !is_further {
                if self.keys.len() == ROWS_MAX {
                    self.is_on_next = true;
                    break;
                }
                self.keys.push(key.to_vec());
            }
            self.notes += 1;
            if in_notes {
                let damaged = || Error::Corrupt { key: key.to_vec(), why: "a note says nothing" };
                let (before, after) = rows_of(merge.value()).ok_or_else(damaged)?;
                let after = after.map(<[u8]>::to_vec);
                match self.rows.last_mut().filter(|_| is_further) {
                    Some(row) => row.1 = after,
                    None => self.rows.push((before.map(<[u8]>::to_vec), after)),
                }
            }
        }
        Ok(self.notes > 0)
    }
}

/// Rows of a state of the table, looked up together: those of a columnar table lie in segments, of
/// which many rows cost hardly more than one.
#[derive(Default)]
pub(super) struct LookedUp {
    bytes: Vec<u8>,
    /// Of the first keys, by position; the others are read one by one.
    rows: Vec<Option<Range<usize>>>,
}

impl LookedUp {
    /// Looks up rows, until they have a number of bytes. A store may have all rows of one look-up
    /// in memory, so it is asked for few until it is known how large they are.
    ///
    /// # Errors
    /// Those of looking rows up in the store.
    pub fn read(&mut self, state: &dyn Read, row_keys: &[Vec<u8>]) -> Result<()> {
        let LookedUp { bytes, rows } = self;
        bytes.clear();
        rows.clear();
        let mut count = LOOKED_UP_FIRST;
        while rows.len() < row_keys.len() && bytes.len() < LOOKED_UP_BYTES_MAX {
            let next = &row_keys[rows.len()..row_keys.len().min(rows.len() + count)];
            state.get_many(next, Reach::Disk, &mut |_, row| {
                rows.push(row.map(|row| {
                    let start = bytes.len();
                    bytes.extend_from_slice(row);
                    start..bytes.len()
                }));
                Ok(())
            })?;
            count *= 2;
        }
        Ok(())
    }

    /// The row of the key at a position, which is in `alone` if it was not looked up.
    ///
    /// # Errors
    /// As `read`.
    pub fn row<'b>(
        &'b self,
        state: &dyn Read,
        (at, row_key): (usize, &[u8]),
        alone: &'b mut Vec<u8>,
    ) -> Result<Option<&'b [u8]>> {
        if let Some(known) = self.rows.get(at) {
            return Ok(known.clone().map(|range| &self.bytes[range]));
        }
        let is_there = state.get(row_key, Reach::Disk, alone)?;
        Ok(is_there.then_some(&alone[..]))
    }
}
