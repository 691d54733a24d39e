//! LIKE: `%` stands for any text, `_` for one character, the escape character for none.
//!
//! Characters are compared one by one by weight; nothing pads, so trailing spaces count.
//!
//! Not here: patterns that are matched by comparing bytes (`plain`); finding the beginning that all
//! matches share (the planner's work).

use resources::interrupt;

use super::leveled::LeveledRule;
use super::plain::like_plain;
use super::sequence::SequenceRule;
use super::weights::{next_character, weight};
use crate::types::Collation;

/// Characters between two looks whether the statement is to end.
const STEPS_UNASKED: u32 = 1 << 20;

/// What a pattern asks for next.
enum PatternStep {
    Any,
    One,
    This(u32),
}

/// Where a match of what follows a `%` can begin.
#[derive(Clone, Copy)]
enum Begin {
    Anywhere,
    /// At this byte.
    At(u8),
    /// At either of these, or at what is not ASCII: most texts are passed over byte by byte.
    AtEither(u8, u8),
    /// At either of these, in a text of ASCII alone.
    AtEitherOfAscii(u8, u8),
}

impl Begin {
    /// Of a pattern behind a `%`.
    fn of(collation: Collation, pattern: &[u8], escape: Option<u32>, is_ascii: bool) -> Begin {
        let Some((PatternStep::This(character), _)) = next_wanted(collation, pattern, escape)
        else {
            return Begin::Anywhere;
        };
        match (u8::try_from(character), collation) {
            (Ok(byte), Collation::Binary) => Begin::At(byte),
            (Ok(byte @ ..0x80), Collation::Utf8Mb4Bin | Collation::Utf8Mb40900Bin) => {
                Begin::At(byte)
            }
            // ASCII has no other weights in common than those of its letters' two cases.
            (Ok(byte @ ..0x80), Collation::Utf8Mb4GeneralCi) => {
                let (lower, upper) = (byte.to_ascii_lowercase(), byte.to_ascii_uppercase());
                match is_ascii {
                    true => Begin::AtEitherOfAscii(lower, upper),
                    false => Begin::AtEither(lower, upper),
                }
            }
            _ => Begin::Anywhere,
        }
    }

    /// The text from the first such place on, which is one where a character begins.
    fn find(self, text: &[u8]) -> Option<&[u8]> {
        let at = match self {
            Begin::Anywhere => 0,
            Begin::At(byte) => memchr::memchr(byte, text)?,
            Begin::AtEitherOfAscii(a, b) => memchr::memchr2(a, b, text)?,
            Begin::AtEither(a, b) => {
                text.iter().position(|byte| *byte == a || *byte == b || *byte >= 0x80)?
            }
        };
        Some(&text[at..])
    }
}

/// `text LIKE pattern ESCAPE escape`; `None` for no escape character. Under `binary` characters
/// are bytes. Takes time proportional to the product of both lengths at worst, and no stack.
pub fn like(collation: Collation, text: &[u8], pattern: &[u8], escape: Option<char>) -> bool {
    let collation = collation.comparing();
    let plain = like_plain(collation, text, pattern, escape);
    plain.unwrap_or_else(|| like_by_characters(collation, text, pattern, escape))
}

/// How far the keys of all texts that a pattern finds begin as this text does, with which the
/// pattern begins.
pub fn like_beginning(collation: Collation, text: &str) -> &str {
    let collation = collation.comparing();
    match SequenceRule::of(collation) {
        // Their keys do not begin as texts do.
        Some(_) => "",
        None => LeveledRule::of(collation).map_or(text, |rule| rule.like_beginning(text)),
    }
}

/// As `like`, whatever the pattern.
pub(super) fn like_by_characters(
    collation: Collation,
    text: &[u8],
    pattern: &[u8],
    escape: Option<char>,
) -> bool {
    let escape = escape.map(u32::from);
    let is_ascii = text.is_ascii();
    let (mut text, mut pattern) = (text, pattern);
    // Where to go on when what follows the last `%` did not match: one character further.
    let mut retry: Option<(&[u8], &[u8], Begin)> = None;
    let mut steps = 0u32;
    loop {
        // A long text and many `%` can take as long as the product of both. Nobody looks at the
        // answer of a statement that is to end.
        steps = steps.wrapping_add(1);
        if steps.is_multiple_of(STEPS_UNASKED) && interrupt::is_wanted() {
            return false;
        }
        let matched = match next_wanted(collation, pattern, escape) {
            Some((PatternStep::Any, rest)) => {
                if rest.is_empty() {
                    return true;
                }
                let begin = Begin::of(collation, rest, escape, is_ascii);
                let Some(from) = begin.find(text) else { return false };
                retry = Some((from, rest, begin));
                (text, pattern) = (from, rest);
                continue;
            }
            None if text.is_empty() => return true,
            None => None,
            Some((wanted, rest)) if !text.is_empty() => {
                let (character, bytes) = next(collation, text);
                let equal = match wanted {
                    PatternStep::This(this) => same(collation, this, character),
                    _ => true,
                };
                equal.then(|| (&text[bytes..], rest))
            }
            // More is wanted than there is, wherever the last `%` ended.
            Some(_) => return false,
        };
        match (matched, retry) {
            (Some((text_rest, pattern_rest)), _) => (text, pattern) = (text_rest, pattern_rest),
            (None, Some((from, rest, begin))) if !from.is_empty() => {
                let Some(from) = begin.find(&from[next(collation, from).1..]) else {
                    return false;
                };
                retry = Some((from, rest, begin));
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
    match collation {
        _ if a == b => true,
        Collation::Utf8Mb4GeneralCi => weight(a) == weight(b),
        _ => match SequenceRule::of(collation) {
            Some(rule) => rule.same(a, b),
            None => LeveledRule::of(collation).is_some_and(|rule| rule.same(a, b)),
        },
    }
}

/// The next element of a pattern and the rest of it. An escape character at the end is itself.
fn next_wanted(
    collation: Collation,
    pattern: &[u8],
    escape: Option<u32>,
) -> Option<(PatternStep, &[u8])> {
    if pattern.is_empty() {
        return None;
    }
    let (character, bytes) = next(collation, pattern);
    let rest = &pattern[bytes..];
    if Some(character) == escape && !rest.is_empty() {
        let (character, bytes) = next(collation, rest);
        return Some((PatternStep::This(character), &rest[bytes..]));
    }
    let wanted = match character {
        0x25 => PatternStep::Any,
        0x5F => PatternStep::One,
        _ => PatternStep::This(character),
    };
    Some((wanted, rest))
}
