//! JSON and values of SQL: which document a value is, which value a document is, and how both
//! compare.
//!
//! Not here: documents themselves (`values::json`), their order (`value::json::order`),
//! checking columns of type JSON (`values::convert`).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use values::ErrorCode;
use values::codes::to_base64;
use values::datum::Datum;
use values::json::{Json, JsonFault, printed, write_string};
use values::temporal::Zone;
use values::text::write_text;
use values::types::ColumnType;

use crate::statement::error::{Error, Result};
use crate::value::cell::{Cell, bytes_of};
use crate::value::json::order::order;
use crate::value::number::Number;
use crate::value::types::TRUTH;

/// What a value of SQL is as JSON: a text stays a text, but for one that is JSON itself; times have
/// six digits of a second, binary strings are written in Base64 behind the number of their type, as
/// in MySQL.
pub(crate) fn document_of(ty: &ColumnType, datum: Datum<'_>, zone: Zone) -> Json {
    let mut text = Vec::new();
    match datum {
        Datum::Null => return Json::Null,
        Datum::Int(value) if *ty == TRUTH => return Json::Bool(value != 0),
        Datum::Int(value) => return Json::Int(value),
        Datum::UInt(_) if matches!(ty, ColumnType::Bit { .. }) => {
            write_text(ty, datum, zone, &mut text);
            return document_of_bytes(ty, &text);
        }
        Datum::UInt(value) => return Json::of_unsigned(value),
        Datum::Year(value) => return Json::Int(i64::from(value)),
        Datum::Decimal(value) => {
            let shown = match ty {
                ColumnType::Decimal { scale, .. } => value.rescale(*scale).unwrap_or(value),
                _ => value,
            };
            return Json::Decimal(Box::new(shown));
        }
        datum @ (Datum::Float(_) | Datum::Double(_)) => {
            let value = Number::of(datum, zone).map_or(0.0, |(number, _)| number.to_f64());
            return if value.is_finite() { Json::Double(value) } else { Json::Null };
        }
        Datum::Bytes(bytes) => return document_of_bytes(ty, bytes),
        Datum::Date(value) => value.write(&mut text),
        Datum::DateTime(value) => value.write(6, &mut text),
        Datum::Timestamp(value) => value.to_datetime(zone).write(6, &mut text),
        Datum::Time(value) => value.write(6, &mut text),
        datum @ (Datum::Enum(_) | Datum::Set(_)) => {
            let mut buffer = Vec::new();
            text.extend_from_slice(bytes_of(ty, datum, zone, &mut buffer));
        }
    }
    Json::String(String::from_utf8_lossy(&text).into_owned())
}

fn document_of_bytes(ty: &ColumnType, bytes: &[u8]) -> Json {
    let text = || Json::String(String::from_utf8_lossy(bytes).into_owned());
    // The numbers of the types in MySQL's protocol.
    let number = match ty {
        ColumnType::Json => return Json::read(bytes).unwrap_or_else(|_| text()),
        ColumnType::VarBinary { .. } => 15,
        ColumnType::Bit { .. } => 16,
        ColumnType::Binary { .. } => 254,
        ColumnType::Blob { .. } => 252,
        _ => return text(),
    };
    let encoded = to_base64(bytes, None);
    Json::String(format!("base64:type{number}:{}", String::from_utf8_lossy(&encoded)))
}

/// The document that a value of SQL says, for CAST: a text has to be one.
///
/// # Errors
/// 3141 or 3157 for a text that is none.
pub(crate) fn cast_as_json<'a>(ty: &ColumnType, datum: Datum<'_>, zone: Zone) -> Result<Cell<'a>> {
    let is_bytes = matches!(
        ty,
        ColumnType::Binary { .. } | ColumnType::VarBinary { .. } | ColumnType::Blob { .. }
    );
    match datum {
        Datum::Bytes(text) if *ty == ColumnType::Json => Ok(Cell::Owned(text.to_vec())),
        Datum::Bytes(text) if !is_bytes => {
            printed(text).map(Cell::Owned).map_err(|fault| invalid("cast_as_json", 0, fault))
        }
        datum => Ok(print(&document_of(ty, datum, zone))),
    }
}

/// 3141 or 3157, of an argument of a function.
pub(crate) fn invalid(function: &str, at: usize, fault: JsonFault) -> Error {
    match fault {
        JsonFault::TooDeep => Error::new(ErrorCode::JsonDocumentTooDeep, JsonFault::TOO_DEEP),
        JsonFault::Syntax(why, position) => {
            let number = at + 1;
            Error::new(
                ErrorCode::InvalidJsonTextInParam,
                format!(
                    "Invalid JSON text in argument {number} to function {function}: \"{why}\" at position {position}."
                ),
            )
        }
    }
}

