//! Functions on JSON, on its text.
//!
//! Invariants
//! 1. Documents under way count in the statement's memory before they are read: a tree takes many
//!    times the bytes of its text.
//!
//! Not here: checking columns of type JSON (`values::convert`), paths (`json_path`), changes of a document
//! (`json_edit`), several documents (`json_combine`), texts within one (`json_search`).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::{Number as JsonNumber, Value as Json};
use values::datum::Datum;
use values::temporal::Zone;
use values::types::ColumnType;

use crate::error::{Error, Result};
use crate::function::{Function, int};
use crate::json_combine::{contains, merge_patch, merge_preserve, overlap};
use crate::json_edit::{array_append, array_insert, put, remove};
use crate::json_path::{Step, find, path_of};
use crate::json_search::search;
use crate::limits::LARGE_BYTES;
use crate::node::{Node, TRUTH};
use crate::number::Number;
use crate::scope::Scope;
use crate::value::{Cell, NULL, bytes_of, text_of};

/// Memory of a value of a tree, or of a name, besides its text, about.
const TREE_NODE_BYTES: usize = 48;

/// The value, or `None` when it is not a function on JSON.
pub fn call<'a>(
    function: Function,
    arguments: &[Node],
    cells: &[Cell<'a>],
    scope: &Scope<'a>,
) -> Result<Option<Cell<'a>>> {
    use Function as F;
    if !is_json_function(function) {
        return Ok(None);
    }
    let bytes = cells.iter().map(|cell| match cell.datum() {
        Datum::Bytes(text) => tree_bytes(text),
        _ => 0,
    });
    let _work = scope.limits.take(bytes.fold(0, usize::saturating_add))?;
    match function {
        F::JsonObject => return object(arguments, cells, scope).map(Some),
        F::JsonArray => return Ok(Some(array(arguments, cells, scope))),
        F::JsonMergePatch | F::JsonMergePreserve => {
            return merged(function, arguments, cells, scope).map(Some);
        }
        _ => {}
    }
    if cells[0].is_null() {
        return Ok(Some(NULL));
    }
    let mut buffer = Vec::new();
    let text = bytes_of(&arguments[0].ty, cells[0].datum(), scope.zone, &mut buffer);
    match function {
        F::JsonValid => {
            return Ok(Some(Cell::truth(serde_json::from_slice::<Json>(text).is_ok())));
        }
        F::JsonUnquote => return Ok(Some(unquote(text))),
        F::JsonQuote => {
            let text = String::from_utf8_lossy(text).into_owned();
            return Ok(Some(print(&Json::String(text))));
        }
        _ => {}
    }
    let mut document = document(function, 0, text)?;
    Ok(Some(match function {
        F::JsonExtract => extract(&document, cells, scope)?,
        F::JsonLength | F::JsonKeys | F::JsonContains => {
            let path = if function == F::JsonContains { cells.get(2) } else { cells.get(1) };
            let target = match path {
                None => Some(&document),
                Some(cell) => find(&document, &path_of(cell)?).first().copied(),
            };
            match target {
                None => NULL,
                Some(target) => inspect(function, target, arguments, cells, scope)?,
            }
        }
        F::JsonDepth => int(depth(&document)),
        F::JsonOverlaps => match parsed(function, 1, arguments, cells, scope)? {
            Some(other) => Cell::truth(overlap(&document, &other)),
            None => NULL,
        },
        F::JsonExists | F::JsonQuery | F::JsonValue => {
            if cells[1].is_null() {
                return Ok(Some(NULL));
            }
            let found = find(&document, &path_of(&cells[1])?);
            let is_scalar = |value: &Json| !value.is_object() && !value.is_array();
            match function {
                F::JsonExists => Cell::truth(!found.is_empty()),
                F::JsonQuery => {
                    found.into_iter().find(|value| !is_scalar(value)).map_or(NULL, print)
                }
                _ => found.into_iter().find(|value| is_scalar(value)).map_or(NULL, scalar_text),
            }
        }
        F::JsonSearch => search(&document, arguments, cells, scope)?,
        F::JsonType => Cell::Owned(type_name(&document).as_bytes().to_vec()),
        F::JsonContainsPath => {
            let all =
                matches!(cells[1].datum(), Datum::Bytes(word) if word.eq_ignore_ascii_case(b"all"));
            let mut hits = Vec::new();
            for cell in &cells[2..] {
                hits.push(!find(&document, &path_of(cell)?).is_empty());
            }
            let found = if all { hits.iter().all(|hit| *hit) } else { hits.contains(&true) };
            Cell::truth(found)
        }
        F::JsonRemove => {
            for cell in &cells[1..] {
                remove(&mut document, &path_of(cell)?);
            }
            print(&document)
        }
        _ => {
            for at in (1..cells.len().saturating_sub(1)).step_by(2) {
                let path = path_of(&cells[at])?;
                let value = to_json(&arguments[at + 1].ty, cells[at + 1].datum(), scope.zone);
                match function {
                    F::JsonArrayAppend => array_append(&mut document, &path, value),
                    F::JsonArrayInsert => array_insert(&mut document, &path, value)?,
                    _ => put(function, &mut document, &path, value),
                }
            }
            print(&document)
        }
    }))
}

