//! Groupings that may stop early, and cannot.
//!
//! `SELECT DISTINCT a FROM t LIMIT 3` needs no more than three groups, which DataFusion notes at
//! the grouping before it knows in which order the grouping's rows come. When they turn out to be
//! sorted (below is a window), its operator takes the note for one of an order of the groups, finds
//! none, and fails. Sorted groups are given as they are complete, so the limit above ends such a
//! grouping early as well.
//!
//! Invariants
//! 1. Only the note goes; the limit itself stands above.
//!
//! Not here: limits above a sort (`large_limit`).

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;

/// Takes notes of limits from groupings that cannot stop early.
#[derive(Debug)]
pub(super) struct ForgetLimits;

impl PhysicalOptimizerRule for ForgetLimits {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| {
            Ok(match whole(&plan) {
                Some(whole) => Transformed::yes(whole),
                None => Transformed::no(plan),
            })
        })
        .data()
    }

    fn name(&self) -> &'static str {
        "forget_limits"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// A grouping without its note, if it cannot heed it.
fn whole(plan: &Arc<dyn ExecutionPlan>) -> Option<Arc<dyn ExecutionPlan>> {
    let grouping = plan.downcast_ref::<AggregateExec>()?;
    let limit = grouping.limit_options()?;
    let is_ordered = limit.descending().is_some() || grouping.get_minmax_desc().is_some();
    if is_ordered || grouping.is_unordered_unfiltered_group_by_distinct() {
        return None;
    }
    Some(Arc::new(grouping.with_new_limit_options(None)))
}
