//! Comparing by Unicode's weights: level by level, letters first, then accents, then case.
//!
//! `utf8mb4_unicode_ci`, its kin of languages and `utf8mb4_unicode_520_ci` look at letters alone
//! and pad: the shorter text is compared as if spaces followed. The collations of 9.0 do not pad,
//! and look at one to three levels (MySQL 9.7 manual, 12.10.1). Those of other character sets look
//! at one, and pad.
//!
//! Invariants
//! 1. Nothing is allocated to compare two texts.
//!
//! Not here: the weights (`unicode`), the bytes of keys (`key::leveled`).

use std::cmp::Ordering;

use super::numbered::{NumberedRule, rule};
use super::unicode::{TextWeights, WeightSource, WeightTable};
use crate::language::Sensitivity;
use crate::types::Collation;

/// How a collation uses Unicode's weights.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeveledRule {
    /// Whose weights.
    pub source: WeightSource,
    /// How many levels count: 1 letters, 2 accents too, 3 case too.
    pub levels: usize,
    /// Whether spaces at the end do not count.
    pub pads: bool,
}

impl LeveledRule {
    /// That of a collation; `None` for collations with other weights.
    #[inline]
    pub(crate) fn of(collation: Collation) -> Option<LeveledRule> {
        use WeightSource::{Numbered, V400, V400Of, V520, V900, V900Of};
        let (source, levels, pads) = match collation {
            Collation::Binary
            | Collation::Utf8Mb4Bin
            | Collation::Utf8Mb4GeneralCi
            | Collation::Utf8Mb40900Bin => return None,
            Collation::Numbered(numbered) => match rule(numbered) {
                NumberedRule::As(other) => return LeveledRule::of(other),
                NumberedRule::Weights => (Numbered(numbered), 1, true),
                NumberedRule::Sequence(_) => return None,
            },
            Collation::Utf8Mb4UnicodeCi => (V400, 1, true),
            Collation::Utf8Mb4Unicode520Ci => (V520, 1, true),
            Collation::Utf8Mb4OfLanguage(language) => (V400Of(language), 1, true),
            Collation::Utf8Mb40900AiCi => (V900, 1, false),
            Collation::Utf8Mb40900AsCi => (V900, 2, false),
            Collation::Utf8Mb40900AsCs => (V900, 3, false),
            Collation::Utf8Mb40900OfLanguage(language, Sensitivity::Letters) => {
                (V900Of(language), 1, false)
            }
            Collation::Utf8Mb40900OfLanguage(language, Sensitivity::LettersAccentsCase) => {
                (V900Of(language), 3, false)
            }
        };
        Some(LeveledRule { source, levels, pads })
    }

    /// Compares two texts.
    pub(crate) fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let table = self.source.table();
        let first = self.compare_letters(table, a, b);
        (1..self.levels).fold(first, |order, level| {
            order.then_with(|| {
                TextWeights::new(table, level, a).cmp(TextWeights::new(table, level, b))
            })
        })
    }

    fn compare_letters(self, table: &WeightTable, a: &[u8], b: &[u8]) -> Ordering {
        // Most text begins as ASCII, each character of which has one weight.
        let mut at = 0;
        for (x, y) in a.iter().zip(b) {
            let (x, y) = (table.ascii(*x), table.ascii(*y));
            if x == 0 || y == 0 {
                break;
            }
            if x != y {
                return x.cmp(&y);
            }
            at += 1;
        }
        let mut a = TextWeights::new(table, 0, &a[at..]);
        let mut b = TextWeights::new(table, 0, &b[at..]);
        if !self.pads {
            return a.cmp(b);
        }
        let space = table.space();
        loop {
            let order = match (a.next(), b.next()) {
                (None, None) => return Ordering::Equal,
                (x, y) => x.unwrap_or(space).cmp(&y.unwrap_or(space)),
            };
            if order.is_ne() {
                return order;
            }
        }
    }

    /// What the keys of all texts begin with that LIKE finds by a pattern which begins with a text.
    /// A character that the text goes on with may be of one contraction with those behind, or not:
    /// LIKE compares character by character.
    pub(crate) fn like_beginning(self, text: &str) -> &str {
        let table = self.source.table();
        if !table.has_contractions() {
            return text;
        }
        let begins = |character: char| table.begins_contraction(u32::from(character));
        text.find(begins).map_or(text, |at| &text[..at])
    }

    /// Whether two characters are equal to LIKE, which compares them one by one.
    pub(crate) fn same(self, a: u32, b: u32) -> bool {
        let table = self.source.table();
        // Characters that only stand for all the others above U+FFFF are themselves here.
        a == b
            || !(table.is_beyond(a) || table.is_beyond(b))
                && (0..self.levels).all(|level| table.of(a, level).eq(table.of(b, level)))
    }

    /// Appends what WEIGHT_STRING shows: two bytes a weight, 0 between levels; those of other
    /// character sets as MySQL has them.
    pub(crate) fn write_shown(self, text: &[u8], out: &mut Vec<u8>) {
        let table = self.source.table();
        for level in 0..self.levels {
            if level > 0 {
                out.extend_from_slice(&[0, 0]);
            }
            TextWeights::new(table, level, text).for_each(|weight| table.write_shown(weight, out));
        }
    }

    /// Bytes that `write_shown` appends.
    pub(crate) fn shown_bytes(self, text: &[u8]) -> usize {
        let of = |level| 2 + 2 * TextWeights::new(self.source.table(), level, text).count();
        (0..self.levels).map(of).sum()
    }
}