fn is_json_function(function: Function) -> bool {
    use Function as F;
    matches!(
        function,
        F::JsonObject
            | F::JsonArray
            | F::JsonValid
            | F::JsonExtract
            | F::JsonUnquote
            | F::JsonQuote
            | F::JsonLength
            | F::JsonType
            | F::JsonKeys
            | F::JsonContains
            | F::JsonContainsPath
            | F::JsonSet
            | F::JsonInsert
            | F::JsonReplace
            | F::JsonRemove
            | F::JsonArrayAppend
            | F::JsonArrayInsert
            | F::JsonMergePatch
            | F::JsonMergePreserve
            | F::JsonDepth
            | F::JsonOverlaps
            | F::JsonExists
            | F::JsonQuery
            | F::JsonValue
            | F::JsonSearch
    )
}

/// The document in an argument's text.
fn document(function: Function, at: usize, text: &[u8]) -> Result<Json> {
    serde_json::from_slice(text).map_err(|_| {
        let (name, number) = (function.name().to_lowercase(), at + 1);
        Error::new(
            3141,
            format!("Invalid JSON text in argument {number} to function {name}: \"Invalid value.\" at position 0."),
        )
    })
}

/// An argument's document; none: it is NULL.
fn parsed(
    function: Function,
    at: usize,
    arguments: &[Node],
    cells: &[Cell<'_>],
    scope: &Scope<'_>,
) -> Result<Option<Json>> {
    if cells[at].is_null() {
        return Ok(None);
    }
    let mut buffer = Vec::new();
    let text = bytes_of(&arguments[at].ty, cells[at].datum(), scope.zone, &mut buffer);
    document(function, at, text).map(Some)
}

/// JSON_MERGE_PATCH and JSON_MERGE_PRESERVE. What is patched with NULL is unknown until a document that is
/// no object takes its place.
fn merged<'a>(
    function: Function,
    arguments: &[Node],
    cells: &[Cell<'a>],
    scope: &Scope<'a>,
) -> Result<Cell<'a>> {
    let is_patch = function == Function::JsonMergePatch;
    let mut merged = parsed(function, 0, arguments, cells, scope)?;
    for at in 1..cells.len() {
        let next = parsed(function, at, arguments, cells, scope)?;
        merged = match (merged, next) {
            (Some(merged), Some(next)) if is_patch => Some(merge_patch(merged, next)),
            (Some(merged), Some(next)) => Some(merge_preserve(merged, next)),
            (None, Some(next)) if is_patch && !next.is_object() => Some(next),
            _ => None,
        };
    }
    Ok(merged.as_ref().map_or(NULL, print))
}

/// How deep a document is: 1 for what has nothing in it.
fn depth(value: &Json) -> i64 {
    let within = match value {
        Json::Array(items) => items.iter().map(depth).max(),
        Json::Object(members) => members.values().map(depth).max(),
        _ => None,
    };
    within.unwrap_or(0) + 1
}

/// A single value as text: truths are numbers, as in MariaDB.
fn scalar_text<'a>(value: &Json) -> Cell<'a> {
    match value {
        Json::Null => NULL,
        Json::Bool(truth) => Cell::Owned(if *truth { b"1".to_vec() } else { b"0".to_vec() }),
        Json::String(text) => Cell::Owned(text.clone().into_bytes()),
        other => print(other),
    }
}

/// About what a document takes as a tree, and its text once more.
fn tree_bytes(text: &[u8]) -> usize {
    if text.len() < LARGE_BYTES {
        return text.len();
    }
    let bytes = text.iter().map(|byte| match byte {
        b',' | b'[' | b'{' | b':' => TREE_NODE_BYTES,
        // Printed as `\u0001`.
        0..=31 => 6,
        b'"' | b'\\' => 2,
        _ => 1,
    });
    bytes.sum::<usize>() + text.len()
}

