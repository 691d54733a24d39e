//! New indexes and copies of tables while other clients write to the table (docs/decisions/0038,
//! 0047).
//!
//! ```text
//! gate closed:  numbers are burnt, writers begin to note which rows they change; a snapshot
//! gate open:    what is made of the snapshot's rows, sorted, written and taken over as files (`fill`)
//!               rounds over what was changed meanwhile, until little is left (`follow`)
//! gate closed:  the last round; the definition with the indexes, or of the copy
//! ```
//! A columnar index of a table that is not copied has notes of its own from the first closing on,
//! which stay until its mover has taken them; so it has no rounds, and no row is read again.
//!
//! Writers do nothing for what is made but to note the keys of their rows. Readers learn of it with
//! the new definition.
//!
//! Invariants
//! 1. Under the new numbers nobody else writes, and nobody reads before the definition names them.
//! 2. What is there under them and is of no use in the end is removed: on an error at once, after a
//!    crash at the next start, by marks in the catalog. That of a copy is the note of a dropped
//!    table id, which is there before the copy.
//! 3. The definition is written in one batch with the removal of the marks and the notes; that of a
//!    copy in one with the note that the old rows are to go.
//! 4. Between the two closings of the gate nobody else changes the definition (`Altering`).
//!
//! Not here: what is made of a row (`making`, `copying`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::carry_out::AlterOutcome;
use super::conversion::ConversionRules;
use super::copying::{Copying, is_numbered};
use super::fill::{Fill, fill_columns};
use super::follow::Follow;
use super::making::{NewIndexes, noted_columns};
use super::plan::Plan;
use crate::bulk::Progress;
use crate::catalog::{current, put_table};
use crate::ddl::{Relations, take_index_id};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::schema::{IndexId, TableDefinition, TableId};
use crate::store::{Durability, Read};
use crate::table::{ClosedGate, NotedColumns, Patience, Table, index_range};

/// How long it is waited for writers to leave when what is made is given up.
const GIVE_UP_WAIT: Duration = Duration::from_secs(1);

impl Engine {
    /// Adds the indexes of a plan. The gate is that of a change that has begun, and is open for
    /// most of the time.
    pub(super) fn add_indexes(
        &self,
        gate: ClosedGate,
        table: &Arc<Table>,
        mut plan: Plan,
        (patience, rules): (&Patience, ConversionRules),
        progress: &Progress,
    ) -> Result<AlterOutcome> {
        if !plan.fill.is_empty() {
            progress.will_catch_up();
        }
        progress.expect(self.row_count(table)?.unwrap_or(0));
        let (unfinished, snapshot) = UnfinishedIndex::begin(self, &gate, table, &mut plan)?;
        drop(gate);
        // Readable by the new layout: a plan without rebuild keeps slots and bytes.
        let next = self.table_to_be(&plan);
        if plan.fill_columns {
            fill_columns(self, &next, &*snapshot, progress)?;
        }
        if plan.fill.is_empty() {
            // What was changed since, the columnar index has noted; its mover takes it.
            let gate = table.state.close(&patience.anew())?;
            self.check_new_name(table, &plan)?;
            let relations = self.settle(table, &mut plan, (patience, rules))?;
            unfinished.finish(gate, plan, 0, relations)?;
            return Ok(AlterOutcome::default());
        }
        let noted = unfinished.noted.as_deref();
        let (indexes, origins) = (&plan.fill, &plan.origins);
        let making = NewIndexes { table, next: &next, indexes, noted, origins };
        let fill = Fill { engine: self, making: &making, progress };
        fill.run(&*snapshot)?;
        let (gate, _) = unfinished.catch_up(fill, snapshot, patience)?;
        // The name may have been taken meanwhile.
        self.check_new_name(table, &plan)?;
        let relations = self.settle(table, &mut plan, (patience, rules))?;
        unfinished.finish(gate, plan, 0, relations)?;
        Ok(AlterOutcome::default())
    }

