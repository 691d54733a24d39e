//! INSERTs as one load: LOAD INSERTS INTO TABLE, then INSERT ... VALUES statements, then COMMIT.
//!
//! For clients that have many INSERTs and nothing else, as those of a dump. Their rows go past the
//! transactions as those of LOAD DATA do (`rows::bulk`), and appear at COMMIT.
//!
//! Invariants
//! 1. Rows that share a key with each other, or with one that is there, are an error at COMMIT.
//! 2. A load that is dropped leaves nothing.
//!
//! Not here: which statements are let in (`session::inserts`).

use std::sync::Arc;

use rows::bulk::{BulkLoad, OnDuplicate, Progress};
use rows::table::Table;
use rows::transaction::{NumberRules, Transaction};

use super::filler::Filler;
use crate::write::{InsertPlan, RowNumber, Tally, WriteContext, WriteOutcome, given};
use results::Result;

/// A load that takes the rows of INSERTs.
pub(crate) struct InsertLoad {
    table: Arc<Table>,
    bulk: BulkLoad,
    filler: Filler,
}

impl InsertLoad {
    /// Begins one; `None` where the table's rows have to go by transactions.
    ///
    /// # Errors
    /// As `BulkLoad::begin`; 1041 when there is no memory.
    pub fn begin(
        transaction: Transaction,
        table: Arc<Table>,
        rules: NumberRules,
    ) -> Result<Option<InsertLoad>> {
        let Some(mut bulk) = BulkLoad::begin(transaction, &table, OnDuplicate::Error)? else {
            return Ok(None);
        };
        let filler = Filler::begin(&mut bulk, rules)?;
        Ok(Some(InsertLoad { table, bulk, filler }))
    }

    /// Whether it takes the rows of such a statement.
    pub fn takes(&self, plan: &InsertPlan) -> bool {
        Arc::ptr_eq(&self.table, plan.table()) && plan.on_duplicate() == Some(OnDuplicate::Error)
    }

    /// How far it is.
    pub fn progress(&self) -> &Arc<Progress> {
        self.bulk.progress()
    }

    /// Takes a statement's rows; `runs` as for `InsertPlan::run`.
    ///
    /// # Errors
    /// Those of its values; the load has some of its rows then, and is of no use any more.
    pub fn insert(
        &mut self,
        plan: &InsertPlan,
        context: &WriteContext<'_>,
        runs: &[u32],
    ) -> Result<WriteOutcome> {
        let numbered = self.table.auto_increment();
        let mut written = WriteOutcome::default();
        let rows = plan.make_rows(context, runs, &mut |_, row| {
            let came_with = numbered.map(|at| (at, row[at].clone()));
            self.filler.number(row)?;
            if let Some((at, value)) = came_with {
                let kind = match row[at] == value {
                    true => RowNumber::Given,
                    false => RowNumber::Generated,
                };
                written.note(given(row[at].as_datum()).map(kind));
            }
            Ok(self.filler.put(row)?)
        })?;
        self.bulk.progress().add(rows);
        written.affected = rows;
        let warnings = context.warnings.borrow().count();
        Ok(Tally::of(rows, 0, written).finish(rows > 1, warnings))
    }

    /// Lets the rows appear, durable.
    ///
    /// # Errors
    /// As `BulkLoad::finish`.
    pub fn finish(self) -> rows::Result<()> {
        self.filler.finish(self.bulk).map(drop)
    }
}
