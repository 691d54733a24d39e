//! `column = value` lists: those of UPDATE, and of ON DUPLICATE KEY UPDATE.
//!
//! Invariants
//! 1. Assignments are made from left to right, each seeing the ones before it.
//!
//! Not here: which rows they are made for (`change`, `insert`).

use expression::{Environment, Kind, Node, RowView};
use rows::table::Table;
use syntax::change::AssignmentSpec;
use values::datum::{Datum, Value};

use super::WriteContext;
use super::column::StoredBy;
use super::query_values::given_to;
use plan::bind::scalar::{Bound, Names, bind};
use plan::bind::{RowBinder, is_beyond_scalars};
use plan::column_default::{Store, now_value};
use results::{Result, SqlError};

/// Binds `column = value` lists; `over_row` binds the values in which sub-queries stand, if there
/// may be such.
pub(super) fn bind_assignments(
    assignments: &[AssignmentSpec],
    table: &Table,
    names: &Names<'_>,
    over_row: Option<&RowBinder<'_>>,
) -> Bound<Vec<(usize, Option<Node>)>> {
    let mut out = Vec::with_capacity(assignments.len());
    for assignment in assignments {
        let position = table
            .column(&assignment.column)
            .ok_or_else(|| SqlError::unknown_column(&assignment.column, "field list"))?;
        let value = |expr| match over_row.filter(|_| is_beyond_scalars(expr)) {
            Some(over_row) => over_row.bind(expr, table, names),
            None => bind(expr, names),
        };
        let node = assignment.value.as_ref().map(value).transpose()?;
        out.push((position, node.map(|node| given_to(&table.columns[position].ty, node))));
    }
    Ok(out)
}

/// Columns with ON UPDATE CURRENT_TIMESTAMP that the assignments do not name.
pub(super) fn update_now_columns(table: &Table, sets: &[(usize, Option<Node>)]) -> Vec<usize> {
    (0..table.columns.len())
        .filter(|n| table.columns[*n].on_update_now && sets.iter().all(|(set, _)| set != n))
        .collect()
}

/// New values of a row under `column = value` assignments, made from left to right, each seeing
/// the ones before it. Gives the columns that were named or touched.
pub(super) fn assign(
    context: &WriteContext<'_>,
    table: &Table,
    sets: &[(usize, Option<Node>)],
    defaults: &[Store],
    update_now: &[usize],
    old: &[Datum<'_>],
    (incoming, by): (RowView<'_>, StoredBy),
    row: u64,
) -> Result<Vec<(usize, Value)>> {
    let mut values: Vec<Value> = old.iter().map(Datum::to_value).collect();
    // Sub-queries see what INSERT would add behind the row (`plan::bind::over_row`).
    if let (Some(_), RowView::Datums(incoming)) = (context.subqueries, incoming) {
        values.extend(incoming.iter().map(Datum::to_value));
    }
    let mut held = context.facts.limits.hold();
    for (position, node) in sets {
        let column = &table.columns[*position];
        let value = match node {
            None => {
                let row = RowView::Values(&values);
                context.default_of_update(column, &defaults[*position], row)?
            }
            Some(_) if column.computed.is_some() => context.give_computed(column, &table.name)?,
            // What stays is not looked at: a day that the mode does not allow any more stays, too.
            Some(Node { kind: Kind::Column(own), .. }) if own == position => continue,
            Some(node) => {
                let environment = Environment { incoming, ..context.environment() };
                let scope = environment.scope().with_row(RowView::Values(&values));
                let cell = node.evaluate(&scope)?;
                // Outside of strict mode an UPDATE to NULL stores the type's empty value.
                let value = context.store(column, cell.datum(), &node.ty, row, by)?;
                held.add(bytes_of(&value))?;
                value
            }
        };
        values[*position] = value;
    }
    let mut out: Vec<(usize, Value)> =
        sets.iter().map(|(position, _)| (*position, values[*position].clone())).collect();
    let changed = sets.iter().any(|(n, _)| values[*n].as_datum() != old[*n]);
    if changed {
        for position in update_now {
            let ty = &table.columns[*position].ty;
            out.push((*position, now_value(ty, context.facts.now, context.facts.zone)));
        }
    }
    Ok(out)
}

/// What a new value counts in the statement's memory.
pub(super) fn bytes_of(value: &Value) -> usize {
    match value {
        Value::Bytes(bytes) => bytes.len(),
        _ => 0,
    }
}
