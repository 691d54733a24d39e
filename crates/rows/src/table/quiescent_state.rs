//! Quiescent states: those in which no writer was inside a table's gate. What is known of such a
//! state holds for it and every later one until the next write to the table.
//!
//! Invariants
//! 1. Every change of rows happens inside the gate, and moves `changes` when the writer leaves it.
//!    That a row is no longer seen since it has expired is no change.
//! 2. A reader that sees its own uncommitted writes is inside the gate for as long as it does.
//!
//! Not here: what is known (`counted`, `images`).

use super::state::TableState;
use crate::schema::TableDefinition;
use crate::store::Read;

/// A state in which no writer was inside the gate: the table had so many changes
/// (`Table::changes`).
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuiescentState {
    pub changes: u64,
    sequence: u64,
}

impl QuiescentState {
    /// The state that a view shows, if nobody is inside a table's gate and nobody has written
    /// since, to any table: `latest` is the store as it is now.
    pub fn of(view: &dyn Read, latest: &dyn Read, state: &TableState) -> Option<QuiescentState> {
        let changes = state.still()?;
        // Nothing was written since, to any table, so it is the state in which nobody was inside.
        let sequence = view.sequence().filter(|own| latest.sequence() == Some(*own))?;
        Some(QuiescentState { changes, sequence })
    }

    /// Whether a view shows a table as it was, in this version of it.
    pub fn is_shown_by(
        &self,
        view: &dyn Read,
        (definition, state): (&TableDefinition, &TableState),
    ) -> bool {
        view.sequence().is_some_and(|sequence| self.sequence <= sequence)
            && state.still() == Some(self.changes)
            && state.is_version(definition.version)
    }
}
