//! Conditions on single columns, read out of a filter's expressions.
//!
//! Invariants
//! 1. A condition found is implied by the filter: rows that the filter wants satisfy it.
//! 2. Text conditions count only when compared under the column's own collation, for that is the
//!    order of its index.
//!
//! Not here: key ranges (`access`).

use std::collections::BTreeMap;
use std::ops::Bound;

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Between, BinaryExpr, Expr, Operator};
use rows::Table;
use values::datum::Value;
use values::types::ColumnType;

use super::super::columns::{collation_of, is_string, value_of};
use super::super::kernels::{TextComparison, TextMembership};

/// Columns that conditions may be on.
pub(super) trait Columns {
    /// The position of the one of this name.
    fn position(&self, name: &str) -> Option<usize>;

    /// The type of the one at a position.
    fn ty(&self, position: usize) -> &ColumnType;
}

impl Columns for Table {
    fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|own| own.name == name)
    }

    fn ty(&self, position: usize) -> &ColumnType {
        &self.columns[position].ty
    }
}

/// What is known of a column's value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Condition {
    /// It is one of these.
    pub(super) among: Option<Vec<Value>>,
    /// It lies above this.
    pub(super) lower: Bound<Value>,
    /// It lies below this.
    pub(super) upper: Bound<Value>,
}

impl Default for Condition {
    fn default() -> Condition {
        Condition { among: None, lower: Bound::Unbounded, upper: Bound::Unbounded }
    }
}

/// Conditions by column position.
pub(super) type Conditions = BTreeMap<usize, Condition>;

/// The conditions that some filters, all of which must hold, put on single columns.
pub(super) fn conditions(table: &dyn Columns, filters: &[Expr]) -> Conditions {
    let mut found = Conditions::new();
    for filter in filters {
        collect(table, filter, &mut found);
    }
    found
}

/// Whether `conditions` says all that a filter says: one comparison of a column with a literal.
pub(super) fn says_all(table: &dyn Columns, filter: &Expr) -> bool {
    match filter {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            comparison(table, left, *op, right).is_some()
        }
        Expr::Between(Between { expr, negated: false, low, high }) => {
            comparison(table, expr, Operator::GtEq, low).is_some()
                && comparison(table, expr, Operator::LtEq, high).is_some()
        }
        _ => false,
    }
}

fn collect(table: &dyn Columns, filter: &Expr, found: &mut Conditions) {
    match filter {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
            collect(table, left, found);
            collect(table, right, found);
        }
        Expr::BinaryExpr(BinaryExpr { op: Operator::Or, .. }) => {
            if let Some((column, values)) = alternatives(table, filter) {
                restrict(found, column, values);
            }
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            if let Some((column, op, value)) = comparison(table, left, *op, right) {
                compare(found, column, op, value);
            }
        }
        Expr::Between(Between { expr, negated: false, low, high }) => {
            for (op, bound) in [(Operator::GtEq, low), (Operator::LtEq, high)] {
                if let Some((column, op, value)) = comparison(table, expr, op, bound) {
                    compare(found, column, op, value);
                }
            }
        }
        Expr::IsNull(inner) => {
            if let Some(column) = column_of(table, inner) {
                restrict(found, column, vec![Value::Null]);
            }
        }
        _ => {
            if let Some((column, op, value)) = text_comparison(table, filter) {
                compare(found, column, op, value);
            } else if let Some((column, values)) = alternatives(table, filter) {
                restrict(found, column, values);
            }
        }
    }
}

