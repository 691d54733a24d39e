//! The common type of several expressions: of the branches of CASE and IF, the arguments of
//! COALESCE, the columns of a UNION.
//!
//! Invariants
//! 1. Every operand converts to the common type without losing digits, characters or fractions
//!    of a second.
//!
//! Not here: comparisons, which have rules of their own (`comparison`).

use rows::types::{Collation, ColumnType, LobSize};

use super::super::columns::{Class, class_of};
use super::arithmetic::{Number, decimal_type, int_digits, number_of, number_type};
use super::comparison::common_collation;
use super::typed::{Kind, Typed, firmness};

/// The common type, and how firmly it insists on its collation. `Kind::Null` when all are NULL.
pub(in crate::analytic) fn unify<'a>(operands: impl IntoIterator<Item = &'a Typed>) -> (Kind, u8) {
    let mut common: Option<Typed> = None;
    for operand in operands {
        if operand.kind == Kind::Null {
            continue;
        }
        common = Some(match common {
            None => operand.clone(),
            Some(before) => {
                let kind = pair(&before, operand);
                let firmness = before.firmness.min(operand.firmness);
                Typed { kind, firmness, constant: None, ..before }
            }
        });
    }
    match common {
        None => (Kind::Null, firmness::NOTHING),
        Some(typed) => (typed.kind, typed.firmness),
    }
}

fn pair(left: &Typed, right: &Typed) -> Kind {
    if left.kind == right.kind {
        return left.kind.clone();
    }
    let (a, b) = (left.ty(), right.ty());
    let (x, y) = (class_of(&a), class_of(&b));
    if x.is_number() && y.is_number() {
        return Kind::Of(numbers(left, right));
    }
    match (x, y) {
        (Class::Date, Class::Date) => return Kind::Of(ColumnType::Date),
        _ if x.is_dated() && y.is_dated() => {
            return Kind::Of(ColumnType::DateTime { fsp: fsp_of(&a).max(fsp_of(&b)) });
        }
        (Class::Time, Class::Time) => {
            return Kind::Of(ColumnType::Time { fsp: fsp_of(&a).max(fsp_of(&b)) });
        }
        _ => {}
    }
    Kind::Of(texts(left, right))
}

fn numbers(left: &Typed, right: &Typed) -> ColumnType {
    match (number_of(left), number_of(right)) {
        (Number::Double, _) | (_, Number::Double) => ColumnType::Double,
        (Number::Int { unsigned: a, digits: p }, Number::Int { unsigned: b, digits: q }) => {
            if a == b {
                return number_type(Number::Int { unsigned: a, digits: p.max(q) });
            }
            // BIGINT UNSIGNED with a signed number needs a type that holds both.
            let largest = if a { p } else { q };
            if largest < 20 {
                number_type(Number::Int { unsigned: false, digits: p.max(q) })
            } else {
                decimal_type(20, 0)
            }
        }
        (a, b) => {
            let ((p, s), (q, t)) = (digits(a), digits(b));
            let scale = s.max(t);
            decimal_type((p - s).max(q - t) + scale, scale)
        }
    }
}

fn digits(number: Number) -> (u32, u32) {
    match number {
        Number::Int { digits, .. } => (u32::from(digits), 0),
        Number::Decimal { precision, scale } => (u32::from(precision), u32::from(scale)),
        Number::Double => (0, 0),
    }
}

fn fsp_of(ty: &ColumnType) -> u8 {
    match ty {
        ColumnType::Time { fsp } | ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } => {
            *fsp
        }
        _ => 0,
    }
}

fn texts(left: &Typed, right: &Typed) -> ColumnType {
    let (a, b) = (left.ty(), right.ty());
    if a == ColumnType::Json && b == ColumnType::Json {
        return ColumnType::Json;
    }
    let long = |ty: &ColumnType| {
        matches!(ty, ColumnType::Text { .. } | ColumnType::Blob { .. } | ColumnType::Json)
    };
    let binary = class_of(&a) == Class::Binary || class_of(&b) == Class::Binary;
    let collation = text_collation(left, right);
    let chars = text_chars(&a).max(text_chars(&b));
    match (long(&a) || long(&b), binary) {
        (true, true) => ColumnType::Blob { size: LobSize::Long },
        (true, false) => ColumnType::Text { size: LobSize::Long, collation },
        (false, true) => ColumnType::VarBinary { bytes: chars },
        (false, false) => ColumnType::VarChar { chars, collation },
    }
}

fn text_collation(left: &Typed, right: &Typed) -> Collation {
    let is_text = |typed: &Typed| class_of(&typed.ty()) == Class::Text;
    match (is_text(left), is_text(right)) {
        (true, true) => common_collation(left, right),
        (true, false) => super::super::columns::collation_of(&left.ty()),
        (false, true) => super::super::columns::collation_of(&right.ty()),
        (false, false) => Collation::Utf8Mb4GeneralCi,
    }
}

/// The longest text of a type, in characters (bytes for binary strings).
pub(in crate::analytic) fn text_chars(ty: &ColumnType) -> u32 {
    match ty {
        ColumnType::Int { width, unsigned, .. } => u32::from(int_digits(*width, *unsigned)) + 1,
        ColumnType::Float => 12,
        ColumnType::Double => 22,
        ColumnType::Decimal { precision, .. } => u32::from(*precision) + 2,
        ColumnType::Char { chars, .. } | ColumnType::VarChar { chars, .. } => *chars,
        ColumnType::Binary { bytes } | ColumnType::VarBinary { bytes } => *bytes,
        ColumnType::Text { size, .. } | ColumnType::Blob { size } => match size {
            LobSize::Tiny => 255,
            LobSize::Normal => 65_535,
            LobSize::Medium => 16_777_215,
            LobSize::Long => u32::MAX,
        },
        ColumnType::Date => 10,
        ColumnType::Time { fsp } => 10 + u32::from(*fsp) + u32::from(*fsp > 0),
        ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } => {
            19 + u32::from(*fsp) + u32::from(*fsp > 0)
        }
        ColumnType::Year => 4,
        ColumnType::Enum { values, .. } => {
            values.iter().map(|word| word.chars().count() as u32).max().unwrap_or(0)
        }
        ColumnType::Json => u32::MAX,
    }
}
