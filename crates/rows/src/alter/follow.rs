//! What is made of a table follows what writers have changed since it was made.
//!
//! The rows that were changed between two states are known (`table::changes`). Each is read as it
//! was and as it is: what it had goes, then what it has comes. Nobody else touches what is made, so
//! between two rounds it is exactly that of a state of the table.
//!
//! Invariants
//! 1. After a round what is made is that of the state that the round was for.
//! 2. All that goes has gone before anything comes where keys must be unique: rows may have handed a
//!    key on to each other. One that is there then belongs to a row that has it.
//! 3. A row may be followed several times in a round, since its notes need not lie together; the
//!    second time nothing is left to be done.
//!
//! Not here: what is made of a row (`making`), of the first state (`fill`), when rounds take place
//! (`online`).

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use super::fill::Fill;
use super::making::{Made, MadeWhat, RowSeen};
use crate::error::{Error, Result};
use crate::find::row_at;
use crate::interrupt;
use crate::schema::IndexId;
use crate::store::{Batch, Change, Durability, Reach, Read};
use crate::table::{ChangedTo, LoggedRows};

/// Notes that are read at once.
const NOTES_MAX: usize = 1024;
/// Bytes of a batch, but for its last row.
const BATCH_BYTES_MAX: usize = 1 << 20;

/// What has followed so far.
pub(super) struct Follow<'a> {
    of: Fill<'a>,
    /// The number of the notes of changed rows.
    log: IndexId,
    /// The state of the table of which it is made.
    state: Arc<dyn Read>,
    /// Rows that have come to a copy since the first state; fewer if they went.
    rows: i64,
    piece: Piece,
    /// A row as it was, and as it is.
    old: Vec<u8>,
    new: Vec<u8>,
}

/// What is done in a pass over the changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Remove,
    Add,
    /// Both at once, where no two rows can have one key.
    Both,
}

/// Changes that are not in the store yet.
#[derive(Default)]
struct Piece {
    changes: Vec<Change>,
    bytes: usize,
    /// Keys that must be unique, and their values.
    unique: HashMap<Vec<u8>, Vec<u8>>,
}

impl Piece {
    fn push(&mut self, change: Change) {
        self.bytes += match &change {
            Change::Put(key, value) => key.len() + value.len(),
            Change::Delete(key) => key.len(),
            Change::DeleteRange(range) => range.start.len() + range.end.len(),
        };
        self.changes.push(change);
    }
}

