//! Text in keys under collations of Unicode's weights.
//!
//! ```text
//! without padding:  weights of letters, 2 bytes each, 00 01; with more levels, for each: weights in
//!                   one byte below F0, else in two (F0 | high byte, low byte), 01
//! with padding:     weights of letters without those of spaces at the end; behind each space's
//!                   00 01 if the next that is none is below it, 00 03 if above; then a space's
//!                   and 00 02
//! ```
//!
//! Invariants
//! 1. Bytes order as `collation::compare` orders the texts, also when more bytes follow: a letter's
//!    first byte is above 00, and no weight of another level is below 02.
//!
//! Not here: the weights (`collation::unicode`), other text (`text`).

use crate::collation::{LeveledRule, TextWeights};

const LEVEL_END: u8 = 0x01;
/// From here on a weight of a lower level takes two bytes.
const LONG: u16 = 0xF0;
const BELOW: [u8; 2] = [0x00, 0x01];
const END: [u8; 2] = [0x00, 0x02];
const ABOVE: [u8; 2] = [0x00, 0x03];
const LETTERS_END: [u8; 2] = [0x00, LEVEL_END];

/// Appends a whole text and its end.
pub(super) fn write_leveled_key(rule: LeveledRule, text: &[u8], out: &mut Vec<u8>) {
    write_leveled_start(rule, text, out);
    let table = rule.source.table();
    if rule.pads {
        out.extend_from_slice(&table.space().to_be_bytes());
        return out.extend_from_slice(&END);
    }
    out.extend_from_slice(&LETTERS_END);
    for level in 1..rule.levels {
        for weight in TextWeights::new(table, level, text) {
            match weight {
                ..LONG => out.push(weight as u8),
                _ => out.extend_from_slice(&(weight | LONG << 8).to_be_bytes()),
            }
        }
        out.push(LEVEL_END);
    }
}

/// Appends the letters of a text, of which the keys of all texts that go on begin.
pub(super) fn write_leveled_start(rule: LeveledRule, text: &[u8], out: &mut Vec<u8>) {
    out.reserve(2 * text.len() + END.len());
    let table = rule.source.table();
    let weights = TextWeights::new(table, 0, text);
    if !rule.pads {
        return weights.for_each(|weight| out.extend_from_slice(&weight.to_be_bytes()));
    }
    let (space, mut spaces) = (table.space(), 0);
    for weight in weights {
        if weight == space {
            spaces += 1;
            continue;
        }
        let mark = if weight < space { BELOW } else { ABOVE };
        for _ in 0..std::mem::take(&mut spaces) {
            out.extend_from_slice(&space.to_be_bytes());
            out.extend_from_slice(&mark);
        }
        out.extend_from_slice(&weight.to_be_bytes());
    }
}

/// Length of a text in a key with its end; `None` if the bytes are none.
pub(super) fn skip_leveled_key(rule: LeveledRule, bytes: &[u8]) -> Option<usize> {
    let end = if rule.pads { END } else { LETTERS_END };
    let (pairs, _) = bytes.as_chunks::<2>();
    let mut at = 2 * (pairs.iter().position(|pair| *pair == end)? + 1);
    for _ in 1..rule.levels {
        loop {
            let byte = *bytes.get(at)?;
            at += if u16::from(byte) < LONG { 1 } else { 2 };
            if byte == LEVEL_END {
                break;
            }
        }
    }
    (at <= bytes.len()).then_some(at)
}
