//! Many entries at once, written to files of their own that RocksDB then takes over whole: no
//! log, no memtable, no compaction on the way. So come the rows of a load, and the writes of a
//! transaction that is too large for a batch.
//!
//! Invariants
//! 1. The files become part of the database in one step, or not at all; they are synced before.
//! 2. What a crash or an error leaves in the ingestion's directory is removed, at the latest at
//!    the next opening (`resources::leftovers`).
//! 3. They leave room on the disk for what others write meanwhile.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;
use resources::leftovers;
use rocksdb::{FlushOptions, IngestExternalFileOptions, SstFileWriter};
use rows::error::{Error, Result};
use rows::ingestion::Ingestion;
use rows::local::SortedWrites;
use rows::store::Cursor;

use crate::internals::failure::{is_disk_full, of_file, of_read};
use crate::open_database::OpenDatabase;

/// Size at which a further file is begun.
const FILE_BYTES: u64 = 128 << 20;
/// The writer is asked for its size each time so many bytes went in.
const ASK_EVERY: usize = 1 << 20;
/// The writer keeps a hash of each key for the file's filter: entries of a file, for each byte of
/// the store's memory, and at least.
const MEMORY_PER_ENTRY: usize = 64;
const ENTRIES_MIN: usize = 100_000;

const DIRECTORY: &str = "ingest";
const DOING: &str = "ingesting";

/// Removes what an interrupted ingestion left.
pub(crate) fn remove_leftovers(directory: &Path) -> Result<()> {
    let removed = leftovers::remove(&directory.join(DIRECTORY));
    removed.map_err(|error| of_file("removing files of an interrupted ingestion", error))
}

impl OpenDatabase {
    /// Applies writes over what there is.
    pub(crate) fn apply_sorted(self: &Arc<Self>, writes: &mut SortedWrites<'_>) -> Result<()> {
        let files = self.new_files()?;
        files.write(&mut WriteEntries::of(writes))?;
        files.take_over_behind_all()
    }

    pub(crate) fn ingest(self: &Arc<Self>, entries: &mut SortedWrites<'_>) -> Result<u64> {
        let files = self.new_files()?;
        let count = files.write(&mut WriteEntries::of(entries))?;
        files.take_over()?;
        Ok(count)
    }

    /// Files that are no part of the database yet.
    pub(crate) fn new_files(self: &Arc<Self>) -> Result<NewFiles> {
        self.health.check()?;
        let directory = self.directory.join(DIRECTORY);
        fs::create_dir_all(&directory).map_err(|error| of_file(DOING, error))?;
        Ok(NewFiles { shared: Arc::clone(self), paths: Mutex::default() })
    }

    fn write_files(
        &self,
        directory: &Path,
        entries: &mut dyn Entries,
        files: &mut Vec<PathBuf>,
    ) -> Result<u64> {
        let failed = |error: rocksdb::Error| match is_disk_full(&error) {
            true => Error::DiskFull { source: Box::new(error) },
            false => of_read(DOING, error),
        };
        let entries_max = (self.memory_bytes / MEMORY_PER_ENTRY).max(ENTRIES_MIN);
        let (mut count, mut written) = (0, 0);
        let mut last: Vec<u8> = Vec::new();
        let mut more = entries.advance()?;
        while more {
            let number = self.ingested.fetch_add(1, Ordering::Relaxed);
            let path = directory.join(format!("{number}.sst"));
            // Many files may be smaller than what is asked for later on.
            self.check_room(ASK_EVERY as u64)?;
            files.push(path.clone());
            let mut writer = SstFileWriter::create(self.options_of_file(written));
            writer.open(&path).map_err(failed)?;
            let (mut unasked, mut in_file) = (0, 0);
            while more {
                let (key, value) = entries.entry();
                // Within a file RocksDB sees to it; between files nobody else would.
                if in_file == 0 && count > 0 && last[..] >= *key {
                    let source = "keys of an ingestion do not ascend".into();
                    return Err(Error::Store { doing: DOING, applied: Some(false), source });
                }
                match value {
                    Some(value) => writer.put(key, value).map_err(failed)?,
                    None => writer.delete(key).map_err(failed)?,
                }
                count += 1;
                in_file += 1;
                unasked += key.len() + value.map_or(0, <[u8]>::len);
                let asks = unasked >= ASK_EVERY;
                let ends = in_file >= entries_max || asks && writer.file_size() >= FILE_BYTES;
                if asks {
                    unasked = 0;
                    self.check_room(ASK_EVERY as u64)?;
                }
                if ends {
                    last.clear();
                    last.extend_from_slice(key);
                }
                more = entries.advance()?;
                if ends {
                    break;
                }
            }
            writer.finish().map_err(failed)?;
            written += writer.file_size();
        }
        Ok(count)
    }
}

