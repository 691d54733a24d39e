//! BIT: numbers of a few bits.
//!
//! A text is its bytes, the first the highest, whatever digits it has: '1' is 49. What has too many
//! bits becomes the number with all of them.
//!
//! Not here: how a BIT is shown (`text`).

use super::{Converted, Issue, integer};
use crate::datum::{Datum, Value};
use crate::temporal::Zone;

/// The number of bytes, the first the highest.
pub(super) fn from_bytes(all: u64, bytes: &[u8]) -> Converted {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    let digits = &bytes[zeros..];
    if digits.len() > 8 {
        return Converted::with(Value::UInt(all), Issue::OutOfRange);
    }
    fit(all, digits.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

/// The whole number at the front of a text, 0 where there is none; what follows, but for the zeros
/// that fill a BINARY up, is passed over where that is allowed.
pub(super) fn from_leading_integer(all: u64, text: &[u8], passes_over: bool) -> Converted {
    let ends = text.iter().rev().take_while(|byte| **byte == 0).count();
    let text = text[..text.len() - ends].trim_ascii();
    let (is_negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit());
    let number = digits.fold(0u64, |number, digit| {
        number.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
    });
    let converted = fit(all, if is_negative { number.wrapping_neg() } else { number });
    match passes_over || !rest.is_empty() && rest.iter().all(u8::is_ascii_digit) {
        true => converted,
        false => Converted { issue: Some(Issue::Incorrect { what: "integer" }), ..converted },
    }
}

/// A number, rounded; of a DOUBLE the fraction is cut off. A negative one has the bits of its
/// BIGINT, but a DECIMAL has none to give.
pub(super) fn from_datum(all: u64, datum: Datum<'_>, zone: Zone) -> Converted {
    let whole = match datum {
        Datum::Double(value) => Some(value as i64 as i128),
        Datum::Float(value) => Some(value as i64 as i128),
        _ => integer::whole_of(datum, zone),
    };
    let whole = whole.unwrap_or(0);
    if whole < 0 && matches!(datum, Datum::Decimal(_)) {
        return Converted::with(Value::UInt(0), Issue::OutOfRange);
    }
    fit(all, whole.clamp(i64::MIN.into(), u64::MAX.into()) as u64)
}

fn fit(all: u64, number: u64) -> Converted {
    match number <= all {
        true => Converted::clean(Value::UInt(number)),
        false => Converted::with(Value::UInt(all), Issue::OutOfRange),
    }
}
