//! A load from its beginning to the moment in which its rows appear.
//!
//! Invariants
//! 1. The table is locked whole from before it is found empty until the rows are there.
//!
//! Not here: what is sorted (`rows`), how it becomes files (`build`).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::build::{Build, BuildOutcome, BulkOutcome, Replacing, threads};
use super::duplicates::OnDuplicate;
use super::memory::thread_bytes;
use super::numbers::AutoIncrements;
use super::ordered::{OrderedRows, RowAppender};
use super::progress::Progress;
use super::rows::{RowSorter, SortedRows};
use super::taker::RowTaker;
use crate::engine::Engine;
use crate::error::Result;
use crate::ingestion::Ingestion;
use crate::store::{Direction, Durability, Reach};
use crate::table::{GateGuard, Table};
use crate::transaction::{NumberRules, Transaction};

/// A load under way.
pub struct BulkLoad {
    table: Arc<Table>,
    on_duplicate: OnDuplicate,
    first_row_id: u64,
    /// Whether the table has rows already.
    has_rows: bool,
    progress: Arc<Progress>,
    /// Of a table without any index, once there are takers.
    ordered: Option<Arc<OrderedRows>>,
    /// Writes nothing; it has the table locked.
    transaction: Transaction,
}

impl BulkLoad {
    /// Begins a load into a table if it is one for it: with nobody else writing to it, none whose
    /// rows leave by themselves, and no temporary one. The transaction, which has not written yet,
    /// holds the table until the load is over.
    ///
    /// # Errors
    /// `SchemaChanged`; `LockTimeout` while a schema change, or another load, has the table.
    pub fn begin(
        mut transaction: Transaction,
        table: &Arc<Table>,
        on_duplicate: OnDuplicate,
    ) -> Result<Option<BulkLoad>> {
        let engine = Arc::clone(&transaction.engine);
        let stays = table.recency().is_none() && table.expiry_column().is_none();
        if !stays || table.is_temporary() || engine.spill().is_none() {
            return Ok(None);
        }
        // Where changes are noted for what is in the making, files would go by unnoted. A columnar
        // index that is there has its segments made with the files.
        let index = table.columnar_index.as_ref().map(|index| index.id);
        let is_other = |noted| Some(noted) != index;
        let is_noted =
            || table.state.changes_to().is_some() || table.state.columns_to().is_some_and(is_other);
        if !transaction.lock_whole(table)? || is_noted() {
            return Ok(None);
        }
        // Its rows would have to be looked at one by one.
        if transaction.is_bound(table) {
            return Ok(None);
        }
        // What is loaded is not noted.
        if table.has_removals_noted(engine.latest())? {
            return Ok(None);
        }
        // Its files come past the transaction.
        transaction.gates.iter_mut().for_each(GateGuard::note_writes);
        let has_rows = !engine.is_empty(table)?;
        let first_row_id = if table.has_hidden_key() { engine.next_row_id(table)? } else { 0 };
        Ok(Some(BulkLoad {
            table: Arc::clone(table),
            on_duplicate,
            first_row_id,
            has_rows,
            progress: Arc::default(),
            ordered: None,
            transaction,
        }))
    }

    fn engine(&self) -> &Arc<Engine> {
        &self.transaction.engine
    }

