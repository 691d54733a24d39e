//! The point access path: conditions on one table answered by look-ups and ranges of one index,
//! without a query executor.
//!
//! `lookup` finds what a condition says about the keys of an index, `access` chooses the index,
//! `ranges` makes ranges of it when the values are known, `key` keys of values, `gather` reads
//! rows, `sweep` past the index where these are many, `sort` orders what no index orders.
//!
//! Not here: everything else that SELECT can do (`analytic`).

mod access;
mod gather;
mod key;
mod lookup;
mod ordering;
mod ranges;
mod sort;
mod sweep;

pub use access::{Access, AccessKind, ReaderKind, RowCandidate, plan_access, ways};
pub use gather::{Filter, GatheredRows, Gatherer, PieceLimits};
pub use lookup::{Between, IndexKeys, Lookup};
pub use ordering::{Ordering, PointSortKey, simple_ordering};
pub use ranges::{IndexRanges, Ranges};
pub use sort::sort_rows;
