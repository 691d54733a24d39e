//! FOR UPDATE and FOR SHARE anywhere in a query but the plain SELECT of one table: in joins,
//! derived tables, sub-queries, sides of a UNION.
//!
//! The query is run to see which rows it joins, these are locked, and it is run again under the
//! locks, until no further row has to be locked. Where ranges are locked these are all rows that it
//! looks at, and the ranges that it looks for them in.
//!
//! Invariants
//! 1. What is given was found in a state that is not older than the last lock.
//! 2. A query ends: each run but the last locks rows, so often at most, or has found one to go
//!    without.
//!
//! Not here: SELECT of one table (`locking`), which rows are met (`executor::locks`).

use std::sync::Arc;
use std::time::Duration;

use expression::limits::Room;
use rows::store::{LockWait, Read};
use rows::transaction::Transaction;
use values::datum::Datum;

use super::Session;
use super::locking::{lock_row, nowait};
use crate::write::Patience;
use executor::{self, Limits, RangeLockRequest, RowLocks, beyond_no_bounds};
use plan::context::SqlContext;
use plan::tree::{LockConflict, QueryPlan};
use results::{ExecutionMode, Result, RowStream};

/// What a query has found under its locks.
pub(super) struct FoundLocked {
    /// The rows.
    pub rows: executor::ResultRows,
    /// What its expressions have seen and left behind.
    pub facts: Arc<SqlContext>,
    /// The state that it was found in, without the transaction's own writes.
    pub base: Arc<dyn Read>,
}

impl Session {
    /// The rows of a query that locks, in the open transaction or one that ends with it.
    pub(super) fn select_locked(
        &mut self,
        plan: &QueryPlan,
        parameters: &[Datum<'_>],
    ) -> Result<RowStream> {
        let only_reads = self.reads_lock();
        let found = self.locking(ExecutionMode::POOL, only_reads, |session, transaction| {
            session.run_under_locks(transaction, plan, parameters)
        })?;
        self.stream_of(plan, &found.facts, found.rows)
    }

    /// Runs a query until all rows that it joins are locked.
    pub(super) fn run_under_locks(
        &self,
        transaction: &mut Transaction,
        plan: &QueryPlan,
        parameters: &[Datum<'_>],
    ) -> Result<FoundLocked> {
        let locks = RowLocks::default();
        let usual = LockWait::AtMost(self.variables.lock_wait);
        // What is met is kept from run to run.
        let mut _room = Room::default();
        let mut patience = Patience::of(transaction);
        loop {
            let found = self.run_noting(&locks, transaction, plan, parameters)?;
            let (ranges, wanted) = (locks.take_ranges(), locks.take_wanted());
            if ranges.is_empty() && wanted.is_empty() {
                return Ok(found);
            }
            _room = Room::default();
            _room = self.limits.take(locks.bytes())?;
            // The next one warns, and sets variables, again.
            drop(self.warnings.take());
            for range in &ranges {
                self.process.kill.check()?;
                claim(transaction, range, usual)?;
            }
            for row in wanted {
                self.process.kill.check()?;
                if !lock_row(transaction, &row.table, &row.key, row.locking, usual)? {
                    locks.skip(row);
                }
            }
            patience.go_on()?;
        }
    }

    /// One run, over the latest state with the transaction's own writes.
    fn run_noting(
        &self,
        locks: &RowLocks,
        transaction: &Transaction,
        plan: &QueryPlan,
        parameters: &[Datum<'_>],
    ) -> Result<FoundLocked> {
        let (facts, base) = (self.facts(), self.fresh_snapshot()?);
        let own = (!transaction.is_empty()).then(|| transaction.view_at(&*base));
        let view = own.as_deref().unwrap_or(&*base);
        let limits = Limits { locks: Some((locks, transaction)), ..Limits::none(view) };
        let result = self.run_with(plan, &facts, parameters, &limits);
        drop(own);
        let rows = result?.ok_or_else(beyond_no_bounds)?;
        Ok(FoundLocked { rows, facts, base })
    }
}

/// Locks ranges that a query looks at, and waits for rows on their way into them. They are kept
/// while that, and rows, are waited for: the query finds everything again under its locks.
fn claim(transaction: &mut Transaction, asked: &RangeLockRequest, usual: LockWait) -> Result<()> {
    let RangeLockRequest { table, ranges, locking } = asked;
    transaction.claim_ranges(table, ranges, locking.mode, None)?;
    transaction.keep_ranges();
    let wait = match locking.on_conflict {
        LockConflict::SkipLocked => return Ok(()),
        LockConflict::NoWait => LockWait::AtMost(Duration::ZERO),
        LockConflict::Wait => usual,
    };
    match (transaction.await_inserts(ranges, wait), locking.on_conflict) {
        (Err(rows::Error::LockTimeout | rows::Error::Conflict), LockConflict::NoWait) => {
            Err(nowait())
        }
        (awaited, _) => Ok(awaited?),
    }
}
