//! SELECT ... FOR UPDATE of one table: the rows that match are locked, and given as they are under
//! their locks.
//!
//! Such a read is the first half of most transactions that change a row, and is done where the
//! second half is: in the event loop, if it is about few rows that are in memory. A lock that
//! another holds makes the statement begin again when it may be free, as with UPDATE
//! (docs/decisions/0069-lock-waits-in-loops.md).
//!
//! Invariants
//! 1. A row is given only if it meets the condition under its lock, whatever it was before. A scan
//!    that had to wait is run again over the newest rows (`write::settled`).
//! 2. In an event loop nothing waits: neither for a lock nor for a disk.
//! 3. What is scanned is claimed before: nobody else has a row in it that is not committed, and
//!    where ranges are locked nobody puts one in.
//!
//! Not here: joins and other queries (`locked_query`), how locks are waited for (`rows::locks`).

use std::sync::Arc;
use std::time::Duration;

use expression::{RowView, Scope};
use rows::engine::Engine;
use rows::row_lock_wait::LockMode;
use rows::store::{Direction, KeyRange, LockWait, Reach};
use rows::table::Table;
use rows::transaction::Transaction;
use values::ErrorCode;

use super::Session;
use super::source::{TableSource, holds_all};
use crate::write::{Currency, LOOP_PIECE, until_settled};
use executor::{Filter, GatheredRows, Gatherer, PieceLimits, sort_rows};
use plan::context::SqlContext;
use plan::terms::is_volatile;
use plan::tree::{LockConflict, Locking, PointSelect, RowOrigin};
use results::{ExecutionMode, Result, RowStream, SqlError};

/// How much is read at a time where LIMIT says how many rows are wanted: those that others have
/// locked may have to be skipped, or are gone when their lock is had.
const LIMITED_PIECE: PieceLimits =
    PieceLimits { bytes_max: 64 << 10, rows_max: 64, ..PieceLimits::ALL };

impl Session {
    /// Locks and reads; `offset` and `limit` as the statement has them.
    ///
    /// # Errors
    /// `would_wait` in an event loop for what is more than a few rows, or not within a transaction
    /// that is small enough for one.
    pub(super) fn locking_read(
        &mut self,
        plan: &Arc<PointSelect>,
        (offset, limit): (u64, u64),
        scope: &Scope<'_>,
        facts: Option<&Arc<SqlContext>>,
        how: ExecutionMode,
    ) -> Result<RowStream> {
        self.open_implicitly()?;
        if !how.may_wait && !self.may_write_in_loop(false) {
            return Err(SqlError::WouldWait);
        }
        let Some(from) = &plan.from else { return Err(SqlError::other("nothing to lock")) };
        let engine = Arc::clone(self.sql.engine());
        let mut found = from.access.ranges(&from.table, scope)?;
        let access = &from.access;
        access.note_scan(&found, &self.process.kill);
        let all_terms = found.all_terms;
        // An index that cannot be used as planned does not give the order either.
        let sorted = !from.sort.is_empty() && (!from.sorted || all_terms);
        // LIMIT counts the rows that are had, so that those skipped do not count.
        let locking = from.locking.unwrap_or(Locking::IMPLIED);
        let skips = locking.on_conflict == LockConflict::SkipLocked;
        // So that a row which has gone when its lock is had is made up for by the next.
        let cut_later = sorted || skips || limit != u64::MAX || offset > 0;
        let (skip, take) = if cut_later { (0, u64::MAX) } else { (offset, limit) };
        let usual = match how.may_wait {
            true => LockWait::AtMost(self.variables.lock_wait),
            false => LockWait::Never,
        };
        // Rows that are named are locked first, and those that are not there as well: who looks
        // whether a row is there, so as to insert it, does so before or after another.
        let named = found.take_row_keys(u64::MAX);
        if !how.may_wait && named.as_ref().is_some_and(|keys| keys.len() > LOOP_PIECE.rows_max) {
            return Err(SqlError::WouldWait);
        }
        // With the ranges all rows in them are locked, whether or not they meet the condition: who
        // changes one of them might have it do so. Where several indexes find a row, only the
        // filter says which of them it counts at.
        let has_one_index = found.others.is_empty();
        let locks_all = self.locks_ranges() && has_one_index;
        let is_plain = limit == u64::MAX && !from.index_use.is_forced() && !self.locks_ranges();
        let is_any = from.sort.is_empty() && is_plain;
        let entry_columns = access.entry_columns(all_terms).filter(|_| !locks_all);
        let ranges: Vec<KeyRange> = found.iter().cloned().collect();
        let gatherer_of = |found| {
            Gatherer::new(found, access.direction, skip, take)
                .asking_entries(entry_columns)
                .in_any_order(is_any)
        };
        let mut gatherer = gatherer_of(found);
        let wanted = if cut_later && !sorted { offset.saturating_add(limit) } else { u64::MAX };
        let piece = match wanted {
            _ if !how.may_wait => LOOP_PIECE,
            u64::MAX => PieceLimits::ALL,
            _ => LIMITED_PIECE,
        };
        let mut had = LockedRows {
            engine: &engine,
            from,
            scope,
            reach: how.reach,
            locking,
            usual,
            wanted,
            rows: GatheredRows::default(),
        };
        let currency = match named.is_none() && !access.terms.iter().any(is_volatile) {
            true => Currency::UnlessWaited,
            false => Currency::Current,
        };
        let mut keys = named.unwrap_or_default();
        if access.direction == Direction::Backward {
            keys.reverse();
        }
        let mut is_first = true;
        let mut run = |transaction: &mut Transaction| -> Result<((), Currency)> {
            if !std::mem::replace(&mut is_first, false) {
                had.rows = GatheredRows::default();
                gatherer = gatherer_of(from.access.ranges(&from.table, scope)?);
            }
            for key in &keys {
                had.take(transaction, key)?;
            }
            if !ranges.is_empty() {
                had.claim(transaction, &ranges, how)?;
            }
            let mut filter = |row: RowView<'_>, candidate| {
                access.takes(&scope.with_row(row), candidate, all_terms)
            };
            let mut found = GatheredRows::default();
            while !had.is_enough() && !gatherer.is_done() {
                found.clear();
                let filter: Option<&mut Filter<'_>> =
                    if locks_all { None } else { Some(&mut filter) };
                let (table, view) = (&from.table, transaction.view());
                gatherer.fill(&engine, table, view, how.reach, piece, filter, &mut found)?;
                for n in 0..found.len() {
                    had.take(transaction, found.key(n))?;
                }
                if !how.may_wait && !had.is_enough() && !gatherer.is_done() {
                    return Err(SqlError::WouldWait);
                }
            }
            if sorted {
                sort_rows(&mut had.rows, &from.table, &from.sort, scope)?;
            } else if had.is_enough() && has_one_index && !had.rows.is_empty() {
                let last = had.rows.len() - 1;
                let row = had.rows.row(&from.table, last)?.values()?;
                let of_row = (had.rows.key(last), &row[..]);
                transaction.cut_ranges(&from.table, access.index, of_row, access.direction)?;
            }
            Ok(((), currency))
        };
        let only_reads = locking.mode == LockMode::Shared;
        self.locking(how, only_reads, |_, transaction| {
            until_settled(transaction, || (), &mut run)
        })?;
        let gathered = had.rows;
        let mut source = TableSource {
            gathered,
            ..TableSource::new(plan, gatherer, facts, &self.limits, scope)
        };
        let passed = match cut_later {
            true => source.cut(offset, limit),
            false => source.gatherer.passed(),
        };
        self.found_rows.set(passed + source.gathered.len() as u64);
        source.keep_parameters(scope.parameters);
        Ok(RowStream::new(Arc::clone(&plan.columns), scope.zone, Box::new(source)))
    }
}

