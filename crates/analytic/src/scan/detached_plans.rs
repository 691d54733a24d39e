//! Plans detached from what they read, and attached to it again.
//!
//! A plan is taken apart like that only if each of its nodes is known to keep nothing of an
//! execution that resetting does not undo.
//!
//! Not here: which plan belongs to which statement (`analytic::plan_cache`).

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::DynamicFilterPhysicalExpr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::{HashJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::union::UnionExec;
use rows::store::Read;

use super::columnar::ColumnScan;
use super::distinct::DistinctScan;
use super::grouping::GroupScan;

/// A plan whose scans read nothing, of one that reads so many tables; `None` where more than their
/// rows is of one execution: a row count that became a part of it, a filter that narrows itself.
pub(crate) fn vacated(
    plan: &Arc<dyn ExecutionPlan>,
    tables: usize,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let (mut scans, mut resets) = (0, true);
    plan.apply(|node| {
        scans += usize::from(node.downcast_ref::<ColumnScan>().is_some());
        resets &= is_reset(node);
        Ok(TreeNodeRecursion::Continue)
    })?;
    if !resets || scans != tables {
        return Ok(None);
    }
    let vacated = Arc::clone(plan).transform_up(|node| {
        Ok(match node.downcast_ref::<ColumnScan>() {
            Some(scan) => Transformed::yes(Arc::new(scan.vacated()) as Arc<dyn ExecutionPlan>),
            None => Transformed::no(node),
        })
    });
    vacated.data().map(Some)
}

/// A vacated plan over a view, as if it had never run; `None` where the view has no columns of one
/// of the tables.
pub(crate) fn occupied(
    plan: &Arc<dyn ExecutionPlan>,
    view: &dyn Read,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let mut has_columns = true;
    let occupied = Arc::clone(plan).transform_up(|node| {
        let Some(scan) = node.downcast_ref::<ColumnScan>() else {
            return node.reset_state().map(Transformed::yes);
        };
        Ok(match scan.occupied(view)? {
            Some(scan) => Transformed::yes(Arc::new(scan) as Arc<dyn ExecutionPlan>),
            None => {
                has_columns = false;
                Transformed::no(node)
            }
        })
    });
    Ok(Some(occupied.data()?).filter(|_| has_columns))
}

/// Whether resetting a node undoes all that an execution leaves in it.
fn is_reset(node: &Arc<dyn ExecutionPlan>) -> bool {
    if let Some(filter) = node.downcast_ref::<FilterExec>() {
        return !narrows(filter.predicate());
    }
    node.downcast_ref::<ColumnScan>().is_some()
        || node.downcast_ref::<GroupScan>().is_some()
        || node.downcast_ref::<DistinctScan>().is_some()
        || node.downcast_ref::<ProjectionExec>().is_some()
        || node.downcast_ref::<AggregateExec>().is_some()
        || node.downcast_ref::<RepartitionExec>().is_some()
        || node.downcast_ref::<CoalescePartitionsExec>().is_some()
        || node.downcast_ref::<SortExec>().is_some()
        || node.downcast_ref::<SortPreservingMergeExec>().is_some()
        || node.downcast_ref::<HashJoinExec>().is_some()
        || node.downcast_ref::<SortMergeJoinExec>().is_some()
        || node.downcast_ref::<GlobalLimitExec>().is_some()
        || node.downcast_ref::<LocalLimitExec>().is_some()
        || node.downcast_ref::<UnionExec>().is_some()
}

/// Whether a condition becomes narrower while a query runs, by what a node above it has found.
fn narrows(condition: &Arc<dyn PhysicalExpr>) -> bool {
    let found =
        condition.exists(|part| Ok(part.downcast_ref::<DynamicFilterPhysicalExpr>().is_some()));
    found.unwrap_or(true)
}
