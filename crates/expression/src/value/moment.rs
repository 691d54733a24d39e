//! Times and intervals: adding, taking apart, telling apart.
//!
//! Not here: reading times from text (`values::temporal`), DATE_FORMAT (`time::calls`).

use values::temporal::{Date, DateTime, Time, days_from_civil, days_in_month, read_time};

/// A unit of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// One of the simple units.
    Microsecond,
    /// Seconds.
    Second,
    /// Minutes.
    Minute,
    /// Hours.
    Hour,
    /// Days.
    Day,
    /// Weeks.
    Week,
    /// Months.
    Month,
    /// Quarters.
    Quarter,
    /// Years.
    Year,
    /// `'D H:M:S.U'` and its parts: the largest and the smallest unit, as indexes into
    /// `COMPOUND_PARTS`.
    Compound(u8, u8),
}

/// Units of compound intervals, from the largest.
const COMPOUND_PARTS: [&str; 7] =
    ["YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "MICROSECOND"];

/// The same as units.
const PARTS: [Unit; 7] =
    [Unit::Year, Unit::Month, Unit::Day, Unit::Hour, Unit::Minute, Unit::Second, Unit::Microsecond];

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// As statements write it.
impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Unit::Microsecond => "microsecond",
            Unit::Second => "second",
            Unit::Minute => "minute",
            Unit::Hour => "hour",
            Unit::Day => "day",
            Unit::Week => "week",
            Unit::Month => "month",
            Unit::Quarter => "quarter",
            Unit::Year => "year",
            Unit::Compound(large, small) => {
                let part = |at: &u8| COMPOUND_PARTS[usize::from(*at)].to_ascii_lowercase();
                return write!(f, "{}_{}", part(large), part(small));
            }
        })
    }
}

impl Unit {
    /// The unit by name.
    pub fn parse(name: &str) -> Option<Unit> {
        let upper = name.to_ascii_uppercase();
        let upper = upper.strip_prefix("SQL_TSI_").unwrap_or(&upper);
        Some(match upper {
            "MICROSECOND" | "MICROSECONDS" | "FRAC_SECOND" => Unit::Microsecond,
            "SECOND" | "SECONDS" => Unit::Second,
            "MINUTE" | "MINUTES" => Unit::Minute,
            "HOUR" | "HOURS" => Unit::Hour,
            "DAY" | "DAYS" => Unit::Day,
            "WEEK" | "WEEKS" => Unit::Week,
            "MONTH" | "MONTHS" => Unit::Month,
            "QUARTER" => Unit::Quarter,
            "YEAR" | "YEARS" => Unit::Year,
            _ => {
                let (large, small) = upper.split_once('_')?;
                let place = |name| COMPOUND_PARTS.iter().position(|part| *part == name);
                let (large, small) = (place(large)?, place(small)?);
                if large >= small {
                    return None;
                }
                Unit::Compound(large as u8, small as u8)
            }
        })
    }

    /// Whether it counts in days or more, so that a day plus it is a day.
    pub fn is_of_days(self) -> bool {
        matches!(
            self,
            Unit::Day
                | Unit::Week
                | Unit::Month
                | Unit::Quarter
                | Unit::Year
                | Unit::Compound(0, 1)
        )
    }

    /// Whether only the time of day counts.
    pub fn is_of_clock(self) -> bool {
        matches!(
            self,
            Unit::Hour | Unit::Minute | Unit::Second | Unit::Microsecond | Unit::Compound(3.., _)
        )
    }

    /// Whether it has days or more, so that a time of day plus it is a time of some day.
    pub fn has_days(self) -> bool {
        !self.is_of_clock()
    }

    /// Whether EXTRACT takes it of a length of time, of which it is then all: from days on.
    pub fn is_of_span(self) -> bool {
        self.is_of_clock() || matches!(self, Unit::Compound(2, _))
    }

    /// Whether fractions of a second can come out.
    pub fn has_fraction(self) -> bool {
        matches!(self, Unit::Microsecond | Unit::Compound(_, 6))
    }
}

/// A length: months, which differ in days, and microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// Whole months.
    pub months: i64,
    /// The rest.
    pub micros: i64,
}

