//! Paths into JSON (MySQL 8.0 manual, 13.5, "JSON Path Syntax"): `$`, `.name`, `."quoted name"`
//! with the escapes of JSON, `[n]`, `[last]`, `[last-n]`, `[m to n]`, `.*`, `[*]`, and `**`, which
//! is any way down, none included.
//!
//! Invariants
//! 1. What is no array counts as an array of itself alone, unless a caller says otherwise.
//! 2. A path leads to a value once, though there be several ways.
//!
//! Not here: what is done at their ends (`json::calls`, `json::edit`, `json::search`).

use std::collections::HashSet;

use values::ErrorCode;
use values::datum::Datum;
use values::json::Json;

use crate::statement::error::{Error, Result};
use crate::value::cell::Cell;

/// A place in an array, counted from its beginning or from its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ArrayIndex {
    /// 0 is the first, or the last.
    pub at: usize,
    /// Whether it counts from the end.
    pub from_end: bool,
}

impl ArrayIndex {
    /// The place in an array of so many elements; `None` where it has none there.
    pub fn within(self, length: usize) -> Option<usize> {
        match self.from_end {
            false => Some(self.at).filter(|at| *at < length),
            true => length.checked_sub(self.at.checked_add(1)?),
        }
    }

    /// The place, or the first one where it would be before that.
    fn at_least(self, length: usize) -> usize {
        match self.from_end {
            false => self.at,
            true => length.saturating_sub(self.at.saturating_add(1)),
        }
    }
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Member(String),
    Element(ArrayIndex),
    /// From one element to another.
    Elements(ArrayIndex, ArrayIndex),
    EachMember,
    EachElement,
    /// `**`.
    AnyWay,
}

impl Step {
    fn is_wildcard(&self) -> bool {
        !matches!(self, Step::Member(_) | Step::Element(_))
    }

    /// Whether it leads from what is no array to that itself.
    pub fn stays_at_single(&self) -> bool {
        match self {
            Step::Element(index) => index.within(1).is_some(),
            Step::Elements(from, to) => {
                from.at_least(1) == 0 && (!to.from_end || to.within(1).is_some())
            }
            _ => false,
        }
    }
}

/// Whether it may lead to several values.
pub(crate) fn has_wildcard(path: &[Step]) -> bool {
    path.iter().any(Step::is_wildcard)
}

/// The path in an argument.
///
/// # Errors
/// 3143 for what is none.
pub(crate) fn path_of(cell: &Cell<'_>) -> Result<Vec<Step>> {
    let text = match cell.datum() {
        Datum::Bytes(text) => String::from_utf8_lossy(text).into_owned(),
        _ => String::from("?"),
    };
    parse(&text).map_err(|position| {
        Error::new(
            ErrorCode::InvalidJsonPath,
            format!(
                "Invalid JSON path expression. The error is around character position {position}."
            ),
        )
    })
}

/// The same of a path that has to lead to one value.
///
/// # Errors
/// 3149 for one with wildcards or ranges.
pub(crate) fn single_path_of(cell: &Cell<'_>) -> Result<Vec<Step>> {
    let path = path_of(cell)?;
    if has_wildcard(&path) {
        return Err(Error::new(
            ErrorCode::InvalidJsonPathWildcard,
            "In this situation, path expressions may not contain the * and ** tokens or an array range.",
        ));
    }
    Ok(path)
}

