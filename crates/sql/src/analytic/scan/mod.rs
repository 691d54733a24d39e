//! Tables as DataFusion reads them: a scan of the rows, or of the ranges of one index, in batches
//! with only the wanted columns decoded.
//!
//! Invariants
//! 1. A scan reads one view; what others write meanwhile is not seen.
//! 2. Index ranges hold at least the rows that the conditions want; the conditions themselves
//!    are evaluated again above the scan, so a range may be too wide and never too narrow.
//!
//! Not here: which rows a view shows (`rows`).

mod access;
mod batches;
mod columnar;
mod counting;
mod execution;
mod ranges;
mod source;

pub(super) use counting::CountInScans;
pub(super) use source::{ROW_KEY, TableSource, arrow_schema};
