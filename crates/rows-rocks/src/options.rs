//! How RocksDB is set up, and why.
//!
//! Memory: one number covers the block cache and the write buffers. The buffers are charged to the
//! cache, so the sum stays below it.
//!
//! Recovery: after a crash the write-ahead log is replayed, at `LOG_BYTES_PER_SECOND` at least.
//! What it can hold is bounded by the write buffers, `BUFFERS_MAX` times their size, so these
//! follow from the time that a recovery may take, whatever the memory; see
//! `docs/decisions/0015-recovery.md` for the measurement.
//!
//! Not here: durability, which is chosen per write (`writing`); what depends on the bytes of data
//! there are (`layout`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use resources::background::cores;
use rocksdb::{
    BlockBasedIndexType, BlockBasedOptions, BlockBasedTablePinningTier, Cache, DBCompressionType,
    DBRecoveryMode, InfoLogger, LogLevel, Options, WriteBufferManager,
};
use rows::table::PREFIX_BYTES;

use crate::internals::busy_threads::note_busy_threads;
use crate::internals::page_cache;
use crate::internals::prefix_sizes::note_shares;
use crate::layout::Layout;
use crate::pace::{FILES_SLOWED, FILES_STOPPED};

const MIB: usize = 1 << 20;

/// Memory below this serves nobody.
const MEMORY_MIN: usize = 8 * MIB;
/// Write buffers: one that fills while others are written to disk.
const BUFFERS_MAX: usize = 3;
const BUFFER_MIN: usize = MIB;
/// The share of the memory that one buffer may take.
const BUFFER_SHARE: usize = 8;
/// RocksDB frees a written buffer only when nobody looks at it any more, so that so many can be
/// there at once for a moment.
const BUFFERS_HELD: usize = 5;
/// The share of the memory that blocks have beside all buffers, whatever is lent. Without any room
/// the cache lets each block go that comes in, and looks at all of its places to find it.
const BLOCKS_SHARE: usize = 8;
/// The share that is lent at most.
const LENT_SHARE: usize = 2;
/// How fast a log of the smallest rows is replayed, on a machine with other work to do.
const LOG_BYTES_PER_SECOND: f64 = (32 * MIB) as f64;

/// So many new files are compacted together, with what is in the files below.
pub(crate) const FILES_PER_COMPACTION: u64 = 4;

/// How many times as large a level is as the one above it. Small write buffers make more levels of
/// the same data: smaller steps rewrite less then, and the tenth of the data that all upper levels
/// are becomes a sixth.
const LEVEL_STEP: f64 = 10.0;
const LEVEL_STEP_SMALL: f64 = 7.0;
/// Buffers below this are small.
const BUFFER_SMALL: usize = 8 * MIB;
/// Into how many files the first level below the newest is split, and how large they are at least
/// and at most. A compaction rewrites whole files: keys that only ascend touch one of each level,
/// whose other rows are rewritten for nothing. And new files wait for its end: where one file is a
/// whole level, it takes seconds.
const FILES_OF_FIRST_LEVEL: u64 = 8;
const FILE_BYTES_MIN: u64 = 2 << 20;
const FILE_BYTES_MAX: u64 = 16 << 20;
/// How many times as large files are in each level as in the one above it.
const FILE_STEP: i32 = 2;
/// Threads of flushes and compactions: of fewer than three RocksDB has only one compact at a time.
/// Then new files wait for compactions between older ones, and writers for these, while a core has
/// nothing to do.
const JOBS_MIN: usize = 3;
const JOBS_MAX: usize = 8;

/// How much is done to find blocks of deleted files in the cache: until one in twenty is there.
const UNCACHE: &str = "uncache_aggressiveness=300";

/// Entries of an index of a file from one whole key to the next.
const INDEX_RESTARTS: i32 = 16;
/// Files kept open, at most and at least; between them, half of what the process may open.
const OPEN_FILES_MAX: u64 = 1 << 16;
const OPEN_FILES_MIN: u64 = 64;