impl Interval {
    /// The other way.
    pub fn negate(self) -> Interval {
        Interval { months: -self.months, micros: -self.micros }
    }
}

/// The interval of a simple unit; `fraction` is millionths of the unit, heeded for seconds only.
pub fn simple(unit: Unit, whole: i64, fraction: i64) -> Option<Interval> {
    let months = |count: i64| Some(Interval { months: whole.checked_mul(count)?, micros: 0 });
    let micros = |count: i64| Some(Interval { months: 0, micros: whole.checked_mul(count)? });
    match unit {
        Unit::Microsecond => micros(1),
        Unit::Second => {
            Some(Interval { months: 0, micros: whole.checked_mul(SECOND)?.checked_add(fraction)? })
        }
        Unit::Minute => micros(60 * SECOND),
        Unit::Hour => micros(3600 * SECOND),
        Unit::Day => micros(DAY),
        Unit::Week => micros(7 * DAY),
        Unit::Month => months(1),
        Unit::Quarter => months(3),
        Unit::Year => months(12),
        Unit::Compound(..) => None,
    }
}

/// The interval of a compound unit from text such as '1 10:30'; its last number is of the
/// smallest unit.
pub fn compound(large: u8, small: u8, text: &str) -> Option<Interval> {
    let text = text.trim();
    let negative = text.starts_with('-');
    let numbers: Vec<&str> =
        text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
    let room = usize::from(small - large) + 1;
    if numbers.len() > room {
        return None;
    }
    let mut total = Interval::default();
    let first = usize::from(small) + 1 - numbers.len();
    for (offset, digits) in numbers.iter().enumerate() {
        let part = first + offset;
        let mut value: i64 = digits.parse().ok()?;
        if part == 6 && digits.len() < 6 {
            // '1.5' seconds are 500,000 microseconds.
            value *= 10i64.pow(6 - digits.len() as u32);
        }
        let unit = Unit::parse(COMPOUND_PARTS[part])?;
        let piece = simple(unit, value, 0)?;
        total.months = total.months.checked_add(piece.months)?;
        total.micros = total.micros.checked_add(piece.micros)?;
    }
    Some(if negative { total.negate() } else { total })
}

/// A time moved by an interval; `None` outside of the years 0 to 9999. A day beyond the end of a
/// month becomes its last day.
pub fn shift(moment: DateTime, interval: Interval) -> Option<DateTime> {
    let mut moment = moment;
    if interval.months != 0 {
        let date = moment.date();
        let month0 = i64::from(date.year()) * 12 + i64::from(date.month()) - 1;
        let target = month0.checked_add(interval.months)?;
        if target < 0 {
            return None;
        }
        let year = u16::try_from(target / 12).ok().filter(|year| *year <= 9999)?;
        let month = (target % 12 + 1) as u8;
        let day = date.day().min(days_in_month(year, month));
        let date = Date::new(year, month, day)?;
        moment =
            DateTime::new(date, moment.hour(), moment.minute(), moment.second(), moment.micros())?;
    }
    if interval.micros != 0 {
        moment = DateTime::from_micros(moment.to_micros()?.checked_add(interval.micros)?)?;
    }
    Some(moment)
}

/// A part of a time, as EXTRACT gives it.
pub fn extract(unit: Unit, moment: DateTime) -> i64 {
    match unit {
        Unit::Year => i64::from(moment.year()),
        Unit::Month => i64::from(moment.month()),
        Unit::Day => i64::from(moment.day()),
        Unit::Hour => i64::from(moment.hour()),
        Unit::Minute => i64::from(moment.minute()),
        Unit::Second => i64::from(moment.second()),
        Unit::Microsecond => i64::from(moment.micros()),
        Unit::Quarter => (i64::from(moment.month()) + 2) / 3,
        Unit::Week => week(moment.date(), 0).map_or(0, |(week, _)| i64::from(week)),
        Unit::Compound(large, small) => {
            let parts = PARTS.map(|unit| extract(unit, moment));
            fold_parts(&parts, large, small)
        }
    }
}

