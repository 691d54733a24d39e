//! Row keys that are about to be looked up, gathered so that their rows can be fetched ahead.
//!
//! Not here: the fetching (`RowCache::prefetch`).

use super::PREFETCH_MAX;

/// Up to `PREFETCH_MAX` row keys, in one buffer that is used again.
#[derive(Debug, Default)]
pub struct KeyBatch {
    bytes: Vec<u8>,
    ends: [usize; PREFETCH_MAX],
    count: usize,
}

impl KeyBatch {
    /// Forgets all keys, keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.count = 0;
    }

    /// Adds the key that `write` appends, unless it says that there is none.
    pub fn add(&mut self, write: impl FnOnce(&mut Vec<u8>) -> bool) {
        if self.count == PREFETCH_MAX {
            return;
        }
        let start = self.bytes.len();
        if write(&mut self.bytes) {
            self.ends[self.count] = self.bytes.len();
            self.count += 1;
        } else {
            self.bytes.truncate(start);
        }
    }

    /// The keys, in the order in which they were added.
    pub fn keys(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends[..self.count]
            .iter()
            .map(move |end| &self.bytes[std::mem::replace(&mut start, *end)..*end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_without_those_that_were_none() {
        let mut batch = KeyBatch::default();
        for (key, is_one) in [("a", true), ("bb", false), ("", true), ("ccc", true)] {
            batch.add(|out| {
                out.extend_from_slice(key.as_bytes());
                is_one
            });
        }
        assert_eq!(batch.keys().collect::<Vec<_>>(), [&b"a"[..], b"", b"ccc"]);
        batch.clear();
        (0..40).for_each(|_| batch.add(|_| true));
        assert_eq!(batch.keys().count(), PREFETCH_MAX);
    }
}
