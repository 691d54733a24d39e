//! Rows of one partition as record batches.
//!
//! Each batch is one find that starts behind the last row of the batch before. Of an index whose
//! entries tell all that is wanted, the entries are read. Of another one, keys of rows are
//! collected from many entries, and the rows are looked up in the order of these keys
//! (`rows::row_keys`). Where entries tell whether a row is wanted, some thousands of them are
//! tested as a whole, and those that do not pass are left out.
//!
//! Invariants
//! 1. The first batches are small, so that a query that needs few rows reads few; and so is what is
//!    collected for them.
//! 2. Behind so many entries that none of them passes a batch is empty: whoever waits for rows
//!    hears that the query is to end.
//! 3. A batch of long texts has fewer rows, and the fewer the less memory is left for clients: of
//!    each query several batches are under way, uncounted, and a slow reader makes them stay.
//!
//! Not here: what DataFusion is told of the scan (`execution`).

use std::collections::VecDeque;
use std::sync::Arc;

use columnar::arrow::ColumnWriter;
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BinaryViewBuilder, RecordBatch, RecordBatchOptions,
};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::physical_expr::PhysicalExpr;
use resources::interrupt;
use rows::error::Error;
use rows::find::{CoveredEntry, EntryVerdict, Flow, FoundRow};
use rows::merged::Span;
use rows::row_keys::KEYS_MAX;
use rows::store::{Direction, KeyRange, Reach, Read};
use rows::table::{CoveredRow, Covering};
use rows::{CollectedKeys, Engine, Table};
use values::datum::{Datum, Value};

use super::super::failure::raise;

/// Rows of the first batch; each further one has four times as many, up to the wanted size.
const ROWS_FIRST: usize = 512;
/// Bytes of texts with whose last row a batch ends, at least and at most: those of usual rows stay
/// far below.
const TEXT_BYTES_MIN: usize = 64 << 10;
const TEXT_BYTES_MAX: usize = 4 << 20;
/// The part of the memory left that the texts of a batch may take.
const TEXT_PART: usize = 64;
/// Entries that are read, and tested, at a time.
const ENTRIES_READ: usize = 4096;

/// Where the rows come from.
#[derive(Clone)]
pub(super) struct BatchRows {
    pub(super) engine: Arc<Engine>,
    pub(super) view: Arc<dyn Read>,
    pub(super) table: Arc<Table>,
    pub(super) index: usize,
    /// How its entries tell all columns.
    pub(super) covering: Option<Arc<Covering>>,
    /// What they are asked before their rows are read.
    pub(super) test: Option<EntryTest>,
    /// Columns in the order of the schema; the number of columns stands for the row key.
    pub(super) positions: Arc<[usize]>,
    pub(super) schema: SchemaRef,
}

/// A condition on columns that entries tell.
#[derive(Clone)]
pub(super) struct EntryTest {
    /// How they tell them.
    pub(super) covering: Arc<Covering>,
    /// The columns in the order of the schema.
    pub(super) positions: Arc<[usize]>,
    pub(super) schema: SchemaRef,
    pub(super) predicate: Arc<dyn PhysicalExpr>,
}

/// What one worker reads.
#[derive(Clone)]
pub(super) struct ScanPart {
    /// Ranges of the index.
    pub(super) ranges: Vec<KeyRange>,
    /// Of the rows that are looked up behind its entries, those with keys in this range.
    pub(super) rows: Option<KeyRange>,
}

/// An iterator over the batches of a part; an error is the last that it gives.
pub(super) struct Batches {
    rows: BatchRows,
    ranges: VecDeque<KeyRange>,
    own: Option<KeyRange>,
    /// Keys of rows whose entries have passed the test, if there is one.
    keys: CollectedKeys,
    /// How many are collected next.
    keys_next: usize,
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
    fn add(&mut self, datum: &Datum<'_>) {
        if let Datum::Bytes(text) = datum {
            self.text_bytes += text.len();
        }
    }

    fn is_full(&self) -> bool {
        self.rows >= self.rows_max || self.text_bytes >= self.text_bytes_max
    }
}

enum Writer {
    Column(usize, ColumnWriter),
    Key(BinaryViewBuilder),
}

impl Batches {
    /// Reads a part's ranges in order, at most `limit` rows.
    pub(super) fn new(
        rows: BatchRows,
        part: ScanPart,
        rows_max: usize,
        limit: Option<usize>,
    ) -> Batches {
        Batches {
            rows,
            ranges: part.ranges.into(),
            own: part.rows,
            keys: CollectedKeys::default(),
            keys_next: ROWS_FIRST,
            rows_next: ROWS_FIRST.min(rows_max),
            rows_max,
            rows_left: limit.unwrap_or(usize::MAX),
        }
    }

