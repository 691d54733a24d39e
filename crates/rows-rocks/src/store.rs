//! The store: opening, closing, and `trait Store`, each operation in a line or two.
//!
//! Ownership: `RocksStore` is a handle, shared by transactions. Behind it, `Handle` owns the
//! background threads and ends them when the last handle goes; `OpenDatabase` (`open_database`)
//! owns the database and lives on while snapshots need it.
//!
//! Invariants
//! 1. The background threads own `OpenDatabase`, never `Handle`, so that the last handle can go.
//! 2. When the last handle has gone, everything acknowledged is synced.

use std::fs;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

use rocksdb::checkpoint::Checkpoint;
use rocksdb::{ColumnFamilyDescriptor, DB, DEFAULT_COLUMN_FAMILY_NAME, Options};
use rows::begun_reads::BegunReads;
use rows::error::{Error, Result};
use rows::ingestion::{Ingestion, TableStore};
use rows::local::{LocalStore, LocalTransaction, Passes};
use rows::locks::LockTable;
use rows::row_lock_wait::{HeldRowLock, RowLockWait};
use rows::store::{
    Batch, Cursor, Direction, Durability, KeyRange, LockWaker, LockedRange, LoopStore, RangeSizes,
    Reach, Read, Store, StoreStatus, StoreTransaction, StoreUpkeep,
};

use crate::begun_reads::Ring;
use crate::cursors::scan;
use crate::file_sizes::KnownSizes;
use crate::format::{self, Directory};
use crate::health::Health;
use crate::ingest;
use crate::internals::failure::{
    is_disk_full, of_damaged_log, of_damaged_manifest, of_file, of_open, of_read,
};
use crate::internals::holes::cut_logs_at_zeros;
use crate::internals::laid_out::LaidOut;
use crate::internals::log;
use crate::internals::log_files::{log_bytes, logs};
use crate::internals::manifest::cut_torn_manifest;
use crate::internals::page_cache::{begin_turn, disk_waits};
use crate::internals::spare::Spares;
use crate::open_database::{OpenDatabase, ReplayedLog};
use crate::options::{RocksOptions, Settings};
use crate::pace::Pace;
use crate::reading::Lookup;
use crate::reclaim_queue::{RECLAIM_FILE, Reclaiming};
use crate::snapshot::RocksSnapshot;
use crate::space::Space;
use crate::status::disk_bytes;
use crate::syncing::{Syncing, WriteModes};
use crate::tombstones::Tombstones;

/// Ordered, durable bytes in a directory. Clones are handles of the same store.
#[derive(Clone)]
pub struct RocksStore {
    handle: Arc<Handle>,
}

/// Ends the background threads when the last handle of the store goes.
struct Handle {
    shared: Arc<OpenDatabase>,
    threads: Vec<JoinHandle<()>>,
}

impl RocksStore {
    /// Opens the store of a directory, making both if they are not there.
    ///
    /// # Errors
    /// `Refused` when another process has it open, when it holds something else, or data of a newer
    /// version; `Corrupt` when its `FORMAT` file is damaged; `Store` otherwise, with a `DamagedLog`
    /// as its source when synced writes are missing from the log, `DamagedManifest` when the list
    /// of files is damaged.
    pub fn open(directory: &Path, options: &RocksOptions) -> Result<RocksStore> {
        let state = format::examine(directory)?;
        ingest::remove_leftovers(directory)?;
        let of_log = |error| of_file("reading the log", error);
        let is_empty = !directory.join("CURRENT").exists();
        let has_logs = is_empty || !logs(directory).map_err(of_log)?.is_empty();
        let RocksOptions { memory_bytes, gives_up_damaged_log, compacts, .. } = *options;
        let buffer_bytes = options.buffer() as u64;
        let lendable_bytes = options.lendable_bytes();
        let settings = options.settings(disk_bytes(directory), has_logs).map_err(of_open)?;
        let Settings { mut options, layout, cache, ended } = settings;
        options.create_if_missing(state == Directory::New);
        let manifest = cut_torn_manifest(directory);
        if let Some(damaged) = manifest.map_err(|error| of_file("reading the MANIFEST", error))? {
            return Err(of_damaged_manifest(damaged));
        }
        let mut replayed = ReplayedLog::default();
        if state == Directory::Ours {
            match gives_up_damaged_log {
                false => replayed.batches = refuse_damaged_log(directory, &options)?,
                true => log::cut_aliens(directory).map_err(of_log)?,
            }
        }
        cut_logs_at_zeros(directory).map_err(of_log)?;
        replayed.bytes = log_bytes(directory).map_err(of_log)?;
        let since = Instant::now();
        let family = ColumnFamilyDescriptor::new(DEFAULT_COLUMN_FAMILY_NAME, options.clone());
        let (database, health) = match DB::open_cf_descriptors(&options, directory, [family]) {
            Err(error) if state == Directory::Ours && is_disk_full(&error) => {
                tracing::error!(
                    "the disk is full: the rows can be read, and no writes are accepted until the \
                     server is started again with space for them: {error}"
                );
                (open_to_read(directory, &options)?, Health::only_for_reading(ended))
            }
            opened => (opened.map_err(of_open)?, Health::new(ended)),
        };
        replayed.time = since.elapsed();
        if state == Directory::New {
            format::finish(directory)?;
        }
        let shared = Arc::new(OpenDatabase {
            lookup: Lookup::new(None),
            modes: WriteModes::default(),
            pace: Pace::new(buffer_bytes as usize, Instant::now()),
            health,
            replayed,
            marks: log::Marks::default(),
            syncing: Syncing::default(),
            laid_out: LaidOut::new(directory, has_logs),
            tombstones: Tombstones::default(),
            sizes: KnownSizes::default(),
            reclaiming: Reclaiming::load(directory)?,
            locks: LockTable::new(),
            ingested: AtomicU64::new(0),
            directory: directory.to_path_buf(),
            memory_bytes,
            _outlives: options.clone(),
            options,
            layout,
            space: Space::new(directory, buffer_bytes),
            cache,
            cache_bytes: memory_bytes,
            lendable_bytes,
            spares: Spares::default(),
            database,
        });
        let reads_only = shared.health.reads_only();
        let mut handle = Handle { shared, threads: Vec::new() };
        handle.start("wal-sync", OpenDatabase::sync_until_stopped)?;
        if compacts && !reads_only {
            handle.start("reclaim", OpenDatabase::reclaim_until_stopped)?;
        }
        Ok(RocksStore { handle: Arc::new(handle) })
    }

