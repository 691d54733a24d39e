//! Batches on their way into the write-ahead log, and what happens when that fails.
//!
//! Invariants
//! 1. Batches handed over together become one record of the log: one write, at most one sync,
//!    applied wholly or not at all.
//! 2. No write is let in that could leave RocksDB without its last room on the disk (`space`);
//!    where others took that, RocksDB refuses writes until there is space and then goes on by
//!    itself. Nothing acknowledged is touched by it.
//! 3. While writes of `EverySecond` are unsynced, a sync begins within `SYNC_EVERY`.
//! 4. What is written all the time is flushed to data files every `CHECKPOINT_EVERY`, so that the
//!    log is no older than that; earlier where scans lose time by what is hidden (`tombstones`).
//! 5. A write says in the log up to which write the log was synced before it (`log::marks`).
//!
//! Not here: whether writes are accepted at all (`health`); sharing one sync among transactions,
//! which is the committer's (`rows::commit`).

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use parking_lot::MutexGuard;
use rocksdb::{ErrorKind, FlushOptions, ReadOptions, WriteBatch, WriteOptions};
use rows::error::Result;
use rows::store::{Batch, Change, Durability, KeyRange};

use crate::internals::failure::of_read;
use crate::internals::laid_out::CHUNK_BYTES;
use crate::internals::log_files::sync_logs;
use crate::open_database::OpenDatabase;
use crate::tombstones::Sizes;

/// Half of the second that `Durability::EverySecond` promises: the sync itself takes time too.
pub(crate) const SYNC_EVERY: Duration = Duration::from_millis(500);

/// How old a log grows while it is written to.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(60);
/// Below this a checkpoint would only make small files.
const CHECKPOINT_BYTES_MIN: u64 = 1 << 20;

/// How often is looked whether RocksDB takes writes again; it tells nobody.
const STOPPED_LOOK_EVERY: Duration = Duration::from_millis(2);

/// Bytes that a change takes in a batch besides its key and value, at most.
const CHANGE_OVERHEAD: usize = 16;
/// Bytes that a mark takes in a batch.
const MARK_BYTES: usize = 11;

impl OpenDatabase {
    /// Writes batches as one.
    pub(crate) fn write_batches(&self, batches: &[&Batch], durability: Durability) -> Result<()> {
        let (at_once, waiting) = match durability {
            Durability::EveryCommit => (&self.modes.synced_at_once, &self.modes.synced),
            Durability::EverySecond | Durability::Os => (&self.modes.at_once, &self.modes.unsynced),
        };
        let written = loop {
            std::thread::sleep(self.pace_wait());
            match self.write_with(batches, at_once, durability)? {
                Err(error) if error.kind() == ErrorKind::Incomplete => {
                    if !self.is_stopped() {
                        break self.write_with(batches, waiting, durability)?;
                    }
                    // RocksDB's recovery from a full disk waits for those who wait in a write,
                    // and they for it. So nobody waits inside while it takes no writes.
                    self.space.free()?;
                    std::thread::sleep(STOPPED_LOOK_EVERY);
                }
                written => break written,
            }
        };
        written.map_err(|error| self.health.after("writing", error))?;
        self.note_written(durability);
        Ok(())
    }

    /// How long a write has to wait because compactions are behind.
    fn pace_wait(&self) -> Duration {
        let files = || {
            let count = self.database.property_value("rocksdb.num-files-at-level0");
            count.ok().flatten().and_then(|count| count.parse().ok()).unwrap_or(0)
        };
        self.pace.wait(Instant::now(), files)
    }

    /// Whether RocksDB takes no writes until a buffer is on the disk.
    fn is_stopped(&self) -> bool {
        let stopped = self.database.property_int_value("rocksdb.is-write-stopped");
        matches!(stopped, Ok(Some(1..)))
    }

    /// Writes batches as one unless that would wait for a disk; `false` when it would.
    pub(crate) fn try_write_batches(
        &self,
        batches: &[&Batch],
        durability: Durability,
    ) -> Result<bool> {
        if durability == Durability::EveryCommit || !self.pace_wait().is_zero() {
            return Ok(false);
        }
        match self.write_with(batches, &self.modes.at_once, durability)? {
            Err(error) if error.kind() == ErrorKind::Incomplete => return Ok(false),
            written => written.map_err(|error| self.health.after("writing", error))?,
        }
        self.note_written(durability);
        Ok(true)
    }

    fn note_written(&self, durability: Durability) {
        self.syncing.note_grown();
        match durability {
            Durability::EveryCommit => self.syncing.note_unmarked(),
            Durability::EverySecond => self.syncing.note_unsynced(),
            Durability::Os => {}
        }
    }

