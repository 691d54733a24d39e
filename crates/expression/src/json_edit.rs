//! Changes of a JSON document, at a path.
//!
//! A path that leads nowhere changes nothing (MySQL 8.0 manual, 14.17.4). What is no array is the first
//! element, and the last, of one that has nothing else (14.17.3).
//!
//! Not here: paths (`json_path`), printing (`json`).

use serde_json::Value as Json;

use crate::error::{Error, Result};
use crate::function::Function;
use crate::json_path::Step;

fn step_into<'j>(value: &'j mut Json, step: &Step) -> Option<&'j mut Json> {
    match (step, value) {
        (Step::Member(name), Json::Object(members)) => members.get_mut(name),
        (Step::Element(n), Json::Array(items)) => items.get_mut(*n),
        (Step::Last, Json::Array(items)) => items.last_mut(),
        (Step::Element(0) | Step::Last, single) => Some(single),
        _ => None,
    }
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
    let exists = step_into(&mut *target, last).is_some();
    match function {
        Function::JsonInsert if exists => return,
        Function::JsonReplace if !exists => return,
        _ => {}
    }
    match (last, target) {
        (Step::Member(name), Json::Object(members)) => {
            members.insert(name.clone(), value);
        }
        (Step::Element(n), Json::Array(items)) if *n < items.len() => items[*n] = value,
        (Step::Last, Json::Array(items)) if !items.is_empty() => {
            let last = items.len() - 1;
            items[last] = value;
        }
        (Step::Element(_) | Step::Last, Json::Array(items)) => items.push(value),
        (Step::Element(0) | Step::Last, single) => *single = value,
        (Step::Element(_), single) => *single = Json::Array(vec![single.take(), value]),
        _ => {}
    }
}

/// JSON_REMOVE at one path.
pub(crate) fn remove(document: &mut Json, path: &[Step]) {
    let Some((last, parents)) = path.split_last() else { return };
    let Some(target) = at_path(document, parents) else { return };
    match (last, target) {
        (Step::Member(name), Json::Object(members)) => {
            members.remove(name);
        }
        (Step::Element(n), Json::Array(items)) if *n < items.len() => {
            items.remove(*n);
        }
        (Step::Last, Json::Array(items)) => {
            items.pop();
        }
        _ => {}
    }
}

/// What a path without wildcards leads to.
fn at_path<'j>(document: &'j mut Json, path: &[Step]) -> Option<&'j mut Json> {
    path.iter().try_fold(document, |target, step| step_into(target, step))
}

/// JSON_ARRAY_APPEND at one path: what is no array becomes the first element of one.
pub(crate) fn array_append(document: &mut Json, path: &[Step], value: Json) {
    match at_path(document, path) {
        Some(Json::Array(items)) => items.push(value),
        Some(single) => *single = Json::Array(vec![single.take(), value]),
        None => {}
    }
}

/// JSON_ARRAY_INSERT at one path, which has to end in an element; behind the last one if it is further.
///
/// # Errors
/// 3165 when it does not.
pub(crate) fn array_insert(document: &mut Json, path: &[Step], value: Json) -> Result<()> {
    let Some((last @ (Step::Element(_) | Step::Last), parents)) = path.split_last() else {
        return Err(Error::new(3165, "A path expression is not a path to a cell in an array."));
    };
    if let Some(Json::Array(items)) = at_path(document, parents) {
        let at = match last {
            Step::Element(at) => (*at).min(items.len()),
            _ => items.len().saturating_sub(1),
        };
        items.insert(at, value);
    }
    Ok(())
}
