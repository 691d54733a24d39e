//! Keys by which rows are sorted, as they come: where those of a row differ from those of the row
//! before.
//!
//! Not here: what begins there, a partition of a window function or a group of equal rows
//! (`window`, `numbering`, `carried`, `large_partition`).

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::compute::{concat, partition};
use datafusion::common::Result;
use datafusion::physical_expr::PhysicalExpr;

/// Keys by which rows are sorted, as they come.
pub(super) struct Keys {
    expressions: Vec<Arc<dyn PhysicalExpr>>,
    /// Those of the last row, one value each.
    last: Option<Vec<ArrayRef>>,
}

impl Keys {
    pub(super) fn new(expressions: Vec<Arc<dyn PhysicalExpr>>) -> Keys {
        Keys { expressions, last: None }
    }

    /// The rows of the next batch whose keys are not those of the row before: ascending, 0 for the
    /// first of all. None without keys.
    pub(super) fn begins(&mut self, batch: &RecordBatch) -> Result<Vec<usize>> {
        let rows = batch.num_rows();
        if self.expressions.is_empty() || rows == 0 {
            return Ok(Vec::new());
        }
        let keys: Vec<ArrayRef> = self
            .expressions
            .iter()
            .map(|key| key.evaluate(batch)?.into_array(rows))
            .collect::<Result<_>>()?;
        let mut begins: Vec<usize> =
            partition(&keys)?.ranges().into_iter().map(|range| range.start).collect();
        let value = |at: usize| keys.iter().map(|key| key.slice(at, 1)).collect::<Vec<_>>();
        if let Some(before) = self.last.replace(value(rows - 1)) {
            let mut pairs = Vec::with_capacity(keys.len());
            for (before, first) in before.iter().zip(value(0)) {
                pairs.push(concat(&[before.as_ref(), first.as_ref()])?);
            }
            if partition(&pairs)?.ranges().len() == 1 {
                begins.remove(0);
            }
        }
        Ok(begins)
    }
}
