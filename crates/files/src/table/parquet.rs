//! Parquet files: their columns, their row groups and what statistics say of these.
//!
//! Invariants
//! 1. Row counts are believed only if the columns' own counts agree: sizes and loops come of them.
//! 2. Texts are checked to be UTF-8 while they are decoded.
//!
//! Not here: types (`types`), reading row groups (`row_group`), which row groups a query wants
//! (`analytic::scan`).

use std::sync::Arc;

use ::parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use ::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use ::parquet::basic::{Encoding, Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use ::parquet::schema::types::SchemaDescriptor;
use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, Field, Schema};
use arrow::error::ArrowError;
use expression::Limits;
use expression::limits::Room;
use values::types::ColumnType;

use super::convert::converted;
use super::footer::footer;
use super::opened::OpenedFile;
use super::options::wrong;
use super::page_header::page_sizes;
use super::types::{read_as, type_of};
use super::{FileColumn, pages};
use results::{Result, SqlError};

/// What a file says of itself.
#[derive(Debug)]
pub(super) struct ParquetFile {
    metadata: ArrowReaderMetadata,
    /// For that.
    _room: Room,
}

/// Opens files of the same columns.
pub(super) fn open(
    files: &[Arc<OpenedFile>],
    limits: &Limits,
) -> Result<(Vec<Arc<ParquetFile>>, Vec<FileColumn>)> {
    let mut all = Vec::with_capacity(files.len());
    let mut known: Option<Vec<FileColumn>> = None;
    for file in files {
        let parquet = file.guarded(|| ParquetFile::open(file, limits))?;
        let columns = parquet.columns(file)?;
        match &known {
            None => known = Some(columns),
            Some(known) => check_same(file, &columns, &files[0], known)?,
        }
        all.push(Arc::new(parquet));
    }
    let columns = known.ok_or_else(|| SqlError::other("a pattern of no files"))?;
    if columns.is_empty() {
        return Err(files[0].damaged("it has no columns"));
    }
    Ok((all, columns))
}

/// Refuses a file whose columns are not those of the first.
fn check_same(
    file: &OpenedFile,
    columns: &[FileColumn],
    first: &OpenedFile,
    known: &[FileColumn],
) -> Result<()> {
    let (file, first) = (file.name(), first.name());
    for (at, column) in columns.iter().enumerate() {
        match known.get(at) {
            Some(other) if other == column => {}
            Some(other) if other.name == column.name => {
                let (name, ty) = (&column.name, column.ty.mysql_type_name());
                let other = other.ty.mysql_type_name();
                return Err(wrong(format_args!(
                    "'{file}' has the column '{name}' as {ty}, '{first}' as {other}"
                )));
            }
            _ => {
                let name = &column.name;
                return Err(wrong(format_args!(
                    "'{file}' has a column '{name}' that '{first}' has not at its place"
                )));
            }
        }
    }
    match known.get(columns.len()) {
        Some(FileColumn { name, .. }) => {
            Err(wrong(format_args!("'{file}' has no column '{name}', which '{first}' has")))
        }
        None => Ok(()),
    }
}

/// What to say of an error of the decoder.
pub(super) fn undecoded(file: &OpenedFile, error: ParquetError) -> SqlError {
    match error {
        ParquetError::External(source) => match source.downcast::<SqlError>() {
            Ok(own) => *own,
            Err(other) => file.damaged(other),
        },
        other => file.damaged(other),
    }
}

/// The same of an error that Arrow's words are around.
pub(super) fn undecoded_batch(file: &OpenedFile, error: ArrowError) -> SqlError {
    match error {
        ArrowError::ExternalError(source) => match source.downcast::<ParquetError>() {
            Ok(error) => undecoded(file, *error),
            Err(source) => match source.downcast::<SqlError>() {
                Ok(own) => *own,
                Err(other) => file.damaged(other),
            },
        },
        other => file.damaged(other),
    }
}

/// Whether this is a build of `scripts/fuzz`.
#[expect(unexpected_cfgs, reason = "its compiler sets it, no feature does")]
const FUZZED: bool = cfg!(fuzzing);

impl ParquetFile {
    fn open(file: &OpenedFile, limits: &Limits) -> Result<ParquetFile> {
        let failed = |error| undecoded(file, error);
        let (footer, room) = footer(file, limits)?;
        let metadata = ParquetMetaDataReader::decode_metadata(&footer).map_err(failed)?;
        let metadata = Arc::new(metadata);
        // Of Arrow's own words about types, those that it cannot read end by a panic, which ends
        // the statement (`panics`); a fuzzer would look at nothing else.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(FUZZED);
        let loaded =
            ArrowReaderMetadata::try_new(Arc::clone(&metadata), options).map_err(failed)?;
        let field = |field: &Arc<Field>| {
            let ty = read_as(field.data_type());
            if ty == *field.data_type() {
                Arc::clone(field)
            } else {
                Arc::new(field.as_ref().clone().with_data_type(ty))
            }
        };
        let fields: Vec<Arc<Field>> = loaded.schema().fields().iter().map(field).collect();
        let schema = Schema::new_with_metadata(fields, loaded.schema().metadata().clone());
        let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
        let metadata = ArrowReaderMetadata::try_new(metadata, options).map_err(failed)?;
        let parquet = ParquetFile { metadata, _room: room };
        parquet.check_counts(file)?;
        parquet.check_places(file)?;
        Ok(parquet)
    }

