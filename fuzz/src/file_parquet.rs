//! Parquet files: whatever they hold there are rows or an error, the same however many rows are
//! read at a time, and never more memory than the statement may have.
//!
//! A panic of Arrow's decoder is an error; where one is met, `file_table` had better refuse the
//! file.

use sql::fuzzing::{FileFormat, FileOptions, file_rows};

use crate::memory::within;
use crate::panics::of_libraries;

/// Memory of the statement.
const MEMORY_BYTES: usize = 8 << 20;
/// What is not counted: rows as values, and a batch of them.
const UNCOUNTED_BYTES: usize = 64 << 20;
/// Runs of equal values make many rows of few bytes.
const ROWS_MAX: usize = 300;

/// Reads the input.
pub fn check(input: &[u8]) {
    let options = FileOptions { format: Some(FileFormat::Parquet), ..FileOptions::default() };
    let read = |batch_rows: usize| {
        within(MEMORY_BYTES + UNCOUNTED_BYTES, || {
            of_libraries(|| file_rows(input, &options, batch_rows, MEMORY_BYTES, ROWS_MAX))
        })
    };
    // What is wrong may come behind the rows that are read of one way and not of the other.
    if let (Some(Ok(few)), Some(Ok(many))) = (read(7), read(64)) {
        assert_eq!(format!("{few:?}"), format!("{many:?}"));
    }
}
