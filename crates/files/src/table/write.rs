//! A Parquet file in the making: rows become columns, columns row groups, compressed with zstd.
//!
//! Invariants
//! 1. The file appears with all its rows or not at all (`files::NewFile`).
//! 2. What is not written yet is counted in the memory for clients.
//!
//! Not here: the statement (`session::outfile`), how types are written (`types`, `export`).

use std::io::{self, Write};
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{Field, Schema, SchemaRef};
use columnar::arrow::ColumnWriter;
use parking_lot::Mutex;
use resources::budget::Share;
use values::ErrorCode;
use values::datum::Datum;

use super::export::exported;
use super::types::field_of;
use crate::folders::NewFile;
use results::{Result, ResultColumn, SqlError};

/// Rows that are gathered before they are encoded.
const BATCH_ROWS: usize = 8192;
/// Bytes of texts among them.
const BATCH_BYTES: usize = 4 << 20;
/// Rows of a row group: readers skip and share whole ones.
const GROUP_ROWS: usize = 128 << 10;
/// Bytes after which a row group has enough of rows.
const GROUP_BYTES: usize = 32 << 20;
/// The level of zstd at which it costs little time.
const ZSTD_LEVEL: i32 = 1;

/// Writes rows.
pub struct ParquetWriter {
    columns: Arc<[ResultColumn]>,
    schema: SchemaRef,
    writer: ArrowWriter<FileSink>,
    gathered: Vec<ColumnWriter>,
    gathered_rows: usize,
    gathered_bytes: usize,
    failure: WriteFailure,
    share: Share,
}

/// What the file said when a write failed: the encoder passes on words alone.
type WriteFailure = Arc<Mutex<Option<SqlError>>>;

struct FileSink {
    file: NewFile,
    failure: WriteFailure,
}

impl Write for FileSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.file.write(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(error) => {
                *self.failure.lock() = Some(error);
                Err(io::Error::other("the file cannot be written"))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ParquetWriter {
    /// Begins a file of these columns.
    ///
    /// # Errors
    /// 1060 for two columns of one name, which no reader could tell apart; 1026.
    pub fn new(file: NewFile, columns: Arc<[ResultColumn]>, share: Share) -> Result<ParquetWriter> {
        for (at, column) in columns.iter().enumerate() {
            if columns[..at].iter().any(|other| other.name.eq_ignore_ascii_case(&column.name)) {
                let message = format!("Duplicate column name '{}'", column.name);
                return Err(SqlError::new(ErrorCode::DupFieldname, message));
            }
        }
        let fields: Vec<Field> =
            columns.iter().map(|column| field_of(&column.name, &column.ty)).collect();
        let schema = Arc::new(Schema::new(fields));
        let level = ZstdLevel::try_new(ZSTD_LEVEL).map_err(unencoded)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_created_by(concat!("Rowhouse ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let failure = WriteFailure::default();
        let sink = FileSink { file, failure: Arc::clone(&failure) };
        let writer = ArrowWriter::try_new(sink, Arc::clone(&schema), Some(properties));
        let writer = writer.map_err(unencoded)?;
        let gathered = gathered_of(&columns);
        let (gathered_rows, gathered_bytes) = (0, 0);
        Ok(ParquetWriter {
            columns,
            schema,
            writer,
            gathered,
            gathered_rows,
            gathered_bytes,
            failure,
            share,
        })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// 1026 as for a full disk; 1041 when clients use all their memory; 1292 for a date that
    /// Parquet has none for.
    pub fn add(&mut self, row: &[Datum<'_>]) -> Result<()> {
        for (writer, datum) in self.gathered.iter_mut().zip(row) {
            writer.append(*datum)?;
            if let Datum::Bytes(bytes) = datum {
                self.gathered_bytes += bytes.len();
            }
        }
        self.gathered_rows += 1;
        if self.gathered_rows == BATCH_ROWS || self.gathered_bytes >= BATCH_BYTES {
            self.encode()?;
        }
        Ok(())
    }

    fn encode(&mut self) -> Result<()> {
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(self.columns.len());
        for (column, writer) in self.columns.iter().zip(&mut self.gathered) {
            let array = exported(&column.ty, &writer.finish()).map_err(|error| {
                let message =
                    format!("Column '{}' cannot be written as Parquet: {error}", column.name);
                SqlError::new(ErrorCode::TruncatedWrongValue, message)
            })?;
            arrays.push(array);
        }
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays)
            .map_err(|error| SqlError::other(error.to_string()))?;
        self.share.keep_up_with(self.writer.memory_size() + batch.get_array_memory_size())?;
        self.writer.write(&batch).map_err(|error| told(&self.failure, error))?;
        if self.writer.in_progress_size() >= GROUP_BYTES {
            self.writer.flush().map_err(|error| told(&self.failure, error))?;
        }
        (self.gathered_rows, self.gathered_bytes) = (0, 0);
        Ok(())
    }

    /// All rows are there: lets the file appear, unless `may_appear` says otherwise.
    ///
    /// # Errors
    /// As `add`, and those of `NewFile::finish`.
    pub fn finish(mut self, may_appear: impl FnOnce() -> Result<()>) -> Result<()> {
        if self.gathered_rows > 0 {
            self.encode()?;
        }
        let ParquetWriter { writer, failure, .. } = self;
        let sink = writer.into_inner().map_err(|error| told(&failure, error))?;
        may_appear()?;
        sink.file.finish()
    }
}

fn gathered_of(columns: &[ResultColumn]) -> Vec<ColumnWriter> {
    columns.iter().map(|column| ColumnWriter::new(&column.ty, BATCH_ROWS)).collect()
}

/// The file's own error, if there was one.
fn told(failure: &WriteFailure, error: ParquetError) -> SqlError {
    failure.lock().take().unwrap_or_else(|| unencoded(error))
}

fn unencoded(error: ParquetError) -> SqlError {
    SqlError::new(ErrorCode::ErrorOnWrite, format!("Rows cannot be written as Parquet: {error}"))
}
