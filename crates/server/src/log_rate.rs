//! How often one kind of line may stand in the log: a client that repeats itself does not fill it.
//!
//! Invariants
//! 1. The first line of a kind is logged at once; lines that were left out are counted, and the next
//!    one that is logged says how many.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// A limit on lines of one kind.
#[derive(Debug)]
pub struct LogRate {
    every: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    last: Option<Instant>,
    left_out: u64,
}

impl LogRate {
    /// One line in this time, at most.
    pub fn one_in(every: Duration) -> LogRate {
        LogRate { every, state: Mutex::default() }
    }

    /// Whether a line may be logged now: how many were left out since the last one, or `None`,
    /// which leaves this one out.
    pub fn next(&self, now: Instant) -> Option<u64> {
        let mut state = self.state.lock();
        if state.last.is_some_and(|last| now.saturating_duration_since(last) < self.every) {
            state.left_out += 1;
            return None;
        }
        state.last = Some(now);
        Some(std::mem::take(&mut state.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_come_too_soon_are_left_out_and_counted() {
        let rate = LogRate::one_in(Duration::from_secs(10));
        let start = Instant::now();
        let at = |seconds| rate.next(start + Duration::from_secs(seconds));
        assert_eq!(at(0), Some(0));
        assert_eq!([at(1), at(9)], [None, None]);
        assert_eq!(at(10), Some(2));
        assert_eq!(at(19), None);
        assert_eq!(at(100), Some(1));
    }
}
