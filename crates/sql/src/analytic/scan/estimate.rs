//! About how many rows a table has: its bytes divided by the size of some of its rows.
//!
//! Invariants
//! 1. An estimate costs a few rows' reading, whatever the size of the table.
//!
//! Not here: counts that must be right (COUNT(*) reads all rows).

use rows::error::Result;
use rows::store::{Direction, Reach, Read};
use rows::{Engine, Table};

/// Rows that are measured.
const ROWS_SAMPLED: u64 = 32;
/// Bytes that a store adds to an entry, roughly.
const ENTRY_BYTES: u64 = 16;

/// The table's rows, roughly; exact when there are very few.
pub(in crate::analytic) fn rows(engine: &Engine, view: &dyn Read, table: &Table) -> Result<u64> {
    let range = table.index_range(0);
    let mut cursor = view.scan(&range, Direction::Forward, Reach::Disk)?;
    let (mut count, mut bytes) = (0, 0);
    while count < ROWS_SAMPLED && cursor.advance()? {
        count += 1;
        bytes += (cursor.key().len() + cursor.value().len()) as u64 + ENTRY_BYTES;
    }
    drop(cursor);
    if count < ROWS_SAMPLED {
        return Ok(count);
    }
    let whole = engine.store().approximate_bytes(&range)?;
    Ok((whole / (bytes / count).max(1)).max(count))
}
