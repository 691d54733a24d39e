//! A transaction's own writes: the latest in memory, older ones in runs if they were too many.
//!
//! Invariants
//! 1. A rollback to a position leaves what was buffered at that position, wherever it is.
//! 2. Each `RUNS_MERGED` runs of one level become one of the next, so that look-ups and scans
//!    meet few runs however much was written.
//! 3. After a failure of a file the writes are never committed.
//!
//! Not here: what lies beneath (`View`), when writes are spilled (`transaction`).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use resources::spill::SpillDirectory;

use super::chunks::Chunks;
use super::own::OwnCursor;
use super::undo::UndoLog;
use crate::error::{Error, Result};
use crate::run::{KeyHash, Run, RunWriter, SeenWrite, Write};
use crate::store::{Batch, Change, Direction, KeyRange};

/// Memory that one write takes besides its bytes: its share of a node, and of chunks that are not
/// full.
pub(crate) const WRITE_OVERHEAD: usize = 112;
/// Runs of one level before they are merged.
const RUNS_MERGED: usize = 8;

/// The writes in memory.
pub(crate) type Recent = BTreeMap<Bytes, Write>;

/// Own writes, and how to undo them.
#[derive(Default)]
pub(super) struct Overlay {
    recent: Recent,
    /// From the oldest on.
    runs: Vec<Arc<Run>>,
    undo: UndoLog,
    chunks: Chunks,
    recent_bytes: usize,
    run_bytes: usize,
    /// Where it was spilled to, and how many bytes at the first time.
    spilled: Option<(Arc<SpillDirectory>, usize)>,
    /// A file failed while that could not be told.
    broken: Option<Error>,
}

impl Overlay {
    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.recent.is_empty() && self.runs.is_empty() && self.broken.is_none()
    }

    /// Whether nothing was written in a range; `false` where that would have to be looked up.
    pub fn is_empty_in(&self, range: &KeyRange) -> bool {
        let within = (
            Bound::Included(&*range.start),
            match &*range.end {
                [] => Bound::Unbounded,
                end => Bound::Excluded(end),
            },
        );
        !self.is_spilled() && self.recent.range::<[u8], _>(within).next().is_none()
    }

    /// Whether there are writes that are not in memory, or cannot be known any more.
    pub fn is_spilled(&self) -> bool {
        !self.runs.is_empty() || self.broken.is_some()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.recent_bytes.max(self.chunks.bytes()) + self.run_bytes + self.undo.bytes()
    }

    /// Bytes of memory that `spill` frees.
    pub fn spillable_bytes(&self) -> usize {
        self.recent_bytes.max(self.chunks.bytes()) + self.undo.bytes()
    }

    /// The same writes, to be looked at only.
    pub fn frozen(&self) -> Overlay {
        let (recent, runs) = (self.recent.clone(), self.runs.clone());
        Overlay { recent, runs, ..Overlay::default() }
    }

    /// What was written under a key: `None` nothing, `false` a removal, `true` a value, which is
    /// then in `value`.
    ///
    /// # Errors
    /// Those of reading runs that were written to files.
    pub fn get(&self, key: &[u8], value: &mut Vec<u8>) -> Result<Option<bool>> {
        // A length check first: most transactions read before they write.
        if self.is_empty() {
            return Ok(None);
        }
        if let Some(write) = self.recent.get(key) {
            value.clear();
            value.extend_from_slice(write.value());
            return Ok(told(write.seen()));
        }
        Ok(match spilled(&self.runs, key, value)? {
            Write::Unwritten => None,
            write => told(write.seen()),
        })
    }

    /// Buffers a write; `None` is a removal.
    pub fn write(&mut self, key: Vec<u8>, value: Option<Vec<u8>>) {
        let key = self.chunks.keep(key);
        let write = value.map_or(Write::Removed, |value| Write::Put(self.chunks.keep(value)));
        let added = cost(&key, &write);
        match self.recent.entry(key) {
            Entry::Vacant(vacant) => {
                let mut value = Vec::new();
                match spilled(&self.runs, vacant.key(), &mut value) {
                    Ok(before) => self.undo.push(vacant.key(), &before),
                    Err(error) => {
                        self.broken.get_or_insert(error);
                    }
                }
                self.recent_bytes += added;
                vacant.insert(write);
            }
            Entry::Occupied(mut occupied) => {
                let before = occupied.insert(write);
                self.recent_bytes += added;
                self.recent_bytes -= cost(occupied.key(), &before);
                self.undo.push(occupied.key(), &before);
            }
        }
    }

    /// The position to which a rollback leads here.
    pub fn position(&self) -> usize {
        self.undo.position()
    }

    /// Takes back what was written since a position.
    pub fn undo_to(&mut self, position: usize) {
        if let Err(error) = self.try_undo_to(position) {
            self.broken.get_or_insert(error);
        }
        if self.recent.is_empty() {
            self.chunks.finish();
        }
    }

    fn try_undo_to(&mut self, position: usize) -> Result<()> {
        while self.undo.position() > position {
            let Some((key, before)) = self.undo.pop()? else { break };
            self.put_back(key, before);
            // What is taken back of a run is written again, and may be as much.
            if let Some((directory, bytes)) = &self.spilled
                && self.recent_bytes > *bytes
            {
                let directory = Arc::clone(directory);
                self.spill(&directory)?;
            }
        }
        Ok(())
    }

    fn put_back(&mut self, key: Bytes, before: Write) {
        let bytes = cost(&key, &before);
        let gone = if before == Write::Unwritten && self.runs.is_empty() {
            self.recent.remove(&key).map(|write| cost(&key, &write))
        } else {
            self.recent_bytes += bytes;
            let length = key.len();
            self.recent.insert(key, before).map(|write| cost_of(length, &write))
        };
        self.recent_bytes -= gone.unwrap_or(0);
    }

    /// All writes in key order, which is the order a store takes fastest. Only of writes that are
    /// not spilled.
    pub fn take(&mut self) -> Batch {
        debug_assert!(!self.is_spilled(), "spilled writes are no batch");
        self.undo.clear();
        self.chunks.finish();
        self.recent_bytes = 0;
        let recent = std::mem::take(&mut self.recent);
        let mut changes = Vec::with_capacity(recent.len());
        changes.extend(recent.into_iter().filter_map(|(key, write)| match write {
            Write::Put(value) => Some(Change::Put(key, value)),
            Write::Removed => Some(Change::Delete(key)),
            Write::Unwritten => None,
        }));
        Batch { changes }
    }

    /// Moves the writes in memory to a file.
    ///
    /// # Errors
    /// Of the file; the writes are as they were, and where they were.
    pub fn spill(&mut self, directory: &Arc<SpillDirectory>) -> Result<()> {
        if !self.recent.is_empty() {
            let mut writer = RunWriter::new(directory, self.recent.len(), 0)?;
            for (key, write) in &self.recent {
                writer.add(key, write.seen())?;
            }
            let run = writer.finish()?;
            let bytes = self.recent_bytes;
            self.spilled.get_or_insert_with(|| (Arc::clone(directory), bytes));
            self.run_bytes += run.bytes;
            self.runs.push(Arc::new(run));
            self.recent = Recent::new();
            self.recent_bytes = 0;
        }
        self.chunks.finish();
        self.undo.spill(directory)?;
        merge(&mut self.runs, &mut self.run_bytes, directory, false)
    }

    /// A position before all writes of a range.
    pub fn cursor(&self, range: &KeyRange, direction: Direction) -> OwnCursor<'_> {
        OwnCursor::new(&self.recent, &self.runs, range, direction, false)
    }

    /// Whether what was spilled is whole.
    ///
    /// # Errors
    /// The failure of a file since the first write, once.
    pub fn check(&mut self) -> Result<()> {
        self.broken.take().map_or(Ok(()), Err)
    }

    /// All writes in key order, for the store; `None` as a value is a removal.
    pub fn writes(&self) -> OverlayWrites<'_> {
        self.writes_in(&KeyRange::default())
    }

    /// The same of a range.
    pub fn writes_in(&self, range: &KeyRange) -> OverlayWrites<'_> {
        OverlayWrites(self.cursor(range, Direction::Forward))
    }
}

