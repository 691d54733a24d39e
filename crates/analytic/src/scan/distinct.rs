//! How many different values each group has, counted by the scans of a columnar table, or of files,
//! themselves.
//!
//! `COUNT(DISTINCT x) ... GROUP BY k` is a grouping by `k, x` below one by `k` (`lower::distinct`).
//! Where there are nearly as many pairs as rows, what costs is to hand each of them, as values,
//! from one thread to another. So the partitions of the scan unite what they have found in one
//! place, as numbers:
//! ```text
//! code of a partition -> value, evaluated once -> number in the union
//! group, value        -> one bit, or one member of a set
//! ```
//! and the last partition to end gives the groups with their counts, in the form of the partial
//! aggregation that is replaced.
//!
//! Invariants
//! 1. Nothing is given before every partition has ended; an execution begins with an empty union.
//! 2. The union is not made where there might be more than `PAIRS_MAX` pairs, as it cannot go to
//!    temporary files.
//!
//! Not here: codes (`columnar::GroupTable`), the union itself (`union`), other aggregates than
//! counts and the keys' own texts.

use std::fmt;
use std::sync::Arc;

use columnar::{CodedGroups, GroupStep, Grouping};
use datafusion::arrow::array::RecordBatch;
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::execution::TaskContext;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::execution_plan::{ExecutionPlanProperties, ReplaceChildrenOptions};
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, SendableRecordBatchStream,
};
use parking_lot::Mutex;

use super::super::failure::raise;
use super::grouping::{GroupScan, GroupSource, aggregation, each_of, no_scan, replaced, scan_of};
use super::states::{self, AggregateState, GROUPS_BYTES_MAX, has_first};
use super::union::{GroupPart, OfKey, Union, UnionShape};
use super::{properties, yielding};

/// Pairs of a group and a value above which they are grouped in two steps after all.
const PAIRS_MAX: usize = 4 << 20;

/// Replaces groupings in two steps of columnar tables and of files.
#[derive(Debug)]
pub(crate) struct CountInScans;

impl PhysicalOptimizerRule for CountInScans {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        replaced(plan, DistinctScan::in_place_of)
    }

    fn name(&self) -> &'static str {
        "count_in_scans"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

impl UnionShape {
    /// Of a grouping by some columns of another that has made `inner`.
    fn of(outer: &AggregateExec, inner: &states::StatesShape) -> Result<Option<UnionShape>> {
        let place = |expr: &Arc<dyn PhysicalExpr>| expr.downcast_ref::<Column>().map(Column::index);
        let groups: Option<Vec<usize>> =
            outer.group_expr().expr().iter().map(|(group, _)| place(group)).collect();
        let Some(groups) = groups else { return Ok(None) };
        // All but one of what the other groups by, which is what is counted.
        let mut others = (0..inner.groups.len()).filter(|at| !groups.contains(at));
        let (Some(value), None) = (others.next(), others.next()) else { return Ok(None) };
        if groups.len() + 1 != inner.groups.len() {
            return Ok(None);
        }
        let of_key = |at: usize| OfKey::new(&inner.groups[at], &inner.keys);
        let Some(counted) = of_key(value)? else { return Ok(None) };
        let by: Option<Vec<OfKey>> = groups.iter().map(|at| of_key(*at)).collect::<Result<_>>()?;
        let Some(by) = by else { return Ok(None) };
        let mut told = Vec::new();
        for function in outer.aggr_expr() {
            let of = argument(function).and_then(|of| place(&of));
            let name = function.fun().name();
            let state = of.and_then(|of| of.checked_sub(inner.groups.len()));
            let is_first = name == "first_value";
            told.push(match (name, of, state.and_then(|at| inner.states.get(at))) {
                ("count", Some(of), None) if of == value => GroupPart::Count,
                // Any text of a group will do, where the inner one had any as well.
                ("min" | "max" | "first_value", _, Some(AggregateState::Same(text, false))) => {
                    let Some(text) = OfKey::new(text, &inner.keys)? else { return Ok(None) };
                    match by.iter().position(|group| group.key == text.key) {
                        Some(group) if !is_first || has_first(function) => {
                            GroupPart::Same(group, text, is_first)
                        }
                        _ => return Ok(None),
                    }
                }
                _ => return Ok(None),
            });
        }
        Ok(Some(UnionShape { groups: by, value: counted, told, schema: outer.schema() }))
    }
}

/// What an aggregate that is as plain as can be is over.
fn argument(function: &AggregateFunctionExpr) -> Option<Arc<dyn PhysicalExpr>> {
    let plain = !function.is_distinct() && function.order_bys().is_empty();
    let mut arguments = function.expressions();
    if plain && arguments.len() == 1 { arguments.pop() } else { None }
}

/// Counts different values in the groups of a scan.
pub(super) struct DistinctScan {
    scan: Arc<dyn ExecutionPlan>,
    grouping: Grouping,
    shape: Arc<UnionShape>,
    union: Arc<Mutex<Union>>,
    properties: Arc<PlanProperties>,
}

