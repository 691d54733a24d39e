//! LIKE: `%` stands for any text, `_` for one character, the escape character for none.
//!
//! Characters are compared one by one by weight; nothing pads, so trailing spaces count.
//!
//! Not here: finding the beginning that all matches share (the planner's work).

use super::weights::{next_character, weight};
use crate::types::Collation;

/// What a pattern asks for next.
enum Wanted {
    Any,
    One,
    This(u32),
}

/// `text LIKE pattern ESCAPE escape`; `None` for no escape character. Under `binary` characters
/// are bytes. Takes time proportional to the product of both lengths at worst, and no stack.
pub fn like(collation: Collation, text: &[u8], pattern: &[u8], escape: Option<char>) -> bool {
    let escape = escape.map(u32::from);
    let (mut text, mut pattern) = (text, pattern);
    // Where to go on when what follows the last `%` did not match: one character further.
    let mut retry: Option<(&[u8], &[u8])> = None;
    loop {
        let matched = match next_wanted(collation, pattern, escape) {
            Some((Wanted::Any, rest)) => {
                if rest.is_empty() {
                    return true;
                }
                retry = Some((text, rest));
                pattern = rest;
                continue;
            }
            None if text.is_empty() => return true,
            None => None,
            Some((wanted, rest)) if !text.is_empty() => {
                let (character, bytes) = next(collation, text);
                let equal = match wanted {
                    Wanted::This(this) => same(collation, this, character),
                    _ => true,
                };
                equal.then(|| (&text[bytes..], rest))
            }
            // More is wanted than there is, wherever the last `%` ended.
            Some(_) => return false,
        };
        match (matched, retry) {
            (Some((text_rest, pattern_rest)), _) => (text, pattern) = (text_rest, pattern_rest),
            (None, Some((from, rest))) if !from.is_empty() => {
                let from = &from[next(collation, from).1..];
                retry = Some((from, rest));
                (text, pattern) = (from, rest);
            }
            _ => return false,
        }
    }
}

fn next(collation: Collation, text: &[u8]) -> (u32, usize) {
    match collation {
        Collation::Binary => (u32::from(text[0]), 1),
        _ => next_character(text),
    }
}

fn same(collation: Collation, a: u32, b: u32) -> bool {
    a == b || collation == Collation::Utf8Mb4GeneralCi && weight(a) == weight(b)
}

/// The next element of a pattern and the rest of it. An escape character at the end is itself.
fn next_wanted(
    collation: Collation,
    pattern: &[u8],
    escape: Option<u32>,
) -> Option<(Wanted, &[u8])> {
    if pattern.is_empty() {
        return None;
    }
    let (character, bytes) = next(collation, pattern);
    let rest = &pattern[bytes..];
    if Some(character) == escape && !rest.is_empty() {
        let (character, bytes) = next(collation, rest);
        return Some((Wanted::This(character), &rest[bytes..]));
    }
    let wanted = match character {
        0x25 => Wanted::Any,
        0x5F => Wanted::One,
        _ => Wanted::This(character),
    };
    Some((wanted, rest))
}
