//! IN with a list, comparisons of rows, LIKE.
//!
//! Invariants
//! 1. IN with a list of constants keeps the column bare and the list literal, so that
//!    `scan::ranges` can look each up in an index.
//!
//! Not here: IN with a sub-query (`subquery`).

use std::sync::Arc;

use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{Expr, Operator};
use rows::datum::{Datum, Value};
use rows::types::Collation;
use sqlparser::ast;

use super::super::columns::{Class, class_of, collation_of};
use super::super::kernels::{RowFunction, TextMembership};
use super::Binder;
use super::cast::call;
use super::comparison::{Common, common_collation, common_form, compare, enum_text};
use super::scope::Scope;
use super::typed::Typed;
use crate::error::{Result, SqlError};

impl Binder<'_> {
    /// `expr [NOT] IN (list)`.
    pub(super) fn in_list(
        &self,
        scope: &Scope<'_>,
        tested: &ast::Expr,
        list: &[ast::Expr],
        negated: bool,
        depth: usize,
    ) -> Result<Typed> {
        if let Some(left) = row_parts(tested) {
            return self.row_in_list(scope, left, list, negated, depth);
        }
        let tested = self.nested(scope, tested, depth)?;
        let items = list
            .iter()
            .map(|item| self.nested(scope, item, depth))
            .collect::<Result<Vec<Typed>>>()?;
        let truth = self.among(&tested, &items);
        Ok(self.negate_if(truth, negated))
    }

    /// Whether a value equals one of several.
    fn among(&self, tested: &Typed, items: &[Typed]) -> Typed {
        let nullable = tested.nullable || items.iter().any(|item| item.nullable);
        if let Some(expr) = self.literal_list(tested, items) {
            return Typed::truth(expr, nullable);
        }
        let equals = items.iter().map(|item| compare(Operator::Eq, tested, item, self.zone()).expr);
        match equals.reduce(Expr::or) {
            Some(expr) => Typed::truth(expr, nullable),
            None => Typed::known_truth(Some(false)),
        }
    }

    /// A list of constants that all compare with the tested value in one common form.
    fn literal_list(&self, tested: &Typed, items: &[Typed]) -> Option<Expr> {
        if tested.constant.is_some() || items.iter().any(|item| item.constant.is_none()) {
            return None;
        }
        let mut column: Option<Expr> = None;
        let mut text: Option<Collation> = None;
        let mut literals = Vec::with_capacity(items.len());
        for item in items {
            if item.is_null() {
                continue;
            }
            let (left, right, common) = common_form(tested, item, self.zone());
            let (left, collation) = match common {
                Common::Same => (left.expr, None),
                Common::Text(collation) => (left.expr, Some(collation)),
            };
            if column.get_or_insert_with(|| left.clone()) != &left {
                return None;
            }
            if !literals.is_empty() && text != collation {
                return None;
            }
            text = collation;
            right.constant.as_ref()?;
            if !matches!(right.expr, Expr::Literal(..)) {
                return None;
            }
            literals.push(right.expr);
        }
        let column = column?;
        if let Some(collation) = text {
            if items.iter().any(Typed::is_null) {
                let null = datafusion::common::ScalarValue::BinaryView(None);
                literals.push(Expr::Literal(null, None));
            }
            let function = TextMembership::new(collation, literals.len());
            literals.insert(0, column);
            return Some(call(function, literals));
        }
        if items.iter().any(Typed::is_null) {
            let ty = match &literals[..] {
                [Expr::Literal(scalar, _), ..] => scalar.data_type(),
                _ => datafusion::arrow::datatypes::DataType::BinaryView,
            };
            let null = datafusion::common::ScalarValue::try_from(&ty).ok()?;
            literals.push(Expr::Literal(null, None));
        }
        Some(Expr::InList(InList::new(Box::new(column), literals, false)))
    }

    /// `(a, b) op (c, d)`; `None` when neither side is a row.
    pub(super) fn row_comparison(
        &self,
        scope: &Scope<'_>,
        left: &ast::Expr,
        op: &ast::BinaryOperator,
        right: &ast::Expr,
        depth: usize,
    ) -> Result<Option<Typed>> {
        let (Some(left), Some(right)) = (row_parts(left), row_parts(right)) else {
            return Ok(None);
        };
        let bind = |parts: &[ast::Expr]| -> Result<Vec<Typed>> {
            parts.iter().map(|part| self.nested(scope, part, depth)).collect()
        };
        let (left, right) = (bind(left)?, bind(right)?);
        if left.len() != right.len() {
            return Err(columns_wanted(left.len()));
        }
        let op = match op {
            ast::BinaryOperator::Eq => Operator::Eq,
            ast::BinaryOperator::NotEq => Operator::NotEq,
            ast::BinaryOperator::Lt => Operator::Lt,
            ast::BinaryOperator::LtEq => Operator::LtEq,
            ast::BinaryOperator::Gt => Operator::Gt,
            ast::BinaryOperator::GtEq => Operator::GtEq,
            other => return Err(SqlError::unsupported(format!("row {other} row"))),
        };
        Ok(Some(self.compare_rows(op, &left, &right)))
    }

    fn compare_rows(&self, op: Operator, left: &[Typed], right: &[Typed]) -> Typed {
        let pairs = || left.iter().zip(right);
        let equal = || {
            let all = pairs().map(|(l, r)| compare(Operator::Eq, l, r, self.zone()).expr);
            all.reduce(Expr::and)
        };
        let nullable = pairs().any(|(l, r)| l.nullable || r.nullable);
        let expr = match op {
            Operator::Eq => equal(),
            Operator::NotEq => equal().map(|all| Expr::Not(Box::new(all))),
            _ => {
                // (a, b) < (c, d)  is  a < c OR (a = c AND b < d)
                let strict = match op {
                    Operator::LtEq => Operator::Lt,
                    Operator::GtEq => Operator::Gt,
                    other => other,
                };
                let mut tail: Option<Expr> = None;
                for (at, (l, r)) in pairs().enumerate().rev() {
                    let last = at + 1 == left.len();
                    let this = compare(if last { op } else { strict }, l, r, self.zone()).expr;
                    tail = Some(match tail {
                        None => this,
                        Some(rest) => {
                            let same = compare(Operator::Eq, l, r, self.zone()).expr;
                            this.or(same.and(rest))
                        }
                    });
                }
                tail
            }
        };
        expr.map_or(Typed::known_truth(Some(true)), |expr| Typed::truth(expr, nullable))
    }

    fn row_in_list(
        &self,
        scope: &Scope<'_>,
        left: &[ast::Expr],
        list: &[ast::Expr],
        negated: bool,
        depth: usize,
    ) -> Result<Typed> {
        let bind = |parts: &[ast::Expr]| -> Result<Vec<Typed>> {
            parts.iter().map(|part| self.nested(scope, part, depth)).collect()
        };
        let tested = bind(left)?;
        let mut any: Option<Expr> = None;
        for item in list {
            let parts = row_parts(item).ok_or_else(|| columns_wanted(tested.len()))?;
            let parts = bind(parts)?;
            if parts.len() != tested.len() {
                return Err(columns_wanted(tested.len()));
            }
            let equal = self.compare_rows(Operator::Eq, &tested, &parts).expr;
            any = Some(match any {
                None => equal,
                Some(before) => before.or(equal),
            });
        }
        let truth = any.map_or(Typed::known_truth(Some(false)), |expr| Typed::truth(expr, true));
        Ok(self.negate_if(truth, negated))
    }

    /// `text LIKE pattern`.
    pub(super) fn like(
        &self,
        text: &Typed,
        pattern: &Typed,
        escape: Option<&ast::ValueWithSpan>,
    ) -> Result<Typed> {
        if text.is_null() || pattern.is_null() {
            return Ok(Typed::known_truth(None));
        }
        let escape = match escape.map(|escape| &escape.value) {
            None => Some('\\'),
            Some(ast::Value::SingleQuotedString(text) | ast::Value::DoubleQuotedString(text)) => {
                let mut chars = text.chars();
                let escape = chars.next();
                if chars.next().is_some() {
                    return Err(SqlError::new(1210, "Incorrect arguments to ESCAPE"));
                }
                escape
            }
            Some(_) => return Err(SqlError::new(1210, "Incorrect arguments to ESCAPE")),
        };
        let text = self.as_text(&enum_text(text, self.zone()));
        let pattern = self.as_text(&enum_text(pattern, self.zone()));
        let collation = match (class_of(&text.ty()), class_of(&pattern.ty())) {
            (Class::Text, Class::Text) => common_collation(&text, &pattern),
            (Class::Binary, _) | (_, Class::Binary) => Collation::Binary,
            _ => collation_of(&text.ty()),
        };
        let function = RowFunction::new(
            "like",
            &format!("{collation:?} {escape:?}"),
            vec![text.ty(), pattern.ty()],
            None,
            false,
            Arc::new(move |args| {
                Ok(match (args[0], args[1]) {
                    (Datum::Bytes(text), Datum::Bytes(pattern)) => {
                        let like = rows::collation::like(collation, text, pattern, escape);
                        Value::Int(i64::from(like))
                    }
                    _ => Value::Null,
                })
            }),
        );
        let nullable = text.nullable || pattern.nullable;
        Ok(Typed::truth(call(function, vec![text.expr, pattern.expr]), nullable))
    }
}

/// The parts of a row expression with more than one part.
pub(in crate::analytic) fn row_parts(ast: &ast::Expr) -> Option<&[ast::Expr]> {
    match ast {
        ast::Expr::Tuple(parts) if parts.len() > 1 => Some(parts),
        ast::Expr::Nested(inner) => row_parts(inner),
        ast::Expr::Function(function) if super::aggregates::function_name(function) == "ROW" => {
            None
        }
        _ => None,
    }
}

/// Error 1241.
pub(in crate::analytic) fn columns_wanted(count: usize) -> SqlError {
    SqlError::new(1241, format!("Operand should contain {count} column(s)"))
}
