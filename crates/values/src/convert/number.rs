//! FLOAT, DOUBLE and DECIMAL.

use super::{Converted, Issue};
use crate::datum::{Datum, Value};
use crate::decimal::{Decimal, Fit, is_space, read_exponent, skip_spaces};
use crate::temporal::Zone;
use crate::types::FixedPoint;

/// The number at the beginning of a text and the bytes it takes; `None` if there is none.
fn read_double(text: &[u8]) -> Option<(f64, usize)> {
    let start = skip_spaces(text);
    let sign = usize::from(matches!(text.get(start), Some(b'-' | b'+')));
    let digits = |at: usize| text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = start + sign;
    let whole = digits(at);
    at += whole;
    if text.get(at) == Some(&b'.') {
        let behind = digits(at + 1);
        if whole + behind == 0 {
            return None;
        }
        at += 1 + behind;
    } else if whole == 0 {
        return None;
    }
    at += read_exponent(&text[at..]).map_or(0, |(_, used)| used);
    // Signs, digits, a point and an exponent are ASCII, and what Rust reads as a number.
    let value = std::str::from_utf8(&text[start..at]).ok()?.parse().ok()?;
    Some((value, at))
}

/// The double that a value is, before the column's range is applied.
pub(super) fn double_of(datum: Datum<'_>, zone: Zone) -> Option<f64> {
    let of_time = |number: f64, micros: u32| number + f64::from(micros) / 1e6;
    match datum {
        Datum::Null => None,
        Datum::Int(value) => Some(value as f64),
        Datum::UInt(value) => Some(value as f64),
        Datum::Float(value) => Some(f64::from(value)),
        Datum::Double(value) => Some(value),
        Datum::Decimal(value) => Some(value.to_f64()),
        Datum::Bytes(text) => read_double(text).map(|(value, _)| value),
        Datum::Date(value) => Some(f64::from(value.to_number())),
        Datum::Time(value) => {
            let fraction = value.fraction();
            let number = value.to_number() as f64;
            Some(if value.is_negative() {
                -of_time(-number, fraction)
            } else {
                of_time(number, fraction)
            })
        }
        Datum::DateTime(value) => Some(of_time(value.to_number() as f64, value.micros())),
        Datum::Timestamp(value) => {
            let value = value.to_datetime(zone);
            Some(of_time(value.to_number() as f64, value.micros()))
        }
        Datum::Year(value) | Datum::Enum(value) => Some(f64::from(value)),
        Datum::Set(value) => Some(value as f64),
    }
}

/// A number rounded to its column's digits, as MySQL rounds it: behind the point alone, so that
/// both store the same bits. Beyond the column's range it is the largest of that sign.
///
/// # Errors
/// That largest number.
fn within(value: f64, digits: Option<FixedPoint>, largest: f64) -> Result<f64, f64> {
    let power = |exponent: u8| format!("1e{exponent}").parse().unwrap_or(f64::INFINITY);
    let (value, largest) = match digits {
        None => (value, largest),
        Some(FixedPoint { precision, scale }) => {
            let unit: f64 = power(scale);
            let whole = value.floor();
            let rounded = if value.is_finite() {
                whole + ((value - whole) * unit).round_ties_even() / unit
            } else {
                value
            };
            (rounded, largest.min(power(precision - scale) - 1.0 / unit))
        }
    };
    if value.abs() <= largest { Ok(value) } else { Err(largest.copysign(value)) }
}

/// A FLOAT column's value.
pub(super) fn float(value: Option<f64>, digits: Option<FixedPoint>) -> Converted {
    let Some(value) = value.filter(|value| !value.is_nan()) else {
        return Converted::with(Value::Float(0.0), Issue::Incorrect { what: "FLOAT" });
    };
    let value = match within(value, digits, f64::from(f32::MAX)) {
        Ok(value) => value,
        Err(end) => return Converted::with(Value::Float(end as f32), Issue::OutOfRange),
    };
    // No column holds a negative zero: adding zero makes it positive.
    Converted::clean(Value::Float(value as f32 + 0.0))
}

/// A DOUBLE column's value.
pub(super) fn double(value: Option<f64>, digits: Option<FixedPoint>) -> Converted {
    let Some(value) = value.filter(|value| !value.is_nan()) else {
        return Converted::with(Value::Double(0.0), Issue::Incorrect { what: "DOUBLE" });
    };
    match within(value, digits, f64::MAX) {
        Ok(value) => Converted::clean(Value::Double(value + 0.0)),
        Err(end) => Converted::with(Value::Double(end), Issue::OutOfRange),
    }
}

