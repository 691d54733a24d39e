//! A select list that assigns to user variables sees the rows in the order of ORDER BY, as in
//! MySQL: `SELECT @n := @n + 1, a FROM t ORDER BY a` numbers what is shown, and with LIMIT nothing
//! beyond it is counted.
//!
//! The list then stands over a derived table of what it names, which is sorted:
//! ```text
//! SELECT @n := @n + 1, a FROM t ORDER BY b     SELECT @n := @n + 1, q.a FROM (SELECT a FROM t ORDER BY b) q
//! ```
//!
//! Invariants
//! 1. What is sorted by assigns nothing.
//!
//! Not here: lists of groups and of windows, and those with sub-queries, which are made before the
//! rows are sorted.

use expression::{Kind, Node, slot};

use super::Binder;
use crate::index_use::IndexUse;
use crate::terms::{has, has_subquery};
use crate::tree::{Body, IMPLICIT, Join, OutputColumn, Relation, Select, SortKey, Source};

impl Binder<'_> {
    /// The same SELECT, which sorts its rows before its list assigns; and by what else it is to be
    /// sorted.
    pub(super) fn assigned_in_order(
        &self,
        mut select: Select,
        order: Vec<SortKey>,
    ) -> (Select, Vec<SortKey>) {
        if !is_to_be_sorted_first(&select, &order) {
            return (select, order);
        }
        let (mut outputs, visible) = (std::mem::take(&mut select.outputs), select.visible);
        let mut sorted_by: Vec<Node> =
            order.iter().map(|key| outputs[key.position].clone()).collect();
        outputs.truncate(visible);
        // What the list names, each once.
        let mut named: Vec<Node> = Vec::new();
        outputs.iter_mut().for_each(|output| name_by_place(output, &mut named));
        let width = named.len();
        let keys = order
            .iter()
            .enumerate()
            .map(|(at, key)| SortKey { position: width + at, descending: key.descending });
        let keys: Vec<SortKey> = keys.collect();
        let types = named.iter().map(|node| node.ty.clone()).collect();
        let columns = named.iter().map(|node| OutputColumn {
            name: String::new(),
            ty: node.ty.clone(),
            nullable: node.nullable,
            origin: None,
            keeps_digits: false,
            coercibility: IMPLICIT,
        });
        let columns = columns.collect();
        named.append(&mut sorted_by);
        (select.outputs, select.visible) = (named, width);
        let mut query = self.query_of(Body::Select(Box::new(select)), columns);
        query.order = keys;
        let relation = Relation {
            name: String::new(),
            source: Source::Query(Box::new(query)),
            types,
            index_use: IndexUse::default(),
            locking: None,
            lateral: None,
        };
        let join = Some(Join::Relation(0));
        let list = Select::of_all(vec![relation], join, outputs, visible);
        (list, Vec::new())
    }
}

/// Lets the columns that an expression names be those of the derived table.
fn name_by_place(node: &mut Node, named: &mut Vec<Node>) {
    if let Kind::Column(at) = node.kind {
        let known = named.iter().position(|one| one.kind == Kind::Column(at));
        let place = known.unwrap_or_else(|| {
            named.push(node.clone());
            named.len() - 1
        });
        node.kind = Kind::Column(slot(0, place));
    }
    node.each_child_mut(&mut |child| name_by_place(child, named));
}

fn is_to_be_sorted_first(select: &Select, order: &[SortKey]) -> bool {
    let assigns = |node: &Node| has(node, |kind| matches!(kind, Kind::Assign(..)));
    let looks_elsewhere =
        |node: &Node| has_subquery(node) || has(node, |kind| matches!(kind, Kind::Outer(..)));
    let reads_variable =
        |node: &Node| has(node, |kind| matches!(kind, Kind::Assign(..) | Kind::UserVariable(_)));
    !order.is_empty()
        && select.is_plain()
        && !select.distinct
        && select.relations.iter().all(|relation| relation.locking.is_none())
        && select.outputs[..select.visible].iter().any(assigns)
        && !select.outputs.iter().chain(&select.conditions).any(looks_elsewhere)
        && !order.iter().any(|key| reads_variable(&select.outputs[key.position]))
}
