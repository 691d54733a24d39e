//! The number of rows of a table that was counted last, and the state that it is of.
//!
//! Not here: counting (`counting`).

use parking_lot::Mutex;

use super::quiescent_state::QuiescentState;
use super::state::TableState;
use crate::schema::{TableDefinition, TableId};
use crate::store::Read;

/// The number of rows that was counted last.
#[derive(Debug, Default)]
pub struct CountedRows(Mutex<Option<LastCount>>);

#[derive(Debug, Clone, Copy)]
struct LastCount {
    table: TableId,
    still: QuiescentState,
    rows: u64,
}

impl CountedRows {
    /// The number of a table's rows, if a view shows the state in which they were counted.
    pub(crate) fn shown_by(
        &self,
        view: &dyn Read,
        version: (&TableDefinition, &TableState),
    ) -> Option<u64> {
        let counted = (*self.0.lock())?;
        let is_that = counted.table == version.0.id && counted.still.is_shown_by(view, version);
        is_that.then_some(counted.rows)
    }

    /// So many were counted in a state.
    pub(crate) fn set(&self, table: TableId, still: QuiescentState, rows: u64) {
        *self.0.lock() = Some(LastCount { table, still, rows });
    }
}
