//! Fractions of a second under TIME_TRUNCATE_FRACTIONAL: cut off where they are rounded otherwise.
//!
//! Not here: who is in that mode (`mode`), what rounds (`temporal`).

use super::convert;
use crate::datum::{Datum, Value};
use crate::temporal::Zone;
use crate::types::ColumnType;

/// Digits that a fraction has at most.
const DIGITS_MAX: usize = 6;

/// A value on its way to a day, a moment or a time, without the digits of a second that have no
/// room there; `None` where there are none to be cut off.
pub fn without_digits(ty: &ColumnType, datum: Datum<'_>, zone: Zone) -> Option<Value> {
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