fn inspect<'a>(
    function: Function,
    target: &Json,
    arguments: &[Node],
    cells: &[Cell<'a>],
    scope: &Scope<'a>,
) -> Result<Cell<'a>> {
    Ok(match function {
        Function::JsonLength => int(match target {
            Json::Array(items) => items.len() as i64,
            Json::Object(members) => members.len() as i64,
            _ => 1,
        }),
        Function::JsonKeys => match target {
            Json::Object(members) => {
                print(&Json::Array(members.keys().cloned().map(Json::String).collect()))
            }
            _ => NULL,
        },
        _ => {
            let mut buffer = Vec::new();
            let text = bytes_of(&arguments[1].ty, cells[1].datum(), scope.zone, &mut buffer);
            let candidate: Json = serde_json::from_slice(text).map_err(|_| {
                Error::new(3141, "Invalid JSON text in argument 2 to function json_contains.")
            })?;
            Cell::truth(contains(target, &candidate))
        }
    })
}

/// JSON as MySQL prints it: a space behind `,` and `:`.
pub fn print<'a>(value: &Json) -> Cell<'a> {
    let mut out = Vec::new();
    write(value, &mut out);
    Cell::Owned(out)
}

fn write(value: &Json, out: &mut Vec<u8>) {
    match value {
        Json::Array(items) => {
            out.push(b'[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    out.extend(b", ");
                }
                write(item, out);
            }
            out.push(b']');
        }
        Json::Object(members) => {
            out.push(b'{');
            // MySQL orders names by length, then by bytes.
            let mut names: Vec<&String> = members.keys().collect();
            names.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
            for (n, name) in names.into_iter().enumerate() {
                if n > 0 {
                    out.extend(b", ");
                }
                out.extend(Json::String(name.clone()).to_string().bytes());
                out.extend(b": ");
                write(&members[name], out);
            }
            out.push(b'}');
        }
        other => out.extend(other.to_string().bytes()),
    }
}

fn to_json(ty: &ColumnType, datum: Datum<'_>, zone: Zone) -> Json {
    match datum {
        Datum::Null => Json::Null,
        Datum::Int(v) if *ty == TRUTH => Json::Bool(v != 0),
        Datum::Int(v) => Json::Number(v.into()),
        Datum::UInt(v) => Json::Number(v.into()),
        Datum::Year(v) => Json::Number(v.into()),
        datum @ (Datum::Float(_) | Datum::Double(_) | Datum::Decimal(_)) => {
            let value = Number::of(datum, zone).map_or(0.0, |(number, _)| number.to_f64());
            JsonNumber::from_f64(value).map_or(Json::Null, Json::Number)
        }
        datum => {
            let mut buffer = Vec::new();
            let text = bytes_of(ty, datum, zone, &mut buffer);
            if *ty == ColumnType::Json
                && let Ok(value) = serde_json::from_slice(text)
            {
                return value;
            }
            Json::String(String::from_utf8_lossy(text).into_owned())
        }
    }
}

/// Appends a value as JSON. A DECIMAL keeps its digits, which no `Json` could.
pub fn json_element(ty: &ColumnType, datum: Datum<'_>, zone: Zone, out: &mut Vec<u8>) {
    match datum {
        datum @ Datum::Decimal(_) => text_of(ty, datum, zone, out),
        datum => write(&to_json(ty, datum, zone), out),
    }
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
            out.extend(Json::from(name.as_str()).to_string().bytes());
            out.extend(b": ");
            out.extend(value);
        }
        out.push(b'}');
        out
    }
}

fn array<'a>(arguments: &[Node], cells: &[Cell<'a>], scope: &Scope<'a>) -> Cell<'a> {
    let mut out = vec![b'['];
    for (n, (node, cell)) in arguments.iter().zip(cells).enumerate() {
        if n > 0 {
            out.extend(b", ");
        }
        json_element(&node.ty, cell.datum(), scope.zone, &mut out);
    }
    out.push(b']');
    Cell::Owned(out)
}

