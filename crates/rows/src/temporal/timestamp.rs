//! `Timestamp`: an instant, and `Zone`, the clock that shows it.
//!
//! Invariants
//! 1. What a row holds is UTC; a zone matters only to text.
//!
//! Not here: zones with daylight saving time.

use super::calendar::{DAY, SECOND, step};
use super::datetime::DateTime;

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
        let shifted = i64::try_from(self.0)
            .ok()
            .and_then(|micros| micros.checked_add(i64::from(zone.offset_seconds) * SECOND));
        shifted.and_then(DateTime::from_micros).unwrap_or(DateTime::ZERO)
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

/// A clock's fixed distance from UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Zone {
    /// Seconds that its clocks are ahead of UTC.
    pub offset_seconds: i32,
}

impl Zone {
    /// UTC itself.
    pub const UTC: Zone = Zone { offset_seconds: 0 };

    /// The zone of a MySQL offset: '+05:30', '-3:00', within -13:59 and +14:00; 'UTC' too.
    pub fn parse(text: &str) -> Option<Zone> {
        if text.eq_ignore_ascii_case("utc") {
            return Some(Self::UTC);
        }
        let (sign, clock) = text.split_at_checked(1)?;
        let (hours, minutes) = clock.split_once(':')?;
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit()) && part.len() <= 2;
        if !digits(hours) || !digits(minutes) || minutes.len() != 2 {
            return None;
        }
        let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
        let seconds = hours * 3600 + minutes * 60;
        match sign {
            _ if minutes > 59 => None,
            "+" if seconds <= 14 * 3600 => Some(Zone { offset_seconds: seconds }),
            "-" if i64::from(seconds) * SECOND < DAY && seconds < 14 * 3600 => {
                Some(Zone { offset_seconds: -seconds })
            }
            _ => None,
        }
    }
}
