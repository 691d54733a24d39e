//! What is committed of one temporary table: the latest in memory, older parts in files where it
//! was too much.
//!
//! Invariants
//! 1. A state does not change: readers hold the one that was there when they began.
//! 2. A removal is kept only while there are files beneath that may have the key.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::RwLock;
use resources::budget::{SMALL_BYTES, Share};
use resources::spill::SpillDirectory;

use super::cursor::TemporaryCursor;
use super::tables::table_of_key;
use crate::error::{Error, Result, Wait};
use crate::local::{OwnCursor, SortedWrites, WRITE_OVERHEAD, merge_runs, spilled_write};
use crate::run::{Run, RunWriter, SeenWrite, Write};
use crate::schema::TableId;
use crate::store::{Change, Direction, KeyRange, Reach};

/// The part of the memory for clients that a table may take before it goes to a file.
const MEMORY_PART: usize = 16;
/// Entries of a range whose sizes are added up; more are taken for all that there are.
const MEASURED_MAX: usize = 1000;

/// The rows and entries of one table.
pub(crate) struct TemporaryRows {
    inner: RwLock<TableContents>,
}

struct TableContents {
    state: Arc<RowsOfTable>,
    share: Share,
}

/// One state of them.
#[derive(Clone, Default)]
pub(crate) struct RowsOfTable {
    recent: BTreeMap<Bytes, Write>,
    recent_bytes: usize,
    /// From the oldest on.
    runs: Vec<Arc<Run>>,
    run_bytes: usize,
}

impl TemporaryRows {
    pub fn new(share: Share) -> TemporaryRows {
        TemporaryRows { inner: RwLock::new(TableContents { state: Arc::default(), share }) }
    }

    /// The present state.
    pub fn state(&self) -> Arc<RowsOfTable> {
        Arc::clone(&self.inner.read().state)
    }

    /// Applies changes. Their memory is the session's from now on: whether it may have so much is
    /// asked before the next ones (`is_large`).
    pub fn apply(&self, changes: &[Change]) {
        let mut inner = self.inner.write();
        let state = Arc::make_mut(&mut inner.state);
        for change in changes {
            match change {
                Change::Put(key, value) => {
                    state.put(key, Write::Put(Bytes::copy_from_slice(value)))
                }
                Change::Delete(key) => state.remove(key),
                Change::DeleteRange(_) => *state = RowsOfTable::default(),
            }
        }
        inner.settle();
    }

    /// Whether it has more in memory than it should, of a budget of so many bytes.
    pub fn is_large(&self, bytes_max: usize, is_over: bool) -> bool {
        let bytes = self.inner.read().state.recent_bytes;
        bytes > bytes_max / MEMORY_PART || is_over && bytes > SMALL_BYTES
    }

    /// Moves what is in memory to a file.
    ///
    /// # Errors
    /// Of the file; everything is still there.
    pub fn spill(&self, directory: &Arc<SpillDirectory>) -> Result<()> {
        // Its session alone writes to it, and is here.
        let state = self.state();
        if state.recent.is_empty() {
            return Ok(());
        }
        let mut writer = RunWriter::new(directory, state.recent.len(), 0)?;
        for (key, write) in &state.recent {
            writer.add(key, write.seen())?;
        }
        let run = writer.finish()?;
        let mut next = RowsOfTable {
            runs: state.runs.clone(),
            run_bytes: state.run_bytes,
            ..RowsOfTable::default()
        };
        drop(state);
        let merged = next.push(run, directory);
        let mut inner = self.inner.write();
        inner.state = Arc::new(next);
        inner.settle();
        merged
    }

    /// Adds a file with newer writes than all that there are.
    ///
    /// # Errors
    /// Those of files; what it has is there all the same, unless it could not be read.
    pub fn add_file(&self, run: Run, directory: &Arc<SpillDirectory>) -> Result<()> {
        let spilled = self.spill(directory);
        let mut inner = self.inner.write();
        let state = Arc::make_mut(&mut inner.state);
        if !state.recent.is_empty() {
            // What is older could not be moved beneath it: it goes in one by one.
            let added = state.put_all(&run);
            inner.settle();
            return added.and(spilled);
        }
        let merged = state.push(run, directory);
        inner.settle();
        merged
    }
}

impl TableContents {
    fn settle(&mut self) {
        let bytes = self.state.recent_bytes + self.state.run_bytes;
        self.share.set(bytes);
    }
}

