//! One SELECT: joined rows are filtered, grouped, given window functions, and handed to the output.
//!
//! Not here: finding rows (`join`), groups (`group`), window functions (`window`), what becomes of
//! the rows (`output`).

use std::rc::Rc;

use expression::{JoinedRows, RowView, Scope};

use super::group::Groups;
use super::join::over;
use super::output::RowOutput;
use super::presort::Presort;
use super::residual::all_hold;
use super::window::Windows;
use super::{Execution, Flow, Give};
use plan::tree::{JoinStep, Member, Query, Select, Source};
use results::Result;

impl Execution<'_> {
    pub(super) fn select(
        &self,
        select: &Select,
        query: &Query,
        limits: (u64, u64),
        scope: &Scope<'_>,
        found: &mut Option<u64>,
        give: &mut Give<'_>,
    ) -> Result<()> {
        let plan = &select.plan;
        let in_order = (plan.ordered || plan.first_row || plan.grouped)
            && self.comes_in_order(select, scope)?;
        let comes_sorted = query.order.is_empty() || select.plan.ordered && in_order;
        let sorted = !comes_sorted;
        let mut output = RowOutput::new(self, query, limits, sorted, select.distinct, give);
        output.expect_rows_of(select);
        // Rows beyond the limit are not looked at where it is known how many entries there are.
        let behind = match output.may_pass_over && !sorted {
            true => self.ranges_to_count(select, scope)?,
            false => None,
        };
        output.counts_all = select.counts_found && behind.is_none();
        if output.is_full() && behind.is_none() {
            return Ok(());
        }
        select.plan.members_first.iter().for_each(|id| self.find_members_first(*id));
        let possible = all_hold(&select.plan.once, &over(scope, None))?;
        // Whose rows are locked, all of them are joined.
        let may_cut = sorted && output.may_pass_over && !output.counts_all && !select.locks_rows();
        let (offset, limit) = limits;
        let cuts = may_cut && limit < u64::MAX;
        let (steps, cut) = (&select.plan.steps[..], Rc::clone(&output.cut));
        let sorted_after = select.plan.sorted_after.filter(|_| cuts);
        let (first, rest) = steps.split_at(sorted_after.unwrap_or(steps.len()));
        let joined = |then: &mut dyn FnMut(&Scope<'_>) -> Result<Flow>| {
            if !possible {
                return Ok(());
            }
            let then = &mut |link: Option<&JoinedRows<'_>>| {
                let row = over(scope, link);
                self.note_locked(select, &row)?;
                then(&row)
            };
            if rest.is_empty() {
                return self.join(&select.relations, first, None, scope, then).map(drop);
            }
            let wanted = offset.saturating_add(limit);
            let mut presort = Presort::new(self, (select, query), rest, &cut, wanted);
            self.join(&select.relations, first, None, scope, &mut |link| {
                link.map_or(Ok(()), |link| presort.add(link, scope, then))?;
                Ok(Flow::Continue)
            })?;
            presort.join_rest(scope, then)
        };
        let mut windows = select.windowing.as_ref().map(|windowing| Windows::new(self, windowing));
        let mut take = |row: &Scope<'_>| {
            if let Some(having) = &select.having
                && !having.holds(row)?
            {
                return Ok(Flow::Continue);
            }
            match &mut windows {
                Some(windows) => windows.add(row).map(|()| Flow::Continue),
                None => output.project(select, row),
            }
        };
        match &select.grouping {
            None => {
                if !possible || !self.leap(select, scope, &mut take)? {
                    joined(&mut take)?;
                }
            }
            Some(grouping) => {
                let mut groups = Groups::new(self, grouping, scope)?;
                let known = match possible && !select.locks_rows() {
                    true if select.plan.is_known => self.known(select)?,
                    true => self.counted(select, scope)?,
                    false => None,
                };
                match known {
                    Some(values) => groups.know(values),
                    None if possible
                        && self.leap(select, scope, &mut |row| {
                            groups.add(row).map(|()| Flow::Continue)
                        })? => {}
                    None => {
                        let one_by_one = select.plan.grouped && in_order;
                        let enough = select.plan.first_row && in_order;
                        let only_counts = groups.only_count();
                        let mut add = |row: &Scope<'_>, rows: Option<u64>| {
                            if one_by_one && groups.begins_another(row)? {
                                let flow = groups.give_group(scope, &mut |values| {
                                    take(&scope.with_row(RowView::Values(values)))
                                })?;
                                if flow == Flow::Stop {
                                    return Ok(Flow::Stop);
                                }
                            }
                            match rows {
                                Some(rows) => groups.add_rows(row, rows)?,
                                None => groups.add(row)?,
                            }
                            Ok(if enough { Flow::Stop } else { Flow::Continue })
                        };
                        let counts = possible && only_counts;
                        if !counts
                            || !self
                                .count_runs(select, scope, &mut |row, rows| add(row, Some(rows)))?
                        {
                            joined(&mut |row| add(row, None))?;
                        }
                    }
                }
                groups.each(query.order.is_empty(), scope, &mut |values| {
                    take(&scope.with_row(RowView::Values(values)))
                })?;
            }
        }
        if let Some(windows) = windows {
            windows.each(scope, &mut |values| {
                output.project(select, &scope.with_row(RowView::Values(values)))
            })?;
        }
        let is_full = output.is_full();
        let mut counted = output.finish(select, scope)?;
        if let Some((table, index, ranges)) = behind.filter(|_| is_full && possible) {
            counted = self.count_entries((&table, index), &ranges)?.max(counted);
        }
        *found = Some(counted);
        Ok(())
    }

    /// Whether rows are joined in the order planned: not if the index turns out to be of no use for
    /// these values.
    fn comes_in_order(&self, select: &Select, scope: &Scope<'_>) -> Result<bool> {
        let Some(JoinStep { member: Member::Scan(scan), .. }) = select.plan.steps.first() else {
            return Ok(false);
        };
        match (&select.relations[scan.relation].source, &scan.access) {
            (Source::Table(table), Some(access)) if access.is_narrow() => {
                let found = access.ranges(table, &over(scope, None))?;
                Ok(!found.all_terms)
            }
            _ => Ok(true),
        }
    }
}
