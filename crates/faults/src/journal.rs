//! The journal of the file layer, read back.
//!
//! ```text
//! kind 8, handle 8, number 8, nanos 8, bytes of first 8, bytes of second 8   (native order)
//! first, second
//! ```
//!
//! A record that is not whole ends the journal: the process was killed while it wrote it.

use std::fs::File;
use std::io::{BufReader, Read, Result};
use std::path::Path;

const HEAD_BYTES: usize = 48;
/// More than any record has; above it the journal is damaged.
const PART_BYTES_MAX: u64 = 1 << 30;

/// What happened, in the words of `layer.c`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file or directory was opened, and made if it was not there.
    Open {
        /// Below the root.
        path: String,
        /// Emptied.
        truncated: bool,
        /// It is a directory.
        directory: bool,
    },
    /// Bytes were written.
    Write {
        /// Where.
        offset: u64,
        /// What.
        bytes: Vec<u8>,
    },
    /// A file was cut or extended to a size.
    Truncate {
        /// The size.
        bytes: u64,
    },
    /// A sync of a file or directory began.
    SyncBegin,
    /// And ended well.
    SyncEnd,
    /// A file got another name.
    Rename {
        /// Its old name.
        from: String,
        /// Its new one.
        to: String,
    },
    /// A name was removed.
    Unlink {
        /// The name.
        path: String,
    },
    /// A directory was made.
    MakeDirectory {
        /// Its name.
        path: String,
    },
    /// A directory was removed.
    RemoveDirectory {
        /// Its name.
        path: String,
    },
    /// A file got a further name.
    Link {
        /// Its old name.
        from: String,
        /// The further one.
        to: String,
    },
    /// The clock: the process runs.
    Tick,
}

/// One record.
#[derive(Clone, Debug)]
pub struct Record {
    /// What happened.
    pub kind: Kind,
    /// The open file that it happened to; 0 where none matters.
    pub handle: u64,
    /// When, in nanoseconds since 1970.
    pub nanos: u64,
}

/// The records in order.
pub struct Journal {
    file: BufReader<File>,
}

impl Journal {
    /// Opens a journal at its beginning.
    ///
    /// # Errors
    /// Those of opening the file.
    pub fn open(path: &Path) -> Result<Journal> {
        Ok(Journal { file: BufReader::with_capacity(1 << 20, File::open(path)?) })
    }

    fn read(&mut self) -> Option<Record> {
        let mut head = [0; HEAD_BYTES];
        self.file.read_exact(&mut head).ok()?;
        let numbers: Vec<u64> = head
            .chunks_exact(8)
            .map(|bytes| u64::from_ne_bytes(bytes.try_into().unwrap_or_default()))
            .collect();
        let [kind, handle, number, nanos, first, second] = numbers[..] else { return None };
        let first = self.part(first)?;
        let second = self.part(second)?;
        Some(Record { kind: kind_of(kind, number, first, second)?, handle, nanos })
    }

    fn part(&mut self, bytes: u64) -> Option<Vec<u8>> {
        if bytes > PART_BYTES_MAX {
            return None;
        }
        let mut part = vec![0; bytes as usize];
        self.file.read_exact(&mut part).ok()?;
        Some(part)
    }
}

impl Iterator for Journal {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        self.read()
    }
}

fn kind_of(kind: u64, number: u64, first: Vec<u8>, second: Vec<u8>) -> Option<Kind> {
    let name = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let path = name(&first);
    Some(match kind {
        1 => Kind::Open { path, truncated: number & 1 != 0, directory: number & 2 != 0 },
        2 => Kind::Write { offset: number, bytes: first },
        3 => Kind::Truncate { bytes: number },
        4 => Kind::SyncBegin,
        5 => Kind::SyncEnd,
        6 => Kind::Rename { from: path, to: name(&second) },
        7 => Kind::Unlink { path },
        8 => Kind::MakeDirectory { path },
        9 => Kind::RemoveDirectory { path },
        10 => Kind::Link { from: path, to: name(&second) },
        11 => Kind::Tick,
        _ => return None,
    })
}
