//! Moments that a mode reads otherwise: fractions of a second under TIME_TRUNCATE_FRACTIONAL are
//! cut off where they are rounded otherwise, and under ALLOW_INVALID_DATES every month has 31 days.
//!
//! Not here: the modes (`mode`), what rounds (`temporal`).

use super::convert;
use crate::datum::{Datum, Value};
use crate::mode::SqlMode;
use crate::temporal::{
    Fraction, Zone, number_to_bound, number_to_datetime, read_bound, read_datetime,
};
use crate::types::ColumnType;

/// Digits that a fraction has at most.
const DIGITS_MAX: usize = 6;

/// A value on its way to a column or CAST of type `ty` where the mode reads it otherwise; `None`
/// where it does not.
pub fn read_in_mode(mode: SqlMode, ty: &ColumnType, datum: Datum<'_>, zone: Zone) -> Option<Value> {
    // A TIMESTAMP is a moment that has been.
    let takes_any_day = matches!(ty, ColumnType::Date | ColumnType::DateTime { .. });
    let day = match mode.allows_invalid_dates() && takes_any_day {
        true => without_calendar(datum),
        false => None,
    };
    let datum = day.as_ref().map_or(datum, Value::as_datum);
    match mode.truncates_fractions() {
        true => without_digits(ty, datum, zone).or(day),
        false => day,
    }
}

/// The moment that a text or a number says whose month has no such day.
fn without_calendar(datum: Datum<'_>) -> Option<Value> {
    let fraction = Fraction::default;
    let moment = match datum {
        Datum::Bytes(text) if read_datetime(text).is_none() => {
            read_bound(text).filter(|read| !read.garbage)?.value
        }
        Datum::Int(number) if number_to_datetime(number, fraction()).is_none() => {
            number_to_bound(number, fraction())?.0
        }
        _ => return None,
    };
    Some(Value::DateTime(moment))
}

/// A value on its way to a day, a moment or a time, without the digits of a second that have no
/// room there; `None` where there are none to be cut off.
fn without_digits(ty: &ColumnType, datum: Datum<'_>, zone: Zone) -> Option<Value> {
    let (fsp, wide) = match ty {
        ColumnType::Date => (0, ColumnType::DateTime { fsp: 6 }),
        ColumnType::Time { fsp } => (*fsp, ColumnType::Time { fsp: 6 }),
        ColumnType::DateTime { fsp } => (*fsp, ColumnType::DateTime { fsp: 6 }),
        ColumnType::Timestamp { fsp } => (*fsp, ColumnType::Timestamp { fsp: 6 }),
        _ => return None,
    };
    let datum = match datum {
        Datum::Bytes(text) => Datum::Bytes(within_digits(text)),
        datum => datum,
    };
    let converted = convert(&wide, datum, zone);
    if converted.issue.is_some() {
        return None;
    }
    Some(match converted.value {
        Value::Time(value) => Value::Time(value.truncate(fsp)),
        Value::DateTime(value) => Value::DateTime(value.truncate(fsp)),
        Value::Timestamp(value) => Value::Timestamp(value.truncate(fsp)),
        _ => return None,
    })
}

/// A text up to the last digit that a fraction at its end may have.
fn within_digits(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_end();
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let point = text.len() - digits;
    match digits > DIGITS_MAX && point > 0 && text[point - 1] == b'.' {
        true => &text[..point + DIGITS_MAX],
        false => text,
    }
}
