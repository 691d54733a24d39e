//! Running what wants no more than the ends of an index's leading parts.
//!
//! Not here: which SELECTs these are (`plan::optimize::leaps`).

use expression::{JoinedRow, JoinedRows, Scope};
use rows::find;
use values::datum::Value;

use super::join::over;
use super::measure::Watch;
use super::precomputed::RangesOnly;
use super::{Execution, Flow};
use plan::tree::Select;
use results::Result;

impl Execution<'_> {
    /// Gives the ends of the entries that a SELECT is planned to leap over; `false` where it is
    /// not, or the index turns out to be of no use for these values.
    pub(super) fn leap(
        &self,
        select: &Select,
        scope: &Scope<'_>,
        take: &mut dyn FnMut(&Scope<'_>) -> Result<Flow>,
    ) -> Result<bool> {
        let Some(only) = RangesOnly::of(select) else { return Ok(false) };
        let RangesOnly { step, scan, table, access } = only;
        let (Some(leaps), Some(covering)) = (scan.leaps, &scan.covering) else { return Ok(false) };
        // What is to be locked are rows; of ranges that are read together, each has its own values.
        if select.locks_rows() || access.merged_behind.is_some() {
            return Ok(false);
        }
        let Some(ranges) = only.ranges(scope)? else { return Ok(false) };
        let watch = Watch::begin(self.measures);
        for range in &ranges {
            let mut taken = Ok(Flow::Continue);
            let mut each = |values: &[Value]| {
                let row = &JoinedRow::Values(values);
                let link = JoinedRows { relation: scan.relation, row, before: None };
                let row = &over(scope, Some(&link));
                taken = self.look(1).and_then(|()| watch.give(|| take(row)));
                match taken {
                    Ok(Flow::Continue) => find::Flow::Continue,
                    Ok(Flow::Stop) | Err(_) => find::Flow::Stop,
                }
            };
            let (direction, reach) = (access.direction, self.how.reach);
            self.engine
                .leap(self.view, table, covering, range, leaps, direction, reach, &mut each)?;
            if taken? == Flow::Stop {
                break;
            }
        }
        watch.end(step);
        Ok(true)
    }
}
