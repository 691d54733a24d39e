//! The time of day, injected so that tests can set it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Where the time comes from.
pub trait Clock: Send + Sync {
    /// Microseconds since the Unix epoch.
    fn unix_micros(&self) -> u64;
}

/// The computer's clock.
#[derive(Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn unix_micros(&self) -> u64 {
        // A clock set before 1970 reads as 1970.
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_micros() as u64)
    }
}

/// A clock that stands still until it is set.
#[derive(Debug, Default)]
pub struct SetClock(AtomicU64);

impl SetClock {
    /// A clock standing at `unix_micros`.
    pub fn at(unix_micros: u64) -> SetClock {
        SetClock(AtomicU64::new(unix_micros))
    }

    /// Moves the clock to `unix_micros`.
    pub fn set(&self, unix_micros: u64) {
        self.0.store(unix_micros, Ordering::SeqCst);
    }
}

impl Clock for SetClock {
    fn unix_micros(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}
