//! Walking over all expressions of a bound query, those of its sub-queries included.
//!
//! A walk knows how deep it is: an expression of the query itself is at level 1, one of a
//! sub-query or derived table within it at level 2, so that `Kind::Outer(level, slot)` met at the
//! same level is a column of the SELECT that the walk began outside of.
//!
//! Invariants
//! 1. Only for queries that are not planned yet: a plan has copies that are not walked over.
//!
//! Not here: walking over one expression (`Node::visit`).

use expression::{Kind, Node};

use super::{AskedQuery, Body, Query, Select, Source};

/// Calls `each` with every node beneath a query, and its level.
pub fn each_node_mut(query: &mut Query, level: u16, each: &mut dyn FnMut(&mut Node, u16)) {
    match &mut query.body {
        Body::Select(select) => select_nodes(select, level, each),
        Body::Set(set) => {
            set.sides.iter_mut().for_each(|side| each_node_mut(side, level, each));
        }
        Body::Recursion(recursion) => {
            each_node_mut(&mut recursion.first, level, each);
            each_node_mut(&mut recursion.next, level, each);
        }
        Body::Values(rows) => rows.iter_mut().flatten().for_each(|n| node_mut(n, level, each)),
        Body::FullText(search) => node_mut(&mut search.against, level, each),
        Body::JsonTable(table) => node_mut(&mut table.document, level, each),
    }
    for node in query.limit.iter_mut().chain(&mut query.offset) {
        node_mut(node, level, each);
    }
}

fn select_nodes(select: &mut Select, level: u16, each: &mut dyn FnMut(&mut Node, u16)) {
    for relation in &mut select.relations {
        if let Source::Query(query) = &mut relation.source {
            // A derived table sees what is outside of the SELECT around it, not that SELECT.
            each_node_mut(query, level + 1, each);
        }
    }
    if let Some(join) = &mut select.join {
        join.each_term_mut(&mut |node| node_mut(node, level, each));
    }
    if let Some(grouping) = &mut select.grouping {
        grouping.each_node_mut(&mut |node| node_mut(node, level, each));
    }
    let inputs = select.windowing.iter_mut().flat_map(|windowing| &mut windowing.inputs);
    let rest = select.conditions.iter_mut().chain(&mut select.having).chain(&mut select.outputs);
    rest.chain(inputs).for_each(|node| node_mut(node, level, each));
}

/// Calls `each` with every node of an expression, which is at that level.
pub(super) fn node_mut(node: &mut Node, level: u16, each: &mut dyn FnMut(&mut Node, u16)) {
    each(node, level);
    if let Kind::Subquery(subquery) = &mut node.kind {
        each_node_mut(subquery.query_mut(), level + 1, each);
    }
    node.each_child_mut(&mut |child| node_mut(child, level, each));
}

/// Calls `each` with every slot that a sub-query refers to in the SELECT right around it.
pub fn outer_slots_mut(query: &mut Query, each: &mut dyn FnMut(&mut Node)) {
    each_node_mut(query, 1, &mut |node, level| {
        if matches!(node.kind, Kind::Outer(outer, _) if outer == level) {
            each(node);
        }
    });
}

/// Puts so many SELECTs between a sub-query and those around it that it refers to.
pub fn deepen_references(query: &mut Query, levels: u16) {
    each_node_mut(query, 1, &mut |node, level| {
        if let Kind::Outer(outer, _) = &mut node.kind
            && *outer >= level
        {
            *outer += levels;
        }
    });
}

/// The columns outside of a sub-query that it refers to: levels from 1, and slots.
pub fn free_references(query: &mut Query) -> Vec<(u16, usize)> {
    let mut free = Vec::new();
    each_node_mut(query, 1, &mut |node, level| {
        if let Kind::Outer(outer, slot) = node.kind
            && outer >= level
        {
            free.push((outer - level + 1, slot));
        }
    });
    free.sort_unstable();
    free.dedup();
    free
}
