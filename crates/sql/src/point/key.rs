//! Values as keys: what an index is asked for when a column is compared with a value.
//!
//! Invariants
//! 1. `Exact` only when the comparison of `expression` and the order of the key agree on every
//!    row; else the condition stays with the filter and the index is not narrowed by it.
//!
//! Not here: bytes of keys (`rows::key`).

use std::ops::Bound;

use rows::convert::convert;
use rows::datum::{Datum, Value};
use rows::temporal::Zone;
use rows::types::{Collation, ColumnType, IntWidth};

use crate::expression::Number;

/// What a value is as a key of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyValue {
    /// Equal rows have this key, and only they.
    Exact(Value),
    /// No row can be equal.
    Nothing,
    /// The index does not know.
    Unusable,
}

/// A bound as a key.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyBound {
    /// The bound.
    Exact(Bound<Value>),
    /// No row is within it.
    Nothing,
    /// The index does not know.
    Unusable,
}

/// The ends of an integer column's range.
fn int_range(width: IntWidth, unsigned: bool) -> (i128, i128) {
    match unsigned {
        true => (0, width.unsigned_max().into()),
        false => (width.min().into(), width.max().into()),
    }
}

fn int_value(value: i128, unsigned: bool) -> Value {
    if unsigned { Value::UInt(value as u64) } else { Value::Int(value as i64) }
}

/// The whole number at or below a number, and whether it is the number itself.
fn floor(number: Number) -> Option<(i128, bool)> {
    match number {
        Number::Int(v) => Some((i128::from(v), true)),
        Number::UInt(v) => Some((i128::from(v), true)),
        Number::Decimal(v) => {
            let cut = v.truncate(0)?;
            let whole = cut.to_i128()?;
            if cut == v {
                Some((whole, true))
            } else {
                Some((whole - i128::from(v.is_negative()), false))
            }
        }
        Number::Double(v) if v.is_finite() => {
            // Beyond 2^53 a double stands for several whole numbers.
            let exact = v.abs() < 9_007_199_254_740_992.0;
            exact.then(|| (v.floor() as i128, v.fract() == 0.0))
        }
        Number::Double(_) => None,
    }
}

/// The key that rows equal to `datum` have. `rule` is the comparison's collation.
pub fn equal_key(ty: &ColumnType, datum: Datum<'_>, rule: Collation, zone: Zone) -> KeyValue {
    if datum.is_null() {
        return KeyValue::Nothing;
    }
    match ty {
        ColumnType::Int { width, unsigned, .. } => {
            if let (Datum::Int(v), false) = (datum, *unsigned)
                && *width == IntWidth::Big
            {
                return KeyValue::Exact(Value::Int(v));
            }
            let Some((number, _)) = Number::of(datum, zone) else { return KeyValue::Nothing };
            let Some((whole, itself)) = floor(number) else { return KeyValue::Unusable };
            let (min, max) = int_range(*width, *unsigned);
            if !itself || whole < min || whole > max {
                return KeyValue::Nothing;
            }
            KeyValue::Exact(int_value(whole, *unsigned))
        }
        ColumnType::Char { collation, .. }
        | ColumnType::VarChar { collation, .. }
        | ColumnType::Text { collation, .. } => match datum {
            Datum::Bytes(text) if rule == *collation && std::str::from_utf8(text).is_ok() => {
                KeyValue::Exact(Value::Bytes(text.to_vec()))
            }
            _ => KeyValue::Unusable,
        },
        ColumnType::VarBinary { .. } | ColumnType::Blob { .. } => match datum {
            Datum::Bytes(bytes) => KeyValue::Exact(Value::Bytes(bytes.to_vec())),
            _ => KeyValue::Unusable,
        },
        ColumnType::Binary { bytes: length } => match datum {
            Datum::Bytes(bytes) if bytes.len() == *length as usize => {
                KeyValue::Exact(Value::Bytes(bytes.to_vec()))
            }
            Datum::Bytes(_) => KeyValue::Nothing,
            _ => KeyValue::Unusable,
        },
        ColumnType::Enum { .. } => match datum {
            Datum::Bytes(_) if rule == Collation::Binary => KeyValue::Unusable,
            _ => converted(ty, datum, zone, KeyValue::Nothing),
        },
        ColumnType::Decimal { .. } => match datum {
            Datum::Int(_) | Datum::UInt(_) | Datum::Decimal(_) => {
                converted(ty, datum, zone, KeyValue::Nothing)
            }
            _ => KeyValue::Unusable,
        },
        ColumnType::Double => match Number::of(datum, zone) {
            Some((number @ (Number::Double(_) | Number::Int(_)), _)) => {
                KeyValue::Exact(Value::Double(number.to_f64()))
            }
            _ => KeyValue::Unusable,
        },
        ColumnType::Date
        | ColumnType::DateTime { .. }
        | ColumnType::Timestamp { .. }
        | ColumnType::Time { .. } => match datum {
            Datum::Bytes(_)
            | Datum::Date(_)
            | Datum::DateTime(_)
            | Datum::Timestamp(_)
            | Datum::Time(_) => converted(ty, datum, zone, KeyValue::Unusable),
            _ => KeyValue::Unusable,
        },
        ColumnType::Year => match datum {
            Datum::Int(1901..=2155) | Datum::UInt(1901..=2155) => {
                converted(ty, datum, zone, KeyValue::Nothing)
            }
            _ => KeyValue::Unusable,
        },
        ColumnType::Float | ColumnType::Json => KeyValue::Unusable,
    }
}