fn object<'a>(arguments: &[Node], cells: &[Cell<'a>], scope: &Scope<'a>) -> Result<Cell<'a>> {
    if !cells.len().is_multiple_of(2) {
        return Err(Error::parameter_count("JSON_OBJECT"));
    }
    let mut members = JsonMembers::default();
    for at in (0..cells.len()).step_by(2) {
        if cells[at].is_null() {
            return Err(Error::null_member_name());
        }
        let mut buffer = Vec::new();
        let name = bytes_of(&arguments[at].ty, cells[at].datum(), scope.zone, &mut buffer);
        let name = String::from_utf8_lossy(name).into_owned();
        let mut value = Vec::new();
        json_element(&arguments[at + 1].ty, cells[at + 1].datum(), scope.zone, &mut value);
        members.insert(name, value);
    }
    Ok(Cell::Owned(members.print()))
}

/// The order of a JSON value and another, which counts as the JSON that it would be (MySQL 8.0
/// manual, 13.5, "Comparison and Ordering of JSON Values"). `None` for what has no order.
pub fn json_order(
    (a, a_ty): (Datum<'_>, &ColumnType),
    (b, b_ty): (Datum<'_>, &ColumnType),
    zone: Zone,
) -> Option<Ordering> {
    let (a, b) = (to_json(a_ty, a, zone), to_json(b_ty, b, zone));
    /// Kinds of values, from the lowest.
    fn rank(value: &Json) -> u8 {
        match value {
            Json::Null => 0,
            Json::Number(_) => 1,
            Json::String(_) => 2,
            Json::Object(_) => 3,
            Json::Array(_) => 4,
            Json::Bool(_) => 5,
        }
    }
    fn order(a: &Json, b: &Json) -> Option<Ordering> {
        match (a, b) {
            (Json::Number(x), Json::Number(y)) => match (x.as_i64(), y.as_i64()) {
                (Some(x), Some(y)) => Some(x.cmp(&y)),
                _ => x.as_f64()?.partial_cmp(&y.as_f64()?),
            },
            (Json::String(x), Json::String(y)) => Some(x.cmp(y)),
            (Json::Bool(x), Json::Bool(y)) => Some(x.cmp(y)),
            (Json::Array(x), Json::Array(y)) => {
                for (x, y) in x.iter().zip(y) {
                    match order(x, y)? {
                        Ordering::Equal => {}
                        other => return Some(other),
                    }
                }
                Some(x.len().cmp(&y.len()))
            }
            (Json::Object(x), Json::Object(y)) if x == y => Some(Ordering::Equal),
            (Json::Object(x), Json::Object(y)) => {
                Some(x.len().cmp(&y.len()).then_with(|| a.to_string().cmp(&b.to_string())))
            }
            _ => Some(rank(a).cmp(&rank(b))),
        }
    }
    order(&a, &b)
}

fn unquote<'a>(text: &[u8]) -> Cell<'a> {
    if text.first() == Some(&b'"')
        && let Ok(Json::String(inner)) = serde_json::from_slice(text)
    {
        return Cell::Owned(inner.into_bytes());
    }
    Cell::Owned(text.to_vec())
}

fn extract<'a>(document: &Json, cells: &[Cell<'a>], scope: &Scope<'_>) -> Result<Cell<'a>> {
    let mut found = Vec::new();
    let mut many = cells.len() > 2;
    for cell in &cells[1..] {
        if cell.is_null() {
            return Ok(NULL);
        }
        let path = path_of(cell)?;
        many |= path.iter().any(|step| matches!(step, Step::EachMember | Step::EachElement));
        found.extend(find(document, &path));
    }
    Ok(match (found.as_slice(), many) {
        ([], _) => NULL,
        ([one], false) => print(one),
        (several, _) => {
            // Many paths may find one large part again and again.
            let mut held = scope.limits.hold();
            let mut out = vec![b'['];
            for (n, part) in several.iter().enumerate() {
                if n > 0 {
                    out.extend(b", ");
                }
                let before = out.len();
                write(part, &mut out);
                held.add(out.len() - before)?;
                if out.len() > scope.limits.value_bytes_max() {
                    break;
                }
            }
            out.push(b']');
            drop(held);
            Cell::Owned(out)
        }
    })
}

fn type_name(value: &Json) -> &'static str {
    match value {
        Json::Null => "NULL",
        Json::Bool(_) => "BOOLEAN",
        Json::Number(n) if n.is_f64() => "DOUBLE",
        Json::Number(n) if n.is_u64() && !n.is_i64() => "UNSIGNED INTEGER",
        Json::Number(_) => "INTEGER",
        Json::String(_) => "STRING",
        Json::Array(_) => "ARRAY",
        Json::Object(_) => "OBJECT",
    }
}
