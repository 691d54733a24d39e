//! Reading past what cannot be read: the entries of a range that a store still gives, and the gaps
//! between.
//!
//! A store whose file has a damaged block fails for every key that may be in that block, and for no
//! other. Where a scan fails, a key is looked for from which the next scan succeeds: first further
//! and further away, then at even distances in between, then by halves.
//!
//! Invariants
//! 1. An entry is given once, in the order of keys, and only if the store vouches for it.
//! 2. The work is bounded: `PROBES_MAX` looks for each gap, `GAPS_MAX` gaps.
//!
//! Not here: what is in the entries (`check`, `salvage`).

use crate::error::{Error, Result};
use crate::store::{KeyRange, Read};

/// Gaps of a range after which the rest of it is taken for unreadable.
const GAPS_MAX: usize = 10_000;
/// Places between two keys at which a readable one is looked for.
const PLACES: u64 = 256;
/// Bytes of a key that are told apart, besides those that it begins with.
const KEY_BYTES_MORE: usize = 8;
/// The longest key that is told apart byte by byte.
const KEY_BYTES_MAX: usize = 64;
/// Looks for the end of one gap, about.
#[cfg(test)]
const PROBES_MAX: usize = 2 * 8 * (KEY_BYTES_MAX + KEY_BYTES_MORE) + PLACES as usize;

/// Keys of a range that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The last key before it; `None`: it begins with the range.
    pub after: Option<Vec<u8>>,
    /// The next key behind it; `None`: it ends with the range.
    pub before: Option<Vec<u8>>,
    /// Why, in the store's words.
    pub why: String,
}

/// Gives every entry of a range that can be read, and what lies between them that cannot.
///
/// # Errors
/// Those of `each`, and those of the store that are not about what is stored.
pub(crate) fn read_all(
    view: &dyn Read,
    range: &KeyRange,
    each: &mut dyn FnMut(&[u8], &[u8]) -> Result<()>,
) -> Result<Vec<Gap>> {
    let mut gaps: Vec<Gap> = Vec::new();
    let mut last: Option<Vec<u8>> = None;
    let mut from = range.start.clone();
    loop {
        let rest = KeyRange { start: from.clone(), end: range.end.clone() };
        let Some(error) = read_on(view, &rest, &mut last, each)? else { return Ok(gaps) };
        // The same key may be met again where nothing could be read behind it.
        let behind = match &last {
            Some(key) if *key >= from => after(key),
            _ => from,
        };
        let next = match gaps.len() < GAPS_MAX {
            true => next_readable(view, &behind, &range.end)?,
            false => None,
        };
        gaps.push(Gap { after: last.clone(), before: next.clone(), why: error.to_string() });
        match next {
            Some(key) => from = key,
            None => return Ok(gaps),
        }
    }
}

/// Reads until the end of a range, or to an error about what is stored, which it gives.
fn read_on(
    view: &dyn Read,
    range: &KeyRange,
    last: &mut Option<Vec<u8>>,
    each: &mut dyn FnMut(&[u8], &[u8]) -> Result<()>,
) -> Result<Option<Error>> {
    let mut cursor = match view.scan_once(range) {
        Ok(cursor) => cursor,
        Err(error) => return damage(error).map(Some),
    };
    loop {
        match cursor.advance() {
            Ok(true) => {
                each(cursor.key(), cursor.value())?;
                let last = last.get_or_insert_default();
                last.clear();
                last.extend_from_slice(cursor.key());
            }
            Ok(false) => return Ok(None),
            Err(error) => return damage(error).map(Some),
        }
    }
}

/// An error that is about what is stored; others are errors here, too.
pub(crate) fn damage(error: Error) -> Result<Error> {
    match error {
        Error::Store { .. } | Error::Corrupt { .. } => Ok(error),
        other => Err(other),
    }
}

/// What is found where a scan begins.
#[derive(Debug, PartialEq, Eq)]
enum Probe {
    Damaged,
    Key(Vec<u8>),
    /// Nothing is behind.
    End,
}

