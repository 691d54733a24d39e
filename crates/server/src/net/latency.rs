//! How long requests take: a histogram with one writer for each event loop and door.
//!
//! A request's time begins when its loop has learned of its bytes, and ends when its reply was
//! given to the kernel, whatever lay in between: a file, a row lock, a commit, a thread of the
//! pool. Requests that a client sent in a row and that are answered in one turn have the time of
//! that turn.
//!
//! Invariants
//! 1. Noting a request is two additions in the loop's own cache lines; no clock is read for it but
//!    once in a turn that sends.
//!
//! Not here: the text for Prometheus (`crate::prometheus`).

use std::time::Duration;

use super::metrics::Counter;

/// Bounds of the buckets, in microseconds: powers of two from 16 us to 8.4 s. A request is in the
/// first one whose bound is at least its time; what took longer is in one more.
pub const BOUNDS_MICROS: [u64; 20] = {
    let mut bounds = [0; 20];
    let mut position = 0;
    while position < bounds.len() {
        bounds[position] = 1 << (position + FIRST_POWER);
        position += 1;
    }
    bounds
};

/// The first bound is 2 to the power of this.
const FIRST_POWER: usize = 4;
/// Buckets with that without a bound.
const BUCKETS: usize = BOUNDS_MICROS.len() + 1;

/// Times of one loop's requests at one door.
#[derive(Default)]
pub struct Latencies {
    counts: [Counter; BUCKETS],
    sum_micros: Counter,
}

impl Latencies {
    /// Notes requests that took this long each; only the one writer may.
    #[inline]
    pub fn note(&self, took: Duration, requests: u64) {
        let micros = took.as_micros() as u64;
        self.counts[bucket_of(micros)].add(requests);
        self.sum_micros.add(micros * requests);
    }
}

/// The bucket of a time.
fn bucket_of(micros: u64) -> usize {
    let power = (u64::BITS - micros.saturating_sub(1).leading_zeros()) as usize;
    power.saturating_sub(FIRST_POWER).min(BUCKETS - 1)
}

/// Times of several loops together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// Requests by bucket: those of `BOUNDS_MICROS`, and one for what took longer.
    pub counts: [u64; BUCKETS],
    /// The sum of all times.
    pub sum_micros: u64,
}

impl Distribution {
    /// Adds a loop's.
    pub fn add(&mut self, latencies: &Latencies) {
        self.counts.iter_mut().zip(&latencies.counts).for_each(|(sum, each)| *sum += each.get());
        self.sum_micros += latencies.sum_micros.get();
    }

    /// How many requests there were.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// A time in microseconds that this part of the requests did not exceed, up to the bucket's
    /// width; 0 without requests. The last bucket has no bound: its answer is twice the last one.
    pub fn quantile_micros(&self, part: f64) -> u64 {
        let wanted = (self.count() as f64 * part).ceil() as u64;
        let mut seen = 0;
        for (position, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted && seen > 0 {
                let last = BOUNDS_MICROS[BOUNDS_MICROS.len() - 1];
                return BOUNDS_MICROS.get(position).copied().unwrap_or(2 * last);
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_in_the_first_bucket_whose_bound_it_does_not_exceed() {
        for (position, bound) in BOUNDS_MICROS.into_iter().enumerate() {
            assert_eq!(bucket_of(bound), position);
            assert_eq!(bucket_of(bound + 1), position + 1);
        }
        assert_eq!(bucket_of(0), 0);
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn quantiles_are_bounds_of_buckets() {
        let latencies = Latencies::default();
        latencies.note(Duration::from_micros(20), 98);
        latencies.note(Duration::from_micros(1000), 2);
        let mut distribution = Distribution::default();
        assert_eq!(distribution.quantile_micros(0.99), 0);
        distribution.add(&latencies);
        assert_eq!((distribution.count(), distribution.sum_micros), (100, 98 * 20 + 2000));
        assert_eq!(distribution.quantile_micros(0.5), 32);
        assert_eq!(distribution.quantile_micros(0.99), 1024);
        latencies.note(Duration::from_secs(60), 1000);
        distribution.add(&latencies);
        assert_eq!(distribution.quantile_micros(0.99), 2 << 23);
    }
}
