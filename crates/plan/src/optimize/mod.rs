//! Planning a bound query: which rows are looked at, in which order relations are joined, and about
//! how many rows that is.
//!
//! ```text
//! merge     derived tables become a part of the join           unnest    EXISTS and IN as look-ups
//! inner     sub-queries and derived tables, and what they cost
//! rewrite   EXISTS and IN become joins, outer joins that cannot give NULLs become inner ones
//! access    the way to one relation's rows, and what it costs      statistics   how many rows
//! batches   the same way for DataFusion's scans                unknown   NOT IN as terms that NULLs leave known
//! order     the order of joining                              needs        which columns
//! wanted_order  orders that save a sort or a table of groups  rows_only   what only rows can answer
//! precomputed   what needs no rows                    once    what is evaluated once
//! distinct  DISTINCT that changes nothing             look_up     what needs no plan of joins
//! extremes  EXISTS by a comparison as a greatest or least value
//! late_lookup   rows that are read when they are given        leaps   entries of an index that are not read
//! key_expressions   columns of indexes for the expressions that they have
//! ```
//! Costs count rows looked at. They are guesses from table sizes; a statement that meets far more
//! rows than guessed is begun again on the other executor.
//!
//! Invariants
//! 1. Each condition is checked exactly once, as early as its relations are there.
//! 2. Inner queries are planned before the expressions that hold them are copied into a plan.
//!
//! Not here: running it (`executor`), which index answers a condition (`point::access`).

mod access;
mod batches;
mod distinct;
mod extremes;
mod inner;
mod key_expressions;
mod late_lookup;
mod leaps;
mod look_up;
mod merge;
mod needs;
mod once;
mod order;
mod planned;
mod precomputed;
mod rewrite;
mod rows_only;
mod single_table;
mod statistics;
mod unknown;
mod unnest;
mod wanted_order;

use access::RECURSION_STEPS;
use values::datum::Value;

pub use access::{cost_of_look_up, rows_of_way};
pub use batches::{BatchAccess, in_batches};
use expression::{Kind, Node};
use extremes::ask_for_extremes;
pub use inner::BEGIN_ROWS;
pub use key_expressions::{use_key_expressions, use_key_expressions_of};
pub use look_up::look_up;
pub use planned::planned;
pub use precomputed::{known_of_table, only_counts};
pub use rewrite::{is_compared_exactly, rule_of};
pub(crate) use rewrite::{is_unique_key_of, simplified};
pub use rows_only::needs_rows;
pub use single_table::{ChangedRows, way_to_change};
pub use statistics::Sizes;
pub use unknown::take_apart;

use crate::tree::{Body, Query, Recursion, Select, SortKey};
use results::Result;

/// Plans a query and all within it.
///
/// # Errors
/// Those of reading a few rows.
pub fn plan_query(query: &mut Query, sizes: &Sizes<'_>) -> Result<()> {
    match &mut query.body {
        Body::Select(select) => {
            let wanted = RowDemand {
                order: &query.order,
                rows: rows_wanted(query.limit.as_ref(), query.offset.as_ref(), sizes),
            };
            let (rows, cost) = plan_select(select, &wanted, sizes)?;
            (query.rows, query.cost) = (rows, cost);
        }
        Body::Set(set) => {
            (query.rows, query.cost) = (0.0, 0.0);
            for side in &mut set.sides {
                plan_query(side, sizes)?;
                query.rows += side.rows;
                query.cost += side.cost;
            }
        }
        Body::Recursion(recursion) => {
            let Recursion { first, next, .. } = &mut **recursion;
            plan_query(first, sizes)?;
            plan_query(next, sizes)?;
            query.rows = first.rows + RECURSION_STEPS * next.rows;
            query.cost = first.cost + RECURSION_STEPS * next.cost;
        }
        Body::Values(rows) => {
            query.rows = rows.len() as f64;
            query.cost = query.rows;
            for node in rows.iter_mut().flatten() {
                inner::plan_node(node, sizes)?;
                query.cost += inner::Effort::of(node).of_rows(1.0);
            }
        }
        Body::FullText(search) => {
            inner::plan_node(&mut search.against, sizes)?;
            (query.rows, query.cost) = (1.0, FULL_TEXT_COST);
        }
        Body::JsonTable(table) => {
            inner::plan_node(&mut table.document, sizes)?;
            query.rows = JSON_TABLE_ROWS;
            query.cost = JSON_TABLE_ROWS + inner::Effort::of(&table.document).of_rows(1.0);
        }
    }
    if let Some(Node { kind: Kind::Constant(Value::Int(limit)), .. }) = &query.limit {
        query.rows = query.rows.min(*limit as f64);
    }
    Ok(())
}

/// What counting the entries of words is thought to cost, in rows.
const FULL_TEXT_COST: f64 = 8.0;

/// Rows that a document is thought to make.
const JSON_TABLE_ROWS: f64 = 8.0;

/// Rows that a LIMIT is thought to take where it does not say so.
const LIMIT_ROWS: f64 = 64.0;

/// What a query wants of its rows.
struct RowDemand<'q> {
    /// ORDER BY.
    order: &'q [SortKey],
    /// How many, with those that OFFSET passes over.
    rows: Option<f64>,
}

/// How many rows LIMIT and OFFSET go through.
fn rows_wanted(limit: Option<&Node>, offset: Option<&Node>, sizes: &Sizes<'_>) -> Option<f64> {
    let number = |node: &Node| sizes.number(node);
    let limit = number(limit?).unwrap_or(LIMIT_ROWS);
    Some(limit + offset.and_then(number).unwrap_or(0.0))
}

fn plan_select(
    select: &mut Select,
    wanted: &RowDemand<'_>,
    sizes: &Sizes<'_>,
) -> Result<(f64, f64)> {
    merge::derived_tables(select);
    unnest::find_members(select);
    rewrite::membership_as_join(select);
    merge::derived_tables(select);
    distinct::forget_needless(select);
    inner::plan_queries(select, sizes)?;
    let other = rewrite::members_as_join(select);
    let (mut rows, mut cost) = plan_planned_within(select, wanted, sizes)?;
    if let Some(mut other) = other {
        let (other_rows, other_cost) = plan_planned_within(&mut other, wanted, sizes)?;
        if other_cost < cost {
            (*select, rows, cost) = (other, other_rows, other_cost);
        }
    }
    Ok((rows, cost))
}

/// Plans a SELECT whose sub-queries and derived tables are planned.
fn plan_planned_within(
    select: &mut Select,
    wanted: &RowDemand<'_>,
    sizes: &Sizes<'_>,
) -> Result<(f64, f64)> {
    let efforts = inner::Efforts::of(select);
    let (mut rows, mut cost) = order::plan_joins(select, wanted, sizes)?;
    once::of_groups(select);
    // In order, no more are asked than are wanted; a condition leaves about a third of them.
    let stops_early = (select.plan.ordered || wanted.order.is_empty())
        && select.grouping.is_none()
        && select.windowing.is_none();
    let asked = match wanted.rows {
        Some(most) if stops_early => rows.min(most * 3.0),
        _ => rows,
    };
    cost += efforts.once + efforts.by_row.of_rows(asked);
    select.plan.members_first.extend(efforts.by_row.members_first(asked));
    if let Some(grouping) = &select.grouping {
        rows = if grouping.keys.is_empty() { 1.0 } else { rows.sqrt().max(1.0) };
    }
    cost += efforts.by_output.of_rows(rows);
    select.plan.members_first.extend(efforts.by_output.members_first(rows));
    Ok((rows, cost))
}
