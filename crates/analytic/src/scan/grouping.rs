//! The first half of an aggregation of a columnar table, or of files, made by the scan itself.
//!
//! Rows come with the number of their group, found on codes (`columnar::GroupTable`), so that
//! nothing is hashed here and the groups' expressions are evaluated once for each group. What comes
//! out has the form of the partial aggregation that it replaces, whose second half puts equal
//! groups together.
//!
//! Not here: what is kept of a group's rows (`states`), counts of different values (`distinct`),
//! aggregations in one step.

use std::fmt;
use std::sync::Arc;

use columnar::{GroupStep, GroupTable, Grouping};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::config::ConfigOptions;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{DataFusionError, Result, Statistics};
use datafusion::execution::TaskContext;
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::{collect_columns, reassign_expr_columns};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::execution_plan::{ExecutionPlanProperties, ReplaceChildrenOptions};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, SendableRecordBatchStream,
};

use super::columnar::ColumnScan;
use super::file_scan::FileScan;
use super::states::{AggregateState, States, StatesShape};
use super::{properties, yielding};

/// A scan that can group its rows.
pub(super) trait GroupingScan {
    /// Whether rows can be grouped by the columns at some places.
    fn can_group_by(&self, places: &[usize]) -> bool;

    /// Whether totals can be had of the columns at some places.
    fn can_total(&self, places: &[usize]) -> bool;

    /// About how many groups the columns at some places make; `None` where that is not known.
    fn groups_about(&self, places: &[usize]) -> Result<Option<usize>>;

    /// The rows of a partition by groups.
    fn groups(
        &self,
        partition: usize,
        grouping: Grouping,
        context: &TaskContext,
    ) -> Result<Box<dyn GroupSource>>;
}

/// Rows with their groups; an error is the last that it gives.
pub(super) trait GroupSource: Iterator<Item = Result<GroupStep>> + Send {
    /// The groups found so far, to be drained after a `Grouped::Segment` alone.
    fn table(&mut self) -> &mut GroupTable;
}

/// Replaces partial aggregations of columnar tables and of files.
#[derive(Debug)]
pub(crate) struct GroupInScans;

impl PhysicalOptimizerRule for GroupInScans {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        replaced(plan, GroupScan::in_place_of)
    }

    fn name(&self) -> &'static str {
        "group_in_scans"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Groups rows of a scan.
pub(super) struct GroupScan {
    pub(super) scan: Arc<dyn ExecutionPlan>,
    pub(super) grouping: Grouping,
    pub(super) shape: Arc<StatesShape>,
    /// About how many groups come, of all partitions.
    pub(super) count: Option<usize>,
    properties: Arc<PlanProperties>,
}

/// A plan with another node in the place of each of which `made` gives one.
pub(super) fn replaced<N: ExecutionPlan + 'static>(
    plan: Arc<dyn ExecutionPlan>,
    made: impl Fn(&Arc<dyn ExecutionPlan>) -> Result<Option<N>>,
) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_down(|plan| {
        Ok(match made(&plan)? {
            Some(node) => Transformed::yes(Arc::new(node) as Arc<dyn ExecutionPlan>),
            None => Transformed::no(plan),
        })
    })
    .data()
}

/// An aggregation that groups in one way, takes all rows and gives all groups.
pub(super) fn aggregation(
    plan: &Arc<dyn ExecutionPlan>,
    has_mode: impl Fn(&AggregateMode) -> bool,
) -> Option<&AggregateExec> {
    plan.downcast_ref::<AggregateExec>().filter(|aggregation| {
        has_mode(aggregation.mode())
            && aggregation.group_expr().is_single()
            && aggregation.limit_options().is_none()
            && aggregation.filter_expr().iter().all(Option::is_none)
    })
}

/// Calls `each` with some expressions, as long as it wants another.
pub(super) fn each_of<'a>(
    exprs: impl Iterator<Item = &'a Arc<dyn PhysicalExpr>>,
    each: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
) -> Result<TreeNodeRecursion> {
    for expr in exprs {
        if each(expr)? == TreeNodeRecursion::Stop {
            return Ok(TreeNodeRecursion::Stop);
        }
    }
    Ok(TreeNodeRecursion::Continue)
}

/// The scan that a node is.
pub(super) fn scan_of(plan: &Arc<dyn ExecutionPlan>) -> Option<&dyn GroupingScan> {
    match plan.downcast_ref::<ColumnScan>() {
        Some(scan) => Some(scan),
        None => plan.downcast_ref::<FileScan>().map(|scan| scan as &dyn GroupingScan),
    }
}

