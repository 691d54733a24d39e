//! FOR UPDATE and FOR SHARE anywhere in a query but the plain SELECT of one table: in joins, derived tables,
//! sub-queries, sides of a UNION.
//!
//! The query is run to see which rows it joins, these are locked, and it is run again under the locks, until no
//! further row has to be locked.
//!
//! Invariants
//! 1. What is given was found in a state that is not older than the last lock.
//! 2. A query ends: a run that got locks is repeated so often at most, and one that got none because others
//!    were quicker was preceded by their getting on.
//!
//! Not here: SELECT of one table (`locking`), which rows are met (`executor::locks`).

use std::collections::HashSet;

use rows::store::LockWait;
use rows::transaction::Transaction;
use values::datum::Datum;

use super::Session;
use super::locking::lock_row;
use crate::context::SqlContext;
use crate::error::{Result, SqlError};
use crate::executor::{self, Bounds, Failure, Limits, RowLocks};
use crate::reply::How;
use crate::tree::QueryPlan;

/// How often a query is run again because rows came meanwhile.
const RUNS_MAX: usize = 16;

impl Session {
    /// Runs a query that locks, in the open transaction or one of its own.
    pub(super) fn run_locking(
        &mut self,
        plan: &QueryPlan,
        facts: &SqlContext,
        parameters: &[Datum<'_>],
    ) -> Result<executor::Rows> {
        self.writing(How::POOL, |session, transaction| {
            session.run_under_locks(transaction, plan, facts, parameters)
        })
    }

    /// The same in a given transaction.
    pub(super) fn run_under_locks(
        &self,
        transaction: &mut Transaction,
        plan: &QueryPlan,
        facts: &SqlContext,
        parameters: &[Datum<'_>],
    ) -> Result<executor::Rows> {
        let mut held: HashSet<Vec<u8>> = HashSet::new();
        let usual = LockWait::AtMost(self.variables.lock_wait);
        let mut runs = 0;
        while runs < RUNS_MAX {
            facts.kill.check()?;
            let is_others = |key: &[u8]| transaction.is_locked_by_others(key);
            let locks = RowLocks::new(held, &is_others);
            let found = self.run_noting(&locks, transaction, plan, facts, parameters)?;
            let (met, wanted) = locks.into_parts();
            held = met;
            if wanted.is_empty() {
                return Ok(found);
            }
            // The next run warns anew.
            drop(self.warnings.take());
            let mut had_all = true;
            for row in &wanted {
                if !lock_row(transaction, &row.table, &row.key, row.locking, usual)? {
                    // Another was quicker; the next run passes it over.
                    held.remove(&row.key);
                    had_all = false;
                }
            }
            runs += usize::from(had_all);
        }
        Err(SqlError::deadlock())
    }

    /// One run, over the latest state with the transaction's own writes.
    fn run_noting(
        &self,
        locks: &RowLocks<'_>,
        transaction: &Transaction,
        plan: &QueryPlan,
        facts: &SqlContext,
        parameters: &[Datum<'_>],
    ) -> Result<executor::Rows> {
        let base = self.fresh_snapshot()?;
        let own = (!transaction.is_empty()).then(|| transaction.view_at(&*base));
        let view = own.as_deref().unwrap_or(&*base);
        let (how, bounds) = (How::POOL, Bounds::NONE);
        let limits = Limits { view, how, bounds, locks: Some(locks), measures: None };
        match self.run_with(plan, facts, parameters, &limits) {
            Ok(found) => Ok(found),
            Err(Failure::Error(error)) => Err(error),
            Err(Failure::TooLong) => Err(SqlError::other("a run without a limit")),
        }
    }
}
