//! A torn MANIFEST: RocksDB's list of files, whose last records a power cut may have left by
//! halves. RocksDB drops a record that the file's end cuts short, but refuses to open when bytes
//! of it were not written while later ones, or the file's size, were.
//!
//! The records from the torn one on are cut off if everything is still there that the records
//! before it need. RocksDB deletes a log or a file of rows only after the record that replaces it
//! was synced. So a log that the earlier records need, and that is there, says that the later ones
//! were never relied on; and they move rows from place to place without changing any.
//!
//! ```text
//! fragments as in a log (`log::records`); a record is a list of tag and value, both varints:
//! 2  number of the first log that is needed
//! 9, 3, 4, 203, 10   other numbers;  1, 8193   texts with a length before them
//! ```
//! These come first in a record; what follows is not read here.
//!
//! Invariants
//! 1. A file whose records are all sound is not touched.
//! 2. Nothing is cut off while the log that is needed then is missing: that is damage, and opening
//!    is refused. Missing files of rows RocksDB notices by itself.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

const BLOCK_BYTES: usize = 32 << 10;
const HEAD_BYTES: usize = 7;
const WHOLE: u8 = 1;
const FIRST: u8 = 2;
const LAST: u8 = 4;

const LOG_NUMBER: u64 = 2;
const NUMBERS: [u64; 5] = [3, 4, 9, 10, 203];
const TEXTS: [u64; 2] = [1, 8193];

