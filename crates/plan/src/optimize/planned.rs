//! From a bound query to the plan of it that both executors take.
//!
//! Not here: how it is planned (`plan_query`), look-ups (`look_up`).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rows::table::Table;

use super::{Sizes, ask_for_extremes, needs_rows, plan_query};
use crate::tree::{BoundQuery, QueryPlan};
use results::Result;

/// Of the query that is planned next.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// Plans a bound query for tables of these sizes.
///
/// # Errors
/// Those of reading a few rows.
pub fn planned(bound: BoundQuery, sizes: &Sizes<'_>) -> Result<QueryPlan> {
    let BoundQuery { query: mut written, columns, tables, views, variables, mode, traits, .. } =
        bound;
    let mut query = written.clone();
    plan_query(&mut query, sizes)?;
    ask_for_extremes(&mut written);
    let needs_rows = bound.locks || needs_rows(&written);
    let rows_of = |table: &Arc<Table>| sizes.engine().row_count(table).ok().flatten();
    Ok(QueryPlan {
        number: NUMBER.fetch_add(1, Ordering::Relaxed),
        query,
        written,
        columns,
        sizes: tables.iter().map(rows_of).collect(),
        tables,
        views,
        literals: bound.literals,
        pinned: bound.pinned,
        compared_texts: bound.compared_texts,
        variables,
        mode,
        traits,
        needs_rows,
        reads_files: bound.reads_files,
        locks: bound.locks,
        runs: Arc::default(),
    })
}
