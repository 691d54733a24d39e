//! DataFusion's filters as terms of the tree: conditions on single columns, which `sql` looks up in
//! indexes for every reader alike, and which segments and row groups are tested by (`conditions`).
//!
//! Filters are read and not the terms of the query itself, because DataFusion finds more of them
//! for a table than were written for it: through equations of joins, derived tables, outer joins.
//!
//! Invariants
//! 1. A term found is implied by its filter: rows that the filter wants satisfy it.
//! 2. Text conditions count only when compared under the column's own collation, for that is the
//!    order of its index.
//!
//! Not here: which index is taken (`plan::optimize::in_batches`).

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Between, BinaryExpr, Expr, Operator};
use expression::{Comparison, Kind, List, Node, TRUTH};
use rows::Table;
use values::datum::Value;
use values::types::{Collation, ColumnType};

use super::super::columns::{collation_of, is_string, value_of};
use super::super::kernels::{TextComparison, TextMembership};
use super::conditions::among;

/// Columns that conditions may be on.
pub(super) trait TermColumns {
    /// The position of the one of this name.
    fn position(&self, name: &str) -> Option<usize>;

    /// The type of the one at a position.
    fn ty(&self, position: usize) -> &ColumnType;
}

impl TermColumns for Table {
    fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|own| own.name == name)
    }

    fn ty(&self, position: usize) -> &ColumnType {
        &self.columns[position].ty
    }
}

/// What some filters, all of which must hold, say of single columns.
pub(super) fn terms(table: &dyn TermColumns, filters: &[Expr]) -> Vec<Node> {
    let mut found = Vec::new();
    for filter in filters {
        collect(table, filter, &mut found);
    }
    found
}

/// Whether the terms say all that a filter says: one comparison of a column with a literal.
pub(super) fn says_all(table: &dyn TermColumns, filter: &Expr) -> bool {
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

/// The same of a text compared under its own collation as well, and of a list of literals: where a
/// row is wanted, unknown is as good as false.
pub(super) fn is_told(table: &dyn TermColumns, filter: &Expr) -> bool {
    match filter {
        Expr::InList(list) => {
            !list.negated && !terms(table, std::slice::from_ref(filter)).is_empty()
        }
        Expr::ScalarFunction(_) => !terms(table, std::slice::from_ref(filter)).is_empty(),
        filter => says_all(table, filter),
    }
}

fn collect(table: &dyn TermColumns, filter: &Expr, found: &mut Vec<Node>) {
    match filter {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
            collect(table, left, found);
            collect(table, right, found);
        }
        Expr::BinaryExpr(BinaryExpr { op: Operator::Or, .. }) => {
            found.extend(alternatives(table, filter));
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            found.extend(comparison(table, left, *op, right));
        }
        Expr::Between(Between { expr, negated: false, low, high }) => {
            found.extend(comparison(table, expr, Operator::GtEq, low));
            found.extend(comparison(table, expr, Operator::LtEq, high));
        }
        Expr::IsNull(inner) => {
            let column = column_of(table, inner);
            let is_null = |at| Kind::IsNull(Box::new(column_node(table, at)), false);
            found.extend(column.map(is_null).map(truth));
        }
        Expr::InList(list) if !list.negated => {
            found.extend(column_of(table, &list.expr).and_then(|at| listed(table, at, &list.list)));
        }
        Expr::ScalarFunction(call) => {
            let function = call.func.inner();
            if let Some(comparison) = function.downcast_ref::<TextComparison>() {
                found.extend(text_comparison(table, comparison, &call.args));
            } else if let Some(member) = function.downcast_ref::<TextMembership>()
                && let Some((tested, texts)) = call.args.split_first()
                && let Some(column) = column_of(table, tested)
                && collation_of(table.ty(column)) == member.collation()
            {
                found.extend(listed(table, column, texts));
            }
        }
        _ => {}
    }
}