/// All writes, one after the other.
pub(super) struct OverlayWrites<'a>(OwnCursor<'a>);

impl Iterator for OverlayWrites<'_> {
    type Item = Result<(Vec<u8>, Option<Vec<u8>>)>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.0.advance() {
            Ok(true) => {
                let value = self.0.write().value().map(<[u8]>::to_vec);
                Some(Ok((self.0.key().to_vec(), value)))
            }
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

/// Merges the newest runs while there are enough of one level. `are_all`: nothing lies beneath the
/// oldest, so that removals need not be kept there.
pub(crate) fn merge(
    runs: &mut Vec<Arc<Run>>,
    run_bytes: &mut usize,
    directory: &Arc<SpillDirectory>,
    are_all: bool,
) -> Result<()> {
    loop {
        let Some(level) = runs.last().map(|run| run.level) else { return Ok(()) };
        let equal = runs.iter().rev().take_while(|run| run.level == level).count();
        if equal < RUNS_MERGED {
            return Ok(());
        }
        let first = runs.len() - equal;
        let merged = &runs[first..];
        let count = merged.iter().map(|run| run.count).sum();
        let mut writer = RunWriter::new(directory, count, level + 1)?;
        let (all, nothing) = (KeyRange::default(), Recent::new());
        // With nothing older beneath, what was taken back need not be told.
        let older = first > 0;
        let mut own = OwnCursor::new(&nothing, merged, &all, Direction::Forward, older);
        while own.advance()? {
            if older || !are_all || own.write() != SeenWrite::Removed {
                writer.add(own.key(), own.write())?;
            }
        }
        drop(own);
        let run = writer.finish()?;
        *run_bytes -= merged.iter().map(|run| run.bytes).sum::<usize>();
        *run_bytes += run.bytes;
        runs.truncate(first);
        runs.push(Arc::new(run));
    }
}

/// What the runs have under a key.
pub(crate) fn spilled(runs: &[Arc<Run>], key: &[u8], value: &mut Vec<u8>) -> Result<Write> {
    if runs.is_empty() {
        return Ok(Write::Unwritten);
    }
    let hash = KeyHash::of(key);
    for run in runs.iter().rev() {
        if let Some(kind) = run.get(hash, key, value)? {
            return Ok(Write::of(kind, value));
        }
    }
    Ok(Write::Unwritten)
}

fn told(write: SeenWrite<'_>) -> Option<bool> {
    match write {
        SeenWrite::Unwritten => None,
        SeenWrite::Removed => Some(false),
        SeenWrite::Put(_) => Some(true),
    }
}

fn cost(key: &[u8], write: &Write) -> usize {
    cost_of(key.len(), write)
}

fn cost_of(key_length: usize, write: &Write) -> usize {
    WRITE_OVERHEAD + key_length + write.value().len()
}
