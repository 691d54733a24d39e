//! Dividing a key range among workers, by size.
//!
//! Invariants
//! 1. The parts follow each other without gap or overlap and make up the range.
//!
//! Not here: what the keys mean.

use crate::error::Result;
use crate::estimate::MEASURED_BYTES_MIN;
use crate::store::{Direction, KeyRange, Reach, Read, StoreUpkeep};

/// Steps of the search for one boundary; each halves what remains.
const STEPS_MAX: usize = 12;

/// At most `parts` ranges of about the same size.
///
/// # Errors
/// Those of reading.
pub fn split(
    store: &dyn StoreUpkeep,
    view: &dyn Read,
    range: &KeyRange,
    parts: usize,
) -> Result<Vec<KeyRange>> {
    let (Some(first), Some(last)) =
        (edge(view, range, Direction::Forward)?, edge(view, range, Direction::Backward)?)
    else {
        return Ok(vec![range.clone()]);
    };
    let (whole, keys) = (store.file_bytes(range)?, KeySpan::between(&first, &last));
    let mut out = Vec::with_capacity(parts);
    let mut start = range.start.clone();
    for part in 1..parts {
        let boundary = match whole >= MEASURED_BYTES_MIN {
            true => keys.by_size(store, range, whole / parts as u64 * part as u64)?,
            // Much of it is in memory, of which stores know no sizes: as if its keys lay evenly.
            false => keys.evenly(part, parts),
        };
        let Some(boundary) = boundary else { break };
        if boundary <= start {
            continue;
        }
        out.push(KeyRange { start: start.clone(), end: boundary.clone() });
        start = boundary;
    }
    out.push(KeyRange { start, end: range.end.clone() });
    Ok(out)
}

fn edge(view: &dyn Read, range: &KeyRange, direction: Direction) -> Result<Option<Vec<u8>>> {
    let mut cursor = view.scan(range, direction, Reach::Disk)?;
    Ok(if cursor.advance()? { Some(cursor.key().to_vec()) } else { None })
}

/// The keys from a first to a last one, by what both begin with and the numbers behind it.
struct KeySpan<'k> {
    prefix: &'k [u8],
    first: u64,
    last: u64,
}

impl<'k> KeySpan<'k> {
    fn between(first: &'k [u8], last: &[u8]) -> KeySpan<'k> {
        let common = first.iter().zip(last).take_while(|(a, b)| a == b).count();
        let (prefix, behind) = first.split_at(common);
        KeySpan { prefix, first: number(behind), last: number(&last[common..]) }
    }

    /// A key before which the range has about `target` bytes.
    fn by_size(
        &self,
        store: &dyn StoreUpkeep,
        range: &KeyRange,
        target: u64,
    ) -> Result<Option<Vec<u8>>> {
        let (mut low, mut high) = (self.first, self.last);
        for _ in 0..STEPS_MAX {
            if high - low < 2 {
                break;
            }
            let middle = low + (high - low) / 2;
            let before = KeyRange { start: range.start.clone(), end: key(self.prefix, middle) };
            if store.file_bytes(&before)? < target {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok((high > self.first).then(|| key(self.prefix, high)))
    }

    /// A key so many parts of the way.
    fn evenly(&self, part: usize, parts: usize) -> Option<Vec<u8>> {
        let way = u128::from(self.last - self.first) * part as u128 / parts as u128;
        let middle = self.first + u64::try_from(way).ok()?;
        (middle > self.first).then(|| key(self.prefix, middle))
    }
}

/// The first bytes behind the common prefix as a number.
fn number(bytes: &[u8]) -> u64 {
    let mut eight = [0; 8];
    let length = bytes.len().min(8);
    eight[..length].copy_from_slice(&bytes[..length]);
    u64::from_be_bytes(eight)
}

fn key(prefix: &[u8], number: u64) -> Vec<u8> {
    let mut key = prefix.to_vec();
    key.extend_from_slice(&number.to_be_bytes());
    while key.len() > prefix.len() + 1 && key.last() == Some(&0) {
        key.pop();
    }
    key
}
