//! Functions over Arrow columns, with MySQL's meaning. DataFusion calls them as UDFs.
//!
//! Invariants
//! 1. Argument and result types are fixed when the statement is bound; DataFusion never coerces
//!    an argument.
//! 2. Two functions are equal only if they would give equal results for equal arguments:
//!    DataFusion merges equal expressions.
//!
//! Not here: which function an expression means (`plan::bind`).

mod arithmetic;
mod collation;
mod group_concat;
mod keys;
mod lift;
mod long_text;
mod membership;
mod words;

pub(super) use arithmetic::{Arithmetic, NumberDomain, Operation};
pub(super) use collation::{CollationKey, TextComparison};
pub(super) use group_concat::{GroupConcat, Joining, Overlong};
pub(super) use keys::{SortKey, TupleKey};
pub(super) use lift::RowFunction;
pub(super) use long_text::LongText;
pub(super) use membership::TextMembership;
