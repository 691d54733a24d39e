//! What is kept of the rows of groups: the states of a partial aggregation.
//!
//! Invariants
//! 1. Memory is asked for segment by segment; where there is no more, and above a bound, the groups
//!    found so far are given and forgotten. A group may so be given several times.
//!
//! Not here: which rows are of a group (`columnar::GroupTable`).

use std::fmt;
use std::sync::Arc;

use columnar::{Batch, GroupBatch, GroupStep, Total};
use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Int64Array, RecordBatch, RecordBatchOptions,
};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::Result;
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::Literal;
use datafusion::physical_expr::utils::{collect_columns, reassign_expr_columns};

use super::super::failure::raise;
use super::columnar::record;
use super::grouping::GroupSource;
use super::totals::TotalOf;

/// Bytes of groups above which they are given.
pub(super) const GROUPS_BYTES_MAX: usize = 32 << 20;

/// What groups are made of, and what comes of them.
pub(super) struct StatesShape {
    /// Over the keys.
    pub(super) groups: Vec<Arc<dyn PhysicalExpr>>,
    pub(super) states: Vec<AggregateState>,
    /// For each folded state, where the scan gives totals instead of values.
    pub(super) totals: Option<Vec<TotalOf>>,
    /// The columns that are keys, and those that are values.
    pub(super) keys: SchemaRef,
    pub(super) values: SchemaRef,
    /// The groups, then the states.
    pub(super) schema: SchemaRef,
}

/// What is kept for one aggregate function.
pub(super) enum AggregateState {
    /// How many rows.
    Count,
    /// A value of any row, which is the same for all, and, if so, that there is one.
    Same(Arc<dyn PhysicalExpr>, bool),
    /// What the function makes of its arguments' values.
    Folded(Arc<AggregateFunctionExpr>, Vec<Arc<dyn PhysicalExpr>>),
}

impl AggregateState {
    /// Of a function, in groups by the columns at some places; `None` for what only DataFusion's
    /// own aggregation can do.
    pub(super) fn of(
        function: &Arc<AggregateFunctionExpr>,
        keys: &[usize],
    ) -> Option<AggregateState> {
        if !function.order_bys().is_empty() {
            return None;
        }
        let arguments = function.expressions();
        if let ([of], false) = (&arguments[..], function.is_distinct()) {
            let of_keys = || collect_columns(of).iter().all(|own| keys.contains(&own.index()));
            match function.fun().name() {
                // COUNT of something that is never NULL.
                "count" if is_constant(of) => return Some(AggregateState::Count),
                "first_value" if has_first(function) && of_keys() => {
                    return Some(AggregateState::Same(Arc::clone(of), true));
                }
                "min" | "max" if of_keys() => {
                    return Some(AggregateState::Same(Arc::clone(of), false));
                }
                _ => {}
            }
        }
        let folds = function.groups_accumulator_supported();
        folds.then(|| AggregateState::Folded(Arc::clone(function), arguments))
    }

    /// How folded states come of totals; `None` where one of them does not.
    pub(super) fn totals(states: &[AggregateState], values: &SchemaRef) -> Option<Vec<TotalOf>> {
        let folded = states.iter().filter_map(|state| match state {
            AggregateState::Folded(function, arguments) => Some((function, arguments)),
            AggregateState::Count | AggregateState::Same(..) => None,
        });
        folded.map(|(function, arguments)| TotalOf::of(function, arguments, values)).collect()
    }

    /// What it is computed from, row by row.
    pub(super) fn values(&self) -> &[Arc<dyn PhysicalExpr>] {
        if let AggregateState::Folded(_, arguments) = self { arguments } else { &[] }
    }

    /// The same over the columns of keys, and of values.
    pub(super) fn reading(self, keys: &SchemaRef, values: &SchemaRef) -> Result<AggregateState> {
        Ok(match self {
            AggregateState::Count => AggregateState::Count,
            AggregateState::Same(of, is_told) => {
                AggregateState::Same(reassign_expr_columns(of, keys)?, is_told)
            }
            AggregateState::Folded(function, arguments) => {
                let arguments = arguments.into_iter().map(|of| reassign_expr_columns(of, values));
                AggregateState::Folded(function, arguments.collect::<Result<_>>()?)
            }
        })
    }
}

impl fmt::Display for AggregateState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AggregateState::Count => write!(f, "count"),
            AggregateState::Same(of, _) => write!(f, "same({of})"),
            AggregateState::Folded(function, _) => write!(f, "{}", function.name()),
        }
    }
}

fn is_constant(of: &Arc<dyn PhysicalExpr>) -> bool {
    of.downcast_ref::<Literal>().is_some_and(|literal| !literal.value().is_null())
}

/// Whether the state of a first value is a value and a boolean.
pub(super) fn has_first(function: &AggregateFunctionExpr) -> bool {
    let fields = function.state_fields().unwrap_or_default();
    matches!(&fields[..], [_, is_set] if *is_set.data_type() == DataType::Boolean)
}

