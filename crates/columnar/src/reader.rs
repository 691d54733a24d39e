//! Rows of columnar tables, whether they are rows in the store or places in a segment.
//!
//! Invariants
//! 1. Rows and columns are read from one state, so a place always has its segment; where the latest
//!    state is read piece by piece, a row that moved meanwhile is read again.
//! 2. A row read from a segment has the bytes that it would have if it were written now, by the
//!    table's version in use, and the version it was given.
//!
//! Not here: many rows at once by column (`scan`).

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use rows::error::{Error, Result, Wait};
use rows::schema::TableId;
use rows::store::{Cursor, Reach, Read};
use rows::table::Table;
use values::Datum;

use crate::build::OWN_NUMBER;
use crate::cache::{Cache, Item};
use crate::column::{Column, source_of};
use crate::keys::{self, Home, Place, ROW_ID_SLOT, SegmentId, VERSION_SLOT};
use crate::segment::Segment;
use crate::state::Live;
use crate::tables::Tables;

/// How often a row is looked for that moves each time.
const TRIES: usize = 8;
/// Segments that are kept open, whose columns may be too large for the cache: rows in the order of
/// their keys mostly go from one segment to the next, but those that came late.
const OPEN_MAX: usize = 4;

/// What all readers of a store share.
pub(crate) struct Columns {
    pub tables: Tables,
    pub cache: Cache,
    /// What rows were read from one by one, by whomever.
    opened: Mutex<OpenSegments>,
    /// Bytes of rows that make a segment full.
    pub segment_bytes: usize,
}

impl Columns {
    pub fn new(cache: Cache, segment_bytes: usize) -> Columns {
        let (tables, opened) = (Tables::default(), Mutex::default());
        Columns { tables, cache, opened, segment_bytes }
    }
}

/// Columns of one state of the store.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub columns: &'a Columns,
    pub inner: &'a dyn Read,
}

/// A segment whose columns are at hand, for rows to be read from.
pub(crate) struct Open {
    id: (TableId, SegmentId),
    table: Arc<Table>,
    rows: u32,
    /// By position in the table; none: the segment is older than the column.
    columns: Vec<Option<Arc<Column>>>,
    version: Arc<Column>,
    /// Of a table without a primary key.
    row_ids: Option<Arc<Column>>,
}

impl Open {
    /// Appends the key of a row.
    ///
    /// # Errors
    /// `Corrupt` when a column does not decode; what stands in `out` behind its old end is of no
    /// use then.
    pub fn push_key(&self, position: u32, out: &mut Vec<u8>) -> Result<()> {
        let row = position as usize;
        if let Some(ids) = &self.row_ids {
            return self.table.push_row_key(&[ids.datum(&OWN_NUMBER, row)?], out);
        }
        let parts = self.table.codecs[0].parts.iter();
        let values = parts.map(|part| self.datum(part.column, row)).collect::<Result<Vec<_>>>()?;
        self.table.push_row_key(&values, out)
    }

    fn datum(&self, at: usize, row: usize) -> Result<Datum<'_>> {
        match &self.columns[at] {
            Some(stored) => stored.datum(&self.table.columns[at].ty, row),
            None => Ok(self.table.layout.absent(at)),
        }
    }

    /// Appends the bytes of a row.
    ///
    /// # Errors
    /// `Corrupt` when the segment has no such position, or a column does not decode. Nothing is
    /// appended then.
    pub fn push_row(&self, position: u32, out: &mut Vec<u8>) -> Result<()> {
        let row = position as usize;
        if position >= self.rows {
            return Err(damaged("a place is behind the end of its segment"));
        }
        let datums = (0..self.columns.len()).map(|at| self.datum(at, row));
        let datums = datums.collect::<Result<Vec<_>>>()?;
        let version = match self.version.datum(&OWN_NUMBER, row)? {
            Datum::UInt(version) => version,
            _ => return Err(damaged("a row of a segment has no version")),
        };
        self.table.layout.encode(&datums, version, out);
        Ok(())
    }
}

/// Segments that were opened last, the latest first.
#[derive(Default)]
struct OpenSegments(VecDeque<Arc<Open>>);

impl OpenSegments {
    /// As `Reader::open`.
    fn get(
        &mut self,
        reader: Reader<'_>,
        id: (TableId, SegmentId),
        reach: Reach,
    ) -> Result<Option<&Open>> {
        if let Some(at) = self.0.iter().position(|open| open.id == id) {
            return Ok(self.0.get(at).map(|open| &**open));
        }
        let Some(open) = reader.open(id.0, id.1, reach)? else { return Ok(None) };
        self.put(Arc::new(open));
        Ok(self.0.front().map(|open| &**open))
    }

    fn put(&mut self, open: Arc<Open>) {
        self.0.truncate(OPEN_MAX - 1);
        self.0.push_front(open);
    }
}

