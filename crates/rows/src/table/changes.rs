//! Which rows change while something is made of a table while other clients write to it: a note for
//! each change, in the transaction that makes it.
//!
//! ```text
//! table id u32 | number u16 | version u64, big-endian     primary key parts
//!                                                         or
//!                                                         bytes u32 | bytes u32 | row before | row after |
//!                                                         primary key parts: bytes of what precedes the
//!                                                         key parts, and of the row before
//! ```
//! The number is one of an index, burnt for this; the version is one that no other write has. For
//! new indexes of short columns the note says what these columns were and are
//! (`RowLayout::of_some`; no bytes where there was or is no row), so that nobody has to look the
//! row up; and a change of other columns is not noted. Lengths are little-endian.
//!
//! A columnar index has the same for as long as it lives: what it does not know yet. There a byte
//! precedes the version, since the index has keys of other kinds, too; and what the index has of
//! the row goes with it where that is short, so that nobody has to look the row up.
//! ```text
//! table id u32 | index id u16 | 00 | version u64, big-endian     form u8 | key bytes u16, little-endian |
//!                                                                primary key parts | row
//! form 0    no row: it has to be looked up
//! form 1    no row: it is no more
//! form 2    a row of the columns that the index has (`RowLayout::of_some`), with the version of the
//!           table's definition in the place of its own
//! ```
//!
//! Invariants
//! 1. A state of the store shows the note of a change exactly if it shows the change.
//! 2. A key is never used again, so whoever has read a note may remove it without a look.
//! 3. Notes of one row have ascending versions: they are given under the row's lock. So the last
//!    one that a state shows says what the row is in it, and where notes have values, those of one
//!    note begin where those of the one before it end.
//!
//! Not here: who wants to know (`state`), what is made of it (`alter::online`).

use values::datum::Datum;
use values::row::{RowLayout, RowRef};

use super::keys::{PREFIX_BYTES, key_prefix};
use super::ranges::index_range;
use super::version::Table;
use crate::error::{Error, Result};
use crate::schema::IndexId;
use crate::store::{Cursor, Direction, KeyRange, Reach, Read};

/// What precedes the version in a note for a columnar index.
pub const COLUMN_NOTE: u8 = 0;

/// Bytes of texts that a note has in it, at most.
const NOTE_TEXTS_MAX: usize = 128;

const LOOK_UP: u8 = 0;
const GONE: u8 = 1;
const ROW: u8 = 2;

/// What the note of a change for a columnar index says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnNote<'a> {
    /// Parts of the row's key.
    pub primary: &'a [u8],
    /// What became of the row.
    pub row: NotedRow<'a>,
}

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotedRow<'a> {
    /// The note does not say.
    Unknown,
    /// It is no more.
    Gone,
    /// The columns that the index has, to be read by `Table::layout_kept`.
    Columns(&'a [u8]),
}

impl<'a> ColumnNote<'a> {
    /// Reads the value of a note; of one that another version of the table wrote, only whose it is.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn read(table: &Table, value: &'a [u8]) -> Result<ColumnNote<'a>> {
        let damaged = || Error::Corrupt { key: Vec::new(), why: "a note does not decode" };
        let (&[form, low, high], rest) = value.split_first_chunk().ok_or_else(damaged)?;
        let bytes = usize::from(u16::from_le_bytes([low, high]));
        let (primary, row) = rest.split_at_checked(bytes).ok_or_else(damaged)?;
        let row = match (form, table.layout_kept()) {
            (LOOK_UP, _) | (ROW, None) => NotedRow::Unknown,
            (GONE, _) => NotedRow::Gone,
            // By another layout it may look damaged.
            (ROW, Some(layout)) => match RowRef::new(layout, row) {
                Ok(read) if read.version() == table.version => NotedRow::Columns(row),
                _ => NotedRow::Unknown,
            },
            _ => return Err(damaged()),
        };
        match primary.is_empty() {
            true => Err(damaged()),
            false => Ok(ColumnNote { primary, row }),
        }
    }
}