    /// The table that a plan makes, before anybody knows of it.
    pub(super) fn table_to_be(&self, plan: &Plan) -> Arc<Table> {
        let make_rules = self.catalog().make_rules();
        Arc::new(Table::new(plan.definition.clone(), Arc::default(), make_rules))
    }

    /// Copies all rows as a plan says. The gate is as for `add_indexes`.
    pub(super) fn copy_rows(
        &self,
        gate: ClosedGate,
        table: &Arc<Table>,
        mut plan: Plan,
        (patience, rules): (&Patience, ConversionRules),
        progress: &Progress,
    ) -> Result<AlterOutcome> {
        progress.expect(self.row_count(table)?.unwrap_or(0));
        let (unfinished, snapshot) = UnfinishedIndex::begin(self, &gate, table, &mut plan)?;
        drop(gate);
        progress.will_catch_up();
        let next = self.table_to_be(&plan);
        next.state.tell_columns(next.columnar_index.as_ref().map(|index| index.id));
        self.store().know(&next);
        let making = Copying::new(self, table, &next, &plan, unfinished.numbers, rules);
        let fill = Fill { engine: self, making: &making, progress };
        let filled = fill.run(&*snapshot)?;
        let (gate, moved) = unfinished.catch_up(fill, snapshot, patience)?;
        self.check_new_name(table, &plan)?;
        let rows = filled.saturating_add_signed(moved);
        let warnings = making.take_warnings();
        let relations = self.settle(table, &mut plan, (patience, rules))?;
        unfinished.finish(gate, plan, rows, relations)?;
        Ok(AlterOutcome { rows_copied: rows, warnings })
    }
}

/// What is of no use yet; dropped before `finish` it will never be.
struct UnfinishedIndex<'a> {
    engine: &'a Engine,
    table: &'a Arc<Table>,
    /// The definition as it is, with the numbers burnt.
    definition: TableDefinition,
    indexes: Vec<IndexId>,
    /// The number under which writers note which rows they change.
    log: IndexId,
    /// The columns of which they note changes; none: of all.
    noted: Option<Arc<NotedColumns>>,
    /// When they began to.
    begun: Instant,
    /// The id of the copy.
    copy: Option<TableId>,
    /// The number of no index under which it is remembered what rows of the copy are given.
    numbers: Option<IndexId>,
    finished: bool,
}

impl<'a> UnfinishedIndex<'a> {
    /// Marks the new numbers as burnt, has writers note their changes, and takes the snapshot that
    /// has none of those.
    fn begin(
        engine: &'a Engine,
        gate: &ClosedGate,
        table: &'a Arc<Table>,
        plan: &mut Plan,
    ) -> Result<(UnfinishedIndex<'a>, Arc<dyn Read>)> {
        let mut definition = table.definition.clone();
        definition.next_index = plan.definition.next_index;
        let log = take_index_id(&mut definition)?;
        if !plan.rebuild {
            // A copy has keys of its own, under which nobody has noted anything.
            plan.definition.next_index = definition.next_index;
        }
        let columnar = plan.definition.columnar_index.as_ref();
        let columnar = columnar.filter(|_| plan.fill_columns).map(|index| index.id);
        let of_columns = plan.definition.indexes.iter().map(|index| index.id);
        let ids: Vec<IndexId> = of_columns.chain(plan.definition.listed_indexes()).collect();
        let indexes = plan.fill.iter().map(|at| ids[*at]).chain(columnar);
        let indexes: Vec<IndexId> = indexes.collect();
        let mut marked = definition.clone();
        marked.mark_unfinished(indexes.iter().copied().chain([log]));
        let mut change = engine.catalog().change();
        change.put_table(&marked);
        let (mut copy, mut numbers) = (None, None);
        if plan.rebuild {
            let id = change.new_table_id();
            change.note_dropped(id);
            plan.definition.id = id;
            copy = Some(id);
            if is_numbered(table, plan) {
                numbers = Some(take_index_id(&mut plan.definition)?);
            }
        }
        change.finish(&**engine.store(), Durability::Os, |databases| {
            // The same version: handles of it stay good, and the numbers are burnt for the next.
            let burnt = definition.clone();
            let burnt = current(
                &**engine.store(),
                engine.catalog().make_rules(),
                burnt,
                Arc::clone(&table.state),
            );
            put_table(databases, burnt);
        })?;
        let noted = match plan.rebuild {
            true => None,
            false => noted_columns(table, &plan.definition, &plan.fill, &plan.origins),
        };
        let (noted, begun, finished) = (noted.map(Arc::new), Instant::now(), false);
        let unfinished = UnfinishedIndex {
            engine,
            table,
            definition,
            indexes,
            log,
            noted,
            begun,
            copy,
            numbers,
            finished,
        };
        if plan.rebuild || !plan.fill.is_empty() {
            table.state.log_changes(gate, log, unfinished.noted.clone());
        }
        if columnar.is_some() {
            table.state.tell_columns(columnar);
        }
        let snapshot = engine.store().snapshot()?;
        Ok((unfinished, snapshot))
    }

