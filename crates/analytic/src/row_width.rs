//! About how wide rows are, before there are any.
//!
//! Not here: what they take when they are there (`ending::pool`).

use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;

/// Bytes that a row takes in such a table besides its columns.
const HASHED_ROW_BYTES: usize = 32;
/// Bytes of a column whose values have no fixed width, by guess.
pub(super) const TEXT_BYTES: usize = 40;

/// About how many bytes a row of a plan takes where it is kept.
pub(super) fn row_bytes(plan: &Arc<dyn ExecutionPlan>) -> usize {
    let schema = plan.schema();
    let columns = schema.fields().iter();
    let bytes = columns.map(|field| field.data_type().primitive_width().unwrap_or(TEXT_BYTES));
    HASHED_ROW_BYTES + bytes.sum::<usize>()
}
