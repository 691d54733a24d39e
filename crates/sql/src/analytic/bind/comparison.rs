//! Comparisons: which common form two operands are compared in, and the expression for it.
//!
//! | one side        | other side        | compared as                                        |
//! |-----------------|-------------------|----------------------------------------------------|
//! | text            | text              | text, under the firmer side's collation            |
//! | bytes           | text or bytes     | bytes                                              |
//! | number          | number            | integer, decimal or double, whichever holds both   |
//! | date or time    | anything constant | the column's type, if the constant converts        |
//! | date            | date of other kind| DATETIME                                           |
//! | text            | number            | double                                             |
//!
//! Invariants
//! 1. A comparison of a column with a constant keeps the column bare and the constant a literal
//!    of the column's own Arrow type, so that `scan::ranges` can make an index range of it.
//!
//! Not here: IN with a list (`predicates`), LIKE.

use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use rows::convert::{self, Issue};
use rows::datum::Value;
use rows::temporal::Zone;
use rows::types::{Collation, ColumnType};

use super::super::columns::{Class, class_of, collation_of};
use super::super::kernels::{CollationKey, TextComparison};
use super::arithmetic::{Number, as_number, decimal_type, digits_literal, number_of};
use super::cast::{call, cast, value_form};
use super::typed::{BIGINT, BIGINT_UNSIGNED, Kind, Typed};

/// `left op right`.
pub(in crate::analytic) fn compare(op: Operator, left: &Typed, right: &Typed, zone: Zone) -> Typed {
    if left.is_null() || right.is_null() {
        return Typed::known_truth(None);
    }
    if left.constant.is_some() && right.constant.is_none() {
        let swapped = op.swap().unwrap_or(op);
        return compare(swapped, right, left, zone);
    }
    let nullable = left.nullable || right.nullable;
    let (left, right, common) = common_form(left, right, zone);
    match common {
        Common::Same => Typed::truth(binary(left.expr, op, right.expr), nullable),
        Common::Text(collation) => Typed::truth(text(op, &left, &right, collation), nullable),
    }
}

fn binary(left: Expr, op: Operator, right: Expr) -> Expr {
    Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right)))
}

fn text(op: Operator, left: &Typed, right: &Typed, collation: Collation) -> Expr {
    if right.constant.is_some() {
        let function = TextComparison::new(op, collation);
        return call(function, vec![left.expr.clone(), right.expr.clone()]);
    }
    // Keys of both sides let DataFusion hash-join on them.
    let key = |side: &Typed| call(CollationKey::new(collation), vec![side.expr.clone()]);
    binary(key(left), op, key(right))
}

/// How two operands compare once converted.
pub(in crate::analytic) enum Common {
    /// As Arrow values of one type.
    Same,
    /// As text under a collation.
    Text(Collation),
}

/// Converts two operands to what they are compared as.
pub(in crate::analytic) fn common_form(
    left: &Typed,
    right: &Typed,
    zone: Zone,
) -> (Typed, Typed, Common) {
    let (left, right) = (value_form(left), value_form(right));
    let (a, b) = (left.ty(), right.ty());
    let (left_class, right_class) = (class_of(&a), class_of(&b));
    if left_class.is_string() && right_class.is_string() {
        let common = match common_collation(&left, &right) {
            Collation::Binary => Common::Same,
            collation => Common::Text(collation),
        };
        return (left, right, common);
    }
    // 0x41 is a number beside anything but a text.
    let (left, right) = match (left_class.is_string(), right_class.is_string()) {
        (false, true) if digits_literal(&right).is_some() => {
            let right = as_number(&right, zone);
            (left, right)
        }
        (true, false) if digits_literal(&left).is_some() => (as_number(&left, zone), right),
        _ => (left, right),
    };
    let (left_class, right_class) = (class_of(&left.ty()), class_of(&right.ty()));
    if left_class == Class::Enum || right_class == Class::Enum {
        return enum_form(&left, &right, zone);
    }
    let temporal = |class: Class| class.is_dated() || class == Class::Time;
    if temporal(left_class) || temporal(right_class) {
        return temporal_form(&left, &right, zone);
    }
    number_form(&left, &right, zone)
}

