//! RAND of a seed: MySQL's sequences of random numbers.
//!
//! Not here: numbers that nobody can foresee (`functions::session`).

/// MySQL's generator of random numbers (`randominit` and `my_rnd` in its sources).
#[derive(Debug)]
pub struct Random {
    first: u64,
    second: u64,
}

impl Random {
    const MAX: u64 = 0x3FFF_FFFF;

    pub(crate) fn seeded(seed: i64) -> Random {
        let seed = seed as u32;
        Random {
            first: u64::from(seed.wrapping_mul(0x10001).wrapping_add(55_555_555)) % Self::MAX,
            second: u64::from(seed.wrapping_mul(0x1000_0001)) % Self::MAX,
        }
    }

    pub(crate) fn next(&mut self) -> f64 {
        self.first = (self.first * 3 + self.second) % Self::MAX;
        self.second = (self.first + self.second + 33) % Self::MAX;
        self.first as f64 / Self::MAX as f64
    }
}
