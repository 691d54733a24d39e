//! Writing rows: insert, replace, insert-or-update, change, delete, each atomic with its index
//! entries and under the row's lock.
//!
//! Lock order within one operation: row key first, then unique entries in index order. Two
//! operations that meet in another order are a deadlock, which the lock table finds.
//!
//! Invariants
//! 1. An operation that fails leaves nothing in the transaction's buffer.
//! 2. A row is decided upon (exists? old values?) only after its lock is held, and from the
//!    latest committed state overlaid with the transaction's own writes.
//! 3. An expired row is absent: it is not shown, and goes when a new row takes its key.
//! 4. Each table written stays inside its gate until the transaction ends.
//!
//! Not here: when and how the buffer becomes durable (`commit`), conversion of foreign values
//! (`convert`), defaults (the door's or SQL's business).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::budget::Share;
use crate::datum::{Datum, Value};
use crate::engine::Engine;
use crate::error::{Error, Result, Wait};
use crate::expiry::Expiry;
use crate::find::row_at;
use crate::recency::Sizes;
use crate::row::RowRef;
use crate::store::{Durability, LockWait, Reach, Read, Savepoint, StoreTransaction};
use crate::table::{GateGuard, PREFIX_BYTES, Table};
use crate::temporal::Zone;
use crate::text::write_text;
use crate::types::{ColumnType, IntWidth};

/// Most bytes one stored row may have.
pub const ROW_BYTES_MAX: usize = 64 << 20;

/// What an insert did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// The value made up for the AUTO_INCREMENT column, if it was.
    pub generated: Option<u64>,
}

/// What a replace did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// Rows that had to go.
    pub deleted: usize,
    /// The value made up for the AUTO_INCREMENT column, if it was.
    pub generated: Option<u64>,
}

/// What an insert-or-update did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upserted {
    /// There was no such row.
    Inserted {
        /// The value made up for the AUTO_INCREMENT column, if it was.
        generated: Option<u64>,
    },
    /// The existing row was changed.
    Updated,
    /// The existing row stays as it was.
    Unchanged,
    /// The existing row was deleted.
    Deleted,
}

/// What to do with a row that is locked and shown to the caller.
#[derive(Clone, Debug, PartialEq)]
pub enum RowChange {
    /// Leave it.
    Keep,
    /// Set columns, by position, to values of their domain.
    Set(Vec<(usize, Value)>),
    /// Remove it.
    Delete,
}

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// It was not there any more.
    Missing,
    /// It stays as it was: kept, or set to what it had.
    Unchanged,
    /// It has new values.
    Updated,
    /// It is gone.
    Deleted,
}

/// Writes that become visible and durable together.
pub struct Transaction {
    pub(crate) engine: Arc<Engine>,
    pub(crate) store: Box<dyn StoreTransaction>,
    pub(crate) gates: Vec<GateGuard>,
    /// Changes of the bytes of tables in cache mode.
    pub(crate) sizes: Sizes,
    /// Memory for what is buffered, once it is more than a little.
    pub(crate) share: Share,
    wait: LockWait,
    /// A locked row key that was found to have no row, and got none since: most often of a row
    /// that comes in next.
    absent: Option<Vec<u8>>,
    /// Whether 0 in an AUTO_INCREMENT column is a value like any other.
    zero_is_value: bool,
}

impl Engine {
    /// Starts a transaction whose locks are waited for as `wait` says.
    pub fn begin(self: &Arc<Self>, wait: LockWait) -> Result<Transaction> {
        let store = self.store().begin()?;
        Ok(Transaction {
            engine: Arc::clone(self),
            store,
            gates: Vec::new(),
            sizes: Sizes::default(),
            share: self.budget().share(),
            wait,
            absent: None,
            zero_is_value: false,
        })
    }
}

