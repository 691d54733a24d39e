//! Limits above a sort that leave more rows than fit into memory.
//!
//! `ORDER BY s LIMIT 400000, 3` leaves 400,003 rows below the limit. DataFusion keeps as many as a
//! limit leaves in memory while it looks at the others, which is quick where they are few, and ends
//! with error 1038 where they are not: unlike a sort of all rows that cannot go to files. So a sort
//! that is to leave many sorts all, and the limit stands above it.
//!
//! Invariants
//! 1. A limit is only moved: the same rows come, in the same order.
//!
//! Not here: sorts themselves (DataFusion's), limits without an order, which keep nothing.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execution_plan::ExecutionPlanProperties;
use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion::physical_plan::sorts::sort::SortExec;

use super::row_width::{TEXT_BYTES, row_bytes};

/// The part of the memory that the rows which a limit leaves may take.
const KEPT_PART: usize = 4;

/// Moves large limits out of sorts.
#[derive(Debug)]
pub(super) struct SortWhole {
    /// Memory for queries.
    pub memory_bytes: usize,
}

impl PhysicalOptimizerRule for SortWhole {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let bytes_max = self.memory_bytes / KEPT_PART;
        plan.transform_up(|plan| {
            Ok(match sorted_whole(&plan, bytes_max) {
                Some(whole) => Transformed::yes(whole),
                None => Transformed::no(plan),
            })
        })
        .data()
    }

    fn name(&self) -> &'static str {
        "sort_whole"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// A sort whose limit leaves more bytes, with the limit above it.
fn sorted_whole(plan: &Arc<dyn ExecutionPlan>, bytes_max: usize) -> Option<Arc<dyn ExecutionPlan>> {
    let sort = plan.downcast_ref::<SortExec>()?;
    let rows = sort.fetch()?;
    // Each row with its key; each partition keeps as many.
    let bytes = row_bytes(sort.input()) + TEXT_BYTES * sort.expr().len();
    let partitions = sort.input().output_partitioning().partition_count();
    if rows.saturating_mul(bytes).saturating_mul(partitions) <= bytes_max {
        return None;
    }
    let whole = Arc::new(sort.with_fetch(None));
    Some(match sort.preserve_partitioning() {
        true => Arc::new(LocalLimitExec::new(whole, rows)),
        false => Arc::new(GlobalLimitExec::new(whole, 0, Some(rows))),
    })
}
