//! CAST and CONVERT.
//!
//! Not here: conversion to a column's domain on writing (`values::convert`).

use values::ErrorCode;
use values::codes::write_hex;
use values::convert::{Converted, Issue, convert, read_in_mode};
use values::datum::{Datum, Value};
use values::temporal::Time;
use values::types::ColumnType;

use crate::row::scope::Scope;
use crate::statement::error::Result;
use crate::tree::node::Node;
use crate::value::cell::{Cell, NULL};
use crate::value::json::conversion::{cast_as_json, json_scalar};
use crate::value::number::{Number, leading_integer};
use crate::value::number::{is_beyond_number, number_of_digits};
use crate::value::types::BIGINT;

/// The value of `CAST(node AS ty)`.
///
/// # Errors
/// Those of evaluating the node, and of a value that the type cannot have.
pub fn cast<'a>(ty: &ColumnType, node: &'a Node, scope: &Scope<'a>) -> Result<Cell<'a>> {
    let mut cell = node.evaluate(scope)?;
    if cell.is_null() {
        return Ok(NULL);
    }
    if let Datum::Bytes(bytes) = cell.datum()
        && node.is_digits_literal()
        && is_number(ty)
    {
        if is_beyond_number(bytes) {
            scope.distrust(ErrorCode::TruncatedWrongValue, || {
                let digits = String::from_utf8_lossy(&write_hex(bytes, false)).into_owned();
                format!("Truncated incorrect BINARY value: 'x'{digits}''")
            });
        }
        cell = Cell::Plain(Datum::UInt(number_of_digits(bytes)));
    }
    let is_text_or_json = matches!(
        ty,
        ColumnType::VarChar { .. }
            | ColumnType::VarBinary { .. }
            | ColumnType::Binary { .. }
            | ColumnType::Json
    );
    if let Datum::Bytes(document) = cell.datum()
        && node.ty == ColumnType::Json
        && !is_text_or_json
    {
        cell = json_scalar(document);
    }
    match ty {
        ColumnType::Json if node.is_digits_literal() => {
            cast_as_json(&ColumnType::VarBinary { bytes: 0 }, cell.datum(), scope.zone)
        }
        ColumnType::Json => cast_as_json(node.json_type(), cell.datum(), scope.zone),
        ColumnType::Int { unsigned, .. } => Ok(Cell::Plain(integer(*unsigned, &cell, scope))),
        ColumnType::VarChar { .. } | ColumnType::VarBinary { .. } | ColumnType::Binary { .. } => {
            text(ty, node, &cell, scope)
        }
        _ => {
            let mut buffer = Vec::new();
            // An ENUM or SET goes by its words, unless a number is wanted.
            let datum = match cell.datum() {
                datum @ (Datum::Enum(_) | Datum::Set(_)) => match datum.listed_number() {
                    Some(number) if is_number(ty) => Datum::UInt(number),
                    _ => Datum::Bytes(node.bytes_of(datum, scope.zone, &mut buffer)),
                },
                // First the time of day, then its digits: 23:59:59.9 becomes 24:00:00.
                Datum::DateTime(moment) if matches!(ty, ColumnType::Time { .. }) => {
                    Datum::Time(moment.time())
                }
                Datum::Timestamp(instant) if matches!(ty, ColumnType::Time { .. }) => {
                    Datum::Time(instant.to_datetime(scope.zone).time())
                }
                // Of its first day.
                Datum::Year(_) if matches!(ty, ColumnType::Time { .. }) => Datum::Time(Time::ZERO),
                // A time of day is one of today, a year its first day.
                Datum::Time(_) | Datum::Year(_) if has_day(ty) => {
                    match scope.moment(cell.datum()) {
                        Some(moment) => Datum::DateTime(moment),
                        None => return Ok(NULL),
                    }
                }
                // The nearest year, where a column would cut.
                Datum::Double(number) if *ty == ColumnType::Year => {
                    Datum::Double(number.round_ties_even())
                }
                other => other,
            };
            // Nothing is the time 0 in a column only.
            if let (ColumnType::Time { .. }, Datum::Bytes(text)) = (ty, datum)
                && text.iter().all(u8::is_ascii_whitespace)
            {
                let issue = Issue::Incorrect { what: "time" };
                scope.distrust(ErrorCode::TruncatedWrongValue, || warning(ty, &cell, issue, scope));
                return Ok(NULL);
            }
            // A day has no fraction to be rounded.
            let wanted = match ty {
                ColumnType::Date => &ColumnType::DateTime { fsp: 6 },
                _ => ty,
            };
            let read = read_in_mode(scope.mode, wanted, datum, scope.zone);
            let datum = read.as_ref().map_or(datum, Value::as_datum);
            let converted = match ty {
                ColumnType::Date => day_of(datum, scope),
                _ => convert(ty, datum, scope.zone),
            };
            if is_refused_day(&converted.value, scope) {
                let shown = Cell::of(datum.to_value());
                let issue = Issue::Incorrect { what: "datetime" };
                scope
                    .distrust(ErrorCode::TruncatedWrongValue, || warning(ty, &shown, issue, scope));
                return Ok(NULL);
            }
            let is_told = !matches!((&cell, ty), (Cell::Long(_), ColumnType::Double(_)));
            if let Some(issue) = converted.issue.filter(|_| is_told) {
                let shown = Cell::of(datum.to_value());
                scope
                    .distrust(ErrorCode::TruncatedWrongValue, || warning(ty, &shown, issue, scope));
                let is_time = is_temporal(ty) || *ty == ColumnType::Year;
                // A text that is longer than any TIME is the longest one; a number is none.
                let is_longest = matches!(datum, Datum::Bytes(_))
                    && matches!(converted.value, Value::Time(time) if time != Time::ZERO);
                if is_time && !is_longest && !matches!(issue, Issue::Truncated) {
                    return Ok(NULL);
                }
            }
            Ok(Cell::of(converted.value))
        }
    }
}

