//! ALTER TABLE of a temporary table: nobody else reads or writes it meanwhile, so it is copied row
//! by row, or gets another definition.
//!
//! Invariants
//! 1. The table stays as it was until the copy is whole.
//!
//! Not here: what is to be done (`plan`), what becomes of a row (`copying`).

use std::sync::Arc;

use super::alteration::Alteration;
use super::carry_out::{AlterOutcome, check_new_defaults};
use super::conversion::ConversionRules;
use super::copying::{Copying, is_numbered};
use super::plan::{Plan, plan};
use crate::catalog::{current, no_database};
use crate::ddl::check_temporary;
use crate::engine::Engine;
use crate::error::Result;
use crate::schema::TableDefinition;
use crate::store::{Durability, LockWait};
use crate::table::Table;
use crate::transaction::NumberRules;

impl Engine {
    /// Changes a temporary table; gives it as it is from now on. All its rows count as copied, as
    /// MySQL says of every such change. Whether its new name is free is
    /// for the caller to know. `stop` ends it.
    ///
    /// # Errors
    /// `Exists`, `Definition`; `Value` and `NullValue` when a row does not fit the new columns;
    /// `Duplicate` when a new unique key does not hold; those of `stop`.
    pub fn alter_temporary_table(
        self: &Arc<Self>,
        table: &Arc<Table>,
        alterations: Vec<Alteration>,
        rules: ConversionRules,
        stop: &dyn Fn() -> Result<()>,
    ) -> Result<(Arc<Table>, AlterOutcome)> {
        let mut plan = plan(table, alterations, self.catalog().make_rules())?;
        check_temporary(&plan.definition)?;
        check_new_defaults(&plan, &self.rules_of(&plan.definition)?)?;
        self.check_implicit_days(table, &plan, rules.mode)?;
        if !self.catalog().has_database(&plan.definition.database) {
            return Err(no_database(&plan.definition.database));
        }
        let needs_copy = plan.rebuild || !plan.fill.is_empty() || !plan.removed.is_empty();
        if !needs_copy {
            let rows_copied = self.row_count(table)?.unwrap_or_default();
            let renewed = self.temporary_version(table, plan.definition);
            return Ok((renewed, AlterOutcome { rows_copied, ..AlterOutcome::default() }));
        }
        plan.definition.version = 1;
        let next = self.begin_temporary(plan.definition.clone(), Arc::default())?;
        match self.copy_temporary(table, &next, &plan, rules, stop) {
            Ok(outcome) => {
                next.inherit(table);
                self.drop_temporary_table(table);
                Ok((next, outcome))
            }
            Err(error) => {
                self.drop_temporary_table(&next);
                Err(error)
            }
        }
    }

    /// Another definition of rows that stay as they are.
    fn temporary_version(&self, table: &Table, mut definition: TableDefinition) -> Arc<Table> {
        definition.version = table.version + 1;
        table.state.reset_counters();
        let state = Arc::clone(&table.state);
        let renewed = current(&**self.store(), self.catalog().make_rules(), definition, state);
        renewed.inherit(table);
        renewed
    }

    fn copy_temporary(
        self: &Arc<Self>,
        table: &Arc<Table>,
        next: &Arc<Table>,
        plan: &Plan,
        rules: ConversionRules,
        stop: &dyn Fn() -> Result<()>,
    ) -> Result<AlterOutcome> {
        let numbers = is_numbered(table, plan).then_some(next.next_index);
        let copying = Copying::new(self, table, next, plan, numbers, rules);
        let mut transaction = self.begin(LockWait::AtMost(self.lock_wait_max()))?;
        transaction.number_by(NumberRules::AS_GIVEN);
        let view = self.store().snapshot()?;
        let mut cursor = view.scan_once(&table.index_range(0))?;
        let mut rows = 0;
        while cursor.advance()? {
            if let Some(row) = copying.row_of(cursor.key(), cursor.value(), rows + 1)? {
                stop()?;
                rows += 1;
                let row: Vec<_> = row.iter().map(values::datum::Value::as_datum).collect();
                transaction.insert(next, &row)?;
            }
        }
        drop(cursor);
        transaction.commit(Durability::Os)?;
        let warnings = copying.warnings_of_rows();
        Ok(AlterOutcome { rows_copied: rows, warnings })
    }
}