impl Transaction {
    /// Lets 0 in an AUTO_INCREMENT column be stored as it is, until it is said otherwise. A
    /// transaction may be shared, so whoever says yes says no when its rows are in.
    pub fn let_zero_be_a_value(&mut self, let_it: bool) {
        self.zero_is_value = let_it;
    }

    /// Adds a row. `row` holds every column in order, values of the columns' domains. NULL or 0
    /// in the AUTO_INCREMENT column makes the engine choose.
    ///
    /// # Errors
    /// `Duplicate`, `NullValue`, `TooLarge`, `Exhausted`, `SchemaChanged`, lock and store errors.
    pub fn insert(&mut self, table: &Arc<Table>, row: &[Datum<'_>]) -> Result<Inserted> {
        self.enter_to_add(table)?;
        let generated = self.generate(table, row)?;
        let owned = generated.map(|value| with_generated(table, row, value));
        let row = owned.as_deref().unwrap_or(row);
        self.atomically(|this| {
            this.insert_complete(table, row)?;
            this.note_given(table, row)
        })?;
        Ok(Inserted { generated })
    }

    /// Adds a row after removing every row that shares a unique key with it.
    ///
    /// # Errors
    /// As `insert`, but never `Duplicate`.
    pub fn replace(&mut self, table: &Arc<Table>, row: &[Datum<'_>]) -> Result<Replaced> {
        self.enter_to_add(table)?;
        let generated = self.generate(table, row)?;
        let owned = generated.map(|value| with_generated(table, row, value));
        let row = owned.as_deref().unwrap_or(row);
        let deleted = self.atomically(|this| {
            let mut deleted = 0;
            while let Some(existing) = this.conflict(table, row)? {
                let delete = &mut |_: RowRef<'_>| Ok(RowChange::Delete);
                let gone = this.change_locked(table, &existing, None, delete)?;
                deleted += usize::from(gone == Changed::Deleted);
            }
            this.insert_complete(table, row)?;
            this.note_given(table, row)?;
            Ok(deleted)
        })?;
        Ok(Replaced { deleted, generated })
    }

    /// Adds a row, or changes the first existing row that shares a unique key with it (primary
    /// key first, then indexes in order).
    ///
    /// # Errors
    /// As `insert`; `Duplicate` when the change itself collides with a third row.
    pub fn upsert(
        &mut self,
        table: &Arc<Table>,
        row: &[Datum<'_>],
        on_duplicate: &mut dyn FnMut(RowRef<'_>) -> Result<RowChange>,
    ) -> Result<Upserted> {
        self.enter_to_add(table)?;
        let generated = self.generate(table, row)?;
        let owned = generated.map(|value| with_generated(table, row, value));
        let row = owned.as_deref().unwrap_or(row);
        self.atomically(|this| match this.conflict(table, row)? {
            None => {
                this.insert_complete(table, row)?;
                this.note_given(table, row)?;
                Ok(Upserted::Inserted { generated })
            }
            // Found unexpired: its time may not come between this and the look at it.
            Some(existing) => match this.change_locked(table, &existing, None, on_duplicate)? {
                Changed::Updated => Ok(Upserted::Updated),
                Changed::Deleted => Ok(Upserted::Deleted),
                Changed::Unchanged | Changed::Missing => Ok(Upserted::Unchanged),
            },
        })
    }

    /// Locks the row with this key, shows it to `decide` as it is now, and does what that says.
    ///
    /// # Errors
    /// `Duplicate` when new key values collide, else as `insert`; what `decide` returns.
    pub fn change_row(
        &mut self,
        table: &Arc<Table>,
        row_key: &[u8],
        decide: &mut dyn FnMut(RowRef<'_>) -> Result<RowChange>,
    ) -> Result<Changed> {
        let expiry = self.engine.expiry(table);
        self.change(table, row_key, expiry, decide)
    }

    /// As `change_row`, an expired row included.
    ///
    /// # Errors
    /// As `change_row`.
    pub fn change_stored_row(
        &mut self,
        table: &Arc<Table>,
        row_key: &[u8],
        decide: &mut dyn FnMut(RowRef<'_>) -> Result<RowChange>,
    ) -> Result<Changed> {
        self.change(table, row_key, None, decide)
    }

    /// Locks the row with this key, whether or not it exists.
    pub fn lock_row(&mut self, table: &Arc<Table>, row_key: &[u8]) -> Result<()> {
        self.enter(table)?;
        self.store.lock(row_key, self.wait)
    }

    /// The latest committed state with this transaction's writes on top.
    pub fn view(&self) -> &dyn Read {
        &*self.store
    }

    /// `snapshot` with this transaction's writes on top.
    pub fn view_at<'a>(&'a self, snapshot: &'a dyn Read) -> Box<dyn Read + 'a> {
        self.store.view_at(snapshot)
    }

    /// As `view_at`, with a copy of the writes made so far, so that it outlives the transaction.
    pub fn frozen_at(&self, snapshot: Arc<dyn Read>) -> Arc<dyn Read> {
        if self.is_empty() { snapshot } else { self.store.frozen_at(snapshot) }
    }

    /// Marks this point.
    pub fn savepoint(&self) -> Savepoint {
        self.store.savepoint()
    }

    /// Forgets what was written since the mark; locks stay.
    pub fn rollback_to(&mut self, savepoint: Savepoint) {
        // It may have been this transaction's own removal that made a row absent.
        self.absent = None;
        self.sizes.rollback_to(savepoint.0);
        self.store.rollback_to(savepoint);
    }

    /// Changes how locks are waited for from now on.
    pub fn set_wait(&mut self, wait: LockWait) {
        self.wait = wait;
    }

    /// Whether nothing is written.
    pub fn is_empty(&self) -> bool {
        self.store.is_empty()
    }

    /// Bytes written so far.
    pub fn bytes(&self) -> usize {
        self.store.bytes()
    }

    /// Commits and returns when the writes are as durable as asked.
    ///
    /// # Errors
    /// `Store` and `Refused`; `Conflict` from stores that find conflicts late.
    pub fn commit(self, durability: Durability) -> Result<()> {
        let engine = Arc::clone(&self.engine);
        engine.committer().commit(self, durability)
    }

    /// Commits at once, if that does not wait for a disk. `None`: it would, so it is done in the
    /// committer's thread, which calls `done`.
    pub fn commit_or_later(
        self,
        durability: Durability,
        done: Box<dyn FnOnce(Result<()>) + Send>,
    ) -> Option<Result<()>> {
        let engine = Arc::clone(&self.engine);
        engine.committer().commit_or_submit(self, durability, done)
    }

    /// Commits in the committer's thread and calls `done` there; locks are free by then.
    pub fn commit_later(self, durability: Durability, done: Box<dyn FnOnce(Result<()>) + Send>) {
        let engine = Arc::clone(&self.engine);
        engine.committer().submit(self, durability, done);
    }

    fn change(
        &mut self,
        table: &Arc<Table>,
        row_key: &[u8],
        expiry: Option<Expiry>,
        decide: &mut dyn FnMut(RowRef<'_>) -> Result<RowChange>,
    ) -> Result<Changed> {
        self.enter(table)?;
        self.atomically(|this| {
            this.store.lock(row_key, this.wait)?;
            this.change_locked(table, row_key, expiry, decide)
        })
    }

    /// Enters to add a row, which a full table in cache mode takes when others have left it.
    fn enter_to_add(&mut self, table: &Arc<Table>) -> Result<()> {
        if let Some(recency) = table.recency()
            && recency.is_crowded()
            && self.engine.wake().is_attached()
        {
            match self.reach() {
                Reach::Memory => return Err(Error::WouldWait(Wait::Room)),
                Reach::Disk => recency.wait_for_room(),
            }
        }
        self.enter(table)
    }

    fn enter(&mut self, table: &Arc<Table>) -> Result<()> {
        if !self.gates.iter().any(|gate| gate.is_of(&table.state)) {
            self.gates.push(table.state.enter(self.wait)?);
        }
        if table.is_current() { Ok(()) } else { Err(Error::SchemaChanged) }
    }

    /// How far its reads reach: into memory only, where locks are not waited for either.
    pub fn reach(&self) -> Reach {
        match self.wait {
            LockWait::Never => Reach::Memory,
            LockWait::AtMost(_) => Reach::Disk,
        }
    }

    /// Reads a row that this transaction has locked: as it wrote it, else from the row cache,
    /// which has the latest committed state, else from the store.
    fn read_locked(&self, row_key: &[u8], value: &mut Vec<u8>) -> Result<bool> {
        match self.store.buffered(row_key) {
            Some(None) => Ok(false),
            Some(Some(own)) => {
                value.clear();
                value.extend_from_slice(own);
                Ok(true)
            }
            None => self.engine.read_row(self.engine.latest(), row_key, self.reach(), value),
        }
    }

    /// Whether there is a row under a locked key; an expired one is removed first.
    fn is_taken(&mut self, table: &Table, row_key: &[u8]) -> Result<bool> {
        if self.absent.as_deref() == Some(row_key) {
            return Ok(false);
        }
        let mut existing = Vec::new();
        Ok(self.read_locked(row_key, &mut existing)?
            && !self.clear(table, self.engine.expiry(table), row_key, &existing)?)
    }

    fn atomically<T>(&mut self, operation: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let start = self.store.savepoint();
        let result = operation(self);
        if result.is_err() {
            self.rollback_to(start);
        }
        result
    }

    /// The AUTO_INCREMENT value for a row that leaves it to the engine.
    fn generate(&self, table: &Table, row: &[Datum<'_>]) -> Result<Option<u64>> {
        let Some(position) = table.auto_increment() else { return Ok(None) };
        let ty = &table.columns[position].ty;
        match row[position] {
            Datum::Int(0) | Datum::UInt(0) if self.zero_is_value => Ok(None),
            Datum::Null | Datum::Int(0) | Datum::UInt(0) => {
                self.engine.next_auto_increment(table, auto_increment_max(ty)).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Moves the AUTO_INCREMENT counter past the value of a row that is in; that of a row which
    /// was refused leaves it alone.
    fn note_given(&self, table: &Table, row: &[Datum<'_>]) -> Result<()> {
        match table.auto_increment().and_then(|position| as_counter(row[position])) {
            Some(value) => self.engine.note_auto_increment(table, value),
            None => Ok(()),
        }
    }

    /// The key of the first row that shares a unique key with `row`; everything looked at is
    /// locked, and expired rows in the way are removed.
    fn conflict(&mut self, table: &Table, row: &[Datum<'_>]) -> Result<Option<Vec<u8>>> {
        let expiry = self.engine.expiry(table);
        let mut value = Vec::new();
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
            self.store.lock(&entry.key, self.wait)?;
            if self.store.get(&entry.key, self.reach(), &mut value)? {
                let mut row_key = Vec::new();
                table.entry_target(index, &entry.key, &value, &mut row_key)?;
                self.store.lock(&row_key, self.wait)?;
                // The row may have gone or moved while its lock was waited for.
                if self.store.get(&entry.key, self.reach(), &mut value)?
                    && value == row_key[PREFIX_BYTES..]
                    && !self.clear_stored(table, expiry, &row_key)?
                {
                    return Ok(Some(row_key));
                }
            }
        }
        Ok(None)
    }

    fn insert_complete(&mut self, table: &Table, row: &[Datum<'_>]) -> Result<()> {
        check_nulls(table, row)?;
        let row_key = if table.has_hidden_key() {
            table.row_key(&[Datum::UInt(self.engine.next_row_id(table)?)])?
        } else {
            let row_key = table.row_key_of(row)?;
            self.store.lock(&row_key, self.wait)?;
            if self.is_taken(table, &row_key)? {
                return Err(duplicate(table, 0, row));
            }
            row_key
        };
        for index in 1..table.codecs.len() {
            self.put_entry(table, index, row, &row_key)?;
        }
        self.put_row(table, row, row_key, 0)
    }

    /// Removes a locked row that is in the way, if it has expired; says whether it did.
    fn clear(
        &mut self,
        table: &Table,
        expiry: Option<Expiry>,
        row_key: &[u8],
        bytes: &[u8],
    ) -> Result<bool> {
        let Some(expiry) = expiry else { return Ok(false) };
        let row = row_at(table, row_key, bytes)?;
        let over = expiry.is_over(&row)?;
        if over {
            self.delete_row(table, row_key, &row)?;
        }
        Ok(over)
    }

    /// As `clear`, for a row that has not been read yet.
    fn clear_stored(
        &mut self,
        table: &Table,
        expiry: Option<Expiry>,
        row_key: &[u8],
    ) -> Result<bool> {
        let mut bytes = Vec::new();
        Ok(expiry.is_some()
            && self.store.get(row_key, self.reach(), &mut bytes)?
            && self.clear(table, expiry, row_key, &bytes)?)
    }

    /// Removes the row that a locked unique entry points to, if it has expired; says whether the
    /// entry is free now.
    fn clear_entry(
        &mut self,
        table: &Table,
        index: usize,
        entry_key: &[u8],
        entry_value: &[u8],
    ) -> Result<bool> {
        let Some(expiry) = self.engine.expiry(table) else { return Ok(false) };
        let mut row_key = Vec::new();
        table.entry_target(index, entry_key, entry_value, &mut row_key)?;
        self.store.lock(&row_key, self.wait)?;
        // Its row may have gone while the lock was waited for.
        let mut value = Vec::new();
        if !self.store.get(entry_key, self.reach(), &mut value)? {
            return Ok(true);
        }
        Ok(value == entry_value && self.clear_stored(table, Some(expiry), &row_key)?)
    }

    fn delete_row(&mut self, table: &Table, row_key: &[u8], row: &RowRef<'_>) -> Result<()> {
        let values = row.values()?;
        for index in 1..table.codecs.len() {
            let entry = table.entry(index, &values, row_key)?;
            self.store.delete(entry.key);
        }
        if let Some(recency) = table.recency() {
            let bytes = (row_key.len() + row.bytes().len()) as i64;
            self.sizes.note(self.store.savepoint().0, recency, -bytes, -1);
            recency.forget(row_key);
        }
        self.store.delete(row_key.to_vec());
        Ok(())
    }

    /// Writes a row; `replaced` is the bytes of the one before, key included.
    fn put_row(
        &mut self,
        table: &Table,
        row: &[Datum<'_>],
        row_key: Vec<u8>,
        replaced: usize,
    ) -> Result<()> {
        let mut bytes = Vec::with_capacity(64);
        table.layout.encode(row, self.engine.next_version(), &mut bytes);
        if bytes.len() > ROW_BYTES_MAX {
            let (what, bytes_max) = ("row", ROW_BYTES_MAX);
            return Err(Error::TooLarge { what, bytes: bytes.len(), bytes_max });
        }
        self.make_room(bytes.len())?;
        self.absent = None;
        if let Some(recency) = table.recency() {
            let change = (row_key.len() + bytes.len()) as i64 - replaced as i64;
            self.sizes.note(self.store.savepoint().0, recency, change, i64::from(replaced == 0));
            recency.touch(&row_key);
        }
        self.store.put(row_key, bytes);
        Ok(())
    }

    /// Takes memory for so many more bytes of writes: for the buffer, and for the copy that the
    /// store makes of it when it is committed.
    fn make_room(&mut self, more: usize) -> Result<()> {
        self.share.keep_up_with(2 * (self.store.bytes() + more))
    }

    fn put_entry(
        &mut self,
        table: &Table,
        index: usize,
        row: &[Datum<'_>],
        row_key: &[u8],
    ) -> Result<()> {
        let entry = table.entry(index, row, row_key)?;
        if entry.unique {
            self.store.lock(&entry.key, self.wait)?;
            let mut existing = Vec::new();
            if self.store.get(&entry.key, self.reach(), &mut existing)?
                && !self.clear_entry(table, index, &entry.key, &existing)?
            {
                return Err(duplicate(table, index, row));
            }
        }
        self.store.put(entry.key, entry.value);
        Ok(())
    }

    fn change_locked(
        &mut self,
        table: &Table,
        row_key: &[u8],
        expiry: Option<Expiry>,
        decide: &mut dyn FnMut(RowRef<'_>) -> Result<RowChange>,
    ) -> Result<Changed> {
        let mut old_bytes = Vec::new();
        if !self.read_locked(row_key, &mut old_bytes)? {
            self.absent = Some(row_key.to_vec());
            return Ok(Changed::Missing);
        }
        let old = row_at(table, row_key, &old_bytes)?;
        if let Some(expiry) = expiry
            && expiry.is_over(&old)?
        {
            return Ok(Changed::Missing);
        }
        match decide(old)? {
            RowChange::Keep => Ok(Changed::Unchanged),
            RowChange::Delete => {
                self.delete_row(table, row_key, &old)?;
                Ok(Changed::Deleted)
            }
            RowChange::Set(sets) => self.set_columns(table, row_key, &old, &sets),
        }
    }

    fn set_columns(
        &mut self,
        table: &Table,
        row_key: &[u8],
        old: &RowRef<'_>,
        sets: &[(usize, Value)],
    ) -> Result<Changed> {
        let old_values = old.values()?;
        let mut new_values = old_values.clone();
        for (position, value) in sets {
            new_values[*position] = value.as_datum();
        }
        let changed: Vec<usize> =
            (0..new_values.len()).filter(|&i| !same(new_values[i], old_values[i])).collect();
        if changed.is_empty() {
            return Ok(Changed::Unchanged);
        }
        check_nulls(table, &new_values)?;
        let in_key = |column: &usize| table.codecs[0].parts.iter().any(|p| p.column == *column);
        let new_key = match changed.iter().any(in_key) {
            true => table.row_key_of(&new_values)?,
            false => row_key.to_vec(),
        };
        let moves = new_key != row_key;
        if moves {
            self.store.lock(&new_key, self.wait)?;
            if self.is_taken(table, &new_key)? {
                return Err(duplicate(table, 0, &new_values));
            }
            self.store.delete(row_key.to_vec());
        }
        for index in 1..table.codecs.len() {
            let parts = &table.codecs[index].parts;
            if !moves && !parts.iter().any(|part| changed.contains(&part.column)) {
                continue;
            }
            let before = table.entry(index, &old_values, row_key)?;
            let after = table.entry(index, &new_values, &new_key)?;
            if before == after {
                continue;
            }
            if before.key == after.key {
                self.store.put(after.key, after.value);
                continue;
            }
            self.store.delete(before.key);
            self.put_entry(table, index, &new_values, &new_key)?;
        }
        let replaced = row_key.len() + old.bytes().len();
        self.put_row(table, &new_values, new_key, replaced)?;
        self.note_given(table, &new_values)?;
        Ok(Changed::Updated)
    }
}

/// Equality of stored bytes: unlike `==`, NaN equals itself.
fn same(left: Datum<'_>, right: Datum<'_>) -> bool {
    match (left, right) {
        (Datum::Double(l), Datum::Double(r)) => l.to_bits() == r.to_bits(),
        (Datum::Float(l), Datum::Float(r)) => l.to_bits() == r.to_bits(),
        _ => left == right,
    }
}

fn check_nulls(table: &Table, row: &[Datum<'_>]) -> Result<()> {
    assert_eq!(row.len(), table.columns.len(), "a row has every column");
    for (column, value) in table.columns.iter().zip(row) {
        if value.is_null() && !column.nullable {
            return Err(Error::NullValue { column: column.name.clone() });
        }
    }
    Ok(())
}

/// The error for a row whose key in a unique index is taken.
pub(crate) fn duplicate(table: &Table, index: usize, row: &[Datum<'_>]) -> Error {
    let mut entry = Vec::new();
    for (position, part) in table.codecs[index].parts.iter().enumerate() {
        if position > 0 {
            entry.push(b'-');
        }
        match row[part.column] {
            Datum::Null => entry.extend_from_slice(b"NULL"),
            value => write_text(&part.ty, value, Zone::UTC, &mut entry),
        }
    }
    Error::Duplicate {
        index: table.indexes[index].name.clone(),
        entry: String::from_utf8_lossy(&entry).into_owned(),
    }
}

fn with_generated<'a>(table: &Table, row: &[Datum<'a>], value: u64) -> Vec<Datum<'a>> {
    let position = table.auto_increment().expect("generated only for such a column");
    let mut row = row.to_vec();
    row[position] = match &table.columns[position].ty {
        ColumnType::Int { unsigned: true, .. } => Datum::UInt(value),
        ColumnType::Float => Datum::Float(value as f32),
        ColumnType::Double => Datum::Double(value as f64),
        _ => Datum::Int(value as i64),
    };
    row
}

/// A value as the AUTO_INCREMENT counter sees it; negative ones do not move the counter.
fn as_counter(value: Datum<'_>) -> Option<u64> {
    match value {
        Datum::Int(value) => u64::try_from(value).ok(),
        Datum::UInt(value) => Some(value),
        Datum::Float(value) if value > 0.0 => Some(value as u64),
        Datum::Double(value) if value > 0.0 => Some(value as u64),
        _ => None,
    }
}

/// The largest value that AUTO_INCREMENT may reach in a column of this type.
fn auto_increment_max(ty: &ColumnType) -> u64 {
    match ty {
        ColumnType::Int { width, unsigned, .. } => {
            let bits = match width {
                IntWidth::Tiny => 8,
                IntWidth::Small => 16,
                IntWidth::Medium => 24,
                IntWidth::Int => 32,
                IntWidth::Big => 64,
            } - u32::from(!*unsigned);
            u64::MAX >> (64 - bits)
        }
        ColumnType::Float => 1 << 24,
        _ => 1 << 53,
    }
}

impl Engine {
    /// Hands out the next AUTO_INCREMENT value of a table.
    fn next_auto_increment(&self, table: &Table, value_max: u64) -> Result<u64> {
        self.load_counter(table, &table.state.auto_increment, Engine::last_auto_increment)?;
        let taken =
            table.state.auto_increment.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |next| {
                (next <= value_max && next < u64::MAX).then(|| next + 1)
            });
        taken.map_err(|_| Error::Exhausted)
    }

    /// Moves the counter past a value that came with a row.
    fn note_auto_increment(&self, table: &Table, given: u64) -> Result<()> {
        self.load_counter(table, &table.state.auto_increment, Engine::last_auto_increment)?;
        table.state.auto_increment.fetch_max(given.saturating_add(1), Ordering::SeqCst);
        Ok(())
    }

    /// The next AUTO_INCREMENT value, as SHOW TABLE STATUS shows it.
    pub fn auto_increment_next(&self, table: &Table) -> Result<u64> {
        self.load_counter(table, &table.state.auto_increment, Engine::last_auto_increment)?;
        Ok(table.state.auto_increment.load(Ordering::SeqCst))
    }

    /// Hands out the next hidden row id of a table.
    pub(crate) fn next_row_id(&self, table: &Table) -> Result<u64> {
        self.load_counter(table, &table.state.row_id, Engine::last_row_id)?;
        Ok(table.state.row_id.fetch_add(1, Ordering::SeqCst))
    }
}
