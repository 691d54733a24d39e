//! Rows that are to be locked: those that SELECTs with FOR UPDATE join, wherever they stand in a query.
//!
//! A run only notes them, or looks whether others have them; who began it locks them, and runs the query again
//! under the locks (`session::locked_query`).
//!
//! Invariants
//! 1. A row that others have locked is as if it were not there where SKIP LOCKED is said: conditions never see it,
//!    and an outer join has NULLs in its place.
//!
//! Not here: SELECT of one table, which locks as it reads (`session::locking`).

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

use expression::{JoinedRow, RowView, Scope};
use rows::table::Table;

use super::{Execution, ROW_BYTES};
use crate::error::Result;
use crate::tree::{Locking, Relation, Select, Source};

/// The rows of one run that are to be locked.
pub struct RowLocks<'a> {
    /// Those that are locked already, and those that were met.
    seen: RefCell<HashSet<Vec<u8>>>,
    wanted: RefCell<Vec<Wanted>>,
    is_others: &'a dyn Fn(&[u8]) -> bool,
}

/// A row to be locked.
pub struct Wanted {
    /// Its table.
    pub table: Arc<Table>,
    /// Its key.
    pub key: Vec<u8>,
    /// What is done if another has it.
    pub locking: Locking,
}

impl<'a> RowLocks<'a> {
    /// For a run by who has locked `held`; `is_others`: whether another has the row of a key now.
    pub fn new(held: HashSet<Vec<u8>>, is_others: &'a dyn Fn(&[u8]) -> bool) -> RowLocks<'a> {
        RowLocks { seen: RefCell::new(held), wanted: RefCell::default(), is_others }
    }

    /// What is locked or to be locked, and of these those that were not locked before the run, as they were met.
    pub fn into_parts(self) -> (HashSet<Vec<u8>>, Vec<Wanted>) {
        (self.seen.into_inner(), self.wanted.into_inner())
    }

    /// Whether a relation goes without a row because another has locked it.
    fn skips(&self, relation: &Relation, key: &[u8]) -> bool {
        relation.locking == Some(Locking::SkipLocked)
            && !self.seen.borrow().contains(key)
            && (self.is_others)(key)
    }

    /// Notes a row; `false` if that was done already.
    fn want(&self, table: &Arc<Table>, key: &[u8], locking: Locking) -> bool {
        if self.seen.borrow().contains(key) {
            return false;
        }
        self.seen.borrow_mut().insert(key.to_vec());
        let (table, key) = (Arc::clone(table), key.to_vec());
        self.wanted.borrow_mut().push(Wanted { table, key, locking });
        true
    }
}

impl Execution<'_> {
    /// Whether a relation goes without a row that was found for it.
    pub(super) fn skips_locked(&self, relation: &Relation, row: &JoinedRow<'_>) -> bool {
        match (self.locks, row) {
            (Some(locks), JoinedRow::Stored(_, key)) => locks.skips(relation, key),
            _ => false,
        }
    }

    /// Notes the rows that a SELECT has joined, as far as it locks them.
    pub(super) fn note_locked(&self, select: &Select, row: &Scope<'_>) -> Result<()> {
        let Some(locks) = self.locks else { return Ok(()) };
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
