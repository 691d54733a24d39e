//! ROW_NUMBER, RANK and DENSE_RANK over sorted rows, as these come.
//!
//! DataFusion's operator for functions that need no more than the rows so far keeps the buffers of
//! every text that has passed it (what it holds back is cut from one batch and joined to the next,
//! and arrow's `concat` of views keeps the buffers of all that was cut off): over 3M rows with
//! texts of 40 bytes, 170 MB that nobody counted. These three need nothing of the rows before but
//! the last one's keys.
//!
//! Invariants
//! 1. Only for input that is sorted by the partitions' keys and then by the order's.
//!
//! Not here: the operator (`window`); other functions of the rows so far (DataFusion's).

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, UInt64Array};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::window::StandardWindowExpr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowUDFExpr};
use datafusion::physical_plan::{InputOrderMode, SendableRecordBatchStream};
use futures::StreamExt;

use super::sorted_keys::Keys;

/// What a row is given.
#[derive(Clone, Copy, Debug)]
enum Function {
    RowNumber,
    Rank,
    DenseRank,
}

/// The functions, and what they are over.
#[derive(Debug)]
pub(super) struct Numbering {
    functions: Vec<Function>,
    partition_by: Vec<Arc<dyn PhysicalExpr>>,
    order_by: Vec<Arc<dyn PhysicalExpr>>,
}

impl Numbering {
    /// In place of `window`, if all of its functions are such as these.
    pub(super) fn instead_of(window: &BoundedWindowAggExec) -> Option<Numbering> {
        if window.input_order_mode != InputOrderMode::Sorted {
            return None;
        }
        let expressions = window.window_expr();
        let first = expressions.first()?;
        let alike = expressions.iter().all(|expression| {
            expression.partition_by() == first.partition_by()
                && expression.order_by() == first.order_by()
        });
        let functions = expressions.iter().map(|expression| {
            let standard = expression.as_any().downcast_ref::<StandardWindowExpr>()?;
            let function = standard.get_standard_func_expr().as_any();
            match function.downcast_ref::<WindowUDFExpr>()?.fun().name() {
                "row_number" => Some(Function::RowNumber),
                "rank" => Some(Function::Rank),
                "dense_rank" => Some(Function::DenseRank),
                _ => None,
            }
        });
        Some(Numbering {
            functions: functions.collect::<Option<_>>().filter(|_| alike)?,
            partition_by: first.partition_by().to_vec(),
            order_by: first.order_by().iter().map(|sort| Arc::clone(&sort.expr)).collect(),
        })
    }

    /// The rows with their numbers, as `schema` has them.
    pub(super) fn add_to(
        &self,
        rows: SendableRecordBatchStream,
        schema: SchemaRef,
    ) -> SendableRecordBatchStream {
        let mut numbers = LastNumbers {
            schema: Arc::clone(&schema),
            functions: self.functions.clone(),
            partitions: Keys::new(self.partition_by.clone()),
            peers: Keys::new(self.order_by.clone()),
            row_number: 0,
            rank: 0,
            dense_rank: 0,
        };
        let rows = rows.map(move |batch| numbers.add_to(&batch?));
        Box::pin(RecordBatchStreamAdapter::new(schema, rows))
    }
}

/// The numbers of the last row.
struct LastNumbers {
    schema: SchemaRef,
    functions: Vec<Function>,
    partitions: Keys,
    peers: Keys,
    row_number: u64,
    rank: u64,
    dense_rank: u64,
}

impl LastNumbers {
    /// A batch with its rows' numbers behind its columns.
    fn add_to(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let mut partitions = self.partitions.begins(batch)?.into_iter().peekable();
        let mut peers = self.peers.begins(batch)?.into_iter().peekable();
        let rows = batch.num_rows();
        let mut numbers = vec![Vec::with_capacity(rows); self.functions.len()];
        for row in 0..rows {
            let other_partition = partitions.next_if_eq(&row).is_some();
            let other_peers = peers.next_if_eq(&row).is_some();
            if other_partition {
                (self.row_number, self.rank, self.dense_rank) = (0, 0, 0);
            }
            if other_partition || other_peers || self.rank == 0 {
                self.rank = self.row_number + 1;
                self.dense_rank += 1;
            }
            self.row_number += 1;
            for (function, numbers) in self.functions.iter().zip(&mut numbers) {
                numbers.push(match function {
                    Function::RowNumber => self.row_number,
                    Function::Rank => self.rank,
                    Function::DenseRank => self.dense_rank,
                });
            }
        }
        let mut columns = batch.columns().to_vec();
        columns.extend(numbers.into_iter().map(|all| Arc::new(UInt64Array::from(all)) as ArrayRef));
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }
}
