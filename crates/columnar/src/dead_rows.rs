//! Rows of a segment that are no more, in memory: a bit for each, so that a query which hides some
//! more of them copies little.
//!
//! Not here: how they are stored (`keys::DEAD`, `index::dead`).

use std::ops::Range;
use std::sync::Arc;

use crate::column::Selection;

const WORD_BITS: usize = u64::BITS as usize;

/// Positions in a segment; a clone shares them.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeadRows {
    /// The first in the lowest bit; behind the last there may be none.
    words: Arc<[u64]>,
    count: u32,
}

impl DeadRows {
    /// How many.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn has(&self, row: u32) -> bool {
        let word = self.words.get(row as usize / WORD_BITS);
        word.is_some_and(|word| word >> (row as usize % WORD_BITS) & 1 == 1)
    }

    /// All of them, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().enumerate().flat_map(|(at, word)| bits(at, *word))
    }

    /// Those of a range, ascending.
    pub fn within(&self, range: &Range<usize>) -> Vec<u32> {
        let words = range.start / WORD_BITS..range.end.div_ceil(WORD_BITS).min(self.words.len());
        if words.is_empty() || self.is_empty() {
            return Vec::new();
        }
        let mut rows = Vec::new();
        for at in words {
            let mut word = self.words[at];
            let first = at * WORD_BITS;
            if first < range.start {
                word &= u64::MAX << (range.start - first);
            }
            if first + WORD_BITS > range.end {
                word &= u64::MAX >> (first + WORD_BITS - range.end);
            }
            rows.extend(bits(at, word));
        }
        rows
    }

    /// The same with others.
    pub fn with(&self, rows: &[u32]) -> DeadRows {
        let end = rows.iter().max().map_or(0, |last| *last as usize / WORD_BITS + 1);
        let mut words = Vec::with_capacity(self.words.len().max(end));
        words.extend_from_slice(&self.words);
        words.resize(self.words.len().max(end), 0);
        let mut count = self.count;
        for row in rows {
            let (word, bit) = (&mut words[*row as usize / WORD_BITS], 1 << (*row % u64::BITS));
            count += u32::from(*word & bit == 0);
            *word |= bit;
        }
        DeadRows { words: words.into(), count }
    }
}

/// The rows of a word.
fn bits(at: usize, mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some((at * WORD_BITS) as u32 + bit)
    })
}

/// The dead ones among rows that are one behind the other.
pub(crate) fn dead_in(selection: &Selection, dead: &DeadRows) -> Vec<u32> {
    match selection {
        Selection::Range(range) => dead.within(range),
        Selection::Rows(_) => Vec::new(),
    }
}

/// The rows of a range that are not dead.
pub(crate) fn alive(range: Range<usize>, dead: &DeadRows) -> Selection {
    let dead = dead.within(&range);
    Selection::without(range, &dead)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_that_were_added_each_once() {
        let mut all: Vec<u32> = vec![0, 5, 63, 64, 65, 127, 128, 1000];
        let dead = DeadRows::default().with(&all).with(&[5, 66, 64]);
        all.push(66);
        all.sort_unstable();
        assert_eq!((dead.len(), dead.iter().collect::<Vec<_>>()), (all.len(), all.clone()));
        for row in 0..1100 {
            assert_eq!(dead.has(row), all.contains(&row), "{row}");
        }
        for (start, end) in [(0, 0), (0, 1), (5, 64), (6, 64), (63, 129), (64, 128), (900, 5000)] {
            let expected: Vec<u32> =
                all.iter().copied().filter(|row| (start..end).contains(row)).collect();
            assert_eq!(dead.within(&(start as usize..end as usize)), expected, "{start} {end}");
        }
        assert!(DeadRows::default().is_empty());
        assert!(DeadRows::default().within(&(0..100)).is_empty());
    }
}
