//! About how wide rows are, before there are any.
//!
//! Not here: what they take when they are there (`ending::pool`).

use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;
use results::Result;
use rows::{Engine, Table};

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

/// About how many bytes a row has of the table whose rows are the widest; 0 where nothing is known.
pub(super) fn widest_row(engine: &Engine, tables: &[Arc<Table>]) -> Result<usize> {
    let mut widest = 0;
    for table in tables {
        if let (Some(bytes), Some(rows)) = (engine.row_bytes(table)?, engine.row_count(table)?) {
            widest = widest.max(bytes / rows.max(1));
        }
    }
    Ok(usize::try_from(widest).unwrap_or(usize::MAX))
}
