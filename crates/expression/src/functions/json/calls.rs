//! Functions on JSON, on its text.
//!
//! NULL for a document, a path or a word is NULL (MySQL 8.0 manual, 14.17); a value that is NULL
//! becomes `null`.
//!
//! Invariants
//! 1. Documents under way count in the statement's memory before they are read: a tree takes many
//!    times the bytes of its text.
//!
//! Not here: checking columns of type JSON (`values::convert`), documents themselves
//! (`values::json`), their order (`value::json::order`), paths (`json::path`), changes of
//! a document (`json::edit`), several documents (`json::combine`), texts within one
//! (`json::search`), layouts (`json::layout`, `json::text`).

use values::ErrorCode;
use values::datum::Datum;
use values::json::{Json, JsonFault, check, write_string};
use values::temporal::Zone;
use values::types::ColumnType;

use crate::evaluation::cast::is_number;
use crate::functions::call::{Call, int};
use crate::functions::json::combine::{contains, is_member, merge_patch, merge_preserve, overlap};
use crate::functions::json::edit::{array_append, array_insert, put, remove};
use crate::functions::json::layout::{pretty, storage_size};
use crate::functions::json::path::{find, find_plainly, has_wildcard, path_of, single_path_of};
use crate::functions::json::search::search;
use crate::row::scope::Scope;
use crate::statement::error::{Error, Result};
use crate::statement::limits::{LARGE_BYTES, Room};
use crate::tree::function::Function;
use crate::tree::node::Node;
use crate::value::cell::{Cell, NULL};
use crate::value::json::conversion::{JsonMembers, document_of, invalid, print};

/// Memory of a value of a tree, or of a name, besides its text, about.
const TREE_NODE_BYTES: usize = 56;

/// JSON_VALID, which makes no tree.
pub(crate) fn valid<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    is_valid(&call.arguments[0].ty, cells[0].datum())
}

/// JSON_OBJECT.
pub(crate) fn object<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    JsonCall::of(call, cells, |call| call.object())
}

/// JSON_ARRAY.
pub(crate) fn array<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    JsonCall::of(call, cells, |call| Ok(call.array()))
}

/// JSON_MERGE_PATCH and JSON_MERGE_PRESERVE.
pub(crate) fn merged<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    JsonCall::of(call, cells, JsonCall::merged)
}

/// MEMBER OF.
pub(crate) fn member_of<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    JsonCall::of(call, cells, JsonCall::member_of)
}

/// Memory for the documents that these texts may be.
fn room_for(call: &Call<'_, '_>, cells: &[Cell<'_>]) -> Result<Room> {
    let bytes = cells.iter().map(|cell| match cell.datum() {
        Datum::Bytes(text) => tree_bytes(text),
        _ => 0,
    });
    call.scope.limits.take(bytes.fold(0, usize::saturating_add))
}

/// The document that is the first argument of another function, counted in the statement's memory
/// while `work` has it; none where it is NULL.
///
/// # Errors
/// 3141 and 3146 as of the functions here, those of memory, and `work`'s.
pub(crate) fn with_document<'a>(
    call: &Call<'_, 'a>,
    cells: &[Cell<'a>],
    work: impl FnOnce(Result<Option<Json>>) -> Result<Cell<'a>>,
) -> Result<Cell<'a>> {
    let _work = room_for(call, &cells[..1])?;
    let Call { function, arguments, scope, .. } = *call;
    work(JsonCall { function, arguments, cells, scope }.document(0))
}

/// The same of functions of several documents.
///
/// # Errors
/// As of `with_document`.
pub(crate) fn with_documents<'a>(
    call: &Call<'_, 'a>,
    cells: &[Cell<'a>],
    work: impl FnOnce(Vec<Option<Json>>) -> Result<Cell<'a>>,
) -> Result<Cell<'a>> {
    let _work = room_for(call, cells)?;
    let Call { function, arguments, scope, .. } = *call;
    let call = JsonCall { function, arguments, cells, scope };
    work((0..cells.len()).map(|at| call.document(at)).collect::<Result<_>>()?)
}

/// JSON_QUOTE and JSON_UNQUOTE.
pub(crate) fn of_text<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    JsonCall::of(call, cells, JsonCall::of_text)
}

/// What is asked of one document, which is the first argument.
pub(crate) fn of_document<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    JsonCall::of(call, cells, |call| match call.document(0)? {
        Some(document) => call.of_document(document),
        None => Ok(NULL),
    })
}

