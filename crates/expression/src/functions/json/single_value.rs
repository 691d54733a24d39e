//! JSON_VALUE: the value at a path of a document, as a value of a type of SQL.
//!
//! ```text
//! JSON_VALUE(document, path [RETURNING type]
//!     [NULL | ERROR | DEFAULT literal ON EMPTY] [NULL | ERROR | DEFAULT literal ON ERROR])
//! ```
//! The call's own type is the one that is returned; its arguments are the document, the path, and
//! for each of the two clauses its word and its literal.
//!
//! Invariants
//! 1. A value is of the type exactly, or it is an error: a text of digits is a whole number,
//!    `"12x"` is none. Fractions are rounded (MySQL 9.7 answers so: tests/oracle/sql/json.sql).
//!
//! Not here: the clauses as written (`syntax::call`), CAST, which cuts and warns
//! (`evaluation::cast`).

use values::ErrorCode;
use values::convert::convert;
use values::datum::{Datum, Value};
use values::json::Json;
use values::types::ColumnType;

use crate::functions::call::Call;
use crate::functions::json::calls::with_document;
use crate::functions::json::path::{find, path_of};
use crate::row::scope::Scope;
use crate::statement::error::{Error, Result};
use crate::value::cell::{Cell, NULL};
use crate::value::json::conversion::print;

/// What stands before ON EMPTY or ON ERROR, as an argument.
pub const ON_ERROR: &[u8] = b"ERROR";
/// As `ON_ERROR`; NULL is any other word.
pub const ON_DEFAULT: &[u8] = b"DEFAULT";

/// JSON_VALUE.
pub(crate) fn call<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    with_document(call, cells, |document| {
        // A document of a type that is none is told before a path that is none, and both where the
        // other is NULL.
        if let Err(error) = &document
            && !is_no_json(error)
        {
            return document.map(|_| NULL);
        }
        if cells[1].is_null() {
            return Ok(NULL);
        }
        let path = path_of(&cells[1])?;
        match document {
            Ok(Some(document)) => value_at(call, cells, find(&document, &path).as_slice()),
            Ok(None) => Ok(NULL),
            Err(error) => otherwise(call, &cells[4..], || error),
        }
    })
}

/// Whether a text was no JSON, which ON ERROR is about.
fn is_no_json(error: &Error) -> bool {
    matches!(error, Error::Failed { code: ErrorCode::InvalidJsonTextInParam, .. })
}

/// The value, of those that the path leads to.
fn value_at<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>], found: &[&Json]) -> Result<Cell<'a>> {
    let ty = &call.node.ty;
    match found {
        [] => otherwise(call, &cells[2..], || {
            let message = "No value was found by 'json_value' on the specified path.";
            Error::new(ErrorCode::MissingJsonValue, message)
        }),
        [one] => match value_of_type(ty, one, call.scope) {
            Ok(value) => Ok(value),
            Err(NotOfType) => otherwise(call, &cells[4..], || out_of_range(ty, "")),
        },
        _ => otherwise(call, &cells[4..], || {
            let message = "More than one value was found by 'json_value' on the specified path.";
            Error::new(ErrorCode::MultipleJsonValues, message)
        }),
    }
}

/// What a clause, a word and its literal, says of a case.
fn otherwise<'a>(
    call: &Call<'_, 'a>,
    clause: &[Cell<'a>],
    error: impl FnOnce() -> Error,
) -> Result<Cell<'a>> {
    let ty = &call.node.ty;
    match clause[0].datum() {
        Datum::Bytes(ON_ERROR) => Err(error()),
        Datum::Bytes(ON_DEFAULT) => default_of_type(ty, &clause[1], call.scope),
        _ => Ok(NULL),
    }
}

/// A literal behind DEFAULT as a value of the type.
fn default_of_type<'a>(ty: &ColumnType, literal: &Cell<'a>, scope: &Scope<'a>) -> Result<Cell<'a>> {
    let converted = convert(ty, literal.datum(), scope.zone);
    match converted.issue.is_some() || converted.note {
        true => Err(out_of_range(ty, " DEFAULT")),
        false => Ok(Cell::of(converted.value)),
    }
}

fn out_of_range(ty: &ColumnType, which: &str) -> Error {
    let name = match ty {
        ColumnType::Int { unsigned: true, .. } => "UNSIGNED",
        ColumnType::Int { .. } => "SIGNED",
        ColumnType::Decimal { .. } => "DECIMAL",
        ColumnType::Double(_) => "DOUBLE",
        ColumnType::Float(_) => "FLOAT",
        ColumnType::Year => "YEAR",
        ColumnType::Date => "DATE",
        ColumnType::Time { .. } => "TIME",
        ColumnType::DateTime { .. } => "DATETIME",
        ColumnType::Json => "JSON",
        _ if which.is_empty() => "STRING",
        _ => "CHAR",
    };
    let message = format!("{name}{which} value is out of range in 'json_value'");
    Error::new(ErrorCode::DataOutOfRange, message)
}

/// A value of a document that is none of the type.
pub(crate) struct NotOfType;

