//! Arrays of JSON as sets of values of one type: what a multi-valued key part is made of, and what
//! is looked for in it.
//!
//! ```text
//! for each element, ascending     u16, bytes of its key | its key (`values::key`)
//! ```
//! Numbers are little-endian. Equal elements are one. A value that is no array is an array of it.
//! What is looked for may be none of the type; it stands as an element without a key, which no
//! stored array has.
//!
//! Invariants
//! 1. Two elements are equal if their keys are.
//!
//! Not here: the types that elements may have (crate `plan`, `bind`), entries of an index (crate
//! `rows`, `table::multi_valued`).

use std::collections::BTreeSet;

use values::ErrorCode;
use values::convert::{Issue, convert, convert_from};
use values::datum::{Datum, Value};
use values::json::Json;
use values::key::{decode_part, encode_part};
use values::temporal::Zone;
use values::types::{ColumnType, LobSize};

use crate::functions::call::Call;
use crate::functions::json::attributes::printed;
use crate::functions::json::calls::with_documents;
use crate::functions::json::single_value::number;
use crate::row::scope::Scope;
use crate::statement::error::{Error, Result};
use crate::tree::function::Function;
use crate::tree::node::{Kind, Node};
use crate::value::cell::{Cell, NULL, bytes_of};
use crate::value::json::conversion::document_of;
use crate::value::types::TRUTH;

/// Most elements of an array that has an index.
const ELEMENTS_MAX: usize = 65_535;
/// Most bytes of their keys.
const KEYS_BYTES_MAX: usize = 1 << 20;

/// `CAST(document AS type ARRAY)` of a key part of an index, whose name its errors have.
pub fn array_node(document: Node, element: ColumnType, index: &str) -> Node {
    let of_type = Node::new(Kind::Constant(Value::Null), element, true);
    let name = Value::Bytes(index.as_bytes().to_vec());
    let name = Node::new(Kind::Constant(name), ColumnType::VarBinary { bytes: 256 }, false);
    Node::new(
        Kind::Call(Function::ArrayOf, vec![document, of_type, name]),
        ColumnType::Blob { size: LobSize::Long },
        true,
    )
}

/// The document and the type of elements of such a call.
pub fn array_parts(node: &Node) -> Option<(&Node, &ColumnType)> {
    match &node.kind {
        Kind::Call(Function::ArrayOf, arguments) => Some((&arguments[0], &arguments[1].ty)),
        _ => None,
    }
}

/// How elements are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementSearch {
    /// One at least must be there.
    Any,
    /// All must be there.
    All,
}

/// Whether the array of a column has what is looked for: a value as one element, or the elements of
/// a document.
pub fn search_node(
    array: Node,
    element: &ColumnType,
    (sought, is_document): (Node, bool),
    search: ElementSearch,
) -> Node {
    let of_type = Node::new(Kind::Constant(Value::Null), element.clone(), true);
    let nullable = array.nullable || sought.nullable;
    let function = if is_document { Function::ElementsAs } else { Function::ElementAs };
    let ty = array.ty.clone();
    let sought_nullable = sought.nullable;
    let sought = Node::new(Kind::Call(function, vec![sought, of_type]), ty, sought_nullable);
    let function = match search {
        ElementSearch::Any => Function::SharesElement,
        ElementSearch::All => Function::HasElements,
    };
    Node::new(Kind::Call(function, vec![array, sought]), TRUTH, nullable)
}

/// The array, what is looked for in it, and how, of such a node.
pub fn search_parts(node: &Node) -> Option<(&Node, &Node, ElementSearch)> {
    let Kind::Call(function, arguments) = &node.kind else { return None };
    let search = match function {
        Function::SharesElement => ElementSearch::Any,
        Function::HasElements => ElementSearch::All,
        _ => return None,
    };
    Some((&arguments[0], &arguments[1], search))
}

