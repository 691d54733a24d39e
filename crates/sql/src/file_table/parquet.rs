//! Parquet files: their columns, their row groups and what statistics say of these.
//!
//! Invariants
//! 1. Row counts are believed only if the columns' own counts agree: sizes and loops come of them.
//! 2. Texts are checked to be UTF-8 while they are decoded.
//!
//! Not here: types (`types`), which row groups a query wants (`analytic::scan`).

use std::sync::Arc;

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use ::parquet::errors::ParquetError;
use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{Field, Schema};
use datafusion::arrow::error::ArrowError;
use rows::types::ColumnType;

use super::FileColumn;
use super::convert::converted;
use super::opened::{Chunks, OpenedFile};
use super::options::wrong;
use super::types::{read_as, type_of};
use crate::error::{Result, SqlError};

/// What a file says of itself.
#[derive(Debug)]
pub(super) struct ParquetFile {
    metadata: ArrowReaderMetadata,
}

/// Opens files of the same columns.
pub(super) fn open(files: &[Arc<OpenedFile>]) -> Result<(Vec<Arc<ParquetFile>>, Vec<FileColumn>)> {
    let mut all = Vec::with_capacity(files.len());
    let mut known: Option<Vec<FileColumn>> = None;
    for file in files {
        let parquet = file.guarded(|| ParquetFile::open(file))?;
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

impl ParquetFile {
    fn open(file: &Arc<OpenedFile>) -> Result<ParquetFile> {
        let failed = |error| undecoded(file, error);
        let chunks = Chunks(Arc::clone(file));
        let loaded =
            ArrowReaderMetadata::load(&chunks, ArrowReaderOptions::new()).map_err(failed)?;
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
        let metadata = Arc::clone(loaded.metadata());
        let metadata = ArrowReaderMetadata::try_new(metadata, options).map_err(failed)?;
        let parquet = ParquetFile { metadata };
        parquet.check_counts(file)?;
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

    /// Reads the columns at some positions, ascending, of a row group.
    pub(super) fn read(
        &self,
        file: &Arc<OpenedFile>,
        group: usize,
        positions: &[usize],
        batch_rows: usize,
    ) -> Result<ParquetRecordBatchReader> {
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), positions.iter().copied());
        let chunks = Chunks(Arc::clone(file));
        ParquetRecordBatchReaderBuilder::new_with_metadata(chunks, self.metadata.clone())
            .with_row_groups(vec![group])
            .with_projection(mask)
            .with_batch_size(batch_rows)
            .build()
            .map_err(|error| undecoded(file, error))
    }
}
