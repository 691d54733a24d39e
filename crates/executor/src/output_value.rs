//! Values of a result: as they leave the executor, and as they sort.
//!
//! Not here: rows of them (`output`).

use expression::{Kind, Node, Ordinals, Scope, fit};
use plan::tree::{OutputColumn, Query, Select, SortKey};
use results::Result;
use values::datum::Value;
use values::types::ColumnType;

use crate::key::{push, push_descending, push_ordinal, turn_around};

/// Whether a result's column is one of a table, which needs no conversion.
pub(super) fn is_as_stored(node: &Node, column: &OutputColumn) -> bool {
    matches!(node.kind, Kind::Column(_) | Kind::Outer(..)) && node.ty == column.ty
}

/// A value in its column's domain.
pub(super) fn output_value(node: &Node, column: &OutputColumn, row: &Scope<'_>) -> Result<Value> {
    let cell = node.evaluate(row)?;
    if column.keeps_digits || is_as_stored(node, column) {
        return Ok(cell.into_value());
    }
    Ok(fit(&column.ty, cell, &node.ty, row))
}

/// How what rows are sorted by, and columns of the result, are had as ordinals, which then are
/// those of their values.
pub(super) fn ordinals_of<'n>(select: &'n Select, query: &Query) -> Vec<Option<Ordinals<'n>>> {
    // Rows of groups and of windows have values of other types at times.
    let of_tables = select.grouping.is_none() && select.windowing.is_none();
    let is_same = |ty: &ColumnType, column: &OutputColumn| match (ty, &column.ty) {
        (ColumnType::Int { unsigned, .. }, ColumnType::Int { unsigned: other, .. }) => {
            unsigned == other
        }
        (ty, other) => ty == other,
    };
    let outputs = select.outputs.iter().enumerate();
    let of = |(at, node): (usize, &'n Node)| {
        let fits = query.columns.get(at).is_none_or(|column| is_same(&node.ty, column));
        if of_tables && fits { Ordinals::of(node) } else { None }
    };
    outputs.map(of).collect()
}

/// Appends bytes that sort as a row does.
pub(super) fn push_sort_key(
    (select, query): (&Select, &Query),
    ordinals: &[Option<Ordinals<'_>>],
    row: &Scope<'_>,
    key: &mut Vec<u8>,
) -> Result<()> {
    for sort in &query.order {
        push_sorted(sort, (select, query), ordinals, row, key)?;
    }
    Ok(())
}

/// Appends what a row is sorted by; its value, if it was made and is one of the result's columns.
pub(super) fn push_sorted(
    sort: &SortKey,
    (select, query): (&Select, &Query),
    ordinals: &[Option<Ordinals<'_>>],
    row: &Scope<'_>,
    key: &mut Vec<u8>,
) -> Result<Option<Value>> {
    let (node, column) = (&select.outputs[sort.position], query.columns.get(sort.position));
    if let Some(ordinals) = &ordinals[sort.position] {
        let start = key.len();
        push_ordinal(ordinals.get(row)?, key);
        if sort.descending {
            turn_around(&mut key[start..]);
        }
        return Ok(None);
    }
    let push = if sort.descending { push_descending } else { push };
    let Some(column) = column else {
        push(&node.ty, node.evaluate(row)?.datum(), key);
        return Ok(None);
    };
    let value = output_value(node, column, row)?;
    push(&column.ty, value.as_datum(), key);
    Ok(Some(value))
}
