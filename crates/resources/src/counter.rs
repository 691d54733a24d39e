//! What many threads touch at once, kept apart so that no two of them write to the same memory: a
//! cache line that two cores write to by turns costs each of them some fifty nanoseconds.
//!
//! Invariants
//! 1. A thread has the same line from its first use of one on.
//!
//! Not here: what is counted (`memcached::shared`, `tyrant::shared` of the doors, `sql::server`).

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Lines; threads beyond that share.
pub const LINES: usize = 8;

static THREADS: AtomicUsize = AtomicUsize::new(0);
thread_local! {
    static LINE: usize = THREADS.fetch_add(1, Ordering::Relaxed) % LINES;
}

/// The calling thread's line, less than `LINES`.
#[inline]
pub fn line() -> usize {
    LINE.with(|line| *line)
}

/// A count that many threads raise at once: each in a cache line of its own.
#[derive(Debug, Default)]
pub struct Counter([Line; LINES]);

#[derive(Debug, Default)]
#[repr(align(64))]
struct Line(AtomicU64);

impl Counter {
    /// One more.
    pub fn add(&self) {
        self.add_many(1);
    }

    /// Some more.
    pub fn add_many(&self, count: u64) {
        self.own().fetch_add(count, Ordering::Relaxed);
    }

    /// One less.
    pub fn less(&self) {
        self.own().fetch_sub(1, Ordering::Relaxed);
    }

    /// How many.
    pub fn get(&self) -> u64 {
        // One line alone may have been lowered more often than raised.
        self.0.iter().fold(0, |sum, line| sum.wrapping_add(line.0.load(Ordering::Relaxed)))
    }

    fn own(&self) -> &AtomicU64 {
        &self.0[line()].0
    }

    /// Back to 0.
    pub fn reset(&self) {
        self.0.iter().for_each(|line| line.0.store(0, Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::Counter;

    #[test]
    fn what_one_thread_has_raised_another_may_lower() {
        let counter = Counter::default();
        std::thread::scope(|scope| {
            for _ in 0..12 {
                scope.spawn(|| (0..1000).for_each(|_| counter.add()));
            }
        });
        (0..2000).for_each(|_| counter.less());
        assert_eq!(counter.get(), 10_000);
        counter.reset();
        assert_eq!(counter.get(), 0);
    }
}
