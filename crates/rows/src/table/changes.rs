//! Which rows change while something is made of a table beside those who write to it: a note for
//! each change, in the transaction that makes it.
//!
//! ```text
//! table id u32 | number u16 | version u64, big-endian     primary key parts
//! ```
//! The number is one of an index, burnt for this; the version is one that no other write has.
//! A columnar index has the same for as long as it lives: what it does not know yet. There a byte
//! precedes the version, since the index has keys of other kinds, too.
//! ```text
//! table id u32 | index id u16 | 00 | version u64, big-endian     primary key parts
//! ```
//!
//! Invariants
//! 1. A state of the store shows the note of a change exactly if it shows the change.
//! 2. A key is never used again, so whoever has read a note may remove it without a look.
//!
//! Not here: who wants to know (`state`), what is made of it (`alter::online`).

use super::keys::{PREFIX_BYTES, key_prefix};
use super::ranges::index_range;
use super::version::Table;
use crate::error::{Error, Result};
use crate::schema::{IndexId, TableId};
use crate::store::{Cursor, Direction, Reach, Read};

/// The note of a change: key and value.
pub(super) fn note(
    table: TableId,
    log: IndexId,
    version: u64,
    row_key: &[u8],
) -> (Vec<u8>, Vec<u8>) {
    let mut key = Vec::with_capacity(PREFIX_BYTES + size_of::<u64>());
    key.extend_from_slice(&key_prefix(table, log));
    key.extend_from_slice(&version.to_be_bytes());
    (key, row_key[PREFIX_BYTES..].to_vec())
}

/// What precedes the version in a note for a columnar index.
pub const COLUMN_NOTE: u8 = 0;

/// The note of a change for a columnar index: key and value.
fn column_note(table: TableId, index: IndexId, version: u64, row_key: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut key = Vec::with_capacity(PREFIX_BYTES + 1 + size_of::<u64>());
    key.extend_from_slice(&key_prefix(table, index));
    key.push(COLUMN_NOTE);
    key.extend_from_slice(&version.to_be_bytes());
    (key, row_key[PREFIX_BYTES..].to_vec())
}

impl Table {
    /// The note for the columnar index that a row comes, goes, or changes in some columns, if there
    /// is one that has any of these. Only inside the gate. `version` gives one that no other
    /// write has.
    #[inline]
    pub(crate) fn column_note(
        &self,
        row_key: &[u8],
        changed: Option<&[usize]>,
        version: impl FnOnce() -> u64,
    ) -> Option<(Vec<u8>, Vec<u8>)> {
        let index = self.state.columns_to()?;
        // Of one that is still being made this version of the table does not know the columns.
        if let (Some(changed), Some(columns)) = (changed, self.columns_kept())
            && !changed.iter().any(|column| columns.contains(column))
        {
            return None;
        }
        Some(column_note(self.definition.id, index, version(), row_key))
    }

    /// The note for the change of a row, if anybody wants to know. Only inside the gate. `version`
    /// gives one that no other write has.
    #[inline]
    pub(crate) fn change_note(
        &self,
        row_key: &[u8],
        version: impl FnOnce() -> u64,
    ) -> Option<(Vec<u8>, Vec<u8>)> {
        let log = self.state.changes_to()?;
        Some(note(self.definition.id, log, version(), row_key))
    }
}

/// The notes that a state of the store shows, piece by piece.
pub(crate) struct LoggedRows<'a> {
    cursor: Box<dyn Cursor + 'a>,
    prefix: [u8; PREFIX_BYTES],
}

impl<'a> LoggedRows<'a> {
    /// All notes under a number.
    ///
    /// # Errors
    /// Those of reading.
    pub fn of(view: &'a dyn Read, table: &Table, log: IndexId) -> Result<LoggedRows<'a>> {
        let range = index_range(table.definition.id, log);
        let cursor = view.scan(&range, Direction::Forward, Reach::Disk)?;
        Ok(LoggedRows { cursor, prefix: table.codecs[0].prefix })
    }

    /// The keys of up to so many next notes, and the keys of the rows that they are about, each
    /// once and in order; `false` when there are none.
    ///
    /// # Errors
    /// `Corrupt`; those of reading.
    pub fn next(
        &mut self,
        notes_max: usize,
        notes: &mut Vec<Vec<u8>>,
        row_keys: &mut Vec<Vec<u8>>,
    ) -> Result<bool> {
        notes.clear();
        row_keys.clear();
        while notes.len() < notes_max && self.cursor.advance()? {
            let (note, primary) = self.cursor.entry();
            if primary.is_empty() {
                return Err(Error::Corrupt { key: note.to_vec(), why: "a change of no row" });
            }
            notes.push(note.to_vec());
            row_keys.push([&self.prefix, primary].concat());
        }
        row_keys.sort_unstable();
        row_keys.dedup();
        Ok(!notes.is_empty())
    }
}