/// The collation under which two texts are compared: the firmer side's; of two equally firm the
/// binary one.
pub(in crate::analytic) fn common_collation(left: &Typed, right: &Typed) -> Collation {
    let (a, b) = (collation_of(&left.ty()), collation_of(&right.ty()));
    if a == b {
        return a;
    }
    if a == Collation::Binary || b == Collation::Binary {
        return Collation::Binary;
    }
    match left.firmness.cmp(&right.firmness) {
        std::cmp::Ordering::Less => a,
        std::cmp::Ordering::Greater => b,
        std::cmp::Ordering::Equal => Collation::Utf8Mb4Bin,
    }
}

/// A constant as a value of the column's type, when nothing is lost on the way.
fn exactly(column: &ColumnType, constant: &Typed, zone: Zone) -> Option<Typed> {
    let value = constant.constant.as_ref()?;
    let converted = convert::convert(column, value.as_datum(), zone);
    if converted.issue.is_some() || converted.note {
        return None;
    }
    // A number that was rounded to the column's scale is another number.
    let back = convert::convert(&constant.ty(), converted.value.as_datum(), zone);
    let same = back.value == *value || class_of(&constant.ty()).is_string();
    same.then(|| Typed::literal(column.clone(), converted.value))
}

fn number_form(left: &Typed, right: &Typed, zone: Zone) -> (Typed, Typed, Common) {
    if right.constant.is_some()
        && left.constant.is_none()
        && (class_of(&left.ty()) != Class::Real || class_of(&right.ty()) != Class::Int)
        && class_of(&left.ty()).is_number()
        && !matches!(left.ty(), ColumnType::Float)
        && let Some(literal) = exactly(&left.ty(), right, zone)
    {
        return (left.clone(), literal, Common::Same);
    }
    let common = match (number_of(left), number_of(right)) {
        (Number::Double, _) | (_, Number::Double) => ColumnType::Double,
        (Number::Int { unsigned: a, .. }, Number::Int { unsigned: b, .. }) if a == b => {
            if a {
                BIGINT_UNSIGNED
            } else {
                BIGINT
            }
        }
        (Number::Int { .. }, Number::Int { .. }) => decimal_type(20, 0),
        (a, b) => {
            let ((p, s), (q, t)) = (exact_digits(a), exact_digits(b));
            let scale = s.max(t);
            decimal_type((p - s).max(q - t) + scale, scale)
        }
    };
    (cast(left, &common, zone), cast(right, &common, zone), Common::Same)
}

/// Digits that hold every number of the kind.
fn exact_digits(number: Number) -> (u32, u32) {
    match number {
        Number::Decimal { precision, scale } => (u32::from(precision), u32::from(scale)),
        _ => (20, 0),
    }
}

fn temporal_form(left: &Typed, right: &Typed, zone: Zone) -> (Typed, Typed, Common) {
    let (a, b) = (left.ty(), right.ty());
    let (left_class, right_class) = (class_of(&a), class_of(&b));
    if right.constant.is_some() && left_class != Class::Year {
        if left_class == Class::Date && carries_time(right, zone) {
            let datetime = ColumnType::DateTime { fsp: 6 };
            return (cast(left, &datetime, zone), cast(right, &datetime, zone), Common::Same);
        }
        let wanted = widest(&a);
        if left_class.is_dated() || left_class == Class::Time {
            if right_class.is_number() && left_class == Class::Time {
                return as_doubles(left, right, zone);
            }
            if converts(&wanted, right, zone) {
                return (left.clone(), cast(right, &wanted, zone), Common::Same);
            }
            // What is no date counts as the zero date.
            if right_class.is_string() {
                return (left.clone(), cast(right, &wanted, zone), Common::Same);
            }
        }
    }
    match (left_class, right_class) {
        (Class::Time, Class::Time) | (Class::Date, Class::Date) => {
            (left.clone(), right.clone(), Common::Same)
        }
        (x, y) if x.is_number() || y.is_number() => as_doubles(left, right, zone),
        (Class::Time, y) if y.is_string() => {
            let time = ColumnType::Time { fsp: 6 };
            (left.clone(), cast(right, &time, zone), Common::Same)
        }
        (x, Class::Time) if x.is_string() => {
            let time = ColumnType::Time { fsp: 6 };
            (cast(left, &time, zone), right.clone(), Common::Same)
        }
        _ if matches!(
            (&a, &b),
            (ColumnType::Timestamp { .. }, ColumnType::Timestamp { .. })
                | (ColumnType::DateTime { .. }, ColumnType::DateTime { .. })
        ) =>
        {
            (left.clone(), right.clone(), Common::Same)
        }
        _ => {
            let datetime = ColumnType::DateTime { fsp: 6 };
            (cast(left, &datetime, zone), cast(right, &datetime, zone), Common::Same)
        }
    }
}

