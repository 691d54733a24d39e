//! Values as numbers.
//!
//! Not here: operators (`arithmetic`), texts beside numbers (`compared_as_number`).

use values::datum::Datum;
use values::decimal::Decimal;
use values::temporal::{DateTime, Zone};

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Signed.
    Int(i64),
    /// Unsigned.
    UInt(u64),
    /// Exact, with a fraction.
    Decimal(Decimal),
    /// Approximate.
    Double(f64),
}

impl Number {
    /// As a double.
    pub fn to_f64(self) -> f64 {
        match self {
            Number::Int(v) => v as f64,
            Number::UInt(v) => v as f64,
            Number::Decimal(v) => v.to_f64(),
            Number::Double(v) => v,
        }
    }

    /// As a decimal; `None` for doubles beyond its range.
    pub fn to_decimal(self) -> Option<Decimal> {
        match self {
            Number::Int(v) => Some(Decimal::from(v)),
            Number::UInt(v) => Some(Decimal::from(v)),
            Number::Decimal(v) => Some(v),
            Number::Double(v) => Decimal::from_f64(v),
        }
    }

    /// As a whole number, rounded; beyond 128 bits the nearest.
    pub fn to_i128(self) -> i128 {
        match self {
            Number::Int(v) => i128::from(v),
            Number::UInt(v) => i128::from(v),
            Number::Decimal(v) => {
                let ends = if v.is_negative() { i128::MIN } else { i128::MAX };
                v.to_i128().unwrap_or(ends)
            }
            Number::Double(v) => v.round_ties_even() as i128,
        }
    }

    /// As the 64 bits that operators and aggregates of bits and functions of integers work on: of
    /// what is no integer those of the nearest one that a BIGINT holds, of two for a double the
    /// even one (MySQL 9.7 answers so: tests/oracle/sql/digits.sql).
    pub fn to_bits(self) -> u64 {
        match self {
            Number::Int(v) => v as u64,
            Number::UInt(v) => v,
            Number::Decimal(_) | Number::Double(_) => {
                let ends = (i128::from(i64::MIN), i128::from(i64::MAX));
                self.to_i128().clamp(ends.0, ends.1) as u64
            }
        }
    }

    /// Whether it is not 0.
    pub fn is_true(self) -> bool {
        match self {
            Number::Int(v) => v != 0,
            Number::UInt(v) => v != 0,
            Number::Decimal(v) => !v.is_zero(),
            Number::Double(v) => v != 0.0,
        }
    }

    /// As a datum.
    pub fn datum<'a>(self) -> Datum<'a> {
        match self {
            Number::Int(v) => Datum::Int(v),
            Number::UInt(v) => Datum::UInt(v),
            Number::Decimal(v) => Datum::Decimal(v),
            Number::Double(v) => Datum::Double(v),
        }
    }

    /// The number that a value is where a whole one is wanted; `None` for NULL. Of a text the
    /// digits at its front count, and their 64 bits: what no BIGINT UNSIGNED holds is its
    /// largest, -1 in other words. The flag is as that of `of`.
    pub fn of_whole(datum: Datum<'_>, zone: Zone) -> Option<(Number, bool)> {
        let Datum::Bytes(text) = datum else { return Number::of(datum, zone) };
        let (value, whole) = leading_integer(text);
        let bits = match u64::try_from(value) {
            Ok(value) => value as i64,
            Err(_) if value < 0 => value.max(i128::from(i64::MIN)) as i64,
            Err(_) => -1,
        };
        let fits = i64::try_from(value).is_ok() || u64::try_from(value).is_ok();
        Some((Number::Int(bits), !whole || !fits))
    }

    /// The same where bits are wanted: of a column's text what a BIGINT holds of it, where one that
    /// is computed has all its 64 bits (MySQL 9.7: tests/oracle/sql/digits.sql); of a time the
    /// nearest second, as a clock shows it, so that 10:59:59.5 is 110000.
    pub fn of_bits(datum: Datum<'_>, stored: bool, zone: Zone) -> Option<(Number, bool)> {
        let nearest = |moment: DateTime| Datum::DateTime(moment.round(0).unwrap_or(moment));
        let text = match datum {
            Datum::Time(time) => {
                return Number::of(Datum::Time(time.round(0).unwrap_or(time)), zone);
            }
            Datum::DateTime(moment) => return Number::of(nearest(moment), zone),
            Datum::Timestamp(instant) => {
                return Number::of(nearest(instant.to_datetime(zone)), zone);
            }
            Datum::Bytes(text) if stored => text,
            _ if stored => return Number::of(datum, zone),
            _ => return Number::of_whole(datum, zone),
        };
        let (value, whole) = leading_integer(text);
        let held = value.clamp(i64::MIN.into(), i64::MAX.into());
        Some((Number::Int(held as i64), !whole || held != value))
    }

