//! Whole numbers: TINYINT to BIGINT, and YEAR.
//!
//! Text and decimals round half away from zero, doubles half to even; what is out of range
//! becomes the range's end.

use super::{Converted, Issue};
use crate::datum::{Datum, Value};
use crate::decimal::{Decimal, is_space};
use crate::temporal::Zone;
use crate::types::IntWidth;

const INCORRECT: Issue = Issue::Incorrect { what: "integer" };

/// A number at the beginning of a text, rounded, and what follows it.
struct ReadWhole {
    /// The number; one of the two ends of `i128` if it is larger than any column's.
    value: i128,
    /// Whether something other than spaces follows.
    garbage: bool,
}

/// The most digits that are within a `u64` whatever they are.
const DIGITS_MAX: usize = 19;

/// Reads a few digits with a sign and nothing else, as most numbers are; `None` also for numbers
/// that are no `i64`.
pub(super) fn read_plain(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > DIGITS_MAX {
        return None;
    }
    let mut value = 0u64;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    let value = i64::try_from(value).ok()?;
    Some(if negative { -value } else { value })
}

fn read_whole(text: &[u8]) -> Option<ReadWhole> {
    if let Some(value) = read_plain(text) {
        return Some(ReadWhole { value: i128::from(value), garbage: false });
    }
    let read = Decimal::read(text)?;
    let rest = &text[read.used..];
    let beyond = if read.value.is_negative() { i128::MIN } else { i128::MAX };
    let value = if read.overflow { beyond } else { read.value.to_i128().unwrap_or(beyond) };
    let garbage = !rest.iter().all(|byte| is_space(*byte));
    Some(ReadWhole { value, garbage })
}

/// The nearest value of a column.
fn fit(width: IntWidth, unsigned: bool, whole: i128) -> Converted {
    if unsigned {
        let most = width.unsigned_max();
        return match u64::try_from(whole) {
            Ok(value) if value <= most => Converted::clean(Value::UInt(value)),
            _ => {
                let nearest = if whole < 0 { 0 } else { most };
                Converted::with(Value::UInt(nearest), Issue::OutOfRange)
            }
        };
    }
    match i64::try_from(whole) {
        Ok(value) if (width.min()..=width.max()).contains(&value) => {
            Converted::clean(Value::Int(value))
        }
        _ => {
            let nearest = if whole < 0 { width.min() } else { width.max() };
            Converted::with(Value::Int(nearest), Issue::OutOfRange)
        }
    }
}

/// A column's value of text.
pub(super) fn from_text(width: IntWidth, unsigned: bool, text: &[u8]) -> Converted {
    let Some(read) = read_whole(text) else {
        return Converted { issue: Some(INCORRECT), ..fit(width, unsigned, 0) };
    };
    let mut converted = fit(width, unsigned, read.value);
    if converted.issue.is_none() {
        converted.issue = read.garbage.then_some(Issue::Truncated);
    }
    converted
}

/// A column's value of anything but NULL and text.
pub(super) fn from_datum(
    width: IntWidth,
    unsigned: bool,
    datum: Datum<'_>,
    zone: Zone,
) -> Converted {
    match whole_of(datum, zone) {
        Some(whole) => fit(width, unsigned, whole),
        None => Converted { issue: Some(INCORRECT), ..fit(width, unsigned, 0) },
    }
}

/// The whole number nearest to a value; for temporal values the number of their digits. `None`
/// for what is not a number.
pub(super) fn whole_of(datum: Datum<'_>, zone: Zone) -> Option<i128> {
    let of_double = |value: f64| (!value.is_nan()).then(|| value.round_ties_even() as i128);
    match datum {
        Datum::Null => None,
        Datum::Int(value) => Some(i128::from(value)),
        Datum::UInt(value) => Some(i128::from(value)),
        Datum::Float(value) => of_double(f64::from(value)),
        Datum::Double(value) => of_double(value),
        Datum::Decimal(value) => {
            let beyond = if value.is_negative() { i128::MIN } else { i128::MAX };
            Some(value.to_i128().unwrap_or(beyond))
        }
        Datum::Bytes(text) => read_whole(text).map(|read| read.value),
        Datum::Date(value) => Some(i128::from(value.to_number())),
        Datum::Time(value) => Some(i128::from(value.round(0).unwrap_or(value).to_number())),
        Datum::DateTime(value) => Some(i128::from(value.round(0).unwrap_or(value).to_number())),
        Datum::Timestamp(value) => {
            let value = value.to_datetime(zone);
            Some(i128::from(value.round(0).unwrap_or(value).to_number()))
        }
        Datum::Year(value) | Datum::Enum(value) => Some(i128::from(value)),
        Datum::Set(value) => Some(i128::from(value)),
    }
}

/// A double without its fraction; anything below zero is.
fn cut(value: f64) -> Option<i128> {
    (!value.is_nan()).then_some(if value < 0.0 { -1 } else { value as i128 })
}

/// The year of a number: 1901-2155, or two digits for 1970-2069. `zero` is what 0 means.
fn year(whole: i128, zero: u16) -> Converted {
    match whole {
        0 => Converted::clean(Value::Year(zero)),
        1..70 => Converted::clean(Value::Year(whole as u16 + 2000)),
        70..100 => Converted::clean(Value::Year(whole as u16 + 1900)),
        1901..=2155 => Converted::clean(Value::Year(whole as u16)),
        _ => Converted::with(Value::Year(0), Issue::OutOfRange),
    }
}

/// A YEAR of text; '0' to '000' are 2000, '0000' is itself.
pub(super) fn year_from_text(text: &[u8]) -> Converted {
    let Some(read) = read_whole(text) else {
        return Converted::with(Value::Year(0), INCORRECT);
    };
    let mut converted = year(read.value, if text.len() == 4 { 0 } else { 2000 });
    if converted.issue.is_none() {
        converted.issue = read.garbage.then_some(Issue::Truncated);
    }
    converted
}

/// A YEAR of anything but NULL and text; of a date its year.
pub(super) fn year_from_datum(datum: Datum<'_>, zone: Zone) -> Converted {
    let whole = match datum {
        Datum::Year(value) => return Converted::clean(Value::Year(value)),
        Datum::Float(value) => cut(f64::from(value)),
        Datum::Double(value) => cut(value),
        Datum::Date(value) => Some(i128::from(value.year())),
        Datum::DateTime(value) => Some(i128::from(value.year())),
        Datum::Timestamp(value) => Some(i128::from(value.to_datetime(zone).year())),
        _ => whole_of(datum, zone),
    };
    match whole {
        Some(whole) => year(whole, 0),
        None => Converted::with(Value::Year(0), INCORRECT),
    }
}
