//! A group: the writes of several requests that share one transaction and one commit.
//!
//! An event loop lends its group to every request of a turn. A request that writes asks for the
//! transaction, marks it, and rolls back to the mark when the request fails, so that the others'
//! writes stay. A turn that ends a transaction of its own adds it, to be committed with the rest.
//!
//! Invariants
//! 1. The group is committed with the strictest durability that any of its writers asked for.
//! 2. In an event loop locks are tried, never waited for.
//!
//! Not here: who commits it and when (the server's event loops).

use std::sync::Arc;

use crate::engine::Engine;
use crate::error::Result;
use crate::store::{Durability, LockWait};
use crate::transaction::Transaction;

/// The writes that share one commit.
#[derive(Default)]
pub struct Group {
    transaction: Option<Transaction>,
    /// Whole transactions, of sessions that commit.
    added: Vec<Transaction>,
    durability: Option<Durability>,
    asked: bool,
}

impl Group {
    /// A group without writes.
    pub fn new() -> Group {
        Group::default()
    }

    /// Whether there is nothing to commit.
    pub fn is_empty(&self) -> bool {
        self.transaction.as_ref().is_none_or(Transaction::is_empty) && self.added.is_empty()
    }

    /// The shared transaction, for a write to be acknowledged with `durability`. Whoever asks
    /// first says how it waits for locks.
    ///
    /// # Errors
    /// Of the store, when it cannot begin one.
    pub fn transaction(
        &mut self,
        engine: &Arc<Engine>,
        wait: LockWait,
        durability: Durability,
    ) -> Result<&mut Transaction> {
        self.asked = true;
        self.durability = self.durability.max(Some(durability));
        if self.transaction.is_none() {
            let mut transaction = engine.begin(wait)?;
            transaction.serve_many();
            self.transaction = Some(transaction);
        }
        Ok(self.transaction.as_mut().expect("started above"))
    }

    /// Adds a transaction that has written and ends: it is committed together with the group's
    /// writes, to be acknowledged with `durability`.
    pub fn add(&mut self, transaction: Transaction, durability: Durability) {
        self.asked = true;
        self.durability = self.durability.max(Some(durability));
        self.added.push(transaction);
    }

    /// Whether the transaction was asked for, or one added, since the last call of this, and holds
    /// writes: then what the asker tells its client may depend on them.
    pub fn take_dependence(&mut self) -> bool {
        std::mem::take(&mut self.asked) && !self.is_empty()
    }

    /// Ends a transaction that has written nothing, so that what it met holds up nobody. Whether
    /// there is none then.
    pub fn end_if_empty(&mut self) -> bool {
        if self.is_empty() {
            self.transaction = None;
            self.durability = None;
        }
        self.transaction.is_none() && self.added.is_empty()
    }

    /// Takes the transaction out, with all that were added and the durability they are to be
    /// committed with.
    pub fn take(&mut self) -> Option<(Transaction, Durability)> {
        let durability = self.durability.take().unwrap_or(Durability::EveryCommit);
        let mut added = std::mem::take(&mut self.added);
        // One that has written nothing frees its locks at once.
        let own = self.transaction.take().filter(|own| added.is_empty() || !own.is_empty());
        let mut transaction = own.or_else(|| added.pop())?;
        transaction.commit_with(added);
        Some((transaction, durability))
    }
}
