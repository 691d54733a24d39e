//! What sessions and runs of events tell the scheduler.
//!
//! Not here: the scheduler (`events`).

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use rows::event::EventId;

/// Runs have connection numbers from here on, far from those of clients.
const FIRST_ID: u32 = 1 << 31;

/// What sessions and runs tell the scheduler.
#[derive(Debug)]
pub struct RunningEvents {
    pub(crate) state: Mutex<SchedulerState>,
    pub(crate) changed: Condvar,
    next_id: AtomicU32,
    /// How long a run may take; zero: as long as it takes.
    pub(crate) time_max: Duration,
}

/// What the scheduler looks at when it wakes.
#[derive(Debug, Default)]
pub struct SchedulerState {
    /// Events that run, with the numbers of their connections.
    pub(crate) running: HashMap<EventId, u32>,
    /// Something is to be looked at.
    pub(crate) changed: bool,
    /// The server ends.
    pub(crate) stopping: bool,
}

impl RunningEvents {
    /// Events whose runs may take so long.
    pub(crate) fn new(time_max: Duration) -> RunningEvents {
        RunningEvents {
            state: Mutex::default(),
            changed: Condvar::new(),
            next_id: AtomicU32::new(FIRST_ID),
            time_max,
        }
    }

    /// An event or `event_scheduler` was changed.
    pub(crate) fn notify(&self) {
        self.state.lock().changed = true;
        self.changed.notify_all();
    }

    /// Whether the server ends.
    pub(crate) fn is_stopping(&self) -> bool {
        self.state.lock().stopping
    }

    /// A run has ended.
    pub(crate) fn ended(&self, id: EventId) {
        let mut state = self.state.lock();
        state.running.remove(&id);
        state.changed = true;
        self.changed.notify_all();
    }

    /// The connection number of the next run.
    pub(crate) fn next_number(&self) -> u32 {
        FIRST_ID | self.next_id.fetch_add(1, Ordering::Relaxed)
    }
}
