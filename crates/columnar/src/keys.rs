//! Keys and values in the store of a columnar table, besides its rows and index entries, and of a
//! columnar index.
//!
//! A columnar table:
//! ```text
//! table id u32 | FFF0 | key of a row without prefix       a row that is no part of a segment
//! table id u32 | FFF1 | segment u32                       a segment: `Segment`
//! table id u32 | FFF2 | segment u32 | slot u16            a column of it: `Column`
//! table id u32 | FFF3 | segment u32 | position u32        a row of it that is no more
//! ```
//! All numbers are big-endian. Within the range of a table, so that they go with it. Where the
//! primary key's index has a row, it may have a place instead:
//! ```text
//! 02 | segment u32 | position u32                         little-endian
//! ```
//! A row begins with 01 (`values::row`), so that the two are never confused.
//!
//! A columnar index, under its own number:
//! ```text
//! table id u32 | index id | 00 | version u64              a row was changed: its key without prefix
//! table id u32 | index id | 01 | segment u32              a segment: `Segment`
//! table id u32 | index id | 02 | segment u32 | slot u16   a column of it: `Column`
//! table id u32 | index id | 03 | segment u32 | chunk u16  its rows that are no more: `index::dead`
//! table id u32 | index id | 04 | key of a row without prefix    its place: segment u32 | position
//!                                                         u32, little-endian
//! table id u32 | index id | 05                            version below which there are no notes:
//!                                                         `index::settled`
//! table id u32 | index id | 06                            how often rows were moved: `index::note_cache`,
//!                                                         u64, little-endian
//! ```
//!
//! Not here: what is in a segment (`segment`, `column`).

use std::ops::Range;

use rows::schema::{IndexId, TableId};
use rows::store::KeyRange;
use rows::table::PREFIX_BYTES;

/// Index numbers that no index has: these are given from 1 on.
pub(crate) const RECENT: u16 = 0xfff0;
pub(crate) const SEGMENTS: u16 = 0xfff1;
pub(crate) const COLUMNS: u16 = 0xfff2;
pub(crate) const DEAD: u16 = 0xfff3;

/// Kinds of keys that only a columnar index has: by the same numbers as the others, of which it has
/// the last byte.
pub(crate) const NOTES: u16 = 0xfff0;
pub(crate) const PLACES: u16 = 0xfff4;
pub(crate) const SETTLED: u16 = 0xfff5;
pub(crate) const MOVES: u16 = 0xfff6;

/// Whose segments these are: a columnar table's, or a columnar index's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Home {
    pub table: TableId,
    /// None: the table itself.
    pub index: Option<IndexId>,
}

impl From<TableId> for Home {
    fn from(table: TableId) -> Home {
        Home { table, index: None }
    }
}

impl Home {
    /// Bytes of a key before what its kind has in it.
    fn prefix_bytes(self) -> usize {
        PREFIX_BYTES + usize::from(self.index.is_some())
    }
}

/// The tables whose keys a range holds, all of each; `None` for a range of something else.
pub(crate) fn whole_tables(range: &KeyRange) -> Option<Range<TableId>> {
    let id = |bytes: &[u8]| {
        let mut whole = [0; size_of::<TableId>()];
        whole.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(TableId::from_be_bytes(whole))
    };
    if range.start.len() != size_of::<TableId>() {
        return None;
    }
    let end = if range.end.is_empty() { Some(TableId::MAX) } else { id(&range.end) };
    Some(id(&range.start)?..end?)
}

/// Slots that no column has.
pub(crate) const VERSION_SLOT: u16 = 0xffff;
pub(crate) const ROW_ID_SLOT: u16 = 0xfffe;

const PLACE_FORM: u8 = 2;
pub(crate) const PLACE_BYTES: usize = 9;

/// Number of a segment within its table; never used again while the server runs.
pub(crate) type SegmentId = u32;

/// Where a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub segment: SegmentId,
    pub position: u32,
}

impl Place {
    /// As it stands where a row stood.
    pub fn encode(self) -> [u8; PLACE_BYTES] {
        let mut out = [PLACE_FORM; PLACE_BYTES];
        out[1..5].copy_from_slice(&self.segment.to_le_bytes());
        out[5..].copy_from_slice(&self.position.to_le_bytes());
        out
    }

    /// As a columnar index has it.
    pub fn bare(self) -> Vec<u8> {
        self.encode()[1..].to_vec()
    }

    /// The place that a columnar index has.
    pub fn of_bare(value: &[u8]) -> Option<Place> {
        let (segment, position) = value.split_first_chunk::<4>()?;
        let position = u32::from_le_bytes(position.try_into().ok()?);
        Some(Place { segment: u32::from_le_bytes(*segment), position })
    }

    /// The place that a value of the primary index says; `None` for a row.
    #[inline]
    pub fn of(value: &[u8]) -> Option<Place> {
        let [PLACE_FORM, place @ ..] = value else { return None };
        Place::of_bare(place)
    }
}

/// The table whose row has this key; `None` for any other key.
#[inline]
pub(crate) fn table_of_row(key: &[u8]) -> Option<TableId> {
    match key {
        [a, b, c, d, 0, 1, ..] => Some(TableId::from_be_bytes([*a, *b, *c, *d])),
        _ => None,
    }
}

