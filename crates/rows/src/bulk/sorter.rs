//! Sorting entries of which there are more than memory: filled in any order, sorted in memory, and
//! moved to runs when they are too many.
//!
//! Entries lie in chunks of memory, which are never moved; only their places are sorted, each with
//! the bytes of the key that tell most keys apart, so that few comparisons touch the entries.
//! ```text
//! chunk   entry, entry, ..
//! entry   key length u32, value length u32, key, number u64 big-endian, value
//! ```
//! The key length counts the number, which is part of the key from here on.
//!
//! Invariants
//! 1. No two entries have the same key and number.
//! 2. There are no more runs than the sorter's form says, but for the last one, however many
//!    entries there are: some of one level become one of the next.
//! 3. Runs are in the order of their levels, the highest first.
//!
//! Not here: several sorters together (`merge`), how much memory there is (`memory`).

use std::hint::black_box;
use std::ops::Range;
use std::sync::Arc;

use resources::spill::SpillDirectory;

use super::merge::{Merge, NUMBER_BYTES};
use crate::error::Result;
use crate::run::{Run, RunWriter, SeenWrite};
use crate::store::KeyRange;

/// Bytes of an entry before its key.
const HEAD_BYTES: usize = 8;
/// Runs that become one, at most.
const RUNS_MERGED: usize = 16;
/// Levels that have room for as many runs as are merged, about.
const LEVELS: usize = 2;
/// Blocks in memory for each run of a merge: as it is and as it is stored.
pub(super) const MERGE_BLOCKS: usize = 2;
/// Entries that are fetched from memory together when they are gone through in their order: each
/// lies somewhere else, and the processor waits for many of them no longer than for one.
const FETCHED: usize = 16;

/// How the runs of a sorter are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunForm {
    /// Of a block, about: a merge holds some of each run.
    pub block_bytes: usize,
    /// How many there are at most, before some of them are merged.
    pub runs_max: usize,
}

impl RunForm {
    /// For what is usually little, and sorted beside other work.
    pub const SMALL: RunForm = RunForm { block_bytes: 16 << 10, runs_max: 64 };
}

/// Chunks that are free, for the sorters of one thread: the allocator gives memory that it has
/// back to the system at once, and having it again costs more than sorting what it holds.
pub(crate) struct FreeChunks {
    chunks: Vec<Vec<u8>>,
    chunk_bytes: usize,
}

impl FreeChunks {
    /// None yet. Chunks are of so many bytes; an entry that is larger has one of its own.
    pub fn new(chunk_bytes: usize) -> FreeChunks {
        FreeChunks { chunks: Vec::new(), chunk_bytes }
    }

    fn take(&mut self, bytes: usize) -> Vec<u8> {
        if bytes > self.chunk_bytes {
            return Vec::with_capacity(bytes);
        }
        self.chunks.pop().unwrap_or_else(|| Vec::with_capacity(self.chunk_bytes))
    }

    fn put(&mut self, mut chunk: Vec<u8>) {
        if chunk.capacity() == self.chunk_bytes {
            chunk.clear();
            self.chunks.push(chunk);
        }
    }
}

/// Entries of one index, to be sorted by key and number.
pub(crate) struct Sorter {
    /// Bytes at the beginning of the keys that are the same in all of them.
    shared: usize,
    form: RunForm,
    chunks: Vec<Vec<u8>>,
    chunk_bytes: usize,
    slots: Vec<Slot>,
    runs: Vec<Run>,
    /// Bytes of all entries, wherever they are.
    total_bytes: u64,
    entries: u64,
}

/// Where an entry is.
#[derive(Clone, Copy)]
struct Slot {
    /// The key's bytes behind the shared ones, as a big-endian number.
    front: u64,
    chunk: u32,
    at: u32,
}

/// The eight bytes of a key behind the shared ones, as a number that orders as they do.
pub(super) fn front(key: &[u8], shared: usize) -> u64 {
    let rest = &key[shared.min(key.len())..];
    match rest.first_chunk::<8>() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => {
            let mut bytes = [0; 8];
            bytes[..rest.len()].copy_from_slice(rest);
            u64::from_be_bytes(bytes)
        }
    }
}

impl Sorter {
    /// A sorter of keys that begin with the same so many bytes.
    pub fn new(shared: usize, form: RunForm) -> Sorter {
        Sorter {
            shared,
            form,
            chunks: Vec::new(),
            chunk_bytes: 0,
            slots: Vec::new(),
            runs: Vec::new(),
            total_bytes: 0,
            entries: 0,
        }
    }

    /// The form of runs from now on, whose blocks are no smaller than before.
    pub fn set_form(&mut self, form: RunForm) {
        self.form = form;
    }

    /// Bytes that keys have in common at their beginning.
    pub fn shared(&self) -> usize {
        self.shared
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.chunk_bytes + self.slots.capacity() * size_of::<Slot>() + self.run_bytes()
    }

