//! Giving space back after the removal of a whole range (a dropped table), in the background, and
//! compacting where scans have too much to pass over (`tombstones`).
//!
//! A removed range is only a mark until compaction meets what it covers. Reclaiming deletes the
//! files that lie wholly inside, then compacts what is left; ranges that came together, and have
//! little between them, as one. Ranges not yet done are listed in the file `RECLAIM`, one line
//! each, so that a restart goes on with them, unless who dropped them has a note of them:
//! ```text
//! <start in hex> <end in hex, or -> <xxh3 of both>
//! ```
//!
//! Invariants
//! 1. A line whose checksum does not hold is ignored: its space comes back later, by ordinary
//!    compaction. No file is ever deleted for a range that was not asked for.
//! 2. After whole files were deleted the range is marked as removed once more: the deleted files
//!    may have held the first mark, and files that were left would otherwise show old keys.
//! 3. The removal is durable before the range is listed, and before a file is deleted. So is then
//!    what made it: a power cut that took back a DROP TABLE would find no rows.

use std::collections::VecDeque;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use parking_lot::{Condvar, Mutex, MutexGuard};
use rocksdb::{BottommostLevelCompaction, CompactOptions};
use rows::error::Result;
use rows::store::{Batch, Change, Durability, KeyRange};
use xxhash_rust::xxh3::xxh3_64;

use crate::failure::{of_file, of_read};
use crate::format::write_synced;
use crate::store::OpenDatabase;

pub(crate) const RECLAIM_FILE: &str = "RECLAIM";

/// Bytes in files between two removed ranges up to which both are compacted as one: every
/// compaction costs some milliseconds, and may rewrite the file that has what is between them.
const BETWEEN_BYTES_MAX: u64 = 4 << 20;

/// What is to be reclaimed.
pub(crate) struct Reclaiming {
    queue: Mutex<Queue>,
    changed: Condvar,
}

struct Queue {
    /// The first of them are being worked on.
    ranges: VecDeque<PendingRange>,
    /// Where scans have too much to pass over.
    crowded: Option<KeyRange>,
    stopped: bool,
}

impl Reclaiming {
    /// With what an earlier process did not finish.
    pub(crate) fn load(directory: &Path) -> Result<Reclaiming> {
        let bytes = match fs::read(directory.join(RECLAIM_FILE)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(of_file("reading RECLAIM", error));
            }
            read => read.unwrap_or_default(),
        };
        let text = String::from_utf8_lossy(&bytes);
        let ranges = text.lines().filter_map(range).map(PendingRange::listed).collect();
        Ok(Reclaiming {
            queue: Mutex::new(Queue { ranges, crowded: None, stopped: false }),
            changed: Condvar::new(),
        })
    }

    pub(crate) fn stop(&self) {
        self.queue.lock().stopped = true;
        self.changed.notify_all();
    }

    /// What the file says of the ranges that are not yet done.
    pub(crate) fn text(&self) -> String {
        self.queue.lock().text(|_| true)
    }

    /// Has a range compacted once what was asked before is done; in place of another that has not
    /// begun. A store that does not compact does not take it up.
    pub(crate) fn begin_compacting(&self, range: KeyRange) {
        self.queue.lock().crowded = Some(range);
        self.changed.notify_one();
    }

    /// How many ranges are not yet done.
    pub(crate) fn pending(&self) -> usize {
        self.queue.lock().ranges.len()
    }
}

/// A range that is not yet done.
#[derive(Clone)]
struct PendingRange {
    range: KeyRange,
    /// Whether it is listed in the file.
    is_listed: bool,
    /// Removes the note of it, and of those before it.
    forgotten: Batch,
}

impl PendingRange {
    fn listed(range: KeyRange) -> PendingRange {
        PendingRange { range, is_listed: true, forgotten: Batch::default() }
    }
}

impl Queue {
    fn save(&self, directory: &Path) -> Result<()> {
        let text = self.text(|pending| pending.is_listed);
        write_synced(directory, RECLAIM_FILE, text.as_bytes())
    }

