//! Look-ups, of the latest state or of a snapshot, and what they have in common with scans.
//!
//! `Reach::Memory` is memtables, cached blocks, and blocks whose pages the kernel has in memory
//! (`page_cache`).
//!
//! Not here: scans (`cursors`).

use rocksdb::{DB, ReadOptions, Snapshot};
use rows::error::{Error, Result, Wait};
use rows::store::{Direction, KeyRange, Reach};

use crate::internals::failure::of_read;
use crate::internals::page_cache::memory_only;
use crate::internals::spare::IteratorStep;

/// From this many keys on, one batched look-up is cheaper than single ones.
const BATCHED_MIN: usize = 4;

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

/// Where a cursor is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CursorState {
    Before,
    On,
    Done,
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

/// Whether an error says that the bytes are not in memory.
pub(crate) fn would_wait(error: &Error) -> bool {
    matches!(error, Error::WouldWait(Wait::Disk))
}
