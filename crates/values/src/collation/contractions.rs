//! Contractions: sequences of characters that weigh as one, as `ch` does in Czech.
//!
//! Invariants
//! 1. Of those that a text goes on with, the longest counts (UTS 10, S2.1).
//!
//! Not here: what they weigh (`unicode`).

use std::collections::HashMap;

use super::weights::next_character;

/// Those of a table, by their first characters.
#[derive(Default)]
pub(super) struct Contractions(HashMap<u32, Vec<Contraction>>);

struct Contraction {
    /// The characters behind the first.
    rest: Vec<u32>,
    /// Where its weights begin in the table.
    at: u32,
}

impl Contractions {
    /// One more.
    pub(super) fn add(&mut self, first: u32, rest: Vec<u32>, at: u32) {
        let of_first = self.0.entry(first).or_default();
        let place = of_first.partition_point(|other| other.rest.len() >= rest.len());
        of_first.insert(place, Contraction { rest, at });
    }

    /// Whether there are none.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one begins with a character.
    pub(super) fn begin_with(&self, character: u32) -> bool {
        self.0.contains_key(&character)
    }

    /// The longest that begins with a character and goes on with a text: where its weights are, and
    /// how many bytes of the text it takes.
    pub(super) fn longest(&self, first: u32, text: &[u8]) -> Option<(u32, usize)> {
        self.0.get(&first)?.iter().find_map(|one| {
            let mut bytes = 0;
            for wanted in &one.rest {
                let rest = text.get(bytes..).filter(|rest| !rest.is_empty())?;
                let (character, more) = next_character(rest);
                bytes += more;
                if character != *wanted {
                    return None;
                }
            }
            Some((one.at, bytes))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_that_fits_is_found() {
        let of = |text: &str| text.chars().map(u32::from).collect::<Vec<_>>();
        let mut known = Contractions::default();
        known.add(u32::from('d'), of("z"), 1);
        known.add(u32::from('d'), of("zs"), 2);
        known.add(u32::from('d'), of("\u{17e}"), 3);
        let found = |rest: &str| known.longest(u32::from('d'), rest.as_bytes());
        assert_eq!(found("zsa"), Some((2, 2)));
        assert_eq!(found("za"), Some((1, 1)));
        assert_eq!(found("z"), Some((1, 1)));
        assert_eq!(found("\u{17e}"), Some((3, 2)));
        assert_eq!((found("s"), found("")), (None, None));
        assert_eq!(known.longest(u32::from('z'), b"s"), None);
    }
}
