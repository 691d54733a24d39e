//! JSON_SEARCH: the paths of texts that match a pattern.
//!
//! Texts match by their bytes (MySQL 8.0 manual, 14.17.3), in the order of the paths below which
//! they are sought.
//!
//! Not here: paths that are given (`json::path`), patterns (`values::collation`).

use std::collections::{HashMap, HashSet};

use values::ErrorCode;
use values::collation;
use values::datum::Datum;
use values::json::{Json, write_string};
use values::types::Collation;

use crate::functions::json::calls::one_or_all;
use crate::functions::json::path::{find_plainly, is_identifier, path_of};
use crate::row::scope::Scope;
use crate::statement::error::{Error, Result};
use crate::tree::node::Node;
use crate::value::cell::{Cell, NULL};
use crate::value::json::conversion::print;

/// A step down to a text.
enum Leg<'j> {
    Member(&'j str),
    Element(usize),
}

/// Takes a text with the way to it; whether the search goes on.
type Visit<'v, 'j> = dyn FnMut(&'j Json, &str, &[Leg<'j>]) -> Result<bool> + 'v;

/// JSON_SEARCH(document, 'one' or 'all', pattern, escape character, paths to search below).
///
/// # Errors
/// 3154 for another word than 'one' and 'all', 1210 for an escape of several characters; of paths.
pub(crate) fn search<'a>(
    document: &Json,
    arguments: &[Node],
    cells: &[Cell<'a>],
    scope: &Scope<'a>,
) -> Result<Cell<'a>> {
    if cells[1].is_null() {
        return Ok(NULL);
    }
    let wants_all = one_or_all("json_search", &arguments[1], &cells[1], scope)?;
    let text = |at: usize, buffer: &mut Vec<u8>| {
        arguments[at].bytes_of(cells[at].datum(), scope.zone, buffer).to_vec()
    };
    let escape = match cells.get(3).map(Cell::datum) {
        None | Some(Datum::Null) => Some('\\'),
        Some(_) => {
            let escape = String::from_utf8_lossy(&text(3, &mut Vec::new())).into_owned();
            let mut characters = escape.chars();
            match (characters.next(), characters.next()) {
                (character, None) => character.or(Some('\\')),
                _ => {
                    return Err(Error::new(
                        ErrorCode::WrongArguments,
                        "Incorrect arguments to ESCAPE",
                    ));
                }
            }
        }
    };
    // The escape character may be NULL, for the usual one.
    if cells.iter().enumerate().any(|(at, cell)| at != 3 && cell.is_null()) {
        return Ok(NULL);
    }
    let pattern = text(2, &mut Vec::new());
    let matches = |text: &str| -> Result<bool> {
        scope.limits.search(text.len().saturating_mul(pattern.len()))?;
        Ok(collation::like(Collation::Utf8Mb4Bin, text.as_bytes(), &pattern, escape))
    };
    let mut printed_paths = Vec::new();
    let paths = cells.get(4..).unwrap_or_default();
    if paths.is_empty() {
        let mut visit = |_: &Json, text: &str, legs: &[Leg<'_>]| {
            if matches(text)? {
                printed_paths.push(printed(legs));
            }
            Ok(wants_all || printed_paths.is_empty())
        };
        each_text(document, &mut Vec::new(), &mut visit)?;
    } else {
        let (mut order, mut wanted) = (Vec::new(), HashSet::new());
        for path in paths {
            for below in find_plainly(document, &path_of(path)?) {
                let mut visit = |place: &Json, text: &str, _: &[Leg<'_>]| {
                    let place: *const Json = place;
                    if matches(text)? && wanted.insert(place) {
                        order.push(place);
                    }
                    Ok(wants_all || order.is_empty())
                };
                if !each_text(below, &mut Vec::new(), &mut visit)? {
                    break;
                }
            }
        }
        let mut known = HashMap::new();
        let mut visit = |place: &Json, _: &str, legs: &[Leg<'_>]| {
            let place: *const Json = place;
            if wanted.contains(&place) {
                known.insert(place, printed(legs));
            }
            Ok(known.len() < wanted.len())
        };
        each_text(document, &mut Vec::new(), &mut visit)?;
        let first = if wants_all { order.len() } else { 1 };
        printed_paths.extend(order.iter().take(first).filter_map(|place| known.remove(place)));
    }
    let mut found: Vec<Json> = printed_paths.into_iter().map(Json::String).collect();
    Ok(match found.len() {
        0 => NULL,
        1 => print(&found.swap_remove(0)),
        _ => print(&Json::Array(found)),
    })
}

/// Visits all texts below a value, until the visitor gives `false`.
fn each_text<'j>(
    value: &'j Json,
    legs: &mut Vec<Leg<'j>>,
    visit: &mut Visit<'_, 'j>,
) -> Result<bool> {
    match value {
        Json::String(text) => return visit(value, text, legs),
        Json::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                legs.push(Leg::Element(at));
                let goes_on = each_text(item, legs, visit)?;
                legs.pop();
                if !goes_on {
                    return Ok(false);
                }
            }
        }
        Json::Object(members) => {
            for (name, member) in members.iter() {
                legs.push(Leg::Member(name));
                let goes_on = each_text(member, legs, visit)?;
                legs.pop();
                if !goes_on {
                    return Ok(false);
                }
            }
        }
        _ => {}
    }
    Ok(true)
}

/// A path as it is written, names that are no identifiers in quotes.
fn printed(legs: &[Leg<'_>]) -> String {
    let mut path = b"$".to_vec();
    for leg in legs {
        match leg {
            Leg::Element(at) => path.extend_from_slice(format!("[{at}]").as_bytes()),
            Leg::Member(name) => {
                path.push(b'.');
                match is_identifier(name) {
                    true => path.extend_from_slice(name.as_bytes()),
                    false => write_string(name, &mut path),
                }
            }
        }
    }
    String::from_utf8_lossy(&path).into_owned()
}
