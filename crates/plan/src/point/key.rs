//! Values as keys: what an index is asked for when a column is compared with a value.
//!
//! Invariants
//! 1. `Exact` only when the comparison of `expression` and the order of the key agree on every
//!    row; else the condition stays with the filter and the index is not narrowed by it.
//!
//! Not here: bytes of keys (`values::key`).

use std::cmp::Ordering;
use std::ops::Bound;

use expression::{BIGINT_UNSIGNED, Number, UNTYPED, compare, time_of_whole};
use values::convert::convert;
use values::datum::{Datum, Value};
use values::key::trim_spaces;
use values::temporal::Zone;
use values::types::{Collation, ColumnType, IntWidth};

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
            Datum::Bytes(text)
                if rule.orders_as(*collation) && std::str::from_utf8(text).is_ok() =>
            {
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
        ColumnType::Enum { values, .. } => match datum {
            // The value of what is no word looks like a word that is empty.
            _ if is_empty_word(datum, zone) => {
                match values.iter().any(|word| trim_spaces(word.as_bytes()).is_empty()) {
                    true => KeyValue::Unusable,
                    false => KeyValue::Exact(Value::Enum(0)),
                }
            }
            Datum::Bytes(_) if rule == Collation::Binary => KeyValue::Unusable,
            // Of this very type.
            Datum::Enum(number) => KeyValue::Exact(Value::Enum(number)),
            // '1' is no number here, as it is where it is stored.
            _ => match nearest(ty, datum, rule, zone) {
                Some((value, Ordering::Equal)) => KeyValue::Exact(value),
                _ => KeyValue::Nothing,
            },
        },
        ColumnType::Set { values, collation } => match datum {
            // Of this very type.
            Datum::Set(members) => KeyValue::Exact(Value::Set(members)),
            // Two values with one text, or members that the comparison does not tell apart.
            Datum::Bytes(_)
                if rule != *collation
                    || values.iter().any(|word| trim_spaces(word.as_bytes()).is_empty()) =>
            {
                KeyValue::Unusable
            }
            _ => match nearest(ty, datum, rule, zone) {
                Some((value, Ordering::Equal)) => KeyValue::Exact(value),
                _ => KeyValue::Nothing,
            },
        },
        ColumnType::Bit { .. } => match equal_key(&BIGINT_UNSIGNED, datum, rule, zone) {
            KeyValue::Exact(Value::UInt(number)) if number > ty.bits_max() => KeyValue::Nothing,
            other => other,
        },
        ColumnType::Decimal { .. } => match datum {
            Datum::Int(_) | Datum::UInt(_) | Datum::Decimal(_) => {
                converted(ty, datum, zone, KeyValue::Nothing)
            }
            _ => KeyValue::Unusable,
        },
        ColumnType::Double(_) => match compared_as_double(datum, zone) {
            Some(number) => KeyValue::Exact(Value::Double(number)),
            None => KeyValue::Unusable,
        },
        ColumnType::Float(_) => match compared_as_double(datum, zone) {
            Some(number) if f64::from(number as f32) == number => {
                KeyValue::Exact(Value::Float(number as f32))
            }
            Some(_) => KeyValue::Nothing,
            None => KeyValue::Unusable,
        },
        ColumnType::Date
        | ColumnType::DateTime { .. }
        | ColumnType::Timestamp { .. }
        | ColumnType::Time { .. } => match nearest(ty, datum, rule, zone) {
            Some((value, Ordering::Equal)) => KeyValue::Exact(value),
            Some(_) => KeyValue::Nothing,
            None => KeyValue::Unusable,
        },
        ColumnType::Year => match datum {
            Datum::Year(year) => KeyValue::Exact(Value::Year(year)),
            Datum::Int(1901..=2155) | Datum::UInt(1901..=2155) => {
                converted(ty, datum, zone, KeyValue::Nothing)
            }
            _ => KeyValue::Unusable,
        },
        ColumnType::Json => KeyValue::Unusable,
    }
}

