//! A new columnar index of rows that come in the order of their keys: their segments and places.
//!
//! Invariants
//! 1. Segments, columns and places become part of the store together, or not at all.
//!
//! Not here: which rows come (`rows::alter`), what changes meanwhile (`rows::table`).

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;
use rows::error::{Error, Result};
use rows::ingestion::Ingestion;
use rows::store::Cursor;
use rows::table::Table;

use crate::build::SegmentBuilder;
use crate::keys::{self, Home, SegmentId};
use crate::reader::Columns;
use crate::segment::Segment;
use crate::writer::{KeyValue, Ready, SegmentWriter, Segments};

/// A columnar index in the making; its number is a new one, so nothing is there under it.
pub(crate) struct IndexFill {
    inner: Box<dyn Ingestion>,
    columns: Arc<Columns>,
    table: Arc<Table>,
    home: Home,
    next_segment: AtomicU32,
    /// Segments that were made, to be listed at the end.
    made: Mutex<Vec<(SegmentId, Segment)>>,
}

impl IndexFill {
    /// An index of `table` to be filled into the files of `inner`.
    ///
    /// # Errors
    /// `Refused` when the table has no columnar index.
    pub fn new(
        inner: Box<dyn Ingestion>,
        columns: &Arc<Columns>,
        table: &Arc<Table>,
    ) -> Result<IndexFill> {
        let Some(index) = &table.columnar_index else {
            return Err(Error::Refused { why: "the table has no columnar index" });
        };
        let home = Home { table: table.id, index: Some(index.id) };
        let (columns, table) = (Arc::clone(columns), Arc::clone(table));
        let next_segment = AtomicU32::new(1);
        Ok(IndexFill { inner, columns, table, home, next_segment, made: Mutex::default() })
    }
}

impl Ingestion for IndexFill {
    fn add(&self, rows: &mut dyn Cursor) -> Result<u64> {
        let segment_bytes = self.columns.segment_bytes;
        let builder = SegmentBuilder::of_index(&self.table, segment_bytes)?;
        let writer = SegmentWriter::new(self.home, builder, segment_bytes);
        self.inner.add(&mut IndexPlaces { of: self, rows, writer, current: KeyValue::default() })
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let IndexFill { inner, home, made, .. } = *self;
        let mut made = made.into_inner();
        made.sort_by_key(|(id, _)| *id);
        let listed = made.iter().map(|(id, segment)| (keys::segment(home, *id), segment.encode()));
        let listed: Vec<KeyValue> = listed.collect();
        if !listed.is_empty() {
            inner.add(&mut Ready::new(listed))?;
        }
        inner.finish()
    }
}

impl Segments for IndexFill {
    fn take(&self, count: u32) -> SegmentId {
        self.next_segment.fetch_add(count, Ordering::Relaxed)
    }

    fn made(&self, id: SegmentId, segment: Segment) {
        self.made.lock().push((id, segment));
    }
}

/// The places of the rows of a call.
struct IndexPlaces<'r> {
    of: &'r IndexFill,
    rows: &'r mut dyn Cursor,
    writer: SegmentWriter,
    current: KeyValue,
}

impl Cursor for IndexPlaces<'_> {
    fn advance(&mut self) -> Result<bool> {
        let files = &*self.of.inner;
        if !self.rows.advance()? {
            self.writer.finish(self.of, files)?;
            return Ok(false);
        }
        let (key, row) = self.rows.entry();
        let place = self.writer.add((key, row), self.of, files)?;
        self.current = (keys::place(self.of.home, key), place.bare());
        Ok(true)
    }

    fn key(&self) -> &[u8] {
        &self.current.0
    }

    fn value(&self) -> &[u8] {
        &self.current.1
    }
}
