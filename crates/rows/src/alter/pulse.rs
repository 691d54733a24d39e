//! Writers kept waiting for a part of the time: those that change rows as quickly as somebody
//! follows them. Half of the time at first; where that is not enough three quarters, then nine
//! tenths.
//!
//! Invariants
//! 1. None waits much longer than `WEIGHT_MAX` times `PULSE` and a piece of the work that is done
//!    meanwhile; each time the gate is open it is so for `PULSE` or longer.
//! 2. For a transaction that stays open nobody is kept waiting longer than `PULSE_PATIENCE` for
//!    each weight at a time, nor for more than a tenth of the time.
//!
//! Not here: when they are too quick, what is done meanwhile (`follow`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::table::{ClosedGate, Patience, TableState};

/// How long writers go on at a time, and wait at a weight of 1.
const PULSE: Duration = Duration::from_millis(40);
/// How long it is waited for those inside to leave, at a weight of 1: it is not worth more for a
/// moment of rest.
const PULSE_PATIENCE: Duration = Duration::from_millis(20);
const WEIGHT_STEP: u32 = 3;
const WEIGHT_MAX: u32 = 9;
/// How much longer than it was waited in vain it is not tried again.
const REST: u32 = 9;

/// Writers kept waiting for a part of the time.
pub(super) struct Pulse {
    state: Arc<TableState>,
    gate: Option<ClosedGate>,
    since: Instant,
    /// How many times as long as they go on they wait; 0: not at all.
    weight: u32,
    /// The last time nobody was kept waiting, for a transaction that stayed open.
    is_vain: bool,
}

impl Pulse {
    /// Of a table; writers do not wait.
    pub fn of(state: &Arc<TableState>, now: Instant) -> Pulse {
        Pulse { state: Arc::clone(state), gate: None, since: now, weight: 0, is_vain: false }
    }

    /// Has writers wait more of the time.
    pub fn slow(&mut self) {
        self.weight = (self.weight * WEIGHT_STEP).clamp(1, WEIGHT_MAX);
    }

    /// Whether they wait as much of the time as they ever do.
    pub fn is_slowest(&self) -> bool {
        self.weight == WEIGHT_MAX || self.is_vain
    }

    /// Lets writers in, or not, when it is time to. Not for who has the gate closed already.
    pub fn turn(&mut self, now: Instant) {
        let time = if self.gate.is_some() { PULSE * self.weight } else { PULSE };
        if self.weight == 0 || now.saturating_duration_since(self.since) < time {
            return;
        }
        self.since = now;
        self.gate = match self.gate.take() {
            Some(_) => None,
            None => {
                // Where a transaction stays open all of them would wait for it.
                let patience = PULSE_PATIENCE * self.weight;
                let gate = self.state.close(&Patience::at_most(patience)).ok();
                self.is_vain = gate.is_none();
                self.since +=
                    now.elapsed() + if self.is_vain { patience * REST } else { Duration::ZERO };
                gate
            }
        };
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
        let mut now = Instant::now();
        let mut pulse = Pulse::of(&state, now);
        now += PULSE;
        pulse.turn(now);
        assert!(enter().is_ok(), "nobody has been too quick");
        pulse.slow();
        pulse.rest(now);
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
        assert!(pulse.is_slowest(), "as slow as may be");
        drop(inside);
        pulse.turn(now + 2 * PULSE);
        drop(enter().expect("it was in vain just now"));
        pulse.turn(now + 100 * PULSE);
        assert!(enter().is_err());
        assert!(!pulse.is_slowest());
        drop(pulse);
        drop(enter().unwrap());
    }

    #[test]
    fn those_that_are_too_quick_all_the_same_wait_for_up_to_nine_tenths_of_the_time() {
        let state = Arc::new(TableState::default());
        let mut now = Instant::now();
        let mut pulse = Pulse::of(&state, now);
        for expected in [1, 3, 9, 9] {
            pulse.slow();
            pulse.rest(now);
            let mut shut = 0;
            for _ in 0..10 * (expected + 1) {
                now += PULSE;
                pulse.turn(now);
                shut += u32::from(state.enter(1, None).is_err());
            }
            assert_eq!(shut, 10 * expected);
            assert_eq!(pulse.is_slowest(), expected == 9);
        }
    }
}
