//! Sub-queries that ask whether a row exists, as look-ups in rows that depend on nothing outside.
//!
//! `EXISTS (SELECT ... FROM r WHERE r.a = outside.b AND ...)` is asked in two ways: by running it
//! for the row at hand, or by looking `outside.b` up among all `r.a` (`Members`). `x IN (SELECT y
//! ...)` and NOT IN are the same question with `y = x` as a further condition, where an answer that
//! is unknown is as good as false, or cannot be.
//!
//! Invariants
//! 1. The members' query depends on nothing outside, and what its rows are compared with depends
//!    on nothing within.
//! 2. Equality is that of keys: the sides are of one class of types.
//! 3. An expression that does something when it is evaluated is left as it is written.
//!
//! Not here: which of the ways is taken (`executor::membership`), members that are joined
//! (`rewrite`).

use expression::{
    Comparison, Kind, Node, Quantifier, Subquery, SubqueryForm, boolean, seen_beside,
};
use values::datum::Value;
use values::types::Collation;

use super::rewrite::rule_of;
use crate::terms::{has_subquery, is_volatile};
use crate::tree::{
    AskedQuery, Body, Class, Members, OutputColumn, Query, Select, class_of, each_node_mut,
    free_references,
};

/// Most sub-queries within one that is planned in both ways: each is planned twice then.
const INNER_MAX: usize = 2;

/// Finds the members of all sub-queries of a SELECT that have some.
pub fn find_members(select: &mut Select) {
    // Where a row is wanted, unknown is as good as false.
    select.conditions.iter_mut().chain(&mut select.having).for_each(|node| of_node(node, true));
    if let Some(join) = &mut select.join {
        join.each_term_mut(&mut |node| of_node(node, true));
    }
    if let Some(grouping) = &mut select.grouping {
        let arguments = grouping.aggregates.iter_mut().flat_map(|a| &mut a.arguments);
        let nodes = grouping.keys.iter_mut().chain(&mut grouping.others).chain(arguments);
        nodes.for_each(|node| of_node(node, false));
    }
    let inputs = select.windowing.iter_mut().flat_map(|windowing| &mut windowing.inputs);
    select.outputs.iter_mut().chain(inputs).for_each(|node| of_node(node, false));
}

fn of_node(node: &mut Node, demanded: bool) {
    let demanded = match &mut node.kind {
        Kind::Subquery(subquery) => {
            of_subquery(subquery, demanded);
            false
        }
        Kind::And(_) | Kind::Or(_) => demanded,
        _ => false,
    };
    node.each_child_mut(&mut |child| of_node(child, demanded));
}

fn of_subquery(subquery: &mut Subquery, demanded: bool) {
    if !is_asked_plainly(subquery) || !is_pure(subquery.query_mut()) {
        return;
    }
    if let SubqueryForm::Compare { .. } = subquery.form {
        ask_for_equal(subquery, demanded);
    }
    if let SubqueryForm::Exists { .. } = subquery.form {
        give_nothing(subquery.query_mut());
        subquery.free = free_references(subquery.query_mut());
        if subquery.is_correlated() {
            let members = members_of(subquery.query());
            subquery.set_members(members);
        }
    }
}

/// Whether it joins and filters rows, and which of them are there is all that is asked.
pub(super) fn is_asked_plainly(subquery: &Subquery) -> bool {
    let Body::Select(select) = &subquery.query().body else { return false };
    // Which of its rows are locked depends on how it is asked.
    select.join.is_some()
        && select.is_plain()
        && !select.locks_rows()
        && subquery.query().offset.is_none()
}

/// Whether it makes no difference how often its expressions are evaluated, and it can be planned
/// twice.
pub(super) fn is_pure(query: &mut Query) -> bool {
    let (mut inner, mut pure) = (0, true);
    each_node_mut(query, 1, &mut |node, _| match &node.kind {
        Kind::Subquery(_) => inner += 1,
        Kind::UserVariable(_) | Kind::Assign(..) => pure = false,
        Kind::Call(function, _) => pure &= !function.is_volatile(),
        _ => {}
    });
    pure && inner <= INNER_MAX
}

/// Makes `x IN (SELECT y ...)` of a sub-query EXISTS, and NOT IN its opposite.
fn ask_for_equal(subquery: &mut Subquery, demanded: bool) {
    let SubqueryForm::Compare { operands, comparison, quantifier } = &subquery.form else {
        return;
    };
    let negated = match (comparison, quantifier) {
        (Comparison::Equal, Quantifier::Any) => false,
        (Comparison::NotEqual, Quantifier::All) => true,
        _ => return,
    };
    let columns = &subquery.query().columns;
    let known =
        operands.iter().all(|node| !node.nullable) && columns.iter().all(|column| !column.nullable);
    if !(known || demanded && !negated) || subquery.query().limit.is_some() {
        return;
    }
    let Some(conditions) = equal_conditions(subquery) else { return };
    let Body::Select(select) = &mut subquery.query_mut().body else { return };
    select.conditions.extend(conditions);
    subquery.form = SubqueryForm::Exists { negated };
}

