//! What INSERT and REPLACE name, looked for in their table.

use std::ops::ControlFlow;
use std::sync::Arc;

use ::values::types::ColumnType;
use expression::{Kind, Node};
use rows::table::Table;
use sqlparser::ast::{Expr, ObjectName, visit_expressions, visit_relations};
use syntax::change::{Insert, Source};
use syntax::table::OnDuplicateSpec;
use values::ErrorCode;

use super::values::RowPlan;
use super::{InsertPlan, InsertRows};
use crate::write::assign::{bind_assignments, update_now_columns};
use crate::write::query_values::given_to;
use crate::write::returning::{Returning, bind_returning};
use crate::write::view_checks::AskedChecks;
use plan::bind::scalar::{Bound, IncomingNames, Names, bind};
use plan::bind::{RowBinder, is_beyond_scalars, push_variables};
use plan::column_default::{Store, defaults_of};
use plan::index_use::PartitionSet;
use plan::terms::has_subquery;
use results::{Result, SqlError};

/// Binds an INSERT or REPLACE.
pub fn bind_insert(
    insert: &Insert,
    table: Arc<Table>,
    names: &Names<'_>,
    over_row: &RowBinder<'_>,
) -> Bound<InsertPlan> {
    bind_insert_beside(insert, table, names, Vec::new(), over_row)
}

/// The same of an INSERT ... SELECT whose query gives more than the rows (`source_columns`).
pub fn bind_insert_beside(
    insert: &Insert,
    table: Arc<Table>,
    names: &Names<'_>,
    beside: Vec<(Vec<String>, ColumnType)>,
    over_row: &RowBinder<'_>,
) -> Bound<InsertPlan> {
    let table = within_partitions(table, &insert.partitions)?;
    let columns = columns_of(insert, &table)?;
    let all_unsaid = insert.columns.is_none();
    let defaults = defaults_of(&table)?;
    // Those that look at the rest of the row are made when it is there.
    let is_late = |position: usize| matches!(defaults[position], Store::Expression(_));
    let over_table = names.over(&table, None, "field list");
    let mut base = 0u16;
    let mut rows_ask = false;
    let rows = match &insert.source {
        Source::Query(_) => InsertRows::Query,
        Source::Rows(rows) => {
            // Only then is a query that gives all rows no way.
            let is_over_row = rows.iter().flatten().flatten().any(is_beyond_scalars)
                && name_columns(rows, &table);
            let mut plans = Vec::with_capacity(rows.len());
            for (n, row) in rows.iter().enumerate() {
                // `()` gives every column its default.
                let empty = row.is_empty() && (all_unsaid || columns.is_empty());
                if row.len() != columns.len() && !empty {
                    return Err(count_mismatch(n as u64 + 1).into());
                }
                let names = Names { parameter_base: base, ..over_table };
                let mut values = Vec::with_capacity(row.len());
                let mut parameters = 0;
                for (value, position) in row.iter().zip(&columns) {
                    let node = |expr| match is_over_row && asks_over_row(expr, &table) {
                        true => over_row.bind(expr, &table, &names),
                        false => bind(expr, &names),
                    };
                    let node = value.as_ref().map(node).transpose()?;
                    let node = node.map(|node| given_to(&table.columns[*position].ty, node));
                    if let Some(node) = &node {
                        parameters += count_parameters(node);
                    }
                    values.push(node);
                }
                base += parameters as u16;
                let said = |n| columns.iter().zip(&values).any(|(c, v)| *c == n && v.is_some());
                let unsaid = (0..table.columns.len()).filter(|n| !said(*n));
                let mut unsaid: Vec<usize> = unsaid.collect();
                unsaid.sort_by_key(|position| is_late(*position));
                let is_literal =
                    values.iter().flatten().all(|node| matches!(node.kind, Kind::Parameter(_)));
                let mut reads_row = false;
                for node in values.iter().flatten() {
                    node.visit(&mut |part| {
                        let is_query = matches!(part.kind, Kind::Subquery(_));
                        rows_ask |= is_query;
                        reads_row |= is_query || matches!(part.kind, Kind::Column(_));
                    });
                }
                plans.push(RowPlan { values, unsaid, parameters, is_literal, reads_row });
            }
            InsertRows::Values(plans)
        }
    };
    let width = columns.len() + beside.len();
    let incoming = IncomingNames { beside, ..incoming_names(insert, &table)? };
    let names = Names { incoming: Some(&incoming), parameter_base: base, ..over_table };
    let on_duplicate = bind_assignments(&insert.on_duplicate, &table, &names, Some(over_row))?;
    let mut assigned = on_duplicate.iter().filter_map(|(_, node)| node.as_ref());
    let asks = rows_ask || assigned.any(has_subquery);
    let update_now = update_now_columns(&table, &on_duplicate);
    let returning = match insert.returning.as_slice() {
        [] => None,
        items => {
            let names = Names { parameter_base: base, ..over_table };
            Some(bind_returning(items, &table, &names)?)
        }
    };
    let mut waits =
        asks || on_duplicate.iter().filter_map(|(_, node)| node.as_ref()).any(Node::waits);
    waits |= rows.nodes().any(Node::waits);
    let mut variables: Vec<_> =
        returning.iter().flat_map(|of: &Returning| &of.variables).cloned().collect();
    let updated = on_duplicate.iter().filter_map(|(_, node)| node.as_ref());
    updated.chain(rows.nodes()).for_each(|node| push_variables(node, &mut variables));
    Ok(InsertPlan {
        waits,
        variables,
        asks,
        hides_numbers: false,
        asked: AskedChecks::default(),
        replace: insert.replace,
        ignore: insert.ignore,
        width,
        columns,
        rows,
        unsaid: Vec::new(),
        defaults,
        on_duplicate,
        update_now,
        returning,
        table: Arc::clone(&table),
    })
}