    /// Bytes of memory for what there is to remember of runs.
    pub fn run_bytes(&self) -> usize {
        self.runs.iter().map(|run| run.bytes).sum()
    }

    /// Bytes of entries in memory: as much is free again after `spill`.
    pub fn memory_bytes(&self) -> usize {
        self.chunk_bytes + self.slots.len() * size_of::<Slot>()
    }

    /// Bytes of all entries, in memory and on the disk.
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// How many entries there are.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Bytes of memory for a merge of it.
    pub fn merge_bytes(&self) -> usize {
        MERGE_BLOCKS * self.runs.len() * self.form.block_bytes
    }

    /// Adds an entry.
    pub fn add(&mut self, key: &[u8], number: u64, value: &[u8], free: &mut FreeChunks) {
        let length = HEAD_BYTES + key.len() + NUMBER_BYTES + value.len();
        let fits = |chunk: &Vec<u8>| chunk.capacity() - chunk.len() >= length;
        if !self.chunks.last().is_some_and(fits) {
            let chunk = free.take(length);
            self.chunk_bytes += chunk.capacity();
            self.chunks.push(chunk);
        }
        let chunk_number = self.chunks.len() as u32 - 1;
        let chunk = self.chunks.last_mut().expect("there is one with room");
        let at = chunk.len();
        let key_bytes = (key.len() + NUMBER_BYTES) as u64;
        chunk.extend_from_slice(&(key_bytes | (value.len() as u64) << 32).to_le_bytes());
        chunk.extend_from_slice(key);
        chunk.extend_from_slice(&number.to_be_bytes());
        chunk.extend_from_slice(value);
        let front = front(&chunk[at + HEAD_BYTES..], self.shared);
        self.slots.push(Slot { front, chunk: chunk_number, at: at as u32 });
        self.total_bytes += length as u64;
        self.entries += 1;
    }

    fn parts(&self, slot: Slot) -> (&[u8], &[u8]) {
        let entry = &self.chunks[slot.chunk as usize][slot.at as usize..];
        let number = |at: usize| {
            u32::from_le_bytes(entry[at..at + 4].try_into().expect("four bytes")) as usize
        };
        let (head, rest) = (HEAD_BYTES + number(0), number(4));
        (&entry[HEAD_BYTES..head], &entry[head..head + rest])
    }

    /// The entry in memory at a place of the sorted order.
    pub fn at(&self, place: usize) -> (&[u8], &[u8]) {
        self.parts(self.slots[place])
    }

    /// Said of each place by who goes through them one after the other: fetches entries that are
    /// next.
    pub fn fetch_around(&self, place: usize) {
        if place.is_multiple_of(FETCHED) {
            self.fetch(&self.slots[place..self.slots.len().min(place + FETCHED)]);
        }
    }

    fn fetch(&self, slots: &[Slot]) {
        let first = |slot: &Slot| self.chunks[slot.chunk as usize][slot.at as usize];
        black_box(slots.iter().fold(0, |all, slot| all | first(slot)));
    }

    /// Sorts what is in memory.
    pub fn sort(&mut self) {
        let mut slots = std::mem::take(&mut self.slots);
        slots.sort_unstable_by(|left, right| {
            left.front.cmp(&right.front).then_with(|| self.parts(*left).0.cmp(self.parts(*right).0))
        });
        self.slots = slots;
    }

    /// The places of the entries in memory that lie in a range; only once they are sorted.
    pub fn places(&self, range: &KeyRange) -> Range<usize> {
        let before = |key: &[u8]| self.slots.partition_point(|slot| self.parts(*slot).0 < key);
        let start = before(&range.start);
        let end = if range.end.is_empty() { self.slots.len() } else { before(&range.end) };
        start..end.max(start)
    }

    /// The runs.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Moves what is in memory to a run, and merges some runs if there are too many.
    ///
    /// # Errors
    /// `DiskFull`, `Store`.
    pub fn spill(&mut self, directory: &Arc<SpillDirectory>, free: &mut FreeChunks) -> Result<()> {
        self.spill_last(directory, free)?;
        self.merge_runs(directory)
    }

    /// Moves what is in memory to a run, behind which no other comes: all will be merged now.
    ///
    /// # Errors
    /// `DiskFull`, `Store`.
    pub fn spill_last(
        &mut self,
        directory: &Arc<SpillDirectory>,
        free: &mut FreeChunks,
    ) -> Result<()> {
        if self.slots.is_empty() {
            return Ok(());
        }
        self.sort();
        let mut writer = RunWriter::of_sort(directory, self.form.block_bytes, 0)?;
        for place in 0..self.slots.len() {
            self.fetch_around(place);
            let (key, value) = self.at(place);
            writer.add(key, SeenWrite::Put(value))?;
        }
        self.runs.push(writer.finish()?);
        self.chunks.drain(..).for_each(|chunk| free.put(chunk));
        self.chunk_bytes = 0;
        self.slots.clear();
        Ok(())
    }