    fn write_with(
        &self,
        batches: &[&Batch],
        options: &WriteOptions,
        durability: Durability,
    ) -> Result<std::result::Result<(), rocksdb::Error>> {
        self.health.check()?;
        let bytes = MARK_BYTES + bytes(batches);
        // What gives space back is let through.
        if !removes_ranges(batches) {
            self.space.take(bytes as u64, || self.buffered_bytes())?;
        }
        let mut merged = WriteBatch::with_capacity_bytes(bytes);
        if let Some(mark) = self.marks.next() {
            merged.put_log_data(mark);
        }
        for change in in_order(batches) {
            match change {
                Change::Put(key, value) => merged.put(key, value),
                Change::Delete(key) => merged.delete(key),
                Change::DeleteRange(range) => self.remove_range(&mut merged, batches, range)?,
            }
        }
        if merged.is_empty() {
            return Ok(Ok(()));
        }
        if durability == Durability::EveryCommit {
            self.lay_out_log(merged.size_in_bytes() as u64);
        }
        let count = merged.len() as u64;
        // Everything up to here is in the log already, and this batch comes behind it.
        let before = self.database.latest_sequence_number();
        let written = self.database.write_opt(merged, options);
        if written.is_ok() {
            self.pace.note(Instant::now(), bytes);
        }
        if written.is_ok() && durability == Durability::EveryCommit {
            self.marks.synced(before + count);
        }
        Ok(written)
    }

    /// Before a batch of so many bytes is written and synced.
    fn lay_out_log(&self, bytes: u64) {
        let entries = || self.property("rocksdb.num-entries-active-mem-table").unwrap_or(0);
        // The last room is for what has to be written.
        let has_room = || self.space.free().is_ok_and(|free| free > 2 * CHUNK_BYTES as u64);
        self.laid_out.before_write(bytes, entries, has_room);
    }

    /// Writes a mark without any change, if there is something to be said.
    pub(crate) fn write_mark(&self, sync: bool) -> Result<()> {
        self.health.check()?;
        let Some(mark) = self.marks.next() else {
            return Ok(());
        };
        let mut batch = WriteBatch::default();
        batch.put_log_data(mark);
        let modes = &self.modes;
        let options = if sync { &modes.synced_at_once } else { &modes.at_once };
        let written = match self.database.write_opt(batch, options) {
            // The mark after the next sync says this, too.
            Err(error) if error.kind() == ErrorKind::Incomplete => return Ok(()),
            written => written,
        };
        written.map_err(|error| self.health.after("marking the log", error))
    }

    /// RocksDB's range removal needs an end. A range without one ends after the last key there
    /// is, here or in the database.
    fn remove_range(
        &self,
        merged: &mut WriteBatch,
        batches: &[&Batch],
        range: &KeyRange,
    ) -> Result<()> {
        if !range.end.is_empty() {
            if range.start < range.end {
                merged.delete_range(&range.start, &range.end);
            }
            return Ok(());
        }
        let mut last = self.database.raw_iterator_opt(ReadOptions::default());
        last.seek_to_last();
        last.status().map_err(|error| of_read("looking for the last key", error))?;
        let stored = last.key().unwrap_or_default();
        let changes = batches.iter().flat_map(|batch| &batch.changes);
        let put = changes.filter_map(|change| match change {
            Change::Put(key, _) => Some(&key[..]),
            _ => None,
        });
        let mut end = put.max().unwrap_or_default().max(stored).to_vec();
        end.push(0);
        if range.start < end {
            merged.delete_range(&range.start, &end);
        }
        Ok(())
    }