fn probe(view: &dyn Read, start: Vec<u8>, end: &[u8]) -> Result<Probe> {
    let range = KeyRange { start, end: end.to_vec() };
    let mut cursor = match view.scan_once(&range) {
        Ok(cursor) => cursor,
        Err(error) => return damage(error).map(|_| Probe::Damaged),
    };
    match cursor.advance() {
        Ok(true) => Ok(Probe::Key(cursor.key().to_vec())),
        Ok(false) => Ok(Probe::End),
        Err(error) => damage(error).map(|_| Probe::Damaged),
    }
}

/// The first key from which on something can be read, at or behind `from`, where nothing can.
fn next_readable(view: &dyn Read, from: &[u8], end: &[u8]) -> Result<Option<Vec<u8>>> {
    let numbers = KeyDistances::between(from, end);
    let look = |at: &Number| probe(view, numbers.key(at), end);
    // What is known: nothing can be read from `bad` on, and from `good` on something can, or it is
    // the end.
    let (mut bad, mut good, mut found) = (Number::zero(&numbers), numbers.end(), Probe::End);
    for bit in 0..numbers.bits() {
        let at = Number::power(&numbers, bit);
        if !at.is_below(&numbers.end()) {
            break;
        }
        match look(&at)? {
            Probe::Damaged => bad = at,
            other => {
                (good, found) = (at, other);
                break;
            }
        }
    }
    // A few readable ones may lie between damaged ones before that.
    let (first, step) = (Number::zero(&numbers), good.divided(PLACES));
    let mut at = first;
    for _ in 1..PLACES {
        at = at.plus(&step);
        if step.is_zero() || !at.is_below(&good) {
            break;
        }
        match look(&at)? {
            Probe::Damaged if bad.is_below(&at) => bad = at.clone(),
            Probe::Damaged => {}
            other => {
                (good, found) = (at, other);
                break;
            }
        }
    }
    // `bad` may be behind the first place that was found.
    if !bad.is_below(&good) {
        bad = good.minus(&step);
    }
    for _ in 0..numbers.bits() {
        let middle = bad.middle(&good);
        if !bad.is_below(&middle) {
            break;
        }
        match look(&middle)? {
            Probe::Damaged => bad = middle,
            other => (good, found) = (middle, other),
        }
    }
    Ok(match found {
        Probe::Key(key) => Some(key),
        Probe::Damaged | Probe::End => None,
    })
}

/// The key right behind another.
fn after(key: &[u8]) -> Vec<u8> {
    let mut next = key.to_vec();
    next.push(0);
    next
}

/// Keys from one on, by their distance to it.
struct KeyDistances {
    /// What all keys of interest begin with.
    shared: Vec<u8>,
    start: Number,
    end: Number,
}

/// Bytes of a number, the highest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Number(Vec<u8>);

impl KeyDistances {
    fn between(start: &[u8], end: &[u8]) -> KeyDistances {
        let same = start.iter().zip(end).take_while(|(a, b)| a == b).count();
        let wide = start.len().min(same + KEY_BYTES_MAX) - same + KEY_BYTES_MORE;
        let padded = |bytes: &[u8]| {
            let mut number = bytes.get(same..).unwrap_or_default().to_vec();
            number.resize(wide, 0);
            // One more byte, so that sums have room.
            number.insert(0, 0);
            Number(number)
        };
        let mut last = Number(vec![u8::MAX; wide + 1]);
        last.0[0] = 0;
        let end = if end.is_empty() { last } else { padded(end) };
        KeyDistances { shared: start[..same].to_vec(), start: padded(start), end }
    }

    fn bits(&self) -> usize {
        8 * self.start.0.len()
    }

    fn end(&self) -> Number {
        self.end.minus(&self.start)
    }

