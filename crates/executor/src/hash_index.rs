//! Rows by the hash of their keys: twelve to sixteen bytes for each row, whatever its key.
//!
//! ```text
//! heads   by the last bits of a hash: the first row, from 1
//! next    by row: the next one with the same last bits, from 1
//! hashes  by row: 0 where its key equals nothing
//! ```
//!
//! Invariants
//! 1. Candidates come in the order of their numbers.
//! 2. A candidate's key need not be the one that is asked for: whoever asks compares them.
//!
//! Not here: the rows and their keys (`buffer`).

use std::hash::BuildHasher;

/// Numbers of rows.
pub(super) struct HashIndex {
    hasher: foldhash::fast::RandomState,
    heads: Vec<u32>,
    next: Vec<u32>,
    hashes: Vec<u32>,
}

impl HashIndex {
    /// Bytes of one of so many rows.
    pub(super) fn bytes_of(rows: usize) -> usize {
        (2 * rows + rows.next_power_of_two()) * size_of::<u32>()
    }

    /// One of so many rows, whose keys are written by `push_key`; `false` for one that equals
    /// nothing.
    ///
    /// # Errors
    /// Those of `push_key`.
    pub(super) fn new<E>(
        rows: usize,
        mut push_key: impl FnMut(usize, &mut Vec<u8>) -> Result<bool, E>,
    ) -> Result<HashIndex, E> {
        let mut index = HashIndex {
            hasher: foldhash::fast::RandomState::default(),
            heads: vec![0; rows.next_power_of_two()],
            next: vec![0; rows],
            hashes: Vec::with_capacity(rows),
        };
        let mut key = Vec::with_capacity(32);
        for row in 0..rows {
            key.clear();
            let has_key = push_key(row, &mut key)?;
            index.hashes.push(if has_key { index.hash(&key) } else { 0 });
        }
        // The last one first, so that the first one is met first.
        for row in (0..rows).rev() {
            let hash = index.hashes[row];
            if hash != 0 {
                let head = index.head(hash);
                index.next[row] = std::mem::replace(&mut index.heads[head], row as u32 + 1);
            }
        }
        Ok(index)
    }

    /// The rows that may have a key.
    pub(super) fn candidates(&self, key: &[u8]) -> impl Iterator<Item = usize> + '_ {
        let hash = self.hash(key);
        let follow = |from: u32| (from as usize).checked_sub(1);
        let first = follow(self.heads[self.head(hash)]);
        std::iter::successors(first, move |row| follow(self.next[*row]))
            .filter(move |row| self.hashes[*row] == hash)
    }

    fn hash(&self, key: &[u8]) -> u32 {
        (self.hasher.hash_one(key) as u32).max(1)
    }

    fn head(&self, hash: u32) -> usize {
        hash as usize & (self.heads.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_their_keys_in_their_order() {
        // Key n of each seventh row; each fifth has none.
        let key_of = |row: usize| (row % 7).to_be_bytes();
        let index = HashIndex::new(1000, |row, key| {
            key.extend_from_slice(&key_of(row));
            Ok::<_, ()>(row % 5 != 0)
        })
        .unwrap();
        for wanted in 0..9usize {
            let found: Vec<usize> = index
                .candidates(&wanted.to_be_bytes())
                .filter(|row| key_of(*row) == wanted.to_be_bytes())
                .collect();
            let all: Vec<usize> =
                (0..1000).filter(|row| row % 7 == wanted && row % 5 != 0).collect();
            assert_eq!(found, all);
        }
        let none = HashIndex::new(0, |_, _| Ok::<_, ()>(true)).unwrap();
        assert_eq!(none.candidates(b"x").count(), 0);
    }
}