impl<'a> Reader<'a> {
    /// What is known of a segment; `None` when there is none of this number.
    ///
    /// # Errors
    /// `WouldWait` when it is not in memory and `reach` does not go to the disk, `Corrupt` when it
    /// does not decode, and those of reading the store.
    pub fn segment(
        &self,
        home: impl Into<Home>,
        id: SegmentId,
        reach: Reach,
    ) -> Result<Option<Arc<Segment>>> {
        let home = home.into();
        if let Some(Item::Segment(segment)) = self.columns.cache.get((home, id, None)) {
            return Ok(Some(segment));
        }
        let mut stored = Vec::new();
        if !self.inner.get(&keys::segment(home, id), reach, &mut stored)? {
            return Ok(None);
        }
        let segment = Arc::new(Segment::decode(&stored)?);
        // What is not all sealed yet is not known for long.
        if segment.sealed == segment.rows {
            self.columns.cache.keep((home, id, None), Item::Segment(Arc::clone(&segment)));
        }
        Ok(Some(segment))
    }

    /// A column of a segment; `None` when the segment is older than the column, or gone.
    ///
    /// # Errors
    /// As `segment`.
    pub fn column(
        &self,
        home: impl Into<Home>,
        id: SegmentId,
        slot: u16,
        rows: u32,
        reach: Reach,
    ) -> Result<Option<Arc<Column>>> {
        self.column_as((home.into(), id, slot), rows, reach, false)
    }

    /// The same; `is_source`: for another one that follows from it.
    fn column_as(
        &self,
        (home, id, slot): (Home, SegmentId, u16),
        rows: u32,
        reach: Reach,
        is_source: bool,
    ) -> Result<Option<Arc<Column>>> {
        let name = (home, id, Some(slot));
        if let Some(Item::Column(column)) = self.columns.cache.get(name) {
            return Ok(Some(column));
        }
        if reach == Reach::Memory {
            return Err(Error::WouldWait(Wait::Disk));
        }
        let key = keys::column(home, id, slot);
        let mut stored = Vec::new();
        if !self.inner.get(&key, reach, &mut stored)? {
            return Ok(None);
        }
        let source = match source_of(&stored) {
            // What is followed stands by itself: so this goes no deeper.
            Some(source) if !is_source => {
                let source = self.column_as((home, id, source), rows, reach, true)?;
                // A segment that goes, goes wholly.
                let Some(source) = source else { return Ok(None) };
                Some(source)
            }
            _ => None,
        };
        let column = Column::decode(&stored, rows as usize, source.as_deref());
        let column = Arc::new(column.map_err(|error| error.at(&key))?);
        self.columns.cache.keep(name, Item::Column(Arc::clone(&column)));
        Ok(Some(column))
    }

    /// A column that a segment must have.
    ///
    /// # Errors
    /// `Corrupt` when the segment lacks it, and those of `column`.
    pub fn stored_column(
        &self,
        home: impl Into<Home>,
        live: &Live,
        slot: u16,
    ) -> Result<Arc<Column>> {
        let home = home.into();
        let column = self.column(home, live.id, slot, live.segment.rows, Reach::Disk)?;
        let key = || keys::column(home, live.id, slot);
        column.ok_or_else(|| Error::Corrupt { key: key(), why: "a column is missing" })
    }

    /// A segment with all columns of its table; `None` when there is none of this number.
    ///
    /// # Errors
    /// As `segment`, of the segment and each of its columns.
    pub fn open(&self, table: TableId, id: SegmentId, reach: Reach) -> Result<Option<Open>> {
        let Some(known) = self.columns.tables.get(table) else { return Ok(None) };
        let Some(segment) = self.segment(table, id, reach)? else { return Ok(None) };
        let table = known.table();
        let mut columns = Vec::with_capacity(table.columns.len());
        for column in &table.columns {
            let is_there = segment.column(column.slot).is_some();
            let stored = match is_there {
                true => self.column(table.id, id, column.slot, segment.rows, reach)?,
                false => None,
            };
            if is_there && stored.is_none() {
                return Ok(None);
            }
            columns.push(stored);
        }
        let version = self.column(table.id, id, VERSION_SLOT, segment.rows, reach)?;
        let Some(version) = version else { return Ok(None) };
        let row_ids = match table.has_hidden_key() {
            true => match self.column(table.id, id, ROW_ID_SLOT, segment.rows, reach)? {
                None => return Ok(None),
                ids => ids,
            },
            false => None,
        };
        Ok(Some(Open { id: (table.id, id), table, rows: segment.rows, columns, version, row_ids }))
    }

