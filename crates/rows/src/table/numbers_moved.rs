//! AUTO_INCREMENT counters that are written down with a commit, or as the server ends.
//!
//! Invariants
//! 1. A counter is written in the commit that takes a row away, unless what is written is above the
//!    row's number already: for a queue, once for all the rows that were in it at that time.
//! 2. What failed to be written does not count as written.
//!
//! Not here: what is written down (`kept_numbers`), the counter and when it is read
//! (`transaction::counters`), numbers that ALTER TABLE takes away, which are in the definition
//! (`alter::carry_out`).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::kept_numbers::KeptNumbers;
use super::state::TableState;
use super::version::Table;
use crate::error::Result;
use crate::schema::TableId;
use crate::store::{Change, StoreTransaction};

/// Counters that a transaction writes down, of tables that it takes rows from.
#[derive(Debug, Default)]
pub(crate) struct NumbersMoved {
    leaving: Vec<(TableId, Arc<TableState>)>,
    /// On their way to the store.
    written: Vec<(Arc<TableState>, u64)>,
}

impl NumbersMoved {
    /// A row with this number goes, or gets another one. The table's counter has been read.
    pub(super) fn leave(&mut self, table: &Table, number: u64) {
        let is_told = number < table.state.kept_numbers.highest();
        if !is_told && !self.leaving.iter().any(|(id, _)| *id == table.id) {
            self.leaving.push((table.id, Arc::clone(&table.state)));
        }
    }

    /// Writes the counters down with the transaction's own writes, which are complete.
    pub(super) fn write(&mut self, store: &mut dyn StoreTransaction) {
        for (id, state) in std::mem::take(&mut self.leaving) {
            let next = state.auto_increment.load(Ordering::SeqCst);
            if next <= state.kept_numbers.highest() {
                continue;
            }
            for needless in state.kept_numbers.take_below(id, next) {
                store.delete(needless);
            }
            store.put(KeptNumbers::key(id, next), Vec::new());
            self.written.push((state, next));
        }
    }

    /// They are in the store.
    pub(super) fn committed(self) {
        self.written.into_iter().for_each(|(state, next)| state.kept_numbers.add(next));
    }
}

impl Table {
    /// Has the counter written down, as the server ends; nobody writes to the table any more.
    /// `write` is not called where it is written, or was not read.
    ///
    /// # Errors
    /// Those of `write`.
    pub(crate) fn keep_next_number(
        &self,
        write: impl FnOnce(Vec<Change>) -> Result<()>,
    ) -> Result<()> {
        let next = self.state.auto_increment.load(Ordering::SeqCst);
        let kept = &self.state.kept_numbers;
        if self.auto_increment().is_none() || self.is_temporary() || next <= kept.highest() {
            return Ok(());
        }
        let needless = kept.take_below(self.id, next).into_iter();
        let mut changes: Vec<Change> = needless.map(Change::delete).collect();
        changes.push(Change::put(KeptNumbers::key(self.id, next), Vec::new()));
        write(changes)?;
        kept.add(next);
        Ok(())
    }
}
