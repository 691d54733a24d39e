//! Whether a query's next run is likely to be too long for where it is begun (an event loop, the row
//! executor), by what its last ones came to.
//!
//! The plan's guess decides where a query is begun, and a loop gives up what turns out to be longer. All
//! that it has done by then is done once more elsewhere, so a guess that is too low again and again would
//! cost a third of such a query each time.
//!
//! Invariants
//! 1. It says where a run begins, and nothing of what it gives.
//!
//! Not here: how long is too long (`session::query`).

use std::sync::atomic::{AtomicU8, Ordering};

/// Runs that were too long, more than others, from which on the next is expected to be one, too.
const EXPECTED_FROM: u8 = 2;
/// However often, after so many short ones it is over.
const MOST: u8 = 4;
/// A short one takes back so many: a wrong guess costs a change of threads.
const TAKEN_BACK: u8 = 2;

/// What a statement's runs come to, by whichever of its plans.
#[derive(Debug, Default)]
pub struct Runs {
    /// Whether it is more than an event loop is for.
    pub in_loop: Forecast,
    /// Whether it is far more than the row executor is for, of those that were begun there.
    pub over_rows: Forecast,
}

/// What a query's last runs were like. Whoever runs it may say so: of several at a time some may not be
/// counted, which is of no consequence.
#[derive(Debug, Default)]
pub struct Forecast(AtomicU8);

impl Forecast {
    /// A run was too long, or would not have been.
    pub fn note(&self, was_long: bool) {
        let before = self.0.load(Ordering::Relaxed);
        let now = match was_long {
            true => (before + 1).min(MOST),
            false => before.saturating_sub(TAKEN_BACK),
        };
        // Most runs change nothing, and leave the others' caches alone.
        if now != before {
            self.0.store(now, Ordering::Relaxed);
        }
    }

    /// Whether the next run is likely to be too long.
    pub fn is_long(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= EXPECTED_FROM
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_are_expected_after_some_and_no_longer_after_short_ones() {
        let forecast = Forecast::default();
        assert!(!forecast.is_long());
        (0..EXPECTED_FROM).for_each(|_| forecast.note(true));
        assert!(forecast.is_long());
        (0..100).for_each(|_| forecast.note(true));
        forecast.note(false);
        assert!(forecast.is_long(), "one of many may be short");
        forecast.note(false);
        assert!(!forecast.is_long());
    }

    #[test]
    fn where_every_other_run_is_short_none_is_expected_to_be_long() {
        let forecast = Forecast::default();
        for run in 0..1000 {
            assert!(!forecast.is_long());
            forecast.note(run % 2 == 0);
        }
    }
}