    fn key(&self, at: &Number) -> Vec<u8> {
        let number = self.start.plus(at);
        // Of the keys that begin so the shortest comes first.
        let bytes = number.0.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let mut key = self.shared.clone();
        key.extend_from_slice(number.0.get(1..bytes).unwrap_or_default());
        key
    }
}

impl Number {
    fn zero(numbers: &KeyDistances) -> Number {
        Number(vec![0; numbers.start.0.len()])
    }

    fn power(numbers: &KeyDistances, bit: usize) -> Number {
        let mut number = Number::zero(numbers);
        let at = number.0.len() - 1 - bit / 8;
        number.0[at] = 1 << (bit % 8);
        number
    }

    fn is_zero(&self) -> bool {
        self.0.iter().all(|byte| *byte == 0)
    }

    fn is_below(&self, other: &Number) -> bool {
        self < other
    }

    fn plus(&self, other: &Number) -> Number {
        let mut sum = self.clone();
        let mut carry = 0;
        for (byte, more) in sum.0.iter_mut().zip(&other.0).rev() {
            let all = u16::from(*byte) + u16::from(*more) + carry;
            (*byte, carry) = (all as u8, all >> 8);
        }
        sum
    }

    fn minus(&self, other: &Number) -> Number {
        let mut difference = self.clone();
        let mut borrowed = 0;
        for (byte, less) in difference.0.iter_mut().zip(&other.0).rev() {
            let all = 0x100 + u16::from(*byte) - u16::from(*less) - borrowed;
            (*byte, borrowed) = (all as u8, 1 - (all >> 8));
        }
        difference
    }

    fn divided(&self, by: u64) -> Number {
        let mut quotient = self.clone();
        let mut rest = 0;
        for byte in &mut quotient.0 {
            let all = rest << 8 | u64::from(*byte);
            (*byte, rest) = ((all / by) as u8, all % by);
        }
        quotient
    }

    fn middle(&self, other: &Number) -> Number {
        self.plus(&other.minus(self).divided(2))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::ops::Range;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::store::{Cursor, Direction, Reach};

    /// Keys of four bytes, of which some ranges cannot be read.
    struct Damaged {
        entries: BTreeMap<Vec<u8>, Vec<u8>>,
        bad: Vec<Range<u32>>,
        scans: AtomicUsize,
    }

    fn key(number: u32) -> Vec<u8> {
        number.to_be_bytes().to_vec()
    }

    fn number(key: &[u8]) -> u32 {
        u32::from_be_bytes(key[..4].try_into().unwrap())
    }

    struct DamagedCursor<'a> {
        of: &'a Damaged,
        range: KeyRange,
        /// The scan has read everything before.
        at: Vec<u8>,
        entry: Option<(&'a [u8], &'a [u8])>,
    }

    impl Cursor for DamagedCursor<'_> {
        fn advance(&mut self) -> Result<bool> {
            let mut entries = self.of.entries.range(self.at.clone()..);
            let next = entries.next().filter(|(key, _)| self.range.contains(key));
            // What lies between is read, and the block in which the next one is.
            let from = self.at.clone();
            let to = next.map_or(&self.range.end, |(key, _)| key).clone();
            let is_bad = |bad: &Range<u32>| from < key(bad.end) && to >= key(bad.start);
            let passes = |bad: &Range<u32>| next.is_none() && to == key(bad.start);
            if self.of.bad.iter().any(|bad| is_bad(bad) && !passes(bad)) {
                let source = "a damaged block".into();
                return Err(Error::Store { doing: "reading", applied: Some(false), source });
            }
            self.entry = next.map(|(key, value)| (&key[..], &value[..]));
            if let Some((key, _)) = self.entry {
                self.at = after(key);
            }
            Ok(self.entry.is_some())
        }

        fn key(&self) -> &[u8] {
            self.entry.unwrap().0
        }

