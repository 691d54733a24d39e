//! Rows of one partition as record batches.
//!
//! Each batch is one find that starts behind the last row of the batch before: nothing is held
//! between batches but the place.
//!
//! Invariants
//! 1. The first batches are small, so that a query that needs few rows reads few.
//! 2. A batch of long texts has fewer rows, and the fewer the less memory is left for clients: of
//!    each query several batches are under way, uncounted, and a slow reader makes them stay.
//!
//! Not here: what DataFusion is told of the scan (`execution`).

use std::sync::Arc;

use columnar::arrow::ColumnWriter;
use datafusion::arrow::array::{ArrayRef, BinaryViewBuilder, RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use rows::error::Error;
use rows::find::{Flow, Found};
use rows::store::{Direction, KeyRange, Reach, Read};
use rows::{Engine, Table};
use values::datum::Datum;

use super::super::failure::raise;

/// Rows of the first batch; each further one has four times as many, up to the wanted size.
const ROWS_FIRST: usize = 512;
/// Bytes of texts with whose last row a batch ends, at least and at most: those of usual rows stay
/// far below.
const TEXT_BYTES_MIN: usize = 64 << 10;
const TEXT_BYTES_MAX: usize = 4 << 20;
/// The part of the memory left that the texts of a batch may take.
const TEXT_PART: usize = 64;

/// Where the rows come from.
#[derive(Clone)]
pub(super) struct Rows {
    pub(super) engine: Arc<Engine>,
    pub(super) view: Arc<dyn Read>,
    pub(super) table: Arc<Table>,
    pub(super) index: usize,
    /// Columns in the order of the schema; the number of columns stands for the row key.
    pub(super) positions: Arc<[usize]>,
    pub(super) schema: SchemaRef,
}

/// An iterator over the batches of some ranges; an error is the last that it gives.
pub(super) struct Batches {
    rows: Rows,
    ranges: std::collections::VecDeque<KeyRange>,
    rows_next: usize,
    rows_max: usize,
    rows_left: usize,
}

/// How large a batch is so far.
struct Size {
    rows: usize,
    text_bytes: usize,
    rows_max: usize,
    text_bytes_max: usize,
}

impl Size {
    fn is_full(&self) -> bool {
        self.rows >= self.rows_max || self.text_bytes >= self.text_bytes_max
    }
}

enum Writer {
    Column(usize, ColumnWriter),
    Key(BinaryViewBuilder),
}

impl Batches {
    /// Reads `ranges` in order, at most `limit` rows.
    pub(super) fn new(
        rows: Rows,
        ranges: Vec<KeyRange>,
        rows_max: usize,
        limit: Option<usize>,
    ) -> Batches {
        Batches {
            rows,
            ranges: ranges.into(),
            rows_next: ROWS_FIRST.min(rows_max),
            rows_max,
            rows_left: limit.unwrap_or(usize::MAX),
        }
    }

    fn writers(&self, capacity: usize) -> Vec<Writer> {
        let columns = &self.rows.table.columns;
        let writer = |&at: &usize| match columns.get(at) {
            Some(column) => Writer::Column(at, ColumnWriter::new(&column.ty, capacity)),
            None => Writer::Key(BinaryViewBuilder::with_capacity(capacity)),
        };
        self.rows.positions.iter().map(writer).collect()
    }

    /// The next batch; `None` at the end.
    fn read(&mut self) -> Result<Option<RecordBatch>, Error> {
        let wanted = self.rows_next.min(self.rows_left);
        self.rows_next = (self.rows_next * 4).min(self.rows_max);
        let mut writers = self.writers(wanted);
        let budget = self.rows.engine.budget();
        let left = budget.bytes_max().saturating_sub(budget.used());
        let text_bytes_max = (left / TEXT_PART).clamp(TEXT_BYTES_MIN, TEXT_BYTES_MAX);
        let mut size = Size { rows: 0, text_bytes: 0, rows_max: wanted, text_bytes_max };
        while !size.is_full()
            && let Some(range) = self.ranges.pop_front()
        {
            if let Some(next) = self.read_range(&range, &mut writers, &mut size)? {
                self.ranges.push_front(KeyRange { start: next, end: range.end });
            }
        }
        let count = size.rows;
        self.rows_left -= count;
        if count == 0 {
            return Ok(None);
        }
        let arrays: Vec<ArrayRef> = writers
            .iter_mut()
            .map(|writer| match writer {
                Writer::Column(_, column) => column.finish(),
                Writer::Key(keys) => Arc::new(keys.finish()) as ArrayRef,
            })
            .collect();
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        let schema = Arc::clone(&self.rows.schema);
        let batch = RecordBatch::try_new_with_options(schema, arrays, &options);
        batch.map(Some).map_err(|source| Error::Store {
            doing: "building a batch of rows",
            applied: Some(false),
            source: Box::new(source),
        })
    }

    /// Appends rows of a range until the batch is full; then gives where to go on.
    fn read_range(
        &self,
        range: &KeyRange,
        writers: &mut [Writer],
        size: &mut Size,
    ) -> Result<Option<Vec<u8>>, Error> {
        let mut next = None;
        let rows = &self.rows;
        let mut visit = |found: Found<'_>| -> Result<Flow, Error> {
            for writer in writers.iter_mut() {
                match writer {
                    Writer::Column(at, column) => {
                        let datum = found.row.column(*at)?;
                        if let Datum::Bytes(text) = datum {
                            size.text_bytes += text.len();
                        }
                        column.append(datum)?;
                    }
                    Writer::Key(keys) => keys.append_value(found.key),
                }
            }
            size.rows += 1;
            if !size.is_full() {
                return Ok(Flow::Continue);
            }
            next = Some(self.place_of(found)?);
            Ok(Flow::Stop)
        };
        rows.engine.find(
            rows.view.as_ref(),
            &rows.table,
            rows.index,
            range,
            Direction::Forward,
            Reach::Disk,
            &mut visit,
        )?;
        Ok(next)
    }

    /// The first key behind a row's place in the index.
    fn place_of(&self, found: Found<'_>) -> Result<Vec<u8>, Error> {
        let mut place = if self.rows.index == 0 {
            found.key.to_vec()
        } else {
            let values: Vec<Datum<'_>> = found.row.values()?;
            self.rows.table.entry(self.rows.index, &values, found.key)?.key
        };
        place.push(0);
        Ok(place)
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        if self.rows_left == 0 {
            return None;
        }
        self.read().map_err(raise).transpose()
    }
}
