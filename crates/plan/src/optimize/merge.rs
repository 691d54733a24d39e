//! Derived tables that only join and filter become a part of the join around them, so that its
//! conditions choose their indexes, and no rows are kept.
//!
//! Invariants
//! 1. Where an outer join fills a derived table with NULLs, only columns as they are stand for its
//!    columns: nothing else would be NULL then. So it is where a sub-query names them.
//! 2. What is another thing each time, or is found by a query, is evaluated once for each row.
//! 3. An ORDER BY within keeps a derived table as it is: people count on its order.
//!
//! Not here: IN (query) as a join (`rewrite`).

use expression::{Kind, Node, Subquery, parts_of, slot};

use super::rewrite::RELATIONS_MAX;
use crate::terms::{has_subquery, is_volatile};
use crate::tree::{
    AskedQuery, Body, Join, Query, Select, Source, free_references, outer_slots_mut,
};

/// Merges the derived tables of a SELECT that can be.
pub fn derived_tables(select: &mut Select) {
    // What a LATERAL query names has a number; it stays what it is.
    if select.has_lateral() {
        return;
    }
    let mut at = 0;
    while at < select.relations.len() {
        // What comes in its place may be a derived table itself.
        match is_part_of_join(select, at) && may_stand(select, at) {
            true => merge(select, at),
            false => at += 1,
        }
    }
}

/// The query of a derived table, if it is one SELECT.
fn derived(select: &Select, at: usize) -> Option<(&Query, &Select)> {
    let Source::Query(query) = &select.relations[at].source else { return None };
    let Body::Select(inner) = &query.body else { return None };
    Some((query, inner))
}

fn is_part_of_join(select: &Select, at: usize) -> bool {
    let Some((query, inner)) = derived(select, at) else { return false };
    let others = select.relations.len() - 1;
    query.order.is_empty()
        && query.limit.is_none()
        && query.offset.is_none()
        && inner.join.is_some()
        && inner.is_plain()
        && !inner.distinct
        && !inner.has_lateral()
        // Its own order says nothing of the relations around it.
        && !inner.straight
        && others + inner.relations.len() <= RELATIONS_MAX
}

/// Whether what a derived table gives may stand wherever its columns are named.
fn may_stand(select: &mut Select, at: usize) -> bool {
    let Some((_, inner)) = derived(select, at) else { return false };
    let is_column = |node: &Node| matches!(node.kind, Kind::Column(_));
    if inner.outputs.iter().all(is_column) {
        return true;
    }
    let is_simple = |node: &Node| !is_volatile(node) && !has_subquery(node);
    let is_filled = select.join.as_ref().is_some_and(|join| fills(join, at));
    inner.outputs.iter().all(is_simple) && !is_filled && !is_named_within(select, at)
}

/// Whether an outer join fills a relation with NULLs.
fn fills(join: &Join, at: usize) -> bool {
    match join {
        Join::Relation(_) => false,
        Join::Inner(members, _) => members.iter().any(|member| fills(member, at)),
        Join::Straight(left, right, _) => fills(left, at) || fills(right, at),
        Join::Left(left, right, _) => fills(left, at) || has(right, at),
    }
}

fn has(join: &Join, at: usize) -> bool {
    match join {
        Join::Relation(own) => *own == at,
        Join::Inner(members, _) => members.iter().any(|member| has(member, at)),
        Join::Straight(left, right, _) | Join::Left(left, right, _) => {
            has(left, at) || has(right, at)
        }
    }
}

/// Whether a sub-query names a column of a relation. Nothing is changed.
fn is_named_within(select: &mut Select, at: usize) -> bool {
    let mut found = false;
    joined_nodes_mut(select, &mut |node| {
        node.visit(&mut |part| {
            if let Kind::Subquery(subquery) = &part.kind {
                let own = |(level, slot): &(u16, usize)| *level == 1 && parts_of(*slot).0 == at;
                found |= subquery.free.iter().any(own);
            }
        });
    });
    found
}

