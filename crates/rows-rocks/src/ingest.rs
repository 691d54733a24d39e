//! Many entries at once, written to files of their own that RocksDB then takes over whole: no
//! log, no memtable, no compaction on the way. So come the rows of a load, and the writes of a
//! transaction that is too large for a batch.
//!
//! Invariants
//! 1. The files become part of the database in one step, or not at all; they are synced before.
//! 2. What a crash or an error leaves in the ingestion's directory is removed, at the latest at
//!    the next opening.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use rocksdb::{FlushOptions, IngestExternalFileOptions, SstFileWriter};
use rows::error::{Error, Result};
use rows::local::SortedWrites;

use crate::failure::{is_disk_full, of_file, of_read};
use crate::store::Shared;

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
    match fs::remove_dir_all(directory.join(DIRECTORY)) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(of_file("removing files of an interrupted ingestion", error))
        }
        _ => Ok(()),
    }
}

impl Shared {
    /// Applies writes over what there is.
    pub(crate) fn apply_sorted(&self, writes: &mut SortedWrites<'_>) -> Result<()> {
        self.health.check()?;
        // What these writes rest on was written before them, and is to be as durable as they are.
        self.sync_log()?;
        // Others wait while RocksDB takes the files over, and for a buffer with the same keys to
        // become a file before that. It does so first, beside them.
        let mut options = FlushOptions::default();
        options.set_wait(true);
        self.database.flush_opt(&options).map_err(|error| self.health.after(DOING, error))?;
        self.ingest(writes).map(drop)
    }

    pub(crate) fn ingest(&self, entries: &mut SortedWrites<'_>) -> Result<u64> {
        let directory = self.directory.join(DIRECTORY);
        fs::create_dir_all(&directory).map_err(|error| of_file(DOING, error))?;
        let mut files = Vec::new();
        let ingested = self.write_files(&directory, entries, &mut files).and_then(|count| {
            if !files.is_empty() {
                let mut options = IngestExternalFileOptions::default();
                options.set_move_files(true);
                self.database
                    .ingest_external_file_opts(&options, files.clone())
                    .map_err(|error| self.health.after(DOING, error))?;
            }
            Ok(count)
        });
        for file in &files {
            // Moved by RocksDB, or of no use any more.
            let _ = fs::remove_file(file);
        }
        ingested
    }

    fn write_files(
        &self,
        directory: &Path,
        entries: &mut SortedWrites<'_>,
        files: &mut Vec<PathBuf>,
    ) -> Result<u64> {
        let failed = |error: rocksdb::Error| match is_disk_full(&error) {
            true => Error::DiskFull { source: Box::new(error) },
            false => of_read(DOING, error),
        };
        let entries_max = (self.memory_bytes / MEMORY_PER_ENTRY).max(ENTRIES_MIN);
        let mut count = 0;
        let mut last: Vec<u8> = Vec::new();
        let mut next = entries.next();
        while next.is_some() {
            let number = self.ingested.fetch_add(1, Ordering::Relaxed);
            let path = directory.join(format!("{number}.sst"));
            files.push(path.clone());
            let mut writer = SstFileWriter::create(&self.options);
            writer.open(&path).map_err(failed)?;
            let (mut unasked, mut in_file) = (0, 0);
            while let Some(entry) = next {
                let (key, value) = entry?;
                // Within a file RocksDB sees to it; between files nobody else would.
                if count > 0 && last >= key {
                    let source = "keys of an ingestion do not ascend".into();
                    return Err(Error::Store { doing: DOING, applied: Some(false), source });
                }
                match &value {
                    Some(value) => writer.put(&key, value).map_err(failed)?,
                    None => writer.delete(&key).map_err(failed)?,
                }
                count += 1;
                in_file += 1;
                unasked += key.len() + value.map_or(0, |value| value.len());
                last = key;
                next = entries.next();
                if in_file >= entries_max {
                    break;
                }
                if unasked >= ASK_EVERY {
                    unasked = 0;
                    if writer.file_size() >= FILE_BYTES {
                        break;
                    }
                }
            }
            writer.finish().map_err(failed)?;
        }
        Ok(count)
    }
}
