//! Results that are known without evaluating anything for a row: a columnar table's statistics,
//! COUNT(*) of ranges of an index, of groups that lie together in it, and FOUND_ROWS() of rows
//! behind a LIMIT.
//!
//! Invariants
//! 1. Entries of a range are counted, not looked at, only where each stands for a row of the
//!    result.
//!
//! Not here: which SELECTs these are (`plan::optimize::precomputed`).

use std::sync::Arc;

use columnar::columns_of;
use expression::{JoinedRow, JoinedRows, Scope};
use rows::find;
use rows::store::{Direction, KeyRange};
use rows::table::{CoveredRow, Table};
use values::datum::Value;

use super::join::{over, spans};
use super::{Execution, Flow};
use plan::optimize::{known_of_table, only_counts};
use plan::point::{Access, Ranges};
use plan::tree::{JoinStep, Member, Scan, Select, Source};
use results::{Result, SqlError};

/// The position of the index that has the rows themselves.
const PRIMARY_INDEX: usize = 0;

impl Execution<'_> {
    /// The aggregates of a SELECT, where the table knows them; `None` when this view does not show
    /// it by column.
    pub(super) fn known(&self, select: &Select) -> Result<Option<Vec<Value>>> {
        let Some((table, questions)) = known_of_table(select) else { return Ok(None) };
        if !self.how.may_wait {
            return Err(SqlError::WouldWait);
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
        let Some(grouping) = &select.grouping else { return Ok(None) };
        // What its steps came to is asked for.
        if !only_counts(grouping) || self.measures.is_some() {
            return Ok(None);
        }
        let Some(RangesOnly { step, scan, table, access }) = RangesOnly::of(select) else {
            return Ok(None);
        };
        let is_whole = select.plan.counts_all && table.expiry_column().is_none();
        let index = match &scan.covering {
            Some(covering) if covering.only_counts() => covering.index(),
            // Of all rows each counts, too.
            None if is_whole => PRIMARY_INDEX,
            _ => return Ok(None),
        };
        let given = |rows: u64| {
            let rows = Value::Int(i64::try_from(rows).unwrap_or(i64::MAX));
            Ok(Some(vec![rows; grouping.aggregates.len()]))
        };
        if is_whole && let Some(rows) = self.engine.known_count(self.view, table) {
            return given(rows);
        }
        if is_whole && !self.how.may_wait && step.rows > self.rows_left() as f64 {
            return Err(SqlError::WouldWait);
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
        let rows = self.count_entries((table, access.index), &found)?;
        if is_whole {
            self.engine.end_count(table, mark, rows);
        }
        given(rows)
    }

    /// Counts rows that are the same, where that is all that is asked of groups and an index has
    /// each group's entries together: most of them are compared with the one before and no more.
    /// `false` where it is anything else.
    pub(super) fn count_runs(
        &self,
        select: &Select,
        scope: &Scope<'_>,
        add: &mut dyn FnMut(&Scope<'_>, u64) -> Result<Flow>,
    ) -> Result<bool> {
        if select.locks_rows() || self.measures.is_some() {
            return Ok(false);
        }
        let Some(only) = RangesOnly::of(select) else { return Ok(false) };
        let RangesOnly { scan, table, access, .. } = only;
        let Some(covering) = scan.covering.as_ref().filter(|covering| !covering.only_counts())
        else {
            return Ok(false);
        };
        let Some(ranges) = only.ranges(scope)? else { return Ok(false) };
        let mut row = CoveredRow::new(table);
        for span in spans(&ranges, access.merged_behind) {
            let mut added = Ok(Flow::Continue);
            let mut each = |values: &[Value], rows: u64| {
                let row = &JoinedRow::Values(values);
                let link = JoinedRows { relation: scan.relation, row, before: None };
                let row = &over(scope, Some(&link));
                added = self.look_at_entries(rows).and_then(|()| add(row, rows));
                let goes_on = matches!(added, Ok(Flow::Continue));
                if goes_on { find::Flow::Continue } else { find::Flow::Stop }
            };
            let direction = access.direction;
            let (reach, row) = (self.how.reach, &mut row);
            self.engine
                .count_runs(self.view, table, covering, span, direction, reach, row, &mut each)?;
            if added? == Flow::Stop {
                break;
            }
        }
        Ok(true)
    }

    /// The ranges whose entries are the rows of a SELECT without its LIMIT, and of which index they
    /// are, if it asks for their number and that is all there is to know of those behind the LIMIT.
    pub(super) fn ranges_to_count(
        &self,
        select: &Select,
        scope: &Scope<'_>,
    ) -> Result<Option<(Arc<Table>, usize, Ranges)>> {
        let is_plain =
            select.grouping.is_none() && select.having.is_none() && select.windowing.is_none();
        // Whose rows are locked, all of them are read.
        if !select.counts_found || !is_plain || select.locks_rows() || self.measures.is_some() {
            return Ok(None);
        }
        let Some(RangesOnly { scan, table, access, .. }) = RangesOnly::of(select) else {
            return Ok(None);
        };
        let is_primary = access.index == PRIMARY_INDEX && table.expiry_column().is_none();
        if scan.covering.is_none() && !is_primary {
            return Ok(None);
        }
        let found = access.ranges(table, &over(scope, None))?;
        Ok((!found.all_terms).then(|| (Arc::clone(table), access.index, found)))
    }

    /// How many entries ranges have.
    pub(super) fn count_entries(
        &self,
        (table, index): (&Arc<Table>, usize),
        found: &Ranges,
    ) -> Result<u64> {
        let (view, reach) = (self.view, self.how.reach);
        let mut rows = 0;
        for range in found.iter() {
            let (mut looked, mut told) = (Ok(()), 0);
            let mut each = |more| {
                told += more;
                looked = self.look_at_entries(more);
                if looked.is_ok() { find::Flow::Continue } else { find::Flow::Stop }
            };
            let counted = self.engine.count_covered(view, table, index, range, reach, &mut each)?;
            looked?;
            self.look_at_entries(counted.saturating_sub(told))?;
            rows += counted;
        }
        Ok(rows)
    }
}

/// A SELECT from one table whose conditions the ranges of an index answer.
pub(super) struct RangesOnly<'s> {
    pub step: &'s JoinStep,
    pub scan: &'s Scan,
    pub table: &'s Arc<Table>,
    pub access: &'s Access,
}

impl RangesOnly<'_> {
    pub fn of(select: &Select) -> Option<RangesOnly<'_>> {
        let [step] = &select.plan.steps[..] else { return None };
        let Member::Scan(scan) = &step.member else { return None };
        let source = &select.relations[scan.relation].source;
        let (Source::Table(table), Some(access)) = (source, &scan.access) else { return None };
        let plain = step.filters.is_empty() && step.after.is_empty() && !step.outer;
        let all = plain && scan.hash.is_none() && access.takes_all(false);
        all.then_some(RangesOnly { step, scan, table, access })
    }

    /// The ranges in the order of reading; `None` if the index turns out to be of no use for these
    /// values.
    ///
    /// # Errors
    /// Those of evaluating what the ranges are made of.
    pub fn ranges(&self, scope: &Scope<'_>) -> Result<Option<Vec<KeyRange>>> {
        let found = self.access.ranges(self.table, &over(scope, None))?;
        let mut ranges = found.first.ranges;
        if self.access.direction == Direction::Backward && self.access.merged_behind.is_none() {
            ranges.reverse();
        }
        Ok((!found.all_terms).then_some(ranges))
    }
}
