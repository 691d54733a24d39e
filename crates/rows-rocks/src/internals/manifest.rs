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
//! a record is a list of tag and value, both varints:
//! 2  number of the first log that is needed
//! 9, 3, 4, 203, 10   other numbers;  1, 8193   texts with a length before them
//! ```
//! These come first in a record; what follows is not read here.
//!
//! Invariants
//! 1. A file whose records are all sound is not touched.
//! 2. Nothing is cut off while the log that is needed then is missing: that is damage, and opening
//!    is refused. Missing files of rows RocksDB notices by itself.
//! 3. Before a record has named a log, only the file's end may be torn: a list is synced before it
//!    comes into use.
//!
//! Not here: how records are found (`records`).

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::internals::records::{LogItem, RecordDamage, Records};

/// The tags that are read here, with room for the texts among them.
const HEAD_BYTES_MAX: usize = 1 << 10;

const LOG_NUMBER: u64 = 2;
const NUMBERS: [u64; 5] = [3, 4, 9, 10, 203];
const TEXTS: [u64; 2] = [1, 8193];

/// RocksDB's list of files is damaged as no crash leaves it. Without it nobody knows which files
/// are data and which were replaced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} is damaged at byte {place}, the list of files, without which nothing can be salvaged. This \
     is no trace of a crash but of the disk, or of a changed file. Restore a backup (`rowhouse \
     restore`)",
    .file.display()
)]
pub struct DamagedManifest {
    /// The file.
    pub file: PathBuf,
    /// Where in it the damage begins.
    pub place: u64,
}

/// Cuts the MANIFEST in use off where it is torn; gives the damage where it must not be cut off.
///
/// # Errors
/// Those of the file system. A missing or unreadable CURRENT is RocksDB's to tell.
pub(crate) fn cut_torn_manifest(directory: &Path) -> io::Result<Option<DamagedManifest>> {
    let Ok(current) = fs::read_to_string(directory.join("CURRENT")) else {
        return Ok(None);
    };
    let file = directory.join(current.trim_end());
    if !file.is_file() {
        return Ok(None);
    }
    let Some(TornManifest { place, log_number, is_end }) = find_torn(&file)? else {
        return Ok(None);
    };
    let is_there = |log: u64| directory.join(format!("{log:06}.log")).exists();
    match log_number {
        // RocksDB knows what to do.
        0 if is_end => Ok(None),
        1.. if is_there(log_number) => {
            tracing::warn!("{}: unsynced records from byte {place} on are lost", file.display());
            let manifest = OpenOptions::new().write(true).open(&file)?;
            manifest.set_len(place)?;
            manifest.sync_all()?;
            Ok(None)
        }
        _ => Ok(Some(DamagedManifest { file, place })),
    }
}

/// Where a MANIFEST is torn.
#[derive(Debug, PartialEq, Eq)]
struct TornManifest {
    /// Where the first record begins that is not sound.
    place: u64,
    /// The log that the records before it need; 0 when they need none.
    log_number: u64,
    /// Whether nothing follows that RocksDB could take for a record.
    is_end: bool,
}

/// `None` when all records are sound.
fn find_torn(file: &Path) -> io::Result<Option<TornManifest>> {
    let mut records = Records::open(file, HEAD_BYTES_MAX)?;
    let mut torn: Option<TornManifest> = None;
    let mut log_number = 0;
    loop {
        match (records.next()?, &mut torn) {
            (LogItem::End, _) => return Ok(torn),
            (LogItem::Record, None) => {
                log_number = log_number_of(records.head()).unwrap_or(log_number);
            }
            (LogItem::Damage(RecordDamage { place, alien }), None) => {
                torn = Some(TornManifest { place, log_number, is_end: alien.is_none() });
            }
            (_, Some(torn)) => torn.is_end = false,
        }
    }
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
    use rocksdb::{DB, Options};

    use super::*;
    use crate::internals::fragments::{BLOCK_BYTES, FIRST, HEAD_BYTES, LAST, WHOLE, written};

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
        let filler = vec![0; BLOCK_BYTES - 2 * HEAD_BYTES];
        let log_number = [LOG_NUMBER as u8, 9];
        let last = written(LAST, &log_number);
        let bytes = [written(WHOLE, &filler), written(FIRST, b""), last].concat();
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), &bytes).unwrap();
        assert_eq!(find_torn(file.path()).unwrap(), None);
        fs::write(file.path(), &bytes[..BLOCK_BYTES]).unwrap();
        let torn = find_torn(file.path()).unwrap().expect("its end is missing");
        assert_eq!(torn.place, (BLOCK_BYTES - HEAD_BYTES) as u64);
    }

    #[test]
    fn a_list_damaged_before_it_names_a_log_is_refused_unless_only_its_end_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("MANIFEST-000001");
        fs::write(directory.path().join("CURRENT"), "MANIFEST-000001\n").unwrap();
        let (record, mut bytes) = (written(WHOLE, b"any"), written(WHOLE, &[LOG_NUMBER as u8, 0]));
        let place = bytes.len() as u64;
        bytes.extend(&record);
        bytes[place as usize] ^= 1;
        fs::write(&path, &bytes).unwrap();
        assert_eq!(cut_torn_manifest(directory.path()).unwrap(), None);
        bytes.extend(&record);
        fs::write(&path, &bytes).unwrap();
        let damaged = cut_torn_manifest(directory.path()).unwrap().expect("a record is lost");
        assert_eq!((damaged.file, damaged.place), (path.clone(), place));
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }

    /// It was once refused.
    #[test]
    fn a_manifest_with_a_few_zeros_at_its_end_is_opened_even_without_the_log_it_names() {
        let (directory, path) = database();
        let mut bytes = fs::read(&path).unwrap();
        bytes.extend([0; 3]);
        fs::write(&path, &bytes).unwrap();
        for log in crate::internals::log_files::logs(directory.path()).unwrap() {
            fs::remove_file(log).unwrap();
        }
        assert_eq!(cut_torn_manifest(directory.path()).unwrap(), None);
        assert_eq!(rows(directory.path()).unwrap(), FLUSHES);
    }

    #[test]
    fn a_torn_manifest_no_longer_keeps_the_rows_from_being_opened() {
        let (directory, path) = database();
        let sound = tear(&path);
        assert_eq!(cut_torn_manifest(directory.path()).unwrap(), None);
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
            if cut_torn_manifest(copy.path()).unwrap().is_some() {
                assert_eq!(fs::read(&path).unwrap(), bytes, "byte {position}");
                continue;
            }
            assert_eq!(rows(copy.path()).unwrap(), FLUSHES, "byte {position}");
        }
    }

    #[test]
    fn a_sound_manifest_names_the_log_that_is_needed_and_is_not_torn() {
        let (directory, path) = database();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(find_torn(&path).unwrap(), None);
        fs::write(&path, [&bytes[..], &[0; 100]].concat()).unwrap();
        let torn = find_torn(&path).unwrap().expect("zeros are no record");
        assert_eq!(torn.place, bytes.len() as u64);
        let log = format!("{:06}.log", torn.log_number);
        assert!(directory.path().join(log).exists());
    }
}
