//! Carrying out a plan: publishing the new definition, copying rows.
//!
//! The table's gate stays closed from the plan to the end, so no row changes meanwhile; readers
//! go on with the old version until the new one is published.
//!
//! Crash safety
//! - A copy goes into a new table id whose range is noted for reclaiming first; the batch that
//!   publishes the copy removes that note. A crash before it leaves the old table.
//!
//! Not here: what is to be done (`plan`), new indexes without a copy (`online`).

use std::sync::Arc;

use crate::alter::plan::{Alteration, Plan, plan};
use crate::bulk::{Build, OnDuplicate, Progress, go_on};
use crate::catalog::{CatalogChange, current, no_database};
use crate::convert::convert;
use crate::datum::{Datum, Value};
use crate::engine::Engine;
use crate::error::{Error, Result, Thing};
use crate::find::row_at;
use crate::schema::TableDefinition;
use crate::store::{Direction, Durability, Reach};
use crate::table::{Patience, Table};
use crate::temporal::Zone;

/// What an ALTER TABLE has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AlterWork {
    /// Write a new definition: no time to speak of.
    Definition,
    /// Read all rows for the entries of new indexes. Writers go on.
    Indexes,
    /// Copy all rows. Writers wait meanwhile.
    Rows,
}

/// What an ALTER TABLE did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AlterOutcome {
    /// Rows that were copied; 0 when the definition alone changed.
    pub rows_copied: u64,
}

/// What was stored anew for a definition.
#[derive(Clone, Copy)]
struct Anew {
    /// Rows, or entries of indexes.
    entries: bool,
    /// The columnar index.
    columns: bool,
}

impl Engine {
    /// Changes a table. Readers go on meanwhile; writers too, unless all rows are copied.
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
        self.alter_table_showing(database, name, alterations, patience, &Progress::default())
    }

    /// The same for those who want to see how far it is.
    ///
    /// # Errors
    /// As `alter_table`.
    pub fn alter_table_showing(
        &self,
        database: &str,
        name: &str,
        alterations: Vec<Alteration>,
        patience: &Patience,
        progress: &Progress,
    ) -> Result<AlterOutcome> {
        let table = self.catalog().table(database, name)?;
        let _altering = table.state.alter(patience)?;
        let gate = table.state.close(patience)?;
        let known = table;
        let table = self.catalog().table(database, name)?;
        if !table.is_version_of(&known) {
            // Another table of this name has taken its place meanwhile.
            return Err(Error::SchemaChanged);
        }
        let mut plan = plan(&table, alterations)?;
        self.check_new_name(&table, &plan)?;
        plan.definition.version = table.version + 1;
        if plan.rebuild {
            return self.rebuild(&table, plan, progress);
        }
        if !plan.fill.is_empty() || plan.fill_columns {
            return self.add_indexes(gate, &table, plan, patience, progress);
        }
        let change = self.catalog().change();
        self.publish_plan(change, &table, plan)?;
        Ok(AlterOutcome::default())
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
            Plan { fill, fill_columns, .. } if fill_columns || !fill.is_empty() => {
                AlterWork::Indexes
            }
            _ => AlterWork::Definition,
        })
    }

    pub(super) fn check_new_name(&self, table: &Table, plan: &Plan) -> Result<()> {
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

    /// Publishes a plan that copies no rows, whose new indexes are complete.
    pub(super) fn publish_plan(
        &self,
        mut change: CatalogChange<'_>,
        table: &Arc<Table>,
        plan: Plan,
    ) -> Result<()> {
        let Plan { definition, removed, fill, fill_columns, .. } = plan;
        let mut marked = definition.clone();
        marked.mark_unfinished(removed.iter().copied());
        change.put_table(&marked);
        let anew = Anew { entries: !fill.is_empty(), columns: fill_columns };
        self.publish(change, table, definition.clone(), anew)?;
        match removed.is_empty() {
            true => Ok(()),
            false => self.remove_unfinished(&definition, &removed),
        }
    }

    fn rebuild(
        &self,
        table: &Arc<Table>,
        mut plan: Plan,
        progress: &Progress,
    ) -> Result<AlterOutcome> {
        progress.expect(self.row_count(table)?.unwrap_or(0));
        let mut change = self.catalog().change();
        plan.definition.id = change.new_table_id();
        change.note_dropped(plan.definition.id);
        change.finish(&**self.store(), Durability::Os, |_| ())?;
        let copied = self.copy_rows(table, &plan, progress);
        let rows_copied = match copied {
            Ok(rows_copied) => rows_copied,
            Err(error) => {
                self.reclaim(plan.definition.id)?;
                return Err(error);
            }
        };
        let mut change = self.catalog().change();
        change.delete_table(table.id);
        change.note_dropped(table.id);
        change.keep_range(plan.definition.id);
        change.put_table(&plan.definition);
        self.publish(change, table, plan.definition, Anew { entries: true, columns: false })?;
        table.state.rows.set(rows_copied);
        self.reclaim(table.id)?;
        Ok(AlterOutcome { rows_copied })
    }

    fn copy_rows(&self, table: &Arc<Table>, plan: &Plan, progress: &Progress) -> Result<u64> {
        let next = Arc::new(Table::new(plan.definition.clone(), Arc::default()));
        self.store().know(&next);
        let (on_duplicate, existing, rows_in) = (OnDuplicate::Error, None, None);
        let build = Build { engine: self, table: &next, on_duplicate, progress, existing, rows_in };
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
            progress.add(1);
            sorter.add(rows, &row)?;
        }
        build.run_alone(vec![sorter.finish()?], rows).map(|outcome| outcome.rows)
    }

    /// Lets a definition take the place of the old one. Where rows or entries were stored anew for
    /// it, earlier snapshots do not show them; where a columnar index was, they still show the rows.
    fn publish(
        &self,
        change: CatalogChange<'_>,
        old: &Arc<Table>,
        definition: TableDefinition,
        anew: Anew,
    ) -> Result<()> {
        let since = self.store().sequence().filter(|_| anew.entries);
        change.finish(&**self.store(), self.durability(), |databases| {
            if let Some(tables) = databases.get_mut(&old.database) {
                tables.remove(&old.name);
            }
            old.state.reset_counters();
            if let Some(since) = since {
                old.state.set_readable_since(since);
            }
            if anew.columns {
                // Files that were taken over may have left the store's number as it was; the
                // definition has not.
                old.state.set_columns_since(self.store().sequence().unwrap_or(u64::MAX));
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
