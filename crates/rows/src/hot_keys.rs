//! The keys that much of what is asked by key is for, with their tables and values.
//!
//! Not here: how they are found (`asked_keys`).

use std::sync::Arc;

use crate::engine::Engine;
use crate::table::Table;

/// A key that much of all that is asked by key is for.
#[derive(Clone, Debug)]
pub struct HotKey {
    /// Its table.
    pub table: Arc<Table>,
    /// The index's name.
    pub index: String,
    /// The key's values.
    pub values: String,
    /// Samples that were surely of it.
    pub samples: u64,
    /// How many of a hundred finds by key those are.
    pub percent: u64,
}

impl Engine {
    /// The keys that much of what is asked by key is for, the hottest first.
    pub fn hot_keys(&self) -> Vec<HotKey> {
        let (samples, keys) = self.asked_keys().hottest(self.unix_seconds());
        let hot = |(key, count): (Box<[u8]>, u64)| {
            let row = self.locked_row(&key)?;
            let index = row.table.index_at(row.index?).name.clone();
            let percent = count * 100 / samples.max(1);
            Some(HotKey { table: row.table, index, values: row.values, samples: count, percent })
        };
        keys.into_iter().filter_map(hot).collect()
    }
}
