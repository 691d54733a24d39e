//! Texts without the buffers of other rows.
//!
//! A text of a batch points into a buffer, which the batches that were made of it share: what
//! joins, filters and divisions give out are pieces of buffers of up to 2 MiB. Whoever counts what
//! a batch takes counts all of each buffer, so that a batch of 500 short texts was too large for a
//! sort in a small memory.
//!
//! Invariants
//! 1. Rows are the same, and in the same order.
//!
//! Not here: whose rows are made compact (`ending::node`, `carried`).

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;

/// A text's buffers are copied when so much of them is of other rows.
const FOREIGN_PART: usize = 2;
/// Foreign bytes that a batch may take along.
const FOREIGN_BYTES_MAX: usize = 16 << 10;

/// Bytes of the texts of a column of views, and of all in its buffers.
pub(super) fn text_bytes(column: &ArrayRef) -> (usize, usize) {
    match column.as_binary_view_opt() {
        Some(views) => {
            let all = views.data_buffers().iter().map(|buffer| buffer.capacity()).sum();
            (views.total_buffer_bytes_used(), all)
        }
        None => (0, 0),
    }
}

/// Bytes of values that a window function may give for one batch, where one long text is the value
/// of many rows.
pub(super) const VALUES_BYTES_MAX: usize = 4 << 20;

/// The length of the longest text by offsets: window functions look at texts in this form.
pub(super) fn longest_text(batch: &RecordBatch) -> usize {
    let texts = batch.columns().iter().filter_map(|column| column.as_binary_opt::<i64>());
    let lengths = texts.flat_map(|texts| texts.offsets().windows(2).map(|pair| pair[1] - pair[0]));
    lengths.max().map_or(0, |longest| usize::try_from(longest).unwrap_or(usize::MAX))
}

/// How many rows may have such a text as their value in one batch.
pub(super) fn rows_with(longest: usize) -> usize {
    (VALUES_BYTES_MAX / longest.max(1)).max(1)
}

/// A column whose buffers are hardly of other rows.
pub(super) fn compact(column: &ArrayRef) -> ArrayRef {
    let (used, all) = text_bytes(column);
    match all > used * FOREIGN_PART {
        true => Arc::new(column.as_binary_view().gc()),
        false => Arc::clone(column),
    }
}

/// A batch whose buffers are hardly of other rows.
pub(super) fn compacted(batch: RecordBatch) -> Result<RecordBatch> {
    // Most buffers are small, or nothing but texts of these rows: then these are not looked at.
    let takes_much = |column: &ArrayRef| {
        column.data_type() == &DataType::BinaryView && {
            let buffers = column.as_binary_view().data_buffers().iter();
            buffers.map(|buffer| buffer.capacity()).sum::<usize>() > FOREIGN_BYTES_MAX
        }
    };
    if !batch.columns().iter().any(takes_much) {
        return Ok(batch);
    }
    let columns = batch.columns().iter().map(|column| match takes_much(column) {
        true => compact(column),
        false => Arc::clone(column),
    });
    Ok(RecordBatch::try_new(batch.schema(), columns.collect())?)
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::BinaryViewArray;
    use datafusion::arrow::datatypes::{Field, Schema};

    use super::*;

    #[test]
    fn a_piece_of_a_batch_took_all_of_its_texts_along() {
        let texts = (0..8000).map(|number| Some(format!("a text that is not short {number}")));
        let texts: BinaryViewArray = texts
            .map(|text| text.map(String::into_bytes))
            .collect::<Vec<_>>()
            .iter()
            .map(|text| text.as_deref())
            .collect();
        let schema = Arc::new(Schema::new(vec![Field::new("s", DataType::BinaryView, true)]));
        let all = RecordBatch::try_new(schema, vec![Arc::new(texts)]).unwrap();
        let piece = all.slice(100, 50);
        assert!(piece.get_array_memory_size() > 200_000);
        let compact = compacted(piece.clone()).unwrap();
        assert_eq!(compact, piece);
        assert!(compact.get_array_memory_size() < 10_000);
        let whole = compacted(all.clone()).unwrap();
        let buffers =
            |batch: &RecordBatch| batch.column(0).as_binary_view().data_buffers()[0].as_ptr();
        assert_eq!(buffers(&whole), buffers(&all), "nothing is copied for nothing");
    }
}
