//! Sides of joins that are gathered, and have no columns: their rows are counted instead.
//!
//! `SELECT COUNT(*) FROM a, b, c` takes no column of any table. A join gathers one of its sides,
//! asks for the memory of its columns, which is none, and keeps each of its batches all the same: a
//! hundred bytes for each of billions. All that such a side says is how many rows it has.
//!
//! Invariants
//! 1. As many rows come as below, in one batch.
//!
//! Not here: sides with columns, for which joins ask (decision 0088 lists who asks for what).

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{DataFusionError, Result, Statistics};
use datafusion::execution::TaskContext;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{
    ChildrenPropertiesMode, ReplaceChildrenOptions, replace_children_if_necessary,
};
use datafusion::physical_plan::joins::{CrossJoinExec, NestedLoopJoinExec};
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, SendableRecordBatchStream,
};
use futures::{StreamExt, stream};

/// A plan in which sides without columns are counted.
pub(super) fn counted(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_up(|node| {
        let gathers = node.downcast_ref::<CrossJoinExec>().is_some()
            || node.downcast_ref::<NestedLoopJoinExec>().is_some();
        let mut sides: Vec<Arc<dyn ExecutionPlan>> = node.children().into_iter().cloned().collect();
        if !gathers || !sides[0].schema().fields().is_empty() {
            return Ok(Transformed::no(node));
        }
        sides[0] = Arc::new(RowCount { input: Arc::clone(&sides[0]) });
        replace_children_if_necessary(node, sides).map(Transformed::yes)
    })
    .data()
}

/// The rows of a plan without columns.
#[derive(Debug)]
struct RowCount {
    input: Arc<dyn ExecutionPlan>,
}

impl DisplayAs for RowCount {
    fn fmt_as(&self, _form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RowCount")
    }
}

impl ExecutionPlan for RowCount {
    fn name(&self) -> &str {
        "RowCount"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _each: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let nothing = || DataFusionError::Internal("rows of nothing are counted".to_owned());
        Ok(Arc::new(RowCount { input: children.pop().ok_or_else(nothing)? }))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        self.replace_children(children, options)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let mut input = self.input.execute(partition, context)?;
        let schema = input.schema();
        let counted = Arc::clone(&schema);
        let count = async move {
            let mut rows = 0;
            while let Some(batch) = input.next().await {
                rows += batch?.num_rows();
            }
            let options = RecordBatchOptions::new().with_row_count(Some(rows));
            Ok(RecordBatch::try_new_with_options(counted, Vec::new(), &options)?)
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, stream::once(count))))
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        _args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        Ok(Arc::clone(&inputs[0]))
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        vec![ChildStats::At(partition)]
    }
}