/// That a row of a sub-query equals the operands, as conditions within it; `None` where equality is
/// not that of keys.
pub(super) fn equal_conditions(subquery: &Subquery) -> Option<Vec<Node>> {
    let operands = subquery.operands();
    let Body::Select(select) = &subquery.query().body else { return None };
    let columns = &subquery.query().columns;
    let alike = operands.iter().zip(columns).all(|(operand, column)| {
        class_of(&operand.ty) == class_of(&column.ty) && class_of(&operand.ty) != Class::Other
    });
    let movable = operands.iter().all(|node| !is_volatile(node) && !has_subquery(node));
    let mut outputs = select.outputs.iter().zip(columns);
    let own = outputs.all(|(output, column)| is_own(output) && output.ty == column.ty);
    if !(alike && movable && own) {
        return None;
    }
    let equal = |(operand, output): (&Node, &Node)| {
        let rule = rule_of(operand, &output.ty);
        let output = Box::new(seen_beside(output.clone(), operand));
        let operand = Box::new(moved(operand, Move::Within));
        let kind = Kind::Compare(Comparison::Equal, output, operand, rule);
        boolean(kind, true)
    };
    Some(operands.iter().zip(&select.outputs).map(equal).collect())
}

/// Of rows that only have to be there nothing is given; then an index may do for the rest. All that
/// LIMIT says of them is whether there may be one.
fn give_nothing(query: &mut Query) {
    let Body::Select(select) = &mut query.body else { return };
    if let Some(limit) = query.limit.take() {
        let (limit, none) = (Box::new(limit), Box::new(Node::constant(Value::Int(0))));
        let kind = Kind::Compare(Comparison::NotEqual, limit, none, Collation::Binary);
        select.conditions.push(boolean(kind, false));
    }
    let one = Node::constant(Value::Int(1));
    query.columns = vec![output_of(&one)];
    query.order.clear();
    (select.outputs, select.visible, select.distinct) = (vec![one], 1, false);
}

/// A column of a result that has a node's values and no name.
pub(super) fn output_of(node: &Node) -> OutputColumn {
    let (name, ty, nullable) = (String::new(), node.ty.clone(), node.nullable);
    let coercibility = node.collation().1;
    OutputColumn { name, ty, nullable, origin: None, keeps_digits: false, coercibility }
}

/// The members of a query that refers to what encloses it only by equations that its WHERE demands.
fn members_of(query: &Query) -> Option<Members> {
    let mut query = query.clone();
    let Body::Select(select) = &mut query.body else { return None };
    let (mut operands, mut rules, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = Vec::with_capacity(select.conditions.len());
    for term in std::mem::take(&mut select.conditions) {
        match equation(&term) {
            Some(OuterComparison { own, outside, class, rule, .. }) => {
                operands.push(moved(outside, Move::Outwards));
                rules.push((class, rule));
                outputs.push(own.clone());
            }
            None => rest.push(term),
        }
    }
    select.conditions = rest;
    query.columns = outputs.iter().map(output_of).collect();
    (select.visible, select.outputs) = (outputs.len(), outputs);
    let found = !operands.is_empty() && free_references(&mut query).is_empty();
    found.then_some(Members { operands, rules, query })
}

/// A term that compares a value of a row with one of what encloses the row's SELECT, both of one
/// class.
pub(super) struct OuterComparison<'n> {
    pub own: &'n Node,
    /// Of the own value with the other.
    pub comparison: Comparison,
    pub outside: &'n Node,
    pub class: Class,
    pub rule: Collation,
}

impl OuterComparison<'_> {
    pub(super) fn of(term: &Node) -> Option<OuterComparison<'_>> {
        let Kind::Compare(comparison, a, b, rule) = &term.kind else { return None };
        let class = class_of(&a.ty);
        if class == Class::Other || class != class_of(&b.ty) {
            return None;
        }
        let (own, comparison, outside) =
            match (is_own(a) && is_outside(b), is_own(b) && is_outside(a)) {
                (true, _) => (a, *comparison, b),
                (_, true) => (b, comparison.mirrored(), a),
                _ => return None,
            };
        Some(OuterComparison { own, comparison, outside, class, rule: *rule })
    }
}

/// A term that asks a value of a row to equal one of what encloses the row's SELECT.
pub(super) fn equation(term: &Node) -> Option<OuterComparison<'_>> {
    OuterComparison::of(term).filter(|term| term.comparison == Comparison::Equal)
}

/// Whether a node is over the rows of its own SELECT alone.
pub(super) fn is_own(node: &Node) -> bool {
    let mut own = !node.is_row_free();
    node.visit(&mut |node| own &= !matches!(node.kind, Kind::Outer(..) | Kind::Subquery(_)));
    own
}

/// Whether a node is over rows of enclosing SELECTs alone.
fn is_outside(node: &Node) -> bool {
    refers_outside(node) && node.is_row_free() && !has_subquery(node)
}

/// Whether a node refers to a row of an enclosing SELECT.
pub(super) fn refers_outside(node: &Node) -> bool {
    let mut refers = false;
    node.visit(&mut |node| refers |= matches!(node.kind, Kind::Outer(..)));
    refers
}

/// From one SELECT to another.
#[derive(Clone, Copy)]
pub(super) enum Move {
    /// Into a sub-query of it.
    Within,
    /// Out of a sub-query, into the SELECT right around it.
    Outwards,
}

/// An expression as the other SELECT sees it.
pub(super) fn moved(node: &Node, to: Move) -> Node {
    let mut node = node.clone();
    move_node(&mut node, to);
    node
}

fn move_node(node: &mut Node, to: Move) {
    node.kind = match (&node.kind, to) {
        (Kind::Column(slot), Move::Within) => Kind::Outer(1, *slot),
        (Kind::Outer(level, slot), Move::Within) => Kind::Outer(level + 1, *slot),
        (Kind::Outer(1, slot), Move::Outwards) => Kind::Column(*slot),
        (Kind::Outer(level, slot), Move::Outwards) => Kind::Outer(level - 1, *slot),
        _ => return node.each_child_mut(&mut |child| move_node(child, to)),
    };
}