/// The value of the column's domain, if it is the same value.
fn converted(ty: &ColumnType, datum: Datum<'_>, zone: Zone, otherwise: KeyValue) -> KeyValue {
    let converted = convert(ty, datum, zone);
    if converted.issue.is_none() && !converted.note {
        KeyValue::Exact(converted.value)
    } else {
        otherwise
    }
}

/// The key of a lower bound (`low`) or an upper one.
pub fn bound_key(
    ty: &ColumnType,
    datum: Datum<'_>,
    inclusive: bool,
    low: bool,
    rule: Collation,
    zone: Zone,
) -> KeyBound {
    if datum.is_null() {
        return KeyBound::Nothing;
    }
    if let ColumnType::Int { width, unsigned, .. } = ty {
        let Some((number, _)) = Number::of(datum, zone) else { return KeyBound::Nothing };
        let Some((whole, itself)) = floor(number) else { return KeyBound::Unusable };
        let (min, max) = int_range(*width, *unsigned);
        // x > 1.5 is x > 1, x >= 1.5 too; x < 1.5 is x <= 1.
        let (value, inclusive) = match (itself, low) {
            (true, _) => (whole, inclusive),
            (false, true) => (whole, false),
            (false, false) => (whole, true),
        };
        let bound = |value| {
            let value = int_value(value, *unsigned);
            if inclusive { Bound::Included(value) } else { Bound::Excluded(value) }
        };
        return match (low, value < min, value > max) {
            (true, true, _) | (false, _, true) => KeyBound::Exact(Bound::Unbounded),
            (true, _, true) | (false, true, _) => KeyBound::Nothing,
            _ => KeyBound::Exact(bound(value)),
        };
    }
    // An ENUM compares by its word but is kept by its number.
    if matches!(ty, ColumnType::Enum { .. } | ColumnType::Binary { .. }) {
        return KeyBound::Unusable;
    }
    match equal_key(ty, datum, rule, zone) {
        KeyValue::Exact(value) if inclusive => KeyBound::Exact(Bound::Included(value)),
        KeyValue::Exact(value) => KeyBound::Exact(Bound::Excluded(value)),
        _ => KeyBound::Unusable,
    }
}

/// The text that all matches of a LIKE pattern begin with, and whether the pattern is that text
/// and nothing more.
pub fn like_prefix(pattern: &[u8], escape: Option<char>) -> (Vec<u8>, bool) {
    let mut prefix = Vec::new();
    let Ok(text) = std::str::from_utf8(pattern) else { return (prefix, false) };
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let mut character = character;
        if Some(character) == escape {
            match characters.next() {
                Some(next) => character = next,
                None => return (prefix, false),
            }
        } else if character == '%' || character == '_' {
            return (prefix, false);
        }
        let mut buffer = [0; 4];
        prefix.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
    }
    (prefix, true)
}
