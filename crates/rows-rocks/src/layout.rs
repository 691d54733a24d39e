//! How new files are written, as data grow: their indexes and filters, whether their blocks go into
//! the cache at once, and how closely the largest level is packed.
//!
//! *Indexes and filters.* A file has them whole, as one block each, or in parts, of which only
//! those in use are in memory. Whole ones are found at half of the cost and stay in memory as long
//! as their file is open. In a cache that is too small for them each look-up would read one from
//! its file again, hundreds of kilobytes for a row (measured: a nineteenth of the look-ups).
//!
//! *Blocks.* Where all data fit the cache, what a flush or a compaction writes goes there as well.
//! Otherwise a compaction takes from memory whatever it rewrites, and readers fetch it back block
//! by block, each time in a thread that may wait. Where data do not fit, the blocks of a compaction
//! would drive out those that are asked for.
//!
//! *Small data* are rewritten whole every few seconds when they change, so they are packed less
//! closely, which takes half of the time, and new files are gathered in a level of their own before
//! the largest one is rewritten. Only where they fit the cache: what is read from files should take
//! little room in them.
//!
//! All of this is decided for each new file by the bytes of all data at that moment, not once for a
//! server that may be filled later.
//!
//! Invariants
//! 1. Whole indexes and filters together take no more than a third of the memory, about, so they
//!    are always pinned. A server that is given less memory than before has more of them until
//!    files are compacted.
//! 2. Once files are written in parts, they are until the store is opened again.
//! 3. What data bring about by growing ends only when they have halved: each change writes a small
//!    file.
//!
//! Not here: what else is set for files (`options`). Files of bulk loads, which rest, are always
//! packed closely, and their blocks do not go into the cache.

use parking_lot::Mutex;
use rocksdb::{DB, Options};

/// Bytes of data for one byte of indexes and filters, about.
const DATA_PER_INDEX: u64 = 70;
/// Data of more bytes are no longer small.
const SMALL_MAX: u64 = 256 << 20;
/// Size of the level above the largest one, at most, while data are small: some new files.
const SMALL_LEVEL: u64 = 32 << 20;

/// What is decided for new files.
pub(crate) struct Layout {
    form: Mutex<Form>,
    /// From so many bytes of data on, files are written in parts.
    whole_below: u64,
    /// Bytes of the first level, ordinarily.
    first_level: u64,
    /// Options of files that are written beside the database, with indexes in parts.
    parts: Options,
}

/// How new files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    in_parts: bool,
    is_cached: bool,
    is_small: bool,
}

impl Layout {
    /// Of a store with so much memory and so many bytes of data, whose first level ordinarily has
    /// so many; `parts` are its options with indexes in parts.
    pub(crate) fn new(memory: usize, data_bytes: u64, first_level: u64, parts: Options) -> Layout {
        let whole_below = whole_below(memory);
        let in_parts = data_bytes >= whole_below;
        // As it is opened. What else befits the data is chosen with the first write.
        let form = Mutex::new(Form { in_parts, is_cached: false, is_small: false });
        Layout { form, whole_below, first_level, parts }
    }

    pub(crate) fn is_in_parts(&self) -> bool {
        self.form.lock().in_parts
    }

    /// Options for a file that is written beside the database, with so many bytes of data in all;
    /// `None`: the database's own.
    pub(crate) fn options_of_file(&self, data_bytes: u64) -> Option<&Options> {
        let in_parts = self.is_in_parts() || data_bytes >= self.whole_below;
        in_parts.then_some(&self.parts)
    }

    /// Sees to it that files are written as befits the bytes of data there are, and a cache of so
    /// many.
    pub(crate) fn choose(&self, database: &DB, data_bytes: impl FnOnce() -> u64, cache: u64) {
        let mut form = self.form.lock();
        let next = form.next(data_bytes(), cache, self.whole_below);
        if next == *form {
            return;
        }
        let options = next.options(self.first_level);
        let options = options.each_ref().map(|(name, value)| (*name, value.as_str()));
        match database.set_options(&options) {
            Ok(()) => *form = next,
            // It is tried again with the next writes.
            Err(error) => tracing::warn!("new files are written as before: {error}"),
        }
    }
}

impl Form {
    /// What befits so many bytes of data, where so far it was this.
    fn next(self, data: u64, cache: u64, whole_below: u64) -> Form {
        // A block takes twice its bytes in a file, about.
        let cached_max = cache / 2;
        Form {
            in_parts: self.in_parts || data >= whole_below,
            is_cached: is_within(self.is_cached, data, cached_max),
            is_small: is_within(self.is_small, data, cached_max.min(SMALL_MAX)),
        }
    }

