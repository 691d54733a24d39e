//! Whose bytes are in each file: what `prefix_sizes.cc` notes while a file is written, read back.
//!
//! ```text
//! numbers are LEB128, bytes stand behind their length
//! prefix | puts | their bytes | removals | their bytes | bytes of blocks | bytes of the last block
//! ```
//! For the first bytes of keys that lie in a file, one after the other, under the property
//! `rowhouse.shares`. Bytes of puts and removals are those of keys and values, before compression;
//! bytes of blocks are compressed. How long the last block came out nobody knew yet: it is divided
//! by the bytes that each has in it before compression.
//!
//! Invariants
//! 1. The bytes of all shares of a file are the file's, to the last one.
//!
//! Not here: what a range has in all files (`sizes`).

use std::ffi::{c_char, c_void};

use librocksdb_sys as ffi;
use rocksdb::{AsRawPtr, DB, Options};
use rows::error::{Error, Result};

use crate::internals::failure::of_file;

/// What a file, or a part of one, has in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Share {
    /// Entries, older versions of rows included.
    pub puts: u64,
    /// Their keys and values.
    pub put_bytes: u64,
    /// Marks of entries that were removed.
    pub removals: u64,
    /// Bytes of the file, indexes and filters included.
    pub file_bytes: u64,
}

/// What is known of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileShares {
    pub level: u64,
    /// The number of the last write in it.
    pub sequence: u64,
    pub whole: Share,
    pub first_key: Vec<u8>,
    pub last_key: Vec<u8>,
    /// By the first bytes of keys, ascending; `None` of a file that an earlier version wrote.
    pub shares: Option<Vec<(Vec<u8>, Share)>>,
}

#[expect(unsafe_code, reason = "RocksDB takes collectors, and tells properties, in C++ only")]
unsafe extern "C" {
    fn rowhouse_shares_factory() -> *mut ffi::rocksdb_table_properties_collector_factory_t;
    fn rowhouse_shares_of_files(
        database: *mut ffi::rocksdb_t,
        begin: *mut *const c_char,
        length: *mut usize,
    ) -> *mut c_void;
    fn rowhouse_shares_free(bytes: *mut c_void);
}

/// Has shares noted in files that are written under these options.
#[expect(unsafe_code, reason = "as above")]
pub(crate) fn note_shares(options: &mut Options) {
    // SAFETY: the options live throughout the call, and keep a reference of their own to the
    // factory, which has the form of the C interface's.
    unsafe {
        let factory = rowhouse_shares_factory();
        let options = options.as_raw_ptr();
        ffi::rocksdb_options_add_table_properties_collector_factory(options, factory);
        ffi::rocksdb_table_properties_collector_factory_destroy(factory);
    }
}

/// Of all files that there are. May read the end of each that is not open.
#[expect(unsafe_code, reason = "as above")]
pub(crate) fn shares_of_files(database: &DB) -> Result<Vec<FileShares>> {
    const DOING: &str = "reading what is in files";
    let (mut begin, mut length) = (std::ptr::null(), 0);
    // SAFETY: the database is open throughout the call. What it gives is `length` bytes from
    // `begin` on, which nobody else has, until it is freed here.
    let noted = unsafe {
        let bytes = rowhouse_shares_of_files(database.as_raw_ptr(), &mut begin, &mut length);
        if bytes.is_null() {
            let source =
                std::io::Error::other("a file cannot be read: `rowhouse check` says which");
            return Err(of_file(DOING, source));
        }
        let noted = std::slice::from_raw_parts(begin.cast::<u8>(), length).to_vec();
        rowhouse_shares_free(bytes);
        noted
    };
    let mut rest = PropertyReader(&noted);
    let mut files = Vec::new();
    while !rest.0.is_empty() {
        let why = "what is noted of a file";
        let file = file(&mut rest).ok_or_else(|| Error::Corrupt { key: Vec::new(), why })?;
        files.push(file);
    }
    Ok(files)
}

/// Bytes of numbers and bytes.
struct PropertyReader<'a>(&'a [u8]);

impl<'a> PropertyReader<'a> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn numbers<const COUNT: usize>(&mut self) -> Option<[u64; COUNT]> {
        let mut numbers = [0; COUNT];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Some(numbers)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }
}

/// The sizes of a file that are divided among those who have a part in it.
struct SharedSizes {
    file: u64,
    blocks: u64,
    filter: u64,
}

