//! Bulk loads: very many rows into a table, past the transactions and the log; so are the
//! copy of a table and its new indexes made by ALTER TABLE.
//!
//! Rows are given out of order, by several threads at once, each with its number in the load.
//! Each thread sorts what becomes of its rows, by index, in memory and beyond that in runs on the
//! disk (`sorter`, `rows`). Once all rows are there, the runs of each index are merged in ranges,
//! again by several threads, into files of the store (`merge`, `build`), which then appear at once.
//!
//! ```text
//! row n ──> row key, n, row bytes            ──> sorter of index 1 ─┐ runs, by range
//!      └──> entry key, n, primary key or end ──> sorter of index 2 ─┴──> merge ──> files
//! ```
//! A table without any index has its rows in the order of the load: they go past the sorters
//! (`ordered`).
//!
//! Keys of one index say themselves where they end, so a key with the row's number behind it
//! orders as the key, then the number: rows that share a unique key come one after another, the
//! first row of the load first.
//!
//! Invariants
//! 1. A load has locked its table whole: its rows stay as they are until the load appears (`load`).
//! 2. All of a load appears, durable, or nothing of it does. What a crash leaves lies in
//!    directories that are emptied at the next start.
//! 3. Of rows that share a unique key, with each other or with one that was there before
//!    (`existing`), those are kept that stay if the rows are put in one by one in the order of
//!    their numbers (`duplicates`).
//!
//! Not here: where rows come from (crate `sql`), how files are taken over (`ingestion`).

mod build;
mod duplicates;
mod existing;
mod load;
mod memory;
mod merge;
mod numbers;
mod ordered;
mod progress;
mod rows;
mod sorter;
mod taker;

pub use build::BulkOutcome;
pub(crate) use build::{Build, go_on, threads};
pub use duplicates::OnDuplicate;
pub use load::BulkLoad;
pub(crate) use merge::Merge;
pub use numbers::AutoIncrements;
pub use progress::{Progress, Stage};
pub(crate) use rows::push_row;
pub use rows::{RowSorter, SortedRows};
pub(crate) use sorter::{FreeChunks, RunForm, Sorter};
pub use taker::RowTaker;
