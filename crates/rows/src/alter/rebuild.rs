//! Carrying out a plan: publishing the new definition, filling new indexes, copying rows.
//!
//! The table's gate stays closed from the plan to the end, so no row changes meanwhile; readers
//! go on with the old version until the new one is published.
//!
//! Crash safety
//! - A copy goes into a new table id whose range is noted for reclaiming first; the batch that
//!   publishes the copy removes that note. A crash before it leaves the old table.
//! - A new index is filled under an index number that is burnt first, so entries left behind by
//!   a crash never meet a later index.
//!
//! Not here: what is to be done (`plan`).

use std::sync::Arc;

use crate::alter::plan::{Alteration, Plan, plan};
use crate::bulk::{Build, OnDuplicate, Progress, go_on};
use crate::catalog::{current, no_database};
use crate::convert::convert;
use crate::datum::{Datum, Value};
use crate::engine::Engine;
use crate::error::{Error, Result, Thing};
use crate::find::row_at;
use crate::store::{Batch, Change, Direction, Durability, Reach};
use crate::table::{Patience, Table};
use crate::temporal::Zone;

/// What an ALTER TABLE has to do while writers wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AlterWork {
    /// Write a new definition: no time to speak of.
    Definition,
    /// Read all rows for the entries of new indexes.
    Indexes,
    /// Copy all rows.
    Rows,
}

/// What an ALTER TABLE did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AlterOutcome {
    /// Rows that were copied; 0 when the definition alone changed.
    pub rows_copied: u64,
}

/// The build of a table's new version, whose rows and entries must be unique.
fn build<'a>(engine: &'a Engine, next: &'a Arc<Table>, progress: &'a Progress) -> Build<'a> {
    let (table, on_duplicate) = (next, OnDuplicate::Error);
    Build { engine, table, on_duplicate, progress, existing: None }
}

impl Engine {
    /// Changes a table. Writers wait while it lasts; readers do not.
    ///
    /// # Errors
    /// `NotFound`, `Exists`, `Definition`; `Value` and `NullValue` when a row does not fit the
    /// new columns; `Duplicate` when a new unique key does not hold; `LockTimeout`.
    pub fn alter_table(
        &self,
        database: &str,
        name: &str,
        alterations: Vec<Alteration>,
        patience: &Patience,
    ) -> Result<AlterOutcome> {
        let table = self.catalog().table(database, name)?;
        let gate = table.state.close(patience)?;
        let table = self.catalog().table(database, name)?;
        let mut plan = plan(&table, alterations)?;
        self.check_new_name(&table, &plan)?;
        plan.definition.version = table.version + 1;
        let outcome = if plan.rebuild {
            self.rebuild(&table, plan)
        } else {
            self.publish_in_place(&table, plan)
        };
        drop(gate);
        outcome
    }

    /// What these alterations would have to do.
    ///
    /// # Errors
    /// As `alter_table`, of the definition.
    pub fn alter_work(
        &self,
        database: &str,
        name: &str,
        alterations: Vec<Alteration>,
    ) -> Result<AlterWork> {
        let plan = plan(&*self.catalog().table(database, name)?, alterations)?;
        Ok(match plan {
            Plan { rebuild: true, .. } => AlterWork::Rows,
            Plan { fill, .. } if !fill.is_empty() => AlterWork::Indexes,
            _ => AlterWork::Definition,
        })
    }

    fn check_new_name(&self, table: &Table, plan: &Plan) -> Result<()> {
        let (database, name) = (&plan.definition.database, &plan.definition.name);
        if *database == table.database && *name == table.name {
            return Ok(());
        }
        if !self.catalog().has_database(database) {
            return Err(no_database(database));
        }
        match self.find_table(database, name)? {
            Some(_) => {
                Err(Error::Exists { what: Thing::Table, name: format!("{database}.{name}") })
            }
            None => Ok(()),
        }
    }

    fn publish_in_place(&self, table: &Arc<Table>, plan: Plan) -> Result<AlterOutcome> {
        if !plan.fill.is_empty() {
            let mut burnt = table.definition.clone();
            burnt.next_index = plan.definition.next_index;
            let mut change = self.catalog().change();
            change.put_table(&burnt);
            change.finish(&**self.store(), Durability::Os, |_| ())?;
            self.fill_indexes(table, &plan)?;
        }
        let mut change = self.catalog().change();
        for id in &plan.removed {
            change.delete_range(table.entries_range(*id));
        }
        change.put_table(&plan.definition);
        let stores_anew = !plan.fill.is_empty();
        self.publish(change, table, plan.definition, stores_anew)?;
        Ok(AlterOutcome::default())
    }