/// The keys of an array's elements; of one that is none of the type it is empty. What is damaged
/// ends them.
pub fn element_keys(mut array: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (length, rest) = array.split_first_chunk()?;
        let (key, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
        array = rest;
        Some(key)
    })
}

/// An array as MySQL shows it where it says that a key is taken: of the first so many bytes.
pub fn shown_elements(element: &ColumnType, array: &[u8]) -> String {
    let values = element_keys(array).filter_map(|key| decode_part(element, false, None, key).ok());
    let of = |(value, _): (Value, usize)| document_of(element, value.as_datum(), Zone::UTC);
    let mut shown = printed(&Json::Array(values.map(of).collect()));
    let bytes = match element {
        ColumnType::VarChar { chars, .. } => *chars as usize * 4,
        ColumnType::VarBinary { bytes } => *bytes as usize,
        element => element.fixed_bytes().unwrap_or(shown.len()),
    };
    shown.truncate(shown.floor_char_boundary(bytes));
    shown
}

/// The call of a key part.
pub(crate) fn array_of<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let name = match cells[2].datum() {
        Datum::Bytes(name) => String::from_utf8_lossy(name).into_owned(),
        _ => String::new(),
    };
    with_documents(call, &cells[..1], |documents| {
        let [Some(document)] = &documents[..] else { return Ok(NULL) };
        if matches!(document, Json::Object(_)) {
            let message =
                "This version of Rowhouse doesn't yet support 'CAST-ing JSON OBJECT type to array'";
            return Err(Error::new(ErrorCode::NotSupportedYet, message));
        }
        let ty = &call.arguments[1].ty;
        let each = items(document).iter();
        let keys = each.map(|one| key_of(ty, one, call.scope)).collect::<Elements>();
        let keys = keys.map_err(|refusal| refusal.error(&name))?;
        check_size(&keys, &name)?;
        Ok(Cell::Owned(written(keys)))
    })
}

type Elements = std::result::Result<BTreeSet<Vec<u8>>, Refusal>;

fn check_size(keys: &BTreeSet<Vec<u8>>, name: &str) -> Result<()> {
    if let Some(beyond) = keys.len().checked_sub(ELEMENTS_MAX).filter(|beyond| *beyond > 0) {
        let message = format!(
            "Exceeded max number of values per record for multi-valued index '{name}' by {beyond} \
             value(s)."
        );
        return Err(Error::new(ErrorCode::ExceededMvKeysNum, message));
    }
    let bytes: usize = keys.iter().map(Vec::len).sum();
    if let Some(beyond) = bytes.checked_sub(KEYS_BYTES_MAX).filter(|beyond| *beyond > 0) {
        let message = format!(
            "Exceeded max total length of values per record for multi-valued index '{name}' by \
             {beyond} bytes."
        );
        return Err(Error::new(ErrorCode::ExceededMvKeysSpace, message));
    }
    Ok(())
}

/// A document that is looked for.
pub(crate) fn elements_as<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    with_documents(call, &cells[..1], |documents| {
        let [Some(document)] = &documents[..] else { return Ok(NULL) };
        let ty = &call.arguments[1].ty;
        let keys = items(document).iter().map(|one| key_of(ty, one, call.scope));
        Ok(Cell::Owned(written(keys.map(|key| key.unwrap_or_default()).collect())))
    })
}

/// A value that is looked for.
pub(crate) fn element_as<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let (from, to) = (&call.arguments[0].ty, &call.arguments[1].ty);
    if *from == ColumnType::Json {
        return with_documents(call, &cells[..1], |documents| {
            let [Some(document)] = &documents[..] else { return Ok(NULL) };
            let key = key_of(to, document, call.scope).unwrap_or_default();
            Ok(Cell::Owned(written(BTreeSet::from([key]))))
        });
    }
    let mut buffer = Vec::new();
    let key = match (to, cells[0].datum()) {
        (_, Datum::Null) => return Ok(NULL),
        (ColumnType::VarChar { .. } | ColumnType::VarBinary { .. }, datum) => {
            let text = bytes_of(from, datum, call.scope.zone, &mut buffer);
            match std::str::from_utf8(text) {
                Ok(text) => key_of(to, &Json::String(text.to_owned()), call.scope),
                Err(_) => Err(Refusal::Invalid),
            }
        }
        (_, Datum::Bytes(text)) => {
            let text = String::from_utf8_lossy(text).into_owned();
            key_of(to, &Json::String(text), call.scope)
        }
        (_, datum) => {
            let converted = convert_from(to, datum, from, call.scope.zone);
            match converted.issue {
                Some(_) => Err(Refusal::Invalid),
                None => Ok(key(to, &converted.value)),
            }
        }
    };
    Ok(Cell::Owned(written(BTreeSet::from([key.unwrap_or_default()]))))
}