/// The rows that a locking read has had so far.
struct LockedRows<'a> {
    engine: &'a Engine,
    from: &'a RowOrigin,
    scope: &'a Scope<'a>,
    reach: Reach,
    locking: Locking,
    /// How the transaction waits for locks otherwise.
    usual: LockWait,
    /// How many there are to be.
    wanted: u64,
    rows: GatheredRows,
}

impl LockedRows<'_> {
    fn is_enough(&self) -> bool {
        self.rows.len() as u64 >= self.wanted
    }

    /// Claims ranges that are scanned next.
    fn claim(
        &self,
        transaction: &mut Transaction,
        ranges: &[KeyRange],
        how: ExecutionMode,
    ) -> Result<()> {
        let wait = match self.locking.on_conflict {
            LockConflict::SkipLocked => None,
            LockConflict::NoWait if how.may_wait => Some(LockWait::AtMost(Duration::ZERO)),
            LockConflict::NoWait | LockConflict::Wait => Some(self.usual),
        };
        let claimed = transaction.claim_ranges(&self.from.table, ranges, self.locking.mode, wait);
        claimed.map_err(|error| match (error, self.locking.on_conflict) {
            (rows::Error::LockTimeout | rows::Error::Conflict, LockConflict::NoWait) => nowait(),
            (error, _) => error.into(),
        })
    }

    /// Locks the row with a key, unless there are enough, and takes it if it still meets the
    /// condition.
    fn take(&mut self, transaction: &mut Transaction, key: &[u8]) -> Result<()> {
        let table = &self.from.table;
        if self.is_enough() || !lock_row(transaction, table, key, self.locking, self.usual)? {
            return Ok(());
        }
        let (engine, terms, scope) = (self.engine, &self.from.access.terms, self.scope);
        let rows = &mut self.rows;
        let mut outcome = Ok(false);
        engine.get(transaction.view(), table, key, self.reach, &mut |found| {
            outcome = holds_all(terms, found.row, scope);
            if let Ok(true) = outcome {
                rows.push(engine.budget(), found.key, found.row.bytes())?;
            }
            Ok(())
        })?;
        outcome.map(drop)
    }
}

/// Locks a row as the statement says; `false` for one to be skipped. `usual`: how the transaction
/// waits.
pub(super) fn lock_row(
    transaction: &mut Transaction,
    table: &Arc<Table>,
    key: &[u8],
    locking: Locking,
    usual: LockWait,
) -> Result<bool> {
    if locking.on_conflict == LockConflict::Wait {
        transaction.lock_row_as(table, key, locking.mode)?;
        return Ok(true);
    }
    // Neither is said of a change of the table's definition.
    transaction.enter(table)?;
    transaction.set_wait(LockWait::AtMost(Duration::ZERO));
    let locked = transaction.lock_row_as(table, key, locking.mode);
    transaction.set_wait(usual);
    match (locked, locking.on_conflict) {
        (Ok(()), _) => Ok(true),
        (Err(rows::Error::LockTimeout | rows::Error::Conflict), LockConflict::SkipLocked) => {
            Ok(false)
        }
        (Err(rows::Error::LockTimeout | rows::Error::Conflict), _) => Err(nowait()),
        (Err(error), _) => Err(error.into()),
    }
}

/// Error 3572.
pub(super) fn nowait() -> SqlError {
    SqlError::new(
        ErrorCode::LockNowait,
        "Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set.",
    )
}
