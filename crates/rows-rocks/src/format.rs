//! `FORMAT`: which kind and version of data a directory holds, so that a newer, foreign or
//! damaged one is refused with a clear error instead of being read wrongly.
//!
//! The file is text of three lines:
//! ```text
//! rowhouse rocks
//! version 1
//! checksum 0123456789abcdef      xxh3 of the lines above, with their line ends
//! ```
//!
//! Invariants
//! 1. `FORMAT` is written last: a directory with it holds a whole database.
//! 2. While a directory is being made it holds `CREATING` instead; found again, the making was
//!    interrupted, nothing was ever acknowledged from it, and it is finished.
//!
//! Not here: versions of rows and keys, which the catalog keeps (`rows::catalog`).

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;

use rows::error::{Error, Result};
use xxhash_rust::xxh3::xxh3_64;

use crate::directory::make_directory;
use crate::internals::failure::of_file;

/// Name of the file.
pub const FORMAT_FILE: &str = "FORMAT";
const CREATING_FILE: &str = "CREATING";

/// Version of what lies in the directory. Rises when an older program could not read it.
const VERSION: u32 = 1;
const KIND: &str = "rowhouse rocks";

/// Far more than the file ever holds.
const FORMAT_BYTES_MAX: u64 = 4096;

/// What a directory is before it is opened.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Directory {
    /// To be filled; marked with `CREATING`.
    New,
    /// One of ours, of a version that can be read.
    Ours,
}

/// Looks at a directory, makes it if there is none, and refuses what must not be opened.
pub(crate) fn examine(directory: &Path) -> Result<Directory> {
    let doing = "examining the data directory";
    make_directory(directory).map_err(|error| of_file(doing, error))?;
    let format = directory.join(FORMAT_FILE);
    match fs::metadata(&format) {
        Ok(metadata) if metadata.len() > FORMAT_BYTES_MAX => Err(damaged()),
        Ok(_) => {
            let bytes = fs::read(&format).map_err(|error| of_file("reading FORMAT", error))?;
            read(&bytes).map(|()| Directory::Ours)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let creating = directory.join(CREATING_FILE);
            let mut foreign = false;
            for entry in fs::read_dir(directory).map_err(|error| of_file(doing, error))? {
                // What is left when the very first step was interrupted.
                let begun = format!("{CREATING_FILE}.new");
                foreign |= entry.map_err(|error| of_file(doing, error))?.file_name() != *begun;
            }
            if foreign && !creating.exists() {
                let why = "the data directory is neither empty nor one of ours (no FORMAT file)";
                return Err(Error::Refused { why });
            }
            write_synced(directory, CREATING_FILE, b"")?;
            Ok(Directory::New)
        }
        Err(error) => Err(of_file(doing, error)),
    }
}

/// Marks a new directory as complete.
pub(crate) fn finish(directory: &Path) -> Result<()> {
    write_synced(directory, FORMAT_FILE, text(VERSION).as_bytes())?;
    match fs::remove_file(directory.join(CREATING_FILE)) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(of_file("finishing the data directory", error))
        }
        _ => Ok(()),
    }
}

/// Replaces a file so that after a crash the old or the new one is there, whole.
pub(crate) fn write_synced(directory: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let write = || {
        let unfinished = directory.join(format!("{name}.new"));
        let mut file = File::create(&unfinished)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&unfinished, directory.join(name))?;
        File::open(directory)?.sync_all()
    };
    write().map_err(|error| of_file("writing a file of the data directory", error))
}

fn text(version: u32) -> String {
    let lines = format!("{KIND}\nversion {version}\n");
    let checksum = xxh3_64(lines.as_bytes());
    format!("{lines}checksum {checksum:016x}\n")
}

fn read(bytes: &[u8]) -> Result<()> {
    let text = std::str::from_utf8(bytes).map_err(|_| damaged())?;
    let (lines, checksum) = text.split_once("checksum ").ok_or_else(damaged)?;
    if checksum.trim_end() != format!("{:016x}", xxh3_64(lines.as_bytes())) {
        return Err(damaged());
    }
    let mut lines = lines.lines();
    if lines.next() != Some(KIND) {
        return Err(Error::Refused { why: "the data directory belongs to another kind of store" });
    }
    let version = lines.next().and_then(|line| line.strip_prefix("version ")?.parse::<u32>().ok());
    match version {
        None | Some(0) => Err(damaged()),
        Some(VERSION) => Ok(()),
        Some(found) => Err(Error::Newer { what: "the data directory", found, known: VERSION }),
    }
}

fn damaged() -> Error {
    Error::Corrupt { key: Vec::new(), why: "the FORMAT file of the data directory is damaged" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(format: Option<&[u8]>) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        if let Some(bytes) = format {
            fs::write(directory.path().join(FORMAT_FILE), bytes).unwrap();
        }
        directory
    }

    #[test]
    fn a_finished_directory_is_ours() {
        let directory = directory(None);
        assert_eq!(examine(directory.path()).unwrap(), Directory::New);
        finish(directory.path()).unwrap();
        assert_eq!(examine(directory.path()).unwrap(), Directory::Ours);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_interrupted_creation_is_begun_again() {
        let directory = directory(None);
        examine(directory.path()).unwrap();
        fs::write(directory.path().join("000004.log"), b"").unwrap();
        assert_eq!(examine(directory.path()).unwrap(), Directory::New);
    }

    #[test]
    fn a_creation_interrupted_at_its_first_step_is_no_longer_taken_for_a_foreign_directory() {
        let directory = directory(None);
        fs::write(directory.path().join("CREATING.new"), b"").unwrap();
        assert_eq!(examine(directory.path()).unwrap(), Directory::New);
        assert!(!directory.path().join("CREATING.new").exists());
    }

    #[test]
    fn a_foreign_directory_is_refused_and_left_alone() {
        let directory = directory(None);
        fs::write(directory.path().join("thesis.txt"), b"dear").unwrap();
        assert!(matches!(examine(directory.path()), Err(Error::Refused { .. })));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_newer_version_is_refused() {
        let directory = directory(Some(text(VERSION + 1).as_bytes()));
        assert!(matches!(examine(directory.path()), Err(Error::Newer { .. })));
    }

    #[test]
    fn any_damage_to_the_file_is_noticed() {
        let sound = text(VERSION).into_bytes();
        for position in 0..sound.len() - 1 {
            for mask in [1, 0x80] {
                let mut bytes = sound.clone();
                bytes[position] ^= mask;
                let directory = directory(Some(&bytes));
                assert!(examine(directory.path()).is_err(), "byte {position}");
            }
            let directory = directory(Some(&sound[..position]));
            assert!(matches!(examine(directory.path()), Err(Error::Corrupt { .. })));
        }
    }
}
