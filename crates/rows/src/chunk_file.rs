//! Chunks of bytes in a temporary file, added one after the other and read by their number.
//!
//! Invariants
//! 1. What is read is what was written: each chunk's checksum is compared.
//!
//! Not here: what the chunks hold (`sql`, whose rows that do not fit into memory lie here).

use std::hash::BuildHasher;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::run::hasher;
use resources::spill::{SpillDirectory, SpillFile};

/// Chunks; the file goes when this is dropped.
#[derive(Debug)]
pub struct ChunkFile {
    file: SpillFile,
    chunks: Vec<ChunkPlace>,
    end: u64,
}

#[derive(Debug)]
struct ChunkPlace {
    at: u64,
    length: u32,
    checksum: u64,
}

impl ChunkFile {
    /// Makes a file.
    ///
    /// # Errors
    /// `DiskFull`, `Store`.
    pub fn new(directory: &Arc<SpillDirectory>) -> Result<ChunkFile> {
        Ok(ChunkFile { file: directory.file("rows")?, chunks: Vec::new(), end: 0 })
    }

    /// Adds a chunk.
    ///
    /// # Errors
    /// `DiskFull`, `Store`; the chunks before are as they were.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_at(bytes, self.end)?;
        let (length, checksum) = (bytes.len() as u32, hasher().hash_one(bytes));
        self.chunks.push(ChunkPlace { at: self.end, length, checksum });
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Reads a chunk by its number.
    ///
    /// # Errors
    /// `Store`, and `Corrupt` where the file is not what was written.
    pub fn read(&self, number: usize) -> Result<Vec<u8>> {
        let ChunkPlace { at, length, checksum } = self.chunks[number];
        let mut bytes = vec![0; length as usize];
        self.file.read_at(&mut bytes, at)?;
        if hasher().hash_one(&bytes[..]) != checksum {
            return Err(ChunkFile::damaged());
        }
        Ok(bytes)
    }

    /// What is wrong with a chunk that does not hold what its reader has written.
    pub fn damaged() -> Error {
        Error::Corrupt { key: Vec::new(), why: "a temporary file is not what was written" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_come_back_by_their_numbers_and_a_changed_one_does_not() {
        let directory = tempfile::tempdir().unwrap();
        let directory = SpillDirectory::open(directory.path()).unwrap();
        let mut file = ChunkFile::new(&directory).unwrap();
        for chunk in [&b"first"[..], b"", b"third"] {
            file.push(chunk).unwrap();
        }
        assert_eq!(file.read(2).unwrap(), b"third");
        assert_eq!(file.read(1).unwrap(), b"");
        file.file.write_at(b"F", 0).unwrap();
        assert!(matches!(file.read(0), Err(Error::Corrupt { .. })));
        drop(file);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