impl RowsOfTable {
    fn put(&mut self, key: &[u8], write: Write) {
        let added = cost(key, &write);
        self.recent_bytes += added;
        // A part of a transaction's memory would keep all of that.
        if let Some(before) = self.recent.insert(Bytes::copy_from_slice(key), write) {
            self.recent_bytes -= cost(key, &before);
        }
    }

    fn remove(&mut self, key: &[u8]) {
        if !self.runs.is_empty() {
            return self.put(key, Write::Removed);
        }
        if let Some(before) = self.recent.remove(key) {
            self.recent_bytes -= cost(key, &before);
        }
    }

    fn push(&mut self, run: Run, directory: &Arc<SpillDirectory>) -> Result<()> {
        self.run_bytes += run.bytes;
        self.runs.push(Arc::new(run));
        merge_runs(&mut self.runs, &mut self.run_bytes, directory, true)
    }

    fn put_all(&mut self, run: &Run) -> Result<()> {
        let mut cursor = run.cursor(&KeyRange::default(), Direction::Forward);
        while cursor.advance()? {
            match cursor.write().value() {
                Some(value) => {
                    self.put(cursor.key(), Write::Put(Bytes::copy_from_slice(value)));
                }
                None => self.remove(cursor.key()),
            }
        }
        Ok(())
    }

    /// The value under a key.
    ///
    /// # Errors
    /// `WouldWait` where it may be in a file and that is not allowed; those of files.
    pub fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        value.clear();
        if let Some(write) = self.recent.get(key) {
            value.extend_from_slice(write.value());
            return Ok(write.seen().value().is_some());
        }
        if self.runs.is_empty() {
            return Ok(false);
        }
        if reach == Reach::Memory {
            return Err(Error::WouldWait(Wait::Disk));
        }
        Ok(spilled_write(&self.runs, key, value)?.seen().value().is_some())
    }

    /// A cursor over a range of this state.
    pub(super) fn cursor(
        self: Arc<Self>,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> TemporaryCursor {
        TemporaryCursor::new(self, range, direction, reach)
    }

    /// All writes in a range, removals too.
    pub fn writes(&self, range: &KeyRange, direction: Direction) -> OwnCursor<'_> {
        OwnCursor::new(&self.recent, &self.runs, range, direction, false)
    }

    /// Whether some of it is in files.
    pub fn has_files(&self) -> bool {
        !self.runs.is_empty()
    }

    /// About how many bytes a range has.
    pub fn bytes_in(&self, range: &KeyRange) -> u64 {
        let files: u64 = self.runs.iter().map(|run| run.file_bytes()).sum();
        let whole = self.recent_bytes as u64 + files;
        if range.is_empty() {
            return 0;
        }
        let end = match &range.end[..] {
            [] => std::ops::Bound::Unbounded,
            end => std::ops::Bound::Excluded(end),
        };
        let start = std::ops::Bound::Included(&range.start[..]);
        let mut within = self.recent.range::<[u8], _>((start, end));
        let measured: usize =
            within.by_ref().take(MEASURED_MAX).map(|(key, write)| cost(key, write)).sum();
        match within.next().is_some() || files > 0 {
            true => whole,
            false => measured as u64,
        }
    }

    /// Writes sorted writes, at most so many, into files, one for each table.
    ///
    /// # Errors
    /// Those of files, and of the writes.
    pub fn write_files(
        writes: &mut SortedWrites<'_>,
        count: usize,
        directory: &Arc<SpillDirectory>,
    ) -> Result<Vec<(TableId, Run)>> {
        let mut files = Vec::new();
        let mut open: Option<(TableId, RunWriter)> = None;
        for write in writes {
            let (key, value) = write?;
            let Some(id) = table_of_key(&key) else { continue };
            if open.as_ref().is_none_or(|(of, _)| *of != id) {
                if let Some((of, writer)) = open.take() {
                    files.push((of, writer.finish()?));
                }
                open = Some((id, RunWriter::new(directory, count, 0)?));
            }
            if let Some((_, writer)) = &mut open {
                let write = value.as_deref().map_or(SeenWrite::Removed, SeenWrite::Put);
                writer.add(&key, write)?;
            }
        }
        if let Some((of, writer)) = open {
            files.push((of, writer.finish()?));
        }
        Ok(files)
    }
}

fn cost(key: &[u8], write: &Write) -> usize {
    WRITE_OVERHEAD + key.len() + write.value().len()
}
