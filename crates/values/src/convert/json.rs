//! Whether a text is JSON that every reader of documents accepts: no half of a surrogate pair, no
//! number beyond DOUBLE, nothing nested deeper than serde_json goes (128; MySQL: 100). MySQL
//! refuses them as well (3140, 3157).
//!
//! Not here: reading documents (`member`, crate `sql`).

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// Whether it is.
pub(super) fn is_readable(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| serde_json::from_str::<Readable>(text).is_ok())
}

/// A value that was read, unlike `IgnoredAny`, which is only passed over.
struct Readable;

impl<'de> Deserialize<'de> for Readable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Readable, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Readable;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Readable, E> {
        Ok(Readable)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Readable, E> {
        Ok(Readable)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Readable, E> {
        Ok(Readable)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Readable, E> {
        Ok(Readable)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Readable, E> {
        Ok(Readable)
    }

    fn visit_str<E>(self, _: &str) -> Result<Readable, E> {
        Ok(Readable)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Readable, A::Error> {
        while elements.next_element::<Readable>()?.is_some() {}
        Ok(Readable)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Readable, A::Error> {
        while members.next_entry::<Readable, Readable>()?.is_some() {}
        Ok(Readable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_some_readers_cannot_read_is_none() {
        let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        for (text, readable) in [
            (r#"{"a": [1, -2.5e3, null, true, "x\ud83d\ude00"], "b": {}}"#, true),
            (&nested(100), true),
            (&nested(200), false),
            (r#"{"a": "\ud800"}"#, false),
            (r#"{"\udc00": 1}"#, false),
            (r#"[1e999]"#, false),
            (r#"{"a": 1} 2"#, false),
            ("", false),
        ] {
            assert_eq!(is_readable(text.as_bytes()), readable, "{text}");
            let read = serde_json::from_str::<serde_json::Value>(text);
            assert_eq!(read.is_ok(), readable, "{text}");
        }
        assert!(!is_readable(b"\"\xff\""));
    }
}
