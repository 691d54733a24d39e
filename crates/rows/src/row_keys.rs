//! Rows behind many entries of an index, looked up in the order of their own keys.
//!
//! Entries that follow each other lead to rows that lie anywhere. Looked up one by one, each has
//! the store find, read and unpack a block, of which the next one may need the same again when it
//! is gone. So keys are collected, put in order and looked up: those of one block come one after
//! the other.
//!
//! Invariants
//! 1. What is collected is bounded by the collector (`KEYS_MAX`, `KEY_BYTES_MAX`), not here.
//! 2. Entries and rows are of one state: rows are not compared with the entries that led to them.
//! 3. Of many rows few are asked for soon: the row cache is asked, and not filled.
//!
//! Not here: finding entries (`find`), the latest state, where an entry may be outdated.

use crate::engine::Engine;
use crate::error::Result;
use crate::find::{CachedRow, Flow, FoundRow, Visit, row_at};
use crate::store::{Reach, Read};
use crate::table::Table;

/// Keys that are worth being collected: more share no more blocks of a large table.
pub const KEYS_MAX: usize = 1 << 17;
/// Bytes of them.
pub const KEY_BYTES_MAX: usize = 4 << 20;

/// Rows that the store is asked for at once, at most so many, and as many as have so many bytes if
/// they are like those before.
const KEYS_AT_ONCE: usize = 32;
const BYTES_AT_ONCE: usize = 64 << 10;

/// Keys of rows that are to be looked up.
#[derive(Debug, Default)]
pub struct CollectedKeys {
    bytes: Vec<u8>,
    /// Where each begins and ends; those in front of `next` are done with.
    spans: Vec<(u32, u32)>,
    next: usize,
}

impl CollectedKeys {
    /// Adds one. Those that were looked up are forgotten once none is left.
    pub fn push(&mut self, key: &[u8]) {
        if self.is_empty() {
            self.bytes.clear();
            self.spans.clear();
            self.next = 0;
        }
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(key);
        self.spans.push((start, self.bytes.len() as u32));
    }

    /// Calls `each` with those that are left and how many come before each.
    pub fn each(&self, each: &mut dyn FnMut(usize, &[u8])) {
        for (n, span) in self.spans[self.next..].iter().enumerate() {
            each(n, self.key(*span));
        }
    }

    /// Puts those that are left in order.
    pub fn sort(&mut self) {
        let (bytes, spans) = (&self.bytes, &mut self.spans[self.next..]);
        spans.sort_unstable_by_key(|&(start, end)| &bytes[start as usize..end as usize]);
    }

    /// How many are left.
    pub fn len(&self) -> usize {
        self.spans.len() - self.next
    }

    /// Whether none is left.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether no more should be added.
    pub fn is_full(&self) -> bool {
        self.len() >= KEYS_MAX || self.bytes.len() >= KEY_BYTES_MAX
    }

    /// The next one, by its place.
    fn take(&mut self) -> Option<(u32, u32)> {
        let span = *self.spans.get(self.next)?;
        self.next += 1;
        Some(span)
    }

    /// Some of those that were taken last are left after all.
    fn put_back(&mut self, spans: &[(u32, u32)]) {
        let next = self.next - spans.len();
        self.spans[next..self.next].copy_from_slice(spans);
        self.next = next;
    }

    fn key(&self, (start, end): (u32, u32)) -> &[u8] {
        &self.bytes[start as usize..end as usize]
    }
}

impl Engine {
    /// Visits the rows with these keys until they are used up, or the visitor stops; what is left
    /// then is for the next call.
    ///
    /// # Errors
    /// As `find`.
    pub fn look_up(
        &self,
        view: &dyn Read,
        table: &Table,
        keys: &mut CollectedKeys,
        reach: Reach,
        visit: &mut Visit<'_>,
    ) -> Result<()> {
        self.unless_expired(table, reach, visit, |visit| {
            let mut at_once = 1;
            while !keys.is_empty() && at_once > 0 {
                at_once = self.look_up_some(view, table, keys, (reach, at_once), visit)?;
            }
            Ok(())
        })
    }

    /// The same with so many that the row cache does not have; how many the next time, none when
    /// the visitor stopped.
    fn look_up_some(
        &self,
        view: &dyn Read,
        table: &Table,
        keys: &mut CollectedKeys,
        (reach, most): (Reach, usize),
        visit: &mut Visit<'_>,
    ) -> Result<usize> {
        let (mut spans, mut missed) = (Vec::new(), Vec::new());
        let mut value = Vec::new();
        while missed.len() < most
            && let Some(span) = keys.take()
        {
            let key = keys.key(span);
            match self.cached_row(view, key, &mut value)? {
                CachedRow::Known(false) => {}
                CachedRow::Known(true) => {
                    let row = row_at(table, key, &value)?;
                    if visit(FoundRow { key, row })? == Flow::Stop {
                        keys.put_back(&spans);
                        return Ok(0);
                    }
                }
                CachedRow::Missed(_) | CachedRow::Unknown => {
                    missed.push(key.to_vec());
                    spans.push(span);
                }
            }
        }
        let (mut left, mut bytes_max, mut is_gone) = (None, 1, false);
        view.get_many(&missed, reach, &mut |n, value| {
            if left.is_some() {
                return Ok(());
            }
            let Some(value) = value else {
                is_gone = true;
                return Ok(());
            };
            bytes_max = value.len().max(bytes_max);
            let (key, row) = (&missed[n][..], row_at(table, &missed[n], value)?);
            if visit(FoundRow { key, row })? == Flow::Stop {
                left = Some(n + 1);
            }
            Ok(())
        })?;
        if is_gone {
            self.check_readable(view, table, 0)?;
        }
        if let Some(left) = left {
            keys.put_back(&spans[left..]);
            return Ok(0);
        }
        Ok((BYTES_AT_ONCE / bytes_max).clamp(1, KEYS_AT_ONCE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys that are left, taken one by one, as many as `most`.
    fn taken(keys: &mut CollectedKeys, most: usize) -> Vec<String> {
        let one = |_| keys.take().map(|span| String::from_utf8_lossy(keys.key(span)).into_owned());
        (0..most).map_while(one).collect()
    }

    fn collected(all: &[&str]) -> CollectedKeys {
        let mut keys = CollectedKeys::default();
        all.iter().for_each(|key| keys.push(key.as_bytes()));
        keys.sort();
        keys
    }

    #[test]
    fn keys_are_taken_in_order_and_the_memory_is_used_again() {
        let mut keys = collected(&["b", "", "ab", "a"]);
        assert_eq!(taken(&mut keys, 9), ["", "a", "ab", "b"]);
        keys.push(b"c");
        assert_eq!((keys.len(), keys.bytes.len()), (1, 1));
    }

    #[test]
    fn keys_that_were_looked_up_came_again_among_further_ones() {
        let mut keys = collected(&["m", "n"]);
        // The second is the last, and nobody has asked for a third.
        assert_eq!(taken(&mut keys, 2), ["m", "n"]);
        assert!(keys.is_empty());
        ["z", "a"].iter().for_each(|key| keys.push(key.as_bytes()));
        keys.sort();
        assert_eq!(taken(&mut keys, 9), ["a", "z"]);
    }

    #[test]
    fn keys_that_are_put_back_are_left_also_when_all_were_taken() {
        let mut keys = collected(&["a", "b", "c"]);
        let spans: Vec<_> = std::iter::from_fn(|| keys.take()).collect();
        keys.put_back(&spans[1..]);
        assert_eq!(taken(&mut keys, 9), ["b", "c"]);
    }
}
