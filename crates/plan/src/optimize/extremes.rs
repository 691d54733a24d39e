//! Sub-queries that ask for a row by one comparison, and perhaps equations, as questions for the
//! greatest or the least value:
//! `EXISTS (SELECT ... FROM r WHERE r.a = outside.b AND r.v > outside.w)` holds where `outside.w`
//! is less than the greatest `r.v` of the rows with that `r.a`.
//!
//! So a long query groups the rows once and joins their groups. By the comparison itself it would
//! look at each pair of rows that the equations leave, or run the sub-query for each row.
//!
//! Invariants
//! 1. The answer is true or false, as that of EXISTS: a comparison with NULL is false.
//! 2. The greatest and the least value are those of the comparison: by the same order, or the
//!    sub-query is left as it is written.
//!
//! Not here: short queries, which run the sub-query and end it with the first row that is found
//! (`unnest`); sub-queries with further conditions, which are joined with them (`rows_only`).

use expression::{Comparison, Kind, Node, Subquery, SubqueryForm, boolean};

use super::rows_only::is_equation;
use super::unnest::{
    Move, OuterComparison, equation, is_asked_plainly, is_own, is_pure, moved, output_of,
    refers_outside,
};
use crate::tree::{
    Aggregate, AggregateFunction, AskedQuery, Body, Class, Grouping, Query, Select, Source,
    free_references,
};

/// What the second of two questions has added to its number, so that it is another one. A statement
/// has fewer sub-queries.
const SECOND: usize = 1 << 40;

/// Asks for extremes in all WHERE clauses of a query that is not planned yet.
pub fn ask_for_extremes(query: &mut Query) {
    match &mut query.body {
        Body::Select(select) => of_select(select),
        Body::Set(set) => set.sides.iter_mut().for_each(ask_for_extremes),
        Body::Recursion(recursion) => {
            ask_for_extremes(&mut recursion.first);
            ask_for_extremes(&mut recursion.next);
        }
        Body::Values(_) | Body::JsonTable(_) | Body::FullText(_) => {}
    }
}

fn of_select(select: &mut Select) {
    for relation in &mut select.relations {
        if let Source::Query(query) = &mut relation.source {
            ask_for_extremes(query);
        }
    }
    select.conditions.iter_mut().for_each(of_node);
}

fn of_node(node: &mut Node) {
    if let Kind::Subquery(subquery) = &mut node.kind {
        match extreme(subquery) {
            Some(question) => *node = question,
            None => ask_for_extremes(subquery.query_mut()),
        }
        return;
    }
    node.each_child_mut(&mut of_node);
}

/// The question that a sub-query is, if it is one for an extreme.
fn extreme(subquery: &mut Subquery) -> Option<Node> {
    let SubqueryForm::Exists { negated } = subquery.form else { return None };
    if subquery.is_volatile || !is_asked_plainly(subquery) || !is_pure(subquery.query_mut()) {
        return None;
    }
    let query = subquery.query();
    let Body::Select(select) = &query.body else { return None };
    if query.limit.is_some() {
        return None;
    }
    let is_more = |term: &&Node| equation(term).is_none() && !is_own(term) && !term.is_row_free();
    let mut more = select.conditions.iter().filter(is_more);
    let (Some(term), None) = (more.next(), more.next()) else { return None };
    let bound = OuterComparison::of(term).filter(is_of_one_order)?;
    let mut rest = select.conditions.clone();
    rest.retain(|kept| kept != term);
    // What is left makes a join of the groups, or else the comparison is better made a join's, too.
    if !rest.iter().all(|term| is_equation(term) || !refers_outside(term)) {
        return None;
    }
    let of = |function, second| value_of(query, &rest, bound.own, function, second);
    let compared = |value: Node| {
        let (outside, rule) = (Box::new(moved(bound.outside, Move::Outwards)), bound.rule);
        boolean(Kind::Compare(bound.comparison, Box::new(value), outside, rule), true)
    };
    let holds = match bound.comparison {
        Comparison::Greater | Comparison::GreaterEqual => {
            compared(of(AggregateFunction::Maximum, false)?)
        }
        Comparison::Less | Comparison::LessEqual => {
            compared(of(AggregateFunction::Minimum, false)?)
        }
        Comparison::NotEqual => {
            let least = compared(of(AggregateFunction::Minimum, false)?);
            let greatest = compared(of(AggregateFunction::Maximum, true)?);
            boolean(Kind::Or(vec![least, greatest]), true)
        }
        Comparison::Equal | Comparison::NullSafeEqual => return None,
    };
    Some(boolean(Kind::IsTruth(Box::new(holds), true, negated), false))
}

/// Whether the greatest and the least value are those of the comparison.
fn is_of_one_order(term: &OuterComparison<'_>) -> bool {
    match term.class {
        Class::Integer | Class::Decimal | Class::Date | Class::DateTime => true,
        Class::Text => term.own.ty.collation() == Some(term.rule),
        Class::Binary | Class::Other => false,
    }
}

/// The greatest or the least of a value of the rows that a query has by these conditions.
fn value_of(
    query: &Query,
    conditions: &[Node],
    own: &Node,
    function: AggregateFunction,
    is_second: bool,
) -> Option<Node> {
    let mut query = query.clone();
    let Body::Select(select) = &mut query.body else { return None };
    let arguments = vec![own.clone()];
    let (ty, _) = function.result(&arguments);
    let aggregate = Aggregate {
        function,
        arguments,
        distinct: false,
        order: Vec::new(),
        limit: None,
        separator: Vec::new(),
        ty: ty.clone(),
        keeps_digits: false,
    };
    select.conditions = conditions.to_vec();
    select.grouping = Some(Grouping { aggregates: vec![aggregate], ..Grouping::default() });
    let value = Node::new(Kind::Column(0), ty.clone(), true);
    query.columns = vec![output_of(&value)];
    (select.outputs, select.visible, select.distinct) = (vec![value], 1, false);
    query.order.clear();
    if is_second {
        query.id += SECOND;
    }
    let free = free_references(&mut query);
    let mut subquery = Subquery::asking(query, SubqueryForm::Scalar);
    subquery.free = free;
    Some(Node::new(Kind::Subquery(Box::new(subquery)), ty, true))
}
