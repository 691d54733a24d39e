//! JSON_PRETTY, JSON_STORAGE_SIZE and JSON_STORAGE_FREE: a document as MySQL lays it out, for
//! readers and in its own stored form.
//!
//! Invariants
//! 1. Memory for the result is taken before it is made: deep documents grow by their indents.
//!
//! Not here: MariaDB's layouts (`json::text`), how rows hold documents here, which is as text
//! (`values::row`).

use values::json::{Json, write_string};

use crate::functions::text::calls::made;
use crate::row::scope::Scope;
use crate::statement::error::Result;
use crate::tree::function::Function;
use crate::value::cell::Cell;

/// JSON_PRETTY: a member or an element on each line, two spaces further in.
///
/// # Errors
/// Without memory, and those of results that are too long.
pub(crate) fn pretty<'a>(document: &Json, scope: &Scope<'a>) -> Result<Cell<'a>> {
    made(Function::JsonPretty, pretty_bytes(document, 0), scope, || {
        let mut out = Vec::new();
        write_pretty(document, 0, &mut out);
        out
    })
}

/// Bytes that it has, or more.
fn pretty_bytes(value: &Json, depth: usize) -> usize {
    let line = |bytes: usize| bytes.saturating_add(2 * depth + 6);
    match value {
        Json::Array(items) => items
            .iter()
            .fold(line(0), |sum, item| sum.saturating_add(line(pretty_bytes(item, depth + 1)))),
        Json::Object(members) => members.iter().fold(line(0), |sum, (name, member)| {
            let bytes = pretty_bytes(member, depth + 1).saturating_add(6 * name.len() + 4);
            sum.saturating_add(line(bytes))
        }),
        Json::String(text) => 6 * text.len() + 2,
        _ => 90,
    }
}

fn write_pretty(value: &Json, depth: usize, out: &mut Vec<u8>) {
    let line = |depth: usize, out: &mut Vec<u8>| {
        out.push(b'\n');
        out.resize(out.len() + 2 * depth, b' ');
    };
    match value {
        Json::Array(items) if !items.is_empty() => {
            out.push(b'[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    out.push(b',');
                }
                line(depth + 1, out);
                write_pretty(item, depth + 1, out);
            }
            line(depth, out);
            out.push(b']');
        }
        Json::Object(members) if !members.is_empty() => {
            out.push(b'{');
            for (n, (name, member)) in members.iter().enumerate() {
                if n > 0 {
                    out.push(b',');
                }
                line(depth + 1, out);
                write_string(name, out);
                out.extend_from_slice(b": ");
                write_pretty(member, depth + 1, out);
            }
            line(depth, out);
            out.push(b'}');
        }
        single => single.write(out),
    }
}

/// JSON_STORAGE_SIZE: bytes that MySQL would store it in (its sources, sql-common/json_binary.h):
/// one for the type, then the value.
pub(crate) fn storage_size(document: &Json) -> i64 {
    i64::try_from(1 + stored_bytes(document)).unwrap_or(i64::MAX)
}

/// Arrays and objects whose bytes need no more than two bytes to be counted have small offsets.
const SMALL_BYTES: usize = 1 << 16;

fn stored_bytes(value: &Json) -> usize {
    match value {
        Json::Null | Json::Bool(_) => 1,
        Json::Int(value) => match value {
            -0x8000..=0x7fff => 2,
            -0x8000_0000..=0x7fff_ffff => 4,
            _ => 8,
        },
        Json::UInt(_) | Json::Double(_) | Json::Decimal(_) => 8,
        Json::String(text) => length_bytes(text.len()) + text.len(),
        Json::Array(items) => several(items.iter(), 0, [0, 0]),
        Json::Object(members) => {
            let names = members.iter().map(|(name, _)| name.len()).sum();
            several(members.values(), names, [4 * members.len(), 6 * members.len()])
        }
    }
}

/// A header, the entries of names, an entry for each value, and what does not fit into its entry:
/// small, or large where that is too much.
fn several<'j>(
    values: impl Iterator<Item = &'j Json>,
    names: usize,
    name_entries: [usize; 2],
) -> usize {
    let (mut small, mut large) = (4 + names + name_entries[0], 8 + names + name_entries[1]);
    for value in values {
        let bytes = stored_bytes(value);
        let outside = |within: usize| match value {
            Json::Null | Json::Bool(_) | Json::Int(_) | Json::UInt(_) if bytes <= within => 0,
            _ => bytes,
        };
        small += 3 + outside(2);
        large += 5 + outside(4);
    }
    if small < SMALL_BYTES { small } else { large }
}

/// Bytes of a text's length, seven bits in each.
fn length_bytes(length: usize) -> usize {
    let bits = usize::BITS - length.leading_zeros();
    (bits.max(1) as usize).div_ceil(7)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Json {
        Json::read(text.as_bytes()).expect(text)
    }

    #[test]
    fn a_document_has_a_member_on_each_line() {
        let mut out = Vec::new();
        write_pretty(&read(r#"{"a":1,"b":[1,{"c":{}}],"d":[]}"#), 0, &mut out);
        let expected = "{\n  \"a\": 1,\n  \"b\": [\n    1,\n    {\n      \"c\": {}\n    }\n  ],\n  \"d\": []\n}";
        assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
    }

    #[test]
    fn bytes_are_counted_as_mysql_stores_them() {
        for (text, bytes) in [
            ("1", 3),
            (r#""abc""#, 5),
            ("[1,2]", 11),
            (r#"{"a":1}"#, 13),
            (r#"{"a":"b","c":[1,2,3.5,null,true,70000,10000000000]}"#, 68),
            ("null", 2),
            ("1.5", 9),
        ] {
            assert_eq!(storage_size(&read(text)), bytes, "{text}");
        }
    }
}
