//! Tables that are stored by column (`ENGINE=COLUMNAR`), on top of a store of bytes.
//!
//! Rows that have rested for a while, and rows that come in a load, lie in *segments*: some ten
//! thousand rows each, each column of them compressed as one value of the store. In the place of
//! the row its key then says where it is. So keys, indexes, locks, transactions, snapshots, copies
//! and crashes are those of any table; what differs is how much room the rows take, and that a scan
//! reads only the columns that it wants.
//!
//! Layers, bottom up
//! - values: `arrow` (Arrow's and ours), `column` (how a column is encoded)
//! - what is in the store: `keys`, `segment`, `build`
//! - files of segments: `writer`
//! - memory: `cache`, `dead_rows`, `dead_pieces`, `state`, `note_cache`, `tables`
//! - `reader` (one row), `snapshot` (states), `notes` and `sorted` (writes), `ingest` (loads),
//!   `store` (`rows::store::Store`), `mover` (the background)
//! - `scan`, `groups`, `statistics`: by column, for analytic queries; `sizes`: what segments take
//! - `index`: columnar indexes of tables of rows, on all of the above; `check`
//!
//! Not here: SQL, plans, who sees what (`rows`).

pub mod arrow;
mod build;
mod cache;
mod check;
mod column;
mod dead_pieces;
mod dead_rows;
#[doc(hidden)]
pub mod fuzzing;
mod groups;
mod index;
mod ingest;
mod keys;
mod mover;
mod note_cache;
mod notes;
mod reader;
mod scan;
mod segment;
mod sizes;
mod snapshot;
mod sorted;
mod state;
mod statistics;
mod store;
mod tables;
mod writer;

pub use groups::{
    ArrayKey, CodedGroups, ColumnArray, GroupBatch, GroupStep, GroupTable, Grouping, Groups, Total,
    is_same,
};
pub use index::index_columns_of;
pub use mover::{MoverRole, Round};
pub use scan::{
    Batch, Batches, Part, ScanRequest, TableColumns, Test, columns_of, stored_columns_of,
};
pub use sizes::{SegmentSizes, segment_sizes_of};
pub use statistics::{Question, has_extremes};
pub use store::ColumnStore;