/// What can be chosen.
#[derive(Clone, Debug)]
pub struct RocksOptions {
    /// Bytes of memory for the block cache and the write buffers together.
    pub memory_bytes: usize,
    /// Threads that write buffers to disk and compact; 0: by the number of processors.
    pub background_jobs: usize,
    /// How long opening may take after a crash at full write speed. Shorter means smaller write
    /// buffers, so more work for each write.
    pub recovery_max: Duration,
    /// Opens a directory whose log is damaged where it was synced, without the writes from the
    /// damage on. Otherwise it is refused with `DamagedLog`.
    pub gives_up_damaged_log: bool,
    /// Whether files are compacted and space is given back in the background: not where a copy
    /// is only looked at, whose disk may have no room for it.
    pub compacts: bool,
}

impl Default for RocksOptions {
    fn default() -> Self {
        RocksOptions {
            memory_bytes: 512 * MIB,
            background_jobs: 0,
            recovery_max: Duration::from_secs(2),
            gives_up_damaged_log: false,
            compacts: true,
        }
    }
}

/// RocksDB's options, and the cache they refer to.
pub(crate) struct Settings {
    pub options: Options,
    pub layout: Layout,
    pub cache: Cache,
    /// Set when the database takes no more writes until it is opened again.
    pub ended: Arc<AtomicBool>,
}

impl RocksOptions {
    fn memory(&self) -> usize {
        self.memory_bytes.max(MEMORY_MIN)
    }

    /// Size of one write buffer.
    pub(crate) fn buffer(&self) -> usize {
        let log_bytes_max = self.recovery_max.as_secs_f64() * LOG_BYTES_PER_SECOND;
        let recoverable = log_bytes_max as usize / BUFFERS_MAX;
        (self.memory() / BUFFER_SHARE).min(recoverable).max(BUFFER_MIN)
    }

    /// Bytes of the memory that may be lent (`Store::lend`).
    pub fn lendable_bytes(&self) -> usize {
        let memory = self.memory();
        let needed = BUFFERS_HELD * self.buffer() + memory / BLOCKS_SHARE;
        memory.saturating_sub(needed).min(memory / LENT_SHARE)
    }

    /// Bytes of the level that new files are compacted into.
    fn first_level(&self) -> u64 {
        (BUFFERS_MAX * self.buffer() * 2) as u64
    }

    fn jobs(&self) -> usize {
        match self.background_jobs {
            0 => cores().clamp(JOBS_MIN, JOBS_MAX),
            jobs => jobs,
        }
    }

    /// Bytes of a file of the first level.
    fn file(&self) -> u64 {
        (self.first_level() / FILES_OF_FIRST_LEVEL).clamp(FILE_BYTES_MIN, FILE_BYTES_MAX)
    }

    /// For a directory with so many bytes of data already, with a chain of logs or none.
    ///
    /// # Errors
    /// RocksDB does not know an option.
    pub(crate) fn settings(
        &self,
        data_bytes: u64,
        has_logs: bool,
    ) -> Result<Settings, rocksdb::Error> {
        let cache = Cache::new_hyper_clock_cache(self.memory(), 0);
        // Batches come sorted, and each table's rows and each of its indexes ascend in them: the
        // write buffer remembers for each where its last key went, and looks for the next one from
        // there.
        let hints = format!("memtable_insert_with_hint_prefix_extractor=fixed:{PREFIX_BYTES}");
        let mut options = Options::default().get_options_from_string(hints)?;
        // Blocks of files that are gone leave the cache at once, unless hardly any is in there.
        options = options.get_options_from_string(UNCACHE)?;
        if has_logs {
            // Each log says how the one before it ended. Without, an unsynced log that a power cut
            // leaves shorter, but with a whole record at its end, would go unnoticed, and the
            // replay would go on with the next log. A directory without any log would be refused.
            options = options.get_options_from_string("track_and_verify_wals=true")?;
        }
        // Opening takes the same time however many files there are: it looks at a few of them,
        // the others are opened when they are first asked.
        options.set_max_open_files(open_files() as i32);
        options.set_env(&page_cache::env());
        note_shares(&mut options);
        note_busy_threads(&mut options, self.memory());
        options.set_skip_stats_update_on_db_open(true);
        self.set_writing(&mut options, &cache);
        self.set_levels(&mut options);
        // RocksDB's own log would be a file nobody reads; what matters of it goes to ours.
        let ended = Arc::new(AtomicBool::new(false));
        let of_logger = Arc::clone(&ended);
        let logger = InfoLogger::new_callback_logger(LogLevel::Warn, move |level, message| {
            if ends_writing(message) {
                of_logger.store(true, Ordering::Release);
            }
            log(level, message);
        });
        options.set_info_logger(logger);
        let mut parts = options.clone();
        parts.set_block_based_table_factory(&table(&cache, true));
        let layout = Layout::new(self.memory(), data_bytes, self.first_level(), parts);
        options.set_block_based_table_factory(&table(&cache, layout.is_in_parts()));
        Ok(Settings { options, layout, cache, ended })
    }

