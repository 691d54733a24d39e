//! Whether something is likely to take longer than there is time for where it is begun (an event
//! loop, the row executor), by what it came to the last times.
//!
//! Something that turns out to be too long is given up there and begun again elsewhere, so a guess
//! that is too low again and again costs all that was done by then. After several such times in a
//! row, or more of them than others, the next one is begun elsewhere at once, until some were short
//! again.
//!
//! Invariants
//! 1. It says where work begins, and nothing of what the work gives.
//!
//! Not here: how long is too long (the server's loops, `sql::session::query`).

use std::sync::atomic::{AtomicU8, Ordering};

/// A short one takes back so many: a wrong guess costs a change of threads.
const TAKEN_BACK: u8 = 2;

/// What the last times were like. Several threads may note at once: some times may not be counted
/// then, which is of no consequence.
#[derive(Debug)]
pub struct Forecast {
    /// Long times, more than others.
    long: AtomicU8,
    /// As many make the next one likely to be long.
    likely_from: u8,
}

impl Forecast {
    /// Nothing is known. After so many long times the next one is likely to be long; however often
    /// it was, half as many short ones and one more end that.
    pub const fn after(likely_from: u8) -> Forecast {
        Forecast { long: AtomicU8::new(0), likely_from }
    }

    /// It was too long, or would not have been.
    pub fn note(&self, was_long: bool) {
        let before = self.long.load(Ordering::Relaxed);
        let now = match was_long {
            true => (before + 1).min(2 * self.likely_from),
            false => before.saturating_sub(TAKEN_BACK),
        };
        // Most times change nothing, and leave the caches of other cores alone.
        if now != before {
            self.long.store(now, Ordering::Relaxed);
        }
    }

    /// What is begun next is of another kind.
    pub fn forget(&self) {
        self.long.store(0, Ordering::Relaxed);
    }

    /// Whether the next one is likely to be too long.
    pub fn is_long(&self) -> bool {
        self.long.load(Ordering::Relaxed) >= self.likely_from
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_ones_are_likely_after_some_and_no_longer_after_short_ones() {
        for from in [2, 4] {
            let forecast = Forecast::after(from);
            for _ in 0..from {
                assert!(!forecast.is_long());
                forecast.note(true);
            }
            assert!(forecast.is_long());
            (0..100).for_each(|_| forecast.note(true));
            for _ in 0..from / 2 {
                forecast.note(false);
                assert!(forecast.is_long(), "some of many may be short");
            }
            forecast.note(false);
            assert!(!forecast.is_long());
            (0..100).for_each(|_| forecast.note(true));
            forecast.forget();
            assert!(!forecast.is_long());
        }
    }

    #[test]
    fn where_every_other_one_is_short_none_is_likely_to_be_long() {
        let forecast = Forecast::after(2);
        for run in 0..1000 {
            assert!(!forecast.is_long());
            forecast.note(run % 2 == 0);
        }
    }
}
