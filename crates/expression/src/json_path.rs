//! Paths into JSON: `$`, `.name`, `."quoted name"`, `[n]`, `[last]`, `.*`, `[*]`; `**` is not known.
//!
//! Not here: what is done at their ends (`json`, `json_edit`, `json_search`).

use serde_json::Value as Json;
use values::datum::Datum;

use crate::error::{Error, Result};
use crate::value::Cell;

/// A step of a path.
#[derive(PartialEq)]
pub(crate) enum Step {
    Member(String),
    Element(usize),
    Last,
    EachMember,
    EachElement,
}

/// The path in an argument.
pub(crate) fn path_of(cell: &Cell<'_>) -> Result<Vec<Step>> {
    let text = match cell.datum() {
        Datum::Bytes(text) => String::from_utf8_lossy(text).into_owned(),
        _ => String::new(),
    };
    parse_path(&text).ok_or_else(|| {
        Error::new(
            3143,
            format!("Invalid JSON path expression. The error is around character position 1 in '{text}'."),
        )
    })
}

fn parse_path(text: &str) -> Option<Vec<Step>> {
    let mut rest = text.trim().strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix('.') {
            if let Some(after) = after.strip_prefix('*') {
                steps.push(Step::EachMember);
                rest = after;
            } else if let Some(quoted) = after.strip_prefix('"') {
                let end = quoted.find('"')?;
                steps.push(Step::Member(quoted[..end].to_string()));
                rest = &quoted[end + 1..];
            } else {
                let end = after.find(['.', '[', ' ']).unwrap_or(after.len());
                if end == 0 {
                    return None;
                }
                steps.push(Step::Member(after[..end].to_string()));
                rest = &after[end..];
            }
        } else if let Some(after) = rest.strip_prefix('[') {
            let end = after.find(']')?;
            steps.push(match after[..end].trim() {
                "*" => Step::EachElement,
                "last" => Step::Last,
                number => Step::Element(number.parse().ok()?),
            });
            rest = &after[end + 1..];
        } else {
            return None;
        }
    }
    Some(steps)
}

/// What a path leads to in a document.
pub(crate) fn find<'j>(document: &'j Json, path: &[Step]) -> Vec<&'j Json> {
    let mut found = vec![document];
    for step in path {
        found = found
            .into_iter()
            .flat_map(|value| -> Vec<&Json> {
                match (step, value) {
                    (Step::Member(name), Json::Object(members)) => {
                        members.get(name).into_iter().collect()
                    }
                    (Step::Element(n), Json::Array(items)) => items.get(*n).into_iter().collect(),
                    (Step::Last, Json::Array(items)) => items.last().into_iter().collect(),
                    (Step::EachMember, Json::Object(members)) => members.values().collect(),
                    (Step::EachElement, Json::Array(items)) => items.iter().collect(),
                    // A single value counts as an array of one.
                    (Step::Element(0) | Step::Last, other) if !other.is_array() => vec![other],
                    _ => Vec::new(),
                }
            })
            .collect();
    }
    found
}