/// Adds what follows a number to what was found about the number itself.
fn with_rest(mut converted: Converted, rest: &[u8]) -> Converted {
    if converted.issue.is_none() && !rest.iter().all(|byte| is_space(*byte)) {
        converted.issue = Some(Issue::Truncated);
    }
    converted
}

/// A FLOAT of text.
pub(super) fn float_from_text(text: &[u8], digits: Option<FixedPoint>) -> Converted {
    match read_double(text) {
        Some((value, used)) => with_rest(float(Some(value), digits), &text[used..]),
        None => float(None, digits),
    }
}

/// A DOUBLE of text.
pub(super) fn double_from_text(text: &[u8], digits: Option<FixedPoint>) -> Converted {
    match read_double(text) {
        Some((value, used)) => with_rest(double(Some(value), digits), &text[used..]),
        None => double(None, digits),
    }
}

fn decimal(precision: u8, scale: u8, value: Decimal) -> Converted {
    let (value, fit) = value.fit(precision, scale);
    match fit {
        Fit::Exact => Converted::clean(Value::Decimal(value)),
        Fit::Rounded => Converted::noted(Value::Decimal(value), true),
        Fit::OutOfRange => Converted::with(Value::Decimal(value), Issue::OutOfRange),
    }
}

/// A DECIMAL of text.
pub(super) fn decimal_from_text(precision: u8, scale: u8, text: &[u8]) -> Converted {
    let Some(read) = Decimal::read(text) else {
        let zero = decimal(precision, scale, Decimal::ZERO);
        return Converted { issue: Some(Issue::Incorrect { what: "decimal" }), ..zero };
    };
    let mut converted = decimal(precision, scale, read.value);
    converted.note |= read.cut && converted.issue.is_none();
    let garbage = !text[read.used..].iter().all(|byte| is_space(*byte));
    if garbage {
        // Unlike with other numbers, this is said first.
        return Converted { issue: Some(Issue::Truncated), note: false, ..converted };
    }
    converted
}

/// A DECIMAL of anything but NULL and text.
pub(super) fn decimal_from_datum(
    precision: u8,
    scale: u8,
    datum: Datum<'_>,
    zone: Zone,
) -> Converted {
    match datum {
        Datum::Int(value) => decimal(precision, scale, Decimal::from(value)),
        Datum::UInt(value) => decimal(precision, scale, Decimal::from(value)),
        Datum::Decimal(value) => decimal(precision, scale, value),
        Datum::Float(value) => decimal_from_double(precision, scale, f64::from(value)),
        Datum::Double(value) => decimal_from_double(precision, scale, value),
        Datum::Time(value) => {
            let number = of_time(value.to_number(), value.fraction(), value.is_negative());
            decimal(precision, scale, number)
        }
        Datum::DateTime(value) => {
            decimal(precision, scale, of_time(value.to_number() as i64, value.micros(), false))
        }
        Datum::Timestamp(value) => {
            let value = value.to_datetime(zone);
            decimal(precision, scale, of_time(value.to_number() as i64, value.micros(), false))
        }
        _ => {
            let double = double_of(datum, zone).unwrap_or(f64::NAN);
            decimal_from_double(precision, scale, double)
        }
    }
}

/// The digits of a time as a number, those of its fraction behind the point. Of a negative one
/// below a second the number says no sign.
fn of_time(number: i64, micros: u32, is_negative: bool) -> Decimal {
    let whole = i128::from(number.unsigned_abs()) * 1_000_000 + i128::from(micros);
    Decimal::from_i128(if is_negative { -whole } else { whole }, 6)
}

fn decimal_from_double(precision: u8, scale: u8, value: f64) -> Converted {
    if value.is_nan() {
        let zero = decimal(precision, scale, Decimal::ZERO);
        return Converted { issue: Some(Issue::Incorrect { what: "decimal" }), ..zero };
    }
    let largest = Decimal::largest(Decimal::DIGITS_MAX, 0);
    let beyond = if value < 0.0 { largest.negate() } else { largest };
    decimal(precision, scale, Decimal::from_f64(value).unwrap_or(beyond))
}
