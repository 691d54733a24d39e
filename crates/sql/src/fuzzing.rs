//! The decoders of this crate for its fuzz targets, which are another package.
//!
//! Not here: what must hold (package `fuzz`). Nothing else may use this.

use std::fs::File;
use std::io::Write;
use std::sync::Arc;

use columnar::arrow::ColumnReader;
use expression::Limits;
use resources::budget::Budget;
use rustix::fs::{MemfdFlags, memfd_create};
use values::ErrorCode;
use values::datum::Value;
use values::temporal::Zone;

pub use crate::load::lines::Splitter;
pub use files::table::{FileFormat, FileOptions};
use files::table::{FileStep, FileTable, ReadRequest, Reading};
pub use results::SqlError;

/// The rows of a file that holds some bytes, read in batches of so many, by a statement that may
/// use so much memory; no more rows than `rows_max`.
///
/// # Errors
/// Those of `FILE()`.
pub fn file_rows(
    bytes: &[u8],
    options: &FileOptions,
    batch_rows: usize,
    memory_bytes: usize,
    rows_max: usize,
) -> Result<Vec<Vec<Value>>, SqlError> {
    let file = memory_file(bytes)
        .map_err(|error| SqlError::new(ErrorCode::ErrorOnRead, error.to_string()))?;
    let limits = Limits::new(1 << 20, &Budget::new(memory_bytes), &Arc::default());
    let limits = Arc::new(limits);
    let table = FileTable::of(vec![("input".to_owned(), file)], options, &limits)?;
    let table = Arc::new(table);
    let positions = (0..table.columns().len()).collect();
    let (groups, rows, zone) = (None, Arc::default(), Zone::default());
    let wanted = ReadRequest { positions, groups, rows, batch_rows, zone };
    let mut rows = Vec::new();
    for step in Reading::new(&table, wanted, &limits).steps() {
        let FileStep::Rows(batch) = step? else { continue };
        let batch = batch.batch()?;
        let readers = table.columns().iter().zip(&batch.columns);
        let readers = readers.map(|(column, array)| ColumnReader::new(&column.ty, array));
        let readers = readers.collect::<rows::Result<Vec<_>>>()?;
        for row in 0..batch.rows {
            rows.push(readers.iter().map(|reader| reader.datum(row).to_value()).collect());
        }
        if rows.len() >= rows_max {
            break;
        }
    }
    rows.truncate(rows_max);
    Ok(rows)
}

/// A file that is in memory alone.
fn memory_file(bytes: &[u8]) -> std::io::Result<File> {
    let mut file = File::from(memfd_create("fuzzed", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    Ok(file)
}