/// `c = 1 OR c = 2`, `c IN (1, 2)`: the column and its values.
fn alternatives(table: &dyn Columns, filter: &Expr) -> Option<(usize, Vec<Value>)> {
    match filter {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            let (a, mut values) = alternatives(table, left)?;
            let (b, more) = alternatives(table, right)?;
            values.extend(more);
            (a == b).then_some((a, values))
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            match comparison(table, left, *op, right)? {
                (column, Operator::Eq, value) => Some((column, vec![value])),
                _ => None,
            }
        }
        Expr::InList(list) if !list.negated => {
            let column = column_of(table, &list.expr)?;
            let ty = table.ty(column);
            let values = list.list.iter().map(|item| match item {
                Expr::Literal(scalar, _) => known(ty, scalar),
                _ => None,
            });
            let values: Option<Vec<Value>> = values.collect();
            Some((column, values?.into_iter().filter(|value| !value.is_null()).collect()))
        }
        Expr::IsNull(inner) => Some((column_of(table, inner)?, vec![Value::Null])),
        Expr::ScalarFunction(call) => {
            if let Some((column, Operator::Eq, value)) = text_comparison(table, filter) {
                return Some((column, vec![value]));
            }
            let member = call.func.inner().downcast_ref::<TextMembership>()?;
            let (tested, texts) = call.args.split_first()?;
            let column = column_of(table, tested)?;
            if collation_of(table.ty(column)) != member.collation() {
                return None;
            }
            let ty = table.ty(column);
            let texts = texts.iter().map(|text| match text {
                Expr::Literal(scalar, _) => known(ty, scalar),
                _ => None,
            });
            let values: Option<Vec<Value>> = texts.collect();
            Some((column, values?.into_iter().filter(|value| !value.is_null()).collect()))
        }
        _ => None,
    }
}

/// A literal as a value of the column; `None` for a number that the column cannot hold, of which
/// an index has no key: the filter alone knows what to make of it.
fn known(ty: &ColumnType, scalar: &ScalarValue) -> Option<Value> {
    let value = value_of(ty, scalar)?;
    let fits = match (ty, &value) {
        (ColumnType::Int { width, unsigned: false, .. }, Value::Int(number)) => {
            (width.min()..=width.max()).contains(number)
        }
        (ColumnType::Int { width, unsigned: true, .. }, Value::UInt(number)) => {
            *number <= width.unsigned_max()
        }
        (ColumnType::Int { .. }, value) => value.is_null(),
        _ => true,
    };
    fits.then_some(value)
}

fn column_of(table: &dyn Columns, expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Column(column) => table.position(&column.name),
        _ => None,
    }
}

/// `column op literal`, either way round.
fn comparison(
    table: &dyn Columns,
    left: &Expr,
    op: Operator,
    right: &Expr,
) -> Option<(usize, Operator, Value)> {
    let (column, op, literal) = match (left, right) {
        (column, Expr::Literal(literal, _)) => (column, op, literal),
        (Expr::Literal(literal, _), column) => (column, op.swap()?, literal),
        _ => return None,
    };
    let at = column_of(table, column)?;
    let ty = table.ty(at);
    // Bytes of text compare as bytes here; the index has them by collation.
    if is_string(ty) && collation_of(ty) != values::Collation::Binary {
        return None;
    }
    let value = known(ty, literal)?;
    let ordered =
        matches!(op, Operator::Eq | Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq);
    (ordered && !value.is_null()).then_some((at, op, value))
}

fn text_comparison(table: &dyn Columns, filter: &Expr) -> Option<(usize, Operator, Value)> {
    let Expr::ScalarFunction(call) = filter else { return None };
    let comparison = call.func.inner().downcast_ref::<TextComparison>()?;
    let [column, Expr::Literal(text, _)] = &call.args[..] else { return None };
    let at = column_of(table, column)?;
    let ty = table.ty(at);
    if !is_string(ty) || collation_of(ty) != comparison.collation() {
        return None;
    }
    let value = known(ty, text)?;
    (comparison.op() != Operator::NotEq && !value.is_null()).then(|| (at, comparison.op(), value))
}

fn compare(found: &mut Conditions, column: usize, op: Operator, value: Value) {
    match op {
        Operator::Eq => restrict(found, column, vec![value]),
        Operator::Gt => found.entry(column).or_default().lower = Bound::Excluded(value),
        Operator::GtEq => found.entry(column).or_default().lower = Bound::Included(value),
        Operator::Lt => found.entry(column).or_default().upper = Bound::Excluded(value),
        Operator::LtEq => found.entry(column).or_default().upper = Bound::Included(value),
        _ => {}
    }
}

/// Keeps the shorter list of two: either is implied.
fn restrict(found: &mut Conditions, column: usize, values: Vec<Value>) {
    let among = &mut found.entry(column).or_default().among;
    if among.as_ref().is_none_or(|before| values.len() < before.len()) {
        *among = Some(values);
    }
}
