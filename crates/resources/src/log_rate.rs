//! How many lines of one kind may stand in the log in a stretch of time: a client that repeats
//! itself does not fill it.
//!
//! Invariants
//! 1. The first line of a kind is logged at once; lines that are left out are counted, and the next
//!    one that is logged says how many.
//!
//! Not here: what is logged.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// A limit on lines of one kind.
#[derive(Debug)]
pub struct LogRate {
    lines_max: u64,
    every: Duration,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// When the stretch began with its first line; `None`: nothing was logged yet.
    began: Option<Instant>,
    logged: u64,
    left_out: u64,
}

impl Default for LogRate {
    /// One line a second.
    fn default() -> LogRate {
        LogRate::of(1, Duration::from_secs(1))
    }
}

impl LogRate {
    /// So many lines in this time, at most.
    pub const fn of(lines_max: u64, every: Duration) -> LogRate {
        let state = State { began: None, logged: 0, left_out: 0 };
        LogRate { lines_max, every, state: Mutex::new(state) }
    }

    /// Whether a line may be logged now: how many were left out since the last one, or `None`,
    /// which leaves this one out.
    pub fn next(&self, now: Instant) -> Option<u64> {
        let mut state = self.state.lock();
        if state.began.is_none_or(|began| now.saturating_duration_since(began) >= self.every) {
            (state.began, state.logged) = (Some(now), 0);
        }
        if state.logged >= self.lines_max {
            state.left_out += 1;
            return None;
        }
        state.logged += 1;
        Some(std::mem::take(&mut state.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_come_too_soon_are_left_out_and_counted() {
        let rate = LogRate::of(1, Duration::from_secs(10));
        let start = Instant::now();
        let at = |seconds| rate.next(start + Duration::from_secs(seconds));
        assert_eq!(at(0), Some(0));
        assert_eq!([at(1), at(9)], [None, None]);
        assert_eq!(at(10), Some(2));
        assert_eq!(at(19), None);
        assert_eq!(at(100), Some(1));
    }

    #[test]
    fn several_lines_of_one_stretch_may_follow_each_other() {
        let rate = LogRate::of(2, Duration::from_secs(1));
        let start = Instant::now();
        let logged = [0, 0, 0, 1].map(|at| rate.next(start + Duration::from_secs(at)));
        assert_eq!(logged, [Some(0), Some(0), None, Some(1)]);
    }
}
