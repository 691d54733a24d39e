//! Conversions between MySQL types: of known values at once, of columns by DataFusion where its
//! cast means the same as MySQL's, else by `rows::convert`.
//!
//! Invariants
//! 1. A conversion never fails: as in MySQL's expressions, what does not convert becomes the
//!    nearest value (a warning there, silent here).
//!
//! Not here: CAST's own rules (`bind::conversion`).

use std::sync::Arc;

use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Cast, Expr, ScalarUDF, ScalarUDFImpl};
use rows::convert::convert;
use rows::datum::{Datum, Value};
use rows::temporal::Zone;
use rows::types::ColumnType;

use super::super::columns::{Class, arrow_type, class_of, scalar_of};
use super::super::kernels::RowFunction;
use super::arithmetic::digits_literal;
use super::typed::{BIGINT, Kind, Typed, known};

/// A call of one of our functions.
pub(in crate::analytic) fn call(function: impl ScalarUDFImpl + 'static, args: Vec<Expr>) -> Expr {
    let function = Arc::new(ScalarUDF::new_from_impl(function));
    Expr::ScalarFunction(ScalarFunction::new_udf(function, args))
}

/// DataFusion's cast of an expression.
pub(in crate::analytic) fn native_cast(expr: Expr, ty: &ColumnType) -> Expr {
    Expr::Cast(Cast::new(Box::new(expr), arrow_type(ty)))
}

/// A value of type `from` as one of type `to`; ENUM goes by its word unless a number is wanted.
pub(in crate::analytic) fn convert_value(
    from: &ColumnType,
    datum: Datum<'_>,
    to: &ColumnType,
    zone: Zone,
) -> Value {
    match (from, datum) {
        (_, Datum::Null) => Value::Null,
        (ColumnType::Enum { .. }, Datum::Enum(at)) if class_of(to).is_number() => {
            convert(to, Datum::UInt(u64::from(at)), zone).value
        }
        (ColumnType::Enum { values, .. }, Datum::Enum(at)) => {
            let word = enum_word(values, at);
            convert(to, Datum::Bytes(word.as_bytes()), zone).value
        }
        (ColumnType::Time { .. }, Datum::Time(_)) if to.eq(from) => datum.to_value(),
        _ => convert(to, datum, zone).value,
    }
}

/// The word behind an ENUM's number.
pub(in crate::analytic) fn enum_word(values: &[String], at: u16) -> &str {
    match at {
        0 => "",
        at => values.get(usize::from(at) - 1).map_or("", String::as_str),
    }
}

/// Whether values of `from` are values of `to` as they stand in a column.
fn is_same(from: &ColumnType, to: &ColumnType) -> bool {
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
        (Class::Enum, Class::Enum) => from == to,
        _ => a == b,
    }
}

/// Whether DataFusion's cast gives what MySQL would.
fn is_native(from: &ColumnType, to: &ColumnType) -> bool {
    match (class_of(from), class_of(to)) {
        (Class::Int, Class::Real) | (Class::Real, Class::Real) => true,
        (Class::Decimal, Class::Real) => true,
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
        (Class::Year, Class::Int) => true,
        (Class::Enum, Class::Int) => true,
        _ => false,
    }
}

/// The expression as a value of `to`; the result's type is `to`.
pub(in crate::analytic) fn cast(typed: &Typed, to: &ColumnType, zone: Zone) -> Typed {
    let mut out = Typed {
        expr: typed.expr.clone(),
        kind: Kind::Of(to.clone()),
        nullable: typed.nullable,
        firmness: typed.firmness,
        constant: None,
        origin: None,
    };
    if typed.is_null() {
        out.expr = Expr::Literal(scalar_of(to, &Value::Null), None);
        out.constant = Some(Value::Null);
        return out;
    }
    if let Some(value) = &typed.constant {
        let value = convert_value(&typed.ty(), value.as_datum(), to, zone);
        out.expr = known(to, &value);
        out.nullable = value.is_null();
        out.constant = Some(value);
        return out;
    }
    let from = match &typed.kind {
        Kind::Null => return out,
        Kind::Truth => {
            out.expr = native_cast(out.expr, &BIGINT);
            BIGINT
        }
        Kind::Of(ty) => ty.clone(),
    };
    if is_same(&from, to) {
        return out;
    }
    if is_native(&from, to) {
        out.expr = native_cast(out.expr, to);
        return out;
    }
    out.nullable = true;
    let (source, target) = (from.clone(), to.clone());
    let function = RowFunction::new(
        "convert",
        &format!("{zone:?}"),
        vec![from],
        Some(to.clone()),
        false,
        Arc::new(move |args| Ok(convert_value(&source, args[0], &target, zone))),
    );
    out.expr = call(function, vec![out.expr]);
    out
}

/// The expression as a condition: numbers are true unless 0.
pub(in crate::analytic) fn condition(typed: &Typed, zone: Zone) -> Typed {
    match &typed.kind {
        Kind::Truth => typed.clone(),
        Kind::Null => Typed::known_truth(None),
        Kind::Of(_) if digits_literal(typed).is_some() => {
            Typed::known_truth(digits_literal(typed).map(|number| number != 0))
        }
        Kind::Of(ty) => {
            let number = match class_of(ty) {
                Class::Int | Class::Real => typed.clone(),
                Class::Decimal => typed.clone(),
                _ => cast(typed, &ColumnType::Double, zone),
            };
            if let Some(value) = &number.constant {
                return Typed::known_truth(truth_of(value));
            }
            let zero = match number.ty() {
                ColumnType::Int { unsigned: true, .. } => Value::UInt(0),
                ColumnType::Int { .. } => Value::Int(0),
                ColumnType::Float => Value::Float(0.0),
                ColumnType::Decimal { .. } => Value::Decimal(rows::decimal::Decimal::ZERO),
                _ => Value::Double(0.0),
            };
            let zero = Expr::Literal(scalar_of(&number.ty(), &zero), None);
            Typed::truth(number.expr.not_eq(zero), number.nullable)
        }
    }
}

/// Whether a number counts as true; `None` for NULL.
fn truth_of(value: &Value) -> Option<bool> {
    match value {
        Value::Null => None,
        Value::Int(v) => Some(*v != 0),
        Value::UInt(v) => Some(*v != 0),
        Value::Float(v) => Some(*v != 0.0),
        Value::Double(v) => Some(*v != 0.0),
        Value::Decimal(v) => Some(!v.is_zero()),
        _ => Some(true),
    }
}

/// The expression as a value: a truth becomes 0 or 1.
pub(in crate::analytic) fn value_form(typed: &Typed) -> Typed {
    match typed.kind {
        Kind::Truth => {
            let mut out = cast(typed, &BIGINT, Zone::UTC);
            out.origin = None;
            out
        }
        _ => typed.clone(),
    }
}
