//! The decoders of this crate for its fuzz targets, which are another package.
//!
//! Not here: what must hold (package `fuzz`). Nothing else may use this.

use arrow_array::ArrayRef;
use rows::error::Result;
use values::datum::Value;
use values::types::ColumnType;

use crate::column::{Column, Encoder, Gather, Selection, source_of};
use crate::segment::Segment;

/// A column as it is stored.
pub struct StoredColumn(Column);

/// The bytes of a column of some values.
///
/// # Errors
/// `Corrupt` for a value of another type.
pub fn encode(ty: &ColumnType, values: &[Value]) -> Result<Vec<u8>> {
    let mut gather = Gather::new(ty);
    for value in values {
        gather.append(value.as_datum())?;
    }
    Ok(gather.finish(&mut Encoder::new()?)?.bytes)
}

/// What is known of a segment, read and written again.
///
/// # Errors
/// `Corrupt`.
pub fn segment(stored: &[u8]) -> Result<Vec<u8>> {
    Segment::decode(stored).map(|segment| segment.encode())
}

impl StoredColumn {
    /// A column of so many rows; if it follows from another one, from one of three numbers and
    /// NULL.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn decode(stored: &[u8], rows: usize) -> Result<StoredColumn> {
        let numbers: Vec<u32> = (0..rows as u32).map(|row| row % 4).collect();
        let source = source_of(stored).map(|_| Column::of_numbers(0, &numbers));
        Column::decode(stored, rows, source.as_ref()).map(StoredColumn)
    }

    /// All rows, one by one.
    ///
    /// # Errors
    /// `Corrupt` when it is a column of another type.
    pub fn values(&self, ty: &ColumnType, rows: usize) -> Result<Vec<Value>> {
        (0..rows).map(|row| self.0.datum(ty, row).map(|datum| datum.to_value())).collect()
    }

    /// All rows of a range, or of some rows of it, at once.
    ///
    /// # Errors
    /// As `values`.
    pub fn array(&self, ty: &ColumnType, rows: usize, all: bool) -> Result<ArrayRef> {
        self.0.array(ty, &selected(rows, all))
    }

    /// The rows whose numbers are in a range.
    pub fn retained(&self, rows: usize, range: (u64, u64), all: bool) -> Vec<usize> {
        let mut selection = selected(rows, all);
        self.0.retain(&[range], 0, false, &[], &mut selection);
        let mut kept = Vec::new();
        let kept_all = selection.try_each(|row| {
            kept.push(row);
            Ok(())
        });
        kept_all.expect("no error of its own");
        kept
    }
}

fn selected(rows: usize, all: bool) -> Selection {
    match all {
        true => Selection::Range(0..rows),
        false => Selection::Rows((0..rows as u32).filter(|row| row % 3 != 1).collect()),
    }
}