/// A document's text.
pub(crate) fn print<'a>(value: &Json) -> Cell<'a> {
    let mut out = Vec::new();
    value.write(&mut out);
    Cell::Owned(out)
}

/// Appends a value as JSON.
pub fn json_element(ty: &ColumnType, datum: Datum<'_>, zone: Zone, out: &mut Vec<u8>) {
    document_of(ty, datum, zone).write(out);
}

/// What a document is where SQL wants a number or a time: a text without its quotes, true as 1, and
/// 0 where it is no single value (MySQL 8.0 manual, 13.5).
pub fn json_scalar<'a>(text: &[u8]) -> Cell<'a> {
    match Json::read(text) {
        Ok(Json::String(text)) => Cell::Owned(text.into_bytes()),
        Ok(Json::Bool(truth)) => Cell::truth(truth),
        Ok(Json::UInt(value)) => Cell::Plain(Datum::UInt(value)),
        Ok(Json::Double(value)) => Cell::Plain(Datum::Double(value)),
        Ok(Json::Int(value)) => Cell::Plain(Datum::Int(value)),
        _ => Cell::Plain(Datum::Int(0)),
    }
}

/// The text, the number or the truth that a document is, if that is what a column of a type has of
/// it (MySQL 9.7: tests/oracle/sql/types.sql).
pub fn json_scalar_for<'a>(
    ty: &ColumnType,
    from: &ColumnType,
    datum: Datum<'_>,
) -> Option<Cell<'a>> {
    use ColumnType::{Date, DateTime, Decimal, Double, Float, Int, Time, Timestamp, Year};
    let Datum::Bytes(document) = datum else { return None };
    if *from != ColumnType::Json {
        return None;
    }
    let first = document.trim_ascii_start().first();
    let is_scalar = match ty {
        Int { .. } | Float(_) | Double(_) | Decimal { .. } | Year => {
            !matches!(first, Some(b'[' | b'{' | b'n'))
        }
        Date | Time { .. } | DateTime { .. } | Timestamp { .. } => first == Some(&b'"'),
        _ => false,
    };
    is_scalar.then(|| json_scalar(document))
}

/// Whether a document holds as a condition: it does unless it is the number 0 (MySQL 8.0 manual,
/// 13.5). IF and CASE take the number that it is (`Node::json_as_number`).
pub(crate) fn json_is_true(text: &[u8]) -> bool {
    !Json::read(text).is_ok_and(|document| order(&document, &Json::Int(0)).is_eq())
}

/// The members of an object: names and values as JSON. MySQL orders names by length, then by
/// bytes; of equal ones the last counts.
#[derive(Debug, Default)]
pub struct JsonMembers(BTreeMap<(usize, String), Vec<u8>>);

impl JsonMembers {
    /// Adds a member, or gives it another value.
    pub fn insert(&mut self, name: String, value: Vec<u8>) {
        self.0.insert((name.len(), name), value);
    }

    /// The object.
    pub fn print(&self) -> Vec<u8> {
        let mut out = vec![b'{'];
        for (n, ((_, name), value)) in self.0.iter().enumerate() {
            if n > 0 {
                out.extend(b", ");
            }
            write_string(name, &mut out);
            out.extend(b": ");
            out.extend(value);
        }
        out.push(b'}');
        out
    }
}

/// The order of a JSON value and another, which counts as the JSON that it would be.
pub fn json_order(
    (a, a_ty): (Datum<'_>, &ColumnType),
    (b, b_ty): (Datum<'_>, &ColumnType),
    zone: Zone,
) -> Ordering {
    if let (Datum::Bytes(x), Datum::Bytes(y)) = (a, b)
        && a_ty == b_ty
        && x == y
    {
        return Ordering::Equal;
    }
    // Those that no text of a document has stand above all others.
    match (is_beyond_documents(a_ty, a), is_beyond_documents(b_ty, b)) {
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        _ => {}
    }
    order(&document_of(a_ty, a, zone), &document_of(b_ty, b, zone))
}

/// Whether a value of SQL is of a kind of its own as JSON: a time, or bytes.
fn is_beyond_documents(ty: &ColumnType, datum: Datum<'_>) -> bool {
    use ColumnType as T;
    match datum {
        Datum::Date(_) | Datum::Time(_) | Datum::DateTime(_) | Datum::Timestamp(_) => true,
        Datum::Bytes(_) => matches!(ty, T::Binary { .. } | T::VarBinary { .. } | T::Blob { .. }),
        _ => false,
    }
}