    fn text(&self, is_told: impl Fn(&PendingRange) -> bool) -> String {
        self.ranges.iter().filter(|pending| is_told(pending)).map(|all| line(&all.range)).collect()
    }
}

impl OpenDatabase {
    pub(crate) fn begin_reclaiming(&self, ranges: &[KeyRange]) -> Result<()> {
        // The removal itself may be in the unsynced log still. A power cut would take it back, but
        // neither RECLAIM nor the deletion of files.
        self.sync_log()?;
        let mut queue = self.reclaiming.queue.lock();
        queue.ranges.extend(ranges.iter().cloned().map(PendingRange::listed));
        queue.save(&self.directory)?;
        self.reclaiming.changed.notify_one();
        Ok(())
    }

    /// The same of ranges that somebody has a note of.
    pub(crate) fn begin_reclaiming_noted(&self, ranges: &[KeyRange], forgotten: Batch) {
        let noted = |range| PendingRange { range, is_listed: false, forgotten: Batch::default() };
        let mut pending: Vec<PendingRange> = ranges.iter().cloned().map(noted).collect();
        if let Some(last) = pending.last_mut() {
            last.forgotten = forgotten;
        }
        self.reclaiming.queue.lock().ranges.extend(pending);
        self.reclaiming.changed.notify_one();
    }

    /// The reclaiming thread's work until `Reclaiming::stop`.
    pub(crate) fn reclaim_until_stopped(&self) {
        loop {
            let ranges = {
                let mut queue = self.reclaiming.queue.lock();
                loop {
                    if queue.stopped {
                        return;
                    }
                    if !queue.ranges.is_empty() {
                        break Vec::from_iter(queue.ranges.iter().cloned());
                    }
                    match queue.crowded.take() {
                        Some(range) => MutexGuard::unlocked(&mut queue, || self.compact(&range)),
                        None => self.reclaiming.changed.wait(&mut queue),
                    }
                }
            };
            let reclaimed = self.reclaim_ranges(&ranges);
            let mut queue = self.reclaiming.queue.lock();
            // A compaction that closing cut short is not done: the next opening begins it again.
            if queue.stopped {
                return;
            }
            let forgotten = reclaimed.and_then(|()| {
                let notes = ranges.iter().flat_map(|pending| pending.forgotten.changes.clone());
                let forgotten = Batch { changes: notes.collect() };
                if forgotten.changes.is_empty() {
                    return Ok(());
                }
                // Losing this only makes the next start reclaim once more.
                MutexGuard::unlocked(&mut queue, || {
                    self.write_batches(&[&forgotten], Durability::Os)
                })
            });
            if let Err(error) = forgotten {
                tracing::warn!("space of a removed range was not given back at once: {error}");
            }
            queue.ranges.drain(..ranges.len());
            let was_listed = ranges.iter().any(|pending| pending.is_listed);
            if was_listed && let Err(error) = queue.save(&self.directory) {
                tracing::warn!("RECLAIM was not written: {error}");
            }
        }
    }

    fn reclaim_ranges(&self, pending: &[PendingRange]) -> Result<()> {
        if pending.iter().any(|pending| !pending.is_listed) {
            self.sync_log()?;
        }
        let ranges: Vec<KeyRange> = pending.iter().map(|pending| pending.range.clone()).collect();
        for range in ranges.iter().filter(|range| !range.end.is_empty()) {
            self.database
                .delete_file_in_range(&range.start[..], &range.end[..])
                .map_err(|error| of_read("deleting files of a removed range", error))?;
        }
        let changes = ranges.iter().cloned().map(Change::DeleteRange).collect();
        self.write_batches(&[&Batch { changes }], Durability::Os)?;
        let has_little = |between: &KeyRange| self.file_bytes(between) <= BETWEEN_BYTES_MAX;
        for range in joined(&ranges, has_little) {
            if self.reclaiming.queue.lock().stopped {
                break;
            }
            self.compact(&range);
        }
        Ok(())
    }

