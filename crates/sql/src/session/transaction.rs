//! The session's transaction: autocommit, BEGIN, COMMIT, ROLLBACK, savepoints, and the frame in
//! which each writing statement runs.
//!
//! Invariants
//! 1. A statement that failed is undone to where it began; on a deadlock the whole transaction
//!    is, as in InnoDB.
//! 2. Without an open transaction each statement is one of its own.
//!
//! Not here: locks and commits (`rows::transaction`).

use std::sync::Arc;

use rows::Group;
use rows::store::{Durability, LockWait, Read, Savepoint};
use rows::transaction::Transaction;

use super::Session;
use crate::error::{Result, SqlError};
use crate::reply::Reply;

/// An open transaction.
pub(super) struct OpenTransaction {
    transaction: Transaction,
    /// What plain SELECTs read, taken by the first of them.
    snapshot: Option<Arc<dyn Read>>,
    savepoints: Vec<(String, Savepoint)>,
    read_only: bool,
}

impl OpenTransaction {
    /// Whether it has written.
    pub fn has_writes(&self) -> bool {
        !self.transaction.is_empty()
    }

    /// The transaction.
    pub fn transaction(&self) -> &Transaction {
        &self.transaction
    }

    /// The snapshot of its plain SELECTs.
    pub fn snapshot(
        &mut self,
        take: impl FnOnce() -> Result<Arc<dyn Read>>,
    ) -> Result<Arc<dyn Read>> {
        if self.snapshot.is_none() {
            self.snapshot = Some(take()?);
        }
        self.snapshot.clone().ok_or_else(|| SqlError::other("no snapshot"))
    }
}

/// Error 1792.
fn read_only_error() -> SqlError {
    SqlError::new(1792, "Cannot execute statement in a READ ONLY transaction.")
}

impl Session {
    pub(super) fn durability(&self) -> Durability {
        self.variables.durability.unwrap_or_else(|| self.sql.engine().durability())
    }

    fn new_transaction(&self) -> Result<Transaction> {
        Ok(self.sql.engine().begin(LockWait::AtMost(self.variables.lock_wait))?)
    }

    /// A fresh snapshot of everything.
    pub(super) fn fresh_snapshot(&self) -> Result<Arc<dyn Read>> {
        Ok(self.sql.engine().store().snapshot()?)
    }

    /// Opens a transaction if autocommit is off and none is open.
    pub(super) fn open_implicitly(&mut self) -> Result<()> {
        if self.open.is_none() && !self.variables.autocommit {
            self.open(None)?;
        }
        Ok(())
    }

    fn open(&mut self, read_only: Option<bool>) -> Result<()> {
        let read_only =
            read_only.or(self.next_read_only.take()).unwrap_or(self.variables.read_only);
        let transaction = self.new_transaction()?;
        self.open = Some(OpenTransaction {
            transaction,
            snapshot: None,
            savepoints: Vec::new(),
            read_only,
        });
        Ok(())
    }

    /// BEGIN, START TRANSACTION.
    pub(super) fn begin(&mut self, read_only: bool, snapshot: bool) -> Result<Reply> {
        self.commit_open()?;
        self.open(read_only.then_some(true))?;
        if snapshot {
            let taken = self.fresh_snapshot()?;
            if let Some(open) = &mut self.open {
                open.snapshot = Some(taken);
            }
        }
        Ok(self.done(0))
    }

    /// Whether a commit would have something to do.
    pub(super) fn has_open_writes(&self) -> bool {
        self.open.as_ref().is_some_and(OpenTransaction::has_writes)
    }

    /// Commits what is open: COMMIT, and what commits implicitly.
    pub(super) fn commit_open(&mut self) -> Result<()> {
        let durability = self.durability();
        match self.open.take() {
            Some(open) if !open.transaction.is_empty() => {
                Ok(open.transaction.commit(durability)?)
            }
            _ => Ok(()),
        }
    }

    /// COMMIT.
    pub(super) fn commit(&mut self, chain: bool) -> Result<Reply> {
        let read_only = self.open.as_ref().is_some_and(|open| open.read_only);
        self.commit_open()?;
        if chain {
            self.open(Some(read_only))?;
        }
        Ok(self.done(0))
    }

    /// ROLLBACK.
    pub(super) fn rollback(&mut self, chain: bool) -> Result<Reply> {
        let read_only = self.open.take().is_some_and(|open| open.read_only);
        if chain {
            self.open(Some(read_only))?;
        }
        Ok(self.done(0))
    }

    /// SAVEPOINT.
    pub(super) fn savepoint(&mut self, name: &str) -> Result<Reply> {
        self.open_implicitly()?;
        if let Some(open) = &mut self.open {
            let mark = open.transaction.savepoint();
            open.savepoints.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
            open.savepoints.push((name.to_string(), mark));
        }
        Ok(self.done(0))
    }

    fn find_savepoint(&self, name: &str) -> Result<usize> {
        let found = self.open.as_ref().and_then(|open| {
            open.savepoints.iter().position(|(known, _)| known.eq_ignore_ascii_case(name))
        });
        found.ok_or_else(|| SqlError::new(1305, format!("SAVEPOINT {name} does not exist")))
    }

    /// ROLLBACK TO SAVEPOINT.
    pub(super) fn rollback_to(&mut self, name: &str) -> Result<Reply> {
        let at = self.find_savepoint(name)?;
        if let Some(open) = &mut self.open {
            open.transaction.rollback_to(open.savepoints[at].1);
            open.savepoints.truncate(at + 1);
        }
        Ok(self.done(0))
    }

    /// RELEASE SAVEPOINT.
    pub(super) fn release_savepoint(&mut self, name: &str) -> Result<Reply> {
        let at = self.find_savepoint(name)?;
        if let Some(open) = &mut self.open {
            open.savepoints.truncate(at);
        }
        Ok(self.done(0))
    }

    /// Runs the writes of one statement in a group that others share.
    pub(super) fn writing_in<T>(
        &mut self,
        group: &mut Group,
        work: impl FnOnce(&mut Session, &mut Transaction) -> Result<T>,
    ) -> Result<T> {
        let engine = Arc::clone(self.sql.engine());
        let transaction = group.transaction(&engine, LockWait::Never, self.durability())?;
        let mark = transaction.savepoint();
        let result = work(self, transaction);
        if result.is_err() {
            transaction.rollback_to(mark);
        }
        result
    }

    /// Whether a statement's writes may join a group: they are a transaction of their own.
    pub(super) fn may_join(&self) -> bool {
        self.open.is_none() && self.variables.autocommit && !self.variables.read_only
    }

    /// Runs the writes of one statement: in the open transaction, or in one of its own that is
    /// committed.
    pub(super) fn writing<T>(
        &mut self,
        work: impl FnOnce(&mut Session, &mut Transaction) -> Result<T>,
    ) -> Result<T> {
        self.open_implicitly()?;
        let Some(mut open) = self.open.take() else {
            if self.variables.read_only {
                return Err(read_only_error());
            }
            let mut transaction = self.new_transaction()?;
            let result = work(self, &mut transaction)?;
            if !transaction.is_empty() {
                transaction.commit(self.durability())?;
            }
            return Ok(result);
        };
        if open.read_only {
            self.open = Some(open);
            return Err(read_only_error());
        }
        let mark = open.transaction.savepoint();
        let result = work(self, &mut open.transaction);
        match &result {
            // The transaction is gone, with all its locks.
            Err(error) if error.number == 1213 => drop(open),
            Err(_) => {
                open.transaction.rollback_to(mark);
                self.open = Some(open);
            }
            Ok(_) => self.open = Some(open),
        }
        result
    }
}
