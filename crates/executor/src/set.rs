//! UNION, INTERSECT and EXCEPT.
//!
//! Invariants
//! 1. Rows come in the order of their sides; of equal ones the first stays.
//!
//! Not here: types that both sides convert to (`plan::bind::query`).

use std::collections::HashMap;

use expression::{Cell, Scope, fit};
use rows::local::KeySet;
use values::datum::Value;

use super::distinct::distinct_key;
use super::output::RowOutput;
use super::{Execution, Flow, Give};
use plan::tree::{OutputColumn, Query, SetOperation, SetOperator};
use results::Result;

/// The rows of the right side of INTERSECT or EXCEPT, by their keys.
enum RightRows {
    /// Each once; those that do not fit into memory lie in files.
    Once(KeySet),
    /// With ALL each row answers for one of the left side.
    Counted(HashMap<Vec<u8>, u64, foldhash::fast::RandomState>),
}

impl RightRows {
    fn new(all: bool) -> RightRows {
        match all {
            true => RightRows::Counted(HashMap::default()),
            false => RightRows::Once(KeySet::default()),
        }
    }

    fn add(&mut self, key: Vec<u8>, execution: &Execution<'_>) -> Result<()> {
        match self {
            RightRows::Once(keys) => match keys.contains(&key)? {
                true => Ok(()),
                false => execution.insert(keys, key),
            },
            RightRows::Counted(counts) => {
                execution.draw(key.len() + COUNTED_BYTES)?;
                *counts.entry(key).or_default() += 1;
                Ok(())
            }
        }
    }

    /// Whether a row answers for one of the left side.
    fn answer(&mut self, key: &[u8]) -> Result<bool> {
        match self {
            RightRows::Once(keys) => Ok(keys.contains(key)?),
            RightRows::Counted(counts) => Ok(counts.get_mut(key).is_some_and(|left| {
                let any = *left > 0;
                *left -= u64::from(any);
                any
            })),
        }
    }
}

/// What a counted key takes besides its bytes, about.
const COUNTED_BYTES: usize = 56;

impl Execution<'_> {
    pub(super) fn set(
        &self,
        set: &SetOperation,
        query: &Query,
        limits: (u64, u64),
        scope: &Scope<'_>,
        found: &mut Option<u64>,
        give: &mut Give<'_>,
    ) -> Result<()> {
        let sorted = !query.order.is_empty();
        let mut output = RowOutput::new(self, query, limits, sorted, !set.all, give);
        output.counts_all = query.counts_found();
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
            *found = Some(output.finish_rows()?);
            return Ok(());
        }
        let [left, right] = set.sides.as_slice() else { return Ok(()) };
        let mut others = RightRows::new(set.all);
        self.side(right, &query.columns, scope, &mut |row| {
            others.add(distinct_key(&query.columns, &row), self)?;
            Ok(Flow::Continue)
        })?;
        let intersects = set.operator == SetOperator::Intersect;
        self.side(left, &query.columns, scope, &mut |row| {
            let is_there = others.answer(&distinct_key(&query.columns, &row))?;
            if is_there == intersects { output.row(row) } else { Ok(Flow::Continue) }
        })?;
        *found = Some(output.finish_rows()?);
        Ok(())
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
