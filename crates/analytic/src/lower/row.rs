//! What the columns of a row are in a plan.
//!
//! Not here: which relations there are (`relation`).

use std::sync::Arc;

use columnar::arrow::arrow_type;
use datafusion::arrow::datatypes::Field;
use datafusion::common::Column;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::{Expr, LogicalPlan};
use expression::{KEY_COLUMN, parts_of};
use results::{Result, SqlError};
use values::types::ColumnType;

use super::super::failure::no_plan;

/// A column of a plan, and what it holds.
#[derive(Clone, Debug)]
pub(super) struct LoweredColumn {
    /// Its place.
    pub(super) column: Column,
    /// The type of its values.
    pub(super) ty: ColumnType,
    /// Whether some may be NULL.
    pub(super) nullable: bool,
}

impl LoweredColumn {
    /// A column of our own making.
    pub(super) fn named(name: String, ty: ColumnType, nullable: bool) -> LoweredColumn {
        LoweredColumn { column: Column::new_unqualified(name), ty, nullable }
    }

    /// It, as an expression.
    pub(super) fn expr(&self) -> Expr {
        Expr::Column(self.column.clone())
    }

    /// It, as seen from a sub-query within the SELECT that it is of.
    fn outer(&self) -> Expr {
        let field = Field::new(self.column.name.clone(), arrow_type(&self.ty), self.nullable);
        Expr::OuterReferenceColumn(Arc::new(field), self.column.clone())
    }
}

/// A query, lowered.
pub(super) struct LoweredQuery {
    /// What DataFusion runs.
    pub(super) plan: LogicalPlan,
    /// Its columns.
    pub(super) columns: Vec<LoweredColumn>,
}

/// A relation's columns, and its row key if it is a stored table.
pub(super) struct RelationColumns {
    pub(super) columns: Vec<LoweredColumn>,
    pub(super) key: Option<LoweredColumn>,
}

/// The columns of a row.
pub(super) enum RowColumns {
    /// Of joined relations: numbers are slots.
    Joined(Vec<RelationColumns>),
    /// Of a group, or of what window functions give: numbers are positions.
    Flat(Vec<LoweredColumn>),
}

/// The row that expressions are over, and those around it.
pub(super) struct Row<'r> {
    pub(super) columns: RowColumns,
    /// The row of the SELECT around this one.
    pub(super) enclosing: Option<&'r Row<'r>>,
}

impl Row<'_> {
    /// A column.
    pub(super) fn column(&self, number: usize) -> Result<&LoweredColumn> {
        let found = match &self.columns {
            RowColumns::Flat(columns) => columns.get(number),
            RowColumns::Joined(relations) => {
                let (relation, column) = parts_of(number);
                relations.get(relation).and_then(|relation| match column {
                    KEY_COLUMN => relation.key.as_ref(),
                    column => relation.columns.get(column),
                })
            }
        };
        found.ok_or_else(|| SqlError::other("a column that its row has not"))
    }

    /// A column of the SELECT so many levels around this one. DataFusion knows the next.
    pub(super) fn enclosing_column(&self, level: u16, number: usize) -> Result<(Expr, ColumnType)> {
        match (level, self.enclosing) {
            (1, Some(row)) => row.column(number).map(|seen| (seen.outer(), seen.ty.clone())),
            _ => Err(SqlError::not_lowerable("a column of a query further out")),
        }
    }

    /// An expression over this row, as seen from a sub-query.
    pub(super) fn seen_within(&self, expr: Expr) -> Result<Expr> {
        let mut unknown = false;
        let seen = expr.transform(|expr| {
            Ok(match expr {
                Expr::Column(column) => match self.find(&column) {
                    Some(seen) => Transformed::yes(seen.outer()),
                    None => {
                        unknown = true;
                        Transformed::no(Expr::Column(column))
                    }
                },
                Expr::OuterReferenceColumn(..) => {
                    unknown = true;
                    Transformed::no(expr)
                }
                _ => Transformed::no(expr),
            })
        });
        let seen = seen.map_err(no_plan)?.data;
        if unknown {
            return Err(SqlError::not_lowerable("such a value compared with a sub-query"));
        }
        Ok(seen)
    }

    fn find(&self, column: &Column) -> Option<&LoweredColumn> {
        match &self.columns {
            RowColumns::Flat(columns) => columns.iter().find(|seen| seen.column == *column),
            RowColumns::Joined(relations) => relations
                .iter()
                .flat_map(|relation| relation.columns.iter().chain(&relation.key))
                .find(|seen| seen.column == *column),
        }
    }
}
