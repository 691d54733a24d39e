//! A value of one type as a value of a column of another: what ALTER TABLE, INSERT ... SELECT and
//! UPDATE do with a value that has a type already.
//!
//! ALTER TABLE gives a text what a client would see. Statements give CHAR, VARCHAR, BINARY and
//! VARBINARY the number behind it: a YEAR without zeros, a FLOAT or DOUBLE with as many digits as
//! there is room for.
//!
//! ALTER TABLE gives a SET, a day or a time the text of a number, and a BIT the whole number at the
//! front of a text; statements give them the number and the bytes. A BIT is its number to CHAR,
//! VARCHAR, BINARY and VARBINARY, its bytes to TEXT and BLOB.
//!
//! An ENUM or SET is its number to a column of numbers and its words to any other; a time is laid
//! out with the digits of its own type, a TIMESTAMP on the clock of the session (MySQL 9.7 and
//! MariaDB 10.11 answer so: tests/oracle/sql/conversions.py).
//!
//! A text is, as bytes, what its column's character set makes of it, and bytes are, as a text, what
//! they say in that set: `MODIFY c BLOB` and `MODIFY c TEXT CHARACTER SET ..` give a text that was
//! declared wrongly its right set (MySQL 9.7: tests/oracle/sql/bytes-of-texts.sql).
//!
//! Not here: texts and constants without a declared type (`dispatch`), what a mode says of days
//! with zeros (`SqlMode::refuses_value`).

use super::{Converted, Issue, bits, convert};
use crate::datum::{Datum, Value};
use crate::temporal::{DateTime, Zone};
use crate::text::{write_f64_within, write_text, write_untyped};
use crate::types::{Collation, ColumnType};

/// Makes a value of type `from` a value of type `ty`, as ALTER TABLE does. `zone` is the session's.
pub fn convert_from(ty: &ColumnType, datum: Datum<'_>, from: &ColumnType, zone: Zone) -> Converted {
    let is_bytes = from.is_binary_string() || matches!(from, ColumnType::Bit { .. });
    if *ty == ColumnType::Json && is_bytes && !datum.is_null() {
        return Converted::with(Value::Null, Issue::JsonOfBytes);
    }
    if let Some(converted) = recoded(ty, datum, from, zone) {
        return converted;
    }
    match (ty, datum) {
        (ColumnType::Bit { .. }, Datum::Bytes(text)) => {
            let is_long = matches!(from, ColumnType::Text { .. } | ColumnType::Blob { .. });
            bits::from_leading_integer(ty.bits_max(), text, is_long)
        }
        (ColumnType::Bit { .. }, Datum::Decimal(value)) => {
            let whole =
                value.to_i128().unwrap_or(if value.is_negative() { i128::MIN } else { i128::MAX });
            let number = match u64::try_from(whole) {
                Ok(number) => Datum::UInt(number),
                Err(_) if whole > 0 => Datum::UInt(u64::MAX),
                Err(_) => Datum::Int(i64::try_from(whole).unwrap_or(i64::MIN)),
            };
            convert(ty, number, zone)
        }
        (ColumnType::Bit { .. }, Datum::Float(value)) => {
            convert(ty, Datum::Double(f64::from(value).round_ties_even()), zone)
        }
        (ColumnType::Bit { .. }, Datum::Double(value)) => {
            convert(ty, Datum::Double(value.round_ties_even()), zone)
        }
        _ if ty.is_temporal() && is_number_of_digits(datum) && !is_bytes => {
            as_text(ty, datum, from, zone)
        }
        (ColumnType::Set { .. }, _)
            if is_number(from) && !matches!(from, ColumnType::Bit { .. }) =>
        {
            as_text(ty, datum, from, zone)
        }
        _ => of_type(ty, datum, from, zone),
    }
}

/// What ALTER TABLE and statements make of a value alike.
fn of_type(ty: &ColumnType, datum: Datum<'_>, from: &ColumnType, zone: Zone) -> Converted {
    let is_long = matches!(ty, ColumnType::Text { .. } | ColumnType::Blob { .. });
    match datum {
        Datum::UInt(_) if is_long && matches!(from, ColumnType::Bit { .. }) => {
            as_text(ty, datum, from, zone)
        }
        _ if is_temporal(datum) && matches!(ty, ColumnType::Set { .. }) => {
            as_text(ty, datum, from, zone)
        }
        // An invalid word stays one, which is no error in any mode.
        Datum::Enum(0) if matches!(ty, ColumnType::Enum { .. }) => Converted::clean(Value::Enum(0)),
        Datum::Enum(_) | Datum::Set(_) if ty == from => Converted::clean(datum.to_value()),
        Datum::Enum(_) | Datum::Set(_) if !is_number(ty) => as_text(ty, datum, from, zone),
        Datum::Time(_)
        | Datum::DateTime(_)
        | Datum::Timestamp(_)
        | Datum::Float(_)
        | Datum::Double(_)
            if is_text_like(ty) =>
        {
            as_text(ty, datum, from, zone)
        }
        _ => convert(ty, datum, zone),
    }
}

