//! Conditions on one table as look-ups in an index, and ranges of it.
//!
//! `lookup` finds what a condition says about the keys of an index, `access` what each index makes
//! of it, `ranges` makes ranges of that when the values are known, `key` keys of values, `ordering`
//! is the order that is asked for, `partitions` those that a condition leaves, `array` what it says
//! about elements of arrays.
//!
//! Not here: reading rows by it (`executor::gather`), what it costs (`optimize::access`).

mod access;
mod array;
mod key;
mod lookup;
mod ordering;
mod partitions;
mod ranges;

pub use access::{Access, AccessKind, ReaderKind, RowCandidate, ways};
pub use array::ArrayLookup;
pub use lookup::{Between, IndexKeys, Lookup};
pub use ordering::{Ordering, PointSortKey, simple_ordering};
pub use partitions::PartitionTerms;
pub use ranges::{IndexRanges, Ranges};
