//! Values that a query gives to columns of a table, where they are more than it would show a
//! client: literals of hexadecimal digits are numbers to a column of numbers, texts of another
//! character set their bytes to a column of bytes, and what is made of an average is stored with
//! all digits that it was computed with (MariaDB 10.11 answers so:
//! tests/oracle/sql/kept-writes.sql).
//!
//! Groups, DISTINCT, set operations and sorts of a join put their rows into a temporary table
//! first, whose columns have the types that are shown.
//!
//! Not here: values without a query (`assign`, `insert`), conversions (`column`).

use std::sync::Arc;

use expression::{BIGINT_UNSIGNED, Kind, Node, charset_of, is_number, keeps_digits, seen_as_bytes};
use values::datum::Value;
use values::types::ColumnType;

use plan::tree::{AskedQuery, Body, Query, QueryPlan, Select};
use results::ResultColumn;

/// An expression as what a column of a type is given.
pub fn given_to(ty: &ColumnType, node: Node) -> Node {
    match ty {
        // As the bytes that it is.
        ColumnType::Bit { .. } => node,
        _ if is_number(ty) => node.with_number(),
        _ if ty.is_binary_string() => seen_as_bytes(node),
        _ => node,
    }
}

/// Makes the columns of a query, from one on, what these columns are given. Of one table, rows keep
/// the digits however many they are; DataFusion has as many as a column shows.
pub(super) fn give(plan: &mut QueryPlan, first: usize, columns: &[&ColumnType]) {
    // Columns that have another type by it.
    let mut changed = Vec::new();
    let mut keeps = false;
    for query in [&mut plan.query, &mut plan.written] {
        keeps |= keep_digits(query);
        let Body::Select(select) = &mut query.body else { return };
        for (at, ty) in (first..).zip(columns) {
            let Some(node) = select.outputs.get_mut(at) else { break };
            let given = std::mem::replace(node, Node::constant(Value::Null));
            let is_literal = given.is_digits_literal();
            let is_text = charset_of(&given).is_some();
            *node = given_to(ty, given);
            let own = match is_text && ty.is_binary_string() {
                true => node.ty.clone(),
                false if is_literal && !node.is_digits_literal() => BIGINT_UNSIGNED,
                false => continue,
            };
            query.columns[at].ty = own.clone();
            changed.push((at, own));
        }
    }
    if keeps && plan.tables.len() <= 1 {
        plan.needs_rows = true;
    }
    if !changed.is_empty() {
        let mut shown: Vec<ResultColumn> = plan.columns.to_vec();
        changed.into_iter().for_each(|(at, ty)| shown[at].ty = ty);
        plan.columns = Arc::from(shown);
    }
}

/// Makes averages keep their digits, of a query that has no temporary table; whether there are
/// any.
fn keep_digits(query: &mut Query) -> bool {
    let sorted: Vec<usize> = query.order.iter().map(|key| key.position).collect();
    let Body::Select(select) = &mut query.body else { return false };
    if is_stored_first(select, !sorted.is_empty()) {
        return false;
    }
    let mut any = false;
    for (at, node) in select.outputs.iter_mut().enumerate() {
        let Some(column) = query.columns.get_mut(at).filter(|_| !sorted.contains(&at)) else {
            continue;
        };
        let keeps = match &mut node.kind {
            Kind::Subquery(asked) => keep_digits(asked.query_mut()),
            _ => keeps_digits(node),
        };
        column.keeps_digits = keeps && matches!(node.ty, ColumnType::Decimal { .. });
        any |= column.keeps_digits;
    }
    any
}

fn is_stored_first(select: &Select, sorted: bool) -> bool {
    select.grouping.is_some()
        || select.distinct
        || select.windowing.is_some()
        || sorted && select.relations.len() > 1
}
