//! What a range takes in a store's files, and how much of it is not of older versions.
//!
//! A store knows how many entries its files have, but not which of them are older versions of
//! others: as many as there are too many are taken off where files are oldest. So what is left is
//! exact where nothing was changed since files were compacted, and else as good as older versions
//! are as long as those next to them.
//!
//! Not here: what tables take (`sizes`).

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
