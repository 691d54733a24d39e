//! Sorting entries of which there are more than memory: filled in any order, sorted in memory,
//! and moved to runs when they are too many.
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
//! 2. `RUNS_MERGED` runs of one level become one of the next, so that a merge meets few runs
//!    however many entries there are.
//!
//! Not here: several sorters together (`merge`), how much memory there is (`rows`).

use std::hint::black_box;
use std::ops::Range;
use std::sync::Arc;

use super::merge::{Merge, NUMBER_BYTES};
use crate::error::Result;
use crate::run::{Run, RunWriter, Seen};
use crate::spill::SpillDirectory;
use crate::store::KeyRange;

/// Bytes of an entry before its key.
const HEAD_BYTES: usize = 8;
/// Runs of one level before they are merged.
const RUNS_MERGED: usize = 16;
/// Entries in memory from one key to the next where the sorter is asked for keys at about equal
/// distances.
const SAMPLE_EVERY: usize = 128;
/// Entries that are fetched from memory together when they are gone through in their order: each
/// lies somewhere else, and the processor waits for many of them no longer than for one.
const FETCHED: usize = 16;

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
    /// Of the blocks of its runs.
    block_bytes: usize,
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
    /// A sorter of keys that begin with the same so many bytes, whose runs are of blocks of
    /// about so many: a merge holds one of each.
    pub fn new(shared: usize, block_bytes: usize) -> Sorter {
        Sorter {
            shared,
            block_bytes,
            chunks: Vec::new(),
            chunk_bytes: 0,
            slots: Vec::new(),
            runs: Vec::new(),
            total_bytes: 0,
            entries: 0,
        }
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

    /// Bytes of memory for a merge of it: a block of each run, as it is and as it is stored.
    pub fn merge_bytes(&self) -> usize {
        2 * self.runs.len() * self.block_bytes
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

    /// Moves what is in memory to a run.
    ///
    /// # Errors
    /// `DiskFull`, `Store`.
    pub fn spill(&mut self, directory: &Arc<SpillDirectory>, free: &mut FreeChunks) -> Result<()> {
        if self.slots.is_empty() {
            return Ok(());
        }
        self.sort();
        let mut writer = RunWriter::of_sort(directory, self.block_bytes, 0)?;
        for place in 0..self.slots.len() {
            self.fetch_around(place);
            let (key, value) = self.at(place);
            writer.add(key, Seen::Put(value))?;
        }
        self.runs.push(writer.finish()?);
        self.chunks.drain(..).for_each(|chunk| free.put(chunk));
        self.chunk_bytes = 0;
        self.slots.clear();
        self.merge_runs(directory)
    }

    fn merge_runs(&mut self, directory: &Arc<SpillDirectory>) -> Result<()> {
        loop {
            let Some(level) = self.runs.last().map(|run| run.level) else { return Ok(()) };
            let equal = self.runs.iter().rev().take_while(|run| run.level == level).count();
            if equal < RUNS_MERGED {
                return Ok(());
            }
            let first = self.runs.len() - equal;
            let mut writer = RunWriter::of_sort(directory, self.block_bytes, level + 1)?;
            let mut merge = Merge::of_runs(&self.runs[first..], &KeyRange::default(), self.shared)?;
            while merge.advance()? {
                writer.add(merge.key(), Seen::Put(merge.value()))?;
            }
            drop(merge);
            let run = writer.finish()?;
            self.runs.truncate(first);
            self.runs.push(run);
        }
    }

    /// Keys, without their numbers, at about equal distances of bytes; only once it is sorted.
    pub fn samples(&self) -> impl Iterator<Item = &[u8]> {
        let of_runs = self.runs.iter().flat_map(Run::block_keys);
        let in_memory = (0..self.slots.len()).step_by(SAMPLE_EVERY).map(|at| self.at(at).0);
        of_runs.chain(in_memory).map(|key| &key[..key.len() - NUMBER_BYTES])
    }
}
