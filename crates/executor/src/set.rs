//! UNION, INTERSECT and EXCEPT.
//!
//! Invariants
//! 1. Rows come in the order of their sides; of equal ones the first stays.
//!
//! Not here: types that both sides convert to (`plan::bind::query`).

use std::collections::HashMap;

use expression::{Cell, Scope, fit};
use values::datum::Value;

use super::distinct::distinct_key;
use super::output::RowOutput;
use super::{Execution, Flow, Give};
use plan::tree::{OutputColumn, Query, SetOperation, SetOperator};
use results::Result;

impl Execution<'_> {
    pub(super) fn set(
        &self,
        set: &SetOperation,
        query: &Query,
        limits: (u64, u64),
        scope: &Scope<'_>,
        give: &mut Give<'_>,
    ) -> Result<()> {
        let sorted = !query.order.is_empty();
        let mut output = RowOutput::new(self, query, limits, sorted, !set.all, give);
        if output.is_full() {
            return Ok(());
        }
        if set.operator == SetOperator::Union {
            for side in &set.sides {
                let mut stopped = false;
                self.side(side, &query.columns, scope, &mut |row| {
                    let flow = output.row(row)?;
                    stopped = flow == Flow::Stop;
                    Ok(flow)
                })?;
                if stopped {
                    break;
                }
            }
            return output.finish_rows().map(|_| ());
        }
        let [left, right] = set.sides.as_slice() else { return Ok(()) };
        let mut others: HashMap<Vec<u8>, u64, foldhash::fast::RandomState> = HashMap::default();
        self.side(right, &query.columns, scope, &mut |row| {
            let key = distinct_key(&query.columns, &row);
            self.draw(key.len() + 56)?;
            *others.entry(key).or_default() += 1;
            Ok(Flow::Continue)
        })?;
        self.side(left, &query.columns, scope, &mut |row| {
            let key = distinct_key(&query.columns, &row);
            let known = others.get_mut(&key);
            let stays = match (set.operator, known) {
                (SetOperator::Intersect, None) => false,
                (SetOperator::Intersect, Some(left)) => {
                    // With ALL each row of the right side answers for one of the left.
                    let any = *left > 0;
                    *left -= u64::from(set.all && any);
                    any
                }
                (_, None) => true,
                (_, Some(left)) => {
                    let any = *left > 0;
                    *left -= u64::from(set.all && any);
                    !any
                }
            };
            if stays { output.row(row) } else { Ok(Flow::Continue) }
        })?;
        output.finish_rows().map(|_| ())
    }

    /// The rows of a side in the common types.
    pub(super) fn side(
        &self,
        side: &Query,
        columns: &[OutputColumn],
        scope: &Scope<'_>,
        give: &mut Give<'_>,
    ) -> Result<()> {
        let same = side.columns.iter().zip(columns).all(|(own, common)| own.ty == common.ty);
        self.query(side, scope, &mut None, &mut |row| {
            if same {
                return give(row);
            }
            let converted = row
                .into_iter()
                .zip(&side.columns)
                .zip(columns)
                .map(|((value, own), common)| fit(&common.ty, Cell::of(value), &own.ty, scope))
                .collect::<Vec<Value>>();
            give(converted)
        })
    }
}