/// The same for a statement that assigns the value.
pub fn assign_from(ty: &ColumnType, datum: Datum<'_>, from: &ColumnType, zone: Zone) -> Converted {
    if let Some(issue) = not_json(ty, datum, from) {
        return Converted::with(Value::Null, issue);
    }
    if let Some(converted) = recoded(ty, datum, from, zone) {
        return converted;
    }
    let room = match ty {
        ColumnType::Char { chars, .. } | ColumnType::VarChar { chars, .. } => *chars,
        ColumnType::Binary { bytes } | ColumnType::VarBinary { bytes } => *bytes,
        ColumnType::Bit { .. } if matches!(datum, Datum::Date(_)) => {
            return as_text(ty, datum, from, zone);
        }
        _ => return of_type(ty, datum, from, zone),
    };
    let mut text = Vec::with_capacity(32);
    match datum {
        Datum::Year(year) => write_untyped(Datum::UInt(year.into()), zone, &mut text),
        Datum::Float(value) => write_f64_within(value.into(), room as usize, &mut text),
        Datum::Double(value) => write_f64_within(value, room as usize, &mut text),
        _ => return of_type(ty, datum, from, zone),
    }
    super::from_text(ty, &text, zone)
}

/// What is no JSON because of its type: bytes, whatever they say; to a statement numbers and
/// moments, too, which ALTER TABLE makes documents of (MySQL 9.7: tests/oracle/sql/conversions.py).
fn not_json(ty: &ColumnType, datum: Datum<'_>, from: &ColumnType) -> Option<Issue> {
    if *ty != ColumnType::Json || *from == ColumnType::Json {
        return None;
    }
    match datum {
        Datum::Null | Datum::Enum(_) | Datum::Set(_) => None,
        Datum::Bytes(_) => from.is_binary_string().then_some(Issue::JsonOfBytes),
        _ => Some(Issue::NoJsonText),
    }
}

/// A time of day on its way into a column of days: that time today. `now`: microseconds since the
/// epoch.
pub fn of_today<'d>(ty: &ColumnType, datum: Datum<'d>, now: i64, zone: Zone) -> Datum<'d> {
    let has_day =
        matches!(ty, ColumnType::Date | ColumnType::DateTime { .. } | ColumnType::Timestamp { .. });
    let Datum::Time(time) = datum else { return datum };
    if !has_day {
        return datum;
    }
    match DateTime::today_at(time, now, zone) {
        Some(moment) => Datum::DateTime(moment),
        None => datum,
    }
}

fn as_text(ty: &ColumnType, datum: Datum<'_>, from: &ColumnType, zone: Zone) -> Converted {
    let mut text = Vec::with_capacity(32);
    write_text(from, datum, zone, &mut text);
    match recoded(ty, Datum::Bytes(&text), from, zone) {
        Some(converted) => converted,
        None => super::from_text(ty, &text, zone),
    }
}

/// A text of a character set other than UTF-8 as bytes, and bytes as such a text; `None` where
/// neither is so. Bytes that are no text of the set are an issue, as bytes that are no UTF-8 are.
fn recoded(ty: &ColumnType, datum: Datum<'_>, from: &ColumnType, zone: Zone) -> Option<Converted> {
    let set_of = |ty: &ColumnType| {
        let set = ty.collation().map(Collation::set);
        set.filter(|set| !set.is_utf8() && !set.is_binary())
    };
    let Datum::Bytes(bytes) = datum else { return None };
    if ty.is_binary_string() {
        return Some(convert(ty, Datum::Bytes(&set_of(from)?.encode(bytes)), zone));
    }
    let set = set_of(ty).filter(|_| from.is_binary_string())?;
    let bytes = set.filled_up(bytes);
    let text = set.decode(&bytes);
    let mut converted = convert(ty, Datum::Bytes(&text), zone);
    if !set.is_valid(&bytes) || *set.encode(&text) != *bytes {
        converted.issue = converted.issue.or(Some(Issue::InvalidUtf8));
    }
    Some(converted)
}

/// Whether an ENUM or SET is its number there.
fn is_number(ty: &ColumnType) -> bool {
    use ColumnType::{Bit, Decimal, Double, Float, Int, Year};
    matches!(ty, Bit { .. } | Int { .. } | Float(_) | Double(_) | Decimal { .. } | Year)
}

/// Whether it is a number whose text says it.
fn is_number_of_digits(datum: Datum<'_>) -> bool {
    use Datum::{Decimal, Double, Float, Int, UInt};
    matches!(datum, Int(_) | UInt(_) | Float(_) | Double(_) | Decimal(_))
}

fn is_temporal(datum: Datum<'_>) -> bool {
    use Datum::{Date, DateTime, Time, Timestamp};
    matches!(datum, Date(_) | Time(_) | DateTime(_) | Timestamp(_))
}

fn is_text_like(ty: &ColumnType) -> bool {
    ty.is_text() || ty.is_binary_string()
}
