//! The order in which a scan of one index gives its rows: what is sorted or grouped by it above
//! needs no sort, and no table of groups.
//!
//! Invariants
//! 1. Only columns of numbers and times are told: their values in Arrow are in the order of the
//!    index's keys, as texts' and floats' are not.
//! 2. Each part of a scan is in order by itself; DataFusion merges the parts.
//!
//! Not here: how a scan is divided (`source`).

use std::sync::Arc;

use columnar::arrow::arrow_type;
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::DataType;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use plan::optimize::BatchAccess;
use rows::table::{PartCodec, Table};

use super::batches::ScanPart;

/// The orders of a scan's rows, of columns by position: from the first part of the index on, and
/// from that on which is behind those of one value.
pub(super) fn orders(
    table: &Table,
    access: &BatchAccess,
    parts: &[ScanPart],
    positions: &[usize],
) -> Vec<LexOrdering> {
    let ascends = |part: &ScanPart| {
        part.ranges
            .is_sorted_by(|before, after| !before.end.is_empty() && before.end <= after.start)
    };
    if access.looks_rows_up() || !parts.iter().all(ascends) {
        return Vec::new();
    }
    // Behind its parts, an entry's key has the row's. Before them stands the partition, where there
    // are some, which is no column that is asked for.
    let of_partition = usize::from(table.partition_column().is_some());
    let own = table.codecs[access.index].parts.iter();
    let keys: Vec<&PartCodec> = match access.index {
        0 => own.collect(),
        _ => own.chain(&table.codecs[0].parts[of_partition..]).collect(),
    };
    let from = |first: usize| {
        let mut columns: Vec<PhysicalSortExpr> = Vec::new();
        for part in keys.iter().skip(first) {
            let Some(at) = positions.iter().position(|at| *at == part.column) else { break };
            let column = &table.columns[part.column];
            if part.prefix.is_some() || !is_ordered(&arrow_type(&column.ty)) {
                break;
            }
            let options =
                SortOptions { descending: part.descending, nulls_first: !part.descending };
            columns.push(PhysicalSortExpr::new(Arc::new(Column::new(&column.name, at)), options));
        }
        LexOrdering::new(columns)
    };
    let mut firsts = vec![of_partition.min(access.equal), access.equal];
    firsts.dedup();
    firsts.into_iter().filter_map(from).collect()
}

/// Whether an array's values are in the order of the keys that are made of them.
fn is_ordered(ty: &DataType) -> bool {
    matches!(
        ty,
        DataType::Int64
            | DataType::UInt64
            | DataType::UInt32
            | DataType::UInt16
            | DataType::Decimal128(..)
            | DataType::Decimal256(..)
    )
}
