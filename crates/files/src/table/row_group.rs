//! One row group on its way into our columns.
//!
//! A text whose pages are places in a dictionary is given as such, so that an operator that filters
//! or groups by it does so once for each word. When a page comes that has the texts themselves, as
//! writers make them where a dictionary grew too large, the rest of the row group is read as texts.
//!
//! Invariants
//! 1. Each row comes once, whichever way its columns are read.
//! 2. A dictionary is converted once, and its words are one array for all batches.
//!
//! Not here: what a page may take (`pages`), which row groups are wanted (`reading`).

use std::ops::Range;
use std::slice::from_ref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowSelection};
use ::parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels};
use ::parquet::basic::Type;
use ::parquet::file::metadata::ColumnChunkMetaData;
use arrow::array::{Array, ArrayRef, AsArray, BinaryViewArray, RecordBatch};
use arrow::compute::take;
use arrow::datatypes::{DataType, Field, Int32Type};
use arrow::error::ArrowError;
use columnar::ColumnArray;
use expression::Limits;
use expression::limits::Room;
use values::types::ColumnType;

use super::FileColumn;
use super::convert::converted;
use super::opened::OpenedFile;
use super::pages::{Pages, Refusal, Refusals, value_bytes};
use super::parquet::{ParquetFile, undecoded, undecoded_batch};
use results::Result;

/// Values of rows that are read at a time, about, as the file says how large they are.
const BATCH_BYTES: u64 = 16 << 20;

/// Reads a row group.
pub(super) struct GroupReader {
    file: Arc<OpenedFile>,
    parquet: Arc<ParquetFile>,
    limits: Arc<Limits>,
    group: usize,
    /// Of columns, ascending.
    positions: Arc<[usize]>,
    batch_rows: usize,
    /// The rows, ascending, if not all.
    rows: Option<Vec<Range<usize>>>,
    /// For each position, whether it is read by words.
    by_words: Vec<bool>,
    /// For each position the last dictionary, as the decoder gave it and as ours.
    words: Vec<Option<(ArrayRef, ArrayRef)>>,
    refusals: Refusals,
    /// How often rows were asked for.
    batches: Arc<AtomicU64>,
    reader: Option<ParquetRecordBatchReader>,
    /// For the values of one batch that are of a fixed size, which may be any.
    fixed: Room,
    /// Of those that are wanted.
    rows_given: usize,
}

impl GroupReader {
    /// Of the columns at some positions, ascending, and of some rows, if not all.
    pub(super) fn new(
        (file, parquet): (&Arc<OpenedFile>, &Arc<ParquetFile>),
        (group, rows): (usize, Option<Vec<Range<usize>>>),
        positions: &Arc<[usize]>,
        batch_rows: usize,
        limits: &Arc<Limits>,
    ) -> GroupReader {
        let by_words = positions.iter().map(|at| parquet.has_words(group, *at)).collect();
        GroupReader {
            file: Arc::clone(file),
            parquet: Arc::clone(parquet),
            limits: Arc::clone(limits),
            group,
            positions: Arc::clone(positions),
            batch_rows,
            rows,
            by_words,
            words: vec![None; positions.len()],
            refusals: Refusals::default(),
            batches: Arc::default(),
            reader: None,
            fixed: Room::default(),
            rows_given: 0,
        }
    }

    /// The next rows, for each position its values, and how many they are; `None` at the end.
    ///
    /// # Errors
    /// 3000 for what is no row group, 1024 when it cannot be read, 1041 when its pages need more
    /// memory than the statement may have.
    pub(super) fn next(
        &mut self,
        columns: &[FileColumn],
    ) -> Result<Option<(Vec<ColumnArray>, usize)>> {
        loop {
            if self.reader.is_none() {
                self.begin()?;
            }
            self.batches.fetch_add(1, Ordering::Relaxed);
            let next = self.reader.as_mut().and_then(Iterator::next);
            // Also where the decoder went on: it has been given less than there is.
            match self.refusals.lock().take() {
                Some(Refusal::Error(error)) => return Err(error),
                Some(Refusal::NoWords(leaf)) => {
                    self.reader = None;
                    let root = self.parquet.root_of(leaf);
                    let at = self.positions.iter().position(|at| *at == root);
                    at.into_iter().for_each(|at| self.by_words[at] = false);
                    continue;
                }
                None => {}
            }
            let batch = match next {
                None => return Ok(None),
                Some(batch) => batch.map_err(|error| undecoded_batch(&self.file, error))?,
            };
            self.rows_given += batch.num_rows();
            return self.converted(columns, &batch).map(Some);
        }
    }