/// Whether a value of VALUES asks a query, which does not read the table itself: such a one is
/// asked before there is a row.
fn asks_over_row(expr: &Expr, table: &Table) -> bool {
    let is_table = |name: &ObjectName| {
        let name = name.0.last().and_then(|part| part.as_ident());
        name.is_some_and(|name| name.value == table.name)
    };
    let reads_table = || {
        visit_relations(expr, |name| match is_table(name) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })
        .is_break()
    };
    is_beyond_scalars(expr) && !reads_table()
}

/// Whether values of VALUES name columns of the row, which have values by then as far as they stand
/// before.
fn name_columns(rows: &[Vec<Option<Expr>>], table: &Table) -> bool {
    let names_column = |expr: &Expr| {
        visit_expressions(expr, |part| {
            let name = match part {
                Expr::Identifier(name) => Some(name),
                Expr::CompoundIdentifier(parts) => parts.last(),
                _ => None,
            };
            match name.is_some_and(|name| table.column(&name.value).is_some()) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })
        .is_break()
    };
    rows.iter().flatten().flatten().any(names_column)
}

/// Binds the filling of a table with a query's rows, whose columns have these names in it.
///
/// # Errors
/// `BadField` for a name that is none of its columns'.
pub fn bind_filling(
    table: Arc<Table>,
    names: &[String],
    on_duplicate: OnDuplicateSpec,
) -> Result<InsertPlan> {
    let columns = named_columns(&table, names)?;
    Ok(InsertPlan {
        waits: false,
        variables: Vec::new(),
        asks: false,
        hides_numbers: false,
        asked: AskedChecks::default(),
        replace: on_duplicate == OnDuplicateSpec::Replaces,
        ignore: on_duplicate == OnDuplicateSpec::Ignored,
        width: columns.len(),
        columns,
        rows: InsertRows::Query,
        unsaid: Vec::new(),
        defaults: defaults_of(&table)?,
        on_duplicate: Vec::new(),
        update_now: update_now_columns(&table, &[]),
        returning: None,
        table,
    })
}

fn count_parameters(node: &Node) -> usize {
    let mut count = 0;
    node.visit(&mut |node| count += usize::from(matches!(node.kind, Kind::Parameter(_))));
    count
}

/// Error 1136.
pub fn count_mismatch(row: u64) -> SqlError {
    SqlError::new(
        ErrorCode::WrongValueCountOnRow,
        format!("Column count doesn't match value count at row {row}"),
    )
}

/// The table for a statement that writes to some of its partitions alone.
///
/// # Errors
/// 1747 for a table without partitions, 1735 for a name that none has.
fn within_partitions(table: Arc<Table>, names: &[String]) -> Result<Arc<Table>> {
    if names.is_empty() {
        return Ok(table);
    }
    let named = PartitionSet::of(Some(&table), &table.name, names)?;
    Ok(Arc::new(table.within_partitions(named.ids())?))
}

fn named_columns(table: &Table, names: &[String]) -> Result<Vec<usize>> {
    let mut columns = Vec::with_capacity(names.len());
    for name in names {
        let position =
            table.column(name).ok_or_else(|| SqlError::unknown_column(name, "field list"))?;
        if columns.contains(&position) {
            return Err(SqlError::new(
                ErrorCode::FieldSpecifiedTwice,
                format!("Column '{name}' specified twice"),
            ));
        }
        columns.push(position);
    }
    Ok(columns)
}

/// Positions of the columns that it gives values to.
fn columns_of(insert: &Insert, table: &Table) -> Result<Vec<usize>> {
    let has_values =
        matches!(&insert.source, Source::Rows(rows) if rows.iter().any(|row| !row.is_empty()));
    match &insert.columns {
        None => Ok(table.listed_columns().collect()),
        // `t () VALUES (1, 2)` names them all.
        Some(names) if names.is_empty() && has_values => Ok(table.listed_columns().collect()),
        Some(names) => named_columns(table, names),
    }
}

/// How ON DUPLICATE KEY UPDATE may name the row that it would add.
///
/// # Errors
/// `BadField` for a column that the table does not have; 1066, 1060 and 1353 for names that the row
/// cannot have (MySQL 9.7: tests/oracle/sql/definitions-read-again.sql).
pub fn incoming_names(insert: &Insert, table: &Table) -> Result<IncomingNames> {
    let Some((alias, names)) = &insert.alias else { return Ok(IncomingNames::default()) };
    if *alias == insert.table.table {
        let message = format!("Not unique table/alias: '{alias}'");
        return Err(SqlError::new(ErrorCode::NonuniqTable, message));
    }
    let columns = columns_of(insert, table)?;
    if !names.is_empty() && names.len() != columns.len() {
        return Err(SqlError::new(
            ErrorCode::ViewWrongList,
            "In definition of view, derived table or common table expression, SELECT list and \
             column names list have different column counts",
        ));
    }
    let is_twice = |(at, name): &(usize, &String)| {
        names[..*at].iter().any(|other| other.eq_ignore_ascii_case(name))
    };
    if let Some((_, name)) = names.iter().enumerate().find(is_twice) {
        let message = format!("Duplicate column name '{name}'");
        return Err(SqlError::new(ErrorCode::DupFieldname, message));
    }
    let named = names.iter().zip(columns).map(|(name, position)| (name.clone(), position));
    let columns = named.filter(|(_, position)| *position < table.columns.len()).collect();
    Ok(IncomingNames { alias: Some(alias.clone()), columns, ..IncomingNames::default() })
}
