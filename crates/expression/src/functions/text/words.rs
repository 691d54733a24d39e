//! Words of a set, and the sound of a word: MAKE_SET, EXPORT_SET, SOUNDEX (MySQL 8.0 manual, 14.8).

use crate::functions::call::{Call, whole};
use crate::functions::text::calls::{made, texts_of};
use crate::statement::error::Result;
use crate::tree::function::Function;
use crate::value::cell::{Cell, NULL};
use crate::value::number::Number;

/// Their values.
pub(crate) fn call<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { function, arguments, scope, .. } = *call;
    use Function as F;
    // Of MAKE_SET a word may be NULL, which is none.
    let asked = if function == F::MakeSet { &cells[..1] } else { cells };
    if asked.iter().any(Cell::is_null) {
        return Ok(NULL);
    }
    let mut buffers = vec![Vec::new(); cells.len()];
    let texts = texts_of(arguments, cells, scope, &mut buffers);
    if function == F::Soundex {
        return Ok(Cell::Owned(soundex(texts[0])));
    }
    let bits = scope.integer(&cells[0]).map_or(0, Number::to_bits);
    let is_set = |at: usize| at < 64 && bits >> at & 1 == 1;
    let (words, separator): (Vec<&[u8]>, &[u8]) = if function == F::MakeSet {
        let words = texts[1..].iter().enumerate();
        let words = words.filter(|(at, _)| is_set(*at) && !cells[at + 1].is_null());
        (words.map(|(_, word)| *word).collect(), b",")
    } else {
        let count = cells.get(4).and_then(|cell| whole(cell, scope));
        let count =
            count.map_or(64, |count| usize::try_from(count).map_or(64, |count| count.min(64)));
        let word = |at| if is_set(at) { texts[1] } else { texts[2] };
        ((0..count).map(word).collect(), texts.get(3).copied().unwrap_or(b","))
    };
    let bytes = words.iter().map(|word| word.len().saturating_add(separator.len()));
    let bytes = bytes.fold(0, usize::saturating_add);
    made(function, bytes, scope, || words.join(separator))
}

/// The first letter and the sounds of those behind it: at least three, vowels left out, and what
/// sounds as the one before.
fn soundex(text: &[u8]) -> Vec<u8> {
    const SOUNDS: &[u8; 26] = b"01230120022455012623010202";
    const CHARACTERS_MIN: usize = 4;
    let sound = |letter: char| match letter {
        'A'..='Z' => SOUNDS[letter as usize - 'A' as usize],
        _ => b'0',
    };
    let text = String::from_utf8_lossy(text);
    let letters = text.chars().filter(|letter| letter.is_alphabetic());
    let mut letters = letters.map(|letter| letter.to_ascii_uppercase());
    let Some(first) = letters.next() else { return Vec::new() };
    let (mut out, mut last) = (first.to_string(), sound(first));
    let mut characters = 1;
    for next in letters.map(sound) {
        if next != b'0' && next != last {
            out.push(char::from(next));
            characters += 1;
            last = next;
        }
    }
    (characters..CHARACTERS_MIN).for_each(|_| out.push('0'));
    out.into_bytes()
}
