//! The session's transaction: autocommit, BEGIN, COMMIT, ROLLBACK, savepoints, and the frame in
//! which each writing statement runs.
//!
//! Invariants
//! 1. A statement that failed is undone to where it began; on a deadlock the whole transaction
//!    is, as in InnoDB.
//! 2. A statement that panicked has undone itself in a group, and the whole transaction that it
//!    was part of.
//! 3. Without an open transaction each statement is one of its own.
//! 4. In an event loop a statement of an open transaction tries its locks and reads in memory;
//!    one that would wait leaves the transaction as it was, but for locks it has by then.
//!
//! Not here: locks and commits (`rows::transaction`).

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use expression::Level;
use resources::turn_limits::TurnLimits;
use rows::Group;
use rows::store::{Durability, LockWait, Read, Savepoint};
use rows::transaction::Transaction;
use values::ErrorCode;

use super::Session;
use crate::reply::Reply;
use crate::server::{Process, ShownTransaction};
use plan::variables::IsolationLevel;
use results::{ExecutionMode, Result, SqlError};

/// An open transaction.
pub(super) struct OpenTransaction {
    transaction: Transaction,
    /// What plain SELECTs read, taken by the first of them.
    snapshot: Option<Arc<dyn Read>>,
    savepoints: Vec<(String, Savepoint)>,
    read_only: bool,
    /// What it sees of others.
    pub isolation: IsolationLevel,
    /// Whether temporary tables were made in it, and dropped: a rollback leaves that as it is.
    temporary: TemporaryChanges,
    /// Lets it be seen among the open ones.
    _shown: TransactionMark,
}

/// While it lives, a connection's transaction is shown as open.
struct TransactionMark(Arc<Process>);

impl TransactionMark {
    fn begin(process: &Arc<Process>, since: u64, isolation: IsolationLevel) -> TransactionMark {
        let (affected, tables) = (0, Vec::new());
        process.note_open(Some(ShownTransaction { since, isolation, affected, tables }));
        TransactionMark(Arc::clone(process))
    }
}

impl Drop for TransactionMark {
    fn drop(&mut self) {
        self.0.note_open(None);
    }
}

/// What became of temporary tables in a transaction.
#[derive(Clone, Copy, Default)]
struct TemporaryChanges {
    made: bool,
    dropped: bool,
}

impl OpenTransaction {
    /// Whether it has written.
    pub fn has_writes(&self) -> bool {
        !self.transaction.is_empty()
    }

    /// Whether an event loop adds to its writes and locks, and commits it: what has more is a pool
    /// thread's work, where it may go to files.
    fn is_small(&self) -> bool {
        self.transaction.bytes() <= TurnLimits::LOOP.bytes && !self.transaction.is_spilled()
    }

    /// The transaction.
    pub fn transaction(&self) -> &Transaction {
        &self.transaction
    }

    /// Whether its plain SELECTs read a state that was chosen before.
    pub fn has_snapshot(&self) -> bool {
        self.snapshot.is_some()
    }

    /// The snapshot of its plain SELECTs.
    ///
    /// # Errors
    /// Those of `take`: the transaction has none then, as before.
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
    SqlError::new(
        ErrorCode::CantExecuteInReadOnlyTransaction,
        "Cannot execute statement in a READ ONLY transaction.",
    )
}

impl Session {
    pub(super) fn durability(&self) -> Durability {
        self.variables.durability.unwrap_or_else(|| self.sql.engine().durability())
    }

    pub(super) fn new_transaction(&self) -> Result<Transaction> {
        let wait = LockWait::AtMost(self.variables.lock_wait);
        let mut transaction = self.sql.engine().begin(wait)?;
        let kill = Arc::clone(&self.process.kill);
        transaction.give_up_if(Arc::new(move || kill.check().is_err()));
        transaction.obey_foreign_keys(self.variables.foreign_keys);
        if let Some(locks) = self.own_table_locks() {
            transaction.go_by(locks);
        }
        self.process.begin_transaction(transaction.lock_owner());
        Ok(transaction)
    }

    /// A wait that a KILL has ended is told as that.
    pub(super) fn told_apart(&self, error: SqlError) -> SqlError {
        match self.process.kill.check() {
            Err(killed) if error == SqlError::LockTimeout => killed.into(),
            _ => error,
        }
    }

    /// A fresh snapshot of everything.
    pub(super) fn fresh_snapshot(&self) -> Result<Arc<dyn Read>> {
        Ok(self.sql.engine().store().snapshot()?)
    }

    /// The level of the transaction that is open, or of the next one.
    pub(super) fn isolation(&self) -> IsolationLevel {
        let next = self.next_isolation.unwrap_or(self.variables.isolation);
        self.open.as_ref().map_or(next, |open| open.isolation)
    }

    /// Whether what a statement looks at with locks stays as it is until its transaction ends. One
    /// that ends with the statement does without, but for SERIALIZABLE: nobody looks again.
    pub(super) fn locks_ranges(&self) -> bool {
        match self.isolation() {
            IsolationLevel::Serializable => true,
            IsolationLevel::RepeatableRead => self.open.is_some(),
            IsolationLevel::ReadCommitted | IsolationLevel::ReadUncommitted => false,
        }
    }