/// The positions of those of the second array's elements that the first has as well; both are in
/// order, so that either is gone through once.
pub fn shared_elements<'k>(array: &'k [u8], sought: &'k [u8]) -> impl Iterator<Item = usize> + 'k {
    let mut own = element_keys(array).peekable();
    let mut is_shared = move |key: &[u8]| {
        while own.next_if(|own| *own < key).is_some() {}
        own.peek().is_some_and(|own| *own == key)
    };
    element_keys(sought).enumerate().filter(move |(_, key)| is_shared(key)).map(|(at, _)| at)
}

/// Whether two arrays share an element.
pub(crate) fn shares_element<'a>(_: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let (Datum::Bytes(array), Datum::Bytes(sought)) = (cells[0].datum(), cells[1].datum()) else {
        return Ok(NULL);
    };
    Ok(Cell::truth(shared_elements(array, sought).next().is_some()))
}

/// Whether the first array has all elements of the second.
pub(crate) fn has_elements<'a>(_: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let (Datum::Bytes(array), Datum::Bytes(sought)) = (cells[0].datum(), cells[1].datum()) else {
        return Ok(NULL);
    };
    let has = shared_elements(array, sought).count() == element_keys(sought).count();
    Ok(Cell::truth(has))
}

fn items(document: &Json) -> &[Json] {
    match document {
        Json::Array(items) => items,
        single => std::slice::from_ref(single),
    }
}

fn written(keys: BTreeSet<Vec<u8>>) -> Vec<u8> {
    let mut out = Vec::with_capacity(keys.iter().map(|key| key.len() + 2).sum());
    for key in keys {
        out.extend_from_slice(&(key.len() as u16).to_le_bytes());
        out.extend_from_slice(&key);
    }
    out
}

/// Why a value is none of the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    Invalid,
    OutOfRange,
    BeyondType,
    Truncated,
    TooLong,
    Nested,
}

impl Refusal {
    fn error(self, index: &str) -> Error {
        let (code, message) = match self {
            Refusal::Invalid => (
                ErrorCode::InvalidJsonValueForFuncIndex,
                format!("Invalid JSON value for CAST for functional index '{index}'."),
            ),
            Refusal::BeyondType => (
                ErrorCode::JsonValueOutOfRangeForFuncIndex,
                format!("Out of range JSON value for CAST for functional index '{index}'."),
            ),
            Refusal::OutOfRange => (
                ErrorCode::WarnDataOutOfRangeFunctionalIndex,
                format!("Value is out of range for functional index '{index}' at row 1"),
            ),
            Refusal::Truncated => (
                ErrorCode::WarnDataTruncatedFunctionalIndex,
                format!("Data truncated for functional index '{index}' at row 1"),
            ),
            Refusal::TooLong => (
                ErrorCode::FunctionalIndexDataIsTooLong,
                format!("Data too long for functional index '{index}'."),
            ),
            Refusal::Nested => (
                ErrorCode::WrongMviValue,
                format!(
                    "Cannot store an array or an object in a scalar key part of the index \
                     '{index}'."
                ),
            ),
        };
        Error::new(code, message)
    }
}

fn key(ty: &ColumnType, value: &Value) -> Vec<u8> {
    let mut key = Vec::new();
    encode_part(ty, false, None, value.as_datum(), &mut key);
    key
}

