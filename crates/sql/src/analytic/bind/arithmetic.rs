//! Types and functions of `+ - * / DIV %` and unary minus.
//!
//! MySQL's rules: a DOUBLE or a text on either side makes the result DOUBLE, else a DECIMAL
//! makes it DECIMAL, else it is an integer, unsigned when either side is. `/` is never an
//! integer; its scale is the dividend's plus div_precision_increment.
//!
//! Invariants
//! 1. DECIMAL results have at most 65 digits, 30 of them behind the point.
//!
//! Not here: date arithmetic with INTERVAL (`functions`).

use std::sync::Arc;

use rows::datum::{Datum, Value};
use rows::decimal::Decimal;
use rows::temporal::Zone;
use rows::types::{ColumnType, IntWidth};

use super::super::columns::{Class, class_of};
use super::super::kernels::{Arithmetic, Numbers, Operation, RowFunction};
use super::cast::{call, cast, value_form};
use super::typed::{BIGINT, BIGINT_UNSIGNED, Kind, Typed};
use crate::error::{Result, SqlError};

/// Digits that a division adds behind the point (MySQL's div_precision_increment).
const DIVISION_DIGITS: u8 = 4;

/// The kind of number that an operand counts as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::analytic) enum Number {
    /// An integer of up to so many digits.
    Int { unsigned: bool, digits: u8 },
    /// DECIMAL.
    Decimal { precision: u8, scale: u8 },
    /// DOUBLE.
    Double,
}

impl Number {
    fn digits(self) -> (u8, u8) {
        match self {
            Number::Int { digits, .. } => (digits, 0),
            Number::Decimal { precision, scale } => (precision, scale),
            Number::Double => (0, 0),
        }
    }
}

/// Digits of an integer type.
pub(in crate::analytic) fn int_digits(width: IntWidth, unsigned: bool) -> u8 {
    match width {
        IntWidth::Tiny => 3,
        IntWidth::Small => 5,
        IntWidth::Medium => 8,
        IntWidth::Int => 10,
        IntWidth::Big if unsigned => 20,
        IntWidth::Big => 19,
    }
}

/// What an expression counts as in arithmetic.
pub(in crate::analytic) fn number_of(typed: &Typed) -> Number {
    if digits_literal(typed).is_some() {
        return Number::Int { unsigned: true, digits: 20 };
    }
    let known_digits = match typed.constant {
        Some(Value::Int(v)) => Some(v.unsigned_abs().checked_ilog10().unwrap_or(0) as u8 + 1),
        Some(Value::UInt(v)) => Some(v.checked_ilog10().unwrap_or(0) as u8 + 1),
        _ => None,
    };
    match &typed.kind {
        Kind::Null | Kind::Truth => Number::Int { unsigned: false, digits: 1 },
        Kind::Of(ty) => match (class_of(ty), ty) {
            (_, ColumnType::Int { width, unsigned, .. }) => Number::Int {
                unsigned: *unsigned,
                digits: known_digits.unwrap_or(int_digits(*width, *unsigned)),
            },
            (_, ColumnType::Decimal { precision, scale }) => {
                Number::Decimal { precision: *precision, scale: *scale }
            }
            (_, ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp }) if *fsp > 0 => {
                Number::Decimal { precision: 14 + fsp, scale: *fsp }
            }
            (_, ColumnType::Time { fsp }) if *fsp > 0 => {
                Number::Decimal { precision: 7 + fsp, scale: *fsp }
            }
            (Class::DateTime, _) => Number::Int { unsigned: false, digits: 14 },
            (Class::Date | Class::Time, _) => Number::Int { unsigned: false, digits: 8 },
            (Class::Year, _) => Number::Int { unsigned: true, digits: 4 },
            (Class::Enum, _) => Number::Int { unsigned: true, digits: 5 },
            _ => Number::Double,
        },
    }
}

/// The column type of a kind of number.
pub(in crate::analytic) fn number_type(number: Number) -> ColumnType {
    match number {
        Number::Int { unsigned: true, .. } => BIGINT_UNSIGNED,
        Number::Int { .. } => BIGINT,
        Number::Decimal { precision, scale } => ColumnType::Decimal { precision, scale },
        Number::Double => ColumnType::Double,
    }
}

