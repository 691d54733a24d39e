//! What an expression is above a grouping, or above window functions.
//!
//! Above a grouping keys are columns of the group's row, aggregates too, and every other column is
//! that of the group's first row, as in MySQL without ONLY_FULL_GROUP_BY. Above window functions
//! those are columns of their row, and every other column is kept of the row beneath.
//!
//! Not here: computing groups (`executor::group`) and window functions (`executor::window`).

use expression::{Kind, Node, parts_of};
use values::ErrorCode;
use values::datum::{Datum, Value};

use super::full_group::GivenRows;
use super::{Binder, Literals};
use crate::terms::has_literal;
use crate::tree::{
    Aggregate, AggregateFunction, AskedQuery, Grouping, Windowing, outer_slots_mut, pin_all,
};
use results::{Result, SqlError};

/// Within a sub-query, and while the SELECT around it is bound: the relation whose columns are that
/// SELECT's aggregates. No SELECT has so many relations.
pub(super) const AGGREGATES: usize = 62;

impl Binder<'_> {
    /// Puts the keys in the places of expressions that are the same but for the numbers of literals
    /// that are equal.
    pub(super) fn use_keys(&self, keys: &[Node], node: &mut Node) {
        if let Some(key) = keys.iter().find(|key| self.is_same(key, node)) {
            *node = key.clone();
            return;
        }
        node.each_child_mut(&mut |child| self.use_keys(keys, child));
    }

    /// Whether two expressions are the same with these literals: what is bound depends on them
    /// then.
    pub(super) fn is_same(&self, a: &Node, b: &Node) -> bool {
        if a == b {
            return true;
        }
        if std::mem::discriminant(&a.kind) != std::mem::discriminant(&b.kind)
            || !has_literal(a)
            || !has_literal(b)
            || self.with_literals(a) != self.with_literals(b)
        {
            return false;
        }
        let (Literals::Known(literals) | Literals::OfAnyKind(literals)) = self.literals;
        let mut pinned = self.pinned.borrow_mut();
        [a, b].into_iter().for_each(|node| pin_all(&mut pinned, node, literals));
        true
    }

    /// An expression with literals in their places, as far as these are at hand.
    fn with_literals(&self, node: &Node) -> Node {
        let mut node = node.clone();
        let (Literals::Known(literals) | Literals::OfAnyKind(literals)) = self.literals;
        put_literals(&mut node, literals);
        node
    }
}

fn put_literals(node: &mut Node, literals: &[Datum<'_>]) {
    if let Kind::Parameter(number) = node.kind
        && let Some(literal) = literals.get(usize::from(number))
    {
        node.kind = Kind::Constant(literal.to_value());
    }
    node.each_child_mut(&mut |child| put_literals(child, literals));
}

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

/// Without groups ANY_VALUE is the value of the row at hand, as MySQL has it. It stays an aggregate
/// where a sub-query asks for one that is more than a column.
pub(super) fn put_any_values(aggregates: &mut Vec<Aggregate>, given: &mut GivenRows<'_>) {
    let column = |number: usize| match aggregates[number].arguments[0].kind {
        Kind::Column(slot) => Some(slot),
        _ => None,
    };
    let mut may_be_put = true;
    given.each_node_mut(&mut |node| {
        each_outer_aggregate(node, &mut |_, number| may_be_put &= column(number).is_some());
    });
    if !may_be_put {
        return;
    }
    given.each_node_mut(&mut |node| {
        each_outer_aggregate(node, &mut |reference, number| {
            if let (Kind::Outer(_, slot), Some(column)) = (&mut reference.kind, column(number)) {
                *slot = column;
            }
        });
        put_arguments(aggregates, node);
    });
    aggregates.clear();
}

/// Calls `each` with what sub-queries of an expression say of this SELECT's aggregates, and their
/// numbers.
pub(super) fn each_outer_aggregate(node: &mut Node, each: &mut dyn FnMut(&mut Node, usize)) {
    if let Kind::Subquery(subquery) = &mut node.kind {
        outer_slots_mut(subquery.query_mut(), &mut |reference| {
            if let Kind::Outer(_, slot) = reference.kind
                && let (AGGREGATES, number) = parts_of(slot)
            {
                each(reference, number);
            }
        });
    }
    node.each_child_mut(&mut |child| each_outer_aggregate(child, each));
}

fn put_arguments(aggregates: &[Aggregate], node: &mut Node) {
    if let Kind::Aggregate(number) = node.kind {
        *node = aggregates[number].arguments[0].clone();
    }
    node.each_child_mut(&mut |child| put_arguments(aggregates, child));
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
        for (argument, number) in aggregate.arguments.iter_mut().zip(1..) {
            let Some(position) = keys.iter().position(|key| key == argument) else {
                let message = format!("Argument #{number} of GROUPING function is not in GROUP BY");
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
        node.kind = Kind::Column(first + at);
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
                    let mut column = Node { kind, ..reference.clone() };
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