/// The key of an element of a document, which is made a value of the type as MySQL 9.7 does.
fn key_of(
    ty: &ColumnType,
    element: &Json,
    scope: &Scope<'_>,
) -> std::result::Result<Vec<u8>, Refusal> {
    match element {
        Json::Null => return Err(Refusal::Invalid),
        Json::Array(_) | Json::Object(_) => return Err(Refusal::Nested),
        _ => {}
    }
    let value = match ty {
        ColumnType::Int { unsigned, .. } => integer(element, *unsigned)?,
        ColumnType::VarChar { chars, .. } => {
            let mut text = text_of(element);
            if text.chars().count() > *chars as usize {
                // Spaces behind the length are cut off.
                let end = text.char_indices().nth(*chars as usize).map_or(text.len(), |(at, _)| at);
                if !text[end..].bytes().all(|byte| byte == b' ') {
                    return Err(Refusal::TooLong);
                }
                text.truncate(end);
            }
            Value::Bytes(text.into_bytes())
        }
        ColumnType::VarBinary { bytes } => {
            let text = text_of(element);
            if text.len() > *bytes as usize {
                return Err(Refusal::TooLong);
            }
            Value::Bytes(text.into_bytes())
        }
        ColumnType::Decimal { .. } => {
            let datum = number(ty, element).map_err(|_| Refusal::Invalid)?;
            let converted = convert(ty, datum, scope.zone);
            match converted.issue {
                None => converted.value,
                Some(Issue::OutOfRange) => return Err(Refusal::OutOfRange),
                Some(_) => return Err(Refusal::Invalid),
            }
        }
        _ => moment(ty, element, scope)?,
    };
    Ok(key(ty, &value))
}

fn integer(element: &Json, unsigned: bool) -> std::result::Result<Value, Refusal> {
    let whole = match element {
        Json::Bool(truth) => i128::from(*truth),
        Json::Int(value) => i128::from(*value),
        Json::UInt(value) => i128::from(*value),
        Json::Double(value) if value.abs() < 1.9e19 => value.round_ties_even() as i128,
        Json::Double(_) => return Err(Refusal::BeyondType),
        Json::Decimal(value) => value.to_i128().ok_or(Refusal::BeyondType)?,
        Json::String(text) => text.trim_start().parse().map_err(|_| Refusal::Invalid)?,
        Json::Null | Json::Array(_) | Json::Object(_) => return Err(Refusal::Invalid),
    };
    let beyond = match element {
        Json::Double(_) if whole >= 0 => Refusal::BeyondType,
        _ => Refusal::OutOfRange,
    };
    match unsigned {
        true => u64::try_from(whole).map(Value::UInt).map_err(|_| beyond),
        false => i64::try_from(whole).map(Value::Int).map_err(|_| beyond),
    }
}

fn text_of(element: &Json) -> String {
    match element {
        Json::String(text) => text.clone(),
        other => printed(other),
    }
}

fn moment(
    ty: &ColumnType,
    element: &Json,
    scope: &Scope<'_>,
) -> std::result::Result<Value, Refusal> {
    let datum = match element {
        Json::String(text) => Datum::Bytes(text.as_bytes()),
        Json::Int(value) => Datum::Int(*value),
        Json::UInt(value) => Datum::UInt(*value),
        Json::Double(value) => Datum::Double(*value),
        Json::Decimal(value) => Datum::Decimal(**value),
        _ => return Err(Refusal::Truncated),
    };
    let converted = convert(ty, datum, scope.zone);
    if converted.issue.is_some() {
        return Err(Refusal::Truncated);
    }
    let has_zero = match &converted.value {
        Value::Date(day) => day.is_zero() || day.has_zero_part(),
        Value::DateTime(moment) => moment.date().is_zero() || moment.date().has_zero_part(),
        _ => false,
    };
    if has_zero { Err(Refusal::Truncated) } else { Ok(converted.value) }
}
