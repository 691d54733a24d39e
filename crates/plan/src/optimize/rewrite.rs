//! Rewriting a SELECT into one that means the same and costs less.
//!
//! - `x IN (query)` and EXISTS that must hold become joins, so that either side may be looked up by
//!   the other: with the query's rows where an index has each once at most, else with its distinct
//!   rows.
//! - An outer join becomes an inner one where a condition rejects the rows that it would fill
//!   with NULLs.
//!
//! Not here: the order of joins (`order`).

use expression::{
    Comparison, Kind, Node, Subquery, SubqueryForm, boolean, common_rule, parts_of, slot, tolerance,
};
use rows::schema::{Index, IndexState};
use values::types::{Collation, ColumnType};

use crate::index_use::IndexUse;
use crate::terms::rejected;
use crate::tree::{
    AskedQuery, Body, Class, Join, Members, Query, Relation, Select, SetOperation, SetOperator,
    Source, class_of,
};

/// The most relations of a SELECT: bits of a set.
pub(super) const RELATIONS_MAX: usize = 61;

/// Makes joins of the memberships that WHERE demands, where that is never the worse way: of rows
/// that are distinct by an index, and of those that no condition could find one by one.
pub fn membership_as_join(select: &mut Select) {
    join_demanded(select, &|subquery| {
        if is_joinable(subquery) {
            let (operands, query) = (subquery.operands(), subquery.query());
            let pairs = operands.iter().zip(&query.columns);
            let rules = pairs.map(|(operand, column)| rule_of(operand, &column.ty)).collect();
            return Some(JoinedQuery::distinct_of(operands, rules, query));
        }
        let members = wanted_members(subquery).filter(|members| is_unique(members))?;
        let (operands, query) = (members.operands.clone(), members.query.clone());
        Some(JoinedQuery { operands, rules: rules_of(members), query })
    });
}

/// The same SELECT with joins for what it wants to be among members, if there is such: then the
/// joining may begin with them. Sub-queries are planned.
pub fn members_as_join(select: &Select) -> Option<Select> {
    let wanted = |term: &Node| match &term.kind {
        Kind::Subquery(subquery) => wanted_members(subquery).is_some_and(are_alike),
        _ => false,
    };
    if !select.conditions.iter().any(wanted) {
        return None;
    }
    let mut select = select.clone();
    join_demanded(&mut select, &|subquery| {
        let members = wanted_members(subquery).filter(|members| are_alike(members))?;
        Some(JoinedQuery::distinct_of(&members.operands, rules_of(members), &members.query))
    });
    Some(select)
}

/// A query whose rows are joined where they equal operands, each of them once at most.
struct JoinedQuery {
    operands: Vec<Node>,
    /// How each of them compares.
    rules: Vec<Collation>,
    query: Query,
}

impl JoinedQuery {
    /// With the distinct rows of a query.
    fn distinct_of(operands: &[Node], rules: Vec<Collation>, query: &Query) -> JoinedQuery {
        // What is kept of the query itself is never asked for again, so that its number is free.
        let (id, columns) = (query.id, query.columns.clone());
        let (rows, cost) = (query.rows, query.cost);
        let (operator, sides) = (SetOperator::Union, vec![query.clone()]);
        let set = SetOperation { operator, all: false, sides };
        let query = Query { rows, cost, ..Query::new(id, Body::Set(Box::new(set)), columns) };
        JoinedQuery { operands: operands.to_vec(), rules, query }
    }
}

/// Makes joins of those of the sub-queries that WHERE demands which `as_joined` has a query for.
fn join_demanded(select: &mut Select, as_joined: &dyn Fn(&Subquery) -> Option<JoinedQuery>) {
    let Some(mut join) = select.join.take() else { return };
    let mut kept = Vec::with_capacity(select.conditions.len());
    for term in std::mem::take(&mut select.conditions) {
        let joined = match &term.kind {
            Kind::Subquery(subquery) if select.relations.len() < RELATIONS_MAX => {
                as_joined(subquery)
            }
            _ => None,
        };
        match joined {
            Some(joined) => join = with_query(join, joined, &mut select.relations),
            None => kept.push(term),
        }
    }
    select.conditions = kept;
    select.join = Some(join);
}