    fn check_counts(&self, file: &OpenedFile) -> Result<()> {
        for group in self.metadata.metadata().row_groups() {
            let rows = group.num_rows();
            let agrees = group.columns().iter().all(|column| {
                // Of a list there may be any number of values in a row.
                let repeats = column.column_descr().max_rep_level() > 0;
                column.num_values() >= 0 && (repeats || column.num_values() == rows)
            });
            if rows < 0 || !agrees {
                return Err(file.damaged("its row counts disagree"));
            }
        }
        let rows: Option<i64> = self
            .metadata
            .metadata()
            .row_groups()
            .iter()
            .try_fold(0i64, |all, group| all.checked_add(group.num_rows()));
        match rows {
            Some(_) => Ok(()),
            None => Err(file.damaged("it cannot have as many rows as it says")),
        }
    }

    fn check_places(&self, file: &OpenedFile) -> Result<()> {
        for column in self.metadata().row_groups().iter().flat_map(RowGroupMetaData::columns) {
            let first = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
            let end = first.checked_add(column.compressed_size());
            let is_within = end.and_then(|end| u64::try_from(end).ok());
            let is_within = is_within.is_some_and(|end| end <= file.bytes());
            if first < 0 || column.compressed_size() < 0 || !is_within {
                return Err(file.damaged("a column is not within it"));
            }
        }
        Ok(())
    }

    fn columns(&self, file: &OpenedFile) -> Result<Vec<FileColumn>> {
        let column = |field: &Arc<Field>| match type_of(field) {
            Some(ty) => Ok(FileColumn { name: field.name().clone(), ty }),
            None => Err(wrong(format_args!(
                "'{}' has the column '{}' as {}, for which there is no type",
                file.name(),
                field.name(),
                field.data_type()
            ))),
        };
        self.metadata.schema().fields().iter().map(column).collect()
    }

    /// How many rows it has.
    pub(super) fn rows(&self) -> u64 {
        (0..self.row_groups()).map(|group| self.rows_of(group)).sum()
    }

    /// How many row groups it has.
    pub(super) fn row_groups(&self) -> usize {
        self.metadata.metadata().num_row_groups()
    }

    /// How many rows one of them has.
    pub(super) fn rows_of(&self, group: usize) -> u64 {
        self.metadata.metadata().row_group(group).num_rows().unsigned_abs()
    }

    /// The smallest and the largest value of a column in each row group; NULL where that is not
    /// known, nothing where the statistics cannot be read.
    pub(super) fn extremes(&self, column: usize, ty: &ColumnType) -> Option<(ArrayRef, ArrayRef)> {
        let schema = self.metadata.schema();
        let (parquet, groups) =
            (self.metadata.parquet_schema(), self.metadata.metadata().row_groups());
        let name = schema.field(column).name();
        let converter = StatisticsConverter::try_new(name, schema, parquet).ok()?;
        let lowest = converter.row_group_mins(groups).ok()?;
        let highest = converter.row_group_maxes(groups).ok()?;
        Some((converted(ty, &lowest).ok()?, converted(ty, &highest).ok()?))
    }

    /// The columns as they are read, texts as views.
    pub(super) fn schema(&self) -> &Schema {
        self.metadata.schema()
    }

    /// The columns as the file has them.
    pub(super) fn parquet_schema(&self) -> &SchemaDescriptor {
        self.metadata.parquet_schema()
    }

    /// All that it says of itself.
    pub(super) fn metadata(&self) -> &Arc<ParquetMetaData> {
        self.metadata.metadata()
    }

    /// The column of which one of the file's, which may be nested, is a part.
    pub(super) fn root_of(&self, leaf: usize) -> usize {
        self.parquet_schema().get_column_root_idx(leaf)
    }

    /// The one of the file's that a column is, if it is one.
    pub(super) fn leaf_of(&self, position: usize) -> Option<usize> {
        let schema = self.parquet_schema();
        // Nested columns before it have several.
        let mut leaves = position..schema.num_columns();
        let leaf = leaves.find(|leaf| schema.get_column_root_idx(*leaf) == position)?;
        schema.get_column_root(leaf).is_primitive().then_some(leaf)
    }

    /// Whether a column of a row group is texts by their places in a dictionary, as far as the file
    /// says it.
    pub(super) fn has_words(&self, group: usize, position: usize) -> bool {
        let of_texts = matches!(
            self.schema().field(position).data_type(),
            DataType::Utf8View | DataType::BinaryView
        );
        let Some(leaf) = self.leaf_of(position).filter(|_| of_texts) else { return false };
        let column = self.metadata().row_group(group).column(leaf);
        if column.column_descr().physical_type() != Type::BYTE_ARRAY {
            return false;
        }
        let by_places = [Encoding::PLAIN_DICTIONARY, Encoding::RLE_DICTIONARY];
        match column.page_encoding_stats_mask() {
            Some(of_pages) => by_places.iter().any(|encoding| of_pages.is_only(*encoding)),
            None => column.encodings().any(|encoding| by_places.contains(&encoding)),
        }
    }

    /// How many words a column of a row group has that is texts by their places in a dictionary.
    pub(super) fn words(&self, file: &OpenedFile, group: usize, position: usize) -> Option<u64> {
        let column = self.metadata().row_group(group).column(self.leaf_of(position)?);
        let header = file.read(column.byte_range().0, pages::HEADER_BYTES).ok()?;
        page_sizes(&header).ok().filter(|page| page.dictionary).map(|page| page.values)
    }
}
