//! Look-ups and scans, of the latest state or of a snapshot.
//!
//! `Reach::Memory` is memtables, cached blocks, and blocks whose pages the kernel has in memory
//! (`page_cache`).
//!
//! Not here: iterators that are used again (`spare`), as those of most scans are.

use rocksdb::{DB, DBRawIterator, ReadOptions, Snapshot};
use rows::error::{Error, Result, Wait};
use rows::store::{Cursor, Direction, KeyRange, Reach};

use crate::failure::of_read;
use crate::page_cache::memory_only;
use crate::spare::SpareCursor;
use crate::store::OpenDatabase;
use crate::tombstones::PassCount;

/// From this many keys on, one batched look-up is cheaper than single ones.
const BATCHED_MIN: usize = 4;
/// Bytes that are read at once by who goes through much.
const READ_AHEAD: usize = 256 << 10;

/// Options for the latest state, or for a snapshot, which must outlive what is returned.
pub(crate) fn read_options(snapshot: Option<&Snapshot<'_>>, reach: Reach) -> ReadOptions {
    let mut options = ReadOptions::default();
    if reach == Reach::Memory {
        memory_only(&mut options);
    }
    // Files that only a cursor still needs are deleted elsewhere, not while it is dropped.
    options.set_background_purge_on_iterator_cleanup(true);
    if let Some(snapshot) = snapshot {
        options.set_snapshot(snapshot);
    }
    options
}

/// Options of look-ups, made once: making them costs as much as a look-up.
pub(crate) struct Lookup {
    memory: ReadOptions,
    disk: ReadOptions,
}

impl Lookup {
    /// For the latest state, or for a snapshot, which must outlive what is returned.
    pub(crate) fn new(snapshot: Option<&Snapshot<'_>>) -> Lookup {
        let options = |reach| read_options(snapshot, reach);
        Lookup { memory: options(Reach::Memory), disk: options(Reach::Disk) }
    }

    fn options(&self, reach: Reach) -> &ReadOptions {
        match reach {
            Reach::Memory => &self.memory,
            Reach::Disk => &self.disk,
        }
    }

    pub(crate) fn get(
        &self,
        database: &DB,
        key: &[u8],
        reach: Reach,
        value: &mut Vec<u8>,
    ) -> Result<bool> {
        value.clear();
        let found = database.get_pinned_opt(key, self.options(reach));
        match found.map_err(|error| of_read("looking up a key", error))? {
            None => Ok(false),
            Some(bytes) => {
                value.extend_from_slice(&bytes);
                Ok(true)
            }
        }
    }

    pub(crate) fn get_many(
        &self,
        database: &DB,
        keys: &[Vec<u8>],
        reach: Reach,
        each: &mut dyn FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        // In memory a batched look-up gains next to nothing.
        if keys.len() < BATCHED_MIN || reach == Reach::Memory {
            let mut value = Vec::new();
            for (position, key) in keys.iter().enumerate() {
                let found = self.get(database, key, reach, &mut value)?;
                each(position, found.then_some(&value[..]))?;
            }
            return Ok(());
        }
        let Some(family) = database.cf_handle(rocksdb::DEFAULT_COLUMN_FAMILY_NAME) else {
            let source = "the default column family is not open".into();
            return Err(Error::Store { doing: "looking up keys", applied: Some(false), source });
        };
        let sorted = keys.is_sorted();
        let options = self.options(reach);
        let found = database.batched_multi_get_cf_opt(&family, keys, sorted, options);
        for (position, value) in found.into_iter().enumerate() {
            let value = value.map_err(|error| of_read("looking up keys", error))?;
            each(position, value.as_deref())?;
        }
        Ok(())
    }
}

/// A cursor on the latest state, or on a snapshot, which must outlive it.
pub(crate) fn scan<'a>(
    shared: &'a OpenDatabase,
    snapshot: Option<&Snapshot<'_>>,
    range: &KeyRange,
    direction: Direction,
    reach: Reach,
) -> Box<dyn Cursor + 'a> {
    if range.end.is_empty() || range.is_empty() {
        return cursor(shared, read_options(snapshot, reach), range, direction);
    }
    let moment = snapshot.map(Snapshot::sequence_number);
    Box::new(SpareCursor::new(shared, range, direction, moment, reach))
}

