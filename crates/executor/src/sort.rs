//! Ordering rows that no index orders, where they are changed or locked: UPDATE and DELETE with
//! ORDER BY, SELECT ... FOR UPDATE.
//!
//! Not here: ORDER BY of other SELECTs (`executor`, `analytic`).

use std::cmp::Ordering;

use values::datum::Value;
use values::types::ColumnType;

use crate::gather::GatheredRows;
use expression::{RowView, Scope, compare, write_json_key};
use plan::point::PointSortKey;
use results::Result;
use rows::table::Table;

/// Puts rows in order; equal ones stay as they are. NULL is below everything.
///
/// # Errors
/// Those of evaluating what is sorted by; the rows are as they were then.
pub fn sort_rows(
    gathered: &mut GatheredRows,
    table: &Table,
    keys: &[PointSortKey],
    scope: &Scope<'_>,
) -> Result<()> {
    let mut values: Vec<Vec<Value>> = Vec::with_capacity(gathered.len());
    for n in 0..gathered.len() {
        let row = gathered.row(table, n)?;
        let scope = scope.with_row(RowView::Stored(&row));
        let mut line = Vec::with_capacity(keys.len());
        for key in keys {
            line.push(key.node.evaluate(&scope)?.into_value());
        }
        values.push(line);
    }
    let mut order: Vec<usize> = (0..gathered.len()).collect();
    order.sort_by(|&a, &b| compare_lines(&values[a], &values[b], keys, scope));
    gathered.reorder(&order);
    Ok(())
}

fn json_key(document: &[u8]) -> Vec<u8> {
    let mut key = Vec::new();
    write_json_key(document, &mut key);
    key
}

fn compare_lines(a: &[Value], b: &[Value], keys: &[PointSortKey], scope: &Scope<'_>) -> Ordering {
    for ((left, right), key) in a.iter().zip(b).zip(keys) {
        let order = match (left.is_null(), right.is_null()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => {
                let (rule, _) = key.node.collation();
                let ty = &key.node.ty;
                let sides = ((left.as_datum(), ty), (right.as_datum(), ty));
                // An ENUM or SET is ordered by its number, not by its words.
                match (left, right) {
                    (Value::Enum(x), Value::Enum(y)) => x.cmp(y),
                    (Value::Set(x), Value::Set(y)) => x.cmp(y),
                    (Value::Bytes(x), Value::Bytes(y)) if *ty == ColumnType::Json => {
                        json_key(x).cmp(&json_key(y))
                    }
                    _ => compare(sides.0, sides.1, rule, scope.zone).unwrap_or(Ordering::Equal),
                }
            }
        };
        let order = if key.descending { order.reverse() } else { order };
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}