    /// A segment that was opened by whomever, or is now. Its content never changes, but the table's
    /// version may.
    fn open_for_all(&self, id: (TableId, SegmentId), reach: Reach) -> Result<Option<Arc<Open>>> {
        let Some(known) = self.columns.tables.get(id.0) else { return Ok(None) };
        let table = known.table();
        let is_it = |open: &&Arc<Open>| open.id == id && Arc::ptr_eq(&open.table, &table);
        if let Some(open) = self.columns.opened.lock().0.iter().find(is_it) {
            return Ok(Some(Arc::clone(open)));
        }
        let Some(open) = self.open(id.0, id.1, reach)? else { return Ok(None) };
        let open = Arc::new(open);
        self.columns.opened.lock().put(Arc::clone(&open));
        Ok(Some(open))
    }

    /// As `Read::get`, with the row in the place of where it is.
    ///
    /// # Errors
    /// Those of the store's own `get` and of opening a segment, and `Corrupt` when a row's place
    /// stays without a segment however often it is looked up.
    pub fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        for _ in 0..TRIES {
            if !self.inner.get(key, reach, value)? {
                return Ok(false);
            }
            let Some((table, place)) = place_at(key, value) else { return Ok(true) };
            if let Some(open) = self.open_for_all((table, place.segment), reach)? {
                value.clear();
                open.push_row(place.position, value)?;
                return Ok(true);
            }
        }
        Err(Error::Corrupt { key: key.to_vec(), why: "a row has a place in no segment" })
    }

    /// As `Read::get_many`, with rows in the place of where they are.
    ///
    /// # Errors
    /// Those of `get` and of `each`; keys behind the one that failed are not looked up.
    pub fn get_many(
        &self,
        keys: &[Vec<u8>],
        reach: Reach,
        each: &mut dyn FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        if self.columns.tables.is_empty() {
            return self.inner.get_many(keys, reach, each);
        }
        let (mut opened, mut row) = (OpenSegments::default(), Vec::new());
        self.inner.get_many(keys, reach, &mut |at, value| {
            let placed = value.and_then(|value| place_at(&keys[at], value));
            let Some((table, place)) = placed else { return each(at, value) };
            row.clear();
            let is_there = match opened.get(*self, (table, place.segment), reach)? {
                Some(open) => open.push_row(place.position, &mut row).map(|()| true)?,
                // It has moved.
                None => self.get(&keys[at], reach, &mut row)?,
            };
            each(at, is_there.then_some(&row[..]))
        })
    }
}

/// The place that an entry has instead of a row.
#[inline]
pub(crate) fn place_at(key: &[u8], value: &[u8]) -> Option<(TableId, Place)> {
    let place = Place::of(value)?;
    Some((keys::table_of_row(key)?, place))
}

/// A scan of rows, some of which are places.
pub(crate) struct RowCursor<'a> {
    inner: Box<dyn Cursor + 'a>,
    columns: &'a Columns,
    /// What columns are read from: the state that is scanned.
    view: View<'a>,
    reach: Reach,
    opened: OpenSegments,
    row: Vec<u8>,
    /// Whether the current row is in `row`.
    is_placed: bool,
}

/// A state of the store, borrowed or of one's own.
pub(crate) enum View<'a> {
    Borrowed(&'a dyn Read),
    Own(Arc<dyn Read>),
}

impl<'a> RowCursor<'a> {
    pub fn new(
        inner: Box<dyn Cursor + 'a>,
        columns: &'a Columns,
        view: View<'a>,
        reach: Reach,
    ) -> RowCursor<'a> {
        let (opened, row, is_placed) = (OpenSegments::default(), Vec::new(), false);
        RowCursor { inner, columns, view, reach, opened, row, is_placed }
    }
}

impl Cursor for RowCursor<'_> {
    fn advance(&mut self) -> Result<bool> {
        self.is_placed = false;
        if !self.inner.advance()? {
            return Ok(false);
        }
        let (key, value) = self.inner.entry();
        let Some((table, place)) = place_at(key, value) else { return Ok(true) };
        let inner = match &self.view {
            View::Borrowed(view) => *view,
            View::Own(view) => &**view,
        };
        let reader = Reader { columns: self.columns, inner };
        let open = self.opened.get(reader, (table, place.segment), self.reach)?;
        let gone = || Error::Corrupt { key: key.to_vec(), why: "a row has a place in no segment" };
        self.row.clear();
        open.ok_or_else(gone)?.push_row(place.position, &mut self.row)?;
        self.is_placed = true;
        Ok(true)
    }

    fn key(&self) -> &[u8] {
        self.inner.key()
    }

    fn value(&self) -> &[u8] {
        if self.is_placed { &self.row } else { self.inner.value() }
    }

    fn entry(&self) -> (&[u8], &[u8]) {
        if self.is_placed { (self.inner.key(), &self.row) } else { self.inner.entry() }
    }
}

fn damaged(why: &'static str) -> Error {
    Error::Corrupt { key: Vec::new(), why }
}