/// A part of a length of time, negative where that is; `None` for parts of a day.
pub fn extract_of_time(unit: Unit, time: Time) -> Option<i64> {
    let parts: [i64; 7] = [
        0,
        0,
        0,
        i64::from(time.hours()),
        i64::from(time.minute()),
        i64::from(time.second()),
        i64::from(time.fraction()),
    ];
    let value = match unit {
        Unit::Hour => parts[3],
        Unit::Minute => parts[4],
        Unit::Second => parts[5],
        Unit::Microsecond => parts[6],
        Unit::Compound(large, small) => fold_parts(&parts, large, small),
        _ => return None,
    };
    Some(if time.is_negative() { -value } else { value })
}

/// Parts side by side as digits of one number.
fn fold_parts(parts: &[i64; 7], large: u8, small: u8) -> i64 {
    (large..=small).fold(0, |value, part| {
        let digits = if part == 6 { 1_000_000 } else { 100 };
        value * digits + parts[usize::from(part)]
    })
}

/// The whole units from one time to another.
pub fn difference(unit: Unit, from: DateTime, to: DateTime) -> Option<i64> {
    let (a, b) = (from.to_micros()?, to.to_micros()?);
    let micros = b - a;
    let months = || {
        let (early, late) = if a <= b { (from, to) } else { (to, from) };
        let month0 = |t: DateTime| i64::from(t.year()) * 12 + i64::from(t.month());
        let mut months = month0(late) - month0(early);
        let within = |t: DateTime| (t.day(), t.time());
        if within(late) < within(early) {
            months -= 1;
        }
        if a <= b { months } else { -months }
    };
    Some(match unit {
        Unit::Microsecond => micros,
        Unit::Second => micros / SECOND,
        Unit::Minute => micros / (60 * SECOND),
        Unit::Hour => micros / (3600 * SECOND),
        Unit::Day => micros / DAY,
        Unit::Week => micros / (7 * DAY),
        Unit::Month => months(),
        Unit::Quarter => months() / 3,
        Unit::Year => months() / 12,
        Unit::Compound(..) => return None,
    })
}

/// Whether a text says a day: a whole moment, or a date with dashes.
pub fn is_dated_text(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match text.get(digits..) {
        // Also one that there is not.
        Some([b'-', digit, ..]) => digits > 0 && digit.is_ascii_digit(),
        _ => read_time(text).is_some_and(|read| read.of_day),
    }
}

/// Day of the week, 0 is Monday.
pub fn weekday(date: Date) -> Option<u8> {
    Some((date.days()? + 3).rem_euclid(7) as u8)
}

/// Day of the year, from 1.
pub fn day_of_year(date: Date) -> Option<u16> {
    let first = days_from_civil(date.year(), 1, 1);
    Some((date.days()? - first + 1) as u16)
}

/// Week and its year under one of MySQL's eight modes; `None` for a day with a zero part.
pub fn week(date: Date, mode: u8) -> Option<(u8, u16)> {
    Some(week_of(date, date.days()?, mode))
}

fn week_of(date: Date, days: i32, mode: u8) -> (u8, u16) {
    let monday_first = mode & 1 != 0;
    // The fourth bit of the mode: whether the first week needs four days in the year.
    let four_days = matches!(mode & 7, 1 | 3 | 4 | 6);
    let with_year = mode & 2 != 0;
    let start_of = |year: u16| {
        let first = days_from_civil(year, 1, 1);
        // Days from the week's first day to January 1.
        let into = (first + if monday_first { 3 } else { 4 }).rem_euclid(7);
        if four_days {
            if into <= 3 { first - into } else { first + 7 - into }
        } else if into == 0 {
            first
        } else {
            first + 7 - into
        }
    };
    let year = date.year();
    let start = start_of(year);
    if days < start {
        if !with_year {
            return (0, year);
        }
        // There is no year before.
        if year == 0 {
            return (1, 0);
        }
        let before = start_of(year - 1);
        return (((days - before) / 7 + 1) as u8, year - 1);
    }
    if with_year && year < 9999 && days >= start_of(year + 1) {
        return (1, year + 1);
    }
    (((days - start) / 7 + 1) as u8, year)
}
