//! Changes of a JSON document, at a path without wildcards.
//!
//! A path that leads nowhere changes nothing (MySQL 8.0 manual, 14.17.4). What is no array is the
//! first element, and the last, of one that has nothing else (14.17.3).
//!
//! Not here: paths (`json::path`), reading and printing (`values::json`).

use values::ErrorCode;
use values::json::Json;

use crate::functions::json::path::{ArrayIndex, Step};
use crate::statement::error::{Error, Result};
use crate::tree::function::Function;

fn step_into<'j>(value: &'j mut Json, step: &Step) -> Option<&'j mut Json> {
    match (step, value) {
        (Step::Member(name), Json::Object(members)) => members.get_mut(name),
        (Step::Element(index), Json::Array(items)) => {
            let at = index.within(items.len())?;
            items.get_mut(at)
        }
        (step, single) => step.stays_at_single().then_some(single),
    }
}

/// What a path leads to.
fn at_path<'j>(document: &'j mut Json, path: &[Step]) -> Option<&'j mut Json> {
    path.iter().try_fold(document, |target, step| step_into(target, step))
}

/// JSON_SET, JSON_INSERT and JSON_REPLACE at one path.
pub(crate) fn put(function: Function, document: &mut Json, path: &[Step], value: Json) {
    let Some((last, parents)) = path.split_last() else {
        if function != Function::JsonInsert {
            *document = value;
        }
        return;
    };
    let Some(target) = at_path(document, parents) else { return };
    if let Some(there) = step_into(&mut *target, last) {
        if function != Function::JsonInsert {
            *there = value;
        }
        return;
    }
    if function == Function::JsonReplace {
        return;
    }
    match (last, target) {
        (Step::Member(name), Json::Object(members)) => members.insert(name.clone(), value),
        // Beyond one of the ends.
        (Step::Element(ArrayIndex { from_end: true, .. }), Json::Array(items)) => {
            items.insert(0, value);
        }
        (Step::Element(_), Json::Array(items)) => items.push(value),
        (Step::Element(ArrayIndex { from_end: true, .. }), single) => {
            *single = Json::Array(vec![value, single.take()]);
        }
        (Step::Element(_), single) => *single = Json::Array(vec![single.take(), value]),
        _ => {}
    }
}

/// JSON_REMOVE at one path, which is not the whole document.
///
/// # Errors
/// 3153 for the path `$`.
pub(crate) fn remove(document: &mut Json, mut path: &[Step]) -> Result<()> {
    if path.is_empty() {
        return Err(Error::new(
            ErrorCode::JsonVacuousPath,
            "The path expression '$' is not allowed in this context.",
        ));
    }
    while let Some((last, parents)) = path.split_last() {
        let Some(target) = at_path(document, parents) else { return Ok(()) };
        match (last, target) {
            (Step::Member(name), Json::Object(members)) => {
                members.remove(name);
            }
            (Step::Element(index), Json::Array(items)) => {
                if let Some(at) = index.within(items.len()) {
                    items.remove(at);
                }
            }
            // The only element of what is no array is that itself.
            (step, _) if step.stays_at_single() => {
                path = parents;
                continue;
            }
            _ => {}
        }
        return Ok(());
    }
    Ok(())
}

/// JSON_ARRAY_APPEND at one path: what is no array becomes the first element of one.
pub(crate) fn array_append(document: &mut Json, path: &[Step], value: Json) {
    match at_path(document, path) {
        Some(Json::Array(items)) => items.push(value),
        Some(single) => *single = Json::Array(vec![single.take(), value]),
        None => {}
    }
}

/// JSON_ARRAY_INSERT at one path, which has to end in an element: before that; behind the last one,
/// or before the first, where there is none.
///
/// # Errors
/// 3165 when it does not.
pub(crate) fn array_insert(document: &mut Json, path: &[Step], value: Json) -> Result<()> {
    let Some((Step::Element(index), parents)) = path.split_last() else {
        return Err(Error::new(
            ErrorCode::InvalidJsonPathArrayCell,
            "A path expression is not a path to a cell in an array.",
        ));
    };
    if let Some(Json::Array(items)) = at_path(document, parents) {
        let beyond = if index.from_end { 0 } else { items.len() };
        items.insert(index.within(items.len()).unwrap_or(beyond), value);
    }
    Ok(())
}
