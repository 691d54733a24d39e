//! Text in keys: order-preserving, with padding.
//!
//! Invariants
//! 1. Bytes order as `collation::compare` orders the texts, also when more bytes follow.
//! 2. Nothing in a key depends on spaces at the end of its text.

use memchr::memchr;

use super::leveled::{write_leveled_key, write_leveled_start};
use crate::collation::{LeveledRule, SequenceRule, next_character, weight};
use crate::types::Collation;

/// Ends a text.
pub(super) const END: [u8; 2] = [0x20, 0x02];
/// Follows a space when what comes after the spaces is below a space.
pub(super) const BELOW: u8 = 0x01;
/// Follows a space when what comes after the spaces is above a space.
pub(super) const ABOVE: u8 = 0x03;
/// In keys of both kinds of text nothing but a space is this byte.
pub(super) const SPACE: u8 = 0x20;
/// Bytes of ASCII that are looked at together.
const PLAIN_BLOCK: usize = 16;

/// Appends a whole text and its end. `collation` compares not by bytes.
pub fn write_text_key(collation: Collation, text: &[u8], out: &mut Vec<u8>) {
    if let Some(rule) = LeveledRule::of(collation) {
        return write_leveled_key(rule, text, out);
    }
    if let Some(rule) = SequenceRule::of(collation) {
        return write_sequence_key(rule, text, out);
    }
    write_plain_start(collation, text, out);
    out.extend_from_slice(&END);
}

/// Appends a text without its end and the spaces before it.
pub(super) fn write_text_start(collation: Collation, text: &[u8], out: &mut Vec<u8>) {
    if let Some(rule) = LeveledRule::of(collation) {
        return write_leveled_start(rule, text, out);
    }
    // Keys of whole texts do not begin as the texts do.
    if SequenceRule::of(collation).is_none() {
        write_plain_start(collation, text, out);
    }
}

/// As `write_text_start`, of `utf8mb4_general_ci`, `utf8mb4_bin`, and what compares as they do.
fn write_plain_start(collation: Collation, text: &[u8], out: &mut Vec<u8>) {
    let text = trim_spaces(text);
    out.reserve(text.len() + END.len());
    match collation.comparing() {
        Collation::Utf8Mb4GeneralCi => write_ci(text, out),
        _ => write_bin(text, out),
    }
}

/// A text without the spaces at its end.
pub fn trim_spaces(mut text: &[u8]) -> &[u8] {
    while let [rest @ .., b' '] = text {
        text = rest;
    }
    text
}

/// The first `chars` characters of a text.
pub fn first_characters(text: &[u8], chars: usize) -> &[u8] {
    if text.len() <= chars {
        return text;
    }
    let mut at = 0;
    for _ in 0..chars {
        if at == text.len() {
            break;
        }
        at += next_character(&text[at..]).1;
    }
    &text[..at]
}

/// What follows a space, given the first byte after the run of spaces it stands in.
fn mark(next: u8) -> u8 {
    if next < SPACE { BELOW } else { ABOVE }
}

/// The first byte that is no space; there is one, as spaces at the end were removed.
fn after_spaces(text: &[u8]) -> u8 {
    text.iter().copied().find(|byte| *byte != SPACE).unwrap_or(SPACE)
}

fn write_ci(mut text: &[u8], out: &mut Vec<u8>) {
    loop {
        text = write_plain(text, out);
        let Some(first) = text.first() else { return };
        if *first == SPACE {
            // Weights below a space are control characters, which weigh what they are.
            out.extend_from_slice(&[SPACE, mark(after_spaces(text))]);
            text = &text[1..];
        } else {
            let (character, bytes) = next_character(text);
            push_short(weight(character), out);
            text = &text[bytes..];
        }
    }
}

/// Appends ASCII up to a space, of which small letters alone weigh what others do; gives the rest.
/// Nearly all of most texts are such, so they are taken by blocks that the compiler makes wide
/// loops of.
fn write_plain<'t>(text: &'t [u8], out: &mut Vec<u8>) -> &'t [u8] {
    let is_plain = |byte: &u8| *byte != SPACE && byte.is_ascii();
    let (blocks, _) = text.as_chunks::<PLAIN_BLOCK>();
    let whole = blocks.iter().take_while(|block| {
        // No early end: each byte is looked at, many at a time.
        block.iter().fold(true, |plain, byte| plain & is_plain(byte))
    });
    let mut length = 0;
    for block in whole {
        out.extend_from_slice(&block.map(|byte| byte.to_ascii_uppercase()));
        length += PLAIN_BLOCK;
    }
    let (_, rest) = text.split_at(length);
    let length = rest.iter().position(|byte| !is_plain(byte)).unwrap_or(rest.len());
    let (run, rest) = rest.split_at(length);
    out.extend(run.iter().map(u8::to_ascii_uppercase));
    rest
}

/// Appends a number of 16 bits in UTF-8's form, surrogates like any other.
fn push_short(value: u16, out: &mut Vec<u8>) {
    let low = 0x80 | (value & 0x3F) as u8;
    match value {
        0..0x80 => out.push(value as u8),
        0x80..0x800 => out.extend_from_slice(&[0xC0 | (value >> 6) as u8, low]),
        _ => {
            let middle = 0x80 | (value >> 6 & 0x3F) as u8;
            out.extend_from_slice(&[0xE0 | (value >> 12) as u8, middle, low]);
        }
    }
}

fn write_bin(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(space) = memchr(SPACE, rest) {
        let (word, spaces) = rest.split_at(space);
        out.extend_from_slice(word);
        out.extend_from_slice(&[SPACE, mark(after_spaces(spaces))]);
        rest = &spaces[1..];
    }
    out.extend_from_slice(rest);
}

/// Appends the bytes that stand for a whole text: padded, or with 0 behind them.
fn write_sequence_key(rule: SequenceRule, text: &[u8], out: &mut Vec<u8>) {
    let bytes = rule.bytes(text);
    match rule.pads() {
        true => {
            write_bin(trim_spaces(&bytes), out);
            out.extend_from_slice(&END);
        }
        false => {
            out.extend_from_slice(&bytes);
            out.push(0);
        }
    }
}

/// As `skip_text_key`, of such bytes.
pub(super) fn skip_sequence_key(rule: SequenceRule, bytes: &[u8]) -> Option<usize> {
    match rule.pads() {
        true => skip_text_key(bytes),
        false => memchr(0, bytes).map(|end| end + 1),
    }
}

/// Length of a text in a key with its end; `None` if the bytes are none.
pub(super) fn skip_text_key(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr(SPACE, &bytes[at..])? + 2;
        match bytes.get(at - 1)? {
            0x02 => return Some(at),
            &BELOW | &ABOVE => {}
            _ => return None,
        }
    }
}

/// The text of a `utf8mb4_bin` key, without the spaces that were at its end.
pub(super) fn read_bin_key(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let length = skip_text_key(bytes)?;
    let mut text = Vec::with_capacity(length);
    let mut rest = &bytes[..length - END.len()];
    while let Some(space) = memchr(SPACE, rest) {
        text.extend_from_slice(&rest[..=space]);
        rest = rest.get(space + 2..)?;
    }
    text.extend_from_slice(rest);
    Some((text, length))
}

/// Appends bytes that are the same for equal texts and order as the texts do: a key for sorting,
/// grouping and hashing.
pub fn write_weights(collation: Collation, text: &[u8], out: &mut Vec<u8>) {
    match collation.is_by_bytes() {
        true => out.extend_from_slice(text),
        false => write_text_key(collation, text, out),
    }
}
