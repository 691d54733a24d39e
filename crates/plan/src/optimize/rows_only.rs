//! Queries that only the row executor answers rightly, however many rows they look at:
//! DataFusion turns sub-queries into joins, which forget what NULLs make unknown, and which rows
//! a correlation asks for that is no plain equation; it has not all functions over windows.
//!
//! Not here: which way is quicker (`session::query`).

use expression::{Comparison, Kind, Node, Quantifier, Subquery, SubqueryForm};

use super::unnest::{equation, is_asked_plainly};
use crate::terms::has_subquery;
use crate::tree::{
    Aggregate, AggregateFunction, AskedQuery, Body, Join, Query, Select, Source, WindowCall,
    WindowFunction, free_references,
};

/// Whether a query, not planned yet, has a sub-query that has to be run as it is written.
pub fn needs_rows(query: &Query) -> bool {
    match &query.body {
        Body::Select(select) => of_select(select),
        Body::Set(set) => set.sides.iter().any(needs_rows),
        // Its rows are found before the query around it is run (`executor::listed`).
        Body::Recursion(_) => false,
        Body::Values(rows) => rows.iter().flatten().any(of_node),
        Body::JsonTable(_) | Body::FullText(_) => true,
    }
}

fn of_select(select: &Select) -> bool {
    let derived = select.relations.iter().any(|relation| match &relation.source {
        Source::Query(query) => needs_rows(query),
        _ => false,
    });
    let demanded = select.conditions.iter().any(|term| match &term.kind {
        // Where a row is wanted, unknown is as good as false.
        Kind::Subquery(subquery)
            if subquery.is_membership() || subquery.is_absence() || is_semi_join(subquery) =>
        {
            subquery.operands().iter().any(of_node) || needs_rows(subquery.query())
        }
        _ => of_node(term),
    });
    let grouped = select.grouping.iter().any(|grouping| {
        let arguments = grouping.aggregates.iter().flat_map(|aggregate| &aggregate.arguments);
        let asks_keys = |aggregate: &Aggregate| aggregate.function == AggregateFunction::Grouping;
        grouping.aggregates.iter().any(asks_keys)
            || grouping.keys.iter().chain(&grouping.others).chain(arguments).any(of_node)
    });
    let windowed = select.windowing.iter().any(|windowing| {
        windowing.functions.iter().any(is_of_rows_alone) || windowing.inputs.iter().any(of_node)
    });
    derived
        || demanded
        || grouped
        || windowed
        || select.join.as_ref().is_some_and(of_join)
        || select.having.iter().chain(&select.outputs).any(of_node)
}

/// Whether a window function is one that the analytic way has not.
fn is_of_rows_alone(function: &WindowFunction) -> bool {
    match &function.call {
        WindowCall::Aggregate(aggregate) => !aggregate.is_in_analytic_frames(),
        _ => false,
    }
}

fn of_join(join: &Join) -> bool {
    match join {
        Join::Relation(_) => false,
        Join::Inner(members, terms) => members.iter().any(of_join) || terms.iter().any(of_node),
        Join::Straight(left, right, terms) | Join::Left(left, right, terms) => {
            of_join(left) || of_join(right) || terms.iter().any(of_node)
        }
    }
}

fn of_node(node: &Node) -> bool {
    let mut found = false;
    node.visit(&mut |node| {
        if let Kind::Subquery(subquery) = &node.kind {
            found |= is_doubted(subquery) || needs_rows(subquery.query());
        }
    });
    found
}

fn is_doubted(subquery: &Subquery) -> bool {
    // DataFusion would run it once.
    if subquery.is_volatile {
        return true;
    }
    if subquery.is_correlated()
        && (!is_correlated_only_by(subquery, is_equation) || !is_joined_rightly(subquery))
    {
        return true;
    }
    match &subquery.form {
        SubqueryForm::Compare { operands, .. } if is_of_one_row(operands, subquery) => false,
        SubqueryForm::Compare { operands, quantifier, .. } => {
            let nullable = operands.iter().any(|node| node.nullable)
                || subquery.query().columns.iter().any(|column| column.nullable);
            *quantifier != Quantifier::Only && nullable
        }
        SubqueryForm::Scalar | SubqueryForm::Exists { .. } => false,
    }
}

/// Whether one operand is compared with the only row of a query that always has one.
fn is_of_one_row(operands: &[Node], subquery: &Subquery) -> bool {
    operands.len() == 1 && subquery.query().gives_one_row()
}

/// Whether its equations may be taken out of it and made a join's: what it computes over its rows
/// is then computed over those of each value of the equations. That is something else where a row
/// is computed of no rows at all, where rows are numbered or counted off, and where there are
/// totals of totals.
fn is_joined_rightly(subquery: &Subquery) -> bool {
    let query = subquery.query();
    let Body::Select(select) = &query.body else { return false };
    if select.windowing.is_some() || select.grouping.as_ref().is_some_and(|all| all.rollup) {
        return false;
    }
    // One with a row for all that it finds is a value, or is known to have one; its value is that
    // of an outer join.
    if select.grouping.as_ref().is_some_and(|grouping| grouping.keys.is_empty()) {
        let one_row = query.gives_one_row() && !select.distinct;
        return match &subquery.form {
            SubqueryForm::Scalar => one_row,
            SubqueryForm::Exists { .. } => query.gives_one_row(),
            SubqueryForm::Compare { operands, .. } => one_row && operands.len() == 1,
        };
    }
    match subquery.form {
        SubqueryForm::Exists { .. } => query.offset.is_none(),
        _ => query.offset.is_none() && query.limit.is_none(),
    }
}

/// Whether a sub-query that is demanded, or whose opposite is, becomes a join by equations with
/// what else its WHERE says of both rows. Rows are found by the equations alone, so that there has
/// to be one.
fn is_semi_join(subquery: &Subquery) -> bool {
    let joinable = match &subquery.form {
        SubqueryForm::Exists { .. } => true,
        SubqueryForm::Compare { operands, quantifier, .. } => {
            *quantifier != Quantifier::Only && operands.len() == 1
        }
        SubqueryForm::Scalar => false,
    };
    let query = subquery.query();
    let Body::Select(select) = &query.body else { return false };
    joinable
        && !subquery.is_volatile
        && query.limit.is_none()
        && !select.distinct
        && is_asked_plainly(subquery)
        && select.conditions.iter().any(|term| equation(term).is_some())
        && is_correlated_only_by(subquery, |term| equation(term).is_some() || is_of_both_rows(term))
}

/// Whether a term refers to no row but its own and the one right outside of its SELECT, and has no
/// sub-query.
fn is_of_both_rows(term: &Node) -> bool {
    let mut is_near = !has_subquery(term);
    term.visit(&mut |node| is_near &= !matches!(node.kind, Kind::Outer(2.., _)));
    is_near
}

/// Whether it refers to what encloses it only by terms of its WHERE that are such.
fn is_correlated_only_by(subquery: &Subquery, is_such: impl Fn(&Node) -> bool) -> bool {
    let mut rest = subquery.query().clone();
    if let Body::Select(select) = &mut rest.body {
        select.conditions.retain(|term| !is_such(term));
    }
    free_references(&mut rest).is_empty()
}

pub(super) fn is_equation(term: &Node) -> bool {
    let Kind::Compare(Comparison::Equal, a, b, _) = &term.kind else { return false };
    let column = |node: &Node| matches!(node.kind, Kind::Column(_) | Kind::Outer(..));
    column(a) && column(b)
}