fn merge(select: &mut Select, at: usize) {
    let nothing = Source::Added(0);
    let source = std::mem::replace(&mut select.relations[at].source, nothing);
    let Source::Query(query) = source else { return };
    let Body::Select(inner) = query.body else { return };
    let inner = *inner;
    // Its first relation takes its number, the others come behind all.
    let behind = select.relations.len();
    let number = |own: usize| if own == 0 { at } else { behind + own - 1 };
    let moved = |own: usize| {
        let (relation, column) = parts_of(own);
        slot(number(relation), column)
    };
    let mut outputs = inner.outputs;
    outputs.iter_mut().for_each(|node| change_slots(node, &moved));
    joined_nodes_mut(select, &mut |node| put_for_columns(node, at, &outputs));
    let (mut join, mut conditions) = (inner.join, inner.conditions);
    if let Some(join) = &mut join {
        renumber(join, &number);
        join.each_term_mut(&mut |node| change_slots(node, &moved));
    }
    conditions.iter_mut().for_each(|node| change_slots(node, &moved));
    let mut relations = inner.relations.into_iter();
    if let Some(first) = relations.next() {
        select.relations[at] = first;
    }
    select.relations.extend(relations);
    if let (Some(outer), Some(join)) = (&mut select.join, join) {
        put_in_place(outer, at, &mut Some((join, conditions)));
    }
}

/// Puts what a derived table gives for its columns.
fn put_for_columns(node: &mut Node, at: usize, outputs: &[Node]) {
    match &mut node.kind {
        Kind::Column(own) => {
            let (relation, column) = parts_of(*own);
            if let (true, Some(output)) = (relation == at, outputs.get(column)) {
                node.kind = output.kind.clone();
            }
            return;
        }
        Kind::Subquery(subquery) => {
            change_outer_slots(subquery, &|own| match parts_of(own) {
                (relation, column) if relation == at => match outputs.get(column) {
                    Some(Node { kind: Kind::Column(moved), .. }) => *moved,
                    _ => own,
                },
                _ => own,
            });
        }
        _ => {}
    }
    node.each_child_mut(&mut |child| put_for_columns(child, at, outputs));
}

/// Calls `each` with every expression over the joined row.
fn joined_nodes_mut(select: &mut Select, each: &mut dyn FnMut(&mut Node)) {
    select.conditions.iter_mut().for_each(&mut *each);
    if let Some(join) = &mut select.join {
        join.each_term_mut(each);
    }
    if let Some(grouping) = &mut select.grouping {
        return grouping.each_node_mut(each);
    }
    select.having.iter_mut().for_each(&mut *each);
    match &mut select.windowing {
        Some(windowing) => windowing.inputs.iter_mut().for_each(&mut *each),
        None => select.outputs.iter_mut().for_each(&mut *each),
    }
}

fn renumber(join: &mut Join, number: &dyn Fn(usize) -> usize) {
    match join {
        Join::Relation(own) => *own = number(*own),
        Join::Inner(members, _) => members.iter_mut().for_each(|member| renumber(member, number)),
        Join::Straight(left, right, _) | Join::Left(left, right, _) => {
            renumber(left, number);
            renumber(right, number);
        }
    }
}

/// Puts a join with its conditions where a relation stands.
fn put_in_place(join: &mut Join, at: usize, part: &mut Option<(Join, Vec<Node>)>) {
    match join {
        Join::Relation(own) if *own == at => {
            if let Some((part, conditions)) = part.take() {
                *join = Join::Inner(vec![part], conditions);
            }
        }
        Join::Relation(_) => {}
        Join::Inner(members, _) => {
            members.iter_mut().for_each(|member| put_in_place(member, at, part));
        }
        Join::Straight(left, right, _) => {
            put_in_place(left, at, part);
            put_in_place(right, at, part);
        }
        Join::Left(left, right, terms) => {
            // What the right side is filtered by is part of what makes a match.
            if matches!(**right, Join::Relation(own) if own == at)
                && let Some((part, conditions)) = part.take()
            {
                **right = part;
                terms.extend(conditions);
            }
            put_in_place(left, at, part);
            put_in_place(right, at, part);
        }
    }
}

/// Changes the slots that an expression refers to, also from within its sub-queries.
fn change_slots(node: &mut Node, change: &dyn Fn(usize) -> usize) {
    match &mut node.kind {
        Kind::Column(own) => *own = change(*own),
        Kind::Subquery(subquery) => {
            change_outer_slots(subquery, change);
        }
        _ => {}
    }
    node.each_child_mut(&mut |child| change_slots(child, change));
}

/// Changes the slots that a sub-query refers to outside of it.
fn change_outer_slots(subquery: &mut Subquery, change: &dyn Fn(usize) -> usize) {
    outer_slots_mut(subquery.query_mut(), &mut |reference| {
        if let Kind::Outer(_, own) = &mut reference.kind {
            *own = change(*own);
        }
    });
    subquery.free = free_references(subquery.query_mut());
}
