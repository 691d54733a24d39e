//! Files for what does not fit into memory: a directory of them, each of which goes with its user.
//!
//! Invariants
//! 1. The directory is for its owner's eyes alone (0700, files 0600) and holds nothing that another
//!    process or a later start needs: what it holds when it is opened is removed (`leftovers`).
//! 2. A file is removed when it is dropped.
//!
//! Not here: what is written into the files (`rows::local`, `rows::run`), those of analytic
//! queries, which lie in the same directory (`analytic`).

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::num::NonZeroU64;
use std::ops::Range;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{Advice, fadvise};
use thiserror::Error;

use crate::leftovers;

const WRITING: &str = "writing a temporary file";
const READING: &str = "reading a temporary file";

/// A temporary file could not be made, written or read.
#[derive(Debug, Error)]
#[error("{doing}: {source}")]
pub struct SpillFailure {
    /// What was done, for messages.
    pub doing: &'static str,
    /// What the system said.
    pub source: io::Error,
}

/// Result of work on a temporary file.
pub type Result<T> = std::result::Result<T, SpillFailure>;

/// A directory of temporary files.
#[derive(Debug)]
pub struct SpillDirectory {
    path: PathBuf,
    next: AtomicU64,
}

impl SpillDirectory {
    /// Makes the directory, or empties it. Nobody else may be using it.
    ///
    /// # Errors
    /// Of the file system.
    pub fn open(path: &Path) -> io::Result<Arc<SpillDirectory>> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
        leftovers::remove(path)?;
        Ok(Arc::new(SpillDirectory { path: path.to_path_buf(), next: AtomicU64::new(0) }))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a file; `what` begins its name.
    ///
    /// # Errors
    /// Of the file system.
    pub fn file(&self, what: &str) -> Result<SpillFile> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let path = self.path.join(format!("{what}-{number}.tmp"));
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create_new(true).mode(0o600).open(&path);
        Ok(SpillFile { file: file.map_err(|error| failed(WRITING, error))?, path })
    }
}

/// A temporary file.
#[derive(Debug)]
pub struct SpillFile {
    file: File,
    path: PathBuf,
}

impl SpillFile {
    /// Writes bytes at a place.
    ///
    /// # Errors
    /// Of the file system.
    pub fn write_at(&self, bytes: &[u8], at: u64) -> Result<()> {
        self.file.write_all_at(bytes, at).map_err(|error| failed(WRITING, error))
    }

    /// Tells the system not to guess what will be read next: it is asked for it (`will_read`).
    pub fn read_only_as_asked(&self) {
        self.advise(0..0, Advice::Random);
    }

    /// Has the system read some bytes that will be wanted soon.
    pub fn will_read(&self, bytes: Range<u64>) {
        if !bytes.is_empty() {
            self.advise(bytes, Advice::WillNeed);
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn advise(&self, _bytes: Range<u64>, _advice: Advice) {}

    /// Of no bytes: of the whole file. A system that has no ear for it reads no less right.
    #[cfg(target_os = "linux")]
    fn advise(&self, bytes: Range<u64>, advice: Advice) {
        let length = NonZeroU64::new(bytes.end - bytes.start);
        let _ = fadvise(&self.file, bytes.start, length, advice);
    }

    /// Reads as many bytes as `bytes` has.
    ///
    /// # Errors
    /// Of the file system.
    pub fn read_at(&self, bytes: &mut [u8], at: u64) -> Result<()> {
        self.file.read_exact_at(bytes, at).map_err(|error| failed(READING, error))
    }
}

impl Drop for SpillFile {
    fn drop(&mut self) {
        // What cannot be removed now is removed at the next start.
        let _ = fs::remove_file(&self.path);
    }
}

fn failed(doing: &'static str, source: io::Error) -> SpillFailure {
    SpillFailure { doing, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_earlier_process_left_is_removed_and_files_go_with_their_user() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tmp");
        fs::create_dir_all(path.join("datafusion-x")).unwrap();
        fs::write(path.join("datafusion-x/left"), "over").unwrap();
        fs::write(path.join("writes-7.tmp"), "left over").unwrap();
        let spill = SpillDirectory::open(&path).unwrap();
        assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        let file = spill.file("writes").unwrap();
        file.write_at(b"abc", 2).unwrap();
        let mut read = [0; 2];
        file.read_at(&mut read, 3).unwrap();
        assert_eq!(&read, b"bc");
        assert_eq!(file.file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        drop(file);
        assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
    }
}