    fn set_writing(&self, options: &mut Options, cache: &Cache) {
        let buffer = self.buffer();
        options.set_write_buffer_size(buffer);
        options.set_max_write_buffer_number(BUFFERS_MAX as i32);
        options.set_max_total_wal_size((BUFFERS_MAX * buffer) as u64);
        // Charges the buffers to the cache; no limit of its own (0), the buffers' number is one.
        let manager =
            WriteBufferManager::new_write_buffer_manager_with_cache(0, false, cache.clone());
        options.set_write_buffer_manager(&manager);
        // A torn tail of the log ends the replay, wherever it lies; never is a later write
        // replayed without an earlier one. What was synced lies before every torn tail.
        options.set_wal_recovery_mode(DBRecoveryMode::PointInTime);
        // A log that is missing or shorter than it was when it was synced is noticed.
        options.set_track_and_verify_wals_in_manifest(true);
        // One thread at a time writes, for all that wait (RocksDB's group commit).
        options.set_allow_concurrent_memtable_write(false);
        // A filter for the write buffers, 2 % of them: absent keys cost 0.3 us instead of 1.2.
        options.set_memtable_prefix_bloom_ratio(0.02);
        options.set_memtable_whole_key_filtering(true);
        options.set_enable_pipelined_write(false);
        // Written bytes go to the disk steadily instead of in a flood at the next sync.
        options.set_bytes_per_sync(MIB as u64);
        options.set_wal_bytes_per_sync(MIB as u64);
    }

    fn set_levels(&self, options: &mut Options) {
        let jobs = self.jobs();
        options.set_max_background_jobs(jobs as i32);
        options.set_disable_auto_compactions(!self.compacts);
        options.set_max_subcompactions(jobs.div_ceil(2) as u32);
        options.set_level_compaction_dynamic_level_bytes(true);
        options.set_level_zero_file_num_compaction_trigger(FILES_PER_COMPACTION as i32);
        options.set_level_zero_slowdown_writes_trigger(FILES_SLOWED);
        options.set_level_zero_stop_writes_trigger(FILES_STOPPED);
        options.set_max_bytes_for_level_base(self.first_level());
        let is_small = self.buffer() < BUFFER_SMALL;
        let step = if is_small { LEVEL_STEP_SMALL } else { LEVEL_STEP };
        options.set_max_bytes_for_level_multiplier(step);
        options.set_target_file_size_base(self.file());
        options.set_target_file_size_multiplier(FILE_STEP);
        // Fast where bytes are rewritten soon, small where nine tenths of them rest.
        options.set_compression_type(DBCompressionType::Lz4);
        options.set_bottommost_compression_type(DBCompressionType::Zstd);
        options.set_bottommost_compression_options(-14, 1, 0, 0, true);
    }
}

