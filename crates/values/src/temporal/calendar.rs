//! The proleptic Gregorian calendar, and rounding of fractions of a second.
//!
//! Not here: MySQL's dates with zero parts (`date`).

/// Microseconds of a second.
pub(super) const SECOND: i64 = 1_000_000;
/// Microseconds of a day.
pub(super) const DAY: i64 = 86_400 * SECOND;

/// Days of a month (1-12); 31 for month 0, of which MySQL allows any day.
pub fn days_in_month(year: u16, month: u8) -> u8 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        // MySQL's year 0 is no leap year, unlike the calendar's.
        2 if leap && year != 0 => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The calendar's 29th of February of year 0, a day that MySQL has not: the days before it are one
/// day later there.
const LEAP_DAY_OF_YEAR_0: i32 = 59 - 719_528;

/// Days since 1970-01-01. The year is counted from 0, the month 1-12.
pub fn days_from_civil(year: u16, month: u8, day: u8) -> i32 {
    let is_before_leap_day = year == 0 && month <= 2;
    // Years that begin in March put the leap day at the end.
    let (year, month) = (i32::from(year) - i32::from(month <= 2), i32::from(month));
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + i32::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468 + i32::from(is_before_leap_day)
}

/// Year, month and day of a number of days since 1970-01-01.
pub(super) fn civil_from_days(days: i32) -> (i32, u8, u8) {
    let days = if days <= LEAP_DAY_OF_YEAR_0 { i64::from(days) - 1 } else { i64::from(days) };
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * month + 2) / 5 + 1) as u8;
    let month = if month < 10 { month + 3 } else { month - 9 } as u8;
    ((year_of_era + era * 400) as i32 + i32::from(month <= 2), month, day)
}

/// Microseconds of the last digit that `fsp` digits of a fraction show.
pub(super) fn step(fsp: u8) -> i64 {
    10i64.pow(6 - u32::from(fsp.min(6)))
}

/// Appends a number below 100 as two digits.
pub(super) fn push_two(value: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(&[b'0' + (value / 10) as u8, b'0' + (value % 10) as u8]);
}

/// Appends `.` and `fsp` digits of a number of microseconds, or nothing for `fsp` 0.
pub(super) fn push_fraction(micros: u32, fsp: u8, out: &mut Vec<u8>) {
    if fsp == 0 {
        return;
    }
    out.push(b'.');
    let mut divisor = 100_000;
    for _ in 0..fsp.min(6) {
        out.push(b'0' + (micros / divisor % 10) as u8);
        divisor /= 10;
    }
}
