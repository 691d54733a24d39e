//! The verdict on a damaged log: torn by a crash, or damaged as no crash leaves it.
//!
//! For each damaged place, with `before` the last sequence number read before it and `behind`
//! the first one after it:
//! ```text
//! nothing behind it in any log                     torn by a crash
//! behind = before + 1                              nothing is missing
//! a mark behind it says more than `before`         damage: what is missing was synced
//! `before` unknown, a mark says `behind` - 1       the same
//! ```
//! Logs that are no longer needed, because their writes lie in data files, are not synced any
//! more and may come back torn after a power cut. Which these are only the database knows; it is
//! asked when there is a suspicion, opened for reading.
//!
//! Not here: how records are found (`records`).

use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use super::marks::{HEAD_BYTES, Head};
use crate::log_files::numbered_logs;
use crate::records::{Damage, Next, Records};

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

/// Looks for damage that no crash leaves in the log files from number `from` on; gives the first.
///
/// # Errors
/// Of reading the files.
pub(crate) fn find_damage(directory: &Path, from: u64) -> io::Result<Option<DamagedLog>> {
    let mut places: Vec<Place> = Vec::new();
    let mut before = None;
    let mut synced = 0;
    for (_, file) in numbered_logs(directory)?.into_iter().filter(|(number, _)| *number >= from) {
        let mut records = Records::open(&file, HEAD_BYTES)?;
        loop {
            match records.next()? {
                Next::End => break,
                Next::Damage(Damage { alien: Some(place), .. }) => {
                    return Ok(Some(DamagedLog { file, place, lost: None }));
                }
                Next::Damage(Damage { place, .. }) => {
                    places.push(Place { file: file.clone(), place, before, behind: None });
                }
                Next::Record => {
                    let Some(head) = Head::read(records.head()) else { continue };
                    if let Some(place) = places.last_mut() {
                        place.behind.get_or_insert(head.sequence);
                        // Only what is said behind the damage was written after it.
                        synced = synced.max(head.synced.unwrap_or(0));
                    }
                    if head.count > 0 {
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
    Ok(places.into_iter().find_map(synced_there))
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
                Next::End => break,
                Next::Record => {}
                Next::Damage(Damage { alien: Some(place), .. }) => {
                    let file = fs::OpenOptions::new().write(true).open(&file)?;
                    file.set_len(place)?;
                    file.sync_all()?;
                    break;
                }
                Next::Damage(_) => {}
            }
        }
    }
    Ok(())
}
