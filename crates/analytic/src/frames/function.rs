//! A function over a frame that moves, as DataFusion calls it.
//!
//! Invariants
//! 1. The arguments are what the function is over, then the keys by which rows are sorted if an end
//!    of the frame depends on them, then the keys where the frame begins and ends if these are so
//!    far from the row's own.
//!
//! Not here: how it is computed (`values`), which functions are such (`lower::window`).

use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{DataFusionError, Result};
use datafusion::logical_expr::function::{PartitionEvaluatorArgs, WindowUDFFieldArgs};
use datafusion::logical_expr::{
    PartitionEvaluator, Signature, Volatility, WindowUDF, WindowUDFImpl,
};
use futures::FutureExt;

use super::blocks::BLOCK_ROWS;
use super::totals::Totalling;
use super::values::FramedRows;

/// What is had of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FramedCall {
    /// Of all its rows.
    Total(Totalling),
    /// FIRST_VALUE.
    First,
    /// LAST_VALUE.
    Last,
    /// NTH_VALUE, counted from 1.
    Nth(u64),
}

/// Where a frame begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FrameEdge {
    /// With the partition.
    Unbounded,
    /// So many rows behind the row at hand; before it where this is negative.
    Rows(i64),
    /// With the rows that have the key of the row at hand.
    Peers,
    /// With those that have a key which is so far from it.
    Key,
}

impl FrameEdge {
    /// Whether it depends on the keys of rows.
    pub(super) fn is_by_key(self) -> bool {
        matches!(self, FrameEdge::Peers | FrameEdge::Key)
    }
}

/// A function over a frame that moves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FramedFunction {
    name: String,
    pub(super) call: FramedCall,
    pub(super) start: FrameEdge,
    pub(super) end: FrameEdge,
    /// Of each key, whether it sorts downwards; none where the frame depends on no keys.
    pub(super) descending: Vec<bool>,
    signature: Signature,
}

impl FramedFunction {
    /// Over frames of rows that are sorted so.
    pub(crate) fn new(
        call: FramedCall,
        (start, end): (FrameEdge, FrameEdge),
        descending: Vec<bool>,
    ) -> FramedFunction {
        let by_key = start.is_by_key() || end.is_by_key();
        let descending = if by_key { descending } else { Vec::new() };
        let moved = [start, end].into_iter().filter(|edge| *edge == FrameEdge::Key).count();
        let signature = Signature::any(1 + descending.len() + moved, Volatility::Immutable);
        let name = format!("framed#{call:?}#{start:?}#{end:?}");
        FramedFunction { name, call, start, end, descending, signature }
    }

    /// Whether the keys of rows are among the arguments.
    pub(crate) fn wants_keys(&self) -> bool {
        !self.descending.is_empty()
    }

    /// The type of what it gives.
    pub(super) fn result(&self, argument: &DataType) -> Result<DataType> {
        match self.call {
            FramedCall::Total(totalling) => totalling.result(argument),
            _ => Ok(argument.clone()),
        }
    }
}

impl WindowUDFImpl for FramedFunction {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn partition_evaluator(
        &self,
        args: PartitionEvaluatorArgs<'_>,
    ) -> Result<Box<dyn PartitionEvaluator>> {
        let types = args.input_fields().iter().map(|field| field.data_type().clone()).collect();
        Ok(Box::new(FramedEvaluator { function: Arc::new(self.clone()), types }))
    }

    fn field(&self, args: WindowUDFFieldArgs<'_>) -> Result<FieldRef> {
        let argument = args.get_input_field(0).ok_or_else(|| {
            DataFusionError::Internal("a function over a frame of nothing".to_owned())
        })?;
        let ty = self.result(argument.data_type())?;
        let nullable = self.call != FramedCall::Total(Totalling::Count);
        Ok(Arc::new(Field::new(args.name(), ty, nullable)))
    }
}

/// A window function of DataFusion's as one of these, if it is.
pub(crate) fn framed(function: &WindowUDF) -> Option<Arc<FramedFunction>> {
    function.inner().downcast_ref::<FramedFunction>().map(|framed| Arc::new(framed.clone()))
}

/// Computes a function for a partition that fits into memory.
#[derive(Debug)]
struct FramedEvaluator {
    function: Arc<FramedFunction>,
    types: Vec<DataType>,
}

impl PartitionEvaluator for FramedEvaluator {
    fn evaluate_all(&mut self, values: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        let mut framed = FramedRows::in_memory(&self.function, &self.types)?;
        for first in (0..rows).step_by(BLOCK_ROWS) {
            let count = BLOCK_ROWS.min(rows - first);
            framed.add(values.iter().map(|column| column.slice(first, count)).collect())?;
        }
        let mut values = framed.finish()?;
        let all = values.take(rows).now_or_never();
        all.ok_or_else(|| DataFusionError::Internal("a wait for what is in memory".to_owned()))?
    }
}