/// The day that a value says: where a column of days would round, its time is cut off.
fn day_of(datum: Datum<'_>, scope: &Scope<'_>) -> Converted {
    let datum = match datum {
        Datum::Decimal(number) => number.truncate(0).map_or(datum, Datum::Decimal),
        datum => datum,
    };
    let mut converted = convert(&ColumnType::DateTime { fsp: 6 }, datum, scope.zone);
    if let Value::DateTime(moment) = converted.value {
        converted.value = Value::Date(moment.date());
    }
    converted
}

/// Whether values of the type are numbers.
pub fn is_number(ty: &ColumnType) -> bool {
    matches!(
        ty,
        ColumnType::Int { .. }
            | ColumnType::Decimal { .. }
            | ColumnType::Double(_)
            | ColumnType::Float(_)
            | ColumnType::Year
            | ColumnType::Bit { .. }
    )
}

fn is_temporal(ty: &ColumnType) -> bool {
    matches!(ty, ColumnType::Date | ColumnType::DateTime { .. } | ColumnType::Time { .. })
}

fn has_day(ty: &ColumnType) -> bool {
    matches!(ty, ColumnType::Date | ColumnType::DateTime { .. })
}

/// NO_ZERO_DATE and NO_ZERO_IN_DATE.
fn is_refused_day(value: &Value, scope: &Scope<'_>) -> bool {
    let date = match value {
        Value::Date(date) => *date,
        Value::DateTime(moment) => moment.date(),
        _ => return false,
    };
    scope.mode.refuses_day(date, date.is_zero())
}

