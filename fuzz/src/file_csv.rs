//! CSV and JSON files: whatever they hold there are rows or an error, the same however many rows
//! are read at a time, and never more memory than the statement may have.

use sql::fuzzing::{FileFormat, FileOptions, file_rows};

use crate::memory::within;
use crate::shapes::byte;

/// Memory of the statement: a piece of a file takes a MiB of it.
const MEMORY_BYTES: usize = 8 << 20;
/// What is not counted: rows as values, and a batch of them.
const UNCOUNTED_BYTES: usize = 64 << 20;
const ROWS_MAX: usize = 300;

/// Reads the input by options that its first byte chooses.
pub fn check(mut input: &[u8]) {
    let choice = byte(&mut input);
    let has = |bit: u8| choice & 1 << bit != 0;
    let format = if has(0) { FileFormat::Json } else { FileFormat::Csv };
    let mut options = FileOptions { format: Some(format), ..FileOptions::default() };
    if format == FileFormat::Csv {
        options.header = Some(has(1));
        options.delimiter = Some(if has(2) { b'\t' } else { b',' });
        options.quote = has(3).then_some(None);
        options.escape = has(4).then_some(b'\\');
        options.nulls = has(5).then(|| "NULL".to_owned());
    }
    let read = |batch_rows: usize| {
        within(MEMORY_BYTES + UNCOUNTED_BYTES, || {
            file_rows(input, &options, batch_rows, MEMORY_BYTES, ROWS_MAX)
        })
    };
    if let (Ok(few), Ok(many)) = (read(7), read(64)) {
        assert_eq!(format!("{few:?}"), format!("{many:?}"));
    }
}