fn value_of_type<'a>(
    ty: &ColumnType,
    found: &Json,
    scope: &Scope<'a>,
) -> std::result::Result<Cell<'a>, NotOfType> {
    let value = match (ty, found) {
        (_, Json::Null) => return Ok(NULL),
        (ColumnType::Json, found) => return Ok(print(found)),
        (ColumnType::Int { unsigned: true, .. }, found) => {
            Value::UInt(u64::try_from(whole_number(found)?).map_err(|_| NotOfType)?)
        }
        (ColumnType::Int { .. }, found) => {
            Value::Int(i64::try_from(whole_number(found)?).map_err(|_| NotOfType)?)
        }
        (ColumnType::Year, found) => match whole_number(found)? {
            year @ (0 | 1901..=2155) => Value::Year(year as u16),
            _ => return Err(NotOfType),
        },
        (ColumnType::Decimal { .. } | ColumnType::Double(_) | ColumnType::Float(_), found) => {
            exactly(ty, number(ty, found)?, scope)?
        }
        (ColumnType::Date | ColumnType::DateTime { .. } | ColumnType::Time { .. }, found) => {
            let Json::String(text) = found else { return Err(NotOfType) };
            moment(ty, text, scope)?
        }
        (_, found) => {
            let text = match found {
                Json::String(text) => Cell::Owned(text.clone().into_bytes()),
                other => print(other),
            };
            return if fits(ty, &text) { Ok(text) } else { Err(NotOfType) };
        }
    };
    Ok(Cell::of(value))
}

/// Whether a text is no longer than the type.
fn fits(ty: &ColumnType, text: &Cell<'_>) -> bool {
    let Datum::Bytes(text) = text.datum() else { return true };
    match ty {
        ColumnType::VarChar { chars, .. } => {
            String::from_utf8_lossy(text).chars().count() <= *chars as usize
        }
        ColumnType::VarBinary { bytes } => text.len() <= *bytes as usize,
        _ => true,
    }
}

/// A number without its fraction.
pub(crate) fn whole_number(found: &Json) -> std::result::Result<i128, NotOfType> {
    match found {
        Json::Bool(truth) => Ok(i128::from(*truth)),
        Json::Int(value) => Ok(i128::from(*value)),
        Json::UInt(value) => Ok(i128::from(*value)),
        Json::Double(value) if value.abs() < 1e19 => Ok(value.round_ties_even() as i128),
        Json::Decimal(value) => value.to_i128().ok_or(NotOfType),
        Json::String(text) => text.parse().map_err(|_| NotOfType),
        Json::Double(_) | Json::Null | Json::Array(_) | Json::Object(_) => Err(NotOfType),
    }
}

/// A number as what a type of numbers with fractions is made of.
pub(crate) fn number<'j>(
    ty: &ColumnType,
    found: &'j Json,
) -> std::result::Result<Datum<'j>, NotOfType> {
    Ok(match found {
        Json::Bool(truth) => Datum::Int(i64::from(*truth)),
        Json::Int(value) => Datum::Int(*value),
        Json::UInt(value) => Datum::UInt(*value),
        Json::Double(value) => Datum::Double(*value),
        Json::Decimal(value) => Datum::Decimal(**value),
        Json::String(text) if matches!(ty, ColumnType::Decimal { .. }) => {
            Datum::Bytes(text.as_bytes())
        }
        // No text is zero, and no space stands around digits.
        Json::String(text) if text.is_empty() => Datum::Int(0),
        Json::String(text) if text.trim() == text => Datum::Bytes(text.as_bytes()),
        Json::String(_) | Json::Null | Json::Array(_) | Json::Object(_) => return Err(NotOfType),
    })
}

/// A value as one of the type; digits of a fraction may be lost.
fn exactly(
    ty: &ColumnType,
    datum: Datum<'_>,
    scope: &Scope<'_>,
) -> std::result::Result<Value, NotOfType> {
    let converted = convert(ty, datum, scope.zone);
    if converted.issue.is_some() { Err(NotOfType) } else { Ok(converted.value) }
}

/// A time as a text says it: a day alone is no DATETIME, and a few digits are no TIME.
fn moment(ty: &ColumnType, text: &str, scope: &Scope<'_>) -> std::result::Result<Value, NotOfType> {
    let has_day = text.get(1..).is_some_and(|rest| rest.contains('-')) || is_digits_of_day(text);
    let has_clock = text.contains(':') || is_digits_of_day(text);
    let as_moment = || {
        let fsp = ty.fsp();
        exactly(&ColumnType::DateTime { fsp }, Datum::Bytes(text.as_bytes()), scope)
    };
    let value = match ty {
        ColumnType::Time { .. } if !has_clock => return Err(NotOfType),
        ColumnType::Time { .. } if !has_day => {
            return exactly(ty, Datum::Bytes(text.as_bytes()), scope);
        }
        ColumnType::DateTime { .. } if !has_clock => return Err(NotOfType),
        _ => as_moment()?,
    };
    let Value::DateTime(moment) = value else { return Err(NotOfType) };
    if scope.mode.refuses_day(moment.date(), moment.date().is_zero()) {
        return Err(NotOfType);
    }
    Ok(match ty {
        ColumnType::Date => Value::Date(moment.date()),
        ColumnType::Time { .. } => Value::Time(moment.time()),
        _ => value,
    })
}

/// Whether a text is a day, or a day with its time, without signs between.
fn is_digits_of_day(text: &str) -> bool {
    matches!(text.len(), 6 | 8 | 12 | 14) && text.bytes().all(|byte| byte.is_ascii_digit())
}
