//! Records in the order of their keys: iteration, and keys that begin alike.
//!
//! Invariants
//! 1. Each connection has a cursor of its own, where the original had one for all clients.
//! 2. An iteration visits every record once that is there from its beginning to its end; one that
//!    comes or goes meanwhile is visited or not.
//! 3. A scan whose client has left ends after a few rows, also when none of them is wanted.
//!
//! Not here: which records are wanted by what else (`misc`).

use std::ops::ControlFlow;

use resources::interrupt;
use rows::store::{Direction, KeyRange};
use rows::{Flow, FoundRow};
use values::RowRef;

use crate::memcached::rights::ItemRights;
use crate::tyrant::command::{TyrantFailure, TyrantTrouble};
use crate::tyrant::execute::{TyrantRows, count_reply};

/// Bytes of records after which no further ones are taken at once.
const RECORDS_BYTES: usize = 1 << 20;
/// Records of which one asks whether the scan is to go on.
const UNASKED: usize = 256;

/// Where an iteration stands, as row keys.
#[derive(Debug, Default)]
pub enum KeyCursor {
    /// Nowhere: it has not begun, or has ended.
    #[default]
    Ended,
    /// Before the first record.
    Start,
    /// Before the record with this row key, or the next one.
    At(Vec<u8>),
    /// Behind the record with this row key.
    After(Vec<u8>),
}

impl KeyCursor {
    /// Begins again.
    pub fn restart(&mut self) {
        *self = KeyCursor::Start;
    }

    /// From which row key on it goes on; `None` at its end.
    fn start(&self) -> Option<Vec<u8>> {
        Some(match self {
            KeyCursor::Ended => return None,
            KeyCursor::Start => Vec::new(),
            KeyCursor::At(row_key) => row_key.clone(),
            KeyCursor::After(row_key) => [row_key, &[0][..]].concat(),
        })
    }
}

impl TyrantRows<'_, '_> {
    /// Sets the cursor before a key, or the next one.
    ///
    /// # Errors
    /// `Missing` when no row can have such a key.
    pub fn iterate_from(&mut self, key: &[u8]) -> Result<(), TyrantTrouble> {
        let mut row_key = Vec::new();
        if !self.database.push_row_key(key, &mut row_key)? {
            return Err(TyrantFailure::Missing.into());
        }
        *self.cursor = KeyCursor::At(row_key);
        Ok(())
    }

    /// Shows the cursor's record and moves it on.
    ///
    /// # Errors
    /// `Missing` at the end; see `TyrantTrouble`.
    pub fn next_record(&mut self, show: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), TyrantTrouble> {
        let start = self.cursor.start().ok_or(TyrantFailure::Missing)?;
        let mut found = None;
        let database = self.database;
        self.scan(start, &mut |row_key, key, row| {
            found = Some(row_key.to_vec());
            show(key, &database.value(row)?);
            Ok(ControlFlow::Break(()))
        })?;
        match found {
            Some(row_key) => {
                *self.cursor = KeyCursor::After(row_key);
                Ok(())
            }
            None => {
                *self.cursor = KeyCursor::Ended;
                Err(TyrantFailure::Missing.into())
            }
        }
    }

    /// The next records of a cursor, at most so many, and moves it on; none at its end.
    ///
    /// # Errors
    /// See `TyrantTrouble`.
    pub fn next_records(
        &mut self,
        cursor: &mut KeyCursor,
        most: usize,
    ) -> Result<Vec<(Vec<u8>, Vec<u8>)>, TyrantTrouble> {
        let Some(start) = cursor.start() else { return Ok(Vec::new()) };
        let (mut records, mut last, mut bytes) = (Vec::new(), None, 0);
        let database = self.database;
        self.scan(start, &mut |row_key, key, row| {
            let value = database.value(row)?;
            bytes += key.len() + value.len();
            records.push((key.to_vec(), value.into_owned()));
            last = Some(row_key.to_vec());
            Ok(match records.len() < most && bytes < RECORDS_BYTES {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            })
        })?;
        *cursor = last.map_or(KeyCursor::Ended, KeyCursor::After);
        Ok(records)
    }

    /// Shows keys that begin so, in order where the table's keys are bytes. `show` gives the bytes
    /// of the reply so far.
    ///
    /// # Errors
    /// See `TyrantTrouble`; `Server` when the reply gets too large.
    pub fn keys_with_prefix(
        &mut self,
        prefix: &[u8],
        keys_max: usize,
        show: &mut dyn FnMut(&[u8]) -> usize,
    ) -> Result<(), TyrantTrouble> {
        let ordered = self.database.has_raw_keys();
        if keys_max > self.turn.limits().rows_seen || !ordered {
            self.needs_time()?;
        }
        let mut start = Vec::new();
        if ordered && !self.database.push_row_key(prefix, &mut start)? {
            return Ok(());
        }
        let (engine, mut reply) = (self.turn.engine(), self.reply.take());
        let mut left = keys_max;
        self.scan(start, &mut |_, key, _| {
            if left == 0 {
                return Ok(ControlFlow::Break(()));
            }
            if key.starts_with(prefix) {
                count_reply(engine, &mut reply, show(key))?;
                left -= 1;
            } else if ordered {
                return Ok(ControlFlow::Break(()));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        self.reply = reply;
        Ok(())
    }

    /// Visits records from a row key on: row key, key and row.
    ///
    /// # Errors
    /// See `TyrantTrouble`.
    pub fn scan(
        &mut self,
        start: Vec<u8>,
        visit: &mut dyn FnMut(&[u8], &[u8], &RowRef<'_>) -> rows::Result<ControlFlow<()>>,
    ) -> Result<(), TyrantTrouble> {
        self.may(ItemRights::READ, None)?;
        let database = self.database;
        let mut range = database.table().index_range(0);
        // A key of the time before the table was emptied or rebuilt stands in another range.
        if !start.is_empty() && !start.starts_with(&range.start) {
            return self.may_read();
        }
        range.start = range.start.max(start);
        self.visit(0, &range, &mut |found| visit(found.key, &database.key(&found.row)?, &found.row))
    }

    /// Visits rows in a range of an index, until the client has left or the server stops.
    fn visit(
        &mut self,
        index: usize,
        range: &KeyRange,
        visit: &mut dyn FnMut(FoundRow<'_>) -> rows::Result<ControlFlow<()>>,
    ) -> Result<(), TyrantTrouble> {
        let (engine, reach, table) = (self.turn.engine(), self.turn.reach(), self.database.table());
        let (mut visited, mut interrupted) = (0_usize, false);
        let view = self.view()?;
        engine.find(view, table, index, range, Direction::Forward, reach, &mut |found| {
            visited += 1;
            interrupted = visited.is_multiple_of(UNASKED) && interrupt::is_wanted();
            Ok(match interrupted || visit(found)?.is_break() {
                true => Flow::Stop,
                false => Flow::Continue,
            })
        })?;
        match interrupted {
            true => Err(TyrantFailure::Server("interrupted".into()).into()),
            false => Ok(()),
        }
    }
}
