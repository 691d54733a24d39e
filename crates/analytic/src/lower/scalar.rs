//! Expressions over a row: values and conditions.
//!
//! What DataFusion means the same by is its own; what is known before is a literal; the rest is
//! evaluated row by row (`lift`).
//!
//! Invariants
//! 1. Only where a row is wanted or not may a sub-query be a join of DataFusion's (`demanded`);
//!    elsewhere it is a value.
//!
//! Not here: comparisons (`compare`), sub-queries (`subquery`).

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Case, Expr, lit};
use expression::{Arithmetic, BIGINT, Comparison, Function, Kind, Node, boolean, fit};
use plan::terms::has;
use results::Result;
use values::datum::{Datum, Value};
use values::decimal::Decimal;
use values::types::ColumnType;

use super::super::columns::{Class, class_of, scalar_of};
use super::super::kernels::{self, NumberDomain, Operation};
use super::convert::{is_same, known, native_cast};
use super::row::Row;
use super::{Lowering, call};

/// Whether an expression's value is a truth.
fn is_condition(node: &Node) -> bool {
    matches!(
        node.kind,
        Kind::Compare(..)
            | Kind::And(_)
            | Kind::Or(_)
            | Kind::Xor(..)
            | Kind::Not(_)
            | Kind::IsNull(..)
            | Kind::IsTruth(..)
            | Kind::InList(..)
            | Kind::Between(..)
            | Kind::Like(..)
    )
}

/// Comparisons within comparisons, at most, that are made of DataFusion's own: each has what it
/// compares twice, where it asks for NULL or for two bounds.
const NESTED_MAX: usize = 4;

/// How many comparisons stand one within another.
fn nested_comparisons(node: &Node) -> usize {
    let mut within = 0;
    node.each_child(&mut |child| within = within.max(nested_comparisons(child)));
    let is_one = matches!(
        node.kind,
        Kind::Compare(..) | Kind::Between(..) | Kind::InList(..) | Kind::IsTruth(..)
    );
    within + usize::from(is_one)
}

/// Whether it is another each time that it is evaluated: what is compared twice is to be one value.
fn is_drawn_anew(node: &Node) -> bool {
    has(node, |kind| matches!(kind, Kind::Call(function, _) if function.is_volatile()))
}

/// A known truth.
pub(super) fn known_truth(truth: Option<bool>) -> Expr {
    Expr::Literal(ScalarValue::Boolean(truth), None)
}

