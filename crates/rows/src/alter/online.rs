//! New indexes beside those who write to the table (docs/decisions/0038).
//!
//! ```text
//! gate closed:  numbers are burnt, writers begin to note which rows they change; a snapshot
//! gate open:    entries of the snapshot, sorted, written and taken over as files (`fill`)
//!               rounds over what was changed meanwhile, while each is half the last (`follow`)
//! gate closed:  the last round; the definition with the indexes
//! ```
//! A columnar index has notes of its own from the first closing on, which stay until its mover has
//! taken them; so it has no rounds, and no row is read again.
//!
//! Writers do nothing for the new indexes but to note the keys of their rows. Readers learn of them
//! with the new definition.
//!
//! Invariants
//! 1. Under the new numbers nobody else writes, and nobody reads before the definition names them.
//! 2. What is there under them and is no index in the end is removed: on an error at once, after a
//!    crash at the next start, by marks in the catalog.
//! 3. The definition is written in one batch with the removal of the marks and the notes.
//! 4. Between the two closings of the gate nobody else changes the definition (`Altering`).
//!
//! Not here: changes that copy all rows; writers wait for those (`rebuild`).

use std::sync::Arc;
use std::time::Duration;

use super::fill::Fill;
use super::follow::Follow;
use super::plan::Plan;
use super::rebuild::AlterOutcome;
use crate::bulk::Progress;
use crate::catalog::current;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::schema::{IndexId, TableDefinition};
use crate::store::{Durability, Read};
use crate::table::{ClosedGate, Patience, Table, index_range};

/// So few changes are left to the last round, while writers wait.
const FEW: u64 = 500;
/// Rounds at most.
const ROUNDS_MAX: usize = 16;
/// How long it is waited for writers to leave when indexes are given up.
const GIVE_UP_WAIT: Duration = Duration::from_secs(1);

impl Engine {
    /// Adds the indexes of a plan. The gate is that of a change that has begun, and is open for
    /// most of the time.
    pub(super) fn add_indexes(
        &self,
        gate: ClosedGate,
        table: &Arc<Table>,
        mut plan: Plan,
        patience: &Patience,
        progress: &Progress,
    ) -> Result<AlterOutcome> {
        if !plan.fill.is_empty() {
            progress.will_catch_up();
        }
        progress.expect(self.row_count(table)?.unwrap_or(0));
        let (unfinished, snapshot) = Unfinished::begin(self, gate, table, &mut plan)?;
        // Readable by the new layout: a plan without rebuild keeps slots and bytes.
        let next = Arc::new(Table::new(plan.definition.clone(), Arc::default()));
        let (indexes, columns) = (&plan.fill[..], plan.fill_columns);
        let fill = Fill { engine: self, next: &next, indexes, columns, progress };
        fill.run(&*snapshot)?;
        if plan.fill.is_empty() {
            // What was changed since, the columnar index has noted; its mover takes it.
            let gate = table.state.close(&patience.anew())?;
            self.check_new_name(table, &plan)?;
            return unfinished.finish(gate, plan);
        }
        progress.begin_catching_up();
        let mut follow = Follow::from(fill, unfinished.log, snapshot);
        let mut last = u64::MAX;
        for round in 0..ROUNDS_MAX {
            let changes = follow.round()?;
            // Where writers are as quick, a further round would leave as much.
            if changes <= FEW || round > 0 && changes > last / 2 {
                break;
            }
            last = changes;
        }
        let gate = table.state.close(&patience.anew())?;
        follow.round()?;
        // The name may have been taken meanwhile.
        self.check_new_name(table, &plan)?;
        unfinished.finish(gate, plan)
    }
}

/// Indexes that are none yet; dropped before `finish` they will never be.
struct Unfinished<'a> {
    engine: &'a Engine,
    table: &'a Arc<Table>,
    /// The definition as it is, with the numbers burnt.
    definition: TableDefinition,
    indexes: Vec<IndexId>,
    /// The number under which writers note which rows they change.
    log: IndexId,
    finished: bool,
}

impl<'a> Unfinished<'a> {
    /// Marks the new numbers as burnt, has writers note their changes, and takes the snapshot that
    /// has none of those.
    fn begin(
        engine: &'a Engine,
        gate: ClosedGate,
        table: &'a Arc<Table>,
        plan: &mut Plan,
    ) -> Result<(Unfinished<'a>, Arc<dyn Read>)> {
        let log = plan.definition.next_index;
        plan.definition.next_index = log
            .checked_add(1)
            .ok_or_else(|| Error::Definition { why: "Too many keys specified".into() })?;
        let of_columns = plan.definition.indexes.iter().map(|index| index.id);
        let ids: Vec<IndexId> =
            of_columns.chain(plan.definition.members.iter().map(|index| index.id)).collect();
        let columnar = plan.definition.columnar_index.as_ref();
        let columnar = columnar.filter(|_| plan.fill_columns).map(|index| index.id);
        let indexes = plan.fill.iter().map(|at| ids[*at]).chain(columnar);
        let indexes: Vec<IndexId> = indexes.collect();
        let mut definition = table.definition.clone();
        definition.next_index = plan.definition.next_index;
        let mut marked = definition.clone();
        marked.mark_unfinished(indexes.iter().copied().chain([log]));
        let mut change = engine.catalog().change();
        change.put_table(&marked);
        change.finish(&**engine.store(), Durability::Os, |databases| {
            // The same version: handles of it stay good, and the numbers are burnt for the next.
            let burnt = definition.clone();
            let burnt = current(&**engine.store(), burnt, Arc::clone(&table.state));
            let tables = databases.entry(table.database.clone()).or_default();
            tables.insert(table.name.clone(), burnt);
        })?;
        if !plan.fill.is_empty() {
            table.state.log_changes(&gate, log);
        }
        if columnar.is_some() {
            table.state.tell_columns(columnar);
        }
        let unfinished = Unfinished { engine, table, definition, indexes, log, finished: false };
        let snapshot = engine.store().snapshot()?;
        drop(gate);
        Ok((unfinished, snapshot))
    }

    /// The indexes are complete: lets the definition name them.
    fn finish(mut self, gate: ClosedGate, plan: Plan) -> Result<AlterOutcome> {
        let Unfinished { engine, table, log, .. } = self;
        let mut change = engine.catalog().change();
        change.delete_range(index_range(table.id, log));
        let published = engine.publish_plan(change, table, plan);
        self.finished = published.is_ok();
        table.state.log_no_changes();
        drop(gate);
        published.map(|()| AlterOutcome::default())
    }

    /// Removes what there is of the indexes.
    fn give_up(&self) -> Result<()> {
        let Unfinished { engine, table, .. } = *self;
        table.state.log_no_changes();
        table.state.tell_columns(self.definition.columnar_index.as_ref().map(|index| index.id));
        let patience = Patience::at_most(GIVE_UP_WAIT);
        if let Ok(_gate) = table.state.close(&patience) {
            let numbers: Vec<_> = self.indexes.iter().copied().chain([self.log]).collect();
            return engine.remove_unfinished(&self.definition, &numbers);
        }
        // A writer inside has notes that it may commit after this, so the marks stay.
        let mut change = engine.catalog().change();
        let ranges = || self.indexes.iter().map(|id| index_range(table.id, *id));
        ranges().for_each(|range| change.delete_range(range));
        change.finish(&**engine.store(), Durability::Os, |_| ())?;
        ranges().try_for_each(|range| engine.store().reclaim(&range))
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if !self.finished {
            // Should it fail, the marks are there still, so the next start does it.
            let _ = self.give_up();
        }
    }
}
