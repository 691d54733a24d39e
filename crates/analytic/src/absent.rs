//! Rows that an outer join may find none of: what is constant among them is not constant in what it
//! gives, which has NULLs as well. DataFusion forgets that (`EquivalenceGroup::join` takes the
//! constants of both sides over), and then sorts and ranks by such a column as if it were one
//! value:
//!
//! ```sql
//! SELECT t.id, u.kind FROM t LEFT JOIN u ON u.id = t.id AND u.kind = 7 ORDER BY u.kind
//! ```
//!
//! The same node stands above a UNION whose parts have different constants in one column. That is
//! constant in each partition, which suffices to sort those; but sorts that leave few rows tell
//! each other which rows can no longer be among them, and so must agree on what they sort by:
//!
//! ```sql
//! SELECT 1 AS kind, a FROM t UNION ALL SELECT NULL, b FROM u ORDER BY kind DESC, a LIMIT 3
//! ```
//!
//! Invariants
//! 1. Below an outer join's optional side, and above a UNION of different constants, stands a node
//!    that knows of no constants when the other rules of the physical optimizer run.
//!
//! Not here: constants that are not told to a join.

use std::fmt;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{DataFusionError, JoinType, Result, Statistics};
use datafusion::execution::TaskContext;
use datafusion::physical_expr::{AcrossPartitions, EquivalenceProperties, PhysicalExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::{
    CardinalityEffect, ChildrenPropertiesMode, ExecutionPlanProperties, ReplaceChildrenOptions,
};
use datafusion::physical_plan::joins::{HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, SendableRecordBatchStream,
};

/// A join over other inputs has other properties.
const ANEW: ReplaceChildrenOptions = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);

/// Puts `OptionalRows` below outer joins and above unions. It is to be the first of the rules.
#[derive(Debug)]
pub(super) struct ForgetConstants;

impl PhysicalOptimizerRule for ForgetConstants {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(forgetting).data()
    }

    fn name(&self) -> &'static str {
        "forget_constants"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn forgetting(plan: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    if plan.downcast_ref::<UnionExec>().is_some() && has_different_constants(&plan) {
        return Ok(Transformed::yes(Arc::new(OptionalRows::of(plan))));
    }
    let sides: &[usize] = match join_type(&plan) {
        Some(JoinType::Left) => &[1],
        Some(JoinType::Right) => &[0],
        Some(JoinType::Full) => &[0, 1],
        _ => return Ok(Transformed::no(plan)),
    };
    let mut children: Vec<_> = plan.children().into_iter().cloned().collect();
    let mut forgets = false;
    for side in sides {
        let child = &mut children[*side];
        if !child.equivalence_properties().constants().is_empty() {
            *child = Arc::new(OptionalRows::of(Arc::clone(child)));
            forgets = true;
        }
    }
    match forgets {
        true => Ok(Transformed::yes(plan.replace_children(children, ANEW)?)),
        false => Ok(Transformed::no(plan)),
    }
}

fn has_different_constants(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let constants = plan.equivalence_properties().constants();
    constants.iter().any(|constant| constant.across_partitions == AcrossPartitions::Heterogeneous)
}

fn join_type(plan: &Arc<dyn ExecutionPlan>) -> Option<JoinType> {
    if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
        return Some(*join.join_type());
    }
    if let Some(join) = plan.downcast_ref::<NestedLoopJoinExec>() {
        return Some(*join.join_type());
    }
    plan.downcast_ref::<SortMergeJoinExec>().map(SortMergeJoinExec::join_type)
}

/// The rows of another node, of whose columns none is known to be constant.
#[derive(Debug)]
struct OptionalRows {
    input: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

impl OptionalRows {
    fn of(input: Arc<dyn ExecutionPlan>) -> OptionalRows {
        let mut known = EquivalenceProperties::new(input.schema());
        known.add_orderings(input.equivalence_properties().oeq_class().iter().cloned());
        let properties = PlanProperties::clone(input.properties()).with_eq_properties(known);
        OptionalRows { input, properties: Arc::new(properties) }
    }

    fn over(mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        match (children.pop(), children.is_empty()) {
            (Some(input), true) => Ok(Arc::new(OptionalRows::of(input))),
            _ => Err(DataFusionError::Internal("optional rows are of one node".to_owned())),
        }
    }
}

impl DisplayAs for OptionalRows {
    fn fmt_as(&self, _kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl ExecutionPlan for OptionalRows {
    fn name(&self) -> &str {
        "OptionalRows"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
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
        children: Vec<Arc<dyn ExecutionPlan>>,
        _options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        OptionalRows::over(children)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        OptionalRows::over(children)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        self.input.execute(partition, context)
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        vec![ChildStats::At(partition)]
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        _args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        Ok(Arc::clone(&inputs[0]))
    }

    fn supports_limit_pushdown(&self) -> bool {
        true
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        CardinalityEffect::Equal
    }
}
