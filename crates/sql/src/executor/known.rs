//! Aggregates over all rows of a table that are known without evaluating anything for a row: what a
//! columnar table knows of its columns, and COUNT(*) of ranges of an index.
//!
//! Not here: which SELECTs these are (`optimize::known`).

use columnar::columns_of;
use expression::Scope;
use rows::find;
use values::datum::Value;

use super::Execution;
use super::join::over;
use crate::error::{Result, SqlError};
use crate::optimize::{Member, known_of_table, only_counts};
use crate::tree::{Select, Source};

/// The position of the index that has the rows themselves.
const PRIMARY_INDEX: usize = 0;

impl Execution<'_> {
    /// The aggregates of a SELECT, where the table knows them; `None` when this view does not show
    /// it by column.
    pub(super) fn known(&self, select: &Select) -> Result<Option<Vec<Value>>> {
        let Some((table, questions)) = known_of_table(select) else { return Ok(None) };
        if !self.how.may_wait {
            return Err(SqlError::would_wait());
        }
        let Some(columns) = columns_of(self.view, table)? else { return Ok(None) };
        let known = columns.known(&questions);
        // What ended it early says so better.
        self.facts.kill.check()?;
        Ok(Some(known?))
    }

    /// COUNT(*) of ranges of an index whose every entry counts, without a look at any; `None` where
    /// it is anything else.
    pub(super) fn counted(&self, select: &Select, scope: &Scope<'_>) -> Result<Option<Vec<Value>>> {
        let (Some(grouping), [step]) = (&select.grouping, &select.plan.steps[..]) else {
            return Ok(None);
        };
        // What its steps came to is asked for.
        if !only_counts(grouping) || self.measures.is_some() {
            return Ok(None);
        }
        let Member::Scan(scan) = &step.member else { return Ok(None) };
        let (Source::Table(table), Some(access)) =
            (&select.relations[scan.relation].source, &scan.access)
        else {
            return Ok(None);
        };
        let is_whole = select.plan.counts_all && table.expiry_column().is_none();
        let index = match &scan.covering {
            Some(covering) if covering.only_counts() => covering.index(),
            // Of all rows each counts, too.
            None if is_whole => PRIMARY_INDEX,
            _ => return Ok(None),
        };
        let plain = step.filters.is_empty() && step.after.is_empty() && !step.outer;
        if !plain || scan.hash.is_some() || !access.takes_all(false) {
            return Ok(None);
        }
        let given = |rows: u64| {
            let rows = Value::Int(i64::try_from(rows).unwrap_or(i64::MAX));
            Ok(Some(vec![rows; grouping.aggregates.len()]))
        };
        if is_whole && let Some(rows) = self.engine.known_count(self.view, table) {
            return given(rows);
        }
        if is_whole && !self.how.may_wait && step.rows > self.rows_left.get() as f64 {
            return Err(SqlError::would_wait());
        }
        if is_whole && self.how.may_wait {
            let rows = self.engine.count_all(self.view, table, index);
            // What ended it early says so better.
            self.facts.kill.check()?;
            return given(rows?);
        }
        let mark = self.engine.begin_count(self.view, table);
        let found = access.ranges(table, &over(scope, None))?;
        if found.all_terms {
            return Ok(None);
        }
        let mut rows = 0;
        for range in found.iter() {
            let mut looked = Ok(());
            let mut each = |more| {
                looked = self.look(more);
                if looked.is_ok() { find::Flow::Continue } else { find::Flow::Stop }
            };
            rows +=
                self.engine.count_covered(self.view, table, range, self.how.reach, &mut each)?;
            looked?;
        }
        if is_whole {
            self.engine.end_count(table, mark, rows);
        }
        given(rows)
    }
}
