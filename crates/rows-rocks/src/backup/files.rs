//! Files of backups: copied with their checksums, read, recognised, synced.
//!
//! What identifies a data file without reading it: name, size, and its last bytes, where RocksDB
//! writes which database and which run of it made the file, and under which number. A data
//! directory that was restored and went on gives new files old names; their ends differ.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

/// Bytes read or written at once.
const PIECE: usize = 1 << 20;
/// More than RocksDB's properties and footer take at a file's end.
const END_BYTES: u64 = 16 << 10;

/// What is known of a file's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sums {
    pub bytes: u64,
    /// xxh3 of all bytes.
    pub whole: u64,
    /// xxh3 of the last `END_BYTES`.
    pub end: u64,
}

/// Whether a file of this name never changes once it is complete.
pub(super) fn is_immutable(name: &str) -> bool {
    name.ends_with(".sst")
}

/// Copies a file to a place where there is none, synced; tells `each` piece's size.
pub(super) fn copy(from: &Path, to: &Path, each: &mut dyn FnMut(u64)) -> io::Result<Sums> {
    let mut out = File::create_new(to)?;
    let sums = pieces(from, each, |piece| out.write_all(piece))?;
    out.sync_all()?;
    Ok(sums)
}

/// Reads a file to its end.
pub(super) fn sums(path: &Path, each: &mut dyn FnMut(u64)) -> io::Result<Sums> {
    pieces(path, each, |_| Ok(()))
}

fn pieces(
    path: &Path,
    each: &mut dyn FnMut(u64),
    mut take: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<Sums> {
    let mut file = File::open(path)?;
    let mut hash = Xxh3Default::new();
    let mut buffer = vec![0; PIECE];
    let mut bytes = 0;
    loop {
        let read = match file.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        if read == 0 {
            break;
        }
        hash.update(&buffer[..read]);
        take(&buffer[..read])?;
        bytes += read as u64;
        each(read as u64);
    }
    Ok(Sums { bytes, whole: hash.digest(), end: end_of(&file, bytes)? })
}

/// Checksum of the last bytes of a file of this size.
pub(super) fn end(path: &Path, bytes: u64) -> io::Result<u64> {
    end_of(&File::open(path)?, bytes)
}

fn end_of(file: &File, bytes: u64) -> io::Result<u64> {
    let length = bytes.min(END_BYTES);
    let mut end = vec![0; length as usize];
    file.read_exact_at(&mut end, bytes - length)?;
    Ok(xxh3_64(&end))
}

/// Makes the entries of a directory durable.
pub(super) fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}
