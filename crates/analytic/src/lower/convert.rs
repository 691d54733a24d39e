//! Values of one type as values of another: by DataFusion where its cast means the same as
//! MySQL's, else row by row.
//!
//! Invariants
//! 1. A conversion never fails: what does not convert becomes the nearest value.
//!
//! Not here: CAST, which is an expression like others (`scalar`).

use std::sync::Arc;

use columnar::arrow::arrow_type;
use datafusion::logical_expr::{Cast, Expr};
use expression::{Cell, Environment, Number, fit};
use values::convert::convert;
use values::datum::{Datum, Value};
use values::temporal::DateTime;
use values::types::ColumnType;

use super::super::columns::{Class, class_of, scalar_of};
use super::super::kernels::{LongText, RowFunction};
use super::{Lowering, call};

/// DataFusion's cast of an expression.
pub(super) fn native_cast(expr: Expr, ty: &ColumnType) -> Expr {
    Expr::Cast(Cast::new(Box::new(expr), arrow_type(ty)))
}

/// The expression of a known value, of the type's domain.
pub(super) fn known(ty: &ColumnType, value: &Value) -> Expr {
    let long = match value {
        Value::Bytes(text) => LongText::of(text),
        _ => None,
    };
    match long {
        Some(text) => call(text, Vec::new()),
        None => Expr::Literal(scalar_of(ty, value), None),
    }
}

/// Whether values of `from` are values of `to` as they stand in a column.
pub(super) fn is_same(from: &ColumnType, to: &ColumnType) -> bool {
    if arrow_type(from) != arrow_type(to) {
        return false;
    }
    let (a, b) = (class_of(from), class_of(to));
    match (a, b) {
        _ if a.is_string() && b.is_string() => true,
        (Class::DateTime, Class::DateTime) => {
            matches!(from, ColumnType::Timestamp { .. })
                == matches!(to, ColumnType::Timestamp { .. })
        }
        (Class::Enum, Class::Enum) | (Class::Set, Class::Set) => from == to,
        _ => a == b,
    }
}

/// Digits of a whole number that a DOUBLE always has.
const EXACT_DIGITS: u8 = 15;

/// Whether DataFusion's cast gives what MySQL would.
fn is_native(from: &ColumnType, to: &ColumnType) -> bool {
    match (class_of(from), class_of(to)) {
        (Class::Int | Class::Real, Class::Real) => true,
        // Arrow divides the digits by a power of ten, which is exact while both are so as DOUBLE.
        (Class::Decimal, Class::Real) => {
            matches!(from, ColumnType::Decimal { precision: ..=EXACT_DIGITS, .. })
        }
        (Class::Int, Class::Decimal) => matches!(
            to,
            ColumnType::Decimal { precision, scale } if precision - scale >= 20
        ),
        (Class::Decimal, Class::Decimal) => match (from, to) {
            (
                ColumnType::Decimal { precision: p, scale: s },
                ColumnType::Decimal { precision, scale },
            ) => scale >= s && precision - scale >= p - s,
            _ => false,
        },
        (Class::Year | Class::Enum, Class::Int) => true,
        (Class::Set, Class::Int) => matches!(to, ColumnType::Int { unsigned: true, .. }),
        _ => false,
    }
}

impl Lowering<'_> {
    /// An expression with values of `from` as one with values of `to`.
    pub(super) fn converted(&self, expr: Expr, from: &ColumnType, to: &ColumnType) -> Expr {
        if is_same(from, to) {
            return expr;
        }
        if is_native(from, to) {
            return native_cast(expr, to);
        }
        let (source, target, zone) = (from.clone(), to.clone(), self.zone());
        if matches!(from, ColumnType::Time { .. }) && class_of(to).is_dated() {
            // That time today.
            let now = self.facts.now;
            return self.each(expr, from, to, &format!("today {now}"), move |datum| {
                let Datum::Time(time) = datum else { return Value::Null };
                let Some(moment) = DateTime::today_at(time, now, zone) else { return Value::Null };
                convert(&target, Datum::DateTime(moment), zone).value
            });
        }
        self.each(expr, from, to, "convert", move |datum| {
            let environment = Environment::bare(&[], zone);
            // A word's number where a number is wanted.
            let datum = match datum {
                Datum::Enum(_) | Datum::Set(_) if class_of(&target).is_number() => {
                    datum.listed_number().map_or(Datum::Null, Datum::UInt)
                }
                datum => datum,
            };
            fit(&target, Cell::Plain(datum), &source, &environment.scope())
        })
    }

    /// An expression as the DOUBLE that it counts as.
    pub(super) fn as_double(&self, expr: Expr, from: &ColumnType) -> Expr {
        let double = ColumnType::Double(None);
        if is_same(from, &double) {
            return expr;
        }
        if is_native(from, &double) {
            return native_cast(expr, &double);
        }
        let zone = self.zone();
        self.each(expr, from, &double, "double", move |datum| {
            Number::of(datum, zone)
                .map_or(Value::Null, |(number, _)| Value::Double(number.to_f64()))
        })
    }

    /// An exact number, a time among them, as a DECIMAL of these digits.
    pub(super) fn as_decimal(&self, expr: Expr, from: &ColumnType, to: &ColumnType) -> Expr {
        if class_of(from) == Class::Decimal || class_of(from) == Class::Int {
            return native_cast(expr, to);
        }
        let ColumnType::Decimal { scale, .. } = *to else { return expr };
        let zone = self.zone();
        self.each(expr, from, to, "decimal", move |datum| {
            let number = Number::of(datum, zone).and_then(|(number, _)| number.to_decimal());
            let value = number.and_then(|number| number.rescale(scale));
            value.map_or(Value::Null, Value::Decimal)
        })
    }

    /// A function of each value; NULL stays NULL.
    pub(super) fn each(
        &self,
        expr: Expr,
        from: &ColumnType,
        to: &ColumnType,
        name: &str,
        function: impl Fn(Datum<'_>) -> Value + Send + Sync + 'static,
    ) -> Expr {
        let function = RowFunction::new(
            name,
            &format!("{:?}", self.zone()),
            vec![from.clone()],
            Some(to.clone()),
            false,
            Arc::new(move |args| {
                Ok(if args[0].is_null() { Value::Null } else { function(args[0]) })
            }),
        );
        call(function, vec![expr])
    }
}
