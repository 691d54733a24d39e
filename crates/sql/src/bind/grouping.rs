//! What an expression is above a grouping: keys are columns of the group's row, aggregates too,
//! and every other column is that of the group's first row, as in MySQL without
//! ONLY_FULL_GROUP_BY.
//!
//! Not here: computing groups (`executor::group`).

use crate::expression::{Kind, Node};
use crate::tree::{Grouping, outer_slots_mut};

/// Rewrites an expression over joined rows to one over the groups' rows.
pub(super) fn lift(grouping: &mut Grouping, node: &mut Node) {
    if let Some(at) = grouping.keys.iter().position(|key| key == node) {
        node.kind = Kind::Column(at);
        node.nullable |= grouping.rollup;
        return;
    }
    let keys = grouping.keys.len();
    match &mut node.kind {
        Kind::Aggregate(number) => node.kind = Kind::Column(keys + *number),
        Kind::Column(_) => {
            let others = &mut grouping.others;
            let at = others.iter().position(|other| other == node).unwrap_or_else(|| {
                others.push(node.clone());
                others.len() - 1
            });
            node.kind = Kind::Column(keys + grouping.aggregates.len() + at);
            // One group of no rows has no first row.
            node.nullable |= keys == 0;
        }
        Kind::Subquery(subquery) => {
            outer_slots_mut(&mut subquery.query, &mut |reference| {
                let Kind::Outer(level, slot) = reference.kind else { return };
                let mut column =
                    Node::new(Kind::Column(slot), reference.ty.clone(), reference.nullable);
                lift(grouping, &mut column);
                if let Kind::Column(position) = column.kind {
                    reference.kind = Kind::Outer(level, position);
                }
            });
            subquery.operands_mut().iter_mut().for_each(|operand| lift(grouping, operand));
        }
        _ => node.each_child_mut(&mut |child| lift(grouping, child)),
    }
}