/// Cuts the MANIFEST in use off where it is torn.
///
/// # Errors
/// Those of the file system; `InvalidData` when it was relied on what is damaged.
pub(crate) fn cut_torn_manifest(directory: &Path) -> io::Result<()> {
    let Ok(current) = fs::read_to_string(directory.join("CURRENT")) else {
        return Ok(());
    };
    let path = directory.join(current.trim_end());
    let Ok(bytes) = fs::read(&path) else {
        return Ok(());
    };
    let Some(Torn { at, log_number: Some(log_number @ 1..) }) = find_torn(&bytes) else {
        return Ok(());
    };
    if !directory.join(format!("{log_number:06}.log")).exists() {
        let why = format!("{} is damaged from byte {at} on; restore a backup", path.display());
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    tracing::warn!("{}: unsynced records from byte {at} on are lost", path.display());
    let manifest = OpenOptions::new().write(true).open(&path)?;
    manifest.set_len(at as u64)?;
    manifest.sync_all()
}

/// Where a MANIFEST is torn.
#[derive(Debug, PartialEq, Eq)]
struct Torn {
    /// Where the first record begins that is not sound.
    at: usize,
    /// The log that the records before it need.
    log_number: Option<u64>,
}

/// `None` when all records are sound.
fn find_torn(bytes: &[u8]) -> Option<Torn> {
    let (mut at, mut log_number) = (0, None);
    // The record that is being put together, and where it begins.
    let mut record = Vec::new();
    let (mut is_open, mut begun) = (false, 0);
    while at < bytes.len() {
        let left = BLOCK_BYTES - at % BLOCK_BYTES;
        if left < HEAD_BYTES {
            at += left;
            continue;
        }
        let block = &bytes[at..bytes.len().min(at + left)];
        let Some((kind, data)) = fragment(block) else {
            let at = if is_open { begun } else { at };
            return Some(Torn { at, log_number });
        };
        if kind == WHOLE || kind == FIRST {
            begun = at;
        }
        if is_open == (kind == WHOLE || kind == FIRST) {
            return Some(Torn { at: begun, log_number });
        }
        // A first fragment may be empty: where a block has room for nothing but its head.
        is_open = kind != WHOLE && kind != LAST;
        record.extend_from_slice(data);
        if !is_open {
            log_number = log_number_of(&record).or(log_number);
            record.clear();
        }
        at += HEAD_BYTES + data.len();
    }
    is_open.then_some(Torn { at: begun, log_number })
}

/// Type and data of the fragment that a block begins with, if its checksum is right.
fn fragment(block: &[u8]) -> Option<(u8, &[u8])> {
    let head = block.get(..HEAD_BYTES)?;
    let length = usize::from(u16::from_le_bytes([head[4], head[5]]));
    let covered = block.get(HEAD_BYTES - 1..HEAD_BYTES + length)?;
    let sum = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
    let masked = crc32c::crc32c(covered).rotate_right(15).wrapping_add(0xa282_ead8);
    (masked == sum && (WHOLE..=LAST).contains(&head[6])).then_some((head[6], &covered[1..]))
}

fn log_number_of(record: &[u8]) -> Option<u64> {
    let mut rest = record;
    loop {
        let tag = varint(&mut rest)?;
        if tag == LOG_NUMBER {
            return varint(&mut rest);
        }
        if NUMBERS.contains(&tag) {
            varint(&mut rest)?;
        } else if TEXTS.contains(&tag) {
            let length = varint(&mut rest)?;
            rest = rest.get(usize::try_from(length).ok()?..)?;
        } else {
            return None;
        }
    }
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, more) = rest.split_first()?;
        *rest = more;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use rocksdb::{DB, Options};

    use super::*;

    const FLUSHES: u32 = 3;

    /// A database that was written to files a few times, its rows and its MANIFEST.
    fn database() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let mut options = Options::default();
        options.create_if_missing(true);
        let database = DB::open(&options, directory.path()).unwrap();
        for number in 0..FLUSHES {
            database.put(number.to_be_bytes(), b"row").unwrap();
            database.flush().unwrap();
        }
        drop(database);
        let current = fs::read_to_string(directory.path().join("CURRENT")).unwrap();
        let path = directory.path().join(current.trim_end());
        (directory, path)
    }

    fn rows(directory: &Path) -> Result<u32, rocksdb::Error> {
        let database = DB::open(&Options::default(), directory)?;
        let there = |number: &u32| matches!(database.get(number.to_be_bytes()), Ok(Some(_)));
        Ok((0..FLUSHES).filter(there).count() as u32)
    }

    /// Adds a record that is only partly there: its end was written, its beginning not.
    fn tear(path: &Path) -> usize {
        let mut bytes = fs::read(path).unwrap();
        let sound = bytes.len();
        bytes.extend([0; 300]);
        bytes.extend([7; 300]);
        fs::write(path, bytes).unwrap();
        sound
    }

    /// It was once taken for torn, and the rows were not opened.
    #[test]
    fn a_record_whose_first_fragment_is_empty_at_the_end_of_a_block_is_sound() {
        let add = |bytes: &mut Vec<u8>, kind: u8, data: &[u8]| {
            let covered = [&[kind][..], data].concat();
            let sum = crc32c::crc32c(&covered).rotate_right(15).wrapping_add(0xa282_ead8);
            bytes.extend(sum.to_le_bytes());
            bytes.extend((data.len() as u16).to_le_bytes());
            bytes.extend(covered);
        };
        let mut bytes = Vec::new();
        add(&mut bytes, WHOLE, &vec![0; BLOCK_BYTES - 2 * HEAD_BYTES]);
        add(&mut bytes, FIRST, b"");
        assert_eq!(bytes.len(), BLOCK_BYTES);
        add(&mut bytes, LAST, &[LOG_NUMBER as u8, 9]);
        assert_eq!(find_torn(&bytes), None);
        assert_eq!(find_torn(&bytes[..BLOCK_BYTES]).map(|torn| torn.at), Some(BLOCK_BYTES - 7));
    }

    #[test]
    fn a_torn_manifest_no_longer_keeps_the_rows_from_being_opened() {
        let (directory, path) = database();
        let sound = tear(&path);
        cut_torn_manifest(directory.path()).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), sound as u64);
        assert_eq!(rows(directory.path()).unwrap(), FLUSHES);
    }

    #[test]
    fn a_manifest_damaged_where_it_was_relied_on_is_refused_and_left_as_it_is() {
        let (directory, path) = database();
        let sound = fs::read(&path).unwrap();
        for position in (sound.len() / 2..sound.len()).step_by(3) {
            let copy = tempfile::tempdir().unwrap();
            for entry in fs::read_dir(directory.path()).unwrap() {
                let entry = entry.unwrap();
                fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
            }
            let path = copy.path().join(path.file_name().unwrap());
            let mut bytes = sound.clone();
            bytes[position] ^= 1;
            fs::write(&path, &bytes).unwrap();
            let Ok(()) = cut_torn_manifest(copy.path()) else {
                assert_eq!(fs::read(&path).unwrap(), bytes, "byte {position}");
                continue;
            };
            assert_eq!(rows(copy.path()).unwrap(), FLUSHES, "byte {position}");
        }
    }

    #[test]
    fn a_sound_manifest_names_the_log_that_is_needed_and_is_not_torn() {
        let (directory, path) = database();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(find_torn(&bytes), None);
        let torn = find_torn(&[&bytes[..], &[0; 100]].concat()).expect("zeros are no record");
        assert_eq!(torn.at, bytes.len());
        let log = format!("{:06}.log", torn.log_number.expect("a number"));
        assert!(directory.path().join(log).exists());
    }
}
