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
//! Not here: until when they are the index's (`Still`).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::Result;
use crate::store::{Cursor, Direction, KeyRange};

/// Entries of one range.
#[derive(Debug, Default)]
pub(super) struct Image {
    bytes: Vec<u8>,
    /// Where each key and each value ends.
    ends: Vec<u32>,
    /// From where its bytes are taken, and how many.
    drawn: Option<(Arc<AtomicUsize>, usize)>,
}

impl Drop for Image {
    fn drop(&mut self) {
        if let Some((all, bytes)) = &self.drawn {
            all.fetch_sub(*bytes, Ordering::Relaxed);
        }
    }
}

impl Image {
    /// Adds the entry that comes next.
    pub fn push(&mut self, key: &[u8], value: &[u8]) {
        for part in [key, value] {
            self.bytes.extend_from_slice(part);
            self.ends.push(self.bytes.len() as u32);
        }
    }

    /// Bytes that it takes.
    pub fn size(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<u32>()
    }

    /// There is no more to come: counts its bytes among all until it goes.
    pub fn finish(&mut self, all: &Arc<AtomicUsize>) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
        let bytes = self.size();
        all.fetch_add(bytes, Ordering::Relaxed);
        self.drawn = Some((Arc::clone(all), bytes));
    }

    fn len(&self) -> usize {
        self.ends.len() / 2
    }

    #[inline]
    fn entry(&self, at: usize) -> (&[u8], &[u8]) {
        let start = (2 * at).checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let (key_end, end) = (self.ends[2 * at] as usize, self.ends[2 * at + 1] as usize);
        (&self.bytes[start..key_end], &self.bytes[key_end..end])
    }

    /// The first entry whose key is not before another.
    fn first_from(&self, key: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.entry(middle).0 < key {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }
}

/// A cursor on a part of an image.
pub(super) struct ImageCursor {
    image: Arc<Image>,
    direction: Direction,
    /// Entries that are still to come.
    start: usize,
    end: usize,
    /// The one at hand.
    at: usize,
}

impl ImageCursor {
    /// On a range of the image's own range.
    pub fn new(image: Arc<Image>, range: &KeyRange, direction: Direction) -> ImageCursor {
        let start = image.first_from(&range.start);
        let end = if range.end.is_empty() { image.len() } else { image.first_from(&range.end) };
        ImageCursor { image, direction, start, end: end.max(start), at: 0 }
    }
}

impl Cursor for ImageCursor {
    #[inline]
    fn advance(&mut self) -> Result<bool> {
        if self.start == self.end {
            return Ok(false);
        }
        match self.direction {
            Direction::Forward => {
                self.at = self.start;
                self.start += 1;
            }
            Direction::Backward => {
                self.end -= 1;
                self.at = self.end;
            }
        }
        Ok(true)
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