    /// The next batch; `None` at the end.
    fn read(&mut self) -> Result<Option<RecordBatch>> {
        let wanted = self.rows_next.min(self.rows_left);
        self.rows_next = (self.rows_next * 4).min(self.rows_max);
        let mut writers = self.rows.writers(&self.rows.positions, wanted);
        let budget = self.rows.engine.budget();
        let left = budget.bytes_max().saturating_sub(budget.used());
        let text_bytes_max = (left / TEXT_PART).clamp(TEXT_BYTES_MIN, TEXT_BYTES_MAX);
        let mut size = Size { rows: 0, text_bytes: 0, rows_max: wanted, text_bytes_max };
        match self.rows.index > 0 && self.rows.covering.is_none() {
            true => self.look_up(&mut writers, &mut size)?,
            false => self.read_ranges(&mut writers, &mut size).map_err(raise)?,
        }
        let is_over = self.ranges.is_empty() && self.keys.is_empty();
        if let Some(owner) = interrupt::owner() {
            owner.note_examined(size.rows as u64);
        }
        if size.rows == 0 && is_over {
            return Ok(None);
        }
        self.rows_left -= size.rows;
        batch_of(&self.rows.schema, &mut writers, size.rows).map(Some)
    }

    /// Appends rows until the batch is full.
    fn read_ranges(&mut self, writers: &mut [Writer], size: &mut Size) -> Result<(), Error> {
        while !size.is_full()
            && let Some(range) = self.ranges.pop_front()
        {
            let next = match self.rows.covering.clone() {
                Some(covering) => {
                    self.rows.read_entries(&covering, &range, size, &mut |told, size| {
                        append_values(writers, told.values, size)
                    })?
                }
                None => self.read_range(&range, writers, size)?,
            };
            if let Some(next) = next {
                self.ranges.push_front(KeyRange { start: next, end: range.end });
            }
        }
        Ok(())
    }

    /// Appends rows that entries lead to, until the batch is full or those collected are used up.
    fn look_up(&mut self, writers: &mut [Writer], size: &mut Size) -> Result<()> {
        if self.keys.is_empty() {
            self.collect_keys()?;
        }
        let BatchRows { engine, view, table, .. } = &self.rows;
        let mut append = |found: FoundRow<'_>| {
            append_row(writers, &found, size)?;
            Ok(if size.is_full() { Flow::Stop } else { Flow::Continue })
        };
        engine
            .look_up(view.as_ref(), table, &mut self.keys, Reach::Disk, &mut append)
            .map_err(raise)
    }

    /// Collects the keys of rows that the next entries lead to, and puts them in order.
    fn collect_keys(&mut self) -> Result<()> {
        let (most, test) = (self.keys_next.min(self.rows_left), self.rows.test.clone());
        // Entries are cheap, and each round of look-ups may meet the same blocks again.
        self.keys_next = KEYS_MAX;
        let mut entries_left = KEYS_MAX;
        while self.keys.len() < most && !self.keys.is_full() && entries_left > 0 {
            if self.ranges.is_empty() {
                break;
            }
            let entries = match &test {
                Some(_) => ENTRIES_READ,
                None => ENTRIES_READ.min(most - self.keys.len()),
            };
            entries_left = entries_left.saturating_sub(entries);
            self.read_keys(entries, test.as_ref())?;
        }
        self.keys.sort();
        Ok(())
    }

    /// Reads so many entries, and adds the keys of rows of those that pass.
    fn read_keys(&mut self, entries: usize, test: Option<&EntryTest>) -> Result<()> {
        let rows = &self.rows;
        let (table, index) = (&rows.table, rows.index);
        let told = match test {
            Some(test) => Arc::clone(&test.covering),
            None => Arc::new(Covering::of_nothing(index)),
        };
        let tested = test.map_or(&[][..], |test| &test.positions);
        let mut writers = rows.writers(tested, entries);
        let mut size =
            Size { rows: 0, text_bytes: 0, rows_max: entries, text_bytes_max: TEXT_BYTES_MAX };
        let (mut read, mut key) = (CollectedKeys::default(), Vec::new());
        while !size.is_full()
            && let Some(range) = self.ranges.pop_front()
        {
            let mut each = |told: CoveredEntry<'_>, size: &mut Size| {
                table.entry_target(index, told.entry.0, told.entry.1, &mut key)?;
                read.push(&key);
                append_values(&mut writers, told.values, size)
            };
            let next = rows.read_entries(&told, &range, &mut size, &mut each);
            if let Some(next) = next.map_err(raise)? {
                self.ranges.push_front(KeyRange { start: next, end: range.end });
            }
        }
        let is_own = |key: &[u8]| self.own.as_ref().is_none_or(|own| own.contains(key));
        let Some(test) = test else {
            read.each(&mut |_, key| {
                if is_own(key) {
                    self.keys.push(key);
                }
            });
            return Ok(());
        };
        let batch = batch_of(&test.schema, &mut writers, size.rows)?;
        let verdict = test.predicate.evaluate(&batch)?.into_array(size.rows)?;
        let Some(verdict) = verdict.as_boolean_opt() else { return Ok(()) };
        read.each(&mut |n, key| {
            if verdict.is_valid(n) && verdict.value(n) && is_own(key) {
                self.keys.push(key);
            }
        });
        Ok(())
    }

    /// Appends rows of a range of the primary key until the batch is full; then gives where to go
    /// on.
    fn read_range(
        &self,
        range: &KeyRange,
        writers: &mut [Writer],
        size: &mut Size,
    ) -> Result<Option<Vec<u8>>, Error> {
        let mut next = None;
        let rows = &self.rows;
        let mut visit = |found: FoundRow<'_>| -> Result<Flow, Error> {
            append_row(writers, &found, size)?;
            if !size.is_full() {
                return Ok(Flow::Continue);
            }
            next = Some([found.key, &[0]].concat());
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
}

