//! Text, binary strings and JSON.
//!
//! Lengths of CHAR and VARCHAR count characters, all others bytes, those of TEXT in its character
//! set. Text is kept as UTF-8; what its character set does not have becomes `?`, and what is no
//! text ends it. Spaces beyond the limit may be cut: CHAR loses all spaces at its end anyway,
//! VARCHAR notes it.

use super::{Converted, Issue};
use crate::charset::CharacterSet;
use crate::datum::Value;
use crate::decimal::is_space;
use crate::json::printed;
use crate::key::trim_spaces;
use crate::types::{ColumnType, LobSize};

/// Valid UTF-8 of a text in the characters of a set, each other one as `?`, up to the first byte
/// that belongs to no character; `None` if it is that itself.
fn mended(text: &[u8], set: CharacterSet) -> Option<Vec<u8>> {
    let is_utf8 = std::str::from_utf8(text).is_ok();
    if is_utf8 && set.has_all(text) {
        return None;
    }
    let mut out = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            let character = if set.has(character) { character } else { '?' };
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        if !chunk.invalid().is_empty() {
            break;
        }
    }
    Some(out)
}

/// Where in a text its first character stands that a column of the type cannot have.
pub fn first_unstorable(ty: &ColumnType, text: &[u8]) -> Option<usize> {
    let set = ty.collation()?.set();
    let mut at = 0;
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            if !set.has(character) {
                return Some(at);
            }
            at += character.len_utf8();
        }
        if !chunk.invalid().is_empty() {
            return Some(at);
        }
    }
    None
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
fn limited(text: &[u8], end: usize, set: CharacterSet) -> (Vec<u8>, Option<Issue>, bool) {
    let (kept, rest) = text.split_at(end);
    let (value, invalid) = match mended(kept, set) {
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
pub(super) fn char_from_text(chars: u32, text: &[u8], set: CharacterSet) -> Converted {
    let (mut value, issue, _) = limited(text, end_of_characters(text, chars as usize), set);
    value.truncate(trim_spaces(&value).len());
    Converted { value: Value::Bytes(value), issue, note: false }
}

/// A VARCHAR of text.
pub(super) fn varchar_from_text(chars: u32, text: &[u8], set: CharacterSet) -> Converted {
    let (value, issue, cut) = limited(text, end_of_characters(text, chars as usize), set);
    Converted { value: Value::Bytes(value), issue, note: cut && issue.is_none() }
}

/// A TINYTEXT to LONGTEXT of text, cut between characters where its set takes more bytes.
pub(super) fn text_from_text(size: LobSize, text: &[u8], set: CharacterSet) -> Converted {
    let (value, issue, cut) = limited(text, end_of_bytes(text, size.bytes_max(), set), set);
    Converted { value: Value::Bytes(value), issue, note: cut && issue.is_none() }
}

/// Where the characters of a text end that take so many bytes in a set.
pub(super) fn end_of_bytes(text: &[u8], bytes_max: u64, set: CharacterSet) -> usize {
    let limit = usize::try_from(bytes_max).unwrap_or(usize::MAX);
    if !set.is_utf8() {
        // No character takes fewer bytes in UTF-8 than one, nor more than four elsewhere.
        if text.len() as u64 * u64::from(set.bytes_max()) <= bytes_max {
            return text.len();
        }
        let (mut at, mut bytes) = (0, 0);
        for chunk in text.utf8_chunks() {
            let characters = chunk.valid().chars().map(|one| (one.len_utf8(), set.bytes_of(one)));
            for (length, own) in characters.chain(chunk.invalid().iter().map(|_| (1, 1))) {
                bytes += own as usize;
                if bytes > limit {
                    return at;
                }
                at += length;
            }
        }
        return at;
    }
    let mut end = text.len().min(limit);
    if end < text.len() {
        // At most three bytes back to where a character begins.
        let start = (0..4).find(|back| end >= *back && text[end - back] & 0xC0 != 0x80);
        end -= start.unwrap_or(0);
    }
    end
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

/// A JSON of text: as MySQL prints it.
pub(super) fn json_from_text(text: &[u8]) -> Converted {
    match printed(text) {
        Ok(document) => Converted::clean(Value::Bytes(document)),
        Err(fault) => Converted::with(Value::Null, Issue::InvalidJson(fault)),
    }
}
