//! What is made of a table follows what writers have changed since it was made.
//!
//! The rows that were changed between two states are known (`table::changes`). What each was and
//! is, its notes say or it is looked up in both states: what it had goes, then what it has comes.
//! Nobody else touches what is made, so between two rounds it is exactly that of a state of the
//! table.
//!
//! Writers may be as quick as the thread that follows them: a round then takes as long as the
//! changes that it follows took to be made, and leaves as many. Where it takes half as long,
//! writers are kept waiting for a moment, and again and again (`pulse`), and more of the time when
//! it takes longer still: none of them waits for as long as a last round of all that they have left
//! would take.
//!
//! Invariants
//! 1. After a round what is made is that of the state that the round was for.
//! 2. All that goes has gone before anything comes where keys must be unique: rows may have handed
//!    a key on to each other. One that is there then belongs to a row that has it.
//! 3. Each row is followed once in a round, however many notes there are of it: they are sorted by
//!    their rows first.
//! 4. A round begins behind the notes below which the round before it has met all that will ever be
//!    (`TableState::settled_below`); the others that it has met it has removed.
//!
//! Not here: what is made of a row (`making`), of the first state (`fill`), the last round
//! (`online`).

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use resources::interrupt;

use super::changed_rows::{ChangedRows, LookedUp, ROWS_MAX};
use super::fill::Fill;
use super::making::{MadeEntry, MadeWhat, RowSeen};
use super::pulse::Pulse;
use crate::bulk::{FreeChunks, Merge, RunForm, Sorter, go_on};
use crate::error::{Error, Result};
use crate::find::row_at;
use crate::schema::IndexId;
use crate::store::{Batch, Change, Durability, KeyRange, Reach, Read};
use crate::table::{ChangedTo, ClosedGate, Log};

/// So few changes are left to the last round, while writers wait.
const FEW: u64 = 500;
/// So long a round takes no longer while writers wait than they wait anyway where they are too
/// quick.
const SHORT: Duration = Duration::from_millis(40);
/// Rounds at most before the last one.
const ROUNDS_MAX: usize = 32;
/// Rounds that leave no less than the one before, although writers wait for as much of the time as
/// they can.
const VAIN_MAX: usize = 3;
/// Bytes of notes in memory while they are sorted, where there is a disk for more.
const NOTES_BYTES_MAX: usize = 4 << 20;
/// Bytes of a batch, but for its last row.
const BATCH_BYTES_MAX: usize = 1 << 20;

/// What has followed so far.
pub(super) struct Follow<'a> {
    of: Fill<'a>,
    /// The number of the notes of changed rows.
    log: IndexId,
    /// The state of the table of which it is made.
    state: Arc<dyn Read>,
    /// Notes below this version were followed, all of them.
    followed_below: u64,
    /// Rows that have come to a copy since the first state; fewer if they went.
    rows: i64,
    piece: ChangePiece,
    /// While writers go on.
    pulse: Option<Pulse>,
    /// When the round began.
    begun: Instant,
    /// How long the changes of this round took to be made.
    made_in: Duration,
    /// When writers have to wait more of the time, if the round is not over then.
    slow_at: Instant,
}

/// What is done in a pass over the changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ChangePass {
    Remove,
    Add,
    /// Both at once, where no two rows can have one key.
    Both,
}

/// Changes that are not in the store yet.
#[derive(Default)]
struct ChangePiece {
    changes: Vec<Change>,
    bytes: usize,
    /// Keys that must be unique, and their values.
    unique: HashMap<Vec<u8>, Vec<u8>>,
}

