//! Giving space back after the removal of a whole range (a dropped table), in the background, and
//! compacting where scans have too much to pass over (`tombstones`).
//!
//! A removed range is only a mark until compaction meets what it covers. Reclaiming deletes the
//! files that lie wholly inside, then compacts what is left; ranges that came together, and have
//! little between them, as one. Ranges not yet done are listed (`reclaim_queue`), unless who
//! dropped them has a note of them.
//!
//! Invariants
//! 1. After whole files were deleted the range is marked as removed once more: the deleted files
//!    may have held the first mark, and files that were left would otherwise show old keys.
//! 2. The removal is durable before the range is listed, and before a file is deleted. So is then
//!    what made it: a power cut that took back a DROP TABLE would find no rows.

use parking_lot::MutexGuard;
use rocksdb::{BottommostLevelCompaction, CompactOptions};
use rows::error::Result;
use rows::store::{Batch, Change, Durability, KeyRange};

use crate::internals::failure::of_read;
use crate::open_database::OpenDatabase;
use crate::reclaim_queue::PendingRange;

/// Bytes in files between two removed ranges up to which both are compacted as one: every
/// compaction costs some milliseconds, and may rewrite the file that has what is between them.
const BETWEEN_BYTES_MAX: u64 = 4 << 20;

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

#[cfg(test)]
mod tests {
    use super::*;

    fn range_of(start: &[u8], end: &[u8]) -> KeyRange {
        KeyRange { start: start.to_vec(), end: end.to_vec() }
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
}
