//! `Date`: a day, also MySQL's days with zero parts.
//!
//! Invariants
//! 1. Numeric order is the order of days; 0 is '0000-00-00'.
//! 2. Month 0-12, day 0 to the month's last; year 0-9999. Only a `bound` may be a day that its
//!    month has not: it lies between the month's days and the next month, is compared and never
//!    kept.
//!
//! Not here: reading text (`parse`).

use super::calendar::{civil_from_days, days_from_civil, days_in_month, push_two};

/// A day. Packed, so that numbers order as days do:
///
/// ```text
/// bit 22            9 8     5 4    0
///     | year          | month | day |
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Date(u32);

impl Date {
    /// '0000-00-00'.
    pub const ZERO: Date = Date(0);
    /// '9999-12-31'.
    pub const MAX: Date = Date(9999 << 9 | 12 << 5 | 31);

    /// A day; month and day may be 0. `None` if the calendar has no such day.
    pub fn new(year: u16, month: u8, day: u8) -> Option<Date> {
        let valid = year <= 9999 && month <= 12 && day <= days_in_month(year, month);
        valid.then(|| Date(u32::from(year) << 9 | u32::from(month) << 5 | u32::from(day)))
    }

    /// What days are compared with, and what ALLOW_INVALID_DATES stores: of every month there are
    /// 31. `None` if it is none of those.
    pub fn bound(year: u16, month: u8, day: u8) -> Option<Date> {
        let valid = year <= 9999 && month <= 12 && day <= 31;
        valid.then(|| Date(u32::from(year) << 9 | u32::from(month) << 5 | u32::from(day)))
    }

    /// Whether the calendar has the day, whose month or day may be 0.
    pub fn is_real(self) -> bool {
        self.day() <= days_in_month(self.year(), self.month())
    }

    /// The packed number.
    pub fn packed(self) -> u32 {
        self.0
    }

    /// The day behind a packed number, if it is one. Of every month there are 31, as
    /// ALLOW_INVALID_DATES stores them.
    pub fn from_packed(packed: u32) -> Option<Date> {
        let year = u16::try_from(packed >> 9).ok()?;
        Self::bound(year, (packed >> 5 & 15) as u8, (packed & 31) as u8)
    }

    /// The day behind a packed number that was made from one.
    pub(crate) fn trusted(packed: u32) -> Date {
        Date(packed)
    }

    /// Year, 0-9999.
    pub fn year(self) -> u16 {
        (self.0 >> 9) as u16
    }

    /// Month, 0-12.
    pub fn month(self) -> u8 {
        (self.0 >> 5 & 15) as u8
    }

    /// Day of the month, 0-31.
    pub fn day(self) -> u8 {
        (self.0 & 31) as u8
    }

    /// Whether it is '0000-00-00'.
    pub fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Whether month or day is 0, as in '0000-00-00' and '2024-05-00'.
    pub fn has_zero_part(self) -> bool {
        self.month() == 0 || self.day() == 0
    }

    /// Days since 1970-01-01; `None` if a part is zero.
    pub fn days(self) -> Option<i32> {
        let full = !self.has_zero_part();
        full.then(|| days_from_civil(self.year(), self.month(), self.day()))
    }

    /// The day so many days after 1970-01-01; `None` outside of the years 0 to 9999.
    pub fn from_days(days: i32) -> Option<Date> {
        let (year, month, day) = civil_from_days(days);
        Self::new(u16::try_from(year).ok()?, month, day)
    }

    /// The number 20240131, as MySQL has a date where it wants a number.
    pub fn to_number(self) -> u32 {
        let (year, month) = (u32::from(self.year()), u32::from(self.month()));
        year * 10_000 + month * 100 + u32::from(self.day())
    }

    /// Appends '2024-01-31'.
    pub fn write(self, out: &mut Vec<u8>) {
        let year = u32::from(self.year());
        push_two(year / 100, out);
        push_two(year % 100, out);
        out.push(b'-');
        push_two(u32::from(self.month()), out);
        out.push(b'-');
        push_two(u32::from(self.day()), out);
    }
}
