//! Counts by groups of a columnar table, made by the scan itself: the place of a partial
//! aggregation that counts rows, and of nothing else that would have to see each of them.
//!
//! The scan gives rows that stand for groups of equal ones (`columnar::Groups`). Of these the groups'
//! expressions are evaluated, and each count is how many rows one stands for. What comes out has
//! the form of the aggregation that it replaces, whose second half puts equal groups together.
//!
//! Not here: aggregations of other kinds, and those in one step.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Int64Array, RecordBatch, RecordBatchOptions,
};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::Literal;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::execution_plan::{
    Boundedness, EmissionType, ExecutionPlanProperties, ReplaceChildrenOptions,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, SendableRecordBatchStream,
};
use futures::stream;

use super::columnar::ColumnScan;

/// Replaces partial aggregations that only count.
#[derive(Debug)]
pub(in crate::analytic) struct CountInScans;

impl PhysicalOptimizerRule for CountInScans {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_down(|plan| {
            Ok(match CountScan::in_place_of(&plan) {
                Some(count) => Transformed::yes(Arc::new(count) as Arc<dyn ExecutionPlan>),
                None => Transformed::no(plan),
            })
        })
        .data()
    }

    fn name(&self) -> &'static str {
        "count_in_scans"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// What comes behind the groups.
enum State {
    Count,
    /// A value of any row of the group, and that there is one.
    First(Arc<dyn PhysicalExpr>),
}

/// Counts rows of groups of a columnar table.
struct CountScan {
    scan: Arc<dyn ExecutionPlan>,
    groups: Vec<Arc<dyn PhysicalExpr>>,
    states: Arc<[State]>,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
}

/// The scan that a node is.
fn scan_of(plan: &Arc<dyn ExecutionPlan>) -> Option<&ColumnScan> {
    plan.downcast_ref::<ColumnScan>()
}

impl CountScan {
    /// The same as an aggregation; `None` where it is none of these.
    fn in_place_of(plan: &Arc<dyn ExecutionPlan>) -> Option<CountScan> {
        let aggregation = plan.downcast_ref::<AggregateExec>()?;
        let by = aggregation.group_expr();
        let plain = *aggregation.mode() == AggregateMode::Partial
            && by.is_single()
            && aggregation.limit_options().is_none()
            && aggregation.filter_expr().iter().all(Option::is_none)
            && scan_of(aggregation.input()).is_some_and(ColumnScan::has_groups);
        if !plain {
            return None;
        }
        let states = aggregation.aggr_expr().iter().map(|function| state_of(function));
        let states = states.collect::<Option<Arc<[State]>>>()?;
        let groups = by.expr().iter().map(|(group, _)| Arc::clone(group)).collect();
        let scan = Arc::clone(aggregation.input());
        let schema = aggregation.schema();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            scan.output_partitioning().clone(),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Some(CountScan { scan, groups, states, schema, properties: Arc::new(properties) })
    }
}

impl CountScan {
    /// The same over another scan.
    fn over(&self, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let scan = children.pop().filter(|child| scan_of(child).is_some());
        let Some(scan) = scan else {
            return Err(DataFusionError::Internal("counts come from a scan by column".into()));
        };
        Ok(Arc::new(CountScan {
            scan,
            groups: self.groups.clone(),
            states: Arc::clone(&self.states),
            schema: Arc::clone(&self.schema),
            properties: Arc::clone(&self.properties),
        }))
    }
}

/// What an aggregate function keeps of the rows of a group, if that is known of one of them.
fn state_of(function: &AggregateFunctionExpr) -> Option<State> {
    if function.is_distinct() || !function.order_bys().is_empty() {
        return None;
    }
    let fields = function.state_fields().ok()?;
    let types: Vec<&DataType> = fields.iter().map(|field| field.data_type()).collect();
    let arguments = function.expressions();
    match (function.fun().name(), &arguments[..], &types[..]) {
        ("count", [of], [DataType::Int64]) => {
            // COUNT of something that is never NULL.
            let literal = of.downcast_ref::<Literal>()?;
            (!literal.value().is_null()).then_some(State::Count)
        }
        ("first_value", [of], [_, DataType::Boolean]) => Some(State::First(Arc::clone(of))),
        _ => None,
    }
}

impl fmt::Debug for CountScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for CountScan {
    fn fmt_as(&self, _form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CountScan: gby=[")?;
        for (number, group) in self.groups.iter().enumerate() {
            write!(f, "{}{group}", if number > 0 { ", " } else { "" })?;
        }
        write!(f, "]")
    }
}

impl ExecutionPlan for CountScan {
    fn name(&self) -> &str {
        "CountScan"
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
        for group in &self.groups {
            if each(group)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
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
        let Some(scan) = scan_of(&self.scan) else {
            return Err(DataFusionError::Internal("counts come from a scan by column".into()));
        };
        let (groups, states) = (self.groups.clone(), Arc::clone(&self.states));
        let schema = Arc::clone(&self.schema);
        let batches = scan.groups(partition, &context).map(move |found| {
            let (rows, counts) = found?;
            counted(&rows, counts, &groups, &states, &schema)
        });
        let schema = Arc::clone(&self.schema);
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, stream::iter(batches))))
    }
}

/// The states of groups of which there is one row each.
fn counted(
    rows: &RecordBatch,
    counts: Vec<i64>,
    groups: &[Arc<dyn PhysicalExpr>],
    states: &[State],
    schema: &SchemaRef,
) -> Result<RecordBatch> {
    let count = rows.num_rows();
    let counts: ArrayRef = Arc::new(Int64Array::from(counts));
    let mut columns = Vec::with_capacity(schema.fields().len());
    for group in groups {
        columns.push(group.evaluate(rows)?.into_array(count)?);
    }
    for state in states {
        match state {
            State::Count => columns.push(Arc::clone(&counts)),
            State::First(of) => {
                columns.push(of.evaluate(rows)?.into_array(count)?);
                columns.push(Arc::new(BooleanArray::from(vec![true; count])));
            }
        }
    }
    let options = RecordBatchOptions::new().with_row_count(Some(count));
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)?)
}
