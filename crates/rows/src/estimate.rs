//! About how many entries a range of an index has.
//!
//! A store knows the bytes that ranges take in its files, and little of what is still in memory:
//! all of a table that was just made. So entries are counted where they are few, and measured where
//! they are many and in files.
//!
//! Invariants
//! 1. An estimate costs some thousands of entries' reading at most; a count that ended is exact.
//!
//! Not here: which index is chosen (crates `sql`, `doors`).

use crate::engine::Engine;
use crate::error::Result;
use crate::store::{Cursor, Direction, KeyRange, Reach, Read};
use crate::table::{PREFIX_BYTES, successor};

/// Entries that are counted in any case.
const COUNTED_FIRST: u64 = 48;
/// Entries that are counted where files say too little.
const COUNTED_MAX: u64 = 4096;
/// Bytes in files from which on they say what part of an index a range is.
pub(crate) const MEASURED_BYTES_MIN: u64 = 4 << 20;

impl Engine {
    /// About how many entries a range has, within an index of about so many.
    ///
    /// # Errors
    /// `Store`.
    pub fn entries_about(&self, view: &dyn Read, range: &KeyRange, all: u64) -> Result<u64> {
        if range.is_empty() {
            return Ok(0);
        }
        let mut cursor = view.scan(range, Direction::Forward, Reach::Disk)?;
        let mut count = 0;
        if has_ended(&mut *cursor, &mut count, COUNTED_FIRST)? {
            return Ok(count);
        }
        let store = self.store();
        let start = range.start[..range.start.len().min(PREFIX_BYTES)].to_vec();
        let index = KeyRange { end: successor(&start), start };
        let (own, whole) = (store.file_bytes(range)?, store.file_bytes(&index)?);
        let part = |of: u64| u128::from(of) * u128::from(own) / u128::from(whole.max(1));
        let measured = u64::try_from(part(all)).unwrap_or(u64::MAX).min(all);
        if own >= MEASURED_BYTES_MIN {
            return Ok(measured.max(COUNTED_FIRST));
        }
        if has_ended(&mut *cursor, &mut count, COUNTED_MAX.min(all))? {
            return Ok(count);
        }
        // Of what is mostly in memory nothing is known but that there are more.
        let guessed = match whole >= MEASURED_BYTES_MIN {
            true => measured,
            false => (count as f64 * all as f64).sqrt() as u64,
        };
        Ok(guessed.clamp(count, all.max(count)))
    }
}

/// Counts on up to so many entries; whether there are no more.
fn has_ended(cursor: &mut dyn Cursor, count: &mut u64, most: u64) -> Result<bool> {
    while *count < most {
        if !cursor.advance()? {
            return Ok(true);
        }
        *count += 1;
    }
    Ok(false)
}
