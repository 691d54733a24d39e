//! JSON and values of SQL: which document a value is, which value a document is, and how both
//! compare.
//!
//! Not here: documents themselves (`value::json::document`), their order (`value::json::order`),
//! checking columns of type JSON (`values::convert`).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use values::ErrorCode;
use values::datum::Datum;
use values::temporal::Zone;
use values::types::ColumnType;

use crate::statement::error::{Error, Result};
use crate::value::cell::Cell;
use crate::value::json::document::{Json, NotJson, write_string};
use crate::value::json::fault::json_fault;
use crate::value::json::order::order;

/// The document that a value of SQL says, for CAST: a text has to be one.
///
/// # Errors
/// 3141 for a text that is none.
pub(crate) fn cast_as_json<'a>(ty: &ColumnType, datum: Datum<'_>, zone: Zone) -> Result<Cell<'a>> {
    let is_bytes = matches!(
        ty,
        ColumnType::Binary { .. } | ColumnType::VarBinary { .. } | ColumnType::Blob { .. }
    );
    match datum {
        Datum::Bytes(text) if *ty == ColumnType::Json => Ok(Cell::Owned(text.to_vec())),
        Datum::Bytes(text) if !is_bytes => match Json::read(text) {
            Ok(document) => Ok(print(&document)),
            Err(not) => Err(invalid("cast_as_json", 0, text, not)),
        },
        datum => Ok(print(&Json::of(ty, datum, zone))),
    }
}

/// 3141, of an argument of a function.
pub(crate) fn invalid(function: &str, at: usize, text: &[u8], _: NotJson) -> Error {
    let (why, position) = json_fault(text);
    let number = at + 1;
    Error::new(
        ErrorCode::InvalidJsonTextInParam,
        format!(
            "Invalid JSON text in argument {number} to function {function}: \"{why}\" at position {position}."
        ),
    )
}

/// A document's text.
pub(crate) fn print<'a>(value: &Json) -> Cell<'a> {
    let mut out = Vec::new();
    value.write(&mut out);
    Cell::Owned(out)
}

/// Appends a value as JSON.
pub fn json_element(ty: &ColumnType, datum: Datum<'_>, zone: Zone, out: &mut Vec<u8>) {
    Json::of(ty, datum, zone).write(out);
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
    order(&Json::of(a_ty, a, zone), &Json::of(b_ty, b, zone))
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