fn warning(ty: &ColumnType, cell: &Cell<'_>, issue: Issue, scope: &Scope<'_>) -> String {
    let mut text = Vec::new();
    crate::value::cell::text_of(ty, cell.datum(), scope.zone, &mut text);
    let text = String::from_utf8_lossy(&text);
    match (issue, ty) {
        (_, ColumnType::Date) => format!("Truncated incorrect date value: '{text}'"),
        (_, ColumnType::DateTime { .. }) => format!("Incorrect datetime value: '{text}'"),
        (_, ColumnType::Time { .. }) => format!("Truncated incorrect time value: '{text}'"),
        (_, ColumnType::Decimal { .. }) => format!("Truncated incorrect DECIMAL value: '{text}'"),
        _ => format!("Truncated incorrect DOUBLE value: '{text}'"),
    }
}

fn integer(unsigned: bool, cell: &Cell<'_>, scope: &Scope<'_>) -> Datum<'static> {
    let whole = match cell.datum() {
        // An unsigned number keeps its 64 bits, as does a text that says one.
        Datum::UInt(value) if !unsigned => return Datum::Int(value as i64),
        Datum::Bytes(text) if !unsigned => {
            let whole = warned_integer(text, scope);
            return Datum::Int(match u64::try_from(whole) {
                Ok(value) => {
                    if i64::try_from(value).is_err() {
                        warn_of_sign(scope, "signed", "positive out-of-range", "negative");
                    }
                    value as i64
                }
                Err(_) if whole < 0 => whole.max(i128::from(i64::MIN)) as i64,
                Err(_) => u64::MAX as i64,
            });
        }
        Datum::Bytes(text) => {
            let whole = warned_integer(text, scope);
            if (i128::from(i64::MIN)..0).contains(&whole) {
                warn_of_sign(scope, "unsigned", "negative", "positive");
            }
            whole
        }
        // The nearest second, as a clock shows it: 10:59:59.5 is 110000.
        time @ (Datum::Time(_) | Datum::DateTime(_) | Datum::Timestamp(_)) => {
            match convert(&BIGINT, time, scope.zone).value {
                Value::Int(whole) => i128::from(whole),
                _ => 0,
            }
        }
        number @ Datum::Decimal(decimal) => {
            let whole = Number::of(number, scope.zone).map_or(0, |(number, _)| number.to_i128());
            let most = if unsigned { i128::from(u64::MAX) } else { i128::from(i64::MAX) };
            if !(i128::from(i64::MIN)..=most).contains(&whole) {
                scope.distrust_decimal(decimal.to_string().as_bytes());
            }
            whole
        }
        // A double is a BIGINT first, also where an unsigned number is wanted (MySQL 9.7).
        other => {
            let whole = Number::of(other, scope.zone).map_or(0, |(number, _)| number.to_i128());
            let is_double = matches!(other, Datum::Double(_) | Datum::Float(_));
            if is_double { whole.min(i128::from(i64::MAX)) } else { whole }
        }
    };
    if !unsigned {
        return Datum::Int(whole.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64);
    }
    // As does a negative one (MySQL 9.7: tests/oracle/sql/types.sql).
    Datum::UInt(match u64::try_from(whole) {
        Ok(value) => value,
        Err(_) if whole < 0 => whole.max(i128::from(i64::MIN)) as i64 as u64,
        Err(_) => u64::MAX,
    })
}

/// A number in a text keeps its 64 bits, which are another number with or without a sign.
fn warn_of_sign(scope: &Scope<'_>, wanted: &str, found: &str, given: &str) {
    scope.warn(ErrorCode::UnknownError, || {
        format!("Cast to {wanted} converted {found} integer to its {given} complement")
    });
}

/// The whole number at the front of a text; what follows is cut off with a warning.
fn warned_integer(text: &[u8], scope: &Scope<'_>) -> i128 {
    let (value, whole) = leading_integer(text);
    if !whole || !(i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&value) {
        scope.distrust_integer(text);
    }
    value
}

