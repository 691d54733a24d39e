//! New indexes follow what writers have changed since their entries were made.
//!
//! The rows that were changed between two states are known (`table::changes`). Each is read as it
//! was and as it is: the entries that it had go, then those come that it has. Nobody else
//! touches these indexes, so between two rounds they are exactly those of a state of the table.
//!
//! Invariants
//! 1. After a round the indexes are those of the state that the round was for.
//! 2. All entries that go have gone before any comes where keys must be unique: rows may have
//!    handed a key on to each other. One that is there then belongs to a row that has it.
//!
//! Not here: the entries of the first state (`fill`), when rounds take place (`online`).

use std::collections::HashMap;
use std::sync::Arc;

use super::fill::Fill;
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::find::row_at;
use crate::interrupt;
use crate::schema::IndexId;
use crate::store::{Batch, Change, Durability, Reach, Read};
use crate::table::{Entry, LoggedRows, MemberEntry};
use crate::transaction::duplicate;

/// Changes that are followed by one batch.
const NOTES_MAX: usize = 1024;

/// What new indexes have followed so far.
pub(super) struct Follow<'a> {
    of: Fill<'a>,
    /// The number of the notes of changed rows.
    log: IndexId,
    /// The state of the table whose indexes these are.
    state: Arc<dyn Read>,
}

/// What is done in a pass over the changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Remove,
    Add,
    /// Both at once, where no two rows can have one key.
    Both,
}

/// What a row's new entries are looked for in, beside the store.
#[derive(Default)]
struct Piece {
    changes: Vec<Change>,
    /// Entries that must be unique.
    unique: HashMap<Vec<u8>, Vec<u8>>,
}

impl<'a> Follow<'a> {
    /// Of indexes that were filled as of a state.
    pub fn from(of: Fill<'a>, log: IndexId, state: Arc<dyn Read>) -> Follow<'a> {
        Follow { of, log, state }
    }

    /// Follows what was changed up to now; how many changes that were.
    ///
    /// # Errors
    /// `Duplicate` when two rows share a unique key now; `TooLarge`; `LockTimeout` when it was
    /// interrupted; those of the store.
    pub fn round(&mut self) -> Result<u64> {
        let now = self.of.engine.store().snapshot()?;
        let codecs = &self.of.next.codecs;
        let is_unique = |index: &usize| codecs.get(*index).is_some_and(|codec| codec.unique);
        let count = if self.of.indexes.iter().any(is_unique) {
            self.pass(&*now, Pass::Remove)?;
            self.pass(&*now, Pass::Add)?
        } else {
            self.pass(&*now, Pass::Both)?
        };
        self.state = now;
        Ok(count)
    }

    fn pass(&self, now: &dyn Read, pass: Pass) -> Result<u64> {
        let mut logged = LoggedRows::of(now, self.of.next, self.log)?;
        let (mut notes, mut row_keys) = (Vec::new(), Vec::new());
        let mut count = 0;
        while logged.next(NOTES_MAX, &mut notes, &mut row_keys)? {
            if interrupt::is_wanted() {
                return Err(Error::LockTimeout);
            }
            let mut piece = Piece::default();
            for row_key in &row_keys {
                self.follow(now, pass, row_key, &mut piece)?;
            }
            if pass != Pass::Remove {
                count += notes.len() as u64;
                self.of.progress.add(notes.len() as u64);
                piece.changes.extend(notes.drain(..).map(Change::Delete));
            }
            let batch = Batch { changes: piece.changes };
            // Synced with what makes the indexes be used.
            self.of.engine.store().write(&batch, Durability::Os)?;
        }
        Ok(count)
    }

    /// The changes of one row's entries.
    fn follow(&self, now: &dyn Read, pass: Pass, row_key: &[u8], piece: &mut Piece) -> Result<()> {
        let next = self.of.next;
        let (mut old, mut new) = (Vec::new(), Vec::new());
        let was_there = self.state.get(row_key, Reach::Disk, &mut old)?;
        let is_there = now.get(row_key, Reach::Disk, &mut new)?;
        let old = if was_there { Some(row_at(next, row_key, &old)?.values()?) } else { None };
        let new = if is_there { Some(row_at(next, row_key, &new)?.values()?) } else { None };
        for &index in self.of.indexes.iter().filter(|index| **index < next.codecs.len()) {
            let entry = |row: &Option<Vec<_>>| -> Result<Option<Entry>> {
                row.as_ref().map(|row| next.entry(index, row, row_key)).transpose()
            };
            let (before, after) = (entry(&old)?, entry(&new)?);
            if before == after {
                continue;
            }
            if pass != Pass::Add
                && let Some(before) = before
            {
                piece.changes.push(Change::Delete(before.key));
            }
            if pass != Pass::Remove
                && let (Some(after), Some(row)) = (after, &new)
            {
                if after.unique && !self.is_free(&after, piece)? {
                    return Err(duplicate(next, index, row));
                }
                piece.changes.push(Change::Put(after.key, after.value));
            }
        }
        if next.member_codecs.is_empty() {
            return Ok(());
        }
        let entries = |row: &Option<Vec<Datum<'_>>>| -> Result<Vec<MemberEntry>> {
            let all = row.as_ref().map(|row| next.member_entries(row, row_key)).transpose()?;
            let is_new =
                |entry: &MemberEntry| self.of.indexes.contains(&(next.codecs.len() + entry.index));
            Ok(all.unwrap_or_default().into_iter().filter(is_new).collect())
        };
        if pass != Pass::Add {
            let before = entries(&old)?.into_iter();
            piece.changes.extend(before.map(|entry| Change::Delete(entry.key)));
        }
        if pass != Pass::Remove {
            let after = entries(&new)?.into_iter();
            piece.changes.extend(after.map(|entry| Change::Put(entry.key, entry.value.to_vec())));
        }
        Ok(())
    }

    /// Whether no other row has a key; it is taken then.
    fn is_free(&self, entry: &Entry, piece: &mut Piece) -> Result<bool> {
        if let Some(value) = piece.unique.get(&entry.key) {
            return Ok(*value == entry.value);
        }
        let mut value = Vec::new();
        let found = self.of.engine.latest().get(&entry.key, Reach::Disk, &mut value)?;
        piece.unique.insert(entry.key.clone(), entry.value.clone());
        // It is this row's own where the row was changed, and followed, several times.
        Ok(!found || value == entry.value)
    }
}