/// Sorted entries; without a value a removal.
trait Entries {
    /// Moves to the next entry; `false` at the end.
    fn advance(&mut self) -> Result<bool>;
    /// The current entry.
    fn entry(&self) -> (&[u8], Option<&[u8]>);
}

/// Entries of an iterator.
struct WriteEntries<'w, 'a> {
    writes: &'w mut SortedWrites<'a>,
    current: (Vec<u8>, Option<Vec<u8>>),
}

impl<'w, 'a> WriteEntries<'w, 'a> {
    fn of(writes: &'w mut SortedWrites<'a>) -> WriteEntries<'w, 'a> {
        WriteEntries { writes, current: (Vec::new(), None) }
    }
}

impl Entries for WriteEntries<'_, '_> {
    fn advance(&mut self) -> Result<bool> {
        let Some(next) = self.writes.next() else { return Ok(false) };
        self.current = next?;
        Ok(true)
    }

    fn entry(&self) -> (&[u8], Option<&[u8]>) {
        (&self.current.0, self.current.1.as_deref())
    }
}

/// Entries of a cursor.
struct CursorEntries<'c>(&'c mut dyn Cursor);

impl Entries for CursorEntries<'_> {
    fn advance(&mut self) -> Result<bool> {
        self.0.advance()
    }

    fn entry(&self) -> (&[u8], Option<&[u8]>) {
        let (key, value) = self.0.entry();
        (key, Some(value))
    }
}

/// Files that are no part of the database yet; those that never become one are removed.
pub(crate) struct NewFiles {
    shared: Arc<OpenDatabase>,
    paths: Mutex<Vec<PathBuf>>,
}

impl NewFiles {
    fn write(&self, entries: &mut dyn Entries) -> Result<u64> {
        let directory = self.shared.directory.join(DIRECTORY);
        let mut paths = Vec::new();
        let written = self.shared.write_files(&directory, entries, &mut paths);
        self.paths.lock().append(&mut paths);
        written
    }

    /// As `take_over`, with all that was acknowledged before.
    fn take_over_behind_all(&self) -> Result<()> {
        let shared = &self.shared;
        shared.health.check()?;
        // What these entries rest on was written before them, and is to be as durable as they are.
        shared.sync_log()?;
        // Others wait while RocksDB takes the files over, and for a buffer with the same keys to
        // become a file before that. It does so first, beside them.
        let mut options = FlushOptions::default();
        options.set_wait(true);
        shared.database.flush_opt(&options).map_err(|error| shared.health.after(DOING, error))?;
        self.take_over()
    }

    /// Makes the files part of the database.
    fn take_over(&self) -> Result<()> {
        let paths = self.paths.lock().clone();
        if paths.is_empty() {
            return Ok(());
        }
        let mut options = IngestExternalFileOptions::default();
        options.set_move_files(true);
        let taken = self.shared.database.ingest_external_file_opts(&options, paths);
        taken.map_err(|error| self.shared.health.after(DOING, error))?;
        self.shared.choose_layout();
        Ok(())
    }
}

impl Drop for NewFiles {
    fn drop(&mut self) {
        for path in &*self.paths.lock() {
            // Moved by RocksDB, or of no use any more.
            let _ = fs::remove_file(path);
        }
    }
}

impl Ingestion for NewFiles {
    fn add(&self, entries: &mut dyn Cursor) -> Result<u64> {
        self.write(&mut CursorEntries(entries))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.take_over_behind_all()
    }
}
