//! Figures: bytes on disk and in memory, sizes of ranges, checksums of everything.

use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;

use rocksdb::{Range, ReadOptions};
use rows::error::Result;
use rows::store::{Direction, KeyRange, Reach, StoreStatus};

use crate::cursors::scan;
use crate::internals::failure::of_read;
use crate::open_database::{OpenDatabase, ReplayedLog};
use crate::reading::would_wait;

/// Below this size a range is measured by walking it, where that is quick: RocksDB's estimate
/// knows nothing of write buffers and little of small ranges.
const EXACT_BELOW: u64 = 4 << 20;
const EXACT_ENTRIES_MAX: usize = 4096;

/// Bytes read ahead while everything is verified.
const VERIFY_READAHEAD: usize = 2 << 20;

/// RocksDB's properties shown on status pages, under the same names.
const FIGURES: [&str; 14] = [
    "rocksdb.estimate-num-keys",
    "rocksdb.live-sst-files-size",
    "rocksdb.total-sst-files-size",
    "rocksdb.size-all-mem-tables",
    "rocksdb.num-immutable-mem-table",
    "rocksdb.block-cache-capacity",
    "rocksdb.block-cache-usage",
    "rocksdb.block-cache-pinned-usage",
    "rocksdb.estimate-pending-compaction-bytes",
    "rocksdb.num-running-compactions",
    "rocksdb.num-snapshots",
    "rocksdb.background-errors",
    "rocksdb.is-write-stopped",
    "rocksdb.actual-delayed-write-rate",
];

impl OpenDatabase {
    pub(crate) fn status(&self) -> StoreStatus {
        let mut figures: Vec<(String, u64)> = FIGURES
            .iter()
            .filter_map(|name| Some((name.to_string(), self.property(name)?)))
            .collect();
        figures.push(("locks".to_string(), self.locks.held() as u64));
        figures.push(("ranges-to-reclaim".to_string(), self.reclaiming.pending() as u64));
        for (name, count) in [
            ("early-flushes", &self.tombstones.files),
            ("early-compactions", &self.tombstones.compactions),
        ] {
            figures.push((name.to_string(), count.load(Ordering::Relaxed)));
        }
        let ReplayedLog { bytes, batches, time } = self.replayed;
        figures.push(("log-bytes-replayed".to_string(), bytes));
        figures.push(("log-batches-replayed".to_string(), batches));
        figures.push(("log-replay-micros".to_string(), time.as_micros() as u64));
        let syncs = self.syncing.syncs.load(Ordering::Acquire);
        figures.push(("log-syncs".to_string(), syncs));
        let laid_out = self.laid_out.bytes.load(Ordering::Relaxed);
        figures.push(("log-bytes-laid-out".to_string(), laid_out));
        let refuses = self.health.check().is_err();
        figures.push(("writes-refused".to_string(), u64::from(refuses)));
        StoreStatus {
            name: "RocksDB".to_string(),
            disk_bytes: disk_bytes(&self.directory),
            // The write buffers are charged to the cache; table readers are not.
            memory_bytes: self.cache.get_usage() as u64
                + self.property("rocksdb.estimate-table-readers-mem").unwrap_or(0),
            figures,
        }
    }

    /// RocksDB's estimate.
    pub(crate) fn file_bytes(&self, range: &KeyRange) -> u64 {
        if !range.end.is_empty() && range.start >= range.end {
            return 0;
        }
        // Above every key that does not begin with as many bytes of the highest value.
        let last = [0xff; 64];
        let end = if range.end.is_empty() { &last[..] } else { &range.end[..] };
        let sizes = self.database.get_approximate_sizes(&[Range::new(&range.start, end)]);
        sizes.first().copied().unwrap_or(0)
    }

    pub(crate) fn approximate_bytes(&self, range: &KeyRange) -> Result<u64> {
        let estimate = self.file_bytes(range);
        if estimate >= EXACT_BELOW {
            return Ok(estimate);
        }
        match self.walked_bytes(range)? {
            (bytes, true) => Ok(bytes),
            (bytes, false) => Ok(bytes.max(estimate)),
        }
    }

    /// Bytes of the first keys and values, as far as they are in memory, and whether these were
    /// all.
    fn walked_bytes(&self, range: &KeyRange) -> Result<(u64, bool)> {
        let mut cursor = scan(self, None, range, Direction::Forward, Reach::Memory);
        let mut bytes = 0;
        for _ in 0..EXACT_ENTRIES_MAX {
            match cursor.advance() {
                Ok(true) => bytes += (cursor.key().len() + cursor.value().len()) as u64,
                Ok(false) => return Ok((bytes, true)),
                Err(error) if would_wait(&error) => break,
                Err(error) => return Err(error),
            }
        }
        Ok((bytes, false))
    }

    /// Reads every block of every file and compares its checksum.
    pub(crate) fn verify(&self) -> Result<()> {
        let mut options = ReadOptions::default();
        options.set_verify_checksums(true);
        options.fill_cache(false);
        options.set_readahead_size(VERIFY_READAHEAD);
        let mut entries = self.database.raw_iterator_opt(options);
        entries.seek_to_first();
        while entries.valid() {
            entries.next();
        }
        entries.status().map_err(|error| of_read("verifying checksums", error))
    }
}

/// Bytes of the directory's files. Files that vanish meanwhile count nothing.
pub(crate) fn disk_bytes(directory: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else {
        return 0;
    };
    let files = entries.flatten().filter_map(|entry| fs::metadata(entry.path()).ok());
    files.filter(|metadata| metadata.is_file()).map(|metadata| metadata.len()).sum()
}