/// What all keys of a kind begin with.
pub(crate) fn prefix(home: impl Into<Home>, kind: u16) -> Vec<u8> {
    let home = home.into();
    let mut key = Vec::with_capacity(PREFIX_BYTES + 11);
    key.extend_from_slice(&home.table.to_be_bytes());
    match home.index {
        None => key.extend_from_slice(&kind.to_be_bytes()),
        Some(index) => {
            key.extend_from_slice(&index.to_be_bytes());
            key.push((kind - NOTES) as u8);
        }
    }
    key
}

/// All keys of a kind.
pub(crate) fn range(home: impl Into<Home>, kind: u16) -> KeyRange {
    let home = home.into();
    KeyRange { start: prefix(home, kind), end: prefix(home, kind + 1) }
}

/// All keys that there are because of segments: of a columnar index all that it has, of a columnar
/// table all but its rows and entries.
pub(crate) fn whole_range(home: Home) -> KeyRange {
    let Some(index) = home.index else {
        return KeyRange { start: prefix(home, RECENT), end: prefix(home, DEAD + 1) };
    };
    let key = |index: IndexId| [&home.table.to_be_bytes()[..], &index.to_be_bytes()].concat();
    KeyRange { start: key(index), end: key(index + 1) }
}

/// All keys of a kind that belong to a segment.
pub(crate) fn segment_range(home: impl Into<Home>, kind: u16, segment: SegmentId) -> KeyRange {
    let home = home.into();
    let with = |segment: SegmentId| {
        let mut key = prefix(home, kind);
        key.extend_from_slice(&segment.to_be_bytes());
        key
    };
    match segment.checked_add(1) {
        Some(next) => KeyRange { start: with(segment), end: with(next) },
        None => KeyRange { start: with(segment), end: prefix(home, kind + 1) },
    }
}

/// The note that a columnar index has of a change with this version.
pub(crate) fn note(home: Home, version: u64) -> Vec<u8> {
    let mut key = prefix(home, NOTES);
    key.extend_from_slice(&version.to_be_bytes());
    key
}

/// The version in a note's key.
pub(crate) fn version_of_note(home: Home, note: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(note.get(home.prefix_bytes()..)?.try_into().ok()?))
}

/// Where it says in which place of a columnar index the row with this key is.
pub(crate) fn place(home: Home, row_key: &[u8]) -> Vec<u8> {
    let mut key = prefix(home, PLACES);
    key.extend_from_slice(&row_key[PREFIX_BYTES..]);
    key
}

/// The note that the row with this key is no part of a segment.
pub(crate) fn recent(table: TableId, row_key: &[u8]) -> Vec<u8> {
    let mut key = prefix(table, RECENT);
    key.extend_from_slice(&row_key[PREFIX_BYTES..]);
    key
}

/// The key of the row that a note of `recent` names.
pub(crate) fn row_of_recent(table: TableId, recent: &[u8]) -> Vec<u8> {
    let mut key = prefix(table, rows::table::PRIMARY);
    key.extend_from_slice(&recent[PREFIX_BYTES..]);
    key
}

pub(crate) fn segment(home: impl Into<Home>, segment: SegmentId) -> Vec<u8> {
    segment_range(home, SEGMENTS, segment).start
}

pub(crate) fn column(home: impl Into<Home>, segment: SegmentId, slot: u16) -> Vec<u8> {
    let mut key = segment_range(home, COLUMNS, segment).start;
    key.extend_from_slice(&slot.to_be_bytes());
    key
}

pub(crate) fn dead(table: TableId, place: Place) -> Vec<u8> {
    let mut key = segment_range(table, DEAD, place.segment).start;
    key.extend_from_slice(&place.position.to_be_bytes());
    key
}

/// The segment that a key of `SEGMENTS`, `COLUMNS` or `DEAD` names, and what follows.
pub(crate) fn segment_of(home: impl Into<Home>, key: &[u8]) -> Option<(SegmentId, &[u8])> {
    let (segment, rest) = key.get(home.into().prefix_bytes()..)?.split_first_chunk::<4>()?;
    Some((SegmentId::from_be_bytes(*segment), rest))
}

/// The dead rows of a piece of a segment of a columnar index.
pub(crate) fn chunk(home: Home, segment: SegmentId, chunk: u16) -> Vec<u8> {
    let mut key = segment_range(home, DEAD, segment).start;
    key.extend_from_slice(&chunk.to_be_bytes());
    key
}

const _: () = assert!(NOTES - 0xfff0 == rows::table::COLUMN_NOTE as u16 && RECENT == NOTES);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_range_names_the_tables_that_it_holds_all_of() {
        let of = |start: &[u8], end: &[u8]| {
            whole_tables(&KeyRange { start: start.to_vec(), end: end.to_vec() })
        };
        assert_eq!(of(&[0, 0, 0, 7], &[0, 0, 0, 8]), Some(7..8));
        assert_eq!(of(&[0, 0, 0, 7], &[0, 0, 1]), Some(7..256));
        assert_eq!(of(&[0, 0, 0, 7], &[]), Some(7..TableId::MAX));
        assert_eq!(of(&[0, 0, 0, 7, 0, 1], &[0, 0, 0, 7, 0, 2]), None, "an index");
    }
}