/// What is left of a path that is being read.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Passes over space; whether there was some.
    fn skip_space(&mut self) -> bool {
        let before = self.at;
        self.at = self.text.len() - self.rest().trim_start().len();
        self.at > before
    }

    fn skip(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    /// A step; an error is the place where it is none.
    fn step(&mut self) -> std::result::Result<Step, usize> {
        if self.skip("**") {
            return match self.rest().starts_with('*') {
                true => Err(self.at),
                false => Ok(Step::AnyWay),
            };
        }
        if self.skip("[") {
            return self.elements();
        }
        if self.skip(".") {
            self.skip_space();
            return match self.skip("*") {
                true => Ok(Step::EachMember),
                false => self.member(),
            };
        }
        Err(self.at)
    }

    fn elements(&mut self) -> std::result::Result<Step, usize> {
        self.skip_space();
        let step = if self.skip("*") {
            Step::EachElement
        } else {
            let from = self.index()?;
            let is_apart = self.skip_space();
            if is_apart && self.skip("to") {
                if !self.skip_space() {
                    return Err(self.at);
                }
                let to = self.index()?;
                let is_backwards = match (from.from_end, to.from_end) {
                    (false, false) => from.at > to.at,
                    (true, true) => from.at < to.at,
                    _ => false,
                };
                if is_backwards {
                    return Err(self.at);
                }
                Step::Elements(from, to)
            } else {
                Step::Element(from)
            }
        };
        self.skip_space();
        if self.skip("]") { Ok(step) } else { Err(self.at) }
    }

    fn index(&mut self) -> std::result::Result<ArrayIndex, usize> {
        let from_end = self.skip("last");
        if from_end {
            let before = self.at;
            self.skip_space();
            if !self.skip("-") {
                self.at = before;
                return Ok(ArrayIndex { at: 0, from_end });
            }
            self.skip_space();
        }
        let count = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let number: u32 = self.rest()[..count].parse().map_err(|_| self.at)?;
        self.at += count;
        Ok(ArrayIndex { at: number as usize, from_end })
    }

    /// The name behind a point: an identifier of ECMAScript, or anything in quotes.
    fn member(&mut self) -> std::result::Result<Step, usize> {
        let rest = self.rest();
        let is_quoted = rest.starts_with('"');
        let length = match is_quoted {
            true => quoted_length(rest).ok_or(self.text.len())?,
            false => rest
                .find(|c: char| c.is_whitespace() || matches!(c, '.' | '[' | '*'))
                .unwrap_or(rest.len()),
        };
        self.at += length;
        let written = &rest[..length];
        // Escapes are allowed in both.
        let name = match is_quoted {
            true => serde_json::from_str::<String>(written),
            false => serde_json::from_str(&format!("\"{written}\"")),
        };
        match name {
            Ok(name) if is_quoted || is_identifier(&name) => Ok(Step::Member(name)),
            _ => Err(self.at),
        }
    }
}

/// Bytes of a text in quotes, with both.
fn quoted_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Whether a name needs no quotes (ECMAScript 5.1, 7.6).
pub(crate) fn is_identifier(name: &str) -> bool {
    let begins = |c: char| c.is_alphabetic() || matches!(c, '$' | '_');
    // Marks that combine with a letter, and joiners.
    let follows = |c: char| {
        begins(c)
            || c.is_numeric()
            || matches!(c, '\u{300}'..='\u{36f}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}')
            || matches!(
                c,
                '\u{fe20}'..='\u{fe2f}' | '\u{200c}' | '\u{200d}' | '\u{203f}' | '\u{2040}'
            )
    };
    name.starts_with(begins) && name.chars().all(follows)
}

/// The steps of a path; an error is the place where it is none.
fn parse(text: &str) -> std::result::Result<Vec<Step>, usize> {
    let mut reader = Reader { text, at: 0 };
    reader.skip_space();
    if !reader.skip("$") {
        return Err(usize::from(!reader.rest().is_empty()));
    }
    let mut steps = Vec::new();
    reader.skip_space();
    while !reader.rest().is_empty() {
        steps.push(reader.step()?);
        reader.skip_space();
    }
    match steps.last() {
        Some(Step::AnyWay) => Err(reader.at),
        _ => Ok(steps),
    }
}

/// What a path leads to in a document, each value once.
pub(crate) fn find<'j>(document: &'j Json, path: &[Step]) -> Vec<&'j Json> {
    found(document, path, true)
}

/// The same where what is no array has no elements.
pub(crate) fn find_plainly<'j>(document: &'j Json, path: &[Step]) -> Vec<&'j Json> {
    found(document, path, false)
}

fn found<'j>(document: &'j Json, path: &[Step], single_is_array: bool) -> Vec<&'j Json> {
    let mut found = vec![document];
    let mut has_any_way = false;
    for step in path {
        let mut next = Vec::with_capacity(found.len());
        for value in found {
            go(value, step, single_is_array, &mut next);
        }
        has_any_way |= *step == Step::AnyWay;
        if has_any_way {
            // Several ways may have led there, and would do so again and again.
            let mut seen: HashSet<*const Json> = HashSet::with_capacity(next.len());
            next.retain(|value: &&Json| seen.insert(*value));
        }
        found = next;
    }
    found
}