    /// Whether plain reads lock what they look at: those of a transaction at SERIALIZABLE.
    pub(super) fn reads_lock(&self) -> bool {
        let is_in_one = self.open.is_some() || !self.variables.autocommit;
        is_in_one && self.isolation() == IsolationLevel::Serializable
    }

    /// Opens a transaction if autocommit is off and none is open.
    pub(super) fn open_implicitly(&mut self) -> Result<()> {
        // A global transaction whose writes were rolled back takes more, which go with it.
        if self.open.is_none() && (!self.variables.autocommit || self.xa.is_some()) {
            self.open_transaction(None)?;
        }
        Ok(())
    }

    /// Opens a transaction, for reading only as it is said or is the session's rule.
    pub(super) fn open_transaction(&mut self, read_only: Option<bool>) -> Result<()> {
        // What was said of the next transaction is of this one, whatever that says itself.
        let next = self.next_read_only.take();
        let read_only = read_only.or(next).unwrap_or(self.variables.read_only);
        let isolation = self.next_isolation.take().unwrap_or(self.variables.isolation);
        let transaction = self.new_transaction()?;
        let since = self.sql.engine().clock().unix_micros();
        self.open = Some(OpenTransaction {
            _shown: TransactionMark::begin(&self.process, since, isolation),
            transaction,
            snapshot: None,
            savepoints: Vec::new(),
            read_only,
            isolation,
            temporary: TemporaryChanges::default(),
        });
        Ok(())
    }

    /// BEGIN, START TRANSACTION.
    pub(super) fn begin(&mut self, read_only: Option<bool>, snapshot: bool) -> Result<Reply> {
        self.commit_open()?;
        self.give_up_named_locks();
        self.open_transaction(read_only)?;
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
        self.inserts.is_some() || self.open.as_ref().is_some_and(OpenTransaction::has_writes)
    }

    /// Whether what is open may be committed in an event loop, by a group.
    pub(super) fn may_commit_in_loop(&self) -> bool {
        self.inserts.is_none() && self.open.as_ref().is_none_or(OpenTransaction::is_small)
    }

    /// Takes the transaction that is open out of the session.
    pub(super) fn take_open(&mut self) -> Option<Transaction> {
        self.open.take().map(|open| open.transaction)
    }

    /// Commits what is open: COMMIT, and what commits implicitly.
    ///
    /// # Errors
    /// 1399 in a global transaction; those of the commit.
    pub(super) fn commit_open(&mut self) -> Result<()> {
        self.check_no_xa()?;
        self.finish_inserts()?;
        let durability = self.durability();
        match self.open.take() {
            Some(open) if !open.transaction.is_empty() => {
                Ok(open.transaction.commit(durability)?)
            }
            _ => Ok(()),
        }
    }

    /// COMMIT; with a group, what was written joins it.
    pub(super) fn commit(&mut self, chain: bool, group: Option<&mut Group>) -> Result<Reply> {
        let read_only = self.open.as_ref().is_some_and(|open| open.read_only);
        match (group, self.has_open_writes() && self.inserts.is_none()) {
            (Some(group), true) => {
                let durability = self.durability();
                if let Some(open) = self.open.take() {
                    group.add(open.transaction, durability);
                }
            }
            _ => self.commit_open()?,
        }
        if chain {
            self.open_transaction(Some(read_only))?;
        }
        Ok(self.done(0))
    }

    /// ROLLBACK.
    pub(super) fn rollback(&mut self, chain: bool) -> Result<Reply> {
        self.inserts = None;
        self.warn_of_temporary();
        let read_only = self.open.take().is_some_and(|open| open.read_only);
        if chain {
            self.open_transaction(Some(read_only))?;
        }
        Ok(self.done(0))
    }

    /// Notes that the open transaction makes a temporary table, or drops one.
    pub(super) fn note_temporary(&mut self, is_made: bool) {
        if let Some(open) = &mut self.open {
            let temporary = &mut open.temporary;
            *(if is_made { &mut temporary.made } else { &mut temporary.dropped }) = true;
        }
    }

