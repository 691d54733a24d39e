//! Many entries at once, written to files of their own that RocksDB then takes over whole: no
//! log, no memtable, no compaction on the way.
//!
//! Invariants
//! 1. The files become part of the database in one step, or not at all; they are synced before.
//! 2. What a crash or an error leaves in the ingestion's directory is removed, at the latest at
//!    the next opening.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use rocksdb::{IngestExternalFileOptions, SstFileWriter};
use rows::error::{Error, Result};

use crate::failure::{of_file, of_read};
use crate::store::Shared;

/// Size at which a further file is begun.
const FILE_BYTES: u64 = 128 << 20;
/// The writer is asked for its size each time so many bytes went in.
const ASK_EVERY: usize = 1 << 20;

const DIRECTORY: &str = "ingest";
const DOING: &str = "ingesting";

type Entries<'a> = dyn Iterator<Item = Result<(Vec<u8>, Vec<u8>)>> + 'a;

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
    pub(crate) fn ingest(&self, entries: &mut Entries<'_>) -> Result<u64> {
        let directory = self.directory.join(DIRECTORY);
        fs::create_dir_all(&directory).map_err(|error| of_file(DOING, error))?;
        let mut files = Vec::new();
        let ingested = self.write_files(&directory, entries, &mut files).and_then(|count| {
            if !files.is_empty() {
                let mut options = IngestExternalFileOptions::default();
                options.set_move_files(true);
                self.database
                    .ingest_external_file_opts(&options, files.clone())
                    .map_err(|error| of_read(DOING, error))?;
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
        entries: &mut Entries<'_>,
        files: &mut Vec<PathBuf>,
    ) -> Result<u64> {
        let failed = |error| of_read(DOING, error);
        let mut count = 0;
        let mut last: Vec<u8> = Vec::new();
        let mut next = entries.next();
        while next.is_some() {
            let number = self.ingested.fetch_add(1, Ordering::Relaxed);
            let path = directory.join(format!("{number}.sst"));
            files.push(path.clone());
            let mut writer = SstFileWriter::create(&self.options);
            writer.open(&path).map_err(failed)?;
            let mut unasked = 0;
            while let Some(entry) = next {
                let (key, value) = entry?;
                // Within a file RocksDB sees to it; between files nobody else would.
                if count > 0 && last >= key {
                    let source = "keys of an ingestion do not ascend".into();
                    return Err(Error::Store { doing: DOING, applied: Some(false), source });
                }
                writer.put(&key, &value).map_err(failed)?;
                count += 1;
                unasked += key.len() + value.len();
                last = key;
                next = entries.next();
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
