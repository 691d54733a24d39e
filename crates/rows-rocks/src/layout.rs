//! How the indexes and filters of new files lie in them, as data grow.
//!
//! A file has them whole, as one block each, or in parts, of which only those in use are in memory. Whole
//! ones are found at half of the cost and stay in memory as long as their file is open. In a cache
//! that is too small for them each look-up would read one from its file again, hundreds of
//! kilobytes for a row (measured: a nineteenth of the look-ups). So it is decided for each new
//! file, by the bytes of all data at that moment, and not once for a server that may be filled later.
//!
//! Invariants
//! 1. Whole ones together take no more than a third of the memory, about, so they are always pinned.
//!    Who gives a server less memory than before has more of them until files are compacted.
//! 2. Once files are written in parts, they are until the store is opened again.
//!
//! Not here: what else is set for files (`options`).

use std::sync::atomic::{AtomicBool, Ordering};

use rocksdb::Options;

use crate::store::Shared;

/// Bytes of data for one byte of indexes and filters, about.
const DATA_PER_INDEX: u64 = 70;
/// What RocksDB is told about files that flushes and compactions write from now on.
const IN_PARTS: [(&str, &str); 1] =
    [("block_based_table_factory", "{index_type=kTwoLevelIndexSearch;partition_filters=true}")];

/// What is decided for new files.
pub(crate) struct Layout {
    /// From so many bytes of data on, files are written in parts.
    whole_below: u64,
    in_parts: AtomicBool,
    /// Options of files that are written beside the database, with indexes in parts.
    parts: Options,
}

impl Layout {
    /// Of a store with so much memory and so many bytes of data; `parts` are its options with indexes
    /// in parts.
    pub(crate) fn new(memory: usize, data_bytes: u64, parts: Options) -> Layout {
        let whole_below = whole_below(memory);
        let in_parts = AtomicBool::new(data_bytes >= whole_below);
        Layout { whole_below, in_parts, parts }
    }

    pub(crate) fn is_in_parts(&self) -> bool {
        self.in_parts.load(Ordering::Acquire)
    }
}

/// Bytes of data whose indexes and filters take a third of the memory.
pub(crate) fn whole_below(memory: usize) -> u64 {
    (memory as u64 / 3).saturating_mul(DATA_PER_INDEX)
}

impl Shared {
    /// Options for a file that is written beside the database, where so many bytes are already.
    pub(crate) fn options_of_file(&self, beside: u64) -> &Options {
        if self.has_outgrown(beside) { &self.layout.parts } else { &self.options }
    }

    /// Sees to it that files are written as befits the bytes of data there are.
    pub(crate) fn choose_layout(&self) {
        if self.layout.is_in_parts() || !self.has_outgrown(0) {
            return;
        }
        match self.database.set_options(&IN_PARTS) {
            Ok(()) => self.layout.in_parts.store(true, Ordering::Release),
            // It is tried again with the next writes.
            Err(error) => tracing::warn!("indexes of files are not divided: {error}"),
        }
    }

    fn has_outgrown(&self, beside: u64) -> bool {
        let files = || self.property("rocksdb.live-sst-files-size").unwrap_or(0);
        self.layout.is_in_parts() || files() + beside >= self.layout.whole_below
    }
}

#[cfg(test)]
mod tests {
    use rows::error::Result;
    use rows::store::{Batch, Change, Durability, Reach, Read, Store};

    use crate::options::RocksOptions;
    use crate::store::RocksStore;

    const VALUE_BYTES: usize = 4_000;
    /// Of such values, more than there may be with whole indexes in the least memory, and fewer.
    const MANY: u64 = 60_000;
    const FEW: u64 = 10_000;

    fn open(directory: &std::path::Path) -> RocksStore {
        let options = RocksOptions { memory_bytes: 8 << 20, ..RocksOptions::default() };
        RocksStore::open(directory, &options).expect("the store opens")
    }

    /// A value that does not compress.
    fn value(number: u64) -> Vec<u8> {
        let mut random = number;
        let next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) as u8
        };
        std::iter::repeat_with(next).take(VALUE_BYTES).collect()
    }

    fn ingest(store: &RocksStore, numbers: std::ops::Range<u64>) {
        let entry =
            |number: u64| -> Result<_> { Ok((number.to_be_bytes().to_vec(), value(number))) };
        store.ingest(&mut numbers.map(entry)).expect("the ingestion");
    }

    fn index_partitions(store: &RocksStore) -> u64 {
        let properties =
            store.shared().database.property_value("rocksdb.aggregated-table-properties");
        let properties = properties.expect("a property").expect("of any database");
        let count = properties.split("# index partitions=").nth(1);
        count.map_or(0, |rest| rest.split(';').next().unwrap().trim().parse().unwrap())
    }

    #[test]
    fn a_store_that_outgrows_its_memory_no_longer_writes_indexes_whole_until_it_is_opened_again() {
        let directory = tempfile::tempdir().expect("a directory");
        let store = open(directory.path());
        ingest(&store, 0..FEW);
        assert_eq!((store.shared().layout.is_in_parts(), index_partitions(&store)), (false, 0));
        ingest(&store, FEW..MANY);
        assert!(store.shared().layout.is_in_parts(), "the ingestion outgrew the memory");
        // Files that are written beside the database are, and so are those it writes itself.
        ingest(&store, MANY..MANY + FEW);
        let beside = index_partitions(&store);
        assert!(beside > 0);
        let put = |number: u64| Change::Put(number.to_be_bytes().to_vec(), value(number));
        let batch = Batch { changes: (2 * MANY..2 * MANY + 100).map(put).collect() };
        store.write(&batch, Durability::EveryCommit).expect("the write");
        store.shared().database.flush().expect("the flush");
        assert!(index_partitions(&store) > beside);
        // Opened again, files of both kinds are read.
        drop(store);
        let store = open(directory.path());
        assert!(store.shared().layout.is_in_parts());
        let mut found = Vec::new();
        for number in [0, FEW, MANY, MANY + FEW - 1, 2 * MANY] {
            assert!(
                store.get(&number.to_be_bytes(), Reach::Disk, &mut found).expect("the look-up")
            );
            assert!(found == value(number), "{number}");
        }
    }
}
