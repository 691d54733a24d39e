//! How many rows keys of indexes have, as some entries have shown, for the plans of the next
//! moment.
//!
//! To look at a hundred entries takes a fifth of the time in which a join is planned. Where plans
//! follow each other (lists of another length each time, queries that a program puts together), the
//! entries are the same.
//!
//! Invariants
//! 1. A sample is used for `AGE_MAX` at most, and for a table of about the size that it had then.
//! 2. Their number is bounded.
//!
//! Not here: how entries are looked at, and what is made of them (`optimize::statistics`).

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rows::schema::IndexId;

/// How long a sample is used. A plan lives on with it until its tables have other sizes, so an
/// index that is filled with other keys should not be thought of as before for long.
const AGE_MAX: Duration = Duration::from_secs(1);
/// The part by which a table's size may have changed.
const CHANGED_PART: f64 = 0.125;
/// Most samples that are kept.
const SAMPLES_MAX: usize = 4096;

/// A table, one of its indexes, and how many of that one's first parts make the key.
pub type SampledKey = (u32, IndexId, usize);

/// Samples of all indexes.
#[derive(Debug, Default)]
pub struct Samples {
    kept: Mutex<HashMap<SampledKey, Sample>>,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    taken: Instant,
    /// Rows of the table then.
    size: f64,
    /// Rows of a key; `None` where the sample says nothing.
    rows: Option<f64>,
}

impl Samples {
    /// Rows that a key has in a table of so many rows; `take` looks at entries where nobody has
    /// just done so.
    ///
    /// # Errors
    /// Those of `take`.
    pub fn of<E>(
        &self,
        key: SampledKey,
        size: f64,
        take: impl FnOnce() -> Result<Option<f64>, E>,
    ) -> Result<Option<f64>, E> {
        let now = Instant::now();
        let known = self.kept.lock().get(&key).copied();
        if let Some(sample) = known.filter(|sample| sample.is_good(now, size)) {
            return Ok(sample.rows);
        }
        let rows = take()?;
        let mut kept = self.kept.lock();
        if kept.len() >= SAMPLES_MAX {
            kept.clear();
        }
        kept.insert(key, Sample { taken: now, size, rows });
        Ok(rows)
    }
}

impl Sample {
    fn is_good(&self, now: Instant, size: f64) -> bool {
        let is_of_size = (size - self.size).abs() <= self.size * CHANGED_PART;
        is_of_size && now.saturating_duration_since(self.taken) <= AGE_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_good_for_a_moment_and_a_size() {
        let samples = Samples::default();
        let ask = |size, rows| {
            let mut asked = false;
            let found = samples.of((1, 2, 1), size, || {
                asked = true;
                Ok::<_, ()>(rows)
            });
            (found.unwrap(), asked)
        };
        assert_eq!(ask(1000.0, Some(3.0)), (Some(3.0), true));
        assert_eq!(ask(1100.0, Some(4.0)), (Some(3.0), false));
        assert_eq!(ask(1200.0, None), (None, true));
        assert_eq!(ask(1200.0, Some(5.0)), (None, false), "that it says nothing is known, too");
        let old = |sample: &mut Sample| sample.taken -= AGE_MAX + Duration::from_millis(1);
        samples.kept.lock().values_mut().for_each(old);
        assert_eq!(ask(1200.0, Some(6.0)), (Some(6.0), true));
        assert!(samples.of((1, 3, 1), 1.0, || Err(())).is_err());
    }
}