/// Look-ups: a filter says which files need not be asked; indexes and filters live in the cache
/// like data, so that the memory covers them too.
fn table(cache: &Cache, in_parts: bool) -> BlockBasedOptions {
    let mut table = BlockBasedOptions::default();
    table.set_block_cache(cache);
    // Measured for single rows in memory: 4 KiB 1.8 us, 8 KiB 2.0 us; a hash index within the
    // blocks made both slower. Where rows are read from disks, 16 KiB take twice the CPU time of 4.
    table.set_block_size(4 << 10);
    // Most keys of an index say only how they differ from the one before: it takes a quarter of the
    // room, and a look-up no longer, as more of it is in the processor's caches.
    table.set_index_block_restart_interval(INDEX_RESTARTS);
    table.set_format_version(6);
    table.set_bloom_filter(10.0, false);
    table.set_cache_index_and_filter_blocks(true);
    table.set_top_level_index_pinning_tier(BlockBasedTablePinningTier::All);
    // Files from before the data outgrew the memory still have theirs whole.
    table.set_unpartitioned_pinning_tier(BlockBasedTablePinningTier::All);
    if in_parts {
        table.set_index_type(BlockBasedIndexType::TwoLevelIndexSearch);
        table.set_partition_filters(true);
    }
    table
}

fn open_files() -> u64 {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    (limit.unwrap_or(u64::MAX) / 2).clamp(OPEN_FILES_MIN, OPEN_FILES_MAX)
}

/// Whether RocksDB says that a change from one log to the next failed. It then takes no writes any
/// more, and answers each with the words of the first failure, which may be a full disk's.
fn ends_writing(message: &str) -> bool {
    message.contains("Background IO error") && message.ends_with("reason 3")
}

/// What RocksDB warns of, in our log.
fn log(level: LogLevel, message: &str) {
    match level {
        // Of every file that is taken over whole: that it was written elsewhere.
        LogLevel::Warn if message.contains("block_based_table_reader.cc") => {
            tracing::debug!(target: "rocksdb", "{message}");
        }
        LogLevel::Error | LogLevel::Fatal => tracing::error!(target: "rocksdb", "{message}"),
        LogLevel::Warn => tracing::warn!(target: "rocksdb", "{message}"),
        // Headers list every option at each opening, whatever the level asked for.
        LogLevel::Header | LogLevel::Info | LogLevel::Debug => {}
    }
}

#[cfg(test)]
mod tests {
    use rows::store::{
        Batch, Change, Direction, Durability, KeyRange, Reach, Read as _, Store as _,
        StoreUpkeep as _,
    };

    use super::*;
    use crate::RocksStore;

    /// Whoever borrows as much as there is leaves room for full write buffers and for blocks beside
    /// them.
    #[test]
    fn blocks_stay_in_the_cache_when_memory_is_lent_and_buffers_are_full() {
        let directory = tempfile::tempdir().unwrap();
        let options = RocksOptions { memory_bytes: 16 * MIB, ..RocksOptions::default() };
        assert!(options.lendable_bytes() > 0);
        let store = RocksStore::open(directory.path(), &options).unwrap();
        store.lend(options.memory_bytes);
        // Some of it in files, and a buffer that is filling.
        let key = |number: u32| number.to_be_bytes().to_vec();
        for first in (0..100_000).step_by(1000) {
            let changes =
                (first..first + 1000).map(|number| Change::put(key(number), vec![7; 100]));
            store.write(&Batch { changes: changes.collect() }, Durability::Os).unwrap();
        }
        // What fits an eighth of the memory was read once and is there.
        let range = KeyRange { start: key(10_000), end: key(14_000) };
        let read = |reach| {
            let mut cursor = store.scan(&range, Direction::Forward, reach)?;
            let mut count = 0;
            while cursor.advance()? {
                count += 1;
            }
            Ok::<_, rows::Error>(count)
        };
        assert_eq!(read(Reach::Disk).unwrap(), 4000);
        let (used, capacity) = (
            store.shared().property("rocksdb.block-cache-usage").unwrap(),
            store.shared().property("rocksdb.block-cache-capacity").unwrap(),
        );
        assert_eq!(capacity, (options.memory_bytes - options.lendable_bytes()) as u64);
        let buffers = store.shared().property("rocksdb.size-all-mem-tables").unwrap();
        assert!(buffers + (options.memory_bytes / BLOCKS_SHARE) as u64 <= capacity, "{buffers}");
        assert!(used <= capacity, "{used} of {capacity}");
    }
}