impl DistinctScan {
    /// The same as an aggregation; `None` where the scan cannot do it.
    fn in_place_of(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<DistinctScan>> {
        let Some(outer) = aggregation(plan, |mode| *mode == AggregateMode::Partial) else {
            return Ok(None);
        };
        let ends = |mode: &AggregateMode| {
            matches!(mode, AggregateMode::Final | AggregateMode::FinalPartitioned)
        };
        let Some(inner) = aggregation(outer.input(), ends) else { return Ok(None) };
        let mut below = inner.input();
        while below.downcast_ref::<RepartitionExec>().is_some()
            || below.downcast_ref::<CoalescePartitionsExec>().is_some()
        {
            below = below.children()[0];
        }
        let Some(groups) = below.downcast_ref::<GroupScan>() else { return Ok(None) };
        let few = groups.count.is_some_and(|pairs| pairs <= PAIRS_MAX);
        if !few || !groups.grouping.values.is_empty() {
            return Ok(None);
        }
        let Some(shape) = UnionShape::of(outer, &groups.shape)? else { return Ok(None) };
        let scan = Arc::clone(&groups.scan);
        let properties = properties(&shape.schema, scan.output_partitioning().clone());
        let (grouping, shape) = (groups.grouping.clone(), Arc::new(shape));
        Ok(Some(DistinctScan { union: union_of(&scan), scan, grouping, shape, properties }))
    }

    /// The same over another scan, as if it had never run.
    fn over(&self, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let scan = children.pop().filter(|child| scan_of(child).is_some()).ok_or_else(no_scan)?;
        Ok(Arc::new(DistinctScan {
            union: union_of(&scan),
            scan,
            grouping: self.grouping.clone(),
            shape: Arc::clone(&self.shape),
            properties: Arc::clone(&self.properties),
        }))
    }
}

fn union_of(scan: &Arc<dyn ExecutionPlan>) -> Arc<Mutex<Union>> {
    Arc::new(Mutex::new(Union::of(scan.output_partitioning().partition_count())))
}

impl fmt::Debug for DistinctScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for DistinctScan {
    fn fmt_as(&self, _form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups: Vec<String> =
            self.shape.groups.iter().map(|group| group.expr.to_string()).collect();
        let (groups, counted) = (groups.join(", "), &self.shape.value.expr);
        write!(f, "DistinctScan: gby=[{groups}], count distinct=[{counted}]")
    }
}

impl ExecutionPlan for DistinctScan {
    fn name(&self) -> &str {
        "DistinctScan"
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
        let of_keys = self.shape.groups.iter().chain([&self.shape.value]);
        each_of(of_keys.map(|of| &of.expr), each)
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
        let register = |name: &str| {
            let consumer = MemoryConsumer::new(format!("DistinctScan[{name}]"));
            consumer.register(context.memory_pool())
        };
        let (shape, union) = (Arc::clone(&self.shape), Arc::clone(&self.union));
        union.lock().ask(|| register("union"));
        let groups = scan.groups(partition, self.grouping.clone(), &context)?;
        let memory = register(&partition.to_string());
        let counts = Counts { groups, shape, union, memory, ended: false };
        Ok(yielding(Arc::clone(&self.shape.schema), counts))
    }
}

/// What a partition adds, as an iterator: batches are empty but for the last of the last partition.
struct Counts {
    groups: Box<dyn GroupSource>,
    shape: Arc<UnionShape>,
    union: Arc<Mutex<Union>>,
    memory: MemoryReservation,
    ended: bool,
}

impl Counts {
    fn step(&mut self) -> Result<RecordBatch> {
        if let Some(grouped) = self.groups.next() {
            match grouped? {
                // No values are wanted, so no rows are shown.
                GroupStep::Rows(..) | GroupStep::Totals(_) => {}
                GroupStep::Alone(keys, _) => {
                    let each: Vec<u32> = (0..keys.rows as u32).collect();
                    let keys = keys.columns.into_iter().map(|column| (column, each.clone()));
                    let groups = CodedGroups { keys: keys.collect() };
                    self.union.lock().add(&self.shape, &groups)?;
                }
                GroupStep::Segment => {
                    let bytes = self.groups.table().bytes();
                    if bytes > GROUPS_BYTES_MAX || self.memory.try_resize(bytes).is_err() {
                        self.unite()?;
                    }
                }
            }
            return Ok(RecordBatch::new_empty(Arc::clone(&self.shape.schema)));
        }
        self.ended = true;
        self.unite()?;
        let counted = self.union.lock().end(&self.shape)?;
        Ok(counted.unwrap_or_else(|| RecordBatch::new_empty(Arc::clone(&self.shape.schema))))
    }

    fn unite(&mut self) -> Result<()> {
        let groups = self.groups.table().drain_coded().map_err(raise)?;
        self.memory.free();
        self.union.lock().add(&self.shape, &groups)
    }
}

impl Iterator for Counts {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        if self.ended {
            return None;
        }
        Some(self.step())
    }
}
