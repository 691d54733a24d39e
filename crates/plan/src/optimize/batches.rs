//! The way to one table's rows for readers in batches, which are DataFusion's scans: the
//! cheapest (`access`), with the ranges that it comes to.
//!
//! Invariants
//! 1. Ranges may be too wide and are never too narrow: readers check all terms again that are not
//!    `answered`. Ranges do not overlap, so no row comes twice.
//!
//! Not here: how terms are found in DataFusion's filters (`analytic::scan::terms`).

use std::sync::Arc;

use expression::Node;
use rows::store::KeyRange;
use rows::table::{Covering, Table};

use super::Sizes;
use super::access::{AccessRequest, Cheapest, cheapest};
use super::needs::Columns;
use crate::index_use::IndexUse;
use crate::point::{IndexKeys, ReaderKind};
use results::Result;

/// A way to a table's rows.
#[derive(Clone, Debug)]
pub struct BatchAccess {
    /// The index; 0: the rows themselves.
    pub index: usize,
    /// Ranges in key order.
    pub ranges: Vec<KeyRange>,
    /// How many parts of the index the terms narrow; 0: all rows are read.
    pub parts: usize,
    /// How many leading parts of its keys have one value each in all ranges: that of partitions is
    /// the first, in a table that has some.
    pub equal: usize,
    /// Rows expected.
    pub rows: u64,
    /// What they cost, where one that is read in order costs 1.
    pub cost: f64,
    /// How the index's entries alone tell all that is wanted, and what the terms look at that it
    /// does not answer.
    pub covering: Option<Arc<Covering>>,
    /// Which terms hold for all rows of the ranges, by position.
    pub answered: Vec<bool>,
}

impl BatchAccess {
    /// Whether rows are looked up behind the entries of an index.
    pub fn looks_rows_up(&self) -> bool {
        self.index > 0 && self.covering.is_none()
    }
}

/// The cheapest way to all rows for which terms over constants hold. `wanted`: the columns that are
/// read, but for those that the terms alone look at; `None` if no entry tells what is read.
///
/// # Errors
/// Of the store.
pub fn in_batches(
    table: &Arc<Table>,
    index_use: &IndexUse,
    terms: &[Node],
    wanted: Option<&[usize]>,
    sizes: &Sizes<'_>,
) -> Result<BatchAccess> {
    let needs = wanted.map(|exact| Columns { exact: exact.to_vec(), alike: Vec::new() });
    let wanted =
        AccessRequest { needs: needs.as_ref(), order: None, reader: ReaderKind::InBatches };
    let size = sizes.rows(table)?;
    let best = cheapest(table, index_use, terms, &wanted, size, (&[], sizes))?;
    let Cheapest { access, covering, examined, share, seeking, .. } = best;
    let (cost, rows) = (examined * share + seeking, examined.ceil() as u64);
    let ranges = access.ranges(table, &sizes.environment().scope())?;
    let is_whole = covering.is_some() && index_use.is_forced();
    if ranges.all_terms || !access.is_narrow() && !is_whole {
        let ranges = access.all_ranges(table, 0, &sizes.environment().scope())?;
        let answered = vec![false; terms.len()];
        return Ok(BatchAccess {
            index: 0,
            ranges,
            parts: 0,
            equal: 0,
            rows,
            cost,
            covering: None,
            answered,
        });
    }
    // What is left are some of the terms, in their order.
    let mut left = access.residual.iter().peekable();
    let answered = terms.iter().map(|term| left.next_if(|left| *left == term).is_none()).collect();
    let covering = covering.map(Arc::new);
    let parts = |keys: &IndexKeys| keys.equal.len() + usize::from(keys.between.is_some());
    let parts = access.keys.iter().map(parts).min().unwrap_or_default();
    let equal = match &access.keys[..] {
        [keys] => keys.equal.iter().take_while(|lookup| lookup.is_single()).count(),
        _ => 0,
    };
    let (index, ranges) = (access.index, ranges.first.ranges);
    Ok(BatchAccess { index, ranges, parts, equal, rows, cost, covering, answered })
}