fn text<'a>(ty: &ColumnType, node: &Node, cell: &Cell<'a>, scope: &Scope<'_>) -> Result<Cell<'a>> {
    let mut buffer = Vec::new();
    let bytes = node.bytes_of(cell.datum(), scope.zone, &mut buffer);
    if matches!(ty, ColumnType::VarChar { .. }) && std::str::from_utf8(bytes).is_err() {
        scope.warn(ErrorCode::InvalidCharacterString, || {
            const SHOWN_MAX: usize = 3;
            let end = std::str::from_utf8(bytes).err().map_or(0, |error| error.valid_up_to());
            let shown = &bytes[end..bytes.len().min(end + SHOWN_MAX)];
            let digits = String::from_utf8_lossy(&write_hex(shown, true)).into_owned();
            format!("Invalid utf8mb4 character string: '{digits}'")
        });
        return Ok(NULL);
    }
    let cut = match ty {
        ColumnType::VarChar { chars, .. } => std::str::from_utf8(bytes)
            .ok()
            .and_then(|text| text.char_indices().nth(*chars as usize))
            .map(|(at, _)| at),
        ColumnType::Binary { bytes: length } => {
            Some(*length as usize).filter(|length| *length < bytes.len())
        }
        _ => None,
    };
    if cut.is_some() {
        let kind = match ty {
            ColumnType::VarChar { chars, .. } => format!("CHAR({chars})"),
            ColumnType::Binary { bytes } => format!("BINARY({bytes})"),
            _ => "BINARY".to_string(),
        };
        scope.warn(ErrorCode::TruncatedWrongValue, || {
            format!("Truncated incorrect {kind} value: '{}'", String::from_utf8_lossy(bytes))
        });
    }
    let bytes = &bytes[..cut.unwrap_or(bytes.len())];
    let length = match ty {
        ColumnType::Binary { bytes: length } => bytes.len().max(*length as usize),
        _ => bytes.len(),
    };
    let Some(room) = scope.room("cast_as_binary", length)? else { return Ok(NULL) };
    let mut out = Vec::with_capacity(length);
    out.extend_from_slice(bytes);
    out.resize(length, 0);
    Ok(Cell::Counted(out, room))
}

/// A value made to fit a result column's type, for columns of SELECT that are expressions.
pub fn fit(ty: &ColumnType, cell: Cell<'_>, from: &ColumnType, scope: &Scope<'_>) -> Value {
    let datum = cell.datum();
    let same = matches!(
        (ty, datum),
        (_, Datum::Null)
            | (ColumnType::Int { unsigned: false, .. }, Datum::Int(_))
            | (ColumnType::Int { unsigned: true, .. } | ColumnType::Bit { .. }, Datum::UInt(_))
            | (ColumnType::Set { .. }, Datum::Set(_))
            | (ColumnType::Double(_), Datum::Double(_))
            | (ColumnType::Date, Datum::Date(_))
            | (ColumnType::DateTime { .. }, Datum::DateTime(_))
            | (ColumnType::Timestamp { .. }, Datum::Timestamp(_))
            | (ColumnType::Time { .. }, Datum::Time(_))
            | (ColumnType::VarChar { .. } | ColumnType::Text { .. }, Datum::Bytes(_))
            | (ColumnType::VarBinary { .. } | ColumnType::Blob { .. }, Datum::Bytes(_))
            | (ColumnType::Json, Datum::Bytes(_))
    );
    if same {
        return cell.into_value();
    }
    match ty {
        ColumnType::VarChar { .. }
        | ColumnType::Text { .. }
        | ColumnType::VarBinary { .. }
        | ColumnType::Blob { .. } => {
            let mut text = Vec::new();
            crate::value::cell::text_of(from, datum, scope.zone, &mut text);
            Value::Bytes(text)
        }
        ColumnType::Int { unsigned, .. } => integer(*unsigned, &cell, scope).to_value(),
        // A time of day is one of today.
        ColumnType::Date | ColumnType::DateTime { .. } | ColumnType::Timestamp { .. }
            if matches!(datum, Datum::Time(_)) =>
        {
            match scope.moment(datum) {
                Some(moment) => convert(ty, Datum::DateTime(moment), scope.zone).value,
                None => Value::Null,
            }
        }
        _ => convert(ty, datum, scope.zone).value,
    }
}
