//! Members of the objects in a JSON column as texts, and what is looked for in a text: its number,
//! its tokens, its parts of three characters.
//!
//! ```text
//! {"a": "x", "b": 1.50, "c": null, "d": [1, 2]}     a: x    b: 1.5    c: no member    d: [1,2]
//! number of " 12.5kg"                               12.5
//! tokens of "b, a b"                                b  a  b
//! parts of "a New  York" as words are looked for    "a n" " ne" "new" .. "ork" "rk" "k"
//! ```
//! A search for records by their columns and an index of these both read them here: what the one
//! finds the other has an entry for.
//!
//! Invariants
//! 1. Parts of a text that is contained in another are among the parts of that, but for the last
//!    two, with which parts of the other begin.
//!
//! Not here: entries of member indexes (`table::members`), conditions (crate `doors`).

use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// What a member index has entries of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MemberKind {
    /// The text.
    Lexical,
    /// Its number.
    Decimal,
    /// Each of its tokens.
    Token,
    /// Each of its parts of three characters.
    Qgram,
}

impl MemberKind {
    /// All of them.
    pub const ALL: [MemberKind; 4] =
        [MemberKind::Lexical, MemberKind::Decimal, MemberKind::Token, MemberKind::Qgram];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            MemberKind::Lexical => "LEXICAL",
            MemberKind::Decimal => "DECIMAL",
            MemberKind::Token => "TOKEN",
            MemberKind::Qgram => "QGRAM",
        }
    }
}

/// Characters of a part.
pub const PART_CHARS: usize = 3;

/// The texts of these members of an object, each `None` where it has no such; of one that is there
/// twice the last. What is no object has no members.
pub fn texts(json: &[u8], names: &[&str]) -> Vec<Option<String>> {
    let mut found = vec![None; names.len()];
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let read = deserializer.deserialize_map(Members { names, found: &mut found });
    if read.and_then(|()| deserializer.end()).is_err() {
        found.fill(None);
    }
    found
}

/// All members of an object as texts, in the order of their names; of one that is there twice the
/// last. What is no object has none.
pub fn all_texts(json: &[u8]) -> Vec<(String, String)> {
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let read = deserializer.deserialize_map(AllMembers);
    let Ok(mut members) = read.and_then(|members| deserializer.end().map(|()| members)) else {
        return Vec::new();
    };
    // Those of one name stay in the order in which they came.
    members.sort_by(|(one, _), (other, _)| one.cmp(other));
    members.dedup_by(|later, kept| {
        let is_same = later.0 == kept.0;
        if is_same {
            std::mem::swap(later, kept);
        }
        is_same
    });
    let texts = members.into_iter().filter_map(|(name, value)| Some((name, text_of(value)?)));
    texts.collect()
}

/// A member's value as text; `None` for null.
pub fn text_of(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

struct AllMembers;

impl<'de> Visitor<'de> for AllMembers {
    type Value = Vec<(String, Value)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

struct Members<'n> {
    names: &'n [&'n str],
    found: &'n mut [Option<String>],
}

impl<'de> Visitor<'de> for Members<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(position) = map.next_key_seed(Name(self.names))? {
            match position {
                Some(position) => self.found[position] = text_of(map.next_value()?),
                None => map.next_value::<IgnoredAny>().map(drop)?,
            }
        }
        Ok(())
    }
}

/// Which of these names a key is.
struct Name<'n>(&'n [&'n str]);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<Option<usize>, D::Error> {
        key.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, key: &str) -> Result<Option<usize>, E> {
        Ok(self.0.iter().position(|name| *name == key))
    }
}

/// The number with which a text begins, spaces in front left out; 0 if it begins with none.
pub fn number(text: &[u8]) -> f64 {
    let text = text.trim_ascii_start();
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    end += digits(end);
    if text.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if let Some(b'e' | b'E') = text.get(end) {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'-' | b'+')));
        let exponent = if end + 1 + sign <= text.len() { digits(end + 1 + sign) } else { 0 };
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    std::str::from_utf8(&text[..end]).ok().and_then(|text| text.parse().ok()).unwrap_or(0.0)
}

/// Tokens stand between spaces and commas.
pub fn tokens(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| matches!(byte, b' ' | b',')).filter(|token| !token.is_empty())
}

/// A text as words are looked for: without case, spaces as one.
pub fn normalized(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text).to_lowercase();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The parts of a normalized text: from each of its characters on three, or as many as are left.
pub fn parts(normalized: &str) -> impl Iterator<Item = &str> {
    normalized.char_indices().map(|(start, _)| {
        let rest = &normalized[start..];
        let end = rest.char_indices().nth(PART_CHARS).map_or(rest.len(), |(end, _)| end);
        &rest[..end]
    })
}
