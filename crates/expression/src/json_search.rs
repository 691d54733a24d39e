//! JSON_SEARCH: the paths of texts that match a pattern.
//!
//! Not here: paths that are given (`json_path`), patterns (`values::collation`).

use serde_json::Value as Json;
use values::collation;
use values::datum::Datum;

use crate::error::{Error, Result};
use crate::json::print;
use crate::json_path::{Step, path_of};
use crate::node::Node;
use crate::scope::Scope;
use crate::value::{Cell, NULL, bytes_of};

/// A step down to a text.
enum Leg<'j> {
    Member(&'j str),
    /// Its number, and how many there are.
    Element(usize, usize),
}

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
    // The escape character may be NULL, for the usual one.
    if cells.iter().enumerate().any(|(at, cell)| at != 3 && cell.is_null()) {
        return Ok(NULL);
    }
    let text = |at: usize, buffer: &mut Vec<u8>| {
        bytes_of(&arguments[at].ty, cells[at].datum(), scope.zone, buffer).to_vec()
    };
    let word = text(1, &mut Vec::new());
    let wants_all = word.eq_ignore_ascii_case(b"all");
    if !wants_all && !word.eq_ignore_ascii_case(b"one") {
        return Err(Error::new(
            3154,
            "The oneOrAll argument to json_search may take these values: 'one' or 'all'.",
        ));
    }
    let pattern = text(2, &mut Vec::new());
    let escape = match cells.get(3).map(Cell::datum) {
        None | Some(Datum::Null) => Some('\\'),
        Some(_) => {
            let escape = String::from_utf8_lossy(&text(3, &mut Vec::new())).into_owned();
            let mut characters = escape.chars();
            match (characters.next(), characters.next()) {
                (character, None) => character.or(Some('\\')),
                _ => return Err(Error::new(1210, "Incorrect arguments to ESCAPE")),
            }
        }
    };
    let paths = cells.get(4..).unwrap_or_default().iter().map(path_of);
    let paths = paths.collect::<Result<Vec<_>>>()?;
    let rule = arguments[2].collation().0;
    let mut found = Vec::new();
    let mut matches = |legs: &[Leg<'_>], text: &str| -> Result<bool> {
        let is_below = paths.is_empty() || paths.iter().any(|path| leads_to(path, legs));
        scope.limits.search(text.len().saturating_mul(pattern.len()))?;
        if is_below && collation::like(rule, text.as_bytes(), &pattern, escape) {
            found.push(Json::String(printed(legs)));
        }
        Ok(wants_all || found.is_empty())
    };
    each_text(document, &mut Vec::new(), &mut matches)?;
    Ok(match found.len() {
        0 => NULL,
        1 => print(&found[0]),
        _ => print(&Json::Array(found)),
    })
}

/// Visits all texts below a value, until the visitor gives `false`.
fn each_text<'j>(
    value: &'j Json,
    legs: &mut Vec<Leg<'j>>,
    visit: &mut dyn FnMut(&[Leg<'_>], &str) -> Result<bool>,
) -> Result<bool> {
    match value {
        Json::String(text) => return visit(legs, text),
        Json::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                legs.push(Leg::Element(at, items.len()));
                let goes_on = each_text(item, legs, visit)?;
                legs.pop();
                if !goes_on {
                    return Ok(false);
                }
            }
        }
        Json::Object(members) => {
            for (name, member) in members {
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

/// Whether a path leads to a place above one, or to it.
fn leads_to(path: &[Step], legs: &[Leg<'_>]) -> bool {
    let leads = |(step, leg): (&Step, &Leg<'_>)| match (step, leg) {
        (Step::Member(name), Leg::Member(own)) => name == own,
        (Step::Element(at), Leg::Element(own, _)) => at == own,
        (Step::Last, Leg::Element(own, count)) => own + 1 == *count,
        (Step::EachMember, Leg::Member(_)) | (Step::EachElement, Leg::Element(..)) => true,
        _ => false,
    };
    path.len() <= legs.len() && path.iter().zip(legs).all(leads)
}

/// A path as it is written: names that are more than letters, digits, `_` and `$` in quotes.
fn printed(legs: &[Leg<'_>]) -> String {
    let mut path = "$".to_owned();
    for leg in legs {
        match leg {
            Leg::Element(at, _) => path.push_str(&format!("[{at}]")),
            Leg::Member(name) => {
                let is_plain = !name.starts_with(|c: char| c.is_ascii_digit())
                    && !name.is_empty()
                    && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
                path.push('.');
                match is_plain {
                    true => path.push_str(name),
                    false => path.push_str(&Json::from(*name).to_string()),
                }
            }
        }
    }
    path
}
