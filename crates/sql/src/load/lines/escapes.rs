//! Lines with escapes but no enclosed fields, cut by searches: such are those with `\N` for NULL.
//!
//! An escape takes the meaning of the byte behind it, wherever it stands. So a byte that ends a
//! field or a line has its meaning if an even number of escapes stands before it, and where it
//! stands is found without reading what is between.
//!
//! Invariants
//! 1. Fields are those that reading byte by byte gives: `tests` compares.
//!
//! Not here: lines with enclosed fields, and formats whose ends have bytes in common
//! (`read_slowly`).

use syntax::load::Format;

use super::{FieldSpan, Splitter};

/// A format whose fields and lines searches find.
#[derive(Clone, Copy, Debug)]
pub(super) struct Escapes {
    escape: u8,
    field_end: u8,
}

impl Escapes {
    /// Those of a format; `None` if it has none, or if a place could be the beginning of two
    /// things.
    pub fn of(format: &Format) -> Option<Escapes> {
        let (escape, &[field_end]) = (format.escape?, format.field_end.as_slice()) else {
            return None;
        };
        let once = match format.line_end.as_slice() {
            [byte] => *byte != field_end && *byte != escape,
            [first, second] => {
                first != second
                    && ![first, second].iter().any(|byte| [escape, field_end].contains(byte))
            }
            _ => false,
        };
        let apart = escape != field_end
            && format.enclosed.is_none_or(|enclosed| {
                enclosed != escape && enclosed != field_end && !format.line_end.contains(&enclosed)
            });
        (once && apart).then_some(Escapes { escape, field_end })
    }

    /// Whether an escape takes the meaning of what stands behind `before`, which begins with a
    /// line.
    pub fn take(self, before: &[u8]) -> bool {
        before.iter().rev().take_while(|byte| **byte == self.escape).count() % 2 == 1
    }
}

/// What a byte behind an escape stands for.
pub(super) fn meant(byte: u8) -> u8 {
    match byte {
        b'0' => 0,
        b'b' => 8,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'Z' => 26,
        other => other,
    }
}

impl Splitter {
    /// Cuts the line up to `end`, where nothing is enclosed. Fields with escapes are copied, but
    /// for those that are NULL.
    pub(super) fn cut_escaped(&mut self, escapes: Escapes, end: usize) {
        let Escapes { escape, field_end } = escapes;
        let Splitter { buffer, scratch, spans, at, format, .. } = self;
        let line = &buffer[*at..end];
        let word_is_null = format.enclosed.is_some();
        let mut push = |start: usize, end: usize, has_escapes: bool| {
            let text = &line[start..end];
            let span = if !has_escapes {
                let null = word_is_null && text == b"NULL";
                FieldSpan { start: *at + start, end: *at + end, copied: false, null }
            } else if matches!(*text, [first, b'N'] if first == escape) {
                FieldSpan { start: *at + end, end: *at + end, copied: false, null: true }
            } else {
                let from = scratch.len();
                undo(text, escape, scratch);
                let null = word_is_null && scratch[from..] == *b"NULL";
                FieldSpan { start: from, end: scratch.len(), copied: true, null }
            };
            spans.push(span);
        };
        // Where the field began, the first byte whose meaning no escape has taken, and whether the
        // field has escapes.
        let (mut start, mut free, mut has_escapes) = (0, 0, false);
        each_of(field_end, escape, line, |found| {
            if found < free {
                return;
            }
            if line[found] == escape {
                has_escapes = true;
                free = found + 2;
            } else {
                push(start, found, has_escapes);
                (start, has_escapes) = (found + 1, false);
            }
        });
        push(start, line.len(), has_escapes);
    }
}

/// Calls `each` with every place of one of two bytes. Fields are a few bytes long, too short for a
/// call of `memchr` to be worth its while: eight bytes are compared at once.
#[inline]
fn each_of(one: u8, other: u8, text: &[u8], mut each: impl FnMut(usize)) {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let repeated = |byte: u8| u64::from_le_bytes([byte; 8]);
    // The highest bit of each byte that is 0, and of no other: nothing is carried from one byte
    // to the next.
    let zeros = |word: u64| !(((word & LOW) + LOW) | word | LOW);
    let (one_word, other_word) = (repeated(one), repeated(other));
    let (words, rest) = text.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let mut hits = zeros(word ^ one_word) | zeros(word ^ other_word);
        while hits != 0 {
            each(at * 8 + hits.trailing_zeros() as usize / 8);
            hits &= hits - 1;
        }
    }
    for (at, byte) in rest.iter().enumerate() {
        if *byte == one || *byte == other {
            each(words.len() * 8 + at);
        }
    }
}

/// Appends a text, escapes undone; one at the file's end stands for itself.
fn undo(text: &[u8], escape: u8, out: &mut Vec<u8>) {
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        match bytes.as_slice().first() {
            Some(&next) if byte == escape => {
                out.push(meant(next));
                bytes.next();
            }
            _ => out.push(byte),
        }
    }
}