/// The accumulators of the states that have one, in order.
type Folds = Vec<Box<dyn GroupsAccumulator>>;

/// An iterator over the states of groups; an error is the last that it gives.
pub(super) struct States {
    groups: Box<dyn GroupSource>,
    shape: Arc<StatesShape>,
    folds: Folds,
    memory: MemoryReservation,
    ended: bool,
}

impl StatesShape {
    fn folds(&self) -> Result<Folds> {
        let functions = self.states.iter().filter_map(|state| match state {
            AggregateState::Folded(function, _) => Some(function.create_groups_accumulator()),
            AggregateState::Count | AggregateState::Same(..) => None,
        });
        functions.collect()
    }

    /// Adds rows to their groups, of which there are so many.
    fn fold(&self, folds: &mut Folds, groups: &[usize], all: usize, values: Batch) -> Result<()> {
        let rows = record(&self.values, values)?;
        let arguments = self.states.iter().filter_map(|state| match state {
            AggregateState::Folded(_, arguments) => Some(arguments),
            AggregateState::Count | AggregateState::Same(..) => None,
        });
        for (fold, arguments) in folds.iter_mut().zip(arguments) {
            let values = arguments.iter().map(|of| of.evaluate(&rows)?.into_array(rows.num_rows()));
            fold.update_batch(&values.collect::<Result<Vec<_>>>()?, groups, None, all)?;
        }
        Ok(())
    }

    /// Adds what the rows of a segment come to, all of which are of the only group.
    fn merge(&self, folds: &mut Folds, totals: &[Total]) -> Result<()> {
        for (fold, of) in folds.iter_mut().zip(self.totals.iter().flatten()) {
            fold.merge_batch(&[of.state(&totals[of.value])?], &[0], 1)?;
        }
        Ok(())
    }

    /// The groups with their states.
    fn finish(&self, folds: Folds, groups: GroupBatch) -> Result<RecordBatch> {
        let count = groups.counts.len();
        let counts: ArrayRef = Arc::new(Int64Array::from(groups.counts));
        let keys = record(&self.keys, groups.keys)?;
        let mut columns = Vec::with_capacity(self.schema.fields().len());
        for group in &self.groups {
            columns.push(group.evaluate(&keys)?.into_array(count)?);
        }
        let mut folds = folds.into_iter();
        for state in &self.states {
            match state {
                AggregateState::Count => columns.push(Arc::clone(&counts)),
                AggregateState::Same(of, is_told) => {
                    columns.push(of.evaluate(&keys)?.into_array(count)?);
                    if *is_told {
                        columns.push(Arc::new(BooleanArray::from(vec![true; count])));
                    }
                }
                AggregateState::Folded(..) => {
                    let mut fold = folds.next().expect("one for each folded state");
                    columns.extend(fold.state(EmitTo::All)?);
                }
            }
        }
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?)
    }
}

impl States {
    pub(super) fn new(
        groups: Box<dyn GroupSource>,
        shape: Arc<StatesShape>,
        memory: MemoryReservation,
    ) -> Result<States> {
        let folds = shape.folds()?;
        Ok(States { groups, shape, folds, memory, ended: false })
    }

    /// What comes next; batches may be empty.
    fn step(&mut self) -> Result<RecordBatch> {
        while let Some(grouped) = self.groups.next() {
            match grouped? {
                GroupStep::Rows(groups, values) => {
                    let all = self.groups.table().len();
                    self.shape.fold(&mut self.folds, &groups, all, values)?;
                }
                GroupStep::Alone(keys, values) => {
                    let mut folds = self.shape.folds()?;
                    let groups: Vec<usize> = (0..keys.rows).collect();
                    let counts = vec![1; keys.rows];
                    self.shape.fold(&mut folds, &groups, keys.rows, values)?;
                    return self.shape.finish(folds, GroupBatch { keys, counts });
                }
                GroupStep::Totals(totals) => {
                    self.shape.merge(&mut self.folds, &totals)?;
                    return self.pause();
                }
                GroupStep::Segment => return self.pause(),
            }
        }
        self.ended = true;
        self.take()
    }

    /// Behind a segment: nothing, or the groups found so far where they have become too large.
    fn pause(&mut self) -> Result<RecordBatch> {
        let folded: usize = self.folds.iter().map(|fold| fold.size()).sum();
        let bytes = self.groups.table().bytes() + folded;
        if bytes > GROUPS_BYTES_MAX || self.memory.try_resize(bytes).is_err() {
            return self.take();
        }
        Ok(RecordBatch::new_empty(Arc::clone(&self.shape.schema)))
    }

    /// The groups found so far, which are forgotten.
    fn take(&mut self) -> Result<RecordBatch> {
        let folds = std::mem::replace(&mut self.folds, self.shape.folds()?);
        let taken = self.shape.finish(folds, self.groups.table().drain().map_err(raise)?);
        self.memory.free();
        taken
    }
}

impl Iterator for States {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        if self.ended {
            return None;
        }
        Some(self.step())
    }
}