/// Whether the empty value of an ENUM equals it, as an empty text or as 0.
fn is_empty_word(datum: Datum<'_>, zone: Zone) -> bool {
    match datum {
        Datum::Bytes(text) => trim_spaces(text).is_empty(),
        Datum::Int(_) | Datum::UInt(_) | Datum::Decimal(_) | Datum::Float(_) | Datum::Double(_) => {
            Number::of(datum, zone).and_then(|(number, _)| floor(number)) == Some((0, true))
        }
        _ => false,
    }
}

/// What a FLOAT or DOUBLE column compares with, if that is a number to it.
fn compared_as_double(datum: Datum<'_>, zone: Zone) -> Option<f64> {
    let is_number = matches!(
        datum,
        Datum::Int(_)
            | Datum::UInt(_)
            | Datum::Decimal(_)
            | Datum::Double(_)
            | Datum::Float(_)
            | Datum::Bytes(_)
    );
    let (number, _) = Number::of(datum, zone).filter(|_| is_number)?;
    Some(number.to_f64()).filter(|number| number.is_finite())
}

/// A bound of a FLOAT column, whose values lie apart: between two of them it is at the next one.
fn float_bound(number: f64, inclusive: bool, low: bool) -> KeyBound {
    let nearest = number as f32;
    if !nearest.is_finite() {
        return KeyBound::Unusable;
    }
    let apart = f64::from(nearest) - number;
    let inclusive = match apart {
        0.0 => inclusive,
        // Above it: x > number is x >= nearest, x < number is x < nearest.
        _ if apart > 0.0 => low,
        _ => !low,
    };
    let value = Value::Float(nearest);
    KeyBound::Exact(if inclusive { Bound::Included(value) } else { Bound::Excluded(value) })
}

/// The value of the column's domain that is the nearest, and on which side of `datum` it is: there
/// is no other between the two. `None` where nothing of the kind is known.
fn nearest(
    ty: &ColumnType,
    datum: Datum<'_>,
    rule: Collation,
    zone: Zone,
) -> Option<(Value, Ordering)> {
    let is_alike = match (ty, datum) {
        // What says no time is compared with the texts of times.
        (ColumnType::Time { .. }, Datum::Bytes(text)) => time_of_whole(text).is_some(),
        (ColumnType::Enum { .. } | ColumnType::Set { .. }, _) | (_, Datum::Bytes(_)) => true,
        // Which day a time is of depends on the statement.
        (ColumnType::Time { .. }, _) => matches!(datum, Datum::Time(_)),
        _ => matches!(datum, Datum::Date(_) | Datum::DateTime(_) | Datum::Timestamp(_)),
    };
    if !is_alike {
        return None;
    }
    let converted = convert(ty, datum, zone);
    if converted.issue.is_some() {
        return None;
    }
    let side = compare((converted.value.as_datum(), ty), (datum, &UNTYPED), rule, zone)?;
    Some((converted.value, side))
}

/// The same of a BINARY column: no value of its length is between the two.
fn nearest_binary(bytes: &[u8], length: usize) -> (Value, Ordering) {
    let mut value = bytes.to_vec();
    value.resize(length, 0);
    let side = value.as_slice().cmp(bytes);
    (Value::Bytes(value), side)
}

