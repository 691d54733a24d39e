//! Terms that the ranges of an index do not answer, over the entries of the index.
//!
//! ```text
//! kind = 'post' AND state <> 'draft', index (kind, state, made)
//!   draft | ..        what holds of the first entry of a state holds of all that follow it
//!   open  | ..
//! ```
//!
//! Invariants
//! 1. An answer stands for the next entry only where that has the same bytes in all parts which the
//!    terms look at, and evaluating them does nothing else: no warning, nothing volatile.
//!
//! Not here: entries that are the same as a whole (`rows::find::CoveredEntry`).

use expression::{Node, RowView, Scope};
use rows::find::CoveredEntry;
use rows::table::{Covering, Table};

use plan::terms::{columns_of, has_subquery, is_volatile};
use results::Result;

/// The terms of one scan.
pub(super) struct Residual<'r> {
    terms: &'r [Node],
    /// Whether it makes no difference how often they are evaluated.
    pub is_stable: bool,
    /// How many leading parts of the index they look at; `None` if they look elsewhere as well.
    parts: Option<usize>,
    /// Whether they held for the entry before, if that is known.
    before: Option<bool>,
}

impl<'r> Residual<'r> {
    pub fn new(terms: &'r [Node], table: &Table, covering: &Covering) -> Residual<'r> {
        let is_stable = !terms.iter().any(is_volatile);
        let may_stand = is_stable && !terms.is_empty() && !terms.iter().any(has_subquery);
        let columns: Vec<usize> = terms.iter().flat_map(columns_of).collect();
        let parts = may_stand.then(|| covering.parts_of(table, &columns)).flatten();
        Residual { terms, is_stable, parts, before: None }
    }

    /// Whether they hold for an entry.
    ///
    /// # Errors
    /// Those of evaluating them.
    pub fn hold(&mut self, told: CoveredEntry<'_>, local: &Scope<'_>) -> Result<bool> {
        let evaluate = || all_hold(self.terms, &local.with_row(RowView::Values(told.values)));
        let Some(parts) = self.parts else { return evaluate() };
        if let Some(before) = self.before
            && told.same_parts >= parts
        {
            return Ok(before);
        }
        let warnings = || local.warnings.map_or(0, |warnings| warnings.borrow().count());
        let already = warnings();
        let hold = evaluate()?;
        // A condition that warns does so of each row.
        self.before = (warnings() == already).then_some(hold);
        Ok(hold)
    }
}

/// Whether all terms hold.
pub(super) fn all_hold(terms: &[Node], scope: &Scope<'_>) -> Result<bool> {
    for term in terms {
        if !term.holds(scope)? {
            return Ok(false);
        }
    }
    Ok(true)
}