    pub(crate) fn shared(&self) -> &Arc<OpenDatabase> {
        &self.handle.shared
    }
}

/// Looks for damage in the log that no crash explains. Nothing is changed by it; gives how many
/// batches the log has.
fn refuse_damaged_log(directory: &Path, options: &Options) -> Result<u64> {
    let find =
        |from| log::find_damage(directory, from).map_err(|error| of_file("reading the log", error));
    let log::LogFindings { damage, batches } = find(0)?;
    match damage {
        None => return Ok(batches),
        // RocksDB would not come back from reading it.
        Some(damaged) if damaged.lost.is_none() => return Err(of_damaged_log(damaged)),
        Some(_) => {}
    }
    // A log that is no longer needed need not be whole.
    let database = open_to_read(directory, options)?;
    let needed = database.property_int_value("rocksdb.min-log-number-to-keep").map_err(of_open)?;
    match find(needed.unwrap_or(0))?.damage {
        Some(damaged) => Err(of_damaged_log(damaged)),
        None => Ok(batches),
    }
}

/// Opens a database without changing anything on the disk. How long each log was is not asked:
/// zeros at their ends may still be there.
pub(crate) fn open_to_read(directory: &Path, options: &Options) -> Result<DB> {
    let untracked = options.clone().get_options_from_string("track_and_verify_wals=false");
    let options = &untracked.map_err(of_open)?;
    let family = ColumnFamilyDescriptor::new(DEFAULT_COLUMN_FAMILY_NAME, options.clone());
    DB::open_cf_descriptors_read_only(options, directory, [family], false).map_err(of_open)
}

impl Handle {
    fn start(&mut self, name: &str, work: fn(&OpenDatabase)) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        let thread = Builder::new().name(name.to_string()).spawn(move || work(&shared));
        self.threads.push(thread.map_err(|error| of_file("starting a thread", error))?);
        Ok(())
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.syncing.stop();
        self.shared.reclaiming.stop();
        // A database that is only read has nothing to be synced, and nothing under way: it would
        // begin to write out what the log has.
        if !self.shared.health.reads_only() {
            if let Err(error) = self.shared.sync_log().and_then(|()| self.shared.write_mark(true)) {
                tracing::error!("the log was not synced at closing: {error}");
            }
            // Ends a compaction that the reclaiming thread may be waiting for. Write buffers are
            // not written to files any more; the log has what they hold.
            self.shared.database.cancel_all_background_work(true);
        }
        for thread in self.threads.drain(..) {
            // A panic of the thread was reported by its hook; closing goes on.
            let _ = thread.join();
        }
    }
}

impl Read for RocksStore {
    fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        let shared = self.shared();
        shared.lookup.get(&shared.database, key, reach, value)
    }

    /// That of the last write which readers see: RocksDB raises it when all of a write is in its
    /// memtable, after its sync. With `unordered_write` or a second write queue it would not; they
    /// are off.
    fn sequence(&self) -> Option<u64> {
        Some(self.shared().database.latest_sequence_number())
    }

    fn get_many(
        &self,
        keys: &[Vec<u8>],
        reach: Reach,
        each: &mut dyn FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        let shared = self.shared();
        shared.lookup.get_many(&shared.database, keys, reach, each)
    }

    fn scan<'a>(
        &'a self,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'a>> {
        Ok(scan(self.shared(), None, range, direction, reach))
    }
}

impl LocalStore for RocksStore {
    fn locks(&self) -> &LockTable {
        &self.shared().locks
    }

    fn apply(&self, batch: &Batch, durability: Durability) -> Result<()> {
        self.write(batch, durability)
    }