/// What a writer makes of a row.
#[derive(Clone, Copy)]
pub(crate) enum ChangedTo<'a> {
    /// It removes it.
    Nothing,
    /// It writes it, with these values; those of some columns are others than before, or all if it
    /// does not say which.
    Row(&'a [Datum<'a>], Option<&'a [usize]>),
}

impl Table {
    /// The note for the columnar index that a row comes, goes, or changes in some columns, if there
    /// is one that has any of these: key and value. Only inside the gate. `version` gives one that
    /// no other write has.
    #[inline]
    pub(crate) fn column_note(
        &self,
        row_key: &[u8],
        changed: ChangedTo<'_>,
        version: impl FnOnce() -> u64,
    ) -> Option<(Vec<u8>, Vec<u8>)> {
        let index = self.state.columns_to()?;
        // Of one that is still being made this version of the table does not know the columns.
        if let (ChangedTo::Row(_, Some(changed)), Some(columns)) = (changed, self.columns_kept())
            && !changed.iter().any(|column| columns.contains(column))
        {
            return None;
        }
        let mut key = Vec::with_capacity(PREFIX_BYTES + 1 + size_of::<u64>());
        key.extend_from_slice(&key_prefix(self.definition.id, index));
        key.push(COLUMN_NOTE);
        key.extend_from_slice(&version().to_be_bytes());
        Some((key, self.note_of(&row_key[PREFIX_BYTES..], changed)))
    }

