//! `Timestamp`: an instant.
//!
//! Invariants
//! 1. What a row holds is UTC; a zone matters only to text.
//!
//! Not here: the clock that shows it (`zone`).

use super::calendar::{SECOND, step};
use super::datetime::DateTime;
use super::zone::Zone;

/// Microseconds since 1970-01-01 00:00:00 UTC; 0 stands for '0000-00-00 00:00:00'.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(u64);

impl Timestamp {
    /// '0000-00-00 00:00:00'.
    pub const ZERO: Timestamp = Timestamp(0);
    /// The first instant: 1970-01-01 00:00:01 UTC.
    pub const MIN: Timestamp = Timestamp(SECOND as u64);
    /// The last instant: 2038-01-19 03:14:07.999999 UTC.
    pub const MAX: Timestamp = Timestamp((1 << 31) * SECOND as u64 - 1);

    /// An instant by its microseconds since the epoch; 0 is the zero date.
    pub fn from_micros(micros: u64) -> Timestamp {
        Timestamp(micros)
    }

    /// Microseconds since the epoch.
    pub fn micros(self) -> u64 {
        self.0
    }

    /// Whether it is '0000-00-00 00:00:00'.
    pub fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// What a clock in `zone` shows.
    pub fn to_datetime(self, zone: Zone) -> DateTime {
        if self.is_zero() {
            return DateTime::ZERO;
        }
        let micros = i64::try_from(self.0).ok();
        micros.and_then(|micros| zone.datetime_at(micros)).unwrap_or(DateTime::ZERO)
    }

    /// Rounded to `fsp` digits of a second's fraction, half up. `None` beyond the range.
    pub fn round(self, fsp: u8) -> Option<Timestamp> {
        let step = step(fsp) as u64;
        let rounded = Timestamp((self.0 + step / 2) / step * step);
        (rounded.is_zero() || (Self::MIN..=Self::MAX).contains(&rounded)).then_some(rounded)
    }

    /// Digits of the second's fraction beyond `fsp` left out.
    pub fn truncate(self, fsp: u8) -> Timestamp {
        Timestamp(self.0 - self.0 % step(fsp) as u64)
    }
}