    /// Writes the entries of new indexes for all rows.
    fn fill_indexes(&self, table: &Arc<Table>, plan: &Plan) -> Result<()> {
        // Readable by the new layout: a plan without rebuild keeps slots and bytes.
        let next = Arc::new(Table::new(plan.definition.clone(), Arc::default()));
        let progress = Progress::default();
        let build = build(self, &next, &progress);
        let mut sorter = build.sorter()?;
        let snapshot = self.store().snapshot()?;
        let mut cursor = snapshot.scan(&table.index_range(0), Direction::Forward, Reach::Disk)?;
        let mut rows = 0u64;
        while cursor.advance()? {
            rows += 1;
            go_on(rows)?;
            let (key, bytes) = cursor.entry();
            let row = row_at(&next, key, bytes)?.values()?;
            sorter.add_entries(rows, &row, key, &plan.fill)?;
        }
        build.run_alone(vec![sorter.finish()?], rows).map(drop)
    }

    fn rebuild(&self, table: &Arc<Table>, mut plan: Plan) -> Result<AlterOutcome> {
        let mut change = self.catalog().change();
        plan.definition.id = change.new_table_id();
        change.drop_range(plan.definition.id);
        change.finish(&**self.store(), Durability::Os, |_| ())?;
        let copied = self.copy_rows(table, &plan);
        let rows_copied = match copied {
            Ok(rows_copied) => rows_copied,
            Err(error) => {
                let range = crate::table::table_range(plan.definition.id);
                let changes = vec![Change::DeleteRange(range)];
                self.store().write(&Batch { changes }, Durability::Os)?;
                self.reclaim(plan.definition.id)?;
                return Err(error);
            }
        };
        let mut change = self.catalog().change();
        change.delete_table(table.id);
        change.drop_range(table.id);
        change.keep_range(plan.definition.id);
        change.put_table(&plan.definition);
        self.publish(change, table, plan.definition, true)?;
        table.state.rows.set(rows_copied);
        self.reclaim(table.id)?;
        Ok(AlterOutcome { rows_copied })
    }

    fn copy_rows(&self, table: &Arc<Table>, plan: &Plan) -> Result<u64> {
        let next = Arc::new(Table::new(plan.definition.clone(), Arc::default()));
        self.store().know(&next);
        let progress = Progress::default();
        let build = build(self, &next, &progress);
        let mut sorter = build.sorter()?;
        let mut counter = plan.definition.auto_increment_base.max(1);
        let mut rows = 0;
        // What nobody can see any more need not be copied, nor fit the new columns.
        let expiry = self.expiry(table);
        let snapshot = self.store().snapshot()?;
        let mut cursor = snapshot.scan(&table.index_range(0), Direction::Forward, Reach::Disk)?;
        while cursor.advance()? {
            go_on(rows)?;
            let old = row_at(table, cursor.key(), cursor.value())?;
            if expiry.is_some_and(|expiry| expiry.is_over(&old).unwrap_or(false)) {
                continue;
            }
            let old = old.values()?;
            let values = converted(plan, &old, &mut counter)?;
            let row: Vec<Datum<'_>> = values.iter().map(Value::as_datum).collect();
            rows += 1;
            sorter.add(rows, &row)?;
        }
        Ok(build.run_alone(vec![sorter.finish()?], rows)?.rows)
    }

    /// Lets a definition take the place of the old one. Where rows or entries were stored anew for
    /// it, earlier snapshots do not show them.
    fn publish(
        &self,
        change: crate::catalog::CatalogChange<'_>,
        old: &Arc<Table>,
        definition: crate::schema::TableDefinition,
        stores_anew: bool,
    ) -> Result<()> {
        let since = self.store().sequence().filter(|_| stores_anew);
        change.finish(&**self.store(), self.durability(), |databases| {
            if let Some(tables) = databases.get_mut(&old.database) {
                tables.remove(&old.name);
            }
            old.state.reset_counters();
            if let Some(since) = since {
                old.state.set_readable_since(since);
            }
            let table = current(&**self.store(), definition, Arc::clone(&old.state));
            table.inherit(old);
            let tables = databases.entry(table.database.clone()).or_default();
            tables.insert(table.name.clone(), table);
        })
    }
}

/// One row's values under the new columns.
fn converted(plan: &Plan, old: &[Datum<'_>], counter: &mut u64) -> Result<Vec<Value>> {
    let mut values = Vec::with_capacity(plan.origins.len());
    for (column, origin) in plan.definition.columns.iter().zip(&plan.origins) {
        let from = match origin {
            Some(position) => old[*position].to_value(),
            None => column.absent.clone().map_or(Value::Null, Value::Bytes),
        };
        let mut converted = column.convert(from.as_datum(), Zone::UTC);
        if column.auto_increment && (origin.is_none() || converted.value.is_null()) {
            converted = convert(&column.ty, Datum::UInt(*counter), Zone::UTC);
            *counter += 1;
        }
        if let Some(issue) = converted.issue {
            return Err(Error::Value { column: column.name.clone(), issue });
        }
        if converted.value.is_null() && !column.nullable {
            return Err(Error::NullValue { column: column.name.clone() });
        }
        values.push(converted.value);
    }
    Ok(values)
}
