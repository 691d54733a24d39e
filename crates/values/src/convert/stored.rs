//! A value of one type as a value of a column of another: what ALTER TABLE, INSERT ... SELECT and
//! UPDATE do with a value that has a type already.
//!
//! ALTER TABLE gives a text what a client would see. Statements give CHAR, VARCHAR, BINARY and
//! VARBINARY the number behind it: a YEAR without zeros, a FLOAT or DOUBLE with as many digits as
//! there is room for.
//!
//! An ENUM is its position to a column of numbers and its word to any other; a time is laid out
//! with the digits of its own type, a TIMESTAMP on the clock of the session (MySQL 9.7 and MariaDB
//! 10.11 answer so: tests/oracle/sql/conversions.py).
//!
//! Not here: texts and constants without a declared type (`dispatch`), what a mode says of days
//! with zeros (`SqlMode::refuses_value`).

use super::{Converted, convert};
use crate::datum::{Datum, Value};
use crate::temporal::{DateTime, Zone};
use crate::text::{write_f64_within, write_text, write_untyped};
use crate::types::ColumnType;

/// Makes a value of type `from` a value of type `ty`. `zone` is the session's.
pub fn convert_from(ty: &ColumnType, datum: Datum<'_>, from: &ColumnType, zone: Zone) -> Converted {
    match datum {
        // An invalid word stays one, which is no error in any mode.
        Datum::Enum(0) if matches!(ty, ColumnType::Enum { .. }) => Converted::clean(Value::Enum(0)),
        Datum::Enum(_) if ty == from => Converted::clean(datum.to_value()),
        Datum::Enum(_) if !is_number(ty) => as_text(ty, datum, from, zone),
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
    let room = match ty {
        ColumnType::Char { chars, .. } | ColumnType::VarChar { chars, .. } => *chars,
        ColumnType::Binary { bytes } | ColumnType::VarBinary { bytes } => *bytes,
        _ => return convert_from(ty, datum, from, zone),
    };
    let mut text = Vec::with_capacity(32);
    match datum {
        Datum::Year(year) => write_untyped(Datum::UInt(year.into()), zone, &mut text),
        Datum::Float(value) => write_f64_within(value.into(), room as usize, &mut text),
        Datum::Double(value) => write_f64_within(value, room as usize, &mut text),
        _ => return convert_from(ty, datum, from, zone),
    }
    super::from_text(ty, &text, zone)
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
    super::from_text(ty, &text, zone)
}

/// Whether an ENUM is its position there.
fn is_number(ty: &ColumnType) -> bool {
    use ColumnType::{Decimal, Double, Float, Int, Year};
    matches!(ty, Int { .. } | Float(_) | Double(_) | Decimal { .. } | Year)
}

fn is_text_like(ty: &ColumnType) -> bool {
    ty.is_text() || ty.is_binary_string()
}