fn go<'j>(value: &'j Json, step: &Step, single_is_array: bool, out: &mut Vec<&'j Json>) {
    match (step, value) {
        (Step::Member(name), Json::Object(members)) => out.extend(members.get(name)),
        (Step::EachMember, Json::Object(members)) => out.extend(members.values()),
        (Step::Element(index), Json::Array(items)) => {
            out.extend(index.within(items.len()).map(|at| &items[at]));
        }
        (Step::Elements(from, to), Json::Array(items)) => {
            let length = items.len();
            let end = match to.from_end {
                true => to.within(length).map_or(0, |at| at + 1),
                false => to.at.saturating_add(1).min(length),
            };
            out.extend(items.get(from.at_least(length)..end).into_iter().flatten());
        }
        (Step::EachElement, Json::Array(items)) => out.extend(items),
        (Step::AnyWay, value) => below(value, out),
        (step, single)
            if single_is_array && !matches!(single, Json::Array(_)) && step.stays_at_single() =>
        {
            out.push(single);
        }
        _ => {}
    }
}

/// A value and all below it, each before those below it.
fn below<'j>(value: &'j Json, out: &mut Vec<&'j Json>) {
    out.push(value);
    match value {
        Json::Array(items) => items.iter().for_each(|item| below(item, out)),
        Json::Object(members) => members.values().for_each(|member| below(member, out)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(document: &str, path: &str, expected: &[&str]) {
        let document = Json::read(document.as_bytes()).expect(document);
        let path = parse(path).expect(path);
        let shown = |value: &&Json| {
            let mut out = Vec::new();
            value.write(&mut out);
            String::from_utf8(out).expect("UTF-8")
        };
        assert_eq!(
            find(&document, &path).iter().map(shown).collect::<Vec<_>>(),
            expected,
            "{path:?}"
        );
    }

    #[test]
    fn escapes_in_quoted_names_are_those_of_json() {
        check(r#"{"b\\s": 1}"#, r#"$."b\\s""#, &["1"]);
        check(r#"{"ä": 1}"#, r#"$."\u00e4""#, &["1"]);
        check(r#"{"d\"q": 1}"#, r#"$."d\"q""#, &["1"]);
        check(r#"{"": 1}"#, r#"$."""#, &["1"]);
    }

    #[test]
    fn any_way_leads_to_each_value_once_in_the_order_of_the_document() {
        check(r#"{"a":{"a":1,"b":{"a":2}}}"#, "$**.a", &[r#"{"a": 1, "b": {"a": 2}}"#, "1", "2"]);
        check("[[1],[2,[3]]]", "$**[0]", &["[1]", "1", "2", "3"]);
        check("[[1],[2,[3]]]", "$**[last]", &["[2, [3]]", "1", "[3]", "2", "3"]);
        check(r#"{"a":[1,2,{"a":3}]}"#, "$.a**.a", &["3"]);
        check(r#"{"bb": 1, "c": 2}"#, "$.*", &["2", "1"]);
    }

    #[test]
    fn elements_count_from_the_end_and_stand_in_ranges() {
        for (path, expected) in [
            ("$[last]", vec!["4"]),
            ("$[last-1]", vec!["3"]),
            ("$[ last - 3 ]", vec!["1"]),
            ("$[last-4]", vec![]),
            ("$[0 to 1]", vec!["1", "2"]),
            ("$[1 to last-1]", vec!["2", "3"]),
            ("$[last-7 to 1]", vec!["1", "2"]),
            ("$[2 to 9]", vec!["3", "4"]),
            ("$[last to 2]", vec![]),
            ("$[1 to last-9]", vec![]),
        ] {
            check("[1,2,3,4]", path, &expected);
        }
        // What is no array is the only element of one.
        for (path, expected) in [
            ("$[0]", vec!["1"]),
            ("$[last]", vec!["1"]),
            ("$[last-1]", vec![]),
            ("$[0 to 1]", vec!["1"]),
            ("$[0 to last]", vec!["1"]),
            ("$[last-3 to 0]", vec!["1"]),
            ("$[1 to last]", vec![]),
            ("$[0 to last-1]", vec![]),
            ("$[*]", vec![]),
        ] {
            check("1", path, &expected);
        }
    }

    #[test]
    fn what_is_no_path_is_refused_where_it_ceases_to_be_one() {
        for (text, position) in [
            ("", 0),
            ("a", 1),
            ("$a", 1),
            ("$.", 2),
            ("$..a", 2),
            ("$.a.", 4),
            ("$**", 3),
            ("$***.a", 3),
            ("$[-1]", 2),
            ("$[1", 3),
            ("$[]", 2),
            ("$[1to2]", 3),
            ("$[0 to1]", 6),
            ("$[3 to 2]", 8),
            ("$[4294967296]", 2),
            ("$.1b", 4),
            ("$.a-b", 5),
            (r#"$."a"#, 4),
        ] {
            assert_eq!(parse(text), Err(position), "{text}");
        }
    }
}
