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
use std::ops::Range;
use std::sync::Arc;

use values::interrupt;

use super::fill::Fill;
use super::making::{Made, MadeWhat, RowSeen};
use crate::error::{Error, Result};
use crate::find::row_at;
use crate::schema::IndexId;
use crate::store::{Batch, Change, Durability, Reach, Read};
use crate::table::{ChangedTo, LoggedRows};

/// Notes that are read at once.
const NOTES_MAX: usize = 1024;
/// Bytes of a batch, but for its last row.
const BATCH_BYTES_MAX: usize = 1 << 20;
/// Bytes of rows that are looked up together, but for those of the last look-up.
const LOOKED_UP_BYTES_MAX: usize = 4 << 20;
/// Rows of the first look-up.
const LOOKED_UP_FIRST: usize = 8;

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

/// Rows of a state of the table, looked up together: those of a columnar table lie in segments, of
/// which many rows cost hardly more than one.
#[derive(Default)]
struct LookedUp {
    bytes: Vec<u8>,
    /// Of the first keys, by position; the others are read one by one.
    rows: Vec<Option<Range<usize>>>,
}

impl LookedUp {
    /// Looks up rows, until they have a number of bytes. A store may have all rows of one look-up in
    /// memory, so it is asked for few until it is known how large they are.
    fn read(&mut self, state: &dyn Read, row_keys: &[Vec<u8>]) -> Result<()> {
        let LookedUp { bytes, rows } = self;
        bytes.clear();
        rows.clear();
        let mut count = LOOKED_UP_FIRST;
        while rows.len() < row_keys.len() && bytes.len() < LOOKED_UP_BYTES_MAX {
            let next = &row_keys[rows.len()..row_keys.len().min(rows.len() + count)];
            state.get_many(next, Reach::Disk, &mut |_, row| {
                rows.push(row.map(|row| {
                    let start = bytes.len();
                    bytes.extend_from_slice(row);
                    start..bytes.len()
                }));
                Ok(())
            })?;
            count *= 2;
        }
        Ok(())
    }

    /// The row of the key at a position, which is in `alone` if it was not looked up.
    fn row<'b>(
        &'b self,
        state: &dyn Read,
        (at, row_key): (usize, &[u8]),
        alone: &'b mut Vec<u8>,
    ) -> Result<Option<&'b [u8]>> {
        if let Some(known) = self.rows.get(at) {
            return Ok(known.clone().map(|range| &self.bytes[range]));
        }
        let is_there = state.get(row_key, Reach::Disk, alone)?;
        Ok(is_there.then_some(&alone[..]))
    }
}

impl<'a> Follow<'a> {
    /// Of what was made of a state.
    pub fn from(of: Fill<'a>, log: IndexId, state: Arc<dyn Read>) -> Follow<'a> {
        Follow { of, log, state, rows: 0, piece: Piece::default() }
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
        let (mut old_rows, mut new_rows) = (LookedUp::default(), LookedUp::default());
        let (mut old, mut new) = (Vec::new(), Vec::new());
        let state = Arc::clone(&self.state);
        let mut count = 0;
        while logged.next(NOTES_MAX, &mut notes, &mut row_keys)? {
            if interrupt::is_wanted() {
                return Err(Error::LockTimeout);
            }
            old_rows.read(&*state, &row_keys)?;
            new_rows.read(now, &row_keys)?;
            for key in row_keys.iter().map(Vec::as_slice).enumerate() {
                let before = old_rows.row(&*state, key, &mut old)?;
                let after = new_rows.row(now, key, &mut new)?;
                self.follow(pass, key.1, before, after)?;
                if self.piece.bytes >= BATCH_BYTES_MAX {
                    self.write()?;
                }
            }
            if pass != Pass::Remove {
                count += notes.len() as u64;
                self.of.progress.add(notes.len() as u64);
                notes.drain(..).for_each(|note| self.piece.push(Change::delete(note)));
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

    /// The changes of what one row has, which was and is as said.
    fn follow(
        &mut self,
        pass: Pass,
        row_key: &[u8],
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<()> {
        let making = self.of.making;
        let made = |row: Option<&[u8]>, seen| match row {
            Some(row) => making.made_of(row_key, row, seen),
            None => Ok(Vec::new()),
        };
        let before = made(old, RowSeen::Before)?;
        if pass == Pass::Remove && before.is_empty() {
            return Ok(());
        }
        let after = made(new, RowSeen::Now)?;
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
                (None, Some(come)) if pass != Pass::Remove => {
                    self.add((row_key, new.unwrap_or_default()), come)?
                }
                (Some(gone), Some(come)) if pass != Pass::Remove && gone != come => {
                    self.put(come)?
                }
                _ => {}
            }
        }
    }

    fn remove(&mut self, made: Made) -> Result<()> {
        if made.what == MadeWhat::Row {
            if self.is_there(&made.key)? {
                self.rows -= 1;
            }
            self.note_columns(&made.key, None)?;
        }
        self.piece.push(Change::delete(made.key));
        Ok(())
    }

    /// Adds what a row did not have before, of which the key may be another's.
    fn add(&mut self, (row_key, row): (&[u8], &[u8]), made: Made) -> Result<()> {
        if made.unique {
            // It is this row's own where the row was followed already in this round.
            if self.found(&made.key)?.is_some_and(|value| value != made.value) {
                let index = match made.what {
                    MadeWhat::Entry(index) => index,
                    MadeWhat::Row | MadeWhat::Memory => 0,
                };
                return Err(self.of.making.duplicate(index, row_key, row)?);
            }
            self.piece.unique.insert(made.key.clone(), made.value.clone());
        }
        if made.what == MadeWhat::Row && !self.is_there(&made.key)? {
            self.rows += 1;
        }
        self.put(made)
    }

    /// Whether a copied row is there already: within a round a row may be met twice.
    fn is_there(&self, key: &[u8]) -> Result<bool> {
        self.of.engine.latest().contains(key, Reach::Disk)
    }

    /// What is there under a key that must be unique, or will be.
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
        self.piece.push(Change::put(made.key, made.value));
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
            self.piece.push(Change::put(key, value));
        }
        Ok(())
    }
}