/// A cursor on a snapshot, for `Read::scan_once`.
pub(crate) fn scan_once<'a>(
    shared: &'a OpenDatabase,
    snapshot: &Snapshot<'_>,
    range: &KeyRange,
) -> Box<dyn Cursor + 'a> {
    let mut options = read_options(Some(snapshot), Reach::Disk);
    options.fill_cache(false);
    options.set_readahead_size(READ_AHEAD);
    cursor(shared, options, range, Direction::Forward)
}

fn cursor<'a>(
    shared: &'a OpenDatabase,
    mut options: ReadOptions,
    range: &KeyRange,
    direction: Direction,
) -> Box<dyn Cursor + 'a> {
    options.set_iterate_lower_bound(&range.start[..]);
    if !range.end.is_empty() {
        options.set_iterate_upper_bound(&range.end[..]);
    }
    let state = CursorState::first(range);
    let entries = shared.database.raw_iterator_opt(options);
    let (range, passing) = (range.clone(), PassCount::begin());
    Box::new(RocksCursor { entries, range, direction, state, passing, shared })
}

/// Where a cursor is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CursorState {
    Before,
    On,
    Done,
}

/// Where an iterator goes next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum IteratorStep {
    First,
    Last,
    Next,
    Previous,
}

impl CursorState {
    /// Of a cursor on a range.
    pub(crate) fn first(range: &KeyRange) -> CursorState {
        if range.is_empty() { CursorState::Done } else { CursorState::Before }
    }

    /// What its iterator does when it advances; `None` at the end.
    pub(crate) fn step(self, direction: Direction) -> Option<IteratorStep> {
        match (self, direction) {
            (CursorState::Before, Direction::Forward) => Some(IteratorStep::First),
            (CursorState::Before, Direction::Backward) => Some(IteratorStep::Last),
            (CursorState::On, Direction::Forward) => Some(IteratorStep::Next),
            (CursorState::On, Direction::Backward) => Some(IteratorStep::Previous),
            (CursorState::Done, _) => None,
        }
    }
}

impl OpenDatabase {
    /// Counts what a cursor passed over that goes away: it has gone through its range up to a key,
    /// or to its end.
    pub(crate) fn end_passing(
        &self,
        passing: &PassCount,
        (range, direction): (&KeyRange, Direction),
        at: Option<&[u8]>,
    ) {
        let gone_through = || {
            let KeyRange { start, end } = range.clone();
            match (at.map(<[u8]>::to_vec), direction) {
                (Some(key), Direction::Forward) => KeyRange { start, end: key },
                (Some(key), Direction::Backward) => KeyRange { start: key, end },
                (None, _) => KeyRange { start, end },
            }
        };
        if passing.end(&self.tombstones, gone_through) {
            self.syncing.note_hidden();
        }
    }
}

struct RocksCursor<'a> {
    entries: DBRawIterator<'a>,
    range: KeyRange,
    direction: Direction,
    state: CursorState,
    passing: PassCount,
    shared: &'a OpenDatabase,
}

impl Drop for RocksCursor<'_> {
    fn drop(&mut self) {
        let range = (&self.range, self.direction);
        self.shared.end_passing(&self.passing, range, self.entries.key());
    }
}

impl Cursor for RocksCursor<'_> {
    fn advance(&mut self) -> Result<bool> {
        match self.state.step(self.direction) {
            Some(IteratorStep::First) => self.entries.seek_to_first(),
            Some(IteratorStep::Last) => self.entries.seek_to_last(),
            Some(IteratorStep::Next) => self.entries.next(),
            Some(IteratorStep::Previous) => self.entries.prev(),
            None => return Ok(false),
        }
        if self.entries.valid() {
            self.state = CursorState::On;
            PassCount::show();
            return Ok(true);
        }
        self.state = CursorState::Done;
        match self.entries.status() {
            Ok(()) => Ok(false),
            Err(error) => Err(of_read("scanning", error)),
        }
    }

    fn key(&self) -> &[u8] {
        self.entries.key().unwrap_or_default()
    }

    fn value(&self) -> &[u8] {
        self.entries.value().unwrap_or_default()
    }

    fn entry(&self) -> (&[u8], &[u8]) {
        self.entries.item().unwrap_or_default()
    }
}

/// Whether an error says that the bytes are not in memory.
pub(crate) fn would_wait(error: &Error) -> bool {
    matches!(error, Error::WouldWait(Wait::Disk))
}