    /// Says of a rollback what it leaves of temporary tables.
    fn warn_of_temporary(&self) {
        let Some(open) = &self.open else { return };
        let warn = |done: bool, code, what: &str| {
            if done {
                let message =
                    format!("The {what} of some temporary tables could not be rolled back.");
                self.warnings.borrow_mut().push(Level::Warning, code, message);
            }
        };
        let TemporaryChanges { made, dropped } = open.temporary;
        warn(made, ErrorCode::CreatedTempTableNotRolledBack, "creation");
        warn(dropped, ErrorCode::DroppedTempTableNotRolledBack, "dropping");
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

    /// The place of a savepoint.
    ///
    /// # Errors
    /// 1305.
    pub(super) fn find_savepoint(&self, name: &str) -> Result<usize> {
        let found = self.open.as_ref().and_then(|open| {
            open.savepoints.iter().position(|(known, _)| known.eq_ignore_ascii_case(name))
        });
        found.ok_or_else(|| {
            SqlError::new(ErrorCode::SpDoesNotExist, format!("SAVEPOINT {name} does not exist"))
        })
    }

    /// ROLLBACK TO SAVEPOINT.
    pub(super) fn rollback_to(&mut self, name: &str) -> Result<Reply> {
        let at = self.find_savepoint(name)?;
        self.warn_of_temporary();
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

    /// Runs a statement of several steps in a transaction of its own, if none is open: what its
    /// query has locked stays so until its rows are written.
    pub(super) fn in_one_transaction<T>(
        &mut self,
        work: impl FnOnce(&mut Session) -> Result<T>,
    ) -> Result<T> {
        self.open_implicitly()?;
        if self.open.is_some() {
            return work(self);
        }
        self.open_transaction(None)?;
        let result = catch_unwind(AssertUnwindSafe(|| work(self)));
        if !matches!(result, Ok(Ok(_))) {
            self.open = None;
        }
        let value = result.unwrap_or_else(|panic| resume_unwind(panic))?;
        self.commit_open()?;
        Ok(value)
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
        transaction.obey_foreign_keys(self.variables.foreign_keys);
        transaction.lock_ranges(self.locks_ranges());
        // What others have written into the group stays, whatever happens in here.
        let result = catch_unwind(AssertUnwindSafe(|| work(self, transaction)));
        transaction.obey_foreign_keys(true);
        transaction.lock_ranges(false);
        if !matches!(result, Ok(Ok(_))) {
            transaction.rollback_to(mark);
        }
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Whether a statement's writes may be tried in an event loop: they belong to the open
    /// transaction, or are one of their own that can join a group.
    pub(super) fn may_write_in_loop(&self, has_group: bool) -> bool {
        match &self.open {
            _ if self.inserts.is_some() => false,
            Some(open) => !open.read_only && open.is_small(),
            None => {
                let read_only = self.next_read_only.unwrap_or(self.variables.read_only);
                has_group && self.variables.autocommit && !read_only
            }
        }
    }

    /// Commits what is open before a definition is changed: as a transaction of its own that is,
    /// which a session of READ ONLY transactions does not have. START TRANSACTION READ ONLY ends
    /// with the commit (MySQL 9.7 and MariaDB 10.11 answer so).
    ///
    /// # Errors
    /// 1792; those of the commit.
    pub(super) fn begin_definition(&mut self) -> Result<()> {
        self.commit_open()?;
        (self.next_read_only, self.next_isolation) = (None, None);
        match self.variables.read_only {
            true => Err(read_only_error()),
            false => Ok(()),
        }
    }

    /// Error 1792 where the transaction that begins now may only read.
    pub(super) fn check_writable(&mut self) -> Result<()> {
        let read_only = self.next_read_only.take().unwrap_or(self.variables.read_only);
        match read_only && !self.writes_temporary {
            true => Err(read_only_error()),
            false => Ok(()),
        }
    }

    /// Runs the writes of one statement: in the open transaction, or in one of its own that is
    /// committed.
    pub(super) fn writing<T>(
        &mut self,
        how: ExecutionMode,
        work: impl FnOnce(&mut Session, &mut Transaction) -> Result<T>,
    ) -> Result<T> {
        self.locking(how, false, work)
    }

    /// The same of a statement that may only read, where it `only_reads`.
    pub(super) fn locking<T>(
        &mut self,
        how: ExecutionMode,
        only_reads: bool,
        work: impl FnOnce(&mut Session, &mut Transaction) -> Result<T>,
    ) -> Result<T> {
        self.open_implicitly()?;
        let locks_ranges = self.locks_ranges();
        let Some(mut open) = self.open.take() else {
            if !only_reads {
                self.check_writable()?;
            }
            self.next_isolation = None;
            let mut transaction = self.new_transaction()?;
            transaction.lock_ranges(locks_ranges);
            let result = work(self, &mut transaction).map_err(|error| self.told_apart(error))?;
            if !transaction.is_empty() {
                transaction.commit(self.durability())?;
            }
            return Ok(result);
        };
        if open.read_only && !only_reads && !self.writes_temporary {
            self.open = Some(open);
            return Err(read_only_error());
        }
        let lock_wait = LockWait::AtMost(self.variables.lock_wait);
        open.transaction.set_wait(if how.may_wait { lock_wait } else { LockWait::Never });
        let mark = open.transaction.savepoint();
        let entered = open.transaction.entered().len();
        open.transaction.obey_foreign_keys(self.variables.foreign_keys);
        open.transaction.lock_ranges(locks_ranges);
        let result = work(self, &mut open.transaction);
        let result = result.map_err(|error| self.told_apart(error));
        open.transaction.set_wait(lock_wait);
        if open.transaction.entered().len() != entered {
            self.process.note_tables(open.transaction.entered());
        }
        match &result {
            // The transaction is gone, with all its locks.
            Err(SqlError::Deadlock) => {
                drop(open);
                self.note_xa_deadlock();
            }
            Err(_) => {
                open.transaction.rollback_to(mark);
                self.open = Some(open);
            }
            Ok(_) => self.open = Some(open),
        }
        result
    }
}
