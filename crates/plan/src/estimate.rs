//! About how many rows a table has: as the engine keeps count of them, else its bytes divided by
//! the size of some of its rows.
//!
//! Invariants
//! 1. An estimate costs a few rows' reading at most, whatever the size of the table.
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
///
/// # Errors
/// Of the store.
pub fn estimated_rows(engine: &Engine, view: &dyn Read, table: &Table) -> Result<u64> {
    let known = engine.row_count(table)?;
    if let Some(rows) = known.filter(|rows| *rows >= ROWS_SAMPLED) {
        return Ok(rows);
    }
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
    if known.is_some() {
        return Ok(count);
    }
    let whole = engine.store().approximate_bytes(&range)?;
    Ok((whole / (bytes / count).max(1)).max(count))
}