    /// What RocksDB is told about files that flushes and compactions write from now on.
    fn options(self, first_level: u64) -> [(&'static str, String); 4] {
        let parts = match self.in_parts {
            true => "index_type=kTwoLevelIndexSearch;partition_filters=true;",
            false => "",
        };
        // Blocks of compactions are the first to go from a full cache.
        let cached = if self.is_cached { "kFlushAndCompaction" } else { "kDisable" };
        // Every level that lz4 is told, 1 included, is of its slow form; it has one by itself.
        let (packed, closely, level) = match self.is_small {
            true => ("kLZ4Compression", "enabled=false", first_level.min(SMALL_LEVEL)),
            false => ("kZSTD", "enabled=true", first_level),
        };
        [
            ("block_based_table_factory", format!("{{{parts}prepopulate_block_cache={cached}}}")),
            ("bottommost_compression", packed.to_string()),
            ("bottommost_compression_opts", format!("{{{closely}}}")),
            ("max_bytes_for_level_base", level.to_string()),
        ]
    }
}

/// Whether data are within a limit: until they exceed it, and then from half of it on.
fn is_within(so_far: bool, data: u64, limit: u64) -> bool {
    data < if so_far { limit } else { limit / 2 }
}

/// Bytes of data whose indexes and filters take a third of the memory.
pub(crate) fn whole_below(memory: usize) -> u64 {
    (memory as u64 / 3).saturating_mul(DATA_PER_INDEX)
}

#[cfg(test)]
mod tests {
    use rows::error::Result;
    use rows::ingestion::TableStore;
    use rows::store::{Batch, Change, Durability, Reach, Read, Store};

    use super::*;
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
    fn what_befits_data_ends_when_they_exceed_a_limit_and_begins_at_half_of_it() {
        let opened = Form { in_parts: false, is_cached: false, is_small: false };
        let cache = 4 * SMALL_MAX;
        let of = |form: Form, data: u64| form.next(data, cache, u64::MAX);
        let empty = of(opened, 0);
        assert_eq!(empty, Form { in_parts: false, is_cached: true, is_small: true });
        assert_eq!(of(empty, SMALL_MAX - 1), empty);
        let large = of(empty, SMALL_MAX);
        assert_eq!(large, Form { is_small: false, ..empty });
        assert_eq!(of(large, SMALL_MAX / 2), large);
        assert_eq!(of(large, SMALL_MAX / 2 - 1), empty);
        assert_eq!(of(large, cache / 2 - 1), large);
        let beyond_cache = of(large, cache / 2);
        assert_eq!(beyond_cache, opened);
        assert_eq!(of(beyond_cache, cache / 4), opened);
        assert_eq!(of(beyond_cache, cache / 4 - 1), large);
        // What does not fit the cache is not small.
        assert_eq!(empty.next(8, 16, u64::MAX), opened);
        assert!(opened.next(7, 0, 7).in_parts);
        assert!(Form { in_parts: true, ..opened }.next(0, 0, 7).in_parts);
    }

    #[test]
    fn what_a_compaction_had_rewritten_was_read_from_files_again() {
        let directory = tempfile::tempdir().expect("a directory");
        let options = RocksOptions { memory_bytes: 64 << 20, ..RocksOptions::default() };
        let store = RocksStore::open(directory.path(), &options).expect("the store opens");
        store.shared().choose_layout();
        let put = |number: u64| Change::put(number.to_be_bytes().to_vec(), value(number));
        let batch = Batch { changes: (0..1_000).map(put).collect() };
        store.write(&batch, Durability::Os).expect("the write");
        store.shared().database.flush().expect("the flush");
        let all_in_memory = || {
            let mut found = Vec::new();
            (0..1_000_u64).all(|number| {
                let found = store.get(&number.to_be_bytes(), Reach::Memory, &mut found);
                found.is_ok_and(|found| found)
            })
        };
        assert!(all_in_memory(), "after the flush");
        store.write(&batch, Durability::Os).expect("the write");
        store.shared().database.compact_range(None::<&[u8]>, None::<&[u8]>);
        assert!(all_in_memory(), "after the compaction");
    }

    #[test]
    fn compactions_of_small_data_take_lz4_as_it_is_quick() {
        let directory = tempfile::tempdir().expect("a directory");
        let options = RocksOptions { memory_bytes: 64 << 20, ..RocksOptions::default() };
        let store = RocksStore::open(directory.path(), &options).expect("the store opens");
        store.shared().choose_layout();
        let put = |number: u64| Change::put(number.to_be_bytes().to_vec(), value(number));
        let batch = Batch { changes: (0..100).map(put).collect() };
        for _ in 0..2 {
            store.write(&batch, Durability::Os).expect("the write");
            store.shared().database.flush().expect("the flush");
        }
        store.shared().database.compact_range(None::<&[u8]>, None::<&[u8]>);
        drop(store);
        let files = std::fs::read_dir(directory.path()).expect("the directory").flatten();
        let files = files
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|e| e == "sst"));
        let levels: Vec<String> = files
            .map(|path| {
                let bytes = std::fs::read(path).expect("a file");
                let text = String::from_utf8_lossy(&bytes);
                let level =
                    text.split("strategy=").next().and_then(|text| text.split("level=").last());
                level.expect("said among a file's properties").to_string()
            })
            .collect();
        // The number that stands for the level which an algorithm has by itself.
        assert!(
            !levels.is_empty() && levels.iter().all(|level| level.starts_with("32767;")),
            "{levels:?}"
        );
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
        let put = |number: u64| Change::put(number.to_be_bytes().to_vec(), value(number));
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
