//! Expressions that are evaluated row by row, by the same evaluator as everywhere else, as
//! functions of columns.
//!
//! Invariants
//! 1. Columns, sub-queries and long texts beneath an expression become arguments; all that is
//!    between them and the expression is evaluated as one.
//!
//! Not here: the operators that DataFusion has with the same meaning (`scalar`, `compare`).

use std::sync::Arc;

use datafusion::logical_expr::Expr;
use expression::{Environment, Kind, Node, OnceNode, RowView, TRUTH, fit};
use plan::context::SqlContext;
use results::Result;
use values::datum::{Datum, Value};
use values::types::ColumnType;

use super::super::kernels::RowFunction;
use super::convert::known;
use super::row::Row;
use super::{Lowering, call};

/// Texts above so many bytes are arguments: an expression is copied, and told from others by all
/// that it consists of.
const TEXT_BYTES_MAX: usize = 256;

/// What an expression is a function of.
struct Leaves {
    exprs: Vec<Expr>,
    types: Vec<ColumnType>,
}

impl Leaves {
    /// The position of an argument.
    fn add(&mut self, expr: Expr, ty: &ColumnType) -> usize {
        let known = self.exprs.iter().position(|own| *own == expr);
        known.unwrap_or_else(|| {
            self.exprs.push(expr);
            self.types.push(ty.clone());
            self.exprs.len() - 1
        })
    }
}

impl Lowering<'_> {
    /// An expression as a function: its value as one of a type, or without one whether it holds.
    pub(super) fn lifted(
        &self,
        row: &Row<'_>,
        node: &Node,
        result: Option<&ColumnType>,
    ) -> Result<Expr> {
        let mut node = node.clone();
        let mut leaves = Leaves { exprs: Vec::new(), types: Vec::new() };
        self.take_leaves(row, &mut node, &mut leaves)?;
        let mut volatile = false;
        node.visit(&mut |part| {
            volatile |= match &part.kind {
                Kind::Call(function, _) => function.is_volatile() || function.waits(),
                Kind::Assign(..) | Kind::UserVariable(_) => true,
                _ => false,
            };
        });
        let name = self.name_of(&node, &leaves.types, result);
        let result = result.cloned();
        let function = RowFunction::of_statement(
            &name,
            leaves.types,
            result.clone(),
            volatile,
            &self.statement,
            Arc::new(move |args: &[Datum<'_>], facts: &SqlContext| {
                let environment = Environment::of(facts, &[]);
                let scope = environment.scope().with_row(RowView::Datums(args));
                match &result {
                    None => {
                        let truth = node.truth(&scope)?;
                        Ok(truth.map_or(Value::Null, |truth| Value::Int(i64::from(truth))))
                    }
                    Some(ty) => Ok(fit(ty, node.evaluate(&scope)?, &node.ty, &scope)),
                }
            }),
        );
        Ok(call(function, leaves.exprs))
    }

    /// A name that is the same for equal expressions only: DataFusion tells columns by names.
    fn name_of(&self, node: &Node, types: &[ColumnType], result: Option<&ColumnType>) -> String {
        let identity = format!("{node:?} {types:?} {result:?}");
        let mut lifted = self.lifted.borrow_mut();
        let next = lifted.len();
        let number = *lifted.entry(identity).or_insert(next);
        let name = match &node.kind {
            Kind::Call(function, _) => function.name(),
            Kind::Cast(_) => "cast",
            Kind::Like(..) => "like",
            Kind::Case(..) => "case",
            _ => "expression",
        };
        format!("{name}#{number}")
    }

    fn take_leaves(&self, row: &Row<'_>, node: &mut Node, leaves: &mut Leaves) -> Result<()> {
        let (expr, ty) = match &node.kind {
            Kind::Column(number) => {
                let seen = row.column(*number)?;
                (seen.expr(), seen.ty.clone())
            }
            Kind::Outer(level, number) => row.enclosing_column(*level, *number)?,
            Kind::Subquery(subquery) if !subquery.is_correlated() => {
                // Its column is not known to be the same for all rows.
                let (expr, ty) = self.subquery_value(row, subquery)?;
                let found = found(node, leaves.add(expr, &ty), ty);
                node.kind = Kind::Once(Box::new(OnceNode::of(found)));
                return Ok(());
            }
            Kind::Subquery(subquery) => {
                let (expr, ty) = self.subquery_value(row, subquery)?;
                node.kind = found(node, leaves.add(expr, &ty), ty).kind;
                return Ok(());
            }
            Kind::Constant(Value::Bytes(text)) if text.len() > TEXT_BYTES_MAX => {
                let value = Value::Bytes(text.clone());
                (known(&node.ty, &value), node.ty.clone())
            }
            Kind::Parameter(number) => {
                let value = self.parameters.get(usize::from(*number));
                node.kind = Kind::Constant(value.map_or(Value::Null, Datum::to_value));
                return match &node.kind {
                    Kind::Constant(Value::Bytes(text)) if text.len() > TEXT_BYTES_MAX => {
                        self.take_leaves(row, node, leaves)
                    }
                    _ => Ok(()),
                };
            }
            _ => {
                let mut result = Ok(());
                node.each_child_mut(&mut |child| {
                    if result.is_ok() {
                        result = self.take_leaves(row, child, leaves);
                    }
                });
                return result;
            }
        };
        node.kind = Kind::Column(leaves.add(expr, &ty));
        Ok(())
    }
}

/// What a sub-query found, in a column of a type. A condition stays one, which is more than a
/// number where it becomes a part of a JSON document.
fn found(subquery: &Node, column: usize, ty: ColumnType) -> Node {
    let column = Node::new(Kind::Column(column), ty, subquery.nullable);
    match subquery.ty == TRUTH {
        true => Node::new(Kind::And(vec![column]), TRUTH, subquery.nullable),
        false => column,
    }
}
