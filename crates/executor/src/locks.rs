//! Rows that are to be locked: those that SELECTs with FOR UPDATE join, wherever they stand in a
//! query.
//!
//! A run only notes them, or looks whether others have them; the caller locks them, and runs the
//! query again under the locks (`session::locked_query`).
//!
//! Invariants
//! 1. A row that others have locked is as if it were not there where SKIP LOCKED is said:
//!    conditions never see it, and an outer join has NULLs in its place.
//!
//! Not here: SELECT of one table, which locks as it reads (`session::locking`).

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use expression::{JoinedRow, RowView, Scope};
use rows::find::{Flow, FoundRow};
use rows::merged::Span;
use rows::row_lock_wait::LockMode;
use rows::store::{Direction, KeyRange};
use rows::table::Table;

use super::{Execution, ROW_BYTES};
use plan::point::{IndexRanges, Ranges};
use plan::tree::{LockConflict, Locking, Relation, Select, Source};
use results::Result;

/// The rows that a statement locks, from run to run.
#[derive(Default)]
pub struct RowLocks {
    /// Those that are locked already, and those that a run has met, and how.
    met: RefCell<HashMap<Vec<u8>, LockMode>>,
    /// Those that another was quicker to lock: the statement goes without them.
    skipped: RefCell<HashSet<Vec<u8>>>,
    wanted: RefCell<Vec<RowLockRequest>>,
    /// Ranges that a run has met, from their starts on, and those of them that are not locked.
    met_ranges: RefCell<HashSet<(Vec<u8>, Vec<u8>)>>,
    ranges: RefCell<Vec<RangeLockRequest>>,
}

/// A row to be locked.
pub struct RowLockRequest {
    /// Its table.
    pub table: Arc<Table>,
    /// Its key.
    pub key: Vec<u8>,
    /// What is done if another has it.
    pub locking: Locking,
}

/// Ranges of a table's indexes to be locked.
pub struct RangeLockRequest {
    /// The table.
    pub table: Arc<Table>,
    /// The ranges.
    pub ranges: Vec<KeyRange>,
    /// What is done about rows on their way in.
    pub locking: Locking,
}

impl RowLocks {
    /// The ranges that were met and are not locked.
    pub fn take_ranges(&self) -> Vec<RangeLockRequest> {
        self.ranges.take()
    }

    /// The rows that were met and are not locked, as they were met.
    pub fn take_wanted(&self) -> Vec<RowLockRequest> {
        self.wanted.take()
    }

    /// Has the statement go without a row that it could not lock.
    pub fn skip(&self, row: RowLockRequest) {
        self.met.borrow_mut().remove(&row.key);
        self.skipped.borrow_mut().insert(row.key);
    }

    /// The memory that it takes, about.
    pub fn bytes(&self) -> usize {
        let (met, skipped) = (self.met.borrow(), self.skipped.borrow());
        let key = met.keys().next().map_or(0, Vec::len);
        let ranges = self.met_ranges.borrow().len();
        (met.len() + skipped.len() + 2 * ranges) * 2 * (key + ROW_BYTES)
    }

    /// Notes ranges; those that are new.
    fn want_ranges(&self, table: &Arc<Table>, found: &Ranges, locking: Locking) {
        let mut met = self.met_ranges.borrow_mut();
        let is_new = |range: &&KeyRange| met.insert((range.start.clone(), range.end.clone()));
        let ranges: Vec<KeyRange> = found.iter().filter(is_new).cloned().collect();
        if !ranges.is_empty() {
            let table = Arc::clone(table);
            self.ranges.borrow_mut().push(RangeLockRequest { table, ranges, locking });
        }
    }

    /// Notes a row; `false` if that was done already.
    fn want(&self, table: &Arc<Table>, key: &[u8], locking: Locking) -> bool {
        // Whatever is locked alone is locked beside others, too.
        match self.met.borrow().get(key) {
            Some(LockMode::Exclusive) => return false,
            Some(mode) if *mode == locking.mode => return false,
            _ => {}
        }
        self.met.borrow_mut().insert(key.to_vec(), locking.mode);
        let (table, key) = (Arc::clone(table), key.to_vec());
        self.wanted.borrow_mut().push(RowLockRequest { table, key, locking });
        true
    }
}

impl Execution<'_> {
    /// Whether a relation goes without a row that was found for it.
    pub(super) fn skips_locked(&self, relation: &Relation, row: &JoinedRow<'_>) -> bool {
        let (Some((locks, transaction)), JoinedRow::Stored(_, key)) = (self.locks, row) else {
            return false;
        };
        relation.locking.is_some_and(|locking| {
            locking.on_conflict == LockConflict::SkipLocked
                && !locks.met.borrow().contains_key(*key)
                && (locks.skipped.borrow().contains(*key)
                    || transaction.is_locked_by_others(key, locking.mode))
        })
    }

    /// Where ranges are locked: notes those that a relation is looked for in, and all rows there,
    /// whether or not they meet a condition.
    pub(super) fn note_ranges(
        &self,
        relation: &Relation,
        table: &Arc<Table>,
        found: &Ranges,
    ) -> Result<()> {
        let (Some((locks, transaction)), Some(locking)) = (self.locks, relation.locking) else {
            return Ok(());
        };
        if !transaction.locks_ranges() || !locking.with_ranges {
            return Ok(());
        }
        locks.want_ranges(table, found, locking);
        // What others have locked is not there, and who waits for nothing looks at nothing else.
        if locking.on_conflict == LockConflict::SkipLocked {
            return Ok(());
        }
        for part in 0..=found.others.len() {
            let IndexRanges { index, ranges } = found.part(part);
            for range in ranges {
                let mut failed = Ok(());
                let mut visit = |row: FoundRow<'_>| {
                    failed = self.look(1);
                    if failed.is_ok() && locks.want(table, row.key, locking) {
                        failed = self.draw(2 * (row.key.len() + ROW_BYTES));
                    }
                    Ok(if failed.is_ok() { Flow::Continue } else { Flow::Stop })
                };
                let (span, reach) = (Span::One(range), self.how.reach);
                let forward = Direction::Forward;
                self.engine
                    .find_if(self.view, table, *index, span, forward, reach, None, &mut visit)?;
                failed?;
            }
        }
        Ok(())
    }

    /// Notes the rows that a SELECT has joined, as far as it locks them.
    pub(super) fn note_locked(&self, select: &Select, row: &Scope<'_>) -> Result<()> {
        let Some((locks, _)) = self.locks else { return Ok(()) };
        let RowView::Joined(joined) = row.row else { return Ok(()) };
        for (number, relation) in select.relations.iter().enumerate() {
            let (Source::Table(table), Some(locking)) = (&relation.source, relation.locking) else {
                continue;
            };
            if let Some(key) = joined.key(number)
                && locks.want(table, key, locking)
            {
                self.draw(2 * (key.len() + ROW_BYTES))?;
            }
        }
        Ok(())
    }
}
