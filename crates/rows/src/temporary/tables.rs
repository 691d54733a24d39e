//! What is committed of all temporary tables, by their ids.
//!
//! Invariants
//! 1. An id is of one table at a time; it is given again only after some billion others.
//! 2. What is written under an id that is no more is forgotten: a transaction may be committed
//!    after a table that it has written to was dropped.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use resources::budget::Share;
use resources::spill::SpillDirectory;

use super::rows_of_table::{RowsOfTable, TemporaryRows};
use crate::error::{Error, Result};
use crate::local::Passes;
use crate::run::Run;
use crate::schema::TableId;
use crate::store::{Change, Cursor, Direction, KeyRange, Reach, Read, TemporaryStore};
use crate::temporary_ids::{IDS, is_temporary_key};

/// Temporary tables of all sessions.
#[derive(Default)]
pub(crate) struct TemporaryTables {
    tables: RwLock<HashMap<TableId, Arc<TemporaryRows>, foldhash::fast::RandomState>>,
    next: Mutex<TableId>,
}

impl TemporaryTables {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.tables.read().len()
    }

    /// The rows of the table that a key is of.
    pub fn of_key(&self, key: &[u8]) -> Option<Arc<TemporaryRows>> {
        let id = TableId::from_be_bytes(*key.first_chunk()?);
        self.tables.read().get(&id).cloned()
    }

    /// The rows of a table.
    pub fn of(&self, id: TableId) -> Option<Arc<TemporaryRows>> {
        self.tables.read().get(&id).cloned()
    }

    /// Applies changes of a batch, those of temporary tables.
    pub fn apply(&self, changes: &[Change]) {
        let is_of_one = |one: &Change, next: &Change| table_of(one) == table_of(next);
        for of_table in changes.chunk_by(is_of_one) {
            if let Some(rows) = table_of(&of_table[0]).and_then(|id| self.of(id)) {
                rows.apply(of_table);
            }
        }
    }

    /// Writes sorted writes of a transaction into files, one for each table; they show only when
    /// `publish` is called with them.
    ///
    /// # Errors
    /// Those of files.
    pub fn write_files(
        &self,
        writes: &Passes<'_>,
        directory: &Arc<SpillDirectory>,
    ) -> Result<Vec<(TableId, Run)>> {
        // For the filters: look-ups pass over files that do not have a key.
        let count = writes().count();
        RowsOfTable::write_files(&mut *writes(), count, directory)
    }

    /// Makes such files the newest part of their tables.
    ///
    /// # Errors
    /// Those of files: they are merged where they are many, and are there anyway.
    pub fn publish(
        &self,
        files: Vec<(TableId, Run)>,
        directory: &Arc<SpillDirectory>,
    ) -> Result<()> {
        files.into_iter().try_for_each(|(id, run)| match self.of(id) {
            Some(rows) => rows.add_file(run, directory),
            None => Ok(()),
        })
    }

    /// About how many bytes a range has.
    pub fn bytes_in(&self, range: &KeyRange) -> u64 {
        self.of_key(&range.start).map_or(0, |rows| rows.state().bytes_in(range))
    }
}

impl TemporaryStore for TemporaryTables {
    fn begin(&self, share: Share) -> Result<TableId> {
        let mut next = self.next.lock();
        let mut tables = self.tables.write();
        if tables.len() as u64 >= u64::from(IDS.end - IDS.start) {
            return Err(Error::Exhausted);
        }
        let mut id = (*next).max(IDS.start);
        while tables.contains_key(&id) {
            id = behind(id);
        }
        *next = behind(id);
        tables.insert(id, Arc::new(TemporaryRows::new(share)));
        Ok(id)
    }

    fn end(&self, id: TableId) {
        let gone = self.tables.write().remove(&id);
        // Files are removed after the lock is free.
        drop(gone);
    }

    fn is_large(&self, id: TableId, bytes_max: usize, is_over: bool) -> bool {
        self.of(id).is_some_and(|rows| rows.is_large(bytes_max, is_over))
    }

    fn spill(&self, id: TableId, directory: &Arc<SpillDirectory>) -> Result<()> {
        self.of(id).map_or(Ok(()), |rows| rows.spill(directory))
    }
}

fn behind(id: TableId) -> TableId {
    if id + 1 < IDS.end { id + 1 } else { IDS.start }
}

/// The table that a change of one key is of.
fn table_of(change: &Change) -> Option<TableId> {
    let key = match change {
        Change::Put(key, _) | Change::Delete(key) => key,
        Change::DeleteRange(range) => return table_of_key(&range.start),
    };
    table_of_key(key)
}

pub(super) fn table_of_key(key: &[u8]) -> Option<TableId> {
    is_temporary_key(key).then(|| key.first_chunk().copied().map(TableId::from_be_bytes)).flatten()
}

/// What is committed.
impl Read for TemporaryTables {
    fn get(&self, key: &[u8], reach: Reach, value: &mut Vec<u8>) -> Result<bool> {
        value.clear();
        self.of_key(key).map_or(Ok(false), |rows| rows.state().get(key, reach, value))
    }

    fn scan<'a>(
        &'a self,
        range: &KeyRange,
        direction: Direction,
        reach: Reach,
    ) -> Result<Box<dyn Cursor + 'a>> {
        let state = self.of_key(&range.start).map(|rows| rows.state()).unwrap_or_default();
        Ok(Box::new(state.cursor(range, direction, reach)))
    }
}
