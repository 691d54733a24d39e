//! RETURNING: what INSERT, REPLACE and DELETE give of the rows that they have written (MariaDB 10.5
//! and later; MySQL has none).
//!
//! Of a row that was inserted, replaced or changed by ON DUPLICATE KEY UPDATE it is the row as it
//! is then, of one that was deleted the row as it was.
//!
//! Invariants
//! 1. Memory for the rows is taken before they are kept; a statement that fails gives none.
//!
//! Not here: sub-queries, which are refused (1235).

use std::sync::Arc;

use expression::limits::Room;
use expression::{Kind, Node, RowView, fit};
use rows::table::Table;
use sqlparser::ast::{Expr, visit_expressions};
use syntax::change::ReturningItem;
use syntax::names::name_parts;
use values::ErrorCode;
use values::datum::Value;
use values::types::ColumnType;

use super::WriteContext;
use plan::bind::scalar::{BindFailure, Bound, Names, bind, column_node};
use plan::bind::{item_name, push_variables};
use plan::tree::AggregateFunction;
use results::{Result, ResultColumn, SqlError};

/// The clause in the words of errors.
const CLAUSE: &str = "RETURNING";

/// A bound RETURNING.
#[derive(Debug)]
pub struct Returning {
    /// The columns of the result.
    pub columns: Arc<[ResultColumn]>,
    /// The types of the user variables that it was bound with.
    pub variables: Vec<(String, ColumnType)>,
    nodes: Vec<Node>,
}

/// The rows to be given back.
#[derive(Debug)]
pub struct ReturnedRows {
    /// Their columns.
    pub columns: Arc<[ResultColumn]>,
    /// One line each.
    pub rows: Vec<Vec<Value>>,
    /// Their memory.
    pub room: Room,
    bytes: usize,
}

/// Binds RETURNING over a table's row; `names` says which literals are its own.
///
/// # Errors
/// 1051 for `x.*` of another table, 1054, 1111 for an aggregate, 1235 for a sub-query.
pub fn bind_returning(
    items: &[ReturningItem],
    table: &Table,
    names: &Names<'_>,
) -> Bound<Returning> {
    let names = Names { clause: CLAUSE, ..*names };
    let (mut columns, mut nodes) = (Vec::new(), Vec::new());
    for item in items {
        match item {
            ReturningItem::All(of) => {
                if let Some(name) = of.as_ref().filter(|name| **name != table.name) {
                    return Err(SqlError::new(
                        ErrorCode::BadTable,
                        format!("Unknown table '{name}'"),
                    )
                    .into());
                }
                for position in table.listed_columns() {
                    let name = table.columns[position].name.clone();
                    columns.push(ResultColumn::of_table(table, position, name, &table.name));
                    nodes.push(column_node(table, position));
                }
            }
            ReturningItem::Value { expr, alias, text } => {
                let node = bind(expr, &names).map_err(|failure| refusal(expr, failure))?;
                let name = alias.clone().unwrap_or_else(|| item_name(expr, Some(text)));
                columns.push(match node.kind {
                    Kind::Column(position) => {
                        ResultColumn::of_table(table, position, name, &table.name)
                    }
                    _ => ResultColumn::computed(name, node.ty.clone(), node.nullable),
                });
                nodes.push(node);
            }
        }
    }
    let mut variables = Vec::new();
    nodes.iter().for_each(|node| push_variables(node, &mut variables));
    Ok(Returning { columns: columns.into(), variables, nodes })
}

/// What nothing but a query could evaluate is an error here.
fn refusal(expr: &Expr, failure: BindFailure) -> BindFailure {
    let (BindFailure::NeedsQuery(what) | BindFailure::Unsupported(what)) = failure else {
        return failure;
    };
    let aggregates = visit_expressions(expr, |part| match part {
        Expr::Function(call) => match name_parts(&call.name).as_slice() {
            [name] if AggregateFunction::find(&name.value.to_ascii_uppercase()).is_some() => {
                std::ops::ControlFlow::Break(())
            }
            _ => std::ops::ControlFlow::Continue(()),
        },
        _ => std::ops::ControlFlow::Continue(()),
    });
    BindFailure::Wrong(match aggregates.is_break() {
        true => SqlError::new(ErrorCode::InvalidGroupFuncUse, "Invalid use of group function"),
        false => SqlError::unsupported(format_args!("{what} in RETURNING")),
    })
}

impl Returning {
    /// What is given of a row.
    ///
    /// # Errors
    /// Those of its expressions.
    pub fn line(&self, context: &WriteContext<'_>, row: RowView<'_>) -> Result<Vec<Value>> {
        let environment = context.environment();
        let scope = environment.scope().with_row(row);
        let both = self.nodes.iter().zip(self.columns.iter());
        both.map(|(node, column)| Ok(fit(&column.ty, node.evaluate(&scope)?, &node.ty, &scope)))
            .collect()
    }
}

impl ReturnedRows {
    /// None yet.
    pub fn new(returning: &Returning) -> ReturnedRows {
        let columns = Arc::clone(&returning.columns);
        ReturnedRows { columns, rows: Vec::new(), room: Room::default(), bytes: 0 }
    }

    /// Keeps a line.
    ///
    /// # Errors
    /// 1041 without memory for it.
    pub fn push(&mut self, context: &WriteContext<'_>, line: Vec<Value>) -> Result<()> {
        let bytes = |value: &Value| match value {
            Value::Bytes(bytes) => size_of::<Value>() + bytes.len(),
            _ => size_of::<Value>(),
        };
        self.bytes += size_of::<Vec<Value>>() + line.iter().map(bytes).sum::<usize>();
        self.room.grow_to(self.bytes, &context.facts.limits)?;
        self.rows.push(line);
        Ok(())
    }
}