/// A bound between two values of the column's domain is at the nearest one.
fn nearest_bound((value, side): (Value, Ordering), inclusive: bool, low: bool) -> KeyBound {
    let inclusive = match side {
        Ordering::Equal => inclusive,
        // x > bound is x >= value, x < bound is x < value.
        Ordering::Greater => low,
        Ordering::Less => !low,
    };
    KeyBound::Exact(if inclusive { Bound::Included(value) } else { Bound::Excluded(value) })
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
    if matches!(ty, ColumnType::Float(_)) {
        return match compared_as_double(datum, zone) {
            Some(number) => float_bound(number, inclusive, low),
            None => KeyBound::Unusable,
        };
    }
    if matches!(ty, ColumnType::Bit { .. }) {
        return match bound_key(&BIGINT_UNSIGNED, datum, inclusive, low, rule, zone) {
            // Beyond all that it holds, where keys have no bytes.
            KeyBound::Exact(
                Bound::Included(Value::UInt(number)) | Bound::Excluded(Value::UInt(number)),
            ) if number > ty.bits_max() => {
                if low {
                    KeyBound::Nothing
                } else {
                    KeyBound::Exact(Bound::Unbounded)
                }
            }
            other => other,
        };
    }
    // An ENUM or SET compares by its words but is kept by its number.
    if ty.is_listed() {
        return KeyBound::Unusable;
    }
    if let ColumnType::Binary { bytes: length } = ty {
        return match datum {
            Datum::Bytes(bytes) if rule == Collation::Binary => {
                nearest_bound(nearest_binary(bytes, *length as usize), inclusive, low)
            }
            _ => KeyBound::Unusable,
        };
    }
    if matches!(
        ty,
        ColumnType::Date
            | ColumnType::DateTime { .. }
            | ColumnType::Timestamp { .. }
            | ColumnType::Time { .. }
    ) {
        return match nearest(ty, datum, rule, zone) {
            Some(nearest) => nearest_bound(nearest, inclusive, low),
            None => KeyBound::Unusable,
        };
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

#[cfg(test)]
mod tests {
    use std::ops::RangeBounds as _;

    use values::decimal::Decimal;

    use super::*;

    /// Floats around ends and around each other.
    fn floats() -> Vec<f32> {
        let middles = [0.0f32, 0.1, 1.0, 1.5, 16_777_216.0, 3.0e38, 1.0e-40];
        let near = |middle: f32| [middle.next_down(), middle, middle.next_up()];
        middles.into_iter().flat_map(|middle| [near(middle), near(-middle)].concat()).collect()
    }

    #[test]
    fn bounds_of_moments_hold_the_rows_that_the_comparison_finds() {
        let (zone, rule) = (Zone::UTC, Collation::Utf8Mb4GeneralCi);
        let texts = [
            "2024-02-28 23:59:59.6",
            "2024-02-29",
            "2024-02-29 00:00:00.4",
            "2024-02-29 00:00:00.5",
            "2024-02-29 00:00:01",
            "2024-02-29 12:00:00",
            "2024-03-01 00:00:00.000001",
        ];
        let types = [
            ColumnType::Date,
            ColumnType::DateTime { fsp: 0 },
            ColumnType::DateTime { fsp: 3 },
            ColumnType::Timestamp { fsp: 0 },
        ];
        for ty in &types {
            let rows: Vec<Value> = texts
                .iter()
                .map(|text| convert(ty, Datum::Bytes(text.as_bytes()), zone).value)
                .collect();
            let precise = ColumnType::DateTime { fsp: 6 };
            let moments: Vec<Value> = texts
                .iter()
                .map(|text| convert(&precise, Datum::Bytes(text.as_bytes()), zone).value)
                .collect();
            let words = texts.iter().map(|text| Datum::Bytes(text.as_bytes()));
            for literal in words.chain(moments.iter().map(Value::as_datum)) {
                for row in &rows {
                    let sides = ((row.as_datum(), ty), (literal, &UNTYPED));
                    let order = compare(sides.0, sides.1, rule, zone).expect("both are values");
                    let is = equal_key(ty, literal, rule, zone) == KeyValue::Exact(row.clone());
                    assert_eq!(is, order == Ordering::Equal, "{ty:?}: {row:?} = {literal:?}");
                    for (inclusive, low) in
                        [(true, true), (true, false), (false, true), (false, false)]
                    {
                        let KeyBound::Exact(bound) =
                            bound_key(ty, literal, inclusive, low, rule, zone)
                        else {
                            panic!("{literal:?} narrows nothing of {ty:?}");
                        };
                        let at = |value: &Value| {
                            let order =
                                compare((row.as_datum(), ty), (value.as_datum(), ty), rule, zone);
                            order.expect("both are values")
                        };
                        let found = match (&bound, low) {
                            (Bound::Included(value), true) => at(value).is_ge(),
                            (Bound::Included(value), false) => at(value).is_le(),
                            (Bound::Excluded(value), true) => at(value).is_gt(),
                            (Bound::Excluded(value), false) => at(value).is_lt(),
                            (Bound::Unbounded, _) => true,
                        };
                        let wanted = match order {
                            Ordering::Equal => inclusive,
                            Ordering::Greater => low,
                            Ordering::Less => !low,
                        };
                        assert_eq!(
                            found, wanted,
                            "{ty:?}: {row:?}, {literal:?}, {inclusive}, {low}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn bounds_of_binary_values_hold_the_rows_that_the_comparison_finds() {
        let (zone, rule, ty) = (Zone::UTC, Collation::Binary, &ColumnType::Binary { bytes: 2 });
        let rows = ["\0\0", "a\0", "ab", "b\0", "ba"];
        let literals = ["", "\0", "a", "a\0", "a\0\0", "ab", "abc", "b", "ba", "zz"];
        for literal in literals.map(|text| Datum::Bytes(text.as_bytes())) {
            for row in rows.map(|text| Datum::Bytes(text.as_bytes())) {
                let order = compare((row, ty), (literal, ty), rule, zone).expect("both are values");
                for (inclusive, low) in [(true, true), (true, false), (false, true), (false, false)]
                {
                    let KeyBound::Exact(bound) = bound_key(ty, literal, inclusive, low, rule, zone)
                    else {
                        panic!("{literal:?} narrows nothing");
                    };
                    let Datum::Bytes(row) = row else { panic!("{row:?} is no text") };
                    let key = Value::Bytes(row.to_vec());
                    let found = match (&bound, low) {
                        (Bound::Included(value), true) => bytes(&key) >= bytes(value),
                        (Bound::Included(value), false) => bytes(&key) <= bytes(value),
                        (Bound::Excluded(value), true) => bytes(&key) > bytes(value),
                        (Bound::Excluded(value), false) => bytes(&key) < bytes(value),
                        (Bound::Unbounded, _) => true,
                    };
                    let wanted = match order {
                        Ordering::Equal => inclusive,
                        Ordering::Greater => low,
                        Ordering::Less => !low,
                    };
                    assert_eq!(found, wanted, "{row:?}, {literal:?}, {inclusive}, {low}");
                }
            }
        }
    }

    fn bytes(value: &Value) -> &[u8] {
        match value {
            Value::Bytes(bytes) => bytes,
            other => panic!("{other:?} is no text"),
        }
    }

    #[test]
    fn bounds_of_floats_hold_the_rows_that_the_comparison_finds() {
        let (zone, rule) = (Zone::UTC, Collation::Binary);
        let doubles = floats().into_iter().map(f64::from);
        let near = doubles.flat_map(|v| [v.next_down(), v, v.next_up(), v * 1.1]);
        let mut literals: Vec<Datum<'_>> = near.map(Datum::Double).collect();
        literals.extend([Datum::Int(0), Datum::Int(16_777_217), Datum::Int(i64::MIN)]);
        literals.extend([Datum::UInt(u64::MAX), Datum::Bytes(b"1.5"), Datum::Bytes(b"0.1")]);
        literals.extend([1, 15, -15, 20].map(|v| Datum::Decimal(Decimal::from_i128(v, 1))));
        let ty = &ColumnType::Float(None);
        let mut narrowed = 0;
        for literal in literals {
            for row in floats() {
                let order = compare((Datum::Float(row), ty), (literal, ty), rule, zone);
                let order = order.expect("both are values");
                let is = match equal_key(ty, literal, rule, zone) {
                    KeyValue::Exact(value) => {
                        value == Value::Float(row) || row == 0.0 && value == Value::Float(-row)
                    }
                    KeyValue::Nothing => false,
                    KeyValue::Unusable => continue,
                };
                assert_eq!(is, order == Ordering::Equal, "{row} = {literal:?}");
                for (inclusive, low) in [(true, true), (true, false), (false, true), (false, false)]
                {
                    let KeyBound::Exact(bound) = bound_key(ty, literal, inclusive, low, rule, zone)
                    else {
                        continue;
                    };
                    let bound = bound.map(|value| match value {
                        Value::Float(value) => value,
                        other => panic!("{other:?} is no float"),
                    });
                    let range =
                        if low { (bound, Bound::Unbounded) } else { (Bound::Unbounded, bound) };
                    let wanted = match order {
                        Ordering::Equal => inclusive,
                        Ordering::Greater => low,
                        Ordering::Less => !low,
                    };
                    assert_eq!(
                        range.contains(&row),
                        wanted,
                        "{row}, {literal:?}, {inclusive}, {low}"
                    );
                    narrowed += 1;
                }
            }
        }
        assert!(narrowed > 10_000, "{narrowed}");
    }
}