/// A call's arguments and their values.
struct JsonCall<'g, 'a> {
    function: Function,
    arguments: &'g [Node],
    cells: &'g [Cell<'a>],
    scope: &'g Scope<'a>,
}

impl<'g, 'a> JsonCall<'g, 'a> {
    /// Its value, computed within memory for its documents.
    fn of(
        call: &'g Call<'_, 'a>,
        cells: &'g [Cell<'a>],
        compute: fn(&JsonCall<'g, 'a>) -> Result<Cell<'a>>,
    ) -> Result<Cell<'a>> {
        let _work = room_for(call, cells)?;
        let Call { function, arguments, scope, .. } = *call;
        compute(&JsonCall { function, arguments, cells, scope })
    }

    /// The name in messages.
    fn name(&self) -> String {
        self.function.name().to_lowercase()
    }

    /// An argument's document; none: it is NULL.
    ///
    /// # Errors
    /// 3141 for a text that is no document, 3146 for what is no text.
    fn document(&self, at: usize) -> Result<Option<Json>> {
        let datum = self.cells[at].datum();
        let mut buffer = Vec::new();
        let text = match datum {
            // What is never a document is none where it is NULL either.
            Datum::Null if !is_no_text(&self.arguments[at].ty) => return Ok(None),
            Datum::Bytes(text) => text,
            datum @ (Datum::Enum(_) | Datum::Set(_)) => {
                self.arguments[at].bytes_of(datum, self.scope.zone, &mut buffer)
            }
            _ => {
                let (name, number) = (self.name(), at + 1);
                return Err(Error::new(
                    ErrorCode::InvalidTypeForJson,
                    format!(
                        "Invalid data type for JSON data in argument {number} to function {name}; a JSON \
                         string or JSON type is required."
                    ),
                ));
            }
        };
        match Json::read(text) {
            Ok(document) => Ok(Some(document)),
            Err(fault) => Err(invalid(&self.name(), at, fault)),
        }
    }

    /// The text of an argument, which has to be one.
    ///
    /// # Errors
    /// 3064 for what is none.
    fn text(&self, also_json: bool) -> Result<&[u8]> {
        let is_json = self.arguments[0].ty == ColumnType::Json;
        match self.cells[0].datum() {
            Datum::Bytes(text) if also_json || !is_json => Ok(text),
            _ => {
                let message = format!("Incorrect type for argument 1 in function {}.", self.name());
                Err(Error::new(ErrorCode::IncorrectType, message))
            }
        }
    }

    fn array(&self) -> Cell<'a> {
        let mut out = vec![b'['];
        for (n, (node, cell)) in self.arguments.iter().zip(self.cells).enumerate() {
            if n > 0 {
                out.extend(b", ");
            }
            value_of(node, cell, self.scope.zone).write(&mut out);
        }
        out.push(b']');
        Cell::Owned(out)
    }

    fn object(&self) -> Result<Cell<'a>> {
        let JsonCall { arguments, cells, scope, .. } = *self;
        let mut members = JsonMembers::default();
        for at in (0..cells.len()).step_by(2) {
            if cells[at].is_null() {
                return Err(Error::null_member_name());
            }
            let mut buffer = Vec::new();
            let name = arguments[at].bytes_of(cells[at].datum(), scope.zone, &mut buffer);
            let name = String::from_utf8_lossy(name).into_owned();
            let mut value = Vec::new();
            value_of(&arguments[at + 1], &cells[at + 1], scope.zone).write(&mut value);
            members.insert(name, value);
        }
        Ok(Cell::Owned(members.print()))
    }

    /// JSON_QUOTE and JSON_UNQUOTE.
    fn of_text(&self) -> Result<Cell<'a>> {
        if self.cells[0].is_null() {
            return Ok(NULL);
        }
        Ok(match self.function {
            Function::JsonQuote => {
                let mut out = Vec::new();
                write_string(&String::from_utf8_lossy(self.text(false)?), &mut out);
                Cell::Owned(out)
            }
            _ => match self.text(true)? {
                quoted @ [b'"', .., b'"'] => match Json::read(quoted) {
                    Ok(Json::String(text)) => Cell::Owned(text.into_bytes()),
                    Ok(_) => Cell::Owned(quoted.to_vec()),
                    Err(fault) => return Err(invalid(&self.name(), 0, fault)),
                },
                text => Cell::Owned(text.to_vec()),
            },
        })
    }

    /// JSON_MERGE_PATCH and JSON_MERGE_PRESERVE. What is patched with NULL is unknown until a
    /// document that is no object takes its place.
    fn merged(&self) -> Result<Cell<'a>> {
        let is_patch = self.function == Function::JsonMergePatch;
        let mut merged = self.document(0)?;
        for at in 1..self.cells.len() {
            if merged.is_none() && !is_patch {
                return Ok(NULL);
            }
            merged = match (merged, self.document(at)?) {
                (Some(merged), Some(next)) if is_patch => Some(merge_patch(merged, next)),
                (Some(merged), Some(next)) => Some(merge_preserve(merged, next)),
                (None, Some(next)) if is_patch && !matches!(next, Json::Object(_)) => Some(next),
                _ => None,
            };
        }
        Ok(merged.as_ref().map_or(NULL, print))
    }

    /// `value MEMBER OF (document)`.
    fn member_of(&self) -> Result<Cell<'a>> {
        if self.cells[0].is_null() {
            return Ok(NULL);
        }
        let Some(document) = self.document(1)? else { return Ok(NULL) };
        Ok(Cell::truth(is_member(&self.value(0), &document)))
    }

    /// An argument as a value within a document.
    fn value(&self, at: usize) -> Json {
        value_of(&self.arguments[at], &self.cells[at], self.scope.zone)
    }

    fn is_null(&self, at: usize) -> bool {
        self.cells[at].is_null()
    }

    /// What is asked of one document, which is the first argument.
    fn of_document(&self, mut document: Json) -> Result<Cell<'a>> {
        use Function as F;
        let cells = self.cells;
        Ok(match self.function {
            F::JsonExtract => self.extract(&document)?,
            F::JsonLength | F::JsonKeys => match cells.get(1) {
                None => inspect(self.function, &document),
                Some(cell) if cell.is_null() => NULL,
                Some(cell) if self.function == F::JsonLength => {
                    let path = path_of(cell)?;
                    match find(&document, &path).as_slice() {
                        [] => NULL,
                        // Several are an array of them.
                        several if has_wildcard(&path) => int(several.len() as i64),
                        [one, ..] => inspect(self.function, one),
                    }
                }
                Some(cell) => match find_plainly(&document, &single_path_of(cell)?).first() {
                    Some(target) => inspect(self.function, target),
                    None => NULL,
                },
            },
            F::JsonContains => {
                let Some(candidate) = self.document(1)? else { return Ok(NULL) };
                match cells.get(2) {
                    None => Cell::truth(contains(&document, &candidate)),
                    Some(cell) if cell.is_null() => NULL,
                    Some(cell) => match find(&document, &single_path_of(cell)?).first() {
                        Some(target) => Cell::truth(contains(target, &candidate)),
                        None => NULL,
                    },
                }
            }
            F::JsonDepth => int(depth(&document)),
            F::JsonOverlaps => match self.document(1)? {
                Some(other) => Cell::truth(overlap(&document, &other)),
                None => NULL,
            },
            F::JsonExists | F::JsonQuery if self.is_null(1) => NULL,
            F::JsonExists => Cell::truth(!find(&document, &path_of(&cells[1])?).is_empty()),
            F::JsonQuery => {
                let found = find(&document, &path_of(&cells[1])?);
                found.into_iter().find(|value| !value.is_scalar()).map_or(NULL, print)
            }
            F::JsonSearch => search(&document, self.arguments, cells, self.scope)?,
            F::JsonType => Cell::Owned(document.type_name().as_bytes().to_vec()),
            F::JsonContainsPath => self.contains_path(&document)?,
            F::JsonPretty => pretty(&document, self.scope)?,
            F::JsonStorageSize => int(storage_size(&document)),
            // What is removed leaves no room in a text.
            F::JsonStorageFree => int(0),
            F::JsonRemove => {
                if cells.iter().any(Cell::is_null) {
                    return Ok(NULL);
                }
                for cell in &cells[1..] {
                    remove(&mut document, &single_path_of(cell)?)?;
                }
                print(&document)
            }
            _ => {
                for at in (1..cells.len().saturating_sub(1)).step_by(2) {
                    if self.is_null(at) {
                        return Ok(NULL);
                    }
                    let path = single_path_of(&cells[at])?;
                    let value = self.value(at + 1);
                    match self.function {
                        F::JsonArrayAppend => array_append(&mut document, &path, value),
                        F::JsonArrayInsert => array_insert(&mut document, &path, value)?,
                        function => put(function, &mut document, &path, value),
                    }
                }
                print(&document)
            }
        })
    }

    /// JSON_CONTAINS_PATH: paths are looked at until it is known.
    fn contains_path(&self, document: &Json) -> Result<Cell<'a>> {
        if self.is_null(1) {
            return Ok(NULL);
        }
        let all = one_or_all(&self.name(), &self.arguments[1], &self.cells[1], self.scope)?;
        for cell in &self.cells[2..] {
            if cell.is_null() {
                return Ok(NULL);
            }
            let is_there = !find(document, &path_of(cell)?).is_empty();
            if is_there != all {
                return Ok(Cell::truth(is_there));
            }
        }
        Ok(Cell::truth(all))
    }

    fn extract(&self, document: &Json) -> Result<Cell<'a>> {
        let paths = &self.cells[1..];
        if paths.iter().any(Cell::is_null) {
            return Ok(NULL);
        }
        let mut found = Vec::new();
        let mut many = paths.len() > 1;
        for cell in paths {
            let path = path_of(cell)?;
            many |= has_wildcard(&path);
            found.extend(find(document, &path));
        }
        Ok(match (found.as_slice(), many) {
            ([], _) => NULL,
            ([one], false) => print(one),
            (several, _) => {
                // Many paths may find one large part again and again.
                let limits = &self.scope.limits;
                let mut held = limits.hold();
                let mut out = vec![b'['];
                for (n, part) in several.iter().enumerate() {
                    if n > 0 {
                        out.extend(b", ");
                    }
                    let before = out.len();
                    part.write(&mut out);
                    held.add(out.len() - before)?;
                    if out.len() > limits.value_bytes_max() {
                        break;
                    }
                }
                out.push(b']');
                drop(held);
                Cell::Owned(out)
            }
        })
    }
}

