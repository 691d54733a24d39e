//! Rewriting a SELECT into one that means the same and costs less.
//!
//! - `x IN (query)` that must hold, of a query that depends on nothing outside, becomes a join
//!   with its distinct rows, so that either side may be looked up by the other.
//! - An outer join becomes an inner one where a condition rejects the rows that it would fill
//!   with NULLs.
//!
//! Not here: the order of joins (`order`).

use super::access::{Class, class_of};
use super::terms::rejected;
use super::{Sizes, plan_node};
use crate::error::Result;
use crate::expression::{Comparison, Kind, Node, boolean, common_rule, type_collation};
use crate::index_use::IndexUse;
use crate::tree::{
    Body, Join, Query, Relation, Select, SetOperation, SetOperator, Source, Subquery, SubqueryForm,
    slot,
};

/// The most relations of a SELECT: bits of a set.
pub(super) const RELATIONS_MAX: usize = 61;

/// Makes joins of the memberships that WHERE demands.
pub fn membership_as_join(select: &mut Select) {
    let Some(mut join) = select.join.take() else { return };
    let mut kept = Vec::with_capacity(select.conditions.len());
    for term in std::mem::take(&mut select.conditions) {
        let Node { kind, ty, nullable } = term;
        match kind {
            Kind::Subquery(subquery)
                if select.relations.len() < RELATIONS_MAX && is_joinable(&subquery) =>
            {
                join = joined(join, *subquery, &mut select.relations);
            }
            kind => kept.push(Node { kind, ty, nullable }),
        }
    }
    select.conditions = kept;
    select.join = Some(join);
}

/// Whether the distinct rows of a sub-query, joined by equality, say the same as IN.
fn is_joinable(subquery: &Subquery) -> bool {
    // Rows that are distinct by themselves must be distinct for the comparison as well.
    let alike = |operand: &Node, ty| {
        let class = class_of(&operand.ty);
        class != Class::Other
            && class == class_of(ty)
            && (class != Class::Text || type_collation(&operand.ty) == type_collation(ty))
    };
    subquery.is_membership()
        && subquery.operands().iter().zip(&subquery.query.columns).all(|(a, b)| alike(a, &b.ty))
}

fn joined(join: Join, subquery: Subquery, relations: &mut Vec<Relation>) -> Join {
    let Subquery { query, form, .. } = subquery;
    let SubqueryForm::Compare { operands, .. } = form else { return join };
    let number = relations.len();
    let columns = query.columns.clone();
    let types = columns.iter().map(|column| column.ty.clone()).collect();
    let terms = operands
        .into_iter()
        .zip(&columns)
        .enumerate()
        .map(|(at, (operand, column))| {
            let kind = Kind::Column(slot(number, at));
            let column = Node::new(kind, column.ty.clone(), true);
            let rule = common_rule([&operand, &column].into_iter());
            let (a, b) = (Box::new(operand), Box::new(column));
            boolean(Kind::Compare(Comparison::Equal, a, b, rule), true)
        })
        .collect();
    // What is kept of the query itself is never asked for again, so that its number is free.
    let id = query.id;
    let set = SetOperation { operator: SetOperator::Union, all: false, sides: vec![query] };
    let distinct = Query::new(id, Body::Set(Box::new(set)), columns);
    relations.push(Relation {
        name: format!("<subquery{number}>"),
        source: Source::Query(Box::new(distinct)),
        types,
        index_use: IndexUse::default(),
    });
    Join::Inner(vec![join, Join::Relation(number)], terms)
}

/// Makes inner joins of outer ones whose NULLs are rejected; `without` are relations that
/// conditions further out reject NULLs of.
pub fn simplified(join: Join, without: u64) -> Join {
    match join {
        Join::Relation(number) => Join::Relation(number),
        Join::Inner(members, terms) => {
            let without = terms.iter().fold(without, |all, term| all | rejected(term));
            let members = members.into_iter().map(|member| simplified(member, without)).collect();
            Join::Inner(members, terms)
        }
        Join::Straight(left, right, terms) => {
            let without = terms.iter().fold(without, |all, term| all | rejected(term));
            let (left, right) = (simplified(*left, without), simplified(*right, without));
            Join::Straight(Box::new(left), Box::new(right), terms)
        }
        Join::Left(left, right, terms) => {
            let within = terms.iter().fold(0, |all, term| all | rejected(term));
            if right.relations() & without != 0 {
                let left = simplified(*left, without | within);
                let right = simplified(*right, without | within);
                return Join::Inner(vec![left, right], terms);
            }
            let left = simplified(*left, without);
            let right = simplified(*right, within);
            Join::Left(Box::new(left), Box::new(right), terms)
        }
    }
}

/// Plans the sub-queries of ON conditions; what one evaluation of all costs.
pub fn plan_join_terms(join: &mut Join, sizes: &Sizes<'_>) -> Result<f64> {
    let mut cost = 0.0;
    match join {
        Join::Relation(_) => {}
        Join::Inner(members, terms) => {
            for member in members {
                cost += plan_join_terms(member, sizes)?;
            }
            for term in terms {
                cost += plan_node(term, sizes)?;
            }
        }
        Join::Straight(left, right, terms) | Join::Left(left, right, terms) => {
            cost += plan_join_terms(left, sizes)? + plan_join_terms(right, sizes)?;
            for term in terms {
                cost += plan_node(term, sizes)?;
            }
        }
    }
    Ok(cost)
}