/// The columns of some expressions, by their places in the scan, ascending.
fn places<'a>(exprs: impl Iterator<Item = &'a Arc<dyn PhysicalExpr>>) -> Vec<usize> {
    let mut places: Vec<usize> =
        exprs.flat_map(collect_columns).map(|column| column.index()).collect();
    places.sort_unstable();
    places.dedup();
    places
}

impl GroupScan {
    /// The same as an aggregation; `None` where the scan cannot do it.
    fn in_place_of(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<GroupScan>> {
        let is_partial = |mode: &AggregateMode| *mode == AggregateMode::Partial;
        let Some(aggregation) = aggregation(plan, is_partial) else { return Ok(None) };
        let by = aggregation.group_expr();
        let Some(scan) = scan_of(aggregation.input()) else { return Ok(None) };
        let keys = places(by.expr().iter().map(|(group, _)| group));
        if !scan.can_group_by(&keys) {
            return Ok(None);
        }
        let mut states = Vec::new();
        for function in aggregation.aggr_expr() {
            let Some(state) = AggregateState::of(function, &keys) else { return Ok(None) };
            states.push(state);
        }
        let values = places(states.iter().flat_map(AggregateState::values));
        let count = scan.groups_about(&keys)?;
        let (scanned, schema) = (aggregation.input().schema(), aggregation.schema());
        let key_schema = Arc::new(scanned.project(&keys)?);
        let value_schema = Arc::new(scanned.project(&values)?);
        let groups = by
            .expr()
            .iter()
            .map(|(group, _)| reassign_expr_columns(Arc::clone(group), &key_schema));
        let groups = groups.collect::<Result<_>>()?;
        let states = states.into_iter().map(|state| state.reading(&key_schema, &value_schema));
        let states = states.collect::<Result<Vec<AggregateState>>>()?;
        let can_total = keys.is_empty() && !values.is_empty() && scan.can_total(&values);
        let totals = can_total.then(|| AggregateState::totals(&states, &value_schema)).flatten();
        let scan = Arc::clone(aggregation.input());
        let properties = properties(&schema, scan.output_partitioning().clone());
        let totalled = totals.is_some();
        let grouping = Grouping { keys: keys.into(), values: values.into(), totals: totalled };
        let (keys, values) = (key_schema, value_schema);
        let shape = StatesShape { groups, states, totals, keys, values, schema };
        Ok(Some(GroupScan { scan, grouping, shape: Arc::new(shape), count, properties }))
    }

    /// The same over another scan.
    fn over(&self, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let scan = children.pop().filter(|child| scan_of(child).is_some());
        Ok(Arc::new(GroupScan {
            scan: scan.ok_or_else(no_scan)?,
            grouping: self.grouping.clone(),
            shape: Arc::clone(&self.shape),
            count: self.count,
            properties: Arc::clone(&self.properties),
        }))
    }
}

pub(super) fn no_scan() -> DataFusionError {
    DataFusionError::Internal("groups come from a scan that can group".into())
}

impl fmt::Debug for GroupScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for GroupScan {
    fn fmt_as(&self, _form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups: Vec<String> = self.shape.groups.iter().map(ToString::to_string).collect();
        let states: Vec<String> = self.shape.states.iter().map(ToString::to_string).collect();
        write!(f, "GroupScan: gby=[{}], aggr=[{}]", groups.join(", "), states.join(", "))?;
        if self.shape.totals.is_some() { write!(f, ", totals") } else { Ok(()) }
    }
}

impl ExecutionPlan for GroupScan {
    fn name(&self) -> &str {
        "GroupScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.scan]
    }

    fn apply_expressions(
        &self,
        each: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        each_of(self.shape.groups.iter(), each)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.over(children)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.over(children)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let scan = scan_of(&self.scan).ok_or_else(no_scan)?;
        let consumer = MemoryConsumer::new(format!("GroupScan[{partition}]"));
        let memory = consumer.register(context.memory_pool());
        let groups = scan.groups(partition, self.grouping.clone(), &context)?;
        let schema: SchemaRef = Arc::clone(&self.shape.schema);
        Ok(yielding(schema, States::new(groups, Arc::clone(&self.shape), memory)?))
    }

    fn statistics_from_inputs(
        &self,
        _inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let partitions = self.scan.output_partitioning().partition_count().max(1);
        let of = |count| match args.partition() {
            Some(_) => Precision::Inexact(count / partitions),
            None => Precision::Inexact(count),
        };
        let num_rows = self.count.map_or(Precision::Absent, of);
        let unknown = Statistics::new_unknown(&self.schema());
        Ok(Arc::new(Statistics { num_rows, ..unknown }))
    }
}
