//! Tables whose rows are divided: PARTITION BY.
//!
//! ```text
//! table id u32 | index id u16 | partition u32 | parts ..      rows, and entries of every index
//! ```
//! A partition's number stands before the parts of every key of the table, the primary key's too:
//! its rows and their entries are one range of each index, which is dropped or emptied by a range
//! deletion. The number is the value of a column that nobody sees (`ColumnVisibility::OfPartition`)
//! and that every row stores (decision 0125).
//!
//! Invariants
//! 1. Every row has the number of the partition that its values say, whichever door it came by.
//! 2. Numbers are never reused within a table, so that nothing of a dropped partition is met again.
//! 3. A unique key holds all columns that partitions are told by: a key is in one partition.
//!
//! Not here: keys (`table`), what statements say (crate `sql`), which partitions a condition leaves
//! (crate `plan`).

mod change;
mod placement;
mod scheme;

pub use change::PartitionChange;
pub(crate) use change::apply_change;
pub use placement::{ColumnDomain, PartitionRule};
pub(crate) use scheme::{PARTITION_BYTES, validate_partitioning};

pub use crate::partition_fault::PartitionFault;
pub use crate::partitioning::{
    Partition, PartitionId, PartitionMethod, PartitionNaming, PartitionValue, PartitionedBy,
    Partitioning, Subpartition, Subpartitioning,
};
