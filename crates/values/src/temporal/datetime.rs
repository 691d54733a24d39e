//! `DateTime`: a day and a time of day, without a zone.
//!
//! Invariants
//! 1. Numeric order is the order of time; 0 is '0000-00-00 00:00:00'.
//!
//! Not here: instants (`timestamp`), reading text (`parse`).

use super::calendar::{DAY, SECOND, push_fraction, push_two, step};
use super::date::Date;
use super::time::Time;
use super::timestamp::Timestamp;
use super::zone::Zone;

/// A day and a time of day with microseconds. Packed, so that numbers order as times do:
///
/// ```text
/// bit 59      37 36   32 31     26 25     20 19          0
///     | date    | hour  | minute  | second  | microseconds |
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct DateTime(u64);

impl DateTime {
    /// '0000-00-00 00:00:00'.
    pub const ZERO: DateTime = DateTime(0);

    /// A day with a time of day; `None` if a part is out of its range.
    pub fn new(date: Date, hour: u8, minute: u8, second: u8, micros: u32) -> Option<DateTime> {
        let valid = hour <= 23 && minute <= 59 && second <= 59 && micros <= 999_999;
        valid.then(|| {
            let clock = u64::from(hour) << 32 | u64::from(minute) << 26 | u64::from(second) << 20;
            DateTime(u64::from(date.packed()) << 37 | clock | u64::from(micros))
        })
    }

    /// Midnight of a day.
    pub fn from_date(date: Date) -> DateTime {
        DateTime(u64::from(date.packed()) << 37)
    }

    /// The packed number.
    pub fn packed(self) -> u64 {
        self.0
    }

    /// The time behind a packed number, if it is one.
    pub fn from_packed(packed: u64) -> Option<DateTime> {
        let date = Self::date_of_packed(packed)?;
        let (hour, minute) = ((packed >> 32 & 31) as u8, (packed >> 26 & 63) as u8);
        Self::new(date, hour, minute, (packed >> 20 & 63) as u8, (packed & 0xF_FFFF) as u32)
    }

    /// The time behind a packed number that was made from one.
    pub(crate) fn trusted(packed: u64) -> DateTime {
        DateTime(packed)
    }

    /// The day behind a packed number, if it is one; whether its time of day is one, too, is not
    /// looked at.
    pub fn date_of_packed(packed: u64) -> Option<Date> {
        Date::from_packed(u32::try_from(packed >> 37).ok()?)
    }

    /// The day.
    pub fn date(self) -> Date {
        Date::trusted((self.0 >> 37) as u32)
    }

    /// Year, 0-9999.
    pub fn year(self) -> u16 {
        self.date().year()
    }

    /// Month, 0-12.
    pub fn month(self) -> u8 {
        self.date().month()
    }

    /// Day of the month, 0-31.
    pub fn day(self) -> u8 {
        self.date().day()
    }

    /// Hour, 0-23.
    pub fn hour(self) -> u8 {
        (self.0 >> 32 & 31) as u8
    }

    /// Minute, 0-59.
    pub fn minute(self) -> u8 {
        (self.0 >> 26 & 63) as u8
    }

    /// Second, 0-59.
    pub fn second(self) -> u8 {
        (self.0 >> 20 & 63) as u8
    }

    /// Microseconds within the second.
    pub fn micros(self) -> u32 {
        (self.0 & 0xF_FFFF) as u32
    }

    /// The same second with another fraction, given in microseconds below 1,000,000.
    pub fn with_micros(self, micros: u32) -> DateTime {
        debug_assert!(micros < 1_000_000);
        DateTime(self.0 & !0xF_FFFF | u64::from(micros & 0xF_FFFF))
    }

    /// Whether it is '0000-00-00 00:00:00'.
    pub fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The time of day.
    pub fn time(self) -> Time {
        let seconds = (i64::from(self.hour()) * 60 + i64::from(self.minute())) * 60;
        let micros = (seconds + i64::from(self.second())) * SECOND + i64::from(self.micros());
        Time::from_micros(micros).unwrap_or(Time::ZERO)
    }

