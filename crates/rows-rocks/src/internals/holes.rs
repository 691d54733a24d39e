//! Zeros in RocksDB's log: holes, and space that was laid out for records that never came.
//!
//! A hole is a place of zeros with records behind it, which a power cut leaves when the system
//! wrote a later part of an unsynced log before an earlier one. RocksDB ends its replay at a
//! damaged record, but takes zeros where a record should begin for space that was never written,
//! and goes on with the next block of 32 KiB: a later write would be replayed without an earlier
//! one. So the log is cut off where such a hole begins.
//!
//! Zeros at the end are what `laid_out` put there before a crash. RocksDB passes over them, too,
//! but the next log says how long this one was, and where that does not fit the replay ends between
//! the two. So they are cut off exactly where the last record ends; a block's last bytes, too few
//! for a head, count as zeros with those behind them.
//!
//! In a hole a fragment's head (`fragments`) is zeros, of which RocksDB asks length and type only.
//!
//! Invariants
//! 1. Nothing that was synced is cut off: a synced log has no holes.
//! 2. A log that ends with a record, and perhaps with zeros, ends with that record afterwards.
//!
//! Not here: damage in a synced log. It must be looked for before anything is cut off (`log`):
//! zeros at the end may be all that tells of records that a disk has lost.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

use crate::internals::fragments::{Blocks, Fragment, HEAD_BYTES};
use crate::internals::log_files::logs;

/// Cuts off every log of a directory where a hole begins, or where nothing but zeros follows.
///
/// # Errors
/// Those of the file system.
pub(crate) fn cut_logs_at_zeros(directory: &Path) -> io::Result<()> {
    for path in logs(directory)? {
        let Some(Zeros { place, is_hole }) = find_zeros(&mut Blocks::open(&path)?)? else {
            continue;
        };
        if is_hole {
            tracing::warn!("{}: unsynced writes from byte {place} on are lost", path.display());
        }
        let log = OpenOptions::new().write(true).open(&path)?;
        log.set_len(place)?;
        log.sync_all()?;
    }
    Ok(())
}

/// Zeros where a record should begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Zeros {
    /// Where in the file they begin.
    place: u64,
    /// Whether something follows them.
    is_hole: bool,
}

/// The first hole of a log; without one the zeros at its end, if there are any.
fn find_zeros(log: &mut Blocks) -> io::Result<Option<Zeros>> {
    let mut zeros = None;
    // Zeros with which a block ends: filled up by RocksDB, unless no record follows.
    let mut filling = None;
    loop {
        let (start, block) = (log.start(), log.block());
        let begins = if zeros.is_some() { 0 } else { fragments_end(block) };
        let place = filling.filter(|_| begins == 0).unwrap_or(start + begins as u64);
        let rest = &block[begins..];
        let is_blank = rest.iter().all(|byte| *byte == 0);
        if rest.len() >= HEAD_BYTES {
            zeros.get_or_insert(place);
        }
        if let Some(place) = zeros.filter(|_| !is_blank) {
            return Ok(Some(Zeros { place, is_hole: true }));
        }
        filling = (is_blank && !rest.is_empty()).then_some(place);
        if !log.is_full() || !log.advance()? {
            let place = zeros.or(filling);
            return Ok(place.map(|place| Zeros { place, is_hole: false }));
        }
    }
}

/// Where a block's fragments end: before a head that is zeros, or where no further head fits.
fn fragments_end(block: &[u8]) -> usize {
    let mut at = 0;
    while let Some(fragment) = Fragment::read(block, at)
        && !fragment.is_unwritten()
    {
        at = fragment.data().end;
    }
    at.min(block.len())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use rocksdb::{DB, DBRecoveryMode, Options};

    use super::*;
    use crate::internals::fragments::{BLOCK_BYTES, WHOLE, written as fragment};

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
            cut_logs_at_zeros(mended.path()).unwrap();
            assert_eq!(fs::metadata(log_of(mended.path())).unwrap().len(), start as u64);
            assert_eq!(gaps(mended.path()), 0);
        }
    }

    #[test]
    fn a_sound_log_stays_as_it_is_and_zeros_at_its_end_are_cut_off() {
        let (directory, bytes, _) = written();
        let log = log_of(directory.path());
        cut_logs_at_zeros(directory.path()).unwrap();
        assert_eq!(fs::read(&log).unwrap(), bytes);
        for zeros in [1, HEAD_BYTES, 3 * BLOCK_BYTES] {
            fs::write(&log, [&bytes[..], &vec![0; zeros]].concat()).unwrap();
            cut_logs_at_zeros(directory.path()).unwrap();
            assert_eq!(fs::read(&log).unwrap(), bytes);
        }
        assert_eq!(gaps(directory.path()), 0);
    }

    /// What is found in a log of these bytes.
    fn zeros_of(bytes: &[u8]) -> Option<(usize, bool)> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), bytes).unwrap();
        let found = find_zeros(&mut Blocks::open(file.path()).unwrap()).unwrap();
        found.map(|Zeros { place, is_hole }| (place as usize, is_hole))
    }

    #[test]
    fn zeros_too_few_for_a_head_at_the_end_of_a_block_are_the_log_s_end_unless_a_record_follows() {
        let record = fragment(WHOLE, b"record");
        for spare in 0..HEAD_BYTES {
            let first = fragment(WHOLE, &vec![7; BLOCK_BYTES - HEAD_BYTES - spare]);
            let block = [&first[..], &vec![0; spare]].concat();
            let end = Some((first.len(), false));
            assert_eq!(zeros_of(&first), None);
            assert_eq!(zeros_of(&block), end.filter(|_| spare > 0));
            for zeros in [1, 5, HEAD_BYTES, 2 * BLOCK_BYTES] {
                assert_eq!(zeros_of(&[&block[..], &vec![0; zeros]].concat()), end);
            }
            assert_eq!(zeros_of(&[&block[..], &record].concat()), None);
            let more = [&block[..], &record, &[0; 500]].concat();
            assert_eq!(zeros_of(&more), Some((BLOCK_BYTES + record.len(), false)));
            let hole = [&block[..], &[0; BLOCK_BYTES], &record].concat();
            assert_eq!(zeros_of(&hole), Some((first.len(), true)));
        }
        assert_eq!(zeros_of(&[]), None);
        assert_eq!(zeros_of(&[0; BLOCK_BYTES + 9]), Some((0, false)));
    }
}