    fn apply_sorted(&self, passes: &Passes<'_>) -> Result<()> {
        self.shared().apply_sorted(&mut *passes())
    }
}

impl Store for RocksStore {
    fn snapshot(&self) -> Result<Arc<dyn Read>> {
        Ok(Arc::new(RocksSnapshot::new(self.shared())))
    }

    fn write_all(&self, batches: &[&Batch], durability: Durability) -> Result<()> {
        self.shared().write_batches(batches, durability)
    }

    /// Writes that come too fast for compactions are held up by RocksDB: those would wait.
    fn try_write_all(&self, batches: &[&Batch], durability: Durability) -> Result<bool> {
        self.shared().try_write_batches(batches, durability)
    }

    fn sync(&self) -> Result<()> {
        // Where nothing was written everything is on the disk.
        match self.shared().health.reads_only() {
            true => Ok(()),
            false => self.shared().sync_log(),
        }
    }

    fn begin(&self) -> Result<Box<dyn StoreTransaction>> {
        Ok(Box::new(LocalTransaction::new(self.clone())))
    }
}

impl LoopStore for RocksStore {
    fn disk_waits(&self) -> u64 {
        disk_waits()
    }

    fn begin_turn(&self, can_begin_reads: bool) {
        begin_turn(can_begin_reads);
        self.locks().begin_turn();
    }

    fn watch_refused(&self, waker: &LockWaker) -> bool {
        self.locks().watch_refused(waker)
    }

    fn begun_reads(&self, wake: BorrowedFd<'_>) -> Option<Box<dyn BegunReads>> {
        match Ring::new(wake) {
            Ok(ring) => Some(Box::new(ring)),
            Err(error) => {
                tracing::info!(%error, "no io_uring: who misses goes to a thread that may wait");
                None
            }
        }
    }
}

impl StoreUpkeep for RocksStore {
    fn lend(&self, bytes: usize) {
        let shared = self.shared();
        let capacity = shared.cache_bytes - bytes.min(shared.lendable_bytes);
        // A handle: the cache itself is shared.
        shared.cache.clone().set_capacity(capacity);
    }

    fn held_row_locks(&self, most: usize) -> Vec<HeldRowLock> {
        self.locks().held_locks(most)
    }

    fn row_lock_waits(&self) -> Vec<RowLockWait> {
        self.locks().waits()
    }

    fn locked_ranges(&self, most: usize) -> Vec<LockedRange> {
        self.locks().locked_ranges(most)
    }

    fn check_room(&self, bytes: u64) -> Result<()> {
        self.shared().check_room(bytes)
    }

    fn is_disk_full(&self) -> bool {
        self.shared().is_disk_full()
    }

    /// Files are linked where the file system allows, else copied. Written beside its place and
    /// moved there whole, so that no half checkpoint is ever taken for one.
    fn checkpoint(&self, directory: &Path) -> Result<()> {
        if directory.exists() {
            return Err(Error::Refused { why: "the checkpoint's directory exists already" });
        }
        let unfinished = directory.with_extension("unfinished");
        let in_files = |error| of_file("writing a checkpoint", error);
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished).map_err(in_files)?;
        }
        // Before the checkpoint: what is listed by now is removed in it, too.
        let reclaiming = self.shared().reclaiming.text();
        let created = Checkpoint::new(&self.shared().database)
            .and_then(|checkpoint| checkpoint.create_checkpoint(&unfinished));
        created.map_err(|error| of_read("writing a checkpoint", error))?;
        format::write_synced(&unfinished, RECLAIM_FILE, reclaiming.as_bytes())?;
        format::finish(&unfinished)?;
        fs::rename(&unfinished, directory).map_err(in_files)?;
        let parent = match directory.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        fs::File::open(parent).and_then(|parent| parent.sync_all()).map_err(in_files)
    }

    fn reclaim(&self, ranges: &[KeyRange]) -> Result<()> {
        self.shared().begin_reclaiming(ranges)
    }

    fn reclaim_noted(&self, ranges: &[KeyRange], forgotten: Batch) -> Result<()> {
        self.shared().begin_reclaiming_noted(ranges, forgotten);
        Ok(())
    }

    fn approximate_bytes(&self, range: &KeyRange) -> Result<u64> {
        self.shared().approximate_bytes(range)
    }

    fn file_bytes(&self, range: &KeyRange) -> Result<u64> {
        Ok(self.shared().file_bytes(range))
    }

    fn sizes(&self, range: &KeyRange) -> Result<RangeSizes> {
        self.shared().sizes(range)
    }

    fn verify(&self) -> Result<()> {
        self.shared().verify()
    }

    fn status(&self) -> StoreStatus {
        self.shared().status()
    }
}

impl TableStore for RocksStore {
    fn ingest(&self, entries: &mut dyn Iterator<Item = Result<(Vec<u8>, Vec<u8>)>>) -> Result<u64> {
        self.shared().ingest(&mut entries.map(|entry| entry.map(|(key, value)| (key, Some(value)))))
    }

    fn ingestion(&self) -> Result<Box<dyn Ingestion>> {
        Ok(Box::new(self.shared().new_files()?))
    }
}