/// Whether values of a type are numbers or times, none of which is read as a document.
fn is_no_text(ty: &ColumnType) -> bool {
    use ColumnType as T;
    is_number(ty)
        || matches!(ty, T::Date | T::Time { .. } | T::DateTime { .. } | T::Timestamp { .. })
}

/// Whether an argument is 'all' rather than 'one'.
///
/// # Errors
/// 3154 for anything else.
pub(crate) fn one_or_all(
    function: &str,
    argument: &Node,
    cell: &Cell<'_>,
    scope: &Scope<'_>,
) -> Result<bool> {
    let mut buffer = Vec::new();
    let word = argument.bytes_of(cell.datum(), scope.zone, &mut buffer);
    let all = word.eq_ignore_ascii_case(b"all");
    match all || word.eq_ignore_ascii_case(b"one") {
        true => Ok(all),
        false => Err(Error::new(
            ErrorCode::JsonBadOneOrAllArg,
            format!("The oneOrAll argument to {function} may take these values: 'one' or 'all'."),
        )),
    }
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

/// Whether a value is a document; no tree is made.
fn is_valid<'a>(ty: &ColumnType, datum: Datum<'_>) -> Result<Cell<'a>> {
    Ok(match datum {
        Datum::Null if !is_no_text(ty) => NULL,
        Datum::Bytes(text) => match check(text) {
            Err(fault @ JsonFault::TooDeep) => return Err(invalid("json_valid", 0, fault)),
            checked => Cell::truth(checked.is_ok()),
        },
        _ => Cell::truth(false),
    })
}

/// About what a document takes as a tree, and its text once more.
pub(crate) fn tree_bytes(text: &[u8]) -> usize {
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

/// JSON_LENGTH and JSON_KEYS.
fn inspect<'a>(function: Function, target: &Json) -> Cell<'a> {
    match (function, target) {
        (Function::JsonLength, Json::Array(items)) => int(items.len() as i64),
        (Function::JsonLength, Json::Object(members)) => int(members.len() as i64),
        (Function::JsonLength, _) => int(1),
        (_, Json::Object(members)) => {
            let names = members.iter().map(|(name, _)| Json::String(name.to_owned()));
            print(&Json::Array(names.collect()))
        }
        _ => NULL,
    }
}

/// An argument as a value within a document.
fn value_of(node: &Node, cell: &Cell<'_>, zone: Zone) -> Json {
    match node.is_digits_literal() {
        true => document_of(&ColumnType::VarBinary { bytes: 0 }, cell.datum(), zone),
        false => document_of(node.json_type(), cell.datum(), zone),
    }
}
