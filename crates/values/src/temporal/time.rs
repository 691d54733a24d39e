//! `Time`: a length of time or a time of day.
//!
//! Invariants
//! 1. Within -838:59:59.999999 and 838:59:59.999999.
//!
//! Not here: reading text (`parse_time`).

use super::calendar::{SECOND, push_fraction, push_two, step};
use crate::digits::write_u64;

/// A signed length of time, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(i64);

impl Time {
    /// '00:00:00'.
    pub const ZERO: Time = Time(0);
    /// '838:59:59.999999'.
    pub const MAX: Time = Time(3_020_399 * SECOND + 999_999);
    /// '838:59:59', the longest that a column takes: MySQL's has no fraction.
    pub const LONGEST: Time = Time(3_020_399 * SECOND);
    /// '-838:59:59.999999'.
    pub const MIN: Time = Time(-Time::MAX.0);

    /// A length in microseconds; `None` outside of the range.
    pub const fn from_micros(micros: i64) -> Option<Time> {
        if micros >= Time::MIN.0 && micros <= Time::MAX.0 { Some(Time(micros)) } else { None }
    }

    /// A length by its parts; `None` if one is out of its range.
    pub fn new(negative: bool, hours: u32, minutes: u8, seconds: u8, micros: u32) -> Option<Time> {
        if hours > 838 || minutes > 59 || seconds > 59 || micros > 999_999 {
            return None;
        }
        let whole = (i64::from(hours) * 60 + i64::from(minutes)) * 60 + i64::from(seconds);
        let length = whole * SECOND + i64::from(micros);
        Self::from_micros(if negative { -length } else { length })
    }

    /// `LONGEST`, of this sign.
    pub fn longest(is_negative: bool) -> Time {
        Time(if is_negative { -Time::LONGEST.0 } else { Time::LONGEST.0 })
    }

    /// The length in microseconds.
    pub fn micros(self) -> i64 {
        self.0
    }

    /// Whether it is below zero.
    pub fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// Hours without the sign, 0-838.
    pub fn hours(self) -> u32 {
        (self.0.unsigned_abs() / 3_600_000_000) as u32
    }

    /// Minute within the hour.
    pub fn minute(self) -> u8 {
        (self.0.unsigned_abs() / 60_000_000 % 60) as u8
    }

    /// Second within the minute.
    pub fn second(self) -> u8 {
        (self.0.unsigned_abs() / 1_000_000 % 60) as u8
    }

    /// Microseconds within the second.
    pub fn fraction(self) -> u32 {
        (self.0.unsigned_abs() % 1_000_000) as u32
    }

    /// Rounded to `fsp` digits of a second's fraction, half away from zero. `None` beyond the
    /// range.
    pub fn round(self, fsp: u8) -> Option<Time> {
        let step = step(fsp);
        let rounded = (self.0.abs() + step / 2) / step * step;
        Self::from_micros(if self.is_negative() { -rounded } else { rounded })
    }

    /// Digits of the second's fraction beyond `fsp` left out.
    pub fn truncate(self, fsp: u8) -> Time {
        Time(self.0 - self.0 % step(fsp))
    }

    /// The number -115959, as MySQL has a time where it wants a whole number.
    pub fn to_number(self) -> i64 {
        let clock = u32::from(self.minute()) * 100 + u32::from(self.second());
        let number = i64::from(self.hours() * 10_000 + clock);
        if self.is_negative() { -number } else { number }
    }

    /// Appends '-838:59:59.999' with `fsp` digits of the fraction.
    pub fn write(self, fsp: u8, out: &mut Vec<u8>) {
        if self.is_negative() {
            out.push(b'-');
        }
        match self.hours() {
            hours @ 0..100 => push_two(hours, out),
            hours => write_u64(u64::from(hours), out),
        }
        out.push(b':');
        push_two(u32::from(self.minute()), out);
        out.push(b':');
        push_two(u32::from(self.second()), out);
        push_fraction(self.fraction(), fsp, out);
    }
}