    /// Compacts a range down to the last level, its write buffers first.
    fn compact(&self, range: &KeyRange) {
        let end = (!range.end.is_empty()).then_some(&range.end[..]);
        let mut options = CompactOptions::default();
        // Ordinary compactions go on beside this one.
        options.set_exclusive_manual_compaction(false);
        options.set_bottommost_level_compaction(BottommostLevelCompaction::ForceOptimized);
        self.database.compact_range_opt(Some(&range.start[..]), end, &options);
    }
}

/// Ranges in the order of their keys; those that meet, or have little between them, as one.
fn joined(ranges: &[KeyRange], has_little: impl Fn(&KeyRange) -> bool) -> Vec<KeyRange> {
    let mut ranges = ranges.to_vec();
    ranges.sort_by(|a, b| a.start.cmp(&b.start));
    let mut joined: Vec<KeyRange> = Vec::new();
    for range in ranges {
        let Some(last) = joined.last_mut() else {
            joined.push(range);
            continue;
        };
        // A range without an end holds all that follow.
        let meets = last.end.is_empty() || range.start <= last.end;
        let between = KeyRange { start: last.end.clone(), end: range.start.clone() };
        if !meets && !has_little(&between) {
            joined.push(range);
        } else if range.end.is_empty() || !last.end.is_empty() && range.end > last.end {
            last.end = range.end;
        }
    }
    joined
}

fn line(range: &KeyRange) -> String {
    let both = format!("{} {}", hex(&range.start), hex(&range.end));
    format!("{both} {:016x}\n", xxh3_64(both.as_bytes()))
}

fn range(line: &str) -> Option<KeyRange> {
    let (both, checksum) = line.rsplit_once(' ')?;
    if checksum != format!("{:016x}", xxh3_64(both.as_bytes())) {
        return None;
    }
    let (start, end) = both.split_once(' ')?;
    Some(KeyRange { start: bytes(start)?, end: bytes(end)? })
}

/// Bytes as hex digits; none as `-`, so that a line always has three words.
fn hex(bytes: &[u8]) -> String {
    match bytes {
        [] => "-".to_string(),
        bytes => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    if hex == "-" {
        return Some(Vec::new());
    }
    let pairs = hex.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range_of(start: &[u8], end: &[u8]) -> KeyRange {
        KeyRange { start: start.to_vec(), end: end.to_vec() }
    }

    #[test]
    fn ranges_are_read_back_from_their_lines() {
        for written in [range_of(b"", b""), range_of(b"\0\xff", b""), range_of(b"a b", b"\n")] {
            assert_eq!(range(line(&written).trim_end()), Some(written));
        }
    }

    #[test]
    fn ranges_that_meet_or_have_little_between_them_are_one() {
        let all = [range_of(b"m", b"n"), range_of(b"a", b"b"), range_of(b"b", b"d")];
        let apart = joined(&all, |_| false);
        assert_eq!(apart, [range_of(b"a", b"d"), range_of(b"m", b"n")]);
        assert_eq!(
            joined(&all, |between| *between == range_of(b"d", b"m")),
            [range_of(b"a", b"n")]
        );
        let within = [range_of(b"a", b""), range_of(b"c", b"d"), range_of(b"x", b"")];
        assert_eq!(joined(&within, |_| false), [range_of(b"a", b"")]);
        let covered = [range_of(b"a", b"m"), range_of(b"b", b"c")];
        assert_eq!(joined(&covered, |_| false), [range_of(b"a", b"m")]);
    }

    #[test]
    fn a_damaged_line_is_no_range() {
        let sound = line(&range_of(b"table 7", b"table 8"));
        for position in 0..sound.len() - 1 {
            let mut bytes = sound.clone().into_bytes();
            bytes[position] ^= 1;
            let damaged = String::from_utf8_lossy(&bytes).into_owned();
            assert_eq!(range(damaged.trim_end()), None, "byte {position}");
            assert_eq!(range(&sound[..position]), None);
        }
    }
}