/// What filters joined by OR say, if each of them says something: of one column a list of values.
fn alternatives(table: &dyn TermColumns, filter: &Expr) -> Option<Node> {
    let mut branches = Vec::new();
    push_branches(filter, &mut branches);
    let each = branches.into_iter().map(|branch| {
        let mut all = terms(table, std::slice::from_ref(branch));
        match all.len() {
            0 => None,
            1 => all.pop(),
            _ => Some(truth(Kind::And(all))),
        }
    });
    let any = truth(Kind::Or(each.collect::<Option<Vec<Node>>>()?));
    match among(&any) {
        Some((column, values)) if !values.contains(&Value::Null) => {
            Some(one_of(table, column, values))
        }
        _ => Some(any),
    }
}

fn push_branches<'e>(filter: &'e Expr, branches: &mut Vec<&'e Expr>) {
    match filter {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            push_branches(left, branches);
            push_branches(right, branches);
        }
        other => branches.push(other),
    }
}

/// `column IN (literals)`
fn listed(table: &dyn TermColumns, column: usize, literals: &[Expr]) -> Option<Node> {
    let ty = table.ty(column);
    let values = literals.iter().map(|item| match item {
        Expr::Literal(scalar, _) => known(ty, scalar),
        _ => None,
    });
    let mut values = values.collect::<Option<Vec<Value>>>()?;
    values.retain(|value| !value.is_null());
    Some(one_of(table, column, values))
}

fn one_of(table: &dyn TermColumns, column: usize, values: Vec<Value>) -> Node {
    let ty = table.ty(column);
    let values = values.into_iter().map(|value| value_node(ty, value)).collect();
    let column = Box::new(column_node(table, column));
    truth(Kind::InList(column, List::new(values), false, collation_of(ty)))
}

/// `column op literal`, either way round.
fn comparison(table: &dyn TermColumns, left: &Expr, op: Operator, right: &Expr) -> Option<Node> {
    let (column, op, literal) = match (left, right) {
        (column, Expr::Literal(literal, _)) => (column, op, literal),
        (Expr::Literal(literal, _), column) => (column, op.swap()?, literal),
        _ => return None,
    };
    let at = column_of(table, column)?;
    let ty = table.ty(at);
    // Bytes of text compare as bytes here; the index has them by collation.
    if is_string(ty) && collation_of(ty) != Collation::Binary {
        return None;
    }
    compared(table, at, op, literal)
}

fn text_comparison(
    table: &dyn TermColumns,
    comparison: &TextComparison,
    args: &[Expr],
) -> Option<Node> {
    let [column, Expr::Literal(text, _)] = args else { return None };
    let at = column_of(table, column)?;
    let ty = table.ty(at);
    if !is_string(ty) || collation_of(ty) != comparison.collation() {
        return None;
    }
    compared(table, at, comparison.op(), text)
}

fn compared(
    table: &dyn TermColumns,
    column: usize,
    op: Operator,
    literal: &ScalarValue,
) -> Option<Node> {
    let op = match op {
        Operator::Eq => Comparison::Equal,
        Operator::Lt => Comparison::Less,
        Operator::LtEq => Comparison::LessEqual,
        Operator::Gt => Comparison::Greater,
        Operator::GtEq => Comparison::GreaterEqual,
        _ => return None,
    };
    let ty = table.ty(column);
    let value = known(ty, literal).filter(|value| !value.is_null())?;
    let (column, value) = (column_node(table, column), value_node(ty, value));
    Some(truth(Kind::Compare(op, Box::new(column), Box::new(value), collation_of(ty))))
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
        (ColumnType::Bit { .. }, Value::UInt(number)) => *number <= ty.bits_max(),
        (ColumnType::Int { .. }, value) => value.is_null(),
        _ => true,
    };
    fits.then_some(value)
}

fn column_of(table: &dyn TermColumns, expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Column(column) => table.position(&column.name),
        _ => None,
    }
}

fn column_node(table: &dyn TermColumns, column: usize) -> Node {
    Node::new(Kind::Column(column), table.ty(column).clone(), true)
}

fn value_node(ty: &ColumnType, value: Value) -> Node {
    Node::new(Kind::Constant(value), ty.clone(), false)
}

fn truth(kind: Kind) -> Node {
    Node::new(kind, TRUTH, true)
}
