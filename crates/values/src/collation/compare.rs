//! Order and equality of texts, and bytes that stand for them.
//!
//! Older text collations pad: the shorter text is compared as if spaces followed, so trailing
//! spaces never count and "a\t" is less than "a". `binary` and the collations of 9.0 do not pad.
//!
//! Not here: collations of listed weights (`leveled`), of whole texts (`sequence`), weights of
//! characters (`weights`), keys (`key`), which write the same bytes.

use std::cmp::Ordering;

use super::leveled::LeveledRule;
use super::sequence::SequenceRule;
use super::weights::{ASCII, next_character, weight};
use crate::types::Collation;

/// Compares two texts.
pub fn compare(collation: Collation, a: &[u8], b: &[u8]) -> Ordering {
    match collation.comparing() {
        Collation::Binary | Collation::Utf8Mb40900Bin => a.cmp(b),
        Collation::Utf8Mb4Bin => compare_padded(a, b),
        Collation::Utf8Mb4GeneralCi => compare_ci(a, b),
        other => match LeveledRule::of(other) {
            Some(rule) => rule.compare(a, b),
            None => SequenceRule::of(other).map_or_else(|| a.cmp(b), |rule| rule.compare(a, b)),
        },
    }
}

/// Compares bytes, the shorter ones as if spaces followed.
pub(super) fn compare_padded(a: &[u8], b: &[u8]) -> Ordering {
    let common = common_bytes(a, b);
    padded(&a[common..], &b[common..])
}

/// Whether two texts are equal.
#[inline]
pub fn equal(collation: Collation, a: &[u8], b: &[u8]) -> bool {
    a == b || !collation.is_by_bytes() && compare(collation, a, b) == Ordering::Equal
}

/// Appends the weights of a text's characters, as WEIGHT_STRING shows them: two bytes each under
/// `utf8mb4_general_ci`, three under `utf8mb4_bin`, bytes as they are, Unicode's weights level by
/// level (MariaDB 10.11 and MySQL 9.7 answer so: tests/oracle/sql/functions.sql, collations.sql).
pub fn write_shown_weights(collation: Collation, mut text: &[u8], out: &mut Vec<u8>) {
    let set = collation.set();
    let collation = collation.comparing();
    // The bytes of ascii_bin are its weights, too.
    if collation.is_by_bytes() || !set.is_unicode() && collation == Collation::Utf8Mb4Bin {
        return out.extend_from_slice(text);
    }
    if let Some(rule) = LeveledRule::of(collation) {
        return rule.write_shown(text, out);
    }
    if let Some(rule) = SequenceRule::of(collation) {
        return rule.write_shown(text, out);
    }
    while !text.is_empty() {
        let (character, bytes) = next_character(text);
        match collation {
            Collation::Utf8Mb4Bin => {
                let first = if set.has_supplements() { 1 } else { 2 };
                out.extend_from_slice(&character.to_be_bytes()[first..]);
            }
            _ => out.extend_from_slice(&weight(character).to_be_bytes()),
        }
        text = &text[bytes..];
    }
}

/// Bytes that `write_shown_weights` appends at most.
pub fn shown_weight_bytes(collation: Collation, text: &[u8]) -> usize {
    match LeveledRule::of(collation.comparing()) {
        Some(rule) => rule.shown_bytes(text),
        // Three bytes a character at most; of those by sequences a byte in each of four passes.
        None => text.len().saturating_mul(5).saturating_add(5),
    }
}

fn common_bytes(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

/// Compares what differs from the first byte on, or is the rest of the longer text.
fn padded(a: &[u8], b: &[u8]) -> Ordering {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => spaces_against(b.iter().map(|byte| u16::from(*byte))),
        (_, true) => spaces_against(a.iter().map(|byte| u16::from(*byte))).reverse(),
        // UTF-8 orders as its characters do.
        _ => a.cmp(b),
    }
}

/// Compares spaces with the rest of a longer text.
fn spaces_against(rest: impl Iterator<Item = u16>) -> Ordering {
    let mut rest = rest.skip_while(|weight| *weight == 0x20);
    rest.next().map_or(Ordering::Equal, |weight| 0x20.cmp(&weight))
}

fn compare_ci(a: &[u8], b: &[u8]) -> Ordering {
    // Most text begins as ASCII, whose weights are bytes.
    let mut at = 0;
    for (x, y) in a.iter().zip(b) {
        let (x, y) = (ASCII.get(usize::from(*x)), ASCII.get(usize::from(*y)));
        match (x, y) {
            (Some(x), Some(y)) if x == y => at += 1,
            (Some(x), Some(y)) => return x.cmp(y),
            _ => break,
        }
    }
    let (mut a, mut b) = (&a[at..], &b[at..]);
    loop {
        let ((x, x_bytes), (y, y_bytes)) = match (a, b) {
            ([], _) => return spaces_against(Weights(b)),
            (_, []) => return spaces_against(Weights(a)).reverse(),
            _ => (next_weight(a), next_weight(b)),
        };
        if x != y {
            return x.cmp(&y);
        }
        a = &a[x_bytes..];
        b = &b[y_bytes..];
    }
}

#[inline]
fn next_weight(text: &[u8]) -> (u16, usize) {
    match ASCII.get(usize::from(text[0])) {
        Some(weight) => (u16::from(*weight), 1),
        None => {
            let (character, bytes) = next_character(text);
            (weight(character), bytes)
        }
    }
}

/// The weights of a text's characters.
struct Weights<'a>(&'a [u8]);

impl Iterator for Weights<'_> {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        if self.0.is_empty() {
            return None;
        }
        let (weight, bytes) = next_weight(self.0);
        self.0 = &self.0[bytes..];
        Some(weight)
    }
}