/// The expression as the number it counts as.
pub(in crate::analytic) fn as_number(typed: &Typed, zone: Zone) -> Typed {
    if let Some(number) = digits_literal(typed) {
        return Typed::literal(BIGINT_UNSIGNED, Value::UInt(number));
    }
    let number = number_of(typed);
    match &typed.kind {
        Kind::Of(ColumnType::Int { .. } | ColumnType::Decimal { .. } | ColumnType::Double) => {
            typed.clone()
        }
        _ => cast(&value_form(typed), &number_type(number), zone),
    }
}

/// The number that a hexadecimal or bit literal is.
pub(in crate::analytic) fn digits_literal(typed: &Typed) -> Option<u64> {
    match (&typed.kind, &typed.constant) {
        (Kind::Of(ColumnType::Binary { .. }), Some(Value::Bytes(bytes))) if bytes.len() <= 8 => {
            Some(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
        }
        _ => None,
    }
}

/// DECIMAL with digits within MySQL's limits.
pub(in crate::analytic) fn decimal_type(precision: u32, scale: u32) -> ColumnType {
    let scale = scale.min(u32::from(Decimal::SCALE_MAX)) as u8;
    let precision = precision.clamp(u32::from(scale).max(1), u32::from(Decimal::PRECISION_MAX));
    ColumnType::Decimal { precision: precision as u8, scale }
}

fn decimal_result(operation: Operation, left: Number, right: Number) -> ColumnType {
    let ((p, s), (q, t)) = (left.digits(), right.digits());
    let (p, s, q, t) = (u32::from(p), u32::from(s), u32::from(q), u32::from(t));
    match operation {
        Operation::Add | Operation::Subtract => {
            decimal_type((p - s).max(q - t) + s.max(t) + 1, s.max(t))
        }
        Operation::Multiply => decimal_type(p + q, s + t),
        Operation::Divide => {
            let scale = s + u32::from(DIVISION_DIGITS);
            decimal_type(p + t + u32::from(DIVISION_DIGITS), scale)
        }
        Operation::Whole | Operation::Remainder => decimal_type(p.max(q), s.max(t)),
    }
}

/// `left operation right`.
pub(in crate::analytic) fn arithmetic(
    operation: Operation,
    left: &Typed,
    right: &Typed,
    zone: Zone,
) -> Result<Typed> {
    let (a, b) = (number_of(left), number_of(right));
    let double = a == Number::Double || b == Number::Double;
    let whole = matches!((a, b), (Number::Int { .. }, Number::Int { .. }));
    let may_be_null = left.nullable
        || right.nullable
        || matches!(operation, Operation::Divide | Operation::Whole | Operation::Remainder);
    let (left, right) = (as_number(left, zone), as_number(right, zone));
    if operation == Operation::Whole && !whole {
        return Ok(whole_quotient(&left, &right));
    }
    if double {
        let (left, right) =
            (cast(&left, &ColumnType::Double, zone), cast(&right, &ColumnType::Double, zone));
        let function = Arithmetic::new(operation, Numbers::Double);
        let out = Typed::value(
            call(function, vec![left.expr, right.expr]),
            ColumnType::Double,
            may_be_null,
        );
        return Ok(out);
    }
    if whole && operation != Operation::Divide {
        let unsigned = match (a, b) {
            (Number::Int { unsigned: left, .. }, _) if operation == Operation::Remainder => left,
            (Number::Int { unsigned: a, .. }, Number::Int { unsigned: b, .. }) => a || b,
            _ => false,
        };
        let numbers = if unsigned { Numbers::Unsigned } else { Numbers::Signed };
        let ty = if unsigned { BIGINT_UNSIGNED } else { BIGINT };
        let expr = call(Arithmetic::new(operation, numbers), vec![left.expr, right.expr]);
        return Ok(Typed::value(expr, ty, may_be_null));
    }
    let ty = decimal_result(operation, a, b);
    Ok(Typed::value(decimal_call(operation, &left, &right, &ty), ty, may_be_null))
}

fn decimal_call(
    operation: Operation,
    left: &Typed,
    right: &Typed,
    ty: &ColumnType,
) -> datafusion::logical_expr::Expr {
    let ColumnType::Decimal { precision, scale } = *ty else {
        unreachable!("decimal arithmetic gives a DECIMAL")
    };
    let function = RowFunction::new(
        operation.sign(),
        "decimal",
        vec![left.ty(), right.ty()],
        Some(ty.clone()),
        false,
        Arc::new(move |args| {
            let (Some(left), Some(right)) = (decimal_of(args[0]), decimal_of(args[1])) else {
                return Ok(Value::Null);
            };
            let result = match operation {
                Operation::Add => left.checked_add(right),
                Operation::Subtract => left.checked_sub(right),
                Operation::Multiply => left.checked_mul(right),
                _ if right.is_zero() => return Ok(Value::Null),
                Operation::Divide => left.checked_div(right, scale),
                Operation::Whole => left.checked_div(right, 0),
                Operation::Remainder => left.checked_rem(right),
            };
            let sign = operation.sign();
            let out_of_range =
                || SqlError::new(1690, format!("DECIMAL value is out of range in '{sign}'"));
            let result = result.and_then(|value| value.rescale(scale)).ok_or_else(out_of_range)?;
            if result.whole_digits() > precision - scale && precision == Decimal::PRECISION_MAX {
                return Err(out_of_range());
            }
            Ok(Value::Decimal(result))
        }),
    );
    call(function, vec![left.expr.clone(), right.expr.clone()])
}

/// DIV of anything but two integers: the quotient without its fraction, as an integer.
fn whole_quotient(left: &Typed, right: &Typed) -> Typed {
    let function = RowFunction::new(
        "DIV",
        "mixed",
        vec![left.ty(), right.ty()],
        Some(BIGINT),
        false,
        Arc::new(|args| {
            if args.iter().any(Datum::is_null) {
                return Ok(Value::Null);
            }
            let out_of_range = || SqlError::new(1690, "BIGINT value is out of range in 'DIV'");
            if let (Some(left), Some(right)) = (decimal_of(args[0]), decimal_of(args[1])) {
                if right.is_zero() {
                    return Ok(Value::Null);
                }
                // A quotient with a few more digits, cut off: rounding must not carry over.
                let quotient = left.checked_div(right, 20).and_then(|value| value.truncate(0));
                let whole = quotient.and_then(Decimal::to_i64).ok_or_else(out_of_range)?;
                return Ok(Value::Int(whole));
            }
            let (left, right) = (double_of(args[0]), double_of(args[1]));
            if right == 0.0 {
                return Ok(Value::Null);
            }
            let quotient = (left / right).trunc();
            if quotient.abs() >= 9.3e18 {
                return Err(out_of_range());
            }
            Ok(Value::Int(quotient as i64))
        }),
    );
    let expr = call(function, vec![left.expr.clone(), right.expr.clone()]);
    Typed::value(expr, BIGINT, true)
}

/// An exact number as DECIMAL.
pub(in crate::analytic) fn decimal_of(datum: Datum<'_>) -> Option<Decimal> {
    match datum {
        Datum::Int(value) => Some(Decimal::from_i128(i128::from(value), 0)),
        Datum::UInt(value) => Some(Decimal::from_i128(i128::from(value), 0)),
        Datum::Decimal(value) => Some(value),
        _ => None,
    }
}

fn double_of(datum: Datum<'_>) -> f64 {
    match datum {
        Datum::Int(value) => value as f64,
        Datum::UInt(value) => value as f64,
        Datum::Double(value) => value,
        Datum::Float(value) => f64::from(value),
        Datum::Decimal(value) => value.to_f64(),
        _ => 0.0,
    }
}

/// `-operand`.
pub(in crate::analytic) fn negative(operand: &Typed, zone: Zone) -> Result<Typed> {
    if let Some(value) = &operand.constant {
        let negated = match value {
            Value::Int(v) => v.checked_neg().map(|v| (BIGINT, Value::Int(v))),
            Value::UInt(v) => i64::try_from(-i128::from(*v)).ok().map(|v| (BIGINT, Value::Int(v))),
            Value::Double(v) => Some((ColumnType::Double, Value::Double(-v))),
            Value::Decimal(v) => Some((operand.ty(), Value::Decimal(v.negate()))),
            Value::Null => return Ok(operand.clone()),
            _ => None,
        };
        if let Some((ty, value)) = negated {
            return Ok(Typed::literal(ty, value));
        }
    }
    let zero = Typed::literal(BIGINT, Value::Int(0));
    let signed = match number_of(operand) {
        Number::Int { unsigned: true, .. } => {
            let mut typed = as_number(operand, zone);
            typed.kind = Kind::Of(BIGINT);
            let expr = call(
                Arithmetic::new(Operation::Subtract, Numbers::Signed),
                vec![zero.expr, typed.expr],
            );
            return Ok(Typed::value(expr, BIGINT, operand.nullable));
        }
        _ => operand,
    };
    arithmetic(Operation::Subtract, &zero, signed, zone)
}
