//! What can be done with rows: insert, replace, insert-or-update, change, lock.
//!
//! Invariants
//! 1. An operation takes place wholly or not at all.
//! 2. A number that the engine made up is used once, also if the row is refused (`counters`).
//!
//! Not here: how a locked row is changed (`changing`), how one is put in (`placing`).

use std::sync::Arc;

use values::datum::Datum;

use values::row::RowRef;

use super::counters::with_generated;
use super::life::Transaction;
use super::outcome::{
    Alone, ChangeOutcome, InsertOutcome, ReplaceOutcome, RowChange, SeenRow, UpsertOutcome,
};
use crate::error::{CallerError, Error, Result};
use crate::expiry::Expiry;
use crate::find::row_at;
use crate::row_lock_wait::LockMode;
use crate::rules::with_computed;
use crate::table::{PREFIX_BYTES, Table};

impl Transaction {
    /// Adds a row. `row` holds every column in order, values of the columns' domains. NULL or 0 in
    /// the AUTO_INCREMENT column makes the engine choose; what stands in computed columns does not
    /// count.
    ///
    /// # Errors
    /// `Duplicate`, `NullValue`, `Check`, `Value`, `Expression`, `TooLarge`, `Exhausted`,
    /// `SchemaChanged`, lock and store errors.
    pub fn insert(&mut self, table: &Arc<Table>, row: &[Datum<'_>]) -> Result<InsertOutcome> {
        let ((), generated) = self.add_row(table, row, |this, row, generated| {
            this.insert_complete(table, row)?;
            this.note_given(table, row, generated)
        })?;
        Ok(InsertOutcome { generated })
    }

    /// Calls `put` with a row that is to be added and has its number and its computed columns, and
    /// with that number if the engine has made it up.
    fn add_row<R, E: CallerError>(
        &mut self,
        table: &Arc<Table>,
        row: &[Datum<'_>],
        put: impl FnOnce(&mut Self, &[Datum<'_>], Option<u64>) -> Result<R, E>,
    ) -> Result<(R, Option<u64>), E> {
        self.enter_to_add(table)?;
        let generated = self.generate(table, row)?;
        let owned = generated.map(|value| with_generated(table, row, value));
        let row = owned.as_deref().unwrap_or(row);
        let done = table.computed(row, self.computing()).map_err(E::from).and_then(|computed| {
            let row = with_computed(row, &computed);
            self.await_ranges_of(table, &row).map_err(E::from)?;
            self.atomically(|this| put(this, &row, generated))
        });
        self.give_back_unless_put(table, generated, &done);
        Ok((done?, generated))
    }

    /// Adds a row after removing every row that shares a unique key with it.
    ///
    /// # Errors
    /// As `insert`, but `Duplicate` only where AUTO_INCREMENT has no more numbers.
    pub fn replace(&mut self, table: &Arc<Table>, row: &[Datum<'_>]) -> Result<ReplaceOutcome> {
        let (deleted, generated) =
            self.add_row(table, row, |this, row, generated| -> Result<usize> {
                let mut deleted = 0;
                while let Some(existing) = this.conflict(table, row)? {
                    // Where there are no more numbers the last row is not to go for it: it stands
                    // in the way of what follows (InnoDB does so).
                    if this.has_number(table, &existing, generated)? {
                        break;
                    }
                    deleted += usize::from(this.give_way(table, &existing, row)?);
                }
                this.insert_complete(table, row)?;
                this.note_given(table, row, generated)?;
                Ok(deleted)
            })?;
        Ok(ReplaceOutcome { deleted, generated })
    }

    /// Adds a row, or changes the first existing row that shares a unique key with it (primary key
    /// first, then indexes in order).
    ///
    /// # Errors
    /// As `insert`; `Duplicate` when the change itself collides with a third row; what
    /// `on_duplicate` returns.
    pub fn upsert<E: CallerError>(
        &mut self,
        table: &Arc<Table>,
        row: &[Datum<'_>],
        on_duplicate: &mut dyn FnMut(RowRef<'_>) -> Result<RowChange, E>,
    ) -> Result<UpsertOutcome, E> {
        let put = |this: &mut Self, row: &[Datum<'_>], generated| -> Result<UpsertOutcome, E> {
            let Some(existing) = this.conflict(table, row)? else {
                this.insert_complete(table, row)?;
                this.note_given(table, row, generated)?;
                return Ok(UpsertOutcome::Inserted { generated });
            };
            this.note_unused(generated);
            // As in MySQL a row that may not come in changes no other either.
            table.check_row(row, this.computing())?;
            // Found unexpired: its time may not come between this and the look at it.
            Ok(match this.change_locked(table, &existing, None, on_duplicate)? {
                ChangeOutcome::Updated => UpsertOutcome::Updated,
                ChangeOutcome::Deleted => UpsertOutcome::Deleted,
                ChangeOutcome::Unchanged | ChangeOutcome::Missing => UpsertOutcome::Unchanged,
            })
        };
        Ok(self.add_row(table, row, put)?.0)
    }

    /// Locks the row with this key, shows it to `decide` as it is now, and does what that says.
    ///
    /// # Errors
    /// `Duplicate` when new key values collide, else as `insert`; what `decide` returns.
    pub fn change_row<E: From<Error>>(
        &mut self,
        table: &Arc<Table>,
        row_key: &[u8],
        decide: &mut dyn FnMut(RowRef<'_>) -> Result<RowChange, E>,
    ) -> Result<ChangeOutcome, E> {
        let expiry = self.engine.expiry(table);
        self.change(table, row_key, None, expiry, decide)
    }

    /// As `change_row`, of a row that this transaction has read and not written since: it is not
    /// read again if nobody else can have written it meanwhile.
    ///
    /// # Errors
    /// As `change_row`.
    pub fn change_seen_row<E: From<Error>>(
        &mut self,
        table: &Arc<Table>,
        row_key: &[u8],
        seen: SeenRow<'_>,
        decide: &mut dyn FnMut(RowRef<'_>) -> Result<RowChange, E>,
    ) -> Result<ChangeOutcome, E> {
        let expiry = self.engine.expiry(table);
        self.change(table, row_key, Some(seen), expiry, decide)
    }

    /// Enters a table; `None` while others are inside as well.
    ///
    /// # Errors
    /// `SchemaChanged`, `WouldWait` and those of locks.
    pub fn alone_in(&mut self, table: &Arc<Table>) -> Result<Option<Alone>> {
        self.enter(table)?;
        // The store has other bytes for a row that lies in a segment.
        Ok(if table.columnar { None } else { table.state.alone().map(Alone) })
    }

    /// As `change_row`, an expired row included.
    ///
    /// # Errors
    /// As `change_row`.
    pub fn change_stored_row<E: From<Error>>(
        &mut self,
        table: &Arc<Table>,
        row_key: &[u8],
        decide: &mut dyn FnMut(RowRef<'_>) -> Result<RowChange, E>,
    ) -> Result<ChangeOutcome, E> {
        self.change(table, row_key, None, None, decide)
    }

    /// The version that this transaction has given to a row; `None` if it has not written it.
    ///
    /// # Errors
    /// `Corrupt`, which would be our own fault; those of reading writes that were spilled.
    pub fn version_given(&self, table: &Table, row_key: &[u8]) -> Result<Option<u64>> {
        let mut bytes = Vec::new();
        if self.store.own_write(row_key, &mut bytes)? != Some(true) {
            return Ok(None);
        }
        row_at(table, row_key, &bytes).map(|row| Some(row.version()))
    }

    /// Locks the row with this key, whether or not it exists.
    ///
    /// # Errors
    /// `LockTimeout`, `Conflict`, `WouldWait(Lock)` with `LockWait::Never`, and `SchemaChanged`.
    /// Locks that were had before stay.
    pub fn lock_row(&mut self, table: &Arc<Table>, row_key: &[u8]) -> Result<()> {
        self.lock_row_as(table, row_key, LockMode::Exclusive)
    }

    /// As `lock_row`, in a mode.
    ///
    /// # Errors
    /// As `lock_row`.
    pub fn lock_row_as(
        &mut self,
        table: &Arc<Table>,
        row_key: &[u8],
        mode: LockMode,
    ) -> Result<()> {
        self.enter(table)?;
        self.engine.note_asked(table, 0, Some(row_key));
        match mode {
            LockMode::Exclusive => self.store.lock(row_key, self.wait),
            LockMode::Shared => self.store.lock_shared(row_key, self.wait),
        }
        .map(drop)
    }

    /// Whether another transaction has a row locked just now against this mode, as far as the store
    /// knows that without asking for it.
    pub fn is_locked_by_others(&self, row_key: &[u8], mode: LockMode) -> bool {
        self.store.is_locked_by_others(row_key, mode)
    }

    fn change<E: From<Error>>(
        &mut self,
        table: &Arc<Table>,
        row_key: &[u8],
        seen: Option<SeenRow<'_>>,
        expiry: Option<Expiry>,
        decide: &mut dyn FnMut(RowRef<'_>) -> Result<RowChange, E>,
    ) -> Result<ChangeOutcome, E> {
        self.enter(table)?;
        self.atomically(|this| {
            this.store.lock(row_key, this.wait)?;
            match seen {
                // Asked under the lock: who has had it before is inside still, or has left since.
                // A row that follows another one's may have been changed since by this transaction.
                Some(seen)
                    if !table.is_related()
                        && table.state.alone().map(Alone) == Some(seen.alone) =>
                {
                    let row = row_at(table, row_key, seen.bytes)?;
                    this.change_read(table, row_key, row, expiry, decide)
                }
                _ => this.change_locked(table, row_key, expiry, decide),
            }
        })
    }

    /// The key of the first row that shares a unique key with `row`, locked as are the entries
    /// that were found free before it; expired rows in the way are removed.
    fn conflict(&mut self, table: &Table, row: &[Datum<'_>]) -> Result<Option<Vec<u8>>> {
        if !table.has_hidden_key() {
            let row_key = table.row_key_of(row)?;
            self.store.lock(&row_key, self.wait)?;
            if self.is_taken(table, &row_key)? {
                return Ok(Some(row_key));
            }
            self.absent = Some(row_key);
        }
        for index in 1..table.codecs.len() {
            if !table.codecs[index].unique {
                continue;
            }
            let entry = table.entry(index, row, &[0; PREFIX_BYTES])?;
            if !entry.unique {
                continue;
            }
            if let Some(row_key) = self.claim_entry_or_row(table, index, &entry.key)? {
                return Ok(Some(row_key));
            }
        }
        let arrays = table.multi_valued_codecs.iter().enumerate();
        for (at, of) in arrays.filter(|(_, of)| of.codec.unique) {
            let index = table.first_multi_valued() + at;
            // Keys of unique entries are without the row's.
            for entry in of.entries(row, &[])? {
                if entry.unique
                    && let Some(row_key) = self.claim_entry_or_row(table, index, &entry.key)?
                {
                    return Ok(Some(row_key));
                }
            }
        }
        Ok(None)
    }
}