impl<'a> Follow<'a> {
    /// Of what was made of a state.
    pub fn from(of: Fill<'a>, log: IndexId, state: Arc<dyn Read>) -> Follow<'a> {
        let (piece, old, new) = (Piece::default(), Vec::new(), Vec::new());
        Follow { of, log, state, rows: 0, piece, old, new }
    }

    /// Follows what was changed up to now; how many changes that were.
    ///
    /// # Errors
    /// `Duplicate` when two rows share a unique key now; `Value`, `NullValue` and `TooLarge` when a
    /// row does not fit; `LockTimeout` when it was interrupted; those of the store.
    pub fn round(&mut self) -> Result<u64> {
        let now = self.of.engine.store().snapshot()?;
        let count = if self.of.making.is_unique() {
            self.pass(&*now, Pass::Remove)?;
            self.pass(&*now, Pass::Add)?
        } else {
            self.pass(&*now, Pass::Both)?
        };
        self.state = now;
        Ok(count)
    }

    /// How many rows have come to a copy since the first state; fewer if they went.
    pub fn rows(&self) -> i64 {
        self.rows
    }

    fn pass(&mut self, now: &dyn Read, pass: Pass) -> Result<u64> {
        let mut logged = LoggedRows::of(now, self.of.making.table(), self.log)?;
        let (mut notes, mut row_keys) = (Vec::new(), Vec::new());
        let mut count = 0;
        while logged.next(NOTES_MAX, &mut notes, &mut row_keys)? {
            if interrupt::is_wanted() {
                return Err(Error::LockTimeout);
            }
            for row_key in &row_keys {
                self.follow(now, pass, row_key)?;
                if self.piece.bytes >= BATCH_BYTES_MAX {
                    self.write()?;
                }
            }
            if pass != Pass::Remove {
                count += notes.len() as u64;
                self.of.progress.add(notes.len() as u64);
                notes.drain(..).for_each(|note| self.piece.push(Change::Delete(note)));
            }
            self.write()?;
        }
        Ok(count)
    }

    fn write(&mut self) -> Result<()> {
        let batch = Batch { changes: std::mem::take(&mut self.piece).changes };
        // Synced with what makes all of it be used.
        self.of.engine.store().write(&batch, Durability::Os)
    }

    /// The changes of what one row has.
    fn follow(&mut self, now: &dyn Read, pass: Pass, row_key: &[u8]) -> Result<()> {
        let making = self.of.making;
        let before = match self.state.get(row_key, Reach::Disk, &mut self.old)? {
            true => making.made_of(row_key, &self.old, RowSeen::Before)?,
            false => Vec::new(),
        };
        if pass == Pass::Remove && before.is_empty() {
            return Ok(());
        }
        let after = match now.get(row_key, Reach::Disk, &mut self.new)? {
            true => making.made_of(row_key, &self.new, RowSeen::Now)?,
            false => Vec::new(),
        };
        let (mut before, mut after) = (before.into_iter().peekable(), after.into_iter().peekable());
        loop {
            let order = match (before.peek(), after.peek()) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(old), Some(new)) => old.key.cmp(&new.key),
            };
            let gone = if order.is_le() { before.next() } else { None };
            let come = if order.is_ge() { after.next() } else { None };
            match (gone, come) {
                (Some(gone), None) if pass != Pass::Add => self.remove(gone)?,
                (None, Some(come)) if pass != Pass::Remove => self.add(row_key, come)?,
                (Some(gone), Some(come)) if pass != Pass::Remove && gone != come => {
                    self.put(come)?
                }
                _ => {}
            }
        }
    }

    fn remove(&mut self, made: Made) -> Result<()> {
        if made.what == MadeWhat::Row {
            let mut value = Vec::new();
            if self.of.engine.latest().get(&made.key, Reach::Disk, &mut value)? {
                self.rows -= 1;
            }
            self.note_columns(&made.key, None)?;
        }
        self.piece.push(Change::Delete(made.key));
        Ok(())
    }

    /// Adds what a row did not have before, of which the key may be another's.
    fn add(&mut self, row_key: &[u8], made: Made) -> Result<()> {
        if made.unique || made.what == MadeWhat::Row {
            let found = self.found(&made.key)?;
            // It is this row's own where the row was followed already in this round.
            if made.unique && found.as_ref().is_some_and(|value| *value != made.value) {
                let index = match made.what {
                    MadeWhat::Entry(index) => index,
                    MadeWhat::Row | MadeWhat::Memory => 0,
                };
                return Err(self.of.making.duplicate(index, row_key, &self.new)?);
            }
            if made.what == MadeWhat::Row && found.is_none() {
                self.rows += 1;
            }
        }
        if made.unique {
            self.piece.unique.insert(made.key.clone(), made.value.clone());
        }
        self.put(made)
    }

    /// What is there under a key, or will be.
    fn found(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        if let Some(value) = self.piece.unique.get(key) {
            return Ok(Some(value.clone()));
        }
        let mut value = Vec::new();
        let found = self.of.engine.latest().get(key, Reach::Disk, &mut value)?;
        Ok(found.then_some(value))
    }

    fn put(&mut self, made: Made) -> Result<()> {
        if made.what == MadeWhat::Row {
            self.note_columns(&made.key, Some(&made.value))?;
        }
        self.piece.push(Change::Put(made.key, made.value));
        Ok(())
    }

    /// Tells the columnar index of a copy, if it has one, that a row changes or goes.
    fn note_columns(&mut self, key: &[u8], row: Option<&[u8]>) -> Result<()> {
        let next = self.of.making.next();
        if next.columnar_index.is_none() {
            return Ok(());
        }
        let version = || self.of.engine.next_version();
        let note = match row {
            None => next.column_note(key, ChangedTo::Nothing, version),
            Some(row) => {
                let row = row_at(next, key, row)?.values()?;
                next.column_note(key, ChangedTo::Row(&row, None), version)
            }
        };
        if let Some((key, value)) = note {
            self.piece.push(Change::Put(key, value));
        }
        Ok(())
    }
}
