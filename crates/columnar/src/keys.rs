//! Keys and values of a columnar table in the store, besides its rows and index entries.
//!
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
//! A row begins with 01 (`rows::row`), so that the two are never confused.
//!
//! Not here: what is in a segment (`segment`, `column`).

use rows::schema::TableId;
use rows::store::KeyRange;
use rows::table::PREFIX_BYTES;

/// Index numbers that no index has: these are given from 1 on.
pub(crate) const RECENT: u16 = 0xfff0;
pub(crate) const SEGMENTS: u16 = 0xfff1;
pub(crate) const COLUMNS: u16 = 0xfff2;
pub(crate) const DEAD: u16 = 0xfff3;

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

    /// The place that a value of the primary index says; `None` for a row.
    #[inline]
    pub fn of(value: &[u8]) -> Option<Place> {
        let [PLACE_FORM, place @ ..] = value else { return None };
        let (segment, position) = place.split_first_chunk::<4>()?;
        let position = u32::from_le_bytes(position.try_into().ok()?);
        Some(Place { segment: u32::from_le_bytes(*segment), position })
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
pub(crate) fn prefix(table: TableId, kind: u16) -> Vec<u8> {
    let mut key = Vec::with_capacity(PREFIX_BYTES + 10);
    key.extend_from_slice(&table.to_be_bytes());
    key.extend_from_slice(&kind.to_be_bytes());
    key
}

/// All keys of a kind.
pub(crate) fn range(table: TableId, kind: u16) -> KeyRange {
    KeyRange { start: prefix(table, kind), end: prefix(table, kind + 1) }
}

/// All keys of a kind that belong to a segment.
pub(crate) fn segment_range(table: TableId, kind: u16, segment: SegmentId) -> KeyRange {
    let with = |segment: SegmentId| {
        let mut key = prefix(table, kind);
        key.extend_from_slice(&segment.to_be_bytes());
        key
    };
    match segment.checked_add(1) {
        Some(next) => KeyRange { start: with(segment), end: with(next) },
        None => KeyRange { start: with(segment), end: prefix(table, kind + 1) },
    }
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

pub(crate) fn segment(table: TableId, segment: SegmentId) -> Vec<u8> {
    segment_range(table, SEGMENTS, segment).start
}

pub(crate) fn column(table: TableId, segment: SegmentId, slot: u16) -> Vec<u8> {
    let mut key = segment_range(table, COLUMNS, segment).start;
    key.extend_from_slice(&slot.to_be_bytes());
    key
}

pub(crate) fn dead(table: TableId, place: Place) -> Vec<u8> {
    let mut key = segment_range(table, DEAD, place.segment).start;
    key.extend_from_slice(&place.position.to_be_bytes());
    key
}

/// The segment that a key of `SEGMENTS`, `COLUMNS` or `DEAD` names, and what follows.
pub(crate) fn segment_of(key: &[u8]) -> Option<(SegmentId, &[u8])> {
    let (segment, rest) = key.get(PREFIX_BYTES..)?.split_first_chunk::<4>()?;
    Some((SegmentId::from_be_bytes(*segment), rest))
}
