//! The entries of an index, in one piece of memory.
//!
//! ```text
//! bytes   key 0 | value 0 | key 1 | value 1 | ...
//! ends          ^         ^       ^         ^
//! ```
//!
//! Invariants
//! 1. Keys ascend.
//!
//! Not here: until when they are the index's (`QuiescentState`).

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use crate::cache::Loan;
use crate::error::Result;
use crate::store::{Cursor, Direction, KeyRange};

/// Entries of one range.
#[derive(Debug, Default)]
pub(crate) struct Image {
    bytes: Vec<u8>,
    /// Where each key and each value ends.
    ends: Vec<u32>,
    /// Of the row cache, once it is whole.
    loan: Loan,
}

impl Image {
    /// Adds the entry that comes next.
    pub fn push(&mut self, key: &[u8], value: &[u8]) {
        for part in [key, value] {
            self.bytes.extend_from_slice(part);
            self.ends.push(self.bytes.len() as u32);
        }
    }

    /// Bytes of its entries and of where they end.
    pub fn bytes(&self) -> usize {
        self.bytes.len() + size_of_val(&self.ends[..])
    }

    /// Bytes that are counted for it.
    pub fn size(&self) -> usize {
        self.loan.bytes()
    }

    /// There is no more to come: counts its bytes among all until it goes.
    pub fn finish(&mut self, all: &Arc<AtomicUsize>) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
        let bytes = self.bytes.capacity() + self.ends.capacity() * size_of::<u32>();
        self.loan = Loan::of(all, bytes);
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.ends.len() / 2
    }

    #[inline]
    fn entry(&self, at: usize) -> (&[u8], &[u8]) {
        let start = (2 * at).checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let (key_end, end) = (self.ends[2 * at] as usize, self.ends[2 * at + 1] as usize);
        (&self.bytes[start..key_end], &self.bytes[key_end..end])
    }

    /// The first entry between two places whose key is not before another.
    fn first_from(&self, key: &[u8], (mut low, mut high): (usize, usize)) -> usize {
        while low < high {
            let middle = low.midpoint(high);
            match self.entry(middle).0 < key {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }

    /// The same, at or behind a place that is most likely near.
    fn first_from_near(&self, key: &[u8], start: usize) -> usize {
        let (mut low, mut step) = (start, 1);
        while low + step < self.len() && self.entry(low + step).0 < key {
            low += step;
            step *= 2;
        }
        self.first_from(key, (low, self.len().min(low + step)))
    }

    /// The places of the entries of a range.
    fn places(&self, range: &KeyRange) -> Range<usize> {
        let start = self.first_from(&range.start, (0, self.len()));
        let end = match range.end.is_empty() {
            true => self.len(),
            false => self.first_from_near(&range.end, start),
        };
        start..end
    }
}

/// A cursor on a part of an image.
pub(crate) struct ImageCursor {
    image: Arc<Image>,
    direction: Direction,
    /// Those that are still to come.
    places: Range<usize>,
    /// The one at hand.
    at: usize,
}

impl ImageCursor {
    /// On a range of the image's own range.
    pub fn new(image: Arc<Image>, range: &KeyRange, direction: Direction) -> ImageCursor {
        let places = image.places(range);
        ImageCursor { image, direction, places, at: 0 }
    }
}

impl Cursor for ImageCursor {
    #[inline]
    fn advance(&mut self) -> Result<bool> {
        let next = match self.direction {
            Direction::Forward => self.places.next(),
            Direction::Backward => self.places.next_back(),
        };
        self.at = next.unwrap_or(self.at);
        Ok(next.is_some())
    }

    fn key(&self) -> &[u8] {
        self.image.entry(self.at).0
    }

    fn value(&self) -> &[u8] {
        self.image.entry(self.at).1
    }

    #[inline]
    fn entry(&self) -> (&[u8], &[u8]) {
        self.image.entry(self.at)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_range_of_an_image_is_that_of_an_ordered_map(
            keys in prop::collection::btree_set(prop::collection::vec(0u8..4, 0..4), 0..60),
            start in prop::collection::vec(0u8..4, 0..4),
            end in prop::collection::vec(0u8..4, 0..4),
        ) {
            let mut image = Image::default();
            keys.iter().for_each(|key| image.push(key, b"value"));
            let range = KeyRange { start, end };
            let expected: Vec<_> = keys.iter().filter(|key| range.contains(key)).cloned().collect();
            let image = Arc::new(image);
            for direction in [Direction::Forward, Direction::Backward] {
                let mut cursor = ImageCursor::new(Arc::clone(&image), &range, direction);
                let mut found = Vec::new();
                while cursor.advance().unwrap() {
                    prop_assert_eq!(cursor.entry(), (cursor.key(), &b"value"[..]));
                    found.push(cursor.key().to_vec());
                }
                prop_assert!(!cursor.advance().unwrap());
                if direction == Direction::Backward {
                    found.reverse();
                }
                prop_assert_eq!(&found, &expected);
            }
        }
    }
}