        fn value(&self) -> &[u8] {
            self.entry.unwrap().1
        }
    }

    impl Read for Damaged {
        fn get(&self, _: &[u8], _: Reach, _: &mut Vec<u8>) -> Result<bool> {
            unreachable!("only scanned")
        }

        fn scan<'a>(
            &'a self,
            range: &KeyRange,
            _: Direction,
            _: Reach,
        ) -> Result<Box<dyn Cursor + 'a>> {
            self.scans.fetch_add(1, Ordering::Relaxed);
            let (range, at) = (range.clone(), range.start.clone());
            Ok(Box::new(DamagedCursor { of: self, range, at, entry: None }))
        }
    }

    /// All keys of some, where these ranges are bad: those that are read, and the gaps.
    fn read(
        keys: impl Iterator<Item = u32>,
        bad: &[Range<u32>],
    ) -> (Vec<u32>, Vec<(Option<u32>, Option<u32>)>, usize) {
        let entries = keys.map(|number| (key(number), Vec::new())).collect();
        let damaged = Damaged { entries, bad: bad.to_vec(), scans: AtomicUsize::new(0) };
        let mut read = Vec::new();
        let range = KeyRange { start: key(0), end: key(u32::MAX) };
        let gaps = read_all(&damaged, &range, &mut |key, _| {
            read.push(number(key));
            Ok(())
        });
        let ends = |key: &Option<Vec<u8>>| key.as_deref().map(number);
        let gaps = gaps.unwrap().iter().map(|gap| (ends(&gap.after), ends(&gap.before))).collect();
        (read, gaps, damaged.scans.into_inner())
    }

    #[test]
    fn everything_around_a_damaged_block_is_read() {
        for bad in [1000..1010, 1000..1_000_000, 1..2, 0..5000, 99_990..4_000_000_000] {
            let (read, gaps, scans) = read(0..100_000, std::slice::from_ref(&bad));
            let good: Vec<u32> = (0..100_000).filter(|number| !bad.contains(number)).collect();
            assert_eq!(read.len(), good.len(), "{bad:?}: {gaps:?}");
            assert_eq!(read, good);
            let after = bad.start.checked_sub(1);
            let before = (bad.end < 100_000).then_some(bad.end);
            assert_eq!(gaps, [(after, before)]);
            assert!(scans <= 2 + PROBES_MAX, "{scans}");
        }
    }

    #[test]
    fn what_lies_between_damaged_blocks_is_read_too() {
        let bad = [100..200, 250..300, 301..9000, 50_000..60_000];
        let (read, gaps, _) = read(0..100_000, &bad);
        let good = (0..100_000).filter(|number| !bad.iter().any(|bad| bad.contains(number)));
        // One key alone between two blocks may stay unseen.
        let missed = good.filter(|number| !read.contains(number)).count();
        assert!(missed <= 51, "{missed}: {gaps:?}");
        assert!(read.is_sorted() && gaps.len() <= bad.len());
    }

    #[test]
    fn a_range_of_which_nothing_can_be_read_is_one_gap() {
        let (keys, gaps, scans) = read(0..1000, std::slice::from_ref(&(0..u32::MAX)));
        assert_eq!((keys.len(), gaps), (0, vec![(None, None)]));
        assert!(scans <= 2 + PROBES_MAX, "{scans}");
        // Nor is a sound one that is empty.
        let none: [Range<u32>; 0] = [];
        let (keys, gaps, _) = read(std::iter::empty(), &none);
        assert_eq!((keys.len(), gaps.len()), (0, 0));
    }

    #[test]
    fn distances_are_numbers() {
        let numbers = KeyDistances::between(b"ab\x01", b"ac");
        assert_eq!(numbers.key(&Number::zero(&numbers)), b"ab\x01");
        let one = Number::power(&numbers, 0);
        assert_eq!(one.plus(&one), Number::power(&numbers, 1));
        let large = Number::power(&numbers, 16);
        assert_eq!(large.minus(&one).plus(&one), large);
        assert_eq!(large.divided(4), Number::power(&numbers, 14));
        assert_eq!(one.middle(&one.plus(&one)), one);
        assert!(Number::zero(&numbers).is_zero() && one.is_below(&large));
    }
}