    /// Whether a view shows notes of rows that are no more. A row that comes in the place of such a
    /// one has to be noted, too: it would not be seen behind the note.
    ///
    /// # Errors
    /// Those of reading.
    pub(crate) fn has_removals_noted(&self, view: &dyn Read) -> Result<bool> {
        let Some(index) = &self.columnar_index else { return Ok(false) };
        let notes = |kind| [&key_prefix(self.definition.id, index.id)[..], &[kind]].concat();
        let range = KeyRange { start: notes(COLUMN_NOTE), end: notes(COLUMN_NOTE + 1) };
        let mut cursor = view.scan(&range, Direction::Forward, Reach::Disk)?;
        while cursor.advance()? {
            if cursor.value().first() == Some(&GONE) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The value of a note.
    fn note_of(&self, primary: &[u8], changed: ChangedTo<'_>) -> Vec<u8> {
        let (form, row) = match (changed, self.layout_kept()) {
            (ChangedTo::Nothing, _) => (GONE, None),
            (ChangedTo::Row(row, _), Some(layout))
                if layout.variable_bytes(row) <= NOTE_TEXTS_MAX =>
            {
                (ROW, Some((layout, row)))
            }
            _ => (LOOK_UP, None),
        };
        let mut value = Vec::with_capacity(3 + primary.len());
        value.push(form);
        value.extend_from_slice(&(primary.len() as u16).to_le_bytes());
        value.extend_from_slice(primary);
        if let Some((layout, row)) = row {
            layout.encode(row, self.version, &mut value);
        }
        value
    }

    /// The note for the change of a row, which had these values before if it was there, if anybody
    /// wants to know: key and value. Only inside the gate. `version` gives one that no other write
    /// has.
    #[inline]
    pub(crate) fn change_note(
        &self,
        row_key: &[u8],
        before: Option<&[Datum<'_>]>,
        changed: ChangedTo<'_>,
        version: impl FnOnce() -> u64,
    ) -> Option<(Vec<u8>, Vec<u8>)> {
        let log = self.state.changes_to()?;
        let noted = self.state.noted_columns();
        if let (Some(noted), ChangedTo::Row(_, Some(columns))) = (&noted, changed)
            && !columns.iter().any(|column| noted.positions.contains(column))
        {
            return None;
        }
        let mut key = Vec::with_capacity(PREFIX_BYTES + size_of::<u64>());
        key.extend_from_slice(&key_prefix(self.definition.id, log));
        key.extend_from_slice(&version().to_be_bytes());
        let mut value = Vec::new();
        if let Some(layout) = noted.as_ref().and_then(|noted| noted.layout.as_ref()) {
            let after = match changed {
                ChangedTo::Nothing => None,
                ChangedTo::Row(row, _) => Some(row),
            };
            push_rows(layout, before, after, &mut value);
        }
        value.extend_from_slice(&row_key[PREFIX_BYTES..]);
        Some((key, value))
    }
}

/// Appends what a note has of a row before its primary key parts.
fn push_rows(
    layout: &RowLayout,
    before: Option<&[Datum<'_>]>,
    after: Option<&[Datum<'_>]>,
    out: &mut Vec<u8>,
) {
    let lengths = out.len();
    out.resize(lengths + 8, 0);
    let start = out.len();
    if let Some(row) = before {
        layout.encode(row, 0, out);
    }
    let before_bytes = out.len() - start;
    if let Some(row) = after {
        layout.encode(row, 0, out);
    }
    let all = (out.len() - lengths - 4) as u32;
    out[lengths..][..4].copy_from_slice(&all.to_le_bytes());
    out[lengths + 4..][..4].copy_from_slice(&(before_bytes as u32).to_le_bytes());
}

/// A note, as whoever made it known that changes are to be noted reads it.
pub(crate) struct LoggedChange<'a> {
    /// Its key.
    pub note: &'a [u8],
    /// A greater one than that of earlier notes of the row.
    pub version: u64,
    /// The row's primary key parts.
    pub primary: &'a [u8],
    /// What else there is: what `rows_of` reads, or nothing.
    pub rows: &'a [u8],
}

/// What the noted columns of a row were and are, in what a note has of it; none where there was or
/// is no row.
pub(crate) fn rows_of(rows: &[u8]) -> Option<(Option<&[u8]>, Option<&[u8]>)> {
    let (bytes, rest) = rows.split_first_chunk()?;
    let (before, after) = rest.split_at_checked(u32::from_le_bytes(*bytes) as usize)?;
    let row = |bytes: &'_ [u8]| !bytes.is_empty();
    Some((Some(before).filter(|bytes| row(bytes)), Some(after).filter(|bytes| row(bytes))))
}

/// The notes that a state of the store shows.
pub(crate) struct Log<'a> {
    cursor: Box<dyn Cursor + 'a>,
    has_values: bool,
}

impl<'a> Log<'a> {
    /// All notes under a number with a version from `from` on, which have values or not.
    ///
    /// # Errors
    /// Those of reading.
    pub fn of(
        view: &'a dyn Read,
        table: &Table,
        log: IndexId,
        has_values: bool,
        from: u64,
    ) -> Result<Log<'a>> {
        let mut range = index_range(table.definition.id, log);
        range.start.extend_from_slice(&from.to_be_bytes());
        let cursor = view.scan(&range, Direction::Forward, Reach::Disk)?;
        Ok(Log { cursor, has_values })
    }

    /// The next note.
    ///
    /// # Errors
    /// `Corrupt`; those of reading.
    pub fn next(&mut self) -> Result<Option<LoggedChange<'_>>> {
        if !self.cursor.advance()? {
            return Ok(None);
        }
        let (note, value) = self.cursor.entry();
        let damaged = || Error::Corrupt { key: note.to_vec(), why: "a note does not decode" };
        let version = note.get(PREFIX_BYTES..).and_then(|bytes| bytes.try_into().ok());
        let version = u64::from_be_bytes(version.ok_or_else(damaged)?);
        let (rows, primary) = match self.has_values {
            true => value.split_first_chunk().and_then(|(bytes, rest)| {
                rest.split_at_checked(u32::from_le_bytes(*bytes) as usize)
            }),
            false => Some((&[][..], value)),
        }
        .filter(|(_, primary)| !primary.is_empty())
        .ok_or_else(damaged)?;
        Ok(Some(LoggedChange { note, version, primary, rows }))
    }
}
