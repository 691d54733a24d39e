//! How many rows a table has: about, at once and always (`about`), again after a crash (`doubt`),
//! and to the row, for COUNT(*) (`exact`).
//!
//! Not here: the numbers in memory (`table::{RowCount, CountedRows}`), how many entries a range has
//! (`estimate`).

mod about;
mod doubt;
mod exact;

pub use exact::CountMark;
