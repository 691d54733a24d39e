//! JSON documents as trees: how they are read, printed, and made of values of SQL.
//!
//! Invariants
//! 1. Members stand in MySQL's order of names, by length and then by bytes, and each name once: of
//!    several equal ones the last counts (MySQL 8.0 manual, 13.5).
//! 2. What is printed is read again as an equal document.
//!
//! Not here: the order of documents (`value::json::order`), paths into them (`json::path`),
//! functions (`json::calls`).

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use values::codes::to_base64;
use values::datum::Datum;
use values::decimal::Decimal;
use values::temporal::Zone;
use values::text::{write_text, write_untyped};
use values::types::ColumnType;

use crate::value::cell::bytes_of;
use crate::value::number::Number;
use crate::value::types::TRUTH;

/// A document or a part of one.
#[derive(Clone, Debug)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Int(i64),
    /// One above those of `Int`.
    UInt(u64),
    Double(f64),
    /// Of a value of SQL; no text of a document gives one.
    Decimal(Box<Decimal>),
    String(String),
    Array(Vec<Json>),
    Object(Members),
}

/// The members of an object, in MySQL's order of names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Members(Vec<(String, Json)>);

/// The order of names.
fn name_order(a: &str, b: &str) -> std::cmp::Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

impl Members {
    /// Those of pairs in any order; of equal names the last counts.
    fn of(mut pairs: Vec<(String, Json)>) -> Members {
        // Stable, so that equal names stay in their order, and the last is the first from behind.
        pairs.sort_by(|(a, _), (b, _)| name_order(a, b));
        pairs.reverse();
        pairs.dedup_by(|(a, _), (b, _)| a == b);
        pairs.reverse();
        Members(pairs)
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(own, _)| name_order(own, name))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn get(&self, name: &str) -> Option<&Json> {
        self.place(name).ok().map(|at| &self.0[at].1)
    }

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

    pub fn remove(&mut self, name: &str) -> Option<Json> {
        self.place(name).ok().map(|at| self.0.remove(at).1)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    pub fn values(&self) -> impl Iterator<Item = &Json> {
        self.0.iter().map(|(_, value)| value)
    }

    pub fn into_pairs(self) -> Vec<(String, Json)> {
        self.0
    }
}

/// A text is no document; `fault` says why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotJson;

impl Json {
    /// The document that a text is.
    ///
    /// # Errors
    /// If it is none.
    pub fn read(text: &[u8]) -> Result<Json, NotJson> {
        serde_json::from_slice(text).map_err(|_| NotJson)
    }

    /// What a value of SQL is as JSON: a text stays a text, but for one that is JSON itself; times
    /// have six digits of a second, binary strings are written in Base64 behind the number of their
    /// type, as in MySQL.
    pub fn of(ty: &ColumnType, datum: Datum<'_>, zone: Zone) -> Json {
        let mut text = Vec::new();
        match datum {
            Datum::Null => return Json::Null,
            Datum::Int(value) if *ty == TRUTH => return Json::Bool(value != 0),
            Datum::Int(value) => return Json::Int(value),
            Datum::UInt(_) if matches!(ty, ColumnType::Bit { .. }) => {
                write_text(ty, datum, zone, &mut text);
                return Json::of_bytes(ty, &text);
            }
            Datum::UInt(value) => return Json::of_unsigned(value),
            Datum::Year(value) => return Json::Int(i64::from(value)),
            Datum::Decimal(value) => {
                let shown = match ty {
                    ColumnType::Decimal { scale, .. } => value.rescale(*scale).unwrap_or(value),
                    _ => value,
                };
                return Json::Decimal(Box::new(shown));
            }
            datum @ (Datum::Float(_) | Datum::Double(_)) => {
                let value = Number::of(datum, zone).map_or(0.0, |(number, _)| number.to_f64());
                return if value.is_finite() { Json::Double(value) } else { Json::Null };
            }
            Datum::Bytes(bytes) => return Json::of_bytes(ty, bytes),
            Datum::Date(value) => value.write(&mut text),
            Datum::DateTime(value) => value.write(6, &mut text),
            Datum::Timestamp(value) => value.to_datetime(zone).write(6, &mut text),
            Datum::Time(value) => value.write(6, &mut text),
            datum @ (Datum::Enum(_) | Datum::Set(_)) => {
                let mut buffer = Vec::new();
                text.extend_from_slice(bytes_of(ty, datum, zone, &mut buffer));
            }
        }
        Json::String(String::from_utf8_lossy(&text).into_owned())
    }

    fn of_unsigned(value: u64) -> Json {
        i64::try_from(value).map_or(Json::UInt(value), Json::Int)
    }

    fn of_bytes(ty: &ColumnType, bytes: &[u8]) -> Json {
        // The numbers of the types in MySQL's protocol.
        let number = match ty {
            ColumnType::Json => {
                return Json::read(bytes).unwrap_or_else(|_| Json::of_text(bytes));
            }
            ColumnType::VarBinary { .. } => 15,
            ColumnType::Bit { .. } => 16,
            ColumnType::Binary { .. } => 254,
            ColumnType::Blob { .. } => 252,
            _ => return Json::of_text(bytes),
        };
        let encoded = to_base64(bytes, None);
        Json::String(format!("base64:type{number}:{}", String::from_utf8_lossy(&encoded)))
    }

    fn of_text(bytes: &[u8]) -> Json {
        Json::String(String::from_utf8_lossy(bytes).into_owned())
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
pub(crate) fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for byte in text.bytes() {
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            8 => out.extend_from_slice(b"\\b"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            12 => out.extend_from_slice(b"\\f"),
            b'\r' => out.extend_from_slice(b"\\r"),
            0..32 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            other => out.push(other),
        }
    }
    out.push(b'"');
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(Reading)
    }
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::of_unsigned(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Double(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = elements.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = members.next_entry()? {
            pairs.push(pair);
        }
        Ok(Json::Object(Members::of(pairs)))
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
