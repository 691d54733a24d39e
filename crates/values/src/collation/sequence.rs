//! The three collations that weigh no character by itself: latin2_czech_cs, cp1250_czech_cs and
//! tis620_thai_ci. A text becomes bytes, and those are compared.
//!
//! Czech goes over a text several times: letters, then their accents and case, then what stands
//! between them; `ch` is a letter. `czech.tables` has what MySQL 9.7 says of each byte
//! (`scripts/collation-weights charsets`); the order of the passes is MySQL's
//! (strings/ctype-czech.cc and ctype-win1250ch.cc). Thai puts vowels that are written before a
//! consonant behind it, and marks to the end (ctype-tis620.cc), where a mark may take the place of
//! another, as there.
//!
//! Invariants
//! 1. Of Czech no byte is 0, which ends a key.
//!
//! Not here: which bytes a character has (`charset`), keys (`key::text`).

use std::cmp::Ordering;
use std::sync::LazyLock;

use super::compare::compare_padded;
use super::numbered::{NumberedRule, rule};
use crate::charset::CharacterSet;
use crate::types::Collation;

const CZECH: &[u8; 6 * 256] = include_bytes!("czech.tables");
/// How often Czech of latin2 goes over a text.
const PASSES_LATIN2: usize = 4;
const PASSES_CP1250: usize = 2;
/// Ends a pass.
const PASS_END: u8 = 1;
/// A space, in tables of latin2.
const GAP: u8 = 2;
/// `ch`, `Ch` and `CH` in each pass.
const CH_LATIN2: [(&[u8; 2], [u8; PASSES_LATIN2]); 3] = [
    (b"ch", [0x0C, 0x19, 0x2F, 0x2F]),
    (b"Ch", [0x0C, 0x19, 0x30, 0x30]),
    (b"CH", [0x0C, 0x19, 0x31, 0x31]),
];
const CH_CP1250: [(&[u8; 2], [u8; PASSES_CP1250]); 3] =
    [(b"ch", [0xAD, 3]), (b"Ch", [0xAD, 2]), (b"CH", [0xAD, 1])];

/// Their character sets, in the order of the rules.
static SETS: LazyLock<[CharacterSet; 3]> = LazyLock::new(|| {
    ["latin2", "cp1250", "tis620"]
        .map(|name| CharacterSet::parse(name).unwrap_or(CharacterSet::BINARY))
});

/// One of these collations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SequenceRule {
    /// latin2_czech_cs.
    CzechLatin2,
    /// cp1250_czech_cs.
    CzechCp1250,
    /// tis620_thai_ci.
    Thai,
}