    /// The number that a value is in arithmetic; `None` for NULL. The flag says that it was a
    /// text with something that is no number.
    pub fn of(datum: Datum<'_>, zone: Zone) -> Option<(Number, bool)> {
        let number = match datum {
            Datum::Null => return None,
            Datum::Int(v) => Number::Int(v),
            Datum::UInt(v) => Number::UInt(v),
            Datum::Float(v) => Number::Double(f64::from(v)),
            Datum::Double(v) => Number::Double(v),
            Datum::Decimal(v) => Number::Decimal(v),
            Datum::Bytes(text) => {
                let (value, whole) = leading_number(text);
                // Without a word in it a text is 0, and nothing is strange about that (MySQL 9.7).
                return Some((Number::Double(value), !whole && !is_blank(text)));
            }
            Datum::Date(v) => Number::Int(i64::from(v.to_number())),
            Datum::Time(v) => with_fraction(v.to_number(), v.fraction(), v.is_negative()),
            Datum::DateTime(v) => with_fraction(v.to_number() as i64, v.micros(), false),
            Datum::Timestamp(v) => {
                let v = v.to_datetime(zone);
                with_fraction(v.to_number() as i64, v.micros(), false)
            }
            // As a column of whole numbers that has no sign (MySQL 9.7:
            // tests/oracle/sql/branches.sql).
            Datum::Year(v) => Number::UInt(u64::from(v)),
            Datum::Enum(v) => Number::Int(i64::from(v)),
            Datum::Set(v) => Number::UInt(v),
        };
        Some((number, false))
    }
}

fn with_fraction(whole: i64, micros: u32, negative: bool) -> Number {
    if micros == 0 {
        return Number::Int(whole);
    }
    let fraction = if negative { -i128::from(micros) } else { i128::from(micros) };
    Number::Decimal(Decimal::from_i128(i128::from(whole) * 1_000_000 + fraction, 6))
}

/// The number at the front of a text with all its digits, 0 if there is none; whether that was all
/// of it. Beyond what a DECIMAL holds it is a DOUBLE.
pub fn leading_exact(text: &[u8]) -> (Number, bool) {
    // Most are a few digits and nothing else.
    if text.len() <= SHORT_DIGITS && !text.is_empty() && text.iter().all(u8::is_ascii_digit) {
        let value = text.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
        return (Number::Int(value), true);
    }
    let Some(read) = Decimal::read(text) else { return (Number::Int(0), false) };
    let whole = text[read.used..].iter().all(is_space);
    if read.overflow {
        return (Number::Double(leading_number(text).0), whole);
    }
    if read.value.is_zero() {
        // What is too near to 0 for a DECIMAL is not 0.
        let nearest = match leading_number(text).0 {
            number if number > 0.0 => 1,
            number if number < 0.0 => -1,
            _ => return (Number::Int(0), whole),
        };
        return (Number::Decimal(Decimal::from_i128(nearest, Decimal::SCALE_MAX)), whole);
    }
    let number = match (read.value.scale(), read.value.to_i128()) {
        (0, Some(value)) => match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => Number::Int(value),
            (_, Ok(value)) => Number::UInt(value),
            _ => Number::Decimal(read.value),
        },
        _ => Number::Decimal(read.value),
    };
    (number, whole)
}

/// Digits that any BIGINT holds.
const SHORT_DIGITS: usize = 18;

fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | 9..=13)
}

/// The whole number at the front of a text, 0 if there is none, and whether that was all of it: a
/// point and an exponent are not part of it (`Item::val_int` of MySQL's texts).
pub fn leading_integer(text: &[u8]) -> (i128, bool) {
    let trimmed = text.trim_ascii();
    let sign = usize::from(matches!(trimmed.first(), Some(b'-' | b'+')));
    let count = trimmed[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
    let digits = std::str::from_utf8(&trimmed[..sign + count]).unwrap_or("");
    let beyond = if digits.starts_with('-') { i128::MIN } else { i128::MAX };
    let value = digits.parse().unwrap_or(if count == 0 { 0 } else { beyond });
    (value, count > 0 && sign + count == trimmed.len())
}

/// Whether there is nothing but spaces in a text.
pub fn is_blank(text: &[u8]) -> bool {
    text.iter().all(is_space)
}

/// The number at the front of a text, 0 if there is none; whether that was all of it.
pub fn leading_number(text: &[u8]) -> (f64, bool) {
    let start = text.iter().position(|byte| !is_space(byte)).unwrap_or(text.len());
    let body = &text[start..];
    let digits = |from: usize| body[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut at = usize::from(matches!(body.first(), Some(b'-' | b'+')));
    let whole = digits(at);
    at += whole;
    let mut fraction = 0;
    if body.get(at) == Some(&b'.') {
        fraction = digits(at + 1);
        if whole + fraction > 0 {
            at += 1 + fraction;
        }
    }
    if whole + fraction == 0 {
        return (0.0, false);
    }
    if matches!(body.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(body.get(at + 1), Some(b'-' | b'+')));
        let count = digits((at + 1 + sign).min(body.len()));
        if count > 0 {
            at += 1 + sign + count;
        }
    }
    let value = std::str::from_utf8(&body[..at]).ok().and_then(|text| text.parse::<f64>().ok());
    // What is beyond a DOUBLE is the largest one.
    let value = value.map_or(0.0, |value| value.clamp(f64::MIN, f64::MAX));
    (value, body[at..].iter().all(is_space))
}

/// Whether a literal of digits has more bytes than any number, but for zeros in front.
pub fn is_beyond_number(bytes: &[u8]) -> bool {
    bytes.iter().rev().skip(8).any(|byte| *byte != 0)
}

/// The number that a literal of digits is; 0 for one that no BIGINT UNSIGNED holds.
pub fn number_of_digits(bytes: &[u8]) -> u64 {
    if is_beyond_number(bytes) {
        return 0;
    }
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