/// Whether the distinct rows of a sub-query, joined by equality, say the same as IN.
fn is_joinable(subquery: &Subquery) -> bool {
    let pairs = subquery.operands().iter().zip(&subquery.query().columns);
    subquery.is_membership()
        && pairs.into_iter().all(|(operand, column)| {
            let class = class_of(&operand.ty);
            class != Class::Other
                && class == class_of(&column.ty)
                && is_distinct_by(class, rule_of(operand, &column.ty), &column.ty)
        })
}

/// Whether values that are distinct by themselves are so for a comparison.
fn is_distinct_by(class: Class, rule: Collation, ty: &ColumnType) -> bool {
    class != Class::Text || ty.collation() == Some(rule)
}

/// The members that a sub-query wants a row to be among.
fn wanted_members(subquery: &Subquery) -> Option<&Members> {
    match subquery.form {
        SubqueryForm::Exists { negated: false } => subquery.members(),
        _ => None,
    }
}

fn rules_of(members: &Members) -> Vec<Collation> {
    members.rules.iter().map(|(_, rule)| *rule).collect()
}

/// Whether members are distinct by themselves where they are for the comparisons.
fn are_alike(members: &Members) -> bool {
    let mut pairs = members.rules.iter().zip(&members.query.columns);
    pairs.all(|((class, rule), column)| is_distinct_by(*class, *rule, &column.ty))
}

/// Whether a unique index has each of the members once at most.
fn is_unique(members: &Members) -> bool {
    let Body::Select(select) = &members.query.body else { return false };
    let [Relation { source: Source::Table(table), .. }] = select.relations.as_slice() else {
        return false;
    };
    let has = |column: usize| {
        select.outputs.iter().any(|node| match node.kind {
            Kind::Column(own) => parts_of(own).1 == column,
            _ => false,
        })
    };
    are_alike(members) && table.indexes.iter().any(|index| is_unique_key_of(index, has))
}

/// Whether an index may have each key once only, and all of its columns, each whole, are such as
/// asked for.
pub(crate) fn is_unique_key_of(index: &Index, is_asked_for: impl Fn(usize) -> bool) -> bool {
    let mut parts = index.parts.iter();
    index.unique
        && index.state == IndexState::Ready
        && !index.parts.is_empty()
        && parts.all(|part| part.prefix.is_none() && is_asked_for(part.column))
}

/// The collation under which an operand compares with a query's column of a type.
pub fn rule_of(operand: &Node, ty: &ColumnType) -> Collation {
    let column = Node::new(Kind::Column(0), ty.clone(), true);
    common_rule([operand, &column].into_iter())
}

/// Whether equality with a column of a type is that of the values themselves, so that they can be
/// keys. Values of one column type have been rounded when they were stored.
pub fn is_compared_exactly(operand: &Node, ty: &ColumnType) -> bool {
    let is_column = matches!(operand.kind, Kind::Column(_) | Kind::Outer(..));
    is_column && operand.ty == *ty || tolerance((None, &operand.ty), (None, ty)).is_none()
}

fn with_query(join: Join, joined: JoinedQuery, relations: &mut Vec<Relation>) -> Join {
    let JoinedQuery { operands, rules, query } = joined;
    let number = relations.len();
    let types = query.columns.iter().map(|column| column.ty.clone()).collect();
    let terms = operands
        .into_iter()
        .zip(query.columns.iter().zip(rules))
        .enumerate()
        .map(|(at, (operand, (column, rule)))| {
            let kind = Kind::Column(slot(number, at));
            let column = Node::new(kind, column.ty.clone(), true);
            let (a, b) = (Box::new(operand), Box::new(column));
            boolean(Kind::Compare(Comparison::Equal, a, b, rule), true)
        })
        .collect();
    relations.push(Relation {
        name: format!("<subquery{number}>"),
        source: Source::Query(Box::new(query)),
        types,
        index_use: IndexUse::default(),
        locking: None,
        lateral: None,
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