    /// Syncs the log: everything acknowledged before this call is durable after it.
    pub(crate) fn sync_log(&self) -> Result<()> {
        self.health.check()?;
        let before = self.database.latest_sequence_number();
        sync_logs(&self.directory).map_err(|error| self.health.after_sync(error))?;
        self.marks.synced(before);
        self.syncing.syncs.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// Asks for room for a file beside what is written meanwhile.
    pub(crate) fn check_room(&self, bytes: u64) -> Result<()> {
        self.space.check(bytes, self.buffered_bytes())
    }

    /// Whether writes are refused for want of room.
    pub(crate) fn is_disk_full(&self) -> bool {
        self.health.reads_only() || self.space.is_full(self.buffered_bytes())
    }

    /// Bytes in write buffers that are no data files yet.
    fn buffered_bytes(&self) -> u64 {
        self.property("rocksdb.cur-size-all-mem-tables").unwrap_or(0)
    }

    /// Has the write buffers written to data files in the background; their log then goes.
    fn begin_checkpoint(&self) {
        if self.health.reads_only() || self.buffered_bytes() < CHECKPOINT_BYTES_MIN {
            return;
        }
        let mut options = FlushOptions::default();
        options.set_wait(false);
        if let Err(error) = self.database.flush_opt(&options) {
            tracing::warn!("a checkpoint did not begin: {error}");
        }
    }

    /// Sees to it that scans have less to pass over, if that is worth it.
    fn tidy_up(&self) {
        let files = self.property("rocksdb.live-sst-files-size").unwrap_or(0);
        let sizes = Sizes { buffered: self.buffered_bytes(), files };
        // The last room is for what has to be written.
        if self.space.free().map_or(true, |free| free < 2 * (sizes.buffered + sizes.compacted())) {
            return;
        }
        let bytes_of = |range: &KeyRange| self.approximate_bytes(range).unwrap_or(files);
        if let Some(range) = self.tombstones.wants_compaction(sizes, bytes_of) {
            self.reclaiming.begin_compacting(range);
        } else if self.tombstones.wants_file(sizes) {
            self.begin_checkpoint();
        }
    }

    /// The syncing thread's work until `Syncing::stop`.
    pub(crate) fn sync_until_stopped(&self) {
        let syncing = &self.syncing;
        let mut checkpoint_at = Instant::now() + CHECKPOINT_EVERY;
        let mut stopped = syncing.stopped.lock();
        loop {
            while !*stopped && !syncing.has_work() {
                syncing.changed.wait(&mut stopped);
            }
            let deadline = Instant::now() + SYNC_EVERY;
            while !*stopped && !syncing.changed.wait_until(&mut stopped, deadline).timed_out() {}
            // First the mark, then the sync: a write in between is marked for the next one.
            if syncing.unsynced.swap(false, Ordering::AcqRel) {
                MutexGuard::unlocked(&mut stopped, || {
                    if let Err(error) = self.sync_log() {
                        tracing::error!("the log was not synced: {error}");
                        // A full disk may pass; after any other failure nothing can be synced.
                        syncing.unsynced.store(!self.health.failed(), Ordering::Release);
                    }
                });
            }
            syncing.unmarked.store(false, Ordering::Release);
            MutexGuard::unlocked(&mut stopped, || {
                if let Err(error) = self.write_mark(false) {
                    tracing::debug!("the log was not marked: {error}");
                }
                if syncing.written.swap(false, Ordering::AcqRel) {
                    self.choose_layout();
                }
                // First the mark here too: who comes in between raises it again.
                if syncing.spares.swap(false, Ordering::AcqRel) && self.spares.retire() {
                    syncing.spares.store(true, Ordering::Release);
                }
                let crowded = syncing.crowded.swap(false, Ordering::AcqRel);
                if Instant::now() >= checkpoint_at {
                    checkpoint_at = Instant::now() + CHECKPOINT_EVERY;
                    self.begin_checkpoint();
                    self.tombstones.forget();
                } else if crowded {
                    self.tidy_up();
                }
            });
            if *stopped {
                return;
            }
        }
    }
}

/// The changes of batches that are each in the order of their keys: in that order all together, in
/// which the write buffer takes them fastest. Those of one key keep their order, and so do all
/// where ranges are removed.
fn in_order<'a>(batches: &[&'a Batch]) -> Vec<&'a Change> {
    fn key(change: &Change) -> &[u8] {
        match change {
            Change::Put(key, _) | Change::Delete(key) => key,
            Change::DeleteRange(range) => &range.start,
        }
    }
    let mut changes: Vec<&Change> = batches.iter().flat_map(|batch| &batch.changes).collect();
    if batches.len() > 1 && !removes_ranges(batches) {
        // Stable, and quick where runs are in order already.
        changes.sort_by_key(|change| key(change));
    }
    changes
}

/// Whether tables are dropped or emptied.
fn removes_ranges(batches: &[&Batch]) -> bool {
    let mut changes = batches.iter().flat_map(|batch| &batch.changes);
    changes.any(|change| matches!(change, Change::DeleteRange(_)))
}

fn bytes(batches: &[&Batch]) -> usize {
    let changes = batches.iter().flat_map(|batch| &batch.changes);
    let each = |change: &Change| match change {
        Change::Put(key, value) => CHANGE_OVERHEAD + key.len() + value.len(),
        Change::Delete(key) => CHANGE_OVERHEAD + key.len(),
        Change::DeleteRange(range) => CHANGE_OVERHEAD + range.start.len() + range.end.len(),
    };
    CHANGE_OVERHEAD + changes.map(each).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(key: &'static str, value: &'static str) -> Change {
        Change::put(key, value)
    }

    #[test]
    fn changes_of_several_batches_are_in_the_order_of_keys_and_those_of_one_key_as_they_came() {
        let one = Batch { changes: vec![put("b", "1"), put("d", "1")] };
        let two = Batch { changes: vec![put("a", "2"), put("b", "2"), Change::delete("d")] };
        let wanted =
            [put("a", "2"), put("b", "1"), put("b", "2"), put("d", "1"), Change::delete("d")];
        let given: Vec<Change> = in_order(&[&one, &two]).into_iter().cloned().collect();
        assert_eq!(given, wanted);
        let range = KeyRange { start: "a".into(), end: "c".into() };
        let three = Batch { changes: vec![Change::DeleteRange(range.clone())] };
        let given: Vec<Change> = in_order(&[&one, &three, &two]).into_iter().cloned().collect();
        assert_eq!(given[..3], [put("b", "1"), put("d", "1"), Change::DeleteRange(range)]);
    }
}
