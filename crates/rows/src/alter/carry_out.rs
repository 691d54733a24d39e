//! Carrying out a plan: from the table's gate to the new definition.
//!
//! Readers go on with the old version until the new one is published, and so do writers but for
//! moments (`online`).
//!
//! Not here: what is to be done (`plan`), new indexes and copies (`online`).

use std::sync::Arc;

use values::convert::Issue;
use values::{ColumnType, SqlMode};

use super::plan::implicit_default;
use crate::alter::alteration::Alteration;
use crate::alter::conversion::ConversionRules;
use crate::alter::plan::{Plan, plan};
use crate::broken_rule::BrokenRule;
use crate::bulk::Progress;
use crate::catalog::{CatalogChange, no_database, put_table};
use crate::ddl::Relations;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::foreign_key::ForeignKeyChecks;
use crate::partition::PartitionFault;
use crate::rules::ConversionWarning;
use crate::rules::Rules;
use crate::schema::{Column, DefaultValue, TableDefinition};
use crate::table::{KeptNumbers, PRIMARY, Patience, Table, partition_range};

/// What an ALTER TABLE has to do.
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AlterOutcome {
    /// Rows of the copy; 0 when the definition alone changed, or indexes.
    pub rows_copied: u64,
    /// What was wrong with values of rows, by rows; nothing in strict mode.
    pub warnings: Vec<ConversionWarning>,
}

/// What was stored again for a definition.
#[derive(Clone, Copy)]
struct RebuiltParts {
    /// Rows, or entries of indexes.
    entries: bool,
    /// The columnar index.
    columns: bool,
}

impl Engine {
    /// Changes a table. Readers and writers go on meanwhile.
    ///
    /// # Errors
    /// `NotFound`, `Exists`, `Definition`; `Value` and `NullValue` when a row, or one that comes
    /// meanwhile, does not fit the new columns; `Duplicate` when a new unique key does not hold;
    /// `LockTimeout`.
    pub fn alter_table(
        &self,
        database: &str,
        name: &str,
        alterations: Vec<Alteration>,
        patience: &Patience,
    ) -> Result<AlterOutcome> {
        let rules = ConversionRules::without_session(self.clock().unix_micros() as i64);
        let progress = Progress::default();
        self.alter_table_showing(database, name, alterations, (patience, rules), &progress)
    }

    /// The same for a session, which converts values by its rules and sees how far it is.
    ///
    /// # Errors
    /// As `alter_table`.
    pub fn alter_table_showing(
        &self,
        database: &str,
        name: &str,
        alterations: Vec<Alteration>,
        (patience, rules): (&Patience, ConversionRules),
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
        let mut plan = plan(&table, alterations, self.catalog().make_rules())?;
        check_new_defaults(&plan, &self.rules_of(&plan.definition)?)?;
        self.check_implicit_days(&table, &plan, rules.mode)?;
        if plan.definition.partitioning.is_some() && table.state.is_referenced() {
            return Err(BrokenRule::Partitioning(PartitionFault::ForeignKey).into());
        }
        self.check_new_name(&table, &plan)?;
        plan.definition.version = table.version + 1;
        let terms = (plan.rebuild, rules.foreign_key_checks);
        self.check_relations(&table, &mut plan.definition, &plan.renames, terms)?;
        if plan.rebuild {
            return self.copy_rows(gate, &table, plan, (patience, rules), progress);
        }
        if !plan.fill.is_empty() || plan.fill_columns {
            return self.add_indexes(gate, &table, plan, (patience, rules), progress);
        }
        let relations = self.settle(&table, &mut plan, (patience, rules))?;
        let change = self.catalog().change();
        self.publish_plan(change, &table, plan, relations)?;
        Ok(AlterOutcome::default())
    }

    /// Rows that exist get no zero day in a new column where the mode refuses those.
    ///
    /// # Errors
    /// `Value` for such a column; those of reading whether there is a row.
    pub(super) fn check_implicit_days(
        &self,
        table: &Table,
        plan: &Plan,
        mode: SqlMode,
    ) -> Result<()> {
        if !mode.strict() || !mode.no_zero_date() {
            return Ok(());
        }
        let has_zero = |(column, origin): (&Column, &Option<usize>)| {
            let what = match column.ty {
                ColumnType::Date => "date",
                ColumnType::DateTime { .. } => "datetime",
                _ => return None,
            };
            let is_implied = column.default == DefaultValue::None && column.computed.is_none();
            let is_new = origin.is_none() && !column.nullable && is_implied;
            is_new.then(|| {
                let value = String::from_utf8_lossy(&implicit_default(&column.ty)).into_owned();
                (column.name.clone(), Issue::Incorrect { what }, value)
            })
        };
        let columns = plan.definition.columns.iter().zip(&plan.origins);
        match columns.filter_map(has_zero).next() {
            Some((column, issue, value)) if !self.is_empty(table)? => {
                Err(Error::Value { column, issue, value })
            }
            _ => Ok(()),
        }
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
        self.alter_work_of(&*self.catalog().table(database, name)?, alterations)
    }

