//! The way to one table's rows for who reads them in batches, which are DataFusion's scans: the
//! cheapest (`access`), with the ranges that it comes to.
//!
//! Invariants
//! 1. Ranges may be too wide and are never too narrow: who reads checks all terms again. They do not
//!    overlap, so no row comes twice.
//!
//! Not here: how terms are found in DataFusion's filters (`analytic::scan::terms`).

use std::sync::Arc;

use expression::Node;
use rows::store::KeyRange;
use rows::table::Table;

use super::Sizes;
use super::access::{Cheapest, Wanted, cheapest};
use crate::error::Result;
use crate::index_use::IndexUse;
use crate::point::{Keys, Reader};

/// A way to a table's rows.
#[derive(Clone, Debug)]
pub struct BatchAccess {
    /// The index; 0: the rows themselves.
    pub index: usize,
    /// Ranges in key order.
    pub ranges: Vec<KeyRange>,
    /// How many parts of the index the terms narrow; 0: all rows are read.
    pub parts: usize,
    /// Rows expected.
    pub rows: u64,
    /// What they cost, where one that is read in order costs 1.
    pub cost: f64,
}

/// The cheapest way to all rows for which terms over constants hold.
///
/// # Errors
/// Of the store.
pub fn in_batches(
    table: &Arc<Table>,
    index_use: &IndexUse,
    terms: &[Node],
    sizes: &Sizes<'_>,
) -> Result<BatchAccess> {
    let wanted = Wanted { needs: None, order: None, reader: Reader::InBatches };
    let size = sizes.rows(table)?;
    let best = cheapest(table, index_use, terms, &wanted, size, (&[], sizes))?;
    let Cheapest { access, examined, share, seeking, .. } = best;
    let (cost, rows) = (examined * share + seeking, examined.ceil() as u64);
    let ranges = access.ranges(table, &sizes.environment().scope())?;
    if ranges.all_terms || !access.is_narrow() {
        let ranges = vec![table.index_range(0)];
        return Ok(BatchAccess { index: 0, ranges, parts: 0, rows, cost });
    }
    let parts = |keys: &Keys| keys.equal.len() + usize::from(keys.between.is_some());
    let parts = access.keys.iter().map(parts).min().unwrap_or_default();
    Ok(BatchAccess { index: access.index, ranges: ranges.first.ranges, parts, rows, cost })
}
