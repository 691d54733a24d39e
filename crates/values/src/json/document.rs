//! JSON documents as trees: how they are read, printed, and made of values of SQL.
//!
//! Invariants
//! 1. ObjectMembers stand in MySQL's order of names, by length and then by bytes, and each name
//!    once: of several equal ones the last counts (MySQL 8.0 manual, 13.5).
//! 2. What is printed is read again as an equal document.
//!
//! Not here: texts of clients (`reader`), which are printed without a tree (`printed`); documents
//! of values of SQL, their order, paths and functions (crate `expression`).

use std::borrow::Cow;
use std::cmp::Ordering;

use super::reader::{JsonFault, Pieces, Scalar, read};
use crate::datum::Datum;
use crate::decimal::Decimal;
use crate::temporal::Zone;
use crate::text::write_untyped;

/// A document or a part of one.
#[derive(Clone, Debug)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number without a fraction.
    Int(i64),
    /// One above those of `Int`.
    UInt(u64),
    /// Any other number.
    Double(f64),
    /// Of a value of SQL; no text of a document gives one.
    Decimal(Box<Decimal>),
    /// A text.
    String(String),
    /// Values in their order.
    Array(Vec<Json>),
    /// Names and values.
    Object(ObjectMembers),
}

/// The members of an object, in MySQL's order of names.
#[derive(Clone, Debug, Default)]
pub struct ObjectMembers(Vec<(String, Json)>);

/// The order of names.
pub(super) fn name_order(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

impl ObjectMembers {
    /// Those of pairs in any order; of equal names the last counts.
    fn of(mut pairs: Vec<(String, Json)>) -> ObjectMembers {
        // Stable, so that equal names stay in their order, and the last is the first from behind.
        pairs.sort_by(|(a, _), (b, _)| name_order(a, b));
        pairs.reverse();
        pairs.dedup_by(|(a, _), (b, _)| a == b);
        pairs.reverse();
        ObjectMembers(pairs)
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(own, _)| name_order(own, name))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.place(name).ok().map(|at| &self.0[at].1)
    }

    /// The value of a name, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Json> {
        self.place(name).ok().map(|at| &mut self.0[at].1)
    }

    /// Adds a member, or gives it another value.
    pub fn insert(&mut self, name: String, value: Json) {
        match self.place(&name) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (name, value)),
        }
    }

    /// Takes a member out.
    pub fn remove(&mut self, name: &str) -> Option<Json> {
        self.place(name).ok().map(|at| self.0.remove(at).1)
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Values in the order of names.
    pub fn values(&self) -> impl Iterator<Item = &Json> {
        self.0.iter().map(|(_, value)| value)
    }

    /// Names and values, on their own.
    pub fn into_pairs(self) -> Vec<(String, Json)> {
        self.0
    }
}

impl Json {
    /// The document that a text is.
    ///
    /// # Errors
    /// Why it is none.
    pub fn read(text: &[u8]) -> Result<Json, JsonFault> {
        let mut tree = Tree { whole: Json::Null, open: Vec::new() };
        read(text, &mut tree)?;
        Ok(tree.whole)
    }

    /// An unsigned number.
    pub fn of_unsigned(value: u64) -> Json {
        i64::try_from(value).map_or(Json::UInt(value), Json::Int)
    }

    /// Whether it is neither an array nor an object.
    pub fn is_scalar(&self) -> bool {
        !matches!(self, Json::Array(_) | Json::Object(_))
    }

    /// What it is, in MySQL's words.
    pub fn type_name(&self) -> &'static str {
        match self {
            Json::Null => "NULL",
            Json::Bool(_) => "BOOLEAN",
            Json::Int(_) => "INTEGER",
            Json::UInt(_) => "UNSIGNED INTEGER",
            Json::Double(_) => "DOUBLE",
            Json::Decimal(_) => "DECIMAL",
            Json::String(_) => "STRING",
            Json::Array(_) => "ARRAY",
            Json::Object(_) => "OBJECT",
        }
    }

    /// Leaves `null` in its place.
    pub fn take(&mut self) -> Json {
        std::mem::replace(self, Json::Null)
    }

    /// Appends it as MySQL prints it: a space behind `,` and `:`.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Json::Array(items) => {
                out.push(b'[');
                for (n, item) in items.iter().enumerate() {
                    if n > 0 {
                        out.extend_from_slice(b", ");
                    }
                    item.write(out);
                }
                out.push(b']');
            }
            Json::Object(members) => {
                out.push(b'{');
                for (n, (name, value)) in members.iter().enumerate() {
                    if n > 0 {
                        out.extend_from_slice(b", ");
                    }
                    write_string(name, out);
                    out.extend_from_slice(b": ");
                    value.write(out);
                }
                out.push(b'}');
            }
            single => single.write_scalar(out),
        }
    }

    /// Appends what is neither an array nor an object.
    pub fn write_scalar(&self, out: &mut Vec<u8>) {
        let number = |datum, out: &mut Vec<u8>| write_untyped(datum, Zone::UTC, out);
        match self {
            Json::Null => out.extend_from_slice(b"null"),
            Json::Bool(true) => out.extend_from_slice(b"true"),
            Json::Bool(false) => out.extend_from_slice(b"false"),
            Json::Int(value) => number(Datum::Int(*value), out),
            Json::UInt(value) => number(Datum::UInt(*value), out),
            Json::Decimal(value) => number(Datum::Decimal(**value), out),
            Json::Double(value) if *value == 0.0 && value.is_sign_negative() => {
                out.extend_from_slice(b"-0.0");
            }
            Json::Double(value) => {
                let start = out.len();
                number(Datum::Double(*value), out);
                if !out[start..].iter().any(|byte| matches!(byte, b'.' | b'e')) {
                    out.extend_from_slice(b".0");
                }
            }
            Json::String(text) => write_string(text, out),
            Json::Array(_) | Json::Object(_) => {}
        }
    }
}