impl SequenceRule {
    /// That of a collation; `None` for all others.
    #[inline]
    pub(crate) fn of(collation: Collation) -> Option<SequenceRule> {
        match collation {
            Collation::Numbered(numbered) => match rule(numbered) {
                NumberedRule::Sequence(rule) => Some(rule),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether the shorter of two texts is compared as if spaces followed. The others pass over
    /// spaces at the end before they compare.
    pub(crate) fn pads(self) -> bool {
        self == SequenceRule::Thai
    }

    /// The bytes that stand for a text.
    pub(crate) fn bytes(self, text: &[u8]) -> Vec<u8> {
        let end = text.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
        self.bytes_of(&text[..end])
    }

    fn bytes_of(self, text: &[u8]) -> Vec<u8> {
        let text = SETS[self as usize].encode(text);
        match self {
            SequenceRule::CzechLatin2 => czech_latin2(&text),
            SequenceRule::CzechCp1250 => czech_cp1250(&text),
            SequenceRule::Thai => thai(&text),
        }
    }

    /// Compares two texts.
    pub(crate) fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        let (a, b) = (self.bytes(a), self.bytes(b));
        if self.pads() { compare_padded(&a, &b) } else { a.cmp(&b) }
    }

    /// Whether two characters are equal to LIKE: Czech takes them as they are.
    pub(crate) fn same(self, a: u32, b: u32) -> bool {
        let lower = |code: u32| u8::try_from(code).map_or(code, |b| b.to_ascii_lowercase().into());
        a == b || self == SequenceRule::Thai && lower(a) == lower(b)
    }

    /// Appends what WEIGHT_STRING shows.
    pub(crate) fn write_shown(self, text: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes_of(text));
        if self == SequenceRule::CzechLatin2 {
            out.push(0);
        }
    }
}

/// What a byte weighs in a pass.
fn weight(table: usize, byte: u8) -> u8 {
    CZECH[256 * table + usize::from(byte)]
}

/// The weight of what stands at a place, and how many bytes it takes.
fn weight_at<const N: usize>(
    text: &[u8],
    double: &[(&[u8; 2], [u8; N])],
    first_table: usize,
    pass: usize,
) -> (u8, usize) {
    match double.iter().find(|(letters, _)| text.starts_with(*letters)) {
        Some((_, weights)) => (weights[pass], 2),
        None => (weight(first_table + pass, text[0]), 1),
    }
}

/// The first two passes take turns from word to word; the third passes over repeated spaces, the
/// last keeps them, but at the end.
fn czech_latin2(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(PASSES_LATIN2 * (text.len() + 1));
    let (mut pass, mut at) = (0, 0);
    // Where the other one of the first two passes goes on.
    let mut other = 0;
    let is_last_gap = |byte: &&u8| weight(PASSES_LATIN2 - 1, **byte) == GAP;
    let end = text.len() - text.iter().rev().take_while(is_last_gap).count();
    loop {
        if at == text.len() {
            if pass == PASSES_LATIN2 - 1 {
                return out;
            }
            at = if pass == 0 { other } else { 0 };
            pass += 1;
            out.push(PASS_END);
            continue;
        }
        let (weight, bytes) = weight_at(&text[at..], &CH_LATIN2, 0, pass);
        at += bytes;
        match weight {
            0 => continue,
            GAP => {}
            weight => {
                out.push(weight);
                continue;
            }
        }
        if pass < PASSES_LATIN2 - 1 {
            let is_gap = |byte: &&u8| self::weight(pass, **byte) == GAP;
            at += text[at..].iter().take_while(is_gap).count();
        } else if at >= end {
            at = text.len();
        }
        if at == text.len() {
            continue;
        }
        out.push(GAP);
        if pass < 2 {
            pass = 1 - pass;
            (at, other) = (other, at);
        }
    }
}

fn czech_cp1250(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(PASSES_CP1250 * text.len());
    for pass in 0..PASSES_CP1250 {
        let mut at = 0;
        while at < text.len() {
            let (weight, bytes) = weight_at(&text[at..], &CH_CP1250, PASSES_LATIN2, pass);
            out.push(weight);
            at += bytes;
        }
    }
    out
}

/// A consonant comes before the vowel that is written in front of it. Marks of tones go to the end,
/// where MySQL's own routine leaves the weight of the last one alone, behind the text's last byte
/// once for each of the others (MySQL 9.7 compares so).
fn thai(text: &[u8]) -> Vec<u8> {
    const MARK_BIAS: u8 = 248;
    let is_consonant = |byte: &u8| (0xA1..=0xCE).contains(byte);
    let mut out = Vec::with_capacity(text.len());
    let (mut at, mut bias, mut marks, mut mark) = (0, MARK_BIAS, 0, 0);
    while let Some(byte) = text.get(at) {
        at += 1;
        match byte {
            ..0x80 => {
                bias = bias.wrapping_sub(8);
                out.push(byte.to_ascii_lowercase());
            }
            0xE0..=0xE4 if text.get(at).is_some_and(is_consonant) => {
                out.extend([text[at], *byte]);
                at += 1;
            }
            0xE7..=0xEC => {
                let kind = if *byte == 0xEC { 1 } else { byte - 0xE7 + 2 };
                (marks, mark) = (marks + 1, bias.wrapping_add(kind));
            }
            byte => {
                if is_consonant(byte) {
                    bias = bias.wrapping_sub(8);
                }
                out.push(*byte);
            }
        }
    }
    if let (1.., Some(last)) = (marks, text.last()) {
        out.resize(out.len() + marks - 1, *last);
        out.push(mark);
    }
    out
}