/// The type without rounding of fractions: a constant must not be rounded to the column's digits.
fn widest(ty: &ColumnType) -> ColumnType {
    match ty {
        ColumnType::Time { .. } => ColumnType::Time { fsp: 6 },
        ColumnType::DateTime { .. } => ColumnType::DateTime { fsp: 6 },
        ColumnType::Timestamp { .. } => ColumnType::Timestamp { fsp: 6 },
        other => other.clone(),
    }
}

fn converts(ty: &ColumnType, constant: &Typed, zone: Zone) -> bool {
    let Some(value) = &constant.constant else { return false };
    !matches!(
        convert::convert(ty, value.as_datum(), zone).issue,
        Some(Issue::Incorrect { .. } | Issue::OutOfRange)
    )
}

/// Whether a constant compared with a DATE says more than a day.
fn carries_time(constant: &Typed, zone: Zone) -> bool {
    let Some(value) = &constant.constant else { return false };
    match convert::convert(&ColumnType::DateTime { fsp: 6 }, value.as_datum(), zone).value {
        Value::DateTime(moment) => moment.time().micros() != 0,
        _ => false,
    }
}

fn as_doubles(left: &Typed, right: &Typed, zone: Zone) -> (Typed, Typed, Common) {
    let double = ColumnType::Double;
    (cast(left, &double, zone), cast(right, &double, zone), Common::Same)
}

fn enum_form(left: &Typed, right: &Typed, zone: Zone) -> (Typed, Typed, Common) {
    let (a, b) = (left.ty(), right.ty());
    if a == b {
        return (left.clone(), right.clone(), Common::Same);
    }
    let (x, y) = (class_of(&a), class_of(&b));
    if x.is_number() || y.is_number() {
        return number_form(&enum_number(left, zone), &enum_number(right, zone), zone);
    }
    let (left, right) = (enum_text(left, zone), enum_text(right, zone));
    let collation = common_collation(&left, &right);
    match collation {
        Collation::Binary => (left, right, Common::Same),
        collation => (left, right, Common::Text(collation)),
    }
}

fn enum_number(typed: &Typed, zone: Zone) -> Typed {
    match typed.kind {
        Kind::Of(ColumnType::Enum { .. }) => cast(typed, &BIGINT, zone),
        _ => typed.clone(),
    }
}

/// An ENUM as its word; everything else as it is.
pub(in crate::analytic) fn enum_text(typed: &Typed, zone: Zone) -> Typed {
    match &typed.kind {
        Kind::Of(ColumnType::Enum { values, collation }) => {
            let chars = values.iter().map(|word| word.chars().count()).max().unwrap_or(0) as u32;
            let text = ColumnType::VarChar { chars, collation: *collation };
            cast(typed, &text, zone)
        }
        _ => typed.clone(),
    }
}

/// `left <=> right`: NULL equals NULL.
pub(in crate::analytic) fn null_safe_equal(left: &Typed, right: &Typed, zone: Zone) -> Typed {
    let both_null = left.expr.clone().is_null().and(right.expr.clone().is_null());
    if left.is_null() || right.is_null() {
        return Typed::truth(both_null, false);
    }
    let equal = compare(Operator::Eq, left, right, zone);
    let known = Expr::IsTrue(Box::new(equal.expr));
    Typed::truth(known.or(both_null), false)
}
