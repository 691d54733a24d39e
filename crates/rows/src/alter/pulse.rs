//! Writers kept waiting half of the time: those that change rows as quickly as somebody follows them.
//!
//! Invariants
//! 1. None waits much longer than `PULSE` and a piece of the work that is done meanwhile.
//! 2. For a transaction that stays open nobody is kept waiting longer than `PULSE_PATIENCE` at a time.
//!
//! Not here: when they are too quick (`online`), what is done meanwhile (`follow`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::table::{ClosedGate, Patience, TableState};

/// How long writers wait, and go on, in turn.
const PULSE: Duration = Duration::from_millis(40);
/// How long it is waited for those inside to leave: it is not worth more for a moment of rest.
const PULSE_PATIENCE: Duration = Duration::from_millis(20);

/// Writers kept waiting half of the time.
pub(super) struct Pulse {
    state: Arc<TableState>,
    gate: Option<ClosedGate>,
    since: Instant,
}

impl Pulse {
    /// Of a table; they go on at first.
    pub fn of(state: &Arc<TableState>) -> Pulse {
        Pulse { state: Arc::clone(state), gate: None, since: Instant::now() }
    }

    /// Lets writers in, or not, when it is time to.
    pub fn turn(&mut self, now: Instant) {
        if now.saturating_duration_since(self.since) < PULSE {
            return;
        }
        self.gate = match self.gate.take() {
            Some(_) => None,
            // Where a transaction stays open all of them would wait for it.
            None => self.state.close(&Patience::at_most(PULSE_PATIENCE)).ok(),
        };
        self.since = now;
    }

    /// Lets writers in for now.
    pub fn rest(&mut self, now: Instant) {
        self.gate = None;
        self.since = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_that_are_too_quick_are_let_in_half_of_the_time_and_not_while_one_stays_inside() {
        let state = Arc::new(TableState::default());
        let enter = || state.enter(1, None);
        let mut pulse = Pulse::of(&state);
        let mut now = pulse.since;
        for is_open in [true, false, true, false] {
            assert_eq!(enter().is_ok(), is_open);
            pulse.turn(now + PULSE / 2);
            assert_eq!(enter().is_ok(), is_open, "its time is not over");
            now += PULSE;
            pulse.turn(now);
        }
        now += PULSE;
        pulse.turn(now);
        assert!(enter().is_err());
        pulse.rest(now);
        let inside = enter().unwrap();
        pulse.turn(now + PULSE);
        drop(enter().expect("one inside would have had all others wait"));
        drop(inside);
        pulse.turn(now + 2 * PULSE);
        assert!(enter().is_err());
        drop(pulse);
        drop(enter().unwrap());
    }
}
