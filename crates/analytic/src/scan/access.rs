//! The way to a table's rows: which index, which of its ranges, and how many rows that gives.
//!
//! Invariants
//! 1. Ranges of one access do not overlap, so no row comes twice.
//! 2. An index other than the rows' own is taken only when it is expected to cost less than
//!    reading all rows: each of its rows is a look-up.
//!
//! Not here: reading (`batches`), dividing among workers (`rows::split`).

use std::ops::Bound;

use rows::error::Result;
use rows::store::{KeyRange, Read};
use rows::{Engine, Table};
use sql::index_use::IndexUse;
use values::datum::{Datum, Value};

use super::ranges::{Condition, Conditions};

/// The most ranges that IN lists may make; beyond, fewer columns of the index are used.
const RANGES_MAX: usize = 10_000;
/// Ranges whose sizes are asked of the store; the others are taken to be like them.
const RANGES_SAMPLED: usize = 16;
/// A row found through another index costs as much as this many rows read in order.
const LOOKUP_COST: f64 = 6.0;
/// Fewer rows than this are read by one worker.
const ROWS_SPLIT_MIN: u64 = 40_000;

/// A chosen way.
#[derive(Clone, Debug)]
pub(super) struct Access {
    /// Position of the index; 0: the rows themselves.
    pub(super) index: usize,
    /// Ranges in key order.
    pub(super) ranges: Vec<KeyRange>,
    /// How many index columns the conditions fixed.
    pub(super) columns: usize,
    /// Rows expected.
    pub(super) rows: u64,
}

impl Access {
    /// The cheapest way that may be taken to all rows that satisfy the conditions; the table has
    /// about `all`.
    pub(super) fn choose(
        engine: &Engine,
        table: &Table,
        index_use: &IndexUse,
        conditions: &Conditions,
        all: u64,
    ) -> Result<Access> {
        let mut best =
            Access { index: 0, ranges: vec![table.index_range(0)], columns: 0, rows: all };
        let mut best_cost = all as f64;
        if conditions.is_empty() {
            return Ok(best);
        }
        for index in 0..table.indexes.len() {
            if !table.codecs[index].ready || !index_use.looks_up(index) {
                continue;
            }
            let Some((ranges, columns)) = index_ranges(table, index, conditions)? else {
                continue;
            };
            let point = table.codecs[index].unique
                && columns == table.codecs[index].parts.len()
                && ranges.iter().all(|range| range.end.len() == range.start.len() + 1);
            let rows = match point {
                true => ranges.len() as f64,
                false => rows_of(engine, &ranges, all)?,
            };
            let each = if index == 0 { 1.0 } else { LOOKUP_COST };
            let cost = rows * each + ranges.len() as f64;
            let instead_of_all = index_use.is_forced() && best.columns == 0;
            // A small table's sizes say nothing; an index is then taken on trust.
            if cost < best_cost || instead_of_all || (all < 100 && best.columns < columns) {
                best_cost = cost;
                best = Access { index, ranges, columns, rows: rows.ceil() as u64 };
            }
        }
        Ok(best)
    }

    /// What it costs, where a row that is read in order costs 1.
    pub(super) fn cost(&self) -> f64 {
        let each = if self.index == 0 { 1.0 } else { LOOKUP_COST };
        self.rows as f64 * each + self.ranges.len() as f64
    }

    /// The ranges, divided among workers.
    pub(super) fn partitions(
        &self,
        engine: &Engine,
        view: &dyn Read,
        workers: usize,
    ) -> Result<Vec<Vec<KeyRange>>> {
        match &self.ranges[..] {
            [range] if self.rows >= ROWS_SPLIT_MIN && workers > 1 => {
                let parts = rows::split(engine.store().as_ref(), view, range, workers)?;
                Ok(parts.into_iter().map(|range| vec![range]).collect())
            }
            ranges if self.rows >= ROWS_SPLIT_MIN && workers > 1 && ranges.len() > 1 => {
                let each = ranges.len().div_ceil(workers);
                Ok(ranges.chunks(each).map(<[KeyRange]>::to_vec).collect())
            }
            ranges => Ok(vec![ranges.to_vec()]),
        }
    }
}

/// About how many of the rows the ranges of an index have.
fn rows_of(engine: &Engine, ranges: &[KeyRange], all: u64) -> Result<f64> {
    let mut entries = 0;
    for range in ranges.iter().take(RANGES_SAMPLED) {
        entries += engine.entries_about(engine.latest(), range, all)?;
    }
    let sampled = ranges.len().clamp(1, RANGES_SAMPLED);
    let entries = entries as f64 * ranges.len() as f64 / sampled as f64;
    Ok(entries.min(all as f64))
}

/// The ranges of an index that the conditions leave, and how many columns they use; `None` when
/// there is no condition on its first column.
fn index_ranges(
    table: &Table,
    index: usize,
    conditions: &Conditions,
) -> Result<Option<(Vec<KeyRange>, usize)>> {
    let parts = &table.codecs[index].parts;
    let mut prefixes: Vec<Vec<Value>> = vec![Vec::new()];
    let mut used = 0;
    let mut range = None;
    for part in parts {
        let Some(condition) = conditions.get(&part.column) else { break };
        match &condition.among {
            Some(values) if prefixes.len() * values.len() <= RANGES_MAX => {
                prefixes = product(&prefixes, values);
                used += 1;
                // Behind a prefix the order is that of other texts too.
                if part.prefix.is_some() {
                    break;
                }
            }
            Some(_) => break,
            None => {
                range = Some(condition);
                break;
            }
        }
    }
    if used == 0 && range.is_none() {
        return Ok(None);
    }
    let mut ranges = Vec::with_capacity(prefixes.len());
    for prefix in &prefixes {
        let datums: Vec<Datum<'_>> = prefix.iter().map(Value::as_datum).collect();
        ranges.push(match range {
            None => table.prefix_range(index, &datums)?,
            Some(Condition { lower, upper, .. }) => {
                table.between_range(index, &datums, bound(lower), bound(upper))?
            }
        });
    }
    ranges.retain(|range| range.end.is_empty() || range.start < range.end);
    ranges.sort_by(|a, b| a.start.cmp(&b.start));
    ranges.dedup();
    Ok(Some((ranges, used + usize::from(range.is_some()))))
}

fn product(prefixes: &[Vec<Value>], values: &[Value]) -> Vec<Vec<Value>> {
    let each = |prefix: &Vec<Value>| {
        let prefix = prefix.clone();
        values.iter().map(move |value| {
            let mut longer = prefix.clone();
            longer.push(value.clone());
            longer
        })
    };
    prefixes.iter().flat_map(each).collect()
}

fn bound(bound: &Bound<Value>) -> Bound<Datum<'_>> {
    match bound {
        Bound::Included(value) => Bound::Included(value.as_datum()),
        Bound::Excluded(value) => Bound::Excluded(value.as_datum()),
        Bound::Unbounded => Bound::Unbounded,
    }
}