    fn build(&self) -> Build<'_> {
        let (engine, table, progress) = (self.engine(), &self.table, &self.progress);
        let existing = self.has_rows.then(|| engine.latest());
        Build { engine, table, on_duplicate: self.on_duplicate, progress, existing, rows_in: None }
    }

    /// How many threads it uses.
    pub fn threads(&self) -> usize {
        threads()
    }

    /// How far it is.
    pub fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }

    /// Takers for so many threads. They end before the load does.
    ///
    /// # Errors
    /// `NoMemory`; those of the store.
    pub fn takers(&mut self, threads: usize) -> Result<Vec<RowTaker>> {
        let is_in_order = self.table.has_hidden_key() && self.table.partitioning.is_none();
        if !is_in_order || self.table.codecs.len() > 1 {
            let sorters = self.sorters(threads)?;
            return Ok(sorters.into_iter().map(RowTaker::Sorter).collect());
        }
        let engine = self.engine();
        let mut share = engine.budget().share();
        share.grow_to(threads * thread_bytes(engine, threads))?;
        let ordered = OrderedRows::new(engine, &self.table, self.first_row_id, threads, share)?;
        let ordered = self.ordered.insert(Arc::new(ordered));
        Ok((0..threads).map(|_| RowTaker::Appender(RowAppender::new(ordered))).collect())
    }

    /// Sorters for so many threads.
    ///
    /// # Errors
    /// `NoMemory`.
    pub fn sorters(&self, threads: usize) -> Result<Vec<RowSorter>> {
        self.build().sorters(threads, self.first_row_id)
    }

    /// What gives AUTO_INCREMENT values to its rows, if the table has such a column.
    ///
    /// # Errors
    /// `Store`.
    pub fn numbers(&self, rules: NumberRules) -> Result<Option<AutoIncrements>> {
        AutoIncrements::of(self.engine(), &self.table, rules)
    }

    /// All rows are in, numbers 1 to `rows`: lets those that are kept appear, durable.
    ///
    /// # Errors
    /// `Duplicate` if that is an error; `NoMemory`, `DiskFull`, `Store`, `Corrupt`; `LockTimeout`
    /// when it was interrupted. Nothing of the load is there then, unless `Store` says that this
    /// is not known.
    pub fn finish(
        mut self,
        parts: Vec<SortedRows>,
        rows: u64,
        numbers: Option<&AutoIncrements>,
    ) -> Result<BulkOutcome> {
        if let Some(ordered) = self.ordered.take() {
            let ordered = Arc::into_inner(ordered).expect("its takers have ended");
            let (files, written) = ordered.finish(self.threads())?;
            assert_eq!(written, rows, "each row is there");
            self.appear(files)?;
            self.count(rows, rows);
            return Ok(BulkOutcome { rows, ..BulkOutcome::default() });
        }
        let appeared = match self.build().run(parts, rows)? {
            BuildOutcome::Files { files, outcome } => self.appear(files).map(|()| Ok(outcome))?,
            BuildOutcome::Replacing(replacing) => Err(replacing),
        };
        let outcome = match appeared {
            Ok(outcome) => outcome,
            Err(replacing) => return self.replace(replacing, numbers),
        };
        debug_assert_eq!(outcome.rows + outcome.lost, rows, "each row is there or lost");
        self.count(outcome.rows, rows);
        if let Some(numbers) = numbers {
            numbers.finish(&self.table);
        }
        Ok(outcome)
    }

    /// So many of the rows of the load are there.
    fn count(&self, kept: u64, rows: u64) {
        self.engine().came_at_once(&self.table, kept, false);
        if self.table.has_hidden_key() {
            self.table.state.row_id.fetch_max(self.first_row_id + rows, Ordering::SeqCst);
        }
    }

    /// The rows come in as one large transaction, by which rows go that are there.
    fn replace(
        self,
        rows: Box<Replacing>,
        numbers: Option<&AutoIncrements>,
    ) -> Result<BulkOutcome> {
        let BulkLoad { table, on_duplicate, progress, mut transaction, .. } = self;
        let engine = Arc::clone(&transaction.engine);
        let engine = &*engine;
        let existing = Some(engine.latest());
        let (table, progress) = (&table, &*progress);
        let build = Build { engine, table, on_duplicate, progress, existing, rows_in: None };
        let outcome = build.replace(rows, &mut transaction)?;
        // The table is others' from the commit on.
        if let Some(numbers) = numbers {
            numbers.finish(table);
        }
        transaction.commit(Durability::EveryCommit)?;
        Ok(outcome)
    }

    /// The row behind the last one is wrong: whether rows before it end the load already because
    /// they share a key. Nothing of the load is there afterwards.
    ///
    /// # Errors
    /// As `finish`.
    pub fn look_for_duplicates(self, parts: Vec<SortedRows>, rows: u64) -> Result<()> {
        match self.on_duplicate {
            // No two rows of a table without any index share a key.
            _ if self.ordered.is_some() => Ok(()),
            OnDuplicate::Error => self.build().run(parts, rows).map(drop),
            OnDuplicate::Ignore | OnDuplicate::Replace => Ok(()),
        }
    }

    /// Lets the store take the files over, and keeps the row cache in step.
    fn appear(&self, files: Box<dyn Ingestion + '_>) -> Result<()> {
        let (cache, store) = (self.engine().cache(), self.engine().store());
        cache.begin_tables(&[self.table.id]);
        let appeared = files.finish();
        cache.end_tables(store.sequence().unwrap_or(0));
        appeared
    }
}

impl Engine {
    /// Whether a table has no rows.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn is_empty(&self, table: &Table) -> Result<bool> {
        for range in table.index_ranges(0) {
            if self.latest().scan(&range, Direction::Forward, Reach::Disk)?.advance()? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
