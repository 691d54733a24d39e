//! Loads into columnar tables, and into tables with a columnar index: rows on their way into files
//! of the store become segments at once. In a columnar table places take the rows' own place; a
//! columnar index has them next to the rows.
//!
//! Invariants
//! 1. Rows, segments and columns become part of the store together, or not at all.
//! 2. All rows of a segment have the version that the first of them was given: what is loaded was
//!    never seen before, and the versions that follow are larger.
//!
//! Not here: how columns get into files (`writer`), rows that are written one by one (`store`,
//! `mover`).

use std::sync::Arc;

use parking_lot::Mutex;
use rows::error::Result;
use rows::ingestion::{BlockCursor, Ingestion, RowBlock};
use rows::schema::TableId;
use rows::store::{Cursor, Read};
use values::row::RowRef;

use crate::build::{ROWS_MAX, SegmentBuilder};
use crate::keys::{self, PLACE_BYTES, Place, SegmentId};
use crate::reader::Columns;
use crate::segment::Segment;
use crate::tables::KnownTable;
use crate::writer::{KeyValue, Ready, SegmentWriter, Segments};

pub(crate) use fill::IndexFill;

mod fill;

/// Places beside rows that are written into one file.
const PLACES_MAX: usize = 1 << 16;

/// An ingestion that makes segments of rows of columnar tables, and for columnar indexes.
pub(crate) struct Sealing {
    inner: Box<dyn Ingestion>,
    columns: Arc<Columns>,
    store: Box<dyn Read>,
    /// Segments that were made, to be listed at the end.
    made: Mutex<Vec<(Arc<KnownTable>, SegmentId, Segment)>>,
}

impl Sealing {
    pub fn new(inner: Box<dyn Ingestion>, columns: &Arc<Columns>, store: Box<dyn Read>) -> Sealing {
        Sealing { inner, columns: Arc::clone(columns), store, made: Mutex::default() }
    }

    /// Makes segments of equal size of rows that follow each other; gives the first one's number,
    /// and how many rows it and the others have.
    fn seal(&self, known: &Arc<KnownTable>, blocks: &[RowBlock]) -> Result<(SegmentId, u32)> {
        known.load_next_segment(&*self.store)?;
        let table = known.table();
        let bytes: usize = blocks.iter().map(|block| block.row_bytes(0..block.len())).sum();
        let rows: usize = blocks.iter().map(RowBlock::len).sum();
        let by_bytes = (bytes + self.columns.segment_bytes / 2) / self.columns.segment_bytes;
        let count = by_bytes.max(rows.div_ceil(ROWS_MAX as usize)).max(1);
        let each = rows.div_ceil(count);
        let first = known.take_segments(count as SegmentId);
        let mut builder = SegmentBuilder::new(&table, usize::MAX)?;
        let (mut id, mut version) = (first, 0);
        let mut columns = Vec::new();
        let mut end = |builder: &mut SegmentBuilder, id: SegmentId| {
            let built = builder.finish()?;
            self.made.lock().push((Arc::clone(known), id, built.segment.clone()));
            columns.extend(built.into_entries(table.id, id));
            Ok::<_, rows::Error>(())
        };
        for block in blocks {
            let mut next = 0;
            while next < block.len() {
                let until = block.len().min(next + each - builder.rows() as usize);
                if builder.rows() == 0 {
                    version = RowRef::new(&table.layout, block.row(next))?.version();
                }
                builder.add_rows(block, next..until, version)?;
                next = until;
                if builder.rows() as usize == each {
                    end(&mut builder, id)?;
                    id += 1;
                }
            }
        }
        if builder.rows() > 0 {
            end(&mut builder, id)?;
        }
        self.inner.add(&mut Ready::new(columns))?;
        Ok((first, each as u32))
    }
}

impl Ingestion for Sealing {
    fn add(&self, entries: &mut dyn Cursor) -> Result<u64> {
        let mut rows =
            Rows { of: self, entries, making: None, place: None, known: None, failed: false };
        let count = self.inner.add(&mut rows)?;
        Ok(count)
    }

    fn add_rows(&self, blocks: &[RowBlock]) -> Result<u64> {
        let Some(first) = blocks.iter().find(|block| !block.is_empty()) else { return Ok(0) };
        let id = first.table().id;
        let Some(known) = self.columns.tables.get(id) else {
            return match self.columns.tables.index_of(id) {
                None => self.inner.add_rows(blocks),
                Some(_) => self.add(&mut BlockCursor::new(blocks)),
            };
        };
        let (segment, rows) = self.seal(&known, blocks)?;
        self.inner.add(&mut IngestPlaces {
            blocks,
            next: 0,
            count: 0,
            segment,
            rows,
            key: Vec::new(),
            place: [0; PLACE_BYTES],
        })
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let Sealing { inner, columns, made, .. } = *self;
        let mut made = made.into_inner();
        made.sort_by_key(|(known, id, _)| (known.home, *id));
        let listed = made
            .iter()
            .map(|(known, id, segment)| (keys::segment(known.home, *id), segment.encode()));
        let listed: Vec<KeyValue> = listed.collect();
        if !listed.is_empty() {
            inner.add(&mut Ready::new(listed))?;
        }
        let mut changing = Vec::new();
        made.dedup_by_key(|(known, _, _)| known.home);
        changing.extend(made.iter().map(|(known, _, _)| columns.tables.change(known)));
        inner.finish()
    }
}