    /// Makes a decoder for the rows that were not given yet.
    fn begin(&mut self) -> Result<()> {
        let schema = self.parquet.schema();
        let hinted = |(at, field): (usize, &Arc<Field>)| {
            let place = self.positions.binary_search(&at);
            match place.is_ok_and(|place| self.by_words[place]) {
                true => Arc::new(field.as_ref().clone().with_data_type(by_words(field))),
                false => Arc::clone(field),
            }
        };
        let hints = schema.fields().iter().enumerate().map(hinted).collect();
        let failed = |error| undecoded(&self.file, error);
        let parquet_schema = self.parquet.parquet_schema();
        let mask = ProjectionMask::roots(parquet_schema, self.positions.iter().copied());
        let levels = parquet_to_arrow_field_levels(parquet_schema, mask, Some(&hints));
        let pages = Pages {
            file: Arc::clone(&self.file),
            metadata: Arc::clone(self.parquet.metadata()),
            group: self.group,
            limits: Arc::clone(&self.limits),
            refusals: Arc::clone(&self.refusals),
            batches: Arc::clone(&self.batches),
            by_words: {
                let by_words = self.positions.iter().zip(&self.by_words);
                let roots = by_words.filter(|(_, by_words)| **by_words);
                roots.filter_map(|(at, _)| self.parquet.leaf_of(*at)).collect()
            },
        };
        let batch_rows = self.rows_at_a_time();
        self.fixed = Room::default();
        let fixed_bytes = self.fixed_row_bytes().saturating_mul(batch_rows as u64);
        self.fixed = self.limits.take(usize::try_from(fixed_bytes).unwrap_or(usize::MAX))?;
        let reader = ParquetRecordBatchReader::try_new_with_row_groups(
            &levels.map_err(failed)?,
            &pages,
            batch_rows,
            self.left(),
        );
        self.reader = Some(reader.map_err(failed)?);
        Ok(())
    }

    /// The columns as the file has them.
    fn chunks(&self) -> impl Iterator<Item = &ColumnChunkMetaData> {
        let columns = self.parquet.metadata().row_group(self.group).columns().iter().enumerate();
        let wanted = |leaf| self.positions.binary_search(&self.parquet.root_of(leaf)).is_ok();
        columns.filter(move |(leaf, _)| wanted(*leaf)).map(|(_, column)| column)
    }

    /// As many as are wanted, or fewer where they are long, as their pages are held together.
    fn rows_at_a_time(&self) -> usize {
        let rows = self.parquet.rows_of(self.group).max(1);
        let sizes = self.chunks().map(|column| column.uncompressed_size().max(0) as u64);
        let row_bytes = sizes.fold(0, u64::saturating_add) / rows;
        let row_bytes = row_bytes.saturating_add(self.fixed_row_bytes()).max(1);
        self.batch_rows.min((BATCH_BYTES / row_bytes).clamp(1, rows) as usize)
    }

    /// Memory for those values of a row that are of a fixed size, be they NULL.
    fn fixed_row_bytes(&self) -> u64 {
        let fixed = |column: &&ColumnChunkMetaData| {
            column.column_descr().physical_type() == Type::FIXED_LEN_BYTE_ARRAY
        };
        self.chunks().filter(fixed).map(value_bytes).fold(0, u64::saturating_add)
    }

    /// The rows that were not given yet; `None`: all.
    fn left(&self) -> Option<RowSelection> {
        if self.rows.is_none() && self.rows_given == 0 {
            return None;
        }
        let all = self.parquet.rows_of(self.group) as usize;
        let whole = 0..all;
        let mut given = self.rows_given;
        let left = self.rows.as_deref().unwrap_or(from_ref(&whole)).iter().map(|rows| {
            let passed = given.min(rows.len());
            given -= passed;
            rows.start + passed..rows.end
        });
        let left = left.filter(|rows| !rows.is_empty());
        Some(RowSelection::from_consecutive_ranges(left, all))
    }

    fn converted(
        &mut self,
        columns: &[FileColumn],
        batch: &RecordBatch,
    ) -> Result<(Vec<ColumnArray>, usize)> {
        let mut arrays = Vec::with_capacity(self.positions.len());
        for ((array, at), words) in
            batch.columns().iter().zip(&*self.positions).zip(&mut self.words)
        {
            let column = &columns[*at];
            let array = column_array(&column.ty, array, words).map_err(|error| {
                self.file.damaged(format_args!("column '{}': {error}", column.name))
            })?;
            arrays.push(array);
        }
        Ok((arrays, batch.num_rows()))
    }
}

/// The type under which a text is read as places in a dictionary.
fn by_words(field: &Field) -> DataType {
    let words = match field.data_type() {
        DataType::Utf8View => DataType::Utf8,
        _ => DataType::Binary,
    };
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(words))
}

/// A column as one of ours; of a dictionary that is the last one, what was made of that.
fn column_array(
    ty: &ColumnType,
    array: &ArrayRef,
    last: &mut Option<(ArrayRef, ArrayRef)>,
) -> std::result::Result<ColumnArray, ArrowError> {
    let Some(places) = array.as_dictionary_opt::<Int32Type>() else {
        return converted(ty, array).map(ColumnArray::Plain);
    };
    let words = match last {
        Some((known, words)) if is_same(known, places.values()) => Arc::clone(words),
        _ => {
            let words = converted(ty, places.values())?;
            *last = Some((Arc::clone(places.values()), Arc::clone(&words)));
            words
        }
    };
    let codes = places.keys();
    // Of no word at all every row is NULL.
    if words.is_empty() && codes.null_count() < codes.len() {
        return Err(ArrowError::ParseError("values of a dictionary without any".to_owned()));
    }
    match words.as_any().downcast_ref::<BinaryViewArray>() {
        Some(words) => Ok(ColumnArray::Words(codes.clone(), words.clone())),
        None => Ok(ColumnArray::Plain(take(&words, codes, None)?)),
    }
}

/// Whether two dictionaries are one, of which the first is still there.
fn is_same(one: &ArrayRef, other: &ArrayRef) -> bool {
    let (one, other) = (one.to_data(), other.to_data());
    one.ptr_eq(&other)
}
