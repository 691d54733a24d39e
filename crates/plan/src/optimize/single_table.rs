//! The way to the rows of the one table of a statement that needs no plan of joins.
//!
//! Invariants
//! 1. Where the table need not be looked at, it is not: then the statement can be planned in an
//!    event loop.
//!
//! Not here: which SELECTs are such (`look_up`), binding statements that write (`sql::write`).

use std::sync::Arc;

use expression::Node;
use results::Result;
use rows::table::Table;

use super::access::{AccessRequest, InOrder, cheapest_of};
use super::{Sizes, rows_wanted};
use crate::index_use::IndexUse;
use crate::point::{Access, AccessKind, Ordering, ReaderKind, ways};

/// The rows that a statement changes.
pub struct ChangedRows<'a> {
    /// The table.
    pub table: &'a Arc<Table>,
    /// Which of its indexes may be used.
    pub index_use: &'a IndexUse,
    /// The condition, as terms joined by AND.
    pub terms: &'a [Node],
    /// The order in which they are to be changed.
    pub ordering: Option<&'a Ordering>,
    /// LIMIT.
    pub limit: Option<&'a Node>,
}

/// The best of ways to rows of one table, if what the table holds makes no difference: one row, or
/// one index that narrows what is read. The best comes first.
pub(super) fn certain(all: &[Access]) -> Option<&Access> {
    let (first, others) = all.split_first()?;
    let is_certain = first.kind == AccessKind::Const
        || first.kind != AccessKind::Merge
            && !(first.is_narrow() && others.iter().any(Access::is_narrow));
    is_certain.then_some(first)
}

/// The cheapest way to the rows that a statement changes, and how many rows the table had if that
/// made a difference; `sizes` is called then.
///
/// # Errors
/// Those of `sizes`, and of reading a few rows.
pub fn way_to_change<'s>(
    rows: &ChangedRows<'_>,
    sizes: &dyn Fn() -> Result<Sizes<'s>>,
) -> Result<(Access, Option<u64>)> {
    let ChangedRows { table, index_use, terms, ordering, limit } = *rows;
    let all = ways(table, index_use, terms, ordering, ReaderKind::ByRange);
    let (mut access, size) = match certain(&all) {
        Some(access) => {
            let mut access = access.clone();
            access.ask_entries(table);
            (access, None)
        }
        None => {
            let sizes = sizes()?;
            let size = sizes.rows(table)?;
            let taken = rows_wanted(limit, None, &sizes);
            let order = ordering.zip(taken).map(|(ordering, taken)| InOrder { ordering, taken });
            let wanted = AccessRequest { needs: None, order, reader: ReaderKind::ByRange };
            let best = cheapest_of(all, table, index_use, &wanted, size, (&[], &sizes))?;
            (best.access, Some(size as u64))
        }
    };
    access.evaluate_once();
    Ok((access, size))
}
