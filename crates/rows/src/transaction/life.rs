//! A transaction's life: begun, entering tables, marked and rolled back, committed.
//!
//! Invariants
//! 1. A table is entered before anything of it is locked or written.
//! 2. What a failed step has written is forgotten; its locks stay until the end.
//!
//! Not here: what is written (`operations`), the commit itself (`commit`).

use std::sync::Arc;

use crate::budget::Share;
use crate::engine::Engine;
use crate::error::{Error, Result, Wait};
use crate::recency::Sizes;
use crate::store::{Durability, LockWait, Reach, Read, Savepoint, StoreTransaction};
use crate::table::{GateGuard, Table};

/// Writes that become visible and durable together.
pub struct Transaction {
    pub(crate) engine: Arc<Engine>,
    pub(crate) store: Box<dyn StoreTransaction>,
    pub(crate) gates: Vec<GateGuard>,
    /// Changes of the bytes of tables in cache mode.
    pub(crate) sizes: Sizes,
    /// Memory for what is buffered, once it is more than a little.
    pub(crate) share: Share,
    pub(super) wait: LockWait,
    /// A locked row key that was found to have no row, and got none since: most often of a row
    /// that comes in next.
    pub(super) absent: Option<Vec<u8>>,
    /// Whether 0 in an AUTO_INCREMENT column is a value like any other.
    pub(super) zero_is_value: bool,
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

    /// Enters to add a row, which a full table in cache mode takes when others have left it.
    pub(super) fn enter_to_add(&mut self, table: &Arc<Table>) -> Result<()> {
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

    pub(super) fn enter(&mut self, table: &Arc<Table>) -> Result<()> {
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
    pub(super) fn read_locked(&self, row_key: &[u8], value: &mut Vec<u8>) -> Result<bool> {
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

    pub(super) fn atomically<T>(
        &mut self,
        operation: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let start = self.store.savepoint();
        let result = operation(self);
        if result.is_err() {
            self.rollback_to(start);
        }
        result
    }
}