impl ChangePiece {
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
    /// Of what was made of a state, which was that of a moment.
    pub fn from(
        of: Fill<'a>,
        log: IndexId,
        (state, begun): (Arc<dyn Read>, Instant),
    ) -> Follow<'a> {
        let pulse = Some(Pulse::of(&of.making.table().state, begun));
        let (followed_below, rows, piece) = (0, 0, ChangePiece::default());
        let (made_in, slow_at) = (Duration::ZERO, begun);
        Follow { of, log, state, followed_below, rows, piece, pulse, begun, made_in, slow_at }
    }

    /// Rounds until a further one would take no time, or leave no less.
    ///
    /// # Errors
    /// As `round`.
    pub fn rounds(&mut self) -> Result<()> {
        let mut vain = 0;
        for _ in 0..ROUNDS_MAX {
            let was_slowest = self.pulse.as_ref().is_some_and(Pulse::is_slowest);
            let changes = self.round()?;
            let took = self.begun.elapsed();
            // Writers were as quick although they were kept waiting all the time.
            vain += usize::from(took > self.made_in && was_slowest);
            if changes <= FEW || took <= SHORT || vain == VAIN_MAX {
                break;
            }
        }
        Ok(())
    }

    /// Follows the rest, behind a gate that is closed.
    ///
    /// # Errors
    /// As `round`.
    pub fn last_round(&mut self, _closed: &ClosedGate) -> Result<()> {
        self.pulse = None;
        self.round().map(|_| ())
    }

    /// Follows what was changed up to now; how many changes that were.
    ///
    /// # Errors
    /// `Duplicate` when two rows share a unique key now; `Value`, `NullValue` and `TooLarge` when a
    /// row does not fit; `LockTimeout` when it was interrupted; those of the store.
    fn round(&mut self) -> Result<u64> {
        // Before the snapshot, which shows all of these then.
        let settled = self.settled_below();
        let now = self.of.engine.store().snapshot()?;
        self.begin_round(Instant::now());
        let mut share = self.of.engine.budget().share();
        share.set(NOTES_BYTES_MAX);
        let (notes, count) = self.sorted_notes(&*now)?;
        if self.of.making.is_unique() {
            self.pass(&*now, &notes, ChangePass::Remove)?;
            self.pass(&*now, &notes, ChangePass::Add)?;
        } else {
            self.pass(&*now, &notes, ChangePass::Both)?;
        }
        self.remove_notes(&*now, settled)?;
        if let Some(pulse) = &mut self.pulse {
            pulse.rest(Instant::now());
        }
        self.state = now;
        self.followed_below = settled;
        Ok(count)
    }

    fn begin_round(&mut self, now: Instant) {
        self.made_in = now.saturating_duration_since(self.begun);
        self.begun = now;
        self.slow_at = now + self.made_in / 2;
    }

    fn log<'v>(&self, now: &'v dyn Read, from: u64) -> Result<Log<'v>> {
        let making = self.of.making;
        Log::of(now, making.table(), self.log, making.is_in_notes(), from)
    }

    /// The notes that this round is about, by their rows, then their versions; and how many.
    fn sorted_notes(&mut self, now: &dyn Read) -> Result<([Sorter; 1], u64)> {
        let prefix = self.of.making.table().index_range(0).start;
        let mut sorter = Sorter::new(prefix.len(), RunForm::SMALL);
        let mut free = FreeChunks::new(RunForm::SMALL.block_bytes);
        let (mut row_key, mut count) = (prefix.clone(), 0);
        let mut log = self.log(now, self.followed_below)?;
        while let Some(change) = log.next()? {
            count += 1;
            go_on(count)?;
            row_key.truncate(prefix.len());
            row_key.extend_from_slice(change.primary);
            sorter.add(&row_key, change.version, change.rows, &mut free);
            if sorter.memory_bytes() > NOTES_BYTES_MAX
                && let Some(directory) = self.of.engine.spill()
            {
                self.of.engine.store().check_room(sorter.memory_bytes() as u64)?;
                sorter.spill(directory, &mut free)?;
                self.turn();
            }
        }
        sorter.sort();
        Ok(([sorter], count))
    }

    /// Removes the notes that the next round would meet again.
    fn remove_notes(&mut self, now: &dyn Read, settled: u64) -> Result<()> {
        let mut log = self.log(now, settled.max(self.followed_below))?;
        while let Some(change) = log.next()? {
            self.piece.push(Change::delete(change.note.to_vec()));
            if self.piece.changes.len() >= ROWS_MAX {
                self.write()?;
                self.turn();
            }
        }
        self.write()
    }

    /// Between two pieces of work.
    fn turn(&mut self) {
        self.settled_below();
        let Some(pulse) = &mut self.pulse else { return };
        let now = Instant::now();
        if now > self.slow_at {
            // They are as quick: a further round would leave as much.
            pulse.slow();
            self.slow_at = now + (now - self.begun);
        }
        pulse.turn(now);
    }

    /// Each question gets to know of the one before, so it is asked more often than answers are
    /// needed.
    fn settled_below(&self) -> u64 {
        self.of.engine.notes_settled_below(self.of.making.table())
    }

    /// How many rows have come to a copy since the first state; fewer if they went.
    pub fn rows(&self) -> i64 {
        self.rows
    }

    fn pass(&mut self, now: &dyn Read, notes: &[Sorter], pass: ChangePass) -> Result<()> {
        let in_notes = self.of.making.is_in_notes();
        let mut merge = Merge::of_sorters(notes, &KeyRange::default())?;
        let mut changed = ChangedRows::default();
        let (mut old_rows, mut new_rows) = (LookedUp::default(), LookedUp::default());
        let (mut old, mut new) = (Vec::new(), Vec::new());
        let state = Arc::clone(&self.state);
        while changed.take(&mut merge, in_notes)? {
            if interrupt::is_wanted() {
                return Err(Error::LockTimeout);
            }
            if !in_notes {
                old_rows.read(&*state, &changed.keys)?;
                new_rows.read(now, &changed.keys)?;
            }
            for key in changed.keys.iter().map(Vec::as_slice).enumerate() {
                let (before, after) = match changed.rows.get(key.0) {
                    Some((before, after)) => (before.as_deref(), after.as_deref()),
                    None => {
                        let before = old_rows.row(&*state, key, &mut old)?;
                        (before, new_rows.row(now, key, &mut new)?)
                    }
                };
                self.follow(pass, key.1, before, after)?;
                if self.piece.bytes >= BATCH_BYTES_MAX {
                    self.write()?;
                }
            }
            if pass != ChangePass::Remove {
                self.of.progress.add(changed.notes);
            }
            self.write()?;
            self.turn();
        }
        Ok(())
    }

    fn write(&mut self) -> Result<()> {
        let batch = Batch { changes: std::mem::take(&mut self.piece).changes };
        // Synced with what makes all of it be used.
        self.of.engine.store().write(&batch, Durability::Os)
    }

    /// The changes of what one row has, which was and is as said.
    fn follow(
        &mut self,
        pass: ChangePass,
        row_key: &[u8],
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<()> {
        let making = self.of.making;
        let made = |row: Option<&[u8]>, seen| match row {
            Some(noted) if making.is_in_notes() => making.made_of_note(row_key, noted),
            Some(row) => making.made_of(row_key, row, seen),
            None => Ok(Vec::new()),
        };
        let before = made(old, RowSeen::Before)?;
        if pass == ChangePass::Remove && before.is_empty() {
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
                (Some(gone), None) if pass != ChangePass::Add => self.remove(gone)?,
                (None, Some(come)) if pass != ChangePass::Remove => {
                    self.add((row_key, new.unwrap_or_default()), come)?
                }
                (Some(gone), Some(come)) if pass != ChangePass::Remove && gone != come => {
                    self.put(come)?
                }
                _ => {}
            }
        }
    }

    fn remove(&mut self, made: MadeEntry) -> Result<()> {
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
    fn add(&mut self, (row_key, row): (&[u8], &[u8]), made: MadeEntry) -> Result<()> {
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

    fn put(&mut self, made: MadeEntry) -> Result<()> {
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
