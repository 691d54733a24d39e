//! Texts on their way into a column: by words where these are few, which most columns of text are.
//!
//! Nearly all the time goes into finding the word that a text is. A text of up to 16 bytes is two
//! numbers and a length, so that it is found without a look at the text of the word.
//!
//! Not here: how the column lies on the disk (the module above).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use foldhash::fast::RandomState;

use super::gather::Payload;
use super::header::Header;
use super::width_of;

/// More words than this, or fewer rows for each than `ROWS_PER_WORD_MIN`, are no vocabulary.
const WORDS_MAX: usize = 1 << 16;
const ROWS_PER_WORD_MIN: usize = 2;

/// A short text: its beginning, its end, which may overlap, and its length.
type Short = (u64, u64, u8);

/// What finding words needs, kept from one column to the next.
#[derive(Default)]
pub(super) struct Words {
    short: HashMap<Short, u32, RandomState>,
    codes: Vec<u32>,
    /// Where each word is.
    places: Vec<(usize, usize)>,
}

impl Words {
    /// Writes texts by their words if these are few, else as they come.
    pub fn put_texts(
        &mut self,
        ends: &[u32],
        bytes: &[u8],
        header: &mut Header,
        payload: &mut Payload,
    ) {
        if self.find(ends, bytes) {
            let Words { codes, places, .. } = self;
            let width = width_of(places.len().saturating_sub(1) as u64);
            (header.kind, header.width, header.words) = (2, width, places.len() as u32);
            payload.put_narrow(codes.iter().map(|code| u64::from(*code)), header);
            let payload = &mut payload.bytes;
            put_lengths(places.iter().map(|(start, end)| end - start), payload);
            for (start, end) in places {
                payload.extend_from_slice(&bytes[*start..*end]);
            }
        } else {
            header.kind = 3;
            put_lengths(spans(ends).map(|(start, end)| end - start), &mut payload.bytes);
            payload.bytes.extend_from_slice(bytes);
        }
    }

    /// The code of each text's word, in order of appearance; `None` when they are too many.
    pub fn codes(&mut self, ends: &[u32], bytes: &[u8]) -> Option<&[u32]> {
        self.find(ends, bytes).then_some(&self.codes[..])
    }

    /// Finds the word of each text; `false` when they are too many.
    fn find(&mut self, ends: &[u32], bytes: &[u8]) -> bool {
        let words_max = WORDS_MAX.min(ends.len() / ROWS_PER_WORD_MIN).max(1);
        let Words { short, codes, places } = self;
        short.clear();
        codes.clear();
        places.clear();
        let mut long: HashMap<&[u8], u32, RandomState> = HashMap::default();
        let mut last = 0..0;
        for (start, end) in spans(ends) {
            let text = &bytes[start..end];
            if let Some(code) = codes.last().copied()
                && is_equal(text, &bytes[last.clone()])
            {
                codes.push(code);
                continue;
            }
            last = start..end;
            let next = places.len() as u32;
            let code = match packed(text) {
                Some(text) => *short.entry(text).or_insert(next),
                None => match long.entry(text) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(new) => *new.insert(next),
                },
            };
            if code == next {
                if places.len() == words_max {
                    return false;
                }
                places.push((start, end));
            }
            codes.push(code);
        }
        true
    }
}

/// Equality, without a call for texts that are empty or differ at once.
fn is_equal(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && (one.is_empty() || one[0] == other[0] && one == other)
}

/// A text of up to 16 bytes as a whole.
fn packed(text: &[u8]) -> Option<Short> {
    let long = |at: usize| Some(u64::from_le_bytes(*text.get(at..)?.first_chunk()?));
    let half = |at: usize| Some(u64::from(u32::from_le_bytes(*text.get(at..)?.first_chunk()?)));
    let length = text.len();
    let (start, end) = match length {
        0 => (0, 0),
        // Each byte of up to three is the first, the last or the one in the middle.
        1..4 => {
            (u64::from(text[0]) << 8 | u64::from(text[length / 2]), u64::from(text[length - 1]))
        }
        4..8 => (half(0)?, half(length - 4)?),
        8..=16 => (long(0)?, long(length - 8)?),
        _ => return None,
    };
    Some((start, end, length as u8))
}

fn spans(ends: &[u32]) -> impl Iterator<Item = (usize, usize)> {
    let starts = [0].into_iter().chain(ends.iter().copied());
    starts.zip(ends).map(|(start, end)| (start as usize, *end as usize))
}

fn put_lengths(lengths: impl Iterator<Item = usize>, payload: &mut Vec<u8>) {
    for length in lengths {
        payload.extend_from_slice(&(length as u32).to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn two_texts_are_packed_alike_only_if_they_are_one(
            one in "[ab\\x00]{0,18}",
            other in "[ab\\x00]{0,18}",
        ) {
            let (packed_one, packed_other) = (packed(one.as_bytes()), packed(other.as_bytes()));
            prop_assert_eq!(packed_one.is_none(), one.len() > 16);
            prop_assert_eq!(packed_one.is_some() && packed_one == packed_other, one.len() <= 16 && one == other);
            prop_assert_eq!(is_equal(one.as_bytes(), other.as_bytes()), one == other);
        }
    }
}
