//! Counters of a door: raised by many threads at once, read seldom.
//!
//! Not here: what is counted (`memcached::shared`, `tyrant::shared`).

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// A count that many threads raise at once: each in a cache line of its own.
#[derive(Debug, Default)]
pub struct Counter([Line; LINES]);

#[derive(Debug, Default)]
#[repr(align(64))]
struct Line(AtomicU64);

/// Lines of a counter; threads beyond that share.
const LINES: usize = 8;

static THREADS: AtomicUsize = AtomicUsize::new(0);
thread_local! {
    static LINE: usize = THREADS.fetch_add(1, Ordering::Relaxed) % LINES;
}

impl Counter {
    /// One more.
    pub fn add(&self) {
        self.add_many(1);
    }

    /// Some more.
    pub fn add_many(&self, count: u64) {
        self.line().fetch_add(count, Ordering::Relaxed);
    }

    /// One less.
    pub fn less(&self) {
        self.line().fetch_sub(1, Ordering::Relaxed);
    }

    /// How many.
    pub fn get(&self) -> u64 {
        // One line alone may have been lowered more often than raised.
        self.0.iter().fold(0, |sum, line| sum.wrapping_add(line.0.load(Ordering::Relaxed)))
    }

    fn line(&self) -> &AtomicU64 {
        &self.0[LINE.with(|line| *line)].0
    }

    /// Back to 0.
    pub fn reset(&self) {
        self.0.iter().for_each(|line| line.0.store(0, Ordering::Relaxed));
    }
}