    /// The same of a table that the catalog need not know.
    ///
    /// # Errors
    /// As `alter_table`, of the definition.
    pub fn alter_work_of(&self, table: &Table, alterations: Vec<Alteration>) -> Result<AlterWork> {
        let plan = plan(table, alterations, self.catalog().make_rules())?;
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
        self.check_free(database, name)
    }

    /// Makes a plan ready to be published, as to foreign keys and to numbers: the table's gate is
    /// closed, and the rows are as they will be.
    pub(super) fn settle(
        &self,
        table: &Arc<Table>,
        plan: &mut Plan,
        (patience, rules): (&Patience, ConversionRules),
    ) -> Result<Relations> {
        let has_numbers =
            table.auto_increment().is_some() && plan.definition.auto_increment().is_some();
        if has_numbers && !plan.sets_counter {
            // Those of rows that are gone, or go now, are not given again.
            let next = self.auto_increment_next(table)?;
            let base = &mut plan.definition.auto_increment_base;
            *base = next.max(*base);
        }
        let checks = rules.foreign_key_checks;
        let terms = (&plan.renames[..], plan.rebuild, checks);
        let relations = self.settle_relations(table, &mut plan.definition, terms, patience)?;
        if checks == ForeignKeyChecks::On && !plan.definition.foreign_keys.is_empty() {
            self.check_rows_of(table, &self.table_to_be(plan))?;
        }
        Ok(relations)
    }

    /// Publishes a plan that copies no rows, whose new indexes are complete.
    pub(super) fn publish_plan(
        &self,
        mut change: CatalogChange<'_>,
        table: &Arc<Table>,
        plan: Plan,
        relations: Relations,
    ) -> Result<()> {
        let Plan { definition, removed, emptied, fill, fill_columns, sets_counter, .. } = plan;
        let mut marked = definition.clone();
        marked.mark_unfinished(removed.iter().copied());
        change.put_table(&marked);
        // With the definition or not at all: a partition is there whole, or is not.
        if !emptied.is_empty() {
            table.state.note_rows_at_once();
        }
        let mut rows_gone = 0;
        for id in &emptied {
            let rows = partition_range(table.id, PRIMARY, *id);
            rows_gone += self.store().sizes(&rows)?.all().0;
            for index in table.stored_indexes() {
                change.delete_range(partition_range(table.id, index, *id));
            }
        }
        if sets_counter {
            // It may be lower than what is written down.
            change.delete_range(KeptNumbers::range(table.id));
        }
        let entries = !fill.is_empty() || !emptied.is_empty();
        let anew = RebuiltParts { entries, columns: fill_columns };
        self.publish(change, table, definition.clone(), anew, relations)?;
        if !emptied.is_empty() {
            table.state.note_rows_at_once();
            self.went_at_once(table, rows_gone);
        }
        match removed.is_empty() {
            true => Ok(()),
            false => self.remove_unfinished(&definition, &removed),
        }
    }

    /// Publishes a plan whose copy is complete, with so many rows.
    pub(super) fn publish_copy(
        &self,
        mut change: CatalogChange<'_>,
        table: &Arc<Table>,
        plan: Plan,
        rows: u64,
        relations: Relations,
    ) -> Result<()> {
        change.delete_table(table.id);
        change.note_dropped(table.id);
        change.keep_range(plan.definition.id);
        change.put_table(&plan.definition);
        self.publish(
            change,
            table,
            plan.definition,
            RebuiltParts { entries: true, columns: false },
            relations,
        )?;
        self.came_at_once(table, rows, true);
        Ok(())
    }

    /// Lets a definition take the place of the old one. Where rows or entries were stored again for
    /// it, earlier snapshots do not show them; where a columnar index was, they still show the
    /// rows.
    fn publish(
        &self,
        mut change: CatalogChange<'_>,
        old: &Arc<Table>,
        definition: TableDefinition,
        anew: RebuiltParts,
        mut relations: Relations,
    ) -> Result<()> {
        // The gate is closed: what is written to the table later is of a later state.
        let sequence = self.store().sequence();
        let since = sequence.filter(|_| anew.entries);
        let children = std::mem::take(&mut relations.children);
        self.put_children(&mut change, &children);
        change.finish(&**self.store(), self.durability(), |databases| {
            if let Some(tables) = databases.get_mut(&old.database) {
                tables.remove(&old.name);
            }
            old.state.reset_counters();
            old.state.end_version(old.version, sequence);
            if let Some(since) = since {
                old.state.set_readable_since(since);
            }
            if anew.columns {
                // Files that were taken over may have left the store's number as it was; the
                // definition has not.
                old.state.set_columns_since(self.store().sequence().unwrap_or(u64::MAX));
            }
            let table = self.renewed(definition, old);
            for table in self.following(children, sequence).into_iter().chain([table]) {
                put_table(databases, table);
            }
        })
    }
}

/// Refuses a new column whose default would be another at every look at a row: rows are looked at
/// again where they change meanwhile.
pub(super) fn check_new_defaults(plan: &Plan, rules: &Rules) -> Result<()> {
    for (position, node) in &rules.defaults {
        let column = &plan.definition.columns[*position];
        let is_new = plan.origins[*position].is_none() && column.absent.is_none();
        if is_new && !node.is_of_row_alone() {
            return Err(BrokenRule::ChangingDefault(column.name.clone()).into());
        }
    }
    Ok(())
}
