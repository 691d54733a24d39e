//! Text, binary strings and JSON.
//!
//! Lengths of CHAR and VARCHAR count characters, all others bytes. Spaces beyond the limit may be
//! cut: CHAR loses all spaces at its end anyway, VARCHAR notes it.

use super::json::is_readable;
use super::{Converted, Issue};
use crate::datum::Value;
use crate::decimal::is_space;
use crate::key::trim_spaces;
use crate::types::LobSize;

/// Valid UTF-8 of a text, each byte that belongs to no character as `?`; `None` if it is valid
/// itself.
fn mended(text: &[u8]) -> Option<Vec<u8>> {
    std::str::from_utf8(text).err()?;
    let mut out = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        out.extend_from_slice(chunk.valid().as_bytes());
        out.resize(out.len() + chunk.invalid().len(), b'?');
    }
    Some(out)
}

/// Where the first `chars` characters of a text end. A byte that belongs to no character counts
/// as one.
fn end_of_characters(text: &[u8], chars: usize) -> usize {
    if text.len() <= chars {
        return text.len();
    }
    let mut left = chars;
    let mut at = 0;
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            if left == 0 {
                return at;
            }
            at += character.len_utf8();
            left -= 1;
        }
        let bad = chunk.invalid().len().min(left);
        at += bad;
        left -= bad;
        if bad < chunk.invalid().len() {
            return at;
        }
    }
    at
}

/// What a text of limited length becomes: the text, what is wrong, and whether only spaces were
/// cut.
fn limited(text: &[u8], end: usize) -> (Vec<u8>, Option<Issue>, bool) {
    let (kept, rest) = text.split_at(end);
    let (value, invalid) = match mended(kept) {
        Some(value) => (value, true),
        None => (kept.to_vec(), false),
    };
    let only_spaces = rest.iter().all(|byte| is_space(*byte));
    let issue = match (invalid, only_spaces) {
        (true, _) => Some(Issue::InvalidUtf8),
        (false, false) => Some(Issue::TooLong),
        (false, true) => None,
    };
    (value, issue, !rest.is_empty() && only_spaces)
}

/// A CHAR of text.
pub(super) fn char_from_text(chars: u32, text: &[u8]) -> Converted {
    let (mut value, issue, _) = limited(text, end_of_characters(text, chars as usize));
    value.truncate(trim_spaces(&value).len());
    Converted { value: Value::Bytes(value), issue, note: false }
}

/// A VARCHAR of text.
pub(super) fn varchar_from_text(chars: u32, text: &[u8]) -> Converted {
    let (value, issue, cut) = limited(text, end_of_characters(text, chars as usize));
    Converted { value: Value::Bytes(value), issue, note: cut && issue.is_none() }
}

/// A TINYTEXT to LONGTEXT of text, cut between characters.
pub(super) fn text_from_text(size: LobSize, text: &[u8]) -> Converted {
    let limit = usize::try_from(size.bytes_max()).unwrap_or(usize::MAX);
    let mut end = text.len().min(limit);
    if end < text.len() {
        // At most three bytes back to where a character begins.
        let start = (0..4).find(|back| end >= *back && text[end - back] & 0xC0 != 0x80);
        end -= start.unwrap_or(0);
    }
    let (value, issue, cut) = limited(text, end);
    Converted { value: Value::Bytes(value), issue, note: cut && issue.is_none() }
}

/// A BINARY(n) of bytes: filled up with zeros.
pub(super) fn binary_from_bytes(length: u32, bytes: &[u8]) -> Converted {
    let mut converted = varbinary_from_bytes(length as usize, bytes);
    if let Value::Bytes(value) = &mut converted.value {
        value.resize(length as usize, 0);
    }
    converted
}

/// A VARBINARY or BLOB of bytes.
pub(super) fn varbinary_from_bytes(limit: usize, bytes: &[u8]) -> Converted {
    let kept = &bytes[..bytes.len().min(limit)];
    Converted {
        value: Value::Bytes(kept.to_vec()),
        issue: (kept.len() < bytes.len()).then_some(Issue::TooLong),
        note: false,
    }
}

/// A JSON of text: kept as it came in.
pub(super) fn json_from_text(text: &[u8]) -> Converted {
    match is_readable(text) {
        true => Converted::clean(Value::Bytes(text.to_vec())),
        false => Converted::with(Value::Null, Issue::InvalidJson),
    }
}
