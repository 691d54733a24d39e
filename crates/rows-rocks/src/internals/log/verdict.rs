//! The verdict on a damaged log: torn by a crash, or damaged as no crash leaves it.
//!
//! For each damaged place, with `before` the last sequence number read before it and `behind`
//! the first one after it:
//! ```text
//! nothing behind it in any log                     torn by a crash
//! behind = before + 1                              nothing is missing
//! a mark behind it says more than `before`         damage: what is missing was synced
//! `before` unknown, a mark says `behind` - 1       the same
//! where, by the next log, this one had ended       nothing: space that was laid out (`laid_out`)
//! ```
//! Logs that are no longer needed, because their writes lie in data files, are not synced any
//! more and may come back torn after a power cut. Which these are only the database knows; it is
//! asked when there is a suspicion, opened for reading.
//!
//! Not here: how records are found (`records`).

use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use super::marks::{HEAD_BYTES, Head};
use crate::internals::log_files::numbered_logs;
use crate::internals::records::{LogItem, Predecessor, RecordDamage, Records};

/// A log is damaged as no crash leaves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedLog {
    /// The file.
    pub file: PathBuf,
    /// Where in it the damage begins.
    pub place: u64,
    /// The writes that are lost, by sequence number: the first that may be missing and the last
    /// that is known to have been synced. `None` when the file cannot be read at all from there.
    pub lost: Option<(u64, u64)>,
}

impl std::error::Error for DamagedLog {}

impl fmt::Display for DamagedLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is damaged at byte {}", self.file.display(), self.place)?;
        if let Some((first, last)) = self.lost {
            write!(f, ": writes {first} to {last} were synced and are lost, ")?;
            f.write_str("and those behind them cannot be replayed")?;
        }
        f.write_str(". This is no trace of a crash but of the disk, or of a changed file. ")?;
        f.write_str("Restore a backup (`rowhouse restore`), or give up all writes from the ")?;
        f.write_str("damage on (`rowhouse salvage`)")
    }
}

/// A damaged place, and what has been read around it.
struct Place {
    log: u64,
    file: PathBuf,
    place: u64,
    before: Option<u64>,
    behind: Option<u64>,
}

impl Place {
    /// From which mark on the place is known to have been synced.
    fn threshold(&self) -> Option<u64> {
        match (self.before, self.behind?) {
            (Some(before), behind) if behind == before + 1 => None,
            (Some(before), _) => Some(before + 1),
            (None, behind) => Some(behind.saturating_sub(1).max(1)),
        }
    }
}

/// What was found in log files.
#[derive(Debug, Default)]
pub(crate) struct LogFindings {
    /// The first damage that no crash leaves.
    pub damage: Option<DamagedLog>,
    /// Batches that are whole.
    pub batches: u64,
}

/// Looks for damage that no crash leaves in the log files from number `from` on.
///
/// # Errors
/// Of reading the files.
pub(crate) fn find_damage(directory: &Path, from: u64) -> io::Result<LogFindings> {
    let mut batches = 0;
    let mut places: Vec<Place> = Vec::new();
    let mut before = None;
    let mut synced = 0;
    for (log, file) in numbered_logs(directory)?.into_iter().filter(|(number, _)| *number >= from) {
        let mut records = Records::open(&file, HEAD_BYTES)?;
        loop {
            let next = records.next()?;
            if let Some(Predecessor { number, bytes }) = records.take_predecessor() {
                places.retain(|place| place.log != number || place.place < bytes);
            }
            match next {
                LogItem::End => break,
                LogItem::Damage(RecordDamage { alien: Some(place), .. }) => {
                    let damage = Some(DamagedLog { file, place, lost: None });
                    return Ok(LogFindings { damage, batches });
                }
                LogItem::Damage(RecordDamage { place, .. }) => {
                    places.push(Place { log, file: file.clone(), place, before, behind: None });
                }
                LogItem::Record => {
                    let Some(head) = Head::read(records.head()) else { continue };
                    if let Some(place) = places.last_mut() {
                        place.behind.get_or_insert(head.sequence);
                        // Only what is said behind the damage was written after it.
                        synced = synced.max(head.synced.unwrap_or(0));
                    }
                    if head.count > 0 {
                        batches += 1;
                        before = Some(head.sequence + head.count - 1);
                    }
                }
            }
        }
    }
    let synced_there = |place: Place| {
        let first = place.threshold().filter(|first| synced >= *first)?;
        let last = synced.min(place.behind?.saturating_sub(1)).max(first);
        Some(DamagedLog { file: place.file, place: place.place, lost: Some((first, last)) })
    };
    Ok(LogFindings { damage: places.into_iter().find_map(synced_there), batches })
}

