//! Operators that ask before each batch whether their execution is to go on.
//!
//! Each node of a plan gets such a cover, so that a reader that takes batches from it without
//! waiting, be it an operator or a task that one has started, ends with the execution. Behind an
//! end the operator below is dropped at once, with its memory and files.
//!
//! Invariants
//! 1. The cover is not to be seen: to those who look for a kind of operator, print the plan or read
//!    its counters it is the operator below.
//! 2. Each batch counts for the time that a task may run without yielding.
//!
//! 3. Rows for an operator that keeps them come without the texts of other rows
//!    (`analytic::compact`).
//!
//! Not here: loops within an operator for one batch (`filter`, `files`).

use std::any::Any;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, Statistics};
use datafusion::execution::TaskContext;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{
    ChildrenPropertiesMode, InvariantLevel, ReplaceChildrenOptions,
};
use datafusion::physical_plan::joins::{HashJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, RecordBatchStream,
    SendableRecordBatchStream,
};
use futures::{Stream, StreamExt};
use resources::interrupt::{self, Interrupt};
use results::SqlError;
use tokio::task::coop;
use values::ErrorCode;

use super::execution::Execution;
use super::filter::asking;
use crate::compact::compacted;
use crate::failure::raise;

/// A plan whose nodes ask.
pub(crate) fn interruptible(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let covered = |node: Arc<dyn ExecutionPlan>| {
        let node = asking(&node)?.unwrap_or(node);
        let inner = if keeps_batches(&node) { over_compact(node)? } else { node };
        Ok(Transformed::yes(Interruptible::over(inner, false)))
    };
    plan.transform_up(covered).data()
}

/// A node whose inputs, which are covered, give compact rows.
fn over_compact(node: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let compact = |input: &Arc<dyn ExecutionPlan>| {
        // `downcast_ref` of a plan would see what is covered.
        match (input.as_ref() as &dyn Any).downcast_ref::<Interruptible>() {
            Some(cover) => Interruptible::over(Arc::clone(&cover.inner), true),
            None => Arc::clone(input),
        }
    };
    let inputs = node.children().into_iter().map(compact).collect();
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    node.replace_children(inputs, options)
}

/// Whether an operator keeps batches as they come, and counts them with all of their buffers.
fn keeps_batches(node: &Arc<dyn ExecutionPlan>) -> bool {
    node.downcast_ref::<SortExec>().is_some()
        || node.downcast_ref::<SortMergeJoinExec>().is_some()
        || node.downcast_ref::<HashJoinExec>().is_some()
        || node.downcast_ref::<RepartitionExec>().is_some()
}

/// A node that asks.
#[derive(Debug)]
struct Interruptible {
    inner: Arc<dyn ExecutionPlan>,
    /// Whether the operator above keeps its rows.
    is_compact: bool,
}

impl Interruptible {
    fn over(inner: Arc<dyn ExecutionPlan>, is_compact: bool) -> Arc<dyn ExecutionPlan> {
        Arc::new(Interruptible { inner, is_compact })
    }

    fn in_place_of(&self, inner: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        Interruptible::over(inner, self.is_compact)
    }
}

impl DisplayAs for Interruptible {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt_as(form, f)
    }
}

impl ExecutionPlan for Interruptible {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn downcast_delegate(&self) -> Option<&dyn ExecutionPlan> {
        Some(self.inner.as_ref())
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.inner.properties()
    }

    fn check_invariants(&self, level: InvariantLevel) -> Result<()> {
        self.inner.check_invariants(level)
    }

    fn dynamic_expressions_produced(&self) -> Vec<Arc<dyn PhysicalExpr>> {
        self.inner.dynamic_expressions_produced()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        self.inner.maintains_input_order()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.inner.children()
    }

    fn apply_expressions(
        &self,
        each: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.inner.apply_expressions(each)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let inner = Arc::clone(&self.inner).replace_children(children, options)?;
        Ok(self.in_place_of(inner))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        self.replace_children(children, options)
    }

    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        let inner = Arc::clone(&self.inner).reset_state()?;
        Ok(self.in_place_of(inner))
    }

    fn with_new_state(&self, state: Arc<dyn Any + Send + Sync>) -> Option<Arc<dyn ExecutionPlan>> {
        self.inner.with_new_state(state).map(|inner| self.in_place_of(inner))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let Some(execution) = context.session_config().get_extension::<Execution>() else {
            return self.inner.execute(partition, context);
        };
        execution.check()?;
        let rows = self.inner.execute(partition, context)?;
        let (schema, is_compact) = (rows.schema(), self.is_compact);
        Ok(Box::pin(AskingStream { schema, rows: Some(rows), is_compact, execution }))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.inner.metrics()
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        self.inner.statistics_from_inputs(inputs, args)
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        self.inner.child_stats_requests(partition)
    }

    fn fetch(&self) -> Option<usize> {
        self.inner.fetch()
    }
}

/// The batches of a node.
struct AskingStream {
    schema: SchemaRef,
    /// `None` when the execution was to end.
    rows: Option<SendableRecordBatchStream>,
    is_compact: bool,
    execution: Arc<Execution>,
}

impl Stream for AskingStream {
    type Item = Result<RecordBatch>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if let Err(end) = this.execution.check() {
            this.rows = None;
            return Poll::Ready(Some(Err(end)));
        }
        let Some(rows) = &mut this.rows else {
            let over =
                SqlError::new(ErrorCode::QueryInterrupted, "Query execution was interrupted");
            return Poll::Ready(Some(Err(raise(over))));
        };
        let turn = ready!(coop::poll_proceed(context));
        let _working = interrupt::working(Arc::clone(&this.execution) as Arc<dyn Interrupt>);
        let batch = ready!(rows.poll_next_unpin(context));
        turn.made_progress();
        Poll::Ready(match batch {
            Some(Err(error)) => Some(Err(this.execution.said_of(error))),
            Some(Ok(batch)) if this.is_compact => Some(compacted(batch)),
            other => other,
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.as_ref().map_or((0, None), Stream::size_hint)
    }
}

impl RecordBatchStream for AskingStream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
