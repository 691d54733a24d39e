//! Orders that would save work: that of ORDER BY, which saves a sort, and one in which each group's
//! rows come one after the other, which saves the table of groups.
//!
//! Not here: whether an index gives such an order (`access`), and whether it pays (`order`).

use std::collections::HashSet;

use expression::{Kind, Node, parts_of};

use super::RowDemand;
use crate::point::Ordering;
use crate::terms::{has_subquery, references};
use crate::tree::{Select, SortKey};

/// Rows that come before those wanted, where rows that a condition leaves are not evenly spread.
pub const UNLUCKY_ROWS: f64 = 16.0;

/// The relation and order that would save the sort, if ORDER BY is over columns of one.
pub fn wanted_order(select: &Select, wanted: &RowDemand<'_>) -> Option<(usize, Ordering)> {
    let order = wanted.order;
    let plain = select.grouping.is_none() && select.windowing.is_none();
    if wanted.rows.is_none() || !plain {
        return None;
    }
    let mut relation = None;
    let mut columns = Vec::with_capacity(order.len());
    for key in order {
        // Of rows that are given once it is not known which one is.
        if select.distinct && key.position >= select.visible {
            return None;
        }
        let Kind::Column(slot) = select.outputs[key.position].kind else { return None };
        let (number, column) = parts_of(slot);
        if *relation.get_or_insert(number) != number {
            return None;
        }
        columns.push((column, key.descending));
    }
    Some((relation?, Ordering { columns }))
}

/// An order in which each group's rows come one after the other.
pub struct GroupOrder {
    /// The relation that all keys are columns of.
    pub relation: usize,
    pub ordering: Ordering,
    /// Whether it is what ORDER BY asks for, if that asks for anything.
    pub sorts: bool,
}

/// The order that would save the table of groups.
pub fn wanted_group_order(select: &Select, wanted: &RowDemand<'_>) -> Option<GroupOrder> {
    let grouping = select.grouping.as_ref().filter(|grouping| !grouping.rollup)?;
    if select.windowing.is_some() || grouping.keys.is_empty() || select.locks_rows() {
        return None;
    }
    let mut relation = None;
    let mut keys = Vec::with_capacity(grouping.keys.len());
    for key in &grouping.keys {
        let Kind::Column(slot) = key.kind else { return None };
        let (number, column) = parts_of(slot);
        if *relation.get_or_insert(number) != number {
            return None;
        }
        keys.push(column);
    }
    // A group's row begins with its keys.
    let sorted = wanted.order.iter().map(|key| match select.outputs[key.position].kind {
        Kind::Column(at) => keys.get(at).map(|column| (*column, key.descending)),
        _ => None,
    });
    let mut sorted: Option<Vec<(usize, bool)>> = sorted.collect();
    if select.distinct {
        sorted = None;
    }
    let (sorts, mut columns) = (sorted.is_some(), sorted.unwrap_or_default());
    // The others go along with these.
    let descending = columns.first().is_some_and(|(_, descending)| *descending);
    columns.extend(keys.into_iter().map(|key| (key, descending)));
    let mut seen = HashSet::new();
    columns.retain(|(column, _)| seen.insert(*column));
    Some(GroupOrder { relation: relation?, ordering: Ordering { columns }, sorts })
}

/// The relations that have all that rows are sorted by, if rows can be sorted when only these are
/// joined.
pub fn sorted_by(select: &Select, order: &[SortKey]) -> Option<u64> {
    let sorted: Vec<&Node> = order.iter().map(|key| &select.outputs[key.position]).collect();
    let plain = select.grouping.is_none() && select.windowing.is_none();
    if sorted.is_empty() || !plain || sorted.iter().any(|node| has_subquery(node)) {
        return None;
    }
    Some(sorted.iter().fold(0, |all, node| all | references(node)))
}

/// Where few are wanted of a sort: how many the rest is joined to.
#[derive(Clone, Copy)]
pub struct OrderCut {
    /// What rows are sorted by.
    pub relations: u64,
    pub rows: f64,
}

impl OrderCut {
    /// That of a query, if rows can be sorted before all is joined.
    pub fn of(select: &Select, wanted: &RowDemand<'_>) -> Option<OrderCut> {
        let rows = wanted.rows.filter(|_| !select.distinct && !select.counts_found)?;
        let relations = sorted_by(select, wanted.order)?;
        Some(OrderCut { relations, rows: rows + UNLUCKY_ROWS })
    }
}
