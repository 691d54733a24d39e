//! What tables take: bytes on disk, and bytes before compression.
//!
//! Bytes on disk are what is there: rows that were changed or removed count until files are
//! compacted. Bytes before compression are those of the rows and entries that there are, keys and
//! values as they are stored. Of rows these are counted as they come and go (`table::count`). Of
//! entries, and of rows that nobody counted, a store knows how many its files have, but not which
//! of them are older versions of others: as many as there are too many are taken off where files
//! are oldest. So that number is exact where nothing was changed since files were compacted, and
//! else as good as older versions are as long as those next to them.
//!
//! Not here: about how large a range is, for planners (`Store::approximate_bytes`); what segments
//! of columns have (`columnar`).

use crate::engine::Engine;
use crate::error::Result;
use crate::partition::PartitionId;
use crate::table::{PRIMARY, Table, index_range, partition_range};

/// Entries of a range in files of one age.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EntryLayer {
    /// Entries with values, older versions included.
    pub entries: u64,
    /// Their keys and values.
    pub bytes: u64,
    /// Marks of entries that were removed.
    pub removals: u64,
}

/// What a range takes in a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeSizes {
    /// In files, as they are compressed, with the range's part of their indexes and filters; of
    /// what is still in write buffers the keys and values.
    pub disk_bytes: u64,
    /// What there is in it, the oldest first.
    pub layers: Vec<EntryLayer>,
    /// Entries and marks of removals in memory and in files that were not compacted yet, about:
    /// what was written of late is among them.
    pub new_entries: u64,
}

impl RangeSizes {
    /// Keys and values of the newest entries, of which there are so many.
    pub fn plain_bytes(&self, entries: u64) -> u64 {
        let mut too_many = self.all().0.saturating_sub(entries);
        let of = |layer: &EntryLayer| {
            let older = too_many.min(layer.entries);
            too_many -= older;
            let kept = u128::from(layer.bytes) * u128::from(layer.entries - older);
            kept.checked_div(u128::from(layer.entries)).unwrap_or(0) as u64
        };
        self.layers.iter().map(of).sum()
    }

    /// All entries, older versions included, and their bytes.
    pub fn all(&self) -> (u64, u64) {
        let of = |layer: &EntryLayer| (layer.entries, layer.bytes);
        self.layers.iter().map(of).fold((0, 0), |all, of| (all.0 + of.0, all.1 + of.1))
    }

    /// How many entries there are, if each removal has met one.
    pub fn entries_left(&self) -> u64 {
        let removals = self.layers.iter().map(|layer| layer.removals).sum();
        self.all().0.saturating_sub(removals)
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_versions_are_taken_off_where_files_are_oldest() {
        let layer = |entries, bytes| EntryLayer { entries, bytes, removals: 0 };
        let layers = vec![layer(100, 1_000), layer(0, 0), layer(50, 5_000), layer(10, 10)];
        let sizes = RangeSizes { layers, ..RangeSizes::default() };
        assert_eq!(sizes.plain_bytes(160), 6_010);
        assert_eq!(sizes.plain_bytes(1_000), 6_010, "the number of rows may be behind");
        assert_eq!(sizes.plain_bytes(100), 400 + 5_000 + 10);
        assert_eq!(sizes.plain_bytes(35), 2_500 + 10);
        assert_eq!(sizes.plain_bytes(0), 0);
    }

    #[test]
    fn removed_entries_are_not_left() {
        let layer = |entries, removals| EntryLayer { entries, bytes: 0, removals };
        let left = |layers| RangeSizes { layers, ..RangeSizes::default() }.entries_left();
        assert_eq!(left(vec![layer(100, 0), layer(10, 30)]), 80);
        assert_eq!(left(vec![layer(0, 30)]), 0);
    }
}