    /// Follows what writers change until it is little, and the rest with the gate closed; gives how
    /// many rows have come to a copy, fewer if they went.
    fn catch_up(
        &self,
        fill: Fill<'_>,
        snapshot: Arc<dyn Read>,
        patience: &Patience,
    ) -> Result<(ClosedGate, i64)> {
        fill.progress.begin_catching_up();
        let mut follow = Follow::from(fill, self.log, (snapshot, self.begun));
        follow.rounds()?;
        let gate = self.table.state.close(&patience.anew())?;
        follow.last_round(&gate)?;
        Ok((gate, follow.rows()))
    }

    /// All of it is there, and in a copy so many rows: lets the definition name it.
    fn finish(
        mut self,
        gate: ClosedGate,
        plan: Plan,
        rows: u64,
        relations: Relations,
    ) -> Result<()> {
        let UnfinishedIndex { engine, table, log, .. } = self;
        let mut change = engine.catalog().change();
        let published = match self.copy {
            None => {
                change.delete_range(index_range(table.id, log));
                engine.publish_plan(change, table, plan, relations)
            }
            Some(id) => {
                if let Some(numbers) = self.numbers {
                    change.delete_range(index_range(id, numbers));
                }
                engine.publish_copy(change, table, plan, rows, relations)
            }
        };
        // Where nobody knows whether the copy has taken the table's place, it stays until the next
        // start, which knows.
        self.finished = match &published {
            Ok(()) => true,
            Err(Error::Store { applied, .. }) => self.copy.is_some() && *applied != Some(false),
            Err(_) => false,
        };
        table.state.log_no_changes();
        drop(gate);
        published?;
        if self.copy.is_some() {
            engine.reclaim(table.id)?;
        }
        Ok(())
    }

    /// Removes what there is of it.
    fn give_up(&self) -> Result<()> {
        let UnfinishedIndex { engine, table, .. } = *self;
        table.state.log_no_changes();
        table.state.tell_columns(self.definition.columnar_index.as_ref().map(|index| index.id));
        let copy = self.copy.map_or(Ok(()), |id| engine.reclaim(id));
        let patience = Patience::at_most(GIVE_UP_WAIT);
        if let Ok(_gate) = table.state.close(&patience) {
            let numbers: Vec<_> = self.indexes.iter().copied().chain([self.log]).collect();
            return copy.and(engine.remove_unfinished(&self.definition, &numbers));
        }
        // A writer inside has notes that it may commit after this, so the marks stay.
        let mut change = engine.catalog().change();
        let ranges = || self.indexes.iter().map(|id| index_range(table.id, *id));
        ranges().for_each(|range| change.delete_range(range));
        change.finish(&**engine.store(), Durability::Os, |_| ())?;
        engine.store().reclaim(&ranges().collect::<Vec<_>>())?;
        copy
    }
}

impl Drop for UnfinishedIndex<'_> {
    fn drop(&mut self) {
        if !self.finished {
            // Should it fail, the marks are there still, so the next start does it.
            let _ = self.give_up();
        }
    }
}