/// Entries of a call, with places where rows of a columnar table were.
struct Rows<'r> {
    of: &'r Sealing,
    entries: &'r mut dyn Cursor,
    making: Option<OpenTable>,
    /// The current row's.
    place: Option<[u8; PLACE_BYTES]>,
    /// The table asked for last.
    known: Option<(TableId, Option<Arc<KnownTable>>)>,
    failed: bool,
}

/// Segments of one table in the making.
struct OpenTable {
    known: Arc<KnownTable>,
    writer: SegmentWriter,
    /// Places that a columnar index has, to be written.
    places: Vec<KeyValue>,
}

/// A table for which a load makes segments.
struct MadeOf<'a> {
    of: &'a Sealing,
    known: &'a Arc<KnownTable>,
}

impl Segments for MadeOf<'_> {
    fn take(&self, count: u32) -> SegmentId {
        self.known.take_segments(count)
    }

    fn made(&self, id: SegmentId, segment: Segment) {
        self.of.made.lock().push((Arc::clone(self.known), id, segment));
    }
}

impl Rows<'_> {
    fn known(&mut self, table: TableId) -> Option<Arc<KnownTable>> {
        if self.known.as_ref().is_none_or(|(known, _)| *known != table) {
            let tables = &self.of.columns.tables;
            self.known = Some((table, tables.get(table).or_else(|| tables.index_of(table))));
        }
        self.known.as_ref().and_then(|(_, known)| known.clone())
    }

    /// Adds the current entry's row to a segment, if it is that of a table that has some.
    fn place(&mut self) -> Result<()> {
        self.place = None;
        let table = keys::table_of_row(self.entries.key());
        let Some(known) = table.and_then(|table| self.known(table)) else { return Ok(()) };
        if self.making.as_ref().is_some_and(|making| making.known.id != known.id) {
            self.end()?;
        }
        if self.making.is_none() {
            known.load_next_segment(&*self.of.store)?;
            let (table, segment_bytes) = (known.table(), self.of.columns.segment_bytes);
            let builder = match known.home.index {
                None => SegmentBuilder::new(&table, segment_bytes)?,
                Some(_) => SegmentBuilder::of_index(&table, segment_bytes)?,
            };
            let writer = SegmentWriter::new(known.home, builder, segment_bytes);
            self.making = Some(OpenTable { known, writer, places: Vec::new() });
        }
        let Some(OpenTable { known, writer, places }) = &mut self.making else { return Ok(()) };
        let (key, row) = self.entries.entry();
        let segments = MadeOf { of: self.of, known };
        let place = writer.add((key, row), &segments, &*self.of.inner)?;
        if known.home.index.is_none() {
            self.place = Some(place.encode());
            return Ok(());
        }
        places.push((keys::place(known.home, key), place.bare()));
        if places.len() == PLACES_MAX {
            self.of.inner.add(&mut Ready::new(std::mem::take(places)))?;
        }
        Ok(())
    }

    /// Ends the segments of a table.
    fn end(&mut self) -> Result<()> {
        let Some(OpenTable { known, mut writer, places }) = self.making.take() else {
            return Ok(());
        };
        if !places.is_empty() {
            self.of.inner.add(&mut Ready::new(places))?;
        }
        writer.finish(&MadeOf { of: self.of, known: &known }, &*self.of.inner)
    }
}

impl Cursor for Rows<'_> {
    fn advance(&mut self) -> Result<bool> {
        debug_assert!(!self.failed, "nothing is asked of it after an error");
        let advanced = self.entries.advance().and_then(|more| {
            match more {
                true => self.place()?,
                false => self.end()?,
            }
            Ok(more)
        });
        self.failed = advanced.is_err();
        advanced
    }

    fn key(&self) -> &[u8] {
        self.entries.key()
    }

    fn value(&self) -> &[u8] {
        self.place.as_ref().map_or_else(|| self.entries.value(), |place| &place[..])
    }
}

/// The places of rows that follow each other, in segments of equal size.
struct IngestPlaces<'a> {
    blocks: &'a [RowBlock],
    /// The next row of the first block.
    next: usize,
    /// Rows that were passed.
    count: u32,
    /// The first segment, and the rows of each.
    segment: SegmentId,
    rows: u32,
    key: Vec<u8>,
    place: [u8; PLACE_BYTES],
}

impl Cursor for IngestPlaces<'_> {
    fn advance(&mut self) -> Result<bool> {
        while let Some((block, rest)) = self.blocks.split_first() {
            if self.next < block.len() {
                block.key(self.next, &mut self.key)?;
                let segment = self.segment + self.count / self.rows;
                self.place = Place { segment, position: self.count % self.rows }.encode();
                self.next += 1;
                self.count += 1;
                return Ok(true);
            }
            (self.blocks, self.next) = (rest, 0);
        }
        Ok(false)
    }

    fn key(&self) -> &[u8] {
        &self.key
    }

    fn value(&self) -> &[u8] {
        &self.place
    }
}
