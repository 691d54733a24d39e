//! The table ids of temporary tables, by which everybody tells them and their keys apart.
//!
//! Not here: what is under them (`temporary`).

use std::ops::Range;

/// The ids of temporary tables. Those behind them are the store's own.
pub(crate) const IDS: Range<u32> = 0x8000_0000..0xf000_0000;

/// Whether a key is of a temporary table.
#[inline]
pub(crate) fn is_temporary_key(key: &[u8]) -> bool {
    key.first().is_some_and(|byte| (0x80..0xf0).contains(byte))
}

/// Whether a table id is of a temporary table.
#[inline]
pub(crate) fn is_temporary_id(id: u32) -> bool {
    IDS.contains(&id)
}
