//! Tables as DataFusion reads them: a scan of the rows, or of the ranges of one index, in batches
//! with only the wanted columns decoded.
//!
//! Invariants
//! 1. A scan reads one view; what others write meanwhile is not seen.
//! 2. Index ranges hold at least the rows that the conditions want; the conditions themselves
//!    are evaluated again above the scan, so a range may be too wide and never too narrow.
//!
//! Not here: which rows a view shows (`rows`), which index is read (`plan::optimize::in_batches`).

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::physical_expr::{EquivalenceProperties, LexOrdering};
use datafusion::physical_plan::coop::cooperative;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, SchedulingType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{Partitioning, PlanProperties, SendableRecordBatchStream};
use futures::{StreamExt, future, stream};

mod batches;
mod columnar;
mod conditions;
mod detached_plans;
mod distinct;
mod execution;
mod file;
mod file_rows;
mod file_scan;
mod grouping;
mod listed;
mod order;
mod source;
mod states;
mod terms;
mod totals;
mod union;

pub(super) use detached_plans::{occupied, vacated};
pub(super) use distinct::CountInScans;
pub(super) use file::FileSource;
pub(super) use grouping::GroupInScans;
pub(super) use listed::ListedSource;
pub(super) use source::{ROW_KEY, TableSource, arrow_schema};

/// What DataFusion is told of scans.
fn properties(schema: &SchemaRef, partitions: Partitioning) -> Arc<PlanProperties> {
    ordered_properties(schema, partitions, Vec::new())
}

/// The same of scans whose parts are each in some orders.
fn ordered_properties(
    schema: &SchemaRef,
    partitions: Partitioning,
    orders: Vec<LexOrdering>,
) -> Arc<PlanProperties> {
    let properties = PlanProperties::new(
        EquivalenceProperties::new_with_orderings(Arc::clone(schema), orders),
        partitions,
        EmissionType::Incremental,
        Boundedness::Bounded,
    );
    Arc::new(properties.with_scheduling_type(SchedulingType::Cooperative))
}

/// What a scan reads, as a stream that ends behind an error and yields now and then: what is above
/// it may take batch after batch without ever waiting, and a query that is to end does so only
/// where it yields. Empty batches are such moments and nothing else.
fn yielding(
    schema: SchemaRef,
    mut batches: impl Iterator<Item = Result<RecordBatch>> + Send + 'static,
) -> SendableRecordBatchStream {
    let mut failed = false;
    let batches = std::iter::from_fn(move || {
        let batch = if failed { None } else { batches.next() };
        failed |= matches!(batch, Some(Err(_)));
        batch
    });
    let batches = RecordBatchStreamAdapter::new(Arc::clone(&schema), stream::iter(batches));
    let full = |batch: &Result<RecordBatch>| {
        future::ready(batch.as_ref().map_or(true, |batch| batch.num_rows() > 0))
    };
    let batches = cooperative(batches).filter(full);
    Box::pin(RecordBatchStreamAdapter::new(schema, batches))
}