    /// Microseconds since 1970-01-01 00:00:00 of the same clock; `None` if a part of the day is
    /// zero.
    pub fn to_micros(self) -> Option<i64> {
        Some(i64::from(self.date().days()?) * DAY + self.time().micros())
    }

    /// The time so many microseconds after 1970-01-01 00:00:00; `None` outside of the years 0 to
    /// 9999.
    pub fn from_micros(micros: i64) -> Option<DateTime> {
        let date = Date::from_days(i32::try_from(micros.div_euclid(DAY)).ok()?)?;
        let clock = micros.rem_euclid(DAY);
        let seconds = (clock / SECOND) as u32;
        let (hour, minute) = ((seconds / 3600) as u8, (seconds / 60 % 60) as u8);
        Self::new(date, hour, minute, (seconds % 60) as u8, (clock % SECOND) as u32)
    }

    /// The moment at which it is a time of day today, by a zone's clock; `now` is in microseconds
    /// since the epoch. `None` outside of the years 0 to 9999.
    pub fn today_at(time: Time, now: i64, zone: Zone) -> Option<DateTime> {
        let midnight = DateTime::from_date(zone.datetime_at(now)?.date()).to_micros()?;
        DateTime::from_micros(midnight.checked_add(time.micros())?)
    }

    /// Rounded to `fsp` digits of a second's fraction, half up. `None` past the year 9999, and
    /// when rounding would change the day of a date with zero parts.
    pub fn round(self, fsp: u8) -> Option<DateTime> {
        let step = step(fsp);
        let micros = i64::from(self.micros());
        let down = self.truncate(fsp);
        if micros % step * 2 < step {
            return Some(down);
        }
        if i64::from(down.micros()) + step < SECOND {
            return Some(DateTime(down.0 + step as u64));
        }
        let whole = self.truncate(0);
        if whole.date().has_zero_part() {
            let clock = whole.time().micros() + SECOND;
            return (clock < DAY).then(|| Self::at(whole.date(), clock));
        }
        Self::from_micros(whole.to_micros()? + SECOND)
    }

    /// A day with a number of microseconds below a day's.
    pub(super) fn at(date: Date, clock: i64) -> DateTime {
        let seconds = (clock / SECOND) as u32;
        let (hour, minute) = ((seconds / 3600) as u8, (seconds / 60 % 60) as u8);
        Self::new(date, hour, minute, (seconds % 60) as u8, (clock % SECOND) as u32)
            .unwrap_or(Self::ZERO)
    }

    /// Digits of the second's fraction beyond `fsp` left out.
    pub fn truncate(self, fsp: u8) -> DateTime {
        DateTime(self.0 - self.0 % (1 << 20) % step(fsp) as u64)
    }

    /// The instant at which a clock in `zone` shows this time, `Timestamp::ZERO` for the zero
    /// date. `None` for other zero parts and for what is outside of a TIMESTAMP's range.
    pub fn to_timestamp(self, zone: Zone) -> Option<Timestamp> {
        if self.is_zero() {
            return Some(Timestamp::ZERO);
        }
        let micros = zone.instant_of(self)?;
        let timestamp = Timestamp::from_micros(u64::try_from(micros).ok()?);
        (Timestamp::MIN..=Timestamp::MAX).contains(&timestamp).then_some(timestamp)
    }

    /// The number 20240131235959, as MySQL has a time where it wants a whole number.
    pub fn to_number(self) -> u64 {
        let clock = u64::from(self.hour()) * 10_000 + u64::from(self.minute()) * 100;
        u64::from(self.date().to_number()) * 1_000_000 + clock + u64::from(self.second())
    }

    /// Appends '2024-01-31 23:59:59.999' with `fsp` digits of the fraction.
    pub fn write(self, fsp: u8, out: &mut Vec<u8>) {
        self.date().write(out);
        out.push(b' ');
        push_two(u32::from(self.hour()), out);
        out.push(b':');
        push_two(u32::from(self.minute()), out);
        out.push(b':');
        push_two(u32::from(self.second()), out);
        push_fraction(self.micros(), fsp, out);
    }
}
