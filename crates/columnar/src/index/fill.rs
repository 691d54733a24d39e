//! A new columnar index of rows that come in the order of their keys: their segments and places.
//!
//! Invariants
//! 1. Segments, columns and places become part of the store together, or not at all.
//! 2. Columns of one call are written in files whose keys no other call's lie between, as in
//!    `ingest`: each takes numbers for segments in blocks, and begins a new file with each block.
//!
//! Not here: which rows come (`rows::alter`), what changes meanwhile (`rows::table`).

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;
use rows::error::{Error, Result};
use rows::store::{Cursor, Ingestion};
use rows::table::Table;

use crate::build::Builder;
use crate::ingest::{BLOCK, Entry, FILE_BYTES_MAX, FILE_SEGMENTS, Ready};
use crate::keys::{self, Home, Place, SegmentId};
use crate::reader::Columns;
use crate::segment::Segment;

/// A columnar index in the making; its number is a new one, so nothing is there under it.
pub(crate) struct Filling {
    inner: Box<dyn Ingestion>,
    columns: Arc<Columns>,
    table: Arc<Table>,
    home: Home,
    next_segment: AtomicU32,
    /// Segments that were made, to be listed at the end.
    made: Mutex<Vec<(SegmentId, Segment)>>,
}

impl Filling {
    pub fn new(
        inner: Box<dyn Ingestion>,
        columns: &Arc<Columns>,
        table: &Arc<Table>,
    ) -> Result<Filling> {
        let Some(index) = &table.columnar_index else {
            return Err(Error::Refused { why: "the table has no columnar index" });
        };
        let home = Home { table: table.id, index: Some(index.id) };
        let (columns, table) = (Arc::clone(columns), Arc::clone(table));
        let next_segment = AtomicU32::new(1);
        Ok(Filling { inner, columns, table, home, next_segment, made: Mutex::default() })
    }
}

impl Ingestion for Filling {
    fn add(&self, rows: &mut dyn Cursor) -> Result<u64> {
        let builder = Builder::of_index(&self.table, self.columns.segment_bytes)?;
        let (columns, current) = (Vec::new(), Entry::default());
        self.inner.add(&mut Places {
            of: self,
            rows,
            builder,
            id: 0,
            end: 0,
            columns,
            bytes: 0,
            current,
        })
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let Filling { inner, home, made, .. } = *self;
        let mut made = made.into_inner();
        made.sort_by_key(|(id, _)| *id);
        let listed = made.iter().map(|(id, segment)| (keys::segment(home, *id), segment.encode()));
        let listed: Vec<Entry> = listed.collect();
        if !listed.is_empty() {
            inner.add(&mut Ready::new(listed))?;
        }
        inner.finish()
    }
}

/// The places of the rows of a call.
struct Places<'r> {
    of: &'r Filling,
    rows: &'r mut dyn Cursor,
    builder: Builder,
    id: SegmentId,
    /// The first number behind the block.
    end: SegmentId,
    /// Columns that wait to be written.
    columns: Vec<Entry>,
    bytes: usize,
    current: Entry,
}

impl Places<'_> {
    fn place(&mut self) -> Result<()> {
        if self.id == self.end {
            self.id = self.of.next_segment.fetch_add(BLOCK, Ordering::Relaxed);
            self.end = self.id + BLOCK;
        }
        let (key, row) = self.rows.entry();
        let position = self.builder.add(key, row, Some(0))?;
        let place = Place { segment: self.id, position };
        self.current = (keys::place(self.of.home, key), place.bare());
        if self.builder.is_full() {
            self.seal()?;
        }
        Ok(())
    }

    fn seal(&mut self) -> Result<()> {
        let built = self.builder.finish()?;
        self.of.made.lock().push((self.id, built.segment.clone()));
        self.bytes += built.segment.stored_bytes as usize;
        self.columns.extend(built.into_entries(self.of.home, self.id));
        self.id += 1;
        let bytes_max = (self.of.columns.segment_bytes * FILE_SEGMENTS).min(FILE_BYTES_MAX);
        if self.id == self.end || self.bytes >= bytes_max {
            self.write()?;
        }
        Ok(())
    }

    /// Writes the columns that wait into a file.
    fn write(&mut self) -> Result<()> {
        self.bytes = 0;
        let columns = std::mem::take(&mut self.columns);
        if !columns.is_empty() {
            self.of.inner.add(&mut Ready::new(columns))?;
        }
        Ok(())
    }
}

impl Cursor for Places<'_> {
    fn advance(&mut self) -> Result<bool> {
        if self.rows.advance()? {
            self.place()?;
            return Ok(true);
        }
        if self.builder.rows() > 0 {
            self.seal()?;
        }
        self.write()?;
        Ok(false)
    }

    fn key(&self) -> &[u8] {
        &self.current.0
    }

    fn value(&self) -> &[u8] {
        &self.current.1
    }
}
