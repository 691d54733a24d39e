//! Holes in RocksDB's log: places of zeros with records behind them, which a power cut leaves when
//! the system wrote a later part of an unsynced log before an earlier one.
//!
//! RocksDB ends its replay at a damaged record, but takes zeros where a record should begin for
//! space that was never written, and goes on with the next block of 32 KiB: a later write would be
//! replayed without an earlier one. So the log is cut off where such a hole begins.
//!
//! In a hole a fragment's head (`fragments`) is zeros, of which RocksDB asks length and type only.
//!
//! Invariants
//! 1. Nothing that was synced is cut off: a synced log has no holes.
//! 2. Zeros at the end of a log stay: they are space that was made for writes to come.
//!
//! Not here: damage in a synced log, which must be looked for before anything is cut off.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

use crate::fragments::{Blocks, Fragment};
use crate::log_files::logs;

/// Cuts off every log of a directory where a hole begins.
///
/// # Errors
/// Those of the file system.
pub(crate) fn cut_logs_at_holes(directory: &Path) -> io::Result<()> {
    for path in logs(directory)? {
        if let Some(bytes) = find_hole(&mut Blocks::open(&path)?)? {
            tracing::warn!("{}: unsynced writes from byte {bytes} on are lost", path.display());
            let log = OpenOptions::new().write(true).open(&path)?;
            log.set_len(bytes)?;
            log.sync_all()?;
        }
    }
    Ok(())
}

/// Where the first hole begins that has something behind it.
fn find_hole(log: &mut Blocks) -> io::Result<Option<u64>> {
    let mut hole = None;
    loop {
        let block = log.block();
        let begins = hole.map_or_else(|| unwritten(block), |_| Some(0));
        if let Some(begins) = begins {
            let place = *hole.get_or_insert(log.start() + begins as u64);
            if block[begins..].iter().any(|byte| *byte != 0) {
                return Ok(Some(place));
            }
        }
        if !log.is_full() || !log.advance()? {
            return Ok(None);
        }
    }
}

/// The first place in a block where a fragment should begin and zeros stand.
fn unwritten(block: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(fragment) = Fragment::read(block, at) {
        if fragment.is_unwritten() {
            return Some(at);
        }
        at = fragment.data().end;
    }
    None
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use rocksdb::{DB, DBRecoveryMode, Options};

    use super::*;
    use crate::fragments::{BLOCK_BYTES, HEAD_BYTES};

    const WRITES: u32 = 20_000;

    fn options() -> Options {
        let mut options = Options::default();
        options.create_if_missing(true);
        options.set_wal_recovery_mode(DBRecoveryMode::PointInTime);
        options
    }

    fn log_of(directory: &Path) -> PathBuf {
        logs(directory).unwrap().remove(0)
    }

    /// A database of its own with an unflushed log, and holes to be made in it.
    fn written() -> (tempfile::TempDir, Vec<u8>, Vec<(usize, usize)>) {
        let directory = tempfile::tempdir().unwrap();
        let database = DB::open(&options(), directory.path()).unwrap();
        for number in 0..WRITES {
            database.put(number.to_be_bytes(), vec![7; (number % 90) as usize]).unwrap();
        }
        drop(database);
        let bytes = fs::read(log_of(directory.path())).unwrap();
        let mut holes = Vec::new();
        for start in (BLOCK_BYTES..bytes.len()).step_by(BLOCK_BYTES) {
            // A block that begins with a record, after one that ends with one.
            if bytes.get(start + 6).is_some_and(|kind| *kind == 1 || *kind == 2) {
                let before = &bytes[start - BLOCK_BYTES..start];
                let first = usize::from(u16::from_le_bytes([before[4], before[5]])) + HEAD_BYTES;
                holes.push((start - BLOCK_BYTES + first, start));
            }
        }
        (directory, bytes, holes)
    }

    /// Numbers that are missing before the last one that is there.
    fn gaps(directory: &Path) -> u32 {
        let database = DB::open(&options(), directory).unwrap();
        let there = |number: &u32| database.get(number.to_be_bytes()).unwrap().is_some();
        let last = (0..WRITES).rev().find(there).expect("something is there");
        (0..last).filter(|number| !there(number)).count() as u32
    }

    #[test]
    fn a_hole_in_an_unsynced_log_no_longer_leaves_later_writes_without_earlier_ones() {
        let (directory, bytes, holes) = written();
        assert!(!holes.is_empty());
        for (start, end) in holes {
            let punch = || {
                let copy = tempfile::tempdir().unwrap();
                for entry in fs::read_dir(directory.path()).unwrap() {
                    let entry = entry.unwrap();
                    fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
                }
                let mut bytes = bytes.clone();
                bytes[start..end].fill(0);
                fs::write(log_of(copy.path()), bytes).unwrap();
                copy
            };
            // What RocksDB makes of it alone; should this fail one day, `holes` is not needed.
            assert!(gaps(punch().path()) > 0);
            let mended = punch();
            cut_logs_at_holes(mended.path()).unwrap();
            assert_eq!(fs::metadata(log_of(mended.path())).unwrap().len(), start as u64);
            assert_eq!(gaps(mended.path()), 0);
        }
    }

    #[test]
    fn a_sound_log_and_one_with_zeros_at_its_end_stay_as_they_are() {
        let (directory, mut bytes, _) = written();
        bytes.extend([0; 3 * BLOCK_BYTES]);
        fs::write(log_of(directory.path()), &bytes).unwrap();
        cut_logs_at_holes(directory.path()).unwrap();
        assert_eq!(fs::read(log_of(directory.path())).unwrap(), bytes);
        assert_eq!(gaps(directory.path()), 0);
    }
}