impl BatchRows {
    fn writers(&self, positions: &[usize], capacity: usize) -> Vec<Writer> {
        let columns = &self.table.columns;
        let writer = |&at: &usize| match columns.get(at) {
            Some(column) => Writer::Column(at, ColumnWriter::new(&column.ty, capacity)),
            None => Writer::Key(BinaryViewBuilder::with_capacity(capacity)),
        };
        positions.iter().map(writer).collect()
    }

    /// Calls `each` with entries of a range until the batch is full; then gives where to go on.
    fn read_entries(
        &self,
        covering: &Covering,
        range: &KeyRange,
        size: &mut Size,
        each: &mut dyn FnMut(CoveredEntry<'_>, &mut Size) -> Result<(), Error>,
    ) -> Result<Option<Vec<u8>>, Error> {
        let mut next = None;
        let mut visit = |told: CoveredEntry<'_>| -> Result<EntryVerdict, Error> {
            each(told, size)?;
            if !size.is_full() {
                return Ok(EntryVerdict::Taken);
            }
            let mut place = told.entry.0.to_vec();
            place.push(0);
            next = Some(place);
            Ok(EntryVerdict::Last)
        };
        self.engine.find_covered(
            self.view.as_ref(),
            &self.table,
            covering,
            Span::One(range),
            Direction::Forward,
            Reach::Disk,
            &mut CoveredRow::new(&self.table),
            &mut visit,
        )?;
        Ok(next)
    }
}

/// Appends a row.
fn append_row(writers: &mut [Writer], found: &FoundRow<'_>, size: &mut Size) -> Result<(), Error> {
    for writer in writers {
        match writer {
            Writer::Column(at, column) => {
                let datum = found.row.column(*at)?;
                size.add(&datum);
                column.append(datum)?;
            }
            Writer::Key(keys) => keys.append_value(found.key),
        }
    }
    size.rows += 1;
    Ok(())
}

/// Appends what an entry tells.
fn append_values(writers: &mut [Writer], values: &[Value], size: &mut Size) -> Result<(), Error> {
    for writer in writers {
        // No entry that is read alone has to tell a row's key.
        let Writer::Column(at, column) = writer else { continue };
        let datum = values[*at].as_datum();
        size.add(&datum);
        column.append(datum)?;
    }
    size.rows += 1;
    Ok(())
}

fn batch_of(schema: &SchemaRef, writers: &mut [Writer], rows: usize) -> Result<RecordBatch> {
    let finish = |writer: &mut Writer| match writer {
        Writer::Column(_, column) => column.finish(),
        Writer::Key(keys) => Arc::new(keys.finish()) as ArrayRef,
    };
    let arrays = writers.iter_mut().map(finish).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let batch = RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options);
    batch.map_err(|source| {
        let doing = "building a batch of rows";
        raise(Error::Store { doing, applied: Some(false), source: Box::new(source) })
    })
}

impl Iterator for Batches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        if self.rows_left == 0 {
            return None;
        }
        self.read().transpose()
    }
}
