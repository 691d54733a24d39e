//! What tables take: bytes on disk, and bytes before compression.
//!
//! Bytes on disk are what is there: rows that were changed or removed count until files are
//! compacted. Bytes before compression are those of the rows and entries that there are, keys and
//! values as they are stored. Of rows these are counted as they come and go (`table::count`). Of
//! entries, and of rows that nobody counted, a store knows what its files have
//! (`store::RangeSizes`).
//!
//! Not here: about how large a range is, for planners (`Store::approximate_bytes`); what segments
//! of columns have (`columnar`).

use crate::engine::Engine;
use crate::error::Result;
use crate::partition::PartitionId;
use crate::store::RangeSizes;
use crate::table::{PRIMARY, Table, index_range, partition_range};

/// What a part of a table takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartSizes {
    /// See `RangeSizes::disk_bytes`.
    pub disk_bytes: u64,
    /// Before compression.
    pub plain_bytes: u64,
}

impl PartSizes {
    fn of(sizes: &RangeSizes, entries: u64) -> PartSizes {
        PartSizes { disk_bytes: sizes.disk_bytes, plain_bytes: sizes.plain_bytes(entries) }
    }
}

impl std::ops::AddAssign for PartSizes {
    fn add_assign(&mut self, other: PartSizes) {
        self.disk_bytes += other.disk_bytes;
        self.plain_bytes += other.plain_bytes;
    }
}

/// What a table takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableSizes {
    /// Its rows.
    pub data: PartSizes,
    /// Its secondary indexes.
    pub indexes: PartSizes,
}

impl Engine {
    /// What the rows of a table and the entries of its indexes take, of which there are so many.
    /// For threads that may wait; no block of data is read.
    ///
    /// # Errors
    /// `Store`, `Corrupt`.
    pub fn table_sizes(&self, table: &Table, rows: u64) -> Result<TableSizes> {
        let sizes = |at| self.store().sizes(&table.index_range(at));
        let mut data = PartSizes::of(&sizes(0)?, rows);
        if let Some(bytes) = self.row_bytes(table)? {
            data.plain_bytes = bytes;
        }
        let mut of_table = TableSizes { data, indexes: PartSizes::default() };
        // Each row has one entry in each of these.
        for at in 1..table.codecs.len() {
            of_table.indexes += PartSizes::of(&sizes(at)?, rows);
        }
        for index in table.listed_indexes() {
            let sizes = self.store().sizes(&index_range(table.id, index))?;
            of_table.indexes += PartSizes::of(&sizes, sizes.entries_left());
        }
        Ok(of_table)
    }

    /// About how many rows a partition has, and what they and their entries take. For threads that
    /// may wait; no block of data is read.
    ///
    /// # Errors
    /// `Store`.
    pub fn partition_sizes(&self, table: &Table, id: PartitionId) -> Result<(u64, TableSizes)> {
        let sizes = |index| self.store().sizes(&partition_range(table.id, index, id));
        let data = sizes(PRIMARY)?;
        let rows = data.entries_left();
        let (data, indexes) = (PartSizes::of(&data, rows), PartSizes::default());
        let mut of_table = TableSizes { data, indexes };
        for index in &table.indexes[1..] {
            of_table.indexes += PartSizes::of(&sizes(index.id)?, rows);
        }
        Ok((rows, of_table))
    }
}
