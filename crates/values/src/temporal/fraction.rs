//! A fraction of a second as it is read: its microseconds, and whether what follows rounds them up.
//!
//! Not here: rounding to a column's digits (`convert`).

use super::datetime::DateTime;
use super::time::Time;
use crate::decimal::Decimal;

/// What stands behind the point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fraction {
    /// Its first six digits.
    pub micros: u32,
    /// Whether the next digit is 5 or more.
    pub round_up: bool,
}

impl Fraction {
    /// A number's digits before the point, without sign, and those behind it; `None` for more than
    /// a BIGINT holds.
    pub fn split(value: Decimal) -> Option<(i64, Fraction)> {
        let whole = value.truncate(0)?;
        let digits = value.checked_sub(whole)?.abs().truncate(7)?.unscaled().as_u32();
        Some((whole.to_i64()?, Fraction { micros: digits / 10, round_up: digits % 10 >= 5 }))
    }

    /// A moment of a whole second or of this fraction's microseconds, with the fraction; `None`
    /// past the calendar's end.
    pub fn on_datetime(self, value: DateTime) -> Option<DateTime> {
        match (self.round_up, self.micros) {
            (false, micros) => Some(value.with_micros(micros)),
            (true, 999_999) => value.with_micros(999_999).round(0),
            (true, micros) => Some(value.with_micros(micros + 1)),
        }
    }

    /// A length of time that has this fraction's microseconds, rounded; `None` when it is longer
    /// than any.
    pub fn on_time(self, value: Time, negative: bool) -> Option<Time> {
        let step = i64::from(self.round_up);
        Time::from_micros(value.micros() + if negative { -step } else { step })
    }
}
