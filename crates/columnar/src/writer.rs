//! Segments of rows that come in the order of their keys, on their way into files of the store.
//!
//! Invariants
//! 1. Columns of one writer are in files whose keys no other writer's lie between: each takes
//!    numbers for segments in blocks, and begins a new file with each block.
//! 2. All rows of a segment have the version that the first of them was given.
//!
//! Not here: which rows come, what is kept of their places (`ingest`, `index::fill`).

use std::sync::Arc;

use rows::error::Result;
use rows::ingestion::Ingestion;
use rows::store::Cursor;
use rows::table::Table;
use values::row::RowRef;

use crate::build::SegmentBuilder;
use crate::keys::{Home, Place, SegmentId};
use crate::segment::Segment;

/// Segments whose columns are in one file.
const BLOCK: u32 = 16;
/// Bytes of columns after which their file is written though numbers are left: so many segments'
/// rows, within a limit.
const FILE_SEGMENTS: usize = 4;
const FILE_BYTES_MAX: usize = 16 << 20;

/// A key and a value.
pub(crate) type KeyValue = (Vec<u8>, Vec<u8>);

/// Where segments come from, and who is told of them.
pub(crate) trait Segments {
    /// Takes so many numbers that follow each other; gives the first.
    fn take(&self, count: u32) -> SegmentId;

    /// A segment was made, and is to be listed once all columns are there.
    fn made(&self, id: SegmentId, segment: Segment);
}

/// Makes segments of the rows that it is given.
pub(crate) struct SegmentWriter {
    home: Home,
    table: Arc<Table>,
    builder: SegmentBuilder,
    /// The version of the segment's rows.
    version: u64,
    id: SegmentId,
    /// The first number behind the block.
    end: SegmentId,
    /// Columns that wait to be written.
    columns: Vec<KeyValue>,
    bytes: usize,
    /// As many are not kept waiting.
    bytes_max: usize,
}

impl SegmentWriter {
    /// Of segments that are full at so many bytes.
    pub fn new(home: Home, builder: SegmentBuilder, segment_bytes: usize) -> SegmentWriter {
        let bytes_max = (segment_bytes * FILE_SEGMENTS).min(FILE_BYTES_MAX);
        let (table, columns) = (Arc::clone(builder.table()), Vec::new());
        let (version, id, end, bytes) = (0, 0, 0, 0);
        SegmentWriter { home, table, builder, version, id, end, columns, bytes, bytes_max }
    }

    /// Adds a row; gives its place. A segment's version is that of its first row.
    ///
    /// # Errors
    /// `Corrupt` when the row does not decode, and those of writing a full segment; the load is to
    /// be given up then, as rows of that segment are lost.
    pub fn add(
        &mut self,
        (key, row): (&[u8], &[u8]),
        segments: &dyn Segments,
        files: &dyn Ingestion,
    ) -> Result<Place> {
        if self.id == self.end {
            self.id = segments.take(BLOCK);
            self.end = self.id + BLOCK;
        }
        let row = RowRef::new(&self.table.layout, row)?;
        if self.builder.rows() == 0 {
            self.version = row.version();
        }
        let position = self.builder.add(key, &row, self.version)?;
        let place = Place { segment: self.id, position };
        if self.builder.is_full() {
            self.seal(segments, files)?;
        }
        Ok(place)
    }

    /// Writes what is left: no more rows come.
    ///
    /// # Errors
    /// Those of writing the last segment; the load is to be given up then.
    pub fn finish(&mut self, segments: &dyn Segments, files: &dyn Ingestion) -> Result<()> {
        if self.builder.rows() > 0 {
            self.seal(segments, files)?;
        }
        self.write(files)
    }

    fn seal(&mut self, segments: &dyn Segments, files: &dyn Ingestion) -> Result<()> {
        let built = self.builder.finish()?;
        segments.made(self.id, built.segment.clone());
        self.bytes += built.segment.stored_bytes as usize;
        self.columns.extend(built.into_entries(self.home, self.id));
        self.id += 1;
        if self.id == self.end || self.bytes >= self.bytes_max {
            self.write(files)?;
        }
        Ok(())
    }

    /// Writes the columns that wait into a file.
    fn write(&mut self, files: &dyn Ingestion) -> Result<()> {
        self.bytes = 0;
        let columns = std::mem::take(&mut self.columns);
        if !columns.is_empty() {
            files.add(&mut Ready::new(columns))?;
        }
        Ok(())
    }
}

/// Entries that are in memory.
pub(crate) struct Ready {
    entries: std::vec::IntoIter<KeyValue>,
    current: KeyValue,
}

impl Ready {
    pub fn new(entries: Vec<KeyValue>) -> Ready {
        Ready { entries: entries.into_iter(), current: KeyValue::default() }
    }
}

impl Cursor for Ready {
    fn advance(&mut self) -> Result<bool> {
        let Some(next) = self.entries.next() else { return Ok(false) };
        self.current = next;
        Ok(true)
    }

    fn key(&self) -> &[u8] {
        &self.current.0
    }

    fn value(&self) -> &[u8] {
        &self.current.1
    }
}
