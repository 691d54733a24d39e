//! Planning a bound query: which rows are looked at, in which order relations are joined, and
//! about how many rows that is.
//!
//! ```text
//! terms     conditions taken apart: what they refer to, what they reject
//! merge     derived tables become a part of the join
//! rewrite   IN (query) becomes a join, outer joins that cannot give NULLs become inner ones
//! access    the way to one relation's rows, and what it costs      statistics   how many rows
//! order     the order of joining                              needs        which columns
//! doubts    what is right only as it is written      known   what needs no rows
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
mod doubts;
mod known;
mod merge;
mod needs;
mod order;
mod rewrite;
mod statistics;
mod terms;

use access::RECURSION_STEPS;
use rows::datum::Value;

pub use access::{Class, HashKeys, Member, Scan, Step, class_of};
pub use doubts::needs_rows;
pub use known::known_of_table;
pub use statistics::Sizes;
pub use terms::is_volatile;

use crate::error::Result;
use crate::expression::{Kind, Node};
use crate::tree::{Body, Query, Recursion, Select, Source};

/// Plans a query and all within it.
///
/// # Errors
/// Those of reading a few rows.
pub fn plan_query(query: &mut Query, sizes: &Sizes<'_>) -> Result<()> {
    match &mut query.body {
        Body::Select(select) => {
            let (rows, cost) = plan_select(select, &query.order, query.limit.is_some(), sizes)?;
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
                query.cost += plan_node(node, sizes)?;
            }
        }
    }
    if let Some(Node { kind: Kind::Constant(Value::Int(limit)), .. }) = &query.limit {
        query.rows = query.rows.min(*limit as f64);
    }
    Ok(())
}

/// Plans the sub-queries of an expression; what one evaluation of it costs.
fn plan_node(node: &mut Node, sizes: &Sizes<'_>) -> Result<f64> {
    let mut cost = 0.0;
    if let Kind::Subquery(subquery) = &mut node.kind {
        plan_query(&mut subquery.query, sizes)?;
        cost += subquery.query.cost;
    }
    let mut result = Ok(());
    node.each_child_mut(&mut |child| {
        if result.is_ok() {
            match plan_node(child, sizes) {
                Ok(more) => cost += more,
                Err(error) => result = Err(error),
            }
        }
    });
    result.map(|()| cost)
}

fn plan_select(
    select: &mut Select,
    order: &[crate::tree::SortKey],
    limited: bool,
    sizes: &Sizes<'_>,
) -> Result<(f64, f64)> {
    merge::derived_tables(select);
    rewrite::membership_as_join(select);
    let mut derived = 0.0;
    for relation in &mut select.relations {
        if let Source::Query(query) = &mut relation.source {
            plan_query(query, sizes)?;
            derived += query.cost;
        }
    }
    let mut per_row = 0.0;
    for node in &mut select.conditions {
        per_row += plan_node(node, sizes)?;
    }
    if let Some(join) = &mut select.join {
        per_row += rewrite::plan_join_terms(join, sizes)?;
    }
    let mut per_output = 0.0;
    for node in select.outputs.iter_mut().chain(&mut select.having) {
        per_output += plan_node(node, sizes)?;
    }
    if let Some(windowing) = &mut select.windowing {
        for node in &mut windowing.inputs {
            per_output += plan_node(node, sizes)?;
        }
    }
    if let Some(grouping) = &mut select.grouping {
        let arguments = grouping.aggregates.iter_mut().flat_map(|a| &mut a.arguments);
        for node in grouping.keys.iter_mut().chain(&mut grouping.others).chain(arguments) {
            per_row += plan_node(node, sizes)?;
        }
    }
    let (mut rows, mut cost) = order::plan_joins(select, order, limited, sizes)?;
    cost += derived + rows * per_row;
    if let Some(grouping) = &select.grouping {
        rows = if grouping.keys.is_empty() { 1.0 } else { rows.sqrt().max(1.0) };
    }
    cost += rows * per_output;
    Ok((rows, cost))
}