/// Appends a text in quotes, with what has to be escaped.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        if !matches!(byte, b'"' | b'\\' | 0..32) {
            continue;
        }
        out.extend_from_slice(&text.as_bytes()[plain..at]);
        plain = at + 1;
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            8 => out.extend_from_slice(b"\\b"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            12 => out.extend_from_slice(b"\\f"),
            b'\r' => out.extend_from_slice(b"\\r"),
            _ => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
        }
    }
    out.extend_from_slice(&text.as_bytes()[plain..]);
    out.push(b'"');
}

impl From<Scalar<'_>> for Json {
    fn from(value: Scalar<'_>) -> Json {
        match value {
            Scalar::Null => Json::Null,
            Scalar::Bool(truth) => Json::Bool(truth),
            Scalar::Int(value) => Json::Int(value),
            Scalar::UInt(value) => Json::UInt(value),
            Scalar::Double(value) => Json::Double(value),
            Scalar::String(text) => Json::String(text.into_owned()),
        }
    }
}

/// A tree that grows as its text is read.
struct Tree {
    /// The document, once it is read.
    whole: Json,
    open: Vec<OpenContainer>,
}

/// An array or object that is being read.
enum OpenContainer {
    Array(Vec<Json>),
    /// ObjectMembers in the order of the text; the last has no value before that is read.
    Object(Vec<(String, Json)>),
}

impl Tree {
    fn put(&mut self, value: Json) {
        match self.open.last_mut() {
            None => self.whole = value,
            Some(OpenContainer::Array(items)) => items.push(value),
            Some(OpenContainer::Object(pairs)) => {
                if let Some((_, last)) = pairs.last_mut() {
                    *last = value;
                }
            }
        }
    }
}

impl<'t> Pieces<'t> for Tree {
    fn open_array(&mut self) {
        self.open.push(OpenContainer::Array(Vec::new()));
    }

    fn open_object(&mut self) {
        self.open.push(OpenContainer::Object(Vec::new()));
    }

    fn name(&mut self, name: Cow<'t, str>) {
        if let Some(OpenContainer::Object(pairs)) = self.open.last_mut() {
            pairs.push((name.into_owned(), Json::Null));
        }
    }

    fn scalar(&mut self, value: Scalar<'t>) {
        self.put(value.into());
    }

    fn close(&mut self) {
        match self.open.pop() {
            Some(OpenContainer::Array(items)) => self.put(Json::Array(items)),
            Some(OpenContainer::Object(pairs)) => self.put(Json::Object(ObjectMembers::of(pairs))),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut out = Vec::new();
        Json::read(text.as_bytes()).expect(text).write(&mut out);
        assert_eq!(String::from_utf8(out).expect("UTF-8"), expected, "{text}");
    }

    #[test]
    fn members_are_printed_in_the_order_of_their_names_lengths_and_the_last_of_equal_ones_counts() {
        check(
            r#"{"b":1,"aa":2,"a":3,"b":{"y":[],"x":{}}}"#,
            r#"{"a": 3, "b": {"x": {}, "y": []}, "aa": 2}"#,
        );
    }

    #[test]
    fn numbers_are_printed_as_mysql_prints_doubles() {
        for (text, expected) in [
            ("1e20", "1e20"),
            ("1e14", "100000000000000.0"),
            ("1e15", "1e15"),
            ("1E-5", "0.00001"),
            ("1e-15", "0.000000000000001"),
            ("1e-20", "1e-20"),
            ("-0.0", "-0.0"),
            ("0.1e1", "1.0"),
            ("18446744073709551615", "18446744073709551615"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn only_what_has_to_be_is_escaped() {
        check(r#""\u00e4\/\n\u0001\"\\\b\f""#, r#""ä/\n\u0001\"\\\b\f""#);
        check("\"\u{7f}\"", "\"\u{7f}\"");
    }
}
