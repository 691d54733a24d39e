//! LIKE of patterns that have nothing but characters that stand for themselves, and `%`: the pieces
//! between the `%` are looked for as bytes.
//!
//! Invariants
//! 1. The answer is that of `like_by_characters`.
//!
//! Not here: patterns and texts that take more than comparing bytes (`like`).

use super::leveled::LeveledRule;
use super::sequence::SequenceRule;
use crate::types::Collation;

/// Bytes of the longest piece. Where a text is full of what a piece begins with, a search takes the
/// product of both lengths.
const PIECE_BYTES_MAX: usize = 64;
/// Bytes of a text above which it is worth while to find out which byte of a piece is the most
/// seldom.
const SHORT_TEXT_BYTES_MAX: usize = 96;
/// Bytes of a text that is gone through sooner than a search by vectors is begun.
const STEPPED_TEXT_BYTES_MAX: usize = 24;

/// Whether a text matches a pattern; `None` where comparing bytes does not tell.
pub(super) fn like_plain(
    collation: Collation,
    text: &[u8],
    pattern: &[u8],
    escape: Option<char>,
) -> Option<bool> {
    if LeveledRule::of(collation).is_some() || SequenceRule::of(collation).is_some() {
        return None;
    }
    let folds = collation == Collation::Utf8Mb4GeneralCi;
    let escape = match escape {
        Some(escape) => Some(u8::try_from(escape).ok().filter(u8::is_ascii)?),
        None => None,
    };
    // What most patterns are, gone through once.
    if let [b'%', piece @ .., b'%'] = pattern
        && escape != Some(b'%')
        && (1..=PIECE_BYTES_MAX).contains(&piece.len())
        && piece.iter().all(|byte| is_letter_like(*byte) && Some(*byte) != escape)
        && (!folds || text.is_ascii())
    {
        return Some(find(text, piece, folds).is_some());
    }
    let is_plain =
        |byte: &u8| *byte != b'_' && Some(*byte) != escape && (byte.is_ascii() || !folds);
    // Characters beyond ASCII may be equal to some within.
    if !pattern.iter().all(is_plain) || folds && !text.is_ascii() {
        return None;
    }
    let is_long = |piece: &[u8]| piece.len() > PIECE_BYTES_MAX;
    if is_long(pattern) && pattern.split(|byte| *byte == b'%').any(is_long) {
        return None;
    }
    let mut pieces = pattern.split(|byte| *byte == b'%');
    let first = pieces.next()?;
    let Some((start, mut rest)) = text.split_at_checked(first.len()) else { return Some(false) };
    if !same(start, first, folds) {
        return Some(false);
    }
    let Some(last) = pieces.next_back() else { return Some(rest.is_empty()) };
    for piece in pieces.filter(|piece| !piece.is_empty()) {
        let Some(at) = find(rest, piece, folds) else { return Some(false) };
        rest = &rest[at + piece.len()..];
    }
    let end = rest.len().checked_sub(last.len());
    Some(end.is_some_and(|end| same(&rest[end..], last, folds)))
}

/// Whether a byte of ASCII stands for itself in every pattern.
#[inline]
fn is_letter_like(byte: u8) -> bool {
    byte.is_ascii() && byte != b'%' && byte != b'_'
}

fn same(text: &[u8], piece: &[u8], folds: bool) -> bool {
    if folds { text.eq_ignore_ascii_case(piece) } else { text == piece }
}

/// Where a piece begins for the first time.
fn find(text: &[u8], piece: &[u8], folds: bool) -> Option<usize> {
    if !folds {
        return memchr::memmem::find(text, piece);
    }
    let last = text.len().checked_sub(piece.len())?;
    // Most places are passed over if a byte is looked for that texts seldom have. In a short text
    // there are few places anyway, fewer than it takes to find that byte.
    let (seldom, byte) = match text.len() <= SHORT_TEXT_BYTES_MAX {
        true => (0, piece.first()?),
        false => {
            piece.iter().enumerate().min_by_key(|(_, byte)| FREQUENCIES[usize::from(**byte)])?
        }
    };
    let (lower, upper) = (byte.to_ascii_lowercase(), byte.to_ascii_uppercase());
    if text.len() <= STEPPED_TEXT_BYTES_MAX {
        return (0..=last).find(|at| {
            let first = text[*at];
            (first == lower || first == upper)
                && text[*at..at + piece.len()].eq_ignore_ascii_case(piece)
        });
    }
    memchr::memchr2_iter(lower, upper, &text[seldom..=last + seldom])
        .find(|at| text[*at..at + piece.len()].eq_ignore_ascii_case(piece))
}

/// About how often texts have each byte, seldom ones first: letters by their frequency in English.
const FREQUENCIES: [u8; 256] = {
    let letters = b"zqxjkvbpygfwmucldrhsnioate ";
    let mut of = [0; 256];
    let mut at = 0;
    while at < letters.len() {
        of[letters[at] as usize] = at as u8 + 1;
        of[letters[at].to_ascii_uppercase() as usize] = at as u8 + 1;
        at += 1;
    }
    of
};