/// What `prefix_sizes.cc` says of the next file.
fn file(noted: &mut PropertyReader<'_>) -> Option<FileShares> {
    let [level, sequence, file, blocks, filter, entries, removals, keys, values] =
        noted.numbers()?;
    let first_key = noted.bytes()?.to_vec();
    let last_key = noted.bytes()?.to_vec();
    let is_noted = noted.number()? == 1;
    let shares = noted.bytes()?;
    // RocksDB's own keys have eight bytes more.
    let plain = (keys + values).saturating_sub(8 * entries);
    let puts = entries.saturating_sub(removals);
    let whole = Share { puts, put_bytes: plain, removals, file_bytes: file };
    let shares = match is_noted {
        true => Some(divide(shares, &SharedSizes { file, blocks, filter })?),
        false => None,
    };
    Some(FileShares { level, sequence, whole, first_key, last_key, shares })
}

/// Shares as they are noted, with the parts of the file that were not written yet then: the last
/// block, the filter, by numbers of keys, and indexes, by bytes.
fn divide(noted: &[u8], divided: &SharedSizes) -> Option<Vec<(Vec<u8>, Share)>> {
    let mut rest = PropertyReader(noted);
    let mut shares: Vec<(Vec<u8>, [u64; 6])> = Vec::new();
    while !rest.0.is_empty() {
        let prefix = rest.bytes()?.to_vec();
        shares.push((prefix, rest.numbers()?));
    }
    let sum = |of: &dyn Fn(&[u64; 6]) -> u64| shares.iter().map(|(_, n)| of(n)).sum::<u64>();
    let keys = |[puts, _, removals, ..]: &[u64; 6]| puts + removals;
    let bytes = |[_, puts, _, removals, ..]: &[u64; 6]| puts + removals;
    let open = |numbers: &[u64; 6]| numbers[5];
    let last_block = divided.blocks.saturating_sub(sum(&|numbers| numbers[4]));
    let filter = divided.filter.min(divided.file);
    let indexes = divided.file.saturating_sub(divided.blocks + filter);
    let mut last_block = Division::new(last_block, sum(&open));
    let mut filter = Division::new(filter, sum(&keys));
    let mut indexes = Division::new(indexes, sum(&bytes));
    let share = |(prefix, numbers): (Vec<u8>, [u64; 6])| {
        let file_bytes = numbers[4]
            + last_block.take(open(&numbers))
            + filter.take(keys(&numbers))
            + indexes.take(bytes(&numbers));
        let [puts, put_bytes, removals, ..] = numbers;
        (prefix, Share { puts, put_bytes, removals, file_bytes })
    };
    Some(shares.into_iter().map(share).collect())
}

/// Something that is divided by weights, wholly.
struct Division {
    left: u64,
    weights: u64,
}

impl Division {
    fn new(whole: u64, weights: u64) -> Division {
        Division { left: whole, weights }
    }

    fn take(&mut self, weight: u64) -> u64 {
        let part = u128::from(self.left) * u128::from(weight);
        let part = part.checked_div(u128::from(self.weights)).unwrap_or(0) as u64;
        self.left -= part;
        self.weights -= weight;
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A prefix and its six numbers, as they are noted.
    fn noted(prefix: &[u8], numbers: [u8; 6]) -> Vec<u8> {
        [&[prefix.len() as u8][..], prefix, &numbers].concat()
    }

    #[test]
    fn what_is_divided_is_the_whole_file() {
        let shares = [noted(b"a", [3, 30, 1, 4, 50, 0]), noted(b"b", [1, 7, 0, 0, 3, 2])].concat();
        let divided = SharedSizes { file: 119, blocks: 60, filter: 10 };
        let shares = divide(&shares, &divided).unwrap();
        let file_bytes: Vec<u64> = shares.iter().map(|(_, share)| share.file_bytes).collect();
        // Of the last block 0 and 7; of the filter 8 and 2; of 49 bytes of indexes 34/41 and the
        // rest.
        assert_eq!(file_bytes, [50 + 8 + 40, 3 + 7 + 2 + 9]);
        assert_eq!(shares[0].1, Share { puts: 3, put_bytes: 30, removals: 1, file_bytes: 98 });
    }

    #[test]
    fn numbers_beyond_a_byte_are_read_and_cut_ones_are_not() {
        let mut rest = PropertyReader(&[0x80, 0x01, 0x05, 0xff]);
        assert_eq!(rest.numbers(), Some([128, 5]));
        assert_eq!(rest.number(), None);
        assert_eq!(PropertyReader(&[0xff; 11]).number(), None);
        assert_eq!(PropertyReader(&[3, 1, 2]).bytes(), None);
        assert!(divide(&[1, b'a', 1], &SharedSizes { file: 1, blocks: 1, filter: 0 }).is_none());
    }
}
