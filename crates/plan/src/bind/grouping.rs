//! What an expression is above a grouping, or above window functions.
//!
//! Above a grouping keys are columns of the group's row, aggregates too, and every other column is
//! that of the group's first row, as in MySQL without ONLY_FULL_GROUP_BY. Above window functions
//! those are columns of their row, and every other column is kept of the row beneath.
//!
//! Not here: computing groups (`executor::group`) and window functions (`executor::window`).

use expression::{Kind, Node, parts_of};
use values::ErrorCode;
use values::datum::Value;

use crate::tree::{AggregateFunction, AskedQuery, Grouping, Windowing, outer_slots_mut};
use results::{Result, SqlError};

/// Within a sub-query, and while the SELECT around it is bound: the relation whose columns are that
/// SELECT's aggregates. No SELECT has so many relations.
pub(super) const AGGREGATES: usize = 62;

/// Rewrites an expression over joined rows to one over the groups' rows.
pub(super) fn lift(grouping: &mut Grouping, node: &mut Node) {
    let keys = grouping.keys.len();
    let mut above = Above {
        keys: &grouping.keys,
        rollup: grouping.rollup,
        number_of: |kind| match kind {
            Kind::Aggregate(number) => Some(*number),
            _ => None,
        },
        numbered: grouping.aggregates.len(),
        others: &mut grouping.others,
        // One group of no rows has no first row.
        may_lack: keys == 0,
    };
    above.lift(node);
}

/// Gives each GROUPING the positions of the keys that it asks about; without ROLLUP there are no
/// sums over any.
///
/// # Errors
/// 3602 for what is no key, 1111 without GROUP BY.
pub(super) fn find_keys_of_sums(grouping: &mut Grouping) -> Result<()> {
    let Grouping { keys, aggregates, .. } = grouping;
    for aggregate in aggregates.iter_mut() {
        if aggregate.function != AggregateFunction::Grouping {
            continue;
        }
        if keys.is_empty() {
            let message = "Invalid use of group function";
            return Err(SqlError::new(ErrorCode::InvalidGroupFuncUse, message));
        }
        for (at, argument) in aggregate.arguments.iter_mut().enumerate() {
            let Some(position) = keys.iter().position(|key| key == argument) else {
                let message = format!("Argument #{at} of GROUPING function is not in GROUP BY");
                return Err(SqlError::new(ErrorCode::FieldInGroupingNotGroupBy, message));
            };
            *argument = Node::constant(Value::Int(position as i64));
        }
    }
    Ok(())
}

/// Rewrites an expression over the rows that window functions are over to one over theirs.
pub(super) fn lift_over_windows(windowing: &mut Windowing, node: &mut Node) {
    let mut above = Above {
        keys: &[],
        rollup: false,
        number_of: |kind| match kind {
            Kind::Window(number) => Some(*number),
            _ => None,
        },
        numbered: windowing.functions.len(),
        others: &mut windowing.inputs,
        may_lack: false,
    };
    above.lift(node);
}

/// Makes what the functions are over columns of their row.
pub(super) fn lift_functions(windowing: &mut Windowing) {
    let Windowing { functions, inputs } = windowing;
    let first = functions.len();
    for node in functions.iter_mut().flat_map(|function| function.nodes_mut()) {
        if node.is_constant() {
            continue;
        }
        let at = position(inputs, node);
        *node = Node::new(Kind::Column(first + at), node.ty.clone(), node.nullable);
    }
}

/// A row above another: keys, then what has numbers, then others as they are met.
struct Above<'a> {
    keys: &'a [Node],
    rollup: bool,
    number_of: fn(&Kind) -> Option<usize>,
    numbered: usize,
    others: &'a mut Vec<Node>,
    /// Whether there may be no row that the others are of.
    may_lack: bool,
}

impl Above<'_> {
    fn lift(&mut self, node: &mut Node) {
        if let Some(at) = self.keys.iter().position(|key| key == node) {
            node.kind = Kind::Column(at);
            node.nullable |= self.rollup;
            return;
        }
        if let Some(number) = (self.number_of)(&node.kind) {
            node.kind = Kind::Column(self.keys.len() + number);
            return;
        }
        match &mut node.kind {
            Kind::Column(_) => {
                let at = position(self.others, node);
                node.kind = Kind::Column(self.keys.len() + self.numbered + at);
                node.nullable |= self.may_lack;
            }
            Kind::Subquery(subquery) => {
                outer_slots_mut(subquery.query_mut(), &mut |reference| {
                    let Kind::Outer(level, slot) = reference.kind else { return };
                    let kind = match parts_of(slot) {
                        (AGGREGATES, number) => Kind::Aggregate(number),
                        _ => Kind::Column(slot),
                    };
                    let mut column = Node::new(kind, reference.ty.clone(), reference.nullable);
                    self.lift(&mut column);
                    if let Kind::Column(position) = column.kind {
                        reference.kind = Kind::Outer(level, position);
                    }
                });
                subquery.operands_mut().iter_mut().for_each(|operand| self.lift(operand));
            }
            _ => node.each_child_mut(&mut |child| self.lift(child)),
        }
    }
}

/// Where a node stands in a list, to which it is added if need be.
fn position(nodes: &mut Vec<Node>, node: &Node) -> usize {
    nodes.iter().position(|other| other == node).unwrap_or_else(|| {
        nodes.push(node.clone());
        nodes.len() - 1
    })
}
