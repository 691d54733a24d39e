//! What all versions of one table share: which of them is current, its gate, its counters.
//!
//! The gate lets writers in side by side, and a schema change when no writer is inside.
//!
//! Invariants
//! 1. Leaving moves `writers_left` before anybody learns that the transaction is over.
//! 2. Who waits for the gate does so for a stated time, or not at all.
//!
//! Not here: what the counters count (`transaction`), what a version is (`version`).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use parking_lot::{Condvar, Mutex};

use crate::error::{Error, Result, Wait};
use crate::recency::Recency;
use crate::schema::TableDefinition;
use crate::store::LockWait;

/// What all versions of one table share.
#[derive(Debug, Default)]
pub struct TableState {
    pub(super) current_version: AtomicU64,
    /// The column by which a container lets rows expire, if the definition names none: the
    /// version of the table that counts the columns, then a position + 1; 0 for none.
    pub(super) expiry_of_container: AtomicU64,
    /// Of the version in use, in cache mode.
    recency: Mutex<Option<Arc<Recency>>>,
    /// Counts transactions that wrote here and are over; moved before they are acknowledged.
    pub(super) writers_left: AtomicU64,
    gate: Mutex<Gate>,
    gate_moved: Condvar,
    /// Next AUTO_INCREMENT value; 0 while not read from the rows yet.
    pub(crate) auto_increment: AtomicU64,
    /// Next hidden row id; 0 while not read from the rows yet.
    pub(crate) row_id: AtomicU64,
}

#[derive(Debug, Default)]
struct Gate {
    writers: usize,
    closed: bool,
}

impl TableState {
    /// Marks a version as the one that operations must use; `u64::MAX` when dropped.
    pub(crate) fn set_version(&self, version: u64) {
        self.current_version.store(version, Ordering::Release);
    }

    /// The recency for a version of the table: the one there is, if it still fits.
    pub(super) fn recency(&self, definition: &TableDefinition) -> Option<Arc<Recency>> {
        let (id, bytes_max) = (definition.id, definition.retention.bytes_max);
        let mut recency = self.recency.lock();
        if bytes_max == 0 {
            *recency = None;
        } else if !recency.as_ref().is_some_and(|known| known.is_of(id, bytes_max)) {
            *recency = Some(Arc::new(Recency::new(id, bytes_max)));
        }
        recency.clone()
    }

    /// Makes counters be read from the rows again.
    pub(crate) fn reset_counters(&self) {
        self.auto_increment.store(0, Ordering::SeqCst);
        self.row_id.store(0, Ordering::SeqCst);
    }

    /// Enters as a writer.
    ///
    /// # Errors
    /// `WouldWait(Schema)` or `LockTimeout` while a schema change has the gate closed.
    pub(crate) fn enter(self: &Arc<Self>, wait: LockWait) -> Result<GateGuard> {
        let mut gate = self.gate.lock();
        if gate.closed {
            let LockWait::AtMost(wait_max) = wait else {
                return Err(Error::WouldWait(Wait::Schema));
            };
            let deadline = Instant::now() + wait_max;
            while gate.closed {
                if self.gate_moved.wait_until(&mut gate, deadline).timed_out() {
                    return Err(Error::LockTimeout);
                }
            }
        }
        gate.writers += 1;
        Ok(GateGuard(Arc::clone(self)))
    }

    /// Closes the gate and waits until the writers inside have left.
    ///
    /// # Errors
    /// `LockTimeout` when another change has it closed, or writers do not leave in time; the gate
    /// is then as it was.
    pub(crate) fn close(self: &Arc<Self>, wait_max: std::time::Duration) -> Result<ClosedGate> {
        let deadline = Instant::now() + wait_max;
        let mut gate = self.gate.lock();
        while gate.closed {
            if self.gate_moved.wait_until(&mut gate, deadline).timed_out() {
                return Err(Error::LockTimeout);
            }
        }
        gate.closed = true;
        let closed = ClosedGate(Arc::clone(self));
        while gate.writers > 0 {
            if self.gate_moved.wait_until(&mut gate, deadline).timed_out() {
                drop(gate);
                drop(closed);
                return Err(Error::LockTimeout);
            }
        }
        Ok(closed)
    }
}

/// A writer inside the gate; leaving is dropping it.
#[derive(Debug)]
pub struct GateGuard(Arc<TableState>);

impl GateGuard {
    pub(crate) fn is_of(&self, state: &Arc<TableState>) -> bool {
        Arc::ptr_eq(&self.0, state)
    }
}

impl Drop for GateGuard {
    fn drop(&mut self) {
        self.0.writers_left.fetch_add(1, Ordering::Release);
        let mut gate = self.0.gate.lock();
        gate.writers -= 1;
        if gate.closed && gate.writers == 0 {
            self.0.gate_moved.notify_all();
        }
    }
}

/// A gate without writers; dropping it opens the gate.
#[derive(Debug)]
pub(crate) struct ClosedGate(Arc<TableState>);

impl Drop for ClosedGate {
    fn drop(&mut self) {
        self.0.gate.lock().closed = false;
        self.0.gate_moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_closed_gate_lets_nobody_in_and_waits_for_those_inside() {
        let state = Arc::new(TableState::default());
        let inside = state.enter(LockWait::Never).unwrap();
        assert!(matches!(state.close(Duration::from_millis(5)), Err(Error::LockTimeout)));
        drop(inside);
        let closed = state.close(Duration::from_millis(5)).unwrap();
        let refused = state.enter(LockWait::Never);
        assert!(matches!(refused, Err(Error::WouldWait(Wait::Schema))));
        drop(closed);
        state.enter(LockWait::Never).unwrap();
    }
}
