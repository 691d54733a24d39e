//! Conditions as lists of terms joined by AND: which relations a term refers to, and which rows
//! it cannot hold for.
//!
//! Invariants
//! 1. A local term sees its relation's row as columns and everything joined before as
//!    `Kind::Outer(0, slot)`; the access paths of one table then need no notion of a join.
//!
//! Not here: what a term means to an index (`point::access`).

use expression::{Comparison, Kind, Node, Quantifier, SubqueryForm, parts_of};

/// The terms that AND joins.
pub fn push_terms(node: Node, terms: &mut Vec<Node>) {
    match node.kind {
        Kind::And(nodes) => nodes.into_iter().for_each(|node| push_terms(node, terms)),
        _ => terms.push(node),
    }
}

/// The relations of this SELECT that an expression refers to, as a set of bits.
pub fn references(node: &Node) -> u64 {
    let mut found = 0;
    node.visit(&mut |node| match &node.kind {
        Kind::Column(slot) => found |= 1 << parts_of(*slot).0,
        Kind::Subquery(subquery) => {
            for (level, slot) in &subquery.free {
                if *level == 1 {
                    found |= 1 << parts_of(*slot).0;
                }
            }
        }
        _ => {}
    });
    found
}

/// Whether an expression has a part of some kind.
pub fn has(node: &Node, is_it: impl Fn(&Kind) -> bool) -> bool {
    let mut found = false;
    node.visit(&mut |part| found |= is_it(&part.kind));
    found
}

/// Whether an expression has a literal that was taken out of the text, or a `?`.
pub fn has_literal(node: &Node) -> bool {
    has(node, |kind| matches!(kind, Kind::Parameter(_)))
}

/// Whether an expression has a sub-query.
pub fn has_subquery(node: &Node) -> bool {
    has(node, |kind| matches!(kind, Kind::Subquery(_)))
}

/// The columns of its own row that an expression looks at.
pub fn columns_of(node: &Node) -> Vec<usize> {
    let mut columns = Vec::new();
    node.visit(&mut |node| {
        if let Kind::Column(column) = node.kind {
            columns.push(column);
        }
    });
    columns
}

/// Whether an expression can be made local: a correlated sub-query needs the whole joined row.
pub fn can_be_local(node: &Node) -> bool {
    let mut local = true;
    node.visit(&mut |node| {
        local &= !matches!(&node.kind, Kind::Subquery(subquery) if subquery.is_correlated());
    });
    local
}

/// A term as the relation `number` sees it.
pub fn localized(node: &Node, number: usize) -> Node {
    let mut node = node.clone();
    localize(&mut node, number);
    node
}

fn localize(node: &mut Node, number: usize) {
    if let Kind::Column(slot) = node.kind {
        let (relation, column) = parts_of(slot);
        node.kind = if relation == number { Kind::Column(column) } else { Kind::Outer(0, slot) };
    }
    node.each_child_mut(&mut |child| localize(child, number));
}

/// Whether a local term depends on anything but its own row and the statement's literals.
pub fn depends_on_others(node: &Node) -> bool {
    let mut depends = false;
    node.visit(&mut |node| {
        depends |= match &node.kind {
            Kind::Outer(..) | Kind::UserVariable(_) | Kind::Assign(..) => true,
            Kind::Call(function, _) => function.is_volatile(),
            Kind::Subquery(subquery) => subquery.is_correlated(),
            _ => false,
        };
    });
    depends
}

/// Whether evaluating it again may give something else, or does something.
pub fn is_volatile(node: &Node) -> bool {
    let mut volatile = false;
    node.visit(&mut |node| {
        volatile |= match &node.kind {
            Kind::UserVariable(_) | Kind::Assign(..) => true,
            Kind::Call(function, _) => function.is_volatile(),
            _ => false,
        };
    });
    volatile
}

/// The relations for which a term cannot hold when all their columns are NULL.
pub fn rejected(term: &Node) -> u64 {
    match &term.kind {
        Kind::Compare(Comparison::NullSafeEqual, ..) => 0,
        Kind::And(nodes) => nodes.iter().fold(0, |all, node| all | rejected(node)),
        Kind::Or(nodes) => nodes.iter().fold(u64::MAX, |all, node| all & rejected(node)),
        Kind::IsNull(a, true) | Kind::IsTruth(a, _, false) => strict(a),
        Kind::Not(a) => match &a.kind {
            Kind::Compare(..) | Kind::Like(..) | Kind::Column(_) | Kind::InList(..) => strict(a),
            Kind::IsNull(a, false) => strict(a),
            Kind::Between(..) => strict(a),
            Kind::Not(a) => rejected(a),
            _ => 0,
        },
        Kind::Between(nodes, false, _) => nodes.iter().fold(0, |all, node| all | strict(node)),
        // NULL is among no rows, and compares with none; but with all of no rows it does.
        Kind::Subquery(subquery) => match &subquery.form {
            SubqueryForm::Compare { operands, comparison, quantifier }
                if *quantifier != Quantifier::All
                    && *comparison != Comparison::NullSafeEqual
                    && (operands.len() == 1 || *comparison == Comparison::Equal) =>
            {
                operands.iter().fold(0, |all, operand| all | strict(operand))
            }
            _ => 0,
        },
        _ => strict(term),
    }
}

/// The relations whose NULLs make a value NULL.
fn strict(node: &Node) -> u64 {
    match &node.kind {
        Kind::Column(slot) => 1 << parts_of(*slot).0,
        Kind::Compare(Comparison::NullSafeEqual, ..) => 0,
        Kind::Compare(_, a, b, _) | Kind::Arithmetic(_, a, b) | Kind::Like(a, b, ..) => {
            strict(a) | strict(b)
        }
        Kind::Negate(a) | Kind::Cast(a) | Kind::Collated(a) | Kind::BitNot(a) => strict(a),
        Kind::InList(a, ..) => strict(a),
        // A bound that is NULL decides nothing: 5 is not between NULL and 3.
        Kind::Between(nodes, ..) => strict(&nodes[0]),
        _ => 0,
    }
}