/// Cuts log files off before what RocksDB cannot read past.
///
/// # Errors
/// Of the files.
pub(crate) fn cut_aliens(directory: &Path) -> io::Result<()> {
    for (_, file) in numbered_logs(directory)? {
        let mut records = Records::open(&file, HEAD_BYTES)?;
        loop {
            match records.next()? {
                LogItem::End => break,
                LogItem::Record => {}
                LogItem::Damage(RecordDamage { alien: Some(place), .. }) => {
                    let file = fs::OpenOptions::new().write(true).open(&file)?;
                    file.set_len(place)?;
                    file.sync_all()?;
                    break;
                }
                LogItem::Damage(_) => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::internals::fragments::{PREDECESSOR, WHOLE, written};

    /// A batch of one change, which says up to which number the log was synced.
    fn record(sequence: u64, synced: u64) -> Vec<u8> {
        let mark = [&[3, 9, b'S'][..], &synced.to_le_bytes()].concat();
        let batch = [&sequence.to_le_bytes()[..], &1u32.to_le_bytes(), &mark, &[1, 1, b'k', 0]];
        written(WHOLE, &batch.concat())
    }

    fn predecessor(number: u64, bytes: usize) -> Vec<u8> {
        let numbers = [number, bytes as u64, 3].map(u64::to_le_bytes);
        written(PREDECESSOR, &numbers.concat())
    }

    /// The damage of logs number 5 and 8, by the place in the first.
    fn damage(first: &[u8], second: &[u8]) -> Option<u64> {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("000005.log"), first).unwrap();
        fs::write(directory.path().join("000008.log"), second).unwrap();
        let damaged = find_damage(directory.path(), 0).unwrap().damage?;
        assert_eq!(damaged.file, directory.path().join("000005.log"));
        Some(damaged.place)
    }

    #[test]
    fn zeros_behind_the_end_that_the_next_log_knows_are_no_damage_though_numbers_are_missing() {
        let first = [record(1, 0), record(2, 1), record(3, 2)].concat();
        let zeros = [&first[..], &[0; 70_000]].concat();
        // Files that are added take a number, too, and are in no log.
        let next = record(5, 4);
        let end = first.len() as u64;
        assert_eq!(damage(&zeros, &next), Some(end), "nobody says how long it was");
        assert_eq!(damage(&zeros, &[predecessor(5, first.len()), next.clone()].concat()), None);
        // A record is missing; another log is meant; the damage lies before the end.
        let longer = [predecessor(5, first.len() + 40), next.clone()].concat();
        assert_eq!(damage(&zeros, &longer), Some(end));
        assert_eq!(damage(&zeros, &[predecessor(4, 0), next.clone()].concat()), Some(end));
        let mut lost = zeros.clone();
        let last = first.len() - record(3, 2).len();
        lost[last..first.len()].fill(0);
        let sound = [predecessor(5, first.len()), next].concat();
        assert_eq!(damage(&lost, &sound), Some(last as u64));
    }

    #[test]
    fn zeros_at_the_end_of_the_last_log_are_no_damage_and_those_before_a_record_are() {
        let records = [record(1, 0), record(2, 1), record(3, 2)];
        let second = [predecessor(5, records.concat().len()), record(4, 3)].concat();
        let zeros = |bytes: &[u8]| [bytes, &[0; 300_000]].concat();
        assert_eq!(damage(&zeros(&records.concat()), &zeros(&second)), None);
        let hole = [&records[0][..], &vec![0; records[1].len()], &records[2]].concat();
        assert_eq!(damage(&zeros(&hole), &zeros(&second)), Some(records[0].len() as u64));
    }
}