    fn merge_runs(&mut self, directory: &Arc<SpillDirectory>) -> Result<()> {
        while self.runs.len() > self.form.runs_max {
            let merged = self.next_to_merge();
            let level = self.runs[merged.start].level + 1;
            let mut writer = RunWriter::of_sort(directory, self.form.block_bytes, level)?;
            let runs = &self.runs[merged.clone()];
            let mut merge = Merge::of_runs(runs, &KeyRange::default(), self.shared)?;
            while merge.advance()? {
                writer.add(merge.key(), SeenWrite::Put(merge.value()))?;
            }
            drop(merge);
            let run = writer.finish()?;
            self.runs.drain(merged);
            let place = self.runs.partition_point(|other| other.level >= level);
            self.runs.insert(place, run);
        }
        Ok(())
    }

    /// The newest runs of the lowest level that has enough, or of the one that has most: the system
    /// still has those in memory, and runs of about the same size are written least often.
    fn next_to_merge(&self) -> Range<usize> {
        let enough = RUNS_MERGED.min(self.form.runs_max / LEVELS).max(2);
        let highest = self.runs.first().map_or(0, |run| run.level);
        let mut most = 0..0;
        for level in 0..=highest {
            let start = self.runs.partition_point(|run| run.level > level);
            let end = self.runs.partition_point(|run| run.level >= level);
            let newest = start.max(end.saturating_sub(enough))..end;
            if newest.len() > most.len() {
                most = newest;
            }
        }
        // Each level with one run: the two smallest.
        if most.len() < 2 { self.runs.len() - 2..self.runs.len() } else { most }
    }

    /// Keys, without their numbers, at about equal distances of bytes; only once it is sorted.
    pub fn samples(&self) -> impl Iterator<Item = &[u8]> {
        let of_runs = self.runs.iter().flat_map(Run::block_keys);
        // As far from each other as those of runs.
        let entry_bytes = self.memory_bytes() / self.slots.len().max(1);
        let every = (self.form.block_bytes / entry_bytes.max(1)).max(1);
        let in_memory = (0..self.slots.len()).step_by(every).map(|at| self.at(at).0);
        of_runs.chain(in_memory).map(|key| &key[..key.len() - NUMBER_BYTES])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sorts so many keys that come in no order, of which so many at a time fit; gives the sorter,
    /// and how often an entry was written, on average.
    fn sorted(keys: u64, at_a_time: u64, runs_max: usize) -> (Sorter, f64) {
        let directory = tempfile::tempdir().unwrap();
        let directory = SpillDirectory::open(directory.path()).unwrap();
        let mut sorter = Sorter::new(0, RunForm { block_bytes: 4 << 10, runs_max });
        let mut free = FreeChunks::new(4 << 10);
        let (mut written, mut before) = (0, Vec::new());
        for number in 0..keys {
            let key = (number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).to_be_bytes();
            sorter.add(&key, number, b"value", &mut free);
            if (number + 1).is_multiple_of(at_a_time) {
                sorter.spill(&directory, &mut free).unwrap();
                let levels: Vec<u8> = sorter.runs.iter().map(|run| run.level).collect();
                assert!(levels.is_sorted_by(|left, right| left >= right), "{levels:?}");
                assert!(levels.len() <= runs_max, "{levels:?}");
                // What is neither this run nor one of those before was merged just now.
                before.push((0, at_a_time));
                written += at_a_time;
                let runs = sorter.runs.iter().map(|run| (run.level, run.count as u64));
                let runs: Vec<(u8, u64)> = runs.collect();
                for run in &runs {
                    match before.iter().position(|other| other == run) {
                        Some(place) => drop(before.swap_remove(place)),
                        None => written += run.1,
                    }
                }
                before = runs;
            }
        }
        (sorter, written as f64 / keys as f64)
    }

    #[test]
    fn runs_stay_few_and_are_all_that_was_added_in_order() {
        for (keys, runs_max) in [(64 * 100, 64), (65 * 100, 64), (1_000 * 100, 64), (500 * 100, 8)]
        {
            let (sorter, _) = sorted(keys, 100, runs_max);
            let mut merge = Merge::of_runs(sorter.runs(), &KeyRange::default(), 0).unwrap();
            let (mut last, mut count, mut sum) = (Vec::new(), 0, 0);
            while merge.advance().unwrap() {
                assert!(merge.key() > &last[..]);
                last = merge.key().to_vec();
                (count, sum) = (count + 1, sum + merge.numbered().1);
            }
            assert_eq!((count, sum), (keys, keys * (keys - 1) / 2));
        }
    }

    /// When runs of different levels were merged as they came, the large ones were written again
    /// and again.
    #[test]
    fn entries_are_written_as_often_as_there_are_levels() {
        for (runs, runs_max, most) in
            [(64, 64, 1.0), (512, 64, 2.0), (4_000, 64, 2.9), (4_000, 16, 4.7)]
        {
            let (_, written) = sorted(runs * 10, 10, runs_max);
            assert!(written <= most, "{written} with {runs} runs, {runs_max} at a time");
        }
    }
}
