//! `x NOT IN (SELECT y ...)` that NULLs may make unknown, as terms that are true or false: a row is
//! looked up by its key, where an index has it, and a long query makes a join of it.
//!
//! ```text
//! k NOT IN (SELECT id FROM u)   ==>   NOT EXISTS (SELECT id FROM u WHERE id = k)
//!                                     AND NOT EXISTS (SELECT id FROM u WHERE id IS NULL)
//!                                     AND (k IS NOT NULL OR NOT EXISTS (SELECT id FROM u))
//! ```
//! The second is left out where `id` is never NULL, the third where `k` is not.
//!
//! Invariants
//! 1. Only terms that WHERE demands are taken apart: unknown is as good as false there.
//! 2. What is copied has no queries within, whose results are kept by their numbers.
//!
//! Not here: memberships that are never unknown (`unnest`), of several columns, whose value is
//! shown.

use expression::{Kind, Node, Quantifier, Subquery, SubqueryForm, boolean};

use super::unnest::equal_conditions;
use crate::terms::{has_subquery, is_volatile, push_terms};
use crate::tree::{AskedQuery, Body, Query, Select, Source};

/// Takes apart what may be unknown in a query that is not planned yet, and in all within it;
/// `number` gives numbers to the queries that are added.
pub fn take_apart(query: &mut Query, number: &dyn Fn() -> usize) {
    match &mut query.body {
        Body::Select(select) => of_select(select, number),
        Body::Set(set) => set.sides.iter_mut().for_each(|side| take_apart(side, number)),
        Body::Recursion(recursion) => {
            take_apart(&mut recursion.first, number);
            take_apart(&mut recursion.next, number);
        }
        Body::Values(_) | Body::JsonTable(_) | Body::FullText(_) => {}
    }
}

fn of_select(select: &mut Select, number: &dyn Fn() -> usize) {
    for relation in &mut select.relations {
        if let Source::Query(query) = &mut relation.source {
            take_apart(query, number);
        }
    }
    for term in &mut select.conditions {
        of_queries_within(term, number);
    }
    let is_unknown = |term: &Node| apart(term, number);
    let terms = std::mem::take(&mut select.conditions);
    for term in terms {
        match is_unknown(&term) {
            Some(known) => select.conditions.extend(known),
            None => select.conditions.push(term),
        }
    }
}

fn of_queries_within(node: &mut Node, number: &dyn Fn() -> usize) {
    if let Kind::Subquery(subquery) = &mut node.kind {
        take_apart(subquery.query_mut(), number);
    }
    node.each_child_mut(&mut |child| of_queries_within(child, number));
}

/// The terms of one that asks a value not to be among a query's, and may be unknown.
fn apart(term: &Node, number: &dyn Fn() -> usize) -> Option<Vec<Node>> {
    let subquery = not_among(term)?;
    let [operand] = subquery.operands() else { return None };
    let Body::Select(select) = &subquery.query().body else { return None };
    let [column] = subquery.query().columns.as_slice() else { return None };
    if !operand.nullable && !column.nullable || !is_copied(subquery.query(), select) {
        return None;
    }
    let equal = equal_conditions(subquery)?;
    let mut terms = vec![none_with(subquery, equal, number())];
    if operand.nullable {
        let there = boolean(Kind::IsNull(Box::new(operand.clone()), true), false);
        let empty = none_with(subquery, Vec::new(), number());
        terms.push(boolean(Kind::Or(vec![there, empty]), false));
    }
    if column.nullable {
        let is_null = Kind::IsNull(Box::new(select.outputs[0].clone()), false);
        terms.push(none_with(subquery, vec![boolean(is_null, false)], number()));
    }
    Some(terms)
}

/// The sub-query of `x NOT IN (query)`, `x <> ALL (query)`, `NOT x IN (query)`.
fn not_among(term: &Node) -> Option<&Subquery> {
    use expression::Comparison::{Equal, NotEqual};
    let (node, wanted) = match &term.kind {
        Kind::Not(inner) => (&**inner, (Equal, Quantifier::Any)),
        _ => (term, (NotEqual, Quantifier::All)),
    };
    let Kind::Subquery(subquery) = &node.kind else { return None };
    match &subquery.form {
        SubqueryForm::Compare { comparison, quantifier, .. }
            if (*comparison, *quantifier) == wanted =>
        {
            Some(subquery)
        }
        _ => None,
    }
}

/// Whether a query may be asked several times, in several ways.
fn is_copied(query: &Query, select: &Select) -> bool {
    let mut is_simple = true;
    let terms = select.conditions.iter().chain(&select.outputs);
    terms.for_each(|node| is_simple &= !is_volatile(node) && !has_subquery(node));
    if let Some(join) = &select.join {
        join.each_term(&mut |node| is_simple &= !is_volatile(node) && !has_subquery(node));
    }
    let is_stored = |source: &Source| matches!(source, Source::Table(_));
    is_simple
        && select.join.is_some()
        && select.is_plain()
        && !select.locks_rows()
        && select.outputs.len() == 1
        && query.limit.is_none()
        && query.offset.is_none()
        && select.relations.iter().all(|relation| is_stored(&relation.source))
}

/// That the query has no row for which some conditions hold as well.
fn none_with(subquery: &Subquery, conditions: Vec<Node>, number: usize) -> Node {
    let mut asked = subquery.clone();
    asked.form = SubqueryForm::Exists { negated: true };
    let query = asked.query_mut();
    query.id = number;
    query.order.clear();
    if let Body::Select(select) = &mut query.body {
        select.distinct = false;
        conditions.into_iter().for_each(|term| push_terms(term, &mut select.conditions));
    }
    boolean(Kind::Subquery(Box::new(asked)), false)
}
