//! The form of RocksDB's log files: its write-ahead logs, and the MANIFEST, its list of files.
//!
//! A file is blocks of 32 KiB; a block is fragments; a record is one fragment or a chain of them:
//! ```text
//! 4 bytes   CRC-32C of type and data, masked        fragment types: 1 whole record
//! 2 bytes   length of the data                                      2 first of a chain
//! 1 byte    type                                                    3 in its middle
//! data                                                              4 its last
//! ```
//! A first fragment is empty where a block has room for nothing but its head. A block's last
//! bytes, too few for a head, are zeros that nobody reads. Numbers are little endian. Source:
//! RocksDB's `db/log_format.h` and `db/log_reader.cc`; compressed logs are not used.
//!
//! Invariants
//! 1. Memory: one block, whatever the file's size.
//! 2. A length is only trusted within its block.
//!
//! Not here: chains put together (`records`), zeros in the place of a head (`holes`).

use std::fs::File;
use std::io::{Read, Result};
use std::ops::Range;
use std::path::Path;

/// Size of a block; a file's last one may be shorter.
pub(crate) const BLOCK_BYTES: usize = 32 << 10;
/// Size of a fragment's head.
pub(crate) const HEAD_BYTES: usize = 7;

pub(crate) const WHOLE: u8 = 1;
pub(crate) const FIRST: u8 = 2;
pub(crate) const MIDDLE: u8 = 3;
pub(crate) const LAST: u8 = 4;
/// What a log says of the one before it: number, length and last sequence number, 8 bytes each.
pub(crate) const PREDECESSOR: u8 = 130;
/// Types of recycled logs, which we do not have written. RocksDB 11.8 reads on for ever when it
/// meets one in another log.
const RECYCLED: [u8; 6] = [5, 6, 7, 8, 11, 131];

/// A file being read, a block at a time.
pub(crate) struct Blocks {
    file: File,
    block: Vec<u8>,
    start: u64,
}

impl Blocks {
    /// Opens a file at its first block.
    ///
    /// # Errors
    /// Those of opening and reading the file.
    pub fn open(path: &Path) -> Result<Blocks> {
        let file = File::open(path)?;
        let mut blocks = Blocks { file, block: Vec::with_capacity(BLOCK_BYTES), start: 0 };
        blocks.fill()?;
        Ok(blocks)
    }

    /// The block; empty at the file's end.
    pub fn block(&self) -> &[u8] {
        &self.block
    }

    /// Where in the file the block begins.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Whether another block may follow.
    pub fn is_full(&self) -> bool {
        self.block.len() == BLOCK_BYTES
    }

    /// Moves to the next block; `false` at the file's end.
    ///
    /// # Errors
    /// Those of reading the file; the block is empty then.
    pub fn advance(&mut self) -> Result<bool> {
        self.start += BLOCK_BYTES as u64;
        self.fill()
    }

    fn fill(&mut self) -> Result<bool> {
        self.block.clear();
        let taken = Read::take(&mut self.file, BLOCK_BYTES as u64).read_to_end(&mut self.block)?;
        Ok(taken > 0)
    }
}

/// A fragment by what its head says, right or wrong.
#[derive(Clone, Copy)]
pub(crate) struct Fragment {
    /// Its type.
    pub kind: u8,
    /// Where in the block its head begins.
    pub at: usize,
    length: usize,
    sum: u32,
}

impl Fragment {
    /// What stands at this byte of a block; `None` where no head fits.
    pub fn read(block: &[u8], at: usize) -> Option<Fragment> {
        let head = block.get(at..at + HEAD_BYTES)?;
        let length = usize::from(u16::from_le_bytes([head[4], head[5]]));
        let sum = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
        Some(Fragment { kind: head[6], at, length, sum })
    }

    /// Where in the block its data are; beyond the block's end when the length is wrong.
    pub fn data(&self) -> Range<usize> {
        let start = self.at + HEAD_BYTES;
        start..start + self.length
    }

    /// Whether its bytes are what was written.
    pub fn is_sound(&self, block: &[u8]) -> bool {
        let data = self.data();
        let covered = block.get(data.start - 1..data.end);
        self.kind != 0 && covered.is_some_and(|covered| checksum(covered) == self.sum)
    }

    /// Whether a record begins with it.
    pub fn begins(&self) -> bool {
        matches!(self.kind, WHOLE | FIRST)
    }

    /// Whether it is of a type that no crash leaves.
    pub fn is_recycled(&self) -> bool {
        RECYCLED.contains(&self.kind)
    }

    /// Whether RocksDB takes it for space that was never written to.
    pub fn is_unwritten(&self) -> bool {
        self.kind == 0 && self.length == 0
    }
}

/// The checksum that RocksDB stores: turned and shifted, since bytes with checksums in them get
/// others.
fn checksum(covered: &[u8]) -> u32 {
    crc32c::crc32c(covered).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// A fragment's bytes, as RocksDB writes them.
pub(crate) fn written(kind: u8, data: &[u8]) -> Vec<u8> {
    let covered = [&[kind][..], data].concat();
    let length = (data.len() as u16).to_le_bytes();
    [&checksum(&covered).to_le_bytes()[..], &length, &covered].concat()
}