impl Lowering<'_> {
    /// An expression as a value of its type.
    pub(super) fn value(&self, row: &Row<'_>, node: &Node) -> Result<Expr> {
        if let Some(value) = self.known_value(node) {
            return Ok(known(&node.ty, &value));
        }
        match &node.kind {
            Kind::Column(number) => {
                let seen = row.column(*number)?;
                return Ok(self.converted(seen.expr(), &seen.ty, &node.ty));
            }
            Kind::Outer(level, number) => {
                let (expr, ty) = row.enclosing_column(*level, *number)?;
                return Ok(self.converted(expr, &ty, &node.ty));
            }
            Kind::Subquery(subquery) => {
                let (expr, ty) = self.subquery_value(row, subquery)?;
                return Ok(self.converted(expr, &ty, &node.ty));
            }
            Kind::Collated(inner) if is_same(&inner.ty, &node.ty) => {
                return self.value(row, inner);
            }
            _ => {}
        }
        if is_condition(node) {
            return Ok(native_cast(self.condition(row, node)?, &BIGINT));
        }
        match self.native(row, node)? {
            Some(expr) => Ok(expr),
            None => self.lifted(row, node, Some(&node.ty)),
        }
    }

    /// An expression as a condition, NULL if it is unknown.
    pub(super) fn condition(&self, row: &Row<'_>, node: &Node) -> Result<Expr> {
        self.truth(row, node, false)
    }

    /// An expression as a condition of which only matters whether it holds.
    pub(super) fn demanded(&self, row: &Row<'_>, node: &Node) -> Result<Expr> {
        self.truth(row, node, true)
    }

    fn truth(&self, row: &Row<'_>, node: &Node, demanded: bool) -> Result<Expr> {
        if self.is_known(node)
            && let Ok(truth) = node.truth(&self.environment().scope())
        {
            return Ok(known_truth(truth));
        }
        let all = |nodes: &[Node], join: fn(Expr, Expr) -> Expr, neutral: bool| {
            let terms = nodes.iter().map(|term| self.truth(row, term, demanded));
            let terms = terms.collect::<Result<Vec<Expr>>>()?;
            Ok(terms.into_iter().reduce(join).unwrap_or_else(|| lit(neutral)))
        };
        match &node.kind {
            Kind::And(nodes) => all(nodes, Expr::and, true),
            Kind::Or(nodes) => all(nodes, Expr::or, false),
            // What is unknown is not what is false any more.
            Kind::Not(inner) => Ok(Expr::Not(Box::new(self.condition(row, inner)?))),
            Kind::IsNull(inner, negated) => {
                let value = self.value(row, inner)?;
                Ok(if *negated { value.is_not_null() } else { value.is_null() })
            }
            Kind::IsTruth(..) | Kind::Compare(..) | Kind::InList(..) | Kind::Between(..)
                if nested_comparisons(node) > NESTED_MAX || is_drawn_anew(node) =>
            {
                self.lifted(row, node, None)
            }
            Kind::IsTruth(inner, wanted, negated) => {
                let inner = Box::new(self.condition(row, inner)?);
                Ok(match (*wanted, *negated) {
                    (true, false) => Expr::IsTrue(inner),
                    (true, true) => Expr::IsNotTrue(inner),
                    (false, false) => Expr::IsFalse(inner),
                    (false, true) => Expr::IsNotFalse(inner),
                })
            }
            Kind::Compare(op, a, b, rule) => self.comparison(row, node, *op, a, b, *rule),
            Kind::InList(a, list, negated, rule) => match self.listed(row, a, list, *rule)? {
                Some(found) if *negated => Ok(Expr::Not(Box::new(found))),
                Some(found) => Ok(found),
                None => self.lifted(row, node, None),
            },
            Kind::Between(nodes, negated, rule) => match self.within(row, nodes, *rule)? {
                Some(found) if *negated => Ok(Expr::Not(Box::new(found))),
                Some(found) => Ok(found),
                None => self.lifted(row, node, None),
            },
            Kind::Subquery(subquery) => self.subquery_truth(row, subquery, &node.ty, demanded),
            _ if !is_condition(node) && is_plain_number(&node.ty) => {
                let value = self.value(row, node)?;
                Ok(value.not_eq(Expr::Literal(zero_of(&node.ty), None)))
            }
            _ => self.lifted(row, node, None),
        }
    }

    /// Whether an expression is known before the query runs; then its value becomes a part of the
    /// plan.
    fn is_known(&self, node: &Node) -> bool {
        let mut known = true;
        node.visit(&mut |part| {
            known &= match &part.kind {
                Kind::UserVariable(_) => !self.assigns,
                Kind::Call(function, _) => !function.is_volatile() && !function.waits(),
                Kind::Column(_) | Kind::Incoming(_) | Kind::Outer(..) => false,
                Kind::Subquery(_) | Kind::Assign(..) => false,
                Kind::Aggregate(_) | Kind::Window(_) => false,
                _ => true,
            };
        });
        if known {
            self.note_known(node);
        }
        known
    }

    /// The value of an expression that is known before the query runs, in its type's domain. An
    /// error is for the row that asks for it, if one does.
    pub(super) fn known_value(&self, node: &Node) -> Option<Value> {
        if !self.is_known(node) {
            return None;
        }
        let environment = self.environment();
        let scope = environment.scope();
        let cell = node.evaluate(&scope).ok()?;
        Some(fit(&node.ty, cell, &node.ty, &scope))
    }

    /// A known number with more digits before the point than its type has: the type of a parameter
    /// is one for all values that the statement may have there.
    pub(super) fn known_beyond_its_type(&self, node: &Node) -> Option<Decimal> {
        let ColumnType::Decimal { precision, scale } = node.ty else { return None };
        if !self.is_known(node) {
            return None;
        }
        let environment = self.environment();
        let scope = environment.scope();
        match node.evaluate(&scope).ok()?.datum() {
            Datum::Decimal(value) if value.whole_digits() > precision - scale => Some(value),
            _ => None,
        }
    }

    /// An operator of DataFusion's, or a kernel of ours, that means what the node does.
    fn native(&self, row: &Row<'_>, node: &Node) -> Result<Option<Expr>> {
        match &node.kind {
            Kind::Arithmetic(op, a, b) => self.arithmetic(row, node, *op, a, b),
            Kind::Case(None, branches, otherwise, _) => {
                let chosen = branches.iter().map(|(_, then)| then).chain(otherwise.as_deref());
                if !chosen.clone().all(|then| self.is_of(then, &node.ty)) {
                    return Ok(None);
                }
                let branches = branches.iter().map(|(when, then)| {
                    let when = self.condition(row, when)?;
                    Ok((Box::new(when), Box::new(self.chosen(row, then, &node.ty)?)))
                });
                let branches = branches.collect::<Result<Vec<_>>>()?;
                let otherwise = otherwise.as_deref();
                let otherwise =
                    otherwise.map(|node_| self.chosen(row, node_, &node.ty)).transpose()?;
                let otherwise = otherwise.map(Box::new);
                Ok(Some(Expr::Case(Case::new(None, branches, otherwise))))
            }
            Kind::Case(Some(operand), branches, otherwise, rule) if self.is_simple(operand) => {
                let equal = |when: &Node| {
                    let (a, b) = (operand.clone(), Box::new(when.clone()));
                    boolean(Kind::Compare(Comparison::Equal, a, b, *rule), true)
                };
                let branches =
                    branches.iter().map(|(when, then)| (equal(when), then.clone())).collect();
                let kind = Kind::Case(None, branches, otherwise.clone(), *rule);
                self.native(row, &Node::new(kind, node.ty.clone(), node.nullable))
            }
            Kind::Call(Function::If, arguments) => match arguments.as_slice() {
                [when, then, otherwise]
                    if self.is_of(then, &node.ty) && self.is_of(otherwise, &node.ty) =>
                {
                    let when = Box::new(self.condition(row, when)?);
                    let then = Box::new(self.chosen(row, then, &node.ty)?);
                    let otherwise = Box::new(self.chosen(row, otherwise, &node.ty)?);
                    Ok(Some(Expr::Case(Case::new(None, vec![(when, then)], Some(otherwise)))))
                }
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// Whether an expression may be evaluated several times.
    fn is_simple(&self, node: &Node) -> bool {
        matches!(node.kind, Kind::Column(_) | Kind::Outer(..)) || self.is_known(node)
    }

    /// Whether what is chosen is of the type as it stands: nothing has to be settled.
    fn is_of(&self, node: &Node, ty: &ColumnType) -> bool {
        is_same(&node.ty, ty)
            || matches!(self.known_value(node), Some(Value::Null))
            || matches!((class_of(&node.ty), class_of(ty)), (Class::Int, Class::Decimal))
                && self.is_known(node)
    }

    fn chosen(&self, row: &Row<'_>, node: &Node, ty: &ColumnType) -> Result<Expr> {
        match self.known_value(node) {
            Some(value) => {
                let environment = self.environment();
                let scope = environment.scope();
                let value = fit(ty, expression::Cell::of(value), &node.ty, &scope);
                Ok(known(ty, &value))
            }
            None => self.value(row, node),
        }
    }

    /// Arithmetic of integers and of doubles.
    fn arithmetic(
        &self,
        row: &Row<'_>,
        node: &Node,
        op: Arithmetic,
        a: &Node,
        b: &Node,
    ) -> Result<Option<Expr>> {
        let operation = match op {
            Arithmetic::Add => Operation::Add,
            Arithmetic::Subtract => Operation::Subtract,
            Arithmetic::Multiply => Operation::Multiply,
            Arithmetic::Divide => Operation::Divide,
            Arithmetic::IntegerDivide => Operation::Whole,
            Arithmetic::Modulo => Operation::Remainder,
            _ => return Ok(None),
        };
        let whole = |node: &Node| class_of(&node.ty) == Class::Int;
        let numbers = match &node.ty {
            ColumnType::Int { unsigned, .. } if whole(a) && whole(b) => {
                if *unsigned {
                    NumberDomain::Unsigned
                } else {
                    NumberDomain::Signed
                }
            }
            ColumnType::Double(_) if op != Arithmetic::IntegerDivide => {
                let plain = |node: &Node| matches!(class_of(&node.ty), Class::Int | Class::Real);
                if !plain(a) || !plain(b) {
                    return Ok(None);
                }
                NumberDomain::Double
            }
            _ => return Ok(None),
        };
        let (mut left, mut right) = (self.value(row, a)?, self.value(row, b)?);
        if numbers == NumberDomain::Double {
            left = self.as_double(left, &a.ty);
            right = self.as_double(right, &b.ty);
        }
        Ok(Some(call(kernels::Arithmetic::new(operation, numbers), vec![left, right])))
    }
}

fn is_plain_number(ty: &ColumnType) -> bool {
    matches!(class_of(ty), Class::Int | Class::Decimal | Class::Real)
}

fn zero_of(ty: &ColumnType) -> ScalarValue {
    let zero = match ty {
        ColumnType::Int { unsigned: true, .. } | ColumnType::Bit { .. } => Value::UInt(0),
        ColumnType::Int { .. } => Value::Int(0),
        ColumnType::Float(_) => Value::Float(0.0),
        ColumnType::Decimal { .. } => Value::Decimal(Decimal::ZERO),
        _ => Value::Double(0.0),
    };
    scalar_of(ty, &zero)
}
